//! Workers that execute `samples/hostile`: verdicts are right, the engine and the user's files
//! survive, and harmless code still runs.
#![allow(clippy::unwrap_used)]

#[path = "common/jdks.rs"]
mod jdks;
#[path = "common/targets.rs"]
mod targets;
#[path = "common/test_case.rs"]
mod test_case;
#[path = "common/worker.rs"]
mod worker;

use std::collections::BTreeMap;
use std::fs;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use jdks::jdks;
use targets::add_targets;
use test_case::parse_test;
use tracewright::execution::{Execution, RunEnd, Snapshot};
use tracewright::jvm::{Jdk, ProbeMode, SearchWorker, WorkerConfig};
use tracewright::testcase::TestCase;
use tracewright_test_support::{agent_library, compile_java, require};
use worker::config;

/// The sources of the samples by class name.
fn samples() -> BTreeMap<String, String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("samples/hostile");
    fs::read_dir(folder)
        .unwrap()
        .map(|entry| {
            let path = entry.unwrap().path();
            (path.file_stem().unwrap().to_string_lossy().into_owned(), fs::read_to_string(&path).unwrap())
        })
        .collect()
}

fn worker(jdk: &Jdk, folder: &Path, agent: Option<PathBuf>) -> WorkerConfig {
    let samples = samples();
    let sources: Vec<_> = samples.iter().map(|(name, text)| (format!("hostile/{name}.java"), text.as_str())).collect();
    let sources: Vec<_> = sources.iter().map(|(path, text)| (path.as_str(), *text)).collect();
    let classes = compile_java(&jdk.home, 17, folder, &sources);
    let mut config = config(jdk, agent, classes, folder, ProbeMode::Search);
    config.include = vec!["hostile/*".into()];
    let names: Vec<_> = samples.keys().map(|name| format!("hostile/{name}")).collect();
    add_targets(&mut config, &names.iter().map(String::as_str).collect::<Vec<_>>());
    config
}

/// A call of a method on a new object, with one literal as the argument, or none if it is empty.
fn call(class: &str, method: &str, descriptor: &str, argument: &str) -> TestCase {
    let returned = descriptor.rsplit_once(')').unwrap().1;
    let object = format!("v0: Lhostile/{class}; = new hostile/{class}.<init> ()V ()\n");
    parse_test(&match argument {
        "" => format!("{object}v1: {returned} = call method hostile/{class}.{method} {descriptor} on v0 ()\n"),
        _ => {
            let parameter = &descriptor[1..descriptor.find(')').unwrap()];
            format!(
                "{object}v1: {parameter} = {argument}\nv2: {returned} = call method hostile/{class}.{method} {descriptor} on v0 (v1)\n"
            )
        }
    })
}

/// A folder with a file that must not change.
struct Victims {
    folder: tempfile::TempDir,
    file: String,
}

impl Victims {
    fn new() -> Victims {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("precious");
        fs::write(&file, "precious").unwrap();
        Victims { file: file.to_string_lossy().into_owned(), folder }
    }

    fn assert_untouched(&self) {
        let names: Vec<_> = fs::read_dir(self.folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        assert_eq!(names, ["precious"]);
        assert_eq!(fs::read_to_string(&self.file).unwrap(), "precious");
        assert!(!fs::metadata(&self.file).unwrap().permissions().readonly());
    }
}

/// Calls that change files or start programs, by method.
fn touching(file: &str) -> Vec<(String, TestCase)> {
    let path = format!("string \"{file}\"");
    let mut tests = Vec::new();
    for (method, returned) in [
        ("write", "I"),
        ("writeBytes", "I"),
        ("writeRandomly", "I"),
        ("writeMapped", "J"),
        ("delete", "Z"),
        ("deleteByPath", "I"),
        ("rename", "Z"),
        ("makeFolder", "Z"),
        ("link", "Ljava/lang/String;"),
        ("protect", "Z"),
    ] {
        tests.push((method.into(), call("TouchesFiles", method, &format!("(Ljava/lang/String;){returned}"), &path)));
    }
    for method in ["run", "runByRuntime"] {
        tests.push((method.into(), call("StartsProcess", method, "(Ljava/lang/String;)I", &format!("string \"{file}.made\""))));
    }
    tests
}

#[test]
fn hostile_code_gets_its_verdict_and_harmless_code_still_runs() {
    let victims = Victims::new();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    let port = format!("int {}", listener.local_addr().unwrap().port());
    type Check = fn(&Execution) -> bool;
    let refused: Check = |execution| matches!(execution.end, RunEnd::Refused { .. });
    let exhausted: Check = |execution| matches!(execution.end, RunEnd::Exhausted { .. });
    let budget: Check = |execution| matches!(execution.end, RunEnd::Budget { .. });
    let died: Check = |execution| execution.end == RunEnd::Died;
    let left_running: Check = |execution| execution.left_running;
    let ended: Check = |execution| matches!(execution.end, RunEnd::Completed | RunEnd::Timeout { .. });
    let minus_one: Check = |execution| execution.end == RunEnd::Completed && execution.snapshots[1] == Snapshot::Int(-1);
    let one: Check = |execution| execution.end == RunEnd::Completed && execution.snapshots[2] == Snapshot::Int(1);
    let completed: Check = |execution| execution.end == RunEnd::Completed && !execution.left_running;
    let uninitialised: Check = |execution| matches!(&execution.end, RunEnd::Threw { thrown, .. } if thrown.class.internal() == "java/lang/ExceptionInInitializerError");
    let entry = || parse_test("v0: I = int 0\nv1: I = call method hostile/FailsToInitialise.entry (I)I (v0)\n");
    let mut tests: Vec<(String, TestCase, Check)> = vec![
        ("loop".into(), call("EndlessLoop", "halvings", "(I)I", "int -1"), budget),
        ("exit".into(), call("ExitsJvm", "run", "(I)I", "int 3"), refused),
        ("halt".into(), call("HaltsJvm", "run", "(I)I", "int 3"), refused),
        ("stack".into(), call("OverflowsStack", "sum", "(J)J", "long -1"), exhausted),
        ("heap".into(), call("ExhaustsHeap", "keep", "(I)I", "int -1"), exhausted),
        ("heap again".into(), call("ExhaustsHeap", "keep", "(I)I", "int 1"), one),
        ("crash".into(), call("CrashesJvm", "poke", "(J)I", "long 8"), died),
        ("input".into(), call("ReadsInput", "read", "()I", ""), minus_one),
        ("thread".into(), call("StartsThread", "start", "()J", ""), left_running),
        ("initialiser".into(), entry(), uninitialised),
        ("initialiser again".into(), entry(), uninitialised),
        ("print".into(), call("PrintsMuch", "print", "(I)I", "int 1024"), ended),
        ("print behind".into(), call("PrintsMuch", "printBehind", "(I)I", "int 1024"), ended),
        ("connect".into(), call("OpensSocket", "connect", "(I)Z", &port), refused),
        ("connect a channel".into(), call("OpensSocket", "connectChannel", "(I)Z", &port), refused),
        ("listen".into(), call("OpensSocket", "listen", "()I", ""), refused),
        ("listen for datagrams".into(), call("OpensSocket", "listenForDatagrams", "()I", ""), refused),
        ("temporary file".into(), call("TouchesFiles", "inTemporaryFolder", "()Ljava/lang/String;", ""), completed),
    ];
    tests.extend(touching(&victims.file).into_iter().map(|(name, test)| (name, test, refused)));
    for (class, method, descriptor, argument) in [
        ("EndlessLoop", "isOdd", "(I)Z", "int -1"),
        ("ExitsJvm", "isFailure", "(I)Z", "int -1"),
        ("HaltsJvm", "isFailure", "(I)Z", "int -1"),
        ("OverflowsStack", "isPositive", "(J)Z", "long 4"),
        ("ExhaustsHeap", "isMany", "(I)Z", "int 4"),
        ("CrashesJvm", "isAligned", "(J)Z", "long 4"),
        ("ReadsInput", "isEnd", "(I)Z", "int 4"),
        ("StartsThread", "isEven", "(I)Z", "int 4"),
        ("FailsToInitialise$Harmless", "twice", "(I)I", "int 4"),
        ("PrintsMuch", "isMuch", "(I)Z", "int 4"),
        ("TouchesFiles", "isHidden", "(Ljava/lang/String;)Z", "string \"x\""),
        ("StartsProcess", "isAbsolute", "(Ljava/lang/String;)Z", "string \"x\""),
        ("OpensSocket", "isPrivileged", "(I)Z", "int 4"),
    ] {
        tests.push((format!("{class}.{method}"), call(class, method, descriptor, argument), completed));
    }
    for jdk in jdks() {
        let folder = tempfile::tempdir().unwrap();
        let mut worker = SearchWorker::start(worker(jdk, folder.path(), Some(agent_library()))).unwrap();
        let batch: Vec<TestCase> = tests.iter().map(|(_, test, _)| test.clone()).collect();
        let executions = worker.execute(&batch, true).unwrap();
        let wrong: Vec<_> = tests
            .iter()
            .zip(&executions)
            .filter(|((_, _, check), execution)| !check(execution))
            .map(|((name, ..), execution)| format!("{name}: {:?}", execution.end))
            .collect();
        assert!(wrong.is_empty(), "JDK {}: {wrong:#?}", jdk.version);
        victims.assert_untouched();
        let statistics = worker.statistics();
        // The first time in a batch, the second time to find the test case that crashes.
        assert!((1..=2).contains(&statistics.crashed), "{statistics:?}");
        drop(worker);
        let left: Vec<_> = fs::read_dir(folder.path().join("run")).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        assert_eq!(left, ["tracewright-runner.jar"], "a worker removes its folder");
    }
    assert!(listener.accept().is_err(), "no connection was made");
}

#[test]
fn only_actions_that_the_user_allows_are_done() {
    let jdk = &jdks()[0];
    let folder = tempfile::tempdir().unwrap();
    let victims = Victims::new();
    let mut config = worker(jdk, folder.path(), Some(agent_library()));
    config.allow.files = true;
    let mut worker = SearchWorker::start(config).unwrap();
    let path = format!("string \"{}\"", victims.file);
    let tests = [
        call("TouchesFiles", "delete", "(Ljava/lang/String;)Z", &path),
        call("StartsProcess", "run", "(Ljava/lang/String;)I", &path),
        call("ExitsJvm", "run", "(I)I", "int 3"),
    ];
    let ends: Vec<RunEnd> = worker.execute(&tests, true).unwrap().into_iter().map(|execution| execution.end).collect();
    assert_eq!(ends[0], RunEnd::Completed);
    assert!(!Path::new(&victims.file).exists());
    assert!(ends[1..].iter().all(|end| matches!(end, RunEnd::Refused { .. })), "{ends:?}");
}

#[test]
fn a_deadline_ends_a_batch_in_an_endless_loop() {
    let jdk = &jdks()[0];
    let folder = tempfile::tempdir().unwrap();
    let mut config = worker(jdk, folder.path(), Some(agent_library()));
    (config.event_budget, config.candidate_timeout) = (1 << 60, Duration::from_secs(100));
    let mut worker = SearchWorker::start(config).unwrap();
    let endless = call("EndlessLoop", "halvings", "(I)I", "int -1");
    let harmless = call("EndlessLoop", "isOdd", "(I)Z", "int 3");
    // The first test ends long before the deadline, but not always on a busy machine.
    let mut ends_within = |seconds: u64| -> Vec<RunEnd> {
        worker.set_deadline(Some(Instant::now() + Duration::from_secs(seconds)));
        let done = worker.execute(&[harmless.clone(), endless.clone(), harmless.clone()], false).unwrap();
        done.into_iter().map(|execution| execution.end).collect()
    };
    let expected = [RunEnd::Completed, RunEnd::Unrun, RunEnd::Unrun];
    assert!([5, 20, 80].into_iter().any(|seconds| ends_within(seconds) == expected), "{:?}", ends_within(5));
    // After the deadline nothing starts. The next phase has a new JVM.
    assert_eq!(worker.execute(std::slice::from_ref(&harmless), false).unwrap()[0].end, RunEnd::Unrun);
    worker.set_deadline(None);
    assert_eq!(worker.execute(&[harmless], false).unwrap()[0].end, RunEnd::Completed);
}

/// Without the agent the JVM refuses nothing, so the kernel must.
#[cfg(target_os = "linux")]
#[test]
fn the_kernel_refuses_actions_without_the_agent() {
    let kernel = landlock_with_connections().then_some(());
    let Some(()) = require("a Linux kernel whose Landlock restricts connections (6.7 or newer)", kernel) else { return };
    let victims = Victims::new();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    let port = format!("int {}", listener.local_addr().unwrap().port());
    for jdk in jdks() {
        let folder = tempfile::tempdir().unwrap();
        let mut worker = SearchWorker::start(worker(jdk, folder.path(), None)).unwrap();
        let mut tests: Vec<TestCase> = touching(&victims.file).into_iter().map(|(_, test)| test).collect();
        // Landlock does not restrict changes of file modes.
        tests.retain(|test| !test.to_string().contains("protect"));
        tests.push(call("OpensSocket", "connect", "(I)Z", &port));
        tests.push(call("ExitsJvm", "run", "(I)I", "int 3"));
        tests.push(call("TouchesFiles", "inTemporaryFolder", "()Ljava/lang/String;", ""));
        let executions = worker.execute(&tests, true).unwrap();
        victims.assert_untouched();
        let ends: Vec<_> = executions.iter().map(|execution| &execution.end).collect();
        let (touched, rest) = ends.split_at(ends.len() - 2);
        for (test, end) in tests.iter().zip(touched) {
            // Methods like `File.delete` return false; all others throw.
            assert!(matches!(end, RunEnd::Threw { .. } | RunEnd::Completed), "{end:?} in\n{test}");
        }
        assert_eq!(rest, [&RunEnd::Died, &RunEnd::Completed]);
    }
    assert!(listener.accept().is_err(), "no connection was made");
}

#[cfg(target_os = "linux")]
fn landlock_with_connections() -> bool {
    use landlock::{AccessNet, CompatLevel, Compatible, Ruleset, RulesetAttr};
    Ruleset::default()
        .set_compatibility(CompatLevel::HardRequirement)
        .handle_access(AccessNet::ConnectTcp)
        .and_then(|ruleset| ruleset.create())
        .is_ok()
}
