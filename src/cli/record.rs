//! `tracewright record` and `tracewright replay`: a command under the agent, and the replay of its
//! session.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, ExitStatus};

use clap::Args;

use super::{fail, fail_with, installation, status};
use crate::engine;
use crate::recording::{counts_since, session_files};

/// The variable that every JVM reads. Other options in it stay.
const JVM_OPTIONS_VARIABLE: &str = "JAVA_TOOL_OPTIONS";

/// The options of `record`.
#[derive(Args)]
pub(crate) struct Record {
    /// Folder of the session; one that exists is added to.
    #[arg(long, value_name = "DIR", default_value = "tracewright-session")]
    session: PathBuf,
    /// Classes to record; `*` matches anything, several by commas [default: all but the JDK, test
    /// frameworks and build tools].
    #[arg(long, value_name = "GLOB")]
    include: Option<String>,
    #[command(flatten)]
    limits: RecordLimits,
    /// The command, behind `--`.
    #[arg(last = true, required = true, value_name = "COMMAND")]
    command: Vec<String>,
}

/// Limits of a recording. The session counts what a limit leaves out.
#[derive(Args, Debug)]
pub(crate) struct RecordLimits {
    /// Bytes of the session, after which recording stops [default: 1 GiB].
    #[arg(long, value_name = "BYTES")]
    max_session: Option<u64>,
    /// Runs of one method that are kept [default: 1000].
    #[arg(long, value_name = "N")]
    max_runs: Option<u32>,
    /// Per cent of the command's own CPU time, by estimate, after which recording stops [default:
    /// none].
    #[arg(long, value_name = "PERCENT")]
    max_overhead: Option<u32>,
}

impl RecordLimits {
    /// As options of the agent, each behind a comma.
    fn agent_options(&self) -> String {
        let given = [
            ("max-session", self.max_session),
            ("max-runs", self.max_runs.map(u64::from)),
            ("max-overhead", self.max_overhead.map(u64::from)),
        ];
        given.iter().filter_map(|(name, value)| Some(format!(",{name}={}", (*value)?))).collect()
    }
}

/// Runs the command with the agent in every JVM that it starts. Gives the exit status of the
/// command.
pub(crate) fn record(record: &Record) -> ExitCode {
    let session = &record.session;
    let agent = match installation::agent() {
        Ok(agent) => agent,
        Err(sentence) => return fail(status::FAULT, &sentence),
    };
    let folder = match std::fs::create_dir_all(session).and_then(|()| std::fs::canonicalize(session)) {
        Ok(folder) => folder,
        Err(error) => {
            return fail(status::UNUSABLE_INPUT, &format!("cannot make the session {}: {error}", session.display()));
        }
    };
    let before: BTreeSet<PathBuf> = session_files(&folder).into_iter().collect();
    let Some(agent_option) = agent_option(&agent, &folder, record.include.as_deref(), &record.limits) else {
        let sentence = "the paths of the agent and of the session, and the globs, must be without spaces, quotes and commas";
        return fail(status::WRONG_USE, sentence);
    };
    let options = match std::env::var(JVM_OPTIONS_VARIABLE) {
        Ok(others) if !others.trim().is_empty() => format!("{others} {agent_option}"),
        _ => agent_option,
    };
    let [program, arguments @ ..] = &record.command[..] else {
        return fail(status::WRONG_USE, "there is no command to record");
    };
    match Command::new(program).args(arguments).env(JVM_OPTIONS_VARIABLE, options).status() {
        Ok(exit_status) => {
            report_counts(&folder, &before);
            ExitCode::from(shell_status(exit_status))
        }
        Err(error) => fail(status::UNUSABLE_INPUT, &format!("cannot run {program}: {error}")),
    }
}

/// The JVM option that loads the agent. `None` where a path or a glob cannot be written in it: JVMs
/// split the variable at white space without any way to quote, and a comma ends an option of the
/// agent.
fn agent_option(agent: &Path, session: &Path, include: Option<&str>, limits: &RecordLimits) -> Option<String> {
    let session = session.display().to_string();
    let include = include.map(|globs| format!(",include={globs}")).unwrap_or_default();
    let limits = limits.agent_options();
    let option = format!("-agentpath:{}=mode=record,session={session}{include}{limits}", agent.display());
    let is_unusable = option.contains(char::is_whitespace) || option.contains(['"', '\'']) || session.contains(',');
    (!is_unusable).then_some(option)
}

/// Says where nothing was recorded, and where a limit stopped the recording. `before` are the
/// earlier files of the session.
fn report_counts(folder: &Path, before: &BTreeSet<PathBuf>) {
    let counts = counts_since(folder, before);
    if counts.is_empty() {
        eprintln!(
            "tracewright: nothing was recorded: no class to record was loaded by a JVM that this command started \
             (one that runs already, as the daemon of a build tool, is not reached)"
        );
    }
    for (reason, _) in counts.iter().filter(|(reason, _)| reason.starts_with("recording stopped")) {
        eprintln!("tracewright: {reason}");
    }
}

/// Replays a session with the given number of threads and prints the report.
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
        Err(error) => fail_with(&error),
    }
}

/// The exit status as shells give it: the number of a signal counts from 128.
fn shell_status(status: ExitStatus) -> u8 {
    use std::os::unix::process::ExitStatusExt as _;
    match (status.code(), status.signal()) {
        (Some(code), _) => code as u8,
        (None, Some(signal)) => 128_u8.wrapping_add(signal as u8),
        (None, None) => status::FAULT,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_agent_option_has_no_place_for_spaces_quotes_and_commas() {
        let limits = RecordLimits { max_session: Some(9), max_runs: None, max_overhead: Some(5) };
        let option = |session: &str, include| agent_option(Path::new("/a.so"), Path::new(session), include, &limits);
        assert_eq!(
            option("/s", Some("p.*,q.*")).as_deref(),
            Some("-agentpath:/a.so=mode=record,session=/s,include=p.*,q.*,max-session=9,max-overhead=5")
        );
        for (session, include) in [("/a b", None), ("/a,b", None), ("/s", Some("p .*")), ("/'s", None)] {
            assert_eq!(option(session, include), None, "{session} {include:?}");
        }
    }

    #[test]
    fn signals_count_from_128() {
        use std::os::unix::process::ExitStatusExt as _;
        assert_eq!(shell_status(ExitStatus::from_raw(3 << 8)), 3);
        assert_eq!(shell_status(ExitStatus::from_raw(9)), 137);
    }
}
