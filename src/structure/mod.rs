//! Structural path conditions: what must hold of the heap at the entry of the method under test for its run to go the way it went (sushi
//! §2.2 and §3.1). Flows in: clauses in run order, and the heap at an entry, both from the replay; flows out: values that can be printed,
//! read and compared, and whether a condition holds of another run's heap. Must not know the interpreter or the solver.
//!
//! The heap is looked at by generalised lazy initialisation: nothing is said of a reference until the run reads it out of the entry heap for the
//! first time (an argument, `this` among them: until its local variable is loaded first), and then one clause says what it is. *The order of
//! the clauses is that of these reads*, with the decisions of the run between them, so that each prefix is a condition of its own:
//! a clause speaks only of objects that the clauses before it have named. What the run wrote before it read it is no input, nor is anything
//! that the run made since the entry.
//!
//! Strings and boxes are values here: which object they are is not asked, so that two equal ones from a pool are no aliases.

mod heap;
mod holds;
mod text;

pub(crate) use heap::{EntryHeap, EntryId, EntryObject, EntryValue, Found};

use std::sync::Arc;

use crate::expr::{Symbol, SymbolKind};
use crate::path::Clause;
use crate::program::{ClassName, MethodRef};

/// Where an access path begins.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Root {
    This,
    /// Counted from 0, without the receiver; a long or double is one.
    Argument(u32),
    /// A static field in the class that declares it: of recorded code, or the constant of a library that an object was compared with.
    Static {
        owner: ClassName,
        name: Arc<str>,
    },
}

/// One read on the way.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum AccessStep {
    /// A field by its name; `owner` where a subclass of the declaring class hides it with a field of the same name.
    Field { owner: Option<ClassName>, name: Arc<str> },
    /// A cell of an array.
    Cell(u32),
    /// The length of an array: always the last step.
    Length,
}

/// A variable of the heap at the entry, by the reads that lead to it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct AccessPath {
    pub(crate) root: Root,
    pub(crate) steps: Vec<AccessStep>,
}

impl AccessPath {
    pub(crate) fn new(root: Root) -> AccessPath {
        AccessPath { root, steps: Vec::new() }
    }

    /// One read further.
    pub(crate) fn then(&self, step: AccessStep) -> AccessPath {
        let mut steps = Vec::with_capacity(self.steps.len() + 1);
        steps.extend_from_slice(&self.steps);
        steps.push(step);
        AccessPath { root: self.root.clone(), steps }
    }
}

/// What an input is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum InputType {
    /// A primitive, `v<i>`: a field, a cell, an argument, what a box holds, or (`Length`) the length of an array.
    Primitive(SymbolKind),
    /// The text of a string or builder: `v<i>.length`, and its UTF-16 units `v<i>[k]`, of which those behind the end mean nothing.
    String,
}

/// A primitive or text of the entry heap that the run read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StructuralInput {
    pub path: AccessPath,
    pub(crate) ty: InputType,
}

/// One clause.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StructuralClause {
    Null(AccessPath),
    /// The same object as the one that the second path named before.
    Alias(AccessPath, AccessPath),
    /// An object of this run-time class (an array by its descriptor), and none of those that earlier `Fresh` clauses name. A class that no
    /// other JVM would know (of a lambda, of a stub) is `java/lang/Object`, and the condition is not exact from there.
    Fresh(AccessPath, ClassName),
    /// A string or box, so of this run-time class and not null; which object it is is not asked.
    Present(AccessPath, ClassName),
    /// A decision over the inputs, as in a [`crate::path::PathCondition`].
    Value(Clause),
}

/// The decisions of one run of a method since its entry, over the heap at that entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StructuralCondition {
    /// The method that was entered.
    pub(crate) method: MethodRef,
    /// By number: `v<i>` in terms is a part of the input at position *i*. In the order in which the run read them.
    pub inputs: Vec<StructuralInput>,
    pub clauses: Vec<StructuralClause>,
    /// As in a path condition, of the branches between the entry and the end of the method.
    pub signature: u64,
    pub branches: u64,
    /// Clauses that were not kept because the run's bound was reached.
    pub dropped: u64,
    /// Number of clauses before the first value that was concretised; `None`: nothing was, and the condition decides the path.
    pub inexact_from: Option<usize>,
}

impl StructuralCondition {
    /// The input that a symbol is a part of.
    pub(crate) fn input(&self, symbol: Symbol) -> Option<&StructuralInput> {
        self.inputs.get(symbol.statement as usize)
    }

    /// Whether all that decided the run is said.
    pub fn is_exact(&self) -> bool {
        self.dropped == 0 && self.inexact_from.is_none()
    }
}

/// What a replay in the structural view gives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Structure {
    pub condition: StructuralCondition,
    /// The heap at the entry, as far as it is known: what the replay knew then, and what the run read later without having written it.
    pub heap: EntryHeap,
}
