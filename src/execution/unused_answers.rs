//! Answers of mocks that no call asked for.
//!
//! In: a test, and the calls that its mocks received. Out: the test without the answers to other calls. Must not know
//! why a test is changed.

use std::collections::BTreeSet;

use super::Interaction;
use crate::testcase::{Answer, StatementKind, StubKind, TestCase, VarId};

/// Drops the answers that none of these calls asked for. Out: the values that only they used. The test keeps its
/// statements.
pub(crate) fn drop_unused_answers(test: &mut TestCase, calls: &[Interaction]) -> BTreeSet<VarId> {
    let (mut kept, mut dropped) = (BTreeSet::new(), BTreeSet::new());
    for (index, statement) in test.statements.iter_mut().enumerate() {
        let StatementKind::Stub { kind: StubKind::Mock, answers, .. } = &mut statement.kind else { continue };
        let asks = |call: &Interaction, answer: &Answer| {
            call.mock.index() == index
                && call.method.name == answer.method.name
                && call.method.parameters() == answer.method.parameters()
        };
        answers.retain(|answer| {
            let is_used = calls.iter().any(|call| asks(call, answer));
            let uses = if is_used { &mut kept } else { &mut dropped };
            uses.extend(answer.uses());
            is_used
        });
    }
    dropped.difference(&kept).copied().collect()
}
