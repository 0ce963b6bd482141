//! Selects assertions by the mutants that they kill. Flows in: asserted tests and their outcomes
//! under mutants; flows out: the assertions to keep, and the further tests that kill something
//! more. Pure: runs nothing and reads no clock.
//!
//! The selection is greedy set cover: every mutant with a known killer keeps a killer. Reached,
//! infected and killed mutants are those of the RIP model (reachability, infection, propagation).
//! One assertion for an effect of the call under test stays as well: no mutant removes an assignment.

use std::collections::BTreeSet;

use super::commonness::commonness;
use super::held_objects::stated_arrays;
use super::interactions::{holds_called, is_initial, is_stubbed_query};
use super::observe::{is_untouched, reads_given, reads_set_property};
use super::requests::is_essential;
use super::unanswered::{verify_absent, verify_instead_of_null, verify_received, verify_unanswered};
use super::validation::asks_for_error;
use super::written_arguments::reads_written;
use super::{AssertedTest, Assertion, Fact, IgnoredResults};
use crate::execution::{ContainerKind, Execution, MutantId, RunEnd, Snapshot};
use crate::program::{ClassName, JavaType, MethodRef};
use crate::testcase::{StatementKind, TestCase, VarId};

/// Most assertions that one test keeps.
const MOST_KEPT: usize = 8;
/// Most assertions that a test keeps of which nobody knows what they kill.
const MOST_UNJUDGED: usize = 3;
/// A result of more parts is asserted in part.
const MOST_PARTS: usize = 3;

/// What becomes of a test under a mutant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MutantOutcome {
    /// The test passes.
    Survived,
    /// The test ends at another statement or with another exception, whatever it asserts.
    KilledByTermination,
    /// The assertions with these positions fail.
    KilledByAssertion(Vec<usize>),
}

/// Compares an execution of the test under a mutant with the assertions. `is_subclass`: whether the
/// first class is the second one or a subclass of it.
pub fn mutant_outcome(
    test: &AssertedTest,
    execution: &Execution,
    is_subclass: &dyn Fn(&ClassName, &ClassName) -> bool,
) -> MutantOutcome {
    if let Some(expected) = &test.expected {
        let last = test.test.statements.len() as u32 - 1;
        return match &execution.end {
            RunEnd::Unrun => MutantOutcome::Survived,
            RunEnd::Threw { statement, thrown } if *statement == last => {
                let message = expected.message.is_none() || expected.message == thrown.message;
                if message && is_subclass(&thrown.class, &expected.class) {
                    outcome_of(test, |assertion| !holds(assertion, test.acted, execution))
                } else {
                    MutantOutcome::KilledByTermination
                }
            }
            _ => MutantOutcome::KilledByTermination,
        };
    }
    // An inspector that ends the run fails its own assertion only.
    let (ran, ended) = match &execution.end {
        RunEnd::Completed => (test.test.statements.len() as u32, None),
        RunEnd::Unrun => return MutantOutcome::Survived,
        RunEnd::Threw { statement, .. }
        | RunEnd::Budget { statement }
        | RunEnd::Timeout { statement }
        | RunEnd::Refused { statement, .. }
        | RunEnd::Exhausted { statement, .. }
        | RunEnd::Illegal { statement, .. }
            if *statement >= test.acted =>
        {
            (*statement, Some(*statement))
        }
        _ => return MutantOutcome::KilledByTermination,
    };
    let fails = |assertion: &Assertion| {
        let subject = assertion.subject.0;
        ended == Some(subject) || (subject < ran && !holds(assertion, test.acted, execution))
    };
    outcome_of(test, fails)
}

/// The outcome of a test that ends as it should.
fn outcome_of(test: &AssertedTest, fails: impl Fn(&Assertion) -> bool) -> MutantOutcome {
    let failing: Vec<usize> =
        test.assertions.iter().enumerate().filter(|(_, assertion)| fails(assertion)).map(|(position, _)| position).collect();
    if failing.is_empty() { MutantOutcome::Survived } else { MutantOutcome::KilledByAssertion(failing) }
}

/// Whether the assertion holds in the execution.
pub(super) fn holds(assertion: &Assertion, acted: u32, execution: &Execution) -> bool {
    let index = assertion.subject.index();
    // Arrays and containers are stated as they are after the last statement.
    let (Some(now), Some(last)) = (execution.snapshots.get(index), execution.final_snapshots.get(index)) else { return true };
    match &assertion.fact {
        Fact::Called { method, arguments, times } => {
            holds_called((assertion.subject, method, arguments, *times), acted, execution, equal)
        }
        Fact::Null => *now == Snapshot::Null,
        Fact::NotNull => *now != Snapshot::Null,
        Fact::Equals(value @ (Snapshot::Array { .. } | Snapshot::Container(_))) => equal(value, last),
        Fact::Equals(value) => equal(value, now),
        Fact::SameAs(other) => matches!(now, Snapshot::Object { same_as: Some(found), .. } if *found == other.0),
        Fact::InstanceOf(class) => matches!(now, Snapshot::Object { class: found, .. } if found == class),
    }
}

/// Whether a value is as stated. For an array without elements only the length is stated.
fn equal(stated: &Snapshot, found: &Snapshot) -> bool {
    match (stated, found) {
        (Snapshot::Array { length, elements: None, .. }, Snapshot::Array { length: found, .. }) => length == found,
        (Snapshot::Array { elements: Some(cells), .. }, Snapshot::Array { elements: Some(found), .. }) => {
            cells.len() == found.len() && cells.iter().zip(found).all(|(cell, found)| equal(cell, found))
        }
        (Snapshot::Container(stated), Snapshot::Object { contents: Some(found), .. }) => {
            let (cells, others) = (&stated.elements, &found.elements);
            // An empty list and an empty set are both empty, which is all that `isEmpty` says.
            let is_empty = |kind: &ContainerKind| {
                cells.is_empty() && matches!(kind, ContainerKind::List | ContainerKind::Set | ContainerKind::Map)
            };
            let is_same_kind = stated.kind == found.kind || (is_empty(&stated.kind) && is_empty(&found.kind));
            is_same_kind && cells.len() == others.len() && cells.iter().zip(others).all(|(cell, other)| equal(cell, other))
        }
        // A constant with a body has a class of its own (JLS §8.9.1).
        (Snapshot::Enum { constant, .. }, Snapshot::Enum { constant: found, .. }) => constant == found,
        _ => stated == found,
    }
}

/// The known outcomes of one test under mutants.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Kills {
    /// Mutants that end the test differently.
    pub(crate) by_end: BTreeSet<MutantId>,
    /// For each assertion, the mutants that make it fail.
    pub(crate) by_assertion: Vec<BTreeSet<MutantId>>,
    /// For each assertion, whether it states an effect of the call under test.
    pub(crate) effects: Vec<bool>,
    /// For each assertion, whether it is about what a jump decided that the result does not tell.
    pub(crate) governed: Vec<bool>,
    /// Mutants that the test infects and that it was not run under.
    pub(crate) open: BTreeSet<MutantId>,
    /// The test fails in the instrumented class without any mutant, so that its outcomes mean
    /// nothing; or it was run under none.
    pub(crate) unjudged: bool,
}

impl Kills {
    /// No outcomes yet.
    pub(crate) fn of(test: &AssertedTest) -> Kills {
        Kills { by_assertion: vec![BTreeSet::new(); test.assertions.len()], ..Kills::default() }
    }

    /// Whether the call under test has no result, and the assertion is about an object that is the same without it.
    /// What a jump decided not to change tells something all the same.
    pub(crate) fn is_about_untouched(&self, test: &AssertedTest, assertion: usize) -> bool {
        self.is_about_same_state(test, assertion) && returns_nothing(test)
    }

    /// Whether the assertion is about an object that is the same without the call under test.
    pub(crate) fn is_about_same_state(&self, test: &AssertedTest, assertion: usize) -> bool {
        let is_governed = self.governed.get(assertion) == Some(&true);
        let is_same = self.effects.get(assertion) == Some(&false) && !is_governed;
        is_same && test.assertions[assertion].subject.0 >= test.acted
    }

    /// Adds the outcome under a mutant.
    pub(crate) fn record(&mut self, mutant: MutantId, outcome: &MutantOutcome) {
        match outcome {
            MutantOutcome::Survived => {}
            MutantOutcome::KilledByTermination => {
                self.by_end.insert(mutant);
            }
            MutantOutcome::KilledByAssertion(failing) => failing.iter().for_each(|&position| {
                self.by_assertion[position].insert(mutant);
            }),
        }
    }

    /// Mutants that the test kills by its end or by the assertions marked in `keep`.
    pub(crate) fn killed_by(&self, keep: &[bool]) -> BTreeSet<MutantId> {
        let mut all = self.by_end.clone();
        for (kills, _) in self.by_assertion.iter().zip(keep).filter(|(_, keep)| **keep) {
            all.extend(kills);
        }
        all
    }
}

/// Selects the assertions of each test; `None` for a test that is not `required` and kills nothing
/// more. Every mutant with a known killer keeps one. `kills` and `required` hold one element a
/// test; at most `most_further` tests are added to the required ones. `ignored`: the results that
/// the classes under test throw away. `is_accessor`: whether a method only reads or writes a field.
pub fn select_assertions(
    tests: &[AssertedTest],
    kills: &[Kills],
    required: &[bool],
    most_further: usize,
    ignored: &IgnoredResults,
    is_accessor: &dyn Fn(&MethodRef) -> bool,
) -> Vec<Option<Vec<bool>>> {
    let costs = costs(tests);
    let mut killed: BTreeSet<MutantId> = BTreeSet::new();
    let mut chosen: Vec<Option<Vec<bool>>> = vec![None; tests.len()];
    for position in (0..tests.len()).filter(|&position| required[position]) {
        chosen[position] = Some(vec![false; tests[position].assertions.len()]);
        killed.extend(&kills[position].by_end);
    }
    let mut known: BTreeSet<MutantId> = killed.clone();
    kills.iter().for_each(|kills| known.extend(kills.by_assertion.iter().flatten()));
    // Each test keeps its cheapest assertion. It keeps more if it may be the only killer of a
    // mutant without outcome.
    for (position, keep) in chosen.iter_mut().enumerate() {
        let Some(keep) = keep else { continue };
        let unjudged = kills[position].unjudged;
        let most = if unjudged { MOST_UNJUDGED } else { MOST_KEPT };
        let open = unjudged || kills[position].open.iter().any(|mutant| !known.contains(mutant));
        let first = cheapest(&tests[position], &kills[position], &costs[position]);
        let has_command = has_command(&tests[position]);
        for (assertion, keep) in keep.iter_mut().enumerate() {
            // An assertion that an object is not null kills few mutants, and a verified call may
            // kill none. Where no mutant is tried, one that removes the call of a command stays possible.
            let is_telling_call = unjudged && is_command(&tests[position], assertion);
            let weak = match tests[position].assertions[assertion].fact {
                Fact::NotNull | Fact::Called { times: 0, .. } => true,
                Fact::Called { .. } => {
                    (first.is_some() && !is_telling_call)
                        || tests[position].expected.is_some()
                        || is_query(&tests[position], assertion)
                }
                _ => {
                    has_command && is_as_given(&tests[position], &kills[position], assertion)
                        || is_left_alone(&tests[position], &kills[position], assertion)
                        || first.is_some() && kills[position].is_about_same_state(&tests[position], assertion)
                }
            };
            let is_essential = is_essential(&tests[position], assertion);
            *keep = (open && !weak && (assertion < most || is_telling_call && assertion < MOST_KEPT))
                || first == Some(assertion)
                || is_essential;
        }
        killed.extend(kills[position].killed_by(keep));
    }
    // What a call left as it was is rather asserted in a test that reads it.
    add_killers(tests, kills, &costs, &mut chosen, &mut killed, false);
    for _ in 0..most_further {
        let gain = |position: &usize| {
            let all = kills[*position].killed_by(&vec![true; tests[*position].assertions.len()]);
            all.difference(&killed).count()
        };
        let rest = (0..tests.len()).filter(|&position| chosen[position].is_none() && !kills[position].unjudged);
        // The most kills come first, then the shortest test, then the first one.
        let best = rest
            .map(|position| {
                (gain(&position), std::cmp::Reverse(tests[position].test.statements.len()), std::cmp::Reverse(position))
            })
            .max()
            .filter(|(gain, ..)| *gain > 0);
        let Some((_, _, std::cmp::Reverse(position))) = best else { break };
        let mut keep = vec![false; tests[position].assertions.len()];
        if let Some(first) = cheapest(&tests[position], &kills[position], &costs[position]) {
            keep[first] = true;
        }
        killed.extend(kills[position].killed_by(&keep));
        chosen[position] = Some(keep);
        add_killers(tests, kills, &costs, &mut chosen, &mut killed, false);
    }
    add_killers(tests, kills, &costs, &mut chosen, &mut killed, true);
    verify_unanswered(tests, &mut chosen, MOST_KEPT, ignored);
    verify_absent(tests, kills, &mut chosen, MOST_KEPT);
    verify_received(tests, &mut chosen);
    verify_instead_of_null(tests, &mut chosen, |position, null, chosen| {
        let of_test = |(kills, keep): (&Kills, &Option<Vec<bool>>)| keep.as_ref().map(|keep| kills.killed_by(keep));
        let killed: BTreeSet<MutantId> = kills.iter().zip(chosen).filter_map(of_test).flatten().collect();
        !kills[position].by_assertion[null].is_subset(&killed)
    });
    for (((test, kills), costs), keep) in tests.iter().zip(kills).zip(&costs).zip(&mut chosen) {
        if let Some(keep) = keep {
            complete_result(test, keep, is_accessor);
            keep_governed(test, kills, costs, keep);
            keep_effect(test, kills, costs, keep);
            keep_state_of_same(test, costs, keep, is_accessor);
        }
    }
    chosen
}

/// Where no kept assertion is about what a jump decided, the cheapest one that is about it is kept: the name of the
/// test says the condition. A verified call must not be one that the test answers.
fn keep_governed(test: &AssertedTest, kills: &Kills, costs: &[Cost], keep: &mut [bool]) {
    let is_governed = |position: &usize| {
        kills.governed.get(*position).is_some_and(|is_governed| *is_governed)
            && test.assertions[*position].fact != Fact::NotNull
            && !is_query(test, *position)
    };
    if (0..keep.len()).any(|position| keep[position] && is_governed(&position)) {
        return;
    }
    let governed = (0..keep.len()).filter(is_governed).min_by_key(|position| costs[*position]);
    if let Some(governed) = governed.filter(|_| keep.iter().filter(|keep| **keep).count() < MOST_KEPT) {
        keep[governed] = true;
    }
}

/// Where no kept assertion states an effect or verifies that the class gave something away, the
/// cheapest one that states an effect is kept. That a field holds the result says little.
fn keep_effect(test: &AssertedTest, kills: &Kills, costs: &[Cost], keep: &mut [bool]) {
    let call = test.acted.saturating_sub(1);
    let shows_result = (0..keep.len()).any(|position| {
        let Assertion { subject, fact } = &test.assertions[position];
        keep[position] && is_read_from(&test.test, *subject, VarId(call)) && *fact != Fact::NotNull
    });
    let given = test.test.statement(VarId(call)).kind.uses();
    // Nor does it say much that a field holds an argument, beside what the call returns.
    let holds_result = |assertion: &Assertion| {
        let is_field = matches!(test.test.statement(assertion.subject).kind, StatementKind::GetField { .. });
        let is_known = |other: VarId| other.0 == call || shows_result && given.contains(&other);
        is_field && matches!(assertion.fact, Fact::SameAs(other) if is_known(other))
    };
    let is_effect = |position: &usize| {
        kills.effects.get(*position).is_some_and(|is_effect| *is_effect) && !holds_result(&test.assertions[*position])
    };
    if (0..keep.len()).any(|position| keep[position] && (is_effect(&position) || is_command(test, position))) {
        return;
    }
    let effect = (0..keep.len()).filter(is_effect).min_by_key(|position| costs[*position]);
    if let Some(effect) = effect.filter(|_| keep.iter().filter(|keep| **keep).count() < MOST_KEPT) {
        keep[effect] = true;
    }
}

/// Whether the value is that of `object` or was read from it, call by call.
fn is_read_from(test: &TestCase, value: VarId, object: VarId) -> bool {
    let mut read = Some(value);
    while let Some(value) = read.filter(|value| *value != object) {
        read = match &test.statement(value).kind {
            StatementKind::Call { receiver, .. } => *receiver,
            _ => None,
        };
    }
    read.is_some()
}

/// Where a test only says that the call returned its receiver, the cheapest assertion about the state of it is kept, as
/// a reader expects of `builder.append(1)`. What a getter returns was set before.
fn keep_state_of_same(test: &AssertedTest, costs: &[Cost], keep: &mut [bool], is_accessor: &dyn Fn(&MethodRef) -> bool) {
    let Some(call) = test.acted.checked_sub(1).map(VarId) else { return };
    let StatementKind::Call { receiver: Some(object), .. } = &test.test.statement(call).kind else { return };
    let says_same = |assertion: &Assertion| assertion.subject == call && assertion.fact == Fact::SameAs(*object);
    let kept: Vec<usize> = (0..keep.len()).filter(|position| keep[*position]).collect();
    if kept.is_empty() || !kept.iter().all(|position| says_same(&test.assertions[*position])) {
        return;
    }
    let is_state = |position: &usize| {
        let Assertion { subject, fact } = &test.assertions[*position];
        let reads = match &test.test.statement(*subject).kind {
            StatementKind::Call { method, receiver: Some(read), .. } if !is_accessor(method) => [call, *object].contains(read),
            _ => false,
        };
        subject.0 >= test.acted && reads && matches!(fact, Fact::Equals(_) | Fact::Null)
    };
    if let Some(state) = (0..keep.len()).filter(is_state).min_by_key(|position| costs[*position]) {
        keep[state] = true;
    }
}

/// Where the test asserts a part of a small result, it asserts all of its parts: the denominator alone
/// says little about a fraction.
fn complete_result(test: &AssertedTest, keep: &mut [bool], is_accessor: &dyn Fn(&MethodRef) -> bool) {
    let Some(result) = test.acted.checked_sub(1) else { return };
    let is_part = |assertion: &Assertion| match &test.test.statements[assertion.subject.index()].kind {
        StatementKind::Call { method, receiver: Some(receiver), .. } => {
            assertion.subject.0 >= test.acted
                && receiver.0 == result
                && is_accessor(method)
                && matches!(assertion.fact, Fact::Equals(_) | Fact::Null)
        }
        _ => false,
    };
    let parts: Vec<usize> = (0..keep.len()).filter(|position| is_part(&test.assertions[*position])).collect();
    if parts.len() <= MOST_PARTS && parts.iter().any(|position| keep[*position]) {
        parts.into_iter().for_each(|position| keep[position] = true);
    }
}

/// Adds the assertion that kills the most surviving mutants, until no assertion kills one. Queries
/// are verified only where nothing else kills a mutant. `takes_untouched`: also those about state that the call under
/// test leaves as it was.
fn add_killers(
    tests: &[AssertedTest],
    kills: &[Kills],
    costs: &[Vec<Cost>],
    chosen: &mut [Option<Vec<bool>>],
    killed: &mut BTreeSet<MutantId>,
    takes_untouched: bool,
) {
    for queries in [false, true] {
        add_killers_among((kills, costs), chosen, killed, |position, assertion| {
            let test = &tests[position];
            let is_suitable = takes_untouched || !kills[position].is_about_same_state(test, assertion);
            is_suitable && (queries || !is_query(test, assertion))
        });
    }
}

/// Whether the assertion verifies that a call came whose answer the test does not give.
fn is_command(test: &AssertedTest, assertion: usize) -> bool {
    matches!(test.assertions[assertion].fact, Fact::Called { times: 1.., .. }) && !is_query(test, assertion)
}

/// Whether the test can verify such a call.
fn has_command(test: &AssertedTest) -> bool {
    (0..test.assertions.len()).any(|assertion| is_command(test, assertion))
}

/// Whether the assertion reads what was given to the class under test, and kills no mutant.
fn is_as_given(test: &AssertedTest, kills: &Kills, assertion: usize) -> bool {
    kills_nothing(kills, assertion) && reads_given(&test.test, test.acted, test.assertions[assertion].subject)
}

fn kills_nothing(kills: &Kills, assertion: usize) -> bool {
    kills.by_assertion.get(assertion).is_none_or(BTreeSet::is_empty)
}

/// Whether the assertion verifies a call whose answer the test gives.
fn is_query(test: &AssertedTest, assertion: usize) -> bool {
    let Assertion { subject, fact } = &test.assertions[assertion];
    matches!(fact, Fact::Called { method, .. } if is_stubbed_query(&test.test, *subject, method))
}

fn add_killers_among(
    (kills, costs): (&[Kills], &[Vec<Cost>]),
    chosen: &mut [Option<Vec<bool>>],
    killed: &mut BTreeSet<MutantId>,
    is_candidate: impl Fn(usize, usize) -> bool,
) {
    loop {
        let mut best: Option<(usize, std::cmp::Reverse<Cost>, usize, usize)> = None;
        for (position, keep) in chosen.iter().enumerate() {
            let Some(keep) = keep else { continue };
            if keep.iter().filter(|keep| **keep).count() >= MOST_KEPT {
                continue;
            }
            let is_open = |assertion: &usize| !keep[*assertion] && is_candidate(position, *assertion);
            for assertion in (0..keep.len()).filter(is_open) {
                let gain = kills[position].by_assertion[assertion].difference(killed).count();
                let candidate = (gain, std::cmp::Reverse(costs[position][assertion]), position, assertion);
                if gain > 0 && best.is_none_or(|best| (candidate.0, candidate.1) > (best.0, best.1)) {
                    best = Some(candidate);
                }
            }
        }
        let Some((_, _, position, assertion)) = best else { return };
        killed.extend(&kills[position].by_assertion[assertion]);
        if let Some(keep) = &mut chosen[position] {
            keep[assertion] = true;
        }
    }
}

/// Whether the assertion is about an object that the call left as it was, and kills no mutant.
fn is_left_alone(test: &AssertedTest, kills: &Kills, assertion: usize) -> bool {
    kills_nothing(kills, assertion) && kills.is_about_untouched(test, assertion)
}

/// Whether the test ends with a call of the class under test that returns nothing. A request is answered.
fn returns_nothing(test: &AssertedTest) -> bool {
    let Some(call) = test.acted.checked_sub(1).map(VarId) else { return false };
    test.expected.is_none() && *test.test.type_of(call) == JavaType::Void && !test.test.has_request()
}

/// Position of the assertion with the lowest cost. Verified calls do not count, since they must kill
/// something. No more does what a call without a result left alone, nor the state of what was given to the class under
/// test, where the class has no part in it as far as the mutants tell. Before all mutants were tried, the latter comes
/// last, and does not count beside a call that can be verified.
fn cheapest(test: &AssertedTest, kills: &Kills, costs: &[Cost]) -> Option<usize> {
    let is_judged = !kills.unjudged && kills.open.is_empty();
    let must_say_more = is_judged || has_command(test);
    let is_evidence = |assertion: &usize| {
        let Assertion { subject, fact } = &test.assertions[*assertion];
        // What an earlier call returned is shown by its own tests.
        let is_of_earlier_call = subject.0 + 1 < test.acted && kills_nothing(kills, *assertion);
        let says_nothing = is_left_alone(test, kills, *assertion)
            || must_say_more && (is_as_given(test, kills, *assertion) || is_of_earlier_call);
        !matches!(fact, Fact::Called { .. }) && !says_nothing
    };
    let order = |assertion: &usize| (is_as_given(test, kills, *assertion), costs[*assertion]);
    (0..test.assertions.len()).filter(is_evidence).min_by_key(order)
}

/// What an assertion costs its readers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Cost {
    /// See [`effort`].
    effort: u32,
    /// The number of tests of the same method that show the same: the less, the more it says about this
    /// one.
    commonness: usize,
}

/// The costs of all assertions of each test.
fn costs(tests: &[AssertedTest]) -> Vec<Vec<Cost>> {
    let of_test = |(test, common): (&AssertedTest, Vec<usize>)| {
        let assertions = common.into_iter().enumerate();
        assertions.map(|(assertion, commonness)| Cost { effort: effort(test, assertion), commonness }).collect()
    };
    tests.iter().zip(commonness(tests)).map(of_test).collect()
}

/// How much a reader has to take in: least for a plain value that the call under test returned.
fn effort(test: &AssertedTest, assertion: usize) -> u32 {
    let Assertion { subject, fact } = &test.assertions[assertion];
    // A field without an error tells as much as the code of an error.
    let asks_for_error = asks_for_error(test, *subject);
    let position = match &test.test.statements[subject.index()].kind {
        _ if subject.0 + 1 == test.acted => 0,
        _ if asks_for_error => 2,
        // They are all that the result holds.
        _ if stated_arrays(&test.test, test.acted, &test.assertions[assertion]).is_some() => 1,
        StatementKind::Call { method, .. } if &*method.name == "hashCode" && subject.0 >= test.acted => 6,
        _ if is_untouched(&test.test, test.acted, *subject, fact) => 5,
        _ if reads_written(&test.test, test.acted, *subject) || test.reads_result(*subject) => 1,
        _ if subject.0 >= test.acted => 2,
        StatementKind::Call { method, .. } if test.target.as_ref() == Some(method) => 1,
        // What the call wrote to its argument.
        StatementKind::Construct { .. } => 1,
        _ => 4,
    };
    let is_about_input = reads_set_property(&test.test, test.acted, *subject);
    let kind = match fact {
        Fact::Equals(Snapshot::Array { elements, .. }) => 3 + elements.as_ref().map_or(0, |cells| cells.len() as u32 / 4),
        Fact::Equals(Snapshot::Str(Some(units))) => 1 + units.len() as u32 / 40,
        // An object that nothing was done to shows the same.
        Fact::Null => 2,
        Fact::Equals(value) => 1 + u32::from(is_initial(value) && !is_about_input && !asks_for_error),
        Fact::SameAs(_) => 2,
        Fact::Called { times: 1.., .. } => 3,
        Fact::InstanceOf(_) => 4,
        Fact::Called { .. } => 5,
        Fact::NotNull => 6,
    };
    position * 2 + kind
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::execution::HeldValues;

    #[test]
    fn a_call_that_returns_its_receiver_shows_a_state_of_it() {
        let text = "target p/Foo.add ()Lp/Foo;\nacted 2\nv0: Lp/Foo; = new p/Foo.<init> ()V ()\n\
                    v1: Lp/Foo; = call method p/Foo.add ()Lp/Foo; on v0 ()\n\
                    v2: I = call method p/Foo.size ()I on v1 ()\nassert v1 same v0\nassert v2 equals int 4\n";
        let kept = |text: &str| {
            let test: AssertedTest = text.parse().expect("well-formed");
            let mut keep = vec![true, false];
            keep_state_of_same(&test, &costs(std::slice::from_ref(&test))[0], &mut keep, &|_| false);
            keep
        };
        assert_eq!(kept(text), [true, true]);
        assert_eq!(kept(&text.replace("assert v1 same v0", "assert v1 not-null")), [true, false]);
    }

    #[test]
    fn what_the_result_tells_comes_before_what_the_receiver_tells() {
        let text = "target p/Bag.walk ()Lp/Walk;\nacted 2\nv0: Lp/Bag; = new p/Bag.<init> ()V ()\n\
                    v1: Lp/Walk; = call method p/Bag.walk ()Lp/Walk; on v0 ()\n\
                    v2: Z = call method p/Walk.hasNext ()Z on v1 ()\nv3: Z = call method p/Bag.isEmpty ()Z on v0 ()\n\
                    assert v2 equals true\nassert v3 equals true\n";
        let test: AssertedTest = text.parse().expect("well-formed");
        assert!(effort(&test, 0) < effort(&test, 1));
    }

    #[test]
    fn a_field_that_holds_an_argument_says_nothing_beside_the_result() {
        let text = "target p/Foo.read (Ljava/util/List;)Ljava/util/List;\nacted 3\n\
                    v0: Ljava/util/ArrayList; = new java/util/ArrayList.<init> ()V ()\nv1: Lp/Foo; = new p/Foo.<init> ()V ()\n\
                    v2: Ljava/util/List; = call method p/Foo.read (Ljava/util/List;)Ljava/util/List; on v1 (v0)\n\
                    v3: Ljava/util/Iterator; = call interface-method java/util/List.iterator ()Ljava/util/Iterator; on v2 ()\n\
                    v4: Z = call interface-method java/util/Iterator.hasNext ()Z on v3 ()\n\
                    v5: Ljava/util/List; = get p/Foo.source Ljava/util/List; on v1\n\
                    assert v4 equals false\nassert v5 same v0\n";
        let kept = |shows: bool| {
            let test: AssertedTest = text.parse().expect("well-formed");
            let kills = Kills { effects: vec![false, true], ..Kills::of(&test) };
            let mut keep = vec![shows, false];
            keep_effect(&test, &kills, &costs(std::slice::from_ref(&test))[0], &mut keep);
            keep[1]
        };
        assert!(!kept(true));
        assert!(kept(false));
    }

    const TEST: &str = "\
target p/Foo.next (I)I
acted 3
v0: I = int 3
v1: Lp/Foo; = new p/Foo.<init> (I)V (v0)
v2: I = call method p/Foo.next (I)I on v1 (v0)
v3: I = call method p/Foo.size ()I on v1 ()
v4: Ljava/lang/String; = call method p/Foo.name ()Ljava/lang/String; on v1 ()
assert v2 equals int 4
assert v3 equals int 1
assert v4 equals string \"a\"
";

    fn test() -> AssertedTest {
        TEST.parse().expect("well-formed")
    }

    fn select_assertions(tests: &[AssertedTest], kills: &[Kills], required: &[bool], most: usize) -> Vec<Option<Vec<bool>>> {
        super::select_assertions(tests, kills, required, most, &IgnoredResults::default(), &|_| false)
    }

    fn execution(end: RunEnd, values: [Snapshot; 3]) -> Execution {
        let mut snapshots = vec![Snapshot::Absent; 2];
        snapshots.extend(values);
        Execution { final_snapshots: snapshots.clone(), snapshots, ..Execution::without_measurements(end) }
    }

    fn text(text: &str) -> Snapshot {
        Snapshot::Str(Some(text.encode_utf16().collect()))
    }

    #[test]
    fn what_an_earlier_call_gave_is_no_evidence() {
        let text = "target p/Foo.fill (Lp/Item;)V\nacted 3\nv0: Lp/Item; = call method p/Foo.last ()Lp/Item; ()\n\
                    v1: Lp/Foo; = new p/Foo.<init> ()V ()\nv2: V = call method p/Foo.fill (Lp/Item;)V on v1 (v0)\n\
                    assert v0 null\n";
        let kept = |text: &str, killed: &[u32]| {
            let test: AssertedTest = text.parse().expect("well-formed");
            let mut kills = Kills::of(&test);
            kills.by_assertion[0].extend(killed.iter().map(|mutant| MutantId(*mutant)));
            cheapest(&test, &kills, &costs(std::slice::from_ref(&test))[0])
        };
        assert_eq!((kept(text, &[]), kept(text, &[4])), (None, Some(0)));
        assert_eq!(kept(&text.replace("assert v0 null", "assert v0 not-null"), &[]), None);
    }

    #[test]
    fn what_a_call_without_a_result_left_alone_is_no_evidence() {
        let text = "target p/Foo.print ()V\nacted 2\nv0: Lp/Foo; = new p/Foo.<init> ()V ()\n\
                    v1: V = call method p/Foo.print ()V on v0 ()\nv2: I = call method p/Foo.width ()I on v0 ()\n\
                    assert v2 equals int 74\n";
        let kept = |text: &str, is_effect: bool, killed: &[u32]| {
            let test: AssertedTest = text.parse().expect("well-formed");
            let kills = Kills { effects: vec![is_effect], by_assertion: vec![mutants(killed)], ..Kills::default() };
            cheapest(&test, &kills, &costs(std::slice::from_ref(&test))[0])
        };
        assert_eq!([kept(text, false, &[]), kept(text, true, &[]), kept(text, false, &[4])], [None, Some(0), Some(0)]);
        let with_result = text.replace("v1: V = call method p/Foo.print ()V", "v1: I = call method p/Foo.print ()I");
        assert_eq!(kept(&with_result, false, &[]), Some(0));
    }

    #[test]
    fn a_mutant_is_killed_by_the_end_or_by_failing_assertions() {
        let mutant_outcome = |end, values| mutant_outcome(&test(), &execution(end, values), &|_, _| true);
        let plain = || [Snapshot::Int(4), Snapshot::Int(1), text("a")];
        assert_eq!(mutant_outcome(RunEnd::Completed, plain()), MutantOutcome::Survived);
        assert_eq!(mutant_outcome(RunEnd::Unrun, plain()), MutantOutcome::Survived);
        assert_eq!(mutant_outcome(RunEnd::Budget { statement: 2 }, plain()), MutantOutcome::KilledByTermination);
        assert_eq!(mutant_outcome(RunEnd::Died, plain()), MutantOutcome::KilledByTermination);
        assert_eq!(
            mutant_outcome(RunEnd::Completed, [Snapshot::Int(5), Snapshot::Int(1), text("b")]),
            MutantOutcome::KilledByAssertion(vec![0, 2])
        );
        // An inspector that throws fails its own assertion. Later inspectors did not run.
        let broken = [Snapshot::Int(4), Snapshot::Absent, Snapshot::Absent];
        assert_eq!(mutant_outcome(RunEnd::Timeout { statement: 3 }, broken), MutantOutcome::KilledByAssertion(vec![1]));
    }

    fn mutants(numbers: &[u32]) -> BTreeSet<MutantId> {
        numbers.iter().copied().map(MutantId).collect()
    }

    fn kills(by_end: &[u32], by_assertion: [&[u32]; 3]) -> Kills {
        Kills {
            by_end: mutants(by_end),
            by_assertion: by_assertion.iter().map(|kills| mutants(kills)).collect(),
            ..Kills::default()
        }
    }

    #[test]
    fn an_effect_of_the_call_is_stated_where_nothing_else_states_one() {
        let chosen = |effects: [bool; 3], by_assertion: [&[u32]; 3]| {
            let kills = Kills { effects: effects.to_vec(), ..kills(&[], by_assertion) };
            select_assertions(&[test()], &[kills], &[true], 0).remove(0).expect("required")
        };
        assert_eq!(chosen([false; 3], [&[], &[], &[]]), [true, false, false]);
        assert_eq!(chosen([false, true, true], [&[], &[], &[]]), [true, true, false]);
        assert_eq!(chosen([false, true, true], [&[], &[], &[1]]), [true, false, true], "it states one already");
    }

    #[test]
    fn a_field_that_holds_the_result_is_no_effect_to_state() {
        let text = "target p/Foo.parse ()Lp/Line;\nacted 2\nv0: Lp/Foo; = new p/Foo.<init> ()V ()\n\
                    v1: Lp/Line; = call method p/Foo.parse ()Lp/Line; on v0 ()\n\
                    v2: I = call method p/Line.size ()I on v1 ()\nv3: Lp/Line; = get p/Foo.line Lp/Line; on v0\n\
                    assert v2 equals int 0\nassert v3 same v1\n";
        let chosen = |text: &str| {
            let test: AssertedTest = text.parse().expect("well-formed");
            let kills = Kills { effects: vec![false, true], ..Kills::of(&test) };
            select_assertions(&[test], &[kills], &[true], 0).remove(0).expect("required")
        };
        assert_eq!(chosen(text), [true, false]);
        assert_eq!(
            chosen(&text.replace("get p/Foo.line Lp/Line; on v0", "call method p/Foo.last ()Lp/Line; on v0 ()")),
            [true, true]
        );
    }

    #[test]
    fn what_a_jump_decided_is_stated_where_nothing_else_is_about_it() {
        let chosen = |governed: [bool; 3]| {
            let kills = Kills { governed: governed.to_vec(), ..kills(&[], [&[], &[], &[]]) };
            select_assertions(&[test()], &[kills], &[true], 0).remove(0).expect("required")
        };
        assert_eq!(chosen([false, true, true]), [true, true, false]);
        assert_eq!(chosen([true, true, false]), [true, false, false], "a kept one is about it");
    }

    #[test]
    fn contents_are_compared_whole_and_empty_ones_whatever_holds_them() {
        let holding = |kind: ContainerKind, elements: &[Snapshot]| HeldValues { kind, elements: elements.to_vec() };
        let object = |contents| Snapshot::Object {
            class: ClassName::new("java/util/ArrayList"),
            same_as: None,
            size: None,
            contents: Some(contents),
            to_string: None,
        };
        let is_equal = |stated, found| equal(&Snapshot::Container(stated), &object(found));
        let one = [Snapshot::Boxed(Box::new(Snapshot::Int(1)))];
        assert!(is_equal(holding(ContainerKind::List, &one), holding(ContainerKind::List, &one)));
        assert!(!is_equal(holding(ContainerKind::List, &one), holding(ContainerKind::List, &[])));
        assert!(!is_equal(holding(ContainerKind::List, &one), holding(ContainerKind::Set, &one)));
        assert!(is_equal(holding(ContainerKind::Set, &[]), holding(ContainerKind::List, &[])));
        assert!(!is_equal(holding(ContainerKind::Optional, &[]), holding(ContainerKind::List, &[])));
    }

    #[test]
    fn assertions_that_kill_nothing_more_are_dropped() {
        let tests = [test(), test()];
        let known = [kills(&[1], [&[2], &[2, 3], &[]]), kills(&[], [&[4], &[3], &[2]])];
        let chosen = select_assertions(&tests, &known, &[true, true], 0);
        // Each test keeps its cheapest assertion; the first killer of 3 is kept.
        assert_eq!(chosen, [Some(vec![true, true, false]), Some(vec![true, false, false])]);
    }

    #[test]
    fn a_test_with_unknown_outcomes_keeps_its_assertions() {
        let mut open = kills(&[], [&[2], &[], &[]]);
        open.open.insert(MutantId(9));
        assert_eq!(select_assertions(&[test()], &[open.clone()], &[true], 0), [Some(vec![true; 3])]);
        // Another test kills that mutant.
        let chosen = select_assertions(&[test(), test()], &[open, kills(&[9], [&[], &[], &[]])], &[true, true], 0);
        assert_eq!(chosen[0], Some(vec![true, false, false]));
    }

    #[test]
    fn what_the_class_changed_is_asserted_before_what_it_left() {
        let text = "\
acted 4
v0: Lp/V; = new p/V.<init> ()V ()
v1: Lp/Repo; = mock p/Repo (p/Repo.find ()Lp/V; v0)
v2: Lp/S; = new p/S.<init> (Lp/Repo;)V (v1)
v3: V = call method p/S.work ()V on v2 ()
v4: I = call method p/V.getId ()I on v0 ()
v5: I = call method p/V.getSum ()I on v0 ()
assert v4 equals int 0
assert v5 equals int 3
";
        let tests: [AssertedTest; 1] = [text.parse().expect("well-formed")];
        let chosen = |by_assertion: Vec<BTreeSet<MutantId>>, open: &[u32]| {
            let kills = Kills { by_assertion, open: mutants(open), ..Kills::default() };
            select_assertions(&tests, &[kills], &[true], 0).remove(0)
        };
        let nothing = || vec![BTreeSet::new(); 2];
        assert_eq!(chosen(vec![mutants(&[1]), mutants(&[1])], &[]), Some(vec![false, true]));
        // What no mutant changes is as the test made it.
        assert_eq!(chosen(nothing(), &[]), Some(vec![false, false]));
        assert_eq!(chosen(nothing(), &[7]), Some(vec![true, true]));
    }

    #[test]
    fn what_was_given_is_not_asserted_beside_a_call() {
        let text = |called: &str| {
            format!(
                "acted 4\nv0: Lp/V; = new p/V.<init> ()V ()\nv1: Lp/Repo; = mock p/Repo (p/Repo.find ()Lp/V; v0)\n\
                 v2: Lp/S; = new p/S.<init> (Lp/Repo;)V (v1)\nv3: V = call method p/S.work ()V on v2 ()\n\
                 v4: I = call method p/V.getId ()I on v0 ()\nassert v1 called 1 p/Repo.{called} ()\nassert v4 equals int 5\n"
            )
        };
        let chosen = |called: &str, killed: &[u32]| {
            let tests: [AssertedTest; 1] = [text(called).parse().expect("well-formed")];
            let kills = Kills { by_assertion: vec![BTreeSet::new(), mutants(killed)], open: mutants(&[7]), ..Kills::default() };
            select_assertions(&tests, &[kills], &[true], 0).remove(0)
        };
        assert_eq!(chosen("send ()V", &[]), Some(vec![true, false]));
        assert_eq!(chosen("send ()V", &[1]), Some(vec![false, true]), "the class has a part in it");
        assert_eq!(chosen("find ()Lp/V;", &[]), Some(vec![false, true]), "the call is a query");
    }

    #[test]
    fn a_null_is_asserted_after_other_values() {
        let text = "\
acted 2
v0: Lp/Mapper; = new p/Mapper.<init> ()V ()
v1: Lp/Dto; = call method p/Mapper.map ()Lp/Dto; on v0 ()
v2: Ljava/lang/Long; = call method p/Dto.getId ()Ljava/lang/Long; on v1 ()
v3: I = call method p/Dto.getGrams ()I on v1 ()
assert v2 null
assert v3 equals int 2
";
        let chosen = |text: &str| {
            let tests: [AssertedTest; 1] = [text.parse().expect("well-formed")];
            let kills = Kills { by_assertion: vec![BTreeSet::new(); 2], ..Kills::default() };
            select_assertions(&tests, &[kills], &[true], 0).remove(0)
        };
        assert_eq!(chosen(text), Some(vec![false, true]));
        assert_eq!(chosen(&text.replace("int 2", "int 0")), Some(vec![true, false]), "zero says as little");
    }

    #[test]
    fn what_was_returned_is_asserted_before_what_an_argument_still_is() {
        let text = "\
acted 3
v0: Lp/Order; = new p/Order.<init> ()V ()
v1: Lp/Mapper; = new p/Mapper.<init> ()V ()
v2: Lp/Dto; = call method p/Mapper.map (Lp/Order;)Lp/Dto; on v1 (v0)
v3: Ljava/lang/String; = call method p/Dto.toString ()Ljava/lang/String; on v2 ()
v4: Ljava/lang/Long; = call method p/Order.getId ()Ljava/lang/Long; on v0 ()
assert v3 equals string \"Dto(number=null, status=new, customer=guest, total=null, lines=[])\"
assert v4 null
";
        let tests: [AssertedTest; 1] = [text.parse().expect("well-formed")];
        let kills = Kills { by_assertion: vec![BTreeSet::new(); 2], ..Kills::default() };
        assert_eq!(select_assertions(&tests, &[kills], &[true], 0), [Some(vec![true, false])]);
    }

    #[test]
    fn what_the_call_wrote_is_asserted_before_other_state() {
        let text = "\
acted 4
v0: Lp/Order; = new p/Order.<init> ()V ()
v1: Ljava/io/StringWriter; = new java/io/StringWriter.<init> ()V ()
v2: Lp/Report; = new p/Report.<init> ()V ()
v3: V = call method p/Report.write (Lp/Order;Ljava/io/Writer;)V on v2 (v0, v1)
v4: I = call method p/Order.getId ()I on v0 ()
v5: Ljava/lang/String; = call method java/lang/Object.toString ()Ljava/lang/String; on v1 ()
assert v4 equals int 2
assert v5 equals string \"number;status;pieces;total\"
";
        let tests: [AssertedTest; 1] = [text.parse().expect("well-formed")];
        let kills = Kills { by_assertion: vec![mutants(&[1]), mutants(&[1])], ..Kills::default() };
        assert_eq!(select_assertions(&tests, &[kills], &[true], 0), [Some(vec![false, true])]);
    }

    #[test]
    fn a_further_test_is_added_only_if_it_kills_more() {
        let tests = [test(), test(), test()];
        let known = [kills(&[1], [&[], &[], &[]]), kills(&[1], [&[], &[], &[]]), kills(&[], [&[], &[], &[7]])];
        let chosen = select_assertions(&tests, &known, &[true, false, false], 5);
        assert_eq!(chosen, [Some(vec![true, false, false]), None, Some(vec![true, false, true])]);
        assert_eq!(select_assertions(&tests, &known, &[true, false, false], 0)[2], None);
    }

    #[test]
    fn a_call_is_verified_only_where_it_kills_and_a_query_only_as_the_last_resort() {
        let text = "\
v0: I = int 3
v1: Lp/Repo; = mock p/Repo (p/Repo.size ()I v0)
v2: I = call method p/S.work (Lp/Repo;)I (v1)
assert v1 called 1 p/Repo.flush ()V ()
assert v1 called 1 p/Repo.size ()I ()
assert v2 equals int 3
";
        let tests: [AssertedTest; 1] = [text.parse().expect("well-formed")];
        let chosen = |by_assertion: [&[u32]; 3]| select_assertions(&tests, &[kills(&[], by_assertion)], &[true], 0)[0].clone();
        assert_eq!(chosen([&[], &[], &[]]), Some(vec![false, false, true]));
        assert_eq!(chosen([&[1], &[], &[]]), Some(vec![true, false, true]));
        assert_eq!(chosen([&[1], &[1, 2], &[2]]), Some(vec![true, false, true]));
        assert_eq!(chosen([&[], &[5], &[]]), Some(vec![false, true, true]));
        // A test that ran under no mutant verifies what a removed call would leave undone.
        let unjudged = Kills { unjudged: true, ..kills(&[], [&[], &[], &[]]) };
        assert_eq!(select_assertions(&tests, &[unjudged], &[true], 0)[0], Some(vec![true, false, true]));
    }

    #[test]
    fn a_small_result_is_asserted_whole() {
        let text = "\
target p/Foo.half (I)Lp/Pair;
acted 2
v0: I = int 3
v1: Lp/Pair; = call method p/Foo.half (I)Lp/Pair; (v0)
v2: I = call method p/Pair.left ()I on v1 ()
v3: I = call method p/Pair.right ()I on v1 ()
v4: I = call method p/Pair.sum ()I on v1 ()
assert v2 equals int 1
assert v3 equals int 2
assert v4 equals int 3
";
        let test: AssertedTest = text.parse().expect("well-formed");
        let is_accessor = |method: &MethodRef| &*method.name != "sum";
        let completed = |mut keep: [bool; 3]| {
            complete_result(&test, &mut keep, &is_accessor);
            keep
        };
        assert_eq!(completed([true, false, false]), [true, true, false]);
        assert_eq!(completed([false, false, true]), [false, false, true]);
    }
}
