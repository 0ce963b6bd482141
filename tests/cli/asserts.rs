//! Failing `assert` statements: twenty small classes with an `assert` that some input breaks.

use crate::subject::{Subject, end};
use std::path::Path;

const CLASSES: [&str; 20] = [
    "Absolute", "Account", "Average", "Band", "Code", "Counter", "Day", "Door", "Half", "Initials", "Level", "Matrix", "Pair",
    "Percent", "Queue", "Rounding", "Shape", "Stack", "Triangle", "Words",
];

#[test]
fn every_failing_assert_is_a_likely_fault_with_its_input() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cli/asserts");
    let texts = CLASSES.map(|class| std::fs::read_to_string(folder.join(format!("{class}.java"))).expect("a fixture"));
    let names = CLASSES.map(|class| format!("asserts/{class}.java"));
    let sources: Vec<(&str, &str)> = names.iter().map(String::as_str).zip(texts.iter().map(String::as_str)).collect();
    let subject = Subject::of(&sources);
    let mut command = subject.generate("asserts.Absolute");
    for class in &CLASSES[1..] {
        command.args(["--class", &format!("asserts.{class}")]);
    }
    let ended = end(command.args(["--steps", "1500", "--strategy", "search"]));
    assert_eq!(ended.status, 0, "{}", ended.err);
    let report = std::fs::read_to_string(subject.folder.path().join("report/report.json")).expect("a report");
    let report: serde_json::Value = serde_json::from_str(&report).expect("JSON");
    let mut unreported = Vec::new();
    for (class, short) in report["classes"].as_array().expect("classes").iter().zip(CLASSES) {
        let faults = class["faults"].as_array().expect("a list");
        let is_of_assert = |fault: &&serde_json::Value| fault["description"] == "an assert of the class failed";
        let Some(fault) = faults.iter().find(is_of_assert) else {
            unreported.push(short);
            continue;
        };
        let (test, input) = (fault["test"].as_str().expect("a name"), fault["input"].as_str().expect("statements"));
        assert!(ended.out.contains(&format!("an assert of the class failed ({test})")), "{}", ended.out);
        assert!(input.contains("AssertionError") && !input.contains("assumingThat"), "{input}");
        let source = subject.source(&format!("asserts.{short}"));
        let begin = format!("assumingThat({short}.class.desiredAssertionStatus(), () -> {{\n");
        assert!(source.contains(&begin), "{source}");
        assert!(source.contains("import static org.junit.jupiter.api.Assumptions.assumingThat;"), "{source}");
        assert_eq!(class["discarded"]["flaky"], 0, "{short}: {}", class["discarded"]);
    }
    assert!(unreported.is_empty(), "no likely fault: {unreported:?}");
}
