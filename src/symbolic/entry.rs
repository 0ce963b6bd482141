//! The structural view: what the method under test reads of the heap that it was entered with, as inputs and clauses by access paths. Flows in:
//! every read and write since the entry; flows out: a [`Structure`]. Must not know single instructions: they ask here before they use what
//! they read, and say here what they wrote. Without this view there is no [`Entry`], and nothing here runs.
//!
//! A *place* is a variable of the heap. Read first, it is asked for: its value becomes an input, or a clause says what the reference is. That
//! goes for a place of an object that a path leads to; where a reference is copied before anyone looks at it, its path goes with it.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use tracewright_classfile::Kind;

use super::View;
use super::linked::{Code, FieldIx, MethodIx, Op, SlotKind, TypeIx};
use super::machine::{InterpResult, Machine};
use super::models::kind_of_box;
use super::objects::{
    BuilderContents, Object, ObjectBody, ObjectId, Slot, StringBuilderContents, StringContents, SymbolicString,
};
use super::reason::UnsupportedReason;
use crate::expr::{Symbol, SymbolKind, TermId, Value};
use crate::path::{ClauseKind, PathCondition};
use crate::program::{ClassName, MethodRef};
use crate::structure::{
    AccessPath, AccessStep, EntryHeap, EntryId, EntryObject, EntryValue, InputType, Root, StructuralClause, StructuralCondition,
    StructuralInput, Structure,
};

/// Objects and parts of them that the picture of an entry heap shows before the run asks for more.
const OBJECTS: usize = 20_000;
const CELLS: u32 = 4_096;

/// A variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Place {
    Field(ObjectId, FieldIx),
    Cell(ObjectId, u32),
    Static(FieldIx),
}

/// Where a reference that nobody has asked for was copied from.
#[derive(Clone, Debug)]
struct Source {
    place: Place,
    path: AccessPath,
}

#[derive(Clone, Debug)]
struct Named {
    path: AccessPath,
    /// What it holds is the same in every run.
    is_constant: bool,
}

/// A clause about a reference, and where it stands among the others.
#[derive(Debug)]
struct Mark {
    /// Decisions before it.
    behind: usize,
    /// Nothing was concretised before it.
    is_exact: bool,
    clause: StructuralClause,
}

/// How to take one change back.
#[derive(Debug)]
enum Undo {
    Input,
    Mark,
    Pending(u16, AccessPath),
    Named(ObjectId),
    Touched(Place),
    Answer(Place),
    Copied(Place, Option<Source>),
    Constant(ObjectId),
    Root(Root, Option<EntryValue>),
    Part(EntryId, AccessStep, Option<EntryValue>),
}

/// What became of the entry heap so far.
#[derive(Debug)]
pub(crate) struct Entry {
    method: MethodRef,
    inputs: Vec<StructuralInput>,
    marks: Vec<Mark>,
    /// Arguments that were not loaded yet, by local variable.
    pending: HashMap<u16, AccessPath>,
    named: HashMap<ObjectId, Named>,
    /// Read or written since the entry.
    touched: HashSet<Place>,
    /// What the references were that were asked for.
    answers: HashMap<Place, Slot>,
    copied: HashMap<Place, Source>,
    /// Objects of final static fields, which get a name when one is needed.
    constants: HashMap<ObjectId, FieldIx>,
    steps: HashMap<(Option<TypeIx>, FieldIx), AccessStep>,
    heap: EntryHeap,
    /// Opaque calls before the entry.
    opaque_calls: u64,
    log: Vec<Undo>,
}

impl Machine<'_, '_> {
    // Begin and end.

    /// The method that a statement of the test case calls is entered: its frame is the current one. Does nothing in the other view, and where
    /// the statement is not the one under test.
    pub(crate) fn begin_entry(&mut self, method: MethodIx) {
        let target = self.test.target().map(|(index, _)| index);
        if self.config.view != View::Structural || target != Some(self.statement as usize) {
            return;
        }
        self.path = PathCondition::default();
        self.asserted.clear();
        let info = self.linked.method(method);
        let (reference, is_init, is_static) = (info.reference.clone(), info.is_init, info.is_static);
        let parameters = info.parameters.clone();
        self.entry = Some(Box::new(Entry {
            method: reference.clone(),
            inputs: Vec::new(),
            marks: Vec::new(),
            pending: HashMap::new(),
            named: HashMap::new(),
            touched: HashSet::new(),
            answers: HashMap::new(),
            copied: HashMap::new(),
            constants: HashMap::new(),
            steps: HashMap::new(),
            heap: EntryHeap::new(reference),
            opaque_calls: self.opaque_calls,
            log: Vec::new(),
        }));
        let mut roots = Vec::new();
        let mut local = u16::from(!is_static);
        // A constructor's object has no state yet.
        if !is_static && !is_init {
            roots.push((Root::This, SlotKind::Ref, 0));
        }
        for (index, &kind) in (0..).zip(parameters.iter()) {
            roots.push((Root::Argument(index), kind, local));
            local += 1 + u16::from(kind.is_wide());
        }
        self.picture(&roots);
        let mut asked = HashSet::new();
        for (root, kind, local) in roots {
            let path = AccessPath::new(root);
            if kind == SlotKind::Ref {
                asked.insert(local);
                if let Some(entry) = &mut self.entry {
                    entry.pending.insert(local, path);
                }
            } else if let Some(term) = self.input(&path, kind) {
                self.locals[self.top.locals + usize::from(local)].term = Some(term);
            }
        }
        self.top.code = Rc::new(watched(&self.top.code, &asked));
    }

    /// The method under test is done, or the replay is.
    pub(crate) fn end_entry(&mut self) {
        if self.entry.is_none() {
            return;
        }
        self.note_constants();
        let Some(entry) = self.entry.take() else { return };
        let Entry { method, inputs, marks, heap, .. } = *entry;
        let path = &self.path;
        let inexact_from = path.inexact_from.map(|from| from + marks.iter().filter(|mark| mark.is_exact).count());
        let mut clauses = Vec::with_capacity(path.clauses.len() + marks.len());
        let mut marks = marks.into_iter().peekable();
        for (index, clause) in path.clauses.iter().enumerate() {
            while let Some(mark) = marks.next_if(|mark| mark.behind <= index) {
                clauses.push(mark.clause);
            }
            clauses.push(StructuralClause::Value(clause.clone()));
        }
        clauses.extend(marks.map(|mark| mark.clause));
        let (signature, branches, dropped) = (path.signature, path.branches, path.dropped);
        let condition = StructuralCondition { method, inputs, clauses, signature, branches, dropped, inexact_from };
        self.structure = Some(Structure { condition, heap });
    }

    // What instructions read.

    /// A parameter that may not have been asked for.
    pub(crate) fn entry_local(&mut self, local: u16) -> InterpResult<Slot> {
        let at = self.top.locals + usize::from(local);
        let value = self.locals[at];
        let Some(entry) = &mut self.entry else { return Ok(value) };
        let Some(path) = entry.pending.remove(&local) else { return Ok(value) };
        entry.log.push(Undo::Pending(local, path.clone()));
        let asked = self.ask(&path, value)?;
        self.locals[at] = asked;
        Ok(asked)
    }

    pub(crate) fn entry_local_written(&mut self, local: u16) {
        if let Some(entry) = &mut self.entry
            && let Some(path) = entry.pending.remove(&local)
        {
            entry.log.push(Undo::Pending(local, path));
        }
    }

    /// A field that was read; `computed`: what was known before.
    pub(crate) fn entry_field(
        &mut self,
        object: ObjectId,
        field: FieldIx,
        value: Slot,
        computed: Option<Slot>,
    ) -> InterpResult<Slot> {
        if self.entry.is_none() || !matches!(self.object(object).body, ObjectBody::Fields(_) | ObjectBody::Stub { .. }) {
            return Ok(value);
        }
        let kind = self.linked.field(field).kind;
        match self.read(Place::Field(object, field), kind, value, computed)? {
            Some(asked) => {
                self.set_field(object, field, asked);
                Ok(asked)
            }
            None => Ok(value),
        }
    }

    /// The same of a cell.
    pub(crate) fn entry_cell(&mut self, array: ObjectId, at: u32, value: Slot, computed: Option<Slot>) -> InterpResult<Slot> {
        let ObjectBody::Array(cells) = &self.object(array).body else { return Ok(value) };
        match self.read(Place::Cell(array, at), cells.kind, value, computed)? {
            Some(asked) => {
                self.set_cell(array, at, asked);
                Ok(asked)
            }
            None => Ok(value),
        }
    }

    /// The same of a static field. What a final one refers to gets a name where it matters which object it is.
    pub(crate) fn entry_static(&mut self, field: FieldIx, value: Slot, computed: Option<Slot>) -> InterpResult<Slot> {
        let info = self.linked.field(field);
        if info.is_final || !self.is_recorded_class(info.owner) {
            self.entry_constant(field, value);
            return Ok(value);
        }
        let kind = info.kind;
        Ok(self.read(Place::Static(field), kind, value, computed)?.unwrap_or(value))
    }

    /// A static field of the library that interpreted code read.
    pub(crate) fn entry_constant(&mut self, field: FieldIx, value: Slot) {
        let info = self.linked.field(field);
        if !info.is_final || info.kind != SlotKind::Ref || value.object().is_null() || self.initialiser_depth > 0 {
            return;
        }
        let object = value.object();
        if is_value(&self.object(object).body) {
            return;
        }
        let Some(entry) = &mut self.entry else { return };
        if !entry.touched.contains(&Place::Static(field)) && !entry.constants.contains_key(&object) {
            entry.constants.insert(object, field);
            entry.log.push(Undo::Constant(object));
        }
    }

    /// What is written is no input any more.
    pub(crate) fn entry_field_written(&mut self, object: ObjectId, field: FieldIx) {
        self.touch(Place::Field(object, field));
    }

    pub(crate) fn entry_cell_written(&mut self, array: ObjectId, at: u32) {
        self.touch(Place::Cell(array, at));
    }

    pub(crate) fn entry_static_written(&mut self, field: FieldIx) {
        self.touch(Place::Static(field));
    }

    /// Two references are compared. Which input is which, the clauses say; a constant gets a name for it. Of strings and boxes only this is
    /// said: with other contents they are not the same; else the condition is not exact. `differ`: the outcome when they are not.
    pub(crate) fn entry_compared(&mut self, left: Slot, right: Slot, differ: u32) -> InterpResult<()> {
        let (a, b) = (left.object(), right.object());
        if self.entry.is_none() || a.is_null() || b.is_null() {
            return Ok(());
        }
        let (x, y) = (self.object(a), self.object(b));
        if x.ty.is_some() && y.ty.is_some() && x.ty != y.ty {
            return Ok(());
        }
        if is_value(&x.body) && is_value(&y.body) {
            return self.values_compared(left, right, differ);
        }
        let is_input = |machine: &Self, object| machine.entry.as_ref().is_some_and(|entry| entry.named.contains_key(&object));
        if !is_input(self, a) && !is_input(self, b) {
            return Ok(());
        }
        for object in [a, b] {
            let constant = self.entry.as_ref().and_then(|entry| entry.constants.get(&object).copied());
            if let Some(field) = constant {
                self.name_constant(field, object)?;
            } else if !is_input(self, object) && object.shared_index().is_some() {
                self.record_concretisation(UnsupportedReason::IdentityOfNonInput);
            }
        }
        Ok(())
    }

    fn values_compared(&mut self, left: Slot, right: Slot, differ: u32) -> InterpResult<()> {
        if let (ObjectBody::Boxed(x), ObjectBody::Boxed(y)) =
            (&self.object(left.object()).body, &self.object(right.object()).body)
        {
            let x = Slot { bits: x.bits, term: left.term.or(x.term) };
            let y = Slot { bits: y.bits, term: right.term.or(y.term) };
            let kind = kind_of_box(&self.type_name(left.object())).map_or(Kind::Float, SlotKind::kind);
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

    /// A model or native reads all of an array.
    pub(crate) fn entry_array(&mut self, array: ObjectId) -> InterpResult<()> {
        let ObjectBody::Array(cells) = &self.object(array).body else { return Ok(()) };
        let (length, kind) = (cells.length, cells.kind);
        if self.entry.is_none() || !self.is_involved(array)? {
            return Ok(());
        }
        if length > CELLS {
            self.record_concretisation(UnsupportedReason::LongArray);
            return Ok(());
        }
        for at in 0..length {
            let Some(value) = self.cell(array, at) else { continue };
            if let Some(asked) = self.read(Place::Cell(array, at), kind, value, Some(value))? {
                self.set_cell(array, at, asked);
            }
        }
        Ok(())
    }

    /// A symbolic index: an array is as long as it is. Small ones of primitives stay a choice between all cells; of others that hold inputs
    /// the index is what it is, too.
    pub(crate) fn entry_index(&mut self, array: ObjectId, at: u32, index: &mut Slot) -> InterpResult<()> {
        let Some(term) = index.term else { return Ok(()) };
        let ObjectBody::Array(cells) = &self.object(array).body else { return Ok(()) };
        let (length, kind) = (cells.length, cells.kind);
        if !self.is_involved(array)? {
            return self.pin_length(array);
        }
        let is_small = length as usize <= self.config.cells;
        if kind != SlotKind::Ref && is_small && (0..length).all(|at| self.cell(array, at).is_some()) {
            self.pin_length(array)?;
            return self.entry_array(array);
        }
        let mut ways = Vec::new();
        for cell in (0..length).filter(|&cell| cell == at || is_small) {
            let place = self.terms.int(cell as i32);
            ways.push((cell + 2, self.terms.eq(term, place)));
        }
        if let Some(&(outcome, holds)) = ways.iter().find(|(outcome, _)| *outcome == at + 2) {
            ways.retain(|(other, _)| *other != outcome);
            self.add_clause_with_alternatives(ClauseKind::Bounds, outcome, holds, ways)?;
        }
        index.term = None;
        Ok(())
    }

    /// Before a part of one array is copied to another: cells that are primitives are inputs, and lengths are what they are.
    pub(crate) fn entry_copy_begins(&mut self, source: ObjectId, destination: ObjectId, is_symbolic: bool) -> InterpResult<()> {
        if self.entry.is_none() {
            return Ok(());
        }
        for array in [source, destination] {
            if is_symbolic {
                self.pin_length(array)?;
            }
            if matches!(&self.object(array).body, ObjectBody::Array(cells) if cells.kind != SlotKind::Ref) {
                self.entry_array(array)?;
            }
        }
        Ok(())
    }

    /// References that were copied and not asked for take their paths along. To be said before the cells are.
    pub(crate) fn entry_copied(
        &mut self,
        source: ObjectId,
        from: u32,
        destination: ObjectId,
        to: u32,
        count: u32,
    ) -> InterpResult<()> {
        if self.entry.is_none() {
            return Ok(());
        }
        let mut sources = Vec::new();
        for offset in 0..count {
            sources.push(self.source_of(Place::Cell(source, from.wrapping_add(offset)))?);
        }
        for (offset, source) in (0..count).zip(sources) {
            self.take_along(source, Place::Cell(destination, to.wrapping_add(offset)));
        }
        Ok(())
    }

    /// `clone`: the same of all cells or fields. To be said before the copy is made.
    pub(crate) fn entry_clone_begins(&mut self, object: ObjectId) -> InterpResult<()> {
        if self.entry.is_none() {
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

    pub(crate) fn entry_cloned(&mut self, object: ObjectId, copy: ObjectId) -> InterpResult<()> {
        if self.entry.is_none() {
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
                        let source = self.source_of(Place::Field(object, field))?;
                        self.take_along(source, Place::Field(copy, field));
                    }
                }
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// Whether code that is not replayed gets at the entry heap through these references.
    pub(crate) fn entry_reached(&self, references: &[Slot]) -> bool {
        let Some(entry) = &self.entry else { return false };
        let mut pending: Vec<ObjectId> = references.iter().map(|slot| slot.object()).collect();
        let mut seen = HashSet::new();
        while let Some(id) = pending.pop() {
            if id.is_null() || !seen.insert(id) {
                continue;
            }
            if entry.named.get(&id).is_some_and(|named| !named.is_constant) {
                return true;
            }
            match &self.object(id).body {
                ObjectBody::Fields(fields) | ObjectBody::Stub { fields, .. } => {
                    for &(field, slot) in fields {
                        if self.linked.field(field).kind == SlotKind::Ref {
                            if entry.copied.contains_key(&Place::Field(id, field)) {
                                return true;
                            }
                            pending.push(slot.object());
                        }
                    }
                }
                ObjectBody::Array(cells) if cells.kind == SlotKind::Ref => {
                    if entry.copied.keys().any(|place| matches!(place, Place::Cell(array, _) if *array == id)) {
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

    /// An identity hash is nothing that a heap says.
    pub(crate) fn entry_hashed(&mut self) {
        if self.entry.is_some() {
            self.record_concretisation(UnsupportedReason::IdentityHash);
        }
    }

    // Layers.

    pub(crate) fn entry_mark(&self) -> usize {
        self.entry.as_ref().map_or(0, |entry| entry.log.len())
    }

    /// Takes back what was done since.
    pub(crate) fn undo_entry(&mut self, mark: usize) {
        let Some(entry) = &mut self.entry else { return };
        while entry.log.len() > mark {
            match entry.log.pop() {
                Some(Undo::Input) => drop(entry.inputs.pop()),
                Some(Undo::Mark) => drop(entry.marks.pop()),
                Some(Undo::Pending(local, path)) => drop(entry.pending.insert(local, path)),
                Some(Undo::Named(object)) => drop(entry.named.remove(&object)),
                Some(Undo::Touched(place)) => drop(entry.touched.remove(&place)),
                Some(Undo::Answer(place)) => drop(entry.answers.remove(&place)),
                Some(Undo::Constant(object)) => drop(entry.constants.remove(&object)),
                Some(Undo::Copied(place, None)) => drop(entry.copied.remove(&place)),
                Some(Undo::Copied(place, Some(source))) => drop(entry.copied.insert(place, source)),
                Some(Undo::Root(root, None)) => drop(entry.heap.roots.remove(&root)),
                Some(Undo::Root(root, Some(value))) => drop(entry.heap.roots.insert(root, value)),
                Some(Undo::Part(id, step, old)) => {
                    if let Some(object) = entry.heap.objects.get_mut(&id) {
                        match old {
                            Some(value) => drop(object.parts.insert(step, value)),
                            None => drop(object.parts.remove(&step)),
                        }
                    }
                }
                None => {}
            }
        }
    }

    /// Nothing is taken back from here.
    pub(crate) fn keep_entry(&mut self) {
        if let Some(entry) = &mut self.entry {
            entry.log.clear();
        }
    }

    // Places.

    fn touch(&mut self, place: Place) {
        let Some(entry) = &mut self.entry else { return };
        if entry.touched.insert(place) {
            entry.log.push(Undo::Touched(place));
        }
        if let Some(source) = entry.copied.remove(&place) {
            entry.log.push(Undo::Copied(place, Some(source)));
        }
    }

    /// What a read gives instead: an input, or the reference that was asked for. `None`: what is there anyway.
    fn read(&mut self, place: Place, kind: SlotKind, value: Slot, computed: Option<Slot>) -> InterpResult<Option<Slot>> {
        if self.initialiser_depth > 0 {
            return Ok(None);
        }
        let Some(source) = self.source_of(place)? else { return Ok(None) };
        self.touch(place);
        let entry_calls = self.entry.as_ref().map_or(0, |entry| entry.opaque_calls);
        if self.opaque_calls > entry_calls && computed.is_none_or(|computed| computed.bits != value.bits) {
            self.record_concretisation(UnsupportedReason::ChangedByOpaqueCode);
            return Ok(None);
        }
        if source.path.steps.len() > self.config.steps {
            self.record_concretisation(UnsupportedReason::LongAccessPath);
            return Ok(None);
        }
        if source.place == place {
            self.learn_part(place, &source.path, kind, value);
        }
        if kind != SlotKind::Ref {
            return Ok(self.input(&source.path, kind).map(|term| Slot { bits: value.bits, term: Some(term) }));
        }
        if let Some(&answer) = self.entry.as_ref().and_then(|entry| entry.answers.get(&source.place)) {
            return Ok(Some(answer));
        }
        let answer = self.ask(&source.path, value)?;
        if let Some(entry) = &mut self.entry {
            entry.answers.insert(source.place, answer);
            entry.log.push(Undo::Answer(source.place));
        }
        Ok(Some(answer))
    }

    /// What a place has of the entry heap; `None`: nothing that was not looked at, or written, since.
    fn source_of(&mut self, place: Place) -> InterpResult<Option<Source>> {
        let Some(entry) = &self.entry else { return Ok(None) };
        if let Some(source) = entry.copied.get(&place) {
            return Ok(Some(source.clone()));
        }
        if entry.touched.contains(&place) {
            return Ok(None);
        }
        let path = match place {
            Place::Static(field) => Some(AccessPath::new(self.root_of(field))),
            Place::Field(object, field) => {
                let ty = self.object(object).ty;
                self.path_of(object)?.map(|path| path.then(self.step_of(ty, field)))
            }
            Place::Cell(array, at) => self.path_of(array)?.map(|path| path.then(AccessStep::Cell(at))),
        };
        Ok(path.map(|path| Source { place, path }))
    }

    /// The path that leads to an object whose state is one of the inputs.
    fn path_of(&mut self, object: ObjectId) -> InterpResult<Option<AccessPath>> {
        let Some(entry) = &self.entry else { return Ok(None) };
        if let Some(named) = entry.named.get(&object) {
            return Ok((!named.is_constant).then(|| named.path.clone()));
        }
        let Some(&field) = entry.constants.get(&object) else { return Ok(None) };
        if !self.is_recorded_class(self.linked.field(field).owner) {
            return Ok(None);
        }
        self.name_constant(field, object)?;
        Ok(self.entry.as_ref().and_then(|entry| entry.named.get(&object)).map(|named| named.path.clone()))
    }

    fn take_along(&mut self, source: Option<Source>, to: Place) {
        self.touch(to);
        let Some(source) = source.filter(|source| source.place != to) else { return };
        let Some(entry) = &mut self.entry else { return };
        if !entry.answers.contains_key(&source.place) {
            let old = entry.copied.insert(to, source);
            entry.log.push(Undo::Copied(to, old));
        }
    }

    /// Whether cells of the array are inputs, or references that nobody asked for.
    fn is_involved(&mut self, array: ObjectId) -> InterpResult<bool> {
        if self.path_of(array)?.is_some() {
            return Ok(true);
        }
        let is_cell = |place: &Place| matches!(place, Place::Cell(of, _) if *of == array);
        Ok(self.entry.as_ref().is_some_and(|entry| entry.copied.keys().any(is_cell)))
    }

    fn cell(&self, array: ObjectId, at: u32) -> Option<Slot> {
        let object = self.object(array);
        let ObjectBody::Array(cells) = &object.body else { return None };
        cells.get(at).or(object.zeroed.then_some(Slot::ZERO))
    }

    /// From here on the array is as long as it is.
    fn pin_length(&mut self, array: ObjectId) -> InterpResult<()> {
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

    /// Says what a reference of the entry heap is.
    fn ask(&mut self, path: &AccessPath, value: Slot) -> InterpResult<Slot> {
        let object = value.object();
        if object.is_null() {
            self.mark(StructuralClause::Null(path.clone()));
            return Ok(value);
        }
        let class = self.class_of(object);
        match &self.object(object).body {
            ObjectBody::Boxed(_) => {
                self.mark(StructuralClause::Present(path.clone(), class.clone()));
                let Some(kind) = kind_of_box(class.internal()) else { return Ok(value) };
                let term = self.input(&path.then(content_step()), kind);
                return Ok(Slot { bits: value.bits, term });
            }
            ObjectBody::Str(StringContents { units: Some(units), .. }) => {
                let units = units.clone();
                self.mark(StructuralClause::Present(path.clone(), class));
                return self.text_input(path, value, units);
            }
            ObjectBody::Str(_) => {
                self.mark(StructuralClause::Present(path.clone(), class));
                self.record_concretisation(UnsupportedReason::UnknownString);
                return Ok(value);
            }
            _ => {}
        }
        let same = self.same_object(object);
        let earlier = self.entry.as_ref().and_then(|entry| entry.named.get(&same)).cloned();
        if let Some(Named { path: earlier, is_constant }) = earlier {
            self.mark(StructuralClause::Alias(path.clone(), earlier.clone()));
            if same != object {
                self.set_path(object, Named { path: earlier, is_constant });
            }
            return Ok(value);
        }
        self.mark(StructuralClause::Fresh(path.clone(), class));
        let is_constant = object.shared_index().is_some();
        self.set_path(object, Named { path: path.clone(), is_constant });
        if is_constant {
            // All runs share it: what it holds is no input, but that it is this one must be said.
            if !matches!(path.root, Root::Static { .. }) || !path.steps.is_empty() {
                match self.constant_of(object) {
                    Some(root) => {
                        self.learn_root(root.clone(), SlotKind::Ref, value);
                        self.mark(StructuralClause::Alias(AccessPath::new(root), path.clone()));
                    }
                    None => self.record_concretisation(UnsupportedReason::SharedObject),
                }
            }
            return Ok(value);
        }
        self.open_object(object, path);
        Ok(value)
    }

    /// What an object that was named holds besides fields and cells.
    fn open_object(&mut self, object: ObjectId, path: &AccessPath) {
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
                match self.symbolic_text(path, units.len()) {
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

    /// A string object of this path alone: others that the JVM has made one of it have texts of their own.
    fn text_input(&mut self, path: &AccessPath, value: Slot, units: Rc<[u16]>) -> InterpResult<Slot> {
        let Some(symbolic) = self.symbolic_text(path, units.len()) else {
            self.record_concretisation(UnsupportedReason::LongString);
            return Ok(value);
        };
        let hash = self.object(value.object()).hash;
        let body = ObjectBody::Str(StringContents { units: Some(units), symbolic: Some(Rc::new(symbolic)) });
        let object = self.allocate(Object { ty: Some(self.string), hash, zeroed: false, escaped: true, body })?;
        Ok(Slot::reference(object))
    }

    /// `None`: too long.
    fn symbolic_text(&mut self, path: &AccessPath, length: usize) -> Option<SymbolicString> {
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

    fn input(&mut self, path: &AccessPath, kind: SlotKind) -> Option<TermId> {
        let kind = match kind {
            SlotKind::Boolean => SymbolKind::Boolean,
            SlotKind::Byte => SymbolKind::Byte,
            SlotKind::Char => SymbolKind::Char,
            SlotKind::Short => SymbolKind::Short,
            SlotKind::Int => SymbolKind::Int,
            SlotKind::Long => SymbolKind::Long,
            SlotKind::Float => SymbolKind::Float,
            SlotKind::Double => SymbolKind::Double,
            SlotKind::Ref => return None,
        };
        self.new_input(path, kind)
    }

    fn new_input(&mut self, path: &AccessPath, kind: SymbolKind) -> Option<TermId> {
        let number = self.add_input(path, InputType::Primitive(kind))?;
        Some(self.terms.symbol(Symbol::value(number), kind))
    }

    fn add_input(&mut self, path: &AccessPath, ty: InputType) -> Option<u32> {
        let entry = self.entry.as_mut()?;
        entry.inputs.push(StructuralInput { path: path.clone(), ty });
        entry.log.push(Undo::Input);
        Some(entry.inputs.len() as u32 - 1)
    }

    fn mark(&mut self, clause: StructuralClause) {
        let (behind, is_exact) = (self.path.clauses.len(), self.path.inexact_from.is_none());
        let Some(entry) = &mut self.entry else { return };
        if behind + entry.marks.len() >= self.config.clauses {
            self.path.dropped += 1;
            return;
        }
        entry.marks.push(Mark { behind, is_exact, clause });
        entry.log.push(Undo::Mark);
    }

    fn set_path(&mut self, object: ObjectId, named: Named) {
        if let Some(entry) = &mut self.entry {
            entry.named.insert(object, named);
            entry.log.push(Undo::Named(object));
        }
    }

    fn name_constant(&mut self, field: FieldIx, object: ObjectId) -> InterpResult<()> {
        let place = Place::Static(field);
        let Some(entry) = &self.entry else { return Ok(()) };
        if entry.touched.contains(&place) {
            return Ok(());
        }
        self.touch(place);
        let root = self.root_of(field);
        self.learn_root(root.clone(), SlotKind::Ref, Slot::reference(object));
        self.ask(&AccessPath::new(root), Slot::reference(object))?;
        Ok(())
    }

    // Names.

    fn root_of(&self, field: FieldIx) -> Root {
        let reference = &self.linked.field(field).reference;
        Root::Static { owner: reference.owner.clone(), name: reference.name.clone() }
    }

    /// The final static field of the library whose object all runs share.
    fn constant_of(&self, object: ObjectId) -> Option<Root> {
        let fields = self.linked.shared_heap.known_statics().filter(|(_, value)| value.object() == object);
        let references = fields.filter(|(field, _)| self.linked.field(*field).kind == SlotKind::Ref);
        references.map(|(field, _)| self.root_of(field)).min()
    }

    /// How objects of the class name the field: by the declaring class where another field of the name is closer.
    fn step_of(&mut self, ty: Option<TypeIx>, field: FieldIx) -> AccessStep {
        if let Some(step) = self.entry.as_ref().and_then(|entry| entry.steps.get(&(ty, field))) {
            return step.clone();
        }
        let reference = self.linked.field(field).reference.clone();
        let fields = ty.map(|ty| self.linked.instance_fields(ty));
        let closest = fields.and_then(|fields| {
            fields.iter().copied().find(|&candidate| self.linked.field(candidate).reference.name == reference.name)
        });
        let is_hidden = closest.is_some_and(|closest| closest != field);
        let step = AccessStep::Field { owner: is_hidden.then_some(reference.owner), name: reference.name };
        if let Some(entry) = &mut self.entry {
            entry.steps.insert((ty, field), step.clone());
        }
        step
    }

    /// Run-time class, as other JVMs would know it.
    fn class_of(&mut self, object: ObjectId) -> ClassName {
        let known = self.object(object);
        let (ty, is_made) = (known.ty, matches!(known.body, ObjectBody::Stub { .. } | ObjectBody::Lambda { .. }));
        match ty {
            Some(ty) if !is_made && self.linked.is_known(ty) => self.linked.class_name(ty),
            _ => ClassName::new("java/lang/Object"),
        }
    }

    /// The first object of the replay that the recording calls by the same name.
    fn same_object(&self, object: ObjectId) -> ObjectId {
        let known = self.object(object);
        match known.ty {
            Some(ty) if known.hash != 0 => self.by_identity.get(&(known.hash, ty)).copied().unwrap_or(object),
            _ => object,
        }
    }

    fn fields_of(&mut self, object: ObjectId) -> Vec<FieldIx> {
        let ty = self.object(object).ty;
        ty.map_or_else(Vec::new, |ty| self.linked.instance_fields(ty).to_vec())
    }

    // The picture of the heap.

    /// Draws what is known at the entry.
    fn picture(&mut self, roots: &[(Root, SlotKind, u16)]) {
        let mut heap = EntryHeap::new(self.entry.as_ref().map_or_else(nowhere, |entry| entry.method.clone()));
        let mut pending = Vec::new();
        for (root, kind, local) in roots {
            let value = self.locals[self.top.locals + usize::from(*local)];
            heap.roots.insert(root.clone(), self.drawn(*kind, value, &mut pending));
        }
        let mut statics: Vec<(Root, SlotKind, Slot)> = Vec::new();
        for (&field, &value) in &self.statics {
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
        if let Some(entry) = &mut self.entry {
            entry.heap = heap;
        }
    }

    fn drawn(&self, kind: SlotKind, value: Slot, pending: &mut Vec<ObjectId>) -> EntryValue {
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

    fn drawn_object(&mut self, object: ObjectId, pending: &mut Vec<ObjectId>) -> EntryObject {
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
                if let Some(kind) = kind_of_box(drawn.class.internal()) {
                    drawn.parts.insert(content_step(), self.drawn(kind, *content, pending));
                }
            }
            ObjectBody::Str(text) => drawn.text = text.units.as_ref().map(|units| units.to_vec()),
            ObjectBody::Builder(builder) => drawn.text = builder.text.as_ref().map(|text| text.units.clone()),
            _ => {}
        }
        drawn
    }

    /// A part of the entry heap as the run found it.
    fn learn_part(&mut self, place: Place, path: &AccessPath, kind: SlotKind, value: Slot) {
        let object = match place {
            Place::Static(_) => return self.learn_root(path.root.clone(), kind, value),
            Place::Field(object, _) | Place::Cell(object, _) => object,
        };
        let (owner, Some(step)) = (EntryId(self.same_object(object).0), path.steps.last()) else { return };
        let drawn = self.learned(kind, value);
        if !self.entry.as_ref().is_some_and(|entry| entry.heap.objects.contains_key(&owner)) {
            self.learn_object(object);
        }
        let Some(entry) = &mut self.entry else { return };
        if let Some(known) = entry.heap.objects.get_mut(&owner)
            && known.parts.get(step) != Some(&drawn)
        {
            let old = known.parts.insert(step.clone(), drawn);
            entry.log.push(Undo::Part(owner, step.clone(), old));
        }
    }

    fn learn_root(&mut self, root: Root, kind: SlotKind, value: Slot) {
        let drawn = self.learned(kind, value);
        let Some(entry) = &mut self.entry else { return };
        if entry.heap.roots.get(&root) != Some(&drawn) {
            let old = entry.heap.roots.insert(root.clone(), drawn);
            entry.log.push(Undo::Root(root, old));
        }
    }

    fn learned(&mut self, kind: SlotKind, value: Slot) -> EntryValue {
        let mut found = Vec::new();
        let drawn = self.drawn(kind, value, &mut found);
        for object in found {
            let id = EntryId(self.same_object(object).0);
            if !self.entry.as_ref().is_some_and(|entry| entry.heap.objects.contains_key(&id)) {
                self.learn_object(object);
            }
        }
        drawn
    }

    /// An object that the picture does not show: only what never changes is sure.
    fn learn_object(&mut self, object: ObjectId) {
        let mut drawn = EntryObject { class: self.class_of(object), parts: Default::default(), text: None };
        match &self.object(object).body {
            ObjectBody::Array(cells) => {
                drawn.parts.insert(AccessStep::Length, EntryValue::Primitive(Value::Int(cells.length as i32)));
            }
            ObjectBody::Boxed(_) | ObjectBody::Str(_) => drawn = self.drawn_object(object, &mut Vec::new()),
            // A text that nobody has changed: it is named right now.
            ObjectBody::Builder(builder) => drawn.text = builder.text.as_ref().map(|text| text.units.clone()),
            _ => {}
        }
        let id = EntryId(self.same_object(object).0);
        if let Some(entry) = &mut self.entry {
            entry.heap.objects.insert(id, drawn);
        }
    }

    /// The constants of the library, for conditions of other runs that speak of them.
    fn note_constants(&mut self) {
        let constants: Vec<(FieldIx, Slot)> = self.linked.shared_heap.known_statics().collect();
        for (field, value) in constants {
            let info = self.linked.field(field);
            if info.kind == SlotKind::Ref && info.is_final && !is_value(&self.object(value.object()).body) {
                let root = self.root_of(field);
                if self.entry.as_ref().is_some_and(|entry| !entry.heap.roots.contains_key(&root)) {
                    self.learn_root(root, SlotKind::Ref, value);
                }
            }
        }
    }
}

/// What is asked for by value.
fn is_value(body: &ObjectBody) -> bool {
    matches!(body, ObjectBody::Str(_) | ObjectBody::Boxed(_))
}

/// What a box holds.
fn content_step() -> AccessStep {
    AccessStep::Field { owner: None, name: "value".into() }
}

fn nowhere() -> MethodRef {
    MethodRef::new(ClassName::new("java/lang/Object"), "<init>", "()V")
}

/// The code with every use of these parameters watched.
fn watched(code: &Code, locals: &HashSet<u16>) -> Code {
    let mut code = code.clone();
    for instr in &mut code.ops {
        instr.op = match instr.op {
            Op::Load(local) if locals.contains(&local) => Op::LoadInput(local),
            Op::Store(local) if locals.contains(&local) => Op::StoreInput(local),
            op => op,
        };
    }
    code
}
