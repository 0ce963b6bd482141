//! The outcome of one replay: the path condition, how the path ended, and counts of everything that
//! was not computed.

use std::collections::BTreeMap;

use crate::expr::TermId;
use crate::path::PathCondition;
use crate::program::{ClassName, MethodRef};
use crate::structure::Structure;

/// How the replay of one run ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PathEnd {
    /// Every statement of the test case completed.
    Returned,
    /// A statement threw; it is the test case's last.
    Threw {
        /// The class of the exception.
        class: ClassName,
    },
    /// The replay cannot follow the run any further. The path up to there is valid.
    Unsupported {
        /// The reason as reports show it.
        reason: String,
    },
    /// The run or the replay reached a limit. The path up to there is valid.
    Budget {
        /// The limit as reports show it.
        what: String,
    },
    /// Another thread stopped the replay. The path up to there is valid; the counts are incomplete.
    Stopped,
    /// The recording ends in the middle. The path up to there is valid.
    JvmDied,
    /// A computed value differs from the recorded one. The path is invalid; the last divergence
    /// tells where.
    Diverged,
}

/// A computed value that differs from the recorded one although no opaque call can explain it: a
/// fault of the replay.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Divergence {
    /// `<method> @<bci>`, or the statement of the test case.
    pub(crate) site: String,
    /// The computed value.
    pub(crate) expected: String,
    /// The recorded value.
    pub(crate) found: String,
}

/// Counts of one or more replays; the maps are keyed by the texts that reports show.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReplayStats {
    /// Instructions that the run executed in recorded code, those after the end of the path
    /// included.
    pub executed: u64,
    /// Executed instructions whose results the replay computed.
    pub replayed: u64,
    /// Executed instructions whose results it did not compute, by reason.
    pub(crate) unreplayed: BTreeMap<String, u64>,
    /// Calls of unrecorded code that were interpreted.
    pub interpreted_calls: u64,
    /// Instructions of unrecorded code that were interpreted.
    pub(crate) interpreted_instructions: u64,
    /// Calls of unrecorded code whose results were taken from the recording.
    pub opaque_calls: u64,
    /// Calls that were not interpreted, by reason.
    pub not_interpreted: BTreeMap<String, u64>,
    /// Recorded loads, results and arguments that were compared with computed values.
    pub(crate) checked: u64,
    /// Computed values that differ from recorded ones.
    pub divergences: BTreeMap<Divergence, u64>,
    /// Values taken from the recording because an opaque call may have changed them.
    pub resyncs: u64,
    /// Recorded references that fit several objects, or none of the candidates.
    pub identity_ambiguous: u64,
    /// Unsupported operations by reason, those that ended a path included.
    pub unsupported: BTreeMap<String, u64>,
    /// Values that lost their terms, by the callee or operation that took them.
    pub concretised: BTreeMap<String, u64>,
}

impl ReplayStats {
    /// Adds the counts of another replay.
    pub fn merge(&mut self, other: &ReplayStats) {
        self.executed += other.executed;
        self.replayed += other.replayed;
        self.interpreted_calls += other.interpreted_calls;
        self.interpreted_instructions += other.interpreted_instructions;
        self.opaque_calls += other.opaque_calls;
        self.checked += other.checked;
        self.resyncs += other.resyncs;
        self.identity_ambiguous += other.identity_ambiguous;
        for (divergence, count) in &other.divergences {
            *self.divergences.entry(divergence.clone()).or_default() += count;
        }
        for (mine, theirs) in [
            (&mut self.unreplayed, &other.unreplayed),
            (&mut self.unsupported, &other.unsupported),
            (&mut self.concretised, &other.concretised),
            (&mut self.not_interpreted, &other.not_interpreted),
        ] {
            for (reason, count) in theirs {
                *mine.entry(reason.clone()).or_default() += count;
            }
        }
    }
}

/// The value of the last call of a test case, over the inputs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum CallResult {
    /// The call gives nothing.
    Nothing,
    /// Null.
    Null,
    /// A number, a character or a truth value.
    Number(TermId),
    /// A string.
    Text {
        length: TermId,
        /// The characters; those at and behind the length are meaningless.
        characters: Vec<TermId>,
    },
}

/// The result of one replay.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Replay {
    /// The path condition up to the end of the path.
    pub path: PathCondition,
    /// How the path ended.
    pub end: PathEnd,
    /// The value of the last call, where the path ended behind it and the value has a form of its own here.
    pub(crate) result: Option<CallResult>,
    /// What the replay computed and what it did not.
    pub stats: ReplayStats,
    /// The first recorded method that each statement of the test case entered.
    pub entered: BTreeMap<u32, MethodRef>,
    /// In the structural view, if the method under test was entered.
    pub structure: Option<Structure>,
}
