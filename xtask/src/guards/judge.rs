//! The goals that written tests reach.
//!
//! In: guards and the folder of their tests. Out: reached goals. The tests run against copies of
//! the guards that report each goal, so that the verdict does not depend on the program's own
//! figures.

use crate::run::check;
use anyhow::{Context, Result};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use tracewright_jdk::JdkHome;
use tracewright_test_support::guards::Guard;

/// The Java class that marked guards call at each goal.
const REACHED: &str = "package samples.guards;

public class Reached {
    private static final java.util.Set<String> GOALS = new java.util.HashSet<>();

    public static synchronized void goal(String goal) {
        if (GOALS.add(goal)) {
            try {
                java.nio.file.Files.writeString(java.nio.file.Path.of(System.getProperty(\"goals\")), goal + \"\\n\",
                        java.nio.file.StandardOpenOption.CREATE, java.nio.file.StandardOpenOption.APPEND);
            } catch (java.io.IOException failed) {
                throw new java.io.UncheckedIOException(failed);
            }
        }
    }
}
";

/// The goals that the tests below `tests` reach, each as `NAME LINE`. `home` is a JDK for the
/// release of the guards.
///
/// # Errors
/// The tests do not compile against the marked guards, or Java does not start.
pub(super) fn reached(guards: &[&Guard], tests: &Path, home: &Path, junit: &Path, work: &Path) -> Result<BTreeSet<String>> {
    let _ = fs::remove_dir_all(work);
    let (sources, classes, hits) = (work.join("sources"), work.join("classes"), work.join("goals.txt"));
    fs::create_dir_all(&sources)?;
    let mut files = vec![sources.join("Reached.java")];
    fs::write(&files[0], REACHED)?;
    for guard in guards {
        let file = sources.join(format!("{}.java", guard.name));
        fs::write(&file, guard.marked())?;
        files.push(file);
        let written = tests.join(format!("{}TracewrightTest.java", guard.class().replace('.', "/")));
        files.extend(Some(written).filter(|file| file.is_file()));
    }
    check(
        Command::new(home.join("bin/javac"))
            .args(["-nowarn", "-Xlint:none", "-cp"])
            .arg(junit)
            .arg("-d")
            .arg(&classes)
            .args(files),
    )
    .context("the tests do not compile against the marked guards")?;
    // The exit status is ignored: a failing test counts for the goals that it reaches.
    Command::new(home.join("bin/java"))
        .arg(format!("-Dgoals={}", hits.display()))
        .args(["-jar".as_ref(), junit.as_os_str()])
        .args(["execute", "--disable-banner", "--details", "none", "--class-path"])
        .arg(&classes)
        .arg("--scan-class-path")
        .arg(&classes)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .context("cannot start java")?;
    Ok(fs::read_to_string(&hits).unwrap_or_default().lines().map(str::to_owned).collect())
}

/// The newest installed JDK with a compiler, and its feature version.
pub(crate) fn newest_jdk() -> Option<(u32, PathBuf)> {
    JdkHome::installed().pop().map(|jdk| (jdk.version, jdk.path))
}

/// The feature version of the JDK in a folder.
pub(crate) fn version(home: &Path) -> Option<u32> {
    JdkHome::open(home).ok().map(|jdk| jdk.version)
}
