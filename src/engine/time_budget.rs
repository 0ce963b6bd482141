//! The budget of one class, in time or in steps: the same questions for both.
//!
//! Flows in: the configured budget, measured times, the remaining work. Flows out: deadlines and
//! yes-or-no answers. Must not know what a stage does. Where steps are counted, no answer depends
//! on the clock.
//!
//! The time of a class is divided into searching, preparing (minimise, observe, analyse mutants)
//! and verifying. The time for the last two is planned while the search runs, from the tests and
//! mutants that there are and from the speed of the machine.

use crate::config::Budget;
use std::time::{Duration, Instant};

/// Share of the whole time for preparing, at least and at most, and its length. Between these
/// bounds it follows from the number of runs and the time of one run.
const PREPARE_LEAST: f64 = 0.09;
/// The least time for preparing where a budget is not short, on the reference machine, and its share of the whole
/// time at most: values and names need some.
const PREPARE_CALM: Duration = Duration::from_millis(2700);
const PREPARE_CALM_MOST: f64 = 0.18;
const PREPARE_MOST: f64 = 0.24;
const PREPARE_SHORTEST: Duration = Duration::from_millis(400);
const PREPARE_LONGEST: Duration = Duration::from_secs(20);
/// Expected runs while preparing, per test and per mutant.
const RUNS_BY_TEST: f64 = 40.0;
const RUNS_BY_MUTANT: f64 = 8.0;
/// Shares of the time for preparing at whose end minimising and observing end.
const MINIMISE_SHARE: f64 = 0.35;
const OBSERVE_SHARE: f64 = 0.85;
/// Observing gets at least this time, but not more than a share of the time that is left.
const OBSERVE_LEAST: Duration = Duration::from_millis(1500);
const OBSERVE_MOST: f64 = 0.4;
/// Observing gets this time when little is left: without it, everything that was found is lost.
const OBSERVE_LATE: Duration = Duration::from_millis(1000);
/// Share of the remaining time for measuring what the tests cover.
const MEASURE_SHARE: f64 = 0.15;
/// The same for making tests better, at least and at most.
const POLISH_LEAST: f64 = 0.05;
const POLISH_MOST: f64 = 0.4;
/// Share of that time at whose end tests are no longer made shorter.
const SHORTEN_SHARE: f64 = 0.8;
/// A file that is shortened for lack of time keeps at least this many tests.
pub(super) const LEAST_TESTS: usize = 30;
/// Share of the whole time for preparing and verifying, at most.
const FINISH_MOST: f64 = 0.7;
/// The search gets at least this share of the whole time, but not beyond the other share: without
/// it, there is nothing to finish.
const SEARCH_LEAST: f64 = 0.08;
const SEARCH_LATEST: f64 = 0.8;
/// A search without a test may continue until this share of the whole time.
const FIRST_TEST_LATEST: f64 = 0.6;
/// Running work gets this time to end by itself when its phase ends.
const GRACE: Duration = Duration::from_millis(300);
/// Share of the time before verification that the mutation analysis gets, at least.
const MUTATE_LEAST: f64 = 0.8;
/// A class may take at least this time before unfinished work is given up.
const SHORTEST: Duration = Duration::from_secs(4);
/// Work without which no test can be written may end by so much later. Beside other programs, the process takes
/// longer to end after that.
const RESCUE: Duration = Duration::from_millis(550);
const RESCUE_UNDER_LOAD: Duration = Duration::from_millis(250);
/// Time for writing the file and the report, on the reference machine.
const WRITE: Duration = Duration::from_millis(50);
/// Share of the whole time for writing, at most.
const WRITE_MOST: f64 = 0.04;
/// A budget below this time, on the reference machine, is short: every JVM that it can do without
/// would take the time of others. However slow the machine is, a budget of `LONGEST_SHORT` is not.
const SHORT: Duration = Duration::from_millis(1800);
/// The same where other programs hold the JVMs up: finishing in full would take more than its share.
const SHORT_UNDER_LOAD: Duration = Duration::from_millis(2400);
const LONGEST_SHORT: Duration = Duration::from_secs(20);
/// A draft is verified beside the search where verifying is planned to take this share of the time,
/// or where the budget is at least this long on the reference machine.
const DRAFT_LEAST: f64 = 0.3;
const CHEAP_DRAFT: Duration = Duration::from_secs(20);
/// Expected lines of source per test of the archive.
const LINES_BY_TEST: usize = 10;

/// The speed of the machine as far as it is known. Each class corrects it for the classes behind
/// it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MachineSpeed {
    /// Factor by which this machine is slower than the reference machine of the constants below.
    slowness: f64,
    /// The factor that follows from the other programs on the machine. A JVM that has just started
    /// does not feel them yet.
    load: f64,
    /// What the tests of the class need.
    needed: Frameworks,
    /// The JVMs that will verify have loaded that.
    is_loaded: bool,
}

/// Times on the reference machine, which has two cores without other load. They are: start of a
/// worker JVM, start of the compiler until it is warm, compiling a file and one line of it, running
/// a file and one line of it in a JVM that has loaded JUnit and all frameworks.
const START: Duration = Duration::from_millis(420);
const WARM: Duration = Duration::from_millis(1100);
const COMPILE_FILE: Duration = Duration::from_millis(400);
const COMPILE_LINE: Duration = Duration::from_micros(350);
const RUN_FILE: Duration = Duration::from_millis(150);
const RUN_LINE: Duration = Duration::from_micros(250);
/// What a verifying JVM takes to load JUnit, to make its first mock, and for its first request to a controller.
const JUNIT: Duration = Duration::from_millis(300);
const MOCKS: Duration = Duration::from_millis(750);
const REQUESTS: Duration = Duration::from_millis(1300);
/// What of that it takes again for each file: the classes of a user are new to it.
const MOCKS_AGAIN: Duration = Duration::from_millis(200);
const REQUESTS_AGAIN: Duration = Duration::from_millis(400);
const SLOWEST: f64 = 20.0;
/// Threads for each core that run before the JVMs of a class start and belong to this program.
const OWN_THREADS: f64 = 1.5;
/// What another program's thread for each core adds to the factor: JVMs have several threads and get
/// more of the cores than it has.
const LOAD_OF_THREAD: f64 = 0.3;
/// Beside other programs, work may take longer than expected by this factor.
const DOUBT_UNDER_LOAD: f64 = 1.35;
const FASTEST: f64 = 0.75;
/// JVMs that start at the same time take longer by this factor.
const TOGETHER: f64 = 1.5;
/// What each JVM for mutants loads takes this share of the whole time, at most: such a JVM loads it beside the JVMs
/// that search and verify, and often more than once.
const MUTANTS_LOAD_MOST: f64 = 0.15;
/// Safety factor for the estimated time of verification.
const CAUTION: f64 = 1.25;

/// What JVMs that verify load besides JUnit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Frameworks {
    /// Mockito.
    pub(crate) mocks: bool,
    /// Spring's test support for controllers.
    pub(crate) requests: bool,
}

impl Frameworks {
    /// How long a JVM takes to load it on the reference machine.
    fn loading(self) -> Duration {
        Frameworks::sum([(self.mocks, MOCKS), (self.requests, REQUESTS)])
    }

    /// How long a JVM that has loaded it takes for it with each file.
    fn use_again(self) -> Duration {
        Frameworks::sum([(self.mocks, MOCKS_AGAIN), (self.requests, REQUESTS_AGAIN)])
    }

    fn sum(times: impl IntoIterator<Item = (bool, Duration)>) -> Duration {
        times.into_iter().filter(|(is_there, _)| *is_there).map(|(_, time)| time).sum()
    }
}

impl MachineSpeed {
    /// A first estimate from the time that starting a worker took.
    pub(crate) fn from_worker_start(start: Duration) -> MachineSpeed {
        MachineSpeed {
            slowness: (start.as_secs_f64() / START.as_secs_f64()).clamp(FASTEST, SLOWEST),
            load: FASTEST,
            needed: Frameworks::default(),
            is_loaded: false,
        }
    }

    /// Takes into account what the tests of a class need, and whether the JVMs that will verify have loaded it.
    pub(crate) fn observe_loading(&mut self, needed: Frameworks, is_loaded: bool) {
        (self.needed, self.is_loaded) = (needed, is_loaded);
    }

    /// The same where the JVMs that verify have loaded everything.
    pub(crate) fn where_all_is_loaded(&self) -> MachineSpeed {
        MachineSpeed { is_loaded: true, ..*self }
    }

    /// What verifying a file takes beyond its lines on the reference machine, because its JVMs load and use JUnit and
    /// frameworks.
    fn loading(&self) -> Duration {
        if self.is_loaded { self.needed.use_again() } else { JUNIT + self.needed.loading() }
    }

    /// Whether the JVMs that will verify have to load frameworks.
    pub(crate) fn loads_frameworks(&self) -> bool {
        !self.is_loaded && self.needed != Frameworks::default()
    }

    /// The reference machine with the same JVMs.
    fn reference(&self) -> MachineSpeed {
        MachineSpeed { slowness: 1.0, load: FASTEST, ..*self }
    }

    /// Takes the other programs on the machine into account. `threads` is the number of threads for
    /// each core that want to run, before the JVMs of a class start.
    pub(crate) fn observe_load(&mut self, threads: f64) {
        self.load = (1.0 + (threads - OWN_THREADS) * LOAD_OF_THREAD).clamp(FASTEST, SLOWEST);
    }

    /// The factor for planning.
    fn slowness(&self) -> f64 {
        self.slowness.max(self.load)
    }

    /// Corrects the estimate by the time until the compiler was warm, which starts beside other
    /// JVMs.
    pub(crate) fn observe_compiler_start(&mut self, warm: Duration) {
        let found = warm.as_secs_f64() / WARM.as_secs_f64();
        self.slowness = ((self.slowness + found) / 2.0).clamp(FASTEST, SLOWEST);
    }

    /// Corrects the estimate by the start of a worker beside a search; the estimate only grows.
    pub(crate) fn observe_worker_start(&mut self, start: Duration) {
        let found = start.as_secs_f64() / START.as_secs_f64() / TOGETHER;
        self.slowness = self.slowness.max(found).clamp(FASTEST, SLOWEST);
    }

    /// How many times longer than expected work may take: other programs come and go.
    pub(crate) fn doubt(&self) -> f64 {
        if self.load > 1.0 { DOUBT_UNDER_LOAD } else { 1.0 }
    }

    /// Expected time to start a worker beside other work.
    pub(crate) fn worker_start(&self) -> Duration {
        START.mul_f64(self.slowness())
    }

    /// Expected time in which a new JVM loads the frameworks that the tests of the class need.
    pub(crate) fn load_frameworks(&self) -> Duration {
        self.needed.loading().mul_f64(self.slowness())
    }

    /// Expected time to compile and run a file with so many lines.
    pub(crate) fn verify(&self, lines: usize) -> Duration {
        self.compile(lines) + self.run(lines)
    }

    /// Expected time to compile a file with so many lines.
    pub(crate) fn compile(&self, lines: usize) -> Duration {
        (COMPILE_FILE + COMPILE_LINE * lines as u32).mul_f64(self.slowness())
    }

    /// Expected time to run a file in all environments at once.
    pub(crate) fn run(&self, lines: usize) -> Duration {
        (RUN_FILE + self.loading() + RUN_LINE * lines as u32).mul_f64(self.slowness())
    }

    /// The number of lines that can be verified in this time.
    pub(crate) fn lines_in(&self, time: Duration) -> usize {
        let one = (COMPILE_LINE + RUN_LINE).as_secs_f64() * self.slowness();
        (time.saturating_sub(self.verify(0)).as_secs_f64() / one) as usize
    }

    /// The speed according to the time that compiling a file with so many lines took.
    #[must_use]
    pub(crate) fn corrected_by_compilation(mut self, lines: usize, took: Duration) -> MachineSpeed {
        let found = took.as_secs_f64() / (COMPILE_FILE + COMPILE_LINE * lines as u32).as_secs_f64();
        self.slowness = found.clamp(FASTEST, SLOWEST);
        self.load = FASTEST;
        self
    }

    /// Replaces the estimate by what verifying a file with so many lines took.
    pub(crate) fn measured_by_verification(&mut self, lines: usize, took: Duration) {
        let found = took.as_secs_f64() / self.reference().verify(lines).as_secs_f64();
        (self.slowness, self.load) = (found.clamp(FASTEST, SLOWEST), FASTEST);
    }

    /// Corrects the estimate by the time that verifying a file took beside a search.
    pub(crate) fn observe_draft(&mut self, lines: usize, took: Duration) {
        let found = took.as_secs_f64() / self.reference().verify(lines).as_secs_f64();
        (self.slowness, self.load) = (((self.slowness() + found) / 2.0).clamp(FASTEST, SLOWEST), FASTEST);
    }

    /// Corrects the estimate by the time that verifying a file with so many lines took. Beside JVMs that were still
    /// starting, the estimate only falls: these took much of the time, and later classes find them started.
    pub(crate) fn observe_verification(&mut self, lines: usize, took: Duration, is_beside_starts: bool) {
        let found = took.as_secs_f64() / self.reference().verify(lines).as_secs_f64();
        let most = if is_beside_starts { self.slowness } else { SLOWEST };
        self.slowness = ((self.slowness + found) / 2.0).clamp(FASTEST, SLOWEST).min(most);
    }
}

/// The work that is left when the search ends.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct RemainingWork {
    /// Tests of the archive that are needed.
    pub(crate) tests: usize,
    pub(crate) mutants: usize,
    /// Executions per second.
    pub(crate) rate: f64,
    /// Executions per second under mutants, which often end in a limit; `None` while unknown.
    pub(crate) mutant_rate: Option<f64>,
}

/// What one class may take, and what it has taken.
#[derive(Debug)]
pub(crate) struct TimeBudget {
    begin: Instant,
    budget: Budget,
    /// Steps taken: executions and solver queries.
    used: u64,
    speed: MachineSpeed,
    load: RemainingWork,
    /// Planned times for preparing and for verifying.
    prepare: Duration,
    verify: Duration,
    /// The begin of the search; `None` before it.
    searching: Option<Instant>,
    /// The end of the search; `None` while it runs.
    searched: Option<Instant>,
    /// How much later than the budget the last work may end.
    rescue: Duration,
    /// There is a verified draft, so that no stage gets more than its time.
    has_draft: bool,
    /// A first try to observe the tests had no time for any.
    observes_late: bool,
    /// The search has found no test yet: there is nothing to finish.
    awaits_first_test: bool,
}

impl TimeBudget {
    /// `limit` is what the total budget leaves, where there is one. The time of the class counts
    /// from `begin`.
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
            searching: None,
            searched: None,
            rescue: if speed.load > 1.0 { RESCUE_UNDER_LOAD } else { RESCUE },
            has_draft: false,
            observes_late: false,
            awaits_first_test: false,
        };
        budget.plan_finish(RemainingWork::default());
        budget
    }

    /// When the start of the first worker is given up; `None` where steps are counted.
    pub(crate) fn latest_start(budget: Budget, limit: Option<Duration>, begin: Instant) -> Option<Instant> {
        let Budget::Time(time) = budget else { return None };
        Some(begin + limit.map_or(time, |limit| limit.min(time)).max(SHORTEST))
    }

    /// The present estimate of the machine's speed.
    pub(crate) fn speed(&self) -> MachineSpeed {
        self.speed
    }

    /// Replaces the estimate and plans anew.
    pub(crate) fn set_speed(&mut self, speed: MachineSpeed) {
        self.speed = speed;
        self.plan_finish(self.load);
    }

    /// Plans the times for preparing and verifying from the work that will be left.
    pub(crate) fn plan_finish(&mut self, load: RemainingWork) {
        let Budget::Time(time) = self.budget else { return };
        self.load = load;
        let rate = load.rate.max(100.0);
        let seconds = load.tests as f64 * RUNS_BY_TEST / rate
            + load.mutants as f64 * RUNS_BY_MUTANT / load.mutant_rate.unwrap_or(rate).max(50.0);
        let calm = PREPARE_CALM.mul_f64(self.speed.slowness()).min(time.mul_f64(PREPARE_CALM_MOST));
        let least = time.mul_f64(PREPARE_LEAST).max(if self.is_short() { Duration::ZERO } else { calm });
        let prepare = Duration::from_secs_f64(seconds).max(least);
        let verify = self.speed.verify(load.tests * LINES_BY_TEST).mul_f64(CAUTION);
        let most = time.mul_f64(FINISH_MOST);
        self.verify = verify.min(most.mul_f64(0.75));
        self.prepare = prepare
            .min(time.mul_f64(PREPARE_MOST))
            .clamp(PREPARE_SHORTEST.mul_f64(self.speed.slowness()), PREPARE_LONGEST)
            .min(most.saturating_sub(self.verify));
        self.verify += self.write_time(time);
    }

    /// Time for writing the file and the report, out of this whole time.
    fn write_time(&self, whole: Duration) -> Duration {
        WRITE.mul_f64(self.speed.slowness()).min(whole.mul_f64(WRITE_MOST))
    }

    /// The search begins. It gets its least time, whatever the plan says.
    pub(crate) fn begin_search(&mut self) {
        self.searching = Some(Instant::now());
    }

    /// Whether the search still has to find its first test. Code that has to be loaded may take as long as the
    /// plan leaves to the whole search.
    pub(crate) fn await_first_test(&mut self, awaits: bool) {
        self.awaits_first_test = awaits;
    }

    /// The search has ended: the remaining time is shared by the stages behind it.
    pub(crate) fn finish(&mut self) {
        self.searched = Some(Instant::now());
    }

    /// A draft that is nearly as good as the file has been verified: the stages behind the search get
    /// no time beyond their shares.
    pub(crate) fn rely_on_draft(&mut self) {
        self.has_draft = true;
    }

    /// Whether there is time for what every class needs and for nothing else; never where steps are
    /// counted.
    pub(crate) fn is_short(&self) -> bool {
        let short = SHORT.mul_f64(self.speed.slowness()).max(SHORT_UNDER_LOAD.mul_f64(self.speed.load)).min(LONGEST_SHORT);
        matches!(self.budget, Budget::Time(time) if time < short)
    }

    /// Whether mutants may be run that need these frameworks: without them, the search finds more and more of it is
    /// verified where loading takes much of the time. Always where steps are counted.
    pub(crate) fn affords_mutants(&self, frameworks: Frameworks) -> bool {
        let Budget::Time(time) = self.budget else { return true };
        !self.is_short() && frameworks.loading().mul_f64(self.speed.slowness()) <= time.mul_f64(MUTANTS_LOAD_MOST)
    }

    /// Whether more time is left than verifying the fewest tests of a file takes in all environments.
    /// Other programs on the machine make this estimate necessary: without them, and where steps are
    /// counted, the answer is yes.
    pub(crate) fn has_time_to_spare(&self) -> bool {
        let needed = self.speed.verify(LEAST_TESTS * LINES_BY_TEST).mul_f64(CAUTION * TOGETHER);
        self.speed.load <= 1.0 || self.left().is_none_or(|left| left >= needed)
    }

    /// Whether further JVMs can load frameworks and then verify so many tests. Until they have, they hold up the JVM
    /// that has loaded them already.
    pub(crate) fn allows_further_jvms(&self, tests: usize) -> bool {
        let verify = self.speed.where_all_is_loaded().verify(tests * LINES_BY_TEST);
        self.allows((self.speed.load_frameworks() + verify).mul_f64(TOGETHER))
    }

    /// Whether so many tests are to be verified while the search runs: where verifying takes much of
    /// the time or depends on frameworks, so that its plan may fail, or where a draft costs little.
    /// The draft has to be expected before the end of the search, because the stages behind it need
    /// the compiler. Never where steps are counted.
    pub(crate) fn wants_draft(&self, tests: usize) -> bool {
        let (Budget::Time(time), Some(until)) = (self.budget, self.search_until()) else { return false };
        let is_cheap = time >= CHEAP_DRAFT.mul_f64(self.speed.slowness());
        // The first file that uses a framework takes the compiler longest: it opens many jars.
        let is_useful = is_cheap || self.speed.loads_frameworks() || self.verify >= time.mul_f64(DRAFT_LEAST);
        !self.is_short() && is_useful && Instant::now() + self.speed.verify(tests * LINES_BY_TEST) <= until
    }

    /// How much of the time of the search has passed, from 0 to 1; 0 before it begins and where steps
    /// are counted.
    pub(crate) fn share_of_search(&self) -> f64 {
        let (Some(begin), Some(until)) = (self.searching, self.search_until()) else { return 0.0 };
        let whole = until.saturating_duration_since(begin).as_secs_f64();
        if whole > 0.0 { (begin.elapsed().as_secs_f64() / whole).min(1.0) } else { 1.0 }
    }

    /// Whether half of the time, or of the steps, of the search is over.
    pub(crate) fn is_half_over(&self) -> bool {
        match self.budget {
            Budget::Time(_) => self.share_of_search() >= 0.5,
            Budget::Steps(steps) => self.used >= steps / 2,
        }
    }

    /// Time since the class began.
    pub(crate) fn elapsed(&self) -> Duration {
        self.begin.elapsed()
    }

    /// Counts executions and solver queries of the search, of symbolic execution and of minimising.
    /// Later stages run each test a fixed number of times, so that no limit depends on them.
    pub(crate) fn use_steps(&mut self, steps: u64) {
        self.used += steps;
    }

    /// Whether steps are counted. Nothing may then depend on the clock.
    pub(crate) fn counts_steps(&self) -> bool {
        self.budget.counts_steps()
    }

    /// Time left of the whole budget; `None` where steps are counted.
    pub(crate) fn left(&self) -> Option<Duration> {
        match self.budget {
            Budget::Time(time) => Some(time.saturating_sub(self.elapsed())),
            Budget::Steps(_) => None,
        }
    }

    /// Steps that the search may still take; `None` where time counts. A tenth is kept for
    /// minimising.
    pub(crate) fn steps_left(&self) -> Option<u64> {
        match self.budget {
            Budget::Time(_) => None,
            Budget::Steps(steps) => Some((steps - steps / 10).saturating_sub(self.used)),
        }
    }

    /// Whether the search may continue.
    pub(crate) fn may_search(&self) -> bool {
        match self.search_until() {
            Some(until) => Instant::now() < until,
            None => self.steps_left() != Some(0),
        }
    }

    /// When the search has to end; `None` where steps are counted.
    pub(crate) fn search_until(&self) -> Option<Instant> {
        match self.budget {
            Budget::Time(time) => {
                let planned = self.begin + time.saturating_sub(self.prepare + self.verify);
                let last = self.begin + time.mul_f64(SEARCH_LATEST);
                let least = self.searching.map(|begin| (begin + time.mul_f64(SEARCH_LEAST)).min(last));
                let first = self.awaits_first_test.then(|| self.begin + time.mul_f64(FIRST_TEST_LATEST));
                Some([least, first].into_iter().flatten().fold(planned, Instant::max))
            }
            Budget::Steps(_) => None,
        }
    }

    /// Whether minimising may continue.
    pub(crate) fn may_minimise(&self) -> bool {
        if self.is_short() {
            return false;
        }
        match (self.share_of_preparing(MINIMISE_SHARE), self.budget) {
            (Some(until), _) => Instant::now() < until,
            (None, Budget::Steps(steps)) => self.used < steps,
            (None, Budget::Time(_)) => false,
        }
    }

    /// Deadline of executions of the search; `None` where steps are counted, as for the other
    /// deadlines.
    pub(crate) fn search_deadline(&self) -> Option<Instant> {
        self.search_until().map(|until| until + GRACE)
    }

    /// When a batch of the search is given up, and its JVM with it. Beside other programs, the next JVM would take
    /// longer to start than most late batches take to end.
    pub(crate) fn batch_deadline(&self) -> Option<Instant> {
        let patience = if self.speed.load > 1.0 { self.speed.worker_start().max(GRACE) } else { GRACE };
        self.search_until().map(|until| until + patience)
    }

    /// How many candidates fit into the rest of the search, where one takes this time; `None` without other
    /// programs, where late batches are rare, and where steps are counted.
    pub(crate) fn candidates_in_time(&self, one: Duration) -> Option<usize> {
        let until = self.search_until().filter(|_| self.speed.load > 1.0)?;
        let left = until.saturating_duration_since(Instant::now());
        Some((left.as_secs_f64() / one.as_secs_f64().max(1e-6)) as usize)
    }

    /// Deadline of minimising.
    pub(crate) fn minimise_deadline(&self) -> Option<Instant> {
        self.share_of_preparing(MINIMISE_SHARE).map(|until| until + GRACE)
    }

    /// Deadline of running tests again before they are observed. Beside other programs, observing them
    /// gets as much of the time before verification.
    pub(crate) fn rerun_deadline(&self) -> Option<Instant> {
        let now = Instant::now();
        let until = self.observe_deadline()?;
        let latest = self.latest_verification().map(|latest| now + latest.saturating_duration_since(now).mul_f64(0.5).max(GRACE));
        Some(latest.map_or(until, |latest| until.min(latest)))
    }

    /// Deadline of observing tests once more, without which the first observation is believed.
    pub(crate) fn repeat_deadline(&self) -> Option<Instant> {
        let until = self.observe_deadline()?;
        Some(self.latest_verification().map_or(until, |latest| until.min(latest)))
    }

    /// When verifying the fewest tests of a file has to begin; `None` without other programs, where the
    /// plan is kept well enough.
    fn latest_verification(&self) -> Option<Instant> {
        let fewest = self.speed.verify(LEAST_TESTS * LINES_BY_TEST).mul_f64(CAUTION);
        self.end().filter(|_| self.speed.load > 1.0).map(|end| end.checked_sub(fewest).unwrap_or(self.begin))
    }

    /// Deadline of observing. It gets its least time also where an earlier stage took too long,
    /// because there are no tests without it.
    pub(crate) fn observe_deadline(&self) -> Option<Instant> {
        if self.observes_late {
            let least = self.speed.worker_start().min(self.left()?);
            return Some(Instant::now() + self.left()?.mul_f64(OBSERVE_MOST).max(least));
        }
        let least = if self.has_draft { GRACE } else { OBSERVE_LEAST.min(self.left()?.mul_f64(OBSERVE_MOST).max(OBSERVE_LATE)) };
        let now = Instant::now();
        let until = self.share_of_preparing(OBSERVE_SHARE)?.max(now + least);
        let latest = self.latest_verification().map(|latest| latest.max(now + least.min(OBSERVE_LATE)));
        Some([latest, self.last_deadline()].into_iter().flatten().fold(until, Instant::min))
    }

    /// Whether tests may be observed once more, where a first try had no time for any: then its deadline is
    /// [`TimeBudget::observe_deadline`] no more.
    pub(crate) fn may_observe_late(&mut self) -> bool {
        self.observes_late = !self.has_draft && self.left().is_some_and(|left| left > OBSERVE_LATE);
        self.observes_late
    }

    /// Deadline of a mutation analysis that begins now. Where earlier stages took its time, it gets
    /// a part of the safety margin of verification.
    pub(crate) fn mutate_deadline(&self) -> Option<Instant> {
        let least = self.left()?.saturating_sub(self.verify.mul_f64(1.0 / CAUTION)).mul_f64(MUTATE_LEAST);
        self.share_of_preparing(1.0).map(|until| until.max(Instant::now() + least))
    }

    /// Deadline of work that makes the file of so many tests better, and without which they can be written.
    /// Verifying them has to fit behind it; but most of this work is done in a moment, which it gets where
    /// verifying the fewest tests of a file still fits.
    pub(crate) fn polish_deadline(&self, tests: usize) -> Option<Instant> {
        let now = Instant::now();
        let latest_for = |tests: usize| self.end()?.checked_sub(self.speed.verify(tests * LINES_BY_TEST));
        let latest = latest_for(tests).unwrap_or(now);
        let least = (now + self.left()?.mul_f64(POLISH_LEAST)).min(latest_for(tests.min(LEAST_TESTS)).unwrap_or(now));
        let most = now + self.left()?.mul_f64(POLISH_MOST).max(GRACE);
        Some(most.min(latest).max(least))
    }

    /// Deadline of making so many tests shorter. What their names say is found behind it.
    pub(crate) fn shorten_deadline(&self, tests: usize) -> Option<Instant> {
        let now = Instant::now();
        self.polish_deadline(tests).map(|until| now + until.saturating_duration_since(now).mul_f64(SHORTEN_SHARE))
    }

    /// Deadline of measuring what the tests cover.
    pub(crate) fn measure_deadline(&self) -> Option<Instant> {
        Some(Instant::now() + self.left()?.mul_f64(MEASURE_SHARE).max(GRACE))
    }

    /// When unfinished work is given up, so that what there is can be written in time; `None` where
    /// steps are counted.
    pub(crate) fn end(&self) -> Option<Instant> {
        match self.budget {
            Budget::Time(time) => Some(self.begin + time.saturating_sub(self.write_time(time)).max(SHORTEST)),
            Budget::Steps(_) => None,
        }
    }

    /// When work is given up without which no test can be written; `None` where steps are counted.
    pub(crate) fn last_deadline(&self) -> Option<Instant> {
        self.end().map(|end| if self.has_draft { end } else { end + self.rescue })
    }

    /// Timeout of work without which no test can be written. It is `most` where steps are counted,
    /// and never more.
    pub(crate) fn timeout_for(&self, most: Duration) -> Duration {
        self.last_deadline().map_or(most, |last| last.saturating_duration_since(Instant::now()).min(most))
    }

    /// Timeout of a verifying run: until the end of the budget, but at least the `expected` time.
    pub(crate) fn run_timeout_for(&self, expected: Duration, most: Duration) -> Duration {
        let Some(end) = self.end() else { return most };
        let left = end.saturating_duration_since(Instant::now());
        left.max(expected).min(self.timeout_for(most))
    }

    /// Time in which a file is to be verified; `None` where steps are counted.
    pub(crate) fn verify_time(&self) -> Option<Duration> {
        self.last_deadline().map(|last| last.saturating_duration_since(Instant::now()))
    }

    /// Whether work that takes this time can still be done.
    pub(crate) fn allows(&self, time: Duration) -> bool {
        self.end().is_none_or(|end| Instant::now() + time <= end)
    }

    /// The end of this share of the time for preparing.
    fn share_of_preparing(&self, share: f64) -> Option<Instant> {
        let Budget::Time(time) = self.budget else { return None };
        let until = self.begin + time.saturating_sub(self.verify);
        let from = self.searched.or(self.search_until())?;
        Some(from + until.saturating_duration_since(from).mul_f64(share))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NONE: Frameworks = Frameworks { mocks: false, requests: false };
    const REFERENCE: MachineSpeed = MachineSpeed { slowness: 1.0, load: FASTEST, needed: NONE, is_loaded: false };

    fn seconds(seconds: u64) -> TimeBudget {
        TimeBudget::new(Budget::Time(Duration::from_secs(seconds)), None, Instant::now(), REFERENCE)
    }

    fn search_time(budget: &TimeBudget) -> Duration {
        budget.search_until().expect("time counts") - budget.begin
    }

    #[test]
    fn what_is_to_be_loaded_lengthens_the_expected_run_and_says_nothing_about_the_machine() {
        let mut speed = REFERENCE;
        let needed = Frameworks { mocks: true, requests: false };
        speed.observe_loading(needed, false);
        assert!(speed.loads_frameworks() && !REFERENCE.loads_frameworks());
        assert_eq!(speed.verify(100), REFERENCE.verify(100) + MOCKS);
        speed.observe_verification(100, REFERENCE.verify(100) + MOCKS, false);
        assert_eq!(speed.slowness, 1.0);
        speed.observe_verification(100, 5 * REFERENCE.verify(100), true);
        assert_eq!(speed.slowness, 1.0, "other JVMs that start take the time");
        let loaded = speed.where_all_is_loaded();
        assert!(!loaded.loads_frameworks());
        assert_eq!(loaded.verify(100), REFERENCE.where_all_is_loaded().verify(100) + MOCKS_AGAIN);
        assert_eq!(REFERENCE.where_all_is_loaded().verify(100), REFERENCE.verify(100) - JUNIT);
    }

    #[test]
    fn mutants_that_need_frameworks_want_much_more_time_than_loading_these() {
        let frameworks = Frameworks { mocks: true, requests: true };
        let mocks = Frameworks { requests: false, ..frameworks };
        assert!(!seconds(10).affords_mutants(frameworks) && seconds(20).affords_mutants(frameworks));
        assert!(seconds(10).affords_mutants(mocks) && !seconds(1).affords_mutants(Frameworks::default()));
        let slow = MachineSpeed { slowness: 2.0, ..REFERENCE };
        assert!(!TimeBudget { speed: slow, ..seconds(20) }.affords_mutants(frameworks));
        let steps = TimeBudget::new(Budget::Steps(100), None, Instant::now(), slow);
        assert!(steps.affords_mutants(frameworks));
    }

    #[test]
    fn further_jvms_load_frameworks_where_there_is_time_for_that_and_for_the_tests() {
        let needed = Frameworks { mocks: true, requests: true };
        let speed = MachineSpeed { needed, is_loaded: true, ..REFERENCE };
        let after = |elapsed: u64, tests: usize| {
            let begin = Instant::now() - Duration::from_secs(elapsed);
            let budget = TimeBudget::new(Budget::Time(Duration::from_secs(10)), None, begin, speed);
            budget.allows_further_jvms(tests)
        };
        assert!(after(4, 10) && !after(7, 10), "loading takes 2 seconds");
        assert!(!after(4, 1000));
    }

    #[test]
    fn tests_become_better_while_verifying_them_fits() {
        let begin = Instant::now() - Duration::from_secs(6);
        let budget = TimeBudget::new(Budget::Time(Duration::from_secs(10)), None, begin, REFERENCE);
        let time = |tests: usize| budget.polish_deadline(tests).expect("time counts") - Instant::now();
        assert!(time(10) > Duration::from_millis(400) && time(1000) < Duration::from_millis(300));
        assert!(!time(1000).is_zero(), "the best of them can be verified");
        let late = TimeBudget::new(Budget::Time(Duration::from_secs(7)), None, begin, REFERENCE);
        assert!(late.polish_deadline(1000) <= Some(Instant::now()), "not even those can be");
        let steps = TimeBudget::new(Budget::Steps(100), None, begin, REFERENCE);
        assert_eq!(steps.polish_deadline(10), None);
    }

    #[test]
    fn beside_other_programs_little_time_is_for_what_tests_need() {
        let begin = Instant::now() - Duration::from_secs(6);
        let budget = |budget: Budget, load: f64| TimeBudget::new(budget, None, begin, MachineSpeed { load, ..REFERENCE });
        let time = Budget::Time(Duration::from_secs(10));
        assert!(budget(time, FASTEST).has_time_to_spare() && budget(time, 1.5).has_time_to_spare());
        assert!(!budget(time, 2.5).has_time_to_spare() && budget(Budget::Steps(100), 2.5).has_time_to_spare());
        let (busy, now) = (budget(time, 2.5), Instant::now());
        let (rerun, observe, repeat) = (busy.rerun_deadline(), busy.observe_deadline(), busy.repeat_deadline());
        assert!(rerun < observe && repeat <= observe && observe <= Some(now + OBSERVE_LATE * 2), "{busy:?}");
        let five = Budget::Time(Duration::from_secs(5));
        assert!(budget(five, 2.5).is_short() && !budget(five, 1.5).is_short() && !budget(time, 2.5).is_short());
    }

    #[test]
    fn beside_other_programs_the_last_batch_fits_into_the_search_and_is_waited_for() {
        let budget = |load: f64| TimeBudget { speed: MachineSpeed { load, ..REFERENCE }, ..seconds(10) };
        let (calm, busy) = (budget(FASTEST), budget(2.5));
        assert_eq!(calm.candidates_in_time(Duration::from_millis(10)), None);
        let fitting = busy.candidates_in_time(Duration::from_millis(10)).expect("a number");
        let most = search_time(&busy).as_millis() as usize / 10;
        assert!((most / 2..=most).contains(&fitting), "{fitting} of {most}");
        assert_eq!(calm.batch_deadline(), calm.search_deadline());
        assert!(busy.batch_deadline() > busy.search_deadline());
    }

    #[test]
    fn steps_end_the_search_and_leave_a_tenth_to_minimise() {
        let mut budget = TimeBudget::new(Budget::Steps(100), None, Instant::now(), REFERENCE);
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
        assert!(!TimeBudget::new(time, Some(Duration::from_millis(0)), Instant::now(), REFERENCE).may_search());
    }

    #[test]
    fn cheap_finishing_leaves_the_time_to_the_search() {
        let mut budget = seconds(30);
        budget.plan_finish(RemainingWork { tests: 20, mutants: 50, rate: 20_000.0, mutant_rate: None });
        assert!(search_time(&budget) > Duration::from_secs(26), "{budget:?}");
        budget.plan_finish(RemainingWork { tests: 400, mutants: 700, rate: 5_000.0, mutant_rate: None });
        assert!(search_time(&budget) < Duration::from_secs(24), "{budget:?}");
        // A machine whose first JVM started slowly keeps more time.
        let mut slow = TimeBudget { speed: MachineSpeed::from_worker_start(4 * START), ..seconds(30) };
        slow.plan_finish(RemainingWork { tests: 400, mutants: 700, rate: 5_000.0, mutant_rate: None });
        assert!(search_time(&slow) < search_time(&budget), "{slow:?}");
    }

    #[test]
    fn the_search_keeps_its_least_share() {
        for time in [2, 10, 60] {
            let mut budget = TimeBudget { speed: MachineSpeed { slowness: SLOWEST, ..REFERENCE }, ..seconds(time) };
            budget.plan_finish(RemainingWork { tests: 100_000, mutants: 100_000, rate: 1.0, mutant_rate: Some(1.0) });
            assert!(search_time(&budget) >= Duration::from_secs(time).mul_f64(0.25), "{budget:?}");
        }
        // A worker that was ready late leaves some time to the search.
        let begin = Instant::now().checked_sub(Duration::from_secs(7)).expect("the machine is up for longer");
        let mut late = TimeBudget { begin, speed: MachineSpeed { slowness: SLOWEST, ..REFERENCE }, ..seconds(10) };
        late.plan_finish(RemainingWork::default());
        assert!(!late.may_search());
        late.begin_search();
        assert!(late.may_search());
    }

    #[test]
    fn a_search_without_a_test_goes_on_while_there_is_time_to_finish_one() {
        let mut budget = TimeBudget { speed: MachineSpeed { slowness: SLOWEST, ..REFERENCE }, ..seconds(10) };
        budget.plan_finish(RemainingWork::default());
        let planned = search_time(&budget);
        budget.await_first_test(true);
        assert!(planned < search_time(&budget) && search_time(&budget) == Duration::from_secs(6), "{budget:?}");
        budget.await_first_test(false);
        assert_eq!(search_time(&budget), planned);
    }

    #[test]
    fn stages_end_in_order_before_the_budget() {
        let mut budget = seconds(10);
        budget.plan_finish(RemainingWork { tests: 100, mutants: 300, rate: 5_000.0, mutant_rate: None });
        let (search, minimise) = (budget.search_until(), budget.minimise_deadline());
        let (observe, mutate) = (budget.observe_deadline(), budget.mutate_deadline());
        assert!(search < minimise && minimise < observe && observe < mutate && mutate < budget.end(), "{budget:?}");
        let over = budget.end().expect("time counts") - budget.begin;
        assert!(over <= Duration::from_secs(11), "{over:?}");
    }

    #[test]
    fn a_late_class_begins_nothing_more() {
        let begin = Instant::now().checked_sub(Duration::from_secs(15)).expect("the machine is up for longer");
        let mut late = TimeBudget::new(Budget::Time(Duration::from_secs(10)), None, begin, REFERENCE);
        late.finish();
        assert_eq!(late.left(), Some(Duration::ZERO));
        assert!(!late.allows(Duration::from_millis(1)) && !late.may_minimise());
        assert_eq!(late.verify_time(), Some(Duration::ZERO), "{late:?}");
        assert_eq!(late.timeout_for(Duration::from_secs(60)), Duration::ZERO);
        assert!(late.observe_deadline() <= late.last_deadline(), "{late:?}");
    }

    #[test]
    fn a_slow_machine_begins_to_finish_early() {
        let slow = |slowness| TimeBudget { speed: MachineSpeed { load: slowness, ..REFERENCE }, ..seconds(30) };
        let mut times = [1.0, 4.0, 12.0].map(|slowness| {
            let mut budget = slow(slowness);
            budget.plan_finish(RemainingWork { tests: 60, mutants: 100, rate: 2_000.0, mutant_rate: None });
            search_time(&budget)
        });
        times.reverse();
        assert_eq!([1.0, 4.0, 20.0].map(|slowness| slow(slowness).is_short()), [false, false, false]);
        assert!(TimeBudget { speed: slow(4.0).speed, ..seconds(5) }.is_short() && !seconds(5).is_short());
        assert!(times.is_sorted() && times[0] < Duration::from_secs(15), "{times:?}");
        assert!(seconds(30).last_deadline() < Some(Instant::now() + Duration::from_millis(30_900)));
        let [busy, idle] = [2.0, 1.0].map(|load| {
            let speed = MachineSpeed { load, ..REFERENCE };
            let budget = TimeBudget::new(Budget::Time(Duration::from_secs(30)), None, Instant::now(), speed);
            budget.last_deadline().zip(budget.end()).map(|(last, end)| last - end)
        });
        assert!(busy < idle, "{busy:?}");
    }

    #[test]
    fn drafts_are_for_long_budgets_and_slow_machines() {
        let wants = |time, slowness, tests| {
            let mut budget = TimeBudget { speed: MachineSpeed { load: slowness, ..REFERENCE }, ..seconds(time) };
            budget.plan_finish(RemainingWork { tests: 60, mutants: 100, rate: 2_000.0, mutant_rate: None });
            budget.wants_draft(tests)
        };
        assert!(!wants(10, 1.0, 60), "verifying takes little of the time");
        assert!(wants(30, 1.0, 60) && wants(10, 2.5, 10));
        assert!(!wants(10, 2.5, 4_000), "it would be late");
        assert!(!wants(5, 8.0, 1), "there is time for one verification only");
        assert!(!TimeBudget::new(Budget::Steps(100_000), None, Instant::now(), REFERENCE).wants_draft(1));
    }

    #[test]
    fn with_a_draft_no_stage_gets_further_time() {
        let begin = Instant::now().checked_sub(Duration::from_secs(9)).expect("the machine is up for longer");
        let mut budget = TimeBudget::new(Budget::Time(Duration::from_secs(10)), None, begin, REFERENCE);
        budget.finish();
        let deadlines = |budget: &TimeBudget| [budget.observe_deadline(), budget.last_deadline()];
        let before = deadlines(&budget);
        budget.rely_on_draft();
        let after = deadlines(&budget);
        assert!(before.iter().zip(&after).all(|(before, after)| after < before), "{before:?} {after:?}");
        assert_eq!(budget.last_deadline(), budget.end());
    }

    #[test]
    fn a_draft_tells_the_speed_of_the_machine() {
        let mut speed = MachineSpeed { load: 5.0, ..REFERENCE };
        speed.observe_draft(300, 2 * REFERENCE.verify(300));
        assert_eq!(speed.slowness(), 3.5);
        speed.observe_draft(300, 2 * REFERENCE.verify(300));
        assert_eq!(speed.slowness(), 2.75);
    }

    #[test]
    fn measured_verification_corrects_the_next_estimate() {
        let mut speed = REFERENCE;
        for _ in 0..8 {
            speed.observe_verification(1000, 3 * REFERENCE.verify(1000), false);
        }
        let ratio = speed.verify(200).as_secs_f64() / REFERENCE.verify(200).as_secs_f64();
        assert!((2.8..=3.0).contains(&ratio), "{ratio}");
    }
}
