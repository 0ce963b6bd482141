//! The text form of the records of a session (`docs/formats/session.md`). Flows in: records, or
//! text; flows out: text, or records. Must not know how a record is stored.

use tracewright_text::{LineCursor, Quoted};

use super::{Call, ClassBytes, OutlineOf, Outlined, Place, Process, Record, Run};
use crate::codec::{decode, encode};
use crate::event::Event;
use crate::text::{self, ParseError};

/// The lines of a record behind its first one begin so.
const INDENT: &str = "  ";

/// The text form: one record after the other, events indented. Class files are in hexadecimal.
pub fn print_records(records: &[Record]) -> String {
    let mut out = String::new();
    let indented = |events: &[Event]| text::print(events).lines().map(|line| format!("{INDENT}{line}\n")).collect::<String>();
    // Where events cannot be decoded, a remark says why.
    let decoded = |bytes: &[u8]| {
        let (events, end) = decode(bytes);
        let remark = end.err().map(|error| format!("  # {error}\n"));
        indented(&events) + remark.as_deref().unwrap_or_default()
    };
    for record in records {
        match record {
            Record::Process(process) => {
                let units = |text: &str| text.encode_utf16().collect::<Vec<u16>>();
                let (home, version) = (units(&process.jdk_home), units(&process.jdk_version));
                out += &format!("process {} {} {}\n", process.number, Quoted(&home), Quoted(&version));
                for (entry, hash) in &process.class_path {
                    out += &format!("  {hash:016x} {entry}\n");
                }
            }
            Record::Announcement(events) => {
                out += "announcement\n";
                out += &indented(events);
            }
            Record::ClassFile(class) => {
                let bytes: String = class.bytes.iter().map(|byte| format!("{byte:02x}")).collect();
                out += &format!("class-file {} {:016x} {}\n  {bytes}\n", class.loader, class.hash, class.name);
            }
            Record::Run(run) => {
                out += &format!("run thread {} {} {:016x}\n", run.thread, company(run.accompanied), run.signature);
                out += &decoded(&run.events);
            }
            Record::Call(call) => {
                out += &format!("call thread {}\n", call.thread);
                out += &decoded(&call.events);
            }
            Record::OutlineOf(of) => out += &format!("outline of {} bytes, {} whole\n", of.length, of.whole),
            Record::Outlined(run) => {
                let company = company(run.accompanied);
                let Place { offset, length } = run.place;
                out += &format!("outlined thread {} {company} {:016x} at {offset} {length}", run.thread, run.signature);
                run.entered.iter().for_each(|site| out += &format!(" {site}"));
                out += "\n";
                out += &decoded(&run.call);
            }
            Record::Counts(counts) => {
                out += "counts\n";
                for (reason, count) in counts {
                    out += &format!("  {count} {reason}\n");
                }
            }
        }
    }
    out
}

/// Reads the text form.
///
/// # Errors
/// The line that is malformed.
pub fn parse_records(text: &str) -> Result<Vec<Record>, ParseError> {
    let mut records = Vec::new();
    let mut lines = text.lines().enumerate().peekable();
    while let Some((index, head)) = lines.next() {
        let body = std::iter::from_fn(|| lines.next_if(|(_, line)| line.starts_with(INDENT)));
        let body: Vec<&str> = body.map(|(_, line)| &line[INDENT.len()..]).collect();
        if !head.trim().is_empty() {
            let record = parse_record(&mut LineCursor::new(head), &body);
            records.push(record.map_err(|error| ParseError::at_index(index + error.line, error.reason))?);
        }
    }
    Ok(records)
}

/// An error in one line of a record; `line` is 0 for the first.
struct RecordError {
    line: usize,
    reason: String,
}

impl From<String> for RecordError {
    fn from(reason: String) -> RecordError {
        RecordError { line: 0, reason }
    }
}

fn parse_record(head: &mut LineCursor<'_>, body: &[&str]) -> Result<Record, RecordError> {
    let record = match head.word() {
        "process" => {
            let (number, jdk_home, jdk_version) = (head.number()?, head.quoted_text()?, head.quoted_text()?);
            let entry = |line: &mut LineCursor<'_>| line.hexadecimal().map(|hash| (line.verbatim().to_owned(), hash));
            Record::Process(Process { number, jdk_home, jdk_version, class_path: each_line(body, entry)? })
        }
        "announcement" => Record::Announcement(parse_events(body)?),
        "class-file" => {
            let (loader, hash, name) = (head.number()?, head.hexadecimal()?, head.verbatim().to_owned());
            let bytes = each_line(body, |line| parse_bytes(line.remainder()))?.concat();
            Record::ClassFile(ClassBytes { loader, name, hash, bytes })
        }
        "run" => {
            let (thread, accompanied, signature) = parse_run(head)?;
            Record::Run(Run { thread, accompanied, signature, events: encoded_events(body)? })
        }
        "call" => {
            head.expect("thread")?;
            Record::Call(Call { thread: head.number()?, events: encoded_events(body)? })
        }
        "outline" => {
            head.expect("of")?;
            let length = head.number()?;
            head.expect("bytes,")?;
            let whole = head.number()?;
            head.expect("whole")?;
            Record::OutlineOf(OutlineOf { length, whole })
        }
        "outlined" => {
            let (thread, accompanied, signature) = parse_run(head)?;
            head.expect("at")?;
            let place = Place { offset: head.number()?, length: head.number()? };
            let mut entered = Vec::new();
            while !head.is_at_end() {
                entered.push(head.number()?);
            }
            Record::Outlined(Outlined { thread, accompanied, signature, place, entered, call: encoded_events(body)? })
        }
        "counts" => Record::Counts(each_line(body, |line| line.number().map(|count| (line.verbatim().to_owned(), count)))?),
        word => return Err(format!("no record is called `{word}`").into()),
    };
    head.end()?;
    Ok(record)
}

/// Reads `thread <ordinal> <company> <signature>`.
fn parse_run(head: &mut LineCursor<'_>) -> Result<(u32, bool, u64), String> {
    head.expect("thread")?;
    let thread = head.number()?;
    let accompanied = head.take_keyword(company(true));
    if !accompanied {
        head.expect(company(false))?;
    }
    Ok((thread, accompanied, head.hexadecimal()?))
}

/// Whether another run was open at the same time, as a word.
fn company(accompanied: bool) -> &'static str {
    if accompanied { "accompanied" } else { "alone" }
}

/// Parses every line behind the first one of a record.
fn each_line<T>(body: &[&str], parse: impl Fn(&mut LineCursor<'_>) -> Result<T, String>) -> Result<Vec<T>, RecordError> {
    let parsed = body
        .iter()
        .zip(1..)
        .map(|(line, number)| parse(&mut LineCursor::new(line)).map_err(|reason| RecordError { line: number, reason }));
    parsed.collect()
}

fn parse_events(body: &[&str]) -> Result<Vec<Event>, RecordError> {
    text::parse(&body.join("\n")).map_err(|error| RecordError { line: error.line, reason: error.reason })
}

fn encoded_events(body: &[&str]) -> Result<Vec<u8>, RecordError> {
    let mut bytes = Vec::new();
    parse_events(body)?.iter().for_each(|event| encode(event, &mut bytes));
    Ok(bytes)
}

/// Reads bytes of two hexadecimal digits each.
fn parse_bytes(digits: &str) -> Result<Vec<u8>, String> {
    let pair = |pair: &[u8]| std::str::from_utf8(pair).ok().and_then(|pair| u8::from_str_radix(pair, 16).ok());
    let bytes: Option<Vec<u8>> = digits.as_bytes().chunks(2).map(pair).collect();
    bytes.ok_or_else(|| "a class file is written in hexadecimal digits".into())
}
