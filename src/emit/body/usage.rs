//! Decides which statements of a test are written, and where. In: an asserted test; out: for each
//! variable whether its statement is live, and whether its expression stands inline where the value
//! is used. Must not know Java text or generic types.

use crate::oracle::{ArgumentFact, AssertedTest, Assertion, FIELD_ERROR_OF, Fact};
use crate::program::{JavaType, MethodRef, Program};
use crate::testcase::{Answer, Literal, StatementKind, StubKind, VarId};

use super::fixture::FixtureVariables;

/// A string with this many UTF-16 units that is used twice gets a variable.
const LONG_STRING: usize = 16;
/// Longest names of class and method together, in characters, of a call that stands inside another
/// call.
const NESTED_WIDTH: usize = 48;
/// Longest array that stands inline.
const INLINE_CELLS: usize = 8;
/// Most columns of a chain of calls on a builder.
const CHAIN_WIDTH: usize = 72;
/// Most columns of a call inside another one, and of both together, where the inner one has many arguments.
const INNER_WIDTH: usize = 64;
const OUTER_WIDTH: usize = 92;
/// Most arguments of a call that stands inside another one whatever their width is, and most of one that does at all.
const FEW_NESTED: usize = 2;
const MOST_NESTED: usize = 4;
/// Longest array of literals inside a call that stands inside another one.
const NESTED_CELLS: usize = 4;
/// Most arguments of the construction that stands in front of a call on its object.
const MOST_ARGUMENTS_OF_RECEIVER: usize = 2;
/// Columns of an argument that is no literal.
const ARGUMENT_WIDTH: usize = 12;
/// A container with more elements does not stand inside the answer of a mock.
const MOST_CONTAINED: usize = 3;

/// Liveness and inlining of the statements of one test.
#[derive(Debug)]
pub(super) struct Usage<'a> {
    program: &'a Program,
    test: &'a AssertedTest,
    fixture: Option<&'a FixtureVariables>,
    live: Vec<bool>,
    inline: Vec<bool>,
}

impl<'a> Usage<'a> {
    /// Finds out how a test uses its variables. `fixture`: those that are fields of the test class.
    pub(super) fn of(program: &'a Program, test: &'a AssertedTest, fixture: Option<&'a FixtureVariables>) -> Usage<'a> {
        let inline = vec![false; test.test.len()];
        let mut usage = Usage { program, test, fixture, live: live_statements(test, fixture), inline };
        usage.inline_values();
        usage.inline_nested_calls(&|_, _| true);
        usage.inline_receivers();
        // What stands between such an argument and its call has moved into the call.
        usage.inline_nested_calls(&|usage, operand| usage.is_made_of_literals(operand));
        usage
    }

    /// Number of statements of the test, dead ones included.
    pub(super) fn len(&self) -> usize {
        self.live.len()
    }

    /// Index of the statement whose exception the test expects.
    pub(super) fn throwing(&self) -> Option<usize> {
        self.test.expected.as_ref()?;
        self.len().checked_sub(1 + self.test.undoing as usize)
    }

    /// The program that the test uses.
    pub(super) fn program(&self) -> &'a Program {
        self.program
    }

    /// The test.
    pub(super) fn test(&self) -> &'a AssertedTest {
        self.test
    }

    /// Whether the statement has to be written.
    pub(super) fn is_live(&self, variable: VarId) -> bool {
        self.live[variable.index()]
    }

    /// Whether the statement's expression stands where its value is used.
    pub(super) fn is_inline(&self, variable: VarId) -> bool {
        self.inline[variable.index()]
    }

    /// The statement that defines the variable.
    pub(super) fn kind(&self, variable: VarId) -> &'a StatementKind {
        &self.test.test.statement(variable).kind
    }

    /// The erased type of the variable.
    pub(super) fn erased(&self, variable: VarId) -> &'a JavaType {
        self.test.test.type_of(variable)
    }

    /// The live statements in order.
    pub(super) fn live(&self) -> impl Iterator<Item = VarId> {
        (0..self.len() as u32).map(VarId).filter(|variable| self.is_live(*variable))
    }

    /// The assertions whose subject is the variable.
    pub(super) fn assertions_of(&self, variable: VarId) -> impl Iterator<Item = &'a Assertion> + use<'a> {
        self.test.assertions.iter().filter(move |assertion| assertion.subject == variable)
    }

    /// Whether an assertion has the variable as its subject.
    pub(super) fn is_asserted(&self, variable: VarId) -> bool {
        self.assertions_of(variable).next().is_some()
    }

    /// Uses by live statements, and mentions in assertions as the other object.
    pub(super) fn uses(&self, variable: VarId) -> usize {
        let mut uses = 0;
        for user in self.live() {
            self.kind(user).for_each_use(|used| uses += usize::from(used == variable));
        }
        uses + self
            .test
            .assertions
            .iter()
            .flat_map(|assertion| mentions(&assertion.fact))
            .filter(|used| *used == variable)
            .count()
    }

    /// Whether the value is the same wherever and whenever its expression is evaluated: literals,
    /// constants, boxed literals.
    pub(super) fn is_constant(&self, variable: VarId) -> bool {
        match self.kind(variable) {
            StatementKind::Literal(_) => true,
            StatementKind::GetField { field, receiver: None } => {
                self.program.resolve_field_ref(field).is_some_and(|found| found.field().access.is_final())
            }
            StatementKind::Call { method, receiver: None, args, .. } => {
                &*method.name == "valueOf"
                    && JavaType::unboxed(&method.owner).is_some_and(|primitive| method.parameters() == [primitive])
                    && args.iter().all(|arg| matches!(self.kind(*arg), StatementKind::Literal(_)))
            }
            _ => false,
        }
    }

    /// Names of the fields that a subclass of the type inherits.
    pub(super) fn inherited_fields(&self, ty: &JavaType) -> Vec<String> {
        let JavaType::Class(class) = ty else { return Vec::new() };
        let mut family = self.program.superclass_chain(class);
        family.extend(self.program.all_interfaces(class).iter().filter_map(|interface| self.program.class(interface)));
        let inherited = family.iter().flat_map(|class| &class.fields).filter(|field| !field.access.is_private());
        inherited.map(|field| field.reference.name.to_string()).collect()
    }

    /// Whether the variable is a field of the test class.
    fn is_field(&self, variable: VarId) -> bool {
        self.fixture.is_some_and(|fixture| fixture.name(variable).is_some())
    }

    fn inline_values(&mut self) {
        for index in 0..self.len() {
            let variable = VarId(index as u32);
            if !self.live[index] || self.is_field(variable) {
                continue;
            }
            let uses = self.uses(variable);
            let asserted = self.is_asserted(variable);
            self.inline[index] = match self.kind(variable) {
                StatementKind::Literal(Literal::Str(units)) => units.len() < LONG_STRING || uses < 2,
                StatementKind::Literal(_) => true,
                StatementKind::GetField { .. } if self.is_constant(variable) => uses > 0 || asserted,
                // Two boxes of a number outside the cache are two objects (JLS §5.1.7).
                StatementKind::Call { .. } if self.is_constant(variable) => {
                    (uses == 1 || self.is_cached_box(variable)) && !asserted
                }
                StatementKind::Array { length, elements, .. } => {
                    uses == 1
                        && !asserted
                        && (elements.is_empty() || *length as usize == elements.len())
                        && elements.len() <= INLINE_CELLS
                        && !self.live().any(|user| is_written_or_received(self.kind(user), variable))
                }
                _ => false,
            };
        }
    }

    /// Whether the value is a box that the JVM has one of, and no assertion compares another object with it.
    fn is_cached_box(&self, variable: VarId) -> bool {
        self.test.test.literal_of_cached_box(variable).is_some()
            && !self.test.assertions.iter().any(|assertion| mentions(&assertion.fact).contains(&variable))
    }

    /// Inlines constructions and calls into the directly following statement, in the order of
    /// evaluation, and containers into the answers of a mock. A container of variables need not stand
    /// directly in front of the mock.
    fn inline_nested_calls(&mut self, is_wanted: &dyn Fn(&Usage<'_>, VarId) -> bool) {
        let throwing = self.throwing();
        // Assertions stand between the test and the statements that undo it.
        for index in 0..self.len() - self.test.undoing as usize {
            if !self.live[index] || self.inline[index] || Some(index) == throwing {
                continue;
            }
            let (operands, is_answered) = match self.kind(VarId(index as u32)) {
                StatementKind::Construct { args, .. } | StatementKind::Call { args, .. } => (args.clone(), false),
                StatementKind::Stub { kind: StubKind::Mock, answers, .. } => {
                    let outcomes = answers.iter().flat_map(|answer| &answer.outcomes);
                    (outcomes.map(|outcome| outcome.variable()).collect(), true)
                }
                _ => continue,
            };
            for operand in operands.into_iter().rev() {
                if self.is_inline(operand) {
                    continue;
                }
                if !is_wanted(self, operand) {
                    break;
                }
                if is_answered && self.is_short_container(operand) && self.holds_variables(operand) {
                    self.inline[operand.index()] = true;
                    continue;
                }
                let before = (0..index).rev().find(|at| self.live[*at] && !self.inline[*at]);
                let may_stand = match is_answered {
                    true => self.is_short_container(operand),
                    false => {
                        let user = VarId(index as u32);
                        self.may_nest(operand, user) || self.is_new_collection_for(operand, user)
                    }
                };
                if before != Some(operand.index()) || !may_stand {
                    break;
                }
                self.inline[operand.index()] = true;
            }
        }
    }

    /// Inlines builders, and objects that the test needs for one call alone, into the call on them that follows, as
    /// long as it fits into one line.
    fn inline_receivers(&mut self) {
        let throwing = self.throwing();
        for index in 0..self.len() - self.test.undoing as usize {
            let user = VarId(index as u32);
            let StatementKind::Call { receiver: Some(builder), args, .. } = self.kind(user) else { continue };
            let is_read_alone = |at: usize| matches!(self.kind(VarId(at as u32)), StatementKind::Literal(_)) || !self.live[at];
            let stands_between = |at: usize| self.inline[at] && args.contains(&VarId(at as u32));
            let is_next = (builder.index() + 1..index).all(|at| is_read_alone(at) || stands_between(at));
            let is_chained = self.live[index]
                && !self.inline[builder.index()]
                && Some(builder.index()) != throwing
                && is_next
                && (self.is_builder_for_one_call(*builder)
                    || Some(index) != throwing && self.is_object_for_one_call(*builder, user)
                    || self.is_result_for_one_inspector(*builder, user))
                && self.chain_width(user, *builder) <= CHAIN_WIDTH;
            if is_chained {
                self.inline[builder.index()] = true;
            }
        }
        self.inline_undone_objects();
    }

    /// Inlines what a static call gives into the call behind it that undoes what the test did.
    fn inline_undone_objects(&mut self) {
        for index in (self.len() - self.test.undoing as usize..self.len()).skip(1) {
            let StatementKind::Call { receiver: Some(object), args, .. } = self.kind(VarId(index as u32)) else { continue };
            let StatementKind::Call { method, receiver: None, .. } = self.kind(*object) else { continue };
            let is_next = object.index() + 1 == index && args.is_empty();
            let is_inferred = self.program.resolve(method).is_none_or(|found| !found.method().signature.parameters.is_empty());
            let is_of_type = !is_inferred && *self.erased(*object) == result_type(method);
            if is_next && is_of_type && self.is_for_one_use(*object) {
                self.inline[object.index()] = true;
            }
        }
    }

    /// Whether a plain call makes the builder, whose only use is a call on it.
    fn is_builder_for_one_call(&self, variable: VarId) -> bool {
        let method = match self.kind(variable) {
            StatementKind::Construct { constructor, .. } => constructor,
            StatementKind::Call { method, .. } => method,
            _ => return false,
        };
        let is_builder = matches!(self.erased(variable), JavaType::Class(class) if class.is_builder())
            && !self.is_generic_call(method)
            && *self.erased(variable) == result_type(method);
        (is_builder || gives_field_error(method)) && self.test.target.as_ref() != Some(method) && self.is_for_one_use(variable)
    }

    /// Whether one statement uses the local variable, and nothing else does.
    fn is_for_one_use(&self, variable: VarId) -> bool {
        !self.is_field(variable) && self.uses(variable) == 1 && !self.is_asserted(variable)
    }

    /// Whether the method that makes the variable is not what the test is about, and gives its type without inference.
    fn is_plainly_made(&self, variable: VarId, method: &MethodRef) -> bool {
        !self.is_generic_call(method)
            && self.test.target.as_ref() != Some(method)
            && *self.erased(variable) == result_type(method)
    }

    /// Whether a plain call with literals makes the object, whose only use is a call on it that an assertion is about.
    fn is_object_for_one_call(&self, variable: VarId, user: VarId) -> bool {
        let (method, args) = match self.kind(variable) {
            StatementKind::Construct { constructor, args } => (constructor, args),
            StatementKind::Call { method, receiver: None, args, .. } => (method, args),
            _ => return false,
        };
        self.is_plainly_made(variable, method)
            && self.is_for_one_use(variable)
            && self.is_asserted(user)
            && args.len() <= MOST_ARGUMENTS_OF_RECEIVER
            && args.iter().all(|arg| self.is_inline(*arg) && matches!(self.kind(*arg), StatementKind::Literal(_)))
    }

    /// Whether the call under test makes the object, on a variable or a class, and all that the test asserts of it is
    /// the result of one call without arguments.
    fn is_result_for_one_inspector(&self, variable: VarId, inspector: VarId) -> bool {
        let StatementKind::Call { method, receiver, .. } = self.kind(variable) else { return false };
        let StatementKind::Call { args: of_inspector, .. } = self.kind(inspector) else { return false };
        let is_of_result = inspector.0 >= self.test.acted && of_inspector.is_empty() && self.is_asserted(inspector);
        is_of_result
            && self.test.target.as_ref() == Some(method)
            && *self.erased(variable) == result_type(method)
            && self.is_for_one_use(variable)
            && receiver.is_none_or(|receiver| !self.is_inline(receiver))
            && self.program.resolve(method).is_some_and(|found| found.method().signature.parameters.is_empty())
    }

    /// About the columns of the expression of a call, and of those before it in its chain.
    /// The expression of `builder` counts, although it is not inline yet.
    fn chain_width(&self, variable: VarId, builder: VarId) -> usize {
        let (method, receiver, args) = match self.kind(variable) {
            StatementKind::Construct { constructor, args } => (constructor, None, args),
            StatementKind::Call { method, receiver, args, .. } => (method, *receiver, args),
            _ => return ARGUMENT_WIDTH,
        };
        let before = match receiver {
            Some(receiver) if receiver == builder || self.is_inline(receiver) => self.chain_width(receiver, builder),
            Some(_) => ARGUMENT_WIDTH,
            None => method.owner.local_name().len(),
        };
        let width = |argument: &VarId| match self.kind(*argument) {
            StatementKind::Literal(Literal::Str(units)) => units.len() + 4,
            StatementKind::Literal(_) => 6,
            _ => ARGUMENT_WIDTH,
        };
        before + method.name.len() + 3 + args.iter().map(width).sum::<usize>()
    }

    /// Whether a short call of the JDK makes a container of what the test has, which only one answer
    /// returns. Mockito does not notice it between `when` and `thenReturn`.
    fn is_short_container(&self, variable: VarId) -> bool {
        let StatementKind::Call { method, receiver: None, args, .. } = self.kind(variable) else { return false };
        let makes_container = matches!(
            method.owner.internal(),
            "java/util/Optional"
                | "java/util/List"
                | "java/util/Set"
                | "java/util/Map"
                | "java/util/Arrays"
                | "java/util/Collections"
        );
        let is_short = |arg: &VarId| match self.kind(*arg) {
            StatementKind::Array { elements, .. } => elements.len() <= MOST_CONTAINED,
            StatementKind::Construct { .. } => true,
            _ => !self.is_inline(*arg) || self.is_constant(*arg),
        };
        makes_container && args.len() <= MOST_CONTAINED && args.iter().all(is_short) && self.is_for_one_use(variable)
    }

    /// Whether the container holds variables and constants alone, so that it may be made later as well.
    fn holds_variables(&self, container: VarId) -> bool {
        let StatementKind::Call { args, .. } = self.kind(container) else { return false };
        let is_fixed = |value: &VarId| !self.is_inline(*value) || self.is_constant(*value);
        args.iter().all(|arg| match self.kind(*arg) {
            StatementKind::Array { elements, .. } => elements.iter().all(is_fixed),
            _ => is_fixed(arg),
        })
    }

    /// Whether the variable is an empty collection of the JDK that only this call gets, and no overload
    /// takes it as well, so that javac infers the element type for the called method.
    fn is_new_collection_for(&self, variable: VarId, user: VarId) -> bool {
        let StatementKind::Construct { constructor, args } = self.kind(variable) else { return false };
        let (called, given) = match self.kind(user) {
            StatementKind::Construct { constructor, args } => (constructor, args),
            StatementKind::Call { method, args, .. } => (method, args),
            _ => return false,
        };
        let is_collection = constructor.owner.package() == "java/util"
            && ["List", "Set", "Map"].iter().any(|kind| constructor.owner.local_name().ends_with(kind));
        args.is_empty()
            && is_collection
            && self.is_for_one_use(variable)
            && given
                .iter()
                .position(|arg| *arg == variable)
                .is_some_and(|position| self.is_alone_with(called, position, variable))
    }

    /// Whether no other overload with as many parameters takes the variable at this position, or each that does takes
    /// more general types at all positions (JLS §15.12.2.5).
    fn is_alone_with(&self, called: &MethodRef, position: usize, variable: VarId) -> bool {
        let parameters = called.parameters();
        let takes_variable = |other: &JavaType| self.program.is_subtype(self.erased(variable), other);
        self.program.class(&called.owner).is_some_and(|class| {
            class.methods.iter().filter(|method| method.reference.name == called.name).all(|method| {
                let others = method.reference.parameters();
                let is_more_general = |(own, other)| self.program.is_subtype(own, other);
                others.len() != parameters.len()
                    || !others.get(position).is_some_and(takes_variable)
                    || parameters.iter().zip(&others).all(is_more_general)
            })
        })
    }

    /// Whether type arguments belong to the class, the method or its result.
    fn is_generic_call(&self, method: &MethodRef) -> bool {
        self.program.class(&method.owner).is_none_or(|class| !class.signature.parameters.is_empty())
            || self.program.resolve(method).is_none_or(|found| {
                let signature = &found.method().signature;
                !(signature.parameters.is_empty()
                    && signature.returns.arguments().is_empty()
                    && signature.returns.variables().is_empty())
            })
    }

    /// Whether a constructor or a static method makes the value, from literals alone.
    fn is_made_of_literals(&self, variable: VarId) -> bool {
        let (StatementKind::Construct { args, .. } | StatementKind::Call { receiver: None, args, .. }) = self.kind(variable)
        else {
            return false;
        };
        args.iter().all(|arg| matches!(self.kind(*arg), StatementKind::Literal(_)))
    }

    fn is_short_array_of_literals(&self, variable: VarId) -> bool {
        let is_literal = |cell: &VarId| matches!(self.kind(*cell), StatementKind::Literal(_));
        match self.kind(variable) {
            StatementKind::Array { elements, .. } => elements.len() <= NESTED_CELLS && elements.iter().all(is_literal),
            _ => false,
        }
    }

    /// Whether the call is short and plain enough to stand inside the other one, where javac infers
    /// nothing for it.
    fn may_nest(&self, variable: VarId, user: VarId) -> bool {
        let (method, args) = match self.kind(variable) {
            StatementKind::Construct { constructor, args } => (constructor, args),
            StatementKind::Call { method, args, .. } => (method, args),
            _ => return false,
        };
        let is_new = matches!(self.kind(variable), StatementKind::Construct { .. });
        let is_inner_call = |arg: &VarId| {
            let is_plain = self.is_constant(*arg) || is_new && self.is_short_array_of_literals(*arg);
            self.is_inline(*arg) && !is_plain
        };
        let has_inner_call = args.iter().any(is_inner_call);
        let inner = self.chain_width(variable, variable);
        let fits = || inner <= INNER_WIDTH && self.chain_width(user, user) + inner <= OUTER_WIDTH;
        self.is_plainly_made(variable, method)
            && self.is_for_one_use(variable)
            && !has_inner_call
            && !creates_temporary_file(method)
            && (args.len() <= FEW_NESTED || args.len() <= MOST_NESTED && fits())
            && method.owner.local_name().len() + method.name.len() < NESTED_WIDTH
            && args.iter().all(|arg| match self.kind(*arg) {
                StatementKind::Literal(Literal::Str(units)) => units.len() < LONG_STRING,
                _ => true,
            })
    }
}

/// The other variables of an assertion.
fn mentions(fact: &Fact) -> Vec<VarId> {
    match fact {
        Fact::SameAs(other) => vec![*other],
        Fact::Called { arguments, .. } => {
            let variable =
                |argument: &ArgumentFact| if let ArgumentFact::Is(variable) = argument { Some(*variable) } else { None };
            arguments.iter().filter_map(variable).collect()
        }
        _ => Vec::new(),
    }
}

/// Statements with effects, subjects of assertions, and everything that these use. What makes the fields
/// of the test class is not among them, but the answers of mocks are.
fn live_statements(test: &AssertedTest, fixture: Option<&FixtureVariables>) -> Vec<bool> {
    let mut live = vec![false; test.test.len()];
    for assertion in &test.assertions {
        live[assertion.subject.index()] = true;
        for other in mentions(&assertion.fact) {
            live[other.index()] = true;
        }
    }
    for index in (0..live.len()).rev() {
        let kind = &test.test.statements[index].kind;
        let is_last_read = matches!(kind, StatementKind::GetField { .. }) && index + 1 == live.len();
        let variable = VarId(index as u32);
        let is_hidden = fixture.is_some_and(|fixture| fixture.hides(variable));
        let is_field = fixture.is_some_and(|fixture| fixture.name(variable).is_some());
        let answers = is_field && matches!(kind, StatementKind::Stub { answers, .. } if !answers.is_empty());
        live[index] |= (kind.has_effect() && !is_hidden) || is_last_read || answers;
        if live[index] && !(is_hidden && is_field) {
            kind.for_each_use(|used| live[used.index()] = true);
        }
    }
    live
}

/// Whether the call makes a file or folder that only the test knows, so that the test has to delete
/// it.
pub(super) fn creates_temporary_file(method: &MethodRef) -> bool {
    method.owner.internal() == "java/nio/file/Files" && matches!(&*method.name, "createTempFile" | "createTempDirectory")
}

/// The type of a call or, of a constructor, the created class.
fn result_type(method: &MethodRef) -> JavaType {
    if &*method.name == "<init>" { JavaType::Class(method.owner.clone()) } else { method.return_type() }
}

/// Whether the statement writes a cell of the variable, calls a method on it, or makes a stub
/// return it.
fn is_written_or_received(kind: &StatementKind, variable: VarId) -> bool {
    match kind {
        StatementKind::PutElement { array, .. } => *array == variable,
        StatementKind::Call { receiver, .. } => *receiver == Some(variable),
        StatementKind::Stub { answers, .. } => answers.iter().flat_map(Answer::uses).any(|used| used == variable),
        _ => false,
    }
}

/// Whether the call gives the error that a validator of Spring reported for a field.
fn gives_field_error(method: &MethodRef) -> bool {
    &*method.name == FIELD_ERROR_OF && method.owner.internal() == "org/springframework/validation/Errors"
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::emit::tests::sample_program;

    /// The statements of the test that are live, and those that are inline.
    fn usage_of(text: &str) -> (Vec<u32>, Vec<u32>) {
        let (program, test) = (sample_program(), text.parse().expect("well-formed"));
        let usage = Usage::of(&program, &test, None);
        let inline = usage.live().filter(|variable| usage.is_inline(*variable)).map(|variable| variable.0).collect();
        (usage.live().map(|variable| variable.0).collect(), inline)
    }

    #[test]
    fn effects_assertions_and_their_operands_are_live() {
        let text = "v0: I = int 1\nv1: I = int 2\nv2: I = call method p/Calls.size (I)I (v1)\n\
                    v3: Lp/Box; = stub p/Box ()\n";
        assert_eq!(usage_of(text), (vec![1, 2], vec![1]));
        assert_eq!(usage_of(&format!("{text}assert v3 not-null\n")).0, [1, 2, 3]);
    }

    #[test]
    fn a_long_string_that_is_used_twice_is_not_inline() {
        let call = |string: u32| format!("V = call method p/Calls.take (Ljava/lang/String;)V (v{string})\n");
        let text = |value: &str| format!("v0: Ljava/lang/String; = string \"{value}\"\nv1: {}v2: {}", call(0), call(0));
        assert_eq!(usage_of(&text("short")).1, [0]);
        assert_eq!(usage_of(&text("more than sixteen units")).1, [0; 0]);
    }

    #[test]
    fn a_short_container_is_inline_in_the_answer_of_a_mock() {
        let text = |between: &str, method: &str| {
            format!(
                "v0: Lp/Box; = new p/Box.<init> ()V ()\nv1: Ljava/util/Optional; = call method {method} (v0)\n\
                 v2: {between}v3: Lp/Boxes; = mock p/Boxes (p/Boxes.find ()Ljava/util/Optional; v1)\n\
                 v4: V = call method p/Calls.take (Lp/Boxes;)V (v3)\n"
            )
        };
        let optional = "java/util/Optional.of (Ljava/lang/Object;)Ljava/util/Optional;";
        let literal = "I = int 2\n";
        assert_eq!(usage_of(&text(literal, optional)).1, [1]);
        assert_eq!(usage_of(&text("V = call method p/Calls.take (Lp/Box;)V (v0)\n", optional)).1, [1]);
        assert_eq!(usage_of(&text(literal, "p/Calls.box (Lp/Box;)Ljava/util/Optional;")).1, [0; 0]);
    }

    #[test]
    fn an_error_that_is_read_once_is_inline() {
        const ERRORS: &str = "org/springframework/validation/Errors";
        const ERROR: &str = "org/springframework/validation/FieldError";
        let text = format!(
            "acted 1\nv0: L{ERRORS}; = call method p/Calls.errors ()L{ERRORS}; ()\nv1: Ljava/lang/String; = string \"name\"\n\
             v2: L{ERROR}; = call interface-method {ERRORS}.getFieldError (Ljava/lang/String;)L{ERROR}; on v0 (v1)\n\
             v3: Ljava/lang/String; = call method {ERROR}.getCode ()Ljava/lang/String; on v2 ()\nassert v3 equals string \"a\"\n"
        );
        assert_eq!(usage_of(&text).1, [1, 2]);
    }

    #[test]
    fn an_object_for_one_call_is_inline_where_the_result_is_asserted() {
        let text = "v0: Lp/Form; = new p/Form.<init> ()V ()\nv1: I = call method p/Form.count ()I on v0 ()\n";
        let result = "assert v1 equals int 1\n";
        assert_eq!(usage_of(&format!("{text}{result}")).1, [0]);
        assert_eq!(usage_of(text).1, [0; 0], "nothing is asserted");
        assert_eq!(usage_of(&format!("{text}{result}assert v0 not-null\n")).1, [0; 0], "the object is asserted as well");
        assert_eq!(usage_of(&format!("target p/Form.<init> ()V\n{text}{result}")).1, [0; 0], "the test is about it");
        let again = "v2: I = call method p/Form.count ()I on v0 ()\n";
        assert_eq!(usage_of(&format!("{text}{again}{result}")).1, [0; 0], "two calls need the object");
    }

    #[test]
    fn an_array_without_cells_is_inline() {
        let text = |cells: &str| {
            format!("v0: I = int 2\nv1: [I = array I 3 ({cells})\nv2: V = call method p/Calls.take (Ljava/lang/Object;)V (v1)\n")
        };
        assert_eq!(usage_of(&text("")).1, [1]);
        assert_eq!(usage_of(&text("v0")).1, [0], "a cell is set in a line of its own");
    }

    #[test]
    fn a_new_collection_is_inline_where_no_other_method_takes_it() {
        let text = |method: &str, ty: &str| {
            let list = "Ljava/util/ArrayList;";
            format!("v0: {list} = new java/util/ArrayList.<init> ()V ()\nv1: V = call method p/Calls.{method} ({ty})V (v0)\n")
        };
        assert_eq!(usage_of(&text("take", "Ljava/lang/Object;")).1, [0], "the other method takes texts");
        assert_eq!(usage_of(&text("put", "Ljava/util/ArrayList;")).1, [0], "the other method is more general");
        assert_eq!(usage_of(&text("put", "Ljava/lang/Object;")).1, [0; 0], "javac would choose the other method");
    }

    #[test]
    fn a_call_is_inline_in_the_next_call_only() {
        let nested = "v0: I = int 1\nv1: I = call method p/Calls.size (I)I (v0)\n\
                      v2: I = call method p/Calls.size (I)I (v1)\n";
        assert_eq!(usage_of(nested).1, [0, 1]);
        let apart = "v0: I = int 1\nv1: I = call method p/Calls.size (I)I (v0)\n\
                     v2: I = call method p/Calls.size (I)I (v0)\nv3: I = call method p/Calls.size (I)I (v1)\n";
        assert_eq!(usage_of(apart).1, [0]);
    }
}
