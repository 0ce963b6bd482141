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

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Instant;

use tracewright_trace::BranchSlot;

use super::collaborators::{common_constructions, count_made_by, with_common_arguments, with_own_values};
use super::context::Context;
use super::covered_goals::CoveredGoals;
use super::distinct_values::{Exchange, distinct_numbers, zeros};
use super::missing_values::{UnsetValue, count_nulls, missing_values};
use super::mutation::{MutationAnalysis, mutant_outcome};
use super::observation::{FURTHER, StatingRules, execute};
use super::plainer_statements::{
    PlainerStatement, default_constants, other_constants, plainer_statements, shorter_lists, telling_constants, whole_decimals,
};
use super::same_keys::same_keys;
use super::sibling_values::{MOST_FORMS, ends_alike, fails_before, sibling_values, with_one_changed};
use super::simpler_documents::simpler_documents;
use super::stated_arguments::{CodeValues, with_stated_arguments};
use super::telling_amounts::with_telling_amounts;
use super::typical_texts::parameter_words;
use super::typical_values::{code_constants, is_year, merges_texts, moved_years, text_constants, typical_values};
use crate::execution::{Execution, MutantId, MutantRun, RunEnd, TestIndex};
use crate::jvm::{JvmError, SearchWorker};
use crate::oracle::{AssertedTest, MutantOutcome};
use crate::program::{BranchOutcome, ClassName, Decision, MethodRef};
use crate::search::{GoalRegistry, complexity, is_unchecked, simpler_literals};
use crate::testcase::{Construction, Literal, TestCase, VarId};

/// Rounds at most for statements and for values. In each, one change of each test is tried.
const MOST_ROUNDS: usize = 60;
const MOST_ROUNDS_OF_VALUES: usize = 120;
/// Ways at most in which a test keeps values of its own where most tests write fields.
const MOST_VARIANTS: usize = 3;
/// Literals of at most this complexity are left: `z`, `15`, `-8`.
const PLAIN: u64 = 22;

/// A test with the goals that it covers and the mutants that it kills.
#[derive(Clone, Debug)]
pub(super) struct ShownTest {
    pub(super) test: AssertedTest,
    pub(super) reached: CoveredGoals,
    pub(super) killed: BTreeSet<MutantId>,
    /// It takes part in the rounds now.
    has_turn: bool,
    /// Statements before this one have not been tried.
    untried: usize,
    /// It has not been tried to drop all statements at once that may go.
    is_whole: bool,
    /// Lists before this statement have not been tried as `Arrays.asList`.
    unlisted: u32,
    /// Plainer statements that have not been tried, the best last.
    plainer: Vec<PlainerStatement>,
    /// Other forms of the test that have not been tried, the best last.
    other_forms: Vec<AssertedTest>,
    /// Values that it lacks and that have not been tried, the first one last.
    missing: Vec<UnsetValue>,
    /// Typical and simpler values of its literals that have not been tried, the best last.
    typical: Vec<TypicalValues>,
    simpler: Vec<(VarId, Literal)>,
}

/// Typical values to try together.
#[derive(Clone, Debug)]
struct TypicalValues {
    /// The literals: one, several that are equal, or all years.
    variables: Vec<VarId>,
    /// Their values now. Where one has changed, it got a better one.
    from: Vec<Literal>,
    to: Vec<Literal>,
    /// Texts that differ now may be equal then.
    merges: bool,
}

impl TypicalValues {
    /// Of literals of the test.
    fn of(test: &TestCase, exchange: Exchange) -> TypicalValues {
        let (variables, to): (Vec<VarId>, Vec<Literal>) = exchange.into_iter().unzip();
        let from = variables.iter().filter_map(|variable| test.literal(*variable)).cloned().collect();
        TypicalValues { variables, from, to, merges: false }
    }
}

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

impl ShownTest {
    pub(super) fn new(test: AssertedTest, reached: CoveredGoals, killed: BTreeSet<MutantId>) -> ShownTest {
        let untried = if test.fault.is_some() { 0 } else { (test.acted as usize).saturating_sub(1) };
        ShownTest {
            test,
            reached,
            killed,
            has_turn: true,
            untried,
            is_whole: untried > 0,
            unlisted: untried as u32,
            plainer: Vec::new(),
            other_forms: Vec::new(),
            missing: Vec::new(),
            typical: Vec::new(),
            simpler: Vec::new(),
        }
    }

    fn shown(&self) -> BTreeSet<u32> {
        self.reached.numbered(self.killed.iter().copied())
    }

    /// The test with the elements of the next list that it fills in one call; `None` where all were
    /// tried.
    fn next_listed(&mut self) -> Option<AssertedTest> {
        self.unlisted = self.unlisted.min(self.test.acted);
        while self.unlisted > 0 {
            self.unlisted -= 1;
            if let Some(listed) = self.test.with_listed_elements(VarId(self.unlisted)) {
                return Some(listed);
            }
        }
        None
    }

    /// The test with the next plainer statement; `None` where all were tried.
    fn next_plainer(&mut self) -> Option<AssertedTest> {
        while let Some(plainer) = self.plainer.pop() {
            if let Some(test) = plainer.applied(&self.test) {
                return Some(test);
            }
        }
        None
    }

    /// The test with the next value that it lacks; `None` where all were tried.
    fn next_filled(&mut self) -> Option<AssertedTest> {
        while let Some(value) = self.missing.pop() {
            if let Some(filled) = value.put_into(&self.test) {
                return Some(filled);
            }
        }
        None
    }

    /// The test without all statements that may go, then without the last untried one of them; `None`
    /// where all were tried.
    fn next_shorter(&mut self) -> Option<AssertedTest> {
        if std::mem::take(&mut self.is_whole)
            && let Some(shorter) = self.test.without_all_others()
        {
            return Some(shorter);
        }
        while self.untried > 0 {
            self.untried -= 1;
            if let Some(shorter) = self.test.without_statement(self.untried) {
                return Some(shorter);
            }
        }
        None
    }

    /// Whether its values may change. A likely fault is shown as it was found, and statements that put state back
    /// depend on the values, while resets do not.
    fn has_free_values(&self) -> bool {
        self.has_turn && self.test.fault.is_none() && self.test.undoing == 0
    }

    /// Finds shorter lists to try, and again single answers, since the calls that got the others may be gone.
    fn plan_shorter_lists(&mut self) {
        if self.has_free_values() {
            self.plainer = shorter_lists(&self.test);
        }
    }

    /// Marks all statements as untried where the test has changed. A shorter list makes elements needless.
    fn try_again_after(&mut self, before: &TestCase) {
        if self.test.test != *before {
            (self.untried, self.is_whole) = ((self.test.acted as usize).saturating_sub(1), true);
        }
    }

    /// Finds the typical values to try in place of its literals.
    fn plan_typical_values(&mut self, typical: BTreeMap<VarId, Vec<Literal>>) {
        if !self.has_free_values() {
            return;
        }
        let (case, acted) = (&self.test.test, self.test.acted);
        let mut best: Exchange = Vec::new();
        for (variable, values) in typical.iter().rev() {
            let variable = *variable;
            let Some(from) = case.literal(variable) else { continue };
            // Those behind its own value are no better.
            let better: Vec<&Literal> = values.iter().take_while(|value| *value != from).collect();
            let merges = |value: &Literal| best.iter().any(|(other, to)| to == value && case.literal(*other) != Some(from));
            best.extend(better.first().filter(|value| !merges(value)).map(|value| (variable, (*value).clone())));
            for value in better.into_iter().rev() {
                let suits = |other: &VarId| match typical.get(other) {
                    Some(values) => matches!(value, Literal::Str(_)) || values.contains(value),
                    None => !is_year(value),
                };
                let is_equal = |other: &VarId| {
                    case.literal(*other) == case.literal(variable)
                        && case.type_of(*other) == case.type_of(variable)
                        && !case.is_fixed_in_request(*other)
                        && suits(other)
                };
                let equal: Vec<VarId> = (0..acted).map(VarId).filter(is_equal).collect();
                let exchange = |variables: Vec<VarId>| {
                    let [from, to] = [from, value].map(|literal| vec![literal.clone(); variables.len()]);
                    TypicalValues { variables, from, to, merges: false }
                };
                if equal.len() > 1 {
                    self.typical.push(exchange(equal.clone()));
                }
                self.typical.push(exchange(vec![variable]));
                if let (Literal::Char(from), Literal::Char(to)) = (from, value) {
                    self.typical.push(TypicalValues::of(case, exchanged_letters(case, acted, *from, *to)));
                }
            }
        }
        if let Some(moved) = moved_years(case, acted) {
            self.typical.push(TypicalValues::of(case, moved));
        }
        // Often all of them will do.
        if best.len() > 1 {
            self.typical.push(TypicalValues::of(case, best));
        }
    }

    /// Finds different numbers to try in place of equal ones.
    fn plan_distinct_values(&mut self, is_own: &dyn Fn(&ClassName) -> bool) {
        if !self.has_free_values() {
            return;
        }
        let (case, acted) = (&self.test.test, self.test.acted);
        let exchanges = distinct_numbers(is_own, case, acted).into_iter().chain(zeros(is_own, case, acted));
        self.typical = exchanges.map(|exchange| TypicalValues::of(case, exchange)).collect();
    }

    /// Finds one text to try for a key and for the property of what is found by it.
    fn plan_same_keys(&mut self, names: &dyn Fn(&MethodRef) -> Vec<Option<String>>) {
        if !self.has_free_values() {
            return;
        }
        let case = &self.test.test;
        let exchanges = same_keys(names, case, self.test.acted).into_iter();
        self.typical = exchanges.map(|exchange| TypicalValues { merges: true, ..TypicalValues::of(case, exchange) }).collect();
    }

    /// Finds the simpler values to try in place of its literals. Those that are `typical` now stay.
    fn plan_simpler_values(&mut self, typical: &BTreeMap<VarId, Vec<Literal>>) {
        if !self.has_free_values() {
            return;
        }
        let test = &self.test;
        for variable in (0..test.acted).map(VarId) {
            if let Some(literal) = test.test.literal(variable)
                && !typical.get(&variable).is_some_and(|typical| typical.contains(literal))
                && complexity(literal) > PLAIN
                && !test.test.is_fixed_in_request(variable)
            {
                let mut simpler: Vec<Literal> = simpler_literals(literal);
                simpler.retain(|simpler| complexity(simpler) < complexity(literal));
                simpler.sort_by_key(|simpler| std::cmp::Reverse(complexity(simpler)));
                if let Literal::Str(units) = literal {
                    let documents = simpler_documents(&String::from_utf16_lossy(units)).into_iter().rev();
                    simpler.extend(documents.map(|document| Literal::Str(document.encode_utf16().collect())));
                }
                self.simpler.extend(simpler.into_iter().map(|simpler| (variable, simpler)));
            }
        }
    }

    /// The test with the next typical values; `None` where all were tried.
    fn next_typical(&mut self) -> Option<AssertedTest> {
        while let Some(TypicalValues { variables, from, to, merges }) = self.typical.pop() {
            let mut typical = self.test.clone();
            let case = &mut typical.test;
            let is_open = from != to
                && variables.iter().zip(&from).all(|(variable, from)| case.literal(*variable) == Some(from))
                && (merges || !from.iter().zip(&to).any(|(from, to)| merges_texts(case, typical.acted, &variables, from, to)));
            if is_open && variables.iter().zip(to).all(|(variable, to)| case.replace_literal(*variable, to)) {
                return Some(typical);
            }
        }
        None
    }

    /// The test with the next simpler value; `None` where all were tried.
    fn next_simpler(&mut self) -> Option<AssertedTest> {
        while let Some((variable, literal)) = self.simpler.pop() {
            let is_simpler = self.test.test.literal(variable).is_some_and(|now| complexity(&literal) < complexity(now));
            let mut simpler = self.test.clone();
            if is_simpler && simpler.test.replace_literal(variable, literal) {
                return Some(simpler);
            }
        }
        None
    }
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
        self.share_construction(tests, showing)?;
        let access = self.rules.access();
        for shown in tests.iter_mut().filter(|shown| shown.has_free_values()) {
            shown.missing = missing_values(&access, &shown.test);
            shown.missing.reverse();
        }
        let says_less_of_null = |before: &AssertedTest, now: &AssertedTest| count_nulls(now) < count_nulls(before);
        self.change_where(tests, showing, MOST_ROUNDS, ShownTest::next_filled, says_less_of_null)?;
        let program = Arc::clone(&self.context.program);
        let defaults = code_constants(&program, self.class);
        let typical = |shown: &ShownTest| typical_values(&program, &shown.test.test, shown.test.acted, &defaults);
        for shown in tests.iter_mut().filter(|shown| shown.has_free_values()) {
            shown.test = shown.test.with_separate_literals();
            shown.plan_typical_values(typical(shown));
        }
        self.change(tests, showing, MOST_ROUNDS_OF_VALUES, ShownTest::next_typical)?;
        tests.iter_mut().for_each(|test| test.plan_distinct_values(&|class| program.is_project(class)));
        self.change(tests, showing, MOST_ROUNDS_OF_VALUES, ShownTest::next_typical)?;
        let names = |method: &MethodRef| match program.is_project(&method.owner) {
            true => parameter_words(&program, method).into_iter().map(|words| Some(words?.name().to_owned())).collect(),
            false => Vec::new(),
        };
        tests.iter_mut().for_each(|test| test.plan_same_keys(&names));
        self.change(tests, showing, MOST_ROUNDS_OF_VALUES, ShownTest::next_typical)?;
        self.plan_sibling_values(tests);
        self.change_where(tests, showing, MOST_FORMS, |shown| shown.other_forms.pop(), ends_alike)?;
        let is_same = |before: &AssertedTest, now: &AssertedTest| {
            (&before.assertions, &before.expected) == (&now.assertions, &now.expected)
        };
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
            let reached = CoveredGoals::of(&test.test, execution, self.goals);
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
        let done = match runs.is_empty() {
            true => Vec::new(),
            false => self.mutation.worker(self.deadline)?.run(&cases, &runs, self.deadline)?,
        };
        for (run, execution) in runs.iter().zip(&done) {
            let shown = &mut changed[run.test.index()].shown;
            if let Some(mutant) =
                run.mutant.filter(|_| mutant_outcome(self.context, &shown.test, execution) != MutantOutcome::Survived)
            {
                shown.killed.insert(mutant);
            }
        }
        Ok(changed)
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

/// For all that tests show, how many do.
fn count_showing(tests: &[ShownTest]) -> BTreeMap<u32, usize> {
    let mut showing: BTreeMap<u32, usize> = BTreeMap::new();
    tests.iter().flat_map(ShownTest::shown).for_each(|thing| *showing.entry(thing).or_default() += 1);
    showing
}

/// The character in place of another one, also in the texts of the test.
fn exchanged_letters(test: &TestCase, acted: u32, from: u16, to: u16) -> Exchange {
    let exchanged = |variable: VarId| match test.literal(variable)? {
        Literal::Char(unit) if *unit == from => Some((variable, Literal::Char(to))),
        Literal::Str(units) if units.contains(&from) && !test.is_fixed_in_request(variable) => {
            let units = units.iter().map(|unit| if *unit == from { to } else { *unit }).collect();
            Some((variable, Literal::Str(units)))
        }
        _ => None,
    };
    (0..acted).map(VarId).filter_map(exchanged).collect()
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
            tests[place] = shown;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_become_simpler_one_at_a_time_and_plain_ones_stay() {
        let text = "\
v0: I = int 7
v1: D = double -1.380065474618133
v2: I = call method p/Foo.next (ID)I (v0, v1)
assert v2 equals int 4
";
        let test: AssertedTest = text.parse().expect("well-formed");
        let mut shown = ShownTest::new(test, CoveredGoals::default(), BTreeSet::new());
        assert_eq!(shown.next_simpler(), None, "nothing was planned");
        shown.plan_simpler_values(&BTreeMap::new());
        let first = shown.next_simpler().expect("a simpler value");
        assert_eq!(
            (first.test.literal(VarId(0)), first.test.literal(VarId(1))),
            (Some(&Literal::Int(7)), Some(&Literal::Double(0)))
        );
        shown.test = first;
        assert_eq!(shown.next_simpler(), None, "nothing is simpler than 0");
    }

    #[test]
    fn typical_values_are_tried_once_and_stay() {
        let text = "\
v0: I = int 0
v1: Ljava/lang/String; = string \"\\uffff\\uffff\\uffff\"
v2: I = call method p/Foo.next (ILjava/lang/String;)I (v0, v1)
assert v2 equals int 4
";
        let test: AssertedTest = text.parse().expect("well-formed");
        let mut shown = ShownTest::new(test, CoveredGoals::default(), BTreeSet::new());
        let word = Literal::Str("name".encode_utf16().collect());
        let typical = BTreeMap::from([(VarId(0), vec![Literal::Int(0)]), (VarId(1), vec![word.clone()])]);
        shown.plan_typical_values(typical.clone());
        let changed = shown.next_typical().expect("a typical text");
        assert_eq!(changed.test.literal(VarId(1)), Some(&word));
        assert_eq!(shown.next_typical(), None, "0 is typical already");
        shown.test = changed;
        shown.plan_simpler_values(&typical);
        assert_eq!(shown.next_simpler(), None);
    }

    #[test]
    fn a_better_typical_value_stays() {
        let text = "\
v0: I = int -3
v1: I = call method p/Foo.next (I)I (v0)
assert v1 equals int 4
";
        let test: AssertedTest = text.parse().expect("well-formed");
        let mut shown = ShownTest::new(test, CoveredGoals::default(), BTreeSet::new());
        shown.plan_typical_values(BTreeMap::from([(VarId(0), [2, 10].map(Literal::Int).to_vec())]));
        let plan = |values: [i32; 2]| {
            let mut shown = shown.clone();
            shown.plan_typical_values(BTreeMap::from([(VarId(0), values.map(Literal::Int).to_vec())]));
            shown.typical.len()
        };
        assert_eq!([plan([4, 5]), plan([4, -3]), plan([-3, 4])], [4, 3, 2]);
        let first = shown.next_typical().expect("a typical number");
        assert_eq!(first.test.literal(VarId(0)), Some(&Literal::Int(2)));
        let mut failed = shown.clone();
        let next = failed.next_typical().map(|test| test.test.literal(VarId(0)).cloned());
        assert_eq!(next, Some(Some(Literal::Int(10))));
        shown.test = first;
        assert_eq!(shown.next_typical(), None);
    }

    #[test]
    fn years_move_together_before_each_alone() {
        let text = "\
v0: I = int 0
v1: I = int 1
v2: Ljava/time/LocalDate; = call method java/time/LocalDate.of (III)Ljava/time/LocalDate; (v0, v1, v1)
v3: I = int 1
v4: Ljava/time/LocalDate; = call method java/time/LocalDate.of (III)Ljava/time/LocalDate; (v3, v1, v1)
v5: I = call method p/Foo.days (Ljava/time/LocalDate;Ljava/time/LocalDate;)I (v2, v4)
assert v5 equals int 4
";
        let test: AssertedTest = text.parse().expect("well-formed");
        let mut shown = ShownTest::new(test, CoveredGoals::default(), BTreeSet::new());
        shown.plan_typical_values(BTreeMap::from([(VarId(0), vec![Literal::Int(2024)])]));
        let years = |test: AssertedTest| [0, 3].map(|place| test.test.literal(VarId(place)).cloned());
        let tried = [(); 3].map(|()| shown.next_typical().map(years));
        assert_eq!(tried[0], Some([2023, 2024].map(|year| Some(Literal::Int(year)))));
        assert_eq!(tried[1], Some([2024, 1].map(|year| Some(Literal::Int(year)))));
        assert_eq!(tried[2], None);
    }

    #[test]
    fn no_other_number_becomes_a_year() {
        let text = "\
v0: I = int 0
v1: V = call method p/Foo.page (I)V (v0)
v2: I = int 0
v3: Ljava/time/LocalDate; = call method java/time/LocalDate.of (III)Ljava/time/LocalDate; (v2, v0, v0)
";
        let test: AssertedTest = text.parse().expect("well-formed");
        let mut shown = ShownTest::new(test, CoveredGoals::default(), BTreeSet::new());
        shown.plan_typical_values(BTreeMap::from([(VarId(0), vec![Literal::Int(2)]), (VarId(2), vec![Literal::Int(2024)])]));
        let tried = [(); 3].map(|()| shown.next_typical().map(|test| [0, 2].map(|at| test.test.literal(VarId(at)).cloned())));
        let numbers = |numbers: [i32; 2]| Some(numbers.map(|number| Some(Literal::Int(number))));
        assert_eq!(tried, [[2, 2024], [2, 0], [0, 2024]].map(numbers));
        assert_eq!(shown.next_typical(), None);
    }

    #[test]
    fn two_codes_do_not_become_one() {
        let text = "\
v0: Ljava/lang/String; = string \"EUR\"
v1: Ljava/lang/String; = string \"QQQ\"
v2: V = call method p/Foo.convert (Ljava/lang/String;Ljava/lang/String;)V (v0, v1)
";
        let test: AssertedTest = text.parse().expect("well-formed");
        let mut shown = ShownTest::new(test, CoveredGoals::default(), BTreeSet::new());
        let code = |code: &str| Literal::Str(code.encode_utf16().collect());
        shown.plan_typical_values(BTreeMap::from([(VarId(1), vec![code("EUR"), code("USD")])]));
        let changed = shown.next_typical().expect("another code");
        assert_eq!(changed.test.literal(VarId(1)), Some(&code("USD")));
        assert_eq!(shown.next_typical(), None);
    }

    #[test]
    fn equal_values_become_typical_alone_and_then_together() {
        let text = "\
v0: Ljava/lang/String; = string \"\"
v1: V = call method p/Foo.add (Ljava/lang/String;)V (v0)
v2: Ljava/lang/String; = string \"\"
v3: Z = call method p/Foo.has (Ljava/lang/String;)Z (v2)
assert v3 equals true
";
        let test: AssertedTest = text.parse().expect("well-formed");
        let mut shown = ShownTest::new(test, CoveredGoals::default(), BTreeSet::new());
        let word = |word: &str| Literal::Str(word.encode_utf16().collect());
        shown.plan_typical_values(BTreeMap::from([(VarId(0), vec![word("name")])]));
        let literals = |test: AssertedTest| [0, 2].map(|place| test.test.literal(VarId(place)).cloned());
        let tried = [(); 3].map(|()| shown.next_typical().map(literals));
        assert_eq!(tried[0], Some([Some(word("name")), Some(word(""))]));
        assert_eq!(tried[1], Some([Some(word("name")), Some(word("name"))]));
        assert_eq!(tried[2], None);
    }
}
