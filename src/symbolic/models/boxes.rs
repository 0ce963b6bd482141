//! Models of the box classes of `java.lang`: construction, unboxing, comparison, hash codes,
//! identity of cached boxes (JLS §5.1.7). Flows in: a box method and its arguments; flows out: a
//! [`ModelResult`]. Must not know arithmetic on the boxed values.

use tracewright_classfile::{BinaryOp, Kind};

use super::methods::boxes::BoxModel;
use super::result::{ModelResult, NULL_POINTER};
use crate::expr::{TermId, TermStore};
use crate::program::MethodRef;
use crate::symbolic::arith;
use crate::symbolic::completion::InterpResult;
use crate::symbolic::context::ModelContext;
use crate::symbolic::data::ids::SlotKind;
use crate::symbolic::data::objects::{Object, ObjectBody, ObjectId, Slot};

impl ModelContext<'_, '_> {
    /// Applies a model to the arguments of a call, the receiver first.
    pub(super) fn apply_box(&mut self, model: BoxModel, arguments: &[Slot]) -> InterpResult<ModelResult> {
        let first = arguments.first().copied().unwrap_or_default();
        let second = arguments.get(1).copied().unwrap_or_default();
        match model {
            BoxModel::ValueOf => Ok(ModelResult::Box(first)),
            BoxModel::Init => {
                self.object_mut(first.object()).body = ObjectBody::Boxed(second);
                self.escape(&[first]);
                Ok(ModelResult::Void)
            }
            BoxModel::Unbox(held, given) => Ok(self.unbox(first, held, given)),
            BoxModel::Equals => Ok(self.boxes_equal(first, second)),
            BoxModel::HashCode => Ok(self.hash_of_box(first)),
            BoxModel::CompareTo => Ok(self.compare_boxes(first, second)),
            BoxModel::ToString => Ok(self.string_of_object(first)?.map_or(ModelResult::Opaque, ModelResult::String)),
            BoxModel::HashOf(kind) => Ok(self.hash_of_value(first, kind).map_or(ModelResult::Opaque, ModelResult::Value)),
            BoxModel::StringOf(kind) => Ok(self.string_of_value(first, kind)?.map_or(ModelResult::Opaque, ModelResult::String)),
            BoxModel::InRadix(kind, bits) => Ok(ModelResult::String(self.string_in_radix(first, kind, bits))),
            BoxModel::Parse(SlotKind::Boolean) => Ok(self.parse_boolean(first)?.map_or(ModelResult::Opaque, ModelResult::Value)),
            BoxModel::ParseBox(SlotKind::Boolean) => Ok(self.parse_boolean(first)?.map_or(ModelResult::Opaque, ModelResult::Box)),
            BoxModel::Parse(kind) | BoxModel::ParseBox(kind) => {
                let radix = arguments.get(1).copied().unwrap_or(Slot::int(10));
                Ok(match self.parse_number(first, radix, kind)? {
                    None => ModelResult::Opaque,
                    Some(Err(class)) => ModelResult::Throws(class),
                    Some(Ok(value)) if matches!(model, BoxModel::Parse(_)) => ModelResult::Value(value),
                    Some(Ok(value)) => ModelResult::Box(value),
                })
            }
        }
    }

    /// The value in a box and its kind; `None` for any other object.
    fn content(&self, reference: Slot) -> Option<(Slot, SlotKind)> {
        let ObjectBody::Boxed(content) = self.object(reference.object()).body else { return None };
        let kind = SlotKind::of_box(&self.type_name(reference.object()))?;
        Some((Slot { bits: content.bits, term: reference.term.or(content.term) }, kind))
    }

    /// `equals` of two boxes. Boxes of floats are left to `floats`, which compares their bits.
    pub(super) fn boxes_equal(&mut self, a: Slot, b: Slot) -> ModelResult {
        let Some((x, kind)) = self.content(a) else { return ModelResult::Opaque };
        let same_type = self.object(a.object()).ty == self.object(b.object()).ty;
        if b.object().is_null() || (!same_type && self.object(b.object()).ty.is_some()) {
            return self.boolean_result(false, None);
        }
        let Some((y, _)) = self.content(b) else { return ModelResult::Opaque };
        if matches!(kind, SlotKind::Float | SlotKind::Double) {
            return ModelResult::Opaque;
        }
        let clause = self.pair(x, y, kind.kind()).map(|(x, y)| self.terms.eq(x, y));
        self.boolean_result(x.bits == y.bits, clause)
    }

    /// `hashCode` of a box; opaque for other objects and for boxes of floats.
    pub(super) fn hash_of_box(&mut self, reference: Slot) -> ModelResult {
        let hash = self.content(reference).and_then(|(content, kind)| self.hash_of_value(content, kind));
        hash.map_or(ModelResult::Opaque, ModelResult::Value)
    }

    /// The hash code of a boxed value; `None` for floats and references.
    pub(crate) fn hash_of_value(&mut self, value: Slot, kind: SlotKind) -> Option<Slot> {
        let (hash, term) = match kind {
            SlotKind::Byte | SlotKind::Char | SlotKind::Short | SlotKind::Int => return Some(value),
            SlotKind::Long => {
                let hash = (value.bits ^ (value.bits >> 32)) as u32 as i32;
                let term = self.term_if(&[value], Kind::Long).map(|term| {
                    let distance = self.terms.int(32);
                    let high = self.terms.ushr(term, distance);
                    let both = self.terms.bitxor(term, high);
                    self.terms.l2i(both)
                });
                (hash, term)
            }
            SlotKind::Boolean => {
                let term = self.term_if(&[value], Kind::Int).map(|term| {
                    let zero = self.terms.int(0);
                    let is_true = self.terms.ne(term, zero);
                    let (yes, no) = (self.terms.int(1231), self.terms.int(1237));
                    self.terms.ite(is_true, yes, no)
                });
                (if value.as_int() != 0 { 1231 } else { 1237 }, term)
            }
            SlotKind::Float | SlotKind::Double | SlotKind::Ref => return None,
        };
        Some(arith::slot(self.terms, Slot::int(hash).bits, term))
    }

    /// `compareTo` of two boxes; opaque for other objects and for boxes of floats.
    pub(super) fn compare_boxes(&mut self, a: Slot, b: Slot) -> ModelResult {
        if b.object().is_null() && self.content(a).is_some() {
            return ModelResult::Throws(NULL_POINTER);
        }
        let (Some((x, kind)), Some((y, other))) = (self.content(a), self.content(b)) else { return ModelResult::Opaque };
        match kind {
            _ if kind != other => ModelResult::Opaque,
            SlotKind::Int | SlotKind::Long => ModelResult::Value(self.three_way(kind.kind(), x, y)),
            SlotKind::Byte | SlotKind::Short | SlotKind::Char | SlotKind::Boolean => {
                ModelResult::Value(arith::binary(self.terms, BinaryOp::Sub, Kind::Int, x, y))
            }
            SlotKind::Float | SlotKind::Double | SlotKind::Ref => ModelResult::Opaque,
        }
    }

    /// The recorded box that a call returned, with the modelled value. A cached box is shared by
    /// all who box that value, so this result becomes a separate object with the same identity
    /// hash.
    pub(crate) fn box_result(&mut self, value: Slot, recorded: ObjectId, callee: &MethodRef) -> InterpResult<Slot> {
        let kind = SlotKind::of_box(&self.type_name(recorded));
        match &self.object(recorded).body {
            ObjectBody::Boxed(known) => {
                let same = kind.is_some_and(|kind| arith::same(kind.kind(), known.bits, value.bits));
                if !same {
                    let found = format!("{:#x}", known.bits);
                    return self.diverge(&format!("model of {callee}: {:#x}", value.bits), &found);
                }
            }
            ObjectBody::Fields(fields) if fields.is_empty() => {
                self.object_mut(recorded).body = ObjectBody::Boxed(Slot::raw(value.bits))
            }
            _ => {}
        }
        if value.term.is_none() {
            return Ok(Slot::reference(recorded));
        }
        let is_shared = kind.is_none_or(|kind| kind.has_cached_box(value.bits));
        if self.is_first_seen(recorded) && !is_shared {
            self.object_mut(recorded).body = ObjectBody::Boxed(value);
            return Ok(Slot { bits: Slot::reference(recorded).bits, term: value.term });
        }
        let (ty, hash) = (self.object(recorded).ty, self.object(recorded).hash);
        let object = Object { ty, hash, zeroed: false, escaped: true, body: ObjectBody::Boxed(value) };
        let object = self.allocate(object)?;
        Ok(Slot { bits: Slot::reference(object).bits, term: value.term })
    }

    /// Reference equality of two boxes that `valueOf` returned: cached boxes (JLS §5.1.7) are
    /// identical where their values are equal. `None` where the values do not decide.
    pub(super) fn boxes_are_identical(&mut self, a: Slot, b: Slot) -> Option<(bool, Option<TermId>)> {
        if a.object() == b.object() || self.object(a.object()).ty != self.object(b.object()).ty {
            return None;
        }
        let ((x, kind), (y, _)) = (self.content(a)?, self.content(b)?);
        // A constructor always creates a new object.
        if [a, b].iter().any(|slot| self.object(slot.object()).zeroed) || matches!(kind, SlotKind::Float | SlotKind::Double) {
            return None;
        }
        let (p, q) = self.pair(x, y, kind.kind())?;
        let equal = self.is_same(a.object(), b.object());
        if equal != (x.bits == y.bits && kind.has_cached_box(x.bits)) {
            return None;
        }
        let same = self.terms.eq(p, q);
        let is_cached = is_cached(self.terms, kind, p)?;
        Some((equal, Some(self.terms.and(same, is_cached))))
    }

    fn unbox(&mut self, reference: Slot, held: SlotKind, given: SlotKind) -> ModelResult {
        let held = match held {
            SlotKind::Ref => match SlotKind::of_box(&self.type_name(reference.object())) {
                Some(held) => held,
                None => return ModelResult::Opaque,
            },
            held => held,
        };
        let ObjectBody::Boxed(content) = self.object(reference.object()).body else { return ModelResult::Opaque };
        let content = Slot { bits: content.bits, term: reference.term.or(content.term) };
        let (from, to) = (held.kind(), given.kind());
        if from == to {
            return ModelResult::Value(arith::narrow(self.terms, given, content));
        }
        let Some(conversion) = arith::conversion_between(from, to) else { return ModelResult::Opaque };
        let converted = arith::convert(self.terms, conversion, content);
        ModelResult::Value(arith::narrow(self.terms, given, converted))
    }
}

/// Whether `valueOf` returns a cached box for the value; `None` where each call makes a box.
fn is_cached(terms: &mut TermStore, kind: SlotKind, value: TermId) -> Option<TermId> {
    let values = kind.cached_values()?;
    let [low, high] = [values.start(), values.end()].map(|&limit| match kind {
        SlotKind::Long => terms.long(limit),
        _ => terms.int(limit as i32),
    });
    let above = terms.le(low, value);
    let below = terms.le(value, high);
    Some(terms.and(above, below))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expr::{Symbol, SymbolKind};

    #[test]
    fn a_box_is_cached_within_the_limits_of_its_type() {
        let mut terms = TermStore::new();
        let mut cached = |kind: SlotKind, value: i64| {
            let term = if kind == SlotKind::Long { terms.long(value) } else { terms.int(value as i32) };
            let found = is_cached(&mut terms, kind, term).map(|found| terms.print(found));
            assert_eq!(found, kind.cached_values().map(|_| kind.has_cached_box(value as u64).to_string()), "{kind:?} {value}");
            found.as_deref() == Some("true")
        };
        for kind in [SlotKind::Byte, SlotKind::Short, SlotKind::Int, SlotKind::Long] {
            assert_eq!([-129, -128, 127, 128].map(|value| cached(kind, value)), [false, true, true, false], "{kind:?}");
        }
        assert_eq!([-1, 0, 127, 128].map(|value| cached(SlotKind::Char, value)), [false, true, true, false]);
        assert_eq!([0, 1].map(|value| cached(SlotKind::Boolean, value)), [true, true]);
        assert!(!cached(SlotKind::Double, 0));
        let letter = terms.symbol(Symbol::value(0), SymbolKind::Char);
        let found = is_cached(&mut terms, SlotKind::Char, letter).map(|found| terms.print(found));
        assert_eq!(found.as_deref(), Some("(bvsle v0:char 127)"), "a `char` is never negative");
    }
}
