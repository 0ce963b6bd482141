//! The temporary folder of a run. Workers may write there and nowhere else.
//!
//! Flows in: nothing but the folder for temporary files of this machine. Flows out: a folder that is
//! removed when the run ends. A run that is killed leaves its folder behind: the next run removes it. A
//! lock tells folders of living runs from those of dead ones, since the system releases it with the
//! process. Must not know what lies in the folder.

use std::fs::{File, TryLockError};
use std::path::Path;

use tempfile::TempDir;

/// Begin of the names of these folders.
const PREFIX: &str = "tracewright-";
/// The file in the folder that its run holds a lock on.
const LOCK: &str = "lock";

/// A folder that lives as long as this value.
#[derive(Debug)]
pub(crate) struct TemporaryFolder {
    folder: TempDir,
    /// Open for its lock.
    _lock: File,
}

impl TemporaryFolder {
    /// Makes the folder, and removes those of dead runs. The error is one sentence.
    pub(crate) fn new() -> Result<TemporaryFolder, String> {
        let parent = std::env::temp_dir();
        remove_dead(&parent);
        TemporaryFolder::below(&parent).map_err(|error| format!("no temporary folder can be made: {error}"))
    }

    fn below(parent: &Path) -> std::io::Result<TemporaryFolder> {
        let folder = tempfile::Builder::new().prefix(PREFIX).tempdir_in(parent)?;
        // The file gets its name when it is locked: until then, other runs take the folder for one that begins.
        let unnamed = folder.path().join("lock.new");
        let lock = File::create(&unnamed)?;
        // Where the file system has no locks, a later run cannot lock the file either, and leaves the folder.
        let _ = lock.try_lock();
        std::fs::rename(&unnamed, folder.path().join(LOCK))?;
        Ok(TemporaryFolder { folder, _lock: lock })
    }

    /// Where it lies.
    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }
}

/// Removes folders whose runs ended without removing them. What cannot be removed stays.
fn remove_dead(parent: &Path) {
    for entry in std::fs::read_dir(parent).into_iter().flatten().flatten() {
        if entry.file_name().to_str().is_some_and(|name| name.starts_with(PREFIX)) && is_dead(&entry.path()) {
            let _ = std::fs::remove_dir_all(entry.path());
        }
    }
}

/// Whether no process holds the lock of the folder. A folder without the file may have a run that begins.
fn is_dead(folder: &Path) -> bool {
    let path = folder.join(LOCK);
    // Opening a pipe would wait for its other end.
    if !path.symlink_metadata().is_ok_and(|found| found.is_file()) {
        return false;
    }
    let Ok(lock) = File::open(path) else { return false };
    match lock.try_lock() {
        Ok(()) => true,
        Err(TryLockError::WouldBlock | TryLockError::Error(_)) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_of_dead_runs_are_removed_and_those_of_living_runs_stay() {
        let parent = tempfile::tempdir().expect("a folder");
        let living = TemporaryFolder::below(parent.path()).expect("a folder");
        let [dead, beginning, foreign] = ["tracewright-dead", "tracewright-new", "other"].map(|name| parent.path().join(name));
        for folder in [&dead, &beginning, &foreign] {
            std::fs::create_dir_all(folder.join("work")).expect("a folder");
        }
        for folder in [&dead, &foreign] {
            std::fs::write(folder.join(LOCK), "").expect("a file");
        }
        remove_dead(parent.path());
        let is_there = [living.path(), &dead, &beginning, &foreign].map(Path::exists);
        assert_eq!(is_there, [true, false, true, true]);
        let path = living.path().to_path_buf();
        drop(living);
        assert!(!path.exists());
    }
}
