//! The result of a model: data only. Flows in: nothing; flows out: the vocabulary between models
//! and callers.

use crate::symbolic::data::objects::{ObjectBody, Slot};
use crate::symbolic::data::strings::KnownString;

/// The result of a model for one call.
#[derive(Clone, Debug)]
pub(crate) enum ModelResult {
    /// The model does not know the result: it comes from the recording.
    Opaque,
    /// The result; of a reference, the object itself.
    Value(Slot),
    /// The result, unless the recorded one differs, as it may between libraries.
    Approximate(Slot),
    /// The result depends on the processor: it comes from the recording, and the model ends.
    Recorded,
    /// A box with this value; the recording says which object.
    Box(Slot),
    /// A string with this content; the recording says which object.
    String(KnownString),
    /// An array of the characters of this string.
    Chars(KnownString),
    /// An array of strings with these contents.
    Strings(Vec<KnownString>),
    /// A library object with this content.
    Object(ObjectBody),
    /// The method returns nothing; its effects are done.
    Void,
    /// The call throws an exception of this class (internal name).
    Throws(&'static str),
}

// Internal names of exceptions that models throw.
pub(crate) const NULL_POINTER: &str = "java/lang/NullPointerException";
pub(crate) const ILLEGAL_ARGUMENT: &str = "java/lang/IllegalArgumentException";
pub(crate) const STRING_INDEX: &str = "java/lang/StringIndexOutOfBoundsException";
