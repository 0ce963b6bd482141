//! Figures of the benchmark: one row for each program, and a table of all rows.
//!
//! In: verdicts and `report.json`. Out: rows, and how many programs were judged rightly.

use anyhow::{Result, bail};
use serde::{Deserialize, Serialize};

/// Whether some input makes a program fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum SampleVerdict {
    /// An assertion fails, or an exception leaves `main`.
    Wrong,
    /// Neither happens for any input.
    Right,
}

impl SampleVerdict {
    /// The verdict of `wrong, INPUT` or `right, REASON`.
    pub(super) fn parse(said: &str) -> Option<SampleVerdict> {
        match said.split_once(", ")? {
            ("wrong", _) => Some(SampleVerdict::Wrong),
            ("right", _) => Some(SampleVerdict::Right),
            _ => None,
        }
    }
}

/// The result of one program.
#[derive(Debug, Serialize)]
pub(super) struct AssertsRow {
    /// Simple name of the class.
    pub subject: String,
    /// What is true of the program.
    pub verdict: SampleVerdict,
    /// The faults that the run reports.
    pub faults: Vec<String>,
    /// Seconds of the run.
    pub seconds: f64,
    /// Replayed paths.
    pub paths: u64,
    /// Queries to the solver.
    pub queries: u64,
}

impl AssertsRow {
    /// The row of a program with this report.
    ///
    /// # Errors
    /// The text is no report of exactly one class.
    pub(super) fn new(subject: &str, verdict: SampleVerdict, seconds: f64, report: &str) -> Result<AssertsRow> {
        let report: ProgramReport = serde_json::from_str(report)?;
        let [class] = &report.classes[..] else { bail!("it has {} classes instead of one", report.classes.len()) };
        Ok(AssertsRow {
            subject: subject.to_owned(),
            verdict,
            faults: class.faults.iter().map(|fault| fault.description.clone()).collect(),
            seconds,
            paths: class.replay.paths,
            queries: class.solver.queries,
        })
    }

    /// The row in one line.
    pub(super) fn line(&self) -> String {
        let judged = match (self.verdict, self.faults.first()) {
            (SampleVerdict::Wrong, Some(_)) => "found".to_owned(),
            (SampleVerdict::Wrong, None) => format!("MISSED after {} paths", self.paths),
            (SampleVerdict::Right, Some(fault)) => format!("FALSE ALARM: {fault}"),
            (SampleVerdict::Right, None) => "no fault".to_owned(),
        };
        format!("{} {:.1} s: {judged}", self.subject, self.seconds)
    }
}

/// The parts of `report.json` that the benchmark reads.
#[derive(Deserialize)]
struct ProgramReport {
    classes: Vec<ProgramClass>,
}

#[derive(Deserialize)]
struct ProgramClass {
    #[serde(default)]
    faults: Vec<Fault>,
    replay: ReplayedPaths,
    solver: AskedQueries,
}

#[derive(Deserialize)]
struct Fault {
    description: String,
}

#[derive(Deserialize)]
struct ReplayedPaths {
    paths: u64,
}

#[derive(Deserialize)]
struct AskedQueries {
    queries: u64,
}

/// One line for each program that was judged wrongly, and one with the totals.
pub(super) fn table(rows: &[AssertsRow]) -> String {
    let of = |verdict: SampleVerdict| rows.iter().filter(move |row| row.verdict == verdict);
    let (wrong, right) = (of(SampleVerdict::Wrong).count(), of(SampleVerdict::Right).count());
    let found = of(SampleVerdict::Wrong).filter(|row| !row.faults.is_empty()).count();
    let alarms = of(SampleVerdict::Right).filter(|row| !row.faults.is_empty()).count();
    let is_misjudged = |row: &&AssertsRow| row.faults.is_empty() == (row.verdict == SampleVerdict::Wrong);
    let misjudged: String = rows.iter().filter(is_misjudged).map(|row| row.line() + "\n").collect();
    misjudged + &format!("{found} of {wrong} wrong programs found, {alarms} false alarms in {right} right ones\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_misjudged_is_named() {
        let report =
            |faults: &str| format!(r#"{{"classes":[{{"faults":[{faults}],"replay":{{"paths":4}},"solver":{{"queries":9}}}}]}}"#);
        let fault = r#"{"description":"main fails"}"#;
        let row = |subject, verdict, faults| AssertsRow::new(subject, verdict, 1.0, &report(faults)).expect("a report");
        let rows = [
            row("A", SampleVerdict::Wrong, fault),
            row("B", SampleVerdict::Wrong, ""),
            row("C", SampleVerdict::Right, ""),
            row("D", SampleVerdict::Right, fault),
        ];
        let told = "B 1.0 s: MISSED after 4 paths\nD 1.0 s: FALSE ALARM: main fails\n\
                    1 of 2 wrong programs found, 1 false alarms in 2 right ones\n";
        assert_eq!(table(&rows), told);
        assert!(AssertsRow::new("A", SampleVerdict::Right, 1.0, r#"{"classes":[]}"#).is_err());
        let parsed = ["wrong, 1", "right, few", "perhaps"].map(SampleVerdict::parse);
        assert_eq!(parsed, [Some(SampleVerdict::Wrong), Some(SampleVerdict::Right), None]);
    }
}
