//! Lists of a test in their shortest form.
//!
//! In: an asserted test, and a list that it fills. Out: the test with `Arrays.asList(..)` in its place.
//! Whether the code under test changes the list has to be found by running it. Must not know JVMs.

use super::AssertedTest;
use crate::program::{ClassName, JavaType, MethodRef};
use crate::testcase::{AnswerOutcome, Literal, StatementKind, TestCase, VarId};

/// Lists that a test makes empty.
const LISTS: [&str; 3] = ["java/util/ArrayList", "java/util/LinkedList", "java/util/Vector"];
/// What takes any list.
const SUPERTYPES: [&str; 4] = ["java/util/List", "java/util/Collection", "java/lang/Iterable", "java/lang/Object"];
/// More elements are easier to read one below the other.
const MOST_ELEMENTS: usize = 4;

impl AssertedTest {
    /// The test with `Arrays.asList(a, b)` in place of a list that it makes empty and fills by `add`. `None`
    /// for other values, where the class of the list matters, and for a test that puts state back.
    pub(crate) fn with_listed_elements(&self, list: VarId) -> Option<AssertedTest> {
        if self.undoing > 0 || !self.resets.is_empty() || self.is_mentioned(list) {
            return None;
        }
        let StatementKind::Construct { constructor, args } = &self.test.statement(list).kind else { return None };
        if !args.is_empty() || !LISTS.contains(&constructor.owner.internal()) {
            return None;
        }
        let (mut adds, mut elements, mut is_used) = (Vec::new(), Vec::new(), false);
        for (index, statement) in self.test.statements.iter().enumerate().skip(list.index() + 1) {
            if !statement.kind.uses().contains(&list) {
                continue;
            }
            match self.added(VarId(index as u32), list) {
                Some(element) if !is_used => {
                    adds.push(index);
                    elements.push(element);
                }
                _ if takes_any_list(&statement.kind, list) => is_used = true,
                _ => return None,
            }
        }
        let is_null = matches!(elements[..], [only] if self.test.literal(only) == Some(&Literal::Null));
        let at = *adds.last().filter(|_| is_used && !is_null && adds.len() <= MOST_ELEMENTS)? as u32 + 1;
        let mut inserted = TestCase::default();
        // An array of another type than that of its elements would make the list one of objects.
        let element = self.test.type_of(*elements.first()?).clone();
        if elements.iter().any(|other| *self.test.type_of(*other) != element) {
            return None;
        }
        let ty = JavaType::parse(&format!("[{element}"))?;
        inserted.push(StatementKind::Array { element, length: elements.len() as u32, elements }, ty);
        let as_list = MethodRef::new(ClassName::new("java/util/Arrays"), "asList", "([Ljava/lang/Object;)Ljava/util/List;");
        inserted.push_static_call(&as_list, vec![VarId(at)]);
        let mut changed = self.with_statements(at, inserted.statements);
        changed.test.replace_uses(list, VarId(at + 1), at as usize + 2);
        let keep: Vec<bool> = (0..changed.test.len()).map(|index| index != list.index() && !adds.contains(&index)).collect();
        Some(changed.keeping(&keep))
    }

    /// The element that the statement adds to the list, where nothing else needs the call.
    fn added(&self, statement: VarId, list: VarId) -> Option<VarId> {
        let StatementKind::Call { method, receiver, args, .. } = &self.test.statement(statement).kind else { return None };
        let is_add = &*method.name == "add" && &*method.descriptor == "(Ljava/lang/Object;)Z" && *receiver == Some(list);
        let is_needed =
            self.is_mentioned(statement) || statement.0 + 1 >= self.acted || self.test.users(statement).next().is_some();
        args.first().copied().filter(|element| is_add && !is_needed && *element != list)
    }

    /// Whether an assertion is about the variable, or compares something with it.
    pub(crate) fn is_mentioned(&self, variable: VarId) -> bool {
        let mentions =
            |assertion: &super::Assertion| assertion.subject == variable || assertion.fact.others().contains(&variable);
        self.assertions.iter().any(mentions)
    }
}

/// Whether each use of the list by the statement takes any other list as well.
fn takes_any_list(kind: &StatementKind, list: VarId) -> bool {
    let takes = |ty: &JavaType| matches!(ty, JavaType::Class(class) if SUPERTYPES.contains(&class.internal()));
    let is_given = |method: &MethodRef, args: &[VarId]| {
        method.parameters().iter().zip(args).filter(|(_, arg)| **arg == list).all(|(parameter, _)| takes(parameter))
    };
    match kind {
        StatementKind::Construct { constructor, args } => is_given(constructor, args),
        StatementKind::Call { method, receiver, args, .. } => *receiver != Some(list) && is_given(method, args),
        StatementKind::PutField { field, receiver, .. } => *receiver != Some(list) && takes(&field.field_type()),
        StatementKind::Array { element, .. } => takes(element),
        StatementKind::Stub { answers, .. } => answers.iter().all(|answer| {
            let is_returned = answer.outcomes.contains(&AnswerOutcome::Returns(list));
            !answer.arguments.contains(&Some(list)) && (!is_returned || takes(&answer.method.return_type()))
        }),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEST: &str = "\
target p/Foo.sum (Ljava/util/List;)I
v0: Ljava/util/LinkedList; = new java/util/LinkedList.<init> ()V ()
v1: Lp/Item; = new p/Item.<init> ()V ()
v2: Z = call method java/util/LinkedList.add (Ljava/lang/Object;)Z on v0 (v1)
v3: Z = call method java/util/LinkedList.add (Ljava/lang/Object;)Z on v0 (v1)
v4: I = call method p/Foo.sum (Ljava/util/List;)I (v0)
assert v4 equals int 2
";

    fn listed(text: &str) -> Option<String> {
        let test: AssertedTest = text.parse().expect("well-formed");
        test.with_listed_elements(VarId(0)).map(|test| test.to_string())
    }

    #[test]
    fn a_list_that_is_only_filled_is_made_of_its_elements() {
        let expected = "\
target p/Foo.sum (Ljava/util/List;)I
v0: Lp/Item; = new p/Item.<init> ()V ()
v1: [Lp/Item; = array Lp/Item; 2 (v0, v0)
v2: Ljava/util/List; = call method java/util/Arrays.asList ([Ljava/lang/Object;)Ljava/util/List; (v1)
v3: I = call method p/Foo.sum (Ljava/util/List;)I (v2)
assert v3 equals int 2
";
        assert_eq!(listed(TEST).as_deref(), Some(expected));
    }

    #[test]
    fn a_list_whose_class_or_state_matters_stays() {
        let of_class = TEST.replace("p/Foo.sum (Ljava/util/List;)I", "p/Foo.sum (Ljava/util/LinkedList;)I");
        assert_eq!(listed(&of_class), None);
        assert_eq!(listed(&TEST.replace("assert v4 equals int 2", "assert v3 equals true")), None);
        let emptied = TEST.replace(
            "v3: Z = call method java/util/LinkedList.add (Ljava/lang/Object;)Z on v0 (v1)",
            "v3: V = call method java/util/LinkedList.clear ()V on v0 ()",
        );
        assert_eq!(listed(&emptied), None);
    }
}
