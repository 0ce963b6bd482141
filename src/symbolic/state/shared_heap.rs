//! The objects that all runs of a program share: literals, classes, cached boxes, and what class
//! initialisers left in final fields. In: objects made by initialisers; out: objects and static
//! fields that hold in every run. It also keeps how often the interpretation of each method failed.
//! Must not know recordings: a run checks what it uses.

use std::collections::HashMap;
use std::rc::Rc;

use super::super::data::ids::{FieldIx, MethodIx, TypeIx};
use super::super::data::objects::{Object, ObjectBody, ObjectId, Slot};

/// Shared objects, at most; also cells of one shared array.
const MOST_OBJECTS: usize = 2_000_000;
/// Lasting failures of a method after which calls are skipped.
const MOST_FAILURES: u32 = 2;

/// Progress of a class initialiser that was run once for all runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum InitialiserState {
    Running,
    Done,
}

/// Failed attempts to interpret one method.
#[derive(Clone, Copy, Debug, Default)]
struct InterpretationHistory {
    failures: u32,
    /// Calls to skip before the next attempt.
    skip: u32,
}

/// The shared objects of a program.
#[derive(Debug, Default)]
pub(crate) struct SharedHeap {
    objects: Vec<Object>,
    /// Static fields whose values hold in every run.
    statics: HashMap<FieldIx, Slot>,
    initialisers: HashMap<TypeIx, InitialiserState>,
    literals: HashMap<Rc<[u16]>, ObjectId>,
    mirrors: HashMap<TypeIx, ObjectId>,
    /// Types by `Class` object.
    mirrored: HashMap<ObjectId, TypeIx>,
    /// Cached boxes by class and value bits.
    boxes: HashMap<(TypeIx, u64), ObjectId>,
    history: HashMap<MethodIx, InterpretationHistory>,
}

impl SharedHeap {
    /// Number of shared objects.
    pub(crate) fn len(&self) -> usize {
        self.objects.len()
    }

    /// The shared object at a position.
    pub(crate) fn get(&self, index: usize) -> Option<&Object> {
        self.objects.get(index)
    }

    /// The shared object at a position, for a change that every run sees.
    pub(crate) fn get_mut(&mut self, index: usize) -> Option<&mut Object> {
        self.objects.get_mut(index)
    }

    /// Adds an object; `None`: the limit of objects or cells is reached.
    pub(crate) fn allocate(&mut self, object: Object) -> Option<ObjectId> {
        let cells = match &object.body {
            ObjectBody::Array(array) => array.length as usize,
            _ => 0,
        };
        if self.objects.len() >= MOST_OBJECTS || cells > MOST_OBJECTS {
            return None;
        }
        self.objects.push(object);
        Some(ObjectId::shared(self.objects.len() - 1))
    }

    /// The literal with these UTF-16 units, a copy of `new` at first; `None`: there is no room.
    pub(crate) fn interned(&mut self, units: &Rc<[u16]>, new: &Object) -> Option<ObjectId> {
        if let Some(&known) = self.literals.get(units) {
            return Some(known);
        }
        let object = self.allocate(new.clone())?;
        self.literals.insert(units.clone(), object);
        Some(object)
    }

    /// The `Class` object of a type, a copy of `new` at first; `None`: there is no room.
    pub(crate) fn mirror(&mut self, ty: TypeIx, new: &Object) -> Option<ObjectId> {
        if let Some(&known) = self.mirrors.get(&ty) {
            return Some(known);
        }
        let object = self.allocate(new.clone())?;
        self.mirrors.insert(ty, object);
        self.mirrored.insert(object, ty);
        Some(object)
    }

    /// The type that a `Class` object represents.
    pub(crate) fn mirrored(&self, mirror: ObjectId) -> Option<TypeIx> {
        self.mirrored.get(&mirror).copied()
    }

    /// The static fields whose values are known, in no order.
    pub(crate) fn known_statics(&self) -> impl Iterator<Item = (FieldIx, Slot)> + '_ {
        self.statics.iter().map(|(&field, &value)| (field, value))
    }

    /// Removes a static field whose value turned out to differ in a run.
    pub(crate) fn remove_static(&mut self, field: FieldIx) {
        self.statics.remove(&field);
    }

    /// The cached box with a value.
    pub(crate) fn known_box(&self, ty: TypeIx, bits: u64) -> Option<ObjectId> {
        self.boxes.get(&(ty, bits)).copied()
    }

    /// Sets the cached box with a value.
    pub(crate) fn set_box(&mut self, ty: TypeIx, bits: u64, object: ObjectId) {
        self.boxes.insert((ty, bits), object);
    }

    /// The value of a static field that holds in every run.
    pub(crate) fn static_field(&self, field: FieldIx) -> Option<Slot> {
        self.statics.get(&field).copied()
    }

    /// Sets a static field while its class is initialised.
    pub(crate) fn set_static(&mut self, field: FieldIx, value: Slot) {
        self.statics.insert(field, value);
    }

    /// Progress of a class's initialiser; `None`: not begun.
    pub(crate) fn initialiser(&self, class: TypeIx) -> Option<InitialiserState> {
        self.initialisers.get(&class).copied()
    }

    /// Sets the progress of a class's initialiser; `None`: it may run again.
    pub(crate) fn set_initialiser(&mut self, class: TypeIx, state: Option<InitialiserState>) {
        match state {
            Some(state) => self.initialisers.insert(class, state),
            None => self.initialisers.remove(&class),
        };
    }

    /// The shared objects from a position on.
    pub(crate) fn objects_from(&mut self, first: usize) -> &mut [Object] {
        &mut self.objects[first..]
    }

    // Interpretation history.

    /// Whether the next call of the method is worth an attempt; counts a skipped call.
    pub(crate) fn may_attempt(&mut self, method: MethodIx) -> bool {
        match self.history.get_mut(&method) {
            Some(history) if history.skip > 0 => {
                history.skip -= 1;
                false
            }
            _ => true,
        }
    }

    /// Records that the method was interpreted.
    pub(crate) fn record_success(&mut self, method: MethodIx) {
        if let Some(history) = self.history.get_mut(&method) {
            history.failures = 0;
        }
    }

    /// Records a lasting failure. From [`MOST_FAILURES`] on, each doubles the calls that are
    /// skipped.
    pub(crate) fn record_failure(&mut self, method: MethodIx) {
        let history = self.history.entry(method).or_default();
        history.failures += 1;
        if history.failures >= MOST_FAILURES {
            history.skip = 1 << history.failures.min(12);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_method_that_fails_twice_is_skipped_four_times() {
        let mut shared = SharedHeap::default();
        let method = MethodIx(0);
        shared.record_failure(method);
        assert!(shared.may_attempt(method));
        shared.record_failure(method);
        let skipped = (0..10).take_while(|_| !shared.may_attempt(method)).count();
        assert_eq!(skipped, 4);
        shared.record_success(method);
        shared.record_failure(method);
        assert!(shared.may_attempt(method));
    }
}
