//! The session file of this process. Flows in: announcements, original class files and whole runs, from any thread; flows out: a file that only
//! grows, record by record, so that whoever ends the process leaves all records but the last ones whole. Bounded: what a limit leaves out is
//! counted. Must not know how events come about.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::fs::{self, File, OpenOptions};
use std::io::{BufWriter, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard};
use std::thread;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use tracewright_trace::session::{Call, ClassBytes, MAGIC, Outline, Process, Record, Run, encode_record, outline};
use tracewright_trace::{Event, Verdict, class_hash, encode};

use crate::status::Status;

/// What a byte of events costs until it is written, with what is recorded and thrown away: nobody can look at a clock at each probe. Measured as CPU time with
/// the agent less that without, by "bytes of events" (`cargo xtask bench record`): codec 32 and 34 (JDK 17 and 25), lang3 45 and 27, collections4 60 and 81.
const NANOSECONDS_A_BYTE: f64 = 45.0;
/// A VM that starts does little but loading and rewriting classes: no overhead is judged before it has taken so much CPU time.
const WARM: Duration = Duration::from_secs(3);
/// How often what was recorded goes to the disk.
const PERIOD: Duration = Duration::from_millis(200);
/// Calls of one method that are told without their runs, for each run of it that a session keeps; and bytes of one at most.
const CALLS: u32 = 4;
const LONGEST_CALL: usize = 4096;
/// Runs of a known path that a method may show before some are passed over: of as many, one; at most so many; and bytes of a run that weighs as two.
const PATIENCE: u32 = 64;
const MOST_PASSED: u32 = 1024;
const HEAVY: usize = 1 << 14;
/// Files of a session, by their extension.
pub(crate) const EXTENSION: &str = "session";

/// What a session may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Limits {
    /// Bytes of all files of the session.
    pub(crate) bytes: u64,
    /// Bytes of events of one run: of a longer one, its beginning is kept.
    pub(crate) run_bytes: u64,
    /// Runs of one method, in objects of one class.
    pub(crate) runs: u32,
    /// Per cent of the CPU time that the program takes without it.
    pub(crate) overhead: Option<u32>,
}

#[derive(Debug)]
pub(crate) struct Session {
    folder: PathBuf,
    limits: Limits,
    status: Arc<Status>,
    state: Mutex<State>,
    /// By thread: what a run that goes on has handed over, as far as its limit allows.
    parts: Mutex<HashMap<u32, Part>>,
}

#[derive(Debug, Default)]
struct Part {
    bytes: Vec<u8>,
    /// There was more.
    cut: bool,
}

#[derive(Debug, Default)]
struct State {
    /// `None`: no class was rewritten yet, or given up.
    file: Option<BufWriter<File>>,
    /// What the file will begin with.
    process: Option<Process>,
    /// Bytes of the whole session, other processes' as they were when this one began.
    size: u64,
    stopped: bool,
    /// By entry, and by the class of the object whose method it is, as a number: what is inherited calls what each class overrides. 0: there is no object.
    methods: HashMap<(u32, u32), Method>,
    classes: HashSet<(u32, String, u64)>,
    counts: BTreeMap<String, u64>,
    counts_changed: bool,
    /// Of all runs, kept or not.
    recorded: u64,
}

/// What was recorded of a method in objects of one class.
#[derive(Debug, Default)]
struct Method {
    /// Signatures of its runs.
    known: HashSet<u64>,
    /// That are kept.
    runs: u32,
    /// Told without their runs.
    calls: u32,
    interest: Interest,
}

/// How much a method's runs still tell. Tests that call one method in a loop would spend their time on runs that are thrown away.
#[derive(Clone, Copy, Debug, Default)]
struct Interest {
    /// Runs that took a known path since one took a new one; long ones weigh more.
    boring: u32,
    /// Runs to pass over before the next one is looked at.
    passing: u32,
}

impl Interest {
    fn note(&mut self, is_new: bool, bytes: usize) {
        if is_new {
            self.boring /= 2;
        } else {
            self.boring = self.boring.saturating_add(1 + (bytes / HEAVY) as u32);
        }
        self.passing = (self.boring / PATIENCE).min(MOST_PASSED);
    }
}

impl Session {
    /// The folder is made; the file comes with the first class.
    pub(crate) fn new(folder: &Path, limits: Limits, status: Arc<Status>) -> Result<Session, String> {
        let made = fs::create_dir_all(folder).and_then(|()| fs::canonicalize(folder));
        let folder = made.map_err(|error| format!("cannot make the session {}: {error}", folder.display()))?;
        Ok(Session { folder, limits, status, state: Mutex::default(), parts: Mutex::default() })
    }

    /// Whose file it will be. A process without a class that is recorded, as compilers and build tools have it, leaves none.
    pub(crate) fn begin(&self, jdk_home: &str, jdk_version: &str, class_path: &str) {
        let class_path = std::env::split_paths(class_path).filter(|entry| !entry.as_os_str().is_empty()).map(|entry| {
            let whole = std::path::absolute(&entry).unwrap_or(entry);
            (whole.to_string_lossy().into_owned(), 0)
        });
        let (jdk_home, jdk_version) = (jdk_home.to_owned(), jdk_version.to_owned());
        let process = Process { number: std::process::id(), jdk_home, jdk_version, class_path: class_path.collect() };
        self.state().process = Some(process);
    }

    /// Makes the file, in which this process is the first record.
    fn make(&self, state: &mut State) -> std::io::Result<()> {
        let Some(mut process) = state.process.take() else { return Ok(()) };
        for (entry, hash) in &mut process.class_path {
            // A folder has no bytes of its own.
            *hash = fs::read(entry).map_or(0, |bytes| class_hash(&bytes));
        }
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_nanos();
        let path = self.folder.join(format!("{}-{since:x}.{EXTENSION}", process.number));
        let mut file = BufWriter::with_capacity(1 << 18, OpenOptions::new().write(true).create_new(true).open(path)?);
        file.write_all(&MAGIC)?;
        state.file = Some(file);
        state.size = size_of(&self.folder);
        self.append(state, &Record::Process(process));
        Ok(())
    }

    /// Brings to the disk, from time to time, what was recorded.
    pub(crate) fn keep_writing(self: &Arc<Session>) -> Result<(), String> {
        let session = Arc::clone(self);
        let writing = move || {
            loop {
                thread::sleep(PERIOD);
                session.flush();
            }
        };
        let started = thread::Builder::new().name("tracewright-session".to_owned()).spawn(writing);
        started.map(drop).map_err(|error| format!("cannot start the session's thread: {error}"))
    }

    /// An announcement comes before what it announces.
    pub(crate) fn announce(&self, event: Event) {
        self.append(&mut self.state(), &Record::Announcement(vec![event]));
    }

    /// A class that gets probes, as it was.
    pub(crate) fn class_file(&self, loader: u32, name: &str, hash: u64, bytes: &[u8]) {
        let mut state = self.state();
        if let Err(error) = self.make(&mut state) {
            self.status.count(format!("the session cannot be written: {error}"));
            give_up(&mut state);
        }
        if !state.classes.insert((loader, name.to_owned(), hash)) {
            return;
        }
        let is_there = state.classes.iter().any(|(other, of, known)| *other != loader && of == name && *known == hash);
        let bytes = if is_there { Vec::new() } else { bytes.to_vec() };
        self.append(&mut state, &Record::ClassFile(ClassBytes { loader, name: name.to_owned(), hash, bytes }));
    }

    /// Some of a run; false when it has reached its limit.
    pub(crate) fn part(&self, thread: u32, bytes: &[u8]) -> bool {
        let mut parts = self.parts();
        let part = parts.entry(thread).or_default();
        if !part.cut && self.fits(part, bytes) {
            part.bytes.extend_from_slice(bytes);
            part.cut = part.bytes.len() as u64 >= self.limits.run_bytes;
        } else {
            part.cut = true;
        }
        !part.cut
    }

    /// Whether these may follow: the first ones may in any case, since a run's beginning is kept.
    fn fits(&self, part: &Part, bytes: &[u8]) -> bool {
        part.bytes.is_empty() || part.bytes.len() as u64 + bytes.len() as u64 <= self.limits.run_bytes
    }

    /// The rest of a run of a method in an object of the class `receiver`. How many more of these need not be recorded from now on; nothing when no run needs
    /// to be.
    pub(crate) fn run(&self, thread: u32, bytes: &[u8], accompanied: bool, receiver: u32) -> Option<u32> {
        let part = self.parts().remove(&thread).unwrap_or_default();
        let cut = part.cut || !self.fits(&part, bytes);
        let mut events = part.bytes;
        if !cut {
            events.extend_from_slice(bytes);
        } else {
            encode(&Event::RunEnd { verdict: Verdict::Budget }, &mut events);
        }
        // `RUN_BEGIN`, then the entry of the outermost method.
        let Some(entry) = events.get(2..6).and_then(|site| site.first_chunk::<4>()).map(|site| u32::from_le_bytes(*site)) else {
            return self.dropped("runs dropped: nothing was entered");
        };
        let Some(outline) = outline(&events) else {
            return self.dropped("runs dropped: damaged");
        };
        let mut state = self.state();
        if state.stopped {
            return None;
        }
        state.recorded += events.len() as u64;
        let method = state.methods.entry((entry, receiver)).or_default();
        let is_new = method.known.insert(outline.signature);
        let passed = method.interest.passing;
        method.interest.note(is_new, events.len());
        let passing = method.interest.passing;
        let has_room = method.runs < self.limits.runs;
        method.runs += u32::from(is_new && has_room);
        if passed > 0 {
            *state.counts.entry("runs passed over: the method showed nothing new".to_owned()).or_default() += u64::from(passed);
            add(&mut state, if is_new { "runs behind them: new" } else { "runs behind them: the same path" });
        }
        if is_new && has_room {
            add(&mut state, if cut { "runs kept: their beginning" } else { "runs kept" });
            self.append(&mut state, &Record::Run(Run { thread, accompanied, signature: outline.signature, events }));
        } else {
            add(&mut state, if is_new { "runs dropped: more than a method may have" } else { "runs repeated: the same path" });
            self.call(&mut state, (entry, receiver), thread, &outline, &events);
        }
        (!state.stopped).then_some(passing)
    }

    /// Of a run that is not kept, what was called with what: the lives of objects go on in it.
    fn call(&self, state: &mut State, of: (u32, u32), thread: u32, outline: &Outline, events: &[u8]) {
        let method = state.methods.entry(of).or_default();
        if method.calls >= CALLS.saturating_mul(self.limits.runs) {
            return;
        }
        let call = outline.call(events);
        if call.is_empty() || call.len() > LONGEST_CALL {
            return;
        }
        method.calls += 1;
        self.append(state, &Record::Call(Call { thread, events: call }));
    }

    fn dropped(&self, reason: &str) -> Option<u32> {
        let mut state = self.state();
        add(&mut state, reason);
        (!state.stopped).then_some(0)
    }

    /// Everything so far is on its way to the disk when this returns.
    pub(crate) fn flush(&self) {
        let mut state = self.state();
        if let Some(percent) = self.limits.overhead {
            weigh(&mut state, percent, cpu_time());
        }
        if std::mem::take(&mut state.counts_changed) {
            let recorded = state.recorded;
            state.counts.insert("bytes of events".to_owned(), recorded);
            let counts = state.counts.iter().map(|(reason, count)| (reason.clone(), *count));
            let all: Vec<(String, u64)> = counts.chain(self.status.counts()).collect();
            self.append(&mut state, &Record::Counts(all));
        }
        if let Some(file) = &mut state.file
            && file.flush().is_err()
        {
            give_up(&mut state);
        }
    }

    fn append(&self, state: &mut State, record: &Record) {
        let Some(file) = &mut state.file else { return };
        let mut bytes = Vec::new();
        encode_record(record, &mut bytes);
        // What is said of the process and of what was counted stays small.
        let is_bounded = matches!(record, Record::Run(_) | Record::ClassFile(_) | Record::Call(_));
        if is_bounded && state.size + bytes.len() as u64 > self.limits.bytes {
            if !std::mem::replace(&mut state.stopped, true) {
                add(state, "recording stopped: the session is as large as it may be");
            }
            if matches!(record, Record::Run(_)) {
                add(state, "runs dropped: the session is as large as it may be");
            }
            return;
        }
        state.size += bytes.len() as u64;
        if file.write_all(&bytes).is_err() {
            give_up(state);
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // Whoever panicked left whole records: bytes are written at once.
        self.state.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    fn parts(&self) -> MutexGuard<'_, HashMap<u32, Part>> {
        self.parts.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }
}

/// Stops where recording takes more than it may of what the process has taken.
fn weigh(state: &mut State, percent: u32, taken: Duration) {
    let recording = state.recorded as f64 * NANOSECONDS_A_BYTE * 1e-9;
    let program = (taken.as_secs_f64() - recording).max(0.0);
    if !state.stopped && taken >= WARM && recording * 100.0 > program * f64::from(percent) {
        state.stopped = true;
        add(state, "recording stopped: it took more time than max-overhead allows");
    }
}

/// User and system, all threads of this process; nothing where the system does not say.
fn cpu_time() -> Duration {
    let mut usage = std::mem::MaybeUninit::<libc::rusage>::uninit();
    // SAFETY: the call fills in the whole structure where it returns 0.
    let usage = unsafe {
        if libc::getrusage(libc::RUSAGE_SELF, usage.as_mut_ptr()) != 0 {
            return Duration::ZERO;
        }
        usage.assume_init()
    };
    let of = |time: libc::timeval| Duration::new(time.tv_sec.max(0) as u64, time.tv_usec.max(0) as u32 * 1000);
    of(usage.ru_utime) + of(usage.ru_stime)
}

/// The disk is full, or the folder gone: the program goes on without a session.
fn give_up(state: &mut State) {
    if let Some(file) = state.file.take() {
        // What is buffered cannot be written either.
        let _ = file.into_parts();
    }
    state.stopped = true;
}

fn add(state: &mut State, reason: &str) {
    match state.counts.get_mut(reason) {
        Some(count) => *count += 1,
        None => {
            state.counts.insert(reason.to_owned(), 1);
        }
    }
    state.counts_changed = true;
}

fn size_of(folder: &Path) -> u64 {
    let files = fs::read_dir(folder).into_iter().flatten().flatten();
    files.filter_map(|file| file.metadata().ok()).filter(|file| file.is_file()).map(|file| file.len()).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_method_without_news_is_looked_at_less_often() {
        let mut interest = Interest::default();
        let (mut looked, mut runs) = (0, 0);
        while runs < 100_000 {
            interest.note(false, 100);
            looked += 1;
            runs += 1 + interest.passing;
            assert!(looked < PATIENCE || interest.passing > 0);
        }
        assert!((1_000..10_000).contains(&looked), "{looked}");
        let before = interest.passing;
        interest.note(true, 100);
        assert!(interest.passing <= before / 2 + 1, "{interest:?}");
        for _ in 0..20 {
            interest.note(true, 100);
        }
        assert_eq!(interest.passing, 0);
        let mut long = Interest::default();
        long.note(false, 1 << 20);
        assert_eq!(long.passing, 1, "one run of 1 MiB is as 65 short ones");
    }

    #[test]
    fn recording_stops_when_it_takes_too_much() {
        let state = |recorded| State { recorded, ..State::default() };
        let stops = |recorded, percent, seconds| {
            let mut state = state(recorded);
            weigh(&mut state, percent, Duration::from_secs(seconds));
            state.stopped
        };
        let second = (1e9 / NANOSECONDS_A_BYTE) as u64;
        // Four seconds of recording in ten: two thirds of the other six.
        assert!(stops(4 * second, 60, 10) && !stops(4 * second, 70, 10));
        assert!(!stops(2 * second, 60, 2), "a VM that starts");
        assert!(!stops(0, 1, 100));
        let mut once = state(9 * second);
        weigh(&mut once, 10, Duration::from_secs(10));
        weigh(&mut once, 10, Duration::from_secs(11));
        assert_eq!(once.counts.values().sum::<u64>(), 1, "{:?}", once.counts);
        let before = cpu_time();
        assert!(before > Duration::ZERO && cpu_time() >= before);
    }
}
