//! The best test of each covered goal. Flows in: executed tests with the goals they cover; flows
//! out: the suite so far. Must not know how tests are built.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::sync::Arc;

use super::goals::{GoalId, GoalRegistry, Weakness};
use crate::execution::RunEnd;
use crate::testcase::{Literal, StatementKind, TestCase};

/// What a reader pays for raw types, in statements.
const COST_OF_RAW_TYPES: u32 = 10;

/// The same for a test that ends with a call of the JDK: `list.remove(item)` calls `equals`, which a test can call by
/// itself.
const COST_OF_FOREIGN_END: u32 = 4;

/// The same for an object that is an argument of its own method, as in `list.add(list)`.
const COST_OF_OWN_ARGUMENT: u32 = 3;

/// A test in the archive.
#[derive(Clone, Debug)]
pub struct ArchivedTest {
    /// The test case.
    pub test: Arc<TestCase>,
    /// How its execution ended.
    pub end: RunEnd,
    /// Number of its execution, counted from 1; identifies the test within the archive.
    pub(crate) execution: u64,
    /// Cost of reading the test, smaller is better: its statements, one more for each null, three for
    /// an exception, three for an object that is an argument of its own method, four for a call of
    /// the JDK at its end, ten for raw types, and [`Weakness::cost`].
    pub(crate) cost: u32,
    /// The test is never written (see [`Weakness::Unchecked`]). The search continues for its goals.
    pub(crate) is_unchecked: bool,
}

impl ArchivedTest {
    /// Computes the cost; `execution` is the number of the execution.
    pub(crate) fn new(test: Arc<TestCase>, end: RunEnd, execution: u64, weakness: Weakness) -> ArchivedTest {
        let nulls = test.statements.iter().filter(|statement| matches!(statement.kind, StatementKind::Literal(Literal::Null)));
        let threw = matches!(end, RunEnd::Threw { .. });
        let cost = test.len() as u32 + nulls.count() as u32 + if threw { 3 } else { 0 };
        let own =
            COST_OF_OWN_ARGUMENT * test.statements.iter().filter(|statement| has_own_argument(&statement.kind)).count() as u32;
        let foreign = if ends_with_jdk(&test) { COST_OF_FOREIGN_END } else { 0 };
        let is_unchecked = weakness == Weakness::Unchecked;
        ArchivedTest { test, end, execution, cost: cost + own + foreign + weakness.cost(), is_unchecked }
    }

    /// The same test, whose source has raw types.
    pub(crate) fn with_raw_types(self) -> ArchivedTest {
        ArchivedTest { cost: self.cost + COST_OF_RAW_TYPES, ..self }
    }
}

/// Whether the last call is one of the JDK, and does not read an object that the test wrote.
fn ends_with_jdk(test: &TestCase) -> bool {
    let last = test.statements.iter().rev().find(|statement| statement.kind.has_effect());
    let is_of_jdk = last.is_some_and(|last| match &last.kind {
        StatementKind::Call { method, .. } => method.owner.internal().starts_with("java/"),
        _ => false,
    });
    is_of_jdk && test.round_trip().is_none()
}

/// Whether it is a call with its receiver as an argument; not a comparison, which has to hold for one object, too.
fn has_own_argument(kind: &StatementKind) -> bool {
    match kind {
        StatementKind::Call { method, receiver: Some(receiver), args, .. } => {
            args.contains(receiver) && !matches!(&*method.name, "equals" | "compareTo")
        }
        _ => false,
    }
}

/// Best tests by goal.
#[derive(Debug, Default)]
pub struct Archive {
    best: Vec<Option<Arc<ArchivedTest>>>,
    /// Goals that existing tests cover: the suite needs no test for them.
    closed: BTreeSet<GoalId>,
}

impl Archive {
    /// Whether an archived or an existing test covers the goal.
    pub fn is_covered(&self, goal: GoalId) -> bool {
        self.get(goal).is_some() || self.is_closed(goal)
    }

    /// Whether the goal has a test that a suite may have, or an existing test covers it.
    pub(crate) fn is_settled(&self, goal: GoalId) -> bool {
        self.get(goal).is_some_and(|best| !best.is_unchecked) || self.is_closed(goal)
    }

    /// Closes a goal that an existing test covers.
    pub(crate) fn close(&mut self, goal: GoalId) {
        self.closed.insert(goal);
    }

    /// Whether an existing test covers the goal.
    pub(crate) fn is_closed(&self, goal: GoalId) -> bool {
        self.closed.contains(&goal)
    }

    /// The best test of a goal.
    pub(crate) fn get(&self, goal: GoalId) -> Option<&Arc<ArchivedTest>> {
        self.best.get(goal.index())?.as_ref()
    }

    /// Whether a test of this cost would become the goal's best one. Of equal costs, the earlier
    /// test stays.
    pub(crate) fn would_improve(&self, goal: GoalId, cost: u32) -> bool {
        !self.is_closed(goal) && self.get(goal).is_none_or(|best| cost < best.cost)
    }

    /// Makes the test the goal's best one; true when the goal was not covered before.
    pub(crate) fn insert(&mut self, goal: GoalId, kept: &Arc<ArchivedTest>) -> bool {
        if self.best.len() <= goal.index() {
            self.best.resize(goal.index() + 1, None);
        }
        let place = &mut self.best[goal.index()];
        let new = place.is_none();
        *place = Some(kept.clone());
        new
    }

    /// Covered goals, ascending, each with its best test.
    pub fn iter(&self) -> impl Iterator<Item = (GoalId, &Arc<ArchivedTest>)> {
        self.best.iter().enumerate().filter_map(|(index, kept)| kept.as_ref().map(|kept| (GoalId(index as u32), kept)))
    }

    /// Each test once, in the order of its first goal, with the goals that it is the best for.
    pub fn tests(&self) -> Vec<(Arc<ArchivedTest>, Vec<GoalId>)> {
        let mut order: Vec<(Arc<ArchivedTest>, Vec<GoalId>)> = Vec::new();
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

    /// The goals with a test.
    pub fn covered_goals(&self) -> BTreeSet<GoalId> {
        self.iter().map(|(goal, _)| goal).collect()
    }

    /// Text form of goals and tests, for people and for comparing two runs.
    pub fn dump(&self, goals: &GoalRegistry) -> String {
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
