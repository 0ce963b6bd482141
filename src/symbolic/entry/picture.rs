//! The entry heap as the run found it, for the [`Structure`](crate::structure::Structure) of the
//! run. In: objects at the entry and first reads; out: an [`EntryHeap`].

use super::{CELLS, OBJECTS, content_step, is_value};
use crate::expr::Value;
use crate::program::MethodRef;
use crate::structure::{AccessPath, AccessStep, EntryHeap, EntryId, EntryObject, EntryValue, Root};
use crate::symbolic::context::ModelContext;
use crate::symbolic::data::ids::{FieldIx, SlotKind};
use crate::symbolic::data::objects::{ObjectBody, ObjectId, Slot};
use crate::symbolic::state::structural_view::HeapVariable;

impl ModelContext<'_, '_> {
    /// Draws the objects that are known at the entry.
    pub(super) fn picture(&mut self, method: MethodRef, roots: &[(Root, SlotKind, u16)]) {
        let mut heap = EntryHeap::new(method);
        let mut pending = Vec::new();
        for (root, kind, local) in roots {
            let value = self.frames.local(*local);
            heap.roots.insert(root.clone(), self.drawn(*kind, value, &mut pending));
        }
        let mut statics: Vec<(Root, SlotKind, Slot)> = Vec::new();
        for (field, value) in self.heap.static_fields() {
            let info = self.linked.field(field);
            if self.is_recorded_class(info.owner) {
                statics.push((self.root_of(field), info.kind, value));
            }
        }
        statics.sort_by(|a, b| a.0.cmp(&b.0));
        for (root, kind, value) in statics {
            let value = self.drawn(kind, value, &mut pending);
            heap.roots.insert(root, value);
        }
        while let Some(object) = pending.pop() {
            let id = EntryId(self.same_object(object).0);
            if heap.objects.contains_key(&id) || heap.objects.len() >= OBJECTS {
                continue;
            }
            let drawn = self.drawn_object(object, &mut pending);
            heap.objects.insert(id, drawn);
        }
        if let Some(entry) = self.view.entry_mut() {
            entry.set_heap(heap);
        }
    }

    /// The value as the picture shows it. Referenced objects are added to `pending`.
    pub(super) fn drawn(&self, kind: SlotKind, value: Slot, pending: &mut Vec<ObjectId>) -> EntryValue {
        EntryValue::Primitive(match kind {
            SlotKind::Ref => {
                let object = value.object();
                if object.is_null() {
                    return EntryValue::Reference(None);
                }
                pending.push(object);
                return EntryValue::Reference(Some(EntryId(self.same_object(object).0)));
            }
            SlotKind::Long => Value::Long(value.as_long()),
            SlotKind::Float => Value::Float(value.bits as u32),
            SlotKind::Double => Value::Double(value.bits),
            _ => Value::Int(value.as_int()),
        })
    }

    /// The object as the picture shows it. Referenced objects are added to `pending`.
    pub(super) fn drawn_object(&mut self, object: ObjectId, pending: &mut Vec<ObjectId>) -> EntryObject {
        let mut drawn = EntryObject { class: self.class_of(object), parts: Default::default(), text: None };
        match &self.object(object).body {
            ObjectBody::Fields(_) | ObjectBody::Stub { .. } => {
                for field in self.fields_of(object) {
                    let Some(value) = self.field_value(object, field).0 else { continue };
                    let step = self.step_of(self.object(object).ty, field);
                    let value = self.drawn(self.linked.field(field).kind, value, pending);
                    drawn.parts.insert(step, value);
                }
            }
            ObjectBody::Array(cells) => {
                let (length, kind) = (cells.length, cells.kind);
                drawn.parts.insert(AccessStep::Length, EntryValue::Primitive(Value::Int(length as i32)));
                for at in 0..length.min(CELLS) {
                    let Some(value) = self.cell(object, at) else { continue };
                    let value = self.drawn(kind, value, pending);
                    drawn.parts.insert(AccessStep::Cell(at), value);
                }
            }
            ObjectBody::Boxed(content) => {
                if let Some(kind) = SlotKind::of_box(drawn.class.internal()) {
                    drawn.parts.insert(content_step(), self.drawn(kind, *content, pending));
                }
            }
            ObjectBody::Str(text) => drawn.text = text.units.as_ref().map(|units| units.to_vec()),
            ObjectBody::Builder(builder) => drawn.text = builder.text.as_ref().map(|text| text.units.clone()),
            _ => {}
        }
        drawn
    }

    /// Adds a part of the entry heap at its first read.
    pub(super) fn draw_part(&mut self, variable: HeapVariable, path: &AccessPath, kind: SlotKind, value: Slot) {
        let object = match variable {
            HeapVariable::Static(_) => return self.draw_root(path.root.clone(), kind, value),
            HeapVariable::Field(object, _) | HeapVariable::Cell(object, _) => object,
        };
        let (owner, Some(step)) = (EntryId(self.same_object(object).0), path.steps.last()) else { return };
        let drawn = self.draw_value(kind, value);
        if self.view.entry().is_none_or(|entry| entry.heap().object(owner).is_none()) {
            self.draw_object(object);
        }
        if let Some(entry) = self.view.entry_mut() {
            entry.set_part(owner, step, drawn);
        }
    }

    /// Adds a root of the entry heap at its first read.
    pub(super) fn draw_root(&mut self, root: Root, kind: SlotKind, value: Slot) {
        let drawn = self.draw_value(kind, value);
        if let Some(entry) = self.view.entry_mut() {
            entry.set_root(root, drawn);
        }
    }

    /// The value as the picture shows it; adds the objects that the picture lacks.
    pub(super) fn draw_value(&mut self, kind: SlotKind, value: Slot) -> EntryValue {
        let mut found = Vec::new();
        let drawn = self.drawn(kind, value, &mut found);
        for object in found {
            let id = EntryId(self.same_object(object).0);
            if self.view.entry().is_none_or(|entry| entry.heap().object(id).is_none()) {
                self.draw_object(object);
            }
        }
        drawn
    }

    /// Adds an object that the picture lacks, with its immutable contents only.
    pub(super) fn draw_object(&mut self, object: ObjectId) {
        let mut drawn = EntryObject { class: self.class_of(object), parts: Default::default(), text: None };
        match &self.object(object).body {
            ObjectBody::Array(cells) => {
                drawn.parts.insert(AccessStep::Length, EntryValue::Primitive(Value::Int(cells.length as i32)));
            }
            ObjectBody::Boxed(_) | ObjectBody::Str(_) => drawn = self.drawn_object(object, &mut Vec::new()),
            // Its contents are unchanged, since it is named right now.
            ObjectBody::Builder(builder) => drawn.text = builder.text.as_ref().map(|text| text.units.clone()),
            _ => {}
        }
        let id = EntryId(self.same_object(object).0);
        if let Some(entry) = self.view.entry_mut() {
            entry.add_object(id, drawn);
        }
    }

    /// Adds the constants of the library, which the conditions of other runs may mention.
    pub(super) fn draw_constants(&mut self) {
        let constants: Vec<(FieldIx, Slot)> = self.linked.shared_heap.known_statics().collect();
        for (field, value) in constants {
            let info = self.linked.field(field);
            if info.kind == SlotKind::Ref && info.is_final && !is_value(&self.object(value.object()).body) {
                let root = self.root_of(field);
                if self.view.entry().is_some_and(|entry| !entry.heap().roots.contains_key(&root)) {
                    self.draw_root(root, SlotKind::Ref, value);
                }
            }
        }
    }
}
