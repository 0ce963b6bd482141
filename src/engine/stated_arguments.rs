//! Answers of mocks to the calls that a test is about.
//!
//! In: a test and an execution of it. Out: the test whose mocks answer calls with the arguments that they
//! got, as far as these are values of the test, words of its texts, texts in the code under test, constants of enums,
//! or amounts and moments that the code computes. Must not know whether it then shows the same.
//!
//! A search lets a mock answer every call. `when(items.find(any()))` passes as well where the code under
//! test looks for another item. A person writes which item is found, and which header of a request is read.

use std::collections::BTreeSet;

use crate::execution::{ArgumentValue, ContainerKind, Execution, HeldValues, Interaction, Snapshot};
use crate::oracle::{AssertedTest, as_literal};
use crate::program::{ClassName, FieldRef, JavaType, MethodRef};
use crate::testcase::{Answer, Literal, Statement, StatementKind, StubKind, TestCase, VarId, literal_type};

/// Classes of objects by which a test says what time it is.
const MOMENTS: [&str; 4] = ["java/time/Instant", "java/time/Clock", "java/time/LocalDate", "java/time/ZonedDateTime"];
/// The end of the text of a moment that a person would give.
const WHOLE_HOUR: &str = ":00:00Z";
/// Letters of a word that a reader finds in another text.
const SHORTEST_WORD: usize = 2;

/// What an answer says of one argument: a variable in front of the mock, or statements to put there.
enum Stated {
    Variable(VarId),
    Statements(TestCase),
}

/// What the code under test may ask for by itself.
pub(super) struct CodeValues<'a> {
    /// The texts in it.
    pub(super) texts: BTreeSet<Vec<u16>>,
    /// The constant of an enum, where a test can name it.
    pub(super) constant: &'a dyn Fn(&ClassName, &str) -> Option<FieldRef>,
}

/// The test with the arguments of its answers; `None` where none can be stated. `execution`: of the test as
/// it is.
pub(super) fn with_stated_arguments(test: &AssertedTest, execution: &Execution, code: &CodeValues<'_>) -> Option<AssertedTest> {
    let mut changed = test.clone();
    // What is put in front of a mock leaves the numbers of the mocks before it.
    for mock in (0..test.acted).rev().map(VarId) {
        let StatementKind::Stub { kind: StubKind::Mock, answers, .. } = &test.test.statement(mock).kind else { continue };
        let mut answers = answers.clone();
        let mut added: Vec<Statement> = Vec::new();
        for answer in answers.iter_mut().filter(|answer| answer.arguments.is_empty()) {
            let calls: Vec<&Interaction> = execution.interactions.iter().filter(|call| is_answered(call, mock, answer)).collect();
            let parameters = answer.method.parameters();
            let stated: Vec<Option<Stated>> = (0..parameters.len())
                .map(|position| stated((test, code), mock, &calls, position, &parameters[position]))
                .collect();
            if stated.iter().any(Option::is_some) {
                answer.arguments = stated.into_iter().map(|stated| Some(placed(stated?, mock, &mut added))).collect();
            }
        }
        // The uses of the answers are numbered for the place of the mock now, those of its outcomes too.
        let count = added.len() as u32;
        changed = changed.with_statements(mock.0, added);
        if let StatementKind::Stub { answers: stated, .. } = &mut changed.test.statements[(mock.0 + count) as usize].kind {
            *stated = answers;
        }
    }
    (changed != *test).then_some(changed)
}

/// Whether the call got the answer.
fn is_answered(call: &Interaction, mock: VarId, answer: &Answer) -> bool {
    call.mock == mock && call.method.name == answer.method.name && call.arguments.len() == answer.method.parameters().len()
}

/// The argument that all calls have at this position; `None` where a reader would not know it.
fn stated(
    (test, code): (&AssertedTest, &CodeValues<'_>),
    mock: VarId,
    calls: &[&Interaction],
    position: usize,
    parameter: &JavaType,
) -> Option<Stated> {
    let (first, others) = calls.split_first()?;
    let argument = |call: &Interaction| -> ArgumentValue { call.arguments[position].clone() };
    let argument = Some(argument(first)).filter(|first| others.iter().all(|other| argument(other) == *first))?;
    let (value, is_boxed) = match &argument.snapshot {
        Snapshot::Boxed(value) => (&**value, true),
        value => (value, false),
    };
    if let Some(literal) = as_literal(value) {
        let is_of_code = matches!(&literal, Literal::Str(units) if code.texts.contains(units));
        let is_known = is_of_code || is_of_test(test, &literal) || is_word_of_test(test, &literal);
        return is_known.then(|| literal_statements(literal, is_boxed, parameter)).flatten();
    }
    if let Snapshot::Enum { class, constant: name } = value {
        let field = (code.constant)(class, name)?;
        let mut read = TestCase::default();
        read.push(StatementKind::GetField { field, receiver: None }, JavaType::Class(class.clone()));
        return Some(Stated::Statements(read));
    }
    if let Some(variable) = argument.variable.filter(|variable| *variable < mock) {
        return Some(Stated::Variable(variable));
    }
    let Snapshot::Object { contents: Some(HeldValues { kind: ContainerKind::Value(class), elements }), .. } = value else {
        return None;
    };
    let [Snapshot::Str(Some(units))] = &elements[..] else { return None };
    if class.internal() == "java/time/Instant" && !gives_moment(test) {
        return None;
    }
    value_statements(class, units).map(Stated::Statements)
}

/// The statements that make a value which the code computes of what the test gives: an amount, or a moment at a
/// whole hour, such as another one less three days. `None` for other values: they may depend on the clock.
fn value_statements(class: &ClassName, units: &[u16]) -> Option<TestCase> {
    let mut made = TestCase::default();
    let text = made.push(StatementKind::Literal(Literal::Str(units.to_vec())), JavaType::class("java/lang/String"));
    match class.internal() {
        "java/time/Instant" if String::from_utf16_lossy(units).ends_with(WHOLE_HOUR) => {
            let descriptor = "(Ljava/lang/CharSequence;)Ljava/time/Instant;";
            made.push_static_call(&MethodRef::new(class.clone(), "parse", descriptor), vec![text]);
        }
        "java/math/BigDecimal" => {
            let constructor = MethodRef::new(class.clone(), "<init>", "(Ljava/lang/String;)V");
            made.push(StatementKind::Construct { constructor, args: vec![text] }, JavaType::Class(class.clone()));
        }
        _ => return None,
    }
    Some(made)
}

/// Whether the test itself has the number or text. A flag has one of two values, and null is what is given
/// where nothing is.
fn is_of_test(test: &AssertedTest, literal: &Literal) -> bool {
    let is_telling = !matches!(literal, Literal::Null | Literal::Boolean(_));
    is_telling && (0..test.acted).any(|own| test.test.literal(VarId(own)) == Some(literal))
}

/// Whether the test says what time it is: else a moment follows from that of the machine, which may be a whole day.
fn gives_moment(test: &AssertedTest) -> bool {
    let is_moment =
        |own: u32| matches!(test.test.type_of(VarId(own)), JavaType::Class(class) if MOMENTS.contains(&class.internal()));
    (0..test.acted).any(is_moment)
}

/// Whether a text of the test has this text as a word: the token of `Bearer abc`.
fn is_word_of_test(test: &AssertedTest, literal: &Literal) -> bool {
    let Literal::Str(word) = literal else { return false };
    let is_letter = |unit: &u16| char::from_u32(u32::from(*unit)).is_some_and(char::is_alphanumeric);
    let has_word = |units: &[u16]| units.split(|unit| !is_letter(unit)).any(|part| part == word.as_slice());
    let has_it = |own: VarId| matches!(test.test.literal(own), Some(Literal::Str(units)) if has_word(units));
    word.len() >= SHORTEST_WORD && (0..test.acted).map(VarId).any(has_it)
}

/// The statements that make the number or text; `None` where it does not fit the parameter as it is.
fn literal_statements(literal: Literal, is_boxed: bool, parameter: &JavaType) -> Option<Stated> {
    let ty = literal_type(&literal);
    let mut made = TestCase::default();
    let value = made.push(StatementKind::Literal(literal), ty.clone());
    if is_boxed {
        let class = ClassName::new(ty.primitive()?.box_class());
        let descriptor = format!("({ty}){}", JavaType::Class(class.clone()));
        made.push_static_call(&MethodRef::new(class, "valueOf", &descriptor), vec![value]);
    }
    let fits = if ty.is_primitive() && !is_boxed { ty == *parameter } else { parameter.is_reference() };
    fits.then_some(Stated::Statements(made))
}

/// The variable that has the value in front of the mock, where the statements of `added` stand.
fn placed(stated: Stated, mock: VarId, added: &mut Vec<Statement>) -> VarId {
    match stated {
        Stated::Variable(variable) => variable,
        Stated::Statements(statements) => {
            let begin = mock.0 + added.len() as u32;
            added.extend(statements.statements.into_iter().map(|mut statement| {
                statement.kind.for_each_use_mut(|used| used.0 += begin);
                statement
            }));
            VarId(mock.0 + added.len() as u32 - 1)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::execution::RunEnd;

    const TEST: &str = "\
target p/Shop.find (JLjava/lang/String;)Lp/Item;
v0: Lp/Item; = new p/Item.<init> ()V ()
v1: Lp/Items; = mock p/Items (p/Items.find (Ljava/lang/Object;Ljava/lang/String;Z)Lp/Item; v0)
v2: Lp/Shop; = new p/Shop.<init> (Lp/Items;)V (v1)
v3: J = long 2
v4: Ljava/lang/String; = string \"sku\"
v5: Lp/Item; = call method p/Shop.find (JLjava/lang/String;)Lp/Item; on v2 (v3, v4)
assert v5 same v0
";

    fn called(calls: &[[Snapshot; 3]]) -> Execution {
        let method = MethodRef::new(ClassName::new("p/Items"), "find", "(Ljava/lang/Object;Ljava/lang/String;Z)Lp/Item;");
        let argument = |snapshot: &Snapshot| ArgumentValue { snapshot: snapshot.clone(), variable: None, inspected: Vec::new() };
        let interactions = calls.iter().map(|arguments| Interaction {
            statement: 5,
            mock: VarId(1),
            method: method.clone(),
            arguments: arguments.iter().map(argument).collect(),
        });
        Execution { interactions: interactions.collect(), ..Execution::without_measurements(RunEnd::Completed) }
    }

    fn text(text: &str) -> Snapshot {
        Snapshot::Str(Some(text.encode_utf16().collect()))
    }

    fn boxed(number: i64) -> Snapshot {
        Snapshot::Boxed(Box::new(Snapshot::Long(number)))
    }

    fn stated(calls: &[[Snapshot; 3]]) -> Option<String> {
        let test: AssertedTest = TEST.parse().expect("well-formed");
        let texts = BTreeSet::from(["rule".encode_utf16().collect()]);
        let constant = |class: &ClassName, name: &str| {
            (class.internal() == "p/Size").then(|| FieldRef::new(class.clone(), name, "Lp/Size;"))
        };
        let code = CodeValues { texts, constant: &constant };
        with_stated_arguments(&test, &called(calls), &code).map(|stated| stated.to_string())
    }

    #[test]
    fn a_mock_answers_calls_with_the_values_of_the_test() {
        let expected = "\
target p/Shop.find (JLjava/lang/String;)Lp/Item;
v0: Lp/Item; = new p/Item.<init> ()V ()
v1: J = long 2
v2: Ljava/lang/Long; = call method java/lang/Long.valueOf (J)Ljava/lang/Long; (v1)
v3: Ljava/lang/String; = string \"sku\"
v4: Lp/Items; = mock p/Items (p/Items.find (Ljava/lang/Object;Ljava/lang/String;Z)Lp/Item; for v2,v3,any v0)
v5: Lp/Shop; = new p/Shop.<init> (Lp/Items;)V (v4)
v6: J = long 2
v7: Ljava/lang/String; = string \"sku\"
v8: Lp/Item; = call method p/Shop.find (JLjava/lang/String;)Lp/Item; on v5 (v6, v7)
assert v8 same v0
";
        assert_eq!(stated(&[[boxed(2), text("sku"), Snapshot::Boolean(true)]]).as_deref(), Some(expected));
    }

    #[test]
    fn a_mock_answers_calls_with_what_the_code_asks_for() {
        let constant = |class: &str| Snapshot::Enum { class: ClassName::new(class), constant: "L".into() };
        let found = stated(&[[constant("p/Size"), text("rule"), Snapshot::Boolean(true)]]).unwrap_or_default();
        assert!(found.contains("for v1,v2,any v0") && found.contains("v1: Lp/Size; = get p/Size.L Lp/Size;"), "{found}");
        assert_eq!(stated(&[[constant("p/Hidden"), text("other"), Snapshot::Boolean(true)]]), None);
    }

    #[test]
    fn a_mock_answers_calls_with_what_the_code_computes() {
        let value = |class: &str, of: &str| Snapshot::Object {
            class: ClassName::new(class),
            same_as: None,
            size: None,
            contents: Some(HeldValues::new(ContainerKind::Value(ClassName::new(class)), vec![text(of)])),
            to_string: None,
        };
        let call = |class: &str, of: &str| stated(&[[value(class, of), text("other"), Snapshot::Boolean(true)]]);
        assert_eq!(call("java/time/Instant", "1969-12-29T00:00:00Z"), None, "the test has no clock");
        let clock = TEST.replace("v2: Lp/Shop;", "v2: Ljava/time/Clock; = null\nv3: Lp/Shop;").replace("on v2", "on v3");
        let clock = clock
            .replace("v5", "v6")
            .replace("v4", "v5")
            .replace("v3: J", "v4: J")
            .replace("(v3, v4", "(v4, v5")
            .replace("(v3, v5", "(v4, v5");
        let test: AssertedTest = clock.parse().expect("well-formed");
        let execution = called(&[[value("java/time/Instant", "1969-12-29T00:00:00Z"), text("other"), Snapshot::Boolean(true)]]);
        let code = CodeValues { texts: BTreeSet::new(), constant: &|_, _| None };
        let limit = with_stated_arguments(&test, &execution, &code).map(|stated| stated.to_string()).unwrap_or_default();
        assert!(
            limit.contains("v1: Ljava/lang/String; = string \"1969-12-29T00:00:00Z\"") && limit.contains("for v2,any,any v0")
        );
        assert_eq!(call("java/time/Instant", "2026-11-27T09:41:30.5Z"), None, "it may be now");
        assert_eq!(call("java/time/LocalDate", "2026-11-27"), None, "it may be today");
        assert!(call("java/math/BigDecimal", "9.50").is_some());
    }

    #[test]
    fn what_is_no_value_of_the_test_or_differs_between_calls_is_not_stated() {
        let call = |number: i64, of: &str| [boxed(number), text(of), Snapshot::Boolean(true)];
        assert_eq!(stated(&[]), None);
        assert_eq!(stated(&[call(3, "other")]), None);
        assert_eq!(stated(&[call(2, "sku"), call(3, "other")]), None);
        let test: AssertedTest = TEST.replace("string \"sku\"", "string \"Bearer abc-1\"").parse().expect("well-formed");
        let word = |word: &str| is_word_of_test(&test, &Literal::Str(word.encode_utf16().collect()));
        assert_eq!(["abc", "Bearer", "bc", "1", ""].map(word), [true, true, false, false, false]);
        let second = stated(&[call(2, "sku"), call(3, "sku")]).unwrap_or_default();
        assert!(second.contains("for any,v1,any v0"), "{second}");
    }
}
