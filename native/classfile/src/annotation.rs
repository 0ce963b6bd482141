//! Reads and skips annotations (JVMS §4.7.16).
//!
//! In: a reader at the start of an annotation, or an attribute that holds annotations. Out: the
//! annotations with their element values, or the reader after them. Must not know what an
//! annotation means.

use crate::error::ParseError;
use crate::pool::{Constant, ConstantPool};
use crate::reader::Reader;

/// Levels of nested element values at most, so that a malformed file cannot exhaust the stack.
const MAX_DEPTH: u32 = 64;

/// An annotation of a class, member or parameter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Annotation {
    /// The descriptor of its interface.
    pub descriptor: String,
    /// Names and values, in the order of the file. Defaults are missing.
    pub elements: Vec<(String, ElementValue)>,
}

/// The value of an element of an annotation (JVMS §4.7.16.1).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ElementValue {
    /// A string.
    Text(String),
    /// An `int`, `char`, `short`, `byte` or `boolean`.
    Int(i32),
    /// A number of another type. Its value is not kept.
    Number,
    /// A class literal: the descriptor of the type.
    Class(String),
    /// A constant of an enum: the descriptor of the enum and the name.
    Enum(String, String),
    /// An annotation.
    Annotation(Annotation),
    /// Several values.
    Array(Vec<ElementValue>),
}

impl Annotation {
    /// The value of an element; `None` where the annotation leaves it out.
    pub fn element(&self, name: &str) -> Option<&ElementValue> {
        self.elements.iter().find(|(found, _)| found == name).map(|(_, value)| value)
    }
}

/// Reads an attribute that lists annotations, such as `RuntimeVisibleAnnotations`.
///
/// # Errors
///
/// The attribute is malformed.
pub(crate) fn read_annotations(pool: &ConstantPool, contents: &[u8]) -> Result<Vec<Annotation>, ParseError> {
    let mut reader = Reader::new(contents, ATTRIBUTE);
    let annotations = read_list(pool, &mut reader)?;
    reader.finish(ATTRIBUTE)?;
    Ok(annotations)
}

/// Reads `RuntimeVisibleParameterAnnotations`: a list for each parameter (JVMS §4.7.18).
///
/// # Errors
///
/// The attribute is malformed.
pub(crate) fn read_parameter_annotations(pool: &ConstantPool, contents: &[u8]) -> Result<Vec<Vec<Annotation>>, ParseError> {
    let mut reader = Reader::new(contents, ATTRIBUTE);
    let count = reader.u8()?;
    let parameters = (0..count).map(|_| read_list(pool, &mut reader)).collect::<Result<_, _>>()?;
    reader.finish(ATTRIBUTE)?;
    Ok(parameters)
}

/// What errors call the attributes.
const ATTRIBUTE: &str = "annotations";

fn read_list(pool: &ConstantPool, reader: &mut Reader<'_>) -> Result<Vec<Annotation>, ParseError> {
    let count = reader.u16()?;
    (0..count).map(|_| read_annotation(pool, reader, 0)).collect()
}

fn read_annotation(pool: &ConstantPool, reader: &mut Reader<'_>, depth: u32) -> Result<Annotation, ParseError> {
    let descriptor = pool.utf8(reader.u16()?)?.to_owned();
    let mut elements = Vec::new();
    for _ in 0..reader.u16()? {
        let name = pool.utf8(reader.u16()?)?.to_owned();
        elements.push((name, read_element_value(pool, reader, depth)?));
    }
    Ok(Annotation { descriptor, elements })
}

fn read_element_value(pool: &ConstantPool, reader: &mut Reader<'_>, depth: u32) -> Result<ElementValue, ParseError> {
    let bad = |problem| ParseError::Attribute { attribute: ATTRIBUTE, problem };
    if depth > MAX_DEPTH {
        return Err(bad("nested too deeply"));
    }
    Ok(match reader.u8()? {
        b'B' | b'C' | b'I' | b'S' | b'Z' => match pool.get(reader.u16()?)? {
            Constant::Integer(value) => ElementValue::Int(value),
            _ => return Err(bad("an element value is no integer")),
        },
        b'D' | b'F' | b'J' => {
            reader.u16()?;
            ElementValue::Number
        }
        b's' => ElementValue::Text(pool.utf8(reader.u16()?)?.to_owned()),
        b'c' => ElementValue::Class(pool.utf8(reader.u16()?)?.to_owned()),
        b'e' => {
            let descriptor = pool.utf8(reader.u16()?)?.to_owned();
            ElementValue::Enum(descriptor, pool.utf8(reader.u16()?)?.to_owned())
        }
        b'@' => ElementValue::Annotation(read_annotation(pool, reader, depth + 1)?),
        b'[' => {
            let count = reader.u16()?;
            ElementValue::Array((0..count).map(|_| read_element_value(pool, reader, depth + 1)).collect::<Result<_, _>>()?)
        }
        _ => return Err(bad("unknown element value")),
    })
}

/// Descriptors of the annotations with the retention `RUNTIME`, then of those with `CLASS`.
/// `attribute` gives the contents of an attribute by name. Annotations after a malformed one are
/// missing.
pub(crate) fn annotation_types<'a>(pool: &ConstantPool, attribute: impl Fn(&str) -> Option<&'a [u8]>) -> Vec<String> {
    let mut types = Vec::new();
    for bytes in ["RuntimeVisibleAnnotations", "RuntimeInvisibleAnnotations"].into_iter().filter_map(attribute) {
        // The JVM ignores a malformed attribute, too.
        let _ = read_types(pool, bytes, &mut types);
    }
    types
}

fn read_types(pool: &ConstantPool, bytes: &[u8], types: &mut Vec<String>) -> Result<(), ParseError> {
    let mut reader = Reader::new(bytes, "annotations");
    for _ in 0..reader.u16()? {
        let name = Reader::new(&bytes[reader.position()..], "annotations").u16()?;
        types.push(pool.utf8(name)?.to_owned());
        skip_annotation(&mut reader, 0)?;
    }
    Ok(())
}

/// Skips one annotation. `depth` is the number of element values around it.
///
/// # Errors
///
/// [`ParseError::Truncated`] for an incomplete annotation; [`ParseError::Attribute`] for an unknown
/// element value or one that is nested too deeply.
pub(crate) fn skip_annotation(reader: &mut Reader<'_>, depth: u32) -> Result<(), ParseError> {
    reader.u16()?;
    for _ in 0..reader.u16()? {
        reader.u16()?;
        skip_element_value(reader, depth)?;
    }
    Ok(())
}

fn skip_element_value(reader: &mut Reader<'_>, depth: u32) -> Result<(), ParseError> {
    let bad = |problem| ParseError::Attribute { attribute: "type annotations", problem };
    if depth > MAX_DEPTH {
        return Err(bad("nested too deeply"));
    }
    match reader.u8()? {
        b'B' | b'C' | b'D' | b'F' | b'I' | b'J' | b'S' | b'Z' | b's' | b'c' => {
            reader.u16()?;
        }
        b'e' => {
            reader.u32()?;
        }
        b'@' => skip_annotation(reader, depth + 1)?,
        b'[' => {
            for _ in 0..reader.u16()? {
                skip_element_value(reader, depth + 1)?;
            }
        }
        _ => return Err(bad("unknown element value")),
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_before_a_malformed_annotation_are_read() {
        let mut pool = ConstantPool::parse(&mut Reader::new(&[0, 1], "a constant pool")).expect("an empty pool");
        let name = pool.add_utf8("Lp/Generated;").expect("room");
        let [high, low] = name.to_be_bytes();
        // Two annotations are announced; the second one is cut off.
        let bytes = [0, 2, high, low, 0, 0, high];
        let only = |name: &str| (name == "RuntimeInvisibleAnnotations").then_some(&bytes[..]);
        assert_eq!(annotation_types(&pool, only), ["Lp/Generated;"]);
        assert!(read_types(&pool, &bytes, &mut Vec::new()).is_err());
    }
}
