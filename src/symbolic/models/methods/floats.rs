//! The table of modelled floating-point methods of `Math`, `StrictMath`, `Float` and `Double`:
//! names and descriptors to tags. Flows in: a method; flows out: a [`FloatModel`]. Must not know
//! what a method computes.

use tracewright_classfile::Kind;

use crate::expr::{BinaryOp, UnaryOp};
use crate::program::MethodRef;

/// A method on floats or doubles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FloatModel {
    pub(crate) function: FloatFunction,
    /// `Kind::Float` or `Kind::Double`.
    pub(crate) kind: Kind,
    /// Whether the receiver is a box.
    pub(crate) boxed: bool,
}

/// The function that a method computes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FloatFunction {
    /// `abs`, `sqrt`, `floor`, `ceil`, `rint`.
    Exact(UnaryOp),
    /// `sin`, `exp`, ...: the result may differ between libraries in the last digit.
    Approximate(UnaryOp),
    /// `pow`, `atan2`, `hypot`.
    Approximate2(BinaryOp),
    Remainder,
    Min,
    Max,
    Round,
    Signum,
    CopySign,
    NextUp,
    NextDown,
    NextAfter,
    Exponent,
    /// `toRadians`, `toDegrees`: a product with a constant, given by its raw bits.
    MultiplyByConstant(u64),
    IsNan,
    IsInfinite,
    IsFinite,
    Compare,
    /// `floatToIntBits`, `doubleToLongBits`: every NaN has the same bits.
    Bits,
    RawBits,
    FromBits,
    HashCode,
    Equals,
}

/// The model of a static method of `Math` or of a box class, or of a method on a box; `None` where
/// there is none.
pub(crate) fn model_of(is_static: bool, owner: &str, method: &MethodRef) -> Option<FloatModel> {
    use FloatFunction::*;
    let owner = owner.strip_prefix("java/lang/")?;
    let (name, descriptor) = (&*method.name, &*method.descriptor);
    if is_static && matches!(owner, "Math" | "StrictMath") {
        return of_math(name, descriptor);
    }
    let kind = match owner {
        "Float" => Kind::Float,
        "Double" => Kind::Double,
        _ => return None,
    };
    let (one, two) = if kind == Kind::Float { ("(F)", "(FF)") } else { ("(D)", "(DD)") };
    let parameters = descriptor.split_inclusive(')').next()?;
    let function = match (name, is_static) {
        ("isNaN", true) if parameters == one => IsNan,
        ("isInfinite", true) if parameters == one => IsInfinite,
        ("isFinite", true) if parameters == one => IsFinite,
        ("hashCode", true) if parameters == one => HashCode,
        ("compare", true) if parameters == two => Compare,
        ("min", true) if parameters == two => Min,
        ("max", true) if parameters == two => Max,
        ("floatToIntBits" | "doubleToLongBits", true) => Bits,
        ("floatToRawIntBits" | "doubleToRawLongBits", true) => RawBits,
        ("intBitsToFloat" | "longBitsToDouble", true) => FromBits,
        ("isNaN", false) if parameters == "()" => IsNan,
        ("isInfinite", false) if parameters == "()" => IsInfinite,
        ("hashCode", false) if parameters == "()" => HashCode,
        ("compareTo", false) if parameters == format!("(Ljava/lang/{owner};)") => Compare,
        ("equals", false) if parameters == "(Ljava/lang/Object;)" => Equals,
        _ => return None,
    };
    Some(FloatModel { function, kind, boxed: !is_static })
}

fn of_math(name: &str, descriptor: &str) -> Option<FloatModel> {
    use FloatFunction::*;
    let kind = match descriptor.as_bytes().get(1)? {
        b'F' => Kind::Float,
        b'D' => Kind::Double,
        _ => return None,
    };
    let (one, two) = (matches!(descriptor, "(F)F" | "(D)D"), matches!(descriptor, "(FF)F" | "(DD)D"));
    let function = match name {
        "abs" if one => Exact(UnaryOp::FpAbs),
        "sqrt" if one => Exact(UnaryOp::FpSqrt),
        "floor" if one => Exact(UnaryOp::FpFloor),
        "ceil" if one => Exact(UnaryOp::FpCeil),
        "rint" if one => Exact(UnaryOp::FpRint),
        "min" if two => Min,
        "max" if two => Max,
        "round" if matches!(descriptor, "(F)I" | "(D)J") => Round,
        "signum" if one => Signum,
        "copySign" if two => CopySign,
        "nextUp" if one => NextUp,
        "nextDown" if one => NextDown,
        "nextAfter" if descriptor == "(DD)D" => NextAfter,
        "getExponent" => Exponent,
        "toRadians" if one => MultiplyByConstant(0.017_453_292_519_943_295_f64.to_bits()),
        "toDegrees" if one => MultiplyByConstant(57.295_779_513_082_32_f64.to_bits()),
        "IEEEremainder" if two => Remainder,
        "pow" if two => Approximate2(BinaryOp::Pow),
        "atan2" if two => Approximate2(BinaryOp::Atan2),
        "hypot" if two => Approximate2(BinaryOp::Hypot),
        _ if descriptor == "(D)D" => {
            Approximate(UnaryOp::ALL.iter().copied().find(|op| op.is_approximate() && op.name() == name)?)
        }
        _ => return None,
    };
    Some(FloatModel { function, kind, boxed: false })
}
