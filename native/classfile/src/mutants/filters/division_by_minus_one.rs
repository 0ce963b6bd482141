//! `FSEQUIVDIV` of PIT 1.22.1: `x * -1` would become `x / -1`, which has the same value.

use super::Exclusions;
use super::scan::Scan;
use crate::instruction::{BinaryOp, Op};
use crate::mutants::Operator;
use crate::pool::Constant;

/// Leaves out `MATH` of a multiplication whose right operand is the constant -1.
pub(super) fn mark(scan: &Scan<'_>, exclusions: &mut Exclusions<'_>) {
    for index in 1..scan.instructions.len() {
        if is_minus_one(scan, index - 1) && matches!(scan.op(index), Some(Op::Binary(BinaryOp::Mul, _))) {
            exclusions.exclude(&scan.instructions[index], &[Operator::Math]);
        }
    }
}

fn is_minus_one(scan: &Scan<'_>, index: usize) -> bool {
    match scan.op(index) {
        Some(Op::IntConst(-1)) => true,
        Some(Op::Ldc(constant)) => match scan.pool.get(*constant) {
            Ok(Constant::Long(value)) => value == -1,
            Ok(Constant::Float(value)) => value == -1.0,
            Ok(Constant::Double(value)) => value == -1.0,
            _ => false,
        },
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{excluded_at, method};
    use super::*;
    use crate::kind::Kind;

    #[test]
    fn only_a_product_with_minus_one_is_left_out() {
        let times = |factor: i32, op: BinaryOp| {
            method(|_| vec![Op::Load(Kind::Int, 0), Op::IntConst(factor), Op::Binary(op, Kind::Int), Op::Return(None)])
        };
        assert_eq!(excluded_at(&times(-1, BinaryOp::Mul), mark, Operator::Math), [2]);
        assert!(excluded_at(&times(-1, BinaryOp::Add), mark, Operator::Math).is_empty());
        assert!(excluded_at(&times(1, BinaryOp::Mul), mark, Operator::Math).is_empty());
        let long = method(|pool| {
            vec![Op::Ldc(pool.add_long(-1).expect("room")), Op::Binary(BinaryOp::Mul, Kind::Long), Op::Return(None)]
        });
        assert_eq!(excluded_at(&long, mark, Operator::Math), [1]);
    }
}
