//! The log of attempts (`--attempts`), for work on the order of alternatives. Flows in:
//! alternatives with their endings. Flows out: one line each.
//!
//! A line is `<ending> <path> <open> <branch outcome> #<identity>`. The path is the signature of
//! the run that took the outcome, with `!` where the run ended before it called the method under
//! test, or `-`. `open` counts the branch outcomes that no test covers. The identity is a hash of
//! the decision and all before it, equal in every process.

use std::io::Write;

use crate::expr::{TermStore, TermWriter};
use crate::select::AttemptOutcome;
use crate::tree::Alternative;
use tracewright_trace::class_hash;

/// The path of a run, as far as the log shows it.
#[derive(Clone, Copy, Debug)]
pub(super) struct RunPath {
    pub(super) signature: u64,
    /// The run called the method under test, which the last call of a test case is.
    pub(super) entered: bool,
}

/// Appends a line for each attempt. The log ends at the first error.
pub(super) struct AttemptLog {
    sink: Option<Box<dyn Write + Send>>,
}

impl AttemptLog {
    /// A log into `sink`; without a sink, nothing is logged.
    pub(super) fn new(sink: Option<Box<dyn Write + Send>>) -> AttemptLog {
        AttemptLog { sink }
    }

    /// `path` is the path of the run that took the outcome, `open` the number of branch outcomes
    /// that no test covers.
    pub(super) fn record(
        &mut self,
        terms: &TermStore,
        alternative: &Alternative,
        ending: &AttemptOutcome,
        path: Option<RunPath>,
        open: usize,
    ) {
        let Some(sink) = &mut self.sink else { return };
        let identity = identity(terms, alternative);
        let ending = match ending {
            AttemptOutcome::Feasible => "feasible",
            AttemptOutcome::Infeasible { .. } => "infeasible",
            AttemptOutcome::Unresolved => "missed",
        };
        let path = match path {
            Some(RunPath { signature, entered }) => format!("{signature:016x}{}", if entered { "" } else { "!" }),
            None => "-".to_owned(),
        };
        if let Err(error) = writeln!(sink, "{ending} {path} {open} {} #{identity:016x}", alternative.site) {
            tracing::warn!(%error, "the log of attempts ends here");
            self.sink = None;
        }
    }
}

/// A hash of the wanted decision and of all decisions before it. Equal hashes mean the same attempt
/// in any process.
fn identity(terms: &TermStore, alternative: &Alternative) -> u64 {
    let clauses = alternative.terms();
    let mut text = format!("{}\n{}{}\n", alternative.key.method, alternative.key.skeleton(), alternative.site);
    let mut writer = TermWriter::new(terms, &clauses);
    for (term, clause) in clauses.iter().zip(&alternative.path.clauses) {
        for (name, definition) in writer.definitions(*term) {
            text.extend([&*name, " ", &*definition, "\n"]);
        }
        text.extend([&*clause.site.to_string(), " ", &*writer.term(*term), "\n"]);
    }
    class_hash(text.as_bytes())
}
