//! No product file has more than 700 lines; unit tests at the end of a file do not count.

use crate::ratchet::Violations;
use crate::repository::{is_test_file, product_text, texts};

const LIMIT: usize = 700;
/// Folders with product code.
const FOLDERS: [&str; 7] = ["src", "native", "agent", "xtask", "plugin-shared", "gradle-plugin", "maven-plugin"];

/// The number of lines of a product file; 0 for a test file.
fn product_lines(name: &str, text: &str) -> usize {
    if is_test_file(name) { 0 } else { product_text(name, text).lines().count() }
}

#[test]
fn no_product_file_is_too_long() {
    let mut violations = Violations::default();
    for (name, text) in FOLDERS.iter().flat_map(|folder| texts(folder, &[".rs", ".java"])) {
        let lines = product_lines(&name, &text);
        if lines > LIMIT {
            violations.add(&name, format!("{lines} lines"));
        }
    }
    violations.check("long-files");
}

#[test]
fn unit_tests_do_not_count() {
    let text = format!("{}#[cfg(test)]\nmod tests {{\n{}}}\n", "a\n".repeat(5), "b\n".repeat(9));
    assert_eq!(product_lines("src/a.rs", &text), 5);
    assert_eq!(product_lines("src/a/tests.rs", &text), 0);
    assert_eq!(product_lines("src/a.rs", &"a\n".repeat(LIMIT + 1)), LIMIT + 1);
}
