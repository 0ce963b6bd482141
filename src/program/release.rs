//! What the source of a test can use of the JDK, which depends on the Java release that it is
//! compiled for.
//!
//! Flows in: class file versions, the API of older releases. Flows out: answers about classes and
//! methods. Must not know tests.

use super::{ClassModel, ClassName, ClassOrigin, MethodModel, Program};

/// Class file versions count from here: major version 52 is Java 8 (JVMS table 4.1-A).
pub(crate) const MAJOR_VERSION_OF_JAVA_0: u16 = 44;
/// The oldest source level that `javac` of a supported JDK compiles.
pub(crate) const OLDEST_RELEASE: u32 = 8;

/// The source level of a class file's version, for `javac --release`.
pub(crate) fn source_level(major_version: u16) -> u32 {
    u32::from(major_version.saturating_sub(MAJOR_VERSION_OF_JAVA_0)).max(OLDEST_RELEASE)
}

impl Program {
    /// Whether the release has the class. Classes of the project are in every release.
    pub(crate) fn is_class_in_release(&self, class: &ClassModel, release: u32) -> bool {
        class.origin != ClassOrigin::Jdk || self.source().is_in_release(release, &class.name, None)
    }

    /// Whether the release has the method, declared in its class or inherited.
    pub(crate) fn is_method_in_release(&self, method: &MethodModel, release: u32) -> bool {
        let owner = &method.reference.owner;
        if release >= u32::from(self.release()) || self.class(owner).is_none_or(|class| class.origin != ClassOrigin::Jdk) {
            return true;
        }
        let signature = (&*method.reference.name, &*method.reference.descriptor);
        let declares = |class: &ClassName| self.source().is_in_release(release, class, Some(signature));
        declares(owner)
            || !method.is_constructor()
                && (self.superclass_chain(owner).iter().any(|class| declares(&class.name))
                    || self.all_interfaces(owner).iter().any(declares))
    }
}

#[cfg(test)]
mod tests {
    use super::source_level;

    #[test]
    fn source_levels_follow_the_version_of_the_class_file() {
        assert_eq!((source_level(52), source_level(61), source_level(65)), (8, 17, 21));
        assert_eq!(source_level(45), 8, "older levels are not compiled any more");
    }
}
