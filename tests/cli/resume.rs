//! Constraint trees and training in a session: a generation resumes from those of the one before.

use crate::subject::{Ended, Subject, end, program};
use std::collections::BTreeSet;
use std::path::Path;

/// More alternatives than the steps allow; some of them are infeasible.
const GATE: &str = "package p; public class Gate { public static int pass(int a, int b, int c, String word) { int n = 0; \
     if (a > 10) n += 1; if (b * 3 == a + 7) n += 2; if (c < b) n += 4; if (a < 5 && a > 20) n += 8; if (c * c == 49) n += 16; \
     if (word != null && word.length() == 3) { n += 32; if (word.charAt(1) == 'x' && c > 40) n += 64; } \
     if (n == 7) return -1; return n; } }";

fn generate(subject: &Subject, round: &str, more: &[&str]) -> Ended {
    generate_for(subject, "p.Gate", round, more)
}

fn generate_for(subject: &Subject, class: &str, round: &str, more: &[&str]) -> Ended {
    let folder = subject.folder.path();
    let mut command = program();
    command.args(["generate", "--class", class, "--strategy", "dse", "--steps", "120", "--progress", "plain", "--classpath"]);
    command.arg(subject.classes()).arg("--out").arg(subject.out()).arg("--report").arg(folder.join("report"));
    command.arg("--attempts").arg(folder.join(round)).args(more);
    let ended = end(&mut command);
    assert_eq!(ended.status, 0, "{}", ended.err);
    ended
}

/// The alternatives attempted in one round, each of them once.
fn asked(subject: &Subject, round: &str) -> BTreeSet<String> {
    let text = std::fs::read_to_string(subject.folder.path().join(round)).expect("a log");
    let all: Vec<String> = text.lines().filter_map(|line| Some(line.rsplit_once('#')?.1.to_owned())).collect();
    let distinct: BTreeSet<String> = all.iter().cloned().collect();
    assert_eq!(all.len(), distinct.len(), "{text}");
    distinct
}

fn trees(folder: &Path) -> Option<String> {
    std::fs::read_to_string(folder.join("trees/p.Gate.trees")).ok()
}

#[test]
fn no_path_is_attempted_twice_over_sessions() {
    let subject = Subject::of(&[("p/Gate.java", GATE)]);
    generate(&subject, "alone", &[]);
    assert!(trees(subject.folder.path()).is_none() && !subject.folder.path().join("trees").exists());
    let session = subject.folder.path().join("session");
    std::fs::create_dir(&session).expect("a folder");
    let at = ["--session", session.to_str().expect("a path")];
    let mut seen: BTreeSet<String> = BTreeSet::new();
    let (mut covered, mut resumed) = (0, 0);
    for round in ["first", "second", "third"] {
        generate(&subject, round, &at);
        let asked = asked(&subject, round);
        assert!(asked.len() > 5, "{round}: {asked:?}");
        assert!(asked.is_disjoint(&seen), "{round}: {:?}", asked.intersection(&seen));
        seen.extend(asked);
        let class = subject.report().classes.remove(0);
        // Stored test cases run again first. The few steps do not suffice for all of them, so up to
        // three outcomes may be missing.
        assert!(class.goals.branch.covered + 3 >= covered, "{round}: {:?}", class.goals);
        covered = class.goals.branch.covered.max(covered);
        assert_eq!(class.tree.resumed_trees > 0, round != "first", "{round}");
        resumed += class.tree.resumed_trees;
    }
    assert!(resumed > 0);
    // Without the session, the same alternatives are attempted again.
    assert!(!asked(&subject, "alone").is_disjoint(&seen));
}

#[test]
fn damaged_and_outdated_trees_are_reported_and_not_used() {
    let subject = Subject::of(&[("p/Gate.java", GATE)]);
    let session = subject.folder.path().join("session");
    std::fs::create_dir(&session).expect("a folder");
    let at = ["--session", session.to_str().expect("a path")];
    generate(&subject, "first", &at);
    let written = trees(&session).expect("trees");
    let path = session.join("trees/p.Gate.trees");
    std::fs::write(&path, &written[..written.len() / 2]).expect("written");
    let ended = generate(&subject, "damaged", &at);
    assert_eq!(ended.err.matches("is not used: it is damaged").count(), 1, "{}", ended.err);
    assert_eq!(subject.report().classes[0].tree.resumed_trees, 0);
    // Another class of the same name.
    std::fs::write(&path, &written).expect("written");
    let other = Subject::of(&[("p/Gate.java", &GATE.replace("49", "64"))]);
    let ended = generate(&other, "changed", &at);
    assert_eq!(ended.err.matches("have changed").count(), 1, "{}", ended.err);
    assert_eq!(other.report().classes[0].tree.resumed_trees, 0);
    // A folder without session files is no session.
    let mut command = subject.generate("p.Gate");
    let ended = end(command.args(["--session", subject.classes().to_str().expect("a path")]));
    assert_eq!(ended.status, 2, "{}", ended.err);
}

/// The session keeps the training of one class, and another class adds to it.
#[test]
fn training_in_the_session_is_extended_by_other_classes() {
    let door = GATE.replace("Gate", "Door").replace("a > 10", "a > 11").replace("c * c == 49", "c * c == 81");
    let subject = Subject::of(&[("p/Gate.java", GATE), ("p/Door.java", &door)]);
    let session = subject.folder.path().join("session");
    std::fs::create_dir(&session).expect("a folder");
    let at = ["--session", session.to_str().expect("a path")];
    let lessons = || -> BTreeSet<String> {
        std::fs::read_to_string(session.join("training")).unwrap_or_default().lines().map(str::to_owned).collect()
    };
    generate(&subject, "gate", &[at[0], at[1], "--untrained"]);
    assert_eq!(lessons(), BTreeSet::new());
    // With the trees of the earlier run, there would be no attempts to learn from.
    std::fs::remove_dir_all(session.join("trees")).expect("trees");
    generate(&subject, "gate", &at);
    let of_gate = lessons();
    assert!(of_gate.len() > 5, "{of_gate:?}");
    generate_for(&subject, "p.Door", "door", &at);
    let of_both = lessons();
    assert!(of_both.is_superset(&of_gate) && of_both.len() > of_gate.len(), "{of_gate:?} {of_both:?}");
}
