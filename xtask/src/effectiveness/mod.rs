//! `cargo xtask bench effectiveness`: coverage over time, by strategy.
//!
//! In: options, the built program, classes. Out: a table on standard output, and
//! `target/bench/effectiveness.json` and `effectiveness.svg`. All figures are those that the
//! program reports: its progress lines and `report.json`. Runs are sequential, so that they do not
//! share cores.

mod figures;
mod measure;
pub(crate) mod subjects;
pub(crate) mod svg;

pub(crate) use figures::Covered;

use crate::benchmarks::{parse_options, write_rows};
use crate::run::{cargo, check};
use crate::setup::{self, Ready};
use anyhow::{Context, Result, anyhow, bail};
use clap::Parser;
use figures::{Run, mean_curve, tables};
use measure::RunOptions;
use std::fs;
use std::path::{Path, PathBuf};

/// Classes of seven libraries without dependencies: arithmetic, parsing, state machines,
/// containers.
const CLASSES: [&str; 8] = [
    "org.apache.commons.lang3.math.Fraction",
    "org.apache.commons.lang3.math.NumberUtils",
    "org.apache.commons.codec.language.DoubleMetaphone",
    "org.apache.commons.cli.DefaultParser",
    "org.apache.commons.collections4.list.TreeList",
    "org.json.JSONTokener",
    "com.google.re2j.RE2",
    "org.jdom2.Attribute",
];
/// Strategies of `generate --strategy`.
const STRATEGIES: [&str; 4] = ["random", "search", "hybrid", "dse"];
/// The first seed; further runs use the numbers that follow it.
const SEED: u64 = 1;
/// Number of intervals of a mean curve.
const STEPS: usize = 100;

/// Command-line options of the benchmark.
#[derive(Parser, Debug)]
#[command(name = "cargo xtask bench effectiveness", about = "Coverage over time, by strategy")]
struct EffectivenessOptions {
    /// Binary names of classes of the development jars (xtask/src/setup.rs) or of samples/,
    /// separated by commas.
    #[arg(long, value_name = "NAMES", value_delimiter = ',', default_values_t = CLASSES.map(str::to_owned))]
    classes: Vec<String>,
    /// Wall-clock time of one run: 10s, 1m.
    #[arg(long, value_name = "TIME", default_value = "10s", value_parser = seconds)]
    budget: u64,
    /// Runs of each class by each strategy, with the seeds 1, 2, ...
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u64).range(1..=1000))]
    seeds: u64,
    /// Names of strategies, separated by commas: random, search, hybrid, dse.
    #[arg(long, value_name = "NAMES", value_delimiter = ',', default_value = "random,search,hybrid", value_parser = strategy)]
    strategies: Vec<String>,
    /// The executable to measure, laid out as in target/dist [default: one built now, in release].
    #[arg(long, value_name = "FILE")]
    program: Option<PathBuf>,
}

/// Parses a time from 2 s to one hour: `30s`, `30` or `1m`. Returns seconds.
fn seconds(text: &str) -> Result<u64, String> {
    let (digits, unit) = text.split_at(text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len()));
    let unit = match unit {
        "" | "s" => 1,
        "m" => 60,
        _ => 0,
    };
    let seconds = digits.parse::<u64>().ok().and_then(|count| count.checked_mul(unit));
    seconds.filter(|seconds| (2..=3600).contains(seconds)).ok_or("write 2s to 3600s, or minutes as 1m".into())
}

/// Checks the name of a strategy.
fn strategy(text: &str) -> Result<String, String> {
    STRATEGIES.contains(&text).then(|| text.to_owned()).ok_or_else(|| format!("the strategies are {}", STRATEGIES.join(", ")))
}

/// Parses and checks the options; `None` if help was asked for and printed.
fn options(arguments: &[String]) -> Result<Option<EffectivenessOptions>> {
    let Some(options) = parse_options::<EffectivenessOptions>("effectiveness", arguments)? else { return Ok(None) };
    for (option, values) in [("--classes", &options.classes), ("--strategies", &options.strategies)] {
        let twice = (1..values.len()).find(|&index| values[..index].contains(&values[index]));
        if let Some(index) = twice {
            bail!("bench effectiveness: {option} names {} twice", values[index]);
        }
        if values.iter().any(String::is_empty) {
            bail!("bench effectiveness: a name in {option} is empty");
        }
    }
    Ok(Some(options))
}

/// Runs the benchmark.
///
/// # Errors
/// A wrong option, a class that is in no jar, a failed build, or a failed run.
pub(crate) fn run(root: &Path, arguments: &[String]) -> Result<()> {
    let Some(options) = options(arguments)? else { return Ok(()) };
    let ready = setup::everything(root)?;
    let folder = root.join("target/bench");
    fs::create_dir_all(&folder)?;
    let classpaths = subjects::classpaths(root, &ready.development_jars, &options.classes)?;
    let program = program(root, &ready, options.program.as_deref())?;
    let count = options.classes.len() as u64 * options.seeds * options.strategies.len() as u64;
    println!("{count} runs of {} s, one after the other", options.budget);
    let mut runs: Vec<Run> = Vec::new();
    for (class, classpath) in options.classes.iter().zip(&classpaths) {
        // The strategies take turns, so that a machine that slows down slows all of them.
        for seed in (SEED..).take(options.seeds as usize) {
            for strategy in &options.strategies {
                let run =
                    RunOptions { program: &program, classpath, class, strategy, seed, budget: options.budget, work: &folder };
                let run = measure::measure(&run)?;
                println!("[{}/{count}] {}", runs.len() + 1, run.line());
                runs.push(run);
            }
        }
        // Results so far are written after each class, in case the benchmark is interrupted.
        let strategy_index = |run: &Run| options.strategies.iter().position(|strategy| *strategy == run.strategy);
        let class_index = |run: &Run| options.classes.iter().position(|class| *class == run.subject);
        runs.sort_by_key(|run| (class_index(run), strategy_index(run), run.seed));
        write_rows(root, "effectiveness", SEED, &runs)?;
        write_chart(&folder.join("effectiveness.svg"), &runs, &options)?;
    }
    println!("\n{}", tables(&runs, &options.classes, &options.strategies).trim_end());
    println!("\nwritten: target/bench/effectiveness.json, target/bench/effectiveness.svg");
    let failed = runs.iter().filter(|run| run.failure.is_some()).count();
    if failed > 0 {
        bail!("{failed} of {count} runs failed; each counts as covering nothing");
    }
    Ok(())
}

/// The program to measure: the given one, or one that is built now.
///
/// # Errors
/// The given file does not exist, or the build fails.
pub(crate) fn program(root: &Path, ready: &Ready, given: Option<&Path>) -> Result<PathBuf> {
    match given {
        Some(program) => program.canonicalize().map_err(|error| anyhow!("no program at {}: {error}", program.display())),
        None => build(root, ready),
    }
}

/// Builds the program in release, with the jars of JUnit beside it.
fn build(root: &Path, ready: &Ready) -> Result<PathBuf> {
    check(cargo().args(["build", "--release", "--package", "tracewright", "--package", "tracewright-agent"]))?;
    let folder = root.join("target/release");
    setup::place_junit(&folder, ready)?;
    Ok(folder.join(format!("tracewright{}", std::env::consts::EXE_SUFFIX)))
}

/// Draws the mean curve of each strategy over all classes and seeds.
fn write_chart(path: &Path, runs: &[Run], options: &EffectivenessOptions) -> Result<()> {
    // A run may end a little after its budget, and the axis has room for that.
    let end = runs.iter().map(|run| run.seconds).fold(options.budget as f64, f64::max);
    let lines = options
        .strategies
        .iter()
        .map(|strategy| {
            let own: Vec<&Run> = runs.iter().filter(|run| run.strategy == *strategy).collect();
            svg::Line { name: strategy.clone(), points: mean_curve(&own, end, STEPS) }
        })
        .collect();
    let classes = runs.iter().map(|run| &run.subject).collect::<std::collections::BTreeSet<_>>().len();
    let chart = svg::Chart {
        title: format!("Branches covered, mean of {classes} classes and {} seeds, {} s", options.seeds, options.budget),
        end,
        axis: "seconds since the start of the program".into(),
        lines,
    };
    fs::write(path, svg::svg(&chart)).with_context(|| format!("cannot write {}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn given(words: &[&str]) -> Result<Option<EffectivenessOptions>> {
        options(&words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>())
    }

    #[test]
    fn defaults_are_eight_classes_three_strategies_three_seeds() {
        let options = given(&[]).expect("no mistake").expect("no help");
        assert_eq!((options.classes.len(), options.budget, options.seeds), (8, 10, 3));
        assert_eq!(options.strategies, ["random", "search", "hybrid"]);
        let options = given(&["--classes", "a.B,samples.C", "--budget", "1m", "--seeds=2", "--strategies", "dse"]);
        let options = options.expect("no mistake").expect("no help");
        assert_eq!((options.classes.join(" "), options.budget, options.seeds), ("a.B samples.C".into(), 60, 2));
    }

    #[test]
    fn a_wrong_option_is_one_sentence() {
        for (words, sentence) in [
            (&["--budget", "ten"][..], "invalid value 'ten' for '--budget <TIME>': write 2s to 3600s, or minutes as 1m"),
            (&["--budget", "1s"], "invalid value '1s' for '--budget <TIME>': write 2s to 3600s, or minutes as 1m"),
            (&["--budget", "2h"], "invalid value '2h' for '--budget <TIME>': write 2s to 3600s, or minutes as 1m"),
            (&["--seeds", "0"], "invalid value '0' for '--seeds <N>': 0 is not in 1..=1000"),
            (
                &["--strategies", "hybrid,magic"],
                "invalid value 'magic' for '--strategies <NAMES>': the strategies are random, search, hybrid, dse",
            ),
            (&["--strategies", "dse,dse"], "--strategies names dse twice"),
            (&["--classes", "a.B,"], "a name in --classes is empty"),
            (&["--colour"], "unexpected argument '--colour' found"),
            (&["more"], "unexpected argument 'more' found"),
        ] {
            let error = given(words).expect_err("a mistake");
            assert_eq!(error.to_string(), format!("bench effectiveness: {sentence}"));
        }
    }
}
