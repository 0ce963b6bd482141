//! Archives of the classes of the compiler and of JUnit, from which their JVMs start faster in later runs.
//!
//! Flows in: the configuration, the installation, the JDK. Flows out: the archives, which a thread beside the search of
//! a first run completes. Must not know how a JVM reads an archive.

use super::background::Background;
use super::compiler::WarmUp;
use super::installation::Installation;
use crate::config::{Budget, Config};
use crate::jvm::{ArchiveKind, ClassArchives, Compiler, Jdk, JunitJvm, JunitWorker, JvmError};
use crate::program::OLDEST_RELEASE;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// With less time, a run writes no archives: that takes about four seconds of a core.
const SHORTEST: Duration = Duration::from_secs(20);
/// A run that has nothing else to do waits so long for its archives.
const LAST_WAIT: Duration = Duration::from_secs(5);
/// Time limit of one archive. Only a JVM that hangs reaches it, also on a busy machine.
const LIMIT: Duration = Duration::from_secs(120);
/// The class of the tests that are run for the archive of JUnit.
const TESTS: &str = "WarmJupiter";

/// The archives for this JDK; `None` where there is no folder for them.
pub(super) fn open_archives(installation: &Installation, jdk: &Jdk) -> Option<ClassArchives> {
    let opened = ClassArchives::open(installation.cache.as_ref()?, jdk, &installation.junit_console);
    opened.inspect_err(|error| tracing::debug!("no archives of classes: {error}")).ok()
}

/// Writes the archives that are missing, in a thread of its own.
pub(super) fn write_beside(
    archives: &ClassArchives,
    config: &Config,
    installation: &Installation,
    jdk: &Jdk,
    temporary: &Path,
) -> Option<Background<()>> {
    let is_complete = [ArchiveKind::Compiler, ArchiveKind::Junit].into_iter().all(|kind| archives.has(kind));
    if is_complete || time_of(config).is_some_and(|time| time < SHORTEST) {
        return None;
    }
    let writing = Writing {
        archives: archives.clone(),
        jdk: jdk.clone(),
        junit: installation.junit_console.clone(),
        temporary: temporary.to_path_buf(),
        classes: temporary.join("archived"),
    };
    Some(Background::start("the archives of classes", move || {
        let written = writing.write_compiler().and_then(|()| writing.write_junit());
        tracing::debug!(?written, "the archives of classes");
    }))
}

/// Waits for the archives where the run has time left that began then. Those that are not complete are written by a
/// later run.
pub(super) fn wait_for_archives(writing: Option<Background<()>>, config: &Config, begin: Instant) {
    let longest = Instant::now() + LAST_WAIT;
    if let Some(writing) = writing {
        let _ = writing.wait(Some(time_of(config).map_or(longest, |time| longest.min(begin + time))));
    }
}

/// The time that the run has at least; `None` where steps are counted.
fn time_of(config: &Config) -> Option<Duration> {
    match config.budget {
        Budget::Time(each) => Some(config.total_budget.unwrap_or(each)),
        Budget::Steps(_) => None,
    }
}

/// What a thread needs that writes archives.
struct Writing {
    archives: ClassArchives,
    jdk: Jdk,
    junit: PathBuf,
    temporary: PathBuf,
    /// The folder of the tests that are compiled and run.
    classes: PathBuf,
}

impl Writing {
    /// The compiler reads and writes tests as it does in each run.
    fn write_compiler(&self) -> Result<(), JvmError> {
        let Some(archive) = self.archives.begin(ArchiveKind::Compiler)? else { return Ok(()) };
        let mut compiler = Compiler::start_archiving(&self.jdk, &self.temporary, archive)?;
        self.tests().apply(&mut compiler, &self.classes);
        compiler.leave_classes(LIMIT).then_some(()).ok_or(JvmError::Late)
    }

    /// JUnit runs the same tests.
    fn write_junit(&self) -> Result<(), JvmError> {
        let Some(archive) = self.archives.begin(ArchiveKind::Junit)? else { return Ok(()) };
        if !self.classes.join(TESTS).with_extension("class").exists() {
            let mut compiler = Compiler::start(&self.jdk, &self.temporary, Some(&self.archives))?;
            self.tests().apply(&mut compiler, &self.classes);
        }
        let jvm = JunitJvm::of(&self.jdk, &self.junit, &self.classes, &self.temporary);
        let worker = JunitWorker::start_archiving(&jvm, archive)?;
        worker.leave_classes(&[TESTS.to_owned()], LIMIT)?.then_some(()).ok_or(JvmError::Late)
    }

    fn tests(&self) -> WarmUp {
        WarmUp::of_tests(vec![self.junit.clone()], OLDEST_RELEASE, |class| class.starts_with("org/junit/"))
    }
}
