//! The heap of one replay: objects, static fields, recorded identities and interned strings. In:
//! allocations and writes; out: objects. Objects that all runs share live in the [`SharedHeap`]; a
//! run that writes one gets a copy of its own in an overlay. While a class initialiser of the
//! library runs, shared objects are written in place. Must not know instructions, terms or
//! recordings.
//!
//! Inside a checkpoint, each change to an object that existed before is logged with the old value.
//! Objects made inside need no log: rolling back truncates the vector.

use std::collections::{HashMap, HashSet};
use std::hash::Hash;
use std::rc::Rc;

use super::super::data::ids::{FieldIx, MethodIx, TypeIx};
use super::super::data::objects::{Array, Cells, Object, ObjectBody, ObjectId, Slot};
use super::shared_heap::SharedHeap;

/// Possibly stale objects that one checkpoint records, at most.
const MOST_STALE: usize = 64;

/// One change that can be undone.
#[derive(Debug)]
enum HeapChange {
    Object(ObjectId, Box<Object>),
    Cell(ObjectId, u32, Option<Slot>),
    Field(ObjectId, FieldIx, Option<Slot>),
    Static(FieldIx, Option<Slot>),
    Identity((u32, TypeIx), Option<ObjectId>),
    Unhashed(TypeIx, Option<Vec<ObjectId>>),
    Interned(Rc<[u16]>),
    Mirror(TypeIx),
    EscapedString(ObjectId),
    OpaqueConstruction(ObjectId),
    GuessedIdentity(ObjectId),
    /// The overlay got a copy of a shared object.
    Overlay(ObjectId),
}

/// The heap when a checkpoint began.
#[derive(Debug)]
struct HeapMark {
    log: usize,
    /// Number of own objects; later ones were made inside.
    objects: usize,
    /// Number of shared objects.
    shared: usize,
    allocated: usize,
    opaque_calls: u64,
    /// An initialiser wrote a shared object that existed before.
    wrote_earlier_object: bool,
    /// Objects read inside that opaque code may have changed.
    stale: Vec<ObjectId>,
    /// Mutable state of the shared heap was read inside: the JVM may have other values there.
    reads_library_state: bool,
}

/// Why an object cannot be allocated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum HeapFull {
    /// `ReplayConfig::heap` is reached.
    Own,
    /// The shared heap has no room.
    Shared,
}

/// The heap of one replay.
#[derive(Debug)]
pub(crate) struct Heap {
    /// Own objects by number; the first stands for null and for invalid references.
    objects: Vec<Object>,
    /// Shared objects as this run sees them, where it has changed them.
    overlay: HashMap<ObjectId, Object>,
    statics: HashMap<FieldIx, Slot>,
    by_identity: HashMap<(u32, TypeIx), ObjectId>,
    /// Escaped objects without a known identity hash.
    unhashed: HashMap<TypeIx, Vec<ObjectId>>,
    interned: HashMap<Rc<[u16]>, ObjectId>,
    mirrors: HashMap<TypeIx, ObjectId>,
    /// Strings that opaque code may return.
    escaped_strings: HashSet<ObjectId>,
    /// Objects whose constructors were called by opaque code.
    constructed_opaquely: HashSet<ObjectId>,
    /// Objects that were taken for a recorded reference because no other one fitted.
    guessed: HashSet<ObjectId>,
    /// The object of the last recorded reference, if that reference was its first.
    first_seen: Option<ObjectId>,
    /// Own objects and dense cells.
    allocated: usize,
    limit: usize,
    /// Nested class initialisers of the library in progress.
    initialiser_depth: u32,
    /// Opaque calls so far that may have changed objects.
    opaque_calls: u64,
    /// Lambdas with captured values, by the method that they run. Not undone: after a roll back an
    /// object here may be absent or have another body.
    lambdas: HashMap<MethodIx, Vec<ObjectId>>,
    log: Vec<HeapChange>,
    /// Position in `log` of each object's last [`HeapChange::Object`].
    logged_whole: HashMap<ObjectId, usize>,
    marks: Vec<HeapMark>,
}

impl Heap {
    /// An empty heap; `limit`: own objects and cells, at most.
    pub(crate) fn new(limit: usize) -> Heap {
        let null = Object { ty: None, hash: 0, zeroed: true, escaped: true, body: ObjectBody::Fields(Vec::new()) };
        Heap {
            objects: vec![null],
            overlay: HashMap::new(),
            statics: HashMap::new(),
            by_identity: HashMap::new(),
            unhashed: HashMap::new(),
            interned: HashMap::new(),
            mirrors: HashMap::new(),
            escaped_strings: HashSet::new(),
            constructed_opaquely: HashSet::new(),
            guessed: HashSet::new(),
            first_seen: None,
            allocated: 0,
            limit,
            initialiser_depth: 0,
            opaque_calls: 0,
            lambdas: HashMap::new(),
            log: Vec::new(),
            logged_whole: HashMap::new(),
            marks: Vec::new(),
        }
    }

    // Class initialisers.

    /// Nested class initialisers of the library in progress.
    pub(crate) fn initialiser_depth(&self) -> u32 {
        self.initialiser_depth
    }

    /// Whether shared objects are written in place.
    #[inline]
    pub(crate) fn is_initialising(&self) -> bool {
        self.initialiser_depth > 0
    }

    /// Begins a class initialiser of the library. Its checkpoint has begun before.
    pub(crate) fn begin_initialiser(&mut self) {
        self.initialiser_depth += 1;
    }

    /// Ends the innermost class initialiser.
    pub(crate) fn end_initialiser(&mut self) {
        self.initialiser_depth -= 1;
    }

    // Objects.

    /// Number of own objects, the one for null included. Objects allocated later have higher
    /// numbers.
    pub(crate) fn len(&self) -> usize {
        self.objects.len()
    }

    /// Adds an object: to the shared heap while a class initialiser runs, else to the run's own.
    ///
    /// # Errors
    /// [`HeapFull`] tells which heap has no room.
    pub(crate) fn allocate(&mut self, shared: &mut SharedHeap, object: Object) -> Result<ObjectId, HeapFull> {
        if self.is_initialising() {
            return shared.allocate(object).ok_or(HeapFull::Shared);
        }
        self.allocated += 1 + match &object.body {
            ObjectBody::Array(Array { cells: Cells::Dense(cells), .. }) => cells.len(),
            _ => 0,
        };
        if self.allocated > self.limit {
            return Err(HeapFull::Own);
        }
        let id = ObjectId(self.objects.len() as u32);
        self.objects.push(object);
        Ok(id)
    }

    /// The object; the one for null where the number is invalid, which only code that does not
    /// verify can cause.
    #[inline]
    pub(crate) fn object<'h>(&'h self, shared: &'h SharedHeap, id: ObjectId) -> &'h Object {
        if let Some(index) = id.shared_index() {
            return self.shared_object(shared, id, index);
        }
        self.objects.get(id.0 as usize).unwrap_or(&self.objects[0])
    }

    fn shared_object<'h>(&'h self, shared: &'h SharedHeap, id: ObjectId, index: usize) -> &'h Object {
        let own = if self.is_initialising() { None } else { self.overlay.get(&id) };
        own.or_else(|| shared.get(index)).unwrap_or(&self.objects[0])
    }

    /// The object for any change. [`Heap::set_cell`] and [`Heap::set_field`] log less.
    pub(crate) fn object_mut<'h>(&'h mut self, shared: &'h mut SharedHeap, id: ObjectId) -> &'h mut Object {
        let Some(index) = id.shared_index() else {
            if !self.marks.is_empty() {
                self.log_object(shared, id);
            }
            let index = if (id.0 as usize) < self.objects.len() { id.0 as usize } else { 0 };
            return &mut self.objects[index];
        };
        if !self.is_initialising() {
            self.copy_to_overlay(shared, id);
        }
        self.log_object(shared, id);
        self.writable(shared, id, index)
    }

    /// Writes an array cell; does nothing for other objects.
    pub(crate) fn set_cell(&mut self, shared: &mut SharedHeap, id: ObjectId, at: u32, value: Slot) {
        if let Some(index) = id.shared_index() {
            if !self.is_initialising() {
                self.copy_to_overlay(shared, id);
            }
            self.log_cell(shared, id, at);
            if let ObjectBody::Array(array) = &mut self.writable(shared, id, index).body {
                array.set(at, value);
            }
            return;
        }
        if !self.marks.is_empty() {
            self.log_cell(shared, id, at);
        }
        if let Some(Object { body: ObjectBody::Array(array), .. }) = self.objects.get_mut(id.0 as usize) {
            array.set(at, value);
        }
    }

    /// Writes an instance field; does nothing for objects without fields.
    pub(crate) fn set_field(&mut self, shared: &mut SharedHeap, id: ObjectId, field: FieldIx, value: Slot) {
        if let Some(index) = id.shared_index() {
            if !self.is_initialising() {
                self.copy_to_overlay(shared, id);
            }
            self.log_field(shared, id, field);
            return self.writable(shared, id, index).set_field(field, value);
        }
        if !self.marks.is_empty() {
            self.log_field(shared, id, field);
        }
        if let Some(object) = self.objects.get_mut(id.0 as usize) {
            object.set_field(field, value);
        }
    }

    /// Gives the run its own copy of a shared object.
    fn copy_to_overlay(&mut self, shared: &SharedHeap, id: ObjectId) {
        if !self.overlay.contains_key(&id) {
            if !self.marks.is_empty() {
                self.log.push(HeapChange::Overlay(id));
            }
            let copy = self.object(shared, id).clone();
            self.overlay.insert(id, copy);
        }
    }

    fn writable<'h>(&'h mut self, shared: &'h mut SharedHeap, id: ObjectId, index: usize) -> &'h mut Object {
        if self.is_initialising() {
            if let Some(mark) = self.marks.last_mut() {
                mark.wrote_earlier_object |= index < mark.shared;
            }
            return match shared.get_mut(index) {
                Some(object) => object,
                None => &mut self.objects[0],
            };
        }
        match self.overlay.get_mut(&id) {
            Some(object) => object,
            None => &mut self.objects[0],
        }
    }

    // Static fields.

    /// The value of a static field in this run; `None`: not known.
    pub(crate) fn static_field(&self, field: FieldIx) -> Option<Slot> {
        self.statics.get(&field).copied()
    }

    /// The static fields whose values are known, in no order.
    pub(crate) fn static_fields(&self) -> impl Iterator<Item = (FieldIx, Slot)> + '_ {
        self.statics.iter().map(|(&field, &value)| (field, value))
    }

    /// Sets a static field.
    pub(crate) fn set_static(&mut self, field: FieldIx, value: Slot) {
        let old = self.statics.insert(field, value);
        if !self.marks.is_empty() {
            self.log.push(HeapChange::Static(field, old));
        }
    }

    // Opaque code.

    /// Opaque calls so far that may have changed objects.
    #[inline]
    pub(crate) fn opaque_calls(&self) -> u64 {
        self.opaque_calls
    }

    /// Counts an opaque call that may change objects.
    pub(crate) fn count_opaque_call(&mut self) {
        self.opaque_calls += 1;
    }

    /// Records that interpreted code read an object which opaque code may have changed.
    pub(crate) fn record_possibly_stale(&mut self, object: ObjectId) {
        if let Some(mark) = self.marks.last_mut()
            && mark.stale.len() < MOST_STALE
        {
            mark.stale.push(object);
        }
    }

    /// Records that interpreted code read mutable state of the shared heap.
    pub(crate) fn record_library_state_read(&mut self) {
        if let Some(mark) = self.marks.last_mut() {
            mark.reads_library_state = true;
        }
    }

    /// Whether a value read inside a checkpoint may be older than the JVM's.
    pub(crate) fn is_doubtful(&self) -> bool {
        self.marks.iter().any(|mark| mark.reads_library_state || !mark.stale.is_empty())
    }

    // Lambdas.

    /// The lambdas with captured values that run a method, in the order of their creation.
    pub(crate) fn lambdas(&self, method: MethodIx) -> &[ObjectId] {
        self.lambdas.get(&method).map_or(&[], Vec::as_slice)
    }

    /// Records a lambda that runs a method.
    pub(crate) fn record_lambda(&mut self, method: MethodIx, object: ObjectId) {
        let lambdas = self.lambdas.entry(method).or_default();
        if lambdas.last() != Some(&object) {
            lambdas.push(object);
        }
    }

    // Identity.

    /// Whether two references are known to be one object. Two objects of the replay may have one
    /// recorded identity, such as equal literals of test case and code.
    pub(crate) fn is_same(&self, shared: &SharedHeap, a: ObjectId, b: ObjectId) -> bool {
        if a == b || a.is_null() || b.is_null() {
            return a == b;
        }
        let (x, y) = (self.object(shared, a), self.object(shared, b));
        x.hash != 0 && x.hash == y.hash && x.ty == y.ty
    }

    /// The object with a recorded identity hash and class.
    pub(crate) fn object_with_identity(&self, hash: u32, ty: TypeIx) -> Option<ObjectId> {
        self.by_identity.get(&(hash, ty)).copied()
    }

    /// Sets the object of an identity hash and class. Returns the object that had them before.
    pub(crate) fn set_identity(&mut self, key: (u32, TypeIx), object: ObjectId) -> Option<ObjectId> {
        let old = self.by_identity.insert(key, object);
        if !self.marks.is_empty() {
            self.log.push(HeapChange::Identity(key, old));
        }
        old
    }

    /// The escaped objects of a class without a known identity hash.
    pub(crate) fn unhashed(&self, ty: TypeIx) -> Option<&Vec<ObjectId>> {
        self.unhashed.get(&ty)
    }

    /// The same list for a change.
    pub(crate) fn unhashed_mut(&mut self, ty: TypeIx) -> &mut Vec<ObjectId> {
        if !self.marks.is_empty() {
            self.log.push(HeapChange::Unhashed(ty, self.unhashed.get(&ty).cloned()));
        }
        self.unhashed.entry(ty).or_default()
    }

    /// Sets the object of the last recorded reference, if that reference was its first.
    pub(crate) fn set_first_seen(&mut self, object: Option<ObjectId>) {
        self.first_seen = object;
    }

    /// Whether the last recorded reference was the object's first.
    pub(crate) fn is_first_seen(&self, object: ObjectId) -> bool {
        self.first_seen == Some(object)
    }

    /// Records that opaque code may return the string.
    pub(crate) fn record_escaped_string(&mut self, string: ObjectId) {
        if self.escaped_strings.insert(string) && !self.marks.is_empty() {
            self.log.push(HeapChange::EscapedString(string));
        }
    }

    /// Whether opaque code may return the string.
    pub(crate) fn is_escaped_string(&self, string: ObjectId) -> bool {
        self.escaped_strings.contains(&string)
    }

    /// Records that opaque code called the object's constructor.
    pub(crate) fn record_opaque_construction(&mut self, object: ObjectId) {
        if self.constructed_opaquely.insert(object) && !self.marks.is_empty() {
            self.log.push(HeapChange::OpaqueConstruction(object));
        }
    }

    /// Whether opaque code called the object's constructor.
    pub(crate) fn is_constructed_opaquely(&self, object: ObjectId) -> bool {
        self.constructed_opaquely.contains(&object)
    }

    /// Records that the object was taken for a recorded reference because no other one fitted.
    pub(crate) fn record_guessed_identity(&mut self, object: ObjectId) {
        if self.guessed.insert(object) && !self.marks.is_empty() {
            self.log.push(HeapChange::GuessedIdentity(object));
        }
    }

    /// Whether the identity of the object is a guess: what the JVM did to it may concern another
    /// object.
    pub(crate) fn has_guessed_identity(&self, object: ObjectId) -> bool {
        self.guessed.contains(&object)
    }

    // Interned strings and classes.

    /// The interned string with these UTF-16 units, if this run has one.
    pub(crate) fn interned(&self, units: &Rc<[u16]>) -> Option<ObjectId> {
        self.interned.get(units).copied()
    }

    /// Sets the interned string. Precondition: there was none.
    pub(crate) fn set_interned(&mut self, units: Rc<[u16]>, object: ObjectId) {
        if !self.marks.is_empty() {
            self.log.push(HeapChange::Interned(units.clone()));
        }
        self.interned.insert(units, object);
    }

    /// The `Class` object of a type, if this run has one.
    pub(crate) fn mirror(&self, ty: TypeIx) -> Option<ObjectId> {
        self.mirrors.get(&ty).copied()
    }

    /// Sets the `Class` object of a type. Precondition: there was none.
    pub(crate) fn set_mirror(&mut self, ty: TypeIx, object: ObjectId) {
        if !self.marks.is_empty() {
            self.log.push(HeapChange::Mirror(ty));
        }
        self.mirrors.insert(ty, object);
    }

    // Log.

    /// Whether a change to the object needs no log entry: there is no checkpoint, or the object was
    /// made inside it.
    #[inline]
    fn is_new(&self, id: ObjectId) -> bool {
        match self.marks.last() {
            None => true,
            Some(mark) => match id.shared_index() {
                None => id.0 as usize >= mark.objects,
                Some(index) => self.is_initialising() && index >= mark.shared,
            },
        }
    }

    fn log_object(&mut self, shared: &SharedHeap, id: ObjectId) {
        if self.is_new(id) {
            return;
        }
        let begin = self.marks.last().map_or(0, |mark| mark.log);
        if let Some(&at) = self.logged_whole.get(&id)
            && at >= begin
            && matches!(self.log.get(at), Some(HeapChange::Object(logged, _)) if *logged == id)
        {
            return;
        }
        let old = Box::new(self.object(shared, id).clone());
        self.logged_whole.insert(id, self.log.len());
        self.log.push(HeapChange::Object(id, old));
    }

    fn log_cell(&mut self, shared: &SharedHeap, id: ObjectId, at: u32) {
        if self.is_new(id) {
            return;
        }
        if let ObjectBody::Array(array) = &self.object(shared, id).body {
            let old = array.get(at);
            self.log.push(HeapChange::Cell(id, at, old));
        }
    }

    fn log_field(&mut self, shared: &SharedHeap, id: ObjectId, field: FieldIx) {
        if !self.is_new(id) {
            let old = self.object(shared, id).field(field);
            self.log.push(HeapChange::Field(id, field, old));
        }
    }

    // Checkpoints.

    /// Begins a checkpoint.
    pub(crate) fn begin(&mut self, shared: &SharedHeap) {
        self.marks.push(HeapMark {
            log: self.log.len(),
            objects: self.objects.len(),
            shared: shared.len(),
            allocated: self.allocated,
            opaque_calls: self.opaque_calls,
            wrote_earlier_object: false,
            stale: Vec::new(),
            reads_library_state: false,
        });
    }

    /// Number of nested checkpoints.
    pub(crate) fn checkpoints(&self) -> usize {
        self.marks.len()
    }

    /// Number of shared objects when the innermost checkpoint began; 0 without a checkpoint.
    pub(crate) fn shared_objects_at_checkpoint(&self) -> usize {
        self.marks.last().map_or(0, |mark| mark.shared)
    }

    /// Whether an initialiser wrote a shared object from before the innermost checkpoint; `None`
    /// without a checkpoint.
    pub(crate) fn wrote_earlier_object(&self) -> Option<bool> {
        self.marks.last().map(|mark| mark.wrote_earlier_object)
    }

    /// Ends the innermost checkpoint and keeps the changes since.
    pub(crate) fn commit(&mut self) {
        let Some(mark) = self.marks.pop() else { return };
        match self.marks.last_mut() {
            Some(outer) => {
                outer.wrote_earlier_object |= mark.wrote_earlier_object;
                outer.stale.extend(mark.stale);
                outer.reads_library_state |= mark.reads_library_state;
            }
            None => self.clear_log(),
        }
    }

    /// Ends the innermost checkpoint and undoes the changes since. Shared objects stay allocated.
    /// Returns the objects read inside that opaque code may have changed.
    pub(crate) fn roll_back(&mut self, shared: &mut SharedHeap) -> Vec<ObjectId> {
        let Some(mark) = self.marks.pop() else { return Vec::new() };
        while self.log.len() > mark.log {
            if let Some(change) = self.log.pop() {
                self.undo(shared, change);
            }
        }
        self.objects.truncate(mark.objects);
        self.allocated = mark.allocated;
        self.opaque_calls = mark.opaque_calls;
        if self.marks.is_empty() {
            self.clear_log();
        }
        mark.stale
    }

    fn clear_log(&mut self) {
        self.log.clear();
        self.logged_whole.clear();
    }

    fn undo(&mut self, shared: &mut SharedHeap, change: HeapChange) {
        match change {
            HeapChange::Object(id, old) => {
                if let Some(object) = self.logged_mut(shared, id) {
                    *object = *old;
                }
            }
            HeapChange::Cell(id, at, old) => {
                if let Some(Object { body: ObjectBody::Array(array), .. }) = self.logged_mut(shared, id) {
                    array.restore(at, old);
                }
            }
            HeapChange::Field(id, field, old) => {
                if let Some(object) = self.logged_mut(shared, id) {
                    object.restore_field(field, old);
                }
            }
            HeapChange::Static(field, old) => restore(&mut self.statics, field, old),
            HeapChange::Identity(key, old) => restore(&mut self.by_identity, key, old),
            HeapChange::Unhashed(ty, old) => restore(&mut self.unhashed, ty, old),
            HeapChange::Interned(units) => restore(&mut self.interned, units, None),
            HeapChange::Mirror(ty) => restore(&mut self.mirrors, ty, None),
            HeapChange::EscapedString(string) => {
                self.escaped_strings.remove(&string);
            }
            HeapChange::OpaqueConstruction(object) => {
                self.constructed_opaquely.remove(&object);
            }
            HeapChange::GuessedIdentity(object) => {
                self.guessed.remove(&object);
            }
            HeapChange::Overlay(id) => restore(&mut self.overlay, id, None),
        }
    }

    /// The object as it was written.
    fn logged_mut<'h>(&'h mut self, shared: &'h mut SharedHeap, id: ObjectId) -> Option<&'h mut Object> {
        match id.shared_index() {
            None => self.objects.get_mut(id.0 as usize),
            Some(index) if self.is_initialising() => shared.get_mut(index),
            Some(_) => self.overlay.get_mut(&id),
        }
    }
}

fn restore<K: Hash + Eq, V>(map: &mut HashMap<K, V>, key: K, old: Option<V>) {
    match old {
        Some(old) => {
            map.insert(key, old);
        }
        None => {
            map.remove(&key);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::data::ids::SlotKind;
    use super::*;

    fn array(length: u32) -> Object {
        let body = ObjectBody::Array(Array::zeroed(SlotKind::Int, length));
        Object { ty: None, hash: 0, zeroed: true, escaped: false, body }
    }

    fn cell(heap: &Heap, shared: &SharedHeap, id: ObjectId, at: u32) -> i32 {
        match &heap.object(shared, id).body {
            ObjectBody::Array(array) => array.get(at).unwrap_or_default().as_int(),
            _ => -1,
        }
    }

    #[test]
    fn nested_checkpoints_are_undone_in_turn() {
        let (mut heap, mut shared) = (Heap::new(1_000), SharedHeap::default());
        let id = heap.allocate(&mut shared, array(2)).expect("room");
        heap.begin(&shared);
        heap.set_cell(&mut shared, id, 0, Slot::int(1));
        heap.begin(&shared);
        heap.set_cell(&mut shared, id, 0, Slot::int(2));
        heap.object_mut(&mut shared, id).hash = 9;
        let inner = heap.allocate(&mut shared, array(1)).expect("room");
        heap.roll_back(&mut shared);
        assert_eq!((cell(&heap, &shared, id, 0), heap.object(&shared, id).hash), (1, 0));
        assert_eq!(heap.len(), inner.0 as usize);
        heap.roll_back(&mut shared);
        assert_eq!(cell(&heap, &shared, id, 0), 0);
    }

    #[test]
    fn a_run_copies_a_shared_object_before_it_writes() {
        let (mut heap, mut shared) = (Heap::new(1_000), SharedHeap::default());
        let id = shared.allocate(array(1)).expect("room");
        heap.begin(&shared);
        heap.set_cell(&mut shared, id, 0, Slot::int(5));
        assert_eq!(cell(&heap, &shared, id, 0), 5);
        assert_eq!(cell(&Heap::new(1), &shared, id, 0), 0);
        heap.roll_back(&mut shared);
        assert_eq!(cell(&heap, &shared, id, 0), 0);
    }

    #[test]
    fn an_initialiser_writes_shared_objects_in_place() {
        let (mut heap, mut shared) = (Heap::new(1_000), SharedHeap::default());
        let earlier = shared.allocate(array(1)).expect("room");
        heap.begin(&shared);
        heap.begin_initialiser();
        let made = heap.allocate(&mut shared, array(1)).expect("room");
        heap.set_cell(&mut shared, made, 0, Slot::int(3));
        assert_eq!(heap.wrote_earlier_object(), Some(false));
        heap.set_cell(&mut shared, earlier, 0, Slot::int(4));
        assert_eq!(heap.wrote_earlier_object(), Some(true));
        heap.roll_back(&mut shared);
        heap.end_initialiser();
        assert_eq!((cell(&heap, &shared, made, 0), cell(&heap, &shared, earlier, 0)), (3, 0));
    }

    #[test]
    fn an_object_has_no_marks_of_an_undone_object_with_its_number() {
        let (mut heap, mut shared) = (Heap::new(1_000), SharedHeap::default());
        heap.begin(&shared);
        let undone = heap.allocate(&mut shared, array(1)).expect("room");
        heap.record_escaped_string(undone);
        heap.record_opaque_construction(undone);
        heap.record_guessed_identity(undone);
        heap.set_static(FieldIx(0), Slot::reference(undone));
        heap.roll_back(&mut shared);
        let later = heap.allocate(&mut shared, array(1)).expect("room");
        assert_eq!(later, undone);
        assert!(!heap.is_escaped_string(later) && !heap.is_constructed_opaquely(later));
        assert!(!heap.has_guessed_identity(later));
        assert_eq!(heap.static_field(FieldIx(0)), None);
    }

    #[test]
    fn the_limit_counts_objects_and_cells() {
        let (mut heap, mut shared) = (Heap::new(5), SharedHeap::default());
        assert!(heap.allocate(&mut shared, array(4)).is_ok());
        assert_eq!(heap.allocate(&mut shared, array(0)), Err(HeapFull::Own));
    }
}
