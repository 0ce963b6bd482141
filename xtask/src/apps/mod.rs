//! `cargo xtask bench apps`: what the written tests of whole applications are worth.
//!
//! In: Maven projects, by default `samples/shop`, and the built program. Out: a table on standard
//! output and `target/bench/apps.json`. The tests of all classes are generated, then they run alone
//! with JaCoCo, which leaves generated members out, and with PIT. Must not know how the program works: it reads
//! its report and its tests.

mod collaborators;
mod coverage;
mod figures;
pub(crate) mod project;
mod removed_calls;
pub(crate) mod score;
mod sources;

use crate::benchmarks::{parse_options, write_rows};
use crate::effectiveness;
use crate::setup;
use anyhow::{Context, Result, bail};
use clap::{Args, Parser};
pub(crate) use figures::share;
use figures::{AppRow, Reported, table};
use project::App;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

/// Command-line options of the benchmark.
#[derive(Parser, Debug)]
#[command(name = "cargo xtask bench apps", about = "Coverage and form of the tests of whole applications")]
struct AppsOptions {
    /// Folder of a Maven project to measure, with `:MODULE` for a module of it; may be given several
    /// times [default: samples/shop].
    #[arg(long = "app", value_name = "DIR[:MODULE]")]
    apps: Vec<String>,
    #[command(flatten)]
    generation: GenerationOptions,
}

/// Options of the benchmarks that generate tests for whole projects.
#[derive(Args, Debug)]
pub(crate) struct GenerationOptions {
    /// Budget of each class, such as 10s.
    #[arg(long, value_name = "TIME", default_value = "10s")]
    pub budget: String,
    /// Instead of a budget: executions and solver queries of each class.
    #[arg(long, value_name = "N")]
    pub steps: Option<u64>,
    /// Only classes that match; `*` matches anything, several by commas. Coverage is still that of
    /// the whole project.
    #[arg(long, value_name = "GLOB")]
    classes: Option<String>,
    /// Seed of all generations.
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,
    /// The executable to measure, laid out as in target/dist [default: one built now, in release].
    #[arg(long, value_name = "FILE")]
    program: Option<PathBuf>,
    /// Measure the tests that an earlier run wrote, instead of generating them again.
    #[arg(long)]
    pub reuse: bool,
}

impl GenerationOptions {
    /// The executable that generates the tests; empty where those of an earlier run are measured.
    ///
    /// # Errors
    /// The executable cannot be built, or the one that is given is incomplete.
    pub(crate) fn program(&self, root: &Path, ready: &setup::Ready) -> Result<PathBuf> {
        match &self.program {
            None if self.reuse => Ok(PathBuf::new()),
            given => effectiveness::program(root, ready, given.as_deref()),
        }
    }
}

/// Runs the benchmark.
///
/// # Errors
/// A wrong option, a project that Maven cannot build, or a step that cannot be started.
pub(crate) fn run(root: &Path, arguments: &[String]) -> Result<()> {
    let Some(options) = parse_options::<AppsOptions>("apps", arguments)? else { return Ok(()) };
    let ready = setup::everything(root)?;
    let tools = setup::coverage_tools(root)?;
    let generation = &options.generation;
    let program = generation.program(root, &ready)?;
    let bench = root.join("target/bench/apps");
    fs::create_dir_all(&bench)?;
    let named = options.apps.iter().map(|app| App::named(app)).collect::<Result<Vec<_>>>()?;
    let apps = if named.is_empty() { vec![App::sample(root, "shop", &bench)?] } else { named };
    let mut rows = Vec::new();
    for app in apps {
        println!("{}: building with Maven", app.name);
        let built = app.build()?;
        let work = bench.join(format!("{}-work", app.name));
        if !generation.reuse {
            let _ = fs::remove_dir_all(&work);
        }
        fs::create_dir_all(&work)?;
        let mut row =
            AppRow { app: app.name.clone(), budget: generation.budget.clone(), steps: generation.steps, ..AppRow::default() };
        if !generation.reuse {
            println!("{}: generating tests", app.name);
            row.seconds = generate_tests(&program, generation, &[], &built, &work)?;
        }
        let report = fs::read_to_string(work.join("report/report.json")).context("the program wrote no report")?;
        row.reported = Reported::read(&report)?;
        println!("{}: running the tests alone", app.name);
        let with_collaborators = collaborators::classes(&built.classes)?;
        let scored = score::score(&built, &work, &ready.junit_console, &tools, &with_collaborators)?;
        row.form = sources::measure(&work.join("tests"), &with_collaborators)?;
        row.set_score(scored);
        println!("\n{}", row.worst(12));
        rows.push(row);
        // Results so far are written after each application, in case the benchmark is interrupted.
        write_rows(root, "apps", generation.seed, &rows)?;
    }
    println!("\n{}", table(&rows));
    println!("written: target/bench/apps.json");
    Ok(())
}

/// Runs the program on the classes of a project, with `more` arguments. The tests go to
/// `work/tests`, the report to `work/report`. Returns the seconds that it took.
///
/// # Errors
/// The program cannot be started or fails.
pub(crate) fn generate_tests(
    program: &Path,
    options: &GenerationOptions,
    more: &[&str],
    built: &project::Built,
    work: &Path,
) -> Result<f64> {
    let start = Instant::now();
    let mut command = Command::new(program);
    command
        .arg("generate")
        .arg("--classpath")
        .arg(built.class_path()?)
        .arg("--classes-from")
        .arg(&built.classes)
        .args(["--seed", &options.seed.to_string(), "--out", "tests", "--report", "report", "--progress", "plain"])
        .current_dir(work)
        .stdin(Stdio::null())
        .stdout(fs::File::create(work.join("output.txt"))?)
        .stderr(fs::File::create(work.join("progress.txt"))?);
    match options.steps {
        Some(steps) => command.args(["--steps", &steps.to_string()]),
        None => command.args(["--budget", &options.budget]),
    };
    command.args(options.classes.iter().flat_map(|classes| ["--classes", classes])).args(more);
    let status = command.status().with_context(|| format!("cannot start {}", program.display()))?;
    if !status.success() {
        let said = fs::read_to_string(work.join("progress.txt")).unwrap_or_default();
        bail!("the program ended with {status}: {}", said.lines().last().unwrap_or_default());
    }
    Ok((start.elapsed().as_secs_f64() * 10.0).round() / 10.0)
}
