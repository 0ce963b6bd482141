//! What can go wrong around a JVM, each as one sentence for the user.

use std::path::PathBuf;

/// A fault of the surroundings or of ours; what the code under test did is never one of these, it stands in an `Execution`.
#[derive(Debug, thiserror::Error)]
pub enum JvmError {
    #[error("no JDK was found: set JAVA_HOME, put `java` on the PATH, or name one with --jdk")]
    NoJdk,
    #[error("{home} is no usable JDK: {why}")]
    UnusableJdk { home: PathBuf, why: String },
    #[error(
        "the Java installation {home} has no compiler: tests are compiled before they are written, so a JDK (not a JRE) is needed"
    )]
    NoCompiler { home: PathBuf },
    #[error("JDK {version} in {home} is too old: 17 is the oldest supported version")]
    OldJdk { home: PathBuf, version: u32 },
    #[error("the agent library {0} does not exist")]
    NoAgent(PathBuf),
    #[error("the worker JVM could not be started: {0}")]
    Start(String),
    #[error("worker JVMs failed {failures} times in a row: {last}")]
    KeepsFailing { failures: u32, last: String },
    #[error("the worker JVM answered what it must not: {0}")]
    Protocol(String),
    #[error("the compiler gave up: {0}")]
    Compiler(String),
    #[error("{what}: {source}")]
    Io { what: String, source: std::io::Error },
}
