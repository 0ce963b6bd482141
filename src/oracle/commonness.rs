//! How many tests show the same. In: asserted tests; out: for each assertion, the number of tests of the
//! same method that assert the same of the same thing. Must not know mutants.
//!
//! Whatever is wrong with a form, its validator reports that the name is missing, as long as no test
//! gives one. What only one test shows is what that test is about.

use std::collections::BTreeMap;

use super::{AssertedTest, Assertion};
use crate::program::MethodRef;
use crate::testcase::{StatementKind, VarId};

/// For each assertion of each test, how many tests of the same method show the same.
pub(super) fn commonness(tests: &[AssertedTest]) -> Vec<Vec<usize>> {
    let shown: Vec<Vec<(&Option<MethodRef>, String)>> = tests
        .iter()
        .map(|test| test.assertions.iter().map(|assertion| (&test.target, shown(test, assertion))).collect())
        .collect();
    let mut counts: BTreeMap<&(&Option<MethodRef>, String), usize> = BTreeMap::new();
    shown.iter().flatten().for_each(|shown| *counts.entry(shown).or_default() += 1);
    let count = |shown: &(&Option<MethodRef>, String)| counts.get(shown).copied().unwrap_or_default();
    shown.iter().map(|of_test| of_test.iter().map(count).collect()).collect()
}

/// What an assertion reads and says, without the numbers of variables.
fn shown(test: &AssertedTest, assertion: &Assertion) -> String {
    format!("{} {:?}", path(test, assertion.subject), assertion.fact)
}

/// The way from the call under test to the value.
fn path(test: &AssertedTest, variable: VarId) -> String {
    let kind = &test.test.statement(variable).kind;
    if variable.0 < test.acted {
        return position(test, variable);
    }
    match kind {
        StatementKind::Call { method, receiver: Some(receiver), args, .. } => {
            let args: Vec<String> = args.iter().map(|argument| path(test, *argument)).collect();
            format!("{}.{}({})", path(test, *receiver), method.name, args.join(", "))
        }
        StatementKind::GetField { field, receiver: Some(receiver) } => format!("{}.{}", path(test, *receiver), field.name),
        other => format!("{other:?}"),
    }
}

/// What the variable is for the call under test: its result, the place among its operands, or nothing.
fn position(test: &AssertedTest, variable: VarId) -> String {
    let Some(call) = test.acted.checked_sub(1).filter(|call| *call != variable.0) else { return "result".into() };
    let operands = test.test.statement(VarId(call)).kind.uses();
    operands.iter().position(|operand| *operand == variable).map_or_else(|| "other".into(), |place| place.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::program::ClassName;

    #[test]
    fn what_tests_of_one_method_show_alike_is_common() {
        let test = |filler: &str, first: u32, size: i32| -> AssertedTest {
            let [foo, call, named, read, count] = [0, 1, 2, 3, 4].map(|place| first + place);
            let text = format!(
                "target p/Foo.next ()I\nacted {named}\n{filler}v{foo}: Lp/Foo; = new p/Foo.<init> ()V ()\n\
                 v{call}: I = call method p/Foo.next ()I on v{foo} ()\nv{named}: Ljava/lang/String; = string \"name\"\n\
                 v{read}: I = call method p/Foo.size (Ljava/lang/String;)I on v{foo} (v{named})\n\
                 v{count}: I = call method p/Foo.count ()I on v{foo} ()\n\
                 assert v{call} equals int 4\nassert v{read} equals int {size}\nassert v{count} equals int 1\n"
            );
            text.parse().expect("well-formed")
        };
        let one = test("", 0, 5);
        let other = test("v0: I = int 3\nv1: V = call method p/Bar.take (I)V (v0)\n", 2, 6);
        let third = AssertedTest { target: Some(MethodRef::new(ClassName::new("p/Foo"), "last", "()I")), ..one.clone() };
        assert_eq!(commonness(&[one, other, third]), [[2, 1, 2], [2, 1, 2], [1, 1, 1]]);
    }
}
