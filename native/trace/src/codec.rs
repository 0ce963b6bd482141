//! Events to bytes and back. Flows in: events, or bytes in pieces of any size; flows out: bytes, or
//! events. Must not know where the bytes come from.
//!
//! An event is its kind (one byte) and the operands of `docs/formats/trace.md`, little-endian and
//! unaligned. A decoder never panics and never reserves memory for bytes that it has not seen:
//! truncated and malformed input are errors with a position.

use std::collections::{BTreeMap, HashMap};

use thiserror::Error;

use crate::event::{CONTENT_BOUND, ClassId, Content, ContentData, Event, Kind, Reference, Site, Verdict};

/// Sites, class ids and other operands are below this.
pub(crate) const OPERANDS: u32 = 1 << 31;
/// In the first word of a reference that the thread has described before. The other 31 bits are its
/// identity hash.
const SEEN: u32 = 1 << 31;
/// Class names are constant-pool strings of at most 65,535 bytes (JVMS §4.4.7). UTF-8 is not longer
/// than modified UTF-8.
const NAME_BOUND: u32 = 65_535;

/// Why bytes are no events. `byte` is the position in the stream of the event that is faulty.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[expect(missing_docs, reason = "the messages say it")]
pub enum DecodeError {
    #[error("byte {byte}: {number} names no kind of event")]
    UnknownKind { byte: u64, number: u8 },
    #[error("byte {byte}: {what} is out of bounds")]
    OutOfBounds { byte: u64, what: &'static str },
    #[error("byte {byte}: the name of a class is no UTF-8")]
    BadName { byte: u64 },
    #[error("byte {byte}: a reference that was not described before")]
    UnknownReference { byte: u64 },
    #[error("the stream ends inside the event at byte {byte}")]
    Truncated { byte: u64 },
}

/// Appends the bytes of an event. References are written in full; hashes are cut to 31 bits,
/// numbers of arguments to 8.
pub fn encode(event: &Event, out: &mut Vec<u8>) {
    out.push(event.kind() as u8);
    match event {
        Event::BranchNot | Event::BranchTaken | Event::Exit | Event::RunBegin => {}
        Event::RetVoid { site } | Event::Entry { site } => push(site.0, out),
        Event::Switch { key } => push(*key as u32, out),
        Event::Load32 { value } => push(*value, out),
        Event::Load64 { value } => push_long(*value, out),
        Event::LoadRef { value } => push_reference(*value, out),
        Event::Ret32 { site, value } => {
            push(site.0, out);
            push(*value, out);
        }
        Event::Ret64 { site, value } => {
            push(site.0, out);
            push_long(*value, out);
        }
        Event::RetRef { site, value } | Event::Caught { site, value } => {
            push(site.0, out);
            push_reference(*value, out);
        }
        Event::Arg32 { index, value } => {
            out.push(*index as u8);
            push(*value, out);
        }
        Event::Arg64 { index, value } => {
            out.push(*index as u8);
            push_long(*value, out);
        }
        Event::ArgRef { index, value } => {
            out.push(*index as u8);
            push_reference(*value, out);
        }
        Event::Result32 { index, value } => {
            push(*index, out);
            push(*value, out);
        }
        Event::Result64 { index, value } => {
            push(*index, out);
            push_long(*value, out);
        }
        Event::ResultRef { index, value } | Event::Thrown { index, value } => {
            push(*index, out);
            push_reference(*value, out);
        }
        Event::Statement { index } | Event::ResultVoid { index } => push(*index, out),
        Event::RunEnd { verdict } => push(verdict.word(), out),
        Event::Class { id, name } => {
            push(id.0, out);
            push(name.len() as u32, out);
            out.extend(name.as_bytes());
        }
        Event::ClassSites { base, count, class, hash } => {
            push(*base, out);
            push(*count, out);
            push(class.0, out);
            push_long(*hash, out);
        }
        Event::Content(content) => {
            out.push(content_number(&content.data));
            push(content.length, out);
            push(content.data.len() as u32, out);
            match &content.data {
                ContentData::String(v) | ContentData::Chars(v) | ContentData::Shorts(v) => {
                    v.iter().for_each(|unit| out.extend(unit.to_le_bytes()));
                }
                ContentData::Booleans(v) | ContentData::Bytes(v) => out.extend(v),
                ContentData::Ints(v) | ContentData::Floats(v) => v.iter().for_each(|&word| push(word, out)),
                ContentData::Longs(v) | ContentData::Doubles(v) => v.iter().for_each(|&long| push_long(long, out)),
                ContentData::Boxed32(value) => push(*value, out),
                ContentData::Boxed64(value) => push_long(*value, out),
            }
        }
        Event::Thread { ordinal } => push(*ordinal, out),
    }
}

/// Decodes a whole stream: the events before the first fault, and the fault.
///
/// The error is that of [`Decoder::next_event`] or [`Decoder::finish`].
pub fn decode(bytes: &[u8]) -> (Vec<Event>, Result<(), DecodeError>) {
    let mut decoder = Decoder::new();
    decoder.push(bytes);
    let mut events = Vec::new();
    loop {
        match decoder.next_event() {
            Ok(Some(event)) => events.push(event),
            Ok(None) => return (events, decoder.finish()),
            Err(error) => return (events, Err(error)),
        }
    }
}

/// References that were described, by identity hash. Of two with one hash, the last one is valid,
/// as for the writer.
type Described = HashMap<u32, Reference>;

/// A decoder that gets its bytes in pieces. After an error it repeats that error, since the next
/// event boundary cannot be found.
#[derive(Clone, Debug, Default)]
pub struct Decoder {
    bytes: Vec<u8>,
    /// Index into `bytes` of the next event.
    next: usize,
    /// Stream position of `bytes[0]`.
    base: u64,
    /// The thread that writes, and its described references; then those of the others.
    thread: u32,
    described: Described,
    others: BTreeMap<u32, Described>,
    failed: Option<DecodeError>,
}

impl Decoder {
    /// A decoder at the beginning of a stream.
    pub fn new() -> Decoder {
        Decoder::default()
    }

    /// Appends bytes of the stream.
    pub fn push(&mut self, bytes: &[u8]) {
        self.base += self.next as u64;
        self.bytes.drain(..self.next);
        self.next = 0;
        self.bytes.extend_from_slice(bytes);
    }

    /// The next whole event; `None` when more bytes are needed.
    ///
    /// # Errors
    /// The bytes at the current position are no event.
    #[inline]
    pub fn next_event(&mut self) -> Result<Option<Event>, DecodeError> {
        if let Some(error) = &self.failed {
            return Err(error.clone());
        }
        let position = self.base + self.next as u64;
        let mut reader = Reader { bytes: &self.bytes[self.next..], used: 0, position, described: &self.described, last: None };
        match reader.event() {
            Ok(event) => {
                self.next += reader.used;
                if let Some(reference) = reader.last {
                    self.described.insert(reference.hash, reference);
                }
                match event {
                    Event::Thread { ordinal } if ordinal != self.thread => {
                        let described = self.others.remove(&ordinal).unwrap_or_default();
                        let before = std::mem::replace(&mut self.described, described);
                        self.others.insert(std::mem::replace(&mut self.thread, ordinal), before);
                    }
                    _ => {}
                }
                Ok(Some(event))
            }
            Err(Stop::Short) => Ok(None),
            Err(Stop::Error(error)) => {
                self.failed = Some(error.clone());
                Err(error)
            }
        }
    }

    /// Stream position of the next event, in bytes.
    pub(crate) fn position(&self) -> u64 {
        self.base + self.next as u64
    }

    /// Checks that the stream ended at an event boundary.
    ///
    /// # Errors
    /// [`DecodeError::Truncated`], or the error that the decoder has met before.
    pub fn finish(&self) -> Result<(), DecodeError> {
        match &self.failed {
            Some(error) => Err(error.clone()),
            None if self.next == self.bytes.len() => Ok(()),
            None => Err(DecodeError::Truncated { byte: self.position() }),
        }
    }
}

enum Stop {
    Short,
    Error(DecodeError),
}

struct Reader<'a> {
    bytes: &'a [u8],
    used: usize,
    position: u64,
    described: &'a Described,
    /// A reference that this event describes.
    last: Option<Reference>,
}

impl Reader<'_> {
    #[inline]
    fn event(&mut self) -> Result<Event, Stop> {
        let number = self.byte()?;
        let Some(kind) = Kind::from_number(number) else {
            return Err(Stop::Error(DecodeError::UnknownKind { byte: self.position, number }));
        };
        Ok(match kind {
            Kind::BranchNot => Event::BranchNot,
            Kind::BranchTaken => Event::BranchTaken,
            Kind::Switch => Event::Switch { key: self.word()? as i32 },
            Kind::Load32 => Event::Load32 { value: self.word()? },
            Kind::Load64 => Event::Load64 { value: self.long()? },
            Kind::LoadRef => Event::LoadRef { value: self.reference()? },
            Kind::RetVoid => Event::RetVoid { site: self.site()? },
            Kind::Ret32 => Event::Ret32 { site: self.site()?, value: self.word()? },
            Kind::Ret64 => Event::Ret64 { site: self.site()?, value: self.long()? },
            Kind::RetRef => Event::RetRef { site: self.site()?, value: self.reference()? },
            Kind::Entry => Event::Entry { site: self.site()? },
            Kind::Arg32 => Event::Arg32 { index: u32::from(self.byte()?), value: self.word()? },
            Kind::Arg64 => Event::Arg64 { index: u32::from(self.byte()?), value: self.long()? },
            Kind::ArgRef => Event::ArgRef { index: u32::from(self.byte()?), value: self.reference()? },
            Kind::Exit => Event::Exit,
            Kind::Caught => Event::Caught { site: self.site()?, value: self.reference()? },
            Kind::Statement => Event::Statement { index: self.word()? },
            Kind::Result32 => Event::Result32 { index: self.word()?, value: self.word()? },
            Kind::Result64 => Event::Result64 { index: self.word()?, value: self.long()? },
            Kind::ResultRef => Event::ResultRef { index: self.word()?, value: self.reference()? },
            Kind::ResultVoid => Event::ResultVoid { index: self.word()? },
            Kind::Thrown => Event::Thrown { index: self.word()?, value: self.reference()? },
            Kind::RunBegin => Event::RunBegin,
            Kind::RunEnd => Event::RunEnd { verdict: Verdict::from_word(self.word()?) },
            Kind::Class => {
                let id = ClassId(self.word()?);
                let length = self.word()?;
                self.bound(length <= NAME_BOUND, "length of a class name")?;
                let bytes = self.take(length as usize)?.to_vec();
                let name = String::from_utf8(bytes).map_err(|_| Stop::Error(DecodeError::BadName { byte: self.position }))?;
                Event::Class { id, name }
            }
            Kind::ClassSites => {
                Event::ClassSites { base: self.word()?, count: self.word()?, class: ClassId(self.word()?), hash: self.long()? }
            }
            Kind::Content => self.content()?,
            Kind::Thread => Event::Thread { ordinal: self.word()? },
        })
    }

    fn content(&mut self) -> Result<Event, Stop> {
        let number = self.byte()?;
        let length = self.word()?;
        let recorded = self.word()?;
        self.bound(recorded <= CONTENT_BOUND && recorded <= length, "length of contents")?;
        let count = recorded as usize;
        let data = match number {
            0 => ContentData::String(self.shorts(count)?),
            1 => ContentData::Booleans(self.take(count)?.to_vec()),
            2 => ContentData::Bytes(self.take(count)?.to_vec()),
            3 => ContentData::Chars(self.shorts(count)?),
            4 => ContentData::Shorts(self.shorts(count)?),
            5 => ContentData::Ints(self.words(count)?),
            6 => ContentData::Longs(self.longs(count)?),
            7 => ContentData::Floats(self.words(count)?),
            8 => ContentData::Doubles(self.longs(count)?),
            9 | 10 => {
                self.bound(length == 1 && recorded == 1, "length of a box")?;
                if number == 9 { ContentData::Boxed32(self.word()?) } else { ContentData::Boxed64(self.long()?) }
            }
            _ => return Err(Stop::Error(DecodeError::OutOfBounds { byte: self.position, what: "kind of contents" })),
        };
        Ok(Event::Content(Content { length, data }))
    }

    fn bound(&self, holds: bool, what: &'static str) -> Result<(), Stop> {
        if holds { Ok(()) } else { Err(Stop::Error(DecodeError::OutOfBounds { byte: self.position, what })) }
    }

    #[inline]
    fn take(&mut self, count: usize) -> Result<&[u8], Stop> {
        let end = self.used + count;
        let bytes = self.bytes.get(self.used..end).ok_or(Stop::Short)?;
        self.used = end;
        Ok(bytes)
    }

    #[inline]
    fn array<const N: usize>(&mut self) -> Result<[u8; N], Stop> {
        let rest = self.bytes.get(self.used..).and_then(<[u8]>::first_chunk).ok_or(Stop::Short)?;
        self.used += N;
        Ok(*rest)
    }

    #[inline]
    fn byte(&mut self) -> Result<u8, Stop> {
        self.array::<1>().map(|[byte]| byte)
    }

    #[inline]
    fn word(&mut self) -> Result<u32, Stop> {
        self.array().map(u32::from_le_bytes)
    }

    #[inline]
    fn long(&mut self) -> Result<u64, Stop> {
        self.array().map(u64::from_le_bytes)
    }

    #[inline]
    fn site(&mut self) -> Result<Site, Stop> {
        self.word().map(Site)
    }

    fn shorts(&mut self, count: usize) -> Result<Vec<u16>, Stop> {
        Ok(self.take(2 * count)?.as_chunks().0.iter().map(|&unit| u16::from_le_bytes(unit)).collect())
    }

    fn words(&mut self, count: usize) -> Result<Vec<u32>, Stop> {
        Ok(self.take(4 * count)?.as_chunks().0.iter().map(|&word| u32::from_le_bytes(word)).collect())
    }

    fn longs(&mut self, count: usize) -> Result<Vec<u64>, Stop> {
        Ok(self.take(8 * count)?.as_chunks().0.iter().map(|&long| u64::from_le_bytes(long)).collect())
    }

    #[inline]
    fn reference(&mut self) -> Result<Reference, Stop> {
        let first = self.word()?;
        if first == 0 {
            return Ok(Reference::NULL);
        }
        if first & SEEN != 0 {
            let known = self.described.get(&(first & !SEEN)).copied();
            return known.ok_or(Stop::Error(DecodeError::UnknownReference { byte: self.position }));
        }
        let reference = Reference { hash: first, class: ClassId(self.word()?), length: self.word()? };
        self.last = Some(reference);
        Ok(reference)
    }
}

fn content_number(data: &ContentData) -> u8 {
    match data {
        ContentData::String(_) => 0,
        ContentData::Booleans(_) => 1,
        ContentData::Bytes(_) => 2,
        ContentData::Chars(_) => 3,
        ContentData::Shorts(_) => 4,
        ContentData::Ints(_) => 5,
        ContentData::Longs(_) => 6,
        ContentData::Floats(_) => 7,
        ContentData::Doubles(_) => 8,
        ContentData::Boxed32(_) => 9,
        ContentData::Boxed64(_) => 10,
    }
}

fn push(value: u32, out: &mut Vec<u8>) {
    out.extend(value.to_le_bytes());
}

fn push_long(value: u64, out: &mut Vec<u8>) {
    out.extend(value.to_le_bytes());
}

/// Null is a zero; the JVM gives no object the identity hash 0.
fn push_reference(value: Reference, out: &mut Vec<u8>) {
    if value.is_null() {
        return push(0, out);
    }
    push(value.hash & !SEEN, out);
    push(value.class.0, out);
    push(value.length, out);
}
