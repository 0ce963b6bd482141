//! Calls into code that was not recorded, interpreted from its own bytecode. Such code has no events: values come from what the replay
//! knows, one that is not known ends the attempt, and everything is as before the call, which is then taken from the recording. What
//! recorded code it calls back has its events as ever. Flows in: a method and its arguments; flows out: how the call ended, which agrees
//! with the recorded end, or nothing. Must not know single library methods (`models`, `natives`).

use tracewright_classfile::Kind;
use tracewright_trace::{Content, ContentData, Event, Reference, Verdict};

use super::PathEnd;
use super::arith;
use super::events::{Recorded, boxed, value_in};
use super::lambda::Given;
use super::linked::{FieldIx, InvokeIx, MethodIx, SlotKind};
use super::machine::{Abort, Completion, InterpResult, Machine, Stop};
use super::models::ModelResult;
use super::objects::{Object, ObjectBody, ObjectId, Slot, StringContents};
use super::reason::UnsupportedReason;
use super::step::Flow;
use crate::expr::TermId;
use crate::program::JavaType;
use crate::recording::describe_reference;

/// Attempts inside each other, at most: each is a Rust call of the interpreter loop.
const LAYERS: usize = 24;
/// Objects whose state may be old, noted in one attempt.
const STALE: usize = 64;

/// What the recording says next when the call is done.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Awaited {
    /// The result of a call instruction.
    Return { site: u32, returns: Option<SlotKind> },
    /// The result of a statement; `gives`: the object that a constructor's statement gives.
    Result { returns: Option<SlotKind>, gives: Option<Slot> },
}

impl Machine<'_, '_> {
    /// Whether code runs that the recording does not tell of.
    #[inline]
    pub(crate) fn in_library(&self) -> bool {
        self.in_code() && !self.top.recorded
    }

    pub(crate) fn abort<T>(&self, reason: UnsupportedReason) -> InterpResult<T> {
        Err(Stop::Abort(Abort { reason, lasting: false }))
    }

    /// It will come to this again.
    pub(crate) fn abort_for_good<T>(&self, reason: UnsupportedReason) -> InterpResult<T> {
        Err(Stop::Abort(Abort { reason, lasting: true }))
    }

    /// Runs a call of recorded code, or of the test case, whose callee the recording does not enter. `None`: it cannot be; everything is
    /// as before.
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
        let limits = self.config.interpretation;
        if limits.call == 0 {
            return Ok(None);
        }
        if self.layers.len() >= LAYERS || self.failed_instructions >= limits.wasted || self.spent >= limits.total {
            self.not_interpreted(UnsupportedReason::InterpretationBudget);
            return Ok(None);
        }
        if !self.linked.shared_heap.trusts(target) {
            self.not_interpreted(UnsupportedReason::RepeatedFailure);
            return Ok(None);
        }
        let outer = if self.layers.is_empty() { u64::MAX } else { self.interpretation_limit };
        self.begin_layer();
        self.interpretation_limit = outer.min(self.spent + limits.call).min(limits.total);
        let before = self.stats.executed;
        let ended = match native {
            Some(native) => self.native(native, target, arguments),
            None => self.attempt(target, arguments),
        };
        let failure = match ended {
            Ok(completion) => match self.agrees(awaited, completion) {
                Ok(()) => {
                    self.keep_layer();
                    self.note_lost_text(target, completion);
                    self.stats.interpreted_calls += 1;
                    self.linked.shared_heap.praise(target);
                    return Ok(Some(completion));
                }
                // Whatever it gives: the recording was cut.
                Err(_) if matches!(self.cursor.peek(), Some(Event::RunEnd { verdict }) if !matches!(verdict, Verdict::Completed | Verdict::Threw)) => {
                    Abort { reason: UnsupportedReason::RecordingEndsInCall, lasting: false }
                }
                Err((expected, found)) => {
                    let reference = self.linked.method(target).reference.clone();
                    self.record_divergence(&format!("interpreted {reference}: {expected}"), &found);
                    Abort { reason: UnsupportedReason::ResultMismatch, lasting: true }
                }
            },
            Err(Stop::Abort(abort)) => abort,
            // The run ended here whoever made the call.
            Err(Stop::End(end @ (PathEnd::Budget { .. } | PathEnd::Stopped | PathEnd::JvmDied))) if !self.is_doubtful() => {
                return Err(Stop::End(end));
            }
            Err(Stop::End(_)) => Abort { reason: UnsupportedReason::PathMismatch, lasting: true },
        };
        let executed = self.stats.executed - before;
        let Some(layer) = self.undo_layer() else { return Ok(None) };
        self.failed_instructions += self.spent - layer.spent + executed;
        if failure.lasting {
            self.linked.shared_heap.blame(target);
        }
        if failure.lasting && !layer.stale.is_empty() {
            for &object in &layer.stale {
                self.forget_fields_written_outside(object, false);
            }
        }
        self.not_interpreted(failure.reason);
        Ok(None)
    }

    /// A text that the callee made is taken from the recording.
    fn note_lost_text(&mut self, target: MethodIx, completion: Completion) {
        let Completion::Returned(value) = completion else { return };
        let returns_reference = self.linked.method(target).reference.descriptor.ends_with(';');
        if returns_reference && matches!(&self.object(value.object()).body, ObjectBody::Str(text) if text.units.is_none()) {
            let reference = self.linked.method(target).reference.clone();
            self.record_concretisation(UnsupportedReason::Method(format!("{}.{}", reference.owner, reference.name)));
        }
    }

    fn not_interpreted(&mut self, reason: UnsupportedReason) {
        let key = reason.key();
        match self.stats.not_interpreted.get_mut(&*key) {
            Some(count) => *count += 1,
            None => {
                self.stats.not_interpreted.insert(key.into_owned(), 1);
            }
        }
    }

    pub(crate) fn attempt(&mut self, target: MethodIx, arguments: &[Slot]) -> InterpResult<Completion> {
        let floor = self.callers.len();
        self.enter_frame(target, 0, false, arguments)?;
        self.run(floor)
    }

    /// A call that interpreted code makes; its result goes to the current instruction by `given`.
    pub(crate) fn inner_call(
        &mut self,
        ix: InvokeIx,
        target: Option<MethodIx>,
        arguments: &mut [Slot],
        given: Vec<Given>,
        floor: usize,
    ) -> InterpResult<Flow> {
        let Some(target) = target else { return self.abort(UnsupportedReason::UnknownReceiverClass) };
        if self.initialiser_depth == 0 && self.is_recorded_class(self.linked.method(target).ty) {
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
            // The code itself says what is thrown.
            ModelResult::Opaque | ModelResult::Throws(_) => {}
            ModelResult::String(text) => {
                let made = self.new_string(text)?;
                return self.returned(made, &given, floor);
            }
            // Of an approximate result only a recorded one would tell whether it is right.
            ModelResult::Approximate(_) => {}
            made @ (ModelResult::Chars(_) | ModelResult::Strings(_) | ModelResult::Object(_)) => {
                let returns = self.linked.method(target).reference.return_type();
                if let Some(value) = self.unrecorded_result(made, &returns)? {
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
                // Most initialisers only put it aside.
                Some(kind) if self.initialiser_depth > 0 && kind != SlotKind::Ref => {
                    let unknown = self.environment_dependent_value(kind);
                    self.returned(unknown, &given, floor)
                }
                // What a model cannot say of one value it may say of another.
                _ if depends => self.abort(UnsupportedReason::Method(format!("{}.{}", reference.owner, reference.name))),
                _ => self.abort_for_good(UnsupportedReason::Method(format!("{}.{}", reference.owner, reference.name))),
            };
        }
        self.enter_frame(target, 0, false, arguments)?;
        self.top.given = given;
        Ok(None)
    }

    // Doubts.

    /// Whether what was read may be older than what the JVM had.
    pub(crate) fn is_doubtful(&self) -> bool {
        self.layers.iter().any(|layer| layer.library_state || !layer.stale.is_empty())
    }

    /// Interpreted code reads what opaque code may have changed, and no event says whether it did.
    pub(crate) fn mark_possibly_stale(&mut self, object: ObjectId) {
        self.path.mark_inexact();
        if let Some(layer) = self.layers.last_mut()
            && layer.stale.len() < STALE
        {
            layer.stale.push(object);
        }
    }

    /// What an opaque call has probably changed is not known from now on: the fields that code outside the recording writes.
    /// `made`: by its constructor, which writes final fields too.
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
            // Its text is all that is kept of it, while that is known.
            ObjectBody::Builder(_) | ObjectBody::Matcher(_) => return self.abort(UnsupportedReason::BuilderInternals),
            _ => {}
        }
        if !self.linked.field(field).is_final {
            if object.shared_index().is_some() && self.initialiser_depth == 0 {
                if let Some(layer) = self.layers.last_mut() {
                    layer.library_state = true;
                }
            } else if resync {
                self.mark_possibly_stale(object);
            }
        }
        Ok((computed, false))
    }

    /// A static field as recorded code reads it. What the recording says otherwise of the library is a fault in how it was found; of recorded
    /// code, it may have been put there by a run before whose traces could not be taken back.
    pub(crate) fn checked_static(&mut self, field: FieldIx) -> InterpResult<Option<Slot>> {
        let (kind, owner) = (self.linked.field(field).kind, self.linked.field(field).owner);
        let is_recorded = self.is_recorded_class(owner);
        if is_recorded && kind != SlotKind::Ref {
            // The recording has it.
            return Ok(None);
        }
        let Some(value) = self.shared_static(field)? else { return Ok(None) };
        let Some(event) = self.cursor.peek() else { return Ok(None) };
        let (fits, found) = match value_in(event, kind) {
            None => return Ok(None),
            Some(Recorded::Bits(bits)) => (arith::same(kind.kind(), value.bits, bits), format!("{bits:#x}")),
            Some(Recorded::Reference(reference)) => {
                (self.may_be_recorded(value.object(), reference, None), describe_reference(reference, &self.recording.announced))
            }
        };
        if fits {
            return Ok(Some(value));
        }
        if is_recorded {
            self.stats.resyncs += 1;
            return Ok(None);
        }
        let reference = self.linked.field(field).reference.clone();
        self.record_divergence(&format!("initial {}.{} {:#x}", reference.owner, reference.name, value.bits), &found);
        self.linked.shared_heap.forget(field);
        Ok(None)
    }

    // The end.

    /// Whether the recording says the same of the end of the call; nothing is taken from it. Else what was expected and found.
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
                let mut ahead = self.cursor.clone();
                ahead.advance();
                let contents = ahead.contents();
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
                Err((expected, describe_reference(reference, &self.recording.announced)))
            }
            None => Err((format!("result of {kind:?}"), self.event_text(found))),
        }
    }

    /// Whether the object may be the recorded one; nothing is learned.
    fn may_be_recorded(&mut self, object: ObjectId, reference: Reference, contents: Option<&Content>) -> bool {
        if object.is_null() || reference.is_null() {
            return object.is_null() == reference.is_null();
        }
        let Some(ty) = self.type_of_class(reference) else { return false };
        let known = self.object(object);
        // A lambda's class is the JVM's secret until a recording tells it.
        let fits = known.ty == Some(ty) || (known.ty.is_none() && matches!(known.body, ObjectBody::Lambda { .. }));
        if !fits || (known.hash != 0 && known.hash != reference.hash) {
            return false;
        }
        if known.hash == 0
            && let Some(&other) = self.by_identity.get(&(reference.hash, ty))
            && other != object
            && object.shared_index().is_none()
            && !self.may_be_copy(other)
            && !self.is_equal_text(object, other)
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

    /// Of an object that opaque code gave nothing but class and identity is known: another may stand for it.
    fn may_be_copy(&self, object: ObjectId) -> bool {
        match &self.object(object).body {
            ObjectBody::Fields(fields) => fields.is_empty() && !self.object(object).zeroed,
            ObjectBody::Boxed(_) => true,
            _ => false,
        }
    }

    /// What the library makes of a text may be a literal, where the replay has made a text of its own: an empty part of a text is `""`.
    fn is_equal_text(&self, a: ObjectId, b: ObjectId) -> bool {
        match (&self.object(a).body, &self.object(b).body) {
            (ObjectBody::Str(StringContents { units: Some(a), .. }), ObjectBody::Str(StringContents { units: Some(b), .. })) => {
                a == b
            }
            _ => false,
        }
    }

    /// Whether two references are one object, by what is known: two objects of the replay may be called by one name, such as a literal of
    /// the test case and its equal in the code.
    pub(crate) fn is_same(&self, a: ObjectId, b: ObjectId) -> bool {
        if a == b || a.is_null() || b.is_null() {
            return a == b;
        }
        let (x, y) = (self.object(a), self.object(b));
        x.hash != 0 && x.hash == y.hash && x.ty == y.ty
    }

    // Boxes.

    /// Reference comparison of boxes that `valueOf` gave, when inputs have a say in it: they are one where the values are equal and small
    /// enough for the cache (JLS §5.1.7). `None`: other references.
    pub(crate) fn cached_boxes_equal(&mut self, a: Slot, b: Slot) -> Option<(bool, TermId)> {
        if a.term.is_none() && b.term.is_none() || a.term == b.term || a.object().is_null() || b.object().is_null() {
            return None;
        }
        let ty = self.object(a.object()).ty?;
        if self.object(b.object()).ty != Some(ty) {
            return None;
        }
        let (x, y) = (self.boxed_value(a)?, self.boxed_value(b)?);
        let JavaType::Class(name) = self.linked.ty(ty) else { return None };
        let (kind, low, high) = match name.internal() {
            "java/lang/Integer" | "java/lang/Short" | "java/lang/Byte" => (Kind::Int, -128, 127),
            "java/lang/Character" => (Kind::Int, 0, 127),
            "java/lang/Boolean" => (Kind::Int, 0, 1),
            "java/lang/Long" => (Kind::Long, -128, 127),
            _ => return None,
        };
        let value = if kind == Kind::Long { x.as_long() } else { i64::from(x.as_int()) };
        let equal = x.bits == y.bits && (low..=high).contains(&value);
        let (x, y) = (arith::term_of(self.terms, x, kind)?, arith::term_of(self.terms, y, kind)?);
        let terms = &mut *self.terms;
        let mut bound = |value: i64| if kind == Kind::Long { terms.long(value) } else { terms.int(value as i32) };
        let (low, high) = (bound(low), bound(high));
        let (above, below, same) = (terms.le(low, x), terms.le(x, high), terms.eq(x, y));
        let small = terms.and(above, below);
        Some((equal, terms.and(same, small)))
    }

    /// What a box that came from `valueOf` holds: only with such a reference goes the term of its content.
    fn boxed_value(&self, slot: Slot) -> Option<Slot> {
        let object = self.object(slot.object());
        let ObjectBody::Boxed(content) = object.body else { return None };
        let is_shared = object.ty.is_some_and(|ty| self.linked.shared_heap.known_box(ty, content.bits) == Some(slot.object()));
        (slot.term.is_some() || is_shared).then_some(Slot { bits: content.bits, term: slot.term })
    }

    /// `valueOf` in interpreted code: small values have one box.
    fn box_of(&mut self, target: MethodIx, value: Slot) -> InterpResult<Slot> {
        let ty = self.linked.method(target).ty;
        let object = match self.cached_box(ty, value.bits)? {
            Some(cached) => cached,
            None => {
                self.allocate(Object { ty: Some(ty), hash: 0, zeroed: false, escaped: false, body: ObjectBody::Boxed(value) })?
            }
        };
        Ok(Slot { bits: Slot::reference(object).bits, term: value.term })
    }

    /// The recording names a box of the cache: the shared one is the same.
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

/// Whether known cells are the recorded ones.
fn cells_fit(array: &super::objects::Array, contents: Option<&Content>) -> bool {
    let mut recorded = super::objects::Array::unknown(array.kind, array.length);
    super::events::fill(&mut recorded, contents);
    let kind = array.kind.kind();
    (0..array.length).all(|at| match (array.get(at), recorded.get(at)) {
        (Some(known), Some(recorded)) => arith::same(kind, known.bits, recorded.bits),
        _ => true,
    })
}
