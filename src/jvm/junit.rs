//! One run of JUnit classes in a fresh JVM that has no probes in the user's classes but the guard. The JVM may start before its classes are
//! written: it loads JUnit and waits.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use super::process::{JvmProcess, Launch, NoFrame, process_folder};
use super::wire::{self, FrameKind, PayloadReader};
use super::{Allow, Jdk, JvmError};

/// What the JVM is.
#[derive(Clone, Debug)]
pub struct JunitJvm {
    pub jdk: Jdk,
    /// Loaded in guard mode; `None` runs without a guard.
    pub agent_library: Option<PathBuf>,
    /// A jar of the class path that is an agent of the JVM, too.
    pub java_agent: Option<PathBuf>,
    /// Folder of the tests. It is made where there is none: what does not exist when the JVM starts is none of its class path.
    pub classes: PathBuf,
    /// Code under test and what it needs.
    pub classpath: Vec<PathBuf>,
    /// The console-standalone jar of the JUnit platform, and JUnit 4 where tests need it.
    pub junit: Vec<PathBuf>,
    /// Order of classes and methods.
    pub order_seed: u64,
    /// `-ea`.
    pub assertions: bool,
    pub time_zone: String,
    pub locale: String,
    pub encoding: String,
    pub temporary: PathBuf,
    pub allow: Allow,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TestOutcome {
    Passed,
    /// Class and message of what it threw, or what the guard refused.
    Failed(String),
    Skipped,
}

/// How the JVM of a JUnit run ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum JunitEnd {
    Completed,
    /// Ended by us: this test ran longer than one may.
    Hung {
        running: (String, String),
    },
    /// Ended by us: the whole took longer than it may, which is nobody's fault.
    OutOfTime,
    Died {
        running: Option<(String, String)>,
    },
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JunitOutcome {
    /// By binary class name and method name; the method is empty where a class failed as a whole.
    pub tests: BTreeMap<(String, String), TestOutcome>,
    pub end: JunitEnd,
}

const HEAP_MB: u32 = 512;

/// A JVM that has JUnit loaded or is about to, and waits for classes to run once.
#[derive(Debug)]
pub struct JunitWorker(JvmProcess);

impl JunitWorker {
    /// Starts the JVM and does not wait for it.
    pub fn start(run: &JunitJvm) -> Result<JunitWorker, JvmError> {
        let start = |error: std::io::Error| JvmError::Start(error.to_string());
        fs::create_dir_all(&run.classes).map_err(start)?;
        let folder = process_folder(&run.temporary, "junit").map_err(start)?;
        let writable = folder.join("tmp");
        let mut jvm_options = super::common_options(&folder, HEAP_MB, &run.time_zone, &run.locale, &run.encoding);
        jvm_options.push("-XX:TieredStopAtLevel=1".into());
        if run.assertions {
            jvm_options.push("-ea".into());
        }
        if let Some(agent) = &run.agent_library {
            let agent = fs::canonicalize(agent).map_err(|_| JvmError::NoAgent(agent.clone()))?;
            let file = folder.join("agent.config");
            let status = folder.join("status");
            let text = format!(
                "mode=guard\ntemporary={}\nstatus={}\n{}",
                writable.display(),
                status.display(),
                run.allow.agent_option()
            );
            fs::write(&file, text).map_err(start)?;
            jvm_options.push(format!("-agentpath:{}=config={}", agent.display(), file.display()));
        }
        if let Some(agent) = &run.java_agent {
            let agent = fs::canonicalize(agent).map_err(start)?;
            jvm_options.push(format!("-javaagent:{}", agent.display()));
        }
        let arguments =
            ["{in}".to_owned(), "{out}".to_owned(), writable.to_string_lossy().into_owned(), (run.order_seed as i64).to_string()];
        let absolute = |path: &PathBuf| std::path::absolute(path).unwrap_or_else(|_| path.clone());
        JvmProcess::start(Launch {
            java: run.jdk.java(),
            jvm_options,
            classpath: run_path(run).map(absolute).collect(),
            main: Some("dev.tracewright.runner.JunitMain"),
            arguments: arguments.to_vec(),
            confinement: run.allow.confinement(&run.jdk, &folder, 256 << 20),
            folder,
        })
        .map(JunitWorker)
        .map_err(start)
    }

    /// Runs the classes (binary names) and ends the JVM. That tests fail, hang or kill it is an outcome, not an error. `timeout`: of all of
    /// it; `patience`: of one test.
    pub fn run(mut self, classes: &[String], timeout: Duration, patience: Duration) -> Result<JunitOutcome, JvmError> {
        let begin = Instant::now();
        // An error here shows as the end of the process.
        let _ = self.0.send(&wire::junit_frame(classes), timeout);
        outcome(&self.0, timeout.saturating_sub(begin.elapsed()), patience)
    }
}

/// The console's jar comes before the class path: launcher and engines must be of one version, and the dependencies of a build's tests may bring parts of
/// another. JUnit 4 is the build's own where it has one.
fn run_path(run: &JunitJvm) -> impl Iterator<Item = &PathBuf> {
    let (console, four) = run.junit.split_at(run.junit.len().min(1));
    std::iter::once(&run.classes).chain(console).chain(&run.classpath).chain(four)
}

fn outcome(process: &JvmProcess, timeout: Duration, patience: Duration) -> Result<JunitOutcome, JvmError> {
    let until = Instant::now() + timeout;
    let mut tests = BTreeMap::new();
    let mut running = None;
    let end = loop {
        let left = until.saturating_duration_since(Instant::now());
        // Between two tests (and before the first) the platform is at work: only the whole limits that.
        let wait = if running.is_some() { left.min(patience) } else { left };
        let frame = match process.receive(wait) {
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
            FrameKind::Done => break JunitEnd::Completed,
            FrameKind::TestStarted => {
                running = Some((reader.string().ok_or_else(unreadable)?, reader.string().ok_or_else(unreadable)?));
            }
            FrameKind::TestFinished => {
                let name = (reader.string().ok_or_else(unreadable)?, reader.string().ok_or_else(unreadable)?);
                let outcome = match reader.u8().ok_or_else(unreadable)? {
                    0 => TestOutcome::Passed,
                    1 => TestOutcome::Failed(reader.string().ok_or_else(unreadable)?),
                    _ => TestOutcome::Skipped,
                };
                if running.as_ref() == Some(&name) {
                    running = None;
                }
                // One name may stand for several runs (parameters): a failure of one is a failure.
                match tests.get(&name) {
                    Some(TestOutcome::Failed(_)) => {}
                    _ => {
                        tests.insert(name, outcome);
                    }
                }
            }
            FrameKind::Fatal => return Err(JvmError::Start(format!("JUnit: {}", reader.string().unwrap_or_default()))),
            other => return Err(JvmError::Protocol(format!("a frame of kind {other:?}"))),
        }
    };
    Ok(JunitOutcome { tests, end })
}
