//! JDKs of the machine, and Java sources compiled with them.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use tracewright_jdk::{JdkHome, OLDEST};

use crate::class_files::{ClassBytes, class_files_below};

/// A JDK with a compiler and a run-time image.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Jdk {
    /// Feature release: 17, 25.
    pub version: u32,
    /// The folder that holds `bin/javac` and `lib/modules`, without symbolic links.
    pub home: PathBuf,
}

impl Jdk {
    /// The path of a tool: `javac`, `java`, `javap`.
    pub fn tool(&self, name: &str) -> PathBuf {
        self.home.join("bin").join(name)
    }
}

/// Every JDK from release 17 on: `JAVA_HOME`, each `java` on the `PATH`, and those in
/// `/usr/lib/jvm`. Ascending by release.
///
/// # Panics
/// Where there is none: nothing in this workspace can be tested without a JDK.
pub fn all_jdks() -> &'static [Jdk] {
    static JDKS: OnceLock<Vec<Jdk>> = OnceLock::new();
    JDKS.get_or_init(|| {
        let has_image = |jdk: &JdkHome| jdk.path.join("lib/modules").is_file();
        let found: Vec<Jdk> =
            JdkHome::all().into_iter().filter(has_image).map(|jdk| Jdk { version: jdk.version, home: jdk.path }).collect();
        assert!(!found.is_empty(), "the tests need a JDK, release {OLDEST} or newer: set JAVA_HOME");
        found
    })
}

/// One JDK of each release, ascending by release; never empty.
pub fn jdks() -> &'static [Jdk] {
    static JDKS: OnceLock<Vec<Jdk>> = OnceLock::new();
    JDKS.get_or_init(|| {
        let by_release: BTreeMap<u32, Jdk> = all_jdks().iter().rev().map(|jdk| (jdk.version, jdk.clone())).collect();
        by_release.into_values().collect()
    })
}

/// The JDKs of at least a release; `None`, and thus a skipped test, where there is none.
#[track_caller]
pub fn jdks_from(release: u32) -> Option<Vec<&'static Jdk>> {
    let found: Vec<&Jdk> = jdks().iter().filter(|jdk| jdk.version >= release).collect();
    crate::require(&format!("a JDK of release {release} or newer"), (!found.is_empty()).then_some(found))
}

/// Compiles sources, given as (path, text), into `<folder>/classes`, and returns that folder.
///
/// # Panics
/// Where javac rejects the sources: its messages are shown.
pub fn compile_java(jdk_home: &Path, release: u32, folder: &Path, sources: &[(&str, &str)]) -> PathBuf {
    let classes = folder.join("classes");
    let files = write_sources(&folder.join("sources"), sources);
    let release = release.to_string();
    let options = ["-nowarn", "-Xlint:-options", "-encoding", "UTF-8", "-proc:none", "--release", &release];
    compile_files(jdk_home, &options, &classes, &files);
    classes
}

/// Writes sources, given as (path, text), below `folder`, and returns their files.
pub fn write_sources(folder: &Path, sources: &[(&str, &str)]) -> Vec<PathBuf> {
    let write = |(path, text): &(&str, &str)| {
        let file = folder.join(path);
        std::fs::create_dir_all(file.parent().expect("a source lies in a folder")).expect("a writable folder");
        std::fs::write(&file, text).expect("a writable source");
        file
    };
    sources.iter().map(write).collect()
}

/// Compiles files with debug information and these options into the folder `classes`.
///
/// # Panics
/// Where javac rejects a file: its messages are shown.
pub fn compile_files(jdk_home: &Path, options: &[&str], classes: &Path, files: &[PathBuf]) {
    let mut javac = Command::new(jdk_home.join("bin/javac"));
    run_command(javac.arg("-g").args(options).arg("-d").arg(classes).args(files));
}

/// Compiles files against a class path into the folder `classes`. Warnings count as errors, but for
/// those about the class path and its class files.
///
/// # Panics
/// Where javac has an error or a warning: its messages are shown.
pub fn compile_without_warnings(jdk_home: &Path, class_path: &[PathBuf], classes: &Path, files: &[PathBuf]) {
    let class_path = std::env::join_paths(class_path).expect("a class path").into_string().expect("UTF-8");
    let options = ["-Xlint:all,-processing,-classfile,-path", "-Werror", "-proc:none", "-cp", &class_path];
    compile_files(jdk_home, &options, classes, files);
}

/// Compiles one source file below `folder` for a release, and returns its classes in the order of
/// their file names.
///
/// # Panics
/// Where javac rejects the source: its messages are shown.
pub fn compile_java_file(jdk_home: &Path, source: &Path, release: u32, folder: &Path) -> Vec<ClassBytes> {
    let name = source.file_stem().expect("a file name").to_string_lossy();
    let classes = folder.join(format!("{name}-{release}"));
    let options = ["-Xlint:-options", "--release", &release.to_string()];
    compile_files(jdk_home, &options, &classes, &[source.to_path_buf()]);
    class_files_below(&classes)
}

/// Runs a command to its end and returns its standard output.
///
/// # Panics
/// Where it cannot be started, does not succeed, or writes something other than UTF-8.
pub fn run_command(command: &mut Command) -> String {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    if !output.status.success() {
        let messages = [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
        panic!("{command:?}: {}\n{}", output.status, messages.concat());
    }
    String::from_utf8(output.stdout).expect("UTF-8")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_jdk_of_each_release_is_chosen() {
        let releases: Vec<u32> = jdks().iter().map(|jdk| jdk.version).collect();
        assert!(!releases.is_empty() && releases.is_sorted_by(|left, right| left < right), "{releases:?}");
        assert!(all_jdks().iter().all(|jdk| releases.contains(&jdk.version)));
    }
}
