//! Test cases: sequences of legal Java statements. Flows in: nothing; flows out: the value that search, workers, replay, oracle and
//! emission share. Must not know how a test case is run or searched for.

mod check;
mod edit;
mod carved;
mod text;

pub use carved::CarvedSequence;
pub use check::{Invalid, TypeSystem, check, fits, literal_type};
pub(crate) use text::ParseError;

use crate::program::{ClassName, FieldRef, JavaType, MethodRef};

/// The variable that statement number `.0` of a test case defines.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct VarId(pub u32);

/// A sequence of statements. A statement uses only variables of statements before it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct TestCase {
    pub statements: Vec<Statement>,
}

/// One statement and the erased static type of the variable it defines (`Void`: none).
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Statement {
    pub kind: StatementKind,
    pub ty: JavaType,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum StatementKind {
    /// A literal that the test's own code writes.
    Literal(Literal),
    /// `new C(args)`.
    Construct { constructor: MethodRef, args: Vec<VarId> },
    /// A call; static when there is no receiver. `interface`: the owner is an interface.
    Call { method: MethodRef, interface: bool, receiver: Option<VarId>, args: Vec<VarId> },
    /// A field read; static (also: an enum constant) when there is no receiver.
    GetField { field: FieldRef, receiver: Option<VarId> },
    /// A field write.
    PutField { field: FieldRef, receiver: Option<VarId>, value: VarId },
    /// `new E[length]` whose first cells are set to the elements.
    Array { element: JavaType, length: u32, elements: Vec<VarId> },
    /// `array[index] = value`.
    PutElement { array: VarId, index: u32, value: VarId },
    /// An instance of any interface, or of an abstract class with a constructor without parameters: every abstract method returns
    /// its answer, or the default of its return type (0, false, null) where no answer is given. Emitted as a lambda or an anonymous class.
    /// `mocked`: an instance of a class no constructor of which runs and none of whose methods does what it says; without an answer
    /// they give what Mockito's `RETURNS_DEFAULTS` gives. Emitted as a Mockito mock.
    Stub { interface: ClassName, mocked: bool, answers: Vec<(MethodRef, VarId)> },
}

/// Literals. Floats compare by bits so that test cases can be compared and hashed.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Literal {
    Null,
    Boolean(bool),
    Byte(i8),
    Char(u16),
    Short(i16),
    Int(i32),
    Long(i64),
    /// Raw IEEE bits.
    Float(u32),
    /// Raw IEEE bits.
    Double(u64),
    /// UTF-16 code units; unpaired surrogates are possible.
    Str(Vec<u16>),
    Class(JavaType),
}
