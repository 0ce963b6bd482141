//! The structural view: inputs and clauses over access paths of the heap that the method under test
//! was entered with (sushi §2.2). In: every read and write since the entry, which the machine and
//! the models report to the hooks; out: a [`Structure`](crate::structure::Structure). Its state is
//! [`StructuralView`](crate::symbolic::state::structural_view::StructuralView). The product does
//! not switch this view on yet. Must not know single instructions.
//!
//! The first read of a variable of the heap makes its value an input, or adds a clause that says
//! what the reference is. Only variables of objects that an access path leads to are read so. A
//! reference that is copied before its first read keeps the path of its origin.

mod hooks;
mod naming;
mod picture;

use std::collections::HashSet;
use std::rc::Rc;

use super::context::ModelContext;
use super::data::code::{Code, Op};
use super::data::ids::{MethodIx, SlotKind};
use super::data::objects::{ObjectBody, Slot};
use crate::structure::{AccessPath, AccessStep, Root};

/// Objects, and cells of one array, that the picture of an entry heap has before the run reads
/// more.
const OBJECTS: usize = 20_000;
const CELLS: u32 = 4_096;

/// The parameters of the method under test when it is entered.
#[derive(Debug)]
pub(crate) struct EntryParameters {
    /// Values of primitive parameters with their terms, by local variable.
    pub(crate) values: Vec<(u16, Slot)>,
    /// The method's code with observed loads and stores of reference parameters.
    pub(crate) code: Rc<Code>,
}

impl ModelContext<'_, '_> {
    /// Begins the structural view at the entry of the method under test, whose frame is the current
    /// one. The caller gives the frame the returned values and code.
    pub(crate) fn begin_entry(&mut self, method: MethodIx) -> EntryParameters {
        self.path.restart();
        let info = self.linked.method(method);
        let (reference, is_init, is_static) = (info.reference.clone(), info.is_init, info.is_static);
        let parameters = info.parameters.clone();
        self.view.begin_entry(reference.clone(), self.heap.opaque_calls());
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
        self.picture(reference, &roots);
        let (mut observed, mut values) = (HashSet::new(), Vec::new());
        for (root, kind, local) in roots {
            let path = AccessPath::new(root);
            if kind == SlotKind::Ref {
                observed.insert(local);
                if let Some(entry) = self.view.entry_mut() {
                    entry.add_parameter(local, path);
                }
            } else if let Some(term) = self.input(&path, kind) {
                values.push((local, Slot { term: Some(term), ..self.frames.local(local) }));
            }
        }
        EntryParameters { values, code: Rc::new(observed_code(self.frames.code(), &observed)) }
    }

    /// Ends the structural view and builds the structure.
    pub(crate) fn end_entry(&mut self) {
        self.draw_constants();
        self.view.end_entry(self.path.condition());
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

/// The code with observed loads and stores of these parameters.
fn observed_code(code: &Code, locals: &HashSet<u16>) -> Code {
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
