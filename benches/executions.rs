//! How many candidates a search worker executes a second on the Triangle sample, and how long a JVM takes to its first result.

use std::path::{Path, PathBuf};
use std::time::Duration;

use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use tracewright::jvm::{Compiler, Jdk, Mode, SearchWorker, TargetClass, TraceWorker, WorkerConfig};
use tracewright::program::ClassName;
use tracewright::testcase::TestCase;
use tracewright_classfile::ClassFile;
use tracewright_trace::search_sites;

/// Candidates a batch.
const BATCH: usize = 200;

/// Triangle compiled below the folder, as the target of a worker.
fn triangle(folder: &Path, mode: Mode) -> WorkerConfig {
    let jdk = Jdk::find(None).expect("a JDK");
    let source = include_str!("../samples/Triangle.java").to_string();
    let classes = folder.join("classes");
    Compiler::start(&jdk, folder)
        .and_then(|mut compiler| {
            compiler.compile(&[("samples/Triangle.java".into(), source)], &[], 17, &classes, std::time::Duration::from_secs(60))
        })
        .expect("Triangle compiles");
    let class = ClassFile::parse(&std::fs::read(classes.join("samples/Triangle.class")).expect("written")).expect("a class");
    let sites = search_sites(&class).expect("well-formed");
    let mut config = WorkerConfig::new(jdk, agent(), vec![classes], folder.join("run"), mode);
    config.include = vec!["samples/*".into()];
    config.targets = vec![TargetClass { name: ClassName::new("samples/Triangle"), branch_base: 0, line_base: 0 }];
    config.branch_slots = sites.branches.iter().map(|site| site.slots()).sum();
    config.line_slots = sites.lines.len() as u32;
    config
}

/// Built by `cargo build --package tracewright-agent` into the folder above this program's.
fn agent() -> PathBuf {
    let here = std::env::current_exe().expect("a path");
    here.parent().and_then(Path::parent).expect("cargo's layout").join("libtracewright_agent.so")
}

/// Four statements each: three literals and the call.
fn candidates() -> Vec<TestCase> {
    (0..BATCH)
        .map(|number| {
            let (a, b, c) = (number % 7, number % 5, number % 11);
            format!("v0: I = int {a}\nv1: I = int {b}\nv2: I = int {c}\nv3: I = call method samples/Triangle.classify (III)I (v0, v1, v2)\n")
                .parse()
                .expect("a test case")
        })
        .collect()
}

fn executions(criterion: &mut Criterion) {
    let folder = tempfile::tempdir().expect("a folder");
    let config = triangle(folder.path(), Mode::Search);
    let candidates = candidates();
    let mut group = criterion.benchmark_group("executions");
    group.throughput(Throughput::Elements(BATCH as u64)).warm_up_time(Duration::from_secs(3)).sample_size(30);
    let mut worker = SearchWorker::start(config.clone()).expect("a worker");
    let probe = worker.execute(&candidates[..1], false).expect("an execution");
    assert!(!probe[0].lines.is_empty(), "{probe:?}");
    group.bench_function("plain", |bencher| bencher.iter(|| worker.execute(&candidates, false).expect("executions")));
    group.bench_function("observed", |bencher| bencher.iter(|| worker.execute(&candidates, true).expect("executions")));
    group.finish();

    let mut group = criterion.benchmark_group("start");
    group.sample_size(10);
    group.bench_function("to first result", |bencher| {
        bencher.iter_batched(
            || config.clone(),
            |config| {
                let mut worker = SearchWorker::start(config).expect("a worker");
                worker.execute(&candidates[..1], false).expect("an execution")
            },
            BatchSize::PerIteration,
        )
    });
    group.finish();

    let mut group = criterion.benchmark_group("recordings");
    group.throughput(Throughput::Elements(1)).sample_size(30);
    let mut worker = TraceWorker::start(triangle(folder.path(), Mode::Trace)).expect("a worker");
    group.bench_function("one", |bencher| bencher.iter(|| worker.record(&candidates[3]).expect("a recording")));
    group.finish();
}

criterion_group!(benches, executions);
criterion_main!(benches);
