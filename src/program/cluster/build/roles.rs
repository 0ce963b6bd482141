//! Roles of types: whether a test builds a real object, writes a lambda, or uses a mock.
//!
//! In: classes, and how the code under test uses them. Out: one role for each class. Must not know
//! how an object of a role is made. The evidence is bytecode: fields that the class under test
//! holds and calls, implementations on the class path, and what constructing them takes.

use std::collections::BTreeMap;
use std::sync::Arc;

use tracewright_classfile::Constant;

use super::stubs::is_sealed;
use super::{LazyIndex, Scope};
use crate::program::cluster::jdk;
use crate::program::{ClassModel, ClassName, ClassOrigin, JavaType, MethodRef};

/// How tests get an object of a type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// Built for real: its own code belongs to what is tested.
    Value,
    /// Holds or yields elements: built for real, with elements.
    Collection,
    /// A function: a lambda.
    Function,
    /// Does work for the class under test and needs further objects or the outside world: a mock.
    Collaborator,
}

/// Interfaces and abstract classes of these packages speak to the outside world, or a container
/// makes their objects.
const SERVICES: &[&str] = &[
    "jakarta/",
    "java/net/http/",
    "java/sql/",
    "javax/ejb/",
    "javax/enterprise/",
    "javax/jms/",
    "javax/mail/",
    "javax/naming/",
    "javax/persistence/",
    "javax/servlet/",
    "javax/sql/",
    "javax/transaction/",
    "javax/ws/",
];

/// Simple names of annotations of classes whose objects a container makes.
const STEREOTYPES: &[&str] = &[
    "ApplicationScoped",
    "Component",
    "Controller",
    "Named",
    "Repository",
    "RequestScoped",
    "RestController",
    "Service",
    "SessionScoped",
    "Singleton",
    "Stateful",
    "Stateless",
];

/// A class that names one of these reaches out of the JVM.
const OUTSIDE: &[&str] = &[
    "java/io/FileInputStream",
    "java/io/FileOutputStream",
    "java/io/RandomAccessFile",
    "java/lang/ProcessBuilder",
    "java/net/HttpURLConnection",
    "java/net/ServerSocket",
    "java/net/Socket",
    "java/net/URLConnection",
    "java/net/http/",
    "java/nio/channels/",
    "java/nio/file/Files",
    "java/sql/Connection",
    "java/sql/DriverManager",
    "javax/sql/",
];

/// Supertypes of collections and sequences.
const COLLECTIONS: &[&str] = &[
    "java/lang/CharSequence",
    "java/lang/Iterable",
    "java/lang/Readable",
    "java/util/Enumeration",
    "java/util/Iterator",
    "java/util/Map",
    "java/util/Map$Entry",
    "java/util/stream/BaseStream",
    "java/io/InputStream",
    "java/io/OutputStream",
    "java/io/Writer",
];

/// Depth to which the fields of fields are looked at.
const MAX_DEPTH: u32 = 2;

/// The roles found so far.
#[derive(Debug, Default)]
pub(super) struct Roles {
    known: BTreeMap<ClassName, Role>,
}

impl Roles {
    /// The role of a class. `called`: the methods that the code under test calls.
    pub(super) fn role<'a>(
        &mut self,
        scope: Scope<'a>,
        index: &mut LazyIndex<'a>,
        class: &ClassModel,
        called: &[MethodRef],
    ) -> Role {
        if let Some(role) = self.known.get(&class.name) {
            return *role;
        }
        let role = RoleFinder { scope, index, called }.role(class);
        self.known.insert(class.name.clone(), role);
        role
    }

    /// Whether a class under test holds objects of the class and calls methods on them.
    pub(super) fn is_held<'a>(scope: Scope<'a>, index: &mut LazyIndex<'a>, class: &ClassModel, called: &[MethodRef]) -> bool {
        RoleFinder { scope, index, called }.is_held_and_called(&class.name)
    }
}

struct RoleFinder<'b, 'a> {
    scope: Scope<'a>,
    index: &'b mut LazyIndex<'a>,
    called: &'b [MethodRef],
}

impl RoleFinder<'_, '_> {
    fn role(&mut self, class: &ClassModel) -> Role {
        let program = self.scope.program;
        let is_closed = class.is_enum() || class.access.is_final() || class.is_annotation() || is_sealed(class);
        if is_closed || self.scope.tests_code_of(class) {
            return Role::Value;
        }
        let is_collection = COLLECTIONS.iter().any(|ancestor| program.is_subclass(&class.name, &ClassName::new(ancestor)));
        let is_function = program.functional_method(&class.name).is_some();
        let is_service = starts_with_any(&class.name, SERVICES) && class.is_abstract();
        if class.origin == ClassOrigin::Jdk {
            return if is_service {
                Role::Collaborator
            } else if is_collection {
                Role::Collection
            } else if is_function {
                Role::Function
            } else if class.is_interface() && !is_known(&class.name) {
                Role::Collaborator
            } else {
                Role::Value
            };
        }
        let is_held = self.is_held_and_called(&class.name);
        if is_function && (is_declared_function(class) || !is_held && !is_service) {
            return Role::Function;
        }
        let serves = (class.is_interface() || is_held)
            && match class.is_abstract() || class.is_interface() {
                true => !self.has_cheap_implementation(class, MAX_DEPTH),
                false => is_component(class) || self.needs_services(class, MAX_DEPTH),
            };
        if serves {
            Role::Collaborator
        } else if is_collection {
            Role::Collection
        } else {
            Role::Value
        }
    }

    /// Whether a class under test has an instance field of the type and calls a method on it.
    fn is_held_and_called(&self, name: &ClassName) -> bool {
        let Scope { program, classes, .. } = self.scope;
        let ty = JavaType::Class(name.clone());
        let holders: Vec<Arc<ClassModel>> = classes.iter().flat_map(|class| program.superclass_chain(class)).collect();
        let is_held = holders
            .iter()
            .filter(|class| class.origin == ClassOrigin::Project)
            .any(|class| class.fields.iter().any(|field| !field.access.is_static() && field.ty == ty));
        is_held && self.called.iter().any(|method| method.owner == *name || program.is_subclass(name, &method.owner))
    }

    /// Whether an implementation on the class path can be built from plain values.
    fn has_cheap_implementation(&mut self, class: &ClassModel, depth: u32) -> bool {
        self.index.implementations(&class.name).iter().any(|implementation| self.is_cheap(implementation, depth))
    }

    /// Whether a constructor takes plain values only, and the object needs no services.
    fn is_cheap(&mut self, class: &ClassModel, depth: u32) -> bool {
        let access = self.scope.access;
        let is_plain = |ty: &JavaType| match ty {
            JavaType::Class(name) => {
                matches!(name.internal(), "java/lang/String" | "java/lang/Class")
                    || is_known(name)
                    || self.scope.program.class(name).is_some_and(|class| class.is_enum())
            }
            JavaType::Array(_) => false,
            _ => true,
        };
        let mut constructors = class.methods.iter().filter(|method| method.is_constructor() && access.method(method));
        constructors.any(|constructor| constructor.parameters.iter().all(is_plain)) && !self.needs_services(class, depth)
    }

    /// Whether objects of the class work with services, or reach out of the JVM.
    fn needs_services(&mut self, class: &ClassModel, depth: u32) -> bool {
        let program = self.scope.program;
        let chain = program.superclass_chain(&class.name);
        let own: Vec<&Arc<ClassModel>> = chain.iter().filter(|class| class.origin == ClassOrigin::Project).collect();
        if own.iter().any(|class| reaches_outside(class)) {
            return true;
        }
        let fields = own.iter().flat_map(|class| &class.fields).filter(|field| !field.access.is_static());
        let types: Vec<ClassName> = fields
            .filter_map(|field| match &field.ty {
                JavaType::Class(name) if *name != class.name => Some(name.clone()),
                _ => None,
            })
            .collect();
        types.iter().filter_map(|name| program.class(name)).any(|field| self.is_service(&field, depth))
    }

    /// Whether objects of the class work for others: of a service package, an interface without a
    /// cheap implementation, or a class that needs services itself.
    fn is_service(&mut self, class: &ClassModel, depth: u32) -> bool {
        if class.origin == ClassOrigin::Jdk {
            return starts_with_any(&class.name, SERVICES) && class.is_abstract();
        }
        let is_data = class.is_enum() || is_sealed(class) || is_declared_function(class);
        if is_data || depth == 0 {
            return false;
        }
        match class.is_interface() {
            true => !self.has_cheap_implementation(class, depth - 1),
            false => self.needs_services(class, depth - 1),
        }
    }
}

fn starts_with_any(name: &ClassName, prefixes: &[&str]) -> bool {
    prefixes.iter().any(|prefix| name.internal().starts_with(prefix))
}

fn is_known(name: &ClassName) -> bool {
    jdk::KNOWN.iter().any(|(known, _)| *known == name.internal())
}

/// Whether a container makes the objects of the class.
pub(super) fn is_component(class: &ClassModel) -> bool {
    let simple_name = |annotation: &str| annotation.trim_end_matches(';').rsplit(['/', '$']).next().map(str::to_owned);
    let annotations = class.file.annotation_types();
    annotations.iter().filter_map(|annotation| simple_name(annotation)).any(|name| STEREOTYPES.contains(&name.as_str()))
}

/// Whether the class is an interface marked `@FunctionalInterface`.
fn is_declared_function(class: &ClassModel) -> bool {
    class.is_interface() && constants(class).any(|constant| constant == Constant::Utf8("Ljava/lang/FunctionalInterface;"))
}

/// Whether the code of the class names a class of the outside world.
fn reaches_outside(class: &ClassModel) -> bool {
    constants(class).any(|constant| match constant {
        Constant::Class(name) => OUTSIDE.iter().any(|prefix| name.starts_with(prefix)),
        _ => false,
    })
}

fn constants(class: &ClassModel) -> impl Iterator<Item = Constant<'_>> {
    let pool = class.file.constant_pool();
    pool.indices().filter_map(move |index| pool.get(index).ok())
}
