//! The options of `generate`, declared once: they are flags of the command line and keys of
//! `tracewright.toml`.
//!
//! Flows in: flags (parsed by `clap`) or the text of the file (parsed by `serde`). Flows out:
//! [`Settings`], every field optional. Must not know defaults, nor which options exclude each
//! other: that is [`super::Config::new`].

use super::ConfigError;
use super::shard::Shard;
use super::values::{CommandLine, MemorySize, Order, Parameterized, ProgressStyle, Strategy, TimeSpan};
use serde::{Deserialize, Deserializer};
use std::path::PathBuf;

/// Declares the struct and the merge of two values of it.
macro_rules! settings {
    ($(#[$meta:meta])* pub struct $name:ident { $($(#[$field_meta:meta])* pub $field:ident: $type:ty,)+ }) => {
        $(#[$meta])*
        pub struct $name { $($(#[$field_meta])* pub $field: $type,)+ }

        impl $name {
            /// Takes each setting that `self` does not have from `other`.
            pub(crate) fn or(self, other: $name) -> $name {
                $name { $($field: Merge::or(self.$field, other.$field),)+ }
            }
        }
    };
}

/// A setting that may be absent.
trait Merge {
    fn or(self, other: Self) -> Self;
}

impl<T> Merge for Option<T> {
    fn or(self, other: Option<T>) -> Option<T> {
        Option::or(self, other)
    }
}

impl Merge for bool {
    fn or(self, other: bool) -> bool {
        self || other
    }
}

settings! {
    /// The settings as they were given. The doc comments are the help texts.
    #[derive(Clone, Debug, Default, clap::Args, Deserialize)]
    #[serde(rename_all = "kebab-case", deny_unknown_fields)]
    pub struct Settings {
        /// Jars and folders of the classes and all they need, as for java.
        #[arg(long, short = 'c', value_name = "CP")]
        pub classpath: Option<String>,
        /// Binary name of a class to test; may be given several times.
        #[arg(long, value_name = "NAME")]
        pub class: Option<Vec<String>>,
        /// Tests every class of this folder or jar, which lies on the class path; may be given
        /// several times.
        #[arg(long, value_name = "DIR|JAR")]
        #[serde(default, deserialize_with = "one_or_several")]
        pub classes_from: Option<Vec<PathBuf>>,
        /// Tests only these classes of --classes-from; `*` matches anything, several by commas.
        #[arg(long, value_name = "GLOB")]
        pub classes: Option<String>,
        /// Only this method, with or without descriptor: `reduce` or `reduce()Lx/Fraction;`.
        #[arg(long, value_name = "NAME[DESC]")]
        pub method: Option<String>,
        /// File with paths through methods, as the page of the report copies them, one a line. Only tests that
        /// take these paths are written, and each path without a test gets a reason.
        #[arg(long, value_name = "FILE")]
        #[serde(skip)]
        pub path: Option<PathBuf>,
        /// Classes to leave out; `*` matches anything, several by commas.
        #[arg(long, value_name = "GLOB")]
        pub exclude: Option<String>,
        /// Folder that gets the tests, by package [default: tracewright-tests].
        #[arg(long, value_name = "DIR")]
        pub out: Option<PathBuf>,
        /// Upper limit in wall-clock time for one class, everything included [default: 30s].
        #[arg(long, value_name = "TIME")]
        pub budget: Option<TimeSpan>,
        /// Upper limit for all classes together: each gets a first turn, then those that gain most
        /// [default: 10m or 2s for each class, for more than 20 classes without --budget].
        #[arg(long, value_name = "TIME")]
        pub total_budget: Option<TimeSpan>,
        /// Continues an interrupted run with the classes that it has not finished.
        #[arg(long)]
        #[serde(default)]
        pub resume: bool,
        /// Classes in work at the same time [default: one for two cores, or several small ones].
        #[arg(long, value_name = "N")]
        pub threads: Option<usize>,
        /// Limit of the memory of this program and its JVMs together, such as 4g [default: half of
        /// what is free].
        #[arg(long, value_name = "SIZE")]
        pub memory: Option<MemorySize>,
        /// Instead of --budget: executions and solver queries. The same seed then gives the same
        /// bytes.
        #[arg(long, value_name = "N")]
        pub steps: Option<u64>,
        /// Seed of all random choices [default: 1].
        #[arg(long, value_name = "N")]
        pub seed: Option<u64>,
        /// Home of the JDK to run the classes on; default: JAVA_HOME, else the java on the PATH.
        #[arg(long, value_name = "HOME")]
        pub jdk: Option<PathBuf>,
        /// JUnit version of the tests, 5 or 4 [default: 5].
        #[arg(long, value_name = "5|4")]
        pub junit: Option<u32>,
        /// Whether tests of one shape become the rows of one parameterized test of JUnit 5: on, off
        /// [default: on].
        #[arg(long, value_name = "on|off")]
        pub parameterized: Option<Parameterized>,
        /// How candidates are found: hybrid (search and symbolic execution), search, dse (symbolic
        /// execution from random seeds), random [default: hybrid].
        #[arg(long, value_name = "S")]
        pub strategy: Option<Strategy>,
        /// Folder that gets report.json [default: tracewright-report].
        #[arg(long, value_name = "DIR")]
        pub report: Option<PathBuf>,
        /// Command that formats the written files, such as the formatter of the project. The files
        /// are its last arguments, or take the place of {files} or, one after the other, {file}.
        #[arg(long, value_name = "COMMAND")]
        pub format: Option<CommandLine>,
        /// How progress is shown: auto, plain, json, none [default: auto].
        #[arg(long, value_name = "HOW")]
        pub progress: Option<ProgressStyle>,
        /// What the code under test may do to this machine: files, processes, sockets, by commas
        /// [default: nothing].
        #[arg(long, value_name = "WHAT")]
        pub allow: Option<String>,
        /// Folder of a session (`tracewright record`): the search starts from its values and calls,
        /// and leaves out what its tests cover; may be given several times.
        #[arg(long, value_name = "DIR")]
        #[serde(default, deserialize_with = "one_or_several")]
        pub session: Option<Vec<PathBuf>>,
        /// With --session: also writes tests for goals that the recorded tests cover.
        #[arg(long)]
        #[serde(default)]
        pub all: bool,
        /// Tests only part I of N of the classes, shared out by expected cost. The other parts are
        /// for other machines [default: as the variables of GitLab, CircleCI, Buildkite, Bazel,
        /// Slurm or (with TRACEWRIGHT_SHARDS) Kubernetes say].
        #[arg(long, value_name = "I/N")]
        pub shard: Option<Shard>,
        /// Only methods that changed since this git revision, and their callers: a commit, a tag, a
        /// branch [default budget then: 10s].
        #[arg(long, value_name = "REV")]
        pub since: Option<String>,
        /// As --since, but since a session was recorded.
        #[arg(long, value_name = "DIR")]
        pub since_session: Option<PathBuf>,
        /// With --since or --old: tests of an earlier run that fail now get the values that they find.
        #[arg(long)]
        #[serde(skip)]
        pub accept: bool,
        /// The earlier version (`tracewright diff --old`): a class path or a git revision.
        #[arg(skip)]
        #[serde(skip)]
        pub old: Option<String>,
        /// Appends every query of the solver with its answer.
        #[arg(long, value_name = "FILE", hide = true)]
        pub queries: Option<PathBuf>,
        /// Order of the alternatives: fifo, depth-first, coverage-first, knn, knn-indices, guided.
        #[arg(long, value_name = "S", hide = true)]
        pub order: Option<Order>,
        /// Does not label attempts of symbolic execution for later classes and runs, and uses no
        /// earlier labels.
        #[arg(long, hide = true)]
        #[serde(default)]
        pub untrained: bool,
        /// Appends every attempt of symbolic execution with its ending.
        #[arg(long, value_name = "FILE", hide = true)]
        pub attempts: Option<PathBuf>,
        /// The only test case that symbolic execution starts from, in its text form. On the command
        /// line, --start names a file with it.
        #[arg(skip)]
        pub start: Option<String>,
        /// File with the test case that symbolic execution starts from: the paths of its last call
        /// are looked for.
        #[arg(long = "start", value_name = "FILE", hide = true)]
        #[serde(skip)]
        pub start_file: Option<PathBuf>,
    }
}

impl Settings {
    /// Parses the text of `tracewright.toml`. [`ConfigError::File`] names the file and what is
    /// wrong with it.
    pub(crate) fn from_toml(text: &str, file: PathBuf) -> Result<Settings, ConfigError> {
        toml::from_str(text).map_err(|error| ConfigError::File { file, message: error.message().to_owned() })
    }

    /// Adds the settings of the file to those of the command line, which win. Options that exclude
    /// each other do so within one place only.
    pub(crate) fn over_file(self, mut file: Settings) -> Settings {
        if self.class.is_some() || self.classes_from.is_some() || self.path.is_some() {
            (file.class, file.classes_from) = (None, None);
        }
        if self.path.is_some() {
            (file.method, file.since, file.since_session) = (None, None, None);
        }
        if self.class.is_some() {
            file.classes = None;
        }
        if self.budget.is_some() || self.steps.is_some() {
            (file.budget, file.steps) = (None, None);
        }
        if self.since.is_some() || self.since_session.is_some() {
            (file.since, file.since_session) = (None, None);
        }
        self.or(file)
    }
}

/// Reads one path or a list of paths.
fn one_or_several<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Vec<PathBuf>>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Paths {
        One(PathBuf),
        Several(Vec<PathBuf>),
    }
    Ok(Some(match Paths::deserialize(deserializer)? {
        Paths::One(path) => vec![path],
        Paths::Several(paths) => paths,
    }))
}
