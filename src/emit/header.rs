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
    let first = source.lines().next()?.strip_prefix(MARK)?;
    first.split_once(CHANGE)?.1.split(')').next()
}

/// Puts the header of `source`, with a new hash, in front of another text.
pub(crate) fn with_same_header(source: &str, rest: &str) -> String {
    let mark = source.split_once(HASH).map_or(MARK, |(mark, _)| mark);
    format!("{mark}{HASH}{}\n{rest}", hash(rest))
}

/// The hash that the header names; `None` for a file without a header of Tracewright.
pub fn header_hash(source: &str) -> Option<&str> {
    let first = source.lines().next()?;
    first.strip_prefix(MARK)?;
    Some(first.split_once(HASH)?.1.trim())
}

/// Whether the file is as it was written. Line ends and a byte order mark do not count: version
/// control and editors change them.
pub fn is_untouched(source: &str) -> bool {
    let source = source.strip_prefix('\u{feff}').unwrap_or(source).replace("\r\n", "\n");
    match (header_hash(&source), source.split_once('\n')) {
        (Some(named), Some((_, rest))) => named == hash(rest),
        _ => false,
    }
}

fn hash(rest: &str) -> String {
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
        assert!(!is_untouched(&written.replace("class A", "class B")));
        assert!(!is_untouched("class A {\n}\n"));
        assert!(!is_untouched(""));
        assert_eq!(header_hash(&written).map(str::len), Some(32));
    }
}
