//! The threads of a run. Each generates one class after the other.
//!
//! Flows in: the targets in their order, the queue that says which may begin, the begin of the run. Flows out: the
//! report; the test files are on disk by then. Must not know the stages of a class, nor how targets are found.
//!
//! Where a total budget is too short to give every class its whole budget, each class first gets a turn, and what is
//! left goes to the classes that are expected to gain most ([`Turns`]). What each class has is kept on disk until the
//! run has ended ([`KeptRun`]).

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, RecvTimeoutError, bounded};

use super::class_generation::{EarlierTurn, GeneratedClass, LEAST_TIME, generate_class};
use super::class_queue::ClassQueue;
use super::context::Context;
use super::error::EngineError;
use super::kept_run::{KeptClass, KeptRun};
use super::run_progress::RunProgress;
use super::shared_state::SharedState;
use super::target::Target;
use super::turns::{TurnEnd, Turns};
use crate::config::Budget;
use crate::jvm::used_kilobytes;
use crate::program::ClassName;
use crate::report::{ClassReport, CoverageCount, Report};

/// A class gets at least this time of a total budget, or none.
pub(super) const FIRST_LOOK: Duration = Duration::from_millis(600);
/// The part of a total budget that first turns share where there are further ones.
const FIRST_SHARE: f64 = 0.6;
/// Memory is looked at this often. Beyond these percents of the limit, waiting JVMs end, and no class begins beside
/// another one.
const MEMORY_PAUSE: Duration = Duration::from_millis(400);
const MUCH_MEMORY: u64 = 80;
/// Stack of a thread that generates classes, in bytes: that of a main thread.
const LANE_STACK: usize = 8 << 20;
/// What went wrong where a thread ended that generates classes.
const PANICKED: &str = "a thread that generates classes panicked";

/// A target, or the name of a class with the reason why it is none.
pub(super) type FoundTarget = Result<Target, (String, String)>;

/// A run over several classes.
pub(super) struct Lanes<'a> {
    context: &'a Context<'a>,
    names: Vec<String>,
    targets: Vec<Mutex<Option<FoundTarget>>>,
    queue: ClassQueue,
    /// Large classes in work at the same time.
    at_once: usize,
    /// The begin of this process's part of the run.
    begin: Instant,
    /// Where the total budget counts from: an earlier part of the run counts as well.
    total_begin: Instant,
    turns: Option<Turns>,
    /// `None` where nothing is kept.
    kept: Option<KeptRun>,
    /// What an earlier part of the run has, by position.
    resumed: BTreeMap<usize, KeptClass>,
    begun: AtomicUsize,
    /// Classes in work.
    in_work: AtomicUsize,
    /// Much of the memory is taken.
    is_full: AtomicBool,
}

impl<'a> Lanes<'a> {
    /// A run over the targets, which stand in the order of the queue.
    pub(super) fn new(
        context: &'a Context<'a>,
        targets: Vec<FoundTarget>,
        queue: ClassQueue,
        at_once: usize,
        begin: Instant,
    ) -> Lanes<'a> {
        let config = context.config;
        let name_of = |target: &FoundTarget| match target {
            Ok(target) => target.name().binary(),
            Err((name, _)) => name.clone(),
        };
        let names: Vec<String> = targets.iter().map(name_of).collect();
        let time = match config.budget {
            Budget::Time(time) => Some(time),
            Budget::Steps(_) => None,
        };
        // Where steps are counted, what one class hands to the next decides about bytes. What is limited to a change
        // looks at files of earlier runs.
        let is_kept = names.len() > 1 && time.is_some() && context.impacted.is_none();
        let kept = is_kept.then(|| KeptRun::new(config));
        let shares = |total: Duration, time: Duration| {
            let each = total.mul_f64(at_once as f64) / u32::try_from(names.len()).unwrap_or(u32::MAX);
            each < time && each >= FIRST_LOOK
        };
        let turns = config.total_budget.zip(time).filter(|(total, time)| is_kept && shares(*total, *time));
        let mut resumed = BTreeMap::new();
        if let Some(kept) = kept.as_ref().filter(|kept| kept.is_there()) {
            if config.resume {
                // A class without a test file gets a turn: a further one, or the first one again.
                let has_ended = |class: &KeptClass| turns.is_some() || class.report.file.is_some();
                let of_class =
                    |name: &String| kept.read(&context.program, &ClassName::from_binary(name)).filter(|class| has_ended(class));
                resumed.extend(names.iter().enumerate().filter_map(|(place, name)| Some((place, of_class(name)?))));
                let (done, all) = (resumed.len(), names.len());
                context.observer.message(&format!("going on with an interrupted run, which has {done} of {all} classes"));
            } else {
                kept.remove();
                context.observer.message("an interrupted run begins anew; --resume would go on with it");
            }
        }
        let elapsed = resumed.values().map(KeptClass::elapsed).max().unwrap_or_default();
        Lanes {
            context,
            targets: targets.into_iter().map(|target| Mutex::new(Some(target))).collect(),
            names,
            queue,
            at_once,
            begin,
            total_begin: begin.checked_sub(elapsed).unwrap_or(begin),
            turns: turns.map(|(_, time)| Turns::new(time)),
            kept,
            resumed,
            begun: AtomicUsize::new(0),
            in_work: AtomicUsize::new(0),
            is_full: AtomicBool::new(false),
        }
    }

    /// Generates the classes, several at the same time where the machine can take them, and those that others need
    /// first. The report is written while they end, and at the end. `shared` is what the first class begins with.
    pub(super) fn generate(self, shared: SharedState) -> Result<Report, EngineError> {
        let progress = RunProgress::new(self.context, shared);
        let lanes = self.queue.capacity().min(self.names.len());
        thread::scope(|scope| {
            // Where a thread cannot be started, the others do its work.
            let lane = |number: usize| thread::Builder::new().name(format!("class {number}")).stack_size(LANE_STACK);
            let (this, progress) = (&self, &progress);
            let start = |number: usize| lane(number).spawn_scoped(scope, move || this.work(number, progress));
            let (work_ends, ended) = bounded::<()>(0);
            if let Some(limit) = self.context.memory {
                // Without this thread, the number of classes in work limits the memory.
                let _ = lane(0).spawn_scoped(scope, move || this.watch_memory(limit, &ended));
            }
            let others: Vec<_> = (2..=lanes).filter_map(|number| start(number).ok()).collect();
            self.work(1, progress);
            others.into_iter().for_each(|other| {
                if other.join().is_err() {
                    progress.fail(EngineError::fault(PANICKED));
                }
            });
            drop(work_ends);
        });
        let report = progress.finish(self.context)?;
        if let Some(kept) = self.kept.filter(|_| !self.context.interrupt.is_set()) {
            kept.remove();
        }
        Ok(report)
    }

    /// Keeps the memory of all processes below the limit, in kilobytes, until the work has ended.
    fn watch_memory(&self, limit: u64, ended: &Receiver<()>) {
        while let Err(RecvTimeoutError::Timeout) = ended.recv_timeout(MEMORY_PAUSE) {
            let used = used_kilobytes();
            let is_full = used * 100 > limit * MUCH_MEMORY;
            if is_full {
                tracing::debug!(used, limit, "much memory is taken");
                self.context.idle_jvms.clear();
                self.context.verifying_jvms.clear();
            }
            self.is_full.store(is_full, Ordering::Relaxed);
        }
    }

    /// Waits while much memory is taken and another class may give some back.
    fn wait_for_memory(&self) {
        let is_alone = || self.in_work.load(Ordering::Relaxed) == 0;
        while self.is_full.load(Ordering::Relaxed) && !is_alone() && !self.context.interrupt.is_set() {
            thread::sleep(MEMORY_PAUSE);
        }
    }

    /// The work of one thread, which is given its number from 1.
    fn work(&self, number: usize, progress: &RunProgress) {
        while let Some(turn) = self.queue.next() {
            let index = self.begun.fetch_add(1, Ordering::Relaxed);
            let place = turn.position;
            if let Some(kept) = self.resumed.get(&place) {
                progress.enter(self.context, place, kept.report.clone());
                let (given, took) = kept.times();
                self.end_turn(place, &kept.report, given, took);
                continue;
            }
            self.wait_for_memory();
            let target = self.targets[place].lock().unwrap_or_else(PoisonError::into_inner).take();
            let Some(target) = target.filter(|_| index == 0 || !self.context.interrupt.is_set()) else { continue };
            // Opening the class path, which all classes share, counts for the first one.
            let begin = if index == 0 { self.begin } else { Instant::now() };
            let rounds = (self.names.len() - index).div_ceil(self.at_once).max(self.queue.chain_from(place));
            let limit = self.first_limit(rounds);
            let mut shared = progress.begin(self.context, turn.needs());
            let done = self.generate_target(target, limit, begin, None, &mut shared);
            self.end(place, done, limit, begin, progress, shared);
        }
        if number <= self.at_once {
            self.work_on_further_turns(progress);
        }
    }

    /// Gives further turns to the classes that gain most, until the total budget is used up.
    fn work_on_further_turns(&self, progress: &RunProgress) {
        let Some(turns) = &self.turns else { return };
        while let Some(turn) = turns.next(|| if self.context.interrupt.is_set() { Duration::ZERO } else { self.left() }) {
            let (program, config) = (&self.context.program, self.context.config);
            let name = ClassName::from_binary(&self.names[turn.place]);
            let kept = self.kept.as_ref().and_then(|kept| kept.read(program, &name));
            let (Some(kept), Ok(target)) = (kept, Target::new(program, &self.names[turn.place], config)) else { continue };
            let begin = Instant::now();
            tracing::debug!(class = self.names[turn.place], time = ?turn.time, "a further turn");
            let mut shared = progress.begin(self.context, &Default::default());
            let earlier = EarlierTurn { archive: kept.tests(), report: kept.report };
            let done = self.generate_target(Ok(target), Some(turn.time), begin, Some(earlier), &mut shared);
            self.end(turn.place, done, Some(turn.time), begin, progress, shared);
        }
    }

    /// Enters what the turn of a class gave.
    fn end(
        &self,
        place: usize,
        done: Result<GeneratedClass, EngineError>,
        limit: Option<Duration>,
        begin: Instant,
        progress: &RunProgress,
        shared: SharedState,
    ) {
        let took = begin.elapsed();
        let entered = done.and_then(|GeneratedClass { report, archive }| {
            let given = limit.unwrap_or_default();
            let end = self.end_turn(place, &report, given, took);
            if let Some(kept) = self.kept.as_ref().filter(|_| report.file.is_some() || !archive.is_empty()) {
                let name = ClassName::from_binary(&self.names[place]);
                let class = KeptClass::new(report.clone(), &archive, end);
                if let Err(error) = kept.write(&self.context.program, &name, class, self.total_begin.elapsed()) {
                    tracing::warn!("what the class has cannot be kept: {error}");
                }
            }
            progress.end(self.context, place, report, shared)
        });
        self.context.observer.ended(&self.names[place]);
        if let Err(error) = entered {
            progress.fail(error);
            self.queue.close();
        }
    }

    /// Tells the turns what one of them brought.
    fn end_turn(&self, place: usize, report: &ClassReport, given: Duration, took: Duration) -> TurnEnd {
        let goals = [report.goals.branch, report.goals.line, report.goals.mutant];
        let sum = |count: fn(&CoverageCount) -> usize| goals.iter().map(count).sum::<usize>() as u64;
        let (shown, all) = (sum(|goal| goal.covered), sum(|goal| goal.total));
        let searched = report.searched.as_ref().map_or(0, |searched| searched.branch.covered + searched.line.covered);
        let lost = searched.saturating_sub(report.goals.branch.covered + report.goals.line.covered) as u64;
        let end = TurnEnd { given, took, shown, open: all.saturating_sub(shown), lost };
        if let Some(turns) = &self.turns {
            turns.end(place, end);
        }
        end
    }

    /// What is left of the total budget.
    fn left(&self) -> Duration {
        self.context.config.total_budget.map_or(Duration::MAX, |total| total.saturating_sub(self.total_begin.elapsed()))
    }

    /// The time of a first turn: an even share of the rest of the total budget, or of the part for first turns, among
    /// the classes that come one after the other. A first look at least.
    fn first_limit(&self, rounds: usize) -> Option<Duration> {
        let total = self.context.config.total_budget?;
        let left = self.left();
        let share = if self.turns.is_some() { total.mul_f64(FIRST_SHARE) } else { total };
        let shared = share.saturating_sub(self.total_begin.elapsed());
        Some((shared / u32::try_from(rounds).unwrap_or(u32::MAX)).max(FIRST_LOOK).min(left))
    }

    /// What becomes of a class in one turn.
    ///
    /// Fails where the error concerns all classes, or is that of the only one.
    fn generate_target(
        &self,
        target: FoundTarget,
        limit: Option<Duration>,
        begin: Instant,
        earlier: Option<EarlierTurn>,
        shared: &mut SharedState,
    ) -> Result<GeneratedClass, EngineError> {
        let target = match target {
            Err((name, reason)) => return Ok(GeneratedClass::without_tests(&name, reason)),
            Ok(target) => target,
        };
        let name = target.name().binary();
        if limit.is_some_and(|limit| limit < LEAST_TIME) {
            return Ok(GeneratedClass::without_tests(&name, "the total budget was used up before its turn".into()));
        }
        let recorded = &self.context.recorded;
        self.in_work.fetch_add(1, Ordering::Relaxed);
        let generated = generate_class(self.context, &target, limit, begin, earlier.as_ref(), shared);
        self.in_work.fetch_sub(1, Ordering::Relaxed);
        match generated {
            Ok(generated) => Ok(generated),
            Err(error @ EngineError::Installation(_)) => Err(error),
            Err(error) if self.names.len() == 1 => Err(error),
            Err(error) => match (recorded.as_ref().and_then(|recorded| recorded.read_error()), earlier) {
                (Some(read_error), _) => Err(read_error.clone()),
                // The tests of the turn before are still there.
                (None, Some(EarlierTurn { report, archive })) => Ok(GeneratedClass { report, archive }),
                (None, None) => Ok(GeneratedClass::without_tests(&name, error.to_string())),
            },
        }
    }
}
