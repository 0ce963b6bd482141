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
/// Longest decimal that is asserted. The last places of longer ones differ between JVMs.
const LONGEST_DECIMAL: usize = 6;
/// Longest array that is asserted.
const MOST_CELLS: usize = 8;

/// The test that shows what its steps return, and what the call under test writes to arrays. `execution`: of the test.
pub(super) fn with_asserted_steps(test: &AssertedTest, execution: &Execution) -> AssertedTest {
    let asks = |call: &VarId| test.test.statement(*call).kind.called_method().is_some_and(is_question);
    let fact = |call: VarId| execution.snapshots.get(call.index()).and_then(plain_fact);
    let mut asserted = test.clone();
    if !test.test.has_request() {
        let steps = test.ignored_calls().filter(asks);
        asserted.assertions.extend(steps.filter_map(|subject| Some(Assertion { subject, fact: fact(subject)? })));
        asserted.assertions.extend(written_arrays(test, execution));
    }
    asserted
}

/// What small arrays hold that the call under test gets and changes.
fn written_arrays(test: &AssertedTest, execution: &Execution) -> Vec<Assertion> {
    let Some(call) = test.acted.checked_sub(1).filter(|_| test.expected.is_none() && test.fault.is_none()) else {
        return Vec::new();
    };
    let mut given = test.test.statement(VarId(call)).kind.uses();
    given.sort();
    given.dedup();
    let written = given.into_iter().filter_map(|subject| {
        let before = execution.snapshots.get(subject.index())?;
        let after = execution.final_snapshots.get(subject.index())?;
        let Snapshot::Array { elements: Some(cells), .. } = after else { return None };
        let is_asserted = test.assertions.iter().any(|assertion| assertion.subject == subject);
        let is_small = cells.len() <= MOST_CELLS && cells.iter().all(|cell| *cell == Snapshot::Null || is_plain(cell));
        (before != after && is_small && !is_asserted).then(|| Assertion { subject, fact: Fact::Equals(after.clone()) })
    });
    written.collect()
}

/// Whether the name of the method does not say that it changes something.
pub(super) fn is_question(method: &MethodRef) -> bool {
    !CHANGES.iter().any(|change| method.name.starts_with(change))
}

/// What can be said of the value in a few letters; nothing of one that may be another one next time.
fn plain_fact(value: &Snapshot) -> Option<Fact> {
    if *value == Snapshot::Null {
        return Some(Fact::Null);
    }
    is_plain(value).then(|| Fact::Equals(value.clone()))
}

fn is_plain(value: &Snapshot) -> bool {
    match value {
        Snapshot::Boxed(inner) => is_plain(inner),
        Snapshot::Str(Some(units)) => units.len() <= LONGEST && is_plain_text(units),
        Snapshot::Boolean(_) | Snapshot::Char(_) | Snapshot::Byte(_) | Snapshot::Short(_) => true,
        Snapshot::Double(bits) => is_short_decimal(f64::from_bits(*bits)),
        Snapshot::Int(number) => u64::from(number.unsigned_abs()) < LARGE,
        Snapshot::Long(number) => number.unsigned_abs() < LARGE,
        _ => false,
    }
}

/// Whether the text has only printable ASCII characters, and no sign in front of an identity hash.
pub(super) fn is_plain_text(units: &[u16]) -> bool {
    units.iter().all(|unit| (0x20..0x7f).contains(unit) && *unit != u16::from(b'@'))
}

fn is_short_decimal(value: f64) -> bool {
    value.is_finite() && value.to_string().len() <= LONGEST_DECIMAL
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::execution::RunEnd;
    use crate::program::JavaType;

    #[test]
    fn what_the_call_writes_to_a_small_array_is_shown() {
        let with = |before: usize, after: usize| -> usize {
            let text = "target p/Hex.fill ([B)I\nacted 2\nv0: [B = call method p/Hex.make ()[B ()\n\
                        v1: I = call method p/Hex.fill ([B)I (v0)\nassert v1 equals int 1\n";
            let test: AssertedTest = text.parse().expect("well-formed");
            let array = |length: usize, first: i8| {
                let mut cells = vec![Snapshot::Byte(0); length];
                cells[0] = Snapshot::Byte(first);
                Snapshot::Array { element: JavaType::BYTE, length: length as u32, elements: Some(cells) }
            };
            let mut execution = Execution::without_measurements(RunEnd::Completed);
            execution.snapshots = vec![array(before, 0), Snapshot::Int(1)];
            execution.final_snapshots = vec![array(before, after as i8), Snapshot::Int(1)];
            with_asserted_steps(&test, &execution).assertions.len()
        };
        assert_eq!((with(8, 5), with(8, 0), with(9, 5)), (2, 1, 1));
    }

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
        let price = |value: f64| Snapshot::Boxed(Box::new(Snapshot::Double(value.to_bits())));
        let double = "Ljava/lang/Double; = call method p/Shop.price ()Ljava/lang/Double;";
        assert_eq!((with(double, price(0.5)), with(double, price(0.1 + 0.2))), (2, 1));
        let added = with("Z = call method p/Shop.addFirst ()Z", Snapshot::Boolean(true));
        assert_eq!(added, 1, "it is called to change the shop");
        assert_eq!(with("V = call method p/Shop.open ()V", Snapshot::Null), 1);
    }
}
