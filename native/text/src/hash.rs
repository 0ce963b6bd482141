//! The content hash that is part of formats on disk.

/// FNV-1a with 64 bits (Fowler, Noll, Vo). Traces, sessions and tree files store it, so it must
/// never change.
///
/// It detects accidental change only: the input may be crafted to collide.
pub fn fnv1a_64(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, &byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hashes_equal_the_published_test_vectors() {
        for (input, hash) in [("", 0xcbf2_9ce4_8422_2325), ("a", 0xaf63_dc4c_8601_ec8c), ("foobar", 0x8594_4171_f739_67e8)] {
            assert_eq!(fnv1a_64(input.as_bytes()), hash, "{input}");
        }
    }
}
