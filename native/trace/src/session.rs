//! One file of a session: the records of one process, one after the other
//! (`docs/formats/session.md`). Flows in: records, or bytes that may end anywhere; flows out:
//! bytes, or the records that are whole. Must not know files.
//!
//! A record is its kind (one byte), the length of the payload, the payload, and a checksum over all
//! of them. Numbers are little-endian. A text is its length in bytes, then UTF-8.

mod text_form;

use std::collections::BTreeSet;

use thiserror::Error;
use tracewright_text::ByteReader;

use crate::codec::{DecodeError, encode};
use crate::event::{Event, Kind};
use crate::numbering::class_hash;

pub use text_form::{parse_records, print_records};

/// The first bytes of a file; the last one is the version.
pub const MAGIC: [u8; 8] = *b"TWRIGHT\x01";

/// Bytes around a payload: kind, length, checksum.
pub const FRAME: usize = 9;

/// The kind of a record of counts, the first byte of each.
pub const COUNTS: u8 = 5;

/// In the flags of a run: another run was open at the same time.
const ACCOMPANIED: u8 = 1;

/// One entry of a session file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Record {
    /// The process of the file; the first record.
    Process(Process),
    /// Announcements of classes and their sites, ahead of the runs that use them.
    Announcement(Vec<Event>),
    /// A class that got probes, as it was before.
    ClassFile(ClassBytes),
    /// The events of a run, from `RUN_BEGIN` to `RUN_END`.
    Run(Run),
    /// Counters since the process began, by reason. The last such record is valid.
    Counts(Vec<(String, u64)>),
    /// The outermost call of a run that is not kept: its path is known, or its method has enough
    /// runs.
    Call(Call),
    /// In an outline file: the state of the session file that it describes. The first record.
    OutlineOf(OutlineOf),
    /// In an outline file: stands for a run.
    Outlined(Outlined),
}

/// The process that wrote a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Process {
    /// Id that the system gave it.
    pub number: u32,
    /// System property `java.home`.
    pub jdk_home: String,
    /// System property `java.version`.
    pub jdk_version: String,
    /// Entries of the class path, with the hash of each that is a file; 0 for folders.
    pub class_path: Vec<(String, u64)>,
}

/// The class file of one class.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClassBytes {
    /// Identity hash of the loader; 0: the boot loader.
    pub loader: u32,
    /// Internal name.
    pub name: String,
    /// `class_hash` of the bytes.
    pub hash: u64,
    /// Empty where an earlier record has them, for a class of another loader.
    pub bytes: Vec<u8>,
}

/// A recorded run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run {
    /// Ordinal of the thread, by first run.
    pub thread: u32,
    /// Another run was open at the same time.
    pub accompanied: bool,
    /// [`Outline::signature`].
    pub signature: u64,
    /// Encoded events.
    pub events: Vec<u8>,
}

/// The outermost call of a run: `ENTRY` and arguments, `RESULT_REF` or `THROWN` where the run has
/// it, `RUN_END`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
    /// Ordinal of the thread, by first run.
    pub thread: u32,
    /// Encoded events.
    pub events: Vec<u8>,
}

/// The state of a session file that an outline was made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OutlineOf {
    /// Length of the file in bytes.
    pub length: u64,
    /// Bytes of it that were whole records.
    pub whole: u64,
}

/// A run without its events.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outlined {
    /// Ordinal of the thread, by first run.
    pub thread: u32,
    /// Another run was open at the same time.
    pub accompanied: bool,
    /// [`Outline::signature`].
    pub signature: u64,
    /// Position of the run's record.
    pub place: Place,
    /// Sites of all methods that it entered, in ascending order.
    pub entered: Vec<u32>,
    /// Its outermost call, with the encoded events of a [`Call`].
    pub call: Vec<u8>,
}

/// Why the rest of a file cannot be read. `byte` is the position of the record that is faulty.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[expect(missing_docs, reason = "the messages say it")]
pub enum SessionError {
    #[error("this is no session of this version")]
    NoSession,
    #[error("byte {byte}: the file ends inside a record")]
    Truncated { byte: u64 },
    #[error("byte {byte}: {what}")]
    Damaged { byte: u64, what: &'static str },
}

/// Appends the bytes of a record.
pub fn encode_record(record: &Record, out: &mut Vec<u8>) {
    let start = out.len();
    out.extend([number_of(record), 0, 0, 0, 0]);
    match record {
        Record::Process(process) => {
            put(process.number, out);
            put_text(&process.jdk_home, out);
            put_text(&process.jdk_version, out);
            put(process.class_path.len() as u32, out);
            for (entry, hash) in &process.class_path {
                put_text(entry, out);
                out.extend(hash.to_le_bytes());
            }
        }
        Record::Announcement(events) => events.iter().for_each(|event| encode(event, out)),
        Record::ClassFile(class) => {
            put(class.loader, out);
            put_text(&class.name, out);
            out.extend(class.hash.to_le_bytes());
            out.extend(&class.bytes);
        }
        Record::Run(run) => {
            put(run.thread, out);
            out.push(if run.accompanied { ACCOMPANIED } else { 0 });
            out.extend(run.signature.to_le_bytes());
            out.extend(&run.events);
        }
        Record::Counts(counts) => {
            put(counts.len() as u32, out);
            for (reason, count) in counts {
                put_text(reason, out);
                out.extend(count.to_le_bytes());
            }
        }
        Record::Call(call) => {
            put(call.thread, out);
            out.extend(&call.events);
        }
        Record::OutlineOf(of) => {
            out.extend(of.length.to_le_bytes());
            out.extend(of.whole.to_le_bytes());
        }
        Record::Outlined(run) => {
            put(run.thread, out);
            out.push(if run.accompanied { ACCOMPANIED } else { 0 });
            out.extend(run.signature.to_le_bytes());
            out.extend(run.place.offset.to_le_bytes());
            out.extend(run.place.length.to_le_bytes());
            put(run.entered.len() as u32, out);
            run.entered.iter().for_each(|site| put(*site, out));
            out.extend(&run.call);
        }
    }
    let length = (out.len() - start - 5) as u32;
    out[start + 1..start + 5].copy_from_slice(&length.to_le_bytes());
    let sum = checksum(&out[start..]);
    put(sum, out);
}

/// The position of one record in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// Position of the record's first byte.
    pub offset: u64,
    /// Its bytes, with kind, length and checksum.
    pub length: u64,
}

/// Reads the records of a file, one after the other.
#[derive(Clone, Debug)]
pub struct Records<'a> {
    bytes: &'a [u8],
    at: usize,
    /// Position of the bytes in the file.
    base: u64,
    failed: bool,
}

impl<'a> Records<'a> {
    /// Reads a file from its first byte. An empty file has no records: its process ended before it
    /// could write.
    ///
    /// # Errors
    /// [`SessionError::NoSession`] where the bytes do not begin with [`MAGIC`].
    pub fn new(bytes: &'a [u8]) -> Result<Records<'a>, SessionError> {
        if bytes.len() < MAGIC.len() {
            return if MAGIC.starts_with(bytes) {
                Ok(Records { bytes: &[], at: 0, base: 0, failed: false })
            } else {
                Err(SessionError::NoSession)
            };
        }
        if !bytes.starts_with(&MAGIC) {
            return Err(SessionError::NoSession);
        }
        Ok(Records { bytes, at: MAGIC.len(), base: 0, failed: false })
    }

    /// Reads a part of a file. Its first byte is that of a record, at position `base` of the file.
    pub fn from_the_middle(bytes: &'a [u8], base: u64) -> Records<'a> {
        Records { bytes, at: 0, base, failed: false }
    }

    fn one(&mut self) -> Result<(Place, Record), SessionError> {
        let byte = self.base + self.at as u64;
        let rest = &self.bytes[self.at..];
        let short = SessionError::Truncated { byte };
        let Some(header) = rest.first_chunk::<5>() else { return Err(short) };
        let length = u32::from_le_bytes([header[1], header[2], header[3], header[4]]) as usize;
        let Some(whole) = length.checked_add(FRAME).and_then(|end| rest.get(..end)) else { return Err(short) };
        let record = decode_record(whole).map_err(|what| SessionError::Damaged { byte, what })?;
        self.at += whole.len();
        Ok((Place { offset: byte, length: whole.len() as u64 }, record))
    }
}

impl Iterator for Records<'_> {
    type Item = Result<(Place, Record), SessionError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.failed || self.at >= self.bytes.len() {
            return None;
        }
        let next = self.one();
        self.failed = next.is_err();
        Some(next)
    }
}

/// Decodes one record of exactly these bytes, with its frame.
///
/// # Errors
/// What is wrong with the record, as a noun.
pub fn decode_record(bytes: &[u8]) -> Result<Record, &'static str> {
    let (body, sum) = bytes.split_last_chunk::<4>().ok_or("a record without a checksum")?;
    if checksum(body) != u32::from_le_bytes(*sum) {
        return Err("a record whose checksum is wrong");
    }
    let (kind, payload) = (body.first().ok_or("a record without a kind")?, body.get(5..).ok_or("a record without a length")?);
    let mut reader = RecordReader(ByteReader::new(payload));
    let record = match kind {
        1 => {
            let (number, jdk_home, jdk_version) = (reader.word()?, reader.text()?, reader.text()?);
            let mut class_path = Vec::new();
            for _ in 0..reader.word()? {
                class_path.push((reader.text()?, reader.long()?));
            }
            Record::Process(Process { number, jdk_home, jdk_version, class_path })
        }
        2 => {
            let (events, end) = crate::codec::decode(reader.rest());
            end.map_err(|_: DecodeError| "an announcement that is none")?;
            if !events.iter().all(|event| matches!(event.kind(), Kind::Class | Kind::ClassSites)) {
                return Err("an announcement of something else");
            }
            Record::Announcement(events)
        }
        3 => {
            let (loader, name, hash) = (reader.word()?, reader.text()?, reader.long()?);
            let bytes = reader.rest().to_vec();
            if !bytes.is_empty() && class_hash(&bytes) != hash {
                return Err("a class file with another hash");
            }
            Record::ClassFile(ClassBytes { loader, name, hash, bytes })
        }
        4 => {
            let (thread, flags, signature) = (reader.word()?, reader.byte()?, reader.long()?);
            let events = reader.rest().to_vec();
            Record::Run(Run { thread, accompanied: flags & ACCOMPANIED != 0, signature, events })
        }
        &COUNTS => {
            let mut counts = Vec::new();
            for _ in 0..reader.word()? {
                counts.push((reader.text()?, reader.long()?));
            }
            Record::Counts(counts)
        }
        6 => {
            let thread = reader.word()?;
            Record::Call(Call { thread, events: reader.rest().to_vec() })
        }
        7 => Record::OutlineOf(OutlineOf { length: reader.long()?, whole: reader.long()? }),
        8 => {
            let (thread, flags, signature) = (reader.word()?, reader.byte()?, reader.long()?);
            let place = Place { offset: reader.long()?, length: reader.long()? };
            let entered = (0..reader.word()?).map(|_| reader.word()).collect::<Result<_, _>>()?;
            let (accompanied, call) = (flags & ACCOMPANIED != 0, reader.rest().to_vec());
            Record::Outlined(Outlined { thread, accompanied, signature, place, entered, call })
        }
        _ => return Err("a record of no known kind"),
    };
    if reader.0.is_empty() { Ok(record) } else { Err("a record with something left over") }
}

fn number_of(record: &Record) -> u8 {
    match record {
        Record::Process(_) => 1,
        Record::Announcement(_) => 2,
        Record::ClassFile(_) => 3,
        Record::Run(_) => 4,
        Record::Counts(_) => COUNTS,
        Record::Call(_) => 6,
        Record::OutlineOf(_) => 7,
        Record::Outlined(_) => 8,
    }
}

/// The checksum behind a record, over kind, length and payload. It takes eight bytes at a time,
/// since runs are long.
pub fn checksum(bytes: &[u8]) -> u32 {
    let (words, rest) = bytes.as_chunks::<8>();
    let step = |sum: u64, word: u64| (sum ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29);
    let sum = words.iter().fold(bytes.len() as u64, |sum, word| step(sum, u64::from_le_bytes(*word)));
    let sum = rest.iter().fold(sum, |sum, &byte| step(sum, u64::from(byte)));
    (sum ^ (sum >> 32)) as u32
}

fn put(value: u32, out: &mut Vec<u8>) {
    out.extend(value.to_le_bytes());
}

fn put_text(text: &str, out: &mut Vec<u8>) {
    put(text.len() as u32, out);
    out.extend(text.as_bytes());
}

struct RecordReader<'a>(ByteReader<'a>);

const SHORT: &str = "a record that is too short";

impl<'a> RecordReader<'a> {
    fn byte(&mut self) -> Result<u8, &'static str> {
        self.0.u8().ok_or(SHORT)
    }

    fn word(&mut self) -> Result<u32, &'static str> {
        self.0.u32_le().ok_or(SHORT)
    }

    fn long(&mut self) -> Result<u64, &'static str> {
        self.0.u64_le().ok_or(SHORT)
    }

    fn text(&mut self) -> Result<String, &'static str> {
        let length = self.word()? as usize;
        let bytes = self.0.bytes(length).ok_or(SHORT)?;
        String::from_utf8(bytes.to_vec()).map_err(|_| "a text that is no UTF-8")
    }

    fn rest(&mut self) -> &'a [u8] {
        self.0.bytes(self.0.rest().len()).unwrap_or_default()
    }
}

/// A summary of a run, computed without decoding its events.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Outline {
    /// Hash of the path: runs of one method with equal signatures took the same path, whatever the
    /// values.
    pub signature: u64,
    /// Positions of the first entry, and of the end of its arguments.
    arguments: (usize, usize),
    /// Position of the last events: `RESULT_REF` or `THROWN`, if there is one, and `RUN_END`.
    end: usize,
}

impl Outline {
    /// The encoded events of the outermost call, for a [`Call`]; empty where the run has no entry
    /// or no end. `events`: those that the outline was computed of.
    pub fn call(&self, events: &[u8]) -> Vec<u8> {
        let (begin, end) = self.arguments;
        if begin == end || self.end < end {
            return Vec::new();
        }
        [&events[begin..end], &events[self.end..]].concat()
    }
}

/// Summarises the encoded events of a run. `None`: these are no events of a run.
pub fn outline(events: &[u8]) -> Option<Outline> {
    outline_with(events, |_| {})
}

/// Calls `enter` with the site of each entry as well.
fn outline_with(events: &[u8], mut enter: impl FnMut(u32)) -> Option<Outline> {
    let mut outline = Outline { end: events.len(), ..Outline::default() };
    let mut signature = 0xcbf2_9ce4_8422_2325_u64;
    let mut last = (0, Kind::RunBegin);
    // Behind the first entry, nothing but its arguments.
    let mut in_arguments = false;
    let end = skim(events, |at, kind, way| {
        match kind {
            Kind::Entry if outline.arguments == (0, 0) => {
                outline.arguments = (at, at);
                in_arguments = true;
            }
            Kind::Arg32 | Kind::Arg64 | Kind::ArgRef | Kind::Content => {}
            _ if in_arguments => {
                outline.arguments.1 = at;
                in_arguments = false;
            }
            _ => {}
        }
        if kind == Kind::RunEnd {
            outline.end = if matches!(last.1, Kind::ResultRef | Kind::Thrown) { last.0 } else { at };
        }
        last = (at, kind);
        if let (Kind::Entry, Some(site)) = (kind, way) {
            enter(site);
        }
        if let Some(way) = way {
            let step = (kind as u64) << 32 | u64::from(way);
            signature = (signature ^ step).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29);
        }
    })?;
    if in_arguments {
        outline.arguments.1 = end;
    }
    outline.signature = signature;
    Some(outline)
}

impl Run {
    /// The record that stands for the run in an outline file. `place`: that of the run's record.
    pub fn outlined(&self, place: Place) -> Outlined {
        let mut entered = BTreeSet::new();
        // Loops enter the same few methods repeatedly.
        let mut last = [u32::MAX; 4];
        let outline = outline_with(&self.events, |site| {
            if !last.contains(&site) {
                entered.insert(site);
                last.rotate_right(1);
                last[0] = site;
            }
        });
        let call = outline.map(|outline| outline.call(&self.events)).unwrap_or_default();
        let (thread, accompanied, signature) = (self.thread, self.accompanied, self.signature);
        Outlined { thread, accompanied, signature, place, entered: entered.into_iter().collect(), call }
    }
}

/// Calls `visit` with the position and the kind of each event, and with the operand that belongs to
/// the path, if it has one. Returns the end position; `None`: the bytes are no events.
fn skim(events: &[u8], mut visit: impl FnMut(usize, Kind, Option<u32>)) -> Option<usize> {
    let mut at = 0;
    let word = |at: usize| events.get(at..at + 4)?.first_chunk::<4>().map(|bytes| u32::from_le_bytes(*bytes));
    let reference = |at: usize| word(at).map(|first| if first == 0 || first >> 31 != 0 { 4 } else { 12 });
    while let Some(&number) = events.get(at) {
        let kind = Kind::from_number(number)?;
        let operand = at + 1;
        let mut way = None;
        let length = match kind {
            Kind::BranchNot | Kind::BranchTaken | Kind::Exit => {
                way = Some(0);
                0
            }
            Kind::RunBegin => 0,
            Kind::Switch | Kind::Entry | Kind::RetVoid | Kind::RunEnd => {
                way = Some(word(operand)?);
                4
            }
            Kind::Load32 => 4,
            Kind::Load64 => 8,
            Kind::LoadRef => reference(operand)?,
            Kind::Ret32 | Kind::Ret64 | Kind::RetRef | Kind::Caught => {
                way = Some(word(operand)?);
                4 + match kind {
                    Kind::Ret32 => 4,
                    Kind::Ret64 => 8,
                    _ => reference(operand + 4)?,
                }
            }
            Kind::Arg32 => 5,
            Kind::Arg64 => 9,
            Kind::ArgRef => 1 + reference(operand + 1)?,
            Kind::Statement | Kind::ResultVoid => 4,
            Kind::Result32 => 8,
            Kind::Result64 => 12,
            Kind::ResultRef | Kind::Thrown => 4 + reference(operand + 4)?,
            Kind::Content => {
                let elements = word(operand + 5)? as usize;
                9 + elements
                    * match *events.get(operand)? {
                        0 | 3 | 4 => 2,
                        1 | 2 => 1,
                        5 | 7 | 9 => 4,
                        _ => 8,
                    }
            }
            Kind::Class | Kind::ClassSites | Kind::Thread => return None,
        };
        visit(at, kind, way);
        at = operand + length;
    }
    (at == events.len()).then_some(at)
}
