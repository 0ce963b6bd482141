//! Goals of `samples/guards` that symbolic execution alone reaches within a number of steps, and
//! those that it misses.
//!
//! The missed goals are pinned by name in `tests/guards/missed.txt`. A goal that is newly reached
//! or newly missed fails the test until the list is updated with `UPDATE_EXPECT=1`. `cargo xtask
//! bench guards` measures the same guards by time.

#[path = "common/jdks.rs"]
mod jdks;

use jdks::jdks;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use tracewright::config::{Config, Settings, Strategy};
use tracewright::engine::{ClassExploration, ClassProgress, Installation, Observer, explore};
use tracewright::jvm::Jdk;
use tracewright::program::ClassName;
use tracewright_test_support::guards::{Goal, GoalKind, Guard, guards};
use tracewright_test_support::{agent_library, check_golden, compile_files, jdks_from};

/// Executions and solver queries for each class.
const STEPS: u64 = 120;
/// Steps of the longest attempt: an attempt that has begun is ended, also beyond the last step.
const LONGEST_ATTEMPT: u64 = 20;
const SEED: u64 = 1;
/// Guards explored at the same time: each waits for its worker JVM and its solver most of the time.
const CONCURRENT: usize = 3;
/// Stack of an exploring thread, in bytes: a replay recurses as deeply as the method that it
/// follows.
const STACK: usize = 256 << 20;

/// An observer that shows nothing.
struct Silent;

impl Observer for Silent {
    fn progress(&self, _progress: &ClassProgress) {}
    fn message(&self, _text: &str) {}
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Compiles the guards of each release; `None` where a release has no JDK.
fn compile(guards: &[Guard], folder: &Path) -> Option<BTreeMap<u32, (PathBuf, Jdk)>> {
    let releases: BTreeSet<u32> = guards.iter().map(|guard| guard.release).collect();
    let mut compiled = BTreeMap::new();
    for release in releases {
        let version = jdks_from(release)?[0].version;
        let jdk = jdks().iter().find(|jdk| jdk.version == version)?;
        let classes = folder.join(release.to_string());
        let files: Vec<PathBuf> =
            guards.iter().filter(|guard| guard.release == release).map(|guard| guard.file.clone()).collect();
        compile_files(&jdk.home, &["-Xlint:all", "-Werror", "--release", &release.to_string()], &classes, &files);
        compiled.insert(release, (classes, jdk.clone()));
    }
    Some(compiled)
}

/// Explores one guard by symbolic execution alone.
fn explore_guard(guard: &Guard, classes: &Path, jdk: &Jdk) -> Result<ClassExploration, String> {
    let folder = tempfile::tempdir().expect("a folder");
    let settings = Settings {
        classpath: Some(classes.display().to_string()),
        class: Some(vec![guard.class()]),
        steps: Some(STEPS),
        seed: Some(SEED),
        strategy: Some(Strategy::Dse),
        jdk: Some(jdk.home.clone()),
        ..Settings::default()
    };
    let config = Config::new(settings).map_err(|error| error.to_string())?;
    let installation = Installation {
        program: env!("CARGO_BIN_EXE_tracewright").into(),
        agent: agent_library(),
        junit_console: PathBuf::new(),
        junit4: Vec::new(),
        cache: None,
    };
    let mut explored = explore(&config, &installation, folder.path(), &Silent).map_err(|error| error.to_string())?;
    explored.pop().ok_or("nothing was explored".into())
}

/// Explores all guards, a few at a time.
fn explore_all(guards: &[Guard], compiled: &BTreeMap<u32, (PathBuf, Jdk)>) -> BTreeMap<String, ClassExploration> {
    let pending = Mutex::new(guards.iter());
    let results = Mutex::new(BTreeMap::new());
    std::thread::scope(|scope| {
        for _ in 0..CONCURRENT {
            let explore_pending = || loop {
                let Some(guard) = pending.lock().expect("no panic holds it").next() else { break };
                let (classes, jdk) = &compiled[&guard.release];
                let explored = explore_guard(guard, classes, jdk).unwrap_or_else(|problem| panic!("{}: {problem}", guard.name));
                results.lock().expect("no panic holds it").insert(guard.name.clone(), explored);
            };
            std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, explore_pending).expect("a thread");
        }
    });
    results.into_inner().expect("no panic holds it")
}

fn is_reached(guard: &Guard, goal: &Goal, explored: &ClassExploration) -> bool {
    let class = ClassName::new(&guard.class().replace('.', "/"));
    explored.lines.contains(&(class, goal.line as u16))
}

#[test]
fn symbolic_execution_reaches_all_but_the_pinned_goals() {
    let guards = guards(root()).unwrap_or_else(|problem| panic!("{problem}"));
    assert!(guards.len() >= 80 && guards.iter().map(Guard::feasible).sum::<usize>() >= 80);
    let folder = tempfile::tempdir().expect("a folder");
    let Some(compiled) = compile(&guards, folder.path()) else { return };
    // Built once, before several threads ask for it.
    agent_library();
    let results = explore_all(&guards, &compiled);
    let mut missed = String::new();
    let mut wrong = Vec::new();
    for guard in &guards {
        let explored = &results[&guard.name];
        for goal in &guard.goals {
            let place = format!("{}:{}", guard.name, goal.line);
            match (&goal.kind, is_reached(guard, goal, explored)) {
                (GoalKind::Reached, false) => missed += &format!("{place}\n"),
                (GoalKind::Infeasible(reason), true) => {
                    wrong.push(format!("{place} is reached, but marked infeasible: {reason}"))
                }
                (GoalKind::Cannot(reason), true) => {
                    wrong.push(format!("{place} is reached, but marked `cannot, {reason}`: mark it `reached`"));
                }
                _ => {}
            }
        }
        let (replay, solver) = (&explored.report.replay, &explored.report.solver);
        let steps = replay.paths + solver.queries + solver.solved_by_guess;
        if steps > STEPS + LONGEST_ATTEMPT {
            wrong.push(format!("{}: {steps} executions and queries in {STEPS} steps", guard.name));
        }
        if replay.divergences > 0 {
            wrong.push(format!("{}: the replay diverged: {:?}", guard.name, replay.divergence_examples));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    check_golden(&root().join("tests/guards/missed.txt"), &missed);
}
