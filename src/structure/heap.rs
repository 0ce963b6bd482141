//! The heap at the entry of a method, as far as a replay knows it. Flows in: objects; flows out:
//! the value at an access path. Must not know clauses.

use std::collections::BTreeMap;

use super::{AccessPath, AccessStep, Root};
use crate::expr::Value;
use crate::program::{ClassName, MethodRef};

/// Identity of an object of one entry heap. The number has no other meaning.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EntryId(pub u32);

/// A value in an entry heap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EntryValue {
    /// A primitive value.
    Primitive(Value),
    /// A reference; `None` is null.
    Reference(Option<EntryId>),
}

/// An object in an entry heap.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct EntryObject {
    /// The run-time class, as a `Fresh` clause names it.
    pub(crate) class: ClassName,
    /// Known fields and elements, and the length of an array.
    pub(crate) parts: BTreeMap<AccessStep, EntryValue>,
    /// The content of a string or builder, where it is known.
    pub(crate) text: Option<Vec<u16>>,
}

/// The known part of the heap at the entry of a method.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EntryHeap {
    /// The method that was entered.
    pub(crate) method: MethodRef,
    /// Known values of receiver, arguments and static fields.
    pub roots: BTreeMap<Root, EntryValue>,
    /// Every object that is reachable from the roots through known references.
    pub(crate) objects: BTreeMap<EntryId, EntryObject>,
}

/// The result of looking up an access path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum HeapLookup {
    /// The path leads to this value.
    Value(EntryValue),
    /// The path leads through null or past the end of an array.
    Undefined,
    /// The replay does not know the value.
    Unknown,
}

impl EntryHeap {
    /// A heap of which nothing is known.
    pub(crate) fn new(method: MethodRef) -> EntryHeap {
        EntryHeap { method, roots: BTreeMap::new(), objects: BTreeMap::new() }
    }

    /// The value at an access path.
    pub(crate) fn find(&self, path: &AccessPath) -> HeapLookup {
        let Some(&root) = self.roots.get(&path.root) else { return HeapLookup::Unknown };
        let mut value = root;
        for step in &path.steps {
            let object = match value {
                EntryValue::Reference(Some(id)) => self.objects.get(&id),
                EntryValue::Reference(None) | EntryValue::Primitive(_) => return HeapLookup::Undefined,
            };
            let Some(object) = object else { return HeapLookup::Unknown };
            value = match object.parts.get(step) {
                Some(&part) => part,
                None if object.ends_before(step) => return HeapLookup::Undefined,
                None => return HeapLookup::Unknown,
            };
        }
        HeapLookup::Value(value)
    }

    /// An object by its identity; `None` where the heap has none.
    pub(crate) fn object(&self, id: EntryId) -> Option<&EntryObject> {
        self.objects.get(&id)
    }
}

impl EntryObject {
    /// Whether the step is an element past the end of the array.
    fn ends_before(&self, step: &AccessStep) -> bool {
        match (step, self.parts.get(&AccessStep::Length)) {
            (AccessStep::Cell(index), Some(EntryValue::Primitive(Value::Int(length)))) => i64::from(*index) >= i64::from(*length),
            _ => false,
        }
    }
}
