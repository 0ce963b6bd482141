//! The search of one class: candidates in batches, mutants in slices, symbolic execution beside or
//! between them.
//!
//! Flows in: the target, a search worker, a time budget. Flows out: the archive of the search, the
//! mutant search and the facts of symbolic execution. Must not know how tests are finished. The
//! loop overlaps two batches: the worker executes one while the results of the one before are
//! entered into the archive.

use std::collections::{BTreeSet, VecDeque};
use std::sync::Arc;
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, RecvTimeoutError, Sender};

use super::closed_goals::{close_unimpacted_goals, seed_search};
use super::context::Context;
use super::draft::Drafting;
use super::error::EngineError;
use super::finish_planner::FinishPlanner;
use super::impact::ImpactedMethods;
use super::mutant_search::MutantSearch;
use super::observer::ClassProgress;
use super::old_version::OldVersion;
use super::scheduling::{Disabled, Interleaved, QUERY_TIME, StepResult, SymbolicScheduler, SymbolicSetup};
use super::symbolic_request::SymbolicRequest;
use super::symbolic_share::SymbolicShare;
use super::symbolic_thread::{SymbolicOutcome, SymbolicThread};
use super::target::Target;
use super::time_budget::TimeBudget;
use super::workers::{ObserverStart, earlier_worker_config, start_observer, worker_config};
use crate::carving::CarvedFacts;
use crate::config::{Budget, Strategy};
use crate::execution::{Execution, RunEnd};
use crate::jvm::{ProbeMode, SearchWorker, WorkerConfig};
use crate::path::BranchOutcome;
use crate::report::{CoverageCount, RecordedTestsReport};
use crate::search::{CandidateOrigin, GoalRegistry, Search, SearchConfig};
use crate::testcase::{TestCase, TestHash};

/// Candidates of one batch, at most.
const MOST_BATCH: usize = 100;
/// Candidates of the first batch where time counts. Code that hangs or kills its JVM then costs a
/// few candidates only.
const FIRST_BATCH: usize = 8;
/// Where time counts, a batch grows or shrinks until its execution takes this long.
const BATCH_TIME: Duration = Duration::from_millis(150);
/// Random candidates of one batch where symbolic execution works without a search.
const DSE_BATCH: usize = 4;
/// Without a search, the loop waits this long for a response of symbolic execution.
const DSE_RESPONSE_WAIT: Duration = Duration::from_millis(100);
/// Executions without a gain after which a search with every goal covered is finished: at most, at least, and for
/// each outcome of a branch. What is left to gain are other results and shorter tests.
const IDLE_WHEN_COVERED: u64 = 20_000;
const IDLE_LEAST: u64 = 1_000;
const IDLE_BY_BRANCH: u64 = 1_000;
/// The same without a search, where nothing can be varied.
const DSE_IDLE_WHEN_COVERED: u64 = 50;
/// Executions without a gain after which any search is finished.
const IDLE_AT_MOST: u64 = 1_500_000;
/// Phases of the search, as progress shows them.
const READING: &str = "reading the session";
const SEARCHING: &str = "searching";
/// While the loop waits for the session, it looks at the interrupt this often.
const INTERRUPT_PAUSE: Duration = Duration::from_millis(50);
/// Progress within a phase is shown at most this often.
const PROGRESS_PAUSE: Duration = Duration::from_millis(250);
/// Tests of the archive in one request to symbolic execution.
const REQUEST_TESTS: usize = 6;
/// Tests in one request that an exception ended in code around the classes under test.
const REQUEST_STOPPED: usize = 2;
/// Tests of changed methods in one request, which the earlier version runs as well.
const REQUEST_COMPARED: usize = 4;
/// Carved call sequences in one request.
const REQUEST_CARVED: usize = 2;
/// Once a session is read, the search runs alone for this long, but not longer than an eighth of
/// the budget.
const HEAD_START: Duration = Duration::from_millis(1200);
const HEAD_STARTS_PER_BUDGET: u32 = 8;
/// Executions and queries of one request where time counts.
const REQUEST_QUOTA: u64 = 24;
/// The same where steps are counted.
const STEPPED_QUOTA: u64 = 12;

/// What the search waits for. Phases follow each other in the order of the variants; a class
/// without a session begins with `Searching`.
enum SearchPhase {
    /// The search runs while the session is read. Its end is delayed until the facts are known.
    ReadingSession {
        facts: Receiver<Result<CarvedFacts, EngineError>>,
        head_start: Option<HeadStart>,
    },
    /// Compiler and symbolic execution leave the cores to the search, which executes the carved
    /// call sequences.
    HeadStart(HeadStart),
    Searching,
}

/// The end of the time in which the search has the cores for itself.
struct HeadStart {
    compiler_start: Sender<()>,
    end: Instant,
}

impl HeadStart {
    /// Starts the compiler and gives `None` where the time is over.
    fn unless_over(self) -> Option<HeadStart> {
        if Instant::now() < self.end {
            return Some(self);
        }
        let _ = self.compiler_start.try_send(());
        None
    }
}

/// What a finished search hands to the stages behind it.
pub(super) struct SearchedClass<'a> {
    pub(super) search: Search,
    pub(super) budget: TimeBudget,
    /// `None` where the class has no mutants.
    pub(super) mutant_search: Option<MutantSearch<'a>>,
    /// The second observer, which has started before the search ended; `None` where time is short.
    pub(super) observer: Option<ObserverStart>,
    /// What a session gave, where there is one.
    pub(super) recorded: Option<RecordedTestsReport>,
    pub(super) symbolic: SymbolicOutcome,
    /// `None` where no tests are written.
    pub(super) drafting: Option<Drafting>,
    pub(super) old: Option<OldVersion>,
}

/// Search and symbolic execution of one class.
pub(super) struct ClassSearch<'a> {
    context: &'a Context<'a>,
    target: &'a Target,
    budget: TimeBudget,
    search: Search,
    mutant_search: Option<MutantSearch<'a>>,
    phase: SearchPhase,
    planner: FinishPlanner,
    share: SymbolicShare,
    /// When progress was shown last.
    shown: Instant,
    /// Candidates of the next batch where time counts.
    batch_size: usize,
    /// What one candidate of the last batch took.
    candidate_time: Duration,
    observer: Option<ObserverStart>,
    /// Without a search: tests of the last batch that symbolic execution may start from.
    seeds: Vec<TestCase>,
    /// Carved call sequences that symbolic execution has not replayed yet.
    carved: VecDeque<TestCase>,
    recorded: Option<RecordedTestsReport>,
    drafting: Option<Drafting>,
    old: Option<OldVersion>,
    /// Tests that symbolic execution was given for a comparison with the earlier version.
    compared: BTreeSet<TestHash>,
}

impl<'a> ClassSearch<'a> {
    /// `worker_start` is the time that starting a worker took. Without `drafting`, no draft of the
    /// tests is made.
    pub(super) fn new(
        context: &'a Context<'a>,
        target: &'a Target,
        budget: TimeBudget,
        worker_start: Duration,
        mutant_search: Option<MutantSearch<'a>>,
        drafting: Option<Drafting>,
    ) -> ClassSearch<'a> {
        let goals = GoalRegistry::of_classes(&context.program, target.classes(), target.cluster());
        let config = SearchConfig {
            random_only: matches!(context.config.strategy, Strategy::Random | Strategy::Dse),
            ..SearchConfig::default()
        };
        let mutants = mutant_search.as_ref().map_or(0, MutantSearch::mutant_count);
        ClassSearch {
            context,
            target,
            budget,
            search: Search::new(Arc::clone(&context.program), target.cluster(), goals, config, context.config.seed),
            mutant_search,
            phase: SearchPhase::Searching,
            planner: FinishPlanner::new(worker_start, mutants),
            share: SymbolicShare::default(),
            shown: Instant::now(),
            batch_size: FIRST_BATCH,
            candidate_time: Duration::ZERO,
            observer: None,
            seeds: Vec::new(),
            carved: VecDeque::new(),
            recorded: None,
            drafting,
            old: None,
            compared: BTreeSet::new(),
        }
    }

    /// Compares candidates with an earlier version of the class.
    pub(super) fn compare_with(&mut self, old: Option<OldVersion>) {
        self.old = old;
    }

    /// The search, with its archive.
    pub(super) fn search(&self) -> &Search {
        &self.search
    }

    /// The search, before it begins.
    pub(super) fn search_mut(&mut self) -> &mut Search {
        &mut self.search
    }

    /// The budget of the class.
    pub(super) fn budget(&self) -> &TimeBudget {
        &self.budget
    }

    /// The planner of the last stages.
    pub(super) fn planner_mut(&mut self) -> &mut FinishPlanner {
        &mut self.planner
    }

    /// Ends the search: starts the second observer where it has not started and is wanted, and hands over
    /// what was found.
    pub(super) fn finish(mut self, symbolic: SymbolicOutcome) -> SearchedClass<'a> {
        self.budget.finish();
        self.show("minimising");
        self.start_finishing_jvms();
        let ClassSearch { search, budget, mutant_search, observer, recorded, drafting, old, .. } = self;
        SearchedClass { search, budget, mutant_search, observer, recorded, symbolic, drafting, old }
    }

    /// Where there is a session, requests its facts. The search begins meanwhile and goes on with
    /// them.
    pub(super) fn request_session_facts(&mut self, compiler_start: Sender<()>) {
        let Some(recorded) = &self.context.recorded else { return };
        let classes = self.target.classes().iter().map(|class| class.name.clone()).collect();
        let facts = recorded.request_facts(classes, &self.context.program);
        let head_start = HeadStart { compiler_start, end: Instant::now() + 2 * self.head_start_time() };
        self.phase = SearchPhase::ReadingSession { facts, head_start: Some(head_start) };
    }

    /// Enters the facts of the session into the search where they are known. With `wait`, waits for
    /// them, for an interrupt or for the deadline of the search.
    fn receive_session_facts(&mut self, wait: bool) -> Result<(), EngineError> {
        let SearchPhase::ReadingSession { facts, .. } = &self.phase else { return Ok(()) };
        let deadline = self.budget.search_deadline();
        let facts = loop {
            match facts.recv_timeout(if wait { INTERRUPT_PAUSE } else { Duration::ZERO }) {
                Ok(facts) => break facts?,
                Err(RecvTimeoutError::Timeout) if deadline.is_some_and(|deadline| Instant::now() >= deadline) => {
                    let class = self.target.name().binary();
                    self.context.observer.message(&format!("{class}: the session could not be read within the budget"));
                    self.phase = SearchPhase::Searching;
                    return Ok(());
                }
                Err(RecvTimeoutError::Timeout) if wait && !self.context.interrupt.is_set() => {}
                Err(RecvTimeoutError::Timeout) => return Ok(()),
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(EngineError::fault("looking through the session panicked"));
                }
            }
        };
        let (target, context) = (self.target, self.context);
        let mutant_search = self.mutant_search.as_mut();
        let (report, carved) = seed_search(facts, target, &context.program, &mut self.search, mutant_search, context.config.all);
        self.carved = carved.into();
        self.recorded = Some(report);
        // Where time counts, the carved call sequences have the cores for themselves: they cover
        // most goals at once.
        let time = if self.carved.is_empty() { Duration::ZERO } else { self.head_start_time() };
        self.phase = match std::mem::replace(&mut self.phase, SearchPhase::Searching) {
            SearchPhase::ReadingSession { head_start: Some(HeadStart { compiler_start, .. }), .. } => {
                SearchPhase::HeadStart(HeadStart { compiler_start, end: Instant::now() + time })
            }
            _ => SearchPhase::Searching,
        };
        self.planner.begin_searching();
        self.plan_finish();
        self.show(SEARCHING);
        Ok(())
    }

    /// With `--since`, closes the goals that the change does not reach; with `--method`, those of other methods.
    pub(super) fn close_unimpacted_goals(&mut self) {
        let program = &self.context.program;
        let named = self.context.config.method.as_ref().map(|_| ImpactedMethods::named(program, self.target.cluster()));
        for wanted in self.context.impacted.iter().chain(&named) {
            let mutant_search = self.mutant_search.as_mut();
            close_unimpacted_goals(wanted, self.target, program, &mut self.search, mutant_search);
        }
    }

    /// Whether the rest of the time is for the paths that the user asks for.
    fn leaves_time_for_paths(&self) -> bool {
        self.context.paths.contains_key(self.target.name()) && self.budget.is_half_over()
    }

    fn head_start_time(&self) -> Duration {
        match self.context.config.budget {
            Budget::Time(budget) => HEAD_START.min(budget / HEAD_STARTS_PER_BUDGET),
            Budget::Steps(_) => Duration::ZERO,
        }
    }

    /// Whether the search still has the cores for itself. Starts the compiler where that has just
    /// ended.
    fn has_head_start(&mut self) -> bool {
        match &mut self.phase {
            SearchPhase::ReadingSession { head_start, .. } => {
                *head_start = head_start.take().and_then(HeadStart::unless_over);
                head_start.is_some()
            }
            SearchPhase::HeadStart(_) => match std::mem::replace(&mut self.phase, SearchPhase::Searching) {
                SearchPhase::HeadStart(head_start) => {
                    let head_start = head_start.unless_over();
                    let is_ahead = head_start.is_some();
                    self.phase = head_start.map_or(SearchPhase::Searching, SearchPhase::HeadStart);
                    is_ahead
                }
                _ => false,
            },
            SearchPhase::Searching => false,
        }
    }

    /// Executes candidates until the budget is used up or nothing is left to gain.
    ///
    /// [`EngineError::Fault`] where the search worker cannot be kept running,
    /// [`EngineError::Input`] where the session cannot be read.
    pub(super) fn explore(&mut self, worker: &mut SearchWorker) -> Result<SymbolicOutcome, EngineError> {
        let symbolic_deadline = self.budget.search_deadline();
        self.budget.await_first_test(true);
        worker.set_deadline(self.budget.batch_deadline());
        let strategy = self.context.config.strategy;
        let is_left_out = strategy == Strategy::Hybrid && self.budget.is_short();
        if !matches!(strategy, Strategy::Hybrid | Strategy::Dse) || is_left_out {
            self.run_search_loop(worker, &mut Disabled)?;
            return Ok(SymbolicOutcome::Unused);
        }
        let counts_steps = self.budget.counts_steps();
        let limited = |tracer| WorkerConfig { deadline: symbolic_deadline, ..tracer };
        let tracer = limited(worker_config(self.context, self.target, ProbeMode::Trace));
        let setup = SymbolicSetup::new(self.context, self.target.name(), tracer, (!counts_steps).then_some(QUERY_TIME));
        let setup = setup.comparing(self.context, |earlier| {
            limited(earlier_worker_config(self.context, self.target, earlier, ProbeMode::Trace))
        });
        if counts_steps {
            let mut concolic = setup.start().map_err(EngineError::fault)?;
            self.run_search_loop(worker, &mut Interleaved(&mut concolic))?;
            return Ok(SymbolicOutcome::Done(Box::new(setup.end(&mut concolic))));
        }
        let thread = SymbolicThread::start(setup, symbolic_deadline);
        let response_wait = if self.has_no_search() { DSE_RESPONSE_WAIT } else { Duration::ZERO };
        let searched = self.run_search_loop(worker, &mut thread.scheduler(response_wait));
        tracing::debug!(at = ?self.budget.elapsed(), "the search has ended");
        let outcome = thread.stop();
        searched?;
        Ok(outcome)
    }

    fn run_search_loop(&mut self, worker: &mut SearchWorker, symbolic: &mut dyn SymbolicScheduler) -> Result<(), EngineError> {
        let mut in_flight: Option<Vec<TestCase>> = None;
        let mut submitted: Option<Instant> = None;
        self.planner.begin_searching();
        // Where steps are counted, nothing may depend on how long reading takes.
        self.receive_session_facts(self.budget.counts_steps())?;
        if self.recorded.is_none() {
            self.plan_finish();
            self.show(self.phase_name());
        }
        loop {
            // Goals that the session covers must be known before the search ends.
            self.receive_session_facts(!self.budget.may_search() || self.is_search_finished())?;
            let is_finished = self.is_search_finished() && self.is_mutant_search_finished();
            let has_ended = is_finished || self.leaves_time_for_paths() || self.context.interrupt.is_set();
            let continues = self.budget.may_search() && !has_ended;
            // A finished search goes on for the mutants alone.
            let waiting = in_flight.as_ref().map_or(0, Vec::len);
            let next = if continues && !self.is_search_finished() { self.next_batch(waiting) } else { Vec::new() };
            let executions = match &in_flight {
                Some(_) => Some(worker.collect().map_err(EngineError::fault)?),
                None => None,
            };
            if let (Some(begin), Some(tests)) = (submitted, &in_flight) {
                self.adapt_batch_size(tests.len(), begin.elapsed());
            }
            self.draft_tests(worker)?;
            if let Some(old) = &mut self.old {
                old.compare_if_due(self.context, self.target.cluster(), worker).map_err(EngineError::fault)?;
            }
            if !next.is_empty() {
                self.budget.use_steps(next.len() as u64);
                submitted = Some(Instant::now());
                worker.submit(&next, false).map_err(EngineError::fault)?;
            }
            if let (Some(tests), Some(executions)) = (in_flight.take(), executions) {
                self.search.tell(&tests, &executions);
                self.budget.await_first_test(self.search.archive().iter().next().is_none());
                if let (Some(old), Some(impacted)) = (&mut self.old, &self.context.impacted) {
                    old.take(&tests, &executions, |method| impacted.contains(method));
                }
                if self.has_no_search() {
                    self.seeds = completed_tests(&tests, &executions);
                }
            }
            if !continues {
                break;
            }
            let is_idle = next.is_empty();
            self.search_mutants(is_idle)?;
            if is_idle {
                if matches!(self.phase, SearchPhase::ReadingSession { .. }) {
                    self.receive_session_facts(true)?;
                } else if self.is_mutant_search_finished() {
                    break;
                }
                continue;
            }
            in_flight = Some(next);
            self.step_symbolic_execution(symbolic)?;
            self.planner.plan_if_due(&mut self.budget, &self.search, self.mutant_search.as_ref());
            worker.set_deadline(self.budget.batch_deadline());
            self.show_if_due(self.phase_name());
            if self.planner.is_finish_near(&self.budget) {
                self.start_finishing_jvms();
            }
        }
        Ok(())
    }

    /// Begins a draft of the tests where one is due, and plans anew when one is verified. The worker
    /// has to be idle.
    fn draft_tests(&mut self, worker: &mut SearchWorker) -> Result<(), EngineError> {
        let Some(drafting) = &mut self.drafting else { return Ok(()) };
        if let Some((lines, took)) = drafting.receive(Some(Instant::now())) {
            let mut speed = self.budget.speed();
            speed.observe_draft(lines, took);
            tracing::debug!(lines, ?took, ?speed, "the speed follows from a draft");
            self.budget.set_speed(speed);
        }
        drafting.begin_if_due(&self.search, worker, &self.budget).map_err(EngineError::fault)
    }

    fn step_symbolic_execution(&mut self, symbolic: &mut dyn SymbolicScheduler) -> Result<(), EngineError> {
        let result = if self.has_head_start() || !self.needs_solver() {
            StepResult::default()
        } else {
            symbolic.step(&mut || self.next_request()).map_err(EngineError::fault)?
        };
        self.budget.use_steps(result.steps);
        // Without a search, there is nothing else to give the time to.
        let gained = self.search.goals_gained(CandidateOrigin::Solver);
        self.share.record_step(&result, gained, self.has_no_search());
        for candidate in result.candidates {
            // A model may give a test case that Java source cannot express: it is rejected here.
            let _ = self.search.inject(candidate, CandidateOrigin::Solver);
        }
        Ok(())
    }

    /// Whether symbolic execution may find what the search does not. A class without branches of its own needs it
    /// where the first candidates leave a line open, because code that it calls throws; any class does where versions
    /// are compared.
    fn needs_solver(&self) -> bool {
        let has_branches = self.target.slot_counts().0 > 0;
        has_branches
            || self.old.is_some()
            || self.has_no_search()
            || !self.search.is_done() && self.search.progress().executions >= IDLE_LEAST
    }

    fn phase_name(&self) -> &'static str {
        if matches!(self.phase, SearchPhase::ReadingSession { .. }) { READING } else { SEARCHING }
    }

    fn is_mutant_search_finished(&self) -> bool {
        self.mutant_search.as_ref().is_none_or(MutantSearch::is_idle)
    }

    /// Runs a slice of the mutant search where one is due, or where the search has no candidates.
    fn search_mutants(&mut self, is_idle: bool) -> Result<(), EngineError> {
        let Some(mutant_search) = &mut self.mutant_search else { return Ok(()) };
        if is_idle || mutant_search.is_due(&self.search, &self.budget) {
            let deadline = self.budget.search_deadline();
            let steps = mutant_search.run_slice(&mut self.search, deadline).map_err(EngineError::fault)?;
            self.budget.use_steps(steps);
        }
        Ok(())
    }

    /// Starts the JVMs of the stages behind the search, while the last batches are executed. Where time is
    /// short, these stages get along without them: the JVM that verifies differs from the worker as well.
    fn start_finishing_jvms(&mut self) {
        if self.budget.is_short() {
            self.mutant_search.iter_mut().for_each(MutantSearch::give_up);
        } else if self.observer.is_none() {
            if let Some(mutant_search) = &mut self.mutant_search {
                mutant_search.start_worker(self.budget.end());
            }
            self.observer = Some(start_observer(self.context, self.target, self.first_observed(), self.budget.end()));
        }
    }

    /// The longest test, where tests need frameworks and time counts.
    fn first_observed(&self) -> Option<TestCase> {
        let cluster = self.target.cluster();
        let loads = (cluster.has_mocks() || cluster.has_requests()) && !self.budget.counts_steps();
        let kept = self.search.archive().iter().map(|(_, kept)| &*kept.test);
        kept.filter(|_| loads).max_by_key(|test| test.statements.len()).cloned()
    }

    fn adapt_batch_size(&mut self, candidates: usize, took: Duration) {
        self.candidate_time = took / u32::try_from(candidates.max(1)).unwrap_or(u32::MAX);
        let size = if took > BATCH_TIME { self.batch_size / 2 } else { self.batch_size * 2 };
        self.batch_size = size.clamp(1, MOST_BATCH);
    }

    /// The next candidates. `waiting`: how many are executed before these.
    fn next_batch(&mut self, waiting: usize) -> Vec<TestCase> {
        // Without a search, everything that symbolic execution found is executed. Random seeds are
        // added where it found nothing promising.
        let most = match (self.has_no_search(), self.share.candidates()) {
            (false, _) => MOST_BATCH,
            (true, 0) => DSE_BATCH,
            (true, found) => found + if self.share.is_spent() { DSE_BATCH } else { 1 },
        };
        let steps_left = self.budget.steps_left();
        let size = steps_left.map_or(self.batch_size.min(most), |left| left.min(most as u64) as usize);
        let in_time = self.budget.candidates_in_time(self.candidate_time).map_or(size, |fit| fit.saturating_sub(waiting).max(1));
        self.search.ask(size.min(in_time))
    }

    /// Symbolic execution works on random seeds, without a search.
    fn has_no_search(&self) -> bool {
        self.context.config.strategy == Strategy::Dse
    }

    fn is_search_finished(&self) -> bool {
        let by_size = IDLE_LEAST + IDLE_BY_BRANCH * u64::from(self.target.slot_counts().0);
        let when_covered = if self.has_no_search() { DSE_IDLE_WHEN_COVERED } else { by_size.min(IDLE_WHEN_COVERED) };
        let stagnation = self.search.stagnation();
        match &self.old {
            // A difference may be behind any further candidate.
            Some(old) => {
                stagnation >= IDLE_AT_MOST || old.is_settled() && (self.search.is_done() || stagnation >= IDLE_WHEN_COVERED)
            }
            None => stagnation >= if self.search.is_done() { when_covered } else { IDLE_AT_MOST },
        }
    }

    fn next_request(&mut self) -> SymbolicRequest {
        let goals = self.search.goals();
        let is_open = |slot| goals.branch_goal(slot).is_some_and(|goal| !self.search.archive().is_covered(goal));
        let open: BTreeSet<BranchOutcome> =
            self.target.branch_slots().filter(|(_, slot)| is_open(*slot)).map(|(site, _)| site.clone()).collect();
        // A share of symbolic execution below 1 reduces the steps of a request, or makes the thread
        // rest between requests.
        let quota = if self.budget.counts_steps() {
            let most = self.budget.steps_left().unwrap_or(0).min(STEPPED_QUOTA);
            ((most as f64 * self.share.value()).ceil() as u64).max(1)
        } else {
            REQUEST_QUOTA
        };
        let request = SymbolicRequest {
            open,
            quota,
            until: self.budget.search_until(),
            share: self.share.value(),
            ..SymbolicRequest::default()
        };
        if let Some(start) = &self.context.start {
            return SymbolicRequest { tests: vec![with_unshared_literals(start.clone())], ..request };
        }
        let interesting = self.search.solving_candidates(REQUEST_TESTS).into_iter();
        let mut tests: Vec<TestCase> = interesting.map(|candidate| candidate.test).collect();
        tests.extend(self.carved.drain(..self.carved.len().min(REQUEST_CARVED)).map(with_unshared_literals));
        tests.extend(self.tests_to_compare());
        let stopped = self.search.stopped_tests(REQUEST_STOPPED);
        SymbolicRequest { tests, stopped, seeds: std::mem::take(&mut self.seeds), ..request }
    }

    /// Tests that end with a changed method, each once.
    fn tests_to_compare(&mut self) -> Vec<TestCase> {
        let Some(impacted) = self.context.impacted.as_ref().filter(|_| self.old.is_some()) else { return Vec::new() };
        let is_changed = |test: &TestCase| test.target().is_some_and(|(_, method)| impacted.contains(method));
        let archived = self.search.archive().tests().into_iter().map(|(kept, _)| kept.test.clone());
        let new = archived.filter(|test| is_changed(test) && !self.compared.contains(&test.canonical_hash()));
        let chosen: Vec<TestCase> = new.take(REQUEST_COMPARED).map(Arc::unwrap_or_clone).collect();
        self.compared.extend(chosen.iter().map(TestCase::canonical_hash));
        chosen.into_iter().map(with_unshared_literals).collect()
    }

    fn plan_finish(&mut self) {
        self.planner.plan(&mut self.budget, &self.search, self.mutant_search.as_ref());
    }

    fn show_if_due(&mut self, phase: &'static str) {
        if self.shown.elapsed() >= PROGRESS_PAUSE {
            self.send_progress(phase);
        }
    }

    /// Shows the begin of a phase.
    pub(super) fn show(&mut self, phase: &'static str) {
        tracing::debug!(at = ?self.budget.elapsed(), "{phase}");
        self.send_progress(phase);
    }

    fn send_progress(&mut self, phase: &'static str) {
        self.shown = Instant::now();
        show_progress(self.context, self.target, &self.search, &self.budget, phase, 0);
    }
}

/// Sends the progress of a class to the observer. `tests` counts the tests that are being finished.
pub(super) fn show_progress(
    context: &Context<'_>,
    target: &Target,
    search: &Search,
    budget: &TimeBudget,
    phase: &'static str,
    tests: usize,
) {
    let progress = search.progress();
    let covered = |(covered, total): (usize, usize)| CoverageCount { covered, total };
    context.observer.progress(&ClassProgress {
        class: target.name().binary(),
        phase,
        line: covered(progress.lines),
        branch: covered(progress.branches),
        tests,
        executions: progress.executions,
        left: budget.left(),
    });
}

/// The tests that returned or threw, with unshared literals.
fn completed_tests(tests: &[TestCase], executions: &[Execution]) -> Vec<TestCase> {
    let is_complete = |execution: &Execution| matches!(execution.end, RunEnd::Completed | RunEnd::Threw { .. });
    let complete = tests.iter().zip(executions).filter(|(_, execution)| is_complete(execution));
    complete.map(|(test, _)| with_unshared_literals(test.clone())).collect()
}

/// The test case with a literal statement for each use of a literal, so that each use is a variable
/// of its own.
fn with_unshared_literals(mut test: TestCase) -> TestCase {
    test.unshare_literals(2 * SearchConfig::default().max_statements);
    test
}
