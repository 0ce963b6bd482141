//! Renders the tests of a class as a test file, compiles it, and runs it in verifying JVMs.
//!
//! Flows in: tests with assertions. Flows out: the rendered file, the tests that do not compile,
//! and the outcomes of the others. Must not know which tests are kept. A workshop borrows nothing,
//! so that a thread beside the search can own one. Every wait ends at a deadline.

use super::background::Background;
use super::compiler::{COMPILE_LIMIT, CompilerService};
use super::context::Context;
use super::target::Target;
use crate::config::{JunitVersion, Parameterized};
use crate::conventions::{self, FileLayout};
use crate::emit::{self, Rendered};
use crate::jvm::{
    Compiler, Diagnostic, DiagnosticKind, JunitEnd, JunitJvm, JunitOutcome, JunitPool, JunitWorker, JvmError, Surroundings,
};
use crate::oracle::AssertedTest;
use crate::program::{ClassName, Program};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};
use std::time::{Duration, Instant};

/// The environment of one verifying JVM.
pub(super) struct Environment {
    order_seed: u64,
    /// `-ea`.
    pub(super) assertions: bool,
    /// Position among the surroundings of the class.
    surroundings: usize,
}

/// A test that fails in each environment is failing; one that fails in some is flaky. Where time is
/// short, tests run in the first one alone. Its surroundings are those that no observer had.
pub(super) const ENVIRONMENTS: [Environment; 3] = [
    Environment { order_seed: 2, assertions: true, surroundings: 2 },
    Environment { order_seed: 1, assertions: false, surroundings: 1 },
    Environment { order_seed: 0, assertions: true, surroundings: 0 },
];
/// Time limit of one test.
const TEST_LIMIT: Duration = Duration::from_secs(5);
/// The pause between two attempts to get the compiler from another thread.
const LOCK_PAUSE: Duration = Duration::from_millis(5);
/// With a budget of steps, time limits of runs are longer by this factor: even on a busy machine, only
/// a test that hangs may reach them.
const STEPPED_PATIENCE: u32 = 6;

/// Renders, compiles and runs the tests of one class.
#[derive(Clone, Debug)]
pub(super) struct Workshop {
    program: Arc<Program>,
    class: ClassName,
    options: emit::Options,
    /// `--parameterized`.
    wants_tables: bool,
    /// Class path of the code under test and of JUnit, for the compiler.
    class_path: Vec<PathBuf>,
    /// A verifying JVM, without the values that differ between environments.
    jvm: JunitJvm,
    /// JVMs that ran the tests of other classes. Where steps are counted, each run gets a new one.
    pool: Option<Arc<JunitPool>>,
    /// Factor of the time limits of runs.
    patience: u32,
    compiler: Arc<Mutex<CompilerService>>,
    /// Machines and users that verifying JVMs see, by [`Environment::surroundings`].
    surroundings: [Surroundings; 3],
}

impl Workshop {
    /// The workshop of a class. `number` is that of the test file among the files of the class;
    /// `change` names the change that the tests are limited to.
    pub(super) fn new(
        context: &Context<'_>,
        target: &Target,
        compiler: &Arc<Mutex<CompilerService>>,
        number: u32,
        change: Option<String>,
    ) -> Workshop {
        let file = emit::test_file(target.name(), target.test_package(), number);
        Workshop {
            program: Arc::clone(&context.program),
            class: target.name().clone(),
            options: emit::Options {
                junit: match context.config.junit {
                    JunitVersion::Four => emit::JUnit::Four,
                    JunitVersion::Five => emit::JUnit::Five,
                },
                release: target.release(),
                seed: context.config.seed,
                package: target.test_package().to_owned(),
                number,
                change,
                layout: conventions::layout_for(&context.config.out.join(file)),
                public: context.manners.has_public_classes,
                style: context.assertion_style(),
            },
            wants_tables: context.config.parameterized == Parameterized::On,
            class_path: context.test_class_path(),
            jvm: JunitJvm {
                jdk: context.jdk.clone(),
                agent_library: Some(context.installation.agent.clone()),
                java_agent: context.mocking_agent.clone().filter(|_| target.cluster().has_mocks()),
                requests: target.cluster().has_requests(),
                classes: context.temporary.join(format!("verify-{}", target.name().binary())),
                classpath: context.config.classpath.clone(),
                own: context.own_entries.clone(),
                archives: context.archives.clone(),
                junit: context.junit_path(),
                order_seed: 0,
                assertions: true,
                surroundings: Surroundings::default(),
                temporary: context.temporary.to_path_buf(),
                allow: context.allowed(),
            },
            pool: (!context.config.budget.counts_steps()).then(|| Arc::clone(&context.verifying_jvms)),
            patience: if context.config.budget.counts_steps() { STEPPED_PATIENCE } else { 1 },
            compiler: Arc::clone(compiler),
            surroundings: target.surroundings().clone(),
        }
    }

    /// The layout that the project wants for the file.
    pub(super) fn layout(&self) -> &FileLayout {
        &self.options.layout
    }

    /// The source of a file with these tests.
    pub(super) fn render(&self, tests: &[AssertedTest]) -> Rendered {
        emit::render(&self.program, &self.class, tests, &self.options)
    }

    /// The source of a file with these tests, in which tests of one shape are rows of parameterized
    /// tests, except for those that have to be `single`.
    pub(super) fn render_tables(&self, tests: &[AssertedTest], single: &BTreeSet<usize>) -> Rendered {
        emit::render_tables(&self.program, &self.class, tests, &self.options, single)
    }

    /// Whether the file may have parameterized tests: they are wanted, and the tests of the project
    /// are compiled with them. A class path without JUnit Jupiter says nothing about that.
    pub(super) fn may_have_tables(&self) -> bool {
        let has = |class: &str| self.program.class(&ClassName::new(class)).is_some();
        let is_compiled_with = has("org/junit/jupiter/params/ParameterizedTest") || !has("org/junit/jupiter/api/Test");
        self.wants_tables && self.options.junit == emit::JUnit::Five && is_compiled_with
    }

    fn jvm_of(&self, environment: &Environment) -> JunitJvm {
        JunitJvm {
            order_seed: environment.order_seed,
            assertions: environment.assertions,
            surroundings: self.surroundings[environment.surroundings].clone(),
            ..self.jvm.clone()
        }
    }

    /// Whether JVMs wait that can verify the class in these environments and have loaded what that needs.
    pub(super) fn has_waiting_verifiers(&self, environments: &[Environment]) -> bool {
        let waits = |environment| self.pool.as_ref().is_some_and(|pool| pool.has(&self.jvm_of(environment)));
        environments.iter().all(waits)
    }

    /// Starts a JVM for each environment in the background. Their compiled tests lie in a folder of
    /// the class whose name ends with `folder`.
    pub(super) fn start_verifiers(&self, folder: &str, environments: &'static [Environment]) -> Verifiers {
        let mut classes = self.jvm.classes.clone().into_os_string();
        classes.push("-");
        classes.push(folder);
        let folder = PathBuf::from(classes);
        let groups = vec![self.start_jvms(&folder, environments)];
        Verifiers { folder, groups, pool: self.pool.clone(), patience: self.patience }
    }

    /// Adds JVMs for further environments.
    pub(super) fn start_further(&self, verifiers: &mut Verifiers, environments: &'static [Environment]) {
        if !environments.is_empty() {
            verifiers.groups.push(self.start_jvms(&verifiers.folder, environments));
        }
    }

    fn start_jvms(&self, folder: &Path, environments: &'static [Environment]) -> VerifierGroup {
        let jvm = |environment| JunitJvm { classes: folder.to_path_buf(), ..self.jvm_of(environment) };
        let jvms: Vec<JunitJvm> = environments.iter().map(jvm).collect();
        let pool = self.pool.clone();
        let take = move |jvm: &JunitJvm| match &pool {
            Some(pool) => pool.take(jvm),
            None => JunitWorker::start(jvm),
        };
        VerifierGroup::Starting(Background::start("the start of JUnit", move || jvms.iter().map(take).collect()))
    }

    /// The compiler service; waits until the deadline where another thread compiles.
    fn lock_compiler(&self, deadline: Option<Instant>) -> Result<MutexGuard<'_, CompilerService>, JvmError> {
        let Some(deadline) = deadline else { return Ok(self.compiler.lock().unwrap_or_else(PoisonError::into_inner)) };
        loop {
            match self.compiler.try_lock() {
                Ok(service) => return Ok(service),
                Err(TryLockError::Poisoned(service)) => return Ok(service.into_inner()),
                Err(TryLockError::WouldBlock) if Instant::now() >= deadline => return Err(JvmError::Late),
                Err(TryLockError::WouldBlock) => std::thread::sleep(LOCK_PAUSE),
            }
        }
    }

    /// Compiles a source until the deadline, if there is one, and returns the errors of javac. The
    /// path of the source is relative to the output folder.
    ///
    /// Fails where the compiler cannot be started or gives no answer.
    pub(super) fn compile_source(
        &self,
        path: String,
        source: String,
        folder: &Path,
        deadline: Option<Instant>,
    ) -> Result<Vec<Diagnostic>, JvmError> {
        let mut service = self.lock_compiler(deadline)?;
        let compiler: &mut Compiler = service.get(deadline)?;
        let left = deadline.map_or(COMPILE_LIMIT, |deadline| deadline.saturating_duration_since(Instant::now()));
        let sources = [(path, source)];
        let mut diagnostics =
            compiler.compile(&sources, &self.class_path, self.options.release, folder, left.min(COMPILE_LIMIT))?;
        diagnostics.retain(|diagnostic| diagnostic.kind == DiagnosticKind::Error);
        Ok(diagnostics)
    }

    /// Compiles the file and returns the positions of the tests that do not compile, each with the
    /// first message of javac about it; errors as [`Workshop::compile_source`].
    pub(super) fn compile(
        &self,
        rendered: &Rendered,
        folder: &Path,
        deadline: Option<Instant>,
    ) -> Result<BTreeMap<usize, String>, JvmError> {
        let errors = self.compile_source(source_path(rendered), rendered.source.clone(), folder, deadline)?;
        let mut rejected = BTreeMap::new();
        for error in &errors {
            let message = error.message.lines().map(str::trim).collect::<Vec<&str>>().join(" ");
            let source = rendered.source.lines().nth(error.line.saturating_sub(1) as usize).unwrap_or_default().trim();
            tracing::warn!(file = error.file, line = error.line, source, "generated source does not compile: {}", error.message);
            for position in tests_with_error(rendered, error.line) {
                rejected.entry(position).or_insert_with(|| message.clone());
            }
        }
        Ok(rejected)
    }
}

/// The verifying JVMs of one round. They load JUnit while the tests are still being finished.
#[derive(Debug)]
pub(super) struct Verifiers {
    /// Folder of the compiled tests.
    folder: PathBuf,
    groups: Vec<VerifierGroup>,
    /// Gets the JVMs that can run other tests.
    pool: Option<Arc<JunitPool>>,
    /// Factor of the time limits.
    patience: u32,
}

/// JVMs that were started together.
#[derive(Debug)]
enum VerifierGroup {
    Starting(Background<Result<Vec<JunitWorker>, JvmError>>),
    Started(Result<Vec<JunitWorker>, JvmError>),
}

impl VerifierGroup {
    /// Takes over the JVMs if they have started.
    fn poll(&mut self) {
        if let VerifierGroup::Starting(starting) = self
            && starting.is_finished()
        {
            let started = starting.wait(None).map_err(|missing| starting.error(missing));
            *self = VerifierGroup::Started(started.and_then(|(workers, _)| workers));
        }
    }

    /// Whether all of them have loaded all that tests need.
    fn has_loaded(&mut self) -> bool {
        self.poll();
        let VerifierGroup::Started(Ok(workers)) = self else { return false };
        workers.iter_mut().all(JunitWorker::has_loaded)
    }

    /// The JVMs; waits for their start until then.
    fn wait(self, until: Instant) -> Result<Vec<JunitWorker>, JvmError> {
        match self {
            VerifierGroup::Starting(starting) => starting.wait(Some(until)).map_err(|missing| starting.error(missing))?.0,
            VerifierGroup::Started(started) => started,
        }
    }
}

impl Verifiers {
    /// How many of the first JVMs have loaded all that tests need.
    pub(super) fn loaded(&mut self) -> usize {
        self.groups.iter_mut().for_each(VerifierGroup::poll);
        let mut loaded = 0;
        for group in &mut self.groups {
            let VerifierGroup::Started(Ok(workers)) = group else { break };
            let ready = workers.iter_mut().map(JunitWorker::has_loaded).take_while(|has_loaded| *has_loaded).count();
            loaded += ready;
            if ready < workers.len() {
                break;
            }
        }
        loaded
    }

    /// Whether some have not loaded all yet.
    pub(super) fn are_loading(&mut self) -> bool {
        !self.groups.iter_mut().all(VerifierGroup::has_loaded)
    }

    /// Folder of the compiled tests.
    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Leaves the JVMs to other classes.
    pub(super) fn release(self) {
        let started = self.groups.into_iter().filter_map(|group| group.wait(Instant::now()).ok()).flatten();
        if let Some(pool) = &self.pool {
            started.for_each(|worker| pool.put(worker));
        }
    }

    /// Runs the test class in the first `most` JVMs at once. Each may take `timeout`, or a multiple of
    /// it with a budget of steps.
    ///
    /// Fails where a JVM did not start.
    pub(super) fn run(self, class: &str, timeout: Duration, most: usize) -> Result<Vec<JunitOutcome>, JvmError> {
        let (timeout, test_timeout) = (timeout * self.patience, TEST_LIMIT * self.patience);
        let begin = Instant::now();
        let until = begin + timeout;
        let started: Result<Vec<_>, JvmError> = self.groups.into_iter().map(|group| group.wait(until)).collect();
        let workers = started?.into_iter().flatten();
        let classes = [class.to_owned()];
        let keep = |worker| {
            if let Some(pool) = &self.pool {
                pool.put(worker);
            }
        };
        let run = |worker: JunitWorker| {
            let left = || until.saturating_duration_since(Instant::now());
            let used = (!worker.is_new()).then(|| worker.settings().clone());
            let ran = worker.run(&classes, left(), test_timeout);
            // What fails beside the traces of other tests may pass without them.
            let is_clean = ran.as_ref().is_ok_and(|(outcome, _)| outcome.is_clean());
            let ran = match used.filter(|_| !is_clean && left() >= timeout / 2) {
                Some(settings) => {
                    let again = JunitWorker::start(&settings)?.run(&classes, left(), test_timeout);
                    let is_whole = again.as_ref().is_ok_and(|(outcome, _)| outcome.end == JunitEnd::Completed);
                    if is_whole { again } else { ran }
                }
                None => ran,
            };
            ran.map(|(outcome, worker)| {
                worker.into_iter().for_each(keep);
                outcome
            })
        };
        let outcomes: Vec<Result<JunitOutcome, JvmError>> = std::thread::scope(|scope| {
            let mut workers = workers;
            let handles: Vec<_> = workers.by_ref().take(most).map(|worker| scope.spawn(|| run(worker))).collect();
            workers.for_each(keep);
            handles
                .into_iter()
                .map(|handle| handle.join().unwrap_or_else(|_| Err(JvmError::Start("a verifying run panicked".into()))))
                .collect()
        });
        outcomes.into_iter().collect()
    }
}

/// Path of the file relative to the output folder, as the compiler wants it.
fn source_path(rendered: &Rendered) -> String {
    let package = rendered.class.package();
    if package.is_empty() { rendered.file_name.clone() } else { format!("{package}/{}", rendered.file_name) }
}

/// Positions of the tests that an error in the line makes uncompilable. An error outside every test is
/// that of an import: it rejects the tests that use the imported name, or all where none does.
fn tests_with_error(rendered: &Rendered, line: u32) -> BTreeSet<usize> {
    if let Some(position) = rendered.tests.iter().position(|test| (test.lines.0..=test.lines.1).contains(&line)) {
        return BTreeSet::from([position]);
    }
    let users = tests_using_import(rendered, line);
    if users.is_empty() { (0..rendered.tests.len()).collect() } else { users }
}

/// Positions of the tests that use the name that the line of the rendered file imports.
fn tests_using_import(rendered: &Rendered, line: u32) -> BTreeSet<usize> {
    let lines: Vec<&str> = rendered.source.lines().collect();
    let line_at = |number: u32| lines.get(number.saturating_sub(1) as usize).copied().unwrap_or_default();
    let imported = line_at(line).strip_prefix("import ").and_then(|import| import.trim_end_matches(';').rsplit('.').next());
    let Some(imported) = imported else { return BTreeSet::new() };
    let is_part_of_name = |unit: char| unit.is_alphanumeric() || unit == '_' || unit == '$';
    let uses_name = |line: &str| line.split(|unit: char| !is_part_of_name(unit)).any(|word| word == imported);
    let tests = rendered.tests.iter().enumerate();
    tests
        .filter(|(_, test)| (test.lines.0..=test.lines.1).any(|number| uses_name(line_at(number))))
        .map(|(position, _)| position)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_rejects_its_test_or_the_users_of_the_import() {
        let source = "package p;\n\nimport q.Gone;\n\nclass T {\n    void a() {\n        Gone.x();\n    }\n    void b() {\n        Goner.x();\n    }\n}\n";
        let test = |index, method: &str, lines| emit::RenderedTest { rows: vec![index], method: method.into(), lines };
        let rendered = Rendered {
            class: crate::program::ClassName::new("p/T"),
            file_name: "T.java".into(),
            source: source.into(),
            tests: vec![test(0, "a", (6, 8)), test(1, "b", (9, 11))],
            unprintable: Vec::new(),
        };
        let positions = [3, 5, 10].map(|line| tests_with_error(&rendered, line));
        assert_eq!(positions, [BTreeSet::from([0]), BTreeSet::from([0, 1]), BTreeSet::from([1])]);
    }
}
