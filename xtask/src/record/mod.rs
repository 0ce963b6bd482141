//! `cargo xtask bench record`: CPU time and memory of the agent on the test suites of libraries,
//! whether tests notice it, and the replay of the recorded sessions.
//!
//! In: options, the built program, the suites. Out: a table on standard output and
//! `target/bench/record.json`. Each suite runs without the agent, with it, and without it again, so
//! that tests with varying outcomes are known.

mod outcomes;

use crate::benchmarks::{parse_options, write_rows};
use crate::effectiveness;
use crate::guards;
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

/// Command-line options of the benchmark.
#[derive(Parser, Debug)]
#[command(
    name = "cargo xtask bench record",
    about = "CPU time and memory of the agent on existing test suites, and the replay of their sessions"
)]
struct RecordOptions {
    /// Names of suites, separated by commas [default: all].
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    suites: Vec<String>,
    /// Homes of JDKs, separated by commas [default: that of the compiler and the newest installed].
    #[arg(long, value_name = "HOMES", value_delimiter = ',')]
    jdks: Vec<PathBuf>,
    /// The executable to measure, laid out as in target/dist [default: one built now, in release].
    #[arg(long, value_name = "FILE")]
    program: Option<PathBuf>,
    /// Does not replay the sessions.
    #[arg(long)]
    no_replay: bool,
}

/// The result of one suite on one JDK.
#[derive(Clone, Debug, Default, Serialize)]
struct SuiteRow {
    /// The name of the suite and the release of the JDK.
    subject: String,
    /// Always `record`; all benchmarks have this column.
    strategy: &'static str,
    /// Always 1; all benchmarks have this column.
    seed: u64,
    /// Number of tests.
    tests: usize,
    /// Tests with equal outcomes in both runs without the agent and other outcomes with it.
    changed: Vec<String>,
    /// CPU seconds without the agent, the mean of two runs.
    plain_cpu: f64,
    /// CPU seconds with the agent.
    cpu: f64,
    /// Greatest resident set without the agent, in MiB.
    plain_mebibytes: u64,
    /// Greatest resident set with the agent, in MiB.
    mebibytes: u64,
    /// Size of the session in MiB.
    session_mebibytes: u64,
    /// Counts that the agent wrote into the session, by their descriptions.
    counts: BTreeMap<String, u64>,
    /// Seconds that the replay took.
    replay_seconds: f64,
    /// Replayed runs.
    runs: u64,
    /// Runs that the agent dropped or that cannot be read.
    dropped_runs: u64,
    /// Instructions of the replayed runs.
    executed: u64,
    /// Instructions that the replay computed.
    replayed: u64,
    /// Differences between replay and recording.
    divergences: u64,
    /// Compared values that were taken from the recording after an opaque call.
    resyncs: u64,
    /// Recorded values that were compared with computed ones.
    checked_loads: u64,
    /// Values, calls and paths that the replay does not follow, by reason.
    unsupported: BTreeMap<String, u64>,
}

/// One run of a suite.
struct SuiteRun {
    outcomes: Outcomes,
    /// CPU seconds of all threads, user and system.
    cpu: f64,
    /// Greatest resident set in MiB.
    mebibytes: u64,
}

/// Runs the benchmark.
///
/// # Errors
/// A wrong option, a failed build, a suite without tests, or a failed replay.
pub(crate) fn run(root: &Path, arguments: &[String]) -> Result<()> {
    let Some(options) = parse_options::<RecordOptions>("record", arguments)? else { return Ok(()) };
    let known: Vec<&str> = setup::SUITES.iter().map(|suite| suite.name).collect();
    if let Some(name) = options.suites.iter().find(|name| !known.contains(&name.as_str())) {
        bail!("bench record: there is no suite {name}: the suites are {}", known.join(", "));
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
    write_rows(root, "record", 1, &rows)?;
    println!("written: target/bench/record.json");
    Ok(())
}

/// The JDK of the compiler, and the newest JDK if that is another one.
fn homes() -> Result<Vec<PathBuf>> {
    let own = guards::home_of_compiler()?;
    let newest = guards::newest_jdk().map(|(_, home)| home).filter(|home| *home != own);
    Ok(std::iter::once(own).chain(newest).collect())
}

/// Runs a suite on a JDK, three times, and replays the session.
fn measure(
    options: &RecordOptions,
    program: &Path,
    suite: &Suite,
    jars: &[PathBuf],
    home: &Path,
    junit: &Path,
    work: &Path,
) -> Result<SuiteRow> {
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
        execute(&mut command, suite, jars, junit, &folder.join(name))
            .with_context(|| format!("{} with {}", suite.name, home.display()))
    };
    let (before, with, after) = (suite_run("before", false)?, suite_run("with", true)?, suite_run("after", false)?);
    let mut row = SuiteRow {
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
        ..SuiteRow::default()
    };
    if !options.no_replay {
        let start = Instant::now();
        let replayed = Command::new(program).arg("replay").arg(&session).arg("--json").stdin(Stdio::null()).output()?;
        row.replay_seconds = start.elapsed().as_secs_f64();
        if !replayed.status.success() {
            bail!("the replay of {}: {}", row.subject, String::from_utf8_lossy(&replayed.stderr).trim());
        }
        fs::write(folder.join("replay.json"), &replayed.stdout)?;
        row.set_replay_figures(&serde_json::from_slice(&replayed.stdout).context("the replay's JSON")?);
    }
    Ok(row)
}

/// Runs the tests in a folder of their own, because they write files.
fn execute(command: &mut Command, suite: &Suite, jars: &[PathBuf], junit: &Path, folder: &Path) -> Result<SuiteRun> {
    fs::create_dir_all(folder)?;
    let [tests, ..] = jars else { bail!("a suite without jars") };
    let class_path = std::env::join_paths(jars.iter().map(PathBuf::as_path).chain([junit]))?;
    let without: &[&str] = if suite.without.is_empty() { &[] } else { &["--exclude-classname", suite.without] };
    let mut child = command
        .args(["-Xmx1g", "-Duser.language=en", "-Duser.country=US", "-Duser.timezone=UTC", "-cp"])
        .arg(class_path)
        .args(["org.junit.platform.console.ConsoleLauncher", "execute", "--disable-banner", "--details", "none"])
        .arg("--scan-class-path")
        .arg(tests)
        .args(["--include-classname", ".*Test"])
        .args(without)
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
    Ok(SuiteRun { outcomes, cpu: (used.utime + used.stime).as_secs_f64(), mebibytes: used.maxrss >> 20 })
}

/// The size of all files below a folder, in bytes.
fn size(folder: &Path) -> u64 {
    let files = walkdir::WalkDir::new(folder).into_iter().flatten().filter_map(|entry| entry.metadata().ok());
    files.filter(|file| file.is_file()).map(|file| file.len()).sum()
}

impl SuiteRow {
    /// Takes over the totals of `tracewright replay --json`.
    fn set_replay_figures(&mut self, replay: &Value) {
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

    /// The row as it is printed.
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
            "  {} runs, {} dropped; {} instructions, {:.4} replayed; {} divergences; {} of {} values resynchronised ({:.4}); {:.0} s",
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
