//! A cursor over one line of words.

use std::fmt;
use std::str::FromStr;

use crate::quote::{Quoted, parse_quoted};

/// The unread rest of a line. Words are separated by spaces, and by marks where the cursor has some
/// ([`LineCursor::with_marks`]). Every error is one sentence without the line number, which
/// [`crate::ParseError`] adds.
#[derive(Clone, Debug)]
pub struct LineCursor<'a> {
    rest: &'a str,
    marks: &'static [char],
}

impl<'a> LineCursor<'a> {
    /// A cursor at the beginning of the line.
    pub fn new(line: &'a str) -> LineCursor<'a> {
        LineCursor { rest: line, marks: &[] }
    }

    /// The same rest, in which a word also ends before each of these marks.
    pub fn with_marks(self, marks: &'static [char]) -> LineCursor<'a> {
        LineCursor { marks, ..self }
    }

    /// The marks before which words end.
    pub fn marks(&self) -> &'static [char] {
        self.marks
    }

    /// The unread text, spaces before the next word included.
    pub fn rest(&self) -> &'a str {
        self.rest
    }

    /// The next word; empty at the end of the line and before a mark. A mark inside an escape
    /// (`\{5d}`) ends no word.
    pub fn word(&mut self) -> &'a str {
        let rest = self.rest.trim_start_matches(' ');
        let (mut previous, mut in_escape) = (' ', false);
        let is_end = |character: char| {
            let is_escaped = in_escape || (previous == '\\' && character == '{');
            in_escape = is_escaped && character != '}';
            previous = character;
            character == ' ' || (!is_escaped && self.marks.contains(&character))
        };
        let end = rest.find(is_end).unwrap_or(rest.len());
        self.rest = &rest[end..];
        &rest[..end]
    }

    /// Everything that is left, without the spaces around it.
    pub fn remainder(&mut self) -> &'a str {
        std::mem::take(&mut self.rest).trim_matches(' ')
    }

    /// Takes the mark if it comes next.
    pub fn take_mark(&mut self, mark: char) -> bool {
        let after = self.rest.trim_start_matches(' ').strip_prefix(mark);
        self.rest = after.unwrap_or(self.rest);
        after.is_some()
    }

    /// Takes the mark, which must come next.
    ///
    /// # Errors
    /// Something else stands there.
    pub fn expect_mark(&mut self, mark: char) -> Result<(), String> {
        if self.take_mark(mark) { Ok(()) } else { Err(format!("`{}` where `{mark}` is expected", self.rest.trim())) }
    }

    /// Takes the next word if it is `keyword`.
    pub fn take_keyword(&mut self, keyword: &str) -> bool {
        let mut ahead = self.clone();
        let found = ahead.word() == keyword;
        if found {
            *self = ahead;
        }
        found
    }

    /// Takes the next word, which must be `keyword`.
    ///
    /// # Errors
    /// Another word stands there.
    pub fn expect(&mut self, keyword: &str) -> Result<(), String> {
        match self.word() {
            word if word == keyword => Ok(()),
            word => Err(format!("`{word}` where `{keyword}` is expected")),
        }
    }

    /// The next word as a number.
    ///
    /// # Errors
    /// The word is no number of the type, or out of its range.
    pub fn number<N: FromStr<Err: fmt::Display>>(&mut self) -> Result<N, String> {
        let word = self.word();
        word.parse().map_err(|error| format!("`{word}`: {error}"))
    }

    /// The next word as a number behind a prefix: `@17`.
    ///
    /// # Errors
    /// The prefix is missing, or no number of the type follows it.
    pub fn prefixed_number<N: FromStr>(&mut self, prefix: &str) -> Result<N, String> {
        let word = self.word();
        let number = word.strip_prefix(prefix).and_then(|digits| digits.parse().ok());
        number.ok_or_else(|| format!("`{word}` is no `{prefix}<number>`"))
    }

    /// The next word as a hexadecimal number of 64 bits.
    ///
    /// # Errors
    /// The word has a character that is no hexadecimal digit, or too many of them.
    pub fn hexadecimal(&mut self) -> Result<u64, String> {
        let word = self.word();
        u64::from_str_radix(word, 16).map_err(|error| format!("`{word}`: {error}"))
    }

    /// A string in double quotes, as [`crate::Quoted`] writes it.
    ///
    /// # Errors
    /// As [`parse_quoted`].
    pub fn quoted(&mut self) -> Result<Vec<u16>, String> {
        let (units, rest) = parse_quoted(self.rest.trim_start_matches(' '))?;
        self.rest = rest;
        Ok(units)
    }

    /// A string in double quotes that is well-formed UTF-16.
    ///
    /// # Errors
    /// As [`parse_quoted`]; or the string has an unpaired surrogate.
    pub fn quoted_text(&mut self) -> Result<String, String> {
        let units = self.quoted()?;
        String::from_utf16(&units).map_err(|_| format!("{} has an unpaired surrogate", Quoted(&units)))
    }

    /// The text between the parenthesis that comes next and the one that ends the line.
    ///
    /// # Errors
    /// One of the two is missing.
    pub fn parenthesised(&mut self) -> Result<&'a str, String> {
        let rest = self.rest.trim();
        let inner = rest.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')).ok_or("a list in parentheses is missing")?;
        self.rest = "";
        Ok(inner)
    }

    /// Everything behind the one space that ends the last word, with its own spaces: for text that
    /// is not escaped. Empty at the end of the line.
    pub fn verbatim(&mut self) -> &'a str {
        let rest = std::mem::take(&mut self.rest);
        rest.strip_prefix(' ').unwrap_or(rest)
    }

    /// Whether nothing but spaces is left.
    pub fn is_at_end(&self) -> bool {
        self.rest.trim().is_empty()
    }

    /// Checks that nothing but spaces is left.
    ///
    /// # Errors
    /// The text that is left.
    pub fn end(&self) -> Result<(), String> {
        match self.rest.trim() {
            "" => Ok(()),
            left => Err(format!("`{left}` is left over")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_numbers_and_strings_are_taken_in_order() {
        let mut line = LineCursor::new("call  -7 @3 ff \"a b\" (v1, v2)");
        assert!(!line.take_keyword("new") && line.take_keyword("call"));
        assert_eq!(line.number(), Ok(-7i32));
        assert_eq!(line.prefixed_number("@"), Ok(3u32));
        assert_eq!(line.hexadecimal(), Ok(255));
        assert_eq!(line.clone().quoted_text(), Ok("a b".into()));
        assert_eq!(line.quoted(), Ok("a b".encode_utf16().collect()));
        assert_eq!(line.parenthesised(), Ok("v1, v2"));
        assert_eq!((line.end(), line.word(), line.is_at_end()), (Ok(()), "", true));
    }

    #[test]
    fn marks_end_words_and_are_taken_by_name() {
        let mut line = LineCursor::new("[int 1, \"a, b\"] c,d e ");
        assert!(line.take_mark('[') && !line.take_mark('['));
        let mut list = line.clone().with_marks(&[',', ']']);
        assert_eq!((list.word(), list.number()), ("int", Ok(1u8)));
        assert_eq!((list.expect_mark(','), list.quoted()), (Ok(()), Ok("a, b".encode_utf16().collect())));
        assert_eq!((list.word(), list.expect_mark(']')), ("", Ok(())));
        let marks = line.marks();
        line = list.with_marks(marks);
        assert_eq!((line.word(), line.remainder(), line.rest()), ("c,d", "e", ""));
        let mut named = LineCursor::new("7  a b ");
        assert_eq!((named.number(), named.is_at_end()), (Ok(7u8), false));
        assert_eq!((named.verbatim(), named.verbatim()), (" a b ", ""));
        let mut braces = LineCursor::new("a\\{7d}b} c").with_marks(&['{', '}']);
        assert_eq!((braces.word(), braces.expect_mark('}'), braces.word()), ("a\\{7d}b", Ok(()), "c"));
        let mut twice = LineCursor::new("a\\{7b}\\{7d}{").with_marks(&['{', '}']);
        assert_eq!((twice.word(), twice.take_mark('{'), twice.is_at_end()), ("a\\{7b}\\{7d}", true, true));
    }

    #[test]
    fn errors_name_the_word() {
        let of = |text: &'static str| LineCursor::new(text);
        assert_eq!(of("a b").expect("on"), Err("`a` where `on` is expected".into()));
        assert_eq!(of("300").number::<u8>(), Err("`300`: number too large to fit in target type".into()));
        assert_eq!(of("3").prefixed_number::<u8>("@"), Err("`3` is no `@<number>`".into()));
        assert_eq!(of("(a").parenthesised(), Err("a list in parentheses is missing".into()));
        assert_eq!(of(" a ").end(), Err("`a` is left over".into()));
        assert_eq!(of("\"\\ud800\"").quoted_text(), Err("\"\\ud800\" has an unpaired surrogate".into()));
        assert_eq!(of(" a ").expect_mark('@'), Err("`a` where `@` is expected".into()));
    }
}
