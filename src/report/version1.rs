//! Reads version 1 of `report.json`. Flows in: the parsed JSON of a version 1 file. Flows out: the
//! same facts under the keys of version 2. The tables here are those of `docs/formats/report.md`.

use serde_json::{Map, Value};

use super::VERSION;

/// Renamed keys of a class: the object that holds the key (empty: the class itself), the old key,
/// the new key.
const RENAMED: &[(&str, &str, &str)] = &[
    ("", "unbuildable", "unbuildable_types"),
    ("", "existing", "recorded_tests"),
    ("", "outdated", "outdated_tests"),
    ("recorded_tests", "calls", "call_sequences"),
    ("recorded_tests", "left_out", "goals_left_out"),
    ("replay", "diverged", "divergence_examples"),
    ("replay", "stopped", "interrupted"),
    ("replay", "unreplayed", "not_replayed"),
    ("replay", "checked_loads", "checked_values"),
    ("replay", "resyncs", "resynchronised_values"),
    ("solver", "descended", "solved_by_local_search"),
    ("solver", "widened", "repeated_with_longer_strings"),
    ("solver", "guessed", "solved_by_guess"),
    ("tree", "resumed", "resumed_trees"),
    ("search", "set_aside", "rejected"),
    ("mutants", "unfit", "tests_not_judged"),
    ("mutants", "further", "tests_for_mutants"),
    ("mutants", "alive", "surviving"),
];

/// Reasons that were counted under another key: the object, the old key, the new key, the begin of
/// the old reason, the new reason (empty: the old one stays).
const MOVED: &[(&str, &str, &str, &str, &str)] = &[
    ("discarded", "unprintable", "unverified", "no time was left to verify it", ""),
    ("discarded", "unprintable", "unverified", "the JVMs that verify gave no outcome in time", ""),
    ("discarded", "unprintable", "unobserved", "not observed", ""),
    ("discarded", "unprintable", "unobserved", "out of its event budget or time", ""),
    ("discarded", "unprintable", "unobserved", "refused: ", ""),
    ("discarded", "unprintable", "unobserved", "exhausted: ", ""),
    ("discarded", "unprintable", "unobserved", "the JVM died", ""),
    ("discarded", "unprintable", "unobserved", "not legal: ", ""),
    ("discarded", "unprintable", "unobserved", "left threads running", ""),
    ("discarded", "unprintable", "unobserved", "threw ", ""),
    (
        "replay",
        "unsupported",
        "mispredicted",
        "a model went elsewhere, after a value had been concretised",
        "mispredicted: a value had been concretised",
    ),
    (
        "replay",
        "unsupported",
        "mispredicted",
        "a model went elsewhere, with a string that has another number of variables",
        "mispredicted: a string has another number of variables",
    ),
    (
        "replay",
        "unsupported",
        "mispredicted",
        "a model went elsewhere, after a function whose last digit is not Java's to say",
        "mispredicted: the result of a function is not exact",
    ),
    (
        "replay",
        "unsupported",
        "mispredicted",
        "a model went elsewhere, since what the run asked is another thing in each run",
        "mispredicted: the run is nondeterministic",
    ),
];

/// Changes a report of version 1 into one of version 2. Unknown keys stay.
pub(super) fn upgrade(report: &mut Value) {
    let classes = report.get_mut("classes").and_then(Value::as_array_mut).into_iter().flatten();
    for class in classes.filter_map(Value::as_object_mut) {
        for &(object, old, new) in RENAMED {
            if let Some(object) = object_of(class, object) {
                rename(object, old, new);
            }
        }
        for fault in class.get_mut("faults").and_then(Value::as_array_mut).into_iter().flatten() {
            if let Some(fault) = fault.as_object_mut() {
                rename(fault, "what", "description");
            }
        }
        for &(object, old, new, reason, replacement) in MOVED {
            if let Some(object) = object_of(class, object) {
                move_reasons(object, (old, new), reason, replacement);
            }
        }
    }
    if let Some(report) = report.as_object_mut() {
        report.insert("version".into(), VERSION.into());
    }
}

fn object_of<'a>(class: &'a mut Map<String, Value>, name: &str) -> Option<&'a mut Map<String, Value>> {
    if name.is_empty() { Some(class) } else { class.get_mut(name)?.as_object_mut() }
}

/// Renames a key; the order of the keys stays.
fn rename(object: &mut Map<String, Value>, old: &str, new: &str) {
    if object.contains_key(old) {
        let entries = std::mem::take(object);
        object.extend(entries.into_iter().map(|(key, value)| (if key == old { new.to_owned() } else { key }, value)));
    }
}

fn move_reasons(object: &mut Map<String, Value>, (old, new): (&str, &str), begin: &str, replacement: &str) {
    let Some(counts) = object.get_mut(old).and_then(Value::as_object_mut) else { return };
    let reasons: Vec<String> = counts.keys().filter(|reason| reason.starts_with(begin)).cloned().collect();
    let moved: Vec<(String, Value)> =
        reasons.into_iter().filter_map(|reason| counts.shift_remove(&reason).map(|count| (reason, count))).collect();
    if moved.is_empty() {
        return;
    }
    let target = object.entry(new).or_insert_with(|| Value::Object(Map::new()));
    if let Some(target) = target.as_object_mut() {
        for (reason, count) in moved {
            let reason = if replacement.is_empty() { reason } else { replacement.to_owned() };
            target.insert(reason, count);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Misprediction, Report, UnverifiedReason};
    use super::*;

    /// Written by the program before version 2, with some optional keys added by hand.
    const STORED: &str = include_str!("version1.json");

    #[test]
    fn a_stored_report_of_version_1_is_read_as_version_2() {
        let report = Report::parse(STORED.as_bytes()).expect("a report");
        assert_eq!(report.version, VERSION);
        let class = &report.classes[0];
        assert_eq!(
            (class.name.as_str(), class.tests, class.goals.branch.covered),
            ("org.apache.commons.validator.routines.checkdigit.ISBN10CheckDigit", 17, 6)
        );
        assert_eq!(class.search.rejected, [("event budget".to_owned(), 4)].into());
        assert_eq!(class.replay.unsupported, [("limit of events".to_owned(), 2)].into());
        assert_eq!(class.replay.mispredicted, [(Misprediction::Nondeterministic.reason().to_owned(), 3)].into());
        assert_eq!(class.discarded.unprintable, [("a class is not accessible".to_owned(), 1)].into());
        assert_eq!(class.discarded.unverified, [(UnverifiedReason::NoTime.text().to_owned(), 5)].into());
        assert_eq!(class.discarded.unobserved, [("refused: files".to_owned(), 6)].into());
        assert_eq!(class.faults[0].description, "an index is out of bounds");
        assert_eq!(class.recorded_tests.expect("a session").call_sequences, 7);
        assert_eq!(class.mutants.surviving.len(), 1);
        assert_eq!((class.replay.checked_values, class.solver.solved_by_local_search, class.tree.resumed_trees), (44, 5, 1));
    }

    #[test]
    fn a_report_of_version_2_prints_and_reads_back_without_change() {
        let report = Report::parse(STORED.as_bytes()).expect("a report");
        let text = serde_json::to_string_pretty(&report).expect("text");
        let again = Report::parse(text.as_bytes()).expect("a report");
        assert_eq!(serde_json::to_string_pretty(&again).expect("text"), text);
        for (_, old, _) in RENAMED {
            assert!(!text.contains(&format!("\"{old}\"")), "{old} is a key of version 1");
        }
    }

    #[test]
    fn an_unknown_version_is_an_error() {
        for (text, part) in [("{\"version\": 3}", "its version is 3"), ("{}", "no version"), ("[", "EOF")] {
            let error = Report::parse(text.as_bytes()).expect_err(text);
            assert!(error.contains(part), "{error}");
        }
    }

    #[test]
    fn old_reasons_of_mispredictions_have_new_ones() {
        let moved: Vec<&str> = MOVED.iter().filter(|entry| entry.2 == "mispredicted").map(|entry| entry.4).collect();
        assert_eq!(moved, Misprediction::ALL.map(Misprediction::reason));
    }
}
