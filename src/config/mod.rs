//! What the user asked for: one immutable value, built once from `tracewright.toml` and the flags.
//!
//! Flows in: the text of the file and the flags that were given ([`Settings`], every field optional). Flows out: [`Config`], every
//! field with a meaning, a default and a unit. Must not know where the file lies, nor what a stage does with its part.

mod shard;

pub(crate) use shard::Shard;

use serde::Deserialize;
use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;
use thiserror::Error;
use tracewright_text::GlobSet;

/// A setting that cannot be used; the sentence names it.
#[derive(Debug, Error)]
pub enum ConfigError {
    #[error("{file}: {message}")]
    File { file: PathBuf, message: String },
    #[error("{0}")]
    Wrong(String),
}

/// The settings as they were given: the same names in the file and on the command line.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Settings {
    pub classpath: Option<String>,
    pub class: Option<Vec<String>>,
    pub classes_from: Option<PathList>,
    /// Globs by commas.
    pub classes: Option<String>,
    pub method: Option<String>,
    pub exclude: Option<String>,
    pub out: Option<PathBuf>,
    pub budget: Option<TimeSpan>,
    pub total_budget: Option<TimeSpan>,
    pub steps: Option<u64>,
    pub seed: Option<u64>,
    pub jdk: Option<PathBuf>,
    pub junit: Option<u32>,
    pub strategy: Option<Strategy>,
    pub report: Option<PathBuf>,
    pub progress: Option<Progress>,
    /// What the guard lets through: `files`, `processes`, `sockets`, by commas.
    pub allow: Option<String>,
    /// A file that gets every query of the solver with its answer, for whoever works on solving.
    pub queries: Option<PathBuf>,
    pub order: Option<Order>,
    /// A file that gets every attempt of symbolic execution, for whoever works on selection.
    pub attempts: Option<PathBuf>,
    /// The test case that symbolic execution begins with, and with no other, in its text form: for whoever works on selection.
    pub start: Option<String>,
    /// Folders of sessions, of the user's own tests.
    pub session: Option<PathList>,
    /// Goals that the session's tests cover are not left out.
    pub all: Option<bool>,
    /// What earlier classes and runs taught about alternatives is left aside, and nothing is kept for later ones.
    pub untrained: Option<bool>,
    pub shard: Option<Shard>,
    /// A state of the sources, as version control names it.
    pub since: Option<String>,
    /// Folder of a session: the state of the code that was recorded.
    pub since_session: Option<PathBuf>,
}

impl Settings {
    pub(crate) fn from_toml(text: &str, file: PathBuf) -> Result<Settings, ConfigError> {
        toml::from_str(text).map_err(|error| ConfigError::File { file, message: error.message().to_owned() })
    }

    /// What `self` does not say is taken from `other`.
    pub(crate) fn or(self, other: Settings) -> Settings {
        Settings {
            classpath: self.classpath.or(other.classpath),
            class: self.class.or(other.class),
            classes_from: self.classes_from.or(other.classes_from),
            classes: self.classes.or(other.classes),
            method: self.method.or(other.method),
            exclude: self.exclude.or(other.exclude),
            out: self.out.or(other.out),
            budget: self.budget.or(other.budget),
            total_budget: self.total_budget.or(other.total_budget),
            steps: self.steps.or(other.steps),
            seed: self.seed.or(other.seed),
            jdk: self.jdk.or(other.jdk),
            junit: self.junit.or(other.junit),
            strategy: self.strategy.or(other.strategy),
            report: self.report.or(other.report),
            progress: self.progress.or(other.progress),
            allow: self.allow.or(other.allow),
            queries: self.queries.or(other.queries),
            order: self.order.or(other.order),
            attempts: self.attempts.or(other.attempts),
            start: self.start.or(other.start),
            session: self.session.or(other.session),
            all: self.all.or(other.all),
            untrained: self.untrained.or(other.untrained),
            shard: self.shard.or(other.shard),
            since: self.since.or(other.since),
            since_session: self.since_session.or(other.since_session),
        }
    }
}

/// How much work one class may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Budget {
    /// Wall-clock time, everything included.
    Time(Duration),
    /// Executed candidates and solver queries; the output is then a function of seed, inputs and JDK.
    Steps(u64),
}

/// Which classes to write tests for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ClassSelection {
    /// Binary names, as the user wrote them.
    Named(Vec<String>),
    /// The classes of folders or jars; with a pattern those only that it matches.
    From { entries: Vec<PathBuf>, classes: Option<GlobSet> },
}

#[derive(Clone, Debug)]
pub struct Config {
    pub(crate) classpath: Vec<PathBuf>,
    pub(crate) selection: ClassSelection,
    /// Only this method: name, with or without descriptor.
    pub(crate) method: Option<String>,
    /// Binary names that get no tests.
    pub(crate) exclude: GlobSet,
    pub(crate) out: PathBuf,
    pub(crate) budget: Budget,
    /// Wall-clock time for all classes together.
    pub(crate) total_budget: Option<Duration>,
    pub(crate) seed: u64,
    pub(crate) jdk: Option<PathBuf>,
    pub(crate) junit: JunitVersion,
    pub(crate) strategy: Strategy,
    pub(crate) report: PathBuf,
    pub(crate) progress: Progress,
    pub(crate) allow: Allowed,
    /// Where the queries of the solver are written down.
    pub(crate) queries: Option<PathBuf>,
    pub(crate) order: Order,
    /// Where the attempts of symbolic execution are written down.
    pub(crate) attempts: Option<PathBuf>,
    /// The only test case that symbolic execution begins with, in its text form.
    pub(crate) start: Option<String>,
    /// What existing tests did (`tracewright record`). What is learned goes into the first.
    pub(crate) session: Vec<PathBuf>,
    /// Goals that they cover are not left out.
    pub(crate) all: bool,
    /// What attempts teach goes from class to class and, in the folder of a session, from run to run.
    pub(crate) training: bool,
    /// Of the chosen classes, the part that is dealt with.
    pub(crate) shard: Option<Shard>,
    /// Of the methods, those that changed since then.
    pub(crate) since: Option<Since>,
}

/// An earlier state of the code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Since {
    /// Of the sources, as git names it.
    Revision(String),
    /// The one that was recorded into a session.
    Session(PathBuf),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum JunitVersion {
    Four,
    Five,
}

/// What the code under test may do to the machine. Nothing by default.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Allowed {
    pub(crate) files: bool,
    pub(crate) processes: bool,
    pub(crate) sockets: bool,
}

pub(crate) const DEFAULT_BUDGET: Duration = Duration::from_secs(30);
/// Where only what changed is dealt with: someone waits.
pub(crate) const DEFAULT_BUDGET_SINCE: Duration = Duration::from_secs(10);

impl Config {
    /// Checks the settings and fills in the defaults.
    pub fn new(settings: Settings) -> Result<Config, ConfigError> {
        let wrong = |message: &str| ConfigError::Wrong(message.to_owned());
        let classpath: Vec<PathBuf> = match settings.classpath.as_deref() {
            None | Some("") => return Err(wrong("no class path: name the jars and folders with --classpath")),
            Some(text) => std::env::split_paths(text).filter(|entry| !entry.as_os_str().is_empty()).collect(),
        };
        let entries = settings.classes_from.map(|several| several.0).unwrap_or_default();
        let classes = settings.classes.as_deref().map(GlobSet::parse).filter(|globs| !globs.is_empty());
        let selection = match settings.class.unwrap_or_default() {
            names if !names.is_empty() && !entries.is_empty() => {
                return Err(wrong("--class and --classes-from exclude each other: give one of them"));
            }
            names if names.is_empty() && entries.is_empty() => {
                return Err(wrong("no class: name one with --class, or a folder or jar with --classes-from"));
            }
            names if names.is_empty() => ClassSelection::From { entries, classes },
            _ if classes.is_some() => {
                return Err(wrong(
                    "--classes chooses among the classes of --classes-from: give it, or name classes with --class",
                ));
            }
            names => ClassSelection::Named(names),
        };
        let since = match (settings.since, settings.since_session) {
            (Some(_), Some(_)) => return Err(wrong("--since and --since-session exclude each other: give one of them")),
            (Some(revision), None) if revision.is_empty() || revision.starts_with('-') => {
                return Err(ConfigError::Wrong(format!("--since `{revision}` is no revision: give a commit, a tag or a branch")));
            }
            (revision, session) => revision.map(Since::Revision).or(session.map(Since::Session)),
        };
        if since.is_some() && settings.method.is_some() {
            return Err(wrong("--method and --since exclude each other: give one of them"));
        }
        let budget = match (settings.budget, settings.steps) {
            (Some(_), Some(_)) => return Err(wrong("--budget and --steps exclude each other: give one of them")),
            (_, Some(0)) => return Err(wrong("--steps 0 leaves nothing to do: give at least 1")),
            (_, Some(steps)) => Budget::Steps(steps),
            (Some(span), None) => Budget::Time(span.0),
            (None, None) => Budget::Time(if since.is_some() { DEFAULT_BUDGET_SINCE } else { DEFAULT_BUDGET }),
        };
        let junit = match settings.junit {
            None | Some(5) => JunitVersion::Five,
            Some(4) => JunitVersion::Four,
            Some(other) => return Err(ConfigError::Wrong(format!("--junit {other} is not known: give 4 or 5"))),
        };
        let mut allow = Allowed::default();
        for word in settings.allow.as_deref().unwrap_or_default().split(',').map(str::trim).filter(|word| !word.is_empty()) {
            match word {
                "files" => allow.files = true,
                "processes" => allow.processes = true,
                "sockets" => allow.sockets = true,
                other => {
                    return Err(ConfigError::Wrong(format!("--allow {other} is not known: give files, processes, sockets")));
                }
            }
        }
        Ok(Config {
            classpath,
            selection,
            method: settings.method,
            exclude: GlobSet::parse(settings.exclude.as_deref().unwrap_or_default()),
            out: settings.out.unwrap_or_else(|| "tracewright-tests".into()),
            budget,
            total_budget: settings.total_budget.map(|span| span.0),
            seed: settings.seed.unwrap_or(1),
            jdk: settings.jdk,
            junit,
            strategy: settings.strategy.unwrap_or(Strategy::Hybrid),
            report: settings.report.unwrap_or_else(|| "tracewright-report".into()),
            progress: settings.progress.unwrap_or(Progress::Auto),
            allow,
            queries: settings.queries,
            order: settings.order.unwrap_or(Order::Guided),
            attempts: settings.attempts,
            start: settings.start,
            session: settings.session.map(|several| several.0).unwrap_or_default(),
            all: settings.all.unwrap_or(false),
            training: !settings.untrained.unwrap_or(false),
            shard: settings.shard.filter(|shard| shard.is_part()),
            since,
        })
    }
}

/// One path or a list of them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PathList(pub Vec<PathBuf>);

impl<'de> Deserialize<'de> for PathList {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<PathList, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Raw {
            One(PathBuf),
            Many(Vec<PathBuf>),
        }
        Ok(PathList(match Raw::deserialize(deserializer)? {
            Raw::One(path) => vec![path],
            Raw::Many(paths) => paths,
        }))
    }
}

/// A length of time as users write it: `500ms`, `30s`, `20m`, `2h`; a bare number is seconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimeSpan(pub Duration);

impl FromStr for TimeSpan {
    type Err = String;

    fn from_str(text: &str) -> Result<TimeSpan, String> {
        let wrong = || format!("`{text}` is no length of time: write 500ms, 30s, 20m or 2h");
        let digits = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
        let factor = match &text[digits..] {
            "ms" => 0.001,
            "" | "s" => 1.0,
            "m" | "min" => 60.0,
            "h" => 3600.0,
            _ => return Err(wrong()),
        };
        match text[..digits].parse::<f64>() {
            Ok(number) if number > 0.0 && number * factor < 1e9 => Ok(TimeSpan(Duration::from_secs_f64(number * factor))),
            _ => Err(wrong()),
        }
    }
}

impl<'de> Deserialize<'de> for TimeSpan {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<TimeSpan, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Raw {
            Text(String),
            Seconds(u64),
        }
        let text = match Raw::deserialize(deserializer)? {
            Raw::Text(text) => text,
            Raw::Seconds(seconds) => seconds.to_string(),
        };
        text.parse().map_err(serde::de::Error::custom)
    }
}

macro_rules! words {
    ($(#[$meta:meta])* $name:ident { $($variant:ident = $word:literal),+ $(,)? } $what:literal) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum $name { $($variant),+ }

        impl FromStr for $name {
            type Err = String;
            fn from_str(text: &str) -> Result<$name, String> {
                match text {
                    $($word => Ok($name::$variant),)+
                    _ => Err(format!("`{text}` is no {}: give one of {}", $what, [$($word),+].join(", "))),
                }
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(match self { $($name::$variant => $word),+ })
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<$name, D::Error> {
                String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
            }
        }
    };
}

words! {
    /// How candidates are found.
    Strategy {
        Hybrid = "hybrid",
        Search = "search",
        Dse = "dse",
        Random = "random",
    } "strategy"
}

words! {
    /// In which order symbolic execution tries alternatives.
    Order {
        Fifo = "fifo",
        DepthFirst = "depth-first",
        CoverageFirst = "coverage-first",
        Knn = "knn",
        KnnIndices = "knn-indices",
        Guided = "guided",
    } "order"
}

words! {
    /// How progress is shown on standard error.
    Progress { Auto = "auto", Plain = "plain", Json = "json", None = "none" } "way to show progress"
}

#[cfg(test)]
mod tests {
    use super::*;

    fn config(text: &str) -> Result<Config, ConfigError> {
        Config::new(Settings::from_toml(text, "tracewright.toml".into())?)
    }

    #[test]
    fn the_file_says_the_same_as_the_flags() {
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
            ("classpath = 'a'\nclass = ['B']\nshard = '4/3'", "`4/3` is no part of a whole"),
            ("classpath = 'a'\nclass = ['B']\nsince = 'x'\nsince-session = 'y'", "exclude each other"),
            ("classpath = 'a'\nclass = ['B']\nsince = '--output=x'", "is no revision"),
            ("classpath = 'a'\nclass = ['B']\nsince = 'x'\nmethod = 'y'", "exclude each other"),
            ("clazz = 'a'", "clazz"),
            ("classpath = 'a'\nclass = ['B']\nthreads = 2", "unknown field `threads`"),
        ] {
            let error = config(text).expect_err(text).to_string();
            assert!(error.contains(part), "{text}: {error}");
        }
    }

    #[test]
    fn spans_have_units() {
        for (text, millis) in [("500ms", 500), ("30s", 30_000), ("1.5m", 90_000), ("2h", 7_200_000), ("7", 7_000)] {
            assert_eq!(text.parse::<TimeSpan>().expect(text).0, Duration::from_millis(millis));
        }
        for text in ["", "s", "0s", "-1s", "1d", "1e400s"] {
            assert!(text.parse::<TimeSpan>().is_err(), "{text}");
        }
    }
}
