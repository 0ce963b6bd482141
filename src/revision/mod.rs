//! An earlier state of the sources, as git keeps it. Flows in: a folder of the work tree and the name of a revision; flows out: which files are not as they
//! were, and what they were. Must not know classes, nor what is done with the files.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use thiserror::Error;

/// One sentence each, for the user.
#[derive(Debug, Error)]
pub(crate) enum RevisionError {
    #[error("git cannot be started ({0}): --since asks it what changed")]
    NoGit(std::io::Error),
    #[error("{0} is in no git work tree: --since asks git what changed")]
    NoWorkTree(PathBuf),
    #[error("{0} is no revision that git knows here")]
    Unknown(String),
    #[error("git {command} failed: {said}")]
    Failed { command: String, said: String },
}

/// A file that is not as it was.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct ChangedFile {
    /// From the top of the work tree on, with `/`.
    pub(crate) path: String,
    /// It was there then.
    pub(crate) existed: bool,
    /// It is there now.
    pub(crate) exists: bool,
}

#[derive(Debug)]
pub(crate) struct Revision {
    top: PathBuf,
    commit: String,
}

impl Revision {
    pub(crate) fn open(folder: &Path, name: &str) -> Result<Revision, RevisionError> {
        let top = git(folder, ["rev-parse", "--show-toplevel"]).map_err(|error| match error {
            RevisionError::Failed { .. } => RevisionError::NoWorkTree(folder.to_path_buf()),
            other => other,
        })?;
        let top = PathBuf::from(top.trim_end_matches(['\n', '\r']));
        let commit = format!("{name}^{{commit}}");
        let commit = git(&top, ["rev-parse", "--verify", "--quiet", &commit]).map_err(|error| match error {
            RevisionError::Failed { .. } => RevisionError::Unknown(name.to_owned()),
            other => other,
        })?;
        Ok(Revision { top, commit: commit.trim().to_owned() })
    }

    /// What the work tree has otherwise, committed or not, by path.
    pub(crate) fn changed_files(&self) -> Result<Vec<ChangedFile>, RevisionError> {
        let tracked = git(&self.top, ["diff", "--name-status", "--no-renames", "--no-ext-diff", "-z", &self.commit, "--"])?;
        let new = git(&self.top, ["ls-files", "--others", "--exclude-standard", "-z"])?;
        let mut files = changed(&tracked);
        files.extend(new.split('\0').filter(|path| !path.is_empty()).map(|path| ChangedFile {
            path: path.to_owned(),
            existed: false,
            exists: true,
        }));
        files.sort();
        files.dedup_by(|a, b| a.path == b.path);
        Ok(files)
    }

    /// What a file held.
    pub(crate) fn text(&self, path: &str) -> Result<String, RevisionError> {
        git(&self.top, ["cat-file", "blob", &format!("{}:{path}", self.commit)])
    }
}

/// The output of `git diff --name-status -z`: a letter, a path, and so on.
fn changed(status: &str) -> Vec<ChangedFile> {
    let mut fields = status.split('\0').filter(|field| !field.is_empty());
    let mut files = Vec::new();
    while let (Some(letter), Some(path)) = (fields.next(), fields.next()) {
        files.push(ChangedFile { path: path.to_owned(), existed: !letter.starts_with('A'), exists: !letter.starts_with('D') });
    }
    files
}

fn git<S: AsRef<OsStr>>(folder: &Path, arguments: impl IntoIterator<Item = S>) -> Result<String, RevisionError> {
    let mut command = Command::new("git");
    command.arg("-C").arg(folder).args(arguments).stdin(Stdio::null());
    let output = command.output().map_err(RevisionError::NoGit)?;
    if !output.status.success() {
        let name = command.get_args().nth(2).map(|name| name.to_string_lossy().into_owned());
        let said = String::from_utf8_lossy(&output.stderr);
        let said = said.lines().next().unwrap_or("it says nothing").to_owned();
        return Err(RevisionError::Failed { command: name.unwrap_or_default(), said });
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Whether a class of this package, compiled from a file of this name, may come from the file at this path. Java keeps packages and folders alike; other languages
/// need not.
pub(crate) fn may_be_source_of(path: &str, package: &str, source_file: &str) -> bool {
    let Some(folder) = path.strip_suffix(source_file) else { return false };
    if !(folder.is_empty() || folder.ends_with('/')) {
        return false;
    }
    let folder = folder.trim_end_matches('/');
    !source_file.ends_with(".java") || package.is_empty() || folder == package || folder.ends_with(&format!("/{package}"))
}

/// The folder that holds the packages: what stands before the package in the path of a source.
pub(crate) fn source_root<'a>(path: &'a str, package: &str) -> &'a str {
    let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
    folder.strip_suffix(package).unwrap_or(folder)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_git_says_is_read() {
        let text = |files: &[ChangedFile]| {
            let lines = files.iter().map(|file| format!("{} {}{}", file.path, u8::from(file.existed), u8::from(file.exists)));
            lines.collect::<Vec<_>>().join(", ")
        };
        assert_eq!(text(&changed("M\0a/B.java\0A\0c d.java\0D\0e\0T\0f\0")), "a/B.java 11, c d.java 01, e 10, f 11");
        assert!(changed("").is_empty());
    }

    #[test]
    fn classes_are_found_by_the_paths_of_their_sources() {
        for (path, package, file, expected) in [
            ("src/main/java/a/b/C.java", "a/b", "C.java", true),
            ("a/b/C.java", "a/b", "C.java", true),
            ("src/xa/b/C.java", "a/b", "C.java", false),
            ("src/a/b/BC.java", "a/b", "C.java", false),
            ("src/b/C.java", "a/b", "C.java", false),
            ("C.java", "", "C.java", true),
            ("kotlin/C.kt", "a/b", "C.kt", true),
            ("kotlin/BC.kt", "a/b", "C.kt", false),
        ] {
            assert_eq!(may_be_source_of(path, package, file), expected, "{path} {package}");
        }
        assert_eq!(source_root("src/main/java/a/b/C.java", "a/b"), "src/main/java/");
        assert_eq!(source_root("C.java", ""), "");
    }

    #[test]
    fn what_cannot_be_is_said() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let error = Revision::open(folder.path(), "HEAD").expect_err("no work tree").to_string();
        assert!(error.ends_with("is in no git work tree: --since asks git what changed"), "{error}");
        git(folder.path(), ["init", "--quiet"]).expect("git works");
        let error = Revision::open(folder.path(), "no-such").expect_err("no commit").to_string();
        assert_eq!(error, "no-such is no revision that git knows here");
    }
}
