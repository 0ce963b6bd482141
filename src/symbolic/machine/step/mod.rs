//! The interpreter loop: one instruction after the other (JVMS §6.5). In: linked code; out: the
//! completion of the outermost frames. Each family of instructions has a file below; calls are in
//! `calls`. Must not know single library methods.

mod arithmetic;
mod arrays;
mod branches;
mod fields;
mod types;

use tracewright_classfile::{BinaryOp, Condition, Kind};

use super::Machine;
use crate::symbolic::arith;
use crate::symbolic::completion::{Completion, InterpResult, Stop};
use crate::symbolic::data::code::Op;
use crate::symbolic::data::objects::{ObjectBody, Slot, StringContents};
use crate::symbolic::outcome::PathEnd;
use crate::symbolic::reason::UnsupportedReason;

/// `None`: execution continues; else the frames above the floor are done.
pub(crate) type Flow = Option<Completion>;

impl Machine<'_, '_> {
    /// Runs until the frames above `floor` callers are gone.
    pub(crate) fn run(&mut self, floor: usize) -> InterpResult<Completion> {
        loop {
            if let Some(completion) = self.step(floor)? {
                return Ok(completion);
            }
        }
    }

    #[inline]
    fn step(&mut self, floor: usize) -> InterpResult<Flow> {
        let Some(instr) = self.frames.code().ops.get(self.frames.pc()).copied() else {
            return self.unsupported(UnsupportedReason::EndOfCode);
        };
        if self.frames.is_recorded() {
            if self.counts.count_recorded_instruction() > self.config.instructions {
                return self.budget("instructions of the replay");
            }
        } else {
            self.counts.count_interpreted_instruction();
            if !self.budget.spend_instruction() {
                return self.limit("interpreted instructions");
            }
        }
        if self.budget.is_stopped() {
            return Err(Stop::End(PathEnd::Stopped));
        }
        if self.budget.exceeds_terms(self.terms.len()) {
            return self.budget("terms of the replay");
        }
        match instr.op {
            Op::Nop => {}
            Op::Const(bits) => self.push(Slot::raw(u64::from(bits))),
            Op::WideConst(bits) => self.push_wide(Slot::raw(bits)),
            Op::Str(index) => {
                let units = self.frames.code().strings[index as usize].clone();
                let object = self.context().intern(&units)?;
                self.push(Slot::reference(object));
            }
            Op::ClassConst(ty) => {
                let object = self.context().mirror(ty)?;
                self.push(Slot::reference(object));
            }
            Op::UnknownRef => {
                let object = self.unknown_object()?;
                self.push(Slot::reference(object));
            }
            Op::Handle(handle) => {
                let object = self.unknown_object()?;
                self.object_mut(object).body = ObjectBody::Handle(self.linked.handle_of(handle).clone());
                self.push(Slot::reference(object));
            }
            Op::Dynamic(field, maker) => return self.dynamic_constant(field, maker, floor),
            Op::Load(local) => {
                let slot = self.frames.local(local);
                self.push(slot);
            }
            Op::Load2(local) => {
                let slot = self.frames.local(local);
                self.push_wide(slot);
            }
            Op::Store(local) => {
                let slot = self.pop();
                self.frames.set_local(local, slot);
            }
            Op::LoadInput(local) => {
                let slot = self.context().entry_local(local)?;
                self.frames.set_local(local, slot);
                self.push(slot);
            }
            Op::StoreInput(local) => {
                self.context().entry_local_written(local);
                let slot = self.pop();
                self.frames.set_local(local, slot);
            }
            Op::Store2(local) => {
                let slot = self.pop_wide();
                self.frames.set_wide_local(local, slot);
            }
            Op::ArrayLoad(kind) => return self.array_load(kind, floor),
            Op::ArrayStore(kind) => return self.array_store(kind, floor),
            Op::Stack(op) => self.stack_op(op),
            Op::Binary(op, kind) => return self.binary(op, kind, floor),
            Op::Neg(kind) => {
                let wide = kind.slots() == 2;
                let a = if wide { self.pop_wide() } else { self.pop() };
                let a = self.floating_operand(kind, a);
                let result = arith::negate(self.terms, kind, a);
                self.push_result(wide, result);
            }
            Op::Iinc(local, delta) => {
                let delta = Slot::int(i32::from(delta));
                let sum = arith::binary(self.terms, BinaryOp::Add, Kind::Int, self.frames.local(local), delta);
                self.frames.set_local(local, sum);
            }
            Op::Convert(conversion) => {
                let a = if conversion.from().slots() == 2 { self.pop_wide() } else { self.pop() };
                let floating = |kind| matches!(kind, Kind::Float | Kind::Double);
                let a = if floating(conversion.from()) {
                    self.floating_operand(conversion.from(), a)
                } else {
                    self.floating_operand(conversion.to(), a)
                };
                let result = arith::convert(self.terms, conversion, a);
                self.push_result(conversion.to().slots() == 2, result);
            }
            Op::Compare(comparison) => {
                let wide = comparison.kind().slots() == 2;
                let (b, a) = if wide { (self.pop_wide(), self.pop_wide()) } else { (self.pop(), self.pop()) };
                let b = self.floating_operand(comparison.kind(), b);
                let a = self.floating_operand(comparison.kind(), a);
                let result = arith::compare(self.terms, comparison, a, b);
                self.push(result);
            }
            Op::If(condition, target) => {
                let a = self.pop();
                return self.jump_int(condition, a, Slot::ZERO, target);
            }
            Op::IfIcmp(condition, target) => {
                let b = self.pop();
                let a = self.pop();
                return self.jump_int(condition, a, b, target);
            }
            Op::IfAcmp(condition, target) => return self.jump_acmp(condition, target),
            Op::IfNull(condition, target) => {
                let a = self.pop().object();
                return self.jump(a.is_null() == (condition == Condition::Eq), target);
            }
            Op::Goto(target) => {
                self.frames.jump_to(target as usize);
                return Ok(None);
            }
            Op::Switch(index) => return self.switch(index as usize),
            Op::Return(kind) => return self.return_(kind, floor),
            Op::GetStatic(field) => return self.get_static(field, floor),
            Op::PutStatic(field) => return self.put_static(field, floor),
            Op::GetField(field) => return self.get_field_op(field, floor),
            Op::PutField(field) => {
                let kind = self.linked.field(field).kind;
                let value = self.pop_kind(kind);
                let object = self.pop().object();
                if object.is_null() {
                    return self.throw_new("java/lang/NullPointerException", floor);
                }
                let value = arith::narrow(self.terms, kind, value);
                self.put_field(object, field, value);
            }
            Op::Invoke(invoke) => return self.invoke(invoke, floor),
            Op::New(ty) => {
                if let Some(exception) = self.initialise(ty)? {
                    return self.throw(exception, floor);
                }
                let object = self.context().new_object(ty)?;
                if self.is_string(ty) {
                    self.object_mut(object).body = ObjectBody::Str(StringContents { units: None, symbolic: None });
                }
                self.push(Slot::reference(object));
            }
            Op::NewArray(ty) => return self.new_array_op(ty, floor),
            Op::MultiNewArray(ty, dimensions) => return self.multi_new_array(ty, dimensions, floor),
            Op::ArrayLength => {
                let array = self.pop().object();
                if array.is_null() {
                    return self.throw_new("java/lang/NullPointerException", floor);
                }
                let length = match &self.object(array).body {
                    ObjectBody::Array(array) => Slot { bits: u64::from(array.length), term: array.length_term },
                    _ => return self.unsupported(UnsupportedReason::LengthOfNonArray),
                };
                self.push(length);
            }
            Op::Throw => {
                let exception = self.pop().object();
                if exception.is_null() {
                    return self.throw_new("java/lang/NullPointerException", floor);
                }
                return self.throw(exception, floor);
            }
            Op::CheckCast(ty) => {
                let slot = self.pop();
                if !self.cast_holds(slot.object(), ty) {
                    return self.throw_new("java/lang/ClassCastException", floor);
                }
                self.push(slot);
            }
            Op::InstanceOf(ty) => {
                let object = self.pop().object();
                let result = self.instance_of(object, ty)?;
                self.push(Slot::int(i32::from(result)));
            }
            Op::Monitor => {
                if self.pop().object().is_null() {
                    return self.throw_new("java/lang/NullPointerException", floor);
                }
            }
            Op::Unsupported(reason) => return self.unsupported(reason.clone()),
        }
        self.frames.advance();
        Ok(None)
    }
}
