//! Tests that call several methods under test, taken apart.
//!
//! In: a test, and which calls are worth a test of their own. Out: the shorter tests that it begins
//! with. Must not know goals.
//!
//! A search covers goals with whatever comes first in a test. A reader wants one call a test: what an
//! earlier call covers belongs to a test that ends with it, unless the later call needs the state.

use crate::program::MethodRef;
use crate::testcase::{StatementKind, TestCase};

/// Beginnings of one test, at most.
const MOST_BEGINNINGS: usize = 12;

/// The beginnings of the test, the shortest first. Each ends with a call before the last one that is
/// `worth` a test, and sends no request.
pub(crate) fn beginnings(test: &TestCase, worth: impl Fn(&MethodRef) -> bool) -> Vec<TestCase> {
    let Some(last) = test.statements.iter().rposition(|statement| statement.kind.has_effect()) else { return Vec::new() };
    let is_worth = |index: &usize| match &test.statements[*index].kind {
        StatementKind::Call { method, .. } => worth(method),
        _ => false,
    };
    let mut ends: Vec<usize> = (0..last).rev().filter(is_worth).take(MOST_BEGINNINGS).collect();
    ends.reverse();
    ends.into_iter()
        .map(|end| {
            let mut beginning = test.clone();
            beginning.statements.truncate(end + 1);
            beginning.remove_unused_values();
            beginning
        })
        .filter(|beginning| !beginning.has_request())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_test_begins_with_the_tests_of_its_earlier_calls() {
        let text = "\
v0: LT; = new T.<init> ()V ()
v1: I = int 1
v2: V = call method T.set (I)V on v0 (v1)
v3: I = int 7
v4: I = call method T.sum (I)I on v0 (v3)
v5: I = int 9
v6: I = call method T.sum (I)I on v0 (v5)
";
        let test: TestCase = text.parse().expect("well-formed");
        let text_of =
            |worth: &dyn Fn(&MethodRef) -> bool| beginnings(&test, worth).iter().map(TestCase::to_string).collect::<Vec<_>>();
        let first: String = text.lines().take(3).map(|line| format!("{line}\n")).collect();
        let second: String = text.lines().take(5).map(|line| format!("{line}\n")).collect();
        assert_eq!(text_of(&|_| true), [first, second.clone()]);
        assert_eq!(text_of(&|method| &*method.name == "sum"), [second]);
        assert!(text_of(&|method| &*method.name == "get").is_empty());
    }
}
