//! Makes tests small and suites free of redundant tests. Flows in: tests with the goals they must
//! cover, executions; flows out: shorter candidates, and the tests a suite needs. Must not know a
//! JVM; it has an ask-and-tell interface.
//!
//! Executions may end at any time, so the few candidates that most often shorten a test a lot come
//! first: the last call with its definitions, with the calls on its objects or without them, and
//! mocks without the answers that no call asked for. Then follow single statements, plain literals,
//! and at last the characters of strings.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use super::goals::{GoalId, GoalRegistry, Weakness};
use super::literals::{as_integer, integer_literal};
use crate::execution::{Execution, Interaction, RunEnd, drop_unused_answers};
use crate::program::MethodRef;
use crate::testcase::{Answer, Literal, StatementKind, StubKind, TestCase, TestHash, VarId};

/// Simpler values of a literal that are tried before all others.
const PLAIN_LITERALS: usize = 4;

/// Minimises one test. The caller repeats `ask` and `tell` until `ask` returns no candidate.
#[derive(Debug)]
pub struct Minimiser {
    best: TestCase,
    goals: Vec<GoalId>,
    phase: MinimisationPhase,
    tried: HashSet<TestHash>,
    /// Proposals that are being executed; after `tell` possibly one for the next round.
    asked: Vec<Proposal>,
    keeps_literals: bool,
    /// Of the test itself; no shorter test may be weaker.
    weakness: Weakness,
    /// The test without the answers that no call asked for, where that is known.
    without_unused_answers: Vec<TestCase>,
    /// The test without what follows the last call of the method under test.
    ended: Option<TestCase>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum MinimisationPhase {
    /// The last call and the call under test with their definitions, without unused answers.
    Cone,
    /// The last call with its definitions and the calls on its objects.
    Slice,
    Statements,
    /// The simplest values of each literal.
    PlainLiterals,
    Literals,
    Done,
}

#[derive(Clone, Debug)]
struct Proposal {
    test: TestCase,
    edit: Edit,
}

#[derive(Clone, Debug)]
enum Edit {
    Remove(usize),
    Simplify(VarId, Literal),
    /// Several edits that succeeded separately.
    Together,
}

impl Minimiser {
    /// `goals`, in any order: the goals that the result must cover.
    pub fn new(test: TestCase, goals: Vec<GoalId>) -> Minimiser {
        let mut best = test;
        best.remove_unused_values();
        Minimiser {
            tried: HashSet::from([best.canonical_hash()]),
            best,
            goals,
            phase: MinimisationPhase::Cone,
            asked: Vec::new(),
            keeps_literals: false,
            weakness: Weakness::None,
            without_unused_answers: Vec::new(),
            ended: None,
        }
    }

    /// Sets the weakness of the test itself.
    pub(crate) fn with_weakness(self, weakness: Weakness) -> Minimiser {
        Minimiser { weakness, ..self }
    }

    /// The calls that the mocks of the test received. Answers that no call asked for are removed
    /// first.
    pub(crate) fn with_interactions(self, calls: &[Interaction]) -> Minimiser {
        let without_unused_answers = without_unused_answers(&self.best, calls);
        Minimiser { without_unused_answers, ..self }
    }

    /// Names the method under test. What follows its last call is removed first: what other calls do to its objects
    /// then is no part of the test.
    pub(crate) fn ending_with(self, target: Option<&MethodRef>) -> Minimiser {
        let is_target = |kind: &StatementKind| match kind {
            StatementKind::Call { method, .. } | StatementKind::Construct { constructor: method, .. } => Some(method) == target,
            _ => false,
        };
        let last = self.best.statements.iter().rposition(|statement| is_target(&statement.kind));
        let ended = last.filter(|last| last + 1 < self.best.len()).map(|last| {
            let mut ended = self.best.clone();
            ended.statements.truncate(last + 1);
            ended.remove_unused_values();
            ended
        });
        Minimiser { ended, ..self }
    }

    /// Removes statements only; for tests whose values matter.
    pub(crate) fn keeping_literals(test: TestCase, goals: Vec<GoalId>) -> Minimiser {
        Minimiser { keeps_literals: true, ..Minimiser::new(test, goals) }
    }

    /// The smallest test so far.
    pub fn result(&self) -> &TestCase {
        &self.best
    }

    /// The next candidates; empty when the test is minimal.
    pub fn ask(&mut self) -> Vec<TestCase> {
        while self.phase != MinimisationPhase::Done {
            self.asked = match self.phase {
                MinimisationPhase::Cone => self.cone(),
                MinimisationPhase::Slice => self.slices(),
                MinimisationPhase::Statements => self.removals(),
                MinimisationPhase::PlainLiterals => self.simplifications(PLAIN_LITERALS),
                MinimisationPhase::Literals => self.simplifications(usize::MAX),
                MinimisationPhase::Done => Vec::new(),
            };
            let tried = &mut self.tried;
            self.asked.retain(|proposal| !proposal.test.is_empty() && tried.insert(proposal.test.canonical_hash()));
            if !self.asked.is_empty() {
                break;
            }
            self.phase = match self.phase {
                MinimisationPhase::Cone => MinimisationPhase::Slice,
                MinimisationPhase::Slice => MinimisationPhase::Statements,
                MinimisationPhase::Statements if !self.keeps_literals => MinimisationPhase::PlainLiterals,
                MinimisationPhase::PlainLiterals => MinimisationPhase::Literals,
                _ => MinimisationPhase::Done,
            };
        }
        self.asked.iter().map(|proposal| proposal.test.clone()).collect()
    }

    /// Reports the executions of the last candidates, in their order.
    pub fn tell(&mut self, goals: &GoalRegistry, executions: &[Execution]) {
        let good: Vec<bool> = self
            .asked
            .iter()
            .zip(executions)
            .map(|(proposal, execution)| {
                still_covers(goals, &self.goals, &proposal.test, execution)
                    && goals.weakness(&proposal.test, &execution.end) <= self.weakness
                    && !is_for_want_of_injection(goals, &self.best, &proposal.test, execution)
            })
            .collect();
        self.accept(&good);
    }

    /// As [`Minimiser::tell`], with another criterion than goals: which of the last candidates are
    /// as good as the original.
    pub(crate) fn accept(&mut self, good: &[bool]) {
        let mut smallest: Option<TestCase> = None;
        let mut removable = Vec::new();
        let mut simpler: BTreeMap<VarId, Literal> = BTreeMap::new();
        for (proposal, good) in self.asked.drain(..).zip(good) {
            if !good {
                continue;
            }
            match &proposal.edit {
                Edit::Remove(index) => removable.push(*index),
                // Proposals come in the order of simplicity.
                Edit::Simplify(variable, literal) => {
                    simpler.entry(*variable).or_insert_with(|| literal.clone());
                }
                Edit::Together => {}
            }
            if smallest.as_ref().is_none_or(|smallest| size(&proposal.test) < size(smallest)) {
                smallest = Some(proposal.test);
            }
        }
        let Some(smallest) = smallest.filter(|smallest| size(smallest) < size(&self.best)) else { return };
        // Edits that succeeded separately are tried together next; indices are those of the
        // unedited test.
        let mut together = self.best.clone();
        for (variable, literal) in simpler {
            together.replace_literal(variable, literal);
        }
        removable.sort_unstable_by(|left, right| right.cmp(left));
        for index in removable {
            if index < together.len() {
                // Removal from the end keeps the earlier indices valid.
                together.remove_with_dependants(index);
            }
        }
        together.remove_unused_values();
        self.best = smallest;
        if size(&together) < size(&self.best) {
            self.asked.push(Proposal { test: together, edit: Edit::Together });
        }
    }

    /// The last call with its definitions, without unused answers; the same of the call under test, and the test
    /// without what follows that. There are no more candidates: an execution may take long.
    fn cone(&mut self) -> Vec<Proposal> {
        let mut proposals = std::mem::take(&mut self.asked);
        let shortest = self.without_unused_answers.first().unwrap_or(&self.best);
        let mut shorter: Vec<TestCase> = cone_of_last_call(shortest).into_iter().collect();
        if let Some(ended) = self.ended.take() {
            shorter.extend(cone_of_last_call(&ended));
            shorter.push(ended);
        }
        proposals.extend(shorter.into_iter().map(|test| Proposal { test, edit: Edit::Together }));
        proposals
    }

    /// The last call with its definitions and the calls on its objects, and the test without unused
    /// answers.
    fn slices(&mut self) -> Vec<Proposal> {
        let mut proposals = std::mem::take(&mut self.asked);
        let mut shorter = std::mem::take(&mut self.without_unused_answers);
        shorter.retain(|test| size(test) < size(&self.best));
        let whole: Vec<&TestCase> = shorter.iter().chain([&self.best]).collect();
        let slices = whole.iter().filter_map(|test| slice_of_last_call(test, |kind| kind.has_effect()));
        let bare = whole.iter().filter_map(|test| slice_of_last_call(test, prepares));
        let slices: Vec<TestCase> = bare.chain(slices).collect();
        proposals.extend(slices.into_iter().chain(shorter).map(|test| Proposal { test, edit: Edit::Together }));
        proposals
    }

    fn removals(&mut self) -> Vec<Proposal> {
        let mut proposals = std::mem::take(&mut self.asked);
        let count = self.best.len();
        let cone = cone_of_last_call(&self.best);
        proposals.extend(cone.map(|test| Proposal { test, edit: Edit::Together }));
        for index in (0..count).rev() {
            if matches!(self.best.statements[index].kind, StatementKind::Literal(_)) {
                continue;
            }
            let mut shorter = self.best.clone();
            shorter.remove_with_dependants(index);
            shorter.remove_unused_values();
            proposals.push(Proposal { test: shorter, edit: Edit::Remove(index) });
            proposals.extend(self.bypass(index));
            proposals.extend(self.silenced(index));
        }
        proposals
    }

    /// A mock without its answers, without each single one, and with simpler ones. A method without
    /// an answer returns the default. So does another stub with several answers; a single one may be
    /// all that a function does.
    fn silenced(&self, index: usize) -> Vec<Proposal> {
        let StatementKind::Stub { kind, answers, .. } = &self.best.statements[index].kind else { return Vec::new() };
        let is_removable = *kind == StubKind::Mock || answers.len() > 1;
        let mut simpler: Vec<Vec<Answer>> = Vec::new();
        if answers.len() > 1 {
            simpler.push(Vec::new());
        }
        for position in (0..answers.len()).filter(|_| is_removable) {
            let mut without = answers.clone();
            without.remove(position);
            simpler.push(without);
        }
        for (position, answer) in answers.iter().enumerate() {
            let mut with = |changed: Answer| {
                let mut answers = answers.clone();
                answers[position] = changed;
                simpler.push(answers);
            };
            if !answer.arguments.is_empty() {
                with(Answer { arguments: Vec::new(), ..answer.clone() });
            }
            if answer.outcomes.len() > 1 {
                answer.outcomes.iter().for_each(|outcome| with(Answer { outcomes: vec![*outcome], ..answer.clone() }));
            }
        }
        simpler.into_iter().flat_map(|answers| self.with_answers(index, answers)).collect()
    }

    /// The test with these answers in place of those of the stub: once without the objects that the
    /// dropped answers used, and their calls; once with them, since other answers may need them.
    fn with_answers(&self, index: usize, answers: Vec<Answer>) -> Vec<Proposal> {
        let mut shorter = self.best.clone();
        let StatementKind::Stub { answers: old, .. } = &mut shorter.statements[index].kind else { return Vec::new() };
        let kept: BTreeSet<VarId> = answers.iter().flat_map(Answer::uses).collect();
        let dropped: BTreeSet<VarId> = old.iter().flat_map(Answer::uses).filter(|value| !kept.contains(value)).collect();
        *old = answers;
        with_and_without(shorter, dropped).into_iter().map(|test| Proposal { test, edit: Edit::Together }).collect()
    }

    /// Replaces the statement's variable by an earlier one of the same type, then removes the
    /// statement. A mock in a field stays, since Mockito fills each field with a mock of its own.
    fn bypass(&self, index: usize) -> Option<Proposal> {
        let is_mock = matches!(self.best.statements[index].kind, StatementKind::Stub { kind: StubKind::Mock, .. });
        let fills = |kind: &StatementKind| matches!(kind, StatementKind::PutField { value, receiver: Some(_), .. } if value.index() == index);
        if is_mock && self.best.statements.iter().any(|statement| fills(&statement.kind)) {
            return None;
        }
        let ty = &self.best.statements[index].ty;
        let earlier = (0..index).find(|&earlier| {
            self.best.statements[earlier].ty == *ty
                && !matches!(self.best.statements[earlier].kind, StatementKind::Literal(Literal::Null))
        })?;
        let mut shorter = self.best.clone();
        shorter.replace_uses(VarId(index as u32), VarId(earlier as u32), index + 1);
        shorter.remove_with_dependants(index);
        shorter.remove_unused_values();
        Some(Proposal { test: shorter, edit: Edit::Together })
    }

    /// Each literal with up to `most` simpler values, the simplest first.
    fn simplifications(&mut self, most: usize) -> Vec<Proposal> {
        let mut proposals = std::mem::take(&mut self.asked);
        for index in 0..self.best.len() as u32 {
            let variable = VarId(index);
            let Some(current) = self.best.literal(variable) else { continue };
            if self.best.is_fixed_in_request(variable) {
                continue;
            }
            for literal in simpler_literals(current).into_iter().take(most) {
                if complexity(&literal) < complexity(current) {
                    let mut simpler = self.best.clone();
                    simpler.replace_literal(variable, literal.clone());
                    proposals.push(Proposal { test: simpler, edit: Edit::Simplify(variable, literal) });
                }
            }
        }
        proposals
    }
}

/// The place of the last call, or of the last write; `None` for a test without any.
fn last_call(test: &TestCase) -> Option<usize> {
    test.statements.iter().rposition(|statement| statement.kind.has_effect())
}

/// The last call with its definitions and nothing else; `None` for a test without a call.
fn cone_of_last_call(test: &TestCase) -> Option<TestCase> {
    let last = last_call(test)?;
    let mut cone = test.clone();
    cone.retain(&test.definition_cone(VarId(last as u32)));
    Some(cone)
}

/// The last call, its definitions, and the earlier calls that may change one of its objects; `None`
/// for a test without a call. A constructor rarely changes its arguments.
fn slice_of_last_call(test: &TestCase, changes: impl Fn(&StatementKind) -> bool) -> Option<TestCase> {
    let last = last_call(test)?;
    let is_object = |value: VarId| !matches!(test.statement(value).kind, StatementKind::Literal(_));
    let mut needed = vec![false; test.len()];
    needed[last] = true;
    // A statement that comes later may need an object that an earlier one changes.
    loop {
        let before = needed.clone();
        for index in (0..=last).rev() {
            let kind = &test.statements[index].kind;
            let uses = kind.uses();
            let may_change = changes(kind) && !matches!(kind, StatementKind::Construct { .. });
            needed[index] |= may_change && uses.iter().any(|used| is_object(*used) && needed[used.index()]);
            if needed[index] {
                uses.iter().for_each(|used| needed[used.index()] = true);
            }
        }
        if needed == before {
            break;
        }
    }
    let mut slice = test.clone();
    slice.retain(&needed);
    Some(slice)
}

/// Whether the statement prepares an object, as far as its name tells: it writes a field, or sets or adds something.
fn prepares(kind: &StatementKind) -> bool {
    match kind {
        StatementKind::Call { method, .. } => ["set", "add", "put"].iter().any(|verb| method.name.starts_with(verb)),
        kind => kind.has_effect(),
    }
}

/// The test without the answers that none of these calls asked for: once without the objects that
/// only they used, and once with them. Empty where all answers were asked for.
pub(crate) fn without_unused_answers(test: &TestCase, calls: &[Interaction]) -> Vec<TestCase> {
    let mut changed = test.clone();
    let dropped = drop_unused_answers(&mut changed, calls);
    if changed == *test {
        return Vec::new();
    }
    with_and_without(changed, dropped).into()
}

/// The test without these values and their dependants, and the test without unused values only. The
/// values may have been used by answers that are no more there. What another answer or the last statement needs stays.
fn with_and_without(test: TestCase, dropped: BTreeSet<VarId>) -> [TestCase; 2] {
    let (mut shorter, mut longer) = (test.clone(), test);
    longer.remove_unused_values();
    // A literal disappears when its last use does. Removal from the end keeps the earlier indices
    // valid.
    for value in dropped.into_iter().rev() {
        if !matches!(shorter.statement(value).kind, StatementKind::Literal(_)) && !is_needed(&shorter, value) {
            shorter.remove_with_dependants(value.index());
        }
    }
    shorter.remove_unused_values();
    [shorter, longer]
}

/// Whether an answer or the last statement depends on the value.
fn is_needed(test: &TestCase, value: VarId) -> bool {
    let independent = test.independent_of(value.index());
    let gives = |kind: &StatementKind| matches!(kind, StatementKind::Stub { .. });
    let mut dependants = test.statements.iter().enumerate().skip(value.index() + 1).filter(|(index, _)| !independent[*index]);
    dependants.any(|(index, statement)| index + 1 == test.len() || gives(&statement.kind))
}

fn still_covers(goals: &GoalRegistry, wanted: &[GoalId], test: &TestCase, execution: &Execution) -> bool {
    // A test that throws must end there, with an exception of the project.
    let fits = match &execution.end {
        RunEnd::Completed => true,
        RunEnd::Threw { statement, thrown } => thrown.in_project && *statement as usize + 1 == test.len(),
        _ => false,
    };
    fits && {
        let covered = goals.covered_by(test, execution);
        wanted.iter().all(|goal| covered.binary_search(goal).is_ok())
    }
}

/// Whether the shorter test ends with a `NullPointerException` after it lost a value that a
/// container injects: the exception may only say that the test forgot to set a field.
fn is_for_want_of_injection(goals: &GoalRegistry, best: &TestCase, shorter: &TestCase, execution: &Execution) -> bool {
    matches!(&execution.end, RunEnd::Threw { thrown, .. } if thrown.class.internal() == "java/lang/NullPointerException")
        && goals.count_injected(shorter) < goals.count_injected(best)
}

/// Number of statements and of the answers of stubs, then complexity of the literals.
fn size(test: &TestCase) -> (usize, u64) {
    let answers = test.statements.iter().map(|statement| match &statement.kind {
        StatementKind::Stub { answers, .. } => answers.iter().map(|answer| answer.uses().count()).sum(),
        _ => 0,
    });
    let literals = test.statements.iter().filter_map(|statement| match &statement.kind {
        StatementKind::Literal(literal) => Some(complexity(literal)),
        _ => None,
    });
    (test.len() + answers.sum::<usize>(), literals.sum())
}

/// How hard a literal is to read; 0 for the simplest.
pub(crate) fn complexity(literal: &Literal) -> u64 {
    let integer = |value: i64| match value {
        0 => 0,
        1 => 1,
        _ => {
            let bits = 64 - value.unsigned_abs().leading_zeros();
            let digits = value.unsigned_abs().to_string().trim_end_matches('0').len() as u64;
            2 + 4 * u64::from(bits) + 2 * digits + u64::from(value < 0)
        }
    };
    match literal {
        Literal::Null | Literal::Boolean(false) | Literal::Class(_) => 0,
        Literal::Boolean(true) => 1,
        Literal::Char(unit) => match u8::try_from(*unit) {
            Ok(b'a') => 0,
            Ok(unit) if unit.is_ascii_alphanumeric() => 1,
            Ok(0x20..0x7f) => 2,
            _ => 8,
        },
        Literal::Str(units) => units.iter().map(|unit| 3 + complexity(&Literal::Char(*unit))).sum::<u64>(),
        Literal::Float(bits) => reals(f64::from(f32::from_bits(*bits)), integer),
        Literal::Double(bits) => reals(f64::from_bits(*bits), integer),
        other => as_integer(other).map_or(0, integer),
    }
}

fn reals(value: f64, integer: impl Fn(i64) -> u64) -> u64 {
    if value.is_nan() || value.is_infinite() {
        return 20;
    }
    if value == 0.0 {
        return u64::from(value.is_sign_negative()) * 4;
    }
    if value.fract() == 0.0 && value.abs() < 1e15 {
        return integer(value as i64);
    }
    // Length of the decimal digits.
    10 + 4 * format!("{value:?}").len() as u64
}

/// The number in fewer and fewer digits, toward zero: 1234 gives 1230, 1200 and 1000.
fn rounded(value: f64) -> impl Iterator<Item = f64> {
    let powers = (1..16).map(|power| 10f64.powi(power)).take_while(move |power| *power <= value.abs());
    powers.map(move |power| (value / power).trunc() * power)
}

/// Round numbers that a person would write in place of larger ones.
const TENS: [i64; 4] = [100, 1000, 10_000, 1_000_000];

/// Values to try instead of the literal, the simplest first. Some may be as complex as it is.
pub(crate) fn simpler_literals(literal: &Literal) -> Vec<Literal> {
    match literal {
        Literal::Null | Literal::Class(_) => Vec::new(),
        Literal::Boolean(_) => vec![Literal::Boolean(false)],
        Literal::Char(_) => [b'a', b'0', b' '].iter().map(|unit| Literal::Char(u16::from(*unit))).collect(),
        Literal::Str(units) => {
            let mut found = vec![Literal::Str(Vec::new()), Literal::Str(vec![u16::from(b'a')])];
            let half = units.len() / 2;
            found.push(Literal::Str(units[..half].to_vec()));
            found.push(Literal::Str(units[half..].to_vec()));
            for at in 0..units.len().min(24) {
                let mut shorter = units.clone();
                shorter.remove(at);
                found.push(Literal::Str(shorter));
            }
            for at in 0..units.len().min(24) {
                let mut plain = units.clone();
                plain[at] = u16::from(b'a');
                found.push(Literal::Str(plain));
            }
            found
        }
        Literal::Float(bits) => {
            let value = f32::from_bits(*bits);
            let near = [0.0, 1.0, -1.0, 2.0, value.round(), (value * 10.0).round() / 10.0, 0.5];
            let rounded = rounded(f64::from(value)).map(|value| value as f32);
            near.into_iter().chain(rounded).map(|value| Literal::Float(value.to_bits())).collect()
        }
        Literal::Double(bits) => {
            let value = f64::from_bits(*bits);
            let near = [0.0, 1.0, -1.0, 2.0, value.round(), (value * 10.0).round() / 10.0, 0.5, 0.125, -0.125];
            let to_decimals = [100.0, 1000.0].map(|power| (value * power).round() / power);
            let tens = TENS.iter().filter(|ten| (**ten as f64) < value.abs()).flat_map(|ten| [*ten as f64, -*ten as f64]);
            let found = near.into_iter().chain(to_decimals).chain(rounded(value)).chain(tens);
            found.map(|value| Literal::Double(value.to_bits())).collect()
        }
        other => {
            let ty = other.primitive().expect("integers are primitive");
            let value = as_integer(other).expect("the rest are integers");
            let mut found: Vec<i64> = vec![0, 1, -1, 2, 3, 5, 10, -value.saturating_abs(), value.saturating_abs()];
            found.extend([value / 1000, value / 100, value / 10, value / 2, value - value.signum()]);
            found.extend(TENS.iter().filter(|ten| **ten < value.saturating_abs()).flat_map(|ten| [*ten, -ten]));
            let mut ten = 100i64;
            while ten < value.saturating_abs() && ten < i64::MAX / 10 {
                found.push(value / ten * ten);
                ten *= 10;
            }
            found.into_iter().filter_map(|value| integer_literal(ty, value)).collect()
        }
    }
}

/// A test of the suite: its index in the given tests, and the goals that no earlier test of the
/// suite covers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SuiteTest {
    pub(crate) index: usize,
    /// The goals that no earlier test of the suite covers.
    pub goals: Vec<GoalId>,
}

/// Tests that cover every required goal that the given tests cover. Greedy by newly covered goals
/// for each statement (a weak end counts as some more), then without redundant tests. The same input
/// gives the same suite. Rejected executions and those that [`Weakness::Unchecked`] tells of are
/// never chosen.
pub fn choose_suite(goals: &GoalRegistry, tests: &[(TestCase, Execution)]) -> Vec<SuiteTest> {
    choose_suite_apart(goals, tests, &BTreeMap::new())
}

/// As [`choose_suite`]. A test in `begins_with` counts only for what the test does not cover that it
/// begins with: places of tests by places of longer ones.
pub(crate) fn choose_suite_apart(
    goals: &GoalRegistry,
    tests: &[(TestCase, Execution)],
    begins_with: &BTreeMap<usize, usize>,
) -> Vec<SuiteTest> {
    let mut covered: Vec<Vec<GoalId>> = tests.iter().map(|(test, execution)| goals.covered_by(test, execution)).collect();
    let shorter: BTreeMap<usize, Vec<GoalId>> =
        begins_with.iter().map(|(long, short)| (*long, covered[*short].clone())).collect();
    for (long, shorter) in shorter {
        covered[long].retain(|goal| shorter.binary_search(goal).is_err());
    }
    let weakness: Vec<Weakness> = tests.iter().map(|(test, execution)| goals.weakness(test, &execution.end)).collect();
    let length = |index: usize| tests[index].0.len() + weakness[index].cost() as usize;
    for (covered, _) in covered.iter_mut().zip(&weakness).filter(|(_, weakness)| **weakness == Weakness::Unchecked) {
        covered.clear();
    }
    let foreign = foreign_exceptions(goals, &covered, &weakness);
    for covered in &mut covered {
        covered.retain(|goal| goals.is_required(*goal) && !foreign.contains(goal));
    }
    let mut times = vec![0u32; goals.len()];
    let mut chosen: Vec<usize> = Vec::new();
    let mut left: Vec<usize> = (0..tests.len()).filter(|&index| !covered[index].is_empty()).collect();
    loop {
        let gain = |index: usize| covered[index].iter().filter(|goal| times[goal.index()] == 0).count();
        // The best ratio of gain to length, compared without division; among equals, the earlier
        // test.
        let measured = left.iter().map(|&index| (gain(index), length(index) + 3, index));
        let best = measured.filter(|best| best.0 > 0).max_by(|left, right| {
            (left.0 * right.1).cmp(&(right.0 * left.1)).then(right.1.cmp(&left.1)).then(right.2.cmp(&left.2))
        });
        let Some((_, _, index)) = best else { break };
        chosen.push(index);
        left.retain(|other| *other != index);
        for &goal in &covered[index] {
            times[goal.index()] += 1;
        }
    }
    let mut by_length = chosen.clone();
    by_length.sort_by_key(|&index| std::cmp::Reverse((length(index), index)));
    for index in by_length {
        if covered[index].iter().all(|goal| times[goal.index()] > 1) {
            chosen.retain(|other| *other != index);
            for goal in &covered[index] {
                times[goal.index()] -= 1;
            }
        }
    }
    // A goal belongs to the shortest test that covers it.
    chosen.sort_by_key(|&index| (tests[index].0.len(), index));
    let mut taken: HashSet<GoalId> = HashSet::new();
    chosen
        .into_iter()
        .map(|index| SuiteTest { index, goals: covered[index].iter().copied().filter(|goal| taken.insert(*goal)).collect() })
        .filter(|test| !test.goals.is_empty())
        .collect()
}

/// Exceptions that only libraries, values or mocks threw. Which checks these make is not the method's own.
fn foreign_exceptions(goals: &GoalRegistry, covered: &[Vec<GoalId>], weakness: &[Weakness]) -> BTreeSet<GoalId> {
    let thrown = |is_foreign: bool| -> BTreeSet<GoalId> {
        let tests = covered.iter().zip(weakness).filter(|(_, weakness)| weakness.is_foreign_exception() == is_foreign);
        tests.flat_map(|(covered, _)| covered).copied().filter(|goal| goals.thrower(*goal).is_some()).collect()
    };
    thrown(true).difference(&thrown(false)).copied().collect()
}

#[cfg(test)]
mod tests {
    use super::super::goals::ValueClasses;
    use super::super::goals::testing::goals;
    use super::*;
    use crate::execution::Thrown;
    use crate::program::ClassName;
    use tracewright_trace::LineSlot;

    const SHORT: &str = "v0: V = call method T.m ()V ()\n";
    const LONG: &str = "v0: I = int 3\nv1: Lp/V; = new p/V.<init> (I)V (v0)\nv2: V = call method T.m ()V ()\n";

    /// The test with an execution that reaches the lines and ends with the exception.
    fn throwing(text: &str, class: &str, lines: &[u32]) -> (TestCase, Execution) {
        let test: TestCase = text.parse().expect("well-formed");
        let message = Some("Cannot invoke \"p.Repo.find()\" because \"repo\" is null".encode_utf16().collect());
        let thrown = Thrown { class: ClassName::new(class), message, in_project: true, frames: Vec::new() };
        let end = RunEnd::Threw { statement: test.len() as u32 - 1, thrown };
        let lines = lines.iter().map(|slot| LineSlot(*slot)).collect();
        (test, Execution { lines, ..Execution::without_measurements(end) })
    }

    #[test]
    fn what_follows_the_call_under_test_is_removed_first() {
        let ended = "v0: Lp/V; = new p/V.<init> ()V ()\nv1: V = call method T.m (Lp/V;)V (v0)\n";
        let test = format!("{ended}v2: V = call method p/V.clear ()V on v0 ()\n").parse().expect("well-formed");
        let target = MethodRef::new(ClassName::new("T"), "m", "(Lp/V;)V");
        let mut minimiser = Minimiser::new(test, Vec::new()).ending_with(Some(&target));
        assert!(minimiser.ask().contains(&ended.parse().expect("well-formed")));
        let whole = Minimiser::new(ended.parse().expect("well-formed"), Vec::new()).ending_with(Some(&target));
        assert_eq!(whole.ended, None);
    }

    #[test]
    fn a_test_that_only_passes_a_null_on_is_never_chosen() {
        let chosen = |of_null: &[u32], lines: &[u32]| {
            let tests = [
                throwing(SHORT, "java/lang/NullPointerException", of_null),
                throwing(LONG, "java/lang/IllegalStateException", lines),
            ];
            choose_suite(&goals(), &tests).into_iter().map(|chosen| chosen.index).collect::<Vec<_>>()
        };
        assert_eq!(chosen(&[0, 1], &[0, 1]), [1]);
        // Not even for a line that no other test reaches.
        assert_eq!(chosen(&[1], &[0]), [1]);
    }

    /// A test that ends with an exception of the class, which `thrower` threw below a line of `T`.
    fn ended_by(text: &str, thrower: &str, class: &str) -> (TestCase, Execution) {
        let (test, mut execution) = throwing(text, class, &[0]);
        let RunEnd::Threw { thrown, .. } = &mut execution.end else { panic!("{:?}", execution.end) };
        thrown.frames = [thrower, "T"].map(|class| (ClassName::new(class), "m".to_owned(), 7)).to_vec();
        (test, execution)
    }

    #[test]
    fn a_test_that_a_collaborator_ended_counts_as_longer() {
        let chosen = |thrower: &str| {
            let mut goals = goals();
            goals.set_mocks(true);
            let tests = [ended_by(SHORT, thrower, "E"), ended_by(LONG, "T", "E")];
            choose_suite(&goals, &tests).into_iter().map(|chosen| chosen.index).collect::<Vec<_>>()
        };
        assert_eq!(chosen("T"), [0]);
        assert_eq!(chosen("Client"), [1]);
        assert_eq!(chosen("p/Client"), [1]);
    }

    #[test]
    fn a_call_through_a_method_of_a_library_counts_as_longer() {
        let chosen = |declared_in: &str| {
            let mut goals = goals();
            goals.set_mocks(true);
            let inherited = MethodRef::new(ClassName::new("T"), "inherited", "()V");
            goals.set_inherited([(inherited, ClassName::new(declared_in))].into_iter());
            let completed = |text: &str| {
                let lines = vec![LineSlot(0), LineSlot(1)];
                let test: TestCase = text.parse().expect("well-formed");
                (test, Execution { lines, ..Execution::without_measurements(RunEnd::Completed) })
            };
            let tests = [completed(&SHORT.replace("T.m", "T.inherited")), completed(&LONG.replace("T.m", "T.other"))];
            choose_suite(&goals, &tests).into_iter().map(|chosen| chosen.index).collect::<Vec<_>>()
        };
        assert_eq!(chosen("Base"), [0]);
        assert_eq!(chosen("java/util/AbstractList"), [0]);
        assert_eq!(chosen("p/Library"), [1]);
    }

    #[test]
    fn exceptions_of_libraries_and_values_are_no_goals() {
        let chosen = |thrower: &str| {
            let mut goals = goals();
            goals.set_mocks(true);
            goals.set_values(ValueClasses::new(|class| class.internal() == "Money"));
            let tests = ["p/A", "p/B", "p/C"].map(|class| ended_by(SHORT, thrower, class));
            for (test, execution) in &tests {
                goals.register_observed(test, execution, |_| true, &mut Vec::new());
            }
            choose_suite(&goals, &tests).into_iter().map(|chosen| chosen.index).collect::<Vec<_>>()
        };
        assert_eq!(chosen("T"), [0, 1, 2]);
        assert_eq!(chosen("Client"), [0, 1, 2]);
        assert_eq!([chosen("p/Library"), chosen("Money")], [[0], [0]]);
    }

    #[test]
    fn what_a_fixed_collection_throws_is_no_goal() {
        let chosen = |thrower: &str| {
            let mut goals = goals();
            let tests = [ended_by(SHORT, "T", "p/A"), ended_by(SHORT, thrower, "java/lang/UnsupportedOperationException")];
            for (test, execution) in &tests {
                goals.register_observed(test, execution, |_| true, &mut Vec::new());
            }
            choose_suite(&goals, &tests).into_iter().map(|chosen| chosen.index).collect::<Vec<_>>()
        };
        assert_eq!([chosen("T"), chosen("java/util/AbstractList")], [vec![0, 1], vec![0]]);
    }

    #[test]
    fn exceptions_that_a_mock_throws_are_no_goals() {
        let chosen = |answer: &str| {
            let mut goals = goals();
            goals.set_mocks(true);
            let text = format!(
                "v0: Lp/A; = new p/A.<init> ()V ()\nv1: LR; = mock R (R.find ()Lp/A;{answer} v0)\n\
                v2: V = call method T.m ()V ()\n"
            );
            let tests = [ended_by(SHORT, "T", "p/B"), ended_by(&text, "T", "p/A")];
            for (test, execution) in &tests {
                goals.register_observed(test, execution, |_| true, &mut Vec::new());
            }
            choose_suite(&goals, &tests).into_iter().map(|chosen| chosen.index).collect::<Vec<_>>()
        };
        assert_eq!([chosen(" throws"), chosen("")], [vec![0], vec![0, 1]]);
    }

    #[test]
    fn a_test_counts_for_what_its_last_call_shows() {
        let completed = |text: &str, lines: &[u32]| {
            let lines = lines.iter().map(|slot| LineSlot(*slot)).collect();
            let test: TestCase = text.parse().expect("well-formed");
            (test, Execution { lines, ..Execution::without_measurements(RunEnd::Completed) })
        };
        let both = format!("{SHORT}v1: V = call method T.other ()V ()\n");
        let chosen = |lines: &[u32], begins_with: &[(usize, usize)]| {
            let tests = [completed(&both, lines), completed(SHORT, &[0])];
            let chosen = choose_suite_apart(&goals(), &tests, &begins_with.iter().copied().collect());
            chosen.into_iter().map(|chosen| chosen.index).collect::<BTreeSet<_>>()
        };
        assert_eq!(chosen(&[0, 1], &[]), BTreeSet::from([0]));
        assert_eq!(chosen(&[0, 1], &[(0, 1)]), BTreeSet::from([0, 1]));
    }

    #[test]
    fn a_test_is_not_shortened_to_one_that_only_passes_a_null_on() {
        let mut goals = goals();
        goals.set_mocks(true);
        let shortened = |weakness: Weakness| {
            let wanted = goals.line_goal(LineSlot(0)).into_iter().collect();
            let mut minimiser = Minimiser::new(LONG.parse().expect("well-formed"), wanted).with_weakness(weakness);
            let asked = minimiser.ask();
            let end = |test: &TestCase| throwing(&test.to_string(), "java/lang/NullPointerException", &[0]).1;
            let executions: Vec<Execution> = asked.iter().map(end).collect();
            minimiser.tell(&goals, &executions);
            minimiser.result().len() < 3
        };
        assert!(shortened(Weakness::Unchecked));
        assert!(!shortened(Weakness::CollaboratorThrew));
        assert!(!shortened(Weakness::None));
    }

    #[test]
    fn the_slice_of_a_call_has_the_calls_on_its_objects() {
        let test: TestCase = "\
v0: LA; = new A.<init> ()V ()
v1: LB; = new B.<init> ()V ()
v2: V = call method B.set ()V on v1 ()
v3: LC; = new C.<init> (LB;)V (v1)
v4: V = call method A.set ()V on v0 ()
v5: V = call method C.run ()V on v3 ()
"
        .parse()
        .expect("well-formed");
        let slice = slice_of_last_call(&test, |kind| kind.has_effect()).expect("a call");
        let expected = "\
v0: LB; = new B.<init> ()V ()
v1: V = call method B.set ()V on v0 ()
v2: LC; = new C.<init> (LB;)V (v0)
v3: V = call method C.run ()V on v2 ()
";
        assert_eq!(slice.to_string(), expected);
        assert_eq!(slice_of_last_call(&test, prepares), Some(slice));
        assert_eq!(cone_of_last_call(&test).expect("a call").len(), 3);
        let checks: TestCase = test.to_string().replace("B.set", "B.check").parse().expect("well-formed");
        assert_eq!(slice_of_last_call(&checks, prepares), cone_of_last_call(&checks));
    }

    #[test]
    fn answers_that_no_call_asked_for_are_removed_first() {
        let test: TestCase = "\
v0: Lp/V; = new p/V.<init> ()V ()
v1: Lp/O; = call method p/O.of ()Lp/O; ()
v2: Lp/R; = mock p/R (p/R.find ()Lp/O; v1, p/R.save ()Lp/V; v0)
v3: I = call method p/S.use (Lp/R;)I (v2)
"
        .parse()
        .expect("well-formed");
        let method = MethodRef::new(ClassName::new("p/R"), "find", "()Lp/O;");
        let call = Interaction { statement: 3, mock: VarId(2), method, arguments: Vec::new() };
        let mut minimiser = Minimiser::new(test, Vec::new()).with_interactions(&[call]);
        let expected = "\
v0: Lp/O; = call method p/O.of ()Lp/O; ()
v1: Lp/R; = mock p/R (p/R.find ()Lp/O; v0)
v2: I = call method p/S.use (Lp/R;)I (v1)
";
        assert_eq!(minimiser.ask().first().map(ToString::to_string).as_deref(), Some(expected));
    }

    #[test]
    fn an_answer_is_removed_whose_object_another_one_needs() {
        let test: TestCase = "\
v0: Lp/V; = new p/V.<init> ()V ()
v1: Lp/O; = call method p/O.of (Lp/V;)Lp/O; (v0)
v2: Lp/R; = mock p/R (p/R.find ()Lp/O; v1, p/R.save ()Lp/V; v0)
v3: I = call method p/S.use (Lp/R;)I (v2)
"
        .parse()
        .expect("well-formed");
        let mut minimiser = Minimiser::new(test, Vec::new());
        loop {
            let asked = minimiser.ask();
            if asked.is_empty() {
                break;
            }
            let good = |test: &TestCase| test.to_string().contains("p/S.use") && test.to_string().contains("p/R.find");
            minimiser.accept(&asked.iter().map(good).collect::<Vec<bool>>());
        }
        assert!(minimiser.result().to_string().contains("mock p/R (p/R.find ()Lp/O; v1)"), "{}", minimiser.result());
    }

    /// The smallest test that uses the stub and keeps its answer of `size`.
    fn with_size(stub: &str) -> String {
        let text = format!(
            "v0: I = int 3\nv1: Lp/V; = new p/V.<init> (I)V (v0)\nv2: I = int 4\nv3: Lp/R; = {stub}\n\
             v4: I = call method p/S.use (Lp/R;)I (v3)\n"
        );
        let good = |test: &TestCase| {
            let text = test.to_string();
            text.contains("p/S.use") && text.contains("p/R.size ()I ")
        };
        let mut minimiser = Minimiser::new(text.parse().expect("well-formed"), Vec::new());
        loop {
            let asked = minimiser.ask();
            if asked.is_empty() {
                break minimiser.result().to_string();
            }
            minimiser.accept(&asked.iter().map(good).collect::<Vec<bool>>());
        }
    }

    #[test]
    fn unused_answers_and_outcomes_are_removed() {
        for kind in ["mock", "stub"] {
            assert_eq!(
                with_size(&format!("{kind} p/R (p/R.find (I)Lp/V; for v2 v1, p/R.size ()I v0 then v2)")),
                format!("v0: I = int 0\nv1: Lp/R; = {kind} p/R (p/R.size ()I v0)\nv2: I = call method p/S.use (Lp/R;)I (v1)\n")
            );
        }
    }

    #[test]
    fn two_mocks_in_fields_stay_two() {
        let text = "v0: LA; = new A.<init> ()V ()\nv1: LR; = mock R ()\nv2: V = put A.first LR; on v0 value v1\n\
                    v3: LR; = mock R ()\nv4: V = put A.second LR; on v0 value v3\nv5: V = call method A.run ()V on v0 ()\n";
        let mut minimiser = Minimiser::new(text.parse().expect("well-formed"), Vec::new());
        // The call alone, without anything that fills fields, is proposed before single removals.
        let alone = minimiser.ask().len();
        minimiser.accept(&vec![false; alone]);
        let proposed = minimiser.ask();
        let fills = |test: &TestCase| {
            test.statements.iter().filter(|statement| matches!(statement.kind, StatementKind::PutField { .. })).count()
        };
        let mocks = |test: &TestCase| {
            test.statements.iter().filter(|statement| matches!(statement.kind, StatementKind::Stub { .. })).count()
        };
        assert!(proposed.iter().any(|test| fills(test) == 1), "{proposed:?}");
        assert!(proposed.iter().all(|test| fills(test) == mocks(test)), "{proposed:?}");
    }
}
