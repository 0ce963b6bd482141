//! Shared parts of the end-to-end tests: compiled Java sources, runs of the program, reports.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use tracewright::jvm::Jdk;
use tracewright::report::Report;
use tracewright_test_support::{compile_files, compile_without_warnings, jdks, write_sources};

/// Compiled classes in a temporary folder.
pub(crate) struct Subject {
    pub folder: tempfile::TempDir,
    pub jdk: Jdk,
}

pub(crate) fn samples() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("samples")
}

impl Subject {
    /// Compiles sources given as (file name, text).
    pub(crate) fn of(sources: &[(&str, &str)]) -> Subject {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let files = write_sources(&folder.path().join("src"), sources);
        Subject::compile(folder, &files, &[])
    }

    /// Compiles files that need libraries, and keeps the names of parameters.
    pub(crate) fn with_class_path(files: &[PathBuf], libraries: &[PathBuf]) -> Subject {
        let class_path = std::env::join_paths(libraries).expect("a class path").into_string().expect("UTF-8");
        let folder = tempfile::tempdir().expect("a temporary folder");
        Subject::compile(folder, files, &["-parameters", "-cp", &class_path])
    }

    /// Compiles sources given as (file name, text) for an older Java release.
    pub(crate) fn for_release(release: &str, sources: &[(&str, &str)]) -> Subject {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let files = write_sources(&folder.path().join("src"), sources);
        Subject::compile(folder, &files, &["--release", release])
    }

    /// Compiles files of `samples/`.
    pub(crate) fn of_samples(names: &[&str]) -> Subject {
        let files: Vec<PathBuf> = names.iter().map(|name| samples().join(name)).collect();
        Subject::compile(tempfile::tempdir().expect("a temporary folder"), &files, &[])
    }

    fn compile(folder: tempfile::TempDir, files: &[PathBuf], options: &[&str]) -> Subject {
        let jdk = Jdk::find(Some(&jdks()[0].home)).expect("a usable JDK");
        let options = [&["-nowarn", "-Xlint:-options"][..], options].concat();
        compile_files(&jdk.home, &options, &folder.path().join("classes"), files);
        Subject { folder, jdk }
    }

    /// Checks that javac accepts the written tests of these classes without a warning, and returns
    /// the folder of the compiled tests. `libraries` holds JUnit.
    pub(crate) fn compile_written_tests(&self, package: &str, classes: &[&str], libraries: &[PathBuf]) -> PathBuf {
        let files: Vec<PathBuf> = classes.iter().map(|class| self.source_file(&format!("{package}.{class}"))).collect();
        let compiled = self.folder.path().join("compiled");
        compile_without_warnings(&self.jdk.home, &[&[self.classes()], libraries].concat(), &compiled, &files);
        compiled
    }

    pub(crate) fn classes(&self) -> PathBuf {
        self.folder.path().join("classes")
    }

    pub(crate) fn source_file(&self, class: &str) -> PathBuf {
        self.out().join(format!("{}TracewrightTest.java", class.replace('.', "/")))
    }

    pub(crate) fn out(&self) -> PathBuf {
        self.folder.path().join("out")
    }

    /// `tracewright generate` for these classes; tests and report go into the folder.
    pub(crate) fn generate(&self, class: &str) -> Command {
        self.generate_showing("none", class)
    }

    /// The same with a style of progress.
    pub(crate) fn generate_showing(&self, progress: &str, class: &str) -> Command {
        let mut command = program();
        command
            .current_dir(self.folder.path())
            .args(["generate", "--progress", progress, "--class", class, "--classpath"])
            .arg(self.classes())
            .arg("--out")
            .arg(self.out())
            .arg("--report")
            .arg(self.folder.path().join("report"));
        command
    }

    pub(crate) fn report(&self) -> Report {
        Report::read(&self.folder.path().join("report")).expect("a report")
    }

    /// The test source written for a class.
    pub(crate) fn source(&self, class: &str) -> String {
        let file = self.source_file(class);
        std::fs::read_to_string(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()))
    }
}

pub(crate) fn program() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tracewright"));
    command.stdin(Stdio::null());
    command
}

pub(crate) struct Ended {
    pub status: i32,
    pub out: String,
    pub err: String,
}

pub(crate) fn end(command: &mut Command) -> Ended {
    let Output { status, stdout, stderr } = command.output().expect("the program starts");
    Ended {
        status: status.code().unwrap_or(-1),
        out: String::from_utf8_lossy(&stdout).into_owned(),
        err: String::from_utf8_lossy(&stderr).into_owned(),
    }
}
