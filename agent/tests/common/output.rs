//! The output of JVMs with the agent.

use std::path::Path;

use tracewright_test_support::Jdk;

use super::run::java;

/// Runs a main class with the agent and gives its standard output. A failure ends the test.
pub(crate) fn output(jdk: &Jdk, agent_options: &str, flags: &[&str], classes: &Path, main: &str, arguments: &[&str]) -> String {
    let output = java(jdk, agent_options, flags, classes, main, arguments);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(
        output.status.success() && output.stderr.is_empty(),
        "{jdk:?} {main}: {}\n{text}\n{}",
        output.status,
        String::from_utf8_lossy(&output.stderr)
    );
    text
}
