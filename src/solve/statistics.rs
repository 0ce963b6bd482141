//! Counts that the layers of a solver stack keep. In: outcomes; out: figures for the report.

use super::Outcome;
use std::collections::BTreeMap;

/// Counts of a solver stack, summed over its layers.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Statistics {
    /// Queries to the whole stack, and their outcomes.
    pub(crate) queries: u64,
    pub(crate) sat: u64,
    pub(crate) unsat: u64,
    pub(crate) unknown: u64,
    /// Unknown outcomes by [`Reason::kind`].
    pub(crate) reasons: BTreeMap<&'static str, u64>,
    /// Answered by folding, and by the cache.
    pub(crate) folded: u64,
    pub(crate) cached: u64,
    /// Answered by descent, and the subterms it computed.
    pub(crate) descended: u64,
    pub(crate) descent_steps: u64,
    /// Answered by branch and prune, and the rules applied and subterms computed for it.
    pub(crate) pruned: u64,
    pub(crate) pruning_steps: u64,
    /// Answered with string lengths put in.
    pub(crate) shortened: u64,
    /// Answered with all inputs outside the last clause frozen.
    pub(crate) frozen: u64,
    /// Answered by a fresh solver, after the incremental one had no answer.
    pub(crate) fresh: u64,
    /// Queries that reached Z3.
    pub solved: u64,
    /// Z3 resources that they cost.
    pub resources: u64,
    pub(crate) seconds: f64,
    /// Solver processes started.
    pub started: u64,
    /// Solver processes killed by the watchdog.
    pub killed: u64,
    /// Solver processes that ended by themselves.
    pub died: u64,
    /// Models that did not satisfy their clauses.
    pub wrong_models: u64,
}

impl Statistics {
    /// Counts an outcome of the whole stack.
    pub(crate) fn count(&mut self, outcome: &Outcome) {
        self.queries += 1;
        match outcome {
            Outcome::Sat(_) => self.sat += 1,
            Outcome::Unsat { .. } => self.unsat += 1,
            Outcome::Unknown(reason) => {
                self.unknown += 1;
                *self.reasons.entry(reason.kind()).or_insert(0) += 1;
            }
        }
    }
}
