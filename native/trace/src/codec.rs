//! Events to 32-bit little-endian words and back. Flows in: events, or bytes in pieces of any size; flows out: words, or events.
//! A decoder never panics and never reserves memory for what it has not seen: truncation and garbage are errors with a position.

use thiserror::Error;

use crate::event::{CONTENT_BOUND, ClassId, Content, ContentData, Event, Kind, Reference, Site, Verdict};

/// Operands are 27 bits.
pub const OPERAND_MASK: u32 = (1 << 27) - 1;
/// Class names are constant-pool strings: at most 65,535 bytes (JVMS §4.4.7), of which modified UTF-8 grows none when made UTF-8.
const NAME_BOUND: u32 = 65_535;

#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum DecodeError {
    #[error("word {word}: {number} names no kind of event")]
    UnknownKind { word: u64, number: u32 },
    #[error("word {word}: {what} is out of bounds")]
    OutOfBounds { word: u64, what: &'static str },
    #[error("word {word}: the name of a class is no UTF-8")]
    BadName { word: u64 },
    #[error("the stream ends inside the event at word {word}")]
    Truncated { word: u64 },
}

/// Appends the words of an event. Operands are cut to 27 bits.
pub fn encode(event: &Event, out: &mut Vec<u32>) {
    let first = |kind: Kind, operand: u32, out: &mut Vec<u32>| out.push(((kind as u32) << 27) | (operand & OPERAND_MASK));
    let kind = event.kind();
    match event {
        Event::BranchNot { site }
        | Event::BranchTaken { site }
        | Event::RetVoid { site }
        | Event::Entry { site }
        | Event::Exit { site } => first(kind, site.0, out),
        Event::Switch { site, key } => {
            first(kind, site.0, out);
            out.push(*key as u32);
        }
        Event::Load32 { site, value } | Event::Ret32 { site, value } => {
            first(kind, site.0, out);
            out.push(*value);
        }
        Event::Load64 { site, value } | Event::Ret64 { site, value } => {
            first(kind, site.0, out);
            push_long(*value, out);
        }
        Event::LoadRef { site, value } | Event::RetRef { site, value } | Event::Caught { site, value } => {
            first(kind, site.0, out);
            push_reference(*value, out);
        }
        Event::Arg32 { index, value } | Event::Result32 { index, value } => {
            first(kind, *index, out);
            out.push(*value);
        }
        Event::Arg64 { index, value } | Event::Result64 { index, value } => {
            first(kind, *index, out);
            push_long(*value, out);
        }
        Event::ArgRef { index, value } | Event::ResultRef { index, value } | Event::Thrown { index, value } => {
            first(kind, *index, out);
            push_reference(*value, out);
        }
        Event::Statement { index } | Event::ResultVoid { index } => first(kind, *index, out),
        Event::RunBegin => first(kind, 0, out),
        Event::RunEnd { verdict } => first(kind, verdict.word(), out),
        Event::Class { id, name } => {
            first(kind, id.0, out);
            out.push(name.len() as u32);
            out.extend(name.as_bytes().chunks(4).map(pack_bytes));
        }
        Event::ClassSites { base, count, class, hash } => {
            first(kind, *base, out);
            out.extend([*count, class.0]);
            push_long(*hash, out);
        }
        Event::Content(content) => {
            first(kind, content_number(&content.data), out);
            out.extend([content.length, content.data.len() as u32]);
            match &content.data {
                ContentData::String(v) | ContentData::Chars(v) | ContentData::Shorts(v) => {
                    out.extend(v.chunks(2).map(|c| u32::from(c[0]) | c.get(1).map_or(0, |&high| u32::from(high) << 16)));
                }
                ContentData::Booleans(v) | ContentData::Bytes(v) => out.extend(v.chunks(4).map(pack_bytes)),
                ContentData::Ints(v) | ContentData::Floats(v) => out.extend(v),
                ContentData::Longs(v) | ContentData::Doubles(v) => v.iter().for_each(|&long| push_long(long, out)),
                ContentData::Boxed32(value) => out.push(*value),
                ContentData::Boxed64(value) => push_long(*value, out),
            }
        }
        Event::Thread { ordinal } => first(kind, *ordinal, out),
    }
}

/// Decodes a whole stream: the events before the first fault, and the fault.
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

/// A decoder fed in pieces. After the first error it repeats that error: there is no way to find the next event boundary.
#[derive(Clone, Debug, Default)]
pub struct Decoder {
    words: Vec<u32>,
    /// Index into `words` of the next event.
    next: usize,
    /// Stream position of `words[0]`.
    base: u64,
    /// One to three bytes of an unfinished word.
    rest: Vec<u8>,
    failed: Option<DecodeError>,
}

impl Decoder {
    pub fn new() -> Decoder {
        Decoder::default()
    }

    /// Appends bytes of the stream.
    pub fn push(&mut self, mut bytes: &[u8]) {
        self.base += self.next as u64;
        self.words.drain(..self.next);
        self.next = 0;
        if !self.rest.is_empty() {
            let take = bytes.len().min(4 - self.rest.len());
            self.rest.extend_from_slice(&bytes[..take]);
            bytes = &bytes[take..];
            if self.rest.len() < 4 {
                return;
            }
            self.words.push(unpack_bytes(&self.rest));
            self.rest.clear();
        }
        let chunks = bytes.chunks_exact(4);
        self.rest.extend_from_slice(chunks.remainder());
        self.words.extend(chunks.map(unpack_bytes));
    }

    /// The next whole event; `None` when more bytes are needed.
    pub fn next_event(&mut self) -> Result<Option<Event>, DecodeError> {
        if let Some(error) = &self.failed {
            return Err(error.clone());
        }
        let mut reader = Reader { words: &self.words[self.next..], used: 0, position: self.base + self.next as u64 };
        match reader.event() {
            Ok(event) => {
                self.next += reader.used;
                Ok(Some(event))
            }
            Err(Stop::Short) => Ok(None),
            Err(Stop::Error(error)) => {
                self.failed = Some(error.clone());
                Err(error)
            }
        }
    }

    /// Stream position of the next event, in words.
    pub fn position(&self) -> u64 {
        self.base + self.next as u64
    }

    /// Says whether the stream ended at an event boundary.
    pub fn finish(&self) -> Result<(), DecodeError> {
        match &self.failed {
            Some(error) => Err(error.clone()),
            None if self.next == self.words.len() && self.rest.is_empty() => Ok(()),
            None => Err(DecodeError::Truncated { word: self.position() }),
        }
    }
}

enum Stop {
    Short,
    Error(DecodeError),
}

struct Reader<'a> {
    words: &'a [u32],
    used: usize,
    position: u64,
}

impl Reader<'_> {
    fn event(&mut self) -> Result<Event, Stop> {
        let first = self.word()?;
        let number = first >> 27;
        let operand = first & OPERAND_MASK;
        let Some(kind) = Kind::from_number(number) else {
            return Err(Stop::Error(DecodeError::UnknownKind { word: self.position, number }));
        };
        let site = Site(operand);
        let index = operand;
        Ok(match kind {
            Kind::BranchNot => Event::BranchNot { site },
            Kind::BranchTaken => Event::BranchTaken { site },
            Kind::Switch => Event::Switch { site, key: self.word()? as i32 },
            Kind::Load32 => Event::Load32 { site, value: self.word()? },
            Kind::Load64 => Event::Load64 { site, value: self.long()? },
            Kind::LoadRef => Event::LoadRef { site, value: self.reference()? },
            Kind::RetVoid => Event::RetVoid { site },
            Kind::Ret32 => Event::Ret32 { site, value: self.word()? },
            Kind::Ret64 => Event::Ret64 { site, value: self.long()? },
            Kind::RetRef => Event::RetRef { site, value: self.reference()? },
            Kind::Entry => Event::Entry { site },
            Kind::Arg32 => Event::Arg32 { index, value: self.word()? },
            Kind::Arg64 => Event::Arg64 { index, value: self.long()? },
            Kind::ArgRef => Event::ArgRef { index, value: self.reference()? },
            Kind::Exit => Event::Exit { site },
            Kind::Caught => Event::Caught { site, value: self.reference()? },
            Kind::Statement => Event::Statement { index },
            Kind::Result32 => Event::Result32 { index, value: self.word()? },
            Kind::Result64 => Event::Result64 { index, value: self.long()? },
            Kind::ResultRef => Event::ResultRef { index, value: self.reference()? },
            Kind::ResultVoid => Event::ResultVoid { index },
            Kind::Thrown => Event::Thrown { index, value: self.reference()? },
            Kind::RunBegin => Event::RunBegin,
            Kind::RunEnd => Event::RunEnd { verdict: Verdict::from_word(operand) },
            Kind::Class => {
                let length = self.word()?;
                self.bound(length <= NAME_BOUND, "length of a class name")?;
                let bytes = self.bytes(length as usize)?;
                let name = String::from_utf8(bytes).map_err(|_| Stop::Error(DecodeError::BadName { word: self.position }))?;
                Event::Class { id: ClassId(operand), name }
            }
            Kind::ClassSites => {
                Event::ClassSites { base: operand, count: self.word()?, class: ClassId(self.word()?), hash: self.long()? }
            }
            Kind::Content => self.content(operand)?,
            Kind::Thread => Event::Thread { ordinal: operand },
        })
    }

    fn content(&mut self, number: u32) -> Result<Event, Stop> {
        let length = self.word()?;
        let recorded = self.word()?;
        self.bound(recorded <= CONTENT_BOUND && recorded <= length, "length of contents")?;
        let count = recorded as usize;
        let data = match number {
            0 => ContentData::String(self.shorts(count)?),
            1 => ContentData::Booleans(self.bytes(count)?),
            2 => ContentData::Bytes(self.bytes(count)?),
            3 => ContentData::Chars(self.shorts(count)?),
            4 => ContentData::Shorts(self.shorts(count)?),
            5 => ContentData::Ints(self.take(count)?.to_vec()),
            6 => ContentData::Longs(self.longs(count)?),
            7 => ContentData::Floats(self.take(count)?.to_vec()),
            8 => ContentData::Doubles(self.longs(count)?),
            9 | 10 => {
                self.bound(length == 1 && recorded == 1, "length of a box")?;
                if number == 9 { ContentData::Boxed32(self.word()?) } else { ContentData::Boxed64(self.long()?) }
            }
            _ => return Err(Stop::Error(DecodeError::OutOfBounds { word: self.position, what: "kind of contents" })),
        };
        Ok(Event::Content(Content { length, data }))
    }

    fn bound(&self, holds: bool, what: &'static str) -> Result<(), Stop> {
        if holds { Ok(()) } else { Err(Stop::Error(DecodeError::OutOfBounds { word: self.position, what })) }
    }

    fn take(&mut self, count: usize) -> Result<&[u32], Stop> {
        let end = self.used + count;
        let words = self.words.get(self.used..end).ok_or(Stop::Short)?;
        self.used = end;
        Ok(words)
    }

    fn word(&mut self) -> Result<u32, Stop> {
        Ok(self.take(1)?[0])
    }

    fn long(&mut self) -> Result<u64, Stop> {
        let words = self.take(2)?;
        Ok(u64::from(words[0]) | u64::from(words[1]) << 32)
    }

    fn longs(&mut self, count: usize) -> Result<Vec<u64>, Stop> {
        Ok(self.take(2 * count)?.chunks(2).map(|c| u64::from(c[0]) | u64::from(c[1]) << 32).collect())
    }

    fn shorts(&mut self, count: usize) -> Result<Vec<u16>, Stop> {
        let words = self.take(count.div_ceil(2))?;
        Ok(words.iter().flat_map(|&word| [word as u16, (word >> 16) as u16]).take(count).collect())
    }

    fn bytes(&mut self, count: usize) -> Result<Vec<u8>, Stop> {
        let words = self.take(count.div_ceil(4))?;
        Ok(words.iter().flat_map(|word| word.to_le_bytes()).take(count).collect())
    }

    fn reference(&mut self) -> Result<Reference, Stop> {
        let words = self.take(3)?;
        Ok(Reference { hash: words[0], class: ClassId(words[1]), length: words[2] })
    }
}

fn content_number(data: &ContentData) -> u32 {
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

fn push_long(value: u64, out: &mut Vec<u32>) {
    out.extend([value as u32, (value >> 32) as u32]);
}

fn push_reference(value: Reference, out: &mut Vec<u32>) {
    out.extend([value.hash, value.class.0, value.length]);
}

/// Up to four bytes, the first one lowest.
fn pack_bytes(bytes: &[u8]) -> u32 {
    bytes.iter().rev().fold(0, |word, &byte| word << 8 | u32::from(byte))
}

fn unpack_bytes(bytes: &[u8]) -> u32 {
    pack_bytes(bytes)
}
