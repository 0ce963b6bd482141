//! Small operations on files that several modules share.
//!
//! Flows in: paths, bytes and text. Flows out: files on disk, or the text of one. Must not know
//! what a file means.

use std::io::{self, Write};
use std::path::Path;

/// Writes the bytes to a temporary file in the same folder, then renames it to `path`. A reader
/// sees the old file or the new one, never a part.
///
/// Fails with the error of the operating system where the folder of `path` is missing or not
/// writable.
pub(crate) fn write_atomically(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let folder = path.parent().unwrap_or(Path::new("."));
    let mut temporary = tempfile::NamedTempFile::new_in(folder)?;
    temporary.write_all(bytes)?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        // Temporary files are readable by their owner alone.
        temporary.as_file().set_permissions(std::fs::Permissions::from_mode(0o644))?;
    }
    temporary.persist(path).map_err(|error| error.error)?;
    Ok(())
}

/// As [`write_atomically`]; a missing folder is created.
pub(crate) fn write_below(folder: &Path, name: &str, bytes: &[u8]) -> io::Result<()> {
    std::fs::create_dir_all(folder)?;
    write_atomically(&folder.join(name), bytes)
}

/// Whether the folder is there and something is in it.
pub(crate) fn is_filled(folder: &Path) -> bool {
    std::fs::read_dir(folder).is_ok_and(|mut entries| entries.next().is_some())
}

/// Removes the folder with all that is in it. What cannot be removed stays.
pub(crate) fn remove_folder(folder: &Path) {
    let _ = std::fs::remove_dir_all(folder);
}

/// Opens a file so that whatever is written goes to its end; the file is created where it is
/// missing.
pub(crate) fn open_for_appending(path: &Path) -> io::Result<Box<dyn Write + Send>> {
    Ok(Box::new(std::fs::OpenOptions::new().create(true).append(true).open(path)?))
}

/// The text of a file; `None` where there is no such file. Bytes that are not UTF-8 become
/// replacement characters.
///
/// Fails where the file exists and cannot be read.
pub(crate) fn read_text_if_exists(path: &Path) -> io::Result<Option<String>> {
    match std::fs::read(path) {
        Ok(bytes) => Ok(Some(String::from_utf8_lossy(&bytes).into_owned())),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// Creates the folder where it is missing, and fails where no file can be created in it.
pub(crate) fn require_writable_folder(folder: &Path) -> io::Result<()> {
    std::fs::create_dir_all(folder)?;
    tempfile::NamedTempFile::new_in(folder).map(drop)
}

/// Result of [`write_unless_edited`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WriteOutcome {
    /// The file holds the text now.
    Written,
    /// The existing file was edited by hand and stays as it is.
    EditedByHand,
}

/// Writes a generated source file. An existing file stays where `is_generated` does not recognise
/// its text as generated and unedited. A file with the same text is not written again, because
/// build tools compare times of modification.
pub(crate) fn write_unless_edited(path: &Path, text: &str, is_generated: impl Fn(&str) -> bool) -> io::Result<WriteOutcome> {
    match std::fs::read(path) {
        Ok(existing) if existing == text.as_bytes() => return Ok(WriteOutcome::Written),
        Ok(existing) if !std::str::from_utf8(&existing).is_ok_and(is_generated) => return Ok(WriteOutcome::EditedByHand),
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder)?;
    }
    write_atomically(path, text.as_bytes())?;
    Ok(WriteOutcome::Written)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_with_the_same_text_keeps_its_time_and_an_edited_file_stays() {
        let folder = tempfile::tempdir().expect("temporary folder");
        let file = folder.path().join("p/ATracewrightTest.java");
        let modified = || std::fs::metadata(&file).and_then(|data| data.modified()).expect("the file exists");
        let is_generated = |text: &str| text.starts_with("// generated");
        let write = |text: &str| write_unless_edited(&file, text, is_generated).expect("writable");
        assert_eq!(write("// generated 1"), WriteOutcome::Written);
        let epoch = std::time::SystemTime::UNIX_EPOCH;
        std::fs::File::options().write(true).open(&file).and_then(|file| file.set_modified(epoch)).expect("its time is set");
        assert_eq!(write("// generated 1"), WriteOutcome::Written);
        assert_eq!(modified(), epoch);
        assert_eq!(write("// generated 2"), WriteOutcome::Written);
        assert_ne!(modified(), epoch);
        std::fs::write(&file, "// edited").expect("writable");
        assert_eq!(write("// generated 3"), WriteOutcome::EditedByHand);
        assert_eq!(std::fs::read_to_string(&file).expect("the file exists"), "// edited");
    }

    #[test]
    fn a_missing_file_is_no_error_and_a_folder_in_its_place_is_one() {
        let folder = tempfile::tempdir().expect("temporary folder");
        assert_eq!(read_text_if_exists(&folder.path().join("missing")).expect("no error"), None);
        assert!(read_text_if_exists(folder.path()).is_err());
        let file = folder.path().join("log");
        for line in ["one\n", "two\n"] {
            open_for_appending(&file).and_then(|mut log| log.write_all(line.as_bytes())).expect("writable");
        }
        assert_eq!(read_text_if_exists(&file).expect("readable").as_deref(), Some("one\ntwo\n"));
    }

    #[test]
    fn an_atomic_write_leaves_no_temporary_file() {
        let folder = tempfile::tempdir().expect("temporary folder");
        let file = folder.path().join("a.txt");
        write_atomically(&file, b"old").and_then(|()| write_atomically(&file, b"new")).expect("writable");
        assert_eq!(std::fs::read(&file).expect("the file exists"), b"new");
        assert_eq!(std::fs::read_dir(folder.path()).expect("a folder").count(), 1);
        assert!(write_atomically(&folder.path().join("missing/a.txt"), b"new").is_err());
        assert!(require_writable_folder(&file).is_err());
    }
}
