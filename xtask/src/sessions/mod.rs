//! `cargo xtask bench record`: what the agent costs on test suites that exist, whether they notice it, and what the replay of their sessions gives.
//! In: options, the built program, the suites of libraries; out: a table on standard output and `target/bench/record.json`. Each suite runs plain, with
//! the agent, and plain again, so that tests which differ by themselves are known.

mod outcomes;

use crate::effectiveness;
use crate::guards;
use crate::run::bench_options;
use crate::setup::{self, Suite};
use anyhow::{Context, Result, bail};
use clap::Parser;
use outcomes::Outcomes;
use serde::Serialize;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;
use wait4::Wait4 as _;

#[derive(Parser, Debug)]
#[command(
    name = "cargo xtask bench record",
    about = "Existing test suites with the agent and without, and the replay of what it recorded"
)]
struct Options {
    /// Names of suites, by commas [default: all].
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    suites: Vec<String>,
    /// Homes of JDKs, by commas [default: the one of the compiler, and the newest of the usual folders].
    #[arg(long, value_name = "HOMES", value_delimiter = ',')]
    jdks: Vec<PathBuf>,
    /// The executable to measure, its `lib` beside it as in target/dist [default: the one that is built now, in release].
    #[arg(long, value_name = "FILE")]
    program: Option<PathBuf>,
    /// Only the runs of the suites.
    #[arg(long)]
    no_replay: bool,
}

#[derive(Clone, Debug, Default, Serialize)]
struct Row {
    /// The suite and the JDK's release.
    subject: String,
    strategy: &'static str,
    seed: u64,
    tests: usize,
    /// Tests that end one way in both plain runs and another way with the agent.
    changed: Vec<String>,
    plain_cpu: f64,
    cpu: f64,
    /// Of the largest process.
    plain_mebibytes: u64,
    mebibytes: u64,
    session_mebibytes: u64,
    counts: BTreeMap<String, u64>,
    replay_seconds: f64,
    runs: u64,
    dropped_runs: u64,
    executed: u64,
    replayed: u64,
    divergences: u64,
    resyncs: u64,
    checked_loads: u64,
    unsupported: BTreeMap<String, u64>,
}

struct Ran {
    outcomes: Outcomes,
    /// Of user and system, all threads.
    cpu: f64,
    mebibytes: u64,
}

pub(crate) fn run(root: &Path, arguments: &[String]) -> Result<()> {
    let Some(options) = bench_options::<Options>("record", arguments)? else { return Ok(()) };
    let known: Vec<&str> = setup::SUITES.iter().map(|suite| suite.name).collect();
    if let Some(name) = options.suites.iter().find(|name| !known.contains(&name.as_str())) {
        bail!("bench record: there is no suite {name}: give one of {}", known.join(", "));
    }
    let ready = setup::everything(root)?;
    let program = effectiveness::program(root, &ready, options.program.as_deref())?;
    let homes = if options.jdks.is_empty() { homes()? } else { options.jdks.clone() };
    let bench = root.join("target/bench");
    fs::create_dir_all(&bench)?;
    let mut rows = Vec::new();
    for suite in
        setup::SUITES.iter().filter(|suite| options.suites.is_empty() || options.suites.iter().any(|name| name == suite.name))
    {
        let jars = setup::suite(root, suite)?;
        for home in &homes {
            let row = measure(&options, &program, suite, &jars, home, &ready.junit_console, &bench.join("record"))?;
            print!("{}", row.text());
            rows.push(row);
        }
    }
    let lines = rows.iter().map(serde_json::to_string).collect::<Result<Vec<_>, _>>()?.join(",\n");
    fs::write(bench.join("record.json"), format!("{{\"bench\": \"record\", \"seed\": 1, \"rows\": [\n{lines}\n]}}\n"))
        .context("cannot write target/bench/record.json")?;
    println!("written: target/bench/record.json");
    Ok(())
}

fn homes() -> Result<Vec<PathBuf>> {
    let own = guards::home_of_compiler()?;
    let newest = guards::newest_jdk().map(|(_, home)| home).filter(|home| *home != own);
    Ok(std::iter::once(own).chain(newest).collect())
}

fn measure(
    options: &Options,
    program: &Path,
    suite: &Suite,
    jars: &[PathBuf],
    home: &Path,
    junit: &Path,
    work: &Path,
) -> Result<Row> {
    let release = guards::version(home).with_context(|| format!("{} is no JDK", home.display()))?;
    let folder = work.join(format!("{}-{release}", suite.name));
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder)?;
    let session = folder.join("session");
    let suite_run = |name: &str, recorded: bool| {
        let mut command = if recorded {
            let mut command = Command::new(program);
            command
                .args(["record", "--session"])
                .arg(&session)
                .args(["--include", suite.include, "--"])
                .arg(home.join("bin/java"));
            command
        } else {
            Command::new(home.join("bin/java"))
        };
        command.args(suite.jvm);
        execute(&mut command, jars, junit, &folder.join(name)).with_context(|| format!("{} with {}", suite.name, home.display()))
    };
    let (before, with, after) = (suite_run("before", false)?, suite_run("with", true)?, suite_run("after", false)?);
    let mut row = Row {
        subject: format!("{} {release}", suite.name),
        strategy: "record",
        seed: 1,
        tests: before.outcomes.len(),
        changed: outcomes::changed(&before.outcomes, &with.outcomes, &after.outcomes),
        plain_cpu: (before.cpu + after.cpu) / 2.0,
        cpu: with.cpu,
        plain_mebibytes: before.mebibytes.max(after.mebibytes),
        mebibytes: with.mebibytes,
        session_mebibytes: size(&session) >> 20,
        ..Row::default()
    };
    if !options.no_replay {
        let start = Instant::now();
        let replayed = Command::new(program).arg("replay").arg(&session).arg("--json").stdin(Stdio::null()).output()?;
        row.replay_seconds = start.elapsed().as_secs_f64();
        if !replayed.status.success() {
            bail!("the replay of {}: {}", row.subject, String::from_utf8_lossy(&replayed.stderr).trim());
        }
        fs::write(folder.join("replay.json"), &replayed.stdout)?;
        row.settle(&serde_json::from_slice(&replayed.stdout).context("the replay's JSON")?);
    }
    Ok(row)
}

/// One run of the tests: in a folder of its own, since they write files.
fn execute(command: &mut Command, jars: &[PathBuf], junit: &Path, folder: &Path) -> Result<Ran> {
    fs::create_dir_all(folder)?;
    let [tests, ..] = jars else { bail!("a suite without jars") };
    let class_path = std::env::join_paths(jars.iter().map(PathBuf::as_path).chain([junit]))?;
    let mut child = command
        .args(["-Xmx1g", "-Duser.language=en", "-Duser.country=US", "-Duser.timezone=UTC", "-cp"])
        .arg(class_path)
        .args(["org.junit.platform.console.ConsoleLauncher", "execute", "--disable-banner", "--details", "none"])
        .arg("--scan-class-path")
        .arg(tests)
        .args(["--include-classname", ".*Test"])
        .arg("--reports-dir")
        .arg(folder.join("reports"))
        .current_dir(folder)
        .stdin(Stdio::null())
        .stdout(File::create(folder.join("out.txt"))?)
        .stderr(File::create(folder.join("err.txt"))?)
        .spawn()
        .context("cannot start java")?;
    let used = child.wait4()?.rusage;
    let outcomes = outcomes::read(&folder.join("reports"))?;
    if outcomes.is_empty() {
        bail!("no test ran, see {}", folder.join("err.txt").display());
    }
    Ok(Ran { outcomes, cpu: (used.utime + used.stime).as_secs_f64(), mebibytes: used.maxrss >> 20 })
}

fn size(folder: &Path) -> u64 {
    let files = walkdir::WalkDir::new(folder).into_iter().flatten().filter_map(|entry| entry.metadata().ok());
    files.filter(|file| file.is_file()).map(|file| file.len()).sum()
}

impl Row {
    fn settle(&mut self, replay: &Value) {
        let totals = &replay["totals"];
        let number = |name: &str| totals[name].as_u64().unwrap_or(0);
        let map = |name: &str| -> BTreeMap<String, u64> { serde_json::from_value(totals[name].clone()).unwrap_or_default() };
        self.runs = number("runs");
        self.dropped_runs = number("dropped_runs");
        self.divergences = number("divergences");
        self.resyncs = number("resyncs");
        self.checked_loads = number("checked_loads");
        self.executed = totals["instructions"]["executed"].as_u64().unwrap_or(0);
        self.replayed = totals["instructions"]["replayed"].as_u64().unwrap_or(0);
        self.unsupported = map("unsupported");
        self.counts = map("session");
    }

    fn text(&self) -> String {
        let mut out = String::new();
        let share = |part: u64, whole: u64| if whole == 0 { 0.0 } else { part as f64 / whole as f64 };
        // Writing to a string cannot fail.
        let _ = writeln!(
            out,
            "{}: {} tests, {} changed; CPU {:.1} s, {:.2} x; memory {} MiB, {:+} MiB; session {} MiB",
            self.subject,
            self.tests,
            self.changed.len(),
            self.cpu,
            self.cpu / self.plain_cpu.max(0.001),
            self.mebibytes,
            self.mebibytes as i64 - self.plain_mebibytes as i64,
            self.session_mebibytes
        );
        for test in &self.changed {
            let _ = writeln!(out, "  changed: {test}");
        }
        let _ = writeln!(
            out,
            "  {} runs, {} dropped; {} instructions, {:.4} replayed; {} divergences; {} resyncs of {} values ({:.4}); {:.0} s",
            self.runs,
            self.dropped_runs,
            self.executed,
            share(self.replayed, self.executed),
            self.divergences,
            self.resyncs,
            self.checked_loads,
            share(self.resyncs, self.checked_loads),
            self.replay_seconds
        );
        for (reason, count) in self.counts.iter().chain(&self.unsupported) {
            let _ = writeln!(out, "  {count:9} {reason}");
        }
        out
    }
}
