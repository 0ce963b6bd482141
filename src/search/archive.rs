//! The best test per covered goal. Flows in: tests that were run, with what they cover; flows out: the suite so far. Must not know how
//! tests come about.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::sync::Arc;

use super::goals::{GoalId, Goals};
use crate::execution::RunEnd;
use crate::testcase::{Literal, StatementKind, TestCase};

/// A test in the archive.
#[derive(Clone, Debug)]
pub struct Kept {
    pub test: Arc<TestCase>,
    pub end: RunEnd,
    /// Number of the execution that showed it: a tie goes to the earlier one.
    pub(crate) execution: u64,
    /// Smaller is better: statements, and what makes a test less telling.
    pub(crate) badness: u32,
}

impl Kept {
    pub(crate) fn new(test: Arc<TestCase>, end: RunEnd, execution: u64) -> Kept {
        let nulls = test.statements.iter().filter(|statement| matches!(statement.kind, StatementKind::Literal(Literal::Null)));
        let threw = matches!(end, RunEnd::Threw { .. });
        let badness = test.len() as u32 + nulls.count() as u32 + if threw { 3 } else { 0 };
        Kept { test, end, execution, badness }
    }
}

/// Best tests by goal.
#[derive(Debug, Default)]
pub struct Archive {
    best: Vec<Option<Arc<Kept>>>,
    covered: usize,
    /// Covered by tests that are there already: none of ours is needed for them.
    settled: BTreeSet<GoalId>,
}

impl Archive {
    pub fn is_covered(&self, goal: GoalId) -> bool {
        self.get(goal).is_some() || self.is_settled(goal)
    }

    /// The goal needs no test of ours.
    pub(crate) fn settle(&mut self, goal: GoalId) {
        self.settled.insert(goal);
    }

    pub(crate) fn is_settled(&self, goal: GoalId) -> bool {
        self.settled.contains(&goal)
    }

    pub(crate) fn get(&self, goal: GoalId) -> Option<&Arc<Kept>> {
        self.best.get(goal.index())?.as_ref()
    }

    /// Number of covered goals of all kinds.
    pub(crate) fn covered(&self) -> usize {
        self.covered
    }

    /// Whether a test this bad would become the goal's best.
    pub(crate) fn wants(&self, goal: GoalId, badness: u32) -> bool {
        !self.is_settled(goal) && self.get(goal).is_none_or(|best| badness < best.badness)
    }

    /// Keeps the test for the goal; true when the goal was not covered before.
    pub(crate) fn keep(&mut self, goal: GoalId, kept: &Arc<Kept>) -> bool {
        if self.best.len() <= goal.index() {
            self.best.resize(goal.index() + 1, None);
        }
        let place = &mut self.best[goal.index()];
        let new = place.is_none();
        self.covered += usize::from(new);
        *place = Some(kept.clone());
        new
    }

    /// Covered goals, ascending, each with its best test.
    pub fn iter(&self) -> impl Iterator<Item = (GoalId, &Arc<Kept>)> {
        self.best.iter().enumerate().filter_map(|(index, kept)| kept.as_ref().map(|kept| (GoalId(index as u32), kept)))
    }

    /// Each test once, in order of its first goal, with the goals that it is the best for.
    pub fn tests(&self) -> Vec<(Arc<Kept>, Vec<GoalId>)> {
        let mut order: Vec<(Arc<Kept>, Vec<GoalId>)> = Vec::new();
        let mut places: BTreeMap<u64, usize> = BTreeMap::new();
        for (goal, kept) in self.iter() {
            let place = *places.entry(kept.execution).or_insert_with(|| {
                order.push((kept.clone(), Vec::new()));
                order.len() - 1
            });
            order[place].1.push(goal);
        }
        order
    }

    /// The covered goals.
    pub fn covered_goals(&self) -> BTreeSet<GoalId> {
        self.iter().map(|(goal, _)| goal).collect()
    }

    /// Goals and tests as text, for people and for comparing two runs.
    pub fn dump(&self, goals: &Goals) -> String {
        let mut text = String::new();
        for (kept, covered) in self.tests() {
            for goal in covered {
                let _ = writeln!(text, "# {:?}", goals.goal(goal));
            }
            let _ = writeln!(text, "{}", kept.test);
        }
        text
    }
}
