//! Work in a thread of its own, whose result is waited for until a deadline.
//!
//! Flows in: a closure. Flows out: its result, or the fact that it is late. Must not know what the
//! work is. A thread that is late is left behind: its result is dropped when it comes, which ends
//! the JVM that it holds.

use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, RecvTimeoutError, bounded};

use crate::jvm::JvmError;

/// Work that runs beside the engine.
#[derive(Debug)]
pub(super) struct Background<T> {
    result: Receiver<(T, Duration)>,
    /// `None` where no thread could be started.
    thread: Option<JoinHandle<()>>,
    /// What the work is, for the message about a panic.
    what: &'static str,
}

/// Why there is no result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NoResult {
    /// The deadline came first. The result may be waited for again.
    Late,
    /// The work panicked, or its result has been taken.
    Gone,
}

impl<T: Send + 'static> Background<T> {
    /// Begins the work; `what` names it.
    pub(super) fn start(what: &'static str, work: impl FnOnce() -> T + Send + 'static) -> Background<T> {
        Background::start_with_stack(what, None, work)
    }

    /// As [`Background::start`], with a stack of so many bytes. Where there is no thread, the work
    /// counts as panicked.
    pub(super) fn start_with_stack(
        what: &'static str,
        stack: Option<usize>,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Background<T> {
        let (sender, result) = bounded(1);
        let thread = std::thread::Builder::new().name(what.into());
        let thread = if let Some(stack) = stack { thread.stack_size(stack) } else { thread };
        let started = thread.spawn(move || {
            let begin = Instant::now();
            let done = work();
            let _ = sender.send((done, begin.elapsed()));
        });
        let thread = started.inspect_err(|error| tracing::warn!("no thread for {what}: {error}")).ok();
        Background { result, thread, what }
    }

    /// Whether [`Background::wait`] returns at once.
    pub(super) fn is_finished(&self) -> bool {
        !self.result.is_empty() || self.thread.as_ref().is_none_or(JoinHandle::is_finished)
    }

    /// The result and the time that the work took; waits until the deadline where there is one.
    pub(super) fn wait(&self, deadline: Option<Instant>) -> Result<(T, Duration), NoResult> {
        match deadline {
            None => self.result.recv().map_err(|_| NoResult::Gone),
            Some(deadline) => self.result.recv_deadline(deadline).map_err(|error| match error {
                RecvTimeoutError::Timeout => NoResult::Late,
                RecvTimeoutError::Disconnected => NoResult::Gone,
            }),
        }
    }

    /// The error of a start without a result.
    pub(super) fn error(&self, missing: NoResult) -> JvmError {
        match missing {
            NoResult::Late => JvmError::Late,
            NoResult::Gone => JvmError::Start(format!("{} panicked", self.what)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_late_result_can_be_waited_for_again() {
        let (go, signal) = bounded::<u32>(1);
        let work = Background::start("work", move || signal.recv().unwrap_or_default());
        assert!(!work.is_finished());
        assert_eq!(work.wait(Some(Instant::now())), Err(NoResult::Late));
        go.send(7).expect("the work waits");
        assert_eq!(work.wait(None).map(|(result, _)| result), Ok(7));
        assert_eq!(work.wait(None), Err(NoResult::Gone));
    }

    #[test]
    fn work_that_panics_has_no_result() {
        let work: Background<u32> = Background::start("work that panics", || panic!("as wanted"));
        assert_eq!(work.wait(None), Err(NoResult::Gone));
        assert!(work.error(NoResult::Gone).to_string().contains("work that panics panicked"));
    }
}
