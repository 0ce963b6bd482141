//! JDK methods without bytecode, or whose bytecode needs the inside of objects that the replay
//! represents otherwise. Each does all that the JVM would do, or aborts. Must not know how calls
//! are made.

use tracewright_classfile::PrimitiveType;
use tracewright_trace::Event;

use super::Machine;
use crate::program::{ClassOrigin, JavaType};
use crate::symbolic::completion::{Completion, InterpResult};
use crate::symbolic::data::ids::{MethodIx, SlotKind, TypeIx};
use crate::symbolic::data::natives::Native;
use crate::symbolic::data::objects::{Array, Object, ObjectBody, ObjectId, Slot, StringContents};
use crate::symbolic::reason::UnsupportedReason;

impl Machine<'_, '_> {
    /// Runs a native method. Fails the attempt when its result is unknown.
    pub(crate) fn native(&mut self, native: Native, target: MethodIx, arguments: &[Slot]) -> InterpResult<Completion> {
        let first = arguments.first().copied().unwrap_or_default();
        let second = arguments.get(1).copied().unwrap_or_default();
        let value = match native {
            Native::Nothing | Native::ZeroLong | Native::False => Slot::ZERO,
            Native::First => first,
            Native::IdentityHash => {
                self.context().entry_hashed();
                self.identity_hash(first.object())?
            }
            Native::Clone => self.clone_of(first.object())?,
            Native::IsInstance => {
                let ty = self.class_of_mirror(first.object())?;
                self.instance_result(second.object(), ty)?
            }
            Native::IsAssignableFrom => {
                let (of, ty) = (self.class_of_mirror(first.object())?, self.class_of_mirror(second.object())?);
                truth(self.linked.is_subtype(ty, of))
            }
            Native::DesiredAssertionStatus => self.assertions(first.object())?,
            Native::ComponentType => {
                let ty = self.class_of_mirror(first.object())?;
                match self.linked.element(ty) {
                    Some(element) => Slot::reference(self.context().mirror(element)?),
                    None => Slot::ZERO,
                }
            }
            Native::Superclass => {
                let ty = self.class_of_mirror(first.object())?;
                match self.linked.model(ty).and_then(|model| model.superclass.clone()) {
                    Some(superclass) => {
                        let superclass = self.linked.named(superclass.internal());
                        Slot::reference(self.context().mirror(superclass)?)
                    }
                    None => return self.abort(UnsupportedReason::SuperclassOfNonClass),
                }
            }
            Native::IsArray => {
                let ty = self.class_of_mirror(first.object())?;
                truth(self.linked.element(ty).is_some())
            }
            Native::IsPrimitive => {
                let ty = self.class_of_mirror(first.object())?;
                truth(!matches!(self.linked.ty(ty), JavaType::Class(_) | JavaType::Array(_)))
            }
            Native::IsInterface => {
                let ty = self.class_of_mirror(first.object())?;
                match (self.linked.model(ty), self.linked.ty(ty)) {
                    (Some(model), _) => truth(model.is_interface()),
                    (None, JavaType::Class(_)) => return self.abort(UnsupportedReason::UnknownClass),
                    (None, _) => truth(false),
                }
            }
            Native::PrimitiveClass => self.primitive_class(first.object())?,
            Native::NewArray => self.array_of(first.object(), second)?,
            Native::ArrayLength => match &self.object(first.object()).body {
                ObjectBody::Array(array) => Slot { bits: u64::from(array.length), term: array.length_term },
                _ => return self.abort(UnsupportedReason::LengthOfNonArray),
            },
            Native::SameBits => {
                if first.term.is_some() {
                    let name = self.linked.method(target).reference.name.to_string();
                    self.context().record_concretisation(UnsupportedReason::Method(name));
                }
                Slot::raw(first.bits)
            }
            Native::VectorizedMismatch => {
                let length = arguments.iter().rev().nth(1).copied().unwrap_or_default();
                if length.term.is_some() {
                    return self.abort(UnsupportedReason::SymbolicArrayComparison);
                }
                Slot::int(!length.as_int())
            }
            Native::StringHashCode => {
                let Some(units) = self.constant_units(first.object()) else {
                    return self.abort(UnsupportedReason::Method("java/lang/String.hashCode".into()));
                };
                Slot::int(units.iter().fold(0_i32, |hash, &unit| hash.wrapping_mul(31).wrapping_add(i32::from(unit))))
            }
            Native::StringToCharArray => {
                let Some(units) = self.constant_units(first.object()) else {
                    return self.abort(UnsupportedReason::Method("java/lang/String.toCharArray".into()));
                };
                let ty = self.linked.type_ix(&JavaType::Array(Box::new(JavaType::CHAR)));
                let array = self.context().new_array(ty, units.len() as u32)?;
                for (at, &unit) in units.iter().enumerate() {
                    self.set_cell(array, at as u32, Slot::raw(u64::from(unit)));
                }
                Slot::reference(array)
            }
            Native::Unsafe(method) => self.unsafe_call(method, arguments)?,
            Native::UnknownString | Native::UnknownAppend if matches!(self.cursor.peek(), Some(Event::Entry { .. })) => {
                // It may call `toString` of recorded code.
                return self.abort(UnsupportedReason::RecordedText);
            }
            Native::UnknownString => {
                let body = ObjectBody::Str(StringContents { units: None, symbolic: None });
                let string = self.linked.string();
                Slot::reference(self.context().allocate(Object {
                    ty: Some(string),
                    hash: 0,
                    zeroed: false,
                    escaped: false,
                    body,
                })?)
            }
            Native::UnknownAppend => {
                let builder = self.object_mut(first.object());
                builder.body = ObjectBody::Fields(Vec::new());
                builder.zeroed = false;
                first
            }
        };
        Ok(Completion::Returned(value))
    }

    /// The contents of a string that does not depend on inputs.
    pub(crate) fn constant_units(&self, string: ObjectId) -> Option<std::rc::Rc<[u16]>> {
        match &self.object(string).body {
            ObjectBody::Str(StringContents { units: Some(units), symbolic: None }) => Some(units.clone()),
            _ => None,
        }
    }

    fn identity_hash(&mut self, object: ObjectId) -> InterpResult<Slot> {
        if object.is_null() {
            return Ok(Slot::ZERO);
        }
        match self.object(object).hash {
            0 => self.abort(UnsupportedReason::UnknownIdentityHash),
            hash => Ok(Slot::raw(u64::from(hash))),
        }
    }

    /// `Object.clone` of an array, or of an object whose fields are all known.
    fn clone_of(&mut self, object: ObjectId) -> InterpResult<Slot> {
        self.context().entry_clone_begins(object)?;
        let Object { ty, zeroed, body, .. } = self.object(object).clone();
        let copied = match &body {
            ObjectBody::Array(array) if zeroed || self.is_all_known(array) => true,
            ObjectBody::Fields(_) => zeroed,
            _ => false,
        };
        if !copied {
            return self.abort(UnsupportedReason::UnknownClone);
        }
        let copy = self.context().allocate(Object { ty, hash: 0, zeroed, escaped: false, body })?;
        self.context().entry_cloned(object, copy)?;
        Ok(Slot::reference(copy))
    }

    fn is_all_known(&self, array: &Array) -> bool {
        array.known().count() == array.length as usize
    }

    /// The type that a `Class` object represents. Fails the attempt when it is unknown.
    pub(crate) fn class_of_mirror(&mut self, mirror: ObjectId) -> InterpResult<TypeIx> {
        match self.linked.shared_heap.mirrored(mirror) {
            Some(ty) => Ok(ty),
            None => self.abort(UnsupportedReason::UnknownClass),
        }
    }

    fn instance_result(&mut self, object: ObjectId, ty: TypeIx) -> InterpResult<Slot> {
        if object.is_null() {
            return Ok(Slot::ZERO);
        }
        match self.is_instance(object, ty) {
            Some(holds) => Ok(truth(holds)),
            None => self.abort(UnsupportedReason::UnknownObjectClass),
        }
    }

    /// Assertions are off in the JDK; for other classes JVM options decide.
    fn assertions(&mut self, mirror: ObjectId) -> InterpResult<Slot> {
        let ty = self.class_of_mirror(mirror)?;
        match self.linked.model(ty) {
            Some(model) if model.origin == ClassOrigin::Jdk => Ok(Slot::ZERO),
            _ if self.heap.is_initialising() => Ok(self.environment_dependent_value(SlotKind::Boolean)),
            _ => self.abort_for_good(UnsupportedReason::LibraryAssertions),
        }
    }

    fn primitive_class(&mut self, name: ObjectId) -> InterpResult<Slot> {
        let text = self.constant_units(name).map(|units| String::from_utf16_lossy(&units));
        let primitive = PrimitiveType::ALL.into_iter().find(|ty| Some(ty.keyword()) == text.as_deref());
        let ty = match primitive {
            Some(primitive) => JavaType::from(primitive),
            None if text.as_deref() == Some("void") => JavaType::Void,
            None => return self.abort(UnsupportedReason::UnknownPrimitiveClass),
        };
        let ty = self.linked.type_ix(&ty);
        self.context().mirror(ty).map(Slot::reference)
    }

    fn array_of(&mut self, component: ObjectId, length: Slot) -> InterpResult<Slot> {
        let component = self.class_of_mirror(component)?;
        let element = self.linked.ty(component).clone();
        if element == JavaType::Void || length.as_int() < 0 || length.term.is_some() {
            return self.abort(UnsupportedReason::UnsupportedNewArray);
        }
        let ty = self.linked.type_ix(&JavaType::Array(Box::new(element)));
        self.context().new_array(ty, length.as_int() as u32).map(Slot::reference)
    }
}

fn truth(value: bool) -> Slot {
    Slot::int(i32::from(value))
}
