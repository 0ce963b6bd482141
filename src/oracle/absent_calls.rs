//! Calls that mocks did not receive. Flows in: asserted tests, and the methods that each test called
//! on its mocks; flows out: a [`Fact::Called`] with zero calls, where another test of the same method
//! shows that the method makes this call. Must not know which facts kill a mutant.
//!
//! A test of an order that is refused asserts little, unless it says that nothing was saved: an exception
//! alone says nothing about what the method did before. What many tests of a method call is what the method
//! is there for; a call that few of them make is not missed in the others.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use tracewright_trace::BranchSlot;

use super::interactions::{is_command, is_stubbed_query};
use super::{ArgumentFact, AssertedTest, Assertion, Fact, ObservedTest};
use crate::execution::Execution;
use crate::program::{BranchOutcome, ClassName, MethodRef};
use crate::testcase::{TestCase, VarId};

/// Facts that one test gets, at most.
const MOST_FACTS: usize = 3;

/// What a test called on its mocks.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct ReceivedCalls {
    /// The methods, each with the class of the mock.
    calls: BTreeSet<(ClassName, MethodRef)>,
    /// The bci of the last jump of the method under test that the test came to.
    last_jump: Option<u32>,
}

/// A method of a mock, and the method under test that calls it.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct MockCall {
    caller: Option<MethodRef>,
    mock: ClassName,
    method: MethodRef,
}

impl MockCall {
    /// Whether it is among the calls. A call of an overload does nearly the same.
    fn came(&self, received: &ReceivedCalls) -> bool {
        received.calls.iter().any(|(mock, method)| *mock == self.mock && method.name == self.method.name)
    }
}

/// The methods that the executions of a test called on its mocks, inspectors included; `None` where
/// not all calls were recorded. `branches`: those of the classes under test.
pub(crate) fn received_calls<'e>(
    ObservedTest { test, target, .. }: &ObservedTest,
    executions: impl Iterator<Item = &'e Execution>,
    branches: &BTreeMap<BranchSlot, BranchOutcome>,
) -> Option<ReceivedCalls> {
    let mut received = ReceivedCalls::default();
    for execution in executions {
        if !execution.has_all_interactions() {
            return None;
        }
        let calls = execution.interactions.iter();
        received.calls.extend(calls.filter_map(|call| Some((test.mocked_class(call.mock)?.clone(), call.method.clone()))));
        let taken = execution.branches.iter().filter(|(_, distance)| *distance == 0.0);
        let jumps = taken.filter_map(|(slot, _)| branches.get(slot)).filter(|jump| Some(&jump.method) == target.as_ref());
        received.last_jump = received.last_jump.max(jumps.map(|jump| jump.bci).max());
    }
    Some(received)
}

/// Adds the facts behind the other assertions. `received`: one element a test. `can_verify`: whether
/// a test can name the method of the fact. `places`: where the code of the first method calls the second. Calls
/// in front of the last jump that a test came to have not been kept from it there. The first call that does not
/// come is the nearest one behind what refused it.
pub(crate) fn state_absent_calls(
    tests: &mut [AssertedTest],
    received: &[Option<ReceivedCalls>],
    can_verify: impl Fn(&Fact) -> bool,
    places: impl Fn(&MethodRef, &MethodRef) -> Vec<u32>,
) {
    let commands = commands(tests);
    let queries = queries(tests, received);
    let frequencies = frequencies(tests, received, &commands);
    for (test, received) in tests.iter_mut().zip(received) {
        let Some(received) = received else { continue };
        let is_missing = |call: &&MockCall| call.caller == test.target && !call.came(received);
        // A question that was not asked is worth a line where the test would assert nothing.
        let refuses = test.expected.is_some();
        let wants_questions = test.assertions.is_empty() && !refuses;
        let is_behind = |place: &u32| received.last_jump.is_none_or(|last| *place > last);
        let place_of = |call: &MockCall| -> Option<u32> {
            let places = call.caller.as_ref().map(|caller| places(caller, &call.method)).unwrap_or_default();
            if places.is_empty() { Some(u32::MAX) } else { places.into_iter().find(is_behind) }
        };
        let ranked = |call| Some((Reverse(frequencies.get(call).copied().unwrap_or_default()), place_of(call)?, call));
        let mut missing: Vec<(Reverse<usize>, u32, &MockCall)> = commands.iter().filter(is_missing).filter_map(ranked).collect();
        missing.sort();
        let most = missing.first().map_or(0, |(Reverse(most), ..)| *most);
        missing.retain(|(Reverse(frequency), ..)| 2 * frequency >= most);
        let unasked = queries.iter().filter(|_| wants_questions).filter(is_missing);
        let nearest = unasked.filter_map(|call| Some((place_of(call)?, call))).min();
        let missing = missing.into_iter().map(|(_, _, call)| call).chain(nearest.map(|(_, call)| call));
        let facts = missing.filter_map(|MockCall { mock, method, .. }| {
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

/// The questions that tests of the same method asked, answered or not.
fn queries(tests: &[AssertedTest], received: &[Option<ReceivedCalls>]) -> BTreeSet<MockCall> {
    let mut found = calls_of(tests, |method| !is_command(method));
    for (test, received) in tests.iter().zip(received) {
        let asked = received.iter().flat_map(|received| &received.calls).filter(|(_, method)| !is_command(method));
        found.extend(asked.map(|(mock, method)| MockCall {
            caller: test.target.clone(),
            mock: mock.clone(),
            method: method.clone(),
        }));
    }
    found
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

/// The number of tests of the calling method in which each of the calls came.
fn frequencies<'c>(
    tests: &[AssertedTest],
    received: &[Option<ReceivedCalls>],
    calls: &'c BTreeSet<MockCall>,
) -> BTreeMap<&'c MockCall, usize> {
    let count = |call: &MockCall| {
        let of_caller = tests.iter().zip(received).filter(|(test, _)| test.target == call.caller);
        of_caller.filter(|(_, received)| received.as_ref().is_some_and(|received| call.came(received))).count()
    };
    calls.iter().map(|call| (call, count(call))).collect()
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
    use crate::execution::{Interaction, MOST_INTERACTIONS, RunEnd};

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
        state_absent_calls(&mut tests, &received, |_| true, |_, _| Vec::new());
        tests
    }

    fn saved(method: &str) -> ReceivedCalls {
        let method = MethodRef::new(ClassName::new("p/Orders"), method, "(Lp/Item;)Lp/Order;");
        ReceivedCalls { calls: BTreeSet::from([(ClassName::new("p/Orders"), method)]), last_jump: None }
    }

    #[test]
    fn a_call_that_another_test_of_the_method_shows_is_absent() {
        let tests = stated(vec![test("", SOLD), test("", REFUSED)], &[saved("save"), ReceivedCalls::default()]);
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
        let observed = ObservedTest { test: test("", REFUSED).test, acted: 4, target: None };
        let received = |calls: usize| received_calls(&observed, [execution(0), execution(calls)].iter(), &BTreeMap::new());
        assert_eq!((received(2), received(MOST_INTERACTIONS)), (Some(saved("save")), None));
        let mut tests = vec![test("", SOLD), test("", REFUSED)];
        state_absent_calls(&mut tests, &[Some(saved("save")), None], |_| true, |_, _| Vec::new());
        assert_eq!(tests[1], test("", REFUSED));
    }

    #[test]
    fn a_question_is_absent_where_the_test_would_assert_nothing() {
        let asked = SOLD.replace("save", "findLast");
        let tests = stated(vec![test("", &asked), test("", ""), test("", REFUSED)], &vec![ReceivedCalls::default(); 3]);
        let absent = "assert v1 called 0 p/Orders.findLast (Lp/Item;)Lp/Order; (any)\n";
        assert_eq!((&tests[1], &tests[2]), (&test("", absent), &test("", REFUSED)));
    }

    #[test]
    fn the_first_call_behind_a_check_is_absent() {
        let both = format!("assert v1 called 1 p/Orders.audit (Lp/Item;)Lp/Order; (any)\n{SOLD}");
        let tests = [test("", &both), test("", "throws java/lang/IllegalStateException\n")];
        let mut both_came = saved("save");
        both_came.calls.extend(saved("audit").calls);
        let places = |_: &MethodRef, called: &MethodRef| vec![if &*called.name == "save" { 5 } else { 9 }];
        let absent_behind = |last_jump: u32| {
            let received = [both_came.clone(), ReceivedCalls { last_jump: Some(last_jump), ..ReceivedCalls::default() }];
            let mut stated = tests.clone();
            state_absent_calls(&mut stated, &received.map(Some), |_| true, places);
            let [Assertion { fact: Fact::Called { method, times: 0, .. }, .. }] = &stated[1].assertions[..] else {
                panic!("{:?}", stated[1].assertions)
            };
            method.name.to_string()
        };
        assert_eq!([absent_behind(3), absent_behind(7)], ["save", "audit"]);
    }

    #[test]
    fn what_few_tests_call_is_not_missed_in_the_others() {
        let both = format!("assert v1 called 1 p/Orders.audit (Lp/Item;)Lp/Order; (any)\n{SOLD}");
        let tests = ["", "", ""].map(|_| test("", &both)).into_iter().chain([test("", REFUSED)]).collect();
        let mut audited = saved("save");
        audited.calls.extend(saved("audit").calls);
        let received = [saved("save"), saved("save"), audited, ReceivedCalls::default()];
        let absent = format!("{REFUSED}assert v1 called 0 p/Orders.save (Lp/Item;)Lp/Order; (any)\n");
        assert_eq!(stated(tests, &received)[3], test("", &absent));
    }

    #[test]
    fn calls_that_came_and_queries_are_not_absent() {
        // The executions do not agree on its arguments, so that no fact states it.
        let received = stated(vec![test("", SOLD), test("", REFUSED)], &[saved("save"), saved("save")]);
        assert_eq!(received[1], test("", REFUSED));
        let answered = test("p/Orders.save (Lp/Item;)Lp/Order; v0", REFUSED);
        let queries = stated(vec![test("", SOLD), test("", REFUSED), answered], &vec![ReceivedCalls::default(); 3]);
        assert_eq!(queries[1], test("", REFUSED));
        let counted = SOLD.replace("save (Lp/Item;)Lp/Order;", "count (Lp/Item;)I");
        let numbers = stated(vec![test("", &counted), test("", REFUSED)], &vec![ReceivedCalls::default(); 2]);
        assert_eq!(numbers[1], test("", REFUSED));
        let found = SOLD.replace("save", "findLast");
        let questions = stated(vec![test("", &found), test("", REFUSED)], &vec![ReceivedCalls::default(); 2]);
        assert_eq!(questions[1], test("", REFUSED));
        let failing = test("", "throws java/lang/IllegalStateException\n");
        let failed = stated(vec![test("", SOLD), failing.clone()], &[saved("save"), saved("save")]);
        assert_eq!(failed[1], failing, "it was called before");
        let refused = stated(vec![test("", SOLD), failing], &vec![ReceivedCalls::default(); 2]);
        assert!(matches!(&refused[1].assertions[..], [Assertion { fact: Fact::Called { times: 0, .. }, .. }]), "{refused:?}");
    }
}
