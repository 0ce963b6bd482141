//! Drops the statements that a chosen test does not need, and simplifies its values.
//!
//! Flows in: the chosen tests with what each shows, the two workers. Flows out: the tests, most of
//! them shorter and plainer, with what each still shows. Must not know how tests are chosen or
//! rendered.
//!
//! Tests are minimised for the goals that they were found for. Once the suite is known, most of these
//! goals have other tests, and it is known which mutants a test has to kill. A statement goes, and a
//! literal gives way to a simpler one, where the test still shows all that no other test of the suite
//! shows: goals, and mutants that it kills. What the test asserts may become another value of the same
//! kind. All tests make the object under test in one way, if they can (`collaborators`). Statements that
//! a person would write (`plainer_statements`) are tried before any goes, since others are needless
//! then, and values that a person would write (`typical_values`) before simpler ones.

mod printed_text;
mod silent_tests;
mod split_steps;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Instant;

use tracewright_trace::BranchSlot;

use super::collaborators::{common_constructions, count_made_by, with_common_arguments, with_own_values};
use super::context::Context;
use super::covered_goals::CoveredGoals;
use super::filled_arrays::with_filled_arrays;
use super::missing_values::{count_nulls, missing_values};
use super::mutation::{MutationAnalysis, mutant_outcome};
use super::observation::{FURTHER, StatingRules, execute};
use super::one_name::with_one_name;
use super::plain_elements::with_plain_elements;
use super::plainer_statements::{
    default_constants, other_constants, plainer_statements, telling_constants, texts_for_nulls, whole_decimals,
};
use super::public_makers::{PubliclyMade, with_methods_run, with_public_makers};
use super::shown_test::{ShownTest, TypicalValues, plan_alike_values};
use super::sibling_values::{MOST_FORMS, ends_alike, fails_before, sibling_values, with_one_changed};
use super::small_results::{count_large, with_short_texts};
use super::stated_arguments::{CodeValues, with_stated_arguments};
use super::telling_amounts::with_telling_amounts;
use super::typical_texts::parameter_words;
use super::typical_values::{code_constants, text_constants, typical_values};
use crate::execution::{Execution, MutantRun, RunEnd, TestIndex};
use crate::jvm::{JvmError, SearchWorker};
use crate::oracle::{AssertedTest, MutantOutcome};
use crate::program::{BranchOutcome, ClassName, Cluster, Decision, MethodRef};
use crate::search::{GoalRegistry, is_unchecked};
use crate::testcase::{Construction, TestCase};

/// Rounds at most for statements and for values. In each, one change of each test is tried.
const MOST_ROUNDS: usize = 60;
const MOST_ROUNDS_OF_VALUES: usize = 120;
/// How often elements and hidden objects are exchanged in one test: each time, all or one of them.
const MOST_PASSES: usize = 4;
/// Ways at most in which a test keeps values of its own where most tests write fields.
const MOST_VARIANTS: usize = 3;
/// A shorter or plainer form of the test at `place`.
struct ChangedTest {
    place: usize,
    shown: ShownTest,
}

/// What shortening runs tests with.
pub(super) struct Shortening<'s, 'c> {
    /// The class under test.
    pub(super) class: &'s ClassName,
    pub(super) context: &'s Context<'c>,
    pub(super) cluster: &'s Cluster,
    pub(super) goals: &'s GoalRegistry,
    /// Those of the classes under test.
    pub(super) branches: &'s BTreeMap<BranchSlot, BranchOutcome>,
    pub(super) worker: &'s mut SearchWorker,
    pub(super) mutation: &'s mut MutationAnalysis,
    pub(super) rules: StatingRules,
    pub(super) deadline: Option<Instant>,
    /// See [`super::target::Target::draws_random`]: one execution of a changed test is no evidence then.
    pub(super) draws_random: bool,
}

impl Shortening<'_, '_> {
    /// Makes the statements of the tests plainer and drops them until none can go, then simplifies
    /// values, until time is over.
    ///
    /// Fails where a worker cannot be kept running.
    pub(super) fn shorten(&mut self, tests: &mut [ShownTest]) -> Result<(), JvmError> {
        let mut showing = count_showing(tests);
        self.set_deadline(self.deadline);
        // First of all, since there may be no time for more: an object of its own in one test is read by all.
        self.share_construction(tests, &mut showing)?;
        // A request takes as long as many calls, which need not wait for it.
        for sends in [false, true] {
            tests.iter_mut().for_each(|shown| shown.has_turn = shown.test.test.has_request() == sends);
            if tests.iter().any(|shown| shown.has_turn) {
                self.shorten_in_turn(tests, &mut showing)?;
            }
        }
        // Each test got values of its own.
        tests.iter_mut().for_each(|shown| shown.has_turn = true);
        self.share_construction(tests, &mut showing)
    }

    /// Shortens the tests whose turn it is.
    fn shorten_in_turn(&mut self, tests: &mut [ShownTest], showing: &mut BTreeMap<u32, usize>) -> Result<(), JvmError> {
        self.use_plain_elements(tests, showing)?;
        self.use_public_makers(tests, showing)?;
        self.plan_plainer_statements(tests)?;
        self.change(tests, showing, MOST_ROUNDS, ShownTest::next_plainer)?;
        self.change(tests, showing, MOST_ROUNDS, ShownTest::next_shorter)?;
        self.change(tests, showing, MOST_ROUNDS, ShownTest::next_listed)?;
        // A list of three equal elements shows no more than one of one.
        tests.iter_mut().for_each(ShownTest::plan_shorter_lists);
        let before: Vec<TestCase> = tests.iter().map(|shown| shown.test.test.clone()).collect();
        self.change(tests, showing, MOST_ROUNDS, ShownTest::next_plainer)?;
        tests.iter_mut().zip(&before).for_each(|(shown, before)| shown.try_again_after(before));
        self.change(tests, showing, MOST_ROUNDS, ShownTest::next_shorter)?;
        // A shorter test has fewer elements, and fewer calls that only a hidden class has.
        self.use_plain_elements(tests, showing)?;
        self.use_public_makers(tests, showing)?;
        self.change(tests, showing, MOST_ROUNDS, ShownTest::next_shorter)?;
        let program = Arc::clone(&self.context.program);
        let executions = self.executions(tests)?;
        let in_turn = tests.iter_mut().filter(|shown| shown.has_turn).zip(&executions);
        for (shown, execution) in in_turn.filter(|(shown, _)| shown.has_free_values()) {
            let one_name = with_one_name(&|ty, of| program.is_subtype(ty, of), &shown.test, execution);
            shown.other_forms = one_name.into_iter().collect();
        }
        self.change(tests, showing, 1, |shown| shown.other_forms.pop())?;
        self.share_construction(tests, showing)?;
        let access = self.rules.access();
        for shown in tests.iter_mut().filter(|shown| shown.has_free_values()) {
            shown.missing = missing_values(&access, &shown.test);
            shown.missing.reverse();
        }
        let says_less_of_null = |before: &AssertedTest, now: &AssertedTest| count_nulls(now) < count_nulls(before);
        self.change_where(tests, showing, MOST_ROUNDS, ShownTest::next_filled, says_less_of_null)?;
        for shown in tests.iter_mut().filter(|shown| shown.has_free_values()) {
            shown.other_forms = with_filled_arrays(&shown.test);
        }
        self.change_where(tests, showing, MOST_FORMS, |shown| shown.other_forms.pop(), ends_as_before)?;
        let defaults = code_constants(&program, self.class);
        let typical = |shown: &ShownTest| typical_values(&program, &shown.test.test, shown.test.acted, &defaults);
        for shown in tests.iter_mut().filter(|shown| shown.has_free_values()) {
            shown.test = shown.test.with_separate_literals();
            shown.plainer = texts_for_nulls(&shown.test);
        }
        self.change_where(tests, showing, MOST_FORMS, ShownTest::next_plainer, ends_as_before)?;
        tests.iter_mut().for_each(|shown| shown.plan_typical_values(typical(shown)));
        self.change(tests, showing, MOST_ROUNDS_OF_VALUES, ShownTest::next_typical)?;
        tests.iter_mut().for_each(|test| test.plan_distinct_values(&|class| program.is_project(class)));
        self.change(tests, showing, MOST_ROUNDS_OF_VALUES, ShownTest::next_typical)?;
        let names = |method: &MethodRef| match program.is_project(&method.owner) {
            true => parameter_words(&program, method).into_iter().map(|words| Some(words?.name().to_owned())).collect(),
            false => Vec::new(),
        };
        tests.iter_mut().for_each(|test| test.plan_same_keys(&names));
        self.change(tests, showing, MOST_ROUNDS_OF_VALUES, ShownTest::next_typical)?;
        for shown in tests.iter_mut().filter(|shown| shown.has_free_values()) {
            shown.other_forms = with_short_texts(&shown.test).into_iter().collect();
        }
        let says_less_of_numbers = |before: &AssertedTest, now: &AssertedTest| count_large(now) < count_large(before);
        self.change_where(tests, showing, 1, |shown| shown.other_forms.pop(), says_less_of_numbers)?;
        self.plan_sibling_values(tests);
        self.change_where(tests, showing, MOST_FORMS, |shown| shown.other_forms.pop(), ends_alike)?;
        let is_same = |before: &AssertedTest, now: &AssertedTest| {
            (&before.assertions, &before.expected) == (&now.assertions, &now.expected)
        };
        self.change_where(tests, showing, MOST_ROUNDS_OF_VALUES, ShownTest::next_typical, is_same)?;
        plan_alike_values(tests);
        self.change_where(tests, showing, MOST_ROUNDS_OF_VALUES, ShownTest::next_typical, is_same)?;
        let default_constants = default_constants(&program, self.class);
        for shown in tests.iter_mut().filter(|shown| shown.has_free_values()) {
            let others = other_constants(&shown.test, &program, &default_constants);
            shown.plainer = telling_constants(&shown.test).chain(whole_decimals(&shown.test)).chain(others).collect();
        }
        self.change(tests, showing, MOST_ROUNDS, ShownTest::next_plainer)?;
        for shown in tests.iter_mut().filter(|shown| shown.has_free_values()) {
            shown.other_forms = with_telling_amounts(&self.rules.access(), &shown.test).into_iter().collect();
        }
        self.change(tests, showing, 1, |shown| shown.other_forms.pop())?;
        tests.iter_mut().for_each(|test| test.plan_simpler_values(&typical(test)));
        self.change(tests, showing, MOST_ROUNDS_OF_VALUES, ShownTest::next_simpler)
    }

    /// Puts texts and numbers in place of objects that calls only take as elements.
    fn use_plain_elements(&mut self, tests: &mut [ShownTest], showing: &mut BTreeMap<u32, usize>) -> Result<(), JvmError> {
        for _ in 0..MOST_PASSES {
            for shown in tests.iter_mut().filter(|shown| shown.has_free_values()) {
                shown.other_forms = with_plain_elements(&shown.test);
            }
            if !self.try_other_forms(tests, showing, ends_as_before)? {
                break;
            }
        }
        Ok(())
    }

    /// Lets public methods make the objects of hidden classes.
    fn use_public_makers(&mut self, tests: &mut [ShownTest], showing: &mut BTreeMap<u32, usize>) -> Result<(), JvmError> {
        for _ in 0..MOST_PASSES {
            if self.is_over() {
                break;
            }
            let mut forms: Vec<(usize, PubliclyMade)> = Vec::new();
            for (place, shown) in tests.iter().enumerate().filter(|(_, shown)| shown.has_free_values()) {
                let made = with_public_makers(&self.rules.access(), self.class, &shown.test);
                forms.extend(made.into_iter().map(|form| (place, form)));
            }
            if forms.is_empty() {
                break;
            }
            let cases: Vec<TestCase> = forms.iter().map(|(_, form)| form.test.test.clone()).collect();
            let executions = execute(self.worker, &cases, true)?;
            tests.iter_mut().for_each(|shown| shown.other_forms.clear());
            let made = forms.into_iter().zip(&executions).filter(|((_, form), execution)| form.is_made(execution));
            // The best is to be tried first.
            for ((place, form), _) in made.collect::<Vec<_>>().into_iter().rev() {
                tests[place].other_forms.push(form.test.without_unused());
            }
            if !self.try_other_forms(tests, showing, |_, _| true)? {
                break;
            }
        }
        Ok(())
    }

    /// Tries the other forms of the tests. Out: whether a test has changed.
    fn try_other_forms(
        &mut self,
        tests: &mut [ShownTest],
        showing: &mut BTreeMap<u32, usize>,
        is_better: impl Fn(&AssertedTest, &AssertedTest) -> bool,
    ) -> Result<bool, JvmError> {
        let before: Vec<TestCase> = tests.iter().map(|shown| shown.test.test.clone()).collect();
        let most = tests.iter().map(|shown| shown.other_forms.len()).max().unwrap_or(0);
        self.change_where(tests, showing, most, |shown| shown.other_forms.pop(), is_better)?;
        tests.iter_mut().for_each(|shown| shown.other_forms.clear());
        tests.iter_mut().zip(&before).for_each(|(shown, before)| shown.try_again_after(before));
        Ok(tests.iter().zip(&before).any(|(shown, before)| shown.test.test != *before))
    }

    /// What the execution of the test covers. Public methods count as the hidden ones that they ran.
    fn covered(&self, test: &TestCase, execution: &Execution) -> CoveredGoals {
        let covered = CoveredGoals::of(test, execution, self.goals);
        match with_methods_run(&self.context.program, test, execution) {
            Some(run) => CoveredGoals::union([&covered, &CoveredGoals::of(&run, execution, self.goals)]),
            None => covered,
        }
    }

    /// Lets mocks answer only the calls that the tests are about. Called when it is known which values
    /// matter: a value that is stated twice matters as little as before.
    ///
    /// Fails where a worker cannot be kept running.
    pub(super) fn state_arguments(&mut self, tests: &mut [ShownTest]) -> Result<(), JvmError> {
        if self.is_over() {
            return Ok(());
        }
        let mut showing = count_showing(tests);
        tests.iter_mut().for_each(|shown| shown.has_turn = true);
        let executions = self.executions(tests)?;
        let (program, access) = (Arc::clone(&self.context.program), self.rules.access());
        let constant = |class: &ClassName, name: &str| {
            let model = program.class(class).filter(|_| access.can_name_class(class))?;
            model.enum_constants().map(|constant| &constant.reference).find(|constant| *constant.name == *name).cloned()
        };
        let code = CodeValues { texts: text_constants(&program, self.class), constant: &constant };
        for (shown, execution) in tests.iter_mut().zip(&executions).filter(|(shown, _)| shown.has_free_values()) {
            shown.other_forms = with_stated_arguments(&shown.test, execution, &code).into_iter().collect();
        }
        self.change(tests, &mut showing, 1, |shown| shown.other_forms.pop())
    }

    pub(super) fn set_deadline(&mut self, deadline: Option<Instant>) {
        self.deadline = deadline;
        self.worker.set_deadline(deadline);
    }

    /// Makes the object under test in the same way in as many tests as possible.
    fn share_construction(&mut self, tests: &mut [ShownTest], showing: &mut BTreeMap<u32, usize>) -> Result<(), JvmError> {
        let (class, context) = (self.class, self.context);
        let own: Vec<&AssertedTest> = tests.iter().map(|shown| &shown.test).filter(|test| test.fault.is_none()).collect();
        let is_silent = |class: &ClassName| context.program.returns_nothing(class);
        let mut best: Option<(usize, Construction, Vec<ChangedTest>)> = None;
        for construction in common_constructions(&own, class, &is_silent) {
            if self.is_over() {
                break;
            }
            let changed = |(place, shown): (usize, &ShownTest)| {
                let test = Some(&shown.test).filter(|test| shown.has_turn && test.fault.is_none())?;
                Some((place, with_common_arguments(test, class, &construction)?))
            };
            let candidates: Vec<(usize, AssertedTest)> = tests.iter().enumerate().filter_map(changed).collect();
            let (having, tried) = (count_made_by(&own, class, &construction), candidates.len());
            let held = self.that_hold(tests, candidates, showing)?;
            let (sharing, is_shared_by_all) = (having + held.len(), held.len() == tried);
            if best.as_ref().is_none_or(|(most, ..)| sharing > *most) {
                best = Some((sharing, construction, held));
            }
            if is_shared_by_all {
                break;
            }
        }
        let Some((_, common, changed)) = best else { return Ok(()) };
        accept(tests, showing, changed, |_, _| true);
        for variant in 0..MOST_VARIANTS {
            let changed = |(place, shown): (usize, &ShownTest)| {
                let test = Some(&shown.test).filter(|test| shown.has_turn && test.fault.is_none())?;
                Some((place, with_own_values(test, class, &common).into_iter().nth(variant)?))
            };
            let candidates: Vec<(usize, AssertedTest)> = tests.iter().enumerate().filter_map(changed).collect();
            if candidates.is_empty() || self.is_over() {
                break;
            }
            let held = self.that_hold(tests, candidates, showing)?;
            accept(tests, showing, held, |_, _| true);
        }
        Ok(())
    }

    fn is_over(&self) -> bool {
        self.context.interrupt.is_set() || self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }

    /// Executes the tests whose turn it is.
    fn executions(&mut self, tests: &[ShownTest]) -> Result<Vec<Execution>, JvmError> {
        let in_turn = tests.iter().filter(|shown| shown.has_turn);
        let cases: Vec<TestCase> = in_turn.map(|shown| shown.test.test.clone()).collect();
        execute(self.worker, &cases, true)
    }

    /// Finds the values of siblings to try in the tests, and the forms of siblings to try in their place.
    fn plan_sibling_values(&self, tests: &mut [ShownTest]) {
        let program = &self.context.program;
        let ways: Vec<BTreeSet<BranchOutcome>> =
            tests.iter().map(|shown| shown.reached.outcomes(self.goals, self.branches)).collect();
        let conjunctions: Vec<Vec<Decision>> = ways.iter().map(|ways| program.conjunctions(ways)).collect();
        for place in 0..tests.len() {
            let own = &tests[place];
            let is_sibling =
                |other: &usize| tests[*other].test.target == own.test.target && fails_before(&ways[place], &conjunctions[*other]);
            let Some(sibling) = (0..tests.len()).filter(|_| own.has_free_values()).find(is_sibling) else { continue };
            let other = &tests[sibling].test;
            let exchanges = sibling_values(&own.test.test, own.test.acted, (&other.test, other.acted));
            let is_near = exchanges.len() == 1 && own.test.test.len() == other.test.len();
            tests[place].other_forms = if is_near { Vec::new() } else { with_one_changed(other) };
            tests[place].other_forms.reverse();
            tests[place].typical =
                exchanges.into_iter().map(|exchange| TypicalValues::of(&tests[place].test.test, exchange)).collect();
        }
    }

    /// Finds the plainer statements to try in the tests.
    fn plan_plainer_statements(&mut self, tests: &mut [ShownTest]) -> Result<(), JvmError> {
        let executions = self.executions(tests)?;
        let access = self.rules.access();
        let in_turn = tests.iter_mut().filter(|shown| shown.has_turn).zip(&executions);
        for (shown, execution) in in_turn.filter(|(shown, _)| shown.has_free_values()) {
            shown.plainer = plainer_statements(&access, &shown.test, execution);
            shown.plainer.reverse();
        }
        Ok(())
    }

    /// Changes the tests in rounds, while `next` has changes to try.
    fn change(
        &mut self,
        tests: &mut [ShownTest],
        showing: &mut BTreeMap<u32, usize>,
        rounds: usize,
        next: impl Fn(&mut ShownTest) -> Option<AssertedTest>,
    ) -> Result<(), JvmError> {
        self.change_where(tests, showing, rounds, next, |_, _| true)
    }

    /// As [`Shortening::change`], where a changed test must be better than the test before it.
    fn change_where(
        &mut self,
        tests: &mut [ShownTest],
        showing: &mut BTreeMap<u32, usize>,
        rounds: usize,
        next: impl Fn(&mut ShownTest) -> Option<AssertedTest>,
        is_better: impl Fn(&AssertedTest, &AssertedTest) -> bool,
    ) -> Result<(), JvmError> {
        for round in 0..rounds {
            let is_over = self.is_over();
            let in_turn = tests.iter_mut().enumerate().filter(|(_, test)| test.has_turn);
            let candidates: Vec<(usize, AssertedTest)> = in_turn.filter_map(|(place, test)| Some((place, next(test)?))).collect();
            if candidates.is_empty() || is_over {
                tracing::debug!(round, left = candidates.len(), is_over, "changed");
                break;
            }
            let changed = self.that_hold(tests, candidates, showing)?;
            accept(tests, showing, changed, &is_better);
        }
        Ok(())
    }

    /// Those of the changed tests that hold and still reach what only their tests reach, with the values
    /// that they have now, each with the mutants that it kills of those that its test kills. A mutant
    /// that another test kills is not run, and counts as one that the changed test lets live: where
    /// each execution is a request to a server, all of them would take the time of most changes.
    fn that_hold(
        &mut self,
        tests: &[ShownTest],
        candidates: Vec<(usize, AssertedTest)>,
        showing: &BTreeMap<u32, usize>,
    ) -> Result<Vec<ChangedTest>, JvmError> {
        let cases: Vec<TestCase> = candidates.iter().map(|(_, test)| test.test.clone()).collect();
        let executions = execute(self.worker, &cases, true)?;
        let mut changed: Vec<ChangedTest> = Vec::new();
        for ((place, test), execution) in candidates.into_iter().zip(&executions) {
            let reached = self.covered(&test.test, execution);
            let before = &tests[place];
            let now = reached.numbered(before.killed.iter().copied());
            let is_needed = |thing: &u32| showing.get(thing).is_some_and(|count| *count <= 1);
            if before.shown().difference(&now).any(is_needed) {
                continue;
            }
            if let Some(test) = self.rules.restated(&test, execution).filter(|test| self.holds(test, execution)) {
                let untried = before.untried.min(test.acted as usize - 1);
                let (plainer, unlisted, missing) = (before.plainer.clone(), before.unlisted, before.missing.clone());
                let (typical, simpler) = (before.typical.clone(), before.simpler.clone());
                changed.push(ChangedTest {
                    place,
                    shown: ShownTest {
                        has_turn: before.has_turn,
                        untried,
                        is_whole: before.is_whole,
                        unlisted,
                        plainer,
                        missing,
                        typical,
                        simpler,
                        ..ShownTest::new(test, reached, BTreeSet::new())
                    },
                });
            }
        }
        if self.draws_random {
            self.drop_random_results(&mut changed)?;
        }
        let cases: Vec<TestCase> = changed.iter().map(|changed| changed.shown.test.test.clone()).collect();
        let mut killing = showing.clone();
        let mut runs: Vec<MutantRun> = Vec::new();
        for (test, changed) in (0..).map(TestIndex).zip(&changed) {
            for mutant in &tests[changed.place].killed {
                match killing.get_mut(&CoveredGoals::number_of_mutant(*mutant)) {
                    Some(count) if *count > 1 => *count -= 1,
                    _ => runs.push(MutantRun { test, mutant: Some(*mutant) }),
                }
            }
        }
        let shown = changed.iter_mut().map(|changed| Some(&mut changed.shown));
        self.record_kills(&cases, &runs, &mut shown.collect::<Vec<_>>())?;
        Ok(changed)
    }

    /// Runs the tests under mutants, and records which of these they kill. `shown`: one for each of the `cases`.
    fn record_kills(
        &mut self,
        cases: &[TestCase],
        runs: &[MutantRun],
        shown: &mut [Option<&mut ShownTest>],
    ) -> Result<(), JvmError> {
        if runs.is_empty() {
            return Ok(());
        }
        let done = self.mutation.worker(self.deadline)?.run(cases, runs, self.deadline)?;
        for (run, execution) in runs.iter().zip(&done) {
            let (Some(shown), Some(mutant)) = (&mut shown[run.test.index()], run.mutant) else { continue };
            if mutant_outcome(self.context, &shown.test, execution) != MutantOutcome::Survived {
                shown.killed.insert(mutant);
            }
        }
        Ok(())
    }

    /// Drops the tests that do not pass each time.
    fn drop_random_results(&mut self, changed: &mut Vec<ChangedTest>) -> Result<(), JvmError> {
        for _ in 0..FURTHER {
            let cases: Vec<TestCase> = changed.iter().map(|changed| changed.shown.test.test.clone()).collect();
            let mut ends = execute(self.worker, &cases, true)?.into_iter();
            changed.retain(|changed| ends.next().is_some_and(|end| self.holds(&changed.shown.test, &end)));
        }
        Ok(())
    }

    /// Whether the test passes.
    fn holds(&self, test: &AssertedTest, execution: &Execution) -> bool {
        let ends_well = match execution.end {
            RunEnd::Completed => test.expected.is_none(),
            // The same exception may come from a null that nothing checks.
            RunEnd::Threw { .. } => test.expected.is_some() && !is_unchecked(&execution.end),
            _ => false,
        };
        ends_well && mutant_outcome(self.context, test, execution) == MutantOutcome::Survived
    }
}

/// The runs of the case `number`, once with each mutant that the test kills.
fn runs_of_killed(shown: &ShownTest, number: usize) -> impl Iterator<Item = MutantRun> {
    shown.killed.iter().map(move |mutant| MutantRun { test: TestIndex(number as u32), mutant: Some(*mutant) })
}

/// Whether the test ends with the same exception, or none.
fn ends_as_before(before: &AssertedTest, now: &AssertedTest) -> bool {
    before.expected == now.expected
}

/// For all that tests show, how many do.
fn count_showing(tests: &[ShownTest]) -> BTreeMap<u32, usize> {
    let mut showing: BTreeMap<u32, usize> = BTreeMap::new();
    tests.iter().flat_map(ShownTest::shown).for_each(|thing| *showing.entry(thing).or_default() += 1);
    showing
}

/// Puts the changed tests in place of those that they were made of, where these show nothing more that is
/// needed, and where `is_better` holds of the test before and the test now.
fn accept(
    tests: &mut [ShownTest],
    showing: &mut BTreeMap<u32, usize>,
    changed: Vec<ChangedTest>,
    is_better: impl Fn(&AssertedTest, &AssertedTest) -> bool,
) {
    for ChangedTest { place, shown } in changed {
        if !is_better(&tests[place].test, &shown.test) {
            continue;
        }
        let lost: Vec<u32> = tests[place].shown().difference(&shown.shown()).copied().collect();
        // An earlier one of these tests may have lost the same.
        if lost.iter().all(|thing| showing.get(thing).is_some_and(|count| *count > 1)) {
            lost.iter().for_each(|thing| *showing.entry(*thing).or_default() -= 1);
            // Goals that the change adds count as well: a later change may lose them again.
            shown.shown().difference(&tests[place].shown()).for_each(|thing| *showing.entry(*thing).or_default() += 1);
            tests[place] = shown;
        }
    }
}
