//! Tests of code that reads settings of the machine and the user: no written test depends on them.

use std::process::Command;

use crate::subject::{Subject, end};
use tracewright_test_support::junit_console_jar;

const MACHINE: &str = r#"
package machine;

public class Machine {
    private final int limit;

    public Machine(int limit) {
        this.limit = limit;
    }

    public String home() {
        return System.getenv("HOME");
    }

    public String mode() {
        String mode = System.getenv("APP_MODE");
        return mode == null ? "plain" : "mode " + mode;
    }

    public boolean verbose() {
        return Boolean.parseBoolean(System.getProperty("machine.verbose", "true"));
    }

    public String user() {
        return System.getProperty("user.name");
    }

    public int workers() {
        return Math.min(limit, Runtime.getRuntime().availableProcessors());
    }

    public String thread() {
        return Thread.currentThread().getName();
    }

    public int capacity(int wanted) {
        return wanted > limit ? limit : wanted;
    }
}
"#;

/// The written tests pass with other settings, another user, one processor and another thread, and
/// the method that needs none of them is tested.
#[test]
fn no_test_depends_on_the_machine_or_the_user() {
    let subject = Subject::of(&[("Machine.java", MACHINE)]);
    let ended = end(subject.generate("machine.Machine").args(["--steps", "600", "--seed", "1", "--junit", "5"]));
    assert_eq!(ended.status, 0, "{}", ended.err);
    let source = subject.source("machine.Machine");
    assert!(source.contains("capacity("), "{source}");
    let Some(junit) = junit_console_jar() else { return };
    let compiled = subject.compile_written_tests("machine", &["Machine"], std::slice::from_ref(&junit));
    for (variables, options) in [
        (vec![], vec!["-Duser.name=sam"]),
        (vec![("HOME", "/opt/users/sam"), ("APP_MODE", "fast")], vec!["-XX:ActiveProcessorCount=3", "-Dmachine.verbose=false"]),
    ] {
        let run = Command::new(subject.jdk.java())
            .env_clear()
            .envs(variables)
            .args(options)
            .arg("-jar")
            .arg(&junit)
            .args(["execute", "--disable-banner", "--fail-if-no-tests", "--details=summary", "--scan-class-path"])
            .arg(&compiled)
            .arg("--config=junit.jupiter.execution.parallel.enabled=true")
            .arg("--config=junit.jupiter.execution.parallel.mode.default=concurrent")
            .arg("-cp")
            .arg(std::env::join_paths([subject.classes(), compiled.clone()]).expect("a class path"))
            .output()
            .expect("java starts");
        assert!(run.status.success(), "{}\n{source}", String::from_utf8_lossy(&run.stdout));
    }
}
