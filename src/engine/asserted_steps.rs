//! Assertions about the steps of a test that ask an object for something.
//!
//! In: tests that are as short as they can be. Out: those that show what such a step returned. Must not know which of
//! them kill mutants.
//!
//! `tokener.nextTo("x");` in front of the call under test looks like a mistake: the line asks and ignores the answer.
//! It is there because the object changes by it. With the answer it reads as one step of a story.

use crate::execution::{Execution, Snapshot};
use crate::oracle::{AssertedTest, Assertion, Fact};
use crate::program::MethodRef;
use crate::testcase::VarId;

/// Beginnings of names of methods that change an object, whatever they return.
const CHANGES: [&str; 12] =
    ["add", "append", "clear", "insert", "offer", "push", "put", "register", "remove", "set", "unset", "write"];
/// Longest text that is asserted, and the first number that is too large.
const LONGEST: usize = 24;
const LARGE: u64 = 1_000_000;

/// The test that shows what its steps return. `execution`: of the test.
pub(super) fn with_asserted_steps(test: &AssertedTest, execution: &Execution) -> AssertedTest {
    let asks = |call: &VarId| test.test.statement(*call).kind.called_method().is_some_and(is_question);
    let fact = |call: VarId| execution.snapshots.get(call.index()).and_then(plain_fact);
    let mut asserted = test.clone();
    if !test.test.has_request() {
        let steps = test.ignored_calls().filter(asks);
        asserted.assertions.extend(steps.filter_map(|subject| Some(Assertion { subject, fact: fact(subject)? })));
    }
    asserted
}

/// Whether the name of the method does not say that it changes something.
fn is_question(method: &MethodRef) -> bool {
    !CHANGES.iter().any(|change| method.name.starts_with(change))
}

/// What can be said of the value in a few letters; nothing of one that may be another one next time.
fn plain_fact(value: &Snapshot) -> Option<Fact> {
    // The text of an object may have its identity hash.
    let is_letter = |unit: &u16| (0x20..0x7f).contains(unit) && *unit != u16::from(b'@');
    let is_plain = match value {
        Snapshot::Null => return Some(Fact::Null),
        Snapshot::Str(Some(units)) => units.len() <= LONGEST && units.iter().all(is_letter),
        Snapshot::Boolean(_) | Snapshot::Char(_) => true,
        Snapshot::Int(number) => u64::from(number.unsigned_abs()) < LARGE,
        Snapshot::Long(number) => number.unsigned_abs() < LARGE,
        _ => false,
    };
    is_plain.then(|| Fact::Equals(value.clone()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::execution::RunEnd;

    #[test]
    fn steps_that_ask_show_what_they_got() {
        let with = |step: &str, value: Snapshot| -> usize {
            let text = format!(
                "target p/Shop.close ()I\nacted 3\nv0: Lp/Shop; = new p/Shop.<init> ()V ()\nv1: {step} on v0 ()\n\
                 v2: I = call method p/Shop.close ()I on v0 ()\nassert v2 equals int 4\n"
            );
            let test: AssertedTest = text.parse().expect("well-formed");
            let mut execution = Execution::without_measurements(RunEnd::Completed);
            execution.snapshots = vec![Snapshot::Null, value, Snapshot::Int(4)];
            with_asserted_steps(&test, &execution).assertions.len()
        };
        let text = |text: &str| Snapshot::Str(Some(text.encode_utf16().collect()));
        let name = "Ljava/lang/String; = call method p/Shop.nextName ()Ljava/lang/String;";
        assert_eq!(with(name, text("name")), 2);
        assert_eq!(with(name, text("p.Shop@1b2c")), 1, "another object has another text");
        assert_eq!(with("Z = call method p/Shop.more ()Z", Snapshot::Boolean(true)), 2);
        let added = with("Z = call method p/Shop.addFirst ()Z", Snapshot::Boolean(true));
        assert_eq!(added, 1, "it is called to change the shop");
        assert_eq!(with("V = call method p/Shop.open ()V", Snapshot::Null), 1);
    }
}
