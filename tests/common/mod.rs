//! Subjects for the worker suites: Java text in, a class folder out.
#![allow(dead_code)]

pub(crate) mod assembler;
pub(crate) mod constants;
pub(crate) mod lab;

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use tracewright::jvm::{Compiler, DiagnosticKind, Jdk, ProbeMode, TargetClass, WorkerConfig};
use tracewright::program::ClassName;
use tracewright::testcase::TestCase;
use tracewright_classfile::ClassFile;
use tracewright_trace::search_sites;

/// The JDKs the suites run on, oldest first.
pub(crate) fn jdks() -> &'static [Jdk] {
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
pub(crate) fn compile(jdk: &Jdk, folder: &Path, sources: &[(&str, &str)]) -> PathBuf {
    compile_for(17, jdk, folder, sources)
}

pub(crate) fn compile_for(release: u32, jdk: &Jdk, folder: &Path, sources: &[(&str, &str)]) -> PathBuf {
    let out = folder.join("classes");
    let sources: Vec<_> = sources.iter().map(|(path, text)| (path.to_string(), text.to_string())).collect();
    let diagnostics = Compiler::start(jdk, folder)
        .expect("a compiler")
        .compile(&sources, &[], release, &out, std::time::Duration::from_secs(60))
        .expect("an answer");
    let errors: Vec<_> = diagnostics.iter().filter(|diagnostic| diagnostic.kind == DiagnosticKind::Error).collect();
    assert!(errors.is_empty(), "{errors:?}");
    out
}

/// The agent of the workspace: the one that `cargo xtask test` has just built and names, or one that is built as this test is. A suite that
/// is run alone must not meet an older one, or none.
pub(crate) fn agent() -> PathBuf {
    static AGENT: OnceLock<PathBuf> = OnceLock::new();
    AGENT
        .get_or_init(|| {
            if let Some(agent) = std::env::var_os("TRACEWRIGHT_AGENT") {
                return agent.into();
            }
            let here = std::env::current_exe().expect("a path");
            // target/<profile>/deps/<test>
            let folder = here.parent().and_then(Path::parent).expect("cargo's layout");
            let mut build = std::process::Command::new(env!("CARGO"));
            build.args(["build", "--quiet", "--package", "tracewright-agent"]);
            if folder.ends_with("release") {
                build.arg("--release");
            }
            assert!(build.status().expect("cargo").success(), "the agent does not build");
            folder.join("libtracewright_agent.so")
        })
        .clone()
}

pub(crate) fn config(jdk: &Jdk, agent: Option<PathBuf>, classes: PathBuf, folder: &Path, mode: ProbeMode) -> WorkerConfig {
    let mut config = WorkerConfig::new(jdk.clone(), agent.unwrap_or_default(), vec![classes], folder.join("run"), mode);
    config.heap_mb = 96;
    config
}

/// Makes the classes the targets, their slots one after the other.
pub(crate) fn target(config: &mut WorkerConfig, names: &[&str]) {
    for name in names {
        let bytes = std::fs::read(config.classpath[0].join(format!("{name}.class"))).expect("a class file");
        let sites = search_sites(&ClassFile::parse(&bytes).expect("well-formed")).expect("well-formed");
        config.targets.push(TargetClass {
            name: ClassName::new(name),
            branch_base: config.branch_slots,
            line_base: config.line_slots,
        });
        config.branch_slots += sites.branches.iter().map(|site| site.slots()).sum::<u32>();
        config.line_slots += sites.lines.len() as u32;
    }
}

pub(crate) fn test(text: &str) -> TestCase {
    text.trim_start().parse().unwrap_or_else(|error| panic!("{error} in\n{text}"))
}
