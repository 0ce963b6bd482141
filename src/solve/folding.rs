//! Outcomes without a solver: constant clauses, clauses that the seed satisfies, and inputs whose
//! bounds contradict each other. In: queries. Out: an outcome, or the query for the layers below.

use super::{Outcome, Query, Solver, Statistics, completed, inputs_of};
use crate::expr::{BinaryOp, Input, Model, Symbol, Term, TermId, TermStore, UnaryOp, Value};
use std::collections::BTreeMap;

/// The layer.
#[derive(Debug)]
pub struct Folding<S> {
    inner: S,
    answered: u64,
}

impl<S> Folding<S> {
    /// The layer over `inner`.
    pub(crate) fn new(inner: S) -> Folding<S> {
        Folding { inner, answered: 0 }
    }
}

impl<S: Solver> Solver for Folding<S> {
    fn check(&mut self, terms: &TermStore, query: &Query) -> Outcome {
        if let Some(outcome) = decide(terms, query) {
            self.answered += 1;
            return outcome;
        }
        self.inner.check(terms, query)
    }

    fn statistics(&self) -> Statistics {
        let inner = self.inner.statistics();
        Statistics { folded: inner.folded + self.answered, ..inner }
    }
}

fn decide(terms: &TermStore, query: &Query) -> Option<Outcome> {
    if let Some(position) = query.clauses.iter().position(|clause| terms.constant_of(*clause) == Some(Value::Bool(false))) {
        return Some(Outcome::Unsat { core: vec![position] });
    }
    if let Err(reason) = inputs_of(terms, &query.clauses) {
        return Some(Outcome::Unknown(reason));
    }
    if let Some(core) = contradiction(terms, &query.clauses) {
        return Some(Outcome::Unsat { core });
    }
    completed(terms, query, &Model::new()).map(Outcome::Sat)
}

/// The bounds of an input by clauses of the form `input op constant`, and the clauses that set
/// them.
struct InputBounds {
    /// Wider than the sort: an excluded value can move a bound past the largest value.
    low: i128,
    high: i128,
    low_by: Vec<usize>,
    high_by: Vec<usize>,
}

/// Positions of clauses that leave some input without a value.
pub(super) fn contradiction(terms: &TermStore, clauses: &[TermId]) -> Option<Vec<usize>> {
    let mut bounds: BTreeMap<Symbol, InputBounds> = BTreeMap::new();
    let mut different: Vec<(usize, Symbol, i128)> = Vec::new();
    for (position, clause) in clauses.iter().enumerate() {
        let Some((input, relation, constant)) = input_against_constant(terms, *clause) else { continue };
        let Some((low, high)) = input.kind.range() else { continue };
        let bounds = bounds.entry(input.symbol).or_insert(InputBounds {
            low: low.into(),
            high: high.into(),
            low_by: Vec::new(),
            high_by: Vec::new(),
        });
        let (at_least, at_most) = match relation {
            Relation::Equal => (Some(constant), Some(constant)),
            Relation::AtLeast => (Some(constant), None),
            Relation::AtMost => (None, Some(constant)),
            Relation::Different => {
                different.push((position, input.symbol, constant));
                continue;
            }
        };
        if let Some(low) = at_least.filter(|low| *low > bounds.low) {
            bounds.low = low;
            bounds.low_by = vec![position];
        }
        if let Some(high) = at_most.filter(|high| *high < bounds.high) {
            bounds.high = high;
            bounds.high_by = vec![position];
        }
    }
    // Excluded values move the lower bound up, in ascending order.
    different.sort_by_key(|(_, _, constant)| *constant);
    for (position, symbol, constant) in different {
        let bounds = bounds.get_mut(&symbol)?;
        if bounds.low == constant && bounds.low <= bounds.high {
            bounds.low += 1;
            bounds.low_by.push(position);
        }
    }
    bounds.into_values().find(|bounds| bounds.low > bounds.high).map(|bounds| {
        let mut core = bounds.low_by;
        core.extend(bounds.high_by);
        core.sort_unstable();
        core.dedup();
        core
    })
}

enum Relation {
    Equal,
    Different,
    AtLeast,
    AtMost,
}

/// The parts of a clause of the form `input op constant`. Strict bounds become inclusive ones.
fn input_against_constant(terms: &TermStore, clause: TermId) -> Option<(Input, Relation, i128)> {
    let input = |id: TermId| if let Term::Input(input) = terms.get(id) { Some(input) } else { None };
    let constant = |id: TermId| terms.constant_of(id).and_then(Value::integral).map(i128::from);
    match terms.get(clause) {
        Term::Unary(UnaryOp::Not, inner) => match input_against_constant(terms, inner)? {
            (input, Relation::Equal, constant) => Some((input, Relation::Different, constant)),
            _ => None,
        },
        Term::Binary(op, a, b) => match (op, input(a), constant(b), constant(a), input(b)) {
            (BinaryOp::Eq, Some(input), Some(constant), ..) => Some((input, Relation::Equal, constant)),
            (BinaryOp::BvSle, Some(input), Some(constant), ..) => Some((input, Relation::AtMost, constant)),
            (BinaryOp::BvSlt, Some(input), Some(constant), ..) => Some((input, Relation::AtMost, constant - 1)),
            (BinaryOp::BvSle, .., Some(constant), Some(input)) => Some((input, Relation::AtLeast, constant)),
            (BinaryOp::BvSlt, .., Some(constant), Some(input)) => Some((input, Relation::AtLeast, constant + 1)),
            _ => None,
        },
        _ => None,
    }
}
