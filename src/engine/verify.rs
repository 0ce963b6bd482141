//! Verification: only tests that compile and pass in JVMs of their own are written.
//!
//! Flows in: tests with assertions. Flows out: the rendered file of those that hold. Must not know
//! how tests were found. The JVMs have no probes in the user's classes. They differ in the order of
//! tests, in `-ea`, in time zone, locale and encoding. Tests that do not compile or pass are
//! removed, and the others run again while there is time.
//!
//! Tests of one shape are rows of parameterized tests. A table that does not compile or pass is taken
//! apart, and its tests are tried as methods of their own. Where time allows one round only, there are
//! no tables.
//!
//! With little time, the file is shortened before it is compiled, or tests run in one environment
//! instead of three. Without time, the tests that passed in one JVM and failed in none are written.
//! Everything ends shortly after the budget.

use super::error::EngineError;
use super::observer::Interrupt;
use super::obstacles::record_lost;
use super::shared_state::SharedState;
use super::time_budget::{LEAST_TESTS, MachineSpeed, TimeBudget};
use super::workshop::{ENVIRONMENTS, Environment, Verifiers, Workshop};
use crate::emit::{self, Rendered};
use crate::jvm::{JunitEnd, JunitOutcome, TestOutcome};
use crate::oracle::AssertedTest;
use crate::report::{Discarded, UncompilableExample, UntestedCause, UnverifiedReason};
use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

/// Result of the verification.
#[derive(Debug, Default)]
pub(crate) struct Verified {
    /// `None` where no test is left.
    pub(crate) rendered: Option<Rendered>,
    /// The tests of `rendered`, in the order of its test indices.
    pub(crate) tests: Vec<AssertedTest>,
}

/// Rounds of rendering, compiling and running.
const MOST_ROUNDS: u32 = 8;
/// Further rounds for tests without an outcome where steps are counted, each with twice the time.
const REPETITIONS: u32 = 3;
/// Time limit of a whole run.
const RUN_LIMIT: Duration = Duration::from_secs(60);
/// Expected time of another round, relative to the round before.
const ROUND_CAUTION: f64 = 1.3;
/// Tests run in the first environment alone where less time is left than this factor of the
/// expected time.
const RUN_CAUTION: f64 = 1.2;

/// A first round has at least this number of tests where other programs hold the JVMs up.
const LEAST_UNDER_LOAD: usize = 8;

/// What verification needs to know about a class.
pub(super) struct Verification<'a> {
    pub(super) workshop: &'a Workshop,
    pub(super) budget: &'a TimeBudget,
    pub(super) interrupt: &'a Interrupt,
    /// Chooses the given number of tests that cover the most together.
    pub(super) choose_best: &'a dyn Fn(Vec<AssertedTest>, usize) -> Vec<AssertedTest>,
}

/// Renders, compiles and runs the tests until all that are left hold, or until time is up.
/// `verifiers` are the JVMs of the first round. At the end of the budget, the tests are kept that
/// passed in an earlier round.
///
/// [`EngineError::Fault`] where the compiler or a verifying JVM cannot be started.
pub(super) fn verify(
    verification: &Verification<'_>,
    tests: Vec<AssertedTest>,
    verifiers: Verifiers,
    shared: &mut SharedState,
    discarded: &mut Discarded,
) -> Result<Verified, EngineError> {
    let mut waiting = Vec::new();
    let verified = verify_in_rounds(verification, tests, &mut waiting, verifiers, shared, discarded);
    discarded.count_unverified(UnverifiedReason::NoTime, waiting.len());
    verified
}

/// As [`verify`]. Tests that there is no time for at first are put into `waiting`; they are taken
/// from there where the others were verified early.
fn verify_in_rounds(
    verification: &Verification<'_>,
    mut tests: Vec<AssertedTest>,
    waiting: &mut Vec<AssertedTest>,
    verifiers: Verifiers,
    shared: &mut SharedState,
    discarded: &mut Discarded,
) -> Result<Verified, EngineError> {
    let Verification { workshop, budget, interrupt, choose_best } = verification;
    // The tests that passed in the round before.
    let mut passed: Option<Verified> = None;
    let given_up = |passed: Option<Verified>, lost: usize, discarded: &mut Discarded, tests: &[AssertedTest]| {
        let kept = passed.as_ref().map_or(0, |passed| passed.tests.len());
        discarded.count_unverified(UnverifiedReason::NoOutcome, lost.saturating_sub(kept));
        lose_all(discarded, tests, UntestedCause::Unverified, UnverifiedReason::NoOutcome.text());
        Ok(passed.unwrap_or_default())
    };
    let mut standby = Some(verifiers);
    // Loading takes no more time where enough JVMs have loaded everything.
    let speed_of = |loaded: usize, wanted: usize| {
        if loaded >= wanted { budget.speed().where_all_is_loaded() } else { budget.speed() }
    };
    let mut repeated = 0;
    // The tests that are no rows of tables.
    let mut single: Vec<AssertedTest> = Vec::new();
    for round in 0..MOST_ROUNDS + REPETITIONS {
        // Nothing is lost that passed before, so that a later round gets no time beyond the budget.
        let deadline = if passed.is_some() { budget.end() } else { budget.last_deadline() };
        let is_over = || deadline.is_some_and(|deadline| Instant::now() >= deadline);
        if round > 0 && is_over() {
            return given_up(passed, tests.len(), discarded, &tests);
        }
        let begin = Instant::now();
        let mut verifiers = standby.take().unwrap_or_else(|| workshop.start_verifiers(&round.to_string(), &ENVIRONMENTS));
        let is_beside_starts = verifiers.are_loading();
        let speed = speed_of(verifiers.loaded(), 1);
        let mut rendered = render(verification, &tests, &single);
        if round == 0
            && let Some(most) = tests_in_time(&rendered, budget, &speed)
        {
            tracing::debug!("no time to verify {} tests: {most} of them stay", rendered.test_cases());
            // Those that stay are among them: a method with a test needs no reason.
            lose_all(discarded, &tests, UntestedCause::Unverified, UnverifiedReason::NoTime.text());
            let chosen = choose_best(tests.clone(), most);
            *waiting = tests.into_iter().filter(|test| !chosen.contains(test)).collect();
            tests = chosen;
            rendered = render(verification, &tests, &single);
        }
        for (index, reason) in &rendered.unprintable {
            *discarded.unprintable.entry(reason.to_string()).or_default() += 1;
            let detail = format!("Java source cannot express its tests: {reason}");
            record_lost(discarded, &tests[*index].test, UntestedCause::Unprintable, &detail);
        }
        if rendered.tests.is_empty() {
            verifiers.release();
            return Ok(Verified::default());
        }
        let folder = verifiers.folder().to_path_buf();
        let wrong = match workshop.compile(&rendered, verifiers.folder(), deadline) {
            Ok(wrong) => wrong,
            Err(_) if is_over() => return given_up(passed, rendered.test_cases(), discarded, &tests),
            Err(error) => return Err(EngineError::fault(error)),
        };
        let compiled = begin.elapsed();
        if !wrong.is_empty() {
            single.extend(rows_of_tables(&rendered, &tests, wrong.keys()));
            let wrong: BTreeMap<usize, String> =
                wrong.into_iter().filter(|(place, _)| !rendered.tests[*place].is_table()).collect();
            discarded.uncompilable += wrong.len() as u64;
            for (place, sentence) in &wrong {
                discarded.add_uncompilable_example(|| UncompilableExample {
                    message: sentence.clone(),
                    source: source_of(&rendered, *place),
                });
                let detail = format!("javac rejects its tests: {sentence}");
                record_lost(discarded, &tests[rendered.tests[*place].index()].test, UntestedCause::Uncompilable, &detail);
            }
            tests = remove_tests(&rendered, tests, &wrong.into_keys().collect());
            standby = Some(verifiers);
            continue;
        }
        let lines = rendered.source.lines().count();
        let loaded = verifiers.loaded();
        let expected = |environments: usize| {
            let speed = speed_of(loaded, environments).corrected_by_compilation(lines, compiled);
            speed.run(lines).mul_f64(RUN_CAUTION)
        };
        let short = interrupt.is_set() || !budget.allows(expected(ENVIRONMENTS.len()));
        let environments = if short { 1 } else { ENVIRONMENTS.len() };
        let limit = budget.run_timeout_for(2 * expected(environments), RUN_LIMIT * (1 << repeated));
        let limit = deadline.map_or(limit, |deadline| limit.min(deadline.saturating_duration_since(Instant::now())));
        let outcomes = match verifiers.run(&rendered.class.binary(), limit, environments) {
            Ok(outcomes) => outcomes,
            Err(_) if is_over() => return given_up(passed, rendered.test_cases(), discarded, &tests),
            Err(error) => return Err(EngineError::fault(error)),
        };
        let took = begin.elapsed();
        tracing::debug!(tests = rendered.tests.len(), lines, environments, loaded, ?compiled, ?took, speed = ?budget.speed(), "verified");
        if round == 0
            && let Some(speed) = &mut shared.speed
        {
            if loaded >= environments {
                *speed = speed.where_all_is_loaded();
            }
            speed.observe_verification(lines, took, is_beside_starts);
        }
        shared.jvm.started += outcomes.len() as u64;
        let verdict = judge_outcomes(&methods_of(&rendered, &tests), &outcomes, &ENVIRONMENTS);
        if verdict.all_passed() {
            let done = verified(rendered, &tests);
            let mut speed = speed_of(loaded, environments);
            speed.measured_by_verification(lines, took);
            if workshop.has_waiting_verifiers(&ENVIRONMENTS) {
                speed = speed.where_all_is_loaded();
            }
            let more = if interrupt.is_set() { 0 } else { further_tests(&done, lines, &speed, budget) };
            if more == 0 || waiting.is_empty() {
                return Ok(done);
            }
            let chosen = choose_best(waiting.clone(), more);
            waiting.retain(|test| !chosen.contains(test));
            tracing::debug!(more = chosen.len(), waiting = waiting.len(), "time is left for further tests");
            tests = done.tests.iter().cloned().chain(chosen).collect();
            passed = Some(done);
            continue;
        }
        let wrong_rows = lose_rows(&rendered, &tests, &verdict, discarded);
        let is_unknown = |place: &&usize| !verdict.failed_rows.contains_key(place);
        let of_unknown = verdict.failing.union(&verdict.flaky).filter(is_unknown);
        let taken_apart: Vec<AssertedTest> = rows_of_tables(&rendered, &tests, of_unknown).collect();
        // The other rows of tables whose failing rows are known passed.
        let other_rows: Vec<usize> = verdict.failed_rows.keys().flat_map(|place| &rendered.tests[*place].rows).copied().collect();
        let RunVerdict { failing, mut flaky, unanswered, mut passing, .. } =
            verdict.without(|place| rendered.tests[place].is_table());
        // A test that passed in an earlier round and failed in none stays, also where this run was cut.
        if let Some(before) = &passed {
            let passed_before = |place: &usize| rendered.tests[*place].rows.iter().all(|row| before.tests.contains(&tests[*row]));
            passing.extend(unanswered.iter().copied().filter(passed_before));
        }
        let unanswered: BTreeSet<usize> = unanswered.difference(&passing).copied().collect();
        for place in failing.union(&flaky) {
            let test = &rendered.tests[*place];
            let lines = rendered.source.lines().take(test.lines.1 as usize).skip(test.lines.0.saturating_sub(1) as usize);
            tracing::debug!("{} does not pass:\n{}", test.method, lines.collect::<Vec<&str>>().join("\n"));
        }
        let late = !budget.counts_steps() && !budget.allows(took.mul_f64(ROUND_CAUTION));
        let is_last = round + 1 == MOST_ROUNDS + REPETITIONS || (late && !passing.is_empty());
        // What differs by machine or user is mostly a text. The next round tries them with any text.
        let mut weaker: BTreeMap<usize, AssertedTest> = BTreeMap::new();
        if !is_last {
            let with_any = |place: &usize| Some((*place, tests[rendered.tests[*place].index()].with_any_texts()?));
            weaker.extend(flaky.iter().filter_map(with_any));
            flaky.retain(|place| !weaker.contains_key(place));
        }
        discarded.failing += failing.len() as u64;
        discarded.flaky += flaky.len() as u64;
        for (places, cause, detail) in [
            (&failing, UntestedCause::Failing, "its tests failed when JUnit ran them"),
            (&flaky, UntestedCause::Environment, "its tests failed with another order, machine, user or locale"),
            (&unanswered, UntestedCause::Unverified, UnverifiedReason::NoOutcome.text()),
        ] {
            places.iter().for_each(|place| record_lost(discarded, &tests[rendered.tests[*place].index()].test, cause, detail));
        }
        if is_last {
            // The tests that stay have been compiled and have passed. The shorter file is not run
            // again.
            let lost = unanswered.difference(&passing).count() + taken_apart.len();
            discarded.count_unverified(UnverifiedReason::NoOutcome, lost);
            let kept = passing.iter().flat_map(|place| &rendered.tests[*place].rows).chain(&other_rows);
            let kept: BTreeSet<usize> = kept.filter(|row| !wrong_rows.contains(row)).copied().collect();
            if !wrong_rows.is_empty() {
                let kept: Vec<AssertedTest> = kept.into_iter().map(|index| tests[index].clone()).collect();
                let shorter = render(verification, &kept, &single);
                let compiled = workshop.compile(&shorter, &folder, budget.last_deadline());
                if compiled.is_ok_and(|wrong| wrong.is_empty()) {
                    return Ok(verified(shorter, &kept));
                }
                discarded.count_unverified(UnverifiedReason::NoOutcome, other_rows.len() - wrong_rows.len());
            }
            return Ok(verified(emit::retain_tests(&rendered, &passing), &tests));
        }
        if !budget.counts_steps() && !passing.is_empty() {
            passed = Some(verified(emit::retain_tests(&rendered, &passing), &tests));
        }
        let mut wrong: BTreeSet<usize> = failing.union(&flaky).chain(weaker.keys()).copied().collect();
        if wrong.is_empty() && taken_apart.is_empty() && wrong_rows.is_empty() {
            repeated += 1;
            if repeated > REPETITIONS {
                discarded.count_unverified(UnverifiedReason::NoOutcome, unanswered.len());
                wrong = unanswered;
            }
        }
        let wrong_rows: Vec<AssertedTest> = wrong_rows.into_iter().map(|index| tests[index].clone()).collect();
        tests = remove_tests(&rendered, tests, &wrong);
        tests.retain(|test| !wrong_rows.contains(test));
        tests.extend(weaker.into_values());
        single.extend(taken_apart);
    }
    given_up(passed, tests.len(), discarded, &tests)
}

/// The source of a file with these tests: with tables where they are wanted. A table that does not compile or pass is
/// rare, and its rows are lost where time is over; but the shorter file is compiled sooner. `single`: tests that are no
/// rows.
fn render(verification: &Verification<'_>, tests: &[AssertedTest], single: &[AssertedTest]) -> Rendered {
    let workshop = verification.workshop;
    if !workshop.may_have_tables() {
        return workshop.render(tests);
    }
    let single = (0..tests.len()).filter(|index| single.contains(&tests[*index])).collect();
    workshop.render_tables(tests, &single)
}

/// The tests in those tables that stand at these places.
fn rows_of_tables<'p>(
    rendered: &'p Rendered,
    tests: &'p [AssertedTest],
    places: impl Iterator<Item = &'p usize>,
) -> impl Iterator<Item = AssertedTest> {
    let tables = places.map(move |place| &rendered.tests[*place]).filter(|test| test.is_table());
    tables.flat_map(|table| &table.rows).map(move |row| tests[*row].clone())
}

/// The tests that are rows of tables and failed, by their indices. They are counted as lost.
fn lose_rows(rendered: &Rendered, tests: &[AssertedTest], verdict: &RunVerdict, discarded: &mut Discarded) -> BTreeSet<usize> {
    let mut lost = BTreeSet::new();
    for (place, rows) in &verdict.failed_rows {
        let (cause, detail) = match verdict.failing.contains(place) {
            true => (UntestedCause::Failing, "its tests failed when JUnit ran them"),
            false => (UntestedCause::Environment, "its tests failed with another order, machine, user or locale"),
        };
        for index in rows.iter().filter_map(|row| rendered.tests[*place].rows.get(*row)) {
            match cause {
                UntestedCause::Failing => discarded.failing += 1,
                _ => discarded.flaky += 1,
            }
            record_lost(discarded, &tests[*index].test, cause, detail);
            lost.insert(*index);
        }
    }
    lost
}

/// The lines of the test at this place.
fn source_of(rendered: &Rendered, place: usize) -> String {
    let (first, last) = rendered.tests[place].lines;
    let lines = rendered.source.lines().skip(first.saturating_sub(1) as usize).take((last + 1 - first) as usize);
    lines.collect::<Vec<&str>>().join("\n")
}

/// Counts the tests as lost for one cause.
fn lose_all(discarded: &mut Discarded, tests: &[AssertedTest], cause: UntestedCause, detail: &str) {
    tests.iter().for_each(|test| record_lost(discarded, &test.test, cause, detail));
}

/// The result for a rendered file. `tests` are all tests that were to be rendered.
pub(super) fn verified(rendered: Rendered, tests: &[AssertedTest]) -> Verified {
    if rendered.tests.is_empty() {
        return Verified::default();
    }
    let tests = rendered.tests.iter().flat_map(|test| &test.rows).map(|row| tests[*row].clone()).collect();
    Verified { rendered: Some(rendered), tests }
}

/// How many tests can be verified in the time that is left; `None`: all of them. Beside other programs
/// the first round is smaller, since its time is hardly known. Its measured time then tells how many tests
/// a second round can have.
fn tests_in_time(rendered: &Rendered, budget: &TimeBudget, speed: &MachineSpeed) -> Option<usize> {
    let left = budget.verify_time()?.mul_f64(1.0 / speed.doubt());
    let lines = rendered.source.lines().count();
    let most = speed.lines_in(left);
    // Slightly late with all tests is better than in time with fewer. Beside other programs, late may be never.
    let least = if speed.doubt() > 1.0 { LEAST_UNDER_LOAD } else { LEAST_TESTS };
    (lines > most + most / 4).then(|| (rendered.test_cases() * most / lines.max(1)).max(least))
}

/// How many further tests can be verified, together with those that are done, in the time that is
/// left. `lines` and `speed` are those of the last round.
fn further_tests(done: &Verified, lines: usize, speed: &MachineSpeed, budget: &TimeBudget) -> usize {
    // A later round ends with the budget.
    let Some(end) = budget.end() else { return usize::MAX };
    let left = end.saturating_duration_since(Instant::now());
    let by_test = (lines / done.tests.len().max(1)).max(1);
    speed.lines_in(left.mul_f64(1.0 / ROUND_CAUTION)).saturating_sub(lines) / by_test
}

/// Removes the tests with the given places in the rendered file, and those that could not be
/// rendered.
pub(super) fn remove_tests(rendered: &Rendered, tests: Vec<AssertedTest>, wrong: &BTreeSet<usize>) -> Vec<AssertedTest> {
    let kept = rendered.tests.iter().enumerate().filter(|(place, _)| !wrong.contains(place));
    let keep: BTreeSet<usize> = kept.flat_map(|(_, test)| test.rows.iter().copied()).collect();
    tests.into_iter().enumerate().filter(|(index, _)| keep.contains(index)).map(|(_, test)| test).collect()
}

/// Places of tests by their outcomes.
#[derive(Debug, Default, PartialEq)]
pub(super) struct RunVerdict {
    /// Failed in the first environment.
    pub(super) failing: BTreeSet<usize>,
    /// Failed in other environments only.
    pub(super) flaky: BTreeSet<usize>,
    /// Failed nowhere, but without an outcome in some environment, because a run ended early.
    pub(super) unanswered: BTreeSet<usize>,
    /// Passed in one environment at least, and failed in none.
    pub(super) passing: BTreeSet<usize>,
    /// Of parameterized tests that failed in some environments, the rows that did. Absent where one of these runs
    /// does not tell.
    pub(super) failed_rows: BTreeMap<usize, BTreeSet<usize>>,
}

impl RunVerdict {
    /// The same without wrong tests that `is_left_out` accepts.
    fn without(mut self, is_left_out: impl Fn(usize) -> bool) -> RunVerdict {
        self.failing.retain(|place| !is_left_out(*place));
        self.flaky.retain(|place| !is_left_out(*place));
        self
    }

    /// Whether every test passed everywhere.
    fn all_passed(&self) -> bool {
        self.failing.is_empty() && self.flaky.is_empty() && self.unanswered.is_empty()
    }
}

/// The tests of the file by place: the method of each, and whether it is to be skipped without
/// assertions.
pub(super) fn methods_of<'r>(rendered: &'r Rendered, tests: &[AssertedTest]) -> Vec<(&'r str, bool)> {
    rendered.tests.iter().map(|test| (test.method.as_str(), tests[test.index()].assumes.is_some())).collect()
}

/// Judges the tests of [`methods_of`] by the outcomes of all runs, which are those of the first
/// `environments`. A test is wrong where it failed, was skipped without need, or was running when
/// its JVM hung or died.
pub(super) fn judge_outcomes(methods: &[(&str, bool)], outcomes: &[JunitOutcome], environments: &[Environment]) -> RunVerdict {
    let mut verdict = RunVerdict::default();
    let mut bad_runs: BTreeMap<usize, usize> = BTreeMap::new();
    let mut untold: BTreeSet<usize> = BTreeSet::new();
    for (number, outcome) in outcomes.iter().enumerate() {
        let running = match &outcome.end {
            JunitEnd::Completed | JunitEnd::OutOfTime => None,
            JunitEnd::Hung { running } => Some(running),
            JunitEnd::Died { running } => running.as_ref(),
        };
        let asserts = environments.get(number).is_none_or(|environment| environment.assertions);
        for (place, &(test, may_skip)) in methods.iter().enumerate() {
            let found = outcome.tests.iter().find(|((_, method), _)| *method == test).map(|(_, outcome)| outcome);
            // A test may hang or end its JVM in the second round, after it passed.
            let ended_jvm = running.is_some_and(|(_, method)| method == test);
            let bad = match found {
                _ if ended_jvm => {
                    tracing::warn!(test, environment = number, "generated test ends its JVM: {:?}", outcome.end);
                    true
                }
                Some(TestOutcome::Passed) => {
                    verdict.passing.insert(place);
                    false
                }
                Some(TestOutcome::Failed(message)) => {
                    tracing::warn!(test, environment = number, "generated test fails: {message}");
                    true
                }
                Some(TestOutcome::Skipped) => asserts || !may_skip,
                None => {
                    verdict.unanswered.insert(place);
                    false
                }
            };
            if bad {
                *bad_runs.entry(place).or_default() += 1;
                match outcome.failed_rows.iter().find(|((_, method), _)| *method == test).filter(|_| !ended_jvm) {
                    Some((_, rows)) => verdict.failed_rows.entry(place).or_default().extend(rows),
                    None => {
                        untold.insert(place);
                    }
                }
            }
        }
    }
    for (place, runs) in bad_runs {
        if runs == outcomes.len() { &mut verdict.failing } else { &mut verdict.flaky }.insert(place);
    }
    verdict.failed_rows.retain(|place, _| !untold.contains(place));
    verdict.passing.retain(|place| !verdict.failing.contains(place) && !verdict.flaky.contains(place));
    verdict.unanswered.retain(|place| !verdict.failing.contains(place) && !verdict.flaky.contains(place));
    verdict
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outcome(tests: &[(&str, TestOutcome)], end: JunitEnd) -> JunitOutcome {
        let tests = tests.iter().map(|(method, outcome)| (("T".to_owned(), (*method).to_owned()), outcome.clone())).collect();
        JunitOutcome { tests, failed_rows: BTreeMap::new(), failed_assertions: BTreeMap::new(), end }
    }

    fn places(places: &[usize]) -> BTreeSet<usize> {
        places.iter().copied().collect()
    }

    #[test]
    fn a_run_that_ends_before_the_first_test_removes_no_test() {
        let whole = outcome(&[("a", TestOutcome::Passed), ("b", TestOutcome::Passed)], JunitEnd::Completed);
        for end in [JunitEnd::OutOfTime, JunitEnd::Died { running: None }] {
            let short = outcome(&[("a", TestOutcome::Passed)], end);
            let verdict = judge_outcomes(&[("a", false), ("b", false)], &[whole.clone(), short], &ENVIRONMENTS);
            assert_eq!(verdict, RunVerdict { unanswered: places(&[1]), passing: places(&[0, 1]), ..RunVerdict::default() });
        }
    }

    #[test]
    fn a_test_that_hangs_or_ends_the_jvm_is_removed_and_those_behind_it_stay() {
        let running = ("T".to_owned(), "a".to_owned());
        for end in [JunitEnd::Hung { running: running.clone() }, JunitEnd::Died { running: Some(running.clone()) }] {
            let verdict = judge_outcomes(&[("a", false), ("b", false)], &[outcome(&[], end)], &ENVIRONMENTS);
            assert_eq!(verdict, RunVerdict { failing: places(&[0]), unanswered: places(&[1]), ..RunVerdict::default() });
        }
    }

    #[test]
    fn a_test_that_hangs_in_the_second_round_is_removed_although_it_passed() {
        let hung = JunitEnd::Hung { running: ("T".to_owned(), "a".to_owned()) };
        let passed = outcome(&[("a", TestOutcome::Passed), ("b", TestOutcome::Passed)], hung);
        let verdict = judge_outcomes(&[("a", false), ("b", false)], &[passed], &ENVIRONMENTS);
        assert_eq!(verdict, RunVerdict { failing: places(&[0]), passing: places(&[1]), ..RunVerdict::default() });
    }

    #[test]
    fn failing_everywhere_is_failing_and_failing_somewhere_is_flaky() {
        let failed = || TestOutcome::Failed(String::new());
        let one = outcome(&[("a", failed()), ("b", TestOutcome::Passed), ("c", TestOutcome::Passed)], JunitEnd::Completed);
        let other = outcome(&[("a", failed()), ("b", failed()), ("c", TestOutcome::Passed)], JunitEnd::Completed);
        let verdict = judge_outcomes(&["a", "b", "c"].map(|test| (test, false)), &[one, other], &ENVIRONMENTS);
        assert_eq!(
            verdict,
            RunVerdict { failing: places(&[0]), flaky: places(&[1]), passing: places(&[2]), ..RunVerdict::default() }
        );
    }

    #[test]
    fn rows_that_failed_are_known_where_every_failing_run_tells_them() {
        let run = |rows: &[usize]| {
            let failed_rows = if rows.is_empty() { Vec::new() } else { vec![(("T".to_owned(), "a".to_owned()), places(rows))] };
            let failed = outcome(&[("a", TestOutcome::Failed(String::new()))], JunitEnd::Completed);
            JunitOutcome { failed_rows: failed_rows.into_iter().collect(), ..failed }
        };
        let judge = |outcomes: &[JunitOutcome]| judge_outcomes(&[("a", false)], outcomes, &ENVIRONMENTS);
        let passed = outcome(&[("a", TestOutcome::Passed)], JunitEnd::Completed);
        let told = judge(&[run(&[1]), run(&[1, 3]), passed]);
        assert_eq!(told.failed_rows, BTreeMap::from([(0, places(&[1, 3]))]));
        assert_eq!((told.flaky, told.passing), (places(&[0]), places(&[])));
        assert_eq!(judge(&[run(&[1]), run(&[])]).failed_rows, BTreeMap::new());
    }

    #[test]
    fn a_test_of_an_assert_may_be_skipped_where_assertions_are_off() {
        let run = |outcome_of_both: TestOutcome| {
            outcome(&[("a", outcome_of_both.clone()), ("b", outcome_of_both)], JunitEnd::Completed)
        };
        let (passed, skipped) = (|| run(TestOutcome::Passed), || run(TestOutcome::Skipped));
        let judge = |outcomes: &[JunitOutcome]| judge_outcomes(&[("a", true), ("b", false)], outcomes, &ENVIRONMENTS);
        let off = judge(&[passed(), skipped(), passed()]);
        assert_eq!(off, RunVerdict { flaky: places(&[1]), passing: places(&[0]), ..RunVerdict::default() });
        let on = judge(&[passed(), passed(), skipped()]);
        assert_eq!(on, RunVerdict { flaky: places(&[0, 1]), ..RunVerdict::default() });
    }
}
