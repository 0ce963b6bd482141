//! The JDK's `Unsafe` on fields and array cells: atomic numbers, concurrent maps and comparisons of arrays go through it. An offset is a
//! number that only the replay understands, and that no result depends on. Must not know who calls.

use super::arith;
use super::linked::{FieldIx, SlotKind};
use super::machine::{InterpResult, Machine};
use super::objects::{ObjectBody, ObjectId, Slot};
use super::reason::UnsupportedReason;
use crate::path::ClauseKind;
use crate::program::MethodRef;

/// Where cells begin in an array.
const BASE: u64 = 16;
/// Offsets of fields begin here, far behind any array.
const FIELDS: u64 = 1 << 40;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum UnsafeMethod {
    FieldOffset,
    ArrayBase,
    ArrayScale,
    Get(SlotKind),
    Put(SlotKind),
    /// `compareAndSet`: whether the value was the expected one.
    Swap(SlotKind),
    Fence,
}

enum Place {
    Field(FieldIx),
    Cell(u32),
}

/// What a method of `jdk.internal.misc.Unsafe` does.
pub(crate) fn unsafe_method(method: &MethodRef) -> Option<UnsafeMethod> {
    if method.owner.internal() != "jdk/internal/misc/Unsafe" {
        return None;
    }
    let name: &str = &method.name;
    match name {
        "objectFieldOffset" if &*method.descriptor == "(Ljava/lang/Class;Ljava/lang/String;)J" => {
            return Some(UnsafeMethod::FieldOffset);
        }
        "arrayBaseOffset" => return Some(UnsafeMethod::ArrayBase),
        "arrayIndexScale" => return Some(UnsafeMethod::ArrayScale),
        "fullFence" | "loadFence" | "storeFence" | "storeStoreFence" | "loadLoadFence" => return Some(UnsafeMethod::Fence),
        _ => {}
    }
    let of = |rest: &str| {
        let kind =
            ["Volatile", "Acquire", "Release", "Opaque", "Plain"].iter().find_map(|mode| rest.strip_suffix(mode)).unwrap_or(rest);
        Some(match kind {
            "Int" => SlotKind::Int,
            "Long" => SlotKind::Long,
            "Boolean" => SlotKind::Boolean,
            "Reference" | "Object" => SlotKind::Ref,
            _ => return None,
        })
    };
    let descriptor: &str = &method.descriptor;
    if let Some(rest) = name.strip_prefix("weakCompareAndSet").or_else(|| name.strip_prefix("compareAndSet")) {
        return of(rest).map(UnsafeMethod::Swap);
    }
    if let Some(rest) = name.strip_prefix("get").filter(|_| descriptor.starts_with("(Ljava/lang/Object;J)")) {
        return of(rest).map(UnsafeMethod::Get);
    }
    if let Some(rest) = name.strip_prefix("put").filter(|_| descriptor.starts_with("(Ljava/lang/Object;J")) {
        return of(rest).map(UnsafeMethod::Put);
    }
    None
}

impl Machine<'_, '_> {
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
                let (object, place) = (argument(1).object(), self.memory(argument(1).object(), argument(2), kind)?);
                self.read_memory(object, place)
            }
            UnsafeMethod::Put(kind) => {
                let (object, place) = (argument(1).object(), self.memory(argument(1).object(), argument(2), kind)?);
                self.write_memory(object, place, kind, argument(3));
                Ok(Slot::ZERO)
            }
            UnsafeMethod::Swap(kind) => {
                let object = argument(1).object();
                let place = self.memory(object, argument(2), kind)?;
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
                    self.add_clause(ClauseKind::Model, u32::from(is_expected), holds)?;
                }
                if is_expected {
                    self.write_memory(object, place, kind, new);
                }
                Ok(Slot::int(i32::from(is_expected)))
            }
        }
    }

    fn field_offset(&mut self, mirror: ObjectId, name: ObjectId) -> InterpResult<Slot> {
        let ty = self.class_of_mirror(mirror)?;
        let Some(name) = self.plain_text(name) else { return self.abort(UnsupportedReason::UnknownField) };
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

    fn memory(&self, object: ObjectId, offset: Slot, kind: SlotKind) -> InterpResult<Place> {
        if object.is_null() || offset.term.is_some() {
            return self.abort(UnsupportedReason::UnknownMemory);
        }
        if let Some(field) = offset.bits.checked_sub(FIELDS) {
            return match self.linked.field_at_offset(field) {
                Some(field) => Ok(Place::Field(field)),
                None => self.abort(UnsupportedReason::UnknownMemory),
            };
        }
        let ObjectBody::Array(array) = &self.object(object).body else { return self.abort(UnsupportedReason::CellOfNonArray) };
        let index = offset.bits.wrapping_sub(BASE) / scale(array.kind);
        if array.kind != kind || index >= u64::from(array.length) || !(offset.bits - BASE).is_multiple_of(scale(array.kind)) {
            return self.abort(UnsupportedReason::MixedCellAccess);
        }
        Ok(Place::Cell(index as u32))
    }

    fn read_memory(&mut self, object: ObjectId, place: Place) -> InterpResult<Slot> {
        let value = match place {
            Place::Field(field) => {
                let (computed, resync) = self.field_value(object, field);
                match self.interpreted_field(Slot::reference(object), field, computed, resync)?.0 {
                    Some(value) => Some(self.entry_field(object, field, value, computed)?),
                    None => None,
                }
            }
            Place::Cell(at) => {
                let known = self.object(object);
                let ObjectBody::Array(array) = &known.body else { return self.abort(UnsupportedReason::CellOfNonArray) };
                let computed = array.get(at).or(known.zeroed.then_some(Slot::ZERO));
                match computed {
                    Some(value) => Some(self.entry_cell(object, at, value, computed)?),
                    None => None,
                }
            }
        };
        match value {
            Some(value) => Ok(value),
            None => self.abort(UnsupportedReason::UnknownValue),
        }
    }

    fn write_memory(&mut self, object: ObjectId, place: Place, kind: SlotKind, value: Slot) {
        match place {
            Place::Field(field) => self.put_field(object, field, value),
            Place::Cell(at) => {
                if kind == SlotKind::Ref && self.object(object).escaped {
                    self.escape(&[value]);
                }
                self.entry_cell_written(object, at);
                self.set_cell(object, at, value);
            }
        }
    }
}

/// Bytes of a cell.
fn scale(kind: SlotKind) -> u64 {
    match kind {
        SlotKind::Boolean | SlotKind::Byte => 1,
        SlotKind::Char | SlotKind::Short => 2,
        SlotKind::Int | SlotKind::Float | SlotKind::Ref => 4,
        SlotKind::Long | SlotKind::Double => 8,
    }
}
