//! The plain data of executions: the class under test with its probes, and the result of running one test case. Flows in: nothing;
//! flows out: types that `jvm` fills and that `search`, `oracle` and `emit` read. Must not know how a test case is run.

use crate::program::{ClassName, JavaType};
use crate::testcase::Literal;

/// A class whose branches and lines are counted, with the numbers of its first branch slot and line slot (see `docs/formats/trace.md`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TargetClass {
    pub name: ClassName,
    pub branch_base: u32,
    pub line_base: u32,
}

/// How an execution ended. One table of every way.
#[derive(Clone, Debug, PartialEq)]
pub enum RunEnd {
    /// Every statement ran.
    Completed,
    /// A statement threw; the ones after it did not run.
    Threw { statement: u32, thrown: Thrown },
    /// The event budget was used up in this statement (endless loop or recursion of probes).
    Budget { statement: u32 },
    /// Wall-clock limit of one execution: the thread was stopped or the worker killed.
    Timeout { statement: u32 },
    /// The guard refused something (`Runtime.exit`, writing a file, ...); never emitted as a test.
    Refused { statement: u32, what: String },
    /// Stack overflow or heap exhaustion inside the statement: outcome depends on the machine, never emitted.
    Exhausted { statement: u32, what: String },
    /// The worker JVM died while it ran this test case (native crash, kill).
    Died,
    /// The deadline of the worker came before its turn, or cut it short: nothing is known about it.
    Unrun,
    /// The runner could not perform a statement as written (access, linkage, class cast of an argument): a fault of the test case.
    Illegal { statement: u32, why: String },
}

impl RunEnd {
    /// The statement in which it ended, where it did not come to the end of the test case and that is known.
    pub(crate) fn statement(&self) -> Option<u32> {
        match self {
            RunEnd::Completed | RunEnd::Died | RunEnd::Unrun => None,
            RunEnd::Threw { statement, .. }
            | RunEnd::Budget { statement }
            | RunEnd::Timeout { statement }
            | RunEnd::Refused { statement, .. }
            | RunEnd::Exhausted { statement, .. }
            | RunEnd::Illegal { statement, .. } => Some(*statement),
        }
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct Thrown {
    pub class: ClassName,
    pub message: Option<Vec<u16>>,
    /// Thrown by the class under test's own code (the innermost frame that is not the JDK's lies in the project) rather than by the runner.
    pub in_project: bool,
    /// The frames of the exception, innermost first, at most 8: class, method name, line.
    pub frames: Vec<(ClassName, String, i32)>,
}

/// The value of a variable as far as an assertion can state it.
#[derive(Clone, Debug, PartialEq)]
pub enum Snapshot {
    /// The statement did not run, or gives nothing.
    Absent,
    Null,
    Boolean(bool),
    Byte(i8),
    Char(u16),
    Short(i16),
    Int(i32),
    Long(i64),
    Float(u32),
    Double(u64),
    /// UTF-16 code units, whole; `None` when longer than the bound.
    Str(Option<Vec<u16>>),
    /// A boxed primitive.
    Boxed(Box<Snapshot>),
    Enum {
        class: ClassName,
        constant: String,
    },
    ClassLiteral(JavaType),
    /// Arrays up to a bound; `elements` is `None` when longer.
    Array {
        element: JavaType,
        length: u32,
        elements: Option<Vec<Snapshot>>,
    },
    /// Another object: its run-time class; the first variable that holds the same object, if an earlier one does;
    /// sizes of collections and maps; `to_string` when the class overrides `toString` and its text has no identity hash.
    Object {
        class: ClassName,
        same_as: Option<u32>,
        size: Option<u32>,
        to_string: Option<Vec<u16>>,
    },
}

/// AnnouncedClasses of values, returned or given, that deserve a test of their own. The runner tells them without calling code under test.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ValueClass {
    True,
    False,
    Negative,
    Zero,
    Positive,
    NotANumber,
    Null,
    /// No characters, elements or value: strings, arrays, collections of the JDK, optionals.
    Empty,
    Present,
}

impl ValueClass {
    /// `None` for a class literal: it is what it is.
    pub(crate) fn of_literal(literal: &Literal) -> Option<ValueClass> {
        let number = |value: f64| {
            if value.is_nan() {
                ValueClass::NotANumber
            } else if value == 0.0 {
                ValueClass::Zero
            } else if value < 0.0 {
                ValueClass::Negative
            } else {
                ValueClass::Positive
            }
        };
        Some(match literal {
            Literal::Null => ValueClass::Null,
            Literal::Boolean(true) => ValueClass::True,
            Literal::Boolean(false) => ValueClass::False,
            Literal::Byte(value) => number(f64::from(*value)),
            Literal::Short(value) => number(f64::from(*value)),
            Literal::Char(value) => number(f64::from(*value)),
            Literal::Int(value) => number(f64::from(*value)),
            Literal::Long(value) => number(*value as f64),
            Literal::Float(bits) => number(f32::from_bits(*bits).into()),
            Literal::Double(bits) => number(f64::from_bits(*bits)),
            Literal::Str(units) if units.is_empty() => ValueClass::Empty,
            Literal::Str(_) => ValueClass::Present,
            Literal::Class(_) => return None,
        })
    }

    /// In the order of the runner's numbers, which begin with 1.
    pub(crate) const ALL: [ValueClass; 9] = {
        use ValueClass::*;
        [True, False, Negative, Zero, Positive, NotANumber, Null, Empty, Present]
    };
}

/// One execution of one test case under search probes.
#[derive(Clone, Debug, PartialEq)]
pub struct Execution {
    pub end: RunEnd,
    /// Branch slots that were reached, ascending, with the least distance seen (see `docs/formats/trace.md`).
    pub branches: Vec<(u32, f64)>,
    /// Line slots that were executed, ascending.
    pub lines: Vec<u32>,
    /// One a statement when observation was asked for, else empty. Taken right after the statement.
    pub snapshots: Vec<Snapshot>,
    /// Taken again at the end of the execution, for arrays and objects that later statements may have changed.
    pub final_snapshots: Vec<Snapshot>,
    /// Run-time class of each statement's result (`None`: null, primitive, not run).
    pub classes: Vec<Option<JavaType>>,
    /// Class of each statement's result (`None`: void, not run).
    pub outputs: Vec<Option<ValueClass>>,
    /// Strings the code under test compared something with, seen in this run.
    pub seen_strings: Vec<Vec<u16>>,
    /// Output or behaviour that makes the run unfit as a test (`started a thread`, `wrote to standard output` is not one).
    pub left_running: bool,
}
