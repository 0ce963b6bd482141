//! Interpretation of unrecorded callees from their own bytecode. Such code has no events: its
//! values come from the replay's heap, and an unknown value ends the attempt. A failed attempt is
//! rolled back, and the result is taken from the recording. Recorded code that is called back has
//! its events as usual. In: a method and its arguments; out: a completion that agrees with the
//! recording, or nothing. Must not know single library methods (`models`, `natives`).

use tracewright_classfile::Kind;
use tracewright_trace::{Content, ContentData, Event, Reference, Verdict};

use super::Machine;
use super::checkpoint::RolledBack;
use super::events::{Recorded, boxed, value_in};
use super::step::Flow;
use crate::expr::TermId;
use crate::program::JavaType;
use crate::recording::describe_reference;
use crate::symbolic::arith;
use crate::symbolic::completion::{Abort, Completion, InterpResult, Stop};
use crate::symbolic::data::call_sites::ResultConversion;
use crate::symbolic::data::ids::{FieldIx, InvokeIx, MethodIx, SlotKind};
use crate::symbolic::data::objects::{Object, ObjectBody, ObjectId, Slot, StringContents};
use crate::symbolic::models::ModelResult;
use crate::symbolic::outcome::PathEnd;
use crate::symbolic::reason::UnsupportedReason;

/// Nested attempts, at most. Each is a recursive call of the interpreter loop.
const LAYERS: usize = 24;

/// The event that ends a call.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Awaited {
    /// The result of a call instruction.
    Return { site: u32, returns: Option<SlotKind> },
    /// The result of a statement; `gives`: the object of a constructor's statement.
    Result { returns: Option<SlotKind>, gives: Option<Slot> },
}

impl Machine<'_, '_> {
    /// Interprets a call from recorded code or the test case whose callee the recording does not
    /// enter. `None`: it cannot be interpreted, and the state is as before the call.
    pub(crate) fn interpret(
        &mut self,
        target: MethodIx,
        arguments: &[Slot],
        awaited: Awaited,
    ) -> InterpResult<Option<Completion>> {
        let info = self.linked.method(target);
        let (ty, has_code, is_closed) = (info.ty, info.has_code, info.is_closed);
        let native = info.native.filter(|native| !native.is_inner());
        if info.native.is_some() && native.is_none() {
            return Ok(None);
        }
        if self.is_recorded_class(ty) || (native.is_none() && (is_closed || !has_code)) {
            return Ok(None);
        }
        if native.is_some_and(|native| native.does_nothing())
            && matches!(self.agrees(awaited, Completion::Returned(Slot::ZERO)), Ok(()))
        {
            return Ok(Some(Completion::Returned(Slot::ZERO)));
        }
        if !self.budget.allows_interpretation() {
            return Ok(None);
        }
        if self.heap.checkpoints() >= LAYERS || self.budget.is_exhausted() {
            self.counts.count_not_interpreted(&UnsupportedReason::InterpretationBudget);
            return Ok(None);
        }
        if !self.linked.shared_heap.may_attempt(target) {
            self.counts.count_not_interpreted(&UnsupportedReason::RepeatedFailure);
            return Ok(None);
        }
        self.begin_checkpoint();
        self.budget.limit_attempt();
        let before = self.counts.executed();
        let ended = match native {
            Some(native) => self.native(native, target, arguments),
            None => self.attempt(target, arguments),
        };
        let failure = match ended {
            Ok(completion) => match self.agrees(awaited, completion) {
                Ok(()) => {
                    self.commit_checkpoint();
                    self.record_unknown_string(target, completion);
                    self.counts.count_interpreted_call();
                    self.linked.shared_heap.record_success(target);
                    return Ok(Some(completion));
                }
                // The recording ends inside the call, so the result cannot be compared.
                Err(_) if matches!(self.cursor.peek(), Some(Event::RunEnd { verdict }) if !matches!(verdict, Verdict::Completed | Verdict::Threw)) => {
                    Abort { reason: UnsupportedReason::RecordingEndsInCall, lasting: false }
                }
                Err((expected, found)) => {
                    let reference = self.linked.method(target).reference.clone();
                    self.context().record_divergence(&format!("interpreted {reference}: {expected}"), &found);
                    Abort { reason: UnsupportedReason::ResultMismatch, lasting: true }
                }
            },
            Err(Stop::Abort(abort)) => abort,
            // The run ends here in any case.
            Err(Stop::End(end @ (PathEnd::Budget { .. } | PathEnd::Stopped | PathEnd::JvmDied))) if !self.heap.is_doubtful() => {
                return Err(Stop::End(end));
            }
            Err(Stop::End(_)) => Abort { reason: UnsupportedReason::PathMismatch, lasting: true },
        };
        let executed = self.counts.executed() - before;
        let RolledBack { spent, stale } = self.roll_back_checkpoint();
        self.budget.count_failed(spent + executed);
        if failure.lasting {
            self.linked.shared_heap.record_failure(target);
            for object in stale {
                self.forget_fields_written_outside(object, false);
            }
        }
        self.counts.count_not_interpreted(&failure.reason);
        Ok(None)
    }

    /// Counts a string result whose contents are unknown.
    fn record_unknown_string(&mut self, target: MethodIx, completion: Completion) {
        let Completion::Returned(value) = completion else { return };
        let returns_reference = self.linked.method(target).reference.descriptor.ends_with(';');
        if returns_reference && matches!(&self.object(value.object()).body, ObjectBody::Str(text) if text.units.is_none()) {
            let reference = self.linked.method(target).reference.clone();
            self.context().record_concretisation(UnsupportedReason::Method(format!("{}.{}", reference.owner, reference.name)));
        }
    }

    /// Runs an unrecorded method until it completes.
    pub(crate) fn attempt(&mut self, target: MethodIx, arguments: &[Slot]) -> InterpResult<Completion> {
        let floor = self.frames.depth();
        self.enter_frame(target, 0, false, arguments)?;
        self.run(floor)
    }

    /// A call from interpreted code. Its result goes to the current instruction after the
    /// conversions `given`.
    pub(crate) fn inner_call(
        &mut self,
        ix: InvokeIx,
        target: Option<MethodIx>,
        arguments: &mut [Slot],
        given: Vec<ResultConversion>,
        floor: usize,
    ) -> InterpResult<Flow> {
        let Some(target) = target else { return self.abort(UnsupportedReason::UnknownReceiverClass) };
        if !self.heap.is_initialising() && self.is_recorded_class(self.linked.method(target).ty) {
            return match self.step_into(target, arguments, given)? {
                Some(flow) => Ok(flow),
                None => self.abort(UnsupportedReason::UnenteredRecordedCode),
            };
        }
        let named = self.linked.invoke(ix).model;
        let returns = self.linked.invoke(ix).returns;
        match self.modelled(named, Some(target), arguments)? {
            ModelResult::Value(value) => return self.returned(value, &given, floor),
            ModelResult::Void => return self.returned(Slot::ZERO, &given, floor),
            ModelResult::Box(value) => {
                let boxed = self.box_of(target, value)?;
                return self.returned(boxed, &given, floor);
            }
            ModelResult::Recorded => return self.abort(UnsupportedReason::NanBits),
            // The callee's code decides which exception it throws.
            ModelResult::Opaque | ModelResult::Throws(_) => {}
            ModelResult::String(text) => {
                let made = self.context().new_string(text)?;
                return self.returned(made, &given, floor);
            }
            // Only a recorded result could confirm an approximate one.
            ModelResult::Approximate(_) => {}
            made @ (ModelResult::Chars(_) | ModelResult::Strings(_) | ModelResult::Object(_)) => {
                let returns = self.linked.method(target).reference.return_type();
                if let Some(value) = self.context().unrecorded_result(made, &returns)? {
                    return self.returned(value, &given, floor);
                }
            }
        }
        let info = self.linked.method(target);
        if let Some(native) = info.native {
            return match self.native(native, target, arguments)? {
                Completion::Returned(value) => self.returned(value, &given, floor),
                Completion::Threw(exception) => self.throw(exception, floor),
            };
        }
        if info.is_closed || !info.has_code {
            let reference = info.reference.clone();
            let depends = info.model.is_some();
            return match returns {
                // Most initialisers only store such a value.
                Some(kind) if self.heap.is_initialising() && kind != SlotKind::Ref => {
                    let unknown = self.environment_dependent_value(kind);
                    self.returned(unknown, &given, floor)
                }
                // The model may support other arguments.
                _ if depends => self.abort(UnsupportedReason::Method(format!("{}.{}", reference.owner, reference.name))),
                _ => self.abort_for_good(UnsupportedReason::Method(format!("{}.{}", reference.owner, reference.name))),
            };
        }
        self.enter_frame(target, 0, false, arguments)?;
        self.frames.set_conversions(given);
        Ok(None)
    }

    // Stale values.

    /// Records that interpreted code reads an object which opaque code may have changed. No event
    /// tells whether it did.
    pub(crate) fn mark_possibly_stale(&mut self, object: ObjectId) {
        self.path.mark_inexact();
        self.heap.record_possibly_stale(object);
    }

    /// Forgets the fields that unrecorded code writes, after an opaque call that probably changed
    /// the object. `made`: by its constructor, which writes final fields too.
    pub(crate) fn forget_fields_written_outside(&mut self, id: ObjectId, made: bool) {
        let Object { ty: Some(ty), zeroed, body, .. } = self.object(id) else { return };
        let (ty, zeroed) = (*ty, *zeroed);
        if let ObjectBody::Array(_) = body {
            let object = self.object_mut(id);
            object.zeroed = false;
            if let ObjectBody::Array(array) = &mut object.body {
                array.forget();
            }
            return;
        }
        if !matches!(body, ObjectBody::Fields(_)) {
            return;
        }
        let fields = self.linked.instance_fields(ty);
        if fields.iter().all(|&field| self.is_recorded_class(self.linked.field(field).owner)) {
            return;
        }
        let mut kept = Vec::new();
        for &field in fields.iter() {
            let info = self.linked.field(field);
            if self.is_recorded_class(info.owner) || (info.is_final && !made) {
                let known = self.object(id).field(field).or(zeroed.then_some(Slot::ZERO));
                kept.extend(known.map(|value| (field, value)));
            }
        }
        let object = self.object_mut(id);
        object.zeroed = false;
        object.body = ObjectBody::Fields(kept);
    }

    /// A field as interpreted code reads it.
    pub(crate) fn interpreted_field(
        &mut self,
        reference: Slot,
        field: FieldIx,
        computed: Option<Slot>,
        resync: bool,
    ) -> InterpResult<(Option<Slot>, bool)> {
        let object = reference.object();
        match &self.object(object).body {
            ObjectBody::Boxed(content) => {
                let content = Slot { bits: content.bits, term: reference.term.or(content.term) };
                return Ok((Some(content), false));
            }
            ObjectBody::Str(_) | ObjectBody::Mirror => return self.abort_for_good(UnsupportedReason::StringInternals),
            // The replay keeps only the contents, while they are known.
            ObjectBody::Builder(_) | ObjectBody::Matcher(_) => return self.abort(UnsupportedReason::BuilderInternals),
            _ => {}
        }
        if !self.linked.field(field).is_final {
            if object.shared_index().is_some() && !self.heap.is_initialising() {
                self.heap.record_library_state_read();
            } else if resync {
                self.mark_possibly_stale(object);
            }
        }
        Ok((computed, false))
    }

    /// A static field as recorded code reads it. A recorded value that differs is a fault for
    /// library classes. For recorded classes an earlier run may have written the field.
    pub(crate) fn checked_static(&mut self, field: FieldIx) -> InterpResult<Option<Slot>> {
        let (kind, owner) = (self.linked.field(field).kind, self.linked.field(field).owner);
        let is_recorded = self.is_recorded_class(owner);
        if is_recorded && kind != SlotKind::Ref {
            // The recording has the value.
            return Ok(None);
        }
        let Some(value) = self.shared_static(field)? else { return Ok(None) };
        let Some(event) = self.cursor.peek() else { return Ok(None) };
        let (fits, found) = match value_in(event, kind) {
            None => return Ok(None),
            Some(Recorded::Bits(bits)) => (arith::same(kind.kind(), value.bits, bits), format!("{bits:#x}")),
            Some(Recorded::Reference(reference)) => {
                (self.may_be_recorded(value.object(), reference, None), describe_reference(reference, self.cursor.announced()))
            }
        };
        if fits {
            return Ok(Some(value));
        }
        if is_recorded {
            self.counts.count_resync();
            return Ok(None);
        }
        let reference = self.linked.field(field).reference.clone();
        self.context().record_divergence(&format!("initial {}.{} {:#x}", reference.owner, reference.name, value.bits), &found);
        self.linked.shared_heap.remove_static(field);
        Ok(None)
    }

    // Comparison with the recording.

    /// Compares a completion with the recorded end of the call, without consuming events. The error
    /// is the expected and the found text.
    pub(crate) fn agrees(&mut self, awaited: Awaited, completion: Completion) -> Result<(), (String, String)> {
        let found = self.cursor.peek();
        let value = match completion {
            Completion::Threw(exception) => {
                let class = self.object(exception).ty;
                return match found {
                    Some(Event::Caught { value, .. } | Event::Thrown { value, .. })
                        if class.is_some() && self.type_of_class(*value) == class =>
                    {
                        Ok(())
                    }
                    found => Err((format!("exception {}", self.type_name(exception)), self.event_text(found))),
                };
            }
            Completion::Returned(value) => value,
        };
        let (kind, value) = match awaited {
            Awaited::Return { site, returns } => match (found, returns) {
                (Some(Event::RetVoid { site: at }), None) if at.0 == site => return Ok(()),
                (
                    Some(Event::Ret32 { site: at, .. } | Event::Ret64 { site: at, .. } | Event::RetRef { site: at, .. }),
                    Some(kind),
                ) if at.0 == site => (kind, value),
                _ => return Err((format!("return at site {site}"), self.event_text(found))),
            },
            Awaited::Result { returns, gives } => match (found, gives) {
                (Some(Event::ResultVoid { .. }), _) => return Ok(()),
                (Some(Event::Statement { .. } | Event::RunEnd { verdict: Verdict::Completed }), Some(_)) => {
                    return Ok(());
                }
                (_, Some(given)) => (SlotKind::Ref, given),
                (_, None) => match returns {
                    Some(kind) => (kind, value),
                    None => return Err(("result".into(), self.event_text(found))),
                },
            },
        };
        let value = arith::narrow(self.terms, kind, value);
        match found.and_then(|event| value_in(event, kind)) {
            Some(Recorded::Bits(bits)) if arith::same(kind.kind(), value.bits, bits) => Ok(()),
            Some(Recorded::Bits(bits)) => Err((format!("{:#x}", value.bits), format!("{bits:#x}"))),
            Some(Recorded::Reference(reference)) => {
                let contents = self.cursor.contents_after_next();
                if self.may_be_recorded(value.object(), reference, contents) {
                    return Ok(());
                }
                let object = value.object();
                let text = match &self.object(object).body {
                    ObjectBody::Str(StringContents { units: Some(units), .. }) => {
                        format!(" {:?}", String::from_utf16_lossy(units))
                    }
                    _ => String::new(),
                };
                let expected = format!("{}#{:x}{text}", self.type_name(object), self.object(object).hash);
                Err((expected, describe_reference(reference, self.cursor.announced())))
            }
            None => Err((format!("result of {kind:?}"), self.event_text(found))),
        }
    }

    /// Whether the object may be the recorded one. Identities are not recorded.
    fn may_be_recorded(&mut self, object: ObjectId, reference: Reference, contents: Option<&Content>) -> bool {
        if object.is_null() || reference.is_null() {
            return object.is_null() == reference.is_null();
        }
        let Some(ty) = self.type_of_class(reference) else { return false };
        let known = self.object(object);
        // A lambda's class is unknown until a recording names it.
        let fits = known.ty == Some(ty) || (known.ty.is_none() && matches!(known.body, ObjectBody::Lambda { .. }));
        if !fits || (known.hash != 0 && known.hash != reference.hash) {
            return false;
        }
        if known.hash == 0
            && let Some(other) = self.heap.object_with_identity(reference.hash, ty)
            && other != object
            && object.shared_index().is_none()
            && !self.may_be_copy(other)
            && !self.is_equal_string(object, other)
        {
            return false;
        }
        let known = self.object(object);
        match (&known.body, contents.map(|contents| &contents.data)) {
            (ObjectBody::Array(array), _) if array.length != reference.length => false,
            (ObjectBody::Array(array), Some(_)) => cells_fit(array, contents),
            (ObjectBody::Str(text), Some(ContentData::String(recorded))) => match (&text.units, contents) {
                (Some(units), Some(content)) => content.length as usize == units.len() && units.starts_with(recorded),
                _ => true,
            },
            (ObjectBody::Boxed(value), _) => {
                let kind = match self.linked.ty(ty) {
                    JavaType::Class(name) if name.internal() == "java/lang/Float" => Kind::Float,
                    JavaType::Class(name) if name.internal() == "java/lang/Double" => Kind::Double,
                    _ => Kind::Long,
                };
                boxed(contents).is_none_or(|bits| arith::same(kind, value.bits, bits))
            }
            _ => true,
        }
    }

    /// Whether only class and identity of the object are known, so that another may represent it.
    fn may_be_copy(&self, object: ObjectId) -> bool {
        match &self.object(object).body {
            ObjectBody::Fields(fields) => fields.is_empty() && !self.object(object).zeroed,
            ObjectBody::Boxed(_) => true,
            _ => false,
        }
    }

    /// Whether both are strings with the same contents: library code may return a literal where the
    /// replay made a new string.
    fn is_equal_string(&self, a: ObjectId, b: ObjectId) -> bool {
        match (&self.object(a).body, &self.object(b).body) {
            (ObjectBody::Str(StringContents { units: Some(a), .. }), ObjectBody::Str(StringContents { units: Some(b), .. })) => {
                a == b
            }
            _ => false,
        }
    }

    // Boxes.

    /// A reference comparison of boxes from `valueOf` that depends on inputs. Boxes of equal values
    /// in the cache's range are identical (JLS §5.1.7). `None`: other references.
    pub(crate) fn cached_boxes_equal(&mut self, a: Slot, b: Slot) -> Option<(bool, TermId)> {
        if a.term.is_none() && b.term.is_none() || a.term == b.term || a.object().is_null() || b.object().is_null() {
            return None;
        }
        let ty = self.object(a.object()).ty?;
        if self.object(b.object()).ty != Some(ty) {
            return None;
        }
        let (x, y) = (self.boxed_value(a)?, self.boxed_value(b)?);
        let held = self.linked.boxed_kind(ty)?;
        let (kind, values) = (held.kind(), held.cached_values()?);
        let equal = x.bits == y.bits && held.has_cached_box(x.bits);
        let (x, y) = (arith::term_of(self.terms, x, kind)?, arith::term_of(self.terms, y, kind)?);
        let terms = &mut *self.terms;
        let mut bound = |value: i64| if kind == Kind::Long { terms.long(value) } else { terms.int(value as i32) };
        let (low, high) = (bound(*values.start()), bound(*values.end()));
        let (above, below, same) = (terms.le(low, x), terms.le(x, high), terms.eq(x, y));
        let small = terms.and(above, below);
        Some((equal, terms.and(same, small)))
    }

    /// The value of a box from `valueOf`. Only such a reference carries the term of its value.
    fn boxed_value(&self, slot: Slot) -> Option<Slot> {
        let object = self.object(slot.object());
        let ObjectBody::Boxed(content) = object.body else { return None };
        let is_shared = object.ty.is_some_and(|ty| self.linked.shared_heap.known_box(ty, content.bits) == Some(slot.object()));
        (slot.term.is_some() || is_shared).then_some(Slot { bits: content.bits, term: slot.term })
    }

    /// `valueOf` in interpreted code: cached values have one box each.
    fn box_of(&mut self, target: MethodIx, value: Slot) -> InterpResult<Slot> {
        let ty = self.linked.method(target).ty;
        let object = match self.cached_box(ty, value.bits)? {
            Some(cached) => cached,
            None => self.context().allocate(Object {
                ty: Some(ty),
                hash: 0,
                zeroed: false,
                escaped: false,
                body: ObjectBody::Boxed(value),
            })?,
        };
        Ok(Slot { bits: Slot::reference(object).bits, term: value.term })
    }

    /// Gives the cached box the recorded identity.
    pub(crate) fn unify_box(&mut self, object: ObjectId, value: Slot) {
        let Some(ty) = self.object(object).ty else { return };
        let hash = self.object(object).hash;
        if let Some(shared) = self.linked.shared_heap.known_box(ty, value.bits)
            && shared != object
            && hash != 0
            && self.object(shared).hash == 0
        {
            self.object_mut(shared).hash = hash;
        }
    }
}

/// Whether the known cells equal the recorded ones.
fn cells_fit(array: &crate::symbolic::data::objects::Array, contents: Option<&Content>) -> bool {
    let mut recorded = crate::symbolic::data::objects::Array::unknown(array.kind, array.length);
    super::events::fill(&mut recorded, contents);
    let kind = array.kind.kind();
    (0..array.length).all(|at| match (array.get(at), recorded.get(at)) {
        (Some(known), Some(recorded)) => arith::same(kind, known.bits, recorded.bits),
        _ => true,
    })
}
