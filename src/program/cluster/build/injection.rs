//! Injection: how a new object gets what a container would give it after its constructor has run.
//!
//! In: a class and one of its constructors. Out: the setters and fields to fill, superclasses
//! first, and a remark on fields that no test can write. Must not know how the values are built.
//!
//! Fields that the constructor sets from a parameter are left alone. A setter comes before the
//! field. A private field counts where spring-test is on the class path, whose
//! `ReflectionTestUtils` writes it. Without it, Mockito writes mocks into private fields of the
//! class under test, if all of its constructors have no parameters.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::Scope;
use super::callables::CallableTable;
use crate::program::cluster::{CallableId, Injection, REFLECTION_TEST_UTILS};
use crate::program::generics::Substitution;
use crate::program::{ClassModel, ClassName, ClassOrigin, FieldModel, GenericType, JavaType, MethodModel};

/// Annotations of fields and methods that a container fills or calls, by descriptor.
const INJECTING: &[&str] = &[
    "Lcom/google/inject/Inject;",
    "Lio/micronaut/context/annotation/Property;",
    "Lio/micronaut/context/annotation/Value;",
    "Ljakarta/annotation/Resource;",
    "Ljakarta/ejb/EJB;",
    "Ljakarta/inject/Inject;",
    "Ljakarta/persistence/PersistenceContext;",
    "Ljakarta/persistence/PersistenceUnit;",
    "Ljakarta/ws/rs/core/Context;",
    "Ljavax/annotation/Resource;",
    "Ljavax/ejb/EJB;",
    "Ljavax/inject/Inject;",
    "Ljavax/persistence/PersistenceContext;",
    "Ljavax/persistence/PersistenceUnit;",
    "Ljavax/ws/rs/core/Context;",
    "Lorg/eclipse/microprofile/config/inject/ConfigProperty;",
    "Lorg/springframework/beans/factory/annotation/Autowired;",
    "Lorg/springframework/beans/factory/annotation/Value;",
];

/// The class of Mockito that fills the fields of an object with mocks.
const MOCKITO_ANNOTATIONS: &str = "org/mockito/MockitoAnnotations";

/// What new objects get, by constructor.
#[derive(Debug, Default)]
pub(super) struct Injections {
    /// Without constructors whose objects get nothing.
    pub(super) by_constructor: BTreeMap<CallableId, Vec<Injection>>,
    /// Names of the fields that no test can write, by the class that declares them.
    unreachable: BTreeMap<ClassName, BTreeSet<String>>,
}

impl Injections {
    /// Finds what an object of the constructor gets, and returns it. `is_mocked`: whether tests use
    /// mocks of the class.
    pub(super) fn add<'a>(
        &mut self,
        scope: Scope<'a>,
        callables: &mut CallableTable<'a>,
        constructor: CallableId,
        is_mocked: &mut dyn FnMut(&ClassModel) -> bool,
    ) -> &[Injection] {
        let owner = callables.get(constructor).method.owner.clone();
        let is_known = self.by_constructor.contains_key(&constructor);
        if !is_known && let Some(class) = scope.program.class(&owner).filter(|class| class.origin == ClassOrigin::Project) {
            let unreachable = &mut self.unreachable;
            let found = Finder { scope, callables, class: &class, constructor, unreachable, is_mocked }.find();
            if !found.is_empty() {
                self.by_constructor.insert(constructor, found);
            }
        }
        self.by_constructor.get(&constructor).map_or(&[], Vec::as_slice)
    }

    /// One sentence for each class under test, or superclass of one, with fields that no test can
    /// write.
    pub(super) fn remarks(&self, scope: Scope<'_>) -> Vec<String> {
        let own: BTreeSet<ClassName> = scope
            .classes
            .iter()
            .flat_map(|class| scope.program.superclass_chain(class))
            .map(|class| class.name.clone())
            .collect();
        let of_target = self.unreachable.iter().filter(|(class, _)| own.contains(*class));
        of_target.map(|(class, fields)| unreachable_remark(class, fields)).collect()
    }
}

fn unreachable_remark(class: &ClassName, fields: &BTreeSet<String>) -> String {
    let names: Vec<&str> = fields.iter().map(String::as_str).collect();
    format!(
        "a container injects {} of {}, and tests cannot: put spring-test on the test class path, or add a constructor for it",
        names.join(", "),
        class.binary()
    )
}

struct Finder<'b, 'a> {
    scope: Scope<'a>,
    callables: &'b mut CallableTable<'a>,
    /// The class of the new object.
    class: &'b ClassModel,
    constructor: CallableId,
    unreachable: &'b mut BTreeMap<ClassName, BTreeSet<String>>,
    is_mocked: &'b mut dyn FnMut(&ClassModel) -> bool,
}

impl Finder<'_, '_> {
    fn find(&mut self) -> Vec<Injection> {
        let mut chain = self.scope.program.superclass_chain(&self.class.name);
        chain.reverse();
        let mut found = Vec::new();
        for class in chain.iter().filter(|class| class.origin == ClassOrigin::Project) {
            for field in &class.fields {
                let annotations = class.file.fields().nth(field.index).map(|field| field.annotation_types()).unwrap_or_default();
                if is_injected(&annotations) {
                    found.extend(self.injected_field(class, field, &chain));
                }
            }
            for method in &class.methods {
                let is_plain = !method.is_static() && !method.is_constructor() && !method.parameters.is_empty();
                if is_plain && is_injected(&class.file.method(method.index).annotation_types()) && self.can_call(method) {
                    found.push(self.call(class, method));
                }
            }
        }
        let mut distinct: Vec<Injection> = Vec::new();
        for injection in found {
            if !distinct.contains(&injection) {
                distinct.push(injection);
            }
        }
        distinct
    }

    /// How to fill a marked field; `None` where the constructor fills it, or no
    /// way is known.
    fn injected_field(&mut self, class: &Arc<ClassModel>, field: &FieldModel, chain: &[Arc<ClassModel>]) -> Option<Injection> {
        let flags = field.access;
        if flags.is_static() || flags.is_final() || flags.is_synthetic() || self.is_set_by_constructor(field) {
            return None;
        }
        if let Some((declaring, setter)) = self.setter(field, chain) {
            return Some(self.call(&declaring, &declaring.methods[setter]));
        }
        let is_hidden = chain.iter().skip_while(|above| above.name != class.name).skip(1);
        let is_hidden = is_hidden.flat_map(|below| &below.fields).any(|below| below.reference.name == field.reference.name);
        let is_writable = self.scope.access.member(flags, &class.name)
            || !is_hidden && (has_class(self.scope, REFLECTION_TEST_UTILS) || self.is_filled_by_mockito(field));
        if !is_writable {
            self.unreachable.entry(class.name.clone()).or_default().insert(field.reference.name.to_string());
            return None;
        }
        let seen = self.scope.program.as_super(&self.class.generic_type(), &class.name);
        let arguments = seen.as_ref().map_or(&[][..], GenericType::arguments);
        let generic = field.generic.substitute(&Substitution::of(&class.signature.parameters, arguments));
        let generic = generic.resolve(&self.class.signature.parameters);
        Some(Injection::Field { field: field.reference.clone(), generic })
    }

    /// Whether Mockito fills the field of the class under test with a mock.
    fn is_filled_by_mockito(&mut self, field: &FieldModel) -> bool {
        let mut constructors = self.class.methods.iter().filter(|method| method.is_constructor());
        let has_openers = || {
            let openers = self.scope.program.class(&ClassName::new(MOCKITO_ANNOTATIONS));
            openers.is_some_and(|class| class.methods.iter().any(|method| method.name() == "openMocks"))
        };
        self.class.name == *self.scope.target
            && !self.class.is_inner()
            && constructors.all(|constructor| constructor.parameters.is_empty())
            && has_class(self.scope, MOCKITO_ANNOTATIONS)
            && has_openers()
            && match &field.ty {
                // Versions of Mockito differ in how they match type arguments.
                JavaType::Class(name) => {
                    let class = self.scope.program.class(name);
                    class.is_some_and(|class| class.signature.parameters.is_empty() && (self.is_mocked)(&class))
                }
                _ => false,
            }
    }

    /// Whether the constructor writes the field and takes a value for it.
    fn is_set_by_constructor(&self, field: &FieldModel) -> bool {
        let constructor = self.callables.get(self.constructor);
        let takes_value =
            || constructor.parameters.iter().any(|parameter| self.scope.program.is_subtype(&parameter.ty, &field.ty));
        constructor.hints.writes.contains(&field.reference) && takes_value()
    }

    /// The setter of the field, by its name and parameter, that a test can call: the class that
    /// declares it and its position.
    fn setter(&mut self, field: &FieldModel, chain: &[Arc<ClassModel>]) -> Option<(Arc<ClassModel>, usize)> {
        let name = setter_name(&field.reference.name);
        for class in chain.iter().rev() {
            let fits = |method: &&MethodModel| method.name() == name && method.parameters == [field.ty.clone()];
            let Some(method) = class.methods.iter().find(fits) else { continue };
            let writes = !method.is_static() && self.callables.hints(class, method).writes.contains(&field.reference);
            let is_meant = method.access.is_public() || is_injected(&class.file.method(method.index).annotation_types());
            return (writes && is_meant && self.can_call(method)).then(|| (class.clone(), method.index));
        }
        None
    }

    fn can_call(&self, method: &MethodModel) -> bool {
        self.scope.access.method(method)
    }

    fn call(&mut self, declaring: &ClassModel, method: &MethodModel) -> Injection {
        Injection::Call(self.callables.intern(declaring, method, &self.class.name))
    }
}

fn is_injected(annotations: &[String]) -> bool {
    annotations.iter().any(|annotation| INJECTING.contains(&annotation.as_str()))
}

fn setter_name(field: &str) -> String {
    let mut letters = field.chars();
    let first = letters.next().map(|first| first.to_ascii_uppercase());
    "set".chars().chain(first).chain(letters).collect()
}

/// Whether the class is on the class path, in a version that tests can be compiled against.
fn has_class(scope: Scope<'_>, name: &str) -> bool {
    let Some(target) = scope.program.class(scope.target) else { return false };
    let class = scope.program.class(&ClassName::new(name));
    class.is_some_and(|class| class.file.major_version() <= target.file.major_version())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn containers_are_known_by_their_annotations() {
        let injected = |name: &str| is_injected(&["Lp/Other;".to_string(), name.to_string()]);
        assert!(injected("Lorg/springframework/beans/factory/annotation/Value;"));
        assert!(injected("Ljavax/inject/Inject;") && injected("Ljakarta/inject/Inject;"));
        assert!(!injected("Llombok/Value;") && !injected("Lp/Inject;"));
    }

    #[test]
    fn setters_are_named_after_fields() {
        assert_eq!((setter_name("repo"), setter_name("uRL"), setter_name("")), ("setRepo".into(), "setURL".into(), "set".into()));
    }

    #[test]
    fn a_remark_names_the_fields_and_what_helps() {
        let fields = BTreeSet::from(["limit".to_string(), "repo".to_string()]);
        let remark = unreachable_remark(&ClassName::new("p/A"), &fields);
        assert!(remark.starts_with("a container injects limit, repo of p.A, and tests cannot"), "{remark}");
    }
}
