//! Models of the methods of `String` and `CharSequence`, and of `Object` and `Comparable` where the
//! receiver is a string. This file checks arguments and computes results; searches are in
//! `string_search`, case and whitespace in `letters`. Flows in: a tag of `string_methods` and the
//! arguments; flows out: a [`ModelResult`]. Must not know how the result becomes a recorded object.

use tracewright_classfile::Kind;

use super::known_string::ConcatOperand;
use super::methods::strings::StringModel;
use super::result::{ILLEGAL_ARGUMENT, ModelResult, NULL_POINTER, STRING_INDEX};
use crate::expr::TermId;
use crate::path::ClauseKind;
use crate::symbolic::arith;
use crate::symbolic::completion::InterpResult;
use crate::symbolic::context::ModelContext;
use crate::symbolic::data::ids::SlotKind;
use crate::symbolic::data::objects::{Array, ObjectBody, ObjectId, Slot, StringContents};
use crate::symbolic::data::strings::{KnownString, no_literal, with_literal};
use crate::symbolic::reason::UnsupportedReason;

impl ModelContext<'_, '_> {
    /// Applies a model to the arguments of a call, the receiver first.
    pub(super) fn apply_string(&mut self, model: StringModel, arguments: &[Slot]) -> InterpResult<ModelResult> {
        let first = arguments.first().copied().unwrap_or_default();
        let second = arguments.get(1).copied().unwrap_or_default();
        match model {
            StringModel::ValueOf(kind) => {
                return Ok(self.string_of_value(first, kind)?.map_or(ModelResult::Opaque, ModelResult::String));
            }
            StringModel::OfChars => {
                return Ok(match self.string_of_chars(first, &arguments[1..])? {
                    Ok(text) => text.map_or(ModelResult::Opaque, ModelResult::String),
                    Err(class) => ModelResult::Throws(class),
                });
            }
            StringModel::Format { locale: false } => return self.format_string(first, second),
            StringModel::Format { locale: true } => {
                let third = arguments.get(2).copied().unwrap_or_default();
                return match first.object().is_null() || self.is_plain_locale(first.object()) {
                    true => self.format_string(second, third),
                    false => Ok(ModelResult::Opaque),
                };
            }
            StringModel::Join => return self.join_all(first, second),
            StringModel::InitEmpty | StringModel::InitText | StringModel::InitChars => {
                let text = match model {
                    StringModel::InitEmpty => Ok(Some(KnownString::of(""))),
                    StringModel::InitText if second.object().is_null() => Err(NULL_POINTER),
                    StringModel::InitText => Ok(self.sequence(second.object())),
                    _ => self.string_of_chars(second, &arguments[2..])?,
                };
                return Ok(match text {
                    Ok(text) => {
                        // Unknown content stays unknown until a recorded value shows it.
                        let outcome = if text.is_some() { ModelResult::Void } else { ModelResult::Opaque };
                        let text = match text {
                            Some(text) => StringContents { units: Some(text.units), symbolic: text.symbolic.map(no_literal) },
                            None => StringContents { units: None, symbolic: None },
                        };
                        self.object_mut(first.object()).body = ObjectBody::Str(text);
                        outcome
                    }
                    Err(class) => ModelResult::Throws(class),
                });
            }
            _ => {}
        }
        let Some(text) = self.sequence(first.object()) else { return self.apply_to_non_string(model, first, second) };
        let is_string = matches!(self.object(first.object()).body, ObjectBody::Str(_));
        if !is_string && matches!(model, StringModel::Equals | StringModel::HashCode) {
            // Builders inherit `equals` and `hashCode` from `Object`.
            return Ok(ModelResult::Opaque);
        }
        self.apply_to_string(model, &text, arguments)
    }

    /// The result where the receiver is neither a string nor a builder, but for instance a box.
    fn apply_to_non_string(&mut self, model: StringModel, receiver: Slot, argument: Slot) -> InterpResult<ModelResult> {
        match model {
            StringModel::Equals => Ok(self.boxes_equal(receiver, argument)),
            StringModel::HashCode => Ok(self.hash_of_box(receiver)),
            StringModel::CompareTo => Ok(self.compare_boxes(receiver, argument)),
            StringModel::ToString => Ok(self.string_of_object(receiver)?.map_or(ModelResult::Opaque, ModelResult::String)),
            _ => Ok(ModelResult::Opaque),
        }
    }

    fn apply_to_string(&mut self, model: StringModel, text: &KnownString, arguments: &[Slot]) -> InterpResult<ModelResult> {
        let first = arguments[0];
        let second = arguments.get(1).copied().unwrap_or_default();
        let third = arguments.get(2).copied();
        // The argument that must be a character sequence.
        let other = match model {
            StringModel::ContentEquals
            | StringModel::CompareTo
            | StringModel::CompareToIgnoreCase
            | StringModel::StartsWith
            | StringModel::EndsWith
            | StringModel::Contains
            | StringModel::Index { character: false, .. }
            | StringModel::Concat => {
                if second.object().is_null() {
                    return Ok(ModelResult::Throws(NULL_POINTER));
                }
                match self.sequence(second.object()) {
                    Some(other) => other,
                    None => return Ok(ModelResult::Opaque),
                }
            }
            _ => KnownString::of(""),
        };
        Ok(match model {
            StringModel::Length => ModelResult::Value(self.length_of(text)),
            StringModel::IsEmpty => {
                let length = self.length_of(text);
                let term = self.term_if(&[length], Kind::Int).map(|length| {
                    let zero = self.terms.int(0);
                    self.terms.eq(length, zero)
                });
                self.boolean_result(text.units.is_empty(), term)
            }
            StringModel::IsBlank => self.is_blank(text)?,
            StringModel::CharAt => self.char_at(text, second)?,
            StringModel::CodePointAt => self.code_point_at(text, second)?,
            StringModel::Equals => {
                if first.object() == second.object() {
                    return Ok(self.boolean_result(true, None));
                }
                match self.known_string(second.object()) {
                    Some(other) => self.equality_result(text, &other)?,
                    None if self.is_other_than_string(second.object()) => self.boolean_result(false, None),
                    None => ModelResult::Opaque,
                }
            }
            StringModel::ContentEquals => self.equality_result(text, &other)?,
            StringModel::EqualsIgnoreCase => {
                if second.object().is_null() {
                    return Ok(self.boolean_result(false, None));
                }
                let Some(other) = self.known_string(second.object()) else { return Ok(ModelResult::Opaque) };
                self.equals_ignoring_case(text, &other)?
            }
            StringModel::CompareTo => self.compare_strings(text, &other, false)?,
            StringModel::CompareToIgnoreCase => self.compare_strings(text, &other, true)?,
            StringModel::StartsWith => self.starts_with(text, &other, third)?,
            StringModel::EndsWith => self.ends_with(text, &other)?,
            StringModel::Contains => self.contains(text, &other)?,
            StringModel::Index { last, character: true } => self.index_of_char(text, second, third, last)?,
            StringModel::Index { last, character: false } => self.index_of(text, &other, third, last)?,
            StringModel::HashCode => self.hash_of_string(text)?,
            StringModel::RegionMatches { ignores_case } => self.region_matches(text, &arguments[1..], ignores_case)?,
            StringModel::Substring => self.substring(text, second, third)?,
            StringModel::Concat => self.concatenate(text, &other)?.map_or(ModelResult::Opaque, ModelResult::String),
            StringModel::Trim => self.strip(text, true, true, true)?,
            StringModel::Strip { leading, trailing } => self.strip(text, false, leading, trailing)?,
            StringModel::ToLowerCase | StringModel::ToUpperCase => {
                if let Some(locale) = arguments.get(1) {
                    if locale.object().is_null() {
                        return Ok(ModelResult::Throws(NULL_POINTER));
                    }
                    if !self.is_plain_locale(locale.object()) {
                        return Ok(ModelResult::Opaque);
                    }
                }
                self.convert_case(text, model == StringModel::ToUpperCase)?
            }
            StringModel::ReplaceChar => self.replace_char(text, second, third.unwrap_or_default())?,
            StringModel::Replace => {
                let Some(third) = third else { return Ok(ModelResult::Opaque) };
                if second.object().is_null() || third.object().is_null() {
                    return Ok(ModelResult::Throws(NULL_POINTER));
                }
                match (self.sequence(second.object()), self.sequence(third.object())) {
                    (Some(target), Some(by)) => self.replace_string(text, &target, &by)?,
                    _ => ModelResult::Opaque,
                }
            }
            StringModel::Repeat => self.repeat(text, second)?,
            StringModel::Intern => {
                let mut text = text.clone();
                if let Some(symbolic) = &text.symbolic {
                    text.symbolic = Some(with_literal(symbolic.clone(), true));
                }
                ModelResult::String(text)
            }
            StringModel::ToString => match &self.object(first.object()).body {
                ObjectBody::Str(_) => ModelResult::Value(first),
                _ => ModelResult::String(text.clone()),
            },
            StringModel::ToCharArray => ModelResult::Chars(text.clone()),
            StringModel::GetChars => self.get_chars(text, &arguments[1..])?,
            _ => ModelResult::Opaque,
        })
    }

    /// Whether the object is null or known to be of another class than `String`.
    fn is_other_than_string(&self, object: ObjectId) -> bool {
        object.is_null() || self.object(object).ty.is_some_and(|ty| !self.is_string(ty))
    }

    /// Whether the locale is one of the constants of `Locale`, none of which has case rules of its
    /// own.
    fn is_plain_locale(&mut self, locale: ObjectId) -> bool {
        const NAMES: [&str; 12] =
            ["ROOT", "ENGLISH", "US", "UK", "CANADA", "GERMAN", "GERMANY", "FRENCH", "FRANCE", "ITALIAN", "ITALY", "CHINESE"];
        let class = crate::program::ClassName::new("java/util/Locale");
        NAMES.iter().any(|name| {
            let field = crate::program::FieldRef::new(class.clone(), name, "Ljava/util/Locale;");
            let field = self.linked.field_ix(&field);
            self.heap.static_field(field).is_some_and(|slot| slot.object() == locale)
        })
    }

    /// The length of a string as an int.
    pub(super) fn length_of(&mut self, text: &KnownString) -> Slot {
        let length = text.symbolic.as_ref().map(|symbolic| self.constant_on_path(symbolic.length));
        arith::slot(self.terms, text.units.len() as u64, length)
    }

    /// A boolean result, with the clause that decides it where inputs do.
    pub(super) fn boolean_result(&mut self, holds: bool, clause: Option<TermId>) -> ModelResult {
        let term = clause.map(|clause| self.truth_value(clause));
        ModelResult::Value(arith::slot(self.terms, u64::from(holds), term))
    }

    /// An int result, with its term where inputs decide it.
    pub(super) fn int_result(&mut self, value: i32, term: Option<TermId>) -> ModelResult {
        ModelResult::Value(arith::slot(self.terms, Slot::int(value).bits, term))
    }

    /// Decides by a clause whether the index lies inside the string. Returns the answer of this
    /// run.
    pub(super) fn decide_index(&mut self, text: &KnownString, index: Slot) -> InterpResult<bool> {
        let inside = (index.as_int() as u32 as usize) < text.units.len();
        let length = self.length_of(text);
        if let Some((index, length)) = self.pair(index, length, Kind::Int) {
            let bound = self.terms.ult(index, length);
            let holds = if inside { bound } else { self.terms.not(bound) };
            self.add_clause(ClauseKind::Bounds, u32::from(!inside), holds)?;
        }
        Ok(inside)
    }

    /// Decides by a clause whether `0 <= from <= to <= length`. Returns the answer of this run.
    pub(super) fn decide_range(&mut self, length: Slot, from: Slot, to: Slot) -> InterpResult<bool> {
        let holds = 0 <= from.as_int() && from.as_int() <= to.as_int() && to.as_int() <= length.as_int();
        if [length, from, to].iter().any(|slot| slot.term.is_some()) {
            let [length, from, to] = [length, from, to].map(|slot| arith::term_of(self.terms, slot, Kind::Int));
            if let (Some(length), Some(from), Some(to)) = (length, from, to) {
                let zero = self.terms.int(0);
                let first = self.terms.le(zero, from);
                let second = self.terms.le(from, to);
                let third = self.terms.le(to, length);
                self.decide_bounds(holds, [first, second, third])?;
            }
        }
        Ok(holds)
    }

    /// The character at an index that lies inside the string.
    pub(super) fn character_at(&mut self, text: &KnownString, index: Slot) -> InterpResult<Slot> {
        let at = index.as_int() as u32 as usize;
        let unit = text.units.get(at).copied().unwrap_or(0);
        let term = match (self.term_if(&[index], Kind::Int), &text.symbolic) {
            (None, None) => None,
            (None, Some(symbolic)) => symbolic.characters.get(at).map(|&cell| self.constant_on_path(cell)),
            (Some(index), _) => {
                let cells = self.string_terms(text)?.map(|line| line.cells).filter(|cells| cells.len() <= self.config.cells);
                match cells {
                    None => {
                        self.record_concretisation(UnsupportedReason::SymbolicStringIndex);
                        None
                    }
                    Some(cells) => self.select_cell(&cells, index),
                }
            }
        };
        Ok(arith::slot(self.terms, u64::from(unit), term))
    }

    fn char_at(&mut self, text: &KnownString, index: Slot) -> InterpResult<ModelResult> {
        if !self.decide_index(text, index)? {
            return Ok(ModelResult::Throws(STRING_INDEX));
        }
        Ok(ModelResult::Value(self.character_at(text, index)?))
    }

    /// `codePointAt`. A clause says whether the unit is a high surrogate; pairs are modelled in
    /// constants only.
    fn code_point_at(&mut self, text: &KnownString, index: Slot) -> InterpResult<ModelResult> {
        if !self.decide_index(text, index)? {
            return Ok(ModelResult::Throws(STRING_INDEX));
        }
        let unit = self.character_at(text, index)?;
        let is_high = (0xd800..0xdc00).contains(&unit.as_int());
        if let Some(term) = unit.term {
            let inside = self.in_interval(term, 0xd800, 0xdbff);
            let holds = if is_high { inside } else { self.terms.not(inside) };
            self.add_clause(ClauseKind::Model, u32::from(is_high), holds)?;
        }
        if !is_high {
            return Ok(ModelResult::Value(unit));
        }
        if !text.is_constant() || index.term.is_some() {
            return Ok(ModelResult::Opaque);
        }
        let low = text.units.get(index.as_int() as usize + 1).copied().unwrap_or(0);
        let code = match char::decode_utf16([unit.bits as u16, low]).next() {
            Some(Ok(character)) => u32::from(character),
            _ => unit.bits as u32,
        };
        Ok(ModelResult::Value(Slot::int(code as i32)))
    }

    /// The cell at a symbolic index that lies inside: a choice between all cells. `None` where
    /// there are none.
    pub(super) fn select_cell(&mut self, cells: &[TermId], index: TermId) -> Option<TermId> {
        let mut cells = cells.iter().enumerate().rev();
        let (_, &last) = cells.next()?;
        Some(cells.fold(last, |otherwise, (position, &cell)| {
            let here = self.terms.int(position as i32);
            let is_here = self.terms.eq(index, here);
            self.terms.ite(is_here, cell, otherwise)
        }))
    }

    /// The result of a comparison of two contents.
    pub(super) fn equality_result(&mut self, a: &KnownString, b: &KnownString) -> InterpResult<ModelResult> {
        Ok(match self.known_strings_equal(a, b)? {
            Some((equal, clause)) => self.boolean_result(equal, clause),
            None => ModelResult::Opaque,
        })
    }

    // Strings as results.

    /// `substring` and `subSequence`; throws where the range is outside.
    pub(super) fn substring(&mut self, text: &KnownString, from: Slot, to: Option<Slot>) -> InterpResult<ModelResult> {
        let length = self.length_of(text);
        if !self.decide_range(length, from, to.unwrap_or(length))? {
            return Ok(ModelResult::Throws(STRING_INDEX));
        }
        Ok(self.substring_of(text, from, to)?.map_or(ModelResult::Opaque, ModelResult::String))
    }

    fn replace_char(&mut self, text: &KnownString, old: Slot, new: Slot) -> InterpResult<ModelResult> {
        let (Some(old_term), Some(new_term)) =
            (arith::term_of(self.terms, old, Kind::Int), arith::term_of(self.terms, new, Kind::Int))
        else {
            return Ok(ModelResult::Opaque);
        };
        let (before, after) = (old.bits as u16, new.bits as u16);
        let units: Vec<u16> = text.units.iter().map(|&unit| if unit == before { after } else { unit }).collect();
        if text.is_constant() && old.term.is_none() && new.term.is_none() {
            return Ok(ModelResult::String(KnownString::constant(units)));
        }
        let Some(line) = self.string_terms(text)? else { return Ok(ModelResult::Opaque) };
        let cells = line.cells.iter().map(|&cell| {
            let is_old = self.terms.eq(cell, old_term);
            self.terms.ite(is_old, new_term, cell)
        });
        let cells = cells.collect();
        Ok(ModelResult::String(self.string_of_terms(units, line.length, cells)))
    }

    /// `replace` of a string. The lengths are decided first; then one clause for each position says
    /// whether the target begins there.
    fn replace_string(&mut self, text: &KnownString, target: &KnownString, by: &KnownString) -> InterpResult<ModelResult> {
        if let ([old], [new]) = (&*target.units, &*by.units)
            && target.is_constant()
            && by.is_constant()
        {
            return self.replace_char(text, Slot::int(i32::from(*old)), Slot::int(i32::from(*new)));
        }
        let (Some(line), Some(needle)) = (self.string_terms(text)?, self.string_terms(target)?) else {
            return Ok(ModelResult::Opaque);
        };
        let (Some(line), Some(needle)) = (self.decide_length(line)?, self.decide_length(needle)?) else {
            return Ok(ModelResult::Opaque);
        };
        let count = needle.units.len();
        let mut result = KnownString::of("");
        let mut begin = 0;
        let mut places = Vec::new();
        let mut place = 0;
        while place + count <= line.units.len() {
            let is_there = line.units[place..].starts_with(&needle.units);
            let clause = self.occurs_at(&line, place, &needle);
            let holds = if is_there { clause } else { self.terms.not(clause) };
            self.add_clause(ClauseKind::Model, u32::from(is_there), holds)?;
            if is_there {
                places.push(place);
                // The empty string is found once before each character.
                place += count.max(1);
            } else {
                place += 1;
            }
        }
        let end = line.units.len();
        for place in places.into_iter().map(Some).chain([None]) {
            let stop = place.unwrap_or(end);
            let length = self.terms.int((stop - begin) as i32);
            let part = self.string_of_terms(line.units[begin..stop].to_vec(), length, line.cells[begin..stop].to_vec());
            let Some(joined) = self.concatenate(&result, &part)? else { return Ok(ModelResult::Opaque) };
            result = joined;
            if place.is_some() {
                let Some(joined) = self.concatenate(&result, by)? else { return Ok(ModelResult::Opaque) };
                result = joined;
            }
            begin = stop + count;
        }
        Ok(ModelResult::String(result))
    }

    fn repeat(&mut self, text: &KnownString, count: Slot) -> InterpResult<ModelResult> {
        let times = count.as_int();
        if let Some(term) = self.term_if(&[count], Kind::Int) {
            let zero = self.terms.int(0);
            let negative = self.terms.lt(term, zero);
            let holds = if times < 0 { negative } else { self.terms.not(negative) };
            self.add_clause(ClauseKind::Model, u32::from(times < 0), holds)?;
            if times >= 0 && !self.decide_value(term, times, 0, times.max(16))? {
                return Ok(ModelResult::Opaque);
            }
        }
        if times < 0 {
            return Ok(ModelResult::Throws(ILLEGAL_ARGUMENT));
        }
        if (times as usize).saturating_mul(text.units.len()) > 1 << 16 {
            return Ok(ModelResult::Opaque);
        }
        if text.is_constant() {
            return Ok(ModelResult::String(KnownString::constant(text.units.repeat(times as usize))));
        }
        let mut result = KnownString::of("");
        for _ in 0..times {
            match self.concatenate(&result, text)? {
                Some(joined) => result = joined,
                None => return Ok(ModelResult::Opaque),
            }
        }
        Ok(ModelResult::String(result))
    }

    fn join_all(&mut self, separator: Slot, elements: Slot) -> InterpResult<ModelResult> {
        if separator.object().is_null() || elements.object().is_null() {
            return Ok(ModelResult::Throws(NULL_POINTER));
        }
        self.entry_array(elements.object())?;
        let object = self.object(elements.object());
        let absent = object.zeroed.then_some(Slot::ZERO);
        let ObjectBody::Array(array) = &object.body else { return Ok(ModelResult::Opaque) };
        let cells: Option<Vec<Slot>> = (0..array.length).map(|index| array.get(index).or(absent)).collect();
        let (Some(cells), Some(separator)) = (cells, self.sequence(separator.object())) else { return Ok(ModelResult::Opaque) };
        let mut pieces = Vec::new();
        for (position, cell) in cells.into_iter().enumerate() {
            if position > 0 {
                pieces.push(ConcatOperand::String(separator.clone()));
            }
            pieces.push(ConcatOperand::Value(cell, SlotKind::Ref));
        }
        self.concatenate_all(&pieces)
    }

    /// The string in a character array, or in the part that offset and count give; otherwise the
    /// class of the exception. `None` inside where a cell is unknown or the array is too long.
    pub(super) fn string_of_chars(
        &mut self,
        array: Slot,
        part: &[Slot],
    ) -> InterpResult<Result<Option<KnownString>, &'static str>> {
        if array.object().is_null() {
            return Ok(Err(NULL_POINTER));
        }
        self.entry_array(array.object())?;
        let object = self.object(array.object());
        let absent = object.zeroed.then_some(Slot::ZERO);
        let ObjectBody::Array(chars @ Array { kind: SlotKind::Char, length, length_term, .. }) = &object.body else {
            return Ok(Ok(None));
        };
        let (length, length_term) = (*length, *length_term);
        if length > 1 << 12 {
            return Ok(Ok(None));
        }
        let cells: Option<Vec<Slot>> = (0..length).map(|index| chars.get(index).or(absent)).collect();
        let Some(cells) = cells else { return Ok(Ok(None)) };
        let of_length = arith::slot(self.terms, u64::from(length), length_term);
        let places = match part {
            [from, count] => {
                let to = arith::binary(self.terms, tracewright_classfile::BinaryOp::Add, Kind::Int, *from, *count);
                // Where the sum overflows, it is negative and thus less than the offset.
                if !self.decide_range(of_length, *from, to)? {
                    return Ok(Err(STRING_INDEX));
                }
                Some((*from, to))
            }
            _ => None,
        };
        // The cells are known for this length only.
        if let Some(term) = length_term
            && !self.decide_value(term, length as i32, 0, (length as i32).max(32))?
        {
            return Ok(Ok(None));
        }
        let units: Vec<u16> = cells.iter().map(|cell| cell.bits as u16).collect();
        let terms: Option<Vec<TermId>> = cells.iter().map(|&cell| arith::term_of(self.terms, cell, Kind::Int)).collect();
        let Some(terms) = terms else { return Ok(Ok(None)) };
        let of_length = self.terms.int(length as i32);
        let text = self.string_of_terms(units, of_length, terms);
        match places {
            None => Ok(Ok(Some(text))),
            Some((from, to)) => Ok(Ok(self.substring_of(&text, from, Some(to))?)),
        }
    }

    /// `getChars` at constant positions.
    fn get_chars(&mut self, text: &KnownString, arguments: &[Slot]) -> InterpResult<ModelResult> {
        let [from, to, target, at] = *arguments else { return Ok(ModelResult::Opaque) };
        if target.object().is_null() || [from, to, at].iter().any(|slot| slot.term.is_some()) {
            return Ok(ModelResult::Opaque);
        }
        let length = self.length_of(text);
        self.entry_array(target.object())?;
        let ObjectBody::Array(Array { kind: SlotKind::Char, length: room, length_term: None, .. }) =
            self.object(target.object()).body
        else {
            return Ok(ModelResult::Opaque);
        };
        let count = i64::from(to.as_int()) - i64::from(from.as_int());
        let fits = 0 <= at.as_int() && i64::from(at.as_int()) + count <= i64::from(room);
        if !fits || !self.decide_range(length, from, to)? {
            return Ok(ModelResult::Opaque);
        }
        let mut cells = Vec::new();
        for place in from.as_int()..to.as_int() {
            cells.push(self.character_at(text, Slot::int(place))?);
        }
        if let ObjectBody::Array(array) = &mut self.object_mut(target.object()).body {
            for (offset, cell) in cells.into_iter().enumerate() {
                array.set(at.as_int() as u32 + offset as u32, cell);
            }
        }
        Ok(ModelResult::Void)
    }
}
