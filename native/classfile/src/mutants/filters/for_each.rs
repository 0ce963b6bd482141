//! `FFEACH` of PIT 1.22.1: the condition and the counter that the compiler writes for
//! `for (T x : ...)`.
//!
//! Two forms occur for each kind of loop: javac puts the condition first, ecj puts it last.
//!
//! ```text
//! iterable, javac:
//!     iterator(); astore i;  T: aload i; hasNext(); ifeq E; aload i; next(); ...; goto T;  E:
//! iterable, ecj:
//!     iterator(); astore i; goto T;  B: ...;  T: aload i; hasNext(); ifne B
//! array, javac:
//!     arraylength; istore n; iconst_0; istore k;
//!     T: iload k; iload n; if_icmpge E; ...; iinc k; goto T;  E:
//! array, ecj:
//!     arraylength; istore n; iconst_0; istore k; goto T;
//!     B: ...; iinc k;  T: iload k; iload n; if_icmplt B
//! ```
//!
//! Limit: in the forms of javac, no source line may begin inside the generated code. If one
//! begins there, the user wrote the loop.

use super::Exclusions;
use super::scan::Scan;
use crate::instruction::Op;
use crate::kind::Kind;

const ITERATOR: &str = "java/util/Iterator";

/// Leaves out the generated conditions and increments.
pub(super) fn mark(scan: &Scan<'_>, exclusions: &mut Exclusions<'_>) {
    for index in 0..scan.instructions.len() {
        let opens_iterable = scan.call(index).is_some_and(|called| called.descriptor.ends_with(")Ljava/util/Iterator;"))
            && scan.stored(index + 1, Kind::Reference).is_some();
        if opens_iterable {
            mark_iterable(scan, exclusions, index);
        }
        if matches!(scan.op(index), Some(Op::ArrayLength))
            && scan.stored(index + 1, Kind::Int).is_some()
            && matches!(scan.op(index + 2), Some(Op::IntConst(0)))
            && let Some(counter) = scan.stored(index + 3, Kind::Int)
        {
            mark_array(scan, exclusions, index, counter);
        }
    }
}

/// A loop over an iterable; `index` is the position of the call of `iterator()`.
fn mark_iterable(scan: &Scan<'_>, exclusions: &mut Exclusions<'_>, index: usize) {
    let test = index + 2;
    let condition_first = scan.is_unlabelled(index, test)
        && scan.is_unlabelled(test, test + 5)
        && scan.is_load(test, Kind::Reference)
        && scan.is_call(test + 1, ITERATOR, "hasNext")
        && scan.is_load(test + 3, Kind::Reference)
        && scan.is_call(test + 4, ITERATOR, "next");
    if let (true, Some(end), Some(test_bci)) = (condition_first, scan.conditional_target(test + 2), scan.bci(test))
        && scan.is_goto_before(end, test_bci, test + 5)
    {
        exclusions.exclude(&scan.instructions[test + 2], &[]);
    }
    if let Some(Op::Goto(target)) = scan.op(index + 2)
        && let Some(test) = scan.code.index_of(*target)
        && scan.is_call(test + 1, ITERATOR, "hasNext")
        && scan.conditional_target(test + 2).is_some()
        && scan.conditional_target(test + 2) == scan.bci(index + 3)
    {
        exclusions.exclude(&scan.instructions[test + 2], &[]);
    }
}

/// A loop over an array; `index` is the position of the `arraylength`, `counter` the counter's
/// slot.
fn mark_array(scan: &Scan<'_>, exclusions: &mut Exclusions<'_>, index: usize, counter: u16) {
    let test = index + 4;
    let compares =
        |at: usize| scan.is_load(at, Kind::Int) && scan.is_load(at + 1, Kind::Int) && scan.conditional_target(at + 2).is_some();
    if scan.is_unlabelled(index, test)
        && scan.is_unlabelled(test, test + 3)
        && compares(test)
        && let Some(test_bci) = scan.bci(test)
    {
        for at in test + 3..scan.instructions.len() {
            if scan.is_increment_of(at, counter) && matches!(scan.op(at + 1), Some(Op::Goto(target)) if *target == test_bci) {
                exclusions.exclude(&scan.instructions[test + 2], &[]);
                exclusions.exclude(&scan.instructions[at], &[]);
            }
        }
    }
    if let Some(Op::Goto(target)) = scan.op(index + 4)
        && let Some(test) = scan.code.index_of(*target)
        && test > 0
        && scan.is_increment_of(test - 1, counter)
        && compares(test)
        && scan.conditional_target(test + 2) == scan.bci(index + 5)
    {
        exclusions.exclude(&scan.instructions[test + 2], &[]);
        exclusions.exclude(&scan.instructions[test - 1], &[]);
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{TestMethod, excluded_at, method};
    use super::*;
    use crate::instruction::Condition;
    use crate::mutants::Operator;
    use crate::pool::ConstantPool;

    fn calls(pool: &mut ConstantPool) -> [u16; 3] {
        [
            pool.add_method("java/util/List", "iterator", "()Ljava/util/Iterator;").expect("room"),
            pool.add_method(ITERATOR, "hasNext", "()Z").expect("room"),
            pool.add_method(ITERATOR, "next", "()Ljava/lang/Object;").expect("room"),
        ]
    }

    /// `for (Object x : list) {}` as javac writes it; the last jump goes to `back`.
    fn over_iterable(back: u32) -> TestMethod {
        method(|pool| {
            let [iterator, has_next, next] = calls(pool);
            vec![
                Op::Load(Kind::Reference, 0),
                Op::InvokeVirtual(iterator),
                Op::Store(Kind::Reference, 1),
                Op::Load(Kind::Reference, 1),
                Op::InvokeVirtual(has_next),
                Op::If(Condition::Eq, 10),
                Op::Load(Kind::Reference, 1),
                Op::InvokeVirtual(next),
                Op::Store(Kind::Reference, 2),
                Op::Goto(back),
                Op::Return(None),
            ]
        })
    }

    #[test]
    fn the_condition_over_an_iterable_is_left_out() {
        assert_eq!(excluded_at(&over_iterable(3), mark, Operator::NegateConditionals), [5]);
        let other_loop = over_iterable(0);
        assert!(excluded_at(&other_loop, mark, Operator::NegateConditionals).is_empty());
    }

    #[test]
    fn the_condition_at_the_end_is_left_out() {
        let ecj = method(|pool| {
            let [iterator, has_next, next] = calls(pool);
            vec![
                Op::Load(Kind::Reference, 0),
                Op::InvokeVirtual(iterator),
                Op::Store(Kind::Reference, 1),
                Op::Goto(7),
                Op::Load(Kind::Reference, 1),
                Op::InvokeVirtual(next),
                Op::Store(Kind::Reference, 2),
                Op::Load(Kind::Reference, 1),
                Op::InvokeVirtual(has_next),
                Op::If(Condition::Ne, 4),
                Op::Return(None),
            ]
        });
        assert_eq!(excluded_at(&ecj, mark, Operator::NegateConditionals), [9]);
    }

    #[test]
    fn condition_and_counter_over_an_array_are_left_out() {
        let array = method(|_| {
            vec![
                Op::Load(Kind::Reference, 0),
                Op::ArrayLength,
                Op::Store(Kind::Int, 1),
                Op::IntConst(0),
                Op::Store(Kind::Int, 2),
                Op::Load(Kind::Int, 2),
                Op::Load(Kind::Int, 1),
                Op::IfIcmp(Condition::Ge, 11),
                Op::Iinc { local: 3, delta: 1 },
                Op::Iinc { local: 2, delta: 1 },
                Op::Goto(5),
                Op::Return(None),
            ]
        });
        assert_eq!(excluded_at(&array, mark, Operator::Increments), [7, 9]);
    }
}
