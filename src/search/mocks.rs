//! Builds mocks: which methods they answer, with which values and exceptions. Flows in: the entry of
//! a mock in the callable table, random source; flows out: stub statements. Must not know goals.

use rand::RngExt;

use super::callable_table::{CallableEntryKind, CallableIx};
use super::sequence::{DEPTH, SequenceBuilder};
use crate::program::JavaType;
use crate::testcase::{Answer, AnswerOutcome, StatementKind, VarId};

/// Chance that a new mock answers a method.
const ANSWERED: f64 = 0.7;
/// Chance that an answer has another value for later calls.
const REPEATED: f64 = 0.08;
/// Chance that a new mock throws an exception, where it may throw one.
const THROWN: f64 = 0.15;

impl SequenceBuilder<'_> {
    /// Appends a mock that answers some of the methods that the code under test calls.
    pub(super) fn mock(&mut self, callable: CallableIx, depth: u32) -> VarId {
        let answers = (0..self.table.callable(callable).params.len())
            .filter_map(|position| {
                let answered = depth < DEPTH && self.len() < self.config.max_statements && self.rng.random_bool(ANSWERED);
                if answered { self.answer(callable, position, depth) } else { None }
            })
            .collect();
        let answers = self.with_exception(callable, answers, depth);
        self.push_mock(callable, answers)
    }

    /// Appends a mock with these answers.
    pub(super) fn push_mock(&mut self, callable: CallableIx, answers: Vec<Answer>) -> VarId {
        let description = self.table.callable(callable);
        let CallableEntryKind::Stub { class, kind, .. } = &description.kind else { unreachable!("the entry makes a mock") };
        let kind = StatementKind::Stub { class: class.clone(), kind: *kind, answers };
        self.push(kind, JavaType::Class(class.clone()))
    }

    /// An answer of the method at this position of the mock: one value, sometimes a second one for
    /// later calls.
    pub(super) fn answer(&mut self, mock: CallableIx, position: usize, depth: u32) -> Option<Answer> {
        let model = self.table;
        let CallableEntryKind::Stub { answers, .. } = &model.callable(mock).kind else { return None };
        let wanted = model.callable(mock).params[position];
        let mut outcomes = vec![AnswerOutcome::Returns(self.value_of_type(wanted, depth + 1, true)?)];
        if self.rng.random_bool(REPEATED) {
            outcomes.extend(self.value_of_type(wanted, depth + 1, true).map(AnswerOutcome::Returns));
        }
        Some(Answer { method: answers.get(position)?.clone(), arguments: Vec::new(), outcomes })
    }

    /// The answers, sometimes with one that throws: instead of a method's value, or after it.
    pub(super) fn with_exception(&mut self, mock: CallableIx, mut answers: Vec<Answer>, depth: u32) -> Vec<Answer> {
        let model = self.table;
        let CallableEntryKind::Stub { exceptions, .. } = &model.callable(mock).kind else { return answers };
        if exceptions.is_empty() || !self.rng.random_bool(THROWN) {
            return answers;
        }
        let (method, wanted) = &exceptions[self.rng.random_range(0..exceptions.len())];
        let Some(exception) = self.make(*wanted, depth + 1, false) else { return answers };
        let outcome = AnswerOutcome::Throws(exception);
        match answers.iter_mut().find(|answer| answer.method == *method) {
            Some(answer) if self.rng.random_bool(0.2) => answer.outcomes.push(outcome),
            Some(answer) => answer.outcomes = vec![outcome],
            None => answers.push(Answer { method: method.clone(), arguments: Vec::new(), outcomes: vec![outcome] }),
        }
        answers
    }
}

/// The answer with its uses mapped; outcomes without a counterpart are left out. `None` when an
/// argument has none, or no outcome has one.
pub(super) fn mapped_answer(answer: &Answer, map: &[Option<VarId>]) -> Option<Answer> {
    let mut mapped = answer.clone();
    mapped.outcomes.retain(|outcome| map[outcome.variable().index()].is_some());
    for used in mapped.uses_mut() {
        *used = map[used.index()]?;
    }
    (!mapped.outcomes.is_empty()).then_some(mapped)
}
