//! Where class files come from, as the program model sees it. `project` provides it; tests provide maps.

use super::ClassName;

/// Whose class it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ClassOrigin {
    /// On the user's class path: may be tested, is instrumented.
    Project,
    /// Of the JDK's image.
    Jdk,
}

/// Bytes of classes by name, and what a test may name. Answers do not change while a program lives.
pub trait ClassSource: Send + Sync {
    fn bytes(&self, class: &ClassName) -> Option<(Vec<u8>, ClassOrigin)>;

    /// Whether code outside the package (internal name) may name its public classes: `false` for packages that a JDK module hides.
    fn exports(&self, package: &str) -> bool;

    /// Feature number of the JDK that will run the classes.
    fn release(&self) -> u16;

    /// Every class of the project, by name.
    fn project_classes(&self) -> Vec<ClassName>;

    /// The classes that came with this one: of the same folder or jar, by name.
    fn neighbours(&self, class: &ClassName) -> Vec<ClassName>;
}
