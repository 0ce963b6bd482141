//! Means, curves and tables of runs, as pure functions.
//!
//! In: [`Run`]s. Out: numbers and text.

use serde::{Deserialize, Serialize, Serializer};
use std::fmt::Write;

/// Covered goals of one kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Covered {
    /// Number of covered goals.
    pub covered: u64,
    /// Number of goals.
    pub total: u64,
}

impl Covered {
    /// Covered goals by goals, from 0 to 1; `None` if there is no goal.
    fn share(self) -> Option<f64> {
        (self.total > 0).then(|| self.covered as f64 / self.total as f64)
    }
}

/// Coverage of a run at one time; `[seconds, branches, lines, executions]` in the file.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Point {
    /// Seconds since the start of the program.
    pub seconds: f64,
    /// Branch outcomes covered.
    pub branches: Covered,
    /// Lines covered.
    pub lines: Covered,
    /// Executions of test cases so far.
    pub executions: u64,
}

impl Serialize for Point {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        (self.seconds, self.branches.covered, self.lines.covered, self.executions).serialize(serializer)
    }
}

/// One row of the file. A failed run has no goals.
#[derive(Clone, Debug, Default, Serialize)]
pub(super) struct Run {
    /// Binary name of the class.
    pub subject: String,
    /// Name of the strategy.
    pub strategy: String,
    /// Seed of the run.
    pub seed: u64,
    /// Budget in seconds.
    pub budget: u64,
    /// Seconds that the run took, from start to exit.
    pub seconds: f64,
    /// Branch outcomes that the written tests cover.
    pub branch: Covered,
    /// Lines that the written tests cover.
    pub line: Covered,
    /// Mutants that the written tests kill.
    pub mutant: Covered,
    /// Number of written tests.
    pub tests: u64,
    /// Executions of test cases.
    pub executions: u64,
    /// Queries to the solver.
    pub queries: u64,
    /// The reason, if the run failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failure: Option<String>,
    /// Coverage of the search by ascending time. The last point is the coverage of the written
    /// tests.
    pub curve: Vec<Point>,
}

impl Run {
    /// Share of the branch outcomes covered at a time in seconds, from 0 to 1.
    fn branches_at(&self, seconds: f64) -> f64 {
        let last = self.curve.iter().take_while(|point| point.seconds <= seconds).last();
        last.and_then(|point| point.branches.share()).unwrap_or(0.0)
    }

    /// One line about the run, printed when it ends.
    pub(super) fn line(&self) -> String {
        let Run { subject, strategy, seed, seconds, .. } = self;
        let head = format!("{subject} {strategy} seed {seed}");
        match &self.failure {
            Some(reason) => format!("{head}: failed: {reason}"),
            None => format!(
                "{head}: branches {}/{}, lines {}/{}, tests {}, {seconds:.1} s",
                self.branch.covered, self.branch.total, self.line.covered, self.line.total, self.tests
            ),
        }
    }
}

/// The mean share of covered branches at `steps + 1` times from 0 to `end`, in seconds. All runs
/// have the same weight.
pub(super) fn mean_curve(runs: &[&Run], end: f64, steps: usize) -> Vec<(f64, f64)> {
    (0..=steps)
        .map(|step| {
            let seconds = end * step as f64 / steps.max(1) as f64;
            (seconds, mean(runs.iter().map(|run| run.branches_at(seconds))).unwrap_or(0.0))
        })
        .collect()
}

/// The mean; `None` of no values.
fn mean(values: impl Iterator<Item = f64>) -> Option<f64> {
    let (sum, count) = values.fold((0.0, 0), |(sum, count), value| (sum + value, count + 1));
    (count > 0).then(|| sum / f64::from(count))
}

/// The mean share over the runs that have goals. A failed run counts as 0 if another run has goals.
fn mean_share(runs: &[&Run], of: impl Fn(&Run) -> Covered) -> Option<f64> {
    let has_goals = runs.iter().any(|run| of(run).total > 0);
    mean(runs.iter().filter_map(|run| match of(run).share() {
        None if run.failure.is_some() && has_goals => Some(0.0),
        share => share,
    }))
}

/// A share with three digits and without the 0 before the point; `-` for none.
fn share(value: Option<f64>) -> String {
    value.map_or("-".into(), |value| format!("{value:.3}").trim_start_matches('0').to_owned())
}

/// The strategy that the others are compared with.
const BASE: &str = "hybrid";
/// A class is reported as worse if it loses more than this share and more than this many branches.
const WORSE_SHARE: f64 = 0.10;
const WORSE_BRANCHES: f64 = 2.0;

/// The means of each class and strategy, then the differences between `hybrid` and the other
/// strategies.
pub(super) fn tables(runs: &[Run], classes: &[String], strategies: &[String]) -> String {
    let of = |class: Option<&str>, strategy: &str| -> Vec<&Run> {
        runs.iter().filter(|run| run.strategy == strategy && class.is_none_or(|class| run.subject == class)).collect()
    };
    let mut rows = vec![
        ["class", "strategy", "branch", "line", "mutant", "tests", "executions", "queries", "seconds"]
            .map(str::to_owned)
            .to_vec(),
    ];
    let all = format!("mean of {}", classes.len());
    let names = classes.iter().map(|class| (simple(class, classes), Some(class.as_str())));
    for (name, class) in names.chain([(all.as_str(), None)]) {
        for (index, strategy) in strategies.iter().enumerate() {
            let own = of(class, strategy);
            let number = |of: &dyn Fn(&Run) -> f64, digits: usize| {
                mean(own.iter().map(|run| of(run))).map_or("-".into(), |mean| format!("{mean:.digits$}"))
            };
            rows.push(vec![
                if index == 0 { name.to_owned() } else { String::new() },
                strategy.clone(),
                share(mean_share(&own, |run| run.branch)),
                share(mean_share(&own, |run| run.line)),
                share(mean_share(&own, |run| run.mutant)),
                number(&|run| run.tests as f64, 1),
                number(&|run| run.executions as f64, 0),
                number(&|run| run.queries as f64, 0),
                number(&|run| run.seconds, 1),
            ]);
        }
    }
    let mut text = columns(&rows, 2);
    if strategies.len() > 1 && strategies.iter().any(|strategy| strategy == BASE) {
        text.push('\n');
        text.push_str(&differences(classes, strategies, &of));
    }
    text
}

/// Mean covered branches of `hybrid` minus those of each other strategy, as a share and as a
/// number.
fn differences<'a>(classes: &[String], strategies: &[String], of: &dyn Fn(Option<&str>, &str) -> Vec<&'a Run>) -> String {
    let others: Vec<&String> = strategies.iter().filter(|strategy| *strategy != BASE).collect();
    let mut rows = vec![vec!["class".to_owned(), "branches".to_owned()]];
    rows[0].extend(others.iter().map(|other| format!("{BASE}-{other}")));
    let mut worse: Vec<Vec<&str>> = vec![Vec::new(); others.len()];
    let mut sums = vec![0.0; others.len()];
    for class in classes {
        let total = strategies.iter().flat_map(|strategy| of(Some(class), strategy)).map(|run| run.branch.total).max();
        let total = total.unwrap_or(0);
        let branches = |strategy: &str| mean_share(&of(Some(class), strategy), |run| run.branch).unwrap_or(0.0);
        let mut row = vec![simple(class, classes).to_owned(), total.to_string()];
        for (index, other) in others.iter().enumerate() {
            let difference = branches(BASE) - branches(other);
            let count = difference * total as f64;
            sums[index] += difference;
            if difference < -WORSE_SHARE && count < -WORSE_BRANCHES {
                worse[index].push(simple(class, classes));
            }
            row.push(format!("{} ({count:+.1})", signed(difference)));
        }
        rows.push(row);
    }
    let mut row = vec![format!("mean of {}", classes.len()), String::new()];
    row.extend(sums.iter().map(|sum| signed(sum / classes.len().max(1) as f64)));
    rows.push(row);
    let mut text = columns(&rows, 1);
    for (other, worse) in others.iter().zip(worse) {
        let worse = if worse.is_empty() { "none".into() } else { worse.join(", ") };
        let _ = write!(
            text,
            "\nclasses worse than with {other} by more than {} and {WORSE_BRANCHES} branches: {worse}",
            share(Some(WORSE_SHARE))
        );
    }
    text
}

/// A share with its sign and three digits, without the 0 before the point.
fn signed(value: f64) -> String {
    let text = format!("{value:+.3}").replacen("0.", ".", 1);
    // `-.000` reads as a loss.
    if text == "-.000" { "+.000".into() } else { text }
}

/// The simple name of a class, or its full name if another class has the same simple name.
fn simple<'a>(class: &'a str, classes: &[String]) -> &'a str {
    let last = |class: &'a str| class.rsplit('.').next().unwrap_or(class);
    let name = last(class);
    let same_name = classes.iter().filter(|other| other.rsplit('.').next() == Some(name)).count();
    if same_name > 1 { class } else { name }
}

/// The rows as text. The first `words` columns are aligned to the left, the others to the right.
fn columns(rows: &[Vec<String>], words: usize) -> String {
    let count = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width = |column: usize| rows.iter().filter_map(|row| row.get(column)).map(String::len).max().unwrap_or(0);
    let widths: Vec<usize> = (0..count).map(width).collect();
    let lines = rows.iter().map(|row| {
        let mut line = String::new();
        for (column, cell) in row.iter().enumerate() {
            let width = widths[column];
            if column > 0 {
                line.push_str("  ");
            }
            let _ = if column < words { write!(line, "{cell:width$}") } else { write!(line, "{cell:>width$}") };
        }
        line.trim_end().to_owned() + "\n"
    });
    lines.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A run with points of (seconds, covered branches).
    fn run(subject: &str, strategy: &str, seed: u64, total: u64, points: &[(f64, u64)]) -> Run {
        let point = |&(seconds, covered): &(f64, u64)| Point {
            seconds,
            branches: Covered { covered, total },
            lines: Covered::default(),
            executions: 10 * covered,
        };
        let (seconds, covered) = points.last().copied().unwrap_or_default();
        Run {
            subject: subject.into(),
            strategy: strategy.into(),
            seed,
            seconds,
            branch: Covered { covered, total },
            line: Covered { covered: covered / 2, total },
            tests: covered / 4,
            executions: 1000 * seed,
            curve: points.iter().map(point).collect(),
            ..Run::default()
        }
    }

    #[test]
    fn a_curve_is_the_mean_of_the_runs_step_functions() {
        let a = run("p.A", "random", 1, 10, &[(1.0, 2), (3.0, 8), (4.0, 6)]);
        let b = run("p.A", "random", 2, 20, &[(0.5, 10), (2.0, 20)]);
        let curve = mean_curve(&[&a, &b], 4.0, 4);
        // The coverage is 0 before the first point and constant after the last.
        let expected = [(0.0, 0.0), (1.0, 0.35), (2.0, 0.6), (3.0, 0.9), (4.0, 0.8)];
        assert_eq!(curve.len(), expected.len());
        for (found, expected) in curve.iter().zip(expected) {
            assert!((found.0 - expected.0).abs() < 1e-9 && (found.1 - expected.1).abs() < 1e-9, "{curve:?}");
        }
        assert_eq!(mean_curve(&[], 1.0, 1), [(0.0, 0.0), (1.0, 0.0)]);
    }

    #[test]
    fn a_failed_run_counts_as_nothing() {
        let good = run("p.A", "random", 1, 10, &[(1.0, 8)]);
        let failed = Run { failure: Some("it died".into()), ..run("p.A", "random", 2, 0, &[]) };
        assert_eq!(mean_share(&[&good, &failed], |run| run.branch), Some(0.4));
        // No run has mutants, so there is no mean.
        assert_eq!(mean_share(&[&good, &failed], |run| run.mutant), None);
        assert_eq!(mean_curve(&[&good, &failed], 2.0, 1), [(0.0, 0.0), (2.0, 0.4)]);
        assert_eq!(failed.line(), "p.A random seed 2: failed: it died");
    }

    #[test]
    fn tables_show_means_and_differences() {
        let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
        let runs = [
            run("p.A", "random", 1, 100, &[(2.0, 50)]),
            run("p.A", "random", 2, 100, &[(2.0, 60)]),
            run("p.A", "hybrid", 1, 100, &[(2.0, 80)]),
            run("p.A", "hybrid", 2, 100, &[(2.0, 90)]),
            run("q.B", "random", 1, 20, &[(2.0, 20)]),
            run("q.B", "random", 2, 20, &[(2.0, 20)]),
            run("q.B", "hybrid", 1, 20, &[(2.0, 16)]),
            run("q.B", "hybrid", 2, 20, &[(2.0, 16)]),
        ];
        let expected = "\
class      strategy  branch  line  mutant  tests  executions  queries  seconds
A          random      .550  .275       -   13.5        1500        0      2.0
           hybrid      .850  .425       -   21.0        1500        0      2.0
B          random     1.000  .500       -    5.0        1500        0      2.0
           hybrid      .800  .400       -    4.0        1500        0      2.0
mean of 2  random      .775  .388       -    9.2        1500        0      2.0
           hybrid      .825  .412       -   12.5        1500        0      2.0

class      branches  hybrid-random
A               100  +.300 (+30.0)
B                20   -.200 (-4.0)
mean of 2                    +.050

classes worse than with random by more than .100 and 2 branches: B";
        let (classes, strategies) = (names(&["p.A", "q.B"]), names(&["random", "hybrid"]));
        assert_eq!(tables(&runs, &classes, &strategies), expected);
        // Without `hybrid` there is nothing to compare.
        assert!(!tables(&runs, &classes, &names(&["random"])).contains("branches"));
    }

    #[test]
    fn simple_names_are_shown_unless_two_classes_share_one() {
        let classes = ["p.A".to_owned(), "q.A".to_owned(), "q.B".to_owned()];
        assert_eq!(classes.iter().map(|class| simple(class, &classes)).collect::<Vec<_>>(), ["p.A", "q.A", "B"]);
        assert_eq!((signed(-0.0001), signed(0.5), signed(-0.25)), ("+.000".into(), "+.500".into(), "-.250".into()));
    }

    #[test]
    fn a_row_has_figures_by_name_and_points_as_lists() {
        let row = serde_json::to_value(run("p.A", "random", 1, 10, &[(1.5, 8)])).expect("JSON");
        assert_eq!(row["branch"], serde_json::json!({ "covered": 8, "total": 10 }));
        assert_eq!(row["curve"], serde_json::json!([[1.5, 8, 0, 80]]));
        assert!(row.get("failure").is_none());
    }
}
