//! The symbolic replay: a small JVM that goes the way a recorded run went and computes every value itself, over the inputs of the test
//! case. Flows in: a test case, its recording, the program; flows out: a path condition, how the run ended, and counts of everything
//! that was not computed. Must not know solvers, trees, or how a recording is made. It trusts neither the recording nor the class files: what does not
//! fit ends the path with a reason.

mod arith;
mod bounds;
mod calls;
mod concat;
mod control_flow;
mod dynamic;
mod entry;
mod events;
mod inputs;
mod interpretation;
mod lambda;
mod linked;
mod machine;
mod models;
mod natives;
mod objects;
mod pattern_switch;
mod reason;
mod record_methods;
mod shared_heap;
mod statements;
mod step;
mod undo;
mod unsafe_memory;

pub(crate) use control_flow::{Coverage, Covered};
pub use inputs::{apply_model, seed_of, seed_with};
pub use models::ModelFamily;

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use crate::expr::TermStore;
use crate::path::PathCondition;
use crate::program::{ClassName, MethodRef, Program};
use crate::recording::Recording;
use crate::structure::Structure;
use crate::testcase::TestCase;

/// What the inputs are that path conditions speak of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum View {
    /// The literals of the test case: a solver's answer is the next test.
    #[default]
    Parametric,
    /// The heap at the entry of the method under test, the last that the test case calls: literals are no inputs, and the replay gives a
    /// [`Structure`], if recorded code was entered. What stands in [`Replay::path`] then is only what that is made of.
    Structural,
}

/// What one replay is to find out, and its limits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReplayConfig {
    pub view: View,
    /// Bytecode instructions.
    pub instructions: u64,
    /// Clauses kept; later ones are counted as dropped.
    pub clauses: usize,
    /// Frames on the replayed stack.
    pub frames: usize,
    /// Calls back from opaque code inside each other.
    pub nesting: usize,
    /// Cells up to which a symbolic index becomes a choice between all of them; above it is concretised and counted.
    pub cells: usize,
    /// Keys of a switch up to which each becomes an alternative of its own.
    pub switch_keys: usize,
    /// Characters of a string input that have variables, at least; longer literals have one for each of theirs.
    pub characters: usize,
    /// A literal longer than this has none at all: it is concretised and counted.
    pub longest_text: usize,
    /// Steps of an access path, at most; what lies behind is concretised and counted.
    pub steps: usize,
    /// Objects and array cells made in the replay.
    pub heap: usize,
    /// Terms above this tree size, and those that mention hundreds of inputs, are concretised and counted: no solver would answer.
    pub term_size: u64,
    /// New terms.
    pub terms: usize,
    /// Whether floats and doubles carry terms.
    pub floats: bool,
    pub interpretation: InterpretationLimits,
}

/// Limits of running code that was not recorded, in instructions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InterpretationLimits {
    /// Of one call of recorded code; 0: none is interpreted.
    pub(crate) call: u64,
    /// Of one replay.
    pub(crate) total: u64,
    /// Of those attempts of one replay that came to nothing.
    pub(crate) wasted: u64,
}

impl Default for ReplayConfig {
    fn default() -> ReplayConfig {
        ReplayConfig {
            view: View::Parametric,
            instructions: 50_000_000,
            clauses: 4_000,
            frames: 4_000,
            nesting: 100,
            cells: 64,
            switch_keys: 256,
            characters: 16,
            longest_text: 256,
            steps: 256,
            heap: 8_000_000,
            term_size: 100_000,
            terms: 2_000_000,
            floats: true,
            interpretation: InterpretationLimits { call: 200_000, total: 10_000_000, wasted: 2_000_000 },
        }
    }
}

/// How the replay of one run ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PathEnd {
    /// Every statement of the test case ran.
    Returned,
    /// A statement threw, as the test case's last.
    Threw { class: ClassName },
    /// Something the replay does not do; the path up to there is valid.
    Unsupported { reason: String },
    /// The run or the replay met a limit; the path up to there is valid.
    Budget { what: String },
    /// Nobody waits for the replay any more; the path up to there is valid, and the figures say nothing about the run.
    Stopped,
    /// The recording ends in the middle; the path up to there is valid.
    JvmDied,
    /// A computed value differs from a recorded one; the path up to there is not to be trusted. The last divergence says where.
    Diverged,
}

/// A computed value that differs from the recorded one, where no opaque call can be the reason: a fault of ours.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Divergence {
    /// `<method> @<bci>`, or the statement of the test case.
    pub(crate) site: String,
    pub(crate) expected: String,
    pub(crate) found: String,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReplayStats {
    /// Instructions that the run executed in recorded code, also behind the end of the path.
    pub executed: u64,
    /// Those whose results the replay computed itself.
    pub replayed: u64,
    /// The others, by reason.
    pub(crate) unreplayed: BTreeMap<String, u64>,
    /// Calls of code that was not recorded whose end was computed from the callee's own bytecode, and the instructions of it.
    pub interpreted_calls: u64,
    pub(crate) interpreted_instructions: u64,
    /// Calls of code that was not recorded of which only the end is known.
    pub opaque_calls: u64,
    /// Why calls were not interpreted.
    pub not_interpreted: BTreeMap<String, u64>,
    /// Recorded loads, results and arguments that were compared with computed ones.
    pub(crate) checked: u64,
    pub divergences: BTreeMap<Divergence, u64>,
    /// Values taken from the recording because an opaque call may have changed them.
    pub resyncs: u64,
    /// Recorded references that fit several objects, or none of those they could be.
    pub identity_ambiguous: u64,
    /// What was not done, by reason; those that ended a path among them.
    pub unsupported: BTreeMap<String, u64>,
    /// Values that lost their terms, by the callee (or operation) that took them.
    pub concretised: BTreeMap<String, u64>,
}

impl ReplayStats {
    /// Adds the counts of another replay.
    pub fn merge(&mut self, other: &ReplayStats) {
        self.executed += other.executed;
        self.replayed += other.replayed;
        self.interpreted_calls += other.interpreted_calls;
        self.interpreted_instructions += other.interpreted_instructions;
        self.opaque_calls += other.opaque_calls;
        self.checked += other.checked;
        self.resyncs += other.resyncs;
        self.identity_ambiguous += other.identity_ambiguous;
        for (divergence, count) in &other.divergences {
            *self.divergences.entry(divergence.clone()).or_default() += count;
        }
        for (mine, theirs) in [
            (&mut self.unreplayed, &other.unreplayed),
            (&mut self.unsupported, &other.unsupported),
            (&mut self.concretised, &other.concretised),
            (&mut self.not_interpreted, &other.not_interpreted),
        ] {
            for (reason, count) in theirs {
                *mine.entry(reason.clone()).or_default() += count;
            }
        }
    }
}

/// What one replay gives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Replay {
    pub path: PathCondition,
    pub end: PathEnd,
    pub stats: ReplayStats,
    /// The method that each statement of the test case entered first, if it entered recorded code.
    pub entered: BTreeMap<u32, MethodRef>,
    /// In the structural view, if the method under test was entered.
    pub structure: Option<Structure>,
}

impl Replay {
    /// Whether the path condition may be used.
    pub(crate) fn is_sound(&self) -> bool {
        self.end != PathEnd::Diverged
    }
}

/// Replays runs of one program. Keeps decoded code and resolved references between runs.
#[derive(Debug)]
pub struct Replayer<'p> {
    linked: linked::LinkedProgram<'p>,
    stop: StopFlag,
}

/// Set from another thread, it ends a replay under way as a budget does.
pub type StopFlag = Arc<AtomicBool>;

impl<'p> Replayer<'p> {
    pub fn new(program: &'p Program) -> Replayer<'p> {
        Replayer { linked: linked::LinkedProgram::new(program), stop: StopFlag::default() }
    }

    pub fn stop_with(&mut self, stop: StopFlag) {
        self.stop = stop;
    }

    /// String literals of the recorded code that runs have entered so far.
    pub(crate) fn literals(&self) -> &BTreeSet<Rc<[u16]>> {
        &self.linked.literals
    }

    /// Replays a run that no test case began: its first entry is that of a method that code outside the recording called. Nothing is an input; what
    /// the run found in the heap is what it loaded.
    pub(crate) fn replay_run(&mut self, recording: &Recording, terms: &mut TermStore, config: &ReplayConfig) -> Replay {
        let test = TestCase::default();
        machine::Machine::new(&mut self.linked, &test, recording, terms, config, &self.stop).run_outermost()
    }

    /// The method that the first entry of a run is of.
    pub(crate) fn outermost(&mut self, recording: &Recording) -> Option<MethodRef> {
        let entry = recording.main_thread()?.events.iter().find_map(|event| match event {
            tracewright_trace::Event::Entry { site } => Some(site.0),
            _ => None,
        })?;
        control_flow::method_at(&mut self.linked, &recording.announced, entry)
    }

    pub fn replay(&mut self, test: &TestCase, recording: &Recording, terms: &mut TermStore, config: &ReplayConfig) -> Replay {
        machine::Machine::new(&mut self.linked, test, recording, terms, config, &self.stop).run_test()
    }
}

/// Instructions that a run executed in recorded code, counted by its control flow alone; where an exception was thrown, a few too many.
pub fn executed(recording: &Recording, program: &Program) -> u64 {
    control_flow::executed(&mut linked::LinkedProgram::new(program), recording)
}

/// Replays one run; [`Replayer`] does the same and keeps what it decoded.
pub fn replay(test: &TestCase, recording: &Recording, program: &Program, terms: &mut TermStore, config: &ReplayConfig) -> Replay {
    Replayer::new(program).replay(test, recording, terms, config)
}
