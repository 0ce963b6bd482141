//! Executions under mutants, by a worker whose target classes contain all their mutants behind
//! switches (mutant schemata).
//!
//! In: test cases and numbers of mutants. Out: executions; for executions without a mutant, the
//! mutants that they reached and infected. Must not know what kills a mutant.

use std::time::{Duration, Instant};

use super::worker::{WorkerLink, WorkerStatistics, WorkerTask};
use super::{JvmError, WorkerConfig};
use crate::execution::{Execution, MutantId, MutantMark, MutantRun, RunEnd, TestIndex};
use crate::testcase::TestCase;

/// Duration that one batch should take; the size of batches is adapted to it.
const BATCH_TIME: Duration = Duration::from_millis(100);
/// Executions in the first batch.
const FIRST_BATCH: usize = 32;
/// Executions in one batch.
const MAX_BATCH: usize = 2048;

/// One execution with no mutant switched on.
#[derive(Clone, Debug, PartialEq)]
pub struct Baseline {
    /// The execution.
    pub execution: Execution,
    /// The mutants that were reached, ascending.
    pub reached: Vec<MutantId>,
    /// Those of them that were infected: the mutated instruction would have given another value.
    /// Ascending.
    pub infected: Vec<MutantId>,
}

/// A worker JVM with switches for mutants. Snapshots are taken during the run, so of objects they
/// tell only class and identity.
#[derive(Debug)]
pub struct MutantWorker(WorkerLink);

impl MutantWorker {
    /// Starts the JVM and waits until it is ready.
    ///
    /// # Errors
    /// As [`super::SearchWorker::start`].
    pub fn start(config: WorkerConfig) -> Result<MutantWorker, JvmError> {
        WorkerLink::start(config).map(MutantWorker)
    }

    /// Executes the test cases with no mutant switched on. The result is shorter than `tests` when
    /// the deadline comes first.
    ///
    /// # Errors
    /// [`JvmError::KeepsFailing`] when the JVM cannot be kept running.
    pub fn baseline(&mut self, tests: &[TestCase], deadline: Option<Instant>) -> Result<Vec<Baseline>, JvmError> {
        let runs: Vec<MutantRun> =
            (0..tests.len() as u32).map(|test| MutantRun { test: TestIndex(test), mutant: None }).collect();
        let done = self.batches(tests, &runs, deadline)?;
        Ok(done
            .into_iter()
            .map(|(execution, mut marks)| {
                marks.sort_unstable();
                let reached = marks.iter().map(|mark| mark.mutant()).collect();
                let infected = marks.iter().filter(|mark| mark.is_infected()).map(|mark| mark.mutant()).collect();
                Baseline { execution, reached, infected }
            })
            .collect())
    }

    /// Executes test cases of `tests` under mutants. The result is shorter than `runs` when the
    /// deadline comes first.
    ///
    /// # Errors
    /// As [`MutantWorker::baseline`].
    pub fn run(&mut self, tests: &[TestCase], runs: &[MutantRun], deadline: Option<Instant>) -> Result<Vec<Execution>, JvmError> {
        Ok(self.batches(tests, runs, deadline)?.into_iter().map(|(execution, _)| execution).collect())
    }

    /// The counters so far.
    pub(crate) fn statistics(&self) -> WorkerStatistics {
        self.0.statistics
    }

    fn batches(
        &mut self,
        tests: &[TestCase],
        runs: &[MutantRun],
        deadline: Option<Instant>,
    ) -> Result<Vec<(Execution, Vec<MutantMark>)>, JvmError> {
        self.0.deadline = deadline;
        let encoded = self.0.encode(tests)?;
        let mut done = Vec::with_capacity(runs.len());
        let mut size = FIRST_BATCH;
        while done.len() < runs.len() {
            let begin = Instant::now();
            if deadline.is_some_and(|deadline| begin >= deadline) {
                break;
            }
            let asked = &runs[done.len()..runs.len().min(done.len() + size)];
            // Only the test cases of this batch are sent.
            let mut used: Vec<TestIndex> = asked.iter().map(|run| run.test).collect();
            used.sort_unstable();
            used.dedup();
            let local = |test: TestIndex| TestIndex(used.binary_search(&test).unwrap_or_default() as u32);
            let work = WorkerTask::Mutate {
                tests: used.iter().map(|test| encoded[test.index()].clone()).collect(),
                runs: asked.iter().map(|run| MutantRun { test: local(run.test), ..*run }).collect(),
            };
            self.0.submit(work)?;
            let given = self.0.collect_with_marks()?;
            let unrun = given.iter().position(|(execution, _)| execution.end == RunEnd::Unrun);
            done.extend(given.into_iter().take(unrun.unwrap_or(usize::MAX)));
            if unrun.is_some() {
                break;
            }
            size = if begin.elapsed() > BATCH_TIME { size / 2 } else { size * 2 }.clamp(1, MAX_BATCH);
        }
        Ok(done)
    }
}
