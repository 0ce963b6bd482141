//! Workers that execute mutants: reached and infected mutants, results under each mutant, hanging
//! mutants, static fields. Every test runs on every JDK.
#![allow(clippy::unwrap_used)]

#[path = "common/jdks.rs"]
mod jdks;
#[path = "common/test_case.rs"]
mod test_case;
#[path = "common/worker.rs"]
mod worker;

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use jdks::jdks;
use test_case::parse_test;
use tracewright::execution::{Execution, MutantId, MutantRun, RunEnd, Snapshot, TestIndex};
use tracewright::jvm::{Jdk, MutantWorker, MutatedClass, ProbeMode, WorkerConfig};
use tracewright::program::ClassName;
use tracewright_classfile::{ClassFile, Mutant, mutants};
use tracewright_test_support::{agent_library, compile_java};
use worker::config;

const SUBJECT: &str = r#"package p;
public class Meter {
    static int total = 0;
    public static int grade(int points) {
        if (points >= 90)
            return 1;
        return points / 10;
    }
    public static int add(int step) {
        total = total + step;
        return total;
    }
    public static int loop(int n) {
        int i = 0;
        while (i < n) {
            i = i + 1;
        }
        return i;
    }
    public static int wait(int n) throws Exception {
        if (n > 0)
            return 1;
        new java.util.concurrent.Semaphore(0).acquireUninterruptibly();
        return 0;
    }
    public static StringBuilder text(StringBuilder out) {
        out.setLength(1);
        return out;
    }
}
"#;

const FIRST: MutantId = MutantId(5);

fn worker(jdk: &Jdk, folder: &Path) -> (WorkerConfig, Vec<Mutant>) {
    let classes = compile_java(&jdk.home, 17, folder, &[("p/Meter.java", SUBJECT)]);
    let class = ClassFile::parse(&fs::read(classes.join("p/Meter.class")).unwrap()).unwrap();
    let all = mutants(&class).unwrap();
    let mut config = config(jdk, Some(agent_library()), classes, folder, ProbeMode::Mutants);
    config.include = vec!["p/*".into()];
    config.mutated = vec![MutatedClass { name: ClassName::new("p/Meter"), first: FIRST }];
    config.last_mutant = all.last().map(|mutant| mutant.id_from(FIRST));
    (config, all)
}

fn call(method: &str, argument: i32) -> String {
    format!("v0: I = int {argument}\nv1: I = call method p/Meter.{method} (I)I (v0)\n")
}

/// The only mutant of a method whose description contains `change`.
fn number(all: &[Mutant], method: &str, change: &str) -> MutantId {
    let found: Vec<&Mutant> = all.iter().filter(|mutant| mutant.method == method && mutant.change.contains(change)).collect();
    assert_eq!(found.len(), 1, "{method} {change}: {all:#?}");
    found[0].id_from(FIRST)
}

/// A run of a test case of the batch under a mutant.
fn under(test: u32, mutant: MutantId) -> MutantRun {
    MutantRun { test: TestIndex(test), mutant: Some(mutant) }
}

/// A run of a test case of the batch in the unchanged class.
fn plain_run(test: u32) -> MutantRun {
    MutantRun { test: TestIndex(test), mutant: None }
}

#[test]
fn runs_report_reached_and_infected_mutants_and_differ_under_them() {
    for jdk in jdks() {
        let folder = tempfile::tempdir().unwrap();
        let (mut config, all) = worker(jdk, folder.path());
        // The second worker gets the JVM of the first one.
        config.idle = Some(Arc::default());
        for _ in 0..2 {
            let mut worker = MutantWorker::start(config.clone()).unwrap();
            let tests = [parse_test(&call("grade", 90)), parse_test(&call("grade", 47)), parse_test(&call("add", 3))];
            let plain = worker.baseline(&tests, None).unwrap();
            assert_eq!(plain.len(), 3);
            let values: Vec<&Snapshot> = plain.iter().map(|plain| &plain.execution.snapshots[1]).collect();
            assert_eq!(values, [&Snapshot::Int(1), &Snapshot::Int(4), &Snapshot::Int(3)]);
            let boundary = number(&all, "grade", "if_icmplt->if_icmple");
            let division = number(&all, "grade", "idiv->imul");
            assert!(plain[0].infected.contains(&boundary) && !plain[0].reached.contains(&division));
            // 47 reaches the mutant of the comparison but is not on the boundary.
            assert!(plain[1].reached.contains(&boundary) && !plain[1].infected.contains(&boundary));
            assert!(plain[1].infected.contains(&division));
            let addition = number(&all, "add", "iadd->isub");
            let runs = [
                under(0, boundary),
                under(1, division),
                under(2, addition),
                plain_run(2),
                under(2, addition),
                under(1, boundary),
            ];
            let done = worker.run(&tests, &runs, None).unwrap();
            let values: Vec<&Snapshot> = done.iter().map(|done| &done.snapshots[1]).collect();
            // The static field has its initial value in every run.
            let expected = [9, 470, -3, 3, -3, 4].map(Snapshot::Int);
            assert_eq!(values, expected.iter().collect::<Vec<_>>());
        }
    }
}

#[test]
fn hanging_mutants_end_without_affecting_other_runs() {
    for jdk in jdks() {
        let folder = tempfile::tempdir().unwrap();
        let (mut config, all) = worker(jdk, folder.path());
        let tests = [parse_test(&call("loop", 4)), parse_test(&call("wait", 2)), parse_test(&call("grade", 90))];
        let endless = number(&all, "loop", "iadd->isub");
        let blocked = number(&all, "wait", "ifle->ifgt");
        let runs = [under(0, endless), under(1, blocked), plain_run(2), under(0, endless), plain_run(0)];
        let budget = RunEnd::Budget { statement: 1 };
        let expected = [&budget, &RunEnd::Timeout { statement: 1 }, &RunEnd::Completed, &budget, &RunEnd::Completed];
        // A hanging run takes the whole limit. On a busy machine, harmless runs need a longer one.
        let mut done = Vec::new();
        let mut limits = [2, 8, 30].map(Duration::from_secs).into_iter();
        let mut worker = loop {
            let ends: Vec<&RunEnd> = done.iter().map(|execution: &Execution| &execution.end).collect();
            let Some(limit) = limits.next() else { panic!("{ends:?}") };
            (config.candidate_timeout, config.least_timeout) = (limit, limit);
            let mut worker = MutantWorker::start(config.clone()).unwrap();
            done = worker.run(&tests, &runs, None).unwrap();
            if done.iter().map(|execution| &execution.end).eq(expected) {
                break worker;
            }
        };
        assert_eq!(done[2].snapshots[1], Snapshot::Int(1));
        assert_eq!(done[4].snapshots[1], Snapshot::Int(4));
        // Forty timeouts take 80 s or more: the deadline ends the batch before, and the runs that
        // are left have no result.
        let few = worker.run(&tests, &[under(1, blocked); 40], Some(Instant::now() + Duration::from_secs(3))).unwrap();
        assert!(few.len() < 40, "{}", few.len());
        let after = worker.run(&tests, &[plain_run(2)], None).unwrap();
        assert_eq!(after[0].snapshots[1], Snapshot::Int(1));
        assert!(worker.run(&tests, &[plain_run(2)], Some(Instant::now())).unwrap().is_empty());
    }
}

#[test]
fn mutants_remove_calls_and_return_null() {
    for jdk in jdks() {
        let folder = tempfile::tempdir().unwrap();
        let (config, all) = worker(jdk, folder.path());
        let mut worker = MutantWorker::start(config).unwrap();
        let text = parse_test(
            "v0: Ljava/lang/String; = string \"abc\"\n\
             v1: Ljava/lang/StringBuilder; = new java/lang/StringBuilder.<init> (Ljava/lang/String;)V (v0)\n\
             v2: Ljava/lang/StringBuilder; = call method p/Meter.text (Ljava/lang/StringBuilder;)Ljava/lang/StringBuilder; (v1)\n\
             v3: I = call method java/lang/StringBuilder.length ()I on v2 ()\n",
        );
        let removed = number(&all, "text", "setLength");
        let null = number(&all, "text", "areturn->null");
        let done = worker.run(&[text], &[plain_run(0), under(0, removed), under(0, null)], None).unwrap();
        let same = |of: &Snapshot| matches!(of, Snapshot::Object { same_as: Some(1), size: None, to_string: None, .. });
        assert!(same(&done[0].snapshots[2]) && same(&done[1].snapshots[2]), "{done:?}");
        assert_eq!((&done[0].snapshots[3], &done[1].snapshots[3]), (&Snapshot::Int(1), &Snapshot::Int(3)));
        assert_eq!(done[2].snapshots[2], Snapshot::Null);
        assert!(matches!(done[2].end, RunEnd::Illegal { statement: 3, .. }), "{:?}", done[2].end);
    }
}
