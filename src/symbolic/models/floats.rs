//! Floating-point methods of `Math` and of the boxes. Must not know integers.

use tracewright_classfile::Kind;

use super::Outcome;
use crate::expr::{TermId, UnaryOp};
use crate::program::MethodRef;
use crate::symbolic::arith;
use crate::symbolic::heap::Slot;
use crate::symbolic::machine::{Machine, Run};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FloatModel {
    Abs,
    Sqrt,
}

pub fn model_of(is_static: bool, owner: &str, method: &MethodRef) -> Option<FloatModel> {
    Some(match (owner, &*method.name, &*method.descriptor) {
        ("java/lang/Math" | "java/lang/StrictMath", "abs", "(D)D") if is_static => FloatModel::Abs,
        ("java/lang/Math" | "java/lang/StrictMath", "sqrt", "(D)D") if is_static => FloatModel::Sqrt,
        _ => return None,
    })
}

impl Machine<'_, '_> {
    pub(super) fn apply_float(&mut self, model: FloatModel, arguments: &[Slot]) -> Run<Outcome> {
        let first = arguments.first().copied().unwrap_or_default();
        let value = f64::from_bits(first.bits);
        let (bits, op) = match model {
            FloatModel::Abs => (value.abs().to_bits(), UnaryOp::FpAbs),
            FloatModel::Sqrt => (value.sqrt().to_bits(), UnaryOp::FpSqrt),
        };
        let term = self.unary_term(first, Kind::Double, op);
        Ok(Outcome::Value(arith::slot(self.terms, bits, term)))
    }

    fn unary_term(&mut self, slot: Slot, kind: Kind, op: UnaryOp) -> Option<TermId> {
        if !self.config.floats {
            return None;
        }
        self.term_if(&[slot], kind).map(|term| self.terms.unary(op, term))
    }
}
