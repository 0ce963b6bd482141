//! A cursor over big-endian bytes.
//!
//! In: the bytes of a structure. Out: numbers, slices and [`Span`]s. Every read checks its bounds
//! and fails with [`ParseError::Truncated`]. Must not know the structure.

use crate::error::ParseError;

/// A range of the class file: `start..end`, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Span {
    pub(crate) start: u32,
    pub(crate) end: u32,
}

impl Span {
    /// The range of these bytes, which must be those of the class file.
    pub(crate) fn of(self, bytes: &[u8]) -> &[u8] {
        &bytes[self.start as usize..self.end as usize]
    }
}

/// A position in the bytes of a class file.
#[derive(Debug, Clone)]
pub(crate) struct Reader<'a> {
    bytes: &'a [u8],
    position: usize,
    what: &'static str,
}

impl<'a> Reader<'a> {
    /// A reader at the first byte. `what` names the structure in errors.
    pub(crate) fn new(bytes: &'a [u8], what: &'static str) -> Self {
        Reader { bytes, position: 0, what }
    }

    /// Number of bytes that were read.
    pub(crate) fn position(&self) -> usize {
        self.position
    }

    /// Number of bytes that are left.
    pub(crate) fn remaining(&self) -> usize {
        self.bytes.len() - self.position
    }

    /// Reads the next `count` bytes.
    pub(crate) fn take(&mut self, count: usize) -> Result<&'a [u8], ParseError> {
        if count > self.remaining() {
            return Err(ParseError::Truncated { at: self.bytes.len(), what: self.what });
        }
        let slice = &self.bytes[self.position..self.position + count];
        self.position += count;
        Ok(slice)
    }

    /// Reads one byte.
    pub(crate) fn u8(&mut self) -> Result<u8, ParseError> {
        Ok(self.take(1)?[0])
    }

    /// Reads an unsigned number of 2 bytes.
    pub(crate) fn u16(&mut self) -> Result<u16, ParseError> {
        let b = self.take(2)?;
        Ok(u16::from_be_bytes([b[0], b[1]]))
    }

    /// Reads an unsigned number of 4 bytes.
    pub(crate) fn u32(&mut self) -> Result<u32, ParseError> {
        let b = self.take(4)?;
        Ok(u32::from_be_bytes([b[0], b[1], b[2], b[3]]))
    }

    /// Reads a signed number of 2 bytes.
    pub(crate) fn i16(&mut self) -> Result<i16, ParseError> {
        Ok(self.u16()? as i16)
    }

    /// Reads a signed number of 4 bytes.
    pub(crate) fn i32(&mut self) -> Result<i32, ParseError> {
        Ok(self.u32()? as i32)
    }

    /// Reads the next `count` bytes and returns where they are. The reader must be one of the whole
    /// class file.
    pub(crate) fn span(&mut self, count: usize) -> Result<Span, ParseError> {
        let start = self.position as u32;
        self.take(count)?;
        Ok(Span { start, end: self.position as u32 })
    }

    /// Checks that nothing is left; otherwise [`ParseError::Attribute`] with this name.
    pub(crate) fn finish(self, attribute: &'static str) -> Result<(), ParseError> {
        if self.remaining() == 0 { Ok(()) } else { Err(ParseError::Attribute { attribute, problem: "longer than its contents" }) }
    }
}
