//! The class files of the user's project and of the JDK.
//!
//! In: paths. Out: bytes of classes by name, the packages that the JDK's modules export, and what
//! older Java releases had. Of class files it reads only module descriptors and names of methods.
//! This module does the only I/O before workers start.

mod class_path;
mod error;
mod jdk_image;
mod release_api;

pub use class_path::ClassPath;
pub(crate) use class_path::main_attributes;
pub use error::ProjectError;
pub use jdk_image::JdkImage;

use crate::program::{ClassName, ClassOrigin, ClassSource};
use std::sync::Arc;

/// A class path on top of a JDK: for each class name the bytes that a worker JVM would load.
#[derive(Debug)]
pub struct Project {
    class_path: ClassPath,
    jdk: Arc<JdkImage>,
}

impl Project {
    /// The classes of a class path and of a JDK.
    pub(crate) fn new(class_path: ClassPath, jdk: impl Into<Arc<JdkImage>>) -> Project {
        Project { class_path, jdk: jdk.into() }
    }

    /// Opens the class path and the JDK. The JDK's version decides which versions of multi-release
    /// jars count.
    ///
    /// # Errors
    /// As [`JdkImage::open`], or an entry of the class path is neither a folder nor a jar.
    pub fn open(entries: &[std::path::PathBuf], jdk_home: &std::path::Path) -> Result<Project, ProjectError> {
        let jdk = JdkImage::open(jdk_home)?;
        let class_path = ClassPath::open(entries, jdk.release())?;
        Ok(Project::new(class_path, jdk))
    }

    /// The class path.
    pub(crate) fn class_path(&self) -> &ClassPath {
        &self.class_path
    }
}

impl ClassSource for Project {
    /// Packages of the JDK are loaded from the JDK, since class loaders delegate to their parent
    /// first; all others from the class path.
    fn bytes(&self, class: &ClassName) -> Option<(Vec<u8>, ClassOrigin)> {
        if self.jdk.has_package(class.package()) {
            return self.jdk.bytes(class).map(|bytes| (bytes, ClassOrigin::Jdk));
        }
        self.class_path.bytes(class).map(|bytes| (bytes, ClassOrigin::Project))
    }

    fn exports(&self, package: &str) -> bool {
        !self.jdk.has_package(package) || self.jdk.exports(package)
    }

    fn release(&self) -> u16 {
        self.jdk.release()
    }

    fn is_in_release(&self, release: u32, class: &ClassName, method: Option<(&str, &str)>) -> bool {
        self.jdk.is_in_release(release, class, method)
    }

    fn project_classes(&self) -> Vec<ClassName> {
        self.class_path.classes()
    }

    fn neighbours(&self, class: &ClassName) -> Vec<ClassName> {
        self.class_path.entry_of(class).map_or_else(Vec::new, |entry| self.class_path.classes_at(entry))
    }
}
