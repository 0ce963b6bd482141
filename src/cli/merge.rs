//! `tracewright merge`: sessions and reports of several machines in one folder.
//!
//! Flows in: folders with sessions, reports or both. Flows out: one such folder. Files of sessions
//! are copied as they are; reports become one.

use super::status;
use crate::files;
use crate::recording::session_files;
use crate::report::{self, Report};
use std::path::{Path, PathBuf};

/// Merges the folders into `out` and gives a summary of one or two lines. The error is an exit
/// status and one sentence.
pub(crate) fn merge(folders: &[PathBuf], out: &Path) -> Result<String, (u8, String)> {
    let unusable = |sentence: String| (status::UNUSABLE_INPUT, sentence);
    let mut reports = Vec::new();
    let mut sessions: Vec<PathBuf> = Vec::new();
    for folder in folders {
        let there = session_files(folder);
        let file = folder.join("report.json");
        if there.is_empty() && !file.is_file() {
            return Err(unusable(format!("{} holds neither a session nor a report.json", folder.display())));
        }
        if file.is_file() {
            let report = Report::read(folder).map_err(|error| unusable(format!("cannot read {}: {error}", file.display())))?;
            reports.push((folder.display().to_string(), report));
        }
        sessions.extend(there);
    }
    let missing = report::missing_shards(&reports);
    let count = reports.len();
    let merged = if reports.is_empty() { None } else { Some(report::merged(reports).map_err(unusable)?) };
    let unwritable = |error: std::io::Error| (status::WRONG_USE, format!("cannot write to {}: {error}", out.display()));
    std::fs::create_dir_all(out).map_err(unwritable)?;
    for file in &sessions {
        copy(file, out)
            .map_err(|error| (status::WRONG_USE, format!("cannot copy {} to {}: {error}", file.display(), out.display())))?;
    }
    if let Some(report) = &merged {
        report.write(out).map_err(unwritable)?;
        report.write_views(out).map_err(unwritable)?;
    }
    let mut parts = Vec::new();
    if let Some(report) = &merged {
        let tests: usize = report.classes.iter().map(|class| class.tests).sum();
        parts.push(format!("{count} reports ({tests} tests for {} classes)", report.classes.len()));
    }
    if !sessions.is_empty() {
        parts.push(format!("{} processes of sessions", sessions.len()));
    }
    let mut summary = format!("{} merged into {}\n", parts.join(" and "), out.display());
    if !missing.is_empty() {
        summary += &format!("not among them: {}\n", missing.join(", "));
    }
    Ok(summary)
}

/// Copies a file under its own name, or under the next free one where another file has that name.
fn copy(file: &Path, out: &Path) -> std::io::Result<()> {
    let bytes = std::fs::read(file)?;
    let stem = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let extension = file.extension().unwrap_or_default().to_string_lossy().into_owned();
    for number in 1_u32.. {
        let name = if number == 1 { format!("{stem}.{extension}") } else { format!("{stem}-{number}.{extension}") };
        match std::fs::read(out.join(&name)) {
            Ok(there) if there == bytes => return Ok(()),
            Ok(_) => {}
            Err(_) => return files::write_atomically(&out.join(&name), &bytes),
        }
    }
    Ok(())
}
