//! `cargo xtask bench selection`: what the orders of alternatives are worth. In: options, the built program, classes; out: a table on standard
//! output, `target/bench/selection.json`, and curves over attempts in `selection.svg` (feasible paths) and `selection-branches.svg`. The program runs with
//! `--steps` and symbolic execution alone, and writes each attempt down (`--attempts`): no figure depends on a clock. Classes with a start here begin
//! with that test case and no other, so that all their paths are those of one tree.

use crate::effectiveness::svg::{Chart, Line, svg};
use crate::effectiveness::{self, subjects};
use crate::run::bench_options;
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

/// The sample of tardis (Listing 1), other samples, and development classes with many paths.
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
/// Test cases that classes begin with.
const STARTS: [(&str, &str); 1] = [("samples.SampleClass", include_str!("sample-class.txt"))];
const ORDERS: [&str; 6] = ["fifo", "depth-first", "coverage-first", "knn", "knn-indices", "guided"];
/// Behind the name of an order: it begins with what attempts of the class before it in the list taught, of itself where it is the only one, in a run with
/// other draws.
const TRAINED: &str = "-trained";
/// The order that the others are compared with.
const FIRST: &str = "fifo";
/// Where the table looks.
const MARKS: [usize; 5] = [10, 25, 50, 100, 200];
/// Steps for each attempt: an attempt is a query and seldom more than two runs; the rest is what tests by chance take.
const STEPS: usize = 8;

#[derive(Parser, Debug)]
#[command(
    name = "cargo xtask bench selection",
    about = "Feasible paths and branches by attempts, for each order of alternatives"
)]
struct Options {
    /// Binary names, by commas: of the development jars (xtask/src/setup.rs) or of samples/.
    #[arg(long, value_name = "NAMES", value_delimiter = ',', default_values_t = CLASSES.map(str::to_owned))]
    classes: Vec<String>,
    /// By commas: fifo, depth-first, coverage-first, knn, knn-indices, guided; with `-trained` behind it, one begins with what the class before it in the list taught, itself where it is the only one.
    #[arg(long, value_name = "NAMES", value_delimiter = ',', default_values_t = ORDERS.map(str::to_owned))]
    orders: Vec<String>,
    /// Runs of each class by each order, with the seeds 1, 2, ...
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u64).range(1..=1000))]
    seeds: u64,
    /// Attempts of a run at most.
    #[arg(long, value_name = "N", default_value_t = 200)]
    attempts: usize,
    /// The executable to measure, its `lib` beside it as in target/dist [default: the one that is built now, in release].
    #[arg(long, value_name = "FILE")]
    program: Option<PathBuf>,
}

/// What stands in the row of one run.
#[derive(Clone, Debug, Serialize)]
struct Row {
    subject: String,
    strategy: String,
    seed: u64,
    attempts: usize,
    /// Different paths that attempts found and that came to the method under test.
    feasible: usize,
    branches: u64,
    branches_total: u64,
    /// After each attempt: feasible paths, and branches covered.
    #[serde(skip)]
    curve: Vec<(usize, u64)>,
}

impl Row {
    fn at(&self, attempts: usize) -> (usize, u64) {
        match attempts.min(self.curve.len()) {
            0 => (0, 0),
            last => self.curve[last - 1],
        }
    }
}

pub(crate) fn run(root: &Path, arguments: &[String]) -> Result<()> {
    let Some(options) = bench_options::<Options>("selection", arguments)? else { return Ok(()) };
    if let Some(unknown) = options.orders.iter().find(|order| !ORDERS.contains(&plain(order))) {
        bail!("bench selection: there is no order {unknown}: give one of {}", ORDERS.join(", "));
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
                let teacher = (plain(order) != order).then(|| &subjects[(at + subjects.len() - 1) % subjects.len()]);
                rows.push(measure(&program, &folder, subject, teacher, order, seed, options.attempts)?);
            }
        }
        println!("{}", table(&rows, class, &options));
        write(&folder, &rows, &options)?;
    }
    println!("written: target/bench/selection.json, selection.svg, selection-branches.svg");
    Ok(())
}

/// Without what tells whether it is trained.
fn plain(order: &str) -> &str {
    order.strip_suffix(TRAINED).unwrap_or(order)
}

struct Subject<'a> {
    class: &'a str,
    classpath: &'a str,
}

fn measure(
    program: &Path,
    work: &Path,
    subject: &Subject<'_>,
    teacher: Option<&Subject<'_>>,
    order: &str,
    seed: u64,
    attempts: usize,
) -> Result<Row> {
    // Of its own, so that no settings file and no earlier test is found.
    let folder = work.join("run");
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder)?;
    if let Some(teacher) = teacher {
        fs::create_dir(folder.join("session"))?;
        // Other draws than those of the run that is measured; and what the trees know of a class is nothing that was taught.
        attempt(program, &folder, teacher, (plain(order), true), seed + 1_000, attempts)?;
        let _ = fs::remove_file(folder.join("attempts"));
        let _ = fs::remove_dir_all(folder.join("session/trees"));
    }
    let total = attempt(program, &folder, subject, (plain(order), teacher.is_some()), seed, attempts)?;
    let text = fs::read_to_string(folder.join("attempts")).unwrap_or_default();
    Ok(row(&text, (subject.class, order, seed), attempts, total))
}

/// One generation; how many branches the class has.
fn attempt(
    program: &Path,
    folder: &Path,
    Subject { class, classpath }: &Subject<'_>,
    (order, learns): (&str, bool),
    seed: u64,
    attempts: usize,
) -> Result<u64> {
    let mut command = Command::new(program);
    command.arg("generate");
    if let Some((_, start)) = STARTS.iter().find(|(of, _)| of == class) {
        fs::write(folder.join("start"), drawn(start, seed))?;
        command.args(["--start", "start"]);
    }
    if learns {
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

/// The start with any `int` for each `?` and any that is not negative for each `#`, drawn evenly.
fn drawn(start: &str, seed: u64) -> String {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    start.chars().fold(String::new(), |text, character| match character {
        '?' => format!("{text}{}", rng.random::<i32>()),
        '#' => format!("{text}{}", rng.random_range(0..=i32::MAX)),
        other => format!("{text}{other}"),
    })
}

/// Lines as `--attempts` writes them: the end, the signature of the path (with `!` where the method under test was not called), open branches, the way out.
fn row(text: &str, (class, order, seed): (&str, &str, u64), most: usize, total: u64) -> Row {
    let mut feasible = BTreeSet::new();
    let mut covered = 0;
    let mut curve = Vec::new();
    for line in text.lines().take(most) {
        let mut words = line.split(' ');
        let (end, path, open) = (words.next(), words.next().unwrap_or("-"), words.next());
        if end == Some("feasible") && !path.ends_with('!') {
            feasible.insert(path);
        }
        let open: u64 = open.and_then(|open| open.parse().ok()).unwrap_or(total);
        covered = covered.max(total.saturating_sub(open));
        curve.push((feasible.len(), covered));
    }
    Row {
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

fn mean(values: impl ExactSizeIterator<Item = f64>) -> f64 {
    let count = values.len().max(1) as f64;
    values.sum::<f64>() / count
}

/// Feasible paths, and branches, after so many attempts: the mean, and the least and the most of all seeds.
fn table(rows: &[Row], class: &str, options: &Options) -> String {
    let mut text = format!("{class}\n{:16}", "");
    let marks: Vec<usize> = MARKS.into_iter().filter(|mark| *mark <= options.attempts).collect();
    for mark in &marks {
        let _ = write!(text, "{mark:>22}");
    }
    text.push('\n');
    for order in &options.orders {
        let own: Vec<&Row> = rows.iter().filter(|row| row.subject == class && row.strategy == *order).collect();
        let _ = write!(text, "{order:16}");
        for &mark in &marks {
            let feasible: Vec<usize> = own.iter().map(|row| row.at(mark).0).collect();
            let (least, most) = (feasible.iter().min().copied().unwrap_or(0), feasible.iter().max().copied().unwrap_or(0));
            let branches = mean(own.iter().map(|row| row.at(mark).1 as f64));
            let mean = mean(feasible.iter().map(|count| *count as f64));
            let _ = write!(text, "{:>22}", format!("{mean:.1} ({least}-{most}) {branches:.1}"));
        }
        if let Some((own, first)) = reached(rows, class, order).zip(reached(rows, class, FIRST)) {
            let _ = write!(text, "   branches of {FIRST} after {own} attempts, {first} of its own");
        }
        text.push('\n');
    }
    text
}

/// The attempts after which the runs of an order have, in the mean, the branches that those of [`FIRST`] have at last; `None` where they never do.
fn reached(rows: &[Row], class: &str, order: &str) -> Option<usize> {
    let runs = |order: &str| -> Vec<&Row> { rows.iter().filter(|row| row.subject == class && row.strategy == order).collect() };
    let (own, first) = (runs(order), runs(FIRST));
    let branches = |runs: &[&Row], attempts: usize| mean(runs.iter().map(|row| row.at(attempts).1 as f64));
    let at_last = branches(&first, usize::MAX);
    let most = own.iter().map(|row| row.attempts).max()?;
    (!first.is_empty()).then_some(())?;
    (0..=most).find(|attempts| branches(&own, *attempts) >= at_last)
}

fn write(folder: &Path, rows: &[Row], options: &Options) -> Result<()> {
    let lines = rows.iter().map(serde_json::to_string).collect::<Result<Vec<_>, _>>()?;
    let json = format!("{{\"bench\": \"selection\", \"seed\": 1, \"rows\": [\n{}\n]}}\n", lines.join(",\n"));
    fs::write(folder.join("selection.json"), json)?;
    for (file, title, value) in [
        ("selection.svg", "Feasible paths, as a share of the most", (|(feasible, _)| feasible as f64) as fn((usize, u64)) -> f64),
        ("selection-branches.svg", "Branches covered, as a share of the most", |(_, branches)| branches as f64),
    ] {
        // Subjects weigh the same, however many paths they have.
        let most = |subject: &str| {
            let own = rows.iter().filter(|row| row.subject == subject);
            own.map(|row| value(row.at(options.attempts))).fold(1.0, f64::max)
        };
        let lines = options.orders.iter().map(|order| {
            let own: Vec<(&Row, f64)> =
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
    fn attempts_are_counted_by_their_ends() {
        let text = "feasible 0a 7 T.m()V @1 =0\ninfeasible - 7 T.m()V @1 =1\nfeasible 0b! 5 T.m()V @2 =1\nfeasible 0a 5 T.m()V @3 =1\nmissed - 5 T.m()V @3 =0\n";
        let row = row(text, ("T", "fifo", 1), 4, 10);
        assert_eq!((row.attempts, row.feasible, row.branches), (4, 1, 5), "one path twice, and one that came to nothing");
        assert_eq!((row.at(0), row.at(2), row.at(99)), ((0, 0), (1, 3), (1, 5)));
    }

    #[test]
    fn branches_of_the_first_are_reached_or_never() {
        let runs = |strategy: &str, curve: &[u64]| Row {
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
        assert_eq!(reached(&rows, "T", "fifo"), Some(4));
        assert_eq!(reached(&rows, "T", "knn"), Some(2));
        assert_eq!(reached(&rows, "T", "guided"), None);
    }

    #[test]
    fn a_start_has_other_numbers_for_each_seed() {
        let start = "v0: I = int ?\nv1: I = int #\n";
        assert_eq!(drawn(start, 1), drawn(start, 1));
        assert_ne!(drawn(start, 1), drawn(start, 2));
        assert!(!drawn(start, 1).contains(['?', '#']) && drawn("v0", 1) == "v0");
    }
}
