//! `FFLOOP` of PIT 1.22.1: the increment of the counter of a `for` loop. A changed increment would
//! usually make the loop endless.
//!
//! ```text
//! javac:  T: iload k; ...; if.. E; ...; iinc k; goto T;  E:
//! ecj:    istore k; goto T;  B: ...; iinc k;  T: iload k; ...; if.. B
//! ```
//!
//! Limit: the condition must read the counter first; reads of fields before it do not count. In the
//! form of ecj, the condition must compare with an array length, a constant or the result of a
//! call.

use super::Exclusions;
use super::scan::Scan;
use crate::instruction::Op;
use crate::kind::Kind;

/// Leaves out the increments of loop counters.
pub(super) fn mark(scan: &Scan<'_>, exclusions: &mut Exclusions<'_>) {
    for index in 0..scan.instructions.len() {
        if let Some(Op::Iinc { local, .. }) = scan.op(index)
            && (has_condition_first(scan, index, *local) || has_condition_last(scan, index, *local))
        {
            exclusions.exclude(&scan.instructions[index], &[]);
        }
    }
}

/// Whether the loop has the form of javac; `index` is the position of the `iinc` of `counter`.
fn has_condition_first(scan: &Scan<'_>, index: usize, counter: u16) -> bool {
    let Some(test) = scan.op(index + 1).and_then(Op::jump_target) else { return false };
    let (Some(end), Some(first)) = (scan.bci(index + 2), scan.code.index_of(test)) else { return false };
    let read = scan.instructions[first..].iter().find(|instruction| !matches!(instruction.op, Op::GetField(_)));
    let reads_counter = matches!(read.map(|read| &read.op), Some(Op::Load(Kind::Int, local)) if *local == counter);
    first < index
        && reads_counter
        && scan.is_unlabelled(index, index + 2)
        && (first + 1..index)
            .any(|at| scan.conditional_target(at) == Some(end) && scan.bci(at + 1).is_some_and(|next| scan.is_label(next)))
}

/// Whether the loop has the form of ecj; `index` is the position of the `iinc` of `counter`.
fn has_condition_last(scan: &Scan<'_>, index: usize, counter: u16) -> bool {
    let Some(test) = scan.bci(index + 1) else { return false };
    if !matches!(scan.op(index + 1), Some(Op::Load(Kind::Int, local)) if *local == counter) {
        return false;
    }
    let jumps_back_to = |body: u32| {
        (index + 2..scan.instructions.len()).any(|jump| {
            let is_bound = matches!(scan.op(jump - 1), Some(Op::ArrayLength | Op::IntConst(_)));
            scan.conditional_target(jump) == Some(body) && (is_bound || scan.call(jump - 1).is_some())
        })
    };
    (1..index).any(|at| {
        matches!(scan.op(at), Some(Op::Goto(target)) if *target == test)
            && scan.stored(at - 1, Kind::Int) == Some(counter)
            && scan.bci(at + 1).is_some_and(jumps_back_to)
    })
}

#[cfg(test)]
mod tests {
    use super::super::testing::{TestMethod, excluded_at, method};
    use super::*;
    use crate::instruction::Condition;
    use crate::mutants::Operator;

    /// `for (int k = 0; k < 3; k++)` as javac writes it, with the increment of `incremented`. A
    /// second jump to the body makes it a label, as the line of the body does in real code.
    fn counted(incremented: u16) -> TestMethod {
        method(|_| {
            vec![
                Op::IntConst(0),
                Op::Store(Kind::Int, 1),
                Op::Load(Kind::Int, 1),
                Op::IntConst(3),
                Op::IfIcmp(Condition::Ge, 8),
                Op::Nop,
                Op::Iinc { local: incremented, delta: 1 },
                Op::Goto(2),
                Op::Load(Kind::Int, 0),
                Op::If(Condition::Ne, 5),
                Op::Return(None),
            ]
        })
    }

    #[test]
    fn the_increment_of_the_counter_is_left_out() {
        assert_eq!(excluded_at(&counted(1), mark, Operator::Increments), [6]);
        assert!(excluded_at(&counted(2), mark, Operator::Increments).is_empty());
    }

    #[test]
    fn the_increment_before_a_condition_at_the_end_is_left_out() {
        let ecj = |bound: Op| {
            method(|_| {
                vec![
                    Op::IntConst(0),
                    Op::Store(Kind::Int, 1),
                    Op::Goto(5),
                    Op::Nop,
                    Op::Iinc { local: 1, delta: 1 },
                    Op::Load(Kind::Int, 1),
                    bound,
                    Op::IfIcmp(Condition::Lt, 3),
                    Op::Return(None),
                ]
            })
        };
        assert_eq!(excluded_at(&ecj(Op::IntConst(3)), mark, Operator::Increments), [4]);
        assert!(excluded_at(&ecj(Op::Load(Kind::Int, 2)), mark, Operator::Increments).is_empty());
    }
}
