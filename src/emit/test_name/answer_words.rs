//! Phrases for what the mocks of a test answer. In: a test; out: phrases that are true of it. Must not know which
//! phrases the name gets.
//!
//! An exception of a mock and a query that finds nothing are why a test is written. That a query finds something is the
//! usual case.

use tracewright_classfile::PrimitiveType;

use crate::oracle::Fact;
use crate::program::{JavaType, MethodRef};
use crate::testcase::{AnswerOutcome, StatementKind, VarId};

use super::condition::Condition;
use super::expression_words::answered;
use super::named_test::NamedTest;
use super::phrase::{NamePart, Phrase};
use super::value_words::{constant_word, type_word};

/// Longest words of a phrase, which has the name of a method.
pub(super) const LONGEST_ANSWER: usize = 48;

/// Whether the value is an object, or holds some.
pub(super) fn is_something(named: &NamedTest<'_>, value: VarId) -> bool {
    let count = named.element_count(value);
    match named.kind(value) {
        StatementKind::Construct { .. } | StatementKind::Stub { .. } => count != Some(0),
        StatementKind::Call { method, args, .. } if method.owner.internal() == "java/util/Optional" => {
            args.first().is_some_and(|held| is_something(named, *held))
        }
        StatementKind::Call { .. } => count.is_some_and(|count| count > 0),
        _ => false,
    }
}

/// The answers of the mocks that the test makes: `whenFindBySkuReturnsNull`.
pub(super) fn answers(named: &NamedTest<'_>) -> Vec<Condition> {
    let mut found = Vec::new();
    for (index, statement) in named.before().iter().enumerate() {
        let StatementKind::Stub { answers, .. } = &statement.kind else { continue };
        if !named.is_used(VarId(index as u32)) {
            continue;
        }
        for answer in answers {
            let name = constant_word(&answer.method.name);
            let words = answer.outcomes.iter().map(|outcome| match outcome {
                AnswerOutcome::Returns(value) => format!("Returns{}", answered(named, *value)),
                AnswerOutcome::Throws(value) => format!("Throws{}", type_word(&named.statement(*value).ty)),
            });
            let words: Vec<String> = words.collect();
            let values: Vec<VarId> = answer.outcomes.iter().map(|outcome| outcome.variable()).collect();
            found.push(Condition::of_answer(format!("{name}{}", words.join("Then")), &values));
        }
    }
    found
}

/// The last exception of a mock in the test, as what the test is about: `whenSendThrowsIOException` where the
/// code under test caught it as far as the test shows, `whenSendThrows` where it let it through.
pub(super) fn exception_of_mock(named: &NamedTest<'_>) -> Option<Phrase> {
    let statements = named.before().iter();
    let answers = statements.flat_map(|statement| match &statement.kind {
        StatementKind::Stub { answers, .. } => &answers[..],
        _ => &[],
    });
    let mut thrown = answers.filter_map(|answer| match answer.outcomes.last()? {
        AnswerOutcome::Throws(value) => Some((&answer.method, &named.statement(*value).ty)),
        AnswerOutcome::Returns(_) => None,
    });
    let (method, ty) = thrown.next_back()?;
    let is_expected = named.test.expected.as_ref().is_some_and(|expected| *ty == JavaType::Class(expected.class.clone()));
    if is_expected && makes_expected(named) {
        return None;
    }
    let what = if is_expected { String::new() } else { type_word(ty) };
    let words = format!("{}Throws{what}", constant_word(&method.name));
    (words.len() <= LONGEST_ANSWER).then(|| Phrase::new(NamePart::State, words))
}

/// Whether the method under test came to code that makes an exception such as the test expects.
fn makes_expected(named: &NamedTest<'_>) -> bool {
    let (Some(expected), Some(target)) = (&named.test.expected, &named.test.target) else { return false };
    named.program.route(target, &named.test.ways).is_some_and(|route| route.came_to_making(&expected.class))
}

/// The query that finds nothing where the code under test asks for its result by `orElseThrow`, as far as the
/// test shows: `whenEmailIsUnknown`.
pub(super) fn unanswered_query(named: &NamedTest<'_>) -> Option<Phrase> {
    let (expected, target) = (named.test.expected.as_ref()?, named.test.target.as_ref()?);
    if makes_expected(named) {
        return None;
    }
    let is_answered = |query: &&MethodRef| {
        let gives = |outcome: &AnswerOutcome| match outcome {
            AnswerOutcome::Returns(value) => is_something(named, *value),
            AnswerOutcome::Throws(_) => true,
        };
        named.before().iter().any(|statement| match &statement.kind {
            StatementKind::Stub { answers, .. } => {
                answers.iter().any(|answer| answer.method.name == query.name && answer.outcomes.iter().any(gives))
            }
            _ => false,
        })
    };
    let demanded = named.program.demanded_queries(target, &expected.class);
    let query = demanded.iter().find(|query| !is_answered(query))?;
    let words = unknown_words(query).unwrap_or_else(|| format!("{}ReturnsEmptyOptional", constant_word(&query.name)));
    (words.len() <= LONGEST_ANSWER).then(|| Phrase::new(NamePart::State, words))
}

/// The words for a query that finds nothing by a property: `findByEmailIgnoreCase` gives `EmailIsUnknown`.
fn unknown_words(query: &MethodRef) -> Option<String> {
    let (_, property) = query.name.split_once("By")?;
    let property = property.strip_suffix("IgnoreCase").unwrap_or(property);
    let is_one = query.parameters().len() == 1 && !property.contains("And") && !property.contains("Or");
    (is_one && property.starts_with(|c: char| c.is_ascii_uppercase())).then(|| format!("{property}IsUnknown"))
}

/// What the mocks answer by themselves to calls that the test verifies: `whenFindReturnsEmptyOptional`.
pub(super) fn default_answers(named: &NamedTest<'_>) -> Vec<Condition> {
    let mut found = Vec::new();
    for assertion in &named.test.assertions {
        let Fact::Called { method, times: 1.., .. } = &assertion.fact else { continue };
        let StatementKind::Stub { answers, .. } = named.kind(assertion.subject) else { continue };
        let default = match method.return_type() {
            JavaType::Primitive(PrimitiveType::Boolean) => "False".to_string(),
            JavaType::Class(class) if class.package() == "java/util" => match class.local_name() {
                kind @ ("Optional" | "List" | "Set" | "Map" | "Collection") => format!("Empty{kind}"),
                _ => continue,
            },
            _ => continue,
        };
        if !answers.iter().any(|answer| answer.method.name == method.name) {
            let unknown = unknown_words(method).filter(|_| default == "EmptyOptional");
            let words = unknown.unwrap_or_else(|| format!("{}Returns{default}", constant_word(&method.name)));
            found.push(Condition::of_answer(words, &[]));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::program::ClassName;

    #[test]
    fn a_query_for_one_property_finds_nothing_where_it_is_unknown() {
        let words = |name: &str, descriptor: &str| unknown_words(&MethodRef::new(ClassName::new("p/Repo"), name, descriptor));
        assert_eq!(words("findByEmailIgnoreCase", "(Lp/S;)Lp/O;").as_deref(), Some("EmailIsUnknown"));
        assert_eq!(words("findById", "(Lp/S;)Lp/O;").as_deref(), Some("IdIsUnknown"));
        for (name, descriptor) in [("find", "(Lp/S;)Lp/O;"), ("findByNameAndCity", "(Lp/S;Lp/S;)Lp/O;"), ("nearBy", "(I)I")] {
            assert_eq!(words(name, descriptor), None, "{name}");
        }
    }
}
