//! CPU time of probes. Flows in: hot compute kernels (`tests/java/Kernel.java`); flows out: factors
//! of search probes and of trace probes, beside the figures of criterion. The time is that of the
//! thread that runs the kernels in a warm JVM; the drain thread works beside it and writes to
//! /dev/null. The JDK is the oldest one found.

#[path = "../tests/common"]
mod common {
    pub(crate) mod jvm;
}

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::Duration;

use common::jvm::{agent, compile, jdks};
use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use tracewright_test_support::Jdk;

const PARTS: [&str; 7] = ["sort", "hash", "tokens", "recursion", "fields", "fractions", "library"];

const MODES: [(&str, Option<&str>); 3] = [
    ("plain", None),
    ("search", Some("mode=search,target=Kernel 0 0,branch-slots=200,line-slots=200")),
    ("trace", Some("mode=trace,include=Kernel,event-cap=1000000000000,trace=/dev/null")),
];

/// Kernels in one iteration: reading the clock of a thread takes as long as one kernel.
const BATCH: u64 = 50;

/// A warm JVM that runs one part on request.
struct Kernel {
    child: Child,
    requests: ChildStdin,
    answers: BufReader<ChildStdout>,
}

impl Kernel {
    fn start(jdk: &Jdk, classes: &Path, part: &str, options: Option<&str>) -> Kernel {
        let mut command = Command::new(jdk.home.join("bin/java"));
        if let Some(options) = options {
            command.arg(format!("-agentpath:{}={options}", agent().display()));
        }
        let command = command.arg("-cp").arg(classes).args(["KernelMain", part]).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().expect("java runs");
        let requests = child.stdin.take().expect("piped");
        let answers = BufReader::new(child.stdout.take().expect("piped"));
        Kernel { child, requests, answers }
    }

    fn run(&mut self, count: u64) -> Duration {
        writeln!(self.requests, "{count}").expect("the JVM lives");
        let mut line = String::new();
        self.answers.read_line(&mut line).expect("the JVM answers");
        Duration::from_nanos(line.trim().parse().expect("nanoseconds"))
    }
}

impl Drop for Kernel {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn overhead(criterion: &mut Criterion) {
    let jdk = &jdks()[0];
    let classes = compile(&["Kernel", "KernelMain"]);
    let mut group = criterion.benchmark_group("probes");
    group.sample_size(10).warm_up_time(Duration::from_millis(20)).measurement_time(Duration::from_millis(200));
    let mut table = String::from("part        plain ns   search   trace\n");
    let mut sums = [0.0; 3];
    let mut row = |part: &str, [plain, search, trace]: [f64; 3]| {
        table += &format!("{part:<10} {plain:>9.0} {:>7.1}x {:>6.1}x\n", search / plain, trace / plain);
    };
    for part in PARTS {
        let mut figures = [0.0; 3];
        for (index, (mode, options)) in MODES.into_iter().enumerate() {
            let mut kernel = Kernel::start(jdk, &classes, part, options);
            group.bench_function(BenchmarkId::new(mode, part), |bencher| {
                bencher.iter_custom(|count| kernel.run(BATCH * count) / BATCH as u32)
            });
            figures[index] = (0..20).map(|_| kernel.run(100).as_nanos() as f64 / 100.0).fold(f64::INFINITY, f64::min);
            sums[index] += figures[index];
        }
        row(part, figures);
    }
    row("all", sums);
    group.finish();
    println!("{table}");
}

criterion_group!(benches, overhead);
criterion_main!(benches);
