//! `differences.md`: what differs from an earlier version, as a comment on a change.
//!
//! Flows in: the report of a `diff`. Flows out: Markdown. Must not know how versions are compared.

use std::fmt::Write as _;
use std::io;
use std::path::Path;

use super::{ClassReport, Difference, EqualMethod, Report, counted, one_line};
use crate::files;

/// Name of the file in the folder of `--report`.
const DIFFERENCES_FILE: &str = "differences.md";

/// Writes `differences.md` into the folder, atomically, where the report is that of a `diff`.
///
/// Fails with the error of the operating system where the folder is missing or not writable.
pub(crate) fn write_differences(report: &Report, folder: &Path) -> io::Result<()> {
    match markdown(report) {
        Some(text) => files::write_atomically(&folder.join(DIFFERENCES_FILE), text.as_bytes()),
        None => Ok(()),
    }
}

/// The Markdown text; `None` where the report is not that of a `diff`.
fn markdown(report: &Report) -> Option<String> {
    if !report.compares {
        return None;
    }
    let compared: Vec<_> = report.classes.iter().filter_map(|class| Some((class, class.differences.as_ref()?))).collect();
    let differing = compared.iter().filter(|(_, differences)| !differences.is_empty());
    let mut text = match differing.clone().count() {
        0 if report.classes.is_empty() => "No class changed.\n".to_owned(),
        0 if compared.is_empty() => "No class could be compared.\n".to_owned(),
        0 => "No difference in behaviour was found.\n".to_owned(),
        count => format!("The behaviour of {} differs.\n", counted(count as u64, "class", "classes")),
    };
    for (class, differences) in differing {
        let _ = write!(text, "\n### {}\n\n| Method | Example | Before | After | Test |\n|---|---|---|---|---|\n", class.name);
        for Difference { method, test, example, before, after } in *differences {
            let _ = writeln!(text, "| `{method}` | {} | {} | {} | `{test}` |", cell(example), cell(before), cell(after));
        }
    }
    let same = compared.iter().filter(|(_, differences)| differences.is_empty()).map(|(class, _)| class);
    let same: Vec<String> = same.map(|class| format!("- `{}`, {} executions", class.name, class.search.executions)).collect();
    if !same.is_empty() {
        let _ = write!(text, "\nChanged without a difference that was found:\n\n{}\n", same.join("\n"));
    }
    let sentence = |class: &ClassReport, method: &EqualMethod| format!("- `{}`, {}", class.name, method.sentence());
    let equal: Vec<String> =
        compared.iter().flat_map(|(class, _)| class.equal_methods.iter().map(|method| sentence(class, method))).collect();
    if !equal.is_empty() {
        let _ = write!(text, "\nProved:\n\n{}\n", equal.join("\n"));
    }
    let missing = report.classes.iter().filter(|class| class.differences.is_none());
    let missing: Vec<String> = missing.map(|class| format!("- `{}`: {}", class.name, class.why_not_compared())).collect();
    if !missing.is_empty() {
        let _ = write!(text, "\nNot compared:\n\n{}\n", missing.join("\n"));
    }
    Some(text)
}

/// A value as code in a cell of a table.
fn cell(value: &str) -> String {
    let line = one_line(value).replace('|', "\\|");
    let fence = if line.contains('`') { "``" } else { "`" };
    if line.is_empty() { String::new() } else { format!("{fence}{line}{fence}") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::SearchReport;

    #[test]
    fn values_stand_in_a_table() {
        let class = |name: &str, differences: Option<Vec<Difference>>| ClassReport {
            name: name.into(),
            differences,
            search: SearchReport { executions: 7, ..SearchReport::default() },
            ..ClassReport::default()
        };
        let difference = Difference {
            method: "parse".into(),
            test: "parse_returns1".into(),
            example: "A.parse(1)".into(),
            before: "a|b\nc".into(),
            after: "\"`\"".into(),
        };
        let report = |classes: Vec<ClassReport>| Report { classes, compares: true, ..Report::default() };
        assert_eq!(markdown(&Report { compares: false, ..report(vec![class("p.A", None)]) }), None);
        assert_eq!(markdown(&report(Vec::new())).as_deref(), Some("No class changed.\n"));
        let new = ClassReport { reason: Some("it did not exist".into()), ..class("p.A", None) };
        let text = markdown(&report(vec![new]));
        assert_eq!(text.as_deref(), Some("No class could be compared.\n\nNot compared:\n\n- `p.A`: it did not exist\n"));
        let text =
            markdown(&report(vec![class("p.A", Some(vec![difference])), class("p.B", Some(Vec::new()))])).expect("compared");
        assert_eq!(
            text,
            "The behaviour of 1 class differs.\n\n### p.A\n\n| Method | Example | Before | After | Test |\n|---|---|---|---|---|\n\
             | `parse` | `A.parse(1)` | `a\\|b c` | ``\"`\"`` | `parse_returns1` |\n\n\
             Changed without a difference that was found:\n\n- `p.B`, 7 executions\n"
        );
    }
}
