//! What belongs to no part of the state when a checkpoint begins.

use super::super::data::values::ObjectId;

/// One checkpoint: what belongs to the machine itself when it began.
#[derive(Debug)]
pub(crate) struct Checkpoint {
    pub(crate) nesting: usize,
    pub(crate) opaque_calls: u64,
    pub(crate) entry: usize,
    pub(crate) counts: [u64; 8],
    pub(crate) concretisations: usize,
    /// Limit of interpreted instructions around the checkpoint.
    pub(crate) limit: u64,
    /// Interpreted instructions before the checkpoint.
    pub(crate) spent: u64,
    /// Objects read inside that opaque code may have changed.
    pub(crate) stale: Vec<ObjectId>,
    /// Mutable state of the shared heap was read inside: the JVM may have other values there.
    pub(crate) reads_library_state: bool,
}
