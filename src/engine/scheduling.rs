//! How symbolic execution takes its turns: not at all, in turn with the search, or beside it in a thread of its own. In: jobs; out: what was found.

use super::Context;
use super::concolic::{Concolic, SymbolicFacts, SymbolicRequest, SymbolicResponse};
use super::stored_trees::StoredTrees;
use crate::config::Order;
use crate::files;
use crate::jvm::{JvmError, TraceWorker, WorkerConfig};
use crate::program::ClassName;
use crate::select::{CoverageFirst, DepthFirst, Fifo, Guided, Knn, KnnConfig, Selector};
use crate::solve::{self, Limits, ProcessLimits, ProcessSolver, Solver};
use crate::symbolic::StopFlag;
use crate::testcase::TestCase;
use crate::tree::TreeLimits;
use crossbeam_channel::{Receiver, Sender};
use std::path::PathBuf;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

const NOTHING_TO_DO: Duration = Duration::from_millis(5);
/// Resources of one query (`rlimit`): about a quarter of a second.
const QUERY_RESOURCES: u32 = 1_000_000;

/// How symbolic execution takes its turns.
pub(crate) trait SymbolicScheduler {
    fn step(&mut self, job: &mut dyn FnMut() -> SymbolicRequest) -> Result<StepResult, JvmError>;
}

/// What has come since the last turn.
#[derive(Default)]
pub(crate) struct StepResult {
    pub(crate) candidates: Vec<TestCase>,
    /// Runs and queries that were made.
    pub(crate) steps: u64,
    /// Jobs answered that had something to do.
    pub(crate) answered: u32,
    /// The last of them left nothing promising to ask.
    pub(crate) is_spent: bool,
}

impl StepResult {
    fn add(&mut self, found: SymbolicResponse) {
        self.answered += u32::from(found.steps > 0);
        self.steps += found.steps;
        self.is_spent = found.is_spent;
        self.candidates.extend(found.candidates);
    }
}

pub(crate) struct Disabled;

impl SymbolicScheduler for Disabled {
    fn step(&mut self, _job: &mut dyn FnMut() -> SymbolicRequest) -> Result<StepResult, JvmError> {
        Ok(StepResult::default())
    }
}

/// In turn with the search: results come in the order of issue, so that steps decide everything.
pub(crate) struct Interleaved<'a, 'p>(pub(crate) &'a mut Concolic<'p>);

impl SymbolicScheduler for Interleaved<'_, '_> {
    fn step(&mut self, job: &mut dyn FnMut() -> SymbolicRequest) -> Result<StepResult, JvmError> {
        let mut turn = StepResult::default();
        turn.add(self.0.serve(&job())?);
        Ok(turn)
    }
}

/// In a thread of its own, as fast as it can.
pub(crate) struct Concurrent<'a> {
    pub(crate) jobs: &'a Sender<SymbolicRequest>,
    pub(crate) found: &'a Receiver<SymbolicResponse>,
    /// Jobs sent and not answered.
    pub(crate) waiting: u32,
    /// How long an answer is waited for.
    pub(crate) patience: Duration,
}

impl SymbolicScheduler for Concurrent<'_> {
    fn step(&mut self, job: &mut dyn FnMut() -> SymbolicRequest) -> Result<StepResult, JvmError> {
        let mut turn = StepResult::default();
        let mut patience = if self.waiting > 0 { self.patience } else { Duration::ZERO };
        while let Ok(found) = self.found.recv_timeout(patience) {
            patience = Duration::ZERO;
            self.waiting -= 1;
            turn.add(found);
        }
        if self.waiting < 2 && self.jobs.try_send(job()).is_ok() {
            self.waiting += 1;
        }
        Ok(turn)
    }
}

/// Answers jobs until there are no more.
pub(crate) fn serve_requests(
    concolic: &mut Concolic<'_>,
    jobs: impl Iterator<Item = SymbolicRequest>,
    founds: &Sender<SymbolicResponse>,
    stop: &StopFlag,
) -> Result<(), JvmError> {
    for job in jobs {
        let begin = Instant::now();
        let found = concolic.serve(&job)?;
        let nothing = found.steps == 0;
        if founds.send(found).is_err() {
            break;
        }
        // The core is left to the search: for a moment where there was nothing to do, else as long as the share says.
        let rest = if nothing { NOTHING_TO_DO } else { begin.elapsed().mul_f64(1.0 / job.share - 1.0) };
        let until = job.until.map_or(rest, |until| until.saturating_duration_since(Instant::now()));
        let over = Instant::now() + rest.min(until);
        while Instant::now() < over && !stop.load(Ordering::Relaxed) {
            std::thread::sleep(NOTHING_TO_DO);
        }
    }
    Ok(())
}

/// `time`: wall-clock limit of a query; `None` where only resources may count.
pub(crate) fn concolic<'p>(
    context: &'p Context<'_>,
    class: &ClassName,
    tracer: WorkerConfig,
    time: Option<Duration>,
) -> Result<Concolic<'p>, JvmError> {
    let limits = Limits { wall: time, resources: QUERY_RESOURCES, ..Limits::default() };
    let solver = ProcessSolver::new(&context.installation.program, ProcessLimits::default());
    let config = context.config;
    let mut selector: Box<dyn Selector> = match config.order {
        Order::Fifo => Box::new(Fifo::default()),
        Order::DepthFirst => Box::new(DepthFirst::default()),
        Order::CoverageFirst => Box::new(CoverageFirst::default()),
        Order::Knn => Box::new(Knn::new(config.seed, KnnConfig::default())),
        Order::KnnIndices => Box::new(Knn::new(config.seed, KnnConfig { indices: true, ..KnnConfig::default() })),
        Order::Guided => Box::new(Guided::default()),
    };
    selector.recall(&context.lessons.training());
    let mut stack: Box<dyn Solver> = Box::new(solve::standard(solver));
    let sink = |path: &Option<PathBuf>, what: &str| {
        let path = path.as_ref()?;
        files::open_for_appending(path)
            .inspect_err(|error| context.observer.message(&format!("no {what} are written down: {}: {error}", path.display())))
            .ok()
    };
    if let Some(sink) = sink(&config.queries, "queries") {
        stack = Box::new(solve::Log::new(stack, Some(sink)));
    }
    let mut concolic = Concolic::new(TraceWorker::start(tracer)?, &context.program, selector, stack, limits);
    // How often one question is worth asking is a part of an order: the ones that others have described ask all.
    let per_site = match config.order {
        Order::Fifo | Order::DepthFirst | Order::Knn | Order::KnnIndices => usize::MAX,
        Order::CoverageFirst | Order::Guided => TreeLimits::default().per_site,
    };
    concolic.limit_trees(TreeLimits { per_site, ..TreeLimits::default() }, context.start.is_some());
    if let Some(sink) = sink(&config.attempts, "attempts") {
        concolic.write_attempts(sink);
    }
    if let Some(session) = config.session.first() {
        let (kept, sentences) = StoredTrees::open(session, class, &context.program);
        sentences.iter().for_each(|sentence| context.observer.message(sentence));
        concolic.resume(kept);
    }
    Ok(concolic)
}

/// Writes down for the session what stands at the end, and says what was done.
pub(crate) fn end(context: &Context<'_>, class: &ClassName, concolic: &mut Concolic<'_>) -> SymbolicFacts {
    if let Err(sentence) = concolic.store_trees() {
        context.observer.message(&sentence);
    }
    let trees = if context.explains { concolic.explained(&context.program, class) } else { Vec::new() };
    SymbolicFacts { trees, ..concolic.figures() }
}
