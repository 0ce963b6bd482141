//! Coverage of a class that another agent changed before we saw it, as that of the class as it is. Flows in: both versions, and what ran of the recorded one;
//! flows out: the same by places of the other. Agents for coverage put code between the instructions and turn jumps around, but leave
//! the order of jumps, switches and line entries: where these agree, the two versions are one program. Must not know which agent it was.

use std::collections::{BTreeMap, BTreeSet};

use tracewright_classfile::{Code, Condition, Instruction, LineNumber, Op};

use crate::path::BranchOutcome;
use crate::program::{ClassModel, MethodRef};
use crate::symbolic::Covered;

/// What `covered` says of `recorded`, said of `current`. Methods that do not agree are left out.
pub(crate) fn aligned(recorded: &ClassModel, current: &ClassModel, covered: &Covered) -> Covered {
    let mut all = Covered::default();
    for method in &current.methods {
        let Some(then) = recorded.method(&method.reference.name, &method.reference.descriptor) else { continue };
        let (Some(then), Some(now)) = (recorded.code(then), current.code(method)) else { continue };
        let (then, now) = (Version::of(&then), Version::of(&now));
        let Some(places) = Places::between(then, now) else { continue };
        let ran = covered.instructions.get(&method.reference).cloned().unwrap_or_default();
        let ran = places.instructions(&ran, now);
        if !ran.is_empty() {
            all.instructions.insert(method.reference.clone(), ran);
        }
        all.branches.extend(covered.branches.iter().filter_map(|branch| places.branch(&method.reference, branch)));
    }
    all
}

/// What the two have in common is looked for in this.
#[derive(Clone, Copy)]
struct Version<'a> {
    instructions: &'a [Instruction],
    lines: &'a [LineNumber],
}

impl<'a> Version<'a> {
    fn of(code: &'a Code) -> Version<'a> {
        Version { instructions: &code.instructions, lines: &code.line_numbers }
    }

    fn branching(self) -> Vec<(u32, &'a Op)> {
        let is_branching = |op: &Op| op.is_conditional_jump() || op.is_switch();
        let branching = self.instructions.iter().filter(|instruction| is_branching(&instruction.op));
        branching.map(|instruction| (instruction.bci, &instruction.op)).collect()
    }

    fn entries(self) -> Vec<(u32, u16)> {
        let mut entries: Vec<(u32, u16)> = self.lines.iter().map(|entry| (entry.bci, entry.line)).collect();
        entries.sort_unstable();
        entries
    }
}

/// Where things are, then and now.
struct Places {
    /// Jumps and switches: the place now, and whether the outcomes of a jump changed places.
    branches: BTreeMap<u32, (u32, bool)>,
    /// Line entries.
    lines: Vec<(u32, u32)>,
}

impl Places {
    fn between(then: Version<'_>, now: Version<'_>) -> Option<Places> {
        let (jumps, jumps_now) = (then.branching(), now.branching());
        if jumps.len() != jumps_now.len() {
            return None;
        }
        let mut branches = BTreeMap::new();
        for ((bci, op), (bci_now, op_now)) in jumps.into_iter().zip(jumps_now) {
            branches.insert(bci, (bci_now, turned(op, op_now)?));
        }
        let (entries, entries_now) = (then.entries(), now.entries());
        let agree = entries.len() == entries_now.len() && entries.iter().zip(&entries_now).all(|(then, now)| then.1 == now.1);
        let lines = entries.iter().zip(&entries_now).map(|(then, now)| (then.0, now.0));
        Some(Places { branches, lines: if agree { lines.collect() } else { Vec::new() } })
    }

    fn branch(&self, method: &MethodRef, branch: &BranchOutcome) -> Option<BranchOutcome> {
        let (bci, turned) = *self.branches.get(&branch.bci).filter(|_| branch.method == *method)?;
        let outcome = if turned { 1 - branch.outcome.min(1) } else { branch.outcome };
        Some(BranchOutcome { method: method.clone(), bci, outcome })
    }

    /// What ran behind each line entry that was reached, up to the next one; and the first instruction where anything ran.
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

/// Whether the outcomes of a jump changed places; `None` where these are not the same jump or switch.
fn turned(then: &Op, now: &Op) -> Option<bool> {
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
    /// The same with `nop`s as counters: in front, and on the edge that jumps, for which the jump is turned around.
    const COUNTED: [u8; 15] = [0, 0, 0x1a, 0x9a, 0, 7, 0, 0xa7, 0, 6, 0x04, 0xac, 0, 0x05, 0xac];
    const COUNTED_LINES: [(u32, u16); 3] = [(0, 10), (10, 11), (13, 12)];

    fn with<T>(code: &[u8], lines: &[(u32, u16)], look: impl FnOnce(Version<'_>) -> T) -> T {
        let instructions = decode_instructions(code).expect("code");
        let lines: Vec<LineNumber> = lines.iter().map(|&(bci, line)| LineNumber { bci, line }).collect();
        look(Version { instructions: &instructions, lines: &lines })
    }

    /// What is said now of these outcomes of the jump then, and of these instructions.
    fn aligned(then: &[u8], now: &[u8], lines: &[(u32, u16)], outcomes: &[u32], ran: &[u32]) -> Option<(Vec<u32>, Vec<u32>)> {
        let method = MethodRef::new(ClassName::new("a/B"), "of", "(I)I");
        with(then, lines, |then| {
            with(now, &LINES, |now| {
                let places = Places::between(then, now)?;
                let bci = then.branching().first()?.0;
                let branches = outcomes.iter().filter_map(|&outcome| {
                    let branch = places.branch(&method, &BranchOutcome { method: method.clone(), bci, outcome })?;
                    assert_eq!(branch.bci, 1);
                    Some(branch.outcome)
                });
                Some((branches.collect(), places.instructions(&ran.iter().copied().collect(), now).into_iter().collect()))
            })
        })
    }

    #[test]
    fn a_jump_that_was_turned_around_has_its_outcomes_the_other_way() {
        // Not taken then: the value was 0, and the jump is taken now.
        let found = aligned(&COUNTED, &PLAIN, &COUNTED_LINES, &[0], &[0, 1, 2, 3, 6, 7, 13, 14]);
        assert_eq!(found, Some((vec![1], vec![0, 1, 6, 7])));
        let found = aligned(&COUNTED, &PLAIN, &COUNTED_LINES, &[1], &[0, 1, 2, 3, 10, 11]);
        assert_eq!(found, Some((vec![0], vec![0, 1, 4, 5])));
        // And of the same class, the same.
        let found = aligned(&PLAIN, &PLAIN, &LINES, &[0, 1], &[0, 1, 4, 5, 6, 7]);
        assert_eq!(found, Some((vec![0, 1], vec![0, 1, 4, 5, 6, 7])));
    }

    #[test]
    fn another_program_is_not_aligned() {
        // `iflt` for `ifeq`.
        let other = [0x1a, 0x9b, 0, 5, 0x04, 0xac, 0x05, 0xac];
        assert_eq!(aligned(&other, &PLAIN, &LINES, &[0], &[0]), None);
        // One jump more.
        let longer = [0x1a, 0x99, 0, 9, 0x1a, 0x99, 0, 5, 0x04, 0xac, 0x05, 0xac];
        assert_eq!(aligned(&longer, &PLAIN, &LINES, &[0], &[0]), None);
        // Other lines: the jumps are still the same, of the rest only the entry is known.
        let found = aligned(&PLAIN, &PLAIN, &[(0, 10), (4, 15), (6, 16)], &[0], &[0, 1, 4, 5]);
        assert_eq!(found, Some((vec![0], vec![0])));
    }
}
