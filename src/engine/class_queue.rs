//! Which class is next, where several are in work at the same time.
//!
//! Flows in: what each class needs, how much of the machine it takes, and the ends of classes. Flows
//! out: positions of classes, each once, behind all that it needs. Must not know what is done with a
//! class.
//!
//! A class with few goals leaves most of the machine idle: its time goes into starting JVMs. So
//! several small classes fit where one large class does.

use std::collections::BTreeSet;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// A class that waits for its turn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct QueuedClass {
    /// Positions in the queue of the classes that have to end first.
    pub(super) needs: BTreeSet<usize>,
    /// Part of the capacity that it takes while it is in work.
    pub(super) size: usize,
}

/// Classes in their order, by position.
#[derive(Debug)]
pub(super) struct ClassQueue {
    classes: Vec<QueuedClass>,
    capacity: usize,
    state: Mutex<QueueState>,
    changed: Condvar,
}

#[derive(Debug)]
struct QueueState {
    waiting: BTreeSet<usize>,
    in_work: BTreeSet<usize>,
    ended: BTreeSet<usize>,
}

impl ClassQueue {
    /// A queue of classes that need only classes in front of them.
    pub(super) fn new(classes: Vec<QueuedClass>, capacity: usize) -> ClassQueue {
        let waiting = (0..classes.len()).collect();
        let state = QueueState { waiting, in_work: BTreeSet::new(), ended: BTreeSet::new() };
        ClassQueue { classes, capacity, state: Mutex::new(state), changed: Condvar::new() }
    }

    /// How many classes are in work at the same time, at most.
    pub(super) fn capacity(&self) -> usize {
        self.capacity
    }

    /// The classes that a class needs.
    pub(super) fn needs(&self, position: usize) -> &BTreeSet<usize> {
        &self.classes[position].needs
    }

    /// The next class: the first that needs nothing more and fits. Waits where there is none yet;
    /// `None`: none is left. A class larger than the whole capacity fits where nothing is in work.
    pub(super) fn next(&self) -> Option<usize> {
        let mut state = self.lock();
        while !state.waiting.is_empty() {
            let taken: usize = state.in_work.iter().map(|position| self.classes[*position].size).sum();
            let may_begin = |position: &usize| {
                let class = &self.classes[*position];
                (state.in_work.is_empty() || taken + class.size <= self.capacity) && class.needs.is_subset(&state.ended)
            };
            if let Some(position) = state.waiting.iter().copied().find(may_begin) {
                state.waiting.remove(&position);
                state.in_work.insert(position);
                return Some(position);
            }
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        None
    }

    /// A class has ended.
    pub(super) fn end(&self, position: usize) {
        let mut state = self.lock();
        state.in_work.remove(&position);
        state.ended.insert(position);
        self.changed.notify_all();
    }

    /// No further class begins.
    pub(super) fn close(&self) {
        self.lock().waiting.clear();
        self.changed.notify_all();
    }

    fn lock(&self) -> MutexGuard<'_, QueueState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn queue(classes: &[(&[usize], usize)], capacity: usize) -> ClassQueue {
        let classed = |(needs, size): &(&[usize], usize)| QueuedClass { needs: needs.iter().copied().collect(), size: *size };
        ClassQueue::new(classes.iter().map(classed).collect(), capacity)
    }

    #[test]
    fn a_class_begins_behind_what_it_needs_and_where_it_fits() {
        let queue = queue(&[(&[], 2), (&[0], 1), (&[], 1), (&[], 1), (&[], 9)], 2);
        assert_eq!(queue.next(), Some(0), "it takes everything");
        queue.end(0);
        assert_eq!((queue.next(), queue.next()), (Some(1), Some(2)));
        queue.end(2);
        assert_eq!(queue.next(), Some(3));
        queue.end(1);
        queue.end(3);
        assert_eq!(queue.next(), Some(4), "larger than the capacity");
        assert_eq!(queue.next(), None);
    }

    #[test]
    fn whoever_waits_learns_that_a_class_has_ended_or_that_none_begins_any_more() {
        let both = queue(&[(&[], 1), (&[0], 1), (&[1], 1)], 2);
        std::thread::scope(|scope| {
            assert_eq!(both.next(), Some(0));
            let waiting = scope.spawn(|| both.next());
            both.end(0);
            assert_eq!(waiting.join().expect("no panic"), Some(1));
            let waiting = scope.spawn(|| both.next());
            both.close();
            assert_eq!(waiting.join().expect("no panic"), None);
        });
    }
}
