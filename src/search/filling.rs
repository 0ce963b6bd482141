//! Gives new arguments a state. Flows in: a new object, random source; flows out: modifying calls on
//! it. Must not know goals.

use rand::RngExt;

use super::callable_table::TypeId;
use super::sequence::SequenceBuilder;
use crate::testcase::VarId;

/// Chance that an object within an answer is changed by each of its methods once.
const ALL_SET: f64 = 0.25;
/// Modifiers of a thorough object, at most, that are all called once.
const MOST_SETTERS: usize = 16;

impl SequenceBuilder<'_> {
    /// Appends a few modifying calls on a new argument, since an empty collection covers little.
    pub(super) fn fill(&mut self, variable: VarId, wanted: TypeId, depth: u32) {
        let model = self.table;
        let modifiers = model.modifiers(wanted);
        // An answer is mostly an object within an optional or a list.
        let deepest = if self.answering > 0 { 3 } else { 2 };
        if modifiers.is_empty() || (depth > deepest && !self.thorough) || self.rng.random_bool(0.5) {
            return;
        }
        // Code often reads several fields of an answer before its first branch.
        let all = match self.thorough {
            true => modifiers.len() <= MOST_SETTERS,
            false => self.answering > 0 && self.rng.random_bool(ALL_SET),
        };
        let count = if all { modifiers.len() } else { self.rng.random_range(1..=3) };
        for position in 0..count {
            if self.len() + 2 < self.config.max_statements
                && let Some(callable) = if all { modifiers.get(position).copied() } else { self.pick(modifiers) }
            {
                self.call(callable, depth + 2, Some(variable));
            }
        }
    }
}
