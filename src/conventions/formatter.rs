//! The project's formatter: a command that changes written files. In: the words of the command, the
//! files, a time limit. Out: whether it did its work, with its last words where it did not.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use thiserror::Error;

/// Stands for all files: a word of its own for one argument each, a part of a word for a list with
/// commas.
const ALL_FILES: &str = "{files}";
/// Stands for one file; the command then runs for each.
const ONE_FILE: &str = "{file}";
/// Pause between two looks at the running command.
const PAUSE: Duration = Duration::from_millis(20);
/// Bytes of output in which the last line is looked for.
const LAST_BYTES: u64 = 1 << 16;

/// Why files may be badly formatted; the text continues a sentence about the command.
#[derive(Debug, Error)]
pub(crate) enum FormatterError {
    /// There is no such command, or it may not run.
    #[error("cannot be started ({0})")]
    NotStarted(io::Error),
    /// It ended with another status than 0.
    #[error("failed ({status}): {said}")]
    Failed {
        /// The status in words.
        status: String,
        /// The last line of its output.
        said: String,
    },
    /// It was ended after the time limit.
    #[error("took longer than {} s", .0.as_secs())]
    Late(Duration),
    /// The user interrupted the generation.
    #[error("was interrupted")]
    Interrupted,
}

/// Runs the command over the files, in the folder of this process. `goes_on` is asked again and
/// again, and ends the command with `false`.
///
/// # Errors
/// [`FormatterError`]; the files may be changed all the same.
pub(crate) fn run_formatter(
    words: &[String],
    files: &[PathBuf],
    limit: Duration,
    goes_on: &dyn Fn() -> bool,
) -> Result<(), FormatterError> {
    let deadline = Instant::now() + limit;
    // Some commands compare paths with patterns, which the user knows for absolute ones.
    let absolute = |file: &PathBuf| std::path::absolute(file).unwrap_or_else(|_| file.clone());
    let files: Vec<PathBuf> = files.iter().map(absolute).collect();
    command_lines(words, &files).iter().try_for_each(|line| run(line, limit, deadline, goes_on))
}

/// The commands to run, each with its arguments.
fn command_lines(words: &[String], files: &[PathBuf]) -> Vec<Vec<String>> {
    let files: Vec<String> = files.iter().map(|file| file.display().to_string()).collect();
    if words.iter().any(|word| word.contains(ONE_FILE)) {
        let line = |file: &String| words.iter().map(|word| word.replace(ONE_FILE, file)).collect();
        return files.iter().map(line).collect();
    }
    let mut line = Vec::new();
    for word in words {
        if word == ALL_FILES {
            line.extend(files.iter().cloned());
        } else {
            line.push(word.replace(ALL_FILES, &files.join(",")));
        }
    }
    if !words.iter().any(|word| word.contains(ALL_FILES)) {
        line.extend(files);
    }
    vec![line]
}

fn run(line: &[String], limit: Duration, deadline: Instant, goes_on: &dyn Fn() -> bool) -> Result<(), FormatterError> {
    let Some((program, arguments)) = line.split_first() else { return Ok(()) };
    let mut output = tempfile::tempfile().map_err(FormatterError::NotStarted)?;
    let mut command = Command::new(program);
    command.args(arguments).stdin(Stdio::null());
    command.stdout(output.try_clone().map_err(FormatterError::NotStarted)?);
    command.stderr(output.try_clone().map_err(FormatterError::NotStarted)?);
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    let mut child = command.spawn().map_err(FormatterError::NotStarted)?;
    loop {
        match child.try_wait() {
            Ok(Some(status)) if status.success() => return Ok(()),
            Ok(Some(status)) => return Err(FormatterError::Failed { status: status.to_string(), said: last_line(&mut output) }),
            Ok(None) => {}
            Err(error) => {
                end(&mut child);
                return Err(FormatterError::NotStarted(error));
            }
        }
        let is_late = Instant::now() >= deadline;
        if is_late || !goes_on() {
            end(&mut child);
            return Err(if is_late { FormatterError::Late(limit) } else { FormatterError::Interrupted });
        }
        std::thread::sleep(PAUSE);
    }
}

/// Ends the command with the processes that it has started, so that none changes a file later.
fn end(child: &mut Child) {
    #[cfg(unix)]
    if let Ok(group) = libc::pid_t::try_from(child.id()) {
        // SAFETY: a plain system call. The child leads its own group and has not been waited for,
        // so its number names no other group.
        unsafe { libc::kill(-group, libc::SIGKILL) };
    }
    let _ = child.kill();
    let _ = child.wait();
}

/// The last line of the output that is not empty.
fn last_line(output: &mut File) -> String {
    let length = output.metadata().map_or(0, |data| data.len());
    let start = length.saturating_sub(LAST_BYTES);
    let mut bytes = Vec::new();
    if output.seek(SeekFrom::Start(start)).and_then(|_| output.read_to_end(&mut bytes)).is_err() {
        return "its output cannot be read".into();
    }
    let text = String::from_utf8_lossy(&bytes);
    text.lines().map(str::trim).rfind(|line| !line.is_empty()).unwrap_or("it says nothing").to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        text.split(' ').map(String::from).collect()
    }

    #[test]
    fn files_follow_the_command_or_take_the_place_of_a_placeholder() {
        let files = ["/a/A.java", "/a/B.java"].map(PathBuf::from);
        for (command, expected) in [
            ("fmt -i", "fmt -i /a/A.java /a/B.java"),
            ("fmt {files} -i", "fmt /a/A.java /a/B.java -i"),
            ("mvn -Dfiles={files}", "mvn -Dfiles=/a/A.java,/a/B.java"),
            ("fmt {file} -i", "fmt /a/A.java -i; fmt /a/B.java -i"),
        ] {
            let lines: Vec<String> = command_lines(&words(command), &files).iter().map(|line| line.join(" ")).collect();
            assert_eq!(lines.join("; "), expected, "{command}");
        }
    }

    #[test]
    fn each_failure_has_its_words() {
        let run = |script: &str, limit: u64, goes_on: bool| {
            let words = ["sh", "-c", script].map(String::from);
            let ended = run_formatter(&words, &[], Duration::from_millis(limit), &|| goes_on);
            ended.map_err(|error| error.to_string())
        };
        assert_eq!(run("exit 0", 60_000, true), Ok(()));
        let failed = run("echo one; echo two >&2; echo; exit 3", 60_000, true);
        assert_eq!(failed, Err("failed (exit status: 3): two".into()));
        assert_eq!(run("sleep 60", 30, true), Err("took longer than 0 s".into()));
        assert_eq!(run("sleep 60", 60_000, false), Err("was interrupted".into()));
        let missing = run_formatter(&words("/no/such/program"), &[], Duration::from_secs(60), &|| true);
        assert!(missing.expect_err("no program").to_string().starts_with("cannot be started ("));
    }
}
