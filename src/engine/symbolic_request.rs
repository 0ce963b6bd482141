//! What the search asks of symbolic execution, and what comes back: plain values.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Instant;

use crate::jvm::WorkerStatistics;
use crate::path::BranchOutcome;
use crate::program::MethodRef;
use crate::report::{EqualMethod, Exhaustion, ExplainedTree, ReplayReport, SolverReport, TreeReport};
use crate::select::Training;
use crate::testcase::TestCase;

/// A request to symbolic execution.
#[derive(Debug, Default)]
pub(super) struct SymbolicRequest {
    /// Tests to record, the most promising first.
    pub(super) tests: Vec<TestCase>,
    /// Tests to record that an exception ended in code around the classes under test.
    pub(super) stopped: Vec<TestCase>,
    /// Tests to start from without a search. The first is recorded in any case, the others where no
    /// alternative is promising.
    pub(super) seeds: Vec<TestCase>,
    /// Branch outcomes that no test covers.
    pub(super) open: BTreeSet<BranchOutcome>,
    /// Executions and queries, at most.
    pub(super) quota: u64,
    /// No execution or query begins after this.
    pub(super) until: Option<Instant>,
    /// Share of the time that serving this request may take, from above 0 to 1; the thread rests
    /// afterwards.
    pub(super) share: f64,
}

/// The answer to a [`SymbolicRequest`].
#[derive(Debug, Default)]
pub(super) struct SymbolicResponse {
    /// Test cases for the search, in the order in which they were found.
    pub(super) candidates: Vec<TestCase>,
    /// Executions and queries that were made.
    pub(super) steps: u64,
    /// No pending alternative is promising: new tests are wanted.
    pub(super) is_spent: bool,
}

/// Facts about all requests of a class, for the report.
#[derive(Debug)]
pub(super) struct SymbolicFacts {
    pub(super) replay: ReplayReport,
    pub(super) solver: SolverReport,
    pub(super) tree: TreeReport,
    pub(super) jvm: WorkerStatistics,
    /// Labelled attempts, earlier ones included.
    pub(super) training: Training,
    /// Branch outcomes that no known path leads to.
    pub(super) refuted: BTreeSet<BranchOutcome>,
    /// Descriptions of the trees: all of them where `explain` asks for them, else the plainest of each method.
    pub(super) trees: Vec<ExplainedTree>,
    /// Methods all of whose paths are known.
    pub(super) exhausted: BTreeMap<MethodRef, Exhaustion>,
    /// Methods that give the same in the earlier version.
    pub(super) equal: Vec<EqualMethod>,
    /// Sentences for the user.
    pub(super) messages: Vec<String>,
}
