//! The table of modelled library methods: which method has a model, and of which subject. Flows in:
//! a method; flows out: a [`LibraryModel`], which is data only. Linked code holds these tags; the
//! files of [`models`](super) say what they mean. Must not know how a model computes.

pub(crate) mod boxes;
pub(crate) mod builders;
pub(crate) mod characters;
pub(crate) mod family;
pub(crate) mod floats;
pub(crate) mod math;
pub(crate) mod objects;
pub(crate) mod regex;
pub(crate) mod strings;

use boxes::BoxModel;
use builders::BuilderModel;
use characters::CharacterModel;
use floats::FloatModel;
use math::MathModel;
use objects::ObjectModel;
use regex::RegexModel;
use strings::StringModel;

use crate::program::MethodRef;

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
        .or_else(|| strings::model_of(is_static, owner, method).map(LibraryModel::String))
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
