//! Turns observations into assertions. Flows in: an observed test and its executions; flows out: an
//! [`AssertedTest`], or the reason why there is none. Must not know how the executions were made.
//!
//! Only what all executions agree on, and what code of the project had a part in, is asserted.
//! Facts are ranked; facts that others imply are dropped.
//! At log level debug, each result without an assertion is named with the reason.

use std::collections::{BTreeMap, BTreeSet};

use super::contents::{stated_contents, takes};
use super::fault::{exception_fault, failed_assert, top_level};
use super::held_objects::{is_too_large, tells_as_same};
use super::implied::{drop_implied, limit_inspections};
use super::influence::{influenced, made_by_tested};
use super::interactions::{asks_mock, called_facts};
use super::ranks::Ranks;
use super::requests::is_telling;
use super::written_arguments::{is_only_given, written_arguments};
use super::{Accessibility, ArgumentFact, AssertedTest, Assertion, ExpectedException, Fact, ObservedTest};
use crate::execution::{ContainerKind, Execution, KOTLIN_CHECK, RunEnd, Snapshot, Thrown};
use crate::program::{ClassName, JavaType, MethodRef};
use crate::testcase::{Literal, StatementKind, TestCase, VarId};

/// Limits and the environment of the oracle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StateOptions {
    /// Most assertions of one test.
    pub max_assertions: usize,
    /// Substrings of values that depend on the machine or the day: the temporary folder, the
    /// working directory, today's date.
    pub volatile: Vec<String>,
    /// Longest asserted string, in UTF-16 units.
    pub max_text: usize,
    /// Longest array whose cells are asserted.
    pub max_cells: usize,
}

impl Default for StateOptions {
    fn default() -> StateOptions {
        StateOptions { max_assertions: 8, volatile: Vec::new(), max_text: 400, max_cells: 16 }
    }
}

/// Why the executions of a test case give no test.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DiscardReason {
    /// It was not executed.
    #[error("not observed")]
    NotObserved,
    /// Two executions differ in their end.
    #[error("two runs ended differently")]
    Unstable,
    /// It exceeded its event budget or time limit.
    #[error("out of its event budget or time")]
    Endless,
    /// It called what tests must not call, named here.
    #[error("refused: {0}")]
    Refused(String),
    /// It exhausted the stack or the heap.
    #[error("exhausted: {0}")]
    Exhausted(String),
    /// It ended the JVM.
    #[error("the JVM died")]
    Died,
    /// The runner could not execute a statement.
    #[error("not legal: {0}")]
    Illegal(String),
    /// It left threads running.
    #[error("left threads running")]
    LeftRunning,
    /// It gives a text with an identity hash to a call.
    #[error("a call gets an identity hash")]
    IdentityHash,
    /// It threw an exception of a class that depends on the state of the JVM.
    #[error("threw {0}, which depends on the state of the JVM")]
    Unsuitable(ClassName),
}

/// Asserts what all executions of an observed test agree on. An inspector that threw ends the
/// observation, not the test.
///
/// # Errors
/// The reason why the executions give no test.
pub fn state_assertions(
    observed: &ObservedTest,
    executions: &[Execution],
    access: &Accessibility<'_>,
    options: &StateOptions,
) -> Result<AssertedTest, DiscardReason> {
    let Some(first) = executions.first() else { return Err(DiscardReason::NotObserved) };
    if executions.iter().any(|execution| execution.left_running) {
        return Err(DiscardReason::LeftRunning);
    }
    let mut ran = observed.test.statements.len() as u32;
    let mut thrown: Option<&Thrown> = None;
    for execution in executions {
        match &execution.end {
            RunEnd::Completed => {}
            RunEnd::Threw { statement, .. } if *statement >= observed.acted => ran = ran.min(*statement),
            RunEnd::Threw { statement, thrown: found } => {
                ran = *statement;
                thrown = Some(found);
            }
            RunEnd::Budget { statement } | RunEnd::Timeout { statement } => {
                if *statement < observed.acted {
                    return Err(DiscardReason::Endless);
                }
                ran = ran.min(*statement);
            }
            RunEnd::Refused { what, .. } => return Err(DiscardReason::Refused(what.clone())),
            RunEnd::Exhausted { what, .. } => return Err(DiscardReason::Exhausted(what.clone())),
            RunEnd::Died => return Err(DiscardReason::Died),
            RunEnd::Unrun => return Err(DiscardReason::NotObserved),
            RunEnd::Illegal { statement, why } => {
                if *statement < observed.acted {
                    return Err(DiscardReason::Illegal(why.clone()));
                }
                ran = ran.min(*statement);
            }
        }
    }
    if uses_identity_hash(&observed.test, first, observed.acted) {
        return Err(DiscardReason::IdentityHash);
    }
    if let Some(thrown) = thrown {
        let agree = executions.iter().all(|execution| match &execution.end {
            RunEnd::Threw { statement, thrown: found } => *statement == ran && found.class == thrown.class,
            _ => false,
        });
        return if agree {
            state_exception(observed, executions, ran, thrown, access, options)
        } else {
            Err(DiscardReason::Unstable)
        };
    }

    let observations = Observations { observed, executions, access, options, ran };
    let influenced = influenced(&observed.test, access.program());
    let made = observed.target.as_ref().map(|target| made_by_tested(&observed.test, &target.owner, access.program()));
    let ranks = Ranks::of(observed, access.program());
    let mut ranked: Vec<(u32, Assertion)> = Vec::new();
    for index in 0..ran.min(first.snapshots.len() as u32) {
        let subject = VarId(index);
        // A value without influence of the project says nothing about the project.
        let telling = influenced[subject.index()] || matches!(observations.kind(subject), StatementKind::Array { .. });
        // No more does what the test itself made for the call.
        let is_given = subject.0 + 1 < observed.acted && made.as_ref().is_some_and(|made| !made[subject.index()]);
        if telling
            && (!is_given || observations.is_changed(subject))
            && !observations.reads_unchanged(subject)
            && let Some(fact) = observations.fact(subject)
            && is_telling(observed, subject, &fact)
        {
            let assertion = Assertion { subject, fact };
            ranked.push((ranks.rank(&assertion), assertion));
        }
    }
    drop_implied(&mut ranked, observed, access);
    ranked.sort_by_key(|(rank, assertion)| (*rank, assertion.subject));
    limit_inspections(&mut ranked, observed);
    ranked.truncate(options.max_assertions);
    let mut chosen: Vec<Assertion> = ranked.into_iter().map(|(_, assertion)| assertion).collect();
    chosen.extend(observations.called(observed.acted));
    chosen.sort_by_key(|assertion| assertion.subject);
    if tracing::enabled!(tracing::Level::DEBUG) {
        tracing::debug!("{}{}", observed.test, observations.describe_exclusions(&influenced, &chosen));
    }
    let whole = AssertedTest {
        acted: observed.acted,
        assertions: chosen,
        fault: observations.fault(),
        target: observed.target.clone(),
        ..AssertedTest::without_assertions(observed.test.clone())
    };
    Ok(whole.without_unused())
}

/// Whether a statement up to the call under test uses a text with an identity hash that an earlier one gave. Its length
/// and its letters differ from run to run, rarely in a way that changes the result.
fn uses_identity_hash(test: &TestCase, execution: &Execution, acted: u32) -> bool {
    let gives_hash = |index: usize| match execution.snapshots.get(index) {
        Some(Snapshot::Str(Some(units))) => has_identity_hash(&String::from_utf16_lossy(units)),
        _ => false,
    };
    let own = &test.statements[..test.statements.len().min(acted as usize)];
    let is_call = |index: usize| matches!(own[index].kind, StatementKind::Call { .. });
    let is_used = |index: usize| own[index + 1..].iter().any(|later| later.kind.uses().contains(&VarId(index as u32)));
    (0..own.len()).any(|index| is_call(index) && gives_hash(index) && is_used(index))
}

/// Whether a test can verify calls of the method of the fact with any arguments: no other method of its
/// class has the same name and as many parameters.
pub(crate) fn can_verify_any(fact: &Fact, access: &Accessibility<'_>) -> bool {
    let Fact::Called { method, .. } = fact else { return false };
    let is_only_one = access.program().resolve(method).is_some_and(|found| {
        let count = found.method().parameters.len();
        let same = found.class.methods.iter().filter(|other| {
            other.name() == found.method().name() && other.parameters.len() == count && !other.access.is_synthetic()
        });
        same.count() == 1
    });
    is_only_one && can_verify(fact, access)
}

/// Whether a test can name the method of a verified call.
fn can_verify(fact: &Fact, access: &Accessibility<'_>) -> bool {
    let Fact::Called { method, arguments, .. } = fact else { return true };
    let is_usable = |method: &MethodRef, takes_elements: bool| {
        access
            .program()
            .resolve(method)
            .is_some_and(|found| access.can_use_method(found.method()) && (takes_elements || !found.method().access.is_varargs()))
    };
    // Each element of the variable arguments is verified by itself: what a matcher for all of
    // them means depends on the version of Mockito. A single null would be no array.
    let has_elements = matches!(arguments.last(),
        Some(ArgumentFact::Equals(Snapshot::Array { elements: Some(cells), .. })) if *cells != [Snapshot::Null]);
    is_usable(method, has_elements)
        && arguments.iter().all(|argument| match argument {
            ArgumentFact::Captured(inspected) => inspected.iter().all(|(inspector, _)| is_usable(inspector, false)),
            _ => true,
        })
}

/// Whether the value is what a collection holds.
fn is_filled(value: &Snapshot) -> bool {
    let Snapshot::Container(contents) = value else { return false };
    matches!(contents.kind, ContainerKind::List | ContainerKind::Set | ContainerKind::Map)
}

/// Whether a JVM or a check of the Kotlin compiler wrote the message. Such messages differ between
/// versions.
fn is_jvm_message(class: &ClassName, message: &str) -> bool {
    match class.internal() {
        // Kotlin removes its own frames from the trace of the second one.
        "java/lang/NullPointerException" => message.starts_with("Cannot ") || message.starts_with(KOTLIN_CHECK),
        "java/lang/ArithmeticException" => message == "/ by zero",
        "java/lang/ClassCastException" => message.contains("cannot be cast"),
        "java/lang/NegativeArraySizeException" | "java/lang/ArrayStoreException" => true,
        name if name.ends_with("IndexOutOfBoundsException") => {
            message.to_ascii_lowercase().contains("out of bounds")
                || message.contains("out of range")
                || message.parse::<i64>().is_ok()
        }
        _ => false,
    }
}

/// Whether the class makes the checks that the Kotlin compiler puts into code, with messages of its
/// own.
fn is_compiler_check(class: &ClassName) -> bool {
    class.internal() == "kotlin/jvm/internal/Intrinsics"
}

/// The test of an exception that a statement of the test case throws.
fn state_exception(
    observed: &ObservedTest,
    executions: &[Execution],
    statement: u32,
    thrown: &Thrown,
    access: &Accessibility<'_>,
    options: &StateOptions,
) -> Result<AssertedTest, DiscardReason> {
    let program = access.program();
    let is = |ancestor: &str| program.is_subclass(&thrown.class, &ClassName::new(ancestor));
    // The second access to a class whose initialiser failed throws another error (JVMS §5.5).
    // Errors of the JVM itself depend on the machine.
    if is("java/lang/LinkageError") || is("java/lang/VirtualMachineError") || is("java/lang/ThreadDeath") {
        return Err(DiscardReason::Unsuitable(thrown.class.clone()));
    }
    let Some(class) = access.nearest_superclass(&thrown.class) else {
        return Err(DiscardReason::Unsuitable(thrown.class.clone()));
    };
    let same_message = executions.iter().all(|execution| match &execution.end {
        RunEnd::Threw { thrown: found, .. } => found.message == thrown.message,
        _ => false,
    });
    // The first frame is where the exception was created. In code of the project, the project wrote
    // the message.
    let own = thrown.frames.first().is_some_and(|(class, _, _)| program.is_project(class) && !is_compiler_check(class));
    let message = stated_message(thrown, options).filter(|_| same_message && own);
    let mut test = observed.test.clone();
    test.statements.truncate(statement as usize + 1);
    let target = match &test.statements[statement as usize].kind {
        _ if test.performed_request().is_some_and(|request| request.perform.0 == statement) => observed.target.clone(),
        StatementKind::Construct { constructor: method, .. } | StatementKind::Call { method, .. } => Some(method.clone()),
        _ => observed.target.clone(),
    };
    let tested = observed.target.as_ref().or(target.as_ref()).map(|method| method.owner.clone());
    let fault = tested.as_ref().and_then(|tested| exception_fault(program, &test, thrown, tested));
    let mut assumes = None;
    if let Some(asserting) = failed_assert(program, thrown) {
        // A test can ask a top-level class for its status; that of nested classes is the same.
        let candidates = [Some(top_level(program, asserting)), tested.map(|tested| top_level(program, &tested))];
        assumes = candidates.into_iter().flatten().find(|class| access.can_name_class(class));
        if assumes.is_none() {
            return Err(DiscardReason::Unsuitable(thrown.class.clone()));
        }
    }
    let expected = Some(ExpectedException { class, message });
    let acted = test.statements.len() as u32;
    // What mocks received before the exception.
    let observations = Observations { observed, executions, access, options, ran: statement };
    let assertions = observations.called(acted);
    let test = AssertedTest::without_assertions(test);
    Ok(AssertedTest { assertions, expected, target, fault, assumes, ..test }.without_unused())
}

/// The message of the exception, where a test can expect it.
pub(super) fn stated_message(thrown: &Thrown, options: &StateOptions) -> Option<Vec<u16>> {
    const LONGEST: usize = 120;
    let units = thrown.message.as_ref().filter(|units| (1..=LONGEST).contains(&units.len()))?;
    let is_own = !is_jvm_message(&thrown.class, &String::from_utf16_lossy(units));
    let is_stated = is_own && is_stable_text(units, options) && is_legible(units);
    is_stated.then(|| units.clone())
}

/// Whether no reader stumbles over a control character or half of a pair. A message has those from the values of the
/// test.
fn is_legible(units: &[u16]) -> bool {
    let is_noncharacter = |c: char| u32::from(c) & 0xfffe == 0xfffe;
    let is_plain = |c: char| matches!(c, '\t' | '\n' | '\r') || (!c.is_control() && !is_noncharacter(c));
    char::decode_utf16(units.iter().copied()).all(|unit| unit.is_ok_and(is_plain))
}

/// Whether the string is free of identity hashes, names of generated classes, and values of the
/// machine or the day.
fn is_stable_text(units: &[u16], options: &StateOptions) -> bool {
    let text = String::from_utf16_lossy(units);
    let generated = ["$$Lambda", "$Proxy", "ByCGLIB", "$$Enhancer", "Thread["].iter().any(|mark| text.contains(mark));
    let volatile = options.volatile.iter().any(|volatile| !volatile.is_empty() && text.contains(volatile.as_str()));
    // The text of a Mockito mock holds its identity hash.
    let mock = text.contains("Mock for ") && text.contains(", hashCode: ");
    !generated && !mock && !volatile && !has_identity_hash(&text)
}

/// Whether the text holds an identity hash such as `Foo@1b2c3d`. Fewer than five digits are rather
/// a mail address or a `hashCode` that the class defines.
fn has_identity_hash(text: &str) -> bool {
    let bytes = text.as_bytes();
    bytes.iter().enumerate().filter(|(_, byte)| **byte == b'@').any(|(at, _)| {
        let before = at > 0 && (bytes[at - 1].is_ascii_alphanumeric() || matches!(bytes[at - 1], b'_' | b'$' | b';' | b']'));
        let digits = bytes[at + 1..].iter().take_while(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f')).count();
        let ends = bytes.get(at + 1 + digits).is_none_or(|byte| !byte.is_ascii_alphanumeric());
        before && (5..=8).contains(&digits) && ends
    })
}

/// An observed test with its executions, while assertions are derived.
pub(super) struct Observations<'a> {
    pub(super) observed: &'a ObservedTest,
    pub(super) executions: &'a [Execution],
    pub(super) access: &'a Accessibility<'a>,
    pub(super) options: &'a StateOptions,
    /// Number of statements that ran in every execution.
    pub(super) ran: u32,
}

impl Observations<'_> {
    fn kind(&self, variable: VarId) -> &StatementKind {
        &self.observed.test.statements[variable.index()].kind
    }

    /// The snapshot on which all executions agree; `last`: the one after the last statement.
    fn agreed(&self, variable: VarId, last: bool) -> Option<&Snapshot> {
        let mut agreed: Option<&Snapshot> = None;
        for execution in self.executions {
            let list =
                if last && !execution.final_snapshots.is_empty() { &execution.final_snapshots } else { &execution.snapshots };
            let snapshot = list.get(variable.index())?;
            if agreed.is_some_and(|agreed| agreed != snapshot) {
                return None;
            }
            agreed = Some(snapshot);
        }
        agreed
    }

    /// The fact to assert about a variable.
    pub(super) fn fact(&self, variable: VarId) -> Option<Fact> {
        let inspector = variable.0 >= self.observed.acted;
        if inspector && asks_mock(&self.observed.test, self.observed.acted, self.executions, variable) {
            return None;
        }
        match self.kind(variable) {
            // That an object equals itself is asserted only in tests of `equals`.
            StatementKind::Call { method, receiver: Some(receiver), args, .. }
                if &*method.name == "equals"
                    && args.first() == Some(receiver)
                    && self.observed.target.as_ref().is_some_and(|target| target.name != method.name) =>
            {
                return None;
            }
            // A collection that the call changed.
            StatementKind::Construct { .. } if self.is_changed(variable) => {
                let whole = self.whole(variable)?;
                return is_filled(&whole).then_some(Fact::Equals(whole));
            }
            StatementKind::Call { .. } => {}
            StatementKind::GetField { .. } if inspector || variable.0 + 1 == self.observed.acted => {}
            // An argument array that the call changed.
            StatementKind::Array { .. }
                if self.is_argument(variable) && self.agreed(variable, false) != self.agreed(variable, true) =>
            {
                return match self.agreed(variable, true)? {
                    snapshot @ Snapshot::Array { elements: Some(_), .. } => self.stated(snapshot).map(Fact::Equals),
                    _ => None,
                };
            }
            _ => return None,
        }
        let snapshot = self.agreed(variable, false)?;
        match snapshot {
            Snapshot::Absent => None,
            Snapshot::Null => Some(Fact::Null),
            Snapshot::Object { same_as: Some(other), .. } if *other != variable.0 => {
                let earlier = *other < self.observed.acted && *other < variable.0;
                let named = tells_as_same(&self.observed.test, VarId(*other));
                let whole = || self.whole(variable).map_or(Fact::NotNull, Fact::Equals);
                Some(if earlier && named { Fact::SameAs(VarId(*other)) } else { whole() })
            }
            Snapshot::Object { class, .. } => Some(match self.whole(variable) {
                Some(whole) => Fact::Equals(whole),
                None if inspector || !self.tells_result(variable, class) => Fact::NotNull,
                None => Fact::InstanceOf(class.clone()),
            }),
            Snapshot::Array { .. } => {
                let stated = self.stated(self.agreed(variable, true)?);
                let is_large = |stated: &Snapshot| inspector && is_too_large(&self.observed.test, variable, stated);
                if stated.as_ref().is_some_and(is_large) {
                    return None;
                }
                Some(stated.map_or(Fact::NotNull, Fact::Equals))
            }
            other => Some(self.stated(other).map_or(Fact::NotNull, Fact::Equals)),
        }
    }

    /// Whether the call under test changed the object of the variable, which the test made for it and
    /// did not use otherwise; or the array.
    fn is_changed(&self, variable: VarId) -> bool {
        let (test, acted) = (&self.observed.test, self.observed.acted);
        if matches!(test.type_of(variable), JavaType::Array(_)) {
            return true;
        }
        written_arguments(test, acted).contains(&variable)
            && is_only_given(test, acted, variable)
            && self.agreed(variable, false).is_some_and(|before| self.agreed(variable, true) != Some(before))
    }

    /// Whether the subject reads an object of the JDK among the arguments that the call did not change.
    fn reads_unchanged(&self, subject: VarId) -> bool {
        let (test, acted) = (&self.observed.test, self.observed.acted);
        match &test.statement(subject).kind {
            StatementKind::Call { receiver: Some(receiver), .. } if subject.0 >= acted => {
                written_arguments(test, acted).contains(receiver) && !self.is_changed(*receiver)
            }
            _ => false,
        }
    }

    /// Whether the class of a result says more than its declared type: one of several cases that stand
    /// with the type in its package (`Result.Approved` of a `Result`). Implementations from other
    /// packages or from libraries are rarely part of a contract.
    fn tells_result(&self, variable: VarId, class: &ClassName) -> bool {
        let program = self.access.program();
        let JavaType::Class(declared) = self.observed.test.type_of(variable) else { return false };
        let is_open = program.class(declared).is_some_and(|model| model.is_interface() || model.is_abstract());
        is_open
            && declared != class
            && declared.package() == class.package()
            && self.access.is_related(class)
            && program.is_project(class)
            && program.is_subclass(class, declared)
            && self.access.can_name_class(class)
    }

    /// One line for each result of a call or read that gets no assertion, with the reason.
    fn describe_exclusions(&self, influenced: &[bool], chosen: &[Assertion]) -> String {
        let mut lines = String::new();
        for subject in (0..self.ran).map(VarId) {
            let is_result = matches!(self.kind(subject), StatementKind::Call { .. } | StatementKind::GetField { .. });
            if !is_result || chosen.iter().any(|assertion| assertion.subject == subject) {
                continue;
            }
            let reason = match self.agreed(subject, false) {
                None => "executions differ",
                Some(Snapshot::Absent) => "it has no value",
                Some(_) if !influenced[subject.index()] => "no code of the project influenced it",
                Some(_) if self.fact(subject).is_none() => "an assertion cannot state it",
                Some(_) => "other assertions imply it, or there are enough of them",
            };
            lines += &format!("no assertion about v{}: {reason}\n", subject.0);
        }
        lines
    }

    /// The value at the end, as far as an assertion may state it.
    fn whole(&self, variable: VarId) -> Option<Snapshot> {
        self.agreed(variable, true).and_then(|last| self.stated(last))
    }

    fn is_argument(&self, variable: VarId) -> bool {
        self.observed.test.statements.iter().any(|statement| match &statement.kind {
            StatementKind::Call { args, .. } | StatementKind::Construct { args, .. } => args.contains(&variable),
            _ => false,
        })
    }

    /// The snapshot as far as an assertion may state it; `None` where only its presence can be
    /// asserted.
    fn stated(&self, snapshot: &Snapshot) -> Option<Snapshot> {
        match snapshot {
            Snapshot::Absent | Snapshot::Container(_) | Snapshot::Str(None) => None,
            Snapshot::Object { contents, .. } => {
                let stated = stated_contents(contents.as_ref()?, self.access, |element| self.stated(element));
                stated.map(Snapshot::Container)
            }
            Snapshot::Str(Some(units)) => {
                (units.len() <= self.options.max_text && is_stable_text(units, self.options)).then(|| snapshot.clone())
            }
            Snapshot::Boxed(inner) => self.stated(inner).map(|inner| Snapshot::Boxed(Box::new(inner))),
            Snapshot::Enum { class, constant } => {
                let declaring = self.access.program().class_of_constant(class);
                let descriptor = format!("L{declaring};");
                let found = self.access.program().resolve_field(&declaring, constant, &descriptor)?;
                (self.access.can_name_class(&declaring) && self.access.can_use_field(&found))
                    .then(|| Snapshot::Enum { class: declaring, constant: constant.clone() })
            }
            Snapshot::ClassLiteral(ty) => self.access.can_name(ty).then(|| snapshot.clone()),
            Snapshot::Array { element, length, elements } => {
                let cells = elements.as_ref().filter(|cells| cells.len() <= self.options.max_cells).and_then(|cells| {
                    // A cell without a literal leaves all cells unstated.
                    cells
                        .iter()
                        .map(|cell| if *cell == Snapshot::Null { Some(Snapshot::Null) } else { self.stated(cell) })
                        .collect()
                });
                Some(Snapshot::Array { element: element.clone(), length: *length, elements: cells })
            }
            other => Some(other.clone()),
        }
    }

    /// The calls that mocks received from the first `acted` statements, as far as a test can verify
    /// them.
    pub(super) fn called(&self, acted: u32) -> Vec<Assertion> {
        // Spring calls the methods of a controller that fill the model in the order of reflection,
        // which differs from JVM to JVM. An exception ends the request at any of them.
        let threw = self.executions.iter().any(|execution| matches!(execution.end, RunEnd::Threw { .. }));
        if threw && self.observed.test.has_request() {
            return Vec::new();
        }
        let stated = |snapshot: &Snapshot, parameter: Option<&JavaType>| {
            let is_taken = parameter.is_none_or(|parameter| takes(parameter, snapshot, self.access));
            self.stated(snapshot).filter(|_| is_taken)
        };
        let called = called_facts(&self.observed.test, acted, self.executions, stated);
        let usable = called.into_iter().filter(|(_, fact)| can_verify(fact, self.access));
        usable.map(|(subject, fact)| Assertion { subject, fact }).collect()
    }

    /// A broken contract of `equals` or `compareTo` that one execution shows.
    fn fault(&self) -> Option<String> {
        let statements = &self.observed.test.statements;
        // A stub may answer what no implementation would.
        if statements.iter().any(|statement| matches!(statement.kind, StatementKind::Stub { .. })) {
            return None;
        }
        statements.iter().take(self.ran as usize).enumerate().find_map(|(index, statement)| {
            let StatementKind::Call { method, receiver: Some(receiver), args, .. } = &statement.kind else { return None };
            let snapshot = self.agreed(VarId(index as u32), false)?;
            let itself = args.first() == Some(receiver);
            let null = args.first().is_some_and(|arg| *self.kind(*arg) == StatementKind::Literal(Literal::Null));
            match (&*method.name, snapshot) {
                ("equals", Snapshot::Boolean(false)) if itself => Some("an object is not equal to itself".to_string()),
                ("equals", Snapshot::Boolean(true)) if null && *method.descriptor == *"(Ljava/lang/Object;)Z" => {
                    Some("an object is equal to null".to_string())
                }
                ("compareTo", Snapshot::Int(order)) if itself && *order != 0 => {
                    Some("an object does not compare to itself as 0".to_string())
                }
                _ => None,
            }
        })
    }
}

impl AssertedTest {
    /// The test case with nothing to assert.
    pub(crate) fn without_assertions(test: TestCase) -> AssertedTest {
        AssertedTest {
            acted: test.statements.len() as u32,
            test,
            assertions: Vec::new(),
            expected: None,
            target: None,
            fault: None,
            assumes: None,
            undoing: 0,
            resets: Vec::new(),
            relevance: BTreeMap::new(),
            ways: BTreeSet::new(),
        }
    }

    /// Keeps the assertions marked in `wanted`, which holds one element an assertion, and the
    /// inspectors that they need.
    pub fn retain_assertions(&self, wanted: &[bool]) -> AssertedTest {
        let assertions =
            self.assertions.iter().zip(wanted).filter(|(_, wanted)| **wanted).map(|(assertion, _)| assertion.clone()).collect();
        AssertedTest { assertions, ..self.clone() }.without_unused()
    }

    /// Drops unused values and inspectors that no assertion needs.
    pub(crate) fn without_unused(self) -> AssertedTest {
        let count = self.test.statements.len();
        let mut keep = vec![false; count];
        for assertion in &self.assertions {
            keep[assertion.subject.index()] = true;
            assertion.fact.others().iter().for_each(|other| keep[other.index()] = true);
        }
        for index in (0..count).rev() {
            let kind = &self.test.statements[index].kind;
            let own = (index as u32) < self.acted;
            keep[index] |= index + self.undoing as usize >= count;
            keep[index] |= own && (kind.has_effect() || index as u32 + 1 == self.acted);
            if keep[index] {
                kind.for_each_use(|used| keep[used.index()] = true);
            }
        }
        self.keeping(&keep)
    }

    /// The test with the statements marked in `keep`, on which no other statement or assertion may
    /// depend.
    pub(super) fn keeping(mut self, keep: &[bool]) -> AssertedTest {
        let renumbered: Vec<u32> = keep
            .iter()
            .scan(0, |next, kept| {
                let number = *next;
                *next += u32::from(*kept);
                Some(number)
            })
            .collect();
        for assertion in &mut self.assertions {
            assertion.subject = VarId(renumbered[assertion.subject.index()]);
            for other in assertion.fact.others_mut() {
                *other = VarId(renumbered[other.index()]);
            }
        }
        self.relevance.retain(|variable, _| keep[variable.index()]);
        self.relevance =
            self.relevance.into_iter().map(|(variable, relevance)| (VarId(renumbered[variable.index()]), relevance)).collect();
        self.acted = keep[..self.acted as usize].iter().filter(|kept| **kept).count() as u32;
        retain(&mut self.test, keep, &renumbered);
        self
    }
}

fn retain(test: &mut TestCase, keep: &[bool], renumbered: &[u32]) {
    let mut index = 0;
    test.statements.retain(|_| {
        index += 1;
        keep[index - 1]
    });
    for statement in &mut test.statements {
        statement.kind.for_each_use_mut(|used| *used = VarId(renumbered[used.index()]));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identity_hashes_are_found_in_strings() {
        for text in ["p.Foo@1b2c3d4", "[Foo@12345, x]", "[I@abcdef"] {
            assert!(has_identity_hash(text), "{text}");
        }
        for text in ["a@b.example", "@12", "me@abcdefabc", "x @ 12"] {
            assert!(!has_identity_hash(text), "{text}");
        }
    }

    #[test]
    fn a_call_that_gets_an_identity_hash_is_found() {
        let test: TestCase = "v0: Lp/Foo; = new p/Foo.<init> ()V ()\n\
             v1: Ljava/lang/String; = call method p/Foo.toString ()Ljava/lang/String; on v0 ()\n\
             v2: Z = call method p/Foo.read (Ljava/lang/String;)Z on v0 (v1)\n"
            .parse()
            .expect("well-formed");
        let uses = |text: &str, acted: u32| {
            let text = Snapshot::Str(Some(text.encode_utf16().collect()));
            let snapshots = vec![Snapshot::Absent, text, Snapshot::Boolean(true)];
            let execution = Execution { snapshots, ..Execution::without_measurements(RunEnd::Completed) };
            uses_identity_hash(&test, &execution, acted)
        };
        assert!(uses("p.Foo@1b2c3d4", 3));
        assert!(!uses("foo", 3));
        assert!(!uses("p.Foo@1b2c3d4", 2), "an inspector may ask for it");
    }

    #[test]
    fn messages_that_repeat_control_characters_are_not_stated() {
        let is_legible = |text: &str| is_legible(&text.encode_utf16().collect::<Vec<u16>>());
        assert!(is_legible("ung\u{fc}ltiger Name: \u{430}\n1 \u{1f600}"));
        assert!(!is_legible("the name \0 is not legal") && !is_legible("\u{ffff}"));
        assert!(!super::is_legible(&[0xdc00]), "half of a pair");
    }

    #[test]
    fn messages_of_the_jvm_are_told_from_those_of_the_project() {
        let jvm = |class: &str, message: &str| is_jvm_message(&ClassName::new(class), message);
        assert!(jvm("java/lang/NullPointerException", "Cannot invoke \"String.length()\" because \"<local1>\" is null"));
        assert!(!jvm("java/lang/NullPointerException", "name"));
        let kotlin = "Parameter specified as non-null is null: method p.DiscountKt.describe, parameter discount";
        assert!(jvm("java/lang/NullPointerException", kotlin));
        assert!(is_compiler_check(&ClassName::new("kotlin/jvm/internal/Intrinsics")));
        assert!(!is_compiler_check(&ClassName::new("p/Intrinsics")));
        assert!(jvm("java/lang/ArrayIndexOutOfBoundsException", "Index 5 out of bounds for length 3"));
        assert!(!jvm("java/lang/ArithmeticException", "overflow: gcd is 2^31"));
    }
}
