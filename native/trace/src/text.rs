//! The text form of a trace, one event on a line. Flows in: events or text; flows out: the other.
//! Must not know the encoding in bytes. `parse(print(events)) == events`.

use std::fmt::{self, Write as _};
use std::str::FromStr;

pub use tracewright_text::ParseError;
use tracewright_text::{LineCursor, Quoted};

use crate::codec::OPERANDS;
use crate::event::{CONTENT_BOUND, ClassId, Content, ContentData, Event, Kind, Reference, Site, Verdict};

/// One line for each event, with a newline.
pub fn print(events: &[Event]) -> String {
    events.iter().fold(String::new(), |mut text, event| {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{event}");
        text
    })
}

/// Reads the text form. Empty lines and lines that begin with `#` are skipped.
///
/// # Errors
/// The first line that is no event, and why.
pub fn parse(text: &str) -> Result<Vec<Event>, ParseError> {
    text.lines()
        .enumerate()
        .filter(|(_, line)| !line.trim().is_empty() && !line.trim_start().starts_with('#'))
        .map(|(index, line)| parse_event(line).map_err(|reason| ParseError::at_index(index, reason)))
        .collect()
}

/// Parses one event.
///
/// # Errors
/// One sentence that says what is wrong with the line.
pub fn parse_event(line: &str) -> Result<Event, String> {
    let mut words = EventWords(LineCursor::new(line.trim()));
    let name = words.0.word();
    let kind = *Kind::ALL.iter().find(|kind| kind.name() == name).ok_or_else(|| format!("no event is called `{name}`"))?;
    let event = match kind {
        Kind::BranchNot => Event::BranchNot,
        Kind::BranchTaken => Event::BranchTaken,
        Kind::Switch => Event::Switch { key: words.0.number()? },
        Kind::Load32 => Event::Load32 { value: words.int()? },
        Kind::Load64 => Event::Load64 { value: words.long()? },
        Kind::LoadRef => Event::LoadRef { value: words.reference()? },
        Kind::RetVoid => Event::RetVoid { site: words.site()? },
        Kind::Ret32 => Event::Ret32 { site: words.site()?, value: words.int()? },
        Kind::Ret64 => Event::Ret64 { site: words.site()?, value: words.long()? },
        Kind::RetRef => Event::RetRef { site: words.site()?, value: words.reference()? },
        Kind::Entry => Event::Entry { site: words.site()? },
        Kind::Arg32 => Event::Arg32 { index: words.0.number::<u8>()?.into(), value: words.int()? },
        Kind::Arg64 => Event::Arg64 { index: words.0.number::<u8>()?.into(), value: words.long()? },
        Kind::ArgRef => Event::ArgRef { index: words.0.number::<u8>()?.into(), value: words.reference()? },
        Kind::Exit => Event::Exit,
        Kind::Caught => Event::Caught { site: words.site()?, value: words.reference()? },
        Kind::Statement => Event::Statement { index: words.operand()? },
        Kind::Result32 => Event::Result32 { index: words.operand()?, value: words.int()? },
        Kind::Result64 => Event::Result64 { index: words.operand()?, value: words.long()? },
        Kind::ResultRef => Event::ResultRef { index: words.operand()?, value: words.reference()? },
        Kind::ResultVoid => Event::ResultVoid { index: words.operand()? },
        Kind::Thrown => Event::Thrown { index: words.operand()?, value: words.reference()? },
        Kind::RunBegin => Event::RunBegin,
        Kind::RunEnd => Event::RunEnd { verdict: words.verdict()? },
        Kind::Class => Event::Class { id: ClassId(words.operand()?), name: words.0.quoted_text()? },
        Kind::ClassSites => {
            let (base, count) = (words.operand()?, words.0.number()?);
            Event::ClassSites { base, count, class: ClassId(words.0.number()?), hash: words.0.hexadecimal()? }
        }
        Kind::Content => Event::Content(words.content()?),
        Kind::Thread => Event::Thread { ordinal: words.operand()? },
    };
    words.0.end().map(|()| event)
}

impl fmt::Display for Event {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.kind().name())?;
        match self {
            Event::BranchNot | Event::BranchTaken | Event::Exit | Event::RunBegin => Ok(()),
            Event::RetVoid { site } | Event::Entry { site } => write!(f, " {site}"),
            Event::Switch { key } => write!(f, " {key}"),
            Event::Load32 { value } => write!(f, " {}", *value as i32),
            Event::Load64 { value } => write!(f, " {}", *value as i64),
            Event::LoadRef { value } => write!(f, " {value}"),
            Event::Ret32 { site, value } => write!(f, " {site} {}", *value as i32),
            Event::Ret64 { site, value } => write!(f, " {site} {}", *value as i64),
            Event::RetRef { site, value } | Event::Caught { site, value } => {
                write!(f, " {site} {value}")
            }
            Event::Arg32 { index, value } | Event::Result32 { index, value } => write!(f, " {index} {}", *value as i32),
            Event::Arg64 { index, value } | Event::Result64 { index, value } => write!(f, " {index} {}", *value as i64),
            Event::ArgRef { index, value } | Event::ResultRef { index, value } | Event::Thrown { index, value } => {
                write!(f, " {index} {value}")
            }
            Event::Statement { index } | Event::ResultVoid { index } => write!(f, " {index}"),
            Event::RunEnd { verdict } => write!(f, " {verdict}"),
            Event::Class { id, name } => {
                let units: Vec<u16> = name.encode_utf16().collect();
                write!(f, " {id} {}", Quoted(&units))
            }
            Event::ClassSites { base, count, class, hash } => write!(f, " {base} {count} {class} {hash:016x}"),
            Event::Content(content) => write!(f, " {content}"),
            Event::Thread { ordinal } => write!(f, " {ordinal}"),
        }
    }
}

/// `null`, `@<hash>:<class>` or `@<hash>:<class>[<length>]`; the hash in hexadecimal.
impl fmt::Display for Reference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if *self == Reference::NULL {
            return f.write_str("null");
        }
        write!(f, "@{:x}:{}", self.hash, self.class)?;
        if self.length == 0 { Ok(()) } else { write!(f, "[{}]", self.length) }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Verdict::Completed => f.write_str("completed"),
            Verdict::Threw => f.write_str("threw"),
            Verdict::Budget => f.write_str("budget"),
            Verdict::Refused => f.write_str("refused"),
            Verdict::Exhausted => f.write_str("exhausted"),
            Verdict::Other(other) => write!(f, "{other}"),
        }
    }
}

/// `<kind> <length> <elements>`; a string in double quotes, with what is not printable ASCII as
/// `\uXXXX`.
impl fmt::Display for Content {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let length = self.length;
        match &self.data {
            ContentData::String(units) => {
                write!(f, "string {length} {}", Quoted(units))
            }
            ContentData::Booleans(v) => list(f, "booleans", length, v.iter()),
            ContentData::Bytes(v) => list(f, "bytes", length, v.iter().map(|&byte| byte as i8)),
            ContentData::Chars(v) => list(f, "chars", length, v.iter()),
            ContentData::Shorts(v) => list(f, "shorts", length, v.iter().map(|&short| short as i16)),
            ContentData::Ints(v) => list(f, "ints", length, v.iter().map(|&int| int as i32)),
            ContentData::Longs(v) => list(f, "longs", length, v.iter().map(|&long| long as i64)),
            ContentData::Floats(v) => list(f, "floats", length, v.iter()),
            ContentData::Doubles(v) => list(f, "doubles", length, v.iter()),
            ContentData::Boxed32(value) => list(f, "boxed32", length, [*value as i32].iter()),
            ContentData::Boxed64(value) => list(f, "boxed64", length, [*value as i64].iter()),
        }
    }
}

fn list<T: fmt::Display>(f: &mut fmt::Formatter<'_>, kind: &str, length: u32, values: impl Iterator<Item = T>) -> fmt::Result {
    write!(f, "{kind} {length}")?;
    for value in values {
        write!(f, " {value}")?;
    }
    Ok(())
}

/// The words of a line, as the values that events have.
struct EventWords<'a>(LineCursor<'a>);

impl EventWords<'_> {
    fn operand(&mut self) -> Result<u32, String> {
        let number = self.0.number()?;
        if number < OPERANDS { Ok(number) } else { Err(format!("{number} needs more than 31 bits")) }
    }

    fn site(&mut self) -> Result<Site, String> {
        self.operand().map(Site)
    }

    fn int(&mut self) -> Result<u32, String> {
        self.0.number::<i32>().map(|value| value as u32)
    }

    fn long(&mut self) -> Result<u64, String> {
        self.0.number::<i64>().map(|value| value as u64)
    }

    fn reference(&mut self) -> Result<Reference, String> {
        let word = self.0.word();
        if word == "null" {
            return Ok(Reference::NULL);
        }
        let parsed = || {
            let (hash, class) = word.strip_prefix('@')?.split_once(':')?;
            let (class, length) = match class.split_once('[') {
                Some((class, length)) => (class, length.strip_suffix(']')?.parse().ok()?),
                None => (class, 0),
            };
            // 0 is the hash of null, and the top bit marks references that were described before.
            let hash = u32::from_str_radix(hash, 16).ok().filter(|hash| (1..OPERANDS).contains(hash))?;
            Some(Reference { hash, class: ClassId(class.parse().ok()?), length })
        };
        parsed().ok_or_else(|| format!("`{word}` is no reference"))
    }

    /// A verdict has a name, or else a number.
    fn verdict(&mut self) -> Result<Verdict, String> {
        let mut behind = self.0.clone();
        let verdict = match behind.word() {
            "completed" => Verdict::Completed,
            "threw" => Verdict::Threw,
            "budget" => Verdict::Budget,
            "refused" => Verdict::Refused,
            "exhausted" => Verdict::Exhausted,
            _ => return self.operand().map(Verdict::from_word),
        };
        self.0 = behind;
        Ok(verdict)
    }

    fn content(&mut self) -> Result<Content, String> {
        let kind = self.0.word();
        let length: u32 = self.0.number()?;
        let data = match kind {
            "string" => ContentData::String(self.0.quoted()?),
            "booleans" => ContentData::Booleans(self.list(|v: u8| v)?),
            "bytes" => ContentData::Bytes(self.list(|v: i8| v as u8)?),
            "chars" => ContentData::Chars(self.list(|v: u16| v)?),
            "shorts" => ContentData::Shorts(self.list(|v: i16| v as u16)?),
            "ints" => ContentData::Ints(self.list(|v: i32| v as u32)?),
            "longs" => ContentData::Longs(self.list(|v: i64| v as u64)?),
            "floats" => ContentData::Floats(self.list(|v: u32| v)?),
            "doubles" => ContentData::Doubles(self.list(|v: u64| v)?),
            "boxed32" => ContentData::Boxed32(self.int()?),
            "boxed64" => ContentData::Boxed64(self.long()?),
            _ => return Err(format!("no contents are called `{kind}`")),
        };
        let recorded = data.len() as u32;
        let boxed = matches!(data, ContentData::Boxed32(_) | ContentData::Boxed64(_));
        if recorded > CONTENT_BOUND || recorded > length || (boxed && length != 1) {
            return Err(format!("{recorded} elements of {length}"));
        }
        Ok(Content { length, data })
    }

    /// Every number up to the end of the line.
    fn list<T: FromStr<Err: fmt::Display>, U>(&mut self, convert: impl Fn(T) -> U) -> Result<Vec<U>, String> {
        let mut values = Vec::new();
        while !self.0.is_at_end() {
            values.push(convert(self.0.number()?));
        }
        Ok(values)
    }
}
