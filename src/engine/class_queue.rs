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
    /// For each class how many come one after the other from it on, because each needs the one before.
    chains: Vec<usize>,
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

/// A class in work. It ends when this is dropped.
#[derive(Debug)]
pub(super) struct ClassTurn<'q> {
    queue: &'q ClassQueue,
    /// The position of the class.
    pub(super) position: usize,
}

impl ClassTurn<'_> {
    /// The positions of the classes that it needs.
    pub(super) fn needs(&self) -> &BTreeSet<usize> {
        &self.queue.classes[self.position].needs
    }
}

impl Drop for ClassTurn<'_> {
    fn drop(&mut self) {
        let mut state = self.queue.lock();
        state.in_work.remove(&self.position);
        state.ended.insert(self.position);
        // A panic ends the generation.
        if std::thread::panicking() {
            state.waiting.clear();
        }
        drop(state);
        self.queue.changed.notify_all();
    }
}

impl ClassQueue {
    /// A queue of classes that need only classes in front of them.
    pub(super) fn new(classes: Vec<QueuedClass>, capacity: usize) -> ClassQueue {
        let waiting = (0..classes.len()).collect();
        let mut chains = vec![1; classes.len()];
        for (later, class) in classes.iter().enumerate().rev() {
            for needed in &class.needs {
                chains[*needed] = chains[*needed].max(chains[later] + 1);
            }
        }
        let state = QueueState { waiting, in_work: BTreeSet::new(), ended: BTreeSet::new() };
        ClassQueue { classes, chains, capacity, state: Mutex::new(state), changed: Condvar::new() }
    }

    /// How many classes are in work at the same time, at most.
    pub(super) fn capacity(&self) -> usize {
        self.capacity
    }

    /// How many classes come one after the other from this one on, at least, because each needs the one before.
    pub(super) fn chain_from(&self, position: usize) -> usize {
        self.chains[position]
    }

    /// The next class: the first that needs nothing more. Waits until there is one and it fits; no other
    /// overtakes it then. `None`: none is left. A class larger than the whole capacity fits where nothing is
    /// in work.
    pub(super) fn next(&self) -> Option<ClassTurn<'_>> {
        let mut state = self.lock();
        while !state.waiting.is_empty() {
            let taken: usize = state.in_work.iter().map(|position| self.classes[*position].size).sum();
            let first = state.waiting.iter().copied().find(|position| self.classes[*position].needs.is_subset(&state.ended));
            let fits = |position: &usize| state.in_work.is_empty() || taken + self.classes[*position].size <= self.capacity;
            if let Some(position) = first.filter(fits) {
                state.waiting.remove(&position);
                state.in_work.insert(position);
                return Some(ClassTurn { queue: self, position });
            }
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        None
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

    fn next(queue: &ClassQueue) -> (usize, ClassTurn<'_>) {
        let turn = queue.next().expect("a class is left");
        (turn.position, turn)
    }

    #[test]
    fn a_class_begins_behind_what_it_needs_and_where_it_fits() {
        let queue = queue(&[(&[], 2), (&[0], 1), (&[], 1), (&[], 1), (&[], 9)], 2);
        let (first, turn) = next(&queue);
        assert_eq!(first, 0, "it takes everything");
        drop(turn);
        let ((second, needing), (third, turn)) = (next(&queue), next(&queue));
        assert_eq!((second, third), (1, 2));
        drop(turn);
        let (fourth, turn) = next(&queue);
        assert_eq!(fourth, 3);
        drop((needing, turn));
        let (last, turn) = next(&queue);
        assert_eq!(last, 4, "larger than the capacity");
        assert!(queue.next().is_none() && turn.needs().is_empty());
    }

    #[test]
    fn whoever_waits_learns_that_a_class_has_ended_or_that_none_begins_any_more() {
        let both = queue(&[(&[], 1), (&[0], 1), (&[1], 1)], 2);
        let position = || both.next().map(|turn| turn.position);
        std::thread::scope(|scope| {
            let (_, turn) = next(&both);
            let waiting = scope.spawn(position);
            drop(turn);
            assert_eq!(waiting.join().expect("no panic"), Some(1));
        });
        let large = queue(&[(&[], 1), (&[], 2), (&[], 1)], 2);
        std::thread::scope(|scope| {
            let (_, turn) = next(&large);
            let waiting = scope.spawn(|| large.next().map(|turn| turn.position));
            drop(turn);
            assert_eq!(waiting.join().expect("no panic"), Some(1), "the small class does not overtake it");
        });
        let chain = queue(&[(&[], 1), (&[0], 1)], 2);
        assert_eq!([0, 1].map(|position| chain.chain_from(position)), [2, 1]);
        std::thread::scope(|scope| {
            let (_, _turn) = next(&chain);
            let waiting = scope.spawn(|| chain.next().is_none());
            chain.close();
            assert!(waiting.join().expect("no panic"));
        });
        let panicking = queue(&[(&[], 1), (&[], 1)], 1);
        std::thread::scope(|scope| {
            let fails = scope.spawn(|| {
                let _turn = panicking.next();
                panic!("a fault");
            });
            assert!(fails.join().is_err());
            assert!(panicking.next().is_none());
        });
    }
}
