//! One run of JUnit classes in a fresh JVM that has no probes in the user's classes but the guard.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use super::{Jdk, JvmError};

#[derive(Clone, Debug)]
pub struct JunitRun {
    pub jdk: Jdk,
    /// Loaded in guard mode; `None` runs without a guard.
    pub agent_library: Option<PathBuf>,
    /// Tests, code under test and what it needs.
    pub classpath: Vec<PathBuf>,
    /// The console-standalone jar of the JUnit platform, and JUnit 4 where tests need it.
    pub junit: Vec<PathBuf>,
    /// Binary names.
    pub test_classes: Vec<String>,
    /// Order of classes and methods.
    pub order_seed: u64,
    /// `-ea`.
    pub assertions: bool,
    pub time_zone: String,
    pub locale: String,
    pub encoding: String,
    /// Of the whole run.
    pub timeout: Duration,
    pub temporary: PathBuf,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TestOutcome {
    Passed,
    /// Class and message of what it threw, or what the guard refused.
    Failed(String),
    Skipped,
}

/// How the JVM of a JUnit run ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum JunitEnd {
    Completed,
    /// Ended by us; the test that ran then, if known.
    TimedOut {
        running: Option<(String, String)>,
    },
    Died {
        running: Option<(String, String)>,
    },
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JunitOutcome {
    /// By binary class name and method name.
    pub tests: BTreeMap<(String, String), TestOutcome>,
    pub end: JunitEnd,
}

/// Runs the classes once. That tests fail, hang or kill the JVM is an outcome, not an error.
pub fn run_junit(_run: &JunitRun) -> Result<JunitOutcome, JvmError> {
    Err(JvmError::Start("the runner is not part of this build".into()))
}
