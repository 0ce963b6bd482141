//! JVM arithmetic (JVMS §6.5) on values and terms. Must not know instruction encodings or runs.

use tracewright_classfile::{BinaryOp, Comparison, Condition, Conversion, Kind};

use super::data::ids::SlotKind;
use super::data::objects::Slot;
use crate::expr::{Sort, TermId, TermStore, Value};

/// The sort of terms of the kind; `None` for references.
pub(crate) fn sort_of(kind: Kind) -> Option<Sort> {
    match kind {
        Kind::Int => Some(Sort::Bv32),
        Kind::Long => Some(Sort::Bv64),
        Kind::Float => Some(Sort::Float),
        Kind::Double => Some(Sort::Double),
        Kind::Reference => None,
    }
}

fn value_of(bits: u64, kind: Kind) -> Option<Value> {
    match kind {
        Kind::Int => Some(Value::Int(bits as u32 as i32)),
        Kind::Long => Some(Value::Long(bits as i64)),
        Kind::Float => Some(Value::Float(bits as u32)),
        Kind::Double => Some(Value::Double(bits)),
        Kind::Reference => None,
    }
}

/// The slot as a term of the kind's sort; a constant without a term. `None`: references, and terms
/// of another sort, which only code that does not verify can bring.
pub(crate) fn term_of(terms: &mut TermStore, slot: Slot, kind: Kind) -> Option<TermId> {
    match slot.term {
        Some(term) => (Some(terms.sort(term)) == sort_of(kind)).then_some(term),
        None => value_of(slot.bits, kind).map(|value| terms.constant(value)),
    }
}

/// A slot whose term is dropped if it is a constant.
pub(crate) fn slot(terms: &TermStore, bits: u64, term: Option<TermId>) -> Slot {
    Slot { bits, term: term.filter(|&term| terms.constant_of(term).is_none()) }
}

/// The result of a binary operation. Precondition: the divisor of an integer is not zero; else the
/// result is 0.
pub(crate) fn binary(terms: &mut TermStore, op: BinaryOp, kind: Kind, a: Slot, b: Slot) -> Slot {
    let bits = binary_bits(op, kind, a.bits, b.bits);
    if a.term.is_none() && b.term.is_none() {
        return Slot::raw(bits);
    }
    let is_shift = matches!(op, BinaryOp::Shl | BinaryOp::Shr | BinaryOp::Ushr);
    let right_kind = if is_shift { Kind::Int } else { kind };
    let (Some(x), Some(y)) = (term_of(terms, a, kind), term_of(terms, b, right_kind)) else { return Slot::raw(bits) };
    let floating = matches!(kind, Kind::Float | Kind::Double);
    let term = match (op, floating) {
        (BinaryOp::Add, false) => terms.add(x, y),
        (BinaryOp::Sub, false) => terms.sub(x, y),
        (BinaryOp::Mul, false) => terms.mul(x, y),
        (BinaryOp::Div, false) => terms.div(x, y),
        (BinaryOp::Rem, false) => terms.rem(x, y),
        (BinaryOp::Shl, false) => terms.shl(x, y),
        (BinaryOp::Shr, false) => terms.shr(x, y),
        (BinaryOp::Ushr, false) => terms.ushr(x, y),
        (BinaryOp::And, false) => terms.bitand(x, y),
        (BinaryOp::Or, false) => terms.bitor(x, y),
        (BinaryOp::Xor, false) => terms.bitxor(x, y),
        (BinaryOp::Add, true) => terms.fadd(x, y),
        (BinaryOp::Sub, true) => terms.fsub(x, y),
        (BinaryOp::Mul, true) => terms.fmul(x, y),
        (BinaryOp::Div, true) => terms.fdiv(x, y),
        (BinaryOp::Rem, true) => terms.frem(x, y),
        _ => return Slot::raw(bits),
    };
    slot(terms, bits, Some(term))
}

fn binary_bits(op: BinaryOp, kind: Kind, a: u64, b: u64) -> u64 {
    match kind {
        Kind::Int => {
            let (x, y) = (a as u32 as i32, b as u32 as i32);
            u64::from(match op {
                BinaryOp::Add => x.wrapping_add(y),
                BinaryOp::Sub => x.wrapping_sub(y),
                BinaryOp::Mul => x.wrapping_mul(y),
                BinaryOp::Div => x.checked_div(y).unwrap_or(if y == 0 { 0 } else { x }),
                BinaryOp::Rem => x.checked_rem(y).unwrap_or(0),
                BinaryOp::Shl => x.wrapping_shl(y as u32),
                BinaryOp::Shr => x.wrapping_shr(y as u32),
                BinaryOp::Ushr => (x as u32).wrapping_shr(y as u32) as i32,
                BinaryOp::And => x & y,
                BinaryOp::Or => x | y,
                BinaryOp::Xor => x ^ y,
            } as u32)
        }
        Kind::Long => {
            let (x, y) = (a as i64, b as i64);
            (match op {
                BinaryOp::Add => x.wrapping_add(y),
                BinaryOp::Sub => x.wrapping_sub(y),
                BinaryOp::Mul => x.wrapping_mul(y),
                BinaryOp::Div => x.checked_div(y).unwrap_or(if y == 0 { 0 } else { x }),
                BinaryOp::Rem => x.checked_rem(y).unwrap_or(0),
                // The shift distance is an int.
                BinaryOp::Shl => x.wrapping_shl(b as u32),
                BinaryOp::Shr => x.wrapping_shr(b as u32),
                BinaryOp::Ushr => (x as u64).wrapping_shr(b as u32) as i64,
                BinaryOp::And => x & y,
                BinaryOp::Or => x | y,
                BinaryOp::Xor => x ^ y,
            }) as u64
        }
        Kind::Float => {
            let (x, y) = (f32::from_bits(a as u32), f32::from_bits(b as u32));
            let result = match op {
                BinaryOp::Add => x + y,
                BinaryOp::Sub => x - y,
                BinaryOp::Mul => x * y,
                BinaryOp::Div => x / y,
                BinaryOp::Rem => x % y,
                _ => 0.0,
            };
            u64::from(result.to_bits())
        }
        Kind::Double => {
            let (x, y) = (f64::from_bits(a), f64::from_bits(b));
            let result = match op {
                BinaryOp::Add => x + y,
                BinaryOp::Sub => x - y,
                BinaryOp::Mul => x * y,
                BinaryOp::Div => x / y,
                BinaryOp::Rem => x % y,
                _ => 0.0,
            };
            result.to_bits()
        }
        Kind::Reference => 0,
    }
}

/// The negated value.
pub(crate) fn negate(terms: &mut TermStore, kind: Kind, a: Slot) -> Slot {
    let bits = match kind {
        Kind::Int => u64::from((a.bits as u32).wrapping_neg()),
        Kind::Long => a.bits.wrapping_neg(),
        Kind::Float => u64::from((-f32::from_bits(a.bits as u32)).to_bits()),
        Kind::Double => (-f64::from_bits(a.bits)).to_bits(),
        Kind::Reference => 0,
    };
    let Some(term) = a.term.filter(|&term| Some(terms.sort(term)) == sort_of(kind)) else { return Slot::raw(bits) };
    let term = if matches!(kind, Kind::Float | Kind::Double) { terms.fneg(term) } else { terms.neg(term) };
    slot(terms, bits, Some(term))
}

/// The conversion between two computational types (JVMS §2.11.4); `None` for equal types and for
/// references.
pub(crate) fn conversion_between(from: Kind, to: Kind) -> Option<Conversion> {
    Some(match (from, to) {
        (Kind::Int, Kind::Long) => Conversion::IntToLong,
        (Kind::Int, Kind::Float) => Conversion::IntToFloat,
        (Kind::Int, Kind::Double) => Conversion::IntToDouble,
        (Kind::Long, Kind::Int) => Conversion::LongToInt,
        (Kind::Long, Kind::Float) => Conversion::LongToFloat,
        (Kind::Long, Kind::Double) => Conversion::LongToDouble,
        (Kind::Float, Kind::Int) => Conversion::FloatToInt,
        (Kind::Float, Kind::Long) => Conversion::FloatToLong,
        (Kind::Float, Kind::Double) => Conversion::FloatToDouble,
        (Kind::Double, Kind::Int) => Conversion::DoubleToInt,
        (Kind::Double, Kind::Long) => Conversion::DoubleToLong,
        (Kind::Double, Kind::Float) => Conversion::DoubleToFloat,
        _ => return None,
    })
}

/// The result of a conversion (JVMS §2.11.4).
pub(crate) fn convert(terms: &mut TermStore, conversion: Conversion, a: Slot) -> Slot {
    use Conversion::*;
    let int = a.bits as u32 as i32;
    let long = a.bits as i64;
    let float = f32::from_bits(a.bits as u32);
    let double = f64::from_bits(a.bits);
    let of_int = |value: i32| u64::from(value as u32);
    let of_float = |value: f32| u64::from(value.to_bits());
    // `as` saturates and converts NaN to 0, as Java does.
    let bits = match conversion {
        IntToLong => i64::from(int) as u64,
        IntToFloat => of_float(int as f32),
        IntToDouble => f64::from(int).to_bits(),
        LongToInt => of_int(long as i32),
        LongToFloat => of_float(long as f32),
        LongToDouble => (long as f64).to_bits(),
        FloatToInt => of_int(float as i32),
        FloatToLong => (float as i64) as u64,
        FloatToDouble => f64::from(float).to_bits(),
        DoubleToInt => of_int(double as i32),
        DoubleToLong => (double as i64) as u64,
        DoubleToFloat => of_float(double as f32),
        IntToByte => of_int(i32::from(int as i8)),
        IntToChar => of_int(i32::from(int as u16)),
        IntToShort => of_int(i32::from(int as i16)),
    };
    let Some(term) = a.term.filter(|&term| Some(terms.sort(term)) == sort_of(conversion.from())) else {
        return Slot::raw(bits);
    };
    let term = match conversion {
        IntToLong | FloatToLong | DoubleToLong => terms.convert_to_long(term),
        LongToInt | FloatToInt | DoubleToInt => terms.convert_to_int(term),
        IntToFloat | LongToFloat | DoubleToFloat => terms.convert_to_float(term),
        IntToDouble | LongToDouble | FloatToDouble => terms.convert_to_double(term),
        IntToByte => terms.i2b(term),
        IntToChar => terms.i2c(term),
        IntToShort => terms.i2s(term),
    };
    slot(terms, bits, Some(term))
}

/// The result of `lcmp`, `fcmpl`, `fcmpg`, `dcmpl` or `dcmpg`: -1, 0 or 1.
pub(crate) fn compare(terms: &mut TermStore, comparison: Comparison, a: Slot, b: Slot) -> Slot {
    use std::cmp::Ordering;
    let unordered = match comparison {
        Comparison::FloatLess | Comparison::DoubleLess => -1,
        _ => 1,
    };
    let ordering = match comparison.kind() {
        Kind::Long => Some(a.as_long().cmp(&b.as_long())),
        Kind::Float => f32::from_bits(a.bits as u32).partial_cmp(&f32::from_bits(b.bits as u32)),
        _ => f64::from_bits(a.bits).partial_cmp(&f64::from_bits(b.bits)),
    };
    let result = Slot::int(match ordering {
        Some(Ordering::Less) => -1,
        Some(Ordering::Equal) => 0,
        Some(Ordering::Greater) => 1,
        None => unordered,
    });
    if a.term.is_none() && b.term.is_none() {
        return result;
    }
    let kind = comparison.kind();
    let (Some(x), Some(y)) = (term_of(terms, a, kind), term_of(terms, b, kind)) else { return result };
    let term = match comparison {
        Comparison::Long => terms.lcmp(x, y),
        Comparison::FloatLess | Comparison::DoubleLess => terms.fcmpl(x, y),
        Comparison::FloatGreater | Comparison::DoubleGreater => terms.fcmpg(x, y),
    };
    slot(terms, result.bits, Some(term))
}

/// `a (condition) b` of two ints as a term.
pub(crate) fn condition(terms: &mut TermStore, condition: Condition, a: TermId, b: TermId) -> TermId {
    match condition {
        Condition::Eq => terms.eq(a, b),
        Condition::Ne => terms.ne(a, b),
        Condition::Lt => terms.lt(a, b),
        Condition::Ge => terms.ge(a, b),
        Condition::Gt => terms.gt(a, b),
        Condition::Le => terms.le(a, b),
    }
}

/// The value that a variable of the kind stores (JVMS §6.5 putfield, bastore).
pub(crate) fn narrow(terms: &mut TermStore, kind: SlotKind, a: Slot) -> Slot {
    match kind {
        SlotKind::Byte => convert(terms, Conversion::IntToByte, a),
        SlotKind::Char => convert(terms, Conversion::IntToChar, a),
        SlotKind::Short => convert(terms, Conversion::IntToShort, a),
        SlotKind::Boolean => {
            let bits = a.bits & 1;
            let Some(term) = a.term.filter(|&term| terms.sort(term) == Sort::Bv32) else { return Slot::raw(bits) };
            let one = terms.int(1);
            let term = terms.bitand(term, one);
            slot(terms, bits, Some(term))
        }
        _ => a,
    }
}

/// Whether two values of the kind are equal; all NaNs are equal.
pub(crate) fn same(kind: Kind, a: u64, b: u64) -> bool {
    a == b
        || match kind {
            Kind::Float => f32::from_bits(a as u32).is_nan() && f32::from_bits(b as u32).is_nan(),
            Kind::Double => f64::from_bits(a).is_nan() && f64::from_bits(b).is_nan(),
            _ => false,
        }
}
