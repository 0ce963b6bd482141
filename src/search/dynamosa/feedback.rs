//! Learns from executions about callables: how often runs end in them without a test, which methods
//! they lead into, and which values are hard to make. The first two give a weight for drawing them.
//! Flows in: executed candidates, covered goals; flows out: experience for building candidates, and
//! the descriptions of failed runs by method. Must not know how candidates are built.

use std::collections::{BTreeMap, BTreeSet};

use super::super::SearchConfig;
use super::super::archive::Archive;
use super::super::callable_table::{CallableIx, CallableTable};
use super::super::goals::{GoalId, GoalRegistry, MethodId};
use super::super::hard_values::{Experience, HardValues, ProvenValues};
use super::super::literals::as_integer;
use super::super::rejection::RejectionReason;
use crate::execution::{Execution, RunEnd, Thrown};
use crate::program::{ClassName, MethodRef};
use crate::testcase::{Literal, StatementKind, TestCase, VarId};

/// Runs that a worker's death or a timeout counts for: both cost seconds instead of milliseconds.
const SLOW_FAILURE_RUNS: u32 = 8;
/// Smallest success weight, so that no callable is excluded for good.
const LEAST_SUCCESS_WEIGHT: f32 = 0.01;
/// Failed runs after which a method counts as resource-exhausting; for a class, one failed
/// constructor is enough.
const EXHAUSTING_RUNS: u32 = 2;
/// Weight of a callable that leads to no uncovered goal, before its success weight.
const BASE_WEIGHT: f32 = 0.3;
/// Absolute value below which a fraction counts as large: sizes may be divided by it.
const SMALL_FRACTION: f64 = 0.01;

/// Counts of the runs of one callable.
#[derive(Clone, Copy, Debug, Default)]
struct CallableStatistics {
    runs: u32,
    /// Runs that ended in this callable and yield no test.
    rejected: u32,
    /// Runs that used up time, events or memory in it.
    exhausted: u32,
}

impl CallableStatistics {
    /// Falls from 1 to [`LEAST_SUCCESS_WEIGHT`] with the share of rejected runs.
    fn success_weight(self) -> f32 {
        if self.rejected == 0 {
            return 1.0;
        }
        let valid = self.runs.saturating_sub(self.rejected) as f32;
        ((valid + 1.0) / (self.runs.max(self.rejected) as f32 + 1.0)).max(LEAST_SUCCESS_WEIGHT)
    }
}

/// Feedback of executions by callable.
#[derive(Debug)]
pub(super) struct CallableFeedback {
    statistics: Vec<CallableStatistics>,
    weights: Vec<f32>,
    /// By callable: methods that were entered in short tests that call it.
    reached_methods: Vec<BTreeSet<MethodId>>,
    /// By method, the descriptions of failed runs that ended in it, with their numbers.
    failures: BTreeMap<MethodRef, BTreeMap<(RejectionReason, String), u32>>,
    /// Whether any callable is resource-exhausting; saves the look at each statement.
    any_exhausting: bool,
    /// Classes of which a constructor used up time, events or memory.
    exhausting_classes: BTreeSet<ClassName>,
    hard_values: HardValues,
}

impl CallableFeedback {
    /// Feedback without any execution; `callables` is the length of the callable table.
    pub(super) fn new(callables: usize) -> CallableFeedback {
        CallableFeedback {
            statistics: vec![CallableStatistics::default(); callables],
            weights: vec![1.0; callables],
            reached_methods: vec![BTreeSet::new(); callables],
            failures: BTreeMap::new(),
            any_exhausting: false,
            exhausting_classes: BTreeSet::new(),
            hard_values: HardValues::new(),
        }
    }

    /// Values that were hard to make, for the search of another class.
    pub(super) fn proven_values(&self, table: &CallableTable) -> ProvenValues {
        self.hard_values.proven(table)
    }

    /// Begins with values that were hard to make in the searches of other classes. Gives the statements
    /// of the longest one.
    pub(super) fn load_proven_values(&mut self, table: &CallableTable, proven: &ProvenValues) -> usize {
        self.hard_values.load(table, proven)
    }

    /// What the executions so far taught for building candidates. All weights are positive.
    pub(super) fn experience(&self) -> Experience<'_> {
        Experience { weights: &self.weights, hard_values: &self.hard_values }
    }

    /// Counts the runs of the callables that the test called, and a failure where the execution
    /// ended with one.
    pub(super) fn record_execution(
        &mut self,
        table: &CallableTable,
        config: &SearchConfig,
        test: &TestCase,
        execution: &Execution,
    ) {
        self.hard_values.record(table, test, &execution.end);
        match &execution.end {
            RunEnd::Completed => self.count_runs(table, test, test.len()),
            RunEnd::Threw { statement, .. } => {
                self.count_runs(table, test, *statement as usize);
                let thrower = test.statements.get(*statement as usize);
                let callable = thrower.and_then(|statement| table.callable_of(&statement.kind));
                callable.into_iter().for_each(|callable| self.describe(table, config, callable, &execution.end));
            }
            RunEnd::Unrun => {}
            RunEnd::Budget { statement }
            | RunEnd::Timeout { statement }
            | RunEnd::Refused { statement, .. }
            | RunEnd::Exhausted { statement, .. }
            | RunEnd::Illegal { statement, .. } => self.record_failure(table, config, test, &execution.end, *statement as usize),
            // A worker that died does not report the statement: the last one is the likeliest.
            RunEnd::Died => self.record_failure(table, config, test, &execution.end, test.len().saturating_sub(1)),
        }
    }

    /// Counts one run of each callable up to and including the statement `last`.
    fn count_runs(&mut self, table: &CallableTable, test: &TestCase, last: usize) {
        for statement in test.statements.iter().take(last + 1) {
            if let Some(callable) = table.callable_of(&statement.kind) {
                self.statistics[callable.index()].runs += 1;
            }
        }
    }

    /// Counts a failed run of the callable of `statement`, lowers its weight, and stores the
    /// description.
    fn record_failure(&mut self, table: &CallableTable, config: &SearchConfig, test: &TestCase, end: &RunEnd, statement: usize) {
        let Some(kind) = test.statements.get(statement).map(|statement| &statement.kind) else { return };
        let Some(callable) = table.callable_of(kind) else { return };
        let statistics = &mut self.statistics[callable.index()];
        statistics.runs += 1;
        if matches!(end, RunEnd::Budget { .. } | RunEnd::Timeout { .. } | RunEnd::Exhausted { .. } | RunEnd::Died) {
            statistics.exhausted += 1;
            if let StatementKind::Construct { constructor, .. } = kind {
                self.exhausting_classes.insert(constructor.owner.clone());
            }
            self.any_exhausting = true;
        }
        statistics.rejected += if matches!(end, RunEnd::Died | RunEnd::Timeout { .. }) { SLOW_FAILURE_RUNS } else { 1 };
        let weight = &mut self.weights[callable.index()];
        *weight = weight.min(statistics.success_weight());
        self.describe(table, config, callable, end);
    }

    /// Stores the description of a failed run that ended in the callable.
    fn describe(&mut self, table: &CallableTable, config: &SearchConfig, callable: CallableIx, end: &RunEnd) {
        let (Some(method), Some(description)) = (table.callable(callable).method(), describe_failure(end)) else { return };
        let failures = self.failures.entry(method.clone()).or_default();
        if failures.len() < config.failure_descriptions || failures.contains_key(&description) {
            *failures.entry(description).or_default() += 1;
        }
    }

    /// Adds methods that were entered while the callable ran.
    pub(super) fn record_reached_methods(&mut self, callable: CallableIx, entered: &[MethodId]) {
        self.reached_methods[callable.index()].extend(entered);
    }

    /// Descriptions of the failed runs that ended in a call of the method, the most frequent one
    /// first; `None` when there are none.
    pub(super) fn failures_of(&self, method: &MethodRef) -> Option<Vec<MethodFailure<'_>>> {
        let failures = self.failures.get(method)?.iter();
        let mut sorted: Vec<MethodFailure<'_>> =
            failures.map(|((reason, text), runs)| MethodFailure { reason: *reason, text, runs: *runs }).collect();
        sorted.sort_by_key(|failure| std::cmp::Reverse(failure.runs));
        Some(sorted)
    }

    /// Whether the test passes a large number to a resource-exhausting callable. Most such runs use
    /// up their time or memory again, and one of them costs as much as thousands of others.
    pub(super) fn is_likely_to_exhaust(&self, table: &CallableTable, config: &SearchConfig, test: &TestCase) -> bool {
        self.any_exhausting
            && test.statements.iter().any(|statement| {
                let (StatementKind::Construct { args, .. } | StatementKind::Call { args, .. }) = &statement.kind else {
                    return false;
                };
                // Constructors of one class mostly allocate the same parts.
                let is_exhausting = match &statement.kind {
                    StatementKind::Construct { constructor, .. } => self.exhausting_classes.contains(&constructor.owner),
                    kind => table
                        .callable_of(kind)
                        .is_some_and(|callable| self.statistics[callable.index()].exhausted >= EXHAUSTING_RUNS),
                };
                let is_large = |variable: &VarId| {
                    test.literal(*variable).is_some_and(|literal| is_large_argument(literal, config.large_argument))
                };
                is_exhausting && args.iter().any(is_large)
            })
    }

    /// Computes all weights anew. Callables under test get more weight the more uncovered goals lie
    /// in the methods that they lead into; every callable loses weight with the share of its
    /// rejected runs.
    pub(super) fn update_weights(&mut self, table: &CallableTable, goals: &GoalRegistry, archive: &Archive) {
        let mut uncovered = vec![0u32; goals.methods().len()];
        for goal in (0..goals.static_goals() as u32).map(GoalId) {
            if !archive.is_settled(goal)
                && let Some(method) = goals.method_of(goal)
            {
                uncovered[method.index()] += 1;
            }
        }
        for (weight, statistics) in self.weights.iter_mut().zip(&self.statistics) {
            *weight = statistics.success_weight();
        }
        for &callable in table.under_test() {
            let own = table.callable(callable).method().and_then(|method| goals.method_id(method));
            let own = own.map_or(0, |method| uncovered[method.index()]);
            let reached: u32 = self.reached_methods[callable.index()].iter().map(|method| uncovered[method.index()]).sum();
            let wanted = BASE_WEIGHT + (own.max(reached) as f32).sqrt();
            self.weights[callable.index()] = wanted * self.statistics[callable.index()].success_weight();
        }
    }
}

/// Runs of a method that failed in one way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MethodFailure<'a> {
    /// Why they yield no test.
    pub reason: RejectionReason,
    /// Words for how they ended; an exception as `class: message`.
    pub text: &'a str,
    /// Their number.
    pub runs: u32,
}

/// The reason and words for the end of a failed run; `None` when it did not fail. Runs of one
/// description are counted together.
fn describe_failure(end: &RunEnd) -> Option<(RejectionReason, String)> {
    Some(match end {
        // Only the refused operation: its arguments differ from run to run.
        RunEnd::Refused { what, .. } => (RejectionReason::Refused, format!("refused {}", what.split(' ').next().unwrap_or(what))),
        RunEnd::Exhausted { what, .. } => (RejectionReason::Exhausted, format!("exhausted ({what})")),
        RunEnd::Budget { .. } => (RejectionReason::EventBudget, "it took more steps than a test may (an endless loop?)".into()),
        RunEnd::Timeout { .. } => (RejectionReason::TimeLimit, "it took longer than a test may".into()),
        RunEnd::Died => (RejectionReason::WorkerDied, "the JVM died".into()),
        RunEnd::Illegal { why, .. } => (RejectionReason::Illegal, why.clone()),
        RunEnd::Threw { thrown, .. } => (RejectionReason::ThrewOutsideProject, describe_thrown(thrown)?),
        RunEnd::Completed | RunEnd::Unrun => return None,
    })
}

/// The class of an exception that no test can expect; `None` for other exceptions. Errors of
/// linking have their message, since it names the class or library that is missing.
fn describe_thrown(thrown: &Thrown) -> Option<String> {
    const LINKING: [&str; 3] =
        ["java/lang/ExceptionInInitializerError", "java/lang/NoClassDefFoundError", "java/lang/UnsatisfiedLinkError"];
    let class = thrown.class.binary();
    match &thrown.message {
        Some(message) if LINKING.contains(&thrown.class.internal()) => {
            Some(format!("{class}: {}", String::from_utf16_lossy(message)))
        }
        _ if LINKING.contains(&thrown.class.internal()) || !thrown.in_project => Some(class),
        _ => None,
    }
}

/// Whether a literal is large for a size or a count; `limit` is the largest harmless absolute
/// value.
fn is_large_argument(literal: &Literal, limit: i64) -> bool {
    let is_extreme = |value: f64| value.abs() > limit as f64 || (value != 0.0 && value.abs() < SMALL_FRACTION);
    match literal {
        Literal::Float(bits) => is_extreme(f32::from_bits(*bits).into()),
        Literal::Double(bits) => is_extreme(f64::from_bits(*bits)),
        other => as_integer(other).is_some_and(|value| !(-limit..=limit).contains(&value)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_success_weight_falls_with_rejected_runs_and_stays_positive() {
        let weight = |runs, rejected| CallableStatistics { runs, rejected, exhausted: 0 }.success_weight();
        assert_eq!(weight(0, 0), 1.0);
        assert_eq!(weight(9, 0), 1.0);
        assert_eq!(weight(9, 5), 0.5);
        // Timeouts count for several runs: there may be more rejected runs than runs.
        assert_eq!(weight(1, 8), 1.0 / 9.0);
        assert_eq!(weight(1000, 1000), LEAST_SUCCESS_WEIGHT);
    }

    #[test]
    fn large_numbers_and_small_fractions_are_large_arguments() {
        let is_large = |literal: Literal| is_large_argument(&literal, 10_000);
        assert!(is_large(Literal::Int(10_001)) && is_large(Literal::Long(i64::MIN)) && !is_large(Literal::Int(-10_000)));
        assert!(is_large(Literal::Double(1e-3f64.to_bits())) && !is_large(Literal::Double(0.0f64.to_bits())));
        assert!(is_large(Literal::Float(2e4f32.to_bits())) && !is_large(Literal::Float(0.5f32.to_bits())));
        assert!(!is_large(Literal::Null) && !is_large(Literal::Str(vec![0; 20_000])));
    }

    #[test]
    fn refused_runs_are_described_by_the_operation_alone() {
        let refused = |what: &str| describe_failure(&RunEnd::Refused { statement: 0, what: what.into() });
        assert_eq!(refused("delete /a"), refused("delete /b"));
        assert_eq!(describe_failure(&RunEnd::Completed), None);
        let threw = |class: &str, in_project| {
            let message = Some("lib".encode_utf16().collect());
            let thrown = Thrown { class: ClassName::new(class), message, in_project, frames: Vec::new() };
            describe_failure(&RunEnd::Threw { statement: 0, thrown }).map(|(_, text)| text)
        };
        let link = "java/lang/UnsatisfiedLinkError";
        assert_eq!(threw(link, true).as_deref(), Some("java.lang.UnsatisfiedLinkError: lib"));
        assert_eq!(threw("p/E", true), None);
        assert_eq!(threw("java/lang/NullPointerException", false).as_deref(), Some("java.lang.NullPointerException"));
        assert_eq!(describe_failure(&RunEnd::Unrun), None);
    }
}
