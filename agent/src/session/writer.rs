//! The writer thread of a session. Flows in: messages of the program's threads, in the order in
//! which they were sent; flows out: records of the session file, skip periods, and whether recording
//! continues. Must not know the JVM.
//!
//! The writer alone decides which runs are kept. The file only grows, record by record: a process
//! that is killed leaves all records whole, except for those of the last [`PERIOD`].

use std::collections::{HashMap, HashSet};
use std::fs::{self, File, OpenOptions};
use std::io::{BufWriter, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use crossbeam_channel::{Receiver, Sender, TryRecvError};
use tracewright_trace::session::{Call, ClassBytes, MAGIC, Outline, Process, Record, Run, encode_record, outline};
use tracewright_trace::{Event, Verdict, class_hash, encode};

use super::counts::{Counts, cpu_time};
use super::interest::Interest;
use super::{FinishedRun, LARGE, Limits, Shared, WriterMessage};
use crate::status::Status;

/// Extension of the files of a session.
const EXTENSION: &str = "session";
/// How often the records are written to the disk.
const PERIOD: Duration = Duration::from_millis(200);
/// Sleep of a writer without messages. A thread that finds the queue half full ends it earlier.
const IDLE: Duration = Duration::from_millis(5);
/// Messages between two looks at the clock.
const MESSAGES_A_LOOK: usize = 256;
/// Call records of one method for each run of it that a session may keep.
const CALLS_A_RUN: u32 = 4;
/// Bytes of a call record at most.
const LONGEST_CALL: usize = 4096;

/// The state of the writer thread.
pub(super) struct Writer {
    folder: PathBuf,
    limits: Limits,
    shared: Arc<Shared>,
    status: Arc<Status>,
    /// Takes empty buffers back.
    empty: Sender<Vec<u8>>,
    /// `None` before the first class was rewritten, and after a failure to write.
    file: Option<BufWriter<File>>,
    /// The first record of the file, until the file is made.
    process: Option<Process>,
    /// Bytes of the whole session; those of other processes as they were when this one began.
    size: u64,
    /// Nothing more is recorded.
    stopped: bool,
    methods: HashMap<MethodKey, Method>,
    /// Loader, name and hash of the classes that have a record.
    classes: HashSet<(u32, String, u64)>,
    /// By thread: events of a run that has not ended yet.
    parts: HashMap<u32, Vec<u8>>,
    counts: Counts,
    /// The last record of counters.
    written: Vec<(String, u64)>,
}

/// A method, in objects of one class: an inherited method calls what each class overrides.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct MethodKey {
    /// Site of the method's entry.
    entry: u32,
    /// Identity hash of the receiver's class; 0 where there is no receiver.
    receiver: u32,
}

/// What was recorded of a method.
#[derive(Debug, Default)]
struct Method {
    /// Signatures of its runs.
    known: HashSet<u64>,
    /// Runs that are kept.
    runs: u32,
    /// Call records.
    calls: u32,
    interest: Interest,
}

impl Writer {
    /// A writer without a file. `folder` exists.
    pub(super) fn new(
        folder: PathBuf,
        limits: Limits,
        shared: Arc<Shared>,
        status: Arc<Status>,
        empty: Sender<Vec<u8>>,
    ) -> Writer {
        Writer {
            folder,
            limits,
            shared,
            status,
            empty,
            file: None,
            process: None,
            size: 0,
            stopped: false,
            methods: HashMap::new(),
            classes: HashSet::new(),
            parts: HashMap::new(),
            counts: Counts::default(),
            written: Vec::new(),
        }
    }

    /// Handles messages until all senders are gone.
    pub(super) fn work(mut self, messages: &Receiver<WriterMessage>) {
        let mut flushed = Instant::now();
        loop {
            let mut handled = 0;
            while handled < MESSAGES_A_LOOK {
                match messages.try_recv() {
                    Ok(message) => self.handle(message),
                    Err(TryRecvError::Empty) => break,
                    Err(TryRecvError::Disconnected) => return self.flush(),
                }
                handled += 1;
            }
            if flushed.elapsed() >= PERIOD {
                self.flush();
                flushed = Instant::now();
            }
            if handled < MESSAGES_A_LOOK {
                thread::park_timeout(IDLE);
            }
        }
    }

    fn handle(&mut self, message: WriterMessage) {
        match message {
            WriterMessage::Process(process) => self.process = Some(process),
            WriterMessage::Announcement(event) => self.append(&Record::Announcement(vec![event])),
            WriterMessage::ClassFile { loader, name, hash, bytes } => self.append_class_file(loader, name, hash, bytes),
            WriterMessage::Part { thread, bytes } => {
                self.parts.entry(thread).or_default().extend_from_slice(&bytes);
                self.shared.release_large(bytes.len());
                self.give_back(bytes);
            }
            WriterMessage::Run(run) => {
                let length = run.bytes.len();
                if let Some(bytes) = self.handle_run(run) {
                    self.give_back(bytes);
                }
                self.shared.release_large(length);
            }
            WriterMessage::Flush(done) => {
                self.flush();
                // The thread that asked may have given up.
                let _ = done.send(());
            }
        }
    }

    /// Returns a buffer to the program's threads. Large buffers are rare, so they are freed.
    fn give_back(&self, mut bytes: Vec<u8>) {
        if bytes.capacity() <= LARGE {
            bytes.clear();
            // Where enough buffers wait already, this one is freed.
            let _ = self.empty.try_send(bytes);
        }
    }

    /// Puts the parts of a run together. Returns a buffer, unless it became part of a record.
    fn handle_run(&mut self, mut run: FinishedRun) -> Option<Vec<u8>> {
        self.counts.arm(run.armed);
        let mut spare = None;
        if let Some(mut begun) = self.parts.remove(&run.thread) {
            begun.extend_from_slice(&run.bytes);
            spare = Some(std::mem::replace(&mut run.bytes, begun));
        }
        if run.cut {
            encode(&Event::RunEnd { verdict: Verdict::Budget }, &mut run.bytes);
        }
        let bytes = self.decide(run);
        spare.or(bytes)
    }

    /// Decides whether a run is kept. Returns its buffer, unless it became part of a record.
    fn decide(&mut self, run: FinishedRun) -> Option<Vec<u8>> {
        let FinishedRun { thread, receiver, accompanied, cut, after_skips, bytes: events, .. } = run;
        // The events begin with `RUN_BEGIN` and the `ENTRY` of the outermost method.
        let Some(entry) = events.get(2..6).and_then(|site| site.first_chunk::<4>()) else {
            self.counts.add("runs dropped: nothing was entered");
            return Some(events);
        };
        let key = MethodKey { entry: u32::from_le_bytes(*entry), receiver };
        let Some(outline) = outline(&events) else {
            self.counts.add("runs dropped: damaged");
            return Some(events);
        };
        if self.stopped {
            return Some(events);
        }
        self.counts.add_event_bytes(events.len());
        let method = self.methods.entry(key).or_default();
        let has_room = method.runs < self.limits.runs;
        // Without room for a run, its path need not be remembered.
        let is_new = if has_room { method.known.insert(outline.signature) } else { !method.known.contains(&outline.signature) };
        method.runs += u32::from(is_new && has_room);
        method.interest.observe_run(is_new && has_room, events.len());
        self.shared.skips.publish(key.entry, key.receiver, method.interest.period());
        if after_skips {
            self.counts.add(if is_new { "runs behind them: new" } else { "runs behind them: the same path" });
        }
        if is_new && has_room {
            self.counts.add(if cut { "runs kept: their beginning" } else { "runs kept" });
            self.append(&Record::Run(Run { thread, accompanied, signature: outline.signature, events }));
            None
        } else {
            let reason = if is_new { "runs dropped: more than a method may have" } else { "runs repeated: the same path" };
            self.counts.add(reason);
            self.append_call(key, thread, &outline, &events);
            Some(events)
        }
    }

    /// Writes the outermost call of a run that is not kept: it belongs to the history of objects.
    fn append_call(&mut self, key: MethodKey, thread: u32, outline: &Outline, events: &[u8]) {
        let method = self.methods.entry(key).or_default();
        if method.calls >= CALLS_A_RUN.saturating_mul(self.limits.runs) {
            return;
        }
        let call = outline.call(events);
        if call.is_empty() || call.len() > LONGEST_CALL {
            return;
        }
        method.calls += 1;
        self.append(&Record::Call(Call { thread, events: call }));
    }

    /// Writes a class file once for each loader, and its bytes once for all of them.
    fn append_class_file(&mut self, loader: u32, name: String, hash: u64, bytes: Vec<u8>) {
        if let Err(error) = self.make_file() {
            self.status.count(format!("the session cannot be written: {error}"));
            self.give_up();
        }
        if !self.classes.insert((loader, name.clone(), hash)) {
            return;
        }
        let is_there = self.classes.iter().any(|(other, of, known)| *other != loader && *of == name && *known == hash);
        let bytes = if is_there { Vec::new() } else { bytes };
        self.append(&Record::ClassFile(ClassBytes { loader, name, hash, bytes }));
    }

    /// Makes the file, with the process as its first record. Does nothing the second time.
    fn make_file(&mut self) -> std::io::Result<()> {
        let Some(mut process) = self.process.take() else { return Ok(()) };
        for (entry, hash) in &mut process.class_path {
            // A folder has no bytes of its own.
            *hash = fs::read(entry).map_or(0, |bytes| class_hash(&bytes));
        }
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_nanos();
        let path = self.folder.join(format!("{}-{since:x}.{EXTENSION}", process.number));
        let mut file = BufWriter::with_capacity(1 << 18, OpenOptions::new().write(true).create_new(true).open(path)?);
        file.write_all(&MAGIC)?;
        self.file = Some(file);
        self.size = size_of(&self.folder);
        self.append(&Record::Process(process));
        Ok(())
    }

    /// Writes the counters, where they changed, and hands all records to the system.
    fn flush(&mut self) {
        if let Some(percent) = self.limits.overhead
            && !self.stopped
            && self.counts.exceeds_overhead(percent, cpu_time())
        {
            self.stop("recording stopped: it took more time than max-overhead allows");
        }
        self.append_counts();
        if let Some(file) = &mut self.file
            && file.flush().is_err()
        {
            self.give_up();
        }
    }

    /// Writes the counters, where they differ from the last record of them. The program changes
    /// some without a message: a run that is skipped only counts down.
    fn append_counts(&mut self) {
        if self.file.is_none() {
            return;
        }
        let waits = self.shared.waits.load(Ordering::Relaxed);
        let lines = self.counts.lines(self.shared.skips.not_yet_skipped(), waits);
        let lines: Vec<_> = lines.into_iter().chain(self.status.counts()).collect();
        if lines != self.written {
            self.append(&Record::Counts(lines.clone()));
            self.written = lines;
        }
    }

    fn append(&mut self, record: &Record) {
        let Some(file) = &mut self.file else { return };
        let mut bytes = Vec::new();
        encode_record(record, &mut bytes);
        // Records of the process and of counters stay small.
        let is_bounded = matches!(record, Record::Run(_) | Record::ClassFile(_) | Record::Call(_));
        if is_bounded && self.size + bytes.len() as u64 > self.limits.bytes {
            if !self.stopped {
                self.stop("recording stopped: the session is as large as it may be");
            }
            if matches!(record, Record::Run(_)) {
                self.counts.add("runs dropped: the session is as large as it may be");
            }
            return;
        }
        self.size += bytes.len() as u64;
        if file.write_all(&bytes).is_err() {
            self.give_up();
        }
    }

    fn stop(&mut self, reason: &str) {
        self.counts.add(reason);
        self.stopped = true;
        self.shared.stopped.store(true, Ordering::Relaxed);
    }

    /// Ends the session after a write error, such as a full disk. The program continues without it.
    fn give_up(&mut self) {
        if let Some(file) = self.file.take() {
            // The buffered bytes cannot be written either.
            let _ = file.into_parts();
        }
        self.stopped = true;
        self.shared.stopped.store(true, Ordering::Relaxed);
    }
}

/// Bytes of the files of a folder.
fn size_of(folder: &Path) -> u64 {
    let files = fs::read_dir(folder).into_iter().flatten().flatten();
    files.filter_map(|file| file.metadata().ok()).filter(|file| file.is_file()).map(|file| file.len()).sum()
}
