//! Nothing is written that has not been compiled and run: fresh JVMs without probes in the user's classes, shuffled, with and
//! without `-ea`, in two time zones, locales and encodings. What does not hold is taken out, counted, and the rest is tried again.

use super::allowance::Allowance;
use super::class::Target;
use super::{Context, EngineError};
use crate::config::JunitVersion;
use crate::emit::{self, Rendered};
use crate::jvm::{Compiler, Diagnostic, DiagnosticKind, JunitEnd, JunitOutcome, JunitRun, JvmError, TestOutcome, run_junit};
use crate::oracle::AssertedTest;
use crate::report::{Discarded, JvmReport};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::thread::JoinHandle;
use std::time::Duration;

/// A compiler that starts in the background.
#[derive(Debug)]
pub struct LazyCompiler {
    starting: Option<JoinHandle<Result<Compiler, JvmError>>>,
    compiler: Option<Compiler>,
}

impl LazyCompiler {
    pub fn new(starting: JoinHandle<Result<Compiler, JvmError>>) -> LazyCompiler {
        LazyCompiler { starting: Some(starting), compiler: None }
    }

    fn get(&mut self) -> Result<&mut Compiler, EngineError> {
        if let Some(starting) = self.starting.take() {
            let compiler = starting.join().map_err(|_| EngineError::Fault("starting the compiler panicked".into()))?;
            self.compiler = Some(compiler.map_err(|error| EngineError::Fault(error.to_string()))?);
        }
        self.compiler.as_mut().ok_or_else(|| EngineError::Fault("the compiler could not be started".into()))
    }
}

/// What may be written.
#[derive(Debug)]
pub struct Verified {
    /// `None` when no test is left.
    pub rendered: Option<Rendered>,
    /// The tests of `rendered`, in the order of its indices.
    pub tests: Vec<AssertedTest>,
}

/// Where one verifying run takes place.
struct Environment {
    order_seed: u64,
    assertions: bool,
    time_zone: &'static str,
    locale: &'static str,
    encoding: &'static str,
}

/// The first is the workers' own; whoever fails there is failing, whoever fails only elsewhere is flaky.
const ENVIRONMENTS: [Environment; 3] = [
    Environment { order_seed: 0, assertions: true, time_zone: "UTC", locale: "en_US", encoding: "UTF-8" },
    Environment { order_seed: 1, assertions: false, time_zone: "Asia/Kolkata", locale: "tr_TR", encoding: "ISO-8859-1" },
    Environment { order_seed: 2, assertions: true, time_zone: "America/New_York", locale: "de_DE", encoding: "UTF-8" },
];
/// Rounds of taking out and trying again.
const MOST_ROUNDS: u32 = 8;
/// Of these, the ones in which tests that a dying JVM kept from running are tried again.
const PATIENT_ROUNDS: u32 = 4;
const RUN_LIMIT: Duration = Duration::from_secs(60);
const LEAST_RUN_LIMIT: Duration = Duration::from_secs(3);

pub fn verify(
    context: &Context<'_>,
    target: &Target,
    mut tests: Vec<AssertedTest>,
    compiler: &mut LazyCompiler,
    allowance: &Allowance,
    discarded: &mut Discarded,
    jvm: &mut JvmReport,
) -> Result<Verified, EngineError> {
    let options = emit::Options {
        junit: match context.config.junit {
            JunitVersion::Four => emit::JUnit::Four,
            JunitVersion::Five => emit::JUnit::Five,
        },
        release: target.release(),
        seed: context.config.seed,
        package: target.test_package().to_owned(),
    };
    for round in 0..MOST_ROUNDS {
        let rendered = emit::render(&context.program, target.name(), &tests, &options);
        for (_, reason) in &rendered.unprintable {
            *discarded.unprintable.entry(reason.to_string()).or_default() += 1;
        }
        if rendered.tests.is_empty() {
            return Ok(Verified { rendered: None, tests: Vec::new() });
        }
        let folder = context.temporary.join(format!("verify-{}-{round}", target.name().binary()));
        let wrong = compile(context, &rendered, target.release(), compiler, &folder)?;
        if !wrong.is_empty() {
            discarded.uncompilable += wrong.len() as u64;
            tests = without(&rendered, tests, &wrong);
            continue;
        }
        let environments = if context.interrupt.is_set() { &ENVIRONMENTS[..1] } else { &ENVIRONMENTS[..] };
        let outcomes = run(context, &rendered, environments, &folder, allowance)?;
        jvm.started += outcomes.len() as u64;
        let (failing, flaky) = judge(&rendered, &outcomes, round < PATIENT_ROUNDS);
        if failing.is_empty() && flaky.is_empty() {
            // What Java source cannot express is in neither list.
            let tests = rendered.tests.iter().map(|test| tests[test.index].clone()).collect();
            return Ok(Verified { rendered: Some(rendered), tests });
        }
        discarded.failing += failing.len() as u64;
        discarded.flaky += flaky.len() as u64;
        tests = without(&rendered, tests, &failing.union(&flaky).copied().collect());
    }
    Ok(Verified { rendered: None, tests: Vec::new() })
}

/// The tests that were rendered, but for the wrong ones (given by their index in the rendered file).
fn without(rendered: &Rendered, tests: Vec<AssertedTest>, wrong: &BTreeSet<usize>) -> Vec<AssertedTest> {
    let keep: BTreeSet<usize> =
        rendered.tests.iter().enumerate().filter(|(place, _)| !wrong.contains(place)).map(|(_, test)| test.index).collect();
    tests.into_iter().enumerate().filter(|(index, _)| keep.contains(index)).map(|(_, test)| test).collect()
}

fn source_path(rendered: &Rendered) -> String {
    let package = rendered.class.package();
    if package.is_empty() { rendered.file_name.clone() } else { format!("{package}/{}", rendered.file_name) }
}

/// JUnit for the compiler and the runs.
fn junit_path(context: &Context<'_>) -> Vec<PathBuf> {
    let mut path = vec![context.installation.junit_console.clone()];
    if context.config.junit == JunitVersion::Four {
        path.extend(context.installation.junit4.iter().cloned());
    }
    path
}

/// Compiles the file; the places of the tests that do not compile, none when all is well.
fn compile(
    context: &Context<'_>,
    rendered: &Rendered,
    release: u32,
    compiler: &mut LazyCompiler,
    folder: &Path,
) -> Result<BTreeSet<usize>, EngineError> {
    let mut class_path = context.config.classpath.clone();
    class_path.extend(junit_path(context));
    let sources = [(source_path(rendered), rendered.source.clone())];
    let diagnostics =
        compiler.get()?.compile(&sources, &class_path, release, folder).map_err(|error| EngineError::Fault(error.to_string()))?;
    let errors: Vec<&Diagnostic> = diagnostics.iter().filter(|diagnostic| diagnostic.kind == DiagnosticKind::Error).collect();
    let mut wrong = BTreeSet::new();
    for error in &errors {
        tracing::warn!(file = error.file, line = error.line, "generated source does not compile: {}", error.message);
        let place = rendered.tests.iter().position(|test| (test.lines.0..=test.lines.1).contains(&error.line));
        match place {
            Some(place) => wrong.insert(place),
            // An error outside every test (an import, the header): some test asked for it, and nobody can say which.
            None => {
                wrong.extend(0..rendered.tests.len());
                break;
            }
        };
    }
    Ok(wrong)
}

fn run(
    context: &Context<'_>,
    rendered: &Rendered,
    environments: &[Environment],
    folder: &Path,
    allowance: &Allowance,
) -> Result<Vec<JunitOutcome>, EngineError> {
    let mut class_path = vec![folder.to_path_buf()];
    class_path.extend(context.config.classpath.iter().cloned());
    let timeout = allowance.left().map_or(RUN_LIMIT, |left| left.clamp(LEAST_RUN_LIMIT, RUN_LIMIT));
    let runs: Vec<JunitRun> = environments
        .iter()
        .map(|environment| JunitRun {
            jdk: context.jdk.clone(),
            agent_library: Some(context.installation.agent.clone()),
            classpath: class_path.clone(),
            junit: junit_path(context),
            test_classes: vec![rendered.class.binary()],
            order_seed: environment.order_seed,
            assertions: environment.assertions,
            time_zone: environment.time_zone.into(),
            locale: environment.locale.into(),
            encoding: environment.encoding.into(),
            timeout,
            temporary: context.temporary.to_path_buf(),
        })
        .collect();
    let outcomes: Vec<Result<JunitOutcome, JvmError>> = std::thread::scope(|scope| {
        let handles: Vec<_> = runs.iter().map(|run| scope.spawn(move || run_junit(run))).collect();
        handles
            .into_iter()
            .map(|handle| handle.join().unwrap_or_else(|_| Err(JvmError::Start("a verifying run panicked".into()))))
            .collect()
    });
    outcomes.into_iter().collect::<Result<_, _>>().map_err(|error| EngineError::Fault(error.to_string()))
}

/// The places of the tests that failed in the first environment, and of those that failed only in others.
/// A JVM that ended leaves tests without an outcome: `patient` gives them another round.
fn judge(rendered: &Rendered, outcomes: &[JunitOutcome], patient: bool) -> (BTreeSet<usize>, BTreeSet<usize>) {
    let (mut failing, mut flaky) = (BTreeSet::new(), BTreeSet::new());
    for (number, outcome) in outcomes.iter().enumerate() {
        let running = match &outcome.end {
            JunitEnd::Completed => None,
            JunitEnd::TimedOut { running } | JunitEnd::Died { running } => running.as_ref(),
        };
        for (place, test) in rendered.tests.iter().enumerate() {
            let found = outcome.tests.iter().find(|((_, method), _)| *method == test.method).map(|(_, outcome)| outcome);
            let bad = match found {
                Some(TestOutcome::Passed) => false,
                Some(TestOutcome::Failed(message)) => {
                    tracing::warn!(test = test.method, environment = number, "generated test fails: {message}");
                    true
                }
                Some(TestOutcome::Skipped) => true,
                // The JVM ended: the test that ran then is to blame; the ones after it get another chance. Nobody to blame: all.
                None => !patient || running.is_none_or(|(_, method)| *method == test.method),
            };
            if bad {
                if number == 0 { &mut failing } else { &mut flaky }.insert(place);
            }
        }
    }
    flaky.retain(|place| !failing.contains(place));
    (failing, flaky)
}
