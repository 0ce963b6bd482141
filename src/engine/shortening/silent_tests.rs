//! Tests that assert nothing, as tests that show what their last call does.
//!
//! In: shortened tests without assertions, and those whose assertions hold without the call. Out: these tests with
//! assertions that the call decides. An assertion is about its result, the state that it changes, or the text that it
//! prints. Must not know how tests were found.
//!
//! The search may find a test with values under which its call does nothing, such as an empty text to append. Typical
//! values take their place later, and then there is something to assert.

use super::super::observation::{Observation, effects};
use super::super::shown_test::ShownTest;
use super::{Shortening, runs_of_killed};
use crate::execution::MutantRun;
use crate::jvm::JvmError;
use crate::oracle::{AssertedTest, Assertion, Fact};
use crate::program::JavaType;
use crate::testcase::{StatementKind, TestCase, VarId};

/// Assertions about what a call changed or made, at most.
const MOST_STATED: usize = 2;

impl Shortening<'_, '_> {
    /// Asserts what the calls of tests do that assert nothing.
    ///
    /// Fails where a worker cannot be kept running.
    pub(in crate::engine) fn assert_silent(&mut self, tests: &mut [ShownTest]) -> Result<(), JvmError> {
        if self.draws_random || self.is_over() {
            return Ok(());
        }
        let silent: Vec<usize> = (0..tests.len()).filter(|place| is_silent(&tests[*place].test)).collect();
        let cases: Vec<AssertedTest> = silent.iter().map(|place| tests[*place].test.clone()).collect();
        for (place, stated) in silent.into_iter().zip(self.stated(&cases)?) {
            if let Some(stated) = stated {
                tests[place].test = stated;
            }
        }
        self.assert_prints(tests)
    }

    /// Asserts what calls print, in place of what would hold without them. A test that then kills fewer mutants stays.
    fn assert_prints(&mut self, tests: &mut [ShownTest]) -> Result<(), JvmError> {
        let stating: Vec<usize> = (0..tests.len()).filter(|place| is_of_silent_call(&tests[*place].test)).collect();
        let cases: Vec<AssertedTest> = stating.iter().map(|place| tests[*place].test.clone()).collect();
        let effects = effects(self.worker, &cases)?;
        let all = stating.into_iter().zip(cases).zip(effects);
        let beside = all.filter(|((_, test), effects)| says_nothing_of_call(test, effects));
        let (places, cases): (Vec<usize>, Vec<AssertedTest>) = beside.map(|(stating, _)| stating).unzip();
        let printing = places.into_iter().zip(self.printing(&cases)?);
        let printing = printing.filter_map(|(place, printing)| {
            Some((place, ShownTest { test: printing?, killed: Default::default(), ..tests[place].clone() }))
        });
        let mut printing: Vec<(usize, ShownTest)> = printing.collect();
        let cases: Vec<TestCase> = printing.iter().map(|(_, shown)| shown.test.test.clone()).collect();
        let mut runs: Vec<MutantRun> = Vec::new();
        for (number, (place, _)) in printing.iter().enumerate() {
            runs.extend(runs_of_killed(&tests[*place], number));
        }
        self.record_kills(&cases, &runs, &mut printing.iter_mut().map(|(_, shown)| Some(shown)).collect::<Vec<_>>())?;
        for (place, shown) in printing {
            if tests[place].killed.is_subset(&shown.killed) {
                tests[place] = shown;
            }
        }
        Ok(())
    }

    /// The tests with assertions about their last calls; `None` for those where there is nothing to assert.
    pub(super) fn stated(&mut self, tests: &[AssertedTest]) -> Result<Vec<Option<AssertedTest>>, JvmError> {
        if tests.is_empty() {
            return Ok(Vec::new());
        }
        let own = tests.iter().map(|test| {
            let mut own = test.test.clone();
            own.truncate(test.acted as usize);
            own
        });
        let own: Vec<TestCase> = own.collect();
        let mut observation = Observation::begin(&own, self.cluster, self.worker)?;
        observation.repeat_once(self.worker)?;
        let stated = tests.iter().enumerate().map(|(place, test)| {
            let stated = observation.state(place, &self.rules).ok().filter(|stated| stated.expected.is_none())?;
            (stated.acted == test.acted).then(|| AssertedTest {
                test: stated.test,
                assertions: stated.assertions,
                ..test.clone()
            })
        });
        let mut stated: Vec<Option<AssertedTest>> = stated.collect();
        let all: Vec<AssertedTest> = stated.iter().flatten().cloned().collect();
        for (stated, effects) in stated.iter_mut().filter(|stated| stated.is_some()).zip(effects(self.worker, &all)?) {
            *stated = stated.take().and_then(|test| with_telling_assertions(&test, &effects));
        }
        let unstated: Vec<usize> = (0..tests.len()).filter(|place| stated[*place].is_none()).collect();
        let cases: Vec<AssertedTest> = unstated.iter().map(|place| tests[*place].clone()).collect();
        for (place, printing) in unstated.into_iter().zip(self.printing(&cases)?) {
            stated[place] = printing;
        }
        Ok(stated)
    }
}

/// Whether the test ends with a call that returns, and only this tells something. A likely fault is shown as it was
/// found.
fn is_silent(test: &AssertedTest) -> bool {
    ends_with_call(test) && test.assertions.is_empty()
}

fn ends_with_call(test: &AssertedTest) -> bool {
    test.undoing == 0 && !test.test.has_request() && test.fault.is_none() && test.expected.is_none()
}

/// Whether the test ends with a call without a result, and asserts something.
fn is_of_silent_call(test: &AssertedTest) -> bool {
    let last = test.acted.checked_sub(1).map(|last| &test.test.statement(VarId(last)).ty);
    ends_with_call(test) && !test.assertions.is_empty() && last == Some(&JavaType::Void)
}

/// Whether all that the test asserts would hold without its call too. `effects`: for each assertion, whether not.
fn says_nothing_of_call(test: &AssertedTest, effects: &[bool]) -> bool {
    let is_call = |assertion: &Assertion| matches!(assertion.fact, Fact::Called { .. });
    !effects.contains(&true) && !test.assertions.iter().any(is_call)
}

/// The test with the assertion about the result of its call, else with a few about what the call made or changed.
/// `effects`: whether an assertion does not hold without the call.
fn with_telling_assertions(test: &AssertedTest, effects: &[bool]) -> Option<AssertedTest> {
    let call = VarId(test.acted.checked_sub(1)?);
    let makes_object = matches!(test.test.statement(call).kind, StatementKind::Construct { .. });
    let is_telling = |assertion: &Assertion| !matches!(assertion.fact, Fact::NotNull | Fact::Called { .. });
    let is_result = |assertion: &Assertion| assertion.subject == call && is_telling(assertion);
    // A null in a new object says less than the values that the constructor got.
    let is_given = |assertion: &Assertion| !makes_object || !matches!(assertion.fact, Fact::Null);
    let keep: Vec<bool> = match test.assertions.iter().position(is_result) {
        Some(result) => (0..test.assertions.len()).map(|position| position == result).collect(),
        None => {
            let shows = |(assertion, is_effect): (&Assertion, &bool)| {
                (*is_effect || test.reads_result(assertion.subject)) && is_telling(assertion) && is_given(assertion)
            };
            let mut keep: Vec<bool> = test.assertions.iter().zip(effects).map(shows).collect();
            keep.iter_mut().filter(|keep| **keep).skip(MOST_STATED).for_each(|keep| *keep = false);
            keep
        }
    };
    keep.contains(&true).then(|| test.retain_assertions(&keep))
}

#[cfg(test)]
mod tests {
    use super::*;

    const MADE: &str = "target p/Pair.add (I)V\nacted 3\nv0: Lp/Pair; = new p/Pair.<init> ()V ()\nv1: I = int 4\n";

    fn stated(call: &str, facts: &str, effects: &[bool]) -> Option<String> {
        let inspectors = "v3: I = call method p/Pair.one ()I on v0 ()\nv4: I = call method p/Pair.two ()I on v0 ()\n\
                          v5: I = call method p/Pair.size ()I on v0 ()\n";
        let test: AssertedTest = format!("{MADE}v2: {call}\n{inspectors}{facts}").parse().expect("well-formed");
        let stated = with_telling_assertions(&test, effects)?.to_string();
        Some(stated.lines().filter(|line| line.starts_with("assert")).collect::<Vec<_>>().join("; "))
    }

    #[test]
    fn what_a_call_changed_is_asserted() {
        let call = "V = call method p/Pair.add (I)V on v0 (v1)";
        let facts = "assert v3 equals int 4\nassert v4 equals int 0\nassert v5 equals int 1\n";
        let changed = Some("assert v3 equals int 4; assert v4 equals int 1".into());
        assert_eq!(stated(call, facts, &[true, false, true]), changed, "the inspector without assertion goes");
        assert_eq!(stated(call, facts, &[false; 3]), None);
    }

    #[test]
    fn a_result_says_enough() {
        let call = "I = call method p/Pair.add (I)I on v0 (v1)";
        let facts = "assert v2 equals int 2\nassert v3 equals int 4\n";
        assert_eq!(stated(call, facts, &[false, true]), Some("assert v2 equals int 2".into()));
        let present = facts.replace("equals int 2", "not-null");
        assert_eq!(stated(call, &present, &[false, true]), Some("assert v3 equals int 4".into()));
    }

    #[test]
    fn what_holds_without_the_call_says_nothing_of_it() {
        let stating = format!(
            "{MADE}v2: V = call method p/Pair.add (I)V on v0 (v1)\nv3: I = call method p/Pair.one ()I on v0 ()\n\
             assert v3 equals int 4\n"
        );
        let test: AssertedTest = stating.parse().expect("well-formed");
        assert!(is_of_silent_call(&test));
        assert!(says_nothing_of_call(&test, &[false]) && !says_nothing_of_call(&test, &[true]));
        let returning: AssertedTest = stating.replace("V = call", "I = call").parse().expect("well-formed");
        assert!(!is_of_silent_call(&returning));
    }

    #[test]
    fn a_test_of_an_exception_is_not_silent() {
        let silent = |more: &str| {
            let text = format!("{MADE}v2: V = call method p/Pair.add (I)V on v0 (v1)\n{more}");
            is_silent(&text.parse().expect("well-formed"))
        };
        assert!(silent("") && !silent("throws p/E\n"));
        assert!(!silent("v3: I = call method p/Pair.one ()I on v0 ()\nassert v3 equals int 4\n"));
    }
}
