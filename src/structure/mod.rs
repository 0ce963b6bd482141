//! Structural path conditions: the constraints on the heap at the entry of the method under test
//! under which its run takes its path (sushi §2.2 and §3.1). Flows in: clauses in run order and the
//! heap at an entry, both from the replay; flows out: values that can be printed, read and
//! compared, and whether a condition holds for another heap. Must not know the interpreter or the
//! solver.
//!
//! The product does not use this view yet; the tests do, and the replay fills it when its
//! configuration asks for it.
//!
//! The algorithm is generalised lazy initialisation. A reference has no clause until the run first
//! reads it from the entry heap; then one clause says what it refers to. Arguments and `this` are
//! read when their local variable is first loaded. The order of the clauses is the order of these
//! reads, with the decisions of the run between them. So each prefix is a condition of its own: a
//! clause refers only to objects that earlier clauses name. Values that the run wrote before it
//! read them, and objects that it created, are no inputs.
//!
//! Strings and boxes are values here. Their identity is not part of a condition, so two equal ones
//! from a pool are no aliases.

mod heap;
mod holds;
mod text;

pub(crate) use heap::{EntryHeap, EntryId, EntryObject, EntryValue, HeapLookup};

use std::sync::Arc;

use crate::expr::{Symbol, SymbolKind};
use crate::path::Clause;
use crate::program::{ClassName, MethodRef};

/// The variable at which an access path begins.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Root {
    /// The receiver.
    This,
    /// Index of the parameter from 0, without the receiver. A long or double counts once.
    Argument(u32),
    /// A static field, with the class that declares it. It belongs to recorded code, or is the
    /// constant of a library that an object was compared with.
    Static {
        /// The declaring class.
        owner: ClassName,
        /// The name of the field.
        name: Arc<str>,
    },
}

/// One step of an access path.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum AccessStep {
    /// A field. `owner` is present where a subclass of the declaring class hides the field.
    Field { owner: Option<ClassName>, name: Arc<str> },
    /// An array element.
    Cell(u32),
    /// The length of an array, which is always the last step.
    Length,
}

/// A variable of the entry heap, named by the reads that lead to it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct AccessPath {
    pub(crate) root: Root,
    pub(crate) steps: Vec<AccessStep>,
}

impl AccessPath {
    /// The path of a root, without steps.
    pub(crate) fn new(root: Root) -> AccessPath {
        AccessPath { root, steps: Vec::new() }
    }

    /// The path with one more step.
    pub(crate) fn then(&self, step: AccessStep) -> AccessPath {
        let mut steps = Vec::with_capacity(self.steps.len() + 1);
        steps.extend_from_slice(&self.steps);
        steps.push(step);
        AccessPath { root: self.root.clone(), steps }
    }
}

/// The type of an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum InputType {
    /// A primitive value `v<i>`: a field, element, argument, boxed value, or (`Length`) the length
    /// of an array.
    Primitive(SymbolKind),
    /// The content of a string or builder: `v<i>.length` and the UTF-16 units `v<i>[k]`. Units
    /// after the end have no meaning.
    String,
}

/// A primitive value or string of the entry heap that the run read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StructuralInput {
    /// The variable.
    pub path: AccessPath,
    pub(crate) ty: InputType,
}

/// One clause of a structural condition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StructuralClause {
    /// Null.
    Null(AccessPath),
    /// The object that the second path already names.
    Alias(AccessPath, AccessPath),
    /// An object of this run-time class (an array by its descriptor) that no earlier `Fresh` clause
    /// names. Classes that exist in one JVM only, of lambdas and stubs, become `java/lang/Object`,
    /// and the condition is inexact from there.
    Fresh(AccessPath, ClassName),
    /// A string or box of this run-time class, not null. Its identity does not matter.
    Present(AccessPath, ClassName),
    /// A decision over the inputs, as in a [`crate::path::PathCondition`].
    Value(Clause),
}

/// The decisions of one run of a method since its entry, over the heap at that entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StructuralCondition {
    /// The method that was entered.
    pub(crate) method: MethodRef,
    /// The inputs in the order of their first read. `v<i>` in a term is a part of the input at
    /// index `i`.
    pub inputs: Vec<StructuralInput>,
    /// The clauses in run order.
    pub clauses: Vec<StructuralClause>,
    /// Hash over the branch outcomes between the entry and the end of the method, as in a path
    /// condition.
    pub signature: u64,
    /// Number of branch outcomes in `signature`.
    pub branches: u64,
    /// Number of clauses that exceeded the limit of the replay and were dropped.
    pub dropped: u64,
    /// Number of clauses before the first concretised value. `None`: no value was concretised, and
    /// the condition decides the path.
    pub inexact_from: Option<usize>,
}

impl StructuralCondition {
    /// The input that a symbol is a part of; `None` for a symbol of another condition.
    pub(crate) fn input(&self, symbol: Symbol) -> Option<&StructuralInput> {
        self.inputs.get(symbol.statement as usize)
    }

    /// Whether the clauses state everything that decided the run.
    pub fn is_exact(&self) -> bool {
        self.dropped == 0 && self.inexact_from.is_none()
    }
}

/// The result of a replay in the structural view.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Structure {
    /// The clauses over the entry heap.
    pub condition: StructuralCondition,
    /// The heap at the entry as far as it is known: values known at the entry, and values that the
    /// run read later without writing them before.
    pub heap: EntryHeap,
}
