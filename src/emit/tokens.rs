//! The tokens of a Java source text (JLS §3.5). In: text that javac accepts. Out: tokens by their place in it, and
//! statements. Must not know what statements mean.

use std::ops::Range;

/// A token by its bytes in the source text. Comments and white space are none. Operators come as single characters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Token {
    pub(super) range: Range<usize>,
    pub(super) kind: TokenKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TokenKind {
    /// An identifier or a keyword.
    Word,
    Number,
    /// A string, a text block, or a character.
    Text,
    Sign,
}

/// The tokens of the part of the text.
pub(super) fn tokens(source: &str, part: Range<usize>) -> Vec<Token> {
    let mut tokens = Vec::new();
    let mut at = part.start;
    while at < part.end {
        let rest = &source[at..part.end];
        let Some(first) = rest.chars().next() else { break };
        let (length, kind) = match first {
            _ if first.is_whitespace() => (first.len_utf8(), None),
            '/' if rest.starts_with("//") => (rest.find('\n').unwrap_or(rest.len()), None),
            '/' if rest.starts_with("/*") => (rest.find("*/").map_or(rest.len(), |end| end + 2), None),
            '"' if rest.starts_with("\"\"\"") => (3 + closing(&rest[3..], "\"\"\""), Some(TokenKind::Text)),
            '"' => (1 + closing(&rest[1..], "\""), Some(TokenKind::Text)),
            '\'' => (1 + closing(&rest[1..], "'"), Some(TokenKind::Text)),
            '0'..='9' => (number(rest), Some(TokenKind::Number)),
            _ if is_of_word(first) => (rest.find(|c| !is_of_word(c)).unwrap_or(rest.len()), Some(TokenKind::Word)),
            other => (other.len_utf8(), Some(TokenKind::Sign)),
        };
        tokens.extend(kind.map(|kind| Token { range: at..at + length, kind }));
        at += length;
    }
    tokens
}

fn is_of_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '$'
}

/// Length up to and with the mark that ends a text.
pub(super) fn closing(text: &str, mark: &str) -> usize {
    let mut at = 0;
    while at < text.len() {
        if text[at..].starts_with('\\') {
            at += 1;
        } else if text[at..].starts_with(mark) {
            return at + mark.len();
        }
        at += text[at..].chars().next().map_or(1, char::len_utf8);
    }
    text.len()
}

/// Length of a number, with the sign of its exponent.
fn number(text: &str) -> usize {
    let is_hexadecimal = text.starts_with("0x") || text.starts_with("0X");
    let mut before = ' ';
    let end = text.find(|c: char| {
        let is_exponent = matches!(before, 'e' | 'E') && !is_hexadecimal && matches!(c, '+' | '-');
        before = c;
        !(c.is_ascii_alphanumeric() || c == '.' || c == '_' || is_exponent)
    });
    end.unwrap_or(text.len())
}

/// The statements of the tokens, as ranges of tokens: what lies between semicolons and braces outside of brackets.
pub(super) fn statements(source: &str, tokens: &[Token]) -> Vec<Range<usize>> {
    let mut statements = Vec::new();
    let (mut depth, mut first) = (0_usize, 0);
    for (place, token) in tokens.iter().enumerate() {
        match &source[token.range.clone()] {
            "(" | "[" => depth += 1,
            ")" | "]" => depth = depth.saturating_sub(1),
            "{" if depth > 0 => depth += 1,
            "}" if depth > 0 => depth -= 1,
            ";" | "{" | "}" if depth == 0 => {
                if first < place {
                    statements.push(first..place);
                }
                first = place + 1;
            }
            _ => {}
        }
    }
    statements
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(source: &str) -> Vec<&str> {
        tokens(source, 0..source.len()).into_iter().map(|token| &source[token.range]).collect()
    }

    #[test]
    fn a_text_becomes_tokens() {
        assert_eq!(words("a.b(-1.5E-7, 0xFEL) // no\n;"), ["a", ".", "b", "(", "-", "1.5E-7", ",", "0xFEL", ")", ";"]);
        assert_eq!(
            words(r#"f("a\"b;", ';', '\'') /* " */ + x"#),
            ["f", "(", r#""a\"b;""#, ",", "';'", ",", r"'\''", ")", "+", "x"]
        );
        assert_eq!(words("\"\"\"\n  \"a\" \"\"\";"), ["\"\"\"\n  \"a\" \"\"\"", ";"]);
        assert_eq!(words("\"open"), ["\"open"]);
    }

    #[test]
    fn statements_end_outside_of_brackets() {
        let source = "try { a(() -> { b(); }); c[1] = 2; } finally { d(); }";
        let tokens = tokens(source, 0..source.len());
        let statements = statements(source, &tokens)
            .into_iter()
            .map(|statement| source[tokens[statement.start].range.start..tokens[statement.end - 1].range.end].to_owned());
        assert_eq!(statements.collect::<Vec<_>>(), ["try", "a(() -> { b(); })", "c[1] = 2", "finally", "d()"]);
    }
}
