//! The object under test, its mocks and its companions as fields of the test class. In: the tests of a class; out: the
//! construction that most of them share, its fields, the method that injects some of them, and the
//! variables of a test that stand for them. Must not know how a test came about.
//!
//! A companion is a new object of another class of the project that most tests make, such as the `Options` that they
//! give to a parser.
//!
//! JUnit makes an object of the test class for each test, so that fields are as new as local variables.
//! What a mock answers stays in the test. There it is told after the object under test was made:
//! a constructor that calls its arguments might have noticed. A test that gives a field of the object
//! something else does so itself, after the field got what most tests give it.

use std::collections::{BTreeMap, BTreeSet};

use crate::conventions::FileLayout;
use crate::emit::names;
use crate::emit::{JUnit, Options};
use crate::oracle::{Accessibility, AssertedTest, Assertion, Fact};
use crate::program::{ClassModel, ClassName, ClassOrigin, GenericType, JavaType, MethodRef, Program};
use crate::testcase::{Construction, Ingredient, Made, StatementKind, VarId, common_injections};

use super::fixture::FixtureVariables;
use super::java::{JavaStatement, Line};
use super::plan::plan_body;
use super::print;
use super::requirements::Requirements;
use super::types::VariableTypes;
use super::usage::Usage;

/// Fewer tests than this keep local variables.
const LEAST_TESTS: usize = 2;
/// In front of each field.
const MODIFIERS: &str = "private final ";
/// The method that injects into the object under test.
pub(crate) const SET_UP: &str = "setUp";

/// The object under test with its mocks and companions, as fields of the test class.
#[derive(Debug)]
pub(crate) struct SharedObject {
    construction: Construction,
    keeps_arguments: bool,
    /// For each argument its field; `None` where the value stands inside the construction.
    args: Vec<Option<SharedField>>,
    object: SharedField,
    /// For each field of the object that is written the field that it gets, as for the arguments.
    injected: Vec<Option<SharedField>>,
    /// By the constructors of the companions.
    companions: Vec<(MethodRef, SharedField)>,
    /// The declarations, in order, and the statements behind them.
    lines: Vec<Line>,
    set_up: Vec<Line>,
    /// What the declarations require of the file.
    pub(crate) mocking: BTreeSet<&'static str>,
    pub(crate) warnings: BTreeSet<&'static str>,
    pub(crate) shadowed: BTreeSet<String>,
}

#[derive(Clone, Debug)]
struct SharedField {
    name: String,
    ty: GenericType,
}

impl SharedObject {
    /// The construction that most tests of the class share, where fields can hold it.
    pub(crate) fn of_most(
        access: &Accessibility<'_>,
        class: &ClassName,
        tests: &[AssertedTest],
        options: &Options,
    ) -> Option<SharedObject> {
        let made: Vec<Made> = tests.iter().filter_map(|test| made_by_test(access.program(), class, test)).collect();
        let program = access.program();
        let is_stateless = program.has_only_final_fields(class);
        // Tests of static methods need no object.
        let is_plain = |construction: &Construction, sharing: usize| {
            2 * made.len() >= tests.len()
                && construction.parts.is_empty()
                && (is_stateless || is_most(sharing, made.len()) && program.only_sets_fields(&construction.constructor))
        };
        let construction = most_shared(&made, &is_plain)?;
        // The object under test is shared also where a companion cannot be a field: its constructor may throw.
        SharedObject::new(access, construction.clone(), &companions(program, class, tests), options)
            .or_else(|| SharedObject::new(access, construction, &[], options))
    }

    fn new(
        access: &Accessibility<'_>,
        construction: Construction,
        companions: &[MethodRef],
        options: &Options,
    ) -> Option<SharedObject> {
        let program = access.program();
        let (mut statements, object) = construction.statements();
        let companions: Vec<(VarId, &MethodRef)> = companions
            .iter()
            .map(|constructor| {
                let kind = StatementKind::Construct { constructor: constructor.clone(), args: Vec::new() };
                (statements.push(kind, JavaType::Class(constructor.owner.clone())), constructor)
            })
            .collect();
        // An assertion gives each object a name.
        let named = std::iter::once(object).chain(companions.iter().map(|(companion, _)| *companion));
        let test = AssertedTest {
            assertions: named.map(|subject| Assertion { subject, fact: Fact::NotNull }).collect(),
            target: Some(construction.constructor.clone()),
            ..AssertedTest::without_assertions(statements)
        };
        let plan = plan_body(access, &test, options, None).ok().filter(|plan| plan.fixture.is_none())?;
        let usage = Usage::of(program, &test, None);
        let is_write = |variable: &VarId| matches!(usage.kind(*variable), StatementKind::PutField { .. });
        let declared: Vec<VarId> = usage.live().filter(|variable| !usage.is_inline(*variable) && !is_write(variable)).collect();
        let all: Vec<Line> = plan.lines.into_iter().filter(|line| !line.is_assertion).collect();
        let requirements = Requirements::of(program, &all);
        let (lines, set_up): (Vec<Line>, Vec<Line>) =
            all.into_iter().partition(|line| matches!(line.statement, JavaStatement::Declaration { .. }));
        let fields: Vec<SharedField> = lines
            .iter()
            .filter_map(|line| match &line.statement {
                JavaStatement::Declaration { ty, name, .. } => Some(SharedField { name: name.clone(), ty: ty.clone() }),
                _ => None,
            })
            .collect();
        if fields.len() != declared.len() || set_up.len() != construction.injected.len() {
            return None;
        }
        if requirements.throws(program).is_some() || requirements.proxies.is_some() {
            return None;
        }
        let field_of = |variable: &VarId| declared.iter().position(|known| known == variable).map(|at| fields[at].clone());
        let StatementKind::Construct { args, .. } = &test.test.statement(object).kind else { return None };
        let injected = test.test.statements.iter().filter_map(|statement| match &statement.kind {
            StatementKind::PutField { value, .. } => Some(field_of(value)),
            _ => None,
        });
        let mut warnings = plan.warnings;
        if requirements.unchecked {
            warnings.extend(["unchecked", "rawtypes"]);
        }
        Some(SharedObject {
            keeps_arguments: program.only_keeps_arguments(&construction.constructor, &construction.mocked_classes()),
            construction,
            args: args.iter().map(field_of).collect(),
            object: field_of(&object)?,
            injected: injected.collect(),
            companions: companions.iter().filter_map(|(made, by)| Some(((*by).clone(), field_of(made)?))).collect(),
            lines,
            set_up,
            mocking: requirements.mocking,
            warnings,
            shadowed: requirements.shadowed,
        })
    }

    /// The variables of the test that stand for fields; `None` where there are none.
    pub(super) fn variables_of(&self, access: &Accessibility<'_>, test: &AssertedTest) -> Option<FixtureVariables> {
        let of_companion = self.companions.iter().filter_map(|(constructor, field)| {
            let made = companion(test, constructor)?;
            Some((made, field))
        });
        let made: Vec<(VarId, &SharedField)> = of_companion.collect();
        let object = self.object_variables(access, test);
        if object.is_none() && made.is_empty() {
            return None;
        }
        let mut variables = object.unwrap_or_else(FixtureVariables::of_shared_object);
        for (variable, field) in made {
            variables.add(variable, field.name.clone(), field.ty.clone());
            variables.hide([variable]);
        }
        Some(variables)
    }

    /// The variables for the object under test and its arguments. `None` where the test makes its object in another
    /// way, or where the answers of its mocks would come too late.
    fn object_variables(&self, access: &Accessibility<'_>, test: &AssertedTest) -> Option<FixtureVariables> {
        let made = made_by_test(access.program(), &self.construction.constructor.owner, test)?;
        let has_answers = |variable: &VarId| match &test.test.statement(*variable).kind {
            StatementKind::Stub { answers, .. } => !answers.is_empty(),
            _ => false,
        };
        let is_late = !self.keeps_arguments && (made.args.iter().any(has_answers) || !test.resets.is_empty());
        if !made.fits(&self.construction) || is_late || !self.has_type_of(access, test, made.object) {
            return None;
        }
        let mut variables = FixtureVariables::of_shared_object();
        for (variable, field) in made.args.iter().zip(&self.args).chain([(&made.object, &Some(self.object.clone()))]) {
            if let Some(SharedField { name, ty }) = field {
                variables.add(*variable, name.clone(), ty.clone());
            }
        }
        variables.hide(made.making.iter().copied().chain([made.object]));
        for (injected, field) in self.construction.injected.iter().zip(&self.injected) {
            let write = made.writes.iter().find(|write| write.field == injected.field)?;
            // Without a field of the test class, nothing can name the value.
            let names =
                |assertion: &Assertion, variable| assertion.subject == variable || assertion.fact.others().contains(&variable);
            let is_named = |variable: &VarId| test.assertions.iter().any(|assertion| names(assertion, *variable));
            let is_lost = field.is_none() && write.making.iter().any(is_named);
            if write.part.as_ref() != Some(&injected.part) || is_lost {
                continue;
            }
            if let Some(SharedField { name, ty }) = field {
                variables.add(write.value, name.clone(), ty.clone());
            }
            variables.hide(write.making.iter().copied().chain([write.statement]));
        }
        Some(variables)
    }

    /// Whether the test itself would give its object the type of the field.
    fn has_type_of(&self, access: &Accessibility<'_>, test: &AssertedTest, object: VarId) -> bool {
        let usage = Usage::of(access.program(), test, None);
        self.object.ty.arguments().is_empty()
            || VariableTypes::of(access, &usage, None, &BTreeSet::new())
                .is_ok_and(|types| *types.declared(object) == self.object.ty)
    }

    /// Names of the fields.
    pub(super) fn names(&self) -> impl Iterator<Item = &String> {
        let companions = self.companions.iter().map(|(_, field)| field);
        let given = self.args.iter().chain(&self.injected).flatten();
        given.chain([&self.object]).chain(companions).map(|field| &field.name)
    }

    /// Whether a method injects something before each test.
    pub(crate) fn has_set_up(&self) -> bool {
        !self.set_up.is_empty()
    }

    /// The lines of the fields and of the method that injects, each with one level of indentation.
    pub(crate) fn text(&self, options: &Options) -> String {
        let layout = &options.layout;
        // They stand one level further left than statements, behind their modifiers.
        let shift = MODIFIERS.len().saturating_sub(layout.indent.columns());
        let narrow = FileLayout { limit: Some(layout.width().saturating_sub(shift) as u16), ..*layout };
        let mut text = String::new();
        for line in &self.lines {
            for (position, part) in print::print_lines(std::slice::from_ref(line), None, &narrow).iter().enumerate() {
                text.push_str(&format!("    {}{part}\n", if position == 0 { MODIFIERS } else { "" }));
            }
        }
        if self.has_set_up() {
            let annotation = match options.junit {
                JUnit::Four => "org/junit/Before",
                JUnit::Five => "org/junit/jupiter/api/BeforeEach",
            };
            let annotation = names::mark(&ClassName::new(annotation));
            text.push_str(&format!("\n    @{annotation}\n    {}void {SET_UP}() {{\n", options.visibility()));
            for line in print::print_lines(&self.set_up, None, layout) {
                text.push_str(&format!("        {line}\n"));
            }
            text.push_str("    }\n");
        }
        text
    }
}

/// The constructors of the companions, by name: without parameters, and without an effect on anything but the object.
fn companions(program: &Program, class: &ClassName, tests: &[AssertedTest]) -> Vec<MethodRef> {
    let mut makers: BTreeMap<&MethodRef, usize> = BTreeMap::new();
    for test in tests {
        let made: BTreeSet<&MethodRef> = made_without_arguments(test).map(|(_, constructor)| constructor).collect();
        made.into_iter().for_each(|constructor| *makers.entry(constructor).or_default() += 1);
    }
    let is_companion = |constructor: &MethodRef| {
        let is_plain = |made: &ClassModel| {
            let is_simple = made.signature.parameters.is_empty() && !made.is_inner();
            made.origin == ClassOrigin::Project && is_simple
        };
        constructor.owner != *class
            && program.class(&constructor.owner).is_some_and(|made| is_plain(&made))
            && program.only_sets_fields(constructor)
    };
    let shared = makers.into_iter().filter(|(_, count)| is_most(*count, tests.len()));
    shared.map(|(constructor, _)| constructor).filter(|constructor| is_companion(constructor)).cloned().collect()
}

/// The first object that the test makes with this constructor, which has no parameters.
fn companion(test: &AssertedTest, constructor: &MethodRef) -> Option<VarId> {
    made_without_arguments(test).find(|(_, by)| *by == constructor).map(|(made, _)| made)
}

/// The objects that the test makes without arguments before the call under test.
fn made_without_arguments(test: &AssertedTest) -> impl Iterator<Item = (VarId, &MethodRef)> {
    let before = test.test.statements.iter().take(test.acted.saturating_sub(1) as usize).enumerate();
    before.filter_map(|(index, statement)| match &statement.kind {
        StatementKind::Construct { constructor, args } if args.is_empty() => Some((VarId(index as u32), constructor)),
        _ => None,
    })
}

/// Whether most tests share something.
fn is_most(sharing: usize, all: usize) -> bool {
    2 * sharing > all
}

/// The construction that spares the tests most lines: with the fields that most tests write, as many of
/// them as pay. Mocks are among its parts, or it is a plain one for so many tests: what a test gives to a constructor
/// is better read in the test. `None` where too few tests share one.
fn most_shared(made: &[Made], is_plain: &dyn Fn(&Construction, usize) -> bool) -> Option<Construction> {
    let mut best: Option<(usize, Construction)> = None;
    for (position, first) in made.iter().enumerate() {
        let alike = |other: &&Made| {
            let (one, other) = (&first.construction, &other.construction);
            one.constructor == other.constructor && one.parts == other.parts
        };
        if made[..position].iter().any(|earlier| alike(&earlier)) {
            continue;
        }
        let group: Vec<&Made> = made.iter().filter(alike).collect();
        let injected = common_injections(&group);
        for count in 0..=injected.len() {
            let construction = Construction { injected: injected[..count].to_vec(), ..first.construction.clone() };
            let sharing = group.iter().filter(|made| made.fits(&construction)).count();
            let mocks = construction.parts.iter().filter(|part| matches!(part, Ingredient::Mock(_))).count();
            let spared = sharing * (1 + mocks + count);
            let is_fit = construction.has_mocks() || is_plain(&construction, sharing);
            let is_better = best.as_ref().is_none_or(|(most, _)| *most < spared);
            if sharing >= LEAST_TESTS && is_fit && is_better {
                best = Some((spared, construction));
            }
        }
    }
    best.map(|(_, construction)| construction)
}

/// How the test makes its object of the class under test, where it is not about the constructor.
fn made_by_test(program: &Program, class: &ClassName, test: &AssertedTest) -> Option<Made> {
    let made = test.test.construction_of(class)?;
    let is_constructor = |target: &MethodRef| *target == made.construction.constructor;
    let ends = test.expected.is_some() && made.object.0 + 1 >= test.acted;
    let is_inner = program.class(class).is_none_or(|class| class.is_inner());
    let is_own = made.object.0 < test.acted && !ends && !is_inner && !test.target.as_ref().is_some_and(is_constructor);
    is_own.then_some(made)
}
