//! The symbolic replay: a small JVM that follows the path of a recorded run and computes every
//! value itself, over the inputs of the test case. In: a test case, its recording and the program;
//! out: a path condition, the end of the path, and counts of everything that was not computed. Must
//! not know solvers, trees, or how a recording is made. It trusts neither recordings nor class
//! files: what does not fit ends the path with a reason. The algorithm is dynamic symbolic
//! execution over recorded traces; objects unknown to the replay are taken from the recording.
//!
//! In reading order: [`data`] are plain values, [`linked`] is the program in resolved form,
//! [`state`] the parts of one replay with their undo, [`context`] the parts that library methods
//! may touch, [`models`] the meaning of library methods, [`entry`] the structural view, and
//! [`machine`] the interpreter that owns the state. Each uses only those before it, except that
//! `linked` has the table of modelled methods.

mod arith;
mod completion;
mod config;
mod context;
mod control_flow;
mod data;
mod entry;
mod inputs;
mod linked;
mod machine;
mod models;
mod outcome;
mod reason;
mod state;

pub use config::{InterpretationLimits, ReplayConfig, View};
pub(crate) use control_flow::{Coverage, Covered};
pub use inputs::{apply_model, seed_of, seed_with};
pub use models::ModelFamily;
pub(crate) use outcome::CallResult;
pub use outcome::{Divergence, PathEnd, Replay, ReplayStats};

use std::collections::BTreeSet;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use crate::expr::TermStore;
use crate::program::{MethodRef, Program};
use crate::recording::Recording;
use crate::testcase::TestCase;

/// Replays runs of one program, and keeps linked code between runs.
#[derive(Debug)]
pub struct Replayer<'p> {
    linked: linked::LinkedProgram<'p>,
    stop: StopFlag,
    watched: Option<MethodRef>,
}

/// A flag that ends a replay in progress when another thread sets it.
pub type StopFlag = Arc<AtomicBool>;

impl<'p> Replayer<'p> {
    /// A replayer of a program's runs.
    pub fn new(program: &'p Program) -> Replayer<'p> {
        Replayer { linked: linked::LinkedProgram::new(program), stop: StopFlag::default(), watched: None }
    }

    /// Path conditions keep each step of the method from now on.
    pub(crate) fn watch(&mut self, method: &MethodRef) {
        self.watched = Some(method.clone());
    }

    /// Sets the flag that ends replays.
    pub fn stop_with(&mut self, stop: StopFlag) {
        self.stop = stop;
    }

    /// String literals of the recorded methods that runs have entered so far.
    pub(crate) fn literals(&self) -> &BTreeSet<Rc<[u16]>> {
        &self.linked.literals
    }

    /// Replays a recorded run without a test case: its first entry is a method that unrecorded code
    /// called. It has no inputs, and the heap is what the run loaded.
    pub(crate) fn replay_run(&mut self, recording: &Recording, terms: &mut TermStore, config: &ReplayConfig) -> Replay {
        let test = TestCase::default();
        machine::Machine::new(&mut self.linked, &test, recording, terms, config, &self.stop).run_outermost()
    }

    /// The method of a run's first entry.
    pub(crate) fn outermost(&mut self, recording: &Recording) -> Option<MethodRef> {
        let entry = recording.main_thread()?.events.iter().find_map(|event| match event {
            tracewright_trace::Event::Entry { site } => Some(site.0),
            _ => None,
        })?;
        control_flow::method_at(&mut self.linked, &recording.announced, entry)
    }

    /// Replays the recorded run of a test case.
    pub fn replay(&mut self, test: &TestCase, recording: &Recording, terms: &mut TermStore, config: &ReplayConfig) -> Replay {
        let machine = machine::Machine::new(&mut self.linked, test, recording, terms, config, &self.stop);
        machine.watching(self.watched.as_ref()).run_test()
    }
}

/// Instructions that a run executed in recorded code, by its control flow alone. Where an exception
/// was thrown, the count is a few instructions too high.
pub fn executed(recording: &Recording, program: &Program) -> u64 {
    control_flow::executed(&mut linked::LinkedProgram::new(program), recording)
}

/// Replays one run. [`Replayer`] does the same and keeps linked code.
pub fn replay(test: &TestCase, recording: &Recording, program: &Program, terms: &mut TermStore, config: &ReplayConfig) -> Replay {
    Replayer::new(program).replay(test, recording, terms, config)
}
