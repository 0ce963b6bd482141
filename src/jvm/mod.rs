//! Worker JVMs: started, fed, watched, killed, replaced. Flows in: test cases; flows out: what their executions did.
//! Must not know what the executions are wanted for.

mod compiler;
mod config;
mod error;
pub mod execution;
mod jdk;
mod junit;
mod worker;

pub use compiler::{Compiler, Diagnostic, DiagnosticKind};
pub use config::{Allow, Mode, Pins, TargetClass, WorkerConfig};
pub use error::JvmError;
pub use jdk::Jdk;
pub use junit::{JunitEnd, JunitOutcome, JunitRun, TestOutcome, run_junit};
pub use worker::{Recorded, SearchWorker, Statistics, TraceWorker};
