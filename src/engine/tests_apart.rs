//! Tests and their beginnings: what an earlier call shows belongs to a test that ends with it.
//!
//! In: tests, and the methods that a test may end with. Out: the tests together with shorter ones. Must not
//! know which of them are kept.

use std::collections::{BTreeMap, BTreeSet};

use super::observation::execute;
use crate::execution::{Execution, RunEnd};
use crate::jvm::{JvmError, SearchWorker};
use crate::oracle::AssertedTest;
use crate::program::{ClassName, Cluster, MethodRef};
use crate::search::{GoalId, GoalRegistry, SuiteTest, beginnings};
use crate::testcase::{StatementKind, TestCase};

/// Methods of collections and maps of the JDK that change them.
const CHANGES: [&str; 10] = ["add", "addAll", "addFirst", "addLast", "put", "putAll", "remove", "removeAll", "clear", "set"];

/// Tests, and the tests that they begin with.
pub(super) struct TestsApart {
    pub(super) tests: Vec<(TestCase, Execution)>,
    /// By the place of a test: the place of the longest one that it begins with.
    pub(super) begins_with: BTreeMap<usize, usize>,
}

impl TestsApart {
    /// The tests with those that end with their earlier calls that are `worth` a test, and the number of runs that
    /// this took.
    ///
    /// Fails where the worker cannot be kept running.
    pub(super) fn with_beginnings(
        tests: Vec<(TestCase, Execution)>,
        goals: &GoalRegistry,
        is_worth: &dyn Fn(&TestCase, &MethodRef) -> bool,
        worker: &mut SearchWorker,
    ) -> Result<(TestsApart, u64), JvmError> {
        let of_test = |(place, (test, _)): (usize, &(TestCase, Execution))| {
            beginnings(test, |method| is_worth(test, method)).into_iter().map(move |shorter| (place, shorter))
        };
        let (places, cases): (Vec<usize>, Vec<TestCase>) = tests.iter().enumerate().flat_map(of_test).unzip();
        let mut apart = TestsApart { tests, begins_with: BTreeMap::new() };
        let executions = execute(worker, &cases, false)?;
        let runs = cases.len() as u64;
        for ((place, test), execution) in places.into_iter().zip(cases).zip(executions) {
            if execution.end == RunEnd::Completed {
                apart.add_beginning(place, (test, execution), goals, is_worth);
            }
        }
        Ok((apart, runs))
    }

    /// Adds a test that the one at `place` begins with, longer than those added before. It takes that place
    /// where the other test ends with something else than a call that is `worth` a test, and covers nothing
    /// more by that.
    pub(super) fn add_beginning(
        &mut self,
        place: usize,
        beginning: (TestCase, Execution),
        goals: &GoalRegistry,
        is_worth: &dyn Fn(&TestCase, &MethodRef) -> bool,
    ) {
        let (test, execution) = &self.tests[place];
        let covered: BTreeSet<GoalId> = goals.covered_by(&beginning.0, &beginning.1).into_iter().collect();
        let is_enough =
            || goals.covered_by(test, execution).iter().all(|goal| !goals.is_required(*goal) || covered.contains(goal));
        if !ends_with_call(test, is_worth) && is_enough() {
            self.tests[place] = beginning;
            return;
        }
        let added = self.tests.len();
        self.tests.push(beginning);
        if let Some(shorter) = self.begins_with.insert(place, added) {
            self.begins_with.insert(added, shorter);
        }
    }

    /// Which of the chosen tests begin with another one of them, with the longest, by their places among these.
    pub(super) fn beginnings_among(&self, chosen: &[SuiteTest]) -> BTreeMap<usize, usize> {
        let position = |place: usize| chosen.iter().position(|other| other.index == place);
        let longest = |long: usize| {
            let shorter = std::iter::successors(self.begins_with.get(&long), |short| self.begins_with.get(short));
            shorter.copied().find_map(position)
        };
        (0..chosen.len()).filter_map(|place| Some((place, longest(chosen[place].index)?))).collect()
    }
}

/// Whether the test may end with a call of the method: one of the class under test, or one that it inherits
/// where the test calls no other.
pub(super) fn is_worth_a_test(cluster: &Cluster, goals: &GoalRegistry, test: &TestCase, method: &MethodRef) -> bool {
    let is_own = |method: &MethodRef| goals.method_id(method).is_some() && !cluster.program().is_plain_accessor(method);
    let is_inherited = || cluster.under_test.iter().any(|id| cluster.callable(*id).method == *method);
    let is_called = |kind: &StatementKind| matches!(kind, StatementKind::Call { method, .. } if is_own(method));
    is_own(method) || is_inherited() && !test.statements.iter().any(|statement| is_called(&statement.kind))
}

/// The tests, and in front of each that ends with something else than a call that is `worth` a test, its
/// beginning up to the last such call: what comes behind may show nothing of the class. A change of a list that a
/// call returned never does, unless the class is such a list.
pub(super) fn with_early_ends(
    tests: Vec<TestCase>,
    is_worth: &dyn Fn(&TestCase, &MethodRef) -> bool,
    is_list: &dyn Fn(&ClassName) -> bool,
) -> Vec<TestCase> {
    let with_early_end = |test: TestCase| {
        let early =
            if ends_with_call(&test, is_worth) { None } else { beginnings(&test, |method| is_worth(&test, method)).pop() };
        let whole = if early.is_some() && ends_with_change(&test, is_list) { None } else { Some(test) };
        early.into_iter().chain(whole)
    };
    tests.into_iter().flat_map(with_early_end).collect()
}

/// The tests, and in front of each that has several parts, those parts that call a method under test.
pub(super) fn with_parts(tests: Vec<TestCase>, is_own: &dyn Fn(&MethodRef) -> bool) -> Vec<TestCase> {
    tests.into_iter().flat_map(|test| own_parts(&test, is_own).into_iter().chain([test])).collect()
}

/// The tests, where each that has several parts gives its place to the last of them, and the others stand behind all
/// tests. A test stays whole where its parts do not reach the same goals.
///
/// Fails where the worker cannot be kept running.
pub(super) fn with_parts_apart(
    mut tests: Vec<(TestCase, Execution)>,
    goals: &GoalRegistry,
    worker: &mut SearchWorker,
) -> Result<Vec<(TestCase, Execution)>, JvmError> {
    let is_own = |method: &MethodRef| goals.method_id(method).is_some();
    let parts: Vec<Vec<TestCase>> = tests.iter().map(|(test, _)| own_parts(test, &is_own)).collect();
    let mut executions = execute(worker, &parts.concat(), false)?.into_iter();
    for (place, parts) in parts.into_iter().enumerate() {
        let mut ran: Vec<(TestCase, Execution)> = parts.into_iter().zip(executions.by_ref()).collect();
        let of_run = |(test, execution): &(TestCase, Execution)| goals.covered_by(test, execution);
        let reached: BTreeSet<GoalId> = ran.iter().flat_map(of_run).collect();
        // Two calls may take one outcome of a pair each.
        let is_shown = |goal: &GoalId| !goals.is_required(*goal) || goals.is_pair(*goal) || reached.contains(goal);
        let is_enough = of_run(&tests[place]).iter().all(is_shown);
        if let Some(last) = ran.pop().filter(|_| is_enough) {
            tests[place] = last;
            tests.extend(ran);
        }
    }
    Ok(tests)
}

/// The parts of a test that call a method under test; none where the test is one part.
fn own_parts(test: &TestCase, is_own: &dyn Fn(&MethodRef) -> bool) -> Vec<TestCase> {
    let calls_own = |part: &TestCase| part.called_methods().any(is_own);
    let mut parts = test.parts();
    if parts.len() < 2 {
        parts.clear();
    }
    parts.retain(calls_own);
    parts
}

/// Removes from what each test shows what another test shows that makes the same calls as a part of it: two parts that
/// have no object in common read best as two tests. `shown`: one element a test.
pub(super) fn leave_out_parts(tests: &[AssertedTest], shown: &mut [BTreeSet<u32>]) {
    let of_part = |part: &TestCase| part.called_methods().cloned().collect::<Vec<MethodRef>>();
    let acted = |test: &AssertedTest| {
        let mut acted = test.test.clone();
        acted.truncate(test.acted as usize);
        acted
    };
    let parts = tests.iter().map(|test| acted(test).parts().iter().map(of_part).collect());
    let parts: Vec<Vec<Vec<MethodRef>>> = parts.collect();
    for (place, own) in parts.iter().enumerate().filter(|(_, own)| own.len() > 1) {
        for other in (0..tests.len()).filter(|other| *other != place) {
            let [calls] = parts[other].as_slice() else { continue };
            if own[..own.len() - 1].contains(calls) {
                let elsewhere = shown[other].clone();
                shown[place].retain(|thing| !elsewhere.contains(thing));
            }
        }
    }
}

/// Whether a class under test is one of these collections of the JDK, or a class in it is.
pub(super) fn is_own_collection(cluster: &Cluster, collection: &ClassName) -> bool {
    cluster.classes.iter().any(|class| cluster.program().is_subclass(class, collection))
}

/// Whether the last statement changes a collection or map of the JDK that is none of the classes under test.
fn ends_with_change(test: &TestCase, is_own: &dyn Fn(&ClassName) -> bool) -> bool {
    let Some(StatementKind::Call { method, receiver: Some(_), .. }) = test.statements.last().map(|last| &last.kind) else {
        return false;
    };
    method.owner.package() == "java/util" && CHANGES.contains(&&*method.name) && !is_own(&method.owner)
}

/// Whether the last statement is a call that is worth a test.
fn ends_with_call(test: &TestCase, is_worth: &dyn Fn(&TestCase, &MethodRef) -> bool) -> bool {
    let last = test.statements.last().map(|statement| &statement.kind);
    matches!(last, Some(StatementKind::Call { method, .. }) if is_worth(test, method))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_test_that_ends_elsewhere_has_an_earlier_end() {
        let call = "v0: LT; = new T.<init> ()V ()\nv1: Ljava/util/List; = call method T.list ()Ljava/util/List; on v0 ()\n";
        let elsewhere = format!("{call}v2: V = call interface-method java/util/List.clear ()V on v1 ()\n");
        let is_worth = |_: &TestCase, method: &MethodRef| method.owner.internal() == "T";
        let ends = |text: &str| -> Vec<String> {
            let test: TestCase = text.parse().expect("well-formed");
            with_early_ends(vec![test], &is_worth, &|class| class.internal() == "java/util/Deque")
                .iter()
                .map(TestCase::to_string)
                .collect()
        };
        assert_eq!(ends(&elsewhere), [call]);
        for kept in ["Deque.clear", "List.size"] {
            let kept = elsewhere.replace("List.clear", kept);
            assert_eq!(ends(&kept), [call, &kept]);
        }
        let elsewhere = elsewhere.replace("interface-method java/util/List.clear ()V on v1 ()", "method Other.open ()V ()");
        assert_eq!(ends(&elsewhere), [call, &elsewhere]);
        assert_eq!(ends(call), [call]);
    }

    #[test]
    fn parts_that_call_the_class_become_tests() {
        let [first, last] = ["of", "to"].map(|name| format!("LT; = call method T.{name} ()LT; ()\n"));
        let elsewhere = "LT; = call method Other.of ()LT; ()\n";
        let ends = |text: &str| -> Vec<String> {
            let test: TestCase = text.parse().expect("well-formed");
            with_parts(vec![test], &|method| method.owner.internal() == "T").iter().map(TestCase::to_string).collect()
        };
        let both = format!("v0: {first}v1: {last}");
        assert_eq!(ends(&both), [format!("v0: {first}"), format!("v0: {last}"), both.clone()]);
        let with_other = format!("v0: {elsewhere}v1: {last}");
        assert_eq!(ends(&with_other), [format!("v0: {last}"), with_other.clone()]);
        assert_eq!(ends(&format!("v0: {last}")), [format!("v0: {last}")]);
    }

    #[test]
    fn what_a_part_shows_counts_for_the_test_of_that_part() {
        let [of, to] = ["of", "to"].map(|name| format!("LT; = call method T.{name} ()LT; ()\n"));
        let acted = |calls: &[&String]| -> AssertedTest {
            let lines = calls.iter().enumerate().map(|(place, call)| format!("v{place}: {call}"));
            format!("acted {}\n{}", calls.len(), lines.collect::<String>()).parse().expect("well-formed")
        };
        let left = |tests: &[AssertedTest]| {
            let mut shown: Vec<BTreeSet<u32>> = vec![BTreeSet::from([1, 2]), BTreeSet::from([1])];
            leave_out_parts(tests, &mut shown);
            shown[0].len()
        };
        assert_eq!(left(&[acted(&[&of, &to]), acted(&[&of])]), 1);
        assert_eq!(left(&[acted(&[&of, &to]), acted(&[&to])]), 2, "the last part is what the test is about");
        assert_eq!(left(&[acted(&[&of]), acted(&[&of])]), 2);
    }

    #[test]
    fn a_beginning_takes_the_place_of_a_test_that_only_goes_on_elsewhere() {
        let call = "v0: LT; = new T.<init> ()V ()\nv1: Ljava/util/List; = call method T.list ()Ljava/util/List; on v0 ()\n";
        let goals = GoalRegistry::new(Vec::new(), |_| true);
        let is_worth = |_: &TestCase, method: &MethodRef| method.owner.internal() == "T";
        let with_beginning = |behind: &str| -> Vec<String> {
            let ran = |text: &str| -> (TestCase, Execution) {
                (text.parse().expect("well-formed"), Execution::without_measurements(RunEnd::Completed))
            };
            let mut apart = TestsApart { tests: vec![ran(&format!("{call}{behind}"))], begins_with: BTreeMap::new() };
            apart.add_beginning(0, ran(call), &goals, &is_worth);
            let expected = if apart.tests.len() > 1 { BTreeMap::from([(1, 0)]) } else { BTreeMap::new() };
            let chosen = [1, 0].map(|index| SuiteTest { index, goals: Vec::new() });
            assert_eq!(apart.beginnings_among(&chosen), expected);
            apart.tests.iter().map(|(test, _)| test.to_string()).collect()
        };
        assert_eq!(with_beginning("v2: V = call interface-method java/util/List.clear ()V on v1 ()\n"), [call]);
        let again = "v2: Ljava/util/List; = call method T.list ()Ljava/util/List; on v0 ()\n";
        assert_eq!(with_beginning(again), [format!("{call}{again}"), call.to_owned()]);
    }
}
