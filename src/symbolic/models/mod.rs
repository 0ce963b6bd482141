//! Models of library methods: results as terms, which the caller checks against the recorded ones. A method is modelled for what it
//! computes; identity always comes from the recording. Flows in: a call's arguments; flows out: a [`ModelResult`], and the clauses that the
//! method decides inside. Must not know how calls are made.
//!
//! One file a subject: `math`, `floats`, `boxes` and `parse`, `characters`, `strings` with `search`, `letters` and `format`, `builders` (all of these over
//! the algebra of `text`), `regex` with `automaton`, `objects`.

mod automaton;
mod boxes;
mod builders;
mod characters;
mod floats;
mod format;
mod letters;
mod math;
mod objects;
mod parse;
mod regex;
mod search;
mod strings;
mod text;

use tracewright_classfile::Kind;

use super::arith;
use super::machine::{InterpResult, Machine};
use super::objects::{ObjectBody, Slot};
use crate::expr::TermId;
use crate::path::ClauseKind;
use crate::program::MethodRef;

pub(crate) use automaton::Automaton;
use boxes::BoxModel;
pub(crate) use boxes::kind_of_box;
use builders::BuilderModel;
use characters::CharacterModel;
use floats::FloatModel;
use math::MathModel;
use objects::ObjectModel;
use regex::RegexModel;
use strings::StringModel;
pub(crate) use text::KnownString;

/// What is known of a library method.
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

/// What a model says of one call.
#[derive(Clone, Debug)]
pub(crate) enum ModelResult {
    /// Nothing: take the recording.
    Opaque,
    /// The result. Of a reference, the object.
    Value(Slot),
    /// The result, unless the recorded one differs: two libraries may.
    Approximate(Slot),
    /// The result is the machine's business: only the recording has it.
    Recorded,
    /// A box that holds this.
    Box(Slot),
    /// A string with this content; the recording says which object.
    String(KnownString),
    /// An array of the characters of this text.
    Chars(KnownString),
    /// An array of strings with these contents.
    Strings(Vec<KnownString>),
    /// An object of the library that holds this.
    Object(ObjectBody),
    /// Nothing is returned, what changed is done.
    Void,
    /// The call does not return: an exception of this class.
    Throws(&'static str),
}

const NULL_POINTER: &str = "java/lang/NullPointerException";

/// The model of a method, if there is one.
pub(crate) fn model_of(is_static: bool, method: &MethodRef) -> Option<LibraryModel> {
    let owner = method.owner.internal();
    // Subjects do not overlap.
    (math::model_of(is_static, owner, method).map(LibraryModel::Math))
        .or_else(|| floats::model_of(is_static, owner, method).map(LibraryModel::Float))
        .or_else(|| boxes::model_of(is_static, owner, method).map(LibraryModel::Box))
        .or_else(|| characters::model_of(is_static, owner, method).map(LibraryModel::Character))
        .or_else(|| strings::model_of(is_static, owner, method).map(LibraryModel::String))
        .or_else(|| builders::model_of(owner, method).map(LibraryModel::Builder))
        .or_else(|| regex::model_of(is_static, owner, method).map(LibraryModel::Regex))
        .or_else(|| objects::model_of(is_static, owner, method).map(LibraryModel::Object))
}

/// Whether a library method leaves the arrays and builders it is given as they are.
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

/// Whether a call that is not modelled leaves the texts of the builders, and the state of the matchers, that it is given.
pub(crate) fn leaves_builders_unchanged(method: &MethodRef) -> bool {
    leaves_arrays_unchanged(method) || matches!(method.owner.internal(), "java/lang/Integer" | "java/lang/Long" | "java/lang/Character")
        // Groups and their places.
        || (method.owner.internal() == "java/util/regex/Matcher" && matches!(&*method.name, "group" | "start" | "end" | "groupCount"))
}

impl Machine<'_, '_> {
    /// What the model says of this call; clauses that it decides are added.
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

    // What models share.

    /// The term of the first when any of the slots carries one.
    fn term_if(&mut self, slots: &[Slot], kind: Kind) -> Option<TermId> {
        slots.iter().any(|slot| slot.term.is_some()).then(|| arith::term_of(self.terms, slots[0], kind)).flatten()
    }

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

    /// A clause: all the bounds hold, or not all.
    fn decide_bounds(&mut self, holds: bool, bounds: [TermId; 3]) -> InterpResult<()> {
        let [first, second, third] = bounds;
        let all = self.terms.and(first, second);
        let all = self.terms.and(all, third);
        let clause = if holds { all } else { self.terms.not(all) };
        self.add_clause(ClauseKind::Bounds, u32::from(!holds), clause)
    }

    /// 1 or 0.
    pub(crate) fn truth_value(&mut self, clause: TermId) -> TermId {
        let (one, zero) = (self.terms.int(1), self.terms.int(0));
        self.terms.ite(clause, one, zero)
    }
}
