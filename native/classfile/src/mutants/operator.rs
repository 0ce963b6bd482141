//! The default mutation operators of PIT 1.22.1, and what each puts in the place of an instruction.

use crate::descriptor::Type;
use crate::instruction::{BinaryOp, Condition, Kind};
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

/// The empty object that a mutant returns, by the declared return type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Empty {
    /// `Integer` 0.
    Integer,
    /// `Short` 0.
    Short,
    /// `Character` 0.
    Character,
    /// `Long` 0.
    Long,
    /// `Float` 0.
    Float,
    /// `Double` 0.
    Double,
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

impl Empty {
    /// The empty object of a declared return type, if there is one.
    pub fn of(returned: &Type) -> Option<Empty> {
        let Type::Object(name) = returned else { return None };
        Some(match &**name {
            "java/lang/Integer" => Empty::Integer,
            "java/lang/Short" => Empty::Short,
            "java/lang/Character" => Empty::Character,
            "java/lang/Long" => Empty::Long,
            "java/lang/Float" => Empty::Float,
            "java/lang/Double" => Empty::Double,
            "java/lang/String" => Empty::String,
            "java/util/Optional" => Empty::Optional,
            "java/util/stream/Stream" => Empty::Stream,
            "java/util/List" | "java/util/Collection" | "java/lang/Iterable" => Empty::List,
            "java/util/Map" => Empty::Map,
            "java/util/Set" => Empty::Set,
            _ => return None,
        })
    }

    pub(super) fn text(self) -> &'static str {
        match self {
            Empty::Integer | Empty::Short | Empty::Character | Empty::Long | Empty::Float | Empty::Double => "0",
            Empty::String => "\"\"",
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
