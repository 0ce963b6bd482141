//! Simplification rules for terms.
//!
//! In: an operator and its operands. Out: a simpler term with the same value, if a rule applies.
//! The rules are local: they look at a few operands only. Every rule keeps the value of the term
//! for all inputs in their ranges.
//!
//! Normal forms: constants stand on the right; `x - c` is `x + -c`; `>` and `>=` become `<` and
//! `<=`; a negated integer comparison is the opposite one; `lcmp`, `fcmpl` and `fcmpg` vanish when
//! compared with a constant.

mod arithmetic;
mod comparisons;
mod converted;

use super::evaluate::{apply_binary, apply_unary};
use super::{BinaryOp, Sort, SymbolKind, Term, TermId, TermStore, UnaryOp, Value};

impl TermStore {
    /// If-then-else of a clause and two terms of one sort, simplified.
    pub(crate) fn ite(&mut self, condition: TermId, then: TermId, otherwise: TermId) -> TermId {
        if !self.folding {
            return self.raw(Term::Ite(condition, then, otherwise));
        }
        match self.truth(condition) {
            Some(true) => return then,
            Some(false) => return otherwise,
            None => {}
        }
        if then == otherwise {
            return then;
        }
        if let Term::Unary(UnaryOp::Not, inner) = self.get(condition) {
            return self.ite(inner, otherwise, then);
        }
        if let Term::Ite(nested, inner, _) = self.get(then)
            && nested == condition
        {
            return self.ite(condition, inner, otherwise);
        }
        if let Term::Ite(nested, _, inner) = self.get(otherwise)
            && nested == condition
        {
            return self.ite(condition, then, inner);
        }
        if self.sort(then) == Sort::Bool {
            match (self.truth(then), self.truth(otherwise)) {
                (Some(true), _) => return self.or(condition, otherwise),
                (_, Some(false)) => return self.and(condition, then),
                (Some(false), _) => {
                    let negated = self.not(condition);
                    return self.and(negated, otherwise);
                }
                (_, Some(true)) => {
                    let negated = self.not(condition);
                    return self.or(negated, then);
                }
                (None, None) => {}
            }
        }
        self.raw(Term::Ite(condition, then, otherwise))
    }

    /// A term by operator, simplified. The named constructors call this.
    pub(crate) fn unary(&mut self, op: UnaryOp, a: TermId) -> TermId {
        if !self.folding {
            return self.raw(Term::Unary(op, a));
        }
        if let Some(value) = self.constant_of(a)
            && op.result(value.sort()).is_some()
        {
            return self.constant(apply_unary(op, value));
        }
        let term = self.get(a);
        match (op, term) {
            (UnaryOp::Not, Term::Unary(UnaryOp::Not, inner)) => return inner,
            (UnaryOp::Not, Term::Binary(comparison, x, y)) => {
                let opposite = match comparison {
                    BinaryOp::BvSlt => Some(BinaryOp::BvSle),
                    BinaryOp::BvSle => Some(BinaryOp::BvSlt),
                    BinaryOp::BvUlt => Some(BinaryOp::BvUle),
                    BinaryOp::BvUle => Some(BinaryOp::BvUlt),
                    _ => None,
                };
                if let Some(opposite) = opposite {
                    return self.binary(opposite, y, x);
                }
                // A term between 0 and 1 that is not one of them is the other.
                if comparison == BinaryOp::Eq
                    && let Some(Value::Int(value)) = self.constant_of(y)
                    && self.interval(x).low == 0
                    && self.interval(x).high == 1
                {
                    let other = self.int(1 - value);
                    return self.eq(x, other);
                }
            }
            (UnaryOp::BvNeg, Term::Unary(UnaryOp::BvNeg, inner)) => return inner,
            (UnaryOp::BvNeg, Term::Binary(BinaryOp::BvSub, x, y)) => return self.sub(y, x),
            (UnaryOp::FpNeg, Term::Unary(UnaryOp::FpNeg, inner)) => return inner,
            (UnaryOp::L2I, Term::Unary(UnaryOp::I2L | UnaryOp::ZeroExtend, inner)) => return inner,
            (UnaryOp::ZeroExtend, _) if self.interval(a).low >= 0 => return self.i2l(a),
            (UnaryOp::I2B, _) if self.fits(a, SymbolKind::Byte) => return a,
            (UnaryOp::I2S, _) if self.fits(a, SymbolKind::Short) => return a,
            // A narrower cast makes a wider one before it superfluous.
            (UnaryOp::I2B, Term::Unary(UnaryOp::I2S, inner)) => return self.i2b(inner),
            // A double holds every int.
            (UnaryOp::D2I, Term::Unary(UnaryOp::I2D, inner)) => return inner,
            (UnaryOp::D2L, Term::Unary(UnaryOp::I2D, inner)) => return self.i2l(inner),
            (UnaryOp::FpToBits, Term::Unary(UnaryOp::FpFromBits, inner)) => return inner,
            (UnaryOp::FpFromBits, Term::Unary(UnaryOp::FpToBits, inner)) => return inner,
            _ => {}
        }
        if let Term::Ite(condition, then, otherwise) = term
            && op != UnaryOp::Not
            && (self.constant_of(then).is_some() && self.constant_of(otherwise).is_some())
        {
            let then = self.unary(op, then);
            let otherwise = self.unary(op, otherwise);
            return self.ite(condition, then, otherwise);
        }
        self.raw(Term::Unary(op, a))
    }

    /// A term by operator, simplified. The named constructors call this.
    pub(crate) fn binary(&mut self, op: BinaryOp, a: TermId, b: TermId) -> TermId {
        if !self.folding {
            return self.raw(Term::Binary(op, a, b));
        }
        if let (Some(x), Some(y)) = (self.constant_of(a), self.constant_of(b))
            && x.sort() == y.sort()
            && op.result(x.sort()).is_some()
        {
            return self.constant(apply_binary(op, x, y));
        }
        use BinaryOp::*;
        let simpler = match op {
            And | Or => self.connective(op, a, b),
            Eq => self.equality(a, b),
            BvSlt | BvSle | BvUlt | BvUle => self.ordering(op, a, b),
            BvAdd | BvSub | BvMul | BvSdiv | BvSrem => self.arithmetic(op, a, b),
            BvAnd | BvOr | BvXor => self.bitwise(op, a, b),
            BvShl | BvAshr | BvLshr => self.shifted(op, a, b),
            Lcmp if a == b => Some(self.int(0)),
            FpEq if a == b => self.is_number(a).or_else(|| self.float_comparison(op, a, b)),
            FpEq | FpLt | FpLeq => self.float_comparison(op, a, b),
            _ => None,
        };
        match simpler {
            Some(simpler) => simpler,
            None => self.raw(Term::Binary(op, a, b)),
        }
    }

    fn connective(&mut self, op: BinaryOp, a: TermId, b: TermId) -> Option<TermId> {
        // The value that decides the connective alone.
        let absorbing = op == BinaryOp::Or;
        for (this, other) in [(a, b), (b, a)] {
            if let Some(value) = self.truth(this) {
                return Some(if value == absorbing { this } else { other });
            }
        }
        if a == b {
            return Some(a);
        }
        (self.not(a) == b).then(|| self.bool(absorbing))
    }

    fn truth(&self, id: TermId) -> Option<bool> {
        self.constant_of(id).and_then(Value::truth)
    }

    fn fits(&self, id: TermId, kind: SymbolKind) -> bool {
        let interval = self.interval(id);
        kind.range().is_some_and(|(low, high)| low <= interval.low && interval.high <= high)
    }
}
