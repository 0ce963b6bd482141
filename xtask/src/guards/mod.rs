//! `cargo xtask bench guards`: which guards of `samples/guards` symbolic execution alone gets through, and why not through the others. In:
//! options, the built program, the samples; out: a table on standard output and `target/bench/guards.json`. Runs go one after the other.

mod figures;
mod judge;

pub(crate) use judge::{newest_jdk, version};

use crate::effectiveness;
use crate::run::{bench_options, check};
use crate::setup;
use anyhow::{Context, Result, anyhow, bail};
use clap::Parser;
use figures::{Row, table};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;
use tracewright_test_support::guards::{GoalKind, Guard};

#[derive(Parser, Debug)]
#[command(name = "cargo xtask bench guards", about = "Guards that symbolic execution alone gets through")]
struct Options {
    /// Simple names of guards, by commas [default: all].
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    classes: Vec<String>,
    #[arg(long, value_name = "NAME", default_value = "dse")]
    strategy: String,
    /// Seconds of one class.
    #[arg(long, value_name = "SECONDS", default_value_t = 10, value_parser = clap::value_parser!(u64).range(2..=3600))]
    budget: u64,
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// The executable to measure, its `lib` beside it as in target/dist [default: the one that is built now, in release].
    #[arg(long, value_name = "FILE")]
    program: Option<PathBuf>,
}

/// A JDK, the guards compiled for it.
struct Group {
    home: PathBuf,
    classes: PathBuf,
}

pub(crate) fn run(root: &Path, arguments: &[String]) -> Result<()> {
    let Some(options) = bench_options::<Options>("guards", arguments)? else { return Ok(()) };
    let all = tracewright_test_support::guards::guards(root).map_err(|problem| anyhow!("bench guards: {problem}"))?;
    if let Some(name) = options.classes.iter().find(|name| !all.iter().any(|guard| guard.name == **name)) {
        bail!("bench guards: there is no samples/guards/{name}.java");
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
            println!("{}: left out, no JDK {} is here", guard.name, guard.release);
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
                bail!("{}:{}: the goal is said to be infeasible, and was reached", guard.file.display(), goal.line);
            }
            row.settle(guard, |goal| is_reached(goal.line));
        }
    }
    print!("\n{}", table(&rows));
    let lines = rows.iter().map(serde_json::to_string).collect::<Result<Vec<_>, _>>()?.join(",\n");
    fs::write(
        bench.join("guards.json"),
        format!("{{\"bench\": \"guards\", \"seed\": {}, \"rows\": [\n{lines}\n]}}\n", options.seed),
    )
    .context("cannot write target/bench/guards.json")?;
    println!("written: target/bench/guards.json");
    Ok(())
}

/// The JDK of the compiler: bin/javac, links followed, lies in it.
pub(crate) fn home_of_compiler() -> Result<PathBuf> {
    let javac = setup::java_tool("javac");
    let found = if javac.is_absolute() { Some(javac) } else { find_on_path(&javac) };
    let javac = found.and_then(|javac| javac.canonicalize().ok()).context("javac is missing")?;
    Ok(javac.parent().and_then(Path::parent).context("javac lies in a JDK")?.to_path_buf())
}

/// Release → the guards that need it, compiled; without an entry where no JDK can.
fn compile(guards: &[Guard], work: &Path) -> Result<BTreeMap<u32, Group>> {
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
        groups.insert(release, Group { home, classes });
    }
    Ok(groups)
}

fn find_on_path(program: &Path) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|folder| folder.join(program)).find(|file| file.is_file())
}

fn measure(options: &Options, program: &Path, guard: &Guard, group: &Group, work: &Path) -> Result<Row> {
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
    let mut row = Row::new(guard, &options.strategy, options.seed, seconds);
    match fs::read_to_string(report.join("report.json")).ok().filter(|_| output.status.success()) {
        Some(text) => row.take(&text).map_err(|error| anyhow!("its report cannot be read: {error}"))?,
        None => {
            let said = String::from_utf8_lossy(&output.stderr);
            row.reason = format!("it ended with {}: {}", output.status, said.lines().last().unwrap_or_default());
        }
    }
    Ok(row)
}
