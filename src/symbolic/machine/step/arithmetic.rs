//! Arithmetic instructions and those that move operands (JVMS §2.11.3, §2.11.6), with the limits on
//! terms.

use tracewright_classfile::{BinaryOp, Kind, StackOp};

use super::super::Machine;
use super::Flow;
use crate::path::ClauseKind;
use crate::symbolic::arith;
use crate::symbolic::completion::InterpResult;
use crate::symbolic::data::objects::Slot;
use crate::symbolic::reason::UnsupportedReason;

impl Machine<'_, '_> {
    /// Pushes a result, without its term if that is too large.
    #[inline]
    pub(crate) fn push_result(&mut self, wide: bool, slot: Slot) {
        let slot = self.bounded(slot);
        if wide { self.push_wide(slot) } else { self.push(slot) }
    }

    /// Drops a term above the size limits.
    pub(super) fn bounded(&mut self, slot: Slot) -> Slot {
        match slot.term {
            Some(term) if self.terms.tree_size(term) > self.config.term_size || self.terms.is_wide(term) => {
                self.context().record_concretisation(UnsupportedReason::LargeTerm);
                Slot::raw(slot.bits)
            }
            _ => slot,
        }
    }

    /// The operand without its term, if floating-point terms are switched off.
    pub(super) fn floating_operand(&mut self, kind: Kind, slot: Slot) -> Slot {
        if slot.term.is_some() && !self.config.floats && matches!(kind, Kind::Float | Kind::Double) {
            self.context().record_concretisation(UnsupportedReason::FloatingPoint);
            return Slot::raw(slot.bits);
        }
        slot
    }

    /// Executes a binary operation. Integer division adds a clause about its divisor.
    pub(super) fn binary(&mut self, op: BinaryOp, kind: Kind, floor: usize) -> InterpResult<Flow> {
        let wide = kind.slots() == 2;
        let is_shift = matches!(op, BinaryOp::Shl | BinaryOp::Shr | BinaryOp::Ushr);
        let b = if wide && !is_shift { self.pop_wide() } else { self.pop() };
        let a = if wide { self.pop_wide() } else { self.pop() };
        if matches!(op, BinaryOp::Div | BinaryOp::Rem) && matches!(kind, Kind::Int | Kind::Long) {
            let is_zero = b.bits == 0;
            if let Some(divisor) = b.term.and_then(|_| arith::term_of(self.terms, b, kind)) {
                let zero = if wide { self.terms.long(0) } else { self.terms.int(0) };
                let holds = if is_zero { self.terms.eq(divisor, zero) } else { self.terms.ne(divisor, zero) };
                self.context().add_clause(ClauseKind::DivZero, u32::from(is_zero), holds)?;
            }
            if is_zero {
                return self.throw_new("java/lang/ArithmeticException", floor);
            }
        }
        let (a, b) = (self.floating_operand(kind, a), self.floating_operand(kind, b));
        let result = arith::binary(self.terms, op, kind, a, b);
        self.push_result(wide, result);
        self.frames.advance();
        Ok(None)
    }

    /// Executes `pop`, `dup`, `swap` and their variants.
    pub(super) fn stack_op(&mut self, op: StackOp) {
        // Slots are copied whatever they hold: a long is two of them.
        match op {
            StackOp::Pop => {
                self.pop();
            }
            StackOp::Pop2 => {
                self.pop();
                self.pop();
            }
            StackOp::Dup => {
                let a = self.pop();
                self.frames.push_all([a, a]);
            }
            StackOp::DupX1 => {
                let a = self.pop();
                let b = self.pop();
                self.frames.push_all([a, b, a]);
            }
            StackOp::DupX2 => {
                let a = self.pop();
                let b = self.pop();
                let c = self.pop();
                self.frames.push_all([a, c, b, a]);
            }
            StackOp::Dup2 => {
                let a = self.pop();
                let b = self.pop();
                self.frames.push_all([b, a, b, a]);
            }
            StackOp::Dup2X1 => {
                let a = self.pop();
                let b = self.pop();
                let c = self.pop();
                self.frames.push_all([b, a, c, b, a]);
            }
            StackOp::Dup2X2 => {
                let a = self.pop();
                let b = self.pop();
                let c = self.pop();
                let d = self.pop();
                self.frames.push_all([b, a, d, c, b, a]);
            }
            StackOp::Swap => {
                let a = self.pop();
                let b = self.pop();
                self.frames.push_all([a, b]);
            }
        }
    }
}
