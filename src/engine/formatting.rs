//! The project's formatter over the written test files (`--format`).
//!
//! Flows in: the report, which names the files. Flows out: formatted files on disk, whose headers
//! hold the hash of the formatted text. Must not know how the command is run. Where the formatter
//! fails or removes a header, files hold the text as it was written, and a message says so.

use std::cell::Cell;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::context::Context;
use super::observer::ClassProgress;
use crate::conventions::{FormatterError, run_formatter};
use crate::emit;
use crate::files;
use crate::report::{CoverageCount, Report};

/// Time limit of the formatter: a build tool that runs one may have to fetch it first.
const LIMIT: Duration = Duration::from_secs(300);
/// The time between two signs of life while the formatter runs.
const SIGN_OF_LIFE: Duration = Duration::from_secs(1);

/// Runs the formatter over the files that the report names, where there is a formatter.
pub(super) fn format_tests(context: &Context<'_>, report: &Report) {
    let Some(command) = &context.config.format else { return };
    let paths = report.classes.iter().filter_map(|class| Some(context.config.out.join(class.file.as_ref()?)));
    let with_text = paths.filter_map(|path| files::read_text_if_exists(&path).ok()?.map(|text| (path, text)));
    let (paths, texts): (Vec<PathBuf>, Vec<String>) = with_text.unzip();
    if paths.is_empty() {
        return;
    }
    let program = command.words().first().map_or("", String::as_str);
    let formatted = if context.interrupt.is_set() {
        Err(FormatterError::Interrupted)
    } else {
        let last_sign = Cell::new(None);
        run_formatter(command.words(), &paths, LIMIT, &|| goes_on(context, &last_sign))
    };
    if let Err(error) = &formatted {
        context.observer.message(&format!("the formatter {program} {error}; the tests stay as they were written"));
    }
    for (path, text) in paths.iter().zip(&texts) {
        let problem = match formatted {
            Ok(()) => renew_header(path, text, program),
            Err(_) => restore(path, text),
        };
        problem.into_iter().for_each(|sentence| context.observer.message(&sentence));
    }
}

/// Shows progress about once a second; false where the user interrupted the generation.
fn goes_on(context: &Context<'_>, last_sign: &Cell<Option<Instant>>) -> bool {
    if last_sign.get().is_none_or(|at| at.elapsed() >= SIGN_OF_LIFE) {
        last_sign.set(Some(Instant::now()));
        context.observer.progress(&ClassProgress {
            class: "all classes".into(),
            phase: "formatting",
            line: CoverageCount::default(),
            branch: CoverageCount::default(),
            tests: 0,
            executions: 0,
            left: None,
        });
    }
    !context.interrupt.is_set()
}

/// Puts the hash of the formatted text into the header. Without it, the file would count as edited
/// by hand. Gives a sentence where the header is gone.
fn renew_header(path: &Path, written: &str, program: &str) -> Option<String> {
    let formatted = files::read_text_if_exists(path).ok().flatten().unwrap_or_default();
    let Some(renewed) = emit::with_new_hash(&formatted) else {
        let sentence = format!(
            "the formatter {program} removed the first line of {}, by which Tracewright knows the file; it stays as it was written",
            path.display()
        );
        return restore(path, written).or(Some(sentence));
    };
    if renewed == formatted { None } else { write(path, &renewed) }
}

/// Writes the text as it was before the formatter ran. Gives a sentence where that fails.
fn restore(path: &Path, written: &str) -> Option<String> {
    let is_same = files::read_text_if_exists(path).is_ok_and(|now| now.as_deref() == Some(written));
    if is_same { None } else { write(path, written) }
}

fn write(path: &Path, text: &str) -> Option<String> {
    let error = files::write_atomically(path, text.as_bytes()).err()?;
    Some(format!("cannot write {}: {error}", path.display()))
}
