//! The ways that the code under test went in a test and not in others. In: the tests of a class; out: for
//! each test phrases for conditions of the source, the most telling first. Must not know what a name says
//! of outcomes: it only asks whether those of two tests are the same.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use crate::oracle::{AssertedTest, Fact};
use crate::program::{BranchOutcome, Program};

use super::branch_words::branch_words;
use super::phrase::{NamePart, Phrase};

/// Conditions that hold in a test and not in all tests of its method.
#[derive(Debug, Default)]
pub(crate) struct TellingWays {
    /// The most telling first: those of the method itself that hold in the fewest tests with another
    /// outcome, then in the fewest tests, and that stand closest to its end.
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
            let ways = ways.into_iter().flatten().filter(|way| !is_of_construction(way, test));
            words.push(ways.filter_map(|way| Some((known[way].clone()?, way))).collect());
        }
        let outcomes: Vec<String> = tests.iter().map(outcome).collect();
        let all = (0..tests.len()).map(|place| {
            let test = &tests[place];
            let of_method: Vec<usize> = (0..tests.len()).filter(|other| tests[*other].target == test.target).collect();
            let rank = |(phrase, way): (&String, &&BranchOutcome)| {
                let holding: Vec<&str> = of_method
                    .iter()
                    .filter(|other| words[**other].contains_key(phrase))
                    .map(|other| &*outcomes[*other])
                    .collect();
                let is_telling = holding.len() < of_method.len();
                let (others, all) = (with_other_outcome(&holding, &outcomes[place]), holding.len());
                is_telling.then(|| (!is_of_method(way, test), others, all, Reverse(way.bci), phrase.clone()))
            };
            let mut ranked: Vec<_> = words[place].iter().filter_map(rank).collect();
            ranked.sort();
            TellingWays { phrases: ranked.into_iter().map(|(.., words)| Phrase::new(NamePart::State, words.as_str())).collect() }
        });
        all.collect()
    }
}

/// How many of these outcomes are other ones. A condition that holds in tests with different outcomes does
/// not decide.
fn with_other_outcome(outcomes: &[&str], own: &str) -> usize {
    outcomes.iter().filter(|outcome| **outcome != own).count()
}

/// What the test expects of the call under test, in words that are equal where that is the same.
fn outcome(test: &AssertedTest) -> String {
    let of_result = test.assertions.iter().find(|assertion| assertion.subject.0 + 1 == test.acted);
    match (&test.expected, of_result) {
        (Some(expected), _) => format!("{:?} {:?}", expected.class, expected.message),
        // Which of its objects it is depends on the numbers of variables.
        (None, Some(assertion)) if matches!(assertion.fact, Fact::SameAs(_)) => "the same object".into(),
        (None, Some(assertion)) => format!("{:?}", assertion.fact),
        (None, None) => test.assertions.iter().map(|assertion| format!("{:?} ", assertion.fact)).collect(),
    }
}

/// Whether the ways of the test may say why it ends as it does: an exception that the method under test
/// does not throw itself has its reason elsewhere.
fn may_say_reason(program: &Program, test: &AssertedTest) -> bool {
    let (Some(expected), Some(target)) = (&test.expected, &test.target) else { return true };
    program.makes_object(target, &expected.class)
}

/// Whether the jump only checks or makes a value: it is in a constructor or an initialiser, and the test is
/// about a method.
fn is_of_construction(way: &BranchOutcome, test: &AssertedTest) -> bool {
    let is_about_method = test.target.as_ref().is_some_and(|target| &*target.name != "<init>");
    is_about_method && matches!(&*way.method.name, "<init>" | "<clinit>")
}

/// Whether the jump is in the method under test, or in a lambda that the compiler took out of it.
fn is_of_method(way: &BranchOutcome, test: &AssertedTest) -> bool {
    test.target.as_ref().is_some_and(|target| {
        let is_lambda = || way.method.name.strip_prefix("lambda$").is_some_and(|rest| rest.starts_with(&*target.name));
        way.method == *target || way.method.owner == target.owner && is_lambda()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::program::{ClassName, MethodRef};

    #[test]
    fn checks_in_constructors_are_no_reason_for_what_a_method_does() {
        let about = |target: &str| -> AssertedTest {
            let text = format!("target p/Foo.{target} ()V\nv0: Lp/Foo; = new p/Foo.<init> ()V ()\n");
            text.parse().expect("well-formed")
        };
        let way =
            |method: &str| BranchOutcome { method: MethodRef::new(ClassName::new("p/Foo"), method, "()V"), bci: 3, outcome: 1 };
        assert!(is_of_construction(&way("<init>"), &about("next")));
        assert!(!is_of_construction(&way("<init>"), &about("<init>")) && !is_of_construction(&way("next"), &about("next")));
    }

    #[test]
    fn tests_with_the_same_result_or_exception_have_the_same_outcome() {
        let call = "target p/Foo.next ()I\nacted 1\nv0: I = call method p/Foo.next ()I ()\n";
        let size = "v1: I = call method p/Foo.size ()I ()\n";
        let outcome = |text: String| outcome(&text.parse().expect("well-formed"));
        let plain = outcome(format!("{call}assert v0 equals int 4\n"));
        let inspected = outcome(format!("{call}{size}assert v1 equals int 7\nassert v0 equals int 4\n"));
        let other = outcome(format!("{call}assert v0 equals int 5\n"));
        let thrown = outcome(format!("{call}throws p/E\n"));
        assert_eq!(plain, inspected);
        assert_eq!(with_other_outcome(&[&plain, &inspected, &other, &thrown], &plain), 2);
    }
}
