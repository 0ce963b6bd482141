//! `equals`, `hashCode` and `toString` of records (`java.lang.runtime.ObjectMethods`). In:
//! components of records; out: the result over the inputs. Must not know class files.

use tracewright_classfile::{BinaryOp, Kind};

use super::Machine;
use super::concat::Operand;
use super::invoke_dynamic::object_method;
use super::step::Flow;
use crate::expr::TermId;
use crate::path::ClauseKind;
use crate::symbolic::arith;
use crate::symbolic::completion::{Completion, InterpResult};
use crate::symbolic::data::call_sites::{RecordMethod, RecordSite};
use crate::symbolic::data::ids::{FieldIx, InvokeIx, MethodIx, SlotKind};
use crate::symbolic::data::objects::{ObjectBody, ObjectId, Slot};
use crate::symbolic::data::strings::KnownString;
use crate::symbolic::models::ModelResult;
use crate::symbolic::reason::UnsupportedReason;

/// Equality of two components.
enum Equal {
    /// The result, with its term where inputs decide it.
    Known(bool, Option<TermId>),
    /// The result of this recorded method.
    Call(MethodIx),
    Unknown,
}

fn text(text: &str) -> Operand {
    Operand::Known(KnownString::of(text))
}

impl Machine<'_, '_> {
    /// Executes a generated method of a record.
    pub(crate) fn record_call(
        &mut self,
        site: &RecordSite,
        ix: InvokeIx,
        arguments: &[Slot],
        floor: usize,
    ) -> InterpResult<Flow> {
        let this = arguments.first().map_or(ObjectId::NULL, |slot| slot.object());
        let outcome = match site.method {
            RecordMethod::ToString => {
                let mut operands = vec![Operand::Known(KnownString::constant(site.name.clone())), text("[")];
                for (position, component) in site.components.iter().enumerate() {
                    if position > 0 {
                        operands.push(text(", "));
                    }
                    operands.push(Operand::Known(KnownString::constant(component.name.clone())));
                    operands.push(text("="));
                    operands.push(match self.component(this, component.field)? {
                        Some(value) => self.operand(value, component.ty)?,
                        None => Operand::Object(ObjectId::NULL),
                    });
                }
                operands.push(text("]"));
                return self.concatenation(operands, ix, floor);
            }
            RecordMethod::HashCode => self.record_hash(site, this)?,
            RecordMethod::Equals => {
                let other = arguments.get(1).map_or(ObjectId::NULL, |slot| slot.object());
                self.record_equals(site, this, other)?
            }
        };
        if matches!(outcome, ModelResult::Opaque) {
            let reference = self.linked.invoke(ix).reference.clone();
            self.pass_to_opaque_code(&reference, arguments);
        }
        self.conclude(outcome, ix, ix, arguments, floor)
    }

    /// Reads a component; `None`: its value is unknown.
    fn component(&mut self, record: ObjectId, field: FieldIx) -> InterpResult<Option<Slot>> {
        match self.context().field_value(record, field).0 {
            Some(value) => self.context().entry_field(record, field, value, Some(value)).map(Some),
            None => Ok(None),
        }
    }

    // `hashCode`: 31 * hash + hash of the next component.

    fn record_hash(&mut self, site: &RecordSite, this: ObjectId) -> InterpResult<ModelResult> {
        let hash_code = object_method("hashCode", "()I");
        let mut values: Vec<Option<Slot>> = Vec::with_capacity(site.components.len());
        for component in &site.components {
            values.push(self.component(this, component.field)?);
        }
        let (mut recorded, mut positions) = (Vec::new(), Vec::new());
        for (position, (component, value)) in site.components.iter().zip(&values).enumerate() {
            if let Some(value) = value
                && self.linked.ty(component.ty).is_reference()
                && let Some(method) = self.recorded_method(value.object(), &hash_code)
            {
                recorded.push((value.object(), method));
                positions.push(position);
            }
        }
        let mut called: Vec<Option<Slot>> = vec![None; values.len()];
        for (at, completion) in self.run_callbacks_on(&recorded)? {
            if let Completion::Returned(value) = completion {
                called[positions[at]] = Some(value);
            }
        }
        let mut hash = Slot::ZERO;
        for (position, (component, value)) in site.components.iter().zip(values).enumerate() {
            let kind = SlotKind::of(self.linked.ty(component.ty));
            let next = match (called[position], value) {
                (Some(called), _) => Some(called),
                (None, Some(value)) => self.hash_of(value, kind),
                (None, None) => None,
            };
            let Some(next) = next else { return Ok(ModelResult::Opaque) };
            let product = arith::binary(self.terms, BinaryOp::Mul, Kind::Int, hash, Slot::int(31));
            hash = arith::binary(self.terms, BinaryOp::Add, Kind::Int, product, next);
        }
        Ok(ModelResult::Value(hash))
    }

    /// The hash of a component, as its box's `hashCode` or `Objects.hashCode` computes it; `None`:
    /// not known.
    fn hash_of(&mut self, value: Slot, kind: SlotKind) -> Option<Slot> {
        let hash = match kind {
            SlotKind::Ref => return self.hash_of_object(value),
            SlotKind::Float => {
                let number = f32::from_bits(value.bits as u32);
                Slot::int(if number.is_nan() { 0x7fc0_0000 } else { number.to_bits() as i32 })
            }
            SlotKind::Double => {
                let number = f64::from_bits(value.bits);
                let bits = if number.is_nan() { 0x7ff8_0000_0000_0000 } else { number.to_bits() };
                self.context().hash_of_value(Slot::raw(bits), SlotKind::Long)?
            }
            kind => return self.context().hash_of_value(value, kind),
        };
        if value.term.is_some() {
            self.context().record_concretisation(UnsupportedReason::FloatHash);
        }
        Some(hash)
    }

    fn hash_of_object(&mut self, value: Slot) -> Option<Slot> {
        let object = value.object();
        if object.is_null() {
            return Some(Slot::ZERO);
        }
        if let Some(KnownString { units, symbolic }) = self.context().known_string(object) {
            if symbolic.is_some() {
                self.context().record_concretisation(UnsupportedReason::StringHash);
            }
            return Some(Slot::int(units.iter().fold(0, |hash: i32, &unit| hash.wrapping_mul(31).wrapping_add(i32::from(unit)))));
        }
        let known = self.object(object);
        let (ty, identity) = (known.ty?, known.hash);
        if let ObjectBody::Boxed(content) = known.body {
            let content = Slot { bits: content.bits, term: value.term.or(content.term) };
            let held = self.linked.boxed_kind(ty)?;
            return self.hash_of(content, held);
        }
        // Without an override it is the identity hash.
        let method = self.linked.statement_target(&object_method("hashCode", "()I"), Some(ty))?;
        let owner = self.linked.method(method).reference.owner.internal();
        let is_identity = matches!(owner, "java/lang/Object" | "java/lang/Enum") && identity != 0;
        if is_identity {
            self.context().entry_hashed();
        }
        is_identity.then(|| Slot::int(identity as i32))
    }

    // `equals`: the last component first, until two differ.

    fn record_equals(&mut self, site: &RecordSite, this: ObjectId, other: ObjectId) -> InterpResult<ModelResult> {
        if this == other {
            return Ok(ModelResult::Value(Slot::int(1)));
        }
        if other.is_null() {
            return Ok(ModelResult::Value(Slot::ZERO));
        }
        match self.is_instance(other, site.record) {
            None => return Ok(ModelResult::Opaque),
            Some(false) => return Ok(ModelResult::Value(Slot::ZERO)),
            Some(true) => {}
        }
        let mut holds = true;
        let mut clause = self.terms.bool(true);
        for component in site.components.iter().rev() {
            let kind = SlotKind::of(self.linked.ty(component.ty));
            let (a, b) = (self.component(this, component.field)?, self.component(other, component.field)?);
            let (Some(a), Some(b)) = (a, b) else { return Ok(ModelResult::Opaque) };
            let equal = match kind {
                SlotKind::Ref => self.objects_equal(a, b)?,
                kind => self.primitives_equal(a, b, kind),
            };
            let (equal, term) = match equal {
                Equal::Known(equal, term) => (equal, term),
                Equal::Unknown => return Ok(ModelResult::Opaque),
                Equal::Call(method) => {
                    // The components before decide whether the method is called.
                    let way = if holds { clause } else { self.terms.not(clause) };
                    self.context().add_clause(ClauseKind::Model, u32::from(holds), way)?;
                    if !holds {
                        return Ok(ModelResult::Value(Slot::ZERO));
                    }
                    match self.run_callbacks_on(&[(a.object(), method)])?.remove(&0) {
                        Some(Completion::Returned(value)) => {
                            let term = arith::term_of(self.terms, value, Kind::Int).filter(|_| value.term.is_some());
                            let zero = self.terms.int(0);
                            (value.bits & 1 != 0, term.map(|term| self.terms.ne(term, zero)))
                        }
                        _ => return Ok(ModelResult::Opaque),
                    }
                }
            };
            holds &= equal;
            let term = term.unwrap_or_else(|| self.terms.bool(equal));
            clause = self.terms.and(clause, term);
            if self.terms.constant_of(clause).is_some() && !holds {
                break;
            }
        }
        let term = self.context().truth_value(clause);
        Ok(ModelResult::Value(arith::slot(self.terms, u64::from(holds), Some(term))))
    }

    fn primitives_equal(&mut self, a: Slot, b: Slot, kind: SlotKind) -> Equal {
        // As `Float.compare` does: any NaN is any other, and zeros differ by their sign.
        let equal = arith::same(kind.kind(), a.bits, b.bits);
        let term = self.context().pair(a, b, kind.kind()).and_then(|(x, y)| {
            if !matches!(kind, SlotKind::Float | SlotKind::Double) {
                return Some(self.terms.eq(x, y));
            }
            if !self.config.floats {
                self.context().record_concretisation(UnsupportedReason::FloatingPoint);
                return None;
            }
            let (one, zero) = match kind {
                SlotKind::Float => (self.terms.float(1.0), self.terms.float(0.0)),
                _ => (self.terms.double(1.0), self.terms.double(0.0)),
            };
            let (over_x, over_y) = (self.terms.fdiv(one, x), self.terms.fdiv(one, y));
            let (same, same_sign, not_zero) = (self.terms.eq(x, y), self.terms.eq(over_x, over_y), self.terms.ne(x, zero));
            let (x_nan, y_nan) = (self.terms.ne(x, x), self.terms.ne(y, y));
            let sign = self.terms.or(not_zero, same_sign);
            let numbers = self.terms.and(same, sign);
            let nans = self.terms.and(x_nan, y_nan);
            Some(self.terms.or(numbers, nans))
        });
        Equal::Known(equal, term)
    }

    /// `Objects.equals`.
    fn objects_equal(&mut self, a: Slot, b: Slot) -> InterpResult<Equal> {
        let (x, y) = (a.object(), b.object());
        if x == y && (x.is_null() || a.term == b.term) {
            return Ok(Equal::Known(true, None));
        }
        if x.is_null() {
            return Ok(Equal::Known(false, None));
        }
        let Some(ty) = self.object(x).ty else { return Ok(Equal::Unknown) };
        let other = self.object(y).ty;
        match self.object(x).body {
            ObjectBody::Str(_) => {
                if y.is_null() || other.is_some_and(|other| other != ty) {
                    return Ok(Equal::Known(false, None));
                }
                return Ok(match self.context().strings_equal(x, y)? {
                    Some((equal, term)) => Equal::Known(equal, term),
                    None => Equal::Unknown,
                });
            }
            ObjectBody::Boxed(content) => {
                if y.is_null() || other.is_some_and(|other| other != ty) {
                    return Ok(Equal::Known(false, None));
                }
                let (ObjectBody::Boxed(second), Some(held)) = (&self.object(y).body, self.linked.boxed_kind(ty)) else {
                    return Ok(Equal::Unknown);
                };
                let first = Slot { bits: content.bits, term: a.term.or(content.term) };
                let second = Slot { bits: second.bits, term: b.term.or(second.term) };
                return Ok(self.primitives_equal(first, second, held));
            }
            _ => {}
        }
        let equals = object_method("equals", "(Ljava/lang/Object;)Z");
        if let Some(method) = self.recorded_method(x, &equals) {
            return Ok(Equal::Call(method));
        }
        // Identity, where `equals` is not overridden and both identities are known.
        let target = self.linked.statement_target(&equals, Some(ty));
        let by_identity = target.is_some_and(|target| {
            matches!(self.linked.method(target).reference.owner.internal(), "java/lang/Object" | "java/lang/Enum")
        });
        if by_identity && (y.is_null() || self.object(x).hash != 0 && self.object(y).hash != 0) {
            return Ok(Equal::Known(false, None));
        }
        Ok(Equal::Unknown)
    }
}
