//! Costs of tests that call hidden methods, or make objects of hidden classes.
//!
//! In: tests. Out: the cost of each, with that of reading it. Must not know what the test shows.
//!
//! `doWriteObject` and `DurationFormatUtils.format(Token[], ...)` can be called from a test in their package. A test
//! of the public method that calls them says more to others, and stays true when they change. So does a test that gets
//! an iterator by `list.listIterator()`, not by the constructor of the hidden class.

use crate::oracle::AssertedTest;
use crate::program::{MethodRef, Program};
use crate::testcase::{StatementKind, VarId};

/// The cost of a test that ends with a call of a hidden method, in statements.
const COST: u32 = 5;
/// The cost of an object of a hidden nested class that a test makes, in statements.
const COST_OF_OBJECT: u32 = 3;

/// What readers and callers pay for each test.
pub(super) fn costs_of(program: &Program, tests: &[AssertedTest]) -> Vec<u32> {
    let is_hidden = |method: &MethodRef| is_hidden(program, method);
    let cost_of =
        |test: &AssertedTest| test.reading_cost() + cost_of_hidden_call(program, test) + cost_of_objects(&is_hidden, test);
    tests.iter().map(cost_of).collect()
}

/// The cost of the objects of hidden nested classes that the test makes before its last call.
fn cost_of_objects(is_hidden: &dyn Fn(&MethodRef) -> bool, test: &AssertedTest) -> u32 {
    let before = test.test.statements.iter().take(test.acted.saturating_sub(1) as usize);
    let is_hidden_object = |kind: &StatementKind| match kind {
        StatementKind::Construct { constructor, .. } => {
            let is_nested = constructor.owner.internal().contains('$');
            is_nested && is_hidden(constructor)
        }
        _ => false,
    };
    COST_OF_OBJECT * before.filter(|statement| is_hidden_object(&statement.kind)).count() as u32
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn objects_of_hidden_nested_classes_cost_more() {
        let cost = |class: &str, hidden: bool| {
            let text = format!(
                "v0: L{class}; = new {class}.<init> ()V ()\nv1: I = call method {class}.next ()I on v0 ()\n\
                 assert v1 equals int 2\n"
            );
            cost_of_objects(&|_| hidden, &text.parse::<AssertedTest>().expect("well-formed"))
        };
        assert_eq!([cost("p/List$It", true), cost("p/List$It", false), cost("p/List", true)], [COST_OF_OBJECT, 0, 0]);
    }
}
