//! A reader over bytes that checks every bound.

/// The unread rest of a byte slice. Every method returns `None` when the rest is too short, and
/// then takes nothing.
#[derive(Clone, Copy, Debug)]
pub struct ByteReader<'a>(&'a [u8]);

impl<'a> ByteReader<'a> {
    /// A reader at the first byte.
    pub fn new(bytes: &'a [u8]) -> ByteReader<'a> {
        ByteReader(bytes)
    }

    /// The unread bytes.
    #[inline]
    pub fn rest(&self) -> &'a [u8] {
        self.0
    }

    /// Whether every byte has been read.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The next `count` bytes.
    #[inline]
    pub fn bytes(&mut self, count: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(taken)
    }

    /// The next `N` bytes, for `from_le_bytes` and `from_be_bytes`.
    #[inline]
    pub fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (taken, rest) = self.0.split_first_chunk::<N>()?;
        self.0 = rest;
        Some(*taken)
    }

    /// One byte.
    #[inline]
    pub fn u8(&mut self) -> Option<u8> {
        self.array::<1>().map(|[byte]| byte)
    }

    /// Two bytes, big-endian.
    pub fn u16_be(&mut self) -> Option<u16> {
        self.array().map(u16::from_be_bytes)
    }

    /// Four bytes, big-endian.
    pub fn u32_be(&mut self) -> Option<u32> {
        self.array().map(u32::from_be_bytes)
    }

    /// Eight bytes, big-endian.
    pub fn u64_be(&mut self) -> Option<u64> {
        self.array().map(u64::from_be_bytes)
    }

    /// Four bytes, little-endian.
    #[inline]
    pub fn u32_le(&mut self) -> Option<u32> {
        self.array().map(u32::from_le_bytes)
    }

    /// Eight bytes, little-endian.
    #[inline]
    pub fn u64_le(&mut self) -> Option<u64> {
        self.array().map(u64::from_le_bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_their_byte_order() {
        let mut reader = ByteReader::new(&[1, 0, 2, 0, 0, 0, 3, 4, 0, 0, 0]);
        assert_eq!((reader.u8(), reader.u16_be(), reader.u32_be(), reader.u32_le()), (Some(1), Some(2), Some(3), Some(4)));
        assert!(reader.is_empty());
        let mut reader = ByteReader::new(&[0, 0, 0, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0, 0, 0]);
        assert_eq!((reader.u64_be(), reader.u64_le()), (Some(1), Some(1)));
    }

    #[test]
    fn a_read_past_the_end_takes_nothing() {
        let mut reader = ByteReader::new(&[1, 2, 3]);
        assert_eq!((reader.u32_be(), reader.bytes(4), reader.rest()), (None, None, &[1, 2, 3][..]));
        assert_eq!(reader.bytes(3), Some(&[1, 2, 3][..]));
        assert_eq!((reader.u8(), reader.bytes(0)), (None, Some(&[][..])));
    }
}
