//! How fast the executions of a search are. In: the time of each. Out: which of them are slow beside the others. Must
//! not know tests.
//!
//! A call may take a thousand times as long as others, for example where it fills an array of a length that it gets.
//! The variants of such a test would take most of the search's time.

use std::time::Duration;

/// Executions that take less are never slow.
const LEAST: Duration = Duration::from_millis(20);
/// A slow execution takes so many times the mean.
const TIMES_MEAN: u32 = 10;

/// The executions so far.
#[derive(Debug, Default)]
pub(super) struct Pace {
    count: u32,
    total: Duration,
}

impl Pace {
    pub(super) fn record(&mut self, took: Duration) {
        self.count = self.count.saturating_add(1);
        self.total += took;
    }

    /// Whether an execution of this time takes far more than those before.
    pub(super) fn is_slow(&self, took: Duration) -> bool {
        took >= LEAST && took >= self.total / self.count.max(1) * TIMES_MEAN
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slow_is_what_takes_far_more_than_others() {
        let mut pace = Pace::default();
        let (fast, slow) = (Duration::from_micros(100), Duration::from_millis(80));
        (0..1000).for_each(|_| pace.record(fast));
        assert!(pace.is_slow(slow) && !pace.is_slow(fast) && !pace.is_slow(Duration::from_millis(10)));
        (0..1000).for_each(|_| pace.record(slow));
        assert!(!pace.is_slow(slow), "all are as slow, such as requests to a server");
    }
}
