//! Injection: how a new object gets what a container would give it after its constructor has run.
//!
//! In: a class and one of its constructors. Out: the setters and fields to fill, superclasses
//! first, and a remark on fields that no test can write. Must not know how the values are built.
//!
//! Fields that the constructor sets from a parameter are left alone. A setter comes before the
//! field. A private field counts where spring-test is on the class path, whose
//! `ReflectionTestUtils` writes it. Without it, Mockito writes mocks into private fields of the
//! class under test, if all of its constructors have no parameters. Methods that a container calls
//! at the end of the construction come last.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::Scope;
use super::callables::CallableTable;
use super::mocks::has_mockito;
use crate::program::cluster::{CallableId, Generator, Injection, REFLECTION_TEST_UTILS};
use crate::program::generics::Substitution;
use crate::program::{ClassModel, ClassName, ClassOrigin, FieldModel, GenericType, JavaType, MethodModel, Program};

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

/// Annotations of methods that a container calls once it has filled a new object, by descriptor.
const COMPLETING: &[&str] = &["Ljakarta/annotation/PostConstruct;", "Ljavax/annotation/PostConstruct;"];

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
    /// Finds what an object of the constructor gets, and returns it. `mock_of`: a mock of the class,
    /// if Mockito can make one.
    pub(super) fn add<'a>(
        &mut self,
        scope: Scope<'a>,
        callables: &mut CallableTable<'a>,
        constructor: CallableId,
        mock_of: &mut dyn FnMut(&ClassModel) -> Option<Generator>,
    ) -> &[Injection] {
        let owner = callables.get(constructor).method.owner.clone();
        let is_known = self.by_constructor.contains_key(&constructor);
        if !is_known && let Some(class) = scope.program.class(&owner).filter(|class| class.origin == ClassOrigin::Project) {
            let unreachable = &mut self.unreachable;
            let found = Finder { scope, callables, class: &class, constructor, unreachable, mock_of }.find();
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
        of_target.map(|(class, fields)| unreachable_remark(class, fields, has_mockito(scope))).collect()
    }
}

fn unreachable_remark(class: &ClassName, fields: &BTreeSet<String>, has_mockito: bool) -> String {
    let names: Vec<&str> = fields.iter().map(String::as_str).collect();
    let missing = if has_mockito { "spring-test" } else { "mockito-core or spring-test" };
    format!(
        "a container injects {} of {}, and tests cannot: put {missing} on the test class path, or add a constructor for it",
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
    mock_of: &'b mut dyn FnMut(&ClassModel) -> Option<Generator>,
}

impl Finder<'_, '_> {
    fn find(&mut self) -> Vec<Injection> {
        let mut chain = self.scope.program.superclass_chain(&self.class.name);
        chain.reverse();
        let (mut found, mut last) = (Vec::new(), Vec::new());
        for class in chain.iter().filter(|class| class.origin == ClassOrigin::Project) {
            for field in &class.fields {
                let annotations = class.file.fields().nth(field.index).map(|field| field.annotation_types()).unwrap_or_default();
                if is_injected(&annotations) {
                    found.extend(self.injected_field(class, field, &chain));
                }
            }
            for method in &class.methods {
                if method.is_static() || method.is_constructor() || !self.can_call(method) {
                    continue;
                }
                let annotations = class.file.method(method.index).annotation_types();
                if !method.parameters.is_empty() && is_injected(&annotations) {
                    found.push(self.call(class, method));
                } else if method.parameters.is_empty() && is_marked(&annotations, COMPLETING) {
                    last.push(self.call(class, method));
                }
            }
        }
        let mut distinct: Vec<Injection> = Vec::new();
        for injection in found.into_iter().chain(last) {
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
        let is_writable =
            self.scope.access.member(flags, &class.name) || !is_hidden && has_class(self.scope, REFLECTION_TEST_UTILS);
        let reference = field.reference.clone();
        if !is_writable {
            let mock = if is_hidden { None } else { self.mock_by_mockito(field) };
            let Some(mock) = mock else {
                self.unreachable.entry(class.name.clone()).or_default().insert(reference.name.to_string());
                return None;
            };
            return Some(Injection::Mock { field: reference, generic: field.generic.clone(), mock });
        }
        let seen = self.scope.program.as_super(&self.class.generic_type(), &class.name);
        let arguments = seen.as_ref().map_or(&[][..], GenericType::arguments);
        let generic = field.generic.substitute(&Substitution::of(&class.signature.parameters, arguments));
        let generic = generic.resolve(&self.class.signature.parameters);
        Some(Injection::Field { field: reference, generic })
    }

    /// The mock that Mockito writes into the field of the class under test.
    fn mock_by_mockito(&mut self, field: &FieldModel) -> Option<Generator> {
        let mut constructors = self.class.methods.iter().filter(|method| method.is_constructor());
        let has_openers = || {
            let openers = self.scope.program.class(&ClassName::new(MOCKITO_ANNOTATIONS));
            openers.is_some_and(|class| class.methods.iter().any(|method| method.name() == "openMocks"))
        };
        let is_filled = self.class.name == *self.scope.target
            && !self.class.is_inner()
            && constructors.all(|constructor| constructor.parameters.is_empty())
            && has_class(self.scope, MOCKITO_ANNOTATIONS)
            && has_openers()
            && is_plain(self.scope.program, &field.generic);
        match &field.ty {
            JavaType::Class(name) if is_filled => (self.mock_of)(&*self.scope.program.class(name)?),
            _ => None,
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
    is_marked(annotations, INJECTING)
}

fn is_marked(annotations: &[String], by: &[&str]) -> bool {
    annotations.iter().any(|annotation| by.contains(&annotation.as_str()))
}

/// Whether the type is a class, with classes for all of its type parameters. All versions of Mockito
/// match a mock of such a type with a field of the same type.
fn is_plain(program: &Program, ty: &GenericType) -> bool {
    let GenericType::Class { name, arguments, outer: None } = ty else { return false };
    let has_all = program.class(name).is_some_and(|class| class.signature.parameters.len() == arguments.len());
    has_all && arguments.iter().all(|argument| is_plain(program, argument))
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
        let remark = |has_mockito| unreachable_remark(&ClassName::new("p/A"), &fields, has_mockito);
        let start = "a container injects limit, repo of p.A, and tests cannot: put";
        assert!(remark(false).starts_with(&format!("{start} mockito-core or spring-test on")), "{}", remark(false));
        assert!(remark(true).starts_with(&format!("{start} spring-test on")), "{}", remark(true));
    }
}
