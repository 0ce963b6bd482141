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
/// Calls in a chain of calls on mocks at most.
const LONGEST_CHAIN: usize = 5;

impl SequenceBuilder<'_> {
    /// Appends a mock that answers some of the methods that the code under test calls. Answers are
    /// inputs as arguments are: however deep the mock is, they begin at the depth of an argument. A
    /// mock that another one answers with is one deeper.
    pub(super) fn mock(&mut self, callable: CallableIx, depth: u32) -> VarId {
        let depth = depth.min(self.answering);
        self.answering += 1;
        let chained = self.chained_methods(callable);
        let mut mock = self.link(callable, &chained, None, depth);
        if !chained.is_empty() && depth < DEPTH {
            for _ in 0..self.rng.random_range(0..=chained.len().min(LONGEST_CHAIN)) {
                mock = self.link(callable, &chained, Some(mock), depth);
            }
        }
        self.answering -= 1;
        mock
    }

    /// Positions of the methods of the mock that return an object of its own class, as those of a
    /// builder do. Calls of them are chained: each needs another mock as its answer.
    fn chained_methods(&self, callable: CallableIx) -> Vec<usize> {
        let entry = self.table.callable(callable);
        let own = entry.result.map(|result| self.table.erasure(result));
        (0..entry.params.len()).filter(|position| Some(self.table.erasure(entry.params[*position])) == own).collect()
    }

    /// Appends a mock whose chained methods return the next mock of the chain.
    fn link(&mut self, callable: CallableIx, chained: &[usize], next: Option<VarId>, depth: u32) -> VarId {
        let answers = (0..self.table.callable(callable).params.len())
            .filter_map(|position| {
                if chained.contains(&position) {
                    return next.and_then(|next| self.answer_with(callable, position, next));
                }
                let has_room = depth < DEPTH && self.len() < self.config.max_statements;
                let answered = has_room && (self.thorough || self.rng.random_bool(ANSWERED));
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

    /// The answer of the method at this position of the mock with this value.
    fn answer_with(&self, mock: CallableIx, position: usize, value: VarId) -> Option<Answer> {
        let CallableEntryKind::Stub { answers, .. } = &self.table.callable(mock).kind else { return None };
        Some(Answer::returning(answers.get(position)?.clone(), value))
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

#[cfg(test)]
mod tests {
    use rand::SeedableRng;
    use rand_chacha::ChaCha8Rng;

    use super::super::callable_table::{CallableEntry, CallableTable, CallableTableBuilder};
    use super::super::config::SearchConfig;
    use super::super::hard_values::Experience;
    use super::super::literals::LiteralPool;
    use super::*;
    use crate::program::{ClassName, MethodRef};
    use crate::testcase::{Flat, StubKind};

    fn method(class: &str, name: &str, descriptor: &str) -> MethodRef {
        MethodRef::new(ClassName::new(class), name, descriptor)
    }

    /// `new S(R).work()`, where `R` is a mock whose `find` gives a new `V`.
    fn table() -> (CallableTable, CallableIx) {
        let mut builder = CallableTableBuilder::new();
        let [service, repo, value] = ["S", "R", "V"].map(|name| builder.plain(&JavaType::class(name)));
        let entry = |kind, receiver, params, result| CallableEntry { kind, receiver, params, result };
        let construct = |class: &str, descriptor: &str| CallableEntryKind::Construct(method(class, "<init>", descriptor));
        let make_value = builder.callable(entry(construct("V", "()V"), None, Vec::new(), Some(value)));
        builder.generator(value, make_value);
        let mock = CallableEntryKind::Stub {
            class: ClassName::new("R"),
            kind: StubKind::Mock,
            answers: vec![method("R", "find", "()LV;")],
            exceptions: Vec::new(),
        };
        let mock = builder.callable(entry(mock, None, vec![value], Some(repo)));
        builder.generator(repo, mock);
        let make_service = builder.callable(entry(construct("S", "(LR;)V"), None, vec![repo], Some(service)));
        builder.generator(service, make_service);
        builder.under_test(make_service);
        let work = CallableEntryKind::Call { method: method("S", "work", "()V"), interface: false };
        let work = builder.callable(entry(work, Some(service), Vec::new(), None));
        builder.under_test(work);
        (builder.finish(&Flat), work)
    }

    #[test]
    fn the_mock_of_a_constructor_has_answers() {
        let (table, work) = table();
        let (pool, config, weights) = (LiteralPool::new(table.constants()), SearchConfig::default(), vec![1.0; table.len()]);
        let answered = (0..100).filter(|seed| {
            let mut rng = ChaCha8Rng::seed_from_u64(*seed);
            let test =
                SequenceBuilder::new(&table, &pool, &config, Experience::of_weights(&weights), &mut rng).random(work).to_string();
            test.contains("new V.<init>") && test.contains("= mock R (R.find ()LV; v")
        });
        assert!(answered.count() > 50);
    }

    #[test]
    fn objects_that_are_given_many_others_get_longer_tests() {
        let (table, _) = table();
        assert_eq!(table.most_given(), 1);
        let longest = |given| SearchConfig::default().with_room_for(given).max_statements;
        assert_eq!((longest(1), longest(2), longest(8)), (30, 30, 48));
    }

    #[test]
    fn methods_that_return_the_class_of_the_mock_are_chained() {
        let mut table = CallableTableBuilder::new();
        let own = table.plain(&JavaType::class("B"));
        let methods = ["with", "and"].map(|name| MethodRef::new(ClassName::new("B"), name, "()LB;"));
        let kind = CallableEntryKind::Stub {
            class: ClassName::new("B"),
            kind: StubKind::Mock,
            answers: methods.to_vec(),
            exceptions: Vec::new(),
        };
        let mock = table.callable(CallableEntry { kind, receiver: None, params: vec![own; 2], result: Some(own) });
        let table = table.finish(&Flat);
        let (pool, config, weights) = (LiteralPool::new(&[]), SearchConfig::default(), vec![1.0; table.len()]);
        let mut longest = 0;
        for seed in 0..20 {
            let mut rng = ChaCha8Rng::seed_from_u64(seed);
            let mut builder = SequenceBuilder::new(&table, &pool, &config, Experience::of_weights(&weights), &mut rng);
            builder.mock(mock, 0);
            let test = builder.finish();
            for (index, statement) in test.statements.iter().enumerate() {
                let StatementKind::Stub { answers, .. } = &statement.kind else { panic!("{test}") };
                let next: Vec<VarId> = answers.iter().flat_map(Answer::uses).collect();
                let expected = index.checked_sub(1).map_or(Vec::new(), |last| vec![VarId(last as u32); 2]);
                assert_eq!(next, expected, "{test}");
            }
            longest = longest.max(test.len());
        }
        assert_eq!(longest, 3, "two calls in a chain need two more mocks");
    }
}
