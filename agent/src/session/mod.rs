//! The session of a recorded program. Flows in: announcements, original class files and runs, from
//! any thread of the program; flows out: messages to the [`writer`] thread. Must not know how
//! events come about.
//!
//! The threads of the program take no lock here. A run is copied into an empty buffer, which goes
//! to the writer through one channel and comes back through another. A thread waits only where the
//! writer cannot follow and the memory of the queue is used up; that is counted. How many runs of a
//! method to skip is published by the writer in a table of atomics ([`SkipTable`]).

mod counts;
mod interest;
mod writer;

use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::thread::{self, Thread};
use std::time::Duration;

use crossbeam_channel::{Receiver, Sender, TrySendError, bounded};
use tracewright_trace::Event;
use tracewright_trace::session::Process;

use crate::status::Status;
use interest::SkipTable;
use writer::Writer;

/// Messages on their way to the writer, at most.
const QUEUE: usize = 1024;
/// Bytes of a buffer that is used again, at most. Longer runs get a buffer of their own.
const LARGE: usize = 1 << 16;
/// Bytes of all longer buffers on their way to the writer, at most; one is always let through.
const LARGE_IN_FLIGHT: usize = 64 << 20;
/// Sleep of a thread that waits for the writer.
const WAIT: Duration = Duration::from_micros(200);

/// What a session may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Limits {
    /// Bytes of all files of the session.
    pub(crate) bytes: u64,
    /// Bytes of events of one run; of a longer run, the beginning is kept.
    pub(crate) run_bytes: u64,
    /// Runs of one method, in objects of one class.
    pub(crate) runs: u32,
    /// Per cent of the CPU time that the program takes without recording.
    pub(crate) overhead: Option<u32>,
}

/// What the writer and the threads of the program share.
#[derive(Debug)]
struct Shared {
    skips: SkipTable,
    /// Nothing more is to be recorded: a limit was reached, or the file cannot be written.
    stopped: AtomicBool,
    /// How often a thread of the program had to wait.
    waits: AtomicU64,
    /// Bytes of buffers longer than [`LARGE`] on their way to the writer.
    large: AtomicUsize,
}

impl Shared {
    /// A buffer of this length has been handled.
    fn release_large(&self, length: usize) {
        if length > LARGE {
            self.large.fetch_sub(length, Ordering::Relaxed);
        }
    }
}

enum WriterMessage {
    /// The first record of the file.
    Process(Process),
    Announcement(Event),
    ClassFile {
        loader: u32,
        name: String,
        hash: u64,
        bytes: Vec<u8>,
    },
    /// Events of an unfinished run of this thread.
    Part {
        thread: u32,
        bytes: Vec<u8>,
    },
    Run(FinishedRun),
    /// Answered when everything before it is written.
    Flush(Sender<()>),
}

/// A run that has ended.
#[derive(Debug, Default)]
pub(crate) struct FinishedRun {
    /// Ordinal of the thread.
    pub(crate) thread: u32,
    /// Identity hash of the receiver's class; 0 where there is no receiver.
    pub(crate) receiver: u32,
    /// Another run went on at the same time.
    pub(crate) accompanied: bool,
    /// The run is longer than its limit: it ends with what was handed over so far.
    pub(crate) cut: bool,
    /// Runs that the thread's countdowns were armed to skip since its last run; negative where
    /// countdowns were given up.
    pub(crate) armed: i32,
    /// Runs of the same method were skipped right before.
    pub(crate) after_skips: bool,
    /// Events, without those of its parts.
    pub(crate) bytes: Vec<u8>,
}

/// The program's end of a session.
#[derive(Debug)]
pub(crate) struct Session {
    limits: Limits,
    shared: Arc<Shared>,
    messages: Sender<WriterMessage>,
    empty: Receiver<Vec<u8>>,
    writer: Thread,
}

impl Session {
    /// Makes the folder and starts the writer thread. The file is made with the first class. The
    /// error says which folder cannot be made, or that the thread cannot be started.
    pub(crate) fn start(folder: &Path, limits: Limits, status: Arc<Status>) -> Result<Session, String> {
        let made = fs::create_dir_all(folder).and_then(|()| fs::canonicalize(folder));
        let folder = made.map_err(|error| format!("cannot make the session {}: {error}", folder.display()))?;
        let shared = Arc::new(Shared {
            skips: SkipTable::new(),
            stopped: AtomicBool::new(false),
            waits: AtomicU64::new(0),
            large: AtomicUsize::new(0),
        });
        let (messages, received) = bounded(QUEUE);
        let (given_back, empty) = bounded(QUEUE);
        let writer = Writer::new(folder, limits, Arc::clone(&shared), status, given_back);
        let of_writer = Arc::clone(&shared);
        let work = move || {
            let ended = catch_unwind(AssertUnwindSafe(|| writer.work(&received)));
            // After a panic, no thread of the program may wait for the writer.
            of_writer.stopped.store(true, Ordering::Relaxed);
            drop(ended);
        };
        let started = thread::Builder::new().name("tracewright-session".to_owned()).spawn(work);
        let writer = started.map_err(|error| format!("cannot start the session's thread: {error}"))?.thread().clone();
        Ok(Session { limits, shared, messages, empty, writer })
    }

    /// Describes this process. A process without a recorded class, as compilers and build tools
    /// have it, leaves no file.
    pub(crate) fn describe_process(&self, jdk_home: &str, jdk_version: &str, class_path: &str) {
        let class_path = std::env::split_paths(class_path).filter(|entry| !entry.as_os_str().is_empty()).map(|entry| {
            let whole = std::path::absolute(&entry).unwrap_or(entry);
            (whole.to_string_lossy().into_owned(), 0)
        });
        let (jdk_home, jdk_version) = (jdk_home.to_owned(), jdk_version.to_owned());
        let process = Process { number: std::process::id(), jdk_home, jdk_version, class_path: class_path.collect() };
        self.send(WriterMessage::Process(process));
    }

    /// Announces a class or its sites. To be called before any thread can use the number.
    pub(crate) fn announce(&self, event: Event) {
        self.send(WriterMessage::Announcement(event));
    }

    /// Hands over a class that gets probes, with its original bytes.
    pub(crate) fn add_class_file(&self, loader: u32, name: &str, hash: u64, bytes: &[u8]) {
        self.send(WriterMessage::ClassFile { loader, name: name.to_owned(), hash, bytes: bytes.to_vec() });
    }

    /// Sends events of an unfinished run to the writer. The caller checks the size limit of a run.
    pub(crate) fn add_part(&self, thread: u32, events: &[u8]) {
        let bytes = self.filled_buffer(events);
        self.send(WriterMessage::Part { thread, bytes });
    }

    /// Sends the last events of a finished run to the writer. True while recording continues.
    pub(crate) fn add_run(&self, run: FinishedRun, events: &[u8]) -> bool {
        let bytes = self.filled_buffer(events);
        self.send(WriterMessage::Run(FinishedRun { bytes, ..run })) && !self.shared.stopped.load(Ordering::Relaxed)
    }

    /// Returns when everything so far has been handed to the system.
    pub(crate) fn flush(&self) {
        let (done, wait) = bounded(1);
        if self.send(WriterMessage::Flush(done)) {
            self.writer.unpark();
            // An error says that the writer has ended.
            let _ = wait.recv();
        }
    }

    /// The table that the probes read.
    pub(crate) fn skips(&self) -> &SkipTable {
        &self.shared.skips
    }

    /// Bytes of events of one run at most.
    pub(crate) fn run_bytes(&self) -> u64 {
        self.limits.run_bytes
    }

    /// An empty buffer with these events.
    fn filled_buffer(&self, events: &[u8]) -> Vec<u8> {
        if events.len() > LARGE {
            let mut waited = false;
            while self.shared.large.load(Ordering::Relaxed) > LARGE_IN_FLIGHT && !self.shared.stopped.load(Ordering::Relaxed) {
                self.wait(&mut waited);
            }
            self.shared.large.fetch_add(events.len(), Ordering::Relaxed);
            return events.to_vec();
        }
        let mut buffer = self.empty.try_recv().unwrap_or_default();
        buffer.extend_from_slice(events);
        buffer
    }

    /// Sends a message. False: the writer has ended, which only a panic makes it do.
    fn send(&self, mut message: WriterMessage) -> bool {
        let mut waited = false;
        loop {
            match self.messages.try_send(message) {
                Ok(()) => break,
                Err(TrySendError::Full(back)) => message = back,
                Err(TrySendError::Disconnected(_)) => {
                    self.shared.stopped.store(true, Ordering::Relaxed);
                    return false;
                }
            }
            self.wait(&mut waited);
        }
        if self.messages.len() >= QUEUE / 2 {
            self.writer.unpark();
        }
        true
    }

    /// Lets the writer work for a moment.
    fn wait(&self, waited: &mut bool) {
        if !std::mem::replace(waited, true) {
            self.shared.waits.fetch_add(1, Ordering::Relaxed);
        }
        self.writer.unpark();
        thread::sleep(WAIT);
    }
}

#[cfg(test)]
mod tests;
