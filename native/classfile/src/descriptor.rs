//! Field and method descriptors (JVMS §4.3). In: the text; out: types, slot counts, the text again.

use crate::error::ParseError;
use std::fmt;
use std::str::FromStr;

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

    pub(crate) fn is_primitive(&self) -> bool {
        !self.is_reference()
    }

    pub(crate) fn is_reference(&self) -> bool {
        matches!(self, Type::Object(_) | Type::Array(_))
    }

    /// The element type with all dimensions taken off, and how many there were.
    pub(crate) fn element(&self) -> (&Type, u8) {
        let mut dimensions = 0;
        let mut at = self;
        while let Type::Array(component) = at {
            dimensions += 1;
            at = component;
        }
        (at, dimensions)
    }

    /// As Java source writes it (`java.lang.String[]`); nested classes keep their `$`.
    pub(crate) fn source_name(&self) -> String {
        match self {
            Type::Boolean => "boolean".into(),
            Type::Byte => "byte".into(),
            Type::Char => "char".into(),
            Type::Short => "short".into(),
            Type::Int => "int".into(),
            Type::Long => "long".into(),
            Type::Float => "float".into(),
            Type::Double => "double".into(),
            Type::Object(name) => name.replace('/', "."),
            Type::Array(component) => component.source_name() + "[]",
        }
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

fn parse_prefix(descriptor: &str) -> Option<(Type, &str)> {
    let dimensions = descriptor.bytes().take_while(|&b| b == b'[').count();
    if dimensions > 255 {
        return None;
    }
    let element = &descriptor[dimensions..];
    let (mut parsed, rest) = match element.as_bytes().first()? {
        b'L' => {
            let end = element.find(';')?;
            let name = &element[1..end];
            if name.is_empty() || name.contains(['.', '[']) {
                return None;
            }
            (Type::Object(name.into()), &element[end + 1..])
        }
        letter => (primitive(*letter)?, &element[1..]),
    };
    for _ in 0..dimensions {
        parsed = Type::Array(Box::new(parsed));
    }
    Some((parsed, rest))
}

fn primitive(letter: u8) -> Option<Type> {
    Some(match letter {
        b'Z' => Type::Boolean,
        b'B' => Type::Byte,
        b'C' => Type::Char,
        b'S' => Type::Short,
        b'I' => Type::Int,
        b'J' => Type::Long,
        b'F' => Type::Float,
        b'D' => Type::Double,
        _ => return None,
    })
}
