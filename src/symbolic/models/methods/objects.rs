//! The table of modelled methods of every object, of arrays and of `Objects`: names and
//! descriptors to tags. Flows in: a method; flows out: a [`ObjectModel`]. Must not know what a
//! method computes.

use crate::program::MethodRef;

/// A modelled method of every object, of arrays or of `Objects`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ObjectModel {
    RequireNonNull,
    GetClass,
    ArrayCopy,
    /// `clone` of an array.
    Clone,
}

/// The model of a method of objects and arrays; `None` where there is none. `owner` is an internal
/// name.
pub(crate) fn model_of(is_static: bool, owner: &str, method: &MethodRef) -> Option<ObjectModel> {
    let descriptor: &str = &method.descriptor;
    Some(match (owner, &*method.name) {
        ("java/lang/Object", "getClass") if !is_static && descriptor == "()Ljava/lang/Class;" => ObjectModel::GetClass,
        ("java/lang/System", "arraycopy") => ObjectModel::ArrayCopy,
        (array, "clone") if array.starts_with('[') => ObjectModel::Clone,
        ("java/util/Objects", "requireNonNull") if !descriptor.contains("Supplier") => ObjectModel::RequireNonNull,
        _ => return None,
    })
}
