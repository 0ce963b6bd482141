//! The one table of primitive types and their box classes.
//!
//! In: a descriptor character, a keyword, a box class or a `newarray` code. Out: the primitive
//! type, and every other column of its row. Must not know descriptors of classes and arrays.

use crate::kind::Kind;

/// A primitive type (JVMS table 4.3-A).
///
/// The order is that of JVMS §2.3.1 and §2.3.2, `boolean` first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PrimitiveType {
    /// `boolean`, descriptor `Z`.
    Boolean,
    /// `byte`, descriptor `B`.
    Byte,
    /// `char`, descriptor `C`.
    Char,
    /// `short`, descriptor `S`.
    Short,
    /// `int`, descriptor `I`.
    Int,
    /// `long`, descriptor `J`.
    Long,
    /// `float`, descriptor `F`.
    Float,
    /// `double`, descriptor `D`.
    Double,
}

/// What the specifications say about one primitive type.
struct Row {
    descriptor: char,
    keyword: &'static str,
    box_class: &'static str,
    unboxing_method: &'static str,
    kind: Kind,
    newarray_code: u8,
}

impl PrimitiveType {
    /// Every primitive type, in their order.
    pub const ALL: [PrimitiveType; 8] = [
        PrimitiveType::Boolean,
        PrimitiveType::Byte,
        PrimitiveType::Char,
        PrimitiveType::Short,
        PrimitiveType::Int,
        PrimitiveType::Long,
        PrimitiveType::Float,
        PrimitiveType::Double,
    ];

    #[rustfmt::skip]
    const fn row(self) -> Row {
        let (descriptor, keyword, box_class, unboxing_method, kind, newarray_code) = match self {
            PrimitiveType::Boolean => ('Z', "boolean", "java/lang/Boolean",   "booleanValue", Kind::Int,    4),
            PrimitiveType::Byte    => ('B', "byte",    "java/lang/Byte",      "byteValue",    Kind::Int,    8),
            PrimitiveType::Char    => ('C', "char",    "java/lang/Character", "charValue",    Kind::Int,    5),
            PrimitiveType::Short   => ('S', "short",   "java/lang/Short",     "shortValue",   Kind::Int,    9),
            PrimitiveType::Int     => ('I', "int",     "java/lang/Integer",   "intValue",     Kind::Int,    10),
            PrimitiveType::Long    => ('J', "long",    "java/lang/Long",      "longValue",    Kind::Long,   11),
            PrimitiveType::Float   => ('F', "float",   "java/lang/Float",     "floatValue",   Kind::Float,  6),
            PrimitiveType::Double  => ('D', "double",  "java/lang/Double",    "doubleValue",  Kind::Double, 7),
        };
        Row { descriptor, keyword, box_class, unboxing_method, kind, newarray_code }
    }

    /// The character that is its descriptor (JVMS table 4.3-A).
    pub const fn descriptor(self) -> char {
        self.row().descriptor
    }

    /// Its keyword in Java source (JLS §4.2).
    pub const fn keyword(self) -> &'static str {
        self.row().keyword
    }

    /// Internal name of the class that boxes it (JLS §5.1.7).
    pub const fn box_class(self) -> &'static str {
        self.row().box_class
    }

    /// Name of the method of the box class that returns the boxed value (JLS §5.1.8). It has no
    /// parameter.
    pub const fn unboxing_method(self) -> &'static str {
        self.row().unboxing_method
    }

    /// Its computational type (JVMS table 2.11.1-B).
    pub const fn kind(self) -> Kind {
        self.row().kind
    }

    /// Local variable or operand stack slots of one value: 1 or 2.
    pub const fn slots(self) -> u16 {
        self.kind().slots()
    }

    /// The operand of `newarray` for arrays of this type: 4 to 11 (JVMS table 6.5.newarray-A).
    pub const fn newarray_code(self) -> u8 {
        self.row().newarray_code
    }

    /// The primitive type with this descriptor; `None` for any other character, `V` included.
    pub fn from_descriptor(descriptor: char) -> Option<PrimitiveType> {
        PrimitiveType::ALL.into_iter().find(|primitive| primitive.descriptor() == descriptor)
    }

    /// The primitive type with this keyword; `None` for any other text, `void` included.
    pub fn from_keyword(keyword: &str) -> Option<PrimitiveType> {
        PrimitiveType::ALL.into_iter().find(|primitive| primitive.keyword() == keyword)
    }

    /// The primitive type that the class boxes; `class` is an internal name.
    pub fn from_box_class(class: &str) -> Option<PrimitiveType> {
        const PACKAGE: &str = "java/lang/";
        // Classes of other packages, by far the most, fail the first comparison.
        let name = class.strip_prefix(PACKAGE)?;
        PrimitiveType::ALL.into_iter().find(|primitive| &primitive.box_class()[PACKAGE.len()..] == name)
    }

    /// The element type that the operand of a `newarray` instruction stands for.
    pub fn from_newarray_code(code: u8) -> Option<PrimitiveType> {
        PrimitiveType::ALL.into_iter().find(|primitive| primitive.newarray_code() == code)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_column_that_is_a_key_finds_its_row() {
        for primitive in PrimitiveType::ALL {
            assert_eq!(PrimitiveType::from_descriptor(primitive.descriptor()), Some(primitive));
            assert_eq!(PrimitiveType::from_keyword(primitive.keyword()), Some(primitive));
            assert_eq!(PrimitiveType::from_box_class(primitive.box_class()), Some(primitive));
            assert_eq!(PrimitiveType::from_newarray_code(primitive.newarray_code()), Some(primitive));
            assert_eq!(primitive.unboxing_method(), format!("{}Value", primitive.keyword()));
        }
    }

    #[test]
    fn keys_outside_the_table_find_nothing() {
        assert_eq!(PrimitiveType::from_descriptor('V'), None);
        assert_eq!(PrimitiveType::from_keyword("void"), None);
        for class in ["java/lang/Void", "java/lang/Integers", "Integer", "p/java/lang/Integer"] {
            assert_eq!(PrimitiveType::from_box_class(class), None, "{class}");
        }
        for code in [0, 3, 12, 255] {
            assert_eq!(PrimitiveType::from_newarray_code(code), None, "{code}");
        }
    }

    #[test]
    fn newarray_codes_are_those_of_the_specification() {
        use PrimitiveType::*;
        let codes = [(Boolean, 4), (Char, 5), (Float, 6), (Double, 7), (Byte, 8), (Short, 9), (Int, 10), (Long, 11)];
        for (primitive, code) in codes {
            assert_eq!(primitive.newarray_code(), code, "{primitive:?}");
        }
    }

    #[test]
    fn long_and_double_have_two_slots() {
        let wide: Vec<_> = PrimitiveType::ALL.into_iter().filter(|primitive| primitive.slots() == 2).collect();
        assert_eq!(wide, [PrimitiveType::Long, PrimitiveType::Double]);
    }
}
