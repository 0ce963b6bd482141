//! Search for tests that kill mutants, in slices of the time of the main search.
//!
//! Flows in: the archive. Flows out: short tests that kill mutants which no other test kills, and
//! the worker for the mutation analysis. Must not know how candidates are varied.
//!
//! A slice runs the new tests of the archive. If there are none, it runs variations of tests that
//! reach or infect a surviving mutant (RIP; [`MutantPool`] chooses). A test runs under the mutants
//! that it infects only: a mutant that is not infected cannot be killed. When the search stagnates,
//! slices get most of the time, until they kill no more mutants.

use super::context::Context;
use super::mutation::{MutationAnalysis, mutant_outcome};
use super::target::Target;
use super::time_budget::TimeBudget;
use crate::config::Strategy;
use crate::execution::{MutantId, MutantRun, TestIndex};
use crate::jvm::JvmError;
use crate::oracle::{self, Accessibility, AssertedTest, MutantOutcome};
use crate::program::{ClassName, Cluster, MethodRef};
use crate::search::{Minimiser, MutantPool, Search, is_unchecked};
use crate::testcase::{TestCase, TestHash};
use std::collections::{BTreeSet, HashSet};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Tests of one slice, at most.
const ROUND: usize = 40;
/// Mutants that a varied test runs under in one slice, at most.
const RUNS_OF_TEST: usize = 24;
/// A slice begins where slices had less than this share of the time since the first one, while the
/// search gains goals and while it stagnates.
const SHARE: f64 = 0.3;
const SHARE_OF_STAGNATION: f64 = 0.65;
/// The search stagnates after this many executions without a gain.
const STAGNATES_AFTER: u64 = 4_000;
/// Share of the search time before the first slice, unless the search stagnates.
const HEAD_START: f64 = 0.2;
/// Tests for the mutation analysis, at most.
const MOST_KILLERS: usize = 160;
/// The rate of runs is known after this many.
const ENOUGH_RUNS: u64 = 100;
/// The mutant search is idle after this many slices without a kill.
const IDLE_AFTER: u32 = 60;
/// Where steps are counted, a slice follows each batch with a number divisible by this.
const BATCHES: u64 = 3;

/// A test and the mutants that it killed first.
#[derive(Clone, Debug)]
struct Killer {
    test: TestCase,
    mutants: Vec<MutantId>,
}

/// State of the mutant search of one class.
pub(crate) struct MutantSearch<'a> {
    context: &'a Context<'a>,
    cluster: &'a Arc<Cluster>,
    mutation: MutationAnalysis,
    pool: MutantPool,
    /// Executions of the archive whose tests have been run.
    seen_executions: BTreeSet<u64>,
    /// All tests that have been run.
    known: HashSet<TestHash>,
    killers: Vec<Killer>,
    /// When the first batch was over.
    searching: Option<Instant>,
    begin: Instant,
    spent: Duration,
    runs: u64,
    batches: u64,
    /// Slices since the last kill.
    slices_without_kill: u32,
    /// The strategy has no mutant search, or the worker cannot be used.
    failed: bool,
}

/// A test with its assertions and the mutants that it infects.
struct ObservedCandidate {
    test: Arc<TestCase>,
    asserted: AssertedTest,
    infected: Vec<MutantId>,
    /// See [`is_unchecked`].
    is_unchecked: bool,
}

impl<'a> MutantSearch<'a> {
    /// `None` where the class has no mutants.
    pub(crate) fn new(context: &'a Context<'a>, target: &'a Target) -> Option<MutantSearch<'a>> {
        let mutation = MutationAnalysis::new(context, target)?;
        Some(MutantSearch {
            context,
            cluster: target.cluster(),
            pool: MutantPool::new(mutation.total()),
            mutation,
            seen_executions: BTreeSet::new(),
            known: HashSet::new(),
            killers: Vec::new(),
            searching: None,
            begin: Instant::now(),
            spent: Duration::ZERO,
            runs: 0,
            batches: 0,
            slices_without_kill: 0,
            failed: matches!(context.config.strategy, Strategy::Random | Strategy::Dse),
        })
    }

    /// Searches no mutants, since there is no time for it.
    pub(crate) fn give_up(&mut self) {
        self.failed = true;
        self.mutation.give_up();
    }

    /// Number of mutants.
    pub(crate) fn mutant_count(&self) -> usize {
        self.mutation.total()
    }

    /// Excludes mutants in instructions that `ran` is true for; gives their number.
    pub(crate) fn exclude_mutants(&mut self, ran: impl Fn(&MethodRef, u32) -> bool) -> usize {
        let left_out = self.mutation.numbers(|mutant| {
            let method = MethodRef::new(ClassName::new(&mutant.class), &mutant.method, &mutant.descriptor);
            mutant.bcis.iter().any(|bci| ran(&method, *bci))
        });
        left_out.iter().for_each(|mutant| self.pool.mark_killed(*mutant));
        left_out.len()
    }

    /// Starts the worker in the background. The start is given up at the deadline.
    pub(crate) fn start_worker(&mut self, deadline: Option<Instant>) {
        self.mutation.start(deadline);
    }

    /// Whether no further kill is expected.
    pub(crate) fn is_idle(&self) -> bool {
        self.failed || self.slices_without_kill >= IDLE_AFTER || self.pool.surviving() == 0
    }

    /// Whether a slice is due. To be called once after each batch of the search.
    pub(crate) fn is_due(&mut self, search: &Search, budget: &TimeBudget) -> bool {
        self.batches += 1;
        if self.failed || self.pool.surviving() == 0 {
            return false;
        }
        let stagnates = search.stagnation() > STAGNATES_AFTER;
        let Some(until) = budget.search_until() else {
            return self.batches.is_multiple_of(BATCHES) && (stagnates || self.batches > 10 * BATCHES);
        };
        let searching = self.searching.get_or_insert_with(Instant::now).elapsed();
        let whole = searching + until.saturating_duration_since(Instant::now());
        let early = |part: f64| !stagnates && searching < whole.mul_f64(part * HEAD_START);
        if !early(0.5) {
            self.start_worker(budget.end());
        }
        if !self.mutation.is_ready() || early(1.0) {
            self.begin = Instant::now();
            return false;
        }
        let idle = if self.is_idle() { 0.2 } else { 1.0 };
        let share = if stagnates { SHARE_OF_STAGNATION } else { SHARE } * idle;
        self.spent < self.begin.elapsed().mul_f64(share)
    }

    /// Runs one slice; gives its number of runs.
    ///
    /// Fails where the worker fails for another reason than the mutants in its code.
    pub(crate) fn run_slice(&mut self, search: &mut Search, deadline: Option<Instant>) -> Result<u64, JvmError> {
        let begin = Instant::now();
        let runs = self.try_tests(search, deadline);
        self.spent += begin.elapsed();
        let runs = self.tolerate_failing_worker(runs)?;
        self.runs += runs;
        Ok(runs)
    }

    /// Runs per second; `None` before there were enough runs.
    pub(crate) fn runs_per_second(&self) -> Option<f64> {
        (self.runs >= ENOUGH_RUNS).then(|| self.runs as f64 / self.spent.as_secs_f64().max(0.001))
    }

    /// Ends the mutant search where the worker keeps failing: the class is tested without it.
    fn tolerate_failing_worker<T: Default>(&mut self, result: Result<T, JvmError>) -> Result<T, JvmError> {
        match result {
            Err(JvmError::KeepsFailing { .. } | JvmError::Start(_)) => {
                self.failed = true;
                Ok(T::default())
            }
            // It may be ready for the mutation analysis.
            Err(JvmError::Late) => Ok(T::default()),
            other => other,
        }
    }

    /// Runs new tests of the archive, or else variations; gives the number of runs.
    fn try_tests(&mut self, search: &mut Search, deadline: Option<Instant>) -> Result<u64, JvmError> {
        let mut tests: Vec<(TestCase, Option<MutantId>)> = Vec::new();
        for (kept, _) in search.archive().tests() {
            if tests.len() < ROUND && self.seen_executions.insert(kept.execution) && self.known.insert(kept.test.canonical_hash())
            {
                tests.push((TestCase::clone(&kept.test), None));
            }
        }
        let varied = tests.is_empty();
        for _ in 0..2 * ROUND {
            if !varied || tests.len() >= ROUND {
                break;
            }
            let Some((mutant, parent)) = self.pool.next_target(search.random_u32()) else { break };
            let child = search.mutate_test(&parent);
            if !child.is_empty() && self.known.insert(child.canonical_hash()) {
                tests.push((child, Some(mutant)));
            }
        }
        let aims: Vec<Option<MutantId>> = tests.iter().map(|(_, aim)| *aim).collect();
        let (ready, mut runs) = self.prepare(search, tests.into_iter().map(|(test, _)| test).collect(), deadline)?;
        let before = self.pool.surviving();
        // The mutant that a test was varied for comes first. A varied test runs under a limited
        // number of others.
        let (ready, open): (Vec<ObservedCandidate>, Vec<Vec<MutantId>>) = ready
            .into_iter()
            .zip(&aims)
            .filter_map(|(ready, aim)| {
                // A mutant that only such a test kills stays open for other tests.
                let ready = ready.filter(|ready| !ready.is_unchecked)?;
                let mut open: Vec<MutantId> =
                    ready.infected.iter().copied().filter(|mutant| self.pool.is_surviving(*mutant)).collect();
                open.sort_by_key(|mutant| (Some(*mutant) != *aim, *mutant));
                open.truncate(if varied { RUNS_OF_TEST } else { usize::MAX });
                Some((ready, open))
            })
            .unzip();
        let (mut killed, more) = self.run(&ready, open, deadline)?;
        killed.iter().flatten().for_each(|mutant| self.pool.mark_killed(*mutant));
        runs += more;
        let cases: Vec<TestCase> = ready.iter().map(|ready| ready.asserted.test.clone()).collect();
        // A test whose result differs between two runs without a mutant kills nothing.
        let suspects: Vec<MutantRun> = (0..ready.len())
            .filter(|index| !killed[*index].is_empty())
            .map(|index| MutantRun { test: TestIndex(index as u32), mutant: None })
            .collect();
        let again = self.mutation.worker(deadline)?.run(&cases, &suspects, deadline)?;
        runs += again.len() as u64;
        for (index, execution) in suspects.iter().map(|run| run.test.index()).zip(&again) {
            if mutant_outcome(self.context, &ready[index].asserted, execution) == MutantOutcome::Survived {
                let mutants = std::mem::take(&mut killed[index]);
                self.killers.push(Killer { test: TestCase::clone(&ready[index].test), mutants });
            }
        }
        if varied {
            self.slices_without_kill = if self.pool.surviving() < before { 0 } else { self.slices_without_kill + 1 };
        }
        Ok(runs.max(1))
    }

    /// Observes the tests without a mutant. For each test that can become a test gives its
    /// assertions and the mutants that it infects; gives the number of runs as well.
    fn prepare(
        &mut self,
        search: &Search,
        tests: Vec<TestCase>,
        deadline: Option<Instant>,
    ) -> Result<(Vec<Option<ObservedCandidate>>, u64), JvmError> {
        let observed: Vec<_> = tests.iter().map(|test| oracle::append_inspectors(test, self.cluster)).collect();
        let cases: Vec<TestCase> = observed.iter().map(|observed| observed.test.clone()).collect();
        let baselines = self.mutation.worker(deadline)?.baseline(&cases, deadline)?;
        let reach = Accessibility::new(&self.context.program, &self.cluster.test_package).for_release(self.cluster.release);
        let options = self.context.state_options();
        let mut ready: Vec<Option<ObservedCandidate>> = Vec::with_capacity(tests.len());
        let runs = baselines.len() as u64;
        for ((test, observed), baseline) in tests.into_iter().zip(&observed).zip(baselines) {
            ready.push((|| {
                let whole = search.valid_prefix(&test, &baseline.execution)?;
                let asserted =
                    oracle::state_assertions(observed, std::slice::from_ref(&baseline.execution), &reach, &options).ok()?;
                let test = Arc::new(whole);
                self.pool.record_run(&test, &baseline.reached, &baseline.infected);
                let is_unchecked = is_unchecked(&baseline.execution.end);
                Some(ObservedCandidate { test, asserted, infected: baseline.infected, is_unchecked })
            })());
        }
        ready.resize_with(observed.len(), || None);
        Ok((ready, runs))
    }

    /// Runs each test under its mutants, in order. A mutant that one test has killed is not tried
    /// with others. Gives the kills of each test and the number of runs.
    fn run(
        &mut self,
        ready: &[ObservedCandidate],
        mut waiting: Vec<Vec<MutantId>>,
        deadline: Option<Instant>,
    ) -> Result<(Vec<Vec<MutantId>>, u64), JvmError> {
        let cases: Vec<TestCase> = ready.iter().map(|ready| ready.asserted.test.clone()).collect();
        waiting.iter_mut().for_each(|mutants| mutants.reverse());
        let mut killed: Vec<Vec<MutantId>> = vec![Vec::new(); ready.len()];
        let (mut dead, mut runs) = (BTreeSet::new(), 0);
        loop {
            // Each mutant runs with one test at a time.
            let mut claimed: BTreeSet<MutantId> = BTreeSet::new();
            let mut round: Vec<(TestIndex, MutantId)> = Vec::new();
            for (test, open) in (0..).map(TestIndex).zip(&mut waiting) {
                while open.last().is_some_and(|mutant| dead.contains(mutant)) {
                    open.pop();
                }
                while let Some(mutant) = open.pop_if(|mutant| claimed.insert(*mutant)) {
                    round.push((test, mutant));
                }
            }
            if round.is_empty() {
                return Ok((killed, runs));
            }
            let asked: Vec<MutantRun> = round.iter().map(|&(test, mutant)| MutantRun { test, mutant: Some(mutant) }).collect();
            let done = self.mutation.worker(deadline)?.run(&cases, &asked, deadline)?;
            runs += done.len() as u64;
            for (&(test, mutant), execution) in round.iter().zip(&done) {
                if mutant_outcome(self.context, &ready[test.index()].asserted, execution) != MutantOutcome::Survived {
                    dead.insert(mutant);
                    killed[test.index()].push(mutant);
                }
            }
            if done.len() < round.len() {
                return Ok((killed, runs));
            }
        }
    }

    /// Whether every test of the archive was run under mutants.
    pub(crate) fn has_seen(&self, search: &Search) -> bool {
        !self.failed && search.archive().tests().iter().all(|(kept, _)| self.seen_executions.contains(&kept.execution))
    }

    /// Ends the mutant search. Gives the tests that kill mutants which no `required` test kills,
    /// minimised while they still do, and the analysis with its worker.
    ///
    /// Fails where the worker fails for another reason than the mutants in its code.
    pub(crate) fn finish(
        mut self,
        search: &Search,
        required: &[TestCase],
        budget: &mut TimeBudget,
    ) -> Result<(MutationAnalysis, Vec<TestCase>), JvmError> {
        let mut killers = std::mem::take(&mut self.killers);
        let dead = self.kills_of(search, required, budget);
        let dead = self.tolerate_failing_worker(dead)?;
        killers.iter_mut().for_each(|killer| killer.mutants.retain(|mutant| !dead.contains(mutant)));
        killers.retain(|killer| !killer.mutants.is_empty());
        // Tests with many kills come first, because time may end before all are minimised.
        killers.sort_by_key(|killer| std::cmp::Reverse(killer.mutants.len()));
        killers.truncate(MOST_KILLERS);
        let minimiser = |killer: &Killer| {
            let target = oracle::method_under_test(&killer.test, self.cluster);
            Minimiser::new(killer.test.clone(), Vec::new()).ending_with(target.as_ref())
        };
        let mut minimisers: Vec<Minimiser> = killers.iter().map(minimiser).collect();
        while budget.may_minimise() && !self.context.interrupt.is_set() && !self.failed {
            let asked: Vec<Vec<TestCase>> = minimisers.iter_mut().map(Minimiser::ask).collect();
            let goals = search.goals();
            let candidates: Vec<Shortened<'_>> = asked
                .iter()
                .zip(&killers)
                .zip(&minimisers)
                .flat_map(|((asked, killer), minimiser)| {
                    let injected = goals.count_injected(minimiser.result());
                    let shortened = move |test: &TestCase| {
                        let forgets = goals.count_injected(test) < injected;
                        Shortened { test: test.clone(), mutants: &killer.mutants, forgets_injection: forgets }
                    };
                    asked.iter().map(shortened)
                })
                .collect();
            if candidates.is_empty() {
                break;
            }
            let verdicts = self.still_kill(search, &candidates, budget);
            let (verdicts, runs) = self.tolerate_failing_worker(verdicts)?;
            budget.use_steps(runs);
            let mut verdicts = verdicts.into_iter();
            for (minimiser, asked) in minimisers.iter_mut().zip(&asked).filter(|(_, asked)| !asked.is_empty()) {
                let mut own: Vec<bool> = verdicts.by_ref().take(asked.len()).collect();
                own.resize(asked.len(), false);
                minimiser.accept(&own);
            }
        }
        Ok((self.mutation, minimisers.iter().map(|minimiser| minimiser.result().clone()).collect()))
    }

    /// The mutants that these tests kill together.
    fn kills_of(&mut self, search: &Search, tests: &[TestCase], budget: &mut TimeBudget) -> Result<BTreeSet<MutantId>, JvmError> {
        let deadline = budget.minimise_deadline();
        let (ready, runs) = self.prepare(search, tests.to_vec(), deadline)?;
        let ready: Vec<ObservedCandidate> = ready.into_iter().flatten().collect();
        let open = ready.iter().map(|ready| ready.infected.clone()).collect();
        let (killed, more) = self.run(&ready, open, deadline)?;
        budget.use_steps(runs + more);
        Ok(killed.into_iter().flatten().collect())
    }

    /// Whether each test, as a whole, still kills all of its mutants; and the number of runs.
    fn still_kill(
        &mut self,
        search: &Search,
        tests: &[Shortened<'_>],
        budget: &TimeBudget,
    ) -> Result<(Vec<bool>, u64), JvmError> {
        let deadline = budget.minimise_deadline();
        let (ready, mut runs) = self.prepare(search, tests.iter().map(|shortened| shortened.test.clone()).collect(), deadline)?;
        let mut verdicts: Vec<bool> = ready
            .iter()
            .zip(tests)
            .map(|(ready, Shortened { test, mutants, forgets_injection })| {
                ready.as_ref().is_some_and(|ready| {
                    let throws_null = ready.asserted.expected.as_ref().is_some_and(|thrown| is_null_pointer(&thrown.class));
                    *ready.test == *test
                        && !(*forgets_injection && throws_null)
                        && !ready.is_unchecked
                        && mutants.iter().all(|mutant| ready.infected.binary_search(mutant).is_ok())
                })
            })
            .collect();
        let places: Vec<usize> = (0..tests.len()).filter(|place| verdicts[*place]).collect();
        let asserted: Vec<&AssertedTest> =
            places.iter().filter_map(|place| ready[*place].as_ref()).map(|ready| &ready.asserted).collect();
        let cases: Vec<TestCase> = asserted.iter().map(|asserted| asserted.test.clone()).collect();
        let asked: Vec<MutantRun> = (0..)
            .map(TestIndex)
            .zip(&places)
            .flat_map(|(test, place)| tests[*place].mutants.iter().map(move |mutant| MutantRun { test, mutant: Some(*mutant) }))
            .collect();
        let done = self.mutation.worker(deadline)?.run(&cases, &asked, deadline)?;
        runs += done.len() as u64;
        for (index, case) in asked.iter().map(|run| run.test.index()).enumerate() {
            let noticed = done
                .get(index)
                .is_some_and(|execution| mutant_outcome(self.context, asserted[case], execution) != MutantOutcome::Survived);
            verdicts[places[case]] &= noticed;
        }
        Ok((verdicts, runs))
    }
}

/// A shorter form of a test that kills mutants.
struct Shortened<'a> {
    test: TestCase,
    /// The mutants that it still has to kill.
    mutants: &'a [MutantId],
    /// It lost a value that a container injects. Then a `NullPointerException` says nothing.
    forgets_injection: bool,
}

fn is_null_pointer(class: &ClassName) -> bool {
    class.internal() == "java/lang/NullPointerException"
}
