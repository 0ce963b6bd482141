//! Alternatives that wait, each without what all alternatives of its run share. Flows in: alternatives; flows out: the same alternatives.
//! Must not know in which order.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::expr::TermId;
use crate::path::{BranchOutcome, PathCondition};
use crate::tree::{Alternative, NodeId, TreeKey};

/// An alternative of a [`Shelf`], in 20 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Kept {
    run: u32,
    pub(crate) index: u32,
    outcome: u32,
    node: NodeId,
    negated: TermId,
}

/// A run that alternatives leave.
#[derive(Debug)]
struct Run {
    /// The one of them that came first, for what they share.
    first: Alternative,
    /// Alternatives of it that wait.
    waiting: u32,
}

/// What the runs of waiting alternatives hold, once each; it goes with the last of them.
#[derive(Debug, Default)]
pub(crate) struct Shelf {
    runs: Vec<Option<Run>>,
    free: Vec<u32>,
    /// By the addresses of path and origin.
    places: FxHashMap<(usize, usize), u32>,
}

impl Shelf {
    pub(crate) fn keep(&mut self, alternative: Alternative) -> Kept {
        debug_assert!(
            alternative.site.same_instruction(&alternative.clause().site),
            "an alternative leaves its run at its clause"
        );
        let kept = |run| Kept {
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

    /// The path that an alternative leaves, by a number that it shares with the others of its run.
    pub(crate) fn path(&self, kept: Kept) -> Option<(u32, &PathCondition)> {
        Some((kept.run, &*self.runs.get(kept.run as usize)?.as_ref()?.first.path))
    }

    /// Where an alternative stands in which tree.
    pub(crate) fn place(&self, kept: Kept) -> Option<(&TreeKey, NodeId)> {
        Some((&self.runs.get(kept.run as usize)?.as_ref()?.first.key, kept.node))
    }

    /// The way out that an alternative asks for.
    pub(crate) fn site(&self, kept: Kept) -> Option<BranchOutcome> {
        let run = self.runs.get(kept.run as usize)?.as_ref()?;
        Some(run.first.path.clauses.get(kept.index as usize)?.site.with_outcome(kept.outcome))
    }

    /// Takes an alternative out. `None`: it was taken before.
    pub(crate) fn take(&mut self, kept: Kept) -> Option<Alternative> {
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

    pub(crate) fn clear(&mut self) {
        *self = Shelf::default();
    }
}

fn addresses(alternative: &Alternative) -> (usize, usize) {
    (Arc::as_ptr(&alternative.path).addr(), Arc::as_ptr(&alternative.origin).addr())
}

/// A growth of an eighth instead of the double, where memory counts more than the copying.
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
        format!("{key:?} {node:?} {index} {site} {negated:?} {run}")
    }

    #[test]
    fn what_is_taken_is_what_was_kept_and_nothing_stays_of_its_run() {
        let mut terms = TermStore::new();
        let (one, other) = (alternatives(&mut terms, PATH), alternatives(&mut terms, PATH));
        let path = Arc::downgrade(&one[0].path);
        let mut shelf = Shelf::default();
        let expected: Vec<String> = one.iter().chain(&other).map(says).collect();
        let kept: Vec<Kept> = one.into_iter().chain(other).map(|alternative| shelf.keep(alternative)).collect();
        assert_eq!(shelf.runs.len(), 2, "a path is held once");
        for (kept, expected) in kept.iter().zip(&expected) {
            assert!(path.upgrade().is_some() || shelf.places.len() < 2);
            assert_eq!(&says(&shelf.take(*kept).expect("it waits")), expected);
        }
        assert!(path.upgrade().is_none() && shelf.places.is_empty());
        // Its place is given to the next run.
        let next = alternatives(&mut terms, PATH).remove(0);
        shelf.keep(next);
        assert_eq!(shelf.runs.len(), 2);
    }
}
