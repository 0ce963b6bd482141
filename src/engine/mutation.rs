//! MutationAnalysis analysis of one class: which mutants the tests kill, and with that the assertions they need. The runs happen in a worker that
//! the hunt for mutants started, or that starts when the search is about to end.

use super::context::Context;
use super::target::Target;
use super::workers::worker_config;
use crate::execution::Execution;
use crate::jvm::{JvmError, MutantWorker, MutatedClass, ProbeMode, WorkerConfig, WorkerStatistics};
use crate::oracle::{self, AssertedTest, Kills, MutantOutcome};
use crate::program::ClassName;
use crate::report::{Covered, MutantReport};
use crate::testcase::TestCase;
use std::collections::BTreeSet;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use tracewright_classfile::{Mutant, mutants};

/// Runs under mutants at most; what bounds them where steps are counted.
const MOST_RUNS: usize = 60_000;
/// Events of one run under a mutant at most; a test that needs more by itself is not judged. And its time.
const EVENTS: u64 = 30_000;
const TIMEOUT: Duration = Duration::from_millis(700);
/// Tests that notice a mutant: more of them leave a choice of which test says it, and cost runs.
const ENOUGH_KILLS: usize = 3;
/// Tests that are there for mutants alone, at most.
pub(crate) const MOST_FURTHER: usize = 60;

/// The mutants of a class under test and its nested classes, and the worker that has them.
#[derive(Debug)]
pub(crate) struct MutationAnalysis {
    /// By number; 0 is no mutant.
    mutants: Vec<Option<Mutant>>,
    worker: Start,
}

#[derive(Debug)]
enum Start {
    Waiting(Box<WorkerConfig>),
    Starting(JoinHandle<Result<MutantWorker, JvmError>>),
    Running(Box<MutantWorker>),
    Failed,
}

/// What came out.
#[derive(Debug, Default)]
pub(crate) struct AnalysedTests {
    /// The tests with the assertions they keep, and the mutants each of them kills.
    tests: Vec<(AssertedTest, BTreeSet<u32>)>,
    report: MutantReport,
}

impl MutationAnalysis {
    /// `None` where nothing can be mutated.
    pub(crate) fn new(context: &Context<'_>, target: &Target) -> Option<MutationAnalysis> {
        let mut all = vec![None];
        let mut config = worker_config(context, target, ProbeMode::Mutants);
        for class in target.classes() {
            // What cannot be read, the agent leaves alone as well.
            let found = context.program.class(&class.name).and_then(|model| mutants(&model.file).ok()).unwrap_or_default();
            config.mutated.push(MutatedClass { name: class.name.clone(), first: all.len() as u32 });
            all.extend(found.into_iter().map(Some));
        }
        if all.len() == 1 {
            return None;
        }
        config.mutants = all.len() as u32 - 1;
        // A mutant that does not come to an end costs as much as thousands that do.
        config.event_budget = EVENTS.min(config.event_budget);
        config.candidate_timeout = TIMEOUT.min(config.candidate_timeout);
        // Nobody asks for lines and branches here.
        (config.branch_slots, config.line_slots) = (0, 0);
        Some(MutationAnalysis { mutants: all, worker: Start::Waiting(Box::new(config)) })
    }

    /// Starts the worker in the background, once.
    pub(crate) fn start(&mut self) {
        self.worker = match std::mem::replace(&mut self.worker, Start::Failed) {
            Start::Waiting(config) => Start::Starting(std::thread::spawn(move || MutantWorker::start(*config))),
            other => other,
        };
    }

    /// Whether `worker` would not have to wait.
    pub(crate) fn is_ready(&self) -> bool {
        match &self.worker {
            Start::Waiting(_) => false,
            Start::Starting(starting) => starting.is_finished(),
            Start::Running(_) | Start::Failed => true,
        }
    }

    pub(crate) fn worker(&mut self) -> Result<&mut MutantWorker, JvmError> {
        self.start();
        self.worker = match std::mem::replace(&mut self.worker, Start::Failed) {
            Start::Starting(starting) => Start::Running(Box::new(
                starting.join().unwrap_or_else(|_| Err(JvmError::Start("starting a worker panicked".into())))?,
            )),
            other => other,
        };
        match &mut self.worker {
            Start::Running(worker) => Ok(worker),
            _ => Err(JvmError::Start("the worker for mutants did not start".into())),
        }
    }

    /// The mutants that `chosen` is true of.
    pub(crate) fn numbers(&self, chosen: impl Fn(&Mutant) -> bool) -> Vec<u32> {
        let numbered = self.mutants.iter().enumerate();
        numbered.filter(|(_, mutant)| mutant.as_ref().is_some_and(&chosen)).map(|(number, _)| number as u32).collect()
    }

    pub(crate) fn total(&self) -> usize {
        self.mutants.len() - 1
    }

    pub(crate) fn statistics(&self) -> WorkerStatistics {
        match &self.worker {
            Start::Running(worker) => worker.statistics(),
            _ => WorkerStatistics::default(),
        }
    }

    /// Runs the tests under the mutants that make a difference in them, and keeps the assertions that notice. Of the tests that are not
    /// `required`, those stay that kill something more.
    pub(crate) fn analyse(
        &mut self,
        context: &Context<'_>,
        tests: &[AssertedTest],
        required: &[bool],
        deadline: Option<Instant>,
    ) -> Result<AnalysedTests, JvmError> {
        let total = self.mutants.len();
        let worker = self.worker()?;
        let begin = Instant::now();
        let cases: Vec<TestCase> = tests.iter().map(|test| test.test.clone()).collect();
        let mut kills: Vec<Kills> = tests.iter().map(Kills::of).collect();
        let mutant_outcome = |test: usize, execution: &Execution| mutant_outcome(context, &tests[test], execution);

        let plain = worker.baseline(&cases, deadline)?;
        // Tests by mutant, the required and short ones first.
        let mut waiting: Vec<Vec<u32>> = vec![Vec::new(); total];
        let mut order: Vec<usize> = (0..tests.len()).collect();
        order.sort_by_key(|&test| (!required[test], cases[test].statements.len(), test));
        for test in order {
            match plain.get(test) {
                Some(baseline) if mutant_outcome(test, &baseline.execution) == MutantOutcome::Survived => {
                    kills[test].open.extend(&baseline.infected);
                    baseline.infected.iter().for_each(|mutant| waiting[*mutant as usize].push(test as u32));
                }
                _ => kills[test].unjudged = true,
            }
        }
        waiting.iter_mut().for_each(|tests| tests.reverse());
        let unfit = kills.iter().filter(|kills| kills.unjudged).count() as u64;
        let mut killers = vec![0; total];
        let mut runs = 0;
        // First one test for every mutant that is alive, until none is left to try; then more for those that have few.
        for enough in 1..=ENOUGH_KILLS {
            loop {
                let round: Vec<(u32, u32)> = (1..total)
                    .filter(|&mutant| killers[mutant] < enough)
                    .filter_map(|mutant| Some((waiting[mutant].pop()?, mutant as u32)))
                    .take(MOST_RUNS - runs)
                    .collect();
                if round.is_empty() {
                    break;
                }
                let done = worker.run(&cases, &round, deadline)?;
                runs += done.len();
                for (&(test, mutant), execution) in round.iter().zip(&done) {
                    let found = mutant_outcome(test as usize, execution);
                    kills[test as usize].open.remove(&mutant);
                    kills[test as usize].record(mutant, &found);
                    killers[mutant as usize] += usize::from(found != MutantOutcome::Survived);
                }
                if done.len() < round.len() {
                    break;
                }
            }
        }
        let chosen = oracle::select_assertions(tests, &kills, required, MOST_FURTHER);
        let kept = chosen.iter().enumerate().filter_map(|(place, keep)| {
            let keep = keep.as_ref()?;
            Some((tests[place].keep(keep), kills[place].killed_by(keep)))
        });
        let report = MutantReport {
            runs: runs as u64,
            per_second: (runs as f64 / begin.elapsed().as_secs_f64().max(0.001)).round(),
            tests_not_judged: unfit,
            tests_for_mutants: chosen.iter().zip(required).filter(|(keep, required)| keep.is_some() && !**required).count()
                as u64,
            surviving: Vec::new(),
        };
        Ok(AnalysedTests { tests: kept.collect(), report })
    }

    /// How many mutants these tests kill.
    pub(crate) fn covered(&self, analysis: &AnalysedTests, tests: &[AssertedTest]) -> Covered {
        Covered { covered: self.total() - self.surviving(analysis, tests).count(), total: self.total() }
    }

    pub(crate) fn report(&self, analysis: &AnalysedTests, tests: &[AssertedTest]) -> MutantReport {
        MutantReport { surviving: self.surviving(analysis, tests).map(Mutant::to_string).collect(), ..analysis.report.clone() }
    }

    /// The mutants that none of these tests is known to kill.
    fn surviving(&self, analysis: &AnalysedTests, tests: &[AssertedTest]) -> impl Iterator<Item = &Mutant> {
        let mut killed: BTreeSet<u32> = BTreeSet::new();
        for (_, kills) in analysis.tests.iter().filter(|(test, _)| tests.contains(test)) {
            killed.extend(kills);
        }
        self.mutants.iter().flatten().enumerate().filter(move |(place, _)| !killed.contains(&(*place as u32 + 1))).map(|(_, m)| m)
    }
}

/// What became of a test in this run of its statements.
pub(crate) fn mutant_outcome(context: &Context<'_>, test: &AssertedTest, execution: &Execution) -> MutantOutcome {
    let is_subclass = |class: &ClassName, of: &ClassName| class == of || context.program.is_subclass(class, of);
    oracle::mutant_outcome(test, execution, &is_subclass)
}

impl AnalysedTests {
    pub(crate) fn tests(&self) -> Vec<AssertedTest> {
        self.tests.iter().map(|(test, _)| test.clone()).collect()
    }
}
