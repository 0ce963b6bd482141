//! Every reason that `report.json` can hold stands in `docs/formats/report.md`.

use crate::repository::{product_text, root};

/// The files whose reasons are texts of an arm, as in `Reason::Time => "time"`.
const ARMS: [&str; 4] = ["src/report/reasons.rs", "src/search/rejection.rs", "src/solve/outcome.rs", "src/symbolic/reason.rs"];
/// The files whose reasons are messages of errors, as in `#[error("refused: {0}")]`.
const ERRORS: [&str; 2] = ["src/emit/mod.rs", "src/oracle/statements.rs"];

/// The string literals that directly follow `prefix`.
fn literals_after<'t>(text: &'t str, prefix: &str) -> Vec<&'t str> {
    let rests = text.match_indices(prefix).map(|(position, _)| &text[position + prefix.len()..]);
    rests.filter_map(|rest| rest.split('"').next()).collect()
}

/// Whether the text has the fixed parts of the reason in order; `{0}` stands for any text.
fn is_reason(text: &str, reason: &str) -> bool {
    let mut parts = reason.split('{').enumerate().map(|(index, part)| match index {
        0 => part,
        _ => part.split_once('}').map_or(part, |(_, rest)| rest),
    });
    let Some(rest) = parts.next().and_then(|first| text.strip_prefix(first)) else { return false };
    let mut rest = rest;
    for part in parts {
        match rest.find(part) {
            Some(position) => rest = &rest[position + part.len()..],
            None => return false,
        }
    }
    rest.is_empty() || reason.ends_with('}')
}

#[test]
fn reasons_of_the_report_are_documented() {
    let document = std::fs::read_to_string(root().join("docs/formats/report.md")).expect("a document");
    let documented: Vec<&str> = document.split('`').skip(1).step_by(2).collect();
    let mut missing = Vec::new();
    let sources = ARMS.map(|file| (file, "=> \"")).into_iter().chain(ERRORS.map(|file| (file, "#[error(\"")));
    for (file, prefix) in sources {
        let text = std::fs::read_to_string(root().join(file)).expect(file);
        let reasons: Vec<&str> =
            literals_after(product_text(file, &text), prefix).into_iter().filter(|reason| *reason != "{0}").collect();
        assert!(reasons.len() > 3, "{file} has its reasons elsewhere");
        missing.extend(
            reasons
                .iter()
                .filter(|reason| !documented.iter().any(|text| is_reason(text, reason)))
                .map(|reason| format!("{file}: {reason}")),
        );
    }
    assert!(missing.is_empty(), "docs/formats/report.md lacks:\n{}", missing.join("\n"));
}

#[test]
fn reasons_are_compared_by_their_fixed_parts() {
    assert!(is_reason("time limit", "time limit") && !is_reason("time limits", "time limit"));
    assert!(
        is_reason("threw CLASS, which fails", "threw {0}, which fails") && !is_reason("threw CLASS", "threw {0}, which fails")
    );
    assert!(is_reason("refused: OPERATION", "refused: {0}") && !is_reason("refuse", "refused: {0}"));
}
