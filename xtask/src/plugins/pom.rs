//! POMs, metadata and checksums: what makes a folder of jars a Maven repository.

use super::{GROUP, VERSION};
use anyhow::Result;
use md5::Md5;
use sha1::Sha1;
use sha2::{Digest, Sha256, Sha512};
use std::fs;
use std::path::{Path, PathBuf};

/// Named where neither `repository` in `Cargo.toml` nor `cargo xtask dist --repository` says where the sources lie: an address that is reserved
/// for never existing (RFC 2606).
pub(crate) const NO_REPOSITORY: &str = "https://tracewright.invalid/";

/// What POMs say of the project, as `Cargo.toml` has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Origin {
    /// Address of the sources.
    pub repository: String,
    /// By its SPDX name.
    licence: &'static str,
    /// `Name <address>`, or a name.
    authors: Vec<&'static str>,
}

impl Origin {
    /// `given`: where the sources lie, if `Cargo.toml` is not to say it.
    pub(crate) fn of_workspace(given: Option<&str>) -> Origin {
        let repository = given.or(Some(env!("CARGO_PKG_REPOSITORY"))).filter(|address| !address.is_empty());
        Origin {
            repository: repository.unwrap_or(NO_REPOSITORY).to_owned(),
            licence: env!("CARGO_PKG_LICENSE"),
            authors: env!("CARGO_PKG_AUTHORS").split(':').collect(),
        }
    }

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

fn developer(author: &str) -> String {
    let (name, address) = match author.split_once('<') {
        Some((name, address)) => (name.trim(), Some(address.trim_end_matches('>'))),
        None => (author, None),
    };
    let address = address.map_or_else(String::new, |address| format!("      <email>{}</email>\n", escaped(address)));
    format!("    <developer>\n      <name>{}</name>\n{address}    </developer>\n", escaped(name))
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

/// One artifact of ours in this version.
pub(super) struct Artifact<'a> {
    pub name: &'a str,
    pub packaging: &'a str,
    pub title: &'a str,
    pub description: &'a str,
    /// Names of artifacts of ours.
    pub dependencies: &'a [&'a str],
}

impl Artifact<'_> {
    /// Where a file of this artifact belongs; its folder is made.
    pub(super) fn file(&self, repository: &Path, classifier: &str, extension: &str) -> Result<PathBuf> {
        let folder = group(repository).join(self.name).join(VERSION);
        fs::create_dir_all(&folder)?;
        let separator = if classifier.is_empty() { "" } else { "-" };
        Ok(folder.join(format!("{}-{VERSION}{separator}{classifier}.{extension}", self.name)))
    }

    /// The POM, and the metadata that says which versions there are.
    pub(super) fn write(&self, repository: &Path, origin: &Origin) -> Result<()> {
        fs::write(self.file(repository, "", "pom")?, self.pom(origin))?;
        let name = self.name;
        let text = format!(
            "{DECLARATION}<metadata>\n  <groupId>{GROUP}</groupId>\n  <artifactId>{name}</artifactId>\n  <versioning>\n    <latest>{VERSION}</latest>\n    \
             <release>{VERSION}</release>\n    <versions>\n      <version>{VERSION}</version>\n    </versions>\n  </versioning>\n</metadata>\n"
        );
        Ok(fs::write(group(repository).join(name).join("maven-metadata.xml"), text)?)
    }

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

const DECLARATION: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";

fn group(repository: &Path) -> PathBuf {
    repository.join(GROUP.replace('.', "/"))
}

/// Says which prefix on Maven's command line means which plugin.
pub(super) fn group_metadata(repository: &Path, title: &str, prefix: &str, plugin: &str) -> Result<()> {
    let text = format!(
        "{DECLARATION}<metadata>\n  <plugins>\n    <plugin>\n      <name>{title}</name>\n      <prefix>{prefix}</prefix>\n      \
         <artifactId>{plugin}</artifactId>\n    </plugin>\n  </plugins>\n</metadata>\n"
    );
    Ok(fs::write(group(repository).join("maven-metadata.xml"), text)?)
}

/// Beside each file its checksums.
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
    fn nothing_is_claimed_that_nobody_said() {
        let origin = Origin::of_workspace(Some("scm:hg:https://example.org/x"));
        assert!(origin.elements().contains("<connection>scm:hg:https://example.org/x</connection>"));
        assert_eq!((origin.licence, origin.authors), ("Apache-2.0", vec!["The Tracewright authors"]));
        let said = env!("CARGO_PKG_REPOSITORY");
        assert_eq!(Origin::of_workspace(None).repository, if said.is_empty() { NO_REPOSITORY } else { said });
        assert_eq!(
            developer("A & B <a@example.org>"),
            "    <developer>\n      <name>A &amp; B</name>\n      <email>a@example.org</email>\n    </developer>\n"
        );
    }

    #[test]
    fn what_is_written_is_what_repositories_ask_for() {
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
