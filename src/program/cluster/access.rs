//! What a test class may name (JLS §6.6), by the package it lives in.

use tracewright_classfile::AccessFlags;

use crate::program::{ClassModel, ClassName, JavaType, MethodModel, Nesting, Program};

#[derive(Clone, Copy)]
pub(super) struct Access<'a> {
    pub(crate) program: &'a Program,
    /// Internal name of the test's package.
    pub(crate) package: &'a str,
}

impl Access<'_> {
    /// Whether the class has a name that the test may write.
    pub(crate) fn class(&self, class: &ClassModel) -> bool {
        if class.access.is_synthetic() {
            return false;
        }
        let same_package = class.name.package() == self.package;
        let reachable = class.access.is_public() && self.program.source().exports(class.name.package())
            || same_package && !class.access.is_private();
        match &class.nesting {
            Nesting::TopLevel => reachable,
            Nesting::Member { enclosing, .. } => {
                reachable && enclosing != &class.name && self.program.class(enclosing).is_some_and(|outer| self.class(&outer))
            }
            Nesting::Local { .. } | Nesting::Anonymous { .. } => false,
        }
    }

    pub(crate) fn class_named(&self, name: &ClassName) -> bool {
        self.program.class(name).is_some_and(|class| self.class(&class))
    }

    pub(crate) fn ty(&self, ty: &JavaType) -> bool {
        match ty {
            JavaType::Class(name) => self.class_named(name),
            JavaType::Array(element) => self.ty(element),
            _ => true,
        }
    }

    /// Whether a member declared in the class may be named; the class itself is another question. Protected members of other packages
    /// are for subclasses.
    pub(crate) fn member(&self, access: AccessFlags, declared_in: &ClassName) -> bool {
        !access.is_synthetic() && (access.is_public() || !access.is_private() && declared_in.package() == self.package)
    }

    /// Whether a statement can call the method: it has a name, and each argument can be written.
    pub(crate) fn method(&self, method: &MethodModel) -> bool {
        !method.access.is_bridge()
            && method.name() != "<clinit>"
            && self.member(method.access, &method.reference.owner)
            && method.parameters.iter().all(|parameter| self.ty(parameter))
    }
}
