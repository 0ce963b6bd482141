//! Branches that the environment does not decide, and how many of them the tests cover.
//!
//! In: the sources of a module with their comments (`samples/README.md`), and JaCoCo's report in
//! XML. Out: covered and feasible branches by file, and the lines whose comments are wrong.

use crate::effectiveness::Covered;
use anyhow::{Context, Result};
use std::collections::BTreeMap;

/// What the comment of a line says about its branches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mark {
    /// `// feasible: N of M`: tests can cover `N` of `M` branches, wherever they run.
    Feasible { feasible: u64, all: u64 },
    /// `// environment: REASON`: the environment decides.
    Environment,
}

/// The mark of a line; none if it has no such comment.
pub(super) fn mark(line: &str) -> Option<Mark> {
    if line.split_once("// environment: ").is_some_and(|(_, reason)| !reason.trim().is_empty()) {
        return Some(Mark::Environment);
    }
    let counts = line.split_once("// feasible: ")?.1;
    let counts = counts.split(',').next().unwrap_or_default();
    let (feasible, all) = counts.trim().split_once(" of ")?;
    Some(Mark::Feasible { feasible: feasible.parse().ok()?, all: all.parse().ok()? })
}

/// The branches of each line, by file: `org/example/A.java` to line to branches.
pub(super) type Branches = BTreeMap<String, BTreeMap<usize, Covered>>;

/// Reads the lines with branches from JaCoCo's XML.
///
/// # Errors
/// An attribute is missing or is no number.
pub(super) fn branches(xml: &str) -> Result<Branches> {
    let mut all = Branches::new();
    for package in xml.split("<package ").skip(1) {
        let folder = attribute(package, "name").context("a package without a name")?;
        for file in package.split("<sourcefile ").skip(1) {
            let name = attribute(file, "name").context("a file without a name")?;
            let lines = all.entry(format!("{folder}/{name}")).or_default();
            for line in file.split("<line ").skip(1) {
                let number = |name| {
                    attribute(line, name).with_context(|| format!("a line without {name}"))?.parse::<u64>().context("a count")
                };
                let (missed, covered) = (number("mb")?, number("cb")?);
                if missed + covered > 0 {
                    lines.insert(number("nr")? as usize, Covered { covered, total: missed + covered });
                }
            }
        }
    }
    Ok(all)
}

/// The value of the first attribute of this name.
fn attribute<'x>(xml: &'x str, name: &str) -> Option<&'x str> {
    let element = xml.split('>').next()?;
    let start = format!("{name}=\"");
    // The first attribute follows the name of the element directly; the others follow a space.
    let value = element.strip_prefix(&start).or_else(|| Some(element.split_once(&format!(" {start}"))?.1))?;
    Some(value.split_once('"')?.0)
}

/// What the marks of one file give.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct FileFigures {
    /// Branches that the environment does not decide.
    pub independent: Covered,
    /// Lines with independent branches that no test covers, with their text.
    pub missed: Vec<String>,
    /// Lines without a comment, or whose comment counts other branches than the class file has.
    pub wrong: Vec<String>,
}

/// Compares the branches of a file with its comments.
pub(super) fn compare(source: &str, branches: &BTreeMap<usize, Covered>) -> FileFigures {
    let mut figures = FileFigures::default();
    let none = Covered::default();
    for (number, line) in (1..).zip(source.lines()) {
        let found = branches.get(&number).copied().unwrap_or(none);
        match mark(line) {
            None if found.total > 0 => figures.wrong.push(format!("{number}: no comment, {} branches", found.total)),
            Some(Mark::Feasible { all, .. }) if all != found.total => {
                figures.wrong.push(format!("{number}: the comment says {all}, the class file has {}", found.total));
            }
            Some(Mark::Feasible { feasible, .. }) => {
                let covered = found.covered.min(feasible);
                figures.independent.covered += covered;
                figures.independent.total += feasible;
                if covered < feasible {
                    let code = line.split("//").next().unwrap_or_default().trim();
                    figures.missed.push(format!("{number}: {covered} of {feasible}: {code}"));
                }
            }
            Some(Mark::Environment) | None => {}
        }
    }
    figures
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOURCE: &str = "a { // feasible: 2 of 2\nb // environment: X\nc // feasible: 1 of 2, infeasible: d, e\nf";

    #[test]
    fn a_comment_marks_its_line() {
        let marks: Vec<_> = SOURCE.lines().map(mark).collect();
        let feasible = |feasible, all| Some(Mark::Feasible { feasible, all });
        assert_eq!(marks, [feasible(2, 2), Some(Mark::Environment), feasible(1, 2), None]);
        assert_eq!(mark("x // environment: "), None);
        assert_eq!(mark("x // feasible: two of 2"), None);
    }

    #[test]
    fn only_independent_and_feasible_branches_count() {
        let xml = r#"<report name="r"><package name="p/q"><class name="p/q/A"><counter type="LINE" missed="0" covered="1"/></class>
            <sourcefile name="A.java"><line nr="1" mi="0" ci="3" mb="1" cb="1"/><line nr="2" mi="0" ci="3" mb="2" cb="0"/>
            <line nr="3" mi="0" ci="3" mb="0" cb="2"/><line nr="4" mi="0" ci="3" mb="0" cb="0"/></sourcefile></package></report>"#;
        let all = branches(xml).expect("a report");
        let lines = &all["p/q/A.java"];
        assert_eq!(lines.keys().copied().collect::<Vec<_>>(), [1, 2, 3]);
        let figures = compare(SOURCE, lines);
        assert_eq!(figures.independent, Covered { covered: 2, total: 3 });
        assert_eq!(figures.missed, ["1: 1 of 2: a {"]);
        assert_eq!(figures.wrong, [""; 0]);
        assert!(branches("<package name=\"p\"><sourcefile name=\"A\"><line nr=\"1\"/>").is_err());
    }

    #[test]
    fn wrong_comments_are_found() {
        let count = |total| Covered { covered: 0, total };
        let lines = BTreeMap::from([(1, count(4)), (4, count(2))]);
        let figures = compare(SOURCE, &lines);
        assert_eq!(
            figures.wrong,
            [
                "1: the comment says 2, the class file has 4",
                "3: the comment says 2, the class file has 0",
                "4: no comment, 2 branches"
            ]
        );
    }
}
