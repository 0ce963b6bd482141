//! Values and objects of the replay. Knows no instruction and no recording.

use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

use super::dynamic::Handle;
use super::lambda::LambdaSite;
use super::linked::{FieldIx, SlotKind, TypeIx};
use super::models::{Automaton, KnownString};
use crate::expr::TermId;

/// A local variable, operand or field: the value of this run, and what it is over the inputs. Ints are zero-extended, floats raw bits,
/// references object numbers (0: null). A long or double is followed by a filler on stack and in locals.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Slot {
    pub(crate) bits: u64,
    pub(crate) term: Option<TermId>,
}

impl Slot {
    pub(crate) const ZERO: Slot = Slot { bits: 0, term: None };

    pub(crate) fn int(value: i32) -> Slot {
        Slot { bits: u64::from(value as u32), term: None }
    }

    pub(crate) fn raw(bits: u64) -> Slot {
        Slot { bits, term: None }
    }

    pub(crate) fn reference(object: ObjectId) -> Slot {
        Slot { bits: u64::from(object.0), term: None }
    }

    #[inline]
    pub(crate) fn as_int(self) -> i32 {
        self.bits as u32 as i32
    }

    pub(crate) fn as_long(self) -> i64 {
        self.bits as i64
    }

    pub(crate) fn object(self) -> ObjectId {
        ObjectId(self.bits as u32)
    }
}

/// 0 is null; the top bit says that all runs share the object (`library`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct ObjectId(pub(crate) u32);

/// Set in the numbers of objects that all runs share.
const SHARED: u32 = 1 << 31;

impl ObjectId {
    pub(crate) const NULL: ObjectId = ObjectId(0);

    /// The shared object at a position.
    pub(crate) fn shared(index: usize) -> ObjectId {
        ObjectId(SHARED | index as u32)
    }

    /// Position among the shared objects; `None`: the object belongs to one run.
    #[inline]
    pub(crate) fn shared_index(self) -> Option<usize> {
        (self.0 & SHARED != 0).then_some((self.0 & !SHARED) as usize)
    }

    pub(crate) fn is_null(self) -> bool {
        self.0 == 0
    }
}

#[derive(Clone, Debug)]
pub(crate) struct Object {
    /// Run-time class; `None` until a recording tells it (stubs).
    pub(crate) ty: Option<TypeIx>,
    /// Identity hash, 0 while unknown.
    pub(crate) hash: u32,
    /// A field or cell that is absent is zero; else it is not known.
    pub(crate) zeroed: bool,
    /// An opaque call could reach it.
    pub(crate) escaped: bool,
    pub(crate) body: ObjectBody,
}

#[derive(Clone, Debug)]
pub(crate) enum ObjectBody {
    Fields(Vec<(FieldIx, Slot)>),
    Array(Array),
    Str(StringContents),
    /// A `StringBuilder` or `StringBuffer`.
    Builder(StringBuilderContents),
    /// A `Pattern` and a `Matcher` whose language is known.
    Pattern(Rc<Automaton>),
    Matcher(Matcher),
    /// A `java.lang` box.
    Boxed(Slot),
    /// What a test case's stub answers, by method name and descriptor; a mock has fields of its class, too.
    Stub {
        answers: Vec<(Arc<str>, Arc<str>, Slot)>,
        fields: Vec<(FieldIx, Slot)>,
    },
    /// A `Class`.
    Mirror,
    /// What a call site made of captured values: an object of a hidden class.
    Lambda {
        site: Rc<LambdaSite>,
        captured: Rc<[Slot]>,
    },
    /// A direct method handle.
    Handle(Rc<Handle>),
}

#[derive(Clone, Debug)]
pub(crate) struct Array {
    pub(crate) kind: SlotKind,
    pub(crate) length: u32,
    pub(crate) length_term: Option<TermId>,
    pub(crate) cells: Cells,
}

/// Cells that are known; a small array that the replay made keeps all.
#[derive(Clone, Debug)]
pub(crate) enum Cells {
    Dense(Vec<Slot>),
    Sparse(HashMap<u32, Slot>),
}

/// Contents of a `String`.
#[derive(Clone, Debug)]
pub(crate) struct StringContents {
    /// `None`: longer than what a recording writes down, or never written.
    pub(crate) units: Option<Rc<[u16]>>,
    /// Over the inputs: the length, and as many characters as have variables.
    pub(crate) symbolic: Option<Rc<SymbolicString>>,
}

#[derive(Clone, Debug)]
pub(crate) struct SymbolicString {
    pub(crate) length: TermId,
    /// What is behind the end means nothing.
    pub(crate) characters: Vec<TermId>,
    /// The clause that says that the text is not longer than `characters`; `None`: it never is.
    pub(crate) within: Option<TermId>,
    /// A literal of the test case, which the JVM interns.
    pub(crate) is_literal: bool,
}

#[derive(Clone, Debug)]
pub(crate) struct Matcher {
    pub(crate) automaton: Rc<Automaton>,
    pub(crate) text: KnownString,
    /// Nothing was looked for yet.
    pub(crate) is_fresh: bool,
}

#[derive(Clone, Debug)]
pub(crate) struct StringBuilderContents {
    /// `None`: not known.
    pub(crate) text: Option<BuilderContents>,
    /// Opaque calls before the text was last known.
    pub(crate) seen: u64,
}

/// Contents of a builder, which grow in place.
#[derive(Clone, Debug)]
pub(crate) struct BuilderContents {
    pub(crate) units: Vec<u16>,
    /// The length, and when it is within what has variables; `None`: that of `units`.
    pub(crate) length: Option<(TermId, Option<TermId>)>,
    /// Empty: the characters are constants.
    pub(crate) cells: Vec<TermId>,
}

/// Arrays up to this length keep every cell.
const DENSE: u32 = 1 << 16;

impl Array {
    /// As `newarray` makes it.
    pub(crate) fn zeroed(kind: SlotKind, length: u32) -> Array {
        let cells = if length <= DENSE { Cells::Dense(vec![Slot::ZERO; length as usize]) } else { Cells::Sparse(HashMap::new()) };
        Array { kind, length, length_term: None, cells }
    }

    /// An array whose cells are not known.
    pub(crate) fn unknown(kind: SlotKind, length: u32) -> Array {
        Array { kind, length, length_term: None, cells: Cells::Sparse(HashMap::new()) }
    }

    /// `None`: absent.
    #[inline]
    pub(crate) fn get(&self, index: u32) -> Option<Slot> {
        match &self.cells {
            Cells::Dense(cells) => cells.get(index as usize).copied(),
            Cells::Sparse(cells) => cells.get(&index).copied(),
        }
    }

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

    /// A cell as it was before.
    pub(crate) fn restore(&mut self, index: u32, old: Option<Slot>) {
        match (&mut self.cells, old) {
            (_, Some(old)) => self.set(index, old),
            (Cells::Sparse(cells), None) => {
                cells.remove(&index);
            }
            (Cells::Dense(_), None) => {}
        }
    }

    /// Forgets every cell; true when one had a term.
    pub(crate) fn forget(&mut self) -> bool {
        let had_terms = match &self.cells {
            Cells::Dense(cells) => cells.iter().any(|cell| cell.term.is_some()),
            Cells::Sparse(cells) => cells.values().any(|cell| cell.term.is_some()),
        };
        self.cells = Cells::Sparse(HashMap::new());
        had_terms
    }

    pub(crate) fn known(&self) -> Box<dyn Iterator<Item = Slot> + '_> {
        match &self.cells {
            Cells::Dense(cells) => Box::new(cells.iter().copied()),
            Cells::Sparse(cells) => Box::new(cells.values().copied()),
        }
    }
}

impl Object {
    pub(crate) fn field(&self, field: FieldIx) -> Option<Slot> {
        let (ObjectBody::Fields(fields) | ObjectBody::Stub { fields, .. }) = &self.body else { return None };
        fields.iter().find(|(candidate, _)| *candidate == field).map(|&(_, slot)| slot)
    }

    /// A field as it was before.
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

    pub(crate) fn set_field(&mut self, field: FieldIx, value: Slot) {
        let (ObjectBody::Fields(fields) | ObjectBody::Stub { fields, .. }) = &mut self.body else { return };
        match fields.iter_mut().find(|(candidate, _)| *candidate == field) {
            Some((_, slot)) => *slot = value,
            None => fields.push((field, value)),
        }
    }
}
