//! The algebra of strings over the inputs: a value of this run together with a length term and
//! character terms. Every operation is exact for all inputs that satisfy the clauses it adds. A
//! length is decided by a clause of its own only where a choice between lengths would cost too many
//! terms. Flows in: known strings and slots; flows out: known strings. Must not know which Java
//! method asks.

use std::rc::Rc;

use tracewright_classfile::Kind;

use super::result::ModelResult;
use crate::expr::TermId;
use crate::path::ClauseKind;
use crate::symbolic::arith;
use crate::symbolic::completion::InterpResult;
use crate::symbolic::context::ModelContext;
use crate::symbolic::data::ids::SlotKind;
use crate::symbolic::data::objects::{Object, ObjectBody, ObjectId, Slot};
use crate::symbolic::data::strings::{KnownString, StringContents, SymbolicString};
use crate::symbolic::reason::UnsupportedReason;

/// An operand of a concatenation.
#[derive(Clone, Debug)]
pub(crate) enum ConcatOperand {
    String(KnownString),
    Value(Slot, SlotKind),
}

/// A string as terms, constants where nothing depends on inputs. Its length lies in `low..=high`,
/// and there are `high` cells. A cell at or after the length has no meaning.
#[derive(Clone, Debug)]
pub(crate) struct StringTerms {
    pub(crate) units: Rc<[u16]>,
    pub(crate) length: TermId,
    pub(crate) cells: Vec<TermId>,
    pub(crate) low: usize,
    pub(crate) high: usize,
    within: Option<TermId>,
}

/// Most choices that one operation makes before it decides a length instead.
const WORK: usize = 4096;
/// Most distinct terms of one string, and the largest size of one as a tree.
const MOST_TERMS: usize = 20_000;
const LARGEST_TREE: u64 = 1 << 40;
/// Most alternatives of a decided length.
const ALTERNATIVES: i32 = 300;
/// Longest string that carries terms, in UTF-16 units.
const LONGEST: usize = 2048;

impl StringTerms {
    /// Whether the bounds leave one length only.
    pub(crate) fn has_fixed_length(&self) -> bool {
        self.low == self.high
    }
}

impl ModelContext<'_, '_> {
    /// The content of a string object; `None` where it is unknown or the object is no string.
    pub(crate) fn known_string(&self, object: ObjectId) -> Option<KnownString> {
        match &self.object(object).body {
            ObjectBody::Str(StringContents { units: Some(units), symbolic }) => {
                Some(KnownString { units: units.clone(), symbolic: symbolic.clone() })
            }
            _ => None,
        }
    }

    /// The content of a string or builder; `None` where it is unknown.
    pub(super) fn sequence(&mut self, object: ObjectId) -> Option<KnownString> {
        match self.known_string(object) {
            Some(text) => Some(text),
            None => self.builder_string(object),
        }
    }

    /// A new string object, for calls without a recorded result.
    ///
    /// # Errors
    /// The end of the path, where the limit of objects is reached.
    pub(crate) fn new_string(&mut self, text: KnownString) -> InterpResult<Slot> {
        let body = ObjectBody::Str(StringContents { units: Some(text.units), symbolic: text.symbolic });
        let object = Object { ty: Some(self.linked.string()), hash: 0, zeroed: false, escaped: true, body };
        self.allocate(object).map(Slot::reference)
    }

    /// The recorded string that a call returned, with the modelled content. A string that was
    /// visible before keeps its own content: the modelled one then belongs to a new object with the
    /// same identity hash.
    ///
    /// # Errors
    /// [`PathEnd::Diverged`](crate::symbolic::PathEnd) where the recorded content differs.
    pub(crate) fn string_result(&mut self, text: KnownString, recorded: ObjectId, callee: &str) -> InterpResult<Slot> {
        self.counts.count_checked();
        let found = self.object(recorded);
        let hash = found.hash;
        let fits = match &found.body {
            ObjectBody::Str(StringContents { units: Some(units), .. }) => *units == text.units,
            // The recording omits the content of long strings.
            ObjectBody::Str(StringContents { units: None, .. }) => true,
            _ => false,
        };
        if !fits {
            let found = match self.known_string(recorded) {
                Some(found) => String::from_utf16_lossy(&found.units),
                None => self.type_name(recorded),
            };
            let computed = String::from_utf16_lossy(&text.units);
            return self.diverge(&format!("model of {callee}: {computed:?}"), &format!("{found:?}"));
        }
        if matches!(&self.object(recorded).body, ObjectBody::Str(StringContents { units: Some(_), symbolic: None }))
            && text.is_constant()
        {
            return Ok(Slot::reference(recorded));
        }
        if self.is_first_seen(recorded) && !text.may_be_literal() {
            self.object_mut(recorded).body = ObjectBody::Str(StringContents { units: Some(text.units), symbolic: text.symbolic });
            return Ok(Slot::reference(recorded));
        }
        let result = self.new_string(text)?;
        self.object_mut(result.object()).hash = hash;
        Ok(result)
    }

    /// Whether the recorded result of a call was never visible before.
    pub(super) fn is_first_seen(&self, object: ObjectId) -> bool {
        self.heap.is_first_seen(object)
    }

    // Strings as terms.

    /// The string as terms; `None` where it is too long. It may be longer than its cells until the
    /// clause `within` is added.
    pub(super) fn open_terms(&mut self, text: &KnownString) -> Option<StringTerms> {
        if text.units.len() > LONGEST {
            return None;
        }
        let units = text.units.clone();
        Some(match &text.symbolic {
            None => {
                let cells: Vec<TermId> = units.iter().map(|&unit| self.terms.int(i32::from(unit))).collect();
                let (low, high) = (cells.len(), cells.len());
                StringTerms { units, length: self.terms.int(low as i32), cells, low, high, within: None }
            }
            Some(symbolic) => {
                let interval = self.bounds(symbolic.length);
                let high = symbolic.characters.len().min(usize::try_from(interval.high).unwrap_or(0));
                let low = usize::try_from(interval.low).unwrap_or(0).min(high);
                let cells = symbolic.characters[..high].iter().map(|&cell| self.constant_on_path(cell)).collect();
                let length = self.constant_on_path(symbolic.length);
                StringTerms {
                    units,
                    length,
                    cells,
                    low,
                    high,
                    within: symbolic.within.filter(|&within| self.implied_truth(within) != Some(true)),
                }
            }
        })
    }

    /// Adds the clause that the string is not longer than its cells.
    fn decide_within(&mut self, line: &mut StringTerms) -> InterpResult<()> {
        match line.within.take() {
            Some(within) => self.add_length_bound(within),
            None => Ok(()),
        }
    }

    /// The string as terms, with the clause that it is not longer than its cells; `None` where it
    /// is too long.
    pub(super) fn string_terms(&mut self, text: &KnownString) -> InterpResult<Option<StringTerms>> {
        let Some(mut line) = self.open_terms(text) else { return Ok(None) };
        self.decide_within(&mut line)?;
        Ok(Some(line))
    }

    /// A string of these terms. It is a constant where all terms are, and where they are too large,
    /// which is counted.
    pub(super) fn string_of_terms(&mut self, units: Vec<u16>, length: TermId, mut cells: Vec<TermId>) -> KnownString {
        let length = self.constant_on_path(length);
        let high = usize::try_from(self.bounds(length).high).unwrap_or(0);
        cells.truncate(high);
        let is_constant = |context: &Self, term: &TermId| context.terms.constant_of(*term).is_some();
        if is_constant(self, &length) && cells.iter().all(|cell| is_constant(self, cell)) {
            return KnownString::constant(units);
        }
        if self.is_too_large(length, &cells) {
            self.record_concretisation(UnsupportedReason::LargeString);
            return KnownString::constant(units);
        }
        let symbolic = SymbolicString { length, characters: cells, within: None, is_literal: false };
        KnownString { units: units.into(), symbolic: Some(Rc::new(symbolic)) }
    }

    /// Whether the terms are too large for solvers. The tree size is cheap to compute; the number
    /// of distinct terms is what counts.
    fn is_too_large(&self, length: TermId, cells: &[TermId]) -> bool {
        let mut all = cells.to_vec();
        all.push(length);
        if all.iter().any(|&term| self.terms.is_wide(term)) {
            return true;
        }
        let tree = all.iter().map(|&term| self.terms.tree_size(term)).max().unwrap_or(0);
        tree > LARGEST_TREE || (tree > self.config.term_size && self.terms.reachable(&all).len() > MOST_TERMS)
    }

    /// Decides by a clause that the term has its value of this run; every other value in
    /// `low..=high` is an alternative, and one alternative is any value outside. Returns false
    /// where there are too many values.
    pub(super) fn decide_value(&mut self, term: TermId, value: i32, low: i32, high: i32) -> InterpResult<bool> {
        if self.terms.constant_of(term).is_some() {
            return Ok(true);
        }
        if high.saturating_sub(low) > ALTERNATIVES || value < low || value > high {
            return Ok(false);
        }
        let mut holds = None;
        let mut others = Vec::new();
        for other in low..=high {
            let constant = self.terms.int(other);
            let same = self.terms.eq(term, constant);
            if other == value {
                holds = Some(same);
            } else {
                others.push(((other - low) as u32, same));
            }
        }
        let interval = self.bounds(term);
        if interval.low < i64::from(low) || interval.high > i64::from(high) {
            let inside = self.in_interval(term, low, high);
            others.push(((high - low + 1) as u32, self.terms.not(inside)));
        }
        if let Some(holds) = holds {
            self.add_clause_with_alternatives(ClauseKind::Model, (value - low) as u32, holds, others)?;
        }
        Ok(true)
    }

    /// The string with its length decided by a clause; `None` where there are too many
    /// alternatives.
    pub(super) fn decide_length(&mut self, mut line: StringTerms) -> InterpResult<Option<StringTerms>> {
        self.decide_within(&mut line)?;
        let count = line.units.len();
        if !self.decide_value(line.length, count as i32, line.low as i32, line.high as i32)? {
            return Ok(None);
        }
        line.length = self.terms.int(count as i32);
        line.cells.truncate(count);
        (line.low, line.high) = (count, count);
        Ok(Some(line))
    }

    /// The formula `low <= term <= high`.
    pub(super) fn in_interval(&mut self, term: TermId, low: i32, high: i32) -> TermId {
        let (low, high) = (self.terms.int(low), self.terms.int(high));
        let above = self.terms.le(low, term);
        let below = self.terms.le(term, high);
        self.terms.and(above, below)
    }

    /// The formula `position < length`.
    pub(super) fn is_before_end(&mut self, line: &StringTerms, position: usize) -> TermId {
        if position < line.low {
            return self.terms.bool(true);
        }
        let position = self.terms.int(position as i32);
        self.terms.lt(position, line.length)
    }

    // Operations that make strings.

    /// The concatenation of two strings; `None` where it is too long.
    pub(crate) fn concatenate(&mut self, a: &KnownString, b: &KnownString) -> InterpResult<Option<KnownString>> {
        if a.units.is_empty() && a.is_constant() {
            return Ok(Some(b.as_result()));
        }
        if b.units.is_empty() && b.is_constant() {
            return Ok(Some(a.as_result()));
        }
        let mut units = a.units.to_vec();
        units.extend_from_slice(&b.units);
        if a.is_constant() && b.is_constant() {
            return Ok(Some(KnownString::constant(units)));
        }
        if units.len() > LONGEST {
            return Ok(None);
        }
        let (Some(mut x), Some(mut y)) = (self.open_terms(a), self.open_terms(b)) else { return Ok(None) };
        let costly = (x.high - x.low + 1).saturating_mul(y.cells.len()) > WORK;
        if !x.has_fixed_length() || x.within.is_some() {
            self.decide_within(&mut x)?;
            self.decide_within(&mut y)?;
            if costly {
                match self.decide_length(x)? {
                    Some(pinned) => x = pinned,
                    None => return Ok(None),
                }
            }
        }
        let length = self.terms.add(x.length, y.length);
        let cells = self.append_cells(&x, &y.cells);
        let mut text = self.string_of_terms(units, length, cells);
        if let (Some(within), Some(symbolic)) = (y.within, &text.symbolic) {
            text.symbolic = Some(Rc::new(SymbolicString { within: Some(within), ..SymbolicString::clone(symbolic) }));
        }
        Ok(Some(text))
    }

    fn append_cells(&mut self, x: &StringTerms, added: &[TermId]) -> Vec<TermId> {
        let mut cells = x.cells[..x.low].to_vec();
        if x.has_fixed_length() {
            cells.extend_from_slice(added);
            return cells;
        }
        let is_length: Vec<TermId> = (x.low..=x.high)
            .map(|length| {
                let length = self.terms.int(length as i32);
                self.terms.eq(x.length, length)
            })
            .collect();
        for position in x.low..x.high + added.len() {
            let mut cell = x.cells.get(position).copied();
            let first = x.low.max((position + 1).saturating_sub(added.len()));
            for length in (first..=x.high.min(position)).rev() {
                let here = added[position - length];
                cell = Some(match cell {
                    None => here,
                    Some(otherwise) => self.terms.ite(is_length[length - x.low], here, otherwise),
                });
            }
            cells.extend(cell);
        }
        cells
    }

    /// The string, which the caller knows to have at most `most` characters.
    pub(super) fn with_at_most(&mut self, text: KnownString, most: usize) -> KnownString {
        match text.symbolic {
            Some(symbolic) if symbolic.characters.len() > most => {
                let characters = symbolic.characters[..most].to_vec();
                let symbolic = SymbolicString { characters, ..SymbolicString::clone(&symbolic) };
                KnownString { units: text.units, symbolic: Some(Rc::new(symbolic)) }
            }
            symbolic => KnownString { units: text.units, symbolic },
        }
    }

    /// The cells from a symbolic position in `low..=high` on.
    pub(super) fn cells_from(&mut self, cells: &[TermId], from: TermId, low: usize, high: usize) -> Vec<TermId> {
        let (low, high) = (low.min(cells.len()), high.min(cells.len()));
        if low == high {
            return cells[low..].to_vec();
        }
        let is_place: Vec<TermId> = (low..=high)
            .map(|place| {
                let place = self.terms.int(place as i32);
                self.terms.eq(from, place)
            })
            .collect();
        let mut shifted = Vec::with_capacity(cells.len() - low);
        for position in 0..cells.len() - low {
            let mut cell = None;
            for place in (low..=high).rev() {
                let Some(&here) = cells.get(position + place) else { continue };
                cell = Some(match cell {
                    None => here,
                    Some(otherwise) => self.terms.ite(is_place[place - low], here, otherwise),
                });
            }
            shifted.extend(cell);
        }
        shifted
    }

    /// The part from `from` to before `to`. The caller has decided that both lie inside and in
    /// order. `None` where it is too long.
    pub(super) fn substring_of(&mut self, text: &KnownString, from: Slot, to: Option<Slot>) -> InterpResult<Option<KnownString>> {
        let (start, end) = (from.as_int() as usize, to.map_or(text.units.len(), |to| to.as_int() as usize));
        let Some(units) = text.units.get(start..end).map(<[u16]>::to_vec) else { return Ok(None) };
        if text.is_constant() && from.term.is_none() && to.is_none_or(|to| to.term.is_none()) {
            return Ok(Some(KnownString::constant(units)));
        }
        let Some(mut line) = self.string_terms(text)? else { return Ok(None) };
        let (Some(mut begin), Some(mut stop)) = (
            arith::term_of(self.terms, from, Kind::Int),
            to.map_or(Some(line.length), |to| arith::term_of(self.terms, to, Kind::Int)),
        ) else {
            return Ok(None);
        };
        let place = |context: &Self, term: TermId, high: usize| {
            let interval = context.bounds(term);
            let low = usize::try_from(interval.low).unwrap_or(0).min(high);
            (low, usize::try_from(interval.high).unwrap_or(0).min(high))
        };
        let (low, mut high) = place(self, begin, line.high);
        let last = place(self, stop, line.high).1;
        line.cells.truncate(last);
        if (high - low).saturating_mul(line.cells.len()) > WORK {
            if !self.decide_value(begin, start as i32, low as i32, high as i32)? {
                return Ok(None);
            }
            begin = self.terms.int(start as i32);
            high = start;
            if to.is_none() {
                stop = line.length;
            }
            let cells = line.cells[high.min(line.cells.len())..].to_vec();
            let length = self.terms.sub(stop, begin);
            return Ok(Some(self.string_of_terms(units, length, cells)));
        }
        high = high.min(last);
        let cells = self.cells_from(&line.cells, begin, low.min(high), high);
        let length = self.terms.sub(stop, begin);
        Ok(Some(self.string_of_terms(units, length, cells)))
    }

    /// The string with each character mapped on its own; `None` where it is too long.
    pub(super) fn map_characters(
        &mut self,
        text: &KnownString,
        units: Vec<u16>,
        mut change: impl FnMut(&mut Self, TermId) -> TermId,
    ) -> InterpResult<Option<KnownString>> {
        if text.is_constant() {
            return Ok(Some(KnownString::constant(units)));
        }
        let Some(line) = self.string_terms(text)? else { return Ok(None) };
        let cells = line.cells.iter().map(|&cell| change(self, cell)).collect();
        Ok(Some(self.string_of_terms(units, line.length, cells)))
    }

    // Strings of values.

    /// The concatenation of all operands by string conversion (JLS §5.1.11). Opaque where an
    /// operand is a float, or an object whose string is unknown.
    pub(crate) fn concatenate_all(&mut self, pieces: &[ConcatOperand]) -> InterpResult<ModelResult> {
        let mut all = KnownString::of("");
        for piece in pieces {
            let text = match piece {
                ConcatOperand::String(text) => Some(text.clone()),
                ConcatOperand::Value(slot, kind) => self.string_of_value(*slot, *kind)?,
            };
            let Some(text) = text else { return Ok(ModelResult::Opaque) };
            match self.concatenate(&all, &text)? {
                Some(joined) => all = joined,
                None => return Ok(ModelResult::Opaque),
            }
        }
        Ok(ModelResult::String(all))
    }

    /// The result of `String.valueOf`; `None` for floats and objects whose string is unknown.
    pub(crate) fn string_of_value(&mut self, slot: Slot, kind: SlotKind) -> InterpResult<Option<KnownString>> {
        Ok(match kind {
            SlotKind::Char => Some(self.string_of_char(slot)),
            SlotKind::Boolean => Some(self.string_of_boolean(slot)),
            SlotKind::Byte | SlotKind::Short | SlotKind::Int | SlotKind::Long => Some(self.decimal(slot, kind.kind())?),
            SlotKind::Float | SlotKind::Double => None,
            SlotKind::Ref if slot.object().is_null() => Some(KnownString::of("null")),
            SlotKind::Ref => self.string_of_object(slot)?,
        })
    }

    /// The result of `toString` of a string, builder or box; `None` for other objects.
    pub(super) fn string_of_object(&mut self, slot: Slot) -> InterpResult<Option<KnownString>> {
        match &self.object(slot.object()).body {
            ObjectBody::Str(_) => Ok(self.known_string(slot.object())),
            ObjectBody::Builder(_) => Ok(self.builder_string(slot.object())),
            ObjectBody::Boxed(content) => {
                let content = Slot { bits: content.bits, term: slot.term.or(content.term) };
                match SlotKind::of_box(&self.type_name(slot.object())) {
                    Some(kind) => self.string_of_value(content, kind),
                    None => Ok(None),
                }
            }
            _ => Ok(None),
        }
    }

    /// The string of one character.
    pub(super) fn string_of_char(&mut self, slot: Slot) -> KnownString {
        let units = vec![slot.bits as u16];
        match self.term_if(&[slot], Kind::Int) {
            None => KnownString::constant(units),
            Some(term) => {
                let cell = self.terms.i2c(term);
                let one = self.terms.int(1);
                self.string_of_terms(units, one, vec![cell])
            }
        }
    }

    fn string_of_boolean(&mut self, slot: Slot) -> KnownString {
        let written = if slot.as_int() == 0 { "false" } else { "true" };
        let units: Vec<u16> = written.encode_utf16().collect();
        let Some(term) = self.term_if(&[slot], Kind::Int) else { return KnownString::constant(units) };
        let zero = self.terms.int(0);
        let is_true = self.terms.ne(term, zero);
        let mut choose = |yes: i32, no: i32| {
            let (yes, no) = (self.terms.int(yes), self.terms.int(no));
            self.terms.ite(is_true, yes, no)
        };
        let length = choose(4, 5);
        let cells =
            b"true\0".iter().zip(b"false").map(|(&yes, &no)| choose(i32::from(if yes == 0 { no } else { yes }), i32::from(no)));
        let cells = cells.collect();
        self.string_of_terms(units, length, cells)
    }

    /// The decimal string of an integer. Of an input, a clause decides the sign, and the digits are
    /// terms.
    pub(super) fn decimal(&mut self, slot: Slot, kind: Kind) -> InterpResult<KnownString> {
        let is_long = kind == Kind::Long;
        let value = if is_long { slot.as_long() } else { i64::from(slot.as_int()) };
        let units: Vec<u16> = value.to_string().encode_utf16().collect();
        let Some(term) = self.term_if(&[slot], kind) else { return Ok(KnownString::constant(units)) };
        let negative = value < 0;
        let zero = if is_long { self.terms.long(0) } else { self.terms.int(0) };
        let holds = if negative { self.terms.lt(term, zero) } else { self.terms.ge(term, zero) };
        self.add_clause(ClauseKind::Model, u32::from(negative), holds)?;
        let interval = self.terms.interval(term);
        let largest = if negative { interval.low.unsigned_abs() } else { interval.high.unsigned_abs() };
        let most = largest.to_string().len();
        // The formula that the number has more than `digits` digits.
        let reaches: Vec<TermId> = (1..most)
            .map(|digits| {
                let power = 10i64.pow(digits as u32);
                let power = if negative { -power } else { power };
                let power = if is_long { self.terms.long(power) } else { self.terms.int(power as i32) };
                if negative { self.terms.le(term, power) } else { self.terms.ge(term, power) }
            })
            .collect();
        let digits: Vec<TermId> = (0..most).map(|place| self.digit(term, place as u32, is_long, negative)).collect();
        Ok(self.string_of_digits(units, negative.then_some(u16::from(b'-')), &reaches, &digits))
    }

    /// The character of the digit at a position, counted from the last.
    pub(super) fn digit(&mut self, term: TermId, place: u32, is_long: bool, negative: bool) -> TermId {
        let power = 10i64.pow(place);
        let constant = |context: &mut Self, value: i64| {
            if is_long { context.terms.long(value) } else { context.terms.int(value as i32) }
        };
        let (power, ten) = (constant(self, power), constant(self, 10));
        let quotient = self.terms.div(term, power);
        let mut digit = self.terms.rem(quotient, ten);
        if is_long {
            digit = self.terms.l2i(digit);
        }
        if negative {
            digit = self.terms.neg(digit);
        }
        let zero = self.terms.int(i32::from(b'0'));
        self.terms.add(digit, zero)
    }

    // Queries that decide equality and position.

    /// Whether two strings are equal, with the clause that says so where inputs decide it; `None`
    /// where one is too long.
    pub(crate) fn known_strings_equal(
        &mut self,
        a: &KnownString,
        b: &KnownString,
    ) -> InterpResult<Option<(bool, Option<TermId>)>> {
        let equal = a.units == b.units;
        if a.is_constant() && b.is_constant() {
            return Ok(Some((equal, None)));
        }
        // A constant may be longer than the cells of the other string.
        for (x, y) in [(a, b), (b, a)] {
            if let (Some(symbolic), None) = (&x.symbolic, &y.symbolic)
                && symbolic.characters.len() < y.units.len()
            {
                let Some(_) = self.string_terms(x)? else { return Ok(None) };
                return Ok(Some((equal, None)));
            }
        }
        let (Some(mut x), Some(mut y)) = (self.open_terms(a), self.open_terms(b)) else { return Ok(None) };
        if !a.is_constant() && !b.is_constant() {
            self.decide_within(&mut x)?;
            self.decide_within(&mut y)?;
        }
        let mut all = self.terms.eq(x.length, y.length);
        for position in 0..x.cells.len().min(y.cells.len()) {
            let same = self.terms.eq(x.cells[position], y.cells[position]);
            let beyond = if y.has_fixed_length() || x.has_fixed_length() {
                // Where the lengths are equal, both are this one.
                let fixed = if y.has_fixed_length() { y.low } else { x.low };
                self.terms.bool(position >= fixed)
            } else {
                let inside = self.is_before_end(&x, position);
                self.terms.not(inside)
            };
            let either = self.terms.or(beyond, same);
            all = self.terms.and(all, either);
        }
        Ok(Some((equal, Some(all))))
    }

    /// For every position up to the longest length, the formula that the needle occurs there. The
    /// needle may get a decided length; `None` where it is too long.
    pub(super) fn occurrences(
        &mut self,
        text: &StringTerms,
        needle: &StringTerms,
    ) -> InterpResult<Option<(StringTerms, Vec<TermId>)>> {
        let mut needle = needle.clone();
        if !needle.has_fixed_length() && text.cells.len().saturating_mul(needle.cells.len()) > WORK {
            match self.decide_length(needle)? {
                Some(pinned) => needle = pinned,
                None => return Ok(None),
            }
        }
        let places = (0..=text.high).map(|place| self.occurs_at(text, place, &needle)).collect();
        Ok(Some((needle, places)))
    }

    /// The formula that the needle occurs at the position and ends inside the string.
    pub(super) fn occurs_at(&mut self, text: &StringTerms, place: usize, needle: &StringTerms) -> TermId {
        if place + needle.low > text.high {
            return self.terms.bool(false);
        }
        let offset = self.terms.int(place as i32);
        let end = self.terms.add(needle.length, offset);
        let mut all = if place + needle.high <= text.low { self.terms.bool(true) } else { self.terms.le(end, text.length) };
        for (position, &wanted) in needle.cells.iter().enumerate() {
            let beyond = if position < needle.low {
                self.terms.bool(false)
            } else {
                let inside = self.is_before_end(needle, position);
                self.terms.not(inside)
            };
            let either = match text.cells.get(place + position) {
                Some(&cell) => {
                    let same = self.terms.eq(cell, wanted);
                    self.terms.or(beyond, same)
                }
                None => beyond,
            };
            all = self.terms.and(all, either);
        }
        all
    }
}
