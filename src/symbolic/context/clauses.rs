//! Clauses of the path condition: whether one is new, where it stands, and its alternatives. In:
//! the term that holds in this run; out: a clause, or nothing where it follows already.

use super::ModelContext;
use crate::expr::{Interval, TermId};
use crate::path::{Clause, ClauseKind};
use crate::symbolic::completion::{InterpResult, Stop};
use crate::symbolic::reason::UnsupportedReason;

impl ModelContext<'_, '_> {
    /// Adds a clause with two outcomes; `holds` is the term that is true in this run.
    ///
    /// # Errors
    /// The path ends where the term is false, and an attempt aborts in a class initialiser.
    pub(crate) fn add_clause(&mut self, kind: ClauseKind, outcome: u32, holds: TermId) -> InterpResult<()> {
        let negated = self.terms.not(holds);
        self.add_clause_with_alternatives(kind, outcome, holds, vec![(1 - outcome.min(1), negated)])
    }

    /// Adds a clause; `others`: the alternatives by outcome.
    ///
    /// # Errors
    /// As for [`ModelContext::add_clause`].
    pub(crate) fn add_clause_with_alternatives(
        &mut self,
        kind: ClauseKind,
        outcome: u32,
        holds: TermId,
        others: Vec<(u32, TermId)>,
    ) -> InterpResult<()> {
        self.path.explain_watched(self.frames.depth(), self.frames.bci(), holds);
        if self.path.implied_truth(self.terms, holds) == Some(true) {
            return Ok(());
        }
        if self.push_clause(kind, outcome, holds, others)? {
            self.path.narrow_bounds_by(self.terms, holds);
        }
        Ok(())
    }

    /// Adds the clause that a string has no more characters than symbols. Bounds are not narrowed
    /// by it: otherwise longer strings would never be tried.
    ///
    /// # Errors
    /// As for [`ModelContext::add_clause`].
    pub(crate) fn add_length_bound(&mut self, within: TermId) -> InterpResult<()> {
        let beyond = self.terms.not(within);
        self.push_clause(ClauseKind::Model, 0, within, vec![(1, beyond)]).map(drop)
    }

    /// Appends a clause unless it follows already. Returns whether it was appended.
    fn push_clause(&mut self, kind: ClauseKind, outcome: u32, holds: TermId, others: Vec<(u32, TermId)>) -> InterpResult<bool> {
        if let Some(value) = self.terms.constant_of(holds) {
            if value.truth() == Some(true) {
                return Ok(false);
            }
            return self.diverge("a clause that holds of this run", &format!("false at outcome {outcome}"));
        }
        if self.heap.is_initialising() {
            return Err(Stop::abort(UnsupportedReason::EnvironmentDependentInitialiser));
        }
        if !self.path.assert_term(holds) {
            return Ok(false);
        }
        if self.path.condition().clauses.len() >= self.config.clauses {
            self.path.drop_clause();
            return Ok(false);
        }
        let others = others.into_iter().filter(|&(_, term)| self.terms.constant_of(term).is_none()).collect();
        let site = self.branch_site(outcome);
        self.path.push_clause(Clause { term: holds, site, kind, statement: self.statement, others });
        Ok(true)
    }

    /// The values that an int or long term may have on this path, both bounds included.
    pub(crate) fn bounds(&self, term: TermId) -> Interval {
        self.path.bounds(self.terms, term)
    }

    /// The constant that the term equals on this path; the term itself where it may vary.
    pub(crate) fn constant_on_path(&mut self, term: TermId) -> TermId {
        self.path.constant_on_path(self.terms, term)
    }

    /// The truth value of a clause that the earlier clauses imply; `None` where they imply none.
    pub(crate) fn implied_truth(&self, clause: TermId) -> Option<bool> {
        self.path.implied_truth(self.terms, clause)
    }
}
