//! One row a guard, and what is said about all of them. In: `report.json`; out: rows, the reason of what was not reached, a table.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use tracewright_test_support::guards::{Goal, GoalKind, Guard};

/// Reasons of one kind that are named; the others are only counted in.
const NAMED: usize = 3;

#[derive(Debug, Default, Serialize)]
pub(super) struct Row {
    pub subject: String,
    pub strategy: String,
    pub seed: u64,
    /// Goals that can be reached.
    pub feasible: usize,
    /// Of these, those that were.
    pub reached: usize,
    pub seconds: f64,
    /// Empty where everything feasible was reached.
    pub reason: String,
    pub divergences: u64,
    pub paths: u64,
    pub queries: u64,
    pub unknown: u64,
}

impl Row {
    pub(super) fn new(guard: &Guard, strategy: &str, seed: u64, seconds: f64) -> Row {
        Row {
            subject: guard.name.clone(),
            strategy: strategy.into(),
            seed,
            feasible: guard.feasible(),
            seconds,
            ..Row::default()
        }
    }

    /// Figures of `report.json`, and the reason in case the goal should turn out not to be reached.
    pub(super) fn take(&mut self, report: &str) -> Result<(), String> {
        let report: Report = serde_json::from_str(report).map_err(|error| error.to_string())?;
        let [class] = &report.classes[..] else { return Err(format!("it has {} classes instead of one", report.classes.len())) };
        (self.divergences, self.paths) = (class.replay.divergences, class.replay.paths);
        (self.queries, self.unknown) = (class.solver.queries, class.solver.unknown);
        self.reason = class.why();
        Ok(())
    }

    /// Now that it is known what was reached.
    pub(super) fn settle(&mut self, guard: &Guard, is_reached: impl Fn(&Goal) -> bool) {
        self.reached = guard.goals.iter().filter(|goal| goal.kind == GoalKind::Reached && is_reached(goal)).count();
        if self.reached == self.feasible {
            self.reason.clear();
        }
        for goal in guard.goals.iter().filter(|goal| !is_reached(goal)) {
            if let GoalKind::Infeasible(why) | GoalKind::Cannot(why) | GoalKind::ByChance(why) = &goal.kind {
                let seen = std::mem::take(&mut self.reason);
                self.reason = if seen.is_empty() { why.clone() } else { format!("{why}; {seen}") };
            }
        }
    }
}

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
    /// What stood in the way, the weightiest first.
    fn why(&self) -> String {
        let mut why: Vec<String> = self.reason.iter().cloned().collect();
        if self.replay.divergences > 0 {
            let first = self.replay.divergence_examples.first().map_or("", String::as_str);
            why.push(format!("{} divergences: {first}", self.replay.divergences));
        }
        why.extend(most("unsupported", &self.replay.unsupported));
        match most("concretised", &self.replay.concretised_by) {
            Some(by) => why.push(by),
            None if self.replay.concretised > 0 => why.push(format!("concretised {} times", self.replay.concretised)),
            None => {}
        }
        if self.solver.unknown > 0 {
            why.push(format!("{} of {} queries unknown", self.solver.unknown, self.solver.queries));
        }
        let Discarded { uncompilable, failing, flaky } = self.discarded;
        if uncompilable + failing + flaky > 0 {
            why.push(format!("{} tests discarded", uncompilable + failing + flaky));
        }
        if self.tree.frontier > 0 {
            why.push(format!("{} alternatives open after {} paths", self.tree.frontier, self.replay.paths));
        } else {
            why.push(format!("nothing left to ask after {} paths", self.replay.paths));
        }
        why.join("; ")
    }
}

fn most(what: &str, counts: &BTreeMap<String, u64>) -> Option<String> {
    let mut entries: Vec<_> = counts.iter().collect();
    entries.sort_by_key(|(reason, count)| (std::cmp::Reverse(**count), *reason));
    let named: Vec<String> = entries.iter().take(NAMED).map(|(reason, count)| format!("{reason} ({count})")).collect();
    (!named.is_empty()).then(|| format!("{what}: {}", named.join(", ")))
}

pub(super) fn table(rows: &[Row]) -> String {
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
    text + &format!("{reached} of {feasible} feasible guards reached ({share:.1} %), {divergences} divergences\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    const CLASS: &str = r#"{"classes":[{"replay":{"paths":9,"divergences":0,"concretised":5,"concretised_by":{"a.B.c":1,"a.B.d":4},
        "unsupported":{"x":2}},"solver":{"queries":7,"unknown":1},"tree":{"frontier":0}}]}"#;

    fn guard(kinds: &[GoalKind]) -> Guard {
        let goals = kinds.iter().zip(1..).map(|(kind, line)| Goal { line, kind: kind.clone() }).collect();
        Guard { name: "A".into(), file: "A.java".into(), release: 17, source: String::new(), goals }
    }

    #[test]
    fn what_was_not_reached_has_its_reason() {
        let guard = guard(&[GoalKind::Reached]);
        let mut row = Row::new(&guard, "dse", 1, 1.5);
        row.take(CLASS).expect("a report");
        row.settle(&guard, |_| false);
        let why =
            "unsupported: x (2); concretised: a.B.d (4), a.B.c (1); 1 of 7 queries unknown; nothing left to ask after 9 paths";
        assert_eq!((row.reached, row.reason.as_str()), (0, why));
        assert!(table(&[row]).ends_with("0 of 1 feasible guards reached (0.0 %), 0 divergences\n"));
    }

    #[test]
    fn what_was_reached_has_none_and_what_cannot_has_its_own() {
        let reached = guard(&[GoalKind::Reached, GoalKind::Infeasible("never".into())]);
        let mut row = Row::new(&reached, "dse", 1, 1.5);
        row.take(CLASS).expect("a report");
        row.settle(&reached, |goal| goal.line == 1);
        assert_eq!((row.feasible, row.reached, row.reason.as_str()), (1, 1, "never"));
        let cannot = guard(&[GoalKind::Cannot("no clock".into())]);
        let mut row = Row::new(&cannot, "dse", 1, 1.5);
        row.settle(&cannot, |_| false);
        assert_eq!((row.feasible, row.reason.as_str()), (0, "no clock"));
    }
}
