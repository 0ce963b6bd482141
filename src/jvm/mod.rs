//! Worker JVMs: processes that execute test cases, mutants and JUnit classes, and that compile Java
//! sources.
//!
//! In: test cases, sources, configuration. Out: one execution for each test case, whatever became
//! of the JVM. A JVM that hangs or dies is killed and replaced. Must not know what executions are
//! used for.

use std::path::Path;

mod agent_config;
mod archive;
mod compiler;
mod config;
mod confine;
mod error;
mod idle;
mod jdk;
mod junit;
mod load;
mod memory;
mod mutants;
mod process;
mod snapshots;
mod surroundings;
mod wire;
mod worker;

pub use archive::{ArchiveKind, ClassArchives, UnfinishedArchive};
pub(crate) use compiler::are_diagnostics;
pub use compiler::{Compiler, Diagnostic, DiagnosticKind};
pub use config::{Allow, MutatedClass, Pins, ProbeMode, WorkerConfig};
pub use confine::confinement;
pub use error::JvmError;
pub use idle::IdleJvms;
pub use jdk::Jdk;
pub use junit::{JunitEnd, JunitJvm, JunitOutcome, JunitPool, JunitWorker, TestOutcome};
pub(crate) use load::{classes_at_once, classes_in, threads_per_core};
pub(crate) use memory::{used_kilobytes, usual_memory_limit};
pub use mutants::{Baseline, MutantWorker};
pub use surroundings::{ClockChange, Surroundings};
pub(crate) use wire::{are_announced_classes, is_result};
pub use worker::{SearchWorker, TraceWorker, TracedExecution, WorkerStatistics};

/// Options of every JVM that the program starts. They bound its memory, keep it from leaving files,
/// and fix properties that depend on the machine.
fn common_options(folder: &Path, heap_mb: u32, surroundings: &Surroundings) -> Vec<String> {
    let mut options = vec![
        format!("-Xmx{}m", heap_mb + surroundings.more_heap_mb),
        "-XX:+UseSerialGC".into(),
        "-XX:MaxMetaspaceSize=256m".into(),
        "-XX:MaxDirectMemorySize=64m".into(),
        "-Xshare:auto".into(),
        // No files, sockets or dumps outside the process's own folder.
        "-XX:-UsePerfData".into(),
        "-XX:+DisableAttachMechanism".into(),
        "-XX:-CreateCoredumpOnCrash".into(),
        format!("-XX:ErrorFile={}", folder.join("crash").display()),
        format!("-Djava.io.tmpdir={}", folder.join("tmp").display()),
        "-Djava.awt.headless=true".into(),
    ];
    options.extend(surroundings.options());
    options
}
