//! The ways that the code under test went in a test and not in others. In: the tests of a class; out: for
//! each test phrases for conditions of the source, the most telling first. Must not know what a name says
//! of outcomes: it only asks whether those of two tests are the same.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use crate::emit::names::capitalised;
use crate::execution::Snapshot;
use crate::oracle::{AssertedTest, Fact};
use crate::program::{BranchOutcome, Decision, JavaType, MethodRef, Program, RouteEnd};
use crate::testcase::{Literal, VarId};

use super::branch_words::{branch_words, joined_words, subjects};
use super::named_test::NamedTest;
use super::phrase::{NamePart, Phrase};

/// Words of conditions that say what is not the case.
const DENIALS: [&str; 5] = ["IsNot", "Differs", "Lacks", "DoesNot", "HasNo"];

/// Conditions that hold in a test and not in all tests of its method.
#[derive(Debug, Default)]
pub(crate) struct TellingWays {
    /// The most telling first: those that hold in no test with another outcome or decided, in front of others; then
    /// those that hold in the fewest tests and that stand closest to its end.
    pub(super) phrases: Vec<Phrase>,
    /// In front of them stands the first one together with another condition, without which it does not decide.
    pub(super) is_paired: bool,
    /// The first single one decided how the call ended.
    pub(super) decide: bool,
    /// The first single one holds in tests with another outcome too, and did not decide: as a rule it would be untrue.
    /// Or it says what is not the case, or the message of an exception says more.
    pub(super) mislead: bool,
}

/// The jumps of one test that went one way.
struct OneWayJumps {
    ways: BTreeSet<BranchOutcome>,
    decisions: Vec<Decision>,
    /// Each of these ways with those that held together with it.
    together: Vec<Decision>,
}

/// A condition that holds in a test.
#[derive(Clone, Copy, Default)]
struct HeldCondition {
    /// Of its last jump.
    bci: u32,
    is_of_method: bool,
    /// It decided how the call ended.
    decides: bool,
    /// The number of its operands.
    operands: usize,
}

impl TellingWays {
    /// The most telling single condition.
    pub(crate) fn reason(&self) -> Option<&str> {
        self.phrases.get(usize::from(self.is_paired)).filter(|_| !self.mislead).map(|phrase| &*phrase.words)
    }

    /// Those of each test of a class.
    pub(crate) fn of_tests(program: &Program, tests: &[AssertedTest]) -> Vec<TellingWays> {
        let jumps: Vec<OneWayJumps> = tests.iter().map(|test| OneWayJumps::of(program, test)).collect();
        let mut known: BTreeMap<&BranchOutcome, Option<String>> = BTreeMap::new();
        for way in jumps.iter().flat_map(|jumps| &jumps.ways) {
            known.entry(way).or_insert_with(|| branch_words(program, way));
        }
        let words_of = |way: &BranchOutcome| known.get(way).cloned().flatten();
        let is_foreign =
            |way: &BranchOutcome, test: &AssertedTest| !is_of_method(way, test) && is_about_inner(program, way, test);
        // Several conditions that held together are one.
        let mut joined: BTreeMap<String, &Decision> = BTreeMap::new();
        for decision in jumps.iter().flat_map(|jumps| jumps.decisions.iter().chain(&jumps.together)) {
            joined.extend(decision_words(decision, &words_of).map(|words| (words, decision)));
        }
        let mut held: Vec<BTreeMap<String, HeldCondition>> = Vec::new();
        for (test, jumps) in tests.iter().zip(&jumps) {
            let mut of_test: BTreeMap<String, HeldCondition> = BTreeMap::new();
            let mut hold = |words: String, ways: &[BranchOutcome]| {
                let Some(last) = ways.last() else { return };
                let condition = of_test.entry(words.clone()).or_default();
                condition.bci = condition.bci.max(last.bci);
                condition.operands = condition.operands.max(ways.len());
                condition.is_of_method |= is_of_method(last, test);
                let is_said = |decision: &&Decision| decision_words(decision, &words_of).as_ref() == Some(&words);
                condition.decides |=
                    jumps.decisions.iter().filter(|decision| !decision.passes_check).any(|decision| is_said(&decision));
            };
            for way in jumps.ways.iter().filter(|way| !is_foreign(way, test)) {
                words_of(way).into_iter().for_each(|words| hold(words, std::slice::from_ref(way)));
            }
            for (words, decision) in &joined {
                if decision.operands.iter().all(|way| jumps.ways.contains(way) && !is_foreign(way, test)) {
                    hold(words.clone(), &decision.operands);
                }
            }
            held.push(of_test);
        }
        let outcomes: Vec<String> = tests.iter().map(outcome).collect();
        let all = (0..tests.len()).map(|place| {
            let of_method: Vec<usize> = (0..tests.len()).filter(|other| tests[*other].target == tests[place].target).collect();
            let rank = |(words, condition): (&String, &HeldCondition)| {
                let holding: Vec<&str> =
                    of_method.iter().filter(|other| held[**other].contains_key(words)).map(|other| &*outcomes[*other]).collect();
                let HeldCondition { bci, is_of_method, decides, operands } = *condition;
                let is_telling = holding.len() < of_method.len() || (of_method.len() == 1 && decides);
                let (others, all) = (with_other_outcome(&holding, &outcomes[place]), holding.len());
                let is_elsewhere = !is_of_method && !decides;
                // A message says why, and better than a condition of another method.
                let says_message = tests[place].expected.as_ref().is_some_and(|expected| expected.message.is_some());
                let is_vague = is_no_reason(words, &tests[place]) || is_elsewhere && says_message;
                let misleads = others > 0 && !decides || is_vague;
                let others = (others > 0, !decides, others);
                let rank = (misleads, is_elsewhere, others, all, Reverse(bci), Reverse(operands));
                is_telling.then(|| (rank, words.clone(), decides))
            };
            let mut ranked: Vec<_> = held[place].iter().filter_map(rank).collect();
            ranked.sort();
            let decide = ranked.first().is_some_and(|(.., decides)| *decides);
            let mislead = ranked.first().is_some_and(|((misleads, ..), ..)| *misleads);
            let clashes = |other: &&usize, words: &str| held[**other].contains_key(words) && outcomes[**other] != outcomes[place];
            let with_companion = ranked.first().filter(|_| decide).and_then(|(_, words, _)| {
                let clashing: Vec<usize> = of_method.iter().filter(|other| clashes(other, words)).copied().collect();
                with_companion(
                    &held[place],
                    words,
                    |other| !clashing.iter().any(|test| held[*test].contains_key(other)),
                    &clashing,
                )
            });
            let is_paired = with_companion.is_some();
            let phrases = with_companion.into_iter().chain(ranked.into_iter().map(|(_, words, _)| words));
            let nulls = null_parameters(program, &tests[place]);
            let phrases = phrases.map(|words| Phrase::new(NamePart::State, of_nulls(words, &nulls))).collect();
            TellingWays { phrases, is_paired, decide, mislead }
        });
        all.collect()
    }
}

/// A condition that decided, together with another one without which it does not: of two nested conditions, the
/// inner one holds in tests with another outcome, which the other one tells apart. `tells`: whether a condition
/// holds in none of the tests of `clashing`.
fn with_companion(
    held: &BTreeMap<String, HeldCondition>,
    words: &str,
    tells: impl Fn(&str) -> bool,
    clashing: &[usize],
) -> Option<String> {
    let own = held.get(words).filter(|_| !clashing.is_empty())?;
    let is_other = |other: &str| !other.contains(words) && !words.contains(other);
    let companions = held.iter().filter(|(other, condition)| condition.is_of_method && is_other(other) && tells(other));
    let mut companions: Vec<(&String, &HeldCondition)> = companions.collect();
    companions.sort_by_key(|(_, condition)| (!condition.decides, Reverse(condition.bci)));
    companions.into_iter().find_map(|(other, condition)| {
        let pair = [words.to_owned(), other.clone()];
        let joined = joined_words(&if condition.bci < own.bci { [pair[1].clone(), pair[0].clone()] } else { pair.clone() })?;
        // Of two conditions, one may be no news.
        (!pair.contains(&joined)).then_some(joined)
    })
}

impl OneWayJumps {
    fn of(program: &Program, test: &AssertedTest) -> OneWayJumps {
        let mut decisions = decisions(program, test);
        decisions.retain(|decision| !decision.operands.iter().any(|way| program.guards_close(way)));
        let is_own_reason = may_say_reason(program, test);
        let is_operand = |way: &BranchOutcome| decisions.iter().any(|decision| decision.operands.contains(way));
        let route = test.target.as_ref().and_then(|target| program.route(target, &test.ways));
        let goes_otherwise =
            |way: &BranchOutcome| test.ways.iter().any(|other| other.same_instruction(way) && other.outcome != way.outcome);
        let is_passed = |way: &BranchOutcome| route.as_ref().is_none_or(|route| route.passes(way));
        let ways = test.ways.iter().filter(|way| {
            let is_of_target = !is_of_construction(way, test) && !is_of_earlier_call(way, test);
            !goes_otherwise(way) && is_of_target && is_passed(way) && (is_own_reason || is_operand(way))
        });
        let ways: BTreeSet<BranchOutcome> = ways.filter(|way| !program.guards_close(way)).cloned().collect();
        let together = program.conjunctions(&ways);
        OneWayJumps { ways, decisions, together }
    }
}

/// What decided how the call under test ended: that it threw, made the calls that the test verifies or did not
/// make them, and where it returned.
fn decisions(program: &Program, test: &AssertedTest) -> Vec<Decision> {
    let Some(target) = &test.target else { return Vec::new() };
    let of = |method: &MethodRef, end: RouteEnd<'_>| {
        program.route(method, &test.ways).map(|route| route.decisions(end)).unwrap_or_default()
    };
    if let Some(expected) = &test.expected {
        // The method itself, then others of its class that it called.
        let called: BTreeSet<&MethodRef> =
            test.ways.iter().map(|way| &way.method).filter(|method| method.owner == target.owner).collect();
        let mut methods = std::iter::once(target).chain(called);
        return methods
            .find_map(|method| Some(of(method, RouteEnd::Threw(&expected.class))).filter(|found| !found.is_empty()))
            .unwrap_or_default();
    }
    let mut found = Vec::new();
    for assertion in &test.assertions {
        match &assertion.fact {
            Fact::Called { method, times: 0, .. } => found.extend(of(target, RouteEnd::Avoided(method))),
            Fact::Called { method, .. } => found.extend(of(target, RouteEnd::Called(method))),
            _ => {}
        }
    }
    found.extend(of(target, RouteEnd::Returned));
    found
}

/// The words for all operands of a decision. A value that is not null is no news beside others. Without words for
/// the last one, which decided, the others say nothing.
fn decision_words(decision: &Decision, words_of: &impl Fn(&BranchOutcome) -> Option<String>) -> Option<String> {
    decision.operands.last().and_then(words_of)?;
    let words: Vec<String> = decision.operands.iter().filter_map(words_of).collect();
    joined_words(&words)
}

/// Whether the condition explains nothing to a reader. Such a condition compares with a sum or difference of variables.
/// Or it is a denial, and the call under test succeeded.
fn is_no_reason(words: &str, test: &AssertedTest) -> bool {
    let with_letter = |sign: &str| {
        words.match_indices(sign).any(|(at, _)| words[at + sign.len()..].starts_with(|c: char| c.is_ascii_uppercase()))
    };
    let is_computed = ["Plus", "Minus"].into_iter().any(with_letter);
    is_computed || is_denial(words) && succeeded(test)
}

/// Whether the condition says what is not the case.
pub(super) fn is_denial(words: &str) -> bool {
    DENIALS.iter().any(|not| words.contains(not))
        || words.ends_with("IsFalse")
        || words.strip_prefix("Not").is_some_and(|flag| flag.starts_with(|c: char| c.is_ascii_uppercase()))
}

/// Whether the call under test succeeded: it threw nothing, and its result is not false, null, zero or empty.
fn succeeded(test: &AssertedTest) -> bool {
    let of_result = test.assertions.iter().find(|assertion| assertion.subject.0 + 1 == test.acted);
    let is_nothing = |fact: &Fact| match fact {
        Fact::Null | Fact::Equals(Snapshot::Boolean(false)) | Fact::Called { times: 0, .. } => true,
        Fact::Equals(Snapshot::Int(value)) => *value <= 0,
        Fact::Equals(Snapshot::Long(value)) => *value <= 0,
        Fact::Equals(Snapshot::Str(Some(units))) => units.is_empty(),
        Fact::Equals(Snapshot::Container(held)) => held.elements.is_empty(),
        _ => false,
    };
    test.expected.is_none()
        && match of_result {
            Some(assertion) => !is_nothing(&assertion.fact),
            None => !test.assertions.iter().any(|assertion| is_nothing(&assertion.fact)),
        }
}

/// The names of the parameters for which the call under test gets null, in words.
fn null_parameters(program: &Program, test: &AssertedTest) -> Vec<String> {
    let named = NamedTest::new(program, test);
    let Some((method, args)) = named.operands() else { return Vec::new() };
    let names = named.parameter_names(method).into_iter().zip(args);
    let is_null = |argument: &VarId| test.test.literal(*argument) == Some(&Literal::Null);
    let nulls = names.filter(|(_, argument)| is_null(argument)).filter_map(|(name, _)| name);
    nulls.map(|name| capitalised(&name)).collect()
}

/// `StrIsNull` for `StrIsEmpty` of a text that is null: code asks for both at once.
fn of_nulls(words: String, nulls: &[String]) -> String {
    let subject = ["IsEmpty", "IsBlank"].iter().find_map(|end| words.strip_suffix(end));
    match subject.filter(|subject| nulls.iter().any(|null| null == subject)) {
        Some(subject) => format!("{subject}IsNull"),
        None => words,
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

/// Whether the jump is in a method that the test calls before the one under test, or in an overload of it.
fn is_of_earlier_call(way: &BranchOutcome, test: &AssertedTest) -> bool {
    let is_target = |method: &MethodRef| test.target.as_ref().is_some_and(|target| target.name == method.name);
    let before = test.test.statements.iter().take(test.acted.saturating_sub(1) as usize);
    let called = before.filter_map(|statement| statement.kind.called_method());
    !is_target(&way.method) && called.into_iter().any(|called| called.name == way.method.name)
}

/// Whether the condition is about a text or number that another method than the one under test was given, which has no
/// such parameter.
fn is_about_inner(program: &Program, way: &BranchOutcome, test: &AssertedTest) -> bool {
    let names = |method: &MethodRef| -> Vec<Option<String>> {
        program.resolve(method).map(|found| found.class.parameter_names(found.method()).to_vec()).unwrap_or_default()
    };
    let is_plain = |ty: &JavaType| !matches!(ty, JavaType::Class(class) if program.is_project(class));
    let Some(condition) = program.source_condition(way) else { return false };
    let (own, parameters) = (names(&way.method), way.method.parameters());
    let target = test.target.as_ref().map(names).unwrap_or_default();
    subjects(&condition).into_iter().any(|subject| {
        let is_it = |name: &Option<String>| name.as_deref() == Some(subject);
        let given = own.iter().position(is_it).and_then(|position| parameters.get(position));
        given.is_some_and(is_plain) && !target.iter().any(is_it)
    })
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
    fn what_is_not_the_case_is_no_reason_for_a_result() {
        let no_reason = |words: &str, end: &str| {
            let text = format!("target p/Foo.next ()I\nv0: I = call method p/Foo.next ()I ()\n{end}\n");
            is_no_reason(words, &text.parse().expect("well-formed"))
        };
        assert!(no_reason("PowerIsNot7", "assert v0 equals int 4"));
        assert!(!no_reason("PowerIs7", "assert v0 equals int 4"));
        assert!(!no_reason("PowerIsNot7", "assert v0 equals int 0"), "zero is what is left where nothing holds");
        assert!(!no_reason("PowerIsNot7", "throws p/E"));
        assert!(no_reason("LengthIsLessThanDashPlusFive", "throws p/E"), "nobody knows the sum");
        assert!(!no_reason("PowerIsMinus1", "assert v0 equals int 4"));
        assert!(no_reason("NotOpen", "assert v0 equals int 4") && !no_reason("Noted", "assert v0 equals int 4"));
    }

    #[test]
    fn conditions_of_earlier_calls_are_no_reason_for_what_a_later_one_does() {
        let text = "target p/Foo.has ()Z\nacted 3\nv0: Lp/Foo; = new p/Foo.<init> ()V ()\n\
                    v1: V = call method p/Foo.add ()V on v0 ()\nv2: Z = call method p/Foo.has ()Z on v0 ()\n";
        let test: AssertedTest = text.parse().expect("well-formed");
        let way =
            |name: &str| BranchOutcome { method: MethodRef::new(ClassName::new("p/Foo"), name, "(I)V"), bci: 3, outcome: 1 };
        assert!(is_of_earlier_call(&way("add"), &test));
        assert!(!is_of_earlier_call(&way("has"), &test) && !is_of_earlier_call(&way("find"), &test));
    }

    #[test]
    fn a_nested_condition_is_said_with_the_one_around_it() {
        let condition = |bci: u32| HeldCondition { bci, is_of_method: true, decides: true, operands: 1 };
        let held: BTreeMap<String, HeldCondition> = [("FirstNameIsNull", 3), ("LastNameIsNull", 9), ("TierIsBasic", 20)]
            .map(|(words, bci)| (words.into(), condition(bci)))
            .into();
        let joined = |clashing: &[usize]| with_companion(&held, "LastNameIsNull", |other| other == "FirstNameIsNull", clashing);
        assert_eq!(joined(&[4]).as_deref(), Some("FirstNameIsNullAndLastNameIsNull"));
        assert_eq!(joined(&[]), None);
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
