//! The events of recorded runs, their encodings, and the numbering of probe sites that the agent
//! (writer) and the engine (reader) share.
//!
//! Flows in: bytes that the sink inside the JVM wrote, or events; flows out: typed events, bytes,
//! or text. Must not know: the JVM, files, or what the replay does with an event.

/// Version of everything that the program and the agent agree on: options, frames, events, sessions
/// and the numbering of sites. It changes with any of them. The agent refuses to start for a
/// program with another version.
pub const INTERFACE_VERSION: u32 = 6;

/// The words with which the agent refuses another [`INTERFACE_VERSION`]. The program looks for them
/// in the output of a JVM that does not start.
pub const OTHER_BUILD: &str = "the program and the agent are of different builds";

pub mod codec;
pub mod event;
mod known;
pub mod numbering;
pub mod session;
pub mod text;

pub use codec::{DecodeError, Decoder, decode, encode};
pub use event::{CONTENT_BOUND, ClassId, Content, ContentData, Event, Kind, Reference, Site, Verdict};
pub use numbering::{
    BranchSite, BranchSiteKind, BranchSlot, LineSite, LineSlot, SearchSites, TraceSite, TraceSiteKind, TraceSites, class_hash,
    search_sites, trace_sites,
};
pub use text::{ParseError, parse, parse_event, print};
