//! Mutation analysis of one class: which mutants the tests kill, and which assertions they need for
//! that.
//!
//! Flows in: tests with assertions. Flows out: the tests with the assertions that they keep, and
//! the mutants that each kills. Must not know how tests were found. A test runs only under mutants
//! that it infects.

use super::background::{Background, NoResult};
use super::borrowed_kills::leave_out_borrowed;
use super::context::Context;
use super::covered_goals::CoveredGoals;
use super::target::Target;
use super::untouched_state::leave_out_untouched;
use super::workers::worker_config;
use crate::config::Budget;
use crate::execution::{Execution, MutantId, MutantRun, TestIndex, is_of_check};
use crate::jvm::{JvmError, MutantWorker, MutatedClass, ProbeMode, WorkerConfig, WorkerStatistics};
use crate::oracle::{self, AssertedTest, IgnoredResults, Kills, MutantOutcome};
use crate::program::{ClassName, MethodRef};
use crate::report::{CoverageCount, MutantReport};
use crate::search::minimum_cover;
use crate::testcase::TestCase;
use std::collections::BTreeSet;
use std::time::{Duration, Instant};
use tracewright_classfile::{Mutant, mutants};

/// Runs under mutants, at most. Without a deadline, this limit alone bounds the analysis.
const MOST_RUNS: usize = 60_000;
/// Probe events and time of one run under a mutant, at most. A test that needs more without a
/// mutant gets no verdict.
const EVENTS: u64 = 30_000;
const TIMEOUT: Duration = Duration::from_millis(700);
/// A mutant is tried until this many tests kill it. More killers give a choice of tests and cost
/// runs.
const ENOUGH_KILLS: usize = 3;
/// Tests that only kill mutants, at most.
pub(crate) const MOST_FURTHER: usize = 60;

/// The mutants of a class under test and of its nested classes, and the worker that has them in its
/// code.
#[derive(Debug)]
pub(crate) struct MutationAnalysis {
    /// By number; number 0 is the unchanged class.
    mutants: Vec<Option<Mutant>>,
    worker: WorkerState,
    /// Results that the classes throw away.
    ignored: IgnoredResults,
}

/// The worker of the mutants on its way to run.
#[derive(Debug)]
enum WorkerState {
    Waiting(Box<WorkerConfig>),
    Starting(Background<Result<MutantWorker, JvmError>>),
    Running(Box<MutantWorker>),
    /// The start failed, or the state is just being changed.
    Failed,
}

/// What the tests of an analysis are wanted for. Each list has one element a test.
pub(super) struct WantedTests<'a> {
    /// Whether a goal required the test before the analysis.
    pub(super) required: &'a [bool],
    /// What the test covers without its inspectors.
    pub(super) reached: Vec<CoveredGoals>,
    /// What a reader pays for the test.
    pub(super) costs: Vec<u32>,
    /// For each of its assertions, whether it states an effect: see [`oracle::effects`].
    pub(super) effects: Vec<Vec<bool>>,
    /// For each of its assertions, whether it is about what a jump decided: see [`super::governed_facts`].
    pub(super) governed: Vec<Vec<bool>>,
    /// Whether code that the project does not own ended the test.
    pub(super) foreign: Vec<bool>,
    /// What becomes of each test in the earlier version, with the number of the difference; empty without one.
    pub(super) differences: Vec<Option<(MutantId, MutantOutcome)>>,
}

/// Result of the analysis.
#[derive(Debug, Default)]
pub(crate) struct AnalysedTests {
    /// Each test with the assertions that it keeps, and the mutants that it kills.
    tests: Vec<(AssertedTest, BTreeSet<MutantId>)>,
    report: MutantReport,
}

impl MutationAnalysis {
    /// `None` where the class has no mutants.
    pub(crate) fn new(context: &Context<'_>, target: &Target) -> Option<MutationAnalysis> {
        let mut all = vec![None];
        let mut config = worker_config(context, target, ProbeMode::Mutants);
        for class in target.classes() {
            // The agent does not mutate either what cannot be read.
            let found = context.program.class(&class.name).and_then(|model| mutants(&model.file).ok()).unwrap_or_default();
            config.mutated.push(MutatedClass { name: class.name.clone(), first: MutantId(all.len() as u32) });
            all.extend(found.into_iter().map(Some));
        }
        if all.len() == 1 {
            return None;
        }
        config.last_mutant = Some(MutantId(all.len() as u32 - 1));
        // A mutant with an endless loop costs as much as thousands of others.
        config.event_budget = EVENTS.min(config.event_budget);
        if let Budget::Time(_) = context.config.budget {
            config.candidate_timeout = TIMEOUT.min(config.candidate_timeout);
        }
        // Coverage is not measured under mutants.
        (config.branch_slots, config.line_slots) = (0, 0);
        let ignored = IgnoredResults::of_classes(&context.program, target.classes().iter().map(|class| &class.name));
        Some(MutationAnalysis { mutants: all, worker: WorkerState::Waiting(Box::new(config)), ignored })
    }

    /// The analysis of a class without mutants, which needs no worker.
    pub(crate) fn of_nothing(context: &Context<'_>, target: &Target) -> MutationAnalysis {
        let ignored = IgnoredResults::of_classes(&context.program, target.classes().iter().map(|class| &class.name));
        MutationAnalysis { mutants: vec![None], worker: WorkerState::Failed, ignored }
    }

    /// Starts the worker in the background unless it was started before. The start is given up at
    /// the deadline.
    pub(crate) fn start(&mut self, deadline: Option<Instant>) {
        self.worker = match std::mem::replace(&mut self.worker, WorkerState::Failed) {
            WorkerState::Waiting(mut config) => {
                config.deadline = deadline;
                WorkerState::Starting(Background::start("the start of a worker for mutants", || MutantWorker::start(*config)))
            }
            other => other,
        };
    }

    /// Starts no worker any more: there will be no analysis, unless the worker runs already.
    pub(crate) fn give_up(&mut self) {
        if let WorkerState::Waiting(_) = self.worker {
            self.worker = WorkerState::Failed;
        }
    }

    /// Whether [`MutationAnalysis::worker`] returns without waiting.
    pub(crate) fn is_ready(&self) -> bool {
        match &self.worker {
            WorkerState::Waiting(_) => false,
            WorkerState::Starting(starting) => starting.is_finished(),
            WorkerState::Running(_) | WorkerState::Failed => true,
        }
    }

    /// The worker; waits for its start until the deadline.
    ///
    /// Fails where the worker does not start. It can be asked for again where it is only late.
    pub(crate) fn worker(&mut self, deadline: Option<Instant>) -> Result<&mut MutantWorker, JvmError> {
        self.start(deadline);
        if let WorkerState::Starting(starting) = &self.worker {
            let started = match starting.wait(deadline) {
                Ok((started, _)) => started,
                Err(NoResult::Late) => return Err(JvmError::Late),
                Err(missing) => Err(starting.error(missing)),
            };
            self.worker = WorkerState::Failed;
            self.worker = WorkerState::Running(Box::new(started?));
        }
        match &mut self.worker {
            WorkerState::Running(worker) => Ok(worker),
            _ => Err(JvmError::Start("the worker for mutants did not start".into())),
        }
    }

    /// Whether the number is that of a difference from the earlier version.
    pub(crate) fn is_difference(&self, number: MutantId) -> bool {
        number.index() >= self.mutants.len()
    }

    /// Numbers of the mutants that `chosen` is true for.
    pub(crate) fn numbers(&self, chosen: impl Fn(&Mutant) -> bool) -> Vec<MutantId> {
        let numbered = self.mutants.iter().enumerate();
        numbered.filter(|(_, mutant)| mutant.as_ref().is_some_and(&chosen)).map(|(number, _)| MutantId(number as u32)).collect()
    }

    /// Number of mutants.
    pub(crate) fn total(&self) -> usize {
        self.mutants.len() - 1
    }

    /// JVMs of the worker; nothing where it has not run.
    pub(crate) fn statistics(&self) -> WorkerStatistics {
        match &self.worker {
            WorkerState::Running(worker) => worker.statistics(),
            _ => WorkerStatistics::default(),
        }
    }

    /// Runs the tests under the mutants that they infect. Keeps the cheapest tests that together
    /// cover all goals and kill all mutants that any test does, and their assertions that kill. Where no time is for
    /// mutants ([`MutationAnalysis::give_up`]), keeps the assertions that say the most.
    ///
    /// Fails where the worker does not start or cannot be kept running.
    pub(crate) fn analyse(
        &mut self,
        context: &Context<'_>,
        tests: &[AssertedTest],
        wanted: &WantedTests<'_>,
        deadline: Option<Instant>,
    ) -> Result<AnalysedTests, JvmError> {
        let of_test = |(place, test): (usize, &AssertedTest)| Kills {
            effects: wanted.effects[place].clone(),
            governed: wanted.governed[place].clone(),
            ..Kills::of(test)
        };
        let mut kills: Vec<Kills> = tests.iter().enumerate().map(of_test).collect();
        let mut begin = Instant::now();
        let judged = if self.total() == 0 || matches!(self.worker, WorkerState::Failed) {
            None
        } else {
            self.worker(deadline)?;
            begin = Instant::now();
            Some(self.judge(context, tests, wanted, &mut kills, deadline)?)
        };
        tests.iter().zip(&mut kills).for_each(|(test, kills)| leave_out_untouched(test, kills, &self.mutants));
        leave_out_borrowed(tests, &mut kills, &self.mutants);
        for (kills, difference) in kills.iter_mut().zip(&wanted.differences) {
            difference.iter().for_each(|(number, outcome)| kills.record(*number, outcome));
        }
        if judged.is_none() {
            kills.iter_mut().for_each(|kills| kills.unjudged = true);
        }
        let unfit = if self.total() == 0 { 0 } else { kills.iter().filter(|kills| kills.unjudged).count() as u64 };
        let needed = wanted.needed(tests, &kills);
        for (place, test) in tests.iter().enumerate() {
            let differs = wanted.differences.get(place).is_some_and(Option::is_some);
            if !needed[place] && !differs && !wanted.counts_mutants(place, test) {
                kills[place] = Kills::of(test);
            }
        }
        let is_accessor = |method: &MethodRef| context.program.is_plain_accessor(method);
        let mut chosen = oracle::select_assertions(tests, &kills, &needed, MOST_FURTHER, &self.ignored, &is_accessor);
        oracle::host_getters(tests, &mut chosen, &is_accessor);
        let kept = chosen.iter().enumerate().filter_map(|(place, keep)| {
            let keep = keep.as_ref()?;
            Some((tests[place].retain_assertions(keep), kills[place].killed_by(keep)))
        });
        let runs = judged.unwrap_or(0);
        let report = MutantReport {
            runs: runs as u64,
            per_second: (runs as f64 / begin.elapsed().as_secs_f64().max(0.001)).round(),
            tests_not_judged: unfit,
            tests_for_mutants: chosen.iter().zip(wanted.required).filter(|(keep, required)| keep.is_some() && !**required).count()
                as u64,
            not_run: if unfit > 0 && unfit == tests.len() as u64 { self.total() } else { 0 },
            surviving: Vec::new(),
        };
        Ok(AnalysedTests { tests: kept.collect(), report })
    }

    /// Runs the tests under the mutants that they infect, and records what each kills. Gives the number of runs.
    fn judge(
        &mut self,
        context: &Context<'_>,
        tests: &[AssertedTest],
        wanted: &WantedTests<'_>,
        kills: &mut [Kills],
        deadline: Option<Instant>,
    ) -> Result<usize, JvmError> {
        let total = self.mutants.len();
        let worker = self.worker(deadline)?;
        let cases: Vec<TestCase> = tests.iter().map(|test| test.test.clone()).collect();
        let mutant_outcome = |test: usize, execution: &Execution| mutant_outcome(context, &tests[test], execution);
        let plain = worker.baseline(&cases, deadline)?;
        // Tests by mutant: required tests come first, then short ones. Last come those that readers take for several
        // tests: their parts are tests as well.
        let mut untried: Vec<Vec<TestIndex>> = vec![Vec::new(); total];
        let mut order: Vec<usize> = (0..tests.len()).collect();
        let rank = |test: usize| (tests[test].is_several(), !wanted.required[test], cases[test].statements.len(), test);
        order.sort_by_cached_key(|&test| rank(test));
        for test in order {
            match plain.get(test) {
                Some(baseline) if mutant_outcome(test, &baseline.execution) == MutantOutcome::Survived => {
                    kills[test].open.extend(&baseline.infected);
                    baseline.infected.iter().for_each(|mutant| untried[mutant.index()].push(TestIndex(test as u32)));
                }
                _ => kills[test].unjudged = true,
            }
        }
        untried.iter_mut().for_each(|tests| tests.reverse());
        let mut killers = vec![0; total];
        let mut runs = 0;
        // The first round wants one killer for each mutant, the next rounds want more of them.
        for enough in 1..=ENOUGH_KILLS {
            loop {
                let round: Vec<(TestIndex, MutantId)> = (1..total)
                    .filter(|&mutant| killers[mutant] < enough)
                    .filter_map(|mutant| Some((untried[mutant].pop()?, MutantId(mutant as u32))))
                    .take(MOST_RUNS - runs)
                    .collect();
                if round.is_empty() {
                    break;
                }
                let asked: Vec<MutantRun> =
                    round.iter().map(|&(test, mutant)| MutantRun { test, mutant: Some(mutant) }).collect();
                let done = worker.run(&cases, &asked, deadline)?;
                runs += done.len();
                for (&(test, mutant), execution) in round.iter().zip(&done) {
                    let found = mutant_outcome(test.index(), execution);
                    kills[test.index()].open.remove(&mutant);
                    kills[test.index()].record(mutant, &found);
                    killers[mutant.index()] += usize::from(found != MutantOutcome::Survived);
                }
                if done.len() < round.len() {
                    break;
                }
            }
        }
        Ok(runs)
    }

    /// How many mutants these tests kill, of all.
    pub(crate) fn covered(&self, analysis: &AnalysedTests, tests: &[AssertedTest]) -> CoverageCount {
        CoverageCount { covered: self.total() - self.surviving(analysis, tests).count(), total: self.total() }
    }

    /// The report about the analysis, with the mutants that survive these tests.
    pub(crate) fn report(&self, analysis: &AnalysedTests, tests: &[AssertedTest]) -> MutantReport {
        let report = analysis.report.clone();
        if report.not_run > 0 {
            return report;
        }
        MutantReport { surviving: self.surviving(analysis, tests).map(Mutant::to_string).collect(), ..report }
    }

    /// The mutants that none of these tests is known to kill.
    fn surviving(&self, analysis: &AnalysedTests, tests: &[AssertedTest]) -> impl Iterator<Item = &Mutant> {
        let mut killed: BTreeSet<MutantId> = BTreeSet::new();
        for (_, kills) in analysis.tests.iter().filter(|(test, _)| tests.contains(test)) {
            killed.extend(kills);
        }
        self.mutants
            .iter()
            .flatten()
            .enumerate()
            .filter(move |(place, _)| !killed.contains(&MutantId(*place as u32 + 1)))
            .map(|(_, m)| m)
    }
}

impl WantedTests<'_> {
    /// Whether the test is written for mutants that it kills: not where it shows that null or an object of
    /// a wrong class is refused, or an exception that the class under test only did not catch.
    fn counts_mutants(&self, place: usize, test: &AssertedTest) -> bool {
        !only_shows_check(test) && !self.foreign[place]
    }

    /// For each test, whether the suite needs it: for a goal, for a mutant that it kills, for one that
    /// it may be the only one to kill, or because it shows a likely fault.
    fn needed(&self, tests: &[AssertedTest], kills: &[Kills]) -> Vec<bool> {
        let of_all = |(place, kills): (usize, &Kills)| match self.counts_mutants(place, &tests[place]) {
            true => kills.killed_by(&vec![true; kills.by_assertion.len()]),
            false => self.differences.get(place).into_iter().flatten().map(|(number, _)| *number).collect(),
        };
        let killed: Vec<BTreeSet<MutantId>> = kills.iter().enumerate().map(of_all).collect();
        let known: BTreeSet<MutantId> = killed.iter().flatten().copied().collect();
        let shown: Vec<BTreeSet<u32>> = (0..tests.len())
            .map(|place| {
                let is_counted = |mutant: &&MutantId| !known.contains(mutant) && self.counts_mutants(place, &tests[place]);
                let open = kills[place].open.iter().filter(is_counted);
                self.reached[place].numbered(killed[place].iter().chain(open).copied())
            })
            .collect();
        let cover = minimum_cover(&shown, &self.costs);
        (0..tests.len()).map(|place| cover.contains(&place) || tests[place].fault.is_some()).collect()
    }
}

/// Whether the test shows that null or an object of a wrong class is refused. It is written for the
/// lines and exceptions that need it, and not for each mutant that it kills as well.
pub(super) fn only_shows_check(test: &AssertedTest) -> bool {
    test.expected.as_ref().is_some_and(|expected| is_of_check(&expected.class))
}

/// Compares the execution of a test under a mutant with its assertions.
pub(crate) fn mutant_outcome(context: &Context<'_>, test: &AssertedTest, execution: &Execution) -> MutantOutcome {
    let is_subclass = |class: &ClassName, of: &ClassName| class == of || context.program.is_subclass(class, of);
    oracle::mutant_outcome(test, execution, &is_subclass)
}

impl AnalysedTests {
    /// The mutants that the test kills, as far as they are known.
    pub(crate) fn killed_by(&self, test: &AssertedTest) -> BTreeSet<MutantId> {
        self.tests.iter().find(|(known, _)| known == test).map(|(_, killed)| killed.clone()).unwrap_or_default()
    }

    /// Enters a test with the mutants that it kills.
    pub(crate) fn enter(&mut self, test: AssertedTest, killed: BTreeSet<MutantId>) {
        self.tests.push((test, killed));
    }

    /// Enters a test that does all that two others do.
    pub(crate) fn join(&mut self, first: &AssertedTest, second: &AssertedTest, joined: &AssertedTest) {
        let killed = self.killed_by(first).union(&self.killed_by(second)).copied().collect();
        self.enter(joined.clone(), killed);
    }

    /// The tests with the assertions that they keep.
    pub(crate) fn tests(&self) -> Vec<AssertedTest> {
        self.tests.iter().map(|(test, _)| test.clone()).collect()
    }
}
