//! The figures of an application, as pure functions.
//!
//! In: the text of `report.json`, and what was measured. Out: rows of the result and text.

use super::coverage::Coverage;
use super::score::Score;
use super::sources::Form;
use crate::effectiveness::Covered;
use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt::Write;

/// Operator, in the texts of mutants, that removes the call of a `void` method.
const REMOVED_CALL: &str = " VOID_METHOD_CALLS ";

/// Adds goals.
pub(super) fn add(sum: &mut Covered, other: Covered) {
    sum.covered += other.covered;
    sum.total += other.total;
}

/// `COVERED/TOTAL .SHARE`.
fn goals(count: Covered) -> String {
    format!("{}/{} {}", count.covered, count.total, share(count.covered, count.total))
}

/// A share with three digits and without the 0 before the point; `-` of nothing.
pub(crate) fn share(part: u64, whole: u64) -> String {
    if whole == 0 {
        return "-".into();
    }
    format!("{:.3}", part as f64 / whole as f64).trim_start_matches('0').to_owned()
}

/// Sums over the classes of a report.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub(super) struct Reported {
    /// Classes of the report.
    pub classes: u64,
    /// Classes with a file of tests.
    pub classes_with_tests: u64,
    /// Test methods that the program says it wrote.
    pub tests: u64,
    /// Lines and branches that the written tests cover, by the program's own count.
    pub written_lines: Covered,
    /// See `written_lines`.
    pub written_branches: Covered,
    /// Lines and branches that the search covered; none if the report does not say it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub searched_lines: Option<Covered>,
    /// See `searched_lines`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub searched_branches: Option<Covered>,
    /// Killed mutants.
    pub mutants: Covered,
    /// Surviving mutants that remove a call of a `void` method. The report lists no killed mutants,
    /// so that there is no share.
    pub surviving_removed_calls: u64,
    /// Tests that were dropped: their source does not compile.
    pub uncompilable: u64,
    /// Tests that were dropped: they failed or were flaky when the program verified them.
    pub dropped: u64,
    /// Reason of classes without tests to number of classes.
    pub reasons: BTreeMap<String, u64>,
}

impl Reported {
    /// Sums a report.
    ///
    /// # Errors
    /// The text is no report.
    pub(super) fn read(text: &str) -> Result<Reported> {
        let report: AppReport = serde_json::from_str(text).context("report.json")?;
        let mut sum = Reported { classes: report.classes.len() as u64, ..Reported::default() };
        for class in report.classes {
            sum.classes_with_tests += u64::from(class.tests > 0);
            sum.tests += class.tests;
            add(&mut sum.written_lines, class.goals.line);
            add(&mut sum.written_branches, class.goals.branch);
            add(&mut sum.mutants, class.goals.mutant);
            if let Some(Searched { line, branch }) = class.searched {
                add(sum.searched_lines.get_or_insert_default(), line);
                add(sum.searched_branches.get_or_insert_default(), branch);
            }
            sum.surviving_removed_calls +=
                class.mutants.surviving.iter().filter(|mutant| mutant.contains(REMOVED_CALL)).count() as u64;
            sum.uncompilable += class.discarded.uncompilable;
            sum.dropped += class.discarded.failing + class.discarded.flaky;
            if let Some(reason) = class.reason {
                // Reasons begin with the name of the class or contain counts: the kind is enough here.
                let kind: String = reason.split(&[':', ';'][..]).next().unwrap_or_default().replace(&class.name, "CLASS");
                *sum.reasons.entry(kind).or_default() += 1;
            }
        }
        Ok(sum)
    }
}

/// The parts of `report.json` that count here.
#[derive(Deserialize)]
struct AppReport {
    classes: Vec<ReportedClass>,
}

#[derive(Deserialize)]
struct ReportedClass {
    name: String,
    tests: u64,
    reason: Option<String>,
    goals: GoalCounts,
    searched: Option<Searched>,
    #[serde(default)]
    discarded: DroppedTests,
    #[serde(default)]
    mutants: Mutants,
}

#[derive(Deserialize)]
struct GoalCounts {
    line: Covered,
    branch: Covered,
    mutant: Covered,
}

#[derive(Deserialize)]
struct Searched {
    line: Covered,
    branch: Covered,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct DroppedTests {
    uncompilable: u64,
    failing: u64,
    flaky: u64,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Mutants {
    surviving: Vec<String>,
}

/// One row of the result: an application.
#[derive(Clone, Debug, Default, Serialize)]
pub(super) struct AppRow {
    /// Name of the application.
    pub app: String,
    /// Budget of a class.
    pub budget: String,
    /// Steps of a class, where they replace the budget.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub steps: Option<u64>,
    /// Seconds of the whole generation; 0 if earlier tests were scored.
    pub seconds: f64,
    /// What the program reports.
    pub reported: Reported,
    /// Tests that ran and passed, in order and shuffled.
    pub passed: u64,
    /// Files that do not compile.
    pub uncompilable_files: u64,
    /// Files for which javac has a warning with `-Xlint:all`.
    pub files_with_warnings: u64,
    /// Tests that failed when they ran in order.
    pub failing: Vec<String>,
    /// Tests that passed in order and failed shuffled.
    pub flaky: Vec<String>,
    /// Lines that the tests cover, by JaCoCo.
    pub lines: Covered,
    /// Branches that the tests cover, by JaCoCo.
    pub branches: Covered,
    /// Killed mutants of PIT that remove a call on a collaborator.
    pub removed_calls: Covered,
    /// `CLASS:LINE METHOD` of those that survive.
    pub surviving_calls: Vec<String>,
    /// What a reader sees of the tests.
    pub form: Form,
    /// Coverage of each class: lines, branches.
    pub classes: BTreeMap<String, (Covered, Covered)>,
}

impl AppRow {
    /// Takes over what running the tests gave.
    pub(super) fn set_score(&mut self, score: Score) {
        let Score { passed, uncompilable_files, files_with_warnings, failing, flaky, coverage, removed_calls } = score;
        self.passed = passed;
        self.uncompilable_files = uncompilable_files;
        self.files_with_warnings = files_with_warnings;
        self.removed_calls = removed_calls.mutants;
        self.surviving_calls = removed_calls.surviving;
        self.failing = failing.into_iter().collect();
        self.flaky = flaky.into_iter().collect();
        for (name, Coverage { lines, branches }) in coverage {
            add(&mut self.lines, lines);
            add(&mut self.branches, branches);
            self.classes.insert(name, (lines, branches));
        }
    }

    /// The classes that lose the most branches, then lines.
    pub(super) fn worst(&self, count: usize) -> String {
        let missed = |covered: Covered| covered.total - covered.covered;
        let mut all: Vec<_> = self.classes.iter().filter(|(_, (lines, _))| missed(*lines) > 0).collect();
        all.sort_by_key(|(name, (lines, branches))| {
            (std::cmp::Reverse(missed(*branches)), std::cmp::Reverse(missed(*lines)), *name)
        });
        let mut text = format!("{}: classes that lose the most branches\n", self.app);
        for (name, (lines, branches)) in all.into_iter().take(count) {
            let _ = writeln!(text, "  {name}: branches {}, lines {}", goals(*branches), goals(*lines));
        }
        text
    }
}

/// The figures of all applications, one a line, a column an application.
pub(super) fn table(rows: &[AppRow]) -> String {
    let columns: Vec<Vec<(&str, String)>> = rows.iter().map(lines).collect();
    let Some(first) = columns.first() else { return String::new() };
    let mut text = String::new();
    for (index, (title, _)) in first.iter().enumerate() {
        let cells: Vec<String> = columns.iter().map(|column| format!("{:>18}", column[index].1)).collect();
        let _ = writeln!(text, "{title:44}{}", cells.join(" "));
    }
    text
}

/// The lines of the table for one application.
fn lines(row: &AppRow) -> Vec<(&'static str, String)> {
    let Reported { classes, classes_with_tests, tests, .. } = row.reported;
    let reported = &row.reported;
    let ratio = |searched: Option<Covered>, written: Covered| {
        searched.map_or("not reported".into(), |searched| share(written.covered, searched.covered))
    };
    let form = &row.form;
    vec![
        ("application", row.app.clone()),
        ("seconds", format!("{:.0}", row.seconds)),
        ("classes with tests", format!("{classes_with_tests}/{classes}")),
        ("tests written, passing", format!("{tests}, {}", row.passed)),
        ("lines, JaCoCo, tests alone", goals(row.lines)),
        ("branches, JaCoCo, tests alone", goals(row.branches)),
        ("written of searched lines", ratio(reported.searched_lines, reported.written_lines)),
        ("written of searched branches", ratio(reported.searched_branches, reported.written_branches)),
        ("mutants, by the program", goals(reported.mutants)),
        ("surviving removed void calls", reported.surviving_removed_calls.to_string()),
        ("killed removed calls on collaborators, PIT", goals(row.removed_calls)),
        ("tests dropped: uncompilable", reported.uncompilable.to_string()),
        ("tests dropped: failing or flaky", reported.dropped.to_string()),
        ("files that do not compile", row.uncompilable_files.to_string()),
        ("files with warnings of -Xlint:all", row.files_with_warnings.to_string()),
        ("failing tests", row.failing.len().to_string()),
        ("flaky tests", row.flaky.len().to_string()),
        ("longest stub, methods", form.longest_stub.to_string()),
        ("files with a stub of more than 3 methods", form.files_with_long_stubs.to_string()),
        ("lines a test", format!("{:.1}", form.lines_a_test())),
        ("tests of classes with collaborators", form.collaborator_tests.to_string()),
        ("of these with a mock's answer or verify", share(form.mock_tests, form.collaborator_tests)),
        ("tests that expect a NullPointerException", form.null_pointer_tests.to_string()),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    const CLASS: &str = r#"{"name":"p.A","tests":4,"goals":{"line":{"covered":5,"total":9},"branch":{"covered":3,"total":8},"mutant":{"covered":1,"total":2}},
        "searched":{"line":{"covered":6,"total":9},"branch":{"covered":4,"total":8}},"discarded":{"uncompilable":2,"failing":1,"flaky":1},
        "mutants":{"surviving":["p/A.f()V @3 line 5 VOID_METHOD_CALLS remove #1","p/A.f()V @4 line 6 MATH + #2"]}}"#;

    #[test]
    fn a_report_is_summed() {
        let silent = r#"{"name":"p.B","tests":0,"reason":"p.B is an annotation, x: y","goals":{"line":{"covered":0,"total":1},"branch":{"covered":0,"total":0},"mutant":{"covered":0,"total":0}}}"#;
        let sum = Reported::read(&format!(r#"{{"version":2,"classes":[{CLASS},{silent}]}}"#)).expect("a report");
        assert_eq!((sum.classes, sum.classes_with_tests, sum.tests, sum.uncompilable, sum.dropped), (2, 1, 4, 2, 2));
        assert_eq!(
            (sum.written_lines, sum.searched_branches),
            (Covered { covered: 5, total: 10 }, Some(Covered { covered: 4, total: 8 }))
        );
        assert_eq!(sum.surviving_removed_calls, 1);
        assert_eq!(sum.reasons.into_iter().collect::<Vec<_>>(), [("CLASS is an annotation, x".to_owned(), 1)]);
        assert!(Reported::read("{}").is_err());
    }

    #[test]
    fn the_table_has_a_column_an_application() {
        let mut row = AppRow { app: "shop".into(), ..AppRow::default() };
        let coverage = Coverage { lines: Covered { covered: 3, total: 4 }, branches: Covered { covered: 1, total: 8 } };
        row.set_score(Score { passed: 2, coverage: [("p.A".to_owned(), coverage)].into(), ..Score::default() });
        let text = table(&[row.clone(), row.clone()]);
        assert!(text.contains("3/4 .750") && text.contains("1/8 .125") && text.contains("not reported"), "{text}");
        assert!(text.lines().all(|line| line.chars().count() <= 90), "{text}");
        assert_eq!(row.worst(1).lines().nth(1), Some("  p.A: branches 1/8 .125, lines 3/4 .750"));
        assert_eq!(table(&[]), "");
    }
}
