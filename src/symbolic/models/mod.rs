//! Models of library methods. Flows in: a method and its arguments; flows out: a [`ModelResult`],
//! which the caller checks against the recorded result, and clauses for the decisions that the
//! method makes inside. A model computes the content of a result; the identity of an object always
//! comes from the recording. Must not know how calls are made.
//!
//! The tables of [`methods`] list the methods that have a model, by subject. Each subject
//! has a file for the meaning: `math`, `floats`, `boxes`, `parse`, `characters`, `objects`,
//! `regex`, `builders`, and for strings `strings`, `string_search`, `letters`, `string_identity`
//! and `format`. All models of strings build on the algebra of `known_string`.
//!
//! How to add a model, here of `String.strip`:
//!
//! 1. Add a tag to the enum of the subject, here `Strip` to `StringModel` in `methods/strings.rs`.
//! 2. Map class, name and descriptor to the tag in the table of the same file.
//! 3. Write the meaning at the tag in `strings.rs`: terms for the content of the result, and a
//!    clause for each decision.
//! 4. Call the method in a subject of `tests/replay`, and run
//!    `UPDATE_EXPECT=1 cargo xtask test --test replay_fixtures`. The fixture compares the replay
//!    with the JVM.
//!
//! A model is a method of [`ModelContext`]: it sees terms, heap and path, and cannot run code.

mod boxes;
mod builders;
mod characters;
mod floats;
mod format;
mod known_string;
mod letters;
mod math;
pub(super) mod methods;
mod objects;
mod parse;
mod regex;
mod result;
mod string_identity;
mod string_search;
mod strings;

use tracewright_classfile::Kind;

use super::arith;
use super::completion::InterpResult;
use super::context::ModelContext;
use super::data::objects::Slot;
use crate::expr::TermId;
use crate::path::ClauseKind;

pub use methods::family::ModelFamily;
pub(crate) use methods::{LibraryModel, leaves_arrays_unchanged, leaves_builders_unchanged, model_of};
pub(crate) use result::ModelResult;

impl ModelContext<'_, '_> {
    /// Applies a model to the arguments of a call. Decisions of the method become clauses.
    ///
    /// # Errors
    /// The end of the path, where a decision meets a limit of the replay.
    pub(crate) fn apply_model(&mut self, model: LibraryModel, arguments: &[Slot]) -> InterpResult<ModelResult> {
        match model {
            LibraryModel::Math(model) => self.apply_math(model, arguments),
            LibraryModel::Float(model) => self.apply_float(model, arguments),
            LibraryModel::Box(model) => self.apply_box(model, arguments),
            LibraryModel::Character(model) => self.apply_character(model, arguments),
            LibraryModel::String(model) => self.apply_string(model, arguments),
            LibraryModel::Builder(model) => self.apply_builder(model, arguments),
            LibraryModel::Regex(model) => self.apply_regex(model, arguments),
            LibraryModel::Object(model) => self.apply_object(model, arguments),
        }
    }

    // Terms and decisions that several models use.

    /// The term of the first slot where any slot has a term; `None` where all are constants.
    fn term_if(&mut self, slots: &[Slot], kind: Kind) -> Option<TermId> {
        slots.iter().any(|slot| slot.term.is_some()).then(|| arith::term_of(self.terms, slots[0], kind)).flatten()
    }

    /// The terms of both slots where at least one slot has a term; `None` where both are constants.
    pub(crate) fn pair(&mut self, a: Slot, b: Slot, kind: Kind) -> Option<(TermId, TermId)> {
        if a.term.is_none() && b.term.is_none() {
            return None;
        }
        Some((arith::term_of(self.terms, a, kind)?, arith::term_of(self.terms, b, kind)?))
    }

    fn in_range(&mut self, term: TermId, low: i32, high: i32) -> TermId {
        let (low_term, high_term) = (self.terms.int(low), self.terms.int(high));
        if low == high {
            return self.terms.eq(term, low_term);
        }
        let above = self.terms.le(low_term, term);
        let below = self.terms.le(term, high_term);
        self.terms.and(above, below)
    }

    /// Adds the clause that all three bounds hold, or its negation, as `holds` says of this run.
    fn decide_bounds(&mut self, holds: bool, bounds: [TermId; 3]) -> InterpResult<()> {
        let [first, second, third] = bounds;
        let all = self.terms.and(first, second);
        let all = self.terms.and(all, third);
        let clause = if holds { all } else { self.terms.not(all) };
        self.add_clause(ClauseKind::Bounds, u32::from(!holds), clause)
    }

    /// The int 1 where the clause holds, else 0.
    pub(crate) fn truth_value(&mut self, clause: TermId) -> TermId {
        let (one, zero) = (self.terms.int(1), self.terms.int(0));
        self.terms.ite(clause, one, zero)
    }
}
