//! Runs that an exception ended in code around the classes under test, and the runs that solving led
//! to from there.
//!
//! Flows in: tests of requests, pairs of runs. Flows out: the runs whose alternatives come first. Must
//! not know how an alternative is solved.
//!
//! Such code often checks one thing after another, as a constructor that wants three capital letters.
//! Each solved decision ends at the same exception, one check further. The search cannot tell the two
//! runs apart, so the newer one is followed here.

use std::collections::{BTreeSet, VecDeque};

use crate::testcase::TestHash;

/// Runs that are followed at a time; the oldest are dropped.
const MOST_FOLLOWED: usize = 6;

/// The runs, by their test cases.
#[derive(Debug, Default)]
pub(super) struct StoppedRuns {
    known: BTreeSet<TestHash>,
    /// The newest first.
    followed: VecDeque<TestHash>,
}

impl StoppedRuns {
    /// Adds tests that the search offers.
    pub(super) fn offer(&mut self, tests: impl IntoIterator<Item = TestHash>) {
        for test in tests {
            self.follow(test);
        }
    }

    /// The solver turned a decision of one run and got another one, which is followed where the
    /// first one is known.
    pub(super) fn lead_on(&mut self, from: TestHash, to: TestHash) {
        if self.known.contains(&from) {
            self.follow(to);
        }
    }

    /// The runs that are followed, the newest first.
    pub(super) fn followed(&self) -> impl Iterator<Item = TestHash> {
        self.followed.iter().copied()
    }

    fn follow(&mut self, test: TestHash) {
        if self.known.insert(test) {
            self.followed.push_front(test);
            self.followed.truncate(MOST_FOLLOWED);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testcase::TestCase;

    fn hash(value: i32) -> TestHash {
        let lines = format!("v0: I = int {value}\nv1: V = call method T.m (I)V (v0)\n");
        let test: TestCase = lines.parse().expect("a test case");
        test.canonical_hash()
    }

    #[test]
    fn what_solving_leads_to_is_followed() {
        let mut runs = StoppedRuns::default();
        runs.offer([hash(0)]);
        runs.lead_on(hash(0), hash(1));
        runs.lead_on(hash(1), hash(2));
        runs.lead_on(hash(7), hash(8));
        runs.offer([hash(1)]);
        assert_eq!(runs.followed().collect::<Vec<_>>(), [hash(2), hash(1), hash(0)]);
        runs.offer((10..20).map(hash));
        assert_eq!(runs.followed().collect::<Vec<_>>(), (14..20).rev().map(hash).collect::<Vec<_>>());
        runs.lead_on(hash(2), hash(30));
        assert_eq!(runs.followed().next(), Some(hash(30)), "runs that were dropped are still known");
    }
}
