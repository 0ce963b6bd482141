//! Properties that a test leaves null, although its assertions show them.
//!
//! In: a test. Out: calls of setters to add to it, each with a text or a boxed number. Must not know
//! whether the test shows the same with them.
//!
//! A search sets no property that no branch asks for, and asserts `the SKU null is taken`. A person
//! gives an object what the code reads.

use super::typical_texts::{parameter_words, typical_texts};
use super::typical_values::NUMBER;
use crate::execution::Snapshot;
use crate::oracle::{Accessibility, ArgumentFact, AssertedTest, Fact};
use crate::program::{ClassName, ClassOrigin, JavaType, MethodModel, MethodRef, Program};
use crate::testcase::{Literal, StatementKind, VarId};

/// Properties of one test that are tried, at most.
const MOST_PROPERTIES: usize = 16;

/// A property that an object of a test could have.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct MissingProperty {
    /// Which of the objects that the test constructs.
    object: usize,
    setter: MethodRef,
    value: Literal,
}

impl MissingProperty {
    /// The test that sets the property right behind the construction of the object; `None` where it
    /// sets it already, or shows no null any more.
    pub(super) fn set_in(&self, test: &AssertedTest) -> Option<AssertedTest> {
        let (object, _) = constructed(test).nth(self.object)?;
        let is_open = count_nulls(test) > 0 && !is_called(test, object, &self.setter.name);
        is_open.then(|| test.with_call(object, &self.setter, unused_text(test, &self.value)))
    }
}

/// The text, with a number where another one of the test is the same: two objects have two names.
fn unused_text(test: &AssertedTest, value: &Literal) -> Literal {
    let Literal::Str(units) = value else { return value.clone() };
    let is_used = |literal: &Literal| (0..test.test.len() as u32).any(|other| test.test.literal(VarId(other)) == Some(literal));
    let numbered = (2..).map(|number: u32| {
        let number = number.to_string();
        Literal::Str(units.iter().copied().chain(number.encode_utf16()).collect())
    });
    std::iter::once(value.clone()).chain(numbered).find(|text| !is_used(text)).unwrap_or_else(|| value.clone())
}

/// The properties to try, in order. A test whose assertions show no null has none.
pub(super) fn missing_properties(access: &Accessibility<'_>, test: &AssertedTest) -> Vec<MissingProperty> {
    if count_nulls(test) == 0 {
        return Vec::new();
    }
    let mut found = Vec::new();
    for (place, (object, class)) in constructed(test).enumerate() {
        for setter in setters_of_nulls(access, class) {
            let value = value_for(access.program(), &setter).filter(|_| !is_called(test, object, &setter.name));
            found.extend(value.map(|value| MissingProperty { object: place, setter, value }));
        }
    }
    found.truncate(MOST_PROPERTIES);
    found
}

/// The objects that the test constructs before its last statement, with their classes.
fn constructed(test: &AssertedTest) -> impl Iterator<Item = (VarId, &ClassName)> {
    let own = test.test.statements.iter().enumerate().take((test.acted as usize).saturating_sub(1));
    own.filter_map(|(index, statement)| match &statement.kind {
        StatementKind::Construct { constructor, .. } => Some((VarId(index as u32), &constructor.owner)),
        _ => None,
    })
}

/// Whether the test calls a method of this name on the object.
fn is_called(test: &AssertedTest, object: VarId, name: &str) -> bool {
    test.test.statements.iter().any(|statement| {
        matches!(&statement.kind, StatementKind::Call { method, receiver, .. } if *receiver == Some(object) && &*method.name == name)
    })
}

/// A typical value for what the setter sets; `None` for other types than texts and boxed numbers.
fn value_for(program: &Program, setter: &MethodRef) -> Option<Literal> {
    let [JavaType::Class(class)] = &setter.parameters()[..] else { return None };
    match class.internal() {
        "java/lang/String" => {
            let words = parameter_words(program, setter).into_iter().next().flatten();
            let text = typical_texts(None, words.as_ref()).into_iter().next()?;
            Some(Literal::Str(text.encode_utf16().collect()))
        }
        "java/lang/Long" => Some(Literal::Long(i64::from(NUMBER))),
        "java/lang/Integer" => Some(Literal::Int(NUMBER)),
        _ => None,
    }
}

/// The setters that a test can call on objects of a project class, and that take one object.
fn setters_of_nulls(access: &Accessibility<'_>, class: &ClassName) -> Vec<MethodRef> {
    let is_setter = |method: &&MethodModel| {
        let property = method.name().strip_prefix("set");
        property.is_some_and(|property| property.starts_with(|c: char| c.is_ascii_uppercase()))
            && matches!(&method.parameters[..], [JavaType::Class(_)])
            && !method.is_static()
            && !method.access.is_synthetic()
            && access.can_use_method(method)
    };
    let mut found: Vec<MethodRef> = Vec::new();
    for ancestor in access.program().superclass_chain(class) {
        if ancestor.origin != ClassOrigin::Project {
            continue;
        }
        for setter in ancestor.methods.iter().filter(is_setter) {
            if !found.iter().any(|known| known.name == setter.reference.name) {
                found.push(MethodRef { owner: class.clone(), ..setter.reference.clone() });
            }
        }
    }
    found
}

/// How often the test asserts a null, or a text with that word.
pub(super) fn count_nulls(test: &AssertedTest) -> usize {
    let of_message = test.expected.as_ref().and_then(|expected| expected.message.as_deref()).map_or(0, words_of_null);
    let of_facts = test.assertions.iter().map(|assertion| match &assertion.fact {
        Fact::Null => usize::from(test.may_be_text(assertion.subject)),
        Fact::Equals(value) => nulls(value),
        Fact::Called { arguments, .. } => arguments.iter().map(nulls_of_argument).sum(),
        _ => 0,
    });
    of_message + of_facts.sum::<usize>()
}

fn nulls_of_argument(argument: &ArgumentFact) -> usize {
    match argument {
        ArgumentFact::Equals(value) => nulls(value),
        ArgumentFact::Captured(inspected) => inspected.iter().map(|(_, value)| nulls(value)).sum(),
        _ => 0,
    }
}

fn nulls(value: &Snapshot) -> usize {
    match value {
        Snapshot::Null => 1,
        Snapshot::Str(Some(units)) => words_of_null(units),
        Snapshot::Boxed(inner) => nulls(inner),
        Snapshot::Container(held) => held.elements.iter().map(nulls).sum(),
        Snapshot::Array { elements: Some(elements), .. } => elements.iter().map(nulls).sum(),
        _ => 0,
    }
}

fn words_of_null(units: &[u16]) -> usize {
    let text = String::from_utf16_lossy(units);
    text.split(|c: char| !c.is_alphanumeric()).filter(|word| *word == "null").count()
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEST: &str = "\
target p/Shop.open (Lp/Item;)V
acted 3
v0: Lp/Shop; = new p/Shop.<init> ()V ()
v1: Lp/Item; = new p/Item.<init> ()V ()
v2: V = call method p/Shop.open (Lp/Item;)V on v0 (v1)
v3: Ljava/lang/String; = call method p/Item.label ()Ljava/lang/String; on v1 ()
assert v3 equals string \"null / item\"
";

    fn test(text: &str) -> AssertedTest {
        text.parse().expect("well-formed")
    }

    #[test]
    fn nulls_are_counted_in_all_that_is_asserted() {
        let count = |fact: &str| count_nulls(&test(&TEST.replace("equals string \"null / item\"", fact)));
        assert_eq!(count("equals string \"null / item\""), 1);
        assert_eq!(count("equals string \"nullable\""), 0);
        assert_eq!([count("null"), count("equals int 4")], [1, 0]);
        assert_eq!(count("equals container list [null, string \"the null\"]"), 2);
    }

    #[test]
    fn a_property_is_set_behind_the_construction() {
        let setter = MethodRef::new(ClassName::new("p/Item"), "setName", "(Ljava/lang/String;)V");
        let text = Literal::Str("name".encode_utf16().collect());
        let property = MissingProperty { object: 1, setter, value: text };
        let changed = property.set_in(&test(TEST)).expect("a test with a name");
        let expected = "\
target p/Shop.open (Lp/Item;)V
acted 5
v0: Lp/Shop; = new p/Shop.<init> ()V ()
v1: Lp/Item; = new p/Item.<init> ()V ()
v2: Ljava/lang/String; = string \"name\"
v3: V = call method p/Item.setName (Ljava/lang/String;)V on v1 (v2)
v4: V = call method p/Shop.open (Lp/Item;)V on v0 (v1)
v5: Ljava/lang/String; = call method p/Item.label ()Ljava/lang/String; on v1 ()
assert v5 equals string \"null / item\"
";
        assert_eq!(changed.to_string(), expected);
        assert_eq!(property.set_in(&changed), None, "it is set");
        let other = MissingProperty { object: 0, ..property.clone() };
        let both = other.set_in(&changed).expect("a test with two names").to_string();
        assert!(both.contains("string \"name2\""), "{both}");
        let setter = MethodRef::new(ClassName::new("p/Item"), "setId", "(Ljava/lang/Long;)V");
        let number = MissingProperty { object: 1, setter, value: Literal::Long(2) };
        let changed = number.set_in(&test(TEST)).expect("a test with a number").to_string();
        let boxed = "v3: Ljava/lang/Long; = call method java/lang/Long.valueOf (J)Ljava/lang/Long; (v2)\n\
                     v4: V = call method p/Item.setId (Ljava/lang/Long;)V on v1 (v3)\n";
        assert!(changed.contains(boxed), "{changed}");
        assert_eq!(property.set_in(&test(&TEST.replace("null / item", "item"))), None, "no null is asserted");
    }
}
