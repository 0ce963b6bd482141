//! The search itself: DynaMOSA with an archive, local search on literals, and restarts, behind ask and tell. Flows in: executions; flows out:
//! candidates. Knows no clock and no JVM; batches may overlap.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet, VecDeque};
use std::sync::Arc;

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::SearchConfig;
use super::archive::{Archive, Kept};
use super::goals::{Called, Goal, GoalId, Goals, MethodId, Reached};
use super::hash::FastMap;
use super::literals::{LiteralPool, as_integer};
use super::local::Session;
use super::model::{CallableId, Model};
use super::operators;
use super::random::Grower;
use super::selection;
use crate::execution::{Execution, RunEnd};
use crate::program::{ClassName, Cluster, MethodRef, Program};
use crate::testcase::{CarvedSequence, Invalid, Literal, StatementKind, TestCase, TypeSystem, VarId, check};

/// Objectives at a time at most: the nearest uncovered goals.
const OBJECTIVES: usize = 96;
/// Hashes of candidates that are remembered; then all are forgotten.
const REMEMBERED: usize = 1 << 20;
/// A candidate that is known already is made anew this many times before a batch stays short.
const ATTEMPTS: usize = 60;
/// Numbers beyond this are large for sizes and counts.
const GREEDY_NUMBER: i64 = 10_000;
/// Ways in which runs ended badly in one callable that are told apart.
const MOST_WAYS: usize = 4;
/// Executions between two looks at the weights of the callables.
const WEIGHING: u64 = 256;

/// Where a candidate comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Origin {
    /// Made from nothing.
    Fresh,
    /// Mutation or crossover.
    Offspring,
    /// Local search on literals.
    Local,
    /// A model of the solver.
    Solver,
    /// Given from outside for another reason.
    Seed,
}

/// How far the search is.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Progress {
    pub(crate) branches: (usize, usize),
    pub(crate) lines: (usize, usize),
    /// Methods that some test called and that returned.
    pub(crate) methods: (usize, usize),
    /// Exceptions and classes of outputs and inputs seen.
    pub(crate) discovered: usize,
    pub executions: u64,
    /// Executions since a goal was covered or a distance fell.
    pub(crate) stagnation: u64,
    /// Executions that can never become tests, by reason.
    pub discarded: BTreeMap<&'static str, u64>,
    /// Newly covered goals by where the candidate came from.
    pub gains: BTreeMap<Origin, u64>,
}

/// A test that reaches the jump of an uncovered branch.
#[derive(Clone, Debug)]
pub struct SolvingCandidate {
    pub goal: GoalId,
    /// The branch slot that is to be taken.
    pub(crate) slot: u32,
    pub(crate) test: TestCase,
    /// Below 1: the jump itself was reached; else the approach level is its integral part.
    pub(crate) fitness: f64,
}

/// A candidate under way.
#[derive(Clone, Copy, Debug)]
struct Source {
    origin: Origin,
    /// Of a probe of local search: its session and the position of the variable it varies.
    probe: Option<(u32, usize)>,
}

impl From<Origin> for Source {
    fn from(origin: Origin) -> Source {
        Source { origin, probe: None }
    }
}

#[derive(Debug)]
struct Individual {
    test: Arc<TestCase>,
    branches: Box<[(u32, f64)]>,
    lines: Box<[u32]>,
    calls: Box<[(MethodId, Called)]>,
    /// By objective, of the round of objectives below.
    fitness: Vec<f64>,
    round: u64,
}

/// The nearest test of an uncovered goal.
#[derive(Clone, Debug)]
struct Closest {
    fitness: f64,
    test: Arc<TestCase>,
    /// How often it was offered for solving, and how many sessions of local search it had.
    offered: u32,
    sessions: u32,
}

#[derive(Clone, Copy, Debug, Default)]
struct Record {
    runs: u32,
    /// Runs that ended in this callable in a way that makes no test.
    bad: u32,
    /// Runs that used up time, events or memory in it.
    greedy: u32,
    /// Uncovered goals it could lead to, as seen at the last weighing.
    open: u32,
}

/// The search for one target. Deterministic: the same seed and told executions give the same candidates.
pub struct Search {
    model: Model,
    types: Arc<dyn TypeSystem + Send + Sync>,
    goals: Goals,
    config: SearchConfig,
    rng: ChaCha8Rng,
    pool: LiteralPool,
    archive: Archive,
    /// Best first.
    population: Vec<Individual>,
    offspring: Vec<Individual>,
    injected: VecDeque<(TestCase, Origin)>,
    firsts: VecDeque<CallableId>,
    known: HashSet<u64>,
    sources: HashMap<u64, Source>,
    objectives: Vec<GoalId>,
    round: u64,
    targets_changed: bool,
    /// Uncovered goals whose parents are covered.
    targets: Vec<GoalId>,
    /// By static goal.
    closest: Vec<Option<Closest>>,
    /// Fitness of the execution at hand by approach group; stamped with its number.
    group_fitness: Vec<(u64, f64)>,
    session: Option<Session>,
    /// Sessions begun.
    sessions: u32,
    entered: Vec<bool>,
    /// Methods that were entered when the callable was called.
    reaches: Vec<BTreeSet<MethodId>>,
    records: Vec<Record>,
    /// Ways in which runs ended in a call of the method so that they make no test.
    spoilt: BTreeMap<MethodRef, BTreeMap<String, u32>>,
    weights: Vec<f32>,
    /// Fresh candidates still to come after a restart.
    fresh: usize,
    reached: Reached,
    covered: Vec<GoalId>,
    any_greedy: bool,
    /// Classes of which a constructor has used up time or memory.
    greedy_classes: BTreeSet<ClassName>,
    executions: u64,
    last_gain: u64,
    last_restart: u64,
    discarded: BTreeMap<&'static str, u64>,
    gains: BTreeMap<Origin, u64>,
    methods_under_test: FastMap<MethodRef, CallableId>,
}

impl std::fmt::Debug for Search {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Search").field("progress", &self.progress()).finish_non_exhaustive()
    }
}

impl Search {
    pub fn new(program: Arc<Program>, cluster: &Cluster, goals: Goals, config: SearchConfig, seed: u64) -> Search {
        Search::with_model(Model::of_cluster(cluster), program, goals, config, seed)
    }

    pub fn with_model(
        model: Model,
        types: Arc<dyn TypeSystem + Send + Sync>,
        goals: Goals,
        config: SearchConfig,
        seed: u64,
    ) -> Search {
        let mut firsts = VecDeque::new();
        for _ in 0..config.first_tests {
            firsts.extend(model.under_test());
        }
        let methods_under_test =
            model.under_test().iter().filter_map(|&id| model.callable(id).method().map(|method| (method.clone(), id))).collect();
        let callables = model.callables();
        Search {
            pool: LiteralPool::new(model.constants()),
            rng: ChaCha8Rng::seed_from_u64(seed),
            archive: Archive::default(),
            population: Vec::new(),
            offspring: Vec::new(),
            injected: VecDeque::new(),
            firsts,
            known: HashSet::new(),
            sources: HashMap::new(),
            sessions: 0,
            objectives: Vec::new(),
            round: 0,
            targets_changed: true,
            targets: Vec::new(),
            closest: vec![None; goals.static_goals()],
            group_fitness: vec![(0, 0.0); goals.static_goals()],
            session: None,
            entered: vec![false; goals.methods().len()],
            reaches: vec![BTreeSet::new(); callables],
            records: vec![Record::default(); callables],
            spoilt: BTreeMap::new(),
            weights: vec![1.0; callables],
            fresh: 0,
            reached: Reached::default(),
            covered: Vec::new(),
            any_greedy: false,
            greedy_classes: BTreeSet::new(),
            executions: 0,
            last_gain: 0,
            last_restart: 0,
            discarded: BTreeMap::new(),
            gains: BTreeMap::new(),
            methods_under_test,
            model,
            types,
            goals,
            config,
        }
    }

    /// Up to `count` candidates that were not asked for before; fewer (none) when no more can be thought of.
    pub fn ask(&mut self, count: usize) -> Vec<TestCase> {
        self.refresh_targets();
        let mut batch = Vec::with_capacity(count);
        let local = (count as f64 * self.config.local_search_share) as usize;
        let mut attempts = 0;
        let mut locals = 0;
        while batch.len() < count && attempts < ATTEMPTS {
            let (candidate, source) = match self.next_given(locals < local) {
                Some(given) => given,
                None => {
                    let (candidate, origin) = self.candidate();
                    (candidate, origin.into())
                }
            };
            let hash = candidate.canonical_hash();
            let wasted = candidate.is_empty()
                || self.known.contains(&hash)
                || (source.origin != Origin::Solver && self.is_reckless(&candidate));
            if wasted {
                match (source.probe, &mut self.session) {
                    (Some((_, position)), Some(session)) => session.skipped(position),
                    _ => attempts += 1,
                }
                continue;
            }
            if self.known.len() >= REMEMBERED {
                self.known.clear();
            }
            self.known.insert(hash);
            debug_assert_eq!(check(&candidate, &*self.types), Ok(()), "{candidate}");
            attempts = 0;
            locals += usize::from(source.probe.is_some());
            self.sources.insert(hash, source);
            batch.push(candidate);
        }
        batch
    }

    /// What is not made by chance: injected tests, then first tests, then local search.
    fn next_given(&mut self, local: bool) -> Option<(TestCase, Source)> {
        if let Some((injected, origin)) = self.injected.pop_front() {
            return Some((injected, origin.into()));
        }
        if let Some(callable) = self.firsts.pop_front() {
            let test = self.grower(|grower| grower.random(callable));
            return Some((test, Origin::Fresh.into()));
        }
        if !local || self.config.random_only {
            return None;
        }
        if let Some(session) = &mut self.session
            && (self.archive.is_covered(session.goal) || !session.advance(&self.pool))
        {
            self.session = None;
        }
        if self.session.is_none() {
            self.session = Some(self.start_session()?);
        }
        // Nothing when every probe of the round is under way.
        let session = self.session.as_mut()?;
        let (probe, position) = session.next()?;
        Some((probe, Source { origin: Origin::Local, probe: Some((session.id, position)) }))
    }

    /// Large numbers for a callable that has used up time or memory before: mostly they would again, and each such run costs as much as
    /// thousands of others. Now and then one passes.
    fn is_reckless(&mut self, test: &TestCase) -> bool {
        if !self.any_greedy {
            return false;
        }
        let large = |variable: &VarId| {
            // A fraction is as bad as a large number where sizes are divided by it.
            let extreme = |value: f64| value.abs() > GREEDY_NUMBER as f64 || (value != 0.0 && value.abs() < 0.01);
            test.literal(*variable).is_some_and(|literal| match literal {
                Literal::Float(bits) => extreme(f32::from_bits(*bits).into()),
                Literal::Double(bits) => extreme(f64::from_bits(*bits)),
                other => as_integer(other).is_some_and(|value| !(-GREEDY_NUMBER..=GREEDY_NUMBER).contains(&value)),
            })
        };
        let reckless = test.statements.iter().any(|statement| {
            let (StatementKind::Construct { args, .. } | StatementKind::Call { args, .. }) = &statement.kind else {
                return false;
            };
            // What one constructor makes room for, the others of its class do as well.
            let is_greedy = match &statement.kind {
                StatementKind::Construct { constructor, .. } => self.greedy_classes.contains(&constructor.owner),
                kind => self.model.callable_of(kind).is_some_and(|callable| self.records[callable.index()].greedy >= 2),
            };
            is_greedy && args.iter().any(large)
        });
        reckless && !self.rng.random_ratio(1, 50)
    }

    /// The uncovered branch whose jump was reached and that had the fewest sessions, nearest first.
    fn start_session(&mut self) -> Option<Session> {
        let (goal, _) = self
            .nearest()
            .filter(|(goal, closest)| self.goals.has_distance(*goal) && closest.fitness < 2.0 && closest.sessions < 3)
            .min_by(|(_, left), (_, right)| left.sessions.cmp(&right.sessions).then(left.fitness.total_cmp(&right.fitness)))?;
        let closest = self.closest[goal.index()].as_mut()?;
        closest.sessions += 1;
        self.sessions += 1;
        Session::new(goal, self.sessions, closest.test.clone(), closest.fitness)
    }

    /// The uncovered goals that were approached, each with its nearest test.
    fn nearest(&self) -> impl Iterator<Item = (GoalId, &Closest)> {
        (0u32..).zip(&self.closest).filter_map(|(index, closest)| closest.as_ref().map(|closest| (GoalId(index), closest)))
    }

    fn grower<R>(&mut self, grow: impl FnOnce(Grower<'_>) -> R) -> R {
        grow(Grower::new(&self.model, &self.pool, &self.config, &self.weights, &mut self.rng))
    }

    fn candidate(&mut self) -> (TestCase, Origin) {
        let fresh = self.fresh > 0 || self.population.is_empty() || self.rng.random_bool(self.config.fresh_probability);
        if self.config.random_only || fresh {
            self.fresh = self.fresh.saturating_sub(1);
            let test = self.grower(|mut grower| match grower.pick(grower.model.under_test()) {
                Some(callable) => grower.random(callable),
                None => TestCase::default(),
            });
            return (test, Origin::Fresh);
        }
        let first = self.parent();
        if self.rng.random_bool(0.15)
            && let Some(varied) = self.grower(|grower| operators::mutate_literal(grower, &first))
        {
            return (varied, Origin::Offspring);
        }
        let crossed = self.rng.random_bool(self.config.crossover_probability);
        let child = match crossed {
            true => {
                let second = self.parent();
                Arc::new(self.grower(|grower| operators::crossover(grower, &first, &second)))
            }
            false => first,
        };
        let child = if crossed && self.rng.random_bool(0.2) {
            Arc::unwrap_or_clone(child)
        } else {
            self.grower(|grower| operators::mutate(grower, &child))
        };
        (child, Origin::Offspring)
    }

    /// Mostly the better of two by rank; now and then the nearest test of some goal.
    fn parent(&mut self) -> Arc<TestCase> {
        if !self.objectives.is_empty() && self.rng.random_bool(0.3) {
            let goal = self.objectives[self.rng.random_range(0..self.objectives.len())];
            if let Some(closest) = &self.closest[goal.index()] {
                return closest.test.clone();
            }
        }
        let count = self.population.len();
        let index = self.rng.random_range(0..count).min(self.rng.random_range(0..count));
        self.population[index].test.clone()
    }

    /// A neighbour of a test, for a goal that is not the search's own: mostly other literals, else other statements.
    pub(crate) fn vary(&mut self, test: &TestCase) -> TestCase {
        let varied = match self.rng.random_range(0..10) {
            0..5 => self.grower(|grower| operators::mutate_literal(grower, test)),
            5..7 => self
                .grower(|grower| operators::mutate_literal(grower, test))
                .and_then(|varied| self.grower(|grower| operators::mutate_literal(grower, &varied))),
            _ => None,
        };
        let varied = varied.unwrap_or_else(|| self.grower(|grower| operators::mutate(grower, test)));
        if self.is_reckless(&varied) { TestCase::default() } else { varied }
    }

    /// A number by chance.
    pub(crate) fn draw(&mut self) -> u32 {
        self.rng.random()
    }

    /// What of the test can be a test of its own after it ran so (more statements may have been appended to it); `None`: nothing.
    pub(crate) fn fit_part(&self, test: &TestCase, execution: &Execution) -> Option<TestCase> {
        if execution.left_running {
            return None;
        }
        let part = match &execution.end {
            RunEnd::Completed => test.clone(),
            RunEnd::Threw { statement, .. } if *statement as usize >= test.len() => test.clone(),
            RunEnd::Threw { thrown, .. } if thrown.in_project => Arc::unwrap_or_clone(cut(test, &execution.end)),
            _ => return None,
        };
        (!part.is_empty()).then_some(part)
    }

    /// Takes the results of candidates, in the order they were asked for.
    pub fn tell(&mut self, tests: &[TestCase], executions: &[Execution]) {
        for (test, execution) in tests.iter().zip(executions) {
            self.tell_one(test, execution);
        }
        self.refresh_targets();
    }

    fn tell_one(&mut self, test: &TestCase, execution: &Execution) {
        let source = self.sources.remove(&test.canonical_hash()).unwrap_or(Origin::Seed.into());
        let origin = source.origin;
        self.executions += 1;
        for string in &execution.seen_strings {
            self.pool.seed(Literal::Str(string.clone()));
        }
        if let Some(reason) = self.unfit(test, execution) {
            tracing::debug!("{reason}: {:?}\n{test}", execution.end);
            *self.discarded.entry(reason).or_default() += 1;
            self.tell_session(source, test, f64::INFINITY);
            return;
        }
        let cut = cut(test, &execution.end);
        let calls = self.goals.calls(test, execution);
        self.reached.load(&self.goals, &execution.branches, &execution.lines, &calls);
        self.note_reach(test, execution, &calls);
        self.collect_covered(test, execution, &calls);
        if matches!(&execution.end, RunEnd::Threw { thrown, .. } if !thrown.in_project) {
            // The code of the test itself threw (a null receiver, a failing JDK call): what runs before it is a test of its own.
            *self.discarded.entry("threw outside the project").or_default() += 1;
            let new = self.covered.iter().any(|&goal| !self.archive.is_covered(goal));
            if new && !cut.is_empty() && !self.known.contains(&cut.canonical_hash()) {
                let origin = if origin == Origin::Local { Origin::Offspring } else { origin };
                self.injected.push_back((Arc::unwrap_or_clone(cut), origin));
            }
            self.tell_session(source, test, f64::INFINITY);
            return;
        }
        let gain = self.keep(&cut, execution, origin);
        let nearer = self.note_distances(&cut);
        if gain || nearer {
            self.last_gain = self.executions;
        }
        if let (Some(_), Some(session)) = (source.probe, &self.session) {
            let fitness = self.goals.fitness(session.goal, &self.reached);
            self.tell_session(source, &cut, fitness);
        }
        if self.config.random_only {
            return;
        }
        self.offspring.push(Individual {
            test: cut,
            branches: execution.branches.clone().into(),
            lines: execution.lines.clone().into(),
            calls: calls.into(),
            fitness: Vec::new(),
            round: 0,
        });
        if self.offspring.len() >= self.config.population {
            self.refresh_targets();
            self.select();
        }
        if self.executions.is_multiple_of(WEIGHING) {
            self.weigh();
        }
        if self.executions - self.last_gain.max(self.last_restart) > self.config.stagnation {
            self.restart();
        }
    }

    fn tell_session(&mut self, source: Source, test: &TestCase, fitness: f64) {
        if let (Some((id, position)), Some(session)) = (source.probe, &mut self.session)
            && session.id == id
        {
            session.told(position, test, fitness);
        }
    }

    /// Why the execution can be no test; the callable it ended in is remembered.
    fn unfit(&mut self, test: &TestCase, execution: &Execution) -> Option<&'static str> {
        let (reason, statement) = match &execution.end {
            RunEnd::Completed | RunEnd::Threw { .. } => {
                let last = match &execution.end {
                    RunEnd::Threw { statement, .. } => *statement as usize,
                    _ => test.len(),
                };
                for statement in test.statements.iter().take(last + 1) {
                    if let Some(callable) = self.model.callable_of(&statement.kind) {
                        self.records[callable.index()].runs += 1;
                    }
                }
                return execution.left_running.then_some("left something running");
            }
            RunEnd::Budget { statement } => ("event budget", Some(*statement)),
            RunEnd::Timeout { statement } => ("time limit", Some(*statement)),
            RunEnd::Refused { statement, .. } => ("refused", Some(*statement)),
            RunEnd::Exhausted { statement, .. } => ("stack or heap exhausted", Some(*statement)),
            RunEnd::Died => ("worker died", None),
            RunEnd::Unrun => return Some("not run in time"),
            RunEnd::Illegal { statement, .. } => ("illegal", Some(*statement)),
        };
        // A dead worker does not tell where: the last call is the likeliest.
        let statement = statement.map_or(test.len().saturating_sub(1), |statement| statement as usize);
        if let Some(callable) = test.statements.get(statement).and_then(|statement| self.model.callable_of(&statement.kind)) {
            let record = &mut self.records[callable.index()];
            record.runs += 1;
            if matches!(execution.end, RunEnd::Budget { .. } | RunEnd::Timeout { .. } | RunEnd::Exhausted { .. } | RunEnd::Died) {
                record.greedy += 1;
                if let Some(StatementKind::Construct { constructor, .. }) = test.statements.get(statement).map(|at| &at.kind) {
                    self.greedy_classes.insert(constructor.owner.clone());
                }
                self.any_greedy = true;
            }
            record.bad += if matches!(execution.end, RunEnd::Died | RunEnd::Timeout { .. }) { 8 } else { 1 };
            let weight = &mut self.weights[callable.index()];
            *weight = weight.min(trust(*record));
            let way = match &execution.end {
                // The method; what it was asked for changes from run to run.
                RunEnd::Refused { what, .. } => format!("refused {}", what.split(' ').next().unwrap_or(what)),
                RunEnd::Exhausted { what, .. } => format!("exhausted ({what})"),
                RunEnd::Budget { .. } => "it took more steps than a test may (an endless loop?)".into(),
                RunEnd::Timeout { .. } => "it took longer than a test may".into(),
                RunEnd::Died => "the JVM died".into(),
                RunEnd::Illegal { why, .. } => why.clone(),
                RunEnd::Completed | RunEnd::Threw { .. } | RunEnd::Unrun => reason.into(),
            };
            let Some(method) = self.model.callable(callable).method() else { return Some(reason) };
            let ways = self.spoilt.entry(method.clone()).or_default();
            if ways.len() < MOST_WAYS || ways.contains_key(&way) {
                *ways.entry(way).or_default() += 1;
            }
        }
        Some(reason)
    }

    /// Learns which methods a callable leads into, from tests that call at most two of those under test.
    fn note_reach(&mut self, test: &TestCase, execution: &Execution, calls: &[(MethodId, Called)]) {
        for &(method, _) in calls {
            self.entered[method.0 as usize] = true;
        }
        let mut entered: Vec<MethodId> = Vec::new();
        let lines = execution.lines.iter().filter_map(|&slot| self.goals.method_of_line(slot));
        let branches = execution.branches.iter().filter_map(|&(slot, _)| self.goals.method_of_branch(slot));
        for method in lines.chain(branches) {
            if entered.last() != Some(&method) {
                entered.push(method);
            }
        }
        let mut learnt = false;
        for &method in &entered {
            let known = &mut self.entered[method.0 as usize];
            learnt |= !*known;
            *known = true;
        }
        if learnt {
            self.targets_changed = true;
        }
        if calls.len() > 2 && !learnt {
            return;
        }
        for statement in &test.statements {
            if let StatementKind::Construct { constructor: method, .. } | StatementKind::Call { method, .. } = &statement.kind
                && let Some(callable) = self.methods_under_test.get(method)
            {
                self.reaches[callable.index()].extend(&entered);
            }
        }
    }

    /// Puts the goals that the execution covers into `self.covered`.
    fn collect_covered(&mut self, test: &TestCase, execution: &Execution, calls: &[(MethodId, Called)]) {
        self.covered.clear();
        self.goals.static_covered(execution, calls, &mut self.covered);
        let under_test = &self.methods_under_test;
        self.goals.discover_shown(test, execution, |method| under_test.contains_key(method), &mut self.covered);
        self.covered.sort_unstable();
        self.covered.dedup();
    }

    /// Archives the test where it is the best; true when a goal is new.
    fn keep(&mut self, test: &Arc<TestCase>, execution: &Execution, origin: Origin) -> bool {
        let kept = Kept::new(test.clone(), execution.end.clone(), self.executions);
        let mut shared: Option<Arc<Kept>> = None;
        let mut new = 0;
        for &goal in &self.covered {
            if !self.archive.wants(goal, kept.badness) {
                continue;
            }
            let shared = shared.get_or_insert_with(|| Arc::new(kept.clone()));
            if self.archive.keep(goal, shared) {
                new += 1;
                if goal.index() < self.goals.static_goals() {
                    self.targets_changed = true;
                    self.closest[goal.index()] = None;
                }
            }
        }
        if new > 0 {
            *self.gains.entry(origin).or_default() += new;
        }
        new > 0
    }

    /// Remembers the test where it is the nearest to an uncovered goal; true when one got nearer.
    fn note_distances(&mut self, test: &Arc<TestCase>) -> bool {
        let mut nearer = false;
        for &goal in &self.targets {
            if self.archive.is_covered(goal) || !self.goals.method_of(goal).is_some_and(|method| self.reached.entered(method)) {
                continue;
            }
            let memo = &mut self.group_fitness[self.goals.approach_group(goal) as usize];
            if memo.0 != self.executions {
                *memo = (self.executions, self.goals.fitness(goal, &self.reached));
            }
            let fitness = memo.1;
            match &mut self.closest[goal.index()] {
                none @ None => {
                    nearer = true;
                    *none = Some(Closest { fitness, test: test.clone(), offered: 0, sessions: 0 });
                }
                Some(closest) if fitness < closest.fitness => {
                    nearer = true;
                    *closest = Closest { fitness, test: test.clone(), offered: closest.offered / 2, sessions: 0 };
                }
                // The same distance: another test now and then, so that what is stuck is tried from elsewhere.
                Some(closest)
                    if fitness == closest.fitness && (test.len() < closest.test.len() || self.rng.random_ratio(1, 64)) =>
                {
                    closest.test = test.clone();
                    closest.sessions = closest.sessions.saturating_sub(1);
                }
                Some(_) => {}
            }
        }
        nearer
    }

    /// Uncovered goals whose parents in the control dependence are covered, and the objectives among them.
    fn refresh_targets(&mut self) {
        if !std::mem::take(&mut self.targets_changed) {
            return;
        }
        let mut pending: Vec<GoalId> = self.goals.roots().to_vec();
        let mut visited = vec![false; self.goals.static_goals()];
        self.targets.clear();
        while let Some(goal) = pending.pop() {
            if std::mem::replace(&mut visited[goal.index()], true) {
                continue;
            }
            if self.archive.is_covered(goal) {
                pending.extend(self.goals.children(goal));
            } else {
                self.targets.push(goal);
            }
        }
        self.targets.sort_unstable();
        // A method that nothing entered gives no direction: the weights of the callables take care of it.
        let mut groups = HashSet::new();
        let mut objectives: Vec<GoalId> = self
            .targets
            .iter()
            .copied()
            .filter(|&goal| self.goals.method_of(goal).is_some_and(|method| self.entered[method.0 as usize]))
            .filter(|&goal| groups.insert(self.goals.approach_group(goal)))
            .collect();
        if objectives.len() > OBJECTIVES {
            let nearness = |goal: &GoalId| self.closest[goal.index()].as_ref().map_or(f64::INFINITY, |closest| closest.fitness);
            objectives.sort_by(|left, right| nearness(left).total_cmp(&nearness(right)).then(left.cmp(right)));
            objectives.truncate(OBJECTIVES);
            objectives.sort_unstable();
        }
        if objectives != self.objectives {
            self.objectives = objectives;
            self.round += 1;
        }
    }

    /// The next generation.
    fn select(&mut self) {
        let mut all = std::mem::take(&mut self.population);
        all.append(&mut self.offspring);
        for individual in &mut all {
            if individual.round == self.round && individual.fitness.len() == self.objectives.len() {
                continue;
            }
            self.reached.load(&self.goals, &individual.branches, &individual.lines, &individual.calls);
            individual.fitness.clear();
            individual.fitness.extend(self.objectives.iter().map(|&goal| self.goals.fitness(goal, &self.reached)));
            individual.round = self.round;
        }
        let fitness: Vec<&[f64]> = all.iter().map(|individual| &individual.fitness[..]).collect();
        let length: Vec<u32> = all.iter().map(|individual| individual.test.len() as u32).collect();
        let mut order = selection::select(&fitness, &length, self.config.population);
        order.truncate(self.config.population.max(OBJECTIVES));
        let mut slots: Vec<Option<Individual>> = all.into_iter().map(Some).collect();
        self.population = order.into_iter().filter_map(|index| slots[index].take()).take(self.config.population).collect();
    }

    /// Callables that lead to uncovered goals get weight, those that spoil runs lose it.
    fn weigh(&mut self) {
        let mut open = vec![0u32; self.goals.methods().len()];
        for index in 0..self.goals.static_goals() as u32 {
            if !self.archive.is_covered(GoalId(index))
                && let Some(method) = self.goals.method_of(GoalId(index))
            {
                open[method.0 as usize] += 1;
            }
        }
        let under_test: Vec<CallableId> = self.model.under_test().to_vec();
        for callable in under_test {
            let own = self.model.callable(callable).method().and_then(|method| self.goals.method_id(method));
            let own = own.map_or(0, |method| open[method.0 as usize]);
            let reached: u32 = self.reaches[callable.index()].iter().map(|method| open[method.0 as usize]).sum();
            let record = &mut self.records[callable.index()];
            record.open = own.max(reached);
            let record = *record;
            let wanted = 0.3 + (record.open as f32).sqrt();
            self.weights[callable.index()] = wanted * trust(record);
        }
        for index in 0..self.model.callables() {
            if !self.model.under_test().contains(&CallableId(index as u32)) {
                self.weights[index] = trust(self.records[index]);
            }
        }
    }

    /// Nothing new for long: the better half stays, the rest is made from nothing.
    fn restart(&mut self) {
        self.last_restart = self.executions;
        self.population.truncate(self.config.population / 2);
        self.fresh = self.config.population;
    }

    /// A candidate from outside, asked for next. Illegal ones are refused.
    pub fn inject(&mut self, test: TestCase, origin: Origin) -> Result<(), Invalid> {
        check(&test, &*self.types)?;
        self.known.remove(&test.canonical_hash());
        for statement in &test.statements {
            if let StatementKind::Literal(literal) = &statement.kind {
                self.pool.seed(literal.clone());
            }
        }
        self.injected.push_back((test, origin));
        Ok(())
    }

    /// A test case with holes, filled by chance and asked for next; `None` where nothing is left of it.
    pub fn rebuild(&mut self, life: &CarvedSequence) -> Option<TestCase> {
        let types = Arc::clone(&self.types);
        let test = self.grower(|mut grower| {
            let mut map: Vec<Option<VarId>> = Vec::with_capacity(life.test.len());
            for (index, statement) in life.test.statements.iter().enumerate() {
                let is_hole = life.holes.contains(&VarId(index as u32));
                map.push(if is_hole { None } else { grower.take_over(statement, &life.test, &map, &*types) });
            }
            grower.finish()
        });
        (!test.is_empty() && self.inject(test.clone(), Origin::Seed).is_ok()).then_some(test)
    }

    /// Candidates from outside that were not asked for yet.
    pub(crate) fn waiting(&self) -> usize {
        self.injected.len()
    }

    /// Leaves out goals that tests cover which are there already.
    pub(crate) fn settle(&mut self, goals: impl IntoIterator<Item = GoalId>) {
        for goal in goals {
            self.goals.settle(goal);
            self.archive.settle(goal);
        }
        self.goals.settle_methods();
        self.targets_changed = true;
    }

    /// A literal worth trying in places of its type: a string of a trace, a number of a model that could not be used whole.
    pub(crate) fn seed(&mut self, literal: Literal) {
        self.pool.seed(literal);
    }

    /// Up to `count` tests that reach the jump of an uncovered branch (or come nearest to it), each with the branch; those seldom given first.
    pub fn interesting_for_solving(&mut self, count: usize) -> Vec<SolvingCandidate> {
        self.refresh_targets();
        let mut order: Vec<(u32, f64, GoalId)> = self
            .nearest()
            .filter(|(goal, _)| self.goals.has_distance(*goal))
            .map(|(goal, closest)| (closest.offered, closest.fitness, goal))
            .collect();
        order.sort_by(|left, right| left.0.cmp(&right.0).then(left.1.total_cmp(&right.1)).then(left.2.cmp(&right.2)));
        order.truncate(count);
        order
            .into_iter()
            .filter_map(|(_, fitness, goal)| {
                let Goal::Branch { slot, .. } = *self.goals.goal(goal) else { return None };
                let closest = self.closest[goal.index()].as_mut()?;
                closest.offered += 1;
                let mut test = (*closest.test).clone();
                // Each literal is one variable of the solver: arguments that happen to be equal need not stay so.
                test.unshare_literals(2 * self.config.max_statements);
                Some(SolvingCandidate { goal, slot, test, fitness })
            })
            .collect()
    }

    pub fn archive(&self) -> &Archive {
        &self.archive
    }

    pub fn goals(&self) -> &Goals {
        &self.goals
    }

    pub fn model(&self) -> &Model {
        &self.model
    }

    /// All static goals are covered.
    pub fn is_done(&self) -> bool {
        self.goals.static_goals() > 0
            && self.goals.iter().take(self.goals.static_goals()).all(|(goal, _)| self.archive.is_covered(goal))
    }

    /// How runs ended in a call of this method so that they make no test, the most frequent way first; `None` when none did.
    pub fn why_spoilt(&self, method: &MethodRef) -> Option<Vec<(&str, u32)>> {
        let mut ways: Vec<(&str, u32)> = self.spoilt.get(method)?.iter().map(|(way, runs)| (way.as_str(), *runs)).collect();
        ways.sort_by_key(|(_, runs)| std::cmp::Reverse(*runs));
        Some(ways)
    }

    /// Executions since a goal was covered or a distance fell.
    pub(crate) fn stagnation(&self) -> u64 {
        self.executions - self.last_gain
    }

    /// Newly covered goals of candidates that came from there.
    pub(crate) fn gained(&self, origin: Origin) -> u64 {
        self.gains.get(&origin).copied().unwrap_or(0)
    }

    pub fn progress(&self) -> Progress {
        let mut progress = Progress {
            executions: self.executions,
            stagnation: self.stagnation(),
            discarded: self.discarded.clone(),
            gains: self.gains.clone(),
            ..Progress::default()
        };
        for (id, goal) in self.goals.iter() {
            let covered = usize::from(self.archive.is_covered(id));
            let place = match goal {
                Goal::Branch { .. } => &mut progress.branches,
                Goal::Line { .. } => &mut progress.lines,
                Goal::Method { normal: true, .. } => &mut progress.methods,
                Goal::Method { .. } => continue,
                Goal::Exception { .. } | Goal::Output { .. } | Goal::Input { .. } => {
                    progress.discovered += covered;
                    continue;
                }
            };
            place.0 += covered;
            place.1 += 1;
        }
        progress
    }
}

/// Falls from 1 with the share of runs spoilt; a callable that only spoils is hardly tried.
fn trust(record: Record) -> f32 {
    if record.bad == 0 {
        return 1.0;
    }
    let good = record.runs.saturating_sub(record.bad) as f32;
    ((good + 1.0) / (record.runs.max(record.bad) as f32 + 1.0)).max(0.01)
}

/// What of a test can be kept: a statement that throws ends it, and where no code under test threw, that statement goes too.
fn cut(test: &TestCase, end: &RunEnd) -> Arc<TestCase> {
    let mut kept = test.clone();
    if let RunEnd::Threw { statement, thrown } = end {
        kept.truncate(*statement as usize + usize::from(thrown.in_project));
        kept.remove_unused_values();
    }
    Arc::new(kept)
}
