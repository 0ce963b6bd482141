//! Workers that execute code with threads: what the threads of a run do belongs to it, threads that
//! wait are no reason to reject it, and none outlives it. Every test runs on every JDK.
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

use jdks::jdks;
use targets::add_targets;
use test_case::parse_test;
use tracewright::execution::{Execution, RunEnd, Snapshot};
use tracewright::jvm::{Jdk, ProbeMode, SearchWorker, WorkerConfig};
use tracewright::testcase::TestCase;
use tracewright_classfile::ClassFile;
use tracewright_test_support::{agent_library, compile_java};
use tracewright_trace::search_sites;
use worker::config;

/// Line 5 is executed by other threads only.
const SUBJECT: &str = r#"package p;
import java.util.concurrent.*;
public class Busy {
    static int task(int value) {
        return value > 100 ? 0 : value + value;
    }
    static int forever(int value) {
        while (true) { value++; }
    }
    public static int pool(int value) throws Exception {
        return Executors.newFixedThreadPool(2).submit(() -> task(value)).get();
    }
    public static int forked(int value) {
        return new ForkJoinPool(2).submit(() -> task(value)).join();
    }
    public static int common(int value) {
        CompletableFuture.runAsync(() -> task(value));
        return value;
    }
    public static int blocked(int value) {
        CompletableFuture.runAsync(() -> { task(value); try { new CountDownLatch(1).await(); } catch (InterruptedException ended) { } });
        return value;
    }
    public static int thread(int value) {
        new Thread(() -> task(value)).start();
        return value;
    }
    public static int daemon(int value) {
        Thread thread = new Thread(() -> { task(value); try { new CountDownLatch(1).await(); } catch (InterruptedException ended) { } });
        thread.setDaemon(true);
        thread.start();
        return value;
    }
    public static int selects(int value) throws Exception {
        java.nio.channels.Selector selector = java.nio.channels.Selector.open();
        Thread thread = new Thread(() -> {
            task(value);
            try (selector) { while (!Thread.interrupted()) selector.select(); } catch (java.io.IOException ended) { }
        });
        thread.setDaemon(true);
        thread.start();
        return value;
    }
    public static int timer(int value) {
        new java.util.Timer().schedule(new java.util.TimerTask() { public void run() { task(value); } }, 0);
        return value;
    }
    public static int beats(int value) {
        Executors.newScheduledThreadPool(1).scheduleAtFixedRate(() -> task(value), 0, 10, TimeUnit.MILLISECONDS);
        return value;
    }
    public static int virtual(int value) throws Exception {
        Runnable run = () -> task(value);
        Thread.class.getMethod("startVirtualThread", Runnable.class).invoke(null, run);
        return value;
    }
    public static int spins(int value) {
        Thread thread = new Thread(() -> forever(value));
        thread.setDaemon(true);
        thread.start();
        return value;
    }
    public static int awaits(int value) throws Exception {
        return Executors.newFixedThreadPool(2).submit(() -> forever(value)).get();
    }
    public static int counts(int value) {
        int before = Kept.count;
        new Thread(() -> { Kept.count = task(value); }).start();
        return before;
    }
    public static int kept(int value) throws Exception {
        return Kept.POOL.submit(() -> task(value)).get() + Kept.HOLDER.pool.submit(() -> task(value)).get();
    }
}
class Kept {
    static int count = 7;
    static final ExecutorService POOL = Executors.newCachedThreadPool(task -> {
        Thread thread = new Thread(task);
        thread.setDaemon(true);
        return thread;
    });
    static final Holder HOLDER = new Holder();
    static class Holder {
        int uses;
        final ExecutorService pool = Executors.newFixedThreadPool(1);
    }
}
"#;

const TASK_LINE: u16 = 5;

fn worker(jdk: &Jdk, folder: &Path) -> WorkerConfig {
    let classes = compile_java(&jdk.home, 17, folder, &[("p/Busy.java", SUBJECT)]);
    let mut config = config(jdk, Some(agent_library()), classes, folder, ProbeMode::Search);
    config.include = vec!["p/*".into()];
    add_targets(&mut config, &["p/Busy"]);
    config
}

fn call(method: &str) -> TestCase {
    parse_test(&format!("v0: I = int 4\nv1: I = call method p/Busy.{method} (I)I (v0)\n"))
}

/// Whether the execution covered the line that other threads execute.
fn covers_task(config: &WorkerConfig, execution: &Execution) -> bool {
    let class = ClassFile::parse(&fs::read(config.classpath[0].join("p/Busy.class")).unwrap()).unwrap();
    let sites = search_sites(&class).unwrap();
    execution.lines.iter().any(|&slot| sites.lines[slot.index()].line == TASK_LINE)
        && execution.branches.iter().any(|&(_, distance)| distance == 97.0)
}

/// Executes the calls twice in one JVM. `check` gets the name of the method and what it did.
fn each(methods: &[&str], mut check: impl FnMut(&WorkerConfig, &str, &Execution)) {
    for jdk in jdks() {
        let folder = tempfile::tempdir().unwrap();
        let config = worker(jdk, folder.path());
        let mut worker = SearchWorker::start(config.clone()).unwrap();
        let methods: Vec<&str> = methods.iter().copied().filter(|method| *method != "virtual" || jdk.version >= 21).collect();
        let tests: Vec<TestCase> = methods.iter().map(|method| call(method)).collect();
        for observe in [false, true] {
            for (method, execution) in methods.iter().zip(worker.execute(&tests, observe).unwrap()) {
                check(&config, method, &execution);
            }
        }
        let statistics = worker.statistics();
        assert_eq!((statistics.started, statistics.crashed), (1, 0), "{statistics:?}");
    }
}

#[test]
fn threads_that_wait_are_kept_with_their_coverage() {
    let waiting = ["pool", "timer", "beats"];
    let others = ["forked", "common", "blocked", "thread", "daemon", "selects", "virtual"];
    each(&[waiting.as_slice(), &others].concat(), |config, method, execution| {
        assert_eq!(execution.end, RunEnd::Completed, "{method}");
        assert!(!execution.left_running, "{method}");
        // Without a second core, `CompletableFuture` starts a thread of its own, which is no daemon.
        if method != "blocked" {
            assert_eq!(execution.leftovers.idle_threads, waiting.contains(&method), "{method}");
        }
        assert!(covers_task(config, execution), "{method}: {execution:?}");
    });
}

#[test]
fn threads_that_never_rest_are_set_aside_and_ended() {
    each(&["spins", "thread", "spins", "daemon"], |config, method, execution| {
        assert_eq!(execution.end, RunEnd::Completed, "{method}");
        assert_eq!(execution.left_running, method == "spins", "{method}");
        assert_eq!(covers_task(config, execution), method != "spins", "{method}");
    });
}

#[test]
fn the_event_budget_ends_loops_of_other_threads() {
    each(&["awaits", "pool"], |_, method, execution| {
        let ended = matches!(execution.end, RunEnd::Budget { statement: 1 });
        assert_eq!(ended, method == "awaits", "{:?}", execution.end);
    });
}

/// A pool in a static field serves every run, and none finds threads or static state of another.
#[test]
fn pools_and_static_state_that_outlive_a_run_stay_usable() {
    each(&["kept", "counts", "kept", "counts", "kept"], |config, method, execution| {
        assert_eq!(execution.end, RunEnd::Completed, "{method}");
        assert!(!execution.left_running, "{method}");
        assert!(covers_task(config, execution), "{method}");
        let expected = if method == "kept" { 16 } else { 7 };
        assert!(execution.snapshots.is_empty() || execution.snapshots[1] == Snapshot::Int(expected), "{method}: {execution:?}");
    });
}
