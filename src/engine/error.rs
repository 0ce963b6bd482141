//! The error of the engine. Flows in: errors of the stages. Flows out: one sentence and whose
//! matter it is. Must not know exit statuses.

use std::fmt::Display;

use thiserror::Error;

use crate::jvm::JvmError;

/// Why a generation, an exploration or a replay could not be done.
#[derive(Clone, Debug, Error)]
pub enum EngineError {
    /// The options contradict each other or name something that cannot be used.
    #[error("{0}")]
    Use(String),
    /// The class path, a class, a session or the JDK cannot be used.
    #[error("{0}")]
    Input(String),
    /// A fault of Tracewright or of its installation.
    #[error("{0}")]
    Fault(String),
    /// Parts of the installation do not fit together, so that no class can be tested.
    #[error("{0}")]
    Installation(String),
}

impl EngineError {
    /// The user's input cannot be used; `error` says why in one sentence.
    pub(super) fn input(error: impl Display) -> EngineError {
        EngineError::Input(error.to_string())
    }

    /// A worker JVM could not be started.
    pub(super) fn start(error: JvmError) -> EngineError {
        match error {
            JvmError::OtherBuild { .. } | JvmError::NoAgent(_) => EngineError::Installation(error.to_string()),
            _ => EngineError::fault(error),
        }
    }

    /// Something failed that the user cannot mend; `error` says what in one sentence.
    pub(super) fn fault(error: impl Display) -> EngineError {
        EngineError::Fault(error.to_string())
    }
}
