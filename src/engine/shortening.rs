//! Drops the statements that a chosen test does not need.
//!
//! Flows in: the chosen tests with what each shows, the two workers. Flows out: the tests, most of
//! them shorter, with what each still shows. Must not know how tests are chosen or rendered.
//!
//! Tests are minimised for the goals that they were found for. Once the suite is known, most of these
//! goals have other tests. A statement goes where its test still holds without it, and still shows
//! all that no other test of the suite shows: goals, and mutants that it kills.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Instant;

use super::context::Context;
use super::covered_goals::CoveredGoals;
use super::mutation::{MutationAnalysis, mutant_outcome};
use super::observation::execute;
use crate::execution::{Execution, MutantId, MutantRun, RunEnd, TestIndex};
use crate::jvm::{JvmError, SearchWorker};
use crate::oracle::{AssertedTest, MutantOutcome};
use crate::search::GoalRegistry;
use crate::testcase::TestCase;

/// Rounds at most. In each, a test loses one statement or none.
const MOST_ROUNDS: usize = 60;

/// A test with the goals that it covers and the mutants that it kills.
#[derive(Clone, Debug)]
pub(super) struct ShownTest {
    pub(super) test: AssertedTest,
    pub(super) reached: CoveredGoals,
    pub(super) killed: BTreeSet<MutantId>,
    /// Statements before this one have not been tried.
    untried: usize,
}

/// A shorter form of the test at `place`.
struct ShorterTest {
    place: usize,
    shown: ShownTest,
}

/// What shortening runs tests with.
pub(super) struct Shortening<'s, 'c> {
    pub(super) context: &'s Context<'c>,
    pub(super) goals: &'s GoalRegistry,
    pub(super) worker: &'s mut SearchWorker,
    pub(super) mutation: &'s mut MutationAnalysis,
    pub(super) deadline: Option<Instant>,
}

impl ShownTest {
    pub(super) fn new(test: AssertedTest, reached: CoveredGoals, killed: BTreeSet<MutantId>) -> ShownTest {
        let untried = if test.fault.is_some() { 0 } else { (test.acted as usize).saturating_sub(1) };
        ShownTest { test, reached, killed, untried }
    }

    fn shown(&self) -> BTreeSet<u32> {
        self.reached.numbered(self.killed.iter().copied())
    }

    /// The test without the last untried statement that may go; `None` where all were tried.
    fn next_shorter(&mut self) -> Option<AssertedTest> {
        while self.untried > 0 {
            self.untried -= 1;
            if let Some(shorter) = self.test.without_statement(self.untried) {
                return Some(shorter);
            }
        }
        None
    }
}

impl Shortening<'_, '_> {
    /// Shortens the tests until no statement can go or time is over.
    ///
    /// Fails where a worker cannot be kept running.
    pub(super) fn shorten(&mut self, tests: &mut [ShownTest]) -> Result<(), JvmError> {
        let mut showing: BTreeMap<u32, usize> = BTreeMap::new();
        tests.iter().flat_map(ShownTest::shown).for_each(|thing| *showing.entry(thing).or_default() += 1);
        self.worker.set_deadline(self.deadline);
        for _ in 0..MOST_ROUNDS {
            let is_over = self.deadline.is_some_and(|deadline| Instant::now() >= deadline);
            let candidates: Vec<(usize, AssertedTest)> =
                tests.iter_mut().enumerate().filter_map(|(place, test)| Some((place, test.next_shorter()?))).collect();
            if candidates.is_empty() || is_over || self.context.interrupt.is_set() {
                break;
            }
            for ShorterTest { place, shown } in self.that_hold(tests, candidates, &showing)? {
                let lost: Vec<u32> = tests[place].shown().difference(&shown.shown()).copied().collect();
                // An earlier test of this round may have lost the same.
                if lost.iter().all(|thing| showing.get(thing).is_some_and(|count| *count > 1)) {
                    lost.iter().for_each(|thing| *showing.entry(*thing).or_default() -= 1);
                    tests[place] = shown;
                }
            }
        }
        Ok(())
    }

    /// Those of the shorter tests that hold and still reach what only their tests reach, each with
    /// the mutants that it kills of those that its test kills.
    fn that_hold(
        &mut self,
        tests: &[ShownTest],
        candidates: Vec<(usize, AssertedTest)>,
        showing: &BTreeMap<u32, usize>,
    ) -> Result<Vec<ShorterTest>, JvmError> {
        let cases: Vec<TestCase> = candidates.iter().map(|(_, test)| test.test.clone()).collect();
        let executions = execute(self.worker, &cases, true)?;
        let mut shorter: Vec<ShorterTest> = Vec::new();
        for ((place, test), execution) in candidates.into_iter().zip(&executions) {
            let reached = CoveredGoals::of(&test.test, execution, self.goals);
            let before = &tests[place];
            let now = reached.numbered(before.killed.iter().copied());
            let is_needed = |thing: &u32| showing.get(thing).is_some_and(|count| *count <= 1);
            if self.holds(&test, execution) && !before.shown().difference(&now).any(is_needed) {
                let shown =
                    ShownTest { untried: before.untried.min(test.acted as usize - 1), test, reached, killed: BTreeSet::new() };
                shorter.push(ShorterTest { place, shown });
            }
        }
        let cases: Vec<TestCase> = shorter.iter().map(|shorter| shorter.shown.test.test.clone()).collect();
        let runs = (0..).map(TestIndex).zip(&shorter).flat_map(|(test, shorter)| {
            tests[shorter.place].killed.iter().map(move |mutant| MutantRun { test, mutant: Some(*mutant) })
        });
        let runs: Vec<MutantRun> = runs.collect();
        let done = self.mutation.worker(self.deadline)?.run(&cases, &runs, self.deadline)?;
        for (run, execution) in runs.iter().zip(&done) {
            let shown = &mut shorter[run.test.index()].shown;
            if let Some(mutant) =
                run.mutant.filter(|_| mutant_outcome(self.context, &shown.test, execution) != MutantOutcome::Survived)
            {
                shown.killed.insert(mutant);
            }
        }
        Ok(shorter)
    }

    /// Whether the test passes.
    fn holds(&self, test: &AssertedTest, execution: &Execution) -> bool {
        let ends_well = match execution.end {
            RunEnd::Completed => test.expected.is_none(),
            RunEnd::Threw { .. } => test.expected.is_some(),
            _ => false,
        };
        ends_well && mutant_outcome(self.context, test, execution) == MutantOutcome::Survived
    }
}
