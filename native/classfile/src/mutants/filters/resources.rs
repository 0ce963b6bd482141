//! `FTRYWR` of PIT 1.22.1: the code that the compiler writes to close the resources of a `try`. It
//! is `[ifnull; aload;] close()` before the last handler of `Throwable`, and `addSuppressed` at the
//! start of such a handler.
//!
//! Limit: a `close()` that the user wrote before such a handler is left out as well, as in PIT.

use super::Exclusions;
use super::scan::Scan;
use crate::instruction::{Condition, Op};
use crate::kind::Kind;
use std::collections::BTreeSet;

/// Leaves out the mutants of generated calls and conditions.
pub(super) fn mark(scan: &Scan<'_>, exclusions: &mut Exclusions<'_>) {
    if scan.code.handlers.len() < 2 {
        return;
    }
    let of_throwable = |catch_type: &Option<String>| catch_type.as_deref() == Some("java/lang/Throwable");
    let handlers: BTreeSet<u32> =
        scan.code.handlers.iter().filter(|handler| of_throwable(&handler.catch_type)).map(|handler| handler.handler).collect();
    let Some(&last) = handlers.last() else { return };
    for index in 0..scan.instructions.len() {
        let bci = scan.instructions[index].bci;
        if is_close(scan, index) && bci < last {
            exclusions.exclude(&scan.instructions[index], &[]);
            if index >= 2
                && scan.is_load(index - 1, Kind::Reference)
                && matches!(scan.op(index - 2), Some(Op::IfNull(Condition::Eq, _)))
            {
                exclusions.exclude(&scan.instructions[index - 2], &[]);
            }
        }
        let suppresses = handlers.contains(&bci)
            && scan.stored(index, Kind::Reference).is_some()
            && scan.is_load(index + 1, Kind::Reference)
            && scan.is_load(index + 2, Kind::Reference)
            && scan.call(index + 3).is_some_and(|called| called.name == "addSuppressed");
        if suppresses {
            exclusions.exclude(&scan.instructions[index + 3], &[]);
        }
    }
}

fn is_close(scan: &Scan<'_>, index: usize) -> bool {
    matches!(scan.op(index), Some(Op::InvokeVirtual(_) | Op::InvokeInterface { .. }))
        && scan.call(index).is_some_and(|called| called.name == "close" && called.descriptor == "()V")
}

#[cfg(test)]
mod tests {
    use super::super::testing::{TestMethod, excluded_at, method};
    use super::*;
    use crate::mutants::Operator;

    fn try_with(close: &str) -> TestMethod {
        let method = method(|pool| {
            let close = pool.add_method("p/R", close, "()V").expect("room");
            let suppress = pool.add_method("java/lang/Throwable", "addSuppressed", "(Ljava/lang/Throwable;)V").expect("room");
            vec![
                Op::Load(Kind::Reference, 1),
                Op::IfNull(Condition::Eq, 4),
                Op::Load(Kind::Reference, 1),
                Op::InvokeVirtual(close),
                Op::Return(None),
                Op::Store(Kind::Reference, 2),
                Op::Load(Kind::Reference, 2),
                Op::Load(Kind::Reference, 3),
                Op::InvokeVirtual(suppress),
                Op::Return(None),
            ]
        });
        method.with_handler(0..4, 5, Some("java/lang/Throwable")).with_handler(0..4, 5, Some("java/lang/Throwable"))
    }

    #[test]
    fn closing_and_suppressing_are_left_out() {
        assert_eq!(excluded_at(&try_with("close"), mark, Operator::VoidMethodCalls), [1, 3, 8]);
        assert_eq!(excluded_at(&try_with("flush"), mark, Operator::VoidMethodCalls), [8]);
    }
}
