//! Parameterized tests: tests of one shape are rows of a table that compiles and passes.

use std::process::Command;

use crate::subject::{Subject, end};
use tracewright_test_support::junit_console_jar;

const GRADES: &str = r#"
package tables;

public class Grades {
    public static String grade(int points) {
        if (points < 0 || points > 100) {
            throw new IllegalArgumentException("no grade for " + points);
        }
        if (points >= 90) {
            return "very good";
        }
        if (points >= 70) {
            return "good, but";
        }
        return points >= 50 ? "it's enough" : "";
    }

    public static boolean isVowel(char letter) {
        return letter == 'a' || letter == 'e' || letter == 'i' || letter == 'o' || letter == 'u';
    }
}
"#;

/// The annotation of JUnit Jupiter, as a class path has it without junit-jupiter-params.
const JUPITER_TEST: &str = "package org.junit.jupiter.api;\n\nimport java.lang.annotation.*;\n\n\
    @Retention(RetentionPolicy.RUNTIME)\npublic @interface Test {}\n";

/// Three or more tests of one method become one, which passes in another JVM; the report counts its
/// rows. Two runs write the same bytes.
#[test]
fn tests_of_one_shape_become_one_parameterized_test() {
    let subject = Subject::of(&[("Grades.java", GRADES)]);
    let generate = |parameterized: &str| {
        let options = ["--steps", "1500", "--seed", "1", "--junit", "5", "--parameterized", parameterized];
        let ended = end(subject.generate("tables.Grades").args(options));
        assert_eq!(ended.status, 0, "{}", ended.err);
        (subject.source("tables.Grades"), subject.report().classes[0].tests)
    };
    let (single, tests) = generate("off");
    assert!(!single.contains("@ParameterizedTest"), "{single}");
    assert_eq!(single.matches("    @Test\n").count(), tests, "{single}");
    let (source, rows) = generate("on");
    assert_eq!(rows, tests, "{source}");
    assert!(
        source.contains("@CsvSource({") && source.contains("void grade_returnsExpected(int points, String expected) {"),
        "{source}"
    );
    assert!(source.contains("assertEquals(expected, Grades.grade(points));"), "{source}");
    let methods = source.matches("    @Test\n").count() + source.matches("    @ParameterizedTest\n").count();
    assert!(methods + 2 < rows, "{source}");
    assert_eq!(generate("on").0, source);
    let Some(junit) = junit_console_jar() else { return };
    let compiled = subject.compile_written_tests("tables", &["Grades"], std::slice::from_ref(&junit));
    let run = Command::new(subject.jdk.java())
        .arg("-jar")
        .arg(&junit)
        .args(["execute", "--disable-banner", "--fail-if-no-tests", "--details=summary", "--scan-class-path"])
        .arg(&compiled)
        .arg("-cp")
        .arg(std::env::join_paths([subject.classes(), compiled.clone()]).expect("a class path"))
        .output()
        .expect("java starts");
    let said = String::from_utf8_lossy(&run.stdout);
    assert!(run.status.success() && said.contains(&format!("{rows} tests successful")), "{said}\n{source}");
}

/// JUnit 4 has no parameterized methods, and a project without junit-jupiter-params cannot compile
/// them.
#[test]
fn tests_stay_single_without_parameterized_tests_on_the_class_path() {
    let subject = Subject::of(&[("Grades.java", GRADES), ("Test.java", JUPITER_TEST)]);
    for junit in ["4", "5"] {
        let ended = end(subject.generate("tables.Grades").args(["--steps", "1000", "--seed", "1", "--junit", junit]));
        assert_eq!(ended.status, 0, "{}", ended.err);
        let source = subject.source("tables.Grades");
        assert!(source.contains("@Test") && !source.contains("Parameterized"), "{source}");
    }
}
