//! Getters that tests of other methods ask in place of tests of their own.
//!
//! In: asserted tests with all of their assertions, and which of these are kept. Out: further assertions that are
//! kept. Must not know goals or mutants: whether the test of the getter is still needed is found where its lines
//! are measured.
//!
//! A reader wants to see what an action does to the object. `assertEquals(7, order.getTotal())` behind an action
//! says that, and covers the getter as well as a test that only sets and reads the total.

use super::accessors::{IsAccessor, is_of_accessors};
use super::interactions::{is_getter, is_initial};
use super::{AssertedTest, Assertion, Fact};
use crate::program::MethodRef;
use crate::testcase::{StatementKind, TestCase, VarId};

/// Assertions that a test has, at most, with those about getters of other tests.
const MOST_ASSERTIONS: usize = 3;

/// Methods that change nothing and are no getters.
const QUESTIONS: [&str; 4] = ["equals", "hashCode", "toString", "compareTo"];

/// Keeps assertions about getters in tests of other methods, as far as these make all calls of the getters' own
/// tests. `chosen`: for each test that is kept, the assertions that are kept.
pub(crate) fn host_getters(tests: &[AssertedTest], chosen: &mut [Option<Vec<bool>>], is_accessor: IsAccessor<'_>) {
    let is_host = |place: &usize| {
        let test = &tests[*place];
        let is_action = |target: &MethodRef| !is_accessor(target) && !is_question(target);
        test.expected.is_none() && test.fault.is_none() && test.target.as_ref().is_some_and(is_action)
    };
    let hosts: Vec<usize> = (0..tests.len()).filter(|place| chosen[*place].is_some()).filter(is_host).collect();
    for place in 0..tests.len() {
        let Some(keep) = chosen[place].as_ref().filter(|_| is_of_accessors(&tests[place], is_accessor)) else { continue };
        let getters = getters(&tests[place], keep);
        let calls_elsewhere =
            |setter: &MethodRef| hosts.iter().any(|host| calls(&tests[*host].test).any(|called| called == setter));
        let sets = calls(&tests[place].test).filter(|method| is_accessor(method) && !getters.contains(method));
        if getters.is_empty() || !sets.into_iter().all(calls_elsewhere) {
            continue;
        }
        let mut hosted: Vec<(usize, usize)> = Vec::new();
        for getter in &getters {
            let room = |host: usize| {
                let kept = chosen[host].as_ref().map_or(0, |keep| keep.iter().filter(|keep| **keep).count());
                MOST_ASSERTIONS.saturating_sub(kept + hosted.iter().filter(|(other, _)| *other == host).count())
            };
            let found = hosts.iter().filter_map(|host| {
                let assertion = tests[*host].assertions.iter().position(|assertion| asks(&tests[*host], assertion, getter))?;
                let is_kept = chosen[*host].as_ref().is_some_and(|keep| keep[assertion]);
                let says_little = !tells(&tests[*host].assertions[assertion].fact);
                (is_kept || room(*host) > 0).then(|| (!is_kept, says_little, usize::MAX - room(*host), *host, assertion))
            });
            match found.min() {
                Some((.., host, assertion)) => hosted.push((host, assertion)),
                None => break,
            }
        }
        if hosted.len() == getters.len() {
            for (host, assertion) in hosted {
                chosen[host].iter_mut().for_each(|keep| keep[assertion] = true);
            }
        }
    }
}

/// Whether the method only asks an object, which is about something else than the property.
fn is_question(method: &MethodRef) -> bool {
    is_getter(method) || QUESTIONS.contains(&&*method.name)
}

/// The getters that the test is about: its target, and those that its kept assertions ask.
fn getters(test: &AssertedTest, keep: &[bool]) -> Vec<MethodRef> {
    let mut found: Vec<MethodRef> = Vec::new();
    let subjects = test.assertions.iter().zip(keep).filter(|(_, keep)| **keep).map(|(assertion, _)| assertion.subject);
    let asked = subjects.filter_map(|subject| asked(&test.test, subject)).cloned();
    for getter in test.target.iter().filter(|target| target.parameters().is_empty()).cloned().chain(asked) {
        if !found.contains(&getter) {
            found.push(getter);
        }
    }
    found
}

/// The method without parameters that the statement calls on an object.
fn asked(test: &TestCase, subject: VarId) -> Option<&MethodRef> {
    match &test.statement(subject).kind {
        StatementKind::Call { method, receiver: Some(_), args, .. } if args.is_empty() => Some(method),
        _ => None,
    }
}

/// Whether the assertion states what the getter returns, asked by an inspector.
fn asks(test: &AssertedTest, assertion: &Assertion, getter: &MethodRef) -> bool {
    assertion.subject.0 >= test.acted && assertion.fact != Fact::NotNull && asked(&test.test, assertion.subject) == Some(getter)
}

/// Whether the fact says more than that nothing was set.
fn tells(fact: &Fact) -> bool {
    match fact {
        Fact::Null | Fact::NotNull => false,
        Fact::Equals(value) => !is_initial(value),
        Fact::SameAs(_) | Fact::InstanceOf(_) | Fact::Called { .. } => true,
    }
}

fn calls(test: &TestCase) -> impl Iterator<Item = &MethodRef> {
    test.statements.iter().filter_map(|statement| match &statement.kind {
        StatementKind::Call { method, .. } => Some(method),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn getter(sets: &str) -> AssertedTest {
        let text = format!(
            "target p/Cart.getTotal ()I\nacted 4\nv0: Lp/Cart; = new p/Cart.<init> ()V ()\nv1: I = int 7\n\
             v2: V = call method p/Cart.{sets} (I)V on v0 (v1)\nv3: I = call method p/Cart.getTotal ()I on v0 ()\n\
             assert v3 equals int 7\n"
        );
        text.parse().expect("well-formed")
    }

    fn action(total: i32) -> AssertedTest {
        let text = format!(
            "target p/Cart.discount ()Z\nacted 4\nv0: Lp/Cart; = new p/Cart.<init> ()V ()\nv1: I = int 9\n\
             v2: V = call method p/Cart.setTotal (I)V on v0 (v1)\nv3: Z = call method p/Cart.discount ()Z on v0 ()\n\
             v4: I = call method p/Cart.getTotal ()I on v0 ()\nassert v3 equals true\nassert v4 equals int {total}\n"
        );
        text.parse().expect("well-formed")
    }

    fn hosted(tests: &[AssertedTest]) -> Vec<Vec<bool>> {
        let first = |test: &AssertedTest| Some((0..test.assertions.len()).map(|position| position == 0).collect());
        let mut chosen: Vec<Option<Vec<bool>>> = tests.iter().map(first).collect();
        host_getters(tests, &mut chosen, &|method| method.name.ends_with("Total"));
        chosen.into_iter().flatten().collect()
    }

    #[test]
    fn an_action_that_sets_the_property_tells_what_the_getter_returns() {
        assert_eq!(hosted(&[getter("setTotal"), action(5)]), [vec![true], vec![true, true]]);
        assert_eq!(hosted(&[getter("addTotal"), action(5)]), [vec![true], vec![true, false]], "a setter nobody else calls");
        let text = action(5).to_string().replace("discount ()Z", "isEmpty ()Z");
        let question: AssertedTest = text.parse().expect("well-formed");
        assert_eq!(hosted(&[getter("setTotal"), question]), [vec![true], vec![true, false]]);
    }

    #[test]
    fn a_value_that_was_set_is_worth_more() {
        let tests = [getter("setTotal"), action(0), action(5)];
        assert_eq!(hosted(&tests), [vec![true], vec![true, false], vec![true, true]]);
    }
}
