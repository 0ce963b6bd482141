//! Simplification of comparisons: equality, orders with and without sign, and the three-way
//! comparisons `lcmp`, `fcmpl` and `fcmpg` behind them.

use crate::expr::evaluate::{apply_binary, apply_unary};
use crate::expr::{BinaryOp, Sort, Term, TermId, TermStore, UnaryOp, Value};

/// Largest size of an `ite`, counted as a tree, that a comparison is moved into. Each comparison
/// copies the whole `ite`.
const LARGEST_CHOICE: u64 = 256;

impl TermStore {
    /// `x == x`, which holds unless `x` is NaN.
    pub(super) fn is_number(&mut self, x: TermId) -> Option<TermId> {
        match self.get(x) {
            Term::Unary(UnaryOp::FpNeg | UnaryOp::FpAbs, inner) => Some(self.eq(inner, inner)),
            Term::Unary(UnaryOp::I2F | UnaryOp::I2D | UnaryOp::L2F | UnaryOp::L2D, _) => Some(self.bool(true)),
            _ => None,
        }
    }

    /// A simpler term for `a == b`, operands of any sort but a float.
    pub(super) fn equality(&mut self, a: TermId, b: TermId) -> Option<TermId> {
        if a == b {
            return Some(self.bool(true));
        }
        if self.constant_of(a).is_some() {
            return Some(self.eq(b, a));
        }
        if self.sort(a) == Sort::Bool {
            return match self.truth(b) {
                Some(true) => Some(a),
                Some(false) => Some(self.not(a)),
                None => None,
            };
        }
        if self.interval(a).is_disjoint(self.interval(b)) {
            return Some(self.bool(false));
        }
        if let (Term::Unary(UnaryOp::I2L, x), Term::Unary(UnaryOp::I2L, y)) = (self.get(a), self.get(b)) {
            return Some(self.eq(x, y));
        }
        let constant = self.constant_of(b)?;
        if let Some(decided) = self.outcomes(a, constant, BinaryOp::Eq, false) {
            return Some(decided);
        }
        match self.get(a) {
            Term::Binary(BinaryOp::BvAdd, x, offset) => {
                let offset = self.constant_of(offset)?;
                let target = self.constant(apply_binary(BinaryOp::BvSub, constant, offset));
                Some(self.eq(x, target))
            }
            Term::Binary(BinaryOp::BvXor, x, mask) => {
                let mask = self.constant_of(mask)?;
                let target = self.constant(apply_binary(BinaryOp::BvXor, constant, mask));
                Some(self.eq(x, target))
            }
            Term::Binary(BinaryOp::BvSub, x, y) if constant.integral() == Some(0) => Some(self.eq(x, y)),
            Term::Unary(UnaryOp::BvNeg, x) => {
                let target = self.constant(apply_unary(UnaryOp::BvNeg, constant));
                Some(self.eq(x, target))
            }
            // The constant fits in an int: the intervals meet.
            Term::Unary(UnaryOp::I2L, x) => {
                let target = self.int(i32::try_from(constant.integral()?).ok()?);
                Some(self.eq(x, target))
            }
            _ => self.through_ite(BinaryOp::Eq, a, b),
        }
    }

    /// A simpler term for `<` or `<=`, with or without sign.
    pub(super) fn ordering(&mut self, op: BinaryOp, a: TermId, b: TermId) -> Option<TermId> {
        let strict = matches!(op, BinaryOp::BvSlt | BinaryOp::BvUlt);
        if a == b {
            return Some(self.bool(!strict));
        }
        // Without sign, `x - 1 < x` fails for 0 only.
        if op == BinaryOp::BvUlt && self.is_one_less(a, b) || op == BinaryOp::BvUle && self.is_one_less(b, a) {
            let (whole, sort) = if strict { (b, self.sort(b)) } else { (a, self.sort(a)) };
            let zero = self.integral(sort, 0);
            return Some(if strict { self.ne(whole, zero) } else { self.eq(whole, zero) });
        }
        let (x, y) = (self.interval(a), self.interval(b));
        if matches!(op, BinaryOp::BvUlt | BinaryOp::BvUle) {
            if x.low >= 0 && y.low >= 0 {
                return Some(if strict { self.lt(a, b) } else { self.le(a, b) });
            }
            return None;
        }
        let (always, never) = if strict { (x.high < y.low, x.low >= y.high) } else { (x.high <= y.low, x.low > y.high) };
        if always || never {
            return Some(self.bool(always));
        }
        // Where the bounds meet in one value, `<=` means equality.
        if !strict && x.low == y.high {
            return Some(self.eq(a, b));
        }
        if let (Term::Unary(UnaryOp::I2L, x), Term::Unary(UnaryOp::I2L, y)) = (self.get(a), self.get(b)) {
            return Some(self.binary(op, x, y));
        }
        for (term, constant, reversed) in [(a, b, false), (b, a, true)] {
            let Some(value) = self.constant_of(constant) else { continue };
            if let Some(decided) = self.outcomes(term, value, op, reversed) {
                return Some(decided);
            }
            if let Term::Unary(UnaryOp::I2L, narrow) = self.get(term) {
                let narrow_constant = self.int(i32::try_from(value.integral()?).ok()?);
                let (a, b) = if reversed { (narrow_constant, narrow) } else { (narrow, narrow_constant) };
                return Some(self.binary(op, a, b));
            }
        }
        self.through_ite(op, a, b)
    }

    /// Whether a term is `x - 1` for this `x`.
    fn is_one_less(&self, less: TermId, than: TermId) -> bool {
        matches!(self.get(less), Term::Binary(BinaryOp::BvAdd, x, one)
            if x == than && self.constant_of(one).and_then(Value::integral) == Some(-1))
    }

    /// The comparison of the source behind a comparison of `lcmp`, `fcmpl` or `fcmpg` with a
    /// constant. `reversed`: the constant is the left operand.
    fn outcomes(&mut self, term: TermId, constant: Value, op: BinaryOp, reversed: bool) -> Option<TermId> {
        let Term::Binary(comparison @ (BinaryOp::Lcmp | BinaryOp::FpCmpL | BinaryOp::FpCmpG), a, b) = self.get(term) else {
            return None;
        };
        let holds = |outcome: i32| {
            let (x, y) = if reversed { (constant, Value::Int(outcome)) } else { (Value::Int(outcome), constant) };
            apply_binary(op, x, y) == Value::Bool(true)
        };
        let unordered = comparison != BinaryOp::Lcmp;
        // A NaN is one of the outcomes -1 and 1; the comparison that has to be false for it is the
        // one negated.
        let nan_is_less = comparison == BinaryOp::FpCmpL;
        Some(match (holds(-1), holds(0), holds(1)) {
            (false, false, false) => self.bool(false),
            (true, true, true) => self.bool(true),
            (false, true, false) => self.eq(a, b),
            (true, false, true) => self.ne(a, b),
            (true, false, false) if unordered && nan_is_less => {
                let inverse = self.ge(a, b);
                self.not(inverse)
            }
            (true, false, false) => self.lt(a, b),
            (true, true, false) if unordered && nan_is_less => {
                let inverse = self.gt(a, b);
                self.not(inverse)
            }
            (true, true, false) => self.le(a, b),
            (false, false, true) if unordered && !nan_is_less => {
                let inverse = self.le(a, b);
                self.not(inverse)
            }
            (false, false, true) => self.gt(a, b),
            (false, true, true) if unordered && !nan_is_less => {
                let inverse = self.lt(a, b);
                self.not(inverse)
            }
            (false, true, true) => self.ge(a, b),
        })
    }

    /// Moves a comparison with a constant into an `ite` with a constant branch, so that one
    /// comparison folds.
    fn through_ite(&mut self, op: BinaryOp, a: TermId, b: TermId) -> Option<TermId> {
        let (choice, constant, reversed) = if self.constant_of(b).is_some() { (a, b, false) } else { (b, a, true) };
        self.constant_of(constant)?;
        let Term::Ite(condition, then, otherwise) = self.get(choice) else { return None };
        // A long chain of choices would be copied as a whole for every comparison.
        if self.tree_size(choice) > LARGEST_CHOICE {
            return None;
        }
        if self.constant_of(then).is_none() && self.constant_of(otherwise).is_none() {
            return None;
        }
        let [then, otherwise] = [then, otherwise].map(|branch| {
            let (a, b) = if reversed { (constant, branch) } else { (branch, constant) };
            self.binary(op, a, b)
        });
        Some(self.ite(condition, then, otherwise))
    }
}
