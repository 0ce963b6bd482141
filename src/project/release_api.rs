//! The API of older Java releases, which `javac --release` accepts (JEP 247): `lib/ct.sym` of a JDK.
//!
//! Flows in: the folder of a JDK. Flows out: whether a release has a class or declares a method. Must
//! not know where this matters. The archive holds class files without code. Each is in a folder that
//! names its releases by one digit or letter each: `89A/java.base/java/io/Reader.sig` holds for
//! releases 8, 9 and 10. The release of the JDK itself is not in the archive.

use std::collections::BTreeMap;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, OnceLock, PoisonError};

use tracewright_classfile::ClassFile;
use zip::ZipArchive;

use crate::program::ClassName;

/// The APIs of older releases. The archive is opened at the first question.
#[derive(Debug)]
pub(super) struct ReleaseApis {
    file: PathBuf,
    archive: OnceLock<Option<ApiArchive>>,
}

/// The opened archive.
#[derive(Debug)]
struct ApiArchive {
    /// By internal name of a class: the digits of releases, and the place in the archive.
    classes: BTreeMap<String, Vec<(String, usize)>>,
    contents: Mutex<ArchiveContents>,
}

#[derive(Debug)]
struct ArchiveContents {
    archive: ZipArchive<File>,
    /// What was read so far, by place.
    read: BTreeMap<usize, ClassFile>,
}

impl ReleaseApis {
    /// The APIs that the JDK at `home` knows.
    pub(super) fn new(home: &Path) -> ReleaseApis {
        ReleaseApis { file: home.join("lib/ct.sym"), archive: OnceLock::new() }
    }

    /// Whether the release has the class, and declares the method (name and descriptor) in it; `None`
    /// where the JDK does not know the release.
    pub(super) fn declares(&self, release: u32, class: &ClassName, method: Option<(&str, &str)>) -> Option<bool> {
        let digit = char::from_digit(release, 36)?.to_ascii_uppercase();
        let archive = self.archive.get_or_init(|| ApiArchive::open(&self.file)).as_ref()?;
        archive.place_of(digit, "java/lang/Object")?;
        let Some(place) = archive.place_of(digit, class.internal()) else { return Some(false) };
        let Some((name, descriptor)) = method else { return Some(true) };
        archive.declares_method(place, name, descriptor)
    }
}

impl ApiArchive {
    fn open(file: &Path) -> Option<ApiArchive> {
        let opened = File::open(file).ok().and_then(|file| ZipArchive::new(file).ok());
        let Some(archive) = opened else {
            tracing::debug!("{} cannot be read: any API is taken for that of older releases", file.display());
            return None;
        };
        let mut classes: BTreeMap<String, Vec<(String, usize)>> = BTreeMap::new();
        for place in 0..archive.len() {
            let Some(Ok(name)) = archive.name_for_index(place) else { continue };
            let Some(name) = name.strip_suffix(".sig") else { continue };
            let mut parts = name.splitn(3, '/');
            if let (Some(releases), Some(_module), Some(class)) = (parts.next(), parts.next(), parts.next()) {
                classes.entry(class.to_string()).or_default().push((releases.to_string(), place));
            }
        }
        Some(ApiArchive { classes, contents: Mutex::new(ArchiveContents { archive, read: BTreeMap::new() }) })
    }

    fn place_of(&self, digit: char, class: &str) -> Option<usize> {
        self.classes.get(class)?.iter().find(|(releases, _)| releases.contains(digit)).map(|(_, place)| *place)
    }

    /// Whether the class file at this place has the method; `None` where it cannot be read.
    fn declares_method(&self, place: usize, name: &str, descriptor: &str) -> Option<bool> {
        let mut contents = self.contents.lock().unwrap_or_else(PoisonError::into_inner);
        if !contents.read.contains_key(&place) {
            let mut bytes = Vec::new();
            std::io::copy(&mut contents.archive.by_index(place).ok()?, &mut bytes).ok()?;
            contents.read.insert(place, ClassFile::parse(&bytes).ok()?);
        }
        Some(contents.read[&place].find_method(name, descriptor).is_some())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_older_release_lacks_what_came_later() {
        let Some(jdk) = tracewright_test_support::jdks().first() else { return };
        let apis = ReleaseApis::new(&jdk.home);
        let declares = |release, class: &str, method| apis.declares(release, &ClassName::new(class), method);
        let transfer = Some(("transferTo", "(Ljava/io/Writer;)J"));
        assert_eq!(declares(8, "java/lang/reflect/InaccessibleObjectException", None), Some(false));
        assert_eq!(declares(9, "java/lang/reflect/InaccessibleObjectException", None), Some(true));
        assert_eq!(
            (declares(9, "java/io/Reader", transfer), declares(10, "java/io/Reader", transfer)),
            (Some(false), Some(true))
        );
        assert_eq!(declares(8, "java/io/Reader", Some(("read", "()I"))), Some(true));
        assert_eq!(declares(35, "java/io/Reader", None), None);
    }

    #[test]
    fn a_jdk_without_the_archive_knows_no_older_release() {
        let folder = tempfile::tempdir().expect("a folder");
        assert_eq!(ReleaseApis::new(folder.path()).declares(8, &ClassName::new("java/lang/Object"), None), None);
    }
}
