//! Tests that state what a changed test case shows.
//!
//! In: a test whose statements were changed, an execution of it. Out: the test with the values that
//! this execution shows, where it can say them in the same way as before. Must not know why the
//! statements were changed.

use std::mem::discriminant;

use super::statements::{Observations, StateOptions, stated_message};
use super::{Accessibility, ArgumentFact, AssertedTest, Assertion, ExpectedException, Fact, ObservedTest};
use crate::execution::{Execution, RunEnd, Snapshot};
use crate::program::{JavaType, MethodRef};
use crate::testcase::VarId;

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
                    // What an object lacked may be a text, a number or an object of the test now.
                    Fact::Null if self.may_be_text(*subject) => match observations.fact(*subject)? {
                        now @ (Fact::Null | Fact::SameAs(_) | Fact::Equals(Snapshot::Str(_) | Snapshot::Boxed(_))) => now,
                        _ => return None,
                    },
                    // Calls of one method stay in their order.
                    Fact::Called { .. } => called
                        .iter()
                        .enumerate()
                        .filter(|(_, now)| now.subject == *subject)
                        .find_map(|(place, now)| Some((place, restated_call(fact, &now.fact)?)))
                        .map_or_else(
                            || fact.clone(),
                            |(place, restated)| {
                                called.remove(place);
                                restated
                            },
                        ),
                    other => other.clone(),
                };
                Some(Assertion { subject: *subject, fact })
            })
            .collect();
        Some(AssertedTest { assertions: assertions?, expected, ..self.clone() })
    }

    /// Whether a value that is null may say as well which text it is: what an inspector gives, or a text
    /// that the call under test returns.
    pub(crate) fn may_be_text(&self, subject: VarId) -> bool {
        subject.0 >= self.acted || *self.test.type_of(subject) == JavaType::class("java/lang/String")
    }
}

/// The fact about as many calls of the same method, with the arguments that these have now; `None` where
/// it would say another kind of thing of one of them.
fn restated_call(before: &Fact, now: &Fact) -> Option<Fact> {
    let Fact::Called { method, arguments, times } = before else { return None };
    let Fact::Called { method: method_now, arguments: now, times: times_now } = now else { return None };
    if method != method_now || times != times_now || arguments.len() != now.len() {
        return None;
    }
    let arguments: Option<Vec<ArgumentFact>> =
        arguments.iter().zip(now).map(|(before, now)| restated_argument(before, now)).collect();
    Some(Fact::Called { method: method.clone(), arguments: arguments?, times: *times })
}

/// What is said of an argument, with the values that it has now.
fn restated_argument(before: &ArgumentFact, now: &ArgumentFact) -> Option<ArgumentFact> {
    match (before, now) {
        (ArgumentFact::Any, _) => Some(ArgumentFact::Any),
        (ArgumentFact::Equals(before), ArgumentFact::Equals(value)) if is_of_same_kind(before, value) => Some(now.clone()),
        (ArgumentFact::Captured(before), ArgumentFact::Captured(now)) => {
            let value = |(inspector, _): &(MethodRef, Snapshot)| now.iter().find(|(method, _)| method == inspector).cloned();
            before.iter().map(value).collect::<Option<_>>().map(ArgumentFact::Captured)
        }
        (before, now) => (before == now).then(|| before.clone()),
    }
}

/// Whether the values are said in the same way. A text or boxed number may be in place of null.
fn is_of_same_kind(before: &Snapshot, now: &Snapshot) -> bool {
    match (before, now) {
        (Snapshot::Boolean(before), Snapshot::Boolean(now)) => before == now,
        (Snapshot::Boxed(before), Snapshot::Boxed(now)) => is_of_same_kind(before, now),
        (Snapshot::Container(before), Snapshot::Container(now)) => before.kind == now.kind,
        (Snapshot::Null, Snapshot::Str(_) | Snapshot::Boxed(_)) => true,
        _ => discriminant(before) == discriminant(now),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::program::ClassName;

    #[test]
    fn a_text_may_be_in_place_of_null() {
        let [null, text, number] = [Snapshot::Null, Snapshot::Str(Some(vec![97])), Snapshot::Int(4)].map(ArgumentFact::Equals);
        assert_eq!(restated_argument(&null, &text), Some(text.clone()));
        assert_eq!([restated_argument(&text, &null), restated_argument(&null, &number)], [None, None]);
    }

    #[test]
    fn what_is_said_of_an_argument_is_said_of_the_one_that_is_there_now() {
        let inspector = |name: &str| MethodRef::new(ClassName::new("p/Foo"), name, "()I");
        let captured = |values: &[(&str, i32)]| {
            ArgumentFact::Captured(values.iter().map(|(name, value)| (inspector(name), Snapshot::Int(*value))).collect())
        };
        let now = captured(&[("size", 3), ("count", 4)]);
        assert_eq!(restated_argument(&captured(&[("count", 1)]), &now), Some(captured(&[("count", 4)])));
        assert_eq!(restated_argument(&captured(&[("other", 1)]), &now), None);
        assert_eq!(restated_argument(&ArgumentFact::Any, &now), Some(ArgumentFact::Any));
        let equals = |value: i32| ArgumentFact::Equals(Snapshot::Int(value));
        assert_eq!(restated_argument(&equals(1), &equals(2)), Some(equals(2)));
        assert_eq!(restated_argument(&equals(1), &ArgumentFact::Is(VarId(0))), None);
    }

    #[test]
    fn values_of_one_kind_are_said_in_the_same_way() {
        let number = |value: i32| Snapshot::Boxed(Box::new(Snapshot::Int(value)));
        assert!(is_of_same_kind(&number(1), &number(-7)));
        assert!(!is_of_same_kind(&number(1), &Snapshot::Int(1)));
        assert!(!is_of_same_kind(&Snapshot::Boolean(true), &Snapshot::Boolean(false)));
    }
}
