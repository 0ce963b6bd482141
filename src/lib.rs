//! The library of Tracewright. The modules stand in reading order, which is the order of the data.
//! Only `engine` knows every stage; `cli` turns arguments into a configuration and results into text.

pub(crate) mod files;
pub mod config;
pub mod project;
pub mod program;
pub mod jvm;
pub mod recording;
pub mod expr;
pub mod path;
pub mod structure;
pub mod symbolic;
pub mod carving;
pub mod changes;
pub(crate) mod revision;
pub mod tree;
pub(crate) mod slice;
pub mod select;
pub mod solve;
pub mod testcase;
pub mod execution;
pub mod search;
pub mod oracle;
pub mod emit;
pub mod engine;
pub mod report;
pub mod cli;
pub mod readers;
