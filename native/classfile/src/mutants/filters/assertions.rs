//! `FASSERT` of PIT 1.22.1: an `assert` statement, from the test of `$assertionsDisabled` to the
//! end of the throw.

use super::Exclusions;
use super::scan::Scan;
use crate::instruction::{Condition, Op};

/// Leaves out every mutant of an `assert` statement.
pub(super) fn mark(scan: &Scan<'_>, exclusions: &mut Exclusions<'_>) {
    for index in 0..scan.instructions.len() {
        let tests_flag = matches!(scan.op(index), Some(Op::GetStatic(field))
            if scan.pool.member(*field).is_ok_and(|member| member.name == "$assertionsDisabled"));
        if let (true, Some(Op::If(Condition::Ne, end))) = (tests_flag, scan.op(index + 1))
            && let Some(end) = scan.code.index_of(*end).filter(|&end| end > index)
        {
            exclusions.exclude_all(&scan.instructions[index..end]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{TestMethod, excluded_at, method};
    use super::*;
    use crate::kind::Kind;
    use crate::mutants::Operator;

    fn guarded_by(flag: &str) -> TestMethod {
        method(|pool| {
            let flag = pool.add_field("p/A", flag, "Z").expect("room");
            vec![
                Op::GetStatic(flag),
                Op::If(Condition::Ne, 6),
                Op::Load(Kind::Int, 0),
                Op::If(Condition::Gt, 6),
                Op::NullConst,
                Op::Athrow,
                Op::Load(Kind::Int, 0),
                Op::Return(Some(Kind::Int)),
            ]
        })
    }

    #[test]
    fn the_whole_statement_is_left_out() {
        let assertion = guarded_by("$assertionsDisabled");
        assert_eq!(excluded_at(&assertion, mark, Operator::NegateConditionals), [0, 1, 2, 3, 4, 5]);
        assert!(excluded_at(&guarded_by("disabled"), mark, Operator::NegateConditionals).is_empty());
    }
}
