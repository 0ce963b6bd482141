//! Names of types in the file. In: text in which every class stands as a marked internal name; out:
//! the same text with simple names where they are unambiguous, and the imports that these need.

use std::collections::{BTreeMap, BTreeSet};

use crate::program::{ClassName, JavaType, Nesting, Program};

const OPEN: char = '\u{1}';
const CLOSE: char = '\u{2}';

/// Simple names of the methods of Mockito that tests import.
pub(crate) const MOCKING: [&str; 19] = [
    "mock",
    "never",
    "when",
    "doReturn",
    "doThrow",
    "verify",
    "times",
    "eq",
    "isNull",
    "nullable",
    "any",
    "anyBoolean",
    "anyByte",
    "anyChar",
    "anyShort",
    "anyInt",
    "anyLong",
    "anyFloat",
    "anyDouble",
];

/// Simple names of the methods of spring-test that tests import.
pub(crate) const REQUESTS: [&str; 12] =
    ["get", "post", "put", "delete", "patch", "head", "options", "status", "view", "model", "content", "redirectedUrl"];

/// A class in text that gets its name later. Literals hold no control characters, so that the marks
/// are unique.
pub(crate) fn mark(class: &ClassName) -> String {
    format!("{OPEN}{class}{CLOSE}")
}

/// Columns of the text once its marked names are simple ones: a marked `java/util/List` takes four.
pub(crate) fn visible_width(text: &str) -> usize {
    text.split(OPEN)
        .enumerate()
        .map(|(index, part)| match part.split_once(CLOSE) {
            Some((name, rest)) if index > 0 => name.rsplit('/').next().unwrap_or_default().len() + rest.len(),
            _ => part.len(),
        })
        .sum()
}

/// A type with its classes marked.
pub(crate) fn mark_type(ty: &JavaType) -> String {
    match (ty, ty.primitive()) {
        (JavaType::Class(name), _) => mark(name),
        (JavaType::Array(element), _) => format!("{}[]", mark_type(element)),
        (_, Some(primitive)) => primitive.keyword().into(),
        _ => "void".into(),
    }
}

/// The top-level class around a class, and the simple names from there inwards.
pub(crate) fn path(program: &Program, class: &ClassName) -> (ClassName, Vec<String>) {
    match program.class(class).map(|model| model.nesting.clone()) {
        Some(Nesting::Member { enclosing, simple_name, .. }) => {
            let (outermost, mut names) = path(program, &enclosing);
            names.push(simple_name);
            (outermost, names)
        }
        _ => (class.clone(), vec![class.local_name().to_string()]),
    }
}

/// Replaces every marked class by a name. Returns the text and the sorted imports. `package`:
/// internal name of the test's package; `preferred`: the class that gets its simple name first;
/// `taken`: simple names with another meaning in the file.
pub(crate) fn resolve(
    text: &str,
    program: &Program,
    package: &str,
    preferred: &ClassName,
    taken: &BTreeSet<String>,
) -> (String, Vec<String>) {
    let mut used: BTreeSet<ClassName> = BTreeSet::new();
    for part in text.split(OPEN).skip(1) {
        if let Some((name, _)) = part.split_once(CLOSE) {
            used.insert(ClassName::new(name));
        }
    }
    let outermost: BTreeSet<ClassName> = used.iter().map(|class| path(program, class).0).collect();
    let preferred = path(program, preferred).0;
    // The order in which simple names are given: the class under test, the own package and
    // java.lang (which need no import), then the others by name.
    let rank = |class: &ClassName| match class.package() {
        _ if *class == preferred => 0,
        own if own == package => 1,
        "java/lang" => 2,
        _ => 3,
    };
    let mut order: Vec<&ClassName> = outermost.iter().collect();
    order.sort_by_key(|class| (rank(class), (*class).clone()));
    let mut simple: BTreeMap<String, ClassName> = BTreeMap::new();
    for class in order {
        let name = class.local_name();
        let sibling = |other: &str| ClassName::new(&if other.is_empty() { name.to_string() } else { format!("{other}/{name}") });
        let shadows = match class.package() {
            own if own == package => false,
            // A class of the own package hides the one of java.lang; an import would hide a class
            // of java.lang.
            "java/lang" => program.class(&sibling(package)).is_some(),
            _ => program.class(&sibling("java/lang")).is_some(),
        };
        // A simple name in lower case may be obscured by a variable or a package (JLS §6.4.2).
        if !shadows && !taken.contains(name) && !simple.contains_key(name) && !name.starts_with(|c: char| c.is_lowercase()) {
            simple.insert(name.to_string(), class.clone());
        }
    }
    let written = |class: &ClassName| {
        let (top, names) = path(program, class);
        match simple.get(top.local_name()) {
            Some(known) if *known == top => names.join("."),
            _ if top.package().is_empty() => names.join("."),
            _ => format!("{}.{}", top.package().replace('/', "."), names.join(".")),
        }
    };
    let mut resolved = String::with_capacity(text.len());
    for (index, part) in text.split(OPEN).enumerate() {
        match part.split_once(CLOSE) {
            Some((name, rest)) if index > 0 => {
                resolved.push_str(&written(&ClassName::new(name)));
                resolved.push_str(rest);
            }
            _ => resolved.push_str(part),
        }
    }
    let mut imports: Vec<String> = simple
        .values()
        .filter(|class| class.package() != package && class.package() != "java/lang")
        .map(ClassName::binary)
        .collect();
    imports.sort();
    (resolved, imports)
}

/// `CSVFormat` → `csvFormat`, `URL` → `url`, `Fraction` → `fraction`.
pub(crate) fn camel(name: &str) -> String {
    let characters: Vec<char> = name.chars().filter(|c| c.is_ascii_alphanumeric() || *c == '_').collect();
    let upper = characters.iter().take_while(|c| c.is_ascii_uppercase()).count();
    let lowered = match upper {
        0 | 1 => upper,
        all if all == characters.len() => all,
        run if characters[run].is_ascii_lowercase() => run - 1,
        run => run,
    };
    characters.iter().enumerate().map(|(index, c)| if index < lowered { c.to_ascii_lowercase() } else { *c }).collect()
}

/// The name with its first letter in upper case.
pub(crate) fn capitalised(name: &str) -> String {
    let mut characters = name.chars();
    characters.next().map_or_else(String::new, |first| first.to_ascii_uppercase().to_string() + characters.as_str())
}

/// Whether the name of a parameter has a meaning: not `arg0`, `p1` or the like, which compilers
/// and obfuscators leave.
pub(crate) fn is_telling(name: &str) -> bool {
    let plain = name.chars().all(|c| c.is_ascii_alphanumeric());
    let numbered = name.trim_end_matches(|c: char| c.is_ascii_digit());
    plain && name.len() <= 20 && !(numbered.len() < name.len() && matches!(numbered, "arg" | "p" | "param" | "var"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn leading_capitals_become_lower_case_up_to_the_next_word() {
        for (name, expected) in [("CSVFormat", "csvFormat"), ("URL", "url"), ("Fraction", "fraction"), ("a-b", "ab")] {
            assert_eq!(camel(name), expected);
        }
        assert_eq!((capitalised("size"), capitalised("")), ("Size".into(), String::new()));
    }

    #[test]
    fn names_of_compilers_tell_nothing() {
        assert!(is_telling("offset") && !is_telling("arg0") && !is_telling("p1"));
    }

    #[test]
    fn arrays_of_marked_classes_keep_their_dimensions() {
        let ty = JavaType::parse("[[Lp/C;").expect("a descriptor");
        assert_eq!(mark_type(&ty), "\u{1}p/C\u{2}[][]");
    }
}
