//! The channel between a generation and its user: progress and messages out, an interrupt in. Must
//! not know how either is shown.

use crate::report::CoverageCount;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// Receives the progress and the messages of a generation.
pub trait Observer: Sync {
    /// Reports how far a class is; a later report replaces an earlier one of the same class.
    fn progress(&self, progress: &ClassProgress);
    /// Nothing more is done for the class of this binary name.
    fn ended(&self, _class: &str) {}
    /// Reports one line that stays visible.
    fn message(&self, text: &str);
}

/// How far the generation for one class is.
#[derive(Clone, Debug)]
pub struct ClassProgress {
    /// Binary name.
    pub(crate) class: String,
    /// What the engine does at the moment, such as `searching`.
    pub(crate) phase: &'static str,
    pub(crate) line: CoverageCount,
    pub(crate) branch: CoverageCount,
    /// Tests that are being finished; 0 while searching.
    pub(crate) tests: usize,
    /// Candidates executed so far.
    pub executions: u64,
    /// Rest of the time budget of the class; `None` where steps are counted.
    pub(crate) left: Option<Duration>,
}

/// A flag that the first Ctrl-C sets. The engine then verifies and writes what it has.
#[derive(Clone, Debug, Default)]
pub struct Interrupt(Arc<AtomicBool>);

impl Interrupt {
    /// A flag that is not set.
    pub(crate) fn new() -> Interrupt {
        Interrupt::default()
    }

    /// The flag itself, for a signal handler.
    pub(crate) fn flag(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.0)
    }

    /// Whether the user has asked for the end.
    pub(crate) fn is_set(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}
