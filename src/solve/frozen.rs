//! Smaller queries first: every input outside the last clause keeps its value of the run.
//!
//! In: queries. Out: models of the smaller query that satisfy the whole one; other queries pass
//! unchanged. Also the last clause alone, whose model is a start for the search.

use super::{Limits, Outcome, Query, Solver, Statistics, completed, substituted};
use crate::expr::{Model, TermId, TermStore};

/// The layer.
#[derive(Debug)]
pub struct Frozen<S> {
    inner: S,
    answered: u64,
}

impl<S> Frozen<S> {
    /// Divisor of the resources for the smaller query, which is easy or no help.
    const SHARE: u32 = 32;

    /// The layer over `inner`.
    pub(crate) fn new(inner: S) -> Frozen<S> {
        Frozen { inner, answered: 0 }
    }
}

impl<S: Solver> Frozen<S> {
    fn solve_frozen(&mut self, terms: &TermStore, query: &Query) -> Option<Model> {
        let last = *query.clauses.last()?;
        let free = terms.symbols_of(last);
        let mut fixed = query.seed.clone();
        fixed.0.retain(|symbol, _| free.iter().all(|input| input.symbol != *symbol));
        let touched = |clause: &TermId| terms.symbols_of(*clause).iter().any(|input| fixed.get(input.symbol).is_some());
        if !query.clauses.iter().any(touched) {
            // Nothing is frozen: this is the query itself.
            return None;
        }
        let mut smaller = TermStore::new();
        let clauses = substituted(&mut smaller, terms, &query.clauses, &fixed)?;
        let limits = Limits { resources: query.limits.resources / Self::SHARE, ..query.limits };
        let frozen = Query { clauses, seed: query.seed.clone(), limits };
        match self.inner.check_isolated(&smaller, &frozen) {
            Outcome::Sat(model) => completed(terms, query, &model),
            _ => None,
        }
    }
}

impl<S: Solver> Solver for Frozen<S> {
    fn check(&mut self, terms: &TermStore, query: &Query) -> Outcome {
        if let Some(model) = self.solve_frozen(terms, query) {
            self.answered += 1;
            return Outcome::Sat(model);
        }
        self.inner.check(terms, query)
    }

    fn check_isolated(&mut self, terms: &TermStore, query: &Query) -> Outcome {
        self.inner.check_isolated(terms, query)
    }

    fn statistics(&self) -> Statistics {
        let inner = self.inner.statistics();
        Statistics { frozen: inner.frozen + self.answered, ..inner }
    }
}

/// A model of the last clause alone over the seed. It need not satisfy the other clauses.
pub fn optimistic(solver: &mut dyn Solver, terms: &TermStore, query: &Query) -> Option<Model> {
    let last = *query.clauses.last()?;
    let alone = Query { clauses: vec![last], seed: query.seed.clone(), limits: query.limits };
    match solver.check_isolated(terms, &alone) {
        Outcome::Sat(model) => Some(model),
        _ => None,
    }
}
