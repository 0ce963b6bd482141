//! Worker JVMs: started, fed, watched, killed, replaced. Flows in: test cases; flows out: what their executions did.
//! Must not know what the executions are wanted for.

use std::path::Path;

mod compiler;
mod config;
mod confine;
mod error;
mod jdk;
mod junit;
mod mutants;
mod process;
mod wire;
mod worker;

pub use compiler::{Compiler, Diagnostic, DiagnosticKind};
pub use config::{Allow, MutatedClass, Pins, ProbeMode, WorkerConfig};
pub use confine::confinement;
pub use error::JvmError;
pub use jdk::Jdk;
pub use junit::{JunitEnd, JunitJvm, JunitOutcome, JunitWorker, TestOutcome};
pub use mutants::{Baseline, MutantWorker};
pub use worker::{SearchWorker, TraceWorker, TracedExecution, WorkerStatistics};

/// What every JVM of ours is told: quiet, small, and the same each time.
fn common_options(folder: &Path, heap_mb: u32, time_zone: &str, locale: &str, encoding: &str) -> Vec<String> {
    let (language, country) = locale.split_once('_').unwrap_or((locale, ""));
    vec![
        format!("-Xmx{heap_mb}m"),
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
        format!("-Duser.timezone={time_zone}"),
        format!("-Duser.language={language}"),
        format!("-Duser.country={country}"),
        format!("-Dfile.encoding={encoding}"),
    ]
}
