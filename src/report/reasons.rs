//! Reasons that are keys of `report.json`, each with its text. `docs/formats/report.md` lists them.

/// Why a model may lead to another path than predicted, without a fault of the replay.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Misprediction {
    /// A value was concretised before the decision, so that the path condition is incomplete.
    Concretised,
    /// A string got another number of variables, so that its clauses differ.
    VariableCount,
    /// The path depends on a function whose last digit Java leaves open, such as `Math.sin`.
    Approximate,
    /// The same test takes another path when it is run again.
    Nondeterministic,
}

impl Misprediction {
    /// All reasons.
    #[cfg(test)]
    pub(super) const ALL: [Misprediction; 4] =
        [Misprediction::Concretised, Misprediction::VariableCount, Misprediction::Approximate, Misprediction::Nondeterministic];

    /// The key in `replay.mispredicted`, and the reason of an unresolved alternative.
    pub(crate) fn reason(self) -> &'static str {
        match self {
            Misprediction::Concretised => "mispredicted: a value had been concretised",
            Misprediction::VariableCount => "mispredicted: a string has another number of variables",
            Misprediction::Approximate => "mispredicted: the result of a function is not exact",
            Misprediction::Nondeterministic => "mispredicted: the run is nondeterministic",
        }
    }
}

/// Why a test was dropped without a verdict.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum UnverifiedReason {
    /// The file was shortened before verification.
    NoTime,
    /// The verifying JVMs gave no outcome in time.
    NoOutcome,
}

impl UnverifiedReason {
    /// The key in `discarded.unverified`.
    pub(crate) fn text(self) -> &'static str {
        match self {
            UnverifiedReason::NoTime => "no time was left to verify it",
            UnverifiedReason::NoOutcome => "the JVMs that verify gave no outcome in time",
        }
    }
}
