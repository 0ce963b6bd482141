//! Candidates that wait to be asked for, and those that were given out. Flows in: tests from
//! outside, callables for first tests; flows out: each test case once, and the source of an
//! executed one. Must not know of fitness.

use std::collections::{HashMap, HashSet, VecDeque};

use super::super::callable_table::CallableIx;
use super::CandidateOrigin;
use crate::testcase::{TestCase, TestHash};

/// Position of a probe within an AVM search.
#[derive(Clone, Copy, Debug)]
pub(super) struct ProbeSource {
    /// Id of the AVM search.
    pub(super) search: u32,
    /// Position of the variable that the probe varies, among the variables of that search.
    pub(super) position: usize,
}

/// Where a candidate comes from, with the AVM search of a probe.
#[derive(Clone, Copy, Debug)]
pub(super) struct CandidateSource {
    pub(super) origin: CandidateOrigin,
    pub(super) probe: Option<ProbeSource>,
}

impl From<CandidateOrigin> for CandidateSource {
    fn from(origin: CandidateOrigin) -> CandidateSource {
        CandidateSource { origin, probe: None }
    }
}

/// Queues of candidates, and a record of those given out.
#[derive(Debug)]
pub(super) struct CandidateQueue {
    injected: VecDeque<(TestCase, CandidateOrigin)>,
    /// Callables under test that still get a first test.
    first_calls: VecDeque<CallableIx>,
    given: HashSet<TestHash>,
    /// Sources of candidates that are being executed.
    sources: HashMap<TestHash, CandidateSource>,
    /// Keys in `given` at most; then all are forgotten.
    capacity: usize,
}

impl CandidateQueue {
    /// Queue of `first_calls`; remembers up to `capacity` candidates.
    pub(super) fn new(first_calls: VecDeque<CallableIx>, capacity: usize) -> CandidateQueue {
        CandidateQueue { injected: VecDeque::new(), first_calls, given: HashSet::new(), sources: HashMap::new(), capacity }
    }

    /// Queues a test, even if it was given out before.
    pub(super) fn inject_again(&mut self, test: TestCase, origin: CandidateOrigin) {
        self.given.remove(&test.canonical_hash());
        self.inject(test, origin);
    }

    /// Queues a test; it is skipped when it was given out before.
    pub(super) fn inject(&mut self, test: TestCase, origin: CandidateOrigin) {
        self.injected.push_back((test, origin));
    }

    /// Removes and returns the next test from outside.
    pub(super) fn next_injected(&mut self) -> Option<(TestCase, CandidateOrigin)> {
        self.injected.pop_front()
    }

    /// Removes and returns the next callable that gets a first test.
    pub(super) fn next_first_call(&mut self) -> Option<CallableIx> {
        self.first_calls.pop_front()
    }

    /// Whether the candidate was given out before.
    pub(super) fn was_given(&self, key: TestHash) -> bool {
        self.given.contains(&key)
    }

    /// Records that a candidate is given out.
    pub(super) fn record_given(&mut self, key: TestHash, source: CandidateSource) {
        if self.given.len() >= self.capacity {
            self.given.clear();
        }
        self.given.insert(key);
        self.sources.insert(key, source);
    }

    /// Removes and returns the source of an executed candidate; a test that was never given out is
    /// a seed.
    pub(super) fn remove_source(&mut self, test: &TestCase) -> CandidateSource {
        self.sources.remove(&test.canonical_hash()).unwrap_or(CandidateOrigin::Seed.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn candidates_are_known_once_given_and_again_new_when_all_are_forgotten() {
        let test = |value: i32| -> TestCase {
            format!("v0: I = int {value}\nv1: V = call method T.m (I)V (v0)\n").parse().expect("a test case")
        };
        let mut queue = CandidateQueue::new(VecDeque::new(), 2);
        for value in 0..2 {
            queue.record_given(test(value).canonical_hash(), CandidateOrigin::Offspring.into());
        }
        assert!(queue.was_given(test(0).canonical_hash()) && !queue.was_given(test(2).canonical_hash()));
        queue.inject_again(test(0), CandidateOrigin::Solver);
        assert!(!queue.was_given(test(0).canonical_hash()) && queue.was_given(test(1).canonical_hash()));
        queue.record_given(test(2).canonical_hash(), CandidateOrigin::Fresh.into());
        queue.record_given(test(3).canonical_hash(), CandidateOrigin::Fresh.into());
        assert!(!queue.was_given(test(1).canonical_hash()), "the queue holds two keys");
        // Sources stay until the execution is reported.
        assert_eq!(queue.remove_source(&test(1)).origin, CandidateOrigin::Offspring);
        assert_eq!(queue.remove_source(&test(1)).origin, CandidateOrigin::Seed);
    }
}
