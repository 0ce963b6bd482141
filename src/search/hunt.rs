//! Mutants that are still alive as goals: which tests are worth varying to kill them, first to make a difference in the mutated code (weakly),
//! then to let it be seen (strongly). Flows in: tests with the mutants that they reach and infect, kills; flows out: a test to vary.
//! Must not know how mutants are run or what kills them.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::testcase::TestCase;

/// Tests remembered for one mutant, of those that reach it and of those that infect it.
const REMEMBERED: usize = 6;

/// One mutant.
#[derive(Clone, Debug, Default)]
struct Prey {
    killed: bool,
    reaching: Vec<Arc<TestCase>>,
    infecting: Vec<Arc<TestCase>>,
    /// How often a test was asked for it since it came nearer.
    tries: u32,
    /// Tests that were put in the place of others.
    replaced: usize,
}

/// The state of the mutants of one class, by number; numbers begin with 1.
#[derive(Debug)]
pub struct Hunt {
    prey: Vec<Prey>,
    alive: usize,
}

impl Hunt {
    pub(crate) fn new(mutants: usize) -> Hunt {
        Hunt { prey: vec![Prey::default(); mutants + 1], alive: mutants }
    }

    /// Mutants that nothing is known to kill.
    pub(crate) fn alive(&self) -> usize {
        self.alive
    }

    pub(crate) fn is_alive(&self, mutant: u32) -> bool {
        self.prey.get(mutant as usize).is_some_and(|prey| !prey.killed)
    }

    pub(crate) fn killed(&mut self, mutant: u32) {
        if self.is_alive(mutant) {
            self.prey[mutant as usize] = Prey { killed: true, ..Prey::default() };
            self.alive -= 1;
        }
    }

    /// A test was run: `reached` are the mutants whose code ran, `infected` those of them that would have given something else there.
    pub(crate) fn note(&mut self, test: &Arc<TestCase>, reached: &[u32], infected: &[u32]) {
        let infected: BTreeSet<u32> = infected.iter().copied().collect();
        for &mutant in reached {
            let Some(prey) = self.prey.get_mut(mutant as usize).filter(|prey| !prey.killed) else { continue };
            let infects = infected.contains(&mutant);
            if infects && prey.infecting.is_empty() {
                prey.tries = 0;
                prey.reaching.clear();
            }
            if !infects && !prey.infecting.is_empty() {
                continue;
            }
            let tests = if infects { &mut prey.infecting } else { &mut prey.reaching };
            if tests.iter().any(|known| known == test) {
                continue;
            }
            if tests.len() < REMEMBERED {
                tests.push(Arc::clone(test));
                continue;
            }
            // The shortest stays, the others take turns: what is stuck is tried from elsewhere.
            let shortest = (0..tests.len()).min_by_key(|&place| (tests[place].len(), place)).unwrap_or(0);
            if test.len() < tests[shortest].len() {
                tests[shortest] = Arc::clone(test);
            } else {
                let place = prey.replaced % tests.len();
                prey.replaced += 1;
                if place != shortest && test.len() <= 2 * tests[shortest].len() {
                    tests[place] = Arc::clone(test);
                }
            }
        }
    }

    /// The mutant that was tried least of those that are alive and reached, those that are infected twice as often, and one of its tests:
    /// `choice` says which.
    pub(crate) fn next(&mut self, choice: u32) -> Option<(u32, Arc<TestCase>)> {
        let hunted = |prey: &Prey| !prey.killed && (!prey.reaching.is_empty() || !prey.infecting.is_empty());
        let effort = |prey: &Prey| if prey.infecting.is_empty() { 2 * prey.tries + 1 } else { prey.tries };
        let mutant = (1..self.prey.len())
            .filter(|&mutant| hunted(&self.prey[mutant]))
            .min_by_key(|&mutant| (effort(&self.prey[mutant]), mutant))?;
        let prey = &mut self.prey[mutant];
        prey.tries += 1;
        let tests = if prey.infecting.is_empty() { &prey.reaching } else { &prey.infecting };
        Some((mutant as u32, Arc::clone(&tests[choice as usize % tests.len()])))
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
            test.push(StatementKind::Literal(Literal::Int(*value)), JavaType::Int);
        }
        Arc::new(test)
    }

    #[test]
    fn what_is_reached_is_hunted_until_it_is_killed() {
        let mut hunt = Hunt::new(3);
        assert_eq!(hunt.next(0), None);
        let (one, two) = (test(&[1]), test(&[2]));
        hunt.note(&one, &[1, 2], &[2]);
        hunt.note(&two, &[1, 2], &[]);
        // What is infected comes first and is never tried from a test that does not infect it.
        assert_eq!(hunt.next(5), Some((2, Arc::clone(&one))));
        assert_eq!(hunt.next(1), Some((1, Arc::clone(&two))));
        hunt.killed(2);
        hunt.killed(2);
        assert_eq!((hunt.alive(), hunt.is_alive(2), hunt.is_alive(3)), (2, false, true));
        assert_eq!(hunt.next(0).map(|(mutant, _)| mutant), Some(1));
        hunt.killed(1);
        assert_eq!(hunt.next(0), None);
    }

    #[test]
    fn infected_mutants_get_two_tries_for_one() {
        let mut hunt = Hunt::new(2);
        hunt.note(&test(&[1]), &[1, 2], &[2]);
        let tried: Vec<u32> = (0..9).filter_map(|_| hunt.next(0)).map(|(mutant, _)| mutant).collect();
        assert_eq!(tried.iter().filter(|mutant| **mutant == 2).count(), 6, "{tried:?}");
    }

    #[test]
    fn the_shortest_test_stays() {
        let mut hunt = Hunt::new(1);
        hunt.note(&test(&[0]), &[1], &[1]);
        for value in 1..40 {
            hunt.note(&test(&[value, value]), &[1], &[1]);
        }
        let given: BTreeSet<String> = (0..6).filter_map(|choice| hunt.next(choice)).map(|(_, test)| test.to_string()).collect();
        assert!(given.contains(&test(&[0]).to_string()), "{given:?}");
        assert!(given.iter().any(|text| text.contains("39") || text.contains("38")), "the newer ones take turns: {given:?}");
    }
}
