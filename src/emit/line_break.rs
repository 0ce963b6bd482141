//! Breaks lines of Java that are wider than the project wants. In: one line without indentation.
//! Out: lines that mean the same.
//!
//! A line breaks between two tokens, and at the lowest nesting that is possible: at `=`, at a
//! method of a chain, else at an argument. A string that fills a line alone is divided with `+`,
//! which gives the same constant (JLS §15.29). Comments break between words. What cannot be
//! broken, such as an import or a long name, stays.

use super::tokens::closing;

/// Where and how wide lines may be.
#[derive(Clone, Copy, Debug)]
pub(super) struct Margins<'a> {
    /// Indentation of the first line.
    pub(super) indent: &'a str,
    /// Indentation of the further lines.
    pub(super) further: &'a str,
    /// Columns for the first line behind its indentation.
    pub(super) first_width: usize,
    /// The same for the further lines.
    pub(super) further_width: usize,
}

/// A place between two tokens.
#[derive(Clone, Copy, Debug)]
struct BreakPoint {
    /// Where the line ends.
    end: usize,
    /// Where the next line begins.
    next: usize,
    /// Brackets around it.
    depth: usize,
}

/// The lines, with their indentation.
pub(super) fn break_line(text: &str, margins: &Margins<'_>) -> Vec<String> {
    let Margins { indent, further, first_width, further_width } = *margins;
    if let Some(comment) = text.strip_prefix("// ") {
        return break_words(comment, first_width.saturating_sub(3)).map(|line| format!("{indent}// {line}")).collect();
    }
    if text.starts_with("/**") {
        let mut lines = break_words(text, first_width.saturating_sub(3));
        let first = lines.next().map(|line| format!("{indent}{line}"));
        return first.into_iter().chain(lines.map(|line| format!("{indent} * {line}"))).collect();
    }
    let mut pieces = Vec::new();
    let mut rest = text.to_owned();
    let mut width = first_width;
    // An import is a name, which stays whole.
    while columns(&rest) > width && !text.starts_with("import ") {
        let Some((line, left)) = break_once(&rest, width, !pieces.is_empty() || text.starts_with('"')) else { break };
        pieces.push(line);
        rest = left;
        width = further_width;
    }
    pieces.push(rest);
    let lines = pieces.iter().enumerate();
    lines.map(|(index, line)| format!("{}{line}", if index == 0 { indent } else { further })).collect()
}

fn columns(text: &str) -> usize {
    text.chars().count()
}

/// The first line and the rest. `begins_value`: the text stands behind a break, so that a string at
/// its beginning is a whole operand.
fn break_once(text: &str, width: usize, begins_value: bool) -> Option<(String, String)> {
    let points = break_points(text);
    let fitting = points.iter().filter(|point| columns(&text[..point.end]) <= width);
    let best = fitting.min_by_key(|point| (point.depth, usize::MAX - point.end));
    if best.is_none()
        && begins_value
        && let Some(divided) = divide_string(text, width)
    {
        return Some(divided);
    }
    let best = best.or_else(|| points.first())?;
    Some((text[..best.end].to_owned(), text[best.next..].to_owned()))
}

/// The places where a statement or declaration may break, in order.
fn break_points(text: &str) -> Vec<BreakPoint> {
    let bytes = text.as_bytes();
    let byte = |at: usize| bytes.get(at).copied().unwrap_or_default();
    let mut points = Vec::new();
    let (mut at, mut depth) = (0, 0_usize);
    while at < bytes.len() {
        let mut add = |end: usize, next: usize, depth: usize| points.push(BreakPoint { end, next, depth });
        match bytes[at] {
            b'"' | b'\'' => {
                at = end_of_literal(text, at);
                continue;
            }
            // Nothing may follow a comment on its line.
            b'/' if byte(at + 1) == b'/' => break,
            open @ (b'(' | b'[' | b'{') => {
                depth += 1;
                let is_filled = !matches!(byte(at + 1), b')' | b'}' | b' ' | 0);
                if is_filled && open != b'[' {
                    add(at + 1, at + 1, depth);
                }
            }
            b')' | b']' | b'}' => depth = depth.saturating_sub(1),
            // Comparisons have blanks around them.
            b'<' if !matches!(byte(at + 1), b' ' | b'=') => depth += 1,
            b'>' if at > 0 && !matches!(byte(at - 1), b' ' | b'-') => depth = depth.saturating_sub(1),
            b',' if byte(at + 1) == b' ' => add(at + 1, at + 2, depth),
            b'=' if at > 1 && byte(at - 1) == b' ' && byte(at + 1) == b' ' => add(at + 1, at + 2, depth),
            b'-' if text[at..].starts_with("-> ") && byte(at + 3) != b'{' => add(at + 2, at + 3, depth + 1),
            b'.' if at > 0 && byte(at - 1) == b')' => add(at, at, depth),
            b' ' => {
                let operators = [" throws ", " && ", " || ", " + ", " == ", " ? ", " : "];
                if at > 0 && byte(at - 1) != b',' && operators.iter().any(|operator| text[at..].starts_with(operator)) {
                    add(at, at + 1, depth);
                }
            }
            _ => {}
        }
        at += 1;
    }
    points
}

/// The offset behind the string or character literal that begins at `start`.
fn end_of_literal(text: &str, start: usize) -> usize {
    start + 1 + closing(&text[start + 1..], &text[start..=start])
}

/// Divides the string at the beginning of the text, which may be the rest of a string that was
/// divided before. `None` where there is none, or where the string is the operand of something
/// else.
fn divide_string(text: &str, width: usize) -> Option<(String, String)> {
    let start = if text.starts_with("+ \"") { 2 } else { 0 };
    let end = if text[start..].starts_with('"') { end_of_literal(text, start) } else { return None };
    // The last row of a list has nothing behind it.
    if !text[end..].is_empty() && !text[end..].starts_with([',', ')', ';', '}']) {
        return None;
    }
    // A quotation mark follows.
    let most = width.saturating_sub(1);
    let mut best = None;
    let mut at = start + 1;
    while at < end - 1 {
        let next = end_of_character(text, at);
        if columns(&text[..next]) > most || next >= end - 1 {
            break;
        }
        let is_behind_word = text.as_bytes()[at] == b' ';
        // A word is divided only where the words before it fill less than half of the line.
        let keeps = best.is_some_and(|(kept, is_word)| is_word && columns(&text[..kept]) * 2 > most);
        if is_behind_word || !keeps {
            best = Some((next, is_behind_word));
        }
        at = next;
    }
    let (at, _) = best?;
    Some((format!("{}\"", &text[..at]), format!("+ \"{}", &text[at..])))
}

/// The offset behind the character or escape sequence at `at`.
fn end_of_character(text: &str, at: usize) -> usize {
    let rest = &text[at..];
    let mut characters = rest.chars();
    let Some(first) = characters.next() else { return at };
    if first != '\\' {
        return at + first.len_utf8();
    }
    let of = |is_part: fn(char) -> bool, most: usize| characters.clone().take(most).take_while(|c| is_part(*c)).count();
    let length = match rest[1..].chars().next() {
        Some('u') => {
            let marks = of(|c| c == 'u', rest.len());
            1 + marks + 4
        }
        Some('0'..='7') => 1 + of(|c| ('0'..='7').contains(&c), 3),
        Some(other) => 1 + other.len_utf8(),
        None => 1,
    };
    (at + length).min(text.len())
}

/// Words in lines of this width; a longer word has a line of its own.
fn break_words(text: &str, width: usize) -> impl Iterator<Item = String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split(' ') {
        match lines.last_mut() {
            Some(line) if columns(line) + 1 + columns(word) <= width => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines.into_iter()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn broken(text: &str, width: usize) -> Vec<String> {
        let margins = Margins { indent: "", further: "    ", first_width: width, further_width: width - 4 };
        break_line(text, &margins)
    }

    #[test]
    fn lines_break_at_the_lowest_nesting() {
        for (text, expected) in [
            ("int x = first(second, third);", &["int x =", "    first(second, third);"][..]),
            ("first(second(a, b), third(c, d));", &["first(second(a, b),", "    third(c, d));"]),
            ("when(x.size()).thenReturn(5, 6);", &["when(x.size())", "    .thenReturn(5, 6);"]),
            ("Map<Long, List<Long>> map = make();", &["Map<Long, List<Long>> map =", "    make();"]),
            ("assertThrows(A.class, () -> call(a));", &["assertThrows(A.class,", "    () -> call(a));"]),
            ("void name() throws LongException {", &["void name()", "    throws LongException {"]),
            ("long[] x = new long[] {1000, 2000};", &["long[] x =", "    new long[] {1000, 2000};"]),
            ("import a.long_package.name.of.Class;", &["import a.long_package.name.of.Class;"]),
            ("first(second); // third, fourth", &["first(", "    second); // third, fourth"]),
            ("short();", &["short();"]),
        ] {
            assert_eq!(broken(text, 28), expected);
        }
    }

    #[test]
    fn nothing_but_white_space_changes_outside_strings() {
        let text = "Foo foo = new Foo(\"a, (b\", 'x', list.get(1).name(), x < y ? 1 : 2, (p, q) -> { throw p; }).build();";
        for width in 20..100 {
            let lines = broken(text, width);
            let joined = lines.concat();
            assert_eq!(joined.replace(' ', ""), text.replace(' ', ""), "{width}");
            assert!(lines.iter().any(|line| line.contains("\"a, (b\"")), "{lines:?}");
        }
    }

    #[test]
    fn strings_are_divided_between_characters() {
        let value = |lines: &[String]| {
            let joined: Vec<&str> = lines.iter().map(|line| line.trim()).collect();
            joined.concat().replace("\"+ \"", "")
        };
        let text = r#"assertEquals("one two \u0041\u0042 \\ \" \123 three four five six seven eight", x.name());"#;
        for width in 20..60 {
            let lines = broken(text, width);
            assert!(lines.iter().all(|line| line.len() <= width), "{width}: {lines:#?}");
            assert_eq!(value(&lines).replace(' ', ""), text.replace(' ', ""), "{lines:#?}");
            assert!(!lines.iter().any(|line| line.contains("\\u004\"") || line.ends_with(" \\\"")), "{lines:#?}");
        }
        // A method call binds tighter than `+`.
        let called = format!("foo(\"{}\".length());", "x".repeat(40));
        assert_eq!(broken(&called, 30), ["foo(".to_owned(), format!("    \"{}\".length());", "x".repeat(40))]);
    }

    #[test]
    fn comments_break_between_words() {
        assert_eq!(broken("// Likely fault: a b c", 14), ["// Likely", "// fault: a b", "// c"]);
        assert_eq!(broken("/** A stub with words. */", 16), ["/** A stub", " * with words.", " * */"]);
    }
}
