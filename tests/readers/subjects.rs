//! The readers of all packages, as subjects of the fuzzer.
//!
//! Text formats have examples in `tests/data/readers/<name>.txt`, with `----` between two of them.
//! Examples of binary formats are encoded from those, or built here.

use std::path::{Path, PathBuf};

use tracewright::readers::{READERS, ReaderResult};
use tracewright_agent::probes::{Plan, rewrite};
use tracewright_classfile::{ClassFile, MutantId};
use tracewright_test_support::fuzz::{Read, Subject};
use tracewright_test_support::{class_files_below, development_jars, jar_classes};
use tracewright_trace::session::{self, OutlineOf, Place, Record};
use tracewright_trace::{BranchSlot, LineSlot};

/// Class files up to this size are examples.
const MOST_CLASS_BYTES: usize = 3_000;
/// Classes of each jar that are examples.
const CLASSES_OF_A_JAR: usize = 12;

/// All readers, in the order of the table of the root package; then those of the agent.
pub(crate) fn subjects() -> Vec<Subject> {
    let of_agent = [("agent-options", agent_options as Read), ("rewriting", rewriting as Read)];
    READERS.iter().map(|reader| (reader.name, reader.read)).chain(of_agent).map(|(name, read)| subject(name, read)).collect()
}

fn subject(name: &'static str, read: Read) -> Subject {
    let examples = match name {
        "class-file" | "rewriting" => class_files(),
        "trace" => traces(),
        "session" => vec![session_file(|record| !is_of_index(record))],
        "index" => vec![index_file()],
        "announced-classes" => vec![announced_classes()],
        "worker-result" => vec![worker_result(), vec![0; 40]],
        "diagnostics" => vec![diagnostics()],
        "report" => vec![include_bytes!("../../src/report/version1.json").to_vec(), report()],
        "trace-text" => [stored(name), sections("trace")].concat(),
        "test-case" => [stored(name), sections("test")].concat(),
        "query-log" => [stored(name), recorded_queries()].concat(),
        _ => stored(name),
    };
    let binary = ["class-file", "rewriting", "trace", "session", "index", "announced-classes", "worker-result", "diagnostics"];
    let is_text = !binary.contains(&name);
    let words = if is_text { words(&examples) } else { Vec::new() };
    let repair = matches!(name, "session" | "index").then_some(correct_checksums as fn(&mut [u8]));
    let weight = match name {
        // `clap` needs a millisecond for the declaration of the options alone.
        "arguments" => 1,
        "settings" | "report" | "rewriting" => 5,
        "class-file" => 20,
        _ => 30,
    };
    Subject { name, read, examples, words, is_text, repair, weight }
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The examples in the file of a reader.
fn stored(name: &str) -> Vec<Vec<u8>> {
    let path = root().join("tests/data/readers").join(format!("{name}.txt"));
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    text.split("----\n").map(|example| single_line(example).as_bytes().to_vec()).collect()
}

/// Formats of one line are read without its end.
fn single_line(example: &str) -> &str {
    match example.strip_suffix('\n') {
        Some(line) if !line.contains('\n') && !line.ends_with(':') => line,
        _ => example,
    }
}

/// The distinct words of the examples.
fn words(examples: &[Vec<u8>]) -> Vec<Vec<u8>> {
    let split = |example: &[u8]| {
        let text = String::from_utf8_lossy(example).into_owned();
        text.split([' ', '\n', '"', ',', '=', '(', ')']).map(|word| word.as_bytes().to_vec()).collect::<Vec<_>>()
    };
    let mut words: Vec<Vec<u8>> = examples.iter().take(40).flat_map(|example| split(example)).collect();
    words.sort();
    words.dedup();
    words.retain(|word| (1..40).contains(&word.len()));
    words
}

/// The parts of this name in the replay fixtures.
fn sections(name: &str) -> Vec<Vec<u8>> {
    let mut files: Vec<PathBuf> = Vec::new();
    let mut folders = vec![root().join("tests/data/replay/runs")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).expect("a folder of fixtures").flatten() {
            let path = entry.path();
            if path.is_dir() { folders.push(path) } else { files.push(path) }
        }
    }
    files.sort();
    let section = |file: &PathBuf| {
        let text = std::fs::read_to_string(file).ok()?;
        let (_, rest) = text.split_once(&format!("== {name}\n"))?;
        Some(rest.split("== ").next().unwrap_or_default().as_bytes().to_vec())
    };
    files.iter().step_by(5).filter_map(section).filter(|text| text.len() < 3_000).collect()
}

/// Every tenth of the recorded queries that are short.
fn recorded_queries() -> Vec<Vec<u8>> {
    let text = std::fs::read_to_string(root().join("benches/queries.txt")).expect("recorded queries");
    let entries = text.split("# ").skip(1).map(|entry| format!("# {entry}").into_bytes());
    entries.filter(|entry| entry.len() < 1_500).step_by(10).take(100).collect()
}

/// Small class files of the fixtures and of the development jars.
fn class_files() -> Vec<Vec<u8>> {
    let fixtures = class_files_below(&root().join("tests/data/replay/classes"));
    let mut files: Vec<Vec<u8>> = fixtures.into_iter().map(|class| class.bytes).collect();
    for jar in development_jars().unwrap_or_default() {
        let mut classes: Vec<Vec<u8>> = jar_classes(&jar).into_iter().map(|class| class.bytes).collect();
        classes.retain(|bytes| bytes.len() <= MOST_CLASS_BYTES);
        let step = classes.len().div_ceil(CLASSES_OF_A_JAR).max(1);
        files.extend(classes.into_iter().step_by(step));
    }
    files.retain(|bytes| bytes.len() <= 2 * MOST_CLASS_BYTES);
    files
}

fn traces() -> Vec<Vec<u8>> {
    let encoded = |text: &Vec<u8>| {
        let mut bytes = Vec::new();
        let events = tracewright_trace::parse(std::str::from_utf8(text).expect("text")).expect("events");
        events.iter().for_each(|event| tracewright_trace::encode(event, &mut bytes));
        bytes
    };
    [stored("trace-text"), sections("trace")].concat().iter().map(encoded).collect()
}

fn is_of_index(record: &Record) -> bool {
    matches!(record, Record::OutlineOf(_) | Record::Outlined(_))
}

/// A session file with the example's records that are wanted, and a class file.
fn session_file(is_wanted: impl Fn(&Record) -> bool) -> Vec<u8> {
    let text = stored("session-text").remove(0);
    let records = session::parse_records(std::str::from_utf8(&text).expect("text")).expect("records");
    let bytes = std::fs::read(root().join("tests/data/replay/classes/library/Ring$1.class")).expect("a class file");
    let class =
        session::ClassBytes { loader: 1, name: "library/Ring$1".into(), hash: tracewright_trace::class_hash(&bytes), bytes };
    let mut file = session::MAGIC.to_vec();
    for record in records.into_iter().filter(is_wanted).chain([Record::ClassFile(class)]) {
        session::encode_record(&record, &mut file);
    }
    file
}

fn index_file() -> Vec<u8> {
    let mut file = session::MAGIC.to_vec();
    session::encode_record(&Record::OutlineOf(OutlineOf { length: 500, whole: 480 }), &mut file);
    file.extend_from_slice(
        &session_file(|record| !matches!(record, Record::Run(_) | Record::OutlineOf(_)))[session::MAGIC.len()..],
    );
    let run = session::Run { thread: 1, accompanied: false, signature: 7, events: traces().swap_remove(1) };
    session::encode_record(&Record::Outlined(run.outlined(Place { offset: 9, length: 90 })), &mut file);
    file
}

/// Makes the checksums of all whole records fit.
fn correct_checksums(file: &mut [u8]) {
    let mut at = session::MAGIC.len();
    while let Some(header) = file.get(at..at + 5) {
        let length = u32::from_le_bytes([header[1], header[2], header[3], header[4]]) as usize;
        let end = at + 5 + length;
        if end + 4 > file.len() {
            return;
        }
        let sum = session::checksum(&file[at..end]);
        file[end..end + 4].copy_from_slice(&sum.to_le_bytes());
        at = end + 4;
    }
}

/// Bytes of a frame of a worker, big-endian.
#[derive(Default)]
struct Payload(Vec<u8>);

impl Payload {
    fn byte(mut self, value: u8) -> Payload {
        self.0.push(value);
        self
    }

    fn short(mut self, value: u16) -> Payload {
        self.0.extend(value.to_be_bytes());
        self
    }

    fn word(mut self, value: u32) -> Payload {
        self.0.extend(value.to_be_bytes());
        self
    }

    fn long(mut self, value: u64) -> Payload {
        self.0.extend(value.to_be_bytes());
        self
    }

    fn text(self, text: &str) -> Payload {
        let mut payload = self.word(text.len() as u32);
        payload.0.extend(text.as_bytes());
        payload
    }
}

fn announced_classes() -> Vec<u8> {
    Payload::default().word(3).text("Lp/A;").text("[I").text("[[Ljava/lang/String;").0
}

/// A test case that threw: goals, classes, snapshots of every kind, a call of a mock, marks, leftovers.
fn worker_result() -> Vec<u8> {
    let end = Payload::default().word(4).byte(1).word(1).word(1).byte(1).word(1).short(97).byte(1).byte(1);
    let frame = end.text("p.A").text("f").word(7);
    let goals = frame.word(1).word(3).long(1.5f64.to_bits()).word(2).word(1).word(2);
    let classes = goals.short(2).word(1).byte(1).word(u32::MAX).byte(0);
    let strings = classes.word(1).word(2).short(97).short(0xd800).byte(1);
    let array = strings.byte(14).word(2).word(2).byte(1).byte(6).word(5).byte(11).byte(7).long(9);
    // A list that holds a null.
    let contents = array.byte(15).word(1).word(u32::MAX).word(3).byte(1).word(1).byte(1);
    let object = contents.byte(1).word(1).short(98);
    let last = object.byte(12).word(1).text("ONE").byte(10).byte(1).word(1).short(99);
    let call = last.word(1).word(5).word(4).text("p.A").text("save").text("(Lp/A;)V");
    let inspected = call.word(1).word(u32::MAX).byte(1).word(1).text("p.A").text("size").text("()I").byte(6).word(5);
    let marks = inspected.byte(1).word(0).word(0).word(2).word(7).word(9);
    marks.short(2).short(1).word(0).0
}

fn diagnostics() -> Vec<u8> {
    Payload::default().byte(0).word(2).text("p/A.java").word(3).text("no").byte(0).text("").word(0).text("note").byte(2).0
}

/// The stored report of version 1, as version 2 prints it.
fn report() -> Vec<u8> {
    let reader = READERS.iter().find(|reader| reader.name == "report").expect("a reader of reports");
    (reader.read)(include_bytes!("../../src/report/version1.json")).expect("a report").expect("it is printed")
}

fn agent_options(bytes: &[u8]) -> ReaderResult {
    let text = String::from_utf8_lossy(bytes);
    // `config=FILE` reads a file.
    if text.contains("config") {
        return Err("a file".into());
    }
    tracewright_agent::options::check(&text).map(|()| None)
}

/// Writes every kind of probe into a class file; the result must be a class file.
fn rewriting(bytes: &[u8]) -> ReaderResult {
    let plans = [
        Plan::SearchTarget { branch_base: BranchSlot(1), line_base: LineSlot(1) },
        Plan::Mutants { first: MutantId(1) },
        Plan::SearchOther,
        Plan::Trace { base: 1 },
        Plan::Record { base: 1 },
        Plan::Suppressed,
    ];
    let mut reason = None;
    for plan in plans {
        match rewrite(bytes, &plan, false) {
            Ok(rewritten) => {
                let class =
                    ClassFile::parse(&rewritten.bytes).unwrap_or_else(|error| panic!("{plan:?} writes no class file: {error}"));
                drop(class.dump());
            }
            Err(error) => reason = Some(error),
        }
    }
    reason.map_or(Ok(None), Err)
}
