//! Computational types (JVMS §2.11.1): what the operand stack and local variables distinguish.
//!
//! In: nothing. Out: the kinds that instructions and types refer to. Must not know either of them.

/// The computational type of a local variable, an operand or a returned value
/// (JVMS table 2.11.1-B, without `returnAddress`).
///
/// The order is that of the typed opcode families: `iload`, `lload`, `fload`, `dload`, `aload`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// `int`, which also holds `boolean`, `byte`, `char` and `short`.
    Int,
    /// `long`.
    Long,
    /// `float`.
    Float,
    /// `double`.
    Double,
    /// A reference or null.
    Reference,
}

impl Kind {
    /// Every kind, in the order of the typed opcode families.
    pub(crate) const ALL: [Kind; 5] = [Kind::Int, Kind::Long, Kind::Float, Kind::Double, Kind::Reference];

    /// Local variable or operand stack slots of one value: 2 for `long` and `double` (category 2),
    /// else 1.
    pub const fn slots(self) -> u16 {
        match self {
            Kind::Long | Kind::Double => 2,
            Kind::Int | Kind::Float | Kind::Reference => 1,
        }
    }
}
