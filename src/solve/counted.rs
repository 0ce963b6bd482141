//! The outermost layer: counts the outcomes of the whole stack.

use super::{Outcome, Query, Solver, Statistics};
use crate::expr::TermStore;

/// The layer.
#[derive(Debug)]
pub struct Counted<S> {
    inner: S,
    counted: Statistics,
}

impl<S> Counted<S> {
    /// Counts over `inner`.
    pub fn new(inner: S) -> Counted<S> {
        Counted { inner, counted: Statistics::default() }
    }
}

impl<S: Solver> Solver for Counted<S> {
    fn check(&mut self, terms: &TermStore, query: &Query) -> Outcome {
        let outcome = self.inner.check(terms, query);
        self.counted.count(&outcome);
        outcome
    }

    fn statistics(&self) -> Statistics {
        let Statistics { queries, sat, unsat, unknown, ref reasons, .. } = self.counted;
        Statistics { queries, sat, unsat, unknown, reasons: reasons.clone(), ..self.inner.statistics() }
    }
}
