//! The test cluster as tables: types and callables by number, assignability as a bit matrix,
//! generators by cost. Flows in: types and callables; flows out: tables. Must not know candidates.

use std::collections::HashMap;
use std::sync::Arc;

use rustc_hash::FxHashMap;
use tracewright_classfile::PrimitiveType;

use super::requests::RequestTable;
use crate::program::cluster::KnownMember;
use crate::program::{ClassName, FieldRef, JavaType, MethodRef};
use crate::testcase::{Answer, Literal, StatementKind, StubKind, TypeSystem, VarId, fits};

/// An erased type, by number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct ErasedId(pub(super) u32);

/// A wanted type, by number: an erased type with wanted type arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TypeId(pub(super) u32);

/// An entry of the callable table, by number: a member with the types of one way to call it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CallableIx(pub(super) u32);

impl CallableIx {
    /// Index into tables by callable.
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

/// The kinds of values that the search distinguishes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ValueKind {
    /// A value of a primitive type.
    Primitive(PrimitiveType),
    /// A `String`.
    Str,
    /// A `Class` object.
    Class,
    /// An array.
    Array,
    /// Another object; also the kind of `void`.
    Object,
}

/// The kind of statement that an entry stands for.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CallableEntryKind {
    /// A call of the constructor.
    Construct(MethodRef),
    /// A call of the method.
    Call {
        /// The method.
        method: MethodRef,
        /// Whether its owner is an interface.
        interface: bool,
    },
    /// A read of the field.
    GetField(FieldRef),
    /// A write of the field.
    PutField(FieldRef),
    /// A stub or a mock.
    Stub {
        /// The interface or abstract class; of a mock, any class.
        class: ClassName,
        /// How it is made.
        kind: StubKind,
        /// The methods that need an answer; the parameters of the entry are their types.
        answers: Vec<MethodRef>,
        /// The exceptions that methods of a mock may throw.
        exceptions: Vec<(MethodRef, TypeId)>,
    },
    /// No statement: any value of its one parameter, where a supertype is wanted.
    Value,
}

/// A member with the wanted types of its receiver, parameters (for a stub, answers) and result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallableEntry {
    /// The statement that the entry stands for.
    pub kind: CallableEntryKind,
    /// The type of the receiver; `None` for static members and constructors.
    pub receiver: Option<TypeId>,
    /// The types of the parameters.
    pub params: Vec<TypeId>,
    /// `None` for void.
    pub result: Option<TypeId>,
}

impl CallableEntry {
    /// The statement that calls it; `args` has the length of `params`. `None` for
    /// [`CallableEntryKind::Value`].
    pub(crate) fn statement(&self, receiver: Option<VarId>, mut args: Vec<VarId>) -> Option<StatementKind> {
        Some(match &self.kind {
            CallableEntryKind::Construct(constructor) => StatementKind::Construct { constructor: constructor.clone(), args },
            CallableEntryKind::Call { method, interface } => {
                StatementKind::Call { method: method.clone(), interface: *interface, receiver, args }
            }
            CallableEntryKind::GetField(field) => StatementKind::GetField { field: field.clone(), receiver },
            CallableEntryKind::PutField(field) => {
                let value = args.pop().expect("a field write has one parameter");
                StatementKind::PutField { field: field.clone(), receiver, value }
            }
            CallableEntryKind::Stub { class, kind, answers, .. } => {
                let answers = answers.iter().zip(args).map(|(method, value)| Answer::returning(method.clone(), value)).collect();
                StatementKind::Stub { class: class.clone(), kind: *kind, answers }
            }
            CallableEntryKind::Value => return None,
        })
    }

    /// Whether it makes a mock, whose methods need no answers.
    pub(crate) fn is_mock(&self) -> bool {
        matches!(self.kind, CallableEntryKind::Stub { kind: StubKind::Mock, .. })
    }

    /// The method or constructor; `None` for fields, stubs and values.
    pub fn method(&self) -> Option<&MethodRef> {
        match &self.kind {
            CallableEntryKind::Construct(method) | CallableEntryKind::Call { method, .. } => Some(method),
            _ => None,
        }
    }
}

#[derive(Debug)]
struct Erased {
    ty: JavaType,
    kind: ValueKind,
    /// The wanted type without arguments; where there is none, the first one with this erasure.
    wanted: Option<TypeId>,
}

#[derive(Debug)]
struct Wanted {
    erased: ErasedId,
    /// Element type of an array type.
    element: Option<TypeId>,
    /// Cheapest first.
    generators: Vec<CallableIx>,
    /// Calls that change a value of this type.
    modifiers: Vec<CallableIx>,
    /// Least number of statements that create a value; `IMPOSSIBLE` when none do.
    cost: u32,
    /// Whether each way to create a value passes null somewhere.
    needs_null: bool,
    /// Class literals for a `Class<?>` of this type.
    classes: Vec<JavaType>,
}

const IMPOSSIBLE: u32 = u32::MAX / 4;
/// Cost of null where there is no other value: above most values.
const NULL_COST: u32 = 8;

/// Cost of a mock with its answers, above that of simple objects.
const MOCK_COST: u32 = 3;

/// The lowered cluster.
#[derive(Debug)]
pub struct CallableTable {
    erased: Vec<Erased>,
    erased_ids: FxHashMap<JavaType, ErasedId>,
    /// Row `from`, bit `to`: a value of erased type `from` may be used as a `to`.
    assignable: Vec<u64>,
    words: usize,
    wanted: Vec<Wanted>,
    callables: Vec<CallableEntry>,
    costs: Vec<u32>,
    under_test: Vec<CallableIx>,
    by_method: FxHashMap<MethodRef, CallableIx>,
    /// Instance methods.
    by_name: FxHashMap<Arc<str>, Vec<CallableIx>>,
    by_field: FxHashMap<(FieldRef, bool), CallableIx>,
    by_mocked: FxHashMap<ClassName, CallableIx>,
    constants: Vec<Literal>,
    /// By callable under test: entries with other type arguments.
    variants: Vec<Vec<CallableIx>>,
    callable_constants: Vec<Vec<Literal>>,
    requests: Option<RequestTable>,
    serialized: Vec<TypeId>,
    members: Vec<KnownMember>,
    /// By constructor: see [`CallableTable::injections`].
    injections: FxHashMap<MethodRef, Vec<CallableIx>>,
    /// By field write: see [`CallableTable::injected_mock`].
    injected_mocks: FxHashMap<CallableIx, CallableIx>,
}

impl CallableTable {
    /// The requests that tests may send to a controller.
    pub(crate) fn requests(&self) -> Option<&RequestTable> {
        self.requests.as_ref()
    }

    /// The types under test whose own code runs when their objects are written to a stream or read.
    pub(crate) fn serialized(&self) -> &[TypeId] {
        &self.serialized
    }

    /// Members that tests may look up by reflection.
    pub(crate) fn members(&self) -> &[KnownMember] {
        &self.members
    }

    /// Other entries of the same member with other type arguments.
    pub(crate) fn variants(&self, id: CallableIx) -> &[CallableIx] {
        &self.variants[id.index()]
    }

    /// Literals in the body of the callable.
    pub(crate) fn callable_constants(&self, id: CallableIx) -> &[Literal] {
        &self.callable_constants[id.index()]
    }

    /// The calls and field writes by which a container completes a new object of the constructor, in
    /// this order.
    pub(crate) fn injections(&self, constructor: &MethodRef) -> &[CallableIx] {
        self.injections.get(constructor).map_or(&[], Vec::as_slice)
    }

    /// Mocks and settings that one object of a class under test is given, at most.
    pub(super) fn most_given(&self) -> usize {
        let is_mocked = |param: &&TypeId| self.generators(**param).iter().any(|&id| self.callable(id).is_mock());
        let given = self.under_test.iter().filter_map(|&id| match &self.callable(id).kind {
            CallableEntryKind::Construct(constructor) => {
                Some(self.callable(id).params.iter().filter(is_mocked).count() + self.injections(constructor).len())
            }
            _ => None,
        });
        given.max().unwrap_or(0)
    }

    /// The entry that makes the value of a field write, where it has to be a mock that the test uses
    /// for nothing else.
    pub(crate) fn injected_mock(&self, write: CallableIx) -> Option<CallableIx> {
        self.injected_mocks.get(&write).copied()
    }

    /// Whether the call, among those that complete an object, ends its construction: it takes
    /// nothing.
    pub(crate) fn ends_construction(&self, injection: CallableIx) -> bool {
        self.callable(injection).params.is_empty()
    }

    /// The entry of a number.
    pub fn callable(&self, id: CallableIx) -> &CallableEntry {
        &self.callables[id.index()]
    }

    /// Number of callables.
    pub(crate) fn len(&self) -> usize {
        self.callables.len()
    }

    /// The callables under test, in the order of the class files.
    pub fn under_test(&self) -> &[CallableIx] {
        &self.under_test
    }

    /// Literals in the code under test.
    pub(crate) fn constants(&self) -> &[Literal] {
        &self.constants
    }

    /// The erased type of a wanted type.
    pub(crate) fn java_type(&self, id: TypeId) -> &JavaType {
        self.erased_type(self.erasure(id))
    }

    /// The Java type of an erased type.
    pub(crate) fn erased_type(&self, id: ErasedId) -> &JavaType {
        &self.erased[id.0 as usize].ty
    }

    /// The number of the erased type of a wanted type.
    pub(crate) fn erasure(&self, id: TypeId) -> ErasedId {
        self.wanted[id.0 as usize].erased
    }

    /// The kind of value of an erased type.
    pub(crate) fn kind(&self, id: ErasedId) -> ValueKind {
        self.erased[id.0 as usize].kind
    }

    /// The element type of an array type.
    pub(crate) fn element(&self, id: TypeId) -> Option<TypeId> {
        self.wanted[id.0 as usize].element
    }

    /// The wanted type without arguments of an erased type, else the first known one.
    pub(crate) fn wanted_of(&self, id: ErasedId) -> Option<TypeId> {
        self.erased[id.0 as usize].wanted
    }

    /// Number of a type; `None` when no callable mentions it.
    pub(crate) fn find_erased(&self, ty: &JavaType) -> Option<ErasedId> {
        self.erased_ids.get(ty).copied()
    }

    /// Whether a value of `from` may be used as a `to`.
    pub(crate) fn is_assignable(&self, from: ErasedId, to: ErasedId) -> bool {
        self.assignable[from.0 as usize * self.words + (to.0 / 64) as usize] >> (to.0 % 64) & 1 == 1
    }

    /// Callables that create a value, cheapest first.
    pub(crate) fn generators(&self, id: TypeId) -> &[CallableIx] {
        &self.wanted[id.0 as usize].generators
    }

    /// Calls that change a value of the type.
    pub(crate) fn modifiers(&self, id: TypeId) -> &[CallableIx] {
        &self.wanted[id.0 as usize].modifiers
    }

    /// Class literals for the type.
    pub(crate) fn class_literals(&self, id: TypeId) -> &[JavaType] {
        &self.wanted[id.0 as usize].classes
    }

    /// Least number of statements that create a value; `None` when only null is possible.
    pub(crate) fn cost(&self, id: TypeId) -> Option<u32> {
        let cost = self.wanted[id.0 as usize].cost;
        (cost < IMPOSSIBLE).then_some(cost)
    }

    /// Whether each way to create a value passes null somewhere.
    pub(crate) fn needs_null(&self, id: TypeId) -> bool {
        self.wanted[id.0 as usize].needs_null
    }

    /// Least number of statements of a call with its arguments; `None` when its receiver cannot be
    /// created.
    pub(crate) fn callable_cost(&self, id: CallableIx) -> Option<u32> {
        let cost = self.costs[id.index()];
        (cost < IMPOSSIBLE).then_some(cost)
    }

    /// The entry that makes mocks of the class.
    pub(crate) fn mock_of(&self, class: &ClassName) -> Option<CallableIx> {
        self.by_mocked.get(class).copied()
    }

    /// Instance methods of this name, in the order of the cluster.
    pub(crate) fn methods_called(&self, name: &str) -> impl Iterator<Item = &MethodRef> {
        let all = self.by_name.get(name).map(|all| &all[..]).unwrap_or_default();
        all.iter().filter_map(|id| self.callable(*id).method())
    }

    /// The callable of a statement; one member always has the same entry.
    pub(crate) fn callable_of(&self, kind: &StatementKind) -> Option<CallableIx> {
        match kind {
            StatementKind::Construct { constructor: method, .. } | StatementKind::Call { method, .. } => {
                self.by_method.get(method).copied()
            }
            StatementKind::GetField { field, .. } => self.by_field.get(&(field.clone(), false)).copied(),
            StatementKind::PutField { field, .. } => self.by_field.get(&(field.clone(), true)).copied(),
            _ => None,
        }
    }
}

/// Collects types and callables for [`CallableTableBuilder::finish`].
#[derive(Debug, Default)]
pub struct CallableTableBuilder {
    erased: Vec<Erased>,
    erased_ids: FxHashMap<JavaType, ErasedId>,
    wanted: Vec<Wanted>,
    wanted_ids: HashMap<(ErasedId, Vec<TypeId>), TypeId>,
    callables: Vec<CallableEntry>,
    under_test: Vec<CallableIx>,
    constants: Vec<Literal>,
    variants: Vec<Vec<CallableIx>>,
    callable_constants: Vec<Vec<Literal>>,
    requests: Option<RequestTable>,
    serialized: Vec<TypeId>,
    members: Vec<KnownMember>,
    injections: FxHashMap<MethodRef, Vec<CallableIx>>,
    injected_mocks: FxHashMap<CallableIx, CallableIx>,
}

impl CallableTableBuilder {
    /// A builder of an empty table.
    pub fn new() -> CallableTableBuilder {
        CallableTableBuilder::default()
    }

    /// The number of an erased type.
    pub(crate) fn erased(&mut self, ty: &JavaType) -> ErasedId {
        if let Some(&id) = self.erased_ids.get(ty) {
            return id;
        }
        let id = ErasedId(self.erased.len() as u32);
        self.erased.push(Erased { ty: ty.clone(), kind: value_kind(ty), wanted: None });
        self.erased_ids.insert(ty.clone(), id);
        id
    }

    /// Number of a wanted type, and whether it is new.
    pub(crate) fn wanted(&mut self, ty: &JavaType, arguments: &[TypeId]) -> (TypeId, bool) {
        let erased = self.erased(ty);
        let key = (erased, arguments.to_vec());
        if let Some(&id) = self.wanted_ids.get(&key) {
            return (id, false);
        }
        let element = match ty {
            // The argument of an array type is its element type.
            JavaType::Array(element) => Some(arguments.first().copied().unwrap_or_else(|| self.wanted(element, &[]).0)),
            _ => None,
        };
        let id = TypeId(self.wanted.len() as u32);
        self.wanted.push(Wanted {
            erased,
            element,
            generators: Vec::new(),
            modifiers: Vec::new(),
            cost: IMPOSSIBLE,
            needs_null: false,
            classes: Vec::new(),
        });
        if arguments.is_empty() || self.erased[erased.0 as usize].wanted.is_none() {
            self.erased[erased.0 as usize].wanted = Some(id);
        }
        self.wanted_ids.insert(key, id);
        (id, true)
    }

    /// The wanted type without arguments.
    pub fn plain(&mut self, ty: &JavaType) -> TypeId {
        self.wanted(ty, &[]).0
    }

    /// Adds an entry.
    pub fn callable(&mut self, callable: CallableEntry) -> CallableIx {
        self.callables.push(callable);
        self.variants.push(Vec::new());
        self.callable_constants.push(Vec::new());
        CallableIx(self.callables.len() as u32 - 1)
    }

    /// Adds a callable that creates values of the type; duplicates are ignored.
    pub fn generator(&mut self, ty: TypeId, callable: CallableIx) {
        let generators = &mut self.wanted[ty.0 as usize].generators;
        if !generators.contains(&callable) {
            generators.push(callable);
        }
    }

    /// Adds a call that changes values of the type; duplicates are ignored.
    pub fn modifier(&mut self, ty: TypeId, callable: CallableIx) {
        let modifiers = &mut self.wanted[ty.0 as usize].modifiers;
        if !modifiers.contains(&callable) {
            modifiers.push(callable);
        }
    }

    /// Adds a class literal for a type `Class<T>`.
    pub(crate) fn class_literal(&mut self, ty: TypeId, class: JavaType) {
        self.wanted[ty.0 as usize].classes.push(class);
    }

    /// Marks a callable as under test.
    pub fn under_test(&mut self, callable: CallableIx) {
        self.under_test.push(callable);
    }

    /// Adds another way to call the member of an entry.
    pub(crate) fn variant(&mut self, of: CallableIx, variant: CallableIx) {
        let variants = &mut self.variants[of.index()];
        if variant != of && !variants.contains(&variant) {
            variants.push(variant);
        }
    }

    /// Sets the constants in the code of a callable.
    pub(crate) fn callable_constants(&mut self, of: CallableIx, constants: Vec<Literal>) {
        self.callable_constants[of.index()] = constants;
    }

    /// Sets the calls and field writes that complete objects of a constructor.
    pub(crate) fn injections(&mut self, of: &MethodRef, injections: Vec<CallableIx>) {
        self.injections.insert(of.clone(), injections);
    }

    /// Sets the entry that makes the value of a field write: see [`CallableTable::injected_mock`].
    pub(crate) fn injected_mock(&mut self, write: CallableIx, mock: CallableIx) {
        self.injected_mocks.insert(write, mock);
    }

    /// The type of a number.
    pub(crate) fn java_type(&self, id: TypeId) -> &JavaType {
        &self.erased[self.wanted[id.0 as usize].erased.0 as usize].ty
    }

    /// Sets the requests that tests may send to a controller.
    pub(crate) fn requests(&mut self, requests: RequestTable) {
        self.requests = Some(requests);
    }

    /// Adds a type for [`CallableTable::serialized`].
    pub(crate) fn serialized(&mut self, ty: TypeId) {
        self.serialized.push(ty);
    }

    /// Sets the members that tests may look up by reflection.
    pub(crate) fn members(&mut self, members: Vec<KnownMember>) {
        self.members = members;
    }

    /// Adds a literal of the code under test.
    pub fn constant(&mut self, literal: Literal) {
        self.constants.push(literal);
    }

    /// Computes assignability and costs. Callables that cannot be called are not under test.
    pub fn finish(self, types: &impl TypeSystem) -> CallableTable {
        let CallableTableBuilder {
            erased,
            erased_ids,
            mut wanted,
            callables,
            mut under_test,
            mut constants,
            variants,
            callable_constants,
            requests,
            serialized,
            members,
            injections,
            injected_mocks,
            ..
        } = self;
        let words = erased.len().div_ceil(64);
        let mut assignable = vec![0u64; words * erased.len()];
        for (from, from_type) in erased.iter().enumerate() {
            for (to, to_type) in erased.iter().enumerate() {
                if fits(&from_type.ty, &to_type.ty, types) {
                    assignable[from * words + to / 64] |= 1 << (to % 64);
                }
            }
        }
        let costs = least_costs(&erased, &mut wanted, &callables);
        for wanted in &mut wanted {
            wanted.generators.retain(|generator| costs[generator.index()] < IMPOSSIBLE);
            wanted.generators.sort_by_key(|generator| costs[generator.index()]);
            wanted.modifiers.retain(|modifier| costs[modifier.index()] < IMPOSSIBLE);
        }
        under_test.retain(|callable| costs[callable.index()] < IMPOSSIBLE);
        let mut by_method = FxHashMap::default();
        let mut by_field = FxHashMap::default();
        let mut by_mocked = FxHashMap::default();
        // Callables under test come first: their entry represents the member.
        for &id in under_test.iter().chain((0..callables.len() as u32).map(CallableIx).collect::<Vec<_>>().iter()) {
            match &callables[id.index()].kind {
                CallableEntryKind::Construct(method) | CallableEntryKind::Call { method, .. } => {
                    by_method.entry(method.clone()).or_insert(id);
                }
                CallableEntryKind::GetField(field) => {
                    by_field.entry((field.clone(), false)).or_insert(id);
                }
                CallableEntryKind::PutField(field) => {
                    by_field.entry((field.clone(), true)).or_insert(id);
                }
                CallableEntryKind::Stub { class, kind: StubKind::Mock, .. } => {
                    by_mocked.entry(class.clone()).or_insert(id);
                }
                CallableEntryKind::Stub { .. } | CallableEntryKind::Value => {}
            }
        }
        let mut by_name: FxHashMap<Arc<str>, Vec<CallableIx>> = FxHashMap::default();
        for (id, callable) in (0..).map(CallableIx).zip(&callables) {
            if let (CallableEntryKind::Call { method, .. }, Some(_)) = (&callable.kind, callable.receiver) {
                by_name.entry(Arc::clone(&method.name)).or_default().push(id);
            }
        }
        constants.sort();
        constants.dedup();
        CallableTable {
            erased,
            erased_ids,
            assignable,
            words,
            wanted,
            callables,
            costs,
            under_test,
            by_method,
            by_name,
            by_field,
            by_mocked,
            constants,
            variants,
            callable_constants,
            requests,
            serialized,
            members,
            injections,
            injected_mocks,
        }
    }
}

/// Least costs of callables and, in `wanted`, of types. A first step excludes null; a second one
/// allows null exactly for the types that the first step left open. So the cheapest way to create a
/// value gets cheaper with every level and ends.
fn least_costs(erased: &[Erased], wanted: &mut [Wanted], callables: &[CallableEntry]) -> Vec<u32> {
    let mut costs = vec![IMPOSSIBLE; callables.len()];
    for index in 0..wanted.len() {
        match erased[wanted[index].erased.0 as usize].kind {
            ValueKind::Object => {}
            _ => wanted[index].cost = 1,
        }
    }
    let param_cost = |wanted: &[Wanted], param: &TypeId| wanted[param.0 as usize].cost;
    propagate_costs(wanted, callables, &mut costs, param_cost);
    for wanted in wanted.iter_mut() {
        wanted.needs_null = wanted.cost >= IMPOSSIBLE;
    }
    let without_null: Vec<u32> = wanted.iter().map(|wanted| if wanted.needs_null { NULL_COST } else { wanted.cost }).collect();
    propagate_costs(wanted, callables, &mut costs, |_, param| without_null[param.0 as usize]);
    costs
}

/// A least fixed point from above: costs only fall.
fn propagate_costs(
    wanted: &mut [Wanted],
    callables: &[CallableEntry],
    costs: &mut [u32],
    param_cost: impl Fn(&[Wanted], &TypeId) -> u32,
) {
    loop {
        let mut changed = false;
        for (callable, cost) in callables.iter().zip(costs.iter_mut()) {
            let receiver = callable.receiver.map_or(0, |receiver| wanted[receiver.0 as usize].cost);
            let needed = if callable.is_mock() { &[][..] } else { &callable.params };
            let params = needed.iter().map(|param| param_cost(wanted, param));
            let own = if callable.is_mock() { MOCK_COST } else { 1 };
            let total = params.fold(receiver.saturating_add(own), u32::saturating_add).min(IMPOSSIBLE);
            changed |= total < *cost;
            *cost = total.min(*cost);
        }
        for wanted in wanted.iter_mut() {
            let cheapest = wanted.generators.iter().map(|generator| costs[generator.index()]).min().unwrap_or(IMPOSSIBLE);
            changed |= cheapest < wanted.cost;
            wanted.cost = wanted.cost.min(cheapest);
        }
        if !changed {
            return;
        }
    }
}

fn value_kind(ty: &JavaType) -> ValueKind {
    if let Some(primitive) = ty.primitive() {
        return ValueKind::Primitive(primitive);
    }
    match ty {
        JavaType::Array(_) => ValueKind::Array,
        JavaType::Class(class) if class.internal() == "java/lang/String" => ValueKind::Str,
        JavaType::Class(class) if class.internal() == "java/lang/Class" => ValueKind::Class,
        _ => ValueKind::Object,
    }
}
