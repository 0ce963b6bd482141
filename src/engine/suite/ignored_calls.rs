//! Calls that a test makes and says nothing about.
//!
//! Flows in: tests, and what each covers. Flows out: what each covers without what another test shows. Must not know
//! how tests are chosen.
//!
//! A test may begin with a call of a method under test whose result nobody looks at, nor the objects that it was
//! given. It covers lines, but no change of them would make the test fail. Where another test ends with a call of
//! that method and covers the same, the other one is the test of it.
//!
//! `fraction.pow(2)` before `other.multiplyBy(fraction)` might have changed the fraction. Whether it did is seen in a
//! run without the call.

use std::sync::Arc;

use super::{Suite, first_statements};
use crate::engine::covered_goals::CoveredGoals;
use crate::engine::observation::execute;
use crate::execution::{Execution, RunEnd};
use crate::jvm::JvmError;
use crate::oracle::AssertedTest;
use crate::program::{JavaType, MethodRef};
use crate::search::GoalRegistry;
use crate::testcase::{StatementKind, TestCase, VarId};

impl Suite<'_> {
    /// Takes from each test what only its ignored calls cover that another test of the same method covers.
    /// `are_chosen`: the assertions of the tests stay. Before they are chosen, those about earlier calls do not count.
    ///
    /// Fails where the worker cannot be kept running.
    pub(super) fn leave_out_ignored_calls(
        &mut self,
        tests: &[AssertedTest],
        covered: &mut [CoveredGoals],
        goals: &GoalRegistry,
        are_chosen: bool,
    ) -> Result<(), JvmError> {
        let is_tested = self.tested_methods(goals);
        let mut ignored: Vec<(usize, MethodRef, TestCase)> = Vec::new();
        for (place, test) in tests.iter().enumerate().filter(|(_, test)| !test.test.has_request()) {
            let last = ignored_calls(test, are_chosen).into_iter().rfind(|(_, method)| is_tested(method));
            ignored.extend(last.map(|(at, method)| (place, method.clone(), first_statements(&test.test, at + 1))));
        }
        for ((place, method, case), execution) in ignored.iter().zip(&self.executed(&ignored)?) {
            let shown = covered_by_others(tests, covered, *place, method);
            let of_call = CoveredGoals::of(case, execution, goals);
            covered[*place].remove_common(&of_call, &shown);
        }
        self.leave_out_needless_calls(tests, covered, goals, are_chosen)
    }

    /// Takes from each test the goals that it loses without one of its calls. Tests of the called method must cover
    /// all of these.
    fn leave_out_needless_calls(
        &mut self,
        tests: &[AssertedTest],
        covered: &mut [CoveredGoals],
        goals: &GoalRegistry,
        are_chosen: bool,
    ) -> Result<(), JvmError> {
        let is_tested = self.tested_methods(goals);
        let mut shorter: Vec<(usize, MethodRef, TestCase)> = Vec::new();
        for (place, test) in tests.iter().enumerate().filter(|(_, test)| !test.test.has_request()) {
            for (at, method) in unread_calls(test, are_chosen).into_iter().filter(|(_, method)| is_tested(method)) {
                let Some(without) = test.without_statement(at as usize) else { continue };
                let statements = if are_chosen { without.test.len() as u32 } else { without.acted };
                shorter.push((place, method.clone(), first_statements(&without.test, statements)));
            }
        }
        for ((place, method, case), execution) in shorter.iter().zip(&self.executed(&shorter)?) {
            let lost = covered[*place].without(&CoveredGoals::of(case, execution, goals));
            let shown = covered_by_others(tests, covered, *place, method);
            let ends_alike = (execution.end == RunEnd::Completed) == tests[*place].expected.is_none();
            if ends_alike && lost.without(&shown).is_empty() {
                covered[*place].remove_common(&lost, &shown);
            }
        }
        Ok(())
    }

    /// Whether a method is one under test that does more than read or write a field.
    fn tested_methods<'g>(&self, goals: &'g GoalRegistry) -> impl Fn(&MethodRef) -> bool + use<'g> {
        let program = Arc::clone(&self.context.program);
        move |method| goals.method_id(method).is_some() && !program.is_plain_accessor(method)
    }

    /// Executes the test cases that stand behind places and methods.
    fn executed(&mut self, changed: &[(usize, MethodRef, TestCase)]) -> Result<Vec<Execution>, JvmError> {
        let cases: Vec<TestCase> = changed.iter().map(|(.., case)| case.clone()).collect();
        if cases.is_empty() { Ok(Vec::new()) } else { execute(&mut self.worker, &cases, false) }
    }
}

/// What the tests of the method cover, without the one at `own`.
fn covered_by_others(tests: &[AssertedTest], covered: &[CoveredGoals], own: usize, method: &MethodRef) -> CoveredGoals {
    let is_other = |(other, test): &(usize, &AssertedTest)| *other != own && test.target.as_ref() == Some(method);
    CoveredGoals::union(tests.iter().enumerate().filter(is_other).map(|(other, _)| &covered[other]))
}

/// The calls before the last one whose results nothing uses, and no assertion states where `are_chosen`.
fn unread_calls(test: &AssertedTest, are_chosen: bool) -> Vec<(u32, &MethodRef)> {
    let call = |at: u32| match &test.test.statement(VarId(at)).kind {
        StatementKind::Call { method, .. } if is_unread(test, at, are_chosen) => Some((at, method)),
        _ => None,
    };
    (0..test.acted.saturating_sub(1)).filter_map(call).collect()
}

fn is_unread(test: &AssertedTest, at: u32, are_chosen: bool) -> bool {
    let mut stated = test.assertions.iter().filter(|_| are_chosen);
    test.test.users(VarId(at)).next().is_none()
        && !stated.any(|assertion| assertion.subject == VarId(at) || assertion.fact.others().contains(&VarId(at)))
}

/// The calls before the last one that return a value which nothing uses, and no assertion states where `are_chosen`.
/// Nor is there a later statement that uses what the call may have changed.
fn ignored_calls(test: &AssertedTest, are_chosen: bool) -> Vec<(u32, &MethodRef)> {
    let last = test.acted.saturating_sub(1);
    let is_seen_later = |at: u32| {
        let kind = &test.test.statement(VarId(at)).kind;
        let objects = kind.uses().into_iter().filter(|used| test.test.type_of(*used).is_reference());
        let mut objects = objects.filter(|used| test.test.literal(*used).is_none());
        let later = &test.test.statements[at as usize + 1..];
        objects.any(|object| later.iter().any(|statement| statement.kind.uses().contains(&object)))
    };
    let call = |at: u32| match &test.test.statement(VarId(at)).kind {
        StatementKind::Call { method, .. }
            if method.return_type() != JavaType::Void && is_unread(test, at, are_chosen) && !is_seen_later(at) =>
        {
            Some((at, method))
        }
        _ => None,
    };
    (0..last).filter_map(call).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_is_ignored_where_neither_a_statement_nor_an_assertion_looks_at_its_result() {
        let text = "\
target p/Causes.message (Lp/Cause;)Ljava/lang/String;
acted 5
v0: Lp/Cause; = new p/Cause.<init> ()V ()
v1: Lp/Cause; = call method p/Causes.root (Lp/Cause;)Lp/Cause; (v0)
v2: Lp/Cause; = new p/Cause.<init> ()V ()
v3: V = call method p/Cause.open ()V on v2 ()
v4: Ljava/lang/String; = call method p/Causes.message (Lp/Cause;)Ljava/lang/String; (v2)
assert v4 equals string \"\"
";
        let ignored = |text: &str| -> Vec<u32> {
            ignored_calls(&text.parse().expect("well-formed"), true).into_iter().map(|(at, _)| at).collect()
        };
        assert_eq!(ignored(text), [1]);
        assert_eq!(ignored(&text.replace("String; (v2)", "String; (v0)")), [0_u32; 0], "it may have changed the object");
        assert_eq!(ignored(&text.replace("String; (v2)", "String; (v1)")), [0_u32; 0]);
        let stated = text.replace("assert v4 equals string \"\"\n", "assert v1 same v0\n");
        assert_eq!(ignored(&stated), [0_u32; 0]);
        let unread = |text: &str| -> Vec<u32> {
            unread_calls(&text.parse().expect("well-formed"), true).into_iter().map(|(at, _)| at).collect()
        };
        assert_eq!(unread(&text.replace("String; (v2)", "String; (v0)")), [1, 3]);
        assert_eq!(unread(&stated), [3]);
    }
}
