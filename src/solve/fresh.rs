//! Solvers without history, for queries that the layers below leave open.
//!
//! In: queries. Out: the outcome of the layers below with a part of the resources; then of descent
//! with all of its steps; then of a solver that has learned nothing.
//!
//! An incremental solver carries the clauses of all earlier queries, and a check under assumptions
//! skips simplifications of asserted clauses. Most open queries are satisfiable a few thousand
//! moves away from the run, or fall to a fresh solver at once (docs/experiments.md, "Solver").
//!
//! A fresh solver that fails on floats is the dearest query of all, and the next queries are
//! usually alike. So after each failure it is skipped for twice as many queries, until it answers
//! again. Without floats, this would cost answers.

use super::descent::descend;
use super::{Limits, Outcome, Query, Reason, Solver, Statistics};
use crate::expr::TermStore;

/// The layer.
#[derive(Debug)]
pub struct FreshSolver<S> {
    inner: S,
    descended: u64,
    steps: u64,
    answered: u64,
    /// Failures on queries with floats since the last answer.
    failures: u32,
    /// Queries with floats for which the fresh solver is still skipped.
    to_skip: u32,
}

impl<S> FreshSolver<S> {
    /// Divisor of resources and time for the first attempt.
    const SHARE: u32 = 4;
    /// Failures that are counted: the solver is skipped for at most 2^n - 1 queries.
    const MOST_FAILURES: u32 = 6;

    /// The layer over `inner`.
    pub(crate) fn new(inner: S) -> FreshSolver<S> {
        FreshSolver { inner, descended: 0, steps: 0, answered: 0, failures: 0, to_skip: 0 }
    }
}

impl<S: Solver> Solver for FreshSolver<S> {
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
            // With floats, descent has used its steps in the first attempt.
            let (model, steps) = descend(terms, query, limits.descent);
            self.steps += steps;
            if let Some(model) = model {
                self.descended += 1;
                return Outcome::Sat(model);
            }
        } else if self.to_skip > 0 {
            self.to_skip -= 1;
            return Outcome::Unknown(reason);
        }
        let rest = Limits { wall: limits.wall.map(|wall| wall - wall / Self::SHARE), ..limits };
        let outcome = self.inner.check_isolated(terms, &Query { limits: rest, ..query.clone() });
        if floats {
            self.failures = if matches!(outcome, Outcome::Unknown(_)) { (self.failures + 1).min(Self::MOST_FAILURES) } else { 0 };
            self.to_skip = (1 << self.failures) - 1;
        }
        match (outcome, reason) {
            // Only the first attempt knows that descent failed as well.
            (Outcome::Unknown(Reason::Unsupported(_)), reason @ Reason::Descent(_)) => Outcome::Unknown(reason),
            (unknown @ Outcome::Unknown(_), _) => unknown,
            (known, _) => {
                self.answered += 1;
                known
            }
        }
    }

    fn check_isolated(&mut self, terms: &TermStore, query: &Query) -> Outcome {
        self.inner.check_isolated(terms, query)
    }

    fn statistics(&self) -> Statistics {
        let inner = self.inner.statistics();
        Statistics {
            descended: inner.descended + self.descended,
            descent_steps: inner.descent_steps + self.steps,
            fresh: inner.fresh + self.answered,
            ..inner
        }
    }
}
