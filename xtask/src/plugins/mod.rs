//! The build plugins and the natives as a Maven repository, which a build can name and which could be published as it is.
//!
//! Flows in: the Java of `plugin-shared`, `gradle-plugin` and `maven-plugin`, an installation (`bin`, `lib`), the jars to compile against. Flows out:
//! jars, POMs, metadata and checksums in the layout of Maven. Must not know what a plugin does.

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

pub(crate) const GROUP: &str = "dev.tracewright";
pub(crate) const VERSION: &str = env!("CARGO_PKG_VERSION");
const GRADLE_PLUGIN: &str = "tracewright-gradle-plugin";
const MAVEN_PLUGIN: &str = "tracewright-maven-plugin";
const NATIVES: &str = "tracewright-natives";
const MARKER: &str = "dev.tracewright.gradle.plugin";

/// Who the repository is for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// With all that publishing asks for.
    Publish,
    /// For the project's own tests: no documentation, natives as they are.
    Test,
}

/// Lays the repository out at `target`, anew. `installation`: a folder with `bin` and `lib`.
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
        description: "Leads from the id dev.tracewright to the Gradle plugin",
        dependencies: &[GRADLE_PLUGIN],
    };
    marker.write(target, origin)?;
    pom::group_metadata(target, "Tracewright Maven Plugin", "tracewright", MAVEN_PLUGIN)?;
    pom::checksums(target)
}

#[allow(clippy::too_many_arguments)] // one call a plugin, each argument a thing of its own
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
    licence(root, classes)?;
    java::jar(classes, &artifact.file(target, "", "jar")?, true)?;
    if purpose == Purpose::Publish {
        let (text, pages) = (work.join(format!("{}-sources", artifact.name)), work.join(format!("{}-javadoc", artifact.name)));
        java::gather(sources, &text)?;
        java::jar(&text, &artifact.file(target, "sources", "jar")?, true)?;
        java::document(sources, api, &pages)?;
        java::jar(&pages, &artifact.file(target, "javadoc", "jar")?, true)?;
    }
    artifact.write(target, origin)
}

/// A jar for the platform this is built on, beside an empty one without a classifier, which Maven repositories expect.
fn natives(root: &Path, installation: &Path, target: &Path, work: &Path, purpose: Purpose, origin: &Origin) -> Result<()> {
    let artifact = Artifact {
        name: NATIVES,
        packaging: "jar",
        title: "Tracewright natives",
        description: "Program, agent and solver of Tracewright, one jar a platform",
        dependencies: &[],
    };
    let content = work.join("natives");
    for part in ["bin", "lib"] {
        copy_folder(&installation.join(part), &content.join(part))?;
    }
    licence(root, &content)?;
    java::jar(&content, &artifact.file(target, &platform(), "jar")?, purpose == Purpose::Publish)?;
    let note = work.join("natives-note");
    fs::create_dir_all(&note)?;
    fs::write(note.join("README.txt"), format!("The natives lie in jars with a classifier: {}.\n", platform()))?;
    licence(root, &note)?;
    let without: &[&str] = if purpose == Purpose::Publish { &["", "sources", "javadoc"] } else { &[""] };
    for classifier in without {
        java::jar(&note, &artifact.file(target, classifier, "jar")?, true)?;
    }
    artifact.write(target, origin)
}

/// The classifier of the natives built here; `Platform.java` names the host alike.
fn platform() -> String {
    let system = match std::env::consts::OS {
        "macos" => "osx",
        other => other,
    };
    format!("{system}-{}", std::env::consts::ARCH)
}

fn release_properties(classes: &Path) -> Result<()> {
    let text = format!("version={VERSION}\nplatforms={}\n", platform());
    Ok(fs::write(classes.join("dev/tracewright/plugin/release.properties"), text)?)
}

fn licence(root: &Path, folder: &Path) -> Result<()> {
    fs::create_dir_all(folder.join("META-INF"))?;
    fs::copy(root.join("LICENSE"), folder.join("META-INF/LICENSE")).context("LICENSE lies in the root")?;
    Ok(())
}

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
