//! Numbers of types, fields, methods and references in a linked program, and the kinds of values
//! that a variable holds. A number is valid only for the linked program that gave it.

use tracewright_classfile::Kind;

use crate::program::JavaType;

macro_rules! index {
    ($($(#[$doc:meta])* $name:ident,)*) => {
        $($(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub(crate) struct $name(pub u32);

        impl $name {
            /// Position in the table of the linked program.
            pub(crate) fn index(self) -> usize {
                self.0 as usize
            }
        })*
    };
}

index! {
    /// An erased type.
    TypeIx,
    /// A field in the class that declares it.
    FieldIx,
    /// A method in the class that declares it.
    MethodIx,
    /// A call instruction's method reference in one class.
    InvokeIx,
    /// A method handle constant of one class.
    HandleIx,
}

/// The kind of value that a variable of a type holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum SlotKind {
    Boolean,
    Byte,
    Char,
    Short,
    Int,
    Long,
    Float,
    Double,
    Ref,
}

impl SlotKind {
    /// The kind of variables of a type; `Int` for void.
    pub(crate) fn of(ty: &JavaType) -> SlotKind {
        match ty {
            JavaType::Boolean => SlotKind::Boolean,
            JavaType::Byte => SlotKind::Byte,
            JavaType::Char => SlotKind::Char,
            JavaType::Short => SlotKind::Short,
            JavaType::Int | JavaType::Void => SlotKind::Int,
            JavaType::Long => SlotKind::Long,
            JavaType::Float => SlotKind::Float,
            JavaType::Double => SlotKind::Double,
            JavaType::Class(_) | JavaType::Array(_) => SlotKind::Ref,
        }
    }

    /// Whether the value takes two slots.
    pub(crate) fn is_wide(self) -> bool {
        matches!(self, SlotKind::Long | SlotKind::Double)
    }

    /// The computational type (JVMS §2.11.1).
    pub(crate) fn kind(self) -> Kind {
        match self {
            SlotKind::Long => Kind::Long,
            SlotKind::Float => Kind::Float,
            SlotKind::Double => Kind::Double,
            SlotKind::Ref => Kind::Reference,
            _ => Kind::Int,
        }
    }
}
