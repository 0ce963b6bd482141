//! The table of modelled methods of `Character`: names and
//! descriptors to tags. Flows in: a method; flows out: a [`CharacterModel`]. Must not know what a
//! method computes.

use crate::program::MethodRef;

/// A modelled static method of `Character`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CharacterModel {
    Is(CharacterTest),
    ToLowerCase,
    ToUpperCase,
    /// `digit`: the value of a digit in a radix.
    Digit,
    NumericValue,
    ForDigit,
    ToChars,
}

/// A predicate and the ranges of characters for which it holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct CharacterTest {
    pub(crate) ranges: CharacterRanges,
    /// The ranges are complete for every character; otherwise up to U+00FF only.
    pub(crate) everywhere: bool,
}

/// Ranges of characters, first and last.
pub(crate) type CharacterRanges = &'static [(i32, i32)];

/// The model of a method of `Character`; `None` where there is none. `owner` is an internal name.
pub(crate) fn model_of(is_static: bool, owner: &str, method: &MethodRef) -> Option<CharacterModel> {
    if !is_static || owner != "java/lang/Character" {
        return None;
    }
    Some(match (&*method.name, &*method.descriptor) {
        ("toLowerCase", "(C)C" | "(I)I") => CharacterModel::ToLowerCase,
        ("toUpperCase", "(C)C" | "(I)I") => CharacterModel::ToUpperCase,
        ("digit", "(CI)I" | "(II)I") => CharacterModel::Digit,
        ("getNumericValue", "(C)I" | "(I)I") => CharacterModel::NumericValue,
        ("forDigit", "(II)C") => CharacterModel::ForDigit,
        ("toChars", "(I)[C") => CharacterModel::ToChars,
        (name, "(C)Z" | "(I)Z") => {
            let latin = |ranges| CharacterTest { ranges, everywhere: false };
            let everywhere = |ranges| CharacterTest { ranges, everywhere: true };
            CharacterModel::Is(match name {
                "isDigit" => latin(&[(48, 57)]),
                "isLetter" | "isAlphabetic" => latin(LETTERS),
                "isLetterOrDigit" => latin(LETTERS_AND_DIGITS),
                "isUpperCase" => latin(&[(65, 90), (0xc0, 0xd6), (0xd8, 0xde)]),
                "isLowerCase" => latin(&[(97, 122), (0xaa, 0xaa), (0xb5, 0xb5), (0xba, 0xba), (0xdf, 0xf6), (0xf8, 0xff)]),
                "isTitleCase" => latin(&[]),
                "isJavaIdentifierStart" => latin(IDENTIFIER_START),
                "isJavaIdentifierPart" => latin(IDENTIFIER_PART),
                "isIdentifierIgnorable" => latin(&[(0, 8), (14, 27), (0x7f, 0x9f), (0xad, 0xad)]),
                "isWhitespace" => everywhere(WHITESPACE),
                "isSpaceChar" => everywhere(SPACES),
                "isISOControl" => everywhere(&[(0, 0x1f), (0x7f, 0x9f)]),
                "isSurrogate" => everywhere(&[(0xd800, 0xdfff)]),
                "isHighSurrogate" => everywhere(&[(0xd800, 0xdbff)]),
                "isLowSurrogate" => everywhere(&[(0xdc00, 0xdfff)]),
                "isBmpCodePoint" => everywhere(&[(0, 0xffff)]),
                "isSupplementaryCodePoint" => everywhere(&[(0x1_0000, 0x10_ffff)]),
                "isValidCodePoint" => everywhere(&[(0, 0x10_ffff)]),
                _ => return None,
            })
        }
        _ => return None,
    })
}

// The tables of `java.lang.Character` up to U+00FF.
const LETTERS: CharacterRanges =
    &[(65, 90), (97, 122), (0xaa, 0xaa), (0xb5, 0xb5), (0xba, 0xba), (0xc0, 0xd6), (0xd8, 0xf6), (0xf8, 0xff)];
const LETTERS_AND_DIGITS: CharacterRanges =
    &[(48, 57), (65, 90), (97, 122), (0xaa, 0xaa), (0xb5, 0xb5), (0xba, 0xba), (0xc0, 0xd6), (0xd8, 0xf6), (0xf8, 0xff)];
const IDENTIFIER_START: CharacterRanges = &[
    (36, 36),
    (65, 90),
    (95, 95),
    (97, 122),
    (0xa2, 0xa5),
    (0xaa, 0xaa),
    (0xb5, 0xb5),
    (0xba, 0xba),
    (0xc0, 0xd6),
    (0xd8, 0xf6),
    (0xf8, 0xff),
];
const IDENTIFIER_PART: CharacterRanges = &[
    (0, 8),
    (14, 27),
    (36, 36),
    (48, 57),
    (65, 90),
    (95, 95),
    (97, 122),
    (0x7f, 0x9f),
    (0xa2, 0xa5),
    (0xaa, 0xaa),
    (0xad, 0xad),
    (0xb5, 0xb5),
    (0xba, 0xba),
    (0xc0, 0xd6),
    (0xd8, 0xf6),
    (0xf8, 0xff),
];
/// `Character.isSpaceChar`, complete.
const SPACES: CharacterRanges = &[
    (32, 32),
    (0xa0, 0xa0),
    (0x1680, 0x1680),
    (0x2000, 0x200a),
    (0x2028, 0x2029),
    (0x202f, 0x202f),
    (0x205f, 0x205f),
    (0x3000, 0x3000),
];
/// `Character.isWhitespace`. No supplementary character is whitespace.
pub(crate) const WHITESPACE: &[(i32, i32)] = &[
    (9, 13),
    (28, 32),
    (0x1680, 0x1680),
    (0x2000, 0x2006),
    (0x2008, 0x200a),
    (0x2028, 0x2029),
    (0x205f, 0x205f),
    (0x3000, 0x3000),
];

/// `Character.isWhitespace` of a UTF-16 unit.
pub(crate) fn is_whitespace(unit: u16) -> bool {
    WHITESPACE.iter().any(|&(low, high)| (low..=high).contains(&i32::from(unit)))
}
