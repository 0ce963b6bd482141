//! When symbolic execution works: never, in turns with the search, or in a thread of its own.
//!
//! Flows in: requests of the search. Flows out: candidates and counts. Must not know which tests a
//! request holds.

use super::concolic::{Concolic, SymbolicFacts, SymbolicRequest, SymbolicResponse};
use super::context::Context;
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
use std::path::Path;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

/// The thread of symbolic execution rests this long where a request gave it nothing to do.
const IDLE_PAUSE: Duration = Duration::from_millis(5);
/// Resource limit of one query (Z3's `rlimit`), about a quarter of a second.
const QUERY_RESOURCES: u32 = 1_000_000;
/// Requests that may be unanswered at a time.
const MOST_UNANSWERED: u32 = 2;

/// Decides when symbolic execution serves requests.
pub(super) trait SymbolicScheduler {
    /// Gives what was found since the last step. `request` makes the next request; it is called
    /// once at most.
    ///
    /// Fails where the trace worker cannot be kept running.
    fn step(&mut self, request: &mut dyn FnMut() -> SymbolicRequest) -> Result<StepResult, JvmError>;
}

/// What was found since the last step.
#[derive(Debug, Default)]
pub(super) struct StepResult {
    pub(super) candidates: Vec<TestCase>,
    /// Executions and queries that were made.
    pub(super) steps: u64,
    /// Responses to requests that gave something to do.
    pub(super) responses: u32,
    /// The last response left no promising alternative.
    pub(super) is_spent: bool,
}

impl StepResult {
    fn add(&mut self, response: SymbolicResponse) {
        self.responses += u32::from(response.steps > 0);
        self.steps += response.steps;
        self.is_spent = response.is_spent;
        self.candidates.extend(response.candidates);
    }
}

/// No symbolic execution.
pub(super) struct Disabled;

impl SymbolicScheduler for Disabled {
    fn step(&mut self, _request: &mut dyn FnMut() -> SymbolicRequest) -> Result<StepResult, JvmError> {
        Ok(StepResult::default())
    }
}

/// In turns with the search: each step serves one request, so that results do not depend on time.
pub(super) struct Interleaved<'a, 'p>(pub(super) &'a mut Concolic<'p>);

impl SymbolicScheduler for Interleaved<'_, '_> {
    fn step(&mut self, request: &mut dyn FnMut() -> SymbolicRequest) -> Result<StepResult, JvmError> {
        let mut result = StepResult::default();
        result.add(self.0.serve(&request())?);
        Ok(result)
    }
}

/// In a thread of its own, which [`serve_requests`] runs.
pub(super) struct Concurrent<'a> {
    requests: &'a Sender<SymbolicRequest>,
    responses: &'a Receiver<SymbolicResponse>,
    unanswered: u32,
    /// How long a step waits for a response where a request is unanswered.
    response_wait: Duration,
}

impl<'a> Concurrent<'a> {
    /// Symbolic execution behind two channels. A step waits at most `response_wait` for a response.
    pub(super) fn new(
        requests: &'a Sender<SymbolicRequest>,
        responses: &'a Receiver<SymbolicResponse>,
        response_wait: Duration,
    ) -> Concurrent<'a> {
        Concurrent { requests, responses, unanswered: 0, response_wait }
    }
}

impl SymbolicScheduler for Concurrent<'_> {
    fn step(&mut self, request: &mut dyn FnMut() -> SymbolicRequest) -> Result<StepResult, JvmError> {
        let mut result = StepResult::default();
        let mut wait = if self.unanswered > 0 { self.response_wait } else { Duration::ZERO };
        while let Ok(response) = self.responses.recv_timeout(wait) {
            wait = Duration::ZERO;
            self.unanswered -= 1;
            result.add(response);
        }
        if self.unanswered < MOST_UNANSWERED && self.requests.try_send(request()).is_ok() {
            self.unanswered += 1;
        }
        Ok(result)
    }
}

/// Serves requests until there are no more. Between two requests the thread rests as the share of
/// the request says, and not at all once `stop` is set. Fails where the trace worker cannot be kept
/// running.
pub(super) fn serve_requests(
    concolic: &mut Concolic<'_>,
    requests: impl Iterator<Item = SymbolicRequest>,
    responses: &Sender<SymbolicResponse>,
    stop: &StopFlag,
) -> Result<(), JvmError> {
    for request in requests {
        let begin = Instant::now();
        let response = concolic.serve(&request)?;
        let was_idle = response.steps == 0;
        if responses.send(response).is_err() {
            break;
        }
        let rest = if was_idle { IDLE_PAUSE } else { begin.elapsed().mul_f64(1.0 / request.share - 1.0) };
        let left = request.until.map_or(rest, |until| until.saturating_duration_since(Instant::now()));
        let end = Instant::now() + rest.min(left);
        while Instant::now() < end && !stop.load(Ordering::Relaxed) {
            std::thread::sleep(IDLE_PAUSE);
        }
    }
    Ok(())
}

/// Starts the trace worker and the solver of a class. `query_time` is the wall-clock limit of a
/// query; `None` where only its resource limit may count, because steps are counted.
///
/// Fails where the trace worker does not start.
pub(super) fn start_symbolic_execution<'p>(
    context: &'p Context<'_>,
    class: &ClassName,
    tracer: WorkerConfig,
    query_time: Option<Duration>,
) -> Result<Concolic<'p>, JvmError> {
    let config = context.config;
    let limits = Limits { wall: query_time, resources: QUERY_RESOURCES, ..Limits::default() };
    let process = ProcessSolver::new(&context.installation.program, ProcessLimits::default());
    let mut selector = new_selector(config.order, config.seed);
    selector.load_training(&context.training.training());
    let mut solver: Box<dyn Solver> = Box::new(solve::standard(process));
    let open_log = |path: &Path, what: &str| {
        let report_error = |error: &std::io::Error| {
            context.observer.message(&format!("no {what} are written down: {}: {error}", path.display()));
        };
        files::open_for_appending(path).inspect_err(report_error).ok()
    };
    if let Some(sink) = config.queries.as_deref().and_then(|path| open_log(path, "queries")) {
        solver = Box::new(solve::Log::new(solver, Some(sink)));
    }
    let mut concolic = Concolic::new(TraceWorker::start(tracer)?, &context.program, selector, solver, limits);
    concolic.limit_trees(tree_limits(config.order), context.start.is_some());
    if let Some(sink) = config.attempts.as_deref().and_then(|path| open_log(path, "attempts")) {
        concolic.log_attempts(sink);
    }
    if let Some(session) = config.session.first() {
        let (stored, sentences) = StoredTrees::open(session, class, &context.program);
        sentences.iter().for_each(|sentence| context.observer.message(sentence));
        concolic.resume(stored);
    }
    Ok(concolic)
}

fn new_selector(order: Order, seed: u64) -> Box<dyn Selector> {
    match order {
        Order::Fifo => Box::new(Fifo::default()),
        Order::DepthFirst => Box::new(DepthFirst::default()),
        Order::CoverageFirst => Box::new(CoverageFirst::default()),
        Order::Knn => Box::new(Knn::new(seed, KnnConfig::default())),
        Order::KnnIndices => Box::new(Knn::new(seed, KnnConfig { indices: true, ..KnnConfig::default() })),
        Order::Guided => Box::new(Guided::default()),
    }
}

/// The orders of other tools attempt every alternative of a site; ours limit how often one site is
/// attempted.
fn tree_limits(order: Order) -> TreeLimits {
    let defaults = TreeLimits::default();
    let per_site = match order {
        Order::Fifo | Order::DepthFirst | Order::Knn | Order::KnnIndices => usize::MAX,
        Order::CoverageFirst | Order::Guided => defaults.per_site,
    };
    TreeLimits { per_site, ..defaults }
}

/// Stores the trees in the session, where there is one, and gives the facts for the report. A
/// failure to store is a message.
pub(super) fn end_symbolic_execution(context: &Context<'_>, class: &ClassName, concolic: &mut Concolic<'_>) -> SymbolicFacts {
    if let Err(sentence) = concolic.store_trees() {
        context.observer.message(&sentence);
    }
    let trees = if context.describes_trees { concolic.describe_trees(&context.program, class) } else { Vec::new() };
    SymbolicFacts { trees, ..concolic.facts() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crossbeam_channel::{bounded, unbounded};

    #[test]
    fn concurrent_steps_collect_responses_and_send_one_request_each() {
        let (requests, request_inbox) = bounded(8);
        let (responses, response_inbox) = unbounded();
        let mut scheduler = Concurrent::new(&requests, &response_inbox, Duration::ZERO);
        for _ in 0..3 {
            scheduler.step(&mut SymbolicRequest::default).expect("no worker is involved");
        }
        assert_eq!(request_inbox.len(), MOST_UNANSWERED as usize, "the third step waits for an answer");
        for (steps, is_spent) in [(3, false), (0, true)] {
            responses.send(SymbolicResponse { steps, is_spent, ..SymbolicResponse::default() }).expect("an inbox");
        }
        let result = scheduler.step(&mut SymbolicRequest::default).expect("no worker is involved");
        assert_eq!((result.steps, result.responses, result.is_spent), (3, 1, true));
    }
}
