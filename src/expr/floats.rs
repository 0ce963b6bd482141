//! Comparisons of floats that integers decide. Many floats of a program are integers that were converted: they are never NaN, lie in a range, and the
//! conversion keeps their order, so that a comparison with a constant is one of integers. Every rule keeps the value of the term for all inputs.

use super::evaluate::{apply_binary, apply_unary};
use super::{BinaryOp, Sort, Term, TermId, TermStore, UnaryOp, Value};

/// Subterms looked at for one range: shared ones count each time.
const FUEL: u32 = 100;

/// Bounds of a float that is never NaN, both included, as doubles whatever its sort. Zeros are alike.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Range {
    low: f64,
    high: f64,
}

impl Range {
    fn hull(values: impl IntoIterator<Item = f64>) -> Option<Range> {
        let mut range = Range { low: f64::INFINITY, high: f64::NEG_INFINITY };
        for value in values {
            if value.is_nan() {
                return None;
            }
            range = Range { low: range.low.min(value), high: range.high.max(value) };
        }
        Some(range)
    }

    fn contains_zero(self) -> bool {
        self.low <= 0.0 && self.high >= 0.0
    }

    fn is_finite(self) -> bool {
        self.low.is_finite() && self.high.is_finite()
    }
}

fn as_double(value: Value) -> Option<f64> {
    match value {
        Value::Float(bits) => Some(f32::from_bits(bits).into()),
        Value::Double(bits) => Some(f64::from_bits(bits)),
        _ => None,
    }
}

fn of_sort(sort: Sort, value: f64) -> Value {
    if sort == Sort::Float { Value::float(value as f32) } else { Value::double(value) }
}

impl TermStore {
    /// `fp.eq`, `fp.lt` or `fp.leq`, as something simpler.
    pub(super) fn float_comparison(&mut self, op: BinaryOp, a: TermId, b: TermId) -> Option<TermId> {
        if let Some(decided) = self.decided_by_ranges(op, a, b) {
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

    fn decided_by_ranges(&self, op: BinaryOp, a: TermId, b: TermId) -> Option<bool> {
        let (x, y) = (self.range(a, &mut FUEL.clone())?, self.range(b, &mut FUEL.clone())?);
        let (always, never) = match op {
            BinaryOp::FpEq | BinaryOp::FpLeq if a == b => (true, false),
            BinaryOp::FpLt => (x.high < y.low, x.low >= y.high),
            BinaryOp::FpLeq => (x.high <= y.low, x.low > y.high),
            _ => (x.low == x.high && x == y, x.high < y.low || y.high < x.low),
        };
        (always || never).then_some(always)
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

    /// A converted integer compared with a constant: conversions keep the order, so what holds of the float holds up to some integer, or from one on.
    /// `reversed`: the constant is the left operand.
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

    /// `None`: it may be NaN, or nothing is known.
    fn range(&self, id: TermId, fuel: &mut u32) -> Option<Range> {
        *fuel = fuel.checked_sub(1)?;
        let sort = self.sort(id);
        match self.get(id) {
            Term::Constant(value) => Range::hull(as_double(value)),
            Term::Input(_) => None,
            Term::Ite(_, then, otherwise) => {
                let (then, otherwise) = (self.range(then, fuel)?, self.range(otherwise, fuel)?);
                Range::hull([then.low, then.high, otherwise.low, otherwise.high])
            }
            Term::Unary(op, a) => match op {
                UnaryOp::I2F | UnaryOp::I2D | UnaryOp::L2F | UnaryOp::L2D => {
                    let interval = self.interval(a);
                    let wide = self.sort(a) == Sort::Bv64;
                    let integer = |x: i64| if wide { Value::Long(x) } else { Value::Int(x as i32) };
                    Range::hull([interval.low, interval.high].map(|x| as_double(apply_unary(op, integer(x))).unwrap_or(f64::NAN)))
                }
                UnaryOp::F2D => self.range(a, fuel),
                UnaryOp::FpAbs => {
                    let Range { low, high } = self.range(a, fuel)?;
                    let far = low.abs().max(high.abs());
                    let near = if (Range { low, high }).contains_zero() { 0.0 } else { low.abs().min(high.abs()) };
                    Range::hull([near, far])
                }
                // Rounding and these functions keep the order.
                UnaryOp::D2F | UnaryOp::FpNeg | UnaryOp::FpFloor | UnaryOp::FpCeil | UnaryOp::FpRint | UnaryOp::FpSqrt => {
                    let Range { low, high } = self.range(a, fuel)?;
                    let of = self.sort(a);
                    Range::hull([low, high].map(|end| as_double(apply_unary(op, of_sort(of, end))).unwrap_or(f64::NAN)))
                }
                _ => None,
            },
            Term::Binary(op @ (BinaryOp::FpAdd | BinaryOp::FpSub | BinaryOp::FpMul | BinaryOp::FpDiv), a, b) => {
                let (x, y) = (self.range(a, fuel)?, self.range(b, fuel)?);
                // Infinities meet in NaN, and beside zero a quotient has no bounds.
                if !x.is_finite() || !y.is_finite() || op == BinaryOp::FpDiv && y.contains_zero() {
                    return None;
                }
                let end = |a: f64, b: f64| as_double(apply_binary(op, of_sort(sort, a), of_sort(sort, b))).unwrap_or(f64::NAN);
                Range::hull([end(x.low, y.low), end(x.low, y.high), end(x.high, y.low), end(x.high, y.high)])
            }
            Term::Binary(..) => None,
        }
    }
}
