//! Parts of the environment that a test needs: jars, plugins, the agent. A missing part fails the
//! test in strict mode.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

/// Whether a missing part of the environment is a failure: `TRACEWRIGHT_STRICT=1`, as `.ci/run` and
/// `cargo xtask test` set it.
pub fn is_strict() -> bool {
    std::env::var_os("TRACEWRIGHT_STRICT").is_some_and(|value| value == "1")
}

/// Passes on a part of the environment that a test needs. `what` names the part and how to get it.
///
/// Where the part is missing, strict mode panics. Otherwise one line on standard error says what is
/// skipped, and the test returns early. The line bypasses the capture of the test harness, so that
/// it is also seen when the test passes.
#[track_caller]
pub fn require<T>(what: &str, found: Option<T>) -> Option<T> {
    if found.is_none() {
        let test = std::thread::current().name().unwrap_or("a test").to_owned();
        assert!(!is_strict(), "TRACEWRIGHT_STRICT=1, but this is missing: {what}");
        // A closed standard error must not fail the test.
        let _ = writeln!(std::io::stderr(), "SKIPPED {test}: missing: {what}");
    }
    found
}

/// The paths in a variable of the environment, separated as in `PATH`; `None` where it is unset or
/// empty.
pub fn environment_paths(variable: &str) -> Option<Vec<PathBuf>> {
    let value = std::env::var_os(variable)?;
    let paths: Vec<PathBuf> = std::env::split_paths(&value).filter(|path| !path.as_os_str().is_empty()).collect();
    (!paths.is_empty()).then_some(paths)
}

/// The file of a program that is found on the `PATH`.
pub fn find_on_path(program: impl AsRef<Path>) -> Option<PathBuf> {
    environment_paths("PATH")?.into_iter().map(|folder| folder.join(&program)).find(|file| file.is_file())
}

/// The jars that a variable names, else those that `cargo xtask setup` put into
/// `target/jars/<folder>`, by name.
fn jars(variable: &str, folder: &str) -> Option<Vec<PathBuf>> {
    let fetched = || {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/jars").join(folder).canonicalize().ok()?;
        let paths = std::fs::read_dir(folder).ok()?.filter_map(|entry| Some(entry.ok()?.path()));
        let mut jars: Vec<PathBuf> = paths.filter(|path| path.extension().is_some_and(|end| end == "jar")).collect();
        jars.sort();
        (!jars.is_empty()).then_some(jars)
    };
    environment_paths(variable).or_else(fetched)
}

/// Those jars whose file names begin with `prefix`; `None` where there are none.
fn named(jars: Option<Vec<PathBuf>>, prefix: &str) -> Option<Vec<PathBuf>> {
    let is_named = |jar: &PathBuf| jar.file_name().is_some_and(|name| name.to_string_lossy().starts_with(prefix));
    jars.map(|jars| jars.into_iter().filter(is_named).collect::<Vec<_>>()).filter(|jars| !jars.is_empty())
}

/// Jars of open-source libraries, on which general properties are tested.
#[track_caller]
pub fn development_jars() -> Option<Vec<PathBuf>> {
    require("library jars in TRACEWRIGHT_LAW_JARS; `cargo xtask setup` fetches them", jars("TRACEWRIGHT_LAW_JARS", "development"))
}

/// The library jar whose file name begins with `prefix`, for instance `commons-lang3-`.
#[track_caller]
pub fn development_jar(prefix: &str) -> Option<PathBuf> {
    let found = named(jars("TRACEWRIGHT_LAW_JARS", "development"), prefix).and_then(|mut jars| jars.pop());
    require(&format!("{prefix}*.jar in TRACEWRIGHT_LAW_JARS; `cargo xtask setup` fetches it"), found)
}

/// The standalone console jar of JUnit 5.
#[track_caller]
pub fn junit_console_jar() -> Option<PathBuf> {
    let found = named(jars("TRACEWRIGHT_JUNIT", "junit"), "junit-platform-console").and_then(|mut jars| jars.pop());
    require("the JUnit console jar in TRACEWRIGHT_JUNIT; `cargo xtask setup` fetches it", found)
}

/// The jars of JUnit 4 and Hamcrest.
#[track_caller]
pub fn junit_4_jars() -> Option<Vec<PathBuf>> {
    let all = jars("TRACEWRIGHT_JUNIT4", "junit");
    let found = named(all.clone(), "junit-4").zip(named(all, "hamcrest")).map(|(junit, hamcrest)| [junit, hamcrest].concat());
    require("the jars of JUnit 4 and Hamcrest in TRACEWRIGHT_JUNIT4; `cargo xtask setup` fetches them", found)
}

/// Mockito and its dependencies.
#[track_caller]
pub fn mockito_jars() -> Option<Vec<PathBuf>> {
    let all = jars("TRACEWRIGHT_MOCKITO", "mocking");
    let found = all.filter(|jars| named(Some(jars.clone()), "mockito-core").is_some());
    require("the Mockito jars in TRACEWRIGHT_MOCKITO; `cargo xtask setup` fetches them", found)
}

/// AssertJ with its dependency.
#[track_caller]
pub fn assertj_jars() -> Option<Vec<PathBuf>> {
    let all = jars("TRACEWRIGHT_ASSERTJ", "assertj");
    let found = all.filter(|jars| named(Some(jars.clone()), "assertj-core").is_some());
    require("the AssertJ jars in TRACEWRIGHT_ASSERTJ; `cargo xtask setup` fetches them", found)
}

/// spring-test and spring-webmvc with their dependencies, the servlet API, Jackson and Hamcrest.
#[track_caller]
pub fn spring_jars() -> Option<Vec<PathBuf>> {
    let all = jars("TRACEWRIGHT_SPRING", "spring");
    let found = all.filter(|jars| named(Some(jars.clone()), "spring-test").is_some());
    require("the Spring jars in TRACEWRIGHT_SPRING; `cargo xtask setup` fetches them", found)
}

/// The agent library: the one that `TRACEWRIGHT_AGENT` names, else one built now with the profile
/// of the running test.
///
/// Building it here keeps a test that runs alone from meeting an outdated agent.
pub fn agent_library() -> PathBuf {
    static AGENT: OnceLock<PathBuf> = OnceLock::new();
    let build = || {
        if let Some(agent) = std::env::var_os("TRACEWRIGHT_AGENT") {
            return agent.into();
        }
        let test = std::env::current_exe().expect("a test has a path");
        // target/<profile>/deps/<test>
        let folder = test.parent().and_then(Path::parent).expect("the layout of cargo");
        let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| env!("CARGO").into()));
        cargo.args(["build", "--quiet", "--package", "tracewright-agent"]);
        if folder.ends_with("release") {
            cargo.arg("--release");
        }
        assert!(cargo.status().expect("cargo starts").success(), "the agent does not build");
        folder.join(format!("{}tracewright_agent{}", std::env::consts::DLL_PREFIX, std::env::consts::DLL_SUFFIX))
    };
    AGENT.get_or_init(build).clone()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unset_variables_have_no_paths() {
        assert_eq!(environment_paths("TRACEWRIGHT_NO_SUCH_VARIABLE"), None);
        assert_eq!(jars("TRACEWRIGHT_NO_SUCH_VARIABLE", "no-such-folder"), None);
    }

    #[test]
    fn programs_are_found_on_the_path() {
        assert!(find_on_path("sh").is_some_and(|file| file.is_absolute()));
        assert_eq!(find_on_path("no-such-program"), None);
    }

    #[test]
    fn jars_are_chosen_by_the_start_of_their_names() {
        let jars = ["a/junit-4.13.jar", "a/junit-platform.jar"].map(PathBuf::from).to_vec();
        assert_eq!(named(Some(jars.clone()), "junit-4"), Some(vec![jars[0].clone()]));
        assert_eq!(named(Some(jars), "hamcrest"), None);
    }

    #[test]
    fn a_missing_part_is_skipped_or_fails_in_strict_mode() {
        assert_eq!(require("nothing", Some(1)), Some(1));
        let missing = std::panic::catch_unwind(|| require::<()>("a part of this test", None));
        assert_eq!(missing.is_err(), is_strict());
    }
}
