//! Checkpoints: everything that the replay does inside one can be undone as a whole. Each part of
//! the state undoes its own changes; the machine begins, commits and rolls back all parts together.
//! Terms and linked code stay, since they say nothing about a run. Must not know why a checkpoint
//! is made.

use super::Machine;
use crate::symbolic::data::objects::ObjectId;

/// What a rolled back checkpoint leaves behind.
#[derive(Debug)]
pub(super) struct RolledBack {
    /// Interpreted instructions inside, which stay spent.
    pub(super) spent: u64,
    /// Objects read inside that opaque code may have changed.
    pub(super) stale: Vec<ObjectId>,
}

impl Machine<'_, '_> {
    /// Begins a checkpoint.
    pub(super) fn begin_checkpoint(&mut self) {
        self.heap.begin(&self.linked.shared_heap);
        self.path.begin();
        self.frames.begin();
        self.cursor.begin();
        self.counts.begin();
        self.budget.begin();
        self.view.begin();
    }

    /// Ends the innermost checkpoint and keeps what was done inside.
    pub(super) fn commit_checkpoint(&mut self) {
        self.heap.commit();
        self.path.commit();
        self.frames.commit();
        self.cursor.commit();
        self.counts.commit();
        self.budget.end_checkpoint();
        self.view.commit();
    }

    /// Ends the innermost checkpoint and undoes what was done inside.
    pub(super) fn roll_back_checkpoint(&mut self) -> RolledBack {
        self.frames.roll_back();
        let stale = self.heap.roll_back(&mut self.linked.shared_heap);
        self.path.roll_back();
        self.cursor.roll_back();
        self.counts.roll_back();
        self.view.roll_back();
        RolledBack { spent: self.budget.end_checkpoint(), stale }
    }
}
