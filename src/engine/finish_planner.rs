//! Plans how much of a time budget is kept for finishing a class. Flows in: the state of the
//! search. Flows out: the end of the search in the [`TimeBudget`]. Where steps are counted,
//! planning changes nothing.

use std::collections::BTreeSet;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use super::mutant_search::MutantSearch;
use super::time_budget::{RemainingWork, TimeBudget};
use crate::search::Search;

/// Plans are made this far apart, since counting the tests of the archive takes time.
const PLANNING_PAUSE: Duration = Duration::from_millis(250);

/// What the plan depends on besides the state of the search.
pub(super) struct FinishPlanner {
    /// Time that starting a worker took.
    worker_start: Duration,
    /// Time that warming the compiler took, until the plan has taken it into account.
    warm_up_time: Option<Arc<OnceLock<Duration>>>,
    /// When the search began to have all of its seeds.
    searching_since: Instant,
    planned: Instant,
    mutants: usize,
}

impl FinishPlanner {
    /// A planner that knows how long a worker takes to start, and the number of mutants.
    pub(super) fn new(worker_start: Duration, mutants: usize) -> FinishPlanner {
        let now = Instant::now();
        FinishPlanner { worker_start, warm_up_time: None, searching_since: now, planned: now, mutants }
    }

    /// The compiler of this class is the first of the generation: its start says how fast the
    /// machine is.
    pub(super) fn observe_compiler(&mut self, warm_up_time: Option<Arc<OnceLock<Duration>>>) {
        self.warm_up_time = warm_up_time;
    }

    /// Executions per second are counted from now on.
    pub(super) fn begin_searching(&mut self) {
        self.searching_since = Instant::now();
    }

    /// Plans anew where the last plan is old.
    pub(super) fn plan_if_due(&mut self, budget: &mut TimeBudget, search: &Search, mutant_search: Option<&MutantSearch<'_>>) {
        if !budget.counts_steps() && self.planned.elapsed() >= PLANNING_PAUSE {
            self.plan(budget, search, mutant_search);
        }
    }

    /// Computes the remaining work from the archive and the mutants, and with it the end of the
    /// search.
    pub(super) fn plan(&mut self, budget: &mut TimeBudget, search: &Search, mutant_search: Option<&MutantSearch<'_>>) {
        self.planned = Instant::now();
        let goals = search.goals();
        let required = search.archive().iter().filter(|(goal, _)| goals.is_required(*goal));
        let tests: BTreeSet<u64> = required.map(|(_, kept)| kept.execution).collect();
        let seconds = self.searching_since.elapsed().as_secs_f64().max(0.001);
        if let Some(&warm_up) = self.warm_up_time.as_ref().and_then(|warm_up_time| warm_up_time.get()) {
            let mut speed = budget.speed();
            speed.observe_compiler_start(warm_up);
            tracing::debug!(?warm_up, worker_start = ?self.worker_start, ?speed, "the compiler is warm");
            budget.set_speed(speed);
            self.warm_up_time = None;
        }
        budget.plan_finish(RemainingWork {
            tests: tests.len(),
            mutants: self.mutants,
            rate: search.progress().executions as f64 / seconds,
            mutant_rate: mutant_search.and_then(MutantSearch::runs_per_second),
        });
    }

    /// Whether a worker that starts now is ready at the end of the search and has loaded frameworks, and not earlier.
    pub(super) fn is_finish_near(&self, budget: &TimeBudget) -> bool {
        let speed = budget.speed();
        let start = self.worker_start.max(speed.worker_start()) + speed.load_frameworks();
        budget.search_until().is_some_and(|until| Instant::now() + start >= until)
    }
}
