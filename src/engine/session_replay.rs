//! Replays every run of a session.
//!
//! Flows in: the folder. Flows out: for each method, what the replay computed and what it did not.
//! Must not know how the report is shown. Runs are divided into slices that depend on the session
//! alone. Each slice has a replayer of its own, so that the figures do not depend on the number of
//! threads.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::error::EngineError;
use super::recorded_sessions::classes_of;
use crate::expr::TermStore;
use crate::program::{ClassName, MethodRef, Program};
use crate::recording::{RecordedProcess, RecordedRun, Recording, Session};
use crate::report::{InstructionReport, SessionDivergence, SessionMethod, SessionReport};
use crate::symbolic::{PathEnd, ReplayConfig, ReplayStats, Replayer};

/// Runs of one slice, and bytes of their events, at most.
const SLICE_RUNS: usize = 256;
const SLICE_BYTES: u64 = 8 << 20;

/// Stack of a replay thread, in bytes.
const STACK_BYTES: usize = 256 << 20;

/// Figures of the runs of one method.
#[derive(Debug, Default)]
struct MethodFigures {
    runs: u64,
    events: u64,
    stats: ReplayStats,
}

type FiguresByMethod = BTreeMap<MethodRef, MethodFigures>;

/// Some runs of one process.
struct RunSlice<'a> {
    process: usize,
    runs: &'a [RecordedRun],
}

/// A recorded process with the program that its runs are replayed over.
struct ReplayableProcess<'a> {
    recorded: &'a RecordedProcess,
    program: Program,
    /// First sites of classes that the program has in another version.
    other_versions: std::collections::BTreeSet<u32>,
}

/// Replays all runs of the session in `folder` with the given number of threads.
///
/// # Errors
/// [`EngineError::Input`] where the folder is no session or a JDK of it cannot be opened,
/// [`EngineError::Fault`] where no thread can be started.
pub fn replay_session(folder: &Path, threads: usize) -> Result<SessionReport, EngineError> {
    let session = Session::open(folder).map_err(|error| EngineError::Input(error.to_string()))?;
    let mut images = BTreeMap::new();
    let mut processes = Vec::new();
    let mut session_counts: BTreeMap<String, u64> = BTreeMap::new();
    for recorded in &session.processes {
        for (reason, count) in &recorded.counts {
            *session_counts.entry(reason.clone()).or_default() += count;
        }
        if recorded.cut.is_some() {
            *session_counts.entry("files cut before their end".into()).or_default() += 1;
        }
        if recorded.runs.is_empty() {
            continue;
        }
        let classes = classes_of(recorded, &mut images)?;
        if !classes.missing.is_empty() {
            *session_counts.entry("class path entries that are gone".into()).or_default() += classes.missing.len() as u64;
        }
        let other_versions = classes.classes_of_other_versions(&recorded.announced);
        processes.push(ReplayableProcess { recorded, program: Program::new(classes), other_versions });
    }
    let slices: Vec<RunSlice<'_>> = processes
        .iter()
        .enumerate()
        .flat_map(|(process, known)| slices_of(&known.recorded.runs).into_iter().map(move |runs| RunSlice { process, runs }))
        .collect();
    let next = AtomicUsize::new(0);
    let results: Mutex<BTreeMap<usize, (FiguresByMethod, u64)>> = Mutex::default();
    std::thread::scope(|scope| {
        for _ in 0..threads.max(1) {
            // Library code that calls back makes the replay recursive, hence the large stack.
            let work = || {
                loop {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    let Some(slice) = slices.get(index) else { return };
                    let Some(known) = processes.get(slice.process) else { return };
                    let found = replay_slice(known, slice.runs);
                    results.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).insert(index, found);
                }
            };
            let builder = std::thread::Builder::new().name("replay".into()).stack_size(STACK_BYTES);
            if let Err(error) = builder.spawn_scoped(scope, work) {
                tracing::warn!("no thread for the replay: {error}");
            }
        }
    });
    let results = results.into_inner().unwrap_or_else(|poisoned| poisoned.into_inner());
    if results.len() < slices.len() {
        return Err(EngineError::Fault("the replay could not start its threads".into()));
    }
    let mut figures = FiguresByMethod::new();
    let mut unreadable = 0;
    for (found, failed) in results.into_values() {
        unreadable += failed;
        for (method, figure) in found {
            let sum = figures.entry(method).or_default();
            sum.runs += figure.runs;
            sum.events += figure.events;
            sum.stats.merge(&figure.stats);
        }
    }
    Ok(build_report(figures, unreadable, session_counts, session.processes.len() as u64))
}

/// Divides the runs of a process into slices.
fn slices_of(runs: &[RecordedRun]) -> Vec<&[RecordedRun]> {
    let mut slices = Vec::new();
    let (mut start, mut bytes) = (0, 0);
    for (index, run) in runs.iter().enumerate() {
        if index > start && (index - start >= SLICE_RUNS || bytes + run.place.length > SLICE_BYTES) {
            slices.push(&runs[start..index]);
            (start, bytes) = (index, 0);
        }
        bytes += run.place.length;
    }
    if start < runs.len() {
        slices.push(&runs[start..]);
    }
    slices
}

/// Replays the runs of a slice; gives the figures by method, and the number of runs that could not
/// be read.
fn replay_slice(known: &ReplayableProcess<'_>, runs: &[RecordedRun]) -> (FiguresByMethod, u64) {
    let mut replayer = Replayer::new(&known.program);
    let config = ReplayConfig::default();
    let mut figures = FiguresByMethod::new();
    let mut unreadable = 0;
    for run in runs {
        let Some(Ok(recording)) = known.recorded.read_runs(std::slice::from_ref(run)).pop() else {
            unreadable += 1;
            continue;
        };
        let method = replayer.outermost(&recording);
        let method = method.unwrap_or_else(|| MethodRef::new(ClassName::new("?"), "?", "()V"));
        let figure = figures.entry(method).or_default();
        figure.runs += 1;
        figure.events += recording.threads.iter().map(|thread| thread.events.len() as u64).sum::<u64>();
        if uses_other_version(&recording, &known.other_versions) {
            *figure.stats.unsupported.entry("a class with several versions in one process".into()).or_default() += 1;
            continue;
        }
        let replay = replayer.replay_run(&recording, &mut TermStore::new(), &config);
        if let PathEnd::Budget { what } = &replay.end {
            *figure.stats.unsupported.entry(format!("limit of {what}")).or_default() += 1;
        }
        if replay.end == PathEnd::JvmDied {
            *figure.stats.unsupported.entry("the recording ends in the middle".into()).or_default() += 1;
        }
        figure.stats.merge(&replay.stats);
    }
    (figures, unreadable)
}

/// Whether a run enters code of a class whose version the program does not have.
fn uses_other_version(recording: &Recording, other_versions: &std::collections::BTreeSet<u32>) -> bool {
    if other_versions.is_empty() {
        return false;
    }
    let mut entries = recording.threads.iter().flat_map(|thread| &thread.events).filter_map(|event| match event {
        tracewright_trace::Event::Entry { site } => Some(site.0),
        _ => None,
    });
    entries.any(|site| recording.announced.table_of(site).is_some_and(|table| other_versions.contains(&table.base)))
}

/// Builds the report from the figures of all slices.
fn build_report(
    figures: FiguresByMethod,
    unreadable: u64,
    session_counts: BTreeMap<String, u64>,
    processes: u64,
) -> SessionReport {
    let mut report = SessionReport::default();
    let totals = &mut report.totals;
    totals.processes = processes;
    totals.dropped_runs = unreadable;
    totals.dropped_runs +=
        session_counts.iter().filter(|(reason, _)| reason.starts_with("runs dropped")).map(|(_, count)| count).sum::<u64>();
    totals.session = session_counts;
    let mut all = ReplayStats::default();
    for (method, MethodFigures { runs, events, stats }) in figures {
        totals.runs += runs;
        totals.events += events;
        all.merge(&stats);
        let divergences = stats.divergences.into_iter().map(|(divergence, count)| SessionDivergence {
            site: divergence.site,
            expected: divergence.expected,
            found: divergence.found,
            count,
        });
        report.methods.push(SessionMethod {
            class: method.owner.internal().replace('/', "."),
            name: method.name.to_string(),
            descriptor: method.descriptor.to_string(),
            runs,
            events,
            instructions: InstructionReport { executed: stats.executed, replayed: stats.replayed },
            divergences: divergences.collect(),
            resyncs: stats.resyncs,
            unsupported: stats.unsupported,
            concretised: stats.concretised,
        });
    }
    totals.instructions = InstructionReport { executed: all.executed, replayed: all.replayed };
    totals.divergences = all.divergences.values().sum();
    totals.resyncs = all.resyncs;
    totals.checked_loads = all.checked;
    totals.opaque_calls = all.opaque_calls;
    totals.unsupported = all.unsupported;
    totals.concretised = all.concretised;
    totals.not_interpreted = all.not_interpreted;
    report
}
