//! The structural view: inputs and clauses over access paths of the heap that the method under test
//! was entered with. In: every read and write since the entry; out: a [`Structure`]. The product
//! does not switch this view on yet; it becomes part of the product later. Outside it there is no
//! [`StructuralEntry`]. Must not know single instructions.
//!
//! A variable of the heap is asked for at its first read: its value becomes an input, or a clause says what the reference is. That holds
//! for variables of objects that a path leads to. A reference that is copied before its first read keeps the path of its origin.

mod hooks;
mod naming;
mod picture;

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use super::config::View;
use super::data::code::{Code, Op};
use super::data::ids::{MethodIx, SlotKind};
use super::data::objects::{ObjectBody, Slot};
use super::machine::Machine;
use super::state::entry::StructuralEntry;
use crate::program::{ClassName, MethodRef};
use crate::structure::{AccessPath, AccessStep, EntryHeap, Root, StructuralClause, StructuralCondition, Structure};

/// Objects, and cells of one array, that the picture of an entry heap has before the run reads
/// more.
const OBJECTS: usize = 20_000;
const CELLS: u32 = 4_096;

impl Machine<'_, '_> {
    // Begin and end.

    /// Begins the structural view when the method under test is entered; its frame is the current
    /// one. Does nothing in the parametric view, and for other statements.
    pub(crate) fn begin_entry(&mut self, method: MethodIx) {
        let target = self.test.target().map(|(index, _)| index);
        if self.config.view != View::Structural || target != Some(self.statement as usize) {
            return;
        }
        self.path.restart();
        let info = self.linked.method(method);
        let (reference, is_init, is_static) = (info.reference.clone(), info.is_init, info.is_static);
        let parameters = info.parameters.clone();
        self.entry = Some(Box::new(StructuralEntry {
            method: reference.clone(),
            inputs: Vec::new(),
            marks: Vec::new(),
            pending: HashMap::new(),
            named: HashMap::new(),
            touched: HashSet::new(),
            answers: HashMap::new(),
            copied: HashMap::new(),
            constants: HashMap::new(),
            steps: HashMap::new(),
            heap: EntryHeap::new(reference),
            opaque_calls: self.opaque_calls,
            log: Vec::new(),
        }));
        let mut roots = Vec::new();
        let mut local = u16::from(!is_static);
        // A constructor's object has no state yet.
        if !is_static && !is_init {
            roots.push((Root::This, SlotKind::Ref, 0));
        }
        for (index, &kind) in (0..).zip(parameters.iter()) {
            roots.push((Root::Argument(index), kind, local));
            local += 1 + u16::from(kind.is_wide());
        }
        self.picture(&roots);
        let mut asked = HashSet::new();
        for (root, kind, local) in roots {
            let path = AccessPath::new(root);
            if kind == SlotKind::Ref {
                asked.insert(local);
                if let Some(entry) = &mut self.entry {
                    entry.pending.insert(local, path);
                }
            } else if let Some(term) = self.input(&path, kind) {
                let value = Slot { term: Some(term), ..self.frames.local(local) };
                self.frames.set_local(local, value);
            }
        }
        self.frames.replace_code(Rc::new(watched(self.frames.code(), &asked)));
    }

    /// Ends the structural view and builds the structure.
    pub(crate) fn end_entry(&mut self) {
        if self.entry.is_none() {
            return;
        }
        self.note_constants();
        let Some(entry) = self.entry.take() else { return };
        let StructuralEntry { method, inputs, marks, heap, .. } = *entry;
        let path = self.path.condition();
        let inexact_from = path.inexact_from.map(|from| from + marks.iter().filter(|mark| mark.is_exact).count());
        let mut clauses = Vec::with_capacity(path.clauses.len() + marks.len());
        let mut marks = marks.into_iter().peekable();
        for (index, clause) in path.clauses.iter().enumerate() {
            while let Some(mark) = marks.next_if(|mark| mark.behind <= index) {
                clauses.push(mark.clause);
            }
            clauses.push(StructuralClause::Value(clause.clone()));
        }
        clauses.extend(marks.map(|mark| mark.clause));
        let (signature, branches, dropped) = (path.signature, path.branches, path.dropped);
        let condition = StructuralCondition { method, inputs, clauses, signature, branches, dropped, inexact_from };
        self.structure = Some(Structure { condition, heap });
    }

    // Checkpoints.

    /// Length of the log of changes; 0 outside the structural view.
    pub(super) fn entry_mark(&self) -> usize {
        self.entry.as_ref().map_or(0, |entry| entry.log.len())
    }

    /// Undoes the changes behind a mark.
    pub(super) fn roll_back_entry(&mut self, mark: usize) {
        if let Some(entry) = &mut self.entry {
            entry.roll_back(mark);
        }
    }

    /// Makes all changes permanent.
    pub(crate) fn commit_entry(&mut self) {
        if let Some(entry) = &mut self.entry {
            entry.log.clear();
        }
    }
}

/// Whether the contents are an input, rather than fields of the object.
fn is_value(body: &ObjectBody) -> bool {
    matches!(body, ObjectBody::Str(_) | ObjectBody::Boxed(_))
}

/// The access step to a box's value.
fn content_step() -> AccessStep {
    AccessStep::Field { owner: None, name: "value".into() }
}

fn nowhere() -> MethodRef {
    MethodRef::new(ClassName::new("java/lang/Object"), "<init>", "()V")
}

/// The code with observed loads and stores of these parameters.
fn watched(code: &Code, locals: &HashSet<u16>) -> Code {
    let mut code = code.clone();
    for instr in &mut code.ops {
        instr.op = match instr.op {
            Op::Load(local) if locals.contains(&local) => Op::LoadInput(local),
            Op::Store(local) if locals.contains(&local) => Op::StoreInput(local),
            op => op,
        };
    }
    code
}
