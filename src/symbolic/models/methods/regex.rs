//! The table of modelled methods with a regular expression: names and
//! descriptors to tags. Flows in: a method; flows out: a [`RegexModel`]. Must not know what a
//! method computes.

use crate::program::MethodRef;

/// A modelled method that takes or has a pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RegexModel {
    /// `String.matches`.
    Matches,
    /// `Pattern.matches`.
    MatchesStatic,
    Split,
    ReplaceAll,
    ReplaceFirst,
    Compile,
    Matcher,
    /// `Matcher.matches`, `lookingAt`, `find` and `reset`.
    IsWhole,
    IsPrefix,
    Find,
    Reset,
}

/// The model of a method of regular expressions; `None` where there is none. `owner` is an internal
/// name.
pub(crate) fn model_of(is_static: bool, owner: &str, method: &MethodRef) -> Option<RegexModel> {
    Some(match (owner, &*method.name, &*method.descriptor) {
        ("java/lang/String", "matches", _) => RegexModel::Matches,
        ("java/lang/String", "split", _) => RegexModel::Split,
        ("java/lang/String", "replaceAll", _) => RegexModel::ReplaceAll,
        ("java/lang/String", "replaceFirst", _) => RegexModel::ReplaceFirst,
        ("java/util/regex/Pattern", "matches", _) if is_static => RegexModel::MatchesStatic,
        ("java/util/regex/Pattern", "compile", _) if is_static => RegexModel::Compile,
        ("java/util/regex/Pattern", "matcher", _) => RegexModel::Matcher,
        ("java/util/regex/Matcher", "matches", "()Z") => RegexModel::IsWhole,
        ("java/util/regex/Matcher", "lookingAt", "()Z") => RegexModel::IsPrefix,
        ("java/util/regex/Matcher", "find", "()Z") => RegexModel::Find,
        ("java/util/regex/Matcher", "reset", "()Ljava/util/regex/Matcher;") => RegexModel::Reset,
        _ => return None,
    })
}
