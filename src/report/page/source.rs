//! The lines of a class: its source, or where that is missing its methods with their line numbers.
//!
//! Flows in: the coverage of a class, and folders with sources. Flows out: for each line its state,
//! the tests that cover it and one sentence for each open branch and surviving mutant. Must not
//! know HTML, nor how coverage was measured.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Component, Path, PathBuf};

use serde::Serialize;

use crate::files;
use crate::report::{BranchCoverage, ClassCoverage, counted};

/// The lines of a class in groups.
#[derive(Debug, Serialize)]
pub(super) struct LineListing<'a> {
    /// What the lines are.
    caption: String,
    /// Why there is no source.
    remark: Option<String>,
    /// Whether lines have their texts.
    has_source: bool,
    /// One group with the source, or one group a method.
    groups: Vec<LineGroup<'a>>,
}

/// Lines that belong together.
#[derive(Debug, Serialize)]
struct LineGroup<'a> {
    /// The method as Java declares it; `None` where the lines are those of a source file.
    method: Option<&'a str>,
    /// One sentence for each open branch of the method without a line number.
    notes: Vec<String>,
    lines: Vec<LineView<'a>>,
}

/// One line.
#[derive(Debug, Serialize)]
struct LineView<'a> {
    /// From 1.
    number: u32,
    /// Whether links to the line lead here. A line can be in several methods.
    is_anchor: bool,
    /// Empty where there is no source.
    text: &'a str,
    state: LineState,
    /// A sign for the state, so that colours are not needed.
    mark: &'static str,
    /// The state in words.
    word: &'static str,
    /// Places of the tests that cover the line, with spaces between them.
    tests: String,
    /// One sentence for each open branch and each surviving mutant.
    notes: Vec<String>,
}

/// How far the tests cover a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum LineState {
    /// The class files have no code for the line.
    #[serde(rename = "none")]
    NoCode,
    /// A test reaches the line, and all branch outcomes of it are covered.
    Covered,
    /// A test reaches the line, and some branch outcome of it is open.
    Partly,
    /// No test reaches the line.
    Open,
}

/// What coverage says about one line.
#[derive(Debug, Default)]
struct LineFacts {
    has_code: bool,
    is_reached: bool,
    has_open_branch: bool,
    tests: Vec<String>,
    notes: Vec<String>,
}

/// The text of a source file in the first folder that has it; bytes that are not UTF-8 become
/// replacement characters. A path that leaves the folders names no source.
pub(super) fn read_source(folders: &[PathBuf], file: &str) -> Option<String> {
    let file = Path::new(file);
    if !file.components().all(|part| matches!(part, Component::Normal(_))) {
        return None;
    }
    folders.iter().find_map(|folder| files::read_text_if_exists(&folder.join(file)).ok().flatten())
}

/// Lists the lines of the source, where it has all lines that coverage names. A shorter file is the
/// source of another version; then the lines are listed by method.
pub(super) fn line_listing<'a>(coverage: &'a ClassCoverage, source: Option<&'a str>) -> LineListing<'a> {
    let facts = line_facts(coverage);
    let last = facts.keys().next_back().copied().unwrap_or_default();
    let file = coverage.source.as_deref();
    let length = source.map_or(0, |source| source.lines().count());
    let remark = match (file, source) {
        (Some(_), Some(_)) if length >= last as usize => None,
        (Some(file), Some(_)) => Some(format!(
            "{file} has {}, but the class has code in line {last}. \
             It is not the source of this class, so the lines are listed by method.",
            counted(length as u64, "line", "lines")
        )),
        (Some(file), None) => Some(format!("{file} was not found in a folder of sources, so the lines are listed by method.")),
        (None, _) => Some("The class file does not name its source, so the lines are listed by method.".to_owned()),
    };
    match source.filter(|_| remark.is_none()) {
        Some(source) => LineListing {
            caption: format!("Source of {}", file.unwrap_or_default()),
            remark,
            has_source: true,
            groups: vec![source_group(source, &facts)],
        },
        None => LineListing {
            caption: "Lines by method".to_owned(),
            remark,
            has_source: false,
            groups: method_groups(coverage, &facts),
        },
    }
}

impl LineListing<'_> {
    /// The lines that a link can lead to.
    pub(super) fn anchors(&self) -> BTreeSet<u32> {
        let lines = self.groups.iter().flat_map(|group| &group.lines);
        lines.filter(|line| line.is_anchor).map(|line| line.number).collect()
    }
}

/// Collects what coverage says, by line. Line 0 stands for no line and is left out.
fn line_facts(coverage: &ClassCoverage) -> BTreeMap<u32, LineFacts> {
    let mut facts: BTreeMap<u32, LineFacts> = BTreeMap::new();
    for line in coverage.lines().iter() {
        facts.entry(line).or_default().has_code = true;
    }
    for (place, test) in coverage.tests.iter().enumerate() {
        for line in test.lines.iter() {
            let line = facts.entry(line).or_default();
            (line.has_code, line.is_reached) = (true, true);
            line.tests.push(place.to_string());
        }
    }
    for branch in &coverage.branches {
        // Some lines with branches are no line goals.
        let line = facts.entry(branch.line).or_default();
        line.has_code = true;
        line.is_reached |= branch.open.is_none();
        line.has_open_branch |= branch.open.is_some();
        line.notes.extend(open_sentence(branch));
    }
    for mutant in &coverage.mutants {
        let sentence = format!("surviving mutant: {}", mutant.change);
        facts.entry(mutant.line).or_default().notes.push(sentence);
    }
    facts.remove(&0);
    facts
}

/// Says which way of an open branch no test takes, and why.
fn open_sentence(branch: &BranchCoverage) -> Option<String> {
    branch.open.as_ref().map(|why| format!("open: {}: {why}", branch.condition))
}

/// All lines of a source file.
fn source_group<'a>(source: &'a str, facts: &BTreeMap<u32, LineFacts>) -> LineGroup<'a> {
    let lines = (1_u32..).zip(source.lines());
    LineGroup {
        method: None,
        notes: Vec::new(),
        lines: lines.map(|(number, text)| line_view(number, text, facts.get(&number), true)).collect(),
    }
}

/// The lines of each method. The first group with a line has its anchor and its notes.
fn method_groups<'a>(coverage: &'a ClassCoverage, facts: &BTreeMap<u32, LineFacts>) -> Vec<LineGroup<'a>> {
    let mut listed = BTreeSet::new();
    let mut groups = Vec::new();
    for (place, method) in coverage.methods.iter().enumerate() {
        let branches: Vec<&BranchCoverage> = coverage.branches.iter().filter(|branch| branch.method == place).collect();
        let of_branches = branches.iter().map(|branch| branch.line).filter(|line| *line > 0);
        let numbers: BTreeSet<u32> = method.lines.iter().chain(of_branches).collect();
        let without_line = branches.iter().filter(|branch| branch.line == 0);
        groups.push(LineGroup {
            method: Some(&method.method),
            notes: without_line.filter_map(|branch| open_sentence(branch)).collect(),
            lines: numbers.into_iter().map(|number| line_view(number, "", facts.get(&number), listed.insert(number))).collect(),
        });
    }
    groups
}

/// Describes one line.
fn line_view<'a>(number: u32, text: &'a str, facts: Option<&LineFacts>, is_anchor: bool) -> LineView<'a> {
    let state = facts.map_or(LineState::NoCode, LineFacts::state);
    let (mark, word) = state.mark_and_word();
    let notes = facts.filter(|_| is_anchor).map(|facts| facts.notes.clone()).unwrap_or_default();
    let tests = facts.map(|facts| facts.tests.join(" ")).unwrap_or_default();
    LineView { number, is_anchor, text, state, mark, word, tests, notes }
}

impl LineFacts {
    /// The state of the line.
    fn state(&self) -> LineState {
        match self {
            LineFacts { has_code: false, .. } => LineState::NoCode,
            LineFacts { is_reached: false, .. } => LineState::Open,
            LineFacts { has_open_branch: true, .. } => LineState::Partly,
            _ => LineState::Covered,
        }
    }
}

impl LineState {
    /// The sign of the state and the words for it; empty where there is no code.
    fn mark_and_word(self) -> (&'static str, &'static str) {
        match self {
            LineState::NoCode => ("", ""),
            LineState::Covered => ("✓", "covered"),
            LineState::Partly => ("◐", "partly covered"),
            LineState::Open => ("✗", "not covered"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::{MethodCoverage, NumberSet, SurvivingMutant, TestCoverage};

    fn numbers(text: &str) -> NumberSet {
        text.parse().expect("ranges")
    }

    fn coverage() -> ClassCoverage {
        let method = |method: &str, lines: &str| MethodCoverage {
            method: method.into(),
            lines: numbers(lines),
            ..MethodCoverage::default()
        };
        let branch = |method, line, open: Option<&str>| BranchCoverage {
            method,
            line,
            condition: format!("c{line}"),
            open: open.map(str::to_owned),
        };
        let test = |name: &str, lines: &str| TestCoverage { name: name.into(), lines: numbers(lines), ..TestCoverage::default() };
        ClassCoverage {
            source: Some("p/A.java".into()),
            methods: vec![method("int f(int)", "2-3"), method("void g()", "3-4")],
            branches: vec![branch(0, 2, None), branch(0, 2, Some("why")), branch(1, 5, Some("why")), branch(1, 0, Some("why"))],
            tests: vec![test("one", "2"), test("two", "2-3")],
            mutants: vec![SurvivingMutant { line: 3, change: "+ becomes -".into() }],
        }
    }

    /// The listing as text: a line for each line.
    fn shown(listing: &LineListing<'_>) -> String {
        let mut text = String::new();
        for group in &listing.groups {
            text += &group.method.map(|method| format!("{method} {:?}\n", group.notes)).unwrap_or_default();
            for line in &group.lines {
                let anchor = if line.is_anchor { "#" } else { "" };
                let (number, mark, tests) = (line.number, line.mark, &line.tests);
                text += format!("{anchor}{number} {mark} [{tests}] {} {}", line.text, line.notes.join("; ")).trim_end();
                text += "\n";
            }
        }
        text
    }

    #[test]
    fn source_lines_have_states_tests_and_notes() {
        let coverage = coverage();
        let listing = line_listing(&coverage, Some("class A {\nif\n+\ncall\nelse\n}"));
        assert_eq!((listing.caption.as_str(), &listing.remark), ("Source of p/A.java", &None));
        let expected = "#1  [] class A {\n\
                        #2 ◐ [0 1] if open: c2: why\n\
                        #3 ✓ [1] + surviving mutant: + becomes -\n\
                        #4 ✗ [] call\n\
                        #5 ✗ [] else open: c5: why\n\
                        #6  [] }\n";
        assert_eq!(shown(&listing), expected);
        assert_eq!(listing.anchors(), (1..=6).collect());
    }

    #[test]
    fn without_a_source_lines_are_listed_by_method_and_each_has_one_anchor() {
        let coverage = coverage();
        let listing = line_listing(&coverage, None);
        let expected = "int f(int) []\n\
                        #2 ◐ [0 1]  open: c2: why\n\
                        #3 ✓ [1]  surviving mutant: + becomes -\n\
                        void g() [\"open: c0: why\"]\n\
                        3 ✓ [1]\n\
                        #4 ✗ []\n\
                        #5 ✗ []  open: c5: why\n";
        assert_eq!(shown(&listing), expected);
        let remark = listing.remark.expect("a remark");
        assert_eq!(remark, "p/A.java was not found in a folder of sources, so the lines are listed by method.");
    }

    #[test]
    fn a_source_that_is_too_short_is_not_shown() {
        let coverage = coverage();
        let listing = line_listing(&coverage, Some("class A {}"));
        assert!(!listing.has_source);
        let remark = listing.remark.expect("a remark");
        assert!(remark.starts_with("p/A.java has 1 line, but the class has code in line 5."), "{remark}");
    }

    #[test]
    fn the_first_folder_with_the_file_counts_and_no_path_leaves_it() {
        let folder = tempfile::tempdir().expect("temporary folder");
        let (first, second) = (folder.path().join("first"), folder.path().join("second"));
        for (root, bytes) in [(&first, &b"caf\xe9"[..]), (&second, b"other")] {
            std::fs::create_dir_all(root.join("p")).expect("writable");
            std::fs::write(root.join("p/A.java"), bytes).expect("writable");
        }
        let folders = [folder.path().join("missing"), first.clone(), second];
        assert_eq!(read_source(&folders, "p/A.java").as_deref(), Some("caf\u{fffd}"));
        assert_eq!(read_source(&folders, "p/B.java"), None);
        assert_eq!(read_source(&folders, "../first/p/A.java"), None);
        assert_eq!(read_source(&folders, &first.join("p/A.java").to_string_lossy()), None);
    }
}
