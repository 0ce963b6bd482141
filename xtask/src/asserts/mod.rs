//! `cargo xtask bench asserts`: programs of `samples/asserts` whose assertions fail, and those whose
//! assertions hold, as the faults in `report.json` tell them apart.
//!
//! In: options, the built program, the samples. Out: a table on standard output and
//! `target/bench/asserts.json`. Runs are sequential, so that they do not share cores.

mod figures;

use crate::benchmarks::{generate, parse_options, write_rows};
use crate::effectiveness;
use crate::guards::home_of_compiler;
use crate::run::check;
use crate::setup;
use anyhow::{Context, Result, bail};
use clap::Parser;
use figures::{AssertsRow, SampleVerdict, table};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

/// Command-line options of the benchmark.
#[derive(Parser, Debug)]
#[command(name = "cargo xtask bench asserts", about = "Programs of samples/asserts whose assertions fail, and false alarms")]
struct AssertsOptions {
    /// Simple names of programs, separated by commas [default: all].
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    classes: Vec<String>,
    /// Strategy of `generate`.
    #[arg(long, value_name = "NAME", default_value = "hybrid")]
    strategy: String,
    /// Budget of each program in seconds.
    #[arg(long, value_name = "SECONDS", default_value_t = 10, value_parser = clap::value_parser!(u64).range(2..=3600))]
    budget: u64,
    /// Seed of all runs.
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// The executable to measure, laid out as in target/dist [default: one built now, in release].
    #[arg(long, value_name = "FILE")]
    program: Option<PathBuf>,
}

/// A program and what its second line says of it.
struct Sample {
    name: String,
    verdict: SampleVerdict,
}

/// Runs the benchmark.
///
/// # Errors
/// A wrong option, a failed build, a sample without a verdict, or a run that fails.
pub(crate) fn run(root: &Path, arguments: &[String]) -> Result<()> {
    let Some(options) = parse_options::<AssertsOptions>("asserts", arguments)? else { return Ok(()) };
    let folder = root.join("samples/asserts");
    let all = samples(&folder)?;
    if let Some(name) = options.classes.iter().find(|name| !all.iter().any(|sample| sample.name == **name)) {
        bail!("bench asserts: there is no samples/asserts/{name}.java");
    }
    let ready = setup::everything(root)?;
    let program = effectiveness::program(root, &ready, options.program.as_deref())?;
    let work = root.join("target/bench/asserts");
    let _ = fs::remove_dir_all(&work);
    let classes = work.join("classes");
    fs::create_dir_all(&classes)?;
    let sources = java_files(&folder)?;
    let javac = home_of_compiler()?.join("bin/javac");
    check(Command::new(javac).args(["-g", "-nowarn", "-Xlint:-options", "--release", "17", "-d"]).arg(&classes).args(sources))?;
    let classpath = classes.to_string_lossy();
    let budget = format!("{}s", options.budget);
    let limits = ["--budget", &budget, "--strategy", &options.strategy, "--seed", &options.seed.to_string()];
    let limits = limits.map(str::to_owned);
    let mut rows = Vec::new();
    for sample in all.iter().filter(|sample| options.classes.is_empty() || options.classes.contains(&sample.name)) {
        let start = Instant::now();
        let out = work.join("runs").join(&sample.name);
        generate("asserts", &program, &format!("samples.asserts.{}", sample.name), &classpath, &limits, &out)?;
        let seconds = (start.elapsed().as_secs_f64() * 1000.0).round() / 1000.0;
        let report = fs::read_to_string(out.join("report/report.json"))?;
        let row = AssertsRow::new(&sample.name, sample.verdict, seconds, &report)
            .with_context(|| format!("bench asserts: the report of {} cannot be read", sample.name))?;
        println!("{}", row.line());
        rows.push(row);
    }
    print!("\n{}", table(&rows));
    write_rows(root, "asserts", options.seed, &rows)?;
    println!("written: target/bench/asserts.json");
    Ok(())
}

/// The programs of the folder, by name. A source without a verdict is part of the others.
fn samples(folder: &Path) -> Result<Vec<Sample>> {
    let mut samples = Vec::new();
    for file in java_files(folder)? {
        let name = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let source = fs::read_to_string(&file)?;
        let Some(said) = source.lines().find_map(|line| line.strip_prefix("// Verdict: ")) else { continue };
        let Some(verdict) = SampleVerdict::parse(said) else {
            bail!(
                "bench asserts: samples/asserts/{name}.java: the verdict `{said}` is neither `wrong, INPUT` nor `right, REASON`"
            );
        };
        samples.push(Sample { name, verdict });
    }
    Ok(samples)
}

/// The Java files of a folder, by name.
fn java_files(folder: &Path) -> Result<Vec<PathBuf>> {
    let entries = fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))?;
    let mut files = entries.map(|entry| Ok(entry?.path())).collect::<Result<Vec<PathBuf>>>()?;
    files.retain(|file| file.extension().is_some_and(|end| end == "java"));
    files.sort();
    Ok(files)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::project_root;

    #[test]
    fn half_of_the_samples_are_wrong() {
        let samples = samples(&project_root().join("samples/asserts")).expect("readable");
        let wrong = samples.iter().filter(|sample| sample.verdict == SampleVerdict::Wrong).count();
        assert_eq!((wrong, samples.len()), (30, 60));
    }
}
