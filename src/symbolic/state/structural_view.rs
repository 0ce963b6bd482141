//! The structural view's record of the entry heap: inputs, clauses and access paths, with a log for
//! checkpoints. In: first reads and writes since the entry; out: a [`Structure`]. In the parametric
//! view there is no entry and every part of this module does nothing. Must not know objects of the
//! heap.

use std::collections::{HashMap, HashSet};

use super::super::data::ids::{FieldIx, TypeIx};
use super::super::data::values::{ObjectId, Slot};
use crate::path::PathCondition;
use crate::program::MethodRef;
use crate::structure::{
    AccessPath, AccessStep, EntryHeap, EntryId, EntryObject, EntryValue, Root, StructuralClause, StructuralCondition,
    StructuralInput, Structure,
};

/// A variable of the heap.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum HeapVariable {
    Field(ObjectId, FieldIx),
    Cell(ObjectId, u32),
    Static(FieldIx),
}

/// The origin of a copied reference without a first read.
#[derive(Clone, Debug)]
pub(crate) struct CopiedReference {
    pub(crate) variable: HeapVariable,
    pub(crate) path: AccessPath,
}

/// An object with an access path.
#[derive(Clone, Debug)]
pub(crate) struct NamedObject {
    pub(crate) path: AccessPath,
    /// Whether its contents are the same in every run.
    pub(crate) is_constant: bool,
}

/// A clause about a reference, and its position among the clauses about values.
#[derive(Debug)]
struct ClausePosition {
    /// Number of clauses about values before it.
    behind: usize,
    /// Whether the condition was exact up to it.
    is_exact: bool,
    clause: StructuralClause,
}

/// One change that can be undone.
#[derive(Debug)]
enum EntryChange {
    Input,
    Clause,
    Pending(u16, AccessPath),
    Named(ObjectId),
    Touched(HeapVariable),
    FirstRead(HeapVariable),
    Copied(HeapVariable, Option<CopiedReference>),
    Constant(ObjectId),
    Root(Root, Option<EntryValue>),
    Part(EntryId, AccessStep, Option<EntryValue>),
}

/// The entry heap of the method under test, as far as the run has read it.
#[derive(Debug)]
pub(crate) struct StructuralEntry {
    inputs: Vec<StructuralInput>,
    clauses: Vec<ClausePosition>,
    /// Parameters without a first use, by local variable.
    pending: HashMap<u16, AccessPath>,
    named: HashMap<ObjectId, NamedObject>,
    /// Variables read or written since the entry.
    touched: HashSet<HeapVariable>,
    /// References by the variable of their first read.
    first_reads: HashMap<HeapVariable, Slot>,
    copied: HashMap<HeapVariable, CopiedReference>,
    /// Objects of final static fields, which get a name when their identity matters.
    constants: HashMap<ObjectId, FieldIx>,
    /// Access steps of fields, which depend on the class alone and are never undone.
    steps: HashMap<(Option<TypeIx>, FieldIx), AccessStep>,
    heap: EntryHeap,
    /// Opaque calls before the entry.
    opaque_calls: u64,
    log: Vec<EntryChange>,
}

impl StructuralEntry {
    /// An entry without a read. `opaque_calls`: number of opaque calls before it.
    fn new(method: MethodRef, opaque_calls: u64) -> StructuralEntry {
        StructuralEntry {
            inputs: Vec::new(),
            clauses: Vec::new(),
            pending: HashMap::new(),
            named: HashMap::new(),
            touched: HashSet::new(),
            first_reads: HashMap::new(),
            copied: HashMap::new(),
            constants: HashMap::new(),
            steps: HashMap::new(),
            heap: EntryHeap::new(method),
            opaque_calls,
            log: Vec::new(),
        }
    }

    /// Number of opaque calls before the entry.
    pub(crate) fn opaque_calls(&self) -> u64 {
        self.opaque_calls
    }

    // Parameters.

    /// Adds a reference parameter that is read at its first use. Not undone: it is part of the
    /// entry itself.
    pub(crate) fn add_parameter(&mut self, local: u16, path: AccessPath) {
        self.pending.insert(local, path);
    }

    /// The access path of a parameter at its first use, which is now over; `None`: it was used or
    /// overwritten before.
    pub(crate) fn use_parameter(&mut self, local: u16) -> Option<AccessPath> {
        let path = self.pending.remove(&local)?;
        self.log.push(EntryChange::Pending(local, path.clone()));
        Some(path)
    }

    // Variables.

    /// Whether the variable was read or written since the entry.
    pub(crate) fn is_touched(&self, variable: HeapVariable) -> bool {
        self.touched.contains(&variable)
    }

    /// Marks a variable as read or written. A reference copied into it is gone.
    pub(crate) fn touch(&mut self, variable: HeapVariable) {
        if self.touched.insert(variable) {
            self.log.push(EntryChange::Touched(variable));
        }
        if let Some(source) = self.copied.remove(&variable) {
            self.log.push(EntryChange::Copied(variable, Some(source)));
        }
    }

    /// The origin of the reference that was copied into a variable and not read since.
    pub(crate) fn copied(&self, variable: HeapVariable) -> Option<&CopiedReference> {
        self.copied.get(&variable)
    }

    /// Whether a cell of the array holds a copied reference without a first read.
    pub(crate) fn has_copied_cell(&self, array: ObjectId) -> bool {
        self.copied.keys().any(|variable| matches!(variable, HeapVariable::Cell(of, _) if *of == array))
    }

    /// Records a copy of a reference. Does nothing where the origin had its first read.
    pub(crate) fn record_copy(&mut self, source: CopiedReference, to: HeapVariable) {
        if !self.first_reads.contains_key(&source.variable) {
            let old = self.copied.insert(to, source);
            self.log.push(EntryChange::Copied(to, old));
        }
    }

    /// The reference that the first read of a variable gave.
    pub(crate) fn first_read(&self, variable: HeapVariable) -> Option<Slot> {
        self.first_reads.get(&variable).copied()
    }

    /// Records the reference that the first read of a variable gave.
    pub(crate) fn record_first_read(&mut self, variable: HeapVariable, value: Slot) {
        self.first_reads.insert(variable, value);
        self.log.push(EntryChange::FirstRead(variable));
    }

    // Names.

    /// The access path of an object; `None`: it has no name.
    pub(crate) fn named(&self, object: ObjectId) -> Option<&NamedObject> {
        self.named.get(&object)
    }

    /// Sets the access path of an object.
    pub(crate) fn set_name(&mut self, object: ObjectId, named: NamedObject) {
        self.named.insert(object, named);
        self.log.push(EntryChange::Named(object));
    }

    /// The final static field that an object was read from.
    pub(crate) fn constant(&self, object: ObjectId) -> Option<FieldIx> {
        self.constants.get(&object).copied()
    }

    /// Records that an object was read from a final static field, unless the field or the object
    /// was read before.
    pub(crate) fn record_constant(&mut self, object: ObjectId, field: FieldIx) {
        if !self.is_touched(HeapVariable::Static(field)) && !self.constants.contains_key(&object) {
            self.constants.insert(object, field);
            self.log.push(EntryChange::Constant(object));
        }
    }

    /// The access step to a field of an object of a class, if it was asked for before.
    pub(crate) fn step(&self, ty: Option<TypeIx>, field: FieldIx) -> Option<&AccessStep> {
        self.steps.get(&(ty, field))
    }

    /// Sets the access step to a field of an object of a class.
    pub(crate) fn set_step(&mut self, ty: Option<TypeIx>, field: FieldIx, step: AccessStep) {
        self.steps.insert((ty, field), step);
    }

    // Inputs and clauses.

    /// Adds an input and returns its number.
    pub(crate) fn add_input(&mut self, input: StructuralInput) -> u32 {
        self.inputs.push(input);
        self.log.push(EntryChange::Input);
        self.inputs.len() as u32 - 1
    }

    /// Number of clauses about references.
    pub(crate) fn clauses(&self) -> usize {
        self.clauses.len()
    }

    /// Adds a clause about a reference after the clauses of the path.
    pub(crate) fn add_clause(&mut self, path: &PathCondition, clause: StructuralClause) {
        let position = ClausePosition { behind: path.clauses.len(), is_exact: path.inexact_from.is_none(), clause };
        self.clauses.push(position);
        self.log.push(EntryChange::Clause);
    }

    // The picture of the entry heap.

    /// The entry heap as far as it is known.
    pub(crate) fn heap(&self) -> &EntryHeap {
        &self.heap
    }

    /// Sets the entry heap as it is known at the entry. Not undone.
    pub(crate) fn set_heap(&mut self, heap: EntryHeap) {
        self.heap = heap;
    }

    /// Adds an object to the entry heap. Not undone: its immutable contents hold anyway.
    pub(crate) fn add_object(&mut self, id: EntryId, object: EntryObject) {
        self.heap.objects.insert(id, object);
    }

    /// Sets a root of the entry heap.
    pub(crate) fn set_root(&mut self, root: Root, value: EntryValue) {
        if self.heap.roots.get(&root) != Some(&value) {
            let old = self.heap.roots.insert(root.clone(), value);
            self.log.push(EntryChange::Root(root, old));
        }
    }

    /// Sets a part of an object of the entry heap. Does nothing for an unknown object.
    pub(crate) fn set_part(&mut self, id: EntryId, step: &AccessStep, value: EntryValue) {
        if let Some(object) = self.heap.objects.get_mut(&id)
            && object.parts.get(step) != Some(&value)
        {
            let old = object.parts.insert(step.clone(), value);
            self.log.push(EntryChange::Part(id, step.clone(), old));
        }
    }

    /// The structure of the run: the clauses about references between those of the path.
    fn into_structure(self, path: &PathCondition) -> Structure {
        let exact = self.clauses.iter().filter(|position| position.is_exact).count();
        let mut clauses = Vec::with_capacity(path.clauses.len() + self.clauses.len());
        let mut positions = self.clauses.into_iter().peekable();
        for (index, clause) in path.clauses.iter().enumerate() {
            while let Some(position) = positions.next_if(|position| position.behind <= index) {
                clauses.push(position.clause);
            }
            clauses.push(StructuralClause::Value(clause.clone()));
        }
        clauses.extend(positions.map(|position| position.clause));
        let condition = StructuralCondition {
            method: self.heap.method.clone(),
            inputs: self.inputs,
            clauses,
            signature: path.signature,
            branches: path.branches,
            dropped: path.dropped,
            inexact_from: path.inexact_from.map(|from| from + exact),
        };
        Structure { condition, heap: self.heap }
    }

    /// Undoes the changes behind a mark, which is an earlier length of the log.
    fn roll_back(&mut self, mark: usize) {
        while self.log.len() > mark {
            match self.log.pop() {
                Some(EntryChange::Input) => drop(self.inputs.pop()),
                Some(EntryChange::Clause) => drop(self.clauses.pop()),
                Some(EntryChange::Pending(local, path)) => drop(self.pending.insert(local, path)),
                Some(EntryChange::Named(object)) => drop(self.named.remove(&object)),
                Some(EntryChange::Touched(variable)) => drop(self.touched.remove(&variable)),
                Some(EntryChange::FirstRead(variable)) => drop(self.first_reads.remove(&variable)),
                Some(EntryChange::Constant(object)) => drop(self.constants.remove(&object)),
                Some(EntryChange::Copied(variable, None)) => drop(self.copied.remove(&variable)),
                Some(EntryChange::Copied(variable, Some(source))) => drop(self.copied.insert(variable, source)),
                Some(EntryChange::Root(root, None)) => drop(self.heap.roots.remove(&root)),
                Some(EntryChange::Root(root, Some(value))) => drop(self.heap.roots.insert(root, value)),
                Some(EntryChange::Part(id, step, old)) => {
                    if let Some(object) = self.heap.objects.get_mut(&id) {
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
}

/// The structural view of one replay: nothing before the method under test is entered, and in the
/// parametric view.
#[derive(Debug, Default)]
pub(crate) struct StructuralView {
    /// While the method under test runs.
    entry: Option<Box<StructuralEntry>>,
    /// Lengths of the entry's log when checkpoints began.
    marks: Vec<usize>,
    /// After the method under test has ended.
    structure: Option<Structure>,
}

impl StructuralView {
    /// Whether the method under test runs in the structural view.
    #[inline]
    pub(crate) fn is_active(&self) -> bool {
        self.entry.is_some()
    }

    /// The entry while the method under test runs.
    pub(crate) fn entry(&self) -> Option<&StructuralEntry> {
        self.entry.as_deref()
    }

    /// The entry for a change.
    pub(crate) fn entry_mut(&mut self) -> Option<&mut StructuralEntry> {
        self.entry.as_deref_mut()
    }

    /// Begins at the entry of a method. `opaque_calls`: number of opaque calls before it.
    pub(crate) fn begin_entry(&mut self, method: MethodRef, opaque_calls: u64) {
        self.entry = Some(Box::new(StructuralEntry::new(method, opaque_calls)));
    }

    /// Ends at the exit of the method, whose path is complete.
    pub(crate) fn end_entry(&mut self, path: &PathCondition) {
        if let Some(entry) = self.entry.take() {
            self.structure = Some(entry.into_structure(path));
        }
    }

    /// The structure of the run, if the method under test was entered and has ended.
    pub(crate) fn into_structure(self) -> Option<Structure> {
        self.structure
    }

    // Checkpoints.

    /// Begins a checkpoint.
    pub(crate) fn begin(&mut self) {
        self.marks.push(self.entry.as_ref().map_or(0, |entry| entry.log.len()));
    }

    /// Ends the innermost checkpoint and keeps the changes since.
    pub(crate) fn commit(&mut self) {
        self.marks.pop();
        if self.marks.is_empty()
            && let Some(entry) = &mut self.entry
        {
            entry.log.clear();
        }
    }

    /// Ends the innermost checkpoint and undoes the changes since.
    pub(crate) fn roll_back(&mut self) {
        if let (Some(mark), Some(entry)) = (self.marks.pop(), &mut self.entry) {
            entry.roll_back(mark);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::program::ClassName;

    fn view() -> StructuralView {
        let mut view = StructuralView::default();
        view.begin_entry(MethodRef::new(ClassName::new("A"), "f", "(LA;)V"), 0);
        view
    }

    #[test]
    fn roll_back_restores_the_first_use_of_a_parameter() {
        let mut view = view();
        let path = AccessPath::new(Root::Argument(0));
        let entry = view.entry_mut().expect("entered");
        entry.add_parameter(1, path.clone());
        view.begin();
        let entry = view.entry_mut().expect("entered");
        assert_eq!(entry.use_parameter(1), Some(path.clone()));
        assert_eq!(entry.use_parameter(1), None);
        entry.add_clause(&PathCondition::default(), StructuralClause::Null(path.clone()));
        view.roll_back();
        let entry = view.entry_mut().expect("entered");
        assert_eq!((entry.clauses(), entry.use_parameter(1)), (0, Some(path)));
    }

    #[test]
    fn a_write_ends_a_copied_reference() {
        let mut view = view();
        let (from, to) = (HeapVariable::Cell(ObjectId(1), 0), HeapVariable::Cell(ObjectId(2), 0));
        let entry = view.entry_mut().expect("entered");
        entry.record_copy(CopiedReference { variable: from, path: AccessPath::new(Root::This) }, to);
        assert!(entry.has_copied_cell(ObjectId(2)));
        view.begin();
        view.entry_mut().expect("entered").touch(to);
        assert!(!view.entry().expect("entered").has_copied_cell(ObjectId(2)));
        view.roll_back();
        assert!(view.entry().expect("entered").has_copied_cell(ObjectId(2)));
    }
}
