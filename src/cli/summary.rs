//! The summary of `generate` and `report`: the written tests, their coverage, and the reason for
//! each class without tests.

use crate::config::Config;
use crate::report::{ClassReport, CoverageCount, Difference, MethodOutcome, Report, counted, cut, one_line};
use std::fmt::Write;

/// Untested methods that are named; the report has all.
const NAMED_METHODS: usize = 5;
/// A class whose tests keep less than this share of what the search covered is told about.
const LEAST_KEPT: f64 = 0.97;
/// Characters of the input of a likely fault that are shown; the report has all.
const LONGEST_INPUT: usize = 300;

/// The summary of all classes.
pub(crate) fn text(report: &Report) -> String {
    let mut text = String::new();
    for class in &report.classes {
        describe(&mut text, class);
    }
    if report.classes.len() > 1 {
        let tests: usize = report.classes.iter().map(|class| class.tests).sum();
        let with = report.classes.iter().filter(|class| class.tests > 0).count();
        let _ = writeln!(text, "{tests} tests for {with} of {} classes", report.classes.len());
    }
    let proxies = report.classes.iter().filter(|class| class.proxies).count();
    if proxies > 0 {
        let classes = counted(proxies as u64, "class", "classes");
        let _ = writeln!(
            text,
            "the tests of {classes} replace collaborators by proxies: with Mockito on the class path, they would be shorter and \
             verify calls"
        );
    }
    text
}

/// What differs from the earlier version, class by class and method by method.
pub(crate) fn differences(report: &Report) -> String {
    let mut text = String::new();
    for class in &report.classes {
        let Some(differences) = &class.differences else {
            let _ = writeln!(text, "{}: not compared: {}", class.name, class.why_not_compared());
            continue;
        };
        let found = match differences.len() {
            0 => format!("no difference found in {} executions", class.search.executions),
            count => counted(count as u64, "test differs", "tests differ"),
        };
        let _ = writeln!(text, "{}: {found}", class.name);
        for equal in &class.equal_methods {
            let _ = writeln!(text, "  {}", equal.sentence());
        }
        for Difference { method, test, example, before, after } in differences {
            let _ = writeln!(text, "  {method} ({test})");
            for (word, value) in [("of", example), ("before", before), ("after", after)] {
                let _ = writeln!(text, "    {word:6} {}", one_line(value));
            }
        }
    }
    if report.classes.is_empty() {
        text += "no class changed\n";
    }
    text
}

/// The folders of the tests and of the report.
pub(crate) fn places(report: &Report, config: &Config) -> String {
    let mut text = String::new();
    if report.classes.iter().any(|class| class.tests > 0) {
        let _ = writeln!(text, "tests in {}", config.out.display());
    }
    let _ = writeln!(text, "report in {}", config.report.join("report.json").display());
    let _ = writeln!(text, "page in {}", config.report.join("index.html").display());
    text
}

fn describe(text: &mut String, class: &ClassReport) {
    let _ = write!(text, "{}: ", class.name);
    match (&class.reason, class.tests) {
        (Some(reason), 0) => {
            let _ = writeln!(text, "no tests: {reason}");
        }
        (_, tests) => {
            let goals = class.goals;
            let _ = writeln!(
                text,
                "{tests} test{}, branches {}, lines {}, {:.1} s",
                if tests == 1 { "" } else { "s" },
                share(goals.branch),
                share(goals.line),
                class.seconds
            );
        }
    }
    if let Some(searched) = &class.searched
        && class.paths.is_empty()
        && searched.kept_by(&class.goals) < LEAST_KEPT
    {
        let found = searched.line.covered + searched.branch.covered;
        let lost = ((1.0 - searched.kept_by(&class.goals)) * found as f64).round() as u64;
        let cause = class.discarded.main_cause().map(|cause| format!("; {cause}")).unwrap_or_default();
        let _ = writeln!(text, "  {} that the search covered got no test{cause}", counted(lost, "goal", "goals"));
    }
    if let Some(existing) = &class.recorded_tests
        && existing.goals_left_out > 0
    {
        let _ = writeln!(
            text,
            "  what recorded tests cover ({}, {}) gets no new tests",
            counted(existing.branches as u64, "branch", "branches"),
            counted(existing.lines as u64, "line", "lines")
        );
    }
    for (test, why) in &class.outdated_tests {
        let _ = writeln!(text, "  no longer right: {test} ({})", why.lines().next().unwrap_or_default());
    }
    if !class.acceptable_tests.is_empty() {
        let _ = writeln!(text, "  if the new values are right, --accept puts them into these tests");
    }
    for (test, change) in &class.accepted_tests {
        let _ = writeln!(text, "  accepted: {test} ({})", one_line(change));
    }
    for asked in &class.paths {
        let _ = writeln!(text, "  path {}\n    {}", asked.path, one_line(&asked.sentence()));
    }
    for fault in &class.faults {
        let _ = writeln!(text, "  likely fault: {} ({})", fault.description, fault.test);
        if !fault.input.is_empty() {
            let _ = writeln!(text, "    {}", cut(&fault.input, LONGEST_INPUT));
        }
    }
    let untested: Vec<_> = class.methods.iter().filter(|method| method.outcome == MethodOutcome::Untested).collect();
    for method in untested.iter().take(NAMED_METHODS) {
        let reason = method.reason.as_deref().unwrap_or("no reason found");
        let remedy = method.remedy.as_ref().map(|remedy| format!("; {remedy}")).unwrap_or_default();
        let _ = writeln!(text, "  untested: {}{} ({reason}{remedy})", method.name, method.descriptor);
    }
    if untested.len() > NAMED_METHODS {
        let _ = writeln!(text, "  and {} more untested methods: see the report", untested.len() - NAMED_METHODS);
    }
    if class.replay.divergences > 0 {
        let _ = writeln!(
            text,
            "  {} divergences between run and replay: a fault of Tracewright, listed in the report",
            class.replay.divergences
        );
    }
}

fn share(covered: CoverageCount) -> String {
    if covered.total == 0 {
        return "none there".into();
    }
    format!("{} of {} ({:.0} %)", covered.covered, covered.total, 100.0 * covered.covered as f64 / covered.total as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mockito_is_recommended_once_where_tests_have_proxies() {
        let class = |proxies| ClassReport { name: "p.A".into(), tests: 1, proxies, ..ClassReport::default() };
        let report = |proxies: &[bool]| Report { classes: proxies.iter().map(|own| class(*own)).collect(), ..Report::default() };
        let last = |proxies: &[bool]| text(&report(proxies)).lines().last().unwrap_or_default().to_owned();
        assert!(last(&[true, false, true]).starts_with("the tests of 2 classes replace"), "{}", last(&[true, false, true]));
        assert_eq!(text(&report(&[true, true])).matches("Mockito").count(), 1);
        assert_eq!(last(&[false, false]), "2 tests for 2 of 2 classes");
    }
}
