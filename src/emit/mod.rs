//! Emission: asserted tests as one readable Java source file. Flows in: asserted tests and what is known of the classes they use; flows
//! out: text. Must not know where the text goes, how it is compiled or why the tests were kept.

mod header;
mod literal;

use thiserror::Error;

use crate::program::ClassName;

pub use header::{header_hash, is_untouched};

/// How to write.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    pub junit: JUnit,
    /// Source level of the class under test (8, 11, 17, ...): the file uses nothing newer.
    pub release: u32,
    /// The seed named in the header.
    pub seed: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JUnit {
    Four,
    Five,
}

/// One source file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rendered {
    /// Name of the test class, internal form; its package is the folder.
    pub class: ClassName,
    /// `<Class>TracewrightTest.java`.
    pub file_name: String,
    pub source: String,
    /// In the order of the file.
    pub tests: Vec<RenderedTest>,
    /// Tests that Java source cannot express, by their index in the input.
    pub unprintable: Vec<(usize, Unprintable)>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RenderedTest {
    /// Index in the input.
    pub index: usize,
    pub method: String,
    /// First and last line of the method, its annotation included, counted from 1.
    pub lines: (u32, u32),
}

/// Why a test case cannot be written as Java source.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Unprintable {
    #[error("{0} cannot be named from the test")]
    InaccessibleType(String),
    #[error("{0} cannot be used from the test")]
    InaccessibleMember(String),
    #[error("{0} is no Java identifier")]
    NotAnIdentifier(String),
    #[error("a string of {0} characters is too long for source")]
    LongString(usize),
    #[error("{0}")]
    Malformed(String),
}
