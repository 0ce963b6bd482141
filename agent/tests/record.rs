//! A VM that is not ours: what the program sees stays as it is, runs begin and end by themselves, and whatever ends the process leaves a session.

mod common;

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use common::{agent, compile, jdks, output};
use tracewright_trace::session::{Record, Records, Run};
use tracewright_trace::{Event, Verdict, decode};

/// The records of all processes, and whether a file ended inside one.
fn records(session: &Path) -> (Vec<Record>, bool) {
    let (mut all, mut cut) = (Vec::new(), false);
    for file in fs::read_dir(session).expect("a session") {
        let bytes = fs::read(file.expect("an entry").path()).expect("readable");
        for record in Records::new(&bytes).expect("a session") {
            match record {
                Ok((_, record)) => all.push(record),
                Err(_) => cut = true,
            }
        }
    }
    (all, cut)
}

fn runs(records: &[Record]) -> Vec<(&Run, Vec<Event>)> {
    let runs = records.iter().filter_map(|record| match record {
        Record::Run(run) => Some(run),
        _ => None,
    });
    runs.map(|run| {
        let (events, end) = decode(&run.events);
        assert_eq!(end, Ok(()));
        (run, events)
    })
    .collect()
}

fn counts(records: &[Record]) -> BTreeMap<String, u64> {
    let last = records.iter().rev().find_map(|record| match record {
        Record::Counts(counts) => Some(counts.iter().cloned().collect()),
        _ => None,
    });
    last.expect("counts")
}

/// Each run is one outermost call: entries and exits are balanced but where something was thrown, and the last event ends it.
#[test]
fn runs_are_outermost_calls() {
    let folder = compile(&["Recorded"]);
    for jdk in jdks() {
        let session = tempfile::tempdir().expect("temporary folder");
        let options = format!("mode=record,include=Recorded,session={}", session.path().display());
        let with = output(&jdk, &options, &[], &folder, "RecordedMain", &[]);
        let without = Command::new(jdk.home.join("bin/java")).arg("-cp").arg(&folder).arg("RecordedMain").output();
        let without = String::from_utf8(without.expect("java runs").stdout).expect("text");
        assert_eq!(with, without, "{jdk:?}");

        let (all, cut) = records(session.path());
        assert!(!cut, "{jdk:?}");
        let mut verdicts: BTreeMap<(u32, u32), u32> = BTreeMap::new();
        for (_, events) in runs(&all) {
            let [Event::RunBegin, Event::Entry { site }, .., Event::RunEnd { verdict }] = &events[..] else {
                panic!("{jdk:?}: {events:?}")
            };
            assert_eq!(events.iter().filter(|event| **event == Event::RunBegin).count(), 1);
            let entries = events.iter().filter(|event| matches!(event, Event::Entry { .. })).count();
            let exits = events.iter().filter(|event| **event == Event::Exit).count();
            match verdict {
                Verdict::Completed => assert_eq!(entries, exits, "{jdk:?}: {events:?}"),
                Verdict::Threw => assert!(matches!(events[events.len() - 2], Event::Thrown { .. }), "{jdk:?}: {events:?}"),
                _ => {}
            }
            *verdicts.entry((site.0, verdict.word())).or_default() += 1;
        }
        // Ten counts, of which each takes a way of its own; of the constructor the ways are: fine, not fine, and thrown before the object was there.
        let mut found: Vec<u32> = verdicts.values().copied().collect();
        found.sort_unstable();
        let counted = counts(&all);
        assert_eq!(counted.get("rewritten"), Some(&1), "{counted:?}");
        assert!(found.contains(&10), "{jdk:?}: {verdicts:?} {counted:?}");
        let of =
            |verdict: Verdict| verdicts.iter().filter(|((_, found), _)| *found == verdict.word()).map(|(_, n)| n).sum::<u32>();
        // A constructor that is left before its object is initialized has no exit: the run ends with the next one's beginning. That happens
        // for -1 and for 7; the full stack may cut one more.
        assert!((2..=3).contains(&of(Verdict::Other(5))), "{jdk:?}: {verdicts:?}");
        // guarded(4).
        assert!(of(Verdict::Threw) >= 1, "{jdk:?}: {verdicts:?}");
        assert_eq!(counted.get("runs repeated: the same path"), Some(&5), "{jdk:?}: {counted:?}");
    }
}

/// A virtual thread's run goes on wherever the thread does.
#[test]
fn virtual_threads_have_runs_of_their_own() {
    let folder = compile(&["Recorded"]);
    for jdk in jdks().into_iter().filter(|jdk| jdk.version >= 21) {
        let session = tempfile::tempdir().expect("temporary folder");
        let options = format!("mode=record,include=Recorded,session={}", session.path().display());
        // naps(n) is 0 + 1 + ... + n - 1.
        assert_eq!(output(&jdk, &options, &[], &folder, "RecordedVirtual", &[]), "35990\n");
        let (all, cut) = records(session.path());
        assert!(!cut);
        let runs = runs(&all);
        let mut exits: Vec<usize> =
            runs.iter().map(|(_, events)| events.iter().filter(|event| **event == Event::Exit).count()).collect();
        exits.sort_unstable();
        // The calls of naps(n) and of deep(0) to deep(n - 1), which calls itself.
        let expected: Vec<usize> = (1..=60).map(|n| 1 + n + n * (n - 1) / 2).collect();
        assert_eq!(exits, expected, "{jdk:?}");
        let threads: std::collections::BTreeSet<u32> = runs.iter().map(|(run, _)| run.thread).collect();
        assert_eq!(threads.len(), 60);
        assert!(runs.iter().all(|(_, events)| events.last() == Some(&Event::RunEnd { verdict: Verdict::Completed })));
    }
}

/// A VM that runs already: what is called from then on is recorded.
#[test]
fn a_running_vm_is_attached_to() {
    let folder = compile(&["Recorded"]);
    for jdk in jdks() {
        let session = tempfile::tempdir().expect("temporary folder");
        let mut child = Command::new(jdk.home.join("bin/java"))
            .args(["-XX:+EnableDynamicAgentLoading", "-cp"])
            .arg(&folder)
            .args(["RecordedMain", "stay"])
            .stdout(Stdio::piped())
            .spawn()
            .expect("java runs");
        let lines = BufReader::new(child.stdout.take().expect("piped")).lines();
        assert!(lines.map_while(Result::ok).any(|line| line == "ready"));
        let attached = Command::new(jdk.home.join("bin/jcmd"))
            .args([&child.id().to_string(), "JVMTI.agent_load"])
            .arg(agent())
            .arg(format!("\"mode=record,include=Recorded,max-runs=50,session={}\"", session.path().display()))
            .output()
            .expect("jcmd runs");
        let said = String::from_utf8_lossy(&attached.stdout);
        assert!(said.contains("return code: 0"), "{said}{}", String::from_utf8_lossy(&attached.stderr));
        let mut kept = 0;
        for _ in 0..600 {
            std::thread::sleep(Duration::from_millis(100));
            kept = records(session.path()).0.iter().filter(|record| matches!(record, Record::Run(_))).count();
            if kept == 50 {
                break;
            }
        }
        child.kill().expect("killed");
        let _ = child.wait();
        assert_eq!(kept, 50, "{jdk:?}");
    }
}

/// Whatever the moment, the file is readable up to a run that is whole.
#[test]
fn a_killed_process_leaves_a_session() {
    let folder = compile(&["Recorded"]);
    let jdk = &jdks()[0];
    for round in 0..4 {
        let session = tempfile::tempdir().expect("temporary folder");
        let options = format!("mode=record,include=Recorded,max-runs=100000,session={}", session.path().display());
        let mut child = Command::new(jdk.home.join("bin/java"))
            .arg(format!("-agentpath:{}={options}", agent().display()))
            .arg("-cp")
            .arg(&folder)
            .args(["RecordedMain", "stay"])
            .stdout(Stdio::piped())
            .spawn()
            .expect("java runs");
        let lines = BufReader::new(child.stdout.take().expect("piped")).lines();
        assert!(lines.map_while(Result::ok).any(|line| line == "ready"));
        // Some time after the first runs are on the disk, however long that takes.
        for _ in 0..600 {
            std::thread::sleep(Duration::from_millis(50));
            if runs(&records(session.path()).0).len() > 20 {
                break;
            }
        }
        std::thread::sleep(Duration::from_millis(137 * round));
        child.kill().expect("killed");
        let _ = child.wait();
        let (all, _) = records(session.path());
        let runs = runs(&all);
        assert!(runs.len() > 20, "{}", runs.len());
        assert!(runs.iter().all(|(_, events)| matches!(events.last(), Some(Event::RunEnd { .. }))));
    }
}

#[test]
fn limits_end_the_recording() {
    let folder = compile(&["Recorded"]);
    let jdk = &jdks()[0];
    let run = |limit: &str| {
        let session = tempfile::tempdir().expect("temporary folder");
        let options = format!("mode=record,include=Recorded,{limit},session={}", session.path().display());
        output(jdk, &options, &[], &folder, "RecordedMain", &[]);
        let (all, cut) = records(session.path());
        assert!(!cut);
        let size: u64 = fs::read_dir(session.path())
            .expect("a session")
            .map(|file| file.expect("a file").metadata().expect("size").len())
            .sum();
        (all, size)
    };
    let (all, _) = run("max-runs=2");
    let counted = counts(&all);
    assert!(counted["runs dropped: more than a method may have"] >= 8, "{counted:?}");
    let (all, size) = run("max-session=4000");
    let counted = counts(&all);
    assert_eq!(counted["recording stopped: the session is as large as it may be"], 1, "{counted:?}");
    assert!(size < 6000, "{size}");
    // Of a run that is longer than it may be, the beginning stays.
    let (all, _) = run("event-cap=300000");
    let runs = runs(&all);
    let cut: Vec<_> =
        runs.iter().filter(|(_, events)| events.last() == Some(&Event::RunEnd { verdict: Verdict::Budget })).collect();
    assert!(cut.len() <= 1, "{}", cut.len());
}

/// A second process adds to what the first one left.
#[test]
fn processes_add_to_a_session() {
    let folder = compile(&["Recorded"]);
    let session = tempfile::tempdir().expect("temporary folder");
    for jdk in jdks() {
        let options = format!("mode=record,include=Recorded,session={}", session.path().display());
        output(&jdk, &options, &[], &folder, "RecordedMain", &[]);
    }
    let (all, _) = records(session.path());
    let processes = all.iter().filter(|record| matches!(record, Record::Process(_))).count();
    assert_eq!(processes, jdks().len());
}
