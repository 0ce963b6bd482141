//! Runs tests in JVMs of their own, one for each run of a way.
//!
//! In: a module with its compiled tests, and a [`Way`]. Out: a [`WayRow`]. `WorldRunner.java` runs
//! inside the JVM and writes what happened.

use super::figures::WayRow;
use super::ways::{Groups, Way};
use anyhow::{Context, Result, bail};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::time::Instant;
use walkdir::WalkDir;

/// The program inside the JVM.
const RUNNER: &str = include_str!("WorldRunner.java");
/// Files in the temporary folder that belong to the JVM.
const OF_JVM: [&str; 2] = ["hsperfdata_", ".java_pid"];

/// Compiles the runner into a jar.
///
/// # Errors
/// A tool of the JDK fails.
pub(super) fn runner_jar(jdk: &Path, junit: &Path, work: &Path) -> Result<PathBuf> {
    let (source, classes, jar) = (work.join("WorldRunner.java"), work.join("runner"), work.join("world-runner.jar"));
    fs::write(&source, RUNNER)?;
    let mut javac = Command::new(jdk.join("bin/javac"));
    javac.args(["--release", "17", "-Xlint:-options", "-cp"]).arg(junit).arg("-d").arg(&classes).arg(&source);
    crate::run::check(&mut javac)?;
    crate::run::check(Command::new(jdk.join("bin/jar")).arg("cf").arg(&jar).arg("-C").arg(&classes).arg("."))?;
    Ok(jar)
}

/// A module whose tests run.
pub(super) struct Tests {
    /// JUnit and the runner, which come first on the class path.
    pub launcher: [PathBuf; 2],
    /// The other entries of the class path.
    pub class_path: Vec<PathBuf>,
    /// Classes with generated tests.
    pub generated: Vec<String>,
    /// Classes with hand-written tests.
    pub hand_written: Vec<String>,
    /// Home of the JDK, unless the way names another.
    pub jdk: PathBuf,
    /// Folder for the files of all runs.
    pub work: PathBuf,
    /// File with tests to leave out.
    pub left_out: PathBuf,
    /// JVMs at the same time where each test runs alone.
    pub jobs: usize,
}

impl Tests {
    /// Runs the tests in one way. `tests` are the names of all generated tests, for the ways that
    /// choose among them.
    ///
    /// # Errors
    /// A JVM cannot be started, or a file cannot be written.
    pub(super) fn run(&self, way: &Way, tests: &BTreeSet<String>) -> Result<WayRow> {
        let start = Instant::now();
        let mut row = match way.groups {
            Groups::Alone => self.run_alone(way, tests)?,
            groups => {
                let mut row = WayRow::default();
                let seeds = way.seeds.iter().map(|seed| Some(*seed)).collect::<Vec<_>>();
                for seed in if seeds.is_empty() { vec![None] } else { seeds } {
                    let name = seed.map_or(String::new(), |seed| format!("-{seed}"));
                    let junit = [way.junit.clone(), seed.map(shuffle).unwrap_or_default()].concat();
                    let lines = match (groups, seed) {
                        (Groups::Subset, Some(seed)) => subset(tests, seed),
                        _ => self.lines(groups),
                    };
                    row.add(self.run_jvm(way, &name, &junit, &lines, &[])?);
                }
                row
            }
        };
        row.seconds = (start.elapsed().as_secs_f64() * 10.0).round() / 10.0;
        Ok(row)
    }

    /// Runs the generated tests with more options of the JVM, such as an agent.
    ///
    /// # Errors
    /// The JVM cannot be started.
    pub(super) fn run_measured(&self, options: &[String]) -> Result<WayRow> {
        let way = Way { name: "measured".into(), ..Way::default() };
        self.run_jvm(&way, "", &[], &self.lines(Groups::Generated), options)
    }

    /// What the runner runs.
    fn lines(&self, groups: Groups) -> Vec<String> {
        let then = ["--then".to_owned()];
        match groups {
            Groups::Generated | Groups::Alone | Groups::Subset => self.generated.clone(),
            Groups::Twice => [&self.generated[..], &then, &self.generated].concat(),
            Groups::AfterHandWritten => [&self.hand_written[..], &then, &self.generated].concat(),
            Groups::BeforeHandWritten => [&self.generated[..], &then, &self.hand_written].concat(),
            Groups::HandWritten => self.hand_written.clone(),
        }
    }

    /// Runs each test in a JVM of its own.
    fn run_alone(&self, way: &Way, tests: &BTreeSet<String>) -> Result<WayRow> {
        let archive = self.archive()?;
        let options = [
            format!("-XX:SharedArchiveFile={}", archive.display()),
            "-XX:TieredStopAtLevel=1".into(),
            "-XX:+UseSerialGC".into(),
            "-Xlog:disable".into(),
        ];
        let (queue, sum) = (Mutex::new(tests.iter()), Mutex::new(Ok(WayRow::default())));
        let next = || queue.lock().ok().and_then(|mut queue| queue.next());
        std::thread::scope(|scope| {
            for job in 0..self.jobs.max(1) {
                let (next, options, sum) = (&next, &options, &sum);
                scope.spawn(move || {
                    while let Some(test) = next() {
                        let run = self.run_jvm(way, &format!("-{job}"), &[], std::slice::from_ref(test), options);
                        let run = run.map(|run| run.of_test(test));
                        let Ok(mut sum) = sum.lock() else { return };
                        match (run, &mut *sum) {
                            (Ok(run), Ok(sum)) => sum.add(run),
                            (Err(error), Ok(_)) => *sum = Err(error),
                            (_, Err(_)) => return,
                        }
                    }
                });
            }
        });
        let mut row = sum.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner)?;
        row.runs = 1;
        Ok(row)
    }

    /// An archive of the launcher's classes, so that many JVMs start quickly.
    fn archive(&self) -> Result<PathBuf> {
        let archive = self.work.join("launcher.jsa");
        let nothing = self.work.join("nothing.txt");
        fs::write(&nothing, "")?;
        // The runner ends its JVM at once, which would skip the dump: JUnit's own program is used.
        Command::new(self.jdk.join("bin/java"))
            .arg(format!("-XX:ArchiveClassesAtExit={}", archive.display()))
            .arg("-XX:+UseSerialGC")
            .arg("-cp")
            .arg(std::env::join_paths(&self.launcher)?)
            .args(["org.junit.platform.console.ConsoleLauncher", "execute", "--disable-banner", "--select-class", "WorldRunner"])
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status()
            .context("java cannot be started")?;
        Ok(archive)
    }

    /// Runs one JVM. `suffix` keeps the files of its run apart.
    fn run_jvm(&self, way: &Way, suffix: &str, junit: &[String], lines: &[String], options: &[String]) -> Result<WayRow> {
        let folder = self.work.join("ways").join(format!("{}{suffix}", way.name.replace([' ', '\''], "-")));
        let _ = fs::remove_dir_all(&folder);
        let temporary = folder.join("tmp");
        fs::create_dir_all(&temporary)?;
        open_to_everyone(&[&folder, &temporary])?;
        let (results, list) = (folder.join("results.txt"), folder.join("tests.txt"));
        let parameters = junit.iter().map(|parameter| format!("--config {parameter}\n"));
        fs::write(&list, parameters.chain(lines.iter().map(|line| format!("{line}\n"))).collect::<String>())?;
        let java = way.jdk.as_ref().unwrap_or(&self.jdk).join("bin/java");
        let mut command = match way.wrapper.split_first() {
            Some((program, arguments)) => {
                let mut command = Command::new(program);
                command.args(arguments).arg(java);
                command
            }
            None => Command::new(java),
        };
        if way.empty_environment {
            command.env_clear();
        }
        command.envs(way.variables.iter().map(|(name, value)| (name, value)));
        command.args(["-ea", "-Xmx1g", "-Djava.awt.headless=true", "-XX:-UsePerfData", "-XX:+EnableDynamicAgentLoading"]);
        command.arg(format!("-Djava.io.tmpdir={}", temporary.display())).args(&way.jvm).args(options);
        command.arg("-cp").arg(self.whole_class_path()?).arg("WorldRunner").arg(&results).arg(&list).arg(&self.left_out);
        command.current_dir(if way.other_folder { &folder } else { &self.work });
        command.stdin(Stdio::null()).stdout(fs::File::create(folder.join("output.txt"))?);
        command.stderr(fs::File::create(folder.join("errors.txt"))?);
        command.status().context("java cannot be started")?;
        let text = fs::read_to_string(&results).unwrap_or_default();
        if text.is_empty() && !lines.is_empty() && way.name == "measured" {
            bail!("the JVM of the tests ended without results, see {}", folder.display());
        }
        let mut row = WayRow::of_results(&text);
        row.files_left = files_below(&temporary);
        Ok(row)
    }

    fn whole_class_path(&self) -> Result<OsString> {
        Ok(std::env::join_paths(self.launcher.iter().chain(&self.class_path))?)
    }
}

/// Parameters that shuffle classes and methods.
fn shuffle(seed: u32) -> Vec<String> {
    vec![
        "junit.jupiter.testclass.order.default=org.junit.jupiter.api.ClassOrderer$Random".into(),
        "junit.jupiter.testmethod.order.default=org.junit.jupiter.api.MethodOrderer$Random".into(),
        format!("junit.jupiter.execution.order.random.seed={seed}"),
    ]
}

/// Half of the tests, in their order.
fn subset(tests: &BTreeSet<String>, seed: u32) -> Vec<String> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed.into());
    tests.iter().filter(|_| rng.random_bool(0.5)).cloned().collect()
}

/// Lets every user write into folders.
fn open_to_everyone(folders: &[&Path]) -> Result<()> {
    #[cfg(unix)]
    for folder in folders {
        use std::os::unix::fs::PermissionsExt;
        fs::set_permissions(folder, fs::Permissions::from_mode(0o777))?;
    }
    #[cfg(not(unix))]
    let _ = folders;
    Ok(())
}

/// Files and folders directly in a temporary folder that tests left.
pub(super) fn files_below(folder: &Path) -> Vec<String> {
    let entries = WalkDir::new(folder).min_depth(1).max_depth(1).sort_by_file_name().into_iter().filter_map(Result::ok);
    let names = entries.map(|entry| entry.file_name().to_string_lossy().into_owned());
    names.filter(|name| !OF_JVM.iter().any(|start| name.starts_with(start))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tests() -> Tests {
        Tests {
            launcher: ["j".into(), "r".into()],
            class_path: Vec::new(),
            generated: vec!["G".into()],
            hand_written: vec!["H".into()],
            jdk: "/j".into(),
            work: "/w".into(),
            left_out: "/l".into(),
            jobs: 1,
        }
    }

    #[test]
    fn groups_are_run_in_their_order() {
        let tests = tests();
        assert_eq!(tests.lines(Groups::Twice), ["G", "--then", "G"]);
        assert_eq!(tests.lines(Groups::AfterHandWritten), ["H", "--then", "G"]);
        assert_eq!(tests.lines(Groups::BeforeHandWritten), ["G", "--then", "H"]);
        assert_eq!(tests.lines(Groups::HandWritten), ["H"]);
    }

    #[test]
    fn subsets_differ_by_their_seeds_alone() {
        let tests: BTreeSet<String> = (0..100).map(|number| format!("G#t{number:02}")).collect();
        let drawn = subset(&tests, 1);
        assert!((30..70).contains(&drawn.len()) && drawn.is_sorted(), "{drawn:?}");
        assert_eq!(subset(&tests, 1), drawn);
        assert_ne!(subset(&tests, 2), drawn);
    }

    #[test]
    fn files_of_the_jvm_are_no_tests_files() {
        let folder = tempfile::tempdir().expect("a folder");
        for name in ["hsperfdata_x", "b.txt", "a"] {
            fs::write(folder.path().join(name), "").expect("writable");
        }
        assert_eq!(files_below(folder.path()), ["a", "b.txt"]);
    }
}
