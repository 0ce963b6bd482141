//! Symbolic execution of one class in a thread of its own, and its end.
//!
//! Flows in: the setup, and requests of the search. Flows out: responses, and facts for the report.
//! Must not know what a request holds. A replay or a query may go on after the search has ended:
//! nothing waits for it longer than the report does. A thread that is late is left behind, and its
//! facts are missing.

use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, Sender, bounded, unbounded};

use super::background::{Background, NoResult};
use super::context::Context;
use super::scheduling::{Concurrent, SymbolicSetup, serve_requests};
use super::symbolic_request::{SymbolicFacts, SymbolicRequest, SymbolicResponse};
use crate::jvm::JvmError;
use crate::program::ClassName;
use crate::symbolic::StopFlag;

/// Stack of the thread, in bytes: terms are as deep as the loops that made them.
pub(super) const REPLAY_STACK: usize = 256 << 20;

/// `None`: there was no request.
type ThreadResult = Result<Option<SymbolicFacts>, JvmError>;

/// Symbolic execution that serves requests beside the search.
pub(super) struct SymbolicThread {
    requests: Sender<SymbolicRequest>,
    responses: Receiver<SymbolicResponse>,
    stop: StopFlag,
    work: Background<ThreadResult>,
}

impl SymbolicThread {
    /// Starts the thread. Its JVM starts with the first request: until then the search needs the
    /// cores. Recordings end at the deadline.
    pub(super) fn start(setup: SymbolicSetup, deadline: Option<Instant>) -> SymbolicThread {
        let (requests, request_inbox) = bounded::<SymbolicRequest>(1);
        let (responses, response_inbox) = unbounded();
        let stop = StopFlag::default();
        let stopping = StopFlag::clone(&stop);
        let work = Background::start_with_stack("symbolic execution", Some(REPLAY_STACK), move || -> ThreadResult {
            let Ok(first) = request_inbox.recv() else { return Ok(None) };
            let mut concolic = setup.start()?;
            concolic.limit(deadline, StopFlag::clone(&stopping));
            let requests = std::iter::once(first).chain(&request_inbox);
            let served = serve_requests(&mut concolic, requests, &responses, &stopping);
            let facts = setup.end(&mut concolic);
            served?;
            tracing::debug!("symbolic execution has ended");
            Ok(Some(facts))
        });
        SymbolicThread { requests, responses: response_inbox, stop, work }
    }

    /// The scheduler of the search. A step waits at most `response_wait` for a response.
    pub(super) fn scheduler(&self, response_wait: Duration) -> Concurrent<'_> {
        Concurrent::new(&self.requests, &self.responses, response_wait)
    }

    /// Asks the thread to end, and does not wait for it.
    pub(super) fn stop(self) -> SymbolicOutcome {
        self.stop.store(true, Ordering::Relaxed);
        // The thread ends with its inbox.
        SymbolicOutcome::Ending(self.work)
    }
}

/// What symbolic execution of a class leaves.
pub(super) enum SymbolicOutcome {
    /// The strategy has no symbolic execution.
    Unused,
    /// It ran in turns with the search.
    Done(Box<SymbolicFacts>),
    /// Its thread was asked to end.
    Ending(Background<ThreadResult>),
}

impl SymbolicOutcome {
    /// The facts; waits for them until the deadline. `None` where symbolic execution did not run or
    /// has no facts; the observer gets the reason.
    pub(super) fn facts(self, context: &Context<'_>, class: &ClassName, deadline: Option<Instant>) -> Option<SymbolicFacts> {
        let facts = match self {
            SymbolicOutcome::Unused => None,
            SymbolicOutcome::Done(facts) => Some(*facts),
            SymbolicOutcome::Ending(work) => {
                let result = work.wait(deadline).map(|(result, _)| result);
                let missing = match &result {
                    Ok(Err(error)) => Some(format!("no symbolic execution: {error}")),
                    Err(NoResult::Late) => Some("symbolic execution has not ended yet: its figures are missing".to_owned()),
                    Err(missing @ NoResult::Gone) => Some(format!("no symbolic execution: {}", work.error(*missing))),
                    Ok(Ok(_)) => None,
                };
                if let Some(missing) = missing {
                    context.observer.message(&format!("{}: {missing}", class.binary()));
                }
                result.ok().and_then(Result::ok).flatten()
            }
        };
        if let Some(facts) = &facts {
            facts.messages.iter().for_each(|sentence| context.observer.message(sentence));
        }
        facts
    }
}
