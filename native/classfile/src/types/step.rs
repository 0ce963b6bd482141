//! The effect of each instruction on the types (JVMS §4.10.1.9).
//!
//! In: the types before an instruction. Out: the types after it, or the operand that does not fit.
//! Must not know frames.

use super::{Slot, TypeError, TypeState, Walker, mismatch};
use crate::descriptor::{MethodDescriptor, Type};
use crate::instruction::{ArrayKind, Instruction, Op, StackOp};
use crate::kind::Kind;
use crate::pool::Constant;

impl Walker<'_> {
    /// Changes the state from before the instruction to after it. Targets are not followed.
    pub(super) fn step(&mut self, instruction: &Instruction, state: &mut TypeState) -> Result<(), TypeError> {
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
                step.pop_kind(op.right_operand(*kind))?;
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
                    step.pop_assignable(&Slot::of_type(parameter))?;
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
                    step.push(Slot::of_type(result));
                }
            }
            Op::InvokeDynamic(index) => {
                let site = self.pool.dynamic(*index)?;
                let descriptor = MethodDescriptor::parse(site.descriptor)?;
                for parameter in descriptor.parameters.iter().rev() {
                    step.pop_assignable(&Slot::of_type(parameter))?;
                }
                if let Some(result) = &descriptor.result {
                    step.push(Slot::of_type(result));
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
        Ok(Slot::of_type(&Type::parse(member.descriptor)?))
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
            Constant::Dynamic(constant) => Slot::of_type(&Type::parse(constant.descriptor)?),
            _ => return mismatch(bci, "ldc of a constant that cannot be loaded"),
        })
    }
}

/// The reference type of the components of an array, given by its descriptor; `None` for an array
/// of primitive values.
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

    /// Pops one slot of any type.
    fn pop_slot(&mut self) -> Result<Slot, TypeError> {
        match self.state.stack.pop() {
            Some(slot) => Ok(slot),
            None => mismatch(self.bci, "the stack is empty"),
        }
    }

    /// Pops a value of exactly this type.
    fn pop(&mut self, expected: &Slot) -> Result<(), TypeError> {
        if matches!(expected, Slot::Long | Slot::Double) && self.pop_slot()? != Slot::Second {
            return mismatch(self.bci, "an operand has another type");
        }
        if self.pop_slot()? != *expected {
            return mismatch(self.bci, "an operand has another type");
        }
        Ok(())
    }

    /// Pops a value of the kind.
    fn pop_kind(&mut self, kind: Kind) -> Result<Slot, TypeError> {
        match Slot::of(kind) {
            Some(slot) => {
                self.pop(&slot)?;
                Ok(slot)
            }
            None => self.pop_reference(),
        }
    }

    /// Pops a value that can be assigned to the type.
    fn pop_assignable(&mut self, expected: &Slot) -> Result<(), TypeError> {
        if expected.is_reference() { self.pop_reference().map(drop) } else { self.pop(expected) }
    }

    /// Pops an initialised reference.
    fn pop_reference(&mut self) -> Result<Slot, TypeError> {
        let slot = self.pop_slot()?;
        if slot.is_reference() { Ok(slot) } else { mismatch(self.bci, "an operand is no initialized reference") }
    }

    /// Pops a reference, initialised or not.
    fn pop_any_reference(&mut self) -> Result<Slot, TypeError> {
        let slot = self.pop_slot()?;
        if slot.is_initialized_or_not() { Ok(slot) } else { mismatch(self.bci, "an operand is no reference") }
    }

    /// Checks the type of a local variable.
    fn local(&self, local: u16, expected: &Slot) -> Result<(), TypeError> {
        if self.state.locals.get(usize::from(local)) == Some(expected) {
            Ok(())
        } else {
            mismatch(self.bci, "a local has another type")
        }
    }

    /// Writes a local variable.
    fn store(&mut self, local: u16, slot: Slot) {
        let local = usize::from(local);
        let wide = matches!(slot, Slot::Long | Slot::Double);
        let locals = &mut self.state.locals;
        let end = local + 1 + usize::from(wide);
        if locals.len() < end {
            locals.resize(end, Slot::Top);
        }
        // When half of a `long` or `double` is overwritten, the other half becomes unusable.
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

    /// Replaces every occurrence of a type.
    fn replace(&mut self, old: &Slot, new: &Slot) {
        let slots = self.state.locals.iter_mut().chain(&mut self.state.stack);
        for slot in slots.filter(|slot| *slot == old) {
            *slot = new.clone();
        }
    }

    /// Works on slots, since two slots of `dup2` and its like may be one value or two. No
    /// instruction may separate the slots of one value.
    fn stack_op(&mut self, op: StackOp) -> Result<(), TypeError> {
        // Slots that are moved or copied, and slots below them that they move over.
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
