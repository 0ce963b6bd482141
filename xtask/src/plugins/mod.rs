//! The build plugins and the natives as a Maven repository that can be used and published.
//!
//! Flows in: the Java of `plugin-shared`, `gradle-plugin` and `maven-plugin`, an installation
//! (`bin`, `lib`), the jars to compile against. Flows out: jars, POMs, metadata and checksums in
//! the layout of Maven. Must not know what a plugin does.

mod gradle;
mod java;
mod pom;

pub(crate) use gradle::engine;

use crate::setup::BuildTools;
use anyhow::{Context, Result};
use pom::Artifact;
pub(crate) use pom::{NO_REPOSITORY, Origin};
use std::fs;
use std::path::{Path, PathBuf};

/// Group of all artifacts.
pub(crate) const GROUP: &str = "dev.tracewright";
/// Version of all artifacts.
pub(crate) const VERSION: &str = env!("CARGO_PKG_VERSION");
const GRADLE_PLUGIN: &str = "tracewright-gradle-plugin";
const MAVEN_PLUGIN: &str = "tracewright-maven-plugin";
const NATIVES: &str = "tracewright-natives";
/// The artifact that Gradle resolves the plugin id `dev.tracewright` with.
const MARKER: &str = "dev.tracewright.gradle.plugin";

/// The purpose of a repository.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// For publication: with sources and documentation, natives compressed.
    Publish,
    /// For the project's own tests: without documentation, natives uncompressed.
    Test,
}

/// Replaces `target` by a repository of the plugins and natives. `installation` is a folder with
/// `bin` and `lib`.
///
/// # Errors
/// A plugin does not compile, or a file cannot be written.
pub(crate) fn repository(
    root: &Path,
    tools: &BuildTools,
    installation: &Path,
    target: &Path,
    purpose: Purpose,
    origin: &Origin,
) -> Result<()> {
    let work = root.join("target/plugins/work");
    let _ = fs::remove_dir_all(target);
    let _ = fs::remove_dir_all(&work);
    fs::create_dir_all(&work)?;
    fs::create_dir_all(target)?;
    let gradle = Artifact {
        name: GRADLE_PLUGIN,
        packaging: "jar",
        title: "Tracewright Gradle Plugin",
        description: "Writes small, readable JUnit tests for the Java classes of a Gradle project",
        dependencies: &[],
    };
    let maven = Artifact {
        name: MAVEN_PLUGIN,
        packaging: "maven-plugin",
        title: "Tracewright Maven Plugin",
        description: "Writes small, readable JUnit tests for the Java classes of a Maven project",
        dependencies: &[],
    };
    for (artifact, api) in [(&gradle, &tools.gradle), (&maven, &tools.maven)] {
        let sources = [root.join("plugin-shared"), root.join(artifact.name.trim_start_matches("tracewright-"))];
        let classes = java::compile(&sources, api, &work.join(artifact.name))?;
        release_properties(&classes)?;
        if artifact.name == MAVEN_PLUGIN {
            let descriptor = fs::read_to_string(root.join("maven-plugin/plugin.xml"))?.replace("@VERSION@", VERSION);
            fs::create_dir_all(classes.join("META-INF/maven"))?;
            fs::write(classes.join("META-INF/maven/plugin.xml"), descriptor)?;
        }
        publish(root, target, artifact, &classes, &sources, api, &work, purpose, origin)?;
    }
    natives(root, installation, target, &work, purpose, origin)?;
    let marker = Artifact {
        name: MARKER,
        packaging: "pom",
        title: "Tracewright Gradle Plugin marker",
        description: "Names the Gradle plugin of the id dev.tracewright",
        dependencies: &[GRADLE_PLUGIN],
    };
    marker.write(target, origin)?;
    pom::group_metadata(target, "Tracewright Maven Plugin", "tracewright", MAVEN_PLUGIN)?;
    pom::checksums(target)
}

/// Writes the jars and the POM of a plugin.
#[allow(clippy::too_many_arguments)] // the arguments are unrelated, and there is one call
fn publish(
    root: &Path,
    target: &Path,
    artifact: &Artifact<'_>,
    classes: &Path,
    sources: &[PathBuf],
    api: &[PathBuf],
    work: &Path,
    purpose: Purpose,
    origin: &Origin,
) -> Result<()> {
    add_licence(root, classes)?;
    java::write_jar(classes, &artifact.file(target, "", "jar")?, true)?;
    if purpose == Purpose::Publish {
        let (text, pages) = (work.join(format!("{}-sources", artifact.name)), work.join(format!("{}-javadoc", artifact.name)));
        java::copy_sources(sources, &text)?;
        java::write_jar(&text, &artifact.file(target, "sources", "jar")?, true)?;
        java::write_javadoc(sources, api, &pages)?;
        java::write_jar(&pages, &artifact.file(target, "javadoc", "jar")?, true)?;
    }
    artifact.write(target, origin)
}

/// Writes the jar of this platform, and one without classifier, which Maven repositories require.
fn natives(root: &Path, installation: &Path, target: &Path, work: &Path, purpose: Purpose, origin: &Origin) -> Result<()> {
    let artifact = Artifact {
        name: NATIVES,
        packaging: "jar",
        title: "Tracewright natives",
        description: "Program, agent and solver of Tracewright, one jar for each platform",
        dependencies: &[],
    };
    let content = work.join("natives");
    for part in ["bin", "lib"] {
        copy_folder(&installation.join(part), &content.join(part))?;
    }
    add_licence(root, &content)?;
    java::write_jar(&content, &artifact.file(target, &platform(), "jar")?, purpose == Purpose::Publish)?;
    let note = work.join("natives-note");
    fs::create_dir_all(&note)?;
    fs::write(note.join("README.txt"), format!("The natives are in jars with a classifier: {}.\n", platform()))?;
    add_licence(root, &note)?;
    let without: &[&str] = if purpose == Purpose::Publish { &["", "sources", "javadoc"] } else { &[""] };
    for classifier in without {
        java::write_jar(&note, &artifact.file(target, classifier, "jar")?, true)?;
    }
    artifact.write(target, origin)
}

/// The classifier of the natives of this platform. `Platform.java` must compute the same one.
fn platform() -> String {
    let system = match std::env::consts::OS {
        "macos" => "osx",
        other => other,
    };
    format!("{system}-{}", std::env::consts::ARCH)
}

/// Writes the version and the platforms for the plugin.
fn release_properties(classes: &Path) -> Result<()> {
    let text = format!("version={VERSION}\nplatforms={}\n", platform());
    Ok(fs::write(classes.join("dev/tracewright/plugin/release.properties"), text)?)
}

/// Copies the licence into `META-INF`.
fn add_licence(root: &Path, folder: &Path) -> Result<()> {
    fs::create_dir_all(folder.join("META-INF"))?;
    fs::copy(root.join("LICENSE"), folder.join("META-INF/LICENSE")).context("cannot copy LICENSE")?;
    Ok(())
}

/// Copies a folder with all its content.
///
/// # Errors
/// A file cannot be read or written.
pub(crate) fn copy_folder(from: &Path, to: &Path) -> Result<()> {
    for entry in walkdir::WalkDir::new(from).sort_by_file_name() {
        let entry = entry?;
        let target = to.join(entry.path().strip_prefix(from)?);
        if entry.file_type().is_dir() {
            fs::create_dir_all(&target)?;
        } else {
            fs::copy(entry.path(), &target).with_context(|| format!("cannot copy {}", entry.path().display()))?;
        }
    }
    Ok(())
}
