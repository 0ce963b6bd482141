//! Mocks, where Mockito is on the class path: collaborators, and values of types that cannot be
//! built otherwise.
//!
//! In: roles of classes, and the ways found so far. Out: mocks with the methods that they answer,
//! and the next type to mock. Must not know how a mock is written.

use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::sync::Arc;

use tracewright_classfile::Constant;

use super::costs::{FlattenedWays, STUB_COST, UncostedChoice, cost_of, is_mock, least_costs};
use super::needed::NeededTypes;
use super::roles::{Role, Roles, is_component};
use super::stubs::is_sealed;
use super::{LazyIndex, Scope};
use crate::program::cluster::{Callable, Generator, StubKind, jdk};
use crate::program::coroutines::CONTINUATION;
use crate::program::{ClassModel, ClassName, ClassOrigin, JavaType, MethodModel, MethodRef, passed_elements};

/// Types of one cluster that are mocked.
const MAX_MOCKS: usize = 32;

/// Exceptions that one method of a mock may throw.
const MAX_EXCEPTIONS: usize = 3;
/// Methods that an anonymous class may have.
const MAX_STUBBED_METHODS: usize = 3;

/// The types that have a mock among their ways.
#[derive(Debug)]
pub(super) struct Mocks {
    /// Whether tests may use Mockito.
    available: bool,
    roles: Roles,
    /// Types that are mocked first since they are collaborators.
    collaborators: BTreeSet<JavaType>,
    /// Collaborators that a container makes: no test builds them for real.
    components: BTreeSet<JavaType>,
    /// Types that are mocked since there is no better way.
    mocked: BTreeSet<JavaType>,
    /// Methods that the code under test calls; collected when first needed.
    called: Option<Arc<[MethodRef]>>,
    /// Unchecked exceptions that the classes under test catch; collected when first needed.
    caught: Option<Arc<[ClassName]>>,
}

/// Whether tests may use Mockito: it is on the class path, and its class files are no newer than
/// those of the target, for whose release tests are compiled.
pub(super) fn has_mockito(scope: Scope<'_>) -> bool {
    let Some(target) = scope.program.class(scope.target) else { return false };
    ["org/mockito/Mockito", "org/mockito/ArgumentMatchers"].iter().all(|name| {
        scope
            .program
            .class(&ClassName::new(name))
            .is_some_and(|class| scope.access.class(&class) && class.file.major_version() <= target.file.major_version())
    })
}

impl Mocks {
    /// No mocks yet.
    pub(super) fn new(scope: Scope<'_>) -> Mocks {
        Mocks {
            available: has_mockito(scope),
            roles: Roles::default(),
            collaborators: BTreeSet::new(),
            components: BTreeSet::new(),
            mocked: BTreeSet::new(),
            called: None,
            caught: None,
        }
    }

    /// Whether the class is mocked before anything else is tried.
    pub(super) fn is_collaborator<'a>(&mut self, scope: Scope<'a>, index: &mut LazyIndex<'a>, class: &ClassModel) -> bool {
        self.available && self.role(scope, index, class) == Role::Collaborator
    }

    /// Whether a mock stands in for an anonymous class: for every interface but functions, and for
    /// abstract classes that the class under test works with or that have many methods.
    pub(super) fn replace_stub<'a>(&mut self, scope: Scope<'a>, index: &mut LazyIndex<'a>, class: &ClassModel) -> bool {
        self.available
            && match self.role(scope, index, class) {
                Role::Collaborator => true,
                Role::Function => false,
                Role::Value | Role::Collection => {
                    class.is_interface()
                        || scope.program.abstract_methods(&class.name).len() > MAX_STUBBED_METHODS
                        || Roles::is_held(scope, index, class, &self.called(scope))
                }
            }
    }

    /// A mock for a field that tests can fill with nothing else, unless it holds elements.
    pub(super) fn mock_injected<'a>(
        &mut self,
        scope: Scope<'a>,
        index: &mut LazyIndex<'a>,
        class: &ClassModel,
    ) -> Option<Generator> {
        let mock = match self.role(scope, index, class) {
            _ if !self.available => None,
            Role::Collection => None,
            Role::Collaborator => self.mock_of(scope, class),
            Role::Function | Role::Value => self.mock(scope, &class.ty()),
        };
        mock.map(|mock| mock.generator)
    }

    fn role<'a>(&mut self, scope: Scope<'a>, index: &mut LazyIndex<'a>, class: &ClassModel) -> Role {
        let called = self.called(scope);
        self.roles.role(scope, index, class, &called)
    }

    /// A mock of a class that is mocked as a collaborator, which is noted.
    pub(super) fn mock_collaborator(&mut self, scope: Scope<'_>, class: &ClassModel) -> Option<UncostedChoice> {
        let mock = self.mock_of(scope, class)?;
        self.collaborators.insert(class.ty());
        if !class.is_interface() && is_component(class) {
            self.components.insert(class.ty());
        }
        Some(mock)
    }

    /// Whether the type is mocked as a collaborator.
    pub(super) fn has_collaborator(&self, ty: &JavaType) -> bool {
        self.collaborators.contains(ty)
    }

    /// The next type without a better way, and a mock of it. Types that cannot be built even from
    /// nulls come first, since their mocks may make others buildable; then those farthest from the
    /// target, for the same reason.
    pub(super) fn next(
        &mut self,
        scope: Scope<'_>,
        ways: &FlattenedWays,
        callables: &[Callable],
        needed: &NeededTypes,
    ) -> Option<(JavaType, UncostedChoice)> {
        if self.mocked.len() >= MAX_MOCKS {
            return None;
        }
        let missing = missing_types(ways, callables);
        let costs = least_costs(ways, callables);
        let mut order: Vec<&JavaType> = missing.iter().filter(|ty| !self.mocked.contains(*ty)).collect();
        order.sort_by_key(|ty| (costs.contains_key(*ty), Reverse(needed.distance(ty)), (*ty).clone()));
        let (ty, mock) = order.into_iter().find_map(|ty| Some((ty.clone(), self.mock(scope, ty)?)))?;
        self.mocked.insert(ty.clone());
        Some((ty, mock))
    }

    /// The types whose only objects are mocks: their methods neither modify, nor make, nor inspect
    /// anything. Of a collaborator, real objects count only where they cost no more than a mock, and
    /// where no container makes them.
    pub(super) fn only_mocked(&self, scope: Scope<'_>, ways: &FlattenedWays, callables: &[Callable]) -> BTreeSet<JavaType> {
        if self.mocked.is_empty() && self.collaborators.is_empty() {
            return BTreeSet::new();
        }
        let costs = least_costs(ways, callables);
        let made = made_types(ways, callables, &missing_types(ways, callables));
        let is_of_container = |ty: &JavaType| match ty {
            JavaType::Class(name) => scope.program.class(name).is_some_and(|class| is_component(&class)),
            _ => false,
        };
        let is_cheap = |choice: &UncostedChoice| {
            !is_mock(&choice.generator)
                && !is_of_container(&choice.ty)
                && cost_of(&choice.generator, callables, &costs).is_some_and(|cost| cost <= STUB_COST)
        };
        let is_only_mocked = |ty: &JavaType, ways: &[UncostedChoice]| match self.collaborators.contains(ty) {
            true => self.components.contains(ty) || !ways.iter().any(is_cheap),
            false => !made.contains(ty),
        };
        ways.iter().filter(|(ty, ways)| has_mock(ways) && is_only_mocked(ty, ways)).map(|(ty, _)| ty.clone()).collect()
    }

    /// A mock of the type; `None` also for an interface that makes values of itself, such as
    /// `Page.empty()`.
    pub(super) fn mock(&mut self, scope: Scope<'_>, ty: &JavaType) -> Option<UncostedChoice> {
        let JavaType::Class(name) = ty else { return None };
        let class = scope.program.class(name)?;
        let makes_value = |method: &MethodModel| {
            method.is_static() && method.parameters.is_empty() && method.returns == *ty && scope.access.method(method)
        };
        let is_value = class.is_interface() && class.methods.iter().any(makes_value);
        if is_value { None } else { self.mock_of(scope, &class) }
    }

    /// A mock of the class, with answers for the methods that the code under test calls on it;
    /// `None` when Mockito cannot mock the class, or when the mock would hide the code under test.
    fn mock_of(&mut self, scope: Scope<'_>, class: &ClassModel) -> Option<UncostedChoice> {
        let Scope { program, access, .. } = scope;
        let name = &class.name;
        let is_rooted = || program.superclass_chain(name).last().is_some_and(|root| root.superclass.is_none());
        let is_open = access.class(class)
            && !is_sealed(class)
            && match class.is_interface() {
                true => !class.is_annotation(),
                false => !class.access.is_final() && !class.is_enum() && is_rooted(),
            };
        let is_of = |packages: &[&str]| packages.iter().any(|prefix| name.internal().starts_with(prefix));
        let is_left_out = class.origin == ClassOrigin::Jdk
            && !class.is_interface()
            && (is_of(jdk::LEFT_OUT) && !is_of(jdk::MOCKED) || name.internal() == "java/lang/Object");
        if !is_open || is_left_out || scope.tests_code_of(class) || name.internal() == CONTINUATION {
            return None;
        }
        let mut methods: Vec<MethodRef> = Vec::new();
        let mut exceptions: Vec<(MethodRef, JavaType)> = Vec::new();
        let caught = self.caught(scope);
        let called = self.called(scope);
        for called in called.iter().filter(|called| program.is_subclass(name, &called.owner)) {
            let Some(found) = program.resolve_method(name, &called.name, &called.descriptor) else { continue };
            let owner = &found.class;
            let method = match found.method() {
                bridge if bridge.access.is_bridge() => match bridged_method(owner, bridge) {
                    Some(method) => method,
                    None => continue,
                },
                method => method,
            };
            let flags = method.access;
            let is_of_object = owner.name.internal() == "java/lang/Object";
            if method.is_static() || flags.is_private() || method.is_constructor() || is_of_object {
                continue;
            }
            // Whether a final method can be mocked depends on the user's version of Mockito.
            if flags.is_final() {
                return None;
            }
            // A test stubs a call by its arguments, whose number only the code under test tells.
            let is_countable = || !flags.is_varargs() || passed_elements(program, scope.classes, &method.reference).is_some();
            if !access.method(method) || !is_countable() {
                continue;
            }
            if (method.returns == JavaType::Void || access.ty(&method.returns)) && !methods.contains(&method.reference) {
                methods.push(method.reference.clone());
            }
            let thrown = method.exceptions.iter().chain(caught.iter()).filter(|thrown| access.class_named(thrown));
            for thrown in thrown.take(MAX_EXCEPTIONS) {
                let exception = (method.reference.clone(), JavaType::Class(thrown.clone()));
                if !exceptions.contains(&exception) {
                    exceptions.push(exception);
                }
            }
        }
        methods.sort();
        exceptions.sort();
        let generator = Generator::Stub { class: name.clone(), kind: StubKind::Mock, methods, exceptions };
        Some(UncostedChoice { generator, ty: class.ty() })
    }

    /// Methods that the code under test calls, and those that the called methods of the project
    /// call.
    fn called(&mut self, scope: Scope<'_>) -> Arc<[MethodRef]> {
        self.called.get_or_insert_with(|| called_methods(scope).into_iter().collect()).clone()
    }

    /// Unchecked exceptions that the classes under test catch. For one that catches all
    /// exceptions, `RuntimeException` stands.
    fn caught(&mut self, scope: Scope<'_>) -> Arc<[ClassName]> {
        self.caught.get_or_insert_with(|| caught_exceptions(scope).into_iter().collect()).clone()
    }
}

fn caught_exceptions(Scope { program, classes, .. }: Scope<'_>) -> BTreeSet<ClassName> {
    let unchecked = ClassName::new("java/lang/RuntimeException");
    let mut caught = BTreeSet::new();
    for class in classes.iter().filter_map(|name| program.class(name)) {
        let closes_resources = calls_add_suppressed(&class);
        for code in class.methods.iter().filter_map(|method| class.code(method)) {
            for name in code.handlers.iter().filter_map(|handler| handler.catch_type.as_deref()) {
                let name = ClassName::new(name);
                if program.is_subclass(&name, &unchecked) {
                    caught.insert(name);
                } else if name.internal() == "java/lang/Exception"
                    || name.internal() == "java/lang/Throwable" && !closes_resources
                {
                    caught.insert(unchecked.clone());
                }
            }
        }
    }
    caught
}

/// Whether the class has `try` statements with resources. The compiler adds handlers of `Throwable`
/// for them.
fn calls_add_suppressed(class: &ClassModel) -> bool {
    let pool = class.file.constant_pool();
    pool.indices().any(|index| matches!(pool.get(index), Ok(Constant::Method(member)) if member.name == "addSuppressed"))
}

fn called_methods(Scope { program, classes, .. }: Scope<'_>) -> BTreeSet<MethodRef> {
    let mut called: BTreeSet<MethodRef> = BTreeSet::new();
    for class in classes.iter().filter_map(|name| program.class(name)) {
        let pool = class.file.constant_pool();
        for index in pool.indices() {
            if let Ok(Constant::Method(member) | Constant::InterfaceMethod(member)) = pool.get(index) {
                called.insert(MethodRef::new(ClassName::new(member.owner), member.name, member.descriptor));
            }
        }
    }
    for callee in called.clone() {
        let Some(found) = program.resolve(&callee) else { continue };
        if found.class.origin != ClassOrigin::Project || classes.contains(&found.class.name) {
            continue;
        }
        let Some(code) = found.class.code(found.method()) else { continue };
        let pool = found.class.file.constant_pool();
        for instruction in code.instructions.iter().filter(|instruction| instruction.op.is_invoke()) {
            if let Some(member) = instruction.op.member_index().and_then(|index| pool.member(index).ok()) {
                called.insert(MethodRef::new(ClassName::new(member.owner), member.name, member.descriptor));
            }
        }
    }
    called
}

/// The types of which no object can be made without a null in place of an object of a missing type.
/// Chains of a class's own objects (`new Node(next)`) end in a null and do not count as missing.
fn missing_types(ways: &FlattenedWays, callables: &[Callable]) -> BTreeSet<JavaType> {
    let costs = least_costs(ways, callables);
    let mut missing: BTreeSet<JavaType> = ways.keys().filter(|ty| !costs.contains_key(*ty)).cloned().collect();
    // The set only grows, since missing types only take ways away: the loop ends.
    loop {
        let made = made_types(ways, callables, &missing);
        let is_missing = |(ty, ways): &(&JavaType, &Vec<UncostedChoice>)| !made.contains(*ty) && !has_mock(ways);
        let now: BTreeSet<JavaType> = ways.iter().filter(is_missing).map(|(ty, _)| ty.clone()).collect();
        if now == missing {
            return missing;
        }
        missing = now;
    }
}

/// The types of which objects other than mocks can be made when no argument may be of a missing
/// type.
fn made_types(ways: &FlattenedWays, callables: &[Callable], missing: &BTreeSet<JavaType>) -> BTreeSet<JavaType> {
    let mut made: BTreeSet<JavaType> = BTreeSet::new();
    loop {
        let before = made.len();
        for (ty, choices) in ways {
            let makes = |choice: &UncostedChoice| match &choice.generator {
                Generator::Call(id) => {
                    let callable = &callables[id.0 as usize];
                    callable.receiver().is_none_or(|receiver| made.contains(&receiver))
                        && callable.parameters.iter().all(|parameter| !missing.contains(&parameter.ty))
                }
                generator => !is_mock(generator),
            };
            if !made.contains(ty) && choices.iter().any(makes) {
                made.insert(ty.clone());
            }
        }
        if made.len() == before {
            return made;
        }
    }
}

fn has_mock(choices: &[UncostedChoice]) -> bool {
    choices.iter().any(|choice| is_mock(&choice.generator))
}

/// The method that a bridge of the class calls.
fn bridged_method<'a>(class: &'a ClassModel, bridge: &MethodModel) -> Option<&'a MethodModel> {
    class.methods.iter().find(|method| {
        !method.access.is_bridge() && method.name() == bridge.name() && method.parameters.len() == bridge.parameters.len()
    })
}
