//! Pending alternatives, without the parts that all alternatives of a run share. Flows in:
//! alternatives; flows out: the same alternatives. Must not know their order.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::expr::TermId;
use crate::path::{BranchOutcome, PathCondition};
use crate::tree::{Alternative, NodeId, TreeKey};

/// An alternative of an [`AlternativePool`], in 20 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct AlternativeHandle {
    run: u32,
    pub(crate) index: u32,
    outcome: u32,
    node: NodeId,
    negated: TermId,
}

/// A run with pending alternatives.
#[derive(Debug)]
struct Run {
    /// Its first alternative, for the shared parts.
    first: Alternative,
    /// Number of its pending alternatives.
    waiting: u32,
}

/// Holds the shared parts of each run once, until the last alternative of the run is removed.
#[derive(Debug, Default)]
pub(crate) struct AlternativePool {
    runs: Vec<Option<Run>>,
    free: Vec<u32>,
    /// By the addresses of path and origin.
    places: FxHashMap<(usize, usize), u32>,
}

impl AlternativePool {
    /// Inserts an alternative; the handle removes it again.
    pub(crate) fn insert(&mut self, alternative: Alternative) -> AlternativeHandle {
        debug_assert!(
            alternative.site.same_instruction(&alternative.clause().site),
            "an alternative leaves its run at its clause"
        );
        let kept = |run| AlternativeHandle {
            run,
            index: alternative.index as u32,
            outcome: alternative.site.outcome,
            node: alternative.node,
            negated: alternative.negated,
        };
        let addresses = addresses(&alternative);
        if let Some(&number) = self.places.get(&addresses)
            && let Some(run) = &mut self.runs[number as usize]
            && run.first.run == alternative.run
            && run.first.key == alternative.key
        {
            run.waiting += 1;
            return kept(number);
        }
        let number = self.free.pop().unwrap_or_else(|| {
            self.runs.push(None);
            (self.runs.len() - 1) as u32
        });
        let kept = kept(number);
        self.runs[number as usize] = Some(Run { first: alternative, waiting: 1 });
        self.places.insert(addresses, number);
        kept
    }

    /// Number of the run within the pool, and its path; `None` when the alternative was removed.
    pub(crate) fn path(&self, kept: AlternativeHandle) -> Option<(u32, &PathCondition)> {
        Some((kept.run, &*self.runs.get(kept.run as usize)?.as_ref()?.first.path))
    }

    /// Tree and node of an alternative; `None` when it was removed.
    pub(crate) fn node_of(&self, kept: AlternativeHandle) -> Option<(&TreeKey, NodeId)> {
        Some((&self.runs.get(kept.run as usize)?.as_ref()?.first.key, kept.node))
    }

    /// The wanted branch outcome; `None` when the alternative was removed.
    pub(crate) fn site(&self, kept: AlternativeHandle) -> Option<BranchOutcome> {
        let run = self.runs.get(kept.run as usize)?.as_ref()?;
        Some(run.first.path.clauses.get(kept.index as usize)?.site.with_outcome(kept.outcome))
    }

    /// Removes and returns an alternative; `None` when it was removed before.
    pub(crate) fn take(&mut self, kept: AlternativeHandle) -> Option<Alternative> {
        let site = self.site(kept)?;
        let place = self.runs.get_mut(kept.run as usize)?;
        let run = place.as_mut()?;
        run.waiting -= 1;
        let first = if run.waiting > 0 {
            run.first.clone()
        } else {
            self.free.push(kept.run);
            place.take()?.first
        };
        if place.is_none() && self.places.get(&addresses(&first)) == Some(&kept.run) {
            self.places.remove(&addresses(&first));
        }
        Some(Alternative { node: kept.node, index: kept.index as usize, site, negated: kept.negated, ..first })
    }

    /// Removes all alternatives.
    pub(crate) fn clear(&mut self) {
        *self = AlternativePool::default();
    }
}

fn addresses(alternative: &Alternative) -> (usize, usize) {
    (Arc::as_ptr(&alternative.path).addr(), Arc::as_ptr(&alternative.origin).addr())
}

/// Pushes with a growth of an eighth instead of a doubling: memory counts more than copying here.
pub(crate) fn push_tight<T>(all: &mut Vec<T>, one: T) {
    if all.len() == all.capacity() {
        all.reserve_exact(all.len() / 8 + 16);
    }
    all.push(one);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expr::TermStore;
    use crate::select::tests::{PATH, alternatives};

    fn says(alternative: &Alternative) -> String {
        let Alternative { key, node, index, site, negated, run, .. } = alternative;
        format!("{key:?} {node:?} {index} {site} {negated:?} {run:?}")
    }

    #[test]
    fn removed_alternatives_equal_inserted_ones_and_leave_nothing_of_their_run() {
        let mut terms = TermStore::new();
        let (one, other) = (alternatives(&mut terms, PATH), alternatives(&mut terms, PATH));
        let path = Arc::downgrade(&one[0].path);
        let mut pool = AlternativePool::default();
        let expected: Vec<String> = one.iter().chain(&other).map(says).collect();
        let kept: Vec<AlternativeHandle> = one.into_iter().chain(other).map(|alternative| pool.insert(alternative)).collect();
        assert_eq!(pool.runs.len(), 2, "a path is held once");
        for (kept, expected) in kept.iter().zip(&expected) {
            assert!(path.upgrade().is_some() || pool.places.len() < 2);
            assert_eq!(&says(&pool.take(*kept).expect("it waits")), expected);
        }
        assert!(path.upgrade().is_none() && pool.places.is_empty());
        // The next run gets its number.
        let next = alternatives(&mut terms, PATH).remove(0);
        pool.insert(next);
        assert_eq!(pool.runs.len(), 2);
    }
}
