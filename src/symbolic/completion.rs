//! How operations of the replay end: completions of calls, ends of the path, failed attempts. Data
//! only; every stage of the replay returns it. Must not know the state of a replay.

use super::data::values::{ObjectId, Slot};
use super::outcome::PathEnd;
use super::reason::UnsupportedReason;

/// How a call completed (JVMS §2.6.4, §2.6.5).
#[derive(Clone, Copy, Debug)]
pub(crate) enum Completion {
    /// The result in one slot; zero for void.
    Returned(Slot),
    Threw(ObjectId),
}

/// Why the interpreter stops.
#[derive(Clone, Debug)]
pub(crate) enum Stop {
    /// The path ends.
    End(PathEnd),
    /// An attempt to interpret a call fails; the call's result is taken from the recording.
    Abort(Abort),
}

/// A failed attempt to interpret a call.
#[derive(Clone, Debug)]
pub(crate) struct Abort {
    pub(crate) reason: UnsupportedReason,
    /// Whether every attempt would fail for this reason.
    pub(crate) lasting: bool,
}

/// The result of an interpreter operation; the error stops the path or the attempt.
pub(crate) type InterpResult<T> = Result<T, Stop>;

impl Stop {
    /// A failed attempt; another attempt may succeed.
    pub(crate) fn abort(reason: UnsupportedReason) -> Stop {
        Stop::Abort(Abort { reason, lasting: false })
    }

    /// A failed attempt; every attempt would fail for this reason.
    pub(crate) fn lasting_abort(reason: UnsupportedReason) -> Stop {
        Stop::Abort(Abort { reason, lasting: true })
    }

    /// The end of the path at a limit.
    pub(crate) fn budget(what: &str) -> Stop {
        Stop::End(PathEnd::Budget { what: what.into() })
    }

    /// The end at a limit. Inside a checkpoint only the attempt fails, since interpreted code may
    /// have reached the limit.
    pub(crate) fn limit(what: &'static str, is_in_checkpoint: bool) -> Stop {
        if is_in_checkpoint { Stop::abort(UnsupportedReason::Limit(what)) } else { Stop::budget(what) }
    }

    /// The end at an unsupported operation; in interpreted code only the attempt fails.
    pub(crate) fn unsupported(reason: UnsupportedReason, is_interpreting: bool) -> Stop {
        if is_interpreting {
            return Stop::abort(reason);
        }
        Stop::End(PathEnd::Unsupported { reason: reason.key().into_owned() })
    }
}
