//! The default mutation operators of PIT 1.22.1, and what each puts in the place of an instruction.

use crate::descriptor::Type;
use crate::instruction::{BinaryOp, Condition};
use crate::kind::Kind;
use crate::primitive::PrimitiveType;
use std::fmt;

/// A mutation operator, by the name that PIT gives it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Operator {
    /// `<` becomes `<=`, and so on.
    ConditionalsBoundary,
    /// A condition becomes its opposite.
    NegateConditionals,
    /// `i++` becomes `i--`.
    Increments,
    /// `-x` becomes `x`.
    InvertNegs,
    /// An arithmetic operation becomes another one.
    Math,
    /// A call of a void method is left out.
    VoidMethodCalls,
    /// A boolean method returns false.
    FalseReturns,
    /// A boolean method returns true.
    TrueReturns,
    /// A method with a primitive result returns 0.
    PrimitiveReturns,
    /// A method returns an empty string, box, optional or collection.
    EmptyReturns,
    /// A method returns null.
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

    /// PIT's name, in upper case.
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

    pub(super) fn text(self) -> &'static str {
        match self {
            EmptyValue::Zero(_) => "0",
            EmptyValue::String => "\"\"",
            _ => "empty",
        }
    }
}

/// The operation that `MATH` puts in the place of another one. Shifts occur for int and long only.
pub fn replaced_math(op: BinaryOp, kind: Kind) -> BinaryOp {
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

/// The relation with its boundary moved; `None` for equality, which has none.
pub fn moved_boundary(condition: Condition) -> Option<Condition> {
    match condition {
        Condition::Lt => Some(Condition::Le),
        Condition::Le => Some(Condition::Lt),
        Condition::Gt => Some(Condition::Ge),
        Condition::Ge => Some(Condition::Gt),
        Condition::Eq | Condition::Ne => None,
    }
}
