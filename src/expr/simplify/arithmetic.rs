//! Simplification of integer arithmetic: sums, products, bitwise operations and shifts.

use crate::expr::{BinaryOp, Interval, Sort, Term, TermId, TermStore, UnaryOp, Value};

impl TermStore {
    /// A simpler term for `+`, `-`, `*`, `/` or `%` of ints or longs.
    pub(super) fn arithmetic(&mut self, op: BinaryOp, a: TermId, b: TermId) -> Option<TermId> {
        use BinaryOp::*;
        let sort = self.sort(a);
        if matches!(op, BvAdd | BvMul) && self.constant_of(a).is_some() {
            return Some(self.binary(op, b, a));
        }
        let left = self.constant_of(a).and_then(Value::integral);
        let right = self.constant_of(b).and_then(Value::integral);
        match (op, left, right) {
            (BvAdd | BvSub, _, Some(0)) | (BvMul | BvSdiv, _, Some(1)) => return Some(a),
            (BvSub, _, _) if a == b => return Some(self.integral(sort, 0)),
            (BvSub, Some(0), _) | (BvMul | BvSdiv, _, Some(-1)) => {
                let operand = if op == BvSub { b } else { a };
                return Some(self.neg(operand));
            }
            (BvSub, _, Some(_)) => {
                let opposite = self.neg(b);
                return Some(self.add(a, opposite));
            }
            (BvMul, _, Some(0)) => return Some(b),
            (BvSrem, _, Some(1 | -1)) => return Some(self.integral(sort, 0)),
            _ => {}
        }
        if let Some(narrow) = self.as_int(op, a, b) {
            return Some(narrow);
        }
        match (op, self.get(a), self.get(b)) {
            // (x + c) + d, (x * c) * d
            (BvAdd | BvMul, Term::Binary(inner, x, c), _) if inner == op && right.is_some() && self.constant_of(c).is_some() => {
                let constant = self.binary(op, c, b);
                Some(self.binary(op, x, constant))
            }
            // (x - y) + y, (x + y) - y, (y + x) - y
            (BvAdd, Term::Binary(BvSub, x, y), _) if y == b => Some(x),
            (BvAdd, _, Term::Binary(BvSub, x, y)) if y == a => Some(x),
            (BvSub, Term::Binary(BvAdd, x, y), _) if y == b => Some(x),
            (BvSub, Term::Binary(BvAdd, x, y), _) if x == b => Some(y),
            (BvAdd, _, Term::Unary(UnaryOp::BvNeg, x)) => Some(self.sub(a, x)),
            (BvAdd, Term::Unary(UnaryOp::BvNeg, x), _) if right.is_none() => Some(self.sub(b, x)),
            (BvSub, _, Term::Unary(UnaryOp::BvNeg, x)) => Some(self.add(a, x)),
            // Constants choose between constants.
            (_, Term::Ite(condition, then, otherwise), _)
                if right.is_some() && self.constant_of(then).is_some() && self.constant_of(otherwise).is_some() =>
            {
                let then = self.binary(op, then, b);
                let otherwise = self.binary(op, otherwise, b);
                Some(self.ite(condition, then, otherwise))
            }
            _ => None,
        }
    }

    /// Int arithmetic for longs that are extended ints, if the result is an int, too.
    fn as_int(&mut self, op: BinaryOp, a: TermId, b: TermId) -> Option<TermId> {
        let is_wide = |term: Term| matches!(term, Term::Unary(UnaryOp::I2L, _));
        if self.sort(a) != Sort::Bv64 || !(is_wide(self.get(a)) || is_wide(self.get(b))) {
            return None;
        }
        let result = Interval::of(self, &Term::Binary(op, a, b), Sort::Bv64);
        let int = Interval::full(Sort::Bv32);
        // A division by a term that may be 0 or -1 may have any long as its result.
        if !int.contains(result.low) || !int.contains(result.high) {
            return None;
        }
        let mut narrow = |term: TermId| match self.get(term) {
            Term::Unary(UnaryOp::I2L, narrow) => Some(narrow),
            _ => {
                let value = i32::try_from(self.constant_of(term)?.integral()?).ok()?;
                Some(self.int(value))
            }
        };
        let (a, b) = (narrow(a)?, narrow(b)?);
        let result = self.binary(op, a, b);
        Some(self.i2l(result))
    }

    /// A simpler term for `&`, `|` or `^` of ints or longs.
    pub(super) fn bitwise(&mut self, op: BinaryOp, a: TermId, b: TermId) -> Option<TermId> {
        use BinaryOp::*;
        let sort = self.sort(a);
        if self.constant_of(a).is_some() {
            return Some(self.binary(op, b, a));
        }
        if a == b {
            return Some(if op == BvXor { self.integral(sort, 0) } else { a });
        }
        let constant = self.constant_of(b)?.integral()?;
        match (op, constant) {
            (BvAnd, -1) | (BvOr | BvXor, 0) => return Some(a),
            (BvAnd, 0) | (BvOr, -1) => return Some(b),
            _ => {}
        }
        let interval = self.interval(a);
        // A mask of low ones that covers every value of the operand.
        if op == BvAnd
            && constant > 0
            && constant & (constant.wrapping_add(1)) == 0
            && interval.low >= 0
            && interval.high <= constant
        {
            return Some(a);
        }
        match self.get(a) {
            Term::Binary(inner, x, c) if inner == op && self.constant_of(c).is_some() => {
                let both = self.binary(op, c, b);
                Some(self.binary(op, x, both))
            }
            // Sign bits that the mask drops do not matter.
            Term::Unary(UnaryOp::I2B, x) if op == BvAnd && (0..=0xff).contains(&constant) => Some(self.bitand(x, b)),
            Term::Unary(UnaryOp::I2S, x) if op == BvAnd && (0..=0xffff).contains(&constant) => Some(self.bitand(x, b)),
            Term::Ite(condition, then, otherwise)
                if self.constant_of(then).is_some() && self.constant_of(otherwise).is_some() =>
            {
                let then = self.binary(op, then, b);
                let otherwise = self.binary(op, otherwise, b);
                Some(self.ite(condition, then, otherwise))
            }
            _ => None,
        }
    }

    /// A simpler term for a shift.
    pub(super) fn shifted(&mut self, op: BinaryOp, a: TermId, b: TermId) -> Option<TermId> {
        if self.constant_of(b).and_then(Value::integral) == Some(0) || self.constant_of(a).and_then(Value::integral) == Some(0) {
            return Some(a);
        }
        // No sign to copy.
        (op == BinaryOp::BvAshr && self.interval(a).low >= 0).then(|| self.binary(BinaryOp::BvLshr, a, b))
    }
}
