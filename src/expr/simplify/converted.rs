//! Simplification of comparisons of floats that were converted from integers. Such floats are never
//! NaN, lie in a range, and keep the order of the integers. So their comparison with a constant
//! becomes a comparison of integers.

use crate::expr::evaluate::apply_unary;
use crate::expr::floating::numbers;
use crate::expr::{BinaryOp, Interval, Sort, Term, TermId, TermStore, UnaryOp, Value};

fn as_double(value: Value) -> Option<f64> {
    match value {
        Value::Float(bits) => Some(f32::from_bits(bits).into()),
        Value::Double(bits) => Some(f64::from_bits(bits)),
        _ => None,
    }
}

impl TermStore {
    /// A simpler term for `fp.eq`, `fp.lt` or `fp.leq`, if there is one.
    pub(super) fn float_comparison(&mut self, op: BinaryOp, a: TermId, b: TermId) -> Option<TermId> {
        if let Some(decided) = self.decided_by_intervals(op, a, b) {
            return Some(self.bool(decided));
        }
        if a == b {
            return None;
        }
        let (of_a, of_b) = (self.integer_of(a), self.integer_of(b));
        match (of_a, self.constant_of(a), of_b, self.constant_of(b)) {
            (Some((conversion, x)), _, _, Some(constant)) => Some(self.converted(op, conversion, x, constant, false)),
            (_, Some(constant), Some((conversion, x)), _) => Some(self.converted(op, conversion, x, constant, true)),
            // A double holds every int.
            (Some((UnaryOp::I2D, x)), _, Some((UnaryOp::I2D, y)), _) => Some(match op {
                BinaryOp::FpLt => self.lt(x, y),
                BinaryOp::FpLeq => self.le(x, y),
                _ => self.eq(x, y),
            }),
            _ => None,
        }
    }

    fn decided_by_intervals(&self, op: BinaryOp, a: TermId, b: TermId) -> Option<bool> {
        let (sort, x) = (self.sort(a), self.interval(a));
        if a == b && op != BinaryOp::FpLt && x.intersection(numbers(sort)) == Some(x) {
            return Some(true);
        }
        Interval::binary(op, sort, x, self.interval(b)).value(Sort::Bool).and_then(Value::truth)
    }

    /// The integer that a float was converted from, and the conversion.
    fn integer_of(&self, float: TermId) -> Option<(UnaryOp, TermId)> {
        match self.get(float) {
            Term::Unary(op @ (UnaryOp::I2F | UnaryOp::I2D | UnaryOp::L2F | UnaryOp::L2D), x) => Some((op, x)),
            // Both conversions together keep the order as well, but so they are found in one.
            Term::Unary(UnaryOp::F2D, inner) => match self.get(inner) {
                Term::Unary(op @ (UnaryOp::I2F | UnaryOp::L2F), x) => Some((op, x)),
                _ => None,
            },
            _ => None,
        }
    }

    /// The comparison of a converted integer with a constant. Conversions keep the order, so the
    /// comparison holds up to some integer, or from some integer on. `reversed`: the constant is
    /// the left operand.
    fn converted(&mut self, op: BinaryOp, conversion: UnaryOp, x: TermId, constant: Value, reversed: bool) -> TermId {
        let Some(constant) = as_double(constant).filter(|constant| !constant.is_nan()) else { return self.bool(false) };
        let wide = self.sort(x) == Sort::Bv64;
        // The exact value of either float is a double.
        let float = |x: i64| {
            let integer = if wide { Value::Long(x) } else { Value::Int(x as i32) };
            as_double(apply_unary(conversion, integer)).unwrap_or(f64::NAN)
        };
        let interval = self.interval(x);
        // The first integer of the interval of which this holds: it holds of all after it.
        let first = |holds: &dyn Fn(f64) -> bool| {
            let (mut low, mut high) = (i128::from(interval.low), i128::from(interval.high) + 1);
            while low < high {
                let middle = low + (high - low) / 2;
                if holds(float(middle as i64)) { high = middle } else { low = middle + 1 }
            }
            low
        };
        let (from, above) = (first(&|float| float >= constant), first(&|float| float > constant));
        // From the first to before the second.
        let (begin, end) = match (op, reversed) {
            (BinaryOp::FpLt, false) => (i128::from(interval.low), from),
            (BinaryOp::FpLt, true) => (above, i128::from(interval.high) + 1),
            (BinaryOp::FpLeq, false) => (i128::from(interval.low), above),
            (BinaryOp::FpLeq, true) => (from, i128::from(interval.high) + 1),
            _ => (from, above),
        };
        if begin >= end {
            return self.bool(false);
        }
        let mut integer = |value: i128| if wide { self.long(value as i64) } else { self.int(value as i32) };
        let (least, most) = (integer(begin), integer(end - 1));
        if least == most {
            return self.eq(x, least);
        }
        // At the ends of the interval these are true.
        let (low, high) = (self.le(least, x), self.le(x, most));
        self.and(low, high)
    }
}
