//! The share of time or steps that symbolic execution gets beside the search. Flows in: results of
//! its steps. Flows out: a number between [`LEAST_SHARE`] and 1.

use super::scheduling::StepResult;

/// A response without newly covered goals multiplies the share by this.
const DECAY: f64 = 0.85;
/// The share never falls below this.
const LEAST_SHARE: f64 = 0.2;

/// Symbolic execution gets as much as it brings: a newly covered goal gives the whole share back.
#[derive(Debug)]
pub(super) struct SymbolicShare {
    share: f64,
    /// Goals that candidates of symbolic execution had covered at the last step.
    gained: u64,
    /// Candidates of the last step.
    candidates: usize,
    is_spent: bool,
}

impl Default for SymbolicShare {
    fn default() -> SymbolicShare {
        SymbolicShare { share: 1.0, gained: 0, candidates: 0, is_spent: false }
    }
}

impl SymbolicShare {
    /// `gained` counts the goals that candidates of symbolic execution have covered so far. With
    /// `is_alone`, the share is 1.
    pub(super) fn record_step(&mut self, result: &StepResult, gained: u64, is_alone: bool) {
        if gained > self.gained || is_alone {
            self.share = 1.0;
        } else {
            for _ in 0..result.responses {
                self.share = (self.share * DECAY).max(LEAST_SHARE);
            }
        }
        self.gained = gained;
        self.candidates = result.candidates.len();
        self.is_spent = result.is_spent;
    }

    /// The share, from [`LEAST_SHARE`] to 1.
    pub(super) fn value(&self) -> f64 {
        self.share
    }

    /// Candidates of the last step.
    pub(super) fn candidates(&self) -> usize {
        self.candidates
    }

    /// Whether the last step left no promising alternative.
    pub(super) fn is_spent(&self) -> bool {
        self.is_spent
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_share_falls_without_gains_and_a_gain_restores_it() {
        let mut share = SymbolicShare::default();
        let response = |responses| StepResult { responses, ..StepResult::default() };
        share.record_step(&response(2), 0, false);
        assert!((share.value() - DECAY * DECAY).abs() < 1e-12);
        share.record_step(&response(100), 0, false);
        assert_eq!(share.value(), LEAST_SHARE);
        share.record_step(&response(1), 1, false);
        assert_eq!(share.value(), 1.0);
        share.record_step(&response(1), 1, true);
        assert_eq!(share.value(), 1.0, "alone, it keeps the whole share");
    }
}
