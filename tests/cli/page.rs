//! The page of a report, and the files for code hosts and CI beside it.

use crate::subject::{Subject, end, program};
use std::path::Path;

const DOOR: &str = "package p;

public class Door {
    private boolean open;

    public String push(int force) {
        if (force < 3) {
            return \"stays shut\";
        }
        open = force * 2 > 9;
        return open ? \"opens\" : \"moves <a bit>\";
    }

    public static int never(int force) {
        if (force > 5 && force < 4) {
            return 1;
        }
        return 0;
    }
}
";

fn read(file: &Path) -> String {
    std::fs::read_to_string(file).unwrap_or_else(|error| panic!("{}: {error}", file.display()))
}

#[test]
fn the_page_shows_the_source_with_its_tests_and_open_branches() {
    let subject = Subject::of(&[("p/Door.java", DOOR)]);
    let ended = end(subject.generate("p.Door").args(["--steps", "600", "--parameterized", "off"]));
    assert_eq!(ended.status, 0, "{}", ended.err);
    let folder = subject.folder.path().join("report");
    let page = folder.join("index.html");
    assert!(ended.out.contains(&format!("page in {}\n", page.display())), "{}", ended.out);
    assert!(read(&page).contains("href=\"classes/p.Door.html\""));
    let class = read(&folder.join("classes/p.Door.html"));
    // Sources are found beside the class files, and escaped.
    assert!(class.contains("&quot;moves &lt;a bit&gt;&quot;"), "{class}");
    let report = subject.report();
    let coverage = report.classes[0].coverage.as_ref().expect("what the tests cover");
    assert!(coverage.test_names().count() >= 3, "{coverage:?}");
    for name in coverage.test_names() {
        assert!(class.contains(&format!(">{name}</button>")), "{name}: {class}");
    }
    // The second operand of `&&` is taken by one way only.
    assert!(class.contains("no input takes it") || class.contains("runs took it"), "{class}");
    for request in ["http:", "https:", "src=", "@import", "url("] {
        assert!(!class.contains(request) && !read(&page).contains(request), "{request}");
    }
    let sarif: serde_json::Value = serde_json::from_str(&read(&folder.join("tracewright.sarif"))).expect("JSON");
    assert_eq!(sarif["version"], "2.1.0");
    assert!(read(&folder.join("tracewright.xml")).contains("<testcase classname=\"p.Door\" name=\"push(int)\"/>"));
}

#[test]
fn the_page_is_written_again_with_other_sources() {
    let subject = Subject::of(&[("p/Door.java", DOOR)]);
    let moved = subject.folder.path().join("elsewhere");
    std::fs::rename(subject.folder.path().join("src"), &moved).expect("a folder");
    assert_eq!(end(subject.generate("p.Door").args(["--steps", "300"])).status, 0);
    let folder = subject.folder.path().join("report");
    let class = || read(&folder.join("classes/p.Door.html"));
    assert!(!class().contains("&lt;a bit&gt;"), "no source is known yet: {}", class());
    let report =
        |arguments: &[&str]| end(program().current_dir(subject.folder.path()).arg("report").arg(&folder).args(arguments));
    let ended = report(&["--sources", "elsewhere"]);
    assert_eq!(ended.status, 0, "{}", ended.err);
    assert!(ended.out.starts_with("p.Door: ") && ended.out.contains("page in "), "{}", ended.out);
    assert!(class().contains("moves &lt;a bit&gt;"), "{}", class());
}
