//! How much work is left for one class: time or steps, the same questions for both.

use crate::config::Budget;
use std::time::{Duration, Instant};

/// Share of a time budget that stays for minimising, compiling, verifying and writing, and its bounds.
const FINISH_SHARE: f64 = 0.36;
const FINISH_LEAST: Duration = Duration::from_millis(2500);
const FINISH_MOST: Duration = Duration::from_secs(15);
/// Of the time to finish, what minimising may take, and until when the tests are observed.
const MINIMISE_SHARE: f64 = 0.30;
const OBSERVE_SHARE: f64 = 0.60;
/// Observing gets at least so much, whatever came before.
const OBSERVE_LEAST: Duration = Duration::from_secs(3);
/// Of the whole time, what the analysis of mutants may take; and of the time to finish, until when.
const MUTATE_SHARE: f64 = 0.15;
const MUTATE_UNTIL: f64 = 0.75;
/// What is under way when a phase ends may take so long to end by itself.
const GRACE: Duration = Duration::from_millis(500);

#[derive(Debug)]
pub struct Allowance {
    begin: Instant,
    budget: Budget,
    /// Steps taken: executed candidates and solver queries.
    used: u64,
}

impl Allowance {
    /// `limit` is what the total budget leaves, where there is one.
    pub fn new(budget: Budget, limit: Option<Duration>) -> Allowance {
        let budget = match (budget, limit) {
            (Budget::Time(time), Some(limit)) => Budget::Time(time.min(limit)),
            (budget, _) => budget,
        };
        Allowance { begin: Instant::now(), budget, used: 0 }
    }

    pub fn elapsed(&self) -> Duration {
        self.begin.elapsed()
    }

    pub fn use_steps(&mut self, steps: u64) {
        self.used += steps;
    }

    /// Only when steps are counted: nothing then may depend on the clock.
    pub fn counts_steps(&self) -> bool {
        matches!(self.budget, Budget::Steps(_))
    }

    /// Time left of the whole budget; `None` when steps are counted.
    pub fn left(&self) -> Option<Duration> {
        match self.budget {
            Budget::Time(time) => Some(time.saturating_sub(self.elapsed())),
            Budget::Steps(_) => None,
        }
    }

    /// Steps that the search may still take, when steps are counted. A tenth is kept for minimising.
    pub fn steps_left(&self) -> Option<u64> {
        match self.budget {
            Budget::Time(_) => None,
            Budget::Steps(steps) => Some((steps - steps / 10).saturating_sub(self.used)),
        }
    }

    pub fn may_search(&self) -> bool {
        match self.search_until() {
            Some(until) => Instant::now() < until,
            None => self.steps_left() != Some(0),
        }
    }

    /// When the search has to end; `None` when steps are counted.
    pub fn search_until(&self) -> Option<Instant> {
        match self.budget {
            Budget::Time(time) => Some(self.begin + time.saturating_sub(finish(time))),
            Budget::Steps(_) => None,
        }
    }

    /// Whether minimising may go on.
    pub fn may_minimise(&self) -> bool {
        match (self.finishing(MINIMISE_SHARE), self.budget) {
            (Some(until), _) => Instant::now() < until,
            (None, Budget::Steps(steps)) => self.used < steps,
            (None, Budget::Time(_)) => false,
        }
    }

    /// When searching is cut short, whatever is under way; `None` when steps are counted, as for the other deadlines.
    pub fn search_deadline(&self) -> Option<Instant> {
        self.search_until().map(|until| until + GRACE)
    }

    pub fn minimise_deadline(&self) -> Option<Instant> {
        self.finishing(MINIMISE_SHARE).map(|until| until + GRACE)
    }

    /// Without observing there are no tests at all: where an earlier phase took too long, it gets its least time all the same.
    pub fn observe_deadline(&self) -> Option<Instant> {
        self.finishing(OBSERVE_SHARE).map(|until| (until + 2 * GRACE).max(Instant::now() + OBSERVE_LEAST))
    }

    /// When the analysis of mutants that begins now has to end.
    pub fn mutate_deadline(&self) -> Option<Instant> {
        let Budget::Time(time) = self.budget else { return None };
        let own = Instant::now() + time.mul_f64(MUTATE_SHARE);
        self.finishing(MUTATE_UNTIL).map(|until| until.min(own))
    }

    /// What is left, but within these bounds: for a step that cannot be left out. The upper one when steps are counted.
    pub fn patience(&self, least: Duration, most: Duration) -> Duration {
        self.left().map_or(most, |left| left.clamp(least, most))
    }

    /// After this share of the time to finish.
    fn finishing(&self, share: f64) -> Option<Instant> {
        match self.budget {
            Budget::Time(time) => Some(self.begin + time.saturating_sub(finish(time).mul_f64(1.0 - share))),
            Budget::Steps(_) => None,
        }
    }
}

fn finish(time: Duration) -> Duration {
    time.mul_f64(FINISH_SHARE).clamp(FINISH_LEAST, FINISH_MOST).min(time.mul_f64(0.8))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_end_the_search_and_leave_some_to_minimise() {
        let mut allowance = Allowance::new(Budget::Steps(100), None);
        allowance.use_steps(89);
        assert!(allowance.may_search());
        allowance.use_steps(1);
        assert!(!allowance.may_search());
        assert!(allowance.may_minimise());
        allowance.use_steps(10);
        assert!(!allowance.may_minimise());
    }

    #[test]
    fn the_total_budget_limits_a_class() {
        let allowance = Allowance::new(Budget::Time(Duration::from_secs(30)), Some(Duration::from_millis(0)));
        assert!(!allowance.may_search());
    }

    #[test]
    fn time_to_finish_is_kept() {
        assert_eq!(finish(Duration::from_secs(30)), Duration::from_secs_f64(10.8));
        assert_eq!(finish(Duration::from_secs(2)), Duration::from_secs_f64(1.6));
        assert_eq!(finish(Duration::from_secs(600)), FINISH_MOST);
    }
}
