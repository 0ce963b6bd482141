//! Written tests follow the conventions of the project: `.editorconfig`, access modifier,
//! formatter.

use crate::subject::{Ended, Subject, end};
use std::path::PathBuf;
use tracewright_test_support::junit_console_jar;

/// A class whose tests have long lines: an exception with a long message, long names and texts.
const SHIPMENT: (&str, &str) = (
    "shipping/ShipmentRegistration.java",
    r#"package shipping;

public class ShipmentRegistration {
    private final int weight;
    private final String destination;

    public ShipmentRegistration(int weight, String destination) {
        if (weight < 0) {
            throw new IllegalArgumentException("the weight of a shipment cannot be negative, and this one is below nothing: " + weight);
        }
        this.weight = weight;
        this.destination = destination;
    }

    public String describeShipmentForTheLabelOfTheParcel(int copies, boolean express) {
        if (copies > 3) {
            return "four labels or more for one parcel: the office has to print them, because the printer here is too small";
        }
        return express ? "express parcel to " + destination + " with " + weight : "parcel";
    }
}
"#,
);

fn subject() -> Subject {
    let subject = Subject::of(&[SHIPMENT]);
    write(&subject, ".editorconfig", "root = true\n");
    subject
}

fn write(subject: &Subject, name: &str, text: &str) {
    let path = subject.folder.path().join(name);
    std::fs::create_dir_all(path.parent().expect("a parent")).expect("writable");
    std::fs::write(path, text).expect("writable");
}

fn file(subject: &Subject) -> PathBuf {
    subject.out().join("shipping/ShipmentRegistrationTracewrightTest.java")
}

#[track_caller]
fn generate(subject: &Subject, arguments: &[&str]) -> (String, Ended) {
    let mut command = subject.generate_showing("plain", "shipping.ShipmentRegistration");
    let ended = end(command.args(["--steps", "300", "--strategy", "search"]).args(arguments));
    assert_eq!(ended.status, 0, "{}", ended.err);
    let class = &subject.report().classes[0];
    // The file of an earlier run counts as untouched.
    assert!(class.tests > 0 && class.reason.is_none(), "{:?}", class.reason);
    (std::fs::read_to_string(file(subject)).expect("written"), ended)
}

#[test]
fn files_have_the_layout_of_the_editorconfig() {
    let subject = subject();
    let (usual, _) = generate(&subject, &[]);
    assert!(usual.contains("\n    @Test\n") && usual.lines().any(|line| line.len() > 100), "{usual}");
    write(&subject, ".editorconfig", "root = true\n[*.{java,kt}]\nindent_size = 2\nmax_line_length = 100\n");
    let (narrow, _) = generate(&subject, &[]);
    assert!(narrow.contains("\nclass ") && narrow.contains("\n  @Test\n  void "), "{narrow}");
    let wide = narrow.lines().find(|line| line.len() > 100 && !line.starts_with("import "));
    assert_eq!(wide, None, "{narrow}");
    if let Some(junit) = junit_console_jar() {
        subject.compile_written_tests("shipping", &["ShipmentRegistration"], &[junit]);
    }
    let modified = || std::fs::metadata(file(&subject)).and_then(|data| data.modified()).expect("written");
    let before = modified();
    assert_eq!(generate(&subject, &[]).0, narrow);
    assert_eq!(modified(), before, "a file with the same text is not written again");

    // git may change the line ends of a file; that is no edit.
    std::fs::write(file(&subject), narrow.replace('\n', "\r\n")).expect("writable");
    write(&subject, "out/.editorconfig", "[*]\nend_of_line = crlf\ninsert_final_newline = false\n");
    write(
        &subject,
        "src/test/java/shipping/HandTest.java",
        "package shipping;\nimport org.junit.jupiter.api.Test;\npublic class HandTest { }\n",
    );
    let (public, _) = generate(&subject, &[]);
    assert!(public.contains("\r\npublic class ") && public.contains("\r\n  @Test\r\n  public void "), "{public}");
    assert!(public.ends_with("\r\n}") && public.matches("\r\n").count() == public.matches('\n').count(), "{public}");
    assert_eq!(generate(&subject, &[]).0, public);
}

#[test]
fn the_formatter_of_the_project_has_the_last_word() {
    let subject = subject();
    let (written, _) = generate(&subject, &[]);
    write(&subject, "format.sh", "for file; do sed -i -e 's/^    /\\t/' -e '1i // Licence.' \"$file\"; done\n");
    for arguments in ["sh format.sh", "sh format.sh {files}", "sh 'format.sh' {file}"] {
        let (formatted, ended) = generate(&subject, &["--format", arguments]);
        assert!(formatted.starts_with("// Licence.\n// Written by Tracewright (seed 1)"), "{formatted}");
        assert!(formatted.contains("\n\t@Test\n"), "{formatted}");
        assert!(!ended.err.contains("the formatter"), "{}", ended.err);
    }

    // Files are as without a formatter where it fails or removes the header.
    let name = "ShipmentRegistrationTracewrightTest.java";
    for (script, sentence) in [
        (
            "echo broken > \"$1\"; echo 'cannot parse it' >&2; exit 2",
            "the formatter sh failed (exit status: 2): cannot parse it;",
        ),
        ("sed -i 1d \"$1\"", "the formatter sh removed the first line of "),
        ("rm \"$1\"", "the formatter sh removed the first line of "),
    ] {
        write(&subject, "format.sh", script);
        let (kept, ended) = generate(&subject, &["--format", "sh format.sh"]);
        assert_eq!(kept, written, "{script}");
        assert!(ended.err.contains(sentence), "{}", ended.err);
        assert!(!ended.err.contains(" removed ") || ended.err.contains(&format!("{name}, by which")), "{}", ended.err);
    }
    let (kept, ended) = generate(&subject, &["--format", "no-such-formatter -i"]);
    assert_eq!(kept, written);
    assert!(ended.err.contains("the formatter no-such-formatter cannot be started ("), "{}", ended.err);
}
