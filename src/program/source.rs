//! The interface through which the program model gets class files. `project` and `recording`
//! implement it.

use super::ClassName;

/// Whether a class belongs to the user or to the JDK.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ClassOrigin {
    /// From the user's class path: it may be tested and gets probes.
    Project,
    /// From the JDK's image.
    Jdk,
}

/// Bytes of classes by name, and facts about packages. An implementation must always give the same
/// answers.
pub trait ClassSource: Send + Sync {
    /// The class file and its origin; `None` when there is no such class.
    fn bytes(&self, class: &ClassName) -> Option<(Vec<u8>, ClassOrigin)>;

    /// Whether code of other packages may use the public classes of the package (internal name).
    /// False for packages that a JDK module does not export.
    fn exports(&self, package: &str) -> bool;

    /// Feature version of the JDK that will run the classes.
    fn release(&self) -> u16;

    /// Whether a Java release has the class of the JDK, or the class declares the method (name and
    /// descriptor) in it: what `javac --release` accepts. True where that is not known.
    fn is_in_release(&self, release: u32, class: &ClassName, method: Option<(&str, &str)>) -> bool {
        let _ = (release, class, method);
        true
    }

    /// Every class of the project, ascending by name.
    fn project_classes(&self) -> Vec<ClassName>;

    /// The classes of the same folder or jar, ascending by name.
    fn neighbours(&self, class: &ClassName) -> Vec<ClassName>;
}
