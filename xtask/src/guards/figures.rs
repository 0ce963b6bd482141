//! Figures of the benchmark: one row for each guard, and a table of all rows.
//!
//! In: `report.json` and the reached goals. Out: rows with the reason why goals were not reached.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use tracewright_test_support::guards::{Goal, GoalKind, Guard};

/// Number of reasons of one kind that a row names: the most frequent ones.
const NAMED: usize = 3;

/// The result of one guard.
#[derive(Debug, Default, Serialize)]
pub(super) struct GuardRow {
    /// Simple name of the class.
    pub subject: String,
    /// Name of the strategy.
    pub strategy: String,
    /// Seed of the run.
    pub seed: u64,
    /// Number of goals that symbolic execution should reach.
    pub feasible: usize,
    /// Number of those that the written tests reach.
    pub reached: usize,
    /// Seconds of the run.
    pub seconds: f64,
    /// Why goals were not reached; empty if all feasible goals were.
    pub reason: String,
    /// Replayed executions that differed from the JVM.
    pub divergences: u64,
    /// Replayed paths.
    pub paths: u64,
    /// Queries to the solver.
    pub queries: u64,
    /// Queries without an answer.
    pub unknown: u64,
}

impl GuardRow {
    /// A row without the figures of the report.
    pub(super) fn new(guard: &Guard, strategy: &str, seed: u64, seconds: f64) -> GuardRow {
        GuardRow {
            subject: guard.name.clone(),
            strategy: strategy.into(),
            seed,
            feasible: guard.feasible(),
            seconds,
            ..GuardRow::default()
        }
    }

    /// Takes over the figures of `report.json`, and the reason that holds if a goal is not reached.
    ///
    /// # Errors
    /// The text is no report of exactly one class.
    pub(super) fn read_report(&mut self, report: &str) -> Result<(), String> {
        let report: Report = serde_json::from_str(report).map_err(|error| error.to_string())?;
        let [class] = &report.classes[..] else { return Err(format!("it has {} classes instead of one", report.classes.len())) };
        (self.divergences, self.paths) = (class.replay.divergences, class.replay.paths);
        (self.queries, self.unknown) = (class.solver.queries, class.solver.unknown);
        self.reason = class.reasons();
        Ok(())
    }

    /// Counts the reached goals and adds the declared reasons of the others.
    pub(super) fn set_reached_goals(&mut self, guard: &Guard, is_reached: impl Fn(&Goal) -> bool) {
        self.reached = guard.goals.iter().filter(|goal| goal.kind == GoalKind::Reached && is_reached(goal)).count();
        if self.reached == self.feasible {
            self.reason.clear();
        }
        for goal in guard.goals.iter().filter(|goal| !is_reached(goal)) {
            if let GoalKind::Infeasible(declared) | GoalKind::Cannot(declared) | GoalKind::ByChance(declared) = &goal.kind {
                let observed = std::mem::take(&mut self.reason);
                self.reason = if observed.is_empty() { declared.clone() } else { format!("{declared}; {observed}") };
            }
        }
    }
}

/// The parts of `report.json` that the benchmark reads.
#[derive(Deserialize)]
struct Report {
    classes: Vec<Class>,
}

#[derive(Deserialize)]
struct Class {
    reason: Option<String>,
    replay: Replay,
    solver: Solver,
    tree: Tree,
    #[serde(default)]
    discarded: Discarded,
}

#[derive(Deserialize)]
struct Replay {
    paths: u64,
    divergences: u64,
    #[serde(default)]
    divergence_examples: Vec<String>,
    concretised: u64,
    #[serde(default)]
    concretised_by: BTreeMap<String, u64>,
    unsupported: BTreeMap<String, u64>,
}

#[derive(Deserialize)]
struct Solver {
    queries: u64,
    unknown: u64,
}

#[derive(Deserialize)]
struct Tree {
    frontier: u64,
}

#[derive(Default, Deserialize)]
struct Discarded {
    uncompilable: u64,
    failing: u64,
    flaky: u64,
}

impl Class {
    /// The reasons why a goal may be missed, the most important first.
    fn reasons(&self) -> String {
        let mut reasons: Vec<String> = self.reason.iter().cloned().collect();
        if self.replay.divergences > 0 {
            let first = self.replay.divergence_examples.first().map_or("", String::as_str);
            reasons.push(format!("{} divergences: {first}", self.replay.divergences));
        }
        reasons.extend(most_frequent("unsupported", &self.replay.unsupported));
        match most_frequent("concretised", &self.replay.concretised_by) {
            Some(by) => reasons.push(by),
            None if self.replay.concretised > 0 => reasons.push(format!("concretised {} times", self.replay.concretised)),
            None => {}
        }
        if self.solver.unknown > 0 {
            reasons.push(format!("{} of {} queries unknown", self.solver.unknown, self.solver.queries));
        }
        let Discarded { uncompilable, failing, flaky } = self.discarded;
        if uncompilable + failing + flaky > 0 {
            reasons.push(format!("{} tests discarded", uncompilable + failing + flaky));
        }
        if self.tree.frontier > 0 {
            reasons.push(format!("{} alternatives open after {} paths", self.tree.frontier, self.replay.paths));
        } else {
            reasons.push(format!("no alternative left after {} paths", self.replay.paths));
        }
        reasons.join("; ")
    }
}

/// The most frequent entries with their counts; `None` if there is no entry.
fn most_frequent(what: &str, counts: &BTreeMap<String, u64>) -> Option<String> {
    let mut entries: Vec<_> = counts.iter().collect();
    entries.sort_by_key(|(reason, count)| (std::cmp::Reverse(**count), *reason));
    let named: Vec<String> = entries.iter().take(NAMED).map(|(reason, count)| format!("{reason} ({count})")).collect();
    (!named.is_empty()).then(|| format!("{what}: {}", named.join(", ")))
}

/// One line for each guard, and one with the totals.
pub(super) fn table(rows: &[GuardRow]) -> String {
    let width = rows.iter().map(|row| row.subject.len()).max().unwrap_or(0);
    let mut text = String::new();
    for row in rows {
        let line = format!("{:width$}  {}/{}  {:5.1} s  {}", row.subject, row.reached, row.feasible, row.seconds, row.reason);
        text.push_str(line.trim_end());
        text.push('\n');
    }
    let (reached, feasible): (usize, usize) =
        (rows.iter().map(|row| row.reached).sum(), rows.iter().map(|row| row.feasible).sum());
    let share = if feasible == 0 { 0.0 } else { 100.0 * reached as f64 / feasible as f64 };
    let divergences: u64 = rows.iter().map(|row| row.divergences).sum();
    text + &format!("{reached} of {feasible} feasible goals reached ({share:.1} %), {divergences} divergences\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    const CLASS: &str = r#"{"classes":[{"replay":{"paths":9,"divergences":0,"concretised":5,"concretised_by":{"a.B.c":1,"a.B.d":4},
        "unsupported":{"x":2}},"solver":{"queries":7,"unknown":1},"tree":{"frontier":0}}]}"#;

    fn guard(kinds: &[GoalKind]) -> Guard {
        let goals = kinds.iter().zip(1..).map(|(kind, line)| Goal { line, kind: kind.clone() }).collect();
        Guard { name: "A".into(), package: "samples.guards", file: "A.java".into(), release: 17, source: String::new(), goals }
    }

    #[test]
    fn a_missed_goal_has_the_reasons_of_the_report() {
        let guard = guard(&[GoalKind::Reached]);
        let mut row = GuardRow::new(&guard, "dse", 1, 1.5);
        row.read_report(CLASS).expect("a report");
        row.set_reached_goals(&guard, |_| false);
        let reasons =
            "unsupported: x (2); concretised: a.B.d (4), a.B.c (1); 1 of 7 queries unknown; no alternative left after 9 paths";
        assert_eq!((row.reached, row.reason.as_str()), (0, reasons));
        assert!(table(&[row]).ends_with("0 of 1 feasible goals reached (0.0 %), 0 divergences\n"));
    }

    #[test]
    fn declared_reasons_come_first_and_a_reached_goal_has_none() {
        let reached = guard(&[GoalKind::Reached, GoalKind::Infeasible("never".into())]);
        let mut row = GuardRow::new(&reached, "dse", 1, 1.5);
        row.read_report(CLASS).expect("a report");
        row.set_reached_goals(&reached, |goal| goal.line == 1);
        assert_eq!((row.feasible, row.reached, row.reason.as_str()), (1, 1, "never"));
        let cannot = guard(&[GoalKind::Cannot("no clock".into())]);
        let mut row = GuardRow::new(&cannot, "dse", 1, 1.5);
        row.set_reached_goals(&cannot, |_| false);
        assert_eq!((row.feasible, row.reason.as_str()), (0, "no clock"));
    }
}
