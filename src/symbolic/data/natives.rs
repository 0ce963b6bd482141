//! The table of JDK methods that the interpreter runs itself, and the effects of other JDK methods.
//! In: method references; out: tags. Must not know the machine.

use super::super::data::ids::SlotKind;
use crate::program::MethodRef;

/// A JDK method that the interpreter runs itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Native {
    /// A method without observable effect.
    Nothing,
    /// Returns its receiver or first argument.
    First,
    False,
    ZeroLong,
    /// The identity hash, where the recording tells it.
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
    /// Conversions between floating-point numbers and their bits.
    SameBits,
    /// Compares nothing, so that the loop behind the intrinsic compares every element.
    VectorizedMismatch,
    StringHashCode,
    StringToCharArray,
    /// A string of unknown contents, mostly a message of an exception. Only in interpreted code.
    UnknownString,
    /// Appends unknown contents to a string builder. Only in interpreted code.
    UnknownAppend,
    Unsafe(UnsafeMethod),
}

impl Native {
    /// Whether the method has no observable effect.
    pub(crate) fn does_nothing(self) -> bool {
        self == Native::Nothing
    }

    /// Whether it is valid in interpreted code only: recorded code has a better result in the
    /// recording.
    pub(crate) fn is_inner(self) -> bool {
        matches!(self, Native::UnknownString | Native::UnknownAppend)
    }
}

/// The tag of a method; `None`: its bytecode is interpreted.
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
            Native::UnknownString
        }
        ("java/lang/StringBuilder" | "java/lang/StringBuffer" | "java/lang/AbstractStringBuilder", "toString") => {
            Native::UnknownString
        }
        ("java/lang/StringBuilder" | "java/lang/StringBuffer" | "java/lang/AbstractStringBuilder", "append" | "<init>") => {
            Native::UnknownAppend
        }
        ("java/lang/Integer" | "java/lang/Long", "toString" | "toHexString" | "toBinaryString") => Native::UnknownString,
        ("java/lang/Class", "getName" | "getSimpleName" | "getTypeName") => Native::UnknownString,
        _ => return unsafe_method(method).map(Native::Unsafe),
    })
}

/// Whether a method's code must not be interpreted: it needs the inside of strings or classes, or
/// the JVM replaces it by an intrinsic.
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
        // Intrinsics may differ in the last bit.
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

/// Whether a call probably leaves its receiver unchanged, by its name. A wrong guess shows at the
/// next comparison.
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

/// Whether an opaque call of the method changes no object.
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

/// An operation of `jdk.internal.misc.Unsafe`, with the kind of the variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum UnsafeMethod {
    FieldOffset,
    ArrayBase,
    ArrayScale,
    Get(SlotKind),
    Put(SlotKind),
    /// `compareAndSet`.
    Swap(SlotKind),
    Fence,
}

/// The operation of a method of `jdk.internal.misc.Unsafe`.
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
