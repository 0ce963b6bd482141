//! Joins the mutants in copies of a `finally` block (`FFBLOCK` of PIT 1.22.1).
//!
//! In: the mutants of a class, each at one bci. Out: for each of them the first mutant of its
//! group. Must not know how mutants are numbered.
//!
//! javac writes a `finally` block once for each exit of its `try`. The same change of the same line
//! is one mutant if exactly one copy is in a handler that catches everything.

use super::{Candidate, Operator};
use crate::class::ClassFile;
use crate::code::Code;
use crate::instruction::Op;
use std::collections::{BTreeMap, BTreeSet};

/// The bcis between the start of a handler that catches everything and the next return or throw.
pub(super) fn bcis_in_catch_all(code: &Code) -> BTreeSet<u32> {
    let handlers: BTreeSet<u32> =
        code.handlers.iter().filter(|handler| handler.catch_type.is_none()).map(|handler| handler.handler).collect();
    let mut found = BTreeSet::new();
    for start in handlers {
        let from = code.index_of(start).unwrap_or(code.instructions.len());
        for instruction in &code.instructions[from..] {
            found.insert(instruction.bci);
            if matches!(instruction.op, Op::Return(_) | Op::Athrow) {
                break;
            }
        }
    }
    found
}

/// By position of a candidate, the position of the candidate that stands for it.
pub(super) fn representatives(class: &ClassFile, candidates: &[Candidate]) -> Vec<usize> {
    let keys: Vec<Key> = candidates.iter().map(|candidate| key(class, candidate)).collect();
    let in_handler: Vec<bool> = candidates.iter().map(|candidate| candidate.in_catch_all).collect();
    group(&keys, &in_handler)
}

/// Line, operator and description, by which PIT groups mutants. PIT describes a return by its
/// method, and a condition only by its operator. The method is part of the key here, because a
/// lambda shares lines with the method around it and one switch cannot cover two methods.
type Key = (u16, Operator, String);

fn key(class: &ClassFile, candidate: &Candidate) -> Key {
    let method = class.method(candidate.method);
    let change = match candidate.operator {
        Operator::ConditionalsBoundary | Operator::NegateConditionals | Operator::InvertNegs => "",
        _ => &candidate.change,
    };
    (candidate.line, candidate.operator, format!("{}{} {change}", method.name(), method.descriptor()))
}

/// The first position of the group of each key.
fn group<K: Ord>(keys: &[K], in_handler: &[bool]) -> Vec<usize> {
    let mut groups: BTreeMap<&K, Vec<usize>> = BTreeMap::new();
    for (position, key) in keys.iter().enumerate() {
        groups.entry(key).or_default().push(position);
    }
    let mut representatives: Vec<usize> = (0..keys.len()).collect();
    for group in groups.values() {
        if group.iter().filter(|&&position| in_handler[position]).count() == 1 {
            group.iter().for_each(|&position| representatives[position] = group[0]);
        }
    }
    representatives
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copies_of_a_finally_block_are_one_mutant() {
        assert_eq!(group(&["a", "b", "a"], &[false, false, true]), [0, 1, 0]);
    }

    #[test]
    fn equal_changes_without_a_single_handler_stay_apart() {
        assert_eq!(group(&["a", "a"], &[false, false]), [0, 1]);
        assert_eq!(group(&["a", "a", "a"], &[true, false, true]), [0, 1, 2]);
    }
}
