//! The target JVM of `record`. The program sees no difference, runs begin and end by themselves,
//! and a session is left however the process ends.

mod common {
    pub(crate) mod jvm;
    pub(crate) mod output;
    pub(crate) mod run;
}

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use common::jvm::{agent, compile, jdks};
use common::output::output;
use tracewright_test_support::Jdk;
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

/// Each run is one outermost call. Entries and exits are balanced, except where an exception was
/// thrown; the last event ends the run.
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
                // A method is left by its exit, or by an exception.
                Verdict::Completed => {
                    let thrown = events.iter().filter(|event| matches!(event, Event::Thrown { .. })).count();
                    assert_eq!(entries, exits + thrown, "{jdk:?}: {events:?}");
                }
                Verdict::Threw => assert!(matches!(events[events.len() - 2], Event::Thrown { .. }), "{jdk:?}: {events:?}"),
                _ => {}
            }
            *verdicts.entry((site.0, verdict.word())).or_default() += 1;
        }
        // Ten calls of `count`, each with a path of its own. The constructor has three paths: it
        // returns, it throws at its end, and it throws before the object is initialised.
        let mut found: Vec<u32> = verdicts.values().copied().collect();
        found.sort_unstable();
        let counted = counts(&all);
        assert_eq!(counted.get("rewritten"), Some(&1), "{counted:?}");
        assert!(found.contains(&10), "{jdk:?}: {verdicts:?} {counted:?}");
        let of =
            |verdict: Verdict| verdicts.iter().filter(|((_, found), _)| *found == verdict.word()).map(|(_, n)| n).sum::<u32>();
        // The run with the full stack may be cut.
        assert!(of(Verdict::Other(5)) <= 1, "{jdk:?}: {verdicts:?}");
        // guarded(4), and constructors that are left before their object is initialised: for -1 by
        // an argument, for 7 by the constructor that they call.
        assert!(of(Verdict::Threw) >= 3, "{jdk:?}: {verdicts:?}");
        assert_eq!(counted.get("runs repeated: the same path"), Some(&5), "{jdk:?}: {counted:?}");
    }
}

/// Coverage by generated tests is no hand-written coverage: the next generation would leave it out.
#[test]
fn calls_of_generated_tests_are_not_recorded() {
    let folder = compile(&["Drawer"]);
    for jdk in jdks() {
        for (more, expected) in [("", 2), (",tests=on", 4)] {
            let session = tempfile::tempdir().expect("temporary folder");
            let options = format!("mode=record,include=Drawer{more},session={}", session.path().display());
            let with = output(&jdk, &options, &[], &folder, "DrawerMain", &[]);
            assert_eq!(with.lines().collect::<Vec<_>>(), ["145", "thrown", "20", "5"], "{jdk:?}");
            let (all, _) = records(session.path());
            let counted = counts(&all);
            assert_eq!(runs(&all).len(), expected, "{jdk:?}: {counted:?}");
            let suppressed = counted.get("left alone: generated tests, with what they call");
            assert_eq!(suppressed, (expected == 2).then_some(&1), "{jdk:?}: {counted:?}");
        }
    }
}

/// The JVM may use any garbage collector, compiler, verifier and class sharing.
#[test]
fn all_collectors_and_compilers_can_be_recorded() {
    let folder = compile(&["Recorded"]);
    let flags = [
        "-XX:+UseSerialGC",
        "-XX:+UseParallelGC",
        "-XX:+UseZGC",
        "-XX:+UseShenandoahGC",
        "-XX:+UseEpsilonGC",
        "-Xshare:off",
        "-Xshare:auto",
        "-Xint",
        "-Xcomp",
        "-XX:TieredStopAtLevel=1",
        "-XX:-UseCompressedOops",
        "-XX:+BytecodeVerificationLocal",
    ];
    for jdk in jdks() {
        let mut seen = 0;
        let mut before: Option<(String, usize)> = None;
        for flag in flags {
            let flags = ["-Xlog:disable", "-XX:+UnlockExperimentalVMOptions", "-XX:+UnlockDiagnosticVMOptions", flag];
            let has_it = Command::new(jdk.home.join("bin/java")).args(flags).arg("-version").output().expect("java runs");
            if !has_it.status.success() {
                continue;
            }
            let session = tempfile::tempdir().expect("temporary folder");
            let options = format!("mode=record,include=Recorded,session={}", session.path().display());
            let printed = output(&jdk, &options, &flags, &folder, "RecordedMain", &[]);
            let (all, cut) = records(session.path());
            assert!(!cut, "{jdk:?} {flag}");
            // The depth at which the stack is full differs, so that run is not compared.
            let is_whole = |events: &[Event]| events.last() == Some(&Event::RunEnd { verdict: Verdict::Completed });
            let completed = runs(&all).iter().filter(|(_, events)| is_whole(events)).count();
            let found = (printed, completed);
            assert!(before.as_ref().is_none_or(|before| *before == found), "{jdk:?} {flag}: {before:?} {found:?}");
            before = Some(found);
            seen += 1;
        }
        assert!(seen >= 8, "{jdk:?}: {seen}");
    }
}

/// Classes with one name in several loaders are recorded, and can be unloaded. Another agent may
/// rewrite the same classes, before or after this one.
#[test]
fn classes_of_several_loaders_and_other_agents_are_recorded() {
    let folder = compile(&["Recorded", "RecordedLoaders"]);
    let mocking = Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/jars/mocking");
    let jars: Vec<_> = fs::read_dir(&mocking)
        .expect("the jars that `cargo xtask setup` fetches")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "jar"))
        .collect();
    let mockito = jars.iter().find(|jar| jar.to_string_lossy().contains("mockito-core")).expect("Mockito");
    let class_path = std::env::join_paths(std::iter::once(&folder).chain(&jars)).expect("a class path");
    for jdk in jdks() {
        // Mockito's agent before or after this one, or none.
        for order in [None, Some(false), Some(true)] {
            let session = tempfile::tempdir().expect("temporary folder");
            let options = format!("mode=record,include=Recorded,session={}", session.path().display());
            let mut agents = vec![format!("-agentpath:{}={options}", agent().display())];
            if let Some(first) = order {
                agents.insert(usize::from(first), format!("-javaagent:{}", mockito.display()));
            }
            let output = Command::new(jdk.home.join("bin/java"))
                .args(&agents)
                .args(["-Xshare:off", "-cp"])
                .arg(if order.is_some() { class_path.as_os_str() } else { folder.as_os_str() })
                .arg("RecordedLoaders")
                .arg(&folder)
                .args(order.map(|_| "mocks"))
                .output()
                .expect("java runs");
            let printed = String::from_utf8_lossy(&output.stdout);
            let mut expected = "63 true true\n87 true true\n112 true true\nunloaded\nunloaded\nunloaded\n".to_owned();
            if order.is_some() {
                expected.push_str("40 0 6 5\n");
            }
            assert_eq!(printed, expected, "{jdk:?} {order:?}: {}", String::from_utf8_lossy(&output.stderr));
            let (all, cut) = records(session.path());
            assert!(!cut && runs(&all).len() >= 12, "{jdk:?} {order:?}: {}", runs(&all).len());
        }
    }
}

/// The run of a virtual thread continues on any carrier.
#[test]
fn virtual_threads_have_runs_of_their_own() {
    let folder = compile(&["Recorded"]);
    let Some(newer) = tracewright_test_support::jdks_from(21) else { return };
    for jdk in newer {
        let session = tempfile::tempdir().expect("temporary folder");
        let options = format!("mode=record,include=Recorded,session={}", session.path().display());
        // naps(n) is 0 + 1 + ... + n - 1.
        assert_eq!(output(jdk, &options, &[], &folder, "RecordedVirtual", &[]), "35990\n");
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

/// After attaching to a JVM, calls are recorded from then on.
#[test]
fn a_running_jvm_can_be_attached_to() {
    let folder = compile(&["Recorded"]);
    for jdk in jdks() {
        let session = tempfile::tempdir().expect("temporary folder");
        let mut child = staying(&jdk, &["-XX:+EnableDynamicAgentLoading"], &folder);
        let lines = BufReader::new(child.stdout.take().expect("piped")).lines();
        assert!(lines.map_while(Result::ok).any(|line| line == "ready"));
        let attached = Command::new(jdk.home.join("bin/jcmd"))
            // A busy JVM answers late.
            .args(["-J-Dsun.tools.attach.attachTimeout=120000", &child.id().to_string(), "JVMTI.agent_load"])
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

/// A JVM that runs until it is killed. It prints `ready`, then from time to time how far it has
/// counted.
fn staying(jdk: &Jdk, options: &[&str], folder: &Path) -> Child {
    Command::new(jdk.home.join("bin/java"))
        .args(options)
        .arg("-cp")
        .arg(folder)
        .args(["RecordedMain", "stay"])
        .stdout(Stdio::piped())
        .spawn()
        .expect("java runs")
}

/// The highest argument of a call of `count` among these runs.
fn highest_count(records: &[Record]) -> Option<i32> {
    let runs = runs(records);
    let arguments = runs.iter().filter_map(|(_, events)| match events.get(2) {
        Some(Event::Arg32 { value, .. }) => Some(*value as i32),
        _ => None,
    });
    arguments.max()
}

/// Whenever the process is killed, the file is readable up to a complete run, and holds every run
/// that was in it before. Runs reach the file while the process runs. `TRACEWRIGHT_KILLS` sets the
/// number of rounds.
#[test]
fn a_killed_process_leaves_a_session() {
    let folder = compile(&["Recorded"]);
    let jdk = &jdks()[0];
    let rounds = std::env::var("TRACEWRIGHT_KILLS").map_or(4, |rounds| rounds.parse().expect("a number"));
    // SplitMix64: the moments of all rounds are drawn from one seed.
    let mut state = 1_u64;
    let mut drawn = move |below: u64| {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) % below
    };
    for round in 0..rounds {
        let session = tempfile::tempdir().expect("temporary folder");
        let options = format!("mode=record,include=Recorded,max-runs=100000,session={}", session.path().display());
        let mut child = staying(jdk, &[&format!("-agentpath:{}={options}", agent().display())], &folder);
        let mut lines = BufReader::new(child.stdout.take().expect("piped")).lines().map_while(Result::ok);
        let mut written = None;
        if round % 2 == 1 {
            // What the program announces is in the file soon after. The limit is for a file that
            // nothing reaches. No other method has an argument above 100.
            let mut announced = lines.by_ref().filter_map(|line| line.strip_prefix("at ")?.parse::<i32>().ok());
            let announced = announced.find(|count| *count > 100).expect("the program counts");
            let is_written = (0..600).any(|_| {
                std::thread::sleep(Duration::from_millis(100));
                written = highest_count(&records(session.path()).0);
                written >= Some(announced)
            });
            assert!(is_written, "round {round}: {written:?} of {announced}");
        }
        // The program must not block on its full pipe while this thread sleeps.
        let listening = std::thread::spawn(move || lines.for_each(drop));
        std::thread::sleep(Duration::from_millis(drawn(1500)));
        child.kill().expect("killed");
        let _ = child.wait();
        listening.join().expect("no panic");
        let (all, _) = records(session.path());
        assert!(runs(&all).iter().all(|(_, events)| matches!(events.last(), Some(Event::RunEnd { .. }))));
        assert!(highest_count(&all) >= written, "round {round}: {:?} of {written:?}", highest_count(&all));
    }
}

/// Each run of each thread is kept, dropped or skipped, and counted once.
#[test]
fn counts_of_several_threads_are_exact() {
    let folder = compile(&["Recorded", "RecordedThreads"]);
    for jdk in jdks() {
        let session = tempfile::tempdir().expect("temporary folder");
        let options = format!("mode=record,include=Recorded,session={}", session.path().display());
        let plain =
            Command::new(jdk.home.join("bin/java")).arg("-cp").arg(&folder).args(["RecordedThreads", "8", "20000"]).output();
        let plain = String::from_utf8(plain.expect("java runs").stdout).expect("text");
        assert_eq!(output(&jdk, &options, &[], &folder, "RecordedThreads", &["8", "20000"]), plain);
        let (all, cut) = records(session.path());
        assert!(!cut, "{jdk:?}");
        let counted = counts(&all);
        let count = |reason: &str| counted.get(reason).copied().unwrap_or_default();
        let skipped = count("runs passed over: the method showed nothing new");
        assert_eq!(count("runs kept"), 16, "{jdk:?}: {counted:?}");
        assert_eq!(16 + count("runs repeated: the same path") + skipped, 160_000, "{jdk:?}: {counted:?}");
        assert!(skipped > 120_000, "{jdk:?}: {counted:?}");
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
    // Of a run that is longer than its limit, the beginning is kept.
    let (all, _) = run("event-cap=300000");
    let runs = runs(&all);
    let cut: Vec<_> =
        runs.iter().filter(|(_, events)| events.last() == Some(&Event::RunEnd { verdict: Verdict::Budget })).collect();
    assert!(cut.len() <= 1, "{}", cut.len());
}

/// A second process adds to what the first one left.
#[test]
fn several_processes_share_a_session() {
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
