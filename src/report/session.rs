//! The report of `tracewright replay`.
//!
//! Flows in: figures of the engine. Flows out: text for people, and JSON for programs, whose keys
//! do not change without notice.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::InstructionReport;

/// All runs of a session.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SessionReport {
    /// The methods that runs began in, by class, name and descriptor.
    pub methods: Vec<SessionMethod>,
    /// Over all methods.
    pub totals: SessionTotals,
}

/// The runs that began in one method.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SessionMethod {
    /// Binary name.
    pub class: String,
    /// As in the class file.
    pub name: String,
    pub(crate) descriptor: String,
    /// Recorded runs.
    pub runs: u64,
    /// Recorded events.
    pub events: u64,
    pub(crate) instructions: InstructionReport,
    /// Differences between replay and recording, each kind once.
    pub divergences: Vec<SessionDivergence>,
    pub(crate) resyncs: u64,
    pub(crate) unsupported: BTreeMap<String, u64>,
    /// Replaced terms by callee.
    pub(crate) concretised: BTreeMap<String, u64>,
}

/// A difference between replay and recording.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SessionDivergence {
    pub(crate) site: String,
    pub(crate) expected: String,
    pub(crate) found: String,
    pub(crate) count: u64,
}

/// Sums over all methods.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SessionTotals {
    /// Recorded processes.
    pub processes: u64,
    /// Recorded runs.
    pub runs: u64,
    /// Runs that the agent dropped or that cannot be read.
    pub dropped_runs: u64,
    pub(crate) events: u64,
    /// Bytecode instructions of recorded code.
    pub instructions: InstructionReport,
    /// Differences between replay and recording.
    pub divergences: u64,
    pub(crate) resyncs: u64,
    pub(crate) checked_loads: u64,
    pub(crate) opaque_calls: u64,
    /// What the replay does not follow, by reason.
    pub unsupported: BTreeMap<String, u64>,
    pub(crate) concretised: BTreeMap<String, u64>,
    /// Why calls of unrecorded code were not interpreted.
    pub(crate) not_interpreted: BTreeMap<String, u64>,
    /// Counts of the agent, and of files that were cut before their end.
    pub session: BTreeMap<String, u64>,
}

impl SessionReport {
    /// The report as JSON.
    pub(crate) fn json(&self) -> String {
        serde_json::to_string_pretty(self).unwrap_or_default()
    }

    /// The totals, then each method.
    pub fn text(&self) -> String {
        let totals = &self.totals;
        let mut out = String::new();
        let InstructionReport { executed, replayed } = totals.instructions;
        // Writing to a string cannot fail.
        let _ = writeln!(out, "{} runs of {} methods in {} processes", totals.runs, self.methods.len(), totals.processes);
        let _ =
            writeln!(out, "{} events, {executed} instructions, {} of them replayed", totals.events, share(replayed, executed));
        let _ = writeln!(
            out,
            "{} divergences, {} resyncs of {} checked values, {} dropped runs",
            totals.divergences, totals.resyncs, totals.checked_loads, totals.dropped_runs
        );
        for (title, counts) in [
            ("recorded", &totals.session),
            ("unsupported", &totals.unsupported),
            ("not interpreted", &totals.not_interpreted),
            ("concretised", &totals.concretised),
        ] {
            list(&mut out, title, counts);
        }
        for method in &self.methods {
            let InstructionReport { executed, replayed } = method.instructions;
            let _ = writeln!(
                out,
                "\n{}.{}{}\n  {} runs, {} events, {executed} instructions, {} replayed, {} resyncs",
                method.class,
                method.name,
                method.descriptor,
                method.runs,
                method.events,
                share(replayed, executed),
                method.resyncs
            );
            for divergence in &method.divergences {
                let SessionDivergence { site, expected, found, count } = divergence;
                let _ = writeln!(out, "  divergence at {site}: expected {expected}, found {found} ({count})");
            }
            for (title, counts) in [("unsupported", &method.unsupported), ("concretised", &method.concretised)] {
                for (reason, count) in counts {
                    let _ = writeln!(out, "  {title}: {reason} ({count})");
                }
            }
        }
        out
    }
}

/// Lists counts by reason, the highest first.
fn list(out: &mut String, title: &str, counts: &BTreeMap<String, u64>) {
    if counts.is_empty() {
        return;
    }
    let mut ordered: Vec<(&String, &u64)> = counts.iter().collect();
    ordered.sort_by_key(|(reason, count)| (std::cmp::Reverse(**count), *reason));
    let _ = writeln!(out, "{title}:");
    for (reason, count) in ordered {
        let _ = writeln!(out, "  {count:8} {reason}");
    }
}

/// A share in per cent.
fn share(part: u64, whole: u64) -> String {
    if whole == 0 { "-".into() } else { format!("{:.2} %", 100.0 * part as f64 / whole as f64) }
}
