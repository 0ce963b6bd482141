//! The goals that one test covers, and choosing tests by them. Flows in: executions. Flows out:
//! sets of goals. Must not know how tests are finished.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use crate::execution::{Execution, MutantId};
use crate::search::{Goal, GoalId, GoalRegistry, Search};

/// Lines and branches that a test, or several together, cover.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct CoveredGoals {
    pub(super) branches: BTreeSet<GoalId>,
    pub(super) lines: BTreeSet<GoalId>,
}

impl CoveredGoals {
    /// The goals that the execution reached.
    pub(super) fn of(execution: &Execution, goals: &GoalRegistry) -> CoveredGoals {
        let taken = execution.branches.iter().filter(|(_, distance)| *distance == 0.0);
        CoveredGoals {
            branches: taken.filter_map(|(slot, _)| goals.branch_goal(*slot)).collect(),
            lines: execution.lines.iter().filter_map(|slot| goals.line_goal(*slot)).collect(),
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
        }
        together
    }

    /// How many goals these are.
    pub(super) fn len(&self) -> usize {
        self.branches.len() + self.lines.len()
    }

    /// Whether the goal is among these.
    pub(super) fn contains(&self, goal: GoalId) -> bool {
        self.branches.contains(&goal) || self.lines.contains(&goal)
    }

    /// Branches, then lines.
    pub(super) fn iter(&self) -> impl Iterator<Item = &GoalId> {
        self.branches.iter().chain(&self.lines)
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

/// The places of all tests but those of `candidates` whose goals and mutants the tests that are kept
/// reach and kill too. An earlier candidate is dropped first.
pub(super) fn without_needless(
    reached: &[&CoveredGoals],
    killed: &[BTreeSet<MutantId>],
    candidates: &[usize],
) -> BTreeSet<usize> {
    let mut kept: BTreeSet<usize> = (0..reached.len()).collect();
    for place in candidates {
        kept.remove(place);
        let is_reached = |goal: &GoalId| kept.iter().any(|other| reached[*other].contains(*goal));
        let is_killed = |mutant: &MutantId| kept.iter().any(|other| killed[*other].contains(mutant));
        if !(reached[*place].iter().all(is_reached) && killed[*place].iter().all(is_killed)) {
            kept.insert(*place);
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_candidate_goes_where_the_others_reach_and_kill_the_same() {
        let reached = [lines(&[1]), lines(&[1]), lines(&[1, 2]), lines(&[])];
        let reached: Vec<&CoveredGoals> = reached.iter().collect();
        let killed = [&[1, 2][..], &[1], &[1], &[2]].map(|all| all.iter().copied().map(MutantId).collect::<BTreeSet<_>>());
        let kept = |candidates: &[usize]| Vec::from_iter(without_needless(&reached, &killed, candidates));
        assert_eq!(kept(&[]), [0, 1, 2, 3]);
        assert_eq!(kept(&[3, 0, 1]), [0, 2]);
        assert_eq!(kept(&[0, 1, 3]), [2, 3]);
        // Nothing else reaches line 2.
        assert_eq!(kept(&[2]), [0, 1, 2, 3]);
    }

    fn lines(lines: &[u32]) -> CoveredGoals {
        CoveredGoals { lines: lines.iter().copied().map(GoalId).collect(), ..CoveredGoals::default() }
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
