//! The default mutation operators of PIT 1.22.1.
//!
//! In: an operation or a return type. Out: what an operator replaces it by. Must not know classes
//! and methods.

use crate::descriptor::Type;
use crate::instruction::{BinaryOp, Condition};
use crate::kind::Kind;
use crate::primitive::PrimitiveType;
use std::fmt;

/// A mutation operator, by the name that PIT gives it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Operator {
    /// `<` and `<=` become each other, and so do `>` and `>=`.
    ConditionalsBoundary,
    /// A condition becomes its opposite.
    NegateConditionals,
    /// `i++` becomes `i--`.
    Increments,
    /// `-x` becomes `x`.
    InvertNegs,
    /// An arithmetic operation becomes another one: see [`replaced_math`].
    Math,
    /// A call of a `void` method is removed.
    VoidMethodCalls,
    /// A boolean method returns false.
    FalseReturns,
    /// A boolean method returns true.
    TrueReturns,
    /// A method with a primitive result returns 0.
    PrimitiveReturns,
    /// A method returns an [`EmptyValue`].
    EmptyReturns,
    /// A method with another reference as result returns null.
    NullReturns,
}

impl Operator {
    /// All operators, in the order in which mutants of one instruction are numbered.
    pub const ALL: [Operator; 11] = [
        Operator::ConditionalsBoundary,
        Operator::NegateConditionals,
        Operator::Increments,
        Operator::InvertNegs,
        Operator::Math,
        Operator::VoidMethodCalls,
        Operator::FalseReturns,
        Operator::TrueReturns,
        Operator::PrimitiveReturns,
        Operator::EmptyReturns,
        Operator::NullReturns,
    ];

    /// The name that PIT gives the operator.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Operator::ConditionalsBoundary => "CONDITIONALS_BOUNDARY",
            Operator::NegateConditionals => "NEGATE_CONDITIONALS",
            Operator::Increments => "INCREMENTS",
            Operator::InvertNegs => "INVERT_NEGS",
            Operator::Math => "MATH",
            Operator::VoidMethodCalls => "VOID_METHOD_CALLS",
            Operator::FalseReturns => "FALSE_RETURNS",
            Operator::TrueReturns => "TRUE_RETURNS",
            Operator::PrimitiveReturns => "PRIMITIVE_RETURNS",
            Operator::EmptyReturns => "EMPTY_RETURNS",
            Operator::NullReturns => "NULL_RETURNS",
        }
    }
}

impl fmt::Display for Operator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The value that a mutant of [`Operator::EmptyReturns`] returns, by the declared return type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EmptyValue {
    /// Zero in the box class of a primitive type, which is neither `boolean` nor `byte`: PIT has no
    /// empty value for `Byte`, and other operators for `Boolean`.
    Zero(PrimitiveType),
    /// The empty string.
    String,
    /// `Optional.empty()`.
    Optional,
    /// `Stream.empty()`.
    Stream,
    /// An empty list, also for `Collection` and `Iterable`.
    List,
    /// An empty map.
    Map,
    /// An empty set.
    Set,
}

impl EmptyValue {
    /// The empty value of a declared return type; `None` where PIT has none.
    pub fn of(returned: &Type) -> Option<EmptyValue> {
        let Type::Object(name) = returned else { return None };
        Some(match &**name {
            "java/lang/String" => EmptyValue::String,
            "java/util/Optional" => EmptyValue::Optional,
            "java/util/stream/Stream" => EmptyValue::Stream,
            "java/util/List" | "java/util/Collection" | "java/lang/Iterable" => EmptyValue::List,
            "java/util/Map" => EmptyValue::Map,
            "java/util/Set" => EmptyValue::Set,
            class => match PrimitiveType::from_box_class(class)? {
                PrimitiveType::Boolean | PrimitiveType::Byte => return None,
                boxed => EmptyValue::Zero(boxed),
            },
        })
    }

    /// The value in the text form of a mutant.
    pub(super) fn text(self) -> &'static str {
        match self {
            EmptyValue::Zero(_) => "0",
            EmptyValue::String => "\"\"",
            _ => "empty",
        }
    }
}

/// The operation that [`Operator::Math`] replaces another one by. Shifts exist for `int` and `long`
/// only.
pub(super) fn replaced_math(op: BinaryOp, kind: Kind) -> BinaryOp {
    match op {
        BinaryOp::Add => BinaryOp::Sub,
        BinaryOp::Sub => BinaryOp::Add,
        BinaryOp::Mul => BinaryOp::Div,
        BinaryOp::Div | BinaryOp::Rem => BinaryOp::Mul,
        BinaryOp::Or | BinaryOp::Xor => BinaryOp::And,
        BinaryOp::And => BinaryOp::Or,
        BinaryOp::Shl => BinaryOp::Shr,
        BinaryOp::Shr | BinaryOp::Ushr => {
            debug_assert!(matches!(kind, Kind::Int | Kind::Long));
            BinaryOp::Shl
        }
    }
}

/// The relation that [`Operator::ConditionalsBoundary`] replaces another one by; `None` for
/// equality and inequality.
pub(super) fn moved_boundary(condition: Condition) -> Option<Condition> {
    match condition {
        Condition::Lt => Some(Condition::Le),
        Condition::Le => Some(Condition::Lt),
        Condition::Gt => Some(Condition::Ge),
        Condition::Ge => Some(Condition::Gt),
        Condition::Eq | Condition::Ne => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boxes_but_boolean_and_byte_have_an_empty_value() {
        for primitive in PrimitiveType::ALL {
            let empty = EmptyValue::of(&Type::Object(primitive.box_class().into()));
            let is_left_out = matches!(primitive, PrimitiveType::Boolean | PrimitiveType::Byte);
            assert_eq!(empty, (!is_left_out).then_some(EmptyValue::Zero(primitive)));
        }
    }

    #[test]
    fn other_types_have_the_empty_values_of_pit() {
        let empty_of = |descriptor: &str| EmptyValue::of(&Type::parse(descriptor).expect("well-formed"));
        assert_eq!(empty_of("Ljava/lang/Iterable;"), Some(EmptyValue::List));
        assert_eq!(empty_of("Ljava/util/Set;"), Some(EmptyValue::Set));
        for descriptor in ["I", "[I", "Ljava/util/ArrayList;", "Ljava/lang/Object;"] {
            assert_eq!(empty_of(descriptor), None, "{descriptor}");
        }
    }

    #[test]
    fn only_inequalities_have_a_boundary() {
        let moved = [Condition::Lt, Condition::Le, Condition::Gt, Condition::Ge].map(moved_boundary);
        assert_eq!(moved, [Condition::Le, Condition::Lt, Condition::Ge, Condition::Gt].map(Some));
        assert_eq!([Condition::Eq, Condition::Ne].map(moved_boundary), [None, None]);
    }
}
