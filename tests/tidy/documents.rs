//! Documents and comments are true and readable: named paths and identifiers exist, citations
//! resolve, lines and sentences are short.

use std::collections::HashSet;

use crate::ratchet::Violations;
use crate::repository::{files, texts, top_folder};

/// Characters in a line of a document or comment.
const COLUMNS: usize = 120;
/// Words in a sentence of a document.
const WORDS: usize = 40;
/// Folders with code whose comments are checked.
const CODE: [&str; 10] =
    ["src", "native", "agent", "xtask", "tests", "benches", "samples", "plugin-shared", "gradle-plugin", "maven-plugin"];

fn documents() -> Vec<(String, String)> {
    let mut all: Vec<(String, String)> = ["README.md", "CONTRIBUTING.md", "samples/README.md"]
        .iter()
        .map(|name| (name.to_string(), std::fs::read_to_string(crate::repository::root().join(name)).expect("a document")))
        .collect();
    all.extend(texts("docs", &[".md"]));
    all
}

/// The lines of a document outside fenced code, with their numbers.
fn prose_lines(text: &str) -> Vec<(usize, &str)> {
    let mut fenced = false;
    let mut lines = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        if line.trim_start().starts_with("```") {
            fenced = !fenced;
        } else if !fenced {
            lines.push((number, line));
        }
    }
    lines
}

/// The pieces between single backticks of a line.
fn code_spans(line: &str) -> Vec<&str> {
    line.split('`').skip(1).step_by(2).collect()
}

/// A path of the repository that a code span names; `None` for another kind of span.
fn as_path<'s>(span: &'s str, folders: &HashSet<String>) -> Option<&'s str> {
    let is_path = span.chars().all(|c| c.is_ascii_alphanumeric() || "._-/".contains(c));
    let span = span.trim_end_matches('/');
    (is_path && span.contains('/') && folders.contains(top_folder(span))).then_some(span)
}

/// The names that a code span consists of: of `a::B.c()` a, B and c; `None` for another kind of
/// span.
fn as_identifier(span: &str) -> Option<Vec<&str>> {
    let span = span.strip_suffix("()").unwrap_or(span);
    let parts: Vec<&str> = span.split("::").flat_map(|part| part.split('.')).collect();
    let is_name = |part: &&str| {
        part.chars().next().is_some_and(|c| c.is_ascii_alphabetic() || c == '_')
            && part.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    };
    (parts.iter().all(is_name) && span.len() > 1).then_some(parts)
}

/// Every identifier of code, of build files and of options.
fn known_words() -> HashSet<String> {
    let mut words = HashSet::new();
    let ends = [".rs", ".java", ".toml", ".gradle", ".xml", ".kts", ".properties", "/run"];
    for (name, text) in texts("", &ends) {
        words.extend(name.split(['/', '.']).map(str::to_owned));
        words.extend(text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').map(str::to_owned));
    }
    words
}

#[test]
fn paths_in_documents_exist() {
    let all: HashSet<String> = files("").into_iter().map(|(name, _)| name).collect();
    let exists = |path: &str| all.iter().any(|name| name == path || name.starts_with(&format!("{path}/")));
    let folders: HashSet<String> = all.iter().map(|name| top_folder(name).to_owned()).collect();
    let mut violations = Violations::default();
    for (name, text) in documents() {
        for (number, line) in prose_lines(&text) {
            for path in code_spans(line).into_iter().filter_map(|span| as_path(span, &folders)) {
                if !exists(path) {
                    violations.add("documents", format!("{name}:{number}: there is no `{path}`"));
                }
            }
        }
    }
    violations.check("paths");
}

#[test]
fn identifiers_in_documents_exist() {
    let words = known_words();
    let mut violations = Violations::default();
    for (name, text) in documents() {
        for (number, line) in prose_lines(&text) {
            for span in code_spans(line) {
                let option = span.strip_prefix("--").map(|option| option.replace('-', "_"));
                let parts = option.as_deref().map_or_else(|| as_identifier(span), as_identifier).unwrap_or_default();
                if let Some(part) = parts.iter().find(|part| !words.contains(**part)) {
                    violations.add("documents", format!("{name}:{number}: `{span}`: no code, option or build file has {part}"));
                }
            }
        }
    }
    violations.check("identifiers");
}

/// The short names of sources that `docs/references.md` has entries for.
fn sources(references: &str) -> Vec<String> {
    let bold = references.lines().filter_map(|line| line.strip_prefix("- **")?.split("**").next());
    let cells = references.lines().filter_map(|line| line.strip_prefix("| ")?.split(" |").next());
    bold.chain(cells).map(str::to_owned).collect()
}

/// The text before a `§` that names no source.
fn unresolved_citations<'l>(line: &'l str, sources: &[String]) -> Vec<&'l str> {
    let mut unresolved = Vec::new();
    for (position, _) in line.match_indices('§') {
        let before = line[..position].trim_end();
        let word = before.rsplit(|c: char| c.is_whitespace() || "(`".contains(c)).next().unwrap_or_default();
        // `JVMS §4.7.4 and §4.10` continues a citation.
        let continues = matches!(word, "" | "and" | "or" | "to" | "//" | "///" | "//!" | "*") || word.ends_with(',');
        if !continues && !sources.iter().any(|source| before.ends_with(source.as_str())) {
            unresolved.push(word);
        }
    }
    unresolved
}

#[test]
fn citations_have_an_entry_in_the_references() {
    let references = documents().into_iter().find(|(name, _)| name == "docs/references.md").expect("docs/references.md").1;
    let sources = sources(&references);
    let mut violations = Violations::default();
    let code = CODE.iter().flat_map(|folder| texts(folder, &[".rs", ".java"]));
    for (name, text) in documents().into_iter().chain(code).filter(|(name, _)| name != "tests/tidy/documents.rs") {
        for (number, line) in (1..).zip(text.lines()) {
            for word in unresolved_citations(line, &sources) {
                violations.add(top_folder(&name), format!("{name}:{number}: {word} has no entry in docs/references.md"));
            }
        }
    }
    violations.check("citations");
}

#[test]
fn lines_of_documents_and_comments_are_short() {
    let mut violations = Violations::default();
    for (name, text) in documents() {
        for (number, line) in (1..).zip(text.lines()).filter(|(_, line)| line.chars().count() > COLUMNS && !line.contains("://"))
        {
            violations.add("documents", format!("{name}:{number}: {} columns", line.chars().count()));
        }
    }
    for (name, text) in CODE.iter().flat_map(|folder| texts(folder, &[".rs", ".java"])) {
        for (number, line) in (1..).zip(text.lines()).filter(|(_, line)| is_long_comment(line)) {
            violations.add(top_folder(&name), format!("{name}:{number}: {} columns", line.chars().count()));
        }
    }
    violations.check("columns");
}

fn is_long_comment(line: &str) -> bool {
    let start = line.trim_start();
    let is_comment = ["//", "/*", "* "].iter().any(|begin| start.starts_with(begin)) || line.contains(" // ");
    is_comment && line.chars().count() > COLUMNS && !line.contains("://")
}

/// The paragraphs, list items and table cells of a document.
fn paragraphs(text: &str) -> Vec<(usize, String)> {
    let mut found: Vec<(usize, String)> = Vec::new();
    let mut is_open = false;
    for (number, line) in prose_lines(text) {
        let line = line.trim();
        let numbered = line.split_once(". ").is_some_and(|(number, _)| number.chars().all(|c| c.is_ascii_digit()));
        let is_item = line.starts_with("- ") || line.starts_with("* ") || numbered;
        if line.starts_with('|') {
            found.extend(line.split('|').map(|cell| (number, cell.to_owned())));
            is_open = false;
        } else if line.is_empty() || line.starts_with('#') {
            is_open = false;
        } else if is_open && !is_item {
            let last = found.last_mut().expect("an open paragraph");
            last.1.push(' ');
            last.1.push_str(line);
        } else {
            found.push((number, line.to_owned()));
            is_open = true;
        }
    }
    found
}

/// The number of words of each sentence; a colon ends a sentence as a full stop does.
fn sentence_lengths(paragraph: &str) -> Vec<usize> {
    let mut lengths = vec![0];
    for word in paragraph.split_whitespace() {
        *lengths.last_mut().expect("a sentence") += 1;
        if word.trim_end_matches(['`', ')', '*', '"']).ends_with(['.', '!', '?', ':', ';']) {
            lengths.push(0);
        }
    }
    lengths
}

#[test]
fn sentences_of_documents_are_short() {
    let mut violations = Violations::default();
    for (name, text) in documents() {
        for (number, paragraph) in paragraphs(&text) {
            for length in sentence_lengths(&paragraph).into_iter().filter(|length| *length > WORDS) {
                violations.add("documents", format!("{name}:{number}: a sentence of {length} words"));
            }
        }
    }
    violations.check("sentences");
}

#[test]
fn paths_and_identifiers_are_recognised() {
    let folders: HashSet<String> = ["src".to_owned()].into();
    assert_eq!(as_path("src/expr/", &folders), Some("src/expr"));
    assert_eq!((as_path("a/b", &folders), as_path("src", &folders), as_path("src/*.rs", &folders)), (None, None, None));
    assert_eq!(as_identifier("a::B.c()"), Some(vec!["a", "B", "c"]));
    assert_eq!((as_identifier("a b"), as_identifier("--x"), as_identifier("x")), (None, None, None));
    assert_eq!(code_spans("a `b` c `d`"), ["b", "d"]);
    assert!(known_words().contains("as_identifier") && !known_words().contains(&["no_such", "identifier"].join("_")));
}

#[test]
fn unknown_sources_are_recognised() {
    let sources = sources("- **JVMS**: a book\n| Z3 | 4 |\n");
    assert_eq!(sources, ["JVMS", "Z3"]);
    assert_eq!(unresolved_citations("(JVMS §4.7.4 and §5, Z3 §1), see DESIGN §3", &sources), ["DESIGN"]);
}

#[test]
fn long_sentences_and_lines_are_recognised() {
    let text = "# Title\nOne two\nthree. Four `a.b` five:\n- six\n| seven | eight nine |\n```\nten\n```\n";
    let lengths: Vec<usize> = paragraphs(text).iter().flat_map(|(_, text)| sentence_lengths(text)).filter(|n| *n > 0).collect();
    assert_eq!(lengths, [3, 3, 2, 1, 2]);
    assert!(is_long_comment(&format!("// {}", "x".repeat(COLUMNS))) && !is_long_comment(&"x".repeat(COLUMNS + 1)));
}
