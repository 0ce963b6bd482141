//! Every reason why the replay does not follow a value, a call or a path, with its text. In: the
//! places that give up; out: the keys of the maps in `ReplayStats`, which reports show to the user.
//! KLEE lists the ways a path can end in one table in the same manner. Must not know where a reason
//! is counted.

use std::borrow::Cow;

macro_rules! reasons {
    ($($(#[doc = $doc:literal])* $variant:ident => $text:literal,)*) => {
        /// Why a value, a call or a path is not followed. The variants with a payload name the
        /// member or limit concerned.
        #[derive(Clone, Debug, PartialEq, Eq)]
        pub(crate) enum UnsupportedReason {
            $($(#[doc = $doc])* $variant,)*
            /// A method, as `owner.name` or as a full reference: it is not modelled, and its code
            /// is not interpreted.
            Method(String),
            /// A static field whose value is unknown, as `owner.name`.
            StaticField(String),
            /// A limit of the replay, by its name.
            Limit(&'static str),
            /// An instruction refers to a position without an instruction.
            MissingInstruction(u32),
            /// A class file does not parse; the text is the parser's.
            MalformedClass(String),
        }

        impl UnsupportedReason {
            /// The key in reports.
            pub(crate) fn key(&self) -> Cow<'static, str> {
                match self {
                    $(UnsupportedReason::$variant => Cow::Borrowed($text),)*
                    UnsupportedReason::Method(name) | UnsupportedReason::MalformedClass(name) => Cow::Owned(name.clone()),
                    UnsupportedReason::StaticField(name) => Cow::Owned(format!("static {name}")),
                    UnsupportedReason::Limit(name) => Cow::Owned(format!("limit of {name}")),
                    UnsupportedReason::MissingInstruction(bci) => Cow::Owned(format!("no instruction at {bci}")),
                }
            }
        }

        /// All variants without a payload.
        #[cfg(test)]
        const ALL: &[UnsupportedReason] = &[$(UnsupportedReason::$variant,)*];
    };
}

reasons! {
    /// The program counter left the instructions of the method.
    EndOfCode => "execution past the end of the code",
    /// The caller's current instruction is no call.
    ReturnWithoutCall => "return to an instruction that is no call",
    /// The recording enters a method whose class file the program does not have.
    EntryOfMissingClass => "entry into a class that is not on the class path",
    /// A recorded reference names a class number without a name.
    UnannouncedClass => "class of a recorded reference was not announced",
    /// A dynamic constant of a primitive type was made in an earlier run.
    PrimitiveDynamicConstant => "dynamic constant of a primitive type",
    /// `arraylength` on an object that the replay does not keep as an array.
    LengthOfNonArray => "length of an object that is no array",
    /// An array instruction on an object that the replay does not keep as an array.
    ElementOfNonArray => "element of an object that is no array",
    /// An array instruction of another component type than the array's.
    ArrayKindMismatch => "array load of another component type",
    /// The switch table of an instruction is missing.
    MissingSwitchTable => "switch without a table",
    /// The recording does not decide an `instanceof` on an object of a hidden class.
    InstanceOfHiddenClass => "instanceof of a hidden class",
    /// A test case makes an array whose cells are not all kept.
    LongTestArray => "array of the test case above the limit",
    /// The JVM threw `StackOverflowError`.
    StackOverflow => "stack overflow",
    /// The JVM threw `OutOfMemoryError`.
    OutOfMemory => "out of memory",
    /// The agent's guard refused an operation of the run.
    Refused => "refused by the guard",
    /// The run ended because the JVM's stack or heap was exhausted.
    JvmExhausted => "stack or heap of the JVM exhausted",
    /// The run ended for another reason that lies outside the program.
    EndedFromOutside => "run ended from outside",
    /// Subroutines (JVMS §4.9.1) are not interpreted.
    Subroutine => "jsr or ret",
    /// `ldc` of a constant that is not loadable (JVMS §4.4).
    UnloadableConstant => "constant that cannot be loaded",
    /// The program no longer has the class of a method.
    MissingClass => "class file is missing",
    /// The class of a method no longer has it.
    MissingMethod => "method is missing from its class",
    /// The `Code` attribute of a method cannot be read.
    UnreadableCode => "code cannot be read",
    /// The trace sites of a class cannot be numbered.
    UnnumberedSites => "sites cannot be numbered",
    /// `newarray` names no primitive type.
    UnknownElementType => "unknown element type of newarray",
    /// An instruction uses a local variable above `max_locals`.
    LocalOutOfBounds => "local variable out of bounds",
    /// The arguments need more local variables than `max_locals`.
    ArgumentsOutOfBounds => "arguments do not fit the local variables",
    /// A descriptor does not follow JVMS §4.3.
    MalformedDescriptor => "malformed descriptor",
    /// Interpreted code executes an `invokedynamic` that is not modelled.
    InterpretedInvokeDynamic => "invokedynamic in interpreted code",
    /// A field cannot be resolved, or its value is unknown.
    UnknownField => "unknown field",
    /// A conversion between types of a lambda or method handle is unknown.
    UnknownConversion => "unknown conversion",
    /// The run-time class of a receiver is unknown.
    UnknownReceiverClass => "receiver of an unknown class",
    /// Interpreted code calls recorded code, but the recording has no entry here.
    UnenteredRecordedCode => "recorded code that the recording does not enter",
    /// Interpreted code reads a field of a `String` or `Class`.
    StringInternals => "inside of a string or class",
    /// Interpreted code reads a field of a string builder or matcher.
    BuilderInternals => "inside of a builder or matcher",
    /// A class initialiser branches on a value that depends on the environment.
    EnvironmentDependentInitialiser => "class initialiser that depends on the environment",
    /// A class initialiser reads a field of a class whose initialiser is running.
    CyclicInitialiser => "class initialiser that waits for another one",
    /// Interpreted code reads a static field of recorded code that is not known.
    RecordedStatic => "static field of recorded code",
    /// Interpreted code writes a static field outside a class initialiser.
    InterpretedStaticWrite => "static field written by interpreted code",
    /// Interpreted code reads a field or cell whose value is unknown.
    UnknownValue => "unknown heap value in interpreted code",
    /// A concatenation in interpreted code may call `toString` of recorded code.
    RecordedToString => "concatenation that calls recorded code",
    /// `Unsafe.arrayIndexScale` of a class that is no array class.
    ScaleOfNonArray => "array scale of a class that is no array",
    /// `Unsafe.compareAndSet` compares values of different sorts.
    SymbolicCompareAndSet => "compare-and-set on values without terms",
    /// `Unsafe` accesses memory that is no field or cell, or at a symbolic offset.
    UnknownMemory => "memory outside the heap or at a symbolic offset",
    /// `Unsafe` accesses a cell of an object that is no array.
    CellOfNonArray => "array cell of an object that is no array",
    /// `Unsafe` accesses array cells as another type, or between two cells.
    MixedCellAccess => "array cells accessed as another type",
    /// `Class.getSuperclass` of an array or primitive type.
    SuperclassOfNonClass => "superclass of a type that is no class",
    /// The class that a `Class` object represents is unknown.
    UnknownClass => "unknown class",
    /// `vectorizedMismatch` with a symbolic length.
    SymbolicArrayComparison => "comparison of arrays of symbolic length",
    /// A string method of the JDK calls recorded code.
    RecordedText => "string method that calls recorded code",
    /// The recording does not tell the identity hash of an object.
    UnknownIdentityHash => "unknown identity hash",
    /// `Object.clone` of an object whose fields or cells are not all known.
    UnknownClone => "clone of a partly known object",
    /// The run-time class of an object is unknown.
    UnknownObjectClass => "object of an unknown class",
    /// `desiredAssertionStatus` of a class outside the JDK depends on JVM options.
    LibraryAssertions => "assertion status of a library",
    /// `Class.getPrimitiveClass` with an unknown name.
    UnknownPrimitiveClass => "unknown primitive class",
    /// `Array.newArray` with `void`, a negative or a symbolic length.
    UnsupportedNewArray => "array of void, negative or symbolic length",
    /// The run-time class of an object is unknown to interpreted code.
    InstanceOfUnknownClass => "instanceof of an unknown class",
    /// The bit pattern of a NaN depends on the processor.
    NanBits => "bits of a NaN",
    /// A limit of `InterpretationLimits` was reached.
    InterpretationBudget => "limit of interpretation",
    /// The method failed before, and the attempt is skipped.
    RepeatedFailure => "method failed repeatedly",
    /// The recording ends before the call returns.
    RecordingEndsInCall => "recording ends in the call",
    /// The interpreted result differs from the recorded one.
    ResultMismatch => "result differs from the recorded one",
    /// Recorded code that was called back took another path.
    PathMismatch => "path differs from the recorded one",
    /// The shared heap is full.
    SharedObjectLimit => "limit of shared objects",
    /// Class initialisers are nested too deeply.
    InitialiserDepth => "limit of nested class initialisers",
    /// Several lambdas with different captured terms fit one callback.
    AmbiguousLambda => "captured by one of several lambdas",
    /// Opaque code takes the result of recorded code.
    CallbackResult => "result of a callback",
    /// A reference comparison with a shared object that has no access path.
    IdentityOfNonInput => "identity of an object that is no input",
    /// A reference comparison of boxes depends on where they were made.
    BoxIdentity => "identity of a box",
    /// A reference comparison of computed strings depends on their contents.
    StringIdentity => "identity of a string",
    /// An array of the entry heap is longer than the limit.
    LongArray => "long array",
    /// An identity hash is not a function of the inputs.
    IdentityHash => "identity hash",
    /// Opaque code may have changed an entry value before its first read.
    ChangedByOpaqueCode => "value possibly changed by opaque code",
    /// An access path has more steps than `ReplayConfig::steps`.
    LongAccessPath => "a long access path",
    /// The contents of a string or builder are unknown.
    UnknownString => "unknown string contents",
    /// A shared object that no static field names.
    SharedObject => "object of the library without a name",
    /// A string of the entry heap is longer than the limit.
    LongString => "long string",
    /// The behaviour of a stub is no input.
    Stub => "stub",
    /// The behaviour of a lambda is no input.
    Lambda => "lambda",
    /// The contents of a pattern or matcher are no inputs.
    RegularExpression => "regular expression",
    /// A `Class` is no input.
    ClassObject => "class object",
    /// The fields of an object of a hidden class are no inputs.
    HiddenClassObject => "object of a hidden class",
    /// A literal is longer than `ReplayConfig::longest_text`.
    LongStringLiteral => "a long string literal",
    /// Whether a label of a pattern switch matches is unknown.
    PatternSwitch => "pattern switch",
    /// Positions or length of a copy are symbolic.
    ArrayCopy => "java/lang/System.arraycopy",
    /// The terms of a computed string exceed the limits.
    LargeString => "string terms above the limit",
    /// The index of a character is symbolic.
    SymbolicStringIndex => "symbolic index into a string",
    /// Floating-point terms are switched off.
    FloatingPoint => "floating-point operation",
    /// The contents of a builder have no terms any more.
    BuilderContents => "contents of a builder",
    /// The bits of a floating-point number have no term.
    FloatHash => "hash of a floating-point number",
    /// The hash of a string has no term.
    StringHash => "hash of a string",
    /// The decimal digits of a floating-point number have no term.
    FloatDigits => "digits of a floating-point number",
    /// Several operands of a concatenation are unknown.
    UnknownConcatenation => "concatenation with unknown strings",
    /// The terms of a concatenation exceed the limits.
    LongConcatenation => "long concatenation",
    /// A term exceeds `ReplayConfig::term_size` or mentions hundreds of inputs.
    LargeTerm => "term above the size limit",
    /// A switch has more keys than `ReplayConfig::switch_keys`.
    ManySwitchKeys => "switch keys above the limit",
    /// An array access at a symbolic index that is no choice between known cells.
    SymbolicIndex => "symbolic array index",
}

/// Key of instructions whose results were taken from the recording because the heap value was
/// unknown.
pub(crate) const UNKNOWN_HEAP_VALUE: &str = "unknown heap value";

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn keys_are_distinct() {
        let keys: BTreeSet<_> = ALL.iter().map(UnsupportedReason::key).collect();
        assert_eq!(keys.len(), ALL.len());
    }

    #[test]
    fn limits_and_static_fields_are_named() {
        assert_eq!(UnsupportedReason::Limit("frames").key(), "limit of frames");
        assert_eq!(UnsupportedReason::StaticField("a/B.c".into()).key(), "static a/B.c");
    }
}
