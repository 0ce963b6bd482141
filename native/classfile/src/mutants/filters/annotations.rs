//! `FANN` of PIT 1.22.1: classes and methods with an annotation that excludes them.
//!
//! In: a class or one of its methods. Out: whether it is excluded. The simple name of the
//! annotation decides, as in PIT.

use crate::class::{ClassFile, Method};

/// Simple names of the excluding annotations.
const EXCLUDING: [&str; 3] = ["Generated", "DoNotMutate", "CoverageIgnore"];

/// Whether the class has an excluding annotation.
pub(super) fn excludes_class(class: &ClassFile) -> bool {
    class.annotation_types().iter().any(|descriptor| excludes(descriptor))
}

/// Whether the method has an excluding annotation.
pub(super) fn excludes_method(method: Method<'_>) -> bool {
    method.annotation_types().iter().any(|descriptor| excludes(descriptor))
}

/// Whether the annotation with this descriptor is an excluding one.
fn excludes(descriptor: &str) -> bool {
    let name = descriptor.trim_start_matches('L').trim_end_matches(';');
    EXCLUDING.contains(&name.rsplit(['/', '$']).next().unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_simple_name_decides() {
        for descriptor in ["Ljavax/annotation/Generated;", "Lp/Outer$CoverageIgnore;", "LDoNotMutate;"] {
            assert!(excludes(descriptor), "{descriptor}");
        }
        for descriptor in ["Lp/NotGenerated;", "Lp/Generated$Inner;", "Lp/GeneratedBy;"] {
            assert!(!excludes(descriptor), "{descriptor}");
        }
    }
}
