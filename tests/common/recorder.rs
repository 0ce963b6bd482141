//! A JVM with trace probes in every class of a folder, and the program model of the same folder.

use std::path::{Path, PathBuf};

use tracewright::execution::RunEnd;
use tracewright::jvm::{Jdk, ProbeMode, TraceWorker};
use tracewright::program::Program;
use tracewright::project::Project;
use tracewright::recording::{Announced, Recording};
use tracewright::testcase::TestCase;

/// Executes test cases under trace probes.
pub(crate) struct Recorder {
    worker: TraceWorker,
    announced: Announced,
}

impl Recorder {
    pub(crate) fn new(jdk: &Jdk, classes: PathBuf, folder: &Path) -> Recorder {
        let agent = tracewright_test_support::agent_library();
        let mut config = crate::worker::config(jdk, Some(agent), classes, folder, ProbeMode::Trace);
        config.include = vec!["*".into()];
        Recorder { worker: TraceWorker::start(config).expect("a worker"), announced: Announced::default() }
    }

    /// The recording of one execution; `None` if the test case is illegal, because a receiver is
    /// null.
    pub(crate) fn record_if_legal(&mut self, test: &TestCase) -> Option<Recording> {
        let recorded = self.worker.record(test).expect("a recording");
        if matches!(recorded.execution.end, RunEnd::Illegal { .. }) {
            return None;
        }
        assert!(
            matches!(recorded.execution.end, RunEnd::Completed | RunEnd::Threw { .. } | RunEnd::Exhausted { .. }),
            "{:?}\n{test}",
            recorded.execution
        );
        Some(Recording::from_bytes_after(&recorded.trace, &mut self.announced))
    }
}

/// The program model of a folder of classes.
pub(crate) fn program_of(jdk: &Jdk, classes: &Path) -> Program {
    Program::new(Project::open(&[classes.to_path_buf()], Path::new(&jdk.home)).expect("a project"))
}
