//! Models of library methods. Flows in: a method and its arguments; flows out: a [`ModelResult`],
//! which the caller checks against the recorded result, and clauses for the decisions that the
//! method makes inside. A model computes the content of a result; the identity of an object always
//! comes from the recording. Must not know how calls are made.
//!
//! Each subject has a file: `math`, `floats`, `boxes`, `parse`, `characters`, `objects`, `regex`
//! (with `automaton`), `builders`, and for strings `strings` (with the table `string_methods`),
//! `string_search`, `letters`, `string_identity` and `format`. All models of strings build on the
//! algebra of `known_string`. To add a model for a method of `String`: add a tag and the name to
//! `string_methods`, and its meaning to `strings`.

mod automaton;
mod boxes;
mod builders;
mod characters;
mod family;
mod floats;
mod format;
mod known_string;
mod letters;
mod math;
mod objects;
mod parse;
mod regex;
mod result;
mod string_identity;
mod string_methods;
mod string_search;
mod strings;

use tracewright_classfile::Kind;

use super::arith;
use super::data::objects::Slot;
use super::machine::{InterpResult, Machine};
use crate::expr::TermId;
use crate::path::ClauseKind;
use crate::program::MethodRef;

pub(crate) use automaton::Automaton;
use boxes::BoxModel;
pub(crate) use boxes::kind_of_box;
use builders::BuilderModel;
use characters::CharacterModel;
pub use family::ModelFamily;
use floats::FloatModel;
pub(crate) use known_string::KnownString;
use math::MathModel;
use objects::ObjectModel;
use regex::RegexModel;
pub(crate) use result::ModelResult;
use string_methods::StringModel;

/// The model of a library method, by subject.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LibraryModel {
    Math(MathModel),
    Float(FloatModel),
    Box(BoxModel),
    Character(CharacterModel),
    String(StringModel),
    Builder(BuilderModel),
    Regex(RegexModel),
    Object(ObjectModel),
}

/// The model of a method; `None` where the method has none.
pub(crate) fn model_of(is_static: bool, method: &MethodRef) -> Option<LibraryModel> {
    let owner = method.owner.internal();
    // No method belongs to two subjects, so the order does not matter.
    (math::model_of(is_static, owner, method).map(LibraryModel::Math))
        .or_else(|| floats::model_of(is_static, owner, method).map(LibraryModel::Float))
        .or_else(|| boxes::model_of(is_static, owner, method).map(LibraryModel::Box))
        .or_else(|| characters::model_of(is_static, owner, method).map(LibraryModel::Character))
        .or_else(|| string_methods::model_of(is_static, owner, method).map(LibraryModel::String))
        .or_else(|| builders::model_of(owner, method).map(LibraryModel::Builder))
        .or_else(|| regex::model_of(is_static, owner, method).map(LibraryModel::Regex))
        .or_else(|| objects::model_of(is_static, owner, method).map(LibraryModel::Object))
}

/// Whether a library method does not change the arrays and builders that it is given.
pub(crate) fn leaves_arrays_unchanged(method: &MethodRef) -> bool {
    match method.owner.internal() {
        "java/lang/String" => !matches!(&*method.name, "getChars" | "getBytes"),
        "java/lang/StringBuilder" | "java/lang/StringBuffer" => &*method.name != "getChars",
        "java/util/Objects" | "java/lang/Object" | "java/util/List" | "java/util/Set" => true,
        "java/util/Arrays" => {
            !(method.name.starts_with("fill")
                || method.name.starts_with("sort")
                || method.name.starts_with("parallel")
                || method.name.starts_with("setAll"))
        }
        _ => false,
    }
}

/// Whether a call without a model does not change the content of its builder arguments and the
/// state of its matcher.
pub(crate) fn leaves_builders_unchanged(method: &MethodRef) -> bool {
    leaves_arrays_unchanged(method) || matches!(method.owner.internal(), "java/lang/Integer" | "java/lang/Long" | "java/lang/Character")
        // Groups of the last match and their positions.
        || (method.owner.internal() == "java/util/regex/Matcher" && matches!(&*method.name, "group" | "start" | "end" | "groupCount"))
}

impl Machine<'_, '_> {
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
