//! A run that is killed, and the run that goes on with it.

use crate::subject::{Subject, end, program};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const CLASSES: usize = 6;

fn subject() -> Subject {
    let source = |number: usize| {
        (
            format!("p/Dial{number}.java"),
            format!(
                "package p; public class Dial{number} {{ public static int turn(int x) {{ return x > {number} ? x - {number} : x; }} }}\n"
            ),
        )
    };
    let sources: Vec<(String, String)> = (0..CLASSES).map(source).collect();
    let sources: Vec<(&str, &str)> = sources.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
    Subject::of(&sources)
}

/// `tracewright generate` for all classes, one after the other.
fn all(subject: &Subject, more: &[&str]) -> Command {
    let mut command = program();
    command.current_dir(subject.folder.path()).args(["generate", "--progress", "plain", "--budget", "30s", "--threads", "1"]);
    command.args(["--classpath", "classes", "--classes-from", "classes", "--out", "out", "--report", "report"]).args(more);
    command
}

fn kept(subject: &Subject) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(subject.folder.path().join("report/unfinished"));
    let mut files: Vec<PathBuf> = entries.into_iter().flatten().flatten().map(|entry| entry.path()).collect();
    files.retain(|file| file.extension().is_some_and(|extension| extension == "json"));
    files
}

fn tests(subject: &Subject) -> Vec<(PathBuf, String)> {
    let entries = walkdir::WalkDir::new(subject.out()).sort_by_file_name().into_iter().filter_map(Result::ok);
    let files = entries.filter(|entry| entry.file_type().is_file()).map(|entry| entry.into_path());
    files.map(|file| (file.clone(), std::fs::read_to_string(file).expect("text"))).collect()
}

#[test]
fn a_killed_run_goes_on_where_it_was() {
    let subject = subject();
    let mut killed = all(&subject, &[]).stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("the program starts");
    let patience = Instant::now() + Duration::from_secs(120);
    while kept(&subject).len() < 2 && Instant::now() < patience {
        std::thread::sleep(Duration::from_millis(10));
    }
    killed.kill().expect("it still runs");
    killed.wait().expect("it has ended");
    let (kept_classes, before) = (kept(&subject).len(), tests(&subject));
    assert!((2..CLASSES).contains(&kept_classes) && before.len() >= kept_classes, "{kept_classes} {before:?}");

    let ended = end(&mut all(&subject, &["--resume"]));
    assert_eq!(ended.status, 0, "{}", ended.err);
    let sentence = format!("going on with an interrupted run, which has {kept_classes} of {CLASSES} classes");
    assert!(ended.err.contains(&sentence), "{}", ended.err);
    let after = tests(&subject);
    assert!(before.iter().filter(|test| after.contains(test)).count() >= kept_classes);
    assert_eq!(after.len(), CLASSES);
    let report = subject.report();
    assert!(report.classes.len() == CLASSES && report.classes.iter().all(|class| class.goals.branch.covered == 2));
    assert!(!subject.folder.path().join("report/unfinished").exists(), "the run has ended");
    // Nothing is left to go on with.
    let again = end(&mut all(&subject, &["--resume", "--classes", "p.Dial1, p.Dial2"]));
    assert!(again.status == 0 && !again.err.contains("interrupted"), "{}", again.err);
}

#[test]
fn what_was_kept_is_used_only_where_it_still_holds() {
    let subject = subject();
    let mut killed = all(&subject, &[]).stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("the program starts");
    let patience = Instant::now() + Duration::from_secs(120);
    while kept(&subject).is_empty() && Instant::now() < patience {
        std::thread::sleep(Duration::from_millis(10));
    }
    killed.kill().expect("it still runs");
    killed.wait().expect("it has ended");
    // The class takes another seed.
    let ended = end(&mut all(&subject, &["--resume", "--seed", "7"]));
    assert!(ended.status == 0 && ended.err.contains("which has 0 of"), "{}", ended.err);
    // Without the option, the run begins anew.
    let mut killed = all(&subject, &[]).stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("the program starts");
    while kept(&subject).is_empty() && Instant::now() < patience {
        std::thread::sleep(Duration::from_millis(10));
    }
    killed.kill().expect("it still runs");
    killed.wait().expect("it has ended");
    let ended = end(&mut all(&subject, &[]));
    assert!(ended.status == 0 && ended.err.contains("an interrupted run begins anew"), "{}", ended.err);
}

#[test]
fn a_total_budget_gives_every_class_its_tests() {
    let lock = "package p; public class Lock { public static int open(String code, int turns) { int n = 0;
        if (code.startsWith(\"ab\")) n++; if (code.length() == 9) n++; if (code.endsWith(\"yz\") && turns * 7 == 4907) n += 4;
        if (code.indexOf('#') == 4) n += 8; if (n == 14) throw new IllegalStateException(\"open\"); return n; } }";
    let easy = "package p; public class Easy { public static boolean isSmall(int x) { return x < 10; } }";
    let subject = Subject::of(&[("p/Lock.java", lock), ("p/Easy.java", easy)]);
    let mut command = program();
    command.current_dir(subject.folder.path());
    command.args(["generate", "--progress", "none", "--budget", "60s", "--total-budget", "30s", "--threads", "1"]);
    command.args(["--classpath", "classes", "--classes-from", "classes", "--out", "out", "--report", "report"]);
    let ended = end(&mut command);
    assert_eq!(ended.status, 0, "{}", ended.err);
    let report = subject.report();
    let tests: Vec<usize> = report.classes.iter().map(|class| class.tests).collect();
    assert!(tests.len() == 2 && tests.iter().all(|tests| *tests > 0), "{tests:?} {}", ended.out);
    assert_eq!(report.classes.iter().map(|class| class.goals.branch.covered).min(), Some(2), "{}", ended.out);
    assert!(!subject.folder.path().join("report/unfinished").exists());
}
