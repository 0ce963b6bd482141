//! What differs between two versions of the code.

use crate::subject::{Ended, Subject, end, program};
use std::path::Path;
use std::process::Command;
use tracewright_test_support::{compile_files, write_sources};

const OLD: &str = "package p;
public class Fee {
    private int sum;
    public static int of(int amount) { return amount > 100 ? amount / 10 : 5; }
    public static String name(String code) { return code.isEmpty() ? \"none\" : code; }
    public void add(int amount) { if (amount > 0) sum += amount; }
    public int sum() { return sum; }
    public static int total(int[] amounts) { int all = 0; for (int i = 0; i < amounts.length; i++) { all += amounts[i]; } return all; }
    private static int calls;
    public static int counted(int amount) { calls++; return amount > 3 ? amount : 3; }
}
";

/// The program compares the classes of the subject with older ones.
fn diff(subject: &Subject, old: &str, more: &[&str]) -> Ended {
    let mut command = program();
    command.current_dir(subject.folder.path()).args(["diff", "--old", old, "--progress", "plain"]);
    if !more.contains(&"--budget") {
        command.args(["--steps", "1000"]);
    }
    command.args(["--classpath", "classes", "--classes-from", "classes", "--report", "report"]).args(more);
    if !more.contains(&"--out") {
        command.args(["--out", "out"]);
    }
    end(&mut command)
}

/// Classes compiled from the new source, and those of the old one in the folder `old`.
fn subject(new: &str) -> Subject {
    let subject = Subject::of(&[("p/Fee.java", new)]);
    let folder = subject.folder.path();
    let files = write_sources(&folder.join("old-src"), &[("p/Fee.java", OLD)]);
    compile_files(&subject.jdk.home, &["-nowarn"], &folder.join("old"), &files);
    subject
}

fn methods(subject: &Subject) -> Vec<String> {
    let report = subject.report();
    let mut methods: Vec<String> = (report.classes.iter().filter_map(|class| class.differences.as_ref()).flatten())
        .map(|difference| difference.method.clone())
        .collect();
    methods.sort();
    methods.dedup();
    methods
}

#[test]
fn each_change_of_behaviour_has_a_test_that_fails_in_the_old_version() {
    let new = OLD.replace("> 100", "> 120").replace("\"none\"", "null").replace("if (amount > 0)", "if (amount >= 3)");
    let subject = subject(&new);
    let ended = diff(&subject, "old", &["--budget", "12s"]);
    assert_eq!(ended.status, 0, "{}", ended.err);
    assert_eq!(methods(&subject), ["add", "name", "of"], "{}", ended.out);
    let told = "    of     Fee.name(\"\")\n    before \"none\"\n    after  null\n";
    assert!(ended.out.contains(told) && !ended.out.contains("proved"), "{}", ended.out);
    let page = std::fs::read_to_string(subject.folder.path().join("report/classes/p.Fee.html")).expect("a page");
    assert!(page.contains("What differs from the earlier version") && page.contains("<code>Fee.name("), "{page}");
    let comment = std::fs::read_to_string(subject.folder.path().join("report/differences.md")).expect("a comment");
    assert!(comment.contains("| `name` | `Fee.name(\"\")` | `\"none\"` | `null` |"), "{comment}");
    // The written tests pass now, as the program has verified. Those that differ fail on the old classes.
    let report = subject.report();
    let differing = report.classes[0].differences.clone().expect("compared");
    let source = subject.source("p.Fee");
    assert!(differing.iter().all(|difference| source.contains(&format!("void {}(", difference.test))), "{source}");
    assert_eq!(diff(&subject, "old", &["--fail-on-change"]).status, 4);
}

#[test]
fn a_refactoring_is_no_change() {
    let new = OLD
        .replace(
            "for (int i = 0; i < amounts.length; i++) { all += amounts[i]; }",
            "for (int amount : amounts) { all = amount + all; }",
        )
        .replace("amount > 100 ? amount / 10 : 5", "isLarge(amount) ? amount / 10 : 5")
        .replace("amount > 3 ? amount : 3", "amount < 4 ? 3 : amount")
        .replace(
            "    public int sum()",
            "    private static boolean isLarge(int amount) { return 100 < amount; }\n    public int sum()",
        );
    let subject = subject(&new);
    let ended = diff(&subject, "old", &["--fail-on-change"]);
    assert_eq!((ended.status, methods(&subject)), (0, Vec::new()), "{}{}", ended.out, ended.err);
    assert!(ended.out.contains("p.Fee: no difference found in"), "{}", ended.out);
    let proved = "  of: proved to be the same on 2 paths\n";
    assert!(ended.out.contains(proved), "{}", ended.out);
    // It also counts its calls.
    assert!(!ended.out.contains("counted: proved"), "{}", ended.out);
}

/// Nothing in the new code names the value for which it differs.
#[test]
fn a_check_that_is_gone_is_found_by_the_solver() {
    let checked = "public static int of(int amount) { if (amount * 48271 == 998877665) { return -1; } return amount; }";
    let free = "public static int of(int amount) { return amount; }";
    let class = |method: &str| format!("package p;\npublic class Fee {{\n    {method}\n}}\n");
    let subject = Subject::of(&[("p/Fee.java", &class(free))]);
    let folder = subject.folder.path();
    let files = write_sources(&folder.join("old-src"), &[("p/Fee.java", &class(checked))]);
    compile_files(&subject.jdk.home, &["-nowarn"], &folder.join("old"), &files);
    let ended = diff(&subject, "old", &[]);
    assert_eq!((ended.status, methods(&subject)), (0, vec!["of".to_owned()]), "{}{}", ended.out, ended.err);
    assert!(ended.out.contains("before -1"), "{}", ended.out);
    let again = diff(&subject, "old", &["--out", "again"]);
    let test = |out: &str| std::fs::read_to_string(folder.join(out).join("p/FeeTracewrightTest.java")).expect("a test");
    assert_eq!((again.status, test("again")), (0, test("out")), "{}", again.err);
}

/// Forty methods, each written in two ways: `tests/cli/refactorings`.
#[test]
fn forty_refactorings_are_no_change() {
    let files = |version: &str| {
        let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cli/refactorings").join(version);
        let mut files: Vec<_> = std::fs::read_dir(sources).expect("sources").map(|file| file.expect("a file").path()).collect();
        files.sort();
        files
    };
    let subject = Subject::with_class_path(&files("new"), &[]);
    let old = subject.folder.path().join("old");
    compile_files(&subject.jdk.home, &["-nowarn", "-parameters"], &old, &files("old"));
    let ended = diff(&subject, "old", &["--fail-on-change", "--budget", "5s"]);
    assert_eq!((ended.status, methods(&subject)), (0, Vec::new()), "{}{}", ended.out, ended.err);
    assert_eq!(ended.out.matches("no difference found in").count(), 8, "{}", ended.out);
}

fn run_git(folder: &Path, arguments: &[&str]) {
    let mut command = Command::new("git");
    command.arg("-C").arg(folder).args(["-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false"]);
    assert!(command.args(arguments).output().expect("git starts").status.success());
}

/// Writes sources and makes a first commit of all that are there.
fn commit_first(folder: &Path, files: &[(&str, &str)]) {
    write_sources(&folder.join("src"), files);
    run_git(folder, &["init", "--quiet"]);
    run_git(folder, &["add", "src"]);
    run_git(folder, &["commit", "--quiet", "-m", "first"]);
}

#[test]
fn classes_without_an_earlier_version_are_not_compared() {
    let old = "package p;\npublic class Fee { public static int of(int amount) { return lib.Gone.of(amount); } }\n";
    let new = "package p;\npublic class Fee { public static int of(int amount) { return amount > 9 ? 9 : amount; } }\n";
    let caller = "package p;\npublic class Caller { public static int twice(int amount) { return 2 * Fee.of(amount); } }\n";
    let added = "package p;\npublic class Added { public static int next(int amount) { return amount + 1; } }\n";
    let subject = Subject::of(&[("p/Fee.java", new), ("p/Caller.java", caller), ("p/Added.java", added)]);
    let folder = subject.folder.path();
    std::fs::remove_file(folder.join("src/p/Added.java")).expect("a source");
    commit_first(folder, &[("p/Fee.java", old)]);
    write_sources(&folder.join("src"), &[("p/Fee.java", new), ("p/Added.java", added)]);
    run_git(folder, &["add", "src"]);
    let ended = diff(&subject, "HEAD", &["--fail-on-change"]);
    let broken = "the sources of HEAD do not compile by themselves (src/p/Fee.java, line 2: package lib does not exist)";
    for (class, why) in [("Fee", broken), ("Caller", broken), ("Added", "there is no earlier version of it")] {
        assert!(ended.out.contains(&format!("p.{class}: not compared: {why}")), "{}{}", ended.out, ended.err);
    }
    assert!(!ended.out.contains("no difference"), "{}", ended.out);
    let comment = std::fs::read_to_string(folder.join("report/differences.md")).expect("a comment");
    assert!(comment.starts_with("No class could be compared.\n\nNot compared:\n"), "{comment}");
    assert_eq!(ended.status, 0);
}

/// The annotation processor makes a class from a number in the source.
const PROCESSOR: &str = r#"package tool;
import javax.annotation.processing.*;
import javax.lang.model.SourceVersion;
import javax.lang.model.element.*;
import java.util.Set;
@SupportedAnnotationTypes("tool.Rated")
public class RateProcessor extends AbstractProcessor {
    @Override public SourceVersion getSupportedSourceVersion() { return SourceVersion.latest(); }
    @Override public boolean process(Set<? extends TypeElement> types, RoundEnvironment round) {
        for (Element rated : round.getElementsAnnotatedWith(Rated.class)) {
            int rate = rated.getAnnotation(Rated.class).value();
            try (java.io.Writer writer = processingEnv.getFiler().createSourceFile("p.Rates", rated).openWriter()) {
                writer.write("package p; class Rates { static int rate() { return " + rate + "; } }");
            } catch (java.io.IOException error) {
                throw new IllegalStateException(error);
            }
        }
        return true;
    }
}
"#;

#[test]
fn the_sources_of_a_revision_are_compiled_with_annotation_processors() {
    let fee = |rate: u32| {
        format!(
            "package p;\n@tool.Rated({rate})\npublic class Fee {{ public static int of(int n) {{ return n * Rates.rate(); }} }}\n"
        )
    };
    let annotation = "package tool;\npublic @interface Rated { int value(); }\n";
    let subject = Subject::of(&[("tool/Rated.java", annotation), ("tool/RateProcessor.java", PROCESSOR)]);
    let (folder, classes) = (subject.folder.path(), subject.classes());
    write_sources(&classes, &[("META-INF/services/javax.annotation.processing.Processor", "tool.RateProcessor\n")]);
    commit_first(folder, &[("p/Fee.java", &fee(5))]);
    let files = write_sources(&folder.join("src"), &[("p/Fee.java", &fee(6))]);
    let class_path = classes.to_str().expect("UTF-8");
    compile_files(&subject.jdk.home, &["-nowarn", "-cp", class_path, "-processorpath", class_path], &classes, &files);
    let ended = diff(&subject, "HEAD", &[]);
    assert_eq!((ended.status, methods(&subject)), (0, vec!["of".to_owned(), "rate".to_owned()]), "{}{}", ended.out, ended.err);
    assert!(!ended.out.contains("not compared"), "{}", ended.out);
}

#[test]
fn the_old_version_can_be_a_revision() {
    let subject = Subject::of(&[("p/Fee.java", OLD)]);
    let folder = subject.folder.path();
    let git = |arguments: &[&str]| run_git(folder, arguments);
    commit_first(folder, &[]);
    let ended = diff(&subject, "HEAD", &[]);
    assert!(ended.status == 0 && ended.out.contains("no class changed"), "{}{}", ended.out, ended.err);
    let files = write_sources(&folder.join("src"), &[("p/Fee.java", &OLD.replace(": 5;", ": 6;"))]);
    compile_files(&subject.jdk.home, &["-nowarn"], Path::new(&subject.classes()), &files);
    let ended = diff(&subject, "HEAD", &[]);
    assert_eq!((ended.status, methods(&subject)), (0, vec!["of".to_owned()]), "{}{}", ended.out, ended.err);
    // A source need not lie in the folder of its package.
    git(&["mv", "src/p/Fee.java", "src/Fee.java"]);
    git(&["commit", "--quiet", "--all", "-m", "second"]);
    write_sources(&folder.join("src"), &[("Fee.java", &OLD.replace(": 5;", ": 7;"))]);
    compile_files(&subject.jdk.home, &["-nowarn"], Path::new(&subject.classes()), &[folder.join("src/Fee.java")]);
    let ended = diff(&subject, "HEAD", &[]);
    assert_eq!((ended.status, methods(&subject)), (0, vec!["of".to_owned()]), "{}{}", ended.out, ended.err);
    for (old, more, status, sentence) in [
        ("no-such", &[][..], 1, "no-such is no revision that git knows here"),
        ("gone.jar", &[], 2, "gone.jar of --old does not exist"),
        ("HEAD", &["--since", "HEAD"], 1, "--old and --since exclude each other"),
    ] {
        let ended = diff(&subject, old, more);
        assert!(ended.status == status && ended.err.contains(sentence), "{} {}", ended.status, ended.err);
    }
}
