//! Solving: a model for clauses, or a proof that there is none.
//!
//! In: clauses over one term store, the input values of the run they come from, and limits. Out: an
//! [`Outcome`]. This module does not know where clauses come from or what becomes of a model. Z3's
//! types stay in `z3`, which runs in a child process only (`process`).
//!
//! A solver is a stack of decorators, as in KLEE; [`standard`] builds it, cheapest first:
//!
//! ```text
//! Counted         counts outcomes
//! Folding         constant clauses; bounds of single inputs
//! Slicing         only clauses that share inputs with the last one (tardis §4.1)
//! Cache           known outcomes, unsat cores, recent models
//! FreshSolver     no answer below: descent with all steps, then Z3 without history
//! Descent         local search on the values of the run (AVM); most work for floats
//! BranchAndPrune  bounds of all subterms, split in halves (HC4); small cores
//! Lengths         one string length after the other as a constant
//! Frozen          inputs outside the last clause keep the values of the run
//! (base)          Z3 in a child process, incremental
//! ```
//!
//! Each layer counts its own work (steps, rules, Z3's resources), so that an answer does not depend
//! on a clock unless the query has a time limit. `Sat` is checked by evaluation; `Unsat` names the
//! clauses that it needs.
//!
//! Strings are inputs with one variable for the length and one for each of the first characters.
//! Most clauses about a string are if-then-else chains over its length, which is why `Lengths`
//! exists. Before it asks this stack, the engine evaluates guessed strings (`guesses`). Floats that
//! were converted from integers become comparisons of integers when a term is built
//! (`crate::expr`). Operators for evaluation only, such as `frem`, `sin` and `pow`, never reach Z3: a
//! query with them is solved by descent, or its outcome is `Unknown` by `descent`.
//!
//! The caller may put a [`Log`] around the stack; it records what the stack is asked. Every layer
//! walks the distinct terms of a query a few times. A query with too many terms is `Unknown` by
//! size at once. `Unknown` never stands for infeasible.

mod branch_and_prune;
mod cache;
mod counted;
mod descent;
mod distance;
mod folding;
mod fresh;
mod frozen;
mod guesses;
mod lengths;
mod log;
mod outcome;
pub(crate) mod process;
mod propagation;
mod query;
mod slicing;
mod stack;
mod statistics;
pub mod wire;
pub mod z3;

pub use branch_and_prune::{BranchAndPrune, branch_and_prune};
pub use cache::Cache;
pub use counted::Counted;
pub use descent::{Descent, descend};
pub use folding::Folding;
pub use fresh::FreshSolver;
pub use frozen::{Frozen, optimistic};
pub use guesses::guess_string;
pub use lengths::Lengths;
pub use log::{Log, read_log};
pub use outcome::{Outcome, Reason};
pub use process::{ProcessLimits, ProcessSolver};
pub use query::{Limits, Query};
pub(crate) use slicing::Slicing;
pub use stack::{Layer, standard};
pub use statistics::Statistics;

use crate::expr::TermStore;
use query::{completed, completed_over, inputs_of, substituted};

/// Answers queries.
pub trait Solver {
    /// An outcome for the query. A model in it satisfies every clause and has a value for every
    /// input; a core is unsatisfiable by itself. The solver may keep what it learns for later
    /// queries.
    fn check(&mut self, terms: &TermStore, query: &Query) -> Outcome;

    /// The same without learning. For a query that has little in common with its neighbours, or
    /// that the incremental solver could not answer: small queries between large ones cost more
    /// than they save.
    fn check_isolated(&mut self, terms: &TermStore, query: &Query) -> Outcome {
        self.check(terms, query)
    }

    /// Counts so far of this layer and the layers below.
    fn statistics(&self) -> Statistics;
}

impl<S: Solver + ?Sized> Solver for Box<S> {
    fn check(&mut self, terms: &TermStore, query: &Query) -> Outcome {
        (**self).check(terms, query)
    }

    fn check_isolated(&mut self, terms: &TermStore, query: &Query) -> Outcome {
        (**self).check_isolated(terms, query)
    }

    fn statistics(&self) -> Statistics {
        (**self).statistics()
    }
}

#[cfg(test)]
mod tests;
