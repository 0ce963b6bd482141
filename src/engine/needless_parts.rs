//! Answers of mocks that no call asked for, and objects that nothing uses.
//!
//! In: a test, and the calls that its mocks received when it ran. Out: the test without these parts. Must not know
//! whether the rest does the same: that has to be found by running it.
//!
//! Tests are minimised where there is time for it. Those of a draft, and those of a class with little time, come as
//! the search made them. What their mocks were asked for is known of every observed test.

use crate::execution::Interaction;
use crate::search::without_unused_answers;
use crate::testcase::{StatementKind, TestCase, VarId};

/// The test without its needless parts, once without what only answers used and once with it. None of them where the
/// test has no needless parts. The last statement stays.
pub(super) fn without_needless_parts(test: &TestCase, calls: &[Interaction]) -> Vec<TestCase> {
    let mut forms = without_unused_answers(test, calls);
    if forms.is_empty() {
        forms.push(test.clone());
    }
    forms.iter_mut().for_each(remove_unused_objects);
    forms.dedup();
    forms.retain(|form| !form.is_empty() && form != test);
    forms
}

fn remove_unused_objects(test: &mut TestCase) {
    // From the end, so that what only an unused object was made of is unused as well.
    for index in (0..test.len().saturating_sub(1)).rev() {
        let variable = VarId(index as u32);
        if matches!(test.statement(variable).kind, StatementKind::Construct { .. }) && test.users(variable).next().is_none() {
            test.remove_with_dependants(index);
        }
    }
    test.remove_unused_values();
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::program::{ClassName, MethodRef};
    use crate::testcase::Statement;

    const TEST: &str = "v0: Lp/Made; = new p/Made.<init> ()V ()\n\
                        v1: Lp/Page; = new p/Page.<init> (Lp/Made;)V (v0)\n\
                        v2: I = int 3\n\
                        v3: Lp/Store; = mock p/Store (p/Store.page ()Lp/Page; v1, p/Store.count ()I v2)\n\
                        v4: Lp/T; = new p/T.<init> (Lp/Store;)V (v3)\n\
                        v5: Lp/Page; = new p/Page.<init> (Lp/Made;)V (v0)\n\
                        v6: I = call method p/T.count ()I on v4 ()\n";

    fn descriptor(name: &str) -> &'static str {
        match name {
            "count" => "()I",
            "found" => "()Lp/Found;",
            _ => "()Lp/Page;",
        }
    }

    fn shortened(asked: &[&str]) -> Option<String> {
        shortened_of(TEST, asked)
    }

    /// The shortest form where these methods of the first mock were called.
    fn shortened_of(test: &str, asked: &[&str]) -> Option<String> {
        let test: TestCase = test.parse().expect("well-formed");
        let is_mock = |statement: &Statement| matches!(statement.kind, StatementKind::Stub { .. });
        let mock = test.statements.iter().position(is_mock).expect("there is one");
        let call = |name: &&str| Interaction {
            statement: 6,
            mock: VarId(mock as u32),
            method: MethodRef::new(ClassName::new("p/Store"), name, descriptor(name)),
            arguments: Vec::new(),
        };
        let calls: Vec<Interaction> = asked.iter().map(call).collect();
        without_needless_parts(&test, &calls).first().map(|test| test.to_string())
    }

    #[test]
    fn answers_that_nobody_asked_for_go_with_their_objects() {
        let only_count = "v0: I = int 3\n\
                          v1: Lp/Store; = mock p/Store (p/Store.count ()I v0)\n\
                          v2: Lp/T; = new p/T.<init> (Lp/Store;)V (v1)\n\
                          v3: I = call method p/T.count ()I on v2 ()\n";
        assert_eq!(shortened(&["count"]).as_deref(), Some(only_count));
    }

    #[test]
    fn what_an_asked_answer_needs_stays() {
        let both = "v0: Lp/Page; = new p/Page.<init> ()V ()\n\
                    v1: Lp/Found; = call method p/Found.of (Lp/Page;)Lp/Found; (v0)\n\
                    v2: Lp/Store; = mock p/Store (p/Store.page ()Lp/Page; v0, p/Store.found ()Lp/Found; v1)\n\
                    v3: Lp/T; = new p/T.<init> (Lp/Store;)V (v2)\n\
                    v4: I = call method p/T.count ()I on v3 ()\n";
        let without_page = both.replace("p/Store.page ()Lp/Page; v0, ", "");
        assert_eq!(shortened_of(both, &["found"]), Some(without_page));
    }

    #[test]
    fn objects_that_nothing_uses_go_and_others_stay() {
        let kept: String = TEST.lines().filter(|line| !line.starts_with("v5")).map(|line| format!("{line}\n")).collect();
        assert_eq!(shortened(&["count", "page"]), Some(kept.replace("v6", "v5")));
        let needed: TestCase = "v0: Lp/T; = new p/T.<init> ()V ()\nv1: I = call method p/T.count ()I on v0 ()\n".parse().unwrap();
        assert_eq!(without_needless_parts(&needed, &[]), []);
        let made: TestCase = "v0: Lp/T; = new p/T.<init> ()V ()\n".parse().unwrap();
        assert_eq!(without_needless_parts(&made, &[]), [], "the call under test makes an object");
    }
}
