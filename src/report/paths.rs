//! The answers to paths that somebody asks for (`--path`).
//!
//! Flows in: what became of each path. Flows out: plain values, and a sentence for each. Must not know how paths are
//! looked for.

use serde::{Deserialize, Serialize};

/// A path through a method, and a test that takes it or the reason why there is none.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PathReport {
    /// As it was asked for: `example.Triangle int classify(int, int, int): B0 B2 B5`.
    pub path: String,
    /// What became of it.
    pub answer: PathOutcome,
    /// The test that takes it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub test: Option<String>,
    /// Why no test takes it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// Steps that a call passed.
    pub passed: usize,
    /// Steps of the path.
    pub steps: usize,
}

/// What became of a path.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PathOutcome {
    /// A written test takes it.
    Taken,
    /// No input takes it.
    Impossible,
    /// No test takes it, and there is no proof that none can.
    #[default]
    NotFound,
}

impl PathReport {
    /// The answer in words.
    pub(crate) fn sentence(&self) -> String {
        let why = self.why.as_deref().unwrap_or("no reason found");
        match (self.answer, &self.test) {
            (PathOutcome::Taken, Some(test)) => format!("taken by {test}"),
            (PathOutcome::Impossible, _) => format!("no input takes it: {why}"),
            _ => format!("no test found: {why}"),
        }
    }
}
