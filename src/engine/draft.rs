//! An early draft of the test file. Tests of the archive are compiled and run while the search still
//! runs.
//!
//! Flows in: the archive, the worker of the search, the workshop. Flows out: the tests that passed,
//! and the time that verifying them took. Must not know how candidates are made, nor how tests are
//! minimised.
//!
//! The draft becomes the test file where the last stages give no better file before the deadline.
//! The time for the draft shows how fast this machine verifies tests. The worker of the search
//! observes the tests of a draft, and one JVM with another environment verifies them.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::background::{Background, NoResult};
use super::covered_goals::{CoveredGoals, archived_suite};
use super::observation::{Observation, StatingRules};
use super::suite::{acted_hash, hash_of_first};
use super::target::Target;
use super::time_budget::TimeBudget;
use super::verify::{Verified, judge_outcomes, methods_of, remove_tests, verified};
use super::workshop::{ENVIRONMENTS, Environment, Workshop};
use crate::emit;
use crate::jvm::{JvmError, SearchWorker};
use crate::oracle::AssertedTest;
use crate::program::Cluster;
use crate::search::Search;
use crate::testcase::{TestCase, TestHash};

/// Shares of the time of the search at which a draft begins. The second draft has the tests of the
/// first one.
const BEGINNINGS: [f64; 2] = [0.3, 0.65];
/// Rounds of compiling.
const MOST_ROUNDS: usize = 3;
/// New tests of a draft, at most. Observing them holds the search up.
const MOST_TESTS: usize = 60;
/// The share of the covered goals from which on nothing is lost without the last stages.
const SUFFICIENT: f64 = 0.9;
/// Time limit of a run where no deadline is known.
const MOST_TIME: Duration = Duration::from_secs(60);
/// The JVM that verifies a draft.
static DRAFT_ENVIRONMENT: &[Environment] = ENVIRONMENTS.split_at(1).0;

/// The drafts of one class.
#[derive(Debug)]
pub(super) struct Drafting {
    workshop: Workshop,
    cluster: Arc<Cluster>,
    rules: Arc<StatingRules>,
    /// See [`Target::draws_random`].
    draws_random: bool,
    running: Option<Background<Draft>>,
    /// How many drafts were begun.
    begun: usize,
    done: Verified,
    /// What the tests of all drafts cover, by their hashes without inspectors.
    covered: BTreeMap<TestHash, CoveredGoals>,
    /// By the hash of a test in the archive: the hash of the same test in a draft.
    shortened: BTreeMap<TestHash, TestHash>,
    /// Tests that did not compile or pass, by the hashes that they have in a draft.
    rejected: BTreeSet<TestHash>,
    /// JVMs that verified drafts.
    jvms: u64,
}

/// The result of one draft.
#[derive(Debug)]
struct Draft {
    verified: Verified,
    rejected: Vec<TestHash>,
    /// Lines of the file that was run last, and the time for compiling and running it.
    verification: Option<(usize, Duration)>,
}

impl Drafting {
    /// No draft yet.
    pub(super) fn new(workshop: Workshop, target: &Target, rules: StatingRules) -> Drafting {
        Drafting {
            workshop,
            cluster: Arc::clone(target.cluster()),
            rules: Arc::new(rules),
            draws_random: target.draws_random(),
            running: None,
            begun: 0,
            done: Verified::default(),
            covered: BTreeMap::new(),
            shortened: BTreeMap::new(),
            rejected: BTreeSet::new(),
            jvms: 0,
        }
    }

    /// Begins a draft where one is due. The worker has to be idle.
    ///
    /// Fails where the worker cannot be kept running.
    pub(super) fn begin_if_due(
        &mut self,
        search: &Search,
        worker: &mut SearchWorker,
        budget: &TimeBudget,
    ) -> Result<(), JvmError> {
        let Some(share) = BEGINNINGS.get(self.begun) else { return Ok(()) };
        if self.running.is_some() || budget.share_of_search() < *share {
            return Ok(());
        }
        self.begun += 1;
        let known: BTreeSet<TestHash> = self.done.tests.iter().map(acted_hash).collect();
        let is_new = |test: &TestCase| {
            let hash = test.canonical_hash();
            let hash = self.shortened.get(&hash).copied().unwrap_or(hash);
            !known.contains(&hash) && !self.rejected.contains(&hash)
        };
        let tests: Vec<TestCase> = archived_suite(search).into_iter().filter(is_new).take(MOST_TESTS).collect();
        if tests.is_empty() || !budget.wants_draft(self.done.tests.len() + tests.len()) {
            return Ok(());
        }
        let begin = Instant::now();
        let mut observation = Observation::begin(&tests, &self.cluster, worker)?;
        observation.drop_needless_parts(&self.cluster, worker)?;
        if self.draws_random {
            observation.repeat_for_chance(worker)?;
        }
        for (place, observed) in observation.observed().iter().enumerate() {
            let hash = hash_of_first(&observed.test, observed.acted);
            self.shortened.insert(tests[place].canonical_hash(), hash);
            self.covered.insert(hash, CoveredGoals::of(&observed.test, observation.first(place), search.goals()));
        }
        tracing::debug!(at = ?budget.elapsed(), tests = tests.len(), observed = ?begin.elapsed(), "a draft begins");
        let (workshop, rules) = (self.workshop.clone(), Arc::clone(&self.rules));
        let (before, until, number) = (self.done.tests.clone(), budget.last_deadline(), self.begun);
        let draft = move || verify_draft(&workshop, &rules, before, &observation, until, number);
        self.running = Some(Background::start("a draft of the tests", draft));
        Ok(())
    }

    /// Takes over a draft that is finished before the deadline. Gives the lines of its file and the
    /// time that verifying them took.
    pub(super) fn receive(&mut self, deadline: Option<Instant>) -> Option<(usize, Duration)> {
        let (draft, took) = match self.running.as_ref()?.wait(deadline) {
            Ok(done) => done,
            Err(NoResult::Late) => return None,
            Err(NoResult::Gone) => {
                self.running = None;
                return None;
            }
        };
        self.running = None;
        self.jvms += u64::from(draft.verification.is_some());
        tracing::debug!(tests = draft.verified.tests.len(), rejected = draft.rejected.len(), ?took, "a draft is verified");
        self.rejected.extend(draft.rejected);
        if self.covered_by(&draft.verified.tests).len() >= self.covered_by(&self.done.tests).len() {
            self.done = draft.verified;
        }
        draft.verification
    }

    /// Whether the draft covers nearly as much as the search has found.
    pub(super) fn suffices(&self, found: &CoveredGoals) -> bool {
        let covered = self.covered_by(&self.done.tests).len();
        covered > 0 && covered as f64 >= SUFFICIENT * found.len() as f64
    }

    /// The verified tests of the last draft, and what each covers.
    pub(super) fn into_verified(self) -> (Verified, Vec<CoveredGoals>) {
        let covered = self.done.tests.iter().map(|test| self.covered.get(&acted_hash(test)).cloned().unwrap_or_default());
        let covered = covered.collect();
        (self.done, covered)
    }

    /// What these tests cover, as far as drafts know them.
    fn covered_by(&self, tests: &[AssertedTest]) -> CoveredGoals {
        CoveredGoals::union(tests.iter().filter_map(|test| self.covered.get(&acted_hash(test))))
    }

    /// JVMs that verified drafts.
    pub(super) fn jvms(&self) -> u64 {
        self.jvms
    }
}

/// States assertions, compiles and runs the tests, those of the draft before it included.
fn verify_draft(
    workshop: &Workshop,
    rules: &StatingRules,
    before: Vec<AssertedTest>,
    observation: &Observation,
    until: Option<Instant>,
    number: usize,
) -> Draft {
    let mut tests = before;
    // Nothing makes a draft put shared state back.
    let places = (0..observation.observed().len()).filter(|place| observation.first(*place).leftovers.is_private());
    tests.extend(places.filter_map(|place| observation.state(place, rules).ok()));
    let mut draft = Draft { verified: Verified::default(), rejected: Vec::new(), verification: None };
    let mut standby = Some(workshop.start_verifiers(&format!("draft-{number}"), DRAFT_ENVIRONMENT));
    for _ in 0..MOST_ROUNDS {
        let rendered = workshop.render(&tests);
        let Some(verifiers) = standby.take().filter(|_| !rendered.tests.is_empty()) else { break };
        let begin = Instant::now();
        let wrong = match workshop.compile(&rendered, verifiers.folder(), until) {
            Ok(wrong) => wrong,
            Err(error) => {
                tracing::debug!("a draft is given up: {error}");
                break;
            }
        };
        draft.rejected.extend(wrong.keys().map(|place| acted_hash(&tests[rendered.tests[*place].index()])));
        if !wrong.is_empty() {
            tests = remove_tests(&rendered, tests, &wrong.into_keys().collect());
            standby = Some(verifiers);
            continue;
        }
        let left = until.map_or(MOST_TIME, |until| until.saturating_duration_since(Instant::now()));
        let outcomes = match verifiers.run(&rendered.class.binary(), left, 1) {
            Ok(outcomes) => outcomes,
            Err(error) => {
                tracing::debug!("a draft is given up: {error}");
                break;
            }
        };
        let verdict = judge_outcomes(&methods_of(&rendered, &tests), &outcomes, DRAFT_ENVIRONMENT);
        let lines = rendered.source.lines().count();
        draft.verification = verdict.unanswered.is_empty().then(|| (lines, begin.elapsed()));
        draft
            .rejected
            .extend(verdict.failing.union(&verdict.flaky).map(|place| acted_hash(&tests[rendered.tests[*place].index()])));
        draft.verified = verified(emit::retain_tests(&rendered, &verdict.passing), &tests);
        break;
    }
    draft
}
