//! The counts of a session, and the cost of recording. Flows in: reasons, bytes of events, CPU
//! time; flows out: the lines of a counts record, and whether recording takes too much time.
//! Must not know files.

use std::collections::BTreeMap;
use std::time::Duration;

/// CPU time that a byte of events costs until it is written, with all that is recorded and dropped.
/// A probe cannot afford to read a clock. See docs/experiments.md for how the figure was found.
const NANOSECONDS_A_BYTE: f64 = 45.0;
/// CPU time that a JVM takes before its overhead is judged: it first loads and rewrites classes.
const WARM_UP: Duration = Duration::from_secs(3);

/// Counters by reason.
#[derive(Debug, Default)]
pub(super) struct Counts {
    by_reason: BTreeMap<String, u64>,
    /// Bytes of events of all runs that were handed over, kept or not.
    event_bytes: u64,
    /// Skipped runs that countdowns were armed with, minus countdowns that were given up.
    armed: i64,
}

impl Counts {
    /// Counts one more for a reason.
    pub(super) fn add(&mut self, reason: &str) {
        match self.by_reason.get_mut(reason) {
            Some(count) => *count += 1,
            None => {
                self.by_reason.insert(reason.to_owned(), 1);
            }
        }
    }

    /// Takes over how many runs a countdown was armed to skip; negative where one was given up.
    pub(super) fn arm(&mut self, runs: i32) {
        self.armed += i64::from(runs);
    }

    /// Counts the bytes of a run that was handed over.
    pub(super) fn add_event_bytes(&mut self, bytes: usize) {
        self.event_bytes += bytes as u64;
    }

    /// All counters. `not_yet_skipped`: runs that countdowns still have to skip. `waits`: how often
    /// a thread of the program waited for the writer.
    pub(super) fn lines(&self, not_yet_skipped: u64, waits: u64) -> Vec<(String, u64)> {
        let mut lines = self.by_reason.clone();
        lines.insert("bytes of events".to_owned(), self.event_bytes);
        let skipped = u64::try_from(self.armed).unwrap_or(0).saturating_sub(not_yet_skipped);
        for (reason, count) in [
            ("runs passed over: the method showed nothing new", skipped),
            ("threads waited: the session's writer could not follow", waits),
        ] {
            if count > 0 {
                lines.insert(reason.to_owned(), count);
            }
        }
        lines.into_iter().collect()
    }

    /// Whether recording takes more than `percent` per cent of the CPU time that the program takes
    /// for itself. `taken`: CPU time of the whole process.
    pub(super) fn exceeds_overhead(&self, percent: u32, taken: Duration) -> bool {
        let recording = self.event_bytes as f64 * NANOSECONDS_A_BYTE * 1e-9;
        let program = (taken.as_secs_f64() - recording).max(0.0);
        taken >= WARM_UP && recording * 100.0 > program * f64::from(percent)
    }
}

/// CPU time of all threads of this process, user and system; zero where the system does not say.
pub(super) fn cpu_time() -> Duration {
    let mut usage = std::mem::MaybeUninit::<libc::rusage>::uninit();
    // SAFETY: the call fills in the whole structure where it returns 0.
    let usage = unsafe {
        if libc::getrusage(libc::RUSAGE_SELF, usage.as_mut_ptr()) != 0 {
            return Duration::ZERO;
        }
        usage.assume_init()
    };
    let of = |time: libc::timeval| Duration::new(time.tv_sec.max(0) as u64, time.tv_usec.max(0) as u32 * 1000);
    of(usage.ru_utime) + of(usage.ru_stime)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn overhead_is_judged_by_bytes_of_events() {
        let exceeds = |event_bytes, percent, seconds| {
            let counts = Counts { event_bytes, ..Counts::default() };
            counts.exceeds_overhead(percent, Duration::from_secs(seconds))
        };
        let second = (1e9 / NANOSECONDS_A_BYTE) as u64;
        // Four seconds of recording in ten: two thirds of the other six.
        assert!(exceeds(4 * second, 60, 10) && !exceeds(4 * second, 70, 10));
        assert!(!exceeds(2 * second, 60, 2), "a JVM that starts is not judged");
        assert!(!exceeds(0, 1, 100));
        let before = cpu_time();
        assert!(before > Duration::ZERO && cpu_time() >= before);
    }

    #[test]
    fn skipped_runs_are_armed_ones_without_the_outstanding_ones() {
        let mut counts = Counts::default();
        let skipped = |counts: &Counts, outstanding| {
            let lines: BTreeMap<String, u64> = counts.lines(outstanding, 0).into_iter().collect();
            lines.get("runs passed over: the method showed nothing new").copied()
        };
        assert_eq!(skipped(&counts, 0), None);
        counts.arm(10);
        counts.arm(-3);
        assert_eq!(skipped(&counts, 2), Some(5));
        assert_eq!(skipped(&counts, 8), None, "a countdown may be seen before it is reported");
    }
}
