//! `invokedynamic` and dynamic constants, and what several kinds of call sites need: the type of an
//! object, and callbacks into recorded code. In: call sites and arguments; out: results. Must not
//! know class files.

use std::collections::HashMap;
use std::sync::Arc;

use tracewright_trace::Event;

use super::Machine;
use super::step::Flow;
use crate::program::{ClassName, JavaType, MethodRef};
use crate::symbolic::completion::{Completion, InterpResult};
use crate::symbolic::data::call_sites::CallSite;
use crate::symbolic::data::code::{NO_SITE, Op};
use crate::symbolic::data::ids::{FieldIx, InvokeIx, MethodIx, SlotKind, TypeIx};
use crate::symbolic::data::objects::{Object, ObjectBody, ObjectId, Slot};
use crate::symbolic::reason::UnsupportedReason;

impl Machine<'_, '_> {
    /// Executes an `invokedynamic`.
    pub(crate) fn invoke_dynamic(&mut self, ix: InvokeIx, arguments: &[Slot], floor: usize) -> InterpResult<Flow> {
        let site = self.linked.invoke(ix).site.clone();
        if !self.frames.is_recorded() {
            return match site.as_deref() {
                Some(CallSite::Lambda(site)) => self.new_lambda(site.clone(), arguments),
                // Mostly messages of exceptions.
                Some(CallSite::Concat(_)) => self.unknown_concatenation(ix, arguments),
                _ => self.abort_for_good(UnsupportedReason::InterpretedInvokeDynamic),
            };
        }
        match site.as_deref() {
            Some(CallSite::Lambda(site)) => self.make_lambda(site.clone(), ix, arguments, floor),
            Some(CallSite::Concat(parts)) => self.concat_site(parts, ix, arguments, floor),
            Some(CallSite::Record(site)) => self.record_call(site, ix, arguments, floor),
            Some(CallSite::Switch(labels)) => self.pattern_switch(labels, ix, arguments, floor),
            Some(CallSite::Other) | None => self.outer_call(ix, ix, None, arguments, Vec::new(), floor),
        }
    }

    /// Loads a dynamic constant, which its bootstrap method made in this run or an earlier one.
    pub(crate) fn dynamic_constant(&mut self, field: FieldIx, maker: Option<MethodIx>, floor: usize) -> InterpResult<Flow> {
        let kind = self.linked.field(field).kind;
        let mut value = None;
        while let Some(Event::Entry { site }) = self.cursor.peek() {
            let Some((entered, _)) = self.entry_method(site.0) else { break };
            if value.is_some() || self.is_entered_later(entered) {
                break;
            }
            let is_maker = maker == Some(entered);
            match self.run_nested_entry()? {
                Completion::Returned(made) if is_maker => {
                    let returns = maker.map(|maker| SlotKind::of(&self.linked.method(maker).reference.return_type()));
                    value = match (returns, kind) {
                        (Some(SlotKind::Ref), SlotKind::Ref) => Some(made),
                        (Some(SlotKind::Ref), _) => match self.object(made.object()).body {
                            ObjectBody::Boxed(content) => Some(Slot { bits: content.bits, term: made.term.or(content.term) }),
                            _ => None,
                        },
                        (Some(returns), kind) if returns == kind => Some(made),
                        _ => None,
                    };
                }
                Completion::Returned(_) => {}
                Completion::Threw(_) => {
                    let exception = self.inferred_exception("constant of a bootstrap method")?;
                    return self.throw(exception, floor);
                }
            }
        }
        let value = match value.or_else(|| self.heap.static_field(field)) {
            Some(value) => value,
            None if kind == SlotKind::Ref => Slot::reference(self.unknown_object()?),
            None => return self.unsupported(UnsupportedReason::PrimitiveDynamicConstant),
        };
        self.heap.set_static(field, value);
        self.push_kind(kind, value);
        self.frames.advance();
        Ok(None)
    }

    /// Whether the entry belongs to an instruction after this one. A constant from an earlier run
    /// has no entry.
    fn is_entered_later(&self, entered: MethodIx) -> bool {
        let info = self.linked.method(entered);
        if info.is_clinit {
            return false;
        }
        for instr in self.frames.code().ops.iter().skip(self.frames.pc() + 1) {
            match instr.op {
                Op::Invoke(ix) => {
                    let called = &self.linked.invoke(ix).reference;
                    return called.name == info.reference.name && called.descriptor == info.reference.descriptor;
                }
                Op::Dynamic(_, maker) if maker == Some(entered) => return true,
                Op::If(..) | Op::IfIcmp(..) | Op::IfAcmp(..) | Op::IfNull(..) | Op::Switch(_) | Op::Return(_) | Op::Throw => {
                    return false;
                }
                Op::Goto(_) => return true,
                _ if instr.site != NO_SITE => return false,
                _ => {}
            }
        }
        false
    }

    /// Allocates an object of an unknown class with unknown fields.
    pub(crate) fn unknown_object(&mut self) -> InterpResult<ObjectId> {
        let body = ObjectBody::Fields(Vec::new());
        self.context().allocate(Object { ty: None, hash: 0, zeroed: false, escaped: true, body })
    }

    /// Whether the object is an instance of a type; `None`: its class is unknown.
    pub(crate) fn is_instance(&mut self, object: ObjectId, ty: TypeIx) -> Option<bool> {
        if let ObjectBody::Lambda { site, .. } = &self.object(object).body {
            let site = site.clone();
            return Some(
                *self.linked.ty(ty) == JavaType::class("java/lang/Object")
                    || site.interfaces.iter().any(|&interface| self.linked.is_subtype(interface, ty)),
            );
        }
        let class = self.object(object).ty;
        match class {
            Some(class) if self.linked.is_known(class) => Some(self.linked.is_subtype(class, ty)),
            _ => None,
        }
    }

    /// Runs the recorded methods that a call site calls on its operands. Returns their completions
    /// by operand. `operands`: each object with its method.
    pub(crate) fn run_callbacks_on(&mut self, operands: &[(ObjectId, MethodIx)]) -> InterpResult<HashMap<usize, Completion>> {
        let mut results = HashMap::new();
        while let [Event::Entry { site }, rest @ ..] = self.cursor.remaining() {
            let Some((entered, _)) = self.entry_method(site.0) else { break };
            let receiver = match rest.first() {
                Some(Event::ArgRef { value, .. }) => Some(*value),
                _ => None,
            };
            let fits = |machine: &Self, object: ObjectId| {
                let known = machine.object(object);
                receiver.is_some_and(|receiver| known.hash == receiver.hash || known.hash == 0)
            };
            let mut fitting: Vec<usize> = Vec::new();
            for (at, &(object, method)) in operands.iter().enumerate() {
                if method == entered && !results.contains_key(&at) && fits(self, object) {
                    fitting.push(at);
                }
            }
            let Some(&at) = fitting.first() else {
                self.run_nested_entry()?;
                continue;
            };
            let completion = self.run_nested_entry_with(Some(&[Slot::reference(operands[at].0)]))?;
            results.insert(at, completion);
        }
        Ok(results)
    }

    /// The recorded method that a virtual call on the object selects; `None`: it is unrecorded or
    /// unknown.
    pub(crate) fn recorded_method(&mut self, object: ObjectId, method: &MethodRef) -> Option<MethodIx> {
        let ty = match &self.object(object).body {
            ObjectBody::Lambda { site, .. } => site.interfaces.first().copied(),
            _ => self.object(object).ty,
        }?;
        let target = self.linked.statement_target(method, Some(ty))?;
        let info = self.linked.method(target);
        (info.has_code && self.is_recorded_class(info.ty)).then_some(target)
    }
}

/// A reference to a method of `java.lang.Object`.
pub(crate) fn object_method(name: &str, descriptor: &str) -> MethodRef {
    MethodRef { owner: ClassName::new("java/lang/Object"), name: Arc::from(name), descriptor: Arc::from(descriptor) }
}
