//! Checkpoints: everything that the replay does inside one can be undone as a whole. Each part of the state undoes its own changes; the
//! machine begins, commits and rolls back all parts together. Terms and linked code stay, since they say nothing about a run. Must not
//! know why a checkpoint is made.

use super::machine::Machine;
use super::outcome::ReplayStats;
use super::state::checkpoint::Checkpoint;

/// Counts that a rolled back checkpoint restores.
fn counts(stats: &mut ReplayStats) -> [&mut u64; 8] {
    [
        &mut stats.executed,
        &mut stats.replayed,
        &mut stats.checked,
        &mut stats.resyncs,
        &mut stats.identity_ambiguous,
        &mut stats.interpreted_instructions,
        &mut stats.interpreted_calls,
        &mut stats.opaque_calls,
    ]
}

impl Machine<'_, '_> {
    /// Begins a checkpoint.
    pub(crate) fn begin_checkpoint(&mut self) {
        let counts = counts(&mut self.stats).map(|count| *count);
        self.heap.begin(&self.linked.shared_heap);
        self.path.begin();
        self.frames.begin();
        self.cursor.begin();
        self.checkpoints.push(Checkpoint {
            nesting: self.nesting,
            opaque_calls: self.opaque_calls,
            entry: self.entry_mark(),
            counts,
            concretisations: self.concretisations.len(),
            limit: self.interpretation_limit,
            spent: self.spent,
            stale: Vec::new(),
            reads_library_state: false,
        });
    }

    /// Ends the innermost checkpoint and keeps what was done inside. The limit of interpreted instructions is the outer one again.
    pub(crate) fn commit_checkpoint(&mut self) {
        let Some(checkpoint) = self.checkpoints.pop() else { return };
        self.heap.commit();
        self.path.commit();
        self.frames.commit();
        self.cursor.commit();
        self.interpretation_limit = checkpoint.limit;
        match self.checkpoints.last_mut() {
            Some(outer) => {
                outer.stale.extend(&checkpoint.stale);
                outer.reads_library_state |= checkpoint.reads_library_state;
            }
            None => {
                self.concretisations.clear();
                self.commit_entry();
            }
        }
    }

    /// Ends the innermost checkpoint, undoes what was done inside, and returns it; `None` without a checkpoint. Interpreted instructions
    /// stay spent.
    pub(crate) fn roll_back_checkpoint(&mut self) -> Option<Checkpoint> {
        let checkpoint = self.checkpoints.pop()?;
        self.interpretation_limit = checkpoint.limit;
        self.frames.roll_back();
        self.heap.roll_back(&mut self.linked.shared_heap);
        self.path.roll_back();
        self.cursor.roll_back();
        self.roll_back_entry(checkpoint.entry);
        self.nesting = checkpoint.nesting;
        self.opaque_calls = checkpoint.opaque_calls;
        for (count, before) in counts(&mut self.stats).into_iter().zip(checkpoint.counts) {
            *count = before;
        }
        for key in self.concretisations.drain(checkpoint.concretisations..) {
            if let Some(count) = self.stats.concretised.get_mut(&*key) {
                *count -= 1;
                if *count == 0 {
                    self.stats.concretised.remove(&*key);
                }
            }
        }
        Some(checkpoint)
    }

    /// Marks mutable state of the shared heap as read inside the innermost checkpoint.
    pub(crate) fn mark_library_state_read(&mut self) {
        if let Some(checkpoint) = self.checkpoints.last_mut() {
            checkpoint.reads_library_state = true;
        }
    }
}
