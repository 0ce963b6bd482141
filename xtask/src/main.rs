//! Every set-up step in one place: `cargo xtask demo | test | dist | bench NAME`.
//!
//! Flows in: a machine with Rust, a JDK, Maven and Python. Flows out: `target/z3` (libz3),
//! `target/jars` (JUnit and the development jars), `target/dist` (the files that ship). Must not
//! know how Tracewright works: it calls cargo and the built program.

mod apps;
mod asserts;
mod benchmarks;
mod dist;
mod effectiveness;
mod fuzz;
mod guards;
mod identical;
mod plugins;
mod punctual;
mod queries;
mod record;
mod run;
mod selection;
mod setup;
mod shards;
mod world;

use anyhow::{Context, Result};
use clap::{Parser, Subcommand};
use std::process::ExitCode;

/// The command line.
#[derive(Parser)]
#[command(name = "cargo xtask", about = "Builds, tests and shows Tracewright")]
struct Arguments {
    /// What to do.
    #[command(subcommand)]
    task: Task,
}

/// A task, with its arguments.
#[derive(Subcommand)]
enum Task {
    /// Sets everything up, generates tests for commons-lang3's Fraction and shows them.
    Demo,
    /// Sets everything up and runs every test of the project.
    Test {
        /// Arguments for `cargo test`, for instance `-p tracewright-classfile`.
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        arguments: Vec<String>,
    },
    /// Lays out `target/dist`, self-contained, with a Maven repository of plugins and natives in
    /// `maven`.
    Dist {
        /// Address of the sources, for the POMs [default: `repository` of `Cargo.toml`, else a
        /// placeholder].
        #[arg(long, value_name = "ADDRESS")]
        repository: Option<String>,
    },
    /// Runs the benchmark NAME; `list` prints all names with what they measure.
    #[command(disable_help_flag = true)]
    Bench {
        /// The name of a benchmark, or `list`, or `all` for every benchmark of `cargo bench`.
        name: String,
        /// Arguments for the benchmark; `--help` describes them.
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        arguments: Vec<String>,
    },
    /// Fetches libz3 and the jars.
    Setup,
    /// Makes the plugin repository of the debug build (`target/plugins/maven`) and a Gradle
    /// (`target/gradle`) for tests.
    Plugins,
}

fn main() -> ExitCode {
    match run(Arguments::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        // `{:#}` prints the causes in one line, without a backtrace.
        Err(error) => {
            eprintln!("xtask: {error:#}");
            ExitCode::FAILURE
        }
    }
}

/// Runs the task in the root of the project.
fn run(arguments: Arguments) -> Result<()> {
    let root = run::project_root();
    std::env::set_current_dir(&root).with_context(|| format!("cannot enter {}", root.display()))?;
    match arguments.task {
        Task::Setup => setup::everything(&root).map(drop),
        Task::Plugins => run::plugins(&root, &setup::everything(&root)?, &[]).map(drop),
        Task::Dist { repository } => dist::dist(&root, repository.as_deref()),
        Task::Demo => dist::demo(&root),
        Task::Test { arguments } => run::test(&root, &arguments),
        Task::Bench { name, arguments } => benchmarks::run(&root, &name, &arguments),
    }
}
