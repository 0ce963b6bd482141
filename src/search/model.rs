//! The test cluster as the operators want it: types and callables by dense number, assignability as a bit matrix, generators by cost.
//! Flows in: what the program model knows; flows out: tables. Must not know of candidates.

use std::collections::HashMap;
use std::sync::Arc;

use super::hash::FastMap;
use crate::program::{ClassName, FieldRef, JavaType, MethodRef};
use crate::testcase::{Literal, StatementKind, TypeSystem, VarId, fits};

/// An erased type of the model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct ErasedId(pub(super) u32);

/// A wanted type: an erased type and what its type arguments are wanted to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TypeId(pub(super) u32);

/// Something that a test case can call, with the types of this way of calling it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CallableId(pub(super) u32);

impl CallableId {
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

/// What kinds of values the search makes by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ValueKind {
    Boolean,
    Byte,
    Char,
    Short,
    Int,
    Long,
    Float,
    Double,
    Str,
    Class,
    Array,
    Object,
}

/// A member and how it is performed.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CallableKind {
    Construct(MethodRef),
    Call {
        method: MethodRef,
        interface: bool,
    },
    GetField(FieldRef),
    PutField(FieldRef),
    Stub {
        interface: ClassName,
        mocked: bool,
        answers: Vec<MethodRef>,
    },
    /// No statement of its own: whatever makes a value of its one parameter, where a supertype is wanted.
    Value,
}

/// A member with the types wanted for its receiver, its parameters (answers, for a stub) and its result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Callable {
    pub kind: CallableKind,
    pub receiver: Option<TypeId>,
    pub params: Vec<TypeId>,
    /// `None` for void.
    pub result: Option<TypeId>,
}

impl Callable {
    /// The statement that performs it; `args` as many as `params`. `None`: it is no statement.
    pub(crate) fn statement(&self, receiver: Option<VarId>, mut args: Vec<VarId>) -> Option<StatementKind> {
        Some(match &self.kind {
            CallableKind::Construct(constructor) => StatementKind::Construct { constructor: constructor.clone(), args },
            CallableKind::Call { method, interface } => {
                StatementKind::Call { method: method.clone(), interface: *interface, receiver, args }
            }
            CallableKind::GetField(field) => StatementKind::GetField { field: field.clone(), receiver },
            CallableKind::PutField(field) => {
                let value = args.pop().expect("a field write has one parameter");
                StatementKind::PutField { field: field.clone(), receiver, value }
            }
            CallableKind::Stub { interface, mocked, answers } => {
                let answers = answers.iter().cloned().zip(args).collect();
                StatementKind::Stub { interface: interface.clone(), mocked: *mocked, answers }
            }
            CallableKind::Value => return None,
        })
    }

    /// The method or constructor, unless it is a field or a stub.
    pub fn method(&self) -> Option<&MethodRef> {
        match &self.kind {
            CallableKind::Construct(method) | CallableKind::Call { method, .. } => Some(method),
            _ => None,
        }
    }
}

#[derive(Debug)]
struct Erased {
    ty: JavaType,
    kind: ValueKind,
    /// The wanted type of this erasure that has no arguments, else the first.
    wanted: Option<TypeId>,
}

#[derive(Debug)]
struct Wanted {
    erased: ErasedId,
    /// Element of an array type.
    element: Option<TypeId>,
    /// Cheapest first.
    generators: Vec<CallableId>,
    /// Calls worth making on a value of this type before it is used.
    modifiers: Vec<CallableId>,
    /// Least number of statements that make one; `IMPOSSIBLE` when nothing does.
    cost: u32,
    /// Cannot be made without passing null somewhere.
    needs_null: bool,
    /// May be passed as a class literal: the types a `Class<?>` parameter should get.
    classes: Vec<JavaType>,
}

const IMPOSSIBLE: u32 = u32::MAX / 4;
/// Passing null where nothing else can be had: better than nothing, worse than most values.
const NULL_COST: u32 = 8;

/// The compiled cluster.
#[derive(Debug)]
pub struct Model {
    erased: Vec<Erased>,
    erased_ids: FastMap<JavaType, ErasedId>,
    /// Row `from`, bit `to`: a value of erased type `from` may be used as a `to`.
    assignable: Vec<u64>,
    words: usize,
    wanted: Vec<Wanted>,
    callables: Vec<Callable>,
    costs: Vec<u32>,
    under_test: Vec<CallableId>,
    by_method: FastMap<MethodRef, CallableId>,
    /// Instance methods.
    by_name: FastMap<Arc<str>, Vec<CallableId>>,
    by_field: FastMap<(FieldRef, bool), CallableId>,
    constants: Vec<Literal>,
    /// Other ways to bind the type variables of a callable under test.
    variants: Vec<Vec<CallableId>>,
    callable_constants: Vec<Vec<Literal>>,
}

impl Model {
    /// Other callables that perform the same member with other type arguments.
    pub(crate) fn variants(&self, id: CallableId) -> &[CallableId] {
        &self.variants[id.index()]
    }

    /// Literals found in the body of the callable.
    pub(crate) fn callable_constants(&self, id: CallableId) -> &[Literal] {
        &self.callable_constants[id.index()]
    }

    pub fn callable(&self, id: CallableId) -> &Callable {
        &self.callables[id.index()]
    }

    pub(crate) fn callables(&self) -> usize {
        self.callables.len()
    }

    /// The callables whose goals are searched for, in the order of the class files.
    pub fn under_test(&self) -> &[CallableId] {
        &self.under_test
    }

    /// Literals found in the code under test.
    pub(crate) fn constants(&self) -> &[Literal] {
        &self.constants
    }

    pub(crate) fn java_type(&self, id: TypeId) -> &JavaType {
        self.erased_type(self.erasure(id))
    }

    pub(crate) fn erased_type(&self, id: ErasedId) -> &JavaType {
        &self.erased[id.0 as usize].ty
    }

    pub(crate) fn erasure(&self, id: TypeId) -> ErasedId {
        self.wanted[id.0 as usize].erased
    }

    pub(crate) fn kind(&self, id: ErasedId) -> ValueKind {
        self.erased[id.0 as usize].kind
    }

    pub(crate) fn element(&self, id: TypeId) -> Option<TypeId> {
        self.wanted[id.0 as usize].element
    }

    /// The wanted type without type arguments of an erased type, else the first one known.
    pub(crate) fn wanted_of(&self, id: ErasedId) -> Option<TypeId> {
        self.erased[id.0 as usize].wanted
    }

    /// The model's number of a type; `None` when no callable of the cluster mentions it.
    pub(crate) fn find_erased(&self, ty: &JavaType) -> Option<ErasedId> {
        self.erased_ids.get(ty).copied()
    }

    pub(crate) fn is_assignable(&self, from: ErasedId, to: ErasedId) -> bool {
        self.assignable[from.0 as usize * self.words + (to.0 / 64) as usize] >> (to.0 % 64) & 1 == 1
    }

    /// Cheapest first.
    pub(crate) fn generators(&self, id: TypeId) -> &[CallableId] {
        &self.wanted[id.0 as usize].generators
    }

    pub(crate) fn modifiers(&self, id: TypeId) -> &[CallableId] {
        &self.wanted[id.0 as usize].modifiers
    }

    pub(crate) fn class_literals(&self, id: TypeId) -> &[JavaType] {
        &self.wanted[id.0 as usize].classes
    }

    /// Least number of statements that make a value; `None` when nothing but null is known.
    pub(crate) fn cost(&self, id: TypeId) -> Option<u32> {
        let cost = self.wanted[id.0 as usize].cost;
        (cost < IMPOSSIBLE).then_some(cost)
    }

    /// A value cannot be made without passing null somewhere.
    pub(crate) fn needs_null(&self, id: TypeId) -> bool {
        self.wanted[id.0 as usize].needs_null
    }

    /// Least number of statements that perform it from nothing; `None` when its receiver cannot be made.
    pub(crate) fn callable_cost(&self, id: CallableId) -> Option<u32> {
        let cost = self.costs[id.index()];
        (cost < IMPOSSIBLE).then_some(cost)
    }

    /// Instance methods of this name, in the order of the cluster.
    pub(crate) fn methods_called(&self, name: &str) -> impl Iterator<Item = &MethodRef> {
        let all = self.by_name.get(name).map(|all| &all[..]).unwrap_or_default();
        all.iter().filter_map(|id| self.callable(*id).method())
    }

    /// The callable that a statement performs; the same member always gives the same callable.
    pub(crate) fn callable_of(&self, kind: &StatementKind) -> Option<CallableId> {
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

/// Collects types and callables; [`ModelBuilder::finish`] closes the tables.
#[derive(Debug, Default)]
pub struct ModelBuilder {
    erased: Vec<Erased>,
    erased_ids: FastMap<JavaType, ErasedId>,
    wanted: Vec<Wanted>,
    wanted_ids: HashMap<(ErasedId, Vec<TypeId>), TypeId>,
    callables: Vec<Callable>,
    under_test: Vec<CallableId>,
    constants: Vec<Literal>,
    variants: Vec<Vec<CallableId>>,
    callable_constants: Vec<Vec<Literal>>,
}

impl ModelBuilder {
    pub fn new() -> ModelBuilder {
        ModelBuilder::default()
    }

    pub(crate) fn erased(&mut self, ty: &JavaType) -> ErasedId {
        if let Some(&id) = self.erased_ids.get(ty) {
            return id;
        }
        let id = ErasedId(self.erased.len() as u32);
        self.erased.push(Erased { ty: ty.clone(), kind: value_kind(ty), wanted: None });
        self.erased_ids.insert(ty.clone(), id);
        id
    }

    /// The number of a wanted type, and whether it is new.
    pub(crate) fn wanted(&mut self, ty: &JavaType, arguments: &[TypeId]) -> (TypeId, bool) {
        let erased = self.erased(ty);
        let key = (erased, arguments.to_vec());
        if let Some(&id) = self.wanted_ids.get(&key) {
            return (id, false);
        }
        let element = match ty {
            // The argument of an array type is its element where that has type arguments of its own.
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

    pub fn callable(&mut self, callable: Callable) -> CallableId {
        self.callables.push(callable);
        self.variants.push(Vec::new());
        self.callable_constants.push(Vec::new());
        CallableId(self.callables.len() as u32 - 1)
    }

    pub fn generator(&mut self, ty: TypeId, callable: CallableId) {
        let generators = &mut self.wanted[ty.0 as usize].generators;
        if !generators.contains(&callable) {
            generators.push(callable);
        }
    }

    pub fn modifier(&mut self, ty: TypeId, callable: CallableId) {
        let modifiers = &mut self.wanted[ty.0 as usize].modifiers;
        if !modifiers.contains(&callable) {
            modifiers.push(callable);
        }
    }

    pub(crate) fn class_literal(&mut self, ty: TypeId, class: JavaType) {
        self.wanted[ty.0 as usize].classes.push(class);
    }

    pub fn under_test(&mut self, callable: CallableId) {
        self.under_test.push(callable);
    }

    pub(crate) fn variant(&mut self, of: CallableId, variant: CallableId) {
        let variants = &mut self.variants[of.index()];
        if variant != of && !variants.contains(&variant) {
            variants.push(variant);
        }
    }

    pub(crate) fn callable_constants(&mut self, of: CallableId, constants: Vec<Literal>) {
        self.callable_constants[of.index()] = constants;
    }

    pub(crate) fn java_type(&self, id: TypeId) -> &JavaType {
        &self.erased[self.wanted[id.0 as usize].erased.0 as usize].ty
    }

    pub fn constant(&mut self, literal: Literal) {
        self.constants.push(literal);
    }

    /// Closes the tables. Under test stays what can be performed at all.
    pub fn finish(self, types: &impl TypeSystem) -> Model {
        let ModelBuilder {
            erased,
            erased_ids,
            mut wanted,
            callables,
            mut under_test,
            mut constants,
            variants,
            callable_constants,
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
        let costs = settle_costs(&erased, &mut wanted, &callables);
        for wanted in &mut wanted {
            wanted.generators.retain(|generator| costs[generator.index()] < IMPOSSIBLE);
            wanted.generators.sort_by_key(|generator| costs[generator.index()]);
            wanted.modifiers.retain(|modifier| costs[modifier.index()] < IMPOSSIBLE);
        }
        under_test.retain(|callable| costs[callable.index()] < IMPOSSIBLE);
        let mut by_method = FastMap::default();
        let mut by_field = FastMap::default();
        // What is under test comes first, so that a method that is also a generator is known by its role under test.
        for &id in under_test.iter().chain((0..callables.len() as u32).map(CallableId).collect::<Vec<_>>().iter()) {
            match &callables[id.index()].kind {
                CallableKind::Construct(method) | CallableKind::Call { method, .. } => {
                    by_method.entry(method.clone()).or_insert(id);
                }
                CallableKind::GetField(field) => {
                    by_field.entry((field.clone(), false)).or_insert(id);
                }
                CallableKind::PutField(field) => {
                    by_field.entry((field.clone(), true)).or_insert(id);
                }
                CallableKind::Stub { .. } | CallableKind::Value => {}
            }
        }
        let mut by_name: FastMap<Arc<str>, Vec<CallableId>> = FastMap::default();
        for (id, callable) in (0..).map(CallableId).zip(&callables) {
            if let (CallableKind::Call { method, .. }, Some(_)) = (&callable.kind, callable.receiver) {
                by_name.entry(Arc::clone(&method.name)).or_default().push(id);
            }
        }
        constants.sort();
        constants.dedup();
        Model {
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
            constants,
            variants,
            callable_constants,
        }
    }
}

/// Least numbers of statements of callables and, in `wanted`, of types. What cannot be made without passing null somewhere is settled in a
/// second step, in which null is passed exactly for the types that the first one left open. So making a value the cheapest way, with null
/// for those types, gets cheaper with every step and ends.
fn settle_costs(erased: &[Erased], wanted: &mut [Wanted], callables: &[Callable]) -> Vec<u32> {
    let mut costs = vec![IMPOSSIBLE; callables.len()];
    for index in 0..wanted.len() {
        match erased[wanted[index].erased.0 as usize].kind {
            ValueKind::Object => {}
            _ => wanted[index].cost = 1,
        }
    }
    let param_cost = |wanted: &[Wanted], param: &TypeId| wanted[param.0 as usize].cost;
    settle(wanted, callables, &mut costs, param_cost);
    for wanted in wanted.iter_mut() {
        wanted.needs_null = wanted.cost >= IMPOSSIBLE;
    }
    let without_null: Vec<u32> = wanted.iter().map(|wanted| if wanted.needs_null { NULL_COST } else { wanted.cost }).collect();
    settle(wanted, callables, &mut costs, |_, param| without_null[param.0 as usize]);
    costs
}

/// A least fixed point, from above: costs only fall.
fn settle(wanted: &mut [Wanted], callables: &[Callable], costs: &mut [u32], param_cost: impl Fn(&[Wanted], &TypeId) -> u32) {
    loop {
        let mut changed = false;
        for (callable, cost) in callables.iter().zip(costs.iter_mut()) {
            let receiver = callable.receiver.map_or(0, |receiver| wanted[receiver.0 as usize].cost);
            let params = callable.params.iter().map(|param| param_cost(wanted, param));
            let total = params.fold(receiver.saturating_add(1), u32::saturating_add).min(IMPOSSIBLE);
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
    match ty {
        JavaType::Boolean => ValueKind::Boolean,
        JavaType::Byte => ValueKind::Byte,
        JavaType::Char => ValueKind::Char,
        JavaType::Short => ValueKind::Short,
        JavaType::Int => ValueKind::Int,
        JavaType::Long => ValueKind::Long,
        JavaType::Float => ValueKind::Float,
        JavaType::Double => ValueKind::Double,
        JavaType::Array(_) => ValueKind::Array,
        JavaType::Class(class) if class.internal() == "java/lang/String" => ValueKind::Str,
        JavaType::Class(class) if class.internal() == "java/lang/Class" => ValueKind::Class,
        JavaType::Class(_) | JavaType::Void => ValueKind::Object,
    }
}
