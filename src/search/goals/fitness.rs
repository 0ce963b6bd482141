//! How far an execution is from a goal: approach level plus normalised branch distance (DynaMOSA).
//! Flows in: goals with their approaches, the hits of an execution; flows out: one number a goal, 0
//! when it is covered. Must not know how candidates are built.

use super::observe::{CallOutcome, GoalHits};
use super::registry::{Goal, GoalId, GoalRegistry};

/// Fitness of a goal in an approach group where no decision was reached: between two levels.
const UNREACHED_DISTANCE: f64 = 0.5;
/// Normalised distance of infinity and NaN.
const BELOW_ONE: f64 = 0.999_999;

impl GoalRegistry {
    /// Distance of an execution from a static goal; smaller is nearer, 0 is covered.
    ///
    /// For branches and lines this is the approach level plus the normalised distance (see
    /// [`normalise`]) of the nearest decision that was reached. For a call it is 1 without the
    /// call, and 0.5 when a call that should return threw.
    pub(in crate::search) fn fitness(&self, id: GoalId, hits: &GoalHits) -> f64 {
        let covered = match *self.goal(id) {
            Goal::Branch { slot, .. } => hits.distance(slot) == Some(0.0),
            Goal::Line { slot, .. } => hits.is_line_hit(slot),
            Goal::Method { method, normal } => {
                return match hits.call_outcome(method) {
                    CallOutcome::NotCalled => 1.0,
                    CallOutcome::Threw if normal => 0.5,
                    CallOutcome::Threw | CallOutcome::Returned => 0.0,
                };
            }
            _ => false,
        };
        if covered {
            return 0.0;
        }
        let approach = &self.approaches[id.index()];
        let mut best = f64::INFINITY;
        for &(slot, level) in &approach.steps {
            if f64::from(level) >= best {
                break;
            }
            if let Some(distance) = hits.distance(slot) {
                best = best.min(f64::from(level) + normalise(distance));
            }
        }
        if best.is_finite() {
            return best;
        }
        let is_entered = hits.is_entered(approach.method);
        f64::from(approach.entry + if is_entered { 0 } else { 1 }) + UNREACHED_DISTANCE
    }
}

/// Maps a branch distance `d` to `l / (l + 1)` with `l = ln(1 + d)`, which is in [0, 1) and grows
/// with `d`.
///
/// The usual `d / (d + 1)` rounds to equal numbers for distances above 10⁸; the logarithm keeps
/// them apart.
pub fn normalise(distance: f64) -> f64 {
    if distance.is_nan() {
        return BELOW_ONE;
    }
    let logarithm = distance.ln_1p();
    if logarithm.is_infinite() { BELOW_ONE } else { logarithm / (logarithm + 1.0) }
}

#[cfg(test)]
mod tests {
    use tracewright_trace::{BranchSlot, LineSlot};

    use super::super::testing::goals;
    use super::super::{GoalRegistry, MethodId};
    use super::*;

    fn fitness(goals: &GoalRegistry, goal: GoalId, branches: &[(u32, f64)], lines: &[u32]) -> f64 {
        let branches: Vec<_> = branches.iter().map(|&(slot, distance)| (BranchSlot(slot), distance)).collect();
        let lines: Vec<_> = lines.iter().copied().map(LineSlot).collect();
        let mut hits = GoalHits::default();
        // The second load must replace the first one completely.
        hits.load(
            goals,
            &[0, 1, 2, 3, 4].map(|slot| (BranchSlot(slot), 0.0)),
            &[0, 1, 2].map(LineSlot),
            &[(MethodId(0), CallOutcome::Returned)],
        );
        hits.load(goals, &branches, &lines, &[]);
        goals.fitness(goal, &hits)
    }

    #[test]
    fn fitness_falls_with_every_decision_towards_a_branch() {
        let goals = goals();
        let deep = goals.branch_goal(BranchSlot(4)).expect("a goal");
        let stages = [
            fitness(&goals, deep, &[], &[]),
            fitness(&goals, deep, &[], &[0]),
            fitness(&goals, deep, &[(0, 0.0), (1, 1e12)], &[0]),
            fitness(&goals, deep, &[(0, 0.0), (1, 1e12 - 1e6)], &[0]),
            fitness(&goals, deep, &[(0, 0.0), (1, 1.0)], &[0]),
            // The outcome was taken, but an exception ended the run before the next jump.
            fitness(&goals, deep, &[(0, 1.0), (1, 0.0)], &[0]),
            fitness(&goals, deep, &[(1, 0.0), (2, 0.0), (3, 7.0)], &[0]),
            fitness(&goals, deep, &[(1, 0.0), (3, 0.0), (4, 7.0), (5, 0.0)], &[0]),
            fitness(&goals, deep, &[(1, 0.0), (3, 0.0), (4, 0.0), (5, 0.0)], &[0]),
        ];
        assert!(stages.is_sorted_by(|left, right| left > right), "{stages:?}");
        assert_eq!(stages[stages.len() - 1], 0.0);
        assert!(stages[stages.len() - 2] < 1.0 && stages[stages.len() - 3] > 1.0);
    }

    #[test]
    fn the_fitness_of_a_line_falls_with_the_distance_of_the_decision_before_it() {
        let goals = goals();
        let line = goals.line_goal(LineSlot(1)).expect("a goal");
        let near = fitness(&goals, line, &[(1, 0.0), (3, 2.0)], &[0]);
        assert!(near > fitness(&goals, line, &[(1, 0.0), (3, 1.0)], &[0]));
        assert!(near < fitness(&goals, line, &[(1, 3.0)], &[0]));
        assert_eq!(fitness(&goals, line, &[(1, 0.0), (3, 0.0)], &[0, 1]), 0.0);
    }

    #[test]
    fn normalised_distances_of_all_magnitudes_differ() {
        let distances = [0.0, 1e-300, 1e-9, 0.5, 1.0, 1e8, 1e8 + 1.0, 4e9, 1e15, 1e300];
        let normal: Vec<f64> = distances.iter().map(|distance| normalise(*distance)).collect();
        assert!(normal.is_sorted_by(|left, right| left < right), "{normal:?}");
        assert!(normal.iter().chain(&[normalise(f64::INFINITY), normalise(f64::NAN)]).all(|value| (0.0..1.0).contains(value)));
    }
}
