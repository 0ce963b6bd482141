//! Words for tests that send a request to a controller. In: an asserted test; out: what the response
//! was. Must not know other kinds of tests.

use crate::execution::Snapshot;
use crate::oracle::{AssertedTest, Fact};
use crate::testcase::{Literal, StatementKind};

use super::names::capitalised;

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

/// Names of what the request sends: of its parameters, and `Body`.
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
            ("param", Some(Literal::Str(units))) => Some(path_words(&String::from_utf16_lossy(units))),
            ("content", _) => Some("Body".into()),
            _ => None,
        });
    }
    words.truncate(2);
    words
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
    fn the_end_of_a_path_gives_words() {
        assert_eq!(path_words("owners/ownersList"), "OwnersOwnersList");
        assert_eq!(path_words("a/b/c-d"), "CD");
        assert_eq!(path_words(""), "");
    }
}
