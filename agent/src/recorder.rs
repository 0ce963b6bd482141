//! The drain thread. Flows in, through a channel: bytes of traces, in the order in which each
//! thread recorded them; flows out: the trace file and the status file. Must not know what the
//! bytes mean. It gives out class numbers and sites, and marks where the bytes of another thread
//! begin.

use std::collections::HashMap;
use std::fs::{self, File, OpenOptions};
use std::io::{BufWriter, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::thread;
use std::time::Duration;

use crossbeam_channel::{Receiver, RecvTimeoutError, Sender, bounded};
use tracewright_trace::{ClassId, Event, encode};

use crate::lock::Lock;
use crate::session::Session;
use crate::status::Status;

/// Announcements on their way at most. Beyond it, the announcing thread waits for the disk.
const MESSAGES_IN_FLIGHT: usize = 64;
/// How often the status file is updated.
const STATUS_PERIOD: Duration = Duration::from_millis(200);
/// Number of sites: they have 31 bits.
const SITES: u32 = 1 << 31;

#[derive(Debug)]
pub(crate) struct Recorder {
    sender: Sender<DrainMessage>,
    classes: Lock<HashMap<String, u32>>,
    next_site: AtomicU32,
    stopped: AtomicBool,
    /// In the target JVM of `record`: where announcements and runs go.
    session: Option<Session>,
    /// First sites by class name and class hash.
    known_sites: Lock<HashMap<(String, u64), u32>>,
}

enum DrainMessage {
    Announcement(Vec<u8>),
    /// Events of the thread with this ordinal. Answered when they are written.
    Buffer {
        bytes: Borrowed,
        thread: u32,
        done: Sender<()>,
    },
    /// Answered when everything before it was written.
    Barrier(Sender<()>),
}

/// Bytes that stay in place, unchanged, until their message is answered or dropped.
struct Borrowed {
    start: *const u8,
    length: usize,
}

// SAFETY: the sender waits for the answer, and no thread changes the bytes meanwhile (see
// `Recorder::buffer`).
unsafe impl Send for Borrowed {}

impl Recorder {
    /// Starts the drain thread, which appends to the trace file. The error names the file that
    /// cannot be opened, or says that the thread cannot be started.
    pub(crate) fn start(trace: Option<&Path>, status_file: Option<PathBuf>, status: Arc<Status>) -> Result<Recorder, String> {
        let trace = trace
            .map(|path| {
                let file = OpenOptions::new().create(true).append(true).open(path);
                file.map_err(|error| format!("cannot append to the trace file {}: {error}", path.display()))
            })
            .transpose()?;
        let (sender, receiver) = bounded(MESSAGES_IN_FLIGHT);
        thread::Builder::new()
            .name("tracewright-drain".to_owned())
            .spawn(move || drain(receiver, trace, status_file, status))
            .map_err(|error| format!("cannot start the drain thread: {error}"))?;
        Ok(Recorder {
            sender,
            classes: Lock::default(),
            next_site: AtomicU32::new(0),
            stopped: AtomicBool::new(false),
            session: None,
            known_sites: Lock::default(),
        })
    }

    /// The same with a session instead of a trace file.
    pub(crate) fn with_session(self, session: Session) -> Recorder {
        // No site has the number 0: a session says it of the outermost method.
        Recorder { session: Some(session), next_site: AtomicU32::new(1), ..self }
    }

    pub(crate) fn session(&self) -> Option<&Session> {
        self.session.as_ref()
    }

    /// Writes events of one thread, and returns when they are written. Nothing is copied: buffers
    /// are large, and their thread waits anyway.
    pub(crate) fn buffer(&self, bytes: &[u8], thread: u32) {
        let (done, wait) = bounded(1);
        let bytes = Borrowed { start: bytes.as_ptr(), length: bytes.len() };
        if self.sender.send(DrainMessage::Buffer { bytes, thread, done }).is_ok() {
            // An error says that the message was dropped: the drain thread has ended.
            let _ = wait.recv();
        }
    }

    /// Returns when everything handed over so far is written.
    pub(crate) fn barrier(&self) {
        let (done, wait) = bounded(1);
        if self.sender.send(DrainMessage::Barrier(done)).is_ok() {
            let _ = wait.recv();
        }
    }

    /// Writes everything at the end of the JVM; does nothing the second time.
    pub(crate) fn stop(&self) {
        if !self.stopped.swap(true, Ordering::SeqCst) {
            if let Some(session) = &self.session {
                session.flush();
            }
            self.barrier();
        }
    }

    /// The number of a class, by name. It is announced before any thread can use it.
    pub(crate) fn class(&self, name: &str) -> ClassId {
        let mut classes = self.classes.lock();
        if let Some(&id) = classes.get(name) {
            return ClassId(id);
        }
        let id = ClassId(classes.len() as u32 + 1);
        classes.insert(name.to_owned(), id.0);
        self.event(&Event::Class { id, name: name.to_owned() });
        id
    }

    /// The first site of a class with these bytes. A class that is rewritten again gets the same
    /// sites. `None`: there are no sites left.
    pub(crate) fn known_sites(&self, name: &str, count: u32, hash: u64) -> Option<u32> {
        let mut known = self.known_sites.lock();
        let key = (name.to_owned(), hash);
        if let Some(&base) = known.get(&key) {
            return Some(base);
        }
        let base = self.class_sites(name, count, hash)?;
        known.insert(key, base);
        Some(base)
    }

    /// Gives a class new sites and announces them. `None`: there are no sites left.
    pub(crate) fn class_sites(&self, name: &str, count: u32, hash: u64) -> Option<u32> {
        let base = self
            .next_site
            .fetch_update(Ordering::SeqCst, Ordering::SeqCst, |base| base.checked_add(count).filter(|&end| end <= SITES))
            .ok()?;
        let class = self.class(name);
        self.event(&Event::ClassSites { base, count, class, hash });
        Some(base)
    }

    fn event(&self, event: &Event) {
        if let Some(session) = &self.session {
            return session.announce(event.clone());
        }
        let mut bytes = Vec::new();
        encode(event, &mut bytes);
        // After the drain thread has ended, there is no file either.
        let _ = self.sender.send(DrainMessage::Announcement(bytes));
    }
}

fn drain(receiver: Receiver<DrainMessage>, trace: Option<File>, status_file: Option<PathBuf>, status: Arc<Status>) {
    let mut trace = trace.map(|file| BufWriter::with_capacity(1 << 16, file));
    let mut thread_before = 0;
    let mut written = String::new();
    let mut update = move || {
        let text = status.text();
        if let Some(path) = &status_file
            && text != written
        {
            write_whole(path, &text);
            written = text;
        }
    };
    loop {
        match receiver.recv_timeout(STATUS_PERIOD) {
            Ok(DrainMessage::Announcement(bytes)) => write(&mut trace, &bytes),
            Ok(DrainMessage::Buffer { bytes, thread, done }) => {
                if thread != thread_before {
                    let mut event = Vec::new();
                    encode(&Event::Thread { ordinal: thread }, &mut event);
                    write(&mut trace, &event);
                    thread_before = thread;
                }
                // SAFETY: the sender waits until `done` is answered or dropped, and keeps the bytes
                // as they are.
                write(&mut trace, unsafe { std::slice::from_raw_parts(bytes.start, bytes.length) });
                let _ = done.send(());
            }
            Ok(DrainMessage::Barrier(done)) => {
                if let Some(file) = &mut trace {
                    let _ = file.flush();
                }
                update();
                let _ = done.send(());
            }
            Err(RecvTimeoutError::Timeout) => {
                if let Some(file) = &mut trace {
                    let _ = file.flush();
                }
                update();
            }
            Err(RecvTimeoutError::Disconnected) => return update(),
        }
    }
}

fn write(trace: &mut Option<BufWriter<File>>, bytes: &[u8]) {
    if let Some(file) = trace
        && let Err(error) = file.write_all(bytes)
    {
        eprintln!("tracewright: the trace file cannot be written: {error}");
        *trace = None;
    }
}

/// Replaces a file in one step: a reader sees the old text or the new one.
fn write_whole(path: &Path, text: &str) {
    let temporary = path.with_extension("new");
    if fs::write(&temporary, text).is_ok() {
        let _ = fs::rename(&temporary, path);
    }
}
