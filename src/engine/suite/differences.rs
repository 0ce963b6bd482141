//! What the tests show of the earlier version (`diff`), and which paths they take (`--path`).
//!
//! Flows in: the verified tests. Flows out: differences in words, answers to paths. Must not know how versions are
//! compared, nor how paths are followed.

use super::super::wanted_paths::AnsweredPaths;
use super::Suite;
use crate::execution::MutantId;
use crate::jvm::JvmError;
use crate::oracle::AssertedTest;
use crate::report::{Difference, PathReport};

impl<'a> Suite<'a> {
    /// Whether the number is that of a difference, not of a mutant.
    pub(super) fn is_difference(&self, number: MutantId) -> bool {
        self.mutation.as_ref().is_some_and(|mutation| mutation.is_difference(number))
    }

    /// What the tests show of the earlier version. `names`: of the test methods.
    ///
    /// Fails where its JVM cannot be kept running.
    pub(in crate::engine) fn described_differences(
        &mut self,
        tests: &[AssertedTest],
        names: &[String],
    ) -> Result<Option<Vec<Difference>>, JvmError> {
        let context = self.context;
        self.old.as_mut().map(|old| old.described(context, tests, names)).transpose()
    }

    /// Only tests for these paths are finished, where there are any.
    pub(in crate::engine) fn take_paths(&mut self, paths: Option<AnsweredPaths<'a>>) {
        self.paths = paths;
    }

    /// The answers to the paths. `names`: of the test methods.
    pub(in crate::engine) fn path_reports(&self, tests: &[AssertedTest], names: &[String]) -> Vec<PathReport> {
        self.paths.as_ref().map(|paths| paths.reports(tests, names)).unwrap_or_default()
    }
}
