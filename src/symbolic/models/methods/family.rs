//! Groups of modelled library methods, one for each subject. Flows in: a method; flows out: its
//! group. The replay fixtures use the list to check that every group is covered. Must not know how
//! a model computes.

use super::boxes::BoxModel;
use super::strings::StringModel;
use super::{LibraryModel, model_of};
use crate::program::MethodRef;

/// A group of library methods whose models share a subject.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ModelFamily {
    /// Integer methods of `Math`, `Integer`, `Long` and their like.
    Math,
    /// Methods on floats and doubles.
    Floats,
    /// Boxes of `java.lang`: construction, unboxing, comparison, hash code.
    Boxes,
    /// `Integer.parseInt`, `Boolean.parseBoolean` and their like.
    Parsing,
    /// Strings of numbers: `Integer.toString`, `Long.toHexString` and their like.
    NumberStrings,
    /// Static methods of `Character`.
    Characters,
    /// Length, characters, equality, parts and joins of strings.
    Strings,
    /// `indexOf`, `contains`, `startsWith` and their like.
    StringSearch,
    /// Upper and lower case, comparison without case.
    StringCase,
    /// `String.format` and `formatted`.
    Formatting,
    /// `StringBuilder` and `StringBuffer`.
    Builders,
    /// `Pattern`, `Matcher` and the methods of `String` that take a pattern.
    Regex,
    /// Methods of every object, `Objects`, and copies of arrays.
    Objects,
}

impl ModelFamily {
    /// Every group, in the order of the variants.
    pub const ALL: [ModelFamily; 13] = [
        ModelFamily::Math,
        ModelFamily::Floats,
        ModelFamily::Boxes,
        ModelFamily::Parsing,
        ModelFamily::NumberStrings,
        ModelFamily::Characters,
        ModelFamily::Strings,
        ModelFamily::StringSearch,
        ModelFamily::StringCase,
        ModelFamily::Formatting,
        ModelFamily::Builders,
        ModelFamily::Regex,
        ModelFamily::Objects,
    ];

    /// The group of a method; `None` where the method has no model.
    pub fn of(is_static: bool, method: &MethodRef) -> Option<ModelFamily> {
        model_of(is_static, method).map(LibraryModel::family)
    }
}

impl LibraryModel {
    fn family(self) -> ModelFamily {
        match self {
            LibraryModel::Math(_) => ModelFamily::Math,
            LibraryModel::Float(_) => ModelFamily::Floats,
            LibraryModel::Box(BoxModel::Parse(_) | BoxModel::ParseBox(_)) => ModelFamily::Parsing,
            LibraryModel::Box(BoxModel::ToString | BoxModel::StringOf(_) | BoxModel::InRadix(..)) => ModelFamily::NumberStrings,
            LibraryModel::Box(_) => ModelFamily::Boxes,
            LibraryModel::Character(_) => ModelFamily::Characters,
            LibraryModel::String(model) => string_family(model),
            LibraryModel::Builder(_) => ModelFamily::Builders,
            LibraryModel::Regex(_) => ModelFamily::Regex,
            LibraryModel::Object(_) => ModelFamily::Objects,
        }
    }
}

fn string_family(model: StringModel) -> ModelFamily {
    match model {
        StringModel::Format { .. } => ModelFamily::Formatting,
        StringModel::StartsWith
        | StringModel::EndsWith
        | StringModel::Contains
        | StringModel::Index { .. }
        | StringModel::RegionMatches { ignores_case: false } => ModelFamily::StringSearch,
        StringModel::EqualsIgnoreCase
        | StringModel::CompareToIgnoreCase
        | StringModel::RegionMatches { ignores_case: true }
        | StringModel::ToLowerCase
        | StringModel::ToUpperCase => ModelFamily::StringCase,
        _ => ModelFamily::Strings,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::program::ClassName;

    fn family(is_static: bool, owner: &str, name: &str, descriptor: &str) -> Option<ModelFamily> {
        ModelFamily::of(is_static, &MethodRef::new(ClassName::new(owner), name, descriptor))
    }

    #[test]
    fn a_method_belongs_to_the_family_of_its_subject() {
        let string = "java/lang/String";
        let integer = "java/lang/Integer";
        assert_eq!(family(true, "java/lang/Math", "abs", "(I)I"), Some(ModelFamily::Math));
        assert_eq!(family(true, "java/lang/Math", "abs", "(D)D"), Some(ModelFamily::Floats));
        assert_eq!(family(false, integer, "intValue", "()I"), Some(ModelFamily::Boxes));
        assert_eq!(family(true, integer, "valueOf", "(Ljava/lang/String;)Ljava/lang/Integer;"), Some(ModelFamily::Parsing));
        assert_eq!(family(true, integer, "toHexString", "(I)Ljava/lang/String;"), Some(ModelFamily::NumberStrings));
        assert_eq!(family(true, "java/lang/Character", "isDigit", "(C)Z"), Some(ModelFamily::Characters));
        assert_eq!(family(false, string, "trim", "()Ljava/lang/String;"), Some(ModelFamily::Strings));
        assert_eq!(family(false, string, "indexOf", "(I)I"), Some(ModelFamily::StringSearch));
        assert_eq!(family(false, string, "toUpperCase", "()Ljava/lang/String;"), Some(ModelFamily::StringCase));
        assert_eq!(
            family(false, "java/lang/StringBuilder", "reverse", "()Ljava/lang/StringBuilder;"),
            Some(ModelFamily::Builders)
        );
        assert_eq!(family(false, string, "split", "(Ljava/lang/String;)[Ljava/lang/String;"), Some(ModelFamily::Regex));
        assert_eq!(family(false, "[I", "clone", "()Ljava/lang/Object;"), Some(ModelFamily::Objects));
        // Same name and descriptor, but static.
        assert_eq!(family(true, string, "trim", "()Ljava/lang/String;"), None);
        assert_eq!(family(false, string, "lines", "()Ljava/util/stream/Stream;"), None);
    }
}
