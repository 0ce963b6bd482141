//! Terms: symbolic values with JVM semantics over the inputs of a test case.
//!
//! In: operations, one at a time, or the text form. Out: hash-consed, simplified terms that can be
//! evaluated, printed, sliced by their inputs and given to a solver. This module does not know
//! where operations come from (the replay) or who solves clauses.
//!
//! Narrow Java types have 32 bits, as on the operand stack; a boolean there is 0 or 1. The sort
//! [`Sort::Bool`] belongs to clauses.

mod build;
mod copy;
mod incremental;
mod evaluate;
mod fingerprint;
pub(crate) mod floating;
mod interval;
mod java;
mod simplify;
mod symbol;
mod term;
mod text;

pub use evaluate::Evaluation;
pub use fingerprint::{Abstraction, Fingerprint};
pub use incremental::{EvalNode, IncrementalEvaluator, NodeIx};
pub use interval::Interval;
pub use symbol::{Input, Model, Symbol, SymbolKind, SymbolPart, Value};
pub use term::{BinaryOp, MOST_INPUTS, Sort, Term, TermId, TermStore, UnaryOp};
pub(crate) use text::{TermReader, TermWriter};

#[cfg(test)]
pub(crate) mod tests;
