//! Models of the integer methods of `Math`, `Integer`, `Long` and their like. Flows in: operands;
//! flows out: a [`ModelResult`], with a clause where an overflow throws. Must not know floating
//! point.

use tracewright_classfile::{BinaryOp, Conversion, Kind};

use super::methods::math::MathModel;
use super::result::ModelResult;
use crate::path::ClauseKind;
use crate::symbolic::arith;
use crate::symbolic::completion::InterpResult;
use crate::symbolic::context::ModelContext;
use crate::symbolic::data::objects::Slot;

const ARITHMETIC: &str = "java/lang/ArithmeticException";

impl ModelContext<'_, '_> {
    /// Applies a model to the arguments of a call, the receiver first.
    pub(super) fn apply_math(&mut self, model: MathModel, arguments: &[Slot]) -> InterpResult<ModelResult> {
        let first = arguments.first().copied().unwrap_or_default();
        let second = arguments.get(1).copied().unwrap_or_default();
        match model {
            MathModel::Abs(kind) => {
                let negative = if kind == Kind::Long { first.as_long() < 0 } else { first.as_int() < 0 };
                let negated = arith::negate(self.terms, kind, first);
                let bits = if negative { negated.bits } else { first.bits };
                let term = self.term_if(&[first], kind).map(|term| {
                    let zero = if kind == Kind::Long { self.terms.long(0) } else { self.terms.int(0) };
                    let is_negative = self.terms.lt(term, zero);
                    let negated = self.terms.neg(term);
                    self.terms.ite(is_negative, negated, term)
                });
                Ok(ModelResult::Value(arith::slot(self.terms, bits, term)))
            }
            MathModel::Min(kind) | MathModel::Max(kind) => {
                let less = if kind == Kind::Long { first.as_long() < second.as_long() } else { first.as_int() < second.as_int() };
                let is_min = matches!(model, MathModel::Min(_));
                let bits = if less == is_min { first.bits } else { second.bits };
                let term = self.pair(first, second, kind).map(|(a, b)| {
                    let less = self.terms.lt(a, b);
                    if is_min { self.terms.ite(less, a, b) } else { self.terms.ite(less, b, a) }
                });
                Ok(ModelResult::Value(arith::slot(self.terms, bits, term)))
            }
            MathModel::Exact(op, kind) => self.exact(op, kind, first, second),
            MathModel::NegateExact(kind) => {
                let zero = Slot::ZERO;
                self.exact(BinaryOp::Sub, kind, zero, first)
            }
            MathModel::ToIntExact => {
                let fits = i32::try_from(first.as_long()).is_ok();
                if let Some(term) = self.term_if(&[first], Kind::Long) {
                    let cut = self.terms.l2i(term);
                    let back = self.terms.i2l(cut);
                    let same = self.terms.eq(back, term);
                    let holds = if fits { same } else { self.terms.not(same) };
                    self.add_clause(ClauseKind::Model, u32::from(!fits), holds)?;
                }
                let cut = arith::convert(self.terms, Conversion::LongToInt, first);
                Ok(if fits { ModelResult::Value(cut) } else { ModelResult::Throws(ARITHMETIC) })
            }
            MathModel::Compare(kind) => Ok(ModelResult::Value(self.three_way(kind, first, second))),
            MathModel::Signum(kind) => Ok(ModelResult::Value(self.three_way(kind, first, Slot::ZERO))),
            MathModel::Sum(kind) => Ok(ModelResult::Value(arith::binary(self.terms, BinaryOp::Add, kind, first, second))),
            MathModel::StepExact(by, kind) => {
                let by =
                    Slot { bits: if kind == Kind::Long { i64::from(by) as u64 } else { Slot::int(by.into()).bits }, term: None };
                self.exact(BinaryOp::Add, kind, first, by)
            }
            MathModel::AbsExact(kind) => {
                let least = if kind == Kind::Long { Slot::raw(i64::MIN as u64) } else { Slot::int(i32::MIN) };
                let is_least = first.bits == least.bits;
                if let Some((term, least)) = self.pair(first, least, kind) {
                    let same = self.terms.eq(term, least);
                    let holds = if is_least { same } else { self.terms.not(same) };
                    self.add_clause(ClauseKind::Model, u32::from(is_least), holds)?;
                }
                if is_least { Ok(ModelResult::Throws(ARITHMETIC)) } else { self.apply_math(MathModel::Abs(kind), arguments) }
            }
            MathModel::MultiplyFull => {
                let [a, b] = [first, second].map(|slot| arith::convert(self.terms, Conversion::IntToLong, slot));
                Ok(ModelResult::Value(arith::binary(self.terms, BinaryOp::Mul, Kind::Long, a, b)))
            }
            MathModel::MultiplyLongs(kind) => {
                let second = if kind == Kind::Int { arith::convert(self.terms, Conversion::IntToLong, second) } else { second };
                self.multiply_longs(first, second)
            }
            MathModel::Floor { remainder, first: kind, second: other } => self.floor(first, second, remainder, kind, other),
            MathModel::Difference => {
                let difference = arith::binary(self.terms, BinaryOp::Sub, Kind::Int, first, second);
                Ok(ModelResult::Value(difference))
            }
        }
    }

    fn multiply_longs(&mut self, a: Slot, b: Slot) -> InterpResult<ModelResult> {
        let result = arith::binary(self.terms, BinaryOp::Mul, Kind::Long, a, b);
        let fits = a.as_long().checked_mul(b.as_long()).is_some();
        if let Some((x, y)) = self.pair(a, b, Kind::Long) {
            // `x * y / y == x` unless the product overflows, or `x` is the least value and `y` is
            // -1.
            let (zero, minus, least) = (self.terms.long(0), self.terms.long(-1), self.terms.long(i64::MIN));
            let product = self.terms.mul(x, y);
            let quotient = self.terms.div(product, y);
            let back = self.terms.eq(quotient, x);
            let is_least = self.terms.eq(x, least);
            let by_minus = self.terms.eq(y, minus);
            let overflows = self.terms.and(is_least, by_minus);
            let no_overflow = self.terms.not(overflows);
            let exact = self.terms.and(back, no_overflow);
            let by_zero = self.terms.eq(y, zero);
            let clause = self.terms.or(by_zero, exact);
            let holds = if fits { clause } else { self.terms.not(clause) };
            self.add_clause(ClauseKind::Model, u32::from(!fits), holds)?;
        }
        Ok(if fits { ModelResult::Value(result) } else { ModelResult::Throws(ARITHMETIC) })
    }

    /// `floorDiv` and `floorMod`. The remainder of a long by an int is an int.
    fn floor(&mut self, a: Slot, b: Slot, remainder: bool, kind: Kind, other: Kind) -> InterpResult<ModelResult> {
        let widened = kind == Kind::Long && other == Kind::Int;
        let b = if widened { arith::convert(self.terms, Conversion::IntToLong, b) } else { b };
        let is_zero = b.bits == 0;
        let zero = Slot::ZERO;
        if let Some((divisor, zero)) = self.pair(b, zero, kind) {
            let same = self.terms.eq(divisor, zero);
            let holds = if is_zero { same } else { self.terms.not(same) };
            self.add_clause(ClauseKind::DivZero, u32::from(is_zero), holds)?;
        }
        if is_zero {
            return Ok(ModelResult::Throws(ARITHMETIC));
        }
        let signed = |slot: Slot| if kind == Kind::Long { slot.as_long() } else { i64::from(slot.as_int()) };
        let rest = arith::binary(self.terms, BinaryOp::Rem, kind, a, b);
        // Division towards zero differs from the floor where the remainder and the divisor have
        // different signs.
        let is_off = signed(rest) != 0 && (signed(rest) < 0) != (signed(b) < 0);
        let result = arith::binary(self.terms, if remainder { BinaryOp::Rem } else { BinaryOp::Div }, kind, a, b);
        let one = if kind == Kind::Long { Slot::raw(1) } else { Slot::int(1) };
        let other_result = match remainder {
            true => arith::binary(self.terms, BinaryOp::Add, kind, result, b),
            false => arith::binary(self.terms, BinaryOp::Sub, kind, result, one),
        };
        let bits = if is_off { other_result.bits } else { result.bits };
        let mut term = None;
        if let (Some((rest, divisor)), Some((plain, moved))) = (self.pair(rest, b, kind), self.pair(result, other_result, kind)) {
            let zero = if kind == Kind::Long { self.terms.long(0) } else { self.terms.int(0) };
            let signs = self.terms.bitxor(rest, divisor);
            let differ = self.terms.lt(signs, zero);
            let is_rest = self.terms.ne(rest, zero);
            let is_off = self.terms.and(differ, is_rest);
            term = Some(self.terms.ite(is_off, moved, plain));
        }
        let result = arith::slot(self.terms, bits, term);
        Ok(ModelResult::Value(if remainder && widened {
            arith::convert(self.terms, Conversion::LongToInt, result)
        } else {
            result
        }))
    }

    /// Decides by a clause whether an operation overflows, as a bounds check does.
    fn exact(&mut self, op: BinaryOp, kind: Kind, a: Slot, b: Slot) -> InterpResult<ModelResult> {
        let result = arith::binary(self.terms, op, kind, a, b);
        let overflows = match (op, kind) {
            (BinaryOp::Add, Kind::Int) => a.as_int().checked_add(b.as_int()).is_none(),
            (BinaryOp::Sub, Kind::Int) => a.as_int().checked_sub(b.as_int()).is_none(),
            (BinaryOp::Mul, Kind::Int) => a.as_int().checked_mul(b.as_int()).is_none(),
            (BinaryOp::Add, _) => a.as_long().checked_add(b.as_long()).is_none(),
            (BinaryOp::Sub, _) => a.as_long().checked_sub(b.as_long()).is_none(),
            _ => return Ok(ModelResult::Opaque),
        };
        if let Some((x, y)) = self.pair(a, b, kind) {
            let fits = if kind == Kind::Int {
                // The operation cannot overflow in 64 bits.
                let (x, y) = (self.terms.i2l(x), self.terms.i2l(y));
                let wide = match op {
                    BinaryOp::Add => self.terms.add(x, y),
                    BinaryOp::Sub => self.terms.sub(x, y),
                    _ => self.terms.mul(x, y),
                };
                let cut = self.terms.l2i(wide);
                let back = self.terms.i2l(cut);
                self.terms.eq(back, wide)
            } else {
                // A sum overflows where both operands differ in sign from the result; a difference,
                // where `x` differs in sign from `y` and from the result.
                let sum = if op == BinaryOp::Add { self.terms.add(x, y) } else { self.terms.sub(x, y) };
                let first = self.terms.bitxor(x, sum);
                let second = if op == BinaryOp::Add { self.terms.bitxor(y, sum) } else { self.terms.bitxor(x, y) };
                let both = self.terms.bitand(first, second);
                let zero = self.terms.long(0);
                self.terms.ge(both, zero)
            };
            let holds = if overflows { self.terms.not(fits) } else { fits };
            self.add_clause(ClauseKind::Model, u32::from(overflows), holds)?;
        }
        Ok(if overflows { ModelResult::Throws(ARITHMETIC) } else { ModelResult::Value(result) })
    }

    /// -1, 0 or 1, as the first operand is less than, equal to or greater than the second.
    pub(super) fn three_way(&mut self, kind: Kind, a: Slot, b: Slot) -> Slot {
        let ordering = if kind == Kind::Long { a.as_long().cmp(&b.as_long()) } else { a.as_int().cmp(&b.as_int()) };
        let bits = Slot::int(ordering as i32).bits;
        let term = self.pair(a, b, kind).map(|(mut x, mut y)| {
            if kind == Kind::Int {
                x = self.terms.i2l(x);
                y = self.terms.i2l(y);
            }
            self.terms.lcmp(x, y)
        });
        arith::slot(self.terms, bits, term)
    }
}
