//! Decides which runs of a method are recorded. Flows in: for each recorded run, whether it is
//! kept; flows out: how many of the following runs the program's threads skip. Must not know files.
//!
//! The writer thread computes a skip period for each method and publishes it in a [`SkipTable`].
//! The probes (`TracewrightSkips` in Java) read the table without a lock, a few milliseconds late.

use std::sync::atomic::{AtomicU64, Ordering};

/// Known paths that a method may show before runs are skipped. After n times as many, n runs are
/// skipped for each run that is recorded.
const PATIENCE: u32 = 64;
/// Skip period at most; it must fit into the lower half of a table entry.
const MAX_SKIPPED: u32 = 1024;
/// Bytes of events that make a run count as two.
const HEAVY: usize = 1 << 14;

/// How likely the runs of one method are kept. Tests that call one method in a loop would otherwise
/// spend their time on runs that are dropped.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Interest {
    /// Runs that were not kept; each run that is kept halves the number. Long runs weigh more.
    boring: u32,
    /// Runs to skip for each run that is recorded.
    period: u32,
}

impl Interest {
    /// Takes a recorded run of `bytes` bytes into account.
    /// `is_kept`: its path is new, and the session has room for it.
    pub(super) fn observe_run(&mut self, is_kept: bool, bytes: usize) {
        if is_kept {
            self.boring /= 2;
        } else {
            self.boring = self.boring.saturating_add(1 + (bytes / HEAVY) as u32);
        }
        self.period = (self.boring / PATIENCE).min(MAX_SKIPPED);
    }

    /// Runs to skip for each run that is recorded.
    pub(super) fn period(&self) -> u32 {
        self.period
    }
}

/// Entries of one table; a power of two.
const SLOTS: usize = 4096;
/// Countdown tables of threads that own one: `TracewrightLanes.LANES`.
const LANES: usize = 16;
/// Countdown tables of other threads. Threads are spread over them by their ordinal, so that few
/// threads change the same countdown.
const STRIPES: usize = 8;

/// Skip periods by method, and countdowns of runs to skip.
///
/// An entry holds a mark in its upper half and a number in its lower half, so that both change at
/// once. The mark stands for the entry site and the class of the receiver. Two methods may share a
/// slot: then the method that was published last owns it, and all runs of the other are recorded.
///
/// Layout, which `TracewrightSkips` shares: `SLOTS` published periods, then `LANES + STRIPES`
/// tables of `SLOTS` countdowns.
#[derive(Debug)]
pub(crate) struct SkipTable {
    entries: Box<[AtomicU64]>,
}

impl SkipTable {
    /// A table that skips nothing.
    pub(super) fn new() -> SkipTable {
        SkipTable { entries: (0..SLOTS * (1 + LANES + STRIPES)).map(|_| AtomicU64::new(0)).collect() }
    }

    /// Address of the first entry, for the probes. Valid as long as the table.
    pub(crate) fn address(&self) -> *const AtomicU64 {
        self.entries.as_ptr()
    }

    /// Tells the probes to skip `period` runs of the method for each run that they record.
    pub(super) fn publish(&self, entry: u32, receiver: u32, period: u32) {
        let mark = mark(entry, receiver);
        let published = &self.entries[slot(mark)];
        // Only the writer thread stores here.
        let owner = (published.load(Ordering::Relaxed) >> 32) as u32;
        if period > 0 || owner == mark {
            published.store(u64::from(mark) << 32 | u64::from(period), Ordering::Relaxed);
        }
    }

    /// The published period of a method; `None`: another method owns its slot.
    #[cfg(test)]
    pub(super) fn published(&self, entry: u32, receiver: u32) -> Option<u32> {
        let mark = mark(entry, receiver);
        let found = self.entries[slot(mark)].load(Ordering::Relaxed);
        (found >> 32 == u64::from(mark)).then_some(found as u32)
    }

    /// Sets the first countdown to this number of runs, as a thread of the program does.
    #[cfg(test)]
    pub(super) fn count_down_to(&self, runs: u32) {
        self.entries[SLOTS].store(9 << 32 | u64::from(runs), Ordering::Relaxed);
    }

    /// Runs that countdowns still have to skip.
    pub(super) fn not_yet_skipped(&self) -> u64 {
        let countdowns = &self.entries[SLOTS..];
        countdowns.iter().map(|entry| entry.load(Ordering::Relaxed) & 0xffff_ffff).sum()
    }
}

/// As `TracewrightSkips.mark`.
fn mark(entry: u32, receiver: u32) -> u32 {
    entry ^ receiver.wrapping_mul(0x9e37_79b1)
}

/// As `TracewrightSkips.slot`.
fn slot(mark: u32) -> usize {
    (mark ^ mark >> 15) as usize & (SLOTS - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_method_with_known_paths_only_is_recorded_less_often() {
        let mut interest = Interest::default();
        let (mut recorded, mut runs) = (0, 0);
        while runs < 100_000 {
            interest.observe_run(false, 100);
            recorded += 1;
            runs += 1 + interest.period;
            assert!(recorded < PATIENCE || interest.period > 0);
        }
        assert!((1_000..10_000).contains(&recorded), "{recorded}");
        let before = interest.period;
        interest.observe_run(true, 100);
        assert!(interest.period <= before / 2 + 1, "{interest:?}");
        for _ in 0..20 {
            interest.observe_run(true, 100);
        }
        assert_eq!(interest.period, 0);
        let mut long = Interest::default();
        long.observe_run(false, 1 << 20);
        assert_eq!(long.period, 1, "one run of 1 MiB counts as 65 short ones");
    }

    #[test]
    fn the_last_published_method_owns_a_slot() {
        let table = SkipTable::new();
        let published = |entry, receiver| table.published(entry, receiver);
        let other = (6..).find(|&entry| slot(mark(entry, 7)) == slot(mark(5, 7))).expect("slots are shared");
        table.publish(5, 7, 3);
        assert_eq!(published(5, 7), Some(3));
        table.publish(other, 7, 0);
        assert_eq!(published(5, 7), Some(3), "a method without a period takes no slot");
        table.publish(5, 7, 0);
        assert_eq!(published(5, 7), Some(0));
        table.publish(other, 7, 2);
        assert_eq!((published(5, 7), published(other, 7)), (None, Some(2)));
        assert_eq!(table.not_yet_skipped(), 0, "periods are no countdowns");
        table.count_down_to(4);
        assert_eq!(table.not_yet_skipped(), 4);
    }
}
