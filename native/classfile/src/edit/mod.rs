//! Inserts code into a method.
//!
//! In: a method and snippets with their places. Out: a new `Code` attribute whose jumps, switches,
//! exception table, debug tables, type annotations and stack map frames have moved with the code.
//! Must not know what the snippets are for.
//!
//! Between two instructions `p` and `i` the order is
//!
//! ```text
//!     p
//!     [insert_after(p)]      runs when control falls through from p
//!  L: [insert_before(i)]     the target of jumps, switches and handlers to i; the frame of i is here
//!     i                      `uninitialized(i)` still refers to i
//! ```
//!
//! At one place, the snippet that was inserted first comes first. `insert_at_entry` uses the place
//! before `L` of the first instruction. An exception range that starts or ends at `i` starts or
//! ends at `L`.
//!
//! A snippet keeps the height of the stack, so every frame of the class stays valid and only moves.
//! An edit that cannot be proved correct fails with an [`EditError`].
//!
//! [`CodeEditor::catch_all`] and [`CodeEditor::catch_early`] add a handler after the code, with the
//! last entry of the exception table. [`CodeEditor::replace`], [`CodeEditor::decide`] and
//! [`CodeEditor::make_optional`] replace an instruction by code with the same effect on the stack.

mod attributes;
mod layout;

use crate::class::{ClassFile, Method};
use crate::code::{CodeAttributeKind, RawCode, RawHandler};
use crate::error::ParseError;
use crate::frame::MethodContext;
use crate::instruction::{self, Instruction, Op};
use crate::pool::PoolFull;
use crate::snippet::Snippet;
use crate::types::TypeError;
use std::collections::BTreeMap;
use std::ops::Range;
use thiserror::Error;

/// Why a method cannot be changed. It stays as it was.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum EditError {
    /// The old code is malformed.
    #[error(transparent)]
    Parse(#[from] ParseError),
    /// The constants of the snippets do not fit into the pool.
    #[error(transparent)]
    Pool(#[from] PoolFull),
    /// The method is abstract or native.
    #[error("the method has no code")]
    NoCode,
    /// The method is a `finalize` without effect.
    #[error("an empty `finalize` tells the JVM that objects need no finalization; it must stay empty")]
    EmptyFinalizer,
    /// A place is no instruction.
    #[error("no instruction starts at bci {bci}")]
    NoSuchInstruction {
        /// Bci of the place.
        bci: u32,
    },
    /// Code is inserted after a jump, a return or a throw.
    #[error("control does not fall through from bci {bci}")]
    NoFallThrough {
        /// Bci of that instruction.
        bci: u32,
    },
    /// An inserted snippet leaves the stack higher or lower than before.
    #[error("a snippet changes the height of the stack by {height}")]
    NotNeutral {
        /// Change of the height in slots.
        height: i32,
    },
    /// The snippet does not fit the instruction that it replaces.
    #[error("a snippet cannot replace the instruction at bci {bci}: its effect on the stack differs")]
    NoReplacement {
        /// Bci of the instruction.
        bci: u32,
    },
    /// A snippet uses a local variable that it must not use at the place.
    #[error("a snippet reads a local variable that the method does not have")]
    NoSuchLocal,
    /// The `code` array would be too long (JVMS §4.9.1).
    #[error("the method would have {bytes} bytes of code (65535 are allowed)")]
    TooLarge {
        /// Bytes of the new `code` array.
        bytes: u32,
    },
    /// The new `max_stack` does not fit into 16 bits.
    #[error("the operand stack would exceed 65535 slots")]
    StackTooDeep,
    /// The number of exception handlers does not fit into 16 bits.
    #[error("the exception table would exceed 65535 entries")]
    TooManyHandlers,
    /// A new jump needs a frame that the class does not have.
    #[error("the code has no frame for bci {bci}, where one is needed")]
    MissingFrame {
        /// Bci of the instruction in the old code.
        bci: u32,
    },
    /// A handler is added to code with `jsr`.
    #[error("bci {bci} jumps to a subroutine; a handler cannot cover such code")]
    Subroutine {
        /// Bci of the first `jsr`.
        bci: u32,
    },
    /// The last instruction of the old code falls through.
    #[error("the code runs off its end")]
    RunsOffEnd,
    /// A frame for a new jump cannot be computed.
    #[error("the types at a jump that grew too long: {0}")]
    Types(TypeError),
    /// A handler is added to code in which `this` is not yet initialised.
    #[error("an exception handler cannot cover code in which `this` is not initialized")]
    UninitializedThis,
}

/// The body of one method with the snippets for it. Local variable slots and stack heights of
/// snippets are checked when they are added, sizes when the editor is applied.
#[derive(Debug, Clone)]
pub struct CodeEditor {
    method: usize,
    major: u16,
    max_stack: u16,
    max_locals: u16,
    /// The contents of the old `Code` attribute. Code and tables are ranges of it.
    contents: Vec<u8>,
    code: Range<usize>,
    handlers: Vec<RawHandler>,
    attributes: Vec<OldAttribute>,
    context: MethodContext,
    is_empty_finalizer: bool,
    instructions: Vec<Instruction>,
    /// By bci, the end of the code included: the position in `instructions`; `NOWHERE` inside an
    /// instruction.
    index_of: Vec<u16>,
    /// Slots of the layout with the snippets there, in the order of the insertions.
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
    /// Position after the last instruction that it covers, a call that initialises `this`; `None`
    /// for the end of the code.
    to: Option<usize>,
    snippet: Snippet,
}

/// The code that is written in the place of an instruction.
#[derive(Debug, Clone)]
enum Replacement {
    /// The snippet alone.
    Straight(Snippet),
    /// The snippet and `ifne` with the target of the jump.
    Decided(Snippet),
    /// The instruction, unless `skip` pushes a value other than 0. In that case `discard` pops its
    /// operands.
    ///
    /// ```text
    ///       skip; ifeq do; discard; goto done
    /// do:   the instruction
    /// done:
    /// ```
    Optional { skip: Snippet, discard: Snippet },
}

impl Replacement {
    /// Slots that the stack grows by at most.
    fn rise(&self) -> u16 {
        match self {
            Replacement::Straight(snippet) | Replacement::Decided(snippet) => snippet.rise(),
            Replacement::Optional { skip, .. } => skip.rise(),
        }
    }
}

/// An attribute of the old `Code` attribute.
#[derive(Debug, Clone)]
struct OldAttribute {
    kind: CodeAttributeKind,
    name_index: u16,
    contents: Range<usize>,
}

const NOWHERE: u16 = u16::MAX;

/// Number of the place before label `L` of the instruction at this position.
fn slot_after_previous(index: usize) -> u32 {
    2 * index as u32
}

/// Number of the place between label `L` and the instruction at this position.
fn slot_before(index: usize) -> u32 {
    2 * index as u32 + 1
}

impl CodeEditor {
    /// An editor of the method's code.
    ///
    /// # Errors
    ///
    /// [`EditError::NoCode`] for an abstract or native method; [`EditError::Parse`] when the code
    /// is malformed or has an empty exception range; [`EditError::NoSuchInstruction`] when a bound
    /// of an exception range is no instruction.
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

    /// The old instructions.
    pub fn instructions(&self) -> &[Instruction] {
        &self.instructions
    }

    /// Whether nothing has been inserted or replaced.
    pub fn is_untouched(&self) -> bool {
        self.inserted.is_empty() && self.replaced.is_empty() && self.catch_all.is_empty()
    }

    /// Inserts code that runs once for each call, before the first instruction. Jumps to bci 0 skip
    /// it.
    ///
    /// # Errors
    ///
    /// The snippet changes the stack height ([`EditError::NotNeutral`]), writes a local variable or
    /// reads one that the method does not have ([`EditError::NoSuchLocal`]), or the method is a
    /// `finalize` without effect ([`EditError::EmptyFinalizer`]).
    pub fn insert_at_entry(&mut self, snippet: Snippet) -> Result<(), EditError> {
        self.insert(slot_after_previous(0), snippet)
    }

    /// Inserts code that runs each time before the instruction, also when control jumps there. At
    /// the start of a handler, the stack holds the exception.
    ///
    /// # Errors
    ///
    /// [`EditError::NoSuchInstruction`] when no instruction starts at the bci; for the snippet as
    /// in [`CodeEditor::insert_at_entry`].
    pub fn insert_before(&mut self, bci: u32, snippet: Snippet) -> Result<(), EditError> {
        let index = self.index(bci)?;
        self.insert(slot_before(index), snippet)
    }

    /// Inserts code that runs when control falls through from the instruction to the next one.
    ///
    /// # Errors
    ///
    /// [`EditError::NoFallThrough`] after a `goto`, a return or a throw; [`EditError::RunsOffEnd`]
    /// after the last instruction; otherwise as in [`CodeEditor::insert_before`].
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

    /// Replaces an arithmetic instruction by the snippet. It must have the same effect on the stack
    /// height. It may write a local variable only if the instruction does (`iinc`).
    ///
    /// # Errors
    ///
    /// [`EditError::NoReplacement`] for any other snippet or instruction;
    /// [`EditError::NoSuchInstruction`] and [`EditError::NoSuchLocal`].
    pub fn replace(&mut self, bci: u32, snippet: Snippet) -> Result<(), EditError> {
        let index = self.index(bci)?;
        let height = match &self.instructions[index].op {
            Op::Binary(op, kind) => -i32::from(op.right_operand(*kind).slots()),
            Op::Neg(_) | Op::Iinc { .. } | Op::Nop => 0,
            _ => return Err(EditError::NoReplacement { bci }),
        };
        let stores = matches!(self.instructions[index].op, Op::Iinc { local, .. } if snippet.stores_only(local));
        if snippet.height() != height || (snippet.stores() && !stores) {
            return Err(EditError::NoReplacement { bci });
        }
        self.replace_by(index, Replacement::Straight(snippet))
    }

    /// Lets the snippet decide a conditional jump. It pops the operands and pushes an `int`; the
    /// jump is taken if that is not 0.
    ///
    /// # Errors
    ///
    /// [`EditError::NoReplacement`] for any other snippet or instruction;
    /// [`EditError::NoSuchInstruction`] and [`EditError::NoSuchLocal`].
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

    /// Skips a call of a `void` method if the snippet `skip` pushes an `int` that is not 0.
    /// `discard` pops the operands of the call. Frames before and after the call are computed where
    /// the class has none.
    ///
    /// # Errors
    ///
    /// [`EditError::NoReplacement`] for other instructions and for snippets with another effect;
    /// [`EditError::NoSuchInstruction`], [`EditError::NoSuchLocal`] and [`EditError::RunsOffEnd`].
    pub fn make_optional(&mut self, bci: u32, skip: Snippet, discard: Snippet) -> Result<(), EditError> {
        let index = self.index(bci)?;
        let op = &self.instructions[index].op;
        if !op.is_method_call() || skip.height() != 1 || discard.height() > 0 || skip.stores() || discard.stores() {
            return Err(EditError::NoReplacement { bci });
        }
        if index + 1 == self.instructions.len() {
            return Err(EditError::RunsOffEnd);
        }
        self.replace_by(index, Replacement::Optional { skip, discard })
    }

    /// Adds a handler for every exception that leaves the code between the bci `from` and the end.
    /// The snippet runs with the exception on the stack; then the exception is thrown again. Code
    /// that is inserted at the entry is not covered.
    ///
    /// # Errors
    ///
    /// [`EditError::Subroutine`] for code with `jsr`, [`EditError::RunsOffEnd`] when the last
    /// instruction falls through, [`EditError::NoSuchInstruction`]; for the snippet as in
    /// [`CodeEditor::insert_at_entry`]. Later, [`CodeEditor::apply`] fails with
    /// [`EditError::UninitializedThis`] where `this` is not initialised from `from` on.
    pub fn catch_all(&mut self, from: u32, snippet: Snippet) -> Result<(), EditError> {
        self.catch_between(from, None, snippet)
    }

    /// Adds such a handler to the start of a constructor, up to the call at the bci `to` that
    /// initialises `this`. No handler can cover that call (JVMS §4.10.2.4). The class must have
    /// frames.
    ///
    /// # Errors
    ///
    /// [`EditError::NoSuchLocal`] when the call is the first instruction or code before it stores
    /// to local variable 0; otherwise as in [`CodeEditor::catch_all`].
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

    /// Writes the new code into the class, which must be the one that the editor was made from. An
    /// error leaves the code of the class as it was; constants may have been appended.
    ///
    /// # Errors
    ///
    /// [`EditError::TooLarge`], [`EditError::StackTooDeep`], [`EditError::TooManyHandlers`] and
    /// [`EditError::Pool`] for sizes; [`EditError::Parse`] and [`EditError::NoSuchInstruction`] for
    /// a malformed table of the old code; [`EditError::MissingFrame`], [`EditError::Types`],
    /// [`EditError::RunsOffEnd`] and [`EditError::UninitializedThis`] for frames.
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

    /// Checks that a snippet can be inserted.
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

    /// The position of the instruction that starts at the bci.
    fn index(&self, bci: u32) -> Result<usize, EditError> {
        match self.index_or_end(bci) {
            Ok(index) if index < self.instructions.len() => Ok(index),
            _ => Err(EditError::NoSuchInstruction { bci }),
        }
    }

    /// The same; for the end of the code, the number of instructions.
    fn index_or_end(&self, bci: u32) -> Result<usize, EditError> {
        match self.index_of.get(bci as usize) {
            Some(&index) if index != NOWHERE => Ok(usize::from(index)),
            _ => Err(EditError::NoSuchInstruction { bci }),
        }
    }
}
