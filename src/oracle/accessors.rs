//! Joins two tests of getters and setters into one.
//!
//! In: two asserted tests, and which methods only read or write a field. Out: where both make the
//! same object, one test that first calls the setters of both and then has the assertions of both.
//! The caller has to run it: the two may set one field to different values. Must not know JVMs.

use super::{AssertedTest, Fact};
use crate::program::MethodRef;
use crate::testcase::{Statement, StatementKind, TestCase, VarId};

/// Methods that a test is not named after.
const OF_EVERY_OBJECT: [&str; 2] = ["toString", "hashCode"];

/// Whether a method only reads or writes a field.
pub(crate) type IsAccessor<'a> = &'a dyn Fn(&MethodRef) -> bool;

/// A test of accessors, taken apart.
struct AccessorTest<'t> {
    test: &'t AssertedTest,
    object: VarId,
    /// For each statement, whether it makes the object.
    makes: Vec<bool>,
    /// The statements that make the object.
    making: TestCase,
}

/// The statements of several tests, while they are put together.
struct JoinedTest {
    test: TestCase,
    acted: u32,
    /// Inspectors of earlier tests.
    inspectors: Vec<VarId>,
    assertions: Vec<super::Assertion>,
}

/// One test in place of two; `None` where one is no test of accessors alone, or where they make
/// different objects.
pub(crate) fn joined(first: &AssertedTest, second: &AssertedTest, is_accessor: IsAccessor<'_>) -> Option<AssertedTest> {
    let parts = [AccessorTest::of(first, is_accessor)?, AccessorTest::of(second, is_accessor)?];
    if parts[0].making != parts[1].making {
        return None;
    }
    let mut joined = JoinedTest { test: parts[0].making.clone(), acted: 0, inspectors: Vec::new(), assertions: Vec::new() };
    let mut numbers: Vec<Vec<Option<VarId>>> = parts.iter().map(AccessorTest::numbers_of_making).collect();
    for (part, numbers) in parts.iter().zip(&mut numbers) {
        for index in part.acting() {
            joined.push(part.statement(index), index, numbers);
        }
    }
    joined.acted = joined.test.len() as u32;
    for (part, numbers) in parts.iter().zip(&mut numbers) {
        for index in part.inspecting() {
            joined.push_inspector(part.statement(index), index, numbers);
        }
        joined.assert(part.test, numbers)?;
    }
    joined.assertions.sort_by_key(|assertion| assertion.subject);
    let whole = AssertedTest {
        acted: joined.acted,
        assertions: joined.assertions,
        target: first.target.clone(),
        ..AssertedTest::without_assertions(joined.test)
    };
    Some(whole.without_unused())
}

/// Whether the test calls nothing but accessors on its object.
pub(super) fn is_of_accessors(test: &AssertedTest, is_accessor: IsAccessor<'_>) -> bool {
    AccessorTest::of(test, is_accessor).is_some()
}

/// The test of a getter as a test of another method that its assertions call on the same object. A computed
/// value says more than a stored one. `None` where no assertion calls such a method, and where another
/// statement or fact uses one of the two results.
pub(crate) fn told_by_computation(test: &AssertedTest, is_accessor: IsAccessor<'_>) -> Option<AssertedTest> {
    let is_plain = test.expected.is_none() && test.fault.is_none() && test.undoing == 0 && test.resets.is_empty();
    let asked = |index: u32| match &test.test.statements.get(index as usize)?.kind {
        StatementKind::Call { method, receiver: Some(receiver), args, .. } if args.is_empty() => Some((method, *receiver)),
        _ => None,
    };
    let last = test.acted.checked_sub(1)?;
    let (getter, object) = asked(last).filter(|(getter, _)| is_plain && is_accessor(getter))?;
    let is_used = |index: u32| {
        let of_fact = |assertion: &super::Assertion| assertion.fact.others().contains(&VarId(index));
        test.test.users(VarId(index)).next().is_some() || test.assertions.iter().any(of_fact)
    };
    let is_stated = |index: u32| {
        let states = |assertion: &super::Assertion| assertion.subject.0 == index && matches!(assertion.fact, Fact::Equals(_));
        test.assertions.iter().any(states)
    };
    let computes = |index: &u32| {
        asked(*index).is_some_and(|(method, receiver)| {
            let is_own = method.owner == getter.owner && !OF_EVERY_OBJECT.contains(&&*method.name);
            receiver == object && is_own && !is_accessor(method)
        })
    };
    let inspectors = test.acted..test.test.len() as u32;
    let computed = inspectors.into_iter().find(|index| computes(index) && is_stated(*index) && !is_used(*index))?;
    if test.target.as_ref() != Some(getter) || is_used(last) {
        return None;
    }
    let mut told = test.clone();
    told.target = asked(computed).map(|(method, _)| method.clone());
    told.test.statements.swap(last as usize, computed as usize);
    for assertion in &mut told.assertions {
        assertion.subject = match assertion.subject {
            VarId(subject) if subject == last => VarId(computed),
            VarId(subject) if subject == computed => VarId(last),
            other => other,
        };
    }
    told.assertions.sort_by_key(|assertion| assertion.subject);
    Some(told)
}

impl<'t> AccessorTest<'t> {
    /// `None` where the test does more with its object than to call accessors.
    fn of(test: &'t AssertedTest, is_accessor: IsAccessor<'_>) -> Option<AccessorTest<'t>> {
        let is_plain = test.expected.is_none() && test.fault.is_none() && test.assumes.is_none() && test.undoing == 0;
        let has_calls = || test.assertions.iter().any(|assertion| matches!(assertion.fact, Fact::Called { .. }));
        if !is_plain || !test.resets.is_empty() || has_calls() || !test.target.as_ref().is_some_and(is_accessor) {
            return None;
        }
        let statements = &test.test.statements;
        let object = statements.iter().rev().find_map(|statement| accessed(&statement.kind, is_accessor))?;
        let makes = making_statements(test, object);
        let acts_plainly = statements[..test.acted as usize].iter().zip(&makes).all(|(statement, makes)| {
            *makes || !statement.kind.uses().contains(&object) || accessed(&statement.kind, is_accessor) == Some(object)
        });
        if !acts_plainly {
            return None;
        }
        let mut making = test.test.clone();
        making.retain(&makes);
        Some(AccessorTest { test, object, makes, making })
    }

    fn statement(&self, index: usize) -> &Statement {
        &self.test.test.statements[index]
    }

    /// The numbers that the statements which make the object have among each other.
    fn numbers_of_making(&self) -> Vec<Option<VarId>> {
        let mut next = 0;
        let number = |makes: &bool| {
            next += u32::from(*makes);
            makes.then(|| VarId(next - 1))
        };
        self.makes.iter().map(number).collect()
    }

    /// Statements that act, without those that make the object and without reads that only
    /// assertions need.
    fn acting(&self) -> Vec<usize> {
        let acted = self.test.acted as usize;
        (0..acted).filter(|&index| !self.makes[index] && !self.only_reads(index)).collect()
    }

    /// Reads that only assertions need, and inspectors.
    fn inspecting(&self) -> Vec<usize> {
        let all = self.test.test.len();
        (0..all).filter(|&index| index >= self.test.acted as usize || self.only_reads(index)).collect()
    }

    /// Whether the statement reads a field of the object for assertions.
    fn only_reads(&self, index: usize) -> bool {
        let StatementKind::Call { receiver, args, .. } = &self.statement(index).kind else { return false };
        let acted = &self.test.test.statements[..self.test.acted as usize];
        *receiver == Some(self.object)
            && args.is_empty()
            && acted.iter().all(|other| !other.kind.uses().contains(&VarId(index as u32)))
    }
}

impl JoinedTest {
    fn push(&mut self, statement: &Statement, index: usize, numbers: &mut [Option<VarId>]) {
        let renumbered = renumbered(statement, numbers);
        numbers[index] = Some(self.test.push(renumbered.kind, renumbered.ty));
    }

    /// As `push`, but once for each call.
    fn push_inspector(&mut self, statement: &Statement, index: usize, numbers: &mut [Option<VarId>]) {
        let renumbered = renumbered(statement, numbers);
        let known = self.inspectors.iter().copied().find(|known| *self.test.statement(*known) == renumbered);
        numbers[index] = known.or_else(|| {
            let variable = self.test.push(renumbered.kind, renumbered.ty);
            self.inspectors.push(variable);
            Some(variable)
        });
    }

    fn assert(&mut self, test: &AssertedTest, numbers: &[Option<VarId>]) -> Option<()> {
        for assertion in &test.assertions {
            let mut assertion = assertion.clone();
            assertion.subject = numbers[assertion.subject.index()]?;
            for other in assertion.fact.others_mut() {
                *other = numbers[other.index()]?;
            }
            if !self.assertions.contains(&assertion) {
                self.assertions.push(assertion);
            }
        }
        Some(())
    }
}

/// For each statement, whether it makes the object, or something that is put into its fields as a container does.
fn making_statements(test: &AssertedTest, object: VarId) -> Vec<bool> {
    let mut makes = test.test.definition_cone(object);
    let injects = |index: &u32| matches!(test.test.statement(VarId(*index)).kind, StatementKind::PutField { receiver: Some(on), .. } if on == object);
    for index in (0..test.acted).filter(injects) {
        let needed = test.test.definition_cone(VarId(index));
        makes.iter_mut().zip(needed).for_each(|(makes, needed)| *makes |= needed);
    }
    makes
}

/// The object on which an accessor is called.
fn accessed(kind: &StatementKind, is_accessor: IsAccessor<'_>) -> Option<VarId> {
    match kind {
        StatementKind::Call { method, receiver: Some(object), args, .. } if is_accessor(method) && !args.contains(object) => {
            Some(*object)
        }
        _ => None,
    }
}

fn renumbered(statement: &Statement, numbers: &[Option<VarId>]) -> Statement {
    let mut statement = statement.clone();
    statement.kind.for_each_use_mut(|used| {
        if let Some(number) = numbers[used.index()] {
            *used = number;
        }
    });
    statement
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_computation_names_the_test_of_a_getter() {
        let text = "\
target p/Count.getSum ()I
acted 2
v0: Lp/Count; = new p/Count.<init> ()V ()
v1: I = call method p/Count.getSum ()I on v0 ()
v2: Ljava/lang/String; = call method p/Count.summary ()Ljava/lang/String; on v0 ()
assert v1 equals int 0
assert v2 equals string \"nothing\"
";
        let is_accessor = |method: &MethodRef| method.name.starts_with("get");
        let told = |text: &str| told_by_computation(&text.parse().expect("well-formed"), &is_accessor);
        let expected = "\
target p/Count.summary ()Ljava/lang/String;
acted 2
v0: Lp/Count; = new p/Count.<init> ()V ()
v1: Ljava/lang/String; = call method p/Count.summary ()Ljava/lang/String; on v0 ()
v2: I = call method p/Count.getSum ()I on v0 ()
assert v1 equals string \"nothing\"
assert v2 equals int 0
";
        assert_eq!(told(text).map(|told| told.to_string()).as_deref(), Some(expected));
        assert_eq!(told(expected), None);
        assert_eq!(told(&text.replace("summary", "getText")), None);
        assert_eq!(told(&text.replace("assert v2 equals string \"nothing\"", "assert v2 not-null")), None);
    }

    const MAKING: &str = "v0: I = int 1\nv1: Lp/Bean; = new p/Bean.<init> (I)V (v0)\n";

    fn is_accessor(method: &MethodRef) -> bool {
        method.name.starts_with("get") || method.name.starts_with("set")
    }

    /// A test with all its statements but the last `inspectors`, which the assertions are about.
    fn test(statements: &str, inspectors: u32, target: &str) -> AssertedTest {
        let case: TestCase = format!("{MAKING}{statements}").parse().expect("well-formed");
        let count = case.len() as u32;
        let assertions = (count - inspectors.max(1)..count)
            .map(|subject| super::super::Assertion { subject: VarId(subject), fact: Fact::NotNull })
            .collect();
        let target = Some(MethodRef::new(crate::program::ClassName::new("p/Bean"), target, "()V"));
        AssertedTest { acted: count - inspectors, assertions, target, ..AssertedTest::without_assertions(case) }
    }

    fn name_test() -> AssertedTest {
        let statements = "v2: Ljava/lang/String; = string \"a\"\n\
             v3: V = call method p/Bean.setName (Ljava/lang/String;)V on v1 (v2)\n\
             v4: Ljava/lang/String; = call method p/Bean.getName ()Ljava/lang/String; on v1 ()\n";
        test(statements, 0, "getName")
    }

    fn size_test() -> AssertedTest {
        let statements = "v2: Ljava/lang/Object; = call method p/Bean.getSize ()Ljava/lang/Object; on v1 ()\n\
             v3: Ljava/lang/String; = call method p/Bean.getName ()Ljava/lang/String; on v1 ()\n";
        test(statements, 2, "getSize")
    }

    #[test]
    fn writes_come_first_and_each_read_once() {
        let joined = joined(&name_test(), &size_test(), &is_accessor).expect("one test");
        let expected = format!(
            "{MAKING}v2: Ljava/lang/String; = string \"a\"\n\
             v3: V = call method p/Bean.setName (Ljava/lang/String;)V on v1 (v2)\n\
             v4: Ljava/lang/String; = call method p/Bean.getName ()Ljava/lang/String; on v1 ()\n\
             v5: Ljava/lang/Object; = call method p/Bean.getSize ()Ljava/lang/Object; on v1 ()\n"
        );
        assert_eq!(joined.test.to_string(), expected);
        assert_eq!(joined.acted, 4);
        let subjects: Vec<u32> = joined.assertions.iter().map(|assertion| assertion.subject.0).collect();
        assert_eq!(subjects, [4, 5]);
    }

    #[test]
    fn fields_that_a_container_fills_belong_to_the_object() {
        let injected = |target: &str| {
            let text = format!(
                "target p/Desk.{target} ()Ljava/lang/String;\nacted 4\nv0: Lp/Desk; = new p/Desk.<init> ()V ()\n\
                 v1: Lp/Stocks; = mock p/Stocks ()\nv2: V = put p/Desk.stocks Lp/Stocks; on v0 value v1\n\
                 v3: Ljava/lang/String; = call method p/Desk.{target} ()Ljava/lang/String; on v0 ()\nassert v3 null\n"
            );
            text.parse::<AssertedTest>().expect("well-formed")
        };
        let joined = joined(&injected("getOrigin"), &injected("getName"), &is_accessor).expect("one test").to_string();
        assert!(joined.contains("v3: Ljava/lang/String; = call method p/Desk.getOrigin"), "{joined}");
        assert!(
            joined.contains("v4: Ljava/lang/String; = call method p/Desk.getName") && joined.contains("assert v4 null"),
            "{joined}"
        );
    }

    #[test]
    fn other_objects_and_other_calls_stay_apart() {
        let mut other = size_test();
        other.test = other.test.to_string().replace("int 1", "int 2").parse().expect("well-formed");
        assert!(joined(&name_test(), &other, &is_accessor).is_none());
        let mut other = size_test();
        other.test = other.test.to_string().replace("getSize", "computeSize").parse().expect("well-formed");
        other.acted = 3;
        assert!(joined(&name_test(), &other, &is_accessor).is_none());
        let other = AssertedTest { target: None, ..size_test() };
        assert!(joined(&name_test(), &other, &is_accessor).is_none());
    }
}
