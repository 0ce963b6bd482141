//! Values that are hard to make: most calls of their constructor or factory throw, for example
//! because a string has to be a currency code.
//!
//! Flows in: executed tests, and values of earlier searches. Flows out: the statements that made such a
//! value before. Must not know goals. What was made once is made in the same way again, as with the
//! object pools of Randoop and EvoSuite; also by the search for the next class, which often needs the
//! same objects.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use rand::RngExt;

use super::callable_table::{CallableIx, CallableTable, ValueKind};
use super::sequence::SequenceBuilder;
use crate::execution::RunEnd;
use crate::program::MethodRef;
use crate::testcase::{StatementKind, TestCase, TestHash, VarId};

/// Chance that a value that is hard to make is made as before.
const MADE_AS_BEFORE: f64 = 0.8;
/// Calls that threw from which on a callable counts as hard.
const LEAST_THROWS: u32 = 5;
/// Calls that threw for each different value from which on a callable counts as hard.
const THROWS_A_VALUE: u32 = 3;
/// Values of one callable that are remembered; the oldest are dropped.
const MOST_VALUES: usize = 16;
/// Statements of a remembered value, at most.
const LONGEST_VALUE: usize = 24;

/// A constructor or factory that threw, with the values that it made nevertheless.
#[derive(Debug, Default)]
struct HardCallable {
    threw: u32,
    /// Different values that were made.
    values: u32,
    /// The last values, each as a test case that ends with its statement.
    made: VecDeque<(TestHash, TestCase)>,
}

/// How values that are hard to make were made, by constructor or factory: what the search for one
/// class hands on to the next. Copies share the values: a run has thousands of classes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ProvenValues(BTreeMap<MethodRef, Arc<[TestCase]>>);

impl ProvenValues {
    /// Adds those of another search, in place of what was known about the same constructors and
    /// factories.
    pub(crate) fn update(&mut self, newer: ProvenValues) {
        self.0.extend(newer.0);
    }
}

/// What is known about callables that threw.
#[derive(Debug)]
pub(crate) struct HardValues {
    callables: BTreeMap<CallableIx, HardCallable>,
}

impl HardValues {
    /// Nothing is known yet.
    pub(crate) const fn new() -> HardValues {
        HardValues { callables: BTreeMap::new() }
    }

    /// Learns from an execution.
    pub(crate) fn record(&mut self, table: &CallableTable, test: &TestCase, end: &RunEnd) {
        let last = match end {
            RunEnd::Completed => test.len(),
            RunEnd::Threw { statement, .. } => *statement as usize,
            _ => return,
        };
        if let Some(callable) = test.statements.get(last).and_then(|thrower| object_maker(table, &thrower.kind)) {
            self.callables.entry(callable).or_default().threw += 1;
        }
        if self.callables.is_empty() {
            return;
        }
        for (index, statement) in test.statements.iter().take(last).enumerate() {
            if let Some(callable) = object_maker(table, &statement.kind)
                && let Some(hard) = self.callables.get_mut(&callable)
            {
                hard.record_value(test, VarId(index as u32));
            }
        }
    }

    /// How hard values were made.
    pub(crate) fn proven(&self, table: &CallableTable) -> ProvenValues {
        let hard = self.callables.iter().filter(|(_, hard)| hard.is_hard() && !hard.made.is_empty());
        let by_method = hard.filter_map(|(callable, hard)| {
            let method = table.callable(*callable).method()?.clone();
            Some((method, hard.made.iter().map(|(_, value)| value.clone()).collect()))
        });
        ProvenValues(by_method.collect())
    }

    /// Begins with values of earlier searches, as far as the table has all that they call. Gives the
    /// statements of the longest one, 0 where there is none.
    pub(crate) fn load(&mut self, table: &CallableTable, proven: &ProvenValues) -> usize {
        let mut longest = 0;
        for value in proven.0.values().flat_map(|made| made.iter()) {
            let is_usable = |kind: &StatementKind| {
                matches!(kind, StatementKind::Literal(_) | StatementKind::Array { .. }) || table.callable_of(kind).is_some()
            };
            let maker = value.statements.last().and_then(|last| object_maker(table, &last.kind));
            if let Some(callable) = maker.filter(|_| value.statements.iter().all(|statement| is_usable(&statement.kind))) {
                let hard = self.callables.entry(callable).or_default();
                hard.record_value(value, VarId(value.len() as u32 - 1));
                hard.threw = LEAST_THROWS + THROWS_A_VALUE * hard.values;
                longest = longest.max(value.len());
            }
        }
        longest
    }

    /// Statements that made a value with the callable before, each a test case that ends with the
    /// call. Empty where the callable is not hard.
    pub(crate) fn made(&self, callable: CallableIx) -> &VecDeque<(TestHash, TestCase)> {
        const NONE: &VecDeque<(TestHash, TestCase)> = &VecDeque::new();
        let hard = self.callables.get(&callable).filter(|hard| hard.is_hard());
        hard.map_or(NONE, |hard| &hard.made)
    }
}

impl HardCallable {
    fn is_hard(&self) -> bool {
        self.threw >= LEAST_THROWS && self.threw > THROWS_A_VALUE * self.values
    }

    fn record_value(&mut self, test: &TestCase, variable: VarId) {
        let cone = test.definition_cone(variable);
        if cone.iter().filter(|needed| **needed).count() > LONGEST_VALUE {
            self.values = self.values.max(1);
            return;
        }
        let mut value = test.clone();
        value.retain(&cone);
        let hash = value.canonical_hash();
        if self.made.iter().any(|(known, _)| *known == hash) {
            return;
        }
        self.values += 1;
        self.made.push_back((hash, value));
        if self.made.len() > MOST_VALUES {
            self.made.pop_front();
        }
    }
}

/// What earlier executions taught about callables.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Experience<'a> {
    /// By callable: relative chance of being drawn.
    pub(crate) weights: &'a [f32],
    pub(crate) hard_values: &'a HardValues,
}

impl<'a> Experience<'a> {
    /// These weights, without any execution.
    #[cfg(test)]
    pub(super) fn of_weights(weights: &'a [f32]) -> Experience<'a> {
        static NONE: HardValues = HardValues::new();
        Experience { weights, hard_values: &NONE }
    }
}

impl SequenceBuilder<'_> {
    /// A value that the callable made in an earlier execution, where its calls mostly throw; `None`
    /// where there is none, and sometimes otherwise, so that new values are found.
    pub(super) fn make_as_before(&mut self, callable: CallableIx) -> Option<VarId> {
        let made = self.experience.hard_values.made(callable);
        if made.is_empty() || !self.rng.random_bool(MADE_AS_BEFORE) {
            return None;
        }
        let (_, value) = &made[self.rng.random_range(0..made.len())];
        let before = self.len();
        let mut map: Vec<Option<VarId>> = vec![None; value.len()];
        for (index, statement) in value.statements.iter().enumerate() {
            map[index] = self.adopt(statement, &map);
            if map[index].is_none() {
                self.roll_back(before);
                return None;
            }
        }
        map.last().copied().flatten()
    }
}

/// The callable of a statement that makes an object.
fn object_maker(table: &CallableTable, kind: &StatementKind) -> Option<CallableIx> {
    let callable = table.callable_of(kind)?;
    let result = table.callable(callable).result?;
    let is_object = table.kind(table.erasure(result)) == ValueKind::Object;
    is_object.then_some(callable)
}

#[cfg(test)]
mod tests {
    use super::super::callable_table::{CallableEntry, CallableEntryKind, CallableTableBuilder};
    use super::*;
    use crate::execution::Thrown;
    use crate::program::{ClassName, JavaType, MethodRef};
    use crate::testcase::Flat;

    fn table() -> (CallableTable, CallableIx) {
        let mut table = CallableTableBuilder::new();
        let text = table.plain(&JavaType::class("java/lang/String"));
        let code = table.plain(&JavaType::class("Code"));
        let constructor = MethodRef::new(ClassName::new("Code"), "<init>", "(Ljava/lang/String;)V");
        let kind = CallableEntryKind::Construct(constructor);
        let make = table.callable(CallableEntry { kind, receiver: None, params: vec![text], result: Some(code) });
        (table.finish(&Flat), make)
    }

    fn test(text: &str) -> TestCase {
        let lines = format!(
            "v0: Ljava/lang/String; = string \"{text}\"\nv1: LCode; = new Code.<init> (Ljava/lang/String;)V (v0)\n\
             v2: V = call method T.m (LCode;)V (v1)\n"
        );
        lines.parse().expect("a test case")
    }

    #[test]
    fn values_of_a_constructor_that_mostly_throws_are_kept() {
        let (table, make) = table();
        let mut values = HardValues::new();
        let class = ClassName::new("java/lang/IllegalArgumentException");
        let thrown = Thrown { class, message: None, in_project: true, frames: Vec::new() };
        for text in ["a", "b", "c", "d", "e", "f"] {
            values.record(&table, &test(text), &RunEnd::Threw { statement: 1, thrown: thrown.clone() });
        }
        assert!(values.made(make).is_empty());
        values.record(&table, &test("EUR"), &RunEnd::Completed);
        values.record(&table, &test("EUR"), &RunEnd::Completed);
        let mut expected = test("EUR");
        expected.truncate(2);
        let made: Vec<&TestCase> = values.made(make).iter().map(|(_, value)| value).collect();
        assert_eq!(made, [&expected]);
        let mut next = HardValues::new();
        assert_eq!(next.load(&table, &values.proven(&table)), 2);
        let handed_on: Vec<&TestCase> = next.made(make).iter().map(|(_, value)| value).collect();
        assert_eq!(handed_on, [&expected], "the next class begins with the value");
        let mut nothing = HardValues::new();
        nothing.load(&CallableTableBuilder::new().finish(&Flat), &values.proven(&table));
        assert!(nothing.callables.is_empty(), "the next class cannot call the constructor");
        values.record(&table, &test("USD"), &RunEnd::Completed);
        assert_eq!(values.proven(&table), ProvenValues::default());
        assert!(values.made(make).is_empty(), "two values for six failures: it is not hard");
    }
}
