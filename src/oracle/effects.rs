//! Effects of the call under test besides its result. In: an asserted test, and its execution without
//! the call. Out: the assertions that then fail. Must not know mutants.
//!
//! A test of `discontinue()` that only asserts `true` says nothing about the status. Where an inspector
//! shows another value than without the call, the value is an effect of the call.

use super::{AssertedTest, Assertion, Fact};
use crate::execution::{Execution, RunEnd};
use crate::program::JavaType;
use crate::testcase::{Literal, Statement, StatementKind, TestCase, VarId};

/// The test without its call. Literals replace the call and its dependants, so that the other statements
/// keep their numbers. `None` where inspectors can show no effect: the call constructs the object under
/// test, or fails.
pub(crate) fn without_call(test: &AssertedTest) -> Option<TestCase> {
    let call = test.acted.checked_sub(1)?;
    let is_call = matches!(test.test.statement(VarId(call)).kind, StatementKind::Call { .. });
    if test.expected.is_some() || !is_call || test.test.has_request() {
        return None;
    }
    let mut changed = test.test.clone();
    let independent = test.test.independent_of(call as usize);
    for place in (0..independent.len()).filter(|place| !independent[*place]) {
        changed.statements[place] = Statement { kind: StatementKind::Literal(Literal::Int(0)), ty: JavaType::INT };
    }
    Some(changed)
}

/// For each assertion, whether it states an effect: it fails in the execution of [`without_call`].
pub(crate) fn effects(test: &AssertedTest, execution: &Execution) -> Vec<bool> {
    // An inspector may fail without the call: a list that the call fills has no first element.
    let failed = match execution.end {
        RunEnd::Completed => None,
        RunEnd::Threw { statement, .. } if statement >= test.acted => Some(statement),
        _ => return vec![false; test.assertions.len()],
    };
    let independent_of = |statement: u32| test.test.independent_of(statement as usize);
    let independent_of_call = test.acted.checked_sub(1).map(independent_of);
    let independent_of_failed = failed.map(independent_of);
    let is_independent = |of: &Option<Vec<bool>>, subject: usize| of.as_ref().is_none_or(|independent| independent[subject]);
    let is_effect = |assertion: &Assertion| {
        let subject = assertion.subject.index();
        let was_run = failed.is_none_or(|statement| assertion.subject.0 < statement);
        let fails = if was_run {
            !super::kill::holds(assertion, test.acted, execution)
        } else {
            !is_independent(&independent_of_failed, subject)
        };
        fails && is_independent(&independent_of_call, subject) && !matches!(assertion.fact, Fact::Called { .. } | Fact::NotNull)
    };
    test.assertions.iter().map(is_effect).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::execution::{Snapshot, Thrown};
    use crate::program::ClassName;

    const TEST: &str = "\
target p/Product.discontinue ()Z
acted 2
v0: Lp/Product; = new p/Product.<init> ()V ()
v1: Z = call method p/Product.discontinue ()Z on v0 ()
v2: I = call method p/Product.grams ()I on v0 ()
v3: Z = call method p/Product.isSold ()Z on v0 ()
v4: Ljava/lang/String; = call method java/lang/Object.toString ()Ljava/lang/String; on v1 ()
assert v1 equals true
assert v2 equals int 5
assert v3 equals true
assert v4 equals string \"a\"
";

    #[test]
    fn what_differs_without_the_call_is_an_effect() {
        let test: AssertedTest = TEST.parse().expect("well-formed");
        let without = without_call(&test).expect("a call");
        let text = without.to_string();
        assert!(text.contains("v1: I = int 0\nv2: I = call") && text.contains("v4: I = int 0\n"), "{text}");
        let zero = || Snapshot::Int(0);
        let snapshots = vec![Snapshot::Absent, zero(), Snapshot::Int(5), Snapshot::Boolean(false), zero()];
        let execution =
            Execution { final_snapshots: snapshots.clone(), snapshots, ..Execution::without_measurements(RunEnd::Completed) };
        assert_eq!(effects(&test, &execution), [false, false, true, false]);
        let thrown = Thrown { class: ClassName::new("p/E"), message: None, in_project: true, frames: Vec::new() };
        let failed = Execution { end: RunEnd::Threw { statement: 2, thrown }, ..execution.clone() };
        assert_eq!(effects(&test, &failed), [false, true, false, false], "the inspector fails without the call");
        let died = Execution { end: RunEnd::Died, ..execution };
        assert_eq!(effects(&test, &died), [false; 4]);
    }

    #[test]
    fn constructions_and_failing_calls_have_none() {
        let text = "acted 1\nv0: Lp/Product; = new p/Product.<init> ()V ()\n";
        let made: AssertedTest = text.parse().expect("well-formed");
        assert_eq!(without_call(&made), None);
        let failing: AssertedTest = format!("{TEST}throws java/lang/ArithmeticException\n").parse().expect("well-formed");
        assert_eq!(without_call(&failing), None);
    }
}
