//! Observing tests in two JVMs, and stating what both agree on.
//!
//! Flows in: tests, and workers that differ in chance. Flows out: tests with assertions. Must not
//! know where tests come from or what becomes of them. Where the second worker gives no execution,
//! the first one alone is believed: the verifying JVMs differ in chance as well.

use super::context::Context;
use super::needless_parts::without_needless_parts;
use crate::execution::{Execution, Interaction, RunEnd, Snapshot, drop_unused_answers};
use crate::jvm::{JvmError, SearchWorker};
use crate::oracle::{self, Accessibility, AssertedTest, DiscardReason, ObservedTest, ReceivedCalls, StateOptions};
use crate::program::{BranchOutcome, Cluster, Program};
use crate::testcase::{StatementKind, StubKind, TestCase, VarId};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use tracewright_trace::BranchSlot;

/// Tests of one batch.
const BATCH: usize = 200;
/// Further executions of tests that may draw random numbers. A number out of three is then the same in
/// all of them with a chance of 3⁻⁸.
pub(super) const FURTHER: usize = 7;

/// Tests with inspectors, and what their executions showed.
#[derive(Debug)]
pub(super) struct Observation {
    observed: Vec<ObservedTest>,
    first: Vec<Execution>,
    /// Shorter than `first` where there was no second worker.
    second: Vec<Execution>,
    /// Further executions of all tests.
    further: Vec<Vec<Execution>>,
}

/// What assertions may name and say.
#[derive(Debug)]
pub(super) struct StatingRules {
    program: Arc<Program>,
    test_package: String,
    release: u32,
    options: StateOptions,
}

impl StatingRules {
    /// The rules for tests in the package of the cluster's tests.
    pub(super) fn new(context: &Context<'_>, cluster: &Cluster) -> StatingRules {
        StatingRules {
            program: Arc::clone(&context.program),
            test_package: cluster.test_package.clone(),
            release: cluster.release,
            options: context.state_options(),
        }
    }
}

impl StatingRules {
    /// The test with the values that hold in the execution: see [`AssertedTest::restated`].
    pub(super) fn restated(&self, test: &AssertedTest, execution: &Execution) -> Option<AssertedTest> {
        test.restated(execution, &self.access(), &self.options)
    }

    /// What tests may name.
    pub(super) fn access(&self) -> Accessibility<'_> {
        Accessibility::new(&self.program, &self.test_package).for_release(self.release)
    }
}

impl Observation {
    /// Appends inspectors and executes the tests in the first worker.
    ///
    /// Fails where the worker cannot be kept running.
    pub(super) fn begin<'t>(
        tests: impl IntoIterator<Item = &'t TestCase>,
        cluster: &Cluster,
        worker: &mut SearchWorker,
    ) -> Result<Observation, JvmError> {
        let observed = tests.into_iter().map(|test| oracle::append_inspectors(test, cluster));
        Observation::of_observed(observed.collect(), worker)
    }

    /// Executes tests that have their inspectors in the first worker.
    ///
    /// Fails where the worker cannot be kept running.
    pub(super) fn of_observed(mut observed: Vec<ObservedTest>, worker: &mut SearchWorker) -> Result<Self, JvmError> {
        let first = oracle::observe_tests(&mut observed, |tests| execute(worker, tests, true))?;
        Ok(Observation { observed, first, second: Vec::new(), further: Vec::new() })
    }

    /// Drops answers that no call asked for and objects that nothing uses, where a test shows as much without them.
    /// Called before other executions are compared with the first ones.
    ///
    /// Fails where the worker cannot be kept running.
    pub(super) fn drop_needless_parts(&mut self, cluster: &Cluster, worker: &mut SearchWorker) -> Result<(), JvmError> {
        let forms = self.observed.iter().zip(&self.first).map(|(observed, execution)| {
            let mut own = observed.test.clone();
            own.truncate(observed.acted as usize);
            without_needless_parts(&own, &execution.interactions).into_iter()
        });
        let mut open: Vec<_> = forms.enumerate().collect();
        loop {
            // The shortest forms come first. A test that shows as much in one needs no other.
            let next: Vec<(usize, TestCase)> =
                open.iter_mut().filter_map(|(place, forms)| Some((*place, forms.next()?))).collect();
            if next.is_empty() {
                break;
            }
            let mut observed: Vec<ObservedTest> = next.iter().map(|(_, test)| oracle::append_inspectors(test, cluster)).collect();
            let executions = oracle::observe_tests(&mut observed, |tests| execute(worker, tests, true))?;
            let mut settled = BTreeSet::new();
            for (((place, _), observed), execution) in next.into_iter().zip(observed).zip(executions) {
                if observed.target == self.observed[place].target && shows_as_much(&execution, &self.first[place]) {
                    (self.observed[place], self.first[place]) = (observed, execution);
                    settled.insert(place);
                }
            }
            open.retain(|(place, _)| !settled.contains(place));
        }
        // No form ran or showed as much, for example since the time was up.
        for (place, _) in open {
            drop_answers_without_run(&mut self.observed[place].test, &self.first[place]);
        }
        Ok(())
    }

    /// Executes the tests in the second worker as well. A test that had to be shortened there runs
    /// again in the first worker, where there still is one.
    ///
    /// Fails where a worker cannot be kept running.
    pub(super) fn repeat(&mut self, second: &mut SearchWorker, first: Option<&mut SearchWorker>) -> Result<(), JvmError> {
        let lengths: Vec<usize> = self.observed.iter().map(|observed| observed.test.len()).collect();
        self.second = oracle::observe_tests(&mut self.observed, |tests| execute(second, tests, true))?;
        let changed: Vec<usize> =
            (0..self.observed.len()).filter(|place| self.observed[*place].test.len() != lengths[*place]).collect();
        let shorter: Vec<TestCase> = changed.iter().map(|place| self.observed[*place].test.clone()).collect();
        let again = match first {
            Some(first) => execute(first, &shorter, true)?,
            None => shorter.iter().map(|_| Execution::without_measurements(RunEnd::Unrun)).collect(),
        };
        for (place, execution) in changed.into_iter().zip(again) {
            self.first[place] = execution;
        }
        Ok(())
    }

    /// Executes the tests once more in the same worker.
    ///
    /// Fails where the worker cannot be kept running.
    pub(super) fn repeat_once(&mut self, worker: &mut SearchWorker) -> Result<(), JvmError> {
        let tests: Vec<TestCase> = self.observed.iter().map(|observed| observed.test.clone()).collect();
        self.second = execute(worker, &tests, true)?;
        Ok(())
    }

    /// Executes the tests a few times more, since random numbers may be equal by chance.
    ///
    /// Fails where the worker cannot be kept running.
    pub(super) fn repeat_for_chance(&mut self, worker: &mut SearchWorker) -> Result<(), JvmError> {
        let tests: Vec<TestCase> = self.observed.iter().map(|observed| observed.test.clone()).collect();
        for _ in 0..FURTHER {
            self.further.push(execute(worker, &tests, true)?);
        }
        Ok(())
    }

    /// The tests with their inspectors.
    pub(super) fn observed(&self) -> &[ObservedTest] {
        &self.observed
    }

    /// What the first worker showed of the test at this place.
    pub(super) fn first(&self, place: usize) -> &Execution {
        &self.first[place]
    }

    /// What the test at this place called on its mocks, as far as that is known. `branches`: those of the classes
    /// under test.
    pub(super) fn received_calls(&self, place: usize, branches: &BTreeMap<BranchSlot, BranchOutcome>) -> Option<ReceivedCalls> {
        oracle::received_calls(&self.observed[place], self.executions(place), branches)
    }

    /// All executions of the test at this place.
    fn executions(&self, place: usize) -> impl Iterator<Item = &Execution> {
        [&self.first, &self.second].into_iter().chain(&self.further).filter_map(move |executions| executions.get(place))
    }

    /// The text that the last statement of the test at this place gives. `None` where executions differ, or one of them
    /// did not complete.
    pub(super) fn last_text(&self, place: usize) -> Option<&[u16]> {
        let mut texts = self.executions(place).map(last_text_of);
        let first = texts.next()??;
        texts.all(|text| text == Some(first)).then_some(first)
    }

    /// The test at this place with the assertions that all of its executions allow.
    pub(super) fn state(&self, place: usize, rules: &StatingRules) -> Result<AssertedTest, DiscardReason> {
        let all = self.executions(place);
        let ran: Vec<Execution> = all.filter(|execution| execution.end != RunEnd::Unrun).cloned().collect();
        oracle::state_assertions(&self.observed[place], &ran, &rules.access(), &rules.options)
    }
}

/// The text that the last statement of the test gave; `None` where the test did not complete.
fn last_text_of(execution: &Execution) -> Option<&[u16]> {
    let has_completed = execution.end == RunEnd::Completed && !execution.left_running;
    match execution.snapshots.last() {
        Some(Snapshot::Str(Some(units))) if has_completed => Some(units),
        _ => None,
    }
}

/// Drops the answers that nothing asked for in the execution of the test. They change nothing. Their objects stay.
/// Out: the values that only they used.
pub(super) fn drop_answers_without_run(test: &mut TestCase, execution: &Execution) -> BTreeSet<VarId> {
    if execution.has_ended() && execution.has_all_interactions() {
        drop_unused_answers(test, &execution.interactions)
    } else {
        BTreeSet::new()
    }
}

/// Whether the execution ends like the other one, and reaches all lines and branches that the other one reaches.
pub(super) fn shows_as_much(execution: &Execution, other: &Execution) -> bool {
    let ends_alike = match (&execution.end, &other.end) {
        (RunEnd::Completed, RunEnd::Completed) => true,
        (RunEnd::Threw { thrown, .. }, RunEnd::Threw { thrown: wanted, .. }) => {
            thrown.class == wanted.class && thrown.message == wanted.message
        }
        _ => false,
    };
    let taken = |execution: &Execution| -> BTreeSet<BranchSlot> {
        execution.branches.iter().filter(|(_, distance)| *distance == 0.0).map(|(slot, _)| *slot).collect()
    };
    ends_alike
        && taken(other).is_subset(&taken(execution))
        && other.lines.iter().all(|line| execution.lines.binary_search(line).is_ok())
}

/// Executes tests in batches.
pub(super) fn execute(worker: &mut SearchWorker, tests: &[TestCase], observe: bool) -> Result<Vec<Execution>, JvmError> {
    let mut executions = Vec::with_capacity(tests.len());
    for batch in tests.chunks(BATCH) {
        executions.extend(worker.execute(batch, observe)?);
    }
    Ok(executions)
}

/// Whether a mock of the test answers a call.
pub(super) fn has_answers(test: &TestCase) -> bool {
    let gives_any = |kind: &StatementKind| match kind {
        StatementKind::Stub { kind: StubKind::Mock, answers, .. } => !answers.is_empty(),
        _ => false,
    };
    test.statements.iter().any(|statement| gives_any(&statement.kind))
}

/// The calls that the mocks of each test received; for tests without answers of mocks, none. With the number of tests
/// that were run for it.
///
/// Fails where the worker cannot be kept running.
pub(super) fn interactions(worker: &mut SearchWorker, tests: &[TestCase]) -> Result<(Vec<Vec<Interaction>>, u64), JvmError> {
    let answering: Vec<usize> = (0..tests.len()).filter(|place| has_answers(&tests[*place])).collect();
    let observed: Vec<TestCase> = answering.iter().map(|place| tests[*place].clone()).collect();
    let mut interactions = vec![Vec::new(); tests.len()];
    for (place, execution) in answering.into_iter().zip(execute(worker, &observed, true)?) {
        interactions[place] = execution.interactions;
    }
    Ok((interactions, observed.len() as u64))
}

/// For each assertion of each test, whether it states an effect of the call under test.
///
/// Fails where the worker cannot be kept running.
pub(super) fn effects(worker: &mut SearchWorker, tests: &[AssertedTest]) -> Result<Vec<Vec<bool>>, JvmError> {
    let without: Vec<Option<TestCase>> = tests.iter().map(oracle::without_call).collect();
    let cases: Vec<TestCase> = without.iter().flatten().cloned().collect();
    let mut executions = execute(worker, &cases, true)?.into_iter();
    let of_test = |(test, without): (&AssertedTest, &Option<TestCase>)| match without.as_ref().and_then(|_| executions.next()) {
        Some(execution) => oracle::effects(test, &execution),
        None => vec![false; test.assertions.len()],
    };
    Ok(tests.iter().zip(&without).map(of_test).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::execution::MOST_INTERACTIONS;
    use crate::program::{ClassName, MethodRef};

    #[test]
    fn an_answer_goes_without_a_run_where_all_calls_are_known() {
        let test: TestCase = "v0: I = int 3
v1: Lp/Store; = mock p/Store (p/Store.count ()I v0, p/Store.size ()I v0)
                              v2: V = call method p/T.use (Lp/Store;)V (v1)
"
        .parse()
        .expect("well-formed");
        let count = Interaction {
            statement: 2,
            mock: VarId(1),
            method: MethodRef::new(ClassName::new("p/Store"), "count", "()I"),
            arguments: Vec::new(),
        };
        let after = |end: RunEnd, calls: usize| {
            let interactions = vec![count.clone(); calls];
            let mut changed = test.clone();
            drop_answers_without_run(&mut changed, &Execution { interactions, ..Execution::without_measurements(end) });
            changed.to_string()
        };
        assert_eq!(after(RunEnd::Completed, 1), test.to_string().replace(", p/Store.size ()I v0", ""));
        assert_eq!(after(RunEnd::Unrun, 0), test.to_string());
        assert_eq!(after(RunEnd::Completed, MOST_INTERACTIONS), test.to_string());
    }
}
