//! `checkcast` and `instanceof`, and exceptions that instructions throw (JVMS §2.11.5, §2.10).

use tracewright_classfile::Condition;
use tracewright_trace::Event;

use super::super::Machine;
use super::Flow;
use crate::program::JavaType;
use crate::symbolic::completion::InterpResult;
use crate::symbolic::data::code::Op;
use crate::symbolic::data::ids::TypeIx;
use crate::symbolic::data::objects::ObjectId;
use crate::symbolic::reason::UnsupportedReason;

impl Machine<'_, '_> {
    /// Whether a cast succeeds.
    pub(crate) fn cast_holds(&mut self, object: ObjectId, ty: TypeIx) -> bool {
        if object.is_null() {
            return true;
        }
        match self.is_instance(object, ty) {
            Some(holds) => holds,
            None if !self.frames.is_recorded() => true,
            // For a hidden class, the next event tells whether the cast failed.
            None => !matches!(self.cursor.peek(), Some(Event::Caught { value, .. } | Event::Thrown { value, .. })
                if self.cursor.announced().class(value.class).is_some_and(|name| name.internal() == "java/lang/ClassCastException")),
        }
    }

    /// The result of `instanceof`.
    pub(super) fn instance_of(&mut self, object: ObjectId, ty: TypeIx) -> InterpResult<bool> {
        if object.is_null() {
            return Ok(false);
        }
        match self.is_instance(object, ty) {
            Some(holds) => Ok(holds),
            None if *self.linked.ty(ty) == JavaType::class("java/lang/Object") => Ok(true),
            None if !self.frames.is_recorded() => self.abort(UnsupportedReason::InstanceOfUnknownClass),
            None => {
                // For a hidden class, the jump on the result tells.
                let taken = match self.cursor.peek() {
                    Some(Event::BranchTaken) => true,
                    Some(Event::BranchNot) => false,
                    _ => return self.unsupported(UnsupportedReason::InstanceOfHiddenClass),
                };
                match self.frames.code().ops.get(self.frames.pc() + 1).map(|instr| instr.op) {
                    Some(Op::If(Condition::Ne, _)) => Ok(taken),
                    Some(Op::If(Condition::Eq, _)) => Ok(!taken),
                    _ => self.unsupported(UnsupportedReason::InstanceOfHiddenClass),
                }
            }
        }
    }

    /// Throws a new exception of a class.
    pub(crate) fn throw_new(&mut self, class: &str, floor: usize) -> InterpResult<Flow> {
        let exception = self.context().new_exception(class)?;
        self.throw(exception, floor)
    }
}
