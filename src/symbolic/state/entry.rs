//! The structural view's record of the entry heap: inputs, clauses and access paths, with a log for
//! checkpoints. Must not know the machine.

use std::collections::{HashMap, HashSet};

use super::super::data::ids::{FieldIx, TypeIx};
use super::super::data::values::{ObjectId, Slot};
use crate::program::MethodRef;
use crate::structure::{AccessPath, AccessStep, EntryHeap, EntryId, EntryValue, Root, StructuralClause, StructuralInput};

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
    pub(in crate::symbolic) place: HeapVariable,
    pub(in crate::symbolic) path: AccessPath,
}

/// An object with an access path.
#[derive(Clone, Debug)]
pub(crate) struct NamedObject {
    pub(in crate::symbolic) path: AccessPath,
    /// Whether its contents are the same in every run.
    pub(in crate::symbolic) is_constant: bool,
}

/// A clause about a reference, and its position among the clauses about values.
#[derive(Debug)]
pub(crate) struct ClausePosition {
    /// Clauses about values before it.
    pub(in crate::symbolic) behind: usize,
    /// Whether the condition was exact up to it.
    pub(in crate::symbolic) is_exact: bool,
    pub(in crate::symbolic) clause: StructuralClause,
}

/// One change that can be undone.
#[derive(Debug)]
pub(crate) enum EntryChange {
    Input,
    Mark,
    Pending(u16, AccessPath),
    Named(ObjectId),
    Touched(HeapVariable),
    Answer(HeapVariable),
    Copied(HeapVariable, Option<CopiedReference>),
    Constant(ObjectId),
    Root(Root, Option<EntryValue>),
    Part(EntryId, AccessStep, Option<EntryValue>),
}

/// The entry heap of the method under test, as far as the run has read it.
#[derive(Debug)]
pub(crate) struct StructuralEntry {
    pub(in crate::symbolic) method: MethodRef,
    pub(in crate::symbolic) inputs: Vec<StructuralInput>,
    pub(in crate::symbolic) marks: Vec<ClausePosition>,
    /// Parameters without a first use, by local variable.
    pub(in crate::symbolic) pending: HashMap<u16, AccessPath>,
    pub(in crate::symbolic) named: HashMap<ObjectId, NamedObject>,
    /// Variables read or written since the entry.
    pub(in crate::symbolic) touched: HashSet<HeapVariable>,
    /// References by the variable of their first read.
    pub(in crate::symbolic) answers: HashMap<HeapVariable, Slot>,
    pub(in crate::symbolic) copied: HashMap<HeapVariable, CopiedReference>,
    /// Objects of final static fields, which get a name when their identity matters.
    pub(in crate::symbolic) constants: HashMap<ObjectId, FieldIx>,
    pub(in crate::symbolic) steps: HashMap<(Option<TypeIx>, FieldIx), AccessStep>,
    pub(in crate::symbolic) heap: EntryHeap,
    /// Opaque calls before the entry.
    pub(in crate::symbolic) opaque_calls: u64,
    pub(in crate::symbolic) log: Vec<EntryChange>,
}

impl StructuralEntry {
    /// Undoes the changes behind a mark, which is an earlier length of the log.
    pub(crate) fn roll_back(&mut self, mark: usize) {
        while self.log.len() > mark {
            match self.log.pop() {
                Some(EntryChange::Input) => drop(self.inputs.pop()),
                Some(EntryChange::Mark) => drop(self.marks.pop()),
                Some(EntryChange::Pending(local, path)) => drop(self.pending.insert(local, path)),
                Some(EntryChange::Named(object)) => drop(self.named.remove(&object)),
                Some(EntryChange::Touched(place)) => drop(self.touched.remove(&place)),
                Some(EntryChange::Answer(place)) => drop(self.answers.remove(&place)),
                Some(EntryChange::Constant(object)) => drop(self.constants.remove(&object)),
                Some(EntryChange::Copied(place, None)) => drop(self.copied.remove(&place)),
                Some(EntryChange::Copied(place, Some(source))) => drop(self.copied.insert(place, source)),
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
