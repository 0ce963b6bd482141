//! Models of `StringBuilder` and `StringBuffer`: the content is known until code without a model
//! has access to the builder. Flows in: a builder method and its arguments; flows out: a
//! [`ModelResult`] and the new content. Queries on the content are those of `strings`. Must not
//! know how strings are made of terms.

use std::rc::Rc;

use tracewright_classfile::{BinaryOp, Kind};

use super::methods::builders::{BuilderModel, is_builder};
use super::result::{ModelResult, NULL_POINTER, STRING_INDEX};
use crate::path::ClauseKind;
use crate::program::MethodRef;
use crate::symbolic::arith;
use crate::symbolic::completion::InterpResult;
use crate::symbolic::context::ModelContext;
use crate::symbolic::data::objects::{BuilderContents, ObjectBody, ObjectId, Slot, StringBuilderContents, SymbolicString};
use crate::symbolic::data::strings::KnownString;
use crate::symbolic::reason::UnsupportedReason;

const NEGATIVE_SIZE: &str = "java/lang/NegativeArraySizeException";
const INDEX: &str = "java/lang/IndexOutOfBoundsException";

impl ModelContext<'_, '_> {
    /// The content of a builder; `None` while it is unknown.
    pub(super) fn builder_string(&mut self, object: ObjectId) -> Option<KnownString> {
        if self.is_builder_stale(object) {
            return None;
        }
        let ObjectBody::Builder(StringBuilderContents { text: Some(text), .. }) = &self.object(object).body else { return None };
        let (units, length, characters): (Rc<[u16]>, _, _) = (text.units.as_slice().into(), text.length, text.cells.clone());
        if characters.is_empty() && length.is_none() {
            return Some(KnownString::constant(units));
        }
        let (length, within) = length.unwrap_or_else(|| (self.terms.int(units.len() as i32), None));
        let symbolic = SymbolicString { length, characters, within, is_literal: false };
        Some(KnownString { units, symbolic: Some(Rc::new(symbolic)) })
    }

    /// Forgets the content of a builder or matcher that is passed to a call without a model, unless
    /// `is_left` says that the call does not change it. Returns whether the content carried terms.
    pub(crate) fn release_builder_content(&mut self, object: ObjectId, is_left: bool) -> bool {
        let (carried, changes) = match &self.object(object).body {
            ObjectBody::Builder(StringBuilderContents { text, .. }) => {
                (text.as_ref().is_some_and(|text| !text.cells.is_empty()), true)
            }
            ObjectBody::Matcher(matcher) => (matcher.text.symbolic.is_some(), true),
            _ => (false, false),
        };
        if changes && !is_left {
            let object = self.object_mut(object);
            match &mut object.body {
                ObjectBody::Builder(builder) => builder.text = None,
                body => *body = ObjectBody::Fields(Vec::new()),
            }
        }
        carried
    }

    /// Takes the content of the receiver of `toString` from the recorded result.
    pub(crate) fn resync_builder(&mut self, callee: &MethodRef, arguments: &[Slot], recorded: ObjectId) {
        let Some(receiver) = arguments.first() else { return };
        // `Integer.toString(int)` has no receiver.
        if &*callee.name != "toString" || !callee.descriptor.starts_with("()") || !is_builder(&self.type_name(receiver.object()))
        {
            return;
        }
        if let Some(text) = self.known_string(recorded) {
            self.set_builder_string(receiver.object(), Some(KnownString::constant(text.units)));
        }
    }

    /// Sets the content of a builder; `None` forgets it.
    pub(super) fn set_builder_string(&mut self, object: ObjectId, text: Option<KnownString>) {
        let seen = self.heap.opaque_calls();
        let text = text.map(|text| match text.symbolic {
            None => BuilderContents { units: text.units.to_vec(), length: None, cells: Vec::new() },
            Some(symbolic) => {
                let is_fixed = self.terms.constant_of(symbolic.length).is_some();
                let length = (!is_fixed).then_some((symbolic.length, symbolic.within));
                BuilderContents { units: text.units.to_vec(), length, cells: symbolic.characters.clone() }
            }
        });
        self.object_mut(object).body = ObjectBody::Builder(StringBuilderContents { text, seen });
    }

    /// Applies a model to the arguments of a call, the receiver first.
    pub(super) fn apply_builder(&mut self, model: BuilderModel, arguments: &[Slot]) -> InterpResult<ModelResult> {
        let receiver = arguments.first().copied().unwrap_or_default();
        let object = receiver.object();
        if !is_builder(&self.type_name(object)) {
            return Ok(ModelResult::Opaque);
        }
        match self.change(model, object, arguments)? {
            Ok(Change::To(text)) => {
                self.set_builder_string(object, Some(text));
            }
            Ok(Change::None) => {}
            Ok(Change::Unknown) => {
                let carried = self.builder_string(object).is_some_and(|text| !text.is_constant());
                self.set_builder_string(object, None);
                if carried {
                    self.record_concretisation(UnsupportedReason::BuilderContents);
                }
                return Ok(ModelResult::Opaque);
            }
            Err(class) => return Ok(ModelResult::Throws(class)),
        }
        let is_void = matches!(
            model,
            BuilderModel::InitEmpty
                | BuilderModel::InitCapacity
                | BuilderModel::InitText
                | BuilderModel::SetCharAt
                | BuilderModel::SetLength
                | BuilderModel::Capacity
        );
        Ok(if is_void { ModelResult::Void } else { ModelResult::Value(receiver) })
    }

    fn change(
        &mut self,
        model: BuilderModel,
        object: ObjectId,
        arguments: &[Slot],
    ) -> InterpResult<Result<Change, &'static str>> {
        let first = arguments.get(1).copied().unwrap_or_default();
        let second = arguments.get(2).copied().unwrap_or_default();
        match model {
            BuilderModel::InitEmpty => return Ok(Ok(Change::To(KnownString::of("")))),
            BuilderModel::InitCapacity => {
                let negative = first.as_int() < 0;
                if let Some(term) = self.term_if(&[first], Kind::Int) {
                    let zero = self.terms.int(0);
                    let clause = self.terms.lt(term, zero);
                    let holds = if negative { clause } else { self.terms.not(clause) };
                    self.add_clause(ClauseKind::NegSize, u32::from(negative), holds)?;
                }
                return Ok(if negative { Err(NEGATIVE_SIZE) } else { Ok(Change::To(KnownString::of(""))) });
            }
            BuilderModel::InitText => {
                if first.object().is_null() {
                    return Ok(Err(NULL_POINTER));
                }
                return Ok(Ok(Change::of(self.sequence(first.object()))));
            }
            BuilderModel::Capacity => return Ok(Ok(Change::None)),
            BuilderModel::SetLength if first.term.is_none() && first.as_int() == 0 => {
                return Ok(Ok(Change::To(KnownString::of(""))));
            }
            _ => {}
        }
        if let BuilderModel::Append(kind) = model {
            let Some(added) = self.string_of_value(first, kind)? else { return Ok(Ok(Change::Unknown)) };
            if self.append_in_place(object, &added) {
                return Ok(Ok(Change::None));
            }
            let Some(text) = self.builder_string(object) else { return Ok(Ok(Change::Unknown)) };
            return Ok(Ok(Change::of(self.concatenate(&text, &added)?)));
        }
        let Some(text) = self.builder_string(object) else { return Ok(Ok(Change::Unknown)) };
        let length = self.length_of(&text);
        Ok(match model {
            BuilderModel::AppendChars => match self.string_of_chars(first, &arguments[2..])? {
                Ok(Some(added)) => Ok(Change::of(self.concatenate(&text, &added)?)),
                Ok(None) => Ok(Change::Unknown),
                Err(NULL_POINTER) => Err(NULL_POINTER),
                Err(_) => Err(INDEX),
            },
            BuilderModel::AppendPart => {
                let added = if first.object().is_null() { Some(KnownString::of("null")) } else { self.sequence(first.object()) };
                let Some(added) = added else { return Ok(Ok(Change::Unknown)) };
                let to = arguments.get(3).copied().unwrap_or_default();
                let length = self.length_of(&added);
                if !self.decide_range(length, second, to)? {
                    return Ok(Err(INDEX));
                }
                let Some(part) = self.substring_of(&added, second, Some(to))? else { return Ok(Ok(Change::Unknown)) };
                Ok(Change::of(self.concatenate(&text, &part)?))
            }
            BuilderModel::AppendCodePoint => {
                let is_unit = (0..=0xffff).contains(&first.as_int());
                if let Some(term) = self.term_if(&[first], Kind::Int) {
                    let inside = self.in_interval(term, 0, 0xffff);
                    let holds = if is_unit { inside } else { self.terms.not(inside) };
                    self.add_clause(ClauseKind::Model, u32::from(!is_unit), holds)?;
                }
                if !is_unit {
                    return Ok(Ok(Change::Unknown));
                }
                let added = self.string_of_char(first);
                Ok(Change::of(self.concatenate(&text, &added)?))
            }
            BuilderModel::Insert(kind) => {
                let Some(added) = self.string_of_value(second, kind)? else { return Ok(Ok(Change::Unknown)) };
                if !self.decide_range(length, first, length)? {
                    return Ok(Err(STRING_INDEX));
                }
                self.spliced(&text, first, first, &added)?
            }
            BuilderModel::Delete | BuilderModel::Replace => {
                let to = self.least(second, length)?;
                let by = match (model, arguments.get(3)) {
                    (BuilderModel::Delete, _) => Some(KnownString::of("")),
                    (_, Some(by)) if !by.object().is_null() => self.sequence(by.object()),
                    _ => None,
                };
                let Some(by) = by else { return Ok(Ok(Change::Unknown)) };
                if !self.decide_range(length, first, to)? {
                    return Ok(Err(STRING_INDEX));
                }
                self.spliced(&text, first, to, &by)?
            }
            BuilderModel::DeleteCharAt => {
                if !self.decide_index(&text, first)? {
                    return Ok(Err(STRING_INDEX));
                }
                let next = arith::binary(self.terms, BinaryOp::Add, Kind::Int, first, Slot::int(1));
                self.spliced(&text, first, next, &KnownString::of(""))?
            }
            BuilderModel::SetCharAt => {
                if !self.decide_index(&text, first)? {
                    return Ok(Err(STRING_INDEX));
                }
                self.with_char(&text, first, second)?
            }
            BuilderModel::SetLength => self.with_length(&text, first)?,
            BuilderModel::Reverse => Ok(Change::of(self.reversed(&text)?)),
            _ => Ok(Change::Unknown),
        })
    }

    /// Appends in place where the length of the content is constant. Returns false where it is not,
    /// and changes nothing.
    fn append_in_place(&mut self, object: ObjectId, added: &KnownString) -> bool {
        if self.is_builder_stale(object) {
            return false;
        }
        let added_cells = match &added.symbolic {
            None => Vec::new(),
            Some(symbolic) => {
                if self.terms.constant_of(symbolic.length).is_none() || symbolic.within.is_some() {
                    return false;
                }
                symbolic.characters[..added.units.len().min(symbolic.characters.len())].to_vec()
            }
        };
        let (needs_cells, count) = match &self.object(object).body {
            ObjectBody::Builder(StringBuilderContents { text: Some(text), .. }) if text.length.is_none() => {
                (!text.cells.is_empty() || !added_cells.is_empty(), text.cells.len())
            }
            _ => return false,
        };
        let mut more = Vec::new();
        if needs_cells {
            if count == 0 {
                let ObjectBody::Builder(StringBuilderContents { text: Some(text), .. }) = &self.object(object).body else {
                    return false;
                };
                let units = text.units.clone();
                more.extend(units.iter().map(|&unit| self.terms.int(i32::from(unit))));
            }
            match added_cells.is_empty() {
                true => more.extend(added.units.iter().map(|&unit| self.terms.int(i32::from(unit)))),
                false => more.extend(added_cells),
            }
        }
        if let ObjectBody::Builder(StringBuilderContents { text: Some(text), .. }) = &mut self.object_mut(object).body {
            text.units.extend_from_slice(&added.units);
            text.cells.extend(more);
        }
        true
    }

    /// Whether an opaque call may have changed the builder since its content was last known.
    fn is_builder_stale(&self, object: ObjectId) -> bool {
        let object = self.object(object);
        matches!(&object.body, ObjectBody::Builder(StringBuilderContents { seen, .. }) if object.escaped && *seen != self.heap.opaque_calls())
    }

    /// The content with the characters from `from` to before `to` replaced.
    fn spliced(
        &mut self,
        text: &KnownString,
        from: Slot,
        to: Slot,
        by: &KnownString,
    ) -> InterpResult<Result<Change, &'static str>> {
        let (Some(head), Some(tail)) = (self.substring_of(text, Slot::ZERO, Some(from))?, self.substring_of(text, to, None)?)
        else {
            return Ok(Ok(Change::Unknown));
        };
        let (Some(whole), Some(added)) = (self.open_terms(text), self.open_terms(by)) else { return Ok(Ok(Change::Unknown)) };
        let Some(joined) = self.concatenate(&head, by)? else { return Ok(Ok(Change::Unknown)) };
        let Some(joined) = self.concatenate(&joined, &tail)? else { return Ok(Ok(Change::Unknown)) };
        // The two remaining parts do not overlap.
        Ok(Ok(Change::To(self.with_at_most(joined, whole.high + added.high))))
    }

    fn least(&mut self, a: Slot, b: Slot) -> InterpResult<Slot> {
        let bits = if a.as_int() < b.as_int() { a.bits } else { b.bits };
        let term = self.pair(a, b, Kind::Int).map(|(x, y)| {
            let less = self.terms.lt(x, y);
            self.terms.ite(less, x, y)
        });
        Ok(arith::slot(self.terms, bits, term))
    }

    fn with_char(&mut self, text: &KnownString, at: Slot, unit: Slot) -> InterpResult<Result<Change, &'static str>> {
        let mut units = text.units.to_vec();
        units[at.as_int() as usize] = unit.bits as u16;
        if text.is_constant() && at.term.is_none() && unit.term.is_none() {
            return Ok(Ok(Change::To(KnownString::constant(units))));
        }
        let (Some(mut line), Some(at), Some(unit)) =
            (self.string_terms(text)?, arith::term_of(self.terms, at, Kind::Int), arith::term_of(self.terms, unit, Kind::Int))
        else {
            return Ok(Ok(Change::Unknown));
        };
        for (position, cell) in line.cells.iter_mut().enumerate() {
            let place = self.terms.int(position as i32);
            let is_here = self.terms.eq(at, place);
            *cell = self.terms.ite(is_here, unit, *cell);
        }
        Ok(Ok(Change::To(self.string_of_terms(units, line.length, line.cells))))
    }

    /// `setLength`: the content is cut, or extended by zero characters.
    fn with_length(&mut self, text: &KnownString, length: Slot) -> InterpResult<Result<Change, &'static str>> {
        let (wanted, count) = (length.as_int(), text.units.len());
        let negative = wanted < 0;
        let old = self.length_of(text);
        if let Some(term) = self.term_if(&[length], Kind::Int) {
            let zero = self.terms.int(0);
            let clause = self.terms.lt(term, zero);
            let holds = if negative { clause } else { self.terms.not(clause) };
            self.add_clause(ClauseKind::Bounds, u32::from(negative), holds)?;
        }
        if negative {
            return Ok(Err(STRING_INDEX));
        }
        let shrinks = wanted as usize <= count;
        if let Some((new, old)) = self.pair(length, old, Kind::Int) {
            let clause = self.terms.le(new, old);
            let holds = if shrinks { clause } else { self.terms.not(clause) };
            self.add_clause(ClauseKind::Model, u32::from(!shrinks), holds)?;
        }
        if shrinks {
            return Ok(Ok(Change::of(self.substring_of(text, Slot::ZERO, Some(length))?)));
        }
        if let Some(term) = self.term_if(&[length], Kind::Int)
            && !self.decide_value(term, wanted, 0, wanted.max(32))?
        {
            return Ok(Ok(Change::Unknown));
        }
        if wanted > 1 << 12 {
            return Ok(Ok(Change::Unknown));
        }
        let mut units = text.units.to_vec();
        units.resize(wanted as usize, 0);
        let Some(line) = self.string_terms(text)? else { return Ok(Ok(Change::Unknown)) };
        let zero = self.terms.int(0);
        let cells = (0..wanted as usize).map(|position| match line.cells.get(position) {
            Some(&cell) => {
                let inside = self.is_before_end(&line, position);
                self.terms.ite(inside, cell, zero)
            }
            None => zero,
        });
        let cells = cells.collect();
        let wanted = self.terms.int(wanted);
        Ok(Ok(Change::To(self.string_of_terms(units, wanted, cells))))
    }

    /// The reversed content; `None` where it is too long, or has surrogate pairs, which keep their
    /// order.
    fn reversed(&mut self, text: &KnownString) -> InterpResult<Option<KnownString>> {
        let has_pairs = text.units.iter().any(|unit| (0xd800..0xe000).contains(unit));
        let units: Vec<u16> = text.units.iter().rev().copied().collect();
        if text.is_constant() {
            return Ok((!has_pairs).then(|| KnownString::constant(units)));
        }
        let Some(line) = self.string_terms(text)? else { return Ok(None) };
        let clause = self.all_inside(&line, |context, cell| {
            let surrogate = context.in_interval(cell, 0xd800, 0xdfff);
            context.terms.not(surrogate)
        });
        let holds = if has_pairs { self.terms.not(clause) } else { clause };
        self.add_clause(ClauseKind::Model, u32::from(has_pairs), holds)?;
        if has_pairs {
            return Ok(None);
        }
        let mut cells = Vec::with_capacity(line.high);
        for position in 0..line.high {
            // Each length gives another character at this position.
            let mut cell = line.cells[line.high - 1 - position];
            for length in (line.low.max(position + 1)..line.high).rev() {
                let length_term = self.terms.int(length as i32);
                let is_length = self.terms.eq(line.length, length_term);
                cell = self.terms.ite(is_length, line.cells[length - 1 - position], cell);
            }
            cells.push(cell);
        }
        Ok(Some(self.string_of_terms(units, line.length, cells)))
    }
}

/// How a method changes the content of a builder.
enum Change {
    To(KnownString),
    /// The content does not change, or was changed in place.
    None,
    Unknown,
}

impl Change {
    fn of(text: Option<KnownString>) -> Change {
        text.map_or(Change::Unknown, Change::To)
    }
}
