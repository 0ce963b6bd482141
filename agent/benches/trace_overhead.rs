//! What probes cost: processor time of hot compute kernels (`tests/java/Kernel.java`) without the agent, with search probes, with trace
//! probes. Measured inside the JVM after warm-up, least of the rounds; the drain thread is not counted, but writes to a file.
//! Prints a table of factors beside criterion's figures. The JDK is the oldest one found.

#[path = "../tests/common/mod.rs"]
mod common;

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use common::{Jdk, agent, compile, jdks};
use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};

const PARTS: [&str; 7] = ["sort", "hash", "tokens", "recursion", "fields", "fractions", "library"];

/// Nanoseconds of one kernel.
fn kernel(jdk: &Jdk, classes: &Path, part: &str, options: Option<&str>) -> f64 {
    let mut command = Command::new(jdk.home.join("bin/java"));
    if let Some(options) = options {
        command.arg(format!("-agentpath:{}={options}", agent().display()));
    }
    let output = command.arg("-cp").arg(classes).args(["KernelMain", part, "40", "100"]).output().expect("java runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    text.lines().map(|line| line.parse::<f64>().expect("nanoseconds")).fold(f64::INFINITY, f64::min)
}

fn overhead(criterion: &mut Criterion) {
    let jdk = &jdks()[0];
    let classes = compile(&["Kernel", "KernelMain"]);
    let folder = tempfile::tempdir().expect("temporary folder");
    let trace = folder.path().join("trace");
    let modes = [
        ("plain", None),
        ("search", Some("mode=search,target=Kernel 0 0,branch-slots=200,line-slots=200".to_owned())),
        ("trace", Some(format!("mode=trace,include=Kernel,event-cap=1000000000,trace={}", trace.display()))),
    ];
    let mut group = criterion.benchmark_group("probes");
    group.sample_size(10).warm_up_time(Duration::from_millis(1)).measurement_time(Duration::from_millis(1));
    let mut table = String::from("part        plain ns   search   trace\n");
    let mut sums = [0.0; 3];
    for part in PARTS {
        // One JVM a mode: the figure is steady inside a JVM, and criterion's samples repeat it.
        let figures = modes.each_ref().map(|(_, options)| {
            let _ = std::fs::remove_file(&trace);
            kernel(jdk, &classes, part, options.as_deref())
        });
        for (index, (mode, _)) in modes.iter().enumerate() {
            sums[index] += figures[index];
            group.bench_with_input(BenchmarkId::new(*mode, part), &figures[index], |bencher, nanoseconds| {
                bencher.iter_custom(|iterations| Duration::from_nanos((nanoseconds * iterations as f64) as u64));
            });
        }
        let [plain, search, trace] = figures;
        table += &format!("{part:<10} {plain:>9.0} {:>7.1}x {:>6.1}x\n", search / plain, trace / plain);
    }
    let [plain, search, trace] = sums;
    table += &format!("{:<10} {plain:>9.0} {:>7.1}x {:>6.1}x\n", "all", search / plain, trace / plain);
    group.finish();
    println!("{table}");
}

criterion_group!(benches, overhead);
criterion_main!(benches);
