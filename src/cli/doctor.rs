//! `tracewright doctor`: looks at each thing that a generation needs and says that it is fine, or
//! what to do.

use super::{installation, status};
use crate::jvm::{Jdk, classes_at_once, usual_memory_limit};
use crate::solve::process::ProcessSolver;
use std::path::Path;
use std::process::ExitCode;

/// Prints one line a finding. The exit status is that of unusable input where there is a problem.
pub(crate) fn run(jdk: Option<&Path>) -> ExitCode {
    let mut is_healthy = true;
    let mut print_finding = |what: &str, found: Result<String, String>| {
        match found {
            Ok(detail) => println!("{what:12} {detail}"),
            Err(problem) => {
                is_healthy = false;
                println!("{what:12} PROBLEM: {problem}");
            }
        };
    };
    print_finding(
        "JDK",
        Jdk::find(jdk).map(|jdk| format!("{} in {}", jdk.full_version, jdk.home.display())).map_err(|error| error.to_string()),
    );
    match installation::find() {
        Ok(installation) => {
            print_finding("agent", Ok(installation.agent.display().to_string()));
            print_finding("JUnit", Ok(installation.junit_console.display().to_string()));
            print_finding("solver", ProcessSolver::probe(&installation.program).map_err(|error| error.to_string()));
        }
        Err(sentence) => print_finding("installation", Err(sentence)),
    }
    let memory = usual_memory_limit();
    print_finding("threads", Ok(format!("{} (classes in work at the same time)", classes_at_once(memory))));
    let megabytes =
        memory.map_or("not known".to_owned(), |limit| format!("{} MB (limit of a run; --memory changes it)", limit / 1024));
    print_finding("memory", Ok(megabytes));
    print_finding("confinement", Ok(crate::jvm::confinement()));
    ExitCode::from(if is_healthy { status::DONE } else { status::UNUSABLE_INPUT })
}
