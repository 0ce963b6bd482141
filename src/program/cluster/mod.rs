//! The test cluster: everything a test of the target may call, how values of every needed type come about, and what the code
//! hints at. In: a [`Program`] and a target; out: a plain value for the search. Must not know how sequences are searched for or run.

mod access;
mod analysis;
mod bind;
mod build;
mod display;
mod jdk;
mod scan;

use std::collections::BTreeMap;
use std::sync::Arc;

use super::generics::TypeParameter;
use super::{ClassName, FieldRef, GenericType, JavaType, MethodRef, Program};

/// Limits of the cluster and where its tests will live.
#[derive(Clone, Debug)]
pub struct ClusterConfig {
    /// Internal name of the test's package; `None`: the target's, so that package-private members can be called.
    pub test_package: Option<String>,
    /// Only these methods of the target are under test (name, descriptor if one of several is meant); empty: all.
    pub methods: Vec<(String, Option<String>)>,
    /// Types that are looked into at most; those met later count as unbuildable.
    pub max_types: usize,
    /// Ways to build one type that are kept at most, cheapest first.
    pub max_choices: usize,
    /// Project classes that are searched for subclasses and factories at most, nearest packages first.
    pub max_scanned: usize,
}

impl Default for ClusterConfig {
    fn default() -> ClusterConfig {
        ClusterConfig { test_package: None, methods: Vec::new(), max_types: 600, max_choices: 24, max_scanned: 3000 }
    }
}

/// Index into [`Cluster::callables`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CallableId(pub u32);

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CallableKind {
    /// `new C(..)`; the enclosing instance of an inner class is the first parameter.
    Constructor,
    Static,
    Instance,
}

/// A constructor or method that a test may call.
#[derive(Clone, Debug)]
pub struct Callable {
    pub kind: CallableKind,
    /// Ready for a statement: the owner is a class the test may name and the type of the receiver, which may inherit the method.
    pub method: MethodRef,
    /// The owner is an interface.
    pub(crate) interface: bool,
    /// Where the body stands.
    pub(crate) declared_in: ClassName,
    pub(crate) parameters: Vec<Parameter>,
    /// The erased type of the value: of a constructor its class.
    pub(crate) returns: JavaType,
    pub(crate) generic_returns: GenericType,
    /// Type variables in scope: the method's own, then those of its class.
    pub(crate) type_parameters: Vec<TypeParameter>,
    /// Declared.
    pub(crate) exceptions: Vec<ClassName>,
    /// The last parameter is a `T...`: an array in a statement.
    pub(crate) varargs: bool,
    /// Of the project, not of the JDK.
    pub project: bool,
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

#[derive(Clone, Debug)]
pub(crate) struct Parameter {
    pub(crate) ty: JavaType,
    /// With the type variables of the callable: see [`Cluster::bind`].
    pub(crate) generic: GenericType,
    pub(crate) name: Option<String>,
}

/// What the bytecode tells of a method without running it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Hints {
    /// Returns something, takes nothing, and its body neither writes a field nor calls what might: an assertion may call it.
    pub observer: bool,
    /// Fields of the class and its project superclasses that the method reads, through calls within them too; in order of name.
    pub reads: Vec<FieldRef>,
    /// The same for writes (array elements and calls that may modify a field's object count as a write of the field).
    pub writes: Vec<FieldRef>,
}

/// Literals found in code; each list in order of appearance, without repetitions.
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
    /// Primitives, `String`, `Class`: a literal of the choice's type.
    Literal,
    /// A constructor, static factory or instance method (its receiver has to be built too).
    Call(CallableId),
    /// A static field or an enum constant that is read.
    Field(FieldRef),
    /// `new E[..]`, to be filled with elements of this type.
    Array { element: JavaType },
    /// An anonymous class or lambda that answers these methods, or a Mockito mock that does.
    Stub { interface: ClassName, mocked: bool, methods: Vec<MethodRef> },
}

/// A generator and what it gives.
#[derive(Clone, Debug, PartialEq)]
pub struct Choice {
    pub(crate) generator: Generator,
    /// Erased type of the value: assignable to the type that was asked for.
    pub ty: JavaType,
    /// Statements that the value takes at least, itself included; grows with effort.
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

/// Types of a callable's parameters and value for one use: no type variables left.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Binding {
    pub parameters: Vec<GenericType>,
    pub(crate) returns: GenericType,
}

/// Everything a test of the target may use. Order is class file order, then name: the same program gives the same cluster.
#[derive(Clone, Debug)]
pub struct Cluster {
    pub(crate) target: ClassName,
    /// The target and its nested classes: their code holds the goals.
    pub(crate) classes: Vec<ClassName>,
    /// Package of the tests (internal name).
    pub(crate) test_package: String,
    pub callables: Vec<Callable>,
    /// Callables under test: the target's own, then those of its nested classes, then inherited ones and those of interfaces through
    /// which tests meet objects that they cannot name.
    pub under_test: Vec<CallableId>,
    /// How many of `under_test` come first in weight: the target's and its nested classes' own.
    pub own: usize,
    /// Fields of the classes under test.
    pub(crate) fields: Vec<FieldAccess>,
    /// Constants of all code of the target.
    pub constants: CodeConstants,
    /// What stands in the way of testing parts of the target, one sentence each.
    pub remarks: Vec<String>,
    choices: BTreeMap<JavaType, Vec<Choice>>,
    modifiers: BTreeMap<JavaType, Vec<CallableId>>,
    inspectors: BTreeMap<JavaType, Vec<CallableId>>,
    unbuildable: BTreeMap<JavaType, String>,
    program: Arc<Program>,
}

impl Cluster {
    pub(crate) fn program(&self) -> &Arc<Program> {
        &self.program
    }

    /// Subtyping of the program.
    pub(crate) fn is_subtype(&self, ty: &JavaType, of: &JavaType) -> bool {
        self.program.is_subtype(ty, of)
    }

    pub fn callable(&self, id: CallableId) -> &Callable {
        &self.callables[id.0 as usize]
    }

    /// Ways to get a value assignable to the type, cheapest first; empty when there is none (then null has to do) or the type was
    /// never needed by a callable.
    pub fn choices(&self, ty: &JavaType) -> &[Choice] {
        self.choices.get(ty).map_or(&[], Vec::as_slice)
    }

    /// Statements that a value of the type takes at least; `None` when it cannot be built.
    pub fn cost(&self, ty: &JavaType) -> Option<u32> {
        self.choices(ty).first().map(|choice| choice.cost)
    }

    /// Whether some value comes as a Mockito mock.
    pub fn has_mocks(&self) -> bool {
        let is_mock = |choice: &Choice| matches!(choice.generator, Generator::Stub { mocked: true, .. });
        self.choices.values().flatten().any(is_mock)
    }

    /// Why a type that is needed cannot be built.
    pub fn unbuildable(&self) -> impl Iterator<Item = (&JavaType, &str)> {
        self.unbuildable.iter().map(|(ty, reason)| (ty, reason.as_str()))
    }

    /// Methods that change an object of the static type: to build it up before it is used.
    pub fn modifiers(&self, ty: &JavaType) -> &[CallableId] {
        self.modifiers.get(ty).map_or(&[], Vec::as_slice)
    }

    /// Methods that tell the state of an object of the static type without changing it, for assertions.
    pub fn inspectors(&self, ty: &JavaType) -> &[CallableId] {
        self.inspectors.get(ty).map_or(&[], Vec::as_slice)
    }
}
