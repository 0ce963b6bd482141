//! `cargo xtask bench guards`: goals of `samples/guards` that symbolic execution alone reaches,
//! with reasons for the others.
//!
//! In: options, the built program, the samples. Out: a table on standard output and
//! `target/bench/guards.json`. Runs are sequential, so that they do not share cores.

mod figures;
mod judge;

pub(crate) use judge::{newest_jdk, version};

use crate::benchmarks::{parse_options, write_rows};
use crate::effectiveness;
use crate::run::check;
use crate::setup;
use anyhow::{Context, Result, anyhow, bail};
use clap::Parser;
use figures::{GuardRow, table};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;
use tracewright_test_support::find_on_path;
use tracewright_test_support::guards::{GoalKind, Guard, guards, shapes};

/// Command-line options of the benchmark.
#[derive(Parser, Debug)]
#[command(name = "cargo xtask bench guards", about = "Goals of samples/guards that symbolic execution alone reaches")]
struct GuardsOptions {
    /// Simple names of guards, separated by commas [default: all].
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    classes: Vec<String>,
    /// Those of samples/guards/shapes, which ask for objects of a special shape, instead of samples/guards.
    #[arg(long)]
    shapes: bool,
    /// Strategy of `generate`.
    #[arg(long, value_name = "NAME", default_value = "dse")]
    strategy: String,
    /// Budget of each class in seconds.
    #[arg(long, value_name = "SECONDS", default_value_t = 10, value_parser = clap::value_parser!(u64).range(2..=3600))]
    budget: u64,
    /// Seed of all runs.
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// The executable to measure, laid out as in target/dist [default: one built now, in release].
    #[arg(long, value_name = "FILE")]
    program: Option<PathBuf>,
}

/// The compiled guards of one release of Java.
struct CompiledGuards {
    /// The JDK that compiled them.
    home: PathBuf,
    /// The folder of their classes.
    classes: PathBuf,
}

/// Runs the benchmark.
///
/// # Errors
/// A wrong option, a failed build, or an infeasible goal that a test reaches.
pub(crate) fn run(root: &Path, arguments: &[String]) -> Result<()> {
    let Some(options) = parse_options::<GuardsOptions>("guards", arguments)? else { return Ok(()) };
    let all = if options.shapes { shapes(root) } else { guards(root) };
    let all = all.map_err(|problem| anyhow!("bench guards: {problem}"))?;
    if let Some(name) = options.classes.iter().find(|name| !all.iter().any(|guard| guard.name == **name)) {
        bail!("bench guards: there is no guard {name} in samples/guards{}", if options.shapes { "/shapes" } else { "" });
    }
    let chosen: Vec<Guard> =
        all.into_iter().filter(|guard| options.classes.is_empty() || options.classes.contains(&guard.name)).collect();
    let ready = setup::everything(root)?;
    let program = effectiveness::program(root, &ready, options.program.as_deref())?;
    let bench = root.join("target/bench");
    let work = bench.join("guards");
    let _ = fs::remove_dir_all(&work);
    fs::create_dir_all(&work)?;
    let groups = compile(&chosen, &work)?;
    let mut rows = Vec::new();
    for guard in &chosen {
        let Some(group) = groups.get(&guard.release) else {
            println!("{}: skipped, there is no JDK {}", guard.name, guard.release);
            continue;
        };
        let row = measure(&options, &program, guard, group, &work)?;
        println!("{} {:.1} s: {}", guard.name, row.seconds, row.reason);
        rows.push(row);
    }
    for (release, group) in &groups {
        let guards: Vec<&Guard> = chosen.iter().filter(|guard| guard.release == *release).collect();
        let folder = work.join(format!("judge-{release}"));
        let reached = judge::reached(&guards, &work.join("tests"), &group.home, &ready.junit_console, &folder)?;
        for guard in guards {
            let Some(row) = rows.iter_mut().find(|row| row.subject == guard.name) else { continue };
            let is_reached = |line: u32| reached.contains(&format!("{} {line}", guard.name));
            if let Some(goal) =
                guard.goals.iter().find(|goal| matches!(goal.kind, GoalKind::Infeasible(_)) && is_reached(goal.line))
            {
                bail!("{}:{}: the goal is declared infeasible but was reached", guard.file.display(), goal.line);
            }
            row.set_reached_goals(guard, |goal| is_reached(goal.line));
        }
    }
    print!("\n{}", table(&rows));
    write_rows(root, "guards", options.seed, &rows)?;
    println!("written: target/bench/guards.json");
    Ok(())
}

/// The home of the JDK whose `javac` builds the project. Symbolic links are resolved.
///
/// # Errors
/// There is no `javac`.
pub(crate) fn home_of_compiler() -> Result<PathBuf> {
    let javac = setup::java_tool("javac");
    let found = if javac.is_absolute() { Some(javac) } else { find_on_path(&javac) };
    let javac = found.and_then(|javac| javac.canonicalize().ok()).context("javac is missing")?;
    Ok(javac.parent().and_then(Path::parent).context("javac lies in a JDK")?.to_path_buf())
}

/// Compiles the guards of each release. A release without a JDK has no entry.
fn compile(guards: &[Guard], work: &Path) -> Result<BTreeMap<u32, CompiledGuards>> {
    let mut groups = BTreeMap::new();
    let newest = judge::newest_jdk();
    for release in guards.iter().map(|guard| guard.release).collect::<std::collections::BTreeSet<_>>() {
        let home = if release == 17 {
            home_of_compiler()?
        } else {
            match &newest {
                Some((version, home)) if *version >= release => home.clone(),
                _ => continue,
            }
        };
        let classes = work.join(format!("classes-{release}"));
        check(
            Command::new(home.join("bin/javac"))
                .args(["-g", "-nowarn", "-Xlint:-options", "--release", &release.to_string(), "-d"])
                .arg(&classes)
                .args(guards.iter().filter(|guard| guard.release == release).map(|guard| &guard.file)),
        )?;
        groups.insert(release, CompiledGuards { home, classes });
    }
    Ok(groups)
}

/// Generates tests for one guard. Its goals are judged later, together with those of other guards.
fn measure(options: &GuardsOptions, program: &Path, guard: &Guard, group: &CompiledGuards, work: &Path) -> Result<GuardRow> {
    let report = work.join("report");
    let _ = fs::remove_dir_all(&report);
    let start = Instant::now();
    let output = Command::new(program)
        .args(["generate", "--progress", "none", "--class", &guard.class(), "--classpath"])
        .arg(&group.classes)
        .arg("--jdk")
        .arg(&group.home)
        .args(["--strategy", &options.strategy, "--seed", &options.seed.to_string(), "--budget", &format!("{}s", options.budget)])
        .arg("--out")
        .arg(work.join("tests"))
        .arg("--report")
        .arg(&report)
        .current_dir(work)
        .stdin(Stdio::null())
        .output()
        .with_context(|| format!("cannot start {}", program.display()))?;
    let seconds = (start.elapsed().as_secs_f64() * 1000.0).round() / 1000.0;
    let mut row = GuardRow::new(guard, &options.strategy, options.seed, seconds);
    match fs::read_to_string(report.join("report.json")).ok().filter(|_| output.status.success()) {
        Some(text) => row.read_report(&text).map_err(|error| anyhow!("its report cannot be read: {error}"))?,
        None => {
            let messages = String::from_utf8_lossy(&output.stderr);
            row.reason = format!("it ended with {}: {}", output.status, messages.lines().last().unwrap_or_default());
        }
    }
    Ok(row)
}
