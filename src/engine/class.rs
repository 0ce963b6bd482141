//! One class, from its class file to its test file.

use super::concolic::{SymbolicFacts, SymbolicRequest};
use super::mutant_search::MutantSearch;
use super::scheduling::{Concurrent, Disabled, Interleaved, StepResult, SymbolicScheduler, concolic, end, serve_requests};
use super::suite::{ObserverStart, Suite, start_observer};
use super::time_budget::{MachineSpeed, RemainingWork, TimeBudget};
use super::verify::{CompilerService, ENVIRONMENTS, Verifiers, verify};
use super::{Context, EngineError, Progress, outdated, recorded_sessions};
use crate::carving::CarvedFacts;
use crate::config::{Budget, Config, Strategy};
use crate::execution::TargetClass;
use crate::execution::{Execution, RunEnd};
use crate::jvm::{Allow, JvmError, ProbeMode, SearchWorker, WorkerConfig, WorkerStatistics};
use crate::path::BranchOutcome;
use crate::program::{self, ClassName, Cluster, ClusterConfig, GenericType, MethodRef, Program, TargetError};
use crate::report::{
    ClassReport, Covered, Discarded, ExistingReport, ExplainedTree, FaultReport, JvmReport, MethodOutcome, MethodReport,
    SearchReport,
};
use crate::search::{Goals, Origin, Search, SearchConfig};
use crate::symbolic::StopFlag;
use crate::testcase::{StatementKind, TestCase};
use crate::{emit, files};
use crossbeam_channel::{Receiver, RecvTimeoutError, Sender, bounded, unbounded};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::path::PathBuf;
use std::sync::atomic::Ordering;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};
use tracewright_trace::numbering::search_sites;

/// A class is not begun with less time than this.
pub(crate) const LEAST_TIME: Duration = Duration::from_millis(1500);
/// Candidates handed to the worker at once, at most; where time counts, the first batch is small and later ones take about `BATCH_TIME`,
/// so that code that hangs or kills its JVM costs a few candidates, not the budget.
const BATCH: usize = 100;
const FIRST_BATCH: usize = 8;
const BATCH_TIME: Duration = Duration::from_millis(150);
const DSE_BATCH: usize = 4;
/// How long symbolic execution alone is waited for.
const DSE_PATIENCE: Duration = Duration::from_millis(100);
/// Where time counts: as which part of the budget a run may take at first, and no less than what; what runs that take all of that leave to those behind them.
const BUDGET_RUNS: u32 = 40;
const LONG_RUN: Duration = Duration::from_millis(250);
const LEAST_RUN: Duration = Duration::from_millis(100);
/// When every goal is covered, the search goes on for better and different tests until it has found none for so many executions.
const IDLE_WHEN_COVERED: u64 = 20_000;
/// The same of symbolic execution alone: there is nothing to vary.
const DSE_IDLE_WHEN_COVERED: u64 = 50;
/// Nothing new at all for so many executions: the search has seen what it can see.
const IDLE_AT_MOST: u64 = 1_500_000;
/// The search, while the session is read and after that.
const READING: &str = "reading the session";
const SEARCHING: &str = "searching";
/// An interrupt is heard so soon.
const INTERRUPT_PAUSE: Duration = Duration::from_millis(50);
/// Progress is shown at a change of phase, else at most this often.
const PROGRESS_PAUSE: Duration = Duration::from_millis(250);
/// What a job of symbolic execution without a gain leaves of its share, and the least that is left.
const SHARE_DECAY: f64 = 0.85;
const LEAST_SHARE: f64 = 0.2;
/// Terms are as deep as the loops that made them.
const REPLAY_STACK: usize = 256 << 20;
/// Tests handed to symbolic execution at once.
const JOB_TESTS: usize = 6;
/// Lives of a session that a job begins with as well.
const JOB_LIVES: usize = 2;
/// With a session, the search is alone for so long from when it is read.
const HEAD_START: Duration = Duration::from_millis(1200);
/// Runs and queries of symbolic execution in one job: by time, and for each batch when steps are counted.
const JOB_QUOTA: u64 = 24;
const STEPPED_QUOTA: u64 = 12;
/// Wall-clock limit of one query where time counts; the resource limit comes first on an idle machine.
const QUERY_TIME: Duration = Duration::from_millis(700);

/// A class to test, with all that is known before it runs.
#[derive(Debug)]
pub(crate) struct Target {
    name: ClassName,
    cluster: Arc<Cluster>,
    classes: Vec<TargetClass>,
    branch_slots: u32,
    line_slots: u32,
    /// Slot of every branch outcome, and back.
    slots: BTreeMap<BranchOutcome, u32>,
    /// Source level of the tests.
    release: u32,
}

impl Target {
    /// `typed`: the name as the user wrote it.
    pub(crate) fn new(program: &Arc<Program>, typed: &str, config: &Config) -> Result<Target, TargetError> {
        let model = program::find_target(program, typed)?;
        let methods = config.method.iter().map(|method| match method.split_once('(') {
            Some((name, rest)) => (name.to_owned(), Some(format!("({rest}"))),
            None => (method.clone(), None),
        });
        let cluster =
            Cluster::build(program, &model.name, &ClusterConfig { methods: methods.collect(), ..ClusterConfig::default() })?;
        let mut target = Target {
            name: model.name.clone(),
            classes: Vec::new(),
            branch_slots: 0,
            line_slots: 0,
            slots: BTreeMap::new(),
            release: u32::from(model.file.major_version().saturating_sub(44)).max(8),
            cluster: Arc::new(cluster),
        };
        for name in program::targets(program, &model.name) {
            let Some(class) = program.class(&name) else { continue };
            // A class whose code cannot be read gets no probes from the agent either.
            let Ok(sites) = search_sites(&class.file) else { continue };
            for site in &sites.branches {
                let Some(method) = class.methods.iter().find(|method| method.index == site.method) else { continue };
                for outcome in 0..site.slots() {
                    let branch = BranchOutcome { method: method.reference.clone(), bci: site.bci, outcome };
                    target.slots.insert(branch, target.branch_slots + site.slot + outcome);
                }
            }
            target.classes.push(TargetClass { name, branch_base: target.branch_slots, line_base: target.line_slots });
            target.branch_slots += sites.branch_slots;
            target.line_slots += sites.line_slots;
        }
        Ok(target)
    }

    pub(crate) fn name(&self) -> &ClassName {
        &self.name
    }

    /// The class and those nested in it, with their slots.
    pub(crate) fn classes(&self) -> &[TargetClass] {
        &self.classes
    }

    pub(crate) fn cluster(&self) -> &Arc<Cluster> {
        &self.cluster
    }

    /// Internal name of the package of the tests.
    pub(crate) fn test_package(&self) -> &str {
        &self.cluster.test_package
    }

    /// Number of a branch outcome, if it is one of the target's.
    pub(crate) fn slot_of(&self, branch: &BranchOutcome) -> Option<u32> {
        self.slots.get(branch).copied()
    }

    /// Every branch outcome.
    pub(crate) fn branches(&self) -> impl Iterator<Item = &BranchOutcome> {
        self.slots.keys()
    }

    /// Source level of the tests.
    pub(crate) fn release(&self) -> u32 {
        self.release
    }

    /// Branch outcomes and line entries there are.
    pub(crate) fn slot_counts(&self) -> (usize, usize) {
        (self.branch_slots as usize, self.line_slots as usize)
    }
}

/// What one class leaves to the next.
#[derive(Debug)]
pub(crate) struct Shared {
    pub(crate) compiler: CompilerService,
    /// Known once a worker has started.
    pub(crate) speed: Option<MachineSpeed>,
}

/// Writes the tests of one class. `limit` is what the total budget leaves; the class's time began at `begin`.
pub(crate) fn generate(
    context: &Context<'_>,
    target: Target,
    limit: Option<Duration>,
    begin: Instant,
    shared: &mut Shared,
    jvm: &mut JvmReport,
) -> Result<ClassReport, EngineError> {
    let mutant_search = MutantSearch::new(context, &target);
    let place = OutputFile::find(context, &target, shared)?;
    let starting = Instant::now();
    let mut worker = SearchWorker::start(search_config(context, &target)).map_err(fault)?;
    let fresh = shared.speed.is_none();
    let speed = *shared.speed.get_or_insert_with(|| MachineSpeed::from_worker_start(starting.elapsed()));
    let budget = TimeBudget::new(context.config.budget, limit, begin, speed);
    let mut run = ClassSearch::new(context, &target, budget, starting.elapsed(), mutant_search);
    run.show("starting", 0, true);
    run.limit_to_changes();
    run.ask_session(shared.compiler.starter());

    worker.set_deadline(run.budget.search_deadline());
    run.warm = shared.compiler.warming().filter(|_| fresh);
    let symbolic = run.explore(&mut worker)?;
    let searched = run.budget.elapsed();
    let executions = run.search.progress().executions;

    tracing::debug!(planned = ?run.budget.search_until().map(|until| until - begin), took = ?begin.elapsed(), "searched");
    run.budget.finish();
    shared.speed = Some(run.budget.speed());
    run.show("minimising", 0, true);
    run.stand_by();
    let Some(observer) = run.standby.take() else {
        return Err(EngineError::Fault("the second observer was not started".into()));
    };
    let mut suite = Suite::new(context, &target, worker, run.mutant_search.take(), observer);
    let tests = suite.minimise(&run.search, &mut run.budget).map_err(fault)?;
    let mut discarded = Discarded::default();
    let asserted = suite.assert(&tests, &mut run.budget, &mut discarded).map_err(fault)?;
    let verifiers = Verifiers::start(context, &target, 0, ENVIRONMENTS.len());
    run.show("analysing mutants", asserted.len(), true);
    let asserted = suite.select(asserted, &run.budget).map_err(fault)?;
    run.show("compiling and verifying", asserted.len(), true);
    suite.measure(&asserted, run.search.goals(), &run.budget).map_err(fault)?;
    let best = |tests, most| suite.best(tests, most);
    let verified = verify(context, &target, &place, asserted, &best, shared, verifiers, &run.budget, &mut discarded, jvm)?;

    let mut class_report = ClassReport { name: target.name.binary(), discarded, ..ClassReport::default() };
    if let Some(rendered) = &verified.rendered {
        let package = rendered.class.package();
        let relative = if package.is_empty() {
            PathBuf::from(&rendered.file_name)
        } else {
            PathBuf::from(package).join(&rendered.file_name)
        };
        match files::write_unless_edited(&context.config.out.join(&relative), &rendered.source, emit::is_untouched).map_err(
            |error| EngineError::Use(format!("cannot write {}: {error}", context.config.out.join(&relative).display())),
        )? {
            files::WriteOutcome::Written => {
                class_report.tests = rendered.tests.len();
                class_report.file = Some(relative.display().to_string());
            }
            files::WriteOutcome::EditedByHand => {
                class_report.reason = Some(format!(
                    "{} was edited by hand and stays as it is: move it, or name another folder with --out",
                    context.config.out.join(&relative).display()
                ));
            }
        }
        for (place, test) in rendered.tests.iter().enumerate() {
            if let Some(what) = &verified.tests[place].fault {
                class_report.faults.push(FaultReport { test: test.method.clone(), what: what.clone() });
            }
        }
    }
    class_report.existing = run.existing;
    class_report.outdated = place.outdated;
    class_report.goals = suite.covered(&verified.tests, &target);
    class_report.mutants = suite.mutants(&verified.tests);
    class_report.methods = methods(&target, &verified.tests.iter().map(|test| &test.test).collect::<Vec<_>>(), &run.search);
    if let Some(reached) = &context.reached {
        let is_reached = |method: &MethodReport| {
            let mut owners = target.classes.iter().map(|class| &class.name);
            owners.any(|owner| reached.contains(&MethodRef::new(owner.clone(), &method.name, &method.descriptor)))
        };
        class_report.methods.retain(is_reached);
    }
    if class_report.tests == 0 && class_report.reason.is_none() {
        class_report.reason = Some(why_nothing(&run.search));
    }
    if let Some(figures) = symbolic {
        (class_report.replay, class_report.solver, class_report.tree) = (figures.replay, figures.solver, figures.tree);
        add(jvm, figures.jvm);
        context.lessons.learn(figures.training);
    }
    add(jvm, suite.statistics());
    class_report.remarks = target.cluster.remarks.clone();
    class_report.unbuildable =
        target.cluster.unbuildable().map(|(ty, reason)| (GenericType::of(ty).to_string(), reason.to_owned())).collect();
    class_report.search = SearchReport {
        executions,
        per_second: (executions as f64 / searched.as_secs_f64().max(0.001)).round(),
        set_aside: run.search.progress().discarded.iter().map(|(reason, count)| ((*reason).to_owned(), *count)).collect(),
    };
    tracing::debug!(at = ?run.budget.elapsed(), "reported");
    class_report.seconds = (run.budget.elapsed().as_secs_f64() * 1000.0).round() / 1000.0;
    Ok(class_report)
}

/// Where the tests of a class go.
#[derive(Debug, Default)]
pub(crate) struct OutputFile {
    /// Of several files of a class, counted from 1.
    pub(crate) number: u32,
    /// A name for the change that the tests are about.
    pub(crate) change: Option<String>,
    /// Tests of other files of the class that are wrong by now.
    outdated: BTreeMap<String, String>,
}

impl OutputFile {
    /// Tests of everything go into the class's file. Those for a change go beside the files that are there, which stay and are looked through; into
    /// one of them if it is about the same change.
    fn find(context: &Context<'_>, target: &Target, shared: &mut Shared) -> Result<OutputFile, EngineError> {
        let mut place = OutputFile { number: 1, ..OutputFile::default() };
        let Some(reached) = &context.reached else { return Ok(place) };
        let change = reached.name(&context.program, &target.name);
        for number in 1.. {
            let file = format!("{}.java", emit::test_class_name(&target.name, target.test_package(), number).internal());
            let Some(source) = files::read_text_if_exists(&context.config.out.join(&file)).ok().flatten() else {
                place.number = number;
                break;
            };
            if emit::is_untouched(&source) && emit::change_of(&source) == Some(change.as_str()) {
                place.number = number;
                break;
            }
            let wrong = outdated::wrong_tests(context, target, &file, &source, number, &mut shared.compiler)?;
            let class = file.trim_end_matches(".java").replace('/', ".");
            place.outdated.extend(wrong.into_iter().map(|(test, why)| (format!("{class}.{test}"), why)));
        }
        place.change = Some(change);
        Ok(place)
    }
}

/// What was found without writing anything: the lines of the target's classes that runs reached, and what there is to report so far.
#[derive(Debug)]
pub struct ClassExploration {
    pub lines: BTreeSet<(ClassName, u16)>,
    pub report: ClassReport,
    /// In words, where that was asked for.
    pub(crate) trees: Vec<ExplainedTree>,
}

/// The first half of `generate`: searches until nothing is left to gain or the budget is used up.
pub(crate) fn explore(context: &Context<'_>, target: &Target) -> Result<ClassExploration, EngineError> {
    let begin = Instant::now();
    let mut worker = SearchWorker::start(search_config(context, target)).map_err(fault)?;
    let speed = MachineSpeed::from_worker_start(begin.elapsed());
    let mut run =
        ClassSearch::new(context, target, TimeBudget::new(context.config.budget, None, begin, speed), begin.elapsed(), None);
    worker.set_deadline(run.budget.search_deadline());
    let symbolic = run.explore(&mut worker)?;
    let mut report = ClassReport { name: target.name.binary(), ..ClassReport::default() };
    let mut trees = Vec::new();
    if let Some(figures) = symbolic {
        (report.replay, report.solver, report.tree) = (figures.replay, figures.solver, figures.tree);
        trees = figures.trees;
    }
    let progress = run.search.progress();
    report.search.executions = progress.executions;
    report.goals.line = covered(progress.lines);
    report.goals.branch = covered(progress.branches);
    let is_covered = |slot| run.search.goals().line_goal(slot).is_some_and(|goal| run.search.archive().is_covered(goal));
    let mut lines = BTreeSet::new();
    for class in &target.classes {
        let sites = context.program.class(&class.name).and_then(|model| search_sites(&model.file).ok());
        let reached = sites.into_iter().flat_map(|sites| sites.lines).filter(|site| is_covered(class.line_base + site.slot));
        lines.extend(reached.map(|site| (class.name.clone(), site.line)));
    }
    Ok(ClassExploration { lines, report, trees })
}

fn fault(error: JvmError) -> EngineError {
    EngineError::Fault(error.to_string())
}

fn add(jvm: &mut JvmReport, statistics: WorkerStatistics) {
    jvm.started += statistics.started;
    jvm.killed += statistics.killed;
    jvm.crashed += statistics.crashed;
}

pub(crate) fn worker_config(context: &Context<'_>, target: &Target, mode: ProbeMode) -> WorkerConfig {
    let config = context.config;
    let mut worker = WorkerConfig::new(
        context.jdk.clone(),
        context.installation.agent.clone(),
        config.classpath.clone(),
        context.temporary.to_path_buf(),
        mode,
    );
    // Everything of the class path is the project's: the loop that hangs may be in a class that the target only calls.
    worker.include = vec!["*".into()];
    worker.targets = target.classes.clone();
    worker.branch_slots = target.branch_slots;
    worker.line_slots = target.line_slots;
    worker.allow = allow(config);
    worker
}

/// The worker of the search itself. Who runs again what the search has found keeps the whole limit: there, what is late is lost.
fn search_config(context: &Context<'_>, target: &Target) -> WorkerConfig {
    let mut worker = worker_config(context, target, ProbeMode::Search);
    if let Budget::Time(budget) = context.config.budget {
        worker.candidate_timeout = (budget / BUDGET_RUNS).clamp(LONG_RUN, worker.candidate_timeout);
        worker.least_timeout = LEAST_RUN;
    }
    worker
}

pub(crate) fn allow(config: &Config) -> Allow {
    let crate::config::Allowed { files, processes, sockets } = config.allow;
    Allow { files, sockets, processes }
}

/// Search and symbolic execution of one class.
struct ClassSearch<'a> {
    context: &'a Context<'a>,
    target: &'a Target,
    budget: TimeBudget,
    search: Search,
    /// Mutants as goals; `None` where there are none.
    mutant_search: Option<MutantSearch<'a>>,
    /// When progress was shown last.
    shown: Instant,
    /// Of its time, what symbolic execution may use: between `LEAST_SHARE` and 1.
    share: f64,
    /// Goals that it had brought at the last look.
    gained: u64,
    /// Size of the next batch where time counts.
    batch: usize,
    /// What starting a worker took.
    start: Duration,
    /// What tells how long the compiler took, until it has been heard.
    warm: Option<Arc<OnceLock<Duration>>>,
    searching: Instant,
    mutants: usize,
    /// The second observer: started when the search is about to end.
    standby: Option<ObserverStart>,
    /// For symbolic execution alone: tests of the last batch.
    seeds: Vec<TestCase>,
    /// Lives of a session whose path conditions are not in the trees yet.
    lives: VecDeque<TestCase>,
    /// What a session tells of the class, until it has been heard.
    past: Option<Receiver<Result<CarvedFacts, EngineError>>>,
    existing: Option<ExistingReport>,
    /// What else needs a core starts then; the sender starts the compiler.
    head_start: Option<(Sender<()>, Instant)>,
    /// Candidates of its last turn.
    found: usize,
    /// SymbolicScheduler execution has nothing promising to ask.
    is_spent: bool,
}

impl<'a> ClassSearch<'a> {
    /// `start`: what starting a worker took.
    fn new(
        context: &'a Context<'a>,
        target: &'a Target,
        budget: TimeBudget,
        start: Duration,
        mutant_search: Option<MutantSearch<'a>>,
    ) -> ClassSearch<'a> {
        let goals = Goals::of_classes(&context.program, &target.classes, &target.cluster);
        let config = SearchConfig {
            random_only: matches!(context.config.strategy, Strategy::Random | Strategy::Dse),
            ..SearchConfig::default()
        };
        ClassSearch {
            context,
            target,
            budget,
            search: Search::new(Arc::clone(&context.program), &target.cluster, goals, config, context.config.seed),
            mutants: mutant_search.as_ref().map_or(0, MutantSearch::mutants),
            mutant_search,
            shown: Instant::now(),
            share: 1.0,
            gained: 0,
            batch: FIRST_BATCH,
            start,
            warm: None,
            searching: Instant::now(),
            standby: None,
            seeds: Vec::new(),
            lives: VecDeque::new(),
            past: None,
            existing: None,
            head_start: None,
            found: 0,
            is_spent: false,
        }
    }

    /// Where there is a session of existing tests, it is read while the search begins, and the search goes on with it.
    fn ask_session(&mut self, compiler: Sender<()>) {
        let Some(existing) = &self.context.existing else { return };
        self.past = Some(existing.of(self.target, &self.context.program));
        self.head_start = Some((compiler, Instant::now() + 2 * self.head_start_time()));
    }

    /// Takes in what the session tells, if that is known by now; `wait`: when it is, or on an interrupt.
    fn hear_session(&mut self, wait: bool) -> Result<(), EngineError> {
        let Some(told) = &self.past else { return Ok(()) };
        let past = loop {
            match told.recv_timeout(if wait { INTERRUPT_PAUSE } else { Duration::ZERO }) {
                Ok(past) => break past?,
                Err(RecvTimeoutError::Timeout) if wait && !self.context.interrupt.is_set() => {}
                Err(RecvTimeoutError::Timeout) => return Ok(()),
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(EngineError::Fault("looking through the session panicked".into()));
                }
            }
        };
        self.past = None;
        let (target, context) = (self.target, self.context);
        let mutant_search = self.mutant_search.as_mut();
        let (report, lives) =
            recorded_sessions::begin(past, target, &context.program, &mut self.search, mutant_search, context.config.all);
        self.lives = lives.into();
        self.existing = Some(report);
        // Where time counts, lives have the cores to themselves: they bring most, and at once.
        let time = self.head_start_time();
        if let Some((_, until)) = &mut self.head_start {
            *until = Instant::now() + if self.lives.is_empty() { Duration::ZERO } else { time };
        }
        self.searching = Instant::now();
        self.show(SEARCHING, 0, true);
        Ok(())
    }

    /// Where an earlier state is named, only what changed since then is searched for.
    fn limit_to_changes(&mut self) {
        if let Some(reached) = &self.context.reached {
            reached.limit(self.target, &self.context.program, &mut self.search, self.mutant_search.as_mut());
        }
    }

    fn head_start_time(&self) -> Duration {
        match self.context.config.budget {
            Budget::Time(budget) => HEAD_START.min(budget / 8),
            Budget::Steps(_) => Duration::ZERO,
        }
    }

    /// Still within the head start; the compiler starts where it ends.
    fn is_ahead(&mut self) -> bool {
        let Some((compiler, until)) = &self.head_start else { return false };
        if Instant::now() >= *until {
            let _ = compiler.try_send(());
            self.head_start = None;
        }
        self.head_start.is_some()
    }

    /// Runs candidates until the budget is used up or nothing is left to gain; returns the figures of the symbolic part, if it ran.
    fn explore(&mut self, worker: &mut SearchWorker) -> Result<Option<SymbolicFacts>, EngineError> {
        if !matches!(self.context.config.strategy, Strategy::Hybrid | Strategy::Dse) {
            self.search_loop(worker, &mut Disabled)?;
            return Ok(None);
        }
        let (context, tracer) = (self.context, worker_config(self.context, self.target, ProbeMode::Trace));
        if self.budget.counts_steps() {
            let mut concolic = concolic(context, &self.target.name, tracer, None).map_err(fault)?;
            self.search_loop(worker, &mut Interleaved(&mut concolic))?;
            return Ok(Some(end(context, &self.target.name, &mut concolic)));
        }
        let (deadline, class) = (self.budget.search_deadline(), &self.target.name);
        let stop = StopFlag::default();
        let stopping = StopFlag::clone(&stop);
        std::thread::scope(|scope| {
            let (jobs, job_inbox) = bounded::<SymbolicRequest>(1);
            let (founds, found_inbox) = unbounded();
            let replaying = move || -> Result<Option<SymbolicFacts>, JvmError> {
                // The first job is the sign that there is a core for this.
                let Ok(first) = job_inbox.recv() else { return Ok(None) };
                let mut concolic = concolic(context, class, tracer, Some(QUERY_TIME))?;
                concolic.limit(deadline, StopFlag::clone(&stopping));
                let worked = serve_requests(&mut concolic, std::iter::once(first).chain(&job_inbox), &founds, &stopping);
                let figures = end(context, class, &mut concolic);
                worked?;
                tracing::debug!("symbolic execution has ended");
                Ok(Some(figures))
            };
            let thread =
                std::thread::Builder::new().name("symbolic".into()).stack_size(REPLAY_STACK).spawn_scoped(scope, replaying);
            let thread = thread.map_err(|error| EngineError::Fault(format!("no thread for symbolic execution: {error}")))?;
            let patience = if self.is_dse() { DSE_PATIENCE } else { Duration::ZERO };
            let searched = self.search_loop(worker, &mut Concurrent { jobs: &jobs, found: &found_inbox, waiting: 0, patience });
            tracing::debug!(at = ?self.budget.elapsed(), "the search has ended");
            drop(jobs); // the thread ends with its inbox
            stop.store(true, Ordering::Relaxed);
            let figures = thread.join().map_err(|_| EngineError::Fault("symbolic execution panicked".into()))?;
            searched?;
            match figures {
                Ok(figures) => Ok(figures),
                // The search has gone on without it.
                Err(error) => {
                    context.observer.message(&format!("{}: no symbolic execution: {error}", self.target.name.binary()));
                    Ok(None)
                }
            }
        })
    }

    fn search_loop(&mut self, worker: &mut SearchWorker, symbolic: &mut dyn SymbolicScheduler) -> Result<(), EngineError> {
        let mut in_flight: Option<Vec<TestCase>> = None;
        let mut submitted: Option<Instant> = None;
        self.searching = Instant::now();
        // Where steps are counted, nothing depends on how long reading takes.
        self.hear_session(self.budget.counts_steps())?;
        if self.existing.is_none() {
            self.show(self.phase(), 0, true);
        }
        loop {
            // What the session's tests cover must be known before the search ends.
            self.hear_session(!self.budget.may_search() || self.is_done())?;
            let go_on = self.budget.may_search() && !self.context.interrupt.is_set() && !(self.is_done() && self.hunts_nothing());
            // A search that has seen what it can see goes on for the mutants alone.
            let next = if go_on && !self.is_done() { self.batch() } else { Vec::new() };
            // The worker runs the next batch while the results of the last one are taken in.
            let executions = match &in_flight {
                Some(_) => Some(worker.collect().map_err(fault)?),
                None => None,
            };
            if let Some(begin) = submitted {
                self.adapt(begin.elapsed());
            }
            if !next.is_empty() {
                self.budget.use_steps(next.len() as u64);
                submitted = Some(Instant::now());
                worker.submit(&next, false).map_err(fault)?;
            }
            if let (Some(tests), Some(executions)) = (in_flight.take(), executions) {
                self.search.tell(&tests, &executions);
                if self.is_dse() {
                    self.seeds = seeds(&tests, &executions);
                }
            }
            if !go_on {
                break;
            }
            let idle = next.is_empty();
            self.hunt(idle)?;
            if idle {
                // Nothing more to think of, or mutants alone are left.
                if self.past.is_some() {
                    self.hear_session(true)?;
                } else if self.hunts_nothing() {
                    break;
                }
                continue;
            }
            in_flight = Some(next);
            let turn =
                if self.is_ahead() { StepResult::default() } else { symbolic.step(&mut || self.request()).map_err(fault)? };
            let StepResult { candidates, steps, answered, is_spent } = turn;
            self.budget.use_steps(steps);
            self.weigh_symbolic(answered);
            self.found = candidates.len();
            self.is_spent = is_spent;
            for candidate in candidates {
                // A model may ask for what no Java source can say; such a candidate is simply none.
                let _ = self.search.inject(candidate, Origin::Solver);
            }
            self.show(self.phase(), 0, false);
            if self.budget.search_until().is_some_and(|until| Instant::now() + self.start >= until) {
                self.stand_by();
            }
        }
        Ok(())
    }

    fn phase(&self) -> &'static str {
        if self.past.is_some() { READING } else { SEARCHING }
    }

    fn hunts_nothing(&self) -> bool {
        self.mutant_search.as_ref().is_none_or(MutantSearch::is_idle)
    }

    /// A slice of time for the mutants, when it is due; `now`: there is nothing else to do.
    fn hunt(&mut self, now: bool) -> Result<(), EngineError> {
        let Some(mutant_search) = &mut self.mutant_search else { return Ok(()) };
        if now || mutant_search.is_due(&self.search, &self.budget) {
            let deadline = self.budget.search_deadline();
            let steps = mutant_search.slice(&mut self.search, deadline).map_err(fault)?;
            self.budget.use_steps(steps);
        }
        Ok(())
    }

    /// The JVMs that finishing needs start while the search is still busy with the last batches.
    fn stand_by(&mut self) {
        if self.standby.is_none() {
            if let Some(mutant_search) = &mut self.mutant_search {
                mutant_search.start();
            }
            self.standby = Some(start_observer(self.context, self.target));
        }
    }

    /// The next batch is larger when the last one took less than it may, smaller when it took more.
    fn adapt(&mut self, took: Duration) {
        self.batch = if took > BATCH_TIME { self.batch / 2 } else { self.batch * 2 }.clamp(1, BATCH);
    }

    fn batch(&mut self) -> Vec<TestCase> {
        // SymbolicScheduler execution alone needs a few seeds to start from, and new ones only while it has nothing better; all that it found runs.
        let most = match (self.is_dse(), self.found) {
            (false, _) => BATCH,
            (true, 0) => DSE_BATCH,
            (true, found) => found + if self.is_spent { DSE_BATCH } else { 1 },
        };
        let size = self.budget.steps_left().map_or(self.batch.min(most), |left| left.min(most as u64) as usize);
        self.search.ask(size)
    }

    fn is_dse(&self) -> bool {
        self.context.config.strategy == Strategy::Dse
    }

    fn is_done(&self) -> bool {
        let covered = if self.is_dse() { DSE_IDLE_WHEN_COVERED } else { IDLE_WHEN_COVERED };
        self.search.stagnation() >= if self.search.is_done() { covered } else { IDLE_AT_MOST }
    }

    /// SymbolicScheduler execution is worth as much time as it brings: a job without a gain makes its share smaller, a gain gives it all back.
    fn weigh_symbolic(&mut self, answered: u32) {
        let gained = self.search.gained(Origin::Solver);
        // Alone, it has nobody to leave time to.
        if gained > self.gained || self.is_dse() {
            self.share = 1.0;
        } else {
            for _ in 0..answered {
                self.share = (self.share * SHARE_DECAY).max(LEAST_SHARE);
            }
        }
        self.gained = gained;
    }

    fn request(&mut self) -> SymbolicRequest {
        let goals = self.search.goals();
        let open: BTreeSet<BranchOutcome> = self
            .target
            .slots
            .iter()
            .filter(|(_, slot)| goals.branch_goal(**slot).is_some_and(|goal| !self.search.archive().is_covered(goal)))
            .map(|(site, _)| site.clone())
            .collect();
        let quota = if self.budget.counts_steps() { self.budget.steps_left().unwrap_or(0).min(STEPPED_QUOTA) } else { JOB_QUOTA };
        // Steps are shared by what they are spent on, time by how long is rested.
        let quota = if self.budget.counts_steps() { ((quota as f64 * self.share).ceil() as u64).max(1) } else { quota };
        let start = self.context.start.iter();
        if start.len() > 0 {
            let tests = start.cloned().map(unshared).collect();
            return SymbolicRequest {
                tests,
                seeds: Vec::new(),
                open,
                quota,
                until: self.budget.search_until(),
                share: self.share,
            };
        }
        let mut tests: Vec<TestCase> =
            self.search.interesting_for_solving(JOB_TESTS).into_iter().map(|candidate| candidate.test).collect();
        tests.extend(self.lives.drain(..self.lives.len().min(JOB_LIVES)).map(unshared));
        SymbolicRequest {
            tests,
            seeds: std::mem::take(&mut self.seeds),
            open,
            quota,
            until: self.budget.search_until(),
            share: self.share,
        }
    }

    fn show(&mut self, phase: &'static str, tests: usize, now: bool) {
        if !now && self.shown.elapsed() < PROGRESS_PAUSE {
            return;
        }
        if now {
            tracing::debug!(at = ?self.budget.elapsed(), tests, "{phase}");
        }
        self.shown = Instant::now();
        let progress = self.search.progress();
        if phase == SEARCHING || phase == READING {
            let goals = self.search.goals();
            let needed = self.search.archive().iter().filter(|(goal, _)| goals.is_required(*goal));
            let tests: BTreeSet<u64> = needed.map(|(_, kept)| kept.execution).collect();
            let seconds = self.searching.elapsed().as_secs_f64().max(0.001);
            let rate = progress.executions as f64 / seconds;
            if let Some(&warm) = self.warm.as_ref().and_then(|warm| warm.get()) {
                let mut speed = self.budget.speed();
                speed.observe_compiler_start(warm);
                tracing::debug!(?warm, start = ?self.start, ?speed, "the compiler is warm");
                self.budget.set_speed(speed);
                self.warm = None;
            }
            let mutant_rate = self.mutant_search.as_ref().and_then(MutantSearch::rate);
            self.budget.plan_finish(RemainingWork { tests: tests.len(), mutants: self.mutants, rate, mutant_rate });
        }
        self.context.observer.progress(&Progress {
            class: self.target.name.binary(),
            phase,
            line: covered(progress.lines),
            branch: covered(progress.branches),
            tests,
            executions: progress.executions,
            left: self.budget.left(),
        });
    }
}

/// The tests that came to an end by themselves, each literal a variable of its own.
fn seeds(tests: &[TestCase], executions: &[Execution]) -> Vec<TestCase> {
    let ended = |execution: &Execution| matches!(execution.end, RunEnd::Completed | RunEnd::Threw { .. });
    let ended = tests.iter().zip(executions).filter(|(_, execution)| ended(execution));
    ended.map(|(test, _)| unshared(test.clone())).collect()
}

/// Each literal a variable of its own.
fn unshared(mut test: TestCase) -> TestCase {
    test.unshare_literals(2 * SearchConfig::default().max_statements);
    test
}

/// For each method under test whether a test calls it, and why not.
fn methods(target: &Target, tests: &[&TestCase], search: &Search) -> Vec<MethodReport> {
    let called: BTreeSet<&MethodRef> = tests
        .iter()
        .flat_map(|test| &test.statements)
        .filter_map(|statement| match &statement.kind {
            StatementKind::Construct { constructor, .. } => Some(constructor),
            StatementKind::Call { method, .. } => Some(method),
            _ => None,
        })
        .collect();
    let cluster = &target.cluster;
    cluster
        .under_test
        .iter()
        .take(cluster.own)
        .map(|id| {
            let callable = cluster.callable(*id);
            let tested = called.contains(&callable.method);
            MethodReport {
                name: callable.method.name.to_string(),
                descriptor: callable.method.descriptor.to_string(),
                outcome: if tested { MethodOutcome::Tested } else { MethodOutcome::Untested },
                reason: (!tested).then(|| why_untested(&callable.method, search, cluster)),
            }
        })
        .collect()
}

fn why_untested(method: &MethodRef, search: &Search, cluster: &Cluster) -> String {
    if let Some(why) = search.why_spoilt(method) {
        let kinds: Vec<String> = why.iter().map(|(kind, runs)| format!("{runs} runs ended in it: {kind}")).collect();
        return kinds.join("; ");
    }
    let missing = method.parameters().into_iter().find_map(|ty| {
        cluster
            .unbuildable()
            .find(|(unbuildable, _)| **unbuildable == ty)
            .map(|(ty, reason)| format!("no {ty} can be built: {reason}"))
    });
    missing.unwrap_or_else(|| "no passing test was found".into())
}

fn why_nothing(search: &Search) -> String {
    let progress = search.progress();
    match progress.discarded.iter().max_by_key(|(_, count)| **count) {
        Some((reason, count)) => {
            format!("no sequence could become a test; {count} of {} ended so: {reason}", progress.executions)
        }
        None => "no sequence of calls reached it".into(),
    }
}

pub(crate) fn covered((covered, total): (usize, usize)) -> Covered {
    Covered { covered, total }
}
