//! Errors of starting and talking to JVMs, each one sentence for the user.

use std::path::PathBuf;

/// A fault of the environment or of this program. The behaviour of code under test is never an
/// error here: it is part of the execution.
#[derive(Debug, thiserror::Error)]
pub enum JvmError {
    /// No JDK is named by options, `JAVA_HOME` or `PATH`.
    #[error("no JDK was found: set JAVA_HOME, put `java` on the PATH, or name one with --jdk")]
    NoJdk,
    /// The named folder is no JDK.
    #[error("{home} is no usable JDK: {why}")]
    UnusableJdk {
        /// The folder.
        home: PathBuf,
        /// The reason, one clause.
        why: String,
    },
    /// The Java installation is a JRE.
    #[error(
        "the Java installation {home} has no compiler: tests are compiled before they are written, so a JDK (not a JRE) is needed"
    )]
    NoCompiler {
        /// The folder.
        home: PathBuf,
    },
    /// The JDK is older than the oldest supported version.
    #[error("JDK {version} in {home} is too old: 17 is the oldest supported version")]
    OldJdk {
        /// The folder.
        home: PathBuf,
        /// Its feature version.
        version: u32,
    },
    /// The agent library is missing.
    #[error("the agent library {0} does not exist")]
    NoAgent(PathBuf),
    /// The agent library has another interface than this program.
    #[error("the program and the agent {agent} are of different builds: install both from one distribution")]
    OtherBuild {
        /// The agent library.
        agent: PathBuf,
    },
    /// A JVM ended before it was ready, or could not be started.
    #[error("the worker JVM could not be started: {0}")]
    Start(String),
    /// The deadline came before the JVM was ready.
    #[error("the JVM was not ready in time")]
    Late,
    /// Several JVMs in a row ended before their first result.
    #[error("worker JVMs failed {failures} times in a row: {last}")]
    KeepsFailing {
        /// How many in a row.
        failures: u32,
        /// The reason of the last one.
        last: String,
    },
    /// A JVM sent a malformed or unexpected frame.
    #[error("the worker JVM sent an unexpected answer: {0}")]
    Protocol(String),
    /// The compile server failed twice.
    #[error("the compiler gave up: {0}")]
    Compiler(String),
    /// An operation on a file failed.
    #[error("{what}: {source}")]
    Io {
        /// The operation.
        what: String,
        /// The cause.
        source: std::io::Error,
    },
}
