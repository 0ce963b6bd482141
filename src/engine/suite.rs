//! From the archive to tests with assertions: choose, minimise, observe, select.
//!
//! Flows in: the archive, a search worker, the mutant search. Flows out: tests with assertions,
//! what they cover, and which mutants they kill. Must not know how tests are rendered or verified.
//! Tests are observed in two JVMs that differ in identity hashes, in iteration order and in the
//! time zone. Only what both agree on is asserted.

mod differences;
mod ignored_calls;
mod joining;
mod measured;

use super::context::Context;
use super::covered_goals::{CoveredGoals, archived_suite};
use super::governed_facts::governed_facts;
use super::hidden_calls::costs_of;
use super::leftovers::{Restoration, Restored};
use super::mutant_search::MutantSearch;
use super::mutation::{AnalysedTests, MutationAnalysis, WantedTests, only_shows_check};
use super::observation::{Observation, StatingRules, effects, execute, interactions};
use super::obstacles::{record_lost, unobserved_cause};
use super::old_version::OldVersion;
use super::shortening::Shortening;
use super::shown_test::ShownTest;
use super::target::Target;
use super::tests_apart::{
    TestsApart, is_own_collection, is_worth_a_test, leave_out_parts, with_early_ends, with_parts, with_parts_apart,
};
use super::time_budget::TimeBudget;
use super::unasked_answers::without_unasked_answers;
use super::usual_objects::UsualObjects;
use super::value_relevance::find_value_relevance;
use super::wanted_paths::AnsweredPaths;
use super::workers::ObserverStart;
use crate::execution::{Execution, Leftovers, MutantId, RunEnd};
use crate::jvm::{JvmError, SearchWorker, WorkerStatistics};
use crate::oracle::{self, Accessibility, AssertedTest, DiscardReason};
use crate::program::{BranchOutcome, ClassName, Cluster, MethodRef};
use crate::report::{CoverageCount, Discarded, MutantReport, UntestedCause, UnverifiedReason};
use crate::search::{
    GoalId, GoalRegistry, Minimiser, Search, Weakness, choose_suite, choose_suite_apart, is_unchecked, minimum_cover,
};
use crate::testcase::{TestCase, TestHash};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Instant;
use tracewright_trace::BranchSlot;

/// Spare tests that are observed, and statements of a spare test, at most.
const MOST_SPARE: usize = 120;
const LONGEST_SPARE: usize = 12;
/// Rounds of minimising that only tests for goals take part in.
const ROUNDS_OF_REQUIRED: usize = 3;
/// Tests that are finished where time is short. There is no time to verify more.
const MOST_IN_SHORT: usize = 30;

/// The tests of a class on their way from the archive to the test file.
pub(crate) struct Suite<'a> {
    context: &'a Context<'a>,
    /// The class under test.
    class: ClassName,
    cluster: &'a Arc<Cluster>,
    worker: SearchWorker,
    observer: Option<ObserverStart>,
    /// The earlier version of the class (`diff`).
    old: Option<OldVersion>,
    /// The paths that the user asks for.
    paths: Option<AnsweredPaths<'a>>,
    /// The class file has a line number table.
    has_lines: bool,
    /// See [`Target::draws_random`].
    draws_random: bool,
    /// The branches of the classes under test.
    branches: BTreeMap<BranchSlot, BranchOutcome>,
    /// Statistics of the second observer.
    second: WorkerStatistics,
    mutant_search: Option<MutantSearch<'a>>,
    mutation: Option<MutationAnalysis>,
    analysis: AnalysedTests,
    /// Short tests of the archive that cover no further goal. They may kill mutants.
    spare: Vec<TestCase>,
    /// Of each observed test.
    standings: Vec<Standing>,
    /// By canonical hash of the test.
    goals_by_test: BTreeMap<TestHash, CoveredGoals>,
    /// What tests covered when they were observed, by canonical hash without inspectors.
    observed_goals: BTreeMap<TestHash, CoveredGoals>,
    /// The shared state that tests changed when they were observed, by canonical hash without
    /// inspectors.
    leftovers: BTreeMap<TestHash, Leftovers>,
    /// Of a test that was not measured.
    nothing: CoveredGoals,
}

/// What an observed test is for, and how good it is.
#[derive(Clone, Copy, Debug)]
struct Standing {
    /// A goal requires it; otherwise it is spare.
    required: bool,
    weakness: Weakness,
}

impl<'a> Suite<'a> {
    /// `mutant_search` contributes tests that kill mutants, and the worker of the mutation
    /// analysis.
    pub(crate) fn new(
        context: &'a Context<'a>,
        target: &'a Target,
        worker: SearchWorker,
        mutant_search: Option<MutantSearch<'a>>,
        observer: Option<ObserverStart>,
        old: Option<OldVersion>,
    ) -> Suite<'a> {
        // A class without mutants has no mutant search.
        let mutation = mutant_search.is_none().then(|| MutationAnalysis::of_nothing(context, target));
        Suite {
            context,
            class: target.name().clone(),
            cluster: target.cluster(),
            worker,
            observer,
            old,
            paths: None,
            has_lines: target.slot_counts().1 > 0,
            draws_random: target.draws_random(),
            branches: target.branch_slots().map(|(branch, slot)| (slot, branch.clone())).collect(),
            second: WorkerStatistics::default(),
            mutant_search,
            mutation,
            analysis: AnalysedTests::default(),
            spare: Vec::new(),
            standings: Vec::new(),
            goals_by_test: BTreeMap::new(),
            observed_goals: BTreeMap::new(),
            leftovers: BTreeMap::new(),
            nothing: CoveredGoals::default(),
        }
    }

    /// Chooses the tests that the covered goals require, and minimises each.
    ///
    /// Fails where the worker cannot be kept running. Counts in `discarded` what a short budget has no time for.
    pub(crate) fn minimise(
        &mut self,
        search: &Search,
        budget: &mut TimeBudget,
        discarded: &mut Discarded,
    ) -> Result<Vec<TestCase>, JvmError> {
        if let Some(paths) = &self.paths {
            let tests = paths.tests();
            let tests = self.with_mutation(search, tests, budget)?;
            self.spare.clear();
            return Ok(tests);
        }
        if budget.is_short() {
            let mut tests = archived_suite(search);
            discarded.count_unverified(UnverifiedReason::NoTime, tests.len().saturating_sub(MOST_IN_SHORT));
            tests.truncate(MOST_IN_SHORT);
            return self.with_mutation(search, tests, budget);
        }
        let goals = search.goals();
        // Nothing of the archive could be kept without this run, so it gets more time than
        // minimising.
        self.worker.set_deadline(budget.rerun_deadline());
        let archived: Vec<TestCase> = search.archive().tests().into_iter().map(|(kept, _)| TestCase::clone(&kept.test)).collect();
        budget.use_steps(archived.len() as u64);
        let executed: Vec<(TestCase, Execution)> = execute_tests(&mut self.worker, archived)?;
        if executed.iter().any(|(_, execution)| execution.end == RunEnd::Unrun) {
            tracing::debug!("no time to run the archive again");
            return self.with_mutation(search, archived_suite(search), budget);
        }
        self.log_lost_goals(search, &executed);
        // A test that reaches no line of the class under test is useless, whatever else it reaches.
        let says_nothing = |execution: &Execution| self.has_lines && execution.lines.is_empty() && execution.end != RunEnd::Unrun;
        let executed: Vec<(TestCase, Execution)> =
            executed.into_iter().filter(|(_, execution)| !says_nothing(execution)).collect();
        let chosen = choose_suite(goals, &executed);
        let needed: BTreeSet<usize> = chosen.iter().map(|chosen| chosen.index).collect();
        // The mutant search knows all tests that kill mutants, where it has run the whole archive.
        let mutants_searched = self.mutant_search.as_ref().is_some_and(|mutant_search| mutant_search.has_seen(search));
        // Mutants in goals that recorded tests cover are not wanted.
        let has_mutants = self.mutant_search.is_some();
        let wants_spare = has_mutants && !mutants_searched && !goals.has_closed_goals() && budget.has_time_to_spare();
        let mut spare: Vec<&(TestCase, Execution)> = (0..executed.len())
            .filter(|index| wants_spare && !needed.contains(index) && executed[*index].0.statements.len() <= LONGEST_SPARE)
            .filter(|index| !is_unchecked(&executed[*index].1.end))
            .map(|index| &executed[index])
            .collect();
        spare.sort_by_key(|(test, _)| test.statements.len());
        tracing::debug!(archived = executed.len(), chosen = chosen.len(), spare = spare.len(), "to be minimised");
        self.worker.set_deadline(budget.minimise_deadline());
        let wanted: Vec<(TestCase, Execution)> = chosen.iter().map(|chosen| executed[chosen.index].clone()).collect();
        let is_worth = |test: &TestCase, method: &MethodRef| is_worth_a_test(self.cluster, goals, test, method);
        let (wanted, runs) = TestsApart::with_beginnings(wanted, goals, &is_worth, &mut self.worker)?;
        budget.use_steps(runs);
        let chosen = choose_suite_apart(goals, &wanted.tests, &wanted.begins_with);
        let chosen_tests: Vec<TestCase> = chosen.iter().map(|chosen| wanted.tests[chosen.index].0.clone()).collect();
        let apart = wanted.beginnings_among(&chosen);
        let (interactions, runs) = interactions(&mut self.worker, &chosen_tests)?;
        budget.use_steps(runs);
        let required = chosen.into_iter().zip(&interactions).map(|(chosen, interactions)| {
            let (test, execution) = &wanted.tests[chosen.index];
            Minimiser::new(test.clone(), chosen.goals)
                .with_weakness(goals.weakness(test, &execution.end))
                .ending_with(oracle::method_under_test(test, self.cluster).as_ref())
                .with_interactions(interactions)
        });
        let mut minimisers: Vec<Minimiser> = required.collect();
        let required = minimisers.len();
        // A spare test is kept for the goals of its last call.
        minimisers.extend(spare.into_iter().take(MOST_SPARE).map(|(test, execution)| {
            let target = oracle::method_under_test(test, self.cluster);
            let own = target.as_ref().and_then(|target| goals.method_id(target));
            let covered = goals.covered_by(test, execution).into_iter();
            let covered = covered.filter(|goal| own.is_some() && goals.method_of(*goal) == own);
            Minimiser::keeping_literals(test.clone(), covered.collect()).ending_with(target.as_ref())
        }));
        let mut round = 0;
        while budget.may_minimise() && !self.context.interrupt.is_set() {
            // The first rounds shorten most; spare tests wait for those that are written.
            let taking_part = if round < ROUNDS_OF_REQUIRED { required } else { minimisers.len() };
            round += 1;
            let asked: Vec<Vec<TestCase>> = minimisers.iter_mut().take(taking_part).map(Minimiser::ask).collect();
            let candidates: Vec<TestCase> = asked.iter().flatten().cloned().collect();
            if candidates.is_empty() && round > ROUNDS_OF_REQUIRED {
                break;
            }
            budget.use_steps(candidates.len() as u64);
            let mut executions = execute(&mut self.worker, &candidates, false)?.into_iter();
            for (minimiser, asked) in minimisers.iter_mut().zip(&asked).filter(|(_, asked)| !asked.is_empty()) {
                let own: Vec<Execution> = executions.by_ref().take(asked.len()).collect();
                minimiser.tell(goals, &own);
            }
        }
        // A minimised test may make another one unnecessary.
        self.worker.set_deadline(budget.rerun_deadline());
        let spare: Vec<TestCase> = minimisers.split_off(required).iter().map(|minimiser| minimiser.result().clone()).collect();
        budget.use_steps(minimisers.len() as u64);
        let small = execute_tests(&mut self.worker, minimisers.iter().map(|minimiser| minimiser.result().clone()).collect())?;
        let mut usual = UsualObjects { class: &self.class, cluster: self.cluster, goals, worker: &mut self.worker };
        let small = with_parts_apart(usual.in_tests(small)?, goals, &mut self.worker)?;
        let required: Vec<TestCase> = if small.iter().any(|(_, execution)| execution.end == RunEnd::Unrun) {
            small.into_iter().map(|(test, _)| test).collect()
        } else {
            choose_suite_apart(goals, &small, &apart).into_iter().map(|chosen| small[chosen.index].0.clone()).collect()
        };
        self.spare = spare;
        let required = self.with_mutation(search, required, budget)?;
        let mut usual = UsualObjects { class: &self.class, cluster: self.cluster, goals, worker: &mut self.worker };
        self.spare = usual.in_further(&required, std::mem::take(&mut self.spare))?;
        Ok(required)
    }

    /// Ends the mutant search: its tests become spare tests. Gives the required tests back.
    fn with_mutation(
        &mut self,
        search: &Search,
        required: Vec<TestCase>,
        budget: &mut TimeBudget,
    ) -> Result<Vec<TestCase>, JvmError> {
        if let Some(mutant_search) = self.mutant_search.take() {
            let (mutation, killers) = mutant_search.finish(search, &required, budget)?;
            self.mutation = Some(mutation);
            let goals = search.goals();
            let is_worth = |test: &TestCase, method: &MethodRef| is_worth_a_test(self.cluster, goals, test, method);
            let further = killers.into_iter().chain(std::mem::take(&mut self.spare)).collect();
            let further = with_parts(further, &|method| goals.method_id(method).is_some());
            self.spare = with_early_ends(further, &is_worth, &|class| is_own_collection(self.cluster, class));
        }
        if let Some(old) = &mut self.old {
            old.shorten(self.context, self.cluster, &mut self.worker, budget.minimise_deadline())?;
            self.spare.splice(..0, old.differing());
        }
        let mut seen: BTreeSet<TestHash> = required.iter().map(TestCase::canonical_hash).collect();
        self.spare.retain(|test| !test.is_empty() && seen.insert(test.canonical_hash()));
        Ok(required)
    }

    /// Logs goals that no test of the archive covers when it is run again. Their coverage depended
    /// on earlier executions.
    fn log_lost_goals(&self, search: &Search, executed: &[(TestCase, Execution)]) {
        let again: BTreeSet<GoalId> =
            executed.iter().flat_map(|(test, execution)| search.goals().covered_by(test, execution)).collect();
        for (goal, kept) in search.archive().iter().filter(|(goal, _)| !again.contains(goal)) {
            tracing::debug!("{:?} is lost when its test runs again:\n{}", search.goals().goal(goal), kept.test);
        }
    }

    /// Observes the tests in two JVMs and asserts what was the same. Tests that cannot be observed
    /// are counted in `discarded`. Where the second JVM is late or fails, the first one alone is
    /// believed.
    ///
    /// Fails where the first worker cannot be kept running.
    pub(crate) fn observe(
        &mut self,
        tests: &[TestCase],
        goals: &GoalRegistry,
        budget: &mut TimeBudget,
        discarded: &mut Discarded,
    ) -> Result<Vec<AssertedTest>, JvmError> {
        self.worker.set_deadline(budget.observe_deadline());
        let spare = if self.mutation.is_some() { std::mem::take(&mut self.spare) } else { Vec::new() };
        let mut observation = Observation::begin(tests.iter().chain(&spare), self.cluster, &mut self.worker)?;
        observation.drop_needless_parts(self.cluster, &mut self.worker)?;
        match self.second_observer(budget) {
            None => {}
            Some(Ok(mut other)) => {
                other.set_deadline(budget.repeat_deadline());
                let repeated = observation.repeat(&mut other, Some(&mut self.worker));
                self.second = other.statistics();
                if let Err(error) = repeated {
                    // Where steps are counted, the tests must not depend on it.
                    if budget.counts_steps() {
                        return Err(error);
                    }
                    tracing::warn!("the second observer failed: {error}");
                }
            }
            Some(Err(error)) if budget.counts_steps() => return Err(error),
            Some(Err(error)) => tracing::warn!("no second observer: {error}"),
        }
        if self.draws_random {
            observation.repeat_for_chance(&mut self.worker)?;
        }
        let rules = StatingRules::new(self.context, self.cluster);
        let (mut asserted, mut received) = (Vec::new(), Vec::new());
        let message_of = |execution: &Execution| match &execution.end {
            RunEnd::Threw { thrown, .. } => thrown.message.as_ref().map(|units| String::from_utf16_lossy(units)),
            _ => None,
        };
        for (place, observed) in observation.observed().iter().enumerate() {
            let execution = observation.first(place);
            match observation.state(place, &rules) {
                Ok(test) => {
                    self.observed_goals.insert(acted_hash(&test), CoveredGoals::of(&observed.test, execution, goals));
                    self.leftovers.insert(acted_hash(&test), execution.leftovers.clone());
                    let weakness = goals.weakness(&observed.test, &execution.end);
                    self.standings.push(Standing { required: place < tests.len(), weakness });
                    asserted.push(test);
                    received.push(observation.received_calls(place, &self.branches));
                }
                Err(reason) => {
                    let (cause, detail) = unobserved_cause(&reason, message_of(execution).as_deref());
                    record_lost(discarded, &observed.test, cause, &detail);
                    match reason {
                        _ if place >= tests.len() => {}
                        DiscardReason::Unstable => discarded.flaky += 1,
                        reason => *discarded.unobserved.entry(reason.to_string()).or_default() += 1,
                    }
                }
            }
        }
        // Only the mutants tell which of these facts are worth a line.
        if self.mutation.is_some() {
            let access = rules.access();
            let places = |caller: &MethodRef, called: &MethodRef| self.context.program.places_of_calls(caller, called);
            oracle::state_absent_calls(&mut asserted, &received, |fact| oracle::can_verify_any(fact, &access), places);
        }
        Ok(asserted)
    }

    /// The second observer, where there is one; waits until it has started or its time is over.
    fn second_observer(&mut self, budget: &mut TimeBudget) -> Option<Result<SearchWorker, JvmError>> {
        let starting = self.observer.take()?;
        Some(match starting.wait(budget.repeat_deadline()) {
            Ok((started, _)) => started.map(|(other, start)| {
                let mut speed = budget.speed();
                speed.observe_worker_start(start);
                budget.set_speed(speed);
                other
            }),
            Err(missing) => Err(starting.error(missing)),
        })
    }

    /// Keeps the cheapest tests that together cover the goals and kill the mutants, and their
    /// assertions that kill. Without a worker of the mutants, the required tests stay as they are.
    ///
    /// Fails where the first worker cannot be kept running.
    pub(crate) fn select(
        &mut self,
        asserted: Vec<AssertedTest>,
        goals: &GoalRegistry,
        budget: &TimeBudget,
    ) -> Result<Vec<AssertedTest>, JvmError> {
        let standings = std::mem::take(&mut self.standings);
        if self.mutation.is_none() {
            return Ok(asserted);
        }
        // Inspectors count only once their assertions are chosen.
        let mut reached = self.covered_in_runs(&asserted, |test| first_statements(&test.test, test.acted), goals)?;
        self.leave_out_ignored_calls(&asserted, &mut reached, goals, false)?;
        let costs = costs_of(&self.context.program, &asserted);
        let costs = costs.iter().zip(&standings).map(|(cost, standing)| cost + standing.weakness.cost()).collect();
        let effects = effects(&mut self.worker, &asserted)?;
        let ways: Vec<BTreeSet<BranchOutcome>> = reached.iter().map(|reached| reached.outcomes(goals, &self.branches)).collect();
        let governed = governed_facts(&self.context.program, &asserted, &ways);
        let required: Vec<bool> = standings.iter().map(|standing| standing.required).collect();
        let foreign = standings.iter().map(|standing| standing.weakness.is_foreign_exception()).collect();
        let differences = match (&mut self.old, &mut self.paths) {
            (Some(old), _) => old.outcomes(self.context, &asserted)?,
            (None, Some(paths)) => paths.outcomes(&asserted)?,
            (None, None) => Vec::new(),
        };
        let wanted = WantedTests { required: &required, reached, costs, effects, governed, foreign, differences };
        let Some(mutation) = &mut self.mutation else { return Ok(asserted) };
        tracing::debug!(
            tests = asserted.len(),
            required = required.iter().filter(|required| **required).count(),
            "to be selected"
        );
        Ok(match mutation.analyse(self.context, &asserted, &wanted, budget.mutate_deadline()) {
            Ok(analysis) => {
                self.analysis = analysis;
                self.analysis.tests()
            }
            // Without a mutation analysis, the required tests are kept as they are.
            Err(error) => {
                tracing::warn!("no mutation analysis: {error}");
                let required = asserted.into_iter().zip(required).filter(|(_, required)| *required);
                required.map(|(test, _)| test.without_absent_calls()).collect()
            }
        })
    }

    /// The observed tests without those that change state which nothing puts back. They are counted
    /// in `discarded`. Called before [`Suite::select`], so that other tests are chosen in their place.
    ///
    /// Fails where the worker cannot be kept running.
    pub(crate) fn without_lasting_changes(
        &mut self,
        tests: Vec<AssertedTest>,
        budget: &TimeBudget,
        discarded: &mut Discarded,
    ) -> Result<Vec<AssertedTest>, JvmError> {
        let is_private = |test: &AssertedTest| self.leftovers.get(&acted_hash(test)).is_none_or(Leftovers::is_private);
        let places: Vec<usize> = (0..tests.len()).filter(|place| !is_private(&tests[*place])).collect();
        let changing: Vec<AssertedTest> = places.iter().map(|place| tests[*place].clone()).collect();
        let restored = self.restore(changing, budget, discarded)?;
        let lost: BTreeSet<usize> =
            places.into_iter().zip(&restored).filter(|(_, restored)| restored.is_none()).map(|(place, _)| place).collect();
        let mut kept = (0..tests.len()).map(|place| !lost.contains(&place)).cycle();
        self.standings.retain(|_| kept.next().unwrap_or(true));
        Ok(tests.into_iter().filter(|_| kept.next().unwrap_or(true)).collect())
    }

    /// Makes the tests put back the state that they share with other tests. Those that cannot are
    /// counted in `discarded`.
    ///
    /// Fails where the worker cannot be kept running.
    pub(crate) fn restore_shared_state(
        &mut self,
        tests: Vec<AssertedTest>,
        budget: &TimeBudget,
        discarded: &mut Discarded,
    ) -> Result<Vec<AssertedTest>, JvmError> {
        Ok(self.restore(tests, budget, discarded)?.into_iter().flatten().collect())
    }

    /// The tests with what puts their changes back; `None` for each that cannot.
    fn restore(
        &mut self,
        tests: Vec<AssertedTest>,
        budget: &TimeBudget,
        discarded: &mut Discarded,
    ) -> Result<Vec<Option<AssertedTest>>, JvmError> {
        if tests.is_empty() {
            return Ok(Vec::new());
        }
        self.worker.set_deadline(budget.measure_deadline());
        let cluster = Arc::clone(self.cluster);
        let access = Accessibility::new(cluster.program(), &cluster.test_package).for_release(cluster.release);
        let mut restoration = Restoration::new(&mut self.worker, &access, cluster.classes.iter().cloned());
        let before = tests.clone();
        let with_leftovers = tests.into_iter().map(|test| {
            let left = self.leftovers.get(&acted_hash(&test)).cloned().unwrap_or_default();
            (test, left)
        });
        let mut restored = Vec::new();
        for (before, outcome) in before.iter().zip(restoration.restore(with_leftovers.collect())?) {
            match outcome {
                Restored::Test(test) => {
                    // The test kills the same mutants as without the reset.
                    if *test != *before {
                        self.analysis.enter((*test).clone(), self.analysis.killed_by(before));
                    }
                    restored.push(Some(*test));
                }
                Restored::Lost(detail) => {
                    discarded.shared_state += 1;
                    record_lost(discarded, &before.test, UntestedCause::SharedState, &detail);
                    restored.push(None);
                }
            }
        }
        Ok(restored)
    }

    /// The report about the mutants under these tests.
    pub(crate) fn mutant_report(&self, tests: &[AssertedTest]) -> MutantReport {
        self.mutation.as_ref().map_or_else(MutantReport::default, |mutation| mutation.report(&self.analysis, tests))
    }

    /// The tests without those that show nothing more than the others do, now that the assertions of
    /// others call methods too. Called after [`Suite::measure`].
    pub(crate) fn without_needless(&self, tests: Vec<AssertedTest>) -> Vec<AssertedTest> {
        if self.mutation.is_none() {
            return tests;
        }
        let mut shown: Vec<BTreeSet<u32>> = Vec::new();
        for (reached, test) in self.reached_by(&tests).into_iter().zip(&tests) {
            let is_counted = |number: &MutantId| !only_shows_check(test) || self.is_difference(*number);
            shown.push(reached.numbered(self.analysis.killed_by(test).into_iter().filter(is_counted)));
        }
        leave_out_parts(&tests, &mut shown);
        let costs = costs_of(&self.context.program, &tests);
        let mut kept = minimum_cover(&shown, &costs);
        kept.extend((0..tests.len()).filter(|place| tests[*place].fault.is_some()));
        tests.into_iter().enumerate().filter(|(place, _)| kept.contains(place)).map(|(_, test)| test).collect()
    }

    /// Drops statements that the tests do not need, simplifies their values, and finds which of them
    /// matter. Tests that differ in the earlier version are short already. Called after [`Suite::measure`].
    pub(crate) fn shorten(&mut self, tests: Vec<AssertedTest>, goals: &GoalRegistry, budget: &TimeBudget) -> Vec<AssertedTest> {
        let differs = |test: &AssertedTest| self.analysis.killed_by(test).iter().any(|number| self.is_difference(*number));
        let (mut differing, tests): (Vec<AssertedTest>, Vec<AssertedTest>) = tests.into_iter().partition(differs);
        for test in &mut differing {
            let killed = self.analysis.killed_by(test);
            test.ways = self.covered_goals(std::slice::from_ref(test)).outcomes(goals, &self.branches);
            self.analysis.enter(test.clone(), killed);
        }
        let mut alike = self.shorten_alike(tests, goals, budget);
        self.worker.set_deadline(budget.polish_deadline(alike.len()));
        let rules = StatingRules::new(self.context, self.cluster);
        match without_unasked_answers(&alike, &mut self.worker, &rules) {
            Ok(changed) => changed.into_iter().for_each(|(place, test)| {
                self.enter_form(&alike[place], &test);
                alike[place] = test;
            }),
            Err(error) => tracing::warn!("some mocks may answer calls that nothing makes: {error}"),
        }
        // Plain values may have made two tests one.
        let mut known: BTreeSet<TestHash> = BTreeSet::new();
        differing.extend(alike.into_iter().filter(|test| known.insert(test.test.canonical_hash())));
        differing
    }

    fn shorten_alike(&mut self, tests: Vec<AssertedTest>, goals: &GoalRegistry, budget: &TimeBudget) -> Vec<AssertedTest> {
        let reached: Vec<CoveredGoals> = self.reached_by(&tests).into_iter().cloned().collect();
        let Some(mutation) = &mut self.mutation else { return tests };
        let mut shown: Vec<ShownTest> = tests
            .into_iter()
            .zip(reached)
            .map(|(test, reached)| {
                let killed = self.analysis.killed_by(&test);
                ShownTest::new(test, reached, killed)
            })
            .collect();
        let (context, deadline) = (self.context, budget.shorten_deadline(shown.len()));
        let begin = Instant::now();
        let rules = StatingRules::new(context, self.cluster);
        let (class, branches) = (&self.class, &self.branches);
        let (draws_random, worker) = (self.draws_random, &mut self.worker);
        let cluster: &Cluster = self.cluster;
        let mut shortening =
            Shortening { class, context, cluster, goals, branches, worker, mutation, rules, deadline, draws_random };
        if let Err(error) = shortening.shorten(&mut shown) {
            tracing::warn!("some tests may be longer than they need to be: {error}");
        }
        tracing::debug!(took = ?begin.elapsed(), time = ?deadline.map(|deadline| deadline - begin), "shortened");
        shortening.set_deadline(budget.polish_deadline(shown.len()));
        if let Err(error) = shortening.split_steps(&mut shown) {
            tracing::warn!("some tests may be several in one: {error}");
        }
        if let Err(error) = shortening.assert_silent(&mut shown) {
            tracing::warn!("some tests may only show that their calls return: {error}");
        }
        let mut own: Vec<&mut AssertedTest> = shown.iter_mut().map(|shown| &mut shown.test).collect();
        if !budget.is_short()
            && let Err(error) = find_value_relevance(context, shortening.worker, branches, &mut own)
        {
            tracing::warn!("some names may not say what matters: {error}");
        }
        // Where there was no time for that, those of the whole test are known.
        for shown in shown.iter_mut().filter(|shown| shown.test.ways.is_empty()) {
            shown.test.ways = shown.reached.outcomes(goals, branches);
        }
        shortening.set_deadline(budget.polish_deadline(shown.len()));
        if let Err(error) = shortening.state_arguments(&mut shown) {
            tracing::warn!("some mocks may answer more calls than they need to: {error}");
        }
        let mut tests = Vec::with_capacity(shown.len());
        for ShownTest { test, reached, killed, .. } in shown {
            self.goals_by_test.insert(test.test.canonical_hash(), reached);
            self.analysis.enter(test.clone(), killed);
            tests.push(test);
        }
        tests
    }

    /// Mutants that the tests kill, of all.
    pub(crate) fn killed_mutants(&self, tests: &[AssertedTest]) -> CoverageCount {
        self.mutation.as_ref().map(|mutation| mutation.covered(&self.analysis, tests)).unwrap_or_default()
    }

    /// JVMs of all workers of the suite.
    pub(crate) fn statistics(&self) -> WorkerStatistics {
        let own = self.worker.statistics();
        let mutation = self.mutation.as_ref().map(MutationAnalysis::statistics).unwrap_or_default();
        WorkerStatistics {
            started: own.started + self.second.started + mutation.started,
            killed: own.killed + self.second.killed + mutation.killed,
            crashed: own.crashed + self.second.crashed + mutation.crashed,
            ..own
        }
    }
}

/// Executes the tests; gives each with its execution.
fn execute_tests(worker: &mut SearchWorker, tests: Vec<TestCase>) -> Result<Vec<(TestCase, Execution)>, JvmError> {
    let executions = execute(worker, &tests, false)?;
    Ok(tests.into_iter().zip(executions).collect())
}

/// The hash of the test without its inspectors.
pub(super) fn acted_hash(test: &AssertedTest) -> TestHash {
    hash_of_first(&test.test, test.acted)
}

/// The hash of the first statements of the test.
pub(super) fn hash_of_first(test: &TestCase, statements: u32) -> TestHash {
    first_statements(test, statements).canonical_hash()
}

fn first_statements(test: &TestCase, statements: u32) -> TestCase {
    let mut first = test.clone();
    first.statements.truncate(statements as usize);
    first
}
