//! Values that a test leaves null, although its assertions show them.
//!
//! In: a test. Out: calls of setters to add to it, each with a text or a boxed number, and texts and objects for its
//! mocks to answer with. Must not know whether the test shows the same with them.
//!
//! A search sets no property that no branch asks for, and asserts `the SKU null is taken`. It lets no mock
//! answer that no branch asks, and verifies `release(null)`. A person gives an object what the code reads.

use super::typical_texts::{answer_words, parameter_words, typical_texts, words_of};
use super::typical_values::NUMBER;
use crate::execution::Snapshot;
use crate::oracle::{Accessibility, ArgumentFact, AssertedTest, Fact};
use crate::program::{ClassName, ClassOrigin, JavaType, MethodModel, MethodRef, Program};
use crate::testcase::{Answer, Literal, StatementKind, StubKind, TestCase, VarId};

/// Properties and answers of one test that are tried, at most.
const MOST_PROPERTIES: usize = 16;
const MOST_ANSWERS: usize = 8;
/// Method names that tell nothing about the result.
const EMPTY_NAMES: [&str; 6] = ["next", "get", "create", "generate", "call", "apply"];

/// A value that a test could have.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum UnsetValue {
    /// A property of the object with this number among those that the test constructs.
    Property { object: usize, setter: MethodRef, value: Literal },
    /// What the mock with this number among those of the test answers: the last value of these statements.
    Answer { mock: usize, method: MethodRef, made: TestCase },
}

impl UnsetValue {
    /// The test with the value, right behind the construction of the object or in front of the mock; `None` where
    /// it has one already, or shows no null any more.
    pub(super) fn put_into(&self, test: &AssertedTest) -> Option<AssertedTest> {
        if count_nulls(test) == 0 {
            return None;
        }
        match self {
            UnsetValue::Property { object, setter, value } => {
                let (object, _) = constructed(test).nth(*object)?;
                let is_open = !is_called(test, object, &setter.name);
                is_open.then(|| test.with_call(object, setter, unused_text(test, value)))
            }
            UnsetValue::Answer { mock, method, made } => {
                let (mock, _, answers) = mocks(test).nth(*mock)?;
                if is_answered(answers, method) {
                    return None;
                }
                let mut made = made.statements.clone();
                for statement in &mut made {
                    statement.kind.for_each_use_mut(|used| used.0 += mock.0);
                    if let StatementKind::Literal(text) = &mut statement.kind {
                        *text = unused_text(test, text);
                    }
                }
                let count = made.len() as u32;
                let mut changed = test.with_statements(mock.0, made);
                if let StatementKind::Stub { answers, .. } = &mut changed.test.statements[(mock.0 + count) as usize].kind {
                    answers.push(Answer::returning(method.clone(), VarId(mock.0 + count - 1)));
                }
                Some(changed)
            }
        }
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

/// The values to try, in order. A test whose assertions show no null has none.
pub(super) fn missing_values(access: &Accessibility<'_>, test: &AssertedTest) -> Vec<UnsetValue> {
    if count_nulls(test) == 0 {
        return Vec::new();
    }
    let mut found = Vec::new();
    for (place, (object, class)) in constructed(test).enumerate() {
        for setter in setters_of_nulls(access, class) {
            let value = value_for(access.program(), &setter).filter(|_| !is_called(test, object, &setter.name));
            found.extend(value.map(|value| UnsetValue::Property { object: place, setter, value }));
        }
    }
    found.truncate(MOST_PROPERTIES);
    let class = test.target.as_ref().map(|target| &target.owner);
    for (place, (_, mocked, answers)) in mocks(test).enumerate() {
        let asked = class.map(|class| asked_values(access, class, mocked)).unwrap_or_default();
        found.extend(asked.into_iter().filter(|method| !is_answered(answers, method)).filter_map(|method| {
            let made = answer_for(access, &method, mocked)?;
            Some(UnsetValue::Answer { mock: place, method, made })
        }));
    }
    found.truncate(MOST_PROPERTIES + MOST_ANSWERS);
    found
}

/// The mocks of the test, each with its class and its answers.
fn mocks(test: &AssertedTest) -> impl Iterator<Item = (VarId, &ClassName, &[Answer])> {
    let own = test.test.statements.iter().enumerate().take(test.acted as usize);
    own.filter_map(|(index, statement)| match &statement.kind {
        StatementKind::Stub { class, kind: StubKind::Mock, answers } => Some((VarId(index as u32), class, answers.as_slice())),
        _ => None,
    })
}

fn is_answered(answers: &[Answer], method: &MethodRef) -> bool {
    answers.iter().any(|answer| answer.method.name == method.name && answer.method.descriptor == method.descriptor)
}

/// What the method may answer: a text, or an object of the project that takes one call to make, or a builder.
fn answer_for(access: &Accessibility<'_>, method: &MethodRef, mocked: &ClassName) -> Option<TestCase> {
    let ty = method.return_type();
    let JavaType::Class(class) = &ty else { return None };
    let mut made = TestCase::default();
    if class.internal() == "java/lang/String" {
        made.push(StatementKind::Literal(text_of_answer(method, mocked)?), ty);
        return Some(made);
    }
    let model = access.program().class(class).filter(|model| !model.is_abstract() && access.can_name_class(class))?;
    let is_usable = |method: &&MethodModel| method.parameters.is_empty() && access.can_use_method(method);
    if let Some(constructor) = model.methods.iter().filter(is_usable).find(|method| method.name() == "<init>") {
        made.push(StatementKind::Construct { constructor: constructor.reference.clone(), args: Vec::new() }, ty);
        return Some(made);
    }
    let builder = model.methods.iter().filter(is_usable).find(|method| method.is_static() && method.name() == "builder")?;
    let JavaType::Class(builder_class) = &builder.returns else { return None };
    let builder_class = Some(builder_class).filter(|class| access.can_name_class(class))?;
    let is_build = |method: &&MethodModel| !method.is_static() && method.returns == ty;
    let builder_model = access.program().class(builder_class)?;
    let build = builder_model.methods.iter().filter(is_usable).find(is_build)?;
    let begun = made.push_static_call(&builder.reference, Vec::new());
    let (method, interface) = (build.reference.clone(), builder_model.is_interface());
    let kind = StatementKind::Call { method, interface, receiver: Some(begun), args: Vec::new() };
    made.push(kind, ty);
    Some(made)
}

/// The methods of `mocked` that the code of the class asks for a text or an object of the project.
fn asked_values(access: &Accessibility<'_>, class: &ClassName, mocked: &ClassName) -> Vec<MethodRef> {
    let program = access.program();
    let Some(class) = program.class(class) else { return Vec::new() };
    let mut found: Vec<MethodRef> = Vec::new();
    for code in class.methods.iter().filter_map(|method| class.code(method)) {
        for called in code.instructions.iter().filter_map(|instruction| class.called_by(&instruction.op)) {
            let owner = ClassName::new(called.owner);
            if !program.is_subclass(mocked, &owner) || called.name == "toString" {
                continue;
            }
            let method = MethodRef::new(mocked.clone(), called.name, called.descriptor);
            let is_asked = match method.return_type() {
                JavaType::Class(class) => class.internal() == "java/lang/String" || program.is_project(&class),
                _ => false,
            };
            // As a test can tell a mock: see the mocks of the cluster.
            let can_be_told = |method: &MethodModel| {
                let flags = method.access;
                let is_fixed = method.is_static() || flags.is_private() || flags.is_final() || flags.is_varargs();
                !is_fixed && access.can_use_method(method)
            };
            let declared = program.resolve(&method).filter(|found| is_asked && can_be_told(found.method()));
            let declared = declared.map(|found| found.reference().clone());
            found.extend(declared.filter(|declared| !found.contains(declared)));
        }
    }
    found
}

/// What the name of the method says that it returns, else the first word of the class: a `NumberSequence` gives
/// numbers.
fn text_of_answer(method: &MethodRef, mocked: &ClassName) -> Option<Literal> {
    let first_word = || {
        let name = mocked.local_name();
        let end = name.char_indices().skip(1).find(|(_, letter)| letter.is_ascii_uppercase()).map_or(name.len(), |(at, _)| at);
        words_of(&name[..end].to_ascii_lowercase())
    };
    let words = if EMPTY_NAMES.contains(&&*method.name) { first_word() } else { answer_words(method) };
    let text = typical_texts(None, words.as_ref()).into_iter().next()?;
    Some(Literal::Str(text.encode_utf16().collect()))
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
        let property = |object| UnsetValue::Property { object, setter: setter.clone(), value: text.clone() };
        let changed = property(1).put_into(&test(TEST)).expect("a test with a name");
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
        assert_eq!(property(1).put_into(&changed), None, "it is set");
        let both = property(0).put_into(&changed).expect("a test with two names").to_string();
        assert!(both.contains("string \"name2\""), "{both}");
        let id = MethodRef::new(ClassName::new("p/Item"), "setId", "(Ljava/lang/Long;)V");
        let number = UnsetValue::Property { object: 1, setter: id, value: Literal::Long(2) };
        let changed = number.put_into(&test(TEST)).expect("a test with a number").to_string();
        let boxed = "v3: Ljava/lang/Long; = call method java/lang/Long.valueOf (J)Ljava/lang/Long; (v2)\n\
                     v4: V = call method p/Item.setId (Ljava/lang/Long;)V on v1 (v3)\n";
        assert!(changed.contains(boxed), "{changed}");
        assert_eq!(property(1).put_into(&test(&TEST.replace("null / item", "item"))), None, "no null is asserted");
    }

    #[test]
    fn a_mock_answers_with_a_text() {
        let asked = "\
target p/Shop.release ()V
acted 3
v0: Lp/NumberSequence; = mock p/NumberSequence ()
v1: Lp/Shop; = new p/Shop.<init> (Lp/NumberSequence;)V (v0)
v2: Ljava/lang/String; = call method p/Shop.label ()Ljava/lang/String; on v1 ()
assert v2 equals string \"null\"
";
        let sequence = ClassName::new("p/NumberSequence");
        let next = MethodRef::new(sequence.clone(), "next", "()Ljava/lang/String;");
        let text = text_of_answer(&next, &sequence).expect("a text");
        let mut made = TestCase::default();
        made.push(StatementKind::Literal(text), next.return_type());
        let answer = UnsetValue::Answer { mock: 0, method: next, made };
        let changed = answer.put_into(&test(asked)).expect("a test with an answer");
        let expected = "v0: Ljava/lang/String; = string \"number\"\n\
                        v1: Lp/NumberSequence; = mock p/NumberSequence (p/NumberSequence.next ()Ljava/lang/String; v0)\n";
        assert!(changed.to_string().contains(expected), "{changed}");
        assert_eq!(answer.put_into(&changed), None, "it answers");
    }
}
