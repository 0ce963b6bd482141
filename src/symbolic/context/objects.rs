//! Objects of the replay for models: allocation, access, and what opaque code can reach. In:
//! objects and writes; out: references. Must not know which instruction or method works on them.

use std::rc::Rc;

use super::ModelContext;
use crate::symbolic::completion::{InterpResult, Stop};
use crate::symbolic::data::call_sites::LambdaSite;
use crate::symbolic::data::ids::{FieldIx, SlotKind, TypeIx};
use crate::symbolic::data::objects::{Array, Object, ObjectBody, ObjectId, Slot, StringBuilderContents, StringContents};
use crate::symbolic::reason::UnsupportedReason;
use crate::symbolic::state::heap::HeapFull;

/// Escaped objects of one class without a known identity hash, at most.
const UNHASHED: usize = 65;

impl ModelContext<'_, '_> {
    /// Adds an object to the heap.
    ///
    /// # Errors
    /// The path ends, or the attempt aborts, when the heap is full.
    pub(crate) fn allocate(&mut self, object: Object) -> InterpResult<ObjectId> {
        match self.heap.allocate(&mut self.linked.shared_heap, object) {
            Ok(id) => Ok(id),
            Err(HeapFull::Own) => Err(Stop::limit("heap", self.heap.checkpoints() > 0)),
            Err(HeapFull::Shared) => Err(Stop::abort(UnsupportedReason::SharedObjectLimit)),
        }
    }

    /// Allocates an object as `new` does.
    pub(crate) fn new_object(&mut self, ty: TypeIx) -> InterpResult<ObjectId> {
        self.allocate(Object { ty: Some(ty), hash: 0, zeroed: true, escaped: false, body: ObjectBody::Fields(Vec::new()) })
    }

    /// Allocates an exception that the JVM throws. Its fields are unknown.
    pub(crate) fn new_exception(&mut self, class: &str) -> InterpResult<ObjectId> {
        let ty = self.linked.class_ix(class);
        self.allocate(Object { ty: Some(ty), hash: 0, zeroed: false, escaped: true, body: ObjectBody::Fields(Vec::new()) })
    }

    /// Allocates an array of zeros.
    pub(crate) fn new_array(&mut self, ty: TypeIx, length: u32) -> InterpResult<ObjectId> {
        let kind = self.linked.element(ty).map_or(SlotKind::Ref, |element| SlotKind::of(self.linked.ty(element)));
        let body = ObjectBody::Array(Array::zeroed(kind, length));
        self.allocate(Object { ty: Some(ty), hash: 0, zeroed: true, escaped: false, body })
    }

    /// The interned string with these UTF-16 units.
    pub(crate) fn intern(&mut self, units: &Rc<[u16]>) -> InterpResult<ObjectId> {
        if !self.heap.is_initialising()
            && let Some(object) = self.heap.interned(units)
        {
            return Ok(object);
        }
        // The JVM's string table refers to it, so it has escaped.
        let body = ObjectBody::Str(StringContents { units: Some(units.clone()), symbolic: None });
        let object = Object { ty: Some(self.linked.string()), hash: 0, zeroed: false, escaped: true, body };
        let object = match self.linked.shared_heap.interned(units, &object) {
            Some(shared) => shared,
            None => self.allocate(object)?,
        };
        self.heap.set_interned(units.clone(), object);
        Ok(object)
    }

    /// The `Class` object of a type.
    pub(crate) fn mirror(&mut self, ty: TypeIx) -> InterpResult<ObjectId> {
        if !self.heap.is_initialising()
            && let Some(object) = self.heap.mirror(ty)
        {
            return Ok(object);
        }
        let class = self.linked.class_ix("java/lang/Class");
        let object = Object { ty: Some(class), hash: 0, zeroed: false, escaped: true, body: ObjectBody::Mirror };
        let object = match self.linked.shared_heap.mirror(ty, &object) {
            Some(shared) => shared,
            None => self.allocate(object)?,
        };
        self.heap.set_mirror(ty, object);
        Ok(object)
    }

    /// The object; the one for null where the number is invalid.
    #[inline]
    pub(crate) fn object(&self, id: ObjectId) -> &Object {
        self.heap.object(&self.linked.shared_heap, id)
    }

    /// The object for any change; [`ModelContext::set_cell`] and [`ModelContext::set_field`] cost
    /// less.
    #[inline]
    pub(crate) fn object_mut(&mut self, id: ObjectId) -> &mut Object {
        self.heap.object_mut(&mut self.linked.shared_heap, id)
    }

    /// Writes an array cell.
    #[inline]
    pub(crate) fn set_cell(&mut self, id: ObjectId, at: u32, value: Slot) {
        self.heap.set_cell(&mut self.linked.shared_heap, id, at, value);
    }

    /// Writes an instance field.
    #[inline]
    pub(crate) fn set_field(&mut self, id: ObjectId, field: FieldIx, value: Slot) {
        self.heap.set_field(&mut self.linked.shared_heap, id, field, value);
    }

    /// Whether the type is `java.lang.String`.
    pub(crate) fn is_string(&self, ty: TypeIx) -> bool {
        ty == self.linked.string()
    }

    /// The internal name of the object's class, for messages; `?` if it is unknown.
    pub(crate) fn type_name(&self, id: ObjectId) -> String {
        self.linked.type_name(id, self.object(id).ty)
    }

    /// Whether two references are known to be one object.
    pub(crate) fn is_same(&self, a: ObjectId, b: ObjectId) -> bool {
        self.heap.is_same(&self.linked.shared_heap, a, b)
    }

    // Fields.

    /// The known value of a field, and whether opaque code may have changed it since.
    pub(crate) fn field_value(&mut self, object: ObjectId, field: FieldIx) -> (Option<Slot>, bool) {
        let known = self.object(object);
        let (value, zeroed, escaped) = (known.field(field), known.zeroed, known.escaped);
        let value = value.or(zeroed.then_some(Slot::ZERO));
        (value, escaped && (self.may_have_changed() || self.is_from_before(object)))
    }

    /// Whether code that is not replayed may have changed escaped objects.
    pub(crate) fn may_have_changed(&self) -> bool {
        self.heap.opaque_calls() > 0 || self.cursor.has_other_threads()
    }

    /// Whether recorded code uses a shared object, which an earlier run may have changed.
    pub(crate) fn is_from_before(&self, object: ObjectId) -> bool {
        self.frames.is_recorded() && object.shared_index().is_some()
    }

    // Objects that opaque code can reach.

    /// Marks everything reachable from the references as escaped. Returns whether any of it had a
    /// term.
    pub(crate) fn escape(&mut self, references: &[Slot]) -> bool {
        let mut carried = false;
        if self.heap.is_initialising() {
            return false;
        }
        let mut pending: Vec<ObjectId> = references.iter().map(|slot| slot.object()).collect();
        while let Some(id) = pending.pop() {
            if matches!(&self.object(id).body, ObjectBody::Str(text) if text.symbolic.is_some()) {
                carried = true;
                self.heap.record_escaped_string(id);
            }
            if id.is_null() || self.object(id).escaped {
                continue;
            }
            let object = self.object_mut(id);
            object.escaped = true;
            let Object { body, .. } = object;
            let mut visit = |slot: Slot, is_reference: bool| {
                carried |= slot.term.is_some();
                if is_reference {
                    pending.push(slot.object());
                }
            };
            match body {
                ObjectBody::Fields(fields) | ObjectBody::Stub { fields, .. } => {
                    let fields = fields.clone();
                    for (field, slot) in fields {
                        visit(slot, self.linked.field(field).kind == SlotKind::Ref);
                    }
                }
                ObjectBody::Array(array) => {
                    let is_reference = array.kind == SlotKind::Ref;
                    array.known().for_each(|slot| visit(slot, is_reference));
                }
                ObjectBody::Boxed(slot) => carried |= slot.term.is_some(),
                ObjectBody::Lambda { site, captured } => {
                    let (site, captured) = (site.clone(), captured.clone());
                    let kept = self.keeps_captured(&site);
                    for (&ty, &slot) in site.captured.iter().zip(captured.iter()) {
                        match self.linked.ty(ty).is_reference() {
                            true => pending.push(slot.object()),
                            false => carried |= !kept && slot.term.is_some(),
                        }
                    }
                }
                ObjectBody::Builder(StringBuilderContents { text, .. }) => {
                    carried |= text.as_ref().is_some_and(|text| !text.cells.is_empty());
                }
                ObjectBody::Matcher(matcher) => carried |= matcher.text.symbolic.is_some(),
                ObjectBody::Str(_) | ObjectBody::Pattern(_) | ObjectBody::Mirror | ObjectBody::Handle(_) => {}
            }
        }
        // Opaque code may return its arguments. Objects behind them are no candidates: unrelated
        // objects would be taken for them.
        for slot in references {
            let object = self.object(slot.object());
            if !slot.object().is_null()
                && let (Some(ty), 0) = (object.ty, object.hash)
                && self.heap.unhashed(ty).is_none_or(|waiting| waiting.len() < UNHASHED && !waiting.contains(&slot.object()))
            {
                self.heap.unhashed_mut(ty).push(slot.object());
            }
        }
        carried
    }

    /// Whether captured primitive values are visible only as arguments of a recorded method.
    pub(crate) fn keeps_captured(&self, site: &LambdaSite) -> bool {
        self.linked
            .implementation(&site.implementation)
            .is_some_and(|method| self.is_recorded_class(self.linked.method(method).ty))
    }
}
