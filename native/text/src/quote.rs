//! Quoting of UTF-16 strings and escaping of names, so that every value fits into one word or one
//! pair of quotation marks.

use std::fmt;

/// A Java string (UTF-16 code units) in double quotes, in printable ASCII: `"a \"b\" \\ \u000a"`.
#[derive(Clone, Copy, Debug)]
pub struct Quoted<'a>(
    /// The code units; lone surrogates are allowed.
    pub &'a [u16],
);

impl fmt::Display for Quoted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("\"")?;
        for &unit in self.0 {
            match u8::try_from(unit) {
                Ok(byte @ (b'"' | b'\\')) => write!(f, "\\{}", char::from(byte))?,
                Ok(byte @ b' '..=b'~') => write!(f, "{}", char::from(byte))?,
                _ => write!(f, "\\u{unit:04x}")?,
            }
        }
        f.write_str("\"")
    }
}

/// Reads what [`Quoted`] writes from the beginning of `text`: the code units and the rest of the
/// text.
///
/// Characters outside ASCII may stand for themselves.
///
/// # Errors
/// A sentence, when the text does not begin with `"`, has no closing `"`, or holds an unknown
/// escape.
pub fn parse_quoted(text: &str) -> Result<(Vec<u16>, &str), String> {
    let inner = text.strip_prefix('"').ok_or("a string begins with a quotation mark")?;
    let unfinished = "a string ends with a quotation mark";
    let mut units = Vec::new();
    let mut characters = inner.chars();
    loop {
        match characters.next().ok_or(unfinished)? {
            '"' => return Ok((units, characters.as_str())),
            '\\' => match characters.next().ok_or(unfinished)? {
                'u' => {
                    let digits = characters.as_str().get(..4).ok_or(unfinished)?;
                    if !digits.bytes().all(|digit| digit.is_ascii_hexdigit()) {
                        return Err(format!("`\\u{digits}` is no UTF-16 code unit"));
                    }
                    units.extend(u16::from_str_radix(digits, 16));
                    characters = characters.as_str()[4..].chars();
                }
                escaped @ ('"' | '\\') => units.push(escaped as u16),
                other => return Err(format!("`\\{other}` is no escape")),
            },
            character => units.extend_from_slice(character.encode_utf16(&mut [0; 2])),
        }
    }
}

/// How a format writes the characters that would end a word:
/// `<open><hexadecimal code point><close>`.
///
/// The JVM allows nearly every character in names (JVMS §4.2.2), so every format that writes names
/// needs one of these.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Escaping {
    open: &'static str,
    close: char,
}

impl Escaping {
    /// `\{20}` for a space: test cases and asserted tests.
    pub const BRACES: Escaping = Escaping { open: "\\{", close: '}' };
    /// `%20;` for a space: paths and trees.
    pub const PERCENT: Escaping = Escaping { open: "%", close: ';' };

    /// The text with every character escaped that is not plain. The first character of `open` must
    /// not be plain.
    pub fn escape(self, text: &str, is_plain: impl Fn(char) -> bool) -> String {
        let mut escaped = String::with_capacity(text.len());
        for character in text.chars() {
            if is_plain(character) {
                escaped.push(character);
            } else {
                escaped += &format!("{}{:x}{}", self.open, u32::from(character), self.close);
            }
        }
        escaped
    }

    /// Reverses [`Escaping::escape`].
    ///
    /// # Errors
    /// A sentence, when an escape has no end or names no character.
    pub fn unescape(self, text: &str) -> Result<String, String> {
        let mut plain = String::with_capacity(text.len());
        let mut rest = text;
        while let Some((before, after)) = rest.split_once(self.open) {
            let (code, behind) = after.split_once(self.close).ok_or_else(|| format!("an escape ends with `{}`", self.close))?;
            let character = u32::from_str_radix(code, 16).ok().and_then(char::from_u32);
            plain.push_str(before);
            plain.push(character.ok_or_else(|| format!("`{}{code}{}` is no character", self.open, self.close))?);
            rest = behind;
        }
        plain.push_str(rest);
        Ok(plain)
    }
}

/// A UTF-16 unit as a character in quotes, where it is printable ASCII; else its number.
pub fn character_or_number(unit: i64) -> String {
    match u8::try_from(unit) {
        Ok(byte @ (b'\'' | b'\\')) => format!("'\\{}'", char::from(byte)),
        Ok(byte) if byte.is_ascii_graphic() || byte == b' ' => format!("'{}'", char::from(byte)),
        _ => unit.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn quoted_strings_are_printable_ascii() {
        let units: Vec<u16> = "a\"\\\n~ü".encode_utf16().chain([0xd800]).collect();
        assert_eq!(Quoted(&units).to_string(), r#""a\"\\\u000a~\u00fc\ud800""#);
    }

    #[test]
    fn malformed_quotes_are_refused() {
        for text in ["", "a", "\"", "\"a", "\"\\", "\"\\n\"", "\"\\u12\"", "\"\\u+123\"", "\"\\u12ü\""] {
            assert!(parse_quoted(text).is_err(), "{text}");
        }
        assert_eq!(parse_quoted("\"ü\" rest"), Ok((vec![0xfc], " rest")));
    }

    #[test]
    fn malformed_escapes_are_refused() {
        for text in ["%", "%20", "%zz;", "%110000;", "a%d800;"] {
            assert!(Escaping::PERCENT.unescape(text).is_err(), "{text}");
        }
        assert_eq!(Escaping::BRACES.unescape("a\\{20}b%"), Ok("a b%".into()));
    }

    proptest! {
        #[test]
        fn quoting_round_trips(units in prop::collection::vec(any::<u16>(), 0..20), rest in "[a-z ]{0,4}") {
            let text = format!("{}{rest}", Quoted(&units));
            prop_assert_eq!(parse_quoted(&text), Ok((units, rest.as_str())));
        }

        #[test]
        fn escaping_round_trips(text in any::<String>()) {
            for escaping in [Escaping::BRACES, Escaping::PERCENT] {
                let escaped = escaping.escape(&text, |c| c.is_ascii_alphanumeric());
                prop_assert_eq!(escaping.unescape(&escaped), Ok(text.clone()));
            }
        }
    }

    #[test]
    fn printable_characters_are_quoted() {
        let shown = ['-', '\'', '\\', '\n', 'é'].map(|unit| character_or_number(i64::from(u32::from(unit))));
        assert_eq!(shown, ["'-'", "'\\''", "'\\\\'", "10", "233"]);
        assert_eq!(character_or_number(-1), "-1");
    }
}
