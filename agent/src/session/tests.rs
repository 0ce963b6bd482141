//! Tests of sessions: locks, the order of announcements, parts of runs, full sessions.

use std::collections::BTreeMap;

use tracewright_trace::session::{Record, Records};
use tracewright_trace::{Event, Site, Verdict, encode};

use super::*;
use crate::lock::acquired_by_this_thread;

const LIMITS: Limits = Limits { bytes: 1 << 30, run_bytes: 1 << 20, runs: 1000, overhead: None };

/// Events of a run that enters the method at `site`, and leaves it after some nested calls.
fn events(site: u32, calls: u32) -> Vec<u8> {
    let mut bytes = Vec::new();
    let entry = |site| Event::Entry { site: Site(site) };
    let calls = (0..calls).flat_map(|_| [entry(site + 1), Event::Exit]);
    let all = [Event::RunBegin, entry(site)].into_iter().chain(calls);
    for event in all.chain([Event::Exit, Event::RunEnd { verdict: Verdict::Completed }]) {
        encode(&event, &mut bytes);
    }
    bytes
}

/// A session with a class, so that there is a file.
fn started(folder: &Path, limits: Limits) -> Session {
    let session = Session::start(folder, limits, Arc::default()).expect("a session");
    session.describe_process("/jdk", "17", "");
    session.add_class_file(1, "A", tracewright_trace::class_hash(b"class"), b"class");
    session
}

fn run(thread: u32) -> FinishedRun {
    FinishedRun { thread, ..FinishedRun::default() }
}

/// All records of the session's only file, and the last counts.
fn records(folder: &Path) -> (Vec<Record>, BTreeMap<String, u64>) {
    let file = fs::read_dir(folder).expect("a folder").next().expect("a file").expect("an entry");
    let bytes = fs::read(file.path()).expect("readable");
    let records: Vec<Record> = Records::new(&bytes).expect("a session").map(|record| record.expect("whole").1).collect();
    let counts = records.iter().rev().find_map(|record| match record {
        Record::Counts(counts) => Some(counts.iter().cloned().collect()),
        _ => None,
    });
    (records, counts.expect("counts"))
}

#[test]
fn threads_record_without_a_lock() {
    let folder = tempfile::tempdir().expect("a folder");
    let session = started(folder.path(), LIMITS);
    let acquired: Vec<u64> = thread::scope(|scope| {
        let threads: Vec<_> = (0..4)
            .map(|thread| {
                let session = &session;
                scope.spawn(move || {
                    for round in 0..20_000 {
                        assert!(session.add_run(run(thread), &events(thread * 10 + 1, round % 7)));
                        session.skips().publish(1, 2, 0);
                    }
                    acquired_by_this_thread()
                })
            })
            .collect();
        threads.into_iter().map(|thread| thread.join().expect("no panic")).collect()
    });
    assert_eq!(acquired, [0; 4]);
    session.flush();
    let (records, counts) = records(folder.path());
    let kept = records.iter().filter(|record| matches!(record, Record::Run(_))).count();
    assert_eq!((kept, counts["runs kept"]), (28, 28), "seven paths of each thread's method");
    assert_eq!(counts["runs kept"] + counts["runs repeated: the same path"], 80_000, "{counts:?}");
}

#[test]
fn runs_of_a_thread_stay_in_order_behind_their_announcements() {
    let folder = tempfile::tempdir().expect("a folder");
    let session = started(folder.path(), LIMITS);
    for site in 1..500 {
        session.announce(Event::Class { id: tracewright_trace::ClassId(site), name: "A".to_owned() });
        session.add_run(run(0), &events(site, 0));
    }
    session.flush();
    let mut expected = 1;
    for record in records(folder.path()).0 {
        match record {
            Record::Announcement(events) => {
                let [Event::Class { id, .. }] = &events[..] else { panic!("{events:?}") };
                assert_eq!(id.0, expected);
            }
            Record::Run(run) => {
                assert_eq!(run.events, events(expected, 0));
                expected += 1;
            }
            _ => {}
        }
    }
    assert_eq!(expected, 500);
}

#[test]
fn parts_are_put_together_and_a_cut_run_gets_an_end() {
    let folder = tempfile::tempdir().expect("a folder");
    let session = started(folder.path(), LIMITS);
    let whole = events(1, 40_000);
    assert!(whole.len() > 3 * LARGE);
    let (first, rest) = whole.split_at(LARGE + 1);
    session.add_part(0, first);
    session.add_run(run(7), &events(9, 0));
    session.add_run(run(0), rest);
    let beginning = &events(1, 1)[..6];
    session.add_part(0, beginning);
    session.add_run(FinishedRun { cut: true, ..run(0) }, &[]);
    session.flush();
    assert_eq!(session.shared.large.load(Ordering::Relaxed), 0, "all large buffers are handled");
    let (records, counts) = records(folder.path());
    let runs: Vec<_> = records
        .into_iter()
        .filter_map(|record| match record {
            Record::Run(run) => Some((run.thread, run.events)),
            _ => None,
        })
        .collect();
    let mut cut = beginning.to_vec();
    encode(&Event::RunEnd { verdict: Verdict::Budget }, &mut cut);
    assert_eq!(runs, [(7, events(9, 0)), (0, whole), (0, cut)]);
    assert_eq!((counts["runs kept"], counts["runs kept: their beginning"]), (2, 1));
}

#[test]
fn runs_of_a_method_with_enough_runs_are_skipped_whatever_their_paths() {
    let folder = tempfile::tempdir().expect("a folder");
    let session = started(folder.path(), Limits { runs: 2, ..LIMITS });
    for calls in 0..200 {
        assert!(session.add_run(run(0), &events(1, calls)));
    }
    session.flush();
    assert!(session.skips().published(1, 0) > Some(0));
    let (_, counts) = records(folder.path());
    assert_eq!(counts["runs kept"], 2);
    assert_eq!(counts["runs dropped: more than a method may have"], 198);
}

/// Threads skip runs without a message to the writer.
#[test]
fn runs_skipped_after_the_last_message_are_counted() {
    let folder = tempfile::tempdir().expect("a folder");
    let session = started(folder.path(), LIMITS);
    session.skips().count_down_to(10);
    session.add_run(FinishedRun { armed: 10, ..run(0) }, &events(1, 0));
    for left in [10, 3, 0] {
        session.skips().count_down_to(left);
        session.flush();
        let skipped = records(folder.path()).1.get("runs passed over: the method showed nothing new").copied();
        assert_eq!(skipped.unwrap_or_default(), u64::from(10 - left));
    }
}

#[test]
fn a_full_session_stops_the_recording_of_all_threads() {
    let folder = tempfile::tempdir().expect("a folder");
    let session = started(folder.path(), Limits { bytes: 2_000, ..LIMITS });
    for calls in 0..100 {
        session.add_run(run(0), &events(1, calls));
    }
    session.flush();
    assert!(!session.add_run(run(1), &events(1, 1)));
    let (_, counts) = records(folder.path());
    assert_eq!(counts["recording stopped: the session is as large as it may be"], 1);
}

/// A lock in one of these files would be taken on a thread of the program.
#[test]
fn the_record_path_names_no_lock() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let read = |name: &str| fs::read_to_string(root.join(name)).expect("a source file");
    for name in ["Run", "OpenRuns", "Skips"] {
        let java = read(&format!("java/sink/java/lang/Tracewright{name}.java"));
        assert!(!java.contains("synchronized") && !java.contains("Lock"), "Tracewright{name}.java");
    }
    for entry in walk(&root.join("src")) {
        let text = fs::read_to_string(&entry).expect("a source file");
        let is_lock = entry.ends_with("lock.rs") || entry.ends_with("session/tests.rs");
        assert!(is_lock || !(text.contains("Mutex") || text.contains("RwLock")), "{}", entry.display());
    }
}

fn walk(folder: &Path) -> Vec<std::path::PathBuf> {
    let entries = fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path());
    entries.flat_map(|path| if path.is_dir() { walk(&path) } else { vec![path] }).collect()
}
