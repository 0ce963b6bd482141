//! `jdk.internal.misc.Unsafe` on fields and array cells, as atomic numbers, concurrent maps and
//! array comparisons use it. Offsets are numbers of the replay's own; no result depends on them.
//! Must not know callers.

use super::Machine;
use crate::path::ClauseKind;
use crate::symbolic::arith;
use crate::symbolic::completion::InterpResult;
use crate::symbolic::data::ids::{FieldIx, SlotKind};
use crate::symbolic::data::natives::UnsafeMethod;
use crate::symbolic::data::objects::{ObjectBody, ObjectId, Slot};
use crate::symbolic::reason::UnsupportedReason;

/// Offset of an array's first cell.
const BASE: u64 = 16;
/// Smallest offset of a field, above any array's cells.
const FIELDS: u64 = 1 << 40;

/// A variable that `Unsafe` accesses.
enum MemoryVariable {
    Field(FieldIx),
    Cell(u32),
}

impl Machine<'_, '_> {
    /// Executes an operation of `Unsafe`. Fails the attempt outside known fields and cells.
    pub(crate) fn unsafe_call(&mut self, method: UnsafeMethod, arguments: &[Slot]) -> InterpResult<Slot> {
        let argument = |at: usize| arguments.get(at).copied().unwrap_or_default();
        match method {
            UnsafeMethod::Fence => Ok(Slot::ZERO),
            UnsafeMethod::ArrayBase => Ok(Slot::raw(BASE)),
            UnsafeMethod::ArrayScale => {
                let ty = self.class_of_mirror(argument(1).object())?;
                match self.linked.element(ty).map(|element| scale(SlotKind::of(self.linked.ty(element)))) {
                    Some(scale) => Ok(Slot::raw(scale)),
                    None => self.abort(UnsupportedReason::ScaleOfNonArray),
                }
            }
            UnsafeMethod::FieldOffset => self.field_offset(argument(1).object(), argument(2).object()),
            UnsafeMethod::Get(kind) => {
                let (object, variable) = (argument(1).object(), self.memory(argument(1).object(), argument(2), kind)?);
                self.read_memory(object, variable)
            }
            UnsafeMethod::Put(kind) => {
                let (object, variable) = (argument(1).object(), self.memory(argument(1).object(), argument(2), kind)?);
                self.write_memory(object, variable, kind, argument(3));
                Ok(Slot::ZERO)
            }
            UnsafeMethod::Swap(kind) => {
                let object = argument(1).object();
                let variable = self.memory(object, argument(2), kind)?;
                let (expected, new) = (argument(3), argument(4));
                let found = self.read_memory(object, self.memory(object, argument(2), kind)?)?;
                let is_expected = match kind {
                    SlotKind::Ref => self.is_same(found.object(), expected.object()),
                    _ => found.bits == expected.bits,
                };
                if kind != SlotKind::Ref && found.term != expected.term {
                    let (x, y) =
                        (arith::term_of(self.terms, found, kind.kind()), arith::term_of(self.terms, expected, kind.kind()));
                    let (Some(x), Some(y)) = (x, y) else { return self.abort(UnsupportedReason::SymbolicCompareAndSet) };
                    let same = self.terms.eq(x, y);
                    let holds = if is_expected { same } else { self.terms.not(same) };
                    self.context().add_clause(ClauseKind::Model, u32::from(is_expected), holds)?;
                }
                if is_expected {
                    self.write_memory(object, variable, kind, new);
                }
                Ok(Slot::int(i32::from(is_expected)))
            }
        }
    }

    fn field_offset(&mut self, mirror: ObjectId, name: ObjectId) -> InterpResult<Slot> {
        let ty = self.class_of_mirror(mirror)?;
        let Some(name) = self.constant_units(name) else { return self.abort(UnsupportedReason::UnknownField) };
        let name = String::from_utf16_lossy(&name);
        let fields = self.linked.instance_fields(ty);
        let found = fields.iter().find(|&&field| {
            let info = self.linked.field(field);
            *info.reference.name == *name && info.owner == ty
        });
        match found {
            Some(field) => Ok(Slot::raw(FIELDS + u64::from(field.0))),
            None => self.abort(UnsupportedReason::UnknownField),
        }
    }

    fn memory(&self, object: ObjectId, offset: Slot, kind: SlotKind) -> InterpResult<MemoryVariable> {
        if object.is_null() || offset.term.is_some() {
            return self.abort(UnsupportedReason::UnknownMemory);
        }
        if let Some(field) = offset.bits.checked_sub(FIELDS) {
            return match self.linked.field_at_offset(field) {
                Some(field) => Ok(MemoryVariable::Field(field)),
                None => self.abort(UnsupportedReason::UnknownMemory),
            };
        }
        let ObjectBody::Array(array) = &self.object(object).body else { return self.abort(UnsupportedReason::CellOfNonArray) };
        let index = offset.bits.wrapping_sub(BASE) / scale(array.kind);
        if array.kind != kind || index >= u64::from(array.length) || !(offset.bits - BASE).is_multiple_of(scale(array.kind)) {
            return self.abort(UnsupportedReason::MixedCellAccess);
        }
        Ok(MemoryVariable::Cell(index as u32))
    }

    fn read_memory(&mut self, object: ObjectId, variable: MemoryVariable) -> InterpResult<Slot> {
        let value = match variable {
            MemoryVariable::Field(field) => {
                let (computed, resync) = self.context().field_value(object, field);
                match self.interpreted_field(Slot::reference(object), field, computed, resync)?.0 {
                    Some(value) => Some(self.context().entry_field(object, field, value, computed)?),
                    None => None,
                }
            }
            MemoryVariable::Cell(at) => {
                let known = self.object(object);
                let ObjectBody::Array(array) = &known.body else { return self.abort(UnsupportedReason::CellOfNonArray) };
                let computed = array.get(at).or(known.zeroed.then_some(Slot::ZERO));
                match computed {
                    Some(value) => Some(self.context().entry_cell(object, at, value, computed)?),
                    None => None,
                }
            }
        };
        match value {
            Some(value) => Ok(value),
            None => self.abort(UnsupportedReason::UnknownValue),
        }
    }

    fn write_memory(&mut self, object: ObjectId, variable: MemoryVariable, kind: SlotKind, value: Slot) {
        match variable {
            MemoryVariable::Field(field) => self.put_field(object, field, value),
            MemoryVariable::Cell(at) => {
                if kind == SlotKind::Ref && self.object(object).escaped {
                    self.context().escape(&[value]);
                }
                self.context().entry_cell_written(object, at);
                self.set_cell(object, at, value);
            }
        }
    }
}

/// Bytes of a cell (`arrayIndexScale`).
fn scale(kind: SlotKind) -> u64 {
    match kind {
        SlotKind::Boolean | SlotKind::Byte => 1,
        SlotKind::Char | SlotKind::Short => 2,
        SlotKind::Int | SlotKind::Float | SlotKind::Ref => 4,
        SlotKind::Long | SlotKind::Double => 8,
    }
}
