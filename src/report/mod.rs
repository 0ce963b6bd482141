//! `report.json`: what was done for each class, and why there is no more. Flows in: figures of the engine; flows out: the file.
//! Other programs read it; its names do not change without notice. Only `seconds`, `per_second` and `jvm` may differ between two runs
//! with the same seed and steps.

use crate::files;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::io;
use std::path::Path;

mod explain;
mod merge;
mod replay;

pub use explain::{DecisionReport, DecisionState, ExplainReport, ExplainedTree};
pub use merge::{merged, missing};
pub use replay::{SessionDivergence, SessionMethod, SessionReport, SessionTotals};

pub(crate) const VERSION: u32 = 1;

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Report {
    pub(crate) version: u32,
    pub(crate) seed: u64,
    pub(crate) strategy: String,
    pub(crate) jdk: String,
    /// Which part of the classes this is about (`2/3`), where they were shared out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shard: Option<String>,
    pub classes: Vec<ClassReport>,
    pub jvm: JvmReport,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct ClassReport {
    /// Binary name.
    pub name: String,
    pub seconds: f64,
    /// Test methods written.
    pub tests: usize,
    /// The file that was written, relative to the output folder.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) file: Option<String>,
    /// Why nothing was written, when nothing was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) reason: Option<String>,
    /// What stands in the way of testing parts of the class, one sentence each.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub remarks: Vec<String>,
    /// Types that are needed and cannot be made, with the reason: null is passed for them.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) unbuildable: BTreeMap<String, String>,
    pub goals: Goals,
    pub methods: Vec<MethodReport>,
    pub replay: ReplayReport,
    pub solver: SolverReport,
    pub tree: TreeReport,
    pub search: SearchReport,
    pub discarded: Discarded,
    pub(crate) faults: Vec<FaultReport>,
    #[serde(default)]
    pub mutants: MutantReport,
    /// What a session of existing tests gave (`--session`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub existing: Option<ExistingReport>,
    /// Tests written earlier that a change made wrong (`--since`): the name of each, and why. They stay as they are.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub outdated: BTreeMap<String, String>,
}

/// What recorded runs of existing tests tell of a class.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExistingReport {
    /// Runs that entered the class.
    pub(crate) runs: usize,
    /// Different argument values.
    pub values: usize,
    /// Sequences of calls that were rebuilt.
    pub calls: usize,
    /// Lines and branch outcomes that the existing tests cover.
    pub lines: usize,
    pub branches: usize,
    /// Goals of all kinds that no test is written for, since existing tests cover them.
    pub left_out: usize,
}

#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub struct Goals {
    pub(crate) line: Covered,
    pub branch: Covered,
    pub mutant: Covered,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Covered {
    pub covered: usize,
    pub total: usize,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct MethodReport {
    pub name: String,
    pub(crate) descriptor: String,
    pub(crate) outcome: MethodOutcome,
    /// Why it is untested, or what is left of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) reason: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum MethodOutcome {
    Tested,
    Untested,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct ReplayReport {
    pub(crate) paths: u64,
    pub(crate) clauses: u64,
    pub divergences: u64,
    /// Site of each divergence, what the replay computed and what the run recorded.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub diverged: Vec<String>,
    pub(crate) concretised: u64,
    /// The same by what took the terms: callees and operations.
    #[serde(skip_serializing_if = "BTreeMap::is_empty", default)]
    pub(crate) concretised_by: BTreeMap<String, u64>,
    pub(crate) unsupported: BTreeMap<String, u64>,
    /// Replays that did not come to their end because the search did: the rest of these runs is in no figure.
    #[serde(default)]
    pub(crate) stopped: u64,
    /// Of the code under test, in all recorded runs.
    #[serde(default)]
    pub(crate) instructions: InstructionReport,
    /// Those that it did not, by reason.
    #[serde(skip_serializing_if = "BTreeMap::is_empty", default)]
    pub(crate) unreplayed: BTreeMap<String, u64>,
    /// Recorded values that were compared with computed ones, and those of them that were taken because an opaque call may have changed them.
    #[serde(default)]
    pub(crate) checked_loads: u64,
    #[serde(default)]
    pub(crate) resyncs: u64,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct InstructionReport {
    pub executed: u64,
    /// Those that the replay computed itself.
    pub replayed: u64,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct SolverReport {
    pub(crate) queries: u64,
    pub(crate) sat: u64,
    pub(crate) unsat: u64,
    pub(crate) unknown: u64,
    /// Why nothing is known: `resources`, `time`, `size`, `unsupported`, `descent`, `gave-up`, `wrong-model`, `died`, `garbage`.
    #[serde(skip_serializing_if = "BTreeMap::is_empty", default)]
    pub(crate) unknown_by: BTreeMap<String, u64>,
    pub(crate) cached: u64,
    /// Answered by descent on the values of the run.
    #[serde(default)]
    pub(crate) descended: u64,
    /// Asked again with more characters of a string.
    #[serde(default)]
    pub(crate) widened: u64,
    /// Alternatives that a text of the program answered without a query.
    pub(crate) guessed: u64,
    pub seconds: f64,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct TreeReport {
    pub(crate) paths: u64,
    pub(crate) infeasible: u64,
    pub(crate) frontier: u64,
    /// Trees of an earlier run of the session that this one went on from; the other figures count what they hold.
    #[serde(default)]
    pub resumed: u64,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct SearchReport {
    pub(crate) executions: u64,
    pub per_second: f64,
    /// Candidates that are no tests, by what happened to them: `refused: ...`, `budget`, `died`, ...
    #[serde(skip_serializing_if = "BTreeMap::is_empty", default)]
    pub(crate) set_aside: BTreeMap<String, u64>,
}

/// How the mutants of `goals.mutant` were counted.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct MutantReport {
    /// Runs of tests under mutants.
    pub runs: u64,
    pub per_second: f64,
    /// Tests that could not be judged: with switches for mutants in its code, the class does something else, or time was up.
    pub(crate) unfit: u64,
    /// Tests that are there because they kill mutants.
    pub(crate) further: u64,
    /// Mutants that no test is known to kill, one line each.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub alive: Vec<String>,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Discarded {
    pub(crate) uncompilable: u64,
    pub(crate) failing: u64,
    pub(crate) flaky: u64,
    /// Tests that cannot be written in Java source, or that could not be observed or verified, by reason.
    #[serde(skip_serializing_if = "BTreeMap::is_empty", default)]
    pub(crate) unprintable: BTreeMap<String, u64>,
}

/// A test that shows a likely fault of the class under test.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct FaultReport {
    pub(crate) test: String,
    pub(crate) what: String,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct JvmReport {
    pub(crate) started: u64,
    pub(crate) killed: u64,
    pub(crate) crashed: u64,
}

impl Report {
    /// Writes `report.json` whole: never half of it.
    pub(crate) fn write(&self, folder: &Path) -> io::Result<()> {
        std::fs::create_dir_all(folder)?;
        let text = serde_json::to_string_pretty(self).map_err(io::Error::other)? + "\n";
        files::write_atomically(&folder.join("report.json"), text.as_bytes())
    }

    pub fn read(folder: &Path) -> io::Result<Report> {
        serde_json::from_slice(&std::fs::read(folder.join("report.json"))?).map_err(io::Error::other)
    }
}

/// A number of things, with their name.
pub(crate) fn counted(count: u64, one: &str, several: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { several })
}
