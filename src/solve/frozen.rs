//! Smaller queries first: all inputs outside the last clause keep the values of the run. And the last clause alone, for a search to start from.

use super::{Limits, Outcome, Query, Solver, Statistics, completed, substituted};
use crate::expr::{Model, TermId, TermStore};

/// Tries the query with everything frozen that the last clause does not mention; what that does not solve goes on as it is.
#[derive(Debug)]
pub struct Frozen<S> {
    inner: S,
    answered: u64,
}

impl<S> Frozen<S> {
    /// Share of the resources for the smaller query: it is easy or no help (measured: of those that get here it settles one in thirty).
    const SHARE: u32 = 32;

    pub(crate) fn new(inner: S) -> Frozen<S> {
        Frozen { inner, answered: 0 }
    }
}

impl<S: Solver> Frozen<S> {
    fn frozen(&mut self, terms: &TermStore, query: &Query) -> Option<Model> {
        let last = *query.clauses.last()?;
        let free = terms.symbols_of(last);
        let mut fixed = query.seed.clone();
        fixed.0.retain(|symbol, _| free.iter().all(|input| input.symbol != *symbol));
        let touched = |clause: &TermId| terms.symbols_of(*clause).iter().any(|input| fixed.get(input.symbol).is_some());
        if !query.clauses.iter().any(touched) {
            // Nothing to freeze: the query itself.
            return None;
        }
        let mut smaller = TermStore::new();
        let clauses = substituted(&mut smaller, terms, &query.clauses, &fixed)?;
        let limits = Limits { resources: query.limits.resources / Self::SHARE, ..query.limits };
        let frozen = Query { clauses, seed: query.seed.clone(), limits };
        match self.inner.check_apart(&smaller, &frozen) {
            Outcome::Sat(model) => completed(terms, query, &model),
            _ => None,
        }
    }
}

impl<S: Solver> Solver for Frozen<S> {
    fn check(&mut self, terms: &TermStore, query: &Query) -> Outcome {
        if let Some(model) = self.frozen(terms, query) {
            self.answered += 1;
            return Outcome::Sat(model);
        }
        self.inner.check(terms, query)
    }

    fn check_apart(&mut self, terms: &TermStore, query: &Query) -> Outcome {
        self.inner.check_apart(terms, query)
    }

    fn statistics(&self) -> Statistics {
        let inner = self.inner.statistics();
        Statistics { frozen: inner.frozen + self.answered, ..inner }
    }
}

/// A model of the last clause alone over the seed: no answer to the query, but a candidate near the alternative.
pub fn optimistic(solver: &mut dyn Solver, terms: &TermStore, query: &Query) -> Option<Model> {
    let last = *query.clauses.last()?;
    let alone = Query { clauses: vec![last], seed: query.seed.clone(), limits: query.limits };
    match solver.check_apart(terms, &alone) {
        Outcome::Sat(model) => Some(model),
        _ => None,
    }
}
