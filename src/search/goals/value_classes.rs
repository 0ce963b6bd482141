//! Which classes are values of the project. In: a test of classes; out: answers. Must not know programs.

use std::fmt;
use std::sync::Arc;

use crate::program::ClassName;

/// Tells the classes of values: those of the project that have state and that no field of the target
/// holds. Amounts of money and entities are such classes.
#[derive(Clone)]
pub(in crate::search) struct ValueClasses(Arc<dyn Fn(&ClassName) -> bool + Send + Sync>);

impl ValueClasses {
    pub(in crate::search) fn new(is_value: impl Fn(&ClassName) -> bool + Send + Sync + 'static) -> ValueClasses {
        ValueClasses(Arc::new(is_value))
    }

    /// Whether the class is one of them.
    pub(super) fn contains(&self, class: &ClassName) -> bool {
        (self.0)(class)
    }
}

impl fmt::Debug for ValueClasses {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ValueClasses")
    }
}
