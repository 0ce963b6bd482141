//! What a worker JVM is told: one immutable value a worker.

use std::path::{Path, PathBuf};
use std::time::Duration;

use super::Jdk;
use super::confine::Confinement;
use crate::execution::TargetClass;
use crate::program::ClassName;

/// Which probes the agent writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProbeMode {
    Search,
    Trace,
    /// Switches for the mutants of the targets.
    Mutants,
    /// Refusals only; the user's classes stay as they are.
    Guard,
}

impl ProbeMode {
    /// The word of the agent's configuration.
    pub(crate) fn word(self) -> &'static str {
        match self {
            ProbeMode::Search => "search",
            ProbeMode::Trace => "trace",
            ProbeMode::Mutants => "mutants",
            ProbeMode::Guard => "guard",
        }
    }
}

/// A class that is mutated, and the number of its first mutant; the others follow (`tracewright_classfile::mutants`). 0 is no mutant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MutatedClass {
    pub name: ClassName,
    pub first: u32,
}

/// What code under test may do beyond reading files and writing to its temporary folder: the guard in the JVM and the confinement of the
/// process (Landlock) both let it through.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Allow {
    /// Writing and deleting anywhere.
    pub files: bool,
    /// TCP connections.
    pub(crate) sockets: bool,
    /// Running programs other than the JDK's own.
    pub(crate) processes: bool,
}

impl Allow {
    /// For a process with a folder of its own.
    pub(super) fn confinement(self, jdk: &Jdk, folder: &Path, file_size: u64) -> Confinement {
        let folder = if self.files { Path::new("/") } else { folder };
        Confinement {
            write: Some(vec![folder.to_path_buf()]),
            network: self.sockets,
            programs: (!self.processes).then(|| jdk.home.clone()),
            file_size,
        }
    }

    /// A line of the agent's configuration.
    pub(super) fn agent_option(self) -> String {
        let words = [(self.files, "files"), (self.processes, "processes"), (self.sockets, "sockets")];
        let allowed: Vec<&str> = words.iter().filter(|(allowed, _)| *allowed).map(|(_, word)| *word).collect();
        format!("allow={}\n", allowed.join(","))
    }
}

/// Sources of chance in the JVM and what they are held at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pins {
    /// `user.timezone`.
    pub(crate) time_zone: String,
    /// Language and country: `en_US`.
    pub(crate) locale: String,
    /// `file.encoding`.
    pub(crate) encoding: String,
    /// Seed of the iteration order of `Set.of` and `Map.of`; `None` leaves it to the JVM.
    pub(crate) set_salt: Option<u32>,
    /// Identity hashes count up from one instead of being drawn.
    pub(crate) sequential_identity_hashes: bool,
}

impl Default for Pins {
    fn default() -> Pins {
        Pins {
            time_zone: "UTC".into(),
            locale: "en_US".into(),
            encoding: "UTF-8".into(),
            set_salt: Some(0x5DEE_CE66),
            sequential_identity_hashes: true,
        }
    }
}

#[derive(Clone, Debug)]
pub struct WorkerConfig {
    pub(crate) jdk: Jdk,
    pub(crate) agent_library: PathBuf,
    /// Class path of the code under test.
    pub classpath: Vec<PathBuf>,
    /// Folder of this run; every worker makes one of its own inside.
    pub(crate) temporary: PathBuf,
    pub(crate) mode: ProbeMode,
    /// Globs of internal names of the classes that get probes.
    pub include: Vec<String>,
    pub targets: Vec<TargetClass>,
    pub branch_slots: u32,
    pub line_slots: u32,
    pub mutated: Vec<MutatedClass>,
    /// The highest number of a mutant.
    pub mutants: u32,
    /// Probe events of one execution.
    pub event_budget: u64,
    /// Wall-clock limit of one execution.
    pub candidate_timeout: Duration,
    /// Each execution that reaches the limit halves it for those after it, down to this: code that hangs once hangs again.
    pub least_timeout: Duration,
    pub heap_mb: u32,
    pub allow: Allow,
    pub(crate) pins: Pins,
    /// Further options of the JVM.
    pub(crate) jvm_options: Vec<String>,
}

impl WorkerConfig {
    /// The defaults: 200,000 events, 1 s, 512 MB, nothing allowed, everything pinned.
    pub fn new(jdk: Jdk, agent_library: PathBuf, classpath: Vec<PathBuf>, temporary: PathBuf, mode: ProbeMode) -> WorkerConfig {
        WorkerConfig {
            jdk,
            agent_library,
            classpath,
            temporary,
            mode,
            include: Vec::new(),
            targets: Vec::new(),
            branch_slots: 0,
            line_slots: 0,
            mutated: Vec::new(),
            mutants: 0,
            event_budget: 200_000,
            candidate_timeout: Duration::from_secs(1),
            least_timeout: Duration::from_secs(1),
            heap_mb: 512,
            allow: Allow::default(),
            pins: Pins::default(),
            jvm_options: Vec::new(),
        }
    }
}
