//! Makes tests put back the state that they share with other tests.
//!
//! Flows in: tests with assertions, what their executions changed, a search worker. Flows out: the
//! tests with resets and undoing statements; a test whose change nothing puts back is lost, with the
//! reason. Must not know how resets are rendered.
//!
//! Whether a change counts is decided by running: observers of the changed classes run alone and
//! behind the test. Where they show something else, candidates of `oracle::leftovers` run behind the
//! test until one of them makes the observers show what they showed alone.

use std::collections::{BTreeSet, HashMap};

use super::observation::execute;
use crate::execution::{Execution, Leftovers, RunEnd, Snapshot, WorldPart};
use crate::jvm::{JvmError, SearchWorker};
use crate::oracle::leftovers::{self, StateObservers, candidate_resets, candidate_undos, differences};
use crate::oracle::{Accessibility, AssertedTest, Reset};
use crate::program::{ClassName, JavaType};
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
    baselines: Baselines,
    /// Resets that helped an earlier test; they are tried first.
    proven: Vec<Reset>,
}

/// What became of a test.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Restored {
    /// The test puts its changes back, or no observer shows them.
    Test(AssertedTest),
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
        Restoration { worker, access, targets, baselines: Baselines::new(), proven: Vec::new() }
    }

    /// Makes the test put back what it changed.
    ///
    /// Fails where the worker cannot be kept running.
    pub(super) fn restore(&mut self, mut test: AssertedTest, left: &Leftovers) -> Result<Restored, JvmError> {
        let saved = left.world.iter().copied().filter(|part| leftovers::world_state(*part).is_some());
        test.resets.extend(saved.map(Reset::World));
        // Nothing can run behind a statement that throws.
        let mut acted = test.test.clone();
        if test.expected.is_some() {
            acted.statements.pop();
        }
        let classes: BTreeSet<ClassName> = left.classes.union(&self.targets).cloned().collect();
        let observers = StateObservers::of(&classes, self.access, &test.test);
        if observers.is_empty() && !is_left_open(left) {
            return Ok(Restored::Test(test));
        }
        let (observers, alone) = self.baseline(observers)?;
        let behind = self.run(&observers.behind(&acted))?;
        if behind.end == RunEnd::Unrun {
            return Ok(Restored::Test(test));
        }
        if is_left_open(left) && !is_left_open(&behind.leftovers) && test.expected.is_some() {
            // The statement that throws leaves it, and no test shows whether anything undoes that.
            return Ok(Restored::Lost(lost_state(left, left)));
        }
        let trial = Trial { observers, alone, world: test.resets.clone(), acted };
        if trial.is_restored(&behind, trial.acted.len()) {
            return Ok(Restored::Test(test));
        }
        if !trial.world.is_empty() {
            let (with_world, offset) = trial.with_resets(&[]);
            if trial.is_restored(&self.run(&with_world)?, offset) {
                return Ok(Restored::Test(test));
            }
        }
        tracing::debug!(classes = ?classes, world = ?left.world, "changes shared state:\n{}", test.test);
        if let Some(resets) = self.find_resets(&trial, &classes)? {
            for reset in resets {
                if !self.proven.contains(&reset) {
                    self.proven.push(reset.clone());
                }
                test.resets.push(reset);
            }
            return Ok(Restored::Test(test));
        }
        let longer = candidate_undos(&classes, self.access, &trial.acted);
        let runs: Vec<TestCase> = longer.iter().map(|longer| trial.observers.behind(longer)).collect();
        let executions = execute(self.worker, &runs, true)?;
        let undone = longer.iter().zip(&executions).find(|(longer, run)| trial.is_restored(run, longer.len()));
        if let Some((longer, _)) = undone {
            let undoing = &longer.statements[trial.acted.len()..];
            test.undoing = undoing.len() as u32;
            test.test.statements.extend_from_slice(undoing);
            return Ok(Restored::Test(test));
        }
        Ok(Restored::Lost(lost_state(left, &behind.leftovers)))
    }

    /// The observers whose results are the same in two runs, and these results.
    fn baseline(&mut self, observers: StateObservers) -> Result<(StateObservers, Vec<Snapshot>), JvmError> {
        let asked = observers.test.clone();
        if let Some(known) = self.baselines.get(&asked) {
            return Ok(known.clone());
        }
        let mut observers = observers;
        let mut shown = Vec::new();
        while !observers.is_empty() {
            let twice = execute(self.worker, &[observers.test.clone(), observers.test.clone()], true)?;
            let failing = twice.iter().find_map(|run| run.end.statement());
            let unusable: BTreeSet<usize> = match failing {
                Some(statement) => BTreeSet::from([statement as usize]),
                None if twice.iter().any(|run| run.end != RunEnd::Completed || run.left_running) => {
                    observers = observers.without(&(0..observers.test.len()).collect());
                    break;
                }
                None => differences(&twice[0].final_snapshots, &twice[1].final_snapshots, 0),
            };
            if unusable.is_empty() {
                shown = twice[0].final_snapshots.clone();
                break;
            }
            observers = observers.without(&unusable);
        }
        self.baselines.insert(asked, (observers.clone(), shown.clone()));
        Ok((observers, shown))
    }

    fn run(&mut self, test: &TestCase) -> Result<Execution, JvmError> {
        let mut executions = execute(self.worker, std::slice::from_ref(test), true)?;
        Ok(executions.pop().unwrap_or_else(|| Execution::without_measurements(RunEnd::Unrun)))
    }

    /// Resets that put back together what the test changed; those that read best.
    fn find_resets(&mut self, trial: &Trial, classes: &BTreeSet<ClassName>) -> Result<Option<Vec<Reset>>, JvmError> {
        let types = trial.observers.test.statements.iter().map(|statement| statement.ty.clone());
        let first: Vec<(JavaType, Snapshot)> = types.zip(trial.alone.iter().cloned()).collect();
        let mut candidates = self.proven.clone();
        for candidate in candidate_resets(classes, self.access, &first) {
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
                    let differing =
                        differences(&trial.alone, run.final_snapshots.get(*offset..).unwrap_or_default(), *offset).len();
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
    observers: StateObservers,
    /// What the observers show without the test.
    alone: Vec<Snapshot>,
    /// Resets of the JVM's state that the test has in any case.
    world: Vec<Reset>,
    /// The statements of the test that return.
    acted: TestCase,
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
        let shown = run.final_snapshots.get(offset..).unwrap_or_default();
        run.end == RunEnd::Completed
            && !run.left_running
            && !is_left_open(&run.leftovers)
            && differences(&self.alone, shown, offset).is_empty()
    }
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
