//! What a JVM sees of its machine and its user.
//!
//! In: the names of settings that the code under test reads. Out: surroundings that differ from each
//! other in everything a test must not depend on. Must not know which JVM runs in which of them.

use std::collections::BTreeMap;
use std::path::Path;
use std::{fs, io};

use crate::program::SettingNames;

/// What a JVM sees of its machine and its user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Surroundings {
    /// `user.timezone`.
    pub time_zone: String,
    /// Language and country: `en_US`.
    pub locale: String,
    /// `file.encoding`.
    pub encoding: String,
    /// Name of the thread that runs the tests.
    pub thread: String,
    /// `user.name`, and the last part of `user.home`; `None`: those of the machine.
    pub user: Option<String>,
    /// Number of processors; `None`: that of the machine.
    pub processors: Option<u32>,
    /// Megabytes of heap beyond those that every JVM of its kind has.
    pub more_heap_mb: u32,
    /// Environment variables besides `LC_ALL`. Without `PATH`, that of a worker holds.
    pub variables: BTreeMap<String, String>,
    /// System properties that the JVM does not set by itself.
    pub properties: BTreeMap<String, String>,
    /// System properties by which it tells code of another machine or JVM than its own. They change nothing else.
    /// One without a value is not set.
    pub told: BTreeMap<String, String>,
    /// What the working folder and the folder around it have in them: files, and folders, which end
    /// with `/`.
    pub files: Vec<String>,
    /// Release that the JVM claims to be (`21.0.2`); `None`: its own.
    pub release: Option<String>,
    /// How its clock differs from the machine's.
    pub clock: ClockChange,
    /// Whether objects get their identity hashes in sequence; otherwise they look random.
    pub sequential_identity_hashes: bool,
    /// Milliseconds by which each thread starts late.
    pub thread_delay_ms: u32,
    /// Milliseconds by which `Thread.start` returns later than it starts the thread.
    pub thread_lead_ms: u32,
}

/// How a clock differs from the machine's; at its default it does not. docs/formats/agent-options.md
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ClockChange {
    /// Days by which the date is later.
    pub later_days: u32,
    /// Its time stands still for so many milliseconds.
    pub step_ms: u32,
    /// Milliseconds that pass besides between two questions.
    pub jump_ms: u32,
}

/// The value of settings that only some surroundings have. It is a text and a number.
const VALUE: &str = "7";
/// Variables that most users have. Continuous integration often has none of them.
const USUAL_VARIABLES: [(&str, &str); 7] = [
    ("EDITOR", "vi"),
    ("HOSTNAME", "workstation"),
    ("LANG", "C.UTF-8"),
    ("SHELL", "/bin/bash"),
    ("TERM", "xterm"),
    ("TZ", "UTC"),
    ("XDG_SESSION_TYPE", "tty"),
];
/// Releases that differ from those of all JDKs that Tracewright works with.
const LATER_RELEASE: &str = "99.0.1";
const EARLIER_RELEASE: &str = "10.0.2";
/// A time in which measured code takes no time, and dates near today are over.
const NEXT_YEAR: ClockChange = ClockChange { later_days: 400, step_ms: 20, jump_ms: 0 };
/// A time in which measured code takes long. Tests are kept for years. It is below the limits that
/// people set to waits.
const FAR_YEAR: ClockChange = ClockChange { later_days: 3660, step_ms: 0, jump_ms: 5 };
/// How late threads start on a busy machine.
const THREAD_DELAY_MS: u32 = 25;
/// How long new threads run on a quiet machine before `Thread.start` returns.
const THREAD_LEAD_MS: u32 = 5;
/// Prefixes of properties that tell what machine and JVM this is, without those that tell the release: every machine
/// may have other values. No JDK reads them again once it has started.
const TOLD_PROPERTIES: [&str; 9] = [
    "java.home",
    "java.library.path",
    "java.runtime.name",
    "java.specification.",
    "java.vendor.",
    "java.vm.info",
    "java.vm.specification.",
    "os.",
    "sun.arch.",
];
/// The runner sets the property whose name follows, and removes this one. `runner.Sink`
const TOLD: &str = "tracewright.told.";
/// Their values.
const TOLD_VALUE: &str = "another";
/// Every JVM of Tracewright has them, and most or some others have not.
const OFTEN_UNSET: [&str; 3] = ["java.awt.headless", "user.country", "user.timezone"];
/// Prefixes of properties that the JVM sets, or that change how it works.
const OWN_PROPERTIES: [&str; 14] =
    ["awt.", "file.", "ftp.", "http.", "https.", "java.", "javax.", "jdk.", "line.", "native.", "os.", "path.", "sun.", "user."];

impl Default for Surroundings {
    /// Those of a worker JVM: UTC, `en_US`, UTF-8, the thread `main`, and no further setting.
    fn default() -> Surroundings {
        Surroundings {
            time_zone: "UTC".into(),
            locale: "en_US".into(),
            encoding: "UTF-8".into(),
            thread: "main".into(),
            user: None,
            processors: None,
            more_heap_mb: 0,
            variables: BTreeMap::new(),
            properties: BTreeMap::new(),
            told: BTreeMap::new(),
            files: Vec::new(),
            release: None,
            clock: ClockChange::default(),
            sequential_identity_hashes: false,
            thread_delay_ms: 0,
            thread_lead_ms: 0,
        }
    }
}

impl Surroundings {
    /// Three surroundings that differ in every value but the settings: these are set in all but the
    /// first, which are those of a worker JVM. The JVMs claim to be of another release only where
    /// code asks for it: libraries choose code for the release that they find.
    pub fn variants(names: &SettingNames) -> [Surroundings; 3] {
        let settable = |name: &&String| !OWN_PROPERTIES.iter().any(|prefix| name.starts_with(prefix));
        let properties: BTreeMap<String, String> =
            names.properties.iter().filter(settable).map(|name| (name.clone(), VALUE.into())).collect();
        let is_told = |name: &&String| TOLD_PROPERTIES.iter().any(|prefix| name.starts_with(prefix));
        let mut told: BTreeMap<String, String> =
            names.properties.iter().filter(is_told).map(|name| (name.clone(), TOLD_VALUE.into())).collect();
        let unset = OFTEN_UNSET.iter().filter(|name| names.properties.contains(**name));
        told.extend(unset.map(|name| ((*name).to_owned(), String::new())));
        let release = |other: &str| names.reads_release.then(|| other.to_owned());
        let variables = |user: &str| {
            let mut variables: BTreeMap<String, String> =
                names.variables.iter().map(|name| (name.clone(), VALUE.into())).collect();
            let home = format!("/opt/users/{user}");
            // Where code asks for it, it is also empty: no machine has to have one.
            let is_empty = user == "alex" && names.variables.contains("PATH");
            let path = if is_empty { String::new() } else { format!("{home}/bin:/usr/bin:/bin") };
            let own = [("HOME", home), ("LOGNAME", user.to_owned()), ("PATH", path), ("USER", user.to_owned())];
            let usual = USUAL_VARIABLES.map(|(name, value)| (name, value.to_owned()));
            variables.extend(own.into_iter().chain(usual).map(|(name, value)| (name.to_owned(), value)));
            // The JVM reads options from the last ones, and the first one is the same everywhere.
            variables
                .retain(|name, _| !["LC_ALL", "JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "_JAVA_OPTIONS"].contains(&name.as_str()));
            variables
        };
        [
            Surroundings::default(),
            Surroundings {
                time_zone: "Asia/Kolkata".into(),
                locale: "tr_TR".into(),
                encoding: "ISO-8859-1".into(),
                thread: "Test worker".into(),
                user: Some("alex".into()),
                processors: Some(1),
                more_heap_mb: 64,
                variables: variables("alex"),
                properties: properties.clone(),
                told: told.clone(),
                files: ["build/", "notes.txt"].map(String::from).to_vec(),
                release: release(LATER_RELEASE),
                clock: NEXT_YEAR,
                sequential_identity_hashes: false,
                thread_delay_ms: 0,
                thread_lead_ms: THREAD_LEAD_MS,
            },
            Surroundings {
                time_zone: "America/New_York".into(),
                locale: "de_DE".into(),
                encoding: "UTF-8".into(),
                thread: "ForkJoinPool-1-worker-1".into(),
                user: Some("robin".into()),
                processors: Some(5),
                more_heap_mb: 128,
                variables: variables("robin"),
                properties,
                told,
                files: ["input.csv", "pom.xml", "src/"].map(String::from).to_vec(),
                release: release(EARLIER_RELEASE),
                clock: FAR_YEAR,
                sequential_identity_hashes: true,
                thread_delay_ms: THREAD_DELAY_MS,
                thread_lead_ms: 0,
            },
        ]
    }

    /// Puts the files into a folder. Each has a line of text.
    pub(super) fn fill(&self, folder: &Path) -> io::Result<()> {
        self.files.iter().try_for_each(|name| match name.strip_suffix('/') {
            Some(inner) => fs::create_dir(folder.join(inner)),
            None => fs::write(folder.join(name), format!("{name}\n")),
        })
    }

    /// The options of the JVM, without those of the heap.
    pub(super) fn options(&self) -> Vec<String> {
        let (language, country) = self.locale.split_once('_').unwrap_or((&self.locale, ""));
        let mut options = vec![
            format!("-Duser.timezone={}", self.time_zone),
            format!("-Duser.language={language}"),
            format!("-Duser.country={country}"),
            format!("-Dfile.encoding={}", self.encoding),
        ];
        if let Some(user) = &self.user {
            options.push(format!("-Duser.name={user}"));
            options.push(format!("-Duser.home=/opt/users/{user}"));
        }
        if self.clock != ClockChange::default() {
            // Compiled code would read the machine's clock.
            let natives = "-XX:DisableIntrinsic=_currentTimeMillis,_nanoTime";
            options.extend(["-XX:+UnlockDiagnosticVMOptions", natives].map(String::from));
        }
        options.extend(self.processors.map(|processors| format!("-XX:ActiveProcessorCount={processors}")));
        options.extend(self.release.iter().map(|release| format!("-Dtracewright.release={release}")));
        options.extend(self.told.iter().map(|(name, value)| format!("-D{TOLD}{name}={value}")));
        options.extend(self.properties.iter().map(|(name, value)| format!("-D{name}={value}")));
        options
    }

    /// The lines of the agent's configuration.
    pub(super) fn agent_options(&self) -> String {
        let ClockChange { later_days, step_ms, jump_ms } = self.clock;
        let numbers = [
            ("clock-later", later_days),
            ("clock-step", step_ms),
            ("clock-jump", jump_ms),
            ("thread-delay", self.thread_delay_ms),
            ("thread-lead", self.thread_lead_ms),
        ];
        numbers.iter().filter(|(_, number)| *number > 0).map(|(key, number)| format!("{key}={number}\n")).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    fn names(of: &[&str]) -> BTreeSet<String> {
        of.iter().map(|name| name.to_string()).collect()
    }

    #[test]
    fn settings_are_set_in_all_but_the_first_surroundings() {
        let read = SettingNames {
            variables: names(&["APP_MODE", "HOME", "JAVA_TOOL_OPTIONS", "PATH"]),
            properties: names(&["app.mode", "java.awt.headless", "java.version", "os.arch", "user.country", "user.dir"]),
            reads_release: true,
            draws_random: false,
        };
        let [first, second, third] = Surroundings::variants(&read);
        assert!(first.variables.is_empty() && first.properties.is_empty() && first.told.is_empty());
        for variant in [&second, &third] {
            assert_eq!(variant.variables["APP_MODE"], VALUE);
            assert_eq!(variant.properties.keys().collect::<Vec<_>>(), ["app.mode"]);
            assert!(!variant.variables.contains_key("JAVA_TOOL_OPTIONS"));
            assert!(variant.options().contains(&"-Dapp.mode=7".to_owned()));
            assert!(variant.options().contains(&"-Dtracewright.told.os.arch=another".to_owned()));
            for unset in ["java.awt.headless", "user.country"] {
                assert!(variant.options().contains(&format!("-Dtracewright.told.{unset}=")), "{unset}");
            }
        }
        assert_eq!(
            (second.variables["HOME"].as_str(), third.variables["HOME"].as_str()),
            ("/opt/users/alex", "/opt/users/robin")
        );
        assert!(second.variables["PATH"].is_empty() && !third.variables["PATH"].is_empty());
        assert_eq!(first.release, None);
        assert!(second.options().contains(&"-Dtracewright.release=99.0.1".to_owned()));
        assert_ne!(second.release, third.release);
        let [_, second, third] = Surroundings::variants(&SettingNames::default());
        assert!(second.release.is_none() && third.release.is_none(), "nothing asks for it");
    }

    #[test]
    fn clocks_and_late_threads_are_options_of_the_agent() {
        let [first, second, third] = Surroundings::variants(&SettingNames::default());
        assert_eq!(first.agent_options(), "");
        assert_eq!(second.agent_options(), "clock-later=400\nclock-step=20\nthread-lead=5\n");
        assert_eq!(third.agent_options(), "clock-later=3660\nclock-jump=5\nthread-delay=25\n");
        let keeps_intrinsics = |one: &Surroundings| !one.options().iter().any(|option| option.contains("DisableIntrinsic"));
        assert_eq!([&first, &second, &third].map(keeps_intrinsics), [true, false, false]);
    }

    #[test]
    fn no_two_surroundings_share_a_value() {
        let variants = Surroundings::variants(&SettingNames::default());
        for (position, one) in variants.iter().enumerate() {
            for other in &variants[..position] {
                assert_ne!(one.time_zone, other.time_zone);
                assert_ne!(one.locale, other.locale);
                assert_ne!(one.thread, other.thread);
                assert_ne!(one.user, other.user);
                assert_ne!(one.processors, other.processors);
                assert_ne!(one.more_heap_mb, other.more_heap_mb);
                assert_ne!(one.variables, other.variables);
                assert_ne!(one.files, other.files);
                assert_ne!(one.clock, other.clock);
            }
        }
    }
}
