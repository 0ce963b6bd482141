//! The ways that the code under test went in a test and not in others. In: the tests of a class; out: for
//! each test phrases for conditions of the source, the most telling first. Must not know outcomes.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use crate::oracle::AssertedTest;
use crate::program::{BranchOutcome, Program};

use super::branch_words::branch_words;
use super::phrase::{NamePart, Phrase};

/// Conditions that hold in a test and not in all tests of its method.
#[derive(Debug, Default)]
pub(crate) struct TellingWays {
    /// The most telling first: those of the method itself that hold in the fewest tests and stand
    /// closest to its end.
    pub(super) phrases: Vec<Phrase>,
}

impl TellingWays {
    /// Those of each test of a class.
    pub(crate) fn of_tests(program: &Program, tests: &[AssertedTest]) -> Vec<TellingWays> {
        let mut known: BTreeMap<&BranchOutcome, Option<String>> = BTreeMap::new();
        for way in tests.iter().flat_map(|test| &test.ways) {
            known.entry(way).or_insert_with(|| branch_words(program, way));
        }
        let mut words: Vec<BTreeMap<String, &BranchOutcome>> = Vec::new();
        for test in tests {
            let ways = if may_say_reason(program, test) { Some(&test.ways) } else { None };
            words.push(ways.into_iter().flatten().filter_map(|way| Some((known[way].clone()?, way))).collect());
        }
        let all = tests.iter().zip(&words).map(|(test, own)| {
            let of_method: Vec<&BTreeMap<String, &BranchOutcome>> =
                tests.iter().zip(&words).filter(|(other, _)| other.target == test.target).map(|(_, words)| words).collect();
            let holding = |words: &String| of_method.iter().filter(|others| others.contains_key(words)).count();
            let mut ranked: Vec<(bool, usize, Reverse<u32>, &String)> = own
                .iter()
                .map(|(words, way)| (!is_of_method(way, test), holding(words), Reverse(way.bci), words))
                .filter(|(_, tests, ..)| *tests < of_method.len())
                .collect();
            ranked.sort();
            TellingWays { phrases: ranked.into_iter().map(|(.., words)| Phrase::new(NamePart::State, words.as_str())).collect() }
        });
        all.collect()
    }
}

/// Whether the ways of the test may say why it ends as it does: an exception that the method under test
/// does not throw itself has its reason elsewhere.
fn may_say_reason(program: &Program, test: &AssertedTest) -> bool {
    let (Some(expected), Some(target)) = (&test.expected, &test.target) else { return true };
    program.makes_object(target, &expected.class)
}

/// Whether the jump is in the method under test, or in a lambda that the compiler took out of it.
fn is_of_method(way: &BranchOutcome, test: &AssertedTest) -> bool {
    test.target.as_ref().is_some_and(|target| {
        let is_lambda = || way.method.name.strip_prefix("lambda$").is_some_and(|rest| rest.starts_with(&*target.name));
        way.method == *target || way.method.owner == target.owner && is_lambda()
    })
}
