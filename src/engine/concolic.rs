//! Symbolic execution of recorded runs: record, replay, insert the path into a tree, choose an
//! alternative, solve, and validate the model by a run.
//!
//! Flows in: test cases that come close to an open branch outcome, and the open outcomes. Flows
//! out: new test cases whose models were validated, and facts for the report. Must not know how the
//! search works. The loop is that of `tardis §4`; the order of alternatives is the selector's
//! (`src/select`).

mod described;
pub(super) mod follow;

use super::attempt_log::{AttemptLog, RunPath};
use super::exhaustion::{is_whole, what_is_inexact};
use super::shadow::{Questions, Shadow};
use super::stopped_runs::StoppedRuns;
use super::stored_trees::StoredTrees;
use super::string_bounds::{changes_variable_count, exceeds_length_bound, is_length_bound, most_characters};
use super::symbolic_request::{SymbolicFacts, SymbolicRequest, SymbolicResponse};
use super::tree_text::refuted_outcomes;
use crate::execution::RunEnd;
use crate::expr::{Model, TermId, TermStore};
use crate::jvm::{JvmError, TraceWorker};
use crate::path::{BranchOutcome, Clause, PathCondition};
use crate::program::Program;
use crate::recording::{Announced, Recording};
use crate::report::{EqualMethod, Misprediction, ReplayReport, SolverReport, TreeReport};
use crate::select::{AttemptOutcome, Selector};
use crate::solve::{Limits, Outcome, Query, Solver, guess_string, optimistic};
use crate::symbolic::{PathEnd, ReplayConfig, ReplayStats, Replayer, StopFlag, apply_model, seed_with};
use crate::testcase::{TestCase, TestHash};
use crate::tree::{Alternative, ConstraintTree, TreeKey, TreeLimits, Verdict};
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashSet, VecDeque};
use std::io::Write;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// A query gets at least this time, also when the search is over.
const LEAST_QUERY_TIME: Duration = Duration::from_millis(20);
/// Above this number of terms, terms and trees are dropped, so that memory stays bounded.
const MOST_TERMS: usize = 3_000_000;
/// Why an alternative is unresolved. The texts stand in stored trees and in `explain`.
const ELSEWHERE: &str = "a model went elsewhere";
const KNOWN: &str = "a model is of a test case that was run before and went elsewhere";
const UNRUN: &str = "the test case of a model could not be run or replayed";
const CUT: &str = "the run of a model was cut short by a limit";
const BOUNDED: &str = "nothing was found with as many characters of the strings as have variables";
const WIDER: &str = "a run went there, with a string that has another number of variables";
/// Variables of a string, at most, where fewer were the reason for an unsatisfiable query.
const MOST_CHARACTERS: usize = 256;
/// Strings get no more variables where a query has more terms than this.
const WIDEST_QUERY: usize = 4_000;
/// Divergences that the report describes, at most; all are counted.
const MOST_DESCRIBED: usize = 20;

/// The state of symbolic execution for one class.
pub(super) struct Concolic<'p> {
    worker: TraceWorker,
    announced: Announced,
    replayer: Replayer<'p>,
    config: ReplayConfig,
    terms: TermStore,
    trees: BTreeMap<TreeKey, ConstraintTree>,
    selector: Box<dyn Selector>,
    solver: Box<dyn Solver>,
    limits: Limits,
    /// Executions and queries so far, and at the begin of the request that is served.
    steps: u64,
    steps_before: u64,
    /// Deadline of the request that is served.
    until: Option<Instant>,
    /// Branch outcomes of the request that no test covers, without those that runs took since.
    open: BTreeSet<BranchOutcome>,
    /// Test cases that were recorded, by canonical hash.
    recorded: HashSet<TestHash>,
    stopped: StoppedRuns,
    /// Recorded test cases whose replay concretised a value: their path conditions are incomplete.
    concretised: HashSet<TestHash>,
    /// Trees with a run that was not followed exactly to its end.
    inexact: BTreeSet<TreeKey>,
    replay_report: ReplayReport,
    /// Queries repeated with more variables a string.
    widened: u64,
    /// Alternatives that a string of the program answered without a query.
    guessed: u64,
    attempts: AttemptLog,
    tree_limits: TreeLimits,
    /// Only decisions of the last call of a test case are alternatives.
    last_call_only: bool,
    /// What a session keeps.
    stored: Option<StoredTrees<'p>>,
    /// Test cases of an earlier run that are executed again first.
    stored_tests: VecDeque<TestCase>,
    messages: Vec<String>,
    /// The earlier version, where tests are compared with one.
    shadow: Option<Shadow<'p>>,
    /// Runs since they were last looked at, where somebody looks at them.
    kept_runs: Option<Vec<FollowedRun>>,
}

/// A run whose path is in the tree.
#[derive(Debug)]
struct ReplayedRun {
    path: Arc<PathCondition>,
    end: PathEnd,
    /// As in [`RunPath`].
    entered: bool,
}

/// A run whose path is in the tree, with its test case.
struct FollowedRun {
    test: Arc<TestCase>,
    path: Arc<PathCondition>,
    end: PathEnd,
}

/// Result of an attempt at one alternative.
#[derive(Debug)]
struct AttemptResult {
    ending: AttemptOutcome,
    /// The test of the run that took the alternative.
    test: Option<TestHash>,
    path: Option<RunPath>,
}

/// Result of the run of a model.
#[derive(Debug, Default)]
struct ModelValidation {
    /// The test case, where it is a new one.
    test: Option<TestCase>,
    path: Option<RunPath>,
    is_predicted: bool,
    /// Why the model was mispredicted.
    reason: &'static str,
    /// Another number of variables of a string explains the misprediction.
    is_bounded: bool,
}

impl std::fmt::Debug for Concolic<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Concolic").field("trees", &self.trees.len()).field("replay", &self.replay_report).finish_non_exhaustive()
    }
}

impl<'p> Concolic<'p> {
    /// Symbolic execution of one class, without any tree. `worker` records test cases.
    pub(super) fn new(
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
            steps: 0,
            steps_before: 0,
            until: None,
            open: BTreeSet::new(),
            recorded: HashSet::new(),
            stopped: StoppedRuns::default(),
            concretised: HashSet::new(),
            inexact: BTreeSet::new(),
            replay_report: ReplayReport::default(),
            widened: 0,
            guessed: 0,
            attempts: AttemptLog::new(None),
            tree_limits: TreeLimits::default(),
            last_call_only: false,
            stored: None,
            stored_tests: VecDeque::new(),
            messages: Vec::new(),
            shadow: None,
            kept_runs: None,
        }
    }

    /// Compares runs with those of an earlier version.
    pub(super) fn compare_with(&mut self, shadow: Shadow<'p>) {
        self.shadow = Some(shadow);
    }

    /// The methods that give the same in the earlier version, for all inputs. `program`: that of today.
    pub(super) fn equal_methods(&self, program: &Program) -> Vec<EqualMethod> {
        let known_paths = |key: &TreeKey| self.trees.get(key).and_then(ConstraintTree::explored_paths);
        self.shadow.as_ref().map(|shadow| shadow.equal_methods(program, known_paths, &self.config)).unwrap_or_default()
    }

    /// Continues from the trees of a session: their test cases are executed again first.
    pub(super) fn resume(&mut self, stored: StoredTrees<'p>) {
        self.stored_tests = stored.tests().into();
        self.stored = Some(stored);
    }

    /// Keeps sentences for the facts at the end.
    pub(super) fn keep_messages(&mut self, messages: Vec<String>) {
        self.messages.extend(messages);
    }

    /// Writes the trees to the session, where there is one. The error is one sentence.
    pub(super) fn store_trees(&mut self) -> Result<(), String> {
        let Some(stored) = &mut self.stored else { return Ok(()) };
        for tree in self.trees.values() {
            stored.insert_tree(tree, &self.terms);
        }
        stored.write()
    }

    /// Recordings end at the deadline, replays once the flag is set.
    pub(super) fn limit(&mut self, deadline: Option<Instant>, stop: StopFlag) {
        self.worker.set_deadline(deadline);
        if let Some(shadow) = &mut self.shadow {
            shadow.limit(deadline, StopFlag::clone(&stop));
        }
        self.replayer.stop_with(stop);
    }

    /// Limits what the trees hold. With `last_call_only`, decisions of earlier calls of a test case
    /// are no alternatives.
    pub(super) fn limit_trees(&mut self, limits: TreeLimits, last_call_only: bool) {
        (self.tree_limits, self.last_call_only) = (limits, last_call_only);
    }

    /// Writes a line about each attempt to the sink.
    pub(super) fn log_attempts(&mut self, sink: Box<dyn Write + Send>) {
        self.attempts = AttemptLog::new(Some(sink));
    }

    /// Records the tests of the request, then attempts alternatives, the most promising first,
    /// until the quota is used up.
    ///
    /// Fails where the trace worker cannot be kept running.
    pub(super) fn serve(&mut self, request: &SymbolicRequest) -> Result<SymbolicResponse, JvmError> {
        let mut response = SymbolicResponse::default();
        self.until = request.until;
        self.open.clone_from(&request.open);
        self.steps_before = self.steps;
        self.serve_until_spent(request, &mut response)?;
        response.candidates.extend(self.shadow.iter_mut().flat_map(Shadow::take_differing));
        response.steps = self.request_steps();
        Ok(response)
    }

    /// Executions and queries of the request that is served.
    fn request_steps(&self) -> u64 {
        self.steps - self.steps_before
    }

    /// Whether another execution or query may begin when at most `quota` may be made for the request.
    fn may_continue(&self, quota: u64) -> bool {
        self.request_steps() < quota && self.until.is_none_or(|until| Instant::now() < until)
    }

    fn serve_until_spent(&mut self, request: &SymbolicRequest, response: &mut SymbolicResponse) -> Result<(), JvmError> {
        if self.terms.len() > MOST_TERMS {
            self.drop_terms_and_trees();
        }
        self.rerun_stored_tests(request, response)?;
        self.stopped.offer(request.stopped.iter().map(TestCase::canonical_hash));
        self.set_nearest_runs(request);
        let mut seeds = request.seeds.iter();
        for test in request.tests.iter().chain(&request.stopped).chain(seeds.next()) {
            if !self.may_continue(request.quota) {
                return Ok(());
            }
            self.explore_new(test)?;
        }
        while self.may_continue(request.quota) {
            let open = |site: &BranchOutcome| self.open.contains(site);
            if (!self.selector.is_promising(&open) || self.selector.is_empty())
                && let Some(seed) = seeds.next()
            {
                self.explore_new(seed)?;
                continue;
            }
            let Some(alternative) = self.selector.next(&self.terms, &open) else { break };
            if !self.trees.get(&alternative.key).is_some_and(|tree| tree.is_open(alternative.node)) {
                continue;
            }
            if let Some(core) = self.selector.known_contradiction(&alternative) {
                self.store_verdict(&alternative, Verdict::Infeasible { core });
                continue;
            }
            let attempt = self.attempt(&alternative, response)?;
            self.selector.record_attempt(&self.terms, &alternative, &attempt.ending);
            if let Some(test) = attempt.test {
                self.stopped.lead_on(alternative.run, test);
                self.set_nearest_runs(request);
            }
            self.attempts.record(&self.terms, &alternative, &attempt.ending, attempt.path, self.open.len());
        }
        response.is_spent = !self.selector.is_promising(&|site: &BranchOutcome| self.open.contains(site));
        Ok(())
    }

    fn set_nearest_runs(&mut self, request: &SymbolicRequest) {
        let near: Vec<TestHash> = self.stopped.followed().chain(request.tests.iter().map(TestCase::canonical_hash)).collect();
        self.selector.set_nearest_runs(&near);
    }

    /// Executes test cases of an earlier run again, with half of the quota at most. The search gets
    /// them as candidates.
    fn rerun_stored_tests(&mut self, request: &SymbolicRequest, response: &mut SymbolicResponse) -> Result<(), JvmError> {
        let most = request.quota.div_ceil(2);
        while self.may_continue(most) {
            let Some(test) = self.stored_tests.pop_front() else { break };
            if self.explore_new(&test)? {
                response.candidates.push(test);
            }
        }
        Ok(())
    }

    /// Explores a test case unless it was recorded before; gives whether it was new.
    fn explore_new(&mut self, test: &TestCase) -> Result<bool, JvmError> {
        let is_new = self.recorded.insert(test.canonical_hash());
        if is_new {
            self.explore(test)?;
        }
        Ok(is_new)
    }

    /// Attempts one alternative: solves its query and validates the model. Where a string would
    /// have to be longer than its number of variables, the origin is replayed with twice as many
    /// variables and the query is repeated.
    fn attempt(&mut self, alternative: &Alternative, response: &mut SymbolicResponse) -> Result<AttemptResult, JvmError> {
        let mut characters = self.config.characters;
        let mut attempt = AttemptResult { ending: AttemptOutcome::Unresolved, test: None, path: None };
        let mut wider: Option<Alternative> = None;
        let mut reason: Cow<'static, str>;
        loop {
            let wanted = wider.as_ref().unwrap_or(alternative);
            // A query for a longer string needs no more variables: the run of its model has them.
            let asks_beyond = is_length_bound(&self.terms, wanted.clause().term, &wanted.origin, characters)
                || exceeds_length_bound(&self.terms, wanted.negated, &wanted.origin, characters);
            let seed = seed_with(&wanted.origin, characters as u32);
            let query = Query { clauses: wanted.terms(), seed, limits: self.query_limits() };
            let outcome = match guess_string(&self.terms, &query, self.replayer.literals()) {
                Some(model) => {
                    // A guess counts as a query: otherwise attempts without any step would be possible.
                    self.steps += 1;
                    self.guessed += 1;
                    Outcome::Sat(model)
                }
                None => self.check(&query),
            };
            let is_bounded = match outcome {
                Outcome::Sat(model) => {
                    let validation = self.validate_model(wanted, &model, characters)?;
                    let test = validation.test.as_ref().map(TestCase::canonical_hash);
                    response.candidates.extend(validation.test);
                    if validation.is_predicted {
                        attempt = AttemptResult { ending: AttemptOutcome::Feasible, test, path: validation.path };
                    }
                    reason = Cow::Borrowed(validation.reason);
                    validation.is_bounded && !asks_beyond
                }
                Outcome::Unsat { core } => {
                    let core: Vec<TermId> = core.iter().filter_map(|&place| query.clauses.get(place).copied()).collect();
                    let core = self.reduce_core(core, &query, &wanted.origin, characters);
                    let is_bounded = core.iter().any(|clause| is_length_bound(&self.terms, *clause, &wanted.origin, characters));
                    if !is_bounded {
                        self.store_verdict(alternative, Verdict::Infeasible { core: core.clone() });
                        attempt.ending = AttemptOutcome::Infeasible { core };
                    }
                    reason = Cow::Borrowed(BOUNDED);
                    is_bounded
                }
                Outcome::Unknown(why) => {
                    reason = Cow::Owned(format!("the solver gave up: {why}"));
                    // A model of the last clause alone is a good candidate for the search to vary.
                    let query = Query { limits: self.query_limits(), ..query.clone() };
                    self.steps += 1;
                    let model = optimistic(&mut self.solver, &self.terms, &query);
                    response.candidates.extend(model.map(|model| apply_model(&alternative.origin, &model)));
                    false
                }
            };
            characters *= 2;
            let in_time = self.until.is_none_or(|until| Instant::now() < until);
            if !is_bounded || characters > MOST_CHARACTERS || !in_time {
                break;
            }
            // With twice the characters, a query has far more than twice the terms.
            if self.terms.reachable(&query.clauses).len() > WIDEST_QUERY {
                break;
            }
            wider = self.widen(alternative, characters)?;
            if wider.is_none() {
                break;
            }
            self.widened += 1;
        }
        // A node that is still open here was mispredicted or unresolved: it is not attempted again.
        self.store_verdict(alternative, Verdict::TimedOut { reason: reason.as_ref().into() });
        Ok(attempt)
    }

    /// Removes the length bounds from an unsatisfiable core, where the rest is unsatisfiable too.
    /// The core of a solver need not be minimal.
    fn reduce_core(&mut self, core: Vec<TermId>, query: &Query, origin: &TestCase, characters: usize) -> Vec<TermId> {
        let clauses: Vec<TermId> =
            core.iter().copied().filter(|clause| !is_length_bound(&self.terms, *clause, origin, characters)).collect();
        if clauses.len() == core.len() || clauses.is_empty() {
            return core;
        }
        let smaller = Query { clauses, ..query.clone() };
        match self.check(&smaller) {
            Outcome::Unsat { core } => core.iter().filter_map(|&place| smaller.clauses.get(place).copied()).collect(),
            _ => core,
        }
    }

    /// The same alternative in a replay of its origin with at least `characters` variables a
    /// string; `None` where the replay has no such decision.
    fn widen(&mut self, alternative: &Alternative, characters: usize) -> Result<Option<Alternative>, JvmError> {
        Ok(self.replay_wide(&alternative.origin, characters)?.and_then(|path| alternative.again_in(path)))
    }

    /// Records a test case and replays it with at least `characters` variables a string; `None`
    /// where it could not be run.
    fn replay_wide(&mut self, test: &TestCase, characters: usize) -> Result<Option<PathCondition>, JvmError> {
        let Some((recording, _)) = self.record(test)? else { return Ok(None) };
        let config = ReplayConfig { characters, ..self.config };
        Ok(Some(self.replayer.replay(test, &recording, &mut self.terms, &config).path))
    }

    /// Whether the run of a model took the predicted path. Paths are compared with as many variables as the query had.
    /// Where a string has another number of variables than before, both runs are replayed with the larger number.
    fn took_predicted_path(
        &mut self,
        alternative: &Alternative,
        test: &TestCase,
        path: &PathCondition,
        characters: usize,
    ) -> Result<bool, JvmError> {
        if alternative.predicted(path) {
            return Ok(true);
        }
        if changes_variable_count(&alternative.origin, test, characters) {
            let most = most_characters(&alternative.origin, test, characters);
            let wider = if most <= MOST_CHARACTERS { self.widen(alternative, most)? } else { None };
            let Some(wider) = wider else { return Ok(false) };
            return Ok(self.replay_wide(test, most)?.is_some_and(|path| wider.predicted(&path)));
        }
        let is_wide = characters > self.config.characters;
        Ok(is_wide && self.replay_wide(test, characters)?.is_some_and(|path| alternative.predicted(&path)))
    }

    /// Whether the origin of the alternative takes another path when it is run again.
    fn is_nondeterministic(&mut self, alternative: &Alternative, characters: usize) -> Result<bool, JvmError> {
        let expected = &alternative.path.clauses[..=alternative.index];
        let again = self.replay_wide(&alternative.origin, characters)?;
        Ok(again.is_none_or(|again| {
            let again = again.clauses.get(..expected.len());
            again.is_none_or(|again| {
                expected.iter().zip(again).any(|(one, other)| one.term != other.term || one.site != other.site)
            })
        }))
    }

    /// Asks the solver, and counts the query.
    fn check(&mut self, query: &Query) -> Outcome {
        self.steps += 1;
        self.solver.check(&self.terms, query)
    }

    /// Limits of a query that begins now: the wall-clock limit is cut at the deadline of the
    /// request.
    fn query_limits(&self) -> Limits {
        let left = self.until.map(|until| until.saturating_duration_since(Instant::now()).max(LEAST_QUERY_TIME));
        Limits { wall: self.limits.wall.map(|wall| left.map_or(wall, |left| left.min(wall))), ..self.limits }
    }

    /// Runs the test case of a model and compares its path with the prediction.
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
        let mut validation = ModelValidation { reason: UNRUN, ..ModelValidation::default() };
        let Some(ReplayedRun { path, end, entered }) = self.explore(&test)? else {
            return Ok(ModelValidation { test: Some(test), ..validation });
        };
        // A path that a limit cut short does not tell whether the prediction was right.
        let is_whole = matches!(end, PathEnd::Returned | PathEnd::Threw { .. });
        validation.path = Some(RunPath { signature: path.signature, entered });
        validation.is_predicted = self.took_predicted_path(alternative, &test, &path, characters)?;
        validation.reason = match (validation.is_predicted, is_whole) {
            (true, _) => WIDER,
            (false, true) => ELSEWHERE,
            (false, false) => CUT,
        };
        if is_whole && !validation.is_predicted {
            validation.is_bounded = changes_variable_count(&alternative.origin, &test, characters);
            if let Some(cause) = self.misprediction(alternative, &test, validation.is_bounded, characters)? {
                validation.reason = cause.reason();
                self.replay_report.count_misprediction(cause);
            } else {
                self.replay_report.divergences += 1;
                tracing::debug!("mispredicted:\n{}\nwith {model} is\n{test}", alternative.origin);
                self.describe_divergence(format!("model for {} went elsewhere", alternative.site));
            }
        }
        Ok(ModelValidation { test: Some(test), ..validation })
    }

    /// Why a model may be mispredicted without a fault of the replay; `None`: the replay is wrong.
    fn misprediction(
        &mut self,
        alternative: &Alternative,
        test: &TestCase,
        is_bounded: bool,
        characters: usize,
    ) -> Result<Option<Misprediction>, JvmError> {
        let was_concretised = |test: &TestCase| self.concretised.contains(&test.canonical_hash());
        Ok(if was_concretised(&alternative.origin) || was_concretised(test) {
            Some(Misprediction::Concretised)
        } else if is_bounded {
            Some(Misprediction::VariableCount)
        } else if alternative.terms().iter().any(|clause| self.terms.is_approximate(*clause)) {
            Some(Misprediction::Approximate)
        } else if self.is_nondeterministic(alternative, characters)? {
            Some(Misprediction::Nondeterministic)
        } else {
            None
        })
    }

    /// Stores a verdict where the node is open; a run may have taken the outcome meanwhile.
    fn store_verdict(&mut self, alternative: &Alternative, verdict: Verdict) {
        if let Some(tree) = self.trees.get_mut(&alternative.key)
            && tree.is_open(alternative.node)
        {
            tree.store_verdict(alternative.node, verdict);
        }
    }

    /// Records a test case in the trace worker, and counts the execution; `None` where it could not be run.
    fn record(&mut self, test: &TestCase) -> Result<Option<(Recording, RunEnd)>, JvmError> {
        self.steps += 1;
        let recorded = self.worker.record(test)?;
        let end = recorded.execution.end;
        let was_run = end != RunEnd::Unrun;
        Ok(was_run.then(|| (Recording::from_bytes_after(&recorded.trace, &mut self.announced), end)))
    }

    /// Records and replays one test case and inserts its path into the tree; `None` where no path
    /// is known.
    fn explore(&mut self, test: &TestCase) -> Result<Option<ReplayedRun>, JvmError> {
        let Some((recording, run)) = self.record(test)? else { return Ok(None) };
        let replayed = self.replayer.replay(test, &recording, &mut self.terms, &self.config);
        if replayed.stats.concretised.values().sum::<u64>() > 0 {
            self.concretised.insert(test.canonical_hash());
        }
        if !replayed.stats.divergences.is_empty() {
            tracing::debug!("diverged:\n{test}\n{}", recording.print());
        }
        self.count_replay(&replayed.stats, replayed.path.clauses.len(), replayed.end == PathEnd::Stopped);
        if matches!(replayed.end, PathEnd::Diverged | PathEnd::JvmDied) {
            return Ok(None);
        }
        let Some((call, method)) = test.target() else { return Ok(None) };
        let key = TreeKey::of(test, method);
        let is_approximate = |clause: &Clause| self.terms.is_approximate(clause.term);
        if !is_whole(&replayed.end) || what_is_inexact(&replayed).is_some() || replayed.path.clauses.iter().any(is_approximate) {
            self.inexact.insert(key.clone());
        }
        let limits = self.query_limits();
        if let Some(shadow) = self.shadow.as_mut().filter(|shadow| shadow.is_wanted(method)) {
            let mut questions = Questions { solver: &mut *self.solver, limits, steps: 0 };
            shadow.compare(test, &key, &replayed, &mut self.terms, &self.config, &mut questions)?;
            self.steps += questions.steps;
        }
        let mut path = replayed.path;
        for clause in &path.clauses {
            self.open.remove(&clause.site);
        }
        for passed in &path.concrete_branches {
            self.open.remove(&passed.site);
        }
        // A concrete branch is kept where its other outcome is open.
        path.concrete_branches.retain(|passed| self.open.contains(&passed.site.with_outcome(1 - passed.site.outcome)));
        let path = Arc::new(path);
        let origin = Arc::new(test.clone());
        self.selector.record_run(&path);
        if let Some(stored) = &mut self.stored {
            stored.record_run(&origin, &path);
        }
        if let Some(runs) = &mut self.kept_runs {
            runs.push(FollowedRun { test: Arc::clone(&origin), path: Arc::clone(&path), end: replayed.end.clone() });
        }
        let (stored, terms, limits) = (&mut self.stored, &mut self.terms, self.tree_limits);
        let tree = self.trees.entry(key.clone()).or_insert_with(|| {
            let resumed = stored.as_mut().and_then(|stored| stored.remove_tree(&key, terms, limits));
            resumed.unwrap_or_else(|| ConstraintTree::new(key, limits))
        });
        for alternative in tree.insert(&path, &origin) {
            if !self.last_call_only || alternative.clause().statement as usize >= call {
                self.selector.push(&self.terms, alternative);
            }
        }
        let entered = run.statement().is_none_or(|last| last as usize >= call);
        Ok(Some(ReplayedRun { path, end: replayed.end, entered }))
    }

    /// Adds the statistics of one replay to the report.
    fn count_replay(&mut self, stats: &ReplayStats, clauses: usize, is_interrupted: bool) {
        let report = &mut self.replay_report;
        report.paths += 1;
        report.clauses += clauses as u64;
        report.concretised += stats.concretised.values().sum::<u64>();
        report.interrupted += u64::from(is_interrupted);
        report.instructions.executed += stats.executed;
        report.instructions.replayed += stats.replayed;
        report.checked_values += stats.checked;
        report.resynchronised_values += stats.resyncs;
        let maps = [
            (&mut report.concretised_by, &stats.concretised),
            (&mut report.unsupported, &stats.unsupported),
            (&mut report.not_replayed, &stats.unreplayed),
        ];
        for (counts, added) in maps {
            for (reason, count) in added {
                *counts.entry(reason.clone()).or_default() += count;
            }
        }
        for (divergence, count) in &stats.divergences {
            self.replay_report.divergences += count;
            let (site, expected, found) = (&divergence.site, &divergence.expected, &divergence.found);
            self.describe_divergence(format!("{site}: computed {expected}, recorded {found}"));
        }
    }

    fn describe_divergence(&mut self, divergence: String) {
        tracing::warn!("divergence: {divergence}");
        let described = &mut self.replay_report.divergence_examples;
        if described.len() < MOST_DESCRIBED && !described.contains(&divergence) {
            described.push(divergence);
        }
    }

    fn drop_terms_and_trees(&mut self) {
        if let Some(stored) = &mut self.stored {
            self.trees.values().for_each(|tree| stored.insert_tree(tree, &self.terms));
        }
        self.terms = TermStore::new();
        self.trees.clear();
        self.selector.clear();
    }

    /// The facts about everything that was done, without descriptions of trees.
    pub(super) fn facts(&self) -> SymbolicFacts {
        let statistics = self.solver.statistics();
        let solver = SolverReport {
            queries: statistics.queries,
            sat: statistics.sat,
            unsat: statistics.unsat,
            unknown: statistics.unknown,
            unknown_by: statistics.reasons.iter().map(|(reason, count)| ((*reason).to_owned(), *count)).collect(),
            cached: statistics.cached,
            solved_by_local_search: statistics.descended,
            repeated_with_longer_strings: self.widened,
            solved_by_guess: self.guessed,
            seconds: (statistics.seconds * 1000.0).round() / 1000.0,
        };
        let mut tree = TreeReport::default();
        for stats in self.trees.values().map(ConstraintTree::stats) {
            tree.paths += stats.paths;
            tree.infeasible += stats.infeasible;
            tree.frontier += stats.frontier;
        }
        tree.resumed_trees = self.stored.as_ref().map_or(0, StoredTrees::resumed);
        SymbolicFacts {
            replay: self.replay_report.clone(),
            solver,
            tree,
            jvm: self.worker.statistics(),
            training: self.selector.training(),
            refuted: refuted_outcomes(self.trees.values()),
            trees: Vec::new(),
            exhausted: BTreeMap::new(),
            equal: Vec::new(),
            messages: self.messages.clone(),
        }
    }
}
