//! Outdated tests: tests of an earlier generation that a change made wrong.
//!
//! Flows in: the text of a test file. Flows out: its tests that no longer compile or pass, each
//! with a reason. Must not change the file.

use std::collections::BTreeMap;
use std::time::Duration;

use super::compiler::{COMPILE_LIMIT, CompilerService};
use super::context::Context;
use super::error::EngineError;
use super::target::Target;
use super::verify::Verifiers;
use crate::emit;
use crate::jvm::{DiagnosticKind, JunitEnd, TestOutcome};

/// Time limit of the run of one file.
const RUN_LIMIT: Duration = Duration::from_secs(20);
/// Number of the first round, see [`Verifiers::start`].
const FIRST_ROUND: u32 = 1000;
/// Stands for the name of a test where the reason is about all tests of the file.
const WHOLE: &str = "*";
/// Rounds of compiling; after each, tests that do not compile are removed.
const MOST_ROUNDS: usize = 3;

/// Compiles and runs the tests of a file. `file` is relative to the output folder, `number` its
/// number among the files of the class.
///
/// [`EngineError::Fault`] where the compiler or the verifying JVM cannot be started.
pub(crate) fn find_outdated_tests(
    context: &Context<'_>,
    target: &Target,
    file: &str,
    source: &str,
    number: u32,
    compiler: &mut CompilerService,
) -> Result<BTreeMap<String, String>, EngineError> {
    let mut outdated = BTreeMap::new();
    let mut source = source.to_owned();
    let mut class_path = context.config.classpath.clone();
    class_path.extend(context.junit_path());
    let class = file.trim_end_matches(".java").replace('/', ".");
    // The folder of a round is named after its number: these numbers are not used by the
    // verification.
    let verifiers = Verifiers::start(context, target, FIRST_ROUND + number, 1);
    for _ in 0..MOST_ROUNDS {
        let sources = [(file.to_owned(), source.clone())];
        let compiled = compiler.get()?.compile(&sources, &class_path, target.release(), verifiers.folder(), COMPILE_LIMIT);
        let diagnostics = compiled.map_err(|error| EngineError::Fault(error.to_string()))?;
        let errors: Vec<_> = diagnostics.iter().filter(|diagnostic| diagnostic.kind == DiagnosticKind::Error).collect();
        let Some(first) = errors.first() else {
            let outcomes = verifiers.run(&class, RUN_LIMIT, 1)?;
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
