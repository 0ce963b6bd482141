//! Methods of the JDK that have no bytecode, or whose bytecode works on what the replay keeps in another form: what interpreted code needs
//! of them. Each says all that the JVM would do, or that it cannot. Must not know how calls are made.

use tracewright_trace::Event;

use super::linked::{MethodIx, SlotKind, TypeIx};
use super::machine::{Completion, InterpResult, Machine};
use super::objects::{Array, Object, ObjectBody, ObjectId, Slot, StringContents};
use super::reason::UnsupportedReason;
use super::unsafe_memory::{UnsafeMethod, unsafe_method};
use crate::program::{ClassOrigin, JavaType, MethodRef};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Native {
    /// Nothing that anyone sees.
    Nothing,
    /// Gives its receiver or first argument.
    First,
    False,
    ZeroLong,
    /// The identity hash, where the recording has told it.
    IdentityHash,
    Clone,
    IsInstance,
    IsAssignableFrom,
    DesiredAssertionStatus,
    ComponentType,
    Superclass,
    IsArray,
    IsPrimitive,
    IsInterface,
    PrimitiveClass,
    NewArray,
    ArrayLength,
    /// Bits of a float or double, and back.
    SameBits,
    /// What compares nothing leaves it all to the loop that follows.
    VectorizedMismatch,
    StringHashCode,
    StringToCharArray,
    /// A text of which nothing is known but that it is one: mostly the message of an exception. Only inside of library code.
    SomeText,
    /// More text for a builder of which nothing is known. Only inside of library code.
    MoreText,
    Unsafe(UnsafeMethod),
}

impl Native {
    pub(crate) fn does_nothing(self) -> bool {
        self == Native::Nothing
    }

    /// Whether recorded code that calls it learns more from the recording.
    pub(crate) fn is_inner(self) -> bool {
        matches!(self, Native::SomeText | Native::MoreText)
    }
}

pub(crate) fn native_of(method: &MethodRef) -> Option<Native> {
    let descriptor: &str = &method.descriptor;
    Some(match (method.owner.internal(), &*method.name) {
        ("java/lang/Object", "<init>") => Native::Nothing,
        (_, "registerNatives" | "initIDs") if descriptor == "()V" => Native::Nothing,
        ("jdk/internal/misc/CDS", "initializeFromArchive") => Native::Nothing,
        ("jdk/internal/misc/CDS", "getRandomSeedForDumping") => Native::ZeroLong,
        ("jdk/internal/misc/CDS", name) if name.starts_with("is") && descriptor == "()Z" => Native::False,
        ("java/lang/Throwable", "fillInStackTrace") => Native::First,
        ("java/lang/Object", "hashCode") | ("java/lang/System", "identityHashCode") => Native::IdentityHash,
        ("java/lang/Object", "clone") => Native::Clone,
        ("java/lang/Class", "isInstance") => Native::IsInstance,
        ("java/lang/Class", "isAssignableFrom") => Native::IsAssignableFrom,
        ("java/lang/Class", "desiredAssertionStatus") => Native::DesiredAssertionStatus,
        ("java/lang/Class", "getComponentType") => Native::ComponentType,
        ("java/lang/Class", "getSuperclass") => Native::Superclass,
        ("java/lang/Class", "isArray") => Native::IsArray,
        ("java/lang/Class", "isPrimitive") => Native::IsPrimitive,
        ("java/lang/Class", "isInterface") => Native::IsInterface,
        ("java/lang/Class", "getPrimitiveClass") => Native::PrimitiveClass,
        ("java/lang/reflect/Array", "newArray") => Native::NewArray,
        ("java/lang/reflect/Array", "getLength") => Native::ArrayLength,
        ("java/lang/Float", "floatToRawIntBits" | "intBitsToFloat") => Native::SameBits,
        ("java/lang/Double", "doubleToRawLongBits" | "longBitsToDouble") => Native::SameBits,
        ("jdk/internal/util/ArraysSupport", "vectorizedMismatch") => Native::VectorizedMismatch,
        ("java/lang/String", "hashCode") => Native::StringHashCode,
        ("java/lang/String", "toCharArray") => Native::StringToCharArray,
        ("java/lang/String", "format" | "formatted" | "valueOf" | "copyValueOf" | "concat" | "join" | "repeat") => {
            Native::SomeText
        }
        ("java/lang/StringBuilder" | "java/lang/StringBuffer" | "java/lang/AbstractStringBuilder", "toString") => {
            Native::SomeText
        }
        ("java/lang/StringBuilder" | "java/lang/StringBuffer" | "java/lang/AbstractStringBuilder", "append" | "<init>") => {
            Native::MoreText
        }
        ("java/lang/Integer" | "java/lang/Long", "toString" | "toHexString" | "toBinaryString") => Native::SomeText,
        ("java/lang/Class", "getName" | "getSimpleName" | "getTypeName") => Native::SomeText,
        _ => return unsafe_method(method).map(Native::Unsafe),
    })
}

/// Whether a method's own code is not to be interpreted: it works on the inside of strings, or the JVM has something else in its place.
pub(crate) fn is_closed(method: &MethodRef) -> bool {
    match method.owner.internal() {
        "java/lang/String"
        | "java/lang/StringBuilder"
        | "java/lang/StringBuffer"
        | "java/lang/AbstractStringBuilder"
        | "java/lang/StringLatin1"
        | "java/lang/StringUTF16"
        | "java/lang/StringCoding"
        | "java/lang/StringConcatHelper"
        | "java/lang/System"
        | "java/lang/Thread"
        | "java/lang/Class"
        | "java/lang/ClassLoader" => true,
        // The JVM's own versions may differ in the last place.
        "java/lang/Math" | "java/lang/StrictMath" => matches!(
            &*method.name,
            "sin"
                | "cos"
                | "tan"
                | "asin"
                | "acos"
                | "atan"
                | "atan2"
                | "sinh"
                | "cosh"
                | "tanh"
                | "exp"
                | "expm1"
                | "log"
                | "log10"
                | "log1p"
                | "pow"
                | "cbrt"
                | "hypot"
                | "fma"
        ),
        _ => false,
    }
}

/// Whether a call, by the habits of names, leaves its receiver as it is. A wrong guess shows at the next check.
pub(crate) fn only_asks(method: &MethodRef) -> bool {
    let name: &str = &method.name;
    let begins =
        ["get", "is", "has", "contains", "to", "index", "lastIndex", "stream", "compare", "equals", "peek", "first", "last"];
    begins.iter().any(|beginning| name.starts_with(beginning))
        || matches!(
            name,
            "size" | "length" | "iterator" | "entrySet" | "keySet" | "values" | "forEach" | "name" | "ordinal" | "spliterator"
        )
}

/// Whether a method, taken opaquely, can change no object that it is given or that others hold.
pub(crate) fn changes_nothing(method: &MethodRef) -> bool {
    match method.owner.internal() {
        "java/lang/String" | "java/lang/StringBuilder" | "java/lang/StringBuffer" => {
            !matches!(&*method.name, "getChars" | "getBytes")
        }
        "java/lang/Math"
        | "java/lang/StrictMath"
        | "java/lang/Character"
        | "java/lang/Integer"
        | "java/lang/Long"
        | "java/lang/Short"
        | "java/lang/Byte"
        | "java/lang/Boolean"
        | "java/lang/Float"
        | "java/lang/Double"
        | "java/io/PrintStream" => true,
        "java/lang/System" => matches!(&*method.name, "currentTimeMillis" | "nanoTime" | "getProperty" | "lineSeparator"),
        _ => false,
    }
}

impl Machine<'_, '_> {
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
                // It may ask recorded code for its text.
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

    /// The text of a string that no input has a say in.
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

    /// Off in the JDK; elsewhere the JVM's options say.
    fn assertions(&mut self, mirror: ObjectId) -> InterpResult<Slot> {
        let ty = self.class_of_mirror(mirror)?;
        match self.linked.model(ty) {
            Some(model) if model.origin == ClassOrigin::Jdk => Ok(Slot::ZERO),
            _ if self.initialiser_depth > 0 => Ok(self.environment_dependent_value(SlotKind::Boolean)),
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
