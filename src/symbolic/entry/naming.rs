//! Access paths of the entry heap: which variable a value comes from, the input or clause that its
//! first read gives, and names of objects.

use std::rc::Rc;

use super::content_step;
use crate::expr::{Symbol, SymbolKind, TermId};
use crate::path::ClauseKind;
use crate::program::ClassName;
use crate::structure::{AccessPath, AccessStep, InputType, Root, StructuralClause, StructuralInput};
use crate::symbolic::completion::InterpResult;
use crate::symbolic::context::ModelContext;
use crate::symbolic::data::ids::{FieldIx, SlotKind, TypeIx};
use crate::symbolic::data::objects::{
    BuilderContents, Object, ObjectBody, ObjectId, Slot, StringBuilderContents, StringContents, SymbolicString,
};
use crate::symbolic::reason::UnsupportedReason;
use crate::symbolic::state::structural_view::{CopiedReference, HeapVariable, NamedObject};

impl ModelContext<'_, '_> {
    /// Marks a variable as read or written.
    pub(super) fn touch(&mut self, variable: HeapVariable) {
        if let Some(entry) = self.view.entry_mut() {
            entry.touch(variable);
        }
    }

    /// The value of a first read: an input, or a reference with its clause. `None`: the value is no
    /// part of the entry heap.
    pub(super) fn read(
        &mut self,
        variable: HeapVariable,
        kind: SlotKind,
        value: Slot,
        computed: Option<Slot>,
    ) -> InterpResult<Option<Slot>> {
        if self.heap.is_initialising() {
            return Ok(None);
        }
        let Some(source) = self.source_of(variable)? else { return Ok(None) };
        self.touch(variable);
        let entry_calls = self.view.entry().map_or(0, |entry| entry.opaque_calls());
        if self.heap.opaque_calls() > entry_calls && computed.is_none_or(|computed| computed.bits != value.bits) {
            self.record_concretisation(UnsupportedReason::ChangedByOpaqueCode);
            return Ok(None);
        }
        if source.path.steps.len() > self.config.steps {
            self.record_concretisation(UnsupportedReason::LongAccessPath);
            return Ok(None);
        }
        if source.variable == variable {
            self.draw_part(variable, &source.path, kind, value);
        }
        if kind != SlotKind::Ref {
            return Ok(self.input(&source.path, kind).map(|term| Slot { bits: value.bits, term: Some(term) }));
        }
        if let Some(known) = self.view.entry().and_then(|entry| entry.first_read(source.variable)) {
            return Ok(Some(known));
        }
        let reference = self.first_reference(&source.path, value)?;
        if let Some(entry) = self.view.entry_mut() {
            entry.record_first_read(source.variable, reference);
        }
        Ok(Some(reference))
    }

    /// The entry variable whose value a variable still has; `None`: there is none.
    pub(super) fn source_of(&mut self, variable: HeapVariable) -> InterpResult<Option<CopiedReference>> {
        let Some(entry) = self.view.entry() else { return Ok(None) };
        if let Some(source) = entry.copied(variable) {
            return Ok(Some(source.clone()));
        }
        if entry.is_touched(variable) {
            return Ok(None);
        }
        let path = match variable {
            HeapVariable::Static(field) => Some(AccessPath::new(self.root_of(field))),
            HeapVariable::Field(object, field) => {
                let ty = self.object(object).ty;
                self.path_of(object)?.map(|path| path.then(self.step_of(ty, field)))
            }
            HeapVariable::Cell(array, at) => self.path_of(array)?.map(|path| path.then(AccessStep::Cell(at))),
        };
        Ok(path.map(|path| CopiedReference { variable, path }))
    }

    /// The access path of an object whose state is part of the inputs.
    pub(super) fn path_of(&mut self, object: ObjectId) -> InterpResult<Option<AccessPath>> {
        let Some(entry) = self.view.entry() else { return Ok(None) };
        if let Some(named) = entry.named(object) {
            return Ok((!named.is_constant).then(|| named.path.clone()));
        }
        let Some(field) = entry.constant(object) else { return Ok(None) };
        if !self.is_recorded_class(self.linked.field(field).owner) {
            return Ok(None);
        }
        self.name_constant(field, object)?;
        Ok(self.view.entry().and_then(|entry| entry.named(object)).map(|named| named.path.clone()))
    }

    /// Keeps the origin of a copied reference for its new variable.
    pub(super) fn record_copy(&mut self, source: Option<CopiedReference>, to: HeapVariable) {
        let Some(entry) = self.view.entry_mut() else { return };
        entry.touch(to);
        if let Some(source) = source.filter(|source| source.variable != to) {
            entry.record_copy(source, to);
        }
    }

    /// Whether cells of the array are inputs or copied references without a first read.
    pub(super) fn is_involved(&mut self, array: ObjectId) -> InterpResult<bool> {
        if self.path_of(array)?.is_some() {
            return Ok(true);
        }
        Ok(self.view.entry().is_some_and(|entry| entry.has_copied_cell(array)))
    }

    /// The known value of a cell.
    pub(super) fn cell(&self, array: ObjectId, at: u32) -> Option<Slot> {
        let object = self.object(array);
        let ObjectBody::Array(cells) = &object.body else { return None };
        cells.get(at).or(object.zeroed.then_some(Slot::ZERO))
    }

    /// Fixes the length of the array by a clause.
    pub(super) fn fix_length(&mut self, array: ObjectId) -> InterpResult<()> {
        let ObjectBody::Array(cells) = &self.object(array).body else { return Ok(()) };
        let (length, Some(term)) = (cells.length, cells.length_term) else { return Ok(()) };
        let constant = self.terms.int(length as i32);
        let holds = self.terms.eq(term, constant);
        self.add_clause(ClauseKind::Model, 0, holds)?;
        if let ObjectBody::Array(cells) = &mut self.object_mut(array).body {
            cells.length_term = None;
        }
        Ok(())
    }

    // Clauses and inputs.

    /// Adds the clause or input of a reference of the entry heap.
    pub(super) fn first_reference(&mut self, path: &AccessPath, value: Slot) -> InterpResult<Slot> {
        let object = value.object();
        if object.is_null() {
            self.add_reference_clause(StructuralClause::Null(path.clone()));
            return Ok(value);
        }
        let class = self.class_of(object);
        match &self.object(object).body {
            ObjectBody::Boxed(_) => {
                self.add_reference_clause(StructuralClause::Present(path.clone(), class.clone()));
                let Some(kind) = SlotKind::of_box(class.internal()) else { return Ok(value) };
                let term = self.input(&path.then(content_step()), kind);
                return Ok(Slot { bits: value.bits, term });
            }
            ObjectBody::Str(StringContents { units: Some(units), .. }) => {
                let units = units.clone();
                self.add_reference_clause(StructuralClause::Present(path.clone(), class));
                return self.string_entry(path, value, units);
            }
            ObjectBody::Str(_) => {
                self.add_reference_clause(StructuralClause::Present(path.clone(), class));
                self.record_concretisation(UnsupportedReason::UnknownString);
                return Ok(value);
            }
            _ => {}
        }
        let same = self.same_object(object);
        let earlier = self.view.entry().and_then(|entry| entry.named(same)).cloned();
        if let Some(NamedObject { path: earlier, is_constant }) = earlier {
            self.add_reference_clause(StructuralClause::Alias(path.clone(), earlier.clone()));
            if same != object {
                self.set_path(object, NamedObject { path: earlier, is_constant });
            }
            return Ok(value);
        }
        self.add_reference_clause(StructuralClause::Fresh(path.clone(), class));
        let is_constant = object.shared_index().is_some();
        self.set_path(object, NamedObject { path: path.clone(), is_constant });
        if is_constant {
            // A shared object's state is no input, but its identity needs a clause.
            if !matches!(path.root, Root::Static { .. }) || !path.steps.is_empty() {
                match self.constant_of(object) {
                    Some(root) => {
                        self.draw_root(root.clone(), SlotKind::Ref, value);
                        self.add_reference_clause(StructuralClause::Alias(AccessPath::new(root), path.clone()));
                    }
                    None => self.record_concretisation(UnsupportedReason::SharedObject),
                }
            }
            return Ok(value);
        }
        self.open_object(object, path);
        Ok(value)
    }

    /// Makes the length of an array, or the contents of a string builder, an input.
    pub(super) fn open_object(&mut self, object: ObjectId, path: &AccessPath) {
        let is_hidden = match self.object(object).ty {
            Some(ty) => !self.linked.is_known(ty),
            None => true,
        };
        match &self.object(object).body {
            ObjectBody::Array(_) => {
                let Some(term) = self.new_input(&path.then(AccessStep::Length), SymbolKind::Length) else { return };
                if let ObjectBody::Array(cells) = &mut self.object_mut(object).body {
                    cells.length_term = Some(term);
                }
            }
            ObjectBody::Builder(StringBuilderContents { text: Some(BuilderContents { units, length: None, cells }), seen })
                if cells.is_empty() =>
            {
                let (units, seen) = (units.clone(), *seen);
                match self.symbolic_string(path, units.len()) {
                    Some(SymbolicString { length, characters, within, .. }) => {
                        let text = BuilderContents { units, length: Some((length, within)), cells: characters };
                        self.object_mut(object).body = ObjectBody::Builder(StringBuilderContents { text: Some(text), seen });
                    }
                    None => self.record_concretisation(UnsupportedReason::LongString),
                }
            }
            ObjectBody::Builder(_) => self.record_concretisation(UnsupportedReason::UnknownString),
            ObjectBody::Stub { .. } => self.record_concretisation(UnsupportedReason::Stub),
            ObjectBody::Lambda { .. } | ObjectBody::Handle(_) => self.record_concretisation(UnsupportedReason::Lambda),
            ObjectBody::Pattern(_) | ObjectBody::Matcher(_) => self.record_concretisation(UnsupportedReason::RegularExpression),
            ObjectBody::Mirror => self.record_concretisation(UnsupportedReason::ClassObject),
            _ if is_hidden => self.record_concretisation(UnsupportedReason::HiddenClassObject),
            _ => {}
        }
    }

    /// Allocates a string for this path alone: equal strings of other paths have inputs of their
    /// own.
    pub(super) fn string_entry(&mut self, path: &AccessPath, value: Slot, units: Rc<[u16]>) -> InterpResult<Slot> {
        let Some(symbolic) = self.symbolic_string(path, units.len()) else {
            self.record_concretisation(UnsupportedReason::LongString);
            return Ok(value);
        };
        let hash = self.object(value.object()).hash;
        let body = ObjectBody::Str(StringContents { units: Some(units), symbolic: Some(Rc::new(symbolic)) });
        let object = self.allocate(Object { ty: Some(self.linked.string()), hash, zeroed: false, escaped: true, body })?;
        Ok(Slot::reference(object))
    }

    /// Adds a string input; `None`: the string is too long.
    pub(super) fn symbolic_string(&mut self, path: &AccessPath, length: usize) -> Option<SymbolicString> {
        if length > self.config.longest_text {
            return None;
        }
        let number = self.add_input(path, InputType::String)?;
        let count = length.max(self.config.characters) as u32;
        let length = self.terms.symbol(Symbol::length(number), SymbolKind::Length);
        let characters = (0..count).map(|at| self.terms.symbol(Symbol::char(number, at), SymbolKind::Char)).collect();
        let bound = self.terms.int(count as i32);
        let within = Some(self.terms.le(length, bound));
        Some(SymbolicString { length, characters, within, is_literal: false })
    }

    /// Adds an input of a kind; `None` for references.
    pub(super) fn input(&mut self, path: &AccessPath, kind: SlotKind) -> Option<TermId> {
        self.new_input(path, kind.symbol_kind()?)
    }

    /// Adds a primitive input and returns its term.
    pub(super) fn new_input(&mut self, path: &AccessPath, kind: SymbolKind) -> Option<TermId> {
        let number = self.add_input(path, InputType::Primitive(kind))?;
        Some(self.terms.symbol(Symbol::value(number), kind))
    }

    /// Adds an input and returns its number.
    pub(super) fn add_input(&mut self, path: &AccessPath, ty: InputType) -> Option<u32> {
        let entry = self.view.entry_mut()?;
        Some(entry.add_input(StructuralInput { path: path.clone(), ty }))
    }

    /// Adds a clause about a reference, unless the limit of clauses is reached.
    pub(super) fn add_reference_clause(&mut self, clause: StructuralClause) {
        let Some(entry) = self.view.entry_mut() else { return };
        if self.path.condition().clauses.len() + entry.clauses() >= self.config.clauses {
            self.path.drop_clause();
            return;
        }
        entry.add_clause(self.path.condition(), clause);
    }

    /// Sets the access path of an object.
    pub(super) fn set_path(&mut self, object: ObjectId, named: NamedObject) {
        if let Some(entry) = self.view.entry_mut() {
            entry.set_name(object, named);
        }
    }

    /// Names the object of a final static field.
    pub(super) fn name_constant(&mut self, field: FieldIx, object: ObjectId) -> InterpResult<()> {
        let variable = HeapVariable::Static(field);
        if self.view.entry().is_none_or(|entry| entry.is_touched(variable)) {
            return Ok(());
        }
        self.touch(variable);
        let root = self.root_of(field);
        self.draw_root(root.clone(), SlotKind::Ref, Slot::reference(object));
        self.first_reference(&AccessPath::new(root), Slot::reference(object))?;
        Ok(())
    }

    // Names.

    /// The root that stands for a static field.
    pub(super) fn root_of(&self, field: FieldIx) -> Root {
        let reference = &self.linked.field(field).reference;
        Root::Static { owner: reference.owner.clone(), name: reference.name.clone() }
    }

    /// The final static field of the library that refers to a shared object.
    pub(super) fn constant_of(&self, object: ObjectId) -> Option<Root> {
        let fields = self.linked.shared_heap.known_statics().filter(|(_, value)| value.object() == object);
        let references = fields.filter(|(field, _)| self.linked.field(*field).kind == SlotKind::Ref);
        references.map(|(field, _)| self.root_of(field)).min()
    }

    /// The access step to a field. It names the declaring class where a subclass hides the field.
    pub(super) fn step_of(&mut self, ty: Option<TypeIx>, field: FieldIx) -> AccessStep {
        if let Some(step) = self.view.entry().and_then(|entry| entry.step(ty, field)) {
            return step.clone();
        }
        let reference = self.linked.field(field).reference.clone();
        let fields = ty.map(|ty| self.linked.instance_fields(ty));
        let closest = fields.and_then(|fields| {
            fields.iter().copied().find(|&candidate| self.linked.field(candidate).reference.name == reference.name)
        });
        let is_hidden = closest.is_some_and(|closest| closest != field);
        let step = AccessStep::Field { owner: is_hidden.then_some(reference.owner), name: reference.name };
        if let Some(entry) = self.view.entry_mut() {
            entry.set_step(ty, field, step.clone());
        }
        step
    }

    /// The run-time class; `Object` for hidden and generated classes.
    pub(super) fn class_of(&mut self, object: ObjectId) -> ClassName {
        let known = self.object(object);
        let (ty, is_made) = (known.ty, matches!(known.body, ObjectBody::Stub { .. } | ObjectBody::Lambda { .. }));
        match ty {
            Some(ty) if !is_made && self.linked.is_known(ty) => self.linked.class_name(ty),
            _ => ClassName::new("java/lang/Object"),
        }
    }

    /// The first object of the replay with the same recorded identity.
    pub(super) fn same_object(&self, object: ObjectId) -> ObjectId {
        let known = self.object(object);
        match known.ty {
            Some(ty) if known.hash != 0 => self.heap.object_with_identity(known.hash, ty).unwrap_or(object),
            _ => object,
        }
    }

    /// The instance fields of an object.
    pub(super) fn fields_of(&mut self, object: ObjectId) -> Vec<FieldIx> {
        let ty = self.object(object).ty;
        ty.map_or_else(Vec::new, |ty| self.linked.instance_fields(ty).to_vec())
    }
}
