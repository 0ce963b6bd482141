//! The state of one replay in parts that own their fields. Each part records its own changes since a checkpoint and has `begin`, `commit`
//! and `roll_back`; [`Machine`](super::machine::Machine) calls them together. Must not know instructions.

pub(crate) mod checkpoint;
pub(crate) mod entry;
pub(crate) mod frames;
pub(crate) mod heap;
pub(crate) mod path;
pub(crate) mod recorded;
pub(crate) mod shared_heap;
