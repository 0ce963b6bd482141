//! Test cases in text form.

use tracewright::testcase::TestCase;

/// Parses a test case; leading white space is allowed, so that the text may begin on a line of its
/// own.
///
/// # Panics
/// Where the text is not a test case.
pub(crate) fn parse_test(text: &str) -> TestCase {
    text.trim_start().parse().unwrap_or_else(|error| panic!("{error} in\n{text}"))
}
