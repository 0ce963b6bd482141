//! The JDK's own classes, read from the image `lib/modules`. The image is memory-mapped, so opening
//! it costs nothing for each class.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use ristretto_jimage::Image;
use tracewright_classfile::ClassFile;
use tracewright_jdk::{OLDEST, feature_version, release_value};

use super::ProjectError;
use super::release_api::ReleaseApis;
use crate::program::ClassName;

/// The modules image of a JDK, opened for reading.
#[derive(Debug)]
pub struct JdkImage {
    image: Image,
    release: u16,
    /// Package (internal name) to module.
    packages: BTreeMap<String, String>,
    exported: BTreeSet<String>,
    older: ReleaseApis,
}

impl JdkImage {
    /// Opens the JDK at `home`.
    ///
    /// # Errors
    /// [`ProjectError::NotAJdk`] when a file is missing or malformed, or the version is below
    /// [`OLDEST`].
    pub fn open(home: &Path) -> Result<JdkImage, ProjectError> {
        let refuse = |reason: String| ProjectError::NotAJdk { home: home.to_path_buf(), reason };
        let release_file = fs::read_to_string(home.join("release")).map_err(|error| refuse(format!("file release: {error}")))?;
        let version =
            release_value(&release_file, "JAVA_VERSION").ok_or_else(|| refuse("its release file names no version".into()))?;
        let feature = feature_version(version).ok_or_else(|| refuse(format!("version {version}")))?;
        if feature < OLDEST {
            return Err(refuse(format!("it is version {version}")));
        }
        let release = u16::try_from(feature).map_err(|_| refuse(format!("version {version}")))?;
        let image = Image::from_file(&home.join("lib/modules")).map_err(|error| refuse(format!("file lib/modules: {error}")))?;
        let mut modules: Vec<String> =
            release_value(&release_file, "MODULES").map_or_else(Vec::new, |list| list.split(' ').map(str::to_string).collect());
        if modules.is_empty() {
            modules = image
                .iter()
                .filter_map(Result::ok)
                .filter(|resource| resource.parent().is_empty() && resource.base() == "module-info")
                .map(|resource| resource.module().to_string())
                .collect();
        }
        let mut packages = BTreeMap::new();
        let mut exported = BTreeSet::new();
        for module in &modules {
            let Ok(resource) = image.get_resource(&format!("/{module}/module-info.class")) else { continue };
            let descriptor = ClassFile::parse(resource.data()).and_then(|file| file.module_packages());
            let Ok(Some(found)) = descriptor else { continue };
            packages.extend(found.all.into_iter().map(|package| (package, module.clone())));
            exported.extend(found.exported);
        }
        if !exported.contains("java/lang") {
            return Err(refuse("its image holds no java.base".into()));
        }
        Ok(JdkImage { image, release, packages, exported, older: ReleaseApis::new(home) })
    }

    /// The feature number: 17, 25.
    pub fn release(&self) -> u16 {
        self.release
    }

    /// The class file of a class in any module of the JDK.
    pub fn bytes(&self, class: &ClassName) -> Option<Vec<u8>> {
        let module = self.packages.get(class.package())?;
        let resource = self.image.get_resource(&format!("/{module}/{class}.class")).ok()?;
        Some(resource.data().to_vec())
    }

    /// The module of a package (internal name), whether exported or not.
    pub fn module_of(&self, package: &str) -> Option<&str> {
        self.packages.get(package).map(String::as_str)
    }

    /// Whether a module of the JDK has the package (internal name).
    pub(crate) fn has_package(&self, package: &str) -> bool {
        self.packages.contains_key(package)
    }

    /// Whether any code may name the package's public classes.
    pub fn exports(&self, package: &str) -> bool {
        self.exported.contains(package)
    }

    /// As [`crate::program::ClassSource::is_in_release`].
    pub(crate) fn is_in_release(&self, release: u32, class: &ClassName, method: Option<(&str, &str)>) -> bool {
        release >= u32::from(self.release) || self.older.declares(release, class, method).unwrap_or(true)
    }

    /// All classes of a module, by name. Walks the whole image: meant for checks, not for the
    /// engine.
    pub fn classes_of_module(&self, module: &str) -> Vec<ClassName> {
        let mut classes: Vec<ClassName> = self
            .image
            .iter()
            .filter_map(Result::ok)
            .filter(|resource| resource.module() == module && resource.extension() == "class")
            .filter(|resource| resource.base() != "module-info")
            .map(|resource| ClassName::new(resource.name().trim_end_matches(".class")))
            .collect();
        classes.sort();
        classes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_without_a_jdk_is_refused_in_one_sentence() {
        let folder = tempfile::tempdir().expect("temporary folder");
        let message = JdkImage::open(folder.path()).expect_err("no JDK").to_string();
        assert!(message.contains("holds no JDK 17 or newer") && message.contains("--jdk"), "{message}");
        fs::write(folder.path().join("release"), "JAVA_VERSION=\"1.8.0_402\"\n").expect("written");
        let message = JdkImage::open(folder.path()).expect_err("too old").to_string();
        assert!(message.contains("1.8.0_402"), "{message}");
    }
}
