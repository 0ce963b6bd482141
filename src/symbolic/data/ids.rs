//! Numbers of types, fields, methods and references in a linked program, and the kinds of values
//! that a variable holds. A number is valid only for the linked program that gave it.

use std::ops::RangeInclusive;

use tracewright_classfile::{Kind, PrimitiveType};

use crate::expr::SymbolKind;
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
            JavaType::Void => SlotKind::Int,
            ty => ty.primitive().map_or(SlotKind::Ref, SlotKind::of_primitive),
        }
    }

    /// The kind of variables of a primitive type.
    fn of_primitive(ty: PrimitiveType) -> SlotKind {
        match ty {
            PrimitiveType::Boolean => SlotKind::Boolean,
            PrimitiveType::Byte => SlotKind::Byte,
            PrimitiveType::Char => SlotKind::Char,
            PrimitiveType::Short => SlotKind::Short,
            PrimitiveType::Int => SlotKind::Int,
            PrimitiveType::Long => SlotKind::Long,
            PrimitiveType::Float => SlotKind::Float,
            PrimitiveType::Double => SlotKind::Double,
        }
    }

    /// The kind of value that a box of the class holds (JLS §5.1.7); `None`: the class, given by
    /// its internal name, is no box.
    pub(crate) fn of_box(class: &str) -> Option<SlotKind> {
        PrimitiveType::from_box_class(class).map(SlotKind::of_primitive)
    }

    /// The primitive type of the values; `None` for references.
    pub(crate) fn primitive(self) -> Option<PrimitiveType> {
        PrimitiveType::ALL.into_iter().find(|&ty| SlotKind::of_primitive(ty) == self)
    }

    /// The values for which `valueOf` returns one box each (JLS §5.1.7); `None` where each call
    /// makes a box.
    pub(crate) fn cached_values(self) -> Option<RangeInclusive<i64>> {
        match self {
            SlotKind::Boolean => Some(0..=1),
            SlotKind::Char => Some(0..=127),
            SlotKind::Byte | SlotKind::Short | SlotKind::Int | SlotKind::Long => Some(-128..=127),
            SlotKind::Float | SlotKind::Double | SlotKind::Ref => None,
        }
    }

    /// Whether `valueOf` returns a cached box for the value, given by its bits in a slot.
    pub(crate) fn has_cached_box(self, bits: u64) -> bool {
        let value = if self == SlotKind::Long { bits as i64 } else { i64::from(bits as u32 as i32) };
        self.cached_values().is_some_and(|values| values.contains(&value))
    }

    /// The kind of an input with such a value; `None` for references.
    pub(crate) fn symbol_kind(self) -> Option<SymbolKind> {
        Some(match self {
            SlotKind::Boolean => SymbolKind::Boolean,
            SlotKind::Byte => SymbolKind::Byte,
            SlotKind::Char => SymbolKind::Char,
            SlotKind::Short => SymbolKind::Short,
            SlotKind::Int => SymbolKind::Int,
            SlotKind::Long => SymbolKind::Long,
            SlotKind::Float => SymbolKind::Float,
            SlotKind::Double => SymbolKind::Double,
            SlotKind::Ref => return None,
        })
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boxes_and_primitive_types_correspond() {
        for ty in PrimitiveType::ALL {
            let kind = SlotKind::of_primitive(ty);
            assert_eq!(kind.primitive(), Some(ty));
            assert_eq!(SlotKind::of_box(ty.box_class()), Some(kind));
        }
        assert_eq!(SlotKind::of_box("java/lang/Number"), None);
        assert_eq!(SlotKind::Ref.primitive(), None);
    }

    #[test]
    fn small_values_have_one_box() {
        let minus = |value: i64| value as u32 as u64;
        assert!(SlotKind::Int.has_cached_box(minus(-128)) && SlotKind::Int.has_cached_box(127));
        assert!(!SlotKind::Int.has_cached_box(128) && !SlotKind::Int.has_cached_box(minus(-129)));
        assert!(SlotKind::Long.has_cached_box(-128_i64 as u64) && !SlotKind::Long.has_cached_box(1 << 32));
        assert!(SlotKind::Char.has_cached_box(127) && !SlotKind::Char.has_cached_box(128));
        assert!(!SlotKind::Double.has_cached_box(0));
    }
}
