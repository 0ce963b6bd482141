//! The operations that a family of instructions shares (JVMS §2.11).
//!
//! In: nothing. Out: enumerations in the order of the opcodes, with plain facts about each
//! operation. Must not know operands, targets or bytes.

use crate::kind::Kind;

/// The element that an array instruction reads or writes, in the order of `iaload` to `saload`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ArrayKind {
    /// `int`.
    Int,
    /// `long`.
    Long,
    /// `float`.
    Float,
    /// `double`.
    Double,
    /// A reference.
    Reference,
    /// `byte` or `boolean`, which share `baload` and `bastore`.
    Byte,
    /// `char`.
    Char,
    /// `short`.
    Short,
}

impl ArrayKind {
    pub(super) const ALL: [ArrayKind; 8] = [
        ArrayKind::Int,
        ArrayKind::Long,
        ArrayKind::Float,
        ArrayKind::Double,
        ArrayKind::Reference,
        ArrayKind::Byte,
        ArrayKind::Char,
        ArrayKind::Short,
    ];

    /// The computational type of the element on the operand stack.
    pub fn kind(self) -> Kind {
        match self {
            ArrayKind::Long => Kind::Long,
            ArrayKind::Float => Kind::Float,
            ArrayKind::Double => Kind::Double,
            ArrayKind::Reference => Kind::Reference,
            ArrayKind::Int | ArrayKind::Byte | ArrayKind::Char | ArrayKind::Short => Kind::Int,
        }
    }
}

/// An instruction that only moves operand stack slots (JVMS §2.11.6), in the order of `pop` to
/// `swap`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum StackOp {
    /// `..., a -> ...`
    Pop,
    /// `..., b, a -> ...`
    Pop2,
    /// `..., a -> ..., a, a`
    Dup,
    /// `..., b, a -> ..., a, b, a`
    DupX1,
    /// `..., c, b, a -> ..., a, c, b, a`
    DupX2,
    /// `..., b, a -> ..., b, a, b, a`
    Dup2,
    /// `..., c, b, a -> ..., b, a, c, b, a`
    Dup2X1,
    /// `..., d, c, b, a -> ..., b, a, d, c, b, a`
    Dup2X2,
    /// `..., b, a -> ..., a, b`
    Swap,
}

impl StackOp {
    pub(super) const ALL: [StackOp; 9] = [
        StackOp::Pop,
        StackOp::Pop2,
        StackOp::Dup,
        StackOp::DupX1,
        StackOp::DupX2,
        StackOp::Dup2,
        StackOp::Dup2X1,
        StackOp::Dup2X2,
        StackOp::Swap,
    ];

    /// Slots popped and slots pushed.
    pub(crate) fn effect(self) -> (u16, u16) {
        match self {
            StackOp::Pop => (1, 0),
            StackOp::Pop2 => (2, 0),
            StackOp::Dup => (1, 2),
            StackOp::DupX1 => (2, 3),
            StackOp::DupX2 => (3, 4),
            StackOp::Dup2 => (2, 4),
            StackOp::Dup2X1 => (3, 5),
            StackOp::Dup2X2 => (4, 6),
            StackOp::Swap => (2, 2),
        }
    }
}

/// Binary arithmetic (JVMS §2.11.3). Operands and result have one kind, except that the distance of
/// a shift is always an `int`. Shifts and bitwise operations exist for `int` and `long` only.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum BinaryOp {
    /// Addition.
    Add,
    /// Subtraction.
    Sub,
    /// Multiplication.
    Mul,
    /// Division.
    Div,
    /// Remainder.
    Rem,
    /// Shift to the left.
    Shl,
    /// Arithmetic shift to the right (`ishr`).
    Shr,
    /// Logical shift to the right (`iushr`).
    Ushr,
    /// Bitwise and.
    And,
    /// Bitwise or.
    Or,
    /// Bitwise exclusive or.
    Xor,
}

impl BinaryOp {
    const ALL: [BinaryOp; 11] = [
        BinaryOp::Add,
        BinaryOp::Sub,
        BinaryOp::Mul,
        BinaryOp::Div,
        BinaryOp::Rem,
        BinaryOp::Shl,
        BinaryOp::Shr,
        BinaryOp::Ushr,
        BinaryOp::And,
        BinaryOp::Or,
        BinaryOp::Xor,
    ];

    /// The name of its instructions without the letter of their type: `add` of `iadd`.
    pub(crate) fn name(self) -> &'static str {
        match self {
            BinaryOp::Add => "add",
            BinaryOp::Sub => "sub",
            BinaryOp::Mul => "mul",
            BinaryOp::Div => "div",
            BinaryOp::Rem => "rem",
            BinaryOp::Shl => "shl",
            BinaryOp::Shr => "shr",
            BinaryOp::Ushr => "ushr",
            BinaryOp::And => "and",
            BinaryOp::Or => "or",
            BinaryOp::Xor => "xor",
        }
    }

    /// The operation of an instruction such as `iadd`.
    pub fn of_mnemonic(mnemonic: &str) -> Option<BinaryOp> {
        let name = mnemonic.get(1..)?;
        BinaryOp::ALL.into_iter().find(|op| op.name() == name)
    }

    /// The operator in Java.
    pub fn sign(self) -> &'static str {
        match self {
            BinaryOp::Add => "+",
            BinaryOp::Sub => "-",
            BinaryOp::Mul => "*",
            BinaryOp::Div => "/",
            BinaryOp::Rem => "%",
            BinaryOp::Shl => "<<",
            BinaryOp::Shr => ">>",
            BinaryOp::Ushr => ">>>",
            BinaryOp::And => "&",
            BinaryOp::Or => "|",
            BinaryOp::Xor => "^",
        }
    }

    /// `iadd` to `drem`, a row of four opcodes each.
    pub(super) const ARITHMETIC: [BinaryOp; 5] = [BinaryOp::Add, BinaryOp::Sub, BinaryOp::Mul, BinaryOp::Div, BinaryOp::Rem];

    /// `ishl` to `lxor`, a row of two opcodes each.
    pub(super) const INTEGRAL: [BinaryOp; 6] =
        [BinaryOp::Shl, BinaryOp::Shr, BinaryOp::Ushr, BinaryOp::And, BinaryOp::Or, BinaryOp::Xor];

    /// The kind of the right operand where the operation works on `kind`.
    pub(crate) fn right_operand(self, kind: Kind) -> Kind {
        match self {
            BinaryOp::Shl | BinaryOp::Shr | BinaryOp::Ushr => Kind::Int,
            _ => kind,
        }
    }
}

/// A numeric conversion (JVMS §2.11.4), in the order of `i2l` to `i2s`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Conversion {
    /// `i2l`.
    IntToLong,
    /// `i2f`.
    IntToFloat,
    /// `i2d`.
    IntToDouble,
    /// `l2i`.
    LongToInt,
    /// `l2f`.
    LongToFloat,
    /// `l2d`.
    LongToDouble,
    /// `f2i`.
    FloatToInt,
    /// `f2l`.
    FloatToLong,
    /// `f2d`.
    FloatToDouble,
    /// `d2i`.
    DoubleToInt,
    /// `d2l`.
    DoubleToLong,
    /// `d2f`.
    DoubleToFloat,
    /// `i2b`: the low 8 bits, sign-extended.
    IntToByte,
    /// `i2c`: the low 16 bits, zero-extended.
    IntToChar,
    /// `i2s`: the low 16 bits, sign-extended.
    IntToShort,
}

impl Conversion {
    pub(super) const ALL: [Conversion; 15] = [
        Conversion::IntToLong,
        Conversion::IntToFloat,
        Conversion::IntToDouble,
        Conversion::LongToInt,
        Conversion::LongToFloat,
        Conversion::LongToDouble,
        Conversion::FloatToInt,
        Conversion::FloatToLong,
        Conversion::FloatToDouble,
        Conversion::DoubleToInt,
        Conversion::DoubleToLong,
        Conversion::DoubleToFloat,
        Conversion::IntToByte,
        Conversion::IntToChar,
        Conversion::IntToShort,
    ];

    /// The kind of the operand.
    pub fn from(self) -> Kind {
        use Conversion::*;
        match self {
            IntToLong | IntToFloat | IntToDouble | IntToByte | IntToChar | IntToShort => Kind::Int,
            LongToInt | LongToFloat | LongToDouble => Kind::Long,
            FloatToInt | FloatToLong | FloatToDouble => Kind::Float,
            DoubleToInt | DoubleToLong | DoubleToFloat => Kind::Double,
        }
    }

    /// The kind of the result.
    pub fn to(self) -> Kind {
        use Conversion::*;
        match self {
            LongToInt | FloatToInt | DoubleToInt | IntToByte | IntToChar | IntToShort => Kind::Int,
            IntToLong | FloatToLong | DoubleToLong => Kind::Long,
            IntToFloat | LongToFloat | DoubleToFloat => Kind::Float,
            IntToDouble | LongToDouble | FloatToDouble => Kind::Double,
        }
    }
}

/// A comparison of two operands of one kind that gives -1, 0 or 1, in the order of `lcmp` to
/// `dcmpg`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Comparison {
    /// `lcmp`.
    Long,
    /// `fcmpl`: NaN gives -1.
    FloatLess,
    /// `fcmpg`: NaN gives 1.
    FloatGreater,
    /// `dcmpl`: NaN gives -1.
    DoubleLess,
    /// `dcmpg`: NaN gives 1.
    DoubleGreater,
}

impl Comparison {
    pub(super) const ALL: [Comparison; 5] =
        [Comparison::Long, Comparison::FloatLess, Comparison::FloatGreater, Comparison::DoubleLess, Comparison::DoubleGreater];

    /// The kind of both operands.
    pub fn kind(self) -> Kind {
        match self {
            Comparison::Long => Kind::Long,
            Comparison::FloatLess | Comparison::FloatGreater => Kind::Float,
            Comparison::DoubleLess | Comparison::DoubleGreater => Kind::Double,
        }
    }
}

/// The relation of a conditional jump, in the order of `ifeq` to `ifle`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Condition {
    /// Equal.
    Eq,
    /// Not equal.
    Ne,
    /// Less than.
    Lt,
    /// Greater than or equal.
    Ge,
    /// Greater than.
    Gt,
    /// Less than or equal.
    Le,
}

impl Condition {
    pub(super) const ALL: [Condition; 6] =
        [Condition::Eq, Condition::Ne, Condition::Lt, Condition::Ge, Condition::Gt, Condition::Le];

    /// The relation that holds exactly when this one does not.
    pub fn negate(self) -> Condition {
        match self {
            Condition::Eq => Condition::Ne,
            Condition::Ne => Condition::Eq,
            Condition::Lt => Condition::Ge,
            Condition::Ge => Condition::Lt,
            Condition::Gt => Condition::Le,
            Condition::Le => Condition::Gt,
        }
    }

    /// Whether the relation holds between `left` and `right`.
    pub fn holds(self, left: i32, right: i32) -> bool {
        match self {
            Condition::Eq => left == right,
            Condition::Ne => left != right,
            Condition::Lt => left < right,
            Condition::Ge => left >= right,
            Condition::Gt => left > right,
            Condition::Le => left <= right,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The opcodes of a family follow one another, so a variant's number is its place in the
    /// family.
    #[test]
    fn lists_are_in_the_order_of_the_variants() {
        assert!(ArrayKind::ALL.iter().enumerate().all(|(number, op)| *op as usize == number));
        assert!(StackOp::ALL.iter().enumerate().all(|(number, op)| *op as usize == number));
        assert!(Conversion::ALL.iter().enumerate().all(|(number, op)| *op as usize == number));
        assert!(Comparison::ALL.iter().enumerate().all(|(number, op)| *op as usize == number));
        assert!(Condition::ALL.iter().enumerate().all(|(number, op)| *op as usize == number));
    }

    #[test]
    fn a_negated_condition_holds_exactly_when_the_condition_does_not() {
        for condition in Condition::ALL {
            assert_eq!(condition.negate().negate(), condition);
            for (left, right) in [(1, 2), (2, 2), (3, 2), (i32::MIN, i32::MAX)] {
                assert_ne!(condition.holds(left, right), condition.negate().holds(left, right), "{condition:?}");
            }
        }
    }
}
