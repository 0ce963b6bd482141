//! JDKs, compiled Java and JVMs with the agent, for the tests of the agent.

#![allow(dead_code, unused_imports)]

use std::collections::BTreeMap;
use std::env;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::{Mutex, OnceLock};

use tempfile::TempDir;

pub(crate) use tracewright_test_support::Jdk;

/// One JDK of each release from 17 on, ascending; never empty.
pub(crate) fn jdks() -> Vec<Jdk> {
    tracewright_test_support::jdks().to_vec()
}

/// The agent library, which cargo builds with the tests.
pub(crate) fn agent() -> PathBuf {
    let tests = env::current_exe().expect("this test has a path");
    let deps = tests.parent().expect("a folder");
    let name = format!("{}tracewright_agent{}", env::consts::DLL_PREFIX, env::consts::DLL_SUFFIX);
    [deps.join(&name), deps.parent().expect("a folder").join(&name)]
        .into_iter()
        .find(|path| path.is_file())
        .expect("cargo builds the agent library with its tests")
}

/// Compiles `tests/java/<name>.java` for Java 17, once a process; the classes may use the sink.
/// Gives their folder.
pub(crate) fn compile(names: &[&str]) -> PathBuf {
    static DONE: OnceLock<Mutex<BTreeMap<String, TempDir>>> = OnceLock::new();
    let mut done = DONE.get_or_init(Mutex::default).lock().expect("no test panicked in here");
    let folder = done.entry(names.join(" ")).or_insert_with(|| {
        let folder = tempfile::tempdir().expect("temporary folder");
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let javac = jdks()[0].home.join("bin/javac");
        let output = Command::new(javac)
            .args(["-nowarn", "-g", "-source", "17", "-target", "17", "-implicit:none", "--patch-module"])
            .arg(format!("java.base={}", root.join("java/sink").display()))
            .arg("-d")
            .arg(folder.path())
            .args(names.iter().map(|name| root.join(format!("tests/java/{name}.java"))))
            .output()
            .expect("javac runs");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        folder
    });
    folder.path().to_owned()
}

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

/// As [`java`], but gives the standard output; a failure ends the test.
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

/// Compares a text with the golden `tests/golden/<name>`.
#[track_caller]
pub(crate) fn check_golden(name: &str, found: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(name);
    tracewright_test_support::check_golden(&path, found);
}
