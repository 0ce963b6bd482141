//! The ways in which written tests run: other machines, other orders, other neighbours.
//!
//! In: what the machine has (JDKs, programs). Out: a list of [`Way`]s, and sentences about those
//! that are skipped. Must not know how a JVM is started.

use std::path::{Path, PathBuf};

/// Runs with shuffled tests.
const SHUFFLES: u32 = 10;
/// Runs with some of the tests each.
const SUBSETS: u32 = 20;
/// User and group of nobody.
const NOBODY: &str = "65534";

/// What runs in one JVM, group by group.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Groups {
    /// The generated tests.
    #[default]
    Generated,
    /// The generated tests, twice.
    Twice,
    /// The hand-written tests, then the generated ones.
    AfterHandWritten,
    /// The generated tests, then the hand-written ones.
    BeforeHandWritten,
    /// The hand-written tests only.
    HandWritten,
    /// Each generated test in a JVM of its own.
    Alone,
    /// Half of the generated tests, drawn anew for each seed.
    Subset,
}

/// One way to run tests. Without changes it is a plain run.
#[derive(Clone, Debug, Default)]
pub(super) struct Way {
    /// Name for the table.
    pub name: String,
    /// Tests and their order.
    pub groups: Groups,
    /// Seeds of shuffled runs, one run each; empty for one run in JUnit's order.
    pub seeds: Vec<u32>,
    /// Parameters of JUnit, `KEY=VALUE`.
    pub junit: Vec<String>,
    /// Options of the JVM.
    pub jvm: Vec<String>,
    /// Home of another JDK.
    pub jdk: Option<PathBuf>,
    /// Whether the JVM starts without environment variables.
    pub empty_environment: bool,
    /// Variables that are set.
    pub variables: Vec<(String, String)>,
    /// A program with arguments that starts the JVM.
    pub wrapper: Vec<String>,
    /// Whether the JVM runs in a folder of its own.
    pub other_folder: bool,
}

/// What the ways depend on.
pub(super) struct Machine {
    /// Feature versions and homes of the JDKs for the module, oldest first.
    pub jdks: Vec<(u32, PathBuf)>,
    /// Variables that the sources of the module read.
    pub variables: Vec<String>,
    /// The library that fakes the clock.
    pub fake_clock: Option<PathBuf>,
    /// Whether `setpriv` can run a JVM as another user.
    pub other_user: bool,
    /// Whether `taskset` is installed.
    pub taskset: bool,
}

/// All ways for a machine, and why some are missing.
pub(super) fn ways(machine: &Machine) -> (Vec<Way>, Vec<String>) {
    let mut skipped = Vec::new();
    let mut ways = vec![
        Way { name: "shuffled".into(), seeds: (1..=SHUFFLES).collect(), ..Way::default() },
        Way { name: "subsets".into(), groups: Groups::Subset, seeds: (1..=SUBSETS).collect(), ..Way::default() },
        parallel(),
        Way { name: "zone".into(), variables: pairs(&[("TZ", "Pacific/Chatham")]), ..Way::default() },
        with_jvm("locale", &["-Duser.language=tr", "-Duser.country=TR"]),
        with_jvm("charset", &["-Dfile.encoding=ISO-8859-1", "-Dstdout.encoding=US-ASCII"]),
        Way { name: "empty environment".into(), empty_environment: true, ..Way::default() },
        full_environment(&machine.variables),
        one_core(machine.taskset),
        with_jvm("other user's name", &["-Duser.name=somebody", "-Duser.home=/nonexistent"]),
        Way { name: "other folder".into(), other_folder: true, ..Way::default() },
    ];
    if machine.other_user {
        ways.push(other_user());
    } else {
        skipped.push("other user: this needs root, setpriv, and files that everyone may read".into());
    }
    for (version, home) in &machine.jdks {
        ways.push(Way { name: format!("JDK {version}"), jdk: Some(home.clone()), ..Way::default() });
    }
    if machine.jdks.len() < 2 {
        skipped.push("another JDK: none is installed that can run the module".into());
    }
    match &machine.fake_clock {
        Some(library) => ways.push(later(library)),
        None => skipped.push("a year later: libfaketime is missing (Debian: apt-get install faketime)".into()),
    }
    ways.extend([
        grouped("twice", Groups::Twice),
        grouped("after hand-written", Groups::AfterHandWritten),
        grouped("before hand-written", Groups::BeforeHandWritten),
        grouped("alone", Groups::Alone),
    ]);
    (ways, skipped)
}

fn grouped(name: &str, groups: Groups) -> Way {
    Way { name: name.into(), groups, ..Way::default() }
}

fn with_jvm(name: &str, options: &[&str]) -> Way {
    Way { name: name.into(), jvm: options.iter().map(|option| option.to_string()).collect(), ..Way::default() }
}

fn pairs(variables: &[(&str, &str)]) -> Vec<(String, String)> {
    variables.iter().map(|(name, value)| (name.to_string(), value.to_string())).collect()
}

/// Every test may run beside every other.
fn parallel() -> Way {
    let parameters = ["enabled=true", "mode.default=concurrent", "mode.classes.default=concurrent"];
    let threads = ["config.strategy=fixed", "config.fixed.parallelism=8"];
    let junit = parameters.iter().chain(&threads).map(|one| format!("junit.jupiter.execution.parallel.{one}")).collect();
    Way { name: "parallel".into(), junit, ..Way::default() }
}

/// Every variable that the sources read is set, and some more.
fn full_environment(read: &[String]) -> Way {
    let mut variables: Vec<(String, String)> = read.iter().map(|name| (name.clone(), "/full/of/values".into())).collect();
    variables.extend(pairs(&[("CI", "true"), ("DEBUG", "1"), ("HOSTNAME", "full"), ("USER", "full"), ("LC_ALL", "C")]));
    Way { name: "full environment".into(), variables, ..Way::default() }
}

fn one_core(taskset: bool) -> Way {
    let mut way = with_jvm("one core", &["-XX:ActiveProcessorCount=1"]);
    if taskset {
        way.wrapper = ["taskset", "-c", "0"].map(str::to_owned).to_vec();
    }
    way
}

/// The beginning of a command that runs as the user `nobody`.
pub(super) fn as_nobody() -> Vec<String> {
    ["setpriv", "--reuid", NOBODY, "--regid", NOBODY, "--clear-groups"].map(str::to_owned).to_vec()
}

fn other_user() -> Way {
    Way { name: "other user".into(), wrapper: as_nobody(), other_folder: true, ..Way::default() }
}

/// The clock of the system says a year later; the monotonic clock must not, or JVMs hang. The library's fix for old
/// versions of glibc would end each timed wait at once.
fn later(library: &Path) -> Way {
    let library = library.to_string_lossy();
    let monotonic = [("FAKETIME_DONT_FAKE_MONOTONIC", "1"), ("FAKETIME_FORCE_MONOTONIC_FIX", "0")];
    let variables = [[("LD_PRELOAD", &*library), ("FAKETIME", "+365d")], monotonic].concat();
    Way { name: "a year later".into(), variables: pairs(&variables), ..Way::default() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn machine() -> Machine {
        Machine {
            jdks: vec![(17, "/j17".into()), (25, "/j25".into())],
            variables: vec!["HOME".into()],
            fake_clock: Some("/f.so".into()),
            other_user: true,
            taskset: true,
        }
    }

    #[test]
    fn a_complete_machine_skips_nothing() {
        let (ways, skipped) = ways(&machine());
        assert_eq!(skipped, [""; 0]);
        let names: std::collections::BTreeSet<&str> = ways.iter().map(|way| way.name.as_str()).collect();
        assert_eq!(names.len(), ways.len());
        assert!(["JDK 17", "JDK 25", "other user", "a year later", "alone"].iter().all(|name| names.contains(name)), "{names:?}");
        let full = ways.iter().find(|way| way.name == "full environment").expect("a way");
        assert!(full.variables.contains(&("HOME".into(), "/full/of/values".into())));
    }

    #[test]
    fn what_a_machine_lacks_is_said() {
        let (ways, skipped) =
            ways(&Machine { jdks: vec![(17, "/j".into())], fake_clock: None, other_user: false, taskset: false, ..machine() });
        let kinds: Vec<&str> = skipped.iter().filter_map(|reason| Some(reason.split_once(':')?.0)).collect();
        assert_eq!(kinds, ["other user", "another JDK", "a year later"]);
        assert!(ways.iter().all(|way| way.wrapper.is_empty()));
    }
}
