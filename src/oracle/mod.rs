//! The oracle: what a test states about what it saw. Flows in: a test case, what the classes are known to offer, observed executions;
//! flows out: an [`AssertedTest`]. Pure functions: nothing here runs a test, writes Java source or knows a clock.

mod kill;
mod observe;
mod accessibility;
mod boxes;
mod state;
mod text;

use crate::execution::Snapshot;
use crate::program::{ClassName, MethodRef};
use crate::testcase::{TestCase, VarId};

pub use accessibility::{Accessibility, is_identifier, is_reserved, test_package};
pub(crate) use boxes::{box_class, unboxed};
pub use kill::{Kills, MutantOutcome, mutant_outcome, select_assertions};
pub use observe::{Observed, instrument, observe, target_of};
pub use state::{Discard, StateOptions, assertions};
pub(crate) use text::as_literal;

/// A test case with what it asserts, ready to be printed as Java.
#[derive(Clone, Debug, PartialEq)]
pub struct AssertedTest {
    pub test: TestCase,
    /// The first so many statements are the test's own; those after them are inspectors, there for the assertions alone.
    pub acted: u32,
    /// In the order of the statements of their subjects.
    pub assertions: Vec<Assertion>,
    /// What the last statement throws.
    pub expected: Option<ExpectedException>,
    /// The method or constructor that the test is about: it names the test and its place in the file.
    pub target: Option<MethodRef>,
    /// A likely fault that the test shows (undeclared runtime exception, broken contract), in one phrase.
    pub fault: Option<String>,
}

/// One stated fact about the variable of one statement.
#[derive(Clone, Debug, PartialEq)]
pub struct Assertion {
    pub subject: VarId,
    pub fact: Fact,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Fact {
    Null,
    NotNull,
    /// Equal to a primitive, string, boxed primitive, enum constant or class literal, or to an array of such values (null
    /// included); of an array without `elements` only the length is stated.
    Equals(Snapshot),
    /// The very object of an earlier variable.
    SameAs(VarId),
    /// An instance of exactly this class; stated where nothing better is known of an object of a class that the method does not declare.
    InstanceOf(ClassName),
}

/// The exception that the last statement of a test throws.
#[derive(Clone, Debug, PartialEq)]
pub struct ExpectedException {
    /// The class to state: the thrown one or its nearest superclass that a test can name.
    pub class: ClassName,
    /// Only where it is stable and the project's own.
    pub message: Option<Vec<u16>>,
}
