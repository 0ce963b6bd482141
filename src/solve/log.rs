//! A log of queries and outcomes in text form (docs/formats/queries.md), so that they can be asked
//! again. In: queries; out: the same, and text. The log is put around the whole stack, so it holds
//! what the stack is asked, not what Z3 is asked.

use super::{Outcome, Query, Solver, Statistics, wire, wire::Isolation};
use crate::expr::TermStore;
use std::io::Write;

/// Logs to a writer that the caller opened, and to `tracing` at level debug. If the writer fails,
/// the log ends and solving goes on.
pub struct Log<S> {
    inner: S,
    sink: Option<Box<dyn Write + Send>>,
}

impl<S: std::fmt::Debug> std::fmt::Debug for Log<S> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Log").field("inner", &self.inner).finish_non_exhaustive()
    }
}

impl<S> Log<S> {
    /// A log of `inner` into `sink`; without a sink, only `tracing` gets it.
    pub(crate) fn new(inner: S, sink: Option<Box<dyn Write + Send>>) -> Log<S> {
        Log { inner, sink }
    }
}

impl<S: Solver> Log<S> {
    fn write_entry(&mut self, terms: &TermStore, query: &Query, isolation: Isolation, outcome: &Outcome) {
        tracing::debug!(clauses = query.clauses.len(), outcome = wire::write_outcome(outcome), "solved");
        if let Some(sink) = &mut self.sink {
            let entry = format!("{}{}\n", wire::write_query(terms, query, isolation), wire::write_outcome(outcome));
            if let Err(error) = sink.write_all(entry.as_bytes()).and_then(|()| sink.flush()) {
                tracing::warn!(%error, "the log of the solver ends here");
                self.sink = None;
            }
        }
    }
}

impl<S: Solver> Solver for Log<S> {
    fn check(&mut self, terms: &TermStore, query: &Query) -> Outcome {
        let outcome = self.inner.check(terms, query);
        self.write_entry(terms, query, Isolation::Shared, &outcome);
        outcome
    }

    fn check_isolated(&mut self, terms: &TermStore, query: &Query) -> Outcome {
        let outcome = self.inner.check_isolated(terms, query);
        self.write_entry(terms, query, Isolation::Isolated, &outcome);
        outcome
    }

    fn statistics(&self) -> Statistics {
        self.inner.statistics()
    }
}

/// Parses the queries and outcomes of a log. Lines that begin with `#` are comments.
///
/// # Errors
/// A sentence that names the malformed line or word.
pub fn read_log(terms: &mut TermStore, text: &str) -> Result<Vec<(Query, Outcome)>, String> {
    let mut entries = Vec::new();
    let mut lines = text.lines().filter(|line| !line.starts_with('#')).peekable();
    while lines.peek().is_some() {
        let mut of_query = Vec::new();
        for line in lines.by_ref() {
            of_query.push(line);
            if line == "end" {
                break;
            }
        }
        let (query, _) = wire::read_query(terms, of_query)?;
        let outcome = lines.next().and_then(|line| wire::read_outcome(line, query.clauses.len()));
        entries.push((query, outcome.ok_or("a query without an outcome")?));
    }
    Ok(entries)
}
