//! Tests that an exception ended in code around the classes under test, one for each place and
//! message.
//!
//! Flows in: executed tests. Flows out: parents for mutation, and tests for the solver. Must not know
//! goals.
//!
//! No distance to a goal tells such tests apart: a constructor that rejects its arguments ends them
//! all before the next branch of the class under test. Each new place or message is a step on the
//! way through that code, so the tests are kept for being new (novelty). The solver can turn the
//! last decision before the exception.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use crate::execution::{RunEnd, Thrown};
use crate::program::ClassName;
use crate::testcase::TestCase;

/// Places that are told apart, at most.
const MOST_PLACES: usize = 64;
/// Messages of one place that are told apart, at most: a message may quote an argument.
const MOST_MESSAGES: usize = 4;
/// How often a test becomes a parent, and is offered to the solver, at most: not every exception is
/// in the way of a goal.
const MOST_PICKS: u32 = 60;
const MOST_OFFERS: u32 = 3;
/// Innermost frames that tell places apart.
const MOST_FRAMES: usize = 5;

/// The class of an exception, and the innermost frames up to the class under test.
type Place = (ClassName, Vec<(ClassName, String, i32)>);
type Message = Option<Vec<u16>>;

/// A test that ended at a place with a message.
#[derive(Debug)]
struct Stopped {
    test: Arc<TestCase>,
    /// How often it became a parent, and was offered to the solver.
    picks: u32,
    offers: u32,
}

/// The tests by place and message.
#[derive(Debug)]
pub(crate) struct ThrowSites {
    /// Classes whose branches are goals: their exceptions need no place here.
    under_test: BTreeSet<ClassName>,
    places: BTreeMap<Place, BTreeMap<Message, Stopped>>,
}

impl ThrowSites {
    /// No test yet.
    pub(crate) fn new(under_test: BTreeSet<ClassName>) -> ThrowSites {
        ThrowSites { under_test, places: BTreeMap::new() }
    }

    /// Whether no test is kept.
    pub(crate) fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    /// Keeps the test where its end is new, or where it is shorter than the one that is kept.
    pub(crate) fn record(&mut self, test: &TestCase, end: &RunEnd) {
        let RunEnd::Threw { thrown, .. } = end else { return };
        let Some(place) = self.place_of(thrown) else { return };
        if self.places.len() >= MOST_PLACES && !self.places.contains_key(&place) {
            return;
        }
        let messages = self.places.entry(place).or_default();
        let has_room = messages.len() < MOST_MESSAGES;
        match messages.get_mut(&thrown.message) {
            Some(known) if test.len() < known.test.len() => known.test = Arc::new(test.clone()),
            Some(_) => {}
            None if has_room => {
                let stopped = Stopped { test: Arc::new(test.clone()), picks: 0, offers: 0 };
                messages.insert(thrown.message.clone(), stopped);
            }
            None => {}
        }
    }

    /// The place of an exception; `None` where a class under test threw it.
    fn place_of(&self, thrown: &Thrown) -> Option<Place> {
        let is_own = |class: &ClassName| self.under_test.contains(class);
        if thrown.frames.first().is_none_or(|(class, ..)| is_own(class)) {
            return None;
        }
        let around = thrown.frames.iter().position(|(class, ..)| is_own(class)).map_or(usize::MAX, |own| own + 1);
        let frames = thrown.frames.iter().take(around.min(MOST_FRAMES)).cloned().collect();
        Some((thrown.class.clone(), frames))
    }

    /// Draws a test; those that were drawn rarely are more likely. `None` where each was drawn often
    /// enough.
    pub(crate) fn pick(&mut self, rng: &mut ChaCha8Rng) -> Option<Arc<TestCase>> {
        let mut stopped: Vec<&mut Stopped> = self.places.values_mut().flat_map(BTreeMap::values_mut).collect();
        stopped.retain(|stopped| stopped.picks < MOST_PICKS);
        if stopped.is_empty() {
            return None;
        }
        let [one, other] = [(); 2].map(|()| rng.random_range(0..stopped.len()));
        let chosen = if stopped[other].picks < stopped[one].picks { other } else { one };
        stopped[chosen].picks += 1;
        Some(stopped[chosen].test.clone())
    }

    /// Up to `count` tests for the solver, those offered least often first.
    pub(crate) fn offer(&mut self, count: usize) -> Vec<Arc<TestCase>> {
        let mut stopped: Vec<&mut Stopped> = self.places.values_mut().flat_map(BTreeMap::values_mut).collect();
        stopped.retain(|stopped| stopped.offers < MOST_OFFERS);
        stopped.sort_by_key(|stopped| stopped.offers);
        stopped.truncate(count);
        stopped.iter_mut().for_each(|stopped| stopped.offers += 1);
        stopped.into_iter().map(|stopped| stopped.test.clone()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::SeedableRng;

    fn test(value: i32) -> TestCase {
        format!("v0: I = int {value}\nv1: V = call method T.m (I)V (v0)\n").parse().expect("a test case")
    }

    fn threw(class: &str, line: i32, message: &str) -> RunEnd {
        let frames = [(class, line), ("T", 7), ("java/lang/Thread", 1)];
        let frames = frames.map(|(class, line)| (ClassName::new(class), "m".to_owned(), line)).to_vec();
        let message = Some(message.encode_utf16().collect());
        let class = ClassName::new("java/lang/IllegalArgumentException");
        RunEnd::Threw { statement: 1, thrown: Thrown { class, message, in_project: true, frames } }
    }

    fn sites() -> ThrowSites {
        ThrowSites::new([ClassName::new("T")].into())
    }

    #[test]
    fn each_place_and_message_keeps_a_test() {
        let mut sites = sites();
        sites.record(&test(0), &threw("T", 7, "of the class under test"));
        assert!(sites.offer(9).is_empty());
        sites.record(&test(1), &threw("Money", 3, "amount is null"));
        sites.record(&test(2), &threw("Money", 3, "amount is null"));
        sites.record(&test(3), &threw("Money", 3, "currency is null"));
        sites.record(&test(4), &threw("Money", 4, "not a currency"));
        let offered: Vec<TestCase> = sites.offer(9).iter().map(|test| TestCase::clone(test)).collect();
        assert_eq!(offered, [test(1), test(3), test(4)]);
        sites.record(&test(5), &threw("Money", 5, "more than two decimals"));
        assert_eq!(*sites.offer(1)[0], test(5), "it was never offered");
    }

    #[test]
    fn messages_that_quote_arguments_do_not_crowd_out_other_places() {
        let mut sites = sites();
        for value in 0..100 {
            sites.record(&test(value), &threw("Money", 4, &format!("not a currency: {value}")));
        }
        assert_eq!(sites.offer(99).len(), MOST_MESSAGES);
    }

    #[test]
    fn tests_that_were_drawn_rarely_are_drawn_first() {
        let mut sites = sites();
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        assert_eq!(sites.pick(&mut rng), None);
        for line in 0..3 {
            sites.record(&test(line), &threw("Money", line, ""));
        }
        let mut picks = [0; 3];
        for _ in 0..90 {
            let drawn = sites.pick(&mut rng).expect("three tests");
            picks[(0..3).position(|line| *drawn == test(line)).expect("one of them")] += 1;
        }
        assert!(picks.iter().all(|picks| (20..=40).contains(picks)), "{picks:?}");
        for _ in 90..3 * MOST_PICKS {
            sites.pick(&mut rng);
        }
        assert_eq!(sites.pick(&mut rng), None, "each was drawn often enough");
    }
}
