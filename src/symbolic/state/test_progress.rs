//! How far the statements of the test case were performed: the current statement, the values of
//! variables, and the methods that were entered. In: results of statements; out: values of
//! variables. Nothing here is undone, since no checkpoint contains a whole statement. Must not know
//! how a statement is performed.

use std::collections::BTreeMap;

use super::super::data::values::Slot;
use crate::program::MethodRef;
use crate::testcase::{Statement, TestCase, VarId};

/// The progress of one replay in its test case.
#[derive(Debug)]
pub(crate) struct TestProgress<'a> {
    test: &'a TestCase,
    statement: u32,
    /// Values of the test case's variables, by statement.
    variables: Vec<Slot>,
    /// The first recorded method that each statement entered.
    entered: BTreeMap<u32, MethodRef>,
}

impl<'a> TestProgress<'a> {
    /// The progress before the first statement.
    pub(crate) fn new(test: &'a TestCase) -> TestProgress<'a> {
        TestProgress { test, statement: 0, variables: vec![Slot::ZERO; test.statements.len()], entered: BTreeMap::new() }
    }

    /// Number of statements.
    pub(crate) fn len(&self) -> usize {
        self.test.statements.len()
    }

    /// A statement of the test case.
    pub(crate) fn statement_at(&self, index: usize) -> &'a Statement {
        &self.test.statements[index]
    }

    /// Position of the current statement.
    pub(crate) fn statement(&self) -> u32 {
        self.statement
    }

    /// The last call, with the position of its statement.
    pub(crate) fn target(&self) -> Option<(usize, &'a MethodRef)> {
        self.test.target()
    }

    /// Whether the current statement calls the method under test.
    pub(crate) fn is_target(&self) -> bool {
        self.test.target().is_some_and(|(index, _)| index == self.statement as usize)
    }

    /// Begins a statement.
    pub(crate) fn begin_statement(&mut self, index: usize) {
        self.statement = index as u32;
    }

    /// Sets the variable that a statement defines.
    pub(crate) fn define(&mut self, index: usize, value: Slot) {
        self.variables[index] = value;
    }

    /// The value of a variable; zero for an unknown one.
    pub(crate) fn variable(&self, variable: VarId) -> Slot {
        self.variables.get(variable.0 as usize).copied().unwrap_or_default()
    }

    /// Records that the current statement entered a recorded method. Only the first one is kept.
    pub(crate) fn record_entered(&mut self, method: impl FnOnce() -> MethodRef) {
        self.entered.entry(self.statement).or_insert_with(method);
    }

    /// The first recorded method that each statement entered.
    pub(crate) fn into_entered(self) -> BTreeMap<u32, MethodRef> {
        self.entered
    }
}
