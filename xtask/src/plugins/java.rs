//! Runs the tools of the JDK on the Java of the build plugins.
//!
//! In: folders with `java` and `resources`. Out: folders of classes and pages, and jars that are
//! the same bytes for the same content.

use crate::run::check;
use crate::setup::java_tool;
use anyhow::{Context, Result, bail};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The oldest release of Java that Gradle 7.6 and Maven 3.6 support.
const RELEASE: &str = "11";

/// Compiles all sources into `target` and copies the resources beside them. Returns `target`.
///
/// # Errors
/// `javac` rejects the sources; the error has its messages.
pub(super) fn compile(sources: &[PathBuf], class_path: &[PathBuf], target: &Path) -> Result<PathBuf> {
    fs::create_dir_all(target)?;
    let mut javac = Command::new(java_tool("javac"));
    // `-classfile`: the jars of the API refer to annotations that they do not contain.
    javac
        .args(["--release", RELEASE, "-g", "-encoding", "UTF-8", "-Xlint:all,-classfile,-options,-processing,-serial", "-d"])
        .arg(target);
    javac.arg("-cp").arg(joined(class_path)).args(java_files(sources)?);
    let output = javac.output().context("javac cannot be started")?;
    if !output.status.success() {
        bail!("javac does not accept {}:\n{}", sources[0].display(), String::from_utf8_lossy(&output.stderr));
    }
    for folder in sources {
        let resources = folder.join("resources");
        if resources.is_dir() {
            super::copy_folder(&resources, target)?;
        }
    }
    Ok(target.to_path_buf())
}

/// Copies all sources by package, as for a jar of sources.
///
/// # Errors
/// A file cannot be copied.
pub(super) fn copy_sources(sources: &[PathBuf], target: &Path) -> Result<()> {
    for folder in sources {
        super::copy_folder(&folder.join("java"), target)?;
    }
    Ok(())
}

/// Writes the API documentation.
///
/// # Errors
/// `javadoc` rejects the sources; the error has its messages.
pub(super) fn write_javadoc(sources: &[PathBuf], class_path: &[PathBuf], target: &Path) -> Result<()> {
    fs::create_dir_all(target)?;
    let mut javadoc = Command::new(java_tool("javadoc"));
    javadoc.args(["-quiet", "-notimestamp", "--release", RELEASE, "-encoding", "UTF-8", "-Xdoclint:none", "-d"]).arg(target);
    javadoc.arg("-cp").arg(joined(class_path)).args(java_files(sources)?);
    let output = javadoc.output().context("javadoc cannot be started")?;
    if !output.status.success() {
        bail!("javadoc does not accept {}:\n{}", sources[0].display(), String::from_utf8_lossy(&output.stderr));
    }
    Ok(())
}

/// Packs a folder as a jar, with a fixed time for all entries.
///
/// # Errors
/// `jar` fails.
pub(super) fn write_jar(folder: &Path, file: &Path, compressed: bool) -> Result<()> {
    let mut jar = Command::new(java_tool("jar"));
    jar.args(["--create", "--date=1980-01-01T00:00:02Z"]);
    if !compressed {
        jar.arg("--no-compress");
    }
    check(jar.arg("--file").arg(file).arg("-C").arg(folder).arg("."))
}

/// A class path as one argument.
pub(super) fn joined(class_path: &[PathBuf]) -> std::ffi::OsString {
    std::env::join_paths(class_path).unwrap_or_default()
}

/// All Java files below the folders `java` of these, sorted by name.
fn java_files(sources: &[PathBuf]) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for folder in sources {
        for entry in walkdir::WalkDir::new(folder.join("java")).sort_by_file_name() {
            let path = entry?.into_path();
            if path.extension().is_some_and(|extension| extension == "java") {
                files.push(path);
            }
        }
    }
    Ok(files)
}
