//! Models of `Character`. They are exact up to U+00FF; above it the tables depend on the JDK's
//! Unicode version, so a clause says that the character is below U+0100. Flows in: a character
//! term; flows out: a [`ModelResult`]. Must not know strings.

use tracewright_classfile::Kind;

use super::methods::characters::{CharacterModel, CharacterTest};
use super::result::ModelResult;
use crate::expr::{TermId, TermStore};
use crate::path::ClauseKind;
use crate::symbolic::completion::InterpResult;
use crate::symbolic::context::ModelContext;
use crate::symbolic::data::objects::Slot;

/// Ranges of characters (first, last), each with the difference that is added.
pub(crate) type CaseMapping = &'static [(i32, i32, i32)];
/// `Character.toLowerCase` up to U+00FF.
pub(crate) const TO_LOWER: CaseMapping = &[(65, 90, 32), (0xc0, 0xd6, 32), (0xd8, 0xde, 32)];
/// `Character.toUpperCase` up to U+00FF, except U+00B5 and U+00FF, whose results lie above.
pub(crate) const TO_UPPER: CaseMapping =
    &[(97, 122, -32), (0xb5, 0xb5, 743), (0xe0, 0xf6, -32), (0xf8, 0xfe, -32), (0xff, 0xff, 121)];

impl ModelContext<'_, '_> {
    /// Applies a model to the arguments of a call, the receiver first.
    pub(super) fn apply_character(&mut self, model: CharacterModel, arguments: &[Slot]) -> InterpResult<ModelResult> {
        let first = arguments.first().copied().unwrap_or_default();
        match model {
            CharacterModel::Is(test) => self.character_test(test, first),
            CharacterModel::ToLowerCase => self.change_case(first, TO_LOWER),
            CharacterModel::ToUpperCase => self.change_case(first, TO_UPPER),
            CharacterModel::Digit => self.digit_value(first, arguments.get(1).copied()),
            CharacterModel::NumericValue => self.digit_value(first, None),
            CharacterModel::ForDigit => Ok(self.for_digit(first, arguments.get(1).copied().unwrap_or_default())),
            CharacterModel::ToChars => self.chars_of(first),
        }
    }

    /// Decides by a clause whether the character is below U+0100. Returns its term where it is.
    fn latin(&mut self, character: Slot) -> InterpResult<Option<TermId>> {
        let Some(term) = self.term_if(&[character], Kind::Int) else { return Ok(None) };
        let below = (0..=0xff).contains(&character.as_int());
        let limit = self.terms.int(0x100);
        let inside = self.terms.ult(term, limit);
        let holds = if below { inside } else { self.terms.not(inside) };
        self.add_clause(ClauseKind::Model, u32::from(!below), holds)?;
        Ok(below.then_some(term))
    }

    fn character_test(&mut self, test: CharacterTest, character: Slot) -> InterpResult<ModelResult> {
        let code = character.as_int();
        if !test.everywhere && !(0..=0xff).contains(&code) && character.term.is_none() {
            return Ok(ModelResult::Opaque);
        }
        let holds = test.ranges.iter().any(|&(low, high)| (low..=high).contains(&code));
        let term = if test.everywhere { self.term_if(&[character], Kind::Int) } else { self.latin(character)? };
        if term.is_none() && character.term.is_some() {
            return Ok(ModelResult::Opaque);
        }
        let clause = term.map(|term| self.in_ranges(term, test.ranges));
        Ok(self.boolean_result(holds, clause))
    }

    /// Applies a case mapping, given as ranges with the difference that is added.
    fn change_case(&mut self, character: Slot, changes: CaseMapping) -> InterpResult<ModelResult> {
        let code = character.as_int();
        if !(0..=0xff).contains(&code) && character.term.is_none() {
            return Ok(ModelResult::Opaque);
        }
        let term = self.latin(character)?;
        if term.is_none() && character.term.is_some() {
            return Ok(ModelResult::Opaque);
        }
        let by = changes.iter().find(|&&(low, high, _)| (low..=high).contains(&code)).map_or(0, |&(_, _, by)| by);
        let result = term.map(|term| map_case(self.terms, term, changes));
        Ok(self.int_result(code + by, result))
    }

    fn chars_of(&mut self, code: Slot) -> InterpResult<ModelResult> {
        let is_unit = (0..=0xffff).contains(&code.as_int());
        if let Some(term) = self.term_if(&[code], Kind::Int) {
            let inside = self.in_interval(term, 0, 0xffff);
            let holds = if is_unit { inside } else { self.terms.not(inside) };
            self.add_clause(ClauseKind::Model, u32::from(!is_unit), holds)?;
        }
        Ok(if is_unit { ModelResult::Chars(self.string_of_char(code)) } else { ModelResult::Opaque })
    }

    /// `Character.digit` and `getNumericValue`. A symbolic radix is not modelled.
    fn digit_value(&mut self, character: Slot, radix: Option<Slot>) -> InterpResult<ModelResult> {
        let code = character.as_int();
        let base = match radix {
            Some(radix) if radix.term.is_some() => return Ok(ModelResult::Opaque),
            Some(radix) if !(2..=36).contains(&radix.as_int()) => return Ok(self.int_result(-1, None)),
            Some(radix) => radix.as_int(),
            None => 36,
        };
        let term = self.latin(character)?;
        if !(0..=0xff).contains(&code) || (term.is_none() && character.term.is_some()) {
            return Ok(ModelResult::Opaque);
        }
        // Superscripts and fractions have numeric values, but are no digits.
        let others: &[(i32, i32, i32)] = match radix {
            Some(_) => &[],
            None => &[(0xb2, 0xb3, -0xb0), (0xb9, 0xb9, -0xb8)],
        };
        let fractions = |code: i32| if radix.is_none() && (0xbc..=0xbe).contains(&code) { -2 } else { -1 };
        let mut value = digit_of(code, base).unwrap_or_else(|| fractions(code));
        if let Some((_, _, by)) = others.iter().find(|(low, high, _)| (low..=high).contains(&&code)) {
            value = code + by;
        }
        let term = term.map(|term| {
            let mut result = self.digit_term(term, base);
            for &(low, high, by) in others {
                let inside = self.in_range(term, low, high);
                let by = self.terms.int(by);
                let value = self.terms.add(term, by);
                result = self.terms.ite(inside, value, result);
            }
            if radix.is_none() {
                let inside = self.in_range(term, 0xbc, 0xbe);
                let none = self.terms.int(-2);
                result = self.terms.ite(inside, none, result);
            }
            result
        });
        Ok(self.int_result(value, term))
    }

    /// The term of the digit's value in the radix for a character below U+0100; -1 where the
    /// character is no digit.
    pub(super) fn digit_term(&mut self, cell: TermId, radix: i32) -> TermId {
        let mut result = self.terms.int(-1);
        for (first, value) in [(65, 10), (97, 10), (48, 0)] {
            let count = (radix - value).min(if value == 0 { 10 } else { 26 });
            if count > 0 {
                let inside = self.in_range(cell, first, first + count - 1);
                let by = self.terms.int(value - first);
                let digit = self.terms.add(cell, by);
                result = self.terms.ite(inside, digit, result);
            }
        }
        result
    }

    fn for_digit(&mut self, digit: Slot, radix: Slot) -> ModelResult {
        let (value, base) = (digit.as_int(), radix.as_int());
        if radix.term.is_some() {
            return ModelResult::Opaque;
        }
        if !(2..=36).contains(&base) {
            return self.int_result(0, None);
        }
        let character = match value {
            _ if !(0..base).contains(&value) => 0,
            0..=9 => 48 + value,
            _ => 87 + value,
        };
        let term = self.term_if(&[digit], Kind::Int).map(|term| {
            let (zero, ten, base) = (self.terms.int(0), self.terms.int(10), self.terms.int(base));
            let (to_digit, to_letter) = (self.terms.int(48), self.terms.int(87));
            let (as_digit, as_letter) = (self.terms.add(term, to_digit), self.terms.add(term, to_letter));
            let is_small = self.terms.lt(term, ten);
            let written = self.terms.ite(is_small, as_digit, as_letter);
            let negative = self.terms.lt(term, zero);
            let large = self.terms.ge(term, base);
            let outside = self.terms.or(negative, large);
            self.terms.ite(outside, zero, written)
        });
        self.int_result(character, term)
    }
}

/// The value of an ASCII digit or letter in the radix; `None` where it has none.
pub(crate) fn digit_of(code: i32, radix: i32) -> Option<i32> {
    let value = match code {
        48..=57 => code - 48,
        65..=90 => code - 55,
        97..=122 => code - 87,
        _ => return None,
    };
    (value < radix).then_some(value)
}

/// The mapped character. The ranges must be disjoint.
pub(crate) fn map_case(terms: &mut TermStore, term: TermId, changes: CaseMapping) -> TermId {
    let mut by = terms.int(0);
    for &(low, high, added) in changes {
        let (low_term, high_term, added) = (terms.int(low), terms.int(high), terms.int(added));
        let inside = if low == high {
            terms.eq(term, low_term)
        } else {
            let above = terms.le(low_term, term);
            let below = terms.le(term, high_term);
            terms.and(above, below)
        };
        by = terms.ite(inside, added, by);
    }
    terms.add(term, by)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_have_values_below_the_radix_only() {
        let digit = |character: char, radix| digit_of(character as i32, radix);
        assert_eq!(digit('7', 10), Some(7));
        assert_eq!(digit('8', 8), None);
        assert_eq!(digit('f', 16), Some(15));
        assert_eq!(digit('F', 16), Some(15));
        assert_eq!(digit('g', 16), None);
        assert_eq!(digit('-', 10), None);
    }
}
