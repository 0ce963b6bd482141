//! Slicing (tardis §4.1): clauses that share no input with the last one are left out if the seed
//! satisfies them. In: queries. Out: smaller queries, whose models are completed for all clauses.

use super::{Outcome, Query, Reason, Solver, Statistics, completed};
use crate::expr::{Evaluation, TermId, TermStore};
use crate::slice;

/// The layer. Inputs outside the slice keep the values of the seed. If a clause there does not hold
/// under the seed, the whole query is passed on.
#[derive(Debug)]
pub(crate) struct Slicing<S> {
    inner: S,
}

impl<S> Slicing<S> {
    /// The layers below walk and print all terms several times without checking the time. With this
    /// many terms, that takes about a second.
    const MOST_TERMS: usize = 300_000;

    /// The layer over `inner`.
    pub(crate) fn new(inner: S) -> Slicing<S> {
        Slicing { inner }
    }
}

impl<S: Solver> Solver for Slicing<S> {
    fn check(&mut self, terms: &TermStore, query: &Query) -> Outcome {
        let kept = slice::slice(terms, &query.clauses);
        let clauses: Vec<TermId> = kept.iter().map(|position| query.clauses[*position]).collect();
        if terms.reachable(&clauses).len() > Self::MOST_TERMS {
            return Outcome::Unknown(Reason::Size);
        }
        let mut evaluation = Evaluation::new(terms, &query.seed);
        let mut outside = (0..query.clauses.len()).filter(|position| kept.binary_search(position).is_err());
        if kept.len() == query.clauses.len() || !outside.all(|position| evaluation.holds(query.clauses[position])) {
            return self.inner.check(terms, query);
        }
        let sliced = Query { clauses, seed: query.seed.clone(), limits: query.limits };
        match self.inner.check(terms, &sliced) {
            // Completing over all clauses checks those outside the slice.
            Outcome::Sat(model) => match completed(terms, query, &model) {
                Some(model) => Outcome::Sat(model),
                None => self.inner.check(terms, query),
            },
            Outcome::Unsat { core } => Outcome::Unsat { core: core.into_iter().map(|position| kept[position]).collect() },
            unknown => unknown,
        }
    }

    fn statistics(&self) -> Statistics {
        self.inner.statistics()
    }
}
