//! Queries, and what every layer needs to know about them: their inputs, copies with values put in,
//! and whether a model satisfies them. In: clauses over one term store. Knows no layer.

use super::Reason;
use crate::expr::{Evaluation, Input, Model, TermId, TermStore, Value};
use std::collections::HashSet;
use std::time::Duration;

/// The question for values of the inputs under which all clauses hold.
#[derive(Clone, Debug)]
pub struct Query {
    /// In run order. The last one is the alternative; the others held in the run.
    pub clauses: Vec<TermId>,
    /// The input values of the run. An input that no clause constrains keeps its value.
    pub seed: Model,
    /// What the query may cost.
    pub limits: Limits,
}

/// What a query may cost. Without a wall time, answers are a function of the queries asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Z3's `rlimit`, about 2 to 10 million a second.
    pub resources: u32,
    /// Wall-clock time; `None` for no limit.
    pub wall: Option<Duration>,
    /// Subterms that descent may compute, about 50 million a second. Branch and prune gets a share
    /// of it.
    pub descent: u64,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { resources: 3_000_000, wall: None, descent: 2_000_000 }
    }
}

/// Copies of the clauses in another store, with values for some inputs: each clause once, without
/// those that are then true. `None` if one is then false.
pub(super) fn substituted(into: &mut TermStore, from: &TermStore, clauses: &[TermId], values: &Model) -> Option<Vec<TermId>> {
    let mut copies = into.import_all(from, clauses, values);
    copies.retain(|clause| into.constant_of(*clause).and_then(Value::truth) != Some(true));
    if copies.iter().any(|clause| into.constant_of(*clause).is_some()) {
        return None;
    }
    let mut seen = HashSet::new();
    copies.retain(|clause| seen.insert(*clause));
    Some(copies)
}

/// The inputs of the clauses, in symbol order. [`Reason::Unsupported`] if one symbol occurs with
/// two kinds, which is a fault of the caller.
pub(crate) fn inputs_of(terms: &TermStore, clauses: &[TermId]) -> Result<Vec<Input>, Reason> {
    let inputs = terms.symbols_of_all(clauses);
    match inputs.windows(2).find(|pair| pair[0].symbol == pair[1].symbol) {
        Some(pair) => Err(Reason::Unsupported(format!("{} and {} in one query", pair[0], pair[1]))),
        None => Ok(inputs),
    }
}

/// The seed overlaid with the model, with a value for every input of the clauses. `None` if it does
/// not satisfy them.
pub(crate) fn completed(terms: &TermStore, query: &Query, model: &Model) -> Option<Model> {
    completed_over(terms, query, &terms.symbols_of_all(&query.clauses), model)
}

/// [`completed`] for a caller that knows the inputs of the clauses.
pub(crate) fn completed_over(terms: &TermStore, query: &Query, inputs: &[Input], model: &Model) -> Option<Model> {
    let mut complete = query.seed.clone();
    complete.0.extend(model.iter());
    for input in inputs {
        match complete.get(input.symbol) {
            None => complete.set(input.symbol, Value::zero(input.kind.sort())),
            Some(value) if !input.kind.contains(value) => return None,
            Some(_) => {}
        }
    }
    // The last clause first: the seed does not satisfy it, and the others are many.
    let mut evaluation = Evaluation::new(terms, &complete);
    query.clauses.iter().rev().all(|clause| evaluation.holds(*clause)).then_some(complete)
}
