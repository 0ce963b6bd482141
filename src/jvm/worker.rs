//! Workers that execute test cases under probes.

use super::execution::Execution;
use super::{JvmError, WorkerConfig};
use crate::testcase::TestCase;

/// What became of the JVMs of one worker.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    /// JVMs started.
    pub started: u64,
    /// JVMs that we ended because they hung or had to be replaced.
    pub killed: u64,
    /// JVMs that ended by themselves while they had work.
    pub crashed: u64,
    /// Test cases executed.
    pub executions: u64,
    /// Fresh class loaders inside a running JVM.
    pub fresh_loaders: u64,
    /// Classes whose static state was put back.
    pub reinitialised: u64,
}

/// A worker JVM with search probes, replaced when it hangs or dies.
#[derive(Debug)]
pub struct SearchWorker {
    #[allow(dead_code)]
    config: WorkerConfig,
    statistics: Statistics,
}

impl SearchWorker {
    pub fn start(config: WorkerConfig) -> Result<SearchWorker, JvmError> {
        Ok(SearchWorker { config, statistics: Statistics::default() })
    }

    /// Executes the test cases in order; one `Execution` each. `observe`: take snapshots.
    pub fn execute(&mut self, tests: &[TestCase], observe: bool) -> Result<Vec<Execution>, JvmError> {
        self.submit(tests, observe)?;
        self.collect()
    }

    /// Hands the test cases over and returns at once; `collect` must follow before the next `submit`.
    pub fn submit(&mut self, _tests: &[TestCase], _observe: bool) -> Result<(), JvmError> {
        Err(JvmError::Start("the runner is not part of this build".into()))
    }

    /// Waits for the executions of the last `submit`.
    pub fn collect(&mut self) -> Result<Vec<Execution>, JvmError> {
        Err(JvmError::Start("the runner is not part of this build".into()))
    }

    pub fn statistics(&self) -> Statistics {
        self.statistics
    }
}

/// One recording: what the execution did, and its trace events.
#[derive(Clone, Debug, PartialEq)]
pub struct Recorded {
    pub execution: Execution,
    /// `ARCHITECTURE.md`, Trace events; self-contained: classes announced to earlier recordings of the worker are announced again.
    pub words: Vec<u32>,
}

/// A worker JVM with trace probes, replaced when it hangs or dies.
#[derive(Debug)]
pub struct TraceWorker {
    #[allow(dead_code)]
    config: WorkerConfig,
    statistics: Statistics,
}

impl TraceWorker {
    pub fn start(config: WorkerConfig) -> Result<TraceWorker, JvmError> {
        Ok(TraceWorker { config, statistics: Statistics::default() })
    }

    pub fn record(&mut self, _test: &TestCase) -> Result<Recorded, JvmError> {
        Err(JvmError::Start("the runner is not part of this build".into()))
    }

    pub fn statistics(&self) -> Statistics {
        self.statistics
    }
}
