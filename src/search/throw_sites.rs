//! Tests that an exception ended in code around the classes under test, or at a null within them, one
//! for each place and message.
//!
//! Flows in: executed tests. Flows out: parents for mutation, and tests for the solver. Must not know
//! goals.
//!
//! No distance to a goal tells such tests apart: a constructor that rejects its arguments ends them
//! all before the next branch of the class under test. Each new place or message is a step on the
//! way through that code, so the tests are kept for being new (novelty). The solver can turn the
//! last decision before the exception. A null that the class under test finds is no decision: no
//! branch leads to it, and only other objects lead past it.

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
/// How often a test becomes a parent, is repaired, and is offered to the solver, at most: not every
/// exception is in the way of a goal.
const MOST_PICKS: u32 = 60;
const MOST_REPAIRS: u32 = 150;
/// How often a test is repaired that a null in the class under test ended, at most. Such ends are many,
/// and most of them show only that an argument must not be null.
const MOST_REPAIRS_OF_NULLS: u32 = 20;
const MOST_OFFERS: u32 = 3;
/// How often a test that the solver could not help gives way to one with another message, at most, for
/// one place.
const MOST_REPLACED: u32 = 16;
/// Innermost frames that tell places apart.
const MOST_FRAMES: usize = 5;

/// The class of an exception, and the innermost frames up to the class under test.
type Place = (ClassName, Vec<(ClassName, String, i32)>);
type Message = Option<Vec<u16>>;

/// A test that ended at a place with a message.
#[derive(Debug)]
struct Stopped {
    test: Arc<TestCase>,
    /// The statement that threw.
    statement: u32,
    /// A decision before the exception may be turned.
    is_solvable: bool,
    /// How often it became a parent, was repaired, and was offered to the solver.
    picks: u32,
    repairs: u32,
    offers: u32,
}

/// The tests of one place.
#[derive(Debug, Default)]
struct StoppedAtPlace {
    by_message: BTreeMap<Message, Stopped>,
    replaced: u32,
}

/// The tests by place and message.
#[derive(Debug)]
pub(crate) struct ThrowSites {
    /// Classes whose branches are goals: their exceptions need no place here.
    under_test: BTreeSet<ClassName>,
    places: BTreeMap<Place, StoppedAtPlace>,
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
        let RunEnd::Threw { statement, thrown } = end else { return };
        let statement = *statement;
        let Some(place) = self.place_of(thrown) else { return };
        if self.places.len() >= MOST_PLACES && !self.places.contains_key(&place) {
            return;
        }
        let is_solvable = !self.is_own_throw(thrown);
        let StoppedAtPlace { by_message, replaced } = self.places.entry(place).or_default();
        if let Some(known) = by_message.get_mut(&thrown.message) {
            if test.len() < known.test.len() {
                (known.test, known.statement) = (Arc::new(test.clone()), statement);
            }
            return;
        }
        if by_message.len() >= MOST_MESSAGES {
            // The value that is in the way may be none that the solver can choose, such as the result of
            // a call. In other tests, it may be a literal.
            let spent = by_message.iter().find(|(_, stopped)| stopped.is_solvable && stopped.offers >= MOST_OFFERS);
            let Some(spent) = spent.map(|(message, _)| message.clone()).filter(|_| *replaced < MOST_REPLACED) else { return };
            by_message.remove(&spent);
            *replaced += 1;
        }
        let stopped = Stopped { test: Arc::new(test.clone()), statement, is_solvable, picks: 0, repairs: 0, offers: 0 };
        by_message.insert(thrown.message.clone(), stopped);
    }

    /// The place of an exception; `None` where a class under test threw it and it is not about a
    /// null.
    fn place_of(&self, thrown: &Thrown) -> Option<Place> {
        let is_own = |class: &ClassName| self.under_test.contains(class);
        let is_about_null = thrown.class.internal() == "java/lang/NullPointerException";
        if thrown.frames.is_empty() || (self.is_own_throw(thrown) && !is_about_null) {
            return None;
        }
        let around = thrown.frames.iter().position(|(class, ..)| is_own(class)).map_or(usize::MAX, |own| own + 1);
        let frames = thrown.frames.iter().take(around.min(MOST_FRAMES)).cloned().collect();
        Some((thrown.class.clone(), frames))
    }

    fn is_own_throw(&self, thrown: &Thrown) -> bool {
        thrown.frames.first().is_some_and(|(class, ..)| self.under_test.contains(class))
    }

    /// Draws a test that code around the classes under test ended; those that were drawn rarely are
    /// more likely. `None` where each was drawn often enough.
    pub(crate) fn pick(&mut self, rng: &mut ChaCha8Rng) -> Option<Arc<TestCase>> {
        let stopped = self.places.values_mut().flat_map(|place| place.by_message.values_mut());
        let stopped = stopped.filter(|stopped| stopped.is_solvable && stopped.picks < MOST_PICKS).collect();
        let chosen = rarest(stopped, |stopped| stopped.picks, rng)?;
        chosen.picks += 1;
        Some(chosen.test.clone())
    }

    /// As [`ThrowSites::pick`], for any test; with the statement that threw.
    pub(crate) fn pick_for_repair(&mut self, rng: &mut ChaCha8Rng) -> Option<(Arc<TestCase>, usize)> {
        let most = |stopped: &Stopped| if stopped.is_solvable { MOST_REPAIRS } else { MOST_REPAIRS_OF_NULLS };
        let stopped = self.places.values_mut().flat_map(|place| place.by_message.values_mut());
        let stopped = stopped.filter(|stopped| stopped.repairs < most(stopped)).collect();
        let chosen = rarest(stopped, |stopped| stopped.repairs, rng)?;
        chosen.repairs += 1;
        Some((chosen.test.clone(), chosen.statement as usize))
    }

    /// Up to `count` tests for the solver, those offered least often first.
    pub(crate) fn offer(&mut self, count: usize) -> Vec<Arc<TestCase>> {
        let mut stopped: Vec<&mut Stopped> = self.places.values_mut().flat_map(|place| place.by_message.values_mut()).collect();
        stopped.retain(|stopped| stopped.is_solvable && stopped.offers < MOST_OFFERS);
        stopped.sort_by_key(|stopped| stopped.offers);
        stopped.truncate(count);
        stopped.iter_mut().for_each(|stopped| stopped.offers += 1);
        stopped.into_iter().map(|stopped| stopped.test.clone()).collect()
    }
}

/// The one of two random tests that was drawn less often.
fn rarest<'s>(
    mut stopped: Vec<&'s mut Stopped>,
    drawn: impl Fn(&Stopped) -> u32,
    rng: &mut ChaCha8Rng,
) -> Option<&'s mut Stopped> {
    if stopped.is_empty() {
        return None;
    }
    let [one, other] = [(); 2].map(|()| rng.random_range(0..stopped.len()));
    let chosen = if drawn(stopped[other]) < drawn(stopped[one]) { other } else { one };
    Some(stopped.swap_remove(chosen))
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
    fn nulls_that_the_class_under_test_finds_are_kept_but_not_offered_to_the_solver() {
        let mut sites = sites();
        let RunEnd::Threw { statement, mut thrown } = threw("T", 7, "its location is null") else { panic!("it threw") };
        thrown.class = ClassName::new("java/lang/NullPointerException");
        sites.record(&test(0), &RunEnd::Threw { statement, thrown });
        assert!(sites.offer(9).is_empty());
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        assert_eq!(sites.pick(&mut rng), None);
        for _ in 0..MOST_REPAIRS_OF_NULLS {
            assert_eq!(sites.pick_for_repair(&mut rng), Some((Arc::new(test(0)), 1)));
        }
        assert_eq!(sites.pick_for_repair(&mut rng), None, "it was repaired often enough");
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
    fn tests_that_the_solver_could_not_help_give_way_to_others() {
        let mut sites = sites();
        let mut offered = BTreeSet::new();
        for value in 0..1000 {
            sites.record(&test(value), &threw("Money", 4, &format!("not a currency: {value}")));
            offered.extend(sites.offer(99).iter().map(|test| test.to_string()));
        }
        assert_eq!(offered.len(), MOST_MESSAGES + MOST_REPLACED as usize);
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
