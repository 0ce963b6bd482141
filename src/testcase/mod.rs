//! Test cases: sequences of legal Java statements. Flows in: nothing; flows out: the value that
//! search, workers, replay, oracle and emission share, with its text form, its check and its edits.
//! Must not know how a test case is run or searched for.

mod check;
mod edit;
mod carved;
mod text;

pub use carved::CarvedSequence;
pub use check::{Invalid, TypeSystem, check, fits, literal_type};

use tracewright_classfile::PrimitiveType;

use crate::program::{ClassName, FieldRef, JavaType, MethodRef};

/// The variable that statement number `.0` of a test case defines.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct VarId(pub u32);

/// A sequence of statements. A statement uses only variables of statements before it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct TestCase {
    /// In the order of execution.
    pub statements: Vec<Statement>,
}

/// The identity of a test case ([`TestCase::canonical_hash`]): equal for test cases with the same
/// behaviour.
///
/// Collisions are not checked, since comparing test cases would cost more than an execution. Among
/// a million test cases, the chance of one collision in 64 bits is below 10⁻⁷. Its effect is small:
/// one test case counts as another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TestHash(pub u64);

/// One statement and the erased static type of the variable it defines (`Void`: none).
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Statement {
    /// What the statement does.
    pub kind: StatementKind,
    /// The erased type of its variable.
    pub ty: JavaType,
}

/// What a statement does.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum StatementKind {
    /// A literal that the test's own code writes.
    Literal(Literal),
    /// `new C(args)`.
    Construct {
        /// The constructor.
        constructor: MethodRef,
        /// Its arguments.
        args: Vec<VarId>,
    },
    /// A call; static when there is no receiver. `interface`: the owner is an interface.
    Call {
        /// The method.
        method: MethodRef,
        /// Whether its owner is an interface.
        interface: bool,
        /// The receiver; `None` for a static method.
        receiver: Option<VarId>,
        /// Its arguments.
        args: Vec<VarId>,
    },
    /// A field read; static (also: an enum constant) when there is no receiver.
    GetField {
        /// The field.
        field: FieldRef,
        /// The object; `None` for a static field.
        receiver: Option<VarId>,
    },
    /// A field write.
    PutField {
        /// The field.
        field: FieldRef,
        /// The object; `None` for a static field.
        receiver: Option<VarId>,
        /// The new value.
        value: VarId,
    },
    /// `new E[length]` whose first cells are set to the elements.
    Array {
        /// Type of the cells.
        element: JavaType,
        /// Number of cells.
        length: u32,
        /// Values of the first cells.
        elements: Vec<VarId>,
    },
    /// `array[index] = value`.
    PutElement {
        /// The array.
        array: VarId,
        /// Index of the cell.
        index: u32,
        /// The new value.
        value: VarId,
    },
    /// A stub: an instance of an interface, or of an abstract class with a constructor without
    /// parameters. Every abstract method returns its answer, or the default of its return type (0,
    /// false, null). Emitted as a lambda or an anonymous class. `mocked`: a mock instead, an
    /// instance of a class of which no constructor and no method runs. Methods without an answer
    /// return what Mockito's `RETURNS_DEFAULTS` returns.
    Stub {
        /// The interface or abstract class; of a mock, any class.
        interface: ClassName,
        /// Whether it is a mock.
        mocked: bool,
        /// The answers by method.
        answers: Vec<(MethodRef, VarId)>,
    },
}

/// A literal. Floating-point numbers compare by bits, so that test cases can be compared and
/// hashed.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Literal {
    /// The null reference.
    Null,
    /// A `boolean`.
    Boolean(bool),
    /// A `byte`.
    Byte(i8),
    /// A `char`: one UTF-16 unit.
    Char(u16),
    /// A `short`.
    Short(i16),
    /// An `int`.
    Int(i32),
    /// A `long`.
    Long(i64),
    /// A `float` by its IEEE 754 bits.
    Float(u32),
    /// A `double` by its IEEE 754 bits.
    Double(u64),
    /// A string by its UTF-16 units; unpaired surrogates are possible.
    Str(Vec<u16>),
    /// A class literal.
    Class(JavaType),
}

impl Literal {
    /// The type of a primitive literal; `None` for null, strings and class literals.
    pub(crate) fn primitive(&self) -> Option<PrimitiveType> {
        Some(match self {
            Literal::Boolean(_) => PrimitiveType::Boolean,
            Literal::Byte(_) => PrimitiveType::Byte,
            Literal::Char(_) => PrimitiveType::Char,
            Literal::Short(_) => PrimitiveType::Short,
            Literal::Int(_) => PrimitiveType::Int,
            Literal::Long(_) => PrimitiveType::Long,
            Literal::Float(_) => PrimitiveType::Float,
            Literal::Double(_) => PrimitiveType::Double,
            Literal::Null | Literal::Str(_) | Literal::Class(_) => return None,
        })
    }
}
