//! Conversion between strings and integers in any radix (`Integer.parseInt`, `Long.toHexString` and
//! their like). Exact for characters below U+0100; a clause says that there are no others. Flows
//! in: a string or a number; flows out: the other. Must not know boxes.

use tracewright_classfile::Kind;

use super::characters::digit_of;
use super::result::ModelResult;
use crate::expr::TermId;
use crate::path::ClauseKind;
use crate::symbolic::arith;
use crate::symbolic::completion::InterpResult;
use crate::symbolic::context::ModelContext;
use crate::symbolic::data::ids::SlotKind;
use crate::symbolic::data::objects::Slot;
use crate::symbolic::data::strings::KnownString;

/// Internal name of the exception for a malformed number.
pub(crate) const NUMBER_FORMAT: &str = "java/lang/NumberFormatException";

impl ModelContext<'_, '_> {
    /// `parseInt` and its like: the value, or the class of the exception. `None` where the string
    /// is unknown.
    pub(super) fn parse_number(
        &mut self,
        string: Slot,
        radix: Slot,
        kind: SlotKind,
    ) -> InterpResult<Option<Result<Slot, &'static str>>> {
        let base = radix.as_int();
        if string.object().is_null() {
            return Ok(Some(Err(NUMBER_FORMAT)));
        }
        let Some(text) = self.known_string(string.object()) else { return Ok(None) };
        if radix.term.is_some() || !(2..=36).contains(&base) {
            return Ok(None);
        }
        if !self.decide_latin(&text, &[])? {
            return Ok(None);
        }
        let (lowest, highest) = match kind {
            SlotKind::Byte => (i64::from(i8::MIN), i64::from(i8::MAX)),
            SlotKind::Short => (i64::from(i16::MIN), i64::from(i16::MAX)),
            SlotKind::Int => (i64::from(i32::MIN), i64::from(i32::MAX)),
            _ => (i64::MIN, i64::MAX),
        };
        let value = value_of(&text.units, base).filter(|value| (i128::from(lowest)..=i128::from(highest)).contains(value));
        let bits = value.map_or(0, |value| if kind == SlotKind::Long { value as u64 } else { u64::from(value as u32) });
        let result = |term: Option<TermId>| match value {
            Some(_) => Ok(Slot { bits, term }),
            None => Err(NUMBER_FORMAT),
        };
        if text.is_constant() {
            return Ok(Some(result(None)));
        }
        let Some(mut line) = self.string_terms(&text)? else { return Ok(None) };
        // The most digits for which every value fits into 31 bits, which most numbers do; otherwise
        // into 63 bits.
        let digits_of = |limit: i64| {
            (1..).take_while(|&count| i64::from(base).checked_pow(count).is_some_and(|power| power <= limit)).count()
        };
        for most in [digits_of(i64::from(i32::MAX)), digits_of(i64::MAX)] {
            if line.high <= most {
                break;
            }
            let is_short = text.units.len() <= most;
            let bound = self.terms.int(most as i32);
            let clause = self.terms.le(line.length, bound);
            let holds = if is_short { clause } else { self.terms.not(clause) };
            self.add_clause(ClauseKind::Model, u32::from(!is_short), holds)?;
            if is_short {
                line.cells.truncate(most);
                line.high = most;
            } else {
                line.low = line.low.max(most + 1);
            }
        }
        if text.units.len() > line.high || line.high > digits_of(i64::MAX) {
            return Ok(None);
        }
        let Some(&first) = line.cells.first() else {
            return Ok(Some(result(None)));
        };
        let one = self.terms.int(1);
        let (minus, plus) = (self.terms.int(45), self.terms.int(43));
        let is_negative = self.terms.eq(first, minus);
        let is_positive = self.terms.eq(first, plus);
        let is_signed = self.terms.or(is_negative, is_positive);
        // A sign counts as a leading zero.
        let digits: Vec<TermId> = line.cells.clone().into_iter().map(|cell| self.digit_term(cell, base)).collect();
        let zero = self.terms.int(0);
        let leading = self.terms.ite(is_signed, zero, digits[0]);
        let is_longer = self.terms.lt(one, line.length);
        let signed_number = self.terms.and(is_signed, is_longer);
        let first_is_digit = self.terms.ge(digits[0], zero);
        let begins = self.terms.or(first_is_digit, signed_number);
        let not_empty = self.is_before_end(&line, 0);
        let mut is_number = self.terms.and(not_empty, begins);
        let is_narrow = i64::from(base).checked_pow(line.high as u32).is_some_and(|limit| limit <= i64::from(i32::MAX));
        let wide = |context: &mut Self, term: TermId| if is_narrow { term } else { context.terms.i2l(term) };
        let factor = self.terms.int(base);
        let factor = wide(self, factor);
        let mut sum = wide(self, leading);
        let mut magnitude = sum;
        for (position, &digit) in digits.iter().enumerate().skip(1) {
            let inside = self.is_before_end(&line, position);
            let is_digit = self.terms.ge(digit, zero);
            let beyond = self.terms.not(inside);
            let fits = self.terms.or(beyond, is_digit);
            is_number = self.terms.and(is_number, fits);
            let multiplied = self.terms.mul(sum, factor);
            let digit = wide(self, digit);
            sum = self.terms.add(multiplied, digit);
            magnitude = self.terms.ite(inside, sum, magnitude);
        }
        let negated = self.terms.neg(magnitude);
        let number = self.terms.ite(is_negative, negated, magnitude);
        // A value of at most `digits` digits fits into the wider kind.
        let constant = |context: &mut Self, value: i64| {
            if is_narrow { context.terms.int(value as i32) } else { context.terms.long(value) }
        };
        if kind != SlotKind::Long && !(is_narrow && kind == SlotKind::Int) {
            let (low, high) = (constant(self, lowest), constant(self, highest));
            let above = self.terms.le(low, number);
            let below = self.terms.le(number, high);
            is_number = self.terms.and(is_number, above);
            is_number = self.terms.and(is_number, below);
        }
        let holds = if value.is_some() { is_number } else { self.terms.not(is_number) };
        self.add_clause(ClauseKind::Model, u32::from(value.is_none()), holds)?;
        let term = match (kind == SlotKind::Long, is_narrow) {
            (true, true) => self.terms.i2l(number),
            (false, false) => self.terms.l2i(number),
            _ => number,
        };
        Ok(Some(result(Some(term)).map(|slot| arith::slot(self.terms, slot.bits, slot.term))))
    }

    /// `Boolean.parseBoolean` as 0 or 1.
    pub(super) fn parse_boolean(&mut self, string: Slot) -> InterpResult<Option<Slot>> {
        if string.object().is_null() {
            return Ok(Some(Slot::ZERO));
        }
        let Some(text) = self.known_string(string.object()) else { return Ok(None) };
        Ok(match self.equals_ignoring_case(&text, &KnownString::of("true"))? {
            ModelResult::Value(slot) => Some(slot),
            _ => None,
        })
    }

    /// `toHexString`, `toOctalString`, `toBinaryString`: unsigned, with `bits` bits for each digit.
    pub(super) fn string_in_radix(&mut self, slot: Slot, kind: Kind, bits: u32) -> KnownString {
        let is_long = kind == Kind::Long;
        let value = if is_long { slot.bits } else { slot.bits & 0xffff_ffff };
        let written = match bits {
            1 => format!("{value:b}"),
            3 => format!("{value:o}"),
            _ => format!("{value:x}"),
        };
        let units: Vec<u16> = written.encode_utf16().collect();
        let Some(term) = self.term_if(&[slot], kind) else { return KnownString::constant(units) };
        let most = (if is_long { 64 } else { 32u32 }).div_ceil(bits);
        let constant = |context: &mut Self, value: i32| {
            if is_long { context.terms.long(value.into()) } else { context.terms.int(value) }
        };
        let (mask, zero) = (constant(self, (1 << bits) - 1), constant(self, 0));
        let (mut reaches, mut digits) = (Vec::new(), Vec::new());
        for place in 0..most {
            let distance = self.terms.int((place * bits) as i32);
            let rest = self.terms.ushr(term, distance);
            if place > 0 {
                reaches.push(self.terms.ne(rest, zero));
            }
            let mut digit = self.terms.bitand(rest, mask);
            if is_long {
                digit = self.terms.l2i(digit);
            }
            let (to_digit, to_letter, ten) = (self.terms.int(48), self.terms.int(87), self.terms.int(10));
            let as_digit = self.terms.add(digit, to_digit);
            digits.push(if bits <= 3 {
                as_digit
            } else {
                let is_small = self.terms.lt(digit, ten);
                let as_letter = self.terms.add(digit, to_letter);
                self.terms.ite(is_small, as_digit, as_letter)
            });
        }
        self.string_of_digits(units, None, &reaches, &digits)
    }

    /// The string of a sign and digits, which are given from the last to the first. It has one
    /// digit more than formulas in `reaches` hold.
    pub(super) fn string_of_digits(
        &mut self,
        units: Vec<u16>,
        sign: Option<u16>,
        reaches: &[TermId],
        digits: &[TermId],
    ) -> KnownString {
        let extra = i32::from(sign.is_some());
        let mut length = self.terms.int(1 + extra);
        for (more, &reaches) in reaches.iter().enumerate() {
            let longer = self.terms.int(more as i32 + 2 + extra);
            length = self.terms.ite(reaches, longer, length);
        }
        let mut cells: Vec<TermId> = sign.into_iter().map(|sign| self.terms.int(i32::from(sign))).collect();
        for position in 0..digits.len() {
            // The formula that the number has exactly this many digits.
            let mut cell = digits[0];
            for count in position + 2..=digits.len() {
                cell = self.terms.ite(reaches[count - 2], digits[count - 1 - position], cell);
            }
            cells.push(cell);
        }
        self.string_of_terms(units, length, cells)
    }
}

fn value_of(units: &[u16], radix: i32) -> Option<i128> {
    let (negative, digits) = match units {
        [0x2d, digits @ ..] => (true, digits),
        [0x2b, digits @ ..] => (false, digits),
        digits => (false, digits),
    };
    if digits.is_empty() {
        return None;
    }
    let mut value: i128 = 0;
    for &unit in digits {
        let digit = digit_of(i32::from(unit), radix)?;
        value = value.checked_mul(i128::from(radix))?.checked_add(i128::from(digit))?;
    }
    Some(if negative { -value } else { value })
}
