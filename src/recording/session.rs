//! Reading sessions (`docs/formats/session.md`): the recordings of the processes of a user's test
//! suite.
//!
//! In: the folder of a session. Out: for each process its classes, as a source for the program
//! model, and its runs. Each run becomes a recording of its own when it is read. A truncated or
//! damaged file gives the records before the damage. Must not know bytecode.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io::{BufReader, Read as _, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use thiserror::Error;
use tracewright_trace::session::{self, Call, ClassBytes, Outlined, Place, Process, Record, Records};
use tracewright_trace::{Event, class_hash};

use super::index::{SessionIndex, index_of};
use super::{Announced, Recording, ThreadEvents};
use crate::program::{ClassName, ClassOrigin, ClassSource};
use crate::project::{ClassPath, JdkImage, Project};

/// Extension of the files of a session, one file for each process.
const EXTENSION: &str = "session";

/// Capacity of the buffer for one run, in bytes; few runs are longer.
const LONG_RUN: u64 = 1 << 20;

/// Why a session cannot be read, each one sentence for the user.
#[derive(Debug, Error)]
pub enum SessionError {
    /// The folder has no session file.
    #[error("{0} is no folder with a session: it holds no file *.{EXTENSION}")]
    NoSession(PathBuf),
    /// A file cannot be read.
    #[error("cannot read {path}: {source}")]
    Unreadable {
        /// The file or folder.
        path: PathBuf,
        /// The cause.
        source: std::io::Error,
    },
    /// A file is no session file of a known version.
    #[error("{path}: {source}")]
    Foreign {
        /// The file or folder.
        path: PathBuf,
        /// The cause.
        source: session::SessionError,
    },
}

/// The recordings of all processes of a test suite's execution.
#[derive(Clone, Debug, Default)]
pub struct Session {
    /// Ascending by file name.
    pub processes: Vec<RecordedProcess>,
}

/// The recording of one process.
#[derive(Clone, Debug, Default)]
pub struct RecordedProcess {
    /// The session file.
    pub file: PathBuf,
    pub(crate) process: Process,
    pub(crate) announced: Arc<Announced>,
    /// The classes with probes, in the order in which they were loaded. A class with several
    /// loaders has its bytes once.
    pub(crate) classes: Vec<ClassBytes>,
    /// The recorded runs, in the order of the file.
    pub runs: Vec<RecordedRun>,
    /// Runs that were not kept, by reason.
    pub(crate) counts: BTreeMap<String, u64>,
    /// Where and why the file could not be read further.
    pub cut: Option<session::SessionError>,
    /// The records of the index.
    index: Vec<u8>,
}

/// The record of an outermost call: a whole run, or the call alone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SessionRecord {
    /// A run whose events were kept; here in its short form.
    Run(Outlined),
    /// A call whose run was not kept.
    Call(Call),
}

/// A run whose events have not been read yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RecordedRun {
    /// Where its record lies in the file.
    pub place: Place,
    pub(crate) thread: u32,
    /// Another thread was in a run at the same time.
    pub(crate) accompanied: bool,
    pub(crate) signature: u64,
}

/// The counters, by reason, of the processes whose files are not among `before`. Reads no run;
/// empty when there is no such file.
pub fn counts_since(folder: &Path, before: &BTreeSet<PathBuf>) -> BTreeMap<String, u64> {
    let mut all = BTreeMap::new();
    for file in session_files(folder).into_iter().filter(|file| !before.contains(file)) {
        for (reason, count) in last_counts(&file).unwrap_or_default() {
            *all.entry(reason).or_default() += count;
        }
    }
    all
}

/// The session files in a folder, ascending by name.
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
    /// Checks that the folder has a session of a known version, without reading it.
    ///
    /// # Errors
    /// As [`Session::open`].
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

    /// Reads the index of each process; the events of runs are read by
    /// [`RecordedProcess::read_runs`].
    ///
    /// # Errors
    /// [`SessionError::NoSession`] without session files, [`SessionError::Unreadable`] when one
    /// cannot be read, [`SessionError::Foreign`] when one is no session file of a known version.
    pub fn open(folder: &Path) -> Result<Session, SessionError> {
        let processes = Session::files(folder)?.into_iter().map(|file| {
            let index = index_of(&file).map_err(|source| SessionError::Unreadable { path: file.clone(), source })?;
            let process = index.and_then(RecordedProcess::new);
            let process = process.map_err(|source| SessionError::Foreign { path: file.clone(), source })?;
            Ok(RecordedProcess { file, ..process })
        });
        Ok(Session { processes: processes.collect::<Result<_, SessionError>>()? })
    }
}

impl RecordedProcess {
    /// A process from its index, without the file's name.
    ///
    /// # Errors
    /// The index is no session file of a known version.
    pub(crate) fn new(index: SessionIndex) -> Result<RecordedProcess, session::SessionError> {
        let mut process = RecordedProcess { cut: index.cut, ..RecordedProcess::default() };
        let mut announced = Announced::default();
        for record in Records::new(&index.records)? {
            match record {
                Ok((_, Record::Process(found))) => process.process = found,
                Ok((_, Record::Announcement(events))) => {
                    for event in &events {
                        announced.add(event);
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
        process.index = index.records;
        Ok(process)
    }

    /// Every outermost call, with or without a run. The calls of one thread are in the order of
    /// time.
    pub fn calls(&self) -> impl Iterator<Item = SessionRecord> {
        // The records before an error are whole.
        let records = Records::new(&self.index).into_iter().flatten().map_while(Result::ok);
        records.filter_map(|(_, record)| match record {
            Record::Outlined(run) => Some(SessionRecord::Run(run)),
            Record::Call(call) => Some(SessionRecord::Call(call)),
            _ => None,
        })
    }

    /// Reads the events of runs, in order. A run whose bytes have changed since the index was made
    /// gives a reason instead.
    pub fn read_runs(&self, runs: &[RecordedRun]) -> Vec<Result<Recording, String>> {
        let mut file = File::open(&self.file);
        let one = |run: &RecordedRun| {
            let file = file.as_mut().map_err(|error| error.to_string())?;
            file.seek(SeekFrom::Start(run.place.offset)).map_err(|error| error.to_string())?;
            // The length of a damaged record may be anything, so the buffer starts with a bounded
            // capacity.
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
            // The other thread's events are a run of their own. An empty thread here says that
            // there was one.
            threads.push(ThreadEvents { ordinal: u32::MAX, events: Vec::new() });
        }
        Ok(Recording { announced: self.announced.clone(), threads, fault })
    }
}

/// The classes that a process loaded: those with probes from the session, the others from its class
/// path, as far as that has not changed, and from the JDK.
#[derive(Debug)]
pub struct SessionClasses {
    classes: BTreeMap<ClassName, Vec<u8>>,
    hashes: BTreeMap<ClassName, u64>,
    /// Source of the classes without probes.
    others: Project,
    /// Entries of the class path that are gone or have changed since.
    pub(crate) missing: Vec<String>,
}

impl SessionClasses {
    /// The classes of the process. Of several classes with one name the first counts.
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

    /// Whether the class that this source gives is the version with the hash.
    pub(crate) fn has_version(&self, class: &ClassName, hash: u64) -> bool {
        self.hashes.get(class) == Some(&hash)
    }

    /// The announced classes of which this source gives another version, by the bases of their
    /// sites.
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
