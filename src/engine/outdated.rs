//! Outdated tests: tests of an earlier generation that a change made wrong.
//!
//! Flows in: the text of a test file. Flows out: its tests that no longer compile or pass, each
//! with what it expects and what it finds, and, if that is asked for, the text in which they expect what they
//! find. Must not change the file.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use super::error::EngineError;
use super::workshop::{ENVIRONMENTS, Workshop};
use crate::emit::{self, NewExpectation};
use crate::execution::FailedAssertion;
use crate::jvm::{JunitEnd, TestOutcome};

/// Time limit of the run of one file.
const RUN_LIMIT: Duration = Duration::from_secs(20);
/// Stands for the name of a test where the reason is about all tests of the file.
const WHOLE: &str = "*";
/// Rounds of compiling; after each, tests that do not compile are removed.
const MOST_ROUNDS: usize = 3;
/// Runs of a file whose tests get new expectations: each finds the next assertion of a test.
const MOST_RUNS: u32 = 12;

/// The tests of a file that a change made wrong, by name.
#[derive(Debug, Default)]
pub(super) struct OutdatedTests {
    /// Those that no longer compile or pass, each with the reason.
    pub(super) failing: BTreeMap<String, String>,
    /// Failing tests for which new expectations are known.
    pub(super) acceptable: BTreeSet<String>,
    /// Those that pass with new expectations, each with its old and new values.
    pub(super) accepted: BTreeMap<String, String>,
    /// The file with these expectations.
    pub(super) source: Option<String>,
}

/// Compiles and runs the tests of a file. `file` is relative to the output folder, `number` its
/// number among the files of the class. `accepts`: looks for expectations with which the tests pass.
///
/// [`EngineError::Fault`] where the compiler or the verifying JVM cannot be started.
pub(super) fn find_outdated_tests(
    workshop: &Workshop,
    file: &str,
    source: &str,
    number: u32,
    accepts: bool,
) -> Result<OutdatedTests, EngineError> {
    let mut runs = 0;
    let mut run = |source: &str| {
        runs += 1;
        run_file(workshop, file, source, &format!("outdated-{number}-{runs}"))
    };
    let first = run(source)?;
    let mut outdated = if accepts { accept(source, &first, run)? } else { OutdatedTests::default() };
    for (test, failure) in &first {
        if !outdated.accepted.contains_key(test) {
            let new = failure.expectations(source);
            if new.is_empty() {
                outdated.failing.insert(test.clone(), failure.why.clone());
            } else {
                outdated.failing.insert(test.clone(), changes(&new));
                outdated.acceptable.insert(test.clone());
            }
        }
    }
    Ok(outdated)
}

/// Gives tests new expectations until they pass. A test that does not pass in the end keeps its old ones.
fn accept(
    source: &str,
    first: &BTreeMap<String, Failure>,
    mut run: impl FnMut(&str) -> Result<BTreeMap<String, Failure>, EngineError>,
) -> Result<OutdatedTests, EngineError> {
    let mut refused = BTreeSet::new();
    let mut runs = 0;
    loop {
        let (mut text, mut failures) = (source.to_owned(), first.clone());
        let mut accepted: BTreeMap<String, Vec<NewExpectation>> = BTreeMap::new();
        while runs < MOST_RUNS {
            let mut all = Vec::new();
            for (test, failure) in failures.iter().filter(|(test, _)| !refused.contains(*test)) {
                let new = failure.expectations(&text);
                all.extend(new.iter().cloned());
                if !new.is_empty() {
                    accepted.entry(test.clone()).or_default().extend(new);
                }
            }
            if all.is_empty() {
                break;
            }
            text = emit::with_expectations(&text, &all);
            failures = run(&text)?;
            runs += 1;
        }
        let wrong: Vec<&String> = failures.keys().filter(|test| accepted.contains_key(*test)).collect();
        if wrong.is_empty() && !failures.contains_key(WHOLE) {
            let source = (!accepted.is_empty()).then_some(text);
            let accepted = accepted.into_iter().map(|(test, new)| (test, changes(&new))).collect();
            return Ok(OutdatedTests { accepted, source, ..OutdatedTests::default() });
        }
        if wrong.is_empty() || runs >= MOST_RUNS {
            return Ok(OutdatedTests::default());
        }
        refused.extend(wrong.into_iter().cloned());
    }
}

fn changes(expectations: &[NewExpectation]) -> String {
    let mut texts: Vec<String> = expectations.iter().map(|new| format!("{} → {}", new.before, new.after)).collect();
    texts.dedup();
    texts.join(", ")
}

/// Why a test failed.
#[derive(Clone, Debug)]
struct Failure {
    why: String,
    assertions: Vec<FailedAssertion>,
}

impl Failure {
    fn of(why: impl Into<String>) -> Failure {
        Failure { why: why.into(), assertions: Vec::new() }
    }

    /// What the assertions that failed would have to expect.
    fn expectations(&self, source: &str) -> Vec<NewExpectation> {
        let mut all: Vec<NewExpectation> = Vec::new();
        for new in self.assertions.iter().filter_map(|failed| emit::new_expectation(source, failed)) {
            // A test runs twice.
            if !all.contains(&new) {
                all.push(new);
            }
        }
        all
    }
}

/// Compiles and runs the file once. Out: the tests that do not compile or pass.
fn run_file(workshop: &Workshop, file: &str, source: &str, folder: &str) -> Result<BTreeMap<String, Failure>, EngineError> {
    let mut failures = BTreeMap::new();
    let mut source = source.to_owned();
    let class = file.trim_end_matches(".java").replace('/', ".");
    let verifiers = workshop.start_verifiers(folder, &ENVIRONMENTS[..1]);
    for _ in 0..MOST_ROUNDS {
        let compiled = workshop.compile_source(file.to_owned(), source.clone(), verifiers.folder(), None);
        let errors = compiled.map_err(EngineError::fault)?;
        let Some(first) = errors.first() else {
            let outcomes = verifiers.run(&class, RUN_LIMIT, 1).map_err(EngineError::fault)?;
            for outcome in outcomes {
                for (named, of_test) in &outcome.tests {
                    if let TestOutcome::Failed(why) = of_test {
                        let name = if named.1.is_empty() { WHOLE } else { &named.1 };
                        let assertions = outcome.failed_assertions.get(named).cloned().unwrap_or_default();
                        failures.insert(name.to_owned(), Failure { assertions, ..Failure::of(why) });
                    }
                }
                if let JunitEnd::Hung { running: (_, method) } | JunitEnd::Died { running: Some((_, method)) } = &outcome.end {
                    failures.insert(method.clone(), Failure::of("it does not come to its end"));
                }
            }
            return Ok(failures);
        };
        let tests = emit::written_tests(&source);
        let mut has_removed = false;
        for error in &errors {
            if let Some(test) = tests.iter().find(|test| (test.lines.0..=test.lines.1).contains(&error.line)) {
                let why = error.message.lines().next().unwrap_or_default();
                has_removed |= failures.insert(test.method.clone(), Failure::of(format!("it does not compile: {why}"))).is_none();
            }
        }
        if !has_removed {
            let why = format!("it does not compile: line {}: {}", first.line, first.message.lines().next().unwrap_or_default());
            failures.insert(WHOLE.into(), Failure::of(why));
            return Ok(failures);
        }
        source = emit::blank_tests(&source, |method| failures.contains_key(method));
    }
    Ok(failures)
}
