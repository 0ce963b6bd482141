//! The schema of `report.json`: what was done for each class, and why there is no more.
//!
//! Flows in: plain facts of the engine ([`ClassFacts`]). Flows out: the file, the same read back, and
//! the page and the files for code hosts that are made from it. Must not know the engine.
//! `docs/formats/report.md` describes the format for other programs: keys do not change without a new
//! version. Only `seconds`, `per_second` and `jvm` may differ between two runs with the same seed and
//! steps.

use crate::files;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};

mod class_facts;
mod differences;
mod coverage;
mod explain;
mod merge;
mod page;
mod paths;
mod reasons;
mod sarif;
mod session;
mod signature;
mod summary_xml;
mod untested;
mod version1;

pub(crate) use class_facts::{ClassFacts, MethodFacts, OutputFacts, SearchFacts, SymbolicReports};
pub use coverage::ClassCoverage;
pub(crate) use coverage::{BranchCoverage, FlowWay, MethodCoverage, MethodFlow, NumberSet, SurvivingMutant, TestCoverage};
pub use explain::{DecisionReport, DecisionState, ExplainReport, ExplainedTree};
pub use merge::{merged, missing_shards};
pub use paths::{PathOutcome, PathReport};
pub(crate) use reasons::{Misprediction, UnverifiedReason};
pub use session::{SessionDivergence, SessionMethod, SessionReport, SessionTotals};
pub(crate) use untested::{MethodLosses, Obstacle, UntestedCause};

use differences::write_differences;
use page::write_page;
use sarif::write_sarif;
use summary_xml::write_summary_xml;

/// Version of the format that is written.
pub(crate) const VERSION: u32 = 2;
/// Tests that do not compile and are described; all are counted.
const MOST_UNCOMPILABLE: usize = 5;
/// Name of the file in the folder of `--report`.
pub(crate) const FILE_NAME: &str = "report.json";

/// The whole file.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Report {
    /// Of the format.
    pub(crate) version: u32,
    pub(crate) seed: u64,
    pub(crate) strategy: String,
    /// Full version of the JDK that ran the classes.
    pub(crate) jdk: String,
    /// The part of the classes that the report is about (`2/3`), where the classes were shared out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shard: Option<String>,
    /// Whether the classes are compared with an earlier version (`diff`).
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) compares: bool,
    /// Folders in which sources of the classes were found, for the page.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) sources: Vec<PathBuf>,
    /// In the order in which the classes were generated.
    pub classes: Vec<ClassReport>,
    /// Over all classes.
    pub jvm: JvmReport,
}

/// One class under test.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct ClassReport {
    /// Binary name.
    pub name: String,
    /// Wall-clock time.
    pub seconds: f64,
    /// Tests written; each row of a parameterized test is one.
    pub tests: usize,
    /// The written file, relative to the output folder.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) file: Option<String>,
    /// Why no file was written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// What prevents tests of parts of the class, one sentence each.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub remarks: Vec<String>,
    /// Parameter types without any way to get an object, each with the reason; tests pass null.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) unbuildable_types: BTreeMap<String, String>,
    /// What the written tests cover.
    pub goals: Goals,
    /// What the tests of the search cover, before they are finished; `None` where there was no
    /// search.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub searched: Option<SearchedGoals>,
    /// The methods and constructors of the class itself.
    pub methods: Vec<MethodReport>,
    /// Of recorded executions.
    pub replay: ReplayReport,
    /// Over all queries of the class.
    pub solver: SolverReport,
    /// Over all constraint trees of the class.
    pub tree: TreeReport,
    /// Of candidates.
    pub search: SearchReport,
    /// Tests that were found and not written.
    pub discarded: Discarded,
    /// Tests that show a likely fault of the class under test.
    pub(crate) faults: Vec<LikelyFault>,
    /// How the mutants of `goals.mutant` were counted.
    #[serde(default)]
    pub mutants: MutantReport,
    /// What a session of recorded tests gave (`--session`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recorded_tests: Option<RecordedTestsReport>,
    /// Existing tests that a change made wrong (`--since`), each with the expected and the found value, or
    /// with another reason. The tests stay as they are.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub outdated_tests: BTreeMap<String, String>,
    /// Those of `outdated_tests` that `--accept` would change.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub acceptable_tests: BTreeSet<String>,
    /// Existing tests that `--accept` changed, each with its old and new values.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub accepted_tests: BTreeMap<String, String>,
    /// What the written tests show of an earlier version (`diff`): they fail there. `None` where nothing was compared.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub differences: Option<Vec<Difference>>,
    /// Changed methods that are proved to give the same as in the earlier version (`diff`).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub equal_methods: Vec<EqualMethod>,
    /// The answers to the paths that the user asks for (`--path`).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub paths: Vec<PathReport>,
    /// What symbolic execution decided, for each method the tree of its shortest test.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) trees: Vec<ExplainedTree>,
    /// Written tests have proxies in place of collaborators. With Mockito on the class path they
    /// would have mocks.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub proxies: bool,
    /// What the written tests cover, place by place.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub coverage: Option<ClassCoverage>,
}

/// A method that gives the same result, or an exception of the same class, in both versions for all of its inputs.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct EqualMethod {
    /// Its name.
    pub method: String,
    /// Paths through it.
    pub paths: u64,
    /// Where the method takes texts: the proof holds up to this length, in characters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub longest_text: Option<usize>,
}

impl EqualMethod {
    /// What holds, in words.
    pub(crate) fn sentence(&self) -> String {
        let EqualMethod { method, paths, longest_text } = self;
        let bound = longest_text.map_or_else(String::new, |most| format!(", for texts of at most {most} characters"));
        format!("{method}: proved to be the same on {}{bound}", counted(*paths, "path", "paths"))
    }
}

/// All paths of a method are known: for each input it takes one of them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Exhaustion {
    /// How many they are.
    pub paths: u64,
    /// Where the method takes texts: this holds up to this length, in characters, and not for null.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub longest_text: Option<usize>,
}

impl Exhaustion {
    /// What is known, in words.
    pub(crate) fn sentence(&self) -> String {
        let inputs = match self.longest_text {
            Some(most) => format!("all texts of at most {most} characters"),
            None => "all inputs".to_owned(),
        };
        format!("exhausted: {inputs} take one of {}", counted(self.paths, "path", "paths"))
    }
}

/// A test that passes now and fails in the earlier version.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Difference {
    /// Name of the method under test.
    pub method: String,
    /// The test method.
    pub test: String,
    /// What it does, in one line of Java.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub example: String,
    /// What the earlier version gives.
    pub before: String,
    /// What the code gives now.
    pub after: String,
}

/// What recorded runs of existing tests say about a class.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordedTestsReport {
    /// Runs that entered the class.
    pub(crate) runs: usize,
    /// Distinct argument values.
    pub values: usize,
    /// Carved call sequences that were rebuilt as test cases.
    pub call_sequences: usize,
    /// Lines that the existing tests cover.
    pub lines: usize,
    /// Branch outcomes that the existing tests cover.
    pub branches: usize,
    /// Lines, branch outcomes and mutants that get no test, because existing tests cover them.
    pub goals_left_out: usize,
}

/// Goals of the three kinds.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub struct Goals {
    /// Line-number entries of the class.
    pub line: CoverageCount,
    /// Branch outcomes.
    pub branch: CoverageCount,
    /// Killed mutants.
    pub mutant: CoverageCount,
}

/// Lines and branch outcomes that the search reached.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SearchedGoals {
    /// Lines.
    pub line: CoverageCount,
    /// Branch outcomes.
    pub branch: CoverageCount,
}

impl SearchedGoals {
    /// The share of these goals that the written tests cover, from 0 to 1; 1 where there are none.
    pub fn kept_by(&self, written: &Goals) -> f64 {
        let found = self.line.covered + self.branch.covered;
        let kept = written.line.covered.min(self.line.covered) + written.branch.covered.min(self.branch.covered);
        if found == 0 { 1.0 } else { kept as f64 / found as f64 }
    }
}

/// How many goals of one kind are covered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CoverageCount {
    /// At most `total`.
    pub covered: usize,
    /// All goals of the kind.
    pub total: usize,
}

/// One method or constructor.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct MethodReport {
    /// As in the class file: constructors are `<init>`.
    pub name: String,
    pub(crate) descriptor: String,
    pub(crate) outcome: MethodOutcome,
    /// Why the method is untested: the key of an [`UntestedCause`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cause: Option<String>,
    /// The same as a clause with the names in question.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// What the user can do about it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) remedy: Option<String>,
    /// Where all of its paths are known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exhausted: Option<Exhaustion>,
}

/// Whether a written test calls a method.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum MethodOutcome {
    Tested,
    Untested,
}

/// Replays of recorded executions.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct ReplayReport {
    /// Executions that were replayed and inserted into a tree.
    pub paths: u64,
    /// Clauses of all path conditions.
    pub(crate) clauses: u64,
    /// Differences between replay and execution: faults of Tracewright.
    pub divergences: u64,
    /// The site of a divergence, the computed and the recorded value; only some are described.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub divergence_examples: Vec<String>,
    /// Terms that were replaced by their recorded values.
    pub(crate) concretised: u64,
    /// The same by callee or operation.
    #[serde(skip_serializing_if = "BTreeMap::is_empty", default)]
    pub(crate) concretised_by: BTreeMap<String, u64>,
    /// Values, calls and paths that the replay does not follow, by reason.
    pub(crate) unsupported: BTreeMap<String, u64>,
    /// Models whose run took another path than predicted, without a fault of the replay, by reason.
    #[serde(skip_serializing_if = "BTreeMap::is_empty", default)]
    pub(crate) mispredicted: BTreeMap<String, u64>,
    /// Replays that the end of the search interrupted; the rest of these executions is in no
    /// figure.
    #[serde(default)]
    pub(crate) interrupted: u64,
    /// Bytecode instructions of the code under test.
    #[serde(default)]
    pub(crate) instructions: InstructionReport,
    /// Instructions that the replay did not compute, by reason.
    #[serde(skip_serializing_if = "BTreeMap::is_empty", default)]
    pub(crate) not_replayed: BTreeMap<String, u64>,
    /// Recorded values that were compared with computed ones.
    #[serde(default)]
    pub(crate) checked_values: u64,
    /// Checked values that were taken over, because an opaque call may have changed them.
    #[serde(default)]
    pub(crate) resynchronised_values: u64,
}

impl ReplayReport {
    /// Counts a model whose run took another path for a known cause.
    pub(crate) fn count_misprediction(&mut self, cause: Misprediction) {
        *self.mispredicted.entry(cause.reason().into()).or_default() += 1;
    }
}

/// Executed and replayed instructions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct InstructionReport {
    /// In all recorded executions.
    pub executed: u64,
    /// Instructions that the replay computed itself.
    pub replayed: u64,
}

/// Queries to the stack of solvers.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct SolverReport {
    /// Queries, with those that were answered from the cache.
    pub queries: u64,
    pub(crate) sat: u64,
    pub(crate) unsat: u64,
    pub(crate) unknown: u64,
    /// Why results are unknown: `resources`, `time`, `size`, `unsupported`, `descent`, `gave-up`,
    /// `wrong-model`, `died`, `garbage`.
    #[serde(skip_serializing_if = "BTreeMap::is_empty", default)]
    pub(crate) unknown_by: BTreeMap<String, u64>,
    pub(crate) cached: u64,
    /// Queries that local search solved, starting from the values of the recorded execution.
    #[serde(default)]
    pub(crate) solved_by_local_search: u64,
    /// Queries that were repeated with more characters of a string.
    #[serde(default)]
    pub(crate) repeated_with_longer_strings: u64,
    /// Alternatives that a string constant of the program solved without a query.
    #[serde(default)]
    pub solved_by_guess: u64,
    /// Time in the solvers.
    pub seconds: f64,
}

/// Constraint trees.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct TreeReport {
    /// Distinct paths.
    pub(crate) paths: u64,
    /// Alternatives proven infeasible.
    pub(crate) infeasible: u64,
    /// Pending alternatives.
    pub(crate) frontier: u64,
    /// Trees that an earlier run left in the session; the other figures include what they hold.
    #[serde(default)]
    pub resumed_trees: u64,
}

/// The search.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct SearchReport {
    /// Executed candidates.
    pub(crate) executions: u64,
    /// Executions per second of search.
    pub per_second: f64,
    /// Candidates that cannot become tests, by rejection reason.
    #[serde(skip_serializing_if = "BTreeMap::is_empty", default)]
    pub(crate) rejected: BTreeMap<String, u64>,
}

/// The mutation analysis.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct MutantReport {
    /// Executions of tests under a mutant.
    pub runs: u64,
    /// Runs per second of analysis.
    pub per_second: f64,
    /// Tests without a verdict: the class behaves differently with the switches of mutants in its
    /// code, or time was up.
    pub(crate) tests_not_judged: u64,
    /// Written tests that only kill mutants.
    pub(crate) tests_for_mutants: u64,
    /// Mutants without a run, since no time was left for any; `goals.mutant` counts them too.
    #[serde(default)]
    pub(crate) not_run: usize,
    /// Mutants that no test is known to kill, one line each; empty where none was run.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub surviving: Vec<String>,
}

/// Tests that were found and not written.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Discarded {
    /// The generated source does not compile.
    pub uncompilable: u64,
    /// Some of these, each a fault of Tracewright.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub uncompilable_examples: Vec<UncompilableExample>,
    /// Tests that fail in the environment that they were observed in.
    pub failing: u64,
    /// Tests that fail in another environment only, or behave differently in two observations.
    pub(crate) flaky: u64,
    /// Tests that change state which other tests see, where nothing that a test may use puts it back.
    #[serde(default)]
    pub(crate) shared_state: u64,
    /// Tests that only show a null or an object of a wrong class that no code checks for.
    #[serde(default)]
    pub(crate) unchecked: u64,
    /// Tests that Java source cannot express, by reason.
    #[serde(skip_serializing_if = "BTreeMap::is_empty", default)]
    pub(crate) unprintable: BTreeMap<String, u64>,
    /// Tests whose execution cannot be observed again, by reason.
    #[serde(skip_serializing_if = "BTreeMap::is_empty", default)]
    pub(crate) unobserved: BTreeMap<String, u64>,
    /// Tests that were dropped for lack of time, by reason.
    #[serde(skip_serializing_if = "BTreeMap::is_empty", default)]
    pub(crate) unverified: BTreeMap<String, u64>,
    /// The same by method, for the reasons of untested methods.
    #[serde(skip)]
    pub(crate) losses: MethodLosses,
}

impl Discarded {
    /// Describes a test that does not compile, where few are described yet.
    pub(crate) fn add_uncompilable_example(&mut self, example: impl FnOnce() -> UncompilableExample) {
        if self.uncompilable_examples.len() < MOST_UNCOMPILABLE {
            self.uncompilable_examples.push(example());
        }
    }

    /// The cause for which most tests were dropped, with their number; `None` where none were.
    pub(crate) fn main_cause(&self) -> Option<String> {
        let named = [
            (self.uncompilable, "do not compile"),
            (self.failing, "fail"),
            (self.flaky, "behave differently in another environment"),
            (self.shared_state, "change state that nothing puts back"),
            (self.unchecked, "end with a null or a wrong class that nothing checks for"),
        ];
        let by_reason = [
            (&self.unprintable, "Java source cannot express them"),
            (&self.unobserved, "they could not be observed again"),
            (&self.unverified, "time was up"),
        ];
        let named = named.into_iter().map(|(count, what)| (count, what.to_owned()));
        let by_reason = by_reason.into_iter().map(|(counts, what)| {
            let main = counts.iter().max_by_key(|(_, count)| **count).map_or("", |(reason, _)| reason.as_str());
            (counts.values().sum(), format!("were dropped, because {what} ({main})"))
        });
        let (count, what) = named.chain(by_reason).rev().max_by_key(|(count, _)| *count).filter(|(count, _)| *count > 0)?;
        Some(format!("{} {what}", counted(count, "test", "tests")))
    }

    /// Counts tests that were dropped for lack of time.
    pub(crate) fn count_unverified(&mut self, reason: UnverifiedReason, tests: usize) {
        if tests > 0 {
            *self.unverified.entry(reason.text().into()).or_default() += tests as u64;
        }
    }
}

/// A test whose source does not compile.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct UncompilableExample {
    /// What the compiler says first about it.
    pub message: String,
    /// The test method.
    pub source: String,
}

/// A test that shows a likely fault of the class under test.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct LikelyFault {
    /// Name of the test method.
    pub(crate) test: String,
    pub(crate) description: String,
    /// The statements of the test in Java, on one line: the input that shows the fault.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(crate) input: String,
    /// First line of the method under test, where the class file has it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) line: Option<u32>,
}

/// JVM processes.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct JvmReport {
    pub(crate) started: u64,
    /// JVMs that were ended because they hung or had to be replaced.
    pub(crate) killed: u64,
    /// JVMs that ended by themselves while they had work.
    pub(crate) crashed: u64,
}

impl JvmReport {
    /// Counts the JVMs of the other as well.
    pub(crate) fn add(&mut self, other: &JvmReport) {
        self.started += other.started;
        self.killed += other.killed;
        self.crashed += other.crashed;
    }
}

impl Report {
    /// Writes `report.json` into the folder, atomically; creates the folder where it is missing.
    pub(crate) fn write(&self, folder: &Path) -> io::Result<()> {
        std::fs::create_dir_all(folder)?;
        let text = serde_json::to_string_pretty(self).map_err(io::Error::other)? + "\n";
        files::write_atomically(&folder.join(FILE_NAME), text.as_bytes())
    }

    /// Writes what is made from the report and the sources: the page, and the files for code hosts and CI.
    ///
    /// # Errors
    /// A file or folder cannot be written.
    pub fn write_views(&self, folder: &Path) -> io::Result<()> {
        write_page(self, folder)?;
        write_sarif(self, folder)?;
        write_summary_xml(self, folder)?;
        write_differences(self, folder)
    }

    /// Looks for sources in these folders first.
    pub(crate) fn add_sources(&mut self, folders: Vec<PathBuf>) {
        let before = std::mem::replace(&mut self.sources, folders);
        let further: Vec<PathBuf> = before.into_iter().filter(|folder| !self.sources.contains(folder)).collect();
        self.sources.extend(further);
    }

    /// Reads `report.json` from the folder. Version 1 is upgraded.
    ///
    /// # Errors
    /// The file is missing or unreadable, is no report, or has an unknown version.
    pub fn read(folder: &Path) -> io::Result<Report> {
        Report::parse(&std::fs::read(folder.join(FILE_NAME))?).map_err(io::Error::other)
    }

    /// Parses the bytes of `report.json`. Version 1 is upgraded.
    ///
    /// Fails where the bytes are no JSON or no report, or have an unknown version.
    pub(crate) fn parse(bytes: &[u8]) -> Result<Report, String> {
        let mut value: serde_json::Value = serde_json::from_slice(bytes).map_err(|error| error.to_string())?;
        match value.get("version").and_then(serde_json::Value::as_u64) {
            Some(1) => version1::upgrade(&mut value),
            Some(version) if version == u64::from(VERSION) => {}
            Some(version) => return Err(format!("its version is {version}; versions 1 and {VERSION} can be read")),
            None => return Err("it has no version".into()),
        }
        serde_json::from_value(value).map_err(|error| error.to_string())
    }
}

/// The text with single blanks in place of line ends and of what else is blank.
pub(crate) fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The text, cut where it is longer than this number of characters.
pub(crate) fn cut(text: &str, longest: usize) -> String {
    match text.char_indices().nth(longest) {
        Some((end, _)) => format!("{} ...", &text[..end]),
        None => text.to_owned(),
    }
}

/// A count with its noun: `1 branch`, `2 branches`.
pub(crate) fn counted(count: u64, singular: &str, plural: &str) -> String {
    format!("{count} {}", if count == 1 { singular } else { plural })
}
