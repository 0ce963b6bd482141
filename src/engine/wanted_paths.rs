//! Tests for the paths that somebody asks for (`--path`).
//!
//! Flows in: the asked paths, tests of the search. Flows out: an answer for each path, and the path that each asserted
//! test takes. Must not know how a path is followed, nor how tests are finished.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Instant;

use super::asked_paths::AskedPath;
use super::background::Background;
use super::concolic::follow::{PathAnswer, PathQuestion};
use super::context::Context;
use super::error::EngineError;
use super::filled_arrays::cell;
use super::scheduling::{QUERY_TIME, SymbolicSetup};
use super::symbolic_thread::REPLAY_STACK;
use super::target::Target;
use super::time_budget::TimeBudget;
use super::workers::worker_config;
use crate::execution::MutantId;
use crate::jvm::{JvmError, ProbeMode, WorkerConfig};
use crate::oracle::{AssertedTest, MutantOutcome};
use crate::program::{MethodRef, Program};
use crate::report::{PathOutcome, PathReport};
use crate::search::Search;
use crate::testcase::{Statement, StatementKind, TestCase, TestHash, VarId};

/// Tests of the search that one path begins with, at most.
const MOST_SEEDS: usize = 120;
/// How often a path is taken up.
const MOST_ROUNDS: usize = 3;
/// Tests whose arrays are made longer and shorter, and cells of such an array, at most.
const MOST_LENGTHENED: usize = 4;
const LONGEST_ARRAY: u8 = 5;

/// The tests to start from, by method.
type Seeds = BTreeMap<MethodRef, Vec<TestCase>>;

/// The paths of a class with their answers.
pub(super) struct AnsweredPaths<'a> {
    context: &'a Context<'a>,
    target: &'a Target,
    paths: Arc<Vec<AskedPath>>,
    answers: Vec<PathAnswer>,
    /// The path of each test that takes one, by its hash without inspectors.
    taken: BTreeMap<TestHash, usize>,
    /// The number of the first path among the mutants of the class, behind which all mutants have theirs.
    first: u32,
}

impl<'a> AnsweredPaths<'a> {
    /// Looks for tests; `None` where no path of the class is asked for. `mutants`: number of mutants of the class.
    ///
    /// [`EngineError::Fault`] where a JVM cannot be kept running.
    pub(super) fn find(
        context: &'a Context<'a>,
        target: &'a Target,
        search: &Search,
        budget: &TimeBudget,
        mutants: usize,
    ) -> Result<Option<AnsweredPaths<'a>>, EngineError> {
        let Some(paths) = context.paths.get(target.name()).map(Arc::clone) else { return Ok(None) };
        let methods: BTreeSet<&MethodRef> = paths.iter().map(|path| &path.method).collect();
        let seeds: Seeds = methods.into_iter().map(|method| (method.clone(), seeds_for(method, search))).collect();
        let (asked, until, steps) = (Arc::clone(&paths), budget.search_deadline(), budget.steps_left());
        let program = Arc::clone(&context.program);
        let setup = setup_for(context, target, until, steps.is_some());
        let answers = in_thread(setup, move |setup| follow_all(setup, &program, (&asked, &seeds), until, steps));
        let answers = answers.map_err(EngineError::fault)?;
        let first = mutants as u32 + 1;
        Ok(Some(AnsweredPaths { context, target, paths, answers, taken: BTreeMap::new(), first }))
    }

    /// The tests that take a path, each once.
    pub(super) fn tests(&self) -> Vec<TestCase> {
        let mut seen = BTreeSet::new();
        let taken = self.answers.iter().filter_map(|answer| match answer {
            PathAnswer::Taken(test) => Some(test.clone()),
            _ => None,
        });
        taken.filter(|test| seen.insert(test.canonical_hash())).collect()
    }

    /// Which path each of the tests takes, as the number of a mutant that it kills. A path that another test takes
    /// already comes last.
    ///
    /// Fails where a JVM cannot be kept running.
    pub(super) fn outcomes(&mut self, tests: &[AssertedTest]) -> Result<Vec<Option<(MutantId, MutantOutcome)>>, JvmError> {
        let cases: Vec<TestCase> = tests.iter().map(acted_case).collect();
        let asked = Arc::clone(&self.paths);
        let setup = setup_for(self.context, self.target, None, true);
        let taken = in_thread(setup, move |setup| {
            let mut concolic = setup.start()?;
            let methods: BTreeSet<&MethodRef> = asked.iter().map(|path| &path.method).collect();
            let mut taken_by = |case: &TestCase| {
                let mut taken = Vec::new();
                for method in &methods {
                    let Some(run) = concolic.path_through(method, case)? else { continue };
                    let of_method = asked.iter().enumerate().filter(|(_, path)| path.method == **method);
                    taken.extend(of_method.filter(|(_, path)| path.guide.is_passed_by(&run)).map(|(place, _)| place));
                }
                Ok(taken)
            };
            cases.iter().map(&mut taken_by).collect::<Result<Vec<Vec<usize>>, JvmError>>()
        })?;
        let mut known: BTreeSet<usize> = BTreeSet::new();
        let mut outcomes = Vec::new();
        for (test, taken) in tests.iter().zip(taken) {
            let path = taken.iter().find(|path| !known.contains(path)).or(taken.first()).copied();
            if let Some(path) = path {
                known.insert(path);
                self.taken.insert(acted_case(test).canonical_hash(), path);
            }
            outcomes.push(path.map(|path| (MutantId(self.first + path as u32), MutantOutcome::KilledByTermination)));
        }
        Ok(outcomes)
    }

    /// The answers, with the names of the tests that were written.
    pub(super) fn reports(&self, written: &[AssertedTest], names: &[String]) -> Vec<PathReport> {
        let test_of = |path: usize| {
            let mut tests = written.iter().zip(names);
            tests
                .find(|(test, _)| self.taken.get(&acted_case(test).canonical_hash()) == Some(&path))
                .map(|(_, name)| name.clone())
        };
        let report = |(place, (path, answer)): (usize, (&AskedPath, &PathAnswer))| {
            let steps = path.guide.len();
            let report = PathReport { path: path.text.clone(), steps, ..PathReport::default() };
            match (answer, test_of(place)) {
                (_, Some(test)) => PathReport { answer: PathOutcome::Taken, test: Some(test), passed: steps, ..report },
                (PathAnswer::Taken(_), None) => {
                    let why = "a run takes it, and no test of that run could be written".to_owned();
                    PathReport { why: Some(why), passed: steps, ..report }
                }
                (PathAnswer::Impossible(why), None) => {
                    PathReport { answer: PathOutcome::Impossible, why: Some(why.clone()), ..report }
                }
                (PathAnswer::NotFound { passed, why, .. }, None) => {
                    PathReport { passed: *passed, why: Some(why.clone()), ..report }
                }
            }
        };
        self.paths.iter().zip(&self.answers).enumerate().map(report).collect()
    }
}

/// Follows all paths, those of one method together. A path that is not settled in its share of the time is taken up
/// again after the others.
fn follow_all(
    setup: &SymbolicSetup,
    program: &Program,
    (asked, seeds): (&[AskedPath], &Seeds),
    until: Option<Instant>,
    steps: Option<u64>,
) -> Result<Vec<PathAnswer>, JvmError> {
    let mut concolic = setup.start()?;
    let mut answers: BTreeMap<usize, PathAnswer> = BTreeMap::new();
    for (method, seeds) in seeds {
        let mut pending: Vec<usize> = (0..asked.len()).filter(|place| asked[*place].method == *method).collect();
        let (of_method, unknown) = (pending.len() as u32, (asked.len() - answers.len()) as u32);
        let begin = Instant::now();
        let end = until.map(|until| begin + until.saturating_duration_since(begin) * of_method / unknown);
        let mut runs = concolic.begin_following(method);
        for _ in 0..MOST_ROUNDS {
            let count = pending.len() as u32;
            for (before, place) in std::mem::take(&mut pending).into_iter().enumerate() {
                let (now, left) = (Instant::now(), count - before as u32);
                let until = end.map(|end| now + end.saturating_duration_since(now) / left);
                let quota = steps.map_or(u64::MAX, |steps| steps / u64::from(unknown));
                let question = PathQuestion { program, method, guide: &asked[place].guide, seeds, quota, until };
                let answer = concolic.follow(&question, &mut runs)?;
                if matches!(answer, PathAnswer::NotFound { is_settled: false, .. }) {
                    pending.push(place);
                }
                answers.insert(place, answer);
            }
        }
    }
    Ok(answers.into_values().collect())
}

/// Tests of the archive, those that call the method last and the shortest first.
fn seeds_for(method: &MethodRef, search: &Search) -> Vec<TestCase> {
    let mut seeds: Vec<TestCase> = search.archive().tests().into_iter().map(|(kept, _)| TestCase::clone(&kept.test)).collect();
    seeds.sort_by_cached_key(|test| {
        let ends_with_it = test.target().is_some_and(|(_, last)| last == method);
        let calls_it = test.called_methods().any(|called| called == method);
        (!ends_with_it, !calls_it, test.len(), test.canonical_hash())
    });
    let of_method = seeds.iter().filter(|test| test.target().is_some_and(|(_, last)| last == method));
    let longer: Vec<TestCase> = of_method.take(MOST_LENGTHENED).flat_map(with_longer_arrays).collect();
    // No decision makes an array longer.
    seeds.splice(..0, longer);
    let mut seen = BTreeSet::new();
    seeds.retain(|test| seen.insert(test.canonical_hash()));
    seeds.truncate(MOST_SEEDS);
    seeds
}

/// The test with other lengths of one of its arrays each, whose cells are literals.
fn with_longer_arrays(test: &TestCase) -> Vec<TestCase> {
    let arrays = (0..test.len()).filter(|place| matches!(test.statements[*place].kind, StatementKind::Array { .. }));
    arrays.flat_map(|array| (0..=LONGEST_ARRAY).filter_map(move |count| with_cells(test, array, count))).collect()
}

/// The test with so many literals in the array; `None` where its elements are no numbers, characters or texts.
fn with_cells(test: &TestCase, array: usize, count: u8) -> Option<TestCase> {
    let StatementKind::Array { element, .. } = &test.statements[array].kind else { return None };
    let cells: Option<Vec<Statement>> = (0..count).map(|place| cell(element, place)).collect();
    let mut changed = test.clone();
    for statement in &mut changed.statements[array..] {
        statement.kind.for_each_use_mut(|used| used.0 += if used.index() >= array { u32::from(count) } else { 0 });
    }
    let elements = (array as u32..array as u32 + u32::from(count)).map(VarId).collect();
    let length = u32::from(count);
    changed.statements[array].kind = StatementKind::Array { element: element.clone(), length, elements };
    changed.statements.splice(array..array, cells?);
    changed.remove_unused_values();
    Some(changed)
}

/// The test without its inspectors.
fn acted_case(test: &AssertedTest) -> TestCase {
    let mut case = test.test.clone();
    case.statements.truncate(test.acted as usize);
    case
}

fn setup_for(context: &Context<'_>, target: &Target, deadline: Option<Instant>, counts_steps: bool) -> SymbolicSetup {
    let tracer = WorkerConfig { deadline, ..worker_config(context, target, ProbeMode::Trace) };
    SymbolicSetup::new(context, target.name(), tracer, (!counts_steps).then_some(QUERY_TIME)).for_paths()
}

/// Replays need a thread with a stack of their own.
fn in_thread<T: Send + 'static>(
    setup: SymbolicSetup,
    work: impl FnOnce(&SymbolicSetup) -> Result<T, JvmError> + Send + 'static,
) -> Result<T, JvmError> {
    let thread = Background::start_with_stack("following paths", Some(REPLAY_STACK), move || work(&setup));
    match thread.wait(None) {
        Ok((done, _)) => done,
        Err(missing) => Err(thread.error(missing)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_array_gets_other_lengths() {
        let test = "v0: I = int 7\nv1: [I = array I 1 (v0)\nv2: I = int 3\n\
                    v3: I = call method p/A.f ([II)I (v1, v2)\n";
        let test: TestCase = test.parse().unwrap_or_else(|error| panic!("{error:?}"));
        let longer: Vec<String> = with_longer_arrays(&test).iter().map(TestCase::to_string).collect();
        assert_eq!(longer.len(), usize::from(LONGEST_ARRAY) + 1);
        assert_eq!(longer[0], "v0: [I = array I 0 ()\nv1: I = int 3\nv2: I = call method p/A.f ([II)I (v0, v1)\n");
        let two = "v0: I = int 1\nv1: I = int 2\nv2: [I = array I 2 (v0, v1)\nv3: I = int 3\n\
                   v4: I = call method p/A.f ([II)I (v2, v3)\n";
        assert_eq!(longer[2], two);
    }
}
