//! Verification: only tests that compile and pass in fresh JVMs are written.
//!
//! Flows in: tests with assertions. Flows out: the rendered file of those that hold. Must not know
//! how tests were found. The JVMs have no probes in the user's classes. They differ in the order of
//! tests, in `-ea`, in time zone, locale and encoding. Tests that do not compile or pass are
//! removed, and the others run again while there is time.
//!
//! With little time, the file is shortened before it is compiled, or tests run in one environment
//! instead of three. Without time, the tests that passed in one JVM and failed in none are written.
//! Only if no test is verified yet, compiling and running may exceed the budget.

use super::compiler::{COMPILE_LIMIT, CompilerService};
use super::context::Context;
use super::error::EngineError;
use super::obstacles::record_lost;
use super::shared_state::SharedState;
use super::target::Target;
use super::time_budget::TimeBudget;
use crate::config::{Budget, JunitVersion};
use crate::emit::{self, Rendered};
use crate::jvm::{Diagnostic, DiagnosticKind, JunitEnd, JunitJvm, JunitOutcome, JunitWorker, JvmError, TestOutcome};
use crate::oracle::AssertedTest;
use crate::report::{Discarded, UntestedCause, UnverifiedReason};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Result of the verification.
#[derive(Debug)]
pub(crate) struct Verified {
    /// `None` where no test is left.
    pub(crate) rendered: Option<Rendered>,
    /// The tests of `rendered`, in the order of its test indices.
    pub(crate) tests: Vec<AssertedTest>,
}

/// The environment of one verifying JVM.
pub(crate) struct Environment {
    order_seed: u64,
    assertions: bool,
    time_zone: &'static str,
    locale: &'static str,
    encoding: &'static str,
}

/// The first environment is that of the workers. A test that fails there is failing; one that fails
/// only in others is flaky.
pub(crate) const ENVIRONMENTS: [Environment; 3] = [
    Environment { order_seed: 0, assertions: true, time_zone: "UTC", locale: "en_US", encoding: "UTF-8" },
    Environment { order_seed: 1, assertions: false, time_zone: "Asia/Kolkata", locale: "tr_TR", encoding: "ISO-8859-1" },
    Environment { order_seed: 2, assertions: true, time_zone: "America/New_York", locale: "de_DE", encoding: "UTF-8" },
];
/// Rounds of rendering, compiling and running.
const MOST_ROUNDS: u32 = 8;
/// Further rounds for tests without an outcome where steps are counted, each with twice the time.
const REPETITIONS: u32 = 3;
/// Time limits of a whole run and of one test.
const RUN_LIMIT: Duration = Duration::from_secs(60);
const TEST_LIMIT: Duration = Duration::from_secs(5);
/// Where steps are counted, both limits are longer by this factor: only a test that hangs may reach
/// them, also on a busy machine.
const STEPPED_PATIENCE: u32 = 6;
/// A file that is shortened for lack of time keeps at least this many tests.
const LEAST_TESTS: usize = 8;
/// Expected time of another round, relative to the round before.
const ROUND_CAUTION: f64 = 1.3;
/// Tests run in the first environment alone where less time is left than this factor of the
/// expected time.
const RUN_CAUTION: f64 = 1.2;

/// The verifying JVMs of one round. They load JUnit while the tests are still being finished.
#[derive(Debug)]
pub(crate) struct Verifiers {
    /// Folder of the compiled tests.
    folder: PathBuf,
    starting: JoinHandle<Result<Vec<JunitWorker>, JvmError>>,
    /// Factor of the time limits.
    patience: u32,
}

impl Verifiers {
    /// Starts JVMs in the background for the first `most` environments. `round` names their folder.
    pub(crate) fn start(context: &Context<'_>, target: &Target, round: u32, most: usize) -> Verifiers {
        let folder = context.temporary.join(format!("verify-{}-{round}", target.name().binary()));
        let jvms: Vec<JunitJvm> = ENVIRONMENTS
            .iter()
            .take(most)
            .map(|environment| JunitJvm {
                jdk: context.jdk.clone(),
                agent_library: Some(context.installation.agent.clone()),
                java_agent: context.mocking_agent.clone().filter(|_| target.cluster().has_mocks()),
                classes: folder.clone(),
                classpath: context.config.classpath.clone(),
                junit: context.junit_path(),
                order_seed: environment.order_seed,
                assertions: environment.assertions,
                time_zone: environment.time_zone.into(),
                locale: environment.locale.into(),
                encoding: environment.encoding.into(),
                temporary: context.temporary.to_path_buf(),
                allow: context.allowed(),
            })
            .collect();
        let starting = std::thread::spawn(move || jvms.iter().map(JunitWorker::start).collect());
        let patience = if let Budget::Steps(_) = context.config.budget { STEPPED_PATIENCE } else { 1 };
        Verifiers { folder, starting, patience }
    }

    /// Folder of the compiled tests.
    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Runs the test class in the first `most` JVMs at once, each for `timeout` at most, or for a
    /// multiple of it where steps are counted.
    ///
    /// [`EngineError::Fault`] where a JVM did not start.
    pub(crate) fn run(self, class: &str, timeout: Duration, most: usize) -> Result<Vec<JunitOutcome>, EngineError> {
        let fault = |error: JvmError| EngineError::Fault(error.to_string());
        let workers = self.starting.join().map_err(|_| EngineError::Fault("starting JUnit panicked".into()))?.map_err(fault)?;
        let classes = [class.to_owned()];
        let (timeout, test_timeout) = (timeout * self.patience, TEST_LIMIT * self.patience);
        let outcomes: Vec<Result<JunitOutcome, JvmError>> = std::thread::scope(|scope| {
            let handles: Vec<_> = workers
                .into_iter()
                .take(most)
                .map(|worker| scope.spawn(|| worker.run(&classes, timeout, test_timeout)))
                .collect();
            handles
                .into_iter()
                .map(|handle| handle.join().unwrap_or_else(|_| Err(JvmError::Start("a verifying run panicked".into()))))
                .collect()
        });
        outcomes.into_iter().collect::<Result<_, _>>().map_err(fault)
    }
}

/// What verification needs to know about a class.
pub(super) struct Verification<'a> {
    pub(super) context: &'a Context<'a>,
    pub(super) target: &'a Target,
    pub(super) budget: &'a TimeBudget,
    /// Number of the test file among the files of the class, from 1.
    pub(super) number: u32,
    /// Name of the change that the tests are limited to.
    pub(super) change: Option<String>,
    /// Chooses the given number of tests that cover the most together.
    pub(super) choose_best: &'a dyn Fn(Vec<AssertedTest>, usize) -> Vec<AssertedTest>,
}

/// Renders, compiles and runs the tests until all that are left hold. `verifiers` are the JVMs of
/// the first round.
///
/// [`EngineError::Fault`] where the compiler or a verifying JVM cannot be started.
pub(super) fn verify(
    verification: &Verification<'_>,
    mut tests: Vec<AssertedTest>,
    verifiers: Verifiers,
    shared: &mut SharedState,
    discarded: &mut Discarded,
) -> Result<Verified, EngineError> {
    let Verification { context, target, budget, number, change, choose_best } = verification;
    let options = emit::Options {
        junit: match context.config.junit {
            JunitVersion::Four => emit::JUnit::Four,
            JunitVersion::Five => emit::JUnit::Five,
        },
        release: target.release(),
        seed: context.config.seed,
        package: target.test_package().to_owned(),
        number: *number,
        change: change.clone(),
    };
    let mut standby = Some(verifiers);
    let mut repeated = 0;
    for round in 0..MOST_ROUNDS + REPETITIONS {
        let begin = Instant::now();
        let mut rendered = emit::render(&context.program, target.name(), &tests, &options);
        if round == 0
            && let Some(most) = tests_in_time(&rendered, budget)
        {
            tracing::debug!("no time to verify {} tests: {most} of them stay", rendered.tests.len());
            discarded.count_unverified(UnverifiedReason::NoTime, tests.len() - most.min(tests.len()));
            // Those that stay are among them: a method with a test needs no reason.
            lose_all(discarded, &tests, UntestedCause::Unverified, UnverifiedReason::NoTime.text());
            tests = choose_best(tests, most);
            rendered = emit::render(&context.program, target.name(), &tests, &options);
        }
        for (index, reason) in &rendered.unprintable {
            *discarded.unprintable.entry(reason.to_string()).or_default() += 1;
            let detail = format!("Java source cannot express its tests: {reason}");
            record_lost(discarded, &tests[*index].test, UntestedCause::Unprintable, &detail);
        }
        if rendered.tests.is_empty() {
            return Ok(Verified { rendered: None, tests: Vec::new() });
        }
        let verifiers = standby.take().unwrap_or_else(|| Verifiers::start(context, target, round, ENVIRONMENTS.len()));
        let patience = budget.timeout_for(COMPILE_LIMIT);
        let wrong = match compile(context, &rendered, target.release(), &mut shared.compiler, &verifiers.folder, patience) {
            Ok(wrong) => wrong,
            Err(_) if budget.timeout_for(COMPILE_LIMIT).is_zero() => {
                discarded.count_unverified(UnverifiedReason::NoOutcome, rendered.tests.len());
                lose_all(discarded, &tests, UntestedCause::Unverified, UnverifiedReason::NoOutcome.text());
                return Ok(Verified { rendered: None, tests: Vec::new() });
            }
            Err(error) => return Err(error),
        };
        let compiled = begin.elapsed();
        if !wrong.is_empty() {
            discarded.uncompilable += wrong.len() as u64;
            for (place, sentence) in &wrong {
                let detail = format!("javac rejects its tests: {sentence}");
                record_lost(discarded, &tests[rendered.tests[*place].index].test, UntestedCause::Uncompilable, &detail);
            }
            tests = remove_tests(&rendered, tests, &wrong.into_keys().collect());
            standby = Some(verifiers);
            continue;
        }
        let lines = rendered.source.lines().count();
        let expected = budget.speed().corrected_by_compilation(lines, compiled).run(lines).mul_f64(RUN_CAUTION);
        let limit = budget.run_timeout_for(2 * expected, RUN_LIMIT * (1 << repeated));
        let short = !budget.allows(expected);
        let environments = if short || context.interrupt.is_set() { 1 } else { ENVIRONMENTS.len() };
        let outcomes = verifiers.run(&rendered.class.binary(), limit, environments)?;
        let took = begin.elapsed();
        tracing::debug!(tests = rendered.tests.len(), lines, environments, ?compiled, ?took, speed = ?budget.speed(), "verified");
        if round == 0
            && let Some(speed) = &mut shared.speed
        {
            speed.observe_verification(lines, took);
        }
        shared.jvm.started += outcomes.len() as u64;
        let may_skip = |index: usize| tests[index].assumes.is_some();
        let methods: Vec<(&str, bool)> = rendered.tests.iter().map(|test| (test.method.as_str(), may_skip(test.index))).collect();
        let verdict = judge_outcomes(&methods, &outcomes);
        if verdict.all_passed() {
            return Ok(verified(rendered, &tests));
        }
        let RunVerdict { failing, flaky, unanswered, passing } = verdict;
        discarded.failing += failing.len() as u64;
        discarded.flaky += flaky.len() as u64;
        for (places, cause, detail) in [
            (&failing, UntestedCause::Failing, "its tests failed when JUnit ran them"),
            (&flaky, UntestedCause::Environment, "its tests failed with another order, time zone, locale or encoding"),
            (&unanswered, UntestedCause::Unverified, UnverifiedReason::NoOutcome.text()),
        ] {
            places.iter().for_each(|place| record_lost(discarded, &tests[rendered.tests[*place].index].test, cause, detail));
        }
        let late = !budget.counts_steps() && !budget.allows(took.mul_f64(ROUND_CAUTION));
        if round + 1 == MOST_ROUNDS + REPETITIONS || (late && !passing.is_empty()) {
            // The tests that stay have been compiled and have passed. The shorter file is not run
            // again.
            discarded.count_unverified(UnverifiedReason::NoOutcome, unanswered.difference(&passing).count());
            return Ok(verified(emit::retain_tests(&rendered, &passing), &tests));
        }
        let mut wrong: BTreeSet<usize> = failing.union(&flaky).copied().collect();
        if wrong.is_empty() {
            repeated += 1;
            if repeated > REPETITIONS {
                discarded.count_unverified(UnverifiedReason::NoOutcome, unanswered.len());
                wrong = unanswered;
            }
        }
        tests = remove_tests(&rendered, tests, &wrong);
    }
    discarded.count_unverified(UnverifiedReason::NoOutcome, tests.len());
    lose_all(discarded, &tests, UntestedCause::Unverified, UnverifiedReason::NoOutcome.text());
    Ok(Verified { rendered: None, tests: Vec::new() })
}

/// Counts the tests as lost for one cause.
fn lose_all(discarded: &mut Discarded, tests: &[AssertedTest], cause: UntestedCause, detail: &str) {
    tests.iter().for_each(|test| record_lost(discarded, &test.test, cause, detail));
}

/// The result for a rendered file. `tests` are all tests that were to be rendered.
fn verified(rendered: Rendered, tests: &[AssertedTest]) -> Verified {
    if rendered.tests.is_empty() {
        return Verified { rendered: None, tests: Vec::new() };
    }
    let tests = rendered.tests.iter().map(|test| tests[test.index].clone()).collect();
    Verified { rendered: Some(rendered), tests }
}

/// How many tests can be verified in the time that is left; `None`: all of them.
fn tests_in_time(rendered: &Rendered, budget: &TimeBudget) -> Option<usize> {
    let left = budget.verify_time()?;
    let lines = rendered.source.lines().count();
    let most = budget.speed().lines_in(left);
    // Slightly late with all tests is better than in time with fewer.
    (lines > most + most / 4).then(|| (rendered.tests.len() * most / lines.max(1)).max(LEAST_TESTS))
}

/// Removes the tests with the given places in the rendered file, and those that could not be
/// rendered.
fn remove_tests(rendered: &Rendered, tests: Vec<AssertedTest>, wrong: &BTreeSet<usize>) -> Vec<AssertedTest> {
    let keep: BTreeSet<usize> =
        rendered.tests.iter().enumerate().filter(|(place, _)| !wrong.contains(place)).map(|(_, test)| test.index).collect();
    tests.into_iter().enumerate().filter(|(index, _)| keep.contains(index)).map(|(_, test)| test).collect()
}

/// Path of the file relative to the output folder, as the compiler wants it.
fn source_path(rendered: &Rendered) -> String {
    let package = rendered.class.package();
    if package.is_empty() { rendered.file_name.clone() } else { format!("{package}/{}", rendered.file_name) }
}

/// Compiles the file and gives the places of the tests that do not compile, each with the first
/// sentence of the compiler about it.
fn compile(
    context: &Context<'_>,
    rendered: &Rendered,
    release: u32,
    compiler: &mut CompilerService,
    folder: &Path,
    patience: Duration,
) -> Result<BTreeMap<usize, String>, EngineError> {
    let mut class_path = context.config.classpath.clone();
    class_path.extend(context.junit_path());
    let sources = [(source_path(rendered), rendered.source.clone())];
    let diagnostics = compiler
        .get()?
        .compile(&sources, &class_path, release, folder, patience)
        .map_err(|error| EngineError::Fault(error.to_string()))?;
    let errors: Vec<&Diagnostic> = diagnostics.iter().filter(|diagnostic| diagnostic.kind == DiagnosticKind::Error).collect();
    let mut wrong = BTreeMap::new();
    for error in &errors {
        let sentence = error.message.lines().map(str::trim).collect::<Vec<&str>>().join(" ");
        tracing::warn!(file = error.file, line = error.line, "generated source does not compile: {}", error.message);
        let place = rendered.tests.iter().position(|test| (test.lines.0..=test.lines.1).contains(&error.line));
        match place {
            Some(place) => {
                wrong.entry(place).or_insert(sentence);
            }
            // An error outside every test is that of an import. The tests that use the imported
            // name are wrong, or all where none does.
            None => {
                let mut asked = tests_using_import(rendered, error.line);
                if asked.is_empty() {
                    asked = (0..rendered.tests.len()).collect();
                }
                for place in asked {
                    wrong.entry(place).or_insert_with(|| sentence.clone());
                }
            }
        }
    }
    Ok(wrong)
}

/// Places of the tests that use the name which the line of the rendered file imports.
fn tests_using_import(rendered: &Rendered, line: u32) -> BTreeSet<usize> {
    let lines: Vec<&str> = rendered.source.lines().collect();
    let of = |number: u32| lines.get(number.saturating_sub(1) as usize).copied().unwrap_or_default();
    let Some(imported) = of(line).strip_prefix("import ").and_then(|import| import.trim_end_matches(';').rsplit('.').next())
    else {
        return BTreeSet::new();
    };
    let named =
        |line: &str| line.split(|unit: char| !unit.is_alphanumeric() && unit != '_' && unit != '$').any(|word| word == imported);
    let tests = rendered.tests.iter().enumerate();
    tests.filter(|(_, test)| (test.lines.0..=test.lines.1).any(|number| named(of(number)))).map(|(place, _)| place).collect()
}

/// Places of tests by their outcomes.
#[derive(Debug, Default, PartialEq)]
struct RunVerdict {
    /// Failed in the first environment.
    failing: BTreeSet<usize>,
    /// Failed in other environments only.
    flaky: BTreeSet<usize>,
    /// Failed nowhere, but without an outcome in some environment, because a run ended early.
    unanswered: BTreeSet<usize>,
    /// Passed in one environment at least, and failed in none.
    passing: BTreeSet<usize>,
}

impl RunVerdict {
    fn all_passed(&self) -> bool {
        self.failing.is_empty() && self.flaky.is_empty() && self.unanswered.is_empty()
    }
}

/// Judges tests by the outcomes of all runs, which are those of the first [`ENVIRONMENTS`].
/// `methods` are the tests by place, each with whether it is to be skipped without assertions. A
/// test is wrong where it failed, was skipped otherwise, or was running when its JVM hung or died.
fn judge_outcomes(methods: &[(&str, bool)], outcomes: &[JunitOutcome]) -> RunVerdict {
    let mut verdict = RunVerdict::default();
    for (number, outcome) in outcomes.iter().enumerate() {
        let running = match &outcome.end {
            JunitEnd::Completed | JunitEnd::OutOfTime => None,
            JunitEnd::Hung { running } => Some(running),
            JunitEnd::Died { running } => running.as_ref(),
        };
        let asserts = ENVIRONMENTS.get(number).is_none_or(|environment| environment.assertions);
        for (place, &(test, may_skip)) in methods.iter().enumerate() {
            let found = outcome.tests.iter().find(|((_, method), _)| *method == test).map(|(_, outcome)| outcome);
            let bad = match found {
                Some(TestOutcome::Passed) => {
                    verdict.passing.insert(place);
                    false
                }
                Some(TestOutcome::Failed(message)) => {
                    tracing::warn!(test, environment = number, "generated test fails: {message}");
                    true
                }
                Some(TestOutcome::Skipped) => asserts || !may_skip,
                None if running.is_some_and(|(_, method)| method == test) => {
                    tracing::warn!(test, environment = number, "generated test ends its JVM: {:?}", outcome.end);
                    true
                }
                None => {
                    verdict.unanswered.insert(place);
                    false
                }
            };
            if bad {
                if number == 0 { &mut verdict.failing } else { &mut verdict.flaky }.insert(place);
            }
        }
    }
    verdict.flaky.retain(|place| !verdict.failing.contains(place));
    verdict.passing.retain(|place| !verdict.failing.contains(place) && !verdict.flaky.contains(place));
    verdict.unanswered.retain(|place| !verdict.failing.contains(place) && !verdict.flaky.contains(place));
    verdict
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outcome(tests: &[(&str, TestOutcome)], end: JunitEnd) -> JunitOutcome {
        let tests = tests.iter().map(|(method, outcome)| (("T".to_owned(), (*method).to_owned()), outcome.clone())).collect();
        JunitOutcome { tests, end }
    }

    fn places(places: &[usize]) -> BTreeSet<usize> {
        places.iter().copied().collect()
    }

    #[test]
    fn a_missing_import_is_the_matter_of_those_that_name_it() {
        let source = "package p;\n\nimport q.Gone;\n\nclass T {\n    void a() {\n        Gone.x();\n    }\n    void b() {\n        Goner.x();\n    }\n}\n";
        let test = |index, method: &str, lines| emit::RenderedTest { index, method: method.into(), lines };
        let rendered = Rendered {
            class: crate::program::ClassName::new("p/T"),
            file_name: "T.java".into(),
            source: source.into(),
            tests: vec![test(0, "a", (6, 8)), test(1, "b", (9, 11))],
            unprintable: Vec::new(),
        };
        assert_eq!(tests_using_import(&rendered, 3), places(&[0]));
        assert_eq!(tests_using_import(&rendered, 5), places(&[]));
    }

    #[test]
    fn a_run_that_ends_before_the_first_test_removes_no_test() {
        let whole = outcome(&[("a", TestOutcome::Passed), ("b", TestOutcome::Passed)], JunitEnd::Completed);
        for end in [JunitEnd::OutOfTime, JunitEnd::Died { running: None }] {
            let short = outcome(&[("a", TestOutcome::Passed)], end);
            let verdict = judge_outcomes(&[("a", false), ("b", false)], &[whole.clone(), short]);
            assert_eq!(verdict, RunVerdict { unanswered: places(&[1]), passing: places(&[0, 1]), ..RunVerdict::default() });
        }
    }

    #[test]
    fn a_test_that_hangs_or_ends_the_jvm_is_removed_and_those_behind_it_stay() {
        let running = ("T".to_owned(), "a".to_owned());
        for end in [JunitEnd::Hung { running: running.clone() }, JunitEnd::Died { running: Some(running.clone()) }] {
            let verdict = judge_outcomes(&[("a", false), ("b", false)], &[outcome(&[], end)]);
            assert_eq!(verdict, RunVerdict { failing: places(&[0]), unanswered: places(&[1]), ..RunVerdict::default() });
        }
    }

    #[test]
    fn failing_at_home_is_failing_and_failing_abroad_is_flaky() {
        let failed = || TestOutcome::Failed(String::new());
        let home = outcome(&[("a", failed()), ("b", TestOutcome::Passed), ("c", TestOutcome::Passed)], JunitEnd::Completed);
        let abroad = outcome(&[("a", failed()), ("b", failed()), ("c", TestOutcome::Passed)], JunitEnd::Completed);
        let verdict = judge_outcomes(&["a", "b", "c"].map(|test| (test, false)), &[home, abroad]);
        assert_eq!(
            verdict,
            RunVerdict { failing: places(&[0]), flaky: places(&[1]), passing: places(&[2]), ..RunVerdict::default() }
        );
    }

    #[test]
    fn a_test_of_an_assert_may_be_skipped_where_assertions_are_off() {
        let run = |outcome_of_both: TestOutcome| {
            outcome(&[("a", outcome_of_both.clone()), ("b", outcome_of_both)], JunitEnd::Completed)
        };
        let (passed, skipped) = (|| run(TestOutcome::Passed), || run(TestOutcome::Skipped));
        let judge = |outcomes: &[JunitOutcome]| judge_outcomes(&[("a", true), ("b", false)], outcomes);
        let off = judge(&[passed(), skipped(), passed()]);
        assert_eq!(off, RunVerdict { flaky: places(&[1]), passing: places(&[0]), ..RunVerdict::default() });
        let on = judge(&[passed(), passed(), skipped()]);
        assert_eq!(on, RunVerdict { flaky: places(&[0, 1]), ..RunVerdict::default() });
    }
}
