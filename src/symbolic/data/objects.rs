//! Objects of the replay's heap and their contents. Must not know instructions or recordings.

use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

use super::automaton::Automaton;
use super::call_sites::{Handle, LambdaSite};
use super::ids::{FieldIx, SlotKind, TypeIx};
pub(crate) use super::strings::{KnownString, StringContents, SymbolicString};
pub(crate) use super::values::{ObjectId, Slot};
use crate::expr::TermId;

/// An object of the replay's heap.
#[derive(Clone, Debug)]
pub(crate) struct Object {
    /// Run-time class; `None` until a recording names it (stubs).
    pub(crate) ty: Option<TypeIx>,
    /// Identity hash; 0 while unknown.
    pub(crate) hash: u32,
    /// Whether an absent field or cell is zero; else it is unknown.
    pub(crate) zeroed: bool,
    /// Whether opaque code can reach it.
    pub(crate) escaped: bool,
    pub(crate) body: ObjectBody,
}

/// The contents of an object.
#[derive(Clone, Debug)]
pub(crate) enum ObjectBody {
    Fields(Vec<(FieldIx, Slot)>),
    Array(Array),
    Str(StringContents),
    /// A `StringBuilder` or `StringBuffer`.
    Builder(StringBuilderContents),
    /// A `Pattern` whose language is known; [`ObjectBody::Matcher`] is a matcher of one.
    Pattern(Rc<Automaton>),
    Matcher(Matcher),
    /// A box of a primitive value.
    Boxed(Slot),
    /// A stub of the test case: answers by method name and descriptor. A mock has fields of its
    /// class too.
    Stub {
        answers: Vec<(Arc<str>, Arc<str>, Slot)>,
        fields: Vec<(FieldIx, Slot)>,
    },
    /// A `Class` object.
    Mirror,
    /// A lambda: an object of a hidden class.
    Lambda {
        site: Rc<LambdaSite>,
        captured: Rc<[Slot]>,
    },
    /// A direct method handle.
    Handle(Rc<Handle>),
}

/// The contents of an array.
#[derive(Clone, Debug)]
pub(crate) struct Array {
    pub(crate) kind: SlotKind,
    pub(crate) length: u32,
    pub(crate) length_term: Option<TermId>,
    pub(crate) cells: Cells,
}

/// The known cells. A small array that the replay allocated knows all of them.
#[derive(Clone, Debug)]
pub(crate) enum Cells {
    Dense(Vec<Slot>),
    Sparse(HashMap<u32, Slot>),
}

/// A matcher and its string.
#[derive(Clone, Debug)]
pub(crate) struct Matcher {
    pub(crate) automaton: Rc<Automaton>,
    pub(crate) text: KnownString,
    /// Whether no match was attempted yet.
    pub(crate) is_fresh: bool,
}

/// The contents of a string builder, if they are known.
#[derive(Clone, Debug)]
pub(crate) struct StringBuilderContents {
    /// The contents; `None`: unknown.
    pub(crate) text: Option<BuilderContents>,
    /// Opaque calls before the contents were last known.
    pub(crate) seen: u64,
}

/// Contents of a string builder, which grow in place.
#[derive(Clone, Debug)]
pub(crate) struct BuilderContents {
    pub(crate) units: Vec<u16>,
    /// The length, and the clause that it is at most the number of `cells`; `None`: the length of
    /// `units`.
    pub(crate) length: Option<(TermId, Option<TermId>)>,
    /// Terms of the characters; empty: all are constants.
    pub(crate) cells: Vec<TermId>,
}

/// Length up to which arrays store every cell.
const DENSE: u32 = 1 << 16;

impl Array {
    /// An array of zeros, as `newarray` makes it.
    pub(crate) fn zeroed(kind: SlotKind, length: u32) -> Array {
        let cells = if length <= DENSE { Cells::Dense(vec![Slot::ZERO; length as usize]) } else { Cells::Sparse(HashMap::new()) };
        Array { kind, length, length_term: None, cells }
    }

    /// An array of unknown cells.
    pub(crate) fn unknown(kind: SlotKind, length: u32) -> Array {
        Array { kind, length, length_term: None, cells: Cells::Sparse(HashMap::new()) }
    }

    /// The cell; `None`: absent.
    #[inline]
    pub(crate) fn get(&self, index: u32) -> Option<Slot> {
        match &self.cells {
            Cells::Dense(cells) => cells.get(index as usize).copied(),
            Cells::Sparse(cells) => cells.get(&index).copied(),
        }
    }

    /// Sets a cell; does nothing beyond the length of a dense array.
    #[inline]
    pub(crate) fn set(&mut self, index: u32, value: Slot) {
        match &mut self.cells {
            Cells::Dense(cells) => {
                if let Some(cell) = cells.get_mut(index as usize) {
                    *cell = value;
                }
            }
            Cells::Sparse(cells) => {
                cells.insert(index, value);
            }
        }
    }

    /// Restores a cell to an earlier value.
    pub(crate) fn restore(&mut self, index: u32, old: Option<Slot>) {
        match (&mut self.cells, old) {
            (_, Some(old)) => self.set(index, old),
            (Cells::Sparse(cells), None) => {
                cells.remove(&index);
            }
            (Cells::Dense(_), None) => {}
        }
    }

    /// Forgets every cell. Returns whether one had a term.
    pub(crate) fn forget(&mut self) -> bool {
        let had_terms = match &self.cells {
            Cells::Dense(cells) => cells.iter().any(|cell| cell.term.is_some()),
            Cells::Sparse(cells) => cells.values().any(|cell| cell.term.is_some()),
        };
        self.cells = Cells::Sparse(HashMap::new());
        had_terms
    }

    /// The known cells, in no order.
    pub(crate) fn known(&self) -> Box<dyn Iterator<Item = Slot> + '_> {
        match &self.cells {
            Cells::Dense(cells) => Box::new(cells.iter().copied()),
            Cells::Sparse(cells) => Box::new(cells.values().copied()),
        }
    }
}

impl Object {
    /// The value of an instance field; `None`: absent.
    pub(crate) fn field(&self, field: FieldIx) -> Option<Slot> {
        let (ObjectBody::Fields(fields) | ObjectBody::Stub { fields, .. }) = &self.body else { return None };
        fields.iter().find(|(candidate, _)| *candidate == field).map(|&(_, slot)| slot)
    }

    /// Restores a field to an earlier value.
    pub(crate) fn restore_field(&mut self, field: FieldIx, old: Option<Slot>) {
        match old {
            Some(old) => self.set_field(field, old),
            None => {
                if let ObjectBody::Fields(fields) | ObjectBody::Stub { fields, .. } = &mut self.body {
                    fields.retain(|(candidate, _)| *candidate != field);
                }
            }
        }
    }

    /// Sets an instance field; does nothing for objects without fields.
    pub(crate) fn set_field(&mut self, field: FieldIx, value: Slot) {
        let (ObjectBody::Fields(fields) | ObjectBody::Stub { fields, .. }) = &mut self.body else { return };
        match fields.iter_mut().find(|(candidate, _)| *candidate == field) {
            Some((_, slot)) => *slot = value,
            None => fields.push((field, value)),
        }
    }
}
