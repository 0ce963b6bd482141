//! Mutants that remove a call on a collaborator, by PIT.
//!
//! In: a built application, its compiled tests that pass, and its classes with collaborators. Out:
//! the killed mutants and all of them, and the surviving ones as lines. PIT removes each call of a
//! method; only calls on collaborators of the class count here. A timeout is a kill.

use super::collaborators::Collaborators;
use crate::effectiveness::Covered;
use crate::setup::java_tool;
use anyhow::{Context, Result, bail};
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// PIT's operators that remove a call.
const OPERATORS: &str = "VOID_METHOD_CALLS,NON_VOID_METHOD_CALLS";
/// What PIT's mutants are described by, before the called method.
const DESCRIPTION: &str = "removed call to ";

/// Mutants that remove a call on a collaborator.
#[derive(Debug, Default, PartialEq)]
pub(super) struct RemovedCalls {
    /// Killed ones, and all.
    pub mutants: Covered,
    /// `CLASS:LINE METHOD` of those that survive.
    pub surviving: Vec<String>,
}

/// Runs PIT on the classes with collaborators. `class_path`: the tests, the classes and everything
/// that they need.
///
/// # Errors
/// PIT does not start or writes no report.
pub(super) fn measure(
    pit: &[PathBuf],
    class_path: &OsStr,
    tests: &[String],
    collaborators: &Collaborators,
    work: &Path,
) -> Result<RemovedCalls> {
    if tests.is_empty() || collaborators.is_empty() {
        return Ok(RemovedCalls::default());
    }
    let folder = work.join("pit");
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder)?;
    let of_tests: Vec<String> = std::env::split_paths(class_path).map(|path| path.to_string_lossy().into_owned()).collect();
    let of_pit: Vec<String> = pit.iter().map(|jar| jar.to_string_lossy().into_owned()).collect();
    let status = Command::new(java_tool("java"))
        .arg("-cp")
        .arg(std::env::join_paths(pit.iter().cloned().chain(std::env::split_paths(class_path)))?)
        .arg("org.pitest.mutationtest.commandline.MutationCoverageReport")
        .arg("--reportDir")
        .arg(&folder)
        .arg("--sourceDirs")
        .arg(work.join("tests"))
        .arg("--targetClasses")
        .arg(collaborators.keys().cloned().collect::<Vec<_>>().join(","))
        .arg("--targetTests")
        .arg(tests.join(","))
        .arg("--classPath")
        .arg([of_tests, of_pit].concat().join(","))
        .args(["--mutators", OPERATORS, "--outputFormats", "XML", "--timestampedReports=false"])
        .args(["--includeLaunchClasspath", "false", "--skipFailingTests=true", "--failWhenNoMutations=false"])
        .args(["--threads", "2", "--timeoutConst", "4000", "--jvmArgs", "-Xmx1g,-Djava.awt.headless=true,-Duser.timezone=UTC"])
        .arg("--jvmPath")
        .arg(java_tool("java"))
        .current_dir(&folder)
        .stdin(Stdio::null())
        .stdout(fs::File::create(folder.join("output.txt"))?)
        .stderr(fs::File::create(folder.join("errors.txt"))?)
        .status()
        .context("java cannot be started")?;
    let report = folder.join("mutations.xml");
    if !status.success() || !report.is_file() {
        bail!("PIT ended with {status}, see {}", folder.join("output.txt").display());
    }
    Ok(read(&fs::read_to_string(report)?, collaborators))
}

/// The mutants of PIT's report that remove a call on a collaborator.
fn read(xml: &str, collaborators: &Collaborators) -> RemovedCalls {
    let mut found = RemovedCalls::default();
    for mutant in xml.split("<mutation ").skip(1) {
        let element = |name: &str| {
            let rest = mutant.split_once(&format!("<{name}>"))?.1;
            Some(rest.split_once("</")?.0)
        };
        let status = mutant.split_once("status='").and_then(|(_, rest)| rest.split_once('\'')).map_or("", |(status, _)| status);
        let (Some(class), Some(description)) = (element("mutatedClass"), element("description")) else { continue };
        let Some((owner, method)) = description.strip_prefix(DESCRIPTION).and_then(|called| called.split_once("::")) else {
            continue;
        };
        let owner = owner.replace('/', ".");
        let is_collaborator = collaborators.get(class).is_some_and(|types| types.contains(&owner));
        if !is_collaborator || status == "NON_VIABLE" {
            continue;
        }
        found.mutants.total += 1;
        if matches!(status, "KILLED" | "TIMED_OUT" | "MEMORY_ERROR") {
            found.mutants.covered += 1;
        } else {
            let line = element("lineNumber").unwrap_or_default();
            found.surviving.push(format!("{class}:{line} {owner}.{method} ({status})"));
        }
    }
    found.surviving.sort();
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn removed_calls_on_collaborators_count() {
        let mutant = |class: &str, status: &str, called: &str| {
            format!(
                "<mutation detected='x' status='{status}' numberOfTestsRun='1'><mutatedClass>{class}</mutatedClass>\
                 <lineNumber>7</lineNumber><description>removed call to {called}</description></mutation>\n"
            )
        };
        let xml = format!(
            "<mutations>{}{}{}{}{}</mutations>",
            mutant("p.Service", "KILLED", "p/Repo::save"),
            mutant("p.Service", "SURVIVED", "p/Repo::find"),
            mutant("p.Service", "SURVIVED", "p/Entity::name"),
            mutant("p.Service", "NON_VIABLE", "p/Repo::save"),
            mutant("p.Other", "NO_COVERAGE", "p/Repo::save"),
        );
        let collaborators = Collaborators::from([("p.Service".to_owned(), BTreeSet::from(["p.Repo".to_owned()]))]);
        let found = read(&xml, &collaborators);
        assert_eq!(found.mutants, Covered { covered: 1, total: 2 });
        assert_eq!(found.surviving, ["p.Service:7 p.Repo.find (SURVIVED)"]);
    }
}
