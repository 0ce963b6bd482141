//! `tracewright record` and `tracewright replay`: a test run under the agent, and what its session gives.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use clap::Args;

use super::{installation, status};
use crate::engine::{self, EngineError};
use crate::recording::{counts_since, session_files};

/// What every JVM reads; another option there stays.
const OPTIONS: &str = "JAVA_TOOL_OPTIONS";

/// What recording may take; what a limit leaves out is counted in the session.
#[derive(Args, Debug)]
pub(crate) struct RecordLimits {
    /// Bytes of the session, after which recording stops [default: 1 GiB].
    #[arg(long, value_name = "BYTES")]
    max_session: Option<u64>,
    /// Runs of one method that are kept [default: 1000].
    #[arg(long, value_name = "N")]
    max_runs: Option<u32>,
    /// Per cent of the command's own CPU time, by estimate, after which recording stops [default: none].
    #[arg(long, value_name = "PERCENT")]
    max_overhead: Option<u32>,
}

impl RecordLimits {
    /// As the agent reads them.
    fn options(&self) -> String {
        let given = [
            ("max-session", self.max_session),
            ("max-runs", self.max_runs.map(u64::from)),
            ("max-overhead", self.max_overhead.map(u64::from)),
        ];
        given.iter().filter_map(|(name, value)| Some(format!(",{name}={}", (*value)?))).collect()
    }
}

/// Runs the command with the agent in every JVM that it starts, and ends as the command did.
pub(crate) fn record(session: &Path, include: Option<&str>, limits: &RecordLimits, command: &[String]) -> ExitCode {
    let agent = match installation::agent() {
        Ok(agent) => agent,
        Err(sentence) => return failed(status::FAULT, &sentence),
    };
    let made = std::fs::create_dir_all(session).and_then(|()| std::fs::canonicalize(session));
    let folder = match made {
        Ok(folder) => folder,
        Err(error) => return failed(status::UNUSABLE_INPUT, &format!("cannot make the session {}: {error}", session.display())),
    };
    let before: BTreeSet<PathBuf> = session_files(&folder).into_iter().collect();
    let (agent, shown) = (agent.display().to_string(), folder.display().to_string());
    let include = include.map(|globs| format!(",include={globs}")).unwrap_or_default();
    let own = format!("-agentpath:{agent}=mode=record,session={shown}{include}{}", limits.options());
    // The JVM splits the variable at white space, and has no way to quote it away; the agent's options end at no comma.
    if own.contains(char::is_whitespace) || own.contains(['"', '\'']) || shown.contains(',') {
        let sentence = "the paths of the agent and of the session, and the globs, must be without spaces, quotes and commas";
        return failed(status::WRONG_USE, sentence);
    }
    let options = match std::env::var(OPTIONS) {
        Ok(before) if !before.trim().is_empty() => format!("{before} {own}"),
        _ => own,
    };
    let [program, arguments @ ..] = command else { return failed(status::WRONG_USE, "there is no command to record") };
    match Command::new(program).args(arguments).env(OPTIONS, options).status() {
        Ok(ended) => {
            let counts = counts_since(&folder, &before);
            if counts.is_empty() {
                eprintln!(
                    "tracewright: nothing was recorded: no class to record was loaded by a JVM that this command started (one that runs already, \
                     as the daemon of a build tool, is not reached)"
                );
            }
            for (reason, _) in counts.iter().filter(|(reason, _)| reason.starts_with("recording stopped")) {
                eprintln!("tracewright: {reason}");
            }
            ExitCode::from(code_of(ended))
        }
        Err(error) => failed(status::UNUSABLE_INPUT, &format!("cannot run {program}: {error}")),
    }
}

pub(crate) fn replay(session: &Path, json: bool, threads: usize) -> ExitCode {
    match engine::replay_session(session, threads) {
        Ok(report) => {
            if json {
                println!("{}", report.json());
            } else {
                print!("{}", report.text());
            }
            ExitCode::from(status::DONE)
        }
        Err(error) => {
            let code = match error {
                EngineError::Use(_) => status::WRONG_USE,
                EngineError::Input(_) => status::UNUSABLE_INPUT,
                EngineError::Fault(_) => status::FAULT,
            };
            failed(code, &error.to_string())
        }
    }
}

fn failed(code: u8, sentence: &str) -> ExitCode {
    eprintln!("tracewright: {sentence}");
    ExitCode::from(code)
}

/// A signal's number on top of 128, as shells have it.
fn code_of(status: std::process::ExitStatus) -> u8 {
    use std::os::unix::process::ExitStatusExt as _;
    match (status.code(), status.signal()) {
        (Some(code), _) => code as u8,
        (None, Some(signal)) => 128_u8.wrapping_add(signal as u8),
        (None, None) => super::status::FAULT,
    }
}
