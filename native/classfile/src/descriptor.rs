//! Field and method descriptors (JVMS §4.3), and the primitive types with their boxes.
//!
//! In: the text. Out: types, slot counts, the text again. [`FieldDescriptor`] is the one parser of
//! descriptors in the project; [`Type`] here and the program model's own type are built from it.

use crate::error::ParseError;
use std::fmt;
use std::str::FromStr;

/// A primitive type (JVMS table 4.3-A).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PrimitiveType {
    /// `boolean`, descriptor `Z`.
    Boolean,
    /// `char`, descriptor `C`.
    Char,
    /// `float`, descriptor `F`.
    Float,
    /// `double`, descriptor `D`.
    Double,
    /// `byte`, descriptor `B`.
    Byte,
    /// `short`, descriptor `S`.
    Short,
    /// `int`, descriptor `I`.
    Int,
    /// `long`, descriptor `J`.
    Long,
}

impl PrimitiveType {
    /// Every primitive type, in the order of the operand of `newarray` (JVMS table 6.5.newarray-A),
    /// which begins with 4.
    pub const ALL: [PrimitiveType; 8] = [
        PrimitiveType::Boolean,
        PrimitiveType::Char,
        PrimitiveType::Float,
        PrimitiveType::Double,
        PrimitiveType::Byte,
        PrimitiveType::Short,
        PrimitiveType::Int,
        PrimitiveType::Long,
    ];

    /// The letter of its descriptor, its keyword in Java source and the internal name of its box.
    const fn names(self) -> (char, &'static str, &'static str) {
        match self {
            PrimitiveType::Boolean => ('Z', "boolean", "java/lang/Boolean"),
            PrimitiveType::Char => ('C', "char", "java/lang/Character"),
            PrimitiveType::Float => ('F', "float", "java/lang/Float"),
            PrimitiveType::Double => ('D', "double", "java/lang/Double"),
            PrimitiveType::Byte => ('B', "byte", "java/lang/Byte"),
            PrimitiveType::Short => ('S', "short", "java/lang/Short"),
            PrimitiveType::Int => ('I', "int", "java/lang/Integer"),
            PrimitiveType::Long => ('J', "long", "java/lang/Long"),
        }
    }

    /// The letter of its descriptor.
    pub const fn letter(self) -> char {
        self.names().0
    }

    /// Its keyword in Java source.
    pub const fn keyword(self) -> &'static str {
        self.names().1
    }

    /// Internal name of the class that boxes it (JLS §5.1.7).
    pub const fn box_class(self) -> &'static str {
        self.names().2
    }

    /// The primitive type with this descriptor letter.
    pub fn from_letter(letter: char) -> Option<PrimitiveType> {
        PrimitiveType::ALL.into_iter().find(|primitive| primitive.letter() == letter)
    }

    /// The primitive type that the class (by internal name) boxes.
    pub fn from_box_class(class: &str) -> Option<PrimitiveType> {
        // Most classes fail the first comparison.
        let name = class.strip_prefix("java/lang/")?;
        PrimitiveType::ALL.into_iter().find(|primitive| &primitive.box_class()["java/lang/".len()..] == name)
    }
}

/// A field descriptor (JVMS §4.3.2) whose class name, if any, is borrowed from the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FieldDescriptor<'a> {
    /// Dimensions of the array, 0 when it is no array, at most 255.
    pub dimensions: usize,
    /// The type without its dimensions.
    pub element: ElementType<'a>,
}

/// The type of a value that is no array.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ElementType<'a> {
    /// A primitive type.
    Primitive(PrimitiveType),
    /// A class or interface by internal name.
    Class(&'a str),
}

impl<'a> FieldDescriptor<'a> {
    /// The descriptor at the beginning of the text, and the rest of the text; `None` when none
    /// stands there.
    pub fn parse_prefix(text: &'a str) -> Option<(FieldDescriptor<'a>, &'a str)> {
        let dimensions = text.bytes().take_while(|&b| b == b'[').count();
        if dimensions > 255 {
            return None;
        }
        let text = &text[dimensions..];
        let first = text.chars().next()?;
        let (element, rest) = if first == 'L' {
            let (name, rest) = text[1..].split_once(';')?;
            if name.is_empty() || name.contains(['.', '[']) {
                return None;
            }
            (ElementType::Class(name), rest)
        } else {
            (ElementType::Primitive(PrimitiveType::from_letter(first)?), &text[1..])
        };
        Some((FieldDescriptor { dimensions, element }, rest))
    }
}

/// The type of a field, a parameter, a returned value or an array element.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Type {
    Boolean,
    Byte,
    Char,
    Short,
    Int,
    Long,
    Float,
    Double,
    /// A class or interface by internal name (`java/lang/String`).
    Object(Box<str>),
    Array(Box<Type>),
}

impl Type {
    /// A field descriptor, whole.
    pub fn parse(descriptor: &str) -> Result<Type, ParseError> {
        match parse_prefix(descriptor) {
            Some((parsed, "")) => Ok(parsed),
            _ => Err(ParseError::Descriptor(descriptor.to_owned())),
        }
    }

    /// What a `Class` constant names: an internal name, or an array's descriptor.
    pub(crate) fn parse_class_name(name: &str) -> Result<Type, ParseError> {
        if name.starts_with('[') { Type::parse(name) } else { Ok(Type::Object(name.into())) }
    }

    /// The reverse of `parse_class_name`; a primitive type has no such name.
    pub fn class_name(&self) -> Option<String> {
        match self {
            Type::Object(name) => Some(name.to_string()),
            Type::Array(_) => Some(self.to_string()),
            _ => None,
        }
    }

    /// Local variable or operand stack slots: 2 for long and double, else 1.
    pub fn slots(&self) -> u16 {
        if matches!(self, Type::Long | Type::Double) { 2 } else { 1 }
    }
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Type::Boolean => f.write_str("Z"),
            Type::Byte => f.write_str("B"),
            Type::Char => f.write_str("C"),
            Type::Short => f.write_str("S"),
            Type::Int => f.write_str("I"),
            Type::Long => f.write_str("J"),
            Type::Float => f.write_str("F"),
            Type::Double => f.write_str("D"),
            Type::Object(name) => write!(f, "L{name};"),
            Type::Array(component) => write!(f, "[{component}"),
        }
    }
}

impl FromStr for Type {
    type Err = ParseError;

    fn from_str(descriptor: &str) -> Result<Type, ParseError> {
        Type::parse(descriptor)
    }
}

/// A method's parameter types and its returned type, `None` for void.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MethodDescriptor {
    pub parameters: Vec<Type>,
    pub result: Option<Type>,
}

impl MethodDescriptor {
    pub fn parse(descriptor: &str) -> Result<MethodDescriptor, ParseError> {
        let bad = || ParseError::Descriptor(descriptor.to_owned());
        let mut rest = descriptor.strip_prefix('(').ok_or_else(bad)?;
        let mut parameters = Vec::new();
        let mut slots = 0;
        let rest = loop {
            if let Some(rest) = rest.strip_prefix(')') {
                break rest;
            }
            let (parameter, after) = parse_prefix(rest).ok_or_else(bad)?;
            slots += parameter.slots();
            if slots > 255 {
                return Err(bad());
            }
            parameters.push(parameter);
            rest = after;
        };
        let result = if rest == "V" { None } else { Some(Type::parse(rest).map_err(|_| bad())?) };
        Ok(MethodDescriptor { parameters, result })
    }

    /// Slots of the parameters, without the receiver.
    pub fn parameter_slots(&self) -> u16 {
        self.parameters.iter().map(Type::slots).sum()
    }

    pub(crate) fn result_slots(&self) -> u16 {
        self.result.as_ref().map_or(0, Type::slots)
    }
}

impl fmt::Display for MethodDescriptor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("(")?;
        for parameter in &self.parameters {
            write!(f, "{parameter}")?;
        }
        match &self.result {
            Some(result) => write!(f, "){result}"),
            None => f.write_str(")V"),
        }
    }
}

impl FromStr for MethodDescriptor {
    type Err = ParseError;

    fn from_str(descriptor: &str) -> Result<MethodDescriptor, ParseError> {
        MethodDescriptor::parse(descriptor)
    }
}

impl From<PrimitiveType> for Type {
    fn from(primitive: PrimitiveType) -> Type {
        match primitive {
            PrimitiveType::Boolean => Type::Boolean,
            PrimitiveType::Byte => Type::Byte,
            PrimitiveType::Char => Type::Char,
            PrimitiveType::Short => Type::Short,
            PrimitiveType::Int => Type::Int,
            PrimitiveType::Long => Type::Long,
            PrimitiveType::Float => Type::Float,
            PrimitiveType::Double => Type::Double,
        }
    }
}

impl From<FieldDescriptor<'_>> for Type {
    fn from(descriptor: FieldDescriptor<'_>) -> Type {
        let element = match descriptor.element {
            ElementType::Primitive(primitive) => primitive.into(),
            ElementType::Class(name) => Type::Object(name.into()),
        };
        (0..descriptor.dimensions).fold(element, |component, _| Type::Array(Box::new(component)))
    }
}

fn parse_prefix(descriptor: &str) -> Option<(Type, &str)> {
    FieldDescriptor::parse_prefix(descriptor).map(|(parsed, rest)| (parsed.into(), rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn primitive_types_are_found_by_letter_and_by_box() {
        for primitive in PrimitiveType::ALL {
            assert_eq!(PrimitiveType::from_letter(primitive.letter()), Some(primitive));
            assert_eq!(PrimitiveType::from_box_class(primitive.box_class()), Some(primitive));
            assert_eq!(Type::from(primitive).to_string(), primitive.letter().to_string());
        }
        assert_eq!(PrimitiveType::from_letter('V'), None);
        for class in ["java/lang/Void", "java/lang/Integers", "Integer", "p/java/lang/Integer"] {
            assert_eq!(PrimitiveType::from_box_class(class), None, "{class}");
        }
    }

    #[test]
    fn descriptors_end_where_the_grammar_says() {
        let (descriptor, rest) = FieldDescriptor::parse_prefix("[[Lp/A;I)V").expect("well-formed");
        assert_eq!((descriptor, rest), (FieldDescriptor { dimensions: 2, element: ElementType::Class("p/A") }, "I)V"));
        for malformed in ["", "[", "V", "Lp/A", "L;", "Lp.A;", "L[I;", "ü", &("[".repeat(256) + "I")] {
            assert_eq!(FieldDescriptor::parse_prefix(malformed), None, "{malformed}");
        }
    }
}
