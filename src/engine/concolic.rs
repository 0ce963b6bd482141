//! SymbolicScheduler execution of recorded runs: record, replay, insert into the tree, choose, solve, and hand the answers to the search.
//!
//! Flows in: test cases that come close to something uncovered, and which branch outcomes are open. Flows out: new test cases that a model
//! promises to go elsewhere, and figures. Must not know how the search works.

use super::explain::explained;
use super::stored_trees::StoredTrees;
use crate::execution::RunEnd;
use crate::expr::{BinaryOp, Input, Model, Symbol, SymbolPart, Term, TermId, TermStore, Value, Writer};
use crate::jvm::{JvmError, TraceWorker, WorkerStatistics};
use crate::path::{BranchOutcome, PathCondition};
use crate::program::{ClassName, Program};
use crate::recording::{Announced, Recording};
use crate::report::{ExplainedTree, ReplayReport, SolverReport, TreeReport};
use crate::select::{Ending, Selector, Training};
use crate::solve::{Limits, Outcome, Query, Solver, guessed, optimistic};
use crate::symbolic::{PathEnd, ReplayConfig, Replayer, StopFlag, apply_model, seed_with};
use crate::testcase::{Literal, StatementKind, TestCase};
use crate::tree::{Alternative, ConstraintTree, NodeId, TreeKey, TreeLimits, Verdict};
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashSet, VecDeque};
use std::io::Write;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tracewright_trace::class_hash;

/// Wall-clock limit of a query when the search is over already.
const LEAST_QUERY: Duration = Duration::from_millis(20);

/// Terms above this number: everything symbolic is forgotten and begun anew, so that memory stays bounded.
const MOST_TERMS: usize = 3_000_000;
/// Why a model's test may go another way without any fault of the replay.
const MISLED: &str = "a model went elsewhere, after a value had been concretised";
/// The same of a string: a longer one has more variables and a shorter one fewer, and where there are many a length is decided by a clause.
const OTHER_VARIABLES: &str = "a model went elsewhere, with a string that has another number of variables";
/// The same of functions that the JVM and we compute with different libraries.
const APPROXIMATE: &str = "a model went elsewhere, after a function whose last digit is not Java's to say";
/// The same where the run that the model is of asks something else each time: a time, an identity hash.
const VARYING: &str = "a model went elsewhere, since what the run asked is another thing in each run";
/// Other reasons why it is not known of an alternative whether there is a way.
const ELSEWHERE: &str = "a model went elsewhere";
const KNOWN: &str = "a model is of a test case that was run before and went elsewhere";
const UNRUN: &str = "the test case of a model could not be run or replayed";
const CUT: &str = "the run of a model was cut short by a limit";
const BOUNDED: &str = "nothing was found with as many characters of the strings as have variables";
const WIDER: &str = "a run went there, with a string that has another number of variables";
/// Characters of a string input that get variables, where fewer were the reason that nothing was found.
const MOST_CHARACTERS: usize = 256;
/// Terms of a query from which on a string gets no more variables.
const WIDEST_QUERY: usize = 4_000;
/// Divergences described in the report; all are counted.
const MOST_DESCRIBED: usize = 20;

/// Work for symbolic execution.
#[derive(Debug, Default)]
pub(crate) struct SymbolicRequest {
    /// Most promising first.
    pub(crate) tests: Vec<TestCase>,
    /// Where to begin anew: the first in any case, the others when nothing promising is left to ask.
    pub(crate) seeds: Vec<TestCase>,
    /// Branch outcomes that no test covers yet.
    pub(crate) open: BTreeSet<BranchOutcome>,
    /// Runs and queries at most.
    pub(crate) quota: u64,
    /// No run or query begins after this.
    pub(crate) until: Option<Instant>,
    /// Of the time, what this and the rest after it may take for this: 0 to 1.
    pub(crate) share: f64,
}

#[derive(Debug, Default)]
pub(crate) struct SymbolicResponse {
    pub(crate) candidates: Vec<TestCase>,
    /// Runs and queries that were made.
    pub(crate) steps: u64,
    /// Nothing that waits leads to an open goal that was not tried: other runs are wanted.
    pub(crate) is_spent: bool,
}

/// What was done, for the report.
#[derive(Debug)]
pub(crate) struct SymbolicFacts {
    pub(crate) replay: ReplayReport,
    pub(crate) solver: SolverReport,
    pub(crate) tree: TreeReport,
    pub(crate) jvm: WorkerStatistics,
    /// What the attempts taught.
    pub(crate) training: Training,
    /// In words, where that was asked for.
    pub(crate) trees: Vec<ExplainedTree>,
}

pub(crate) struct Concolic<'p> {
    worker: TraceWorker,
    announced: Announced,
    replayer: Replayer<'p>,
    config: ReplayConfig,
    terms: TermStore,
    trees: BTreeMap<TreeKey, ConstraintTree>,
    selector: Box<dyn Selector>,
    solver: Box<dyn Solver>,
    limits: Limits,
    /// When the search ends: no query is worth waiting for longer.
    until: Option<Instant>,
    /// Branch outcomes of the job that no test covers yet, without those that runs took since.
    open: BTreeSet<BranchOutcome>,
    /// Test cases that were recorded, by canonical hash.
    recorded: HashSet<u64>,
    /// Those of them whose replay gave up the terms of some value: their path conditions leave something unsaid.
    concretised: HashSet<u64>,
    replayed: ReplayReport,
    /// Queries asked again with more characters.
    widened: u64,
    /// Alternatives that a text of the program answered without a query.
    guessed: u64,
    attempts: Option<Box<dyn Write + Send>>,
    tree_limits: TreeLimits,
    /// Only decisions of the last call are asked for otherwise.
    last_call: bool,
    /// What a session keeps.
    kept: Option<StoredTrees<'p>>,
    /// Test cases of an earlier session that are run again first.
    resumed: VecDeque<TestCase>,
}

/// A run whose path stands in the tree.
#[derive(Debug)]
struct ReplayedRun {
    path: Arc<PathCondition>,
    end: PathEnd,
    /// As in [`RunPath`].
    entered: bool,
}

/// What became of one alternative.
#[derive(Debug)]
struct AttemptResult {
    ending: Ending,
    path: Option<RunPath>,
}

/// The path of a run.
#[derive(Clone, Copy, Debug)]
struct RunPath {
    signature: u64,
    /// The run came to the method under test, whose call is the last.
    entered: bool,
}

/// What became of a model.
#[derive(Debug, Default)]
struct ModelValidation {
    /// The test, if it was run.
    test: Option<TestCase>,
    path: Option<RunPath>,
    is_predicted: bool,
    /// Where it is not: why.
    reason: &'static str,
    /// It went elsewhere for want of variables.
    is_bounded: bool,
}

impl std::fmt::Debug for Concolic<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Concolic").field("trees", &self.trees.len()).field("replayed", &self.replayed).finish_non_exhaustive()
    }
}

impl<'p> Concolic<'p> {
    pub(crate) fn new(
        worker: TraceWorker,
        program: &'p Program,
        selector: Box<dyn Selector>,
        solver: Box<dyn Solver>,
        limits: Limits,
    ) -> Concolic<'p> {
        Concolic {
            worker,
            announced: Announced::default(),
            replayer: Replayer::new(program),
            config: ReplayConfig::default(),
            terms: TermStore::new(),
            trees: BTreeMap::new(),
            selector,
            solver,
            limits,
            until: None,
            open: BTreeSet::new(),
            recorded: HashSet::new(),
            concretised: HashSet::new(),
            replayed: ReplayReport::default(),
            widened: 0,
            guessed: 0,
            attempts: None,
            tree_limits: TreeLimits::default(),
            last_call: false,
            kept: None,
            resumed: VecDeque::new(),
        }
    }

    /// Goes on from what a session keeps: its test cases are run again first.
    pub(crate) fn resume(&mut self, kept: StoredTrees<'p>) {
        self.resumed = kept.tests().into();
        self.kept = Some(kept);
    }

    /// Writes down what stands, where there is a session. An error is one sentence.
    pub(crate) fn store_trees(&mut self) -> Result<(), String> {
        let Some(kept) = &mut self.kept else { return Ok(()) };
        for tree in self.trees.values() {
            kept.put(tree, &self.terms);
        }
        kept.write()
    }

    /// No recording goes on after the deadline, and no replay once the flag is set.
    pub(crate) fn limit(&mut self, deadline: Option<Instant>, stop: StopFlag) {
        self.worker.set_deadline(deadline);
        self.replayer.stop_with(stop);
    }

    /// Records the tests, then asks the solver for alternatives, the most promising first.
    pub(crate) fn serve(&mut self, job: &SymbolicRequest) -> Result<SymbolicResponse, JvmError> {
        let mut found = SymbolicResponse::default();
        self.until = job.until;
        self.open.clone_from(&job.open);
        let in_time = |found: &SymbolicResponse| found.steps < job.quota && job.until.is_none_or(|until| Instant::now() < until);
        if self.terms.len() > MOST_TERMS {
            self.forget_all();
        }
        self.rerun_stored_tests(job, &mut found)?;
        let near: Vec<u64> = job.tests.iter().map(TestCase::canonical_hash).collect();
        self.selector.approach(&near);
        let mut seeds = job.seeds.iter();
        for test in job.tests.iter().chain(seeds.next()) {
            if !in_time(&found) {
                return Ok(found);
            }
            if self.recorded.insert(test.canonical_hash()) {
                found.steps += 1;
                self.explore(test)?;
            }
        }
        while in_time(&found) {
            let open = |site: &BranchOutcome| self.open.contains(site);
            if (!self.selector.is_promising(&open) || self.selector.is_empty())
                && let Some(seed) = seeds.next()
            {
                if self.recorded.insert(seed.canonical_hash()) {
                    found.steps += 1;
                    self.explore(seed)?;
                }
                continue;
            }
            let Some(alternative) = self.selector.next(&self.terms, &open) else { break };
            if !self.trees.get(&alternative.key).is_some_and(|tree| tree.is_open(alternative.node)) {
                continue;
            }
            if let Some(core) = self.selector.refuted(&alternative) {
                self.close_alternative(&alternative, Verdict::Infeasible { core });
                continue;
            }
            found.steps += 1;
            let attempt = self.solve(&alternative, &mut found)?;
            self.selector.learn(&self.terms, &alternative, &attempt.ending);
            self.log_attempt(&alternative, &attempt);
        }
        found.is_spent = !self.selector.is_promising(&|site: &BranchOutcome| self.open.contains(site));
        Ok(found)
    }

    /// Runs test cases of an earlier session again, with half of the job's steps at most. The search hears of them as of any others.
    fn rerun_stored_tests(&mut self, job: &SymbolicRequest, found: &mut SymbolicResponse) -> Result<(), JvmError> {
        while found.steps < job.quota.div_ceil(2) && job.until.is_none_or(|until| Instant::now() < until) {
            let Some(test) = self.resumed.pop_front() else { break };
            if self.recorded.insert(test.canonical_hash()) {
                found.steps += 1;
                self.explore(&test)?;
                found.candidates.push(test);
            }
        }
        Ok(())
    }

    /// Asks for one alternative; the test cases that models give have been run, and their paths stand in the tree. Where a string would have
    /// to be longer than what has variables, the run is replayed with twice as many and asked again.
    fn solve(&mut self, alternative: &Alternative, found: &mut SymbolicResponse) -> Result<AttemptResult, JvmError> {
        let mut characters = self.config.characters;
        let mut attempt = AttemptResult { ending: Ending::Missed, path: None };
        let mut wider: Option<Alternative> = None;
        let mut reason: Cow<'static, str>;
        loop {
            let asked = wider.as_ref().unwrap_or(alternative);
            // That it is longer needs no more variables: whatever comes of it has its own.
            let asks_beyond = is_bound(&self.terms, asked.clause().term, &asked.origin, characters)
                || is_beyond(&self.terms, asked.negated, &asked.origin, characters);
            let seed = seed_with(&asked.origin, characters as u32);
            let query = Query { clauses: asked.terms(), seed, limits: self.limits_now() };
            let outcome = match guessed(&self.terms, &query, self.replayer.literals()) {
                Some(model) => {
                    self.guessed += 1;
                    Outcome::Sat(model)
                }
                None => self.solver.check(&self.terms, &query),
            };
            let is_bounded = match outcome {
                Outcome::Sat(model) => {
                    let belief = self.validate_model(asked, &model, characters)?;
                    if let Some(test) = belief.test {
                        found.steps += 1;
                        found.candidates.push(test);
                    }
                    if belief.is_predicted {
                        attempt = AttemptResult { ending: Ending::Feasible, path: belief.path };
                    }
                    reason = Cow::Borrowed(belief.reason);
                    belief.is_bounded && !asks_beyond
                }
                Outcome::Unsat { core } => {
                    let core: Vec<TermId> = core.iter().filter_map(|&place| query.clauses.get(place).copied()).collect();
                    let core = self.without_bounds(core, &query, &asked.origin, characters);
                    let is_bounded = core.iter().any(|clause| is_bound(&self.terms, *clause, &asked.origin, characters));
                    if !is_bounded {
                        self.close_alternative(alternative, Verdict::Infeasible { core: core.clone() });
                        attempt.ending = Ending::Infeasible { core };
                    }
                    reason = Cow::Borrowed(BOUNDED);
                    is_bounded
                }
                Outcome::Unknown(why) => {
                    reason = Cow::Owned(format!("the solver gave up: {why}"));
                    // The last clause alone: whatever it gives is a good place for the search to start from.
                    let query = Query { limits: self.limits_now(), ..query.clone() };
                    let model = optimistic(&mut self.solver, &self.terms, &query);
                    found.candidates.extend(model.map(|model| apply_model(&alternative.origin, &model)));
                    false
                }
            };
            characters *= 2;
            let in_time = self.until.is_none_or(|until| Instant::now() < until);
            if !is_bounded || characters > MOST_CHARACTERS || !in_time {
                break;
            }
            // A text twice as long has far more terms than twice as many.
            if self.terms.reachable(&query.clauses).len() > WIDEST_QUERY {
                break;
            }
            found.steps += 1;
            wider = self.widened(alternative, characters)?;
            if wider.is_none() {
                break;
            }
            self.widened += 1;
        }
        // Usually the new path settled it already; where it went elsewhere, it is not tried again.
        self.close_alternative(alternative, Verdict::TimedOut { reason: reason.as_ref().into() });
        Ok(attempt)
    }

    /// What the trees keep, and whether only decisions of the last call of a test case are alternatives.
    pub(crate) fn limit_trees(&mut self, limits: TreeLimits, last_call: bool) {
        (self.tree_limits, self.last_call) = (limits, last_call);
    }

    /// Every attempt goes to the sink, a line each: its end, the signature of the run that took the way (and `!` where it ended before the method under test was
    /// called), branch outcomes that are open then, what was asked for, and a hash of that and all before it, which is the same in every
    /// process.
    pub(crate) fn write_attempts(&mut self, sink: Box<dyn Write + Send>) {
        self.attempts = Some(sink);
    }

    fn log_attempt(&mut self, alternative: &Alternative, attempt: &AttemptResult) {
        let Some(sink) = &mut self.attempts else { return };
        let open = self.open.len();
        let asked = identity(&self.terms, alternative);
        let ending = match attempt.ending {
            Ending::Feasible => "feasible",
            Ending::Infeasible { .. } => "infeasible",
            Ending::Missed => "missed",
        };
        let path = match &attempt.path {
            Some(RunPath { signature, entered }) => format!("{signature:016x}{}", if *entered { "" } else { "!" }),
            None => "-".to_owned(),
        };
        if let Err(error) = writeln!(sink, "{ending} {path} {open} {} #{asked:016x}", alternative.site) {
            tracing::warn!(%error, "the log of attempts ends here");
            self.attempts = None;
        }
    }

    /// The contradiction without its clauses about numbers of variables, where it is one without them as well: a solver's core need not be
    /// the least.
    fn without_bounds(&mut self, core: Vec<TermId>, query: &Query, origin: &TestCase, characters: usize) -> Vec<TermId> {
        let clauses: Vec<TermId> =
            core.iter().copied().filter(|clause| !is_bound(&self.terms, *clause, origin, characters)).collect();
        if clauses.len() == core.len() || clauses.is_empty() {
            return core;
        }
        let smaller = Query { clauses, ..query.clone() };
        match self.solver.check(&self.terms, &smaller) {
            Outcome::Unsat { core } => core.iter().filter_map(|&place| smaller.clauses.get(place).copied()).collect(),
            _ => core,
        }
    }

    /// The same alternative over a replay of its origin with variables for so many characters of each string.
    fn widened(&mut self, alternative: &Alternative, characters: usize) -> Result<Option<Alternative>, JvmError> {
        Ok(self.wide_path(&alternative.origin, characters)?.and_then(|path| same_decision(alternative, path)))
    }

    /// The path of a test case with variables for so many characters of each string; `None`: it could not be run.
    fn wide_path(&mut self, test: &TestCase, characters: usize) -> Result<Option<PathCondition>, JvmError> {
        let Some((recording, _)) = self.record(test)? else { return Ok(None) };
        let config = ReplayConfig { characters, ..self.config };
        Ok(Some(self.replayer.replay(test, &recording, &mut self.terms, &config).path))
    }

    /// Whether the test of a model took the predicted way; clauses are compared over as many variables as the query had.
    fn is_predicted(
        &mut self,
        alternative: &Alternative,
        test: &TestCase,
        path: &PathCondition,
        characters: usize,
    ) -> Result<bool, JvmError> {
        if alternative.predicted(path) {
            return Ok(true);
        }
        let is_wide = characters > self.config.characters;
        Ok(is_wide && self.wide_path(test, characters)?.is_some_and(|path| alternative.predicted(&path)))
    }

    /// Whether the run that the alternative leaves, made again, asks anything else up to there.
    fn is_nondeterministic(&mut self, alternative: &Alternative, characters: usize) -> Result<bool, JvmError> {
        let asked = &alternative.path.clauses[..=alternative.index];
        let again = self.wide_path(&alternative.origin, characters)?;
        Ok(again.is_none_or(|again| {
            let again = again.clauses.get(..asked.len());
            again.is_none_or(|again| asked.iter().zip(again).any(|(one, other)| one.term != other.term || one.site != other.site))
        }))
    }

    /// Of a query that begins now.
    fn limits_now(&self) -> Limits {
        let left = self.until.map(|until| until.saturating_duration_since(Instant::now()).max(LEAST_QUERY));
        Limits { wall: self.limits.wall.map(|wall| left.map_or(wall, |left| left.min(wall))), ..self.limits }
    }

    /// A model is checked before it is believed: the new test must take the predicted way.
    fn validate_model(
        &mut self,
        alternative: &Alternative,
        model: &Model,
        characters: usize,
    ) -> Result<ModelValidation, JvmError> {
        let test = apply_model(&alternative.origin, model);
        if !self.recorded.insert(test.canonical_hash()) {
            return Ok(ModelValidation { reason: KNOWN, ..ModelValidation::default() });
        }
        let mut belief = ModelValidation { reason: UNRUN, ..ModelValidation::default() };
        let Some(ReplayedRun { path, end, entered }) = self.explore(&test)? else {
            return Ok(ModelValidation { test: Some(test), ..belief });
        };
        // A path that was cut short by a limit tells nothing about where the model went.
        let is_whole = matches!(end, PathEnd::Returned | PathEnd::Threw { .. });
        belief.path = Some(RunPath { signature: path.signature, entered });
        belief.is_predicted = self.is_predicted(alternative, &test, &path, characters)?;
        belief.reason = match (belief.is_predicted, is_whole) {
            (true, _) => WIDER,
            (false, true) => ELSEWHERE,
            (false, false) => CUT,
        };
        if is_whole && !belief.is_predicted {
            let is_bounded = has_other_variables(&alternative.origin, &test, characters);
            belief.is_bounded = is_bounded;
            let reason = if [&*alternative.origin, &test].iter().any(|test| self.concretised.contains(&test.canonical_hash())) {
                Some(MISLED)
            } else if is_bounded {
                Some(OTHER_VARIABLES)
            } else if alternative.terms().iter().any(|clause| self.terms.is_approximate(*clause)) {
                Some(APPROXIMATE)
            } else if self.is_nondeterministic(alternative, characters)? {
                Some(VARYING)
            } else {
                None
            };
            if let Some(reason) = reason {
                belief.reason = reason;
                *self.replayed.unsupported.entry(reason.into()).or_default() += 1;
            } else {
                self.replayed.divergences += 1;
                tracing::debug!("went elsewhere:\n{}\nwith {model} is\n{test}", alternative.origin);
                self.describe_divergence(format!("model for {} went elsewhere", alternative.site));
            }
        }
        Ok(ModelValidation { test: Some(test), ..belief })
    }

    fn close_alternative(&mut self, alternative: &Alternative, verdict: Verdict) {
        if let Some(tree) = self.trees.get_mut(&alternative.key)
            && tree.is_open(alternative.node)
        {
            tree.settle(alternative.node, verdict);
        }
    }

    /// `None`: it could not be run.
    fn record(&mut self, test: &TestCase) -> Result<Option<(Recording, RunEnd)>, JvmError> {
        let recorded = self.worker.record(test)?;
        let end = recorded.execution.end;
        let was_run = end != RunEnd::Unrun;
        Ok(was_run.then(|| (Recording::from_bytes_after(&recorded.trace, &mut self.announced), end)))
    }

    /// Records and replays one test case and inserts its path; `None` when there is no path to speak of.
    fn explore(&mut self, test: &TestCase) -> Result<Option<ReplayedRun>, JvmError> {
        let Some((recording, run)) = self.record(test)? else { return Ok(None) };
        let replayed = self.replayer.replay(test, &recording, &mut self.terms, &self.config);
        self.replayed.paths += 1;
        self.replayed.clauses += replayed.path.clauses.len() as u64;
        let concretised = replayed.stats.concretised.values().sum::<u64>();
        if concretised > 0 {
            self.concretised.insert(test.canonical_hash());
        }
        self.replayed.concretised += concretised;
        self.replayed.stopped += u64::from(replayed.end == PathEnd::Stopped);
        self.replayed.instructions.executed += replayed.stats.executed;
        self.replayed.instructions.replayed += replayed.stats.replayed;
        self.replayed.checked_loads += replayed.stats.checked;
        self.replayed.resyncs += replayed.stats.resyncs;
        for (callee, count) in &replayed.stats.concretised {
            *self.replayed.concretised_by.entry(callee.clone()).or_default() += count;
        }
        for (reason, count) in &replayed.stats.unsupported {
            *self.replayed.unsupported.entry(reason.clone()).or_default() += count;
        }
        for (reason, count) in &replayed.stats.unreplayed {
            *self.replayed.unreplayed.entry(reason.clone()).or_default() += count;
        }
        if !replayed.stats.divergences.is_empty() {
            tracing::debug!("diverged:\n{test}\n{}", recording.print());
        }
        for (divergence, count) in &replayed.stats.divergences {
            self.replayed.divergences += count;
            self.describe_divergence(format!(
                "{}: computed {}, recorded {}",
                divergence.site, divergence.expected, divergence.found
            ));
        }
        if matches!(replayed.end, PathEnd::Diverged | PathEnd::JvmDied) {
            return Ok(None);
        }
        let Some((call, method)) = test.target() else { return Ok(None) };
        let mut path = replayed.path;
        for clause in &path.clauses {
            self.open.remove(&clause.site);
        }
        for passed in &path.concrete_branches {
            self.open.remove(&passed.site);
        }
        // What the run passed by is of interest where it is a goal.
        path.concrete_branches.retain(|passed| self.open.contains(&passed.site.with_outcome(1 - passed.site.outcome)));
        let path = Arc::new(path);
        let origin = Arc::new(test.clone());
        let key = TreeKey::of(test, method);
        self.selector.ran(&path);
        if let Some(kept) = &mut self.kept {
            kept.note(&origin, &path);
        }
        let (kept, terms, limits) = (&mut self.kept, &mut self.terms, self.tree_limits);
        let tree = self.trees.entry(key.clone()).or_insert_with(|| {
            let resumed = kept.as_mut().and_then(|kept| kept.take(&key, terms, limits));
            resumed.unwrap_or_else(|| ConstraintTree::new(key, limits))
        });
        for alternative in tree.insert(&path, &origin) {
            // Ways that end before the method under test are not its paths.
            if !self.last_call || alternative.clause().statement as usize >= call {
                self.selector.push(&self.terms, alternative);
            }
        }
        let entered = run.statement().is_none_or(|last| last as usize >= call);
        Ok(Some(ReplayedRun { path, end: replayed.end, entered }))
    }

    fn describe_divergence(&mut self, divergence: String) {
        tracing::warn!("divergence: {divergence}");
        if self.replayed.diverged.len() < MOST_DESCRIBED && !self.replayed.diverged.contains(&divergence) {
            self.replayed.diverged.push(divergence);
        }
    }

    fn forget_all(&mut self) {
        if let Some(kept) = &mut self.kept {
            self.trees.values().for_each(|tree| kept.put(tree, &self.terms));
        }
        self.terms = TermStore::new();
        self.trees.clear();
        self.selector.clear();
    }

    /// The trees in words, with what the selector says of those that wait.
    pub(crate) fn explained(&self, program: &Program, class: &ClassName) -> Vec<ExplainedTree> {
        let standings: BTreeMap<(&TreeKey, NodeId), String> =
            self.selector.standings().into_iter().map(|(key, node, standing)| ((key, node), standing)).collect();
        let why = |tree: &ConstraintTree, node, _| {
            standings.get(&(tree.key(), node)).map(|standing| format!("not drawn yet: {standing}"))
        };
        self.trees.values().map(|tree| explained(tree, &self.terms, Some(program), class, &why)).collect()
    }

    pub(crate) fn figures(&self) -> SymbolicFacts {
        let statistics = self.solver.statistics();
        let solver = SolverReport {
            queries: statistics.queries,
            sat: statistics.sat,
            unsat: statistics.unsat,
            unknown: statistics.unknown,
            unknown_by: statistics.reasons.iter().map(|(reason, count)| ((*reason).to_owned(), *count)).collect(),
            cached: statistics.cached,
            descended: statistics.descended,
            widened: self.widened,
            guessed: self.guessed,
            seconds: (statistics.seconds * 1000.0).round() / 1000.0,
        };
        let mut tree = TreeReport::default();
        for stats in self.trees.values().map(ConstraintTree::stats) {
            tree.paths += stats.paths;
            tree.infeasible += stats.infeasible;
            tree.frontier += stats.frontier;
        }
        tree.resumed = self.kept.as_ref().map_or(0, StoredTrees::resumed);
        SymbolicFacts {
            replay: self.replayed.clone(),
            solver,
            tree,
            jvm: self.worker.statistics(),
            training: self.selector.training(),
            trees: Vec::new(),
        }
    }
}

/// What was asked, and after which decisions: two attempts with one number are the same attempt, in whatever process.
fn identity(terms: &TermStore, alternative: &Alternative) -> u64 {
    let asked = alternative.terms();
    let mut text = format!("{}\n{}{}\n", alternative.key.method, alternative.key.skeleton(), alternative.site);
    let mut writer = Writer::new(terms, &asked);
    for (term, clause) in asked.iter().zip(&alternative.path.clauses) {
        for (name, definition) in writer.definitions(*term) {
            text.extend([&*name, " ", &*definition, "\n"]);
        }
        text.extend([&*clause.site.to_string(), " ", &*writer.term(*term), "\n"]);
    }
    class_hash(text.as_bytes())
}

/// Whether a string of the new test has more or fewer variables than its original had.
fn has_other_variables(origin: &TestCase, test: &TestCase, characters: usize) -> bool {
    origin.statements.iter().zip(&test.statements).any(|statements| match (&statements.0.kind, &statements.1.kind) {
        (StatementKind::Literal(Literal::Str(before)), StatementKind::Literal(Literal::Str(after))) => {
            after.len().max(characters) != before.len().max(characters)
        }
        _ => false,
    })
}

/// Whether a clause says that a string is no longer than what has variables, of a replay with so many: a proof that needs it proves nothing.
fn is_bound(terms: &TermStore, clause: TermId, origin: &TestCase, characters: usize) -> bool {
    match terms.get(clause) {
        Term::Binary(BinaryOp::BvSle, length, bound) => is_last_variable(terms, length, bound, origin, characters),
        _ => false,
    }
}

/// Whether a clause says that a string is longer than what has variables.
fn is_beyond(terms: &TermStore, clause: TermId, origin: &TestCase, characters: usize) -> bool {
    match terms.get(clause) {
        Term::Binary(BinaryOp::BvSlt, bound, length) => is_last_variable(terms, length, bound, origin, characters),
        _ => false,
    }
}

/// Whether the bound is the number of variables of the string that has the length.
fn is_last_variable(terms: &TermStore, length: TermId, bound: TermId, origin: &TestCase, characters: usize) -> bool {
    let Term::Input(Input { symbol: Symbol { statement, part: SymbolPart::Length }, .. }) = terms.get(length) else {
        return false;
    };
    let variables = match origin.statements.get(statement as usize).map(|statement| &statement.kind) {
        Some(StatementKind::Literal(Literal::Str(units))) => units.len().max(characters),
        _ => return false,
    };
    terms.constant_of(bound).and_then(Value::integral) == i64::try_from(variables).ok()
}

/// The alternative's decision in another replay of its run: as many times after the same instruction went the same way. Between them stand other
/// clauses about the lengths of strings.
fn same_decision(alternative: &Alternative, path: PathCondition) -> Option<Alternative> {
    let decision = alternative.clause();
    let earlier = alternative.path.clauses[..alternative.index].iter().filter(|clause| clause.site == decision.site).count();
    let (index, clause) = path.clauses.iter().enumerate().filter(|(_, clause)| clause.site == decision.site).nth(earlier)?;
    let (_, negated) = clause.others.iter().find(|(outcome, _)| *outcome == alternative.site.outcome)?;
    let negated = *negated;
    Some(Alternative { index, negated, path: Arc::new(path), ..alternative.clone() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_string_keeps_its_variables_while_neither_is_longer_than_the_least_number() {
        let test = |text: &str| format!("v0: Ljava/lang/String; = string \"{text}\"\n").parse::<TestCase>().expect("a test case");
        let other = |before: &str, after: &str| has_other_variables(&test(before), &test(after), 4);
        assert!(other("ab", "abcde") && other("abcdef", "abcdefg") && other("abcdef", "abcde"));
        assert!(!other("ab", "abcd") && !other("abcd", "a") && !other("abcdef", "abcdef"));
    }

    #[test]
    fn a_bound_is_a_clause_about_all_variables_of_a_string() {
        let mut terms = TermStore::new();
        let test = "v0: Ljava/lang/String; = string \"abc\"\nv1: I = int 4\n".parse::<TestCase>().expect("a test case");
        let mut is_bound = |clause: &str, characters| {
            let clause = terms.parse(clause).expect(clause);
            super::is_bound(&terms, clause, &test, characters)
        };
        assert!(is_bound("(bvsle v0.length 16)", 16) && is_bound("(bvsle v0.length 3)", 2));
        assert!(!is_bound("(bvsle v0.length 16)", 32) && !is_bound("(bvsle v1 16)", 16) && !is_bound("(bvslt v0.length 16)", 16));
    }

    #[test]
    fn a_decision_is_found_again_behind_other_clauses() {
        let mut terms = TermStore::new();
        let mut path = |text: &str| PathCondition::parse(text, &mut terms).expect("well-formed");
        let narrow = "path 0 0 0
jump 0 T.m(I)V @1 =0: (bvslt v0 5) | =1: (bvsle 5 v0)
jump 0 T.m(I)V @1 =0: (bvslt v0 4) | =1: (bvsle 4 v0)
";
        let wide = "path 0 0 0
jump 0 T.m(I)V @1 =0: (bvslt v0 5) | =1: (bvsle 5 v0)
model 0 T.m(I)V @7 =0: (bvsle v1.length 32) | =1: (bvslt 32 v1.length)
jump 0 T.m(I)V @1 =0: (bvslt v0 3) | =1: (bvsle 3 v0)
";
        let (narrow, wide) = (Arc::new(path(narrow)), path(wide));
        let negated = narrow.clauses[1].others[0].1;
        let origin = Arc::new(TestCase::default());
        let method = crate::program::MethodRef::new(crate::program::ClassName::new("T"), "m", "(I)V");
        let site = narrow.clauses[1].site.with_outcome(1);
        let node = crate::tree::NodeId(3);
        let key = TreeKey::of(&origin, &method);
        let asked = Alternative { key, node, path: narrow, index: 1, site, negated, run: origin.canonical_hash(), origin };
        let again = same_decision(&asked, wide).expect("it is there");
        assert_eq!((again.index, terms.print(again.negated)), (2, "(bvsle 3 v0)".into()));
        let shorter = Arc::new(PathCondition { clauses: again.path.clauses[..2].to_vec(), ..PathCondition::default() });
        assert!(same_decision(&asked, (*shorter).clone()).is_none());
    }
}
