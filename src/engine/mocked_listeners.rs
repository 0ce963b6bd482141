//! Mocks in place of objects that only listen.
//!
//! In: tests before they are observed, with their executions. Out: the tests, in which a mock stands where
//! an object was given for an interface that returns nothing, if they cover the same. Must not know what
//! is asserted later.
//!
//! A search gives a class that sends notes a `new LogNotifier()` as gladly as a mock. Only the mock tells
//! which notes were sent.

use std::collections::BTreeSet;

use super::covered_goals::covers_the_same;
use super::observation::execute;
use crate::execution::Execution;
use crate::jvm::{JvmError, SearchWorker};
use crate::program::{ClassName, Cluster, JavaType, Program};
use crate::search::GoalRegistry;
use crate::testcase::{StatementKind, StubKind, TestCase, VarId};

/// The tests with mocks for listeners: of the interfaces that some of the tests mock, and of those of the
/// project where tests can mock at all.
///
/// Fails where the worker cannot be kept running.
pub(super) fn with_mocked_listeners(
    tests: Vec<(TestCase, Execution)>,
    cluster: &Cluster,
    goals: &GoalRegistry,
    worker: &mut SearchWorker,
) -> Result<Vec<(TestCase, Execution)>, JvmError> {
    let program = cluster.program();
    let mocked: BTreeSet<ClassName> = tests.iter().flat_map(|(test, _)| test.mocks()).map(|(_, class)| class.clone()).collect();
    let may_mock = |class: &ClassName| mocked.contains(class) || cluster.has_mocks() && is_interface_of_project(program, class);
    let listens = |class: &ClassName| may_mock(class) && program.returns_nothing(class);
    let changed = tests.iter().enumerate().filter_map(|(place, (test, _))| Some((place, with_mocks(test, &listens)?)));
    let (places, changed): (Vec<usize>, Vec<TestCase>) = changed.unzip();
    let mut tests = tests;
    let executions = execute(worker, &changed, false)?;
    for (place, mocking) in places.into_iter().zip(changed.into_iter().zip(executions)) {
        if covers_the_same(goals, &tests[place], &mocking) {
            tests[place] = mocking;
        }
    }
    Ok(tests)
}

fn is_interface_of_project(program: &Program, class: &ClassName) -> bool {
    program.is_project(class) && program.class(class).is_some_and(|model| model.is_interface())
}

/// The test with a mock in place of each object that is only given for interfaces of listeners; `None`
/// without such an object.
fn with_mocks(test: &TestCase, listens: &dyn Fn(&ClassName) -> bool) -> Option<TestCase> {
    let mut changed = test.clone();
    for place in 0..test.statements.len() {
        let StatementKind::Construct { constructor, .. } = &test.statements[place].kind else { continue };
        let Some(interface) = only_interface(test, VarId(place as u32)) else { continue };
        if interface != constructor.owner && listens(&interface) {
            let statement = &mut changed.statements[place];
            statement.ty = JavaType::Class(interface.clone());
            statement.kind = StatementKind::Stub { class: interface, kind: StubKind::Mock, answers: Vec::new() };
        }
    }
    (changed != *test).then_some(changed)
}

/// The class that all takers of the object expect; `None` where they expect different ones, or where
/// the test does anything else with it.
fn only_interface(test: &TestCase, object: VarId) -> Option<ClassName> {
    let mut expected: BTreeSet<JavaType> = BTreeSet::new();
    for user in test.users(object) {
        match user {
            StatementKind::Call { receiver, .. } if *receiver == Some(object) => return None,
            StatementKind::Construct { constructor: method, args } | StatementKind::Call { method, args, .. } => {
                let taken = args.iter().zip(method.parameters()).filter(|(arg, _)| **arg == object);
                expected.extend(taken.map(|(_, parameter)| parameter));
            }
            StatementKind::PutField { field, value, receiver } if *value == object && *receiver != Some(object) => {
                expected.insert(field.field_type());
            }
            _ => return None,
        }
    }
    match expected.into_iter().collect::<Vec<_>>().as_slice() {
        [JavaType::Class(class)] => Some(class.clone()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The test with mocks for `p/Notifier`.
    fn changed(note: &str) -> Option<String> {
        let text = format!(
            "v0: Lp/LogNotifier; = new p/LogNotifier.<init> ()V ()\n\
             v1: Lp/Shop; = new p/Shop.<init> (Lp/Notifier;)V (v0)\n{note}"
        );
        let test: TestCase = text.parse().expect("well-formed");
        with_mocks(&test, &|class| class.internal() == "p/Notifier").map(|changed| changed.to_string())
    }

    #[test]
    fn an_object_that_is_only_given_for_a_listener_becomes_a_mock() {
        let put = "v2: V = put p/Shop.notifier Lp/Notifier; on v1 value v0\n";
        let expected = "v0: Lp/Notifier; = mock p/Notifier ()\nv1: Lp/Shop; = new p/Shop.<init> (Lp/Notifier;)V (v0)\n";
        assert_eq!(changed("").as_deref(), Some(expected));
        assert_eq!(changed(put), Some(format!("{expected}{put}")));
    }

    #[test]
    fn an_object_with_another_use_stays() {
        assert_eq!(changed("v2: V = call method p/LogNotifier.flush ()V on v0 ()\n"), None);
        assert_eq!(changed("v2: V = call method p/Shop.log (Lp/LogNotifier;)V on v1 (v0)\n"), None);
        assert_eq!(changed("v2: V = put p/LogNotifier.level I on v0 value v0\n"), None);
    }
}
