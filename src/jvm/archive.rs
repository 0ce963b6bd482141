//! Archives of loaded classes: a JVM that starts from one has the classes of the compiler or of JUnit without reading
//! and checking them again (class data sharing, JEP 350).
//!
//! In: the JDK, the user's folder for caches, the jar of JUnit. Out: options for JVMs that read or write an archive,
//! and the file itself. Must not know what these JVMs are asked for.
//!
//! A JVM ignores an archive that was written by another JDK, or on a class path that its own does not begin with: it is
//! then as slow as without one. A jar is known by its time as well as its path, so that the jar of the runner lies
//! beside the archives. A JVM never sees an archive that is not complete: one is written under another name.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use super::process::{RUNNER_JAR, RUNNER_JAR_NAME, write_runner_jar};
use super::{Jdk, JvmError};

/// An unfinished archive that is older belongs to a process that was killed.
const FORGOTTEN: Duration = Duration::from_secs(600);
/// Folders of archives that are kept: one for each JDK and each version of the program. One takes some 20 MB.
const MOST_FOLDERS: usize = 6;

/// The JVMs that have an archive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ArchiveKind {
    /// Those that compile.
    Compiler,
    /// Those that run JUnit classes.
    Junit,
}

/// Where the archives for one JDK lie. The folder and its files may go at any time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClassArchives {
    folder: PathBuf,
}

/// The right to write an archive. Dropped unfinished, it leaves nothing.
#[derive(Debug)]
pub struct UnfinishedArchive {
    archives: ClassArchives,
    kind: ArchiveKind,
}

/// What a JVM does with the archive of its kind.
#[derive(Debug)]
pub(super) enum ArchiveUse {
    /// Nothing.
    None,
    /// It starts from the archive where there is one.
    Reads(ClassArchives),
    /// It writes the archive when it ends.
    Writes(UnfinishedArchive),
}

impl ClassArchives {
    /// The folder below `cache` for this JDK and this jar of JUnit.
    ///
    /// # Errors
    /// The folder cannot be made or written to, or there is no such jar.
    pub fn open(cache: &Path, jdk: &Jdk, junit: &Path) -> io::Result<ClassArchives> {
        let about_junit = fs::metadata(junit)?;
        let mut hasher = blake3::Hasher::new();
        hasher.update(format!("{jdk:?} {junit:?} {} {:?}", about_junit.len(), about_junit.modified()?).as_bytes());
        hasher.update(RUNNER_JAR);
        let folder = cache.join(format!("classes-{}-{}", jdk.full_version, &hasher.finalize().to_hex()[..16]));
        if !folder.exists() {
            remove_oldest(cache);
        }
        fs::create_dir_all(&folder)?;
        write_runner_jar(&folder)?;
        Ok(ClassArchives { folder })
    }

    /// The folder with the archives and the runner's jar.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Whether the archive is there, or could not be written by this JDK.
    pub fn has(&self, kind: ArchiveKind) -> bool {
        self.file(kind).exists()
    }

    /// The right to write the archive; `None` where it is there, or another process is writing it.
    ///
    /// # Errors
    /// [`JvmError::Io`] where the folder cannot be written to.
    pub fn begin(&self, kind: ArchiveKind) -> Result<Option<UnfinishedArchive>, JvmError> {
        if self.has(kind) {
            return Ok(None);
        }
        let file = self.unfinished_file(kind);
        let age = fs::metadata(&file).and_then(|metadata| metadata.modified()).ok().map(|time| time.elapsed());
        if age.is_some_and(|age| age.is_ok_and(|age| age > FORGOTTEN)) {
            // Another process may remove it as well.
            let _ = fs::remove_file(&file);
        }
        match OpenOptions::new().write(true).create_new(true).open(&file) {
            Ok(_) => Ok(Some(UnfinishedArchive { archives: self.clone(), kind })),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(None),
            Err(source) => Err(JvmError::Io { what: format!("{} cannot be written", file.display()), source }),
        }
    }

    fn unfinished_file(&self, kind: ArchiveKind) -> PathBuf {
        self.file(kind).with_extension("part")
    }

    fn file(&self, kind: ArchiveKind) -> PathBuf {
        self.folder.join(match kind {
            ArchiveKind::Compiler => "compiler.jsa",
            ArchiveKind::Junit => "junit.jsa",
        })
    }
}

impl UnfinishedArchive {
    fn file(&self) -> PathBuf {
        self.archives.unfinished_file(self.kind)
    }

    /// Gives the archive its name, once its JVM has ended. An empty one says that this JDK writes none.
    ///
    /// # Errors
    /// The file is gone, or the folder cannot be written to.
    fn finish(self) -> io::Result<()> {
        let file = self.file();
        if !file.exists() {
            File::create(&file)?;
        }
        fs::rename(file, self.archives.file(self.kind))
    }
}

impl Drop for UnfinishedArchive {
    fn drop(&mut self) {
        let _ = fs::remove_file(self.file());
    }
}

impl ArchiveUse {
    /// It starts from one of these where there are any.
    pub(super) fn reading(archives: Option<&ClassArchives>) -> ArchiveUse {
        archives.cloned().map_or(ArchiveUse::None, ArchiveUse::Reads)
    }

    /// Keeps what a JVM has written that ended without an error. Gives whether there is such an archive.
    pub(super) fn finish(self) -> bool {
        match self {
            ArchiveUse::Writes(unfinished) => unfinished.finish().is_ok(),
            ArchiveUse::None | ArchiveUse::Reads(_) => false,
        }
    }

    /// The options of a JVM of this kind.
    pub(super) fn options(&self, kind: ArchiveKind) -> Vec<String> {
        let mut options = match self {
            ArchiveUse::Reads(archives) if has_bytes(&archives.file(kind)) => {
                vec![format!("-XX:SharedArchiveFile={}", archives.file(kind).display())]
            }
            ArchiveUse::Writes(unfinished) => vec![
                format!("-XX:ArchiveClassesAtExit={}", unfinished.file().display()),
                "-Dtracewright.leaves.classes=true".into(),
            ],
            ArchiveUse::None | ArchiveUse::Reads(_) => return Vec::new(),
        };
        // A JVM warns of each class that it leaves out, and of an archive that does not fit.
        options.extend(["-Xlog:disable".into(), "-Xlog:all=error:stderr".into()]);
        options
    }

    /// The jar of the runner that the archive was written with.
    pub(super) fn runner_jar(&self) -> Option<PathBuf> {
        let archives = match self {
            ArchiveUse::None => return None,
            ArchiveUse::Reads(archives) => archives,
            ArchiveUse::Writes(unfinished) => &unfinished.archives,
        };
        write_runner_jar(&archives.folder).ok()
    }
}

fn has_bytes(file: &Path) -> bool {
    fs::metadata(file).is_ok_and(|metadata| metadata.len() > 0)
}

/// Removes the folders that were made first where there are too many. What cannot be removed stays.
fn remove_oldest(cache: &Path) {
    let Ok(entries) = fs::read_dir(cache) else { return };
    // The user may have named a folder that holds something else as well.
    let is_ours = |folder: &PathBuf| folder.join(RUNNER_JAR_NAME).is_file();
    let dated = |folder: PathBuf| Some((fs::metadata(&folder).and_then(|metadata| metadata.modified()).ok()?, folder));
    let folders = entries.filter_map(Result::ok).map(|entry| entry.path()).filter(is_ours);
    let mut folders: Vec<(SystemTime, PathBuf)> = folders.filter_map(dated).collect();
    folders.sort();
    let too_many = (folders.len() + 1).saturating_sub(MOST_FOLDERS);
    for (_, folder) in &folders[..too_many] {
        let _ = fs::remove_dir_all(folder);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn archives() -> (tempfile::TempDir, ClassArchives) {
        let cache = tempfile::tempdir().unwrap();
        let junit = cache.path().join("junit.jar");
        fs::write(&junit, "x").unwrap();
        let jdk = Jdk { home: "/jdk".into(), version: 17, full_version: "17.0.1".into(), has_compiler: true };
        let archives = ClassArchives::open(cache.path(), &jdk, &junit).unwrap();
        (cache, archives)
    }

    #[test]
    fn one_process_writes_an_archive_and_others_see_it_whole() {
        let (_cache, archives) = archives();
        let options = |kind| ArchiveUse::reading(Some(&archives)).options(kind);
        assert!(options(ArchiveKind::Junit).is_empty());
        let unfinished = archives.begin(ArchiveKind::Junit).unwrap().expect("nothing was written yet");
        assert!(archives.begin(ArchiveKind::Junit).unwrap().is_none(), "another process writes it");
        assert!(archives.begin(ArchiveKind::Compiler).unwrap().is_some(), "nothing is written by a dropped right");
        assert!(archives.begin(ArchiveKind::Compiler).unwrap().is_some());
        fs::write(unfinished.file(), "classes").unwrap();
        assert!(options(ArchiveKind::Junit).is_empty());
        unfinished.finish().unwrap();
        assert!(options(ArchiveKind::Junit)[0].ends_with("junit.jsa"));
        assert!(archives.begin(ArchiveKind::Junit).unwrap().is_none());
    }

    #[test]
    fn an_archive_that_a_jdk_cannot_write_is_not_tried_again() {
        let (_cache, archives) = archives();
        let unfinished = archives.begin(ArchiveKind::Compiler).unwrap().expect("nothing was written yet");
        fs::remove_file(unfinished.file()).unwrap();
        unfinished.finish().unwrap();
        assert!(archives.begin(ArchiveKind::Compiler).unwrap().is_none());
        assert!(ArchiveUse::reading(Some(&archives)).options(ArchiveKind::Compiler).is_empty());
    }

    #[test]
    fn an_unfinished_archive_of_a_killed_process_is_forgotten() {
        let (_cache, archives) = archives();
        let unfinished = archives.begin(ArchiveKind::Junit).unwrap().expect("nothing was written yet");
        let file = unfinished.file();
        std::mem::forget(unfinished);
        assert!(archives.begin(ArchiveKind::Junit).unwrap().is_none());
        let old = SystemTime::now() - FORGOTTEN - Duration::from_secs(1);
        File::options().write(true).open(&file).unwrap().set_modified(old).unwrap();
        assert!(archives.begin(ArchiveKind::Junit).unwrap().is_some());
    }

    #[test]
    fn folders_of_other_versions_go_when_there_are_many() {
        let (cache, archives) = archives();
        for number in 0..9 {
            let folder = cache.path().join(format!("classes-{number}"));
            fs::create_dir(&folder).unwrap();
            fs::write(folder.join(RUNNER_JAR_NAME), "x").unwrap();
        }
        fs::create_dir(cache.path().join("classes-of-the-user")).unwrap();
        fs::remove_dir_all(&archives.folder).unwrap();
        remove_oldest(cache.path());
        assert_eq!(fs::read_dir(cache.path()).unwrap().count(), MOST_FOLDERS - 1 + 2, "a jar and a folder are not ours");
    }
}
