//! The path of one replay: its clauses, the terms that they assert, and the bounds that they leave
//! for other terms. In: clauses; out: the path condition, and whether a term already follows.
//! Bounds hold for all inputs that take the same path up to here, which are the only ones that a
//! path condition describes. Must not know objects or instructions.

use std::collections::{HashMap, HashSet};

use crate::expr::{BinaryOp, Interval, Sort, Term, TermId, TermStore, UnaryOp, Value};
use crate::path::{BranchOutcome, Clause, PathCondition, StepKind, WatchedStep};

/// Subterms of one clause that are visited, at most.
const MOST_SUBTERMS: usize = 256;

/// One change that can be undone.
#[derive(Debug)]
enum PathChange {
    Asserted(TermId),
    Bounds(TermId, Option<Interval>),
}

/// The condition when a checkpoint began.
#[derive(Debug)]
struct PathMark {
    log: usize,
    clauses: usize,
    concrete_branches: usize,
    dropped: u64,
    signature: u64,
    branches: u64,
    inexact_from: Option<usize>,
    watched: usize,
}

/// The path condition under construction.
#[derive(Debug, Default)]
pub(crate) struct Path {
    condition: PathCondition,
    /// Terms that hold on this path: they need no second clause.
    asserted: HashSet<TermId>,
    /// Bounds of terms where the clauses leave narrower ones than all inputs.
    bounds: HashMap<TermId, Interval>,
    log: Vec<PathChange>,
    marks: Vec<PathMark>,
}

impl Path {
    /// The condition so far.
    pub(crate) fn condition(&self) -> &PathCondition {
        &self.condition
    }

    /// The finished condition.
    pub(crate) fn into_condition(self) -> PathCondition {
        self.condition
    }

    /// Forgets clauses and assertions. Bounds stay, since they hold anyway.
    pub(crate) fn restart(&mut self) {
        self.condition = PathCondition::default();
        self.asserted.clear();
    }

    /// From here on the condition may be wrong for other inputs.
    pub(crate) fn mark_inexact(&mut self) {
        self.condition.mark_inexact();
    }

    /// Adds a branch outcome of the recorded run to the signature.
    #[inline]
    pub(crate) fn record_outcome(&mut self, site: u32, outcome: u32) {
        self.condition.record_outcome(site, outcome);
    }

    /// Whether another concrete branch is kept.
    #[inline]
    pub(crate) fn has_room_for_concrete_branch(&self) -> bool {
        self.condition.has_room_for_concrete_branch()
    }

    /// Adds a branch that no input decides.
    pub(crate) fn push_concrete_branch(&mut self, outcome: BranchOutcome) {
        self.condition.push_concrete_branch(outcome);
    }

    /// Adds a step of the watched method. `depth`: frames below its call.
    pub(crate) fn push_watched(&mut self, depth: usize, kind: StepKind) {
        let clauses_before = self.condition.clauses.len() as u32;
        self.condition.watched.push(WatchedStep { depth: depth as u32, clauses_before, kind });
    }

    /// Records what holds because of the decision, where it is the last step of the watched method.
    #[inline]
    pub(crate) fn explain_watched(&mut self, depth: usize, at: u32, holds: TermId) {
        if let Some(WatchedStep { depth: own, kind: StepKind::Decided { bci, term, .. }, .. }) = self.condition.watched.last_mut()
            && (*own as usize, *bci) == (depth, at)
        {
            term.get_or_insert(holds);
        }
    }

    /// Counts a clause that is not kept.
    pub(crate) fn drop_clause(&mut self) {
        self.condition.dropped += 1;
    }

    /// Appends a clause.
    pub(crate) fn push_clause(&mut self, clause: Clause) {
        self.condition.clauses.push(clause);
    }

    /// Records that a term holds from here on. Returns whether it was not asserted before.
    pub(crate) fn assert_term(&mut self, term: TermId) -> bool {
        let is_new = self.asserted.insert(term);
        if is_new && !self.marks.is_empty() {
            self.log.push(PathChange::Asserted(term));
        }
        is_new
    }

    // Bounds.

    /// Narrows the bounds of the terms that a clause constrains; the clause holds from here on.
    pub(crate) fn narrow_bounds_by(&mut self, terms: &TermStore, clause: TermId) {
        let mut pending = vec![clause];
        for _ in 0..MOST_SUBTERMS {
            let Some(clause) = pending.pop() else { break };
            match terms.get(clause) {
                Term::Binary(BinaryOp::And, a, b) => pending.extend([b, a]),
                Term::Binary(BinaryOp::Eq, term, constant) => {
                    if let Some(value) = integer(terms, constant) {
                        self.narrow(terms, term, Interval::point(value));
                    }
                }
                Term::Binary(op @ (BinaryOp::BvSlt | BinaryOp::BvSle), a, b) => {
                    let strict = i64::from(op == BinaryOp::BvSlt);
                    if let Some(low) = integer(terms, a).and_then(|low| low.checked_add(strict)) {
                        self.narrow(terms, b, Interval { low, high: i64::MAX });
                    } else if let Some(high) = integer(terms, b).and_then(|high| high.checked_sub(strict)) {
                        self.narrow(terms, a, Interval { low: i64::MIN, high });
                    }
                }
                Term::Unary(UnaryOp::Not, inner) => {
                    if let Term::Binary(BinaryOp::Eq, term, constant) = terms.get(inner)
                        && let Some(value) = integer(terms, constant)
                    {
                        let Interval { low, high } = self.bounds(terms, term);
                        if value == low && low < high {
                            self.narrow(terms, term, Interval { low: low + 1, high });
                        } else if value == high && low < high {
                            self.narrow(terms, term, Interval { low, high: high - 1 });
                        }
                    }
                }
                _ => {}
            }
        }
    }

    fn narrow(&mut self, terms: &TermStore, term: TermId, to: Interval) {
        if !terms.sort(term).is_bv() {
            return;
        }
        let before = self.bounds(terms, term);
        let Some(bounds) = before.intersection(to).filter(|bounds| *bounds != before) else { return };
        let old = self.bounds.insert(term, bounds);
        if !self.marks.is_empty() {
            self.log.push(PathChange::Bounds(term, old));
        }
        // Bounds of a sum without overflow give bounds of its summand.
        if let Term::Binary(BinaryOp::BvAdd, summand, constant) = terms.get(term)
            && let Some(constant) = integer(terms, constant)
            && self.sum_bounds(terms, summand, constant).is_some()
        {
            let back = |bound: i64| bound.saturating_sub(constant);
            self.narrow(terms, summand, Interval { low: back(bounds.low), high: back(bounds.high) });
        }
    }

    /// Bounds of `term + constant`; `None` where it may overflow.
    fn sum_bounds(&self, terms: &TermStore, term: TermId, constant: i64) -> Option<Interval> {
        let Interval { low, high } = self.bounds(terms, term);
        let full = Interval::full(terms.sort(term));
        let sum = Interval { low: low.checked_add(constant)?, high: high.checked_add(constant)? };
        (full.contains(sum.low) && full.contains(sum.high)).then_some(sum)
    }

    /// The values that an int or long term may have on this path, both bounds included.
    pub(crate) fn bounds(&self, terms: &TermStore, term: TermId) -> Interval {
        let mut bounds = terms.interval(term);
        if let Some(known) = self.bounds.get(&term) {
            bounds = bounds.intersection(*known).unwrap_or(bounds);
        }
        if let Term::Binary(BinaryOp::BvAdd, summand, constant) = terms.get(term)
            && let Some(constant) = integer(terms, constant)
            && let Some(sum) = self.sum_bounds(terms, summand, constant)
        {
            bounds = bounds.intersection(sum).unwrap_or(bounds);
        }
        bounds
    }

    /// The constant that the term equals on this path; the term itself where it may vary.
    pub(crate) fn constant_on_path(&self, terms: &mut TermStore, term: TermId) -> TermId {
        if terms.constant_of(term).is_some() {
            return term;
        }
        let sort = terms.sort(term);
        if !sort.is_bv() {
            return term;
        }
        let Interval { low, high } = self.bounds(terms, term);
        match low == high {
            true if sort == Sort::Bv64 => terms.long(low),
            true => terms.int(low as i32),
            false => term,
        }
    }

    /// The truth value of a clause that the earlier clauses imply; `None` where they imply none.
    pub(crate) fn implied_truth(&self, terms: &TermStore, clause: TermId) -> Option<bool> {
        let mut left = MOST_SUBTERMS;
        self.implied_truth_within(terms, clause, &mut left)
    }

    fn implied_truth_within(&self, terms: &TermStore, clause: TermId, left: &mut usize) -> Option<bool> {
        *left = left.checked_sub(1)?;
        if self.asserted.contains(&clause) {
            return Some(true);
        }
        match terms.get(clause) {
            Term::Constant(value) => value.truth(),
            Term::Unary(UnaryOp::Not, inner) => self.implied_truth_within(terms, inner, left).map(|holds| !holds),
            Term::Binary(op @ (BinaryOp::And | BinaryOp::Or), a, b) => {
                let decides = op == BinaryOp::Or;
                match self.implied_truth_within(terms, a, left) {
                    Some(first) if first == decides => Some(decides),
                    first => match self.implied_truth_within(terms, b, left) {
                        Some(second) if second == decides => Some(decides),
                        second => first.and(second),
                    },
                }
            }
            Term::Binary(BinaryOp::Eq, a, b) if terms.sort(a).is_bv() => {
                let (a, b) = (self.bounds(terms, a), self.bounds(terms, b));
                if a.is_disjoint(b) {
                    return Some(false);
                }
                (a == b && a.low == a.high).then_some(true)
            }
            Term::Binary(op @ (BinaryOp::BvSlt | BinaryOp::BvSle | BinaryOp::BvUlt | BinaryOp::BvUle), a, b) => {
                let (a, b) = (self.bounds(terms, a), self.bounds(terms, b));
                if matches!(op, BinaryOp::BvUlt | BinaryOp::BvUle) && (a.low < 0 || b.low < 0) {
                    return None;
                }
                let (always, never) = match op {
                    BinaryOp::BvSlt | BinaryOp::BvUlt => (a.high < b.low, a.low >= b.high),
                    _ => (a.high <= b.low, a.low > b.high),
                };
                (always || never).then_some(always)
            }
            _ => None,
        }
    }

    // Checkpoints.

    /// Begins a checkpoint.
    pub(crate) fn begin(&mut self) {
        let PathCondition { clauses, concrete_branches, signature, branches, dropped, inexact_from, watched } = &self.condition;
        self.marks.push(PathMark {
            log: self.log.len(),
            clauses: clauses.len(),
            concrete_branches: concrete_branches.len(),
            dropped: *dropped,
            signature: *signature,
            branches: *branches,
            inexact_from: *inexact_from,
            watched: watched.len(),
        });
    }

    /// Ends the innermost checkpoint and keeps the clauses since.
    pub(crate) fn commit(&mut self) {
        self.marks.pop();
        if self.marks.is_empty() {
            self.log.clear();
        }
    }

    /// Ends the innermost checkpoint and removes the clauses since, with their assertions and
    /// bounds.
    pub(crate) fn roll_back(&mut self) {
        let Some(mark) = self.marks.pop() else { return };
        while self.log.len() > mark.log {
            match self.log.pop() {
                Some(PathChange::Asserted(term)) => {
                    self.asserted.remove(&term);
                }
                Some(PathChange::Bounds(term, Some(old))) => {
                    self.bounds.insert(term, old);
                }
                Some(PathChange::Bounds(term, None)) => {
                    self.bounds.remove(&term);
                }
                None => {}
            }
        }
        self.condition.clauses.truncate(mark.clauses);
        self.condition.concrete_branches.truncate(mark.concrete_branches);
        self.condition.dropped = mark.dropped;
        self.condition.signature = mark.signature;
        self.condition.branches = mark.branches;
        self.condition.inexact_from = mark.inexact_from;
        self.condition.watched.truncate(mark.watched);
    }
}

fn integer(terms: &TermStore, term: TermId) -> Option<i64> {
    terms.constant_of(term).and_then(Value::integral)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expr::{Symbol, SymbolKind};

    #[test]
    fn clauses_narrow_bounds_until_they_are_rolled_back() {
        let mut terms = TermStore::new();
        let mut path = Path::default();
        let x = terms.symbol(Symbol::value(0), SymbolKind::Int);
        let (three, ten) = (terms.int(3), terms.int(10));
        let (above, below) = (terms.le(three, x), terms.lt(x, ten));
        path.narrow_bounds_by(&terms, above);
        path.begin();
        path.narrow_bounds_by(&terms, below);
        assert_eq!(path.bounds(&terms, x), Interval { low: 3, high: 9 });
        assert_eq!(path.implied_truth(&terms, below), Some(true));
        path.roll_back();
        assert_eq!(path.bounds(&terms, x), Interval { low: 3, high: i64::from(i32::MAX) });
        assert_eq!(path.implied_truth(&terms, below), None);
    }

    #[test]
    fn an_asserted_term_is_implied() {
        let mut terms = TermStore::new();
        let mut path = Path::default();
        let x = terms.symbol(Symbol::value(0), SymbolKind::Double);
        let zero = terms.double(0.0);
        let clause = terms.eq(x, zero);
        path.begin();
        assert!(path.assert_term(clause));
        assert!(!path.assert_term(clause));
        assert_eq!(path.implied_truth(&terms, clause), Some(true));
        path.roll_back();
        assert_eq!(path.implied_truth(&terms, clause), None);
    }
}
