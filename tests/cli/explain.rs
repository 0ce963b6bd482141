//! `tracewright explain`: the paths of a class, as text and as JSON.

use crate::subject::{Subject, end, program};
use std::collections::BTreeMap;
use std::process::Command;
use tracewright::report::{DecisionState, ExplainReport};
use tracewright_test_support::write_sources;

const LOCK: &str = "package p;

public class Lock {
    public static int open(int code, int limit) {
        if (code > limit) {
            if (code < limit) {
                return -1;
            }
            return 1;
        }
        return code * 3 == limit + 5 ? 2 : 0;
    }

    public static int size(String[] keys) {
        return keys.length > 2 ? 1 : 0;
    }
}
";

fn explain(subject: &Subject, arguments: &[&str]) -> Command {
    let mut command = program();
    command.current_dir(subject.folder.path()).arg("explain").args(arguments);
    command
}

fn explored(subject: &Subject, arguments: &[&str]) -> ExplainReport {
    let mut command = explain(subject, arguments);
    let ended = end(command.args(["--json", "--classpath"]).arg(subject.classes()));
    assert_eq!(ended.status, 0, "{}", ended.err);
    serde_json::from_str(&ended.out).expect("a report")
}

#[test]
fn a_class_is_explored_and_explained() {
    let sources = tempfile::tempdir().expect("a folder");
    let subject = Subject::with_class_path(&write_sources(sources.path(), &[("p/Lock.java", LOCK)]), &[]);
    let report = explored(&subject, &["p.Lock", "open", "--steps", "100"]);
    assert!(!report.trees.is_empty() && report.trees.iter().all(|tree| tree.name == "open"), "{report:?}");
    assert_eq!(report.trees[0].method, "int open(int, int)");
    let decisions = || report.trees.iter().flat_map(|tree| &tree.decisions);
    let on_line = |line: u16| decisions().filter(move |decision| decision.line == Some(line)).collect::<Vec<_>>();
    assert!(on_line(5).iter().any(|decision| decision.state == DecisionState::Taken), "{report:?}");
    let impossible =
        on_line(6).into_iter().find(|decision| decision.state == DecisionState::Infeasible).expect("a contradiction");
    assert!(impossible.why.as_ref().is_some_and(|why| why == "never together: limit < code, code < limit"), "{impossible:?}");
    // The same seed and steps give the same text.
    let text = |_| end(explain(&subject, &["p.Lock", "open", "--steps", "100"]).arg("--classpath").arg(subject.classes())).out;
    let texts: Vec<String> = (0..2).map(text).collect();
    assert_eq!(texts[0], texts[1]);
    assert!(texts[0].starts_with("p.Lock: "), "{}", texts[0]);
    let sentence = "    line 6, code < limit: no input takes it: on every known path, the conditions before it contradict it\n";
    assert!(texts[0].contains(sentence), "{}", texts[0]);
    assert!(texts[0].contains("\n\nint open(int, int)\n  test: Lock.open(code, limit)\n"), "{}", texts[0]);
    assert!(texts[0].contains("line 6, if ") && texts[0].contains("-> infeasible: never together: "), "{}", texts[0]);
    // After a few steps there are pending alternatives, and the order gives its reason.
    let few = end(explain(&subject, &["p.Lock", "--steps", "20", "--json"]).arg("--classpath").arg(subject.classes())).out;
    assert!(few.contains("\"why\": \"not drawn yet: "), "{few}");
}

const STEPS: &str = "package p;

public class Steps {
    private static int calls;

    public static int sign(int number) {
        return number > 0 ? 1 : number < 0 ? -1 : 0;
    }

    public static int share(int whole, int parts) {
        return whole / parts;
    }

    public static boolean isShort(String text) {
        return text.length() < 3;
    }

    public static int counted(int number) {
        return number > calls++ ? 1 : 0;
    }

    public static boolean isNamed(boolean wanted) {
        return wanted && System.getProperty(\"os.name\").isEmpty();
    }

    public static long sum(long most) {
        long sum = 0;
        for (long number = 0; number < most; number++) {
            sum += number;
        }
        return sum;
    }
}
";

#[test]
fn methods_are_exhausted_where_each_path_is_known_and_arguments_decide_alone() {
    let sources = tempfile::tempdir().expect("a folder");
    let subject = Subject::with_class_path(&write_sources(sources.path(), &[("p/Steps.java", STEPS)]), &[]);
    let report = explored(&subject, &["p.Steps", "--steps", "400"]);
    let known: BTreeMap<&str, (u64, Option<usize>)> = report
        .trees
        .iter()
        .filter_map(|tree| Some((tree.name.as_str(), tree.exhausted.as_ref()?)))
        .map(|(name, known)| (name, (known.paths, known.longest_text)))
        .collect();
    // A division by zero is a path.
    let expected = [("isShort", (2, Some(16))), ("share", (2, None)), ("sign", (3, None))];
    assert_eq!(known, BTreeMap::from(expected), "{report:?}");
    let text = end(explain(&subject, &["p.Steps", "--steps", "400"]).arg("--classpath").arg(subject.classes())).out;
    assert!(text.contains("  exhausted: all inputs take one of 3 paths\n"), "{text}");
    assert!(text.contains("  exhausted: all texts of at most 16 characters take one of 2 paths\n"), "{text}");
    assert_eq!(text.matches("exhausted: ").count(), 3, "{text}");
    // The report of a generation has the same.
    assert_eq!(end(subject.generate("p.Steps").args(["--strategy", "dse", "--steps", "400", "--seed", "1"])).status, 0);
    let report = std::fs::read_to_string(subject.folder.path().join("report/report.json")).expect("a report");
    let report: serde_json::Value = serde_json::from_str(&report).expect("JSON");
    let methods = report["classes"][0]["methods"].as_array().expect("methods");
    let sign = methods.iter().find(|method| method["name"] == "sign").expect("a method");
    assert_eq!(sign["exhausted"], serde_json::json!({"paths": 3}), "{report}");
}

#[test]
fn a_session_is_explained_without_a_jvm() {
    let subject = Subject::of(&[("p/Lock.java", LOCK)]);
    let session = subject.folder.path().join("kept");
    std::fs::create_dir(&session).expect("a folder");
    let at = session.to_str().expect("a path");
    assert_eq!(end(subject.generate("p.Lock").args(["--strategy", "dse", "--steps", "60", "--session", at])).status, 0);
    let ended = end(&mut explain(&subject, &["p.Lock", "open", "--session", at]));
    assert_eq!(ended.status, 0, "{}", ended.err);
    assert!(
        ended.out.contains("int open(int, int)") && ended.out.contains(", if ") && !ended.out.contains("line 5"),
        "{}",
        ended.out
    );
    let ended = end(explain(&subject, &["p.Lock", "--session", at, "--classpath"]).arg(subject.classes()));
    assert!(ended.out.contains("line 5, if ") && ended.out.contains("-> infeasible: never together: "), "{}", ended.out);
    for (arguments, sentence) in [
        (vec!["p.Lokc"], "keeps no trees of p.Lokc; did you mean p.Lock?"),
        (vec!["p.Lock", "opne"], "nothing is known of a method opne of p.Lock; did you mean open?"),
    ] {
        let ended = end(explain(&subject, &arguments).args(["--session", at]));
        assert_eq!(ended.status, 2);
        assert!(ended.err.trim_end().ends_with(sentence) && ended.err.lines().count() == 1, "{}", ended.err);
    }
}

#[test]
fn explain_rejects_wrong_arguments_with_one_sentence() {
    let subject = Subject::of(&[("p/Lock.java", LOCK)]);
    let classes = subject.classes();
    let classes = classes.to_str().expect("a path");
    for (arguments, status, sentence) in [
        (vec!["p.Lokc", "-c", classes], 2, "did you mean p.Lock?"),
        (vec!["p.Lock", "opne", "-c", classes], 2, "did you mean open?"),
        (vec!["p.Lock", "open(J)I", "-c", classes], 2, "nothing is known of a method open(J)I"),
        (vec!["p.Lock"], 1, "no class path"),
        (vec!["p.Lock", "-c", classes, "--steps", "0"], 1, "--steps 0"),
    ] {
        let ended = end(&mut explain(&subject, &arguments));
        assert_eq!(ended.status, status, "{arguments:?}: {}", ended.err);
        assert!(ended.err.contains(sentence) && ended.err.lines().count() == 1, "{}", ended.err);
    }
}
