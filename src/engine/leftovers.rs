//! Makes tests put back the state that they share with other tests.
//!
//! Flows in: tests with assertions, what their executions changed, a search worker. Flows out: the
//! tests with resets and undoing statements; a test whose change nothing puts back is lost, with the
//! reason. Must not know how resets are rendered.
//!
//! Whether a change counts is decided by running: observers of the changed classes run alone and
//! behind the test. Where they show something else, candidates of `oracle::leftovers` run behind the
//! test until one of them makes the observers show what they showed alone.

use std::cell::OnceCell;
use std::collections::{BTreeSet, HashMap};

use super::observation::execute;
use crate::execution::{Execution, Leftovers, RunEnd, Snapshot, WorldPart};
use crate::jvm::{JvmError, SearchWorker};
use crate::oracle::leftovers::{self, StateObservers, candidate_resets, candidate_undos, differences, thread_local_holders};
use crate::oracle::{Accessibility, AssertedTest, Reset};
use crate::program::{ClassName, coroutines};
use crate::testcase::{TestCase, VarId};

/// Resets that one test may need together.
const MOST_TOGETHER: usize = 3;
/// Observers alone, as the worker showed them.
type Baselines = HashMap<TestCase, (StateObservers, Vec<Snapshot>)>;

/// Adds resets to tests.
pub(super) struct Restoration<'a> {
    worker: &'a mut SearchWorker,
    access: &'a Accessibility<'a>,
    /// The classes under test.
    targets: BTreeSet<ClassName>,
    /// Those whose state may be in a `ThreadLocal`; unknown until a test leaves a value in one.
    thread_locals: OnceCell<BTreeSet<ClassName>>,
    baselines: Baselines,
    /// Resets that helped an earlier test; they are tried first.
    proven: Vec<Reset>,
}

/// What became of a test.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Restored {
    /// The test puts its changes back, or no observer shows them, or only a `ThreadLocal` has them.
    Test(Box<AssertedTest>),
    /// It changes state of these classes that nothing puts back, or other state.
    Lost(String),
}

impl<'a> Restoration<'a> {
    /// For tests of these classes. The worker has its deadline.
    pub(super) fn new(
        worker: &'a mut SearchWorker,
        access: &'a Accessibility<'a>,
        targets: impl IntoIterator<Item = ClassName>,
    ) -> Restoration<'a> {
        let targets = targets.into_iter().collect();
        let thread_locals = OnceCell::new();
        Restoration { worker, access, targets, thread_locals, baselines: Baselines::new(), proven: Vec::new() }
    }

    /// Makes each test put back what its execution left; in the order of the tests.
    ///
    /// Fails where the worker cannot be kept running.
    pub(super) fn restore(&mut self, tests: Vec<(AssertedTest, Leftovers)>) -> Result<Vec<Restored>, JvmError> {
        let mut trials: Vec<Trial> = tests.iter().map(|(test, left)| self.trial(test, left)).collect();
        self.observe_alone(trials.iter().map(|trial| &trial.observers))?;
        for trial in &mut trials {
            if let Some((observers, shown)) = self.baselines.get(&trial.observers.test) {
                (trial.observers, trial.alone) = (observers.clone(), shown.clone());
            }
        }
        let runs: Vec<TestCase> = trials.iter().map(|trial| trial.observers.behind(&trial.acted)).collect();
        let behind = execute(self.worker, &runs, true)?;
        let tried = tests.into_iter().zip(trials).zip(behind);
        tried.map(|(((test, left), trial), behind)| self.restore_one(test, &left, &trial, &behind)).collect()
    }

    /// What the test is tried with. The observers have not run alone yet.
    fn trial(&self, test: &AssertedTest, left: &Leftovers) -> Trial {
        let saved = left.world.iter().copied().filter(|part| leftovers::world_state(*part).is_some());
        let mut acted = test.test.clone();
        if test.expected.is_some() {
            // Nothing can run behind a statement that throws.
            acted.statements.pop();
        }
        let counts = |class: &&ClassName| !class.internal().starts_with(coroutines::LIBRARY);
        let mut classes: BTreeSet<ClassName> = left.classes.union(&self.targets).filter(counts).cloned().collect();
        if left.world.contains(&WorldPart::ThreadLocals) {
            let holders = || thread_local_holders(self.access.program(), &self.targets);
            classes.extend(self.thread_locals.get_or_init(holders).iter().cloned());
        }
        let mut observers = StateObservers::of(&classes, self.access, &test.test);
        let leaves_nothing = left.classes.is_empty() && left.world.is_empty();
        if !leaves_nothing && !is_left_open(left) && !acted.has_request() {
            // No getter shows some changes, such as one to a default value. A second run may fail then.
            observers.append_returning(&acted);
        }
        let world = saved.map(Reset::World).collect();
        Trial { classes, observers, alone: Vec::new(), world, acted, is_private: left.is_private() }
    }

    /// Runs observers alone, twice, and keeps those whose results are the same in both runs.
    fn observe_alone<'t>(&mut self, observers: impl Iterator<Item = &'t StateObservers>) -> Result<(), JvmError> {
        let mut unsettled: Vec<(TestCase, StateObservers)> = Vec::new();
        for observers in observers {
            let is_settled = observers.is_empty() || self.baselines.contains_key(&observers.test);
            if !is_settled && unsettled.iter().all(|(asked, _)| *asked != observers.test) {
                unsettled.push((observers.test.clone(), observers.clone()));
            }
        }
        while !unsettled.is_empty() {
            let runs: Vec<TestCase> = unsettled.iter().flat_map(|(_, now)| [now.test.clone(), now.test.clone()]).collect();
            let executions = execute(self.worker, &runs, true)?;
            let mut fewer = Vec::new();
            for ((asked, now), twice) in unsettled.into_iter().zip(executions.chunks(2)) {
                let unusable = unusable_observers(&now, twice);
                let usable = now.without(&unusable);
                if unusable.is_empty() {
                    let shown = twice[0].snapshots.iter().take(now.telling()).cloned().collect();
                    self.baselines.insert(asked, (now, shown));
                } else if usable.is_empty() {
                    self.baselines.insert(asked, (usable, Vec::new()));
                } else {
                    fewer.push((asked, usable));
                }
            }
            unsettled = fewer;
        }
        Ok(())
    }

    /// What becomes of one test. `behind`: its execution with the observers behind it.
    fn restore_one(
        &mut self,
        mut test: AssertedTest,
        left: &Leftovers,
        trial: &Trial,
        behind: &Execution,
    ) -> Result<Restored, JvmError> {
        test.resets.extend(trial.world.iter().cloned());
        let is_shown = !trial.observers.is_empty() || is_left_open(left);
        if !is_shown || behind.end == RunEnd::Unrun {
            return Ok(Restored::Test(Box::new(test)));
        }
        if is_left_open(left) && !is_left_open(&behind.leftovers) && test.expected.is_some() {
            // The statement that throws leaves it, and no test shows whether anything undoes that.
            return Ok(Restored::Lost(lost_state(left, left)));
        }
        if trial.is_restored(behind, trial.acted.len()) || self.is_restored_by_world(trial)? {
            return Ok(Restored::Test(Box::new(test)));
        }
        tracing::debug!(classes = ?trial.classes, world = ?left.world, "changes shared state:\n{}", test.test);
        if let Some(resets) = self.find_resets(trial)? {
            self.proven.extend(resets.iter().filter(|reset| !self.proven.contains(reset)).cloned().collect::<Vec<Reset>>());
            test.resets.extend(resets);
            return Ok(Restored::Test(Box::new(test)));
        }
        if let Some(mut undone) = self.find_undo(trial)? {
            let acted = trial.acted.len();
            test.undoing = (undone.len() - acted) as u32;
            // A statement that throws was not among those that ran.
            undone.insert(acted, test.test.statements.split_off(acted));
            test.test = undone;
            return Ok(Restored::Test(Box::new(test)));
        }
        if left.is_private() {
            // As a rule, no other test finds what is left in a `ThreadLocal`.
            return Ok(Restored::Test(Box::new(test)));
        }
        Ok(Restored::Lost(lost_state(left, &behind.leftovers)))
    }

    /// Whether the resets of the JVM's state are enough.
    fn is_restored_by_world(&mut self, trial: &Trial) -> Result<bool, JvmError> {
        if trial.world.is_empty() {
            return Ok(false);
        }
        let (with_world, offset) = trial.with_resets(&[]);
        Ok(trial.is_restored(&self.run(&with_world)?, offset))
    }

    /// The statements of the test that return, and behind them those that put back what the test changed.
    fn find_undo(&mut self, trial: &Trial) -> Result<Option<TestCase>, JvmError> {
        let longer = candidate_undos(&trial.classes, self.access, &trial.acted);
        let runs: Vec<TestCase> = longer.iter().map(|longer| trial.observers.behind(longer)).collect();
        let executions = execute(self.worker, &runs, true)?;
        let mut tried = longer.into_iter().zip(&executions);
        let undone = tried.find(|(longer, run)| trial.is_restored(run, longer.len()));
        Ok(undone.map(|(longer, _)| longer))
    }

    fn run(&mut self, test: &TestCase) -> Result<Execution, JvmError> {
        let mut executions = execute(self.worker, std::slice::from_ref(test), true)?;
        Ok(executions.pop().unwrap_or_else(|| Execution::without_measurements(RunEnd::Unrun)))
    }

    /// Resets that put back together what the test changed; those that read best.
    fn find_resets(&mut self, trial: &Trial) -> Result<Option<Vec<Reset>>, JvmError> {
        let mut candidates = self.proven.clone();
        let shown = (&trial.observers, trial.alone.as_slice());
        for candidate in candidate_resets(&trial.classes, self.access, &trial.acted, shown) {
            if !candidates.contains(&candidate) {
                candidates.push(candidate);
            }
        }
        let mut chosen: Vec<Reset> = Vec::new();
        let mut least = usize::MAX;
        for _ in 0..MOST_TOGETHER {
            let sequences: Vec<Vec<Reset>> =
                candidates.iter().map(|candidate| chosen.iter().chain([candidate]).cloned().collect()).collect();
            let runs: Vec<(TestCase, usize)> = sequences.iter().map(|resets| trial.with_resets(resets)).collect();
            let tests: Vec<TestCase> = runs.iter().map(|(test, _)| test.clone()).collect();
            let executions = execute(self.worker, &tests, true)?;
            let mut best = None;
            for ((sequence, (_, offset)), run) in sequences.into_iter().zip(&runs).zip(&executions) {
                if trial.is_restored(run, *offset) {
                    if self.may_come_first(trial, &sequence)? {
                        return Ok(Some(sequence));
                    }
                } else if run.end == RunEnd::Completed {
                    let differing = trial.differences(run, *offset).len();
                    if differing < least {
                        least = differing;
                        best = Some(sequence);
                    }
                }
            }
            match best {
                Some(better) => chosen = better,
                None => return Ok(None),
            }
        }
        Ok(None)
    }

    /// Whether the resets change nothing where nothing has been changed before.
    fn may_come_first(&mut self, trial: &Trial, resets: &[Reset]) -> Result<bool, JvmError> {
        let alone = Trial { acted: TestCase::default(), ..trial.clone() };
        let (test, offset) = alone.with_resets(resets);
        let run = self.run(&test)?;
        Ok(alone.is_restored(&run, offset))
    }
}

/// A test whose changes have to be put back.
#[derive(Clone, Debug)]
struct Trial {
    /// Classes whose static state counts.
    classes: BTreeSet<ClassName>,
    observers: StateObservers,
    /// What the observers show without the test.
    alone: Vec<Snapshot>,
    /// Resets of the JVM's state that the test has in any case.
    world: Vec<Reset>,
    /// The statements of the test that return.
    acted: TestCase,
    /// Whether a `ThreadLocal` alone may hold something behind the test.
    is_private: bool,
}

impl Trial {
    /// The test, the resets as they come around it, and the observers; with the number of the
    /// statements before the observers.
    fn with_resets(&self, resets: &[Reset]) -> (TestCase, usize) {
        let mut test = TestCase::default();
        let saved: Vec<Option<VarId>> = self.world.iter().chain(resets).map(|reset| append_read(&mut test, reset)).collect();
        test.append(&self.acted);
        for (reset, saved) in self.world.iter().chain(resets).zip(saved) {
            append_write(&mut test, reset, saved);
        }
        let offset = test.len();
        (self.observers.behind(&test), offset)
    }

    /// Whether the observers show in this run what they show alone, and nothing else is left.
    fn is_restored(&self, run: &Execution, offset: usize) -> bool {
        run.end == RunEnd::Completed
            && !run.left_running
            && !is_left_open(&run.leftovers)
            && self.differences(run, offset).is_empty()
    }

    /// Places of the observers that show something else in this run than alone. An empty collection that a
    /// `ThreadLocal` holds counts as none: no code asks for the difference.
    fn differences(&self, run: &Execution, offset: usize) -> BTreeSet<usize> {
        let shown = run.snapshots.get(offset..).unwrap_or_default();
        let found = differences(&self.alone, shown, offset);
        if !self.is_private {
            return found;
        }
        let holds = |snapshots: &[Snapshot], place: usize| snapshots.get(place).is_some_and(|shown| !holds_nothing(shown));
        found.into_iter().filter(|place| holds(&self.alone, *place) || holds(shown, *place)).collect()
    }
}

/// Places of the observers that fail or show different things in two runs of them alone; all where
/// the observers themselves leave files or threads.
fn unusable_observers(observers: &StateObservers, twice: &[Execution]) -> BTreeSet<usize> {
    if let Some(failing) = twice.iter().find_map(|run| run.end.statement()) {
        return BTreeSet::from([failing as usize]);
    }
    if twice.iter().any(|run| run.end != RunEnd::Completed || run.left_running || is_left_open(&run.leftovers)) {
        return (0..observers.test.len()).collect();
    }
    let telling = observers.telling().min(twice[0].snapshots.len());
    differences(&twice[0].snapshots[..telling], &twice[1].snapshots, 0)
}

/// Whether the snapshot shows null or an empty collection.
fn holds_nothing(shown: &Snapshot) -> bool {
    matches!(shown, Snapshot::Null | Snapshot::Object { size: Some(0), .. })
}

/// Appends what the reset reads before a test; with the value that it writes afterwards.
fn append_read(test: &mut TestCase, reset: &Reset) -> Option<VarId> {
    match reset {
        Reset::Statements(_) => None,
        Reset::Saved { read, .. } => Some(test.push_static_call(read, Vec::new())),
        Reset::World(part) => leftovers::world_state(*part).map(|state| state.append_read(test)),
    }
}

/// Appends what the reset does after a test.
fn append_write(test: &mut TestCase, reset: &Reset, saved: Option<VarId>) {
    match (reset, saved) {
        (Reset::Statements(statements), _) => test.append(statements),
        (Reset::Saved { write, .. }, Some(saved)) => {
            test.push_static_call(write, vec![saved]);
        }
        (Reset::World(part), Some(saved)) => {
            if let Some(state) = leftovers::world_state(*part) {
                test.push_static_call(&state.write, vec![saved]);
            }
        }
        (Reset::Saved { .. } | Reset::World(_), None) => {}
    }
}

/// Whether something is left that observers do not show and no field can save: files, security
/// providers, threads.
fn is_left_open(left: &Leftovers) -> bool {
    left.idle_threads || [WorldPart::Files, WorldPart::Providers].iter().any(|part| left.world.contains(part))
}

/// A clause about what is left.
fn lost_state(left: &Leftovers, after: &Leftovers) -> String {
    let names: Vec<String> = left.classes.iter().map(ClassName::binary).collect();
    if after.idle_threads {
        "its tests leave threads waiting, and no accessible method ends them".into()
    } else if after.world.contains(&WorldPart::Files) {
        "its tests leave files behind".into()
    } else if after.world.contains(&WorldPart::Providers) {
        "its tests change the security providers".into()
    } else if names.is_empty() {
        "its tests change shared state, and no accessible method puts it back".into()
    } else {
        format!("its tests change static state of {}, and no accessible method puts it back", names.join(", "))
    }
}
