//! The state that one class hands on to the next: a plain value.

use std::sync::{Arc, Mutex};

use super::compiler::CompilerService;
use super::time_budget::{Loaded, MachineSpeed};
use crate::report::JvmReport;
use crate::search::ProvenValues;

/// State of a generation over all of its classes.
#[derive(Debug)]
pub(super) struct SharedState {
    /// A thread beside the search compiles as well.
    pub(super) compiler: Arc<Mutex<CompilerService>>,
    /// Known once a worker has started.
    pub(super) speed: Option<MachineSpeed>,
    /// Values that were hard to make in the classes so far.
    pub(super) proven_values: ProvenValues,
    /// What the JVMs that wait for tests have loaded.
    pub(super) loaded: Loaded,
    /// JVMs of all classes so far.
    pub(super) jvm: JvmReport,
}
