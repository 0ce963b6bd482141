//! The evolving population. Flows in: executed tests, objectives; flows out: parents. Must not know
//! how offspring are made from parents. The selection is that of DynaMOSA
//! ([`super::super::selection`]).

use std::sync::Arc;

use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use tracewright_trace::{BranchSlot, LineSlot};

use super::super::SearchConfig;
use super::super::goals::{CallOutcome, GoalHits, GoalRegistry, MethodId};
use super::super::selection;
use super::targets::Targets;
use crate::testcase::TestCase;

/// An executed test with what its execution reached.
#[derive(Debug)]
pub(super) struct Individual {
    test: Arc<TestCase>,
    branches: Box<[(BranchSlot, f64)]>,
    lines: Box<[LineSlot]>,
    calls: Box<[(MethodId, CallOutcome)]>,
    /// By objective of `round`; minimised, 0: covered.
    fitness: Vec<f64>,
    /// Round of objectives that `fitness` belongs to (see [`Targets::round`]).
    round: u64,
}

impl Individual {
    /// Individual without fitness. `branches`: slots with branch distances; `lines`: slots;
    /// `calls`: the test's own calls of target methods.
    pub(super) fn new(
        test: Arc<TestCase>,
        branches: &[(BranchSlot, f64)],
        lines: &[LineSlot],
        calls: Vec<(MethodId, CallOutcome)>,
    ) -> Individual {
        Individual { test, branches: branches.into(), lines: lines.into(), calls: calls.into(), fitness: Vec::new(), round: 0 }
    }
}

/// Parents, and the offspring that compete with them at the next selection.
#[derive(Debug, Default)]
pub(super) struct Population {
    /// Best first.
    members: Vec<Individual>,
    offspring: Vec<Individual>,
}

impl Population {
    /// Whether there is no parent yet.
    pub(super) fn is_empty(&self) -> bool {
        self.members.is_empty()
    }

    /// Adds an individual that competes at the next selection.
    pub(super) fn add_offspring(&mut self, individual: Individual) {
        self.offspring.push(individual);
    }

    /// Individuals that wait for the next selection.
    pub(super) fn offspring(&self) -> usize {
        self.offspring.len()
    }

    /// The better one of two random parents. Panics when the population is empty.
    pub(super) fn tournament(&self, rng: &mut ChaCha8Rng) -> Arc<TestCase> {
        let count = self.members.len();
        let index = rng.random_range(0..count).min(rng.random_range(0..count));
        self.members[index].test.clone()
    }

    /// Replaces the parents by the best of parents and offspring.
    pub(super) fn select(&mut self, goals: &GoalRegistry, targets: &Targets, hits: &mut GoalHits, config: &SearchConfig) {
        let mut all = std::mem::take(&mut self.members);
        all.append(&mut self.offspring);
        for individual in &mut all {
            if individual.round == targets.round() && individual.fitness.len() == targets.objectives().len() {
                continue;
            }
            hits.load(goals, &individual.branches, &individual.lines, &individual.calls);
            individual.fitness.clear();
            individual.fitness.extend(targets.objectives().iter().map(|&goal| goals.fitness(goal, hits)));
            individual.round = targets.round();
        }
        let fitness: Vec<&[f64]> = all.iter().map(|individual| &individual.fitness[..]).collect();
        let length: Vec<u32> = all.iter().map(|individual| individual.test.len() as u32).collect();
        let order = selection::select(&fitness, &length, config.population);
        let mut slots: Vec<Option<Individual>> = all.into_iter().map(Some).collect();
        self.members = order.into_iter().filter_map(|index| slots[index].take()).take(config.population).collect();
    }

    /// Drops all parents but the best `count`.
    pub(super) fn keep_best(&mut self, count: usize) {
        self.members.truncate(count);
    }
}
