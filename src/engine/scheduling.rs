//! When symbolic execution works: never, in turns with the search, or in a thread of its own.
//!
//! Flows in: requests of the search. Flows out: candidates and counts. Must not know which tests a
//! request holds.

use super::concolic::Concolic;
use super::context::{Context, EarlierVersion};
use super::impact::ImpactedMethods;
use super::shadow::Shadow;
use super::stored_trees::StoredTrees;
use super::symbolic_request::{SymbolicFacts, SymbolicRequest, SymbolicResponse};
use crate::config::Order;
use crate::files;
use crate::jvm::{JvmError, TraceWorker, WorkerConfig};
use crate::program::{ClassName, Program};
use crate::select::{CoverageFirst, DepthFirst, Fifo, Guided, Knn, KnnConfig, Selector, Training};
use crate::solve::{self, Limits, ProcessLimits, ProcessSolver, Solver};
use crate::symbolic::StopFlag;
use crate::testcase::TestCase;
use crate::tree::TreeLimits;
use crossbeam_channel::{Receiver, Sender};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

/// The thread of symbolic execution rests this long where a request gave it nothing to do.
const IDLE_PAUSE: Duration = Duration::from_millis(5);
/// Resource limit of one query (Z3's `rlimit`), about a quarter of a second.
const QUERY_RESOURCES: u32 = 1_000_000;
/// Time limit of one query where time counts. On an idle machine the resource limit is reached
/// first.
pub(super) const QUERY_TIME: Duration = Duration::from_millis(700);
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
        // What a request holds is not asked again: none is made that cannot be sent.
        let has_room = self.unanswered < MOST_UNANSWERED && !self.requests.is_full();
        if has_room && self.requests.try_send(request()).is_ok() {
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

/// Everything that symbolic execution of one class starts from. It owns all of it, so that a thread
/// that is late can be left behind.
pub(super) struct SymbolicSetup {
    program: Arc<Program>,
    class: ClassName,
    tracer: WorkerConfig,
    /// Wall-clock limit of a query; `None` where only its resource limit may count, because steps
    /// are counted.
    query_time: Option<Duration>,
    /// The program that is a solver process as well.
    solver: PathBuf,
    order: Order,
    seed: u64,
    training: Training,
    queries: Option<PathBuf>,
    attempts: Option<PathBuf>,
    session: Option<PathBuf>,
    last_call_only: bool,
    describes_trees: bool,
    earlier: Option<EarlierSetup>,
}

/// What runs of the earlier version start from.
struct EarlierSetup {
    program: Arc<Program>,
    tracer: WorkerConfig,
    /// The methods that the change reaches.
    impacted: ImpactedMethods,
}

impl SymbolicSetup {
    /// The setup of a class, with the configuration of its trace worker.
    pub(super) fn new(
        context: &Context<'_>,
        class: &ClassName,
        tracer: WorkerConfig,
        query_time: Option<Duration>,
    ) -> SymbolicSetup {
        let config = context.config;
        SymbolicSetup {
            program: Arc::clone(&context.program),
            class: class.clone(),
            tracer,
            query_time,
            solver: context.installation.program.clone(),
            order: config.order,
            seed: config.seed,
            training: context.training.training(),
            queries: config.queries.clone(),
            attempts: config.attempts.clone(),
            session: config.session.first().cloned(),
            last_call_only: context.start.is_some(),
            describes_trees: context.describes_trees,
            earlier: None,
        }
    }

    /// Compares with the earlier version, where there is one. `tracer`: its trace worker.
    pub(super) fn comparing(
        mut self,
        context: &Context<'_>,
        tracer: impl FnOnce(&EarlierVersion) -> WorkerConfig,
    ) -> SymbolicSetup {
        if let (Some(earlier), Some(impacted)) = (&context.earlier, &context.impacted) {
            let (program, impacted) = (Arc::clone(&earlier.program), impacted.clone());
            self.earlier = Some(EarlierSetup { program, tracer: tracer(earlier), impacted });
        }
        self
    }

    /// The setup for `--path`. Trees and training are not kept, and alternatives come in the order of the runs.
    pub(super) fn for_paths(self) -> SymbolicSetup {
        SymbolicSetup { order: Order::Fifo, training: Training::default(), session: None, last_call_only: false, ..self }
    }

    /// Starts the trace worker and the solver.
    ///
    /// Fails where the trace worker does not start.
    pub(super) fn start(&self) -> Result<Concolic<'_>, JvmError> {
        let limits = Limits { wall: self.query_time, resources: QUERY_RESOURCES, ..Limits::default() };
        let process = ProcessSolver::new(&self.solver, ProcessLimits::default());
        let mut selector = new_selector(self.order, self.seed);
        selector.load_training(&self.training);
        let mut solver: Box<dyn Solver> = Box::new(solve::standard(process));
        let mut messages = Vec::new();
        let mut open_log = |path: Option<&Path>, what: &str| {
            let path = path?;
            let mut report_error =
                |error: &std::io::Error| messages.push(format!("no {what} are written down: {}: {error}", path.display()));
            files::open_for_appending(path).inspect_err(&mut report_error).ok()
        };
        if let Some(sink) = open_log(self.queries.as_deref(), "queries") {
            solver = Box::new(solve::Log::new(solver, Some(sink)));
        }
        let attempts = open_log(self.attempts.as_deref(), "attempts");
        let worker = TraceWorker::start(self.tracer.clone())?;
        let mut concolic = Concolic::new(worker, &self.program, selector, solver, limits);
        concolic.limit_trees(tree_limits(self.order), self.last_call_only);
        if let Some(sink) = attempts {
            concolic.log_attempts(sink);
        }
        // What was found earlier counts for today's version alone: each path has to be compared.
        if let Some(session) = self.session.as_ref().filter(|_| self.earlier.is_none()) {
            let (stored, sentences) = StoredTrees::open(session, &self.class, &self.program);
            messages.extend(sentences);
            concolic.resume(stored);
        }
        concolic.keep_messages(messages);
        if let Some(EarlierSetup { program, tracer, impacted }) = &self.earlier {
            concolic.compare_with(Shadow::new(TraceWorker::start(tracer.clone())?, program, impacted));
        }
        Ok(concolic)
    }

    /// Stores the trees in the session, where there is one, and gives the facts for the report. A
    /// failure to store is a message.
    pub(super) fn end(&self, concolic: &mut Concolic<'_>) -> SymbolicFacts {
        let stored = concolic.store_trees();
        let trees = match self.describes_trees {
            true => concolic.describe_trees(&self.program, &self.class),
            false => concolic.describe_plainest_trees(&self.program, &self.class),
        };
        let mut facts = SymbolicFacts {
            trees,
            exhausted: concolic.exhausted_methods(&self.program),
            equal: concolic.equal_methods(&self.program),
            ..concolic.facts()
        };
        facts.messages.extend(stored.err());
        facts
    }
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

    #[test]
    fn no_request_is_made_that_cannot_be_sent() {
        let (requests, _request_inbox) = bounded(1);
        let (_responses, response_inbox) = unbounded();
        let mut scheduler = Concurrent::new(&requests, &response_inbox, Duration::ZERO);
        let mut made = 0;
        for _ in 0..3 {
            let mut request = || {
                made += 1;
                SymbolicRequest::default()
            };
            scheduler.step(&mut request).expect("no worker is involved");
        }
        assert_eq!(made, 1, "the inbox has room for one");
    }
}
