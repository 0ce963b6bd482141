//! Tracewright's core. The modules in reading order, which is the order of the data; only `engine` knows every stage.

pub mod jvm;
pub mod program;
pub mod testcase;
