//! Shards with their merged reports, and generation for changed classes only.

use crate::subject::{Subject, end, program};
use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;
use tracewright::report::Report;
use tracewright_test_support::{compile_files, write_sources};

/// Steps of most runs here.
pub(crate) const STEPS: &str = "300";

const METER: &str = "package p;
public class Meter {
    public static int level(int x) { return x > 100 ? 2 : x > 10 ? 1 : 0; }
    public static String name(int x) { return x > 20 ? \"high\" : \"low\"; }
    public static boolean even(int x) { return x % 2 == 0; }
}
";
const SIGN: &str = "package p;
public class Sign {
    public static String text(int x) { return \"it is \" + Meter.name(x); }
    public static int border(int x) { return x < 0 ? -1 : 1; }
}
";
const APART: &str = "package p; public class Apart { public static int half(int x) { return x > 9 ? x / 2 : x; } }\n";

/// Three classes. `Sign` calls `Meter`.
pub(crate) fn subject() -> Subject {
    Subject::of(&[("p/Meter.java", METER), ("p/Sign.java", SIGN), ("p/Apart.java", APART)])
}

/// `tracewright generate` for all classes, in the folder of the subject.
pub(crate) fn all(subject: &Subject, out: &str) -> Command {
    reporting(subject, out, &format!("{out}-report"))
}

fn reporting(subject: &Subject, out: &str, report: &str) -> Command {
    let mut command = program();
    command.current_dir(subject.folder.path()).args(["generate", "--progress", "plain", "--steps", STEPS]);
    command.args(["--classpath", "classes", "--classes-from", "classes", "--out", out, "--report", report]);
    command
}

/// A report without the figures that may differ between two runs.
pub(crate) fn report(subject: &Subject, name: &str) -> Report {
    let mut report = Report::read(&subject.folder.path().join(name)).expect("a report");
    report.jvm = Default::default();
    for class in &mut report.classes {
        (class.seconds, class.solver.seconds, class.search.per_second, class.mutants.per_second) = (0.0, 0.0, 0.0, 0.0);
    }
    report
}

pub(crate) fn json(report: &Report) -> String {
    serde_json::to_string_pretty(report).expect("it can be written")
}

/// The files below a folder with their texts.
pub(crate) fn files(folder: &Path) -> BTreeMap<String, String> {
    let entries = walkdir::WalkDir::new(folder).into_iter().filter_map(Result::ok).filter(|entry| entry.file_type().is_file());
    let name = |path: &Path| path.strip_prefix(folder).expect("below").display().to_string();
    entries.map(|entry| (name(entry.path()), std::fs::read_to_string(entry.path()).expect("text"))).collect()
}

#[test]
fn only_the_named_method_and_its_private_parts_get_tests() {
    let purse = "package p; public class Purse {
        public static int fee(int sum) { return sum > 50 ? rounded(sum) : 1; }
        private static int rounded(int sum) { return sum % 10 == 0 ? sum / 10 : sum / 10 + 1; }
        public static boolean isFull(int sum) { return sum > 999; } }";
    let subject = Subject::of(&[("p/Purse.java", purse)]);
    let mut command = program();
    command.args(["generate", "--progress", "none", "--steps", "300", "--class", "p.Purse", "--method", "fee", "--classpath"]);
    command.arg(subject.classes()).arg("--out").arg(subject.out()).arg("--report").arg(subject.folder.path().join("report"));
    let ended = end(&mut command);
    assert_eq!(ended.status, 0, "{}", ended.err);
    let tests = std::fs::read_to_string(subject.source_file("p.Purse")).expect("a test file");
    assert!(tests.contains("Purse.fee(") && !tests.contains("Purse.isFull("), "{tests}");
    assert_eq!(subject.report().classes[0].goals.branch.covered, 4, "those of `rounded` are wanted too");
}

#[test]
fn steps_give_the_same_bytes_for_every_number_of_threads() {
    let gauge = "package p; public class Gauge { private final Meter meter;
        public Gauge(Meter meter, int limit) { if (limit < 3) throw new IllegalArgumentException(\"limit\"); this.meter = meter; }
        public String show(int x) { return meter == null ? \"\" : x > 5 ? Meter.name(x) : \"low\"; } }";
    let panel = "package p; public class Panel { private final Gauge gauge; public Panel(Gauge gauge) { this.gauge = gauge; }
        public boolean isHigh(int x) { return gauge.show(x).equals(\"high\"); } }";
    let sources = [("p/Meter.java", METER), ("p/Sign.java", SIGN), ("p/Apart.java", APART), ("p/Gauge.java", gauge)];
    let subject = Subject::of(&[&sources[..], &[("p/Panel.java", panel)]].concat());
    let run = |threads: &str| {
        let ended = end(all(&subject, threads).args(["--threads", threads]));
        assert_eq!(ended.status, 0, "{}", ended.err);
        (files(&subject.folder.path().join(threads)), json(&report(&subject, &format!("{threads}-report"))))
    };
    let alone = run("1");
    assert_eq!(alone.0.len(), 5);
    assert_eq!(run("3"), alone);
}

#[test]
fn three_shards_write_the_tests_of_one_run() {
    let subject = subject();
    let ended = end(&mut all(&subject, "whole"));
    assert_eq!(ended.status, 0, "{}", ended.err);
    for part in 1..=3 {
        let mut command = reporting(&subject, "parts", &format!("report-{part}"));
        // The option wins over the variables of the CI system, which count without the option.
        match part {
            1 => command.args(["--shard", "1/3"]).env("CI_NODE_INDEX", "2").env("CI_NODE_TOTAL", "2"),
            2 => command.env("CIRCLE_NODE_INDEX", "1").env("CIRCLE_NODE_TOTAL", "3"),
            _ => command.args(["--shard", "3/3"]),
        };
        let ended = end(&mut command);
        assert_eq!(ended.status, 0, "{}", ended.err);
        assert_eq!(report(&subject, &format!("report-{part}")).shard, Some(format!("{part}/3")), "{}", ended.err);
        assert!(part != 2 || ended.err.contains("part 2/3 of the classes, as CircleCI tells; --shard 1/1 takes all of them"));
    }
    assert_eq!(files(&subject.folder.path().join("parts")), files(&subject.folder.path().join("whole")));

    let mut merge = program();
    merge.current_dir(subject.folder.path()).args(["merge", "report-1", "report-2", "report-3", "--out", "merged"]);
    let ended = end(&mut merge);
    assert_eq!((ended.status, ended.out.contains("not among them")), (0, false), "{}{}", ended.out, ended.err);
    assert_eq!(json(&report(&subject, "merged")), json(&report(&subject, "whole-report")));

    let mut without = program();
    without.current_dir(subject.folder.path()).args(["merge", "report-1", "report-3", "--out", "two"]);
    assert!(end(&mut without).out.contains("not among them: 2/3"));
    for (folders, sentence) in [
        (&["report-1", "whole-report"][..], "each class can come from one report only"),
        (&["classes"], "classes holds neither a session nor a report.json"),
    ] {
        let ended = end(program().current_dir(subject.folder.path()).arg("merge").args(folders).args(["--out", "never"]));
        assert_eq!(ended.status, 2, "{}", ended.err);
        assert!(ended.err.contains(sentence), "{}", ended.err);
        assert!(!subject.folder.path().join("never").exists());
    }
}

#[test]
fn sessions_are_merged_by_their_files() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = |name: &str, text: &str| {
        let file = folder.path().join(name);
        std::fs::create_dir_all(file.parent().expect("a parent")).expect("writable");
        std::fs::write(file, text).expect("writable");
    };
    file("a/1-7.session", "one");
    file("a/2-7.session", "two");
    file("b/1-7.session", "another process of that number, on another machine");
    file("b/2-7.session", "two");
    let ended = end(program().current_dir(folder.path()).args(["merge", "a", "b", "--out", "c"]));
    assert_eq!(ended.status, 0, "{}", ended.err);
    let merged = files(&folder.path().join("c"));
    assert_eq!(merged.keys().map(String::as_str).collect::<Vec<_>>(), ["1-7-2.session", "1-7.session", "2-7.session"]);
    assert_eq!(merged["1-7.session"], "one");
}

fn git(folder: &Path, arguments: &[&str]) {
    let mut command = Command::new("git");
    command.arg("-C").arg(folder).args(["-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false"]);
    let output = command.args(arguments).output().expect("git starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// Changes a source file and compiles it.
fn edit(subject: &Subject, name: &str, text: &str) {
    let file = write_sources(&subject.folder.path().join("src"), &[(name, text)]);
    let classes = subject.classes();
    compile_files(&subject.jdk.home, &["-nowarn", "-cp", &classes.to_string_lossy()], &classes, &file);
}

#[test]
fn only_impacted_methods_get_tests() {
    let subject = subject();
    let folder = subject.folder.path();
    git(folder, &["init", "--quiet"]);
    git(folder, &["add", "src"]);
    git(folder, &["commit", "--quiet", "-m", "first"]);
    let ended = end(&mut all(&subject, "out"));
    assert_eq!(ended.status, 0, "{}", ended.err);
    let before = files(&subject.out());

    // The lines move, and one method changes.
    edit(
        &subject,
        "p/Meter.java",
        &METER.replace("\"low\"", "\"small\"").replace("    public static int level", "\n    public static int level"),
    );
    let ended = end(all(&subject, "out").args(["--since", "HEAD"]));
    assert_eq!(ended.status, 0, "{}", ended.err);
    assert!(ended.err.contains("the change reaches 2 of 3 classes"), "{}", ended.err);
    let found = report(&subject, "out-report");
    let methods =
        found.classes.iter().flat_map(|class| class.methods.iter().map(|method| format!("{}.{}", class.name, method.name)));
    assert_eq!(methods.collect::<Vec<_>>(), ["p.Meter.name", "p.Sign.text"]);
    let after = files(&subject.out());
    for (name, text) in &before {
        assert_eq!(after.get(name), Some(text), "{name} stays");
    }
    let new: Vec<&String> = after.keys().filter(|name| !before.contains_key(*name)).collect();
    assert_eq!(new, ["p/Meter_2TracewrightTest.java", "p/Sign_2TracewrightTest.java"]);
    let meter = &after["p/Meter_2TracewrightTest.java"];
    assert!(meter.contains("small") && !meter.contains("Meter.even(") && !meter.contains("Meter.level("), "{meter}");
    // Existing tests that the change breaks are named.
    let outdated: Vec<&String> = found.classes[0].outdated_tests.keys().collect();
    assert!(!outdated.is_empty() && outdated.iter().all(|test| test.starts_with("p.MeterTracewrightTest.name")), "{outdated:?}");
    let said = ended.out;
    assert!(said.contains(&format!("no longer right: {}", outdated[0])), "{said}");

    // The same change writes the same files again and no others.
    let ended = end(all(&subject, "out").args(["--since", "HEAD"]));
    assert_eq!(ended.status, 0, "{}", ended.err);
    assert_eq!(files(&subject.out()), after);

    // Where the change is right, the tests take the new values, but not in a file that was edited by hand.
    let whys: Vec<&String> = found.classes[0].outdated_tests.values().collect();
    assert!(whys.iter().all(|why| why.contains("low") && why.contains(" → ") && why.contains("small")), "{whys:?}");
    assert_eq!(found.classes[0].acceptable_tests.iter().collect::<Vec<_>>(), outdated);
    let hint = "if the new values are right, --accept puts them into these tests";
    assert!(said.contains(hint), "{said}");
    let earlier = "p/MeterTracewrightTest.java";
    let accept = || {
        let ended = end(all(&subject, "out").args(["--since", "HEAD", "--accept"]));
        assert_eq!(ended.status, 0, "{}", ended.err);
        let found = report(&subject, "out-report").classes.swap_remove(0);
        (found, ended.out, files(&subject.out()).remove(earlier).expect("the file"))
    };
    let edited = format!("{}// mine\n", before[earlier]);
    std::fs::write(subject.out().join(earlier), &edited).expect("writable");
    let (found, said, text) = accept();
    assert_eq!((found.outdated_tests.len(), found.accepted_tests.len(), text), (outdated.len(), 0, edited));
    assert!(found.acceptable_tests.is_empty() && !said.contains(hint), "{said}");
    std::fs::write(subject.out().join(earlier), &before[earlier]).expect("writable");
    let (found, said, text) = accept();
    assert_eq!((found.outdated_tests.len(), found.accepted_tests.len()), (0, outdated.len()), "{said}");
    assert!(
        text.contains("small") && !text.contains("low") && said.contains(&format!("accepted: {}", outdated[0])),
        "{said}{text}"
    );
    let (found, _, same) = accept();
    assert_eq!((found.outdated_tests.len(), found.accepted_tests.len(), same), (0, 0, text), "the tests pass now");

    // Without a change there is nothing to do, which is no failure.
    git(folder, &["commit", "--quiet", "-a", "-m", "second"]);
    let ended = end(all(&subject, "none").args(["--since", "HEAD"]));
    assert_eq!(ended.status, 0, "{}", ended.err);
    assert!(ended.err.contains("the change reaches 0 of 3 classes"), "{}", ended.err);
    assert!(report(&subject, "none-report").classes.is_empty() && files(&folder.join("none")).is_empty());

    for (revision, sentence) in [("no-such", "no-such is no revision that git knows here"), ("", "is no revision")] {
        let ended = end(all(&subject, "none").args(["--since", revision]));
        assert_eq!(ended.status, 1, "{}", ended.err);
        assert!(ended.err.contains(sentence), "{}", ended.err);
    }
}

/// Classes are compared with those that the session recorded.
#[test]
fn classes_changed_since_a_session_get_tests() {
    let main = "package p; public class Main { public static void main(String[] a) { System.out.println(Sign.text(3)); } }\n";
    let sources = [("p/Meter.java", METER), ("p/Sign.java", SIGN), ("p/Apart.java", APART), ("p/Main.java", main)];
    let subject = Subject::of(&sources);
    let folder = subject.folder.path();
    let java = subject.jdk.home.join("bin/java");
    let mut record = program();
    record.current_dir(folder).args(["record", "--session", "session", "--include", "p.*", "--"]);
    let ended = end(record.arg(java).args(["-cp", "classes", "p.Main"]));
    assert_eq!(ended.status, 0, "{}", ended.err);
    edit(&subject, "p/Meter.java", &METER.replace("\"low\"", "\"small\""));
    let ended = end(all(&subject, "out").args(["--since-session", "session", "--exclude", "p.Main"]));
    assert_eq!(ended.status, 0, "{}", ended.err);
    // `Apart` was never loaded in the session, so it counts as new.
    assert!(ended.err.contains("the change reaches 3 of 3 classes"), "{}", ended.err);
    let found = report(&subject, "out-report");
    let methods =
        found.classes.iter().flat_map(|class| class.methods.iter().map(|method| format!("{}.{}", class.name, method.name)));
    let methods: Vec<String> = methods.filter(|method| !method.ends_with("<init>")).collect();
    assert_eq!(methods, ["p.Apart.half", "p.Meter.name", "p.Sign.text"]);
}
