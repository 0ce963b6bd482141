//! Constraint trees in the folder of a session: `trees/<binary name>.trees`, one file for each
//! class under test.
//!
//! In and out: the text of the trees, whole or not at all. The first line is
//! `trees <version> <hash of the rest>`. A file that does not match is reported and not used. Must
//! not know the format of the text.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use tracewright_trace::class_hash;

use crate::files;
use crate::program::ClassName;

/// Version of the format; files of another one are not read.
const VERSION: u32 = 1;
const FOLDER: &str = "trees";
const EXTENSION: &str = "trees";
/// Folder of the labelled attempts within a session.
pub(crate) const TRAINING_FOLDER: &str = "training";
/// Limit of one file, in bytes.
pub(crate) const MAX_BYTES: usize = 16 << 20;
/// Files of one session; further classes are not written.
const MAX_FILES: usize = 1_000;

/// Whether a session without recordings may start in the folder: it exists and has only trees and
/// training data. A folder that does not exist is more likely a mistyped name.
pub(crate) fn can_start_session(session: &Path) -> bool {
    let Ok(mut entries) = fs::read_dir(session) else { return false };
    entries.all(|entry| entry.is_ok_and(|entry| entry.file_name() == FOLDER || entry.file_name() == TRAINING_FOLDER))
}

/// The classes of which the session has trees, ascending by name.
pub(crate) fn classes_with_trees(session: &Path) -> Vec<ClassName> {
    let files = fs::read_dir(session.join(FOLDER)).into_iter().flatten().flatten().map(|entry| entry.path());
    let files = files.filter(|path| path.extension().is_some_and(|extension| extension == EXTENSION));
    let mut names: Vec<String> = files.filter_map(|path| Some(path.file_stem()?.to_str()?.replace('.', "/"))).collect();
    names.sort();
    names.iter().map(|name| ClassName::new(name)).collect()
}

/// The trees of a class; `None` when there are none.
///
/// # Errors
/// One sentence, when the file is too large, unreadable, damaged, or of another version.
pub(crate) fn read_trees(session: &Path, class: &ClassName) -> Result<Option<String>, String> {
    let path = file(session, class);
    let ignored = |why: &dyn std::fmt::Display| format!("{} is not used: {why}", path.display());
    match fs::metadata(&path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(ignored(&error)),
        Ok(metadata) if metadata.len() > MAX_BYTES as u64 => return Err(ignored(&"it is too large")),
        Ok(_) => {}
    }
    let text = fs::read_to_string(&path).map_err(|error| ignored(&error))?;
    let (head, body) = text.split_once('\n').unwrap_or((&text, ""));
    let Some((version, hash)) = head.strip_prefix("trees ").and_then(|words| words.split_once(' ')) else {
        return Err(ignored(&"it is no file of trees"));
    };
    if version.parse() != Ok(VERSION) {
        return Err(ignored(&format_args!("its version is {version}, not {VERSION}")));
    }
    if hash != format!("{:016x}", class_hash(body.as_bytes())) {
        return Err(ignored(&"it is damaged"));
    }
    Ok(Some(body.to_owned()))
}

/// Replaces the trees of a class. A concurrent reader sees the old file or the new one.
///
/// # Errors
/// One sentence, when the file cannot be written or the session has too many.
pub(crate) fn write_trees(session: &Path, class: &ClassName, body: &str) -> Result<(), String> {
    let path = file(session, class);
    let folder = session.join(FOLDER);
    let write = || {
        fs::create_dir_all(&folder)?;
        if !path.exists() && fs::read_dir(&folder)?.count() >= MAX_FILES {
            return Err(io::Error::other(format!("there are {MAX_FILES} files already")));
        }
        let text = format!("trees {VERSION} {:016x}\n{body}", class_hash(body.as_bytes()));
        files::write_atomically(&path, text.as_bytes())
    };
    write().map_err(|error| format!("no trees are kept in {}: {error}", path.display()))
}

fn file(session: &Path, class: &ClassName) -> PathBuf {
    session.join(FOLDER).join(format!("{}.{EXTENSION}", class.binary()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_changed_file_is_reported_and_not_used() {
        let session = tempfile::tempdir().expect("a folder");
        let class = ClassName::new("demo/T$U");
        assert!(can_start_session(session.path()) && !can_start_session(&session.path().join("new")));
        assert_eq!(read_trees(session.path(), &class), Ok(None));
        write_trees(session.path(), &class, "one\n").expect("written");
        write_trees(session.path(), &class, "two\n").expect("written");
        assert_eq!(read_trees(session.path(), &class), Ok(Some("two\n".into())));
        assert!(can_start_session(session.path()));
        let path = session.path().join("trees/demo.T$U.trees");
        let whole = fs::read_to_string(&path).expect("text");
        for (text, why) in [
            (whole.replace("two", "too"), "it is damaged"),
            (whole[..whole.len() - 2].to_owned(), "it is damaged"),
            (whole.replace("trees 1", "trees 2"), "its version is 2, not 1"),
            ("two\n".into(), "it is no file of trees"),
            (String::new(), "it is no file of trees"),
        ] {
            fs::write(&path, &text).expect("written");
            assert_eq!(read_trees(session.path(), &class), Err(format!("{} is not used: {why}", path.display())));
        }
        fs::write(&path, [0xff]).expect("written");
        assert!(read_trees(session.path(), &class).is_err());
        fs::write(session.path().join("notes.txt"), "mine").expect("written");
        assert!(!can_start_session(session.path()));
    }
}
