//! The runs of the earlier version beside those of today, over the same inputs: shadow symbolic execution
//! (`shadow` in `docs/references.md`).
//!
//! Flows in: a test, and the replay of its run today. Flows out: tests on which the two versions may differ, and
//! whether they agree on every input that takes this path today. Must not know which paths are left: the constraint
//! tree does.
//!
//! The test runs in the earlier version too. Where its path there has decisions that the path of today does not imply,
//! the solver is asked for inputs of today's path that take another path there, and so on until there are none. For
//! each pair of paths it is asked for inputs with different results. Without an answer to any of these, the versions
//! agree here. What cannot be compared counts as unknown.

use std::collections::{BTreeMap, HashSet};
use std::time::Instant;

use super::exhaustion::{covers_all_inputs, is_whole, what_is_inexact};
use super::impact::ImpactedMethods;
use crate::changes::only_gives_a_result;
use crate::execution::RunEnd;
use crate::expr::{TermId, TermStore, Value};
use crate::jvm::{JvmError, TraceWorker};
use crate::program::{MethodRef, Program};
use crate::recording::{Announced, Recording};
use crate::report::EqualMethod;
use crate::solve::{Limits, Outcome, Query, Solver};
use crate::symbolic::{CallResult, PathEnd, Replay, ReplayConfig, Replayer, StopFlag, apply_model, seed_with};
use crate::testcase::TestCase;
use crate::tree::TreeKey;

/// Paths of the earlier version that are followed for one of today.
const MOST_PATHS: usize = 12;

/// What the two versions do on the inputs of one path of today.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Agreement {
    /// The same.
    Same,
    /// Something else for some input.
    Differs,
    /// It is not known.
    Unknown(&'static str),
}

/// How often the versions agree on paths of one tree.
#[derive(Clone, Debug, Default)]
struct Tally {
    same: u64,
    differs: u64,
    unknown: BTreeMap<&'static str, u64>,
}

/// Asks the solver, and counts the steps.
pub(super) struct Questions<'a> {
    pub(super) solver: &'a mut dyn Solver,
    pub(super) limits: Limits,
    pub(super) steps: u64,
}

/// Runs of the earlier version.
pub(super) struct Shadow<'p> {
    worker: TraceWorker,
    announced: Announced,
    replayer: Replayer<'p>,
    program: &'p Program,
    impacted: &'p ImpactedMethods,
    tallies: BTreeMap<TreeKey, Tally>,
    /// Tests on which the versions may differ.
    differing: Vec<TestCase>,
}

impl<'p> Shadow<'p> {
    /// No runs yet. `worker` records runs of the classes of `program`.
    pub(super) fn new(worker: TraceWorker, program: &'p Program, impacted: &'p ImpactedMethods) -> Shadow<'p> {
        Shadow {
            worker,
            announced: Announced::default(),
            replayer: Replayer::new(program),
            program,
            impacted,
            tallies: BTreeMap::new(),
            differing: Vec::new(),
        }
    }

    /// Recordings end at the deadline, replays once the flag is set.
    pub(super) fn limit(&mut self, deadline: Option<Instant>, stop: StopFlag) {
        self.worker.set_deadline(deadline);
        self.replayer.stop_with(stop);
    }

    /// Whether calls of the method are compared.
    pub(super) fn is_wanted(&self, method: &MethodRef) -> bool {
        self.impacted.contains(method)
    }

    /// The tests on which the versions may differ that were found since the last call.
    pub(super) fn take_differing(&mut self) -> Vec<TestCase> {
        std::mem::take(&mut self.differing)
    }

    /// Compares the versions on the inputs of the path that the test takes today.
    ///
    /// Fails where the worker cannot be kept running.
    pub(super) fn compare(
        &mut self,
        test: &TestCase,
        key: &TreeKey,
        today: &Replay,
        terms: &mut TermStore,
        config: &ReplayConfig,
        questions: &mut Questions<'_>,
    ) -> Result<(), JvmError> {
        let agreement = self.agreement(test, today, terms, config, questions)?;
        let tally = self.tallies.entry(key.clone()).or_default();
        match agreement {
            Agreement::Same => tally.same += 1,
            Agreement::Differs => tally.differs += 1,
            Agreement::Unknown(why) => *tally.unknown.entry(why).or_default() += 1,
        }
        Ok(())
    }

    fn agreement(
        &mut self,
        test: &TestCase,
        today: &Replay,
        terms: &mut TermStore,
        config: &ReplayConfig,
        questions: &mut Questions<'_>,
    ) -> Result<Agreement, JvmError> {
        let path: Vec<TermId> = today.path.clauses.iter().map(|clause| clause.term).collect();
        let known: HashSet<TermId> = path.iter().copied().collect();
        let seed = seed_with(test, config.characters as u32);
        let mut ask = |terms: &TermStore, last: TermId| {
            questions.steps += 1;
            let clauses = path.iter().copied().chain([last]).collect();
            questions.solver.check(terms, &Query { clauses, seed: seed.clone(), limits: questions.limits })
        };
        let mut current = test.clone();
        let mut is_unknown = what_is_inexact(today);
        // Inputs that take none of the paths of the earlier version that were followed.
        let mut elsewhere = terms.bool(true);
        for _ in 0..MOST_PATHS {
            let recorded = self.worker.record(&current)?;
            if recorded.execution.end == RunEnd::Unrun {
                return Ok(Agreement::Unknown("a run did not come to its end"));
            }
            let recording = Recording::from_bytes_after(&recorded.trace, &mut self.announced);
            let before = self.replayer.replay(&current, &recording, terms, config);
            is_unknown = is_unknown.or_else(|| what_is_inexact(&before));
            if !is_whole(&before.end) || !is_whole(&today.end) {
                return Ok(Agreement::Unknown("a run did not come to its end"));
            }
            let own: Vec<TermId> =
                before.path.clauses.iter().map(|clause| clause.term).filter(|term| !known.contains(term)).collect();
            let taken = own.iter().fold(terms.bool(true), |all, clause| terms.and(all, *clause));
            match difference(today, &before, terms) {
                None => return Ok(Agreement::Unknown("results of this type are not compared")),
                Some(ResultDifference::Always) => {
                    self.differing.push(current);
                    return Ok(Agreement::Differs);
                }
                Some(ResultDifference::Never) => {}
                Some(ResultDifference::Where(differs)) => {
                    let here = terms.and(taken, differs);
                    match ask(terms, here) {
                        Outcome::Sat(model) => {
                            self.differing.push(apply_model(test, &model));
                            return Ok(Agreement::Differs);
                        }
                        Outcome::Unsat { .. } => {}
                        Outcome::Unknown(_) => is_unknown = Some("the solver gave up"),
                    }
                }
            }
            if own.is_empty() {
                return Ok(is_unknown.map_or(Agreement::Same, Agreement::Unknown));
            }
            let left = terms.not(taken);
            elsewhere = terms.and(elsewhere, left);
            match ask(terms, elsewhere) {
                Outcome::Sat(model) => {
                    current = apply_model(test, &model);
                    self.differing.push(current.clone());
                }
                Outcome::Unsat { .. } => return Ok(is_unknown.map_or(Agreement::Same, Agreement::Unknown)),
                Outcome::Unknown(_) => return Ok(Agreement::Unknown("the solver gave up")),
            }
        }
        Ok(Agreement::Unknown("too many paths"))
    }

    /// The methods that give the same in both versions, of trees whose paths are all known. `known_paths` is the number
    /// of these, `None` for another tree; `today` is the program of today.
    pub(super) fn equal_methods(
        &self,
        today: &Program,
        known_paths: impl Fn(&TreeKey) -> Option<u64>,
        config: &ReplayConfig,
    ) -> Vec<EqualMethod> {
        let mut equal: BTreeMap<MethodRef, EqualMethod> = BTreeMap::new();
        for (key, tally) in &self.tallies {
            tracing::debug!(method = %key.method, ?tally, "compared with the earlier version");
            let Some(takes_text) = covers_all_inputs(key) else { continue };
            let agrees = tally.same > 0 && tally.unknown.is_empty() && !self.differs(&key.method);
            let only_gives = || [today, self.program].iter().all(|program| only_gives_a_result(program, &key.method));
            if agrees
                && let Some(paths) = known_paths(key)
                && only_gives()
            {
                let longest_text = takes_text.then_some(config.characters);
                let found = EqualMethod { method: key.method.name.to_string(), paths, longest_text };
                equal.entry(key.method.clone()).or_insert(found);
            }
        }
        equal.into_values().collect()
    }

    /// Whether any input of the method shows a difference, null included.
    fn differs(&self, method: &MethodRef) -> bool {
        self.tallies.iter().any(|(key, tally)| key.method == *method && tally.differs > 0)
    }
}

/// Where the results of two runs differ.
enum ResultDifference {
    Never,
    Always,
    /// Where the term holds.
    Where(TermId),
}

/// `None` where the results are of no form that can be compared.
fn difference(today: &Replay, before: &Replay, terms: &mut TermStore) -> Option<ResultDifference> {
    match (&today.end, &before.end) {
        (PathEnd::Threw { class: one }, PathEnd::Threw { class: other }) => {
            return Some(if one == other { ResultDifference::Never } else { ResultDifference::Always });
        }
        (PathEnd::Returned, PathEnd::Returned) => {}
        _ => return Some(ResultDifference::Always),
    }
    let differs = match (today.result.as_ref()?, before.result.as_ref()?) {
        (CallResult::Nothing, CallResult::Nothing) | (CallResult::Null, CallResult::Null) => {
            return Some(ResultDifference::Never);
        }
        (CallResult::Number(one), CallResult::Number(other)) if one == other => return Some(ResultDifference::Never),
        (CallResult::Number(one), CallResult::Number(other)) if terms.sort(*one) == terms.sort(*other) => terms.ne(*one, *other),
        (CallResult::Text { length, characters }, CallResult::Text { length: other_length, characters: other_characters }) => {
            let mut differs = terms.ne(*length, *other_length);
            for (place, (one, other)) in
                characters.iter().zip(other_characters).enumerate().filter(|(_, (one, other))| one != other)
            {
                if terms.sort(*one) != terms.sort(*other) {
                    return None;
                }
                let place = terms.int(place as i32);
                let (is_there, is_other) = (terms.lt(place, *length), terms.ne(*one, *other));
                let here = terms.and(is_there, is_other);
                differs = terms.or(differs, here);
            }
            differs
        }
        (CallResult::Null, CallResult::Text { .. }) | (CallResult::Text { .. }, CallResult::Null) => {
            return Some(ResultDifference::Always);
        }
        _ => return None,
    };
    Some(match terms.constant_of(differs).and_then(Value::truth) {
        Some(true) => ResultDifference::Always,
        Some(false) => ResultDifference::Never,
        None => ResultDifference::Where(differs),
    })
}
