//! Writes every query that passes and its outcome in text form, so that it can be asked again.

use super::{Outcome, Query, Solver, Statistics, wire, wire::Manner};
use crate::expr::TermStore;
use std::io::Write;

/// Logs to a writer that the caller opened, and to `tracing` at level debug. A log that cannot be written is dropped: solving goes on.
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
    pub(crate) fn new(inner: S, sink: Option<Box<dyn Write + Send>>) -> Log<S> {
        Log { inner, sink }
    }
}

impl<S: Solver> Log<S> {
    fn note(&mut self, terms: &TermStore, query: &Query, manner: Manner, outcome: &Outcome) {
        tracing::debug!(clauses = query.clauses.len(), outcome = wire::write_outcome(outcome), "solved");
        if let Some(sink) = &mut self.sink {
            let entry = format!("{}{}\n", wire::write_query(terms, query, manner), wire::write_outcome(outcome));
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
        self.note(terms, query, Manner::Incremental, &outcome);
        outcome
    }

    fn check_apart(&mut self, terms: &TermStore, query: &Query) -> Outcome {
        let outcome = self.inner.check_apart(terms, query);
        self.note(terms, query, Manner::Apart, &outcome);
        outcome
    }

    fn statistics(&self) -> Statistics {
        self.inner.statistics()
    }
}

/// The queries and outcomes of a log. Lines that begin with `#` are for readers.
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
