//! The test cluster: the members that a test of the target may use, the ways to get values of the
//! types they need, and hints from the bytecode.
//!
//! In: a [`Program`] and a target. Out: a plain value for the search. Must not know how sequences
//! are searched for or executed.

mod access;
mod analysis;
mod bind;
mod build;
mod date_patterns;
mod display;
mod formats;
mod jdk;
mod requests;
mod reflection;
mod scan;
mod serialization;

use std::collections::BTreeMap;
use std::sync::Arc;

pub(crate) use self::reflection::{KnownMember, MemberKind};
pub(crate) use self::requests::{JsonShape, OBJECTS, RequestField, RequestTemplate, Requests, STRINGS, TextKind};
use super::generics::TypeParameter;
use super::{ClassName, FieldRef, GenericType, JavaType, MethodRef, Program};

/// Limits of the cluster, and the package of its tests.
#[derive(Clone, Debug)]
pub struct ClusterConfig {
    /// Internal name of the test's package; `None`: the target's, so that package-private members
    /// can be called.
    pub test_package: Option<String>,
    /// Only these methods of the target are under test (name, descriptor if one of several is
    /// meant); empty: all.
    pub methods: Vec<(String, Option<String>)>,
    /// Limit of types that are looked into; types met later count as unbuildable.
    pub max_types: usize,
    /// Limit of the ways to build one type; the cheapest are kept.
    pub max_choices: usize,
    /// Limit of the project classes that are searched for subclasses and factories, nearest
    /// packages first.
    pub max_scanned: usize,
}

impl Default for ClusterConfig {
    fn default() -> ClusterConfig {
        ClusterConfig { test_package: None, methods: Vec::new(), max_types: 600, max_choices: 24, max_scanned: 3000 }
    }
}

/// Inspectors of one class that describe arguments of calls on mocks.
const MAX_ARGUMENT_INSPECTORS: usize = 8;

/// Index into [`Cluster::callables`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CallableId(pub u32);

/// How a callable is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CallableKind {
    /// `new C(..)`; the enclosing instance of an inner class is the first parameter.
    Constructor,
    /// A static method.
    Static,
    /// A method with a receiver.
    Instance,
}

/// A constructor or method that a test may call.
#[derive(Clone, Debug)]
pub struct Callable {
    /// Whether it is a constructor, static or has a receiver.
    pub kind: CallableKind,
    /// The reference for a statement. Its owner is a class that the test may name and the type of
    /// the receiver; a superclass may declare the method.
    pub method: MethodRef,
    /// The owner is an interface.
    pub(crate) interface: bool,
    /// The class that declares it.
    pub(crate) declared_in: ClassName,
    pub(crate) parameters: Vec<Parameter>,
    /// The erased type of the value; the class itself for a constructor.
    pub(crate) returns: JavaType,
    pub(crate) generic_returns: GenericType,
    /// Type variables in scope: the method's own, then those of its class.
    pub(crate) type_parameters: Vec<TypeParameter>,
    /// The declared exceptions.
    pub(crate) exceptions: Vec<ClassName>,
    /// The last parameter is a `T...`, which is an array in a statement.
    pub(crate) varargs: bool,
    /// It belongs to the project, not to the JDK.
    pub project: bool,
    /// Facts from the bytecode.
    pub hints: Hints,
    /// Constants of the body and of the project methods it calls (one level).
    pub constants: CodeConstants,
}

impl Callable {
    /// The type of the receiver; `None` for constructors and static methods.
    pub(crate) fn receiver(&self) -> Option<JavaType> {
        (self.kind == CallableKind::Instance).then(|| JavaType::Class(self.method.owner.clone()))
    }
}

/// A parameter of a callable.
#[derive(Clone, Debug)]
pub(crate) struct Parameter {
    pub(crate) ty: JavaType,
    /// With the type variables of the callable: see [`Cluster::bind`].
    pub(crate) generic: GenericType,
    pub(crate) name: Option<String>,
}

/// Facts about a method from its bytecode. They may be wrong about behaviour at run time.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Hints {
    /// The method returns a value, has no parameters, and as far as the bytecode tells changes
    /// nothing: assertions may call it.
    pub observer: bool,
    /// Fields of the class and its superclasses that the method reads, directly or through calls
    /// within them; by name.
    pub reads: Vec<FieldRef>,
    /// Fields that it writes, likewise. A write to an array element, or a call that may modify the
    /// object in a field, counts as a write of the field.
    pub writes: Vec<FieldRef>,
}

/// Literals found in code. Each list is in order of appearance, without repetitions.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CodeConstants {
    /// Ints, chars, shorts, bytes and switch keys.
    pub ints: Vec<i32>,
    pub(crate) longs: Vec<i64>,
    /// Raw IEEE bits.
    pub(crate) floats: Vec<u32>,
    /// Raw IEEE bits.
    pub(crate) doubles: Vec<u64>,
    /// UTF-16 code units.
    pub strings: Vec<Vec<u16>>,
    /// Class literals.
    pub(crate) classes: Vec<JavaType>,
}

/// A way to get a value.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Generator {
    /// A literal of the choice's type: a primitive, `String` or `Class`.
    Literal,
    /// A call of a constructor or method; operands and receiver must be built, too.
    Call(CallableId),
    /// A read of a static field or enum constant.
    Field(FieldRef),
    /// `new E[..]`, filled with elements of this type.
    Array { element: JavaType },
    /// An anonymous class, a lambda or a Mockito mock that implements these methods.
    /// Some of its methods may also throw these exceptions.
    Stub { class: ClassName, kind: StubKind, methods: Vec<MethodRef>, exceptions: Vec<(MethodRef, JavaType)> },
}

/// How a stub is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum StubKind {
    /// An instance of an interface, or of an abstract class with a constructor without parameters.
    /// Every abstract method returns its answer, or the default of its return type (0, false,
    /// null). Emitted as a lambda or an anonymous class.
    Implementation,
    /// An object that Mockito makes: no constructor and no method of its class runs. A method
    /// without an answer returns what `RETURNS_DEFAULTS` returns.
    Mock,
}

/// A generator, its result and its cost.
#[derive(Clone, Debug, PartialEq)]
pub struct Choice {
    pub(crate) generator: Generator,
    /// Erased type of the value, which is assignable to the type that was asked for.
    pub ty: JavaType,
    /// The least number of statements that the value takes, itself included.
    pub(crate) cost: u32,
}

/// A field that a test may read or write.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct FieldAccess {
    pub(crate) field: FieldRef,
    pub(crate) generic: GenericType,
    pub(crate) is_static: bool,
    /// Public and not final.
    pub(crate) writable: bool,
}

/// The class of spring-test that writes private fields.
pub(crate) const REFLECTION_TEST_UTILS: &str = "org/springframework/test/util/ReflectionTestUtils";

/// A member through which a container gives a new object what it works with.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Injection {
    /// A setter, another method that is marked for injection, or one that the container calls at
    /// the end of the construction.
    Call(CallableId),
    /// A field of the object, possibly private, with its type for objects of the class.
    Field { field: FieldRef, generic: GenericType },
    /// A private field that only Mockito fills, with a mock that the test uses for nothing else.
    Mock { field: FieldRef, generic: GenericType, mock: Generator },
}

/// The types of one use of a callable, without type variables.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Binding {
    /// Types of the parameters, without the receiver.
    pub parameters: Vec<GenericType>,
    pub(crate) returns: GenericType,
}

/// Everything that a test of the target may use. All orders derive from class file order and names,
/// so the same program gives the same cluster.
#[derive(Clone, Debug)]
pub struct Cluster {
    pub(crate) target: ClassName,
    /// The target and its nested classes, whose code holds the goals.
    pub(crate) classes: Vec<ClassName>,
    /// Package of the tests (internal name).
    pub(crate) test_package: String,
    /// Java release that the tests are compiled for.
    pub(crate) release: u32,
    /// By [`CallableId`].
    pub callables: Vec<Callable>,
    /// Callables under test: the target's own, then those of its nested classes, then inherited
    /// ones, then those of supertypes through which tests reach objects of hidden classes.
    pub under_test: Vec<CallableId>,
    /// How many of `under_test` are declared in the target or its nested classes; the search
    /// prefers them.
    pub own: usize,
    /// Fields of the classes under test.
    pub(crate) fields: Vec<FieldAccess>,
    /// Constants of all code of the target.
    pub constants: CodeConstants,
    /// The requests that tests may send to a controller through MockMvc; `None` for other classes,
    /// and where spring-test is missing.
    pub(crate) requests: Option<Requests>,
    /// The classes under test whose own code runs when their objects are written to a stream or read.
    pub(crate) serialized: Vec<ClassName>,
    /// Members that tests may look up by reflection; empty where nothing takes one.
    pub(crate) members: Vec<KnownMember>,
    /// Obstacles to testing parts of the target, one sentence each.
    pub remarks: Vec<String>,
    choices: BTreeMap<JavaType, Vec<Choice>>,
    modifiers: BTreeMap<JavaType, Vec<CallableId>>,
    inspectors: BTreeMap<JavaType, Vec<CallableId>>,
    injections: BTreeMap<CallableId, Vec<Injection>>,
    unbuildable: BTreeMap<JavaType, String>,
    program: Arc<Program>,
}

impl Cluster {
    /// The program of which this is a part.
    pub(crate) fn program(&self) -> &Arc<Program> {
        &self.program
    }

    /// As [`Program::is_subtype`].
    pub(crate) fn is_subtype(&self, ty: &JavaType, of: &JavaType) -> bool {
        self.program.is_subtype(ty, of)
    }

    /// The callable with the id.
    pub fn callable(&self, id: CallableId) -> &Callable {
        &self.callables[id.0 as usize]
    }

    /// Ways to get a value that is assignable to the type, cheapest first. Empty when there is
    /// none, so that only null is left, or when no callable needs the type.
    pub fn choices(&self, ty: &JavaType) -> &[Choice] {
        self.choices.get(ty).map_or(&[], Vec::as_slice)
    }

    /// What a container gives an object that the constructor has made, in this order.
    pub(crate) fn injections(&self, constructor: CallableId) -> &[Injection] {
        self.injections.get(&constructor).map_or(&[], Vec::as_slice)
    }

    /// What a container gives objects of any constructor.
    pub(crate) fn all_injections(&self) -> impl Iterator<Item = &Injection> {
        self.injections.values().flatten()
    }

    /// The least number of statements that a value of the type takes; `None` when it cannot be
    /// built.
    pub fn cost(&self, ty: &JavaType) -> Option<u32> {
        self.choices(ty).first().map(|choice| choice.cost)
    }

    /// Whether some value is a Mockito mock.
    pub fn has_mocks(&self) -> bool {
        self.stubs().any(|stub| matches!(stub, Generator::Stub { kind: StubKind::Mock, .. }))
    }

    /// The stubs and mocks among the choices and injected values.
    fn stubs(&self) -> impl Iterator<Item = &Generator> {
        let chosen = self.choices.values().flatten().map(|choice| &choice.generator);
        let injected = self.all_injections().filter_map(|injection| match injection {
            Injection::Mock { mock, .. } => Some(mock),
            Injection::Call(_) | Injection::Field { .. } => None,
        });
        chosen.chain(injected).filter(|generator| matches!(generator, Generator::Stub { .. }))
    }

    /// Whether tests may send requests to the class.
    pub(crate) fn has_requests(&self) -> bool {
        self.requests.is_some()
    }

    /// Inspectors of the objects that the code under test may pass to mocks.
    pub(crate) fn argument_inspectors(&self) -> Vec<MethodRef> {
        let mut found: Vec<MethodRef> = Vec::new();
        for stub in self.stubs() {
            let Generator::Stub { class, kind: StubKind::Mock, methods, .. } = stub else { continue };
            let own = GenericType::class(class.clone());
            let parameters = methods.iter().filter_map(|method| self.program.bound_types(&own, method)).flat_map(|types| types.0);
            for ty in parameters.map(|parameter| parameter.erase(&[])) {
                let inspectors = self.inspectors(&ty).iter().map(|id| self.callable(*id));
                let plain = inspectors.filter(|inspector| {
                    inspector.project && inspector.parameters.is_empty() && &*inspector.method.name != "hashCode"
                });
                for inspector in plain.take(MAX_ARGUMENT_INSPECTORS) {
                    if !found.contains(&inspector.method) {
                        found.push(inspector.method.clone());
                    }
                }
            }
        }
        found
    }

    /// The needed types that cannot be built, each with the reason.
    pub fn unbuildable(&self) -> impl Iterator<Item = (&JavaType, &str)> {
        self.unbuildable.iter().map(|(ty, reason)| (ty, reason.as_str()))
    }

    /// Methods that change an object of the static type, to build it up before it is used.
    pub fn modifiers(&self, ty: &JavaType) -> &[CallableId] {
        self.modifiers.get(ty).map_or(&[], Vec::as_slice)
    }

    /// Methods that return part of the state of an object of the static type without changing it,
    /// for assertions.
    pub fn inspectors(&self, ty: &JavaType) -> &[CallableId] {
        self.inspectors.get(ty).map_or(&[], Vec::as_slice)
    }
}
