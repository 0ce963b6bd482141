//! Controllers of Spring MVC: `tests/cli/web`.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::subject::{Subject, end, program};
use tracewright_test_support::{junit_console_jar, mockito_jars, spring_jars};

/// The classes under test.
const CONTROLLERS: [&str; 2] = ["GreetingController", "GreetingPages"];

fn sources() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cli/web");
    let mut files: Vec<PathBuf> =
        std::fs::read_dir(folder).expect("sources").map(|entry| entry.expect("an entry").path()).collect();
    files.sort();
    files
}

/// The controllers, compiled against Spring, and the options of a generation.
fn generation(subject: &Subject, class_path: &[PathBuf]) -> Command {
    let mut command = program();
    command.current_dir(subject.folder.path()).args(["generate", "--progress", "none", "--steps", "700", "--seed", "1"]);
    for controller in CONTROLLERS {
        command.args(["--class", &format!("web.{controller}")]);
    }
    command.arg("--classpath").arg(std::env::join_paths(class_path).expect("a class path"));
    command.arg("--out").arg(subject.out()).arg("--report").arg(subject.folder.path().join("report"));
    command
}

/// Requests reach the controllers through MockMvc, beside plain calls. The written tests have passed
/// in fresh JVMs; here, javac accepts them without a warning.
#[test]
fn controllers_are_tested_by_requests() {
    let (Some(spring), Some(mockito)) = (spring_jars(), mockito_jars()) else { return };
    let libraries = [spring, mockito].concat();
    let subject = Subject::with_class_path(&sources(), &libraries);
    let class_path = [vec![subject.classes()], libraries].concat();
    let ended = end(&mut generation(&subject, &class_path));
    assert_eq!(ended.status, 0, "{}", ended.err);
    let report = subject.report();
    for class in &report.classes {
        assert_eq!(class.discarded.uncompilable, 0, "{}\n{}", class.name, ended.err);
    }
    // A request that is too wide for one line has a line for each call.
    let without_spaces = |text: &str| text.split_whitespace().collect::<String>();
    let [rest, pages] = CONTROLLERS.map(|controller| subject.source(&format!("web.{controller}")));
    for expected in [
        "MockMvcBuilders.standaloneSetup(controller).build()",
        "mockMvc.perform(get(\"/greetings/{id}\", ",
        "post(\"/greetings\").contentType(MediaType.APPLICATION_JSON).content(\"{",
        ".andExpect(status().isNotFound())",
        ".andExpect(status().isCreated())",
        "void show_",
    ] {
        assert!(without_spaces(&rest).contains(&without_spaces(expected)), "no {expected}: {rest}");
    }
    for expected in
        [".andExpect(view().name(\"greetings/list\"))", ".andExpect(redirectedUrl(\"/pages\"))", ".param(\"", "void list_"]
    {
        assert!(pages.contains(expected), "no {expected}: {pages}");
    }
    let Some(junit) = junit_console_jar() else { return };
    subject.compile_written_tests("web", &CONTROLLERS, &[class_path, vec![junit]].concat());
}

/// Without spring-test, controllers are called like other classes.
#[test]
fn controllers_are_called_where_spring_test_is_missing() {
    let (Some(spring), Some(mockito)) = (spring_jars(), mockito_jars()) else { return };
    let subject = Subject::with_class_path(&sources(), &spring);
    let is_test = |jar: &PathBuf| jar.file_name().is_some_and(|name| name.to_string_lossy().starts_with("spring-test-"));
    let libraries: Vec<PathBuf> = spring.into_iter().filter(|jar| !is_test(jar)).chain(mockito).collect();
    let ended = end(&mut generation(&subject, &[vec![subject.classes()], libraries].concat()));
    assert_eq!(ended.status, 0, "{}", ended.err);
    for controller in CONTROLLERS {
        let source = subject.source(&format!("web.{controller}"));
        assert!(!source.contains("MockMvc") && source.contains("new "), "{source}");
    }
}
