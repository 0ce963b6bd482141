//! Data of the replay without behaviour of its own: numbers, values, objects, code and call sites.
//! Must not know the machine.

pub(crate) mod automaton;
pub(crate) mod call_sites;
pub(crate) mod code;
pub(crate) mod ids;
pub(crate) mod natives;
pub(crate) mod objects;
pub(crate) mod strings;
pub(crate) mod values;
