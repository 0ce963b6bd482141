//! `tracewright.xml`: a summary in the JUnit XML format, which CI systems show.
//!
//! Flows in: the report. Flows out: one file with a suite for each class. Must not know the engine,
//! or what the written tests are called when they run.
//!
//! A test case of the summary is a method of the class under test. It passes where a written test
//! calls the method, and is skipped with the reason where none does. A likely fault is a failure,
//! though the test that shows it passes: the test asserts what the class does today.

use super::signature::java_call;
use super::{ClassReport, LikelyFault, MethodOutcome, MethodReport, Report};
use crate::files;
use std::fmt::Write as _;
use std::io;
use std::path::Path;

/// Name of the file in the folder of `--report`.
const SUMMARY_FILE: &str = "tracewright.xml";

/// Writes `tracewright.xml` into the folder, atomically.
///
/// Fails with the error of the operating system where the folder is missing or not writable.
pub(crate) fn write_summary_xml(report: &Report, folder: &Path) -> io::Result<()> {
    files::write_atomically(&folder.join(SUMMARY_FILE), summary_xml(report).as_bytes())
}

/// One test case of the summary.
struct SummaryCase<'a> {
    name: String,
    outcome: SummaryOutcome<'a>,
}

/// What CI systems show of a test case.
enum SummaryOutcome<'a> {
    Passed,
    /// The message says why.
    Skipped(String),
    Failed(&'a LikelyFault),
}

fn summary_xml(report: &Report) -> String {
    let mut xml = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n");
    for class in &report.classes {
        write_suite(&mut xml, class);
    }
    xml + "</testsuites>\n"
}

fn write_suite(xml: &mut String, class: &ClassReport) {
    let cases = cases_of(class);
    let skipped = cases.iter().filter(|case| matches!(case.outcome, SummaryOutcome::Skipped(_))).count();
    let (name, tests, failures, seconds) = (escaped(&class.name), cases.len(), class.faults.len(), class.seconds);
    // Writing to a string cannot fail.
    let _ = writeln!(
        xml,
        "  <testsuite name=\"{name}\" tests=\"{tests}\" failures=\"{failures}\" skipped=\"{skipped}\" time=\"{seconds:.3}\">"
    );
    for case in &cases {
        let start = format!("    <testcase classname=\"{name}\" name=\"{}\"", escaped(&case.name));
        let _ = match &case.outcome {
            SummaryOutcome::Passed => writeln!(xml, "{start}/>"),
            SummaryOutcome::Skipped(message) => writeln!(xml, "{start}><skipped message=\"{}\"/></testcase>", escaped(message)),
            SummaryOutcome::Failed(LikelyFault { description, input, .. }) => {
                let (description, input) = (escaped(description), escaped(input));
                writeln!(xml, "{start}><failure message=\"{description}\">{input}</failure></testcase>")
            }
        };
    }
    xml.push_str("  </testsuite>\n");
}

/// The methods of the class, then its likely faults. A class without methods is skipped as a whole
/// where there is a reason.
fn cases_of(class: &ClassReport) -> Vec<SummaryCase<'_>> {
    let methods = class.methods.iter().map(|method| SummaryCase {
        name: java_call(&class.name, &method.name, &method.descriptor),
        outcome: match method.outcome {
            MethodOutcome::Tested => SummaryOutcome::Passed,
            MethodOutcome::Untested => SummaryOutcome::Skipped(reason_with_remedy(method)),
        },
    });
    let reason = class.reason.iter().filter(|_| class.methods.is_empty());
    let skipped = reason.map(|reason| SummaryCase { name: class.name.clone(), outcome: SummaryOutcome::Skipped(reason.clone()) });
    let faults = class.faults.iter().enumerate().map(|(place, fault)| {
        let earlier = class.faults[..place].iter().filter(|earlier| earlier.test == fault.test).count();
        // The rows of a table share the name of their method, and CI systems keep one case of a name.
        let row = if earlier == 0 { String::new() } else { format!("[{}]", earlier + 1) };
        SummaryCase { name: format!("{}{row}", fault.test), outcome: SummaryOutcome::Failed(fault) }
    });
    methods.chain(skipped).chain(faults).collect()
}

/// Why the method is untested, and what the user can do about it.
fn reason_with_remedy(method: &MethodReport) -> String {
    let reason = method.reason.as_deref().unwrap_or("no reason found");
    let remedy = method.remedy.as_ref().map(|remedy| format!("; {remedy}")).unwrap_or_default();
    format!("{reason}{remedy}")
}

/// The text for an attribute or an element. XML 1.0 forbids most control characters even when they
/// are escaped, so these are written as Java writes them.
fn escaped(text: &str) -> String {
    let mut xml = String::with_capacity(text.len());
    for character in text.chars() {
        let code = u32::from(character);
        // Writing to a string cannot fail.
        let _ = match character {
            '&' => xml.write_str("&amp;"),
            '<' => xml.write_str("&lt;"),
            '>' => xml.write_str("&gt;"),
            '"' => xml.write_str("&quot;"),
            // In an attribute, an XML parser turns these characters into blanks.
            '\t' | '\n' | '\r' => write!(xml, "&#{code};"),
            '\0'..='\u{1f}' | '\u{fffe}' | '\u{ffff}' => write!(xml, "\\u{code:04x}"),
            _ => xml.write_char(character),
        };
    }
    xml
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn class(name: &str, methods: Value, faults: Value) -> ClassReport {
        let methods = serde_json::from_value(methods).expect("methods");
        let faults = serde_json::from_value(faults).expect("faults");
        ClassReport { name: name.into(), seconds: 1.5, methods, faults, ..ClassReport::default() }
    }

    fn check(classes: Vec<ClassReport>, suites: &str) {
        let xml = summary_xml(&Report { classes, ..Report::default() });
        assert_eq!(xml, format!("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n{suites}</testsuites>\n"));
    }

    #[test]
    fn methods_pass_or_are_skipped_and_likely_faults_fail() {
        let methods = json!([
            {"name": "<init>", "descriptor": "(ILjava/util/Map$Entry;[[J)V", "outcome": "tested"},
            {"name": "save", "descriptor": "()V", "outcome": "untested", "cause": "refused",
                "reason": "refused \"write\"", "remedy": "allow the operation with --allow"},
            {"name": "odd", "descriptor": "?", "outcome": "untested"},
        ]);
        let fault = json!({"test": "f", "description": "a < b", "input": "f(\"x\");"});
        let expected = r#"  <testsuite name="shop.Order$Line" tests="5" failures="2" skipped="2" time="1.500">
    <testcase classname="shop.Order$Line" name="Line(int, Map.Entry, long[][])"/>
    <testcase classname="shop.Order$Line" name="save()"><skipped message="refused &quot;write&quot;; allow the operation with --allow"/></testcase>
    <testcase classname="shop.Order$Line" name="odd?"><skipped message="no reason found"/></testcase>
    <testcase classname="shop.Order$Line" name="f"><failure message="a &lt; b">f(&quot;x&quot;);</failure></testcase>
    <testcase classname="shop.Order$Line" name="f[2]"><failure message="a &lt; b">f(&quot;x&quot;);</failure></testcase>
  </testsuite>
"#;
        check(vec![class("shop.Order$Line", methods, json!([fault, fault]))], expected);
    }

    #[test]
    fn a_class_without_methods_is_skipped_with_its_reason() {
        check(Vec::new(), "");
        let expected = r#"  <testsuite name="p.A" tests="1" failures="0" skipped="1" time="0.000">
    <testcase classname="p.A" name="p.A"><skipped message="p.A is an annotation"/></testcase>
  </testsuite>
  <testsuite name="p.B" tests="0" failures="0" skipped="0" time="1.500">
  </testsuite>
"#;
        let without_tests = ClassReport::without_tests("p.A", "p.A is an annotation".into());
        check(vec![without_tests, class("p.B", json!([]), json!([]))], expected);
    }

    #[test]
    fn characters_that_xml_forbids_are_written_as_in_java() {
        assert_eq!(escaped("a\u{0}\u{1b}\u{ffff}\n\t'&'ü"), "a\\u0000\\u001b\\uffff&#10;&#9;'&amp;'ü");
    }

    #[test]
    fn the_summary_is_written_into_the_folder() {
        let folder = tempfile::tempdir().expect("temporary folder");
        write_summary_xml(&Report::default(), folder.path()).expect("writable");
        let text = std::fs::read_to_string(folder.path().join("tracewright.xml")).expect("the file exists");
        assert_eq!(text, summary_xml(&Report::default()));
    }
}
