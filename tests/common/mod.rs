//! Subjects for the worker suites: Java text in, a class folder out.
#![allow(dead_code)]

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use tracewright::jvm::{Compiler, DiagnosticKind, Jdk, Mode, WorkerConfig};
use tracewright::testcase::TestCase;

/// The JDKs the suites run on, oldest first.
pub fn jdks() -> &'static [Jdk] {
    static JDKS: OnceLock<Vec<Jdk>> = OnceLock::new();
    JDKS.get_or_init(|| {
        let mut jdks = Jdk::installed();
        if jdks.is_empty() {
            jdks.push(Jdk::find(None).expect("a JDK"));
        }
        jdks.dedup_by_key(|jdk| jdk.version);
        jdks
    })
}

/// Compiles sources (path, text) into `<folder>/classes`, for the oldest supported release.
pub fn compile(jdk: &Jdk, folder: &Path, sources: &[(&str, &str)]) -> PathBuf {
    let out = folder.join("classes");
    let sources: Vec<_> = sources.iter().map(|(path, text)| (path.to_string(), text.to_string())).collect();
    let diagnostics = Compiler::start(jdk, folder).expect("a compiler").compile(&sources, &[], 17, &out).expect("an answer");
    let errors: Vec<_> = diagnostics.iter().filter(|diagnostic| diagnostic.kind == DiagnosticKind::Error).collect();
    assert!(errors.is_empty(), "{errors:?}");
    out
}

/// The agent beside the test executable, where cargo puts the library of the workspace; `None` where it is not built.
pub fn agent() -> Option<PathBuf> {
    let here = std::env::current_exe().ok()?;
    let library = here.parent()?.parent()?.join("libtracewright_agent.so");
    library.is_file().then_some(library)
}

pub fn config(jdk: &Jdk, agent: Option<PathBuf>, classes: PathBuf, folder: &Path, mode: Mode) -> WorkerConfig {
    let mut config = WorkerConfig::new(jdk.clone(), agent.unwrap_or_default(), vec![classes], folder.join("run"), mode);
    config.heap_mb = 96;
    config
}

pub fn test(text: &str) -> TestCase {
    text.trim_start().parse().unwrap_or_else(|error| panic!("{error} in\n{text}"))
}
