//! Inserting code into a method. In: a method and snippets with their places; out: a new `Code` attribute whose jumps, switches,
//! exception table, debug tables, type annotations and stack map frames have moved with the code.
//!
//! Between two instructions `p` and `i` the order is
//!
//! ```text
//!     p
//!     [insert_after(p)]      only those that fall through from p
//!  L: [insert_before(i)]     jumps, switches and handlers that went to i come here; i's frame is here
//!     i                      `uninitialized(i)` stays here
//! ```
//!
//! and inside one such place, the order in which the snippets were inserted. `insert_at_entry` is an `insert_after` of the call itself. An
//! exception range that starts or ends at `i` starts or ends at `L`. A snippet on an edge stands behind the method's code,
//! with a copy of its target's frame, in the exception ranges of its target, and jumps there: it runs as if it were the
//! first thing at the target. (In the ranges of the *jump* it might not verify: the target may have given up locals that a handler
//! there still reads.)
//!
//! A snippet leaves the stack as it found it, so every frame of the class stays true and only moves. In doubt there is an
//! [`EditError`], never a wrong class.
//!
//! [`CodeEditor::catch_all`] and [`CodeEditor::catch_early`] add a handler behind everything else, and a last entry of the exception table that leads
//! there.
//!
//! An instruction itself may also be written differently, with the same effect on the stack: [`CodeEditor::replace`],
//! [`CodeEditor::decide`] and [`CodeEditor::make_optional`]. It keeps its place `i` in the order above.

use crate::class::{ClassFile, Method};
use crate::code::{Code, CodeAttributeKind, RawCode, RawHandler};
use crate::error::ParseError;
use crate::frame::{self, Frame, MethodContext, VerificationType};
use crate::instruction::{self, BinaryOp, Instruction, Op, switch_padding};
use crate::opcode::{self, GOTO, GOTO_W, IFNONNULL, IFNULL, JSR, JSR_W};
use crate::pool::{ConstantPool, PoolFull};
use crate::reader::Reader;
use crate::snippet::Snippet;
use crate::types::{self, TypeError};
use std::collections::BTreeMap;
use std::ops::Range;
use thiserror::Error;

/// Why a method stays as it was.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum EditError {
    #[error(transparent)]
    Parse(#[from] ParseError),
    #[error(transparent)]
    Pool(#[from] PoolFull),
    #[error("the method has no code")]
    NoCode,
    #[error("an empty `finalize` tells the JVM that the objects need no finalization; it has to stay empty")]
    EmptyFinalizer,
    #[error("no instruction starts at bci {bci}")]
    NoSuchInstruction { bci: u32 },
    #[error("the instruction at bci {bci} has no such edge")]
    NoSuchEdge { bci: u32 },
    #[error("control does not fall through from bci {bci}")]
    NoFallThrough { bci: u32 },
    #[error("a snippet changes the height of the stack by {height}")]
    NotNeutral { height: i32 },
    #[error("a snippet has another effect on the stack than the instruction at bci {bci}, or may not stand for it")]
    NoReplacement { bci: u32 },
    #[error("a snippet reads a local variable that the method does not have")]
    NoSuchLocal,
    #[error("the method would have {bytes} bytes of code (65535 are allowed)")]
    TooLarge { bytes: u32 },
    #[error("the operand stack would pass 65535 slots")]
    StackTooDeep,
    #[error("the exception table would pass 65535 entries")]
    TooManyHandlers,
    #[error("the code has no frame for bci {bci}, where one is needed")]
    MissingFrame { bci: u32 },
    #[error("bci {bci} jumps to a subroutine; such an edge cannot be marked")]
    Subroutine { bci: u32 },
    #[error("the code runs off its end")]
    RunsOffEnd,
    #[error("the types at a jump that grew too long: {0}")]
    Types(TypeError),
    #[error("an exception handler cannot cover code in which `this` is not initialized")]
    UninitializedThis,
}

/// One of the ways out of a jump or a switch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Edge {
    /// The jump is taken (conditional jumps and `goto`).
    Taken,
    /// A conditional jump is not taken. The same as `insert_after`.
    FallThrough,
    /// The case with this number, in the order of the instruction (for a `tableswitch`, key minus `low`).
    Case(usize),
    Default,
}

/// The body of one method, with the snippets to be inserted.
#[derive(Debug, Clone)]
pub struct CodeEditor {
    method: usize,
    major: u16,
    max_stack: u16,
    max_locals: u16,
    /// The whole old attribute; code and tables are ranges of it.
    contents: Vec<u8>,
    code: Range<usize>,
    handlers: Vec<RawHandler>,
    attributes: Vec<OldAttribute>,
    context: MethodContext,
    is_empty_finalizer: bool,
    instructions: Vec<Instruction>,
    /// Position in `instructions` by bci; `NOWHERE` inside an instruction. One more entry for the end of the code.
    index_of: Vec<u16>,
    inserted: Vec<(u32, Snippet)>,
    edges: Vec<EdgeSnippet>,
    /// By position in `instructions`.
    replaced: BTreeMap<usize, Replacement>,
    catch_all: Vec<CatchAll>,
}

/// A handler of what no other handler of the method takes.
#[derive(Debug, Clone)]
struct CatchAll {
    /// Position of the first instruction that it covers.
    from: usize,
    /// Position of the first one behind them: there `this` is about to be initialized. `None`: the end of the code.
    to: Option<usize>,
    snippet: Snippet,
}

/// What stands for an instruction.
#[derive(Debug, Clone)]
enum Replacement {
    /// The snippet alone.
    Straight(Snippet),
    /// The snippet, and `ifne` with the target of the jump.
    Decided(Snippet),
    /// The instruction, unless `skip` leaves something else than 0: then what it would have taken is dropped.
    ///
    /// ```text
    ///       skip; ifeq do; discard; goto done
    /// do:   the instruction
    /// done:
    /// ```
    Optional { skip: Snippet, discard: Snippet },
}

impl Replacement {
    fn rise(&self) -> u16 {
        match self {
            Replacement::Straight(snippet) | Replacement::Decided(snippet) => snippet.rise(),
            Replacement::Optional { skip, .. } => skip.rise(),
        }
    }
}

#[derive(Debug, Clone)]
struct OldAttribute {
    kind: CodeAttributeKind,
    name_index: u16,
    contents: Range<usize>,
}

#[derive(Debug, Clone)]
struct EdgeSnippet {
    instruction: usize,
    /// Number among the targets of the instruction.
    ordinal: usize,
    target: usize,
    snippet: Snippet,
}

const NOWHERE: u16 = u16::MAX;

/// The place before `L` of the instruction with this position, and the place behind it.
fn slot_after_previous(index: usize) -> u32 {
    2 * index as u32
}

fn slot_before(index: usize) -> u32 {
    2 * index as u32 + 1
}

impl CodeEditor {
    pub fn new(method: Method<'_>) -> Result<CodeEditor, EditError> {
        let class = method.class();
        let old = method.attribute("Code").ok_or(EditError::NoCode)?;
        let contents = old.to_vec();
        let raw = RawCode::parse(old, class.constant_pool())?;
        let range = |part: &[u8]| {
            let start = part.as_ptr() as usize - old.as_ptr() as usize;
            start..start + part.len()
        };
        let instructions = instruction::decode(raw.code)?;
        let mut index_of = vec![NOWHERE; raw.code.len() + 1];
        for (index, instruction) in instructions.iter().enumerate() {
            index_of[instruction.bci as usize] = index as u16;
        }
        index_of[raw.code.len()] = instructions.len() as u16;
        let editor = CodeEditor {
            method: method.index(),
            major: class.major_version(),
            max_stack: raw.max_stack,
            max_locals: raw.max_locals,
            code: range(raw.code),
            attributes: raw
                .attributes
                .iter()
                .map(|attribute| OldAttribute {
                    // Before version 50 the JVM does not know this attribute.
                    kind: match attribute.kind {
                        CodeAttributeKind::StackMap if class.major_version() < 50 => CodeAttributeKind::Other,
                        kind => kind,
                    },
                    name_index: attribute.name_index,
                    contents: range(attribute.bytes),
                })
                .collect(),
            handlers: raw.handlers,
            context: method.context()?,
            is_empty_finalizer: instructions.len() == 1 && method.name() == "finalize" && method.descriptor() == "()V",
            contents,
            instructions,
            index_of,
            inserted: Vec::new(),
            edges: Vec::new(),
            replaced: BTreeMap::new(),
            catch_all: Vec::new(),
        };
        for handler in &editor.handlers {
            let start = editor.index(handler.start)?;
            let end = editor.index_or_end(handler.end)?;
            editor.index(handler.handler)?;
            if start >= end {
                return Err(EditError::Parse(ParseError::Code {
                    bci: handler.start,
                    problem: "an exception range that is empty",
                }));
            }
        }
        Ok(editor)
    }

    pub fn instructions(&self) -> &[Instruction] {
        &self.instructions
    }

    pub fn is_untouched(&self) -> bool {
        self.inserted.is_empty() && self.edges.is_empty() && self.replaced.is_empty() && self.catch_all.is_empty()
    }

    /// Runs once for every call, before anything else; jumps back to bci 0 do not pass it.
    pub fn insert_at_entry(&mut self, snippet: Snippet) -> Result<(), EditError> {
        self.insert(slot_after_previous(0), snippet)
    }

    /// Runs whenever the instruction is about to run, however control came there. At the start of a handler, the stack holds the exception.
    pub fn insert_before(&mut self, bci: u32, snippet: Snippet) -> Result<(), EditError> {
        let index = self.index(bci)?;
        self.insert(slot_before(index), snippet)
    }

    /// Runs when control falls through from the instruction to the next one.
    pub fn insert_after(&mut self, bci: u32, snippet: Snippet) -> Result<(), EditError> {
        let index = self.index(bci)?;
        if !self.instructions[index].op.falls_through() {
            return Err(EditError::NoFallThrough { bci });
        }
        if index + 1 == self.instructions.len() {
            return Err(EditError::RunsOffEnd);
        }
        self.insert(slot_after_previous(index + 1), snippet)
    }

    /// Runs when control leaves the jump or switch by this edge. Edges to the same target are told apart.
    pub fn insert_on_edge(&mut self, bci: u32, edge: Edge, snippet: Snippet) -> Result<(), EditError> {
        let index = self.index(bci)?;
        let none = EditError::NoSuchEdge { bci };
        let op = &self.instructions[index].op;
        let (ordinal, target) = match (op, edge) {
            (Op::Jsr(_), _) => return Err(EditError::Subroutine { bci }),
            (op, Edge::FallThrough) if op.is_conditional_jump() => {
                return self.insert_after(bci, snippet);
            }
            (Op::TableSwitch(switch), Edge::Case(case)) => (case, *switch.targets.get(case).ok_or(none)?),
            (Op::LookupSwitch(switch), Edge::Case(case)) => (case, switch.pairs.get(case).ok_or(none)?.1),
            (Op::TableSwitch(switch), Edge::Default) => (switch.targets.len(), switch.default),
            (Op::LookupSwitch(switch), Edge::Default) => (switch.pairs.len(), switch.default),
            (op, Edge::Taken) => (0, op.jump_target().ok_or(none)?),
            _ => return Err(none),
        };
        self.check(&snippet)?;
        let target = self.index(target)?;
        self.edges.push(EdgeSnippet { instruction: index, ordinal, target, snippet });
        Ok(())
    }

    /// The snippet stands for an instruction that goes on to the next one: it takes and leaves the same. It may write a local only
    /// where the instruction does (`iinc`).
    pub fn replace(&mut self, bci: u32, snippet: Snippet) -> Result<(), EditError> {
        let index = self.index(bci)?;
        let height = match &self.instructions[index].op {
            Op::Binary(op, kind) => {
                let distance = matches!(op, BinaryOp::Shl | BinaryOp::Shr | BinaryOp::Ushr);
                if distance { -1 } else { -i32::from(kind.slots()) }
            }
            Op::Neg(_) | Op::Iinc { .. } | Op::Nop => 0,
            _ => return Err(EditError::NoReplacement { bci }),
        };
        let stores = matches!(self.instructions[index].op, Op::Iinc { local, .. } if snippet.stores_only(local));
        if snippet.height() != height || (snippet.stores() && !stores) {
            return Err(EditError::NoReplacement { bci });
        }
        self.replace_by(index, Replacement::Straight(snippet))
    }

    /// The snippet takes the operands of a conditional jump and leaves an int: the jump is taken when that is not 0.
    pub fn decide(&mut self, bci: u32, snippet: Snippet) -> Result<(), EditError> {
        let index = self.index(bci)?;
        let operands = match &self.instructions[index].op {
            Op::If(..) | Op::IfNull(..) => 1,
            Op::IfIcmp(..) | Op::IfAcmp(..) => 2,
            _ => return Err(EditError::NoReplacement { bci }),
        };
        if snippet.height() != 1 - operands || snippet.stores() {
            return Err(EditError::NoReplacement { bci });
        }
        self.replace_by(index, Replacement::Decided(snippet))
    }

    /// A call that returns nothing is left out when the snippet `skip` leaves an int that is not 0. `discard` drops what the call takes.
    /// Needs a frame before and one behind the call, which are computed where the class declares none.
    pub fn make_optional(&mut self, bci: u32, skip: Snippet, discard: Snippet) -> Result<(), EditError> {
        let index = self.index(bci)?;
        let op = &self.instructions[index].op;
        let call = matches!(op, Op::InvokeVirtual(_) | Op::InvokeSpecial(_) | Op::InvokeStatic(_) | Op::InvokeInterface { .. });
        if !call || skip.height() != 1 || discard.height() > 0 || skip.stores() || discard.stores() {
            return Err(EditError::NoReplacement { bci });
        }
        if index + 1 == self.instructions.len() {
            return Err(EditError::RunsOffEnd);
        }
        self.replace_by(index, Replacement::Optional { skip, discard })
    }

    /// The snippet runs when an exception leaves the method from the instruction at `from` on, in the order of the code, and finds it on the
    /// stack; then it goes on its way. What was inserted at the entry of the method is not covered. In constructors `this` must be initialized from
    /// there on, and code with subroutines has no such handler.
    pub fn catch_all(&mut self, from: u32, snippet: Snippet) -> Result<(), EditError> {
        self.catch_between(from, None, snippet)
    }

    /// The same in a constructor, from its beginning up to the call at `to` that initializes `this`, which is not covered: what that call throws,
    /// no handler can take (JVMS §4.10.2.4). Nothing before it may store to local variable 0, and the class must have frames.
    pub fn catch_early(&mut self, to: u32, snippet: Snippet) -> Result<(), EditError> {
        let end = self.index(to)?;
        let stores = |instruction: &Instruction| matches!(instruction.op, Op::Store(_, 0));
        if end == 0 || self.instructions[..end].iter().any(stores) {
            return Err(EditError::NoSuchLocal);
        }
        let first = self.instructions[0].bci;
        self.catch_between(first, Some(end), snippet)
    }

    fn catch_between(&mut self, from: u32, to: Option<usize>, snippet: Snippet) -> Result<(), EditError> {
        let from = self.index(from)?;
        self.check(&snippet)?;
        if let Some(instruction) = self.instructions.iter().find(|instruction| matches!(instruction.op, Op::Jsr(_))) {
            return Err(EditError::Subroutine { bci: instruction.bci });
        }
        let last = self.instructions.last().expect("code is not empty");
        if last.op.falls_through() {
            return Err(EditError::RunsOffEnd);
        }
        self.catch_all.push(CatchAll { from, to, snippet });
        Ok(())
    }

    fn replace_by(&mut self, index: usize, replacement: Replacement) -> Result<(), EditError> {
        let locals = match &replacement {
            Replacement::Straight(snippet) | Replacement::Decided(snippet) => snippet.locals(),
            Replacement::Optional { skip, discard } => skip.locals().max(discard.locals()),
        };
        if locals > self.max_locals {
            return Err(EditError::NoSuchLocal);
        }
        self.replaced.insert(index, replacement);
        Ok(())
    }

    /// Writes the new code into the class that the editor was made from.
    pub fn apply(self, class: &mut ClassFile) -> Result<(), EditError> {
        let method = self.method;
        let contents = self.finish(class.constant_pool_mut())?;
        class.set_code(method, contents);
        Ok(())
    }

    fn insert(&mut self, slot: u32, snippet: Snippet) -> Result<(), EditError> {
        self.check(&snippet)?;
        self.inserted.push((slot, snippet));
        Ok(())
    }

    fn check(&self, snippet: &Snippet) -> Result<(), EditError> {
        if self.is_empty_finalizer {
            return Err(EditError::EmptyFinalizer);
        }
        if snippet.height() != 0 {
            return Err(EditError::NotNeutral { height: snippet.height() });
        }
        if snippet.stores() {
            return Err(EditError::NoSuchLocal);
        }
        if snippet.locals() > self.max_locals {
            return Err(EditError::NoSuchLocal);
        }
        Ok(())
    }

    fn index(&self, bci: u32) -> Result<usize, EditError> {
        match self.index_or_end(bci) {
            Ok(index) if index < self.instructions.len() => Ok(index),
            _ => Err(EditError::NoSuchInstruction { bci }),
        }
    }

    fn index_or_end(&self, bci: u32) -> Result<usize, EditError> {
        match self.index_of.get(bci as usize) {
            Some(&index) if index != NOWHERE => Ok(usize::from(index)),
            _ => Err(EditError::NoSuchInstruction { bci }),
        }
    }

    fn finish(mut self, pool: &mut ConstantPool) -> Result<Vec<u8>, EditError> {
        let max_stack = self.new_max_stack()?;
        let last = self.instructions.last().expect("code is not empty");
        if !self.edges.is_empty() && (last.op.falls_through() || matches!(last.op, Op::Jsr(_))) {
            return Err(EditError::RunsOffEnd);
        }
        let mut layout = Layout::new(&mut self, pool)?;
        layout.settle(&self);
        if layout.total > 65535 {
            return Err(EditError::TooLarge { bytes: layout.total });
        }
        let mut out = Vec::with_capacity(self.contents.len() + layout.total as usize);
        out.extend(max_stack.to_be_bytes());
        out.extend(self.max_locals.to_be_bytes());
        out.extend(layout.total.to_be_bytes());
        layout.write_code(&self, &mut out);
        self.write_handlers(&layout, &mut out)?;
        self.write_attributes(&layout, pool, &mut out)?;
        Ok(out)
    }

    /// The old depth can be reached at any place, so the highest rise is added to it.
    fn new_max_stack(&self) -> Result<u16, EditError> {
        let inserted = self.inserted.iter().map(|(_, snippet)| snippet);
        let edges = self.edges.iter().map(|edge| &edge.snippet);
        let replaced = self.replaced.values().map(Replacement::rise);
        let rise = inserted.chain(edges).map(Snippet::rise).chain(replaced).max();
        let old = self.max_stack.checked_add(rise.unwrap_or(0)).ok_or(EditError::StackTooDeep)?;
        // The exception is there first.
        let handlers = self.catch_all.iter().map(|handler| handler.snippet.rise().saturating_add(1));
        Ok(handlers.fold(old, u16::max))
    }

    fn write_handlers(&self, layout: &Layout, out: &mut Vec<u8>) -> Result<(), EditError> {
        let mut entries = Vec::with_capacity(self.handlers.len());
        let mut trampoline_entries = Vec::new();
        for raw in &self.handlers {
            let (start, end) = (self.index(raw.start)?, self.index_or_end(raw.end)?);
            let handler = layout.label[self.index(raw.handler)?];
            entries.push((layout.label[start], layout.range_end(self, end), handler, raw.catch_type));
            // The trampolines ascend by target, so those of one range are one run.
            let covered = |t: &Trampoline| (start..end).contains(&t.target);
            let run = layout.trampolines.iter().position(covered);
            if let Some(first) = run {
                let count = layout.trampolines[first..].iter().take_while(|t| covered(t)).count();
                trampoline_entries.push((
                    layout.trampolines[first].position,
                    layout.trampoline_end(first + count - 1),
                    handler,
                    raw.catch_type,
                ));
            }
        }
        // No old range and no trampoline overlap: among each other both keep their order, and the numbers of the old entries stay,
        // since type annotations count them.
        entries.extend(trampoline_entries);
        for (handler, code) in self.catch_all.iter().zip(&layout.catch_all) {
            // Behind the method's code, handlers do not cover each other.
            let end = handler.to.map_or(layout.handlers_begin, |to| layout.label[to]);
            entries.push((layout.label[handler.from], end, code.position, 0));
        }
        let count = u16::try_from(entries.len()).map_err(|_| EditError::TooManyHandlers)?;
        out.extend(count.to_be_bytes());
        for (start, end, handler, catch_type) in entries {
            // An end of 65535 is possible, one of 65536 is not: the code is not longer.
            for value in [start as u16, end as u16, handler as u16, catch_type] {
                out.extend(value.to_be_bytes());
            }
        }
        Ok(())
    }

    fn write_attributes(&self, layout: &Layout, pool: &mut ConstantPool, out: &mut Vec<u8>) -> Result<(), EditError> {
        let count_at = out.len();
        out.extend([0, 0]);
        let mut count = 0_u16;
        for attribute in &self.attributes {
            let contents = &self.contents[attribute.contents.clone()];
            let moved = match attribute.kind {
                CodeAttributeKind::LineNumbers => Some(self.move_lines(contents, layout)?),
                CodeAttributeKind::LocalVariables | CodeAttributeKind::LocalVariableTypes => {
                    Some(self.move_variables(contents, layout)?)
                }
                CodeAttributeKind::TypeAnnotations => Some(self.move_annotations(contents, layout)?),
                CodeAttributeKind::StackMap => Some(self.move_frames(frame::decode(contents, &self.context)?, layout, pool)?),
                // It may hold bcis, and the JVM ignores it: it stays only where nothing moved.
                CodeAttributeKind::Other => self.is_untouched().then(|| contents.to_vec()),
            };
            if let Some(moved) = moved {
                out.extend(attribute.name_index.to_be_bytes());
                out.extend((moved.len() as u32).to_be_bytes());
                out.extend(moved);
                count += 1;
            }
        }
        let has_frames = self.attributes.iter().any(|a| a.kind == CodeAttributeKind::StackMap);
        // From version 51 on, no class is verified without frames (JVMS §4.10). Straight code has none; one that jumps and has none is
        // verified in the old way (version 50).
        if !has_frames && self.major >= 50 && layout.needs_frames(self) && (self.major > 50 || !self.jumps()) {
            let frames = self.move_frames(Vec::new(), layout, pool)?;
            out.extend(pool.add_utf8("StackMapTable")?.to_be_bytes());
            out.extend((frames.len() as u32).to_be_bytes());
            out.extend(frames);
            count += 1;
        }
        out[count_at..count_at + 2].copy_from_slice(&count.to_be_bytes());
        Ok(())
    }

    fn move_lines(&self, contents: &[u8], layout: &Layout) -> Result<Vec<u8>, EditError> {
        let mut reader = Reader::new(contents, "LineNumberTable");
        let mut out = Vec::with_capacity(contents.len());
        let count = reader.u16()?;
        out.extend(count.to_be_bytes());
        for _ in 0..count {
            let bci = self.index(reader.u16()?.into())?;
            out.extend((layout.label[bci] as u16).to_be_bytes());
            out.extend(reader.u16()?.to_be_bytes());
        }
        reader.finish("LineNumberTable")?;
        Ok(out)
    }

    /// `LocalVariableTable` and `LocalVariableTypeTable` have the same shape.
    fn move_variables(&self, contents: &[u8], layout: &Layout) -> Result<Vec<u8>, EditError> {
        let mut reader = Reader::new(contents, "LocalVariableTable");
        let mut out = Vec::with_capacity(contents.len());
        let count = reader.u16()?;
        out.extend(count.to_be_bytes());
        for _ in 0..count {
            self.move_range(&mut reader, layout, &mut out)?;
            out.extend(reader.take(6)?);
        }
        reader.finish("LocalVariableTable")?;
        Ok(out)
    }

    /// A start and a length.
    fn move_range(&self, reader: &mut Reader<'_>, layout: &Layout, out: &mut Vec<u8>) -> Result<(), EditError> {
        let start = u32::from(reader.u16()?);
        let end = start + u32::from(reader.u16()?);
        let start = layout.label_or_end(self.index_or_end(start)?);
        let end = layout.label_or_end(self.index_or_end(end)?);
        out.extend((start as u16).to_be_bytes());
        out.extend(((end - start) as u16).to_be_bytes());
        Ok(())
    }

    /// `Runtime(In)VisibleTypeAnnotations` of a `Code` (JVMS §4.7.20): only the targets change, but everything must be read to find
    /// the next one.
    fn move_annotations(&self, contents: &[u8], layout: &Layout) -> Result<Vec<u8>, EditError> {
        let mut reader = Reader::new(contents, "type annotations");
        let mut out = Vec::with_capacity(contents.len());
        let count = reader.u16()?;
        out.extend(count.to_be_bytes());
        for _ in 0..count {
            let target_type = reader.u8()?;
            out.push(target_type);
            match target_type {
                // localvar_target
                0x40 | 0x41 => {
                    let ranges = reader.u16()?;
                    out.extend(ranges.to_be_bytes());
                    for _ in 0..ranges {
                        self.move_range(&mut reader, layout, &mut out)?;
                        out.extend(reader.take(2)?);
                    }
                }
                // catch_target: old exception table entries keep their numbers
                0x42 => out.extend(reader.take(2)?),
                // offset_target, type_argument_target
                0x43..=0x4b => {
                    let index = self.index(reader.u16()?.into())?;
                    out.extend((layout.position[index] as u16).to_be_bytes());
                    if target_type >= 0x47 {
                        out.push(reader.u8()?);
                    }
                }
                _ => {
                    return Err(EditError::Parse(ParseError::Attribute {
                        attribute: "type annotations",
                        problem: "a target that no code has",
                    }));
                }
            }
            let rest = reader.position();
            let path_length = usize::from(reader.u8()?);
            reader.take(2 * path_length)?;
            skip_annotation(&mut reader, 0)?;
            out.extend(&contents[rest..reader.position()]);
        }
        reader.finish("type annotations")?;
        Ok(out)
    }

    fn jumps(&self) -> bool {
        let jumps = |instruction: &Instruction| instruction.op.jump_target().is_some() || instruction.op.is_switch();
        !self.handlers.is_empty() || self.instructions.iter().any(jumps)
    }

    fn move_frames(&self, old: Vec<Frame>, layout: &Layout, pool: &mut ConstantPool) -> Result<Vec<u8>, EditError> {
        let mut frames = Vec::with_capacity(old.len() + layout.trampolines.len());
        for frame in &old {
            let at = layout.label[self.index(frame.bci)?];
            frames.push(self.move_frame(frame, at, layout)?);
        }
        // Instructions before which the class declares no frame, and where their frames go.
        let mut places: Vec<(usize, u32)> = Vec::new();
        let declared = |index: usize| {
            let bci = self.instructions[index].bci;
            let found = old.binary_search_by_key(&bci, |frame| frame.bci);
            found.map(|at| &old[at]).map_err(|_| EditError::MissingFrame { bci })
        };
        for (index, &long) in layout.long.iter().enumerate() {
            if !long || !self.instructions[index].op.is_conditional_jump() {
                continue;
            }
            // The inverted jump goes over the `goto_w` to here, where until now control only fell through.
            let at = layout.end_of(self, index);
            if index + 1 == self.instructions.len() {
                return Err(EditError::RunsOffEnd);
            }
            match declared(index + 1) {
                Ok(_) if at == layout.label[index + 1] => {}
                Ok(frame) => frames.push(self.move_frame(frame, at, layout)?),
                Err(_) => places.push((index + 1, at)),
            }
        }
        for (index, body) in &layout.bodies {
            let Body::Optional { .. } = body else { continue };
            let end = layout.end_of(self, *index);
            places.push((*index, end - self.instructions[*index].len));
            match declared(index + 1) {
                Ok(_) if end == layout.label[index + 1] => {}
                _ => places.push((index + 1, end)),
            }
        }
        if !places.is_empty() {
            let code = Code::parse(&self.contents, self.context.clone(), pool)?;
            for (index, at) in places {
                let bci = self.instructions[index].bci;
                let state = types::state_before(&code, pool, bci).map_err(EditError::Types)?;
                let frame = types::to_frame(&state, bci, pool)?;
                frames.push(self.move_frame(&frame, at, layout)?);
            }
        }
        for trampoline in &layout.trampolines {
            let frame = declared(trampoline.target)?;
            frames.push(self.move_frame(frame, trampoline.position, layout)?);
        }
        for (handler, code) in self.catch_all.iter().zip(&layout.catch_all) {
            let from = self.instructions[handler.from].bci;
            let is_early = |frame: &&Frame| frame.bci >= from && frame.locals.contains(&VerificationType::UninitializedThis);
            if handler.to.is_none() && old.iter().any(|frame| is_early(&frame)) {
                return Err(EditError::UninitializedThis);
            }
            let stack = vec![VerificationType::Object(pool.add_class("java/lang/Throwable")?)];
            let locals = handler.to.map(|_| VerificationType::UninitializedThis).into_iter().collect();
            frames.push(Frame { bci: code.position, locals, stack });
        }
        frames.sort_by_key(|frame| frame.bci);
        Ok(frame::encode(&frames, &self.context, pool)?)
    }

    fn move_frame(&self, frame: &Frame, bci: u32, layout: &Layout) -> Result<Frame, EditError> {
        let mut moved = frame.clone();
        moved.bci = bci;
        for entry in moved.locals.iter_mut().chain(&mut moved.stack) {
            if let VerificationType::Uninitialized(new) = entry {
                *new = layout.position[self.index(*new)?];
            }
        }
        Ok(moved)
    }
}

/// An annotation (JVMS §4.7.16), read over.
pub(crate) fn skip_annotation(reader: &mut Reader<'_>, depth: u32) -> Result<(), ParseError> {
    reader.u16()?;
    for _ in 0..reader.u16()? {
        reader.u16()?;
        skip_element_value(reader, depth)?;
    }
    Ok(())
}

fn skip_element_value(reader: &mut Reader<'_>, depth: u32) -> Result<(), ParseError> {
    let bad = |problem| ParseError::Attribute { attribute: "type annotations", problem };
    if depth > 64 {
        return Err(bad("nested too deeply"));
    }
    match reader.u8()? {
        b'B' | b'C' | b'D' | b'F' | b'I' | b'J' | b'S' | b'Z' | b's' | b'c' => {
            reader.u16()?;
        }
        b'e' => {
            reader.u32()?;
        }
        b'@' => skip_annotation(reader, depth + 1)?,
        b'[' => {
            for _ in 0..reader.u16()? {
                skip_element_value(reader, depth + 1)?;
            }
        }
        _ => return Err(bad("unknown element value")),
    }
    Ok(())
}

/// Bytes of an inverted jump over a `goto_w`.
const LONG_CONDITIONAL: u32 = 8;

#[derive(Debug)]
struct Trampoline {
    instruction: usize,
    ordinal: usize,
    target: usize,
    /// Its snippets in `Layout::bytes`.
    bytes: Range<usize>,
    /// It ends with a `goto_w`.
    long: bool,
    position: u32,
}

impl Trampoline {
    fn len(&self) -> u32 {
        self.bytes.len() as u32 + if self.long { 5 } else { 3 }
    }

    fn goto_at(&self) -> u32 {
        self.position + self.bytes.len() as u32
    }
}

/// What stands for an instruction: places in `Layout::bytes`.
#[derive(Debug)]
enum Body {
    Straight(Range<usize>),
    Decided(Range<usize>),
    Optional { skip: Range<usize>, discard: Range<usize> },
}

impl Body {
    /// Bytes before the instruction or the jump.
    fn prefix(&self) -> u32 {
        match self {
            Body::Straight(bytes) | Body::Decided(bytes) => bytes.len() as u32,
            // `ifeq` and `goto`.
            Body::Optional { skip, discard } => (skip.len() + 3 + discard.len() + 3) as u32,
        }
    }
}

/// The snippet of the last handler, and `athrow`.
#[derive(Debug)]
struct CatchAllCode {
    bytes: Range<usize>,
    position: u32,
}

/// Where everything goes.
#[derive(Debug)]
struct Layout {
    /// The encoded snippets, one behind the other.
    bytes: Vec<u8>,
    /// Ascending by slot; one entry a slot.
    slots: Vec<(u32, Range<usize>)>,
    /// Ascending by target.
    trampolines: Vec<Trampoline>,
    /// By instruction that is written differently.
    bodies: BTreeMap<usize, Body>,
    catch_all: Vec<CatchAllCode>,
    /// Where the first of these begins.
    handlers_begin: u32,
    /// By instruction: the jump needs more than 16 bits.
    long: Vec<bool>,
    /// By instruction: where jumps to it go.
    label: Vec<u32>,
    /// By instruction: itself.
    position: Vec<u32>,
    /// Behind the method's own code.
    main_end: u32,
    total: u32,
}

impl Layout {
    fn new(editor: &mut CodeEditor, pool: &mut ConstantPool) -> Result<Layout, PoolFull> {
        let count = editor.instructions.len();
        let mut layout = Layout {
            bytes: Vec::new(),
            slots: Vec::new(),
            trampolines: Vec::new(),
            bodies: BTreeMap::new(),
            catch_all: Vec::new(),
            handlers_begin: 0,
            long: vec![false; count],
            label: vec![0; count],
            position: vec![0; count],
            main_end: 0,
            total: 0,
        };
        // Both sorts are stable: what was inserted first comes first.
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
        editor.edges.sort_by_key(|edge| (edge.target, edge.instruction, edge.ordinal));
        for edge in &editor.edges {
            let start = layout.bytes.len();
            edge.snippet.encode(pool, &mut layout.bytes)?;
            let end = layout.bytes.len();
            match layout.trampolines.last_mut() {
                Some(last) if (last.instruction, last.ordinal) == (edge.instruction, edge.ordinal) => {
                    last.bytes.end = end;
                }
                _ => layout.trampolines.push(Trampoline {
                    instruction: edge.instruction,
                    ordinal: edge.ordinal,
                    target: edge.target,
                    bytes: start..end,
                    long: false,
                    position: 0,
                }),
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

    /// Places everything, and makes jumps longer until every one reaches its target. No jump becomes shorter again, so
    /// this ends.
    fn settle(&mut self, editor: &CodeEditor) {
        loop {
            self.place(editor);
            // A jump cannot be too long for 16 bits in less code than this.
            if self.total <= 0x7fff || !self.lengthen(editor) || self.total > 0x4_0000 {
                return;
            }
        }
    }

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
        for trampoline in &mut self.trampolines {
            trampoline.position = at;
            at += trampoline.len();
        }
        self.handlers_begin = at;
        for handler in &mut self.catch_all {
            handler.position = at;
            at += handler.bytes.len() as u32 + 1;
        }
        self.total = at;
    }

    /// Marks the jumps that do not reach their target; says whether there are any new ones.
    fn lengthen(&mut self, editor: &CodeEditor) -> bool {
        let mut grown = false;
        let reaches = |from: u32, to: u32| i16::try_from(i64::from(to) - i64::from(from)).is_ok();
        for (index, instruction) in editor.instructions.iter().enumerate() {
            if let Some(target) = instruction.op.jump_target()
                && !self.long[index]
                && !reaches(self.origin(index), self.target(editor, index, 0, target))
            {
                self.long[index] = true;
                grown = true;
            }
        }
        for trampoline in &mut self.trampolines {
            let target = self.label[trampoline.target];
            if !trampoline.long && !reaches(trampoline.goto_at(), target) {
                trampoline.long = true;
                grown = true;
            }
        }
        grown
    }

    /// Where a jump with this old target goes now: to the target, or to the trampoline of this edge.
    fn target(&self, editor: &CodeEditor, instruction: usize, ordinal: usize, old: u32) -> u32 {
        let index = usize::from(editor.index_of[old as usize]);
        if !self.trampolines.is_empty() {
            let key = (index, instruction, ordinal);
            let found = self.trampolines.binary_search_by_key(&key, |t| (t.target, t.instruction, t.ordinal));
            if let Ok(found) = found {
                return self.trampolines[found].position;
            }
        }
        self.label[index]
    }

    /// Where the jump itself stands.
    fn origin(&self, index: usize) -> u32 {
        self.position[index] + self.bodies.get(&index).map_or(0, Body::prefix)
    }

    /// Behind the instruction, before anything inserted there.
    fn end_of(&self, editor: &CodeEditor, index: usize) -> u32 {
        match self.bodies.get(&index) {
            Some(body @ Body::Straight(_)) => self.position[index] + body.prefix(),
            _ => {
                let origin = self.origin(index);
                origin + encoded_len(&editor.instructions[index], origin, self.long[index])
            }
        }
    }

    fn label_or_end(&self, index: usize) -> u32 {
        self.label.get(index).copied().unwrap_or(self.main_end)
    }

    /// Where an exception range that ended before the instruction `end` ends now. What was inserted after the last instruction of the range
    /// belongs to the range; but not behind a store: the handler need not agree with the local that it changed.
    fn range_end(&self, editor: &CodeEditor, end: usize) -> u32 {
        let last = &editor.instructions[end - 1];
        if opcode::is_store(last.opcode) { self.position[end - 1] + last.len } else { self.label_or_end(end) }
    }

    fn trampoline_end(&self, index: usize) -> u32 {
        let trampoline = &self.trampolines[index];
        trampoline.position + trampoline.len()
    }

    /// Whether there are jump targets that the class did not have.
    fn needs_frames(&self, editor: &CodeEditor) -> bool {
        let conditional = |(index, &long): (usize, &bool)| long && editor.instructions[index].op.is_conditional_jump();
        let optional = |body: &Body| matches!(body, Body::Optional { .. });
        !self.trampolines.is_empty()
            || !self.catch_all.is_empty()
            || self.bodies.values().any(optional)
            || self.long.iter().enumerate().any(conditional)
    }

    fn write_code(&self, editor: &CodeEditor, out: &mut Vec<u8>) {
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
        for trampoline in &self.trampolines {
            out.extend(&self.bytes[trampoline.bytes.clone()]);
            let from = trampoline.goto_at();
            write_goto(out, from, self.label[trampoline.target], trampoline.long);
        }
        for handler in &self.catch_all {
            out.extend(&self.bytes[handler.bytes.clone()]);
            out.push(opcode::ATHROW);
        }
        debug_assert_eq!(out.len() - start, self.total as usize);
    }

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
        let to = |ordinal: usize, old: u32| self.target(editor, index, ordinal, old);
        let offset = |to: u32| (to.wrapping_sub(from) as i32).to_be_bytes();
        match &instruction.op {
            Op::Goto(target) => write_goto(out, from, to(0, *target), self.long[index]),
            Op::Jsr(target) => {
                let target = to(0, *target);
                if self.long[index] {
                    out.push(JSR_W);
                    out.extend(offset(target));
                } else {
                    out.push(JSR);
                    out.extend(&offset(target)[2..]);
                }
            }
            Op::If(_, target) | Op::IfIcmp(_, target) | Op::IfAcmp(_, target) | Op::IfNull(_, target) => {
                let target = to(0, *target);
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
                out.extend(offset(to(switch.targets.len(), switch.default)));
                out.extend(switch.low.to_be_bytes());
                out.extend(switch.high.to_be_bytes());
                for (case, &target) in switch.targets.iter().enumerate() {
                    out.extend(offset(to(case, target)));
                }
            }
            Op::LookupSwitch(switch) => {
                out.push(instruction.opcode);
                out.extend(std::iter::repeat_n(0, switch_padding(from) as usize));
                out.extend(offset(to(switch.pairs.len(), switch.default)));
                out.extend((switch.pairs.len() as u32).to_be_bytes());
                for (case, &(key, target)) in switch.pairs.iter().enumerate() {
                    out.extend(key.to_be_bytes());
                    out.extend(offset(to(case, target)));
                }
            }
            _ => out.extend(bytes),
        }
    }
}

fn encoded_len(instruction: &Instruction, at: u32, long: bool) -> u32 {
    match &instruction.op {
        Op::Goto(_) | Op::Jsr(_) if long => 5,
        op if op.is_conditional_jump() && long => LONG_CONDITIONAL,
        // A `goto_w` of the class is made short where it can be.
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

/// The conditional jump that is taken where this one is not: the opcodes stand in pairs.
fn inverted(opcode: u8) -> u8 {
    match opcode {
        IFNULL => IFNONNULL,
        IFNONNULL => IFNULL,
        _ => ((opcode - opcode::IFEQ) ^ 1) + opcode::IFEQ,
    }
}
