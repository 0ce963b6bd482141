//! Looks for a test that takes a path which somebody asks for (`--path`).
//!
//! Flows in: the path over the graph of its method, and tests to start from. Flows out: a test that takes the path, the
//! contradiction that excludes it, or how near a run came. Must not know how the path was written down.
//!
//! Of all decisions that can fall otherwise, the one comes first that leaves the fewest ways to the end of the path.
//! The search turns no decision round whose other outcome leaves the path. When no decision is pending, every way along
//! the path contradicts itself. That is a proof for the calls of the tree.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Instant;

use super::super::distinct_values::with_value;
use super::super::explained_test::{ExplainedTest, example};
use super::super::place_coverage::condition_in_words;
use super::super::symbolic_request::SymbolicResponse;
use super::super::tree_text::contradiction_text;
use super::{Concolic, FollowedRun};
use crate::changes::only_gives_a_result;
use crate::execution::RunEnd;
use crate::expr::TermId;
use crate::jvm::JvmError;
use crate::path::{BranchOutcome, FixedDecision, FollowedPath, PathCondition, PathGuide};
use crate::program::{ClassModel, JavaType, MethodRef, Program};
use crate::solve::{Outcome, Query};
use crate::symbolic::{PathEnd, seed_with};
use crate::testcase::{Literal, StatementKind, TestCase, TestHash};
use crate::tree::{Alternative, Dropped, TreeKey, TreeNode};

/// Numbers that a person would write, the plainest first.
const PLAIN: [f64; 9] = [0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 10.0, -1.0, 100.0];

/// A path, and what the search for it begins with.
pub(in crate::engine) struct PathQuestion<'a> {
    pub(in crate::engine) program: &'a Program,
    pub(in crate::engine) method: &'a MethodRef,
    pub(in crate::engine) guide: &'a PathGuide,
    /// The most promising first.
    pub(in crate::engine) seeds: &'a [TestCase],
    /// Executions and queries, at most.
    pub(in crate::engine) quota: u64,
    /// No execution or query begins after this.
    pub(in crate::engine) until: Option<Instant>,
}

/// What became of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::engine) enum PathAnswer {
    /// The test takes the path.
    Taken(TestCase),
    /// No input takes it, for this reason.
    Impossible(String),
    /// No test was found.
    NotFound {
        /// The steps that the nearest call passed.
        passed: usize,
        /// What is known about it, in one sentence.
        why: String,
        /// No decision is pending: more time would not help.
        is_settled: bool,
    },
}

/// Runs of one method, and all decisions of theirs that can fall otherwise. Each path through the method begins with
/// them.
#[derive(Default)]
pub(in crate::engine) struct KnownRuns {
    runs: Vec<FollowedRun>,
    alternatives: Vec<Alternative>,
}

/// Why the calls of a tree leave the path.
struct PathContradiction {
    /// Ways from there to the end of the path.
    distance: u32,
    reason: ContradictionReason,
    test: Arc<TestCase>,
}

enum ContradictionReason {
    /// These clauses contradict each other.
    Core(Vec<TermId>),
    /// Behind the same steps, the decision at this bci always has this outcome.
    Settled { bci: u32, outcome: u32 },
}

/// What is known about the calls of one tree.
#[derive(Default)]
struct Calls {
    /// A decision stays open, or a run is not known exactly.
    is_open: bool,
    nearest: Option<PathContradiction>,
}

impl Calls {
    fn contradict(&mut self, found: PathContradiction) {
        if self.nearest.as_ref().is_none_or(|known| found.distance < known.distance) {
            self.nearest = Some(found);
        }
    }
}

/// The search for one path.
struct PathSearch<'a> {
    question: &'a PathQuestion<'a>,
    /// By distance, then by age.
    pending: BTreeMap<(u32, u64), Alternative>,
    age: u64,
    followed: BTreeMap<TestHash, FollowedPath>,
    calls: BTreeMap<TreeKey, Calls>,
    /// The run that passed the most steps.
    nearest: Option<(usize, Arc<TestCase>)>,
}

impl PathSearch<'_> {
    /// Whether the run of the test may call the method at another time than its last statement does.
    fn may_call_again(&self, key: &TreeKey, followed: &FollowedPath) -> bool {
        followed.calls > 1 || key.method != *self.question.method
    }
}

impl Concolic<'_> {
    /// Forgets all runs: those that follow are of paths through the method.
    pub(in crate::engine) fn begin_following(&mut self, method: &MethodRef) -> KnownRuns {
        self.drop_terms_and_trees();
        self.recorded.clear();
        self.replayer.watch(method);
        self.kept_runs = Some(Vec::new());
        KnownRuns::default()
    }

    /// Looks for a test that takes the path. `known`: the runs since [`Concolic::begin_following`].
    ///
    /// Fails where the trace worker cannot be kept running.
    pub(in crate::engine) fn follow(
        &mut self,
        question: &PathQuestion<'_>,
        known: &mut KnownRuns,
    ) -> Result<PathAnswer, JvmError> {
        self.until = question.until;
        self.steps_before = self.steps;
        let mut search = PathSearch {
            question,
            pending: BTreeMap::new(),
            age: 0,
            followed: BTreeMap::new(),
            calls: BTreeMap::new(),
            nearest: None,
        };
        if let Some(test) = self.sort_in(&mut search, &known.runs, &known.alternatives)? {
            return self.taken(question, test);
        }
        for seed in question.seeds {
            if !self.may_continue(question.quota) {
                break;
            }
            self.explore_new(seed)?;
            if let Some(test) = self.sort_in_new(&mut search, known)? {
                return self.taken(question, test);
            }
        }
        let mut is_complete = false;
        while self.may_continue(question.quota) {
            let Some(((distance, _), alternative)) = search.pending.pop_first() else {
                is_complete = true;
                break;
            };
            let is_open = self.trees.get(&alternative.key).is_some_and(|tree| tree.is_open(alternative.node));
            let mut response = SymbolicResponse::default();
            if is_open {
                self.attempt(&alternative, &mut response)?;
            }
            let calls = search.calls.entry(alternative.key.clone()).or_default();
            match self.trees.get(&alternative.key).map(|tree| tree.node(alternative.node)) {
                Some(TreeNode::Infeasible { core }) => {
                    let (reason, test) = (ContradictionReason::Core(core.clone()), Arc::clone(&alternative.origin));
                    calls.contradict(PathContradiction { distance, reason, test });
                }
                Some(TreeNode::Computation(_) | TreeNode::Terminal) => {}
                Some(TreeNode::Unexplored(_) | TreeNode::TimedOut { .. }) | None => calls.is_open = true,
            }
            for candidate in &response.candidates {
                self.explore_new(candidate)?;
            }
            if let Some(test) = self.sort_in_new(&mut search, known)? {
                return self.taken(question, test);
            }
        }
        Ok(self.answer(search, is_complete))
    }

    /// The answer with a test that takes the path. Numbers that are equal become equal plain numbers, as far as the
    /// test then takes the path.
    fn taken(&mut self, question: &PathQuestion<'_>, mut test: TestCase) -> Result<PathAnswer, JvmError> {
        let literals: BTreeSet<Literal> = test.statements.iter().filter_map(|statement| literal_of(&statement.kind)).collect();
        for literal in literals {
            let plain = PLAIN.iter().filter_map(|plain| with_value(&literal, *plain));
            for plain in plain.take_while(|plain| *plain != literal) {
                if !self.may_continue(question.quota) {
                    return Ok(PathAnswer::Taken(test));
                }
                let mut plainer = test.clone();
                for statement in &mut plainer.statements {
                    if literal_of(&statement.kind).as_ref() == Some(&literal) {
                        statement.kind = StatementKind::Literal(plain.clone());
                    }
                }
                if self.takes(question.method, question.guide, &plainer)? {
                    test = plainer;
                    break;
                }
            }
        }
        Ok(PathAnswer::Taken(test))
    }

    /// Enters the runs since the last look, with their alternatives. Gives the test of a run that takes the path.
    fn sort_in_new(&mut self, search: &mut PathSearch<'_>, known: &mut KnownRuns) -> Result<Option<TestCase>, JvmError> {
        let runs = std::mem::take(self.kept_runs.get_or_insert_default());
        let all = |_: &BranchOutcome| true;
        let alternatives: Vec<Alternative> = std::iter::from_fn(|| self.selector.next(&self.terms, &all)).collect();
        let found = self.sort_in(search, &runs, &alternatives);
        known.runs.extend(runs);
        known.alternatives.extend(alternatives);
        found
    }

    /// Enters runs and alternatives. Gives the test of a run that takes the path.
    fn sort_in(
        &mut self,
        search: &mut PathSearch<'_>,
        runs: &[FollowedRun],
        alternatives: &[Alternative],
    ) -> Result<Option<TestCase>, JvmError> {
        let PathQuestion { method, guide, .. } = *search.question;
        for run in runs {
            let followed = guide.follow(&run.path);
            if followed.passed == guide.len() && self.takes(method, guide, &run.test)? {
                return Ok(Some(TestCase::clone(&run.test)));
            }
            if followed.calls > 0 && search.nearest.as_ref().is_none_or(|(passed, _)| followed.passed > *passed) {
                search.nearest = Some((followed.passed, Arc::clone(&run.test)));
            }
            self.note_settled_decisions(search, run, &followed);
            search.followed.insert(run.test.canonical_hash(), followed);
        }
        for alternative in alternatives {
            let Some(followed) = search.followed.get(&alternative.run) else { continue };
            let may_call_again = search.may_call_again(&alternative.key, followed);
            let distance = guide.distance_of(followed, alternative.index, &alternative.site, may_call_again);
            if let Some(distance) = distance {
                search.pending.insert((distance, search.age), alternative.clone());
                search.age += 1;
            }
        }
        Ok(None)
    }

    /// Whether the test takes the path when it runs. Time and chance may have led an earlier run there.
    fn takes(&mut self, method: &MethodRef, guide: &PathGuide, test: &TestCase) -> Result<bool, JvmError> {
        Ok(self.path_through(method, test)?.is_some_and(|path| guide.is_passed_by(&path)))
    }

    /// The path of a run of the test, with each step of the method; `None` where the run has no end.
    ///
    /// Fails where the trace worker cannot be kept running.
    pub(in crate::engine) fn path_through(
        &mut self,
        method: &MethodRef,
        test: &TestCase,
    ) -> Result<Option<PathCondition>, JvmError> {
        self.replayer.watch(method);
        let Some((recording, end)) = self.record(test)? else { return Ok(None) };
        let replayed = self.replayer.replay(test, &recording, &mut self.terms, &self.config);
        Ok(matches!(end, RunEnd::Completed | RunEnd::Threw { .. }).then_some(replayed.path))
    }

    /// Enters the decisions at which a run leaves the path although no clause stands for them: earlier clauses settle
    /// these decisions.
    /// Nothing is settled where the replay lost a value.
    fn note_settled_decisions(&mut self, search: &mut PathSearch<'_>, run: &FollowedRun, followed: &FollowedPath) {
        let FollowedRun { test, path, end } = run;
        let Some((_, method)) = test.target() else { return };
        let is_known = matches!(end, PathEnd::Returned | PathEnd::Threw { .. }) && path.is_exact(path.clauses.len());
        let calls = search.calls.entry(TreeKey::of(test, method)).or_default();
        calls.is_open |= !is_known || followed.calls == 0;
        let nearest = calls.nearest.as_ref().map_or(u32::MAX, |known| known.distance);
        let fixed = search.question.guide.fixed_decisions(followed);
        let Some(decision) = fixed.first().filter(|decision| decision.distance < nearest) else { return };
        let FixedDecision { distance, clauses_before, term, bci, outcome } = *decision;
        let mut reason = ContradictionReason::Settled { bci, outcome };
        if let Some(term) = term {
            let mut clauses: Vec<TermId> = path.clauses[..clauses_before].iter().map(|clause| clause.term).collect();
            clauses.push(self.terms.not(term));
            let seed = seed_with(test, self.config.characters as u32);
            let query = Query { clauses, seed, limits: self.query_limits() };
            match self.check(&query) {
                Outcome::Unsat { core } => {
                    let core = core.iter().filter_map(|place| query.clauses.get(*place).copied());
                    reason = ContradictionReason::Core(core.collect());
                }
                // The bounds of the terms settle it.
                Outcome::Unknown(_) => {}
                Outcome::Sat(_) => {
                    calls.is_open = true;
                    return;
                }
            }
        }
        calls.contradict(PathContradiction { distance, reason, test: Arc::clone(test) });
    }

    /// What to say where no test takes the path. `is_complete`: no decision is pending.
    fn answer(&self, search: PathSearch<'_>, is_complete: bool) -> PathAnswer {
        let PathSearch { question, mut calls, nearest, .. } = search;
        let Some((passed, test)) = nearest else {
            let why = "no test calls the method".to_owned();
            return PathAnswer::NotFound { passed: 0, why, is_settled: is_complete };
        };
        for (key, calls) in &mut calls {
            let is_whole = self.trees.get(key).is_none_or(|tree| tree.stats().dropped == Dropped::default());
            calls.is_open |= !is_complete || !is_whole;
        }
        let proofs = || calls.values().filter(|calls| !calls.is_open).filter_map(|calls| calls.nearest.as_ref());
        let is_of_all_inputs = |proof: &&PathContradiction| covers_all_inputs(&proof.test, question);
        if let Some(proof) = proofs().find(is_of_all_inputs) {
            return PathAnswer::Impossible(self.contradiction(proof, question));
        }
        let next = question.guide.step(passed);
        let near = example(&test, Some(question.program));
        let mut why = format!("the nearest call passes {passed} of {} steps and not {next}: {near}", question.guide.len());
        if let Some(proof) = proofs().min_by_key(|proof| proof.distance) {
            let form = ExplainedTest::new(&proof.test, Some(question.program)).lines().join("; ");
            why = format!("{why}; for calls such as {form} it is impossible: {}", self.contradiction(proof, question));
        }
        PathAnswer::NotFound { passed, why, is_settled: is_complete }
    }

    fn contradiction(&self, proof: &PathContradiction, question: &PathQuestion<'_>) -> String {
        let explained = ExplainedTest::new(&proof.test, Some(question.program));
        let java = |term: TermId| self.terms.java(term, &|symbol| explained.input(symbol));
        let in_words = match &proof.reason {
            ContradictionReason::Core(core) => contradiction_text(core, &java),
            ContradictionReason::Settled { bci, outcome } => {
                let branch = BranchOutcome { method: question.method.clone(), bci: *bci, outcome: *outcome };
                let condition = question.program.source_condition(&branch).map(|condition| condition_in_words(&condition));
                condition.map(|condition| format!("behind these steps, {condition} always holds"))
            }
        };
        in_words.unwrap_or_else(|| "its conditions contradict each other".into())
    }
}

fn literal_of(kind: &StatementKind) -> Option<Literal> {
    if let StatementKind::Literal(literal) = kind { Some(literal.clone()) } else { None }
}

/// Whether the test stands for all calls of the method: its arguments are numbers and truth values, each a literal of
/// its own, its class has no state, and no code that it runs has any.
fn covers_all_inputs(test: &TestCase, question: &PathQuestion<'_>) -> bool {
    let Some(StatementKind::Call { method, args, .. }) = test.statements.last().map(|last| &last.kind) else {
        return false;
    };
    let is_number = |parameter: &JavaType| parameter.primitive().is_some();
    let is_literal = |place: usize| matches!(test.statements[place].kind, StatementKind::Literal(_));
    let distinct: BTreeSet<_> = args.iter().collect();
    let is_constant =
        |class: &Arc<ClassModel>| class.fields.iter().all(|field| field.access.is_static() && field.access.is_final());
    method == question.method
        && method.parameters().iter().all(is_number)
        && args.iter().all(|arg| is_literal(arg.index()))
        && distinct.len() == args.len()
        && question.program.superclass_chain(&method.owner).iter().all(is_constant)
        && only_gives_a_result(question.program, method)
}
