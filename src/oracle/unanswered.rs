//! Calls that only a verification shows. Flows in: selected assertions; flows out: more of them.
//!
//! Where the test gives no answer, a mock answers a call by 0, false or null. A mutant that removes
//! the call leaves the same value behind (`NON_VOID_METHOD_CALLS` of PIT, which is none of its
//! default operators, so that no mutant of ours stands for it). `repository.save(order)` is the
//! usual case. One test of each method under test verifies such a call. An answer shows nothing
//! either where the code ignores it.

use std::collections::{BTreeMap, BTreeSet};

use super::interactions::{is_command, is_getter, is_stubbed_query};
use super::{ArgumentFact, AssertedTest, Assertion, Fact, IgnoredResults, Kills};
use crate::execution::{MutantId, Snapshot};
use crate::program::{ClassName, JavaType, MethodRef};
use crate::testcase::{Answer, StatementKind, StubKind, VarId};

/// A called method of a mock, in the tests of one method.
type CalledMethod<'a> = (Option<&'a MethodRef>, &'a str, usize);

/// Keeps a verification for each call that nothing else shows. `chosen`: the kept assertions of
/// each test; `most`: how many a test keeps at most; `ignored`: results that the code ignores.
pub(super) fn verify_unanswered(tests: &[AssertedTest], chosen: &mut [Option<Vec<bool>>], most: usize, ignored: &IgnoredResults) {
    let mut shown: BTreeSet<CalledMethod<'_>> = BTreeSet::new();
    let mut candidates = Vec::new();
    for (position, keep) in chosen.iter().enumerate() {
        let (test, Some(keep)) = (&tests[position], keep) else { continue };
        let call = |method| call_of(test, method);
        shown.extend(answers(test).filter(|answer| !ignored.contains(&answer.method)).map(|answer| call(&answer.method)));
        for (assertion, Assertion { fact, .. }) in test.assertions.iter().enumerate() {
            let Fact::Called { method, arguments, times: 1.. } = fact else { continue };
            // That a getter is asked is no effect.
            let is_plain_question = is_getter(method) && keep.contains(&true) && !ignored.contains(method);
            if keep[assertion] {
                shown.insert(call(method));
            } else if method.return_type() != JavaType::Void
                && !is_plain_question
                && (returns_zero_by_default(method) || ignored.contains(method))
            {
                // The most telling arguments come first.
                let unknown = arguments.iter().filter(|argument| says_little(argument)).count();
                candidates.push((unknown, position, assertion, call(method)));
            }
        }
    }
    candidates.sort();
    for (_, position, assertion, call) in candidates {
        let Some(keep) = &mut chosen[position] else { continue };
        if !shown.contains(&call) && keep.iter().filter(|keep| **keep).count() < most {
            keep[assertion] = true;
            shown.insert(call);
        }
    }
}

/// Verifies for each test that a call did not come, where a mutant that the test reaches makes the
/// call. Such a mutant makes the fact fail, or the fact of another test that the call came. In any case it
/// is verified by a test that expects an exception, and by one of a method that returns nothing, if it says
/// no more than which calls came. `kills`: one element a test; `most`: how many assertions a test keeps at
/// most.
pub(super) fn verify_absent(tests: &[AssertedTest], kills: &[Kills], chosen: &mut [Option<Vec<bool>>], most: usize) {
    let mut deciding: BTreeMap<(Option<&ClassName>, CalledMethod<'_>), BTreeSet<MutantId>> = BTreeMap::new();
    for (test, kills) in tests.iter().zip(kills) {
        for (Assertion { subject, fact }, killed) in test.assertions.iter().zip(&kills.by_assertion) {
            if let Fact::Called { method, times: 1.., .. } = fact {
                deciding.entry(mocked_call(test, *subject, method)).or_default().extend(killed);
            }
        }
    }
    for ((test, kills), keep) in tests.iter().zip(kills).zip(chosen) {
        let Some(keep) = keep else { continue };
        let noticed = |assertion: &usize| match &test.assertions[*assertion] {
            Assertion { subject, fact: Fact::Called { method, times: 0, .. } } => {
                let deciding = deciding.get(&mocked_call(test, *subject, method));
                let may_call = deciding.map_or(0, |deciding| kills.open.intersection(deciding).count());
                kills.by_assertion.get(*assertion).map_or(0, BTreeSet::len) + may_call
            }
            _ => 0,
        };
        let is_absent = |assertion: usize| matches!(test.assertions[assertion].fact, Fact::Called { times: 0, .. });
        let has_one = (0..keep.len()).any(|assertion| keep[assertion] && is_absent(assertion));
        let is_call = |assertion: usize| matches!(test.assertions[assertion].fact, Fact::Called { .. });
        let does_nothing_else = test.target.as_ref().is_some_and(|target| target.return_type() == JavaType::Void)
            && (0..keep.len()).all(|assertion| !keep[assertion] || is_call(assertion));
        // What a method does that returns nothing are its calls.
        let is_about_calls = does_nothing_else || test.expected.is_some();
        let shows_effect = |assertion: &usize| is_about_calls && is_absent_command(test, *assertion);
        let best = (0..keep.len())
            .filter(|assertion| noticed(assertion) > 0 || shows_effect(assertion))
            .max_by_key(|assertion| (noticed(assertion), std::cmp::Reverse(*assertion)));
        if let Some(best) = best.filter(|_| !has_one && keep.iter().filter(|keep| **keep).count() < most) {
            keep[best] = true;
        }
    }
}

/// Whether the assertion says that a call that does something did not come.
fn is_absent_command(test: &AssertedTest, assertion: usize) -> bool {
    matches!(&test.assertions[assertion].fact, Fact::Called { method, times: 0, .. } if is_command(method))
}

/// Keeps a verification for each test that otherwise says nothing about its mocks, though one of
/// them received a call: it neither gives an answer nor verifies a call, or all that it says is that calls
/// did not come. A removed call makes such a test fail.
pub(super) fn verify_received(tests: &[AssertedTest], chosen: &mut [Option<Vec<bool>>]) {
    for (test, keep) in tests.iter().zip(chosen) {
        let Some(keep) = keep else { continue };
        let times = |assertion: usize| match test.assertions[assertion].fact {
            Fact::Called { times, .. } => Some(times),
            _ => None,
        };
        let kept = || (0..keep.len()).filter(|assertion| keep[*assertion]).map(times);
        let says_nothing = test.expected.is_none() && kept().all(|times| times == Some(0));
        let is_told = kept().any(|times| times.is_some()) || answers(test).next().is_some();
        if is_told && !says_nothing {
            continue;
        }
        if let Some(best) = most_telling_call(test, (0..keep.len()).filter(|assertion| times(*assertion) > Some(0))) {
            keep[best] = true;
        }
    }
}

/// Where a test asserts that the result is null, and a mock gave that null because it was told nothing
/// else, the call of the mock is verified instead. No code that runs elsewhere gets this null.
/// `is_needed`: whether no other test kills what the assertion kills.
pub(super) fn verify_instead_of_null(
    tests: &[AssertedTest],
    chosen: &mut [Option<Vec<bool>>],
    is_needed: impl Fn(usize, usize, &[Option<Vec<bool>>]) -> bool,
) {
    for position in 0..tests.len() {
        let test = &tests[position];
        let Some(keep) = &chosen[position] else { continue };
        let is_null = |assertion: &usize| {
            let Assertion { subject, fact } = &test.assertions[*assertion];
            *fact == Fact::Null && subject.0 + 1 == test.acted && keep[*assertion]
        };
        let Some(null) = (0..keep.len()).find(is_null) else { continue };
        let result = test.test.type_of(test.assertions[null].subject);
        let gave_it = |assertion: &usize| match &test.assertions[*assertion] {
            Assertion { subject, fact: Fact::Called { method, times: 1.., .. } } => {
                // A type variable is erased.
                let is_result = |ty: JavaType| ty == *result || ty == JavaType::class("java/lang/Object");
                is_result(method.return_type())
                    && returns_zero_by_default(method)
                    && !is_stubbed_query(&test.test, *subject, method)
            }
            _ => false,
        };
        let Some(call) = most_telling_call(test, (0..keep.len()).filter(gave_it)) else { continue };
        let before = chosen[position].clone();
        if let Some(keep) = &mut chosen[position] {
            (keep[call], keep[null]) = (true, false);
        }
        if is_needed(position, null, chosen) {
            chosen[position] = before;
        }
    }
}

/// Of verifications of calls, the one to keep: commands come first, then the most telling arguments.
fn most_telling_call(test: &AssertedTest, calls: impl Iterator<Item = usize>) -> Option<usize> {
    calls.min_by_key(|&assertion| match &test.assertions[assertion].fact {
        Fact::Called { method, arguments, .. } => {
            let unknown = arguments.iter().filter(|argument| says_little(argument)).count();
            (!is_command(method), method.return_type() != JavaType::Void, unknown)
        }
        _ => (true, true, usize::MAX),
    })
}

/// A called method of a mock with the class of the mock.
fn mocked_call<'a>(test: &'a AssertedTest, mock: VarId, method: &'a MethodRef) -> (Option<&'a ClassName>, CalledMethod<'a>) {
    (test.test.mocked_class(mock), call_of(test, method))
}

fn call_of<'a>(test: &'a AssertedTest, method: &'a MethodRef) -> CalledMethod<'a> {
    (test.target.as_ref(), &method.name, method.parameters().len())
}

/// The answers of all mocks of the test that differ from those that they give by themselves.
fn answers(test: &AssertedTest) -> impl Iterator<Item = &Answer> {
    let all = test.test.statements.iter().flat_map(|statement| match &statement.kind {
        StatementKind::Stub { kind: StubKind::Mock, answers, .. } => &answers[..],
        _ => &[],
    });
    all.filter(|answer| is_telling(test, answer))
}

/// Whether the argument is not known, or a null that most often comes from a mock.
fn says_little(argument: &ArgumentFact) -> bool {
    matches!(argument, ArgumentFact::Any | ArgumentFact::Equals(Snapshot::Null))
}

fn is_telling(test: &AssertedTest, answer: &Answer) -> bool {
    let is_zero = |value| matches!(&test.test.statement(value).kind, StatementKind::Literal(literal) if literal.is_zero());
    !answer.constant().is_some_and(is_zero)
}

/// Whether Mockito's default answer (`RETURNS_DEFAULTS`) for the method is 0, false or null.
pub(crate) fn returns_zero_by_default(method: &MethodRef) -> bool {
    match method.return_type() {
        JavaType::Class(class) => {
            let name = class.internal();
            let has_empty_value =
                name.starts_with("java/util/") || name.starts_with("java/time/") || name == "java/lang/Iterable";
            !has_empty_value && JavaType::unboxed(&class).is_none()
        }
        _ => &*method.name != "compareTo",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_absent_call_is_verified_where_a_mutant_would_make_it() {
        let test = |returned: &str, times: u32| -> AssertedTest {
            let text = format!(
                "target p/Shop.sell (){returned}\nacted 3\nv0: Lp/Orders; = mock p/Orders ()\n\
                 v1: Lp/Shop; = new p/Shop.<init> (Lp/Orders;)V (v0)\n\
                 v2: {returned} = call method p/Shop.sell (){returned} on v1 ()\n\
                 assert v0 called {times} p/Orders.save ()V ()\n"
            );
            text.parse().expect("well-formed")
        };
        let keeps = |returned: &str, killed: &[u32], open: &[u32], most: usize| {
            let tests = [test(returned, 1), test(returned, 0)];
            let mut kills = [Kills::of(&tests[0]), Kills::of(&tests[1])];
            kills[0].by_assertion[0].insert(MutantId(7));
            kills[1].by_assertion[0].extend(killed.iter().map(|mutant| MutantId(*mutant)));
            kills[1].open.extend(open.iter().map(|mutant| MutantId(*mutant)));
            let mut chosen = vec![Some(vec![false]), Some(vec![false])];
            verify_absent(&tests, &kills, &mut chosen, most);
            assert_eq!(chosen[0], Some(vec![false]), "the call came");
            chosen[1] == Some(vec![true])
        };
        assert!(keeps("I", &[8], &[], 8), "a mutant makes the call");
        assert!(keeps("I", &[], &[7], 8), "it was not run, but decides about the call elsewhere");
        assert!(!keeps("I", &[], &[8], 8), "nothing says that it makes the call");
        assert!(keeps("V", &[], &[8], 8), "the method does nothing but call");
        assert!(!keeps("V", &[8], &[], 0), "there is no room");
    }

    #[test]
    fn a_call_is_verified_in_place_of_the_null_that_it_returned() {
        let text = |answers: &str, returned: &str| {
            format!(
                "target p/Shop.create (Lp/Item;)Lp/Order;\nacted 4\nv0: Lp/Item; = null\nv1: Lp/Orders; = mock p/Orders ({answers})\n\
                 v2: Lp/Shop; = new p/Shop.<init> (Lp/Orders;)V (v1)\n\
                 v3: Lp/Order; = call method p/Shop.create (Lp/Item;)Lp/Order; on v2 (v0)\n\
                 assert v3 null\nassert v1 called 1 p/Orders.save (Lp/Item;){returned} (any)\n"
            )
        };
        let kept = |text: &str, is_needed: bool| {
            let test: AssertedTest = text.parse().expect("well-formed");
            let mut chosen = vec![Some(vec![true, false])];
            verify_instead_of_null(&[test], &mut chosen, |_, _, _| is_needed);
            chosen[0].clone()
        };
        let (null, call) = (Some(vec![true, false]), Some(vec![false, true]));
        assert_eq!(kept(&text("", "Lp/Order;"), false), call);
        assert_eq!(kept(&text("", "Lp/Order;"), true), null, "it kills something");
        assert_eq!(kept(&text("", "Lp/Item;"), false), null, "the call gave something else");
        assert_eq!(kept(&text("p/Orders.save (Lp/Item;)Lp/Order; v0", "Lp/Order;"), false), null, "the test gave it");
    }

    #[test]
    fn default_answers_follow_returns_defaults() {
        for (descriptor, expected) in [
            ("()I", true),
            ("()Ljava/lang/String;", true),
            ("()Ljava/util/List;", false),
            ("()Ljava/util/Optional;", false),
            ("()Ljava/time/Duration;", false),
            ("()Ljava/lang/Integer;", false),
        ] {
            assert_eq!(
                returns_zero_by_default(&MethodRef::new(ClassName::new("p/C"), "m", descriptor)),
                expected,
                "{descriptor}"
            );
        }
        assert!(!returns_zero_by_default(&MethodRef::new(ClassName::new("p/C"), "compareTo", "(Lp/C;)I")));
    }

    /// A test of `p/S.work` whose mock has this answer of `save`, with facts about its calls.
    fn test(answer: &str) -> AssertedTest {
        let text = format!(
            "target p/S.work (Lp/Repo;)I\n\
             v0: Lp/V; = new p/V.<init> ()V ()\n\
             v1: Lp/Repo; = mock p/Repo ({answer})\n\
             v2: I = call method p/S.work (Lp/Repo;)I (v1)\n\
             assert v1 called 1 p/Repo.save (Lp/V;)Lp/V; (any)\n\
             assert v1 called 1 p/Repo.all ()Ljava/util/List; ()\n\
             assert v1 called 1 p/Repo.save (Lp/V;)Lp/V; (is v0)\n\
             assert v2 equals int 3\n"
        );
        text.parse().expect("well-formed")
    }

    fn chosen(tests: &[AssertedTest], kept: &[usize], most: usize) -> Vec<Vec<usize>> {
        let mut chosen: Vec<_> = tests.iter().map(|_| Some((0..4).map(|at| kept.contains(&at)).collect::<Vec<bool>>())).collect();
        verify_unanswered(tests, &mut chosen, most, &IgnoredResults::default());
        let positions = |keep: Vec<bool>| keep.iter().enumerate().filter(|(_, keep)| **keep).map(|(at, _)| at).collect();
        chosen.into_iter().flatten().map(positions).collect()
    }

    #[test]
    fn one_test_verifies_a_call_without_an_answer() {
        // The verification with the most telling arguments; the default list differs from null.
        assert_eq!(chosen(&[test(""), test("")], &[3], 8), [vec![2, 3], vec![3]]);
        assert_eq!(chosen(&[test("")], &[3], 1), [vec![3]]);
        // Another verification, or an answer that is not the default one, shows the call.
        assert_eq!(chosen(&[test("")], &[0, 3], 8), [vec![0, 3]]);
        assert_eq!(chosen(&[test(""), test("p/Repo.save (Lp/V;)Lp/V; v0")], &[3], 8), [vec![3], vec![3]]);
    }

    #[test]
    fn an_answer_that_the_code_ignores_shows_no_call() {
        let tests = [test("p/Repo.save (Lp/V;)Lp/V; v0")];
        let verified = |ignored: &IgnoredResults| {
            let mut chosen = [Some(vec![false, false, false, true])];
            verify_unanswered(&tests, &mut chosen, 8, ignored);
            chosen[0].clone().unwrap_or_default()
        };
        assert_eq!(verified(&IgnoredResults::default()), [false, false, false, true]);
        assert_eq!(verified(&IgnoredResults::only("save", "(Lp/V;)Lp/V;")), [false, false, true, true]);
        assert_eq!(verified(&IgnoredResults::only("all", "()Ljava/util/List;")), [false, true, false, true]);
    }

    #[test]
    fn a_test_says_something_about_the_mocks_that_it_calls() {
        let received = |answer: &str, kept: &[bool]| {
            let mut chosen = [Some(kept.to_vec())];
            verify_received(&[test(answer)], &mut chosen);
            chosen[0].clone().unwrap_or_default()
        };
        // A command before a query.
        assert_eq!(received("", &[false, false, false, true]), [false, false, true, true]);
        assert_eq!(received("", &[true, false, false, true]), [true, false, false, true]);
        assert_eq!(received("p/Repo.save (Lp/V;)Lp/V; v0", &[false, false, false, true]), [false, false, false, true]);
        // That a call did not come is not enough.
        let mut only_absent = test("p/Repo.save (Lp/V;)Lp/V; v0");
        if let Fact::Called { times, .. } = &mut only_absent.assertions[2].fact {
            *times = 0;
        }
        let mut chosen = [Some(vec![false, false, true, false])];
        verify_received(&[only_absent], &mut chosen);
        assert!(chosen[0].as_ref().is_some_and(|keep| keep[2] && (keep[0] || keep[1])), "{chosen:?}");
    }
}
