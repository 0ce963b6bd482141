//! Tracewright's core. The modules in reading order, which is the order of the data; only `engine` knows every stage.

pub mod emit;
pub mod jvm;
pub mod oracle;
pub mod program;
pub mod testcase;
