//! Accessibility from a test class (JLS §6.6), which depends on the package of the test and on the
//! Java release that it is compiled for.

use tracewright_classfile::AccessFlags;

use crate::program::coroutines::can_suspend;
use crate::program::{ClassModel, ClassName, JavaType, MethodModel, MethodRef, Nesting, Program};

/// Accessibility from one package.
#[derive(Clone, Copy)]
pub(super) struct Access<'a> {
    pub(crate) program: &'a Program,
    /// Internal name of the test's package.
    pub(crate) package: &'a str,
    /// Java release of the test.
    pub(crate) release: u32,
}

impl Access<'_> {
    /// Whether a test may name the class. Local, anonymous and synthetic classes have no name.
    pub(crate) fn class(&self, class: &ClassModel) -> bool {
        if class.access.is_synthetic() || !self.program.is_class_in_release(class, self.release) {
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

    /// As [`Access::class`], by name; false for a missing class.
    pub(crate) fn class_named(&self, name: &ClassName) -> bool {
        self.program.class(name).is_some_and(|class| self.class(&class))
    }

    /// Whether a test may name the type.
    pub(crate) fn ty(&self, ty: &JavaType) -> bool {
        match ty {
            JavaType::Class(name) => self.class_named(name),
            JavaType::Array(element) => self.ty(element),
            _ => true,
        }
    }

    /// Whether a test may name a member declared in the class, if it may name the class. Protected
    /// members of other packages are accessible to subclasses only.
    pub(crate) fn member(&self, access: AccessFlags, declared_in: &ClassName) -> bool {
        !access.is_synthetic() && (access.is_public() || !access.is_private() && declared_in.package() == self.package)
    }

    /// Whether a statement can call the method: the method and the types of its parameters can be
    /// named.
    pub(crate) fn method(&self, method: &MethodModel) -> bool {
        !method.access.is_bridge()
            && method.name() != "<clinit>"
            && self.member(method.access, &method.reference.owner)
            && method.parameters.iter().all(|parameter| self.ty(parameter))
            && self.program.is_method_in_release(method, self.release)
            && !self.lacks_coroutines(method)
            && !self.has_static_twin(method)
    }

    /// Whether the class around a companion of Kotlin has the method as a static one (`@JvmStatic`), which is
    /// how Java calls it.
    fn has_static_twin(&self, method: &MethodModel) -> bool {
        let MethodRef { owner, name, descriptor } = &method.reference;
        let companion = self.program.class(owner).filter(|class| class.is_kotlin() && !method.is_static());
        let Some(Nesting::Member { enclosing, .. }) = companion.as_ref().map(|companion| &companion.nesting) else {
            return false;
        };
        let outer = self.program.class(enclosing);
        let twin = outer.as_ref().and_then(|outer| outer.method(name, descriptor));
        !method.is_constructor() && twin.is_some_and(|twin| twin.is_static() && self.member(twin.access, enclosing))
    }

    /// Whether it is a suspend function that a test could call if the class path had the library for
    /// it.
    pub(crate) fn lacks_coroutines(&self, method: &MethodModel) -> bool {
        method.reference.takes_continuation()
            && self.member(method.access, &method.reference.owner)
            && !can_suspend(self.program, method)
    }
}
