//! What recording costs where threads share one hot method. Flows in: a JDK, this agent, and
//! another build of it in `TRACEWRIGHT_AGAINST` (the path of a library); flows out: a table of CPU
//! time, user and system, as ratios to the run without an agent.
//!
//! The programs run in turn, and each figure is the median of the rounds: the machine may have
//! other work. `TRACEWRIGHT_ROUNDS` sets their number.

#[path = "../tests/common"]
mod common {
    pub(crate) mod jvm;
}

use std::mem::MaybeUninit;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use common::jvm::{agent, compile, jdks};
use tracewright_test_support::Jdk;

const THREADS: [u32; 4] = [1, 2, 4, 8];
/// Calls of the hot method, by all threads together.
const CALLS: u32 = 16_000_000;

/// CPU seconds of all children so far, user and system.
fn children_cpu() -> f64 {
    let mut usage = MaybeUninit::<libc::rusage>::uninit();
    // SAFETY: the call fills in the whole structure where it returns 0.
    let usage = unsafe {
        assert_eq!(libc::getrusage(libc::RUSAGE_CHILDREN, usage.as_mut_ptr()), 0);
        usage.assume_init()
    };
    let seconds = |time: libc::timeval| time.tv_sec as f64 + time.tv_usec as f64 * 1e-6;
    seconds(usage.ru_utime) + seconds(usage.ru_stime)
}

/// CPU seconds of one process with this many threads.
fn measure(jdk: &Jdk, classes: &Path, threads: u32, library: Option<&Path>) -> f64 {
    let session = tempfile::tempdir().expect("temporary folder");
    let mut command = Command::new(jdk.home.join("bin/java"));
    if let Some(library) = library {
        let options = format!("mode=record,include=Recorded,session={}", session.path().display());
        command.arg(format!("-agentpath:{}={options}", library.display()));
    }
    let command = command.arg("-cp").arg(classes).arg("RecordedThreads");
    let command = command.arg(threads.to_string()).arg((CALLS / threads).to_string());
    let before = children_cpu();
    let status = command.stdout(Stdio::null()).status().expect("java runs");
    assert!(status.success(), "{status}");
    children_cpu() - before
}

fn median(mut figures: Vec<f64>) -> f64 {
    figures.sort_by(f64::total_cmp);
    figures[figures.len() / 2]
}

fn main() {
    let jdk = &jdks()[0];
    let classes = compile(&["Recorded", "RecordedThreads"]);
    let rounds = std::env::var("TRACEWRIGHT_ROUNDS").map_or(5, |rounds| rounds.parse().expect("a number"));
    let against = std::env::var_os("TRACEWRIGHT_AGAINST").map(PathBuf::from);
    let libraries: Vec<Option<PathBuf>> = [None, Some(agent())].into_iter().chain(against.map(Some)).collect();
    println!("threads  plain s  agent  {}", if libraries.len() > 2 { "other agent" } else { "" });
    for threads in THREADS {
        let mut figures = vec![Vec::new(); libraries.len()];
        for _ in 0..rounds {
            for (library, figures) in libraries.iter().zip(&mut figures) {
                figures.push(measure(jdk, &classes, threads, library.as_deref()));
            }
        }
        let plain = median(figures[0].clone());
        print!("{threads:>7} {plain:>8.2}");
        for of_library in &figures[1..] {
            print!(" {:>5.2}x", median(of_library.clone()) / plain);
        }
        println!();
    }
}
