//! Models of the floating-point methods of `Math`, `StrictMath`, `Float` and `Double`. Flows in:
//! operands; flows out: the value and its term, which the caller checks against the recorded
//! result. Where the specification leaves the last digit to the library (`Math.sin`), the term is
//! kept only if its value equals the recorded one. The raw bits of a computed NaN depend on the
//! processor, so they come from the recording. Must not know how calls are made.

use tracewright_classfile::Kind;

use super::methods::floats::{FloatFunction, FloatModel};
use super::result::ModelResult;
use crate::expr::{BinaryOp, Model, Sort, Term, TermId, TermStore, UnaryOp, Value};
use crate::path::ClauseKind;
use crate::symbolic::arith;
use crate::symbolic::completion::InterpResult;
use crate::symbolic::context::ModelContext;
use crate::symbolic::data::objects::{ObjectBody, Slot};
use crate::symbolic::reason::UnsupportedReason;

impl ModelContext<'_, '_> {
    /// Applies a model to the arguments of a call, the receiver first.
    pub(crate) fn apply_float(&mut self, model: FloatModel, arguments: &[Slot]) -> InterpResult<ModelResult> {
        use FloatFunction::*;
        let mut operands = arguments.to_vec();
        if model.boxed {
            if model.function == Equals && !self.same_class(arguments) {
                return Ok(ModelResult::Value(Slot::int(0)));
            }
            for operand in &mut operands {
                // A call on null throws, which the recording shows.
                let ObjectBody::Boxed(content) = self.object(operand.object()).body else { return Ok(ModelResult::Opaque) };
                *operand = Slot { bits: content.bits, term: operand.term.or(content.term) };
            }
        }
        if !self.config.floats && operands.iter().any(|slot| slot.term.is_some()) {
            self.record_concretisation(UnsupportedReason::FloatingPoint);
            return Ok(ModelResult::Opaque);
        }
        let kind = match (model.function, model.kind) {
            (FromBits, Kind::Float) => Kind::Int,
            (FromBits, _) => Kind::Long,
            (_, kind) => kind,
        };
        match (model.function, &operands[..]) {
            // The raw bits of an input are known; those of a computed NaN are not.
            (RawBits, [operand]) if !self.is_input(*operand) && self.decide_nan(*operand, kind)? => {
                if operand.term.is_some() {
                    self.record_concretisation(UnsupportedReason::NanBits);
                }
                return Ok(ModelResult::Recorded);
            }
            // `Math` and `StrictMath` treat the sign of a NaN differently, so their own code
            // decides.
            (CopySign, [_, sign]) if self.decide_nan(*sign, kind)? => return Ok(ModelResult::Opaque),
            _ => {}
        }
        let outcome = self.evaluate_function(&operands, kind, |terms, x| model.function.term(terms, x));
        Ok(match (model.function, outcome) {
            (Approximate(_) | Approximate2(_), Some(slot)) => ModelResult::Approximate(slot),
            (_, Some(slot)) => ModelResult::Value(slot),
            (_, None) => ModelResult::Opaque,
        })
    }

    /// The value of the term that `build` makes of the operands, with the term itself where an
    /// operand is symbolic.
    fn evaluate_function(
        &mut self,
        operands: &[Slot],
        kind: Kind,
        build: impl Fn(&mut TermStore, &[TermId]) -> Option<TermId>,
    ) -> Option<Slot> {
        let mut apart = TermStore::new();
        let constants: Option<Vec<TermId>> =
            operands.iter().map(|slot| arith::term_of(&mut apart, Slot::raw(slot.bits), kind)).collect();
        let value = build(&mut apart, &constants?)?;
        let bits = match apart.evaluate(value, &Model::new()) {
            Value::Int(value) => u64::from(value as u32),
            Value::Long(value) => value as u64,
            Value::Float(bits) => bits.into(),
            Value::Double(bits) => bits,
            Value::Bool(_) => return None,
        };
        let is_symbolic = operands.iter().any(|slot| slot.term.is_some());
        let terms: Option<Vec<TermId>> =
            operands.iter().map(|slot| if is_symbolic { arith::term_of(self.terms, *slot, kind) } else { None }).collect();
        let term = terms.and_then(|terms| build(self.terms, &terms));
        Some(arith::slot(self.terms, bits, term))
    }

    fn same_class(&self, objects: &[Slot]) -> bool {
        let class = |slot: &Slot| if slot.object().is_null() { None } else { self.object(slot.object()).ty };
        objects.iter().all(|slot| class(slot).is_some() && class(slot) == class(&objects[0]))
    }

    fn is_input(&self, slot: Slot) -> bool {
        slot.term.is_some_and(|term| matches!(self.terms.get(term), Term::Input(_)))
    }

    /// Adds a clause that says whether the value is NaN, and returns the answer of this run.
    fn decide_nan(&mut self, slot: Slot, kind: Kind) -> InterpResult<bool> {
        let nan = match kind {
            Kind::Float => f32::from_bits(slot.bits as u32).is_nan(),
            _ => f64::from_bits(slot.bits).is_nan(),
        };
        if slot.term.is_some()
            && let Some(term) = arith::term_of(self.terms, slot, kind)
        {
            let number = self.terms.eq(term, term);
            let holds = if nan { self.terms.not(number) } else { number };
            self.add_clause(ClauseKind::Model, u32::from(nan), holds)?;
        }
        Ok(nan)
    }
}

impl FloatFunction {
    /// The term of the function; `None` where the number of operands does not fit.
    fn term(self, terms: &mut TermStore, operands: &[TermId]) -> Option<TermId> {
        use FloatFunction::*;
        Some(match (self, operands) {
            (Exact(op) | Approximate(op), &[x]) => terms.unary(op, x),
            (Approximate2(op), &[x, y]) => terms.binary(op, x, y),
            (Remainder, &[x, y]) => terms.binary(BinaryOp::IeeeRemainder, x, y),
            (Min, &[x, y]) => least(terms, x, y),
            (Max, &[x, y]) => {
                let [x, y] = [x, y].map(|operand| terms.fneg(operand));
                let least = least(terms, x, y);
                terms.fneg(least)
            }
            (Round, &[x]) => round(terms, x),
            (Signum, &[x]) => signum(terms, x),
            (CopySign, &[x, y]) => {
                let magnitude = terms.unary(UnaryOp::FpAbs, x);
                let negated = terms.fneg(magnitude);
                let negative = terms.unary(UnaryOp::FpIsNegative, y);
                terms.ite(negative, negated, magnitude)
            }
            (NextUp, &[x]) => next_up(terms, x),
            (NextDown, &[x]) => next_down(terms, x),
            (NextAfter, &[x, y]) => {
                let (up, down, nan) = (next_up(terms, x), next_down(terms, x), terms.double(f64::NAN));
                let (less, greater, equal) = (terms.lt(x, y), terms.gt(x, y), terms.eq(x, y));
                let same = terms.ite(equal, y, nan);
                let not_less = terms.ite(greater, down, same);
                terms.ite(less, up, not_less)
            }
            (Exponent, &[x]) => exponent(terms, x),
            (MultiplyByConstant(bits), &[x]) => {
                let factor = terms.double(f64::from_bits(bits));
                terms.fmul(x, factor)
            }
            (IsNan, &[x]) => {
                let nan = terms.ne(x, x);
                int_of_boolean(terms, nan)
            }
            (IsInfinite, &[x]) => {
                let (magnitude, infinity) = (terms.unary(UnaryOp::FpAbs, x), infinity(terms, x));
                let equal = terms.eq(magnitude, infinity);
                int_of_boolean(terms, equal)
            }
            (IsFinite, &[x]) => {
                let (magnitude, infinity) = (terms.unary(UnaryOp::FpAbs, x), infinity(terms, x));
                let less = terms.lt(magnitude, infinity);
                int_of_boolean(terms, less)
            }
            (Compare, &[x, y]) => compare(terms, x, y),
            (Bits, &[x]) => canonical_bits(terms, x),
            (RawBits, &[x]) => terms.unary(UnaryOp::FpToBits, x),
            (FromBits, &[x]) => terms.unary(UnaryOp::FpFromBits, x),
            (HashCode, &[x]) => {
                let bits = canonical_bits(terms, x);
                if terms.sort(bits) == Sort::Bv32 {
                    return Some(bits);
                }
                let half = terms.int(32);
                let high = terms.ushr(bits, half);
                let mixed = terms.bitxor(bits, high);
                terms.l2i(mixed)
            }
            (Equals, &[x, y]) => {
                let (x, y) = (canonical_bits(terms, x), canonical_bits(terms, y));
                let equal = terms.eq(x, y);
                int_of_boolean(terms, equal)
            }
            _ => return None,
        })
    }
}

fn int_of_boolean(terms: &mut TermStore, clause: TermId) -> TermId {
    let (one, zero) = (terms.int(1), terms.int(0));
    terms.ite(clause, one, zero)
}

/// A constant of the same sort as the operand.
fn like(terms: &mut TermStore, operand: TermId, value: f64) -> TermId {
    if terms.sort(operand) == Sort::Float { terms.float(value as f32) } else { terms.double(value) }
}

fn infinity(terms: &mut TermStore, operand: TermId) -> TermId {
    like(terms, operand, f64::INFINITY)
}

/// `Math.min`: NaN if an operand is NaN; -0.0 is less than 0.0.
fn least(terms: &mut TermStore, x: TermId, y: TermId) -> TermId {
    let (number, equal, less) = (terms.eq(x, x), terms.eq(x, y), terms.lt(x, y));
    let negative = terms.unary(UnaryOp::FpIsNegative, x);
    let of_equals = terms.ite(negative, x, y);
    let of_different = terms.ite(less, x, y);
    let of_numbers = terms.ite(equal, of_equals, of_different);
    terms.ite(number, of_numbers, x)
}

/// `Math.round`: the nearest integer, ties upwards. The difference to the floor is exact wherever
/// it is less than one half.
fn round(terms: &mut TermStore, x: TermId) -> TermId {
    let floor = terms.unary(UnaryOp::FpFloor, x);
    let (rest, half, one) = (terms.fsub(x, floor), like(terms, x, 0.5), like(terms, x, 1.0));
    let (is_up, ceiling) = (terms.ge(rest, half), terms.fadd(floor, one));
    let rounded = terms.ite(is_up, ceiling, floor);
    if terms.sort(x) == Sort::Float { terms.convert_to_int(rounded) } else { terms.convert_to_long(rounded) }
}

fn signum(terms: &mut TermStore, x: TermId) -> TermId {
    let (zero, one, minus_one) = (like(terms, x, 0.0), like(terms, x, 1.0), like(terms, x, -1.0));
    let (positive, negative) = (terms.gt(x, zero), terms.lt(x, zero));
    let not_positive = terms.ite(negative, minus_one, x);
    terms.ite(positive, one, not_positive)
}

fn next_up(terms: &mut TermStore, x: TermId) -> TermId {
    let (zero, infinity) = (like(terms, x, 0.0), infinity(terms, x));
    let less = terms.lt(x, infinity);
    // -0.0 becomes 0.0.
    let sum = terms.fadd(x, zero);
    let bits = terms.unary(UnaryOp::FpToBits, sum);
    let wide = terms.sort(bits) == Sort::Bv64;
    let [none, up, down] = [0, 1, -1].map(|value| if wide { terms.long(value) } else { terms.int(value as i32) });
    let positive = terms.ge(bits, none);
    let by = terms.ite(positive, up, down);
    let moved = terms.add(bits, by);
    let next = terms.unary(UnaryOp::FpFromBits, moved);
    terms.ite(less, next, x)
}

fn next_down(terms: &mut TermStore, x: TermId) -> TermId {
    let negated = terms.fneg(x);
    let up = next_up(terms, negated);
    terms.fneg(up)
}

/// `Math.getExponent`: the unbiased exponent; for NaN and infinities one more than the largest.
fn exponent(terms: &mut TermStore, x: TermId) -> TermId {
    let bits = canonical_bits(terms, x);
    let wide = terms.sort(bits) == Sort::Bv64;
    let (places, mask, bias) = if wide { (52, 0x7ff, 1023) } else { (23, 0xff, 127) };
    let places = terms.int(places);
    let high = terms.ushr(bits, places);
    let high = terms.convert_to_int(high);
    let (mask, bias) = (terms.int(mask), terms.int(bias));
    let exponent = terms.bitand(high, mask);
    terms.sub(exponent, bias)
}

/// `Double.compare`: -0.0 is less than 0.0, and NaN is greater than everything.
fn compare(terms: &mut TermStore, x: TermId, y: TermId) -> TermId {
    let (less, greater) = (terms.lt(x, y), terms.gt(x, y));
    let [x, y] = [x, y].map(|operand| {
        let bits = canonical_bits(terms, operand);
        terms.convert_to_long(bits)
    });
    let by_bits = terms.lcmp(x, y);
    let (one, minus_one) = (terms.int(1), terms.int(-1));
    let not_less = terms.ite(greater, one, by_bits);
    terms.ite(less, minus_one, not_less)
}

/// The raw bits, with one canonical NaN.
fn canonical_bits(terms: &mut TermStore, x: TermId) -> TermId {
    let number = terms.eq(x, x);
    let nan = if terms.sort(x) == Sort::Float { terms.int(0x7fc0_0000) } else { terms.long(0x7ff8_0000_0000_0000) };
    let bits = terms.unary(UnaryOp::FpToBits, x);
    terms.ite(number, bits, nan)
}
