//! Workers that execute code with slow class initialisers: start-up has an account of its own.
//! Every test runs on every JDK.
#![allow(clippy::unwrap_used)]

#[path = "common/jdks.rs"]
mod jdks;
#[path = "common/targets.rs"]
mod targets;
#[path = "common/test_case.rs"]
mod test_case;
#[path = "common/worker.rs"]
mod worker;

use std::time::Duration;

use jdks::jdks;
use targets::add_targets;
use test_case::parse_test;
use tracewright::execution::{RunEnd, Snapshot};
use tracewright::jvm::{ProbeMode, SearchWorker, WorkerStatistics};
use tracewright_test_support::{agent_library, compile_java};
use worker::config;

const SUBJECT: &str = r#"package p;
public class Start {
    static final int[] LIMITS = load();
    static int[] load() {
        pause(1500);
        return new int[] {5, 50};
    }
    static void pause(int millis) {
        try { Thread.sleep(millis); } catch (InterruptedException stopped) { throw new IllegalStateException(); }
    }
    public static int size(int value) {
        return value < LIMITS[0] ? 1 : 2;
    }
    public static int lazy(int value) {
        return Lazy.TABLE[value];
    }
    public static int waits(int value) {
        pause(1000000);
        return value;
    }
    public static int tall(int value) {
        return Tall.SUM + value;
    }
    public static int loops(int value) {
        int sum = Tall.SUM;
        for (int i = 0; i < 300000; i++) sum += i;
        return sum;
    }
    public static int recovers(int value) {
        try {
            value = Failing.VALUE;
        } catch (LinkageError failed) {
            for (int i = 0; i < 300000; i++) value += i;
        }
        return value;
    }
    static class Lazy {
        static final int[] TABLE = make();
        static int[] make() {
            pause(1500);
            return new int[] {7, 8, 9, 10};
        }
    }
    static class Tall {
        static int SUM;
        static { for (int i = 0; i < 6000000; i++) SUM += i % 2; }
    }
    static class Failing {
        static int VALUE = Integer.parseInt("x");
    }
}
"#;

/// The ends and results of calls with 3, in one JVM. The limit of a run is shorter than an
/// initialiser takes.
fn run(methods: &[&str], mut check: impl FnMut(&[(RunEnd, Option<Snapshot>)], WorkerStatistics)) {
    for jdk in jdks() {
        let folder = tempfile::tempdir().unwrap();
        let classes = compile_java(&jdk.home, 17, folder.path(), &[("p/Start.java", SUBJECT)]);
        let mut config = config(jdk, Some(agent_library()), classes, folder.path(), ProbeMode::Search);
        config.include = vec!["p/*".into()];
        (config.candidate_timeout, config.least_timeout) = (Duration::from_secs(1), Duration::from_secs(1));
        config.hang_timeout = Some(Duration::from_secs(600));
        add_targets(&mut config, &["p/Start"]);
        let mut worker = SearchWorker::start(config).unwrap();
        let call = |method: &&str| parse_test(&format!("v0: I = int 3\nv1: I = call method p/Start.{method} (I)I (v0)\n"));
        let executions = worker.execute(&methods.iter().map(call).collect::<Vec<_>>(), true).unwrap();
        let ends: Vec<_> = executions.into_iter().map(|one| (one.end, one.snapshots.get(1).cloned())).collect();
        check(&ends, worker.statistics());
    }
}

fn returned(value: i32) -> (RunEnd, Option<Snapshot>) {
    (RunEnd::Completed, Some(Snapshot::Int(value)))
}

/// Also where the initialiser runs before all runs, as that of a target does. Static fields that are
/// only read make no initialiser run again.
#[test]
fn an_initialiser_that_sleeps_does_not_end_its_run() {
    run(&["size", "lazy", "size", "lazy"], |ends, statistics| {
        assert_eq!(ends, [returned(1), returned(10), returned(1), returned(10)]);
        assert_eq!((statistics.started, statistics.fresh_loaders, statistics.reinitialised), (1, 0, 0), "{statistics:?}");
    });
}

#[test]
fn a_run_that_sleeps_is_ended() {
    run(&["waits", "size"], |ends, _| {
        assert_eq!(ends, [(RunEnd::Timeout { statement: 1 }, None), returned(1)]);
    });
}

/// An initialiser uses no events of its run, and leaves none to it.
#[test]
fn initialisers_have_an_event_budget_of_their_own() {
    let over = || (RunEnd::Budget { statement: 1 }, None);
    run(&["tall", "loops", "recovers"], |ends, _| {
        assert_eq!(ends, [returned(3_000_003), over(), over()]);
    });
    run(&["loops", "tall"], |ends, _| {
        assert_eq!(ends, [over(), returned(3_000_003)]);
    });
}
