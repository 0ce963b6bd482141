//! The members by which a test reaches static state of a class. In: a class, and what the test may
//! use; out: ways to get an object, and methods by their parameters.

use super::thread_locals::{self, THREAD_LOCAL};
use crate::oracle::Accessibility;
use crate::program::{ClassModel, ClassName, FieldRef, JavaType, MethodModel, MethodRef, Program};
use crate::testcase::{StatementKind, TestCase, VarId};
use std::sync::Arc;

/// Names that begin so belong to methods that put state back, in the order of trust.
const RESETTING: [&str; 20] = [
    "reset",
    "restore",
    "clear",
    "clean",
    "close",
    "stop",
    "shutdown",
    "remove",
    "unregister",
    "disable",
    "cancel",
    "leave",
    "release",
    "dispose",
    "destroy",
    "unset",
    "delete",
    "drop",
    "terminate",
    "reload",
];

/// Types of the JDK that hold values, and the methods that empty them.
const EMPTYING: [(&str, &str); 3] = [(COLLECTION, "clear"), (MAP, "clear"), (THREAD_LOCAL, "remove")];
const COLLECTION: &str = "java/util/Collection";
const MAP: &str = "java/util/Map";

/// A way to an object that does not depend on a test.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum StateHolder {
    /// A static field.
    Field(FieldRef),
    /// A static method without parameters.
    Call(MethodRef),
    /// A constructor without parameters.
    New(MethodRef),
}

impl StateHolder {
    /// Appends the statement that gives the object.
    pub(super) fn append(&self, test: &mut TestCase) -> VarId {
        test.push(self.statement(), self.ty())
    }

    /// The statement that gives the object.
    pub(super) fn statement(&self) -> StatementKind {
        let args = Vec::new();
        match self.clone() {
            StateHolder::Field(field) => StatementKind::GetField { field, receiver: None },
            StateHolder::Call(method) => StatementKind::Call { method, interface: false, receiver: None, args },
            StateHolder::New(constructor) => StatementKind::Construct { constructor, args },
        }
    }

    fn ty(&self) -> JavaType {
        match self {
            StateHolder::Field(field) => field.field_type(),
            StateHolder::Call(method) => method.return_type(),
            StateHolder::New(constructor) => JavaType::Class(constructor.owner.clone()),
        }
    }
}

/// Members that a test can use.
#[derive(Debug)]
pub(super) struct Reach<'a> {
    access: &'a Accessibility<'a>,
}

impl<'a> Reach<'a> {
    /// What this package can use.
    pub(super) fn new(access: &'a Accessibility<'a>) -> Reach<'a> {
        Reach { access }
    }

    fn program(&self) -> &'a Program {
        self.access.program()
    }

    /// The class, where the test can name it.
    pub(super) fn class(&self, name: &ClassName) -> Option<Arc<ClassModel>> {
        self.program().class(name).filter(|_| self.access.can_name_class(name))
    }

    /// The static fields that hold objects of the project, and those of other types.
    pub(super) fn static_fields(&self, class: &ClassModel) -> Vec<FieldRef> {
        let usable = class.fields.iter().filter(|field| {
            field.access.is_static()
                && !field.access.is_synthetic()
                && self.access.can_use_member(field.access, &class.name)
                && self.access.can_name(&field.ty)
        });
        usable.map(|field| field.reference.clone()).collect()
    }

    /// Static methods with so many parameters.
    pub(super) fn static_methods(&self, class: &ClassModel, parameters: usize) -> Vec<MethodRef> {
        self.methods(class, |method| method.is_static() && method.parameters.len() == parameters)
    }

    /// Instance methods with so many parameters that project classes declare, by their first class.
    pub(super) fn instance_methods(&self, class: &ClassName, parameters: usize) -> Vec<MethodRef> {
        let mut found: Vec<MethodRef> = Vec::new();
        for ancestor in self.program().superclass_chain(class).iter().filter(|class| self.program().is_project(&class.name)) {
            let of_class =
                |method: &MethodModel| !method.is_static() && !method.is_constructor() && method.parameters.len() == parameters;
            for method in self.methods(ancestor, of_class) {
                let is_known = |known: &MethodRef| known.name == method.name && known.descriptor == method.descriptor;
                if !found.iter().any(is_known) {
                    found.push(method);
                }
            }
        }
        found
    }

    /// Appends a call; without a receiver it is static.
    pub(super) fn append_call(
        &self,
        test: &mut TestCase,
        method: &MethodRef,
        receiver: Option<VarId>,
        args: Vec<VarId>,
    ) -> VarId {
        let interface = self.program().class(&method.owner).is_some_and(|owner| owner.is_interface());
        test.push(StatementKind::Call { method: method.clone(), interface, receiver, args }, method.return_type())
    }

    fn methods(&self, class: &ClassModel, wanted: impl Fn(&MethodModel) -> bool) -> Vec<MethodRef> {
        let is_named = self.access.can_name_class(&class.name);
        let usable = class.methods.iter().filter(|method| {
            is_named
                && wanted(method)
                && !method.access.is_synthetic()
                && !method.name().starts_with('<')
                && !method.name().contains('$')
                && self.access.can_use_method(method)
        });
        usable.map(|method| method.reference.clone()).collect()
    }

    /// Objects of project classes that static members of the class give, and one that its
    /// constructor without parameters makes.
    pub(super) fn roots(&self, class: &ClassModel) -> Vec<StateHolder> {
        let is_own = |ty: &JavaType| matches!(ty, JavaType::Class(name) if self.program().is_project(name));
        let fields = self.static_fields(class).into_iter().map(StateHolder::Field);
        let calls = self.static_methods(class, 0).into_iter().map(StateHolder::Call);
        let mut roots: Vec<StateHolder> = fields.chain(calls).filter(|root| is_own(&root.ty())).collect();
        let constructor = class.method("<init>", "()V").filter(|constructor| self.access.can_use_method(constructor));
        let constructor = constructor.filter(|_| !class.is_abstract() && !class.is_inner());
        roots.extend(constructor.map(|constructor| StateHolder::New(constructor.reference.clone())));
        roots
    }

    /// Whether the class keeps a value for each thread.
    pub(super) fn is_thread_local(&self, class: &ClassName) -> bool {
        thread_locals::is_thread_local(self.program(), class)
    }

    /// Collections, maps and `ThreadLocal`s that static members of the class give, with the methods that empty them.
    pub(super) fn emptied(&self, class: &ClassModel) -> Vec<(StateHolder, MethodRef)> {
        let fields = self.static_fields(class).into_iter().map(StateHolder::Field);
        let calls = self.static_methods(class, 0).into_iter().map(StateHolder::Call);
        let emptying = |holder: StateHolder| {
            let JavaType::Class(of) = holder.ty() else { return None };
            let is_of = |(ancestor, _): &&(&str, &str)| self.program().is_subclass(&of, &ClassName::new(ancestor));
            let (_, name) = EMPTYING.iter().find(is_of)?;
            let method = MethodRef::new(of, name, "()V");
            Some((holder, method))
        };
        fields.chain(calls).filter_map(emptying).collect()
    }

    /// The class of the object of a root.
    pub(super) fn class_of(&self, root: &StateHolder) -> Option<ClassName> {
        let JavaType::Class(class) = root.ty() else { return None };
        Some(class).filter(|class| self.access.can_name_class(class))
    }
}

/// How little the name says that the method puts state back: 0 for `reset`.
pub(super) fn distrust(method: &MethodRef) -> usize {
    let lower = method.name.to_lowercase();
    let place = RESETTING.iter().position(|word| lower.starts_with(word));
    match place {
        Some(place) => place,
        None if RESETTING.iter().any(|word| lower.ends_with(word)) => RESETTING.len(),
        None if method.return_type() == JavaType::Void => RESETTING.len() + 1,
        None => RESETTING.len() + 2,
    }
}

/// Whether the name, or the type of the result, says that the method puts state back.
pub(super) fn may_reset(method: &MethodRef) -> bool {
    distrust(method) <= RESETTING.len() + 1
}

/// Whether the class declares the field as final.
pub(super) fn is_final(class: &ClassModel, field: &FieldRef) -> bool {
    class.fields.iter().any(|known| known.reference.name == field.name && known.access.is_final())
}
