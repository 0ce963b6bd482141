//! The rest of the limits of one replay: terms, interpreted instructions, and the flag that
//! stops it. In: the work done; out: whether a limit is reached. Interpreted instructions stay
//! spent when their checkpoint is rolled back. Must not know what reaching a limit means.

use std::sync::atomic::{AtomicBool, Ordering};

use super::super::config::InterpretationLimits;

/// The budget when a checkpoint began.
#[derive(Clone, Copy, Debug)]
struct BudgetMark {
    limit: u64,
    spent: u64,
}

/// The limits of one replay, and what of them is used.
#[derive(Debug)]
pub(crate) struct ReplayBudget<'a> {
    stop: &'a AtomicBool,
    /// Number of terms in the store at which the replay ends.
    most_terms: usize,
    interpretation: InterpretationLimits,
    /// Interpreted instructions, those of failed attempts included.
    spent: u64,
    /// Value of `spent` at which the current attempt ends.
    limit: u64,
    /// Instructions of failed attempts.
    failed: u64,
    marks: Vec<BudgetMark>,
}

impl<'a> ReplayBudget<'a> {
    /// An unused budget. `most_terms`: terms in the store at the end of the replay, at most.
    pub(crate) fn new(stop: &'a AtomicBool, most_terms: usize, interpretation: InterpretationLimits) -> ReplayBudget<'a> {
        ReplayBudget { stop, most_terms, interpretation, spent: 0, limit: 0, failed: 0, marks: Vec::new() }
    }

    /// Whether another thread stopped the replay.
    #[inline]
    pub(crate) fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// Whether a store of this many terms is too large.
    #[inline]
    pub(crate) fn exceeds_terms(&self, terms: usize) -> bool {
        terms > self.most_terms
    }

    /// Spends one interpreted instruction. Returns whether the attempt's limit allows it.
    #[inline]
    pub(crate) fn spend_instruction(&mut self) -> bool {
        self.spent += 1;
        self.spent <= self.limit
    }

    /// Whether calls may be interpreted at all.
    pub(crate) fn allows_interpretation(&self) -> bool {
        self.interpretation.call > 0
    }

    /// Whether no further attempt is allowed.
    pub(crate) fn is_exhausted(&self) -> bool {
        self.failed >= self.interpretation.wasted || self.spent >= self.interpretation.total
    }

    /// Limits the attempt whose checkpoint has just begun. An inner attempt gets no more than its
    /// outer one has left.
    pub(crate) fn limit_attempt(&mut self) {
        let outer = if self.marks.len() == 1 { u64::MAX } else { self.limit };
        self.limit = outer.min(self.spent + self.interpretation.call).min(self.interpretation.total);
    }

    /// Limits the class initialiser whose checkpoint has just begun to its own number of
    /// instructions.
    pub(crate) fn limit_initialiser(&mut self, instructions: u64) {
        self.limit = self.spent + instructions;
    }

    /// Gives back interpreted instructions that count for no attempt.
    pub(crate) fn refund(&mut self, instructions: u64) {
        self.spent -= instructions;
    }

    /// Counts the instructions of a failed attempt.
    pub(crate) fn count_failed(&mut self, instructions: u64) {
        self.failed += instructions;
    }

    // Checkpoints.

    /// Begins a checkpoint.
    pub(crate) fn begin(&mut self) {
        self.marks.push(BudgetMark { limit: self.limit, spent: self.spent });
    }

    /// Ends the innermost checkpoint, committed or rolled back. The limit around it applies again.
    /// Returns the interpreted instructions since its begin, which stay spent.
    pub(crate) fn end_checkpoint(&mut self) -> u64 {
        let Some(mark) = self.marks.pop() else { return 0 };
        self.limit = mark.limit;
        self.spent - mark.spent
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limits() -> InterpretationLimits {
        InterpretationLimits { call: 10, total: 25, wasted: 5 }
    }

    #[test]
    fn an_inner_attempt_ends_no_later_than_its_outer_one() {
        let stop = AtomicBool::new(false);
        let mut budget = ReplayBudget::new(&stop, 0, limits());
        budget.begin();
        budget.limit_attempt();
        for _ in 0..4 {
            assert!(budget.spend_instruction());
        }
        budget.begin();
        budget.limit_attempt();
        let allowed = (0..20).take_while(|_| budget.spend_instruction()).count();
        assert_eq!(allowed, 6);
        assert_eq!(budget.end_checkpoint(), 7);
        assert_eq!(budget.end_checkpoint(), 11);
    }

    #[test]
    fn failed_attempts_exhaust_the_budget() {
        let stop = AtomicBool::new(false);
        let mut budget = ReplayBudget::new(&stop, 0, limits());
        budget.count_failed(4);
        assert!(!budget.is_exhausted());
        budget.count_failed(1);
        assert!(budget.is_exhausted());
    }
}
