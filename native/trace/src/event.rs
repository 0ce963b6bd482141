//! The events of a trace, as plain values. Must not know their encodings: those are in `codec` and
//! `text`.

use std::fmt;

/// Elements of a string or array in a `Content` event, at most. A decoder accepts no more.
pub const CONTENT_BOUND: u32 = 4096;

/// A probe site: the base of its class, which `ClassSites` announces, plus the local number of
/// `numbering::trace_sites`. Below 2^31.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Site(pub u32);

/// A run-time class, announced by `Class` before its first use. 0 is the class of null. Below 2^31.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ClassId(pub u32);

/// A recorded reference. The identity hash is a hint: two objects may share it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Reference {
    /// The identity hash, 31 bits; 0 for null.
    pub hash: u32,
    /// The run-time class.
    pub class: ClassId,
    /// Array length in elements; 0 where the object is no array.
    pub length: u32,
}

impl Reference {
    /// The reference `null`.
    pub const NULL: Reference = Reference { hash: 0, class: ClassId(0), length: 0 };

    /// Whether this is `null`, which is of no class.
    pub fn is_null(self) -> bool {
        self.class.0 == 0
    }
}

/// How a run ended, as the runner saw it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Verdict {
    /// It returned.
    Completed,
    /// It ended by an exception.
    Threw,
    /// The event cap was reached: the stream holds every event up to it.
    Budget,
    /// The guard refused a call.
    Refused,
    /// The stack overflowed, or the heap was exhausted.
    Exhausted,
    /// Any other number.
    Other(u32),
}

impl Verdict {
    /// The verdict with this number in `RUN_END`.
    pub fn from_word(word: u32) -> Verdict {
        match word {
            0 => Verdict::Completed,
            1 => Verdict::Threw,
            2 => Verdict::Budget,
            3 => Verdict::Refused,
            4 => Verdict::Exhausted,
            other => Verdict::Other(other),
        }
    }

    /// The number in `RUN_END`.
    pub fn word(self) -> u32 {
        match self {
            Verdict::Completed => 0,
            Verdict::Threw => 1,
            Verdict::Budget => 2,
            Verdict::Refused => 3,
            Verdict::Exhausted => 4,
            Verdict::Other(other) => other,
        }
    }
}

/// Contents of the reference that ends the event before this one.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Content {
    /// Elements of the object: code units of a string, elements of an array, 1 for a box.
    pub length: u32,
    /// The first elements, at most [`CONTENT_BOUND`].
    pub data: ContentData,
}

/// The elements of a [`Content`]. Floats and doubles are raw bits.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum ContentData {
    /// UTF-16 code units of a string.
    String(Vec<u16>),
    /// `boolean[]`: 0 or 1 each.
    Booleans(Vec<u8>),
    /// `byte[]`.
    Bytes(Vec<u8>),
    /// `char[]`.
    Chars(Vec<u16>),
    /// `short[]`.
    Shorts(Vec<u16>),
    /// `int[]`.
    Ints(Vec<u32>),
    /// `long[]`.
    Longs(Vec<u64>),
    /// `float[]`.
    Floats(Vec<u32>),
    /// `double[]`.
    Doubles(Vec<u64>),
    /// The value of a box of at most 32 bits. `Boolean`, `Byte`, `Character` and `Short` are
    /// extended to an int, as on the operand stack.
    Boxed32(u32),
    /// The value of a `Long` or `Double`.
    Boxed64(u64),
}

impl ContentData {
    /// Number of elements that were written.
    pub fn len(&self) -> usize {
        match self {
            ContentData::String(v) | ContentData::Chars(v) | ContentData::Shorts(v) => v.len(),
            ContentData::Booleans(v) | ContentData::Bytes(v) => v.len(),
            ContentData::Ints(v) | ContentData::Floats(v) => v.len(),
            ContentData::Longs(v) | ContentData::Doubles(v) => v.len(),
            ContentData::Boxed32(_) | ContentData::Boxed64(_) => 1,
        }
    }

    /// Whether no element was written.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// One event. `docs/formats/trace.md` says when each is written, and what its operands mean.
///
/// A jump, a switch, a load and a return have no site: a reader that follows the code knows the
/// instruction. An entry, the end of a call and an exception have one.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "the variants are those of the format, in its words")]
pub enum Event {
    BranchNot,
    BranchTaken,
    Switch {
        key: i32,
    },
    Load32 {
        value: u32,
    },
    Load64 {
        value: u64,
    },
    LoadRef {
        value: Reference,
    },
    RetVoid {
        site: Site,
    },
    Ret32 {
        site: Site,
        value: u32,
    },
    Ret64 {
        site: Site,
        value: u64,
    },
    RetRef {
        site: Site,
        value: Reference,
    },
    Entry {
        site: Site,
    },
    Arg32 {
        index: u32,
        value: u32,
    },
    Arg64 {
        index: u32,
        value: u64,
    },
    ArgRef {
        index: u32,
        value: Reference,
    },
    Exit,
    Caught {
        site: Site,
        value: Reference,
    },
    Statement {
        index: u32,
    },
    Result32 {
        index: u32,
        value: u32,
    },
    Result64 {
        index: u32,
        value: u64,
    },
    ResultRef {
        index: u32,
        value: Reference,
    },
    ResultVoid {
        index: u32,
    },
    Thrown {
        index: u32,
        value: Reference,
    },
    RunBegin,
    RunEnd {
        verdict: Verdict,
    },
    Class {
        id: ClassId,
        name: String,
    },
    ClassSites {
        base: u32,
        count: u32,
        class: ClassId,
        hash: u64,
    },
    Content(Content),
    /// The following events are those of this thread, until the next such event. Threads are
    /// numbered by first event. A stream without this event is of one thread.
    Thread {
        ordinal: u32,
    },
}

/// The first byte of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
#[expect(missing_docs, reason = "the variants are those of `Event`")]
pub enum Kind {
    BranchNot = 1,
    BranchTaken = 2,
    Switch = 3,
    Load32 = 4,
    Load64 = 5,
    LoadRef = 6,
    RetVoid = 7,
    Ret32 = 8,
    Ret64 = 9,
    RetRef = 10,
    Entry = 11,
    Arg32 = 12,
    Arg64 = 13,
    ArgRef = 14,
    Exit = 15,
    Caught = 16,
    Statement = 17,
    Result32 = 18,
    Result64 = 19,
    ResultRef = 20,
    ResultVoid = 21,
    Thrown = 22,
    RunBegin = 23,
    RunEnd = 24,
    Class = 25,
    ClassSites = 26,
    Content = 27,
    Thread = 28,
}

impl Kind {
    /// All kinds in the order of their numbers, which begin with 1.
    pub const ALL: [Kind; 28] = [
        Kind::BranchNot,
        Kind::BranchTaken,
        Kind::Switch,
        Kind::Load32,
        Kind::Load64,
        Kind::LoadRef,
        Kind::RetVoid,
        Kind::Ret32,
        Kind::Ret64,
        Kind::RetRef,
        Kind::Entry,
        Kind::Arg32,
        Kind::Arg64,
        Kind::ArgRef,
        Kind::Exit,
        Kind::Caught,
        Kind::Statement,
        Kind::Result32,
        Kind::Result64,
        Kind::ResultRef,
        Kind::ResultVoid,
        Kind::Thrown,
        Kind::RunBegin,
        Kind::RunEnd,
        Kind::Class,
        Kind::ClassSites,
        Kind::Content,
        Kind::Thread,
    ];

    /// `None` for the numbers that name no kind (0, 29 to 255).
    pub(crate) fn from_number(number: u8) -> Option<Kind> {
        Kind::ALL.get(usize::from(number).checked_sub(1)?).copied()
    }

    /// The word of the text form.
    pub fn name(self) -> &'static str {
        match self {
            Kind::BranchNot => "branch-not",
            Kind::BranchTaken => "branch-taken",
            Kind::Switch => "switch",
            Kind::Load32 => "load32",
            Kind::Load64 => "load64",
            Kind::LoadRef => "loadref",
            Kind::RetVoid => "ret-void",
            Kind::Ret32 => "ret32",
            Kind::Ret64 => "ret64",
            Kind::RetRef => "retref",
            Kind::Entry => "entry",
            Kind::Arg32 => "arg32",
            Kind::Arg64 => "arg64",
            Kind::ArgRef => "argref",
            Kind::Exit => "exit",
            Kind::Caught => "caught",
            Kind::Statement => "statement",
            Kind::Result32 => "result32",
            Kind::Result64 => "result64",
            Kind::ResultRef => "resultref",
            Kind::ResultVoid => "result-void",
            Kind::Thrown => "thrown",
            Kind::RunBegin => "run-begin",
            Kind::RunEnd => "run-end",
            Kind::Class => "class",
            Kind::ClassSites => "class-sites",
            Kind::Content => "content",
            Kind::Thread => "thread",
        }
    }
}

impl Event {
    /// The first byte of its encoding.
    pub fn kind(&self) -> Kind {
        match self {
            Event::BranchNot => Kind::BranchNot,
            Event::BranchTaken => Kind::BranchTaken,
            Event::Switch { .. } => Kind::Switch,
            Event::Load32 { .. } => Kind::Load32,
            Event::Load64 { .. } => Kind::Load64,
            Event::LoadRef { .. } => Kind::LoadRef,
            Event::RetVoid { .. } => Kind::RetVoid,
            Event::Ret32 { .. } => Kind::Ret32,
            Event::Ret64 { .. } => Kind::Ret64,
            Event::RetRef { .. } => Kind::RetRef,
            Event::Entry { .. } => Kind::Entry,
            Event::Arg32 { .. } => Kind::Arg32,
            Event::Arg64 { .. } => Kind::Arg64,
            Event::ArgRef { .. } => Kind::ArgRef,
            Event::Exit => Kind::Exit,
            Event::Caught { .. } => Kind::Caught,
            Event::Statement { .. } => Kind::Statement,
            Event::Result32 { .. } => Kind::Result32,
            Event::Result64 { .. } => Kind::Result64,
            Event::ResultRef { .. } => Kind::ResultRef,
            Event::ResultVoid { .. } => Kind::ResultVoid,
            Event::Thrown { .. } => Kind::Thrown,
            Event::RunBegin => Kind::RunBegin,
            Event::RunEnd { .. } => Kind::RunEnd,
            Event::Class { .. } => Kind::Class,
            Event::ClassSites { .. } => Kind::ClassSites,
            Event::Content(_) => Kind::Content,
            Event::Thread { .. } => Kind::Thread,
        }
    }
}

impl fmt::Display for Site {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

impl fmt::Display for ClassId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}
