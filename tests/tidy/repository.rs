//! The files of the repository, and the code in them without comments and unit tests.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// The root of the repository.
pub(crate) fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The files below a folder by their path relative to the root, in order. What builds leave is not
/// among them.
pub(crate) fn files(folder: &str) -> Vec<(String, PathBuf)> {
    let mut files: Vec<(String, PathBuf)> = walkdir::WalkDir::new(root().join(folder))
        .into_iter()
        .filter_entry(|entry| {
            !matches!(entry.file_name().to_str(), Some("target" | ".git" | "build" | "node_modules" | ".gradle"))
        })
        .map(|entry| entry.expect("an entry").into_path())
        .filter(|path| path.is_file())
        .map(|path| (path.strip_prefix(root()).expect("below the root").to_string_lossy().into_owned(), path))
        .collect();
    files.sort();
    files
}

/// The texts of all files below a folder whose names end with one of these; files that are not
/// UTF-8 are left out.
pub(crate) fn texts(folder: &str, ends: &[&str]) -> Vec<(String, String)> {
    let chosen = files(folder).into_iter().filter(|(name, _)| ends.iter().any(|end| name.ends_with(end)));
    chosen.filter_map(|(name, path)| Some((name, std::fs::read_to_string(path).ok()?))).collect()
}

/// The texts of all Rust files below a folder.
pub(crate) fn rust_files(folder: &str) -> Vec<(String, String)> {
    texts(folder, &[".rs"])
}

/// The first folder of a path, or the path itself where it lies in the root: `src/expr/mod.rs` is
/// in `src`.
pub(crate) fn top_folder(name: &str) -> &str {
    name.split('/').next().unwrap_or(name)
}

/// Whether a Rust file holds tests or benchmarks only.
pub(crate) fn is_test_file(name: &str) -> bool {
    name.ends_with("/tests.rs") || format!("/{name}").contains("/tests/") || format!("/{name}").contains("/benches/")
}

/// The part of a Rust file before its unit tests; nothing of a file that holds tests or benchmarks
/// only.
pub(crate) fn product_text<'t>(name: &str, text: &'t str) -> &'t str {
    if is_test_file(name) { "" } else { text.split("#[cfg(test)]\nmod ").next().unwrap_or_default() }
}

/// The code of a Rust file without comments and without its unit tests.
pub(crate) fn product_code(name: &str, text: &str) -> String {
    let lines = product_text(name, text).lines().map(|line| {
        let code = line.trim_start();
        if code.starts_with("//") { "" } else { line.split(" // ").next().unwrap_or_default() }
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// The first names after each `prefix` at the beginning of a path: of `crate::a` and `crate::{b::x,
/// c}` a, b and c.
pub(crate) fn names_after(code: &str, prefix: &str) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for (position, _) in code.match_indices(prefix) {
        let inside_a_path = code[..position].ends_with(|c: char| c.is_alphanumeric() || c == '_' || c == ':');
        if inside_a_path {
            continue;
        }
        let rest = &code[position + prefix.len()..];
        let Some(group) = rest.strip_prefix('{') else {
            names.insert(first_word(rest));
            continue;
        };
        let mut depth = 0;
        let mut at_start = true;
        for (offset, c) in group.char_indices() {
            match c {
                '{' => depth += 1,
                '}' if depth == 0 => break,
                '}' => depth -= 1,
                ',' if depth == 0 => at_start = true,
                c if at_start && c.is_alphabetic() => {
                    names.insert(first_word(&group[offset..]));
                    at_start = false;
                }
                _ => {}
            }
        }
    }
    names
}

/// The identifier at the beginning of a text; empty where there is none.
pub(crate) fn first_word(text: &str) -> String {
    text.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect()
}

/// Whether the code names a crate at the beginning of a path; `self::z3::` and `super::z3::` name
/// modules.
pub(crate) fn names_crate(code: &str, name: &str) -> bool {
    let path = format!("{name}::");
    let in_paths = code.match_indices(&path).any(|(position, _)| {
        let before = &code[..position];
        let rooted = before.ends_with("::") && !before.ends_with(|c: char| c.is_alphanumeric());
        let global = rooted && before[..before.len() - 2].ends_with(|c: char| !c.is_alphanumeric() && c != '_');
        global || !before.ends_with(|c: char| c.is_alphanumeric() || c == '_' || c == ':')
    });
    in_paths || code.contains(&format!("use {name};")) || code.contains(&format!("use {name} as "))
}

#[test]
fn names_are_found_in_paths_and_groups() {
    let code = "use crate::{expr::{A, B}, solve};\nlet x = crate::tree::y(); not_crate::path::z(); use super::z3::Q; z3_sys::f(); ::z3::g();";
    assert_eq!(names_after(code, "crate::"), ["expr", "solve", "tree"].map(String::from).into());
    assert!(names_crate(code, "z3_sys") && names_crate(code, "z3"));
    assert!(!names_crate("use super::z3::Z3Solver; my_z3::x", "z3"));
    assert_eq!(names_after("use std::{fs, io::Read};", "std::"), ["fs", "io"].map(String::from).into());
}

#[test]
fn product_code_has_no_comments_and_tests() {
    let text = "// std::fs\nlet a = 1; // std::fs\n#[cfg(test)]\nmod tests { std::fs }";
    assert_eq!(product_code("src/a.rs", text), "\nlet a = 1;");
    assert_eq!(product_code("src/a/tests.rs", text), "");
    assert!(is_test_file("tests/a.rs") && is_test_file("native/trace/benches/b.rs") && !is_test_file("src/a.rs"));
}
