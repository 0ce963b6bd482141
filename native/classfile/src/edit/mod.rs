//! Inserting code into a method.
//!
//! In: a method and snippets with their places. Out: a new `Code` attribute whose jumps, switches,
//! exception table, debug tables, type annotations and stack map frames have moved with the code. This
//! module does not know what the snippets are for.
//!
//! Between two instructions `p` and `i` the order is
//!
//! ```text
//!     p
//!     [insert_after(p)]      runs when control falls through from p
//!  L: [insert_before(i)]     jumps, switches and handlers that went to i come here; the frame of i is here
//!     i                      `uninitialized(i)` stays here
//! ```
//!
//! and, inside one place, the order in which the snippets were inserted. `insert_at_entry` is an
//! `insert_after` of the call itself. An exception range that starts or ends at `i` starts or ends at `L`.
//!
//! A snippet leaves the stack as it found it, so every frame of the class stays true and only moves. In
//! doubt there is an [`EditError`], never a wrong class.
//!
//! [`CodeEditor::catch_all`] and [`CodeEditor::catch_early`] add a handler behind everything else, and a
//! last entry of the exception table that leads there. [`CodeEditor::replace`], [`CodeEditor::decide`] and
//! [`CodeEditor::make_optional`] write an instruction differently, with the same effect on the stack.

mod attributes;
mod layout;

use crate::class::{ClassFile, Method};
use crate::code::{CodeAttributeKind, RawCode, RawHandler};
use crate::error::ParseError;
use crate::frame::MethodContext;
use crate::instruction::{self, BinaryOp, Instruction, Op};
use crate::pool::PoolFull;
use crate::snippet::Snippet;
use crate::types::TypeError;
use std::collections::BTreeMap;
use std::ops::Range;
use thiserror::Error;

/// Why a method is left as it was.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum EditError {
    #[error(transparent)]
    Parse(#[from] ParseError),
    #[error(transparent)]
    Pool(#[from] PoolFull),
    #[error("the method has no code")]
    NoCode,
    #[error("an empty `finalize` tells the JVM that objects need no finalization; it must stay empty")]
    EmptyFinalizer,
    #[error("no instruction starts at bci {bci}")]
    NoSuchInstruction { bci: u32 },
    #[error("control does not fall through from bci {bci}")]
    NoFallThrough { bci: u32 },
    #[error("a snippet changes the height of the stack by {height}")]
    NotNeutral { height: i32 },
    #[error("a snippet cannot replace the instruction at bci {bci}: its effect on the stack differs")]
    NoReplacement { bci: u32 },
    #[error("a snippet reads a local variable that the method does not have")]
    NoSuchLocal,
    #[error("the method would have {bytes} bytes of code (65535 are allowed)")]
    TooLarge { bytes: u32 },
    #[error("the operand stack would exceed 65535 slots")]
    StackTooDeep,
    #[error("the exception table would exceed 65535 entries")]
    TooManyHandlers,
    #[error("the code has no frame for bci {bci}, where one is needed")]
    MissingFrame { bci: u32 },
    #[error("bci {bci} jumps to a subroutine; a handler cannot cover such code")]
    Subroutine { bci: u32 },
    #[error("the code runs off its end")]
    RunsOffEnd,
    #[error("the types at a jump that grew too long: {0}")]
    Types(TypeError),
    #[error("an exception handler cannot cover code in which `this` is not initialized")]
    UninitializedThis,
}

/// The body of one method, with the snippets to be inserted.
#[derive(Debug, Clone)]
pub struct CodeEditor {
    method: usize,
    major: u16,
    max_stack: u16,
    max_locals: u16,
    /// The contents of the old attribute. Code and tables are ranges of it.
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
    /// By position in `instructions`.
    replaced: BTreeMap<usize, Replacement>,
    catch_all: Vec<CatchAll>,
}

/// A handler for exceptions that no other handler of the method catches.
#[derive(Debug, Clone)]
struct CatchAll {
    /// Position of the first instruction that it covers.
    from: usize,
    /// Position behind the last instruction that it covers, a call that initialises `this`; `None`: the end
    /// of the code.
    to: Option<usize>,
    snippet: Snippet,
}

/// What is written in the place of an instruction.
#[derive(Debug, Clone)]
enum Replacement {
    /// The snippet alone.
    Straight(Snippet),
    /// The snippet, and `ifne` with the target of the jump.
    Decided(Snippet),
    /// The instruction, unless `skip` pushes a value other than 0. Then its operands are dropped.
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

const NOWHERE: u16 = u16::MAX;

/// Number of the place before `L` of the instruction with this position.
fn slot_after_previous(index: usize) -> u32 {
    2 * index as u32
}

/// Number of the place between `L` and the instruction with this position.
fn slot_before(index: usize) -> u32 {
    2 * index as u32 + 1
}

impl CodeEditor {
    /// An editor of the method's code. [`EditError::NoCode`] for an abstract or native method, and
    /// [`EditError::Parse`] if the code is malformed or has an empty exception range.
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
                    // The JVM ignores this attribute before version 50.
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

    /// The instructions as they were read.
    pub fn instructions(&self) -> &[Instruction] {
        &self.instructions
    }

    /// Whether nothing was inserted or replaced yet.
    pub fn is_untouched(&self) -> bool {
        self.inserted.is_empty() && self.replaced.is_empty() && self.catch_all.is_empty()
    }

    /// Inserts code that runs once for each call, before everything else. Jumps back to bci 0 skip it.
    pub fn insert_at_entry(&mut self, snippet: Snippet) -> Result<(), EditError> {
        self.insert(slot_after_previous(0), snippet)
    }

    /// Inserts code that runs whenever the instruction is about to run, however control came there. At the
    /// start of a handler, the stack holds the exception. [`EditError::NoSuchInstruction`] if no instruction
    /// starts at the bci.
    pub fn insert_before(&mut self, bci: u32, snippet: Snippet) -> Result<(), EditError> {
        let index = self.index(bci)?;
        self.insert(slot_before(index), snippet)
    }

    /// Inserts code that runs when control falls through from the instruction to the next one.
    /// [`EditError::NoFallThrough`] behind a jump, a return or a throw.
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

    /// Puts the snippet in the place of an arithmetic instruction. It must have the same effect on the stack,
    /// and may write a local variable only if the instruction does (`iinc`). Otherwise
    /// [`EditError::NoReplacement`].
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

    /// Lets the snippet decide a conditional jump: it pops the operands and pushes an int, and the jump is
    /// taken if the int is not 0. [`EditError::NoReplacement`] for any other snippet or instruction.
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

    /// Skips a call of a void method if the snippet `skip` pushes an int that is not 0. `discard` pops the
    /// operands of the call. The frames before and behind the call are computed where the class has none.
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

    /// Adds a handler for every exception that leaves the code from the instruction at `from` to the end.
    /// The snippet finds the exception on the stack; then it is thrown again. Code inserted at the entry is
    /// not covered. In a constructor, `this` must be initialised from `from` on.
    /// [`EditError::Subroutine`] for code with `jsr`.
    pub fn catch_all(&mut self, from: u32, snippet: Snippet) -> Result<(), EditError> {
        self.catch_between(from, None, snippet)
    }

    /// Adds such a handler to the start of a constructor, up to the call at `to` that initialises `this`. No
    /// handler can cover that call (JVMS §4.10.2.4). Code before it must not store to local variable 0, and
    /// the class must have frames.
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

    /// Writes the new code into the class, which must be the one that the editor was made from.
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
}
