//! Models of `String.format` and `String.formatted` with a constant format (`java.util.Formatter`).
//! The conversions are `d x o c s b n %` with argument index, width and the flags `-`, `0`, `+` and
//! space. Flows in: a format and the array of arguments; flows out: a string over the inputs. Any
//! other format, and every format that throws, is opaque. Must not know locales: the conversions
//! are the same in every locale with Latin digits.

use tracewright_classfile::Kind;

use super::result::ModelResult;
use crate::path::ClauseKind;
use crate::symbolic::completion::InterpResult;
use crate::symbolic::context::ModelContext;
use crate::symbolic::data::ids::SlotKind;
use crate::symbolic::data::objects::{ObjectBody, Slot};
use crate::symbolic::data::strings::KnownString;

/// Widest field, in characters. The content of a wider field is not modelled.
const WIDEST: usize = 256;

#[derive(Clone, Debug, PartialEq, Eq)]
enum FormatPart {
    Literal(Vec<u16>),
    Directive(FormatDirective),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct FormatDirective {
    /// Index of the argument, from 0.
    argument: usize,
    /// Least number of characters; 0 where the format names no width.
    width: usize,
    left: bool,
    zero: bool,
    /// The character before a number that is not negative.
    sign: Option<u16>,
    conversion: u8,
}

/// Parses a format; `None` where it has an unsupported conversion or would throw.
fn parts(format: &[u16]) -> Option<Vec<FormatPart>> {
    let mut parts = Vec::new();
    let mut rest = format;
    let mut ordinary = 0;
    while let Some(begin) = rest.iter().position(|&unit| unit == u16::from(b'%')) {
        parts.push(FormatPart::Literal(rest[..begin].to_vec()));
        rest = &rest[begin + 1..];
        let number = |units: &[u16]| -> (usize, usize) {
            let digits = units.iter().take_while(|unit| (0x30..0x3a).contains(*unit)).count();
            let value =
                units[..digits].iter().fold(0usize, |sum, &unit| sum.saturating_mul(10).saturating_add(usize::from(unit - 0x30)));
            (digits, value)
        };
        let (digits, index) = number(rest);
        let mut argument = None;
        if digits > 0 && rest.get(digits) == Some(&u16::from(b'$')) {
            argument = Some(index.checked_sub(1)?);
            rest = &rest[digits + 1..];
        }
        let (mut left, mut zero, mut sign) = (false, false, None);
        while let [unit, more @ ..] = rest {
            match u8::try_from(*unit) {
                Ok(b'-') if !left => left = true,
                Ok(b'0') if !zero => zero = true,
                Ok(b'+' | b' ') if sign.is_none() => sign = Some(*unit),
                _ => break,
            }
            rest = more;
        }
        let (digits, width) = number(rest);
        rest = &rest[digits..];
        let (&conversion, more) = rest.split_first()?;
        rest = more;
        let conversion = u8::try_from(conversion).ok()?;
        let is_plain = !left && !zero && sign.is_none() && digits == 0 && argument.is_none();
        match conversion {
            b'%' if is_plain => parts.push(FormatPart::Literal(vec![u16::from(b'%')])),
            b'n' if is_plain => parts.push(FormatPart::Literal(vec![u16::from(b'\n')])),
            b'd' | b'x' | b'o' | b's' | b'c' | b'b' => {
                let is_number = matches!(conversion, b'd' | b'x' | b'o');
                let throws = ((left || zero) && digits == 0)
                    || (left && zero)
                    || (zero && !is_number)
                    || (sign.is_some() && conversion != b'd');
                if throws || width > WIDEST {
                    return None;
                }
                let argument = argument.unwrap_or_else(|| {
                    ordinary += 1;
                    ordinary - 1
                });
                parts.push(FormatPart::Directive(FormatDirective { argument, width, left, zero, sign, conversion }));
            }
            _ => return None,
        }
    }
    parts.push(FormatPart::Literal(rest.to_vec()));
    Some(parts)
}

impl ModelContext<'_, '_> {
    /// The result of a format and an array of arguments.
    pub(super) fn format_string(&mut self, format: Slot, arguments: Slot) -> InterpResult<ModelResult> {
        if format.object().is_null() || arguments.object().is_null() {
            return Ok(ModelResult::Opaque);
        }
        let Some(format) = self.known_string(format.object()).filter(KnownString::is_constant) else {
            return Ok(ModelResult::Opaque);
        };
        let object = self.object(arguments.object());
        let absent = object.zeroed.then_some(Slot::ZERO);
        let ObjectBody::Array(array) = &object.body else { return Ok(ModelResult::Opaque) };
        let cells: Option<Vec<Slot>> = (0..array.length).map(|index| array.get(index).or(absent)).collect();
        let (Some(cells), Some(parts)) = (cells, parts(&format.units)) else { return Ok(ModelResult::Opaque) };
        let mut all = KnownString::of("");
        for part in parts {
            let text = match part {
                FormatPart::Literal(units) => Some(KnownString::constant(units)),
                FormatPart::Directive(directive) => match cells.get(directive.argument) {
                    Some(&argument) => self.field(directive, argument)?,
                    None => None,
                },
            };
            let Some(text) = text else { return Ok(ModelResult::Opaque) };
            match self.concatenate(&all, &text)? {
                Some(joined) => all = joined,
                None => return Ok(ModelResult::Opaque),
            }
        }
        Ok(ModelResult::String(all))
    }

    fn field(&mut self, directive: FormatDirective, argument: Slot) -> InterpResult<Option<KnownString>> {
        let is_null = argument.object().is_null();
        let boxed = match &self.object(argument.object()).body {
            ObjectBody::Boxed(content) if !is_null => {
                let content = Slot { bits: content.bits, term: argument.term.or(content.term) };
                SlotKind::of_box(&self.type_name(argument.object())).map(|kind| (content, kind))
            }
            _ => None,
        };
        let text = match (directive.conversion, boxed) {
            (b'b', Some((content, SlotKind::Boolean))) => self.string_of_value(content, SlotKind::Boolean)?,
            (b'b', _) => Some(KnownString::of(if is_null { "false" } else { "true" })),
            (b's', _) => self.string_of_value(argument, SlotKind::Ref)?,
            // Unlike a number, it is not padded with zeros.
            (_, _) if is_null && !directive.zero => Some(KnownString::of("null")),
            (b'c', Some((content, SlotKind::Char))) => Some(self.string_of_char(content)),
            (b'd', Some((content, kind @ (SlotKind::Byte | SlotKind::Short | SlotKind::Int | SlotKind::Long)))) => {
                return self.decimal_field(directive, content, kind.kind());
            }
            (b'x' | b'o', Some((content, kind @ (SlotKind::Int | SlotKind::Long)))) => {
                let bits = if directive.conversion == b'x' { 4 } else { 3 };
                Some(self.string_in_radix(content, kind.kind(), bits))
            }
            _ => None,
        };
        match text {
            Some(text) => self.padded(&text, directive.width, if directive.zero { b'0' } else { b' ' }, directive.left),
            None => Ok(None),
        }
    }

    fn decimal_field(&mut self, directive: FormatDirective, content: Slot, kind: Kind) -> InterpResult<Option<KnownString>> {
        let digits = self.decimal(content, kind)?;
        let is_negative = digits.units.first() == Some(&u16::from(b'-'));
        let sign: Vec<u16> = if is_negative { vec![u16::from(b'-')] } else { directive.sign.into_iter().collect() };
        if !directive.zero {
            let signed = match is_negative {
                true => Some(digits),
                false => self.concatenate(&KnownString::constant(sign), &digits)?,
            };
            let Some(signed) = signed else { return Ok(None) };
            return self.padded(&signed, directive.width, b' ', directive.left);
        }
        let width = directive.width.saturating_sub(sign.len());
        let digits = match self.with_leading_zeros(content, kind, is_negative, width)? {
            Some(digits) => Some(digits),
            None => {
                let from = Slot::int(i32::from(is_negative));
                match self.substring_of(&digits, from, None)? {
                    Some(digits) => self.padded(&digits, width, b'0', false)?,
                    None => None,
                }
            }
        };
        match digits {
            Some(digits) => self.concatenate(&KnownString::constant(sign), &digits),
            None => Ok(None),
        }
    }

    /// Pads a number with zeros to exactly `width` digits, so that its length needs no decision. A
    /// clause says that the number has no more digits; `None` where it has more.
    fn with_leading_zeros(
        &mut self,
        content: Slot,
        kind: Kind,
        is_negative: bool,
        width: usize,
    ) -> InterpResult<Option<KnownString>> {
        let Some(term) = self.term_if(&[content], kind) else { return Ok(None) };
        let is_long = kind == Kind::Long;
        let most = if is_long { 19 } else { 10 };
        let value = if is_long { content.as_long() } else { i64::from(content.as_int()) };
        if width < most {
            let limit = 10i64.pow(width as u32) * if is_negative { -1 } else { 1 };
            let holds = value.unsigned_abs() < limit.unsigned_abs();
            let limit = if is_long { self.terms.long(limit) } else { self.terms.int(limit as i32) };
            let clause = if is_negative { self.terms.lt(limit, term) } else { self.terms.lt(term, limit) };
            let clause = if holds { clause } else { self.terms.not(clause) };
            self.add_clause(ClauseKind::Model, u32::from(!holds), clause)?;
            if !holds {
                return Ok(None);
            }
        }
        let zero = self.terms.int(i32::from(b'0'));
        let cells =
            (0..width).rev().map(|place| if place < most { self.digit(term, place as u32, is_long, is_negative) } else { zero });
        let cells = cells.collect();
        let length = self.terms.int(width as i32);
        let units = format!("{:0width$}", value.unsigned_abs()).encode_utf16().collect();
        Ok(Some(self.string_of_terms(units, length, cells)))
    }

    /// Pads the string with spaces to the width.
    fn padded(&mut self, text: &KnownString, width: usize, by: u8, left: bool) -> InterpResult<Option<KnownString>> {
        let by = u16::from(by);
        let missing = width.saturating_sub(text.units.len());
        let mut units = vec![by; missing];
        units.splice(if left { 0..0 } else { missing..missing }, text.units.iter().copied());
        if text.is_constant() || width == 0 {
            return Ok(Some(KnownString { units: units.into(), ..text.clone() }));
        }
        let Some(mut line) = self.string_terms(text)? else { return Ok(None) };
        if line.low >= width {
            return Ok(Some(text.clone()));
        }
        if line.high > width {
            let is_inside = text.units.len() <= width;
            let most = self.terms.int(width as i32);
            let clause = self.terms.le(line.length, most);
            let holds = if is_inside { clause } else { self.terms.not(clause) };
            self.add_clause(ClauseKind::Model, u32::from(!is_inside), holds)?;
            if !is_inside {
                return Ok(Some(text.clone()));
            }
            line.cells.truncate(width);
            line.high = width;
        }
        let blank = self.terms.int(i32::from(by));
        let cells = (0..width).map(|place| {
            let mut cell = None;
            for length in (line.low..=line.high).rev() {
                let begin = if left { 0 } else { width - length };
                let here = place.checked_sub(begin).filter(|&at| at < length).map_or(blank, |at| line.cells[at]);
                cell = Some(match cell {
                    None => here,
                    Some(otherwise) => {
                        let length = self.terms.int(length as i32);
                        let is_length = self.terms.eq(line.length, length);
                        self.terms.ite(is_length, here, otherwise)
                    }
                });
            }
            cell.unwrap_or(blank)
        });
        let cells = cells.collect();
        let length = self.terms.int(width as i32);
        Ok(Some(self.string_of_terms(units, length, cells)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn directive(conversion: u8) -> FormatDirective {
        FormatDirective { argument: 0, width: 0, left: false, zero: false, sign: None, conversion }
    }

    #[test]
    fn formats_are_literals_and_directives() {
        let parsed = |format: &str| parts(&format.encode_utf16().collect::<Vec<u16>>());
        let literal = |text: &str| FormatPart::Literal(text.encode_utf16().collect());
        let of = |directive: FormatDirective| Some(vec![literal(""), FormatPart::Directive(directive), literal("")]);
        assert_eq!(parsed("%05d"), of(FormatDirective { width: 5, zero: true, ..directive(b'd') }));
        assert_eq!(parsed("%2$-10s"), of(FormatDirective { argument: 1, width: 10, left: true, ..directive(b's') }));
        assert_eq!(parsed("%+d"), of(FormatDirective { sign: Some(u16::from(b'+')), ..directive(b'd') }));
        assert_eq!(parsed("a%%b%n"), Some(vec![literal("a"), literal("%"), literal("b"), literal("\n"), literal("")]));
        let twice = parsed("%c%1$c%c").expect("known");
        let arguments = twice.iter().filter_map(|part| match part {
            FormatPart::Directive(directive) => Some(directive.argument),
            FormatPart::Literal(_) => None,
        });
        assert_eq!(arguments.collect::<Vec<_>>(), [0, 0, 1]);
        for other in ["%", "%5", "%-d", "%0d", "%-05d", "%05s", "%+x", "%+ d", "%.2f", "%,d", "%(d", "%<s", "%5n", "%q", "%0$s"] {
            assert_eq!(parsed(other), None, "{other}");
        }
    }
}
