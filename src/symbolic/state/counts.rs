//! The counts of one replay. In: what the replay did; out: [`ReplayStats`]. Counts of work are
//! undone with their checkpoint; counts of failures (divergences, calls that were not interpreted)
//! stay. Must not know why something is counted.

use std::borrow::Cow;
use std::collections::BTreeMap;

use super::super::outcome::{Divergence, ReplayStats};
use super::super::reason::{UNKNOWN_HEAP_VALUE, UnsupportedReason};

/// The counts when a checkpoint began.
#[derive(Debug)]
struct CountsMark {
    work: [u64; 8],
    concretised: usize,
}

/// The counts of one replay.
#[derive(Debug, Default)]
pub(crate) struct ReplayCounts {
    stats: ReplayStats,
    /// Keys of `ReplayStats::concretised` that were counted inside checkpoints.
    concretised: Vec<Cow<'static, str>>,
    marks: Vec<CountsMark>,
}

impl ReplayCounts {
    /// Counts an instruction of recorded code. Returns how many were executed.
    #[inline]
    pub(crate) fn count_recorded_instruction(&mut self) -> u64 {
        self.stats.executed += 1;
        self.stats.replayed += 1;
        self.stats.executed
    }

    /// Executed instructions of recorded code.
    pub(crate) fn executed(&self) -> u64 {
        self.stats.executed
    }

    /// Counts an instruction whose result comes from the recording. It was counted as replayed.
    pub(crate) fn count_unknown_value(&mut self) {
        self.stats.replayed -= 1;
    }

    /// Counts an instruction of interpreted code.
    #[inline]
    pub(crate) fn count_interpreted_instruction(&mut self) {
        self.stats.interpreted_instructions += 1;
    }

    /// Counts a call that was interpreted.
    pub(crate) fn count_interpreted_call(&mut self) {
        self.stats.interpreted_calls += 1;
    }

    /// Counts a call whose result comes from the recording.
    pub(crate) fn count_opaque_call(&mut self) {
        self.stats.opaque_calls += 1;
    }

    /// Counts a comparison of a computed value with the recorded one.
    pub(crate) fn count_checked(&mut self) {
        self.stats.checked += 1;
    }

    /// Counts a recorded value that replaced a computed one.
    pub(crate) fn count_resync(&mut self) {
        self.stats.resyncs += 1;
    }

    /// Counts a recorded reference that fits several objects, or none of the candidates.
    pub(crate) fn count_ambiguous_identity(&mut self) {
        self.stats.identity_ambiguous += 1;
    }

    /// Counts a divergence.
    pub(crate) fn count_divergence(&mut self, divergence: Divergence) {
        *self.stats.divergences.entry(divergence).or_default() += 1;
    }

    /// Counts a call that was not interpreted.
    pub(crate) fn count_not_interpreted(&mut self, reason: &UnsupportedReason) {
        increment(&mut self.stats.not_interpreted, reason.key());
    }

    /// Counts a value that lost its term.
    pub(crate) fn count_concretised(&mut self, reason: &UnsupportedReason) {
        let key = reason.key();
        if !self.marks.is_empty() {
            self.concretised.push(key.clone());
        }
        increment(&mut self.stats.concretised, key);
    }

    /// The counts of a finished replay. `ended_early`: the reason why instructions after the end of
    /// the path were not replayed, and their number; `unsupported`: the operation that ended it.
    pub(crate) fn finish(mut self, ended_early: Option<(String, u64)>, unsupported: Option<&str>) -> ReplayStats {
        let unknown = self.stats.executed - self.stats.replayed;
        if unknown > 0 {
            self.stats.unreplayed.insert(UNKNOWN_HEAP_VALUE.into(), unknown);
        }
        if let Some((reason, behind)) = ended_early {
            self.stats.executed += behind;
            *self.stats.unreplayed.entry(reason).or_default() += behind;
        }
        if let Some(reason) = unsupported {
            *self.stats.unsupported.entry(reason.to_owned()).or_default() += 1;
        }
        self.stats
    }

    // Checkpoints.

    /// The counts of work, which a rolled back checkpoint restores.
    fn work(&mut self) -> [&mut u64; 8] {
        let stats = &mut self.stats;
        [
            &mut stats.executed,
            &mut stats.replayed,
            &mut stats.checked,
            &mut stats.resyncs,
            &mut stats.identity_ambiguous,
            &mut stats.interpreted_instructions,
            &mut stats.interpreted_calls,
            &mut stats.opaque_calls,
        ]
    }

    /// Begins a checkpoint.
    pub(crate) fn begin(&mut self) {
        let work = self.work().map(|count| *count);
        self.marks.push(CountsMark { work, concretised: self.concretised.len() });
    }

    /// Ends the innermost checkpoint and keeps its counts.
    pub(crate) fn commit(&mut self) {
        self.marks.pop();
        if self.marks.is_empty() {
            self.concretised.clear();
        }
    }

    /// Ends the innermost checkpoint and restores the counts of work and of lost terms.
    pub(crate) fn roll_back(&mut self) {
        let Some(mark) = self.marks.pop() else { return };
        for (count, before) in self.work().into_iter().zip(mark.work) {
            *count = before;
        }
        for key in self.concretised.drain(mark.concretised..) {
            if let Some(count) = self.stats.concretised.get_mut(&*key) {
                *count -= 1;
                if *count == 0 {
                    self.stats.concretised.remove(&*key);
                }
            }
        }
    }
}

/// Adds one to the count of a key. The key is copied only when it is new.
fn increment(counts: &mut BTreeMap<String, u64>, key: Cow<'static, str>) {
    match counts.get_mut(&*key) {
        Some(count) => *count += 1,
        None => {
            counts.insert(key.into_owned(), 1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn roll_back_restores_work_and_lost_terms_but_keeps_failures() {
        let mut counts = ReplayCounts::default();
        counts.count_recorded_instruction();
        counts.count_concretised(&UnsupportedReason::LongArray);
        counts.begin();
        counts.count_recorded_instruction();
        counts.count_unknown_value();
        counts.count_concretised(&UnsupportedReason::LongArray);
        counts.count_concretised(&UnsupportedReason::LargeString);
        counts.count_not_interpreted(&UnsupportedReason::RepeatedFailure);
        counts.roll_back();
        let stats = counts.finish(None, None);
        assert_eq!((stats.executed, stats.replayed), (1, 1));
        assert_eq!(stats.concretised.values().copied().collect::<Vec<u64>>(), [1]);
        assert_eq!(stats.not_interpreted.values().copied().collect::<Vec<u64>>(), [1]);
    }

    #[test]
    fn instructions_after_the_end_count_as_executed() {
        let mut counts = ReplayCounts::default();
        counts.count_recorded_instruction();
        counts.count_unknown_value();
        let stats = counts.finish(Some(("divergence".into(), 4)), None);
        assert_eq!((stats.executed, stats.replayed), (5, 0));
        assert_eq!(stats.unreplayed.values().sum::<u64>(), 5);
    }
}
