//! Replays every run of a session. Flows in: the folder; flows out: per method what the replay computed and what it did not. Runs are dealt out in
//! stretches that depend on the session alone, each replayed by a replayer of its own, so that the figures are the same on any number of cores.

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

/// Runs of one stretch, and bytes, at most.
const RUNS: usize = 256;
const BYTES: u64 = 8 << 20;

/// What runs of one method gave.
#[derive(Debug, Default)]
struct MethodTally {
    runs: u64,
    events: u64,
    stats: ReplayStats,
}

type MethodTallies = BTreeMap<MethodRef, MethodTally>;

struct RunSlice<'a> {
    process: usize,
    runs: &'a [RecordedRun],
}

/// A process with what its runs are replayed over.
struct ReplayableProcess<'a> {
    recorded: &'a RecordedProcess,
    program: Program,
    /// Bases of classes of which the program has other bytes.
    others: std::collections::BTreeSet<u32>,
}

pub fn replay_session(folder: &Path, threads: usize) -> Result<SessionReport, EngineError> {
    let session = Session::open(folder).map_err(|error| EngineError::Input(error.to_string()))?;
    let mut images = BTreeMap::new();
    let mut processes = Vec::new();
    let mut notes: BTreeMap<String, u64> = BTreeMap::new();
    for recorded in &session.processes {
        for (reason, count) in &recorded.counts {
            *notes.entry(reason.clone()).or_default() += count;
        }
        if recorded.cut.is_some() {
            *notes.entry("files cut before their end".into()).or_default() += 1;
        }
        if recorded.runs.is_empty() {
            continue;
        }
        let classes = classes_of(recorded, &mut images)?;
        if !classes.missing.is_empty() {
            *notes.entry("class path entries that are gone".into()).or_default() += classes.missing.len() as u64;
        }
        let others = classes.classes_of_other_versions(&recorded.announced);
        processes.push(ReplayableProcess { recorded, program: Program::new(classes), others });
    }
    let stretches: Vec<RunSlice<'_>> = processes
        .iter()
        .enumerate()
        .flat_map(|(process, known)| dealt(&known.recorded.runs).into_iter().map(move |runs| RunSlice { process, runs }))
        .collect();
    let next = AtomicUsize::new(0);
    let results: Mutex<BTreeMap<usize, (MethodTallies, u64)>> = Mutex::default();
    std::thread::scope(|scope| {
        for _ in 0..threads.max(1) {
            // Deep recursion of the recorded code is recursion here where library code calls back.
            let work = || {
                loop {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    let Some(stretch) = stretches.get(index) else { return };
                    let Some(known) = processes.get(stretch.process) else { return };
                    let found = replay_stretch(known, stretch.runs);
                    results.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).insert(index, found);
                }
            };
            let builder = std::thread::Builder::new().name("replay".into()).stack_size(256 << 20);
            if let Err(error) = builder.spawn_scoped(scope, work) {
                tracing::warn!("no thread for the replay: {error}");
            }
        }
    });
    let results = results.into_inner().unwrap_or_else(|poisoned| poisoned.into_inner());
    if results.len() < stretches.len() {
        return Err(EngineError::Fault("the replay could not start its threads".into()));
    }
    let mut tallies = MethodTallies::new();
    let mut unreadable = 0;
    for (found, failed) in results.into_values() {
        unreadable += failed;
        for (method, tally) in found {
            let sum = tallies.entry(method).or_default();
            sum.runs += tally.runs;
            sum.events += tally.events;
            sum.stats.merge(&tally.stats);
        }
    }
    Ok(report(tallies, unreadable, notes, session.processes.len() as u64))
}

/// The runs of a process in stretches.
fn dealt(runs: &[RecordedRun]) -> Vec<&[RecordedRun]> {
    let mut stretches = Vec::new();
    let (mut start, mut bytes) = (0, 0);
    for (index, run) in runs.iter().enumerate() {
        if index > start && (index - start >= RUNS || bytes + run.place.length > BYTES) {
            stretches.push(&runs[start..index]);
            (start, bytes) = (index, 0);
        }
        bytes += run.place.length;
    }
    if start < runs.len() {
        stretches.push(&runs[start..]);
    }
    stretches
}

/// What the runs gave, and how many could not be read.
fn replay_stretch(known: &ReplayableProcess<'_>, runs: &[RecordedRun]) -> (MethodTallies, u64) {
    let mut replayer = Replayer::new(&known.program);
    let config = ReplayConfig::default();
    let mut tallies = MethodTallies::new();
    let mut unreadable = 0;
    for run in runs {
        let Some(Ok(recording)) = known.recorded.read_runs(std::slice::from_ref(run)).pop() else {
            unreadable += 1;
            continue;
        };
        let method = replayer.outermost(&recording);
        let method = method.unwrap_or_else(|| MethodRef::new(ClassName::new("?"), "?", "()V"));
        let tally = tallies.entry(method).or_default();
        tally.runs += 1;
        tally.events += recording.threads.iter().map(|thread| thread.events.len() as u64).sum::<u64>();
        if uses(&recording, &known.others) {
            *tally.stats.unsupported.entry("a class with several versions in one process".into()).or_default() += 1;
            continue;
        }
        let replay = replayer.replay_run(&recording, &mut TermStore::new(), &config);
        if let PathEnd::Budget { what } = &replay.end {
            *tally.stats.unsupported.entry(format!("limit of {what}")).or_default() += 1;
        }
        if replay.end == PathEnd::JvmDied {
            *tally.stats.unsupported.entry("the recording ends in the middle".into()).or_default() += 1;
        }
        tally.stats.merge(&replay.stats);
    }
    (tallies, unreadable)
}

fn uses(recording: &Recording, others: &std::collections::BTreeSet<u32>) -> bool {
    if others.is_empty() {
        return false;
    }
    let mut entries = recording.threads.iter().flat_map(|thread| &thread.events).filter_map(|event| match event {
        tracewright_trace::Event::Entry { site } => Some(site.0),
        _ => None,
    });
    entries.any(|site| recording.announced.table_of(site).is_some_and(|table| others.contains(&table.base)))
}

fn report(tallies: MethodTallies, unreadable: u64, notes: BTreeMap<String, u64>, processes: u64) -> SessionReport {
    let mut report = SessionReport::default();
    let totals = &mut report.totals;
    totals.processes = processes;
    totals.dropped_runs = unreadable;
    totals.dropped_runs +=
        notes.iter().filter(|(reason, _)| reason.starts_with("runs dropped")).map(|(_, count)| count).sum::<u64>();
    totals.session = notes;
    let mut all = ReplayStats::default();
    for (method, MethodTally { runs, events, stats }) in tallies {
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
