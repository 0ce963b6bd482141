//! Each mistake has a message of one sentence that names the cause and the remedy, and the
//! documented exit status.

use crate::subject::{Subject, end, program};
use std::path::Path;

const CALM: &str = "package p; public class Calm { public static int twice(int x) { return 2 * x; } }";

fn subject() -> Subject {
    Subject::of(&[("p/Calm.java", CALM), ("p/Marker.java", "package p; public @interface Marker { }")])
}

#[track_caller]
fn refused(command: &mut std::process::Command, status: i32, parts: &[&str]) {
    let ended = end(command);
    assert_eq!(ended.status, status, "{}\n{}", ended.out, ended.err);
    let sentences: Vec<&str> = ended.err.lines().filter(|line| line.starts_with("tracewright: ")).collect();
    assert_eq!(sentences.len(), 1, "one sentence: {}", ended.err);
    for part in parts {
        assert!(sentences[0].contains(part), "{part} in: {}", sentences[0]);
    }
}

#[test]
fn an_unknown_class_is_named_with_near_names() {
    refused(&mut subject().generate("p.Clam"), 2, &["p.Clam", "p.Calm"]);
}

#[test]
fn a_class_path_entry_that_does_not_exist_is_named() {
    let subject = subject();
    refused(
        program().args(["generate", "--class", "p.Calm", "--classpath", "nowhere.jar"]).current_dir(subject.folder.path()),
        2,
        &["class p.Calm is not on the class path", "no such class path entry: nowhere.jar"],
    );
}

#[test]
fn a_method_that_does_not_exist_is_wrong_use() {
    let subject = subject();
    for (method, sentence) in [
        ("twcie", "p.Calm declares no method twcie; did you mean twice?"),
        ("twice(J)I", "p.Calm declares no method twice(J)I; did you mean twice(I)I?"),
        ("unlike", "p.Calm declares no method unlike; check --method"),
    ] {
        refused(subject.generate("p.Calm").args(["--method", method]), 1, &[sentence]);
    }
}

#[test]
fn a_missing_superclass_is_named_before_the_search() {
    let subject = Subject::of(&[
        ("dep/Base.java", "package dep; public class Base { }"),
        ("p/Middle.java", "package p; public class Middle extends dep.Base { }"),
        ("p/Heir.java", "package p; public class Heir extends Middle { public int f(int x) { return x; } }"),
    ]);
    std::fs::remove_file(subject.classes().join("dep/Base.class")).expect("it was compiled");
    refused(&mut subject.generate("p.Heir"), 2, &["p.Heir cannot be loaded", "superclass dep.Base, which p.Middle needs"]);
}

#[test]
fn a_jar_that_is_no_jar_is_named() {
    let subject = subject();
    std::fs::write(subject.folder.path().join("fake.jar"), "no zip").expect("writable");
    refused(
        program().args(["generate", "--class", "p.Calm", "--classpath", "fake.jar"]).current_dir(subject.folder.path()),
        2,
        &["fake.jar"],
    );
}

#[test]
fn a_class_newer_than_the_jdk_is_named() {
    let subject = subject();
    let file = subject.classes().join("p/Calm.class");
    let mut bytes = std::fs::read(&file).expect("readable");
    bytes[7] = 99; // major version, JVMS §4.1
    std::fs::write(&file, bytes).expect("writable");
    refused(&mut subject.generate("p.Calm"), 2, &["p.Calm"]);
}

#[test]
fn an_annotation_cannot_be_a_target() {
    refused(&mut subject().generate("p.Marker"), 2, &["p.Marker", "annotation"]);
}

#[test]
fn a_folder_that_is_no_jdk_is_named() {
    refused(subject().generate("p.Calm").args(["--jdk", "nowhere"]), 2, &["nowhere"]);
}

#[test]
fn wrong_use_is_status_1() {
    let subject = subject();
    refused(program().args(["generate", "--class", "p.Calm"]), 1, &["--classpath"]);
    refused(subject.generate("p.Calm").args(["--budget", "2s", "--steps", "3"]), 1, &["--budget", "--steps"]);
    refused(subject.generate("p.Calm").arg("--accept"), 1, &["--accept", "--since"]);
    for arguments in [&["generate", "--nonsense"][..], &["generate", "--budget", "soon"], &["nonsense"], &[]] {
        let ended = end(program().args(arguments));
        assert_eq!(ended.status, 1, "{arguments:?}: {}", ended.err);
    }
    assert_eq!(end(program().arg("--help")).status, 0);
    assert_eq!(end(program().arg("--version")).status, 0);
}

#[test]
fn a_misspelt_setting_in_the_file_is_named() {
    let subject = subject();
    std::fs::write(subject.folder.path().join("tracewright.toml"), "sead = 3\n").expect("writable");
    refused(&mut subject.generate("p.Calm"), 1, &["tracewright.toml", "sead"]);
}

#[test]
fn an_output_that_cannot_be_written_is_named() {
    let subject = subject();
    let file = subject.folder.path().join("file");
    std::fs::write(&file, "in the way").expect("writable");
    refused(
        program()
            .args(["generate", "--class", "p.Calm", "--classpath"])
            .arg(subject.classes())
            .arg("--out")
            .arg(file.join("below")),
        1,
        &["file/below"],
    );
    assert_eq!(std::fs::read_to_string(Path::new(&file)).expect("still there"), "in the way");
}

#[test]
fn classes_that_no_pattern_lets_through_are_no_classes() {
    let subject = subject();
    let classes = subject.classes();
    let arguments = subject.folder.path().join("arguments.txt");
    let text = format!("generate\n--classpath\n{0}\n--classes-from\n{0}\n--classes\nq.*,r.*\n", classes.display());
    std::fs::write(&arguments, text).expect("writable");
    let mut command = program();
    command.current_dir(subject.folder.path()).arg(format!("@{}", arguments.display()));
    refused(&mut command, 1, &["no class that --classes and --exclude let through in", "classes"]);
    refused(program().arg("@/no/such/file"), 1, &["cannot read the arguments in /no/such/file"]);
    refused(program().args(["report", "/no/such/folder"]), 2, &["cannot read /no/such/folder/report.json"]);
}
