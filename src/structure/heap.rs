//! The heap at the entry of a method, as far as a replay knows it. Flows in: objects; flows out: what an access path leads to. Must not know
//! clauses.

use std::collections::BTreeMap;

use super::{AccessPath, AccessStep, Root};
use crate::expr::Value;
use crate::program::{ClassName, MethodRef};

/// An object of one entry heap. The number says nothing beyond identity.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EntryId(pub u32);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EntryValue {
    Primitive(Value),
    /// `None`: null.
    Reference(Option<EntryId>),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct EntryObject {
    /// Run-time class, as a `Fresh` clause has it.
    pub(crate) class: ClassName,
    /// Fields and cells whose values are known, and an array's length.
    pub(crate) parts: BTreeMap<AccessStep, EntryValue>,
    /// Of a string or builder, if it is known.
    pub(crate) text: Option<Vec<u16>>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EntryHeap {
    pub(crate) method: MethodRef,
    pub roots: BTreeMap<Root, EntryValue>,
    pub(crate) objects: BTreeMap<EntryId, EntryObject>,
}

/// What an access path leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Found {
    Value(EntryValue),
    /// Nothing: the way leads through null, or behind the end of an array.
    Undefined,
    /// Something that the replay does not know.
    Unknown,
}

impl EntryHeap {
    pub(crate) fn new(method: MethodRef) -> EntryHeap {
        EntryHeap { method, roots: BTreeMap::new(), objects: BTreeMap::new() }
    }

    pub(crate) fn find(&self, path: &AccessPath) -> Found {
        let Some(&root) = self.roots.get(&path.root) else { return Found::Unknown };
        let mut value = root;
        for step in &path.steps {
            let object = match value {
                EntryValue::Reference(Some(id)) => self.objects.get(&id),
                EntryValue::Reference(None) | EntryValue::Primitive(_) => return Found::Undefined,
            };
            let Some(object) = object else { return Found::Unknown };
            value = match object.parts.get(step) {
                Some(&part) => part,
                None if object.ends_before(step) => return Found::Undefined,
                None => return Found::Unknown,
            };
        }
        Found::Value(value)
    }

    pub(crate) fn object(&self, id: EntryId) -> Option<&EntryObject> {
        self.objects.get(&id)
    }
}

impl EntryObject {
    /// Whether the step is a cell behind the end.
    fn ends_before(&self, step: &AccessStep) -> bool {
        match (step, self.parts.get(&AccessStep::Length)) {
            (AccessStep::Cell(index), Some(EntryValue::Primitive(Value::Int(length)))) => i64::from(*index) >= i64::from(*length),
            _ => false,
        }
    }
}
