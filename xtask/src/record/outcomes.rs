//! Outcomes of tests, from the XML files of JUnit's console launcher (`TEST-*.xml`, the format of
//! Ant's JUnit task).
//!
//! In: a folder. Out: the outcomes of each test by its name.

use anyhow::{Context, Result};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// The outcomes of each test, one for each time that it ran: `passed`, `failed`, `error` or
/// `skipped`.
pub(super) type Outcomes = BTreeMap<String, Vec<&'static str>>;

/// Reads all XML files of a folder.
///
/// # Errors
/// The folder or a file cannot be read.
pub(super) fn read(folder: &Path) -> Result<Outcomes> {
    let mut all = Outcomes::new();
    for entry in fs::read_dir(folder).with_context(|| format!("no reports in {}", folder.display()))? {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "xml") {
            parse(&String::from_utf8_lossy(&fs::read(&path)?), &mut all);
        }
    }
    // The order of repetitions is no part of the outcome.
    all.values_mut().for_each(|ends| ends.sort_unstable());
    Ok(all)
}

/// Adds the outcomes of a file. Only the elements `testcase` and their direct children are read.
fn parse(text: &str, all: &mut Outcomes) {
    // Character data holds the output of tests, which may look like elements.
    let text = without_character_data(text);
    for case in text.split("<testcase ").skip(1) {
        let (head, rest) = case.split_once('>').unwrap_or((case, ""));
        let body = if head.ends_with('/') { "" } else { rest.split("</testcase>").next().unwrap_or("") };
        let end = if body.contains("<failure") {
            "failed"
        } else if body.contains("<error") {
            "error"
        } else if body.contains("<skipped") {
            "skipped"
        } else {
            "passed"
        };
        let name = format!("{}.{}", attribute(head, "classname"), attribute(head, "name"));
        all.entry(name).or_default().push(end);
    }
}

/// The text without its CDATA sections.
fn without_character_data(text: &str) -> String {
    let mut out = String::new();
    let mut parts = text.split("<![CDATA[");
    out.push_str(parts.next().unwrap_or(""));
    for part in parts {
        out.push_str(part.split_once("]]>").map_or("", |(_, rest)| rest));
    }
    out
}

/// The value of an attribute of an opening tag; empty if it has none.
fn attribute<'a>(head: &'a str, name: &str) -> &'a str {
    let start = head.find(&format!(" {name}=\"")).map(|at| at + name.len() + 3);
    let start = start.or_else(|| head.starts_with(&format!("{name}=\"")).then_some(name.len() + 2));
    start.and_then(|start| head[start..].split('"').next()).unwrap_or("")
}

/// The tests with equal outcomes in both runs without the agent and other outcomes with it.
pub(super) fn changed(before: &Outcomes, with: &Outcomes, after: &Outcomes) -> Vec<String> {
    let names: std::collections::BTreeSet<&String> = before.keys().chain(with.keys()).collect();
    let differs = |name: &&&String| before.get(**name) == after.get(**name) && before.get(**name) != with.get(**name);
    names.iter().filter(differs).map(|name| (*name).clone()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const REPORT: &str = r#"<testsuite name="x"><testcase name="a()" classname="p.T" time="0.1"><system-out><![CDATA[
<testcase name="fake" classname="p.T"><failure/>]]></system-out></testcase>
<testcase name="b()" classname="p.T"/><testcase name="c()" classname="p.T"><failure message="&gt;">..</failure></testcase>
<testcase name="d()" classname="p.T"><skipped/></testcase></testsuite>"#;

    #[test]
    fn the_output_of_tests_is_not_read_as_outcomes() {
        let mut all = Outcomes::new();
        parse(REPORT, &mut all);
        let expected = [("p.T.a()", "passed"), ("p.T.b()", "passed"), ("p.T.c()", "failed"), ("p.T.d()", "skipped")];
        assert_eq!(all, expected.into_iter().map(|(name, end)| (name.to_owned(), vec![end])).collect());
    }

    #[test]
    fn a_test_that_differs_without_the_agent_is_not_changed() {
        let of = |a: &'static str, b: &'static str| Outcomes::from([("a".into(), vec![a]), ("b".into(), vec![b])]);
        let (before, after) = (of("passed", "passed"), of("passed", "failed"));
        assert_eq!(changed(&before, &of("failed", "failed"), &after), ["a"]);
        assert!(changed(&before, &of("passed", "error"), &after).is_empty());
    }
}
