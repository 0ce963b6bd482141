//! Layers of the replay's state: what is done in one can be taken back as a whole. Flows in: every change to what a run holds; flows out:
//! the state as it was when the layer began. Terms and decoded code stay: they say nothing about a run. Must not know why a layer is made.

use std::collections::HashMap;
use std::rc::Rc;

use super::ReplayStats;
use super::linked::{FieldIx, TypeIx};
use super::machine::Machine;
use super::objects::{Object, ObjectBody, ObjectId, Slot};
use crate::expr::{Interval, TermId};
use crate::path::PathCondition;
use crate::recording::EventCursor;

/// How to take one change back.
#[derive(Debug)]
enum Undo {
    Object(ObjectId, Box<Object>),
    Cell(ObjectId, u32, Option<Slot>),
    Field(ObjectId, FieldIx, Option<Slot>),
    Static(FieldIx, Option<Slot>),
    Identity((u32, TypeIx), Option<ObjectId>),
    Unhashed(TypeIx, Option<Vec<ObjectId>>),
    Held(TermId),
    Known(TermId, Option<Interval>),
    Concretised(String),
    Interned(Rc<[u16]>),
    Mirror(TypeIx),
    Hidden(ObjectId),
}

/// The changes since the outermost layer began.
#[derive(Debug, Default)]
pub(crate) struct Journal {
    log: Vec<Undo>,
    /// Where each object was last written down whole.
    whole: HashMap<ObjectId, usize>,
}

/// One layer: where the state was when it began.
#[derive(Debug)]
pub(crate) struct Layer<'a> {
    log: usize,
    /// Objects from here on were made in the layer.
    heap: usize,
    /// The same of shared objects.
    pub(crate) shared: usize,
    allocated: usize,
    cursor: EventCursor<'a>,
    clauses: usize,
    concrete_branches: usize,
    dropped: u64,
    signature: u64,
    branches: u64,
    inexact_from: Option<usize>,
    callers: usize,
    stack: usize,
    locals: usize,
    nesting: usize,
    opaque_calls: u64,
    entry: usize,
    counts: [u64; 8],
    /// The limit of interpreted instructions around the layer.
    pub(crate) limit: u64,
    pub(crate) spent: u64,
    /// Objects were read that opaque code may have changed.
    pub(crate) stale: Vec<ObjectId>,
    /// A mutable field of a shared object was read: what the JVM's has there may be something else.
    pub(crate) library_state: bool,
    /// A shared object from before the layer was written while a class was initialised.
    pub(crate) reached_out: bool,
}

/// What a layer that is taken back did not count.
fn counts(stats: &mut ReplayStats) -> [&mut u64; 8] {
    [
        &mut stats.executed,
        &mut stats.replayed,
        &mut stats.checked,
        &mut stats.resyncs,
        &mut stats.identity_ambiguous,
        &mut stats.interpreted_instructions,
        &mut stats.interpreted_calls,
        &mut stats.opaque_calls,
    ]
}

impl<'a> Machine<'a, '_> {
    pub(crate) fn begin_layer(&mut self) {
        let counts = counts(&mut self.stats).map(|count| *count);
        let PathCondition { clauses, concrete_branches, signature, branches, dropped, inexact_from } = &self.path;
        self.layers.push(Layer {
            log: self.journal.log.len(),
            heap: self.heap.len(),
            shared: self.linked.shared_heap.len(),
            allocated: self.allocated,
            cursor: self.cursor.clone(),
            clauses: clauses.len(),
            concrete_branches: concrete_branches.len(),
            dropped: *dropped,
            signature: *signature,
            branches: *branches,
            inexact_from: *inexact_from,
            callers: self.callers.len(),
            stack: self.stack.len(),
            locals: self.locals.len(),
            nesting: self.nesting,
            opaque_calls: self.opaque_calls,
            entry: self.entry_mark(),
            counts,
            limit: self.interpretation_limit,
            spent: self.spent,
            stale: Vec::new(),
            library_state: false,
            reached_out: false,
        });
    }

    /// What was done in the innermost layer stays.
    pub(crate) fn keep_layer(&mut self) -> Option<Layer<'a>> {
        let layer = self.layers.pop()?;
        self.interpretation_limit = layer.limit;
        match self.layers.last_mut() {
            Some(outer) => {
                outer.stale.extend(&layer.stale);
                outer.library_state |= layer.library_state;
                outer.reached_out |= layer.reached_out;
            }
            None => {
                self.journal.log.clear();
                self.journal.whole.clear();
                self.keep_entry();
            }
        }
        Some(layer)
    }

    /// What was done in the innermost layer is taken back.
    pub(crate) fn undo_layer(&mut self) -> Option<Layer<'a>> {
        let layer = self.layers.pop()?;
        self.interpretation_limit = layer.limit;
        while self.callers.len() > layer.callers {
            self.leave();
        }
        self.stack.truncate(layer.stack);
        self.locals.truncate(layer.locals);
        while self.journal.log.len() > layer.log {
            if let Some(undo) = self.journal.log.pop() {
                self.take_back(undo);
            }
        }
        self.undo_entry(layer.entry);
        self.heap.truncate(layer.heap);
        self.allocated = layer.allocated;
        self.cursor = layer.cursor.clone();
        self.path.clauses.truncate(layer.clauses);
        self.path.concrete_branches.truncate(layer.concrete_branches);
        self.path.dropped = layer.dropped;
        self.path.signature = layer.signature;
        self.path.branches = layer.branches;
        self.path.inexact_from = layer.inexact_from;
        self.nesting = layer.nesting;
        self.opaque_calls = layer.opaque_calls;
        for (count, before) in counts(&mut self.stats).into_iter().zip(layer.counts) {
            *count = before;
        }
        if self.layers.is_empty() {
            self.journal.log.clear();
            self.journal.whole.clear();
        }
        Some(layer)
    }

    fn take_back(&mut self, undo: Undo) {
        match undo {
            Undo::Object(id, object) => {
                if let Some(place) = self.place(id) {
                    *place = *object;
                }
            }
            Undo::Cell(id, at, old) => {
                if let Some(Object { body: ObjectBody::Array(array), .. }) = self.place(id) {
                    array.restore(at, old);
                }
            }
            Undo::Field(id, field, old) => {
                if let Some(object) = self.place(id) {
                    object.restore_field(field, old);
                }
            }
            Undo::Static(field, old) => restore(&mut self.statics, field, old),
            Undo::Identity(key, old) => restore(&mut self.by_identity, key, old),
            Undo::Unhashed(ty, old) => restore(&mut self.unhashed, ty, old),
            Undo::Held(term) => {
                self.asserted.remove(&term);
            }
            Undo::Known(term, old) => restore(&mut self.known, term, old),
            Undo::Concretised(by) => {
                if let Some(count) = self.stats.concretised.get_mut(&by) {
                    *count -= 1;
                    if *count == 0 {
                        self.stats.concretised.remove(&by);
                    }
                }
            }
            Undo::Interned(units) => {
                self.interned.remove(&units);
            }
            Undo::Mirror(ty) => {
                self.mirrors.remove(&ty);
            }
            Undo::Hidden(id) => {
                self.overlay.remove(&id);
            }
        }
    }

    /// Where the object is written while the run sees it.
    fn place(&mut self, id: ObjectId) -> Option<&mut Object> {
        match id.shared_index() {
            None => self.heap.get_mut(id.0 as usize),
            Some(index) if self.initialiser_depth > 0 => self.linked.shared_heap.get_mut(index),
            Some(_) => self.overlay.get_mut(&id),
        }
    }

    // Changes.

    /// Whether a change to the object needs no note: no layer, or the object was made in it.
    #[inline]
    fn is_new(&self, id: ObjectId) -> bool {
        match self.layers.last() {
            None => true,
            Some(layer) => match id.shared_index() {
                None => id.0 as usize >= layer.heap,
                Some(index) => self.initialiser_depth > 0 && index >= layer.shared,
            },
        }
    }

    /// The object may be written anyhow.
    pub(crate) fn note_object(&mut self, id: ObjectId) {
        if self.is_new(id) {
            return;
        }
        let begin = self.layers.last().map_or(0, |layer| layer.log);
        if let Some(&at) = self.journal.whole.get(&id)
            && at >= begin
            && matches!(self.journal.log.get(at), Some(Undo::Object(noted, _)) if *noted == id)
        {
            return;
        }
        let old = Box::new(self.object(id).clone());
        self.journal.whole.insert(id, self.journal.log.len());
        self.journal.log.push(Undo::Object(id, old));
    }

    pub(crate) fn note_cell(&mut self, id: ObjectId, at: u32) {
        if self.is_new(id) {
            return;
        }
        if let ObjectBody::Array(array) = &self.object(id).body {
            let old = array.get(at);
            self.journal.log.push(Undo::Cell(id, at, old));
        }
    }

    pub(crate) fn note_field(&mut self, id: ObjectId, field: FieldIx) {
        if !self.is_new(id) {
            let old = self.object(id).field(field);
            self.journal.log.push(Undo::Field(id, field, old));
        }
    }

    /// The run is about to see a copy of its own of a shared object.
    pub(crate) fn note_hidden(&mut self, id: ObjectId) {
        if !self.layers.is_empty() {
            self.journal.log.push(Undo::Hidden(id));
        }
    }

    pub(crate) fn set_static(&mut self, field: FieldIx, value: Slot) {
        let old = self.statics.insert(field, value);
        if !self.layers.is_empty() {
            self.journal.log.push(Undo::Static(field, old));
        }
    }

    /// The object that had the identity before.
    pub(crate) fn set_identity(&mut self, key: (u32, TypeIx), object: ObjectId) -> Option<ObjectId> {
        let old = self.by_identity.insert(key, object);
        if !self.layers.is_empty() {
            self.journal.log.push(Undo::Identity(key, old));
        }
        old
    }

    /// The list of a class, to be changed.
    pub(crate) fn unhashed_mut(&mut self, ty: TypeIx) -> &mut Vec<ObjectId> {
        if !self.layers.is_empty() {
            self.journal.log.push(Undo::Unhashed(ty, self.unhashed.get(&ty).cloned()));
        }
        self.unhashed.entry(ty).or_default()
    }

    /// Whether the term did not hold before.
    pub(crate) fn record_assertion(&mut self, term: TermId) -> bool {
        let is_new = self.asserted.insert(term);
        if is_new && !self.layers.is_empty() {
            self.journal.log.push(Undo::Held(term));
        }
        is_new
    }

    pub(crate) fn set_bounds(&mut self, term: TermId, bounds: Interval) {
        let old = self.known.insert(term, bounds);
        if !self.layers.is_empty() {
            self.journal.log.push(Undo::Known(term, old));
        }
    }

    pub(crate) fn note_concretised(&mut self, by: &str) {
        if !self.layers.is_empty() {
            self.journal.log.push(Undo::Concretised(by.into()));
        }
    }

    pub(crate) fn set_interned(&mut self, units: Rc<[u16]>, object: ObjectId) {
        if !self.layers.is_empty() {
            self.journal.log.push(Undo::Interned(units.clone()));
        }
        self.interned.insert(units, object);
    }

    pub(crate) fn set_mirror(&mut self, ty: TypeIx, object: ObjectId) {
        if !self.layers.is_empty() {
            self.journal.log.push(Undo::Mirror(ty));
        }
        self.mirrors.insert(ty, object);
    }
}

fn restore<K: std::hash::Hash + Eq, V>(map: &mut HashMap<K, V>, key: K, old: Option<V>) {
    match old {
        Some(old) => {
            map.insert(key, old);
        }
        None => {
            map.remove(&key);
        }
    }
}
