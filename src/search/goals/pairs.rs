//! Pairs of branch outcomes that one call takes.
//!
//! In: executions. Out: goals, a few for each method. Must not know how tests are chosen.
//!
//! Tests that take each branch once leave most combinations out, and a change of the code often matters to one
//! combination only. There are too many for a test of each. So once single goals are done with, a method gets a
//! handful of pairs that no test of the archive took so far: those that the search comes across.

use std::collections::BTreeSet;

use rustc_hash::{FxHashMap, FxHashSet};
use tracewright_trace::BranchSlot;

use super::observe::CallOutcome;
use super::registry::{Goal, GoalId, GoalRegistry, MethodId};
use crate::execution::Execution;

/// Pairs that are goals, at most: of one method, and of all.
const MOST_OF_METHOD: usize = 3;
const MOST: usize = 16;
/// A call that takes more outcomes than this goes through a loop or a table: pairs of them tell little.
const MOST_OUTCOMES: usize = 24;

/// The pairs that are known.
#[derive(Debug, Default)]
pub(super) struct Pairs {
    /// Whether pairs become goals.
    is_open: bool,
    /// Pairs that a test of the archive takes, or took.
    archived: FxHashSet<(BranchSlot, BranchSlot)>,
    /// How many pairs of each method are goals.
    by_method: FxHashMap<MethodId, usize>,
}

impl GoalRegistry {
    /// Whether pairs are goals.
    pub(in crate::search) fn has_pairs(&self) -> bool {
        self.pairs.is_open
    }

    /// Whether the goal is a pair.
    pub(crate) fn is_pair(&self, id: GoalId) -> bool {
        matches!(self.goal(id), Goal::Pair { .. })
    }

    /// Makes pairs goals that executions show from now on, and that no test of the archive takes.
    pub(in crate::search) fn open_pairs(&mut self) {
        self.pairs.is_open = true;
    }

    /// Notes that a test of the archive takes the pairs of this execution.
    pub(in crate::search) fn archive_pairs(&mut self, execution: &Execution, calls: &[(MethodId, CallOutcome)]) {
        if !self.pairs.is_open {
            let pairs = self.pairs_of(execution, calls);
            self.pairs.archived.extend(pairs.into_iter().map(|(_, first, second)| (first, second)));
        }
    }

    /// Appends the goals of pairs that the execution takes, and registers new ones.
    pub(in crate::search) fn register_pairs(
        &mut self,
        execution: &Execution,
        calls: &[(MethodId, CallOutcome)],
        covered: &mut Vec<GoalId>,
    ) {
        if !self.pairs.is_open {
            return;
        }
        for (method, first, second) in self.pairs_of(execution, calls) {
            if self.pairs.archived.contains(&(first, second)) {
                continue;
            }
            let goal = Goal::Pair { method, first, second };
            if self.find(&goal).is_none() {
                let all: usize = self.pairs.by_method.values().sum();
                let of_method = self.pairs.by_method.entry(method).or_default();
                if *of_method == MOST_OF_METHOD || all == MOST {
                    continue;
                }
                *of_method += 1;
            }
            covered.push(self.register(goal));
        }
    }

    /// The registered pairs that the execution takes.
    pub(super) fn known_pairs(&self, execution: &Execution, calls: &[(MethodId, CallOutcome)]) -> impl Iterator<Item = GoalId> {
        let pairs = self.pairs.is_open.then(|| self.pairs_of(execution, calls));
        pairs.into_iter().flatten().filter_map(|(method, first, second)| self.find(&Goal::Pair { method, first, second }))
    }

    /// The pairs of outcomes in methods that the test calls once: two calls may take one outcome each.
    fn pairs_of(&self, execution: &Execution, calls: &[(MethodId, CallOutcome)]) -> Vec<(MethodId, BranchSlot, BranchSlot)> {
        let mut pairs = Vec::new();
        for (method, _) in calls {
            if calls.iter().filter(|(called, _)| called == method).count() != 1 {
                continue;
            }
            let taken = execution.branches.iter().filter(|(_, distance)| *distance == 0.0).map(|(slot, _)| *slot);
            let taken = taken.filter(|slot| self.method_of_branch(*slot) == Some(*method));
            let taken: BTreeSet<BranchSlot> = taken.map(|slot| self.slot_of_goal(slot)).collect();
            let taken: Vec<BranchSlot> = taken.into_iter().collect();
            if taken.len() > MOST_OUTCOMES {
                continue;
            }
            for (place, first) in taken.iter().enumerate() {
                pairs.extend(taken[place + 1..].iter().map(|second| (*method, *first, *second)));
            }
        }
        pairs
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::goals;
    use super::*;
    use crate::execution::RunEnd;

    fn taking(slots: &[u32]) -> Execution {
        let branches = slots.iter().map(|slot| (BranchSlot(*slot), 0.0)).collect();
        Execution { branches, ..Execution::without_measurements(RunEnd::Completed) }
    }

    #[test]
    fn a_pair_is_a_goal_where_no_test_of_the_archive_takes_it() {
        let mut goals = goals();
        let slots: Vec<u32> = (0..8).filter(|slot| goals.method_of_branch(BranchSlot(*slot)) == Some(MethodId(0))).collect();
        assert!(slots.len() >= 3, "{slots:?}");
        let calls = [(MethodId(0), CallOutcome::Returned)];
        let mut covered = Vec::new();
        goals.register_pairs(&taking(&slots[..2]), &calls, &mut covered);
        assert_eq!(covered, [], "single goals come first");
        goals.archive_pairs(&taking(&slots[..2]), &calls);
        goals.open_pairs();
        goals.register_pairs(&taking(&slots[..3]), &calls, &mut covered);
        assert_eq!(covered.len(), 2, "two of three pairs are new");
        assert!(covered.iter().all(|goal| goals.is_required(*goal)));
        assert_eq!(goals.known_pairs(&taking(&slots[..3]), &calls).count(), 2);
        let twice = [calls[0], calls[0]];
        assert_eq!(goals.known_pairs(&taking(&slots[..3]), &twice).count(), 0, "each call may take one of the outcomes");
        let known = goals.branch_goal(BranchSlot(slots[2])).expect("a goal");
        goals.close(known);
        assert!(covered.iter().all(|goal| !goals.is_required(*goal)), "recorded tests take an outcome of each");
    }
}
