//! Executions a second of a search worker, and the time of a JVM to its first result.
//!
//! `plain` and `observed` run hand-made calls of the sample Triangle. `searched` runs candidates
//! that the search makes after some time: for classes of real libraries, and for a class whose
//! static fields every call changes, so that each run restores them. A library that the set-up has
//! not fetched is skipped with a message.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use tracewright::execution::TargetClass;
use tracewright::jvm::{Compiler, Jdk, ProbeMode, SearchWorker, TraceWorker, WorkerConfig};
use tracewright::program::{ClassName, Cluster, ClusterConfig, Program, targets};
use tracewright::project::Project;
use tracewright::search::{GoalRegistry, Search, SearchConfig};
use tracewright::testcase::TestCase;
use tracewright_trace::{BranchSlot, LineSlot, search_sites};

/// Candidates in a batch.
const BATCH: usize = 200;
/// Executions before the measured candidates are made, so that the search has seen most callables.
const WARM: u64 = 6_000;

/// A class whose calls change static fields.
const COUNTER: &str = "package samples;
import java.util.*;
public class Counter {
    private static int calls;
    private static long sum;
    private static final int[] LAST = new int[8];
    private static final Map<String, Integer> SEEN = new TreeMap<>();
    private int own;
    public Counter(int first) { own = first; calls++; }
    public int count(int value) {
        LAST[calls++ & 7] = value;
        sum += value;
        own += value > 100 ? 2 : 1;
        return calls + own;
    }
    public static int note(String word) {
        calls++;
        Integer before = SEEN.get(word);
        SEEN.put(word, before == null ? 1 : before + 1);
        return SEEN.size();
    }
    public static long average() { return sum / ++calls; }
}
";

/// A class under test with the configuration of its workers.
struct Subject {
    config: WorkerConfig,
    program: Arc<Program>,
    target: ClassName,
}

impl Subject {
    fn new(folder: &Path, classes: PathBuf, name: &str, mode: ProbeMode) -> Subject {
        let jdk = Jdk::find(None).expect("a JDK");
        let program = Arc::new(Program::new(Project::open(std::slice::from_ref(&classes), &jdk.home).expect("a class path")));
        let target = ClassName::new(name);
        let mut config = WorkerConfig::new(jdk, agent(), vec![classes], folder.join("run"), mode);
        config.include = vec!["*".into()];
        for name in targets(&program, &target) {
            let class = program.class(&name).expect("a class of the class path");
            let sites = search_sites(&class.file).expect("well-formed");
            config.targets.push(TargetClass {
                name,
                branch_base: BranchSlot(config.branch_slots),
                line_base: LineSlot(config.line_slots),
            });
            config.branch_slots += sites.branch_slots;
            config.line_slots += sites.line_slots;
        }
        Subject { config, program, target }
    }

    /// A class in the package `samples`, compiled below the folder.
    fn compiled(folder: &Path, name: &str, source: &str, mode: ProbeMode) -> Subject {
        let jdk = Jdk::find(None).expect("a JDK");
        let classes = folder.join(name);
        let sources = [(format!("samples/{name}.java"), source.to_string())];
        Compiler::start(&jdk, folder, None)
            .and_then(|mut compiler| compiler.compile(&sources, &[], 17, &classes, Duration::from_secs(60)))
            .expect("it compiles");
        Subject::new(folder, classes, &format!("samples/{name}"), mode)
    }

    /// Candidates that a search makes after [`WARM`] executions.
    fn candidates(&self, worker: &mut SearchWorker) -> Vec<TestCase> {
        let cluster = Cluster::build(&self.program, &self.target, &ClusterConfig::default()).expect("something to call");
        let goals = GoalRegistry::of_classes(&self.program, &self.config.targets, &cluster);
        let mut search = Search::new(Arc::clone(&self.program), &cluster, goals, SearchConfig::default(), 1);
        while search.progress().executions < WARM {
            let tests = search.ask(BATCH);
            let executions = worker.execute(&tests, false).expect("executions");
            search.tell(&tests, &executions);
        }
        search.ask(BATCH)
    }
}

/// The agent that `cargo build --package tracewright-agent` puts into the parent of this program's
/// folder.
fn agent() -> PathBuf {
    let here = std::env::current_exe().expect("a path");
    here.parent().and_then(Path::parent).expect("cargo's layout").join("libtracewright_agent.so")
}

/// The fetched jar whose file name begins with `name`.
fn library(name: &str) -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("target/jars/development");
    let jars = std::fs::read_dir(folder).ok()?.flatten().map(|entry| entry.path());
    jars.filter(|jar| jar.file_name().is_some_and(|file| file.to_string_lossy().starts_with(name))).min()
}

/// Test cases of four statements: three literals and the call.
fn triangles() -> Vec<TestCase> {
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
    let triangle = |mode| Subject::compiled(folder.path(), "Triangle", include_str!("../samples/Triangle.java"), mode);
    let subject = triangle(ProbeMode::Search);
    let candidates = triangles();
    let mut group = criterion.benchmark_group("executions");
    group.throughput(Throughput::Elements(BATCH as u64)).warm_up_time(Duration::from_secs(3)).sample_size(30);
    let mut worker = SearchWorker::start(subject.config.clone()).expect("a worker");
    let probe = worker.execute(&candidates[..1], false).expect("an execution");
    assert!(!probe[0].lines.is_empty(), "{probe:?}");
    group.bench_function("plain", |bencher| bencher.iter(|| worker.execute(&candidates, false).expect("executions")));
    group.bench_function("observed", |bencher| bencher.iter(|| worker.execute(&candidates, true).expect("executions")));
    drop(worker);
    let counter = Subject::compiled(folder.path(), "Counter", COUNTER, ProbeMode::Search);
    let mut searched = vec![("triangle", subject), ("changing statics", counter)];
    for (name, jar, class) in [
        ("fraction", "commons-lang3", "org/apache/commons/lang3/math/Fraction"),
        ("tree list", "commons-collections4", "org/apache/commons/collections4/list/TreeList"),
    ] {
        match library(jar) {
            Some(jar) => searched.push((name, Subject::new(folder.path(), jar, class, ProbeMode::Search))),
            None => eprintln!("{name} is skipped: {jar} is missing, and `cargo xtask setup` fetches it"),
        }
    }
    for (name, subject) in &searched {
        let mut worker = SearchWorker::start(subject.config.clone()).expect("a worker");
        let candidates = subject.candidates(&mut worker);
        group.throughput(Throughput::Elements(candidates.len() as u64));
        group.bench_function(format!("searched/{name}"), |bencher| {
            bencher.iter(|| worker.execute(&candidates, false).expect("executions"))
        });
    }
    group.finish();

    let mut group = criterion.benchmark_group("start");
    group.sample_size(10);
    group.bench_function("to first result", |bencher| {
        bencher.iter_batched(
            || searched[0].1.config.clone(),
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
    let mut worker = TraceWorker::start(triangle(ProbeMode::Trace).config).expect("a worker");
    group.bench_function("one", |bencher| bencher.iter(|| worker.record(&candidates[3]).expect("a recording")));
    group.finish();
}

criterion_group!(benches, executions);
criterion_main!(benches);
