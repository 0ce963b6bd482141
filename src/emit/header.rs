//! The header comment of a file, by which an edited file is told from one as it was written. In:
//! the text after the header; out: the header with a hash of it.

const MARK: &str = "// Written by Tracewright";
const CHANGE: &str = ", change ";
const HASH: &str = "; hash of the rest: ";

/// Puts the header in front of `rest`. It has no date: the same tests give the same bytes.
/// `change`: a name for the change that the tests are about.
pub(crate) fn with_header(seed: u64, change: Option<&str>, rest: &str) -> String {
    let change = change.map_or_else(String::new, |change| format!("{CHANGE}{change}"));
    format!("{MARK} (seed {seed}{change}){HASH}{}\n{rest}", hash(rest))
}

/// The change that the header names; `None` for a file without a header of Tracewright or without a
/// change.
pub fn change_of(source: &str) -> Option<&str> {
    header_line(source)?.text.split_once(CHANGE)?.1.split(')').next()
}

/// Puts the header of `source`, with a new hash, in front of another text.
pub(crate) fn with_same_header(source: &str, rest: &str) -> String {
    let mark = source.split_once(HASH).map_or(MARK, |(mark, _)| mark);
    format!("{mark}{HASH}{}\n{rest}", hash(rest))
}

/// The source with the hash of its text as it is now; `None` for a file without a header of
/// Tracewright.
pub(crate) fn with_new_hash(source: &str) -> Option<String> {
    let old = header_hash(source)?;
    let header = header_line(source)?;
    let text = header.text.replace(&format!("{HASH}{old}"), &format!("{HASH}{}", hash(&header.rest)));
    Some(format!("{}{text}{}", &source[..header.start], &source[header.start + header.text.len()..]))
}

/// The hash that the header names; `None` for a file without a header of Tracewright.
pub fn header_hash(source: &str) -> Option<&str> {
    Some(header_line(source)?.text.split_once(HASH)?.1.trim())
}

/// Whether the file is as it was written. Line ends, also that of the last line, and a byte order
/// mark do not count: version control and editors change them.
pub fn is_untouched(source: &str) -> bool {
    let header = header_line(source);
    header.is_some_and(|header| header_hash(source).is_some_and(|named| named == hash(&header.rest)))
}

/// The header in a file.
struct HeaderLine<'s> {
    /// Offset of its text.
    start: usize,
    /// The line without its end.
    text: &'s str,
    /// The file without the line.
    rest: String,
}

/// Finds the header. It is the first line, unless a formatter has put the licence of the project
/// before it.
fn header_line(source: &str) -> Option<HeaderLine<'_>> {
    let text_of = |line: &str| line.trim_start_matches('\u{feff}').trim_start().len();
    let mut at = 0;
    for line in source.split_inclusive('\n') {
        let begin = line.len() - text_of(line);
        if line[begin..].starts_with(MARK) {
            let (before, after) = (source[..at].trim_start_matches('\u{feff}'), &source[at + line.len()..]);
            return Some(HeaderLine { start: at + begin, text: line[begin..].trim_end(), rest: format!("{before}{after}") });
        }
        at += line.len();
    }
    None
}

/// The hash of a text, whatever its line ends.
fn hash(rest: &str) -> String {
    let mut rest = rest.replace("\r\n", "\n");
    if !rest.ends_with('\n') {
        rest.push('\n');
    }
    blake3::hash(rest.as_bytes()).to_hex()[..32].to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_edit_changes_the_hash_and_line_ends_do_not() {
        let written = with_header(7, None, "class A {\n}\n");
        assert_eq!(change_of(&written), None);
        let about = with_header(7, Some("0a1b"), "class A {\n}\n");
        assert!(is_untouched(&about));
        assert_eq!(change_of(&about), Some("0a1b"));
        assert!(is_untouched(&written));
        assert!(is_untouched(&written.replace('\n', "\r\n")));
        assert!(is_untouched(&format!("\u{feff}{}", written.trim_end())));
        assert!(!is_untouched(&written.replace("class A", "class B")));
        assert!(!is_untouched("class A {\n}\n"));
        assert!(!is_untouched(""));
        assert_eq!(header_hash(&written).map(str::len), Some(32));
    }

    #[test]
    fn a_header_behind_a_licence_gets_the_hash_of_all_other_lines() {
        let written = with_header(7, None, "class A {\n}\n");
        let formatted = format!("/* Licence. */\r\n{}", written.replace("A {", "A\r\n{"));
        assert!(!is_untouched(&formatted));
        let renewed = with_new_hash(&formatted).expect("a header");
        assert!(is_untouched(&renewed) && renewed.starts_with("/* Licence. */\r\n// Written by Tracewright (seed 7); hash"));
        assert_eq!(renewed.len(), formatted.len());
        assert!(!is_untouched(&renewed.replace("Licence", "License")));
        assert_eq!(with_new_hash(&written), Some(written));
        assert_eq!(with_new_hash("class A {\n}\n"), None);
    }
}
