//! Tests of accessors that become one.
//!
//! Flows in: the chosen tests. Flows out: fewer of them, which cover and kill the same. Must not know how tests are
//! chosen.

use std::time::Instant;

use super::Suite;
use crate::engine::covered_goals::CoveredGoals;
use crate::engine::mutation::mutant_outcome;
use crate::engine::observation::execute;
use crate::engine::time_budget::TimeBudget;
use crate::execution::RunEnd;
use crate::jvm::JvmError;
use crate::oracle::{self, AssertedTest};
use crate::program::MethodRef;
use crate::search::GoalRegistry;

/// Assertions of a test of several accessors, and attempts to join tests, at most.
const MOST_JOINED: usize = 10;
const MOST_JOININGS: usize = 100;

impl Suite<'_> {
    /// Joins tests of plain accessors that make the same object, where all their assertions hold
    /// together. Called after [`Suite::measure`].
    ///
    /// Fails where the worker cannot be kept running.
    pub(crate) fn join_accessors(
        &mut self,
        tests: Vec<AssertedTest>,
        goals: &GoalRegistry,
        budget: &TimeBudget,
    ) -> Result<Vec<AssertedTest>, JvmError> {
        let context = self.context;
        let deadline = budget.polish_deadline(tests.len());
        self.worker.set_deadline(deadline);
        let is_over = || deadline.is_some_and(|deadline| Instant::now() >= deadline);
        let is_accessor = |method: &MethodRef| context.program.is_plain_accessor(method);
        let mut tried = 0;
        let mut kept: Vec<AssertedTest> = Vec::new();
        'tests: for test in tests {
            for known in &mut kept {
                let has_room = known.assertions.len() + test.assertions.len() <= MOST_JOINED;
                let may_try = has_room && tried < MOST_JOININGS && !is_over();
                let joined = if may_try { oracle::joined(known, &test, &is_accessor) } else { None };
                let Some(joined) = joined else { continue };
                tried += 1;
                let Some(execution) = execute(&mut self.worker, std::slice::from_ref(&joined.test), true)?.pop() else {
                    continue;
                };
                let holds = execution.end == RunEnd::Completed
                    && mutant_outcome(context, &joined, &execution) == oracle::MutantOutcome::Survived;
                let covered = CoveredGoals::of(&joined.test, &execution, goals);
                let apart = self.covered_goals(&[known.clone(), test.clone()]);
                if holds && apart.iter().all(|goal| covered.contains(*goal)) {
                    self.goals_by_test.insert(joined.test.canonical_hash(), covered);
                    self.analysis.join(known, &test, &joined);
                    *known = joined;
                    continue 'tests;
                }
            }
            kept.push(test);
        }
        for test in &mut kept {
            if let Some(told) = oracle::told_by_computation(test, &is_accessor) {
                self.enter_form(test, &told);
                *test = told;
            }
        }
        Ok(kept)
    }
}
