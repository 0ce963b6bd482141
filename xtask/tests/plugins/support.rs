//! Projects copied and made on the fly, builds of them, and what they leave.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Mutex, MutexGuard};
use std::time::SystemTime;
use tracewright_test_support::{jdks, require};

/// Two builds at a time would want more memory than small machines have, and both would wait for locks of the same caches.
static ONE_BUILD: Mutex<()> = Mutex::new(());

pub(crate) const VERSION: &str = env!("CARGO_PKG_VERSION");

pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask lies in the project").to_path_buf()
}

/// A path that `cargo xtask test` names in the environment.
#[track_caller]
pub(crate) fn named_path(variable: &str) -> Option<PathBuf> {
    let path = std::env::var_os(variable).filter(|path| !path.is_empty()).map(PathBuf::from);
    require(&format!("{variable}; `cargo xtask test` sets it"), path)
}

/// The JDK that builds run on: what both Gradle 8.11 and Maven 3.8 accept.
pub(crate) fn jdk() -> PathBuf {
    jdks().iter().find(|jdk| (17..=23).contains(&jdk.version)).expect("a JDK from 17 to 23").home.clone()
}

pub(crate) struct Project {
    folder: tempfile::TempDir,
}

/// Gradle names a project by its folder, and takes no name that begins with a dot.
fn folder() -> tempfile::TempDir {
    tempfile::Builder::new().prefix("project-").tempdir().expect("a temporary folder")
}

impl Project {
    /// A sample of the repository, without what builds left in it.
    pub(crate) fn sample(name: &str) -> Project {
        let project = Project { folder: folder() };
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

    pub(crate) fn of(files: &[(&str, &str)]) -> Project {
        let project = Project { folder: folder() };
        for (name, text) in files {
            project.write(name, text);
        }
        project
    }

    pub(crate) fn path(&self, relative: &str) -> PathBuf {
        self.folder.path().join(relative)
    }

    pub(crate) fn write(&self, relative: &str, text: &str) {
        let file = self.path(relative);
        std::fs::create_dir_all(file.parent().expect("a parent")).expect("writable");
        std::fs::write(file, text).expect("writable");
    }

    /// Puts another text in the place of one that is there.
    pub(crate) fn edit(&self, relative: &str, from: &str, to: &str) {
        let text = self.read(relative);
        assert!(text.contains(from), "{from} in {relative}");
        self.write(relative, &text.replace(from, to));
    }

    pub(crate) fn read(&self, relative: &str) -> String {
        let file = self.path(relative);
        std::fs::read_to_string(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()))
    }

    /// Files below a folder whose names end so, with the time of their last change.
    pub(crate) fn files(&self, folder: &str, end: &str) -> BTreeMap<PathBuf, SystemTime> {
        walkdir::WalkDir::new(self.path(folder))
            .into_iter()
            .filter_map(Result::ok)
            .filter(|entry| entry.file_name().to_string_lossy().ends_with(end))
            .map(|entry| (entry.path().to_path_buf(), entry.metadata().expect("there").modified().expect("known")))
            .collect()
    }
}

pub(crate) struct Ended {
    pub ok: bool,
    pub text: String,
}

impl Ended {
    #[track_caller]
    pub(crate) fn well(self) -> Ended {
        assert!(self.ok, "{}", self.text);
        self
    }

    #[track_caller]
    pub(crate) fn badly(self) -> Ended {
        assert!(!self.ok, "{}", self.text);
        self
    }

    #[track_caller]
    pub(crate) fn says(self, part: &str) -> Ended {
        assert!(self.text.contains(part), "`{part}` is not in\n{}", self.text);
        self
    }
}

pub(crate) fn end(command: &mut Command) -> Ended {
    let output = command.stdin(Stdio::null()).output().expect("it starts");
    let text = format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    Ended { ok: output.status.success(), text }
}

pub(crate) fn one_build() -> MutexGuard<'static, ()> {
    ONE_BUILD.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}
