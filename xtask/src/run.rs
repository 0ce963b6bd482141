//! Runs cargo with the environment that the tests expect.

use crate::dist;
use crate::setup::{self, Ready};
use crate::{effectiveness, fuzz, guards, identical, plugins, queries, selection, sessions};
use anyhow::{Context, Result, bail};
use std::path::{Path, PathBuf};
use std::process::Command;

/// The root of the project: the parent of this package.
pub(crate) fn project_root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask lies in the project").to_path_buf()
}

/// Runs a command to its end; anything but success is an error that names it.
pub(crate) fn check(command: &mut Command) -> Result<()> {
    let program = command.get_program().to_string_lossy().into_owned();
    let status = command.status().with_context(|| format!("cannot start {program}"))?;
    if !status.success() {
        let arguments: Vec<_> = command.get_args().map(|argument| argument.to_string_lossy()).collect();
        bail!("{program} {} ended with {status}", arguments.join(" "));
    }
    Ok(())
}

pub(crate) fn cargo() -> Command {
    Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
}

/// What tests read: where the jars are. See `CONTRIBUTING.md`.
fn environment(command: &mut Command, ready: &Ready) {
    let jars = ready.development_jars.iter().map(|jar| jar.to_string_lossy().into_owned()).collect::<Vec<_>>().join(":");
    command.env("TRACEWRIGHT_LAW_JARS", jars);
    command.env("TRACEWRIGHT_JUNIT", &ready.junit_console);
    command.env("TRACEWRIGHT_JUNIT4", &ready.junit4);
}

/// Builds the program and the agent in debug, and of them a repository of plugins and natives.
pub(crate) fn plugins(root: &Path, ready: &Ready) -> Result<(PathBuf, PathBuf)> {
    // The end-to-end tests start the program with the agent beside it, so both are built before any test runs. There are no
    // examples: asking for them lets cargo choose the features that it chooses for tests, so that nothing is built twice.
    check(cargo().args(["build", "--workspace", "--lib", "--bins", "--examples"]))?;
    setup::place_junit(root, &root.join("target/debug"), ready)?;
    let (installation, repository) = (root.join("target/plugins/installation"), root.join("target/plugins/maven"));
    dist::lay_out(root, "debug", ready, &installation)?;
    let origin = plugins::Origin::of_workspace(None);
    let tools = setup::build_tools(root)?;
    plugins::repository(root, &tools, &installation, &repository, plugins::Purpose::Test, &origin)?;
    Ok((repository, plugins::engine(root, &tools)?))
}

pub(crate) fn test(root: &Path, arguments: &[String]) -> Result<()> {
    let ready = setup::everything(root)?;
    let (repository, gradle) = plugins(root, &ready)?;
    let mut command = cargo();
    command.arg("test");
    if !arguments.iter().any(|argument| argument == "-p" || argument == "--package") {
        command.arg("--workspace");
    }
    command.args(arguments);
    environment(&mut command, &ready);
    if !arguments.iter().any(|argument| argument == "--release") {
        command.env("TRACEWRIGHT_AGENT", root.join("target/debug/libtracewright_agent.so"));
    }
    command.env("TRACEWRIGHT_STRICT", "1");
    command.env("TRACEWRIGHT_REPOSITORY", repository).env("TRACEWRIGHT_GRADLE", gradle);
    check(&mut command)
}

/// The options of a benchmark, or `None` where help was asked for and given; what is wrong is said in one sentence.
pub(crate) fn bench_options<O: clap::Parser>(name: &str, arguments: &[String]) -> Result<Option<O>> {
    match O::try_parse_from(std::iter::once(name).chain(arguments.iter().map(String::as_str))) {
        Ok(options) => Ok(Some(options)),
        Err(help) if !help.use_stderr() => {
            help.print()?;
            Ok(None)
        }
        Err(error) => {
            let text = error.to_string();
            bail!("bench {name}: {}", text.lines().next().unwrap_or_default().trim_start_matches("error: "));
        }
    }
}

pub(crate) fn bench(root: &Path, name: &str, arguments: &[String]) -> Result<()> {
    let known = criterion_benches(root)?;
    match name {
        "effectiveness" => effectiveness::run(root, arguments),
        "fuzz" => fuzz::run(root, arguments),
        "guards" => guards::run(root, arguments),
        "identical" => identical::run(root, arguments),
        "selection" => selection::run(root, arguments),
        "queries" => queries::run(root, arguments),
        "record" => sessions::run(root, arguments),
        "list" => {
            println!("effectiveness\nfuzz\nguards\nidentical\nqueries\nrecord\nselection\n{}", known.join("\n"));
            Ok(())
        }
        name if name != "all" && !known.iter().any(|bench| bench == name) => {
            bail!(
                "there is no benchmark {name}: the names are effectiveness, fuzz, guards, identical, queries, record, selection, {}, all",
                known.join(", ")
            )
        }
        "all" => criterion(root, &known, arguments),
        name => criterion(root, &[name.to_owned()], arguments),
    }
}

/// Names of the criterion benchmarks of all packages: their files, without the fuzzer.
fn criterion_benches(root: &Path) -> Result<Vec<String>> {
    let mut names = Vec::new();
    for entry in walkdir::WalkDir::new(root).max_depth(4).into_iter().filter_entry(|entry| entry.file_name() != "target") {
        let path = entry?.into_path();
        let in_benches = path.parent().and_then(Path::file_name).is_some_and(|folder| folder == "benches");
        if in_benches && path.extension().is_some_and(|extension| extension == "rs") {
            names.extend(path.file_stem().map(|name| name.to_string_lossy().into_owned()));
        }
    }
    names.retain(|name| name != "fuzz");
    names.sort();
    Ok(names)
}

fn criterion(root: &Path, names: &[String], arguments: &[String]) -> Result<()> {
    let ready = setup::everything(root)?;
    check(cargo().args(["build", "--release", "--workspace"]))?;
    setup::place_junit(root, &root.join("target/release"), &ready)?;
    let mut command = cargo();
    command.args(["bench", "--workspace"]);
    for name in names {
        command.args(["--bench", name]);
    }
    if !arguments.is_empty() {
        command.arg("--").args(arguments);
    }
    environment(&mut command, &ready);
    check(&mut command)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn benchmarks_are_known_by_name() {
        let names = criterion_benches(&project_root()).expect("readable");
        for name in ["executions", "rewrite", "search", "solve", "trace_overhead"] {
            assert!(names.iter().any(|known| known == name), "{name}: {names:?}");
        }
        let error = bench(&project_root(), "nothing", &[]).expect_err("no such benchmark");
        assert!(
            error.to_string().starts_with(
                "there is no benchmark nothing: the names are effectiveness, fuzz, guards, identical, queries, record, selection, "
            ),
            "{error}"
        );
    }
}
