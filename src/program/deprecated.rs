//! Deprecated members and classes (JLS §9.6.4.6).
//!
//! In: references. Out: whether the named class or member, or a class around it, is marked as deprecated. Must not
//! know who uses it.

use super::{ClassName, FieldRef, JavaType, MethodRef, Program};

/// The attribute of deprecated classes and members (JVMS §4.7.15).
const ATTRIBUTE: &str = "Deprecated";

impl Program {
    /// Whether the method, or the class that has it, is deprecated.
    pub(crate) fn is_deprecated_method(&self, method: &MethodRef) -> bool {
        self.is_deprecated_class(&method.owner)
            || self.resolve(method).is_some_and(|found| {
                let index = found.method().index;
                found.class.file.method(index).attribute(ATTRIBUTE).is_some() || self.is_deprecated_class(&found.class.name)
            })
    }

    /// Whether the field, or the class that has it, is deprecated.
    pub(crate) fn is_deprecated_field(&self, field: &FieldRef) -> bool {
        self.is_deprecated_class(&field.owner)
            || self.resolve_field_ref(field).is_some_and(|found| {
                let declared = found.class.file.fields().find(|declared| declared.name() == &*field.name);
                declared.is_some_and(|declared| declared.attribute(ATTRIBUTE).is_some())
            })
    }

    /// Whether the class of the type, or of the elements of an array, is deprecated.
    pub(crate) fn is_deprecated_type(&self, ty: &JavaType) -> bool {
        match ty {
            JavaType::Class(class) => self.is_deprecated_class(class),
            JavaType::Array(element) => self.is_deprecated_type(element),
            _ => false,
        }
    }

    /// Whether the class or one around it is deprecated.
    pub(crate) fn is_deprecated_class(&self, class: &ClassName) -> bool {
        self.class(class).is_some_and(|model| {
            model.file.attribute(ATTRIBUTE).is_some()
                || model.enclosing().is_some_and(|enclosing| self.is_deprecated_class(enclosing))
        })
    }
}
