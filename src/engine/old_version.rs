//! The earlier version of the code, in a JVM of its own (`tracewright diff`).
//!
//! Flows in: candidates of the search, and asserted tests. Flows out: tests whose assertions do not hold in the earlier
//! version, with what is different there. Must not know how candidates are found, nor how tests are written.
//!
//! The earlier version is the mutant that matters: a test that fails there shows what the change changes. Differences
//! have numbers behind those of the mutants, one for each method and kind of difference, so that the selection keeps a
//! test for each of them. A difference in linking, such as a missing method, says nothing about behaviour and does not
//! count, nor does one that is there between two runs of the same version.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use super::context::Context;
use super::explained_test::{example, literal_text};
use super::mutation::mutant_outcome;
use super::observation::{Observation, StatingRules, execute};
use super::target::Target;
use super::workers::earlier_worker_config;
use crate::execution::{Execution, MutantId, RunEnd, Snapshot, Thrown};
use crate::jvm::{JvmError, ProbeMode, SearchWorker};
use crate::oracle::{self, AssertedTest, Fact, MutantOutcome};
use crate::program::{Cluster, MethodRef};
use crate::report::{Difference, cut};
use crate::testcase::{StatementKind, TestCase, TestHash};

/// Comparing takes this part of the time of the search, at most.
const SHARE: f64 = 0.4;
/// Candidates that are compared at once.
const BATCH: usize = 40;
/// Candidates that wait for that, at most. New ones take the place of old ones.
const MOST_WAITING: usize = 400;
/// Candidates that are compared after the last new difference before nothing more is expected: so many, and so many
/// times those before it; and so many where there is no difference at all.
const SETTLED_LEAST: u64 = 1_500;
const SETTLED_FACTOR: u64 = 3;
const SETTLED_WITHOUT: u64 = 12_000;
/// Most candidates are like earlier ones: so many of them count as one that is compared.
const LIKE_EARLIER: u64 = 60;
/// Longest value in a description, in characters.
const LONGEST_VALUE: usize = 200;
/// Errors of linking (JVMS §5.4) and of reflection that say the same.
const LINKING: [&str; 11] = [
    "java/lang/AbstractMethodError",
    "java/lang/BootstrapMethodError",
    "java/lang/ClassNotFoundException",
    "java/lang/IllegalAccessError",
    "java/lang/IncompatibleClassChangeError",
    "java/lang/NoClassDefFoundError",
    "java/lang/NoSuchFieldError",
    "java/lang/NoSuchMethodError",
    "java/lang/NoSuchMethodException",
    "java/lang/UnsupportedClassVersionError",
    "java/lang/VerifyError",
];

/// What differs: the method that the change reaches, and how.
type Kind = (Option<MethodRef>, String);

/// A test that fails in the earlier version.
struct FoundDifference {
    kind: Kind,
    outcome: MutantOutcome,
    /// In the earlier version.
    execution: Execution,
    /// The statement of the test at whose end the difference is there.
    statement: usize,
}

/// The earlier version of a class.
pub(super) struct OldVersion {
    worker: SearchWorker,
    rules: StatingRules,
    /// The number of the first difference.
    first: u32,
    kinds: BTreeMap<Kind, MutantId>,
    waiting: Vec<TestCase>,
    seen: BTreeSet<TestHash>,
    /// Candidates that were compared, and that number when the last new difference was found.
    compared: u64,
    settled_since: u64,
    /// Candidates like earlier ones.
    repeated: u64,
    /// The shortest test of each kind of difference.
    found: BTreeMap<Kind, TestCase>,
    begin: Instant,
    spent: Duration,
}

impl OldVersion {
    /// Starts the JVM; `None` where no earlier version is compared with. `mutants`: the number of the last mutant of
    /// the class.
    ///
    /// Fails where the JVM does not start.
    pub(super) fn start(context: &Context<'_>, target: &Target, mutants: usize) -> Result<Option<OldVersion>, JvmError> {
        let Some(earlier) = &context.earlier else { return Ok(None) };
        Ok(Some(OldVersion {
            worker: SearchWorker::start(earlier_worker_config(context, target, earlier, ProbeMode::Search))?,
            rules: StatingRules::new(context, target.cluster()),
            first: mutants as u32 + 1,
            kinds: BTreeMap::new(),
            waiting: Vec::new(),
            seen: BTreeSet::new(),
            compared: 0,
            settled_since: 0,
            repeated: 0,
            found: BTreeMap::new(),
            begin: Instant::now(),
            spent: Duration::ZERO,
        }))
    }

    /// Takes candidates that ran in the new version. `is_reached`: whether the change reaches a method.
    pub(super) fn take(&mut self, tests: &[TestCase], executions: &[Execution], is_reached: impl Fn(&MethodRef) -> bool) {
        let calls = |test: &TestCase| {
            test.statements.iter().any(|statement| match &statement.kind {
                StatementKind::Call { method, .. } | StatementKind::Construct { constructor: method, .. } => is_reached(method),
                _ => false,
            })
        };
        let ended = tests.iter().zip(executions).filter(|(_, execution)| has_end(execution));
        for (test, _) in ended.filter(|(test, _)| calls(test)) {
            if self.waiting.len() == MOST_WAITING {
                self.waiting.remove(0);
            }
            self.waiting.push(test.clone());
        }
    }

    /// Compares some of the candidates that wait, where there is time for it. `worker` is one of the new version,
    /// which has to be idle.
    ///
    /// Fails where a JVM cannot be kept running.
    pub(super) fn compare_if_due(
        &mut self,
        context: &Context<'_>,
        cluster: &Cluster,
        worker: &mut SearchWorker,
    ) -> Result<(), JvmError> {
        let is_due = context.config.budget.counts_steps() || self.spent <= self.begin.elapsed().mul_f64(SHARE);
        if is_due && self.waiting.len() >= BATCH / 2 {
            self.compare(context, cluster, worker)?;
        }
        Ok(())
    }

    /// Compares some of the candidates that wait.
    fn compare(&mut self, context: &Context<'_>, cluster: &Cluster, worker: &mut SearchWorker) -> Result<(), JvmError> {
        let begin = Instant::now();
        let mut tests: Vec<TestCase> = Vec::new();
        while tests.len() < BATCH
            && let Some(test) = self.waiting.pop()
        {
            if self.seen.insert(test.canonical_hash()) {
                tests.push(test);
            } else {
                self.repeated += 1;
            }
        }
        self.compared += tests.len() as u64;
        let mut observation = Observation::begin(&tests, cluster, worker)?;
        observation.repeat_once(worker)?;
        for (place, FoundDifference { kind, statement, .. }) in self.differences_of(context, &observation)? {
            // What comes later does not matter.
            let mut test = tests[place].clone();
            test.statements.truncate(statement + 1);
            let known = self.found.get(&kind);
            if known.is_none() {
                (self.settled_since, self.repeated) = (self.compared, 0);
            }
            if known.is_none_or(|known| test.len() < known.len()) {
                self.found.insert(kind, test);
            }
        }
        self.spent += begin.elapsed();
        Ok(())
    }

    /// Whether many candidates were compared without a new difference.
    pub(super) fn is_settled(&self) -> bool {
        let without = self.compared - self.settled_since + self.repeated / LIKE_EARLIER;
        let enough = match self.found.is_empty() {
            true => SETTLED_WITHOUT,
            false => SETTLED_LEAST + SETTLED_FACTOR * self.settled_since,
        };
        without >= enough
    }

    /// Drops statements of the tests that differ as long as they differ in the same way. `worker` is one of the new
    /// version.
    ///
    /// Fails where a JVM cannot be kept running.
    pub(super) fn shorten(
        &mut self,
        context: &Context<'_>,
        cluster: &Cluster,
        worker: &mut SearchWorker,
        until: Option<Instant>,
    ) -> Result<(), JvmError> {
        while !self.waiting.is_empty() && self.found.len() < BATCH && until.is_none_or(|until| Instant::now() < until) {
            self.compare(context, cluster, worker)?;
        }
        // With the statement that was tried last.
        let untried = |(kind, test): (Kind, TestCase)| {
            let last = test.len().saturating_sub(1);
            (kind, test, last)
        };
        let mut open: Vec<(Kind, TestCase, usize)> = std::mem::take(&mut self.found).into_iter().map(untried).collect();
        let is_over = || until.is_some_and(|until| Instant::now() >= until);
        while open.iter().any(|(.., next)| *next > 0) && !is_over() {
            let mut shorter: Vec<(usize, TestCase)> = Vec::new();
            for (place, (_, test, next)) in open.iter_mut().enumerate().filter(|(_, (.., next))| *next > 0) {
                *next -= 1;
                let mut without = test.clone();
                without.remove_with_dependants(*next);
                // What is left has to end with the same call.
                let ends_alike = without.statements.last().is_some_and(|last| is_same_call(&last.kind, test));
                if ends_alike && without.len() < test.len() {
                    shorter.push((place, without));
                }
            }
            let tests: Vec<TestCase> = shorter.iter().map(|(_, test)| test.clone()).collect();
            let observation = Observation::begin(&tests, cluster, worker)?;
            for (number, found) in self.differences_of(context, &observation)? {
                let (place, test) = &shorter[number];
                let (kind, known, next) = &mut open[*place];
                if found.kind == *kind {
                    *next = (*next).min(test.len().saturating_sub(1));
                    *known = test.clone();
                }
            }
        }
        self.found = open.into_iter().map(|(kind, test, _)| (kind, test)).collect();
        Ok(())
    }

    /// A test of each kind of difference.
    pub(super) fn differing(&self) -> Vec<TestCase> {
        self.found.values().cloned().collect()
    }

    /// What becomes of each test in the earlier version, and the number of the difference.
    ///
    /// Fails where the JVM cannot be kept running.
    pub(super) fn outcomes(
        &mut self,
        context: &Context<'_>,
        tests: &[AssertedTest],
    ) -> Result<Vec<Option<(MutantId, MutantOutcome)>>, JvmError> {
        let differences = self.differences(context, tests)?;
        let numbered = differences.into_iter().map(|difference| {
            let FoundDifference { kind, outcome, .. } = difference?;
            let next = MutantId(self.first + self.kinds.len() as u32);
            Some((*self.kinds.entry(kind).or_insert(next), outcome))
        });
        Ok(numbered.collect())
    }

    /// The differences that the tests show, in words. `names`: of the test methods.
    ///
    /// Fails where the JVM cannot be kept running.
    pub(super) fn described(
        &mut self,
        context: &Context<'_>,
        tests: &[AssertedTest],
        names: &[String],
    ) -> Result<Vec<Difference>, JvmError> {
        let mut described: BTreeMap<Kind, (usize, Difference)> = BTreeMap::new();
        let differences = self.differences(context, tests)?;
        for ((test, name), difference) in tests.iter().zip(names).zip(differences) {
            let Some(FoundDifference { kind, outcome, execution, .. }) = difference else { continue };
            let (before, after) = words(test, &outcome, &execution);
            let method = kind.0.as_ref().map(|method| method.name.to_string()).unwrap_or_default();
            let mut acted = test.test.clone();
            acted.statements.truncate(test.acted as usize);
            let example = example(&acted, Some(&context.program));
            let difference = Difference { method, test: name.clone(), example, before, after };
            let length = test.test.len();
            // The shortest test of a kind tells most.
            if described.get(&kind).is_none_or(|(known, _)| length < *known) {
                described.insert(kind, (length, difference));
            }
        }
        Ok(described.into_values().map(|(_, difference)| difference).collect())
    }

    /// What differs in the observed tests, with their places.
    fn differences_of(
        &mut self,
        context: &Context<'_>,
        observation: &Observation,
    ) -> Result<Vec<(usize, FoundDifference)>, JvmError> {
        let places = 0..observation.observed().len();
        let stated = places.filter_map(|place| Some((place, observation.state(place, &self.rules).ok()?)));
        let (places, asserted): (Vec<usize>, Vec<AssertedTest>) = stated.unzip();
        let differences = places.into_iter().zip(self.differences(context, &asserted)?);
        Ok(differences.filter_map(|(place, difference)| Some((place, difference?))).collect())
    }

    /// What differs in each test, with the outcome and the execution in the earlier version.
    fn differences(&mut self, context: &Context<'_>, tests: &[AssertedTest]) -> Result<Vec<Option<FoundDifference>>, JvmError> {
        let cases: Vec<TestCase> = tests.iter().map(|test| test.test.clone()).collect();
        self.worker.set_deadline(None);
        let executions = execute(&mut self.worker, &cases, true)?;
        let difference = |(test, execution): (&AssertedTest, Execution)| {
            if !has_end(&execution) || is_linking(&execution.end) {
                return None;
            }
            let outcome = mutant_outcome(context, test, &execution);
            let last = (test.acted as usize).checked_sub(1)?;
            let (statement, how) = match &outcome {
                MutantOutcome::Survived => return None,
                MutantOutcome::KilledByTermination => {
                    let ended = match &execution.end {
                        RunEnd::Threw { statement, .. } | RunEnd::Budget { statement } => (*statement as usize).min(last),
                        _ => last,
                    };
                    (ended, format!("{} for {}", end_of(&execution.end), expected_of(test)))
                }
                MutantOutcome::KilledByAssertion(failing) => {
                    let failing = failing.iter().filter_map(|place| test.assertions.get(*place));
                    let first = failing.min_by_key(|assertion| assertion.subject)?;
                    let how = match &test.test.statement(first.subject).kind {
                        StatementKind::Call { method, .. } => method.name.to_string(),
                        _ => "state".to_owned(),
                    };
                    (first.subject.index().min(last), how)
                }
            };
            let is_reached = |method: &&MethodRef| context.impacted.as_ref().is_some_and(|impacted| impacted.contains(method));
            let called = test.test.statements[..=statement].iter().rev().filter_map(|statement| called(&statement.kind));
            let method = called.clone().find(is_reached).or(test.target.as_ref()).cloned();
            Some(FoundDifference { kind: (method, how), outcome, execution, statement })
        };
        Ok(tests.iter().zip(executions).map(difference).collect())
    }
}

/// The method or constructor that a statement calls.
fn called(kind: &StatementKind) -> Option<&MethodRef> {
    match kind {
        StatementKind::Call { method, .. } => Some(method),
        StatementKind::Construct { constructor, .. } => Some(constructor),
        _ => None,
    }
}

/// Whether the statement calls what the last statement of the test calls.
fn is_same_call(kind: &StatementKind, test: &TestCase) -> bool {
    test.statements.last().is_some_and(|last| called(&last.kind).is_some() && called(&last.kind) == called(kind))
}

/// Whether the execution came to an end that a test can show.
fn has_end(execution: &Execution) -> bool {
    matches!(execution.end, RunEnd::Completed | RunEnd::Threw { .. } | RunEnd::Budget { .. }) && !execution.left_running
}

fn is_linking(end: &RunEnd) -> bool {
    let names_linking = |thrown: &Thrown| {
        let message = thrown.message.as_ref().map(|units| String::from_utf16_lossy(units)).unwrap_or_default();
        let named = |name: &&str| thrown.class.internal() == *name || message.contains(&name.replace('/', "."));
        LINKING.iter().any(named)
    };
    matches!(end, RunEnd::Threw { thrown, .. } if names_linking(thrown))
}

/// The kind of end of an execution.
fn end_of(end: &RunEnd) -> String {
    match end {
        RunEnd::Threw { thrown, .. } => thrown.class.binary(),
        RunEnd::Budget { .. } => "an endless loop".to_owned(),
        _ => "no exception".to_owned(),
    }
}

fn expected_of(test: &AssertedTest) -> String {
    test.expected.as_ref().map_or_else(|| "no exception".to_owned(), |expected| expected.class.binary())
}

/// What the earlier version does in the test, and what the new one does.
fn words(test: &AssertedTest, outcome: &MutantOutcome, execution: &Execution) -> (String, String) {
    let MutantOutcome::KilledByAssertion(failing) = outcome else {
        let message =
            |units: Option<&Vec<u16>>| units.map(|units| format!(": {}", String::from_utf16_lossy(units))).unwrap_or_default();
        let before = match &execution.end {
            RunEnd::Threw { thrown, .. } => format!("{}{}", thrown.class.binary(), message(thrown.message.as_ref())),
            end => end_of(end),
        };
        let result = || test.assertions.first().map_or_else(|| "no exception".to_owned(), |assertion| fact_text(&assertion.fact));
        let after = match &test.expected {
            Some(expected) => format!("{}{}", expected.class.binary(), message(expected.message.as_ref())),
            None => result(),
        };
        let before = match (&execution.end, test.acted.checked_sub(1)) {
            (RunEnd::Completed, Some(last)) => execution.snapshots.get(last as usize).map_or(before, value_text),
            _ => before,
        };
        return (cut(&before, LONGEST_VALUE), cut(&after, LONGEST_VALUE));
    };
    let Some(assertion) = failing.first().and_then(|place| test.assertions.get(*place)) else {
        return (String::new(), String::new());
    };
    let subject = assertion.subject.index();
    let is_whole = matches!(assertion.fact, Fact::Equals(Snapshot::Array { .. } | Snapshot::Container(_)));
    let snapshots = if is_whole { &execution.final_snapshots } else { &execution.snapshots };
    let before = match &assertion.fact {
        Fact::Called { .. } => "other calls".to_owned(),
        _ => snapshots.get(subject).map_or_else(|| end_of(&execution.end), value_text),
    };
    let what = match &test.test.statement(assertion.subject).kind {
        StatementKind::Call { method, .. } if assertion.subject.0 >= test.acted => format!("{}() ", method.name),
        _ => String::new(),
    };
    let text = |value: String| cut(&format!("{what}{value}"), LONGEST_VALUE);
    (text(before), text(fact_text(&assertion.fact)))
}

fn fact_text(fact: &Fact) -> String {
    match fact {
        Fact::Null => "null".to_owned(),
        Fact::NotNull => "an object".to_owned(),
        Fact::Equals(value) => value_text(value),
        Fact::SameAs(_) => "the same object".to_owned(),
        Fact::InstanceOf(class) => format!("a {}", class.binary()),
        Fact::Called { method, times, .. } => format!("{times} calls of {}", method.name),
    }
}

fn value_text(value: &Snapshot) -> String {
    match oracle::as_literal(value) {
        Some(literal) => literal_text(&literal),
        None => match value {
            Snapshot::Object { to_string: Some(units), .. } => String::from_utf16_lossy(units),
            Snapshot::Object { contents: Some(held), .. } | Snapshot::Container(held) => list_text(&held.elements),
            Snapshot::Object { class, .. } => format!("a {}", class.binary()),
            Snapshot::Array { elements: Some(elements), .. } => list_text(elements),
            Snapshot::Array { length, .. } => format!("an array of length {length}"),
            Snapshot::Boxed(value) => value_text(value),
            Snapshot::Enum { constant, .. } => constant.clone(),
            Snapshot::Absent => "no exception".to_owned(),
            _ => "nothing".to_owned(),
        },
    }
}

fn list_text(elements: &[Snapshot]) -> String {
    format!("[{}]", elements.iter().map(value_text).collect::<Vec<_>>().join(", "))
}
