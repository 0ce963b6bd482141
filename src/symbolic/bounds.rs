//! What the clauses of a path say of single terms. Flows in: every clause that the path takes; flows out: bounds narrower than those that hold
//! for all inputs, and whether a clause is settled by those before it. What is built on them is right for all inputs that take the same way
//! up to here, and only of such does a path condition speak. Must not know what terms mean.

use super::machine::Machine;
use crate::expr::{BinaryOp, Interval, Sort, Term, TermId, UnaryOp, Value};

/// Parts of a clause that are looked at.
const MOST_PARTS: usize = 256;

impl Machine<'_, '_> {
    /// The clause holds from here on.
    pub(crate) fn narrow_bounds_by(&mut self, clause: TermId) {
        let mut pending = vec![clause];
        for _ in 0..MOST_PARTS {
            let Some(clause) = pending.pop() else { break };
            match self.terms.get(clause) {
                Term::Binary(BinaryOp::And, a, b) => pending.extend([b, a]),
                Term::Binary(BinaryOp::Eq, term, constant) => {
                    if let Some(value) = self.integer(constant) {
                        self.narrow(term, Interval::point(value));
                    }
                }
                Term::Binary(op @ (BinaryOp::BvSlt | BinaryOp::BvSle), a, b) => {
                    let strict = i64::from(op == BinaryOp::BvSlt);
                    if let Some(low) = self.integer(a).and_then(|low| low.checked_add(strict)) {
                        self.narrow(b, Interval { low, high: i64::MAX });
                    } else if let Some(high) = self.integer(b).and_then(|high| high.checked_sub(strict)) {
                        self.narrow(a, Interval { low: i64::MIN, high });
                    }
                }
                Term::Unary(UnaryOp::Not, inner) => {
                    if let Term::Binary(BinaryOp::Eq, term, constant) = self.terms.get(inner)
                        && let Some(value) = self.integer(constant)
                    {
                        let Interval { low, high } = self.bounds(term);
                        if value == low && low < high {
                            self.narrow(term, Interval { low: low + 1, high });
                        } else if value == high && low < high {
                            self.narrow(term, Interval { low, high: high - 1 });
                        }
                    }
                }
                _ => {}
            }
        }
    }

    fn integer(&self, term: TermId) -> Option<i64> {
        self.terms.constant_of(term).and_then(Value::integral)
    }

    fn narrow(&mut self, term: TermId, to: Interval) {
        if !self.terms.sort(term).is_bv() {
            return;
        }
        let before = self.bounds(term);
        let Some(bounds) = before.intersection(to).filter(|bounds| *bounds != before) else { return };
        self.set_bounds(term, bounds);
        // What is said of a sum is said of its summand.
        if let Term::Binary(BinaryOp::BvAdd, summand, constant) = self.terms.get(term)
            && let Some(constant) = self.integer(constant)
            && self.sum(summand, constant).is_some()
        {
            let back = |bound: i64| bound.saturating_sub(constant);
            self.narrow(summand, Interval { low: back(bounds.low), high: back(bounds.high) });
        }
    }

    /// Bounds of `term + constant` where it does not overflow.
    fn sum(&self, term: TermId, constant: i64) -> Option<Interval> {
        let Interval { low, high } = self.bounds(term);
        let full = Interval::full(self.terms.sort(term));
        let sum = Interval { low: low.checked_add(constant)?, high: high.checked_add(constant)? };
        (full.contains(sum.low) && full.contains(sum.high)).then_some(sum)
    }

    /// Between which values the term of an int or long is on this path.
    pub(crate) fn bounds(&self, term: TermId) -> Interval {
        let mut bounds = self.terms.interval(term);
        if let Some(known) = self.known.get(&term) {
            bounds = bounds.intersection(*known).unwrap_or(bounds);
        }
        if let Term::Binary(BinaryOp::BvAdd, summand, constant) = self.terms.get(term)
            && let Some(constant) = self.integer(constant)
            && let Some(sum) = self.sum(summand, constant)
        {
            bounds = bounds.intersection(sum).unwrap_or(bounds);
        }
        bounds
    }

    /// The constant that the term is on this path, or the term.
    pub(crate) fn constant_on_path(&mut self, term: TermId) -> TermId {
        if self.terms.constant_of(term).is_some() {
            return term;
        }
        let sort = self.terms.sort(term);
        if !sort.is_bv() {
            return term;
        }
        let Interval { low, high } = self.bounds(term);
        match low == high {
            true if sort == Sort::Bv64 => self.terms.long(low),
            true => self.terms.int(low as i32),
            false => term,
        }
    }

    /// Whether the clause holds, or does not, wherever the path came this far.
    pub(crate) fn implied_truth(&self, clause: TermId) -> Option<bool> {
        let mut left = MOST_PARTS;
        self.foregone_within(clause, &mut left)
    }

    fn foregone_within(&self, clause: TermId, left: &mut usize) -> Option<bool> {
        *left = left.checked_sub(1)?;
        if self.asserted.contains(&clause) {
            return Some(true);
        }
        match self.terms.get(clause) {
            Term::Constant(value) => value.truth(),
            Term::Unary(UnaryOp::Not, inner) => self.foregone_within(inner, left).map(|holds| !holds),
            Term::Binary(op @ (BinaryOp::And | BinaryOp::Or), a, b) => {
                let decides = op == BinaryOp::Or;
                match self.foregone_within(a, left) {
                    Some(first) if first == decides => Some(decides),
                    first => match self.foregone_within(b, left) {
                        Some(second) if second == decides => Some(decides),
                        second => first.and(second),
                    },
                }
            }
            Term::Binary(BinaryOp::Eq, a, b) if self.terms.sort(a).is_bv() => {
                let (a, b) = (self.bounds(a), self.bounds(b));
                if a.is_disjoint(b) {
                    return Some(false);
                }
                (a == b && a.low == a.high).then_some(true)
            }
            Term::Binary(op @ (BinaryOp::BvSlt | BinaryOp::BvSle | BinaryOp::BvUlt | BinaryOp::BvUle), a, b) => {
                let (a, b) = (self.bounds(a), self.bounds(b));
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
}
