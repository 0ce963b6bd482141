//! An earlier state of the sources, read from git.
//!
//! In: a folder of the work tree and the name of a revision. Out: the files that differ, and their
//! earlier text. Must not know class files, or what the files are used for. It calls the `git`
//! command, as users have configured it.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use thiserror::Error;

/// Errors of git, each one sentence for the user.
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

/// A file that differs from the revision.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct ChangedFile {
    /// Relative to the top of the work tree, with `/` as separator.
    pub(crate) path: String,
    /// The file existed in the revision.
    pub(crate) existed: bool,
    /// The file exists in the work tree.
    pub(crate) exists: bool,
}

/// A commit of the work tree around a folder.
#[derive(Debug)]
pub(crate) struct Revision {
    top: PathBuf,
    commit: String,
}

impl Revision {
    /// The commit that `name` stands for.
    ///
    /// # Errors
    /// [`RevisionError::NoGit`], [`RevisionError::NoWorkTree`] or [`RevisionError::Unknown`].
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

    /// The files that differ from the commit, committed or not, untracked ones included; by path.
    ///
    /// # Errors
    /// [`RevisionError::Failed`].
    pub(crate) fn changed_files(&self) -> Result<Vec<ChangedFile>, RevisionError> {
        let tracked = git(&self.top, ["diff", "--name-status", "--no-renames", "--no-ext-diff", "-z", &self.commit, "--"])?;
        let new = git(&self.top, ["ls-files", "--others", "--exclude-standard", "-z"])?;
        let mut files = parse_changed_files(&tracked);
        files.extend(new.split('\0').filter(|path| !path.is_empty()).map(|path| ChangedFile {
            path: path.to_owned(),
            existed: false,
            exists: true,
        }));
        files.sort();
        files.dedup_by(|a, b| a.path == b.path);
        Ok(files)
    }

    /// The text of a file in the commit.
    ///
    /// # Errors
    /// [`RevisionError::Failed`] when the commit does not have the file.
    pub(crate) fn text(&self, path: &str) -> Result<String, RevisionError> {
        git(&self.top, ["cat-file", "blob", &format!("{}:{path}", self.commit)])
    }

    /// The package that a Java source in the work tree declares, with `/` as separator; `None` where it declares none
    /// or cannot be read.
    pub(crate) fn declared_package(&self, path: &str) -> Option<String> {
        package_of_source(&std::fs::read_to_string(self.top.join(path)).ok()?)
    }
}

/// The package that the source declares at the begin of a line, with `/` as separator.
fn package_of_source(source: &str) -> Option<String> {
    let declared = source.lines().find_map(|line| line.trim_start().strip_prefix("package "))?;
    Some(declared.split_once(';')?.0.trim().replace('.', "/"))
}

/// Parses the output of `git diff --name-status -z`: a letter, a path, a letter, a path.
pub(crate) fn parse_changed_files(status: &str) -> Vec<ChangedFile> {
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

/// Whether a class of the package, compiled from a file of this name, may come from the file at the
/// path. Most Java sources lie in folders named like their packages; sources of other languages need
/// not.
pub(crate) fn may_be_source_of(path: &str, package: &str, source_file: &str) -> bool {
    let Some(folder) = path.strip_suffix(source_file) else { return false };
    if !(folder.is_empty() || folder.ends_with('/')) {
        return false;
    }
    let folder = folder.trim_end_matches('/');
    !source_file.ends_with(".java") || package.is_empty() || folder == package || folder.ends_with(&format!("/{package}"))
}

/// The source root: the path of a source file up to its package.
pub(crate) fn source_root<'a>(path: &'a str, package: &str) -> &'a str {
    let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
    folder.strip_suffix(package).unwrap_or(folder)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_source_declares_its_package() {
        assert_eq!(package_of_source("// Text.\n\npackage org.money ;\nclass A {}"), Some("org/money".to_owned()));
        assert_eq!(package_of_source("class A { String text = \"package a;\"; }"), None);
    }

    #[test]
    fn the_output_of_git_diff_is_parsed() {
        let text = |files: &[ChangedFile]| {
            let lines = files.iter().map(|file| format!("{} {}{}", file.path, u8::from(file.existed), u8::from(file.exists)));
            lines.collect::<Vec<_>>().join(", ")
        };
        assert_eq!(text(&parse_changed_files("M\0a/B.java\0A\0c d.java\0D\0e\0T\0f\0")), "a/B.java 11, c d.java 01, e 10, f 11");
        assert!(parse_changed_files("").is_empty());
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
    fn a_missing_work_tree_or_commit_is_an_error() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let error = Revision::open(folder.path(), "HEAD").expect_err("no work tree").to_string();
        assert!(error.ends_with("is in no git work tree: --since asks git what changed"), "{error}");
        git(folder.path(), ["init", "--quiet"]).expect("git works");
        let error = Revision::open(folder.path(), "no-such").expect_err("no commit").to_string();
        assert_eq!(error, "no-such is no revision that git knows here");
    }
}
