//! The cheapest tests that show all that many tests show together: a minimum weighted set cover.
//!
//! In: what each test shows, as numbers, and what a reader pays for the test. Out: the places of the
//! chosen tests. Must not know what the numbers stand for.
//!
//! Paths are chosen in the same way (sushi §3.2). Three rules that lose no optimum come first: a test that
//! alone shows something is chosen; a test goes where a cheaper one shows as much; what is shown
//! wherever something else is shown needs no attention. Few tests are left, in groups that have
//! nothing in common. For each group `microlp` solves an integer program by branch and bound, where
//! the number of nodes is limited. The greedy cover is taken where it finds none that is cheaper.

use std::collections::{BTreeMap, BTreeSet};

use microlp::{ComparisonOp, OptimizationDirection, Problem, SolveOptions, Variable};
use petgraph::unionfind::UnionFind;

/// Nodes of the search for the optimum of one group.
const MOST_NODES: u64 = 200;
/// Tests of a group for which an optimum is searched.
const MOST_TESTS: usize = 120;

/// Places of tests of the least total cost that together show everything that any test shows. The
/// same input gives the same tests.
pub(crate) fn minimum_cover(shown: &[BTreeSet<u32>], costs: &[u32]) -> BTreeSet<usize> {
    let mut cover = PartialCover::new(shown, costs);
    cover.reduce();
    for group in cover.groups() {
        let best = cover.optimum_of(&group);
        cover.chosen.extend(best);
    }
    cover.chosen
}

/// Chosen tests, and what is left to be shown.
struct PartialCover<'c> {
    costs: &'c [u32],
    chosen: BTreeSet<usize>,
    /// The tests that show each thing that is left. Things that the same tests show are one.
    showing: BTreeSet<BTreeSet<usize>>,
}

impl PartialCover<'_> {
    fn new<'c>(shown: &[BTreeSet<u32>], costs: &'c [u32]) -> PartialCover<'c> {
        let mut by_thing: BTreeMap<u32, BTreeSet<usize>> = BTreeMap::new();
        for (place, things) in shown.iter().enumerate() {
            for thing in things {
                by_thing.entry(*thing).or_default().insert(place);
            }
        }
        PartialCover { costs, chosen: BTreeSet::new(), showing: by_thing.into_values().collect() }
    }

    /// What each test shows of what is left, by the place of the thing.
    fn by_test(&self) -> BTreeMap<usize, BTreeSet<usize>> {
        let mut by_test: BTreeMap<usize, BTreeSet<usize>> = BTreeMap::new();
        for (thing, tests) in self.showing.iter().enumerate() {
            for test in tests {
                by_test.entry(*test).or_default().insert(thing);
            }
        }
        by_test
    }

    /// Applies the rules until none applies.
    fn reduce(&mut self) {
        loop {
            let before = (self.chosen.len(), self.showing.len(), self.showing.iter().map(BTreeSet::len).sum::<usize>());
            self.choose_only_tests();
            self.drop_things();
            self.drop_tests();
            if before == (self.chosen.len(), self.showing.len(), self.showing.iter().map(BTreeSet::len).sum::<usize>()) {
                return;
            }
        }
    }

    /// Chooses each test that alone shows something.
    fn choose_only_tests(&mut self) {
        let only = self.showing.iter().filter(|tests| tests.len() == 1).flatten().copied();
        self.chosen.extend(only.collect::<Vec<usize>>());
        self.showing.retain(|tests| tests.is_disjoint(&self.chosen));
    }

    /// Drops each thing that every choice of tests for another thing shows as well.
    fn drop_things(&mut self) {
        let by_size: BTreeSet<(usize, &BTreeSet<usize>)> = self.showing.iter().map(|tests| (tests.len(), tests)).collect();
        let mut kept: Vec<&BTreeSet<usize>> = Vec::new();
        for (_, tests) in by_size {
            if !kept.iter().any(|other| other.is_subset(tests)) {
                kept.push(tests);
            }
        }
        self.showing = kept.into_iter().cloned().collect();
    }

    /// Drops each test where another one that costs no more shows as much.
    fn drop_tests(&mut self) {
        let by_test = self.by_test();
        let mut dropped: BTreeSet<usize> = BTreeSet::new();
        for (test, things) in &by_test {
            let is_better = |(other, more): (&usize, &BTreeSet<usize>)| {
                let costs = (self.costs[*other], *other, self.costs[*test], *test);
                let is_as_cheap = costs.0 < costs.2 || costs.0 == costs.2 && (more.len() > things.len() || costs.1 < costs.3);
                other != test && !dropped.contains(other) && is_as_cheap && things.is_subset(more)
            };
            if by_test.iter().any(is_better) {
                dropped.insert(*test);
            }
        }
        self.showing =
            self.showing.iter().map(|tests| tests.difference(&dropped).copied().collect::<BTreeSet<usize>>()).collect();
    }

    /// What is left, in groups of things without a common test.
    fn groups(&self) -> Vec<Vec<BTreeSet<usize>>> {
        let mut connected: UnionFind<usize> = UnionFind::new(self.costs.len());
        for tests in &self.showing {
            let first = tests.first().copied().unwrap_or_default();
            for test in tests {
                connected.union(first, *test);
            }
        }
        let mut groups: BTreeMap<usize, Vec<BTreeSet<usize>>> = BTreeMap::new();
        for tests in &self.showing {
            groups.entry(connected.find(tests.first().copied().unwrap_or_default())).or_default().push(tests.clone());
        }
        groups.into_values().collect()
    }

    /// The cheapest tests of a group that was found.
    fn optimum_of(&self, group: &[BTreeSet<usize>]) -> BTreeSet<usize> {
        let greedy = self.greedy(group);
        let tests: BTreeSet<usize> = group.iter().flatten().copied().collect();
        if tests.len() > MOST_TESTS {
            return greedy;
        }
        let mut problem = Problem::new(OptimizationDirection::Minimize);
        let variables: BTreeMap<usize, Variable> =
            tests.iter().map(|test| (*test, problem.add_binary_var(f64::from(self.costs[*test])))).collect();
        for tests in group {
            let sum: Vec<(Variable, f64)> = tests.iter().map(|test| (variables[test], 1.0)).collect();
            problem.add_constraint(&sum[..], ComparisonOp::Ge, 1.0);
        }
        let start = variables.iter().map(|(test, variable)| (*variable, f64::from(u8::from(greedy.contains(test)))));
        let mut options = SolveOptions::default();
        options.node_limit = Some(MOST_NODES);
        options.warm_start = Some(start.collect());
        let solution = problem.solve_with(options).ok().and_then(|outcome| outcome.into_solution().ok());
        let Some(solution) = solution else { return greedy };
        let found: BTreeSet<usize> =
            variables.iter().filter(|(_, variable)| solution.var_value(**variable) > 0.5).map(|(test, _)| *test).collect();
        let cost = |tests: &BTreeSet<usize>| tests.iter().map(|test| u64::from(self.costs[*test])).sum::<u64>();
        let is_cover = group.iter().all(|tests| !tests.is_disjoint(&found));
        if is_cover && cost(&found) < cost(&greedy) { found } else { greedy }
    }

    /// Takes the test that newly shows the most for its cost, until everything is shown. Then drops
    /// the tests that the others make redundant.
    fn greedy(&self, group: &[BTreeSet<usize>]) -> BTreeSet<usize> {
        let mut left: Vec<&BTreeSet<usize>> = group.iter().collect();
        let mut chosen: Vec<usize> = Vec::new();
        while !left.is_empty() {
            let mut gains: BTreeMap<usize, u64> = BTreeMap::new();
            left.iter().copied().flatten().for_each(|test| *gains.entry(*test).or_default() += 1);
            let ratio = |(test, gain): &(usize, u64)| (gain * 10_000 / u64::from(self.costs[*test].max(1)), usize::MAX - test);
            let Some((best, _)) = gains.into_iter().max_by_key(ratio) else { break };
            chosen.push(best);
            left.retain(|tests| !tests.contains(&best));
        }
        let mut kept: BTreeSet<usize> = chosen.iter().copied().collect();
        for test in chosen {
            kept.remove(&test);
            if group.iter().any(|tests| tests.is_disjoint(&kept)) {
                kept.insert(test);
            }
        }
        kept
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn cover(shown: &[&[u32]], costs: &[u32]) -> Vec<usize> {
        let shown: Vec<BTreeSet<u32>> = shown.iter().map(|things| things.iter().copied().collect()).collect();
        minimum_cover(&shown, costs).into_iter().collect()
    }

    #[test]
    fn only_what_nothing_else_shows_makes_a_test_needed() {
        assert_eq!(cover(&[&[1], &[1, 2], &[2], &[]], &[1, 1, 1, 1]), [1]);
        assert_eq!(cover(&[&[1], &[1, 2], &[2, 3]], &[1, 1, 1]), [0, 2]);
        assert_eq!(cover(&[], &[]), [0; 0]);
        // Of equal tests, the first one stays.
        assert_eq!(cover(&[&[1], &[1]], &[2, 2]), [0]);
        assert_eq!(cover(&[&[1], &[1]], &[3, 2]), [1]);
    }

    #[test]
    fn the_optimum_is_found_where_the_greedy_choice_is_not_best() {
        // The greedy choice takes the second test, and then needs both others.
        assert_eq!(cover(&[&[1, 2, 3], &[2, 3, 5, 6], &[4, 5, 6], &[1, 4]], &[3, 3, 3, 3]), [0, 2]);
    }

    /// The least cost of a cover, by trying all choices.
    fn least_cost(shown: &[BTreeSet<u32>], costs: &[u32]) -> u32 {
        let all: BTreeSet<u32> = shown.iter().flatten().copied().collect();
        let choices = 0u32..1 << shown.len();
        let cost = |choice: u32| {
            let tests = (0..shown.len()).filter(|test| choice >> test & 1 == 1);
            let (mut found, mut cost) = (BTreeSet::new(), 0);
            tests.for_each(|test| {
                found.extend(&shown[test]);
                cost += costs[test];
            });
            (found == all).then_some(cost)
        };
        choices.filter_map(cost).min().unwrap_or_default()
    }

    proptest! {
        #[test]
        fn the_cover_is_a_cheapest_one(
            tests in proptest::collection::vec((proptest::collection::btree_set(0u32..12, 0..6), 1u32..9), 0..11)
        ) {
            let (shown, costs): (Vec<BTreeSet<u32>>, Vec<u32>) = tests.into_iter().unzip();
            let chosen = minimum_cover(&shown, &costs);
            let all: BTreeSet<u32> = shown.iter().flatten().copied().collect();
            let found: BTreeSet<u32> = chosen.iter().flat_map(|test| &shown[*test]).copied().collect();
            prop_assert_eq!(found, all);
            prop_assert_eq!(chosen.iter().map(|test| costs[*test]).sum::<u32>(), least_cost(&shown, &costs));
        }
    }
}
