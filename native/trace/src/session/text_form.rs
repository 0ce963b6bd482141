//! The text form of the records of a session (`docs/formats/session.md`). Flows in: records, or
//! text; flows out: text, or records. Must not know how a record is stored.

use tracewright_text::{LineCursor, Quoted};

use super::{Call, ClassBytes, OutlineOf, Outlined, Place, Process, Record, Run};
use crate::codec::{decode, encode};
use crate::event::Event;
use crate::text::{self, ParseError};

/// The text form: one record after the other, events indented. Class files are in hexadecimal.
pub fn print_records(records: &[Record]) -> String {
    let mut out = String::new();
    let indented = |events: &[Event]| text::print(events).lines().map(|line| format!("  {line}\n")).collect::<String>();
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
                let beside = if run.accompanied { "accompanied" } else { "alone" };
                out += &format!("run thread {} {beside} {:016x}\n", run.thread, run.signature);
                out += &decoded(&run.events);
            }
            Record::Call(call) => {
                out += &format!("call thread {}\n", call.thread);
                out += &decoded(&call.events);
            }
            Record::OutlineOf(of) => out += &format!("outline of {} bytes, {} whole\n", of.length, of.whole),
            Record::Outlined(run) => {
                let beside = if run.accompanied { "accompanied" } else { "alone" };
                let Place { offset, length } = run.place;
                out += &format!("outlined thread {} {beside} {:016x} at {offset} {length}", run.thread, run.signature);
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
    let lines: Vec<&str> = text.lines().collect();
    let mut at = 0;
    while at < lines.len() {
        let line = at + 1;
        let wrong = |message: &str| ParseError { line, reason: message.into() };
        let head = lines[at];
        at += 1;
        let first = at;
        while lines.get(at).is_some_and(|line| line.starts_with("  ")) {
            at += 1;
        }
        let body: Vec<&str> = lines[first..at].iter().map(|line| &line[2..]).collect();
        let mut words = head.splitn(4, ' ');
        let mut word = || words.next().unwrap_or_default();
        let hexadecimal = |word: &str| u64::from_str_radix(word, 16).map_err(|_| wrong("no hash"));
        let events = |body: &[&str]| {
            text::parse(&body.join("\n")).map_err(|error| ParseError { line: line + error.line, reason: error.reason })
        };
        let record = match word() {
            "" => continue,
            "process" => {
                let mut words = LineCursor::new(head);
                words.word();
                let number = words.number().map_err(|_| wrong("no number of a process"))?;
                let mut text = || words.quoted().map(|units| String::from_utf16_lossy(&units)).map_err(|_| wrong("no JDK"));
                let (jdk_home, jdk_version) = (text()?, text()?);
                let mut class_path = Vec::new();
                for entry in body {
                    let (hash, entry) = entry.split_once(' ').ok_or_else(|| wrong("no entry of a class path"))?;
                    class_path.push((entry.to_owned(), hexadecimal(hash)?));
                }
                Record::Process(Process { number, jdk_home, jdk_version, class_path })
            }
            "announcement" => Record::Announcement(events(&body)?),
            "class-file" => {
                let loader = word().parse().map_err(|_| wrong("no loader"))?;
                let hash = hexadecimal(word())?;
                let name = word().to_owned();
                let digits = body.first().copied().unwrap_or_default().as_bytes();
                let pairs = digits.chunks(2).map(|pair| {
                    let pair = std::str::from_utf8(pair).unwrap_or_default();
                    u8::from_str_radix(pair, 16).map_err(|_| wrong("no hexadecimal digits"))
                });
                Record::ClassFile(ClassBytes { loader, name, hash, bytes: pairs.collect::<Result<_, _>>()? })
            }
            "run" => {
                let mut words = head.split(' ').skip(2);
                let thread = words.next().unwrap_or_default().parse().map_err(|_| wrong("no thread"))?;
                let accompanied = words.next() == Some("accompanied");
                let signature = hexadecimal(words.next().unwrap_or_default())?;
                let mut bytes = Vec::new();
                events(&body)?.iter().for_each(|event| encode(event, &mut bytes));
                Record::Run(Run { thread, accompanied, signature, events: bytes })
            }
            "call" => {
                let thread = head.split(' ').nth(2).unwrap_or_default().parse().map_err(|_| wrong("no thread"))?;
                let mut bytes = Vec::new();
                events(&body)?.iter().for_each(|event| encode(event, &mut bytes));
                Record::Call(Call { thread, events: bytes })
            }
            "outline" => {
                let numbers: Vec<u64> = head.split([' ', ',']).filter_map(|word| word.parse().ok()).collect();
                let [length, whole] = numbers[..] else { return Err(wrong("no two lengths")) };
                Record::OutlineOf(OutlineOf { length, whole })
            }
            "outlined" => {
                let words: Vec<&str> = head.split(' ').collect();
                let ["outlined", "thread", thread, beside, signature, "at", offset, length, sites @ ..] = &words[..] else {
                    return Err(wrong("no outline of a run"));
                };
                let number = |word: &str| word.parse::<u64>().map_err(|_| wrong("no number"));
                let short = |word: &str| word.parse::<u32>().map_err(|_| wrong("no number"));
                let mut call = Vec::new();
                events(&body)?.iter().for_each(|event| encode(event, &mut call));
                Record::Outlined(Outlined {
                    thread: short(thread)?,
                    accompanied: *beside == "accompanied",
                    signature: hexadecimal(signature)?,
                    place: Place { offset: number(offset)?, length: number(length)? },
                    entered: sites.iter().map(|site| short(site)).collect::<Result<_, _>>()?,
                    call,
                })
            }
            "counts" => {
                let mut counts = Vec::new();
                for line in body {
                    let (count, reason) = line.split_once(' ').ok_or_else(|| wrong("no count"))?;
                    counts.push((reason.to_owned(), count.parse().map_err(|_| wrong("no count"))?));
                }
                Record::Counts(counts)
            }
            _ => return Err(wrong("no record is called so")),
        };
        records.push(record);
    }
    Ok(records)
}
