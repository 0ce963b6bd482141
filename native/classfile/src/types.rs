//! The verifier's view of a method (JVMS §4.10.1): in, code with its stack map frames; out, the types of locals and operand
//! stack before every instruction, or the first place where code and frames do not agree. Only what can be said without loading
//! another class: any reference is taken to be assignable to any other.

use crate::code::Code;
use crate::descriptor::{MethodDescriptor, Type};
use crate::error::ParseError;
use crate::frame::{Frame, VerificationType};
use crate::instruction::{ArrayKind, BinaryOp, Instruction, Op, StackOp};
use crate::kind::Kind;
use crate::pool::{Constant, ConstantPool, PoolFull};
use std::rc::Rc;
use thiserror::Error;

/// One slot of a local variable or of the operand stack.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Slot {
    Top,
    Int,
    Float,
    Long,
    Double,
    /// The second slot of the long or double before it.
    Second,
    Null,
    UninitializedThis,
    /// Made by the `new` at this bci.
    Uninitialized(u32),
    /// A class by internal name, or an array by descriptor.
    Reference(Rc<str>),
}

impl Slot {
    fn is_reference(&self) -> bool {
        matches!(self, Slot::Null | Slot::Reference(_))
    }

    fn is_initialized_or_not(&self) -> bool {
        self.is_reference() || matches!(self, Slot::UninitializedThis | Slot::Uninitialized(_))
    }

    /// `None` for a reference of any kind.
    fn of(kind: Kind) -> Option<Slot> {
        match kind {
            Kind::Int => Some(Slot::Int),
            Kind::Long => Some(Slot::Long),
            Kind::Float => Some(Slot::Float),
            Kind::Double => Some(Slot::Double),
            Kind::Reference => None,
        }
    }
}

/// Code and frames that do not agree, or code that this module cannot follow.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum TypeError {
    #[error("bci {bci}: {problem}")]
    Mismatch { bci: u32, problem: &'static str },
    #[error("bci {bci}: no frame says what is there")]
    MissingFrame { bci: u32 },
    #[error("bci {bci}: a subroutine has no frames")]
    Subroutine { bci: u32 },
    #[error(transparent)]
    Parse(#[from] ParseError),
}

/// The types before an instruction, slot by slot; the top of the stack is last.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TypeState {
    pub locals: Vec<Slot>,
    pub stack: Vec<Slot>,
}

/// Calls `visit` with every instruction and the types before it, in order, and checks that code and frames agree: types of
/// operands, every jump, every fall through and every exception handler against the frame there, and a frame behind every
/// instruction that does not fall through.
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

/// The types before the instruction at `bci`, which must be reached by falling through from the frame (or the entry) before it.
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

/// A frame that declares this state; classes are appended to the pool.
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

/// Whether control may go from `from` to where `to` is declared.
fn assignable(from: &TypeState, to: &TypeState, bci: u32) -> Result<(), TypeError> {
    if from.stack.len() != to.stack.len() {
        return mismatch(bci, "the stack has another depth than the frame");
    }
    if !from.stack.iter().zip(&to.stack).all(|(a, b)| slot_fits(a, b)) {
        return mismatch(bci, "the stack has other types than the frame");
    }
    locals_assignable(&from.locals, &to.locals, bci)?;
    // `flagThisUninit` (JVMS §4.10.1.4): it is set where a local holds the uninitialized `this`.
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
                            Some(parameter) => slot_of(&parameter),
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

    fn step(&mut self, instruction: &Instruction, state: &mut TypeState) -> Result<(), TypeError> {
        let bci = instruction.bci;
        let mut step = Step { bci, state };
        match &instruction.op {
            Op::Nop | Op::Goto(_) => {}
            Op::Iinc { local, .. } => {
                step.local(*local, &Slot::Int)?;
            }
            Op::NullConst => step.push(Slot::Null),
            Op::IntConst(_) => step.push(Slot::Int),
            Op::LongConst(_) => step.push(Slot::Long),
            Op::FloatConst(_) => step.push(Slot::Float),
            Op::DoubleConst(_) => step.push(Slot::Double),
            Op::Ldc(index) => step.push(self.constant(bci, *index)?),
            Op::Load(kind, local) => match Slot::of(*kind) {
                Some(slot) => {
                    step.local(*local, &slot)?;
                    step.push(slot);
                }
                None => {
                    let slot = step.state.locals.get(usize::from(*local)).cloned();
                    match slot {
                        Some(slot) if slot.is_initialized_or_not() => step.push(slot),
                        _ => return mismatch(bci, "the local is no reference"),
                    }
                }
            },
            Op::Store(kind, local) => {
                let slot = match Slot::of(*kind) {
                    Some(slot) => {
                        step.pop(&slot)?;
                        slot
                    }
                    None => step.pop_any_reference()?,
                };
                if usize::from(*local + kind.slots()) > usize::from(self.code.max_locals) {
                    return mismatch(bci, "a store behind max_locals");
                }
                step.store(*local, slot);
            }
            Op::ArrayLoad(kind) => {
                step.pop(&Slot::Int)?;
                let array = step.pop_reference()?;
                let element = match (kind, &array) {
                    (ArrayKind::Reference, Slot::Reference(name)) => component(name)
                        .ok_or(TypeError::Mismatch { bci, problem: "aaload from something that is no array of references" })?,
                    (ArrayKind::Reference, _) => Slot::Null,
                    (kind, _) => Slot::of(kind.kind()).expect("a primitive kind"),
                };
                step.push(element);
            }
            Op::ArrayStore(kind) => {
                step.pop_kind(kind.kind())?;
                step.pop(&Slot::Int)?;
                step.pop_reference()?;
            }
            Op::Stack(op) => step.stack_op(*op)?,
            Op::Binary(op, kind) => {
                let distance = match op {
                    BinaryOp::Shl | BinaryOp::Shr | BinaryOp::Ushr => Kind::Int,
                    _ => *kind,
                };
                step.pop_kind(distance)?;
                let result = step.pop_kind(*kind)?;
                step.push(result);
            }
            Op::Neg(kind) => {
                let result = step.pop_kind(*kind)?;
                step.push(result);
            }
            Op::Convert(conversion) => {
                step.pop_kind(conversion.from())?;
                step.push(Slot::of(conversion.to()).expect("conversions are primitive"));
            }
            Op::Compare(comparison) => {
                step.pop_kind(comparison.kind())?;
                step.pop_kind(comparison.kind())?;
                step.push(Slot::Int);
            }
            Op::If(..) | Op::TableSwitch(_) | Op::LookupSwitch(_) => {
                step.pop(&Slot::Int)?;
            }
            Op::IfIcmp(..) => {
                step.pop(&Slot::Int)?;
                step.pop(&Slot::Int)?;
            }
            Op::IfAcmp(..) => {
                step.pop_any_reference()?;
                step.pop_any_reference()?;
            }
            Op::IfNull(..) => {
                step.pop_any_reference()?;
            }
            Op::Jsr(_) | Op::Ret(_) => return Err(TypeError::Subroutine { bci }),
            Op::Return(kind) => {
                if let Some(kind) = kind {
                    step.pop_kind(*kind)?;
                } else if step.state.locals.contains(&Slot::UninitializedThis) {
                    return mismatch(bci, "a constructor returns before it called another");
                }
            }
            Op::GetStatic(index) => step.push(self.field_slot(*index)?),
            Op::PutStatic(index) => {
                let slot = self.field_slot(*index)?;
                step.pop_assignable(&slot)?;
            }
            Op::GetField(index) => {
                step.pop_reference()?;
                step.push(self.field_slot(*index)?);
            }
            Op::PutField(index) => {
                let slot = self.field_slot(*index)?;
                step.pop_assignable(&slot)?;
                // A constructor may set a field of its own before it calls another.
                step.pop_any_reference()?;
            }
            Op::InvokeVirtual(index)
            | Op::InvokeSpecial(index)
            | Op::InvokeStatic(index)
            | Op::InvokeInterface { method: index, .. } => {
                let member = self.pool.member(*index)?;
                let descriptor = MethodDescriptor::parse(member.descriptor)?;
                for parameter in descriptor.parameters.iter().rev() {
                    step.pop_assignable(&slot_of(parameter))?;
                }
                if member.name == "<init>" {
                    let made = step.pop_any_reference()?;
                    let class = match &made {
                        Slot::Uninitialized(_) => member.owner,
                        Slot::UninitializedThis => self.pool.class_name(self.code.context().this_class)?,
                        _ => return mismatch(bci, "a constructor call on an initialized object"),
                    };
                    step.replace(&made, &Slot::Reference(class.into()));
                } else if !matches!(instruction.op, Op::InvokeStatic(_)) {
                    step.pop_reference()?;
                }
                if let Some(result) = &descriptor.result {
                    step.push(slot_of(result));
                }
            }
            Op::InvokeDynamic(index) => {
                let site = self.pool.dynamic(*index)?;
                let descriptor = MethodDescriptor::parse(site.descriptor)?;
                for parameter in descriptor.parameters.iter().rev() {
                    step.pop_assignable(&slot_of(parameter))?;
                }
                if let Some(result) = &descriptor.result {
                    step.push(slot_of(result));
                }
            }
            Op::New(_) => {
                let made = Slot::Uninitialized(bci);
                if step.state.stack.contains(&made) {
                    return mismatch(bci, "the object made here before is still on the stack");
                }
                step.replace(&made, &Slot::Top);
                step.push(made);
            }
            Op::NewArray(element) => {
                step.pop(&Slot::Int)?;
                step.push(Slot::Reference(format!("[{}", element.descriptor()).into()));
            }
            Op::ANewArray(index) => {
                step.pop(&Slot::Int)?;
                let element = self.pool.class_name(*index)?;
                let array = if element.starts_with('[') { format!("[{element}") } else { format!("[L{element};") };
                step.push(Slot::Reference(array.into()));
            }
            Op::ArrayLength => {
                step.pop_reference()?;
                step.push(Slot::Int);
            }
            Op::Athrow | Op::MonitorEnter | Op::MonitorExit => {
                step.pop_reference()?;
            }
            Op::CheckCast(index) => {
                step.pop_reference()?;
                step.push(Slot::Reference(self.pool.class_name(*index)?.into()));
            }
            Op::InstanceOf(_) => {
                step.pop_reference()?;
                step.push(Slot::Int);
            }
            Op::MultiANewArray { class, dimensions } => {
                for _ in 0..*dimensions {
                    step.pop(&Slot::Int)?;
                }
                step.push(Slot::Reference(self.pool.class_name(*class)?.into()));
            }
        }
        Ok(())
    }

    fn field_slot(&self, index: u16) -> Result<Slot, TypeError> {
        let member = self.pool.member(index)?;
        Ok(slot_of(&Type::parse(member.descriptor)?))
    }

    fn constant(&self, bci: u32, index: u16) -> Result<Slot, TypeError> {
        let class = |name: &str| Slot::Reference(name.into());
        Ok(match self.pool.get(index)? {
            Constant::Integer(_) => Slot::Int,
            Constant::Float(_) => Slot::Float,
            Constant::Long(_) => Slot::Long,
            Constant::Double(_) => Slot::Double,
            Constant::String(_) => class("java/lang/String"),
            Constant::Class(_) => class("java/lang/Class"),
            Constant::MethodHandle(_) => class("java/lang/invoke/MethodHandle"),
            Constant::MethodType(_) => class("java/lang/invoke/MethodType"),
            Constant::Dynamic(constant) => slot_of(&Type::parse(constant.descriptor)?),
            _ => return mismatch(bci, "ldc of a constant that cannot be loaded"),
        })
    }
}

fn slot_of(descriptor: &Type) -> Slot {
    match descriptor {
        Type::Primitive(primitive) => match primitive.kind() {
            Kind::Long => Slot::Long,
            Kind::Float => Slot::Float,
            Kind::Double => Slot::Double,
            Kind::Int | Kind::Reference => Slot::Int,
        },
        Type::Object(name) => Slot::Reference((&**name).into()),
        Type::Array(_) => Slot::Reference(descriptor.to_string().into()),
    }
}

/// The reference type of an array's elements, by the array's name.
fn component(array: &str) -> Option<Slot> {
    let component = array.strip_prefix('[')?;
    let name = match component.strip_prefix('L') {
        Some(class) => class.strip_suffix(';')?,
        None if component.starts_with('[') => component,
        None => return None,
    };
    Some(Slot::Reference(name.into()))
}

/// The effect of one instruction on a state.
struct Step<'a> {
    bci: u32,
    state: &'a mut TypeState,
}

impl Step<'_> {
    fn push(&mut self, slot: Slot) {
        let wide = matches!(slot, Slot::Long | Slot::Double);
        self.state.stack.push(slot);
        if wide {
            self.state.stack.push(Slot::Second);
        }
    }

    fn pop_slot(&mut self) -> Result<Slot, TypeError> {
        match self.state.stack.pop() {
            Some(slot) => Ok(slot),
            None => mismatch(self.bci, "the stack is empty"),
        }
    }

    fn pop(&mut self, expected: &Slot) -> Result<(), TypeError> {
        if matches!(expected, Slot::Long | Slot::Double) && self.pop_slot()? != Slot::Second {
            return mismatch(self.bci, "an operand has another type");
        }
        if self.pop_slot()? != *expected {
            return mismatch(self.bci, "an operand has another type");
        }
        Ok(())
    }

    fn pop_kind(&mut self, kind: Kind) -> Result<Slot, TypeError> {
        match Slot::of(kind) {
            Some(slot) => {
                self.pop(&slot)?;
                Ok(slot)
            }
            None => self.pop_reference(),
        }
    }

    fn pop_assignable(&mut self, expected: &Slot) -> Result<(), TypeError> {
        if expected.is_reference() { self.pop_reference().map(drop) } else { self.pop(expected) }
    }

    fn pop_reference(&mut self) -> Result<Slot, TypeError> {
        let slot = self.pop_slot()?;
        if slot.is_reference() { Ok(slot) } else { mismatch(self.bci, "an operand is no initialized reference") }
    }

    fn pop_any_reference(&mut self) -> Result<Slot, TypeError> {
        let slot = self.pop_slot()?;
        if slot.is_initialized_or_not() { Ok(slot) } else { mismatch(self.bci, "an operand is no reference") }
    }

    fn local(&self, local: u16, expected: &Slot) -> Result<(), TypeError> {
        if self.state.locals.get(usize::from(local)) == Some(expected) {
            Ok(())
        } else {
            mismatch(self.bci, "a local has another type")
        }
    }

    fn store(&mut self, local: u16, slot: Slot) {
        let local = usize::from(local);
        let wide = matches!(slot, Slot::Long | Slot::Double);
        let locals = &mut self.state.locals;
        let end = local + 1 + usize::from(wide);
        if locals.len() < end {
            locals.resize(end, Slot::Top);
        }
        // Half of a long or double that is overwritten leaves the other half without meaning.
        if locals[local] == Slot::Second {
            locals[local - 1] = Slot::Top;
        }
        if locals.get(end) == Some(&Slot::Second) {
            locals[end] = Slot::Top;
        }
        locals[local] = slot;
        if wide {
            locals[local + 1] = Slot::Second;
        }
    }

    fn replace(&mut self, old: &Slot, new: &Slot) {
        let slots = self.state.locals.iter_mut().chain(&mut self.state.stack);
        for slot in slots.filter(|slot| *slot == old) {
            *slot = new.clone();
        }
    }

    /// Slot by slot, since `dup2` and its like do not care whether two slots are one value; but none may cut a value in two.
    fn stack_op(&mut self, op: StackOp) -> Result<(), TypeError> {
        // (slots moved or copied, slots jumped over)
        let (count, over) = match op {
            StackOp::Pop => (1, 0),
            StackOp::Pop2 => (2, 0),
            StackOp::Dup => (1, 0),
            StackOp::DupX1 => (1, 1),
            StackOp::DupX2 => (1, 2),
            StackOp::Dup2 => (2, 0),
            StackOp::Dup2X1 => (2, 1),
            StackOp::Dup2X2 => (2, 2),
            StackOp::Swap => (1, 1),
        };
        let bci = self.bci;
        let stack = &mut self.state.stack;
        let Some(base) = stack.len().checked_sub(count + over) else {
            return mismatch(bci, "the stack is too low");
        };
        let upper = base + over;
        if stack.get(base) == Some(&Slot::Second) || stack.get(upper) == Some(&Slot::Second) {
            return mismatch(bci, "a long or double is cut in two");
        }
        let top: Vec<Slot> = stack[upper..].to_vec();
        match op {
            StackOp::Pop | StackOp::Pop2 => stack.truncate(base),
            StackOp::Swap => stack.swap(base, upper),
            _ => {
                stack.splice(base..base, top);
            }
        }
        Ok(())
    }
}
