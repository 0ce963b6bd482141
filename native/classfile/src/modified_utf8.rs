//! Modified UTF-8 (JVMS §4.4.7), the encoding of names and strings in class files.
//!
//! In: bytes. Out: UTF-16 code units, and bytes again. Must not know the constant pool.
//!
//! It differs from UTF-8 in two ways: U+0000 has two bytes, and a supplementary character is a pair
//! of surrogates of three bytes each. A surrogate without its partner can be encoded, too.

/// The UTF-16 code units that the bytes encode; `None` for bytes that are no modified UTF-8.
/// Overlong forms are accepted.
pub(crate) fn decode(bytes: &[u8]) -> Option<Vec<u16>> {
    let mut units = Vec::with_capacity(bytes.len());
    let mut rest = bytes.iter().copied();
    let continuation = |byte: Option<u8>| byte.filter(|b| b & 0xc0 == 0x80).map(|b| u16::from(b & 0x3f));
    while let Some(first) = rest.next() {
        units.push(match first {
            0x00..=0x7f => u16::from(first),
            0xc0..=0xdf => u16::from(first & 0x1f) << 6 | continuation(rest.next())?,
            0xe0..=0xef => {
                let second = continuation(rest.next())?;
                let third = continuation(rest.next())?;
                u16::from(first & 0x0f) << 12 | second << 6 | third
            }
            // Continuation bytes, and the four-byte forms of UTF-8.
            _ => return None,
        });
    }
    Some(units)
}

/// Appends the shortest encoding of one code unit.
pub(crate) fn encode(unit: u16, out: &mut Vec<u8>) {
    match unit {
        0x01..=0x7f => out.push(unit as u8),
        0x00 | 0x80..=0x7ff => out.extend([0xc0 | (unit >> 6) as u8, 0x80 | (unit & 0x3f) as u8]),
        _ => out.extend([0xe0 | (unit >> 12) as u8, 0x80 | (unit >> 6 & 0x3f) as u8, 0x80 | (unit & 0x3f) as u8]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn encoded(units: &[u16]) -> Vec<u8> {
        let mut bytes = Vec::new();
        units.iter().for_each(|&unit| encode(unit, &mut bytes));
        bytes
    }

    #[test]
    fn every_code_unit_round_trips() {
        let units: Vec<u16> = (0..=u16::MAX).collect();
        assert_eq!(decode(&encoded(&units)), Some(units));
    }

    #[test]
    fn zero_and_surrogates_have_forms_of_their_own() {
        assert_eq!(encoded(&[0]), [0xc0, 0x80]);
        assert_eq!(encoded(&[0x7f, 0x80, 0x7ff, 0x800]), [0x7f, 0xc2, 0x80, 0xdf, 0xbf, 0xe0, 0xa0, 0x80]);
        assert_eq!(encoded(&[0xd83d, 0xde00]), [0xed, 0xa0, 0xbd, 0xed, 0xb8, 0x80]);
    }

    #[test]
    fn other_bytes_are_rejected() {
        for malformed in [&[0x80][..], &[0xc2], &[0xc2, 0x41], &[0xe0, 0xa0], &[0xf0, 0x9f, 0x98, 0x80]] {
            assert_eq!(decode(malformed), None, "{malformed:x?}");
        }
    }
}
