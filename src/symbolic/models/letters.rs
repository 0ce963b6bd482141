//! Case and whitespace of strings. Case is exact up to U+00FF, with a clause that every character
//! is below U+0100; whitespace is exact everywhere. Flows in: a string; flows out: terms and
//! clauses. Must not know Java methods.

use super::characters::{CaseMapping, TO_LOWER, TO_UPPER, map_case};
use super::methods::characters::WHITESPACE;
use super::result::ModelResult;
use crate::expr::{TermId, TermStore};
use crate::path::ClauseKind;
use crate::symbolic::completion::InterpResult;
use crate::symbolic::context::ModelContext;
use crate::symbolic::data::strings::KnownString;

/// The lower-case character. Two characters below U+0100 are equal up to case where their results
/// are equal, except U+00B5 and U+00FF, whose upper case is above.
pub(crate) fn fold(terms: &mut TermStore, cell: TermId) -> TermId {
    map_case(terms, cell, TO_LOWER)
}

/// The constant counterpart of [`fold`].
pub(crate) fn fold_unit(unit: u16) -> u16 {
    map_unit_case(unit, TO_LOWER)
}

fn map_unit_case(unit: u16, changes: CaseMapping) -> u16 {
    let code = i32::from(unit);
    let by = changes.iter().find(|(low, high, _)| (low..=high).contains(&&code)).map_or(0, |(_, _, by)| *by);
    (code + by) as u16
}

impl ModelContext<'_, '_> {
    /// The formula that the term lies in one of the ranges.
    pub(super) fn in_ranges(&mut self, term: TermId, ranges: &[(i32, i32)]) -> TermId {
        let mut any = self.terms.bool(false);
        for &(low, high) in ranges {
            let inside = self.in_range(term, low, high);
            any = self.terms.or(any, inside);
        }
        any
    }

    /// The formula that a character is blank: for `trims` up to U+0020, otherwise whitespace.
    pub(super) fn is_blank_cell(&mut self, cell: TermId, trims: bool) -> TermId {
        if trims {
            let space = self.terms.int(32);
            return self.terms.le(cell, space);
        }
        self.in_ranges(cell, WHITESPACE)
    }

    /// Decides by a clause whether all characters are below U+0100 and none is in `without`.
    /// Returns the answer of this run.
    pub(super) fn decide_latin(&mut self, text: &KnownString, without: &[u16]) -> InterpResult<bool> {
        let holds = text.units.iter().all(|unit| *unit < 0x100 && !without.contains(unit));
        if text.is_constant() {
            return Ok(holds);
        }
        let Some(line) = self.string_terms(text)? else { return Ok(false) };
        let clause = self.all_inside(&line, |context, cell| {
            let limit = context.terms.int(0x100);
            let mut all = context.terms.lt(cell, limit);
            for &unit in without {
                let unit = context.terms.int(i32::from(unit));
                let other = context.terms.ne(cell, unit);
                all = context.terms.and(all, other);
            }
            all
        });
        let clause = if holds { clause } else { self.terms.not(clause) };
        self.add_clause(ClauseKind::Model, u32::from(!holds), clause)?;
        Ok(holds)
    }

    /// Decides by a clause whether comparison of folded characters equals `equalsIgnoreCase`.
    pub(super) fn decide_foldable(&mut self, text: &KnownString) -> InterpResult<bool> {
        self.decide_latin(text, &[0xb5, 0xff])
    }

    /// `toLowerCase` and `toUpperCase` in the locales that have no case rules of their own.
    pub(super) fn convert_case(&mut self, text: &KnownString, upper: bool) -> InterpResult<ModelResult> {
        // The upper case of U+00DF is two letters.
        if !self.decide_latin(text, if upper { &[0xdf] } else { &[] })? {
            return Ok(ModelResult::Opaque);
        }
        let changes = if upper { TO_UPPER } else { TO_LOWER };
        let units = text.units.iter().map(|&unit| map_unit_case(unit, changes)).collect();
        let result = self.map_characters(text, units, |context, cell| map_case(context.terms, cell, changes))?;
        Ok(result.map_or(ModelResult::Opaque, ModelResult::String))
    }
}
