//! Reading and writing of small text and byte formats: a cursor over a line, quoting and escaping,
//! glob patterns, a byte reader and the content hash of class files.
//!
//! In: text or bytes of a format. Out: words, numbers, strings, or the reason why the input is
//! malformed. This crate must not know any of the formats: it does no I/O and names nothing of the
//! JVM.

mod bytes;
mod cursor;
mod error;
mod glob;
mod hash;
mod quote;

pub use bytes::ByteReader;
pub use cursor::LineCursor;
pub use error::ParseError;
pub use glob::{GlobSet, glob_matches};
pub use hash::fnv1a_64;
pub use quote::{Escaping, Quoted, character_or_number, parse_quoted};
