//! Commands: cargo with the environment that the tests expect, and `cargo xtask test`.
//!
//! In: the set-up. Out: the exit status of the command, as a result.

use crate::dist;
use crate::plugins;
use crate::setup::{self, Ready};
use anyhow::{Context, Result, bail};
use std::path::{Path, PathBuf};
use std::process::Command;

/// The root of the project: the parent of this package.
pub(crate) fn project_root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask lies in the project").to_path_buf()
}

/// Runs a command to its end.
///
/// # Errors
/// The command does not start or does not succeed. The error names it.
pub(crate) fn check(command: &mut Command) -> Result<()> {
    let program = command.get_program().to_string_lossy().into_owned();
    let status = command.status().with_context(|| format!("cannot start {program}"))?;
    if !status.success() {
        let arguments: Vec<_> = command.get_args().map(|argument| argument.to_string_lossy()).collect();
        bail!("{program} {} ended with {status}", arguments.join(" "));
    }
    Ok(())
}

/// The cargo that runs this program.
pub(crate) fn cargo() -> Command {
    Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
}

/// Sets the variables that name jars for the tests. `CONTRIBUTING.md` describes them.
pub(crate) fn set_test_environment(command: &mut Command, ready: &Ready) {
    let jars = ready.development_jars.iter().map(|jar| jar.to_string_lossy().into_owned()).collect::<Vec<_>>().join(":");
    command.env("TRACEWRIGHT_LAW_JARS", jars);
    command.env("TRACEWRIGHT_JUNIT", &ready.junit_console);
    command.env("TRACEWRIGHT_JUNIT4", &ready.junit4);
}

/// Builds the program, the agent and `more` targets in debug, and a Maven repository of the plugins and natives.
///
/// Returns the repository and the argument file that makes `java` a Gradle.
///
/// # Errors
/// A build fails, or a jar to compile against is missing.
pub(crate) fn plugins(root: &Path, ready: &Ready, more: &[&str]) -> Result<(PathBuf, PathBuf)> {
    // The end-to-end tests start the program with the agent beside it, so both are built before any
    // test runs. There are no examples, but with `--examples` cargo chooses the features that it
    // chooses for tests, so that no crate is built twice.
    check(cargo().args(["build", "--workspace", "--lib", "--bins", "--examples"]).args(more))?;
    setup::place_junit(&root.join("target/debug"), ready)?;
    let (installation, repository) = (root.join("target/plugins/installation"), root.join("target/plugins/maven"));
    dist::lay_out(root, "debug", ready, &installation)?;
    let origin = plugins::Origin::of_workspace(None);
    let tools = setup::build_tools(root)?;
    plugins::repository(root, &tools, &installation, &repository, plugins::Purpose::Test, &origin)?;
    Ok((repository, plugins::engine(root, &tools)?))
}

/// Sets everything up and runs `cargo test` in strict mode with these arguments.
///
/// # Errors
/// The set-up, a build or a test fails.
pub(crate) fn test(root: &Path, arguments: &[String]) -> Result<()> {
    let ready = setup::everything(root)?;
    let is_workspace = !arguments.iter().any(|argument| argument == "-p" || argument == "--package");
    // The library and its tests are compiled side by side: each of them alone keeps one core busy for half of its time.
    let more: &[&str] = if is_workspace { &["--tests"] } else { &[] };
    let (repository, gradle) = plugins(root, &ready, more)?;
    let mut command = cargo();
    command.arg("test");
    if is_workspace {
        command.arg("--workspace");
    }
    command.args(arguments);
    set_test_environment(&mut command, &ready);
    if !arguments.iter().any(|argument| argument == "--release") {
        command.env("TRACEWRIGHT_AGENT", root.join("target/debug/libtracewright_agent.so"));
    }
    command.env("TRACEWRIGHT_STRICT", "1").env("TRACEWRIGHT_CACHE", root.join("target/cache"));
    command.env("TRACEWRIGHT_REPOSITORY", repository).env("TRACEWRIGHT_GRADLE", gradle);
    check(&mut command)
}
