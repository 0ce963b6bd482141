//! The object under test and its mocks as fields of the test class. In: the tests of a class; out: the
//! construction that most of them share, its fields, and the variables of a test that stand for them.
//! Must not know how a test came about.
//!
//! JUnit makes an object of the test class for each test, so that fields are as new as local variables.
//! What a mock answers stays in the test. There it is told after the object under test was made:
//! a constructor that calls its arguments might have noticed.

use std::collections::BTreeSet;

use crate::conventions::FileLayout;
use crate::emit::Options;
use crate::oracle::{Accessibility, AssertedTest, Assertion, Fact};
use crate::program::{ClassName, GenericType, MethodRef, Program};
use crate::testcase::{Construction, Made, StatementKind, VarId};

use super::fixture::FixtureVariables;
use super::java::{JavaStatement, Line};
use super::plan::plan_body;
use super::print;
use super::requirements::Requirements;
use super::usage::Usage;

/// Fewer tests than this keep local variables.
const LEAST_TESTS: usize = 2;
/// In front of each field.
const MODIFIERS: &str = "private final ";

/// The object under test and its mocks, as fields of the test class.
#[derive(Debug)]
pub(crate) struct SharedObject {
    construction: Construction,
    keeps_arguments: bool,
    /// For each argument its field; `None` where the value stands inside the construction.
    args: Vec<Option<SharedField>>,
    object: SharedField,
    /// The declarations, in order.
    lines: Vec<Line>,
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
        let mut found: Vec<(Construction, usize)> = Vec::new();
        for test in tests {
            let Some(made) = made_for_many(access.program(), class, test) else { continue };
            match found.iter_mut().find(|(known, _)| *known == made.construction) {
                Some((_, count)) => *count += 1,
                None => found.push((made.construction, 1)),
            }
        }
        // The first of those that are shared by as many.
        let (construction, count) = found.into_iter().rev().max_by_key(|(_, count)| *count)?;
        if count < LEAST_TESTS { None } else { SharedObject::new(access, construction, options) }
    }

    fn new(access: &Accessibility<'_>, construction: Construction, options: &Options) -> Option<SharedObject> {
        let program = access.program();
        let statements = construction.statements();
        let object = VarId(statements.len() as u32 - 1);
        // An assertion gives the object a name.
        let test = AssertedTest {
            assertions: vec![Assertion { subject: object, fact: Fact::NotNull }],
            target: Some(construction.constructor.clone()),
            ..AssertedTest::without_assertions(statements)
        };
        let plan = plan_body(access, &test, options, None).ok()?;
        let usage = Usage::of(program, &test, None);
        let declared: Vec<VarId> = usage.live().filter(|variable| !usage.is_inline(*variable)).collect();
        let lines: Vec<Line> = plan.lines.into_iter().filter(|line| !line.is_assertion).collect();
        let fields: Option<Vec<SharedField>> = lines
            .iter()
            .map(|line| match &line.statement {
                JavaStatement::Declaration { ty, name, .. } => Some(SharedField { name: name.clone(), ty: ty.clone() }),
                _ => None,
            })
            .collect();
        let fields = fields.filter(|fields| fields.len() == declared.len())?;
        let requirements = Requirements::of(program, &lines);
        if requirements.throws(program).is_some() || requirements.proxies.is_some() {
            return None;
        }
        let field_of = |variable: &VarId| declared.iter().position(|known| known == variable).map(|at| fields[at].clone());
        let StatementKind::Construct { args, .. } = &test.test.statement(object).kind else { return None };
        let mut warnings = plan.warnings;
        if requirements.unchecked {
            warnings.extend(["unchecked", "rawtypes"]);
        }
        Some(SharedObject {
            keeps_arguments: program.only_keeps_arguments(&construction.constructor),
            construction,
            args: args.iter().map(field_of).collect(),
            object: field_of(&object)?,
            lines,
            mocking: requirements.mocking,
            warnings,
            shadowed: requirements.shadowed,
        })
    }

    /// The variables of the test that stand for fields; `None` where it makes its object in another way,
    /// or where its answers would come too late.
    pub(super) fn variables_of(&self, program: &Program, test: &AssertedTest) -> Option<FixtureVariables> {
        let made = made_for_many(program, &self.construction.constructor.owner, test)?;
        let has_answers = |variable: &VarId| match &test.test.statement(*variable).kind {
            StatementKind::Stub { answers, .. } => !answers.is_empty(),
            _ => false,
        };
        let is_late = !self.keeps_arguments && (made.args.iter().any(has_answers) || !test.resets.is_empty());
        if made.construction != self.construction || is_late {
            return None;
        }
        let mut variables = FixtureVariables::of_shared_object();
        for (variable, field) in made.args.iter().zip(&self.args).chain([(&made.object, &Some(self.object.clone()))]) {
            if let Some(SharedField { name, ty }) = field {
                variables.add(*variable, name.clone(), ty.clone());
            }
        }
        variables.hide(made.making.into_iter().chain([made.object]));
        Some(variables)
    }

    /// Names of the fields.
    pub(super) fn names(&self) -> impl Iterator<Item = &String> {
        self.args.iter().flatten().chain([&self.object]).map(|field| &field.name)
    }

    /// The lines of the fields, each with one level of indentation.
    pub(crate) fn text(&self, layout: &FileLayout) -> String {
        // They stand one level further left than statements, behind their modifiers.
        let shift = MODIFIERS.len().saturating_sub(layout.indent.columns());
        let narrow = FileLayout { limit: Some(layout.width().saturating_sub(shift) as u16), ..*layout };
        let mut text = String::new();
        for line in &self.lines {
            for (position, part) in print::print_lines(std::slice::from_ref(line), None, &narrow).iter().enumerate() {
                text.push_str(&format!("    {}{part}\n", if position == 0 { MODIFIERS } else { "" }));
            }
        }
        text
    }
}

/// How the test makes its object of the class under test, where the test is not about the constructor.
/// Mocks are among the arguments, or the object has no state of its own: what a test gives to a
/// constructor is better read in the test.
fn made_for_many(program: &Program, class: &ClassName, test: &AssertedTest) -> Option<Made> {
    let is_stateless = |made: &Made| made.construction.parts.is_empty() && program.has_only_final_fields(class);
    let made = test.test.construction_of(class).filter(|made| made.construction.has_mocks() || is_stateless(made))?;
    let is_constructor = |target: &MethodRef| *target == made.construction.constructor;
    let ends = test.expected.is_some() && made.object.0 + 1 >= test.acted;
    let is_inner = program.class(class).is_none_or(|class| class.is_inner());
    let is_own = made.object.0 < test.acted && !ends && !is_inner && !test.target.as_ref().is_some_and(is_constructor);
    is_own.then_some(made)
}
