//! Statements that a person would write in place of those that a search found.
//!
//! In: a test and an execution of it. Out: for its statements, others to try in their place: a short
//! array for a long one or for a call that only gives an array, the value for a call that only gives a number or a
//! word, zero for 0.0, one answer of a mock for several in turn, a constant of the JDK for null, an `ArrayList` for
//! another list, the factory method of a builder for its constructor, an empty collection for a filled one, a new
//! object or null for a call of the class under test that gave null, and a call on what the builder returned for one on
//! the builder, so that they make a chain. Must not know whether a test shows the same with them.
//!
//! No statement is added or removed, so that the variables keep their numbers.

use std::collections::BTreeSet;

use tracewright_classfile::Op;

use super::asserted_steps::is_plain_text;
use crate::execution::{Execution, Snapshot};
use crate::oracle::{Accessibility, AssertedTest, as_literal};
use crate::program::{ClassName, FieldRef, JavaType, MethodModel, MethodRef, Nesting, Program};
use crate::search::complexity;
use crate::testcase::{Literal, StatementKind, VarId};

/// Lengths of arrays that are tried first.
const SHORT: [u32; 3] = [1, 2, 3];
/// Further lengths in place of arrays that a call made.
const LONGER: [u32; 2] = [4, 8];
/// A call that gives a more complex number is left: it may be a time, which a test must not fix.
const PLAIN: u64 = 22;
/// Constants of the JDK that stand for any value of their class, with their first Java release.
const CONSTANTS: [(&str, &str, u32); 7] = [
    ("java/math/BigDecimal", "TEN", 5),
    ("java/math/BigInteger", "TEN", 5),
    ("java/time/Instant", "EPOCH", 8),
    ("java/time/LocalDate", "EPOCH", 9),
    ("java/time/LocalTime", "NOON", 8),
    ("java/time/Duration", "ZERO", 8),
    ("java/util/Locale", "ENGLISH", 1),
];
/// Lists that a person writes only where their class matters, and types that take any list.
const OTHER_LISTS: [&str; 4] =
    ["java/util/LinkedList", "java/util/Vector", "java/util/Stack", "java/util/concurrent/CopyOnWriteArrayList"];
const GENERAL: [&str; 4] = ["java/util/List", "java/util/Collection", "java/lang/Iterable", "java/lang/Object"];
/// Longest text in place of a call, and longest one where a plainer text does not suit.
const LONGEST_TEXT: usize = 16;
const LONGEST_SPELLED: usize = 80;

/// A statement to try in place of another one.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct PlainerStatement {
    statement: VarId,
    /// As it is now. Where it has changed, it got a plainer form.
    from: StatementKind,
    to: StatementKind,
}

impl PlainerStatement {
    /// The test with this statement; `None` where the statement has changed.
    pub(super) fn applied(self, test: &AssertedTest) -> Option<AssertedTest> {
        let mut plainer = test.clone();
        let statement = &mut plainer.test.statements[self.statement.index()];
        let is_open = statement.kind == self.from;
        match &self.to {
            StatementKind::Construct { constructor, .. } => statement.ty = JavaType::Class(constructor.owner.clone()),
            StatementKind::Literal(Literal::Str(_)) => statement.ty = JavaType::class("java/lang/String"),
            _ => {}
        }
        // What the call returned is no result any more.
        if matches!(self.from, StatementKind::Call { .. }) && !matches!(self.to, StatementKind::Call { .. }) {
            plainer.assertions.retain(|assertion| assertion.subject != self.statement);
        }
        plainer.test.statements[self.statement.index()].kind = self.to;
        is_open.then_some(plainer)
    }
}

/// The plainer statements to try, the best of each statement first. `execution`: of the test as it is.
pub(super) fn plainer_statements(
    access: &Accessibility<'_>,
    test: &AssertedTest,
    execution: &Execution,
) -> Vec<PlainerStatement> {
    let mut found = Vec::new();
    for (index, statement) in test.test.statements.iter().enumerate().take(test.acted as usize) {
        let variable = VarId(index as u32);
        let kinds = match &statement.kind {
            StatementKind::Array { element, length, elements } => shorter_arrays(test, variable, (element, *length, elements)),
            StatementKind::Literal(Literal::Null) => {
                constant_object(&|release| access.has_release(release), test, variable).into_iter().collect()
            }
            call @ StatementKind::Call { method, .. } => {
                let shown = execution.snapshots.get(index);
                let value = shown.and_then(|value| given_value(test, variable, method, value)).map(StatementKind::Literal);
                let is_null = shown == Some(&Snapshot::Null) && is_needless_call(test, variable, method);
                let object = if is_null { constant_object(&|release| access.has_release(release), test, variable) } else { None };
                let nothing = if is_null { nothing_for_own_call(access, test, variable, method) } else { Vec::new() };
                let plain = plain_for_call(test, variable, method);
                let spelled = shown.and_then(|value| spelled_text(test, variable, method, value));
                let chain = chained(test, variable, call);
                let is_own = access.program().is_project(&method.owner);
                let arrays = if is_own { arrays_for_call(test, variable, method) } else { Vec::new() };
                let plain = plain.into_iter().chain(spelled).chain(arrays);
                value.into_iter().chain(plain).chain(object).chain(nothing).chain(chain).collect()
            }
            StatementKind::Construct { constructor, args } if args.is_empty() && test.target.as_ref() != Some(constructor) => {
                factory_of(access, &constructor.owner).or_else(|| usual_list(test, variable, constructor)).into_iter().collect()
            }
            StatementKind::Construct { constructor, args }
                if !args.is_empty()
                    && test.target.as_ref() != Some(constructor)
                    && is_container(access.program(), &constructor.owner) =>
            {
                without_arguments(access, &constructor.owner).into_iter().collect()
            }
            stub @ StatementKind::Stub { .. } => single_outcomes(stub),
            _ => Vec::new(),
        };
        let from = &statement.kind;
        found.extend(kinds.into_iter().map(|to| PlainerStatement { statement: variable, from: from.clone(), to }));
    }
    found
}

/// The arrays to try in place of those that have an element more than once, the best of each last, and single
/// answers of mocks for several in turn.
pub(super) fn shorter_lists(test: &AssertedTest) -> Vec<PlainerStatement> {
    let mut found: Vec<PlainerStatement> = Vec::new();
    for (index, statement) in test.test.statements.iter().enumerate().take(test.acted as usize) {
        let single = single_outcomes(&statement.kind).into_iter().rev();
        found.extend(single.map(|to| PlainerStatement { statement: VarId(index as u32), from: statement.kind.clone(), to }));
    }
    for (index, statement) in test.test.statements.iter().enumerate().take(test.acted as usize) {
        let (variable, from) = (VarId(index as u32), &statement.kind);
        let StatementKind::Array { element, length, elements } = from else { continue };
        let different: BTreeSet<&VarId> = elements.iter().collect();
        if different.len() < elements.len() {
            let kinds = shorter_arrays(test, variable, (element, *length, elements)).into_iter().rev();
            found.extend(kinds.map(|to| PlainerStatement { statement: variable, from: from.clone(), to }));
        }
    }
    found
}

/// The constants in place of numbers with needless decimals. They are tried when the numbers are those
/// that matter.
pub(super) fn whole_decimals(test: &AssertedTest) -> impl Iterator<Item = PlainerStatement> + '_ {
    exchanged(test, |kind| whole_decimal(test, kind))
}

/// Ten in place of the constant zero: where any number does, zero hides what is done with it.
pub(super) fn telling_constants(test: &AssertedTest) -> impl Iterator<Item = PlainerStatement> + '_ {
    exchanged(test, |kind| match kind {
        StatementKind::GetField { field, receiver: None } if *field == decimal_constant("ZERO") => {
            Some(StatementKind::GetField { field: decimal_constant("TEN"), receiver: None })
        }
        _ => None,
    })
}

/// Texts in place of nulls where any sequence of characters will do. They are tried when each argument has a null of
/// its own.
pub(super) fn texts_for_nulls(test: &AssertedTest) -> Vec<PlainerStatement> {
    let own = (0..test.acted).map(VarId).filter(|variable| test.test.literal(*variable) == Some(&Literal::Null));
    let plainer = own.filter_map(|variable| {
        let to = text_for_null(test, variable)?;
        Some(PlainerStatement { statement: variable, from: StatementKind::Literal(Literal::Null), to })
    });
    plainer.collect()
}

/// Other constants in place of those that the class under test gives by itself: a test that sets the status
/// which is the default anyway shows nothing.
pub(super) fn other_constants<'t>(
    test: &'t AssertedTest,
    program: &'t Program,
    defaults: &'t BTreeSet<FieldRef>,
) -> impl Iterator<Item = PlainerStatement> + 't {
    let is_used = |constant: &FieldRef| {
        let mut kinds = test.test.statements.iter().map(|statement| &statement.kind);
        kinds.any(|kind| matches!(kind, StatementKind::GetField { field, receiver: None } if field == constant))
    };
    exchanged(test, move |kind| match kind {
        StatementKind::GetField { field, receiver: None } if defaults.contains(field) => {
            let model = program.class(&field.owner)?;
            let mut others = model.enum_constants().map(|constant| &constant.reference);
            let other = others.find(|constant| !defaults.contains(*constant) && !is_used(constant))?;
            Some(StatementKind::GetField { field: other.clone(), receiver: None })
        }
        _ => None,
    })
}

/// The constants of enums that the code of a class stores or returns.
pub(super) fn default_constants(program: &Program, class: &ClassName) -> BTreeSet<FieldRef> {
    let Some(model) = program.class(class) else { return BTreeSet::new() };
    let pool = model.file.constant_pool();
    let is_given = |op: &Op| match op {
        Op::PutField(_) | Op::Return(Some(_)) => true,
        op => model.called_by(op).is_some_and(|called| called.name.starts_with("set")),
    };
    let mut found = BTreeSet::new();
    for code in model.methods.iter().filter_map(|method| model.code(method)) {
        for (one, next) in code.instructions.iter().zip(code.instructions.iter().skip(1)) {
            let Op::GetStatic(index) = &one.op else { continue };
            let Ok(member) = pool.member(*index) else { continue };
            let owner = ClassName::new(member.owner);
            if is_given(&next.op) && program.class(&owner).is_some_and(|owner| owner.is_enum()) {
                found.insert(FieldRef::new(owner, member.name, member.descriptor));
            }
        }
    }
    found
}

/// For each of the test's own statements, what to try in its place.
fn exchanged<'t>(
    test: &'t AssertedTest,
    other: impl Fn(&StatementKind) -> Option<StatementKind> + 't,
) -> impl Iterator<Item = PlainerStatement> + 't {
    let own = test.test.statements.iter().enumerate().take(test.acted as usize);
    own.filter_map(move |(index, statement)| {
        let to = other(&statement.kind)?;
        Some(PlainerStatement { statement: VarId(index as u32), from: statement.kind.clone(), to })
    })
}

/// A constant of `BigDecimal`.
fn decimal_constant(name: &str) -> FieldRef {
    FieldRef::new(ClassName::new("java/math/BigDecimal"), name, "Ljava/math/BigDecimal;")
}

/// The array with fewer cells, but with all that the test sets later.
fn shorter_arrays(
    test: &AssertedTest,
    array: VarId,
    (element, length, elements): (&JavaType, u32, &[VarId]),
) -> Vec<StatementKind> {
    let set = |kind: &StatementKind| match kind {
        StatementKind::PutElement { array: set, index, .. } if *set == array => Some(index + 1),
        _ => None,
    };
    let needed = test.test.statements.iter().filter_map(|statement| set(&statement.kind)).max().unwrap_or(0);
    let used = needed.max(elements.len() as u32);
    let powers = (1..9).map(|power| 10u32.pow(power));
    let mut lengths: Vec<u32> = SHORT.into_iter().chain([used]).chain(powers).collect();
    lengths.retain(|shorter| *shorter < length && *shorter >= needed.max(1));
    lengths.sort_unstable();
    lengths.dedup();
    let with = |length: u32| StatementKind::Array {
        element: element.clone(),
        length,
        elements: elements[..elements.len().min(length as usize)].to_vec(),
    };
    lengths.into_iter().map(with).collect()
}

/// The value of a call that the test makes for it alone; `None` for another one than a flag, a plain
/// number or a word.
fn given_value(test: &AssertedTest, variable: VarId, method: &MethodRef, value: &Snapshot) -> Option<Literal> {
    let is_text = matches!(test.test.type_of(variable), JavaType::Class(class) if class.internal() == "java/lang/String");
    let literal = as_literal(value).filter(|_| is_text || test.test.type_of(variable).is_primitive())?;
    let is_plain = match &literal {
        Literal::Str(units) => {
            let is_letter = |unit: &u16| u8::try_from(*unit).is_ok_and(|unit| unit.is_ascii_alphabetic() || unit == b' ');
            (1..=LONGEST_TEXT).contains(&units.len()) && units.iter().all(is_letter)
        }
        Literal::Null => false,
        number => complexity(number) <= PLAIN,
    };
    (is_plain && is_needless_call(test, variable, method)).then_some(literal)
}

/// Other values in place of a call that serves only by the text or the amount that it returns, the best first:
/// `options.toString()` as a description, `account.balance()` as a limit. Which text suits is found later.
fn plain_for_call(test: &AssertedTest, variable: VarId, method: &MethodRef) -> Vec<StatementKind> {
    let JavaType::Class(class) = test.test.type_of(variable) else { return Vec::new() };
    let constant = |name| StatementKind::GetField { field: decimal_constant(name), receiver: None };
    match class.internal() {
        _ if !is_needless_call(test, variable, method) => Vec::new(),
        "java/lang/String" => vec![StatementKind::Literal(Literal::Str("text".encode_utf16().collect()))],
        "java/math/BigDecimal" => vec![constant("TEN"), constant("ZERO")],
        _ => Vec::new(),
    }
}

/// The text that a call returns, where no other text suits: an illegal option name `options.toString()` is a name with
/// an illegal character. Later it becomes shorter.
fn spelled_text(test: &AssertedTest, variable: VarId, method: &MethodRef, value: &Snapshot) -> Option<StatementKind> {
    let is_text = *test.test.type_of(variable) == JavaType::class("java/lang/String");
    let literal = as_literal(value).filter(|_| is_text && is_needless_call(test, variable, method))?;
    let Literal::Str(units) = &literal else { return None };
    (units.len() <= LONGEST_SPELLED && is_plain_text(units)).then_some(StatementKind::Literal(literal))
}

/// Short arrays in place of a call that serves only by the array that it returns: as the place to write to. What is
/// written to a short one can be asserted.
fn arrays_for_call(test: &AssertedTest, variable: VarId, method: &MethodRef) -> Vec<StatementKind> {
    match test.test.type_of(variable) {
        JavaType::Array(element) if element.is_primitive() && is_needless_call(test, variable, method) => {
            let array = |length| StatementKind::Array { element: (**element).clone(), length, elements: Vec::new() };
            SHORT.into_iter().chain(LONGER).map(array).collect()
        }
        _ => Vec::new(),
    }
}

/// Whether the call serves the test only by its value.
fn is_needless_call(test: &AssertedTest, variable: VarId, method: &MethodRef) -> bool {
    let is_used = test.test.users(variable).next().is_some();
    let is_action = variable.0 + 1 >= test.acted;
    let is_compared = test.assertions.iter().any(|assertion| assertion.fact.others().contains(&variable));
    !is_action && is_used && !is_compared && test.target.as_ref() != Some(method)
}

/// A new object or null in place of a call of another method of the class under test that returned null: it says
/// nothing about the call under test.
fn nothing_for_own_call(
    access: &Accessibility<'_>,
    test: &AssertedTest,
    variable: VarId,
    method: &MethodRef,
) -> Vec<StatementKind> {
    let is_own = test.target.as_ref().is_some_and(|target| target.owner == method.owner);
    if !is_own || !test.test.users(variable).all(|user| is_only_argument(user, variable, |_| true)) {
        return Vec::new();
    }
    let takes_any = |ty: &JavaType| *ty == JavaType::class("java/lang/Object");
    let is_taken_as_object = test.test.users(variable).all(|user| is_only_argument(user, variable, takes_any));
    let object = ClassName::new("java/lang/Object");
    let made = match test.test.type_of(variable) {
        _ if is_taken_as_object => without_arguments(access, &object),
        JavaType::Class(class) => without_arguments(access, class),
        _ => None,
    };
    made.into_iter().chain([StatementKind::Literal(Literal::Null)]).collect()
}

/// A new object of the class that takes no arguments.
fn without_arguments(access: &Accessibility<'_>, class: &ClassName) -> Option<StatementKind> {
    let constructor = MethodRef::new(class.clone(), "<init>", "()V");
    let found = access.program().resolve(&constructor)?;
    let is_usable = found.class.name == *class
        && !found.class.is_abstract()
        && access.can_name_class(class)
        && access.can_use_method(found.method());
    is_usable.then(|| StatementKind::Construct { constructor, args: Vec::new() })
}

/// Whether objects of the class hold what is put into them, as far as they need it: a size or first elements may be
/// left out.
fn is_container(program: &Program, class: &ClassName) -> bool {
    ["java/util/Collection", "java/util/Map"].iter().any(|container| program.is_subclass(class, &ClassName::new(container)))
}

/// A constant of the JDK in place of null, for a value that one call takes: where null does not matter, it
/// says that it does. `has_release`: whether the test is compiled for a Java release or a later one.
fn constant_object(has_release: &dyn Fn(u32) -> bool, test: &AssertedTest, variable: VarId) -> Option<StatementKind> {
    let JavaType::Class(class) = test.test.type_of(variable) else { return None };
    let (_, name, release) = CONSTANTS.into_iter().find(|(owner, ..)| *owner == class.internal())?;
    let field = FieldRef::new(class.clone(), name, &format!("L{};", class.internal()));
    let users: Vec<&StatementKind> = test.test.users(variable).collect();
    let is_argument = matches!(users[..], [StatementKind::Construct { .. } | StatementKind::Call { .. }]);
    (is_argument && has_release(release) && !test.is_mentioned(variable))
        .then_some(StatementKind::GetField { field, receiver: None })
}

/// A text in place of null where one call takes any sequence of characters.
fn text_for_null(test: &AssertedTest, variable: VarId) -> Option<StatementKind> {
    let takes_any = *test.test.type_of(variable) == JavaType::class("java/lang/CharSequence");
    let users: Vec<&StatementKind> = test.test.users(variable).collect();
    let is_argument = matches!(users[..], [StatementKind::Construct { .. } | StatementKind::Call { .. }]);
    let text = || StatementKind::Literal(Literal::Str("text".encode_utf16().collect()));
    (takes_any && is_argument && !test.is_mentioned(variable)).then(text)
}

/// The constant of the number without decimals, for `BigDecimal.valueOf(0.0)`.
fn whole_decimal(test: &AssertedTest, call: &StatementKind) -> Option<StatementKind> {
    let StatementKind::Call { method, args, .. } = call else { return None };
    let is_decimal = method.owner.internal() == "java/math/BigDecimal" && &*method.name == "valueOf";
    let [number] = args[..] else { return None };
    let Some(Literal::Double(bits)) = test.test.literal(number).filter(|_| is_decimal) else { return None };
    let value = f64::from_bits(*bits);
    let (_, name) = [(0.0, "ZERO"), (1.0, "ONE"), (10.0, "TEN")].into_iter().find(|(whole, _)| *whole == value)?;
    Some(StatementKind::GetField { field: decimal_constant(name), receiver: None })
}

/// The stub with one outcome in place of several: of all answers, then of one.
fn single_outcomes(stub: &StatementKind) -> Vec<StatementKind> {
    let StatementKind::Stub { answers, .. } = stub else { return Vec::new() };
    let several: Vec<usize> = (0..answers.len()).filter(|answer| answers[*answer].outcomes.len() > 1).collect();
    let with_single = |shortened: &[usize]| {
        let mut stub = stub.clone();
        if let StatementKind::Stub { answers, .. } = &mut stub {
            shortened.iter().for_each(|answer| answers[*answer].outcomes.truncate(1));
        }
        stub
    };
    let all = (several.len() > 1).then_some(several.as_slice());
    all.into_iter().chain(several.chunks(1)).map(with_single).collect()
}

/// The call on the result of the call before it, where both are calls on one builder, whose methods return
/// it, and nothing else uses that.
fn chained(test: &AssertedTest, variable: VarId, call: &StatementKind) -> Option<StatementKind> {
    let StatementKind::Call { method, interface, receiver: Some(builder), args } = call else { return None };
    let ty = test.test.type_of(*builder);
    let receiver_of = |variable: VarId| match &test.test.statement(variable).kind {
        StatementKind::Call { receiver, .. } => *receiver,
        _ => None,
    };
    let first = test.test.begin_of_chain(*builder);
    // The builder, and the calls on it that return it again.
    let mut same: BTreeSet<VarId> = BTreeSet::from([first]);
    let (mut users, mut is_only_receiver) = (Vec::new(), true);
    for user in (first.0 + 1..test.test.len() as u32).map(VarId) {
        let uses = test.test.statement(user).kind.uses();
        if uses.iter().any(|used| same.contains(used)) {
            let is_receiver = receiver_of(user).is_some_and(|receiver| same.contains(&receiver));
            is_only_receiver &= is_receiver && uses.iter().filter(|used| same.contains(used)).count() == 1;
            users.push(user);
            if test.test.type_of(user) == ty {
                same.insert(user);
            }
        }
    }
    let place = users.iter().position(|user| *user == variable)?;
    let before = *users.get(place.checked_sub(1)?)?;
    let is_builder = matches!(ty, JavaType::Class(class) if class.is_builder());
    let is_free =
        users[..users.len() - 1].iter().all(|user| same.contains(user)) && !same.iter().any(|one| test.is_mentioned(*one));
    (is_builder && is_only_receiver && is_free && before != *builder).then(|| StatementKind::Call {
        method: method.clone(),
        interface: *interface,
        receiver: Some(before),
        args: args.clone(),
    })
}

/// Whether the statement is a call with the value among its arguments alone, for parameters that take it.
fn is_only_argument(kind: &StatementKind, variable: VarId, takes: impl Fn(&JavaType) -> bool) -> bool {
    let (StatementKind::Construct { constructor: method, args } | StatementKind::Call { method, args, .. }) = kind else {
        return false;
    };
    let is_receiver = matches!(kind, StatementKind::Call { receiver, .. } if *receiver == Some(variable));
    !is_receiver && args.iter().zip(method.parameters()).all(|(arg, parameter)| *arg != variable || takes(&parameter))
}

/// An `ArrayList` in place of another empty list that is only given to what takes any list.
fn usual_list(test: &AssertedTest, variable: VarId, constructor: &MethodRef) -> Option<StatementKind> {
    let takes_any = |ty: &JavaType| matches!(ty, JavaType::Class(class) if GENERAL.contains(&class.internal()));
    let is_given_to_any = |kind: &StatementKind| match kind {
        StatementKind::Stub { answers, .. } => {
            answers.iter().all(|answer| answer.uses().all(|used| used != variable) || takes_any(&answer.method.return_type()))
        }
        call => is_only_argument(call, variable, takes_any),
    };
    let is_other_list = OTHER_LISTS.contains(&constructor.owner.internal());
    (is_other_list && test.test.users(variable).all(is_given_to_any)).then(|| StatementKind::Construct {
        constructor: MethodRef::new(ClassName::new("java/util/ArrayList"), "<init>", "()V"),
        args: Vec::new(),
    })
}

/// The call of the static method without parameters by which the class around a builder makes it.
fn factory_of(access: &Accessibility<'_>, builder: &ClassName) -> Option<StatementKind> {
    let program = access.program();
    let Nesting::Member { enclosing, .. } = &program.class(builder)?.nesting else { return None };
    let class = program.class(enclosing).filter(|class| access.can_name_class(&class.name))?;
    let makes_it = |method: &&MethodModel| {
        method.is_static()
            && method.parameters.is_empty()
            && method.returns == JavaType::Class(builder.clone())
            && !method.access.is_synthetic()
            && access.can_use_method(method)
    };
    let mut factories = class.methods.iter().filter(makes_it);
    let factory = factories.next().filter(|_| factories.next().is_none())?;
    Some(StatementKind::Call {
        method: factory.reference.clone(),
        interface: class.is_interface(),
        receiver: None,
        args: Vec::new(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn test(text: &str) -> AssertedTest {
        text.parse().expect("well-formed")
    }

    const ARRAY: &str = "\
v0: Lp/Item; = new p/Item.<init> ()V ()
v1: [Lp/Item; = array Lp/Item; 256 (v0, v0, v0, v0, v0)
v2: I = call method p/Foo.count ([Lp/Item;)I (v1)
assert v2 equals int 5
";

    fn lengths(text: &str) -> Vec<(u32, usize)> {
        let test = test(text);
        let StatementKind::Array { element, length, elements } = &test.test.statements[1].kind else { return Vec::new() };
        let size = |kind: &StatementKind| match kind {
            StatementKind::Array { length, elements, .. } => (*length, elements.len()),
            _ => (0, 0),
        };
        shorter_arrays(&test, VarId(1), (element, *length, elements)).iter().map(size).collect()
    }

    #[test]
    fn arrays_become_as_short_as_the_test_allows() {
        assert_eq!(lengths(ARRAY), [(1, 1), (2, 2), (3, 3), (5, 5), (10, 5), (100, 5)]);
        let sets = ARRAY.replace("v2: I", "v2: V = element v1 6 value v0\nv3: I").replace("assert v2", "assert v3");
        assert_eq!(lengths(&sets), [(7, 5), (10, 5), (100, 5)]);
        assert_eq!(lengths(&ARRAY.replace("256 (v0, v0, v0, v0, v0)", "1 (v0)")), []);
    }

    #[test]
    fn a_call_that_only_gives_an_array_becomes_an_array() {
        let arrays = |ty: &str| -> Vec<u32> {
            let text = format!(
                "target p/Hex.read ([B)I\nv0: {ty} = call method p/Hex.make (){ty} ()\n\
                 v1: I = call method p/Hex.read ([B)I (v0)\nassert v1 equals int 1\n"
            );
            let make = MethodRef::new(ClassName::new("p/Hex"), "make", &format!("(){ty}"));
            let length = |kind: StatementKind| match kind {
                StatementKind::Array { length, elements, .. } if elements.is_empty() => length,
                other => panic!("{other:?}"),
            };
            arrays_for_call(&test(&text), VarId(0), &make).into_iter().map(length).collect()
        };
        assert_eq!(arrays("[B"), [1, 2, 3, 4, 8]);
        assert!(arrays("[Lp/Item;").is_empty(), "its cells may have to be objects");
        assert!(arrays("Ljava/lang/Object;").is_empty());
    }

    #[test]
    fn a_statement_that_has_changed_stays() {
        let (before, from) = (test(ARRAY), test(ARRAY).test.statements[1].kind.clone());
        let to = StatementKind::Array { element: JavaType::class("p/Item"), length: 1, elements: vec![VarId(0)] };
        let change = PlainerStatement { statement: VarId(1), from, to: to.clone() };
        let changed = change.clone().applied(&before).expect("a shorter array");
        assert_eq!(changed.test.statements[1].kind, to);
        assert_eq!(change.applied(&changed), None);
    }

    #[test]
    fn arrays_with_an_element_twice_may_become_shorter() {
        let lengths = |elements: &str| -> Vec<u32> {
            let text = format!(
                "v0: Lp/Item; = new p/Item.<init> ()V ()\nv1: Lp/Item; = null\nv2: [Lp/Item; = array Lp/Item; 3 ({elements})\n"
            );
            let length = |plainer: &PlainerStatement| match plainer.to {
                StatementKind::Array { length, .. } => length,
                _ => 0,
            };
            let mut test = test(&text);
            test.acted = 3;
            shorter_lists(&test).iter().map(length).collect()
        };
        assert_eq!(lengths("v0, v0, v0"), [2, 1]);
        assert_eq!(lengths("v0, v1"), [0_u32; 0]);
    }

    #[test]
    fn null_gives_way_to_a_constant_of_the_jdk() {
        let text = "v0: Ljava/time/LocalDate; = null\nv1: Lp/Item; = null\n\
                    v2: I = call method p/Foo.age (Ljava/time/LocalDate;Lp/Item;)I (v0, v1)\n";
        let object = |text: &str, release: u32, at: u32| constant_object(&|needed| release >= needed, &test(text), VarId(at));
        let field = FieldRef::new(ClassName::new("java/time/LocalDate"), "EPOCH", "Ljava/time/LocalDate;");
        assert_eq!(object(text, 17, 0), Some(StatementKind::GetField { field, receiver: None }));
        assert_eq!([object(text, 8, 0), object(text, 17, 1)], [None, None]);
        assert_eq!(object(&format!("{text}assert v0 null\n"), 17, 0), None);
    }

    #[test]
    fn lists_that_are_only_given_are_the_usual_ones() {
        let usual = |parameter: &str, before: &str| {
            let text = format!(
                "v0: Ljava/util/LinkedList; = new java/util/LinkedList.<init> ()V ()\n\
                 v1: V = {before}\nv2: I = call method p/Foo.count (L{parameter};)I (v0)\nassert v2 equals int 0\n"
            );
            let test = test(&text);
            let constructor = MethodRef::new(ClassName::new("java/util/LinkedList"), "<init>", "()V");
            let to = usual_list(&test, VarId(0), &constructor)?;
            let from = test.test.statements[0].kind.clone();
            let plainer = PlainerStatement { statement: VarId(0), from, to }.applied(&test).expect("open");
            Some(plainer.test.statements[0].ty.to_string())
        };
        let other = "call method p/Foo.open ()V ()";
        assert_eq!(usual("java/util/List", other).as_deref(), Some("Ljava/util/ArrayList;"));
        assert_eq!(usual("java/util/Deque", other), None);
        assert_eq!(usual("java/util/List", "call method java/util/LinkedList.clear ()V on v0 ()"), None);
    }

    #[test]
    fn answers_in_turn_give_way_to_the_first() {
        let text = "v0: I = int 1\nv1: I = int 2\n\
                    v2: Lp/Items; = mock p/Items (p/Items.size ()I v0 then v1, p/Items.count ()I v0, \
                    p/Items.limit ()I v1 then v0)\n";
        let test = test(text);
        let kinds = single_outcomes(&test.test.statement(VarId(2)).kind);
        let outcomes = |kind: &StatementKind| match kind {
            StatementKind::Stub { answers, .. } => answers.iter().map(|answer| answer.outcomes.len()).collect::<Vec<usize>>(),
            _ => Vec::new(),
        };
        assert_eq!(kinds.iter().map(outcomes).collect::<Vec<_>>(), [[1, 1, 1], [1, 1, 2], [2, 1, 1]]);
        assert_eq!(single_outcomes(&kinds[0]), []);
    }

    #[test]
    fn calls_on_a_builder_become_a_chain() {
        let text = |last: &str| {
            format!(
                "v0: Lp/ItemBuilder; = new p/ItemBuilder.<init> ()V ()\nv1: I = int 2\n\
                 v2: Lp/ItemBuilder; = call method p/ItemBuilder.size (I)Lp/ItemBuilder; on v0 (v1)\n\
                 v3: Lp/Item; = call method p/ItemBuilder.build ()Lp/Item; on v0 ()\n\
                 v4: I = call method p/Foo.size (Lp/Item;)I (v3)\n{last}assert v4 equals int 2\n"
            )
        };
        let receiver = |text: &str, at: u32| {
            let test = test(text);
            match chained(&test, VarId(at), &test.test.statement(VarId(at)).kind) {
                Some(StatementKind::Call { receiver, .. }) => receiver,
                _ => None,
            }
        };
        assert_eq!([receiver(&text(""), 2), receiver(&text(""), 3)], [None, Some(VarId(2))]);
        assert_eq!(receiver(&text("v5: V = call method p/Foo.keep (Lp/ItemBuilder;)V (v0)\n"), 3), None);
        assert_eq!(receiver(&text("").replace("ItemBuilder", "ItemList"), 3), None);
        let mixed = "v0: Lp/ItemBuilder; = new p/ItemBuilder.<init> ()V ()\nv1: I = int 2\n\
                     v2: Lp/ItemBuilder; = call method p/ItemBuilder.size (I)Lp/ItemBuilder; on v0 (v1)\n\
                     v3: Lp/ItemBuilder; = call method p/ItemBuilder.count (I)Lp/ItemBuilder; on v0 (v1)\n\
                     v4: Lp/Item; = call method p/ItemBuilder.build ()Lp/Item; on v2 ()\n\
                     v5: I = call method p/Foo.size (Lp/Item;)I (v4)\nassert v5 equals int 2\n";
        assert_eq!([2, 3, 4].map(|at| receiver(mixed, at)), [None, Some(VarId(2)), Some(VarId(3))]);
    }

    #[test]
    fn whole_decimals_are_constants() {
        let constant = |number: &str| {
            let text = format!(
                "v0: D = double {number}\nv1: Ljava/math/BigDecimal; = \
                 call method java/math/BigDecimal.valueOf (D)Ljava/math/BigDecimal; (v0)\n"
            );
            let test = test(&text);
            match whole_decimal(&test, &test.test.statements[1].kind) {
                Some(StatementKind::GetField { field, .. }) => Some(field.name.to_string()),
                _ => None,
            }
        };
        assert_eq!(["0.0", "10.0", "0.5"].map(constant), [Some("ZERO".to_owned()), Some("TEN".to_owned()), None]);
    }

    #[test]
    fn flags_plain_numbers_and_words_are_given_as_such() {
        let given = |ty: &str, value: &Snapshot, rest: &str| {
            let text = format!(
                "target p/Foo.use ({ty})V\nacted 2\nv0: {ty} = call method p/Bar.value (){ty} ()\n\
                 v1: V = call method p/Foo.use ({ty})V (v0)\n{rest}"
            );
            let test = test(&text);
            let StatementKind::Call { method, .. } = &test.test.statements[0].kind else { return None };
            given_value(&test, VarId(0), method, value)
        };
        assert_eq!(given("Z", &Snapshot::Boolean(true), ""), Some(Literal::Boolean(true)));
        let stated = given("Z", &Snapshot::Boolean(true), "assert v0 equals true\n");
        assert_eq!(stated, Some(Literal::Boolean(true)), "the assertion goes with the call");
        assert_eq!(given("I", &Snapshot::Int(3), ""), Some(Literal::Int(3)));
        assert_eq!(given("J", &Snapshot::Long(1_700_000_000_123), ""), None);
        let text = |text: &str| Snapshot::Str(Some(text.encode_utf16().collect()));
        assert!(given("Ljava/lang/String;", &text("gold"), "").is_some());
        assert_eq!(given("Ljava/lang/String;", &text("2026-11-26"), ""), None);
        assert_eq!(given("Ljava/lang/Object;", &text("gold"), ""), None);
    }

    #[test]
    fn a_text_of_an_object_is_spelled_where_no_other_suits() {
        let spelled = |value: &str| {
            let text = "target p/Foo.use (Ljava/lang/String;)V\nacted 2\n\
                        v0: Ljava/lang/String; = call method p/Bar.toString ()Ljava/lang/String; ()\n\
                        v1: V = call method p/Foo.use (Ljava/lang/String;)V (v0)\n";
            let test = test(text);
            let StatementKind::Call { method, .. } = &test.test.statements[0].kind else { return None };
            spelled_text(&test, VarId(0), method, &Snapshot::Str(Some(value.encode_utf16().collect())))
        };
        let literal = |value: &str| Some(StatementKind::Literal(Literal::Str(value.encode_utf16().collect())));
        assert_eq!(spelled("[ Options: [] ]"), literal("[ Options: [] ]"));
        assert_eq!(spelled("p.Bar@1f32e575"), None, "another run has another hash");
        assert_eq!(spelled(&"long".repeat(40)), None);
    }
}
