//! String concatenation by `StringConcatFactory`: the string of each operand, and their
//! concatenation. In: operands and the recorded string; out: the string over the inputs. Must not
//! know class files.

use tracewright_trace::Event;

use super::Machine;
use super::invoke_dynamic::object_method;
use super::step::Flow;
use crate::program::MethodRef;
use crate::symbolic::completion::{Completion, InterpResult};
use crate::symbolic::data::call_sites::Part;
use crate::symbolic::data::ids::{InvokeIx, SlotKind, TypeIx};
use crate::symbolic::data::objects::{Object, ObjectBody, ObjectId, Slot, StringContents};
use crate::symbolic::data::strings::KnownString;
use crate::symbolic::models::ModelResult;
use crate::symbolic::reason::UnsupportedReason;

/// One operand of a concatenation.
pub(crate) enum Operand {
    Known(KnownString),
    /// Its string is the result of its `toString`.
    Object(ObjectId),
}

/// Whether a method returns the result of its argument's `toString`.
pub(crate) fn returns_string_of_argument(method: &MethodRef) -> bool {
    &*method.descriptor == "(Ljava/lang/Object;)Ljava/lang/String;"
        && matches!((method.owner.internal(), &*method.name), ("java/lang/String", "valueOf") | ("java/util/Objects", "toString"))
}

impl Machine<'_, '_> {
    /// Concatenates in interpreted code: the result is unknown, unless an operand would call
    /// recorded code.
    pub(crate) fn unknown_concatenation(&mut self, ix: InvokeIx, arguments: &[Slot]) -> InterpResult<Flow> {
        let kinds = self.linked.invoke(ix).parameters.clone();
        for (_, argument) in kinds.iter().zip(arguments).filter(|(kind, _)| **kind == SlotKind::Ref) {
            let object = self.object(argument.object());
            if !argument.object().is_null() && object.ty.is_none_or(|ty| self.is_recorded_class(ty)) {
                return self.abort(UnsupportedReason::RecordedToString);
            }
        }
        let body = ObjectBody::Str(StringContents { units: None, symbolic: None });
        let string = self.linked.string();
        let object = self.context().allocate(Object { ty: Some(string), hash: 0, zeroed: false, escaped: false, body })?;
        self.push(Slot::reference(object));
        self.frames.advance();
        Ok(None)
    }

    /// Executes a concatenation call site.
    pub(crate) fn concat_site(&mut self, parts: &[Part], ix: InvokeIx, arguments: &[Slot], floor: usize) -> InterpResult<Flow> {
        let mut arguments = arguments.iter();
        let mut operands = Vec::with_capacity(parts.len());
        for part in parts {
            operands.push(match part {
                Part::Text(text) => Operand::Known(KnownString::constant(text.clone())),
                Part::Argument(ty) => {
                    let value = arguments.next().copied().unwrap_or_default();
                    self.operand(value, *ty)?
                }
            });
        }
        self.concatenation(operands, ix, floor)
    }

    /// The string of a value of the static type (JLS §5.1.11).
    pub(crate) fn operand(&mut self, value: Slot, ty: TypeIx) -> InterpResult<Operand> {
        let kind = SlotKind::of(self.linked.ty(ty));
        if kind != SlotKind::Ref {
            return Ok(match self.string_of_primitive(value, kind)? {
                Some(text) => Operand::Known(text),
                // The digits of most floating-point numbers depend on the JDK's version.
                None => Operand::Object(ObjectId::NULL),
            });
        }
        let object = value.object();
        if object.is_null() {
            return Ok(Operand::Known(KnownString::of("null")));
        }
        if let Some(text) = self.context().known_string(object) {
            return Ok(Operand::Known(text));
        }
        if let ObjectBody::Boxed(content) = self.object(object).body
            && let Some(ty) = self.object(object).ty
            && let Some(held) = self.linked.boxed_kind(ty)
        {
            let content = Slot { bits: content.bits, term: value.term.or(content.term) };
            if let Some(text) = self.string_of_primitive(content, held)? {
                return Ok(Operand::Known(text));
            }
        }
        Ok(Operand::Object(object))
    }

    fn string_of_primitive(&mut self, value: Slot, kind: SlotKind) -> InterpResult<Option<KnownString>> {
        Ok(match kind {
            SlotKind::Boolean | SlotKind::Char | SlotKind::Byte | SlotKind::Short | SlotKind::Int | SlotKind::Long => {
                self.context().string_of_value(value, kind)?
            }
            SlotKind::Float => {
                self.digits_of(value);
                floating(f64::from(f32::from_bits(value.bits as u32))).map(|text| KnownString::of(&text))
            }
            SlotKind::Double => {
                self.digits_of(value);
                floating(f64::from_bits(value.bits)).map(|text| KnownString::of(&text))
            }
            SlotKind::Ref => None,
        })
    }

    /// Counts a number whose digits have no term.
    fn digits_of(&mut self, value: Slot) {
        if value.term.is_some() {
            self.context().record_concretisation(UnsupportedReason::FloatDigits);
        }
    }

    /// Runs the recorded `toString` methods and consumes the recorded string.
    pub(crate) fn concatenation(&mut self, operands: Vec<Operand>, ix: InvokeIx, floor: usize) -> InterpResult<Flow> {
        let to_string = object_method("toString", "()Ljava/lang/String;");
        let (mut recorded, mut positions) = (Vec::new(), Vec::new());
        for (position, operand) in operands.iter().enumerate() {
            let Operand::Object(object) = *operand else { continue };
            match self.recorded_method(object, &to_string) {
                Some(method) => {
                    recorded.push((object, method));
                    positions.push(position);
                }
                None if object.is_null() => {}
                None => self.pass_to_opaque_code(&to_string, &[Slot::reference(object)]),
            }
        }
        let results = self.run_callbacks_on(&recorded)?;
        let mut texts: Vec<Option<KnownString>> = operands
            .into_iter()
            .map(|operand| match operand {
                Operand::Known(text) => Some(text),
                Operand::Object(_) => None,
            })
            .collect();
        for (at, completion) in results {
            if let Completion::Returned(value) = completion {
                texts[positions[at]] = if value.object().is_null() {
                    Some(KnownString::of("null"))
                } else {
                    self.context().known_string(value.object())
                };
            }
        }
        let mut result = match self.next_recorded_result(Some(SlotKind::Ref))? {
            Err(exception) => return self.throw(exception, floor),
            Ok(result) => result,
        };
        let object = result.object();
        let found = self.context().known_string(object).map(|text| text.units);
        let carried = texts.iter().flatten().any(|text| !text.is_constant());
        let whole = match found.as_deref() {
            Some(found) => fill_gap(texts, found),
            None => texts.into_iter().collect(),
        };
        match whole {
            Some(pieces) => {
                let text = self.joined(&pieces)?;
                let callee = self.linked.invoke(ix).reference.to_string();
                result = self.context().string_result(text, object, &callee)?;
            }
            None if carried => self.context().record_concretisation(UnsupportedReason::UnknownConcatenation),
            None => {}
        }
        self.push(result);
        self.frames.advance();
        Ok(None)
    }

    /// `String.valueOf(Object)` and `Objects.toString(Object)`. javac emits them for operands whose
    /// type overrides `toString`.
    pub(crate) fn string_of_argument(&mut self, ix: InvokeIx, value: Slot, floor: usize) -> InterpResult<Flow> {
        let object = value.object();
        let to_string = object_method("toString", "()Ljava/lang/String;");
        let any = self.linked.class_ix("java/lang/Object");
        let given = if self.context().known_string(object).is_some() {
            Some(value)
        } else if let Some(method) = self.recorded_method(object, &to_string) {
            match self.run_callbacks_on(&[(object, method)])?.remove(&0) {
                Some(Completion::Returned(text)) => Some(text),
                _ => None,
            }
        } else {
            match self.operand(value, any)? {
                Operand::Known(text) => return self.concatenation(vec![Operand::Known(text)], ix, floor),
                Operand::Object(_) => {
                    self.pass_to_opaque_code(&to_string, &[value]);
                    None
                }
            }
        };
        let site = self.site();
        if let (Some(given), Some(event @ Event::RetRef { site: at, .. })) = (given, self.cursor.peek())
            && at.0 == site
            && let Some(settled) = self.confirmed_value(SlotKind::Ref, given, event, "return of")
        {
            let settled = settled?;
            self.push(settled);
            self.frames.advance();
            return Ok(None);
        }
        self.conclude(ModelResult::Opaque, ix, ix, &[value], floor)
    }

    /// Concatenates known strings.
    fn joined(&mut self, pieces: &[KnownString]) -> InterpResult<KnownString> {
        let mut whole = KnownString::of("");
        for piece in pieces {
            whole = match self.context().concatenate(&whole, piece)? {
                Some(joined) => joined,
                None => {
                    self.context().record_concretisation(UnsupportedReason::LongConcatenation);
                    return Ok(KnownString::constant(
                        pieces.iter().flat_map(|piece| piece.units.iter().copied()).collect::<Vec<u16>>(),
                    ));
                }
            };
        }
        Ok(whole.as_result())
    }
}

/// Derives the only unknown string from the whole. `None`: more than one is unknown.
fn fill_gap(texts: Vec<Option<KnownString>>, whole: &[u16]) -> Option<Vec<KnownString>> {
    let mut gaps = texts.iter().enumerate().filter(|(_, text)| text.is_none()).map(|(at, _)| at);
    if let (Some(gap), None) = (gaps.next(), gaps.next()) {
        let length = |texts: &[Option<KnownString>]| texts.iter().flatten().map(|text| text.units.len()).sum::<usize>();
        let (before, after) = (length(&texts[..gap]), length(&texts[gap + 1..]));
        let middle = whole.get(before..whole.len().checked_sub(after)?)?;
        let mut texts = texts;
        texts[gap] = Some(KnownString::constant(middle));
        return texts.into_iter().collect();
    }
    texts.into_iter().collect()
}

/// `Double.toString` and `Float.toString` where all JDK versions agree: NaN, infinities, and whole
/// numbers without exponent.
fn floating(value: f64) -> Option<String> {
    if value.is_nan() {
        return Some("NaN".into());
    }
    if value.is_infinite() {
        return Some(if value > 0.0 { "Infinity" } else { "-Infinity" }.into());
    }
    (value.fract() == 0.0 && value.abs() < 1e7).then(|| format!("{value:.1}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn certain_digits() {
        for (value, text) in [(0.0, "0.0"), (-0.0, "-0.0"), (12.0, "12.0"), (-9_999_999.0, "-9999999.0"), (f64::NAN, "NaN")] {
            assert_eq!(floating(value).as_deref(), Some(text));
        }
        for value in [0.1, 1e7, 2.5e-3, 1e300] {
            assert_eq!(floating(value), None);
        }
    }

    #[test]
    fn one_gap_is_filled() {
        let known = |text: &str| Some(KnownString::of(text));
        let whole: Vec<u16> = "a=1.5;".encode_utf16().collect();
        let filled = fill_gap(vec![known("a="), None, known(";")], &whole).expect("one gap");
        assert_eq!(String::from_utf16_lossy(&filled[1].units), "1.5");
        assert!(fill_gap(vec![None, known("="), None], &whole).is_none());
        assert!(fill_gap(vec![known("longer than all"), None], &whole).is_none());
    }
}
