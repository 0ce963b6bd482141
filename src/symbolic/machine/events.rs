//! Recorded values against computed ones: objects of recorded references, comparisons,
//! resynchronisations and divergences. Must not know instructions.

use tracewright_trace::{Content, ContentData, Event, Reference, Verdict};

use super::Machine;
use crate::recording::describe_reference;
use crate::symbolic::arith::same;
use crate::symbolic::completion::{InterpResult, Stop};
use crate::symbolic::data::ids::{SlotKind, TypeIx};
use crate::symbolic::data::objects::{Array, Object, ObjectBody, ObjectId, Slot, StringContents};
use crate::symbolic::outcome::PathEnd;
use crate::symbolic::reason::UnsupportedReason;

/// Escaped objects that one recorded reference is compared with, at most.
const CANDIDATES: usize = 64;

impl Machine<'_, '_> {
    // Ends.

    /// Ends the path because a computed value differs from the recorded one.
    pub(crate) fn diverge<T>(&mut self, expected: &str, found: &str) -> InterpResult<T> {
        self.context().diverge(expected, found)
    }

    /// Ends the path because the next event is not the expected one: the run ended, the JVM threw
    /// by itself, or the replay is wrong.
    pub(crate) fn mismatch<T>(&mut self, expected: &str, found: Option<&Event>) -> InterpResult<T> {
        match found {
            None => Err(Stop::End(PathEnd::JvmDied)),
            Some(Event::RunEnd { verdict }) => Err(Stop::End(match verdict {
                Verdict::Budget => PathEnd::Budget { what: "events of the run".into() },
                Verdict::Refused => PathEnd::Unsupported { reason: UnsupportedReason::Refused.key().into_owned() },
                Verdict::Exhausted => PathEnd::Unsupported { reason: UnsupportedReason::JvmExhausted.key().into_owned() },
                Verdict::Other(_) => PathEnd::Unsupported { reason: UnsupportedReason::EndedFromOutside.key().into_owned() },
                Verdict::Completed | Verdict::Threw => return self.diverge(expected, "end of the run"),
            })),
            Some(Event::Caught { value, .. } | Event::Thrown { value, .. }) => {
                self.machine_error(*value)?;
                let found = self.event_text(found);
                self.diverge(expected, &found)
            }
            found => {
                let found = self.event_text(found);
                self.diverge(expected, &found)
            }
        }
    }

    /// Ends the path at an error that any instruction may throw (JVMS §6.3).
    pub(crate) fn machine_error(&mut self, thrown: Reference) -> InterpResult<()> {
        let class = self.cursor.announced().class(thrown.class).map_or("", |name| name.internal());
        match class {
            "java/lang/TracewrightBudget" | "java/lang/ThreadDeath" => self.budget("events of the run"),
            "java/lang/StackOverflowError" => self.unsupported(UnsupportedReason::StackOverflow),
            "java/lang/OutOfMemoryError" => self.unsupported(UnsupportedReason::OutOfMemory),
            "java/lang/TracewrightRefusal" => self.unsupported(UnsupportedReason::Refused),
            _ => Ok(()),
        }
    }

    /// The event as messages show it.
    pub(crate) fn event_text(&self, event: Option<&Event>) -> String {
        match event {
            None => "end of the recording".into(),
            Some(
                Event::LoadRef { value, .. }
                | Event::RetRef { value, .. }
                | Event::ArgRef { value, .. }
                | Event::Caught { value, .. }
                | Event::ResultRef { value, .. }
                | Event::Thrown { value, .. },
            ) => format!("{:?} {}", event.map(Event::kind), describe_reference(*value, self.cursor.announced()))
                .replace("Some(", "")
                .replace(')', ""),
            Some(Event::Entry { site }) => match self.cursor.announced().table_of(site.0) {
                Some(table) => format!("entry into {} at {}", table.class, site.0 - table.base),
                None => format!("entry at {site}"),
            },
            Some(event) => event.to_string(),
        }
    }

    // References.

    /// The type of a recorded reference; `None`: its class was not announced.
    pub(crate) fn type_of_class(&mut self, reference: Reference) -> Option<TypeIx> {
        if let Some(ty) = self.cursor.known_type(reference.class.0) {
            return Some(ty);
        }
        let name = self.cursor.announced().class(reference.class)?.clone();
        let ty = self.linked.named(name.internal());
        self.cursor.set_type(reference.class.0, ty);
        Some(ty)
    }

    /// Gives an object the recorded identity.
    pub(crate) fn record_identity(&mut self, object: ObjectId, reference: Reference, ty: TypeIx) {
        let known = self.object_mut(object);
        known.hash = reference.hash;
        if known.ty.is_none() {
            known.ty = Some(ty);
        }
        if self.heap.set_identity((reference.hash, ty), object).is_some_and(|other| other != object) {
            self.counts.count_ambiguous_identity();
        }
        if self.heap.unhashed(ty).is_some_and(|waiting| waiting.contains(&object)) {
            self.heap.unhashed_mut(ty).retain(|&candidate| candidate != object);
        }
    }

    /// The object of a recorded reference. An unknown reference may be an escaped object; else an
    /// object is allocated.
    pub(crate) fn object_of_reference(&mut self, reference: Reference, contents: Option<&Content>) -> InterpResult<ObjectId> {
        self.find_object(reference, contents, true)
    }

    /// The object of a recorded reference. `may_be_escaped`: whether it may be an escaped object
    /// without a known identity.
    fn find_object(&mut self, reference: Reference, contents: Option<&Content>, may_be_escaped: bool) -> InterpResult<ObjectId> {
        self.heap.set_first_seen(None);
        if reference.is_null() {
            return Ok(ObjectId::NULL);
        }
        let Some(ty) = self.type_of_class(reference) else {
            return self.unsupported(UnsupportedReason::UnannouncedClass);
        };
        if reference.hash != 0
            && let Some(object) = self.heap.object_with_identity(reference.hash, ty)
            && self.may_hold(object, reference, contents)
        {
            if self.is_kept_literal(object) {
                return self.other_literal(object, reference.hash);
            }
            self.refresh(object, contents);
            return Ok(object);
        }
        if let Some(object) = self.candidate(ty, reference, contents).filter(|_| may_be_escaped) {
            self.heap.record_guessed_identity(object);
            self.record_identity(object, reference, ty);
            self.refresh(object, contents);
            return Ok(object);
        }
        let body = self.unknown_body(ty, reference, contents);
        let object = self.context().allocate(Object { ty: Some(ty), hash: 0, zeroed: false, escaped: true, body })?;
        self.record_identity(object, reference, ty);
        self.heap.set_first_seen(Some(object));
        Ok(object)
    }

    /// Whether a string, box or array fits the recorded contents. Different objects can have one
    /// identity hash.
    fn may_hold(&self, object: ObjectId, reference: Reference, contents: Option<&Content>) -> bool {
        match (&self.object(object).body, contents) {
            (
                ObjectBody::Str(StringContents { units: Some(known), .. }),
                Some(Content { length, data: ContentData::String(units) }),
            ) => known.len() == *length as usize && known.starts_with(units),
            (ObjectBody::Boxed(value), Some(_)) => boxed(contents).is_none_or(|found| found == value.bits),
            (ObjectBody::Array(array), _) => array.length == reference.length,
            _ => true,
        }
    }

    /// Whether the object is a string literal of the test case that has not escaped.
    fn is_kept_literal(&self, object: ObjectId) -> bool {
        let is_input =
            matches!(&self.object(object).body, ObjectBody::Str(StringContents { symbolic: Some(text), .. }) if text.is_literal);
        is_input && !self.heap.is_escaped_string(object)
    }

    /// A string with the contents of the literal. The JVM interns both (JLS §3.10.5), but a test
    /// case with another literal would have two strings.
    fn other_literal(&mut self, literal: ObjectId, hash: u32) -> InterpResult<ObjectId> {
        let units = match &self.object(literal).body {
            ObjectBody::Str(text) => text.units.clone(),
            _ => None,
        };
        let body = ObjectBody::Str(StringContents { units, symbolic: None });
        let string = self.linked.string();
        self.context().allocate(Object { ty: Some(string), hash, zeroed: false, escaped: true, body })
    }

    /// The only escaped object without a known identity that fits the reference.
    fn candidate(&mut self, ty: TypeIx, reference: Reference, contents: Option<&Content>) -> Option<ObjectId> {
        if self.is_string(ty) {
            // Equal contents prove nothing: opaque code may return a literal or a copy.
            return None;
        }
        let waiting = self.heap.unhashed(ty)?;
        let mut fitting = waiting.iter().take(CANDIDATES).copied().filter(|&candidate| match &self.object(candidate).body {
            ObjectBody::Array(array) => array.length == reference.length,
            ObjectBody::Boxed(value) => boxed(contents).is_none_or(|found| found == value.bits),
            // No event tells two `Class` objects apart.
            ObjectBody::Mirror => false,
            _ => true,
        });
        let first = fitting.next()?;
        if fitting.next().is_some() || waiting.len() > CANDIDATES {
            self.counts.count_ambiguous_identity();
            return None;
        }
        Some(first)
    }

    fn unknown_body(&mut self, ty: TypeIx, reference: Reference, contents: Option<&Content>) -> ObjectBody {
        if self.is_string(ty) {
            let units = match contents {
                Some(Content { length, data: ContentData::String(units) }) if *length as usize == units.len() => {
                    Some(units.as_slice().into())
                }
                _ => None,
            };
            return ObjectBody::Str(StringContents { units, symbolic: None });
        }
        if let Some(element) = self.linked.element(ty) {
            let kind = SlotKind::of(self.linked.ty(element));
            let mut array = Array::unknown(kind, reference.length);
            fill(&mut array, contents);
            return ObjectBody::Array(array);
        }
        match boxed(contents) {
            Some(bits) => ObjectBody::Boxed(Slot::raw(bits)),
            None => ObjectBody::Fields(Vec::new()),
        }
    }

    /// Updates an object to the recorded contents.
    fn refresh(&mut self, object: ObjectId, contents: Option<&Content>) {
        let Some(content) = contents else { return };
        match &mut self.object_mut(object).body {
            ObjectBody::Array(array) => fill(array, Some(content)),
            ObjectBody::Str(text) if text.units.is_none() => {
                if let ContentData::String(units) = &content.data
                    && content.length as usize == units.len()
                {
                    text.units = Some(units.as_slice().into());
                }
            }
            _ => {}
        }
    }

    /// Whether a computed reference may be the recorded one; if so, its identity is recorded.
    pub(crate) fn same_reference(&mut self, object: ObjectId, reference: Reference, contents: Option<&Content>) -> bool {
        if object.is_null() || reference.is_null() {
            return object.is_null() == reference.is_null();
        }
        let Some(ty) = self.type_of_class(reference) else { return false };
        if let Some(known) = self.object(object).ty
            && known != ty
        {
            // A constructor called by opaque code may make an object of a subclass.
            if self.object(object).hash != 0 || !self.heap.is_constructed_opaquely(object) || !self.linked.is_subtype(ty, known) {
                return false;
            }
            self.object_mut(object).ty = Some(ty);
        }
        let known = self.object(object);
        if known.hash == 0 {
            if let ObjectBody::Array(array) = &known.body
                && array.length != reference.length
            {
                return false;
            }
            self.record_identity(object, reference, ty);
        } else if known.hash != reference.hash {
            return false;
        }
        self.refresh(object, contents);
        true
    }

    /// Compares a computed reference with the recorded one.
    pub(crate) fn check_reference(
        &mut self,
        object: ObjectId,
        reference: Reference,
        contents: Option<&Content>,
        what: &str,
    ) -> InterpResult<()> {
        self.counts.count_checked();
        if self.same_reference(object, reference, contents) {
            return Ok(());
        }
        if self.heap.has_guessed_identity(object)
            && let Some(ty) = self.type_of_class(reference)
            && self.object(object).ty == Some(ty)
        {
            self.counts.count_resync();
            self.path.mark_inexact();
            self.record_identity(object, reference, ty);
            return Ok(());
        }
        let expected = format!("{what} {}#{:x}", self.type_name(object), self.object(object).hash);
        let found = describe_reference(reference, self.cursor.announced());
        self.diverge(&expected, &found)
    }

    // Values.

    /// Compares a computed value with an event's; `None`: the event has no value of this kind.
    pub(crate) fn check_value(&mut self, kind: SlotKind, computed: Slot, event: &Event, what: &str) -> Option<InterpResult<()>> {
        let recorded = match value_in(event, kind)? {
            Recorded::Bits(bits) => bits,
            Recorded::Reference(reference) => {
                self.cursor.advance();
                let contents = self.cursor.contents();
                return Some(self.check_reference(computed.object(), reference, contents, what));
            }
        };
        self.cursor.advance();
        self.counts.count_checked();
        if same(kind.kind(), computed.bits, recorded) {
            return Some(Ok(()));
        }
        Some(self.diverge(&format!("{what} {:#x}", computed.bits), &format!("{recorded:#x}")))
    }

    /// Compares a computed value with an event's and returns it. For a box without a known identity
    /// it returns the recorded one.
    pub(crate) fn confirmed_value(
        &mut self,
        kind: SlotKind,
        computed: Slot,
        event: &Event,
        what: &str,
    ) -> Option<InterpResult<Slot>> {
        if kind == SlotKind::Ref
            && let Some(content) = self.fresh_content(computed)
            && let Some(Recorded::Reference(reference)) = value_in(event, kind)
        {
            self.cursor.advance();
            let contents = self.cursor.contents();
            return Some(self.confirmed_box(computed, content, reference, contents, what));
        }
        self.check_value(kind, computed, event, what).map(|checked| checked.map(|()| computed))
    }

    fn confirmed_box(
        &mut self,
        computed: Slot,
        content: Slot,
        reference: Reference,
        contents: Option<&Content>,
        what: &str,
    ) -> InterpResult<Slot> {
        self.counts.count_checked();
        let object = self.object_of_reference(reference, contents)?;
        let same = self.object(object).ty == self.object(computed.object()).ty
            && match self.object(object).body {
                ObjectBody::Boxed(found) => found.bits == content.bits,
                _ => true,
            };
        if !same {
            let found = describe_reference(reference, self.cursor.announced());
            return self.diverge(&format!("{what} {} of {:#x}", self.type_name(computed.object()), content.bits), &found);
        }
        Ok(Slot { bits: u64::from(object.0), term: content.term })
    }

    /// Consumes an event and returns its value; `None`: the event has no value of this kind.
    pub(crate) fn value_from_event(&mut self, kind: SlotKind, event: &Event) -> Option<InterpResult<Slot>> {
        // A loaded field is no object that was allocated meanwhile.
        let may_be_escaped = !matches!(event, Event::LoadRef { .. });
        match value_in(event, kind)? {
            Recorded::Bits(bits) => {
                self.cursor.advance();
                Some(Ok(Slot::raw(bits)))
            }
            Recorded::Reference(reference) => {
                self.cursor.advance();
                let contents = self.cursor.contents();
                Some(self.find_object(reference, contents, may_be_escaped).map(Slot::reference))
            }
        }
    }

    /// A load. A known value is compared with the recorded one; an unknown value is taken from it.
    /// `resync`: opaque code may have changed the value, or its owner may be another object. A load
    /// without a site repeats an earlier one.
    pub(crate) fn load(&mut self, kind: SlotKind, computed: Option<Slot>, resync: bool) -> InterpResult<Slot> {
        if !self.frames.is_recorded() {
            return match computed {
                Some(computed) => Ok(computed),
                None => self.abort(UnsupportedReason::UnknownValue),
            };
        }
        if !self.has_site() {
            return match computed {
                Some(computed) => Ok(computed),
                None => self.diverge("the value of an earlier load", "nothing"),
            };
        }
        let found = self.cursor.peek();
        let Some(event @ (Event::Load32 { .. } | Event::Load64 { .. } | Event::LoadRef { .. })) = found else {
            return self.mismatch(&format!("load of {kind:?}"), found);
        };
        let Some(computed) = computed else {
            self.counts.count_unknown_value();
            return match self.value_from_event(kind, event) {
                Some(taken) => taken,
                None => self.mismatch(&format!("load of {kind:?}"), found),
            };
        };
        let Some(recorded) = value_in(event, kind) else { return self.mismatch(&format!("load of {kind:?}"), found) };
        self.cursor.advance();
        self.counts.count_checked();
        let (same, recorded) = match recorded {
            Recorded::Bits(bits) => (same(kind.kind(), computed.bits, bits), Recorded::Bits(bits)),
            Recorded::Reference(reference) => {
                let contents = self.cursor.contents();
                if self.same_reference(computed.object(), reference, contents) {
                    (true, Recorded::Reference(reference))
                } else if resync || self.heap.has_guessed_identity(computed.object()) {
                    self.counts.count_resync();
                    self.path.mark_inexact();
                    return Ok(Slot::reference(self.object_of_reference(reference, contents)?));
                } else {
                    (false, Recorded::Reference(reference))
                }
            }
        };
        if same {
            return Ok(computed);
        }
        match recorded {
            Recorded::Bits(bits) if resync => {
                self.counts.count_resync();
                self.path.mark_inexact();
                Ok(Slot::raw(bits))
            }
            Recorded::Bits(bits) => self.diverge(&format!("load of {:#x}", computed.bits), &format!("{bits:#x}")),
            Recorded::Reference(reference) => {
                let object = computed.object();
                let expected = format!("load of {}#{:x}", self.type_name(object), self.object(object).hash);
                let found = describe_reference(reference, self.cursor.announced());
                self.diverge(&expected, &found)
            }
        }
    }

    /// The exception that the next event tells of. The event is not consumed.
    pub(crate) fn inferred_exception(&mut self, expected: &str) -> InterpResult<ObjectId> {
        match self.cursor.peek() {
            Some(Event::Caught { value, .. } | Event::Thrown { value, .. }) => {
                self.machine_error(*value)?;
                self.object_of_reference(*value, None)
            }
            found => self.mismatch(expected, found),
        }
    }
}

/// A recorded value.
pub(crate) enum Recorded {
    Bits(u64),
    Reference(Reference),
}

/// The value of an event, if it is of the kind.
pub(crate) fn value_in(event: &Event, kind: SlotKind) -> Option<Recorded> {
    let is_wide = kind.is_wide();
    let is_reference = kind == SlotKind::Ref;
    match event {
        Event::Load32 { value, .. } | Event::Ret32 { value, .. } | Event::Arg32 { value, .. } | Event::Result32 { value, .. }
            if !is_wide && !is_reference =>
        {
            Some(Recorded::Bits(u64::from(*value)))
        }
        Event::Load64 { value, .. } | Event::Ret64 { value, .. } | Event::Arg64 { value, .. } | Event::Result64 { value, .. }
            if is_wide =>
        {
            Some(Recorded::Bits(*value))
        }
        Event::LoadRef { value, .. }
        | Event::RetRef { value, .. }
        | Event::ArgRef { value, .. }
        | Event::ResultRef { value, .. }
            if is_reference =>
        {
            Some(Recorded::Reference(*value))
        }
        _ => None,
    }
}

/// The bits of a recorded box; `None`: the contents are no box.
pub(crate) fn boxed(contents: Option<&Content>) -> Option<u64> {
    match contents?.data {
        ContentData::Boxed32(bits) => Some(u64::from(bits)),
        ContentData::Boxed64(bits) => Some(bits),
        _ => None,
    }
}

/// Writes recorded contents into the cells. Cells that hold the same value keep their terms.
pub(crate) fn fill(array: &mut Array, contents: Option<&Content>) {
    let Some(content) = contents else { return };
    if content.length != array.length {
        return;
    }
    let kind = array.kind;
    let mut put = |index: usize, bits: u64| {
        let index = index as u32;
        if array.get(index).is_none_or(|cell| cell.bits != bits) {
            array.set(index, Slot::raw(bits));
        }
    };
    // As on the operand stack: bytes and shorts are sign-extended, others zero-extended.
    match (&content.data, kind) {
        (ContentData::Booleans(v), SlotKind::Boolean) => v.iter().enumerate().for_each(|(i, &b)| put(i, u64::from(b))),
        (ContentData::Bytes(v), SlotKind::Byte) => {
            v.iter().enumerate().for_each(|(i, &b)| put(i, u64::from(i32::from(b as i8) as u32)));
        }
        (ContentData::Chars(v), SlotKind::Char) => v.iter().enumerate().for_each(|(i, &c)| put(i, u64::from(c))),
        (ContentData::Shorts(v), SlotKind::Short) => {
            v.iter().enumerate().for_each(|(i, &s)| put(i, u64::from(i32::from(s as i16) as u32)));
        }
        (ContentData::Ints(v), SlotKind::Int) | (ContentData::Floats(v), SlotKind::Float) => {
            v.iter().enumerate().for_each(|(i, &bits)| put(i, u64::from(bits)));
        }
        (ContentData::Longs(v), SlotKind::Long) | (ContentData::Doubles(v), SlotKind::Double) => {
            v.iter().enumerate().for_each(|(i, &bits)| put(i, bits));
        }
        _ => {}
    }
}
