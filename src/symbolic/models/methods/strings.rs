//! The table of modelled methods of `String`, `CharSequence` and the builders' queries: names and
//! descriptors to tags. Flows in: a method; flows out: a [`StringModel`]. Must not know what a
//! method computes.

use crate::program::MethodRef;
use crate::symbolic::data::ids::SlotKind;

/// A modelled method on strings; overloads with one meaning share a tag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StringModel {
    Length,
    IsEmpty,
    IsBlank,
    CharAt,
    CodePointAt,
    Equals,
    EqualsIgnoreCase,
    ContentEquals,
    CompareTo,
    CompareToIgnoreCase,
    StartsWith,
    EndsWith,
    Contains,
    /// `indexOf` and `lastIndexOf` of a character or a string, with or without a start index.
    Index {
        last: bool,
        character: bool,
    },
    HashCode,
    RegionMatches {
        ignores_case: bool,
    },
    /// With one index or two.
    Substring,
    Concat,
    Trim,
    Strip {
        leading: bool,
        trailing: bool,
    },
    ToLowerCase,
    ToUpperCase,
    ReplaceChar,
    Replace,
    Repeat,
    ValueOf(SlotKind),
    /// `valueOf(char[])` and `copyValueOf`, with or without offset and count.
    OfChars,
    Join,
    /// `format` and `formatted`; the first with or without a locale.
    Format {
        locale: bool,
    },
    Intern,
    ToString,
    ToCharArray,
    GetChars,
    /// Constructors without arguments, of a character sequence, and of a character array.
    InitEmpty,
    InitText,
    InitChars,
}

/// The tag of a method; `None` where the method is not modelled as a query on strings.
pub(crate) fn model_of(is_static: bool, owner: &str, method: &MethodRef) -> Option<StringModel> {
    use StringModel::*;
    let descriptor: &str = &method.descriptor;
    let name = &*method.name;
    if is_static {
        if owner != "java/lang/String" {
            return None;
        }
        return Some(match (name, descriptor) {
            ("valueOf" | "copyValueOf", "([C)Ljava/lang/String;" | "([CII)Ljava/lang/String;") => OfChars,
            ("valueOf", _) => ValueOf(SlotKind::of(method.parameters().first()?)),
            ("join", "(Ljava/lang/CharSequence;[Ljava/lang/CharSequence;)Ljava/lang/String;") => Join,
            ("format", "(Ljava/lang/String;[Ljava/lang/Object;)Ljava/lang/String;") => Format { locale: false },
            ("format", _) => Format { locale: true },
            _ => return None,
        });
    }
    // Methods of every object, whose receiver may be a string at run time.
    let of_any = match (name, descriptor) {
        ("equals", "(Ljava/lang/Object;)Z") => Some(Equals),
        ("hashCode", "()I") => Some(HashCode),
        ("toString", "()Ljava/lang/String;") => Some(ToString),
        _ => None,
    };
    let of_sequence = match (name, descriptor) {
        ("length", "()I") => Some(Length),
        ("isEmpty", "()Z") => Some(IsEmpty),
        ("charAt", "(I)C") => Some(CharAt),
        ("subSequence", _) => Some(Substring),
        _ => None,
    };
    match owner {
        "java/lang/Object" => return of_any,
        "java/lang/Comparable" if name == "compareTo" => return Some(CompareTo),
        "java/lang/CharSequence" => return of_any.or(of_sequence),
        owner if super::builders::is_builder(owner) => {
            if of_sequence.is_some() {
                return of_sequence;
            }
            return Some(match (name, descriptor) {
                ("toString", _) => ToString,
                ("codePointAt", _) => CodePointAt,
                ("indexOf", _) => Index { last: false, character: false },
                ("lastIndexOf", _) => Index { last: true, character: false },
                ("substring", _) => Substring,
                ("compareTo", _) => CompareTo,
                ("getChars", _) => GetChars,
                _ => return None,
            });
        }
        "java/lang/String" => {}
        _ => return None,
    }
    if let Some(model) = of_any.or(of_sequence) {
        return Some(model);
    }
    const OF_TEXT: &str = "(Ljava/lang/String;)";
    Some(match (name, descriptor) {
        ("isBlank", "()Z") => IsBlank,
        ("codePointAt", "(I)I") => CodePointAt,
        ("equalsIgnoreCase", _) => EqualsIgnoreCase,
        ("contentEquals", _) => ContentEquals,
        ("compareTo", "(Ljava/lang/String;)I" | "(Ljava/lang/Object;)I") => CompareTo,
        ("compareToIgnoreCase", _) => CompareToIgnoreCase,
        ("startsWith", _) => StartsWith,
        ("endsWith", _) => EndsWith,
        ("contains", _) => Contains,
        ("indexOf", "(I)I" | "(II)I") => Index { last: false, character: true },
        ("indexOf", "(Ljava/lang/String;)I" | "(Ljava/lang/String;I)I") => Index { last: false, character: false },
        ("lastIndexOf", "(I)I" | "(II)I") => Index { last: true, character: true },
        ("lastIndexOf", "(Ljava/lang/String;)I" | "(Ljava/lang/String;I)I") => Index { last: true, character: false },
        ("regionMatches", "(ILjava/lang/String;II)Z") => RegionMatches { ignores_case: false },
        ("regionMatches", "(ZILjava/lang/String;II)Z") => RegionMatches { ignores_case: true },
        ("substring", _) => Substring,
        ("concat", _) => Concat,
        ("trim", _) => Trim,
        ("strip", _) => Strip { leading: true, trailing: true },
        ("stripLeading", _) => Strip { leading: true, trailing: false },
        ("stripTrailing", _) => Strip { leading: false, trailing: true },
        ("toLowerCase", _) => ToLowerCase,
        ("toUpperCase", _) => ToUpperCase,
        ("replace", "(CC)Ljava/lang/String;") => ReplaceChar,
        ("replace", _) => Replace,
        ("repeat", _) => Repeat,
        ("intern", _) => Intern,
        ("toCharArray", _) => ToCharArray,
        ("getChars", "(II[CI)V") => GetChars,
        ("formatted", _) => Format { locale: false },
        ("<init>", "()V") => InitEmpty,
        ("<init>", constructor) if constructor == format!("{OF_TEXT}V") => InitText,
        ("<init>", "(Ljava/lang/StringBuilder;)V" | "(Ljava/lang/StringBuffer;)V") => InitText,
        ("<init>", "([C)V" | "([CII)V") => InitChars,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::program::ClassName;

    fn model(is_static: bool, owner: &str, name: &str, descriptor: &str) -> Option<StringModel> {
        model_of(is_static, owner, &MethodRef::new(ClassName::new(owner), name, descriptor))
    }

    #[test]
    fn overloads_are_told_apart_by_their_descriptor() {
        let string = "java/lang/String";
        let index = |descriptor| model(false, string, "indexOf", descriptor);
        assert_eq!(index("(I)I"), Some(StringModel::Index { last: false, character: true }));
        assert_eq!(index("(Ljava/lang/String;I)I"), Some(StringModel::Index { last: false, character: false }));
        assert_eq!(index("(III)I"), None);
        assert_eq!(model(false, string, "replace", "(CC)Ljava/lang/String;"), Some(StringModel::ReplaceChar));
        assert_eq!(model(false, string, "<init>", "([B)V"), None);
        assert_eq!(model(true, string, "valueOf", "(I)Ljava/lang/String;"), Some(StringModel::ValueOf(SlotKind::Int)));
    }

    #[test]
    fn methods_of_supertypes_are_modelled_for_strings() {
        assert_eq!(model(false, "java/lang/Object", "toString", "()Ljava/lang/String;"), Some(StringModel::ToString));
        assert_eq!(model(false, "java/lang/CharSequence", "charAt", "(I)C"), Some(StringModel::CharAt));
        assert_eq!(model(false, "java/lang/Comparable", "compareTo", "(Ljava/lang/Object;)I"), Some(StringModel::CompareTo));
        assert_eq!(model(false, "java/lang/StringBuilder", "trim", "()V"), None);
    }
}
