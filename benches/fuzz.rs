//! Fuzzes every reader: `cargo xtask bench fuzz [--inputs N] [--seed S] [--reader NAME] [--input
//! N]`.
//!
//! This program is parent and child. The child reads one stretch of inputs with limited memory, and
//! the parent watches it. Exit status 1: a reader has a defect.

#[path = "../tests/readers/subjects.rs"]
mod subjects;

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use clap::Parser;
use tracewright_test_support::fuzz::campaign::{Campaign, Stretch, run, run_child};
use tracewright_test_support::fuzz::{Read, Subject, check, input};

#[derive(Parser)]
#[command(name = "cargo xtask bench fuzz", about = "Reads mutated and random bytes with every reader of Tracewright")]
struct Options {
    /// Inputs of all readers together.
    #[arg(long, value_name = "N", default_value_t = 10_000_000)]
    inputs: u64,
    /// Seed of all inputs.
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Only this reader.
    #[arg(long, value_name = "NAME")]
    reader: Option<String>,
    /// Only this input; it is written to target/fuzz.
    #[arg(long, value_name = "N", requires = "reader")]
    input: Option<u64>,
    /// Only the bytes of this file.
    #[arg(long, value_name = "FILE", requires = "reader")]
    file: Option<PathBuf>,
    /// Processes at a time.
    #[arg(long, value_name = "N", default_value_t = 1)]
    jobs: usize,
    /// Of a child: the first input, the input behind the last, and the file for the progress.
    #[arg(long, hide = true, num_args = 3, value_names = ["FROM", "TO", "FILE"])]
    child: Option<Vec<String>>,
    /// Passed by cargo.
    #[arg(long, hide = true)]
    bench: bool,
}

fn main() -> ExitCode {
    match start(&Options::parse()) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("fuzz: {error}");
            ExitCode::FAILURE
        }
    }
}

fn start(options: &Options) -> Result<bool, Box<dyn std::error::Error>> {
    let mut subjects = subjects::subjects();
    if let Some(reader) = &options.reader {
        let names: Vec<&str> = subjects.iter().map(|subject| subject.name).collect();
        if !names.contains(&reader.as_str()) {
            return Err(format!("there is no reader {reader}: the names are {}", names.join(", ")).into());
        }
        subjects.retain(|subject| subject.name == reader.as_str());
    }
    if let Some(child) = &options.child {
        let reader = subjects[0].name.to_owned();
        let stretch = Stretch { reader, seed: options.seed, from: child[0].parse()?, to: child[1].parse()? };
        run_child(&subjects, &stretch, Path::new(&child[2]))?;
        return Ok(true);
    }
    if let Some(file) = &options.file {
        return Ok(read_one(subjects[0].read, &std::fs::read(file)?));
    }
    if let Some(number) = options.input {
        return repeat(&subjects[0], options.seed, number);
    }
    let program = std::env::current_exe()?;
    let child = |stretch: &Stretch, progress: &Path| {
        let mut command = Command::new(&program);
        command.args(["--reader", &stretch.reader, "--seed", &stretch.seed.to_string(), "--child"]);
        command.args([stretch.from.to_string(), stretch.to.to_string()]).arg(progress);
        command
    };
    let (seed, inputs, jobs) = (options.seed, options.inputs, options.jobs);
    let command = "cargo xtask bench fuzz".into();
    Ok(run(&subjects, &Campaign { seed, inputs, jobs, command }, &child)?)
}

/// Writes one input to a file and reads it in this process.
fn repeat(subject: &Subject, seed: u64, number: u64) -> Result<bool, Box<dyn std::error::Error>> {
    let bytes = input(subject, seed, number);
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("target/fuzz").join(format!("{}-{seed}-{number}", subject.name));
    std::fs::create_dir_all(file.parent().expect("a folder"))?;
    std::fs::write(&file, &bytes)?;
    println!("{}, {} bytes:\n{}", file.display(), bytes.len(), bytes.escape_ascii());
    Ok(read_one(subject.read, &bytes))
}

/// Reads in this process, where a panic shows its place.
fn read_one(read: Read, bytes: &[u8]) -> bool {
    let verdict = check(read, bytes);
    println!("{verdict:?}");
    !matches!(verdict, tracewright_test_support::fuzz::Verdict::Failed(_))
}
