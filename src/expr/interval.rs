//! Intervals of terms: bounds for all inputs. In: operators and bounds of operands; out: bounds of
//! the result. Constructors decide comparisons with them. [`floating`] has the rules for floats.

use super::evaluate::{apply_binary, apply_unary};
use super::floating::{self, double_at, float_at, place_of_double, place_of_float};
use super::{BinaryOp, Sort, Term, TermStore, UnaryOp, Value};

/// Signed, inclusive bounds inside the range of the sort.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Interval {
    pub(crate) low: i64,
    pub(crate) high: i64,
}

impl Interval {
    /// All values of a sort.
    pub(crate) fn full(sort: Sort) -> Interval {
        match sort {
            Sort::Bv32 | Sort::Float => Interval { low: i32::MIN.into(), high: i32::MAX.into() },
            _ => Interval { low: i64::MIN, high: i64::MAX },
        }
    }

    /// The full interval of a sort. A boolean is 0 or 1; a float is its ordinal in the total order.
    pub(crate) fn all(sort: Sort) -> Interval {
        if sort == Sort::Bool { Interval { low: 0, high: 1 } } else { Interval::full(sort) }
    }

    /// The interval of one value; of a clause 0 or 1, of a float its ordinal.
    pub(crate) fn of_value(value: Value) -> Interval {
        Interval::point(match value {
            Value::Bool(value) => value.into(),
            Value::Int(value) => value.into(),
            Value::Long(value) => value,
            Value::Float(bits) => place_of_float(bits),
            Value::Double(bits) => place_of_double(bits),
        })
    }

    /// The value of this sort, if there is only one.
    pub(crate) fn value(self, sort: Sort) -> Option<Value> {
        (self.low == self.high).then_some(match sort {
            Sort::Bool => Value::Bool(self.low != 0),
            Sort::Bv32 => Value::Int(self.low as i32),
            Sort::Bv64 => Value::Long(self.low),
            Sort::Float => Value::Float(float_at(self.low)),
            Sort::Double => Value::Double(double_at(self.low)),
        })
    }

    /// The interval of one number.
    pub(crate) fn point(value: i64) -> Interval {
        Interval { low: value, high: value }
    }

    /// Whether the number lies in the interval.
    pub(crate) fn contains(self, value: i64) -> bool {
        (self.low..=self.high).contains(&value)
    }

    /// Whether no number lies in both.
    pub(crate) fn is_disjoint(self, other: Interval) -> bool {
        self.high < other.low || other.high < self.low
    }

    /// The smallest interval that contains both.
    pub(crate) fn hull(self, other: Interval) -> Interval {
        Interval { low: self.low.min(other.low), high: self.high.max(other.high) }
    }

    /// The common part; `None` if it is empty.
    pub(crate) fn intersection(self, other: Interval) -> Option<Interval> {
        (!self.is_disjoint(other)).then(|| Interval { low: self.low.max(other.low), high: self.high.min(other.high) })
    }

    /// The hull of the corners, or the full interval if one of them overflows the sort.
    fn corners(sort: Sort, corners: &[i128]) -> Interval {
        let full = Interval::full(sort);
        let low = corners.iter().copied().min().unwrap_or(full.low.into());
        let high = corners.iter().copied().max().unwrap_or(full.high.into());
        if low < full.low.into() || high > full.high.into() {
            return full;
        }
        Interval { low: low as i64, high: high as i64 }
    }

    /// Bounds of a term for all inputs, from the bounds of its operands.
    pub(super) fn of(terms: &TermStore, term: &Term, sort: Sort) -> Interval {
        let full = Interval::full(sort);
        if sort == Sort::Bool {
            return full;
        }
        match *term {
            Term::Constant(value) => Interval::of_value(value),
            Term::Input(input) => input.kind.range().map_or(full, |(low, high)| Interval { low, high }),
            Term::Ite(_, a, b) => terms.interval(a).hull(terms.interval(b)),
            Term::Unary(op, a) => Interval::unary(op, terms.sort(a), terms.interval(a)),
            Term::Binary(op, a, b) => Interval::binary(op, terms.sort(a), terms.interval(a), terms.interval(b)),
        }
    }

    /// The bounds of a result from those of the operand; `operand` is its sort. Booleans are as in
    /// [`Interval::all`].
    pub(crate) fn unary(op: UnaryOp, operand: Sort, a: Interval) -> Interval {
        if let Some(value) = a.value(operand) {
            return Interval::of_value(apply_unary(op, value));
        }
        let sort = op.result(operand).unwrap_or(operand);
        match op {
            UnaryOp::BvNeg => Interval::corners(sort, &[-i128::from(a.low), -i128::from(a.high)]),
            UnaryOp::I2L => a,
            UnaryOp::ZeroExtend if a.low >= 0 => a,
            UnaryOp::ZeroExtend => Interval { low: 0, high: u32::MAX.into() },
            UnaryOp::L2I => Interval::corners(sort, &[a.low.into(), a.high.into()]),
            UnaryOp::I2B => a.narrowed(i8::MIN.into(), i8::MAX.into()),
            UnaryOp::I2S => a.narrowed(i16::MIN.into(), i16::MAX.into()),
            _ => floating::unary(op, operand, a).unwrap_or(Interval::all(sort)),
        }
    }

    /// The bounds of a result from those of two operands of one sort.
    pub(crate) fn binary(op: BinaryOp, operands: Sort, a: Interval, b: Interval) -> Interval {
        if let (Some(x), Some(y)) = (a.value(operands), b.value(operands)) {
            return Interval::of_value(apply_binary(op, x, y));
        }
        let sort = op.result(operands).unwrap_or(operands);
        let full = Interval::all(sort);
        let constant = (b.low == b.high).then_some(b.low);
        let wide = |value: i64| i128::from(value);
        let truth = |always: bool, never: bool| if always || never { Interval::point(always.into()) } else { full };
        match op {
            BinaryOp::And => truth(false, a.high == 0 || b.high == 0),
            BinaryOp::Or => truth(a.low == 1 || b.low == 1, false),
            BinaryOp::Eq => truth(false, a.is_disjoint(b)),
            BinaryOp::BvSlt => truth(a.high < b.low, a.low >= b.high),
            BinaryOp::BvSle => truth(a.high <= b.low, a.low > b.high),
            // Without sign the negative values are the greatest, in their order.
            BinaryOp::BvUlt | BinaryOp::BvUle => match (a.sign(), b.sign()) {
                (Some(x), Some(y)) if x != y => truth(y, x),
                (Some(_), Some(_)) if op == BinaryOp::BvUlt => truth(a.high < b.low, a.low >= b.high),
                (Some(_), Some(_)) => truth(a.high <= b.low, a.low > b.high),
                _ => full,
            },
            BinaryOp::BvAdd => Interval::corners(sort, &[wide(a.low) + wide(b.low), wide(a.high) + wide(b.high)]),
            BinaryOp::BvSub => Interval::corners(sort, &[wide(a.low) - wide(b.high), wide(a.high) - wide(b.low)]),
            BinaryOp::BvMul => Interval::corners(
                sort,
                &[wide(a.low) * wide(b.low), wide(a.low) * wide(b.high), wide(a.high) * wide(b.low), wide(a.high) * wide(b.high)],
            ),
            BinaryOp::BvSdiv => match constant {
                Some(divisor) if divisor != 0 => {
                    Interval::corners(sort, &[wide(a.low) / wide(divisor), wide(a.high) / wide(divisor)])
                }
                _ => full,
            },
            BinaryOp::BvSrem => match constant {
                Some(divisor) if divisor != 0 => {
                    let most = wide(divisor).abs() - 1;
                    let low = if a.low >= 0 { 0 } else { (-most).max(wide(a.low)) };
                    let high = if a.high <= 0 { 0 } else { most.min(wide(a.high)) };
                    Interval::corners(sort, &[low, high])
                }
                _ => full,
            },
            // With a non-negative operand the sign bit is clear and the result is no larger than
            // that operand.
            BinaryOp::BvAnd if a.low >= 0 && b.low >= 0 => Interval { low: 0, high: a.high.min(b.high) },
            BinaryOp::BvAnd if a.low >= 0 => Interval { low: 0, high: a.high },
            BinaryOp::BvAnd if b.low >= 0 => Interval { low: 0, high: b.high },
            // One bit beside another is no less than either, and sets no bit that neither can have.
            BinaryOp::BvOr | BinaryOp::BvXor if a.low >= 0 && b.low >= 0 => {
                let bits = |x: Interval| if x.low == x.high { x.low } else { ones(x.high) };
                let low = if op == BinaryOp::BvOr { a.low.max(b.low) } else { 0 };
                Interval { low, high: if op == BinaryOp::BvOr { bits(a) | bits(b) } else { ones(a.high | b.high) } }
            }
            BinaryOp::BvAshr => match constant {
                Some(count) if (0..64).contains(&count) => Interval { low: a.low >> count, high: a.high >> count },
                _ => Interval { low: a.low.min(0), high: a.high.max(-1) },
            },
            BinaryOp::BvLshr => match constant {
                Some(count) if count > 0 && a.low >= 0 => Interval {
                    low: a.low.checked_shr(count.min(64) as u32).unwrap_or(0),
                    high: a.high.checked_shr(count.min(64) as u32).unwrap_or(0),
                },
                Some(count) if sort == Sort::Bv32 && (1..32).contains(&count) => {
                    Interval { low: 0, high: (u32::MAX >> count).into() }
                }
                Some(count) if sort == Sort::Bv64 && (1..64).contains(&count) => {
                    Interval { low: 0, high: (u64::MAX >> count) as i64 }
                }
                _ => full,
            },
            BinaryOp::Lcmp if a.high < b.low => Interval::point(-1),
            BinaryOp::Lcmp if a.low > b.high => Interval::point(1),
            BinaryOp::Lcmp => Interval { low: -1, high: 1 },
            _ => floating::binary(op, operands, a, b).unwrap_or(full),
        }
    }

    /// Whether all values are negative, or all are not.
    fn sign(self) -> Option<bool> {
        (self.low >= 0 || self.high < 0).then_some(self.high < 0)
    }

    fn narrowed(self, low: i64, high: i64) -> Interval {
        if low <= self.low && self.high <= high { self } else { Interval { low, high } }
    }
}

/// All bits up to the highest set bit of a value that is not negative.
fn ones(value: i64) -> i64 {
    (u64::MAX.checked_shr(value.leading_zeros()).unwrap_or(0)) as i64
}
