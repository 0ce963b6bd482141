//! `FANN` of PIT 1.22.1: classes and methods with an annotation that excludes them.
//!
//! In: a class or one of its methods. Out: whether it is excluded. The simple name of the
//! annotation decides, as in PIT.

use crate::annotation::skip_annotation;
use crate::class::{ClassFile, Method};
use crate::error::ParseError;
use crate::pool::ConstantPool;
use crate::reader::Reader;

/// Simple names of the excluding annotations.
const EXCLUDING: [&str; 3] = ["Generated", "DoNotMutate", "CoverageIgnore"];

/// Whether the class has an excluding annotation.
pub(super) fn excludes_class(class: &ClassFile) -> bool {
    annotations(class, |name| class.attribute(name)).iter().any(|descriptor| excludes(descriptor))
}

/// Whether the method has an excluding annotation.
pub(super) fn excludes_method(class: &ClassFile, method: Method<'_>) -> bool {
    annotations(class, |name| method.attribute(name)).iter().any(|descriptor| excludes(descriptor))
}

/// Descriptors of the annotations of a class or method. `attribute` gives the contents of its
/// attributes by name. Annotations after a malformed one are missing.
pub(in crate::mutants) fn annotations<'a>(class: &ClassFile, attribute: impl Fn(&str) -> Option<&'a [u8]>) -> Vec<String> {
    let mut names = Vec::new();
    for bytes in ["RuntimeVisibleAnnotations", "RuntimeInvisibleAnnotations"].into_iter().filter_map(attribute) {
        // The JVM ignores a malformed attribute, too.
        let _ = read_annotations(class.constant_pool(), bytes, &mut names);
    }
    names
}

fn read_annotations(pool: &ConstantPool, bytes: &[u8], names: &mut Vec<String>) -> Result<(), ParseError> {
    let mut reader = Reader::new(bytes, "annotations");
    for _ in 0..reader.u16()? {
        let name = Reader::new(&bytes[reader.position()..], "annotations").u16()?;
        names.push(pool.utf8(name)?.to_owned());
        skip_annotation(&mut reader, 0)?;
    }
    Ok(())
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

    #[test]
    fn names_before_a_malformed_annotation_are_read() {
        let mut pool = crate::mutants::filters::testing::pool();
        let name = pool.add_utf8("Lp/Generated;").expect("room");
        let [high, low] = name.to_be_bytes();
        // Two annotations are announced; the second one is cut off.
        let mut names = Vec::new();
        let read = read_annotations(&pool, &[0, 2, high, low, 0, 0, high], &mut names);
        assert!(read.is_err());
        assert_eq!(names, ["Lp/Generated;"]);
    }
}
