//! What the replay of a session found, as `tracewright replay` prints it. Flows in: figures of the engine; flows out: text for people, JSON for
//! programs, whose names do not change without notice (DESIGN §8).

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::InstructionReport;

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SessionReport {
    /// By class, name and descriptor: of the methods that runs began with.
    pub methods: Vec<SessionMethod>,
    pub totals: SessionTotals,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SessionMethod {
    /// Binary name.
    pub class: String,
    pub name: String,
    pub(crate) descriptor: String,
    pub runs: u64,
    pub events: u64,
    pub(crate) instructions: InstructionReport,
    pub divergences: Vec<SessionDivergence>,
    pub(crate) resyncs: u64,
    pub(crate) unsupported: BTreeMap<String, u64>,
    /// By callee.
    pub(crate) concretised: BTreeMap<String, u64>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SessionDivergence {
    pub(crate) site: String,
    pub(crate) expected: String,
    pub(crate) found: String,
    pub(crate) count: u64,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SessionTotals {
    pub processes: u64,
    pub runs: u64,
    pub dropped_runs: u64,
    pub(crate) events: u64,
    pub instructions: InstructionReport,
    pub divergences: u64,
    pub(crate) resyncs: u64,
    pub(crate) checked_loads: u64,
    pub(crate) opaque_calls: u64,
    pub unsupported: BTreeMap<String, u64>,
    pub(crate) concretised: BTreeMap<String, u64>,
    /// Why calls of code that was not recorded were not computed.
    pub(crate) not_interpreted: BTreeMap<String, u64>,
    /// What the agent counted, and where a file ended before its end.
    pub session: BTreeMap<String, u64>,
}

impl SessionReport {
    pub(crate) fn json(&self) -> String {
        serde_json::to_string_pretty(self).unwrap_or_default()
    }

    /// Totals, then the methods that anything is to be said of.
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

fn share(part: u64, whole: u64) -> String {
    if whole == 0 { "-".into() } else { format!("{:.2} %", 100.0 * part as f64 / whole as f64) }
}
