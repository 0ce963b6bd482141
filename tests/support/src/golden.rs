//! Goldens: expected texts in files, written anew with `UPDATE_EXPECT=1`.

use std::path::Path;

/// Compares a text with the golden at a path, or writes the golden where `UPDATE_EXPECT=1` is set.
///
/// # Errors
/// A message with the first line that differs and the whole found text. A golden that does not
/// exist is empty.
pub fn compare_golden(path: &Path, found: &str) -> Result<(), String> {
    if std::env::var_os("UPDATE_EXPECT").is_some_and(|value| value == "1") {
        std::fs::create_dir_all(path.parent().expect("a golden lies in a folder")).expect("a writable folder");
        std::fs::write(path, found).expect("a writable golden");
        return Ok(());
    }
    let expected = std::fs::read_to_string(path).unwrap_or_default();
    first_difference(&expected, found).map_or(Ok(()), |difference| {
        Err(format!("{}, {difference}\n(UPDATE_EXPECT=1 accepts the found text)\n{found}", path.display()))
    })
}

/// As [`compare_golden`], but a difference fails the test.
#[track_caller]
pub fn check_golden(path: &Path, found: &str) {
    if let Err(difference) = compare_golden(path, found) {
        panic!("{difference}");
    }
}

/// The first line that differs, with both versions; `None` where the texts are equal.
fn first_difference(expected: &str, found: &str) -> Option<String> {
    if expected == found {
        return None;
    }
    let mut lines = (expected.split('\n'), found.split('\n'));
    let mut number = 1;
    loop {
        match (lines.0.next(), lines.1.next()) {
            (Some(left), Some(right)) if left == right => number += 1,
            (left, right) => {
                let (left, right) = (left.unwrap_or("(end of text)"), right.unwrap_or("(end of text)"));
                return Some(format!("line {number}:\nexpected: {left}\nfound:    {right}"));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::first_difference;

    #[test]
    fn the_first_difference_is_named() {
        assert_eq!(first_difference("a\nb\n", "a\nb\n"), None);
        assert_eq!(first_difference("a\nb\n", "a\nc\n").as_deref(), Some("line 2:\nexpected: b\nfound:    c"));
        assert_eq!(first_difference("a", "a\n").as_deref(), Some("line 2:\nexpected: (end of text)\nfound:    "));
    }
}
