//! Test cases: sequences of legal Java statements. Flows in: nothing; flows out: the value that
//! search, workers, replay, oracle and emission share, with its text form, its check and its edits.
//! Must not know how a test case is run or searched for.

mod check;
mod construction;
mod edit;
mod carved;
mod parts;
pub(crate) mod requests;
mod round_trip;
pub(crate) mod text;
mod wanted_types;

pub use carved::CarvedSequence;
#[cfg(test)]
pub(crate) use check::Flat;
pub use check::{Invalid, TypeSystem, check, fits, literal_type};
pub(crate) use construction::{Construction, Ingredient, Injected, Made, common_injections, most_common};
pub(crate) use round_trip::{OBJECT_INPUT, OBJECT_OUTPUT, RoundTrip};
pub(crate) use wanted_types::{declared_types, wanted_types};

use tracewright_classfile::PrimitiveType;

pub use crate::program::StubKind;
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
    /// A stub: an object whose methods return what the test says.
    Stub {
        /// The interface or abstract class; of a mock, any class that is not final.
        class: ClassName,
        /// How the object is made.
        kind: StubKind,
        /// The answers of its methods. Of two answers that match a call, the last one counts.
        answers: Vec<Answer>,
    },
}

/// What a method of a stub does.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Answer {
    /// The method.
    pub method: MethodRef,
    /// Arguments that a call must have, compared by `equals`; `None` matches any. Empty: every
    /// call.
    pub arguments: Vec<Option<VarId>>,
    /// In the order of calls; the last one repeats. Never empty.
    pub outcomes: Vec<AnswerOutcome>,
}

/// How one call of a stubbed method ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AnswerOutcome {
    /// It returns the value of the variable.
    Returns(VarId),
    /// It throws the exception that the variable holds.
    Throws(VarId),
}

impl Answer {
    /// An answer to every call of the method: the value of the variable.
    pub fn returning(method: MethodRef, value: VarId) -> Answer {
        Answer { method, arguments: Vec::new(), outcomes: vec![AnswerOutcome::Returns(value)] }
    }

    /// The variable that every call returns; `None` where arguments or the number of calls matter,
    /// or where a call throws.
    pub fn constant(&self) -> Option<VarId> {
        match (self.arguments.as_slice(), self.outcomes.as_slice()) {
            ([], [AnswerOutcome::Returns(value)]) => Some(*value),
            _ => None,
        }
    }

    /// The variables that it uses: arguments first, then outcomes.
    pub fn uses(&self) -> impl Iterator<Item = VarId> {
        self.arguments.iter().flatten().copied().chain(self.outcomes.iter().map(|outcome| outcome.variable()))
    }

    /// The same variables, so that they can be replaced.
    pub(crate) fn uses_mut(&mut self) -> impl Iterator<Item = &mut VarId> {
        self.arguments.iter_mut().flatten().chain(self.outcomes.iter_mut().map(AnswerOutcome::variable_mut))
    }
}

impl AnswerOutcome {
    /// The variable that is returned or thrown.
    pub fn variable(self) -> VarId {
        match self {
            AnswerOutcome::Returns(value) | AnswerOutcome::Throws(value) => value,
        }
    }

    fn variable_mut(&mut self) -> &mut VarId {
        match self {
            AnswerOutcome::Returns(value) | AnswerOutcome::Throws(value) => value,
        }
    }
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
    /// Whether it is the value of a field or cell that nothing was assigned to (JLS §4.12.5).
    pub(crate) fn is_zero(&self) -> bool {
        matches!(
            self,
            Literal::Null
                | Literal::Boolean(false)
                | Literal::Byte(0)
                | Literal::Char(0)
                | Literal::Short(0)
                | Literal::Int(0)
                | Literal::Long(0)
                | Literal::Float(0)
                | Literal::Double(0)
        )
    }

    /// The value of a field of the type that nothing was assigned to; `None` for types whose fields tests
    /// rarely set.
    pub(crate) fn zero_of(ty: &JavaType) -> Option<Literal> {
        Some(match ty {
            JavaType::Class(_) => Literal::Null,
            ty if *ty == JavaType::BOOLEAN => Literal::Boolean(false),
            ty if *ty == JavaType::INT => Literal::Int(0),
            ty if *ty == JavaType::LONG => Literal::Long(0),
            _ => return None,
        })
    }

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
