//! No type name is defined twice in a crate, so that a name in a message or a search means one
//! thing.

use std::collections::BTreeMap;

use crate::ratchet::Violations;
use crate::repository::{first_word, product_code, rust_files};

/// The sources of each crate.
const CRATES: [&str; 7] =
    ["src", "native/classfile/src", "native/trace/src", "native/jvmti/src", "agent/src", "xtask/src", "tests/support/src"];

/// Names that may be defined more than once, with the reason.
const ALLOWED: &[(&str, &str)] = &[];

/// The types that a file defines outside functions and blocks.
fn defined_types(code: &str) -> Vec<String> {
    let mut names = Vec::new();
    for line in code.lines() {
        let line = match line.strip_prefix("pub") {
            Some(rest) if rest.starts_with('(') => rest.split_once(") ").map_or("", |(_, rest)| rest),
            Some(rest) => rest.trim_start(),
            None => line,
        };
        let definition = ["struct ", "enum ", "union ", "trait ", "type "].iter().find_map(|keyword| line.strip_prefix(keyword));
        names.extend(definition.map(first_word));
    }
    names
}

#[test]
fn type_names_are_defined_once_in_a_crate() {
    let mut violations = Violations::default();
    for krate in CRATES {
        let mut places: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for (file, text) in rust_files(krate) {
            for name in defined_types(&product_code(&file, &text)) {
                places.entry(name).or_default().push(file.clone());
            }
        }
        for (name, files) in places.iter().filter(|(_, files)| files.len() > 1) {
            if !ALLOWED.iter().any(|(allowed, _)| allowed == name) {
                violations.add(&format!("{krate} {name}"), files.join(", "));
            }
        }
    }
    violations.check("type-names");
}

#[test]
fn definitions_are_found() {
    let code = "pub struct A<T>(T);\npub(crate) enum B {\nstruct C;\n    type Item = u8;\ntype D = u8;\npub(super) trait E {}\nfn f() {}";
    assert_eq!(defined_types(code), ["A", "B", "C", "D", "E"]);
}
