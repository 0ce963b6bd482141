//! Answers to queries. Every layer returns them, and reports count them. Knows no layer.

use crate::expr::Model;
use std::fmt;

/// The answer to a query.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// A value for every input of the clauses and of the seed. The clauses were evaluated under it
    /// and hold.
    Sat(Model),
    /// Some clauses contradict each other.
    Unsat {
        /// Their positions, ascending.
        core: Vec<usize>,
    },
    /// No answer. This is never a proof.
    Unknown(Reason),
}

/// Why a query has no answer.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reason {
    /// The resource count ran out.
    Resources,
    /// The wall time ran out.
    Time,
    /// The query has more distinct terms than any layer handles.
    Size,
    /// An operator that is not given to the solver, such as `fp.mul`.
    Unsupported(String),
    /// Descent found no model, and this operator is not given to the solver.
    Descent(String),
    /// The solver gave up, in its own words.
    GaveUp(String),
    /// The solver's model does not satisfy the clauses: a fault of ours or of the solver.
    WrongModel,
    /// The solver process ended or could not be started.
    Died(String),
    /// The solver process answered with a malformed line.
    Garbage(String),
}

impl Reason {
    /// The key that reports count by.
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
            Reason::Unsupported(what) => write!(f, "`{what}` is not given to the solver"),
            Reason::Descent(what) => write!(f, "descent found no model, and `{what}` is not given to the solver"),
            Reason::GaveUp(words) => write!(f, "the solver gave up: {words}"),
            Reason::WrongModel => f.write_str("the model does not satisfy the clauses"),
            Reason::Died(how) => write!(f, "the solver process died: {how}"),
            Reason::Garbage(what) => write!(f, "the solver process sent a malformed answer: {what}"),
        }
    }
}
