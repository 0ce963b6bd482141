//! The search: DynaMOSA with an archive, local search on literals, and restarts, behind an
//! ask-and-tell interface. Flows in: executions; flows out: candidates. Must not know a clock or a
//! JVM; batches may overlap.
//!
//! The algorithm follows DynaMOSA:
//!
//! 1. *Targets.* Goals form a graph by control dependence. Only uncovered goals whose parents are
//!    covered are targets. Covering a goal makes its children targets. Goals with equal fitness
//!    share one objective.
//! 2. *Candidates.* [`Search::ask`] gives, in this order: tests from outside (solver, sessions),
//!    first tests of each callable under test, probes of local search, and offspring of the
//!    population. Some offspring have one parent, some two, and a few candidates are built from
//!    nothing. A parent is a member of the population, the nearest test of a target, or a test that
//!    an exception ended in code around the classes under test (`throw_sites`). While nothing is
//!    gained, some candidates are such tests with other objects (`repair`).
//! 3. *Executions.* [`Search::tell`] archives the best test of each covered goal (the shortest one)
//!    and keeps the nearest test of each uncovered goal. A rejected execution yields no test, but
//!    lowers the weight of the callable that it ended in.
//! 4. *Selection.* When there are as many offspring as parents, the preference criterion,
//!    non-dominated fronts and crowding choose the next parents (`selection`).
//! 5. *Local search.* If the nearest test of a branch reached its jump, AVM varies the literals of
//!    that test (`avm`). Its probes use at most a share of each batch.
//! 6. *Restart.* After a number of executions without a gain, half of the population is replaced.
//!
//! [`Search`] composes five owned parts: the queue of candidates, the feedback by callable, the tests
//! that exceptions ended, the targets with their nearest tests, and the population. The parts do not
//! know each other.

mod candidates;
mod feedback;
mod offspring;
mod pace;
mod population;
mod request_candidates;
mod targets;

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rustc_hash::FxHashMap;

use self::candidates::{CandidateQueue, CandidateSource, ProbeSource};
use self::feedback::CallableFeedback;
pub use self::feedback::MethodFailure;
use self::pace::Pace;
use self::population::{Individual, Population};
use self::targets::Targets;
use super::SearchConfig;
use super::archive::{Archive, ArchivedTest};
use super::avm::AvmSearch;
use super::callable_table::{CallableIx, CallableTable};
use super::goals::{CallOutcome, Goal, GoalHits, GoalId, GoalRegistry, MethodId};
use super::hard_values::ProvenValues;
use super::injection::only_lacks_injection;
use super::literals::LiteralPool;
use super::pollution;
use super::rejection::RejectionReason;
use super::sequence::SequenceBuilder;
use super::throw_sites::ThrowSites;
use crate::execution::{Execution, RunEnd};
use crate::program::{Cluster, MethodRef, Program};
use crate::testcase::{CarvedSequence, Invalid, Literal, StatementKind, TestCase, TypeSystem, VarId, check};

/// One of so many candidates that are likely to exhaust time or memory is executed nevertheless.
const EXHAUSTING_RATIO: u32 = 50;
/// Executions without a gain after which tests that an exception ended are tried as well.
const STUCK: u64 = 400;
/// Pairs of outcomes become goals after this many executions without a gain, where some goals stay open.
const PAIRS_AFTER: u64 = 6_000;
/// Executions without a gain for goals that only tests cover which no suite has.
const MOST_FOR_UNSETTLED: u64 = 50_000;
/// Calls of methods under test up to which an execution says which methods a callable leads into.
const ATTRIBUTABLE_CALLS: usize = 2;

/// Requests of each template before anything evolves.
const FIRST_REQUESTS: usize = 3;

/// Where a candidate comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CandidateOrigin {
    /// Built from nothing.
    Fresh,
    /// Mutation or crossover.
    Offspring,
    /// Local search on literals.
    Local,
    /// A model of the solver.
    Solver,
    /// A call sequence of recorded tests. Its goals need no other test.
    Recorded,
    /// Any other test from outside.
    Seed,
}

/// Numbers that describe the state of the search. Pairs are (covered, all).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SearchProgress {
    pub(crate) branches: (usize, usize),
    pub(crate) lines: (usize, usize),
    /// Methods that tests can call, and of which a call returned.
    pub(crate) methods: (usize, usize),
    /// Covered goals that were discovered while running: exceptions, classes of outputs and of
    /// inputs.
    pub(crate) discovered: usize,
    /// Reported executions.
    pub executions: u64,
    /// Executions since a goal was covered or a distance fell.
    pub(crate) stagnation: u64,
    /// Executions that yield no test, by reason.
    pub rejected: BTreeMap<RejectionReason, u64>,
    /// Newly covered goals by the origin of the candidate.
    pub gains: BTreeMap<CandidateOrigin, u64>,
}

/// A test that reaches the jump of an uncovered branch, or comes nearest to it.
#[derive(Clone, Debug)]
pub struct SolvingCandidate {
    /// The uncovered branch.
    pub goal: GoalId,
    /// The test, with one variable for each use of a literal.
    pub(crate) test: TestCase,
}

/// The search for the goals of one target. The same seed and the same executions give the same
/// candidates.
pub struct Search {
    table: CallableTable,
    types: Arc<dyn TypeSystem + Send + Sync>,
    goals: GoalRegistry,
    config: SearchConfig,
    rng: ChaCha8Rng,
    pool: LiteralPool,
    archive: Archive,
    queue: CandidateQueue,
    feedback: CallableFeedback,
    throw_sites: ThrowSites,
    pace: Pace,
    targets: Targets,
    population: Population,
    /// What the execution at hand reached.
    hits: GoalHits,
    /// Goals that the execution at hand covers; ascending.
    covered: Vec<GoalId>,
    local_search: Option<AvmSearch>,
    local_searches: u32,
    /// Candidates that are still built from nothing after a restart.
    fresh: usize,
    executions: u64,
    /// Number of the last execution that covered a goal or lowered a distance.
    last_gain: u64,
    /// Number of the execution before the last restart.
    last_restart: u64,
    rejected: BTreeMap<RejectionReason, u64>,
    gains: BTreeMap<CandidateOrigin, u64>,
    methods_under_test: FxHashMap<MethodRef, CallableIx>,
    /// Templates of requests that are still sent first.
    first_requests: VecDeque<usize>,
}

impl std::fmt::Debug for Search {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Search").field("progress", &self.progress()).finish_non_exhaustive()
    }
}

impl Search {
    /// A search for `goals` with the callables of the cluster; `seed` determines all random draws.
    pub fn new(program: Arc<Program>, cluster: &Cluster, goals: GoalRegistry, config: SearchConfig, seed: u64) -> Search {
        Search::with_callables(CallableTable::of_cluster(cluster), program, goals, config, seed)
    }

    /// As [`Search::new`], with a callable table that does not come from a cluster.
    pub fn with_callables(
        table: CallableTable,
        types: Arc<dyn TypeSystem + Send + Sync>,
        goals: GoalRegistry,
        config: SearchConfig,
        seed: u64,
    ) -> Search {
        let config = config.with_room_for(table.most_given());
        let mut first_calls = VecDeque::new();
        for _ in 0..config.first_tests {
            first_calls.extend(table.under_test());
        }
        let methods_under_test =
            table.under_test().iter().filter_map(|&id| table.callable(id).method().map(|method| (method.clone(), id))).collect();
        Search {
            pool: LiteralPool::new(table.constants()),
            rng: ChaCha8Rng::seed_from_u64(seed),
            archive: Archive::default(),
            queue: CandidateQueue::new(first_calls, config.remembered_candidates),
            feedback: CallableFeedback::new(table.len()),
            pace: Pace::default(),
            throw_sites: ThrowSites::new(goals.methods().iter().map(|method| method.owner.clone()).collect()),
            targets: Targets::new(&goals),
            population: Population::default(),
            hits: GoalHits::default(),
            covered: Vec::new(),
            local_search: None,
            local_searches: 0,
            fresh: 0,
            executions: 0,
            last_gain: 0,
            last_restart: 0,
            rejected: BTreeMap::new(),
            gains: BTreeMap::new(),
            methods_under_test,
            first_requests: (0..FIRST_REQUESTS).flat_map(|_| 0..table.requests().map_or(0, |requests| requests.len())).collect(),
            table,
            types,
            goals,
            config,
        }
    }

    /// Begins with values that were hard to make in the searches of other classes. Tests get room for
    /// one of them.
    pub(crate) fn load_proven_values(&mut self, proven: &ProvenValues) {
        self.config.max_statements += self.feedback.load_proven_values(&self.table, proven);
    }

    /// Values that were hard to make, for the search of another class.
    pub(crate) fn proven_values(&self) -> ProvenValues {
        self.feedback.proven_values(&self.table)
    }

    /// Up to `count` candidates that were not given out before. There are fewer, possibly none,
    /// when `config.candidate_attempts` proposals in a row were known already.
    pub fn ask(&mut self, count: usize) -> Vec<TestCase> {
        self.refresh_targets();
        let mut batch = Vec::with_capacity(count);
        let most_probes = (count as f64 * self.config.local_search_share) as usize;
        let mut attempts = 0;
        let mut probes = 0;
        while batch.len() < count && attempts < self.config.candidate_attempts {
            let (candidate, source) = match self.next_planned(probes < most_probes) {
                Some(planned) => planned,
                None => {
                    let (candidate, origin) = self.random_candidate();
                    (candidate, origin.into())
                }
            };
            let key = candidate.canonical_hash();
            let is_useless = candidate.is_empty()
                || self.queue.was_given(key)
                || (source.origin != CandidateOrigin::Solver && self.is_too_expensive(&candidate));
            if is_useless {
                match (source.probe, &mut self.local_search) {
                    (Some(probe), Some(search)) => search.skip(probe.position),
                    _ => attempts += 1,
                }
                continue;
            }
            self.queue.record_given(key, source);
            debug_assert_eq!(check(&candidate, &*self.types), Ok(()), "{candidate}");
            attempts = 0;
            probes += usize::from(source.probe.is_some());
            batch.push(candidate);
        }
        batch
    }

    /// The next candidate that is not random: injected tests, then first tests, then probes of
    /// local search.
    fn next_planned(&mut self, may_probe: bool) -> Option<(TestCase, CandidateSource)> {
        if let Some((injected, origin)) = self.queue.next_injected() {
            return Some((injected, origin.into()));
        }
        if let Some(callable) = self.queue.next_first_call() {
            let test = self.with_builder(|builder| builder.random(callable));
            return Some((test, CandidateOrigin::Fresh.into()));
        }
        if let Some(template) = self.first_requests.pop_front() {
            return self.request(template).map(|test| (test, CandidateOrigin::Fresh.into()));
        }
        if !may_probe || self.config.random_only {
            return None;
        }
        if let Some(search) = &mut self.local_search
            && (self.archive.is_covered(search.goal) || !search.advance(&self.pool))
        {
            self.local_search = None;
        }
        if self.local_search.is_none() {
            let (goal, nearest) = self.targets.start_local_search(&self.goals)?;
            self.local_searches += 1;
            self.local_search = Some(AvmSearch::new(goal, self.local_searches, nearest.test, nearest.fitness)?);
        }
        // There is no probe while all probes of the round are being executed.
        let search = self.local_search.as_mut()?;
        let (probe, position) = search.next_probe()?;
        let source = ProbeSource { search: search.id, position };
        Some((probe, CandidateSource { origin: CandidateOrigin::Local, probe: Some(source) }))
    }

    /// Whether the candidate is likely to exhaust time or memory. Draws, so that a few of these are
    /// executed.
    fn is_too_expensive(&mut self, test: &TestCase) -> bool {
        self.feedback.is_likely_to_exhaust(&self.table, &self.config, test) && !self.rng.random_ratio(1, EXHAUSTING_RATIO)
    }

    fn with_builder<R>(&mut self, build: impl FnOnce(SequenceBuilder<'_>) -> R) -> R {
        let experience = self.feedback.experience();
        build(SequenceBuilder::new(&self.table, &self.pool, &self.config, experience, &mut self.rng))
    }

    /// A number from the search's random source.
    pub(crate) fn random_u32(&mut self) -> u32 {
        self.rng.random()
    }

    /// Whether the test ends with a cast that fails because of elements that the test put where no
    /// Java without raw types puts them.
    fn shows_pollution(&self, test: &TestCase, end: &RunEnd) -> bool {
        pollution::class_that_failed_cast(end).is_some_and(|class| self.types.pollutes_heap(test, &class))
    }

    /// The prefix of `test` that can become a test; `None` when there is none. `execution` may be
    /// that of a test case that begins with `test` and has more statements.
    pub(crate) fn valid_prefix(&self, test: &TestCase, execution: &Execution) -> Option<TestCase> {
        if execution.left_running || self.shows_pollution(test, &execution.end) {
            return None;
        }
        let prefix = match &execution.end {
            RunEnd::Completed => test.clone(),
            RunEnd::Threw { statement, .. } if *statement as usize >= test.len() => test.clone(),
            RunEnd::Threw { thrown, .. } if thrown.in_project => truncate_at_throw(test, &execution.end),
            _ => return None,
        };
        (!prefix.is_empty()).then_some(prefix)
    }

    /// Reports the executions of candidates, in the order in which these were given out. Both
    /// slices have one length.
    pub fn tell(&mut self, tests: &[TestCase], executions: &[Execution]) {
        for (test, execution) in tests.iter().zip(executions) {
            self.record_execution(test, execution);
        }
        if !self.goals.has_pairs() && (self.is_done() || self.stagnation() >= PAIRS_AFTER) {
            self.goals.open_pairs();
        }
        self.refresh_targets();
    }

    fn record_execution(&mut self, test: &TestCase, execution: &Execution) {
        let source = self.queue.remove_source(test);
        self.executions += 1;
        for string in &execution.seen_strings {
            self.pool.seed(Literal::Str(string.clone()));
        }
        self.feedback.record_execution(&self.table, &self.config, test, execution);
        let pollutes = self.shows_pollution(test, &execution.end);
        if !pollutes {
            self.throw_sites.record(test, &execution.end);
        }
        let pollution = pollutes.then_some(RejectionReason::HeapPollution);
        if let Some(reason) = RejectionReason::of_execution(execution).or(pollution) {
            tracing::debug!("{}: {:?}\n{test}", reason.text(), execution.end);
            self.record_rejection(reason, source, test);
            return;
        }
        let prefix = Arc::new(truncate_at_throw(test, &execution.end));
        let calls = self.goals.calls(test, execution);
        self.hits.load(&self.goals, &execution.branches, &execution.lines, &calls);
        self.record_entered_methods(test, execution, &calls);
        self.collect_covered(test, execution, &calls);
        if source.origin == CandidateOrigin::Recorded {
            self.close_discovered();
        }
        if matches!(&execution.end, RunEnd::Threw { thrown, .. } if !thrown.in_project) {
            // The test itself threw, by a null receiver or a failing JDK call: the calls before may
            // be a test.
            let has_new_goal = self.covered.iter().any(|&goal| !self.archive.is_covered(goal));
            if has_new_goal && !prefix.is_empty() && !self.queue.was_given(prefix.canonical_hash()) {
                let is_local = source.origin == CandidateOrigin::Local;
                let origin = if is_local { CandidateOrigin::Offspring } else { source.origin };
                self.queue.inject(Arc::unwrap_or_clone(prefix), origin);
            }
            self.record_rejection(RejectionReason::ThrewOutsideProject, source, test);
            return;
        }
        let has_gain =
            !only_lacks_injection(&self.table, &prefix, execution) && self.archive_covered(&prefix, execution, source.origin);
        if has_gain {
            self.goals.archive_pairs(execution, &calls);
        }
        if prefix.has_request() {
            // Requests are slow: local search and evolution vary plain calls only.
            if has_gain {
                self.last_gain = self.executions;
            }
            return self.evolve();
        }
        self.pace.record(execution.took);
        if !has_gain && self.pace.is_slow(execution.took) {
            // Its variants would be as slow.
            self.report_probe(source, &prefix, f64::INFINITY);
            return self.evolve();
        }
        let is_nearer =
            self.targets.record_distances(&self.goals, &self.archive, &self.hits, &prefix, self.executions, &mut self.rng);
        if has_gain || is_nearer {
            self.last_gain = self.executions;
        }
        if let (Some(_), Some(search)) = (source.probe, &self.local_search) {
            let fitness = self.goals.fitness(search.goal, &self.hits);
            self.report_probe(source, &prefix, fitness);
        }
        if !self.config.random_only {
            self.population.add_offspring(Individual::new(prefix, &execution.branches, &execution.lines, calls));
            self.evolve();
        }
    }

    /// Selection, new weights and a restart, each when it is due.
    fn evolve(&mut self) {
        if self.population.offspring() >= self.config.population {
            self.refresh_targets();
            self.population.select(&self.goals, &self.targets, &mut self.hits, &self.config);
        }
        if self.executions.is_multiple_of(self.config.weighting_interval) {
            self.feedback.update_weights(&self.table, &self.goals, &self.archive);
        }
        if self.executions - self.last_gain.max(self.last_restart) > self.config.stagnation {
            self.last_restart = self.executions;
            self.population.keep_best(self.config.population / 2);
            self.fresh = self.config.population;
        }
    }

    fn record_rejection(&mut self, reason: RejectionReason, source: CandidateSource, test: &TestCase) {
        *self.rejected.entry(reason).or_default() += 1;
        self.report_probe(source, test, f64::INFINITY);
    }

    /// Reports the fitness of a probe to the local search that it belongs to, unless that has
    /// ended.
    fn report_probe(&mut self, source: CandidateSource, test: &TestCase, fitness: f64) {
        if let (Some(probe), Some(search)) = (source.probe, &mut self.local_search)
            && search.id == probe.search
        {
            search.report(probe.position, test, fitness);
        }
    }

    /// Records which methods were entered, and that the callables of the test lead into them.
    /// Longer tests only count where they entered a method for the first time.
    fn record_entered_methods(&mut self, test: &TestCase, execution: &Execution, calls: &[(MethodId, CallOutcome)]) {
        let entered = self.targets.record_entered(&self.goals, execution, calls);
        if calls.len() > ATTRIBUTABLE_CALLS && !entered.has_new {
            return;
        }
        for method in test.called_methods() {
            if let Some(&callable) = self.methods_under_test.get(method) {
                self.feedback.record_reached_methods(callable, &entered.methods);
            }
        }
    }

    /// Puts the goals that the execution covers into `self.covered`; goals seen for the first time
    /// are registered.
    fn collect_covered(&mut self, test: &TestCase, execution: &Execution, calls: &[(MethodId, CallOutcome)]) {
        self.covered.clear();
        self.goals.append_static_covered(execution, calls, &mut self.covered);
        let under_test = &self.methods_under_test;
        self.goals.register_observed(test, execution, |method| under_test.contains_key(method), &mut self.covered);
        self.goals.register_pairs(execution, calls, &mut self.covered);
        self.covered.sort_unstable();
        self.covered.dedup();
    }

    /// Archives the test for each goal of `self.covered` that it is the best for; true when a goal
    /// is newly covered.
    fn archive_covered(&mut self, test: &Arc<TestCase>, execution: &Execution, origin: CandidateOrigin) -> bool {
        let weakness = self.goals.weakness(test, &execution.end);
        let mut archived = ArchivedTest::new(test.clone(), execution.end.clone(), self.executions, weakness);
        // Types are looked at only where the test may be archived: it takes time.
        let may_be_best = self.covered.iter().any(|&goal| self.archive.would_improve(goal, archived.cost));
        if may_be_best && self.types.needs_raw_types(test) {
            archived = archived.with_raw_types();
        }
        let mut shared: Option<Arc<ArchivedTest>> = None;
        let mut newly_covered = 0;
        for &goal in &self.covered {
            if !self.archive.would_improve(goal, archived.cost) {
                continue;
            }
            let shared = shared.get_or_insert_with(|| Arc::new(archived.clone()));
            let was_settled = self.archive.is_settled(goal);
            let is_new = self.archive.insert(goal, shared);
            let is_settled = !was_settled && !shared.is_unchecked;
            if is_new || is_settled {
                // The search does not go on for pairs: it takes those that it comes across.
                newly_covered += u64::from(!self.goals.is_pair(goal));
            }
            if self.goals.is_static(goal) {
                match () {
                    () if is_settled => self.targets.remove_covered(goal),
                    () if is_new => self.targets.invalidate(),
                    () => {}
                }
            }
        }
        if newly_covered > 0 {
            *self.gains.entry(origin).or_default() += newly_covered;
        }
        newly_covered > 0
    }

    fn refresh_targets(&mut self) {
        self.targets.refresh(&self.goals, &self.archive, &self.config);
    }

    /// Queues a test from outside as the next candidate; its literals become seeds.
    ///
    /// # Errors
    /// [`Invalid`] when the test case is not well typed; nothing is queued then.
    pub fn inject(&mut self, test: TestCase, origin: CandidateOrigin) -> Result<(), Invalid> {
        check(&test, &*self.types)?;
        for statement in &test.statements {
            if let StatementKind::Literal(literal) = &statement.kind {
                self.pool.seed(literal.clone());
            }
        }
        self.queue.inject_again(test, origin);
        Ok(())
    }

    /// Closes the exceptions and classes of values that the last execution showed, as recorded tests show them.
    fn close_discovered(&mut self) {
        for &goal in &self.covered {
            if !self.goals.is_static(goal) {
                self.goals.close(goal);
                self.archive.close(goal);
            }
        }
    }

    /// Fills the holes of a carved call sequence with random values and queues the test. `None`
    /// when no statement remains, or the result is not well typed. `is_covered`: the suite needs no test for what
    /// recorded tests cover.
    pub fn fill_carved_sequence(&mut self, sequence: &CarvedSequence, is_covered: bool) -> Option<TestCase> {
        let types = Arc::clone(&self.types);
        let test = self.with_builder(|mut builder| {
            let mut map: Vec<Option<VarId>> = Vec::with_capacity(sequence.test.len());
            for (index, statement) in sequence.test.statements.iter().enumerate() {
                let is_hole = sequence.holes.contains(&VarId(index as u32));
                map.push(if is_hole { None } else { builder.adopt_carved(statement, &sequence.test, &map, &*types) });
            }
            builder.finish()
        });
        // Random values may cover what the recorded ones did not.
        let is_recorded = is_covered && sequence.holes.is_empty();
        let origin = if is_recorded { CandidateOrigin::Recorded } else { CandidateOrigin::Seed };
        (!test.is_empty() && self.inject(test.clone(), origin).is_ok()).then_some(test)
    }

    /// Closes goals that existing tests cover: no test is searched for or written for them.
    pub(crate) fn close_goals(&mut self, goals: impl IntoIterator<Item = GoalId>) {
        for goal in goals {
            self.goals.close(goal);
            self.archive.close(goal);
        }
        self.goals.close_methods();
        self.targets.invalidate();
    }

    /// Adds a literal to the pool, such as a string of a trace or a number of a model that misses
    /// its path.
    pub(crate) fn seed_literal(&mut self, literal: Literal) {
        self.pool.seed(literal);
    }

    /// Up to `count` tests for the solver, each near an uncovered branch; those offered least often
    /// come first.
    pub fn solving_candidates(&mut self, count: usize) -> Vec<SolvingCandidate> {
        self.refresh_targets();
        let offers = self.targets.offer_for_solving(&self.goals, count);
        let candidate =
            |(goal, test): (GoalId, Arc<TestCase>)| SolvingCandidate { goal, test: self.with_unshared_literals(test) };
        offers.into_iter().map(candidate).collect()
    }

    /// Whether exceptions around the classes under test may be what keeps goals uncovered.
    fn is_stuck(&self) -> bool {
        self.stagnation() > STUCK && !self.throw_sites.is_empty()
    }

    /// Up to `count` tests for the solver that an exception ended in code around the classes under
    /// test. None while the search gains without them.
    pub(crate) fn stopped_tests(&mut self, count: usize) -> Vec<TestCase> {
        let count = if self.is_stuck() { count } else { 0 };
        let stopped = self.throw_sites.offer(count).into_iter();
        stopped.map(|test| self.with_unshared_literals(test)).collect()
    }

    /// The test with one variable of the solver for each use of a literal: equal arguments need not
    /// stay equal.
    fn with_unshared_literals(&self, test: Arc<TestCase>) -> TestCase {
        let mut test = Arc::unwrap_or_clone(test);
        test.unshare_literals(2 * self.config.max_statements);
        test
    }

    /// The best test of each covered goal.
    pub fn archive(&self) -> &Archive {
        &self.archive
    }

    /// The goals, including those discovered so far.
    pub fn goals(&self) -> &GoalRegistry {
        &self.goals
    }

    /// What candidates may call.
    pub fn callables(&self) -> &CallableTable {
        &self.table
    }

    /// Whether all static goals are covered and there is at least one. A goal without a test for a suite keeps the
    /// search going for a while.
    pub fn is_done(&self) -> bool {
        let mut goals = self.goals.iter().take(self.goals.static_goals()).map(|(goal, _)| goal);
        let is_over = self.stagnation() > MOST_FOR_UNSETTLED;
        let is_reached = |goal| self.archive.is_settled(goal) || is_over && self.archive.is_covered(goal);
        self.goals.static_goals() > 0 && goals.all(is_reached)
    }

    /// Descriptions of the rejected runs that ended in a call of the method, with their numbers,
    /// the most frequent one first; `None` when there are none.
    pub fn failures_of(&self, method: &MethodRef) -> Option<Vec<MethodFailure<'_>>> {
        self.feedback.failures_of(method)
    }

    /// Executions since a goal was covered or a distance fell.
    pub(crate) fn stagnation(&self) -> u64 {
        self.executions - self.last_gain
    }

    /// Number of goals that candidates of this origin were the first to cover.
    pub(crate) fn goals_gained(&self, origin: CandidateOrigin) -> u64 {
        self.gains.get(&origin).copied().unwrap_or(0)
    }

    /// The state of the search in numbers.
    pub fn progress(&self) -> SearchProgress {
        let mut progress = SearchProgress {
            executions: self.executions,
            stagnation: self.stagnation(),
            rejected: self.rejected.clone(),
            gains: self.gains.clone(),
            ..SearchProgress::default()
        };
        for (id, goal) in self.goals.iter() {
            let covered = usize::from(self.archive.is_covered(id));
            let counts = match goal {
                Goal::Branch { .. } => &mut progress.branches,
                Goal::Line { .. } => &mut progress.lines,
                Goal::Method { normal: true, .. } => &mut progress.methods,
                Goal::Method { .. } => continue,
                Goal::Exception { .. } | Goal::Output { .. } | Goal::Input { .. } | Goal::Response { .. } | Goal::Pair { .. } => {
                    progress.discovered += covered;
                    continue;
                }
            };
            counts.0 += covered;
            counts.1 += 1;
        }
        progress
    }
}

/// The test up to the statement that throws; without that statement where the exception came from
/// outside the project.
fn truncate_at_throw(test: &TestCase, end: &RunEnd) -> TestCase {
    let mut truncated = test.clone();
    if let RunEnd::Threw { statement, thrown } = end {
        truncated.truncate(*statement as usize + usize::from(thrown.in_project));
        truncated.remove_unused_values();
    }
    truncated
}
