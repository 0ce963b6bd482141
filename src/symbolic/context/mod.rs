//! The parts of a replay that models of library methods and the structural view can touch: terms,
//! the linked program, heap and path, with the operations that concern several of them. In:
//! borrowed parts of one replay; out: clauses, objects and counts. Recording and call stack are
//! visible, but a model can neither consume an event nor enter a frame. So the signature
//! `&mut ModelContext` says that no code runs. Must not know the interpreter.

mod clauses;
mod objects;

use super::completion::{InterpResult, Stop};
use super::config::ReplayConfig;
use super::data::ids::TypeIx;
use super::linked::LinkedProgram;
use super::outcome::{Divergence, PathEnd};
use super::reason::UnsupportedReason;
use super::state::counts::ReplayCounts;
use super::state::frames::Frames;
use super::state::heap::Heap;
use super::state::path::Path;
use super::state::recorded::RecordedCursor;
use super::state::structural_view::StructuralView;
use crate::expr::TermStore;
use crate::path::BranchOutcome;
use crate::program::{ClassName, MethodRef};

/// The parts of one replay that models work on. The machine lends them for one operation.
#[derive(Debug)]
pub(crate) struct ModelContext<'m, 'p> {
    pub(super) linked: &'m mut LinkedProgram<'p>,
    pub(super) terms: &'m mut TermStore,
    pub(super) heap: &'m mut Heap,
    pub(super) path: &'m mut Path,
    pub(super) counts: &'m mut ReplayCounts,
    pub(super) view: &'m mut StructuralView,
    pub(super) cursor: &'m RecordedCursor<'m>,
    pub(super) frames: &'m Frames,
    pub(super) config: &'m ReplayConfig,
    /// Position of the current statement in the test case.
    pub(super) statement: u32,
}

impl ModelContext<'_, '_> {
    // Position.

    /// Whether bytecode runs; else a statement of the test case does.
    fn in_code(&self) -> bool {
        self.frames.depth() > 0
    }

    /// The current instruction or statement, for messages.
    fn here(&self) -> String {
        if self.in_code() {
            format!("{} @{}", self.linked.method(self.frames.top().method).reference, self.frames.bci())
        } else {
            format!("statement {}", self.statement)
        }
    }

    /// The branch outcome of the current instruction or statement.
    pub(crate) fn branch_site(&self, outcome: u32) -> BranchOutcome {
        if self.in_code() {
            let method = self.linked.method(self.frames.top().method).reference.clone();
            BranchOutcome { method, bci: self.frames.bci(), outcome }
        } else {
            let method = MethodRef::new(ClassName::new("test"), "statement", "()V");
            BranchOutcome { method, bci: self.statement, outcome }
        }
    }

    /// Whether the recording has probes of the class.
    pub(crate) fn is_recorded_class(&self, ty: TypeIx) -> bool {
        self.cursor.is_recorded_type(ty)
    }

    // Ends and counts.

    /// Ends the path because a computed value differs from the recorded one.
    pub(crate) fn diverge<T>(&mut self, expected: &str, found: &str) -> InterpResult<T> {
        self.record_divergence(expected, found);
        Err(Stop::End(PathEnd::Diverged))
    }

    /// Counts a divergence, unless interpreted code read possibly stale values.
    pub(crate) fn record_divergence(&mut self, expected: &str, found: &str) {
        if self.heap.is_doubtful() {
            return;
        }
        let divergence = Divergence { site: self.here(), expected: expected.into(), found: found.into() };
        self.counts.count_divergence(divergence);
    }

    /// Counts a value that loses its term, and marks the path condition as inexact.
    pub(crate) fn record_concretisation(&mut self, reason: UnsupportedReason) {
        if self.heap.is_initialising() {
            return;
        }
        self.path.mark_inexact();
        self.counts.count_concretised(&reason);
    }
}
