//! `cargo xtask bench selection`: feasible paths and branches by attempts, for each order of
//! alternatives.
//!
//! In: options, the built program, classes. Out: a table on standard output,
//! `target/bench/selection.json`, and curves over attempts in `selection.svg` (feasible paths) and
//! `selection-branches.svg`. The program runs with `--steps` and symbolic execution alone, and logs
//! each attempt (`--attempts`): no figure depends on a clock. A class with a start test case begins
//! with only that one, so that all its paths are in one tree.

use crate::benchmarks::{parse_options, write_rows};
use crate::effectiveness::svg::{Chart, Line, svg};
use crate::effectiveness::{self, subjects};
use crate::setup;
use anyhow::{Context, Result, bail};
use clap::Parser;
use rand::{RngExt as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;
use serde::Serialize;
use std::collections::BTreeSet;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The sample of tardis (Listing 1), further samples, and development classes with many paths.
const CLASSES: [&str; 8] = [
    "samples.SampleClass",
    "samples.Triangle",
    "samples.BinSearchTree",
    "org.apache.commons.lang3.math.Fraction",
    "org.apache.commons.lang3.math.NumberUtils",
    "org.apache.commons.codec.language.DoubleMetaphone",
    "org.apache.commons.cli.DefaultParser",
    "org.json.JSONTokener",
];
/// Start test cases by class.
const STARTS: [(&str, &str); 1] = [("samples.SampleClass", include_str!("sample-class.txt"))];
/// Orders of `generate --order`.
const ORDERS: [&str; 6] = ["fifo", "depth-first", "coverage-first", "knn", "knn-indices", "guided"];
/// Suffix of an order that begins with training from the class before it in the list, or from the
/// same class if it is the only one. The training run uses another seed.
const TRAINED: &str = "-trained";
/// The order that the others are compared with.
const FIRST: &str = "fifo";
/// Numbers of attempts with a column in the table.
const MARKS: [usize; 5] = [10, 25, 50, 100, 200];
/// Steps for each attempt: a query and seldom more than two runs. The other steps go to random
/// tests.
const STEPS: usize = 8;

/// Command-line options of the benchmark.
#[derive(Parser, Debug)]
#[command(
    name = "cargo xtask bench selection",
    about = "Feasible paths and branches by attempts, for each order of alternatives"
)]
struct SelectionOptions {
    /// Binary names of classes of the development jars (xtask/src/setup.rs) or of samples/,
    /// separated by commas.
    #[arg(long, value_name = "NAMES", value_delimiter = ',', default_values_t = CLASSES.map(str::to_owned))]
    classes: Vec<String>,
    /// Orders, separated by commas: fifo, depth-first, coverage-first, knn, knn-indices, guided.
    /// With the suffix `-trained`, an order begins with training from the class before it in the
    /// list.
    #[arg(long, value_name = "NAMES", value_delimiter = ',', default_values_t = ORDERS.map(str::to_owned))]
    orders: Vec<String>,
    /// Runs of each class by each order, with the seeds 1, 2, ...
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u64).range(1..=1000))]
    seeds: u64,
    /// Greatest number of attempts of a run.
    #[arg(long, value_name = "N", default_value_t = 200)]
    attempts: usize,
    /// The executable to measure, laid out as in target/dist [default: one built now, in release].
    #[arg(long, value_name = "FILE")]
    program: Option<PathBuf>,
}

/// The result of one run.
#[derive(Clone, Debug, Serialize)]
struct SelectionRow {
    /// Binary name of the class.
    subject: String,
    /// Name of the order.
    strategy: String,
    /// Seed of the run.
    seed: u64,
    /// Number of attempts.
    attempts: usize,
    /// Distinct paths of feasible attempts that call the method under test.
    feasible: usize,
    /// Branch outcomes covered at the end.
    branches: u64,
    /// Branch outcomes of the class.
    branches_total: u64,
    /// Feasible paths and covered branch outcomes after each attempt.
    #[serde(skip)]
    curve: Vec<(usize, u64)>,
}

impl SelectionRow {
    /// Feasible paths and covered branch outcomes after this number of attempts, or at the end.
    fn at(&self, attempts: usize) -> (usize, u64) {
        match attempts.min(self.curve.len()) {
            0 => (0, 0),
            last => self.curve[last - 1],
        }
    }
}

/// Runs the benchmark.
///
/// # Errors
/// A wrong option, a class that is in no jar, a failed build, or a failed run.
pub(crate) fn run(root: &Path, arguments: &[String]) -> Result<()> {
    let Some(options) = parse_options::<SelectionOptions>("selection", arguments)? else { return Ok(()) };
    if let Some(unknown) = options.orders.iter().find(|order| !ORDERS.contains(&without_suffix(order))) {
        bail!("bench selection: there is no order {unknown}: the orders are {}", ORDERS.join(", "));
    }
    let ready = setup::everything(root)?;
    let folder = root.join("target/bench");
    fs::create_dir_all(&folder)?;
    let classpaths = subjects::classpaths(root, &ready.development_jars, &options.classes)?;
    let program = effectiveness::program(root, &ready, options.program.as_deref())?;
    let mut rows = Vec::new();
    let subjects: Vec<Subject> =
        options.classes.iter().zip(&classpaths).map(|(class, classpath)| Subject { class, classpath }).collect();
    for (at, subject) in subjects.iter().enumerate() {
        let class = subject.class;
        for order in &options.orders {
            for seed in 1..=options.seeds {
                let teacher = (without_suffix(order) != order).then(|| &subjects[(at + subjects.len() - 1) % subjects.len()]);
                rows.push(measure(&program, &folder, subject, teacher, order, seed, options.attempts)?);
            }
        }
        println!("{}", table(&rows, class, &options));
        write_rows(root, "selection", 1, &rows)?;
        write_charts(&folder, &rows, &options)?;
    }
    println!("written: target/bench/selection.json, selection.svg, selection-branches.svg");
    Ok(())
}

/// The order without [`TRAINED`].
fn without_suffix(order: &str) -> &str {
    order.strip_suffix(TRAINED).unwrap_or(order)
}

/// A class to generate tests for.
struct Subject<'a> {
    /// Binary name.
    class: &'a str,
    /// Its class path.
    classpath: &'a str,
}

/// Generates tests for a class and reads the log of attempts. `teacher` is the class of the
/// training run.
fn measure(
    program: &Path,
    work: &Path,
    subject: &Subject<'_>,
    teacher: Option<&Subject<'_>>,
    order: &str,
    seed: u64,
    attempts: usize,
) -> Result<SelectionRow> {
    // An empty folder: no settings file and no earlier test is found there.
    let folder = work.join("run");
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder)?;
    if let Some(teacher) = teacher {
        fs::create_dir(folder.join("session"))?;
        // The training run uses another seed than the measured run. Trees are no training and are
        // removed.
        generate(program, &folder, teacher, (without_suffix(order), true), seed + 1_000, attempts)?;
        let _ = fs::remove_file(folder.join("attempts"));
        let _ = fs::remove_dir_all(folder.join("session/trees"));
    }
    let total = generate(program, &folder, subject, (without_suffix(order), teacher.is_some()), seed, attempts)?;
    let text = fs::read_to_string(folder.join("attempts")).unwrap_or_default();
    Ok(read_attempts(&text, (subject.class, order, seed), attempts, total))
}

/// Runs one generation. Returns the number of branch outcomes of the class.
fn generate(
    program: &Path,
    folder: &Path,
    Subject { class, classpath }: &Subject<'_>,
    (order, uses_session): (&str, bool),
    seed: u64,
    attempts: usize,
) -> Result<u64> {
    let mut command = Command::new(program);
    command.arg("generate");
    if let Some((_, start)) = STARTS.iter().find(|(of, _)| of == class) {
        fs::write(folder.join("start"), draw_numbers(start, seed))?;
        command.args(["--start", "start"]);
    }
    if uses_session {
        command.args(["--session", "session"]);
    }
    let status = command
        .args(["--progress", "none", "--classpath", classpath, "--class", class, "--strategy", "dse"])
        .args(["--order", order, "--seed", &seed.to_string(), "--steps", &(attempts * STEPS).to_string()])
        .args(["--attempts", "attempts", "--out", "tests", "--report", "report"])
        .current_dir(folder)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .with_context(|| format!("cannot start {}", program.display()))?;
    if !status.success() {
        bail!("bench selection: {class} with {order} ended with {status}");
    }
    let report: serde_json::Value = serde_json::from_str(&fs::read_to_string(folder.join("report/report.json"))?)?;
    Ok(report["classes"][0]["goals"]["branch"]["total"].as_u64().unwrap_or(0))
}

/// The start test case with a uniform `int` for each `?` and a uniform non-negative one for each
/// `#`.
fn draw_numbers(start: &str, seed: u64) -> String {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    start.chars().fold(String::new(), |text, character| match character {
        '?' => format!("{text}{}", rng.random::<i32>()),
        '#' => format!("{text}{}", rng.random_range(0..=i32::MAX)),
        other => format!("{text}{other}"),
    })
}

/// Reads lines of `--attempts`: the result, the signature of the path (with `!` if the method under
/// test was not called), the number of open branch outcomes, the alternative.
fn read_attempts(text: &str, (class, order, seed): (&str, &str, u64), most: usize, total: u64) -> SelectionRow {
    let mut feasible = BTreeSet::new();
    let mut covered = 0;
    let mut curve = Vec::new();
    for line in text.lines().take(most) {
        let mut words = line.split(' ');
        let (result, path, open) = (words.next(), words.next().unwrap_or("-"), words.next());
        if result == Some("feasible") && !path.ends_with('!') {
            feasible.insert(path);
        }
        let open: u64 = open.and_then(|open| open.parse().ok()).unwrap_or(total);
        covered = covered.max(total.saturating_sub(open));
        curve.push((feasible.len(), covered));
    }
    SelectionRow {
        subject: class.to_owned(),
        strategy: order.to_owned(),
        seed,
        attempts: curve.len(),
        feasible: feasible.len(),
        branches: covered,
        branches_total: total,
        curve,
    }
}

/// The mean; 0 of no values.
fn mean(values: impl ExactSizeIterator<Item = f64>) -> f64 {
    let count = values.len().max(1) as f64;
    values.sum::<f64>() / count
}

/// Feasible paths with their least and greatest number over all seeds, and branches, by attempts.
/// Both are means.
fn table(rows: &[SelectionRow], class: &str, options: &SelectionOptions) -> String {
    let mut text = format!("{class}\n{:16}", "");
    let marks: Vec<usize> = MARKS.into_iter().filter(|mark| *mark <= options.attempts).collect();
    for mark in &marks {
        let _ = write!(text, "{mark:>22}");
    }
    text.push('\n');
    for order in &options.orders {
        let own: Vec<&SelectionRow> = rows.iter().filter(|row| row.subject == class && row.strategy == *order).collect();
        let _ = write!(text, "{order:16}");
        for &mark in &marks {
            let feasible: Vec<usize> = own.iter().map(|row| row.at(mark).0).collect();
            let (least, most) = (feasible.iter().min().copied().unwrap_or(0), feasible.iter().max().copied().unwrap_or(0));
            let branches = mean(own.iter().map(|row| row.at(mark).1 as f64));
            let mean = mean(feasible.iter().map(|count| *count as f64));
            let _ = write!(text, "{:>22}", format!("{mean:.1} ({least}-{most}) {branches:.1}"));
        }
        if let Some((own, first)) = attempts_to_equal_first(rows, class, order).zip(attempts_to_equal_first(rows, class, FIRST)) {
            let _ = write!(text, "   as many branches as {FIRST} after {own} attempts; {FIRST} needs {first}");
        }
        text.push('\n');
    }
    text
}

/// The number of attempts after which an order covers as many branches as [`FIRST`] does at the
/// end, in the mean over seeds; `None` if it never does.
fn attempts_to_equal_first(rows: &[SelectionRow], class: &str, order: &str) -> Option<usize> {
    let runs =
        |order: &str| -> Vec<&SelectionRow> { rows.iter().filter(|row| row.subject == class && row.strategy == order).collect() };
    let (own, first) = (runs(order), runs(FIRST));
    let branches = |runs: &[&SelectionRow], attempts: usize| mean(runs.iter().map(|row| row.at(attempts).1 as f64));
    let at_last = branches(&first, usize::MAX);
    let most = own.iter().map(|row| row.attempts).max()?;
    (!first.is_empty()).then_some(())?;
    (0..=most).find(|attempts| branches(&own, *attempts) >= at_last)
}

/// Draws the mean curves of all orders, once of feasible paths and once of branches.
fn write_charts(folder: &Path, rows: &[SelectionRow], options: &SelectionOptions) -> Result<()> {
    for (file, title, value) in [
        ("selection.svg", "Feasible paths, as a share of the most", (|(feasible, _)| feasible as f64) as fn((usize, u64)) -> f64),
        ("selection-branches.svg", "Branches covered, as a share of the most", |(_, branches)| branches as f64),
    ] {
        // All classes have the same weight, whatever their number of paths.
        let most = |subject: &str| {
            let own = rows.iter().filter(|row| row.subject == subject);
            own.map(|row| value(row.at(options.attempts))).fold(1.0, f64::max)
        };
        let lines = options.orders.iter().map(|order| {
            let own: Vec<(&SelectionRow, f64)> =
                rows.iter().filter(|row| row.strategy == *order).map(|row| (row, most(&row.subject))).collect();
            let point = |attempts: usize| mean(own.iter().map(|(row, most)| value(row.at(attempts)) / most));
            Line {
                name: order.clone(),
                points: (0..=options.attempts).map(|attempts| (attempts as f64, point(attempts))).collect(),
            }
        });
        let chart = Chart {
            title: format!("{title}: mean of {} seeds", options.seeds),
            end: options.attempts as f64,
            axis: "attempts".into(),
            lines: lines.collect(),
        };
        fs::write(folder.join(file), svg(&chart))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn feasible_attempts_with_distinct_paths_are_counted() {
        let text = "feasible 0a 7 T.m()V @1 =0\ninfeasible - 7 T.m()V @1 =1\nfeasible 0b! 5 T.m()V @2 =1\nfeasible 0a 5 T.m()V @3 =1\nmissed - 5 T.m()V @3 =0\n";
        let row = read_attempts(text, ("T", "fifo", 1), 4, 10);
        assert_eq!(
            (row.attempts, row.feasible, row.branches),
            (4, 1, 5),
            "one path twice, and one without a call of the method under test"
        );
        assert_eq!((row.at(0), row.at(2), row.at(99)), ((0, 0), (1, 3), (1, 5)));
    }

    #[test]
    fn an_order_needs_attempts_to_cover_as_many_branches_as_the_first() {
        let runs = |strategy: &str, curve: &[u64]| SelectionRow {
            subject: "T".into(),
            strategy: strategy.into(),
            seed: 1,
            attempts: curve.len(),
            feasible: 0,
            branches: 0,
            branches_total: 9,
            curve: curve.iter().map(|branches| (0, *branches)).collect(),
        };
        let rows = [runs("fifo", &[1, 2, 2, 4, 4]), runs("knn", &[2, 5]), runs("guided", &[1, 3])];
        assert_eq!(attempts_to_equal_first(&rows, "T", "fifo"), Some(4));
        assert_eq!(attempts_to_equal_first(&rows, "T", "knn"), Some(2));
        assert_eq!(attempts_to_equal_first(&rows, "T", "guided"), None);
    }

    #[test]
    fn a_start_test_case_has_other_numbers_for_each_seed() {
        let start = "v0: I = int ?\nv1: I = int #\n";
        assert_eq!(draw_numbers(start, 1), draw_numbers(start, 1));
        assert_ne!(draw_numbers(start, 1), draw_numbers(start, 2));
        assert!(!draw_numbers(start, 1).contains(['?', '#']) && draw_numbers("v0", 1) == "v0");
    }
}
