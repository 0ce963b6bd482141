//! Instance and static fields (JVMS §2.11.5).

use tracewright_trace::Event;

use super::super::arith;
use super::super::data::ids::{FieldIx, SlotKind};
use super::super::data::objects::{ObjectId, Slot};
use super::super::machine::{Completion, InterpResult, Machine};
use super::super::step::Flow;

impl Machine<'_, '_> {
    /// The known value of a field, and whether opaque code may have changed it since.
    pub(crate) fn field_value(&mut self, object: ObjectId, field: FieldIx) -> (Option<Slot>, bool) {
        let known = self.object(object);
        let (value, zeroed, escaped) = (known.field(field), known.zeroed, known.escaped);
        let value = value.or(zeroed.then_some(Slot::ZERO));
        (value, escaped && (self.may_have_changed() || self.is_from_before(object)))
    }

    /// Whether code that is not replayed may have changed escaped objects.
    pub(super) fn may_have_changed(&self) -> bool {
        self.opaque_calls > 0 || self.cursor.has_other_threads()
    }

    /// Whether recorded code uses a shared object, which an earlier run may have changed.
    pub(super) fn is_from_before(&self, object: ObjectId) -> bool {
        self.frames.is_recorded() && object.shared_index().is_some()
    }

    /// Writes an instance field.
    pub(crate) fn put_field(&mut self, object: ObjectId, field: FieldIx, value: Slot) {
        if self.object(object).escaped && self.linked.field(field).kind == SlotKind::Ref {
            self.escape(&[value]);
        }
        self.entry_field_written(object, field);
        self.set_field(object, field, value);
    }

    /// Executes `getstatic`.
    pub(super) fn get_static(&mut self, field: FieldIx, floor: usize) -> InterpResult<Flow> {
        if !self.frames.is_recorded() {
            let value = self.interpreted_static(field)?;
            self.entry_constant(field, value);
            self.push_kind(self.linked.field(field).kind, value);
            self.frames.advance();
            return Ok(None);
        }
        // The initialiser of an unrecorded class may call recorded code.
        let owner = self.linked.field(field).owner;
        if let Some(exception) = self.initialise(owner)? {
            return self.throw(exception, floor);
        }
        while let Some(Event::Entry { .. }) = self.cursor.peek() {
            if let Completion::Threw(_) = self.run_nested_entry()? {
                let exception = self.inferred_exception("load of a static field")?;
                return self.throw(exception, floor);
            }
        }
        if let Some(Event::Caught { .. } | Event::Thrown { .. }) = self.cursor.peek() {
            let exception = self.inferred_exception("load of a static field")?;
            return self.throw(exception, floor);
        }
        let kind = self.linked.field(field).kind;
        let computed = match self.heap.static_field(field) {
            Some(known) => Some(known),
            None => self.checked_static(field)?,
        };
        let resync = self.cursor.has_other_threads() || (self.opaque_calls > 0 && !self.is_recorded_class(owner));
        let value = self.load(kind, computed, resync)?;
        let value = if self.entry.is_some() { self.entry_static(field, value, computed)? } else { value };
        if self.heap.static_field(field) != Some(value) {
            self.heap.set_static(field, value);
        }
        self.push_kind(kind, value);
        self.frames.advance();
        Ok(None)
    }

    /// Executes `getfield`.
    pub(super) fn get_field_op(&mut self, field: FieldIx, floor: usize) -> InterpResult<Flow> {
        let kind = self.linked.field(field).kind;
        let reference = self.pop();
        let object = reference.object();
        if object.is_null() {
            return self.throw_new("java/lang/NullPointerException", floor);
        }
        let (computed, resync) = self.field_value(object, field);
        let (computed, resync) = if self.frames.is_recorded() {
            (computed, resync)
        } else {
            self.interpreted_field(reference, field, computed, resync)?
        };
        let value = self.load(kind, computed, resync)?;
        if self.frames.is_recorded() && computed != Some(value) {
            self.set_field(object, field, value);
        }
        let value = if self.entry.is_some() { self.entry_field(object, field, value, computed)? } else { value };
        self.push_kind(kind, value);
        self.frames.advance();
        Ok(None)
    }

    /// Executes `putstatic`.
    pub(super) fn put_static(&mut self, field: FieldIx, floor: usize) -> InterpResult<Flow> {
        if let Some(exception) = self.initialise(self.linked.field(field).owner)? {
            return self.throw(exception, floor);
        }
        let kind = self.linked.field(field).kind;
        let value = self.pop_kind(kind);
        let value = arith::narrow(self.terms, kind, value);
        self.entry_static_written(field);
        if self.frames.is_recorded() {
            self.heap.set_static(field, value);
        } else {
            self.set_interpreted_static(field, value)?;
        }
        self.frames.advance();
        Ok(None)
    }
}
