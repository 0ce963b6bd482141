//! The one error of the line-based formats.

/// The line at which a text stops to be well-formed, and why.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {reason}")]
pub struct ParseError {
    /// Number of the line, counted from 1.
    pub line: usize,
    /// One sentence without a final full stop.
    pub reason: String,
}

impl ParseError {
    /// The error for the line at `index`, counted from 0 as [`Iterator::enumerate`] counts.
    pub fn at_index(index: usize, reason: impl Into<String>) -> ParseError {
        ParseError { line: index + 1, reason: reason.into() }
    }
}
