//! The goals that the search aims at: uncovered goals whose parents in the control dependence are
//! covered (DynaMOSA), the objectives among them, and the nearest test of each. Flows in:
//! executions, covered goals; flows out: objectives, and tests for local search and the solver.
//! Must not know how candidates are built.

use std::collections::HashSet;
use std::sync::Arc;

use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use super::super::SearchConfig;
use super::super::archive::Archive;
use super::super::goals::{CallOutcome, GoalHits, GoalId, GoalRegistry, MethodId};
use crate::execution::Execution;
use crate::testcase::TestCase;

/// Largest fitness of a branch for local search: below 2, the execution reached the jump before the
/// branch's own.
const LOCAL_SEARCH_FITNESS: f64 = 2.0;
/// Local searches for one goal, until its nearest test changes.
const LOCAL_SEARCHES: u32 = 3;
/// One of so many tests at the same distance replaces the nearest test, so that local search starts
/// elsewhere.
const REPLACEMENT_RATIO: u32 = 64;

/// The nearest test of an uncovered goal.
#[derive(Clone, Debug)]
pub(super) struct NearestTest {
    pub(super) fitness: f64,
    pub(super) test: Arc<TestCase>,
    /// Number of times it was given to the solver.
    offers: u32,
    /// Number of local searches that started from it.
    local_searches: u32,
}

/// Methods that an execution entered, in the order of its slots; neighbouring duplicates are
/// removed.
#[derive(Debug)]
pub(super) struct EnteredMethods {
    pub(super) methods: Vec<MethodId>,
    /// Whether some method was never entered before.
    pub(super) has_new: bool,
}

/// Targets, objectives and nearest tests. Goals are only closed, never reopened.
#[derive(Debug)]
pub(super) struct Targets {
    /// Static goals without parents or with a covered parent that have no test which a suite may have; ascending.
    targets: Vec<GoalId>,
    /// Targets that the population evolves for, one of each approach group; ascending.
    objectives: Vec<GoalId>,
    /// Number of changes of the objectives; fitness vectors of another round are stale.
    round: u64,
    /// Whether the targets must be computed anew.
    is_stale: bool,
    /// By static goal.
    nearest: Vec<Option<NearestTest>>,
    /// By approach group: the fitness of one execution, with the number of that execution.
    group_fitness: Vec<(u64, f64)>,
    /// By method: whether an execution entered it.
    entered: Vec<bool>,
}

impl Targets {
    /// Targets before any execution.
    pub(super) fn new(goals: &GoalRegistry) -> Targets {
        Targets {
            targets: Vec::new(),
            objectives: Vec::new(),
            round: 0,
            is_stale: true,
            nearest: vec![None; goals.static_goals()],
            group_fitness: vec![(0, 0.0); goals.static_goals()],
            entered: vec![false; goals.methods().len()],
        }
    }

    /// The goals that the population evolves for, ascending.
    pub(super) fn objectives(&self) -> &[GoalId] {
        &self.objectives
    }

    /// The number of changes of the objectives so far.
    pub(super) fn round(&self) -> u64 {
        self.round
    }

    /// Makes the next [`Targets::refresh`] compute the targets anew.
    pub(super) fn invalidate(&mut self) {
        self.is_stale = true;
    }

    /// Forgets the nearest test of a static goal that is covered from now on.
    pub(super) fn remove_covered(&mut self, goal: GoalId) {
        self.is_stale = true;
        self.nearest[goal.index()] = None;
    }

    /// The nearest test of a static goal.
    pub(super) fn nearest_test(&self, goal: GoalId) -> Option<&Arc<TestCase>> {
        self.nearest[goal.index()].as_ref().map(|nearest| &nearest.test)
    }

    /// Uncovered goals that some execution approached, each with its nearest test.
    fn approached(&self) -> impl Iterator<Item = (GoalId, &NearestTest)> {
        (0u32..).zip(&self.nearest).filter_map(|(index, nearest)| nearest.as_ref().map(|nearest| (GoalId(index), nearest)))
    }

    /// Computes targets and objectives, where a goal or a method is new since the last call.
    pub(super) fn refresh(&mut self, goals: &GoalRegistry, archive: &Archive, config: &SearchConfig) {
        if !std::mem::take(&mut self.is_stale) {
            return;
        }
        let mut pending: Vec<GoalId> = goals.roots().to_vec();
        let mut visited = vec![false; goals.static_goals()];
        self.targets.clear();
        while let Some(goal) = pending.pop() {
            if std::mem::replace(&mut visited[goal.index()], true) {
                continue;
            }
            if archive.is_covered(goal) {
                pending.extend(goals.children(goal));
            }
            if !archive.is_settled(goal) {
                self.targets.push(goal);
            }
        }
        self.targets.sort_unstable();
        // Goals in methods that were never entered all have the same fitness, so they need no
        // objective. The weights of callables lead there.
        let mut groups = HashSet::new();
        let mut objectives: Vec<GoalId> = self
            .targets
            .iter()
            .copied()
            .filter(|&goal| goals.method_of(goal).is_some_and(|method| self.entered[method.index()]))
            .filter(|&goal| groups.insert(goals.approach_group(goal)))
            .collect();
        if objectives.len() > config.max_objectives {
            let fitness = |goal: &GoalId| self.nearest[goal.index()].as_ref().map_or(f64::INFINITY, |nearest| nearest.fitness);
            objectives.sort_by(|left, right| fitness(left).total_cmp(&fitness(right)).then(left.cmp(right)));
            objectives.truncate(config.max_objectives);
            objectives.sort_unstable();
        }
        if objectives != self.objectives {
            self.objectives = objectives;
            self.round += 1;
        }
    }

    /// Records the methods that an execution entered; `calls` are the test's own calls.
    pub(super) fn record_entered(
        &mut self,
        goals: &GoalRegistry,
        execution: &Execution,
        calls: &[(MethodId, CallOutcome)],
    ) -> EnteredMethods {
        for &(method, _) in calls {
            self.entered[method.index()] = true;
        }
        let mut methods: Vec<MethodId> = Vec::new();
        let lines = execution.lines.iter().filter_map(|&slot| goals.method_of_line(slot));
        let branches = execution.branches.iter().filter_map(|&(slot, _)| goals.method_of_branch(slot));
        for method in lines.chain(branches) {
            if methods.last() != Some(&method) {
                methods.push(method);
            }
        }
        let mut has_new = false;
        for &method in &methods {
            has_new |= !std::mem::replace(&mut self.entered[method.index()], true);
        }
        self.is_stale |= has_new;
        EnteredMethods { methods, has_new }
    }

    /// Stores the test as the nearest one of each target that it approaches closer than before;
    /// true when there is one.
    ///
    /// `execution` is the number of the execution, counted from 1; `hits` describe that execution.
    pub(super) fn record_distances(
        &mut self,
        goals: &GoalRegistry,
        archive: &Archive,
        hits: &GoalHits,
        test: &Arc<TestCase>,
        execution: u64,
        rng: &mut ChaCha8Rng,
    ) -> bool {
        let mut is_nearer = false;
        for &goal in &self.targets {
            if archive.is_settled(goal) || !goals.method_of(goal).is_some_and(|method| hits.is_entered(method)) {
                continue;
            }
            let memo = &mut self.group_fitness[goals.approach_group(goal).index()];
            if memo.0 != execution {
                *memo = (execution, goals.fitness(goal, hits));
            }
            let fitness = memo.1;
            match &mut self.nearest[goal.index()] {
                none @ None => {
                    is_nearer = true;
                    *none = Some(NearestTest { fitness, test: test.clone(), offers: 0, local_searches: 0 });
                }
                Some(nearest) if fitness < nearest.fitness => {
                    is_nearer = true;
                    let offers = nearest.offers / 2;
                    *nearest = NearestTest { fitness, test: test.clone(), offers, local_searches: 0 };
                }
                Some(nearest)
                    if fitness == nearest.fitness
                        && (test.len() < nearest.test.len() || rng.random_ratio(1, REPLACEMENT_RATIO)) =>
                {
                    nearest.test = test.clone();
                    nearest.local_searches = nearest.local_searches.saturating_sub(1);
                }
                Some(_) => {}
            }
        }
        is_nearer
    }

    /// The branch for the next local search, with its nearest test: the jump before it was reached,
    /// and it had the fewest local searches; among equals, the nearest one. Counts the local
    /// search.
    pub(super) fn start_local_search(&mut self, goals: &GoalRegistry) -> Option<(GoalId, NearestTest)> {
        let (goal, _) = self
            .approached()
            .filter(|(goal, nearest)| {
                goals.has_distance(*goal) && nearest.fitness < LOCAL_SEARCH_FITNESS && nearest.local_searches < LOCAL_SEARCHES
            })
            .min_by(|(_, left), (_, right)| {
                left.local_searches.cmp(&right.local_searches).then(left.fitness.total_cmp(&right.fitness))
            })?;
        let nearest = self.nearest[goal.index()].as_mut()?;
        nearest.local_searches += 1;
        Some((goal, nearest.clone()))
    }

    /// Up to `count` uncovered branches with their nearest tests for the solver: those that were
    /// given least often first, then the nearest. Counts the offers.
    pub(super) fn offer_for_solving(&mut self, goals: &GoalRegistry, count: usize) -> Vec<(GoalId, Arc<TestCase>)> {
        let mut order: Vec<(u32, f64, GoalId)> = self
            .approached()
            .filter(|(goal, _)| goals.has_distance(*goal))
            .map(|(goal, nearest)| (nearest.offers, nearest.fitness, goal))
            .collect();
        order.sort_by(|left, right| left.0.cmp(&right.0).then(left.1.total_cmp(&right.1)).then(left.2.cmp(&right.2)));
        order.truncate(count);
        let offer = |(_, _, goal): (u32, f64, GoalId)| {
            let nearest = self.nearest[goal.index()].as_mut()?;
            nearest.offers += 1;
            Some((goal, nearest.test.clone()))
        };
        order.into_iter().filter_map(offer).collect()
    }
}
