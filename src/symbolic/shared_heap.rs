//! What all runs of a program share: literals, classes, boxes, and what the initialisers of classes leave in final fields, each run once by
//! itself: those of the library, and those of recorded code that ran before the recording began (a worker runs them once, and puts static state
//! back after each run). Flows in: initialisers; flows out: values of static final fields. What depends on the machine (time, properties,
//! natives) stays unknown. Must not know recordings: a run checks what it uses.

use std::collections::HashMap;
use std::rc::Rc;

use super::View;
use super::linked::{FieldConstant, FieldIx, MethodIx, SlotKind, TypeIx};
use super::machine::{Completion, InterpResult, Machine, Stop};
use super::objects::{Cells, Object, ObjectBody, ObjectId, Slot};
use super::reason::UnsupportedReason;
use crate::expr::{Symbol, SymbolKind};
use crate::program::{ClassName, FieldRef, JavaType};

/// Shared objects, at most.
const OBJECTS: usize = 2_000_000;
/// Initialisers inside each other.
const BUILDING: u32 = 20;
/// Instructions of one initialiser.
const INSTRUCTIONS: u64 = 2_000_000;
/// Attempts at a method that failed for good before it is left alone for a while.
const PATIENCE: u32 = 2;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Initialised {
    Running,
    Done,
}

#[derive(Clone, Copy, Debug, Default)]
struct InterpretationHistory {
    failures: u32,
    /// Calls to let pass.
    skip: u32,
}

#[derive(Debug, Default)]
pub(crate) struct SharedHeap {
    objects: Vec<Object>,
    /// Known static fields.
    statics: HashMap<FieldIx, Slot>,
    classes: HashMap<TypeIx, Initialised>,
    literals: HashMap<Rc<[u16]>, ObjectId>,
    mirrors: HashMap<TypeIx, ObjectId>,
    mirrored: HashMap<ObjectId, TypeIx>,
    boxes: HashMap<(TypeIx, u64), ObjectId>,
    reputation: HashMap<MethodIx, InterpretationHistory>,
}

impl SharedHeap {
    pub(crate) fn len(&self) -> usize {
        self.objects.len()
    }

    pub(crate) fn get(&self, index: usize) -> Option<&Object> {
        self.objects.get(index)
    }

    pub(crate) fn get_mut(&mut self, index: usize) -> Option<&mut Object> {
        self.objects.get_mut(index)
    }

    /// `None`: there is no room.
    pub(crate) fn allocate(&mut self, object: Object) -> Option<ObjectId> {
        let cells = match &object.body {
            ObjectBody::Array(array) => array.length as usize,
            _ => 0,
        };
        if self.objects.len() >= OBJECTS || cells > OBJECTS {
            return None;
        }
        self.objects.push(object);
        Some(ObjectId::shared(self.objects.len() - 1))
    }

    /// The literal with this text; `new` is what it is made as.
    pub(crate) fn interned(&mut self, units: &Rc<[u16]>, new: &Object) -> Option<ObjectId> {
        if let Some(&known) = self.literals.get(units) {
            return Some(known);
        }
        let object = self.allocate(new.clone())?;
        self.literals.insert(units.clone(), object);
        Some(object)
    }

    /// The `Class` of a type.
    pub(crate) fn mirror(&mut self, ty: TypeIx, new: &Object) -> Option<ObjectId> {
        if let Some(&known) = self.mirrors.get(&ty) {
            return Some(known);
        }
        let object = self.allocate(new.clone())?;
        self.mirrors.insert(ty, object);
        self.mirrored.insert(object, ty);
        Some(object)
    }

    /// The type that a `Class` stands for.
    pub(crate) fn mirrored(&self, mirror: ObjectId) -> Option<TypeIx> {
        self.mirrored.get(&mirror).copied()
    }

    /// The static fields whose values are known, in no order.
    pub(crate) fn known_statics(&self) -> impl Iterator<Item = (FieldIx, Slot)> + '_ {
        self.statics.iter().map(|(&field, &value)| (field, value))
    }

    pub(crate) fn forget(&mut self, field: FieldIx) {
        self.statics.remove(&field);
    }

    pub(crate) fn known_box(&self, ty: TypeIx, bits: u64) -> Option<ObjectId> {
        self.boxes.get(&(ty, bits)).copied()
    }

    // What became of attempts.

    /// Whether it is worth an attempt.
    pub(crate) fn trusts(&mut self, method: MethodIx) -> bool {
        match self.reputation.get_mut(&method) {
            Some(reputation) if reputation.skip > 0 => {
                reputation.skip -= 1;
                false
            }
            _ => true,
        }
    }

    pub(crate) fn praise(&mut self, method: MethodIx) {
        if let Some(reputation) = self.reputation.get_mut(&method) {
            reputation.failures = 0;
        }
    }

    /// It failed for a reason that will come again: the more often, the longer it is left alone.
    pub(crate) fn blame(&mut self, method: MethodIx) {
        let reputation = self.reputation.entry(method).or_default();
        reputation.failures += 1;
        if reputation.failures >= PATIENCE {
            reputation.skip = 1 << reputation.failures.min(12);
        }
    }
}

impl Machine<'_, '_> {
    /// A static field as interpreted code reads it.
    pub(crate) fn interpreted_static(&mut self, field: FieldIx) -> InterpResult<Slot> {
        let owner = self.linked.field(field).owner;
        if self.initialiser_depth == 0 {
            if let Some(&known) = self.statics.get(&field)
                && (self.linked.field(field).is_final || self.is_recorded_class(owner))
            {
                return Ok(known);
            }
        } else if self.linked.shared_heap.classes.get(&owner) == Some(&Initialised::Running) {
            let is_own = self.linked.method(self.top.method).ty == owner;
            return match self.linked.shared_heap.statics.get(&field) {
                Some(&known) => Ok(known),
                None if is_own => Ok(Slot::ZERO),
                None => self.abort(UnsupportedReason::CyclicInitialiser),
            };
        }
        if self.initialiser_depth == 0 && self.is_recorded_class(owner) {
            return self.abort(UnsupportedReason::RecordedStatic);
        }
        if let Some(bits) = default_of(&self.linked.field(field).reference) {
            if let Some(layer) = self.layers.last_mut() {
                layer.library_state = true;
            }
            return Ok(Slot::raw(bits));
        }
        match self.shared_static(field)? {
            Some(known) => Ok(known),
            None if self.initialiser_depth > 0 && self.linked.field(field).kind != SlotKind::Ref => {
                let kind = self.linked.field(field).kind;
                Ok(self.environment_dependent_value(kind))
            }
            None => {
                let reference = &self.linked.field(field).reference;
                self.abort(UnsupportedReason::StaticField(format!("{}.{}", reference.owner, reference.name)))
            }
        }
    }

    /// The value of a static final field, the same in all runs; `None`: not known, or the recording tells where it comes from.
    pub(crate) fn shared_static(&mut self, field: FieldIx) -> InterpResult<Option<Slot>> {
        let info = self.linked.field(field);
        if let Some(constant) = info.constant.clone() {
            return match constant {
                FieldConstant::Bits(bits) => Ok(Some(Slot::raw(bits))),
                FieldConstant::Str(units) => self.intern(&units).map(|object| Some(Slot::reference(object))),
            };
        }
        let (owner, is_final) = (info.owner, info.is_final && info.is_static);
        // In the structural view what recorded code has made is part of the entry heap.
        let is_structural = self.config.view == View::Structural;
        let is_told =
            self.initialiser_depth == 0 && self.is_recorded_class(owner) && (is_structural || self.initialised.contains(&owner));
        if !is_final || is_told || is_set_from_outside(info.reference.owner.internal()) {
            return Ok(None);
        }
        if !self.linked.shared_heap.classes.contains_key(&owner) {
            self.build(owner)?;
        }
        Ok(self.linked.shared_heap.statics.get(&field).copied())
    }

    pub(crate) fn put_library_static(&mut self, field: FieldIx, value: Slot) -> InterpResult<()> {
        let owner = self.linked.field(field).owner;
        if self.initialiser_depth > 0 && self.linked.shared_heap.classes.get(&owner) == Some(&Initialised::Running) {
            self.linked.shared_heap.statics.insert(field, value);
            return Ok(());
        }
        self.abort_for_good(UnsupportedReason::InterpretedStaticWrite)
    }

    /// Runs the initialiser of a class by itself. What it had put into final fields when it had to be given up stays, where nothing that it
    /// would have done afterwards could have changed it.
    fn build(&mut self, owner: TypeIx) -> InterpResult<()> {
        self.linked.shared_heap.classes.insert(owner, Initialised::Running);
        let Some(initialiser) = self.linked.initialiser(owner) else {
            self.linked.shared_heap.classes.insert(owner, Initialised::Done);
            return Ok(());
        };
        if self.initialiser_depth >= BUILDING {
            // Not tried, so it may be later.
            self.linked.shared_heap.classes.remove(&owner);
            return self.abort(UnsupportedReason::InitialiserDepth);
        }
        self.begin_layer();
        self.interpretation_limit = self.spent + INSTRUCTIONS;
        self.initialiser_depth += 1;
        let ended = self.attempt(initialiser, &[]);
        let first = self.layers.last().map_or(0, |layer| layer.shared);
        let whole = match &ended {
            Ok(Completion::Returned(_)) => self.layers.last().is_some_and(|layer| !layer.reached_out),
            _ => false,
        };
        let spent = self.undo_layer().map_or(0, |layer| self.spent - layer.spent);
        // Initialisers are no waste, and no part of what asked for them.
        self.spent -= spent;
        self.initialiser_depth -= 1;
        self.settle(owner, first, whole);
        self.linked.shared_heap.classes.insert(owner, Initialised::Done);
        match ended {
            Err(Stop::End(end)) => Err(Stop::End(end)),
            _ => Ok(()),
        }
    }

    /// Keeps what is known for good.
    fn settle(&mut self, owner: TypeIx, first: usize, whole: bool) {
        let fields: Vec<FieldIx> = self.linked.shared_heap.statics.keys().copied().collect();
        for field in fields {
            let info = self.linked.field(field);
            if info.owner != owner {
                continue;
            }
            let value = self.linked.shared_heap.statics[&field];
            let known = info.is_final && value.term.is_none();
            let object = value.object();
            let is_grown = info.kind == SlotKind::Ref && !object.is_null() && !whole && self.may_grow(object);
            if !known || is_grown {
                self.linked.shared_heap.statics.remove(&field);
            }
        }
        for object in &mut self.linked.shared_heap.objects[first..] {
            object.escaped = true;
            // What depends on the machine is not known to any run.
            match &mut object.body {
                ObjectBody::Fields(fields) if fields.iter().any(|(_, slot)| slot.term.is_some()) => {
                    fields.retain(|(_, slot)| slot.term.is_none());
                    object.zeroed = false;
                }
                ObjectBody::Array(array) if array.known().any(|slot| slot.term.is_some()) => {
                    if let Cells::Dense(cells) = &array.cells {
                        let known = cells.iter().enumerate().filter(|(_, slot)| slot.term.is_none());
                        array.cells = Cells::Sparse(known.map(|(at, &slot)| (at as u32, slot)).collect());
                    } else if let Cells::Sparse(cells) = &mut array.cells {
                        cells.retain(|_, slot| slot.term.is_none());
                    }
                    object.zeroed = false;
                }
                _ => {}
            }
        }
    }

    /// Whether the rest of an initialiser may have filled the object.
    fn may_grow(&mut self, object: ObjectId) -> bool {
        match &self.object(object).body {
            ObjectBody::Array(array) => array.length > 0,
            ObjectBody::Fields(_) => {
                let Some(ty) = self.object(object).ty else { return true };
                ["java/util/Collection", "java/util/Map"].iter().any(|&name| {
                    let container = self.linked.class_ix(name);
                    self.linked.is_subtype(ty, container)
                })
            }
            _ => false,
        }
    }

    /// A value that depends on the machine: an input that no test case has.
    pub(crate) fn environment_dependent_value(&mut self, kind: SlotKind) -> Slot {
        let kind = match kind {
            SlotKind::Boolean => SymbolKind::Boolean,
            SlotKind::Byte => SymbolKind::Byte,
            SlotKind::Char => SymbolKind::Char,
            SlotKind::Short => SymbolKind::Short,
            SlotKind::Long => SymbolKind::Long,
            SlotKind::Float => SymbolKind::Float,
            SlotKind::Double => SymbolKind::Double,
            SlotKind::Int | SlotKind::Ref => SymbolKind::Int,
        };
        Slot { bits: 0, term: Some(self.terms.symbol(Symbol::value(u32::MAX), kind)) }
    }

    /// The one box of a small value; `None`: each has its own.
    pub(crate) fn cached_box(&mut self, ty: TypeIx, bits: u64) -> InterpResult<Option<ObjectId>> {
        let JavaType::Class(name) = self.linked.ty(ty).clone() else { return Ok(None) };
        let small = -128..128;
        let is_cached = match name.internal() {
            "java/lang/Boolean" => {
                let field = if bits & 1 == 1 { "TRUE" } else { "FALSE" };
                let reference = FieldRef::new(ClassName::new("java/lang/Boolean"), field, "Ljava/lang/Boolean;");
                let field = self.linked.field_ix(&reference);
                return Ok(Some(self.interpreted_static(field)?.object()));
            }
            "java/lang/Integer" | "java/lang/Short" | "java/lang/Byte" => small.contains(&i64::from(bits as u32 as i32)),
            "java/lang/Long" => small.contains(&(bits as i64)),
            "java/lang/Character" => bits < 128,
            _ => false,
        };
        if !is_cached {
            return Ok(None);
        }
        if let Some(known) = self.linked.shared_heap.known_box(ty, bits) {
            return Ok(Some(known));
        }
        let body = ObjectBody::Boxed(Slot::raw(bits));
        let object = self.linked.shared_heap.allocate(Object { ty: Some(ty), hash: 0, zeroed: false, escaped: true, body });
        if let Some(object) = object {
            self.linked.shared_heap.boxes.insert((ty, bits), object);
        }
        Ok(object)
    }
}

/// Classes whose final fields the JVM itself writes.
fn is_set_from_outside(class: &str) -> bool {
    matches!(class, "java/lang/System" | "java/lang/Thread" | "java/lang/ClassLoader" | "jdk/internal/misc/UnsafeConstants")
}

/// Switches of the JDK that options of the JVM may set, as they are without such an option.
fn default_of(field: &FieldRef) -> Option<u64> {
    match (field.owner.internal(), &*field.name) {
        ("java/util/Arrays$LegacyMergeSort", "userRequested") | ("java/lang/Throwable", "jfrTracing") => Some(0),
        _ => None,
    }
}
