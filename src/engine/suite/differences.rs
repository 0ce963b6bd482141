//! What the tests show of the earlier version (`diff`).
//!
//! Flows in: the verified tests. Flows out: differences in words. Must not know how versions are compared.

use super::Suite;
use crate::execution::MutantId;
use crate::jvm::JvmError;
use crate::oracle::AssertedTest;
use crate::report::Difference;

impl Suite<'_> {
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
}
