//! Type checking with stack map frames (JVMS §4.10.1).
//!
//! In: code with its frames. Out: the types of local variables and operand stack before every
//! instruction, or the first place where code and frames disagree. Must not know other classes, so
//! every reference counts as assignable to every other one.

mod step;

use crate::code::Code;
use crate::descriptor::Type;
use crate::error::ParseError;
use crate::frame::{Frame, VerificationType};
use crate::instruction::{Instruction, Op};
use crate::kind::Kind;
use crate::pool::{ConstantPool, PoolFull};
use std::rc::Rc;
use thiserror::Error;

/// The type of one slot of the local variables or the operand stack.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Slot {
    /// A slot that cannot be used.
    Top,
    /// `int`, `boolean`, `byte`, `char` or `short`.
    Int,
    /// `float`.
    Float,
    /// The first slot of a `long`.
    Long,
    /// The first slot of a `double`.
    Double,
    /// The second slot of a `long` or `double`.
    Second,
    /// Null.
    Null,
    /// `this` in a constructor before the call of another constructor.
    UninitializedThis,
    /// An object of the `new` instruction at this bci, before the call of its constructor.
    Uninitialized(u32),
    /// A class by internal name, or an array by descriptor.
    Reference(Rc<str>),
}

impl Slot {
    fn is_reference(&self) -> bool {
        matches!(self, Slot::Null | Slot::Reference(_))
    }

    /// Whether it is a reference, initialised or not.
    fn is_initialized_or_not(&self) -> bool {
        self.is_reference() || matches!(self, Slot::UninitializedThis | Slot::Uninitialized(_))
    }

    /// The first slot of a value of the kind; `None` for references, whose type must be known.
    fn of(kind: Kind) -> Option<Slot> {
        match kind {
            Kind::Int => Some(Slot::Int),
            Kind::Long => Some(Slot::Long),
            Kind::Float => Some(Slot::Float),
            Kind::Double => Some(Slot::Double),
            Kind::Reference => None,
        }
    }

    /// The first slot of a value of the type.
    fn of_type(ty: &Type) -> Slot {
        match ty {
            Type::Primitive(primitive) => Slot::of(primitive.kind()).expect("a primitive kind"),
            Type::Object(name) => Slot::Reference((&**name).into()),
            Type::Array(_) => Slot::Reference(ty.to_string().into()),
        }
    }
}

/// Why code and frames disagree, or cannot be compared.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum TypeError {
    /// An instruction does not fit the types before it, or these do not fit a frame.
    #[error("bci {bci}: {problem}")]
    Mismatch {
        /// Bci of the instruction.
        bci: u32,
        /// What does not fit.
        problem: &'static str,
    },
    /// A jump, a handler or an instruction after a jump has no frame.
    #[error("bci {bci}: no frame says what is there")]
    MissingFrame {
        /// Bci of the instruction without frame.
        bci: u32,
    },
    /// The code has `jsr` or `ret`, which do not occur in class files with frames.
    #[error("bci {bci}: a subroutine has no frames")]
    Subroutine {
        /// Bci of the instruction.
        bci: u32,
    },
    /// An instruction refers to a malformed descriptor, or to a constant that does not exist.
    #[error(transparent)]
    Parse(#[from] ParseError),
}

/// The types before an instruction, one entry for each slot.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TypeState {
    /// The local variables from slot 0 on. Missing entries at the end are [`Slot::Top`].
    pub locals: Vec<Slot>,
    /// The operand stack, top last.
    pub stack: Vec<Slot>,
}

/// Checks that code and frames agree, and calls `visit` with every instruction and the types before
/// it, in ascending order of bcis. Checked are the operands of instructions, the frame at the
/// target of every jump, at the next instruction and at every exception handler, and that a frame
/// follows each instruction that does not fall through.
///
/// # Errors
///
/// The first disagreement, in ascending order of bcis.
pub fn check_types(code: &Code, pool: &ConstantPool, mut visit: impl FnMut(&Instruction, &TypeState)) -> Result<(), TypeError> {
    let mut walker = Walker { code, pool };
    let mut current = Some(walker.entry_state()?);
    for instruction in &code.instructions {
        let bci = instruction.bci;
        if let Some(frame) = code.frame_at(bci) {
            let declared = walker.frame_state(frame)?;
            if let Some(state) = &current {
                assignable(state, &declared, bci)?;
            }
            current = Some(declared);
        }
        let mut state = current.take().ok_or(TypeError::MissingFrame { bci })?;
        if state.stack.len() > usize::from(code.max_stack) {
            return mismatch(bci, "the stack is deeper than max_stack");
        }
        visit(instruction, &state);
        walker.check_handlers(bci, &state)?;
        walker.step(instruction, &mut state)?;
        if state.stack.len() > usize::from(code.max_stack) {
            return mismatch(bci, "the stack grows over max_stack");
        }
        let mut targets = Ok(());
        instruction.op.for_each_target(|target| {
            if targets.is_ok() {
                targets = walker.check_jump(bci, target, &state);
            }
        });
        targets?;
        if instruction.op.falls_through() {
            current = Some(state);
        }
    }
    if current.is_some() {
        return mismatch(code.code_len(), "control falls off the end of the code");
    }
    Ok(())
}

/// The types before the instruction at the bci, computed from the last frame before it or from the
/// entry.
///
/// # Errors
///
/// [`TypeError::MissingFrame`] when control does not fall through from there to the bci; otherwise
/// as in [`check_types`].
pub(crate) fn state_before(code: &Code, pool: &ConstantPool, bci: u32) -> Result<TypeState, TypeError> {
    let mut walker = Walker { code, pool };
    let (start, mut state) = match code.frames.iter().rev().find(|frame| frame.bci <= bci) {
        Some(frame) => (frame.bci, walker.frame_state(frame)?),
        None => (0, walker.entry_state()?),
    };
    for instruction in &code.instructions {
        if instruction.bci < start {
            continue;
        }
        if instruction.bci == bci {
            return Ok(state);
        }
        walker.step(instruction, &mut state)?;
        if !instruction.op.falls_through() {
            break;
        }
    }
    Err(TypeError::MissingFrame { bci })
}

/// The frame that declares these types. `Class` constants are appended to the pool, which can be
/// full.
pub(crate) fn to_frame(state: &TypeState, bci: u32, pool: &mut ConstantPool) -> Result<Frame, PoolFull> {
    let mut entries = |slots: &[Slot]| -> Result<Vec<VerificationType>, PoolFull> {
        let mut entries = Vec::with_capacity(slots.len());
        for slot in slots {
            entries.push(match slot {
                Slot::Top => VerificationType::Top,
                Slot::Int => VerificationType::Integer,
                Slot::Float => VerificationType::Float,
                Slot::Long => VerificationType::Long,
                Slot::Double => VerificationType::Double,
                Slot::Second => continue,
                Slot::Null => VerificationType::Null,
                Slot::UninitializedThis => VerificationType::UninitializedThis,
                Slot::Uninitialized(bci) => VerificationType::Uninitialized(*bci),
                Slot::Reference(name) => VerificationType::Object(pool.add_class(name)?),
            });
        }
        Ok(entries)
    };
    let mut locals = entries(&state.locals)?;
    while locals.last() == Some(&VerificationType::Top) {
        locals.pop();
    }
    Ok(Frame { bci, locals, stack: entries(&state.stack)? })
}

fn mismatch<T>(bci: u32, problem: &'static str) -> Result<T, TypeError> {
    Err(TypeError::Mismatch { bci, problem })
}

/// Checks that control can pass from the types `from` to a place with the frame `to`.
fn assignable(from: &TypeState, to: &TypeState, bci: u32) -> Result<(), TypeError> {
    if from.stack.len() != to.stack.len() {
        return mismatch(bci, "the stack has another depth than the frame");
    }
    if !from.stack.iter().zip(&to.stack).all(|(a, b)| slot_fits(a, b)) {
        return mismatch(bci, "the stack has other types than the frame");
    }
    locals_assignable(&from.locals, &to.locals, bci)?;
    // `flagThisUninit` (JVMS §4.10.1.4) is set where a local variable holds the uninitialised
    // `this`.
    let flag = |state: &TypeState| state.locals.contains(&Slot::UninitializedThis);
    if flag(from) && !flag(to) {
        return mismatch(bci, "the frame forgets that `this` is not initialized");
    }
    Ok(())
}

fn locals_assignable(from: &[Slot], to: &[Slot], bci: u32) -> Result<(), TypeError> {
    for (index, declared) in to.iter().enumerate() {
        if !slot_fits(from.get(index).unwrap_or(&Slot::Top), declared) {
            return mismatch(bci, "a local has another type than the frame");
        }
    }
    Ok(())
}

fn slot_fits(from: &Slot, to: &Slot) -> bool {
    match to {
        Slot::Top => true,
        Slot::Reference(_) => from.is_reference(),
        other => from == other,
    }
}

/// Computes states of one method.
struct Walker<'a> {
    code: &'a Code,
    pool: &'a ConstantPool,
}

impl Walker<'_> {
    fn entry_state(&mut self) -> Result<TypeState, TypeError> {
        self.state(0, &self.code.initial_locals(), &[])
    }

    fn frame_state(&mut self, frame: &Frame) -> Result<TypeState, TypeError> {
        self.state(frame.bci, &frame.locals, &frame.stack)
    }

    /// The state that a frame declares.
    fn state(&self, bci: u32, locals: &[VerificationType], stack: &[VerificationType]) -> Result<TypeState, TypeError> {
        let expand = |entries: &[VerificationType]| -> Result<Vec<Slot>, TypeError> {
            let mut slots = Vec::with_capacity(entries.len() + 2);
            for &entry in entries {
                match entry {
                    VerificationType::Top => slots.push(Slot::Top),
                    VerificationType::Integer => slots.push(Slot::Int),
                    VerificationType::Float => slots.push(Slot::Float),
                    VerificationType::Long => slots.extend([Slot::Long, Slot::Second]),
                    VerificationType::Double => slots.extend([Slot::Double, Slot::Second]),
                    VerificationType::Null => slots.push(Slot::Null),
                    VerificationType::UninitializedThis => slots.push(Slot::UninitializedThis),
                    VerificationType::Object(index) => {
                        slots.push(Slot::Reference(self.pool.class_name(index)?.into()));
                    }
                    VerificationType::Parameter(_) => {
                        let parameter = self.code.type_of(entry, self.pool)?;
                        slots.push(match parameter {
                            Some(parameter) => Slot::of_type(&parameter),
                            None => return mismatch(bci, "no such parameter"),
                        });
                    }
                    VerificationType::Uninitialized(new) => match self.code.instruction_at(new) {
                        Some(Instruction { op: Op::New(_), .. }) => {
                            slots.push(Slot::Uninitialized(new));
                        }
                        _ => return mismatch(bci, "`uninitialized` does not point to a `new`"),
                    },
                }
            }
            Ok(slots)
        };
        let state = TypeState { locals: expand(locals)?, stack: expand(stack)? };
        if state.locals.len() > usize::from(self.code.max_locals) {
            return mismatch(bci, "more locals than max_locals");
        }
        Ok(state)
    }

    fn check_jump(&mut self, bci: u32, target: u32, state: &TypeState) -> Result<(), TypeError> {
        let frame = self.code.frame_at(target).ok_or(TypeError::MissingFrame { bci: target })?;
        let declared = self.frame_state(frame)?;
        assignable(state, &declared, bci)
    }

    fn check_handlers(&mut self, bci: u32, state: &TypeState) -> Result<(), TypeError> {
        for handler in self.code.handlers_at(bci) {
            let frame = self.code.frame_at(handler.handler).ok_or(TypeError::MissingFrame { bci: handler.handler })?;
            let declared = self.frame_state(frame)?;
            if !matches!(declared.stack.as_slice(), [Slot::Reference(_)]) {
                return mismatch(handler.handler, "a handler's stack is not the exception");
            }
            locals_assignable(&state.locals, &declared.locals, bci)?;
        }
        Ok(())
    }
}
