//! The table of modelled methods that change a `StringBuilder` or `StringBuffer`: names and
//! descriptors to tags. Flows in: a method; flows out: a [`BuilderModel`]. Must not know what a
//! method computes.

use crate::program::MethodRef;
use crate::symbolic::data::ids::SlotKind;

/// A modelled method that changes a builder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BuilderModel {
    InitEmpty,
    InitCapacity,
    InitText,
    /// `append` of a value of the kind; of a reference, the result of its `toString`.
    Append(SlotKind),
    /// `append` of a character array or of a part of one.
    AppendChars,
    /// `append` of a part of a character sequence.
    AppendPart,
    AppendCodePoint,
    Insert(SlotKind),
    DeleteCharAt,
    Delete,
    SetCharAt,
    SetLength,
    Reverse,
    Replace,
    /// A method that does not change the content.
    Capacity,
    /// A change that is not modelled.
    Other,
}

/// Whether the class (internal name) is a string builder or its superclass.
pub(crate) fn is_builder(owner: &str) -> bool {
    matches!(owner, "java/lang/StringBuilder" | "java/lang/StringBuffer" | "java/lang/AbstractStringBuilder")
}

/// The model of a method of builders; `None` where there is none. `owner` is an internal name.
pub(crate) fn model_of(owner: &str, method: &MethodRef) -> Option<BuilderModel> {
    use BuilderModel::*;
    // `Appendable.append` is modelled where the receiver is a builder at run time.
    if !(is_builder(owner) || owner == "java/lang/Appendable" && &*method.name == "append") {
        return None;
    }
    let parameters = method.parameters();
    let inner = method.descriptor.split(')').next().unwrap_or_default().trim_start_matches('(');
    let kind = |index: usize| parameters.get(index).map(SlotKind::of);
    Some(match (&*method.name, inner) {
        ("<init>", "") => InitEmpty,
        ("<init>", "I") => InitCapacity,
        ("<init>", _) => InitText,
        ("append", "[C" | "[CII") => AppendChars,
        ("append", "Ljava/lang/CharSequence;II") => AppendPart,
        ("append", _) if parameters.len() == 1 => Append(kind(0)?),
        ("appendCodePoint", _) => AppendCodePoint,
        ("insert", "I[C") => Other,
        ("insert", _) if parameters.len() == 2 => Insert(kind(1)?),
        ("deleteCharAt", _) => DeleteCharAt,
        ("delete", _) => Delete,
        ("setCharAt", _) => SetCharAt,
        ("setLength", _) => SetLength,
        ("reverse", _) => Reverse,
        ("replace", _) => Replace,
        ("ensureCapacity" | "trimToSize", _) => Capacity,
        ("append" | "insert" | "repeat", _) => Other,
        _ => return None,
    })
}
