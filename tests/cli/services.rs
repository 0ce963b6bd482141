//! Services with collaborators, whose methods have every kind of type: `tests/cli/services`.

use std::path::{Path, PathBuf};

use crate::subject::{Subject, end};
use tracewright_test_support::junit_console_jar;

/// The classes under test.
const SERVICES: [&str; 5] = ["OwnerService", "FinderService", "CodecService", "ShapeService", "Registry"];
/// Most methods of an anonymous class.
const LONGEST_STUB: usize = 3;

fn sources() -> Vec<(String, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cli/services");
    let mut files: Vec<PathBuf> =
        std::fs::read_dir(folder).expect("services").map(|entry| entry.expect("an entry").path()).collect();
    files.sort();
    let name = |path: &PathBuf| path.file_name().expect("a name").to_string_lossy().into_owned();
    files.iter().map(|path| (name(path), std::fs::read_to_string(path).expect("readable"))).collect()
}

/// Every branch of every service is in a written test, and javac accepts each test as it was first
/// written, without a warning.
#[test]
fn services_are_covered_by_tests_that_compile() {
    let sources = sources();
    let sources: Vec<(&str, &str)> = sources.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
    let subject = Subject::of(&sources);
    let mut command = subject.generate(&format!("services.{}", SERVICES[0]));
    for service in &SERVICES[1..] {
        command.args(["--class", &format!("services.{service}")]);
    }
    let ended = end(command.args(["--steps", "800", "--seed", "1", "--junit", "5"]));
    assert_eq!(ended.status, 0, "{}", ended.err);
    let report = subject.report();
    let mut wrong = Vec::new();
    for class in &report.classes {
        let branches = &class.goals.branch;
        if class.discarded.uncompilable > 0 || branches.covered < branches.total || branches.total == 0 {
            wrong.push(format!(
                "{}: {} of {} branches, {} uncompilable\n{}",
                class.name,
                branches.covered,
                branches.total,
                class.discarded.uncompilable,
                subject.source(&class.name)
            ));
        }
    }
    assert!(wrong.is_empty(), "{}\n{}", wrong.join("\n"), ended.err);
    assert_eq!(report.classes.len(), SERVICES.len());
    let texts: Vec<String> = SERVICES.iter().map(|service| subject.source(&format!("services.{service}"))).collect();
    for text in &texts {
        let in_stub = text.split("() {\n").skip(1).map(|body| body.split("\n        };").next().unwrap_or_default());
        let longest = in_stub.map(|body| body.matches("@Override").count()).max().unwrap_or_default();
        assert!(longest <= LONGEST_STUB, "{text}");
    }
    assert!(texts[0].contains("stub(OwnerRepository.class, "), "{}", texts[0]);
    let Some(junit) = junit_console_jar() else { return };
    subject.compile_written_tests("services", &SERVICES, &[junit]);
}
