//! Candidates of the search that are not planned: from nothing, from parents, and from tests that an
//! exception ended.
//!
//! Flows in: population, nearest tests, throw sites; flows out: test cases. Must not know which
//! goals a candidate covers.

use std::sync::Arc;

use rand::RngExt;

use super::super::operators;
use super::super::repair::repair;
use super::super::requests;
use super::super::round_trip::write_and_read;
use super::super::sequence::SequenceBuilder;
use super::{CandidateOrigin, Search};
use crate::testcase::TestCase;

/// Chance that an offspring differs from a parent in one literal only.
const LITERAL_MUTATION: f64 = 0.15;
/// Chance that an offspring of two parents is not mutated.
const PURE_CROSSOVER: f64 = 0.2;
/// Chance that a parent is the nearest test of an objective rather than a member of the population.
const NEAREST_PARENT: f64 = 0.3;
/// Chance that a parent is a test that an exception ended in code around the classes under test, while
/// nothing is gained.
const STOPPED_PARENT: f64 = 0.1;
/// Chance that a candidate is then a test that an exception ended, repaired.
const REPAIRED: f64 = 0.08;
/// Chance that the objects of a test from nothing are thorough.
const THOROUGH: f64 = 0.2;
/// Chance that a candidate for a controller sends a request. Executing a request takes much longer
/// than calling a method.
const REQUEST: f64 = 0.12;
/// Chance that a candidate for a class with its own serialized form writes an object and reads it again.
const ROUND_TRIP: f64 = 0.03;

impl Search {
    /// A test from nothing, or an offspring of the population.
    pub(super) fn random_candidate(&mut self) -> (TestCase, CandidateOrigin) {
        let templates = self.table.requests().map_or(0, |requests| requests.len());
        if templates > 0 && self.rng.random_bool(REQUEST) {
            let template = self.rng.random_range(0..templates);
            return (self.request(template).unwrap_or_default(), CandidateOrigin::Offspring);
        }
        if let Some(test) = self.round_trip() {
            return (test, CandidateOrigin::Offspring);
        }
        if let Some(repaired) = self.repaired() {
            return (repaired, CandidateOrigin::Offspring);
        }
        let fresh = self.fresh > 0 || self.population.is_empty() || self.rng.random_bool(self.config.fresh_probability);
        if self.config.random_only || fresh {
            self.fresh = self.fresh.saturating_sub(1);
            let random_only = self.config.random_only;
            let test = self.with_builder(|builder| {
                let mut builder = if random_only { builder } else { builder.thorough_with_chance(THOROUGH) };
                match builder.pick(builder.table.under_test()) {
                    Some(callable) => builder.random(callable),
                    None => TestCase::default(),
                }
            });
            return (test, CandidateOrigin::Fresh);
        }
        let first = self.pick_parent();
        if self.rng.random_bool(LITERAL_MUTATION)
            && let Some(varied) = self.with_builder(|builder| operators::mutate_literal(builder, &first))
        {
            return (varied, CandidateOrigin::Offspring);
        }
        let is_crossed = self.rng.random_bool(self.config.crossover_probability);
        let child = match is_crossed {
            true => {
                let second = self.pick_parent();
                Arc::new(self.with_builder(|builder| operators::crossover(builder, &first, &second)))
            }
            false => first,
        };
        let child = if is_crossed && self.rng.random_bool(PURE_CROSSOVER) {
            Arc::unwrap_or_clone(child)
        } else {
            self.with_builder(|builder| operators::mutate(builder, &child))
        };
        (child, CandidateOrigin::Offspring)
    }

    /// While nothing is gained, sometimes: a test that an exception ended, repaired.
    fn repaired(&mut self) -> Option<TestCase> {
        if self.config.random_only || !self.is_stuck() || !self.rng.random_bool(REPAIRED) {
            return None;
        }
        let (stopped, thrower) = self.throw_sites.pick_for_repair(&mut self.rng)?;
        Some(self.with_builder(|builder| repair(builder, &stopped, thrower)))
    }

    /// Where the class has its own serialized form, sometimes: a test that writes an object of a parent, or a new
    /// one, to a stream and reads it again.
    fn round_trip(&mut self) -> Option<TestCase> {
        if self.table.serialized().is_empty() || !self.rng.random_bool(ROUND_TRIP) {
            return None;
        }
        let has_parent = !self.population.is_empty() && self.rng.random_bool(0.5);
        let parent = if has_parent { Some(self.pick_parent()) } else { None };
        let parent = parent.filter(|parent| parent.round_trip().is_none());
        self.with_builder(|builder| write_and_read(builder.thorough_with_chance(THOROUGH), parent.as_deref()))
    }

    /// The better of two members of the population, the nearest test of some objective, or a test that
    /// an exception ended.
    fn pick_parent(&mut self) -> Arc<TestCase> {
        if self.is_stuck()
            && self.rng.random_bool(STOPPED_PARENT)
            && let Some(stopped) = self.throw_sites.pick(&mut self.rng)
        {
            return stopped;
        }
        let objectives = self.targets.objectives();
        if !objectives.is_empty() && self.rng.random_bool(NEAREST_PARENT) {
            let goal = objectives[self.rng.random_range(0..objectives.len())];
            if let Some(nearest) = self.targets.nearest_test(goal) {
                return nearest.clone();
            }
        }
        self.population.tournament(&mut self.rng)
    }

    /// A mutation of a test that is not in the population, mostly of its literals. Empty when it is
    /// likely to exhaust time or memory.
    pub(crate) fn mutate_test(&mut self, test: &TestCase) -> TestCase {
        if test.has_request() {
            let Some(table) = self.table.requests() else { return TestCase::default() };
            let experience = self.feedback.experience();
            let builder = SequenceBuilder::new(&self.table, &self.pool, &self.config, experience, &mut self.rng);
            return requests::vary_request(builder, table, test).unwrap_or_default();
        }
        let varied = match self.rng.random_range(0..10) {
            0..5 => self.with_builder(|builder| operators::mutate_literal(builder, test)),
            5..7 => self
                .with_builder(|builder| operators::mutate_literal(builder, test))
                .and_then(|varied| self.with_builder(|builder| operators::mutate_literal(builder, &varied))),
            _ => None,
        };
        let varied = varied.unwrap_or_else(|| self.with_builder(|builder| operators::mutate(builder, test)));
        if self.is_too_expensive(&varied) { TestCase::default() } else { varied }
    }
}
