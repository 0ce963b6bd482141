//! Candidates that send a request to the controller under test. Flows in: templates, archived tests;
//! flows out: tests. Must not know of fitness.

use std::sync::Arc;

use rand::RngExt;

use super::super::archive::ArchivedTest;
use super::super::goals::Goal;
use super::super::requests;
use super::super::sequence::SequenceBuilder;
use super::Search;
use crate::testcase::{StatementKind, TestCase};

impl Search {
    /// A test with a request to the controller under test: a new one, one in place of a plain call, or
    /// a variation of an archived one.
    pub(super) fn request(&mut self, template: usize) -> Option<TestCase> {
        let way = self.rng.random_range(0..10);
        let table = self.table.requests()?;
        let handler = table.handler(template).clone();
        let mut found: Vec<Arc<ArchivedTest>> = Vec::new();
        for (goal, kept) in self.archive.iter() {
            let is_wanted = match (way, self.goals.goal(goal)) {
                (0..2, _) => false,
                (2..6, Goal::Response { .. }) => false,
                (2..6, _) => kept
                    .test
                    .statements
                    .iter()
                    .any(|statement| matches!(&statement.kind, StatementKind::Call { method, .. } if *method == handler)),
                (_, Goal::Response { handler: reached, .. }) => *reached == handler,
                _ => false,
            };
            if is_wanted && found.iter().all(|known| known.execution != kept.execution) {
                found.push(kept.clone());
            }
        }
        if !found.is_empty() {
            let chosen = found.swap_remove(self.rng.random_range(0..found.len()));
            let experience = self.feedback.experience();
            let builder = SequenceBuilder::new(&self.table, &self.pool, &self.config, experience, &mut self.rng);
            return match way {
                2..6 => requests::request_for_call(builder, table, template, &chosen.test),
                _ => requests::vary_request(builder, table, &chosen.test),
            };
        }
        let experience = self.feedback.experience();
        let builder = SequenceBuilder::new(&self.table, &self.pool, &self.config, experience, &mut self.rng);
        Some(requests::new_request(builder, table, template))
    }
}
