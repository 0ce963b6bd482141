//! The drain thread. Flows in, through a channel: words of traces, in the order in which each thread recorded them; flows out: the trace
//! file, and the status file. Must not know what the words mean, save for class numbers, which it gives out.

use std::collections::HashMap;
use std::fs::{self, File, OpenOptions};
use std::io::{BufWriter, Write as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use crossbeam_channel::{Receiver, RecvTimeoutError, Sender, bounded};
use tracewright_trace::{ClassId, Event, encode};

use crate::status::Status;

/// Full buffers on their way; more than that, and the recording thread waits for the disk.
const BUFFERS_IN_FLIGHT: usize = 64;
/// How often the status file is brought up to date.
const STATUS_PERIOD: Duration = Duration::from_millis(200);
/// Sites have 27 bits.
const SITES: u32 = 1 << 27;

#[derive(Debug)]
pub struct Recorder {
    sender: Sender<Message>,
    classes: Mutex<HashMap<String, u32>>,
    next_site: AtomicU32,
    stopped: AtomicBool,
    /// Buffers that were written, for the next flush: a fresh one would cost more in page faults than the copy itself.
    spare: Receiver<Vec<u32>>,
}

enum Message {
    Words(Vec<u32>),
    /// Answered when everything before it was written.
    Barrier(Sender<()>),
}

impl Recorder {
    /// Starts the drain thread. The trace file is appended to.
    pub fn start(trace: Option<&Path>, status_file: Option<PathBuf>, status: Arc<Status>) -> Result<Recorder, String> {
        let trace = trace
            .map(|path| {
                let file = OpenOptions::new().create(true).append(true).open(path);
                file.map_err(|error| format!("cannot append to the trace file {}: {error}", path.display()))
            })
            .transpose()?;
        let (sender, receiver) = bounded(BUFFERS_IN_FLIGHT);
        let (recycle, spare) = bounded(BUFFERS_IN_FLIGHT);
        thread::Builder::new()
            .name("tracewright-drain".to_owned())
            .spawn(move || drain(receiver, recycle, trace, status_file, status))
            .map_err(|error| format!("cannot start the drain thread: {error}"))?;
        Ok(Recorder { sender, classes: Mutex::default(), next_site: AtomicU32::new(0), stopped: AtomicBool::new(false), spare })
    }

    pub fn words(&self, words: Vec<u32>) {
        // Without a drain thread there is no file either.
        let _ = self.sender.send(Message::Words(words));
    }

    /// An empty buffer, with room where there was one before.
    pub fn buffer(&self) -> Vec<u32> {
        self.spare.try_recv().unwrap_or_default()
    }

    /// Returns after everything handed over so far was written.
    pub fn barrier(&self) {
        let (done, wait) = bounded(1);
        if self.sender.send(Message::Barrier(done)).is_ok() {
            let _ = wait.recv();
        }
    }

    /// The last barrier; at the end of the VM.
    pub fn stop(&self) {
        if !self.stopped.swap(true, Ordering::SeqCst) {
            self.barrier();
        }
    }

    /// The number of a class, by its name: announced in the trace before anyone can use it.
    pub fn class(&self, name: &str) -> ClassId {
        let mut classes = self.classes.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        if let Some(&id) = classes.get(name) {
            return ClassId(id);
        }
        let id = ClassId(classes.len() as u32 + 1);
        classes.insert(name.to_owned(), id.0);
        self.event(&Event::Class { id, name: name.to_owned() });
        id
    }

    /// Gives a class its sites and announces them; `None` when there are no numbers left.
    pub fn class_sites(&self, name: &str, count: u32, hash: u64) -> Option<u32> {
        let base = self
            .next_site
            .fetch_update(Ordering::SeqCst, Ordering::SeqCst, |base| base.checked_add(count).filter(|&end| end <= SITES))
            .ok()?;
        let class = self.class(name);
        self.event(&Event::ClassSites { base, count, class, hash });
        Some(base)
    }

    fn event(&self, event: &Event) {
        let mut words = Vec::new();
        encode(event, &mut words);
        self.words(words);
    }
}

fn drain(
    receiver: Receiver<Message>,
    recycle: Sender<Vec<u32>>,
    trace: Option<File>,
    status_file: Option<PathBuf>,
    status: Arc<Status>,
) {
    let mut trace = trace.map(|file| BufWriter::with_capacity(1 << 16, file));
    let mut bytes = Vec::new();
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
            Ok(Message::Words(mut words)) => {
                if let Some(file) = &mut trace {
                    bytes.resize(4 * words.len(), 0);
                    for (bytes, word) in bytes.chunks_exact_mut(4).zip(&words) {
                        bytes.copy_from_slice(&word.to_le_bytes());
                    }
                    if let Err(error) = file.write_all(&bytes) {
                        eprintln!("tracewright: the trace file cannot be written: {error}");
                        trace = None;
                    }
                }
                words.clear();
                let _ = recycle.try_send(words);
            }
            Ok(Message::Barrier(done)) => {
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

/// A reader sees the old text or the new one.
fn write_whole(path: &Path, text: &str) {
    let temporary = path.with_extension("new");
    if fs::write(&temporary, text).is_ok() {
        let _ = fs::rename(&temporary, path);
    }
}
