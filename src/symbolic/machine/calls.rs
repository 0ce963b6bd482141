//! Calls (JVMS §2.11.8). A recorded callee is entered, a library method is modelled or interpreted,
//! and the result of any other call is taken from the recording, with callbacks. Must not know
//! other instructions.

use tracewright_trace::Event;

use super::Machine;
use super::concat::returns_string_of_argument;
use super::interpretation::Awaited;
use super::step::Flow;
use crate::program::MethodRef;
use crate::symbolic::arith;
use crate::symbolic::completion::{Completion, InterpResult};
use crate::symbolic::data::call_sites::ResultConversion;
use crate::symbolic::data::ids::{InvokeIx, MethodIx, SlotKind, TypeIx};
use crate::symbolic::data::natives::{changes_nothing, only_asks};
use crate::symbolic::data::objects::{ObjectBody, ObjectId, Slot};
use crate::symbolic::linked::InvokeKind;
use crate::symbolic::models::{LibraryModel, ModelResult};
use crate::symbolic::models::{leaves_arrays_unchanged, leaves_builders_unchanged};
use crate::symbolic::reason::UnsupportedReason;

impl Machine<'_, '_> {
    /// Executes an invoke instruction.
    pub(crate) fn invoke(&mut self, ix: InvokeIx, floor: usize) -> InterpResult<Flow> {
        let (kind, parameters) = (self.linked.invoke(ix).kind, self.linked.invoke(ix).parameters.clone());
        if kind == InvokeKind::Static
            && let Some(owner) = self.linked.invoke(ix).owner
            && let Some(exception) = self.initialise(owner)?
        {
            return self.throw(exception, floor);
        }
        let mut arguments = vec![Slot::ZERO; parameters.len()];
        for (argument, &kind) in arguments.iter_mut().zip(parameters.iter()).rev() {
            *argument = self.pop_kind(kind);
        }
        let target = match kind {
            InvokeKind::Dynamic => return self.invoke_dynamic(ix, &arguments, floor),
            InvokeKind::Static => self.linked.invoke(ix).direct,
            InvokeKind::Virtual | InvokeKind::Special => {
                let receiver = arguments.first().map_or(ObjectId::NULL, |slot| slot.object());
                if receiver.is_null() {
                    return self.throw_new("java/lang/NullPointerException", floor);
                }
                if matches!(self.object(receiver).body, ObjectBody::Lambda { .. } | ObjectBody::Handle(_))
                    && let Some(flow) = self.call_object(ix, &arguments, ix, &[], floor)?
                {
                    return Ok(flow);
                }
                self.selected(ix, receiver)
            }
        };
        if !self.frames.is_recorded() {
            return self.inner_call(ix, target, &mut arguments, Vec::new(), floor);
        }
        if let Some(target) = target
            && let Some(flow) = self.step_into(target, &mut arguments, Vec::new())?
        {
            return Ok(flow);
        }
        self.outer_call(ix, ix, target, &arguments, Vec::new(), floor)
    }

    /// Begins the frame of a recorded callee; `None`: the recording does not enter it.
    pub(crate) fn step_into(
        &mut self,
        target: MethodIx,
        arguments: &mut [Slot],
        given: Vec<ResultConversion>,
    ) -> InterpResult<Option<Flow>> {
        loop {
            let Some(Event::Entry { site }) = self.cursor.peek() else { return Ok(None) };
            match self.entry_method(site.0) {
                Some((entered, base)) if entered == target => {
                    self.cursor.advance();
                    self.check_arguments(target, arguments)?;
                    self.enter(target, base, arguments)?;
                    self.frames.set_conversions(given);
                    return Ok(Some(None));
                }
                Some((entered, _)) if self.linked.method(entered).is_clinit => {
                    // An exception of the initialiser shows again as the exception of the call.
                    self.run_nested_entry()?;
                }
                entered => {
                    let info = self.linked.method(target);
                    if !info.has_code || !self.is_recorded_class(info.ty) {
                        return Ok(None);
                    }
                    let expected = format!("entry into {}", self.linked.method(target).reference);
                    let found = match entered {
                        Some((entered, _)) => format!("entry into {}", self.linked.method(entered).reference),
                        None => format!("entry at {site}"),
                    };
                    return self.diverge(&expected, &found);
                }
            }
        }
    }

    /// The model's result of a call: of the method that the instruction names, else of the selected
    /// method.
    pub(crate) fn modelled(
        &mut self,
        named: Option<LibraryModel>,
        target: Option<MethodIx>,
        arguments: &[Slot],
    ) -> InterpResult<ModelResult> {
        let outcome = match named {
            Some(model) => self.context().apply_model(model, arguments)?,
            None => ModelResult::Opaque,
        };
        let own = target.and_then(|target| self.linked.method(target).model).filter(|own| named != Some(*own));
        match (outcome, own) {
            (ModelResult::Opaque, Some(model)) => self.context().apply_model(model, arguments),
            (outcome, _) => Ok(outcome),
        }
    }

    /// A call from recorded code whose callee was not recorded. `outer`: the instruction that
    /// receives the result, after the conversions `given`.
    pub(crate) fn outer_call(
        &mut self,
        ix: InvokeIx,
        outer: InvokeIx,
        target: Option<MethodIx>,
        arguments: &[Slot],
        given: Vec<ResultConversion>,
        floor: usize,
    ) -> InterpResult<Flow> {
        if let [value] = *arguments
            && ix == outer
            && returns_string_of_argument(&self.linked.invoke(ix).reference)
        {
            return self.string_of_argument(ix, value, floor);
        }
        let (model, returns) = (self.linked.invoke(ix).model, self.linked.invoke(outer).returns);
        let outcome = self.modelled(model, target, arguments)?;
        if let (ModelResult::Opaque, Some(target)) = (&outcome, target)
            && given.is_empty()
        {
            match self.interpret(target, arguments, Awaited::Return { site: self.site(), returns })? {
                Some(Completion::Returned(value)) => return self.returned(value, &[], floor),
                Some(Completion::Threw(exception)) => return self.throw(exception, floor),
                None => {}
            }
        }
        if matches!(outcome, ModelResult::Opaque) {
            let reference = self.linked.invoke(ix).reference.clone();
            self.pass_to_opaque_code(&reference, arguments);
        }
        let outcome = self.convert_model_result(outcome, &given)?;
        self.conclude(outcome, ix, outer, arguments, floor)
    }

    /// Consumes the recorded result of the current instruction, `outer`, and combines it with the
    /// model's result.
    pub(crate) fn conclude(
        &mut self,
        outcome: ModelResult,
        ix: InvokeIx,
        outer: InvokeIx,
        arguments: &[Slot],
        floor: usize,
    ) -> InterpResult<Flow> {
        let returns = self.linked.invoke(outer).returns;
        match self.next_recorded_result(returns)? {
            Err(exception) => {
                let reference = self.linked.invoke(ix).reference.clone();
                self.check_exception(&outcome, exception, &reference)?;
                self.throw(exception, floor)
            }
            Ok(recorded) => {
                let reference = self.linked.invoke(ix).reference.clone();
                let value = self.combine(outcome, recorded, returns, &reference, arguments)?;
                if let Some(kind) = returns {
                    self.push_kind(kind, value);
                }
                self.frames.advance();
                Ok(None)
            }
        }
    }

    /// Compares the exception of a call with the model's result.
    pub(crate) fn check_exception(&mut self, outcome: &ModelResult, exception: ObjectId, callee: &MethodRef) -> InterpResult<()> {
        let expected = match outcome {
            ModelResult::Opaque => return Ok(()),
            ModelResult::Throws(class) => *class,
            _ => "a return",
        };
        self.counts.count_checked();
        let found = self.type_name(exception);
        if found == expected { Ok(()) } else { self.diverge(&format!("model of {callee}: {expected}"), &found) }
    }

    /// Combines a recorded result with a model's result.
    pub(crate) fn combine(
        &mut self,
        outcome: ModelResult,
        recorded: Slot,
        returns: Option<SlotKind>,
        callee: &MethodRef,
        arguments: &[Slot],
    ) -> InterpResult<Slot> {
        match outcome {
            ModelResult::Void | ModelResult::Recorded => Ok(recorded),
            ModelResult::Throws(class) => self.diverge(&format!("model of {callee}: {class}"), "a return"),
            ModelResult::String(text) => self.context().string_result(text, recorded.object(), &callee.to_string()),
            ModelResult::Opaque => {
                if returns == Some(SlotKind::Ref) {
                    self.context().resync_builder(callee, arguments, recorded.object());
                }
                Ok(self.stub_answer(callee, arguments, recorded))
            }
            ModelResult::Strings(texts) => self.context().strings_result(texts, recorded.object(), callee),
            ModelResult::Object(body) => Ok(self.context().object_result(body, recorded.object())),
            ModelResult::Chars(text) => self.context().char_array_result(text, recorded.object(), callee),
            ModelResult::Box(value) => {
                self.unify_box(recorded.object(), value);
                self.context().box_result(value, recorded.object(), callee)
            }
            ModelResult::Value(value) => {
                self.counts.count_checked();
                let kind = returns.unwrap_or(SlotKind::Int);
                if kind == SlotKind::Ref {
                    if self.is_same(value.object(), recorded.object()) {
                        return Ok(value);
                    }
                    if self.may_alias(value.object(), recorded.object()) {
                        self.name(value.object(), recorded.object());
                        return Ok(value);
                    }
                } else if arith::same(kind.kind(), value.bits, recorded.bits) {
                    return Ok(Slot { bits: recorded.bits, term: value.term });
                }
                self.diverge(&format!("model of {callee}: {:#x}", value.bits), &format!("{:#x}", recorded.bits))
            }
            ModelResult::Approximate(value)
                if arith::same(SlotKind::of(&callee.return_type()).kind(), value.bits, recorded.bits) =>
            {
                Ok(Slot { bits: recorded.bits, term: value.term })
            }
            ModelResult::Approximate(value) => {
                if value.term.is_some() {
                    self.context().record_concretisation(UnsupportedReason::Method(callee.to_string()));
                }
                Ok(recorded)
            }
        }
    }

    /// Gives the object the identity of the recorded one.
    fn name(&mut self, object: ObjectId, recorded: ObjectId) {
        let (hash, ty) = (self.object(recorded).hash, self.object(recorded).ty);
        self.object_mut(object).hash = hash;
        if let Some(ty) = ty
            && hash != 0
        {
            self.heap.set_identity((hash, ty), object);
        }
    }

    fn may_alias(&self, a: ObjectId, b: ObjectId) -> bool {
        a == b || (!a.is_null() && !b.is_null() && self.object(a).ty == self.object(b).ty && self.object(a).hash == 0)
    }

    /// A stub's answer is the test case's variable.
    fn stub_answer(&self, callee: &MethodRef, arguments: &[Slot], recorded: Slot) -> Slot {
        let Some(receiver) = arguments.first() else { return recorded };
        let ObjectBody::Stub { answers, .. } = &self.object(receiver.object()).body else { return recorded };
        let mut fitting = answers.iter().filter(|(name, descriptor, answer)| {
            *name == callee.name && *descriptor == callee.descriptor && answer.bits == recorded.bits
        });
        match (fitting.next(), fitting.next()) {
            (Some((_, _, answer)), None) => *answer,
            // Which of several equal answers it was does not show.
            _ => recorded,
        }
    }

    /// Consumes the recorded result of the call at the current instruction, or returns its
    /// exception. Runs callbacks before it.
    pub(crate) fn next_recorded_result(&mut self, returns: Option<SlotKind>) -> InterpResult<Result<Slot, ObjectId>> {
        let site = self.site();
        loop {
            let found = self.cursor.peek();
            match found {
                Some(Event::Entry { .. }) => {
                    // Opaque code may catch the exception of a callback.
                    self.run_nested_entry()?;
                }
                Some(Event::RetVoid { site: found }) if found.0 == site && returns.is_none() => {
                    self.cursor.advance();
                    return Ok(Ok(Slot::ZERO));
                }
                Some(
                    event @ (Event::Ret32 { site: at, .. } | Event::Ret64 { site: at, .. } | Event::RetRef { site: at, .. }),
                ) if at.0 == site => {
                    let Some(kind) = returns else { return self.mismatch("return of nothing", found) };
                    return match self.value_from_event(kind, event) {
                        Some(value) => value.map(Ok),
                        None => self.mismatch(&format!("return of {kind:?} at site {site}"), found),
                    };
                }
                Some(Event::Caught { .. } | Event::Thrown { .. }) => {
                    return self.inferred_exception("return").map(Err);
                }
                found => return self.mismatch(&format!("return at site {site}"), found),
            }
        }
    }

    /// Ends a call whose frame is gone; the current instruction is the call.
    pub(crate) fn returned(&mut self, value: Slot, given: &[ResultConversion], floor: usize) -> InterpResult<Flow> {
        let Some(crate::symbolic::data::code::Op::Invoke(ix)) =
            self.frames.code().ops.get(self.frames.pc()).map(|instr| instr.op)
        else {
            return self.unsupported(UnsupportedReason::ReturnWithoutCall);
        };
        let returns = self.linked.invoke(ix).returns;
        let value = match self.convert_result(value, given)? {
            Ok(value) => value,
            Err(class) => return self.throw_new(class, floor),
        };
        if !self.frames.is_recorded() {
            if let Some(kind) = returns {
                let Some(value) = value else { return self.abort(UnsupportedReason::UnknownConversion) };
                let value = arith::narrow(self.terms, kind, value);
                self.push_kind(kind, value);
            }
            self.frames.advance();
            return Ok(None);
        }
        let site = self.site();
        let found = self.cursor.peek();
        match (found, returns) {
            (Some(Event::RetVoid { site: at }), None) if at.0 == site => self.cursor.advance(),
            (
                Some(event @ (Event::Ret32 { site: at, .. } | Event::Ret64 { site: at, .. } | Event::RetRef { site: at, .. })),
                Some(kind),
            ) if at.0 == site => {
                let settled = match value {
                    Some(value) => {
                        let value = arith::narrow(self.terms, kind, value);
                        self.confirmed_value(kind, value, event, "return of")
                    }
                    None => self.value_from_event(kind, event),
                };
                match settled {
                    Some(value) => {
                        let value = value?;
                        self.push_kind(kind, value);
                    }
                    None => return self.mismatch(&format!("return of {kind:?}"), found),
                }
            }
            _ => return self.mismatch(&format!("return at site {site}"), found),
        }
        self.frames.advance();
        Ok(None)
    }

    // Entries.

    /// The method of an entry site, and the base of its class's site numbers.
    pub(crate) fn entry_method(&mut self, site: u32) -> Option<(MethodIx, u32)> {
        let table = self.cursor.announced().table_of(site)?;
        let (base, class) = (table.base, table.class.clone());
        let ty = self.linked.named(class.internal());
        self.linked.entry_at(ty, site - base).map(|method| (method, base))
    }

    /// Runs an entry that recorded code did not cause: a class initialiser, or a callback whose
    /// result opaque code takes.
    pub(crate) fn run_nested_entry(&mut self) -> InterpResult<Completion> {
        let completion = self.run_nested_entry_with(None)?;
        if let Completion::Returned(Slot { term: Some(_), .. }) = completion {
            self.context().record_concretisation(UnsupportedReason::CallbackResult);
        }
        Ok(completion)
    }

    /// Runs a callback whose result the replay takes. `known`: the first arguments, as far as they
    /// are known.
    pub(crate) fn run_nested_entry_with(&mut self, known: Option<&[Slot]>) -> InterpResult<Completion> {
        let Some(Event::Entry { site }) = self.cursor.peek() else { return self.mismatch("entry", self.cursor.peek()) };
        let Some((method, base)) = self.entry_method(site.0) else {
            return self.unsupported(UnsupportedReason::EntryOfMissingClass);
        };
        if self.frames.nesting() >= self.config.nesting {
            return self.budget("nesting of call-backs");
        }
        self.cursor.advance();
        let captured = self.captured_by_only_lambda(method);
        let mut arguments = self.recorded_arguments(method, known.or(captured.as_deref()).unwrap_or_default())?;
        self.captured_terms(method, &mut arguments);
        let returns_reference = SlotKind::of(&self.linked.method(method).reference.return_type()) == SlotKind::Ref;
        let floor = self.frames.depth();
        self.enter(method, base, &arguments)?;
        self.frames.begin_nested();
        let completion = self.run(floor);
        self.frames.end_nested();
        if returns_reference && let Ok(Completion::Returned(value)) = completion {
            self.context().escape(&[value]);
        }
        completion
    }

    fn recorded_arguments(&mut self, method: MethodIx, known: &[Slot]) -> InterpResult<Vec<Slot>> {
        let info = self.linked.method(method);
        let (is_init, is_static, ty, parameters) = (info.is_init, info.is_static, info.ty, info.parameters.clone());
        let mut arguments = Vec::with_capacity(parameters.len() + 1);
        let mut expected: Vec<SlotKind> = Vec::with_capacity(parameters.len() + 1);
        if is_init {
            let object = self.context().new_object(ty)?;
            self.heap.record_opaque_construction(object);
            // The end of such a run tells the constructed object, which may have an unrecorded
            // subclass.
            if self.frames.nesting() == 0
                && let Some(made) = self.cursor.made()
                && let Some(made_ty) = self.type_of_class(made)
            {
                self.object_mut(object).ty = Some(made_ty);
                self.record_identity(object, made, made_ty);
            }
            arguments.push(Slot::reference(object));
        } else if !is_static {
            expected.push(SlotKind::Ref);
        }
        expected.extend(parameters.iter());
        for kind in expected {
            let found = self.cursor.peek();
            // An object whose identity hash is not known yet.
            if let (Some(Event::ArgRef { value, .. }), Some(known)) = (found, known.get(arguments.len()))
                && kind == SlotKind::Ref
                && self.object(known.object()).hash == 0
                && self.same_reference(known.object(), *value, None)
            {
                self.cursor.advance();
                self.cursor.contents();
                arguments.push(*known);
                continue;
            }
            let taken = match found {
                Some(event @ (Event::Arg32 { .. } | Event::Arg64 { .. } | Event::ArgRef { .. })) => {
                    self.value_from_event(kind, event)
                }
                _ => None,
            };
            match taken {
                Some(value) => arguments.push(value?),
                None => return self.mismatch(&format!("argument of {kind:?}"), found),
            }
        }
        if is_init {
            // Opaque code holds what it constructs; no argument can be the uninitialised object
            // (JVMS §4.10.2.4).
            self.context().escape(&arguments[..1]);
        }
        Ok(arguments)
    }

    /// Compares the arguments at a recorded entry with the computed ones.
    pub(crate) fn check_arguments(&mut self, method: MethodIx, arguments: &mut [Slot]) -> InterpResult<()> {
        let info = self.linked.method(method);
        let (is_init, is_static, parameters) = (info.is_init, info.is_static, info.parameters.clone());
        let receiver = (!is_static).then_some(SlotKind::Ref);
        for (position, (kind, argument)) in receiver.iter().chain(parameters.iter()).zip(arguments).enumerate() {
            if is_init && position == 0 {
                continue;
            }
            let found = self.cursor.peek();
            let checked = match found {
                Some(event @ (Event::Arg32 { .. } | Event::Arg64 { .. } | Event::ArgRef { .. })) => {
                    self.confirmed_value(*kind, *argument, event, "argument")
                }
                _ => None,
            };
            match checked {
                Some(checked) => *argument = checked?,
                None => return self.mismatch(&format!("argument {position} of {kind:?}"), found),
            }
        }
        Ok(())
    }

    /// Runs the initialisers that an instruction starts (JVMS §5.5): of the class, its superclasses
    /// and superinterfaces. Returns the exception that ended one.
    pub(crate) fn initialise(&mut self, ty: TypeIx) -> InterpResult<Option<ObjectId>> {
        if self.heap.is_initialising() {
            return Ok(None);
        }
        while let Some(Event::Entry { site }) = self.cursor.peek() {
            let Some((method, _)) = self.entry_method(site.0) else { return Ok(None) };
            let info = self.linked.method(method);
            let (is_clinit, class) = (info.is_clinit, info.ty);
            if !is_clinit || !self.linked.is_subtype(ty, class) {
                return Ok(None);
            }
            if let Completion::Threw(_) = self.run_nested_entry()? {
                return self.inferred_exception("exception of a class initialiser").map(Some);
            }
        }
        Ok(None)
    }

    // Objects that opaque code can reach.

    /// Passes arguments to opaque code, which may change arrays, builders and fields that it can
    /// reach.
    pub(crate) fn pass_to_opaque_code(&mut self, callee: &MethodRef, arguments: &[Slot]) {
        if !changes_nothing(callee) {
            self.heap.count_opaque_call();
        }
        self.counts.count_opaque_call();
        let mut carried = arguments.iter().any(|slot| slot.term.is_some());
        // Only references: the bits of other values are no object numbers.
        let (receiver, declared) = match callee.parameters() {
            declared if declared.len() < arguments.len() => (true, declared),
            declared => (false, declared),
        };
        let kinds = receiver.then_some(SlotKind::Ref).into_iter().chain(declared.iter().map(SlotKind::of));
        let references: Vec<Slot> =
            kinds.zip(arguments).filter(|(kind, _)| *kind == SlotKind::Ref).map(|(_, &slot)| slot).collect();
        carried |= self.context().escape(&references);
        if receiver
            && !only_asks(callee)
            && let Some(slot) = references.first()
        {
            self.forget_fields_written_outside(slot.object(), &*callee.name == "<init>");
        }
        if !leaves_arrays_unchanged(callee) {
            for slot in &references {
                let object = self.object_mut(slot.object());
                if let ObjectBody::Array(array) = &mut object.body {
                    carried |= array.forget();
                    object.zeroed = false;
                }
            }
        }
        for slot in &references {
            carried |= self.context().release_builder_content(slot.object(), leaves_builders_unchanged(callee));
        }
        if !carried && self.view.is_active() && !(callee.descriptor.ends_with('V') && changes_nothing(callee)) {
            carried = self.context().entry_reached(&references);
        }
        if carried {
            let name = format!("{}.{}", callee.owner, callee.name);
            self.context().record_concretisation(UnsupportedReason::Method(name));
        }
    }
}
