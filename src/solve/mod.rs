//! Solving: a model for clauses, or a proof that there is none. Flows in: clauses over one term store, the values of the run they come from, limits;
//! flows out: [`Outcome`]. Must not know where clauses come from or what becomes of a model. The solver's own types stay in `z3`, which runs
//! in a child process only (`process`).
//!
//! A solver is a stack of decorators, cheapest first; [`standard`] builds it:
//! `Counted` → `Folding` → `Slicing` → `Cache` → `Afresh` → `Descent` → `Narrowing` → `Lengths` → `Frozen` → (`Log`) → `ProcessSolver`.

mod afresh;
mod cache;
mod counted;
mod descent;
mod distance;
mod folding;
mod frozen;
mod guesses;
mod lengths;
mod log;
mod narrowing;
pub(crate) mod process;
mod propagation;
mod slicing;
pub mod wire;
pub mod z3;

pub use afresh::Afresh;
pub use cache::Cache;
pub use counted::Counted;
pub use descent::{Descent, descend};
pub use folding::Folding;
pub use frozen::{Frozen, optimistic};
pub use guesses::guessed;
pub use lengths::Lengths;
pub use log::{Log, read_log};
pub use narrowing::{Narrowing, narrow};
pub use process::{ProcessLimits, ProcessSolver};
pub(crate) use slicing::Slicing;

use crate::expr::{Evaluation, Input, Model, TermId, TermStore, Value};
use std::collections::{BTreeMap, HashSet};
use std::fmt;
use std::time::Duration;

/// What is asked: values of the inputs under which all clauses hold.
#[derive(Clone, Debug)]
pub struct Query {
    /// In run order; the last one is the alternative, those before it held in the run.
    pub clauses: Vec<TermId>,
    /// The inputs of the run. An input that no clause constrains keeps this value.
    pub seed: Model,
    pub limits: Limits,
}

/// How much a query may cost. The resource count alone makes answers a function of the queries asked; a wall time does not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Z3's `rlimit`, about 2 to 10 million a second.
    pub resources: u32,
    pub wall: Option<Duration>,
    /// Subterms that descent may compute, some 50 million a second; of what halving may do, a part.
    pub descent: u64,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { resources: 3_000_000, wall: None, descent: 2_000_000 }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// A value for every input of the clauses and of the seed. The clauses were evaluated under it and hold.
    Sat(Model),
    /// Positions, ascending, of clauses that contradict each other.
    Unsat {
        core: Vec<usize>,
    },
    Unknown(Reason),
}

/// Why nothing is known. Never a proof of anything.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reason {
    /// The resource count ran out.
    Resources,
    /// The wall time ran out.
    Time,
    /// More distinct terms than any layer looks at.
    Size,
    /// Something that is not handed to the solver: `fp.mul`, …
    Unsupported(String),
    /// Descent found nothing, and this is not handed to the solver.
    Descent(String),
    /// The solver gave up, in its own words.
    GaveUp(String),
    /// The solver's model does not satisfy the clauses: a fault of ours or of the solver.
    WrongModel,
    /// The solver process ended or could not be started.
    Died(String),
    /// The solver process said something that is no answer.
    Garbage(String),
}

impl Reason {
    /// Without particulars: what reports count by.
    pub fn kind(&self) -> &'static str {
        match self {
            Reason::Resources => "resources",
            Reason::Time => "time",
            Reason::Size => "size",
            Reason::Unsupported(_) => "unsupported",
            Reason::Descent(_) => "descent",
            Reason::GaveUp(_) => "gave-up",
            Reason::WrongModel => "wrong-model",
            Reason::Died(_) => "died",
            Reason::Garbage(_) => "garbage",
        }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reason::Resources => f.write_str("the resource limit was reached"),
            Reason::Time => f.write_str("the time limit was reached"),
            Reason::Size => f.write_str("the query is too large"),
            Reason::Unsupported(what) => write!(f, "`{what}` is not handed to the solver"),
            Reason::Descent(what) => write!(f, "descent found nothing, and `{what}` is not handed to the solver"),
            Reason::GaveUp(words) => write!(f, "the solver gave up: {words}"),
            Reason::WrongModel => f.write_str("the model does not satisfy the clauses"),
            Reason::Died(how) => write!(f, "the solver process died: {how}"),
            Reason::Garbage(what) => write!(f, "the solver process answered nonsense: {what}"),
        }
    }
}

/// Counts of a stack of solvers, summed over its layers.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Statistics {
    /// Queries asked of the whole stack, and their outcomes.
    pub(crate) queries: u64,
    pub(crate) sat: u64,
    pub(crate) unsat: u64,
    pub(crate) unknown: u64,
    /// Unknown outcomes by [`Reason::kind`].
    pub(crate) reasons: BTreeMap<&'static str, u64>,
    /// Answered without a solver: by folding, by the cache.
    pub(crate) folded: u64,
    pub(crate) cached: u64,
    /// Answered by descent, and the subterms that it computed.
    pub(crate) descended: u64,
    pub(crate) descent_steps: u64,
    /// Answered by halving what is left of inputs, and the rules applied and subterms computed for it.
    pub(crate) narrowed: u64,
    pub(crate) narrowing_steps: u64,
    /// Answered with lengths of texts put in.
    pub(crate) shortened: u64,
    /// Answered with all inputs outside the last clause frozen.
    pub(crate) frozen: u64,
    /// Answered by a fresh solver, after the incremental one had not.
    pub(crate) afresh: u64,
    /// Queries that reached a solver, and what they cost there.
    pub solved: u64,
    pub resources: u64,
    pub(crate) seconds: f64,
    /// Solver processes started, killed by the watchdog, found dead.
    pub started: u64,
    pub killed: u64,
    pub died: u64,
    /// Models that did not satisfy their clauses.
    pub wrong_models: u64,
}

impl Statistics {
    /// Counts an outcome of the whole stack.
    pub(crate) fn count(&mut self, outcome: &Outcome) {
        self.queries += 1;
        match outcome {
            Outcome::Sat(_) => self.sat += 1,
            Outcome::Unsat { .. } => self.unsat += 1,
            Outcome::Unknown(reason) => {
                self.unknown += 1;
                *self.reasons.entry(reason.kind()).or_insert(0) += 1;
            }
        }
    }
}

pub trait Solver {
    fn check(&mut self, terms: &TermStore, query: &Query) -> Outcome;

    /// The same by a fresh solver, for a query that has little in common with those before and after it, or that the incremental solver had no answer
    /// for: nothing is learned from it. Small queries in between would cost the large ones more than they save (measured: 22 instead of 57 of
    /// 100 alternatives solved).
    fn check_apart(&mut self, terms: &TermStore, query: &Query) -> Outcome {
        self.check(terms, query)
    }

    /// Counts so far of this layer and those below.
    fn statistics(&self) -> Statistics;
}

impl<S: Solver + ?Sized> Solver for Box<S> {
    fn check(&mut self, terms: &TermStore, query: &Query) -> Outcome {
        (**self).check(terms, query)
    }

    fn check_apart(&mut self, terms: &TermStore, query: &Query) -> Outcome {
        (**self).check_apart(terms, query)
    }

    fn statistics(&self) -> Statistics {
        (**self).statistics()
    }
}

/// A layer over a solver.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Layer {
    Folding,
    Slicing,
    Cache,
    Afresh,
    Descent,
    Narrowing,
    Lengths,
    Frozen,
}

impl Layer {
    /// From the outside in: cheapest first.
    pub const ALL: [Layer; 8] = [
        Layer::Folding,
        Layer::Slicing,
        Layer::Cache,
        Layer::Afresh,
        Layer::Descent,
        Layer::Narrowing,
        Layer::Lengths,
        Layer::Frozen,
    ];

    pub fn over<'s>(self, inner: Box<dyn Solver + 's>) -> Box<dyn Solver + 's> {
        match self {
            Layer::Folding => Box::new(Folding::new(inner)),
            Layer::Slicing => Box::new(Slicing::new(inner)),
            Layer::Cache => Box::new(Cache::new(inner)),
            Layer::Afresh => Box::new(Afresh::new(inner)),
            Layer::Descent => Box::new(Descent::new(inner)),
            Layer::Narrowing => Box::new(Narrowing::new(inner)),
            Layer::Lengths => Box::new(Lengths::new(inner)),
            Layer::Frozen => Box::new(Frozen::new(inner)),
        }
    }
}

/// The whole stack over a solver: a [`ProcessSolver`], perhaps with a [`Log`].
pub fn standard<'s>(base: impl Solver + 's) -> Counted<Box<dyn Solver + 's>> {
    let base: Box<dyn Solver + 's> = Box::new(base);
    Counted::new(Layer::ALL.into_iter().rev().fold(base, |stack, layer| layer.over(stack)))
}

/// Copies of the clauses with values put in for inputs, each once, without those that hold then. `None`: one does not.
fn substituted(into: &mut TermStore, from: &TermStore, clauses: &[TermId], values: &Model) -> Option<Vec<TermId>> {
    let mut copies = into.import_all(from, clauses, values);
    copies.retain(|clause| into.constant_of(*clause).and_then(Value::truth) != Some(true));
    if copies.iter().any(|clause| into.constant_of(*clause).is_some()) {
        return None;
    }
    let mut seen = HashSet::new();
    copies.retain(|clause| seen.insert(*clause));
    Some(copies)
}

/// The inputs of the clauses, in order. Two kinds of one symbol are an error of who built the query.
pub(crate) fn inputs_of(terms: &TermStore, clauses: &[TermId]) -> Result<Vec<Input>, Reason> {
    let inputs = terms.symbols_of_all(clauses);
    match inputs.windows(2).find(|pair| pair[0].symbol == pair[1].symbol) {
        Some(pair) => Err(Reason::Unsupported(format!("{} and {} in one query", pair[0], pair[1]))),
        None => Ok(inputs),
    }
}

/// The seed overlaid with a model, complete for the clauses, if it satisfies them.
pub(crate) fn completed(terms: &TermStore, query: &Query, model: &Model) -> Option<Model> {
    completed_over(terms, query, &terms.symbols_of_all(&query.clauses), model)
}

/// The same for who knows the inputs of the clauses.
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
    // The last clause first: it is the one that the seed does not satisfy, and the others are many.
    let mut evaluation = Evaluation::new(terms, &complete);
    query.clauses.iter().rev().all(|clause| evaluation.holds(*clause)).then_some(complete)
}

#[cfg(test)]
mod tests;
