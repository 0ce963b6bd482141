//! The state of one replay in parts that own their fields. Each part records its own changes since
//! a checkpoint and has `begin`, `commit` and `roll_back`; the [`machine`](super::machine) calls
//! them together. Must not know instructions.

pub(crate) mod budget;
pub(crate) mod counts;
pub(crate) mod frames;
pub(crate) mod heap;
pub(crate) mod path;
pub(crate) mod recorded;
pub(crate) mod shared_heap;
pub(crate) mod structural_view;
pub(crate) mod test_progress;
