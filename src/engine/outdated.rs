//! Outdated tests: tests of an earlier generation that a change made wrong.
//!
//! Flows in: the text of a test file. Flows out: its tests that no longer compile or pass, each
//! with a reason. Must not change the file.

use std::collections::BTreeMap;
use std::time::Duration;

use super::error::EngineError;
use super::workshop::{ENVIRONMENTS, Workshop};
use crate::emit;
use crate::jvm::{JunitEnd, TestOutcome};

/// Time limit of the run of one file.
const RUN_LIMIT: Duration = Duration::from_secs(20);
/// Stands for the name of a test where the reason is about all tests of the file.
const WHOLE: &str = "*";
/// Rounds of compiling; after each, tests that do not compile are removed.
const MOST_ROUNDS: usize = 3;

/// Compiles and runs the tests of a file. `file` is relative to the output folder, `number` its
/// number among the files of the class.
///
/// [`EngineError::Fault`] where the compiler or the verifying JVM cannot be started.
pub(super) fn find_outdated_tests(
    workshop: &Workshop,
    file: &str,
    source: &str,
    number: u32,
) -> Result<BTreeMap<String, String>, EngineError> {
    let mut outdated = BTreeMap::new();
    let mut source = source.to_owned();
    let class = file.trim_end_matches(".java").replace('/', ".");
    let verifiers = workshop.start_verifiers(&format!("outdated-{number}"), &ENVIRONMENTS[..1]);
    for _ in 0..MOST_ROUNDS {
        let compiled = workshop.compile_source(file.to_owned(), source.clone(), verifiers.folder(), None);
        let errors = compiled.map_err(EngineError::fault)?;
        let Some(first) = errors.first() else {
            let outcomes = verifiers.run(&class, RUN_LIMIT, 1).map_err(EngineError::fault)?;
            for outcome in outcomes {
                for ((_, method), outcome) in &outcome.tests {
                    if let TestOutcome::Failed(why) = outcome {
                        let name = if method.is_empty() { WHOLE } else { method };
                        outdated.insert(name.to_owned(), why.clone());
                    }
                }
                if let JunitEnd::Hung { running: (_, method) } | JunitEnd::Died { running: Some((_, method)) } = &outcome.end {
                    outdated.insert(method.clone(), "it does not come to its end".into());
                }
            }
            return Ok(outdated);
        };
        let tests = emit::written_tests(&source);
        let mut has_removed = false;
        for error in &errors {
            if let Some(test) = tests.iter().find(|test| (test.lines.0..=test.lines.1).contains(&error.line)) {
                let why = error.message.lines().next().unwrap_or_default();
                has_removed |= outdated.insert(test.method.clone(), format!("it does not compile: {why}")).is_none();
            }
        }
        if !has_removed {
            let why = format!("it does not compile: line {}: {}", first.line, first.message.lines().next().unwrap_or_default());
            outdated.insert(WHOLE.into(), why);
            return Ok(outdated);
        }
        source = emit::blank_tests(&source, |method| outdated.contains_key(method));
    }
    Ok(outdated)
}
