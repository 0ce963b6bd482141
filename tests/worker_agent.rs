//! Workers with probes: slots, static fields, recordings. Every test runs on every JDK.
#![allow(clippy::unwrap_used)]

#[path = "common/jdks.rs"]
mod jdks;
#[path = "common/targets.rs"]
mod targets;
#[path = "common/test_case.rs"]
mod test_case;
#[path = "common/worker.rs"]
mod worker;

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use jdks::jdks;
use targets::add_targets;
use test_case::parse_test;
use tracewright::execution::{Execution, Leftovers, RunEnd, Snapshot, WorldPart};
use tracewright::jvm::{IdleJvms, Jdk, JvmError, ProbeMode, SearchWorker, TraceWorker, WorkerConfig};
use tracewright::testcase::TestCase;
use tracewright_classfile::ClassFile;
use tracewright_test_support::{agent_library, compile_java};
use tracewright_trace::event::{Event, Verdict};
use tracewright_trace::{INTERFACE_VERSION, codec, search_sites};
use worker::config;

const SUBJECT: &str = r#"package p;
public class Counter {
    static int count = start();
    static final java.util.List<String> NAMES = new java.util.ArrayList<>();
    static int start() {
        return 3;
    }
    public static int next(int step) {
        if (step > 10)
            throw new IllegalArgumentException();
        NAMES.add("x");
        return count += step;
    }
    public static int names() {
        return NAMES.size();
    }
    public boolean isFine(String word) {
        if (word.equals("magic"))
            return true;
        return false;
    }
    public int forever() {
        int n = 0;
        while (true)
            n++;
    }
    public int stubborn() {
        while (true) {
            try { forever(); } catch (Throwable all) { }
        }
    }
    public String toString() {
        return count > 100 ? "many" : "few";
    }
}
"#;

/// A class without an initialiser, and one whose initialiser exceeds the event budget of a run.
const OTHERS: &str = r#"package p;
public class Others {
    static StringBuilder kept;
    public static int keep() {
        if (kept == null)
            kept = new StringBuilder();
        return kept.append('x').length();
    }
    public static int late() {
        return Large.SUM;
    }
    public static int slow(int most) {
        return (int) java.util.stream.LongStream.range(0, 1L << most).sum();
    }
    public static int waits(int millis) throws InterruptedException {
        Thread.sleep(millis);
        return millis;
    }
    public static int loads(int millis) throws java.io.IOException {
        byte[] bytes = Others.class.getResourceAsStream("Others$Large.class").readAllBytes();
        long end = System.nanoTime() + millis * 1000000L;
        while (System.nanoTime() < end) {
            new Loader().define(bytes);
        }
        return millis;
    }
    static class Loader extends ClassLoader {
        void define(byte[] bytes) {
            defineClass(null, bytes, 0, bytes.length);
        }
    }
    static class Large {
        static final int SUM = sum();
        static int sum() {
            int sum = 0;
            for (int i = 0; i < 1000000; i++)
                sum += i % 3;
            return sum;
        }
    }
}
"#;

const NEXT: &str = "v0: I = int 2\nv1: I = call method p/Counter.next (I)I (v0)\n";
const NAMES: &str = "v0: I = call method p/Counter.names ()I ()\n";

fn worker(jdk: &Jdk, folder: &Path, mode: ProbeMode) -> WorkerConfig {
    let classes = compile_java(&jdk.home, 17, folder, &[("p/Counter.java", SUBJECT), ("p/Others.java", OTHERS)]);
    let mut config = config(jdk, Some(agent_library()), classes, folder, mode);
    config.include = vec!["p/*".into()];
    add_targets(&mut config, &["p/Counter"]);
    config
}

fn each(mode: ProbeMode, mut check: impl FnMut(WorkerConfig)) {
    for jdk in jdks() {
        let folder = tempfile::tempdir().unwrap();
        check(worker(jdk, folder.path(), mode));
    }
}

/// Source lines that the execution covered.
fn lines(config: &WorkerConfig, execution: &Execution) -> Vec<u16> {
    let class = ClassFile::parse(&fs::read(config.classpath[0].join("p/Counter.class")).unwrap()).unwrap();
    let sites = search_sites(&class).unwrap();
    let mut lines: Vec<u16> = execution.lines.iter().map(|&slot| sites.lines[slot.index()].line).collect();
    lines.sort_unstable();
    lines.dedup();
    lines
}

#[test]
fn a_result_tells_which_shared_state_its_run_changed() {
    let property = "v0: Ljava/lang/String; = string \"p.key\"\nv1: Ljava/lang/String; = string \"on\"\n\
                    v2: Ljava/lang/String; = call method java/lang/System.setProperty \
                    (Ljava/lang/String;Ljava/lang/String;)Ljava/lang/String; (v0, v1)\n";
    let keep = "v0: I = call method p/Others.keep ()I ()\n";
    each(ProbeMode::Search, |config| {
        let mut worker = SearchWorker::start(config).unwrap();
        let tests: Vec<TestCase> = [NEXT, NAMES, keep, property, NAMES].map(parse_test).into();
        let executions = worker.execute(&tests, false).unwrap();
        let left = |place: usize| {
            let leftovers: &Leftovers = &executions[place].leftovers;
            let classes: Vec<&str> = leftovers.classes.iter().map(|class| class.internal()).collect();
            let world = leftovers.world.iter().filter(|part| **part != WorldPart::ThreadLocals);
            (classes, world.copied().collect::<Vec<WorldPart>>())
        };
        assert_eq!(left(0), (vec!["p/Counter"], vec![]));
        assert_eq!(left(1), (vec![], vec![]));
        assert_eq!(left(2), (vec!["p/Others"], vec![]));
        assert_eq!(left(3), (vec![], vec![WorldPart::Properties]));
        assert_eq!(left(4), (vec![], vec![]));
    });
}

#[test]
fn an_agent_of_another_build_is_refused_with_one_sentence() {
    each(ProbeMode::Search, |mut config| {
        // A second `interface` line stands for a program of another build.
        config.include.push(format!("q/*\ninterface={}", INTERFACE_VERSION + 1));
        let error = SearchWorker::start(config).map(drop).unwrap_err();
        assert!(matches!(error, JvmError::OtherBuild { .. }), "{error}");
    });
}

#[test]
fn coverage_and_distances_belong_to_one_run() {
    each(ProbeMode::Search, |config| {
        let mut worker = SearchWorker::start(config.clone()).unwrap();
        let fine = "v0: Lp/Counter; = new p/Counter.<init> ()V ()
v1: Ljava/lang/String; = string \"magi\"
v2: Z = call method p/Counter.isFine (Ljava/lang/String;)Z on v0 (v1)
";
        let tests: Vec<TestCase> = [NEXT, NAMES, fine, NEXT].iter().map(|text| parse_test(text)).collect();
        let executions = worker.execute(&tests, true).unwrap();
        let (next, names, fine) = (&executions[0], &executions[1], &executions[2]);
        // Lines 3, 4 and 6 belong to the initialiser and to every run that uses the class.
        // Observation calls `toString`, whose lines belong to no run.
        assert_eq!(lines(&config, next), [3, 4, 6, 9, 11, 12]);
        assert_eq!(lines(&config, names), [3, 4, 6, 15]);
        assert_eq!(lines(&config, fine), [2, 3, 4, 6, 18, 20]);
        let distances: Vec<f64> = next.branches.iter().map(|(_, distance)| *distance).collect();
        assert!(
            distances.contains(&0.0) && distances.iter().any(|&distance| distance == 8.0 || distance == 9.0),
            "{distances:?}"
        );
        assert!(fine.seen_strings.contains(&"magic".encode_utf16().collect::<Vec<_>>()), "{:?}", fine.seen_strings);
        assert!(
            matches!(&fine.snapshots[0], Snapshot::Object { to_string: Some(text), .. } if *text == "few".encode_utf16().collect::<Vec<_>>())
        );
        // The same result after other runs.
        assert_eq!(executions[0], executions[3]);
    });
}

/// What a worker finds does not depend on the classes that its JVM had before.
#[test]
fn a_jvm_of_an_ended_worker_serves_other_classes_as_a_new_one_does() {
    let keep = "v0: I = call method p/Others.keep ()I ()\n";
    let late = "v0: I = call method p/Others.late ()I ()\n";
    let stubborn = "v0: Lp/Counter; = new p/Counter.<init> ()V ()\nv1: I = call method p/Counter.stubborn ()I on v0 ()\n";
    let tests: Vec<TestCase> = [NEXT, NAMES, keep, late, NEXT, keep].map(parse_test).into();
    each(ProbeMode::Search, |mut config| {
        config.candidate_timeout = Duration::from_secs(2);
        let new = |config: &WorkerConfig| SearchWorker::start(config.clone()).unwrap();
        let alone = |config: &WorkerConfig| new(config).execute(&tests, true).unwrap();
        let mut others = config.clone();
        (others.targets, others.branch_slots, others.line_slots) = (Vec::new(), 0, 0);
        add_targets(&mut others, &["p/Others", "p/Counter"]);
        let expected = [alone(&config), alone(&others)];
        let idle = Arc::new(IdleJvms::default());
        (config.idle, others.idle) = (Some(Arc::clone(&idle)), Some(idle));
        for (round, started) in [(0, 1), (1, 0), (0, 0), (1, 0)] {
            let mut worker = new([&config, &others][round]);
            assert_eq!(worker.execute(&tests, true).unwrap(), expected[round]);
            assert_eq!(worker.statistics().started, started);
        }
        // A thread that does not end costs its JVM: the next worker starts another one.
        let mut worker = new(&config);
        worker.execute(&[parse_test(stubborn)], false).unwrap();
        let killed = worker.statistics().killed;
        drop(worker);
        assert_eq!(new(&others).statistics().started, killed);
    });
}

#[test]
fn static_state_does_not_leak() {
    each(ProbeMode::Search, |config| {
        let mut worker = SearchWorker::start(config).unwrap();
        let tests: Vec<TestCase> = [NEXT, NEXT, NAMES].iter().map(|text| parse_test(text)).collect();
        for observe in [true, false, true] {
            let executions = worker.execute(&tests, observe).unwrap();
            if observe {
                assert_eq!(executions[0].snapshots[1], Snapshot::Int(5));
                assert_eq!(executions[1].snapshots[1], Snapshot::Int(5));
                assert_eq!(executions[2].snapshots, [Snapshot::Int(0)]);
            }
        }
        let statistics = worker.statistics();
        // The fields are restored; the class is not initialised again.
        assert_eq!((statistics.started, statistics.fresh_loaders, statistics.reinitialised), (1, 0, 0), "{statistics:?}");
    });
}

/// Probes do not see accesses of the test itself to static fields.
#[test]
fn static_state_that_a_test_changes_by_itself_does_not_leak() {
    let list = "v0: Ljava/util/List; = get p/Counter.NAMES Ljava/util/List;\nv1: Ljava/lang/String; = string \"x\"\n\
                v2: Z = call interface-method java/util/List.add (Ljava/lang/Object;)Z on v0 (v1)\n\
                v3: I = call interface-method java/util/List.size ()I on v0 ()\n";
    let count = "v0: I = get p/Counter.count I\nv1: I = int 77\nv2: V = put p/Counter.count I value v1\n";
    each(ProbeMode::Search, |config| {
        let mut worker = SearchWorker::start(config).unwrap();
        let tests: Vec<TestCase> = [list, count, list, count].iter().map(|text| parse_test(text)).collect();
        let executions = worker.execute(&tests, true).unwrap();
        for execution in [&executions[0], &executions[2]] {
            assert_eq!(execution.snapshots[3], Snapshot::Int(1), "{execution:?}");
        }
        for execution in [&executions[1], &executions[3]] {
            assert_eq!(execution.snapshots[0], Snapshot::Int(3), "{execution:?}");
        }
    });
}

#[test]
fn static_fields_of_a_class_without_initialiser_are_restored() {
    let keep = "v0: I = call method p/Others.keep ()I ()\n";
    each(ProbeMode::Search, |config| {
        let mut worker = SearchWorker::start(config).unwrap();
        for execution in worker.execute(&[parse_test(keep), parse_test(keep), parse_test(keep)], true).unwrap() {
            assert_eq!(execution.snapshots, [Snapshot::Int(1)]);
        }
        let statistics = worker.statistics();
        assert_eq!((statistics.started, statistics.fresh_loaders), (1, 0), "{statistics:?}");
    });
}

#[test]
fn an_initialiser_may_take_longer_than_a_run() {
    let late = "v0: I = call method p/Others.late ()I ()\n";
    each(ProbeMode::Search, |config| {
        assert!(config.event_budget < 1_000_000);
        let mut worker = SearchWorker::start(config).unwrap();
        for execution in worker.execute(&[parse_test(late), parse_test(late)], true).unwrap() {
            assert_eq!((&execution.end, &execution.snapshots[..]), (&RunEnd::Completed, &[Snapshot::Int(999_999)][..]));
        }
    });
}

#[test]
fn budgets_end_endless_code() {
    each(ProbeMode::Search, |config| {
        let mut worker = SearchWorker::start(config).unwrap();
        let call = |name: &str| {
            parse_test(&format!(
                "v0: Lp/Counter; = new p/Counter.<init> ()V ()\nv1: I = call method p/Counter.{name} ()I on v0 ()\n"
            ))
        };
        let executions = worker.execute(&[call("forever"), call("stubborn"), parse_test(NEXT)], true).unwrap();
        assert_eq!(executions[0].end, RunEnd::Budget { statement: 1 });
        assert!(
            matches!(executions[1].end, RunEnd::Budget { statement: 1 } | RunEnd::Timeout { statement: 1 }),
            "{:?}",
            executions[1].end
        );
        assert_eq!(executions[2].snapshots[1], Snapshot::Int(5));
    });
}

/// Neither a slow method of the JDK nor a sleep makes probe events. While the process stands still,
/// as on a machine without a free core, and while it loads classes, no time counts.
#[cfg(target_os = "linux")]
#[test]
fn own_time_ends_an_execution() {
    let folder = tempfile::tempdir().unwrap();
    let mut config = worker(&jdks()[0], folder.path(), ProbeMode::Search);
    (config.candidate_timeout, config.least_timeout) = (Duration::from_secs(3), Duration::from_secs(3));
    config.hang_timeout = Some(Duration::from_secs(600));
    config.event_budget = 1 << 60;
    let mut worker = SearchWorker::start(config).unwrap();
    let call = |name: &str, returned: &str, argument: i32| {
        parse_test(&format!("v0: I = int {argument}\nv1: {returned} = call method p/Others.{name} (I){returned} (v0)\n"))
    };
    let waits = |millis| call("waits", "I", millis);
    let ends = |executions: &[Execution]| -> Vec<RunEnd> { executions.iter().map(|execution| execution.end.clone()).collect() };
    let executions =
        worker.execute(&[call("slow", "I", 60), waits(1_000_000), waits(300), call("loads", "I", 4500)], false).unwrap();
    let late = RunEnd::Timeout { statement: 1 };
    assert_eq!(ends(&executions), [late.clone(), late, RunEnd::Completed, RunEnd::Completed]);
    // The only process with this folder in its command line.
    let name = folder.path().to_string_lossy().into_owned();
    let is_jvm = |process: &fs::DirEntry| {
        fs::read(process.path().join("cmdline")).is_ok_and(|line| String::from_utf8_lossy(&line).contains(&name))
    };
    let jvm = fs::read_dir("/proc").unwrap().flatten().find(is_jvm).unwrap().file_name();
    let signal = |which: &str| assert!(std::process::Command::new("kill").arg(which).arg(&jvm).status().unwrap().success());
    std::thread::scope(|scope| {
        scope.spawn(|| {
            std::thread::sleep(Duration::from_millis(300));
            signal("-STOP");
            std::thread::sleep(Duration::from_secs(4));
            signal("-CONT");
        });
        let executions = worker.execute(&[waits(1500)], false).unwrap();
        assert_eq!(ends(&executions), [RunEnd::Completed]);
    });
}

#[test]
fn recordings_stand_alone() {
    each(ProbeMode::Trace, |config| {
        let mut worker = TraceWorker::start(config).unwrap();
        let mut first = None;
        for _ in 0..3 {
            let recorded = worker.record(&parse_test(NEXT)).unwrap();
            assert_eq!(recorded.execution.end, RunEnd::Completed);
            let (events, outcome) = codec::decode(&recorded.trace);
            outcome.unwrap();
            let named = |name: &str| {
                events.iter().any(|event| matches!(event, Event::Class { name: announced, .. } if announced == name))
            };
            assert!(named("p/Counter"), "{events:?}");
            assert!(events.iter().any(|event| matches!(event, Event::ClassSites { .. })));
            assert_eq!(events.last(), Some(&Event::RunEnd { verdict: Verdict::Completed }));
            let run: Vec<Event> =
                events.into_iter().filter(|event| !matches!(event, Event::Class { .. } | Event::ClassSites { .. })).collect();
            assert_eq!(run.first(), Some(&Event::RunBegin));
            assert!(run.contains(&Event::Statement { index: 1 }));
            assert!(run.contains(&Event::Result32 { index: 1, value: 5 }), "{run:?}");
            // Restoring the static fields creates the list again, with another identity hash.
            let shapes: Vec<_> = run
                .iter()
                .map(|event| if let Event::LoadRef { .. } = event { "load".into() } else { format!("{event:?}") })
                .collect();
            assert_eq!(first.get_or_insert_with(|| shapes.clone()), &shapes);
        }
    });
}
