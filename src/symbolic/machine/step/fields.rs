//! Instance and static fields (JVMS §2.11.5).

use tracewright_trace::Event;

use super::super::Machine;
use super::Flow;
use crate::symbolic::arith;
use crate::symbolic::completion::{Completion, InterpResult};
use crate::symbolic::data::ids::{FieldIx, SlotKind};
use crate::symbolic::data::objects::{ObjectId, Slot};

impl Machine<'_, '_> {
    /// Writes an instance field.
    pub(crate) fn put_field(&mut self, object: ObjectId, field: FieldIx, value: Slot) {
        if self.object(object).escaped && self.linked.field(field).kind == SlotKind::Ref {
            self.context().escape(&[value]);
        }
        if self.view.is_active() {
            self.context().entry_field_written(object, field);
        }
        self.set_field(object, field, value);
    }

    /// Executes `getstatic`.
    pub(super) fn get_static(&mut self, field: FieldIx, floor: usize) -> InterpResult<Flow> {
        if !self.frames.is_recorded() {
            let value = self.interpreted_static(field)?;
            if self.view.is_active() {
                self.context().entry_constant(field, value);
            }
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
        let resync = self.cursor.has_other_threads() || (self.heap.opaque_calls() > 0 && !self.is_recorded_class(owner));
        let value = self.load(kind, computed, resync)?;
        let value = if self.view.is_active() { self.context().entry_static(field, value, computed)? } else { value };
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
        let (computed, resync) = self.context().field_value(object, field);
        let (computed, resync) = if self.frames.is_recorded() {
            (computed, resync)
        } else {
            self.interpreted_field(reference, field, computed, resync)?
        };
        let value = self.load(kind, computed, resync || self.heap.has_guessed_identity(object))?;
        if self.frames.is_recorded() && computed != Some(value) {
            self.set_field(object, field, value);
        }
        let value = if self.view.is_active() { self.context().entry_field(object, field, value, computed)? } else { value };
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
        if self.view.is_active() {
            self.context().entry_static_written(field);
        }
        if self.frames.is_recorded() {
            self.heap.set_static(field, value);
        } else {
            self.set_interpreted_static(field, value)?;
        }
        self.frames.advance();
        Ok(None)
    }
}
