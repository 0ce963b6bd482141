//! What the chosen tests cover.
//!
//! Flows in: tests with their assertions. Flows out: goals of each, as a run of it showed them. Must not know how tests
//! are chosen.

use super::{Suite, acted_hash, execute_tests};
use crate::engine::covered_goals::{CoveredGoals, choose_covering};
use crate::engine::time_budget::TimeBudget;
use crate::execution::RunEnd;
use crate::jvm::JvmError;
use crate::oracle::AssertedTest;
use crate::search::GoalRegistry;
use crate::testcase::TestCase;

impl Suite<'_> {
    /// Executes the tests to find the goals of each. It runs before verification, after which no
    /// time may be left.
    ///
    /// Fails where the worker cannot be kept running.
    pub(crate) fn measure(&mut self, tests: &[AssertedTest], goals: &GoalRegistry, budget: &TimeBudget) -> Result<(), JvmError> {
        self.worker.set_deadline(budget.polish_deadline(tests.len()));
        let mut covered = self.covered_in_runs(tests, |test| test.test.clone(), goals)?;
        self.leave_out_ignored_calls(tests, &mut covered, goals, true)?;
        for (test, covered) in tests.iter().zip(covered) {
            self.goals_by_test.insert(test.test.canonical_hash(), covered);
        }
        Ok(())
    }

    /// What each test covers in a run of `case_of` it. Without time for that run, the goals of the observed run stand
    /// for it. A test with a request does not run again: a request takes as long as many calls, and what reads
    /// its response runs no code of the class.
    ///
    /// Fails where the worker cannot be kept running.
    pub(super) fn covered_in_runs(
        &mut self,
        tests: &[AssertedTest],
        case_of: impl Fn(&AssertedTest) -> TestCase,
        goals: &GoalRegistry,
    ) -> Result<Vec<CoveredGoals>, JvmError> {
        let cases = tests.iter().filter(|test| !test.test.has_request()).map(case_of).collect();
        let mut executed = execute_tests(&mut self.worker, cases)?.into_iter();
        let of_test = |test: &AssertedTest| {
            let run = if test.test.has_request() { None } else { executed.next() };
            match run {
                Some((case, execution)) if execution.end != RunEnd::Unrun => CoveredGoals::of(&case, &execution, goals),
                _ => self.observed_goals.get(&acted_hash(test)).cloned().unwrap_or_default(),
            }
        };
        Ok(tests.iter().map(of_test).collect())
    }

    /// What each of the tests covers, as measured.
    pub(in crate::engine) fn reached_by<'t>(&'t self, tests: &[AssertedTest]) -> Vec<&'t CoveredGoals> {
        tests.iter().map(|test| self.goals_by_test.get(&test.test.canonical_hash()).unwrap_or(&self.nothing)).collect()
    }

    /// Chooses `most` tests that cover the most goals together, greedily; their order stays.
    pub(crate) fn choose_best(&self, tests: Vec<AssertedTest>, most: usize) -> Vec<AssertedTest> {
        if tests.len() <= most {
            return tests;
        }
        let kept = choose_covering(&self.reached_by(&tests), most);
        tests.into_iter().enumerate().filter(|(place, _)| kept.contains(place)).map(|(_, test)| test).collect()
    }

    /// Goals that the tests cover together, as measured.
    pub(in crate::engine) fn covered_goals(&self, tests: &[AssertedTest]) -> CoveredGoals {
        CoveredGoals::union(self.reached_by(tests))
    }

    /// Enters a form of the test that shows as much.
    pub(super) fn enter_form(&mut self, test: &AssertedTest, form: &AssertedTest) {
        let (reached, killed) = (self.covered_goals(std::slice::from_ref(test)), self.analysis.killed_by(test));
        self.goals_by_test.insert(form.test.canonical_hash(), reached);
        self.analysis.enter(form.clone(), killed);
    }
}
