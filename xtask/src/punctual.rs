//! `cargo xtask bench punctual`: whether generations end in time and lose nothing on a busy machine.
//!
//! In: a built program, the classes of the development jars, the number of busy processes. Out: one
//! line for each generation, and an error if one was late or lost its tests. Rows go to
//! `target/bench/punctual.json`; the files of a generation stay in `target/bench/punctual`.

use crate::benchmarks::{self, parse_options, write_rows};
use crate::effectiveness::subjects;
use crate::run::{cargo, check};
use crate::setup;
use anyhow::{Context, Result, bail};
use clap::Parser;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde::Serialize;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Mutex;
use std::sync::PoisonError;
use std::time::Instant;

/// Classes of the development jars: small and large, with collaborators and without.
const CLASSES: [&str; 16] = [
    "com.google.re2j.Pattern",
    "org.apache.commons.text.StringSubstitutor",
    "org.apache.commons.cli.HelpFormatter",
    "org.apache.commons.codec.binary.Base32",
    "org.apache.commons.codec.language.Metaphone",
    "org.apache.commons.collections4.bidimap.TreeBidiMap",
    "org.apache.commons.collections4.map.LRUMap",
    "org.apache.commons.lang3.Range",
    "org.apache.commons.lang3.StringUtils",
    "org.apache.commons.lang3.math.Fraction",
    "org.apache.commons.lang3.time.DurationFormatUtils",
    "org.apache.commons.text.StrBuilder",
    "org.apache.commons.text.WordUtils",
    "org.apache.commons.validator.routines.DomainValidator",
    "org.jdom2.Element",
    "org.json.JSONObject",
];
/// A generation may end so many seconds after its budget.
const TOLERANCE: f64 = 1.0;

/// Command-line options of the benchmark.
#[derive(Parser, Debug)]
#[command(name = "cargo xtask bench punctual", about = "Whether generations end in time and lose nothing on a busy machine")]
struct PunctualOptions {
    /// The executable, with its `lib` beside it as in target/dist [default: the release build].
    #[arg(long, value_name = "FILE")]
    program: Option<PathBuf>,
    /// Number of generations.
    #[arg(long, value_name = "N", default_value_t = 300)]
    runs: usize,
    /// Processes that use a core each, all the time.
    #[arg(long, value_name = "N", default_value_t = 8)]
    busy: usize,
    /// Generations that run at a time.
    #[arg(long, value_name = "N", default_value_t = 2)]
    parallel: usize,
    /// Budgets in seconds, separated by commas. Each generation has one of them.
    #[arg(long, value_name = "SECONDS", value_delimiter = ',', default_values_t = [5, 10, 20, 30])]
    budgets: Vec<u32>,
    /// Binary names of classes of the development jars, separated by commas.
    #[arg(long, value_name = "NAMES", value_delimiter = ',', default_values_t = CLASSES.map(str::to_owned))]
    classes: Vec<String>,
    /// Seed of the choice of classes and budgets, and of the generations.
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
}

/// One generation before it runs.
#[derive(Debug, PartialEq, Eq)]
struct PlannedGeneration {
    /// Place among the classes.
    class: usize,
    budget: u32,
}

/// One generation.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
struct GenerationRow {
    class: String,
    budget: u32,
    seconds: f64,
    tests: u64,
    /// Lines and branches that the search covered, and that the written tests cover.
    searched: u64,
    written: u64,
    /// Why there is no test.
    reason: String,
    /// Tests that were dropped, by the key in `discarded`.
    dropped: BTreeMap<String, u64>,
}

impl GenerationRow {
    fn is_late(&self) -> bool {
        self.seconds > f64::from(self.budget) + TOLERANCE
    }

    /// The search had covered something, and no test was written.
    fn is_lost(&self) -> bool {
        self.tests == 0 && self.searched > 0
    }

    fn line(&self) -> String {
        let over = self.seconds - f64::from(self.budget);
        let dropped: Vec<String> = self.dropped.iter().map(|(what, count)| format!("{what} {count}")).collect();
        let mark = match (self.is_late(), self.is_lost()) {
            (true, _) => " LATE",
            (false, true) => " LOST",
            (false, false) => "",
        };
        format!(
            "{:4} s {over:+6.2} s  {:4} tests  {:4} of {:4} goals  {}{mark}  {} {}",
            self.budget,
            self.tests,
            self.written,
            self.searched,
            self.class,
            dropped.join(", "),
            self.reason
        )
    }
}

/// Processes that use a core each; dropping it ends them.
struct BusyProcesses(Vec<Child>);

impl BusyProcesses {
    fn start(count: usize) -> Result<BusyProcesses> {
        let mut busy = BusyProcesses(Vec::new());
        for _ in 0..count {
            let child = Command::new("sh").args(["-c", "while :; do :; done"]).stdin(Stdio::null()).spawn();
            busy.0.push(child.context("cannot start a busy process")?);
        }
        Ok(busy)
    }
}

impl Drop for BusyProcesses {
    fn drop(&mut self) {
        for child in &mut self.0 {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

/// Runs the benchmark.
///
/// # Errors
/// A wrong option, a program that fails, a generation that is late or loses its tests.
pub(crate) fn run(root: &Path, arguments: &[String]) -> Result<()> {
    let Some(options) = parse_options::<PunctualOptions>("punctual", arguments)? else { return Ok(()) };
    if options.classes.is_empty() || options.budgets.is_empty() {
        bail!("bench punctual: it needs classes and budgets");
    }
    let ready = setup::everything(root)?;
    let program = match &options.program {
        Some(program) => program.clone(),
        None => {
            check(cargo().args(["build", "--release", "--workspace"]))?;
            setup::place_junit(&root.join("target/release"), &ready)?;
            root.join("target/release/tracewright")
        }
    };
    let classpaths = subjects::classpaths(root, &ready.development_jars, &options.classes)?;
    let planned = plan(&options);
    let waiting = Mutex::new(planned.iter().enumerate());
    let rows: Mutex<Vec<GenerationRow>> = Mutex::default();
    let folder = root.join("target/bench/punctual");
    let busy = BusyProcesses::start(options.busy)?;
    std::thread::scope(|scope| {
        let work = || -> Result<()> {
            loop {
                let next = waiting.lock().unwrap_or_else(PoisonError::into_inner).next();
                let Some((number, planned)) = next else { return Ok(()) };
                let class = &options.classes[planned.class];
                let out = folder.join(number.to_string());
                let seed = options.seed + number as u64;
                let row = generate(&program, class, &classpaths[planned.class], planned.budget, seed, &out)?;
                println!("{number:4}  {}", row.line());
                rows.lock().unwrap_or_else(PoisonError::into_inner).push(row);
            }
        };
        let threads: Vec<_> = (0..options.parallel.max(1)).map(|_| scope.spawn(work)).collect();
        threads.into_iter().try_for_each(|thread| thread.join().unwrap_or_else(|_| bail!("bench punctual: a thread panicked")))
    })?;
    drop(busy);
    let rows = rows.into_inner().unwrap_or_else(PoisonError::into_inner);
    write_rows(root, "punctual", options.seed, &rows)?;
    let (text, is_good) = summary(&rows);
    println!("{text}");
    if is_good { Ok(()) } else { bail!("bench punctual: {text}") }
}

/// Classes and budgets in the order of the generations.
fn plan(options: &PunctualOptions) -> Vec<PlannedGeneration> {
    let mut random = ChaCha8Rng::seed_from_u64(options.seed);
    let mut draw = |count: usize| random.random_range(0..count);
    let planned = (0..options.runs)
        .map(|_| PlannedGeneration { class: draw(options.classes.len()), budget: options.budgets[draw(options.budgets.len())] });
    planned.collect()
}

/// Runs one generation.
fn generate(program: &Path, class: &str, classpath: &str, budget: u32, seed: u64, out: &Path) -> Result<GenerationRow> {
    let limits = ["--budget".to_owned(), format!("{budget}s"), "--seed".to_owned(), seed.to_string()];
    let begin = Instant::now();
    benchmarks::generate("punctual", program, class, classpath, &limits, out)?;
    let seconds = begin.elapsed().as_secs_f64();
    let text = fs::read_to_string(out.join("report/report.json")).context("the generation wrote no report")?;
    let report: Value = serde_json::from_str(&text)?;
    Ok(GenerationRow { class: class.to_owned(), budget, seconds, ..row_of(&report["classes"][0]) })
}

/// The figures of a class report.
fn row_of(class: &Value) -> GenerationRow {
    let count = |value: &Value| value.as_u64().unwrap_or(0);
    let covered = |goals: &Value| count(&goals["line"]["covered"]) + count(&goals["branch"]["covered"]);
    let sum = |value: &Value| match value {
        Value::Object(counts) => counts.values().map(count).sum(),
        other => count(other),
    };
    let discarded = class["discarded"].as_object().into_iter().flatten();
    GenerationRow {
        tests: count(&class["tests"]),
        searched: covered(&class["searched"]),
        written: covered(&class["goals"]),
        reason: class["reason"].as_str().unwrap_or_default().to_owned(),
        dropped: discarded.map(|(what, value)| (what.clone(), sum(value))).filter(|(_, count)| *count > 0).collect(),
        ..GenerationRow::default()
    }
}

/// The counts at the end, and whether no generation was late or lost its tests.
fn summary(rows: &[GenerationRow]) -> (String, bool) {
    let late = rows.iter().filter(|row| row.is_late()).count();
    let lost = rows.iter().filter(|row| row.is_lost()).count();
    let worst = rows.iter().map(|row| row.seconds - f64::from(row.budget)).fold(f64::NEG_INFINITY, f64::max);
    let searched: u64 = rows.iter().map(|row| row.searched).sum();
    let kept: u64 = rows.iter().map(|row| row.written.min(row.searched)).sum();
    let share = if searched == 0 { 1.0 } else { kept as f64 / searched as f64 };
    let text = format!(
        "{} generations: {late} later than the budget + {TOLERANCE} s (worst {worst:+.2} s), {lost} without the tests of the search, \
         {share:.3} of the covered goals written",
        rows.len()
    );
    (text, late == 0 && lost == 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(seconds: f64, tests: u64, searched: u64, written: u64) -> GenerationRow {
        GenerationRow { class: "p.A".into(), budget: 5, seconds, tests, searched, written, ..GenerationRow::default() }
    }

    #[test]
    fn late_and_lost_generations_are_counted() {
        let (text, is_good) = summary(&[row(5.9, 3, 10, 12), row(4.0, 0, 0, 0)]);
        assert!(is_good && text.contains(" 0 later ") && text.contains("1.000 of the covered"), "{text}");
        let (text, is_good) = summary(&[row(6.1, 3, 10, 5), row(5.0, 0, 10, 0)]);
        assert!(!is_good && text.contains(" 1 later ") && text.contains(" 1 without ") && text.contains("0.250 of"), "{text}");
    }

    #[test]
    fn figures_come_from_the_report() {
        let class = serde_json::json!({
            "tests": 4, "goals": {"line": {"covered": 5, "total": 9}, "branch": {"covered": 2, "total": 4}},
            "searched": {"line": {"covered": 6, "total": 9}, "branch": {"covered": 2, "total": 4}},
            "discarded": {"uncompilable": 1, "failing": 0, "unverified": {"late": 2, "later": 1}}
        });
        let found = row_of(&class);
        assert_eq!((found.tests, found.searched, found.written), (4, 8, 7));
        assert_eq!(found.dropped, BTreeMap::from([("uncompilable".to_owned(), 1), ("unverified".to_owned(), 3)]));
    }

    #[test]
    fn the_same_seed_plans_the_same_generations() {
        let options = PunctualOptions::try_parse_from(["punctual", "--runs", "40"]).expect("well-formed");
        let planned = plan(&options);
        assert_eq!(planned, plan(&options));
        assert!(planned.iter().any(|one| one.budget == 5) && planned.iter().any(|one| one.budget == 30));
    }
}
