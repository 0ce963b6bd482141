//! One run of the program, measured by its progress lines and report.
//!
//! In: [`RunOptions`]. Out: a [`Run`].

use super::figures::{Covered, Point, Run};
use anyhow::{Context, Result};
use serde::Deserialize;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

/// The arguments of one run.
pub(super) struct RunOptions<'a> {
    /// The executable.
    pub program: &'a Path,
    /// Class path of the class.
    pub classpath: &'a str,
    /// Binary name of the class.
    pub class: &'a str,
    /// Name of the strategy.
    pub strategy: &'a str,
    /// Seed of the run.
    pub seed: u64,
    /// Budget in seconds.
    pub budget: u64,
    /// Folder below which the run writes.
    pub work: &'a Path,
}

/// Runs the program to its end. A run that fails is a [`Run`] with the reason.
///
/// # Errors
/// The program does not start, or its output cannot be read.
pub(super) fn measure(options: &RunOptions<'_>) -> Result<Run> {
    // An empty folder: no settings file and no earlier test is found there.
    let folder = options.work.join("run");
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder)?;
    let start = Instant::now();
    let mut child = Command::new(options.program)
        .args(["generate", "--progress", "json", "--classpath", options.classpath, "--class", options.class])
        .args(["--strategy", options.strategy, "--seed", &options.seed.to_string(), "--budget", &format!("{}s", options.budget)])
        .args(["--out", "tests", "--report", "report"])
        .current_dir(&folder)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .with_context(|| format!("cannot start {}", options.program.display()))?;
    let mut curve = Vec::new();
    let mut last_message = String::new();
    for line in BufReader::new(child.stderr.take().context("standard error is piped")?).lines() {
        let line = line?;
        match point(&line, start.elapsed().as_secs_f64()) {
            Some(point) => curve.push(point),
            None => last_message = line,
        }
    }
    let status = child.wait()?;
    let seconds = rounded(start.elapsed().as_secs_f64());
    let mut run = Run {
        subject: options.class.to_owned(),
        strategy: options.strategy.to_owned(),
        seed: options.seed,
        budget: options.budget,
        seconds,
        ..Run::default()
    };
    let report = std::fs::read_to_string(folder.join("report/report.json")).ok();
    match report.filter(|_| status.success()).as_deref().map(read_report) {
        Some(Ok(report)) => {
            run.set_figures(report);
            // The last point is the coverage of the written tests.
            curve.push(Point { seconds, branches: run.branch, lines: run.line, executions: run.executions });
            run.curve = curve;
        }
        Some(Err(error)) => run.failure = Some(format!("its report cannot be read: {error}")),
        None if last_message.is_empty() => run.failure = Some(format!("it ended with {status}")),
        None => run.failure = Some(format!("it ended with {status}: {last_message}")),
    }
    let _ = std::fs::remove_dir_all(&folder);
    Ok(run)
}

/// Rounds to milliseconds.
fn rounded(seconds: f64) -> f64 {
    (seconds * 1000.0).round() / 1000.0
}

/// The point that a line of `--progress json` describes; `None` for any other line.
fn point(line: &str, seconds: f64) -> Option<Point> {
    #[derive(Deserialize)]
    struct Line {
        branches: Covered,
        lines: Covered,
        executions: u64,
    }
    let Line { branches, lines, executions } = serde_json::from_str(line).ok()?;
    Some(Point { seconds: rounded(seconds), branches, lines, executions })
}

/// The figures of one class in `report.json`.
#[derive(Debug, Default)]
struct Figures {
    branch: Covered,
    line: Covered,
    mutant: Covered,
    tests: u64,
    executions: u64,
    queries: u64,
}

/// Reads the figures of a report with exactly one class.
fn read_report(text: &str) -> Result<Figures, String> {
    #[derive(Deserialize)]
    struct Report {
        classes: Vec<Class>,
    }
    #[derive(Deserialize)]
    struct Class {
        tests: u64,
        goals: Goals,
        search: Search,
        solver: Solver,
    }
    #[derive(Deserialize)]
    struct Goals {
        branch: Covered,
        line: Covered,
        mutant: Covered,
    }
    #[derive(Deserialize)]
    struct Search {
        executions: u64,
    }
    #[derive(Deserialize)]
    struct Solver {
        queries: u64,
    }
    let report: Report = serde_json::from_str(text).map_err(|error| error.to_string())?;
    let [class] = &report.classes[..] else { return Err(format!("it has {} classes instead of one", report.classes.len())) };
    let Class { tests, goals: Goals { branch, line, mutant }, search, solver } = class;
    Ok(Figures {
        branch: *branch,
        line: *line,
        mutant: *mutant,
        tests: *tests,
        executions: search.executions,
        queries: solver.queries,
    })
}

impl Run {
    /// Takes over the figures of the report.
    fn set_figures(&mut self, figures: Figures) {
        (self.branch, self.line, self.mutant) = (figures.branch, figures.line, figures.mutant);
        (self.tests, self.executions, self.queries) = (figures.tests, figures.executions, figures.queries);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn progress_lines_become_points() {
        let line = r#"{"class":"p.A","phase":"searching","branches":{"covered":3,"total":8},"lines":{"covered":5,"total":9},"tests":0,"executions":700,"left":8.25}"#;
        let expected = Point {
            seconds: 1.235,
            branches: Covered { covered: 3, total: 8 },
            lines: Covered { covered: 5, total: 9 },
            executions: 700,
        };
        assert_eq!(point(line, 1.23456), Some(expected));
        for other in [r#"{"message":"p.A: no symbolic execution"}"#, "tracewright: no class p.A", ""] {
            assert_eq!(point(other, 1.0), None, "{other}");
        }
    }

    #[test]
    fn a_report_gives_the_figures_of_its_only_class() {
        let class = r#"{"name":"p.A","tests":4,"goals":{"line":{"covered":5,"total":9},"branch":{"covered":3,"total":8},"mutant":{"covered":0,"total":0}},"solver":{"queries":17},"search":{"executions":900,"per_second":90.0}}"#;
        let figures = read_report(&format!(r#"{{"version":1,"classes":[{class}]}}"#)).expect("a report");
        assert_eq!((figures.branch, figures.line), (Covered { covered: 3, total: 8 }, Covered { covered: 5, total: 9 }));
        assert_eq!((figures.tests, figures.executions, figures.queries), (4, 900, 17));
        let error = read_report(&format!(r#"{{"classes":[{class},{class}]}}"#)).expect_err("two classes");
        assert_eq!(error, "it has 2 classes instead of one");
        assert!(read_report("{}").is_err());
    }
}
