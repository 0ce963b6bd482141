//! Guards of `samples/guards`, by steps: what symbolic execution alone gets through. Seconds belong to `cargo xtask bench guards`.

mod common;
#[allow(dead_code)] // the benchmark runs tests against marked sources
#[path = "../xtask/src/guards/goals.rs"]
mod goals;

use goals::{Guard, Kind};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use tracewright::config::{Config, Settings, Strategy};
use tracewright::engine::{ClassExploration, Installation, Observer, Progress, explore};
use tracewright::jvm::Jdk;
use tracewright::program::ClassName;

/// Executions and queries for one class.
const STEPS: u64 = 120;
const SEED: u64 = 1;
/// Of the feasible goals, how many are reached at least.
const FLOOR: f64 = 0.75;

struct Quiet;

impl Observer for Quiet {
    fn progress(&self, _progress: &Progress) {}
    fn message(&self, _text: &str) {}
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn guards() -> Vec<Guard> {
    goals::guards(root()).unwrap_or_else(|problem| panic!("{problem}"))
}

/// Where the guards of each release are compiled, with the JDK; none where no JDK knows the release.
fn compile(guards: &[Guard], folder: &Path) -> BTreeMap<u32, (PathBuf, Jdk)> {
    let mut compiled = BTreeMap::new();
    for release in guards.iter().map(|guard| guard.release).collect::<std::collections::BTreeSet<_>>() {
        let Some(jdk) = common::jdks().iter().find(|jdk| jdk.version >= release) else { continue };
        let classes = folder.join(release.to_string());
        let output = std::process::Command::new(jdk.home.join("bin/javac"))
            .args(["-g", "-Xlint:all", "-Werror", "--release", &release.to_string(), "-d"])
            .arg(&classes)
            .args(guards.iter().filter(|guard| guard.release == release).map(|guard| &guard.file))
            .output()
            .expect("javac starts");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        compiled.insert(release, (classes, jdk.clone()));
    }
    compiled
}

fn search(guard: &Guard, classes: &Path, jdk: &Jdk) -> Result<ClassExploration, String> {
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
        agent: common::agent(),
        junit_console: PathBuf::new(),
        junit4: Vec::new(),
    };
    let mut explored = explore(&config, &installation, folder.path(), &Quiet).map_err(|error| error.to_string())?;
    explored.pop().ok_or("nothing was explored".into())
}

#[test]
fn symbolic_execution_alone_gets_through() {
    let mut guards = guards();
    if let Ok(names) = std::env::var("TRACEWRIGHT_GUARDS") {
        guards.retain(|guard| names.split(',').any(|name| name == guard.name));
    }
    assert!(
        std::env::var("TRACEWRIGHT_GUARDS").is_ok()
            || guards.len() >= 80 && guards.iter().map(Guard::feasible).sum::<usize>() >= 80
    );
    let folder = tempfile::tempdir().expect("a folder");
    let compiled = compile(&guards, folder.path());
    common::agent();
    let left = Mutex::new(guards.iter().filter(|guard| compiled.contains_key(&guard.release)));
    let results = Mutex::new(BTreeMap::new());
    std::thread::scope(|scope| {
        // A worker and a solver wait for each other.
        for _ in 0..3 {
            let work = || loop {
                let Some(guard) = left.lock().expect("unharmed").next() else { break };
                let (classes, jdk) = &compiled[&guard.release];
                let result = search(guard, classes, jdk);
                results.lock().expect("unharmed").insert(guard.name.clone(), result);
            };
            // Replays are as deep as the recursion they follow.
            std::thread::Builder::new().stack_size(256 << 20).spawn_scoped(scope, work).expect("a thread");
        }
    });
    let results = results.into_inner().expect("unharmed");
    let (mut reached, mut feasible, mut divergences) = (0, 0, Vec::new());
    for guard in &guards {
        let explored = match results.get(&guard.name) {
            None => continue,
            Some(Err(problem)) => panic!("{}: {problem}", guard.name),
            Some(Ok(explored)) => explored,
        };
        let class = ClassName::new(&guard.class().replace('.', "/"));
        let mut missed = false;
        for goal in &guard.goals {
            let is_reached = explored.lines.contains(&(class.clone(), goal.line as u16));
            match goal.kind {
                Kind::Reached => {
                    feasible += 1;
                    reached += usize::from(is_reached);
                    missed |= !is_reached;
                }
                Kind::Infeasible(_) => assert!(!is_reached, "{}:{} is said to be infeasible", guard.file.display(), goal.line),
                Kind::Cannot(_) => {}
            }
        }
        let replay = &explored.report.replay;
        if missed {
            println!("missed {}: {:?} {:?} {:?}", guard.name, replay, explored.report.solver, explored.report.tree);
        }
        if replay.divergences > 0 {
            divergences.push(format!("{}: {:?}", guard.name, replay.diverged));
        }
    }
    let share = reached as f64 / feasible as f64;
    println!("{reached} of {feasible} reached ({:.1} %)", share * 100.0);
    assert!(divergences.is_empty(), "{}", divergences.join("\n"));
    assert!(share >= FLOOR, "{reached} of {feasible}: less than before");
}
