//! The configuration of a worker JVM: one immutable value for each worker.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::confine::Confinement;
use super::idle::IdleJvms;
use super::{Jdk, Surroundings};
use crate::execution::{MutantId, TargetClass};
use crate::program::{ClassName, MethodRef};

/// The probes that the agent writes into the user's classes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProbeMode {
    /// Goal counters, branch distances and static state.
    Search,
    /// The events that replay needs.
    Trace,
    /// Switches for the mutants of the targets; event budget and static state as in `Search`.
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

/// A class that is mutated, and the id of its first mutant; those of the others follow
/// (`tracewright_classfile::mutants`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MutatedClass {
    /// The class.
    pub name: ClassName,
    /// Its first mutant.
    pub first: MutantId,
}

/// Operations that code under test may perform beyond reading files and writing to its temporary
/// folder. Both the guard in the JVM and the confinement of the process (Landlock) obey it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Allow {
    /// Writing and deleting files anywhere.
    pub files: bool,
    /// TCP connections.
    pub(crate) sockets: bool,
    /// Running programs other than the JDK's own.
    pub(crate) processes: bool,
}

impl Allow {
    /// The confinement of a process that may write to `folder`; `file_size` is the limit of one
    /// file in bytes.
    pub(super) fn confinement(self, jdk: &Jdk, folder: &Path, file_size: u64) -> Confinement {
        let folder = if self.files { Path::new("/") } else { folder };
        Confinement {
            write: Some(vec![folder.to_path_buf()]),
            network: self.sockets,
            programs: (!self.processes).then(|| jdk.home.clone()),
            file_size,
        }
    }

    /// The line `allow=...` of the agent's configuration file.
    pub(super) fn agent_option(self) -> String {
        let words = [(self.files, "files"), (self.processes, "processes"), (self.sockets, "sockets")];
        let allowed: Vec<&str> = words.iter().filter(|(allowed, _)| *allowed).map(|(_, word)| *word).collect();
        format!("allow={}\n", allowed.join(","))
    }
}

/// The salt with which `Set.of` and `Map.of` iterate over their table from its first cell to the
/// last (`java.util.ImmutableCollections`: the start is a fraction of the length, and the lowest bit
/// is the direction).
const FORWARD_SALT: u32 = 0xFFFF_FFFE;
/// The salt with which they iterate from the last cell to the first.
const BACKWARD_SALT: u32 = 0x0000_0001;

/// Fixed values for sources of nondeterminism in the JVM.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pins {
    /// What the JVM sees of its machine and its user.
    pub(crate) surroundings: Surroundings,
    /// Seed of the iteration order of `Set.of` and `Map.of`; `None` leaves it to the JVM.
    pub(crate) set_salt: Option<u32>,
    /// Identity hashes count up from one instead of being random.
    pub(crate) sequential_identity_hashes: bool,
}

impl Default for Pins {
    fn default() -> Pins {
        Pins { surroundings: Surroundings::default(), set_salt: Some(FORWARD_SALT), sequential_identity_hashes: true }
    }
}

/// The configuration of one worker.
#[derive(Clone, Debug)]
pub struct WorkerConfig {
    pub(crate) jdk: Jdk,
    /// The agent; an empty path starts the JVM without it.
    pub(crate) agent_library: PathBuf,
    /// Class path of the code under test.
    pub classpath: Vec<PathBuf>,
    /// Folder of this run of the program, in which every worker creates a folder of its own.
    pub(crate) temporary: PathBuf,
    pub(crate) mode: ProbeMode,
    /// Globs of internal names of the classes that get probes.
    pub include: Vec<String>,
    /// Globs of those among them that get none nevertheless.
    pub(crate) exclude: Vec<String>,
    /// Classes whose goals are measured.
    pub targets: Vec<TargetClass>,
    /// Number of branch slots of all targets.
    pub branch_slots: u32,
    /// Number of line slots of all targets.
    pub line_slots: u32,
    /// Classes that contain mutants.
    pub mutated: Vec<MutatedClass>,
    /// The last mutant of the last class; `None` where nothing is mutated.
    pub last_mutant: Option<MutantId>,
    /// Limit of the probe events of one execution.
    pub event_budget: u64,
    /// Limit of one execution, in wall-clock time or in its own time.
    pub candidate_timeout: Duration,
    /// Each execution that reaches the limit halves it for later ones, down to this value: code
    /// that hangs once often hangs again.
    pub least_timeout: Duration,
    /// `Some` where an execution is limited by its own time: the CPU time of its thread and the
    /// time in which that thread waits. The load of the machine then decides nothing. This is the
    /// wall-clock limit of an execution that uses neither.
    pub hang_timeout: Option<Duration>,
    /// Whether executions get the time that they took.
    pub(crate) measures_time: bool,
    /// Limit of the heap in MiB.
    pub heap_mb: u32,
    /// Methods that describe the arguments of calls on mocks in observed executions.
    pub argument_inspectors: Vec<MethodRef>,
    /// Operations that code under test may perform.
    pub allow: Allow,
    pub(crate) pins: Pins,
    /// Further options of the JVM.
    pub(crate) jvm_options: Vec<String>,
    /// The first deadline of the worker: nothing is waited for after it, its start included.
    pub deadline: Option<Instant>,
    /// JVMs of other workers that have ended; the worker's own goes there too. `None`: each worker gets a new one.
    pub idle: Option<Arc<IdleJvms>>,
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
            exclude: Vec::new(),
            targets: Vec::new(),
            branch_slots: 0,
            line_slots: 0,
            mutated: Vec::new(),
            last_mutant: None,
            event_budget: 200_000,
            candidate_timeout: Duration::from_secs(1),
            least_timeout: Duration::from_secs(1),
            hang_timeout: None,
            measures_time: false,
            heap_mb: 512,
            argument_inspectors: Vec::new(),
            allow: Allow::default(),
            pins: Pins::default(),
            jvm_options: Vec::new(),
            deadline: None,
            idle: None,
        }
    }

    /// Makes the JVM differ from others in all that results must not depend on: `Set.of` and
    /// `Map.of` iterate in the opposite order, identity hashes are random, and machine and user are
    /// these.
    pub fn vary_surroundings(&mut self, surroundings: Surroundings) {
        self.pins = Pins { surroundings, set_salt: Some(BACKWARD_SALT), sequential_identity_hashes: false };
    }
}
