//! Tests without some of their statements, and with others in their place.
//!
//! In: an asserted test and a statement. Out: the test without it, without what depends on it and
//! without the assertions about that; or with other arguments for it, or with writes of fields or a call
//! behind it.
//! Whether the rest still holds has to be found by running it. Must not know JVMs.

use std::collections::BTreeSet;

use super::{AssertedTest, Assertion, Fact};
use crate::program::{JavaType, MethodRef};
use crate::testcase::{Ingredient, Injected, Literal, Statement, StatementKind, TestCase, VarId, literal_type};

impl AssertedTest {
    /// The test without the statement at `index`. `None` where the call that the test is about
    /// depends on it, where nothing would be asserted any more, and for a test with statements that put state back.
    pub(crate) fn without_statement(&self, index: usize) -> Option<AssertedTest> {
        let acted = self.acted as usize;
        if index + 1 >= acted || self.undoing > 0 || self.gives_uncalled_mock(index) {
            return None;
        }
        let keep = self.test.independent_of(index);
        let assertions = self.assertions_about(&keep);
        let asserts_nothing = assertions.is_empty() && self.expected.is_none() && !self.assertions.is_empty();
        if !keep[acted - 1] || asserts_nothing {
            return None;
        }
        Some(AssertedTest { assertions, ..self.clone() }.keeping(&keep).without_unused())
    }

    /// The test that ends with this call: with what belongs to it of the statements before, and what is asserted of
    /// them.
    pub(crate) fn step(&self, call: VarId) -> AssertedTest {
        let mut keep = self.test.part_up_to(call);
        keep.resize(self.test.len(), false);
        let assertions = self.assertions_about(&keep);
        let target = self.test.statement(call).kind.called_method().cloned();
        let acted = call.0 + 1;
        AssertedTest { assertions, target, expected: None, acted, undoing: 0, ..self.clone() }.keeping(&keep)
    }

    /// The assertions that are about none but the statements marked in `keep`.
    fn assertions_about(&self, keep: &[bool]) -> Vec<Assertion> {
        let is_kept = |assertion: &&Assertion| {
            keep[assertion.subject.index()] && assertion.fact.others().iter().all(|other| keep[other.index()])
        };
        self.assertions.iter().filter(is_kept).cloned().collect()
    }

    /// Whether the statement makes or injects a mock that must not be called. A null in its place would end
    /// a wrong call as well, but no assertion would name the call.
    fn gives_uncalled_mock(&self, index: usize) -> bool {
        let given = match &self.test.statements[index].kind {
            StatementKind::Stub { .. } => VarId(index as u32),
            StatementKind::PutField { value, .. } => *value,
            _ => return false,
        };
        let is_absence = |assertion: &Assertion| matches!(assertion.fact, Fact::Called { times: 0, .. });
        self.assertions.iter().any(|assertion| assertion.subject == given && is_absence(assertion))
    }

    /// The test without every statement that may go; `None` where all have to stay.
    pub(crate) fn without_all_others(&self) -> Option<AssertedTest> {
        let mut shorter: Option<AssertedTest> = None;
        let mut index = self.acted as usize;
        while index > 0 {
            let test = shorter.as_ref().unwrap_or(self);
            index = (index - 1).min(test.acted as usize - 1);
            let without = test.without_statement(index);
            shorter = without.or(shorter);
        }
        shorter
    }

    /// The test that gives other arguments, by their positions, to the construction of `object`. Those of
    /// the `values` that nothing uses any more go.
    pub(crate) fn with_arguments(&self, object: VarId, exchanged: &[(usize, &Ingredient)], values: &[VarId]) -> AssertedTest {
        let at = object.0;
        let mut inserted = TestCase::default();
        let made: Vec<VarId> =
            exchanged.iter().map(|(_, ingredient)| VarId(at + inserted.push_ingredient(ingredient).0)).collect();
        let count = inserted.len() as u32;
        inserted.statements.iter_mut().for_each(|statement| statement.kind.for_each_use_mut(|used| used.0 += at));
        let mut changed = self.with_statements(at, inserted.statements);
        if let StatementKind::Construct { args, .. } = &mut changed.test.statements[(at + count) as usize].kind {
            exchanged.iter().zip(made).for_each(|((position, _), made)| args[*position] = made);
        }
        // The values stand before the object.
        let mut keep = vec![true; changed.test.len()];
        for value in values.iter().rev() {
            let is_used = |user: usize| keep[user] && changed.test.statements[user].kind.uses().contains(value);
            let is_kept = (0..changed.test.len()).any(is_used) || changed.is_mentioned(*value);
            keep[value.index()] = is_kept;
        }
        changed.keeping(&keep)
    }

    /// The test that also gives these fields of `object` something, directly behind its construction.
    pub(crate) fn with_fields(&self, object: VarId, fields: &[&Injected]) -> AssertedTest {
        let at = object.0 + 1;
        // The inserted statements follow what makes the object, which is the only thing before that they use.
        let mut inserted = TestCase::default();
        let values: Vec<VarId> = fields.iter().map(|injected| inserted.push_ingredient(&injected.part)).collect();
        inserted.statements.iter_mut().for_each(|statement| statement.kind.for_each_use_mut(|used| used.0 += at));
        for (injected, value) in fields.iter().zip(values) {
            inserted.push_write(object, &injected.field, VarId(value.0 + at));
        }
        self.with_statements(at, inserted.statements)
    }

    /// The test that also calls a method with a text or number on `object`, directly behind its construction.
    /// A number is boxed where the method takes an object.
    pub(crate) fn with_call(&self, object: VarId, method: &MethodRef, value: Literal) -> AssertedTest {
        let at = object.0 + 1;
        let mut inserted = TestCase::default();
        let ty = literal_type(&value);
        let mut argument = inserted.push(StatementKind::Literal(value), ty.clone());
        if let [JavaType::Class(class)] = &method.parameters()[..]
            && ty.is_primitive()
        {
            let descriptor = format!("({ty}){}", JavaType::Class(class.clone()));
            argument = inserted.push_static_call(&MethodRef::new(class.clone(), "valueOf", &descriptor), vec![VarId(at)]);
        }
        let args = vec![VarId(at + argument.0)];
        let call = StatementKind::Call { method: method.clone(), interface: false, receiver: Some(object), args };
        inserted.push(call, method.return_type());
        self.with_statements(at, inserted.statements)
    }

    /// The test in which no two arguments of calls are one literal, or one box that the JVM has one of, so that each
    /// can change alone. An argument that an assertion mentions stays as it is.
    pub(crate) fn with_separate_literals(&self) -> AssertedTest {
        let mut changed = self.clone();
        let mut used: BTreeSet<VarId> = BTreeSet::new();
        let mut at = 0;
        while at < changed.acted {
            let mut kind = changed.test.statement(VarId(at)).kind.clone();
            let mut copies: Vec<Statement> = Vec::new();
            if matches!(kind, StatementKind::Construct { .. } | StatementKind::Call { .. } | StatementKind::PutField { .. }) {
                kind.for_each_use_mut(|variable| {
                    if used.insert(*variable) || changed.is_mentioned(*variable) {
                        return;
                    }
                    let boxed = changed.test.literal_of_cached_box(*variable);
                    if !is_separable(changed.test.literal(boxed.unwrap_or(*variable))) {
                        return;
                    }
                    if let Some(literal) = boxed {
                        copies.push(changed.test.statement(literal).clone());
                    }
                    let mut copy = changed.test.statement(*variable).clone();
                    copy.kind.for_each_use_mut(|used| *used = VarId(at + copies.len() as u32 - 1));
                    copies.push(copy);
                    *variable = VarId(at + copies.len() as u32 - 1);
                });
            }
            let count = copies.len() as u32;
            if count > 0 {
                // The uses of the statement are numbered for its new place.
                changed.test.statements[at as usize].kind = StatementKind::Literal(Literal::Null);
                changed = changed.with_statements(at, copies);
                changed.test.statements[(at + count) as usize].kind = kind;
            }
            at += count + 1;
        }
        changed
    }

    /// The test with more statements in front of one of its own. Their uses are numbered for that place.
    pub(crate) fn with_statements(&self, at: u32, statements: Vec<Statement>) -> AssertedTest {
        let mut changed = self.clone();
        let count = statements.len() as u32;
        changed.test.insert(at as usize, statements);
        let moved = |variable: VarId| if variable.0 >= at { VarId(variable.0 + count) } else { variable };
        for assertion in &mut changed.assertions {
            assertion.subject = moved(assertion.subject);
            assertion.fact.others_mut().into_iter().for_each(|other| *other = moved(*other));
        }
        changed.relevance = changed.relevance.into_iter().map(|(variable, relevance)| (moved(variable), relevance)).collect();
        changed.acted += count;
        changed
    }
}

/// Whether several arguments may share the literal, and need not.
fn is_separable(literal: Option<&Literal>) -> bool {
    literal.is_some_and(|literal| !matches!(literal, Literal::Class(_) | Literal::Boolean(_)))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEST: &str = "\
target p/Foo.next (I)I
acted 6
v0: I = int 3
v1: Lp/Foo; = new p/Foo.<init> (I)V (v0)
v2: Lp/Foo; = new p/Foo.<init> (I)V (v0)
v3: V = call method p/Foo.clear ()V on v2 ()
v4: I = int 4
v5: I = call method p/Foo.next (I)I on v1 (v4)
v6: I = call method p/Foo.size ()I on v1 ()
v7: I = call method p/Foo.size ()I on v2 ()
assert v5 equals int 4
assert v6 equals int 1
assert v7 equals int 0
";

    fn without(index: usize) -> Option<String> {
        let test: AssertedTest = TEST.parse().expect("well-formed");
        test.without_statement(index).map(|test| test.to_string())
    }

    #[test]
    fn a_step_is_a_test_of_what_it_needs() {
        let text = "target p/Foo.next (I)I\nacted 6\nv0: I = int 3\nv1: Lp/Foo; = new p/Foo.<init> (I)V (v0)\n\
                    v2: Lp/Bar; = new p/Bar.<init> ()V ()\nv3: I = call method p/Bar.size ()I on v2 ()\n\
                    v4: I = call method p/Foo.size ()I on v1 ()\nv5: I = call method p/Foo.next (I)I on v1 (v0)\n\
                    assert v3 equals int 0\nassert v4 equals int 3\nthrows p/E\n";
        let test: AssertedTest = text.parse().expect("well-formed");
        let step = "target p/Foo.size ()I\nv0: I = int 3\nv1: Lp/Foo; = new p/Foo.<init> (I)V (v0)\n\
                    v2: I = call method p/Foo.size ()I on v1 ()\nassert v2 equals int 3\n";
        assert_eq!(test.step(VarId(4)).to_string(), step);
    }

    #[test]
    fn boxes_are_separated_with_their_numbers() {
        let boxed = "Ljava/lang/Integer; = call method java/lang/Integer.valueOf (I)Ljava/lang/Integer;";
        let text = format!("v0: I = int 3\nv1: {boxed} (v0)\nv2: V = call method p/Foo.put (LT;LT;)V (v1, v1)\n");
        let separate = text.parse::<AssertedTest>().expect("well-formed").with_separate_literals().test.to_string();
        let expected = format!(
            "v0: I = int 3\nv1: {boxed} (v0)\nv2: I = int 3\nv3: {boxed} (v2)\n\
             v4: V = call method p/Foo.put (LT;LT;)V (v1, v3)\n"
        );
        assert_eq!(separate, expected);
        let large = text.replace("int 3", "int 300");
        let kept = large.parse::<AssertedTest>().expect("well-formed").with_separate_literals().test.to_string();
        assert_eq!(kept, large, "two boxes of it are two objects");
    }

    #[test]
    fn a_mock_that_must_not_be_called_stays() {
        let with_mock = |times: u32| -> AssertedTest {
            let text = format!(
                "target p/Foo.next ()I\nacted 4\nv0: Lp/Foo; = new p/Foo.<init> ()V ()\nv1: Lp/Log; = mock p/Log ()\n\
                 v2: V = put p/Foo.log Lp/Log; on v0 value v1\nv3: I = call method p/Foo.next ()I on v0 ()\n\
                 assert v1 called {times} p/Log.write ()V ()\nassert v3 equals int 4\n"
            );
            text.parse().expect("well-formed")
        };
        assert!([1, 2].iter().all(|index| with_mock(0).without_statement(*index).is_none()));
        assert!([1, 2].iter().all(|index| with_mock(1).without_statement(*index).is_some()));
    }

    #[test]
    fn what_depends_on_a_statement_goes_with_it() {
        let shorter = without(2).expect("a shorter test");
        let expected = "\
target p/Foo.next (I)I
acted 4
v0: I = int 3
v1: Lp/Foo; = new p/Foo.<init> (I)V (v0)
v2: I = int 4
v3: I = call method p/Foo.next (I)I on v1 (v2)
v4: I = call method p/Foo.size ()I on v1 ()
assert v3 equals int 4
assert v4 equals int 1
";
        assert_eq!(shorter, expected);
    }

    #[test]
    fn what_the_call_does_not_need_goes_at_once() {
        let test: AssertedTest = TEST.parse().expect("well-formed");
        assert_eq!(test.without_all_others().map(|test| test.to_string()), without(2));
    }

    #[test]
    fn each_argument_gets_a_literal_of_its_own() {
        let test: AssertedTest = TEST.parse().expect("well-formed");
        let expected = "\
target p/Foo.next (I)I
acted 7
v0: I = int 3
v1: Lp/Foo; = new p/Foo.<init> (I)V (v0)
v2: I = int 3
v3: Lp/Foo; = new p/Foo.<init> (I)V (v2)
v4: V = call method p/Foo.clear ()V on v3 ()
v5: I = int 4
v6: I = call method p/Foo.next (I)I on v1 (v5)
v7: I = call method p/Foo.size ()I on v1 ()
v8: I = call method p/Foo.size ()I on v3 ()
assert v6 equals int 4
assert v7 equals int 1
assert v8 equals int 0
";
        let separate = test.with_separate_literals();
        assert_eq!(separate.to_string(), expected);
        assert_eq!(separate.with_separate_literals(), separate);
    }

    #[test]
    fn a_call_alone_may_go_and_the_call_under_test_stays() {
        let shorter = without(3).expect("a shorter test");
        assert!(!shorter.contains("clear") && shorter.contains("acted 5\n"), "{shorter}");
        assert_eq!([0, 1, 4, 5].map(without), [const { None }; 4]);
    }
}
