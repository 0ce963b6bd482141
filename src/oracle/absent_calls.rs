//! Calls that mocks did not receive. Flows in: asserted tests, and the methods that each test called
//! on its mocks; flows out: a [`Fact::Called`] with zero calls, where another test of the same method
//! shows that the method makes this call. Must not know which facts kill a mutant.
//!
//! A test of an order that is refused asserts little, unless it says that nothing was saved: an exception
//! alone says nothing about what the method did before.

use std::collections::BTreeSet;

use super::interactions::{is_command, is_stubbed_query};
use super::{ArgumentFact, AssertedTest, Assertion, Fact};
use crate::execution::Execution;
use crate::program::{ClassName, MethodRef};
use crate::testcase::{TestCase, VarId};

/// Facts that one test gets, at most.
const MOST_FACTS: usize = 3;
/// Calls that the runner records, at most (`Interactions.MOST_CALLS`).
const MOST_RECORDED: usize = 64;

/// Methods that a test called on mocks, each with the class of the mock.
pub(crate) type ReceivedCalls = BTreeSet<(ClassName, MethodRef)>;

/// A method of a mock, and the method under test that calls it.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct MockCall {
    caller: Option<MethodRef>,
    mock: ClassName,
    method: MethodRef,
}

/// The methods that the executions of a test called on its mocks, inspectors included; `None` where
/// not all calls were recorded.
pub(crate) fn received_calls<'e>(test: &TestCase, executions: impl Iterator<Item = &'e Execution>) -> Option<ReceivedCalls> {
    let mut received = ReceivedCalls::new();
    for Execution { interactions, .. } in executions {
        if interactions.len() >= MOST_RECORDED {
            return None;
        }
        let calls = interactions.iter();
        received.extend(calls.filter_map(|call| Some((test.mocked_class(call.mock)?.clone(), call.method.clone()))));
    }
    Some(received)
}

/// Adds the facts behind the other assertions. `received`: one element a test. `can_verify`: whether
/// a test can name the method of the fact. `place`: where the code of the first method calls the second; the
/// first call that does not come is the nearest one behind what refused it.
pub(crate) fn state_absent_calls(
    tests: &mut [AssertedTest],
    received: &[Option<ReceivedCalls>],
    can_verify: impl Fn(&Fact) -> bool,
    place: impl Fn(&MethodRef, &MethodRef) -> Option<u32>,
) {
    let commands = commands(tests);
    let queries = calls_of(tests, |method| !is_command(method));
    for (test, received) in tests.iter_mut().zip(received) {
        let Some(received) = received else { continue };
        let is_missing = |call: &&MockCall| {
            // A call of an overload does nearly the same.
            let is_received = |(mock, method): &(ClassName, MethodRef)| *mock == call.mock && method.name == call.method.name;
            call.caller == test.target && !received.iter().any(is_received)
        };
        // A question that was not asked is worth a line where the test would assert nothing.
        let refuses = test.expected.is_some();
        let questions = queries.iter().filter(|_| test.assertions.is_empty() && !refuses);
        let mut missing: Vec<&MockCall> = commands.iter().filter(is_missing).collect();
        let place_of = |call: &&MockCall| call.caller.as_ref().and_then(|caller| place(caller, &call.method));
        missing.sort_by_key(|call| place_of(call).unwrap_or(u32::MAX));
        missing.extend(questions.filter(is_missing));
        let facts = missing.into_iter().filter_map(|MockCall { mock, method, .. }| {
            let arguments = vec![ArgumentFact::Any; method.parameters().len()];
            let fact = Fact::Called { method: method.clone(), arguments, times: 0 };
            Some(Assertion { subject: only_mock_of(&test.test, mock)?, fact })
        });
        let facts: Vec<Assertion> =
            facts.filter(|assertion| can_verify(&assertion.fact)).take(if refuses { 1 } else { MOST_FACTS }).collect();
        test.assertions.extend(facts);
    }
}

impl AssertedTest {
    /// The test without facts about calls that its mocks did not receive.
    pub(crate) fn without_absent_calls(mut self) -> AssertedTest {
        self.assertions.retain(|assertion| !matches!(assertion.fact, Fact::Called { times: 0, .. }));
        self
    }
}

/// The wanted calls that tests have seen on mocks.
fn calls_of(tests: &[AssertedTest], is_wanted: impl Fn(&MethodRef) -> bool) -> BTreeSet<MockCall> {
    let mut found = BTreeSet::new();
    for test in tests {
        for Assertion { subject, fact } in &test.assertions {
            if let (Fact::Called { method, .. }, Some(mock)) = (fact, test.test.mocked_class(*subject))
                && is_wanted(method)
            {
                found.insert(MockCall { caller: test.target.clone(), mock: mock.clone(), method: method.clone() });
            }
        }
    }
    found
}

/// The commands that tests have seen on mocks, and that no test of the same method gives an answer
/// to.
fn commands(tests: &[AssertedTest]) -> BTreeSet<MockCall> {
    let mut found = calls_of(tests, is_command);
    let is_answered = |command: &MockCall| {
        tests.iter().filter(|test| test.target == command.caller).any(|test| {
            test.test
                .mocks()
                .any(|(variable, class)| *class == command.mock && is_stubbed_query(&test.test, variable, &command.method))
        })
    };
    found.retain(|command| !is_answered(command));
    found
}

/// The only mock of the class in the test.
fn only_mock_of(test: &TestCase, class: &ClassName) -> Option<VarId> {
    let mut of_class = test.mocks().filter(|(_, found)| *found == class);
    let (first, None) = (of_class.next()?, of_class.next()) else { return None };
    Some(first.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::execution::{Interaction, RunEnd};

    /// A test of `p/Shop.sell`; the mock gives `answers`.
    fn test(answers: &str, asserted: &str) -> AssertedTest {
        let text = format!(
            "target p/Shop.sell (Lp/Item;)Z\nacted 4\nv0: Lp/Item; = null\nv1: Lp/Orders; = mock p/Orders ({answers})\n\
             v2: Lp/Shop; = new p/Shop.<init> (Lp/Orders;)V (v1)\n\
             v3: Z = call method p/Shop.sell (Lp/Item;)Z on v2 (v0)\n{asserted}"
        );
        text.parse().expect("well-formed")
    }

    const SOLD: &str = "assert v1 called 1 p/Orders.save (Lp/Item;)Lp/Order; (any)\nassert v3 equals true\n";
    const REFUSED: &str = "assert v3 equals false\n";

    fn stated(mut tests: Vec<AssertedTest>, received: &[ReceivedCalls]) -> Vec<AssertedTest> {
        let received: Vec<Option<ReceivedCalls>> = received.iter().cloned().map(Some).collect();
        state_absent_calls(&mut tests, &received, |_| true, |_, _| None);
        tests
    }

    fn saved(method: &str) -> ReceivedCalls {
        let method = MethodRef::new(ClassName::new("p/Orders"), method, "(Lp/Item;)Lp/Order;");
        ReceivedCalls::from([(ClassName::new("p/Orders"), method)])
    }

    #[test]
    fn a_call_that_another_test_of_the_method_shows_is_absent() {
        let tests = stated(vec![test("", SOLD), test("", REFUSED)], &[saved("save"), ReceivedCalls::new()]);
        assert_eq!(tests[0], test("", SOLD));
        let absent = format!("{REFUSED}assert v1 called 0 p/Orders.save (Lp/Item;)Lp/Order; (any)\n");
        assert_eq!(tests[1], test("", &absent));
        assert_eq!(tests[1].clone().without_absent_calls(), test("", REFUSED));
    }

    #[test]
    fn nothing_is_known_where_not_all_calls_were_recorded() {
        let call = Interaction {
            statement: 3,
            mock: VarId(1),
            method: MethodRef::new(ClassName::new("p/Orders"), "save", "(Lp/Item;)Lp/Order;"),
            arguments: Vec::new(),
        };
        let execution = |calls: usize| Execution {
            interactions: vec![call.clone(); calls],
            ..Execution::without_measurements(RunEnd::Completed)
        };
        let received = |calls: usize| received_calls(&test("", REFUSED).test, [execution(0), execution(calls)].iter());
        assert_eq!((received(2), received(MOST_RECORDED)), (Some(saved("save")), None));
        let mut tests = vec![test("", SOLD), test("", REFUSED)];
        state_absent_calls(&mut tests, &[Some(saved("save")), None], |_| true, |_, _| None);
        assert_eq!(tests[1], test("", REFUSED));
    }

    #[test]
    fn a_question_is_absent_where_the_test_would_assert_nothing() {
        let asked = SOLD.replace("save", "findLast");
        let tests = stated(vec![test("", &asked), test("", ""), test("", REFUSED)], &vec![ReceivedCalls::new(); 3]);
        let absent = "assert v1 called 0 p/Orders.findLast (Lp/Item;)Lp/Order; (any)\n";
        assert_eq!((&tests[1], &tests[2]), (&test("", absent), &test("", REFUSED)));
    }

    #[test]
    fn the_first_call_behind_a_check_is_absent() {
        let both = format!("assert v1 called 1 p/Orders.audit (Lp/Item;)Lp/Order; (any)\n{SOLD}");
        let mut tests = vec![test("", &both), test("", "throws java/lang/IllegalStateException\n")];
        let place = |_: &MethodRef, called: &MethodRef| Some(if &*called.name == "save" { 5 } else { 9 });
        state_absent_calls(&mut tests, &[Some(saved("save")), Some(ReceivedCalls::new())], |_| true, place);
        let [Assertion { fact: Fact::Called { method, times: 0, .. }, .. }] = &tests[1].assertions[..] else {
            panic!("{:?}", tests[1].assertions)
        };
        assert_eq!(&*method.name, "save");
    }

    #[test]
    fn calls_that_came_and_queries_are_not_absent() {
        // The executions do not agree on its arguments, so that no fact states it.
        let received = stated(vec![test("", SOLD), test("", REFUSED)], &[saved("save"), saved("save")]);
        assert_eq!(received[1], test("", REFUSED));
        let answered = test("p/Orders.save (Lp/Item;)Lp/Order; v0", REFUSED);
        let queries = stated(vec![test("", SOLD), test("", REFUSED), answered], &vec![ReceivedCalls::new(); 3]);
        assert_eq!(queries[1], test("", REFUSED));
        let counted = SOLD.replace("save (Lp/Item;)Lp/Order;", "count (Lp/Item;)I");
        let numbers = stated(vec![test("", &counted), test("", REFUSED)], &vec![ReceivedCalls::new(); 2]);
        assert_eq!(numbers[1], test("", REFUSED));
        let found = SOLD.replace("save", "findLast");
        let questions = stated(vec![test("", &found), test("", REFUSED)], &vec![ReceivedCalls::new(); 2]);
        assert_eq!(questions[1], test("", REFUSED));
        let failing = test("", "throws java/lang/IllegalStateException\n");
        let failed = stated(vec![test("", SOLD), failing.clone()], &[saved("save"), saved("save")]);
        assert_eq!(failed[1], failing, "it was called before");
        let refused = stated(vec![test("", SOLD), failing], &vec![ReceivedCalls::new(); 2]);
        assert!(matches!(&refused[1].assertions[..], [Assertion { fact: Fact::Called { times: 0, .. }, .. }]), "{refused:?}");
    }
}
