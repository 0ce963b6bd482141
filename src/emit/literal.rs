//! Java literals (JLS §3.10). In: values; out: expressions of exactly that value and type, in
//! ASCII. NaN patterns and extreme values have no literal: they become constants or calls of the
//! JDK.

use super::Unprintable;

/// Longest string literal, in UTF-16 units. Longer ones make no readable test; the limit of class
/// files is 65,535 bytes of modified UTF-8 (JVMS §4.4.7).
const LONGEST_STRING: usize = 2_000;

/// Numbers next to a bound are written as a sum with it up to this distance.
const NEAR: u32 = 2;

/// An `int`; masks of three hexadecimal digits or more are written in hexadecimal. A number next to a bound is a sum:
/// `Integer.MAX_VALUE - 1`.
pub(crate) fn int(value: i32) -> String {
    match value {
        i32::MIN => "Integer.MIN_VALUE".into(),
        i32::MAX => "Integer.MAX_VALUE".into(),
        near if i32::MAX.abs_diff(near) <= NEAR => format!("Integer.MAX_VALUE - {}", i32::MAX - near),
        near if i32::MIN.abs_diff(near) <= NEAR => format!("Integer.MIN_VALUE + {}", near - i32::MIN),
        // All low bits are set.
        mask if mask >= 0xFFF && (mask & (mask + 1)) == 0 => format!("0x{mask:X}"),
        other => other.to_string(),
    }
}

/// A `long`, with the suffix `L`.
pub(crate) fn long(value: i64) -> String {
    match value {
        i64::MIN => "Long.MIN_VALUE".into(),
        i64::MAX => "Long.MAX_VALUE".into(),
        near if i64::MAX.abs_diff(near) <= u64::from(NEAR) => format!("Long.MAX_VALUE - {}", i64::MAX - near),
        near if i64::MIN.abs_diff(near) <= u64::from(NEAR) => format!("Long.MIN_VALUE + {}", near - i64::MIN),
        mask if mask >= 0xFFF && (mask & (mask + 1)) == 0 => format!("0x{mask:X}L"),
        other => format!("{other}L"),
    }
}

/// A `double` by its IEEE 754 bits.
pub(crate) fn double(bits: u64) -> String {
    let value = f64::from_bits(bits);
    if value.is_nan() {
        return match bits {
            0x7ff8_0000_0000_0000 => "Double.NaN".into(),
            other => format!("Double.longBitsToDouble(0x{other:X}L)"),
        };
    }
    match value {
        f64::INFINITY => "Double.POSITIVE_INFINITY".into(),
        f64::NEG_INFINITY => "Double.NEGATIVE_INFINITY".into(),
        f64::MAX => "Double.MAX_VALUE".into(),
        _ if bits == 1 => "Double.MIN_VALUE".into(),
        other => scientific(&format!("{other:?}")),
    }
}

/// A `float` by its IEEE 754 bits, with the suffix `F`.
pub(crate) fn float(bits: u32) -> String {
    let value = f32::from_bits(bits);
    if value.is_nan() {
        return match bits {
            0x7fc0_0000 => "Float.NaN".into(),
            other => format!("Float.intBitsToFloat(0x{other:X})"),
        };
    }
    match value {
        f32::INFINITY => "Float.POSITIVE_INFINITY".into(),
        f32::NEG_INFINITY => "Float.NEGATIVE_INFINITY".into(),
        f32::MAX => "Float.MAX_VALUE".into(),
        _ if bits == 1 => "Float.MIN_VALUE".into(),
        other => format!("{}F", scientific(&format!("{other:?}"))),
    }
}

/// `1e300` as Java writes it: `1.0E300`.
fn scientific(shortest: &str) -> String {
    match shortest.split_once('e') {
        None => shortest.into(),
        Some((mantissa, exponent)) if mantissa.contains('.') => format!("{mantissa}E{exponent}"),
        Some((mantissa, exponent)) => format!("{mantissa}.0E{exponent}"),
    }
}

/// A `char` by its UTF-16 unit.
pub(crate) fn char(unit: u16) -> String {
    match unit {
        0x27 => "'\\''".into(),
        0x22 => "'\"'".into(),
        other => format!("'{}'", escape(other)),
    }
}

/// A string literal. A long run of one character becomes `"a".repeat(n)` from source level 11 on.
///
/// # Errors
/// `Unprintable::LongString` with the number of units.
pub(crate) fn string(units: &[u16], release: u32) -> Result<String, Unprintable> {
    if let [first, ..] = units
        && units.len() >= 40
        && release >= 11
        && units.len() <= 10_000_000
        && units.iter().all(|unit| unit == first)
    {
        return Ok(format!("\"{}\".repeat({})", if *first == 0x22 { "\\\"".into() } else { escape(*first) }, units.len()));
    }
    if units.len() > LONGEST_STRING {
        return Err(Unprintable::LongString(units.len()));
    }
    Ok(format!("\"{}\"", in_quotes(units.iter().copied())))
}

/// The text between the quotes of a string literal.
pub(crate) fn in_quotes(units: impl IntoIterator<Item = u16>) -> String {
    let escaped = |unit| if unit == 0x22 { "\\\"".to_owned() } else { escape(unit) };
    units.into_iter().map(escaped).collect()
}

/// Control characters as octal escapes: a Unicode escape of a line terminator would end the line
/// (JLS §3.3 comes before JLS §3.4).
fn escape(unit: u16) -> String {
    match unit {
        0x08 => "\\b".into(),
        0x09 => "\\t".into(),
        0x0a => "\\n".into(),
        0x0c => "\\f".into(),
        0x0d => "\\r".into(),
        0x5c => "\\\\".into(),
        0x20..=0x7e => char::from(unit as u8).to_string(),
        0..=0x1f | 0x7f => format!("\\{unit:03o}"),
        other => format!("\\u{other:04x}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_read_back_as_their_value_and_type() {
        assert_eq!([int(0), int(-7), int(0xFFFF), int(255), int(i32::MIN)], ["0", "-7", "0xFFFF", "255", "Integer.MIN_VALUE"]);
        let near = [int(i32::MAX - 1), int(i32::MIN + 2), int(i32::MAX - 3), long(i64::MIN + 1)];
        assert_eq!(near, ["Integer.MAX_VALUE - 1", "Integer.MIN_VALUE + 2", "2147483644", "Long.MIN_VALUE + 1"]);
        assert_eq!([long(5), long(i64::MAX), long(0xFFFF_FFFF)], ["5L", "Long.MAX_VALUE", "0xFFFFFFFFL"]);
        let doubles = [0.0, -0.0, 1.5, 1e300, 1.5e-7, f64::NAN, f64::NEG_INFINITY, f64::MIN];
        assert_eq!(
            doubles.map(|value| double(value.to_bits())),
            ["0.0", "-0.0", "1.5", "1.0E300", "1.5E-7", "Double.NaN", "Double.NEGATIVE_INFINITY", "-1.7976931348623157E308"]
        );
        assert_eq!([float(1.5f32.to_bits()), float(1e20f32.to_bits())], ["1.5F", "1.0E20F"]);
        assert_eq!(double(0x7ff8_0000_0000_0001), "Double.longBitsToDouble(0x7FF8000000000001L)");
    }

    #[test]
    fn characters_are_escaped_without_line_terminators() {
        assert_eq!(
            [char(0x61), char(0x27), char(0x0a), char(0), char(0xd800)],
            ["'a'", "'\\''", "'\\n'", "'\\000'", "'\\ud800'"]
        );
        let units: Vec<u16> = "a\"b\\u0041\u{1}2é".encode_utf16().collect();
        assert_eq!(string(&units, 8).unwrap(), "\"a\\\"b\\\\u0041\\0012\\u00e9\"");
        assert_eq!(string(&[0x61; 50], 11).unwrap(), "\"a\".repeat(50)");
        assert_eq!(string(&[0x61, 0x62].repeat(2000), 11), Err(Unprintable::LongString(4000)));
    }
}
