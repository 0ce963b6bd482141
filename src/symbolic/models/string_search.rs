//! Queries on strings: comparison, search for characters and substrings, hash codes, trimming.
//! Exact for all lengths that have variables. Flows in: known strings; flows out: a
//! [`ModelResult`]. Must not know the names and parameters of Java methods.

use std::cmp::Ordering;

use tracewright_classfile::Kind;

use super::known_string::StringTerms;
use super::letters::{fold, fold_unit};
use super::result::ModelResult;
use crate::expr::TermId;
use crate::path::ClauseKind;
use crate::symbolic::arith;
use crate::symbolic::completion::InterpResult;
use crate::symbolic::context::ModelContext;
use crate::symbolic::data::objects::Slot;
use crate::symbolic::data::strings::KnownString;

impl ModelContext<'_, '_> {
    /// `startsWith`, from an optional position.
    pub(super) fn starts_with(
        &mut self,
        text: &KnownString,
        prefix: &KnownString,
        from: Option<Slot>,
    ) -> InterpResult<ModelResult> {
        let from = from.unwrap_or_default();
        let start = usize::try_from(from.as_int()).ok();
        let rest = start.and_then(|start| text.units.get(start..));
        let holds = rest.is_some_and(|rest| rest.starts_with(&prefix.units));
        if text.is_constant() && prefix.is_constant() && from.term.is_none() {
            return Ok(self.boolean_result(holds, None));
        }
        let (Some(line), Some(prefix)) = (self.string_terms(text)?, self.string_terms(prefix)?) else {
            return Ok(ModelResult::Opaque);
        };
        let Some(from_term) = self.term_if(&[from], Kind::Int) else {
            let clause = match start {
                Some(start) if start <= line.high => self.occurs_at(&line, start, &prefix),
                _ => self.terms.bool(false),
            };
            return Ok(self.boolean_result(holds, Some(clause)));
        };
        let Some((_, places)) = self.occurrences(&line, &prefix)? else { return Ok(ModelResult::Opaque) };
        let mut any = self.terms.bool(false);
        for (place, is_there) in places.into_iter().enumerate() {
            let place = self.terms.int(place as i32);
            let is_place = self.terms.eq(from_term, place);
            let here = self.terms.and(is_place, is_there);
            any = self.terms.or(any, here);
        }
        Ok(self.boolean_result(holds, Some(any)))
    }

    /// `endsWith`.
    pub(super) fn ends_with(&mut self, text: &KnownString, suffix: &KnownString) -> InterpResult<ModelResult> {
        let holds = text.units.ends_with(&suffix.units);
        if text.is_constant() && suffix.is_constant() {
            return Ok(self.boolean_result(holds, None));
        }
        let (Some(line), Some(suffix)) = (self.string_terms(text)?, self.string_terms(suffix)?) else {
            return Ok(ModelResult::Opaque);
        };
        let Some((suffix, places)) = self.occurrences(&line, &suffix)? else { return Ok(ModelResult::Opaque) };
        let mut any = self.terms.bool(false);
        for (place, is_there) in places.into_iter().enumerate() {
            let place = self.terms.int(place as i32);
            let end = self.terms.add(suffix.length, place);
            let is_last = self.terms.eq(end, line.length);
            let here = self.terms.and(is_last, is_there);
            any = self.terms.or(any, here);
        }
        Ok(self.boolean_result(holds, Some(any)))
    }

    /// `contains`.
    pub(super) fn contains(&mut self, text: &KnownString, needle: &KnownString) -> InterpResult<ModelResult> {
        let holds = find(&text.units, &needle.units, 0).is_some();
        if text.is_constant() && needle.is_constant() {
            return Ok(self.boolean_result(holds, None));
        }
        let (Some(line), Some(needle)) = (self.string_terms(text)?, self.string_terms(needle)?) else {
            return Ok(ModelResult::Opaque);
        };
        let Some((_, places)) = self.occurrences(&line, &needle)? else { return Ok(ModelResult::Opaque) };
        let mut any = self.terms.bool(false);
        for is_there in places.into_iter().rev() {
            any = self.terms.or(is_there, any);
        }
        Ok(self.boolean_result(holds, Some(any)))
    }

    /// `indexOf` or (`last`) `lastIndexOf` of a character, from an optional position.
    pub(super) fn index_of_char(
        &mut self,
        text: &KnownString,
        character: Slot,
        from: Option<Slot>,
        last: bool,
    ) -> InterpResult<ModelResult> {
        // A supplementary character is two units.
        let code = character.as_int();
        let is_unit = (0..=0xffff).contains(&code);
        if let Some(term) = self.term_if(&[character], Kind::Int) {
            let inside = self.in_interval(term, 0, 0xffff);
            let holds = if is_unit { inside } else { self.terms.not(inside) };
            self.add_clause(ClauseKind::Model, u32::from(!is_unit), holds)?;
        }
        if is_unit {
            let needle = self.string_of_char(character);
            return self.index_of(text, &needle, from, last);
        }
        match char::from_u32(code as u32) {
            Some(code) if character.term.is_none() => {
                let needle = KnownString::of(&code.to_string());
                self.index_of(text, &needle, from, last)
            }
            // No string contains it.
            _ if character.term.is_none() => Ok(self.int_result(-1, None)),
            _ => Ok(ModelResult::Opaque),
        }
    }

    /// `indexOf` or (`last`) `lastIndexOf` of a string, from an optional position.
    pub(super) fn index_of(
        &mut self,
        text: &KnownString,
        needle: &KnownString,
        from: Option<Slot>,
        last: bool,
    ) -> InterpResult<ModelResult> {
        let length = text.units.len();
        let found = if last {
            let from = from.map_or(length as i64, |from| i64::from(from.as_int()));
            usize::try_from(from).ok().and_then(|from| find_last(&text.units, &needle.units, from))
        } else {
            let from = from.map_or(0, |from| from.as_int().max(0) as usize);
            if from >= length { needle.units.is_empty().then_some(length) } else { find(&text.units, &needle.units, from) }
        };
        let found = found.map_or(-1, |place| place as i32);
        if text.is_constant() && needle.is_constant() && from.is_none_or(|from| from.term.is_none()) {
            return Ok(self.int_result(found, None));
        }
        let (Some(line), Some(needle)) = (self.string_terms(text)?, self.string_terms(needle)?) else {
            return Ok(ModelResult::Opaque);
        };
        let Some((needle, places)) = self.occurrences(&line, &needle)? else { return Ok(ModelResult::Opaque) };
        let from = from.and_then(|from| arith::term_of(self.terms, from, Kind::Int));
        let mut result = self.terms.int(-1);
        let mut places: Vec<(usize, TermId)> = places.into_iter().enumerate().collect();
        if !last {
            places.reverse();
        }
        for (place, is_there) in places {
            let place = self.terms.int(place as i32);
            let allowed = match from {
                None => self.terms.bool(true),
                Some(from) if last => self.terms.le(place, from),
                Some(from) => self.terms.le(from, place),
            };
            let here = self.terms.and(is_there, allowed);
            result = self.terms.ite(here, place, result);
        }
        if let Some(from) = from
            && !last
            && needle.low == 0
        {
            // The empty string is found at the end of a string that is shorter than the start
            // index.
            let zero = self.terms.int(0);
            let empty = self.terms.eq(needle.length, zero);
            let beyond = self.terms.le(line.length, from);
            let both = self.terms.and(empty, beyond);
            result = self.terms.ite(both, line.length, result);
        }
        Ok(self.int_result(found, Some(result)))
    }

    /// `String.hashCode`, a polynomial in 31.
    pub(super) fn hash_of_string(&mut self, text: &KnownString) -> InterpResult<ModelResult> {
        let value = text.units.iter().fold(0i32, |hash, &unit| hash.wrapping_mul(31).wrapping_add(i32::from(unit)));
        if text.is_constant() {
            return Ok(self.int_result(value, None));
        }
        let Some(line) = self.string_terms(text)? else { return Ok(ModelResult::Opaque) };
        let by = self.terms.int(31);
        let mut hash = self.terms.int(0);
        let mut result = hash;
        // The hash of each length is another term.
        for (position, &cell) in line.cells.iter().enumerate() {
            let multiplied = self.terms.mul(hash, by);
            hash = self.terms.add(multiplied, cell);
            let inside = self.is_before_end(&line, position);
            result = self.terms.ite(inside, hash, result);
        }
        Ok(self.int_result(value, Some(result)))
    }

    /// `compareTo`; with `ignores_case` on characters folded up to U+00FF.
    pub(super) fn compare_strings(&mut self, a: &KnownString, b: &KnownString, ignores_case: bool) -> InterpResult<ModelResult> {
        let is_constant = a.is_constant() && b.is_constant();
        if ignores_case && !(self.decide_foldable(a)? && self.decide_foldable(b)?) {
            return Ok(ModelResult::Opaque);
        }
        let unit = |unit: u16| if ignores_case { fold_unit(unit) } else { unit };
        let differing =
            a.units.iter().zip(&*b.units).map(|(&x, &y)| (unit(x), unit(y))).find(|(x, y)| x.cmp(y) != Ordering::Equal);
        let value = match differing {
            Some((x, y)) => i32::from(x) - i32::from(y),
            None => a.units.len() as i32 - b.units.len() as i32,
        };
        if is_constant {
            return Ok(self.int_result(value, None));
        }
        let (Some(x), Some(y)) = (self.string_terms(a)?, self.string_terms(b)?) else { return Ok(ModelResult::Opaque) };
        let mut result = self.terms.sub(x.length, y.length);
        let of_lengths = result;
        for position in (0..x.cells.len().min(y.cells.len())).rev() {
            let (mut c, mut d) = (x.cells[position], y.cells[position]);
            if ignores_case {
                (c, d) = (fold(self.terms, c), fold(self.terms, d));
            }
            let same = self.terms.eq(c, d);
            let difference = self.terms.sub(c, d);
            let here = self.terms.ite(same, result, difference);
            let first = self.is_before_end(&x, position);
            let second = self.is_before_end(&y, position);
            let inside = self.terms.and(first, second);
            result = self.terms.ite(inside, here, of_lengths);
        }
        Ok(self.int_result(value, Some(result)))
    }

    /// `equalsIgnoreCase`; exact where the characters are below U+0100, or one side is ASCII and
    /// constant.
    pub(super) fn equals_ignoring_case(&mut self, a: &KnownString, b: &KnownString) -> InterpResult<ModelResult> {
        if a.units.len() != b.units.len() && a.is_constant() && b.is_constant() {
            return Ok(self.boolean_result(false, None));
        }
        let (a, b) = if a.is_constant() { (b, a) } else { (a, b) };
        if b.is_constant() && b.units.iter().all(|&unit| unit < 0x80) {
            // The characters that are equal to an ASCII letter up to case are known.
            return self.equals_ascii(a, b);
        }
        if !(self.decide_foldable(a)? && self.decide_foldable(b)?) {
            return Ok(ModelResult::Opaque);
        }
        let folded = |text: &KnownString| text.units.iter().map(|&unit| fold_unit(unit)).collect::<Vec<u16>>();
        let (x, y) = (folded(a), folded(b));
        let Some(x) = self.map_characters(a, x, |context, cell| fold(context.terms, cell))? else {
            return Ok(ModelResult::Opaque);
        };
        let Some(y) = self.map_characters(b, y, |context, cell| fold(context.terms, cell))? else {
            return Ok(ModelResult::Opaque);
        };
        self.equality_result(&x, &y)
    }

    fn equals_ascii(&mut self, text: &KnownString, wanted: &KnownString) -> InterpResult<ModelResult> {
        let holds = text.units.len() == wanted.units.len()
            && text.units.iter().zip(&*wanted.units).all(|(unit, &wanted)| same_letters(wanted).contains(unit));
        if text.is_constant() {
            return Ok(self.boolean_result(holds, None));
        }
        let Some(line) = self.string_terms(text)? else { return Ok(ModelResult::Opaque) };
        if line.cells.len() < wanted.units.len() {
            return Ok(self.boolean_result(false, None));
        }
        let length = self.terms.int(wanted.units.len() as i32);
        let mut all = self.terms.eq(line.length, length);
        for (&cell, &unit) in line.cells.iter().zip(&*wanted.units) {
            let same = self.is_letter_like(cell, unit);
            all = self.terms.and(all, same);
        }
        Ok(self.boolean_result(holds, Some(all)))
    }

    fn is_letter_like(&mut self, cell: TermId, wanted: u16) -> TermId {
        let mut any = self.terms.bool(false);
        for unit in same_letters(wanted) {
            let unit = self.terms.int(i32::from(unit));
            let same = self.terms.eq(cell, unit);
            any = self.terms.or(any, same);
        }
        any
    }

    /// `regionMatches` with constant positions and length.
    pub(super) fn region_matches(
        &mut self,
        text: &KnownString,
        arguments: &[Slot],
        ignores_case: bool,
    ) -> InterpResult<ModelResult> {
        let (ignores, arguments) = match ignores_case {
            true => (arguments[0], &arguments[1..]),
            false => (Slot::ZERO, arguments),
        };
        let [at, other, from, count] = *arguments else { return Ok(ModelResult::Opaque) };
        if [ignores, at, from, count].iter().any(|slot| slot.term.is_some()) {
            return Ok(ModelResult::Opaque);
        }
        if other.object().is_null() {
            return Ok(ModelResult::Throws(super::result::NULL_POINTER));
        }
        let Some(other) = self.known_string(other.object()) else { return Ok(ModelResult::Opaque) };
        let (at, from, count) = (i64::from(at.as_int()), i64::from(from.as_int()), i64::from(count.as_int()));
        if at < 0 || from < 0 {
            return Ok(self.boolean_result(false, None));
        }
        let ignores = ignores.as_int() != 0;
        if ignores && !(self.decide_foldable(text)? && self.decide_foldable(&other)?) {
            return Ok(ModelResult::Opaque);
        }
        let fits = at + count <= text.units.len() as i64 && from + count <= other.units.len() as i64;
        let unit = |unit: u16| if ignores { fold_unit(unit) } else { unit };
        let holds = fits && (0..count).all(|i| unit(text.units[(at + i) as usize]) == unit(other.units[(from + i) as usize]));
        if text.is_constant() && other.is_constant() {
            return Ok(self.boolean_result(holds, None));
        }
        let (Some(x), Some(y)) = (self.string_terms(text)?, self.string_terms(&other)?) else { return Ok(ModelResult::Opaque) };
        if at + count > x.high as i64 || from + count > y.high as i64 {
            return Ok(self.boolean_result(false, None));
        }
        let (first, second) = (self.terms.int((at + count) as i32), self.terms.int((from + count) as i32));
        let first = self.terms.le(first, x.length);
        let second = self.terms.le(second, y.length);
        let mut all = self.terms.and(first, second);
        for i in 0..count.max(0) {
            let (mut c, mut d) = (x.cells[(at + i) as usize], y.cells[(from + i) as usize]);
            if ignores {
                (c, d) = (fold(self.terms, c), fold(self.terms, d));
            }
            let same = self.terms.eq(c, d);
            all = self.terms.and(all, same);
        }
        Ok(self.boolean_result(holds, Some(all)))
    }

    /// The string without blanks at its ends. With `trims`, blanks are the characters up to U+0020
    /// (`trim`); otherwise whitespace (`strip`).
    pub(super) fn strip(&mut self, text: &KnownString, trims: bool, leading: bool, trailing: bool) -> InterpResult<ModelResult> {
        let is_blank = |unit: u16| if trims { unit <= 32 } else { super::methods::characters::is_whitespace(unit) };
        let length = text.units.len();
        let first = text.units.iter().position(|&unit| !is_blank(unit));
        let last = text.units.iter().rposition(|&unit| !is_blank(unit)).map_or(0, |last| last + 1);
        // Where all characters are blank, the result is empty for either end.
        let from = if leading { first.unwrap_or(if trailing { 0 } else { length }) } else { 0 };
        let to = if trailing { last } else { length };
        if text.is_constant() {
            return Ok(ModelResult::String(KnownString::constant(&text.units[from..to])));
        }
        let Some(line) = self.string_terms(text)? else { return Ok(ModelResult::Opaque) };
        let is_text: Vec<TermId> = (0..line.cells.len())
            .map(|position| {
                let inside = self.is_before_end(&line, position);
                let blank = self.is_blank_cell(line.cells[position], trims);
                let solid = self.terms.not(blank);
                self.terms.and(inside, solid)
            })
            .collect();
        let mut begin = if leading && !trailing { line.length } else { self.terms.int(0) };
        if leading {
            for (position, &solid) in is_text.iter().enumerate().rev() {
                let place = self.terms.int(position as i32);
                begin = self.terms.ite(solid, place, begin);
            }
        }
        let mut end = if trailing { self.terms.int(0) } else { line.length };
        if trailing {
            for (position, &solid) in is_text.iter().enumerate() {
                let place = self.terms.int(position as i32 + 1);
                end = self.terms.ite(solid, place, end);
            }
        }
        let from = arith::slot(self.terms, from as u64, Some(begin));
        let to = arith::slot(self.terms, to as u64, Some(end));
        Ok(self.substring_of(text, from, Some(to))?.map_or(ModelResult::Opaque, ModelResult::String))
    }

    /// `isBlank`.
    pub(super) fn is_blank(&mut self, text: &KnownString) -> InterpResult<ModelResult> {
        let holds = text.units.iter().all(|&unit| super::methods::characters::is_whitespace(unit));
        if text.is_constant() {
            return Ok(self.boolean_result(holds, None));
        }
        let Some(line) = self.string_terms(text)? else { return Ok(ModelResult::Opaque) };
        let clause = self.all_inside(&line, |context, cell| context.is_blank_cell(cell, false));
        Ok(self.boolean_result(holds, Some(clause)))
    }

    /// The formula that the test holds for every character of the string.
    pub(super) fn all_inside(&mut self, line: &StringTerms, mut test: impl FnMut(&mut Self, TermId) -> TermId) -> TermId {
        let mut all = self.terms.bool(true);
        for (position, &cell) in line.cells.iter().enumerate() {
            let inside = self.is_before_end(line, position);
            let beyond = self.terms.not(inside);
            let is_such = test(self, cell);
            let either = self.terms.or(beyond, is_such);
            all = self.terms.and(all, either);
        }
        all
    }
}

/// Characters that `equalsIgnoreCase` treats as equal to an ASCII character: case mappings of
/// `Character` in both directions.
fn same_letters(ascii: u16) -> Vec<u16> {
    let other = match ascii {
        0x41..=0x5a => ascii + 32,
        0x61..=0x7a => ascii - 32,
        _ => return vec![ascii],
    };
    let mut letters = vec![ascii, other];
    match ascii | 32 {
        // U+0130 and U+0131 (dotted and dotless i), U+017F (long s), U+212A (kelvin sign).
        0x69 => letters.extend([0x130, 0x131]),
        0x73 => letters.push(0x17f),
        0x6b => letters.push(0x212a),
        _ => {}
    }
    letters
}

fn find(text: &[u16], needle: &[u16], from: usize) -> Option<usize> {
    (from..=text.len().checked_sub(needle.len())?).find(|&place| text[place..].starts_with(needle))
}

fn find_last(text: &[u16], needle: &[u16], from: usize) -> Option<usize> {
    let last = text.len().checked_sub(needle.len())?.min(from);
    (0..=last).rev().find(|&place| text[place..].starts_with(needle))
}
