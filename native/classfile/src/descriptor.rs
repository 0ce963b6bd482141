//! Field and method descriptors (JVMS §4.3).
//!
//! In: the text. Out: types, slot counts, the text again. Must not know class files or
//! instructions. [`FieldDescriptor`] is the one parser of descriptors in the project; [`Type`] here
//! and the program model's own type are built from it.

use crate::error::ParseError;
use crate::kind::Kind;
use crate::primitive::PrimitiveType;
use std::fmt;
use std::str::FromStr;

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
            (ElementType::Primitive(PrimitiveType::from_descriptor(first)?), &text[1..])
        };
        Some((FieldDescriptor { dimensions, element }, rest))
    }
}

/// The type of a field, a parameter, a returned value or an array component.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Type {
    /// A primitive type.
    Primitive(PrimitiveType),
    /// A class or interface by internal name (`java/lang/String`).
    Object(Box<str>),
    /// An array of this component type.
    Array(Box<Type>),
}

impl Type {
    /// Parses a text that is one field descriptor (JVMS §4.3.2).
    ///
    /// # Errors
    ///
    /// [`ParseError::Descriptor`] when it is malformed or followed by more text.
    pub fn parse(descriptor: &str) -> Result<Type, ParseError> {
        match parse_prefix(descriptor) {
            Some((parsed, "")) => Ok(parsed),
            _ => Err(ParseError::Descriptor(descriptor.to_owned())),
        }
    }

    /// The type that a `CONSTANT_Class` names (JVMS §4.4.1): an internal name, or the descriptor of
    /// an array. Internal names are not checked.
    pub(crate) fn parse_class_name(name: &str) -> Result<Type, ParseError> {
        if name.starts_with('[') { Type::parse(name) } else { Ok(Type::Object(name.into())) }
    }

    /// The name of the type in a `CONSTANT_Class` (JVMS §4.4.1); `None` for a primitive type.
    pub fn class_name(&self) -> Option<String> {
        match self {
            Type::Object(name) => Some(name.to_string()),
            Type::Array(_) => Some(self.to_string()),
            Type::Primitive(_) => None,
        }
    }

    /// The computational type of its values (JVMS table 2.11.1-B).
    pub fn kind(&self) -> Kind {
        match self {
            Type::Primitive(primitive) => primitive.kind(),
            Type::Object(_) | Type::Array(_) => Kind::Reference,
        }
    }

    /// Local variable or operand stack slots of one value: 2 for `long` and `double`, else 1.
    pub fn slots(&self) -> u16 {
        self.kind().slots()
    }
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Type::Primitive(primitive) => write!(f, "{}", primitive.descriptor()),
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

/// A method descriptor (JVMS §4.3.3).
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MethodDescriptor {
    /// The types of the parameters in order, without the receiver.
    pub parameters: Vec<Type>,
    /// The returned type; `None` for `void`.
    pub result: Option<Type>,
}

impl MethodDescriptor {
    /// Parses a text that is one method descriptor.
    ///
    /// # Errors
    ///
    /// [`ParseError::Descriptor`] when it is malformed, followed by more text, or its parameters
    /// take more than 255 slots.
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

    /// Slots of the returned value: 0 for `void`.
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

impl From<FieldDescriptor<'_>> for Type {
    fn from(descriptor: FieldDescriptor<'_>) -> Type {
        let element = match descriptor.element {
            ElementType::Primitive(primitive) => Type::Primitive(primitive),
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
    fn descriptors_round_trip() {
        for descriptor in ["Z", "B", "C", "S", "I", "J", "F", "D", "[[J", "Lp/A;", "[Lp/A$B;"] {
            assert_eq!(Type::parse(descriptor).expect("well-formed").to_string(), descriptor);
        }
        for descriptor in ["()V", "(I[Ljava/lang/Object;J)Z"] {
            assert_eq!(MethodDescriptor::parse(descriptor).expect("well-formed").to_string(), descriptor);
        }
    }

    #[test]
    fn malformed_descriptors_are_named_in_the_error() {
        for malformed in ["", "V", "II", "Q"] {
            assert_eq!(Type::parse(malformed), Err(ParseError::Descriptor(malformed.to_owned())));
        }
        let too_many = format!("({})V", "J".repeat(128));
        for malformed in ["", "()", "(V)V", "()II", "I", &too_many] {
            assert_eq!(MethodDescriptor::parse(malformed), Err(ParseError::Descriptor(malformed.to_owned())));
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
