//! Questions about the instructions of one method, from which filters are built.
//!
//! In: a constant pool and decoded code. Out: answers about the instruction at a position. Must not
//! know operators and mutants.

use crate::code::Code;
use crate::instruction::{Instruction, Op};
use crate::kind::Kind;
use crate::pool::{ConstantPool, MemberRef};
use std::collections::BTreeSet;

/// The instructions of a method, addressed by position. A position after the last one matches
/// nothing.
pub(super) struct Scan<'a> {
    pub(super) pool: &'a ConstantPool,
    pub(super) code: &'a Code,
    pub(super) instructions: &'a [Instruction],
    /// The bcis that jumps, switches and tables of the method refer to.
    labels: BTreeSet<u32>,
}

/// The member that the instruction calls; `None` for everything but a call (`invokedynamic`
/// included).
pub(super) fn called<'a>(pool: &'a ConstantPool, instruction: &Instruction) -> Option<MemberRef<'a>> {
    instruction.op.member_index().filter(|_| instruction.op.is_method_call()).and_then(|index| pool.member(index).ok())
}

impl<'a> Scan<'a> {
    pub(super) fn new(pool: &'a ConstantPool, code: &'a Code) -> Scan<'a> {
        Scan { pool, code, instructions: &code.instructions, labels: labels(code) }
    }

    pub(super) fn op(&self, index: usize) -> Option<&Op> {
        self.instructions.get(index).map(|instruction| &instruction.op)
    }

    pub(super) fn bci(&self, index: usize) -> Option<u32> {
        self.instructions.get(index).map(|instruction| instruction.bci)
    }

    /// The member that the instruction calls.
    pub(super) fn call(&self, index: usize) -> Option<MemberRef<'_>> {
        called(self.pool, self.instructions.get(index)?)
    }

    pub(super) fn is_call(&self, index: usize, owner: &str, name: &str) -> bool {
        self.call(index).is_some_and(|called| called.owner == owner && called.name == name)
    }

    /// Whether the instruction reads this static field.
    pub(super) fn is_static_read(&self, index: usize, owner: &str, name: &str) -> bool {
        match self.op(index) {
            Some(Op::GetStatic(field)) => {
                self.pool.member(*field).is_ok_and(|member| member.owner == owner && member.name == name)
            }
            _ => false,
        }
    }

    /// The target of a conditional jump.
    pub(super) fn conditional_target(&self, index: usize) -> Option<u32> {
        self.op(index).filter(|op| op.is_conditional_jump()).and_then(Op::jump_target)
    }

    /// The local variable that the instruction stores a value of this kind to.
    pub(super) fn stored(&self, index: usize, kind: Kind) -> Option<u16> {
        match self.op(index) {
            Some(Op::Store(found, local)) if *found == kind => Some(*local),
            _ => None,
        }
    }

    pub(super) fn is_load(&self, index: usize, kind: Kind) -> bool {
        matches!(self.op(index), Some(Op::Load(found, _)) if *found == kind)
    }

    pub(super) fn is_increment_of(&self, index: usize, counter: u16) -> bool {
        matches!(self.op(index), Some(Op::Iinc { local, .. }) if *local == counter)
    }

    /// Whether any jump or table refers to the bci.
    pub(super) fn is_label(&self, bci: u32) -> bool {
        self.labels.contains(&bci)
    }

    /// Whether no jump or table refers to an instruction after `from` and before `to`. If the
    /// user wrote the loop, a new source line begins there.
    pub(super) fn is_unlabelled(&self, from: usize, to: usize) -> bool {
        (from + 1..to).all(|index| self.bci(index).is_some_and(|bci| !self.labels.contains(&bci)))
    }

    /// Whether `goto start` stands directly before the bci `end`, at or after the position `from`.
    pub(super) fn is_goto_before(&self, end: u32, start: u32, from: usize) -> bool {
        let index = self.code.index_of(end).and_then(|end| end.checked_sub(1)).filter(|&index| index >= from);
        index.is_some_and(|index| matches!(self.op(index), Some(Op::Goto(target)) if *target == start))
    }
}

/// The bcis that jumps and tables of the code refer to.
fn labels(code: &Code) -> BTreeSet<u32> {
    let mut labels = BTreeSet::new();
    for instruction in &code.instructions {
        instruction.op.for_each_target(|target| {
            labels.insert(target);
        });
    }
    labels.extend(code.line_numbers.iter().map(|entry| entry.bci));
    labels.extend(code.local_variables.iter().flat_map(|variable| [variable.start, variable.end]));
    labels.extend(code.handlers.iter().flat_map(|handler| [handler.start, handler.end, handler.handler]));
    labels
}
