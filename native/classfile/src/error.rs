//! What can be wrong with a class file that is read. The rewriting side has its own error in `edit`.

use thiserror::Error;

#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum ParseError {
    #[error("the bytes end at {at}, inside {what}")]
    Truncated { at: usize, what: &'static str },
    #[error("no class file: it starts with {0:#010x}")]
    Magic(u32),
    #[error("{0} bytes follow the end of the class")]
    Trailing(usize),
    #[error("constant {index}: {problem}")]
    Constant { index: u16, problem: &'static str },
    #[error("constant {index} is {found}, where {expected} is needed")]
    ConstantKind { index: u16, found: &'static str, expected: &'static str },
    #[error("bci {bci}: {problem}")]
    Code { bci: u32, problem: &'static str },
    #[error("attribute {attribute}: {problem}")]
    Attribute { attribute: &'static str, problem: &'static str },
    #[error("`{0}` is no descriptor")]
    Descriptor(String),
}
