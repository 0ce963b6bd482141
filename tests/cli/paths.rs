//! `generate --path`: a test, a contradiction or a distance for each path that somebody asks for.

use crate::subject::{Subject, end, program};
use serde_json::Value;
use std::collections::BTreeMap;
use tracewright::report::{PathOutcome, PathReport, Report};

/// Passes of one way of a loop, at most.
const MOST_ROUNDS: usize = 2;

/// The steps of all ways through the control flow of the method, from its entry to an end.
fn ways_through(report: &str, method: &str) -> Vec<String> {
    let report: Value = serde_json::from_str(report).expect("JSON");
    let methods = report["classes"][0]["coverage"]["methods"].as_array().expect("methods");
    let method = methods.iter().find(|known| known["method"] == method).expect("the method");
    let number = |value: &Value| value.as_u64().expect("a number");
    let edges = method["flow"]["edges"].as_array().expect("edges");
    let edges: Vec<(u64, u64)> = edges.iter().map(|edge| (number(&edge["from"]), number(&edge["to"]))).collect();
    let (mut found, mut pending) = (Vec::new(), vec![(vec![0], BTreeMap::<(u64, u64), usize>::new())]);
    while let Some((path, taken)) = pending.pop() {
        let last = path[path.len() - 1];
        let mut next: Vec<(u64, u64)> = edges.iter().copied().filter(|(from, _)| *from == last).collect();
        next.dedup();
        if next.is_empty() {
            found.push(path.iter().map(|block| format!("B{block}")).collect::<Vec<String>>().join(" "));
        }
        for edge in next.into_iter().filter(|edge| taken.get(edge).copied().unwrap_or(0) < MOST_ROUNDS) {
            let (mut path, mut taken) = (path.clone(), taken.clone());
            path.push(edge.1);
            *taken.entry(edge).or_default() += 1;
            pending.push((path, taken));
        }
    }
    found.sort();
    found
}

/// Asks for paths, and gives the answers.
fn ask(subject: &Subject, paths: &str, arguments: &[&str]) -> Vec<PathReport> {
    let file = subject.folder.path().join("paths.txt");
    std::fs::write(&file, paths).expect("written");
    let mut command = program();
    command.current_dir(subject.folder.path()).args(["generate", "--progress", "none", "--path", "paths.txt", "--out"]);
    command.arg(subject.out()).arg("--report").arg("report").arg("--classpath").arg(subject.classes());
    let ended = end(command.args(arguments));
    assert_eq!(ended.status, 0, "{}{}", ended.out, ended.err);
    let report = Report::read(&subject.folder.path().join("report")).expect("a report");
    let answers = report.classes[0].paths.clone();
    for answer in &answers {
        assert!(ended.out.contains(&format!("  path {}\n", answer.path)), "{}", ended.out);
    }
    answers
}

#[test]
fn each_path_of_the_triangle_is_taken_or_contradicts_itself() {
    let subject = Subject::of_samples(&["Triangle.java"]);
    assert_eq!(end(subject.generate("samples.Triangle").args(["--steps", "300"])).status, 0);
    let report = std::fs::read_to_string(subject.folder.path().join("report/report.json")).expect("a report");
    let suite = subject.source("samples.Triangle");
    let ways = ways_through(&report, "int classify(int, int, int)");
    assert!(ways.len() > 100, "{}", ways.len());
    let lines: Vec<String> = ways.iter().map(|steps| format!("samples.Triangle int classify(int, int, int): {steps}")).collect();
    let answers = ask(&subject, &lines.join("\n"), &["--budget", "20s"]);
    assert_eq!(answers.len(), lines.len());
    let count = |outcome| answers.iter().filter(|answer| answer.answer == outcome).count();
    assert_eq!(count(PathOutcome::NotFound), 0, "{answers:#?}");
    assert!(count(PathOutcome::Taken) > 10 && count(PathOutcome::Impossible) > 90, "{answers:#?}");
    let reasons = || answers.iter().filter_map(|answer| answer.why.as_deref());
    assert!(reasons().any(|why| why.contains("never together: ")), "{answers:#?}");
    assert!(reasons().any(|why| why.contains("always holds")), "{answers:#?}");
    // The suite of the class stays, and each path that is taken has a test.
    assert_eq!(subject.source("samples.Triangle"), suite);
    let tests = subject.source("samples.Triangle_2");
    let named = answers.iter().filter_map(|answer| answer.test.as_deref());
    named.for_each(|name| assert!(tests.contains(&format!("void {name}()")), "{name} is not in\n{tests}"));
}

#[test]
fn loops_are_passed_as_often_as_the_path_says() {
    let subject = Subject::of_samples(&["FindMaximum.java"]);
    let paths = "\
# The throw, one value, and the second of three values as the greatest one.
samples.FindMaximum findMaximum: 11
samples.FindMaximum findMaximum: 13 19
samples.FindMaximum findMaximum: 15 16 14 15 14 19
samples.FindMaximum findMaximum: 11 14
";
    let source = std::fs::read_to_string(crate::subject::samples().join("FindMaximum.java")).expect("a sample");
    let numbered = |text: &str| source.lines().position(|line| line.contains(text)).expect("a line") + 1;
    let [throws, first, head, compares, takes, gives] =
        ["throw new", "values[0]", "int i = 1", "> maximum", "maximum = values[i]", "return maximum"].map(numbered);
    let paths = paths.replace(": 11 14", &format!(": {throws} {gives}")).replace(": 11", &format!(": {throws}"));
    let paths = paths.replace(": 13 19", &format!(": {first} {gives}"));
    let paths = paths.replace(": 15 16 14 15 14 19", &format!(": {compares} {takes} {head} {compares} {head} {gives}"));
    let (asked, last) = paths.trim_end().rsplit_once('\n').expect("several lines");
    let answers = ask(&subject, asked, &["--steps", "1500"]);
    assert!(answers.len() == 3 && answers.iter().all(|answer| answer.answer == PathOutcome::Taken), "{answers:#?}");
    // No way leads from the throw to the end: the line of the file is wrong.
    std::fs::write(subject.folder.path().join("paths.txt"), last).expect("written");
    let mut command = program();
    command.current_dir(subject.folder.path()).args(["generate", "--path", "paths.txt", "--classpath"]);
    let ended = end(command.arg(subject.classes()));
    assert_eq!(ended.status, 1, "{}", ended.err);
    assert!(ended.err.contains("paths.txt: line 1: no way through the method passes these in this order"), "{}", ended.err);
}

#[test]
fn what_a_file_of_paths_cannot_say_is_one_sentence() {
    let subject = Subject::of_samples(&["Triangle.java"]);
    for (text, why) in [
        ("", "no path in it"),
        ("samples.Triangle classify B0", "line 1: write `CLASS METHOD: STEPS`"),
        ("samples.Triangle classify: B0 B99", "line 1: there is no block B99"),
        (
            "samples.Triangle clasify: B0",
            "line 1: samples.Triangle has no method clasify; it has new Triangle(), int classify(int, int, int)",
        ),
    ] {
        std::fs::write(subject.folder.path().join("paths.txt"), text).expect("written");
        let mut command = program();
        command.current_dir(subject.folder.path()).args(["generate", "--path", "paths.txt", "--classpath"]);
        let ended = end(command.arg(subject.classes()));
        assert!(ended.status == 1 && ended.err.contains(why), "{}: {}", ended.status, ended.err);
    }
}
