//! Stubs: anonymous classes and lambdas that implement an interface or extend an abstract class.

use super::Scope;
use super::costs::UncostedChoice;
use crate::program::cluster::{Generator, StubKind};
use crate::program::{ClassModel, MethodRef};

/// Most methods of an anonymous class in a test. Interfaces with more are proxies; classes have none.
const LONGEST_ANONYMOUS_CLASS: usize = 3;

impl Scope<'_> {
    /// A stub of the type: every interface can be stubbed, an abstract class where an anonymous
    /// class may extend it.
    ///
    /// `Ok(None)`: the type cannot be extended at all.
    ///
    /// # Errors
    /// Why a type that can be extended has methods that a test cannot override.
    pub(super) fn stub(self, class: &ClassModel) -> Result<Option<UncostedChoice>, &'static str> {
        let is_extensible =
            if class.is_interface() { !class.is_annotation() } else { self.is_extensible_by_anonymous_class(class) };
        if !is_extensible || is_sealed(class) {
            return Ok(None);
        }
        let Scope { program, access, .. } = self;
        let methods: Vec<MethodRef> = match program.functional_method(&class.name) {
            Some(method) => vec![method.reference().clone()],
            None => program.abstract_methods(&class.name).iter().map(|method| method.reference().clone()).collect(),
        };
        let is_overridable = |method: &MethodRef| {
            program.resolve(method).is_some_and(|found| {
                let flags = found.method().access;
                flags.is_protected() || access.member(flags, &found.class.name)
            })
        };
        let is_nameable = |method: &MethodRef| method.parameters().iter().chain([&method.return_type()]).all(|ty| access.ty(ty));
        if !methods.iter().all(is_overridable) {
            return Err("it has abstract methods that are private to another package");
        }
        if !methods.iter().all(is_nameable) {
            return Err("its methods use types that a test cannot name");
        }
        if !class.is_interface() && methods.len() > LONGEST_ANONYMOUS_CLASS {
            return Err("it has more than three abstract methods, and no class implements them");
        }
        let generator =
            Generator::Stub { class: class.name.clone(), kind: StubKind::Implementation, methods, exceptions: Vec::new() };
        Ok(Some(UncostedChoice { generator, ty: class.ty() }))
    }

    /// Whether `new C() { .. }` may stand in a test (JLS §15.9.5): the constructor is accessible to
    /// subclasses, has no parameters and throws no checked exception.
    pub(super) fn is_extensible_by_anonymous_class(self, class: &ClassModel) -> bool {
        class.is_abstract()
            && !class.is_enum()
            && class.method("<init>", "()V").is_some_and(|constructor| {
                let flags = constructor.access;
                constructor.exceptions.is_empty() && (flags.is_protected() || self.access.member(flags, &class.name))
            })
    }
}

/// Whether only listed classes may extend the type (JVMS §4.7.31), or the list cannot be read.
pub(super) fn is_sealed(class: &ClassModel) -> bool {
    !class.file.permitted_subclasses().is_ok_and(|permitted| permitted.is_empty())
}
