//! Coverage of a class that another agent had changed before it was recorded, as coverage of the
//! class as it is. Flows in: both versions, and the coverage of the recorded one; flows out:
//! coverage by positions in the current one. Must not know which agent changed the class.
//!
//! Coverage agents insert code between instructions and negate jumps, but keep the order of jumps,
//! switches and line entries. Two versions that agree in these are the same program.

use std::collections::{BTreeMap, BTreeSet};

use tracewright_classfile::{Code, Condition, Instruction, LineNumber, Op};

use crate::path::BranchOutcome;
use crate::program::{ClassModel, MethodRef};
use crate::symbolic::Covered;

/// Maps the coverage of `recorded` to `current`. Methods that do not agree are left out.
pub(crate) fn align_coverage(recorded: &ClassModel, current: &ClassModel, covered: &Covered) -> Covered {
    let mut all = Covered::default();
    for method in &current.methods {
        let Some(then) = recorded.method(&method.reference.name, &method.reference.descriptor) else { continue };
        let (Some(then), Some(now)) = (recorded.code(then), current.code(method)) else { continue };
        let (then, now) = (Version::of(&then), Version::of(&now));
        let Some(positions) = PositionMap::between(then, now) else { continue };
        let ran = covered.instructions.get(&method.reference).cloned().unwrap_or_default();
        let ran = positions.instructions(&ran, now);
        if !ran.is_empty() {
            all.instructions.insert(method.reference.clone(), ran);
        }
        all.branches.extend(covered.branches.iter().filter_map(|branch| positions.branch(&method.reference, branch)));
    }
    all
}

/// The code of a method in one version of its class.
#[derive(Clone, Copy)]
struct Version<'a> {
    instructions: &'a [Instruction],
    lines: &'a [LineNumber],
}

impl<'a> Version<'a> {
    fn of(code: &'a Code) -> Version<'a> {
        Version { instructions: &code.instructions, lines: &code.line_numbers }
    }

    /// Jumps and switches in order, with their positions.
    fn branching(self) -> Vec<(u32, &'a Op)> {
        let is_branching = |op: &Op| op.is_conditional_jump() || op.is_switch();
        let branching = self.instructions.iter().filter(|instruction| is_branching(&instruction.op));
        branching.map(|instruction| (instruction.bci, &instruction.op)).collect()
    }

    /// Line entries (position and line), ascending.
    fn entries(self) -> Vec<(u32, u16)> {
        let mut entries: Vec<(u32, u16)> = self.lines.iter().map(|entry| (entry.bci, entry.line)).collect();
        entries.sort_unstable();
        entries
    }
}

/// Positions in the recorded version with those in the current one.
struct PositionMap {
    /// Jumps and switches: the current position, and whether a jump is negated.
    branches: BTreeMap<u32, (u32, bool)>,
    /// Line entries; empty where the lines do not agree.
    lines: Vec<(u32, u32)>,
}

impl PositionMap {
    /// `None` where the versions are different programs.
    fn between(then: Version<'_>, now: Version<'_>) -> Option<PositionMap> {
        let (jumps, jumps_now) = (then.branching(), now.branching());
        if jumps.len() != jumps_now.len() {
            return None;
        }
        let mut branches = BTreeMap::new();
        for ((bci, op), (bci_now, op_now)) in jumps.into_iter().zip(jumps_now) {
            branches.insert(bci, (bci_now, is_negated(op, op_now)?));
        }
        let (entries, entries_now) = (then.entries(), now.entries());
        let agree = entries.len() == entries_now.len() && entries.iter().zip(&entries_now).all(|(then, now)| then.1 == now.1);
        let lines = entries.iter().zip(&entries_now).map(|(then, now)| (then.0, now.0));
        Some(PositionMap { branches, lines: if agree { lines.collect() } else { Vec::new() } })
    }

    fn branch(&self, method: &MethodRef, branch: &BranchOutcome) -> Option<BranchOutcome> {
        let (bci, negated) = *self.branches.get(&branch.bci).filter(|_| branch.method == *method)?;
        let outcome = if negated { 1 - branch.outcome.min(1) } else { branch.outcome };
        Some(BranchOutcome { method: method.clone(), bci, outcome })
    }

    /// The instructions of each covered line entry up to the next one, and the first instruction if
    /// that was covered.
    fn instructions(&self, ran: &BTreeSet<u32>, now: Version<'_>) -> BTreeSet<u32> {
        let mut all = BTreeSet::new();
        if ran.contains(&0) {
            all.insert(0);
        }
        for (position, (then, begin)) in self.lines.iter().enumerate() {
            if ran.contains(then) {
                let end = self.lines.get(position + 1).map_or(u32::MAX, |(_, next)| *next);
                all.extend(now.instructions.iter().map(|instruction| instruction.bci).filter(|bci| (*begin..end).contains(bci)));
            }
        }
        all
    }
}

/// Whether the jump is negated; `None` for another jump or switch.
fn is_negated(then: &Op, now: &Op) -> Option<bool> {
    let conditions = |then: &Condition, now: &Condition| {
        let same = then == now;
        (same || then.negate() == *now).then_some(!same)
    };
    match (then, now) {
        (Op::If(then, _), Op::If(now, _))
        | (Op::IfIcmp(then, _), Op::IfIcmp(now, _))
        | (Op::IfAcmp(then, _), Op::IfAcmp(now, _))
        | (Op::IfNull(then, _), Op::IfNull(now, _)) => conditions(then, now),
        (Op::TableSwitch(then), Op::TableSwitch(now)) => (then.targets.len() == now.targets.len()).then_some(false),
        (Op::LookupSwitch(then), Op::LookupSwitch(now)) => (then.pairs.len() == now.pairs.len()).then_some(false),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use tracewright_classfile::decode_instructions;

    use super::*;
    use crate::program::ClassName;

    const LINES: [(u32, u16); 3] = [(0, 10), (4, 11), (6, 12)];
    /// `iload_0; ifeq 6; iconst_1; ireturn; iconst_2; ireturn`.
    const PLAIN: [u8; 8] = [0x1a, 0x99, 0, 5, 0x04, 0xac, 0x05, 0xac];
    /// The same with `nop`s as counters: in front, and on the edge of the jump, for which the jump
    /// is negated.
    const COUNTED: [u8; 15] = [0, 0, 0x1a, 0x9a, 0, 7, 0, 0xa7, 0, 6, 0x04, 0xac, 0, 0x05, 0xac];
    const COUNTED_LINES: [(u32, u16); 3] = [(0, 10), (10, 11), (13, 12)];

    fn with_version<T>(code: &[u8], lines: &[(u32, u16)], look: impl FnOnce(Version<'_>) -> T) -> T {
        let instructions = decode_instructions(code).expect("code");
        let lines: Vec<LineNumber> = lines.iter().map(|&(bci, line)| LineNumber { bci, line }).collect();
        look(Version { instructions: &instructions, lines: &lines })
    }

    /// The current positions of these outcomes of the recorded jump, and of these covered
    /// instructions.
    fn aligned(then: &[u8], now: &[u8], lines: &[(u32, u16)], outcomes: &[u32], ran: &[u32]) -> Option<(Vec<u32>, Vec<u32>)> {
        let method = MethodRef::new(ClassName::new("a/B"), "of", "(I)I");
        with_version(then, lines, |then| {
            with_version(now, &LINES, |now| {
                let positions = PositionMap::between(then, now)?;
                let bci = then.branching().first()?.0;
                let branches = outcomes.iter().filter_map(|&outcome| {
                    let branch = positions.branch(&method, &BranchOutcome { method: method.clone(), bci, outcome })?;
                    assert_eq!(branch.bci, 1);
                    Some(branch.outcome)
                });
                Some((branches.collect(), positions.instructions(&ran.iter().copied().collect(), now).into_iter().collect()))
            })
        })
    }

    #[test]
    fn a_negated_jump_has_its_outcomes_exchanged() {
        // The recorded jump was not taken for 0; the current one is.
        let found = aligned(&COUNTED, &PLAIN, &COUNTED_LINES, &[0], &[0, 1, 2, 3, 6, 7, 13, 14]);
        assert_eq!(found, Some((vec![1], vec![0, 1, 6, 7])));
        let found = aligned(&COUNTED, &PLAIN, &COUNTED_LINES, &[1], &[0, 1, 2, 3, 10, 11]);
        assert_eq!(found, Some((vec![0], vec![0, 1, 4, 5])));
        // The same version maps to itself.
        let found = aligned(&PLAIN, &PLAIN, &LINES, &[0, 1], &[0, 1, 4, 5, 6, 7]);
        assert_eq!(found, Some((vec![0, 1], vec![0, 1, 4, 5, 6, 7])));
    }

    #[test]
    fn different_programs_are_not_aligned() {
        // `iflt` for `ifeq`.
        let other = [0x1a, 0x9b, 0, 5, 0x04, 0xac, 0x05, 0xac];
        assert_eq!(aligned(&other, &PLAIN, &LINES, &[0], &[0]), None);
        // With one more jump.
        let longer = [0x1a, 0x99, 0, 9, 0x1a, 0x99, 0, 5, 0x04, 0xac, 0x05, 0xac];
        assert_eq!(aligned(&longer, &PLAIN, &LINES, &[0], &[0]), None);
        // With other lines, jumps and the first instruction are still mapped.
        let found = aligned(&PLAIN, &PLAIN, &[(0, 10), (4, 15), (6, 16)], &[0], &[0, 1, 4, 5]);
        assert_eq!(found, Some((vec![0], vec![0])));
    }
}
