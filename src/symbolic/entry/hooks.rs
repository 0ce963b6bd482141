//! Hooks of the structural view: instructions, models and natives report the values that they read
//! and the variables that they wrote. Outside that view every hook returns at once.

use std::collections::HashSet;

use tracewright_classfile::Kind;

use super::{CELLS, is_value};
use crate::path::ClauseKind;
use crate::symbolic::completion::InterpResult;
use crate::symbolic::context::ModelContext;
use crate::symbolic::data::ids::{FieldIx, SlotKind};
use crate::symbolic::data::objects::{ObjectBody, ObjectId, Slot};
use crate::symbolic::reason::UnsupportedReason;
use crate::symbolic::state::structural_view::HeapVariable;

impl ModelContext<'_, '_> {
    /// Reports a read of a parameter, perhaps the first one. Returns the value with its term.
    ///
    /// # Errors
    /// The path ends where the clause of a first read meets a limit of the replay.
    pub(crate) fn entry_local(&mut self, local: u16) -> InterpResult<Slot> {
        let value = self.frames.local(local);
        match self.view.entry_mut().and_then(|entry| entry.use_parameter(local)) {
            Some(path) => self.first_reference(&path, value),
            None => Ok(value),
        }
    }

    /// Reports a store to a parameter: it is no input any more.
    pub(crate) fn entry_local_written(&mut self, local: u16) {
        if let Some(entry) = self.view.entry_mut() {
            entry.use_parameter(local);
        }
    }

    /// Reports a read of a field. Returns the value with its term. `computed`: the value that was
    /// known before.
    pub(crate) fn entry_field(
        &mut self,
        object: ObjectId,
        field: FieldIx,
        value: Slot,
        computed: Option<Slot>,
    ) -> InterpResult<Slot> {
        if !self.view.is_active() || !matches!(self.object(object).body, ObjectBody::Fields(_) | ObjectBody::Stub { .. }) {
            return Ok(value);
        }
        let kind = self.linked.field(field).kind;
        match self.read(HeapVariable::Field(object, field), kind, value, computed)? {
            Some(read) => {
                self.set_field(object, field, read);
                Ok(read)
            }
            None => Ok(value),
        }
    }

    /// Reports a read of a cell.
    pub(crate) fn entry_cell(&mut self, array: ObjectId, at: u32, value: Slot, computed: Option<Slot>) -> InterpResult<Slot> {
        let ObjectBody::Array(cells) = &self.object(array).body else { return Ok(value) };
        match self.read(HeapVariable::Cell(array, at), cells.kind, value, computed)? {
            Some(read) => {
                self.set_cell(array, at, read);
                Ok(read)
            }
            None => Ok(value),
        }
    }

    /// Reports a read of a static field. The object of a final field gets a name where its identity
    /// matters.
    pub(crate) fn entry_static(&mut self, field: FieldIx, value: Slot, computed: Option<Slot>) -> InterpResult<Slot> {
        let info = self.linked.field(field);
        if info.is_final || !self.is_recorded_class(info.owner) {
            self.entry_constant(field, value);
            return Ok(value);
        }
        let kind = info.kind;
        Ok(self.read(HeapVariable::Static(field), kind, value, computed)?.unwrap_or(value))
    }

    /// Reports a static field of the library that interpreted code read.
    pub(crate) fn entry_constant(&mut self, field: FieldIx, value: Slot) {
        let info = self.linked.field(field);
        if !info.is_final || info.kind != SlotKind::Ref || value.object().is_null() || self.heap.is_initialising() {
            return;
        }
        let object = value.object();
        if is_value(&self.object(object).body) {
            return;
        }
        if let Some(entry) = self.view.entry_mut() {
            entry.record_constant(object, field);
        }
    }

    /// Reports a write to a field: it is no input any more.
    pub(crate) fn entry_field_written(&mut self, object: ObjectId, field: FieldIx) {
        self.touch(HeapVariable::Field(object, field));
    }

    /// Reports a write to a cell: it is no input any more.
    pub(crate) fn entry_cell_written(&mut self, array: ObjectId, at: u32) {
        self.touch(HeapVariable::Cell(array, at));
    }

    /// Reports a write to a static field: it is no input any more.
    pub(crate) fn entry_static_written(&mut self, field: FieldIx) {
        self.touch(HeapVariable::Static(field));
    }

    /// Reports a comparison of two references. Clauses already tell which inputs they are. Strings
    /// and boxes with different contents are different; other comparisons of them make the
    /// condition inexact. `differ`: the outcome for different references.
    pub(crate) fn entry_compared(&mut self, left: Slot, right: Slot, differ: u32) -> InterpResult<()> {
        let (a, b) = (left.object(), right.object());
        if !self.view.is_active() || a.is_null() || b.is_null() {
            return Ok(());
        }
        let (x, y) = (self.object(a), self.object(b));
        if x.ty.is_some() && y.ty.is_some() && x.ty != y.ty {
            return Ok(());
        }
        if is_value(&x.body) && is_value(&y.body) {
            return self.values_compared(left, right, differ);
        }
        let is_input = |context: &Self, object| context.view.entry().is_some_and(|entry| entry.named(object).is_some());
        if !is_input(self, a) && !is_input(self, b) {
            return Ok(());
        }
        for object in [a, b] {
            let constant = self.view.entry().and_then(|entry| entry.constant(object));
            if let Some(field) = constant {
                self.name_constant(field, object)?;
            } else if !is_input(self, object) && object.shared_index().is_some() {
                self.record_concretisation(UnsupportedReason::IdentityOfNonInput);
            }
        }
        Ok(())
    }

    /// Adds the clause of a comparison of two strings or two boxes.
    pub(super) fn values_compared(&mut self, left: Slot, right: Slot, differ: u32) -> InterpResult<()> {
        if let (ObjectBody::Boxed(x), ObjectBody::Boxed(y)) =
            (&self.object(left.object()).body, &self.object(right.object()).body)
        {
            let x = Slot { bits: x.bits, term: left.term.or(x.term) };
            let y = Slot { bits: y.bits, term: right.term.or(y.term) };
            let kind = SlotKind::of_box(&self.type_name(left.object())).map_or(Kind::Float, SlotKind::kind);
            let is_exact = matches!(kind, Kind::Int | Kind::Long) && x.bits != y.bits;
            match (x.term.or(y.term), self.pair(x, y, kind)) {
                (None, _) => {}
                (_, Some((p, q))) if is_exact => {
                    let same = self.terms.eq(p, q);
                    let differs = self.terms.not(same);
                    self.add_clause(ClauseKind::Jump, differ, differs)?;
                }
                _ => self.record_concretisation(UnsupportedReason::BoxIdentity),
            }
            return Ok(());
        }
        if !self.is_computed_string(left.object()) && !self.is_computed_string(right.object()) {
            return Ok(());
        }
        if let (Some(x), Some(y)) = (self.known_string(left.object()), self.known_string(right.object()))
            && x.units != y.units
            && let Some((false, Some(same))) = self.known_strings_equal(&x, &y)?
        {
            let differs = self.terms.not(same);
            return self.add_clause(ClauseKind::Jump, differ, differs);
        }
        self.record_concretisation(UnsupportedReason::StringIdentity);
        Ok(())
    }

    /// Reports that a model or native reads all cells of an array.
    pub(crate) fn entry_array(&mut self, array: ObjectId) -> InterpResult<()> {
        let ObjectBody::Array(cells) = &self.object(array).body else { return Ok(()) };
        let (length, kind) = (cells.length, cells.kind);
        if !self.view.is_active() || !self.is_involved(array)? {
            return Ok(());
        }
        if length > CELLS {
            self.record_concretisation(UnsupportedReason::LongArray);
            return Ok(());
        }
        for at in 0..length {
            let Some(value) = self.cell(array, at) else { continue };
            if let Some(read) = self.read(HeapVariable::Cell(array, at), kind, value, Some(value))? {
                self.set_cell(array, at, read);
            }
        }
        Ok(())
    }

    /// Reports a symbolic index. Small arrays of primitives become a choice between all cells. For
    /// other arrays of inputs a clause fixes the index. The length is fixed in any case.
    pub(crate) fn entry_index(&mut self, array: ObjectId, at: u32, index: &mut Slot) -> InterpResult<()> {
        let Some(term) = index.term else { return Ok(()) };
        let ObjectBody::Array(cells) = &self.object(array).body else { return Ok(()) };
        let (length, kind) = (cells.length, cells.kind);
        if !self.is_involved(array)? {
            return self.fix_length(array);
        }
        let is_small = length as usize <= self.config.cells;
        if kind != SlotKind::Ref && is_small && (0..length).all(|at| self.cell(array, at).is_some()) {
            self.fix_length(array)?;
            return self.entry_array(array);
        }
        let mut outcomes = Vec::new();
        for cell in (0..length).filter(|&cell| cell == at || is_small) {
            let position = self.terms.int(cell as i32);
            outcomes.push((cell + 2, self.terms.eq(term, position)));
        }
        if let Some(&(outcome, holds)) = outcomes.iter().find(|(outcome, _)| *outcome == at + 2) {
            outcomes.retain(|(other, _)| *other != outcome);
            self.add_clause_with_alternatives(ClauseKind::Bounds, outcome, holds, outcomes)?;
        }
        index.term = None;
        Ok(())
    }

    /// Reports the begin of a copy between arrays: primitive cells become inputs, and symbolic
    /// lengths are fixed.
    pub(crate) fn entry_copy_begins(&mut self, source: ObjectId, destination: ObjectId, is_symbolic: bool) -> InterpResult<()> {
        if !self.view.is_active() {
            return Ok(());
        }
        for array in [source, destination] {
            if is_symbolic {
                self.fix_length(array)?;
            }
            if matches!(&self.object(array).body, ObjectBody::Array(cells) if cells.kind != SlotKind::Ref) {
                self.entry_array(array)?;
            }
        }
        Ok(())
    }

    /// Reports copied references, before the cells change. References without a first read keep the
    /// paths of their origins.
    pub(crate) fn entry_copied(
        &mut self,
        source: ObjectId,
        from: u32,
        destination: ObjectId,
        to: u32,
        count: u32,
    ) -> InterpResult<()> {
        if !self.view.is_active() {
            return Ok(());
        }
        let mut sources = Vec::new();
        for offset in 0..count {
            sources.push(self.source_of(HeapVariable::Cell(source, from.wrapping_add(offset)))?);
        }
        for (offset, source) in (0..count).zip(sources) {
            self.record_copy(source, HeapVariable::Cell(destination, to.wrapping_add(offset)));
        }
        Ok(())
    }

    /// Reports a `clone` before the copy is made.
    pub(crate) fn entry_clone_begins(&mut self, object: ObjectId) -> InterpResult<()> {
        if !self.view.is_active() {
            return Ok(());
        }
        match &self.object(object).body {
            ObjectBody::Array(cells) if cells.kind != SlotKind::Ref => self.entry_array(object),
            ObjectBody::Fields(_) => {
                for field in self.fields_of(object) {
                    let computed = self.field_value(object, field).0;
                    if let Some(value) = computed
                        && self.linked.field(field).kind != SlotKind::Ref
                    {
                        self.entry_field(object, field, value, computed)?;
                    }
                }
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// Reports a `clone` after the copy is made.
    pub(crate) fn entry_cloned(&mut self, object: ObjectId, copy: ObjectId) -> InterpResult<()> {
        if !self.view.is_active() {
            return Ok(());
        }
        match &self.object(object).body {
            ObjectBody::Array(cells) if cells.kind == SlotKind::Ref => {
                let length = cells.length;
                self.entry_copied(object, 0, copy, 0, length)
            }
            ObjectBody::Fields(_) => {
                for field in self.fields_of(object) {
                    if self.linked.field(field).kind == SlotKind::Ref {
                        let source = self.source_of(HeapVariable::Field(object, field))?;
                        self.record_copy(source, HeapVariable::Field(copy, field));
                    }
                }
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// Whether opaque code reaches the entry heap through these references.
    pub(crate) fn entry_reached(&self, references: &[Slot]) -> bool {
        let Some(entry) = self.view.entry() else { return false };
        let mut pending: Vec<ObjectId> = references.iter().map(|slot| slot.object()).collect();
        let mut seen = HashSet::new();
        while let Some(id) = pending.pop() {
            if id.is_null() || !seen.insert(id) {
                continue;
            }
            if entry.named(id).is_some_and(|named| !named.is_constant) {
                return true;
            }
            match &self.object(id).body {
                ObjectBody::Fields(fields) | ObjectBody::Stub { fields, .. } => {
                    for &(field, slot) in fields {
                        if self.linked.field(field).kind == SlotKind::Ref {
                            if entry.copied(HeapVariable::Field(id, field)).is_some() {
                                return true;
                            }
                            pending.push(slot.object());
                        }
                    }
                }
                ObjectBody::Array(cells) if cells.kind == SlotKind::Ref => {
                    if entry.has_copied_cell(id) {
                        return true;
                    }
                    pending.extend(cells.known().map(Slot::object));
                }
                ObjectBody::Lambda { site, captured } => {
                    let types = site.captured.iter();
                    let references = types.zip(captured.iter()).filter(|(ty, _)| self.linked.ty(**ty).is_reference());
                    pending.extend(references.map(|(_, slot)| slot.object()));
                }
                _ => {}
            }
        }
        false
    }

    /// Reports the use of an identity hash, which is no input.
    pub(crate) fn entry_hashed(&mut self) {
        if self.view.is_active() {
            self.record_concretisation(UnsupportedReason::IdentityHash);
        }
    }
}
