//! Tests written earlier, held against the classes as they are. Flows in: the text of a test file; flows out: its tests that do not compile or do not pass
//! any more, each with a reason. Must not change them.

use std::collections::BTreeMap;
use std::time::Duration;

use super::compiler::{COMPILE_LIMIT, CompilerService};
use super::context::Context;
use super::error::EngineError;
use super::target::Target;
use super::verify::Verifiers;
use crate::emit;
use crate::jvm::{DiagnosticKind, JunitEnd, TestOutcome};

const RUN_LIMIT: Duration = Duration::from_secs(20);
/// What stands for the name of a test where it is about all of them.
const WHOLE: &str = "*";
/// Each time, what does not compile is taken out.
const MOST_ROUNDS: usize = 3;

/// `file`: relative to the folder of the tests; `number` tells the files of a class apart.
pub(crate) fn find_outdated_tests(
    context: &Context<'_>,
    target: &Target,
    file: &str,
    source: &str,
    number: u32,
    compiler: &mut CompilerService,
) -> Result<BTreeMap<String, String>, EngineError> {
    let mut wrong = BTreeMap::new();
    let mut source = source.to_owned();
    let mut class_path = context.config.classpath.clone();
    class_path.extend(context.junit_path());
    let class = file.trim_end_matches(".java").replace('/', ".");
    // Numbers of rounds far from those of verification: each has a folder of its own.
    let verifiers = Verifiers::start(context, target, 1000 + number, 1);
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
                        wrong.insert(name.to_owned(), why.clone());
                    }
                }
                if let JunitEnd::Hung { running: (_, method) } | JunitEnd::Died { running: Some((_, method)) } = &outcome.end {
                    wrong.insert(method.clone(), "it does not come to its end".into());
                }
            }
            return Ok(wrong);
        };
        let tests = emit::written_tests(&source);
        let mut cut = false;
        for error in &errors {
            if let Some(test) = tests.iter().find(|test| (test.lines.0..=test.lines.1).contains(&error.line)) {
                let why = error.message.lines().next().unwrap_or_default();
                cut |= wrong.insert(test.method.clone(), format!("it does not compile: {why}")).is_none();
            }
        }
        if !cut {
            let why = format!("it does not compile: line {}: {}", first.line, first.message.lines().next().unwrap_or_default());
            wrong.insert(WHOLE.into(), why);
            return Ok(wrong);
        }
        source = emit::blank_tests(&source, |method| wrong.contains_key(method));
    }
    Ok(wrong)
}
