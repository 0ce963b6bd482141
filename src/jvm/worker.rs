//! Workers that execute test cases under probes, each in a JVM of its own.
//!
//! In: batches of test cases. Out: one execution for each test case. A worker replaces its JVM when
//! the JVM hangs, dies, or asks for it; the rest of the batch is sent to the new one. Must not know
//! which probes there are.

use std::fs::{self, File};
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;
use std::time::{Duration, Instant};

use tracewright_trace::OTHER_BUILD;
use tracewright_trace::codec::{self, Decoder};
use tracewright_trace::event::Event;

use super::agent_config::{trace_file, write_agent_config};
use super::idle::{IdleJvm, JvmSettings};
use super::process::{JvmProcess, Launch, NoFrame, process_folder};
use super::wire::{self, AnnouncedClasses, Dictionary, FrameKind, SentDefinitions};
use super::{JvmError, ProbeMode, WorkerConfig};
use crate::execution::{Execution, MutantMark, MutantRun, RunEnd};
use crate::testcase::TestCase;

/// Time for a stopped run to end before its JVM is killed.
const GRACE: Duration = Duration::from_millis(500);
/// Time for a JVM to start and to report that it is ready.
const START: Duration = Duration::from_secs(30);
/// The same for a JVM that runs already.
const QUICK_START: Duration = Duration::from_secs(2);
/// Time that the runner needs besides its executions.
const SLACK: Duration = Duration::from_secs(2);
/// Time that a JVM gets to finish abandoned executions. Replacing the JVM takes longer on a busy
/// machine.
const STALE: Duration = Duration::from_millis(700);
/// JVMs in a row that may end before their first result.
const MAX_FAILURES: u32 = 3;
/// Bytes of recordings after which a trace worker gets a new JVM, and so a new trace file.
const MAX_TRACE_BYTES: u64 = 512 << 20;

/// Counters of one worker.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WorkerStatistics {
    /// JVMs started.
    pub started: u64,
    /// JVMs that the worker ended because they hung or had to be replaced.
    pub killed: u64,
    /// JVMs that ended by themselves while they had work.
    pub crashed: u64,
    /// Test cases executed.
    pub(crate) executions: u64,
    /// Fresh class loaders inside a running JVM.
    pub fresh_loaders: u64,
    /// Classes whose static state was restored.
    pub reinitialised: u64,
}

/// A worker JVM with search probes, replaced when it hangs or dies.
#[derive(Debug)]
pub struct SearchWorker(WorkerLink);

impl SearchWorker {
    /// Starts the JVM and waits until it is ready.
    ///
    /// # Errors
    /// [`JvmError::NoAgent`] when the agent library is missing, [`JvmError::KeepsFailing`] when no
    /// JVM gets ready, [`JvmError::Late`] when the deadline of the configuration comes first.
    pub fn start(config: WorkerConfig) -> Result<SearchWorker, JvmError> {
        WorkerLink::start(config).map(SearchWorker)
    }

    /// Executes the test cases in order and gives one execution each. With `observe` the executions
    /// have snapshots.
    ///
    /// # Errors
    /// [`JvmError::Protocol`] for a test case that cannot be encoded or a malformed result,
    /// [`JvmError::KeepsFailing`] when JVMs cannot be replaced.
    pub fn execute(&mut self, tests: &[TestCase], observe: bool) -> Result<Vec<Execution>, JvmError> {
        self.submit(tests, observe)?;
        self.collect()
    }

    /// Sends the test cases and returns at once. A second `submit` before `collect` drops the first
    /// batch.
    pub(crate) fn submit(&mut self, tests: &[TestCase], observe: bool) -> Result<(), JvmError> {
        let tests = self.0.encode(tests)?;
        self.0.submit(WorkerTask::Execute { tests, observe })
    }

    /// Waits for the executions of the last `submit`; errors as [`SearchWorker::execute`].
    pub(crate) fn collect(&mut self) -> Result<Vec<Execution>, JvmError> {
        self.0.collect()
    }

    /// Sets the time after which executions end as `RunEnd::Unrun`; `None` removes the limit.
    pub fn set_deadline(&mut self, deadline: Option<Instant>) {
        self.0.deadline = deadline;
    }

    /// The counters so far.
    pub fn statistics(&self) -> WorkerStatistics {
        self.0.statistics
    }
}

/// One recorded execution and its trace events.
#[derive(Clone, Debug, PartialEq)]
pub struct TracedExecution {
    /// The execution.
    pub execution: Execution,
    /// `docs/formats/trace.md`. The stream is self-contained: classes announced to earlier
    /// recordings of the worker are announced again.
    pub trace: Vec<u8>,
}

/// A worker JVM with trace probes, replaced when it hangs or dies.
#[derive(Debug)]
pub struct TraceWorker {
    link: WorkerLink,
    /// Bytes of the current JVM's trace file that have been read.
    read: u64,
    announced: Vec<u8>,
    /// The JVM that `read` and `announced` belong to, as the number of JVMs started so far.
    generation: u64,
}

impl TraceWorker {
    /// As [`SearchWorker::start`].
    ///
    /// # Errors
    /// As [`SearchWorker::start`].
    pub fn start(config: WorkerConfig) -> Result<TraceWorker, JvmError> {
        Ok(TraceWorker { link: WorkerLink::start(config)?, read: 0, announced: Vec::new(), generation: 0 })
    }

    /// Executes and records one test case.
    ///
    /// # Errors
    /// As [`SearchWorker::execute`], and [`JvmError::Io`] when the trace file cannot be read.
    pub fn record(&mut self, test: &TestCase) -> Result<TracedExecution, JvmError> {
        let tests = self.link.encode(std::slice::from_ref(test))?;
        self.link.submit(WorkerTask::Execute { tests, observe: false })?;
        // The file goes with its JVM: a JVM that has to be replaced is kept until the file has been
        // read.
        self.link.keep_ended_process = true;
        let collected = self.link.collect();
        let trace = self.trace();
        self.link.ended = None;
        let execution = collected?.pop().ok_or_else(|| JvmError::Protocol("no execution for a test case".into()))?;
        let trace = trace.map_err(|source| JvmError::Io { what: "the trace of a worker cannot be read".into(), source })?;
        if self.read > MAX_TRACE_BYTES {
            self.link.replace_process();
            self.link.ended = None;
        }
        Ok(TracedExecution { execution, trace })
    }

    /// As [`SearchWorker::set_deadline`].
    pub(crate) fn set_deadline(&mut self, deadline: Option<Instant>) {
        self.link.deadline = deadline;
    }

    /// The counters so far.
    pub(crate) fn statistics(&self) -> WorkerStatistics {
        self.link.statistics
    }

    /// The bytes that the worker has written since the last call, preceded by its earlier
    /// announcements.
    fn trace(&mut self) -> std::io::Result<Vec<u8>> {
        let Some(process) = self.link.ended.as_ref().or(self.link.process.as_ref()) else { return Ok(Vec::new()) };
        let generation = self.link.statistics.started;
        if generation != self.generation {
            (self.generation, self.read) = (generation, 0);
            self.announced.clear();
        }
        let mut bytes = Vec::new();
        match File::open(trace_file(process.folder())) {
            Ok(mut file) => {
                file.seek(SeekFrom::Start(self.read))?;
                self.read += file.read_to_end(&mut bytes)? as u64;
            }
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
            Err(error) => return Err(error),
        }
        let mut trace = self.announced.clone();
        trace.extend_from_slice(&bytes);
        let mut decoder = Decoder::new();
        decoder.push(&bytes);
        while let Ok(Some(event)) = decoder.next_event() {
            if matches!(event, Event::Class { .. } | Event::ClassSites { .. }) {
                codec::encode(&event, &mut self.announced);
            }
        }
        Ok(trace)
    }
}

/// The executions that a JVM is asked for; test cases are encoded.
#[derive(Debug)]
pub(super) enum WorkerTask {
    Execute {
        tests: Vec<Vec<u8>>,
        observe: bool,
    },
    /// Executions of test cases with one mutant switched on.
    Mutate {
        tests: Vec<Vec<u8>>,
        runs: Vec<MutantRun>,
    },
}

impl WorkerTask {
    fn len(&self) -> usize {
        match self {
            WorkerTask::Execute { tests, .. } => tests.len(),
            WorkerTask::Mutate { runs, .. } => runs.len(),
        }
    }

    /// The frame for the executions from number `from` on.
    fn frame(&self, from: usize, cautious: bool) -> Vec<u8> {
        match self {
            WorkerTask::Execute { tests, observe } => wire::run_frame(&tests[from..], *observe, cautious),
            WorkerTask::Mutate { tests, runs } => wire::mutate_frame(tests, &runs[from..], cautious),
        }
    }
}

/// A task whose results are not complete.
#[derive(Debug)]
struct PendingBatch {
    work: WorkerTask,
    done: Vec<Execution>,
    /// For each execution the mutants that it reached and infected; see `ResultFrame::marks`.
    marks: Vec<Vec<MutantMark>>,
    /// Number of the execution that the running JVM counts as its first; `None`: the batch has not
    /// been sent to it.
    sent_from: Option<usize>,
    /// A JVM has died in this batch. The next one sends each result at once, so that the fatal test
    /// case is known.
    cautious: bool,
}

/// Executions that the running JVM still works on although their batch was given up.
#[derive(Clone, Copy, Debug)]
struct StaleExecutions {
    left: usize,
    /// The JVM is replaced where they are not done by then.
    until: Instant,
}

/// The JVM of one worker, and the state that outlives it.
#[derive(Debug)]
pub(super) struct WorkerLink {
    config: WorkerConfig,
    pub(super) statistics: WorkerStatistics,
    dictionary: Dictionary,
    process: Option<JvmProcess>,
    known: SentDefinitions,
    classes: AnnouncedClasses,
    ready: bool,
    /// Fresh loaders and reinitialised classes that the running JVM has reported so far.
    reported: (u32, u32),
    /// JVMs in a row that ended before their first result.
    failures: u32,
    /// Targets are initialised ahead of the first execution; switched off when that kills the JVM.
    prepare: bool,
    batch: Option<PendingBatch>,
    /// Their results come before those of the batch.
    stale: Option<StaleExecutions>,
    /// The time after which no execution is waited for.
    pub(super) deadline: Option<Instant>,
    /// A JVM that has to be replaced is kept in `ended`, so that its files can be read.
    keep_ended_process: bool,
    ended: Option<JvmProcess>,
    /// Workers that the running JVM has had, this one included; more than one: it was idle before.
    workers: u32,
    /// What the running JVM said of its fitness for other workers.
    may_serve_again: bool,
}

impl Drop for WorkerLink {
    fn drop(&mut self) {
        let is_at_rest = self.ready && self.may_serve_again && self.batch.is_none() && self.stale.is_none();
        if let Some(idle) = self.config.idle.as_ref().filter(|_| is_at_rest)
            && let Some(settings) = JvmSettings::of(&self.config)
            && let Some(process) = self.process.take()
        {
            idle.put(IdleJvm { settings, process, workers: self.workers });
        }
    }
}

impl WorkerLink {
    /// Starts the first JVM and waits until it is ready.
    ///
    /// # Errors
    /// As [`SearchWorker::start`].
    pub(super) fn start(mut config: WorkerConfig) -> Result<WorkerLink, JvmError> {
        if !config.agent_library.as_os_str().is_empty() {
            config.agent_library =
                fs::canonicalize(&config.agent_library).map_err(|_| JvmError::NoAgent(config.agent_library.clone()))?;
        }
        for entry in &mut config.classpath {
            // The JVM has a working folder of its own, so relative paths would mean other files.
            if let Ok(absolute) = std::path::absolute(&*entry) {
                *entry = absolute;
            }
        }
        let mut link = WorkerLink {
            deadline: config.deadline,
            config,
            statistics: WorkerStatistics::default(),
            dictionary: Dictionary::default(),
            process: None,
            known: SentDefinitions::default(),
            classes: AnnouncedClasses::default(),
            ready: false,
            reported: (0, 0),
            failures: 0,
            prepare: true,
            batch: None,
            stale: None,
            keep_ended_process: false,
            ended: None,
            workers: 0,
            may_serve_again: false,
        };
        while !link.ready {
            if link.is_past_deadline() {
                return Err(JvmError::Late);
            }
            link.ensure_process()?;
            link.receive_frame()?;
        }
        Ok(link)
    }

    /// The bytes of the test cases.
    ///
    /// # Errors
    /// [`JvmError::Protocol`] for a test case that has no encoding.
    pub(super) fn encode(&mut self, tests: &[TestCase]) -> Result<Vec<Vec<u8>>, JvmError> {
        tests.iter().map(|test| self.dictionary.encode(test).map_err(JvmError::Protocol)).collect()
    }

    /// Begins a batch. Results of an earlier batch that were not collected are dropped.
    ///
    /// # Errors
    /// [`JvmError::KeepsFailing`] when no JVM takes it.
    pub(super) fn submit(&mut self, work: WorkerTask) -> Result<(), JvmError> {
        if self.batch.take().is_some_and(|batch| batch.sent_from.is_some()) {
            // Its results would be taken for those of the next batch.
            self.replace_process();
        }
        self.batch = Some(PendingBatch { work, done: Vec::new(), marks: Vec::new(), sent_from: None, cautious: false });
        if self.is_past_deadline() { Ok(()) } else { self.send_batch() }
    }

    fn collect(&mut self) -> Result<Vec<Execution>, JvmError> {
        Ok(self.collect_with_marks()?.into_iter().map(|(execution, _)| execution).collect())
    }

    /// Waits for the executions of the batch, each with the marks of its mutants.
    pub(super) fn collect_with_marks(&mut self) -> Result<Vec<(Execution, Vec<MutantMark>)>, JvmError> {
        while self.batch.as_ref().is_some_and(|batch| batch.done.len() < batch.work.len()) {
            if self.is_past_deadline() {
                self.abandon_batch();
                break;
            }
            self.send_batch()?;
            self.receive_frame()?;
        }
        let done = self.batch.take().map_or_else(Vec::new, |batch| batch.done.into_iter().zip(batch.marks).collect());
        self.statistics.executions += done.len() as u64;
        Ok(done)
    }

    fn is_past_deadline(&self) -> bool {
        self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }

    /// This time, or what the deadline leaves of it.
    fn within_deadline(&self, time: Duration) -> Duration {
        self.deadline.map_or(time, |deadline| deadline.saturating_duration_since(Instant::now()).min(time))
    }

    /// Ends the rest of the batch as unrun. A JVM that has the batch gets some time to finish it.
    /// The file of a trace worker would hold these executions, so its JVM is replaced.
    fn abandon_batch(&mut self) {
        if let Some(PendingBatch { work, done, sent_from: Some(_), .. }) = &self.batch {
            let left = work.len() - done.len() + self.stale.map_or(0, |stale| stale.left);
            if self.config.mode == ProbeMode::Trace {
                self.replace_process();
            } else {
                self.stale = Some(StaleExecutions { left, until: Instant::now() + STALE });
            }
        }
        if let Some(batch) = &mut self.batch {
            batch.sent_from = None;
        }
        while self.batch.as_ref().is_some_and(|batch| batch.done.len() < batch.work.len()) {
            self.end_current_test(RunEnd::Unrun);
        }
    }

    /// Makes sure that a JVM runs and that the rest of the batch has been sent to it.
    fn send_batch(&mut self) -> Result<(), JvmError> {
        while self.stale.is_some() {
            if self.is_past_deadline() {
                return Ok(());
            }
            self.receive_frame()?;
        }
        loop {
            self.ensure_process()?;
            let patience = self.within_deadline(START);
            let (Some(batch), Some(process)) = (&mut self.batch, &mut self.process) else { return Ok(()) };
            if batch.sent_from.is_some() || batch.done.len() == batch.work.len() {
                return Ok(());
            }
            let mut frames = self.dictionary.definitions(&mut self.known).unwrap_or_default();
            frames.extend(batch.work.frame(batch.done.len(), batch.cautious));
            if process.send(&frames, patience).is_ok() {
                batch.sent_from = Some(batch.done.len());
                return Ok(());
            }
            if self.is_past_deadline() {
                // It may have received a part of the batch.
                self.replace_process();
                return Ok(());
            }
            // The JVM died before it received the batch.
            self.handle_failed_start("it does not read its input")?;
        }
    }

    /// Waits for one frame and handles it, or handles its absence.
    fn receive_frame(&mut self) -> Result<(), JvmError> {
        let Some(process) = &self.process else { return Ok(()) };
        let window = self.config.hang_timeout.unwrap_or(self.config.candidate_timeout) + GRACE;
        let timeout = if self.ready {
            // One test case may take the time limit for its run, for snapshots, twice for restoring
            // static state, and then once for each target.
            window * (4 + self.config.targets.len().min(16) as u32) + SLACK
        } else {
            let start = if self.workers > 1 { QUICK_START } else { START };
            start + window * self.config.targets.len().min(16) as u32
        };
        // Abandoned executions have a time limit of their own.
        let timeout = self.stale.map_or(timeout, |stale| stale.until.saturating_duration_since(Instant::now()));
        let until = self.within_deadline(timeout);
        let begin = Instant::now();
        match process.receive(until) {
            Ok(frame) => match frame.kind {
                FrameKind::Ready => {
                    // The payload says whether the runner has found the sink of the agent.
                    let has_sink = frame.payload.first() == Some(&1);
                    if !has_sink && !self.config.agent_library.as_os_str().is_empty() {
                        return Err(self.other_build());
                    }
                    self.may_serve_again = frame.payload.get(1) == Some(&1);
                    self.ready = true;
                    Ok(())
                }
                FrameKind::AnnouncedClasses => self
                    .classes
                    .announce(&frame.payload)
                    .ok_or_else(|| JvmError::Protocol("a list of classes that cannot be read".into())),
                FrameKind::Result => {
                    let took = if self.config.measures_time { begin.elapsed() } else { Duration::ZERO };
                    self.record_answer(&frame.payload, took)
                }
                FrameKind::Fatal => {
                    let why = wire::PayloadReader::new(&frame.payload).string().unwrap_or_default();
                    self.handle_death(&why)
                }
                other => Err(JvmError::Protocol(format!("a frame of kind {other:?}"))),
            },
            Err(NoFrame::Ended) => self.handle_death("it ended"),
            // The deadline came first: the caller checks it.
            Err(NoFrame::Timeout) if until < timeout => Ok(()),
            Err(NoFrame::Timeout) => {
                if !self.ready {
                    return self.handle_failed_start("it does not report");
                }
                let was_stale = self.stale.is_some();
                self.replace_process();
                if !was_stale {
                    self.end_current_test(RunEnd::Timeout { statement: 0 });
                }
                Ok(())
            }
        }
    }

    /// Records a result. `took`: how long it was waited for.
    fn record_answer(&mut self, payload: &[u8], took: Duration) -> Result<(), JvmError> {
        let answer = wire::decode_result(payload, &self.classes)
            .ok_or_else(|| JvmError::Protocol("an execution that cannot be read".into()))?;
        if let Some(stale) = &mut self.stale {
            stale.left -= 1;
            if stale.left == 0 {
                self.stale = None;
            }
            if answer.replace {
                self.replace_process();
            }
            return Ok(());
        }
        let Some(batch) = &mut self.batch else { return Err(JvmError::Protocol("a result without a request".into())) };
        let expected = batch.sent_from.map(|from| batch.done.len() - from);
        if expected != Some(answer.index as usize) {
            return Err(JvmError::Protocol(format!("result {} where {expected:?} was expected", answer.index)));
        }
        self.statistics.fresh_loaders += u64::from(answer.fresh_loaders.saturating_sub(self.reported.0));
        self.statistics.reinitialised += u64::from(answer.reinitialised.saturating_sub(self.reported.1));
        self.reported = (answer.fresh_loaders, answer.reinitialised);
        self.failures = 0;
        batch.done.push(Execution { took, ..answer.execution });
        batch.marks.push(answer.marks);
        if answer.replace {
            self.replace_process();
        }
        Ok(())
    }

    /// The JVM has ended by itself: the execution in progress is lost.
    fn handle_death(&mut self, why: &str) -> Result<(), JvmError> {
        if !self.ready {
            return self.handle_failed_start(why);
        }
        self.statistics.crashed += 1;
        self.config.idle = None;
        let was_stale = self.stale.is_some();
        self.drop_process();
        match &mut self.batch {
            _ if was_stale => {}
            Some(batch) if !batch.cautious && batch.done.len() + 1 < batch.work.len() => batch.cautious = true,
            _ => self.end_current_test(RunEnd::Died),
        }
        Ok(())
    }

    /// Records an empty execution with this end for the test case in progress.
    fn end_current_test(&mut self, end: RunEnd) {
        if let Some(batch) = &mut self.batch
            && batch.done.len() < batch.work.len()
        {
            batch.marks.push(Vec::new());
            batch.done.push(Execution::without_measurements(end));
        }
    }

    fn other_build(&self) -> JvmError {
        JvmError::OtherBuild { agent: self.config.agent_library.clone() }
    }

    /// The JVM ended before it was ready. A static initialiser of a target can be the cause, so the
    /// next JVM starts without initialising targets.
    fn handle_failed_start(&mut self, why: &str) -> Result<(), JvmError> {
        if self.workers > 1 {
            // What other classes left may be the cause, or this one ends every JVM.
            self.drop_process();
            self.config.idle = None;
            return Ok(());
        }
        self.failures += 1;
        let output = self.process.as_ref().map(JvmProcess::output).unwrap_or_default();
        // An agent from before the option `interface` does not know it.
        if output.contains(OTHER_BUILD) || output.contains("option `interface`") {
            return Err(self.other_build());
        }
        let last = if output.is_empty() { why.to_string() } else { format!("{why}; its output: {output}") };
        self.drop_process();
        if self.failures >= MAX_FAILURES {
            return Err(JvmError::KeepsFailing { failures: self.failures, last });
        }
        self.prepare = false;
        Ok(())
    }

    /// Ends the JVM, so that the next test cases get a new one.
    fn replace_process(&mut self) {
        if self.process.is_some() {
            self.statistics.killed += 1;
            self.drop_process();
        }
    }

    fn drop_process(&mut self) {
        let mut process = self.process.take();
        self.stale = None;
        if let Some(process) = &mut process {
            process.kill();
        }
        if self.keep_ended_process {
            self.ended = process;
        }
        if let Some(batch) = &mut self.batch {
            batch.sent_from = None;
        }
    }

    /// Takes an idle JVM or starts one, unless one runs.
    fn ensure_process(&mut self) -> Result<(), JvmError> {
        if self.process.is_some() {
            return Ok(());
        }
        let start = |error: std::io::Error| JvmError::Start(error.to_string());
        let config = &self.config;
        let settings = config.idle.as_ref().and_then(|idle| Some((idle, JvmSettings::of(config)?)));
        if let Some(IdleJvm { process, workers, .. }) = settings.and_then(|(idle, settings)| idle.take(&settings)) {
            // Where its folder is gone, so is its use.
            if let Ok(agent) = write_agent_config(config, process.folder()) {
                self.workers = workers + 1;
                self.begin_with(process, &agent.to_string_lossy());
                return Ok(());
            }
        }
        let folder = process_folder(&config.temporary, config.mode.word(), &config.pins.surroundings).map_err(start)?;
        let launch = Launch {
            runner_jar: None,
            java: config.jdk.java(),
            jvm_options: jvm_options(config, &folder).map_err(start)?,
            classpath: Vec::new(),
            main: None,
            arguments: ["execute", "{in}", "{out}"].map(String::from).to_vec(),
            variables: config.pins.surroundings.variables.clone(),
            confinement: config.allow.confinement(
                &config.jdk,
                &folder,
                if config.mode == ProbeMode::Trace { 2 << 30 } else { 256 << 20 },
            ),
            folder: folder.clone(),
        };
        let process = JvmProcess::start(launch).map_err(start)?;
        self.statistics.started += 1;
        self.workers = 1;
        self.begin_with(process, "");
        Ok(())
    }

    /// Configures a JVM, which then prepares itself. `agent`: the file that its agent has to read again.
    fn begin_with(&mut self, mut process: JvmProcess, agent: &str) {
        let patience = self.within_deadline(START);
        let grace = u32::try_from(GRACE.as_millis()).unwrap_or(u32::MAX);
        let temporary = process.folder().join("tmp");
        let frame = wire::config_frame(&self.config, &temporary.to_string_lossy(), agent, grace, self.prepare);
        // An error here shows as the end of the process when the next frame is awaited.
        let _ = process.send(&frame, patience);
        self.known = SentDefinitions::default();
        self.classes = AnnouncedClasses::default();
        self.reported = (0, 0);
        self.ready = false;
        self.process = Some(process);
    }
}

/// Options of a worker JVM, and the agent's configuration in its folder.
fn jvm_options(config: &WorkerConfig, folder: &Path) -> std::io::Result<Vec<String>> {
    let mut options = super::common_options(folder, config.heap_mb, &config.pins.surroundings);
    options.extend(
        [
            "-XX:TieredStopAtLevel=1",
            // A loop over an int range reaches safepoints too, so that a stop arrives.
            "-XX:+UseCountedLoopSafepoints",
            // Build tools run tests with assertions, too.
            "-ea",
            // Exceptions of hot code keep their message and frames.
            "-XX:-OmitStackTraceInFastThrow",
        ]
        .map(String::from),
    );
    if config.pins.set_salt.is_some() {
        // The JIT treats the salt as a constant and compiles these methods before the runner can
        // change it. They must stay interpreted.
        options.push("-XX:CompileCommand=quiet".into());
        for method in ["SetN$SetNIterator::*", "MapN$MapNIterator::*", "Set12$1::*", "Set12::*"] {
            for command in ["exclude", "dontinline"] {
                options.push(format!("-XX:CompileCommand={command},java.util.ImmutableCollections${method}"));
            }
        }
    }
    if config.pins.sequential_identity_hashes || config.pins.surroundings.sequential_identity_hashes {
        options.extend(["-XX:+UnlockExperimentalVMOptions", "-XX:hashCode=3"].map(String::from));
    }
    if !config.agent_library.as_os_str().is_empty() {
        let file = write_agent_config(config, folder)?;
        options.push(format!("-agentpath:{}=config={}", config.agent_library.display(), file.display()));
    }
    options.extend(config.jvm_options.iter().cloned());
    Ok(options)
}
