//! The plain data of executions: the classes under test with the numbers of their probes, and the
//! result of running one test case. Flows in: nothing; flows out: types that `jvm` fills and that
//! `search`, `oracle` and `emit` read. Must not know how a test case is run.

mod failed_assertion;
mod unused_answers;

use std::collections::BTreeSet;
use std::time::Duration;

pub use failed_assertion::{FailedAssertion, FoundValue};
pub use tracewright_classfile::MutantId;
use tracewright_trace::{BranchSlot, LineSlot};
pub(crate) use unused_answers::drop_unused_answers;

use crate::program::{ClassName, JavaType, MethodRef};
use crate::testcase::{Literal, VarId};

/// How the messages begin that the JVM writes for nulls (JEP 358).
const HELPFUL: &str = "Cannot ";
/// What a message contains that wraps such an exception.
const WRAPPED_NULL: &str = "java.lang.NullPointerException: Cannot ";
/// How the messages of java.time begin for what is before or after all that it can express. A month or a
/// day that does not exist has another message: a class may well rely on that check.
const OUT_OF_RANGE: [&str; 4] = ["Invalid value for Year ", "Invalid value for EpochDay ", "Instant exceeds ", "Field Year"];
/// How the messages begin of the checks that the Kotlin compiler adds for parameters.
pub(crate) const KOTLIN_CHECK: &str = "Parameter specified as non-null is null";

/// A class whose branches and lines are counted (see `docs/formats/trace.md` for the slots).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TargetClass {
    /// The class.
    pub name: ClassName,
    /// Its first branch slot.
    pub branch_base: BranchSlot,
    /// Its first line slot.
    pub line_base: LineSlot,
}

/// Index of a test case in the batch that it is executed with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TestIndex(pub u32);

impl TestIndex {
    /// Index into tables by test case.
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

/// One execution that a worker with mutants is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MutantRun {
    /// The test case.
    pub test: TestIndex,
    /// The mutant that is switched on; `None`: the unchanged class.
    pub mutant: Option<MutantId>,
}

/// What an execution without a mutant did to one mutant, as the worker writes it: two times the id,
/// and one more if the mutant was infected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct MutantMark(pub(crate) u32);

impl MutantMark {
    /// The mutant, which was reached.
    pub(crate) fn mutant(self) -> MutantId {
        MutantId(self.0 / 2)
    }

    /// Whether the mutated instruction would have given another value.
    pub(crate) fn is_infected(self) -> bool {
        self.0 % 2 == 1
    }
}

/// How an execution ended. `statement` is the index of the statement that ended it.
#[derive(Clone, Debug, PartialEq)]
pub enum RunEnd {
    /// Every statement ran.
    Completed,
    /// A statement threw an exception. Later statements did not run.
    Threw {
        /// Index of the statement.
        statement: u32,
        /// The exception.
        thrown: Thrown,
    },
    /// The statement exceeded the event budget: an endless loop or recursion.
    Budget {
        /// Index of the statement.
        statement: u32,
    },
    /// The execution exceeded its time limit. The thread was stopped, or the worker killed.
    Timeout {
        /// Index of the statement.
        statement: u32,
    },
    /// The guard refused a call (`Runtime.exit`, writing a file, ...). Never emitted as a test.
    Refused {
        /// Index of the statement.
        statement: u32,
        /// The refused operation and its arguments.
        what: String,
    },
    /// The stack overflowed or the heap was exhausted. The result depends on the machine; never
    /// emitted as a test.
    Exhausted {
        /// Index of the statement.
        statement: u32,
        /// The error of the JVM.
        what: String,
    },
    /// The worker JVM died during the execution (native crash, kill).
    Died,
    /// The deadline of the worker came before the end of the execution. Nothing is known about it.
    Unrun,
    /// The runner could not execute the statement (access, linkage, class of an argument): a fault
    /// of the test case.
    Illegal {
        /// Index of the statement.
        statement: u32,
        /// The reason, one clause.
        why: String,
    },
}

impl RunEnd {
    /// Index of the statement that ended the execution; `None` where every statement ran or none is
    /// known.
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

/// An exception that a statement threw.
#[derive(Clone, Debug, PartialEq)]
pub struct Thrown {
    /// Its run-time class.
    pub class: ClassName,
    /// Its message in UTF-16 units.
    pub message: Option<Vec<u16>>,
    /// Code of the project threw it: the innermost frame outside of the JDK is of a project class, and
    /// it is no error of linking.
    pub in_project: bool,
    /// The innermost frames, at most 8, innermost first: class, method name, line.
    pub frames: Vec<(ClassName, String, i32)>,
}

/// Whether checks for null or for a class throw exceptions of this class.
pub(crate) fn is_of_check(class: &ClassName) -> bool {
    matches!(class.internal(), "java/lang/NullPointerException" | "java/lang/ClassCastException")
}

/// Whether instructions throw exceptions of this class for an index.
pub(crate) fn is_of_index(class: &ClassName) -> bool {
    class.internal() == "java/lang/ArrayIndexOutOfBoundsException"
}

/// Whether instructions throw exceptions of this class for the length of an array.
pub(crate) fn is_of_length(class: &ClassName) -> bool {
    class.internal() == "java/lang/NegativeArraySizeException"
}

impl Thrown {
    /// Whether it is of a class that checks for null or for a class throw.
    pub(crate) fn is_of_check(&self) -> bool {
        is_of_check(&self.class)
    }

    /// Its message; empty where it has none.
    fn message_text(&self) -> String {
        self.message.as_ref().map(|units| String::from_utf16_lossy(units)).unwrap_or_default()
    }

    /// Whether an instruction of a program threw it for a number: an index, a length or a divisor (JVMS §6.5). Code
    /// that throws such an exception itself writes another message.
    pub(crate) fn is_of_instruction(&self) -> bool {
        let message = self.message_text();
        let is_about_number = match self.class.internal() {
            _ if is_of_index(&self.class) => message.starts_with("Index ") && message.contains(" for length "),
            _ if is_of_length(&self.class) => message.parse::<i32>().is_ok(),
            "java/lang/ArithmeticException" => message == "/ by zero",
            _ => false,
        };
        is_about_number && self.frames.first().is_some_and(|(class, ..)| !is_of_jdk(class))
    }

    /// Whether it only shows that code used a null, an object of another class than its casts ask for,
    /// or a date that no caller has, without a check. No contract of the class says so.
    pub(crate) fn is_unchecked(&self) -> bool {
        self.is_unchecked_null() || self.is_failed_cast() || self.is_date_out_of_range()
    }

    /// Whether the JVM or the JDK threw it for a size or an index that code did not check: an accident of how the code
    /// is written, and no contract of the class.
    pub(crate) fn is_accident(&self) -> bool {
        let message = self.message_text();
        match self.class.internal() {
            "java/lang/NegativeArraySizeException" => message.parse::<i64>().is_ok(),
            "java/lang/ArrayStoreException" => self.frames.first().is_some_and(|(class, ..)| is_of_jdk(class)),
            "java/lang/ArrayIndexOutOfBoundsException" | "java/lang/StringIndexOutOfBoundsException" => {
                let is_jvm = message.contains("out of bounds for length") || message.starts_with("arraycopy: ");
                is_jvm || self.frames.first().is_some_and(|(class, ..)| is_of_jdk(class))
            }
            _ => false,
        }
    }

    /// Whether the JDK threw it for a year or an instant that it cannot express. No class checks for
    /// that, and no caller has such dates.
    fn is_date_out_of_range(&self) -> bool {
        let message = self.message_text();
        let is_range = match self.class.internal() {
            "java/time/DateTimeException" => OUT_OF_RANGE.iter().any(|range| message.starts_with(range)),
            class => class == "java/lang/ArithmeticException",
        };
        let thrower = self.frames.iter().find(|(class, ..)| class.internal() != "java/lang/Math");
        is_range && thrower.is_some_and(|(class, ..)| class.internal().starts_with("java/time/"))
    }

    /// Whether the JVM or `Class.cast` threw it for an object of another class. Code that throws such
    /// an exception itself writes another message.
    fn is_failed_cast(&self) -> bool {
        let message = self.message.as_ref().map(|units| String::from_utf16_lossy(units));
        let is_cast = |message: String| {
            let by_jvm = message.starts_with("class ") && message.contains(" cannot be cast to class ");
            by_jvm || message.starts_with("Cannot cast ")
        };
        // The JVM gives an exception that it throws often neither a message nor frames.
        self.class.internal() == "java/lang/ClassCastException" && message.is_none_or(is_cast)
    }

    /// Whether code used a null without checking it. The exception is a `NullPointerException`, or
    /// wraps one after a request. A check is a `throw` outside the JDK, or a call of
    /// `Objects.requireNonNull` from there. A check that the Kotlin compiler adds does not
    /// count: Kotlin code cannot pass a null there.
    fn is_unchecked_null(&self) -> bool {
        let message = self.message_text();
        if self.class.internal() != "java/lang/NullPointerException" {
            return message.contains(WRAPPED_NULL);
        }
        let is_check =
            |class: &ClassName, method: &str| class.internal() == "java/util/Objects" && method.starts_with("requireNonNull");
        let checked_by = self.frames.iter().find(|(class, method, _)| !is_check(class, method));
        let is_of_compiler = message.starts_with(HELPFUL) || message.starts_with(KOTLIN_CHECK);
        is_of_compiler || checked_by.is_none_or(|(class, ..)| is_of_jdk(class))
    }
}

/// Whether the class belongs to the JDK, by its package.
pub(crate) fn is_of_jdk(class: &ClassName) -> bool {
    ["java/", "javax/", "jdk/", "sun/", "com/sun/"].iter().any(|package| class.internal().starts_with(package))
}

/// The value of a variable, as far as an assertion can state it.
#[derive(Clone, Debug, PartialEq)]
pub enum Snapshot {
    /// The statement did not run, or has no value.
    Absent,
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
    /// A string in UTF-16 units; `None` for one that is longer than the limit of the runner.
    Str(Option<Vec<u16>>),
    /// A boxed primitive.
    Boxed(Box<Snapshot>),
    /// An enum constant: its run-time class and its name. Inside another object, also an object that a static final
    /// field of its own class holds, and the name of the field.
    Enum {
        /// Run-time class.
        class: ClassName,
        /// Name of the constant.
        constant: String,
    },
    /// A `Class` object.
    ClassLiteral(JavaType),
    /// An array.
    Array {
        /// Type of the cells.
        element: JavaType,
        /// Number of cells.
        length: u32,
        /// The cells; `None` for an array that is longer than the limit of the runner.
        elements: Option<Vec<Snapshot>>,
    },
    /// Another object.
    Object {
        /// Run-time class.
        class: ClassName,
        /// Index of the first variable that holds the same object, if an earlier one does.
        same_as: Option<u32>,
        /// Number of elements of a collection or map.
        size: Option<u32>,
        /// The contents of a container or value of the JDK or of a record, if plain values say all of
        /// them.
        contents: Option<HeldValues>,
        /// The result of `toString` in UTF-16 units, if the class overrides it, the text holds no
        /// identity hash and `contents` is missing.
        to_string: Option<Vec<u16>>,
    },
    /// What an assertion states of an object with `contents`.
    Container(HeldValues),
}

/// What an object holds whose `equals` compares contents: strings, boxed primitives, constants of enums and of
/// other classes, class literals and nulls, or objects that hold only these.
#[derive(Clone, Debug, PartialEq)]
pub struct HeldValues {
    /// What the object is.
    pub kind: ContainerKind,
    /// The elements; keys and values of a map in turn; the components of a record; the text of a value.
    /// Those of sets and maps are sorted.
    pub elements: Vec<Snapshot>,
}

/// A type whose instances are equal where their contents are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ContainerKind {
    /// `java.util.List`
    List,
    /// `java.util.Set`
    Set,
    /// `java.util.Map`
    Map,
    /// `java.util.Optional`
    Optional,
    /// A record, or an instance of a data class of Kotlin, of this class.
    Record(ClassName),
    /// A value of this class of the JDK, such as `java.math.BigDecimal`. Its only element is a text
    /// from which an equal value can be made.
    Value(ClassName),
}

impl HeldValues {
    /// The contents with these elements, which may be in any order for a set or a map.
    pub(crate) fn new(kind: ContainerKind, mut elements: Vec<Snapshot>) -> HeldValues {
        match kind {
            ContainerKind::List | ContainerKind::Optional | ContainerKind::Record(_) | ContainerKind::Value(_) => {}
            ContainerKind::Set => elements.sort_by_cached_key(Snapshot::order),
            ContainerKind::Map => {
                let mut entries: Vec<&[Snapshot]> = elements.chunks(2).collect();
                entries.sort_by_cached_key(|entry| entry[0].order());
                elements = entries.concat();
            }
        }
        HeldValues { kind, elements }
    }
}

impl Snapshot {
    /// Sorts numbers by their values, strings by their units, and others in a fixed way.
    fn order(&self) -> (i64, Vec<u16>, String) {
        match self {
            Snapshot::Boxed(inner) => inner.order(),
            Snapshot::Byte(value) => (i64::from(*value), Vec::new(), String::new()),
            Snapshot::Short(value) => (i64::from(*value), Vec::new(), String::new()),
            Snapshot::Int(value) => (i64::from(*value), Vec::new(), String::new()),
            Snapshot::Long(value) => (*value, Vec::new(), String::new()),
            Snapshot::Char(unit) => (0, vec![*unit], String::new()),
            Snapshot::Str(Some(units)) => (0, units.clone(), String::new()),
            other => (0, Vec::new(), format!("{other:?}")),
        }
    }
}

/// A call that the code under test made on a mock.
#[derive(Clone, Debug, PartialEq)]
pub struct Interaction {
    /// Index of the statement that was running.
    pub statement: u32,
    /// The variable of the mock.
    pub mock: VarId,
    /// The method as the mock's class declares or inherits it.
    pub method: MethodRef,
    /// In their order.
    pub arguments: Vec<ArgumentValue>,
}

/// An argument of a call on a mock, as it is at the end of the execution.
#[derive(Clone, Debug, PartialEq)]
pub struct ArgumentValue {
    /// The value.
    pub snapshot: Snapshot,
    /// The first variable of the test that holds the same object.
    pub variable: Option<VarId>,
    /// What the object's inspectors return; empty for the object of a variable.
    pub inspected: Vec<(MethodRef, Snapshot)>,
}

/// A class of returned or given values that deserves a test of its own. The runner determines it
/// without calls of code under test.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ValueClass {
    /// `true`.
    True,
    /// `false`.
    False,
    /// A whole number below 0.
    Negative,
    /// A number equal to 0.
    Zero,
    /// A whole number above 0.
    Positive,
    /// NaN.
    NotANumber,
    /// The null reference.
    Null,
    /// A string, array, collection of the JDK or optional without content.
    Empty,
    /// Any other object that is new to the test.
    Present,
    /// An object that the test had before, such as an argument.
    Given,
    /// A number that is not whole, of either sign.
    Fraction,
}

impl ValueClass {
    /// The class of a literal; `None` for a class literal.
    pub(crate) fn of_literal(literal: &Literal) -> Option<ValueClass> {
        let number = |value: f64| {
            if value.is_nan() {
                ValueClass::NotANumber
            } else if value == 0.0 {
                ValueClass::Zero
            } else if value.is_finite() && value.fract() != 0.0 {
                ValueClass::Fraction
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

    /// All classes in the order of their numbers in the runner, which begin with 1.
    pub(crate) const ALL: [ValueClass; 11] = {
        use ValueClass::*;
        [True, False, Negative, Zero, Positive, NotANumber, Null, Empty, Present, Given, Fraction]
    };
}

/// Calls on mocks that the runner records for a test, at most (`Interactions.MOST_CALLS`).
pub(crate) const MOST_INTERACTIONS: usize = 64;

/// The execution of one test case.
#[derive(Clone, Debug, PartialEq)]
pub struct Execution {
    /// How it ended.
    pub end: RunEnd,
    /// Reached branch slots, ascending, each with the least branch distance (see
    /// `docs/formats/trace.md`).
    pub branches: Vec<(BranchSlot, f64)>,
    /// Executed line slots, ascending.
    pub lines: Vec<LineSlot>,
    /// One for each statement, taken right after it; empty unless the execution was observed.
    pub snapshots: Vec<Snapshot>,
    /// The same values at the end of the execution, since later statements may have changed arrays
    /// and objects.
    pub final_snapshots: Vec<Snapshot>,
    /// Run-time class of the result of each statement; `None` for null, a primitive, or a statement
    /// that did not run.
    pub classes: Vec<Option<JavaType>>,
    /// Class of the result of each statement; `None` for void or a statement that did not run.
    pub outputs: Vec<Option<ValueClass>>,
    /// Strings with which the code under test compared a value.
    pub seen_strings: Vec<Vec<u16>>,
    /// Calls on the mocks of the test, in their order; empty unless the execution was observed.
    pub interactions: Vec<Interaction>,
    /// A thread that the test started did not come to rest, so that it is no test.
    pub left_running: bool,
    /// The state outside the objects of the test that it changed.
    pub leftovers: Leftovers,
    /// At most the time that it took; zero where time decides nothing.
    pub took: Duration,
}

/// The state that other tests in the same JVM can see, where an execution changed it. The worker puts
/// it back before the next execution; a written test has to do so itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Leftovers {
    /// Classes whose static fields, or objects that these hold, changed.
    pub classes: BTreeSet<ClassName>,
    /// Changed parts of the JVM's own state.
    pub world: BTreeSet<WorldPart>,
    /// A thread that the test started waits and is no daemon: it would outlive the test.
    pub idle_threads: bool,
}

impl Leftovers {
    /// Whether the execution changed nothing, except that a `ThreadLocal` may hold something.
    pub(crate) fn is_private(&self) -> bool {
        !self.idle_threads && self.classes.is_empty() && self.world.iter().all(|part| *part == WorldPart::ThreadLocals)
    }
}

/// A part of the state of the whole JVM that code under test can change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum WorldPart {
    /// The system properties.
    Properties,
    /// The default locale.
    Locale,
    /// The default time zone.
    TimeZone,
    /// `System.out`.
    Out,
    /// `System.err`.
    Err,
    /// `System.in`.
    In,
    /// The default handler of uncaught exceptions.
    ExceptionHandler,
    /// Files in the folder for temporary files.
    Files,
    /// Values of the thread in a `ThreadLocal`. The JDK sets some for itself.
    ThreadLocals,
    /// The list of security providers.
    Providers,
}

impl WorldPart {
    /// In the order of their bits in results of the runner.
    pub(crate) const ALL: [WorldPart; 10] = {
        use WorldPart::*;
        [Properties, Locale, TimeZone, Out, Err, In, ExceptionHandler, Files, ThreadLocals, Providers]
    };

    /// Its name in text forms.
    pub(crate) fn name(self) -> &'static str {
        match self {
            WorldPart::Properties => "properties",
            WorldPart::Locale => "locale",
            WorldPart::TimeZone => "time-zone",
            WorldPart::Out => "out",
            WorldPart::Err => "err",
            WorldPart::In => "in",
            WorldPart::ExceptionHandler => "exception-handler",
            WorldPart::Files => "files",
            WorldPart::ThreadLocals => "thread-locals",
            WorldPart::Providers => "providers",
        }
    }

    /// The part with this name.
    pub(crate) fn of_name(name: &str) -> Option<WorldPart> {
        WorldPart::ALL.into_iter().find(|part| part.name() == name)
    }

    /// The parts whose bits are set.
    pub(crate) fn from_bits(bits: u16) -> BTreeSet<WorldPart> {
        let set = WorldPart::ALL.into_iter().enumerate().filter(|(bit, _)| bits >> bit & 1 == 1);
        set.map(|(_, part)| part).collect()
    }
}

impl Execution {
    /// Whether `interactions` holds all calls of an observed execution.
    pub(crate) fn has_all_interactions(&self) -> bool {
        self.interactions.len() < MOST_INTERACTIONS
    }

    /// Whether the test ran to its end, or to an exception of the code under test.
    pub(crate) fn has_ended(&self) -> bool {
        matches!(self.end, RunEnd::Completed | RunEnd::Threw { .. })
    }

    /// An execution of which only the end is known: all lists are empty.
    pub fn without_measurements(end: RunEnd) -> Execution {
        Execution {
            end,
            branches: Vec::new(),
            lines: Vec::new(),
            snapshots: Vec::new(),
            final_snapshots: Vec::new(),
            classes: Vec::new(),
            outputs: Vec::new(),
            seen_strings: Vec::new(),
            interactions: Vec::new(),
            left_running: false,
            leftovers: Leftovers::default(),
            took: Duration::ZERO,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_contents_of_sets_and_maps_are_sorted() {
        let number = |value: i32| Snapshot::Boxed(Box::new(Snapshot::Int(value)));
        let text = |text: &str| Snapshot::Str(Some(text.encode_utf16().collect()));
        let sorted = |kind, elements: &[Snapshot]| HeldValues::new(kind, elements.to_vec()).elements;
        assert_eq!(sorted(ContainerKind::Set, &[number(10), number(-1), number(9)]), [number(-1), number(9), number(10)]);
        assert_eq!(
            sorted(ContainerKind::Map, &[text("b"), number(1), text("a"), number(2)]),
            [text("a"), number(2), text("b"), number(1)]
        );
        assert_eq!(sorted(ContainerKind::List, &[number(2), number(1)]), [number(2), number(1)]);
    }

    #[test]
    fn wrong_indices_that_nothing_checked_are_accidents() {
        let is_accident = |class: &str, message: &str, thrower: &str| {
            let message = Some(message.encode_utf16().collect());
            let frames = vec![(ClassName::new(thrower), "f".to_owned(), 1)];
            Thrown { class: ClassName::new(class), message, in_project: true, frames }.is_accident()
        };
        let array = "java/lang/ArrayIndexOutOfBoundsException";
        assert!(is_accident(array, "Index 3 out of bounds for length 0", "p/S"));
        assert!(!is_accident(array, "column 3", "p/S"));
        let text = "java/lang/StringIndexOutOfBoundsException";
        assert!(is_accident(text, "begin 0, end -1, length 0", "java/lang/String"));
        assert!(is_accident("java/lang/NegativeArraySizeException", "-1", "p/S"));
        assert!(!is_accident("java/lang/IndexOutOfBoundsException", "Index: 3, Size: 0", "p/S"));
    }

    #[test]
    fn only_nulls_that_nothing_checked_are_unchecked() {
        let thrown = |class: &str, message: Option<&str>, frames: &[(&str, &str)]| Thrown {
            class: ClassName::new(class),
            message: message.map(|text| text.encode_utf16().collect()),
            in_project: true,
            frames: frames.iter().map(|(class, method)| (ClassName::new(class), (*method).to_string(), 1)).collect(),
        };
        let null =
            |message, frames: &[(&str, &str)]| thrown("java/lang/NullPointerException", message, frames).is_unchecked_null();
        assert!(null(Some("Cannot invoke \"p.Repo.find()\" because \"repo\" is null"), &[("p/S", "f")]));
        assert!(null(None, &[("java/util/Objects", "requireNonNull"), ("java/util/List", "of"), ("p/S", "f")]));
        // The JVM gives an exception that it throws often neither a message nor frames.
        assert!(null(None, &[]));
        assert!(!null(Some("name"), &[("java/util/Objects", "requireNonNull"), ("p/S", "f")]));
        assert!(!null(None, &[("p/S", "f")]));
        assert!(null(Some("Parameter specified as non-null is null: method T.m"), &[("T", "m")]));
        assert!(!null(Some("name is null"), &[("T", "m")]));
        let of_request = |cause: &str| {
            let message = format!("Request processing failed: {cause}");
            thrown("jakarta/servlet/ServletException", Some(&message), &[]).is_unchecked_null()
        };
        assert!(of_request("java.lang.NullPointerException: Cannot invoke \"p.Repo.find()\" because \"repo\" is null"));
        assert!(!of_request("java.lang.IllegalStateException: no order"));
    }

    #[test]
    fn dates_out_of_the_range_of_the_jdk_are_unchecked() {
        let by_with = |class: &str, thrower: &str, message: &str| {
            let frames = [thrower, "p/S"].map(|class| (ClassName::new(class), "m".to_owned(), 1)).to_vec();
            let message = Some(message.encode_utf16().collect());
            Thrown { class: ClassName::new(class), message, in_project: true, frames }.is_unchecked()
        };
        let year = "Invalid value for Year (valid values -999999999 - 999999999): 1000000000";
        let by = |class: &str, thrower: &str| by_with(class, thrower, year);
        let month = "Invalid value for MonthOfYear (valid values 1 - 12): 13";
        assert!(!by_with("java/time/DateTimeException", "java/time/LocalDate", month));
        assert!(by("java/time/DateTimeException", "java/time/LocalDate"));
        assert!(by("java/lang/ArithmeticException", "java/time/Instant"));
        assert!(!by("java/time/DateTimeException", "p/Dates"));
        assert!(!by("java/lang/ArithmeticException", "java/lang/Math"));
        assert!(!by("java/time/format/DateTimeParseException", "java/time/format/DateTimeFormatter"));
    }

    #[test]
    fn only_casts_of_the_jvm_are_unchecked() {
        let failed = |message: &str| {
            let message = Some(message.encode_utf16().collect());
            Thrown { class: ClassName::new("java/lang/ClassCastException"), message, in_project: true, frames: Vec::new() }
                .is_unchecked()
        };
        assert!(failed("class java.lang.String cannot be cast to class java.lang.Integer (both are in java.base)"));
        assert!(failed("Cannot cast java.lang.String to java.lang.Integer"));
        assert!(!failed("no order is defined for text"));
    }

    #[test]
    fn literals_have_the_value_class_of_their_boundary() {
        let class = |literal: Literal| ValueClass::of_literal(&literal);
        assert_eq!(class(Literal::Double((-0.0f64).to_bits())), Some(ValueClass::Zero));
        assert_eq!(class(Literal::Float(f32::NAN.to_bits())), Some(ValueClass::NotANumber));
        assert_eq!(class(Literal::Long(i64::MIN)), Some(ValueClass::Negative));
        assert_eq!(class(Literal::Char(0x20)), Some(ValueClass::Positive));
        assert_eq!(class(Literal::Str(Vec::new())), Some(ValueClass::Empty));
        assert_eq!(class(Literal::Class(JavaType::INT)), None);
    }

    #[test]
    fn only_ends_at_a_statement_name_one() {
        assert_eq!(RunEnd::Budget { statement: 3 }.statement(), Some(3));
        assert_eq!([RunEnd::Completed, RunEnd::Died, RunEnd::Unrun].map(|end| end.statement()), [None, None, None]);
    }
}
