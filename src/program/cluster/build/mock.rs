//! Mocks: types that nothing else makes, where Mockito is on the class path. In: the ways found so far; out: one more way for such a type.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use tracewright_classfile::Constant;

use super::{Builder, Generator, JavaType, Raw, settle};
use crate::program::cluster::jdk;
use crate::program::{ClassModel, ClassName, ClassOrigin, MethodModel, MethodRef};

/// Types that are mocked at most.
const MAX_MOCKS: usize = 32;

impl Builder<'_> {
    /// Whether tests may use Mockito: it is there, and no newer than the class files of the target, for whose release they are compiled.
    pub(super) fn has_mockito(&self) -> bool {
        let Some(target) = self.program.class(self.target) else { return false };
        ["org/mockito/Mockito", "org/mockito/ArgumentMatchers"].iter().all(|name| {
            self.program
                .class(&ClassName::new(name))
                .is_some_and(|class| self.access.class(&class) && class.file.major_version() <= target.file.major_version())
        })
    }

    /// Mocks the next type that nothing better makes; what its answers are made of is needed then. False: there is none.
    pub(super) fn mock_next(&mut self) -> bool {
        if self.mocks.len() >= MAX_MOCKS {
            return false;
        }
        let flattened = self.flatten();
        let missing = self.missing(&flattened);
        let costs = settle(&flattened, &self.callables);
        // What not even nulls make comes first: others may be makeable with it. Then what is farthest from the target, for the same reason.
        let mut order: Vec<&JavaType> = missing.iter().filter(|ty| !self.mocks.contains(*ty)).collect();
        order.sort_by_key(|ty| {
            let distance = self.distance.get(*ty).copied().unwrap_or(0);
            (costs.contains_key(*ty), Reverse(distance), (*ty).clone())
        });
        let found = order.into_iter().find_map(|ty| Some((ty.clone(), self.mock(ty)?)));
        let Some((ty, raw)) = found else { return false };
        let distance = self.distance.get(&ty).copied().unwrap_or(0);
        if let Generator::Stub { methods, .. } = &raw.generator {
            for method in methods.clone() {
                self.need(method.return_type(), distance + 1, true);
            }
        }
        self.ways.entry(ty.clone()).or_default().own.push(raw);
        self.mocks.insert(ty);
        true
    }

    /// Types of which no object can be made without a null in the place of another such object. Chains of a class's own objects
    /// (`new Node(next)`) end in a null and are none.
    fn missing(&self, flattened: &BTreeMap<JavaType, Vec<Raw>>) -> BTreeSet<JavaType> {
        let costs = settle(flattened, &self.callables);
        let mut missing: BTreeSet<JavaType> = flattened.keys().filter(|ty| !costs.contains_key(*ty)).cloned().collect();
        loop {
            let made = self.made(flattened, &missing);
            let is_mocked = |ty: &JavaType| flattened[ty].iter().any(|raw| is_mock(&raw.generator));
            let now: BTreeSet<JavaType> = flattened.keys().filter(|ty| !made.contains(*ty) && !is_mocked(ty)).cloned().collect();
            if now == missing {
                return missing;
            }
            // Only grows, as what is missing only takes ways away.
            missing = now;
        }
    }

    /// Types of which there are objects that do something, if arguments of these types are missing.
    fn made(&self, flattened: &BTreeMap<JavaType, Vec<Raw>>, missing: &BTreeSet<JavaType>) -> BTreeSet<JavaType> {
        let mut made: BTreeSet<JavaType> = BTreeSet::new();
        loop {
            let before = made.len();
            for (ty, raws) in flattened {
                let makes = |raw: &Raw| match &raw.generator {
                    Generator::Call(id) => {
                        let callable = &self.callables[id.0 as usize];
                        callable.receiver().is_none_or(|receiver| made.contains(&receiver))
                            && callable.parameters.iter().all(|parameter| !missing.contains(&parameter.ty))
                    }
                    generator => !is_mock(generator),
                };
                if !made.contains(ty) && raws.iter().any(makes) {
                    made.insert(ty.clone());
                }
            }
            if made.len() == before {
                return made;
            }
        }
    }

    /// The types of which there are mocks and nothing else: their methods neither change nor make nor tell anything.
    pub(super) fn only_mocked(&self, flattened: &BTreeMap<JavaType, Vec<Raw>>) -> BTreeSet<JavaType> {
        if self.mocks.is_empty() {
            return BTreeSet::new();
        }
        let made = self.made(flattened, &self.missing(flattened));
        let is_mocked = |ty: &JavaType| flattened[ty].iter().any(|raw| is_mock(&raw.generator));
        flattened.keys().filter(|ty| is_mocked(ty) && !made.contains(*ty)).cloned().collect()
    }

    /// A mock of the type, with the methods that the code under test calls on it.
    fn mock(&mut self, ty: &JavaType) -> Option<Raw> {
        let JavaType::Class(name) = ty else { return None };
        let class = self.program.class(name)?;
        let chain = self.program.superclass_chain(name);
        let open = !class.is_interface()
            && !class.access.is_final()
            && !class.is_enum()
            && self.access.class(&class)
            && self.program_permits_stub(&class)
            && chain.last().is_some_and(|root| root.superclass.is_none());
        let left_out = class.origin == ClassOrigin::Jdk
            && (jdk::LEFT_OUT.iter().any(|prefix| name.internal().starts_with(prefix)) || name.internal() == "java/lang/Object");
        // A mock of the class under test would run none of its code.
        if !open || left_out || self.classes.contains(name) {
            return None;
        }
        let mut methods: Vec<MethodRef> = Vec::new();
        let called = self.called();
        for called in called.iter().filter(|called| self.program.is_subclass(name, &called.owner)) {
            let Some(found) = self.program.resolve_method(name, &called.name, &called.descriptor) else { continue };
            let of = &found.class;
            let method = match found.method() {
                bridge if bridge.access.is_bridge() => match led_to(of, bridge) {
                    Some(method) => method,
                    None => continue,
                },
                method => method,
            };
            let access = method.access;
            if method.is_static() || access.is_private() || method.is_constructor() || of.name.internal() == "java/lang/Object" {
                continue;
            }
            // Whether a final method is mocked depends on the user's Mockito.
            if access.is_final() {
                return None;
            }
            let answered = method.returns != JavaType::Void
                && !access.is_varargs()
                && self.access.method(method)
                && self.access.ty(&method.returns);
            if answered && !methods.contains(&method.reference) {
                methods.push(method.reference.clone());
            }
        }
        methods.sort();
        Some(Raw { generator: Generator::Stub { interface: name.clone(), mocked: true, methods }, ty: ty.clone() })
    }

    /// Methods that code under test calls, and those that the project's methods which it calls do.
    fn called(&mut self) -> Arc<BTreeSet<MethodRef>> {
        let program = self.program;
        let classes = self.classes;
        let called = self.called.get_or_insert_with(|| {
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
            Arc::new(called)
        });
        Arc::clone(called)
    }
}

fn is_mock(generator: &Generator) -> bool {
    matches!(generator, Generator::Stub { mocked: true, .. })
}

/// The method that a bridge of the class calls.
fn led_to<'a>(class: &'a ClassModel, bridge: &MethodModel) -> Option<&'a MethodModel> {
    class.methods.iter().find(|method| {
        !method.access.is_bridge() && method.name() == bridge.name() && method.parameters.len() == bridge.parameters.len()
    })
}
