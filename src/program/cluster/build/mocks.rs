//! Mocks: values of types that cannot be built otherwise, where Mockito is on the class path.
//!
//! In: the ways found so far. Out: the next type to mock, with its answers. Must not know how a
//! mock is written.

use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::sync::Arc;

use tracewright_classfile::Constant;

use super::Scope;
use super::costs::{FlattenedWays, UncostedChoice, least_costs};
use super::needed::NeededTypes;
use super::stubs::is_sealed;
use crate::program::cluster::{Callable, Generator, StubKind, jdk};
use crate::program::{ClassModel, ClassName, ClassOrigin, JavaType, MethodModel, MethodRef};

/// Types of one cluster that are mocked.
const MAX_MOCKS: usize = 32;

/// The types that have a mock among their ways.
#[derive(Debug, Default)]
pub(super) struct Mocks {
    mocked: BTreeSet<JavaType>,
    /// Methods that the code under test calls; collected when first needed.
    called: Option<Arc<BTreeSet<MethodRef>>>,
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
    /// anything.
    pub(super) fn only_mocked(&self, ways: &FlattenedWays, callables: &[Callable]) -> BTreeSet<JavaType> {
        if self.mocked.is_empty() {
            return BTreeSet::new();
        }
        let made = made_types(ways, callables, &missing_types(ways, callables));
        ways.iter().filter(|(ty, ways)| has_mock(ways) && !made.contains(*ty)).map(|(ty, _)| ty.clone()).collect()
    }

    /// A mock of the type, with answers for the methods that the code under test calls on it;
    /// `None` when Mockito cannot mock the type, or when the mock would hide the code under test.
    fn mock(&mut self, scope: Scope<'_>, ty: &JavaType) -> Option<UncostedChoice> {
        let Scope { program, access, .. } = scope;
        let JavaType::Class(name) = ty else { return None };
        let class = program.class(name)?;
        let chain = program.superclass_chain(name);
        let is_open = !class.is_interface()
            && !class.access.is_final()
            && !class.is_enum()
            && access.class(&class)
            && !is_sealed(&class)
            && chain.last().is_some_and(|root| root.superclass.is_none());
        let is_left_out = class.origin == ClassOrigin::Jdk
            && (jdk::LEFT_OUT.iter().any(|prefix| name.internal().starts_with(prefix)) || name.internal() == "java/lang/Object");
        if !is_open || is_left_out || scope.classes.contains(name) {
            return None;
        }
        let mut methods: Vec<MethodRef> = Vec::new();
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
            let is_answerable =
                method.returns != JavaType::Void && !flags.is_varargs() && access.method(method) && access.ty(&method.returns);
            if is_answerable && !methods.contains(&method.reference) {
                methods.push(method.reference.clone());
            }
        }
        methods.sort();
        let generator = Generator::Stub { class: name.clone(), kind: StubKind::Mock, methods };
        Some(UncostedChoice { generator, ty: ty.clone() })
    }

    /// Methods that the code under test calls, and those that the called methods of the project
    /// call.
    fn called(&mut self, scope: Scope<'_>) -> Arc<BTreeSet<MethodRef>> {
        self.called.get_or_insert_with(|| Arc::new(called_methods(scope))).clone()
    }
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

fn is_mock(generator: &Generator) -> bool {
    matches!(generator, Generator::Stub { kind: StubKind::Mock, .. })
}

/// The method that a bridge of the class calls.
fn bridged_method<'a>(class: &'a ClassModel, bridge: &MethodModel) -> Option<&'a MethodModel> {
    class.methods.iter().find(|method| {
        !method.access.is_bridge() && method.name() == bridge.name() && method.parameters.len() == bridge.parameters.len()
    })
}
