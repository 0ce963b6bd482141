//! Surviving mutants as goals, by the RIP model: a test must reach the mutated code, infect the
//! state, and let the difference be seen. Flows in: tests with the mutants that they reach and
//! infect, kills; flows out: a test to mutate. Must not know how mutants are run.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::execution::MutantId;
use crate::testcase::TestCase;

/// Reaching tests and infecting tests that are remembered for one mutant, each.
const REMEMBERED: usize = 6;

/// State of one mutant.
#[derive(Clone, Debug, Default)]
struct MutantState {
    killed: bool,
    reaching: Vec<Arc<TestCase>>,
    infecting: Vec<Arc<TestCase>>,
    /// Number of times a test was given out since the mutant was first infected.
    tries: u32,
    /// Number of remembered tests that were replaced.
    replaced: usize,
}

/// The states of the mutants of one class, by [`MutantId`]; entry 0 is unused.
#[derive(Debug)]
pub struct MutantPool {
    state: Vec<MutantState>,
    surviving: usize,
}

impl MutantPool {
    /// A pool of `mutants` surviving mutants.
    pub(crate) fn new(mutants: usize) -> MutantPool {
        MutantPool { state: vec![MutantState::default(); mutants + 1], surviving: mutants }
    }

    /// Number of surviving mutants.
    pub(crate) fn surviving(&self) -> usize {
        self.surviving
    }

    /// Whether a mutant survives; false for unknown numbers.
    pub(crate) fn is_surviving(&self, mutant: MutantId) -> bool {
        self.state.get(mutant.index()).is_some_and(|state| !state.killed)
    }

    /// Closes a mutant that a test kills; repeated calls have no effect.
    pub(crate) fn mark_killed(&mut self, mutant: MutantId) {
        if self.is_surviving(mutant) {
            self.state[mutant.index()] = MutantState { killed: true, ..MutantState::default() };
            self.surviving -= 1;
        }
    }

    /// Records a run: `reached` are the mutants whose code ran, `infected` those of them with
    /// another state there.
    pub(crate) fn record_run(&mut self, test: &Arc<TestCase>, reached: &[MutantId], infected: &[MutantId]) {
        let infected: BTreeSet<MutantId> = infected.iter().copied().collect();
        for &mutant in reached {
            let Some(state) = self.state.get_mut(mutant.index()).filter(|state| !state.killed) else { continue };
            let infects = infected.contains(&mutant);
            if infects && state.infecting.is_empty() {
                state.tries = 0;
                state.reaching.clear();
            }
            if !infects && !state.infecting.is_empty() {
                continue;
            }
            let tests = if infects { &mut state.infecting } else { &mut state.reaching };
            if tests.iter().any(|known| known == test) {
                continue;
            }
            if tests.len() < REMEMBERED {
                tests.push(Arc::clone(test));
                continue;
            }
            // The shortest test stays and the others are replaced in turn, so that mutation starts
            // from different tests.
            let shortest = (0..tests.len()).min_by_key(|&place| (tests[place].len(), place)).unwrap_or(0);
            if test.len() < tests[shortest].len() {
                tests[shortest] = Arc::clone(test);
            } else {
                let place = state.replaced % tests.len();
                state.replaced += 1;
                if place != shortest && test.len() <= 2 * tests[shortest].len() {
                    tests[place] = Arc::clone(test);
                }
            }
        }
    }

    /// The surviving mutant with the fewest tries, and one of its tests, chosen by `choice`.
    /// Infected mutants get two tries for one of the others; infecting tests are preferred. `None`:
    /// no surviving mutant was reached.
    pub(crate) fn next_target(&mut self, choice: u32) -> Option<(MutantId, Arc<TestCase>)> {
        let is_target = |state: &MutantState| !state.killed && (!state.reaching.is_empty() || !state.infecting.is_empty());
        let effort = |state: &MutantState| if state.infecting.is_empty() { 2 * state.tries + 1 } else { state.tries };
        let mutant = (1..self.state.len())
            .filter(|&mutant| is_target(&self.state[mutant]))
            .min_by_key(|&mutant| (effort(&self.state[mutant]), mutant))?;
        let state = &mut self.state[mutant];
        state.tries += 1;
        let tests = if state.infecting.is_empty() { &state.reaching } else { &state.infecting };
        Some((MutantId(mutant as u32), Arc::clone(&tests[choice as usize % tests.len()])))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::program::JavaType;
    use crate::testcase::{Literal, StatementKind};

    fn test(values: &[i32]) -> Arc<TestCase> {
        let mut test = TestCase::default();
        for value in values {
            test.push(StatementKind::Literal(Literal::Int(*value)), JavaType::INT);
        }
        Arc::new(test)
    }

    #[test]
    fn a_reached_mutant_is_a_goal_until_it_is_killed() {
        let mut pool = MutantPool::new(3);
        assert_eq!(pool.next_target(0), None);
        let (one, two) = (test(&[1]), test(&[2]));
        let [first, second, third] = [1, 2, 3].map(MutantId);
        pool.record_run(&one, &[first, second], &[second]);
        pool.record_run(&two, &[first, second], &[]);
        // An infected mutant comes first and is never tried from a test that does not infect it.
        assert_eq!(pool.next_target(5), Some((second, Arc::clone(&one))));
        assert_eq!(pool.next_target(1), Some((first, Arc::clone(&two))));
        pool.mark_killed(second);
        pool.mark_killed(second);
        assert_eq!((pool.surviving(), pool.is_surviving(second), pool.is_surviving(third)), (2, false, true));
        assert_eq!(pool.next_target(0).map(|(mutant, _)| mutant), Some(first));
        pool.mark_killed(first);
        assert_eq!(pool.next_target(0), None);
    }

    #[test]
    fn infected_mutants_get_two_tries_for_one() {
        let mut pool = MutantPool::new(2);
        pool.record_run(&test(&[1]), &[MutantId(1), MutantId(2)], &[MutantId(2)]);
        let tried: Vec<MutantId> = (0..9).filter_map(|_| pool.next_target(0)).map(|(mutant, _)| mutant).collect();
        assert_eq!(tried.iter().filter(|mutant| **mutant == MutantId(2)).count(), 6, "{tried:?}");
    }

    #[test]
    fn the_shortest_test_stays() {
        let mut pool = MutantPool::new(1);
        let only = [MutantId(1)];
        pool.record_run(&test(&[0]), &only, &only);
        for value in 1..40 {
            pool.record_run(&test(&[value, value]), &only, &only);
        }
        let given: BTreeSet<String> =
            (0..6).filter_map(|choice| pool.next_target(choice)).map(|(_, test)| test.to_string()).collect();
        assert!(given.contains(&test(&[0]).to_string()), "{given:?}");
        assert!(given.iter().any(|text| text.contains("39") || text.contains("38")), "the newer ones take turns: {given:?}");
    }
}
