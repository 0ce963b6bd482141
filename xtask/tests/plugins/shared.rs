//! Runs the JUnit tests of the Java that both plugins share (`plugin-shared/tests`).

use crate::support::{jdk, named_path, root, run};
use std::path::PathBuf;
use std::process::Command;

#[test]
fn the_junit_tests_of_plugin_shared_pass() {
    let (Some(junit), Some(repository)) = (named_path("TRACEWRIGHT_JUNIT"), named_path("TRACEWRIGHT_REPOSITORY")) else { return };
    let plugin = repository.join("dev/tracewright/tracewright-maven-plugin").join(crate::support::VERSION);
    let plugin = plugin.join(format!("tracewright-maven-plugin-{}.jar", crate::support::VERSION));
    let classes = tempfile::tempdir().expect("a temporary folder");
    let sources: Vec<PathBuf> = walkdir::WalkDir::new(root().join("plugin-shared/tests"))
        .into_iter()
        .filter_map(|entry| Some(entry.ok()?.into_path()))
        .filter(|path| path.extension().is_some_and(|extension| extension == "java"))
        .collect();
    let class_path = std::env::join_paths([classes.path(), &junit, &plugin]).expect("paths");
    let mut javac = Command::new(jdk().join("bin/javac"));
    run(javac.arg("-d").arg(classes.path()).arg("-cp").arg(&class_path).args(sources)).succeeded();
    let mut java = Command::new(jdk().join("bin/java"));
    java.arg("-cp").arg(&class_path).arg("org.junit.platform.console.ConsoleLauncher");
    run(java.args(["execute", "--select-package=dev.tracewright.plugin", "--fail-if-no-tests", "--details=tree"])).succeeded();
}
