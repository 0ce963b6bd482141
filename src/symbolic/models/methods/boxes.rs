//! The table of modelled methods of the box classes of `java.lang`: names and
//! descriptors to tags. Flows in: a method; flows out: a [`BoxModel`]. Must not know what a
//! method computes.

use tracewright_classfile::Kind;

use crate::program::MethodRef;
use crate::symbolic::data::ids::SlotKind;

/// A modelled method of a box class.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BoxModel {
    /// `valueOf` of a primitive value.
    ValueOf,
    /// A constructor such as `new Integer(i)`.
    Init,
    /// `intValue` and its like: the kind of the boxed value, and the kind of the result.
    Unbox(SlotKind, SlotKind),
    Equals,
    HashCode,
    CompareTo,
    ToString,
    /// The static methods `hashCode` and `toString` of a primitive value.
    HashOf(SlotKind),
    StringOf(SlotKind),
    /// `toHexString` and its like: the kind of the value, and the bits of one digit.
    InRadix(Kind, u32),
    /// `parseInt` and its like; `ParseBox` is `valueOf` of a string.
    Parse(SlotKind),
    ParseBox(SlotKind),
}

/// The model of a method of box classes; `None` where there is none. `owner` is an internal name.
pub(crate) fn model_of(is_static: bool, owner: &str, method: &MethodRef) -> Option<BoxModel> {
    let descriptor: &str = &method.descriptor;
    let class = owner.strip_prefix("java/lang/")?;
    let name = &*method.name;
    if class == "Number" && !is_static && name.ends_with("Value") {
        return Some(BoxModel::Unbox(SlotKind::Ref, SlotKind::of(&method.return_type())));
    }
    let held = SlotKind::of_box(owner)?;
    let is_floating = matches!(held, SlotKind::Float | SlotKind::Double);
    let of_text = descriptor.starts_with("(Ljava/lang/String;)") || descriptor.starts_with("(Ljava/lang/String;I)");
    let alone = method.parameters().len() == 1;
    Some(match name {
        "valueOf" if is_static && of_text && !is_floating => BoxModel::ParseBox(held),
        "valueOf" if is_static && !of_text => BoxModel::ValueOf,
        "parseInt" | "parseLong" | "parseShort" | "parseByte" | "parseBoolean" if of_text => BoxModel::Parse(held),
        "<init>" if !of_text => BoxModel::Init,
        "hashCode" if is_static && !is_floating => BoxModel::HashOf(held),
        "toString" if is_static && !is_floating && alone && descriptor != "(I)Ljava/lang/String;" => BoxModel::StringOf(held),
        // `Character.toString` has an overload for code points, which is not modelled.
        "toString" if is_static && held == SlotKind::Int && alone => BoxModel::StringOf(held),
        "toHexString" if held == SlotKind::Int || held == SlotKind::Long => BoxModel::InRadix(held.kind(), 4),
        "toOctalString" => BoxModel::InRadix(held.kind(), 3),
        "toBinaryString" => BoxModel::InRadix(held.kind(), 1),
        "equals" if !is_static => BoxModel::Equals,
        "hashCode" if !is_static => BoxModel::HashCode,
        "compareTo" if !is_static => BoxModel::CompareTo,
        "toString" if !is_static => BoxModel::ToString,
        name if !is_static && name.ends_with("Value") => BoxModel::Unbox(held, SlotKind::of(&method.return_type())),
        _ => return None,
    })
}
