//! Words for tests that send a request to a controller. In: an asserted test; out: what the response
//! was. Must not know other kinds of tests.

use crate::execution::Snapshot;
use crate::oracle::{AssertedTest, Fact};
use crate::testcase::{Literal, StatementKind, TestCase, VarId};

use super::value_words::{constant_word, text_word};
use crate::emit::names::capitalised;

/// The words for statuses that are not `IsOk`, `Redirects` or a view.
const STATUSES: [(i32, &str); 10] = [
    (201, "isCreated"),
    (204, "isNoContent"),
    (400, "isBadRequest"),
    (401, "isUnauthorized"),
    (403, "isForbidden"),
    (404, "isNotFound"),
    (405, "isNotAllowed"),
    (409, "isConflict"),
    (415, "isUnsupported"),
    (422, "isUnprocessable"),
];

/// What the response to the request of the test was: `showsOwnersList`, `isBadRequest`. `None` for a
/// test without a request, or without an assertion about the response.
pub(super) fn response_words(test: &AssertedTest) -> Option<String> {
    test.test.performed_request()?;
    let asserted = |wanted: &str| {
        let found = test.assertions.iter().find(|assertion| {
            matches!(test.test.called(assertion.subject), Some((owner, name)) if name == wanted && owner.contains("springframework"))
        })?;
        if let Fact::Equals(value) = &found.fact { Some(value) } else { None }
    };
    if let Some(Snapshot::Str(Some(units))) = asserted("getViewName") {
        return Some(format!("shows{}", path_words(&String::from_utf16_lossy(units))));
    }
    match asserted("getStatus") {
        Some(Snapshot::Int(302 | 303)) => Some("redirects".into()),
        Some(Snapshot::Int(200)) => Some("isOk".into()),
        Some(Snapshot::Int(status)) => {
            let known = STATUSES.iter().find(|(known, _)| known == status);
            Some(known.map_or_else(|| format!("hasStatus{status}"), |(_, word)| word.to_string()))
        }
        _ => None,
    }
}

/// What the request sends, in words: its parameters with their values, and `Body`.
pub(super) fn sent_words(test: &AssertedTest) -> Vec<String> {
    let Some(request) = test.test.performed_request() else { return Vec::new() };
    let mut words: Vec<String> = Vec::new();
    for statement in &test.test.statements {
        let StatementKind::Call { method, receiver, args, .. } = &statement.kind else { continue };
        if *receiver != Some(request.request) {
            continue;
        }
        let name = args.first().and_then(|name| test.test.literal(*name));
        words.extend(match (&*method.name, name) {
            ("param", Some(Literal::Str(units))) => {
                let name = path_words(&String::from_utf16_lossy(units));
                let value = args.get(1).and_then(|values| first_text(&test.test, *values));
                Some(value.map_or_else(|| name.clone(), |value| parameter_words(&name, value)))
            }
            ("content", Some(Literal::Str(units))) if matches!(String::from_utf16_lossy(units).as_str(), "" | "{}") => {
                Some("EmptyBody".into())
            }
            ("content", _) => Some("Body".into()),
            _ => None,
        });
    }
    words.truncate(2);
    words
}

/// The text that an array holds.
fn first_text(test: &TestCase, values: VarId) -> Option<&[u16]> {
    let StatementKind::Array { elements, .. } = &test.statement(values).kind else { return None };
    match test.literal(*elements.first()?)? {
        Literal::Str(units) => Some(units),
        _ => None,
    }
}

/// A parameter with its value: `EmptyTo`, `StatusDelivered`; without a value that says nothing.
fn parameter_words(name: &str, value: &[u16]) -> String {
    if value.is_empty() {
        return format!("Empty{name}");
    }
    let text = String::from_utf16_lossy(value);
    let is_plain = text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-');
    let is_constant = text.contains('_') || text.chars().all(|c| c.is_ascii_uppercase());
    let word = match is_plain {
        true if is_constant => Some(constant_word(&text)),
        true => text_word(value),
        false => None,
    };
    match word.filter(|word| !word.eq_ignore_ascii_case(name)) {
        Some(word) => format!("{name}{word}"),
        None => name.to_owned(),
    }
}

/// The last two parts of a path as words: `OwnersList`.
fn path_words(path: &str) -> String {
    let parts: Vec<&str> = path.split(|c: char| !c.is_ascii_alphanumeric()).filter(|part| !part.is_empty()).collect();
    let words: String = parts[parts.len().saturating_sub(2)..].iter().map(|part| capitalised(part)).collect();
    words.chars().take(32).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_are_named_with_their_values() {
        let words = |value: &str| parameter_words("To", &value.encode_utf16().collect::<Vec<u16>>());
        assert_eq!(
            ["", "DELIVERED", "SOLD_OUT", "to", "7", "a b!"].map(words),
            ["EmptyTo", "ToDelivered", "ToSoldOut", "To", "To7", "To"]
        );
    }

    #[test]
    fn the_end_of_a_path_gives_words() {
        assert_eq!(path_words("owners/ownersList"), "OwnersOwnersList");
        assert_eq!(path_words("a/b/c-d"), "CD");
        assert_eq!(path_words(""), "");
    }
}
