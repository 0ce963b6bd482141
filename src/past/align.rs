//! Coverage of a class that another agent changed before we saw it, as that of the class as it is. Flows in: both versions, and what ran of the recorded one;
//! flows out: the same by places of the other. Agents for coverage put code between the instructions and turn jumps around, but leave
//! the order of jumps, switches and line entries: where these agree, the two versions are one program. Must not know which agent it was.

use std::collections::{BTreeMap, BTreeSet};

use tracewright_classfile::{Code, Condition, Op};

use crate::path::BranchSite;
use crate::program::{ClassModel, MethodRef};
use crate::symbolic::Covered;

/// What `covered` says of `recorded`, said of `current`. Methods that do not agree are left out.
pub fn aligned(recorded: &ClassModel, current: &ClassModel, covered: &Covered) -> Covered {
    let mut all = Covered::default();
    for method in &current.methods {
        let Some(then) = recorded.method(&method.reference.name, &method.reference.descriptor) else { continue };
        let (Some(then), Some(now)) = (recorded.code(then), current.code(method)) else { continue };
        let Some(places) = Places::between(&then, &now) else { continue };
        let ran = covered.instructions.get(&method.reference).cloned().unwrap_or_default();
        let ran = places.instructions(&ran, &now);
        if !ran.is_empty() {
            all.instructions.insert(method.reference.clone(), ran);
        }
        all.branches.extend(covered.branches.iter().filter_map(|branch| places.branch(&method.reference, branch)));
    }
    all
}

/// Where things are, then and now.
struct Places {
    /// Jumps and switches: the place now, and whether the outcomes of a jump changed places.
    branches: BTreeMap<u32, (u32, bool)>,
    /// Line entries.
    lines: Vec<(u32, u32)>,
}

impl Places {
    fn between(then: &Code, now: &Code) -> Option<Places> {
        let (jumps, jumps_now) = (branching(then), branching(now));
        if jumps.len() != jumps_now.len() {
            return None;
        }
        let mut branches = BTreeMap::new();
        for ((bci, op), (bci_now, op_now)) in jumps.into_iter().zip(jumps_now) {
            branches.insert(bci, (bci_now, turned(op, op_now)?));
        }
        let (entries, entries_now) = (entries(then), entries(now));
        let agree = entries.len() == entries_now.len() && entries.iter().zip(&entries_now).all(|(then, now)| then.1 == now.1);
        let lines = entries.iter().zip(&entries_now).map(|(then, now)| (then.0, now.0));
        Some(Places { branches, lines: if agree { lines.collect() } else { Vec::new() } })
    }

    fn branch(&self, method: &MethodRef, branch: &BranchSite) -> Option<BranchSite> {
        let (bci, turned) = *self.branches.get(&branch.bci).filter(|_| branch.method == *method)?;
        let outcome = if turned { 1 - branch.outcome.min(1) } else { branch.outcome };
        Some(BranchSite { method: method.clone(), bci, outcome })
    }

    /// What ran behind each line entry that was reached, up to the next one; and the first instruction where anything ran.
    fn instructions(&self, ran: &BTreeSet<u32>, now: &Code) -> BTreeSet<u32> {
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

fn branching(code: &Code) -> Vec<(u32, &Op)> {
    let is_branching = |op: &Op| op.is_conditional_jump() || op.is_switch();
    code.instructions
        .iter()
        .filter(|instruction| is_branching(&instruction.op))
        .map(|instruction| (instruction.bci, &instruction.op))
        .collect()
}

fn entries(code: &Code) -> Vec<(u32, u16)> {
    let mut entries: Vec<(u32, u16)> = code.line_numbers.iter().map(|entry| (entry.bci, entry.line)).collect();
    entries.sort_unstable();
    entries
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
