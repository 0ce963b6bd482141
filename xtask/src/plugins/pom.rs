//! POMs, metadata and checksums of a Maven repository.
//!
//! In: artifacts and their jars. Out: the other files of the repository.

use super::{GROUP, VERSION};
use anyhow::Result;
use md5::Md5;
use sha1::Sha1;
use sha2::{Digest, Sha256, Sha512};
use std::fs;
use std::path::{Path, PathBuf};

/// The address of the sources if neither `repository` in `Cargo.toml` nor `cargo xtask dist
/// --repository` gives one. The top-level domain `invalid` is reserved (RFC 2606).
pub(crate) const NO_REPOSITORY: &str = "https://tracewright.invalid/";

/// Facts about the project in every POM, from `Cargo.toml`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Origin {
    /// Address of the sources.
    pub repository: String,
    /// SPDX identifier.
    licence: &'static str,
    /// Each author as `Name <address>` or as a name.
    authors: Vec<&'static str>,
}

impl Origin {
    /// The facts of the workspace. `given` replaces the address of the sources.
    pub(crate) fn of_workspace(given: Option<&str>) -> Origin {
        let repository = given.or(Some(env!("CARGO_PKG_REPOSITORY"))).filter(|address| !address.is_empty());
        Origin {
            repository: repository.unwrap_or(NO_REPOSITORY).to_owned(),
            licence: env!("CARGO_PKG_LICENSE"),
            authors: env!("CARGO_PKG_AUTHORS").split(':').collect(),
        }
    }

    /// The XML elements of a POM.
    fn elements(&self) -> String {
        let (address, licence) = (escaped(&self.repository), escaped(self.licence));
        let connection = if address.starts_with("scm:") { address.clone() } else { format!("scm:git:{address}") };
        let authors: String = self.authors.iter().map(|author| developer(author)).collect();
        format!(
            "  <url>{address}</url>
  <licenses>
    <license>
      <name>{licence}</name>
      <url>https://spdx.org/licenses/{licence}.html</url>
    </license>
  </licenses>
  <developers>
{authors}  </developers>
  <scm>
    <connection>{connection}</connection>
    <developerConnection>{connection}</developerConnection>
    <url>{address}</url>
  </scm>
"
        )
    }
}

/// The XML element of an author.
fn developer(author: &str) -> String {
    let (name, address) = match author.split_once('<') {
        Some((name, address)) => (name.trim(), Some(address.trim_end_matches('>'))),
        None => (author, None),
    };
    let address = address.map_or_else(String::new, |address| format!("      <email>{}</email>\n", escaped(address)));
    format!("    <developer>\n      <name>{}</name>\n{address}    </developer>\n", escaped(name))
}

/// Text with XML entities.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

/// An artifact of this project in this version.
pub(super) struct Artifact<'a> {
    /// Artifact id.
    pub name: &'a str,
    /// Maven's packaging: `jar`, `pom` or `maven-plugin`.
    pub packaging: &'a str,
    /// Name for people.
    pub title: &'a str,
    /// One sentence.
    pub description: &'a str,
    /// Ids of artifacts of this project that it needs.
    pub dependencies: &'a [&'a str],
}

impl Artifact<'_> {
    /// The path of a file of this artifact. Creates the folder.
    ///
    /// # Errors
    /// The folder cannot be created.
    pub(super) fn file(&self, repository: &Path, classifier: &str, extension: &str) -> Result<PathBuf> {
        let folder = group(repository).join(self.name).join(VERSION);
        fs::create_dir_all(&folder)?;
        let separator = if classifier.is_empty() { "" } else { "-" };
        Ok(folder.join(format!("{}-{VERSION}{separator}{classifier}.{extension}", self.name)))
    }

    /// Writes the POM and the list of versions.
    ///
    /// # Errors
    /// A file cannot be written.
    pub(super) fn write(&self, repository: &Path, origin: &Origin) -> Result<()> {
        fs::write(self.file(repository, "", "pom")?, self.pom(origin))?;
        let name = self.name;
        let text = format!(
            "{DECLARATION}<metadata>\n  <groupId>{GROUP}</groupId>\n  <artifactId>{name}</artifactId>\n  <versioning>\n    <latest>{VERSION}</latest>\n    \
             <release>{VERSION}</release>\n    <versions>\n      <version>{VERSION}</version>\n    </versions>\n  </versioning>\n</metadata>\n"
        );
        Ok(fs::write(group(repository).join(name).join("maven-metadata.xml"), text)?)
    }

    /// The text of the POM.
    fn pom(&self, origin: &Origin) -> String {
        let Artifact { name, packaging, title, description, dependencies } = self;
        let about = origin.elements();
        let dependencies: String = dependencies
            .iter()
            .map(|name| {
                format!("    <dependency>\n      <groupId>{GROUP}</groupId>\n      <artifactId>{name}</artifactId>\n      <version>{VERSION}</version>\n    </dependency>\n")
            })
            .collect();
        let dependencies =
            if dependencies.is_empty() { dependencies } else { format!("  <dependencies>\n{dependencies}  </dependencies>\n") };
        format!(
            "{DECLARATION}<project xmlns=\"http://maven.apache.org/POM/4.0.0\" xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\" \
             xsi:schemaLocation=\"http://maven.apache.org/POM/4.0.0 http://maven.apache.org/xsd/maven-4.0.0.xsd\">
  <modelVersion>4.0.0</modelVersion>
  <groupId>{GROUP}</groupId>
  <artifactId>{name}</artifactId>
  <version>{VERSION}</version>
  <packaging>{packaging}</packaging>
  <name>{title}</name>
  <description>{description}</description>
{about}{dependencies}</project>
"
        )
    }
}

/// The first line of every XML file.
const DECLARATION: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";

/// The folder of the group.
fn group(repository: &Path) -> PathBuf {
    repository.join(GROUP.replace('.', "/"))
}

/// Writes the prefix of a plugin for Maven's command line.
///
/// # Errors
/// The file cannot be written.
pub(super) fn group_metadata(repository: &Path, title: &str, prefix: &str, plugin: &str) -> Result<()> {
    let text = format!(
        "{DECLARATION}<metadata>\n  <plugins>\n    <plugin>\n      <name>{title}</name>\n      <prefix>{prefix}</prefix>\n      \
         <artifactId>{plugin}</artifactId>\n    </plugin>\n  </plugins>\n</metadata>\n"
    );
    Ok(fs::write(group(repository).join("maven-metadata.xml"), text)?)
}

/// Writes the checksums of every file beside it.
///
/// # Errors
/// A file cannot be read or written.
pub(super) fn checksums(repository: &Path) -> Result<()> {
    let files: Vec<PathBuf> = walkdir::WalkDir::new(repository)
        .into_iter()
        .filter_map(|entry| Some(entry.ok()?.into_path()))
        .filter(|path| path.is_file())
        .collect();
    for file in files {
        let bytes = fs::read(&file)?;
        for (extension, digest) in [
            ("md5", Md5::digest(&bytes).to_vec()),
            ("sha1", Sha1::digest(&bytes).to_vec()),
            ("sha256", Sha256::digest(&bytes).to_vec()),
            ("sha512", Sha512::digest(&bytes).to_vec()),
        ] {
            let text: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
            fs::write(format!("{}.{extension}", file.display()), text)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn poms_name_the_given_address_or_that_of_the_workspace_or_a_placeholder() {
        let origin = Origin::of_workspace(Some("scm:hg:https://example.org/x"));
        assert!(origin.elements().contains("<connection>scm:hg:https://example.org/x</connection>"));
        assert_eq!((origin.licence, origin.authors), ("Apache-2.0", vec!["The Tracewright authors"]));
        let repository = env!("CARGO_PKG_REPOSITORY");
        assert_eq!(Origin::of_workspace(None).repository, if repository.is_empty() { NO_REPOSITORY } else { repository });
        assert_eq!(
            developer("A & B <a@example.org>"),
            "    <developer>\n      <name>A &amp; B</name>\n      <email>a@example.org</email>\n    </developer>\n"
        );
    }

    #[test]
    fn poms_and_checksums_have_the_form_of_maven_repositories() {
        let folder = std::env::temp_dir().join(format!("tracewright-pom-{}", std::process::id()));
        let artifact = Artifact { name: "a", packaging: "jar", title: "A", description: "An a", dependencies: &["b"] };
        artifact.write(&folder, &Origin::of_workspace(Some("https://example.org/a?b&c"))).expect("writable");
        checksums(&folder).expect("readable");
        let pom = fs::read_to_string(folder.join(format!("dev/tracewright/a/{VERSION}/a-{VERSION}.pom"))).expect("written");
        for element in ["<name>A<", "<description>An a<", "<licenses>", "<scm>", "<developers>", "<url>", "<artifactId>b<"] {
            assert!(pom.contains(element), "{element} in {pom}");
        }
        assert!(pom.contains("<connection>scm:git:https://example.org/a?b&amp;c</connection>"), "{pom}");
        let sum = |extension: &str| {
            fs::read_to_string(folder.join(format!("dev/tracewright/a/maven-metadata.xml.{extension}"))).expect("written")
        };
        assert_eq!(["md5", "sha1", "sha256", "sha512"].map(|extension| sum(extension).len()), [32, 40, 64, 128]);
        fs::write(folder.join("empty"), "").expect("writable");
        checksums(&folder).expect("readable");
        assert_eq!(fs::read_to_string(folder.join("empty.md5")).expect("written"), "d41d8cd98f00b204e9800998ecf8427e");
        fs::remove_dir_all(folder).expect("ours");
    }
}
