//! JDKs, the agent library and compiled Java, for the tests of the agent.

use std::collections::BTreeMap;
use std::env;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, OnceLock};

use tempfile::TempDir;

use tracewright_test_support::{Jdk, compile_files};

/// One JDK of each release from 17 on, ascending; never empty.
pub(crate) fn jdks() -> Vec<Jdk> {
    tracewright_test_support::jdks().to_vec()
}

/// The agent library, which cargo builds with the tests.
pub(crate) fn agent() -> PathBuf {
    let tests = env::current_exe().expect("this test has a path");
    let deps = tests.parent().expect("a folder");
    let name = format!("{}tracewright_agent{}", env::consts::DLL_PREFIX, env::consts::DLL_SUFFIX);
    [deps.join(&name), deps.parent().expect("a folder").join(&name)]
        .into_iter()
        .find(|path| path.is_file())
        .expect("cargo builds the agent library with its tests")
}

/// Compiles `tests/java/<name>.java` for Java 17, once a process; the classes may use the sink.
/// Gives their folder.
pub(crate) fn compile(names: &[&str]) -> PathBuf {
    static DONE: OnceLock<Mutex<BTreeMap<String, TempDir>>> = OnceLock::new();
    let mut done = DONE.get_or_init(Mutex::default).lock().expect("no test panicked in here");
    let folder = done.entry(names.join(" ")).or_insert_with(|| {
        let folder = tempfile::tempdir().expect("temporary folder");
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let sink = format!("java.base={}", root.join("java/sink").display());
        let options = ["-nowarn", "-source", "17", "-target", "17", "-implicit:none", "--patch-module", &sink];
        let files: Vec<PathBuf> = names.iter().map(|name| root.join(format!("tests/java/{name}.java"))).collect();
        compile_files(&jdks()[0].home, &options, folder.path(), &files);
        folder
    });
    folder.path().to_owned()
}
