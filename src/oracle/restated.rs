//! Tests that state what a changed test case shows.
//!
//! In: a test whose statements were changed, an execution of it. Out: the test with the values that
//! this execution shows, where it can say them in the same way as before. Must not know why the
//! statements were changed.

use std::mem::discriminant;

use super::statements::{Observations, StateOptions, stated_message};
use super::{Accessibility, ArgumentFact, AssertedTest, Assertion, ExpectedException, Fact, ObservedTest};
use crate::execution::{Execution, RunEnd, Snapshot};

impl AssertedTest {
    /// The test with values that hold in the execution, about the same subjects. `None` where a value
    /// is of another kind, where the answer of a predicate is another one, and where the execution
    /// ends in another way. Other facts stay as they are, whether they hold or not.
    pub(crate) fn restated(
        &self,
        execution: &Execution,
        access: &Accessibility<'_>,
        options: &StateOptions,
    ) -> Option<AssertedTest> {
        let expected = match (&self.expected, &execution.end) {
            (None, RunEnd::Completed) => None,
            (Some(expected), RunEnd::Threw { thrown, .. }) => {
                let message = match &expected.message {
                    None => None,
                    Some(_) => Some(stated_message(thrown, options)?),
                };
                Some(ExpectedException { message, ..expected.clone() })
            }
            _ => return None,
        };
        let observed = ObservedTest { test: self.test.clone(), acted: self.acted, target: self.target.clone() };
        let executions = std::slice::from_ref(execution);
        let observations = Observations { observed: &observed, executions, access, options, ran: self.test.len() as u32 };
        let mut called = observations.called(self.acted);
        let assertions: Option<Vec<Assertion>> = self
            .assertions
            .iter()
            .map(|Assertion { subject, fact }| {
                let fact = match fact {
                    Fact::Equals(before) => match observations.fact(*subject)? {
                        Fact::Equals(now) if is_of_same_kind(before, &now) => Fact::Equals(now),
                        _ => return None,
                    },
                    // Calls of one method stay in their order.
                    Fact::Called { .. } => called
                        .iter()
                        .position(|now| now.subject == *subject && is_same_call(fact, &now.fact))
                        .map_or_else(|| fact.clone(), |place| called.remove(place).fact),
                    other => other.clone(),
                };
                Some(Assertion { subject: *subject, fact })
            })
            .collect();
        Some(AssertedTest { assertions: assertions?, expected, ..self.clone() })
    }
}

/// Whether the facts are about as many calls of one method, and say the same kind of thing of each
/// argument.
fn is_same_call(before: &Fact, now: &Fact) -> bool {
    let Fact::Called { method, arguments, times } = before else { return false };
    let Fact::Called { method: method_now, arguments: now, times: times_now } = now else { return false };
    let is_same_kind = |(before, now): (&ArgumentFact, &ArgumentFact)| match (before, now) {
        (ArgumentFact::Equals(before), ArgumentFact::Equals(now)) => is_of_same_kind(before, now),
        (ArgumentFact::Captured(before), ArgumentFact::Captured(now)) => {
            before.iter().map(|(inspector, _)| inspector).eq(now.iter().map(|(inspector, _)| inspector))
        }
        (before, now) => before == now,
    };
    method == method_now && times == times_now && arguments.len() == now.len() && arguments.iter().zip(now).all(is_same_kind)
}

/// Whether the values are said in the same way.
fn is_of_same_kind(before: &Snapshot, now: &Snapshot) -> bool {
    match (before, now) {
        (Snapshot::Boolean(before), Snapshot::Boolean(now)) => before == now,
        (Snapshot::Boxed(before), Snapshot::Boxed(now)) => is_of_same_kind(before, now),
        (Snapshot::Container(before), Snapshot::Container(now)) => before.kind == now.kind,
        _ => discriminant(before) == discriminant(now),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_of_one_kind_are_said_in_the_same_way() {
        let number = |value: i32| Snapshot::Boxed(Box::new(Snapshot::Int(value)));
        assert!(is_of_same_kind(&number(1), &number(-7)));
        assert!(!is_of_same_kind(&number(1), &Snapshot::Int(1)));
        assert!(!is_of_same_kind(&Snapshot::Boolean(true), &Snapshot::Boolean(false)));
    }
}
