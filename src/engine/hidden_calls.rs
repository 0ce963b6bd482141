//! Costs of tests that call hidden methods.
//!
//! In: tests. Out: the cost of each, with that of reading it. Must not know what the test shows.
//!
//! `doWriteObject` and `DurationFormatUtils.format(Token[], ...)` can be called from a test in their package. A test
//! of the public method that calls them says more to others, and stays true when they change.

use crate::oracle::AssertedTest;
use crate::program::{MethodRef, Program};
use crate::testcase::{StatementKind, VarId};

/// The cost of a test that ends with a call of a hidden method, in statements.
const COST: u32 = 5;

/// What readers and callers pay for each test.
pub(super) fn costs_of(program: &Program, tests: &[AssertedTest]) -> Vec<u32> {
    tests.iter().map(|test| test.reading_cost() + cost_of_hidden_call(program, test)).collect()
}

/// The cost of the last call of the test.
fn cost_of_hidden_call(program: &Program, test: &AssertedTest) -> u32 {
    let Some(call) = test.acted.checked_sub(1).map(VarId) else { return 0 };
    let called = match &test.test.statement(call).kind {
        StatementKind::Call { method, .. } | StatementKind::Construct { constructor: method, .. } => Some(method),
        _ => None,
    };
    if called.is_some_and(|called| is_hidden(program, called)) { COST } else { 0 }
}

/// Whether a public class has the method, or a nested one has it, and the method or the nested class is not public. A
/// package may have no other classes than hidden ones.
fn is_hidden(program: &Program, method: &MethodRef) -> bool {
    let Some(found) = program.resolve(method) else { return false };
    let is_nested = found.class.name.internal().contains('$');
    let is_public = found.class.access.is_public();
    (is_public || is_nested) && !(is_public && found.method().access.is_public())
}
