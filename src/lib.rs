//! The library of Tracewright.
//!
//! The modules stand in reading order, which is the order of the data: a module uses only modules
//! above it (`tests/tidy.rs`). Only `engine` knows every stage. `cli` turns arguments into a
//! configuration, and results into text.

// Reading and writing of files for modules that do no I/O of their own.
pub(crate) mod files;

// Settings of the command line and of `tracewright.toml`, as one immutable configuration.
pub mod config;

// What the user's project agrees on for its tests: layout, access modifier, formatter.
pub mod conventions;

// Static facts about classes: names, hierarchy, generics, control dependence, test cluster.
pub mod program;

// Class files of the user's class path and of the JDK.
pub mod project;

// Test cases: sequences of statements, with checks, edits and a text form.
pub mod testcase;

// The measured result of running one test case.
pub mod execution;

// Worker, compiler and verifying JVMs: started, fed, watched and replaced.
pub mod jvm;

// Decoded traces, and recorded sessions of the user's tests.
pub mod recording;

// Terms over the inputs of a test case, with JVM semantics.
pub mod expr;

// Path conditions: the branch decisions of a run as clauses.
pub mod path;

// Structural conditions over the heap at the entry of a method.
pub mod structure;

// The symbolic JVM, which replays a recording and gives its path condition.
pub mod symbolic;

// Call sequences and values carved from recorded sessions.
pub mod carving;

// The methods that a change of the code reaches.
pub mod changes;

// Earlier states of the sources, read with git.
pub(crate) mod revision;

// Constraint trees: all paths of one method and test form, by common prefix.
pub mod tree;

// The clauses that share inputs with an alternative.
pub(crate) mod slice;

// The choice of the alternative to attempt next.
pub mod select;

// Models and proofs for path conditions, by a stack of solvers.
pub mod solve;

// Many-objective search over test cases.
pub mod search;

// Assertions from observed executions, selected by the mutants that they kill.
pub mod oracle;

// JUnit source from tests with assertions.
pub mod emit;

// The schema of `report.json`, and its text for people.
pub mod report;

// The loop that knows every stage: from a configuration to test files and a report.
pub mod engine;

// The command line.
pub mod cli;
pub mod readers;
