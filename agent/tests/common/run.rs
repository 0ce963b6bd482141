//! JVMs with the agent.

use std::path::Path;
use std::process::{Command, Output};

use tracewright_test_support::Jdk;

use super::jvm::agent;

/// Runs a main class with the agent.
pub(crate) fn java(jdk: &Jdk, agent_options: &str, flags: &[&str], classes: &Path, main: &str, arguments: &[&str]) -> Output {
    Command::new(jdk.home.join("bin/java"))
        .arg(format!("-agentpath:{}={agent_options}", agent().display()))
        .args(flags)
        .arg("-cp")
        .arg(classes)
        .arg(main)
        .args(arguments)
        .env_remove("JAVA_TOOL_OPTIONS")
        .output()
        .expect("java runs")
}
