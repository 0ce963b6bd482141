//! Intervals of bit-vector terms: what holds whatever the inputs are. They decide comparisons on construction.

use super::{BinaryOp, Sort, Term, TermStore, UnaryOp, Value};

/// Signed bounds, both included, inside the range of the sort.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Interval {
    pub low: i64,
    pub high: i64,
}

impl Interval {
    pub fn full(sort: Sort) -> Interval {
        match sort {
            Sort::Bv32 => Interval { low: i32::MIN.into(), high: i32::MAX.into() },
            _ => Interval { low: i64::MIN, high: i64::MAX },
        }
    }

    pub fn point(value: i64) -> Interval {
        Interval { low: value, high: value }
    }

    pub fn contains(self, value: i64) -> bool {
        (self.low..=self.high).contains(&value)
    }

    pub fn is_disjoint(self, other: Interval) -> bool {
        self.high < other.low || other.high < self.low
    }

    pub fn hull(self, other: Interval) -> Interval {
        Interval { low: self.low.min(other.low), high: self.high.max(other.high) }
    }

    /// `None` when nothing is in both.
    pub fn intersection(self, other: Interval) -> Option<Interval> {
        (!self.is_disjoint(other)).then(|| Interval { low: self.low.max(other.low), high: self.high.min(other.high) })
    }

    /// The hull of these corners, or everything when one of them overflows the sort.
    fn corners(sort: Sort, corners: &[i128]) -> Interval {
        let full = Interval::full(sort);
        let low = corners.iter().copied().min().unwrap_or(full.low.into());
        let high = corners.iter().copied().max().unwrap_or(full.high.into());
        if low < full.low.into() || high > full.high.into() {
            return full;
        }
        Interval { low: low as i64, high: high as i64 }
    }

    pub(super) fn of(terms: &TermStore, term: &Term, sort: Sort) -> Interval {
        let full = Interval::full(sort);
        if !sort.is_bv() {
            return full;
        }
        match *term {
            Term::Constant(value) => value.integral().map_or(full, Interval::point),
            Term::Input(input) => input.kind.range().map_or(full, |(low, high)| Interval { low, high }),
            Term::Ite(_, a, b) => terms.interval(a).hull(terms.interval(b)),
            Term::Unary(op, a) => {
                let a = terms.interval(a);
                match op {
                    UnaryOp::BvNeg => Interval::corners(sort, &[-i128::from(a.low), -i128::from(a.high)]),
                    UnaryOp::I2L => a,
                    UnaryOp::ZeroExtend if a.low >= 0 => a,
                    UnaryOp::ZeroExtend => Interval { low: 0, high: u32::MAX.into() },
                    UnaryOp::L2I => Interval::corners(sort, &[a.low.into(), a.high.into()]),
                    UnaryOp::I2B => a.narrowed(i8::MIN.into(), i8::MAX.into()),
                    UnaryOp::I2S => a.narrowed(i16::MIN.into(), i16::MAX.into()),
                    _ => full,
                }
            }
            Term::Binary(op, a, b) => {
                let constant = terms.constant_of(b).and_then(Value::integral);
                let (a, b) = (terms.interval(a), terms.interval(b));
                let wide = |value: i64| i128::from(value);
                match op {
                    BinaryOp::BvAdd => Interval::corners(sort, &[wide(a.low) + wide(b.low), wide(a.high) + wide(b.high)]),
                    BinaryOp::BvSub => Interval::corners(sort, &[wide(a.low) - wide(b.high), wide(a.high) - wide(b.low)]),
                    BinaryOp::BvMul => Interval::corners(
                        sort,
                        &[
                            wide(a.low) * wide(b.low),
                            wide(a.low) * wide(b.high),
                            wide(a.high) * wide(b.low),
                            wide(a.high) * wide(b.high),
                        ],
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
                    // With a non-negative operand the sign bit is clear and the result is no larger than that operand.
                    BinaryOp::BvAnd if a.low >= 0 && b.low >= 0 => Interval { low: 0, high: a.high.min(b.high) },
                    BinaryOp::BvAnd if a.low >= 0 => Interval { low: 0, high: a.high },
                    BinaryOp::BvAnd if b.low >= 0 => Interval { low: 0, high: b.high },
                    BinaryOp::BvOr | BinaryOp::BvXor if a.low >= 0 && b.low >= 0 => {
                        let bits = 64 - (a.high | b.high).leading_zeros();
                        Interval { low: 0, high: ((1i128 << bits) - 1) as i64 }
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
                    BinaryOp::Lcmp | BinaryOp::FpCmpL | BinaryOp::FpCmpG => Interval { low: -1, high: 1 },
                    _ => full,
                }
            }
        }
    }

    fn narrowed(self, low: i64, high: i64) -> Interval {
        if low <= self.low && self.high <= high { self } else { Interval { low, high } }
    }
}
