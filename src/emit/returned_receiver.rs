//! Calls that return their receiver: the state is asked of the result.
//!
//! In: an asserted test. Out: the test as a person writes it for a fluent class. Must not know Java text.
//!
//! ```java
//! assertSame(builder, builder.append(1));            assertEquals(1, builder.append(1).build());
//! assertEquals(1, builder.build());
//! ```
//!
//! Where the call returns null instead, both forms fail.

use crate::oracle::{AssertedTest, Fact};
use crate::program::{JavaType, Program};
use crate::testcase::{StatementKind, VarId};

/// The test with its state asked of the result, where all that it asserts is that the result is the receiver, and one
/// state of it.
pub(super) fn asked_of_result(program: &Program, test: &AssertedTest) -> AssertedTest {
    let mut written = test.clone();
    if let Some((call, state)) = state_of_returned_receiver(program, test) {
        let subject = test.assertions[state].subject;
        if let StatementKind::Call { receiver, .. } = &mut written.test.statements[subject.index()].kind {
            *receiver = Some(call);
        }
        written.assertions = vec![test.assertions[state].clone()];
    }
    written
}

/// The call under test, and the position of the assertion about a state of its receiver.
fn state_of_returned_receiver(program: &Program, test: &AssertedTest) -> Option<(VarId, usize)> {
    let call = VarId(test.acted.checked_sub(1).filter(|_| test.expected.is_none())?);
    let kind = |variable: VarId| &test.test.statement(variable).kind;
    let StatementKind::Call { method, receiver: Some(object), .. } = kind(call) else { return None };
    let [first, second] = test.assertions.as_slice() else { return None };
    let says_same = |position: usize| {
        let assertion = &test.assertions[position];
        assertion.subject == call && assertion.fact == Fact::SameAs(*object)
    };
    let state = (0..2).find(|position| says_same(1 - position) && !says_same(*position))?;
    let asserted = if state == 0 { first } else { second };
    let StatementKind::Call { method: inspector, receiver: Some(read), args, .. } = kind(asserted.subject) else {
        return None;
    };
    let is_value = matches!(asserted.fact, Fact::Equals(_) | Fact::Null);
    let is_inspected = asserted.subject.0 >= test.acted && args.is_empty() && [call, *object].contains(read);
    let has_inspector = program.is_subtype(&method.return_type(), &JavaType::Class(inspector.owner.clone()));
    let is_used = |variable: &VarId| *variable == call;
    let mut others = test.test.statements.iter().skip(test.acted as usize).enumerate();
    let is_alone = others.all(|(place, statement)| {
        test.acted as usize + place == asserted.subject.index() || !statement.kind.uses().iter().any(is_used)
    });
    let is_own = test.target.as_ref() == Some(method) && !test.test.has_request();
    (is_own && is_value && is_inspected && has_inspector && is_alone).then_some((call, state))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::emit::tests::sample_program;

    const TEST: &str = "target p/ItemBuilder.name (Ljava/lang/String;)Lp/ItemBuilder;\nacted 3\n\
        v0: Lp/ItemBuilder; = new p/ItemBuilder.<init> ()V ()\nv1: Ljava/lang/String; = string \"lamp\"\n\
        v2: Lp/ItemBuilder; = call method p/ItemBuilder.name (Ljava/lang/String;)Lp/ItemBuilder; on v0 (v1)\n\
        v3: Lp/Calls; = call method p/ItemBuilder.build ()Lp/Calls; on v0 ()\nassert v2 same v0\nassert v3 null\n";

    fn written(test: &str) -> String {
        asked_of_result(&sample_program(), &test.parse().expect("well-formed")).to_string()
    }

    #[test]
    fn the_state_is_asked_of_a_result_that_is_the_receiver() {
        let asked = written(TEST);
        assert!(asked.contains("build ()Lp/Calls; on v2 ()") && !asked.contains("same"), "{asked}");
    }

    #[test]
    fn other_tests_stay() {
        let further = format!("{TEST}assert v0 not-null\n");
        let of_other = TEST.replace("target p/ItemBuilder.name (Ljava/lang/String;)Lp/ItemBuilder;", "target p/Calls.old ()V");
        for test in [&further, &of_other, &TEST.replace("v2 same v0", "v2 not-null"), &TEST.replace("v3 null", "v3 not-null")] {
            let test: AssertedTest = test.parse().expect("well-formed");
            assert_eq!(asked_of_result(&sample_program(), &test), test);
        }
    }
}
