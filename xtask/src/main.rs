//! Every set-up step in one place: `cargo xtask demo | test | dist | bench NAME`.
//!
//! Flows in: a machine with Rust, a JDK, Maven and Python. Flows out: `target/z3` (libz3), `target/jars` (JUnit and the development
//! jars), `target/dist` (what ships). Knows nothing of how Tracewright works: it calls cargo and the built program.

mod dist;
mod effectiveness;
mod fuzz;
mod guards;
mod identical;
mod plugins;
mod queries;
mod run;
mod selection;
mod sessions;
mod setup;

use anyhow::{Context, Result};
use clap::{Parser, Subcommand};
use std::process::ExitCode;

#[derive(Parser)]
#[command(name = "cargo xtask", about = "Builds, tests and shows Tracewright")]
struct Arguments {
    #[command(subcommand)]
    task: Task,
}

#[derive(Subcommand)]
enum Task {
    /// Sets everything up, generates tests for commons-lang3's Fraction and shows them.
    Demo,
    /// Sets everything up and runs every test of the project.
    Test {
        /// Handed to `cargo test`, for instance `-p tracewright-classfile`.
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        arguments: Vec<String>,
    },
    /// Lays out `target/dist`, self-contained, with a Maven repository of plugins and natives in `maven`.
    Dist {
        /// Where the sources lie, for the POMs; without it what `Cargo.toml` says as `repository`, else an address that is reserved for never existing.
        #[arg(long, value_name = "ADDRESS")]
        repository: Option<String>,
    },
    /// Runs one benchmark by name: `effectiveness`, `fuzz`, `guards`, `identical`, `queries` (makes the sample of `solve`), `record`, `selection`, or a criterion benchmark of any package; `list` names them, `all` runs those of criterion.
    Bench {
        name: String,
        /// Handed to the benchmark.
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        arguments: Vec<String>,
    },
    /// Only the set-up: libz3 and the jars.
    Setup,
    /// What the tests of the build plugins need: `target/plugins/maven` with natives of the debug build, and a Gradle in `target/gradle`.
    Plugins,
}

fn main() -> ExitCode {
    match run(Arguments::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        // One sentence, whatever the environment says about backtraces.
        Err(error) => {
            eprintln!("xtask: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: Arguments) -> Result<()> {
    let root = run::project_root();
    std::env::set_current_dir(&root).with_context(|| format!("cannot enter {}", root.display()))?;
    match arguments.task {
        Task::Setup => setup::everything(&root).map(drop),
        Task::Plugins => run::plugins(&root, &setup::everything(&root)?).map(drop),
        Task::Dist { repository } => dist::dist(&root, repository.as_deref()),
        Task::Demo => dist::demo(&root),
        Task::Test { arguments } => run::test(&root, &arguments),
        Task::Bench { name, arguments } => run::bench(&root, &name, &arguments),
    }
}
