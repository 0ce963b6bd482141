//! The layout of the new code.
//!
//! In: an editor with its snippets. Out: the new bci of every instruction, of its label and of the
//! added handlers; then the bytes of the code. Must not know tables and frames: see `attributes`.
//!
//! Jumps start short. A jump that does not reach its target becomes long, and all code is placed
//! again, until every jump reaches its target. This ends, since no jump becomes short again.

use super::{CodeEditor, Replacement, slot_after_previous, slot_before};
use crate::instruction::{Instruction, Op, switch_padding};
use crate::opcode::{self, GOTO, GOTO_W, IFNONNULL, IFNULL, JSR, JSR_W};
use crate::pool::{ConstantPool, PoolFull};
use crate::snippet::Snippet;
use std::collections::BTreeMap;
use std::ops::Range;

/// Bytes of a long conditional jump: an inverted jump over a `goto_w`.
const LONG_CONDITIONAL: u32 = 8;

/// The snippets of a [`Replacement`] as ranges of `Layout::bytes`.
#[derive(Debug)]
pub(super) enum Body {
    Straight(Range<usize>),
    Decided(Range<usize>),
    Optional { skip: Range<usize>, discard: Range<usize> },
}

impl Body {
    /// Number of bytes before the instruction or jump that remains.
    fn prefix(&self) -> u32 {
        match self {
            Body::Straight(bytes) | Body::Decided(bytes) => bytes.len() as u32,
            // `ifeq` and `goto`.
            Body::Optional { skip, discard } => (skip.len() + 3 + discard.len() + 3) as u32,
        }
    }
}

/// An added handler: its snippet and `athrow`.
#[derive(Debug)]
pub(super) struct CatchAllCode {
    bytes: Range<usize>,
    pub(super) position: u32,
}

/// The new bcis of one method.
#[derive(Debug)]
pub(super) struct Layout {
    /// The encoded snippets.
    bytes: Vec<u8>,
    /// Numbers of the places with inserted code, strictly ascending, with their code.
    slots: Vec<(u32, Range<usize>)>,
    /// By position of a replaced instruction.
    pub(super) bodies: BTreeMap<usize, Body>,
    /// In the order of the editor.
    pub(super) catch_all: Vec<CatchAllCode>,
    /// By position: whether the offset of the jump needs more than 16 bits.
    pub(super) long: Vec<bool>,
    /// By position: the bci that is the target of jumps to the instruction.
    pub(super) label: Vec<u32>,
    /// By position: the bci of the instruction itself.
    pub(super) position: Vec<u32>,
    /// The bci after the code of the method, where the added handlers begin.
    pub(super) main_end: u32,
    /// Bytes of the whole code.
    pub(super) total: u32,
}

impl Layout {
    /// Encodes the snippets, whose constants are appended to the pool. Bcis are 0 until
    /// [`Layout::place_until_jumps_reach`].
    pub(super) fn new(editor: &mut CodeEditor, pool: &mut ConstantPool) -> Result<Layout, PoolFull> {
        let count = editor.instructions.len();
        let mut layout = Layout {
            bytes: Vec::new(),
            slots: Vec::new(),
            bodies: BTreeMap::new(),
            catch_all: Vec::new(),
            long: vec![false; count],
            label: vec![0; count],
            position: vec![0; count],
            main_end: 0,
            total: 0,
        };
        // The sort is stable: at one place, the snippet that was inserted first comes first.
        editor.inserted.sort_by_key(|&(slot, _)| slot);
        for (slot, snippet) in &editor.inserted {
            let start = layout.bytes.len();
            snippet.encode(pool, &mut layout.bytes)?;
            let end = layout.bytes.len();
            match layout.slots.last_mut() {
                Some((last, range)) if last == slot => range.end = end,
                _ => layout.slots.push((*slot, start..end)),
            }
        }
        for (&index, replacement) in &editor.replaced {
            let mut encode = |snippet: &Snippet| -> Result<Range<usize>, PoolFull> {
                let start = layout.bytes.len();
                snippet.encode(pool, &mut layout.bytes)?;
                Ok(start..layout.bytes.len())
            };
            let body = match replacement {
                Replacement::Straight(snippet) => Body::Straight(encode(snippet)?),
                Replacement::Decided(snippet) => Body::Decided(encode(snippet)?),
                Replacement::Optional { skip, discard } => Body::Optional { skip: encode(skip)?, discard: encode(discard)? },
            };
            layout.bodies.insert(index, body);
        }
        for handler in &editor.catch_all {
            let start = layout.bytes.len();
            handler.snippet.encode(pool, &mut layout.bytes)?;
            layout.catch_all.push(CatchAllCode { bytes: start..layout.bytes.len(), position: 0 });
        }
        Ok(layout)
    }

    /// Computes all bcis. Code of more than 256 KiB is given up; the caller checks `total`.
    pub(super) fn place_until_jumps_reach(&mut self, editor: &CodeEditor) {
        loop {
            self.place(editor);
            // In code of at most 32 KiB, every offset fits into 16 bits.
            if self.total <= 0x7fff || !self.lengthen(editor) || self.total > 0x4_0000 {
                return;
            }
        }
    }

    /// Computes all bcis for the present lengths of jumps.
    fn place(&mut self, editor: &CodeEditor) {
        let mut at = 0;
        let mut slots = self.slots.iter().peekable();
        let mut slot_len = |slot: u32| match slots.next_if(|(next, _)| *next == slot) {
            Some((_, range)) => range.len() as u32,
            None => 0,
        };
        for (index, instruction) in editor.instructions.iter().enumerate() {
            at += slot_len(slot_after_previous(index));
            self.label[index] = at;
            at += slot_len(slot_before(index));
            self.position[index] = at;
            at += match self.bodies.get(&index) {
                Some(body @ Body::Straight(_)) => body.prefix(),
                Some(body) => body.prefix() + encoded_len(instruction, at, self.long[index]),
                None => encoded_len(instruction, at, self.long[index]),
            };
        }
        self.main_end = at;
        for handler in &mut self.catch_all {
            handler.position = at;
            at += handler.bytes.len() as u32 + 1;
        }
        self.total = at;
    }

    /// Marks the short jumps that do not reach their targets as long; false when all reach them.
    fn lengthen(&mut self, editor: &CodeEditor) -> bool {
        let mut grown = false;
        let reaches = |from: u32, to: u32| i16::try_from(i64::from(to) - i64::from(from)).is_ok();
        for (index, instruction) in editor.instructions.iter().enumerate() {
            if let Some(target) = instruction.op.jump_target()
                && !self.long[index]
                && !reaches(self.origin(index), self.target(editor, target))
            {
                self.long[index] = true;
                grown = true;
            }
        }
        grown
    }

    /// The new bci of an old jump target.
    fn target(&self, editor: &CodeEditor, old: u32) -> u32 {
        self.label[usize::from(editor.index_of[old as usize])]
    }

    /// The bci of the instruction or jump itself, after the code that replaces a part of it.
    fn origin(&self, index: usize) -> u32 {
        self.position[index] + self.bodies.get(&index).map_or(0, Body::prefix)
    }

    /// The bci after the instruction, before code that is inserted there.
    pub(super) fn end_of(&self, editor: &CodeEditor, index: usize) -> u32 {
        match self.bodies.get(&index) {
            Some(body @ Body::Straight(_)) => self.position[index] + body.prefix(),
            _ => {
                let origin = self.origin(index);
                origin + encoded_len(&editor.instructions[index], origin, self.long[index])
            }
        }
    }

    /// The label of the instruction at a position; for the position after the last one, the end of
    /// the code of the method.
    pub(super) fn label_or_end(&self, index: usize) -> u32 {
        self.label.get(index).copied().unwrap_or(self.main_end)
    }

    /// The new end of an exception range that ended before the instruction at position `end`. Code
    /// after the last instruction of the range belongs to the range, except after a store: the
    /// frame of the handler may not fit the stored type.
    pub(super) fn range_end(&self, editor: &CodeEditor, end: usize) -> u32 {
        let last = &editor.instructions[end - 1];
        if opcode::is_store(last.opcode) { self.position[end - 1] + last.len } else { self.label_or_end(end) }
    }

    /// Whether the new code has jump targets or handlers that the old code did not have.
    pub(super) fn needs_frames(&self, editor: &CodeEditor) -> bool {
        let conditional = |(index, &long): (usize, &bool)| long && editor.instructions[index].op.is_conditional_jump();
        let optional = |body: &Body| matches!(body, Body::Optional { .. });
        !self.catch_all.is_empty() || self.bodies.values().any(optional) || self.long.iter().enumerate().any(conditional)
    }

    /// Appends the new `code` array.
    pub(super) fn write_code(&self, editor: &CodeEditor, out: &mut Vec<u8>) {
        let start = out.len();
        let old = &editor.contents[editor.code.clone()];
        let mut slots = self.slots.iter().peekable();
        for (index, instruction) in editor.instructions.iter().enumerate() {
            while let Some((_, range)) = slots.next_if(|(slot, _)| *slot <= slot_before(index)) {
                out.extend(&self.bytes[range.clone()]);
            }
            debug_assert_eq!(out.len() - start, self.position[index] as usize);
            let bytes = &old[instruction.bci as usize..instruction.next_bci() as usize];
            self.write_instruction(editor, index, bytes, out);
        }
        for handler in &self.catch_all {
            out.extend(&self.bytes[handler.bytes.clone()]);
            out.push(opcode::ATHROW);
        }
        debug_assert_eq!(out.len() - start, self.total as usize);
    }

    /// Appends the instruction at position `index` or what replaces it; `bytes` is its old
    /// encoding.
    fn write_instruction(&self, editor: &CodeEditor, index: usize, bytes: &[u8], out: &mut Vec<u8>) {
        let instruction = &editor.instructions[index];
        let from = self.origin(index);
        let mut opcode = instruction.opcode;
        match self.bodies.get(&index) {
            Some(Body::Straight(snippet)) => return out.extend(&self.bytes[snippet.clone()]),
            Some(Body::Decided(snippet)) => {
                out.extend(&self.bytes[snippet.clone()]);
                opcode = opcode::IFNE;
            }
            Some(Body::Optional { skip, discard }) => {
                out.extend(&self.bytes[skip.clone()]);
                out.push(opcode::IFEQ);
                out.extend((3 + discard.len() as u16 + 3).to_be_bytes());
                out.extend(&self.bytes[discard.clone()]);
                out.push(GOTO);
                out.extend((3 + instruction.len as u16).to_be_bytes());
            }
            None => {}
        }
        let to = |old: u32| self.target(editor, old);
        let offset = |to: u32| (to.wrapping_sub(from) as i32).to_be_bytes();
        match &instruction.op {
            Op::Goto(target) => write_goto(out, from, to(*target), self.long[index]),
            Op::Jsr(target) => {
                let target = to(*target);
                if self.long[index] {
                    out.push(JSR_W);
                    out.extend(offset(target));
                } else {
                    out.push(JSR);
                    out.extend(&offset(target)[2..]);
                }
            }
            Op::If(_, target) | Op::IfIcmp(_, target) | Op::IfAcmp(_, target) | Op::IfNull(_, target) => {
                let target = to(*target);
                if self.long[index] {
                    out.push(inverted(opcode));
                    out.extend((LONG_CONDITIONAL as u16).to_be_bytes());
                    write_goto(out, from + 3, target, true);
                } else {
                    out.push(opcode);
                    out.extend(&offset(target)[2..]);
                }
            }
            Op::TableSwitch(switch) => {
                out.push(instruction.opcode);
                out.extend(std::iter::repeat_n(0, switch_padding(from) as usize));
                out.extend(offset(to(switch.default)));
                out.extend(switch.low.to_be_bytes());
                out.extend(switch.high.to_be_bytes());
                for &target in &switch.targets {
                    out.extend(offset(to(target)));
                }
            }
            Op::LookupSwitch(switch) => {
                out.push(instruction.opcode);
                out.extend(std::iter::repeat_n(0, switch_padding(from) as usize));
                out.extend(offset(to(switch.default)));
                out.extend((switch.pairs.len() as u32).to_be_bytes());
                for &(key, target) in &switch.pairs {
                    out.extend(key.to_be_bytes());
                    out.extend(offset(to(target)));
                }
            }
            _ => out.extend(bytes),
        }
    }
}

/// Bytes of the instruction at the new bci `at`; `long` as in [`Layout::long`].
fn encoded_len(instruction: &Instruction, at: u32, long: bool) -> u32 {
    match &instruction.op {
        Op::Goto(_) | Op::Jsr(_) if long => 5,
        op if op.is_conditional_jump() && long => LONG_CONDITIONAL,
        // A `goto_w` of the class becomes short if possible.
        Op::Goto(_) | Op::Jsr(_) => 3,
        Op::TableSwitch(_) | Op::LookupSwitch(_) => instruction.len - switch_padding(instruction.bci) + switch_padding(at),
        _ => instruction.len,
    }
}

fn write_goto(out: &mut Vec<u8>, from: u32, to: u32, long: bool) {
    let offset = (to.wrapping_sub(from) as i32).to_be_bytes();
    if long {
        out.push(GOTO_W);
        out.extend(offset);
    } else {
        out.push(GOTO);
        out.extend(&offset[2..]);
    }
}

/// The opcode of the opposite conditional jump; the opcodes stand in pairs (JVMS §6.5).
fn inverted(opcode: u8) -> u8 {
    match opcode {
        IFNULL => IFNONNULL,
        IFNONNULL => IFNULL,
        _ => ((opcode - opcode::IFEQ) ^ 1) + opcode::IFEQ,
    }
}
