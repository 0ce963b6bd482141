//! Class initialisers that run once for all runs: those of the library, and those of recorded code
//! that ran before the recording began. A worker runs these once and restores static state after
//! each run. In: initialisers; out: values of static final fields. Values that depend on the
//! environment (time, properties, natives) stay unknown. Must not know recordings.

use super::Machine;
use super::checkpoint::RolledBack;
use crate::expr::{Symbol, SymbolKind};
use crate::program::{ClassName, FieldRef};
use crate::symbolic::completion::{Completion, InterpResult, Stop};
use crate::symbolic::config::View;
use crate::symbolic::data::ids::{FieldIx, SlotKind, TypeIx};
use crate::symbolic::data::objects::{Cells, Object, ObjectBody, ObjectId, Slot};
use crate::symbolic::linked::FieldConstant;
use crate::symbolic::reason::UnsupportedReason;
use crate::symbolic::state::shared_heap::InitialiserState;

/// Nested initialisers, at most.
const MOST_NESTED: u32 = 20;
/// Instructions of one initialiser, at most.
const MOST_INSTRUCTIONS: u64 = 2_000_000;

impl Machine<'_, '_> {
    /// A static field as interpreted code reads it.
    pub(crate) fn interpreted_static(&mut self, field: FieldIx) -> InterpResult<Slot> {
        let owner = self.linked.field(field).owner;
        if !self.heap.is_initialising() {
            if let Some(known) = self.heap.static_field(field)
                && (self.linked.field(field).is_final || self.is_recorded_class(owner))
            {
                return Ok(known);
            }
        } else if self.linked.shared_heap.initialiser(owner) == Some(InitialiserState::Running) {
            let is_own = self.linked.method(self.frames.top().method).ty == owner;
            return match self.linked.shared_heap.static_field(field) {
                Some(known) => Ok(known),
                None if is_own => Ok(Slot::ZERO),
                None => self.abort(UnsupportedReason::CyclicInitialiser),
            };
        }
        if !self.heap.is_initialising() && self.is_recorded_class(owner) {
            return self.abort(UnsupportedReason::RecordedStatic);
        }
        if let Some(bits) = default_of(&self.linked.field(field).reference) {
            self.heap.record_library_state_read();
            return Ok(Slot::raw(bits));
        }
        match self.shared_static(field)? {
            Some(known) => Ok(known),
            None if self.heap.is_initialising() && self.linked.field(field).kind != SlotKind::Ref => {
                let kind = self.linked.field(field).kind;
                Ok(self.environment_dependent_value(kind))
            }
            None => {
                let reference = &self.linked.field(field).reference;
                self.abort(UnsupportedReason::StaticField(format!("{}.{}", reference.owner, reference.name)))
            }
        }
    }

    /// The value of a static final field that holds in all runs; `None`: not known, or the
    /// recording tells it.
    pub(crate) fn shared_static(&mut self, field: FieldIx) -> InterpResult<Option<Slot>> {
        let info = self.linked.field(field);
        if let Some(constant) = info.constant.clone() {
            return match constant {
                FieldConstant::Bits(bits) => Ok(Some(Slot::raw(bits))),
                FieldConstant::Str(units) => self.context().intern(&units).map(|object| Some(Slot::reference(object))),
            };
        }
        let (owner, is_final) = (info.owner, info.is_final && info.is_static);
        // In the structural view, objects of recorded initialisers belong to the entry heap.
        let is_structural = self.config.view == View::Structural;
        let is_recorded =
            !self.heap.is_initialising() && self.is_recorded_class(owner) && (is_structural || self.cursor.is_initialised(owner));
        if !is_final || is_recorded || is_set_from_outside(info.reference.owner.internal()) {
            return Ok(None);
        }
        if self.linked.shared_heap.initialiser(owner).is_none() {
            self.run_initialiser(owner)?;
        }
        Ok(self.linked.shared_heap.static_field(field))
    }

    /// Writes a static field in interpreted code. Fails the attempt outside the initialiser of its
    /// class.
    pub(crate) fn set_interpreted_static(&mut self, field: FieldIx, value: Slot) -> InterpResult<()> {
        let owner = self.linked.field(field).owner;
        if self.heap.is_initialising() && self.linked.shared_heap.initialiser(owner) == Some(InitialiserState::Running) {
            self.linked.shared_heap.set_static(field, value);
            return Ok(());
        }
        self.abort_for_good(UnsupportedReason::InterpretedStaticWrite)
    }

    /// Runs the initialiser of a class in isolation. Of an initialiser that fails, final fields
    /// stay where the rest of it cannot change their objects.
    fn run_initialiser(&mut self, owner: TypeIx) -> InterpResult<()> {
        self.linked.shared_heap.set_initialiser(owner, Some(InitialiserState::Running));
        let Some(initialiser) = self.linked.initialiser(owner) else {
            self.linked.shared_heap.set_initialiser(owner, Some(InitialiserState::Done));
            return Ok(());
        };
        if self.heap.initialiser_depth() >= MOST_NESTED {
            // It was not tried, so a later attempt is possible.
            self.linked.shared_heap.set_initialiser(owner, None);
            return self.abort(UnsupportedReason::InitialiserDepth);
        }
        self.begin_checkpoint();
        self.budget.limit_initialiser(MOST_INSTRUCTIONS);
        self.heap.begin_initialiser();
        let ended = self.attempt(initialiser, &[]);
        let first = self.heap.shared_objects_at_checkpoint();
        let whole = match &ended {
            Ok(Completion::Returned(_)) => self.heap.wrote_earlier_object() == Some(false),
            _ => false,
        };
        let RolledBack { spent, .. } = self.roll_back_checkpoint();
        // Initialisers count neither as failed attempts nor for their callers.
        self.budget.refund(spent);
        self.heap.end_initialiser();
        self.keep_final_statics(owner, first, whole);
        self.linked.shared_heap.set_initialiser(owner, Some(InitialiserState::Done));
        match ended {
            Err(Stop::End(end)) => Err(Stop::End(end)),
            _ => Ok(()),
        }
    }

    /// Keeps the final static fields that hold in all runs, and marks the objects as escaped.
    /// `first`: position of the initialiser's first object; `whole`: the initialiser completed.
    fn keep_final_statics(&mut self, owner: TypeIx, first: usize, whole: bool) {
        let fields: Vec<(FieldIx, Slot)> = self.linked.shared_heap.known_statics().collect();
        for (field, value) in fields {
            let info = self.linked.field(field);
            if info.owner != owner {
                continue;
            }
            let known = info.is_final && value.term.is_none();
            let object = value.object();
            let is_grown = info.kind == SlotKind::Ref && !object.is_null() && !whole && self.may_grow(object);
            if !known || is_grown {
                self.linked.shared_heap.remove_static(field);
            }
        }
        for object in self.linked.shared_heap.objects_from(first) {
            object.escaped = true;
            // Values that depend on the environment are unknown in every run.
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

    /// Whether the rest of a failed initialiser may have filled the object.
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

    /// A value that depends on the environment: a symbol that no test case has.
    pub(crate) fn environment_dependent_value(&mut self, kind: SlotKind) -> Slot {
        let kind = kind.symbol_kind().unwrap_or(SymbolKind::Int);
        Slot { bits: 0, term: Some(self.terms.symbol(Symbol::value(u32::MAX), kind)) }
    }

    /// The cached box of a small value (JLS §5.1.7); `None`: values of this type have no shared
    /// box.
    pub(crate) fn cached_box(&mut self, ty: TypeIx, bits: u64) -> InterpResult<Option<ObjectId>> {
        let Some(kind) = self.linked.boxed_kind(ty) else { return Ok(None) };
        if kind == SlotKind::Boolean {
            let field = if bits & 1 == 1 { "TRUE" } else { "FALSE" };
            let reference = FieldRef::new(ClassName::new("java/lang/Boolean"), field, "Ljava/lang/Boolean;");
            let field = self.linked.field_ix(&reference);
            return Ok(Some(self.interpreted_static(field)?.object()));
        }
        if !kind.has_cached_box(bits) {
            return Ok(None);
        }
        if let Some(known) = self.linked.shared_heap.known_box(ty, bits) {
            return Ok(Some(known));
        }
        let body = ObjectBody::Boxed(Slot::raw(bits));
        let object = self.linked.shared_heap.allocate(Object { ty: Some(ty), hash: 0, zeroed: false, escaped: true, body });
        if let Some(object) = object {
            self.linked.shared_heap.set_box(ty, bits, object);
        }
        Ok(object)
    }
}

/// Classes whose final fields the JVM writes.
fn is_set_from_outside(class: &str) -> bool {
    matches!(class, "java/lang/System" | "java/lang/Thread" | "java/lang/ClassLoader" | "jdk/internal/misc/UnsafeConstants")
}

/// Defaults of static fields that JVM options may change.
fn default_of(field: &FieldRef) -> Option<u64> {
    match (field.owner.internal(), &*field.name) {
        ("java/util/Arrays$LegacyMergeSort", "userRequested") | ("java/lang/Throwable", "jfrTracing") => Some(0),
        _ => None,
    }
}
