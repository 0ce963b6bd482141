//! `tracewright doctor`: looks at each thing a generation needs and says, for each, that it is fine or what to do.

use super::{installation, status};
use crate::jvm::Jdk;
use crate::solve::process::ProcessSolver;
use std::path::Path;
use std::process::ExitCode;

pub(crate) fn run(jdk: Option<&Path>) -> ExitCode {
    let mut healthy = true;
    let mut say = |what: &str, found: Result<String, String>| {
        match found {
            Ok(fine) => println!("{what:12} {fine}"),
            Err(wrong) => {
                healthy = false;
                println!("{what:12} PROBLEM: {wrong}");
            }
        };
    };
    say(
        "JDK",
        Jdk::find(jdk).map(|jdk| format!("{} in {}", jdk.full_version, jdk.home.display())).map_err(|error| error.to_string()),
    );
    match installation::find() {
        Ok(installation) => {
            say("agent", Ok(installation.agent.display().to_string()));
            say("JUnit", Ok(installation.junit_console.display().to_string()));
            say("solver", ProcessSolver::probe(&installation.program).map_err(|error| error.to_string()));
        }
        Err(sentence) => say("installation", Err(sentence)),
    }
    say("confinement", Ok(crate::jvm::confinement()));
    ExitCode::from(if healthy { status::DONE } else { status::UNUSABLE_INPUT })
}
