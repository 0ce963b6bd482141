//! `FSTRSWITCH` of PIT 1.22.1: the code that the compiler writes for a `switch` on strings, before
//! the switch on the number of the case.
//!
//! ```text
//! iconst_m1; istore k; aload s; hashCode(); lookupswitch
//! aload s; ldc; equals(); ifeq; iconst; istore k; [goto]     for each case
//! iload k; tableswitch                                        on the number of the case
//! ```

use super::Exclusions;
use super::scan::Scan;
use crate::instruction::{Condition, Op};
use crate::kind::Kind;

/// Leaves out every mutant of the generated code.
pub(super) fn mark(scan: &Scan<'_>, exclusions: &mut Exclusions<'_>) {
    for index in 0..scan.instructions.len() {
        let begins = matches!(scan.op(index), Some(Op::IntConst(-1)))
            && scan.stored(index + 1, Kind::Int).is_some()
            && scan.is_load(index + 2, Kind::Reference)
            && scan.is_call(index + 3, "java/lang/String", "hashCode")
            && scan.op(index + 4).is_some_and(Op::is_switch);
        if !begins {
            continue;
        }
        let mut at = index + 5;
        while is_case(scan, at) {
            // Between two strings with the same hash there is no goto.
            at += if matches!(scan.op(at + 6), Some(Op::Goto(_))) { 7 } else { 6 };
        }
        let ends = scan.is_load(at, Kind::Int) && scan.op(at + 1).is_some_and(Op::is_switch);
        if at > index + 5 && ends {
            exclusions.exclude_all(&scan.instructions[index..=at]);
        }
    }
}

/// Whether the comparison with one string starts at the position.
fn is_case(scan: &Scan<'_>, at: usize) -> bool {
    scan.is_load(at, Kind::Reference)
        && matches!(scan.op(at + 1), Some(Op::Ldc(_)))
        && scan.is_call(at + 2, "java/lang/String", "equals")
        && matches!(scan.op(at + 3), Some(Op::If(Condition::Eq, _)))
        && matches!(scan.op(at + 4), Some(Op::IntConst(_)))
        && scan.stored(at + 5, Kind::Int).is_some()
}

#[cfg(test)]
mod tests {
    use super::super::testing::{TestMethod, excluded_at, method};
    use super::*;
    use crate::instruction::LookupSwitch;
    use crate::mutants::Operator;

    /// `switch (s) { case "a": ... }`; `hash` is the method that gives the first key.
    fn switch_by(hash: &str) -> TestMethod {
        method(|pool| {
            let hash = pool.add_method("java/lang/String", hash, "()I").expect("room");
            let equals = pool.add_method("java/lang/String", "equals", "(Ljava/lang/Object;)Z").expect("room");
            let text = pool.add_string("a").expect("room");
            let switch =
                |key: i32, to: u32, default: u32| Op::LookupSwitch(Box::new(LookupSwitch { default, pairs: vec![(key, to)] }));
            vec![
                Op::IntConst(-1),
                Op::Store(Kind::Int, 2),
                Op::Load(Kind::Reference, 1),
                Op::InvokeVirtual(hash),
                switch(97, 5, 11),
                Op::Load(Kind::Reference, 1),
                Op::Ldc(text),
                Op::InvokeVirtual(equals),
                Op::If(Condition::Eq, 11),
                Op::IntConst(0),
                Op::Store(Kind::Int, 2),
                Op::Load(Kind::Int, 2),
                switch(0, 13, 13),
                Op::Return(None),
            ]
        })
    }

    #[test]
    fn everything_before_the_second_switch_is_left_out() {
        let excluded = excluded_at(&switch_by("hashCode"), mark, Operator::NegateConditionals);
        assert_eq!(excluded, (0..=11).collect::<Vec<_>>());
        assert!(excluded_at(&switch_by("length"), mark, Operator::NegateConditionals).is_empty());
    }
}
