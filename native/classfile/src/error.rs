//! Why a class file cannot be read. Rewriting has an error of its own: see `edit`.

use thiserror::Error;

/// The first malformed part of a class file that a reader meets.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum ParseError {
    /// The bytes end too early.
    #[error("the bytes end at {at}, inside {what}")]
    Truncated {
        /// Number of bytes that there are, of the class file or of the attribute.
        at: usize,
        /// The structure that is incomplete.
        what: &'static str,
    },
    /// The first four bytes are not `0xcafebabe`.
    #[error("no class file: it starts with {0:#010x}")]
    Magic(u32),
    /// That many bytes follow the last attribute of the class.
    #[error("{0} bytes follow the end of the class")]
    Trailing(usize),
    /// An entry of the constant pool is missing or malformed.
    #[error("constant {index}: {problem}")]
    Constant {
        /// Index of the entry.
        index: u16,
        /// What is wrong with it.
        problem: &'static str,
    },
    /// A structure refers to an entry of the wrong kind. Kinds are named as in JVMS table 4.4-A.
    #[error("constant {index} is {found}, where {expected} is needed")]
    ConstantKind {
        /// Index of the entry.
        index: u16,
        /// The kind of the entry.
        found: &'static str,
        /// The kind that the structure needs.
        expected: &'static str,
    },
    /// The `code` array or the exception table is malformed.
    #[error("bci {bci}: {problem}")]
    Code {
        /// Bytecode index of the malformed instruction.
        bci: u32,
        /// What is wrong with it.
        problem: &'static str,
    },
    /// The contents of an attribute are malformed.
    #[error("attribute {attribute}: {problem}")]
    Attribute {
        /// Name of the attribute.
        attribute: &'static str,
        /// What is wrong with it.
        problem: &'static str,
    },
    /// The text is no field or method descriptor.
    #[error("`{0}` is no descriptor")]
    Descriptor(String),
}
