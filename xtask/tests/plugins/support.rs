//! Projects for the tests of the build plugins, and the results of their builds.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Mutex, MutexGuard};
use std::time::SystemTime;
use tracewright_test_support::{jdks, require};

/// Builds run one at a time: two need more memory than small machines have, and both lock the same
/// caches.
static BUILD_LOCK: Mutex<()> = Mutex::new(());

/// The version of the plugins.
pub(crate) const VERSION: &str = env!("CARGO_PKG_VERSION");

/// The root of the repository.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask lies in the project").to_path_buf()
}

/// A path that `cargo xtask test` passes in a variable. Without it, the test is skipped, or fails
/// in strict mode.
#[track_caller]
pub(crate) fn named_path(variable: &str) -> Option<PathBuf> {
    let path = std::env::var_os(variable).filter(|path| !path.is_empty()).map(PathBuf::from);
    require(&format!("{variable}; `cargo xtask test` sets it"), path)
}

/// The JDK for builds: one that both Gradle 8.11 and Maven 3.8 support.
pub(crate) fn jdk() -> PathBuf {
    jdks().iter().find(|jdk| (17..=23).contains(&jdk.version)).expect("a JDK from 17 to 23").home.clone()
}

/// A project in a temporary folder.
pub(crate) struct Project {
    folder: tempfile::TempDir,
}

/// A temporary folder. Gradle names a project by its folder and rejects names that begin with a
/// dot.
fn temporary_folder() -> tempfile::TempDir {
    tempfile::Builder::new().prefix("project-").tempdir().expect("a temporary folder")
}

impl Project {
    /// A copy of a sample of the repository, without the output of builds.
    pub(crate) fn sample(name: &str) -> Project {
        let project = Project { folder: temporary_folder() };
        let from = root().join("samples").join(name);
        for entry in walkdir::WalkDir::new(&from)
            .into_iter()
            .filter_entry(|entry| !matches!(entry.file_name().to_str(), Some("build" | "target" | ".gradle")))
        {
            let entry = entry.expect("readable");
            if entry.file_type().is_file() {
                let relative = entry.path().strip_prefix(&from).expect("below");
                project.write(&relative.to_string_lossy(), &std::fs::read_to_string(entry.path()).expect("text"));
            }
        }
        project
    }

    /// A project of these files: paths and texts.
    pub(crate) fn of(files: &[(&str, &str)]) -> Project {
        let project = Project { folder: temporary_folder() };
        for (name, text) in files {
            project.write(name, text);
        }
        project
    }

    /// The absolute path of a file.
    pub(crate) fn path(&self, relative: &str) -> PathBuf {
        self.folder.path().join(relative)
    }

    /// Writes a file and creates its folder.
    pub(crate) fn write(&self, relative: &str, text: &str) {
        let file = self.path(relative);
        std::fs::create_dir_all(file.parent().expect("a parent")).expect("writable");
        std::fs::write(file, text).expect("writable");
    }

    /// Replaces a text that the file must contain.
    pub(crate) fn edit(&self, relative: &str, from: &str, to: &str) {
        let text = self.read(relative);
        assert!(text.contains(from), "{from} in {relative}");
        self.write(relative, &text.replace(from, to));
    }

    /// Commits all files to a git repository in the folder.
    pub(crate) fn commit(&self) {
        for arguments in [&["init", "--quiet"][..], &["add", "."], &["commit", "--quiet", "-m", "all"]] {
            let mut git = Command::new("git");
            git.arg("-C").arg(self.path("")).args(["-c", "user.name=a", "-c", "user.email=a@example.org"]);
            assert!(git.args(["-c", "commit.gpgsign=false"]).args(arguments).status().expect("git starts").success());
        }
    }

    /// The text of a file.
    pub(crate) fn read(&self, relative: &str) -> String {
        let file = self.path(relative);
        std::fs::read_to_string(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()))
    }

    /// The files below a folder whose names end with `end`, with the time of their last change.
    pub(crate) fn files(&self, folder: &str, end: &str) -> BTreeMap<PathBuf, SystemTime> {
        walkdir::WalkDir::new(self.path(folder))
            .into_iter()
            .filter_map(Result::ok)
            .filter(|entry| entry.file_name().to_string_lossy().ends_with(end))
            .map(|entry| (entry.path().to_path_buf(), entry.metadata().expect("there").modified().expect("known")))
            .collect()
    }
}

/// The result of a build or another command.
pub(crate) struct BuildResult {
    /// Whether the exit status is 0.
    pub ok: bool,
    /// Standard output, then standard error.
    pub text: String,
}

impl BuildResult {
    /// Asserts success.
    #[track_caller]
    pub(crate) fn succeeded(self) -> BuildResult {
        assert!(self.ok, "{}", self.text);
        self
    }

    /// Asserts failure.
    #[track_caller]
    pub(crate) fn failed(self) -> BuildResult {
        assert!(!self.ok, "{}", self.text);
        self
    }

    /// Asserts that the output contains a text.
    #[track_caller]
    pub(crate) fn prints(self, part: &str) -> BuildResult {
        assert!(self.text.contains(part), "`{part}` is not in\n{}", self.text);
        self
    }
}

/// Runs a command to its end.
pub(crate) fn run(command: &mut Command) -> BuildResult {
    let output = command.stdin(Stdio::null()).output().expect("it starts");
    let text = format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    BuildResult { ok: output.status.success(), text }
}

/// Waits until no other build runs.
pub(crate) fn lock_build() -> MutexGuard<'static, ()> {
    BUILD_LOCK.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}
