//! Answers of mocks that the finished tests do not ask for.
//!
//! In: tests with the assertions that stay. Out: those that are shorter without such answers, and without the objects
//! that only these used. Must not know what the tests show.
//!
//! Tests are observed with many inspectors, and each may ask a mock. Most of them go when assertions are chosen.

use std::collections::BTreeSet;

use super::observation::{StatingRules, drop_answers_without_run, execute, has_answers, shows_as_much};
use crate::execution::Execution;
use crate::jvm::{JvmError, SearchWorker};
use crate::oracle::AssertedTest;
use crate::testcase::{TestCase, VarId};

/// Shorter forms of tests with such answers, each with the place of its test.
///
/// Fails where the worker cannot be kept running.
pub(super) fn without_unasked_answers(
    tests: &[AssertedTest],
    worker: &mut SearchWorker,
    rules: &StatingRules,
) -> Result<Vec<(usize, AssertedTest)>, JvmError> {
    let answering: Vec<usize> = (0..tests.len()).filter(|place| has_answers(&tests[*place].test)).collect();
    let mut changed: Vec<(usize, AssertedTest)> = Vec::new();
    let mut shorter: Vec<(usize, AssertedTest, Execution)> = Vec::new();
    let cases: Vec<TestCase> = answering.iter().map(|place| tests[*place].test.clone()).collect();
    for (place, execution) in answering.into_iter().zip(execute(worker, &cases, true)?) {
        let mut test = tests[place].clone();
        let unused = drop_answers_without_run(&mut test.test, &execution);
        if test != tests[place] {
            shorter.extend(without_objects(&test, &unused).map(|shorter| (changed.len(), shorter, execution)));
            changed.push((place, test));
        }
    }
    let cases: Vec<TestCase> = shorter.iter().map(|(_, test, _)| test.test.clone()).collect();
    for ((number, test, before), execution) in shorter.into_iter().zip(execute(worker, &cases, true)?) {
        if shows_as_much(&execution, &before) && rules.restated(&test, &execution).as_ref() == Some(&test) {
            changed[number].1 = test;
        }
    }
    Ok(changed)
}

/// The test without these objects and the calls on them, as far as it can do without; `None` where all have to stay.
fn without_objects(test: &AssertedTest, objects: &BTreeSet<VarId>) -> Option<AssertedTest> {
    // From the end: what is in front of a statement keeps its number.
    objects.iter().rev().fold(None, |shorter: Option<AssertedTest>, object| {
        shorter.as_ref().unwrap_or(test).without_statement(object.index()).or(shorter)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn objects_of_dropped_answers_go_with_their_calls() {
        let test = |text: &str| AssertedTest::without_assertions(text.parse().expect("well-formed"));
        let before = test(
            "v0: Lp/Id; = new p/Id.<init> ()V ()\n\
             v1: V = call method p/Id.set ()V on v0 ()\n\
             v2: Lp/Key; = new p/Key.<init> ()V ()\n\
             v3: Lp/Cargo; = mock p/Cargo ()\n\
             v4: Lp/T; = new p/T.<init> (Lp/Cargo;Lp/Key;)V (v3, v2)\n\
             v5: I = call method p/T.count ()I on v4 ()\n",
        );
        let after = test(
            "v0: Lp/Key; = new p/Key.<init> ()V ()\n\
             v1: Lp/Cargo; = mock p/Cargo ()\n\
             v2: Lp/T; = new p/T.<init> (Lp/Cargo;Lp/Key;)V (v1, v0)\n\
             v3: I = call method p/T.count ()I on v2 ()\n",
        );
        let shorter = without_objects(&before, &BTreeSet::from([VarId(0), VarId(2)]));
        assert_eq!(shorter.map(|test| test.test), Some(after.test), "the object under test needs the key");
        assert_eq!(without_objects(&before, &BTreeSet::from([VarId(2)])), None);
    }
}
