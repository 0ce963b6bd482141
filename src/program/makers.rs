//! Public methods that return new objects of a class.
//!
//! In: a class whose methods are asked, and the class of the object. Out: the methods that end with `return new C(..)`,
//! or with a call of such a method; the method of a supertype for one of a class. Must not know tests.

use std::collections::BTreeSet;

use tracewright_classfile::{Kind, Op};

use super::{ClassModel, ClassName, ClassOrigin, JavaType, MethodModel, MethodRef, Program, ResolvedMethod};

/// Longest chain of methods that return what another one of them returns.
const DEEPEST: u32 = 3;

impl Program {
    /// The public methods of `holder` that return new objects of the class `made`, as a supertype of it; each with
    /// whether it is static.
    pub fn public_makers(&self, holder: &ClassName, made: &ClassName) -> Vec<(MethodRef, bool)> {
        let mut found: Vec<(MethodRef, bool)> = Vec::new();
        let mut seen: BTreeSet<(String, String)> = BTreeSet::new();
        for class in self.superclass_chain(holder).iter().filter(|class| class.origin == ClassOrigin::Project) {
            for method in class.methods.iter().filter(|method| method.access.is_public() && !method.is_constructor()) {
                let is_first = seen.insert((method.name().to_owned(), method.reference.descriptor.to_string()));
                if is_first
                    && !method.access.is_synthetic()
                    && self.returned_constructor((class, method), holder, made, DEEPEST).is_some()
                {
                    found.push((method.reference.clone(), method.is_static()));
                }
            }
        }
        found
    }

    /// The constructor by which the method makes an object of the class `made` to return it, where it does so.
    /// `holder`: the class of the object that is asked.
    pub(crate) fn constructor_called(&self, method: &MethodRef, holder: &ClassName, made: &ClassName) -> Option<MethodRef> {
        let found = self.resolve(&MethodRef { owner: holder.clone(), ..method.clone() })?;
        self.returned_constructor((&found.class, found.method()), holder, made, DEEPEST)
    }

    fn returned_constructor(
        &self,
        (class, method): (&ClassModel, &MethodModel),
        holder: &ClassName,
        made: &ClassName,
        depth: u32,
    ) -> Option<MethodRef> {
        if !self.is_subtype(&JavaType::Class(made.clone()), &method.returns) {
            return None;
        }
        let code = class.code(method)?;
        let returned = code.instructions.windows(2).filter(|pair| pair[1].op == Op::Return(Some(Kind::Reference)));
        returned.filter_map(|pair| class.called_by(&pair[0].op)).find_map(|called| {
            let called = MethodRef::new(ClassName::new(called.owner), called.name, called.descriptor);
            match &*called.name {
                "<init>" => (called.owner == *made).then_some(called),
                _ if depth > 0 => {
                    let is_own = self.is_subclass(holder, &called.owner);
                    let holder = if is_own { holder.clone() } else { called.owner.clone() };
                    let found = self.resolve(&MethodRef { owner: holder.clone(), ..called })?;
                    self.returned_constructor((&found.class, found.method()), &holder, made, depth - 1)
                }
                _ => None,
            }
        })
    }

    /// The method of the type or of a supertype that a call on an object of a subtype runs as well. Its parameters take
    /// what those of `method` take.
    pub fn method_above(&self, ty: &ClassName, method: &MethodRef) -> Option<ResolvedMethod> {
        let resolved = self.resolve(&MethodRef { owner: ty.clone(), ..method.clone() });
        if let Some(exact) = resolved.filter(|found| !found.method().is_static()) {
            return Some(exact);
        }
        let (parameters, returns) = (method.parameters(), method.return_type());
        let above = self.superclass_chain(ty).into_iter().map(|class| class.name.clone());
        let classes: Vec<ClassName> = above.chain(self.all_interfaces(ty)).collect();
        classes.iter().find_map(|class| {
            let model = self.class(class)?;
            let takes = |wide: &MethodModel| {
                *wide.reference.name == *method.name
                    && !wide.is_static()
                    && !wide.access.is_private()
                    && wide.parameters.len() == parameters.len()
                    && parameters.iter().zip(&wide.parameters).all(|(own, wide)| self.is_subtype(own, wide))
                    && self.is_subtype(&returns, &wide.returns)
            };
            let wide = model.methods.iter().find(|wide| takes(wide))?.reference.clone();
            self.resolve(&wide)
        })
    }

    /// The method of the class that a call of `method` on an object of it runs. Where a compiler made that one to call
    /// another (JVMS §4.7.8), the other.
    pub fn method_below(&self, class: &ClassName, method: &MethodRef) -> Option<MethodRef> {
        let found = self.resolve(&MethodRef { owner: class.clone(), ..method.clone() })?;
        let own = found.method();
        let is_called = |other: &&MethodModel| {
            *other.reference.name == *method.name
                && !other.access.is_synthetic()
                && other.parameters.len() == own.parameters.len()
        };
        match own.access.is_synthetic() {
            true => found.class.methods.iter().find(is_called).map(|called| called.reference.clone()),
            false => Some(own.reference.clone()),
        }
    }

    /// Whether callers outside the package cannot use the constructor of this class of the project.
    pub fn is_hidden_constructor(&self, constructor: &MethodRef) -> bool {
        let Some(class) = self.class(&constructor.owner) else { return false };
        let is_public = class.method("<init>", &constructor.descriptor).is_some_and(|method| method.access.is_public());
        class.origin == ClassOrigin::Project && !(is_public && self.is_public_everywhere(&class))
    }

    /// Whether callers outside the package cannot name this class of the project.
    pub fn is_hidden_class(&self, class: &ClassName) -> bool {
        let is_hidden = |class: &ClassModel| !self.is_public_everywhere(class);
        self.class(class).is_some_and(|class| class.origin == ClassOrigin::Project && is_hidden(&class))
    }

    /// Whether the class and those around it are public.
    fn is_public_everywhere(&self, class: &ClassModel) -> bool {
        let around = class.enclosing().and_then(|around| self.class(around));
        class.access.is_public() && around.is_none_or(|around| self.is_public_everywhere(&around))
    }
}
