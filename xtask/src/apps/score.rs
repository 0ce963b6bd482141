//! Compiles written tests, runs them alone and measures what they cover.
//!
//! In: a built application and the folder of its tests. Out: a [`Score`]. A test counts for the
//! coverage only if it passes in order and shuffled.

use super::collaborators::Collaborators;
use super::coverage::{self, Coverage};
use super::project::Built;
use super::removed_calls::{self, RemovedCalls};
use crate::setup::{CoverageTools, java_tool};
use anyhow::{Context, Result, bail};
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use walkdir::WalkDir;

/// Seed of the shuffled run.
const SHUFFLE_SEED: u32 = 1;
/// Jars that the console launcher of JUnit contains in one version.
const IN_LAUNCHER: [&str; 4] = ["junit-jupiter", "junit-platform", "opentest4j", "apiguardian"];

/// What running the tests gave.
#[derive(Debug, Default)]
pub(super) struct Score {
    /// Tests that passed in order and shuffled.
    pub passed: u64,
    /// Files that do not compile.
    pub uncompilable_files: u64,
    /// Files for which javac has a warning with `-Xlint:all`.
    pub files_with_warnings: u64,
    /// Tests that failed in order.
    pub failing: BTreeSet<String>,
    /// Tests that passed in order and failed shuffled.
    pub flaky: BTreeSet<String>,
    /// Coverage by binary name of the outermost class.
    pub coverage: BTreeMap<String, Coverage>,
    /// Mutants that remove a call on a collaborator.
    pub removed_calls: RemovedCalls,
}

/// Compiles and runs the tests below `work/tests`.
///
/// # Errors
/// A tool of Java does not start, the JVM of the tests ends without results, or JaCoCo fails.
pub(super) fn score(
    built: &Built,
    work: &Path,
    junit: &Path,
    tools: &CoverageTools,
    collaborators: &Collaborators,
) -> Result<Score> {
    let run = TestRun { built, work, junit, tools, classes: work.join("test-classes"), data: work.join("jacoco.exec") };
    let (files, uncompilable_files) = run.compile()?;
    let mut score = Score { uncompilable_files, files_with_warnings: run.warnings()?, ..Score::default() };
    let _ = fs::remove_file(&run.data);
    if files > uncompilable_files {
        let first = run.execute(true, false, &BTreeSet::new())?;
        score.failing = first.failed;
        score.flaky = run.execute(false, true, &score.failing)?.failed;
        let left_out: BTreeSet<String> = score.failing.union(&score.flaky).cloned().collect();
        score.passed = first.passed.difference(&left_out).count() as u64;
        if !left_out.is_empty() {
            run.execute(true, false, &left_out)?;
        }
        let tests: BTreeSet<String> = first.passed.iter().filter_map(|test| Some(test.split_once('#')?.0.to_owned())).collect();
        let class_path =
            std::env::join_paths(std::iter::once(run.classes.clone()).chain(std::env::split_paths(&run.class_path()?)))?;
        let tests: Vec<String> = tests.into_iter().collect();
        score.removed_calls = removed_calls::measure(&tools.pit, &class_path, &tests, collaborators, work)?;
    }
    score.coverage = run.coverage()?;
    Ok(score)
}

/// The tests of an application.
struct TestRun<'a> {
    built: &'a Built,
    work: &'a Path,
    junit: &'a Path,
    tools: &'a CoverageTools,
    /// Where compiled tests go.
    classes: PathBuf,
    /// Where JaCoCo writes.
    data: PathBuf,
}

/// The outcomes of one run, as `CLASS#METHOD`.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct TestOutcomes {
    pub passed: BTreeSet<String>,
    pub failed: BTreeSet<String>,
}

impl TestRun<'_> {
    /// The class path of the tests.
    fn class_path(&self) -> Result<std::ffi::OsString> {
        class_path_with_junit(self.built, self.junit)
    }

    /// Compiles all files. Returns the number of files and of those left out.
    fn compile(&self) -> Result<(u64, u64)> {
        let compiled = compile(&java_tool("javac"), self.work, &self.class_path()?, &self.classes)?;
        Ok((compiled.files.len() as u64 + compiled.rejected, compiled.rejected))
    }

    /// The number of files for which javac has a warning, of those that compile.
    fn warnings(&self) -> Result<u64> {
        let output = Command::new(java_tool("javac"))
            .args(["-Xlint:all", "-proc:none", "-implicit:none", "-encoding", "UTF-8", "-Xmaxwarns", "10000", "-cp"])
            .arg(self.class_path()?)
            .arg("-d")
            .arg(&self.classes)
            .arg(format!("@{}", self.work.join("javac.txt").display()))
            .output()
            .context("javac cannot be started")?;
        let said = String::from_utf8_lossy(&output.stderr);
        fs::write(self.work.join("javac-warnings.txt"), said.as_bytes())?;
        Ok(files_with(&said, ": warning:").len() as u64)
    }

    /// Runs the tests but these.
    fn execute(&self, measured: bool, shuffled: bool, left_out: &BTreeSet<String>) -> Result<TestOutcomes> {
        let reports = self.work.join("junit");
        let _ = fs::remove_dir_all(&reports);
        let class_path = self.class_path()?;
        let mut java = Command::new(java_tool("java"));
        java.args(["-ea", "-Xmx1g", "-Djava.awt.headless=true", "-Duser.timezone=UTC"]);
        if measured {
            let _ = fs::remove_file(&self.data);
            let packages = packages(&self.built.classes);
            java.arg(format!("-javaagent:{}=destfile={},includes={packages}", self.tools.agent.display(), self.data.display()));
        }
        java.arg("-cp")
            .arg(std::env::join_paths(std::iter::once(self.classes.clone()).chain(std::env::split_paths(&class_path)))?)
            .arg("org.junit.platform.console.ConsoleLauncher")
            .args(["execute", "--disable-banner", "--details", "none", "--scan-class-path"])
            .arg(&self.classes)
            .arg("--reports-dir")
            .arg(&reports)
            .args(["--include-classname", ".*"]);
        if shuffled {
            for kind in [
                "testclass.order.default=org.junit.jupiter.api.ClassOrderer$Random",
                "testmethod.order.default=org.junit.jupiter.api.MethodOrderer$Random",
            ] {
                java.arg("--config").arg(format!("junit.jupiter.{kind}"));
            }
            java.arg("--config").arg(format!("junit.jupiter.execution.order.random.seed={SHUFFLE_SEED}"));
        }
        for test in left_out {
            java.arg("--exclude-methodname").arg(format!("^{}$", test.replace('.', "\\.").replace('$', "\\$")));
        }
        // A failing test makes the exit status 1, which the reports say in detail.
        java.current_dir(self.work)
            .stdin(Stdio::null())
            .stdout(fs::File::create(self.work.join("junit.txt"))?)
            .stderr(Stdio::null())
            .status()
            .context("java cannot be started")?;
        let mut outcomes = TestOutcomes::default();
        let mut found = false;
        for entry in WalkDir::new(&reports).sort_by_file_name().into_iter().filter_map(Result::ok) {
            if entry.file_type().is_file() {
                found = true;
                read_outcomes(&fs::read_to_string(entry.path())?, &mut outcomes);
            }
        }
        if !found {
            bail!("the JVM of the tests ended without results, see {}", self.work.join("junit.txt").display());
        }
        Ok(outcomes)
    }

    /// JaCoCo's coverage of every class of the application.
    fn coverage(&self) -> Result<BTreeMap<String, Coverage>> {
        let csv = self.work.join("jacoco.csv");
        let mut java = Command::new(java_tool("java"));
        java.arg("-jar").arg(&self.tools.cli).arg("report");
        if self.data.is_file() {
            java.arg(&self.data);
        }
        java.arg("--classfiles").arg(&self.built.classes).arg("--csv").arg(&csv).arg("--quiet");
        crate::run::check(&mut java).context("JaCoCo cannot report")?;
        coverage::read(&fs::read_to_string(&csv)?)
    }
}

/// The classes of an application with all that its tests need. JUnit is that of the console
/// launcher, in one version.
///
/// # Errors
/// A path contains the separator of class paths.
pub(crate) fn class_path_with_junit(built: &Built, junit: &Path) -> Result<std::ffi::OsString> {
    let others = built.dependencies.iter().filter(|jar| {
        let name = jar.file_name().unwrap_or_default().to_string_lossy();
        !IN_LAUNCHER.iter().any(|prefix| name.starts_with(prefix))
    });
    let first = [junit, &built.classes];
    Ok(std::env::join_paths(first.into_iter().chain(others.map(PathBuf::as_path)))?)
}

/// Files of tests that javac was given.
pub(crate) struct CompiledTests {
    /// Files that compile.
    pub files: Vec<String>,
    /// The number of files that do not.
    pub rejected: u64,
}

/// Compiles all files below `work/tests` into a folder. A file with an error is left out until the
/// others compile.
///
/// # Errors
/// javac cannot be started, or fails without naming a file.
pub(crate) fn compile(javac: &Path, work: &Path, class_path: &OsStr, classes: &Path) -> Result<CompiledTests> {
    let mut files: Vec<String> = java_files(&work.join("tests"));
    let all = files.len();
    while !files.is_empty() {
        let _ = fs::remove_dir_all(classes);
        fs::create_dir_all(classes)?;
        let list = work.join("javac.txt");
        fs::write(&list, files.iter().map(|file| format!("\"{file}\"\n")).collect::<String>())?;
        let output = Command::new(javac)
            .args(["-g", "-proc:none", "-nowarn", "-implicit:none", "-encoding", "UTF-8", "-Xmaxerrs", "10000", "-cp"])
            .arg(class_path)
            .arg("-d")
            .arg(classes)
            .arg(format!("@{}", list.display()))
            .output()
            .context("javac cannot be started")?;
        if output.status.success() {
            break;
        }
        let said = String::from_utf8_lossy(&output.stderr);
        fs::write(work.join("javac-errors.txt"), said.as_bytes())?;
        let wrong = files_with(&said, ": error:");
        let before = files.len();
        files.retain(|file| !wrong.contains(file.as_str()));
        if files.len() == before {
            bail!("javac rejects the tests: {}", said.lines().next().unwrap_or_default());
        }
    }
    let rejected = (all - files.len()) as u64;
    Ok(CompiledTests { files, rejected })
}

/// All Java files below a folder, sorted.
pub(crate) fn java_files(folder: &Path) -> Vec<String> {
    WalkDir::new(folder)
        .sort_by_file_name()
        .into_iter()
        .filter_map(Result::ok)
        .filter(|entry| entry.path().extension().is_some_and(|extension| extension == "java"))
        .map(|entry| entry.path().to_string_lossy().into_owned())
        .collect()
}

/// The files about which javac has messages of this kind.
fn files_with<'s>(said: &'s str, kind: &str) -> BTreeSet<&'s str> {
    let files = said.lines().filter(|line| line.contains(kind));
    files.filter_map(|line| Some(&line[..line.find(".java:")? + ".java".len()])).collect()
}

/// Patterns for the packages of all classes below a folder, for JaCoCo.
pub(crate) fn packages(classes: &Path) -> String {
    let mut packages = BTreeSet::new();
    for entry in WalkDir::new(classes).into_iter().filter_map(Result::ok) {
        let is_class = entry.path().extension().is_some_and(|extension| extension == "class");
        let folder = entry.path().parent().and_then(|folder| folder.strip_prefix(classes).ok());
        if let Some(folder) = folder.filter(|_| is_class) {
            let package = folder.to_string_lossy().replace('/', ".");
            packages.insert(if package.is_empty() { "*".to_owned() } else { format!("{package}.*") });
        }
    }
    packages.into_iter().collect::<Vec<_>>().join(":")
}

/// Adds the test cases of one of JUnit's XML reports.
pub(crate) fn read_outcomes(xml: &str, outcomes: &mut TestOutcomes) {
    for case in xml.split("<testcase ").skip(1) {
        let case = case.split("</testcase>").next().unwrap_or(case);
        let attribute = |name: &str| {
            let rest = case.split_once(&format!("{name}=\""))?.1;
            Some(rest.split_once('"')?.0)
        };
        // `classname` ends with the letters of `name`, so that its value is looked up first.
        let Some(class) = attribute("classname") else { continue };
        let name = case.strip_prefix("name=\"").and_then(|rest| rest.split_once('"')).map(|(name, _)| name);
        let Some(name) = name.or_else(|| attribute(" name")) else { continue };
        let method = name.split(['(', '{', '[', ' ']).next().unwrap_or(name);
        let test = format!("{class}#{method}");
        if case.contains("<failure") || case.contains("<error") {
            outcomes.passed.remove(&test);
            outcomes.failed.insert(test);
        } else if !case.contains("<skipped") && !outcomes.failed.contains(&test) {
            outcomes.passed.insert(test);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outcomes_are_those_of_junits_report() {
        let xml = r#"<testsuite name="JUnit"><testcase name="a()" classname="p.ATest" time="0"><system-out>x</system-out></testcase>
            <testcase name="b()" classname="p.ATest"><failure message="m"/></testcase>
            <testcase name="c(int)[1]" classname="p.ATest"></testcase><testcase name="c(int)[2]" classname="p.ATest"><error/></testcase>
            <testcase name="d()" classname="p.ATest"><skipped/></testcase></testsuite>"#;
        let mut outcomes = TestOutcomes::default();
        read_outcomes(xml, &mut outcomes);
        assert_eq!(outcomes.passed, BTreeSet::from(["p.ATest#a".to_owned()]));
        assert_eq!(outcomes.failed, BTreeSet::from(["p.ATest#b".to_owned(), "p.ATest#c".to_owned()]));
    }

    #[test]
    fn javac_names_the_wrong_files() {
        let said = "/t/A.java:3: error: cannot find symbol\n  x\n/t/B.java:1: warning: y\n/t/A.java:9: error: z\n";
        assert_eq!(files_with(said, ": error:"), BTreeSet::from(["/t/A.java"]));
        assert_eq!(files_with(said, ": warning:"), BTreeSet::from(["/t/B.java"]));
    }
}
