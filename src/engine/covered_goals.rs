//! The goals that one test covers, and choosing tests by them. Flows in: executions. Flows out:
//! sets of goals. Must not know how tests are finished.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use tracewright_trace::BranchSlot;

use crate::execution::{Execution, MutantId, RunEnd, ValueClass};
use crate::program::BranchOutcome;
use crate::search::{Goal, GoalId, GoalRegistry, Search, is_unchecked};
use crate::testcase::TestCase;

/// What a test, or several together, cover.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct CoveredGoals {
    pub(super) branches: BTreeSet<GoalId>,
    pub(super) lines: BTreeSet<GoalId>,
    /// Calls of methods, exceptions, responses, pairs and fractions that the suite needs a test for.
    effects: BTreeSet<GoalId>,
}

impl CoveredGoals {
    /// The goals that the execution of the test reached.
    pub(super) fn of(test: &TestCase, execution: &Execution, goals: &GoalRegistry) -> CoveredGoals {
        let is_foreign = goals.weakness(test, &execution.end).is_foreign_exception();
        let is_effect = |goal: &GoalId| {
            let is_effect = match goals.goal(*goal) {
                Goal::Method { .. } | Goal::Response { .. } | Goal::Pair { .. } => true,
                Goal::Exception { .. } => !is_foreign,
                // 0 and 1 say little of how a share is computed.
                Goal::Output { class, .. } => *class == ValueClass::Fraction,
                _ => false,
            };
            is_effect && goals.is_required(*goal)
        };
        let taken = execution.branches.iter().filter(|(_, distance)| *distance == 0.0);
        CoveredGoals {
            branches: taken.filter_map(|(slot, _)| goals.branch_goal(*slot)).collect(),
            lines: execution.lines.iter().filter_map(|slot| goals.line_goal(*slot)).collect(),
            effects: goals.covered_by(test, execution).into_iter().filter(is_effect).collect(),
        }
    }

    /// The goals that the archive of the search has tests for.
    pub(super) fn of_archive(search: &Search) -> CoveredGoals {
        let mut found = CoveredGoals::default();
        for (id, _) in search.archive().iter() {
            match search.goals().goal(id) {
                Goal::Branch { .. } => found.branches.insert(id),
                Goal::Line { .. } => found.lines.insert(id),
                _ => false,
            };
        }
        found
    }

    /// The goals that any of these covers.
    pub(super) fn union<'g>(all: impl IntoIterator<Item = &'g CoveredGoals>) -> CoveredGoals {
        let mut together = CoveredGoals::default();
        for one in all {
            together.branches.extend(&one.branches);
            together.lines.extend(&one.lines);
            together.effects.extend(&one.effects);
        }
        together
    }

    /// Removes the goals that are among both of the others.
    pub(super) fn remove_common(&mut self, one: &CoveredGoals, other: &CoveredGoals) {
        let remove = |from: &mut BTreeSet<GoalId>, one: &BTreeSet<GoalId>, other: &BTreeSet<GoalId>| {
            from.retain(|goal| !(one.contains(goal) && other.contains(goal)));
        };
        remove(&mut self.branches, &one.branches, &other.branches);
        remove(&mut self.lines, &one.lines, &other.lines);
        remove(&mut self.effects, &one.effects, &other.effects);
    }

    /// Removes the pairs of outcomes: two calls of a test may take one outcome each.
    pub(super) fn forget_pairs(&mut self, goals: &GoalRegistry) {
        self.effects.retain(|goal| !goals.is_pair(*goal));
    }

    /// The goals that the other ones lack.
    pub(super) fn without(&self, other: &CoveredGoals) -> CoveredGoals {
        let lacking = |own: &BTreeSet<GoalId>, other: &BTreeSet<GoalId>| own.difference(other).copied().collect();
        CoveredGoals {
            branches: lacking(&self.branches, &other.branches),
            lines: lacking(&self.lines, &other.lines),
            effects: lacking(&self.effects, &other.effects),
        }
    }

    /// Whether there are none of any kind.
    pub(super) fn is_empty(&self) -> bool {
        self.len() == 0 && self.effects.is_empty()
    }

    /// How many lines and branches these are.
    pub(super) fn len(&self) -> usize {
        self.branches.len() + self.lines.len()
    }

    /// Whether the line or branch is among these.
    pub(super) fn contains(&self, goal: GoalId) -> bool {
        self.branches.contains(&goal) || self.lines.contains(&goal)
    }

    /// The outcomes that these branches are. `branches`: those of the classes under test.
    pub(super) fn outcomes(
        &self,
        goals: &GoalRegistry,
        branches: &BTreeMap<BranchSlot, BranchOutcome>,
    ) -> BTreeSet<BranchOutcome> {
        let outcome = |branch: &GoalId| match goals.goal(*branch) {
            Goal::Branch { slot, .. } => branches.get(slot).cloned(),
            _ => None,
        };
        self.branches.iter().filter_map(outcome).collect()
    }

    /// Branches, then lines.
    pub(super) fn iter(&self) -> impl Iterator<Item = &GoalId> {
        self.branches.iter().chain(&self.lines)
    }

    /// Numbers of these goals and of mutants, for [`minimum_cover`](crate::search::minimum_cover).
    pub(super) fn numbered<'g>(&'g self, mutants: impl Iterator<Item = MutantId> + 'g) -> BTreeSet<u32> {
        let goals = self.iter().chain(&self.effects).map(|goal| goal.0 << 1);
        goals.chain(mutants.map(CoveredGoals::number_of_mutant)).collect()
    }

    /// The number that [`CoveredGoals::numbered`] gives a mutant.
    pub(super) fn number_of_mutant(mutant: MutantId) -> u32 {
        (mutant.index() as u32) << 1 | 1
    }
}

/// Places of at most `most` of these that cover the most goals together, chosen greedily.
pub(super) fn choose_covering(tests: &[&CoveredGoals], most: usize) -> BTreeSet<usize> {
    let mut covered: BTreeSet<GoalId> = BTreeSet::new();
    let mut kept: BTreeSet<usize> = BTreeSet::new();
    while kept.len() < most {
        let gain = |place: &usize| (tests[*place].iter().filter(|goal| !covered.contains(goal)).count(), Reverse(*place));
        let Some(next) = (0..tests.len()).filter(|place| !kept.contains(place)).max_by_key(gain) else { break };
        covered.extend(tests[next].iter());
        kept.insert(next);
    }
    kept
}

/// The tests of the archive that goals require, those of the most goals first.
pub(super) fn archived_suite(search: &Search) -> Vec<TestCase> {
    let mut tests = search.archive().tests();
    let all = search.goals();
    for (_, goals) in &mut tests {
        goals.retain(|goal| all.is_required(*goal));
    }
    tests.retain(|(kept, goals)| !goals.is_empty() && !is_unchecked(&kept.end));
    tests.sort_by_key(|(_, goals)| Reverse(goals.len()));
    tests.into_iter().map(|(kept, _)| TestCase::clone(&kept.test)).collect()
}

/// Whether the changed test covers all that the test covers.
pub(super) fn covers_the_same(goals: &GoalRegistry, test: &(TestCase, Execution), changed: &(TestCase, Execution)) -> bool {
    let covered =
        |(test, execution): &(TestCase, Execution)| goals.covered_by(test, execution).into_iter().collect::<BTreeSet<GoalId>>();
    changed.1.end != RunEnd::Unrun && covered(test).is_subset(&covered(changed))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(lines: &[u32]) -> CoveredGoals {
        CoveredGoals { lines: lines.iter().copied().map(GoalId).collect(), ..CoveredGoals::default() }
    }

    #[test]
    fn goals_and_mutants_have_different_numbers() {
        let mutants = [1, 2].map(MutantId);
        assert_eq!(lines(&[1, 2]).numbered(mutants.into_iter()), BTreeSet::from([2, 3, 4, 5]));
    }

    #[test]
    fn the_tests_that_are_kept_cover_the_most_together() {
        let tests = [lines(&[1, 2]), lines(&[1, 2, 3]), lines(&[4]), lines(&[])];
        let tests: Vec<&CoveredGoals> = tests.iter().collect();
        assert_eq!(choose_covering(&tests, 2), BTreeSet::from([1, 2]));
        assert_eq!(choose_covering(&tests, 9).len(), 4);
        assert_eq!(CoveredGoals::union(tests).iter().count(), 4);
    }
}
