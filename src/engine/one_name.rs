//! One name for one object.
//!
//! In: a test and an execution of it. Out: the test in which statements use the receiver of a call that returns it, and
//! not the result. Must not know whether the test shows the same.
//!
//! `Options options2 = options.addOption(opt)` and then `parser.parse(options2)`: a reader has to find out that both
//! names mean one object. A chain of calls needs no name.

use crate::execution::{Execution, Snapshot};
use crate::oracle::AssertedTest;
use crate::program::JavaType;
use crate::testcase::{StatementKind, VarId};

/// The test with one name for each object that calls return to their caller; `None` where it is so already.
/// `is_subtype`: whether the first type is a subtype of the second one.
pub(super) fn with_one_name(
    is_subtype: &dyn Fn(&JavaType, &JavaType) -> bool,
    test: &AssertedTest,
    execution: &Execution,
) -> Option<AssertedTest> {
    let first = |variable: VarId| match execution.snapshots.get(variable.index())? {
        Snapshot::Object { same_as, .. } => Some(same_as.map_or(variable, VarId)),
        _ => None,
    };
    let mut changed = test.clone();
    for result in (0..test.acted.saturating_sub(1)).map(VarId) {
        let kind = &changed.test.statement(result).kind;
        let StatementKind::Call { receiver: Some(receiver), .. } = *kind else { continue };
        let is_same = first(result).is_some_and(|object| object != result && Some(object) == first(receiver));
        let fits = is_subtype(changed.test.type_of(receiver), changed.test.type_of(result));
        // Behind a chain, the object has its name only where something else uses it.
        let is_used_again = changed.test.users(receiver).count() > 1;
        if is_same && fits && (is_used_again || !is_chained(&changed, result)) {
            changed.test.replace_uses(result, receiver, result.index() + 1);
        }
    }
    (changed != *test).then_some(changed)
}

/// Whether the next call, and nothing else, is one on the result.
fn is_chained(test: &AssertedTest, result: VarId) -> bool {
    let statements = &test.test.statements;
    let users = (0..statements.len()).filter(|user| statements[*user].kind.uses().contains(&result));
    let users: Vec<usize> = users.collect();
    let [user] = users.as_slice() else { return false };
    let is_call = matches!(statements[*user].kind, StatementKind::Call { receiver, .. } if receiver == Some(result));
    let between = &statements[result.index() + 1..*user];
    is_call && between.iter().all(|statement| matches!(statement.kind, StatementKind::Literal(_)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::execution::RunEnd;
    use crate::program::ClassName;

    fn renamed(later: &str, is_same: bool) -> Option<String> {
        let text = format!(
            "target p/Parser.parse (Lp/Options;)V\nv0: Lp/Options; = new p/Options.<init> ()V ()\n\
             v1: Lp/Options; = call method p/Options.add ()Lp/Options; on v0 ()\nv2: I = int 1\n{later}"
        );
        let test: AssertedTest = text.parse().expect("well-formed");
        let object = |same_as: Option<u32>| Snapshot::Object {
            class: ClassName::new("p/Options"),
            same_as,
            size: None,
            contents: None,
            to_string: None,
        };
        let snapshots = vec![object(None), object(Some(0).filter(|_| is_same)), Snapshot::Int(1), Snapshot::Absent];
        let execution = Execution { snapshots, ..Execution::without_measurements(RunEnd::Completed) };
        with_one_name(&|one, other| one == other, &test, &execution).map(|test| test.test.to_string())
    }

    #[test]
    fn the_receiver_stands_for_the_result_that_is_the_same_object() {
        let call = "v3: V = call method p/Parser.parse (Lp/Options;)V (v1)\n";
        assert!(renamed(call, true).expect("changed").contains("parse (Lp/Options;)V (v0)"));
        assert_eq!(renamed(call, false), None);
        let chain = "v3: V = call method p/Options.check ()V on v1 ()\n";
        assert_eq!(renamed(chain, true), None, "a chain");
        let used_again = format!("{chain}v4: V = call method p/Parser.parse (Lp/Options;)V (v0)\n");
        assert!(renamed(&used_again, true).expect("changed").contains("check ()V on v0"));
    }
}
