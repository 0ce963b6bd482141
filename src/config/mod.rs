//! The configuration: one immutable value, built once from the command line and `tracewright.toml`.
//!
//! Flows in: [`Settings`], every field optional. Flows out: [`Config`], every field with a meaning,
//! a default and a unit. Must not know where the file lies, nor what a stage does with its part.

mod settings;
mod base;
mod shard;
mod values;

pub(crate) use base::base_of_pull_request;
pub use settings::Settings;
pub(crate) use shard::Shard;
pub(crate) use values::CommandLine;
pub use values::{MemorySize, Order, Parameterized, ProgressStyle, Strategy, TimeSpan};

use std::path::PathBuf;
use std::time::Duration;
use thiserror::Error;
use tracewright_text::GlobSet;

/// A setting that cannot be used; the sentence names it.
#[derive(Debug, Error)]
pub enum ConfigError {
    /// The file has an unknown key or a value that cannot be read.
    #[error("{file}: {message}")]
    File {
        /// The file with the settings.
        file: PathBuf,
        /// What is wrong with it.
        message: String,
    },
    /// A setting is missing or unknown, or settings exclude each other.
    #[error("{0}")]
    Wrong(String),
}

/// The limit of the work for one class.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Budget {
    /// Wall-clock time, everything included.
    Time(Duration),
    /// Executions and solver queries. The output then depends on seed, inputs and JDK alone.
    Steps(u64),
}

impl Budget {
    /// Whether steps are counted. Nothing may then depend on the clock.
    pub(crate) fn counts_steps(self) -> bool {
        matches!(self, Budget::Steps(_))
    }
}

/// The classes to write tests for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ClassSelection {
    /// Binary names, as the user wrote them.
    Named(Vec<String>),
    /// The classes of folders or jars, limited to those that the patterns match.
    From { entries: Vec<PathBuf>, classes: Option<GlobSet> },
}

/// All options of a generation.
#[derive(Clone, Debug)]
pub struct Config {
    pub(crate) classpath: Vec<PathBuf>,
    pub(crate) selection: ClassSelection,
    /// The only method to test: its name, with or without descriptor.
    pub(crate) method: Option<String>,
    /// File with the paths that tests are to take.
    pub(crate) path: Option<PathBuf>,
    /// Binary names of classes to leave out.
    pub(crate) exclude: GlobSet,
    /// Folder of the tests.
    pub(crate) out: PathBuf,
    pub(crate) budget: Budget,
    /// The user gave no budget.
    pub(crate) is_usual_budget: bool,
    /// Wall-clock time for all classes together.
    pub(crate) total_budget: Option<Duration>,
    /// Whether an interrupted run continues.
    pub(crate) resume: bool,
    /// Outdated tests get the expectations that hold.
    pub(crate) accept: bool,
    /// Classes in work at the same time; `None`: as many as the machine can take.
    pub(crate) threads: Option<usize>,
    /// Memory of this program and its JVMs together, in kilobytes; `None`: half of what is free.
    pub(crate) memory: Option<u64>,
    pub(crate) seed: u64,
    /// Home of the JDK; `None`: the usual one.
    pub(crate) jdk: Option<PathBuf>,
    pub(crate) junit: JunitVersion,
    /// Whether tests of one shape become one parameterized test.
    pub(crate) parameterized: Parameterized,
    pub(crate) strategy: Strategy,
    /// Folder of `report.json`.
    pub(crate) report: PathBuf,
    /// Formats the written files.
    pub(crate) format: Option<CommandLine>,
    pub(crate) progress: ProgressStyle,
    pub(crate) allow: Allowed,
    /// File that every solver query is appended to.
    pub(crate) queries: Option<PathBuf>,
    pub(crate) order: Order,
    /// File that every attempt of symbolic execution is appended to.
    pub(crate) attempts: Option<PathBuf>,
    /// The only test case that symbolic execution starts from, in its text form.
    pub(crate) start: Option<String>,
    /// Sessions of recorded tests. Trees and training are stored in the first.
    pub(crate) session: Vec<PathBuf>,
    /// Goals that the sessions cover get tests, too.
    pub(crate) all: bool,
    /// Labelled attempts are kept for later classes and, with a session, for later runs.
    pub(crate) training: bool,
    /// The part of the classes that is generated here.
    pub(crate) shard: Option<Shard>,
    /// Only methods that changed since then get tests.
    pub(crate) since: Option<Since>,
    /// Tests show what differs from the state of `since`.
    pub(crate) compares: bool,
}

/// An earlier state of the code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Since {
    /// Of the sources, as git names it.
    Revision(String),
    /// The classes in the session of this folder.
    Session(PathBuf),
    /// The classes of these folders and jars.
    ClassPath(Vec<PathBuf>),
}

/// The JUnit version of the written tests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum JunitVersion {
    Four,
    Five,
}

/// What the code under test may do to the machine; nothing by default.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Allowed {
    /// Write and delete files.
    pub(crate) files: bool,
    /// Start processes.
    pub(crate) processes: bool,
    /// Open sockets.
    pub(crate) sockets: bool,
}

/// Budget of a class where none is given.
pub(crate) const DEFAULT_BUDGET: Duration = Duration::from_secs(30);
/// The same with `--since` and `--since-session`.
pub(crate) const DEFAULT_BUDGET_SINCE: Duration = Duration::from_secs(10);

fn wrong(message: &str) -> ConfigError {
    ConfigError::Wrong(message.to_owned())
}

impl Config {
    /// Checks the settings and adds the defaults.
    ///
    /// # Errors
    /// [`ConfigError::Wrong`] where a setting is missing or cannot be used.
    pub fn new(settings: Settings) -> Result<Config, ConfigError> {
        let classpath: Vec<PathBuf> = match settings.classpath.as_deref() {
            None | Some("") => return Err(wrong("no class path: name the jars and folders with --classpath")),
            Some(text) => std::env::split_paths(text).filter(|entry| !entry.as_os_str().is_empty()).collect(),
        };
        let names_itself = settings.class.is_some() || settings.classes_from.is_some() || settings.method.is_some();
        if settings.path.is_some() && names_itself {
            return Err(wrong("the file of --path names classes and methods: leave out --class, --classes-from and --method"));
        }
        if settings.path.is_some() && (settings.since.is_some() || settings.since_session.is_some() || settings.old.is_some()) {
            return Err(wrong("--path and --since exclude each other: give one of them"));
        }
        let selection = match &settings.path {
            // The file names them.
            Some(_) => ClassSelection::Named(Vec::new()),
            None => selection(
                settings.class.unwrap_or_default(),
                settings.classes_from.unwrap_or_default(),
                settings.classes.as_deref().map(GlobSet::parse).filter(|globs| !globs.is_empty()),
            )?,
        };
        let compares = settings.old.is_some();
        let since = match settings.old {
            Some(_) if settings.since.is_some() || settings.since_session.is_some() => {
                return Err(wrong("--old and --since exclude each other: give one of them"));
            }
            Some(old) => Some(earlier_version(&old)),
            None => since(settings.since, settings.since_session)?,
        };
        if since.is_some() && settings.method.is_some() {
            return Err(wrong("--method and --since exclude each other: give one of them"));
        }
        if settings.accept && since.is_none() {
            return Err(wrong("--accept is about tests that a change made wrong: name the change with --since or --old"));
        }
        let is_usual_budget = settings.budget.is_none() && settings.steps.is_none();
        let budget = match (settings.budget, settings.steps) {
            (Some(_), Some(_)) => return Err(wrong("--budget and --steps exclude each other: give one of them")),
            (_, Some(0)) => return Err(wrong("--steps 0 leaves nothing to do: give at least 1")),
            (_, Some(steps)) => Budget::Steps(steps),
            (Some(span), None) => Budget::Time(span.0),
            (None, None) => Budget::Time(if since.is_some() { DEFAULT_BUDGET_SINCE } else { DEFAULT_BUDGET }),
        };
        if settings.threads == Some(0) {
            return Err(wrong("--threads 0 leaves nothing to do: give at least 1"));
        }
        let junit = match settings.junit {
            None | Some(5) => JunitVersion::Five,
            Some(4) => JunitVersion::Four,
            Some(other) => return Err(ConfigError::Wrong(format!("--junit {other} is not known: give 4 or 5"))),
        };
        Ok(Config {
            classpath,
            selection,
            method: settings.method,
            path: settings.path,
            exclude: GlobSet::parse(settings.exclude.as_deref().unwrap_or_default()),
            out: settings.out.unwrap_or_else(|| "tracewright-tests".into()),
            budget,
            is_usual_budget,
            resume: settings.resume,
            accept: settings.accept,
            total_budget: settings.total_budget.map(|span| span.0),
            threads: settings.threads,
            memory: settings.memory.map(|size| size.0),
            seed: settings.seed.unwrap_or(1),
            jdk: settings.jdk,
            junit,
            parameterized: settings.parameterized.unwrap_or(Parameterized::On),
            strategy: settings.strategy.unwrap_or(Strategy::Hybrid),
            report: settings.report.unwrap_or_else(|| "tracewright-report".into()),
            format: settings.format,
            progress: settings.progress.unwrap_or(ProgressStyle::Auto),
            allow: allowed(settings.allow.as_deref().unwrap_or_default())?,
            queries: settings.queries,
            order: settings.order.unwrap_or(Order::Guided),
            attempts: settings.attempts,
            start: settings.start,
            session: settings.session.unwrap_or_default(),
            all: settings.all,
            training: !settings.untrained,
            shard: settings.shard.filter(|shard| shard.is_part()),
            since,
            compares,
        })
    }
}

/// What `--old` names: a class path where its first entry exists, else a revision.
fn earlier_version(old: &str) -> Since {
    let entries: Vec<PathBuf> = std::env::split_paths(old).filter(|entry| !entry.as_os_str().is_empty()).collect();
    let is_entry = |entry: &PathBuf| entry.exists() || entry.extension().is_some_and(|extension| extension == "jar");
    let is_path = entries.first().is_some_and(is_entry) || entries.len() > 1;
    if is_path { Since::ClassPath(entries) } else { Since::Revision(old.to_owned()) }
}

fn selection(names: Vec<String>, entries: Vec<PathBuf>, classes: Option<GlobSet>) -> Result<ClassSelection, ConfigError> {
    match (names.is_empty(), entries.is_empty()) {
        (false, false) => Err(wrong("--class and --classes-from exclude each other: give one of them")),
        (true, true) => Err(wrong("no class: name one with --class, or a folder or jar with --classes-from")),
        (true, false) => Ok(ClassSelection::From { entries, classes }),
        (false, true) if classes.is_some() => {
            Err(wrong("--classes chooses among the classes of --classes-from: give it, or name classes with --class"))
        }
        (false, true) => Ok(ClassSelection::Named(names)),
    }
}

fn since(revision: Option<String>, session: Option<PathBuf>) -> Result<Option<Since>, ConfigError> {
    match (revision, session) {
        (Some(_), Some(_)) => Err(wrong("--since and --since-session exclude each other: give one of them")),
        // A revision that begins with `-` would be an option of git.
        (Some(revision), None) if revision.is_empty() || revision.starts_with('-') => {
            Err(ConfigError::Wrong(format!("--since `{revision}` is no revision: give a commit, a tag or a branch")))
        }
        (revision, session) => Ok(revision.map(Since::Revision).or(session.map(Since::Session))),
    }
}

fn allowed(words: &str) -> Result<Allowed, ConfigError> {
    let mut allowed = Allowed::default();
    for word in words.split(',').map(str::trim).filter(|word| !word.is_empty()) {
        match word {
            "files" => allowed.files = true,
            "processes" => allowed.processes = true,
            "sockets" => allowed.sockets = true,
            other => {
                return Err(ConfigError::Wrong(format!("--allow {other} is not known: give files, processes, sockets")));
            }
        }
    }
    Ok(allowed)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn config(text: &str) -> Result<Config, ConfigError> {
        Config::new(Settings::from_toml(text, "tracewright.toml".into())?)
    }

    #[test]
    fn the_file_has_the_same_options_as_the_flags() {
        let config =
            config("classpath = 'a.jar:b'\nclass = ['x.Y']\nbudget = '2m'\nstrategy = 'random'\njunit = 4\nallow = 'files'")
                .expect("a good file");
        assert_eq!(config.classpath, [PathBuf::from("a.jar"), PathBuf::from("b")]);
        assert_eq!(config.budget, Budget::Time(Duration::from_secs(120)));
        assert_eq!((config.strategy, config.junit, config.allow.files), (Strategy::Random, JunitVersion::Four, true));
    }

    #[test]
    fn classes_are_chosen_from_one_place_or_several() {
        for (text, places) in [("classes-from = 'c'", 1), ("classes-from = ['c', 'd']\nclasses = 'x.*, *.Y'", 2)] {
            let config = config(&format!("classpath = 'c:d'\n{text}")).expect("a good file");
            let ClassSelection::From { entries, classes } = config.selection else { panic!("{text}") };
            assert_eq!(entries.len(), places);
            assert_eq!(
                classes.map(|classes| (classes.matches("x.Z"), classes.matches("z.Z"))),
                (places == 2).then_some((true, false))
            );
        }
    }

    #[test]
    fn flags_win_over_the_file() {
        let flags = Settings { seed: Some(7), ..Settings::default() };
        let file = Settings::from_toml("seed = 1\nclasspath = 'a'\nclass = ['B']", "f".into()).expect("a good file");
        assert_eq!(Config::new(flags.or(file)).expect("complete").seed, 7);
    }

    #[test]
    fn each_wrong_setting_has_a_sentence() {
        for (text, part) in [
            ("class = ['B']", "no class path"),
            ("classpath = 'a'", "no class:"),
            ("classpath = 'a'\nclass = ['B']\nclasses-from = 'c'", "exclude each other"),
            ("classpath = 'a'\nclass = ['B']\nclasses = 'c'", "among the classes of --classes-from"),
            ("classpath = 'a'\nclass = ['B']\nbudget = '3x'", "no length of time"),
            ("classpath = 'a'\nclass = ['B']\nbudget = '3s'\nsteps = 5", "exclude each other"),
            ("classpath = 'a'\nclass = ['B']\nstrategy = 'magic'", "no strategy"),
            ("classpath = 'a'\nclass = ['B']\njunit = 3", "--junit 3"),
            ("classpath = 'a'\nclass = ['B']\nparameterized = 'no'", "`no` is no choice about parameterized tests"),
            ("classpath = 'a'\nclass = ['B']\nshard = '4/3'", "`4/3` is no part of a whole"),
            ("classpath = 'a'\nclass = ['B']\nsince = 'x'\nsince-session = 'y'", "exclude each other"),
            ("classpath = 'a'\nclass = ['B']\nsince = '--output=x'", "is no revision"),
            ("classpath = 'a'\nclass = ['B']\nsince = 'x'\nmethod = 'y'", "exclude each other"),
            ("classpath = 'a'\nclass = ['B']\nformat = 'fmt \"x'", "is no command"),
            ("clazz = 'a'", "clazz"),
            ("classpath = 'a'\nclass = ['B']\nthread = 2", "unknown field `thread`"),
            ("classpath = 'a'\nclass = ['B']\nthreads = 0", "--threads 0 leaves nothing to do"),
        ] {
            let error = config(text).expect_err(text).to_string();
            assert!(error.contains(part), "{text}: {error}");
        }
    }

    #[test]
    fn options_exclude_each_other_within_one_place_only() {
        let file = |text: &str| Settings::from_toml(text, "f".into()).expect("a good file");
        let flags = Settings { steps: Some(9), class: Some(vec!["B".into()]), all: true, ..Settings::default() };
        let merged = flags.over_file(file("classpath = 'a'\nbudget = '1s'\nclasses-from = 'c'\nclasses = 'x.*'\nsession = 's'"));
        let config = Config::new(merged).expect("complete");
        assert_eq!(config.budget, Budget::Steps(9));
        assert_eq!(config.selection, ClassSelection::Named(vec!["B".into()]));
        assert!(config.all && config.session == [PathBuf::from("s")]);
        let merged = Settings::default().over_file(file("classpath = 'a'\nclass = ['B']\nall = true\nuntrained = false"));
        let config = Config::new(merged).expect("complete");
        assert!(config.all && config.training);
    }
}
