//! Objects as most tests of a class make them, before tests are observed.
//!
//! In: tests with their executions. Out: the tests with a mock for each listener, and with the collaborators
//! that most tests give their object under test, where they cover the same. Must not know what is asserted
//! later.
//!
//! A search leaves null where a test needs no collaborator. Only a mock in its place shows which calls do not
//! come, and only an object like that of the other tests can be a field of the test class.

use super::collaborators::{common_construction, with_common_arguments, with_own_values};
use super::covered_goals::covers_the_same;
use super::mocked_listeners::with_mocked_listeners;
use super::observation::execute;
use crate::execution::Execution;
use crate::jvm::{JvmError, SearchWorker};
use crate::oracle::AssertedTest;
use crate::program::{ClassName, Cluster};
use crate::search::GoalRegistry;
use crate::testcase::TestCase;

/// What making objects in the usual way depends on.
pub(super) struct UsualObjects<'a> {
    /// The class under test.
    pub(super) class: &'a ClassName,
    pub(super) cluster: &'a Cluster,
    pub(super) goals: &'a GoalRegistry,
    pub(super) worker: &'a mut SearchWorker,
}

impl UsualObjects<'_> {
    /// The tests with usual objects.
    ///
    /// Fails where the worker cannot be kept running.
    pub(super) fn in_tests(&mut self, tests: Vec<(TestCase, Execution)>) -> Result<Vec<(TestCase, Execution)>, JvmError> {
        let tests = with_mocked_listeners(tests, self.cluster, self.goals, self.worker)?;
        self.with_collaborators(&[], tests)
    }

    /// The tests `further`, which may replace some of the `required` ones, with mocks for their listeners and with the
    /// collaborators that are usual in all of these tests.
    ///
    /// Fails where the worker cannot be kept running.
    pub(super) fn in_further(&mut self, required: &[TestCase], further: Vec<TestCase>) -> Result<Vec<TestCase>, JvmError> {
        let executions = execute(self.worker, &further, false)?;
        let further = further.into_iter().zip(executions).collect();
        let further = with_mocked_listeners(further, self.cluster, self.goals, self.worker)?;
        Ok(self.with_collaborators(required, further)?.into_iter().map(|(test, _)| test).collect())
    }

    /// The tests with the construction that is common to them and to `others`. A test that must not have a value of it
    /// keeps its own.
    fn with_collaborators(
        &mut self,
        others: &[TestCase],
        mut tests: Vec<(TestCase, Execution)>,
    ) -> Result<Vec<(TestCase, Execution)>, JvmError> {
        let plain = |test: &TestCase| AssertedTest::without_assertions(test.clone());
        let others: Vec<AssertedTest> = others.iter().map(plain).collect();
        let plain: Vec<AssertedTest> = tests.iter().map(|(test, _)| plain(test)).collect();
        let is_silent = |class: &ClassName| self.cluster.program().returns_nothing(class);
        let Some(common) = common_construction(&others.iter().chain(&plain).collect::<Vec<_>>(), self.class, &is_silent) else {
            return Ok(tests);
        };
        // For each test what is to be tried in its place, the best last.
        let mut open: Vec<(usize, Vec<AssertedTest>)> = Vec::new();
        for (place, test) in plain.iter().enumerate() {
            if let Some(changed) = with_common_arguments(test, self.class, &common) {
                let mut changed = vec![changed];
                changed.extend(with_own_values(test, self.class, &common));
                changed.reverse();
                open.push((place, changed));
            }
        }
        tracing::debug!(tests = tests.len(), other = open.len(), "tests make their object otherwise than most");
        while !open.is_empty() {
            let cases: Vec<TestCase> = open.iter_mut().filter_map(|(_, changed)| Some(changed.pop()?.test)).collect();
            let executions = execute(self.worker, &cases, false)?;
            let mut tried = cases.into_iter().zip(executions);
            open.retain(|(place, rest)| {
                let Some(changed) = tried.next() else { return false };
                let holds = covers_the_same(self.goals, &tests[*place], &changed);
                if holds {
                    tests[*place] = changed;
                } else {
                    tracing::debug!("covers less:\n{}", changed.0);
                }
                !holds && !rest.is_empty()
            });
        }
        Ok(tests)
    }
}
