//! Chooses the alternative to attempt next. Flows in: alternatives from the trees, open goals,
//! results of attempts; flows out: one alternative at a time. The same calls give the same order.
//! Must not know how an alternative is solved.
//!
//! An *attempt* is one alternative that was drawn, solved, and run. A [`Selector`] gets each
//! alternative when its tree finds it ([`Selector::push`]), and the result of each attempt
//! ([`Selector::record_attempt`]). The engine uses [`Guided`]. The other orders exist for
//! comparison (`--order`, `cargo xtask bench selection`):
//!
//! - first in, first out, and last in, first out (depth first);
//! - [`CoverageFirst`]: the outcome with the fewest attempts;
//! - [`Knn`]: the weighted random order of tardis §4.
//!
//! `fingerprint` maps the clauses that decide an alternative to a Bloom filter (tardis §4.2);
//! `examples` finds the most similar attempts (tardis §4.3). [`Training`] carries fingerprints and
//! results from class to class and from session to session. Fingerprints consist of operators,
//! names and constants alone, so that they mean the same in every process. `pool` holds pending
//! alternatives in 20 bytes each, and the shared parts of a run once.
//!
//! No order weighs the resources that the solver spends (docs/experiments.md, "Selection").

mod coverage;
mod examples;
mod fingerprint;
mod guided;
mod indices;
mod knn;
mod pool;
mod training;

pub use coverage::CoverageFirst;
pub use fingerprint::{Bloom, ClauseHash, Hashes, jaccard};
pub use guided::Guided;
pub use knn::{Knn, KnnConfig};
pub(crate) use training::{Training, UnreadTraining};

use std::collections::VecDeque;

use crate::expr::{TermId, TermStore};
use crate::path::{BranchOutcome, PathCondition};
use crate::testcase::TestHash;
use crate::tree::{Alternative, NodeId, TreeKey};

/// Tells whether a branch outcome is a goal that no test covers. Goals are only closed, never
/// reopened.
pub trait OpenGoals {
    /// Whether no test covers this branch outcome yet.
    fn is_open(&self, site: &BranchOutcome) -> bool;
}

impl<F: Fn(&BranchOutcome) -> bool> OpenGoals for F {
    fn is_open(&self, site: &BranchOutcome) -> bool {
        self(site)
    }
}

/// Result of an attempt, that is, of one alternative that was drawn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AttemptOutcome {
    /// A test case took the wanted branch outcome.
    Feasible,
    /// The clauses of the core contradict each other.
    Infeasible {
        /// The clauses that contradict each other.
        core: Vec<TermId>,
    },
    /// Neither a test case nor a proof was found.
    Unresolved,
}

/// An order over pending alternatives.
pub trait Selector: std::fmt::Debug + Send {
    /// Adds a pending alternative.
    fn push(&mut self, terms: &TermStore, alternative: Alternative);
    /// Removes and returns the next alternative; `None` when none is pending.
    fn next(&mut self, terms: &TermStore, goals: &dyn OpenGoals) -> Option<Alternative>;
    /// Whether a pending alternative leads to an open goal that was not attempted; otherwise new
    /// runs may be worth more than attempts.
    fn is_promising(&mut self, _goals: &dyn OpenGoals) -> bool {
        true
    }
    /// Records the result of an attempt at an alternative that [`Selector::next`] returned.
    fn record_attempt(&mut self, _terms: &TermStore, _alternative: &Alternative, _ending: &AttemptOutcome) {}
    /// Clauses of the alternative that are known to contradict each other, by earlier results; it
    /// need not be attempted then.
    fn known_contradiction(&self, _alternative: &Alternative) -> Option<Vec<TermId>> {
        None
    }
    /// Records the path of a run.
    fn record_run(&mut self, _path: &PathCondition) {}
    /// Loads results of earlier attempts; called before the first attempt.
    fn load_training(&mut self, _training: &Training) {}
    /// Results of attempts, including those loaded; empty where the order does not learn.
    fn training(&self) -> Training {
        Training::default()
    }
    /// Sets the runs that come nearest to an open goal, nearest first, by their test cases.
    fn set_nearest_runs(&mut self, _runs: &[TestHash]) {}
    /// Pending alternatives, each with the reason in one phrase why it was not drawn yet; empty
    /// where the order has no reasons.
    fn explain_pending(&self) -> Vec<(&TreeKey, NodeId, String)> {
        Vec::new()
    }
    /// Removes all alternatives; results of attempts stay.
    fn clear(&mut self);
    /// Number of pending alternatives.
    fn len(&self) -> usize;
    /// Whether no alternative is pending.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// First in, first out.
#[derive(Debug, Default)]
pub(crate) struct Fifo {
    waiting: VecDeque<Alternative>,
}

impl Selector for Fifo {
    fn push(&mut self, _terms: &TermStore, alternative: Alternative) {
        self.waiting.push_back(alternative);
    }

    fn next(&mut self, _terms: &TermStore, _goals: &dyn OpenGoals) -> Option<Alternative> {
        self.waiting.pop_front()
    }

    fn clear(&mut self) {
        self.waiting.clear();
    }

    fn len(&self) -> usize {
        self.waiting.len()
    }
}

/// Last in, first out: the deepest decision of the latest run comes first.
#[derive(Debug, Default)]
pub(crate) struct DepthFirst {
    waiting: Vec<Alternative>,
}

impl Selector for DepthFirst {
    fn push(&mut self, _terms: &TermStore, alternative: Alternative) {
        self.waiting.push(alternative);
    }

    fn next(&mut self, _terms: &TermStore, _goals: &dyn OpenGoals) -> Option<Alternative> {
        self.waiting.pop()
    }

    fn clear(&mut self) {
        self.waiting.clear();
    }

    fn len(&self) -> usize {
        self.waiting.len()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::program::{ClassName, MethodRef};
    use crate::testcase::TestCase;
    use crate::tree::{ConstraintTree, TreeLimits};

    pub(crate) const PATH: &str = "path 0 0 0
jump 0 T.m(I)V @1 =0: (bvslt v0 5) | =1: (bvsle 5 v0)
jump 0 T.m(I)V @4 =0: (bvslt v0 4) | =1: (bvsle 4 v0)
jump 0 T.m(I)V @4 =0: (bvslt v0 3) | =1: (bvsle 3 v0)
jump 0 T.m(I)V @7 =1: (bvslt v0 2) | =0: (bvsle 2 v0)
";

    /// The fingerprint of clauses, given by number.
    pub(crate) fn bloom(clauses: &[u64]) -> Bloom {
        let mut bloom = Bloom::default();
        for &clause in clauses {
            let shape = clause.wrapping_mul(0x9e37_79b9_7f4a_7c15);
            bloom.add(ClauseHash { shape, whole: shape.rotate_left(31) });
        }
        bloom
    }

    /// All alternatives that a run leaves.
    pub(crate) fn alternatives(terms: &mut TermStore, path: &str) -> Vec<Alternative> {
        let path = Arc::new(PathCondition::parse(path, terms).expect("well-formed"));
        let test = Arc::new(TestCase::default());
        let key = TreeKey::of(&test, &MethodRef::new(ClassName::new("T"), "m", "(I)V"));
        ConstraintTree::new(key, TreeLimits::default()).insert(&path, &test)
    }

    fn order(selector: &mut dyn Selector, goals: &dyn OpenGoals) -> Vec<usize> {
        let mut terms = TermStore::new();
        for alternative in alternatives(&mut terms, PATH) {
            selector.push(&terms, alternative);
        }
        assert_eq!(selector.len(), 4);
        let mut order = Vec::new();
        while let Some(alternative) = selector.next(&terms, goals) {
            order.push(alternative.index);
        }
        assert!(selector.is_empty());
        order
    }

    #[test]
    fn fifo_and_depth_first_are_opposites() {
        let nothing = |_: &BranchOutcome| false;
        assert_eq!(order(&mut Fifo::default(), &nothing), [0, 1, 2, 3]);
        assert_eq!(order(&mut DepthFirst::default(), &nothing), [3, 2, 1, 0]);
    }

    #[test]
    fn coverage_first_prefers_open_goals_then_outcomes_with_few_attempts() {
        let open = |site: &BranchOutcome| site.bci == 7;
        assert_eq!(order(&mut CoverageFirst::default(), &open), [3, 0, 1, 2]);
        let nothing = |_: &BranchOutcome| false;
        assert_eq!(order(&mut CoverageFirst::default(), &nothing), [0, 1, 3, 2]);
    }

    #[test]
    fn pending_alternatives_have_a_reason() {
        let mut terms = TermStore::new();
        let mut guided = Guided::default();
        let mut nodes = Vec::new();
        for alternative in alternatives(&mut terms, PATH) {
            nodes.push(alternative.node);
            guided.push(&terms, alternative);
        }
        assert_eq!(guided.next(&terms, &|_: &BranchOutcome| false).map(|drawn| drawn.index), Some(0));
        let explain_pending: Vec<_> = guided.explain_pending().into_iter().map(|(_, node, why)| (node, why)).collect();
        let of_two = |place: u32| format!("number {place} of 2 of this branch outcome, which counts as attempted 0 times");
        let alone = "no alternative of this branch outcome was attempted yet".to_owned();
        assert_eq!(explain_pending, [(nodes[1], of_two(1)), (nodes[2], of_two(2)), (nodes[3], alone)]);
    }

    /// Two decisions in a called method, and jumps of the caller that test its result.
    const CALLED: &str = "path 0 0 0
jump 0 T.is(I)Z @1 =0: (bvslt v0 5) | =1: (bvsle 5 v0)
jump 0 T.is(I)Z @4 =0: (bvslt v0 4) | =1: (bvsle 4 v0)
passed T.m(I)V @9 =1
jump 0 T.m(I)V @12 =0: (bvslt v0 3) | =1: (bvsle 3 v0)
jump 0 T.is(I)Z @1 =0: (bvslt v0 2) | =1: (bvsle 2 v0)
passed T.m(I)V @20 =0
passed T.m(I)V @9 =1
";

    #[test]
    fn guided_draws_for_goals_that_a_run_passed() {
        let drawn = |goals: &[(u32, u32)]| {
            let mut terms = TermStore::new();
            let mut guided = Guided::default();
            for alternative in alternatives(&mut terms, CALLED) {
                guided.push(&terms, alternative);
            }
            let open = |site: &BranchOutcome| goals.contains(&(site.bci, site.outcome));
            let order: Vec<usize> = std::iter::from_fn(|| guided.next(&terms, &open)).map(|drawn| drawn.index).collect();
            assert_eq!((order.len(), guided.len()), (4, 0), "each once");
            order
        };
        assert_eq!(drawn(&[]), [0, 1, 2, 3]);
        // The last decision before the goal is the likeliest one.
        assert_eq!(drawn(&[(20, 1)])[0], 3);
        assert_eq!(drawn(&[(9, 0)])[0], 1);
        assert_eq!(drawn(&[(20, 0), (9, 1)]), [0, 1, 2, 3], "what the run took is no goal");
        // A goal that is an own outcome comes before passed goals; then each goal comes once.
        assert_eq!(drawn(&[(20, 1), (9, 0), (12, 1)])[..3], [2, 1, 3]);
    }

    #[test]
    fn guided_is_promising_while_an_open_goal_was_not_attempted() {
        let mut terms = TermStore::new();
        let mut guided = Guided::default();
        let open = |site: &BranchOutcome| site.bci == 4 && site.outcome == 1;
        assert!(!guided.is_promising(&open), "no alternative is pending");
        for alternative in alternatives(&mut terms, PATH) {
            guided.push(&terms, alternative);
        }
        assert!(guided.is_promising(&open));
        assert_eq!(guided.next(&terms, &open).map(|drawn| drawn.index), Some(1));
        assert!(!guided.is_promising(&open), "the goal was attempted by another alternative");
        assert!(!guided.is_empty());
    }

    #[test]
    fn guided_alternates_between_near_runs_and_coverage() {
        let nothing = |_: &BranchOutcome| false;
        assert_eq!(order(&mut Guided::default(), &nothing), [0, 1, 3, 2], "no run is near");
        let mut guided = Guided::default();
        guided.set_nearest_runs(&[TestCase::default().canonical_hash()]);
        assert_eq!(order(&mut guided, &nothing), [3, 0, 2, 1]);
    }
}
