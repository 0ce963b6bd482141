//! Goldens of the agent's tests.

use std::path::Path;

/// Compares a text with the golden `tests/golden/<name>`.
#[track_caller]
pub(crate) fn check_golden(name: &str, found: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(name);
    tracewright_test_support::check_golden(&path, found);
}
