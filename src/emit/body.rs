//! One test method. In: an asserted test; out: its lines, with marked type names (see `names`). What is written where, and under which
//! local name, is decided here; what javac makes of a call in `call`.

use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;

use crate::execution::Snapshot;
use crate::oracle::{Accessibility, AssertedTest, Assertion, Fact, is_reserved};
use crate::program::generics::Substitution;
use crate::program::{ClassName, FieldRef, GenericType, JavaType, MethodRef, Nesting, ResolvedMethod};
use crate::testcase::{Literal, StatementKind, VarId};

use super::call::{self, Adapt, Plan, Static};
use super::names::{camel, mark, mark_type};
use super::{JUnit, Options, Unprintable, literal};

/// A string that is this long and used twice gets a name.
const LONG_TEXT: usize = 16;
/// Calls that become longer than this are not written inside other calls.
const NESTED_WIDTH: usize = 48;

/// A printed method body.
#[derive(Debug)]
pub(crate) struct Body {
    pub(crate) lines: Vec<String>,
    /// `Exception` or `Throwable`, when the method has to declare it.
    pub(crate) throws: Option<ClassName>,
    /// Raw types or unchecked conversions occur.
    pub(crate) unchecked: bool,
    /// Names of the static assertion methods it uses.
    pub(crate) assertions: BTreeSet<&'static str>,
    /// Static methods of Mockito that it uses, with their class.
    pub(crate) mocking: BTreeSet<&'static str>,
}

/// Prints the body of one test.
pub(crate) fn print(reach: &Accessibility<'_>, test: &AssertedTest, options: &Options) -> Result<Body, Unprintable> {
    let mut raw = BTreeSet::new();
    loop {
        let mut printer = Printer::new(reach, test, options, &raw)?;
        let body = printer.body()?;
        let wanted = printer.wants_raw.take();
        if wanted.is_subset(&raw) {
            return Ok(body);
        }
        raw.extend(wanted);
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Level {
    Primary,
    Unary,
    Lambda,
}

#[derive(Clone, Debug)]
struct Expression {
    text: String,
    level: Level,
    ty: Static,
    inferred: bool,
}

impl Expression {
    fn primary(text: String, ty: Static) -> Expression {
        Expression { text, level: Level::Primary, ty, inferred: false }
    }

    fn receiver(&self) -> String {
        if self.level == Level::Primary { self.text.clone() } else { format!("({})", self.text) }
    }
}

struct Printer<'a> {
    reach: &'a Accessibility<'a>,
    test: &'a AssertedTest,
    options: &'a Options,
    /// Statements that have to be written.
    live: Vec<bool>,
    /// Statements whose expression stands where its value is used.
    inline: Vec<bool>,
    names: Vec<String>,
    declared: Vec<GenericType>,
    raw: &'a BTreeSet<VarId>,
    wants_raw: RefCell<BTreeSet<VarId>>,
    throws: RefCell<BTreeSet<ClassName>>,
    unchecked: Cell<bool>,
    assertions: BTreeSet<&'static str>,
    mocking: RefCell<BTreeSet<&'static str>>,
    taken: BTreeSet<String>,
}

impl<'a> Printer<'a> {
    fn new(
        reach: &'a Accessibility<'a>,
        test: &'a AssertedTest,
        options: &'a Options,
        raw: &'a BTreeSet<VarId>,
    ) -> Result<Printer<'a>, Unprintable> {
        let count = test.test.statements.len();
        let mut printer = Printer {
            reach,
            test,
            options,
            live: vec![false; count],
            inline: vec![false; count],
            names: vec![String::new(); count],
            declared: Vec::with_capacity(count),
            raw,
            wants_raw: RefCell::default(),
            throws: RefCell::default(),
            unchecked: Cell::new(false),
            assertions: BTreeSet::new(),
            mocking: RefCell::default(),
            taken: BTreeSet::new(),
        };
        printer.decide_live();
        printer.decide_inline();
        for index in 0..count {
            let ty = printer.declared_type(VarId(index as u32))?;
            printer.declared.push(ty);
        }
        printer.decide_names();
        Ok(printer)
    }

    fn kind(&self, variable: VarId) -> &'a StatementKind {
        &self.test.test.statements[variable.index()].kind
    }

    fn erased(&self, variable: VarId) -> &'a JavaType {
        &self.test.test.statements[variable.index()].ty
    }

    fn asserted(&self, variable: VarId) -> impl Iterator<Item = &'a Assertion> {
        self.test.assertions.iter().filter(move |assertion| assertion.subject == variable)
    }

    fn decide_live(&mut self) {
        for assertion in &self.test.assertions {
            self.live[assertion.subject.index()] = true;
            if let Fact::SameAs(other) = assertion.fact {
                self.live[other.index()] = true;
            }
        }
        for index in (0..self.live.len()).rev() {
            let kind = &self.test.test.statements[index].kind;
            let reads = matches!(kind, StatementKind::GetField { .. }) && index + 1 == self.live.len();
            self.live[index] |= kind.has_effect() || reads;
            if self.live[index] {
                kind.for_each_use(|used| self.live[used.index()] = true);
            }
        }
    }

    /// Uses by live statements, and mentions in assertions as the other object.
    fn uses(&self, variable: VarId) -> usize {
        let statements = &self.test.test.statements;
        let mut uses = 0;
        for (index, statement) in statements.iter().enumerate() {
            if self.live[index] {
                statement.kind.for_each_use(|used| uses += usize::from(used == variable));
            }
        }
        uses + self.test.assertions.iter().filter(|assertion| assertion.fact == Fact::SameAs(variable)).count()
    }

    /// Where and when such a value is made does not matter.
    fn is_constant(&self, variable: VarId) -> bool {
        match self.kind(variable) {
            StatementKind::Literal(_) => true,
            StatementKind::GetField { field, receiver: None } => {
                self.reach.program().resolve_field_ref(field).is_some_and(|found| found.field().access.is_final())
            }
            StatementKind::Call { method, receiver: None, args, .. } => {
                boxed_type(&method.owner).is_some() && &*method.name == "valueOf" && self.is_boxing(method, args)
            }
            _ => false,
        }
    }

    fn is_boxing(&self, method: &MethodRef, args: &[VarId]) -> bool {
        boxed_type(&method.owner).is_some_and(|primitive| method.parameters() == [primitive])
            && args.iter().all(|arg| matches!(self.kind(*arg), StatementKind::Literal(_)))
    }

    fn decide_inline(&mut self) {
        let count = self.live.len();
        let last = count.checked_sub(1);
        for index in 0..count {
            let variable = VarId(index as u32);
            if !self.live[index] {
                continue;
            }
            let uses = self.uses(variable);
            self.inline[index] = match self.kind(variable) {
                StatementKind::Literal(Literal::Str(units)) => units.len() < LONG_TEXT || uses < 2,
                StatementKind::Literal(_) => true,
                StatementKind::GetField { .. } if self.is_constant(variable) => uses + self.asserted(variable).count() > 0,
                // Two boxes of a number outside the cache are two objects.
                StatementKind::Call { .. } if self.is_constant(variable) => uses == 1 && self.asserted(variable).count() == 0,
                StatementKind::Array { length, elements, .. } => {
                    uses == 1
                        && self.asserted(variable).count() == 0
                        && *length as usize == elements.len()
                        && elements.len() <= 8
                        && elements.iter().all(|element| self.inline[element.index()])
                        && !self
                            .test
                            .test
                            .statements
                            .iter()
                            .enumerate()
                            .any(|(at, statement)| self.live[at] && is_written_or_received(&statement.kind, variable))
                }
                _ => false,
            };
        }
        // Constructions and calls that the very next statement takes as an argument, in order of evaluation.
        for index in 0..count {
            if !self.live[index] || self.inline[index] || (self.test.expected.is_some() && Some(index) == last) {
                continue;
            }
            let operands: Vec<VarId> = match &self.test.test.statements[index].kind {
                StatementKind::Construct { args, .. } | StatementKind::Call { args, .. } => args.clone(),
                _ => continue,
            };
            for operand in operands.into_iter().rev() {
                if self.inline[operand.index()] {
                    continue;
                }
                let before = (0..index).rev().find(|at| self.live[*at] && !self.inline[*at]);
                if before != Some(operand.index()) || !self.nests(operand) {
                    break;
                }
                self.inline[operand.index()] = true;
            }
        }
    }

    fn nests(&self, variable: VarId) -> bool {
        let (method, args) = match self.kind(variable) {
            StatementKind::Construct { constructor, args } => (constructor, args),
            StatementKind::Call { method, args, .. } => (method, args),
            _ => return false,
        };
        let program = self.reach.program();
        let plain = program.class(&method.owner).is_some_and(|class| class.signature.parameters.is_empty())
            && program.resolve(method).is_some_and(|found| {
                let signature = &found.method().signature;
                signature.parameters.is_empty()
                    && signature.returns.arguments().is_empty()
                    && signature.returns.variables().is_empty()
            });
        let inner = args.iter().any(|arg| self.inline[arg.index()] && !self.is_constant(*arg));
        plain
            && !inner
            && !is_temporary(method)
            && self.test.target.as_ref() != Some(method)
            && self.uses(variable) == 1
            && self.asserted(variable).count() == 0
            && *self.erased(variable) == method_type(method)
            && args.len() <= 2
            && method.owner.local_name().len() + method.name.len() < NESTED_WIDTH
            && args.iter().all(|arg| match self.kind(*arg) {
                StatementKind::Literal(Literal::Str(units)) => units.len() < LONG_TEXT,
                _ => true,
            })
    }

    // ---- types of variables ----

    /// The type that a variable is (or, written inline, could be) declared with.
    fn declared_type(&self, variable: VarId) -> Result<GenericType, Unprintable> {
        let erased = self.erased(variable);
        let plain = GenericType::of(erased);
        if !self.live[variable.index()] || *erased == JavaType::Void || self.raw.contains(&variable) {
            return self.nearest(plain);
        }
        let generic = match self.kind(variable) {
            StatementKind::Construct { constructor, .. } => self.type_arguments(variable, &constructor.owner),
            StatementKind::Stub { interface, mocked: false, .. } => self.type_arguments(variable, interface),
            StatementKind::Call { method, receiver, args, .. } => {
                let arguments: Vec<Static> = args.iter().map(|arg| self.static_type(*arg)).collect();
                let receiver = receiver.map(|receiver| self.declared[receiver.index()].clone());
                let receiver = receiver
                    .as_ref()
                    .filter(|ty| self.reach.program().is_subtype(&ty.erase(&[]), &JavaType::Class(method.owner.clone())));
                call::plan(self.reach, method, receiver, None, &arguments).ok().map(|plan| plan.returns)
            }
            StatementKind::GetField { field, receiver: None } => {
                self.reach.program().resolve_field_ref(field).map(|found| found.field().generic.clone())
            }
            _ => None,
        };
        match generic {
            Some(generic) if generic.variables().is_empty() && generic.erase(&[]) == *erased && self.can_write(&generic) => {
                Ok(generic)
            }
            _ => self.nearest(plain),
        }
    }

    /// A class that the test cannot name is declared as its nearest superclass that it can.
    fn nearest(&self, ty: GenericType) -> Result<GenericType, Unprintable> {
        let erased = ty.erase(&[]);
        match &erased {
            _ if self.reach.ty(&erased) => Ok(ty),
            JavaType::Class(name) => self
                .reach
                .nearest_superclass(name)
                .map(GenericType::class)
                .ok_or_else(|| Unprintable::InaccessibleType(name.to_string())),
            other => Err(Unprintable::InaccessibleType(other.to_string())),
        }
    }

    fn can_write(&self, ty: &GenericType) -> bool {
        match ty {
            GenericType::Primitive(_) => true,
            GenericType::Variable(_) => false,
            GenericType::Array(element) => self.can_write(element),
            GenericType::Class { name, arguments, outer } => {
                outer.is_none() && self.reach.class(name) && arguments.iter().all(|argument| self.can_write(argument))
            }
            GenericType::Wildcard(wildcard) => self.can_write(&wildcard.upper()),
        }
    }

    /// `Foo<String, Object>`: what the uses of the variable ask for, `Object` where they ask for nothing; `None` where a bound stands in
    /// the way (the variable is raw then) or the class has no parameters.
    fn type_arguments(&self, variable: VarId, class: &ClassName) -> Option<GenericType> {
        let program = self.reach.program();
        let model = program.class(class)?;
        if model.signature.parameters.is_empty() || model.is_inner() {
            return None;
        }
        let own = model.generic_type();
        let mut wanted = Substitution::default();
        for (index, statement) in self.test.test.statements.iter().enumerate() {
            if !self.live[index] {
                continue;
            }
            let (method, args) = match &statement.kind {
                StatementKind::Construct { constructor, args } => (constructor, args),
                StatementKind::Call { method, args, .. } => (method, args),
                _ => continue,
            };
            for (position, _) in args.iter().enumerate().filter(|(_, arg)| **arg == variable) {
                let Some(found) = program.resolve(method) else { continue };
                let Some(parameter) = found.method().signature.arguments.get(position) else { continue };
                if let (Some(name), true) = (parameter.class_name(), parameter.variables().is_empty())
                    && let Some(declared) = program.as_super(&own, name)
                {
                    wanted.match_against(&declared, parameter);
                }
            }
        }
        let mut arguments = Vec::new();
        for parameter in &model.signature.parameters {
            let argument = match wanted.get(&parameter.name) {
                Some(asked) => asked.clone(),
                None => GenericType::object(),
            };
            let fits = parameter.bounds.iter().all(|bound| match bound.class_name() {
                // A bound that mentions a variable would have to be solved.
                Some(name) if bound.variables().is_empty() && bound.arguments().is_empty() => {
                    program.is_subtype(&argument.erase(&[]), &JavaType::Class(name.clone()))
                }
                _ => false,
            });
            if !fits || matches!(argument, GenericType::Primitive(_) | GenericType::Wildcard(_)) {
                return None;
            }
            arguments.push(argument);
        }
        Some(GenericType::Class { name: class.clone(), arguments, outer: None })
    }

    /// The static type of a variable where it is used.
    fn static_type(&self, variable: VarId) -> Static {
        match self.kind(variable) {
            StatementKind::Literal(Literal::Null) if self.inline[variable.index()] => None,
            StatementKind::Literal(Literal::Class(ty)) if self.inline[variable.index()] => {
                let argument =
                    boxing_class(ty).map_or_else(|| GenericType::of(ty), |class| GenericType::class(ClassName::new(class)));
                Some(GenericType::Class { name: ClassName::new("java/lang/Class"), arguments: vec![argument], outer: None })
            }
            _ => Some(self.declared[variable.index()].clone()),
        }
    }

    // ---- names of variables ----

    fn decide_names(&mut self) {
        let mut reserved: BTreeSet<String> = ["java", "javax", "org", "x", "y", "z", "value"].map(String::from).into();
        let mut reserve = |class: &ClassName| {
            // What a qualified name begins with, and names of types: a variable would hide them (JLS §6.4.2).
            reserved.extend(class.internal().split('/').next().map(String::from));
            reserved.extend(class.local_name().split('$').map(String::from));
        };
        for statement in &self.test.test.statements {
            for_each_class(&statement.ty, &mut reserve);
            match &statement.kind {
                StatementKind::Construct { constructor: method, .. } | StatementKind::Call { method, .. } => {
                    reserve(&method.owner)
                }
                StatementKind::GetField { field, .. } | StatementKind::PutField { field, .. } => reserve(&field.owner),
                StatementKind::Literal(Literal::Class(ty)) => for_each_class(ty, &mut reserve),
                _ => {}
            }
        }
        self.taken = reserved;
        for index in 0..self.names.len() {
            let variable = VarId(index as u32);
            if self.live[index] && !self.inline[index] && *self.erased(variable) != JavaType::Void {
                let base = self.role(variable);
                self.names[index] = self.free_name(&base);
            }
        }
    }

    fn free_name(&mut self, base: &str) -> String {
        let mut number = 1;
        loop {
            let name = if number == 1 { base.to_string() } else { format!("{base}{number}") };
            if !is_reserved(&name) && self.taken.insert(name.clone()) {
                return name;
            }
            number += 1;
        }
    }

    fn role(&self, variable: VarId) -> String {
        let used = self.uses(variable);
        let asserted = self.asserted(variable).count();
        let own_uses = (0..self.test.acted as usize)
            .filter(|index| self.live[*index] && self.test.test.statements[*index].kind.uses().contains(&variable))
            .count();
        if let StatementKind::Call { method, .. } = self.kind(variable)
            && own_uses == 0
            && used + asserted > 0
            && (self.test.target.as_ref() == Some(method) || self.test.target.is_none())
        {
            return "result".into();
        }
        let compared = self.test.test.statements.iter().enumerate().any(|(index, statement)| match &statement.kind {
            StatementKind::Call { method, receiver: Some(receiver), args, .. } => {
                self.live[index]
                    && matches!(&*method.name, "equals" | "compareTo")
                    && args.first() == Some(&variable)
                    && *receiver != variable
                    && receiver.index() < variable.index()
                    && self.erased(*receiver) == self.erased(variable)
            }
            _ => false,
        });
        if compared {
            return "other".into();
        }
        type_role(self.erased(variable))
    }

    // ---- expressions ----

    fn operand(&self, variable: VarId) -> Result<Expression, Unprintable> {
        if self.inline[variable.index()] {
            let mut expression = self.expression(variable)?;
            if expression.ty.is_some() {
                expression.ty = self.static_type(variable);
            }
            Ok(expression)
        } else if self.names[variable.index()].is_empty() {
            Err(Unprintable::Malformed(format!("{variable} has no value")))
        } else {
            Ok(Expression::primary(self.names[variable.index()].clone(), Some(self.declared[variable.index()].clone())))
        }
    }

    /// The statement as an expression of (a subtype of) its declared type.
    fn expression(&self, variable: VarId) -> Result<Expression, Unprintable> {
        match self.kind(variable) {
            StatementKind::Literal(value) => self.literal(value, self.erased(variable)),
            StatementKind::Construct { constructor, args } => self.construct(variable, constructor, args),
            StatementKind::Call { method, receiver, args, .. } => self.call(variable, method, *receiver, args),
            StatementKind::GetField { field, receiver } => {
                let (text, generic) = self.field(field, *receiver, false)?;
                self.narrowed(variable, Expression::primary(text, Some(generic)))
            }
            StatementKind::Array { element, length, elements } => self.array(element, *length, elements),
            StatementKind::Stub { interface, mocked: true, .. } => self.mock(interface),
            StatementKind::Stub { interface, answers, .. } => self.stub(variable, interface, answers),
            StatementKind::PutField { .. } | StatementKind::PutElement { .. } => {
                Err(Unprintable::Malformed(format!("{variable} is a value of nothing")))
            }
        }
    }

    fn literal(&self, value: &Literal, ty: &JavaType) -> Result<Expression, Unprintable> {
        let numeric = |text: String, level: Level| Expression { text, level, ty: Some(GenericType::of(ty)), inferred: false };
        let signed = |text: String| {
            let level = if text.starts_with('-') { Level::Unary } else { Level::Primary };
            numeric(text, level)
        };
        Ok(match value {
            Literal::Null => Expression::primary("null".into(), None),
            Literal::Boolean(value) => numeric(value.to_string(), Level::Primary),
            Literal::Byte(value) => numeric(format!("(byte) {value}"), Level::Unary),
            Literal::Short(value) => numeric(format!("(short) {value}"), Level::Unary),
            Literal::Char(value) => numeric(literal::char(*value), Level::Primary),
            Literal::Int(value) => signed(literal::int(*value)),
            Literal::Long(value) => signed(literal::long(*value)),
            Literal::Float(bits) => signed(literal::float(*bits)),
            Literal::Double(bits) => signed(literal::double(*bits)),
            Literal::Str(units) => Expression::primary(
                literal::string(units, self.options.release)?,
                Some(GenericType::class(ClassName::new("java/lang/String"))),
            ),
            Literal::Class(ty) => {
                let text = self.type_name(ty)?;
                Expression::primary(format!("{text}.class"), Some(GenericType::class(ClassName::new("java/lang/Class"))))
            }
        })
    }

    fn type_name(&self, ty: &JavaType) -> Result<String, Unprintable> {
        if self.reach.ty(ty) { Ok(mark_type(ty)) } else { Err(Unprintable::InaccessibleType(ty.to_string())) }
    }

    fn class_name(&self, class: &ClassName) -> Result<String, Unprintable> {
        self.type_name(&JavaType::Class(class.clone()))
    }

    fn generic_name(&self, ty: &GenericType) -> Result<String, Unprintable> {
        use crate::program::generics::Wildcard;
        Ok(match ty {
            GenericType::Class { name, arguments, .. } if !arguments.is_empty() => {
                let arguments: Result<Vec<String>, _> = arguments.iter().map(|argument| self.generic_name(argument)).collect();
                format!("{}<{}>", self.class_name(name)?, arguments?.join(", "))
            }
            GenericType::Array(element) => format!("{}[]", self.generic_name(element)?),
            GenericType::Wildcard(Wildcard::Any) => "?".into(),
            GenericType::Wildcard(Wildcard::Extends(bound)) => format!("? extends {}", self.generic_name(bound)?),
            GenericType::Wildcard(Wildcard::Super(bound)) => format!("? super {}", self.generic_name(bound)?),
            other => {
                if call::is_raw(self.reach.program(), other) {
                    self.unchecked.set(true);
                }
                self.type_name(&other.erase(&[]))?
            }
        })
    }

    fn construct(&self, variable: VarId, constructor: &MethodRef, args: &[VarId]) -> Result<Expression, Unprintable> {
        let program = self.reach.program();
        let class =
            program.class(&constructor.owner).ok_or_else(|| Unprintable::InaccessibleType(constructor.owner.to_string()))?;
        if class.is_abstract() || class.is_interface() || class.is_enum() {
            return Err(Unprintable::Malformed(format!("{} has no instances of its own", constructor.owner)));
        }
        let declared = &self.declared[variable.index()];
        let name = self.class_name(&constructor.owner)?;
        let (outer, simple) = match &class.nesting {
            Nesting::Member { enclosing, simple_name, is_static: false } => {
                let outer =
                    args.first().ok_or_else(|| Unprintable::Malformed(format!("{constructor} without its outer object")))?;
                let mut outer = self.operand(*outer)?;
                if outer.ty.is_none() {
                    return Err(Unprintable::Malformed(format!("{constructor} with null as its outer object")));
                }
                let fits =
                    outer.ty.as_ref().is_some_and(|ty| program.is_subtype(&ty.erase(&[]), &JavaType::Class(enclosing.clone())));
                if !fits {
                    outer.text = format!("(({}) {})", self.class_name(enclosing)?, outer.receiver());
                    outer.level = Level::Primary;
                }
                (Some(outer.receiver()), simple_name.clone())
            }
            _ => (None, name),
        };
        let generic = !declared.arguments().is_empty() && declared.class_name() == Some(&constructor.owner);
        if !generic && !class.signature.parameters.is_empty() {
            self.unchecked.set(true);
        }
        let constructed = if generic { declared.clone() } else { GenericType::class(constructor.owner.clone()) };
        let mut operands = self.operands(args)?;
        if outer.is_some() {
            // The enclosing instance is no argument in source; for the plan it has its own parameter's type.
            operands[0].ty = Some(GenericType::of(&constructor.parameters()[0]));
        }
        let (plan, mut written) = self.arguments(constructor, None, Some((variable, &constructed)), args, operands)?;
        self.note_exceptions(&plan.exceptions);
        if outer.is_some() {
            written.remove(0);
        }
        let diamond = if generic { "<>" } else { "" };
        let text = match outer {
            Some(outer) => format!("{outer}.new {simple}{diamond}({})", written.join(", ")),
            None => format!("new {simple}{diamond}({})", written.join(", ")),
        };
        Ok(Expression::primary(text, Some(constructed)))
    }

    fn call(
        &self,
        variable: VarId,
        method: &MethodRef,
        receiver: Option<VarId>,
        args: &[VarId],
    ) -> Result<Expression, Unprintable> {
        let program = self.reach.program();
        if !crate::oracle::is_identifier(&method.name) {
            return Err(Unprintable::NotAnIdentifier(method.name.to_string()));
        }
        let operands = self.operands(args)?;
        if receiver.is_none()
            && self.inline[variable.index()]
            && self.is_constant(variable)
            && let [operand] = &operands[..]
        {
            return Ok(Expression::primary(
                format!("{}.valueOf({})", self.class_name(&method.owner)?, operand.text),
                Some(GenericType::class(method.owner.clone())),
            ));
        }
        let (prefix, plan, written) = match receiver {
            None => {
                let prefix = self.class_name(&method.owner)?;
                let (plan, written) = self.arguments(method, None, None, args, operands)?;
                (prefix, plan, written)
            }
            Some(receiver) => {
                let mut on = self.operand(receiver)?;
                let Some(mut ty) = on.ty.clone() else { return Err(Unprintable::Malformed("a call on null".into())) };
                let array = matches!(ty, GenericType::Array(_));
                let known = match ty.erase(&[]) {
                    JavaType::Class(class) => program.is_subclass(&class, &method.owner),
                    _ => true,
                };
                if !known {
                    on.text = format!("(({}) {})", self.class_name(&method.owner)?, on.receiver());
                    on.level = Level::Primary;
                    ty = GenericType::class(method.owner.clone());
                } else if !array && !self.reach.ty(&ty.erase(&[])) {
                    return Err(Unprintable::InaccessibleType(ty.erase(&[]).to_string()));
                }
                if array && &*method.name == "clone" {
                    return self.narrowed(variable, Expression::primary(format!("{}.clone()", on.receiver()), Some(ty)));
                }
                let (plan, written) = match self.arguments(method, Some((receiver, &ty)), None, args, operands.clone()) {
                    Ok(found) => found,
                    // The receiver's type arguments stand in the way, and it cannot be declared raw.
                    Err(Unprintable::Malformed(reason)) if reason == NEEDS_RAW_RECEIVER => {
                        self.unchecked.set(true);
                        on.text = format!("(({}) {})", self.class_name(&method.owner)?, on.receiver());
                        on.level = Level::Primary;
                        ty = GenericType::class(method.owner.clone());
                        self.arguments(method, Some((receiver, &ty)), None, args, operands)?
                    }
                    Err(other) => return Err(other),
                };
                (on.receiver(), plan, written)
            }
        };
        self.note_exceptions(&plan.exceptions);
        let text = format!("{prefix}.{}({})", method.name, written.join(", "));
        let called = Expression { text, level: Level::Primary, ty: Some(plan.returns), inferred: plan.inferred };
        self.narrowed(variable, called)
    }

    /// Adds the cast that makes the expression's type a subtype of the statement's.
    fn narrowed(&self, variable: VarId, expression: Expression) -> Result<Expression, Unprintable> {
        let declared = self.declared[variable.index()].erase(&[]);
        let program = self.reach.program();
        match &expression.ty {
            Some(ty) if declared != JavaType::Void && !program.is_subtype(&ty.erase(&[]), &declared) => Ok(Expression {
                text: format!("({}) {}", self.type_name(&declared)?, expression.receiver()),
                level: Level::Unary,
                ty: Some(GenericType::of(&declared)),
                inferred: false,
            }),
            _ => Ok(expression),
        }
    }

    fn operands(&self, args: &[VarId]) -> Result<Vec<Expression>, Unprintable> {
        args.iter().map(|arg| self.operand(*arg)).collect()
    }

    fn arguments(
        &self,
        method: &MethodRef,
        receiver: Option<(VarId, &GenericType)>,
        constructed: Option<(VarId, &GenericType)>,
        args: &[VarId],
        operands: Vec<Expression>,
    ) -> Result<(Plan, Vec<String>), Unprintable> {
        let types: Vec<Static> = operands.iter().map(|operand| operand.ty.clone()).collect();
        let plan = call::plan(self.reach, method, receiver.map(|(_, ty)| ty), constructed.map(|(_, ty)| ty), &types)?;
        let parameters = method.parameters();
        let mut written = Vec::with_capacity(args.len());
        for (index, (operand, adapt)) in operands.iter().zip(&plan.arguments).enumerate() {
            let generic_local = |variable: VarId| {
                !self.inline[variable.index()]
                    && !self.raw.contains(&variable)
                    && !self.declared[variable.index()].arguments().is_empty()
            };
            let cast = |to: &JavaType| -> Result<String, Unprintable> {
                // `(Integer) -5` would be a subtraction.
                let text = if operand.text.starts_with('-') || operand.level == Level::Lambda {
                    format!("({})", operand.text)
                } else {
                    operand.text.clone()
                };
                Ok(format!("({}) {text}", self.type_name(to)?))
            };
            let text = match adapt {
                Adapt::Plain => operand.text.clone(),
                Adapt::Cast => cast(&parameters[index])?,
                Adapt::Raw => {
                    self.unchecked.set(true);
                    if generic_local(args[index]) {
                        self.wants_raw.borrow_mut().insert(args[index]);
                        operand.text.clone()
                    } else {
                        cast(&types[index].as_ref().map_or_else(|| parameters[index].clone(), |ty| ty.erase(&[])))?
                    }
                }
                Adapt::RawReceiver => {
                    self.unchecked.set(true);
                    match (receiver, constructed) {
                        (Some((variable, _)), _) if generic_local(variable) => {
                            self.wants_raw.borrow_mut().insert(variable);
                            operand.text.clone()
                        }
                        (Some(_), _) => return Err(Unprintable::Malformed(NEEDS_RAW_RECEIVER.into())),
                        (None, Some((variable, ty))) if !ty.arguments().is_empty() => {
                            self.wants_raw.borrow_mut().insert(variable);
                            operand.text.clone()
                        }
                        _ => cast(&parameters[index])?,
                    }
                }
            };
            written.push(text);
        }
        // An array written in place for the last parameter of a varargs member that is the only one of its name: its elements.
        if plan.varargs
            && plan.alone
            && let Some(last) = args.last()
            && self.inline[last.index()]
            && let StatementKind::Array { element, elements, .. } = self.kind(*last)
            && parameters.last() == Some(&JavaType::Array(Box::new(element.clone())))
            && plan.arguments.last() == Some(&Adapt::Plain)
            && (element.is_primitive() || elements.len() != 1 || !self.may_be_the_array(elements[0]))
            && !plan.inferred
        {
            written.pop();
            for element_variable in elements {
                written.push(self.cell(element, *element_variable)?);
            }
        }
        Ok((plan, written))
    }

    /// A single null or array in place of varargs would be taken for the array itself.
    fn may_be_the_array(&self, element: VarId) -> bool {
        matches!(self.kind(element), StatementKind::Literal(Literal::Null)) || !matches!(self.erased(element), JavaType::Class(_))
    }

    fn note_exceptions(&self, exceptions: &[ClassName]) {
        self.throws.borrow_mut().extend(exceptions.iter().cloned());
    }

    /// The field as it is read or written, and its type.
    fn field(&self, field: &FieldRef, receiver: Option<VarId>, write: bool) -> Result<(String, GenericType), Unprintable> {
        let program = self.reach.program();
        let found = program.resolve_field_ref(field).ok_or_else(|| Unprintable::Malformed(format!("{field} does not exist")))?;
        let access = found.field().access;
        if !self.reach.field(&found) || access.is_synthetic() || (write && access.is_final()) {
            return Err(Unprintable::InaccessibleMember(field.to_string()));
        }
        if !crate::oracle::is_identifier(&field.name) {
            return Err(Unprintable::NotAnIdentifier(field.name.to_string()));
        }
        let generic = &found.field().generic;
        let generic = if generic.variables().is_empty() && receiver.is_none() {
            generic.clone()
        } else {
            GenericType::of(&found.field().ty)
        };
        let Some(receiver) = receiver else {
            return Ok((format!("{}.{}", self.class_name(&field.owner)?, field.name), generic));
        };
        let on = self.operand(receiver)?;
        let ty = on.ty.as_ref().ok_or_else(|| Unprintable::Malformed("a field of null".into()))?.erase(&[]);
        let same = match &ty {
            JavaType::Class(class) => program
                .resolve_field(class, &field.name, &field.descriptor)
                .is_some_and(|reached| reached.class.name == found.class.name),
            _ => false,
        };
        if same {
            return Ok((format!("{}.{}", on.receiver(), field.name), generic));
        }
        Ok((format!("(({}) {}).{}", self.class_name(&field.owner)?, on.receiver(), field.name), generic))
    }

    fn array(&self, element: &JavaType, length: u32, elements: &[VarId]) -> Result<Expression, Unprintable> {
        let ty = Some(GenericType::Array(Box::new(GenericType::of(element))));
        let name = self.type_name(element)?;
        let all_zero = elements.iter().all(|element| is_zero(self.kind(*element)));
        let text = if length as usize == elements.len() && (!all_zero || length <= 3) && length > 0 {
            let cells: Result<Vec<String>, _> = elements.iter().map(|cell| self.cell(element, *cell)).collect();
            format!("new {name}[] {{{}}}", cells?.join(", "))
        } else {
            // `int[][]` of length 3 is written `new int[3][]`.
            let (base, dimensions) = name.find('[').map_or((&*name, ""), |at| name.split_at(at));
            format!("new {base}[{length}]{dimensions}")
        };
        Ok(Expression::primary(text, ty))
    }

    /// Cells whose values the array creation does not hold.
    fn later_cells<'b>(&self, length: u32, elements: &'b [VarId]) -> &'b [VarId] {
        if length as usize == elements.len() { &[] } else { elements }
    }

    fn cell(&self, element: &JavaType, variable: VarId) -> Result<String, Unprintable> {
        // In an array initialiser constants are narrowed and boxed by themselves (JLS §5.2, §10.6).
        match self.kind(variable) {
            StatementKind::Literal(Literal::Byte(value)) if *element == JavaType::Byte => Ok(value.to_string()),
            StatementKind::Literal(Literal::Short(value)) if *element == JavaType::Short => Ok(value.to_string()),
            StatementKind::Call { method, args, .. } if self.inline[variable.index()] && self.is_constant(variable) => {
                let plain =
                    matches!(element, JavaType::Class(class) if *class == method.owner || class.internal() == "java/lang/Object");
                if plain { Ok(self.operand(args[0])?.text) } else { Ok(self.operand(variable)?.text) }
            }
            _ => {
                let operand = self.operand(variable)?;
                let fits = operand.ty.as_ref().is_none_or(|ty| self.reach.program().is_subtype(&ty.erase(&[]), element));
                if fits { Ok(operand.text) } else { Ok(format!("({}) {}", self.type_name(element)?, operand.receiver())) }
            }
        }
    }

    fn stub(&self, variable: VarId, interface: &ClassName, answers: &[(MethodRef, VarId)]) -> Result<Expression, Unprintable> {
        let program = self.reach.program();
        let model = program.class(interface).ok_or_else(|| Unprintable::InaccessibleType(interface.to_string()))?;
        let name = self.class_name(interface)?;
        let declared = &self.declared[variable.index()];
        // An answer may be given for the erased method that a subinterface overrides; overloads are told apart by what they return.
        let answer = |method: &MethodRef| {
            let returns = method.return_type();
            let same = |answered: &MethodRef| answered.name == method.name && answered.descriptor == method.descriptor;
            let alike = |answered: &MethodRef, answer: VarId| {
                answered.name == method.name
                    && answered.parameters().len() == method.parameters().len()
                    && program.is_subtype(self.erased(answer), &returns)
            };
            let found = answers.iter().find(|(answered, _)| same(answered));
            found.or_else(|| answers.iter().find(|(answered, answer)| alike(answered, *answer))).map(|(_, answer)| *answer)
        };
        let abstract_methods = program.abstract_methods(interface);
        if let Some(function) = self.function(interface, &abstract_methods) {
            let method = function.method();
            if !self.reach.method(method) {
                return Err(Unprintable::InaccessibleMember(method.reference.to_string()));
            }
            let parameters = match method.parameters.len() {
                1 => "x".to_string(),
                count => {
                    let names: Vec<String> = (0..count)
                        .map(|index| ["x", "y", "z"].get(index).map_or(format!("x{index}"), |n| n.to_string()))
                        .collect();
                    format!("({})", names.join(", "))
                }
            };
            // What the lambda has to return: the declared type's view of the method, erased when that is raw.
            let returns = match program.as_super(declared, &function.class.name) {
                Some(instance) if !instance.arguments().is_empty() || function.class.signature.parameters.is_empty() => {
                    let bound = Substitution::of(&function.class.signature.parameters, instance.arguments());
                    method.signature.returns.substitute(&bound)
                }
                _ => GenericType::of(&method.returns),
            };
            let body = if method.returns == JavaType::Void {
                "{ }".to_string()
            } else {
                let (text, fits) = self.answered(answer(&method.reference), &method.returns, &returns)?;
                if fits || self.raw.contains(&variable) {
                    text
                } else if declared.arguments().is_empty() {
                    // The view cannot be erased: the answer's own type arguments are dropped, or it is cast to what is wanted.
                    self.unchecked.set(true);
                    format!("({}) {text}", self.type_name(&returns.erase(&[]))?)
                } else {
                    self.wants_raw.borrow_mut().insert(variable);
                    text
                }
            };
            return Ok(Expression {
                text: format!("{parameters} -> {body}"),
                level: Level::Lambda,
                ty: Some(declared.clone()),
                inferred: false,
            });
        }
        if !model.is_interface() {
            let constructor = model
                .method("<init>", "()V")
                .filter(|constructor| self.reach.method(constructor) || (constructor.access.is_protected()));
            if constructor.is_none() || model.access.is_final() {
                return Err(Unprintable::InaccessibleMember(format!("{interface}.<init>()V")));
            }
        }
        // An anonymous class of the raw type: its supertypes are erased too (JLS §4.8), else they are as declared.
        let raw = !model.signature.parameters.is_empty();
        if raw {
            self.unchecked.set(true);
        }
        let own = GenericType::class(interface.clone());
        let mut written = Vec::new();
        let mut seen = BTreeSet::new();
        for found in abstract_methods {
            let method = found.method();
            if !(self.reach.method(method) || method.access.is_protected()) {
                return Err(Unprintable::InaccessibleMember(method.reference.to_string()));
            }
            let instance =
                program.as_super(&own, &found.class.name).unwrap_or_else(|| GenericType::class(found.class.name.clone()));
            let generic = !raw && !instance.arguments().is_empty();
            let bound = Substitution::of(&found.class.signature.parameters, instance.arguments());
            let scope = &method.signature.parameters;
            let view =
                |ty: &GenericType, erased: &JavaType| if generic { ty.substitute(&bound).erase(scope) } else { erased.clone() };
            let parameters: Vec<JavaType> =
                method.signature.arguments.iter().zip(&method.parameters).map(|(ty, erased)| view(ty, erased)).collect();
            let returns = view(&method.signature.returns, &method.returns);
            if !seen.insert((method.name().to_string(), parameters.clone())) {
                continue;
            }
            let mut declared = Vec::new();
            for (index, parameter) in parameters.iter().enumerate() {
                declared.push(format!("{} x{index}", self.type_name(parameter)?));
            }
            let visibility = if method.access.is_public() {
                "public "
            } else if method.access.is_protected() {
                "protected "
            } else {
                ""
            };
            let body = if returns == JavaType::Void {
                String::new()
            } else {
                format!("\n    return {};\n", self.answered(answer(&method.reference), &returns, &GenericType::of(&returns))?.0)
            };
            let body = if body.is_empty() { "\n".to_string() } else { body };
            written.push(format!(
                "@{}\n{visibility}{} {}({}) {{{body}}}",
                mark(&ClassName::new("java/lang/Override")),
                self.type_name(&returns)?,
                method.name(),
                declared.join(", ")
            ));
        }
        let members: Vec<String> =
            written.iter().map(|member| member.lines().map(|line| format!("\n    {line}")).collect::<String>()).collect();
        let text =
            if members.is_empty() { format!("new {name}() {{ }}") } else { format!("new {name}() {{{}\n}}", members.join("\n")) };
        Ok(Expression::primary(text, Some(GenericType::class(interface.clone()))))
    }

    fn mock(&self, class: &ClassName) -> Result<Expression, Unprintable> {
        let model = self.reach.program().class(class).ok_or_else(|| Unprintable::InaccessibleType(class.to_string()))?;
        if !model.signature.parameters.is_empty() {
            self.unchecked.set(true);
        }
        self.mocking.borrow_mut().insert("org.mockito.Mockito.mock");
        let text = format!("mock({}.class)", self.class_name(class)?);
        Ok(Expression::primary(text, Some(GenericType::class(class.clone()))))
    }

    /// The line that makes a mock answer; none where it does so by itself.
    fn mocked_answer(
        &self,
        mock: &str,
        class: &ClassName,
        method: &MethodRef,
        answer: VarId,
    ) -> Result<Option<String>, Unprintable> {
        if is_zero(self.kind(answer)) && gives_zero(method) {
            return Ok(None);
        }
        let program = self.reach.program();
        let found = program.resolve(method).ok_or_else(|| Unprintable::Malformed(format!("{method} does not exist")))?;
        let model = found.method();
        let access = model.access;
        if !self.reach.method(model) || access.is_final() || access.is_static() || access.is_varargs() {
            return Err(Unprintable::InaccessibleMember(method.to_string()));
        }
        let mut family = program.superclass_chain(class);
        family.extend(program.all_interfaces(class).iter().filter_map(|interface| program.class(interface)));
        let overloaded = family.iter().flat_map(|class| &class.methods).any(|other| {
            other.name() == model.name()
                && other.parameters.len() == model.parameters.len()
                && other.parameters != model.parameters
                && !other.access.is_synthetic()
        });
        let matchers: Result<Vec<String>, Unprintable> = model
            .parameters
            .iter()
            .map(|parameter| {
                let (matcher, with_class) = matcher(parameter);
                self.mocking.borrow_mut().insert(with_class);
                Ok(match overloaded && parameter.is_reference() {
                    true => format!("({}) {matcher}()", self.type_name(parameter)?),
                    false => format!("{matcher}()"),
                })
            })
            .collect();
        let call = format!("{}({})", model.name(), matchers?.join(", "));
        let returns = &model.signature.returns;
        let plain = returns.arguments().is_empty() && returns.variables().is_empty();
        self.note_exceptions(&model.exceptions);
        let (value, _) = self.answered(Some(answer), &model.returns, &GenericType::of(&model.returns))?;
        let mut mocking = self.mocking.borrow_mut();
        if plain {
            mocking.insert("org.mockito.Mockito.when");
            Ok(Some(format!("when({mock}.{call}).thenReturn({value});")))
        } else {
            // Takes what javac cannot tell to be what the type arguments ask for.
            mocking.insert("org.mockito.Mockito.doReturn");
            Ok(Some(format!("doReturn({value}).when({mock}).{call};")))
        }
    }

    /// The method of a functional interface (JLS §9.8): what is left when a method and the erased one that it overrides count once. Generic
    /// methods have no lambda (JLS §15.27.3).
    fn function(&self, interface: &ClassName, methods: &[ResolvedMethod]) -> Option<ResolvedMethod> {
        let program = self.reach.program();
        let model = program.class(interface).filter(|model| model.is_interface())?;
        let own = model.generic_type();
        let mut signatures = BTreeSet::new();
        for found in methods {
            let instance = program.as_super(&own, &found.class.name)?;
            let bound = Substitution::of(&found.class.signature.parameters, instance.arguments());
            let method = found.method();
            let scope: Vec<_> = method.signature.parameters.iter().chain(&model.signature.parameters).cloned().collect();
            let parameters: Vec<JavaType> =
                method.signature.arguments.iter().map(|argument| argument.substitute(&bound).erase(&scope)).collect();
            signatures.insert((method.name().to_string(), parameters));
        }
        let first = methods.first()?;
        (signatures.len() == 1 && first.method().signature.parameters.is_empty()).then(|| first.clone())
    }

    /// The answer of a stubbed method, and whether it fits the generic return type.
    fn answered(&self, answer: Option<VarId>, erased: &JavaType, returns: &GenericType) -> Result<(String, bool), Unprintable> {
        let Some(answer) = answer else {
            let text = match erased {
                JavaType::Boolean => "false",
                JavaType::Class(_) | JavaType::Array(_) => "null",
                JavaType::Char => "'\\000'",
                JavaType::Long => "0L",
                JavaType::Float => "0.0F",
                JavaType::Double => "0.0",
                _ => "0",
            };
            return Ok((text.into(), true));
        };
        let operand = self.operand(answer)?;
        let Some(ty) = &operand.ty else { return Ok((operand.text, true)) };
        let found = ty.erase(&[]);
        let program = self.reach.program();
        if !program.is_subtype(&found, erased) {
            return Ok((format!("({}) {}", self.type_name(erased)?, operand.receiver()), false));
        }
        let fits = !matches!(returns, GenericType::Wildcard(_))
            && returns.variables().is_empty()
            && program.is_subtype(&found, &returns.erase(&[]))
            && (returns.arguments().is_empty() || returns == ty);
        Ok((operand.text, fits))
    }

    // ---- statements ----

    fn body(&mut self) -> Result<Body, Unprintable> {
        let count = self.live.len();
        let throwing = self.test.expected.as_ref().and(count.checked_sub(1));
        // (line, is an assertion)
        let mut lines: Vec<(String, bool)> = Vec::new();
        let mut placed: Vec<bool> = vec![false; self.test.assertions.len()];
        let mut flush_at = None;
        for index in 0..count {
            let variable = VarId(index as u32);
            if !self.live[index] || self.inline[index] {
                continue;
            }
            if Some(index) == throwing {
                self.expect_exception(variable, &mut lines)?;
                flush_at = Some(lines.len());
                continue;
            }
            // The assertion on the call itself, when nothing else uses the result.
            if self.uses(variable) == 0 && self.asserted(variable).count() == 1 && self.reads_well_inline(variable) {
                let expression = self.expression(variable)?;
                if !expression.inferred && expression.level == Level::Primary {
                    let position = self.test.assertions.iter().position(|assertion| assertion.subject == variable);
                    if let Some(position) = position {
                        let fact = &self.test.assertions[position].fact;
                        let line = self.assertion(fact, &expression, Some(variable))?;
                        lines.push((line, true));
                        placed[position] = true;
                        continue;
                    }
                }
            }
            self.statement(variable, &mut lines)?;
            flush_at = Some(lines.len());
        }
        let mut late = Vec::new();
        for (position, assertion) in self.test.assertions.iter().enumerate() {
            if !placed[position] {
                let subject = self.operand(assertion.subject)?;
                late.push((self.assertion(&assertion.fact, &subject, None)?, true));
            }
        }
        let at = flush_at.unwrap_or(lines.len());
        lines.splice(at..at, late);

        let mut printed: Vec<String> = Vec::new();
        let arranged = lines.iter().take_while(|(_, assertion)| !assertion).count();
        for (position, (line, _)) in lines.iter().enumerate() {
            if position == arranged && arranged >= 2 {
                printed.push(String::new());
            }
            printed.extend(wrapped(line).lines().map(String::from));
        }
        let program = self.reach.program();
        let throws = self.throws.borrow().iter().fold(None, |found: Option<ClassName>, class| {
            let is = |ancestor: &str| program.is_subclass(class, &ClassName::new(ancestor));
            match found {
                Some(found) if found.internal() == "java/lang/Throwable" => Some(found),
                found if is("java/lang/RuntimeException") || is("java/lang/Error") => found,
                _ if is("java/lang/Exception") => Some(ClassName::new("java/lang/Exception")),
                _ => Some(ClassName::new("java/lang/Throwable")),
            }
        });
        Ok(Body {
            lines: printed,
            throws,
            unchecked: self.unchecked.get(),
            assertions: std::mem::take(&mut self.assertions),
            mocking: self.mocking.take(),
        })
    }

    fn reads_well_inline(&self, variable: VarId) -> bool {
        matches!(self.kind(variable), StatementKind::Call { .. } | StatementKind::GetField { .. })
    }

    fn statement(&mut self, variable: VarId, lines: &mut Vec<(String, bool)>) -> Result<(), Unprintable> {
        let name = self.names[variable.index()].clone();
        match self.kind(variable) {
            StatementKind::PutField { field, receiver, value } => {
                lines.push((self.put_field(field, *receiver, *value)? + ";", false));
            }
            StatementKind::PutElement { array, index, value } => {
                lines.push((self.put_element(*array, *index, *value)? + ";", false));
            }
            kind => {
                let expression = self.expression(variable)?;
                let needed = self.uses(variable) > 0 || self.asserted(variable).count() > 0;
                let temporary = matches!(kind, StatementKind::Call { method, .. } if is_temporary(method));
                let alone = matches!(kind, StatementKind::Call { .. } | StatementKind::Construct { .. })
                    && expression.level == Level::Primary
                    && !temporary;
                if !needed && alone || name.is_empty() {
                    lines.push((format!("{};", expression.text), false));
                    return Ok(());
                }
                let declared = self.generic_name(&self.declared[variable.index()])?;
                lines.push((format!("{declared} {name} = {};", expression.text), false));
                if let StatementKind::Stub { interface, mocked: true, answers } = kind {
                    for (method, answer) in answers {
                        lines.extend(self.mocked_answer(&name, interface, method, *answer)?.map(|line| (line, false)));
                    }
                }
                if temporary {
                    lines.push((format!("{name}.toFile().deleteOnExit();"), false));
                }
                if let StatementKind::Array { element, length, elements } = kind {
                    for (index, cell) in self.later_cells(*length, elements).iter().enumerate() {
                        if !is_zero(self.kind(*cell)) {
                            lines.push((format!("{name}[{index}] = {};", self.cell(element, *cell)?), false));
                        }
                    }
                }
            }
        }
        Ok(())
    }

    fn put_field(&self, field: &FieldRef, receiver: Option<VarId>, value: VarId) -> Result<String, Unprintable> {
        let (place, _) = self.field(field, receiver, true)?;
        let ty = field.field_type();
        Ok(format!("{place} = {}", self.stored(value, &ty)?))
    }

    fn put_element(&self, array: VarId, index: u32, value: VarId) -> Result<String, Unprintable> {
        let on = self.operand(array)?;
        match on.ty.as_ref().map(|ty| ty.erase(&[])) {
            Some(JavaType::Array(element)) => Ok(format!("{}[{index}] = {}", on.receiver(), self.stored(value, &element)?)),
            _ => Err(Unprintable::Malformed(format!("{array} is no array"))),
        }
    }

    /// A value stored where the erased type is wanted. Type arguments are dropped by a cast: fields may want others.
    fn stored(&self, value: VarId, to: &JavaType) -> Result<String, Unprintable> {
        let operand = self.operand(value)?;
        let generic = operand.ty.as_ref().is_some_and(|ty| !ty.arguments().is_empty());
        let fits = operand.ty.as_ref().is_none_or(|ty| self.reach.program().is_subtype(&ty.erase(&[]), to));
        if fits && !generic {
            return Ok(operand.text);
        }
        if generic {
            self.unchecked.set(true);
        }
        Ok(format!("({}) {}", self.type_name(to)?, operand.receiver()))
    }

    fn expect_exception(&mut self, variable: VarId, lines: &mut Vec<(String, bool)>) -> Result<(), Unprintable> {
        let Some(expected) = &self.test.expected else { return Ok(()) };
        let class = self.class_name(&expected.class)?;
        // Inside the lambda nothing has to be declared.
        let declared_before = self.throws.borrow().clone();
        let action = match self.kind(variable) {
            StatementKind::PutField { field, receiver, value } => self.put_field(field, *receiver, *value)?,
            StatementKind::PutElement { array, index, value } => self.put_element(*array, *index, *value)?,
            kind => {
                let expression = self.expression(variable)?;
                match kind {
                    StatementKind::Call { .. } | StatementKind::Construct { .. } if expression.level == Level::Primary => {
                        expression.text
                    }
                    StatementKind::Call { .. } | StatementKind::GetField { .. } => {
                        let declared = self.generic_name(&self.declared[variable.index()])?;
                        format!("{{ {declared} value = {}; }}", expression.text)
                    }
                    _ => return Err(Unprintable::Malformed(format!("{variable} cannot throw"))),
                }
            }
        };
        *self.throws.borrow_mut() = declared_before;
        self.assertions.insert("assertThrows");
        let call = format!("assertThrows({class}.class, () -> {action})");
        match &expected.message {
            None => lines.push((format!("{call};"), true)),
            Some(message) => {
                self.assertions.insert("assertEquals");
                let message = literal::string(message, self.options.release)?;
                let name = self.free_name("exception");
                lines.push((format!("{class} {name} = {call};"), false));
                lines.push((format!("assertEquals({message}, {name}.getMessage());"), true));
            }
        }
        Ok(())
    }

    // ---- assertions ----

    fn assertion(&mut self, fact: &Fact, actual: &Expression, call: Option<VarId>) -> Result<String, Unprintable> {
        let ty = actual.ty.as_ref().map_or_else(|| JavaType::class("java/lang/Object"), |ty| ty.erase(&[]));
        let text = &actual.text;
        let (name, arguments) = match fact {
            Fact::Null => ("assertNull", text.clone()),
            Fact::NotNull => ("assertNotNull", text.clone()),
            Fact::SameAs(other) => ("assertSame", format!("{}, {text}", self.operand(*other)?.text)),
            Fact::InstanceOf(class) => {
                ("assertEquals", format!("{}.class, {}.getClass()", self.class_name(class)?, actual.receiver()))
            }
            Fact::Equals(value) => match (value, &ty) {
                (Snapshot::Boolean(outcome), _) if ty == JavaType::Boolean => self.truth(*outcome, text, call)?,
                (Snapshot::Boxed(inner), JavaType::Class(class)) if class.internal() == "java/lang/Boolean" => match **inner {
                    Snapshot::Boolean(true) => ("assertTrue", text.clone()),
                    _ => ("assertFalse", text.clone()),
                },
                (Snapshot::Double(bits), _) => {
                    let value = f64::from_bits(*bits);
                    let expected = literal::double(*bits);
                    ("assertEquals", format!("{expected}, {text}{}", self.delta(value, &expected)))
                }
                (Snapshot::Float(bits), _) => {
                    let value = f32::from_bits(*bits);
                    let expected = literal::float(*bits);
                    let delta = self.delta(f64::from(value), &expected);
                    let delta = if delta.is_empty() { delta } else { format!("{delta}F") };
                    ("assertEquals", format!("{expected}, {text}{delta}"))
                }
                (Snapshot::Array { element, length, elements: None }, _) => {
                    ("assertEquals", format!("{length}, {}.length", self.as_array(actual, &ty, element)?))
                }
                (Snapshot::Array { element, length: 0, .. }, _) => {
                    ("assertEquals", format!("0, {}.length", self.as_array(actual, &ty, element)?))
                }
                (Snapshot::Array { element, elements: Some(cells), .. }, _) => {
                    let written = match &ty {
                        JavaType::Array(declared) if declared.is_reference() => declared,
                        _ => element,
                    };
                    // An array of arrays may be seen as `Object[]`, its cells need their own types anyway.
                    let expected = self.array_value(written, cells)?;
                    let delta = match (self.options.junit, element) {
                        (JUnit::Four, JavaType::Double) => ", 0.0",
                        (JUnit::Four, JavaType::Float) => ", 0.0F",
                        _ => "",
                    };
                    ("assertArrayEquals", format!("{expected}, {}{delta}", self.as_array(actual, &ty, element)?))
                }
                (Snapshot::Boxed(inner), JavaType::Class(class)) if boxed_type(class).is_some() => {
                    ("assertEquals", format!("{}.valueOf({}), {text}", mark(class), self.value(inner)?))
                }
                (value, _) => ("assertEquals", format!("{}, {text}", self.value(value)?)),
            },
        };
        self.assertions.insert(name);
        Ok(format!("{name}({arguments});"))
    }

    /// `assertEquals(a, b)` says more than `assertTrue(a.equals(b))`, where `equals` itself is not what the test is about.
    fn truth(&self, outcome: bool, text: &str, call: Option<VarId>) -> Result<(&'static str, String), Unprintable> {
        if let Some(variable) = call
            && let StatementKind::Call { method, receiver: Some(receiver), args, .. } = self.kind(variable)
            && &*method.name == "equals"
            && &*method.descriptor == "(Ljava/lang/Object;)Z"
            && self.test.target.as_ref().is_some_and(|target| &*target.name != "equals")
        {
            let (receiver, argument) = (self.operand(*receiver)?, self.operand(args[0])?);
            let plain = |expression: &Expression| {
                expression.level == Level::Primary
                    && matches!(&expression.ty, Some(GenericType::Class { name, .. }) if boxed_type(name).is_none())
            };
            if plain(&receiver) && plain(&argument) {
                let name = if outcome { "assertEquals" } else { "assertNotEquals" };
                return Ok((name, format!("{}, {}", receiver.text, argument.text)));
            }
        }
        Ok((if outcome { "assertTrue" } else { "assertFalse" }, text.to_string()))
    }

    /// The third argument. Short decimals are exact (JUnit 5 compares bits then and refuses a delta of 0, JUnit 4 wants one); others get
    /// a billionth of their size, since mathematical functions may differ in the last place between JVMs.
    fn delta(&self, value: f64, written: &str) -> String {
        let digits = written.trim_end_matches('F').chars().filter(char::is_ascii_digit).count();
        if !value.is_finite() || value == 0.0 || digits <= 6 || value.abs() < 1e-290 {
            return match self.options.junit {
                JUnit::Five => String::new(),
                JUnit::Four => ", 0.0".into(),
            };
        }
        let precision = if written.ends_with('F') { 5 } else { 9 };
        let exponent = value.abs().log10().floor() as i32 - precision;
        format!(", 1.0E{exponent}")
    }

    /// The actual value as an array of the kind that the assertion wants.
    fn as_array(&self, actual: &Expression, ty: &JavaType, element: &JavaType) -> Result<String, Unprintable> {
        match ty {
            JavaType::Array(_) => Ok(actual.receiver()),
            _ => {
                let element = if element.is_primitive() || self.reach.ty(element) {
                    element.clone()
                } else {
                    JavaType::class("java/lang/Object")
                };
                Ok(format!("(({}) {})", mark_type(&JavaType::Array(Box::new(element))), actual.receiver()))
            }
        }
    }

    fn array_value(&self, element: &JavaType, cells: &[Snapshot]) -> Result<String, Unprintable> {
        let element = if self.reach.ty(element) { element.clone() } else { JavaType::class("java/lang/Object") };
        let mut written = Vec::new();
        for cell in cells {
            written.push(match (cell, &element) {
                (Snapshot::Byte(value), JavaType::Byte) => value.to_string(),
                (Snapshot::Short(value), JavaType::Short) => value.to_string(),
                (Snapshot::Array { element, elements: Some(cells), .. }, _) => self.array_value(element, cells)?,
                (Snapshot::Boxed(inner), JavaType::Class(class)) => match boxed_type(class) {
                    Some(_) if !matches!(**inner, Snapshot::Byte(_) | Snapshot::Short(_)) => self.value(inner)?,
                    _ if class.internal() == "java/lang/Object" => self.value(inner)?,
                    _ => self.value(cell)?,
                },
                _ => self.value(cell)?,
            });
        }
        Ok(format!("new {}[] {{{}}}", mark_type(&element), written.join(", ")))
    }

    /// A snapshot as an expression that equals it.
    fn value(&self, value: &Snapshot) -> Result<String, Unprintable> {
        if let Some(found) = crate::oracle::as_literal(value) {
            // The type matters to no reader of the text.
            return Ok(self.literal(&found, &JavaType::Void)?.text);
        }
        match value {
            Snapshot::Boxed(inner) => self.value(inner),
            Snapshot::Enum { class, constant } => {
                let program = self.reach.program();
                // A constant with a body is of a class of its own.
                let class = match program.class(class) {
                    Some(model) if !model.is_enum() => model.superclass.clone().unwrap_or_else(|| class.clone()),
                    _ => class.clone(),
                };
                Ok(format!("{}.{constant}", self.class_name(&class)?))
            }
            _ => Err(Unprintable::Malformed("a value that no literal states".into())),
        }
    }
}

const NEEDS_RAW_RECEIVER: &str = "the receiver has to be raw";

fn method_type(method: &MethodRef) -> JavaType {
    if &*method.name == "<init>" { JavaType::Class(method.owner.clone()) } else { method.return_type() }
}

/// Makes a file or folder that nothing but the test knows of: it has to delete it.
fn is_temporary(method: &MethodRef) -> bool {
    method.owner.internal() == "java/nio/file/Files" && matches!(&*method.name, "createTempFile" | "createTempDirectory")
}

fn is_written_or_received(kind: &StatementKind, variable: VarId) -> bool {
    match kind {
        StatementKind::PutElement { array, .. } => *array == variable,
        StatementKind::Call { receiver, .. } => *receiver == Some(variable),
        StatementKind::Stub { answers, .. } => answers.iter().any(|(_, answer)| *answer == variable),
        _ => false,
    }
}

fn is_zero(kind: &StatementKind) -> bool {
    matches!(
        kind,
        StatementKind::Literal(
            Literal::Null
                | Literal::Boolean(false)
                | Literal::Byte(0)
                | Literal::Char(0)
                | Literal::Short(0)
                | Literal::Int(0)
                | Literal::Long(0)
                | Literal::Float(0)
                | Literal::Double(0)
        )
    )
}

/// Whether a mock answers so with 0, false or null by itself.
fn gives_zero(method: &MethodRef) -> bool {
    match method.return_type() {
        JavaType::Class(class) => {
            let name = class.internal();
            let filled = name.starts_with("java/util/") || name.starts_with("java/time/") || name == "java/lang/Iterable";
            !filled && boxed_type(&class).is_none()
        }
        _ => &*method.name != "compareTo",
    }
}

/// What stands for any argument of the type, and where it is from.
fn matcher(parameter: &JavaType) -> (&'static str, &'static str) {
    let whole = match parameter {
        JavaType::Boolean => "org.mockito.ArgumentMatchers.anyBoolean",
        JavaType::Byte => "org.mockito.ArgumentMatchers.anyByte",
        JavaType::Char => "org.mockito.ArgumentMatchers.anyChar",
        JavaType::Short => "org.mockito.ArgumentMatchers.anyShort",
        JavaType::Int => "org.mockito.ArgumentMatchers.anyInt",
        JavaType::Long => "org.mockito.ArgumentMatchers.anyLong",
        JavaType::Float => "org.mockito.ArgumentMatchers.anyFloat",
        JavaType::Double => "org.mockito.ArgumentMatchers.anyDouble",
        JavaType::Class(_) | JavaType::Array(_) | JavaType::Void => "org.mockito.ArgumentMatchers.any",
    };
    (whole.rsplit('.').next().unwrap_or(whole), whole)
}

fn for_each_class(ty: &JavaType, visit: &mut impl FnMut(&ClassName)) {
    match ty {
        JavaType::Class(name) => visit(name),
        JavaType::Array(element) => for_each_class(element, visit),
        _ => {}
    }
}

/// The primitive type inside a box.
pub(crate) fn boxed_type(class: &ClassName) -> Option<JavaType> {
    Some(match class.internal() {
        "java/lang/Boolean" => JavaType::Boolean,
        "java/lang/Byte" => JavaType::Byte,
        "java/lang/Character" => JavaType::Char,
        "java/lang/Short" => JavaType::Short,
        "java/lang/Integer" => JavaType::Int,
        "java/lang/Long" => JavaType::Long,
        "java/lang/Float" => JavaType::Float,
        "java/lang/Double" => JavaType::Double,
        _ => return None,
    })
}

/// The class `T` in the type `Class<T>` of a primitive's class literal (JLS §15.8.2).
fn boxing_class(ty: &JavaType) -> Option<&'static str> {
    Some(match ty {
        JavaType::Void => "java/lang/Void",
        JavaType::Boolean => "java/lang/Boolean",
        JavaType::Byte => "java/lang/Byte",
        JavaType::Char => "java/lang/Character",
        JavaType::Short => "java/lang/Short",
        JavaType::Int => "java/lang/Integer",
        JavaType::Long => "java/lang/Long",
        JavaType::Float => "java/lang/Float",
        JavaType::Double => "java/lang/Double",
        JavaType::Class(_) | JavaType::Array(_) => return None,
    })
}

/// A line that would be too wide is broken behind `=` or before the lambda.
fn wrapped(line: &str) -> String {
    const WIDTH: usize = 112;
    // Marked names become simple ones: `{\u{1}java/util/List\u{2}` is four characters.
    let visible = |text: &str| {
        text.split('\u{1}')
            .enumerate()
            .map(|(index, part)| match part.split_once('\u{2}') {
                Some((name, rest)) if index > 0 => name.rsplit('/').next().unwrap_or_default().len() + rest.len(),
                _ => part.len(),
            })
            .sum::<usize>()
    };
    if line.contains('\n') || visible(line) <= WIDTH {
        return line.to_string();
    }
    let Some(throws) = line.find("assertThrows(") else { return line.to_string() };
    let broken = match line[..throws].strip_suffix(" = ") {
        Some(declared) => format!("{declared} =\n        {}", &line[throws..]),
        None => line.to_string(),
    };
    let widest = broken.lines().map(visible).max().unwrap_or_default();
    if widest <= WIDTH { broken } else { broken.replacen(", () -> ", ",\n                () -> ", 1) }
}

/// What a JDK class is, however it is made.
const JDK_ROLES: &[&str] =
    &["List", "Map", "Set", "Queue", "Deque", "Reader", "Writer", "InputStream", "OutputStream", "Exception"];

/// A variable named after its type.
fn type_role(ty: &JavaType) -> String {
    match ty {
        JavaType::Array(element) => {
            let element = type_role(element);
            if element.ends_with('s') { format!("{element}Array") } else { format!("{element}s") }
        }
        JavaType::Class(name) => {
            let simple = name.local_name().rsplit('$').next().unwrap_or_default();
            let lowered = match simple {
                "String" => "text".into(),
                "Class" => "type".into(),
                "Object" => "object".into(),
                "StringBuilder" | "StringBuffer" => "builder".into(),
                other => match JDK_ROLES.iter().find(|role| name.internal().starts_with("java/") && other.ends_with(*role)) {
                    Some(role) => camel(role),
                    None => camel(other),
                },
            };
            match lowered.as_str() {
                "" => "object".into(),
                word if is_reserved(word) => format!("{word}Value"),
                word if word.starts_with(|first: char| first.is_ascii_digit()) => "object".into(),
                _ => lowered,
            }
        }
        JavaType::Boolean => "flag".into(),
        JavaType::Byte => "number".into(),
        JavaType::Char => "character".into(),
        JavaType::Void => "nothing".into(),
        _ => "number".into(),
    }
}
