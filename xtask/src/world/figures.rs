//! The figures of a module, as pure functions.
//!
//! In: the results of the runner, `report.json` and JaCoCo's branches. Out: rows of the result and
//! text.

use crate::apps::share;
use crate::effectiveness::Covered;
use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// End of the names of generated test classes.
pub(super) const GENERATED: &str = "TracewrightTest";
/// The name of a failure of the whole JVM.
pub(super) const JVM: &str = "the JVM";
/// Share of independent branches below which a class is listed.
const BRANCHES_GOAL: f64 = 0.9;
/// Executions a second below which a class is listed.
const SPEED_GOAL: f64 = 500.0;
/// Share of executions that may be set aside as running on.
const RUNNING_ON_GOAL: f64 = 0.02;
/// A failure in more ways has their number only.
const NAMED_WAYS: usize = 4;
/// Failures named in the text for one class.
const EXAMPLES: usize = 3;

/// What the runs of one way gave.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub(super) struct WayRow {
    /// Runs of this way.
    pub runs: u64,
    /// Wall-clock time of all runs.
    pub seconds: f64,
    /// Tests that passed in every run.
    #[serde(skip)]
    pub passed: BTreeSet<String>,
    /// Number of tests that passed in every run.
    pub passing: u64,
    /// Failing tests, generated or hand-written, with the message of their first failure.
    pub failures: BTreeMap<String, String>,
    /// Files and folders left in the temporary folder.
    pub files_left: Vec<String>,
    /// Threads that were alive at the end, without daemons.
    pub threads: Vec<String>,
    /// Daemon threads that were alive at the end.
    pub daemons: Vec<String>,
}

impl WayRow {
    /// Reads the results of one JVM.
    pub(super) fn of_results(text: &str) -> WayRow {
        let mut row = WayRow { runs: 1, ..WayRow::default() };
        for line in text.lines() {
            let cells: Vec<&str> = line.split('\t').collect();
            match cells[..] {
                ["test", test, "pass", ..] => drop(row.passed.insert(test.to_owned())),
                ["test", test, "fail" | "hung", message] => {
                    row.failures.entry(test.to_owned()).or_insert_with(|| message.to_owned());
                }
                ["thread", name] => row.threads.push(name.to_owned()),
                ["daemon", name] => row.daemons.push(name.to_owned()),
                _ => {}
            }
        }
        if text.lines().last() != Some("end") {
            row.failures.insert(JVM.into(), "it ended before its last test".into());
        }
        row.settle();
        row
    }

    /// The results of a JVM that ran one test: its early end is a failure of the test.
    pub(super) fn of_test(mut self, test: &str) -> WayRow {
        if let Some(message) = self.failures.remove(JVM) {
            self.failures.entry(test.to_owned()).or_insert(message);
        }
        self
    }

    /// Adds the results of another run.
    pub(super) fn add(&mut self, other: WayRow) {
        self.runs += other.runs;
        self.passed.extend(other.passed);
        for (test, message) in other.failures {
            self.failures.entry(test).or_insert(message);
        }
        self.files_left.extend(other.files_left);
        self.threads.extend(other.threads);
        self.daemons.extend(other.daemons);
        self.settle();
    }

    /// Removes failures and threads that another way shows as well.
    pub(super) fn leave_out(&mut self, other: &WayRow) {
        self.failures.retain(|test, _| !other.failures.contains_key(test));
        self.threads.retain(|thread| !other.threads.contains(thread));
    }

    /// Counts the tests that only passed.
    fn settle(&mut self) {
        self.passed.retain(|test| !self.failures.contains_key(test));
        self.passing = self.passed.len() as u64;
    }

    /// One line about the runs.
    pub(super) fn summary(&self) -> String {
        let (generated, hand_written) = self.failing();
        let (passing, files, threads) = (self.passing, self.files_left.len(), self.threads.len());
        let failing = format!("{generated} generated and {hand_written} hand-written tests fail");
        format!("{passing} pass, {failing}, {files} files and {threads} threads left, {:.0} s", self.seconds)
    }

    /// Numbers of failing generated and hand-written tests.
    fn failing(&self) -> (usize, usize) {
        let generated = self.failures.keys().filter(|test| !is_hand_written(test)).count();
        (generated, self.failures.len() - generated)
    }
}

/// Whether a test is one of the project. The end of a JVM counts as a generated one.
fn is_hand_written(test: &str) -> bool {
    test.split_once('#').is_some_and(|(class, _)| !class.ends_with(GENERATED))
}

/// The figures of one class.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub(super) struct ClassRow {
    /// Tests that were written.
    pub tests: u64,
    /// Why there are none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Executed candidates.
    pub executions: u64,
    /// Executions a second.
    pub per_second: f64,
    /// Executions that were set aside because a thread ran on.
    pub running_on: u64,
    /// Executions that reached the time limit.
    pub timeouts: u64,
    /// Branches that the environment does not decide; none where no line is marked.
    pub branches: Covered,
    /// Lines with such branches that are not covered.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub missed: Vec<String>,
}

/// One row of the result: a module.
#[derive(Clone, Debug, Default, Serialize)]
pub(super) struct ModuleRow {
    /// Name of the module.
    pub module: String,
    /// Budget of each class.
    pub budget: String,
    /// Instead of it: steps of each class.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub steps: Option<u64>,
    /// Wall-clock time of the generation.
    pub seconds: f64,
    /// Files of tests that do not compile.
    pub uncompilable_files: u64,
    /// Hand-written tests that fail without the generated ones; they count nowhere else.
    pub failing_hand_written: Vec<String>,
    /// What was not run, and why.
    pub skipped: Vec<String>,
    /// Way to results.
    pub ways: BTreeMap<String, WayRow>,
    /// Class to figures.
    pub classes: BTreeMap<String, ClassRow>,
}

/// The parts of `report.json` that count here.
#[derive(Deserialize)]
struct SearchReport {
    classes: Vec<SearchedClass>,
}

#[derive(Deserialize)]
struct SearchedClass {
    name: String,
    tests: u64,
    reason: Option<String>,
    #[serde(default)]
    search: Search,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Search {
    executions: u64,
    per_second: f64,
    rejected: BTreeMap<String, u64>,
}

/// The classes of a report.
///
/// # Errors
/// The text is no report.
pub(super) fn classes(report: &str) -> Result<BTreeMap<String, ClassRow>> {
    let report: SearchReport = serde_json::from_str(report).context("report.json")?;
    let row = |class: SearchedClass| {
        let rejected = |reason: &str| class.search.rejected.get(reason).copied().unwrap_or(0);
        let row = ClassRow {
            tests: class.tests,
            running_on: rejected("left something running"),
            timeouts: rejected("time limit"),
            executions: class.search.executions,
            per_second: class.search.per_second,
            reason: class.reason,
            ..ClassRow::default()
        };
        (class.name, row)
    };
    Ok(report.classes.into_iter().map(row).collect())
}

impl ModuleRow {
    /// The failing generated tests of each class: way to tests and messages.
    fn failures_by_class(&self) -> BTreeMap<String, BTreeMap<String, (BTreeSet<&str>, &str)>> {
        let mut all: BTreeMap<String, BTreeMap<String, (BTreeSet<&str>, &str)>> = BTreeMap::new();
        for (way, row) in &self.ways {
            for (test, message) in &row.failures {
                let class = test.split('#').next().unwrap_or_default().trim_end_matches(GENERATED).to_owned();
                let found = all.entry(class).or_default().entry(test.clone()).or_insert_with(|| (BTreeSet::new(), message));
                found.0.insert(way);
            }
        }
        all
    }

    /// The classes that miss a figure of the table in the text, one line each.
    pub(super) fn shortfalls(&self) -> String {
        let mut text = String::new();
        for (class, failures) in self.failures_by_class() {
            let _ = writeln!(text, "{class}: {} failing tests", failures.len());
            for (test, (ways, message)) in failures.iter().take(EXAMPLES) {
                let ways = if ways.len() > NAMED_WAYS {
                    format!("{} of {} ways", ways.len(), self.ways.len())
                } else {
                    ways.iter().copied().collect::<Vec<_>>().join(", ")
                };
                let short: String = message.chars().take(160).collect();
                let _ = writeln!(text, "  {} ({ways}): {short}", test.split('#').nth(1).unwrap_or(test));
            }
        }
        for (class, row) in &self.classes {
            let ratio = row.branches.covered as f64 / row.branches.total.max(1) as f64;
            if row.branches.total > 0 && ratio < BRANCHES_GOAL {
                let reason = row.reason.as_ref().map(|reason| format!(", {reason}")).unwrap_or_default();
                let _ = writeln!(text, "{class}: branches {}{reason}", goals(row.branches));
            }
            if row.running_on as f64 > row.executions as f64 * RUNNING_ON_GOAL {
                let _ = writeln!(text, "{class}: {} of {} executions run on", row.running_on, row.executions);
            }
            if row.executions > 0 && row.per_second < SPEED_GOAL {
                let timeouts = row.timeouts;
                let _ = writeln!(text, "{class}: {:.0} executions a second, {timeouts} at the time limit", row.per_second);
            }
        }
        text
    }
}

/// `COVERED/TOTAL .SHARE`.
fn goals(count: Covered) -> String {
    format!("{}/{} {}", count.covered, count.total, share(count.covered, count.total))
}

/// A line a way: failing generated and hand-written tests, files and threads left, by module.
pub(super) fn table(rows: &[ModuleRow]) -> String {
    let mut text = format!("{:24}", "failing+hand, files, threads");
    for row in rows {
        let _ = write!(text, "{:>20}", row.module);
    }
    text.push('\n');
    let ways: BTreeSet<&String> = rows.iter().flat_map(|row| row.ways.keys()).collect();
    let line = |text: &mut String, title: &str, cell: &dyn Fn(&ModuleRow) -> String| {
        let _ = write!(text, "{title:24}");
        for row in rows {
            let _ = write!(text, "{:>20}", cell(row));
        }
        text.push('\n');
    };
    for way in ways {
        line(&mut text, way, &|row| {
            row.ways.get(way).map_or("-".into(), |way| {
                let (generated, hand_written) = way.failing();
                format!("{generated}+{hand_written}, {}, {}", way.files_left.len(), way.threads.len())
            })
        });
    }
    let sum = |row: &ModuleRow, count: &dyn Fn(&ClassRow) -> u64| row.classes.values().map(count).sum::<u64>();
    line(&mut text, "classes with tests", &|row| {
        format!("{}/{}", row.classes.values().filter(|class| class.tests > 0).count(), row.classes.len())
    });
    line(&mut text, "tests", &|row| sum(row, &|class| class.tests).to_string());
    line(&mut text, "files not compiling", &|row| row.uncompilable_files.to_string());
    line(&mut text, "independent branches", &|row| {
        goals(Covered { covered: sum(row, &|class| class.branches.covered), total: sum(row, &|class| class.branches.total) })
    });
    line(&mut text, "executions", &|row| sum(row, &|class| class.executions).to_string());
    line(&mut text, "of these running on", &|row| sum(row, &|class| class.running_on).to_string());
    line(&mut text, "of these timeouts", &|row| sum(row, &|class| class.timeouts).to_string());
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    const RESULTS: &str = "test\tp.ATracewrightTest#a\tpass\t\ntest\tp.ATracewrightTest#b\tfail\tfirst\n\
        test\tp.ATest#c\tfail\tx\nthread\tpool-1\ndaemon\ttimer\nother\tcommon\nend\n";

    #[test]
    fn results_are_counted() {
        let mut row = WayRow::of_results(RESULTS);
        assert_eq!((row.passing, row.failing()), (1, (1, 1)));
        assert_eq!((&row.threads[..], &row.daemons[..]), (&["pool-1".to_owned()][..], &["timer".to_owned()][..]));
        // A test that passes in one run and fails in another is a failure.
        row.add(WayRow::of_results("test\tp.ATracewrightTest#a\thung\tlate\nend\n"));
        assert_eq!((row.runs, row.passing, row.failing()), (2, 0, (2, 1)));
        assert_eq!(row.failures["p.ATracewrightTest#b"], "first");
    }

    #[test]
    fn what_hand_written_tests_do_by_themselves_is_left_out() {
        let mut row = WayRow::of_results(RESULTS);
        row.leave_out(&WayRow::of_results("test\tp.ATest#c\tfail\tx\nthread\tpool-1\nend\n"));
        assert_eq!(row.failures.keys().collect::<Vec<_>>(), ["p.ATracewrightTest#b"]);
        assert_eq!((row.threads.len(), row.daemons.len(), row.passing), (0, 1, 1));
    }

    #[test]
    fn a_jvm_that_ends_early_is_a_failure() {
        assert_eq!(WayRow::of_results("test\tp.ATest#a\tpass\t\n").failing(), (1, 0));
        assert_eq!(WayRow::of_results("").failing(), (1, 0));
        let alone = WayRow::of_results("").of_test("p.ATracewrightTest#a");
        assert_eq!(alone.failures.keys().collect::<Vec<_>>(), ["p.ATracewrightTest#a"]);
    }

    #[test]
    fn shortfalls_name_classes_and_ways() {
        let report = r#"{"classes":[{"name":"p.A","tests":2,"search":{"executions":100,"per_second":20.5,
            "rejected":{"left something running":3,"time limit":1}}},{"name":"p.B","tests":0,"reason":"no"}]}"#;
        let mut classes = classes(report).expect("a report");
        classes.get_mut("p.B").expect("a class").branches = Covered { covered: 1, total: 2 };
        let ways = BTreeMap::from([("zone".to_owned(), WayRow::of_results(RESULTS))]);
        let row = ModuleRow { module: "m".into(), classes, ways, ..ModuleRow::default() };
        assert_eq!(
            row.shortfalls().lines().collect::<Vec<_>>(),
            [
                "p.A: 1 failing tests",
                "  b (zone): first",
                "p.ATest: 1 failing tests",
                "  c (zone): x",
                "p.A: 3 of 100 executions run on",
                "p.A: 20 executions a second, 1 at the time limit",
                "p.B: branches 1/2 .500, no"
            ]
        );
        let table = table(&[row]);
        let cells = |start: &str| table.lines().find(|line| line.starts_with(start)).map(|line| line[24..].trim().to_owned());
        assert_eq!(cells("zone"), Some("1+1, 0, 1".into()), "{table}");
        assert_eq!(cells("independent branches"), Some("1/2 .500".into()));
        assert_eq!(cells("classes with tests"), Some("1/2".into()));
    }
}
