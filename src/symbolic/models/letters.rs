//! Letters and blanks of texts: case up to U+00FF (that every character is below is a clause of its own), whitespace exactly. Must not know
//! methods.

use super::ModelResult;
use super::characters::{Changes, TO_LOWER, TO_UPPER, changed};
use super::text::KnownString;
use crate::expr::{TermId, TermStore};
use crate::path::ClauseKind;
use crate::symbolic::machine::{InterpResult, Machine};

/// `Character.isWhitespace`: no supplementary character is.
pub(crate) const WHITESPACE: &[(i32, i32)] = &[
    (9, 13),
    (28, 32),
    (0x1680, 0x1680),
    (0x2000, 0x2006),
    (0x2008, 0x200a),
    (0x2028, 0x2029),
    (0x205f, 0x205f),
    (0x3000, 0x3000),
];

pub(crate) fn is_whitespace(unit: u16) -> bool {
    WHITESPACE.iter().any(|&(low, high)| (low..=high).contains(&i32::from(unit)))
}

/// Changes of a character where two are the same but for their case: below U+0100, but for U+00B5 and U+00FF, whose capitals are above.
pub(crate) fn fold(terms: &mut TermStore, cell: TermId) -> TermId {
    changed(terms, cell, TO_LOWER)
}

pub(crate) fn fold_unit(unit: u16) -> u16 {
    changed_unit(unit, TO_LOWER)
}

fn changed_unit(unit: u16, changes: Changes) -> u16 {
    let code = i32::from(unit);
    let by = changes.iter().find(|(low, high, _)| (low..=high).contains(&&code)).map_or(0, |(_, _, by)| *by);
    (code + by) as u16
}

impl Machine<'_, '_> {
    /// Of a term, that it is in one of the ranges.
    pub(super) fn in_ranges(&mut self, term: TermId, ranges: &[(i32, i32)]) -> TermId {
        let mut any = self.terms.bool(false);
        for &(low, high) in ranges {
            let inside = self.in_range(term, low, high);
            any = self.terms.or(any, inside);
        }
        any
    }

    pub(super) fn is_blank_cell(&mut self, cell: TermId, trims: bool) -> TermId {
        if trims {
            let space = self.terms.int(32);
            return self.terms.le(cell, space);
        }
        self.in_ranges(cell, WHITESPACE)
    }

    /// A clause: all characters are below U+0100 and none of these; whether it is so.
    pub(super) fn are_latin(&mut self, text: &KnownString, without: &[u16]) -> InterpResult<bool> {
        let holds = text.units.iter().all(|unit| *unit < 0x100 && !without.contains(unit));
        if text.is_constant() {
            return Ok(holds);
        }
        let Some(line) = self.line(text)? else { return Ok(false) };
        let clause = self.all_inside(&line, |machine, cell| {
            let limit = machine.terms.int(0x100);
            let mut all = machine.terms.lt(cell, limit);
            for &unit in without {
                let unit = machine.terms.int(i32::from(unit));
                let other = machine.terms.ne(cell, unit);
                all = machine.terms.and(all, other);
            }
            all
        });
        let clause = if holds { clause } else { self.terms.not(clause) };
        self.add_clause(ClauseKind::Model, u32::from(!holds), clause)?;
        Ok(holds)
    }

    /// Whether `fold` says of the text what `equalsIgnoreCase` does; a clause.
    pub(super) fn are_foldable(&mut self, text: &KnownString) -> InterpResult<bool> {
        self.are_latin(text, &[0xb5, 0xff])
    }

    /// `toLowerCase` and `toUpperCase` in the locales whose letters are Unicode's.
    pub(super) fn in_case(&mut self, text: &KnownString, upper: bool) -> InterpResult<ModelResult> {
        // The capital of U+00DF is two letters.
        if !self.are_latin(text, if upper { &[0xdf] } else { &[] })? {
            return Ok(ModelResult::Opaque);
        }
        let changes = if upper { TO_UPPER } else { TO_LOWER };
        let units = text.units.iter().map(|&unit| changed_unit(unit, changes)).collect();
        let result = self.mapped(text, units, |machine, cell| changed(machine.terms, cell, changes))?;
        Ok(result.map_or(ModelResult::Opaque, ModelResult::String))
    }
}
