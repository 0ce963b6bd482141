//! The table of modelled integer methods of `Math`, `Integer`, `Long` and their like: names and
//! descriptors to tags. Flows in: a method; flows out: a [`MathModel`]. Must not know what a
//! method computes.

use tracewright_classfile::{BinaryOp, Kind};

use crate::program::MethodRef;

/// A modelled integer method, with the kinds of its operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MathModel {
    Abs(Kind),
    Min(Kind),
    Max(Kind),
    /// `addExact`, `subtractExact`, `multiplyExact`.
    Exact(BinaryOp, Kind),
    NegateExact(Kind),
    ToIntExact,
    /// `Integer.compare`, `Long.compare`, ...: the result is -1, 0 or 1.
    Compare(Kind),
    /// `Character.compare`, `Byte.compare`, `Short.compare`: the difference of the operands.
    Difference,
    Signum(Kind),
    Sum(Kind),
    /// `incrementExact` and `decrementExact`, with the number that is added.
    StepExact(i8, Kind),
    AbsExact(Kind),
    /// `multiplyExact` of longs, with the kind of the second operand, which may be an int. So it is
    /// for `floorDiv` and `floorMod`.
    MultiplyLongs(Kind),
    MultiplyFull,
    Floor {
        remainder: bool,
        first: Kind,
        second: Kind,
    },
}

/// The model of a method of integer arithmetic; `None` where there is none. `owner` is an internal
/// name.
pub(crate) fn model_of(is_static: bool, owner: &str, method: &MethodRef) -> Option<MathModel> {
    let descriptor: &str = &method.descriptor;
    if !is_static {
        return None;
    }
    Some(match (owner.strip_prefix("java/lang/")?, &*method.name, descriptor) {
        ("Math" | "StrictMath", name, _) => return math(name, descriptor),
        ("Integer", "compare", "(II)I") => MathModel::Compare(Kind::Int),
        ("Long", "compare", "(JJ)I") => MathModel::Compare(Kind::Long),
        ("Character" | "Short" | "Byte", "compare", _) => MathModel::Difference,
        ("Integer", "signum", "(I)I") => MathModel::Signum(Kind::Int),
        ("Long", "signum", "(J)I") => MathModel::Signum(Kind::Long),
        ("Integer", "sum", _) => MathModel::Sum(Kind::Int),
        ("Long", "sum", _) => MathModel::Sum(Kind::Long),
        ("Integer", "min", _) => MathModel::Min(Kind::Int),
        ("Long", "min", _) => MathModel::Min(Kind::Long),
        ("Integer", "max", _) => MathModel::Max(Kind::Int),
        ("Long", "max", _) => MathModel::Max(Kind::Long),
        _ => return None,
    })
}

fn math(name: &str, descriptor: &str) -> Option<MathModel> {
    let kind = match descriptor.as_bytes().get(1)? {
        b'I' => Kind::Int,
        b'J' => Kind::Long,
        _ => return None,
    };
    let same = matches!(descriptor, "(II)I" | "(JJ)J" | "(I)I" | "(J)J");
    Some(match name {
        "abs" if same => MathModel::Abs(kind),
        "min" if same => MathModel::Min(kind),
        "max" if same => MathModel::Max(kind),
        "addExact" if same => MathModel::Exact(BinaryOp::Add, kind),
        "subtractExact" if same => MathModel::Exact(BinaryOp::Sub, kind),
        "multiplyExact" if descriptor == "(II)I" => MathModel::Exact(BinaryOp::Mul, kind),
        "negateExact" if same => MathModel::NegateExact(kind),
        "toIntExact" => MathModel::ToIntExact,
        "multiplyExact" if kind == Kind::Long => MathModel::MultiplyLongs(second_kind(descriptor)),
        "multiplyFull" => MathModel::MultiplyFull,
        "incrementExact" => MathModel::StepExact(1, kind),
        "decrementExact" => MathModel::StepExact(-1, kind),
        "absExact" => MathModel::AbsExact(kind),
        "floorDiv" | "floorMod" => {
            MathModel::Floor { remainder: name == "floorMod", first: kind, second: second_kind(descriptor) }
        }
        _ => return None,
    })
}

/// The kind of the second of two integer parameters.
fn second_kind(descriptor: &str) -> Kind {
    if descriptor.as_bytes().get(2) == Some(&b'J') { Kind::Long } else { Kind::Int }
}
