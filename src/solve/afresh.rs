//! Where the layers below know no answer: the search goes on with all of its steps, and a solver that has learned nothing is asked.
//!
//! An incremental solver carries the clauses of all queries before, and a check under assumptions leaves out what solvers do to clauses that stay. Most queries are so
//! small that both are no matter; of those that are not, most are satisfiable and a few thousand moves away from the run, or fall to a fresh solver at once
//! (measured on recorded queries: `cargo bench --bench solve`).
//!
//! Where a fresh solver knows nothing of floats either, the next queries are much like this one, and it is the dearest that a query can be: after each refusal it is
//! left out for twice as many, until it answers again (measured: of 127 queries of a class that computes continued fractions it answered none and took
//! 107 of 109 s). Without floats that would cost answers.

use super::descent::descend;
use super::{Limits, Outcome, Query, Reason, Solver, Statistics};
use crate::expr::TermStore;

#[derive(Debug)]
pub struct Afresh<S> {
    inner: S,
    descended: u64,
    steps: u64,
    answered: u64,
    /// Refusals since the last answer, and how many queries go without a fresh solver for them; of queries with floats.
    refused: u32,
    left_out: u32,
}

impl<S> Afresh<S> {
    /// Share of the resources and of the time for the first attempt.
    const SHARE: u32 = 4;
    /// Refusals that count.
    const MOST_REFUSED: u32 = 6;

    pub(crate) fn new(inner: S) -> Afresh<S> {
        Afresh { inner, descended: 0, steps: 0, answered: 0, refused: 0, left_out: 0 }
    }
}

impl<S: Solver> Solver for Afresh<S> {
    fn check(&mut self, terms: &TermStore, query: &Query) -> Outcome {
        let limits = query.limits;
        let first =
            Limits { resources: limits.resources / Self::SHARE, wall: limits.wall.map(|wall| wall / Self::SHARE), ..limits };
        let reason = match self.inner.check(terms, &Query { limits: first, ..query.clone() }) {
            Outcome::Unknown(reason) => reason,
            known => return known,
        };
        let is_worth_more =
            matches!(reason, Reason::Resources | Reason::Time | Reason::GaveUp(_) | Reason::Unsupported(_) | Reason::Descent(_));
        if !is_worth_more {
            return Outcome::Unknown(reason);
        }
        let floats = query.clauses.iter().any(|clause| terms.mentions_floats(*clause));
        if !floats {
            // With floats, the search has spent its steps in the first attempt.
            let (model, steps) = descend(terms, query, limits.descent);
            self.steps += steps;
            if let Some(model) = model {
                self.descended += 1;
                return Outcome::Sat(model);
            }
        } else if self.left_out > 0 {
            self.left_out -= 1;
            return Outcome::Unknown(reason);
        }
        let rest = Limits { wall: limits.wall.map(|wall| wall - wall / Self::SHARE), ..limits };
        let outcome = self.inner.check_apart(terms, &Query { limits: rest, ..query.clone() });
        if floats {
            self.refused = if matches!(outcome, Outcome::Unknown(_)) { (self.refused + 1).min(Self::MOST_REFUSED) } else { 0 };
            self.left_out = (1 << self.refused) - 1;
        }
        match (outcome, reason) {
            // Only the first attempt knows that the search looked as well.
            (Outcome::Unknown(Reason::Unsupported(_)), reason @ Reason::Descent(_)) => Outcome::Unknown(reason),
            (unknown @ Outcome::Unknown(_), _) => unknown,
            (known, _) => {
                self.answered += 1;
                known
            }
        }
    }

    fn check_apart(&mut self, terms: &TermStore, query: &Query) -> Outcome {
        self.inner.check_apart(terms, query)
    }

    fn statistics(&self) -> Statistics {
        let inner = self.inner.statistics();
        Statistics {
            descended: inner.descended + self.descended,
            descent_steps: inner.descent_steps + self.steps,
            afresh: inner.afresh + self.answered,
            ..inner
        }
    }
}
