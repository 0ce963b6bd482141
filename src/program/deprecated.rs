//! Deprecated members and classes (JLS §9.6.4.6).
//!
//! In: references. Out: whether the named class or member, or a class around it, is marked as deprecated, and whether
//! for removal. Must not know who uses it.

use tracewright_classfile::{Annotation, ElementValue};

use super::{ClassName, FieldRef, JavaType, MethodRef, Program};

/// The attribute of deprecated classes and members (JVMS §4.7.15).
const ATTRIBUTE: &str = "Deprecated";
/// The annotation that says whether they will be removed.
const ANNOTATION: &str = "Ljava/lang/Deprecated;";

/// Which warning of javac a use causes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Deprecation {
    /// None.
    #[default]
    Current,
    /// `deprecation`, unless the code that uses it is deprecated as well.
    Deprecated,
    /// `removal`, whatever code uses it.
    ForRemoval,
}

impl Deprecation {
    /// What the attribute and the annotations of a class or member say.
    fn of(is_marked: bool, annotations: impl FnOnce() -> Vec<Annotation>) -> Deprecation {
        if !is_marked {
            return Deprecation::Current;
        }
        let is_removal = |annotation: &Annotation| {
            annotation.descriptor == ANNOTATION && annotation.element("forRemoval") == Some(&ElementValue::Int(1))
        };
        if annotations().iter().any(is_removal) { Deprecation::ForRemoval } else { Deprecation::Deprecated }
    }
}

impl Program {
    /// How the method, or the class that has it, is deprecated.
    pub(crate) fn deprecation_of_method(&self, method: &MethodRef) -> Deprecation {
        let of_declared = self.resolve(method).map(|found| {
            let declared = found.class.file.method(found.method().index);
            // A malformed attribute says nothing.
            let annotations = || declared.annotations().unwrap_or_default();
            let own = Deprecation::of(declared.attribute(ATTRIBUTE).is_some(), annotations);
            own.max(self.deprecation_of_class(&found.class.name))
        });
        self.deprecation_of_class(&method.owner).max(of_declared.unwrap_or_default())
    }

    /// How the field, or the class that has it, is deprecated.
    pub(crate) fn deprecation_of_field(&self, field: &FieldRef) -> Deprecation {
        let of_declared = self.resolve_field_ref(field).and_then(|found| {
            let declared = found.class.file.fields().find(|declared| declared.name() == &*field.name)?;
            let annotations = || declared.annotations().unwrap_or_default();
            Some(Deprecation::of(declared.attribute(ATTRIBUTE).is_some(), annotations))
        });
        self.deprecation_of_class(&field.owner).max(of_declared.unwrap_or_default())
    }

    /// How the class of the type, or of the elements of an array, is deprecated.
    pub(crate) fn deprecation_of_type(&self, ty: &JavaType) -> Deprecation {
        match ty {
            JavaType::Class(class) => self.deprecation_of_class(class),
            JavaType::Array(element) => self.deprecation_of_type(element),
            _ => Deprecation::Current,
        }
    }

    /// How the class or one around it is deprecated.
    pub(crate) fn deprecation_of_class(&self, class: &ClassName) -> Deprecation {
        let Some(model) = self.class(class) else { return Deprecation::Current };
        let is_marked = model.file.attribute(ATTRIBUTE).is_some();
        let own = Deprecation::of(is_marked, || model.file.annotations().unwrap_or_default());
        own.max(model.enclosing().map_or(Deprecation::Current, |enclosing| self.deprecation_of_class(enclosing)))
    }

    /// Whether the method, or the class that has it, is deprecated.
    pub(crate) fn is_deprecated_method(&self, method: &MethodRef) -> bool {
        self.deprecation_of_method(method) != Deprecation::Current
    }

    /// Whether the field, or the class that has it, is deprecated.
    pub(crate) fn is_deprecated_field(&self, field: &FieldRef) -> bool {
        self.deprecation_of_field(field) != Deprecation::Current
    }
}
