//! `cargo xtask bench shards`: how long 1 to 256 machines would take for one project.
//!
//! In: the report of a run over all of its classes. Out: a table on standard output, and `target/bench/shards.json`.
//! The classes are shared out as `--shard` does, by expected cost, and each then takes the time that it took in the
//! run. Must not know how a class is generated.

use crate::benchmarks::{parse_options, write_rows};
use anyhow::{Context, Result, bail};
use clap::Parser;
use serde::{Deserialize, Serialize};
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fs;
use std::path::{Path, PathBuf};

/// Numbers of machines, up to the largest.
const MACHINES: [usize; 12] = [1, 2, 4, 8, 16, 24, 32, 48, 64, 96, 128, 256];
/// The expected cost of the JVMs of a class, beside its branches and lines (`src/engine/generation.rs`).
const JVMS: u64 = 20;
/// Machines that are used to less than this part gain little.
const LINEAR: f64 = 0.8;

/// Command-line options of the benchmark.
#[derive(Parser, Debug)]
#[command(name = "cargo xtask bench shards", about = "What 1 to 256 machines would take for the classes of a report")]
struct ShardOptions {
    /// Folder with the report.json of a run over all classes.
    #[arg(value_name = "DIR")]
    report: PathBuf,
    /// Seconds that each machine takes before its first class: checkout, class path, JVMs.
    #[arg(long, value_name = "SECONDS", default_value_t = 20.0)]
    start: f64,
    /// Classes in work at the same time on one machine.
    #[arg(long, value_name = "N", default_value_t = 1)]
    threads: usize,
}

/// The parts of `report.json` that tell costs.
#[derive(Deserialize)]
struct MeasuredRun {
    classes: Vec<MeasuredClass>,
}

#[derive(Clone, Deserialize)]
struct MeasuredClass {
    name: String,
    seconds: f64,
    goals: MeasuredGoals,
}

#[derive(Clone, Deserialize)]
struct MeasuredGoals {
    line: Total,
    branch: Total,
}

#[derive(Clone, Deserialize)]
struct Total {
    total: u64,
}

/// What some machines take.
#[derive(Clone, Debug, PartialEq, Serialize)]
struct Simulated {
    machines: usize,
    /// Of the machine that ends last.
    seconds: f64,
    /// Against one machine.
    speed_up: f64,
    /// Part of the time in which the machines work, from 0 to 1.
    used: f64,
}

impl MeasuredClass {
    fn expected(&self) -> u64 {
        JVMS + self.goals.line.total + self.goals.branch.total
    }
}

/// Runs the benchmark.
///
/// # Errors
/// A wrong option, or a folder without a report.
pub(crate) fn run(root: &Path, arguments: &[String]) -> Result<()> {
    let Some(options) = parse_options::<ShardOptions>("shards", arguments)? else { return Ok(()) };
    let file = options.report.join("report.json");
    let text = fs::read_to_string(&file).with_context(|| format!("cannot read {}", file.display()))?;
    let run: MeasuredRun = serde_json::from_str(&text).with_context(|| format!("{} is no report", file.display()))?;
    if run.classes.is_empty() {
        bail!("{} has no classes", file.display());
    }
    let rows: Vec<Simulated> =
        MACHINES.iter().map(|machines| simulated(&run.classes, *machines, options.start, options.threads)).collect();
    println!("{} classes, {:.0} s of work", run.classes.len(), run.classes.iter().map(|class| class.seconds).sum::<f64>());
    println!("{:>8} {:>10} {:>9} {:>6}", "machines", "seconds", "speed-up", "used");
    for row in &rows {
        println!("{:>8} {:>10.1} {:>9.1} {:>6.2}", row.machines, row.seconds, row.speed_up, row.used);
    }
    match rows.iter().find(|row| row.used < LINEAR) {
        Some(row) => println!("linear up to fewer than {} machines", row.machines),
        None => println!("linear up to {} machines", MACHINES[MACHINES.len() - 1]),
    }
    fs::create_dir_all(root.join("target/bench"))?;
    write_rows(root, "shards", 0, &rows)
}

/// What so many machines take. Each begins with `start` seconds.
fn simulated(classes: &[MeasuredClass], machines: usize, start: f64, threads: usize) -> Simulated {
    let seconds = longest(classes, machines, threads) + start;
    let alone = longest(classes, 1, threads) + start;
    let work: f64 = classes.iter().map(|class| class.seconds).sum();
    Simulated { machines, seconds, speed_up: alone / seconds, used: work / threads as f64 / (machines as f64 * seconds) }
}

/// The time of the machine that works longest. Costly classes are assigned first, each to the machine with the least
/// expected cost so far.
fn longest(classes: &[MeasuredClass], machines: usize, threads: usize) -> f64 {
    let mut order: Vec<&MeasuredClass> = classes.iter().collect();
    order.sort_by_key(|class| (Reverse(class.expected()), class.name.clone()));
    let mut loads: BinaryHeap<Reverse<(u64, usize)>> = (0..machines).map(|machine| Reverse((0, machine))).collect();
    let mut shares: Vec<Vec<f64>> = vec![Vec::new(); machines];
    for class in order {
        let Some(Reverse((load, machine))) = loads.pop() else { break };
        shares[machine].push(class.seconds);
        loads.push(Reverse((load + class.expected(), machine)));
    }
    shares.iter().map(|share| time_of(share, threads)).fold(0.0, f64::max)
}

/// The time for classes of which so many are in work at the same time, one beginning where another ends.
fn time_of(classes: &[f64], threads: usize) -> f64 {
    let mut ends = vec![0.0_f64; threads.max(1)];
    for seconds in classes {
        if let Some(first) = ends.iter_mut().min_by(|one, other| one.total_cmp(other)) {
            *first += seconds;
        }
    }
    ends.into_iter().fold(0.0, f64::max)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn classes(seconds: &[f64]) -> Vec<MeasuredClass> {
        let class = |(number, seconds): (usize, &f64)| {
            let goals = MeasuredGoals { line: Total { total: *seconds as u64 * 10 }, branch: Total { total: 0 } };
            MeasuredClass { name: format!("C{number}"), seconds: *seconds, goals }
        };
        seconds.iter().enumerate().map(class).collect()
    }

    #[test]
    fn machines_share_the_work_until_the_longest_class_is_alone() {
        let classes = classes(&[8.0, 4.0, 4.0, 2.0, 2.0]);
        let seconds = |machines: usize| longest(&classes, machines, 1);
        assert_eq!([1, 2, 3, 5, 256].map(seconds), [20.0, 10.0, 8.0, 8.0, 8.0]);
        let two = simulated(&classes, 2, 2.0, 1);
        assert_eq!((two.seconds, two.speed_up), (12.0, 22.0 / 12.0));
        assert_eq!(longest(&classes, 1, 2), 10.0, "two threads");
    }
}
