//! Lambdas and method handles. Their hidden classes have no probes, so the conversions of arguments
//! and results (JLS §15.13.3) are done here, and the implementation is entered as any callee. Must
//! not know how class files encode a call site.

use std::rc::Rc;

use tracewright_classfile::Kind;
use tracewright_trace::Event;

use super::Machine;
use super::step::Flow;
use crate::symbolic::arith;
use crate::symbolic::completion::InterpResult;
use crate::symbolic::data::call_sites::{Handle, HandleTarget, LambdaSite, ResultConversion};
use crate::symbolic::data::ids::{FieldIx, InvokeIx, MethodIx, SlotKind, TypeIx};
use crate::symbolic::data::objects::{Object, ObjectBody, ObjectId, Slot, StringContents};
use crate::symbolic::linked::InvokeKind;
use crate::symbolic::models::ModelResult;
use crate::symbolic::reason::UnsupportedReason;

/// Lambdas of one implementation that are compared, at most.
const LAMBDAS: usize = 64;

/// The class of the exception that a conversion throws, or its result; `None`: not known.
type Converted = Result<Option<Slot>, &'static str>;

impl Machine<'_, '_> {
    // Creation.

    /// Executes a lambda call site of recorded code.
    pub(crate) fn make_lambda(
        &mut self,
        site: Rc<LambdaSite>,
        ix: InvokeIx,
        captured: &[Slot],
        floor: usize,
    ) -> InterpResult<Flow> {
        let made = self.heap.len();
        match self.next_recorded_result(Some(SlotKind::Ref))? {
            Err(exception) => self.throw(exception, floor),
            Ok(recorded) => {
                let object = recorded.object();
                if object.is_null() {
                    return self.diverge(&format!("a lambda of {}", self.linked.invoke(ix).reference), "null");
                }
                let is_new = object.0 as usize >= made;
                if !is_new && !captured.is_empty() && matches!(self.object(object).body, ObjectBody::Lambda { .. }) {
                    self.counts.count_ambiguous_identity();
                }
                if is_new {
                    self.object_mut(object).escaped = false;
                }
                self.set_lambda(object, site, captured);
                self.push(recorded);
                self.frames.advance();
                Ok(None)
            }
        }
    }

    /// Makes a lambda in interpreted code.
    pub(crate) fn new_lambda(&mut self, site: Rc<LambdaSite>, captured: &[Slot]) -> InterpResult<Flow> {
        let body = ObjectBody::Lambda { site: site.clone(), captured: captured.into() };
        let object = self.context().allocate(Object { ty: None, hash: 0, zeroed: false, escaped: false, body })?;
        self.set_lambda(object, site, captured);
        self.push(Slot::reference(object));
        self.frames.advance();
        Ok(None)
    }

    /// Turns the object into a lambda of the call site with these captured values.
    pub(crate) fn set_lambda(&mut self, object: ObjectId, site: Rc<LambdaSite>, captured: &[Slot]) {
        if !captured.is_empty()
            && let Some(method) = self.linked.implementation(&site.implementation)
        {
            self.heap.record_lambda(method, object);
        }
        if self.object(object).escaped {
            self.escape_values(&site, captured);
        }
        self.object_mut(object).body = ObjectBody::Lambda { site, captured: captured.into() };
    }

    fn escape_values(&mut self, site: &LambdaSite, captured: &[Slot]) {
        let references = site.captured.iter().zip(captured).filter(|(ty, _)| self.linked.kind_of(**ty) == SlotKind::Ref);
        let references: Vec<Slot> = references.map(|(_, &slot)| slot).collect();
        self.context().escape(&references);
    }

    // Callbacks.

    /// The first arguments of an entry into the method, if exactly one lambda runs it.
    pub(crate) fn captured_by_only_lambda(&self, method: MethodIx) -> Option<Rc<[Slot]>> {
        match self.heap.lambdas(method) {
            [only] => self.captured_of(*only, method),
            _ => None,
        }
    }

    fn captured_of(&self, object: ObjectId, method: MethodIx) -> Option<Rc<[Slot]>> {
        match &self.object(object).body {
            ObjectBody::Lambda { site, captured } if self.linked.implementation(&site.implementation) == Some(method) => {
                Some(captured.clone())
            }
            _ => None,
        }
    }

    /// Gives the recorded arguments of a callback the terms of the captured values.
    pub(crate) fn captured_terms(&mut self, method: MethodIx, arguments: &mut [Slot]) {
        let lambdas = self.heap.lambdas(method).iter();
        let fitting: Vec<Rc<[Slot]>> = lambdas
            .filter_map(|&object| self.captured_of(object, method))
            .filter(|captured| captured.iter().zip(&*arguments).all(|(captured, argument)| captured.bits == argument.bits))
            .take(LAMBDAS)
            .collect();
        let Some(first) = fitting.first() else { return };
        let mut doubtful = fitting.len() == LAMBDAS;
        for (at, captured) in first.iter().enumerate() {
            if fitting.iter().any(|other| other.get(at).is_none_or(|other| other.term != captured.term)) {
                doubtful = true;
            } else if let Some(argument) = arguments.get_mut(at)
                && !doubtful
            {
                *argument = *captured;
            }
        }
        if doubtful {
            self.context().record_concretisation(UnsupportedReason::AmbiguousLambda);
        }
    }

    // Calls.

    /// Calls the functional method of a lambda or a method handle. `None`: it is another method, or
    /// something is unknown.
    pub(crate) fn call_object(
        &mut self,
        ix: InvokeIx,
        arguments: &[Slot],
        outer: InvokeIx,
        given: &[ResultConversion],
        floor: usize,
    ) -> InterpResult<Option<Flow>> {
        let Some((receiver, rest)) = arguments.split_first() else { return Ok(None) };
        let info = self.linked.invoke(ix);
        let from: Vec<SlotKind> = info.parameters.iter().skip(1).copied().collect();
        match &self.object(receiver.object()).body {
            ObjectBody::Lambda { site, captured } => {
                if info.reference.name != site.name || !site.descriptors.contains(&info.reference.descriptor) {
                    return Ok(None);
                }
                let (site, captured) = (site.clone(), captured.clone());
                let mut values = Vec::with_capacity(captured.len() + rest.len());
                let targets = &site.implementation.parameters;
                let via = site.captured.iter().chain(&site.instantiated);
                let from: Vec<SlotKind> =
                    site.captured.iter().map(|&ty| self.linked.kind_of(ty)).chain(from.iter().copied()).collect();
                for (((&value, from), &via), &to) in captured.iter().chain(rest).zip(from).zip(via).zip(targets) {
                    match self.convert(value, from, via, to)? {
                        Err(class) => return self.throw_new(class, floor).map(Some),
                        Ok(None) => return Ok(None),
                        Ok(Some(value)) => values.push(value),
                    }
                }
                self.run_handle(&site.implementation, ix, values, outer, given, floor)
            }
            ObjectBody::Handle(handle) => {
                let handle = handle.clone();
                let is_call = matches!(&*info.reference.name, "invokeExact" | "invoke");
                if !is_call || handle.parameters.len() != from.len() {
                    return Ok(None);
                }
                let mut values = Vec::with_capacity(rest.len());
                for ((&value, from), &to) in rest.iter().zip(from).zip(&handle.parameters) {
                    match self.convert(value, from, to, to)? {
                        Err(class) => return self.throw_new(class, floor).map(Some),
                        Ok(None) => return Ok(None),
                        Ok(Some(value)) => values.push(value),
                    }
                }
                self.run_handle(&handle, ix, values, outer, given, floor)
            }
            _ => Ok(None),
        }
    }

    /// Runs the target of a handle. `called`: the method that the caller names; `outer`: the call
    /// that receives the result, after the conversions `given`.
    fn run_handle(
        &mut self,
        handle: &Handle,
        called: InvokeIx,
        mut values: Vec<Slot>,
        outer: InvokeIx,
        given: &[ResultConversion],
        floor: usize,
    ) -> InterpResult<Option<Flow>> {
        let mut given = given.to_vec();
        if let (Some(from), Some(to)) = (handle.returns, self.linked.invoke(called).returns) {
            let to_type = self.linked.invoke(called).reference.return_type();
            if self.linked.kind_of(from) != to {
                let to = self.linked.type_ix(&to_type);
                given.push(ResultConversion::Converted { from, to });
            }
        }
        let inner = match handle.target {
            HandleTarget::Call(inner) => inner,
            HandleTarget::New(inner, ty) => {
                if let Some(exception) = self.initialise(ty)? {
                    return self.throw(exception, floor).map(Some);
                }
                let object = self.context().new_object(ty)?;
                if self.is_string(ty) {
                    self.object_mut(object).body = ObjectBody::Str(StringContents { units: None, symbolic: None });
                }
                values.insert(0, Slot::reference(object));
                given.push(ResultConversion::Object(object));
                inner
            }
            HandleTarget::Get(field) => {
                let outcome = match self.field_of(handle, field, &values, floor)? {
                    Ok(Some(value)) => self.convert_model_result(ModelResult::Value(value), &given)?,
                    Ok(None) => ModelResult::Opaque,
                    Err(flow) => return Ok(Some(flow)),
                };
                if !self.frames.is_recorded() {
                    return match outcome {
                        ModelResult::Value(value) => self.returned(value, &[], floor).map(Some),
                        _ => self.abort(UnsupportedReason::UnknownField),
                    };
                }
                return self.conclude(outcome, called, outer, &values, floor).map(Some);
            }
        };
        if self.linked.invoke(inner).parameters.len() != values.len() {
            return Ok(None);
        }
        let receiver = values.first().map_or(ObjectId::NULL, |slot| slot.object());
        let target = match self.linked.invoke(inner).kind {
            InvokeKind::Dynamic => return Ok(None),
            InvokeKind::Static => {
                if let Some(owner) = self.linked.invoke(inner).owner
                    && let Some(exception) = self.initialise(owner)?
                {
                    return self.throw(exception, floor).map(Some);
                }
                self.linked.invoke(inner).direct
            }
            InvokeKind::Virtual | InvokeKind::Special => {
                if receiver.is_null() {
                    return self.throw_new("java/lang/NullPointerException", floor).map(Some);
                }
                if let Some(flow) = self.call_object(inner, &values, outer, &given, floor)? {
                    return Ok(Some(flow));
                }
                self.selected(inner, receiver)
            }
        };
        if !self.frames.is_recorded() {
            return self.inner_call(inner, target, &mut values, given, floor).map(Some);
        }
        if let Some(target) = target
            && let Some(flow) = self.step_into(target, &mut values, given.clone())?
        {
            return Ok(Some(flow));
        }
        self.outer_call(inner, outer, target, &values, given, floor).map(Some)
    }

    /// The value of a getter's field; the inner error is the flow after an exception.
    fn field_of(
        &mut self,
        handle: &Handle,
        field: FieldIx,
        values: &[Slot],
        floor: usize,
    ) -> InterpResult<Result<Option<Slot>, Flow>> {
        if handle.parameters.is_empty() {
            if let Some(exception) = self.initialise(self.linked.field(field).owner)? {
                return self.throw(exception, floor).map(Err);
            }
            return Ok(Ok(self.heap.static_field(field)));
        }
        let receiver = values.first().map_or(ObjectId::NULL, |slot| slot.object());
        if receiver.is_null() {
            return self.throw_new("java/lang/NullPointerException", floor).map(Err);
        }
        let (value, changed) = self.context().field_value(receiver, field);
        let same = value.is_some_and(|value| match self.cursor.peek() {
            Some(Event::Ret32 { value: found, .. }) => value.bits == u64::from(*found),
            Some(Event::Ret64 { value: found, .. }) => value.bits == *found,
            Some(Event::RetRef { value: found, .. }) => self.object(value.object()).hash == found.hash,
            _ => false,
        });
        if value.is_some() && changed && !same {
            self.counts.count_resync();
            self.path.mark_inexact();
        }
        let value = match value.filter(|_| same || !changed) {
            Some(value) => Some(self.context().entry_field(receiver, field, value, Some(value))?),
            None => None,
        };
        Ok(Ok(value))
    }

    /// The method that a call selects for the receiver (JVMS §5.4.6).
    pub(crate) fn selected(&mut self, ix: InvokeIx, receiver: ObjectId) -> Option<MethodIx> {
        let known = self.object(receiver);
        let ty = match &known.body {
            // A default method of the functional interface has the lambda as receiver.
            ObjectBody::Lambda { site, .. } => site.interfaces.first().copied(),
            _ => known.ty,
        };
        match ty {
            Some(ty) => self.linked.select(ix, ty),
            None => self.linked.invoke(ix).direct,
        }
    }

    // Conversions.

    /// Converts an argument for the implementation; `via`: its instantiated type.
    fn convert(&mut self, value: Slot, from: SlotKind, via: TypeIx, to: TypeIx) -> InterpResult<Converted> {
        let target = self.linked.kind_of(to);
        Ok(match (from, target) {
            (SlotKind::Ref, SlotKind::Ref) => {
                for ty in [via, to] {
                    if self.linked.kind_of(ty) == SlotKind::Ref && !self.cast_holds(value.object(), ty) {
                        return Ok(Err("java/lang/ClassCastException"));
                    }
                }
                Ok(Some(value))
            }
            (SlotKind::Ref, _) => self.unboxed(value, target),
            (_, SlotKind::Ref) => {
                let kind = self.linked.boxed_kind(to).unwrap_or(from);
                match self.widened(value, from, kind) {
                    Some(value) => Ok(Some(self.fresh_box(kind, value)?)),
                    None => Ok(None),
                }
            }
            _ => Ok(self.widened(value, from, target)),
        })
    }

    fn unboxed(&mut self, value: Slot, target: SlotKind) -> Converted {
        if value.object().is_null() {
            return Err("java/lang/NullPointerException");
        }
        let object = self.object(value.object());
        let (ObjectBody::Boxed(content), Some(ty)) = (&object.body, object.ty) else { return Ok(None) };
        let content = Slot { bits: content.bits, term: value.term.or(content.term) };
        match self.linked.boxed_kind(ty) {
            Some(held) => Ok(self.widened(content, held, target)),
            None => Ok(None),
        }
    }

    /// Widening primitive conversion (JLS §5.1.2); `None`: there is none.
    fn widened(&mut self, value: Slot, from: SlotKind, to: SlotKind) -> Option<Slot> {
        let conversion = match (from.kind(), to.kind()) {
            (a, b) if a == b => {
                let keeps = from == to
                    || matches!(
                        (from, to),
                        (SlotKind::Byte, SlotKind::Short | SlotKind::Int) | (SlotKind::Short | SlotKind::Char, SlotKind::Int)
                    );
                return keeps.then_some(value);
            }
            _ if from == SlotKind::Boolean => return None,
            (Kind::Int, Kind::Long | Kind::Float | Kind::Double)
            | (Kind::Long, Kind::Float | Kind::Double)
            | (Kind::Float, Kind::Double) => arith::conversion_between(from.kind(), to.kind())?,
            _ => return None,
        };
        Some(arith::convert(self.terms, conversion, value))
    }

    /// Allocates a box whose identity only the recording can tell.
    fn fresh_box(&mut self, kind: SlotKind, value: Slot) -> InterpResult<Slot> {
        let ty = self.linked.box_class(kind);
        let body = ObjectBody::Boxed(value);
        let object = self.context().allocate(Object { ty: Some(ty), hash: 0, zeroed: false, escaped: false, body })?;
        Ok(Slot { bits: u64::from(object.0), term: value.term })
    }

    /// The value of a box that [`Self::fresh_box`] made and the recording has not named yet.
    pub(crate) fn fresh_content(&self, value: Slot) -> Option<Slot> {
        let object = self.object(value.object());
        match object.body {
            ObjectBody::Boxed(content) if object.hash == 0 && !object.escaped => Some(content),
            _ => None,
        }
    }

    /// Converts an implementation's result for the caller.
    pub(crate) fn convert_result(&mut self, value: Slot, given: &[ResultConversion]) -> InterpResult<Converted> {
        let mut value = value;
        for &step in given.iter().rev() {
            match step {
                ResultConversion::Object(object) => value = Slot::reference(object),
                ResultConversion::Converted { from, to } => {
                    let from = self.linked.kind_of(from);
                    match self.convert(value, from, to, to)? {
                        Ok(Some(converted)) => value = converted,
                        other => return Ok(other),
                    }
                }
            }
        }
        Ok(Ok(Some(value)))
    }

    /// Converts a model's result of an implementation for the caller.
    pub(crate) fn convert_model_result(&mut self, outcome: ModelResult, given: &[ResultConversion]) -> InterpResult<ModelResult> {
        if given.is_empty() {
            return Ok(outcome);
        }
        let value = match outcome {
            ModelResult::Value(value) => value,
            ModelResult::Box(value) => {
                // The result is unboxed, or stays a reference.
                let Some(ResultConversion::Converted { to, .. }) = given.last() else { return Ok(ModelResult::Opaque) };
                let to = self.linked.kind_of(*to);
                if to == SlotKind::Ref {
                    return Ok(outcome);
                }
                let Some(ResultConversion::Converted { from, .. }) = given.last() else { return Ok(ModelResult::Opaque) };
                let Some(held) = self.linked.boxed_kind(*from) else { return Ok(ModelResult::Opaque) };
                match self.widened(value, held, to) {
                    Some(value) if given.len() == 1 => return Ok(ModelResult::Value(value)),
                    _ => return Ok(ModelResult::Opaque),
                }
            }
            ModelResult::Void => Slot::ZERO,
            ModelResult::Throws(_) | ModelResult::Opaque => return Ok(outcome),
            ModelResult::String(_) | ModelResult::Chars(_) | ModelResult::Strings(_) | ModelResult::Object(_) => {
                return Ok(ModelResult::Opaque);
            }
            ModelResult::Approximate(_) | ModelResult::Recorded => return Ok(ModelResult::Opaque),
        };
        Ok(match self.convert_result(value, given)? {
            Ok(Some(value)) => match self.fresh_content(value) {
                Some(content) => ModelResult::Box(content),
                None => ModelResult::Value(value),
            },
            Ok(None) => ModelResult::Opaque,
            Err(class) => ModelResult::Throws(class),
        })
    }
}
