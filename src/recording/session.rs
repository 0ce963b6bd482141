//! Reading a session (`docs/formats/session.md`): what the processes of a user's test run recorded. Flows in: the folder; flows out: for each process
//! its classes, as a source for the program model, and its runs, each as a recording of its own, read when it is asked for. A file
//! that ends anywhere, or is damaged, gives what is whole before that. Must not know bytecode.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io::{BufReader, Read as _, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use thiserror::Error;
use tracewright_trace::session::{self, Call, ClassBytes, Outlined, Place, Process, Record, Records};
use tracewright_trace::{Event, class_hash};

use super::outline::{Outline, outline_of};
use super::{Announced, Recording, ThreadEvents};
use crate::program::{ClassName, ClassOrigin, ClassSource};
use crate::project::{ClassPath, JdkImage, Project};

/// The files of a session, by their extension.
const EXTENSION: &str = "session";

/// Few runs are longer, in bytes.
const LONG_RUN: u64 = 1 << 20;

/// One sentence each, for the user.
#[derive(Debug, Error)]
pub enum SessionError {
    #[error("{0} is no folder with a session: it holds no file *.{EXTENSION}")]
    NoSession(PathBuf),
    #[error("cannot read {path}: {source}")]
    Unreadable { path: PathBuf, source: std::io::Error },
    #[error("{path}: {source}")]
    Foreign { path: PathBuf, source: session::SessionError },
}

/// What every process of a test run left.
#[derive(Clone, Debug, Default)]
pub struct Session {
    /// By the names of their files.
    pub processes: Vec<RecordedProcess>,
}

#[derive(Clone, Debug, Default)]
pub struct RecordedProcess {
    pub file: PathBuf,
    pub(crate) process: Process,
    pub(crate) announced: Arc<Announced>,
    /// In the order in which they were loaded; the bytes of a class of several loaders stand once.
    pub(crate) classes: Vec<ClassBytes>,
    pub runs: Vec<RecordedRun>,
    /// By reason.
    pub(crate) counts: BTreeMap<String, u64>,
    /// Where and why reading stopped before the end of the file.
    pub cut: Option<session::SessionError>,
    outline: Vec<u8>,
}

/// What a session tells of an outermost call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SessionRecord {
    Run(Outlined),
    Call(Call),
}

/// A run that was not read yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RecordedRun {
    pub place: Place,
    pub(crate) thread: u32,
    /// Another run went on beside it.
    pub(crate) accompanied: bool,
    pub(crate) signature: u64,
}

/// What was counted in the processes of a session whose files are not among `before`, by reason; without reading a run. Empty where nothing was recorded.
pub fn counts_since(folder: &Path, before: &BTreeSet<PathBuf>) -> BTreeMap<String, u64> {
    let mut all = BTreeMap::new();
    for file in session_files(folder).into_iter().filter(|file| !before.contains(file)) {
        for (reason, count) in last_counts(&file).unwrap_or_default() {
            *all.entry(reason).or_default() += count;
        }
    }
    all
}

/// The files of a session there are, by their names.
pub fn session_files(folder: &Path) -> Vec<PathBuf> {
    let listing = fs::read_dir(folder).into_iter().flatten();
    let mut files: Vec<PathBuf> = listing
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.extension().is_some_and(|extension| extension == EXTENSION))
        .collect();
    files.sort();
    files
}

fn last_counts(file: &Path) -> Option<Vec<(String, u64)>> {
    let mut reader = BufReader::new(File::open(file).ok()?);
    reader.seek_relative(session::MAGIC.len() as i64).ok()?;
    let mut last = None;
    let mut head = [0; 5];
    while reader.read_exact(&mut head).is_ok() {
        let length =
            u64::from(u32::from_le_bytes([head[1], head[2], head[3], head[4]])) + session::FRAME as u64 - head.len() as u64;
        if head[0] != session::COUNTS {
            reader.seek_relative(length as i64).ok()?;
            continue;
        }
        let mut record = head.to_vec();
        (&mut reader).take(length).read_to_end(&mut record).ok()?;
        if let Ok(Record::Counts(counts)) = session::decode_record(&record) {
            last = Some(counts);
        }
    }
    last
}

impl Session {
    /// What can be told without reading all of it: whether there is a session, of a version that is known here.
    pub(crate) fn check(folder: &Path) -> Result<(), SessionError> {
        for path in Session::files(folder)? {
            let mut begin = Vec::new();
            let read = File::open(&path).and_then(|file| file.take(session::MAGIC.len() as u64).read_to_end(&mut begin));
            if let Err(source) = read {
                return Err(SessionError::Unreadable { path, source });
            }
            if let Err(source) = Records::new(&begin) {
                return Err(SessionError::Foreign { path, source });
            }
        }
        Ok(())
    }

    fn files(folder: &Path) -> Result<Vec<PathBuf>, SessionError> {
        let files = session_files(folder);
        if files.is_empty() { Err(SessionError::NoSession(folder.to_path_buf())) } else { Ok(files) }
    }

    pub fn open(folder: &Path) -> Result<Session, SessionError> {
        let processes = Session::files(folder)?.into_iter().map(|file| {
            let outline = outline_of(&file).map_err(|source| SessionError::Unreadable { path: file.clone(), source })?;
            let process = outline.and_then(RecordedProcess::new);
            let process = process.map_err(|source| SessionError::Foreign { path: file.clone(), source })?;
            Ok(RecordedProcess { file, ..process })
        });
        Ok(Session { processes: processes.collect::<Result<_, SessionError>>()? })
    }
}

impl RecordedProcess {
    fn new(outline: Outline) -> Result<RecordedProcess, session::SessionError> {
        let mut process = RecordedProcess { cut: outline.cut, ..RecordedProcess::default() };
        let mut announced = Announced::default();
        for record in Records::new(&outline.records)? {
            match record {
                Ok((_, Record::Process(found))) => process.process = found,
                Ok((_, Record::Announcement(events))) => {
                    for event in &events {
                        announced.note(event);
                    }
                }
                Ok((_, Record::ClassFile(class))) => process.classes.push(class),
                Ok((_, Record::Outlined(run))) => process.runs.push(RecordedRun {
                    place: run.place,
                    thread: run.thread,
                    accompanied: run.accompanied,
                    signature: run.signature,
                }),
                Ok((_, Record::Counts(counts))) => process.counts = counts.into_iter().collect(),
                Ok((_, Record::Call(_) | Record::Run(_) | Record::OutlineOf(_))) => {}
                Err(error) => process.cut = Some(error),
            }
        }
        process.announced = Arc::new(announced);
        process.outline = outline.records;
        Ok(process)
    }

    /// Every outermost call, in the order of time as far as one thread goes: those of runs that were kept, and those told alone.
    pub fn calls(&self) -> impl Iterator<Item = SessionRecord> {
        // What stands before an error was told.
        let records = Records::new(&self.outline).into_iter().flatten().map_while(Result::ok);
        records.filter_map(|(_, record)| match record {
            Record::Outlined(run) => Some(SessionRecord::Run(run)),
            Record::Call(call) => Some(SessionRecord::Call(call)),
            _ => None,
        })
    }

    /// The runs of a stretch, in order; of one whose bytes are not what they were, the reason.
    pub fn read_runs(&self, runs: &[RecordedRun]) -> Vec<Result<Recording, String>> {
        let mut file = File::open(&self.file);
        let one = |run: &RecordedRun| {
            let file = file.as_mut().map_err(|error| error.to_string())?;
            file.seek(SeekFrom::Start(run.place.offset)).map_err(|error| error.to_string())?;
            // Read at once: a run whose record has been damaged may claim any length, so no more is set aside than runs have.
            let mut bytes = Vec::with_capacity(run.place.length.min(LONG_RUN) as usize);
            file.take(run.place.length).read_to_end(&mut bytes).map_err(|error| error.to_string())?;
            self.recording(&bytes, run.accompanied)
        };
        runs.iter().map(one).collect()
    }

    /// The recording in the bytes of a run's record.
    pub(crate) fn recording(&self, record: &[u8], accompanied: bool) -> Result<Recording, String> {
        let Ok(Record::Run(run)) = session::decode_record(record) else { return Err("the run cannot be read again".into()) };
        let (events, end) = tracewright_trace::decode(&run.events);
        let fault = end.err();
        if events.iter().any(|event| matches!(event, Event::Class { .. } | Event::ClassSites { .. } | Event::Thread { .. })) {
            return Err("the run announces what it must not".into());
        }
        let mut threads = vec![ThreadEvents { ordinal: run.thread, events }];
        if accompanied {
            // What it recorded is a run of its own; that it was there is what matters.
            threads.push(ThreadEvents { ordinal: u32::MAX, events: Vec::new() });
        }
        Ok(Recording { announced: self.announced.clone(), threads, fault })
    }
}

/// The classes that a process loaded: those with probes as they were recorded, the others from its class path where that is what it was,
/// and the JDK's.
#[derive(Debug)]
pub struct SessionClasses {
    classes: BTreeMap<ClassName, Vec<u8>>,
    hashes: BTreeMap<ClassName, u64>,
    /// Those without probes.
    others: Project,
    /// Entries of the class path that are not there any more, or something else now.
    pub(crate) missing: Vec<String>,
}

impl SessionClasses {
    /// Of several classes with one name the first counts.
    pub fn new(process: &RecordedProcess, jdk: Arc<JdkImage>) -> SessionClasses {
        let (mut classes, mut hashes) = (BTreeMap::new(), BTreeMap::new());
        for class in process.classes.iter().filter(|class| !class.bytes.is_empty()) {
            let name = ClassName::new(&class.name);
            classes.entry(name.clone()).or_insert_with(|| {
                hashes.insert(name, class.hash);
                class.bytes.clone()
            });
        }
        let (mut entries, mut missing) = (Vec::new(), Vec::new());
        for (entry, hash) in &process.process.class_path {
            let found = fs::read(entry).map_or(0, |bytes| class_hash(&bytes));
            if found == *hash && Path::new(entry).exists() {
                entries.push(PathBuf::from(entry));
            } else {
                missing.push(entry.clone());
            }
        }
        let class_path = ClassPath::open(&entries, jdk.release());
        let class_path = class_path.or_else(|_| ClassPath::open(&[], jdk.release())).unwrap_or_default();
        SessionClasses { classes, hashes, others: Project::new(class_path, jdk), missing }
    }

    /// Whether the bytes that the program has of the class are those with this hash.
    pub(crate) fn has_version(&self, class: &ClassName, hash: u64) -> bool {
        self.hashes.get(class) == Some(&hash)
    }

    /// Classes that have another version in the process, by the bases of their sites.
    pub(crate) fn classes_of_other_versions(&self, announced: &Announced) -> BTreeSet<u32> {
        announced.tables().filter(|table| !self.has_version(&table.class, table.hash)).map(|table| table.base).collect()
    }
}

impl ClassSource for SessionClasses {
    fn bytes(&self, class: &ClassName) -> Option<(Vec<u8>, ClassOrigin)> {
        let recorded = self.classes.get(class).map(|bytes| (bytes.clone(), ClassOrigin::Project));
        recorded.or_else(|| self.others.bytes(class))
    }

    fn exports(&self, package: &str) -> bool {
        self.others.exports(package)
    }

    fn release(&self) -> u16 {
        self.others.release()
    }

    fn project_classes(&self) -> Vec<ClassName> {
        self.classes.keys().cloned().collect()
    }

    fn neighbours(&self, _class: &ClassName) -> Vec<ClassName> {
        self.project_classes()
    }
}
