//! Which class gets the next turn, where a total budget is shared by many.
//!
//! Flows in: how long each turn of a class took, and what it brought. Flows out: the class that is expected to bring
//! most a second, and the time of its turn. Must not know what is done in a turn.
//!
//! Every class has had a first turn. What a search gains becomes less with time: the next turn is expected to bring a
//! part of what the last one brought, and no more than a part of what is still open. What was found and not written
//! for lack of time is there at once.

use std::collections::BTreeMap;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// The part of its last gain that a class is expected to gain in a turn of twice the time.
const GOES_ON: f64 = 0.3;
/// The part of its open goals that a class is expected to gain at most.
const MOST_OF_OPEN: f64 = 0.25;
/// A further turn is so many times as long as the one before, and never shorter than this: starting and finishing a
/// class takes much of a short turn.
const LONGER: u32 = 2;
const SHORTEST: Duration = Duration::from_secs(3);
/// A turn that ends before this part of its time had nothing left to gain.
const ENDED_EARLY: f64 = 0.7;
/// Turns without a gain after which a class gets no further one.
const MOST_IDLE: u32 = 2;

/// What a turn of a class brought.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct TurnEnd {
    /// The time that it was given.
    pub(super) given: Duration,
    pub(super) took: Duration,
    /// Lines, branches and mutants that the written tests cover.
    pub(super) shown: u64,
    /// Those that they do not cover.
    pub(super) open: u64,
    /// Those of the open ones that the search has covered.
    pub(super) lost: u64,
}

/// A class between its turns.
#[derive(Clone, Copy, Debug, Default)]
struct ClassTurns {
    used: Duration,
    last: TurnEnd,
    /// What the last turn gained.
    gained: u64,
    turns: u32,
    /// Turns one after the other without a gain.
    idle: u32,
    is_in_work: bool,
}

impl ClassTurns {
    fn end(&mut self, end: TurnEnd) {
        self.gained = end.shown.saturating_sub(self.last.shown);
        self.idle = if self.gained == 0 { self.idle + 1 } else { 0 };
        self.used += end.took;
        self.turns += 1;
        // A turn may show less than the one before, whose tests then stay.
        self.last = if end.shown < self.last.shown { TurnEnd { given: end.given, took: end.took, ..self.last } } else { end };
        self.is_in_work = false;
    }

    /// The time of the next turn, where `most` is what one class may take altogether; `None` where nothing is left to
    /// gain or no time.
    fn next(&self, most: Duration, left: Duration) -> Option<Duration> {
        let TurnEnd { given, took, open, lost, .. } = self.last;
        let is_finished = took < given.mul_f64(ENDED_EARLY) && lost == 0;
        let time = (given * LONGER).max(SHORTEST).min(most.saturating_sub(self.used)).min(left);
        (open > 0 && !is_finished && self.idle < MOST_IDLE && time >= SHORTEST).then_some(time)
    }

    /// The goals a second that a turn of this time is expected to bring.
    fn expected(&self, time: Duration) -> f64 {
        let searched = (self.last.open as f64 * MOST_OF_OPEN).min(self.gained as f64 * GOES_ON);
        // What a second turn could not write either, a third one cannot.
        let lost = if self.turns > 1 { self.last.lost.min(self.gained) } else { self.last.lost };
        (lost as f64).max(searched) / time.as_secs_f64()
    }
}

/// The classes of a run that had their first turn.
#[derive(Debug)]
pub(super) struct Turns {
    /// What one class may take altogether.
    most: Duration,
    classes: Mutex<BTreeMap<usize, ClassTurns>>,
    changed: Condvar,
}

/// A further turn of a class. Its class has no other one until this is dropped.
#[derive(Debug)]
pub(super) struct Turn<'t> {
    turns: &'t Turns,
    /// The class.
    pub(super) place: usize,
    pub(super) time: Duration,
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        if let Some(class) = self.turns.lock().get_mut(&self.place) {
            // A turn without an end brought nothing.
            class.idle += u32::from(class.is_in_work);
            class.is_in_work = false;
        }
        self.turns.changed.notify_all();
    }
}

impl Turns {
    /// No class has had a turn. `most`: what one class may take altogether.
    pub(super) fn new(most: Duration) -> Turns {
        Turns { most, classes: Mutex::default(), changed: Condvar::new() }
    }

    /// A turn of the class has ended.
    pub(super) fn end(&self, place: usize, end: TurnEnd) {
        self.lock().entry(place).or_default().end(end);
        self.changed.notify_all();
    }

    /// The class of which most is expected, where `left` says how much time there is. Waits where a class in work may
    /// be the next one. `None`: no class is left, or no time.
    pub(super) fn next(&self, left: impl Fn() -> Duration) -> Option<Turn<'_>> {
        let mut classes = self.lock();
        loop {
            let left = left();
            let waiting = classes.iter().filter(|(_, class)| !class.is_in_work);
            let possible = waiting.filter_map(|(place, class)| {
                let time = class.next(self.most, left)?;
                Some((class.expected(time), *place, time))
            });
            // Of equals, the first one.
            let best = possible.max_by(|(one, a, _), (other, b, _)| one.total_cmp(other).then(b.cmp(a)));
            if let Some((_, place, time)) = best {
                classes.get_mut(&place)?.is_in_work = true;
                return Some(Turn { turns: self, place, time });
            }
            if left < SHORTEST || !classes.values().any(|class| class.is_in_work) {
                return None;
            }
            classes = self.changed.wait(classes).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<usize, ClassTurns>> {
        self.classes.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MINUTE: Duration = Duration::from_secs(60);

    fn seconds(seconds: u64) -> Duration {
        Duration::from_secs(seconds)
    }

    fn end(shown: u64, open: u64) -> TurnEnd {
        TurnEnd { given: seconds(4), took: seconds(4), shown, open, lost: 0 }
    }

    fn next(turns: &Turns) -> Option<(usize, u64)> {
        turns.next(|| MINUTE).map(|turn| (turn.place, turn.time.as_secs()))
    }

    #[test]
    fn the_class_with_most_to_gain_a_second_is_next() {
        let turns = Turns::new(MINUTE);
        turns.end(0, end(50, 10));
        turns.end(1, end(200, 100));
        turns.end(2, end(5, 100));
        turns.end(3, end(90, 0));
        assert_eq!(next(&turns), Some((1, 8)));
        turns.end(1, TurnEnd { given: seconds(8), took: seconds(8), ..end(201, 99) });
        assert_eq!(next(&turns), Some((0, 8)), "the large class has hardly gained anything");
    }

    #[test]
    fn what_was_found_and_not_written_comes_first() {
        let turns = Turns::new(MINUTE);
        turns.end(0, end(200, 100));
        turns.end(1, TurnEnd { lost: 40, ..end(0, 60) });
        assert_eq!(next(&turns), Some((1, 8)));
        turns.end(1, TurnEnd { given: seconds(8), took: seconds(8), lost: 40, ..end(1, 59) });
        assert_eq!(next(&turns), Some((0, 8)), "it could not be written again");
    }

    #[test]
    fn a_class_has_no_further_turn_without_a_gain_or_time() {
        let is_last = |most: Duration, ends: &[TurnEnd]| {
            let turns = Turns::new(most);
            ends.iter().for_each(|end| turns.end(0, *end));
            next(&turns).is_none()
        };
        assert!(!is_last(MINUTE, &[end(5, 10)]));
        assert!(is_last(MINUTE, &[TurnEnd { took: seconds(1), ..end(5, 10) }]), "its search ended by itself");
        assert!(!is_last(MINUTE, &[end(5, 10), end(5, 10)]));
        assert!(is_last(MINUTE, &[end(5, 10), end(5, 10), end(4, 11)]), "two turns without a gain");
        assert!(is_last(seconds(6), &[end(5, 10)]), "two seconds are too short");
        let turns = Turns::new(MINUTE);
        turns.end(0, end(5, 10));
        assert!(turns.next(|| seconds(2)).is_none());
    }

    #[test]
    fn who_waits_gets_what_a_class_in_work_leaves() {
        let turns = Turns::new(MINUTE);
        turns.end(0, end(5, 10));
        std::thread::scope(|scope| {
            let first = turns.next(|| MINUTE).expect("a class is left");
            let waiting = scope.spawn(|| next(&turns));
            turns.end(0, TurnEnd { given: seconds(8), took: seconds(8), ..end(9, 6) });
            drop(first);
            assert_eq!(waiting.join().expect("no panic"), Some((0, 16)));
            let second = turns.next(|| MINUTE).expect("a class is left");
            let waiting = scope.spawn(|| next(&turns));
            turns.end(0, end(15, 0));
            drop(second);
            assert_eq!(waiting.join().expect("no panic"), None);
        });
    }
}
