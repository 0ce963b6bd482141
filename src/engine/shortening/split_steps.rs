//! Tests of several steps as several tests.
//!
//! In: shortened tests. Out: these tests with assertions about the results of their steps, and one test more for each
//! step that can be left out of its test. Must not know how tests were found.
//!
//! A search finds goals and mutants with whatever a test happens to call, and one test of two calls is shorter than two
//! tests. A reader takes the first call for a condition of the second one.
//!
//! The search also keeps a question, or a new object, to have two outcomes in one test. Where nothing uses it, the
//! statement goes as well.

use super::super::asserted_steps::{is_question, with_asserted_steps};
use super::super::observation::execute;
use super::super::shown_test::ShownTest;
use super::{MOST_ROUNDS, Shortening, accept, count_showing, runs_of_killed};
use crate::execution::MutantRun;
use crate::jvm::JvmError;
use crate::oracle::{AssertedTest, Assertion, Fact};
use crate::program::{JavaType, MethodRef};
use crate::testcase::{StatementKind, TestCase, VarId};

/// Steps of one test that are tried, at most.
const MOST_STEPS: usize = 8;

/// Whether a class under test has the method.
type IsOwn<'a> = &'a dyn Fn(&MethodRef) -> bool;

/// A test of one step, and the test without it.
struct SplitTest {
    place: usize,
    own: AssertedTest,
    rest: AssertedTest,
}

impl Shortening<'_, '_> {
    /// Asserts what steps return. A step that can be left out of its test becomes a test of its own.
    ///
    /// Fails where a worker cannot be kept running.
    pub(in crate::engine) fn split_steps(&mut self, tests: &mut Vec<ShownTest>) -> Result<(), JvmError> {
        if self.draws_random || self.is_over() {
            return Ok(());
        }
        let cases: Vec<TestCase> = tests.iter().map(|shown| shown.test.test.clone()).collect();
        for (shown, execution) in tests.iter_mut().zip(execute(self.worker, &cases, true)?) {
            shown.test = with_asserted_steps(&shown.test, &execution);
        }
        let goals = self.goals;
        let is_own = |method: &MethodRef| goals.method_id(method).is_some();
        for (place, shown) in tests.iter_mut().enumerate() {
            if next_split(&is_own, &shown.test, place, &mut 0).is_some() {
                shown.reached.forget_pairs(goals);
                shown.try_again();
            }
        }
        let mut showing = count_showing(tests);
        let mut untried: Vec<usize> = vec![0; tests.len()];
        for _ in 0..MOST_STEPS {
            let splits: Vec<SplitTest> = (0..tests.len())
                .filter_map(|place| next_split(&is_own, &tests[place].test, place, &mut untried[place]))
                .collect();
            if splits.is_empty() || self.is_over() {
                break;
            }
            let splits = self.with_stated_steps(splits)?;
            let before = tests.len();
            let old: Vec<AssertedTest> = splits.iter().map(|split| tests[split.place].test.clone()).collect();
            let mut kept: Vec<usize> = Vec::new();
            for (number, own) in self.measured(tests, &splits)?.into_iter().enumerate() {
                let has_twin = |own: &ShownTest| tests.iter().any(|other| other.test.is_twin_of(&own.test));
                let Some(own) = own.filter(|own| !has_twin(own)) else { continue };
                own.shown().iter().for_each(|thing| *showing.entry(*thing).or_default() += 1);
                tests.push(own);
                kept.push(number);
            }
            let candidates = kept.iter().map(|number| (splits[*number].place, splits[*number].rest.clone())).collect();
            let changed = self.that_hold(tests, candidates, &showing)?;
            accept(tests, &mut showing, changed, says_no_other);
            let mut own = tests.split_off(before).into_iter();
            for number in kept {
                let (place, Some(own)) = (splits[number].place, own.next()) else { continue };
                let is_split = tests[place].test != old[number];
                let is_needed = own.shown().iter().any(|thing| showing.get(thing).is_none_or(|count| *count <= 1));
                if is_split && is_needed {
                    tests.push(own);
                    untried.push(0);
                } else {
                    own.shown().iter().for_each(|thing| *showing.entry(*thing).or_default() -= 1);
                }
                untried[place] = if is_split { 0 } else { untried[place] };
            }
        }
        // What only served a step is needed no longer.
        self.change_where(tests, &mut showing, MOST_ROUNDS, ShownTest::next_shorter, says_no_other)
    }

    /// The splits whose steps show something by themselves.
    fn with_stated_steps(&mut self, splits: Vec<SplitTest>) -> Result<Vec<SplitTest>, JvmError> {
        let (mut stated, silent): (Vec<SplitTest>, Vec<SplitTest>) =
            splits.into_iter().partition(|split| !split.own.assertions.is_empty());
        let own: Vec<AssertedTest> = silent.iter().map(|split| split.own.clone()).collect();
        let of_silent = silent.into_iter().zip(self.stated(&own)?);
        stated.extend(of_silent.filter_map(|(split, own)| Some(SplitTest { own: own?, ..split })));
        Ok(stated)
    }

    /// What the tests of steps show of what their tests show; `None` for those that do not hold.
    fn measured(&mut self, tests: &[ShownTest], splits: &[SplitTest]) -> Result<Vec<Option<ShownTest>>, JvmError> {
        let cases: Vec<TestCase> = splits.iter().map(|split| split.own.test.clone()).collect();
        let executions = execute(self.worker, &cases, true)?;
        let measured = splits.iter().zip(&executions).map(|(SplitTest { own, .. }, execution)| {
            let holds = self.rules.restated(own, execution).as_ref() == Some(own) && self.holds(own, execution);
            let reached = self.covered(&own.test, execution);
            holds.then(|| ShownTest::new(own.clone(), reached, Default::default()))
        });
        let mut measured: Vec<Option<ShownTest>> = measured.collect();
        let mut runs: Vec<MutantRun> = Vec::new();
        for (number, split) in splits.iter().enumerate().filter(|(number, _)| measured[*number].is_some()) {
            runs.extend(runs_of_killed(&tests[split.place], number));
        }
        self.record_kills(&cases, &runs, &mut measured.iter_mut().map(Option::as_mut).collect::<Vec<_>>())?;
        Ok(measured)
    }
}

/// The next step of a test from the statement `untried` on, apart and left out.
fn next_split(is_own: IsOwn<'_>, test: &AssertedTest, place: usize, untried: &mut usize) -> Option<SplitTest> {
    if test.fault.is_some() || test.test.has_request() {
        return None;
    }
    let is_step = |step: &usize| {
        let is_asserted = test.assertions.iter().any(|assertion| assertion.subject.index() == *step);
        let kind = &test.test.statements[*step].kind;
        is_asserted && matches!(kind, StatementKind::Call { method, .. } if is_own(method))
            || is_idle(is_own, test, VarId(*step as u32))
    };
    let last = (test.acted as usize).saturating_sub(1);
    let step = (*untried..last).find(is_step);
    *untried = step.map_or(last, |step| step + 1);
    let step = step?;
    let rest = test.without_statement(step)?;
    Some(SplitTest { place, own: test.step(VarId(step as u32)), rest })
}

/// Whether the step asks a class under test, or makes an object of it, for nothing: no statement or assertion uses the
/// value. A call without a result may be for nothing too: the test without it shows whether it was.
fn is_idle(is_own: IsOwn<'_>, test: &AssertedTest, step: VarId) -> bool {
    let may_be_idle = match &test.test.statement(step).kind {
        StatementKind::Call { method, .. } => {
            let gives_nothing = *test.test.type_of(step) == JavaType::Void;
            is_own(method) && (gives_nothing || is_question(method))
        }
        StatementKind::Construct { constructor, .. } => is_own(constructor),
        _ => false,
    };
    let mentions = |assertion: &Assertion| assertion.subject == step || assertion.fact.others().contains(&step);
    may_be_idle && test.test.users(step).next().is_none() && !test.assertions.iter().any(mentions)
}

/// Whether the second test only leaves out some of what the first one asserts.
fn says_no_other(before: &AssertedTest, now: &AssertedTest) -> bool {
    let is_said = |fact: &Fact| {
        before.assertions.iter().any(|assertion| match (&assertion.fact, fact) {
            (Fact::SameAs(_), Fact::SameAs(_)) => true,
            (one, other) => one == other,
        })
    };
    before.expected == now.expected && now.assertions.iter().all(|assertion| is_said(&assertion.fact))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEST: &str = "target p/Cart.total ()I\nv0: Lp/Cart; = new p/Cart.<init> ()V ()\n\
                        v1: Z = call method p/Cart.more ()Z on v0 ()\nv2: I = call method p/Cart.total ()I on v0 ()\n";

    #[test]
    fn an_asserted_step_is_a_test_of_its_own() {
        let split = |facts: &str, of: &str| {
            let test: AssertedTest = format!("{TEST}{facts}").parse().expect("well-formed");
            let mut untried = 0;
            let is_own = |method: &MethodRef| method.owner.internal() == of;
            let found = next_split(&is_own, &test, 0, &mut untried);
            let found = found.map(|split| [split.own.to_string(), split.rest.to_string()]);
            assert!(next_split(&is_own, &test, 0, &mut untried).is_none(), "each step is tried once");
            found
        };
        let of = |call: &str, fact: &str| {
            format!(
                "target p/Cart.{call}\nv0: Lp/Cart; = new p/Cart.<init> ()V ()\n\
                 v1: {} = call method p/Cart.{call} on v0 ()\nassert v1 equals {fact}\n",
                call.rsplit(')').next().unwrap_or_default()
            )
        };
        let (own, rest) = (of("more ()Z", "false"), of("total ()I", "int 7"));
        let silent = own.replace("assert v1 equals false\n", "");
        let facts = "assert v1 equals false\nassert v2 equals int 7\n";
        assert_eq!(split(facts, "p/Cart"), Some([own, rest.clone()]));
        assert_eq!(split(facts, "p/Shop"), None, "a call of another class");
        assert_eq!(split("assert v2 equals int 7\n", "p/Cart"), Some([silent, rest]), "what it returns is found later");
    }

    #[test]
    fn a_question_and_an_object_that_nothing_uses_are_idle() {
        let idle = |step: &str, fact: &str| {
            let text = format!(
                "target p/Cart.total ()I\nacted 3\nv0: Lp/Cart; = new p/Cart.<init> ()V ()\nv1: {step}\n\
                 v2: I = call method p/Cart.total ()I on v0 ()\n{fact}assert v2 equals int 7\n"
            );
            is_idle(&|method| method.owner.internal() == "p/Cart", &text.parse().expect("well-formed"), VarId(1))
        };
        let copy = "Lp/Cart; = new p/Cart.<init> (Lp/Cart;)V (v0)";
        assert!(idle(copy, "") && !idle(&copy.replace("p/Cart.", "p/Shop."), ""));
        assert!(idle("Z = call method p/Cart.more ()Z on v0 ()", ""));
        assert!(!idle("Z = call method p/Cart.more ()Z on v0 ()", "assert v1 equals true\n"));
        assert!(!idle("Z = call method p/Cart.addOne ()Z on v0 ()", ""), "it changes the cart");
        assert!(idle("V = call method p/Cart.open ()V on v0 ()", ""), "it may only print");
    }

    #[test]
    fn twins_differ_in_literals() {
        let test = |index: &str, target: &str| -> AssertedTest {
            let text = format!(
                "target p/Cart.{target} (I)I\nacted 3\nv0: Lp/Cart; = new p/Cart.<init> ()V ()\nv1: I = {index}\n\
                 v2: I = call method p/Cart.{target} (I)I on v0 (v1)\nassert v2 equals {index}\n"
            );
            text.parse().expect("well-formed")
        };
        assert!(test("int 1", "amount").is_twin_of(&test("int 2", "amount")));
        assert!(!test("int 1", "amount").is_twin_of(&test("int 2", "price")));
    }

    #[test]
    fn a_test_without_a_step_must_not_say_another_thing() {
        let test = |facts: &str| -> AssertedTest { format!("{TEST}{facts}").parse().expect("well-formed") };
        let both = test("assert v1 equals false\nassert v2 equals int 7\n");
        assert!(says_no_other(&both, &test("assert v2 equals int 7\n")));
        assert!(!says_no_other(&both, &test("assert v2 equals int 8\n")));
        assert!(!says_no_other(&both, &test("throws p/E\n")));
    }
}
