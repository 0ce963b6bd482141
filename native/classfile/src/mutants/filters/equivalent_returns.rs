//! `FRETEQUIV` of PIT 1.22.1: returns of a value that the mutant would return as well.
//!
//! Limit: the value must be made directly before the return, or be stored to a variable that is not
//! written in between. Jumps are not followed.

use super::Exclusions;
use super::scan::Scan;
use crate::instruction::Op;
use crate::kind::Kind;
use crate::mutants::Operator;
use crate::opcode;

/// Operators that return an empty value or `Boolean.FALSE`.
const EMPTY: [Operator; 2] = [Operator::EmptyReturns, Operator::FalseReturns];

/// Leaves out the operators whose value equals the returned one.
pub(super) fn mark(scan: &Scan<'_>, exclusions: &mut Exclusions<'_>) {
    for index in 0..scan.instructions.len() {
        let boxed = scan.call(index + 1).is_some_and(|called| called.name == "valueOf");
        if is_zero(scan, index) {
            exclude_returns(scan, exclusions, index + 1, false, &[Operator::PrimitiveReturns, Operator::FalseReturns]);
            if boxed {
                exclude_returns(scan, exclusions, index + 2, true, &EMPTY);
            }
        }
        if is_one(scan, index) {
            exclude_returns(scan, exclusions, index + 1, false, &[Operator::TrueReturns]);
            if boxed {
                exclude_returns(scan, exclusions, index + 2, true, &[Operator::TrueReturns]);
            }
        }
        if matches!(scan.op(index), Some(Op::NullConst)) {
            exclude_returns(scan, exclusions, index + 1, true, &[Operator::NullReturns]);
        }
        if scan.is_static_read(index, "java/lang/Boolean", "TRUE") {
            exclude_returns(scan, exclusions, index + 1, true, &[Operator::TrueReturns]);
        }
        let is_false = scan.is_static_read(index, "java/lang/Boolean", "FALSE");
        if is_false || is_empty_string(scan, index) || is_empty_factory(scan, index) {
            exclude_returns(scan, exclusions, index + 1, true, &EMPTY);
        }
    }
}

/// Leaves out the operators at returns of the value that the instruction before position `at`
/// makes. `reference` says whether these return a reference.
fn exclude_returns(scan: &Scan<'_>, exclusions: &mut Exclusions<'_>, at: usize, reference: bool, operators: &[Operator]) {
    let is_return =
        |index: usize| matches!(scan.op(index), Some(Op::Return(Some(kind))) if (*kind == Kind::Reference) == reference);
    if is_return(at) {
        exclusions.exclude(&scan.instructions[at], operators);
    }
    let Some(local) = scan.stored(at, Kind::Reference) else { return };
    for index in at + 1..scan.instructions.len() {
        match scan.op(index) {
            Some(Op::Store(Kind::Reference, other)) if *other == local => break,
            Some(Op::Load(Kind::Reference, other)) if *other == local && is_return(index + 1) => {
                exclusions.exclude(&scan.instructions[index + 1], operators);
            }
            _ => {}
        }
    }
}

fn is_zero(scan: &Scan<'_>, index: usize) -> bool {
    match scan.op(index) {
        Some(Op::IntConst(0)) => scan.instructions[index].opcode == opcode::ICONST_0,
        Some(Op::LongConst(0)) => true,
        Some(Op::FloatConst(value)) => value.to_bits() == 0,
        Some(Op::DoubleConst(value)) => value.to_bits() == 0,
        _ => false,
    }
}

fn is_one(scan: &Scan<'_>, index: usize) -> bool {
    matches!(scan.op(index), Some(Op::IntConst(1))) && scan.instructions[index].opcode != opcode::BIPUSH
}

fn is_empty_string(scan: &Scan<'_>, index: usize) -> bool {
    match scan.op(index) {
        Some(Op::Ldc(constant)) => scan.pool.string(*constant).is_ok_and(|units| units.is_empty()),
        _ => false,
    }
}

/// A call without arguments that returns an empty optional, stream or collection.
fn is_empty_factory(scan: &Scan<'_>, index: usize) -> bool {
    scan.call(index).is_some_and(|called| {
        called.descriptor.starts_with("()")
            && matches!(
                (called.owner, called.name),
                ("java/util/Optional" | "java/util/stream/Stream", "empty")
                    | ("java/util/Collections", "emptyList" | "emptyMap" | "emptySet")
                    | ("java/util/Map" | "java/util/List" | "java/util/Set", "of")
            )
    })
}

#[cfg(test)]
mod tests {
    use super::super::testing::{excluded_at, method};
    use super::*;

    const INT: Op = Op::Return(Some(Kind::Int));
    const REFERENCE: Op = Op::Return(Some(Kind::Reference));

    #[test]
    fn constants_before_a_return_are_equivalent() {
        let zero = method(|_| vec![Op::IntConst(0), INT]);
        assert_eq!(excluded_at(&zero, mark, Operator::PrimitiveReturns), [1]);
        assert_eq!(excluded_at(&zero, mark, Operator::FalseReturns), [1]);
        assert!(excluded_at(&zero, mark, Operator::TrueReturns).is_empty());
        let two = method(|_| vec![Op::IntConst(2), INT]);
        assert!(excluded_at(&two, mark, Operator::PrimitiveReturns).is_empty());
        let one = method(|_| vec![Op::IntConst(1), INT]);
        assert_eq!(excluded_at(&one, mark, Operator::TrueReturns), [1]);
    }

    #[test]
    fn a_variable_holds_its_value_until_it_is_written() {
        let kept = method(|_| vec![Op::NullConst, Op::Store(Kind::Reference, 1), Op::Load(Kind::Reference, 1), REFERENCE]);
        assert_eq!(excluded_at(&kept, mark, Operator::NullReturns), [3]);
        let written = method(|_| {
            vec![
                Op::NullConst,
                Op::Store(Kind::Reference, 1),
                Op::Load(Kind::Reference, 0),
                Op::Store(Kind::Reference, 1),
                Op::Load(Kind::Reference, 1),
                REFERENCE,
            ]
        });
        assert!(excluded_at(&written, mark, Operator::NullReturns).is_empty());
    }

    #[test]
    fn empty_objects_are_equivalent() {
        let list = method(|pool| {
            let of = pool.add_method("java/util/Collections", "emptyList", "()Ljava/util/List;").expect("room");
            vec![Op::InvokeStatic(of), REFERENCE]
        });
        assert_eq!(excluded_at(&list, mark, Operator::EmptyReturns), [1]);
        let text = method(|pool| vec![Op::Ldc(pool.add_string("").expect("room")), REFERENCE]);
        assert_eq!(excluded_at(&text, mark, Operator::EmptyReturns), [1]);
        let other = method(|pool| vec![Op::Ldc(pool.add_string("a").expect("room")), REFERENCE]);
        assert!(excluded_at(&other, mark, Operator::EmptyReturns).is_empty());
    }
}
