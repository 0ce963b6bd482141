//! Bytecode instructions that the replay interprets a second.
//!
//! A worker records each part of the compute kernel of the agent's benchmark once. An element of
//! the throughput is an executed instruction.

use std::path::{Path, PathBuf};
use std::time::Duration;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use tracewright::expr::TermStore;
use tracewright::jvm::{Compiler, Jdk, ProbeMode, TraceWorker, WorkerConfig};
use tracewright::program::Program;
use tracewright::project::Project;
use tracewright::recording::Recording;
use tracewright::symbolic::{PathEnd, ReplayConfig, Replayer};
use tracewright::testcase::TestCase;

/// Parts of the kernel (`agent/tests/java/Kernel.java`).
const PARTS: [&str; 7] = ["sort", "hash", "tokens", "recursion", "fields", "fractions", "library"];

/// The agent that `cargo build --release --package tracewright-agent` puts into the parent of this
/// program's folder.
fn agent() -> PathBuf {
    let here = std::env::current_exe().expect("a path");
    here.parent().and_then(Path::parent).expect("cargo's layout").join("libtracewright_agent.so")
}

fn replays(criterion: &mut Criterion) {
    let folder = tempfile::tempdir().expect("a folder");
    let jdk = Jdk::find(None).expect("a JDK");
    let classes = folder.path().join("classes");
    let source = include_str!("../agent/tests/java/Kernel.java").to_string();
    Compiler::start(&jdk, folder.path(), None)
        .and_then(|mut compiler| compiler.compile(&[("Kernel.java".into(), source)], &[], 17, &classes, Duration::from_secs(60)))
        .expect("the kernel compiles");
    let mut config = WorkerConfig::new(jdk.clone(), agent(), vec![classes.clone()], folder.path().join("run"), ProbeMode::Trace);
    config.include = vec!["Kernel".into()];
    let mut worker = TraceWorker::start(config).expect("a worker");
    let program = Program::new(Project::open(&[classes], Path::new(&jdk.home)).expect("a project"));

    let mut group = criterion.benchmark_group("replay");
    group.sample_size(20).warm_up_time(Duration::from_secs(1)).measurement_time(Duration::from_secs(3));
    let mut table = String::from("part       instructions   trace bytes   divergences\n");
    for part in PARTS {
        let text = format!(
            "v0: Ljava/lang/String; = string {part:?}\nv1: I = int 5\nv2: J = call method Kernel.run (Ljava/lang/String;I)J (v0, v1)\n"
        );
        let test: TestCase = text.parse().expect("a test case");
        let trace = worker.record(&test).expect("a recording").trace;
        let recording = Recording::from_bytes(&trace);
        let mut replayer = Replayer::new(&program);
        let replay = replayer.replay(&test, &recording, &mut TermStore::new(), &ReplayConfig::default());
        assert_eq!(replay.end, PathEnd::Returned, "{part}: {:?}", replay.stats);
        let divergences: u64 = replay.stats.divergences.values().sum();
        table += &format!("{part:<10} {:>12} {:>13} {divergences:>13}\n", replay.stats.executed, trace.len());
        group.throughput(Throughput::Elements(replay.stats.executed));
        group.bench_function(BenchmarkId::new("replay", part), |bencher| {
            bencher.iter(|| replayer.replay(&test, &recording, &mut TermStore::new(), &ReplayConfig::default()))
        });
        group.bench_function(BenchmarkId::new("decode", part), |bencher| bencher.iter(|| Recording::from_bytes(&trace)));
    }
    group.finish();
    println!("{table}");
}

criterion_group!(benches, replays);
criterion_main!(benches);
