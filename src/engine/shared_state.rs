//! What a class learns from other classes: a plain value, taken at its begin and handed back at its end.

use std::sync::{Arc, Mutex};

use super::compiler::CompilerService;
use super::time_budget::MachineSpeed;
use crate::report::JvmReport;
use crate::search::ProvenValues;
use crate::select::Training;

/// What one class knows of the others.
#[derive(Clone, Debug)]
pub(super) struct SharedState {
    /// A thread beside the search compiles as well.
    pub(super) compiler: Arc<Mutex<CompilerService>>,
    /// Known once a worker has started.
    pub(super) speed: Option<MachineSpeed>,
    /// Values that were hard to make in the classes so far.
    pub(super) proven_values: ProvenValues,
    /// The JVMs of the class.
    pub(super) jvm: JvmReport,
    /// What its attempts of symbolic execution taught, with all that it began with; `None`: nothing.
    pub(super) training: Option<Training>,
}
