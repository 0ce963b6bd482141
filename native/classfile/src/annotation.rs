//! Skips annotations (JVMS §4.7.16).
//!
//! In: a reader at the start of an annotation. Out: the reader after the annotation. Must not know
//! what an annotation means.

use crate::error::ParseError;
use crate::reader::Reader;

/// Levels of nested element values at most, so that a malformed file cannot exhaust the stack.
const MAX_DEPTH: u32 = 64;

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
