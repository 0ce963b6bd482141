//! How much work is left for one class: time or steps, the same questions for both.

use crate::config::Budget;
use std::time::{Duration, Instant};

/// Of the whole time, what getting ready for verification (minimising, observing, mutants) may take, at least and at most; it follows
/// from how many runs that will need and how long a run takes.
const PREPARE_LEAST: f64 = 0.09;
const PREPARE_MOST: f64 = 0.20;
const PREPARE_SHORTEST: Duration = Duration::from_millis(400);
const PREPARE_LONGEST: Duration = Duration::from_secs(20);
/// Runs by test while minimising, observing and measuring, and by mutant.
const RUNS_BY_TEST: f64 = 40.0;
const RUNS_BY_MUTANT: f64 = 8.0;
/// Of the time to get ready, until when is minimised and observed.
const MINIMISE_SHARE: f64 = 0.35;
const OBSERVE_SHARE: f64 = 0.85;
/// Observing gets at least so much, and of what is left at most this share.
const OBSERVE_LEAST: Duration = Duration::from_millis(1500);
const OBSERVE_MOST: f64 = 0.4;
/// And so much when no time is left at all: what was found is not lost because something took too long.
const OBSERVE_LATE: Duration = Duration::from_millis(1000);
/// Of what is left when the tests are ready, how much measuring what they cover may take.
const MEASURE_SHARE: f64 = 0.15;
/// Of the whole time, what finishing may take in all.
const FINISH_MOST: f64 = 0.7;
/// What is under way when a phase ends may take so long to end by itself.
const GRACE: Duration = Duration::from_millis(300);
/// Of what is left but for verifying, the least that the analysis of mutants gets.
const MUTATE_LEAST: f64 = 0.8;
/// How far beyond its budget a class may be when what could be better is left as it is, and the least time a class has before that happens.
const OVERTIME: f64 = 1.05;
const SHORTEST: Duration = Duration::from_secs(6);
/// A class of which nothing is verified yet may be this much later still: to be late is better than to have worked for nothing.
const DELAY: f64 = 0.8;
const LONGEST_DELAY: Duration = Duration::from_secs(30);
/// Time to verify for a class that is late already.
const VERIFY_LATE: Duration = Duration::from_secs(4);
/// Lines of source that a test of the archive comes to, about.
const LINES_BY_TEST: usize = 8;

/// What finishing costs on this machine as far as it is known. It belongs to a run: each class corrects it for those after it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MachineSpeed {
    /// How much slower than the machine of the constants below.
    slowness: f64,
}

/// Until a worker JVM has answered, and until the compiler is warm; compiling a file of tests and a line of it, the compiler being warm;
/// running them. Measured on two cores at rest.
const START: Duration = Duration::from_millis(420);
const WARM: Duration = Duration::from_millis(1100);
const COMPILE_FILE: Duration = Duration::from_millis(400);
const COMPILE_LINE: Duration = Duration::from_micros(350);
const RUN_FILE: Duration = Duration::from_millis(450);
const RUN_LINE: Duration = Duration::from_micros(250);
const SLOWEST: f64 = 6.0;
const FASTEST: f64 = 0.75;
/// JVMs that start together slow each other down by so much.
const TOGETHER: f64 = 1.5;
/// Estimates are for the usual case.
const CAUTION: f64 = 1.25;

impl MachineSpeed {
    /// A first guess from what it took to start a worker.
    pub(crate) fn from_worker_start(start: Duration) -> MachineSpeed {
        MachineSpeed { slowness: (start.as_secs_f64() / START.as_secs_f64()).clamp(FASTEST, SLOWEST) }
    }

    /// Until the compiler was warm it took so long, beside everything that starts at the same time.
    pub(crate) fn observe_compiler_start(&mut self, warm: Duration) {
        let found = warm.as_secs_f64() / WARM.as_secs_f64();
        self.slowness = ((self.slowness + found) / 2.0).clamp(FASTEST, SLOWEST);
    }

    /// A worker that started beside others and a search took so long.
    pub(crate) fn observe_worker_start(&mut self, start: Duration) {
        let found = start.as_secs_f64() / START.as_secs_f64() / TOGETHER;
        self.slowness = self.slowness.max(found).clamp(FASTEST, SLOWEST);
    }

    /// What compiling and running a file of so many lines takes.
    pub(crate) fn verify(&self, lines: usize) -> Duration {
        self.compile(lines) + self.run(lines)
    }

    pub(crate) fn compile(&self, lines: usize) -> Duration {
        (COMPILE_FILE + COMPILE_LINE * lines as u32).mul_f64(self.slowness)
    }

    /// What running takes, in all environments at once.
    pub(crate) fn run(&self, lines: usize) -> Duration {
        (RUN_FILE + RUN_LINE * lines as u32).mul_f64(self.slowness)
    }

    /// How many lines can be verified in this time.
    pub(crate) fn lines_in(&self, time: Duration) -> usize {
        let one = (COMPILE_LINE + RUN_LINE).as_secs_f64() * self.slowness;
        (time.saturating_sub(self.verify(0)).as_secs_f64() / one) as usize
    }

    /// Compiling a file of so many lines took so long.
    #[must_use]
    pub(crate) fn corrected_by_compilation(mut self, lines: usize, took: Duration) -> MachineSpeed {
        let found = took.as_secs_f64() / (COMPILE_FILE + COMPILE_LINE * lines as u32).as_secs_f64();
        self.slowness = found.clamp(FASTEST, SLOWEST);
        self
    }

    /// Verifying a file of so many lines took so long.
    pub(crate) fn observe_verification(&mut self, lines: usize, took: Duration) {
        let found = took.as_secs_f64() / MachineSpeed { slowness: 1.0 }.verify(lines).as_secs_f64();
        self.slowness = ((self.slowness + found) / 2.0).clamp(FASTEST, SLOWEST);
    }
}

/// How much there will be to finish.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct RemainingWork {
    /// Tests of the archive.
    pub(crate) tests: usize,
    pub(crate) mutants: usize,
    /// Runs in a second.
    pub(crate) rate: f64,
    /// The same under mutants, which often do not come to an end; `None` while nobody knows.
    pub(crate) mutant_rate: Option<f64>,
}

#[derive(Debug)]
pub(crate) struct TimeBudget {
    begin: Instant,
    budget: Budget,
    /// Steps taken: executed candidates and solver queries.
    used: u64,
    speed: MachineSpeed,
    load: RemainingWork,
    /// What is kept for getting ready, and for verifying.
    prepare: Duration,
    verify: Duration,
    /// When finishing began; until then what is planned.
    searched: Option<Instant>,
}

impl TimeBudget {
    /// `limit` is what the total budget leaves, where there is one; `begin` is when the class's time began.
    pub(crate) fn new(budget: Budget, limit: Option<Duration>, begin: Instant, speed: MachineSpeed) -> TimeBudget {
        let budget = match (budget, limit) {
            (Budget::Time(time), Some(limit)) => Budget::Time(time.min(limit)),
            (budget, _) => budget,
        };
        let mut budget = TimeBudget {
            begin,
            budget,
            used: 0,
            speed,
            load: RemainingWork::default(),
            prepare: Duration::ZERO,
            verify: Duration::ZERO,
            searched: None,
        };
        budget.plan_finish(RemainingWork::default());
        budget
    }

    pub(crate) fn speed(&self) -> MachineSpeed {
        self.speed
    }

    pub(crate) fn set_speed(&mut self, speed: MachineSpeed) {
        self.speed = speed;
        self.plan_finish(self.load);
    }

    /// Plans the end of the class by what there will be to do, while the search goes on.
    pub(crate) fn plan_finish(&mut self, load: RemainingWork) {
        let Budget::Time(time) = self.budget else { return };
        self.load = load;
        let rate = load.rate.max(100.0);
        let seconds = load.tests as f64 * RUNS_BY_TEST / rate
            + load.mutants as f64 * RUNS_BY_MUTANT / load.mutant_rate.unwrap_or(rate).max(50.0);
        let prepare = Duration::from_secs_f64(seconds).max(time.mul_f64(PREPARE_LEAST));
        let verify = self.speed.verify(load.tests * LINES_BY_TEST).mul_f64(CAUTION);
        let most = time.mul_f64(FINISH_MOST);
        self.verify = verify.min(most.mul_f64(0.75));
        self.prepare = prepare
            .min(time.mul_f64(PREPARE_MOST))
            .clamp(PREPARE_SHORTEST.mul_f64(self.speed.slowness), PREPARE_LONGEST)
            .min(most.saturating_sub(self.verify));
    }

    /// The search is over: what is left is shared by the stages that follow.
    pub(crate) fn finish(&mut self) {
        self.searched = Some(Instant::now());
    }

    pub(crate) fn elapsed(&self) -> Duration {
        self.begin.elapsed()
    }

    pub(crate) fn use_steps(&mut self, steps: u64) {
        self.used += steps;
    }

    /// Only when steps are counted: nothing then may depend on the clock.
    pub(crate) fn counts_steps(&self) -> bool {
        matches!(self.budget, Budget::Steps(_))
    }

    /// Time left of the whole budget; `None` when steps are counted.
    pub(crate) fn left(&self) -> Option<Duration> {
        match self.budget {
            Budget::Time(time) => Some(time.saturating_sub(self.elapsed())),
            Budget::Steps(_) => None,
        }
    }

    /// Steps that the search may still take, when steps are counted. A tenth is kept for minimising.
    pub(crate) fn steps_left(&self) -> Option<u64> {
        match self.budget {
            Budget::Time(_) => None,
            Budget::Steps(steps) => Some((steps - steps / 10).saturating_sub(self.used)),
        }
    }

    pub(crate) fn may_search(&self) -> bool {
        match self.search_until() {
            Some(until) => Instant::now() < until,
            None => self.steps_left() != Some(0),
        }
    }

    /// When the search has to end; `None` when steps are counted.
    pub(crate) fn search_until(&self) -> Option<Instant> {
        match self.budget {
            Budget::Time(time) => Some(self.begin + time.saturating_sub(self.prepare + self.verify)),
            Budget::Steps(_) => None,
        }
    }

    /// Whether minimising may go on.
    pub(crate) fn may_minimise(&self) -> bool {
        match (self.preparing(MINIMISE_SHARE), self.budget) {
            (Some(until), _) => Instant::now() < until,
            (None, Budget::Steps(steps)) => self.used < steps,
            (None, Budget::Time(_)) => false,
        }
    }

    /// When searching is cut short, whatever is under way; `None` when steps are counted, as for the other deadlines.
    pub(crate) fn search_deadline(&self) -> Option<Instant> {
        self.search_until().map(|until| until + GRACE)
    }

    pub(crate) fn minimise_deadline(&self) -> Option<Instant> {
        self.preparing(MINIMISE_SHARE).map(|until| until + GRACE)
    }

    /// Without observing there are no tests at all: where an earlier phase took too long, it gets its least time all the same.
    pub(crate) fn observe_deadline(&self) -> Option<Instant> {
        let least = OBSERVE_LEAST.min(self.left()?.mul_f64(OBSERVE_MOST).max(OBSERVE_LATE));
        self.preparing(OBSERVE_SHARE).map(|until| until.max(Instant::now() + least))
    }

    /// When the analysis of mutants that begins now has to end. Where earlier stages took its time, it gets some of what caution keeps for
    /// verifying.
    pub(crate) fn mutate_deadline(&self) -> Option<Instant> {
        let least = self.left()?.saturating_sub(self.verify.mul_f64(1.0 / CAUTION)).mul_f64(MUTATE_LEAST);
        self.preparing(1.0).map(|until| until.max(Instant::now() + least))
    }

    /// Until when is measured what the tests cover: a small part of the time to verify.
    pub(crate) fn measure_deadline(&self) -> Option<Instant> {
        Some(Instant::now() + self.left()?.mul_f64(MEASURE_SHARE).max(GRACE))
    }

    /// When what is not ready is given up.
    pub(crate) fn end(&self) -> Option<Instant> {
        match self.budget {
            Budget::Time(time) => Some(self.begin + time.mul_f64(OVERTIME).max(SHORTEST)),
            Budget::Steps(_) => None,
        }
    }

    /// Time for a step that nothing can be written without, but not more than `most`, which it is when steps are counted.
    pub(crate) fn timeout_for(&self, most: Duration) -> Duration {
        let Budget::Time(time) = self.budget else { return most };
        let delay = time.mul_f64(DELAY).clamp(SHORTEST, LONGEST_DELAY);
        self.end().map_or(most, |end| (end + delay).saturating_duration_since(Instant::now()).min(most))
    }

    /// Time for a run of which every part counts: until the end, but so long as it may take in any case.
    pub(crate) fn run_timeout_for(&self, expected: Duration, most: Duration) -> Duration {
        let Some(end) = self.end() else { return most };
        let left = end.saturating_duration_since(Instant::now());
        left.max(expected).min(self.timeout_for(most))
    }

    /// Time in which a file of tests is to be verified: what is left, or where a stage before took it all, some of what comes after the end.
    pub(crate) fn verify_time(&self) -> Option<Duration> {
        let left = self.end()?.saturating_duration_since(Instant::now());
        Some(left.max(self.timeout_for(VERIFY_LATE)))
    }

    /// Whether something that takes about so long can still be done.
    pub(crate) fn allows(&self, time: Duration) -> bool {
        self.end().is_none_or(|end| Instant::now() + time <= end)
    }

    /// After this share of the time to get ready.
    fn preparing(&self, share: f64) -> Option<Instant> {
        let Budget::Time(time) = self.budget else { return None };
        let until = self.begin + time.saturating_sub(self.verify);
        let from = self.searched.or(self.search_until())?;
        Some(from + until.saturating_duration_since(from).mul_f64(share))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const REST: MachineSpeed = MachineSpeed { slowness: 1.0 };

    fn seconds(seconds: u64) -> TimeBudget {
        TimeBudget::new(Budget::Time(Duration::from_secs(seconds)), None, Instant::now(), REST)
    }

    fn search_time(budget: &TimeBudget) -> Duration {
        budget.search_until().expect("time counts") - budget.begin
    }

    #[test]
    fn steps_end_the_search_and_leave_some_to_minimise() {
        let mut budget = TimeBudget::new(Budget::Steps(100), None, Instant::now(), REST);
        budget.use_steps(89);
        assert!(budget.may_search());
        budget.use_steps(1);
        assert!(!budget.may_search());
        assert!(budget.may_minimise());
        budget.use_steps(10);
        assert!(!budget.may_minimise());
        assert_eq!((budget.end(), budget.mutate_deadline(), budget.search_until()), (None, None, None));
        assert!(budget.allows(Duration::from_secs(1_000_000)));
    }

    #[test]
    fn the_total_budget_limits_a_class() {
        let time = Budget::Time(Duration::from_secs(30));
        assert!(!TimeBudget::new(time, Some(Duration::from_millis(0)), Instant::now(), REST).may_search());
    }

    #[test]
    fn where_finishing_is_cheap_the_search_gets_the_time() {
        let mut budget = seconds(30);
        budget.plan_finish(RemainingWork { tests: 20, mutants: 50, rate: 20_000.0, mutant_rate: None });
        assert!(search_time(&budget) > Duration::from_secs(26), "{budget:?}");
        budget.plan_finish(RemainingWork { tests: 400, mutants: 700, rate: 5_000.0, mutant_rate: None });
        assert!(search_time(&budget) < Duration::from_secs(24), "{budget:?}");
        // A machine that is slow by what its first JVM took keeps more.
        let mut slow = TimeBudget { speed: MachineSpeed::from_worker_start(4 * START), ..seconds(30) };
        slow.plan_finish(RemainingWork { tests: 400, mutants: 700, rate: 5_000.0, mutant_rate: None });
        assert!(search_time(&slow) < search_time(&budget), "{slow:?}");
    }

    #[test]
    fn the_search_keeps_some_time_however_much_is_to_finish() {
        for time in [2, 10, 60] {
            let mut budget = TimeBudget { speed: MachineSpeed { slowness: SLOWEST }, ..seconds(time) };
            budget.plan_finish(RemainingWork { tests: 100_000, mutants: 100_000, rate: 1.0, mutant_rate: Some(1.0) });
            assert!(search_time(&budget) >= Duration::from_secs(time).mul_f64(0.29), "{budget:?}");
        }
    }

    #[test]
    fn the_stages_end_in_their_order_and_before_the_end() {
        let mut budget = seconds(10);
        budget.plan_finish(RemainingWork { tests: 100, mutants: 300, rate: 5_000.0, mutant_rate: None });
        let (search, minimise) = (budget.search_until(), budget.minimise_deadline());
        let (observe, mutate) = (budget.observe_deadline(), budget.mutate_deadline());
        assert!(search < minimise && minimise < observe && observe < mutate && mutate < budget.end(), "{budget:?}");
        let over = budget.end().expect("time counts") - budget.begin;
        assert!(over <= Duration::from_secs(11), "{over:?}");
    }

    #[test]
    fn who_is_late_keeps_what_was_found() {
        let begin = Instant::now().checked_sub(Duration::from_secs(15)).expect("the machine is up for longer");
        let mut late = TimeBudget::new(Budget::Time(Duration::from_secs(10)), None, begin, REST);
        late.finish();
        assert_eq!(late.left(), Some(Duration::ZERO));
        assert!(!late.allows(Duration::from_millis(1)) && !late.may_minimise());
        let observe = late.observe_deadline().expect("time counts");
        assert!(observe > Instant::now() + OBSERVE_LATE / 2, "{late:?}");
        // What comes after the end has an end of its own.
        assert!(late.verify_time() > Some(Duration::ZERO), "{late:?}");
        let given_up = TimeBudget { begin: begin.checked_sub(Duration::from_secs(5)).expect("still"), ..late };
        assert_eq!(given_up.verify_time(), Some(Duration::ZERO));
    }

    #[test]
    fn what_verifying_took_is_what_the_next_class_expects() {
        let mut speed = REST;
        for _ in 0..8 {
            speed.observe_verification(1000, 3 * REST.verify(1000));
        }
        let ratio = speed.verify(200).as_secs_f64() / REST.verify(200).as_secs_f64();
        assert!((2.8..=3.0).contains(&ratio), "{ratio}");
    }
}
