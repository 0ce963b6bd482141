//! JDK methods without bytecode, or whose bytecode needs the inside of objects that the replay
//! represents otherwise. Each does all that the JVM would do, or aborts. Must not know how calls
//! are made.

use tracewright_trace::Event;

use super::data::ids::{MethodIx, SlotKind, TypeIx};
use super::data::natives::Native;
use super::data::objects::{Array, Object, ObjectBody, ObjectId, Slot, StringContents};
use super::machine::{Completion, InterpResult, Machine};
use super::reason::UnsupportedReason;
use crate::program::{ClassOrigin, JavaType};

impl Machine<'_, '_> {
    /// Runs a native method. Fails the attempt when its result is unknown.
    pub(crate) fn native(&mut self, native: Native, target: MethodIx, arguments: &[Slot]) -> InterpResult<Completion> {
        let first = arguments.first().copied().unwrap_or_default();
        let second = arguments.get(1).copied().unwrap_or_default();
        let value = match native {
            Native::Nothing | Native::ZeroLong | Native::False => Slot::ZERO,
            Native::First => first,
            Native::IdentityHash => {
                self.entry_hashed();
                self.identity_hash(first.object())?
            }
            Native::Clone => self.clone_of(first.object())?,
            Native::IsInstance => {
                let ty = self.class_of_mirror(first.object())?;
                self.asked_instance(second.object(), ty)?
            }
            Native::IsAssignableFrom => {
                let (of, ty) = (self.class_of_mirror(first.object())?, self.class_of_mirror(second.object())?);
                truth(self.linked.is_subtype(ty, of))
            }
            Native::DesiredAssertionStatus => self.assertions(first.object())?,
            Native::ComponentType => {
                let ty = self.class_of_mirror(first.object())?;
                match self.linked.element(ty) {
                    Some(element) => Slot::reference(self.mirror(element)?),
                    None => Slot::ZERO,
                }
            }
            Native::Superclass => {
                let ty = self.class_of_mirror(first.object())?;
                match self.linked.model(ty).and_then(|model| model.superclass.clone()) {
                    Some(superclass) => {
                        let superclass = self.linked.named(superclass.internal());
                        Slot::reference(self.mirror(superclass)?)
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
                    self.record_concretisation(UnsupportedReason::Method(name));
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
                let Some(units) = self.plain_text(first.object()) else {
                    return self.abort(UnsupportedReason::Method("java/lang/String.hashCode".into()));
                };
                Slot::int(units.iter().fold(0_i32, |hash, &unit| hash.wrapping_mul(31).wrapping_add(i32::from(unit))))
            }
            Native::StringToCharArray => {
                let Some(units) = self.plain_text(first.object()) else {
                    return self.abort(UnsupportedReason::Method("java/lang/String.toCharArray".into()));
                };
                let ty = self.linked.type_ix(&JavaType::Array(Box::new(JavaType::Char)));
                let array = self.new_array(ty, units.len() as u32)?;
                for (at, &unit) in units.iter().enumerate() {
                    self.set_cell(array, at as u32, Slot::raw(u64::from(unit)));
                }
                Slot::reference(array)
            }
            Native::Unsafe(method) => self.unsafe_call(method, arguments)?,
            Native::SomeText | Native::MoreText if matches!(self.cursor.peek(), Some(Event::Entry { .. })) => {
                // It may call `toString` of recorded code.
                return self.abort(UnsupportedReason::RecordedText);
            }
            Native::SomeText => {
                let body = ObjectBody::Str(StringContents { units: None, symbolic: None });
                Slot::reference(self.allocate(Object { ty: Some(self.string), hash: 0, zeroed: false, escaped: false, body })?)
            }
            Native::MoreText => {
                let builder = self.object_mut(first.object());
                builder.body = ObjectBody::Fields(Vec::new());
                builder.zeroed = false;
                first
            }
        };
        Ok(Completion::Returned(value))
    }

    /// The contents of a string that does not depend on inputs.
    pub(crate) fn plain_text(&self, string: ObjectId) -> Option<std::rc::Rc<[u16]>> {
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
        self.entry_clone_begins(object)?;
        let Object { ty, zeroed, body, .. } = self.object(object).clone();
        let copied = match &body {
            ObjectBody::Array(array) if zeroed || self.is_all_known(array) => true,
            ObjectBody::Fields(_) => zeroed,
            _ => false,
        };
        if !copied {
            return self.abort(UnsupportedReason::UnknownClone);
        }
        let copy = self.allocate(Object { ty, hash: 0, zeroed, escaped: false, body })?;
        self.entry_cloned(object, copy)?;
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

    fn asked_instance(&mut self, object: ObjectId, ty: TypeIx) -> InterpResult<Slot> {
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
        let text = self.plain_text(name).map(|units| String::from_utf16_lossy(&units));
        let ty = match text.as_deref() {
            Some("boolean") => JavaType::Boolean,
            Some("byte") => JavaType::Byte,
            Some("char") => JavaType::Char,
            Some("short") => JavaType::Short,
            Some("int") => JavaType::Int,
            Some("long") => JavaType::Long,
            Some("float") => JavaType::Float,
            Some("double") => JavaType::Double,
            Some("void") => JavaType::Void,
            _ => return self.abort(UnsupportedReason::UnknownPrimitiveClass),
        };
        let ty = self.linked.type_ix(&ty);
        self.mirror(ty).map(Slot::reference)
    }

    fn array_of(&mut self, component: ObjectId, length: Slot) -> InterpResult<Slot> {
        let component = self.class_of_mirror(component)?;
        let element = self.linked.ty(component).clone();
        if element == JavaType::Void || length.as_int() < 0 || length.term.is_some() {
            return self.abort(UnsupportedReason::UnsupportedNewArray);
        }
        let ty = self.linked.type_ix(&JavaType::Array(Box::new(element)));
        self.new_array(ty, length.as_int() as u32).map(Slot::reference)
    }
}

fn truth(value: bool) -> Slot {
    Slot::int(i32::from(value))
}
