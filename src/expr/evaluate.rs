//! Exact evaluation under a model. In: terms and values of inputs; out: values. The only place that
//! defines what an operator means: folding and the check of models use it.

use super::{BinaryOp, Input, Model, Term, TermId, TermStore, UnaryOp, Value};
use rustc_hash::FxHashMap;

impl TermStore {
    /// The value of a term. An input that the model does not mention, or mentions with another
    /// sort, is zero.
    pub(crate) fn evaluate(&self, term: TermId, model: &Model) -> Value {
        Evaluation::new(self, model).value(term)
    }

    /// Whether a clause holds; false for a term of another sort.
    pub fn holds(&self, clause: TermId, model: &Model) -> bool {
        self.evaluate(clause, model) == Value::Bool(true)
    }
}

/// Evaluation of many terms under one model. Shared terms are evaluated once.
#[derive(Debug)]
pub struct Evaluation<'a> {
    terms: &'a TermStore,
    model: &'a Model,
    values: FxHashMap<TermId, Value>,
}

impl<'a> Evaluation<'a> {
    /// Evaluation under a model; an input without a value is 0 or false.
    pub(crate) fn new(terms: &'a TermStore, model: &'a Model) -> Evaluation<'a> {
        Evaluation { terms, model, values: FxHashMap::default() }
    }

    /// Whether the clause is true.
    pub(crate) fn holds(&mut self, clause: TermId) -> bool {
        self.value(clause) == Value::Bool(true)
    }

    /// The value of a term.
    pub(crate) fn value(&mut self, root: TermId) -> Value {
        // An explicit stack: a loop in the program makes terms as deep as it runs.
        let mut pending = vec![root];
        while let Some(&id) = pending.last() {
            if self.values.contains_key(&id) {
                pending.pop();
                continue;
            }
            let term = self.terms.get(id);
            let before = pending.len();
            // Only the branch that is taken of an `ite`: the other one may be large.
            if let Term::Ite(condition, then, otherwise) = term {
                match self.values.get(&condition) {
                    None => pending.push(condition),
                    Some(value) => {
                        let chosen = if *value == Value::Bool(true) { then } else { otherwise };
                        match self.values.get(&chosen) {
                            None => pending.push(chosen),
                            Some(value) => {
                                self.values.insert(id, *value);
                            }
                        }
                    }
                }
                continue;
            }
            pending.extend(term.operands().filter(|operand| !self.values.contains_key(operand)));
            if pending.len() > before {
                continue;
            }
            let value = match term {
                Term::Constant(value) => value,
                Term::Input(input) => self.input(input),
                Term::Unary(op, a) => apply_unary(op, self.values[&a]),
                Term::Binary(op, a, b) => apply_binary(op, self.values[&a], self.values[&b]),
                Term::Ite(..) => unreachable!("handled above"),
            };
            self.values.insert(id, value);
            pending.pop();
        }
        self.values[&root]
    }

    fn input(&self, input: Input) -> Value {
        let zero = Value::zero(input.kind.sort());
        self.model.get(input.symbol).filter(|value| value.sort() == zero.sort()).unwrap_or(zero)
    }
}

fn float(value: f32) -> Value {
    Value::Float(if value.is_nan() { f32::NAN.to_bits() } else { value.to_bits() })
}

/// Every computed NaN becomes one bit pattern: IEEE 754 leaves it open, and results must not depend
/// on the machine. The choice is made on bits, since a compiler may swap NaNs.
fn double(value: f64) -> Value {
    Value::Double(if value.is_nan() { f64::NAN.to_bits() } else { value.to_bits() })
}

/// Applies an operator. The operand has a sort that the operator takes, since terms are checked
/// when they are made.
pub(super) fn apply_unary(op: UnaryOp, operand: Value) -> Value {
    use UnaryOp::*;
    match (op, operand) {
        (Not, Value::Bool(a)) => Value::Bool(!a),
        (BvNeg, Value::Int(a)) => Value::Int(a.wrapping_neg()),
        (BvNeg, Value::Long(a)) => Value::Long(a.wrapping_neg()),
        (I2L, Value::Int(a)) => Value::Long(a.into()),
        (ZeroExtend, Value::Int(a)) => Value::Long((a as u32).into()),
        (L2I, Value::Long(a)) => Value::Int(a as i32),
        (I2B, Value::Int(a)) => Value::Int((a as i8).into()),
        (I2S, Value::Int(a)) => Value::Int((a as i16).into()),
        (I2F, Value::Int(a)) => float(a as f32),
        (I2D, Value::Int(a)) => double(a.into()),
        (L2F, Value::Long(a)) => float(a as f32),
        (L2D, Value::Long(a)) => double(a as f64),
        // Rust's `as` saturates and maps NaN to 0, as the JVM does.
        (F2I, Value::Float(a)) => Value::Int(f32::from_bits(a) as i32),
        (F2L, Value::Float(a)) => Value::Long(f32::from_bits(a) as i64),
        (D2I, Value::Double(a)) => Value::Int(f64::from_bits(a) as i32),
        (D2L, Value::Double(a)) => Value::Long(f64::from_bits(a) as i64),
        (F2D, Value::Float(a)) => double(f32::from_bits(a).into()),
        (D2F, Value::Double(a)) => float(f64::from_bits(a) as f32),
        (FpNeg, Value::Float(a)) => Value::Float(a ^ (1 << 31)),
        (FpNeg, Value::Double(a)) => Value::Double(a ^ (1 << 63)),
        (FpAbs, Value::Float(a)) => Value::Float(a & !(1 << 31)),
        (FpAbs, Value::Double(a)) => Value::Double(a & !(1 << 63)),
        (FpSqrt, Value::Float(a)) => float(f32::from_bits(a).sqrt()),
        (FpSqrt, Value::Double(a)) => double(f64::from_bits(a).sqrt()),
        (FpFloor, Value::Float(a)) => float(f32::from_bits(a).floor()),
        (FpFloor, Value::Double(a)) => double(f64::from_bits(a).floor()),
        (FpCeil, Value::Float(a)) => float(f32::from_bits(a).ceil()),
        (FpCeil, Value::Double(a)) => double(f64::from_bits(a).ceil()),
        (FpRint, Value::Float(a)) => float(f32::from_bits(a).round_ties_even()),
        (FpRint, Value::Double(a)) => double(f64::from_bits(a).round_ties_even()),
        (FpIsNegative, Value::Float(a)) => Value::Bool(!f32::from_bits(a).is_nan() && a >> 31 == 1),
        (FpIsNegative, Value::Double(a)) => Value::Bool(!f64::from_bits(a).is_nan() && a >> 63 == 1),
        (FpToBits, Value::Float(a)) => Value::Int(a as i32),
        (FpToBits, Value::Double(a)) => Value::Long(a as i64),
        (FpFromBits, Value::Int(a)) => Value::Float(a as u32),
        (FpFromBits, Value::Long(a)) => Value::Double(a as u64),
        (op, Value::Double(a)) if op >= Sin => double(function(op, f64::from_bits(a))),
        (op, operand) => unreachable!("{op:?} of {operand}"),
    }
}

/// Computes with `libm`, a port of the library behind `StrictMath`, so that results do not depend
/// on the machine.
fn function(op: UnaryOp, a: f64) -> f64 {
    use UnaryOp::*;
    match op {
        Sin => libm::sin(a),
        Cos => libm::cos(a),
        Tan => libm::tan(a),
        Asin => libm::asin(a),
        Acos => libm::acos(a),
        Atan => libm::atan(a),
        Sinh => libm::sinh(a),
        Cosh => libm::cosh(a),
        Tanh => libm::tanh(a),
        Exp => libm::exp(a),
        Expm1 => libm::expm1(a),
        Log => libm::log(a),
        Log10 => libm::log10(a),
        Log1p => libm::log1p(a),
        Cbrt => libm::cbrt(a),
        op => unreachable!("{op:?} is no function"),
    }
}

/// Java's `Math.pow`. Unlike C, it is NaN for a NaN exponent, and for 1 or -1 to an infinite
/// exponent.
fn pow(a: f64, b: f64) -> f64 {
    if b.is_nan() || (b.is_infinite() && a.abs() == 1.0) { f64::NAN } else { libm::pow(a, b) }
}

/// The value of an operator. Panics on operands of wrong sorts.
pub(super) fn apply_binary(op: BinaryOp, a: Value, b: Value) -> Value {
    match (a, b) {
        (Value::Bool(a), Value::Bool(b)) => Value::Bool(match op {
            BinaryOp::And => a && b,
            BinaryOp::Or => a || b,
            BinaryOp::Eq => a == b,
            op => unreachable!("{op:?} of clauses"),
        }),
        (Value::Int(a), Value::Int(b)) => int_binary(op, a, b),
        (Value::Long(a), Value::Long(b)) => long_binary(op, a, b),
        (Value::Float(a), Value::Float(b)) => {
            let (a, b) = (f32::from_bits(a), f32::from_bits(b));
            match op {
                BinaryOp::FpAdd => float(a + b),
                BinaryOp::FpSub => float(a - b),
                BinaryOp::FpMul => float(a * b),
                BinaryOp::FpDiv => float(a / b),
                BinaryOp::Frem => float(a % b),
                op => fp_comparison(op, a.partial_cmp(&b)),
            }
        }
        (Value::Double(a), Value::Double(b)) => {
            let (a, b) = (f64::from_bits(a), f64::from_bits(b));
            match op {
                BinaryOp::FpAdd => double(a + b),
                BinaryOp::FpSub => double(a - b),
                BinaryOp::FpMul => double(a * b),
                BinaryOp::FpDiv => double(a / b),
                BinaryOp::Frem => double(a % b),
                BinaryOp::Pow => double(pow(a, b)),
                BinaryOp::Atan2 => double(libm::atan2(a, b)),
                BinaryOp::Hypot => double(libm::hypot(a, b)),
                BinaryOp::IeeeRemainder => double(libm::remainder(a, b)),
                op => fp_comparison(op, a.partial_cmp(&b)),
            }
        }
        (a, b) => unreachable!("{op:?} of {a} and {b}"),
    }
}

fn fp_comparison(op: BinaryOp, ordering: Option<std::cmp::Ordering>) -> Value {
    match op {
        BinaryOp::FpEq => Value::Bool(ordering.is_some_and(|ordering| ordering.is_eq())),
        BinaryOp::FpLt => Value::Bool(ordering.is_some_and(|ordering| ordering.is_lt())),
        BinaryOp::FpLeq => Value::Bool(ordering.is_some_and(|ordering| ordering.is_le())),
        BinaryOp::FpCmpL => Value::Int(ordering.map_or(-1, |ordering| ordering as i32)),
        BinaryOp::FpCmpG => Value::Int(ordering.map_or(1, |ordering| ordering as i32)),
        op => unreachable!("{op:?} of floats"),
    }
}

/// Integer operations for both widths; `$unsigned` has the width of `$ty`.
macro_rules! bv_binary {
    ($name:ident, $ty:ty, $unsigned:ty, $variant:ident) => {
        fn $name(op: BinaryOp, a: $ty, b: $ty) -> Value {
            let shift = |within: fn($ty, u32) -> $ty, beyond: $ty| {
                if (0..<$ty>::BITS as $ty).contains(&b) { within(a, b as u32) } else { beyond }
            };
            Value::$variant(match op {
                BinaryOp::Eq => return Value::Bool(a == b),
                BinaryOp::BvSlt => return Value::Bool(a < b),
                BinaryOp::BvSle => return Value::Bool(a <= b),
                BinaryOp::BvUlt => return Value::Bool((a as $unsigned) < b as $unsigned),
                BinaryOp::BvUle => return Value::Bool(a as $unsigned <= b as $unsigned),
                BinaryOp::Lcmp => return Value::Int(a.cmp(&b) as i32),
                BinaryOp::BvAdd => a.wrapping_add(b),
                BinaryOp::BvSub => a.wrapping_sub(b),
                BinaryOp::BvMul => a.wrapping_mul(b),
                // SMT-LIB: a division by zero gives 1 for a negative dividend, else -1; its
                // remainder is the dividend.
                BinaryOp::BvSdiv if b == 0 => {
                    if a < 0 {
                        1
                    } else {
                        -1
                    }
                }
                BinaryOp::BvSdiv => a.wrapping_div(b),
                BinaryOp::BvSrem if b == 0 => a,
                BinaryOp::BvSrem => a.wrapping_rem(b),
                BinaryOp::BvAnd => a & b,
                BinaryOp::BvOr => a | b,
                BinaryOp::BvXor => a ^ b,
                BinaryOp::BvShl => shift(|a, b| a << b, 0),
                BinaryOp::BvAshr => shift(|a, b| a >> b, if a < 0 { -1 } else { 0 }),
                BinaryOp::BvLshr => shift(|a, b| (a as $unsigned >> b) as $ty, 0),
                op => unreachable!("{op:?} of bit-vectors"),
            })
        }
    };
}

bv_binary!(int_binary, i32, u32, Int);
bv_binary!(long_binary, i64, u64, Long);
