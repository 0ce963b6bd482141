//! Two executions of JUnit classes in a JVM without probes in the user's classes; only the guard is
//! active.
//!
//! In: names of compiled test classes. Out: the outcome of each test. The JVM may start before its
//! classes are written: it loads JUnit and waits. A JVM whose tests left nothing behind waits in a
//! pool and runs those of other classes: JUnit and libraries are loaded already, and the user's own
//! classes begin afresh in a class loader of their own. There a test may fail that passes in a new
//! JVM, so that only a run in which all tests pass counts. Must not know how the tests were made.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use tracewright_trace::INTERFACE_VERSION;

use super::archive::{ArchiveKind, ArchiveUse, ClassArchives, UnfinishedArchive};
use super::confine::Confinement;
use super::process::{JvmProcess, Launch, NoFrame, WireFrame, process_folder};
use super::wire::{self, FrameKind, PayloadReader};
use super::{Allow, Jdk, JvmError, Surroundings};
use crate::execution::{FailedAssertion, FoundValue};

/// The configuration of the JVM.
#[derive(Clone, Debug)]
pub struct JunitJvm {
    /// The JDK to run.
    pub jdk: Jdk,
    /// Loaded in guard mode; `None` runs without a guard.
    pub agent_library: Option<PathBuf>,
    /// A jar of the class path that is a Java agent as well (Mockito).
    pub java_agent: Option<PathBuf>,
    /// Tests may send requests to controllers of Spring: what that needs is loaded before there are tests.
    pub requests: bool,
    /// Folder of the test classes. It is created if missing, since the JVM ignores class path
    /// entries that do not exist when it starts.
    pub classes: PathBuf,
    /// Class path of the code under test.
    pub classpath: Vec<PathBuf>,
    /// The entries of it whose classes begin afresh where a JVM has run tests before: those of the user's own code.
    pub own: Vec<PathBuf>,
    /// Archives that the JVM begins with; they belong to the first jar of `junit`.
    pub archives: Option<ClassArchives>,
    /// The console-standalone jar of the JUnit platform, and JUnit 4 where tests need it.
    pub junit: Vec<PathBuf>,
    /// Seed of the order of classes and methods.
    pub order_seed: u64,
    /// Assertions are enabled (`-ea`).
    pub assertions: bool,
    /// What the JVM sees of its machine and its user.
    pub surroundings: Surroundings,
    /// Folder in which the process gets a folder of its own.
    pub temporary: PathBuf,
    /// Operations that the guard permits.
    pub allow: Allow,
}

/// The outcome of one test.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TestOutcome {
    /// The test ended normally.
    Passed,
    /// Class and message of the exception, or the operation that the guard refused.
    Failed(String),
    /// JUnit did not execute the test.
    Skipped,
}

/// How the JVM of a JUnit run ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum JunitEnd {
    /// Every test was executed.
    Completed,
    /// The JVM was killed, since this test exceeded the time limit of one test.
    Hung {
        /// Class and method of the test.
        running: (String, String),
    },
    /// The JVM was killed, since the whole execution exceeded its time limit; no single test is to
    /// blame.
    OutOfTime,
    /// The JVM ended by itself.
    Died {
        /// Class and method of the test in progress, if any.
        running: Option<(String, String)>,
    },
}

/// The outcome of an execution of test classes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JunitOutcome {
    /// By binary class name and method name; the method is empty where a class failed as a whole.
    pub tests: BTreeMap<(String, String), TestOutcome>,
    /// Of parameterized tests that failed, by the same names, the places of the rows that did. A test fails without a
    /// row where it could not begin.
    pub failed_rows: BTreeMap<(String, String), BTreeSet<usize>>,
    /// Assertions that failed, by the same names.
    pub failed_assertions: BTreeMap<(String, String), Vec<FailedAssertion>>,
    /// How the execution ended.
    pub end: JunitEnd,
}

const HEAP_MB: u32 = 512;

/// Runs in one JVM, at most: each leaves classes behind.
const MOST_RUNS: u32 = 50;
/// JVMs that wait, at most; the one that waits longest makes room.
const MOST_WAITING: usize = 8;

impl JunitJvm {
    /// A JVM with assertions for the test classes in a folder that need nothing else. `junit`: the console-standalone
    /// jar. The process gets its folder below `temporary`.
    pub fn of(jdk: &Jdk, junit: &Path, classes: &Path, temporary: &Path) -> JunitJvm {
        JunitJvm {
            jdk: jdk.clone(),
            agent_library: None,
            java_agent: None,
            requests: false,
            classes: classes.to_path_buf(),
            classpath: Vec::new(),
            own: Vec::new(),
            archives: None,
            junit: vec![junit.to_path_buf()],
            order_seed: 0,
            assertions: true,
            surroundings: Surroundings::default(),
            temporary: temporary.to_path_buf(),
            allow: Allow::default(),
        }
    }

    /// How many frameworks it loads besides JUnit.
    fn loads(&self) -> usize {
        usize::from(self.java_agent.is_some()) + usize::from(self.requests)
    }

    /// Whether the JVM of this configuration can run the tests of another one, and loads all that they need.
    fn serves(&self, wanted: &JunitJvm) -> bool {
        // What a JVM has loaded does no harm where it is not needed.
        (wanted.java_agent.is_none() || self.java_agent == wanted.java_agent)
            && (self.requests || !wanted.requests)
            && (self.order_seed, self.assertions, self.allow) == (wanted.order_seed, wanted.assertions, wanted.allow)
            && self.surroundings == wanted.surroundings
            && self.jdk.home == wanted.jdk.home
            && self.agent_library == wanted.agent_library
            && self.classpath == wanted.classpath
            && self.junit == wanted.junit
    }
}

/// JVMs that wait for tests: most of them have run others.
#[derive(Debug, Default)]
pub struct JunitPool(Mutex<Vec<JunitWorker>>);

impl JunitPool {
    /// A JVM for the tests: one that waits, or else a new one.
    ///
    /// # Errors
    /// Those of [`JunitWorker::start`].
    pub fn take(&self, run: &JunitJvm) -> Result<JunitWorker, JvmError> {
        let mut waiting = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let serving = (0..waiting.len()).filter(|place| waiting[*place].jvm.serves(run));
        // One that has loaded more is left to those who need it.
        match serving.min_by_key(|place| waiting[*place].jvm.loads()) {
            Some(place) => {
                let worker = waiting.remove(place);
                let JunitJvm { java_agent, requests, .. } = worker.jvm;
                Ok(JunitWorker { jvm: JunitJvm { java_agent, requests, ..run.clone() }, ..worker })
            }
            None => {
                drop(waiting);
                JunitWorker::start(run)
            }
        }
    }

    /// Keeps a JVM for other tests.
    pub fn put(&self, worker: JunitWorker) {
        let mut waiting = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if worker.runs < MOST_RUNS {
            if waiting.len() >= MOST_WAITING {
                waiting.remove(0);
            }
            waiting.push(worker);
        }
    }

    /// Ends all of them.
    pub(crate) fn clear(&self) {
        let waiting = std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner));
        drop(waiting);
    }

    /// Whether a JVM waits for such tests.
    pub fn has(&self, run: &JunitJvm) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).iter().any(|worker| worker.jvm.serves(run))
    }
}

/// A JVM that loads JUnit and then waits for classes to execute.
#[derive(Debug)]
pub struct JunitWorker {
    process: JvmProcess,
    archive: ArchiveUse,
    jvm: JunitJvm,
    /// The folder of test classes on its class path.
    begun_for: PathBuf,
    /// Runs so far.
    runs: u32,
    /// What the JVM said before it was asked for anything.
    greeting: Option<WireFrame>,
}

impl JunitWorker {
    /// Starts the JVM and returns at once.
    ///
    /// # Errors
    /// [`JvmError::NoAgent`] when the agent library is missing, [`JvmError::Start`] when the
    /// process cannot be started.
    pub fn start(run: &JunitJvm) -> Result<JunitWorker, JvmError> {
        JunitWorker::start_with(run, ArchiveUse::reading(run.archives.as_ref()))
    }

    /// Starts a JVM without classes of a user that writes the archive when it ends ([`JunitWorker::leave_classes`]).
    ///
    /// # Errors
    /// As [`JunitWorker::start`].
    pub fn start_archiving(run: &JunitJvm, archive: UnfinishedArchive) -> Result<JunitWorker, JvmError> {
        JunitWorker::start_with(run, ArchiveUse::Writes(archive))
    }

    fn start_with(run: &JunitJvm, archive: ArchiveUse) -> Result<JunitWorker, JvmError> {
        let start = |error: std::io::Error| JvmError::Start(error.to_string());
        fs::create_dir_all(&run.classes).map_err(start)?;
        let folder = process_folder(&run.temporary, "junit", &run.surroundings).map_err(start)?;
        let writable = folder.join("tmp");
        let mut jvm_options = super::common_options(&folder, HEAP_MB, &run.surroundings);
        jvm_options.push("-XX:TieredStopAtLevel=1".into());
        jvm_options.extend(archive.options(ArchiveKind::Junit));
        if run.assertions {
            jvm_options.push("-ea".into());
        }
        if let Some(agent) = &run.agent_library {
            let agent = fs::canonicalize(agent).map_err(|_| JvmError::NoAgent(agent.clone()))?;
            let file = folder.join("agent.config");
            let status = folder.join("status");
            let text = format!(
                "interface={INTERFACE_VERSION}\nmode=guard\ntemporary={}\nstatus={}\n{}{}",
                writable.display(),
                status.display(),
                run.surroundings.agent_options(),
                run.allow.agent_option()
            );
            fs::write(&file, text).map_err(start)?;
            jvm_options.push(format!("-agentpath:{}=config={}", agent.display(), file.display()));
        }
        if let Some(agent) = &run.java_agent {
            let agent = fs::canonicalize(agent).map_err(start)?;
            jvm_options.push(format!("-javaagent:{}", agent.display()));
        }
        let arguments = [
            "{in}".to_owned(),
            "{out}".to_owned(),
            writable.to_string_lossy().into_owned(),
            (run.order_seed as i64).to_string(),
            run.surroundings.thread.clone(),
            run.java_agent.is_some().to_string(),
            run.requests.to_string(),
        ];
        // A folder that is not empty cannot be on the class path of a JVM that writes an archive, which also writes to
        // another folder than its own.
        let (classpath, confinement) = match &archive {
            ArchiveUse::Writes(_) => {
                let confinement = Confinement { write: None, network: false, programs: None, file_size: 256 << 20 };
                (run.junit.iter().take(1).map(|entry| absolute(entry)).collect(), confinement)
            }
            ArchiveUse::None | ArchiveUse::Reads(_) => {
                let path = run_path(run).map(|entry| absolute(entry)).collect();
                (path, run.allow.confinement(&run.jdk, &folder, 256 << 20))
            }
        };
        JvmProcess::start(Launch {
            runner_jar: archive.runner_jar(),
            java: run.jdk.java(),
            jvm_options,
            classpath,
            main: Some("dev.tracewright.runner.JunitMain"),
            arguments: arguments.to_vec(),
            variables: run.surroundings.variables.clone(),
            confinement,
            folder,
        })
        .map(|process| JunitWorker {
            process,
            archive,
            jvm: run.clone(),
            begun_for: run.classes.clone(),
            runs: 0,
            greeting: None,
        })
        .map_err(start)
    }

    /// Executes the classes (binary names) twice. `timeout` limits all tests together, `test_timeout`
    /// one test. A test that fails, hangs or kills the JVM is an outcome, not an error. Where the JVM
    /// may run other tests, it is returned as well.
    ///
    /// # Errors
    /// [`JvmError::Start`] when JUnit executes nothing, [`JvmError::Protocol`] for a malformed
    /// result.
    pub fn run(
        mut self,
        classes: &[String],
        timeout: Duration,
        test_timeout: Duration,
    ) -> Result<(JunitOutcome, Option<JunitWorker>), JvmError> {
        let begin = Instant::now();
        let own = if self.is_new() { Vec::new() } else { self.own_entries() };
        // An error here shows as the end of the process.
        let _ = self.process.send(&wire::junit_frame(classes, &own), timeout);
        let greeting = self.greeting.take();
        let (outcome, may_go_on) = outcome(&self.process, greeting, timeout.saturating_sub(begin.elapsed()), test_timeout)?;
        self.runs += 1;
        Ok((outcome, may_go_on.then_some(self)))
    }

    /// Executes the classes as [`JunitWorker::run`] does, then ends the JVM, which writes its archive. Gives whether
    /// all that was done in time.
    ///
    /// # Errors
    /// As [`JunitWorker::run`].
    pub fn leave_classes(mut self, classes: &[String], timeout: Duration) -> Result<bool, JvmError> {
        let until = Instant::now() + timeout;
        let _ = self.process.send(&wire::junit_frame(classes, &self.own_entries()), timeout);
        let (outcome, _) = outcome(&self.process, None, timeout, timeout)?;
        let left = until.saturating_duration_since(Instant::now());
        Ok(outcome.is_clean() && self.process.end_by_itself(left) && self.archive.finish())
    }

    /// The entries whose classes begin afresh, for a frame.
    fn own_entries(&self) -> Vec<String> {
        let own = std::iter::once(&self.jvm.classes).chain(&self.jvm.own);
        own.map(|entry| absolute(entry).to_string_lossy().into_owned()).collect()
    }

    /// Whether JUnit and the frameworks that tests may need are loaded.
    pub fn has_loaded(&mut self) -> bool {
        if self.runs == 0 && self.greeting.is_none() {
            self.greeting = self.process.receive(Duration::ZERO).ok();
        }
        self.runs > 0 || self.greeting.as_ref().is_some_and(|frame| frame.kind == FrameKind::Ready)
    }

    /// Whether it has run nothing yet and was started for the tests that it is to run.
    pub fn is_new(&self) -> bool {
        self.runs == 0 && self.begun_for == self.jvm.classes
    }

    /// Its configuration, with the folder of the tests that it is to run.
    pub fn settings(&self) -> &JunitJvm {
        &self.jvm
    }
}

impl JunitOutcome {
    /// Whether every test of the run passed that JUnit did not skip.
    pub fn is_clean(&self) -> bool {
        self.end == JunitEnd::Completed
            && !self.tests.is_empty()
            && !self.tests.values().any(|outcome| matches!(outcome, TestOutcome::Failed(_)))
    }
}

fn absolute(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf())
}

/// The class path of the JVM. The console jar comes before all others: launcher and engines must have the same version,
/// parts of another one may be among the user's dependencies, and an archive fits only where nothing else comes first.
/// JUnit 4 comes last: the user's own version has priority.
fn run_path(run: &JunitJvm) -> impl Iterator<Item = &PathBuf> {
    let (console, four) = run.junit.split_at(run.junit.len().min(1));
    console.iter().chain([&run.classes]).chain(&run.classpath).chain(four)
}

/// The outcome, and whether the JVM may run other tests. `first`: a frame that was received before.
fn outcome(
    process: &JvmProcess,
    mut first: Option<WireFrame>,
    timeout: Duration,
    test_timeout: Duration,
) -> Result<(JunitOutcome, bool), JvmError> {
    let until = Instant::now() + timeout;
    let mut tests = BTreeMap::new();
    let mut failed_rows: BTreeMap<(String, String), BTreeSet<usize>> = BTreeMap::new();
    let mut failed_assertions: BTreeMap<(String, String), Vec<FailedAssertion>> = BTreeMap::new();
    let mut running = None;
    let mut may_go_on = false;
    let end = loop {
        let left = until.saturating_duration_since(Instant::now());
        // Between two tests and before the first one JUnit itself works: only the limit of the
        // whole applies.
        let wait = if running.is_some() { left.min(test_timeout) } else { left };
        let frame = match first.take().map_or_else(|| process.receive(wait), Ok) {
            Ok(frame) => frame,
            Err(NoFrame::Timeout) => match running {
                Some(running) if wait < left => break JunitEnd::Hung { running },
                _ => break JunitEnd::OutOfTime,
            },
            Err(NoFrame::Ended) if tests.is_empty() && running.is_none() => {
                return Err(JvmError::Start(format!("JUnit ran nothing; it said: {}", process.output())));
            }
            Err(NoFrame::Ended) => break JunitEnd::Died { running },
        };
        let mut reader = PayloadReader::new(&frame.payload);
        let unreadable = || JvmError::Protocol("a test result that cannot be read".into());
        match frame.kind {
            FrameKind::Done => {
                may_go_on = reader.u8().ok_or_else(unreadable)? == 1;
                break JunitEnd::Completed;
            }
            FrameKind::TestStarted => {
                running = Some((reader.string().ok_or_else(unreadable)?, reader.string().ok_or_else(unreadable)?));
            }
            FrameKind::TestFinished => {
                let name = (reader.string().ok_or_else(unreadable)?, reader.string().ok_or_else(unreadable)?);
                let (status, message) = (reader.u8().ok_or_else(unreadable)?, reader.string().ok_or_else(unreadable)?);
                let row = reader.u32().ok_or_else(unreadable)? as usize;
                let (line, found) = (reader.u32().ok_or_else(unreadable)?, reader.string().ok_or_else(unreadable)?);
                if line > 0 {
                    let failed = FailedAssertion { line, row, found: FoundValue::from_sent(&found) };
                    failed_assertions.entry(name.clone()).or_default().push(failed);
                }
                let outcome = match status {
                    0 => TestOutcome::Passed,
                    1 => TestOutcome::Failed(message),
                    _ => TestOutcome::Skipped,
                };
                if let (TestOutcome::Failed(_), Some(row)) = (&outcome, row.checked_sub(1)) {
                    failed_rows.entry(name.clone()).or_default().insert(row);
                }
                if running.as_ref() == Some(&name) {
                    running = None;
                }
                // A test runs twice, and a parameterised test has many runs: one failure makes the test
                // fail.
                match tests.get(&name) {
                    Some(TestOutcome::Failed(_)) => {}
                    _ => {
                        tests.insert(name, outcome);
                    }
                }
            }
            FrameKind::Ready => {}
            FrameKind::Fatal => return Err(JvmError::Start(format!("JUnit: {}", reader.string().unwrap_or_default()))),
            other => return Err(JvmError::Protocol(format!("a frame of kind {other:?}"))),
        }
    };
    Ok((JunitOutcome { tests, failed_rows, failed_assertions, end }, may_go_on))
}
