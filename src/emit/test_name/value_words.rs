//! Words for values: literals of a test, asserted values, types, constants and texts. In: one
//! value; out: words in camel case for it. Must not know what part of a test the value is.
//!
//! An exact word names one value; a shape names a property that a reader sees at once. Words never
//! claim more than holds: `-1.0` is `Minus1Point0`, as `Minus1` would read like a whole number.

use std::collections::BTreeSet;

use crate::emit::names::capitalised;
use crate::execution::{ContainerKind, HeldValues, Snapshot};
use crate::program::{ClassName, FieldRef, JavaType};
use crate::testcase::Literal;

use super::message_words::is_linking;

/// Longest text that is spelled out, in UTF-16 units.
const LONGEST_SPELLED: usize = 18;
/// Longest word for a text.
const LONGEST_WORD: usize = 26;
/// A text of more units is long.
const LONG_TEXT: usize = 32;
/// Most elements that are spelled out.
const MOST_CELLS: usize = 4;
/// Most digits of a number in a name.
const MOST_DIGITS: usize = 10;

/// The word for a literal that has one.
pub(super) fn literal_word(literal: &Literal) -> Option<String> {
    match literal {
        Literal::Null => Some("Null".into()),
        Literal::Boolean(value) => Some(truth_word(*value)),
        Literal::Byte(value) => number_word(i64::from(*value)),
        Literal::Short(value) => number_word(i64::from(*value)),
        Literal::Int(value) => number_word(i64::from(*value)),
        Literal::Long(value) => number_word(*value),
        Literal::Char(unit) => text_word(&[*unit]),
        Literal::Str(units) => text_word(units),
        Literal::Float(bits) => decimal_word(f64::from(f32::from_bits(*bits)), &f32::from_bits(*bits).to_string()),
        Literal::Double(bits) => decimal_word(f64::from_bits(*bits), &f64::from_bits(*bits).to_string()),
        Literal::Class(ty) => Some(format!("{}Class", type_word(ty))),
    }
}

/// The word for a literal that is a boundary case of its type.
pub(super) fn boundary_word(literal: &Literal) -> Option<&'static str> {
    Some(match literal {
        Literal::Null => "Null",
        Literal::Byte(0) | Literal::Short(0) | Literal::Int(0) | Literal::Long(0) => "Zero",
        Literal::Int(i32::MIN) | Literal::Long(i64::MIN) => "Minimum",
        Literal::Int(i32::MAX) | Literal::Long(i64::MAX) => "Maximum",
        Literal::Byte(value) if *value < 0 => "Negative",
        Literal::Short(value) if *value < 0 => "Negative",
        Literal::Int(value) if *value < 0 => "Negative",
        Literal::Long(value) if *value < 0 => "Negative",
        Literal::Float(bits) => float_boundary_word(f64::from(f32::from_bits(*bits)), f64::from(f32::MAX))?,
        Literal::Double(bits) => float_boundary_word(f64::from_bits(*bits), f64::MAX)?,
        Literal::Str(units) if units.is_empty() => "Empty",
        Literal::Str(units) if units.iter().all(|unit| is_blank(*unit)) => "Blank",
        Literal::Char(unit) if *unit == 0x20 => "Space",
        Literal::Char(unit) if *unit < 0x20 => "Control",
        _ => return None,
    })
}

fn float_boundary_word(value: f64, largest: f64) -> Option<&'static str> {
    match value {
        value if value.is_nan() => Some("NaN"),
        value if value.is_infinite() => Some("Infinite"),
        value if value == 0.0 => Some(if value.is_sign_negative() { "MinusZero" } else { "Zero" }),
        value if value == largest => Some("Maximum"),
        value if value < 0.0 => Some("Negative"),
        _ => None,
    }
}

fn is_blank(unit: u16) -> bool {
    unit == 0x20 || (9..=13).contains(&unit)
}

/// Properties of a literal, the most telling first: `Long`, `LeadingMinus`, `TwoCharacters`.
pub(super) fn shape_words(literal: &Literal) -> Vec<String> {
    match literal {
        Literal::Str(units) => text_shapes(units),
        Literal::Char(unit) => text_shapes(&[*unit]),
        Literal::Int(value) => number_shapes(i64::from(*value)),
        Literal::Long(value) => number_shapes(*value),
        Literal::Float(bits) => decimal_shapes(f64::from(f32::from_bits(*bits))),
        Literal::Double(bits) => decimal_shapes(f64::from_bits(*bits)),
        _ => Vec::new(),
    }
}

fn number_shapes(value: i64) -> Vec<String> {
    let size = if value.unsigned_abs() > 99_999 { "Large" } else { "Small" };
    let sign = if value < 0 { "Negative" } else { "Positive" };
    let parity = if value % 2 == 0 { "Even" } else { "Odd" };
    let words = if value == 0 { Vec::new() } else { vec![size, sign, parity] };
    words.into_iter().map(String::from).collect()
}

fn decimal_shapes(value: f64) -> Vec<String> {
    let mut found = Vec::new();
    if value.is_finite() {
        found.extend((value.abs() > 99_999.0).then(|| "Large".to_string()));
        found.extend((value != 0.0 && value.abs() < 1e-3).then(|| "Tiny".to_string()));
        found.push(if value.fract() == 0.0 { "Whole" } else { "Fractional" }.to_string());
        found.extend((value > 0.0).then(|| "Positive".to_string()));
    }
    found
}

fn text_shapes(units: &[u16]) -> Vec<String> {
    let text = String::from_utf16_lossy(units);
    let mut found: Vec<String> = Vec::new();
    let mut add = |holds: bool, word: &str| {
        if holds {
            found.push(word.to_string());
        }
    };
    let all = |holds: fn(&char) -> bool| !text.is_empty() && text.chars().all(|c| holds(&c));
    let any = |holds: fn(&char) -> bool| text.chars().any(|c| holds(&c));
    let letters: String = text.chars().filter(|c| c.is_ascii_alphabetic()).collect();
    add(units.len() > LONG_TEXT, "Long");
    add(any(|c| c.is_control() && !c.is_ascii_whitespace()), "ControlCharacter");
    add(any(|c| !c.is_ascii()), "NonAscii");
    add(all(char::is_ascii_digit), "Numeric");
    add(text.starts_with('-'), "LeadingMinus");
    add(text.starts_with('+'), "LeadingPlus");
    add(text.len() > 1 && text.starts_with(' '), "LeadingSpace");
    add(text.len() > 1 && text.ends_with(' '), "TrailingSpace");
    add(!letters.is_empty() && letters.chars().all(|c| c.is_ascii_uppercase()), "UpperCase");
    add(!letters.is_empty() && letters.chars().all(|c| c.is_ascii_lowercase()), "LowerCase");
    add(letters.len() > 1 && any(char::is_ascii_uppercase) && any(char::is_ascii_lowercase), "MixedCase");
    if let Some(words) = first_words(units).filter(|_| units.len() > 4) {
        found.push(format!("TextFrom{words}"));
    }
    if units.len() > 1 && units.len() <= 12 {
        found.push(format!("{}Characters", count_word(units.len())));
    }
    found
}

/// A text in which letters differ from another text only by case: `LowerCaseTrue`.
pub(super) fn cased_word(literal: &Literal) -> Option<String> {
    let units = match literal {
        Literal::Str(units) => units.as_slice(),
        Literal::Char(unit) => std::slice::from_ref(unit),
        _ => return None,
    };
    let word = text_word(units)?;
    let letters: Vec<char> = String::from_utf16_lossy(units).chars().filter(char::is_ascii_alphabetic).collect();
    let is_upper = |letters: &[char]| letters.iter().all(char::is_ascii_uppercase);
    let is_lower = |letters: &[char]| letters.iter().all(char::is_ascii_lowercase);
    let case = match letters.as_slice() {
        [] => return None,
        letters if is_lower(letters) => "LowerCase",
        letters if is_upper(letters) => "UpperCase",
        [first, rest @ ..] if first.is_ascii_uppercase() && is_lower(rest) => "Capitalised",
        _ => "MixedCase",
    };
    Some(format!("{case}{word}"))
}

pub(super) fn truth_word(value: bool) -> String {
    if value { "True" } else { "False" }.into()
}

/// The word for a whole number of at most ten digits.
pub(super) fn number_word(value: i64) -> Option<String> {
    let digits = value.unsigned_abs().to_string();
    match value {
        0 => Some("Zero".into()),
        _ if digits.len() > MOST_DIGITS => None,
        value if value > 0 => Some(digits),
        _ => Some(format!("Minus{digits}")),
    }
}

/// The word for a number of things.
pub(super) fn count_word(count: usize) -> String {
    const WORDS: [&str; 13] =
        ["No", "One", "Two", "Three", "Four", "Five", "Six", "Seven", "Eight", "Nine", "Ten", "Eleven", "Twelve"];
    WORDS.get(count).map_or_else(|| count.to_string(), |word| word.to_string())
}

/// The word for a decimal number, which `written` shows in full; `None` for a long one, an infinity
/// or NaN. A whole one ends in `Point0`.
fn decimal_word(value: f64, written: &str) -> Option<String> {
    if value == 0.0 {
        return Some(if value.is_sign_negative() { "MinusZero" } else { "Zero" }.into());
    }
    let is_plain = written.chars().all(|c| c.is_ascii_digit() || matches!(c, '-' | '.'));
    let whole = if written.contains('.') { "" } else { ".0" };
    (is_plain && written.len() <= MOST_DIGITS + 1)
        .then(|| format!("{written}{whole}").replace('-', "Minus").replace('.', "Point"))
}

/// A decimal number in three digits: `About0Point333`.
fn rounded_word(value: f64) -> String {
    let size = value.abs();
    if !(1e-3..1e7).contains(&size) {
        let sign = if value < 0.0 { "Negative" } else { "" };
        return format!("{}{sign}Number", if size < 1.0 { "Tiny" } else { "Large" });
    }
    let decimals = (2 - size.log10().floor() as i32).max(0) as usize;
    format!("About{}", format!("{value:.decimals$}").replace('-', "Minus").replace('.', "Point"))
}

/// A short text spelled out: `"a "` is `ASpace`, and `"no item"` is `NoItem`. `None` for long ones and
/// for characters without a word.
pub(super) fn text_word(units: &[u16]) -> Option<String> {
    if units.is_empty() || units.len() > LONGEST_SPELLED {
        return None;
    }
    match String::from_utf16(units).ok()?.as_str() {
        "[]" => return Some("EmptyBrackets".into()),
        "{}" => return Some("EmptyBraces".into()),
        "()" => return Some("EmptyParentheses".into()),
        _ => {}
    }
    spelled(units, Punctuation::BetweenWords, |_| None).filter(|words| words.len() <= LONGEST_WORD)
}

/// The words of a short text, without its punctuation: `"<no item>"` is `NoItem`. `None` for a text without
/// a word, and for long ones.
pub(super) fn spoken_word(units: &[u16]) -> Option<String> {
    let is_letter = |unit: &u16| u8::try_from(*unit).is_ok_and(|byte| byte.is_ascii_alphabetic());
    let has_word = units.windows(2).any(|pair| pair.iter().all(is_letter));
    let is_spoken = |character: char| character == ' ' || character_word(character).is_some();
    let is_plain = has_word && String::from_utf16(units).ok()?.chars().all(|c| c.is_ascii_alphanumeric() || is_spoken(c));
    if !is_plain || units.len() > LONGEST_WORD {
        return None;
    }
    let said = spelled(units, Punctuation::Silent, |_| None)?;
    (said.len() <= LONGEST_WORD).then_some(said)
}

/// As [`text_word`], with all spaces, and with the code points of characters that have no word.
pub(super) fn coded_word(literal: &Literal) -> Option<String> {
    let units = match literal {
        Literal::Str(units) => units.as_slice(),
        Literal::Char(unit) => std::slice::from_ref(unit),
        Literal::Long(value) => return Some(format!("{value}").replace('-', "Minus")),
        _ => return None,
    };
    let code = |unit: u16| Some(format!("U{unit:04X}"));
    (!units.is_empty())
        .then(|| spelled(units, Punctuation::Spelled, code))
        .flatten()
        .filter(|words| words.len() <= LONGEST_WORD + 8)
}

/// What becomes of characters that are neither letters nor digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Punctuation {
    /// Each has a word.
    Spelled,
    /// Each has a word, but not a space between two words.
    BetweenWords,
    /// None has a word, but the point and the sign of a number.
    Silent,
}

fn spelled(units: &[u16], punctuation: Punctuation, code: impl Fn(u16) -> Option<String>) -> Option<String> {
    let mut words = String::new();
    let mut starts = true;
    let byte_at = |at: Option<usize>| at.and_then(|at| units.get(at)).and_then(|unit| u8::try_from(*unit).ok());
    let parts = |at: usize| {
        let (before, after) = (byte_at(at.checked_sub(1)).unwrap_or(b' '), byte_at(Some(at + 1)).unwrap_or(b' '));
        before != b' ' && after != b' ' && (before.is_ascii_alphabetic() || after.is_ascii_alphabetic())
    };
    let digit_at = |at: Option<usize>| at.and_then(|at| units.get(at)).is_some_and(|unit| (0x30..=0x39).contains(unit));
    for (at, unit) in units.iter().enumerate() {
        let character = char::from_u32(u32::from(*unit)).unwrap_or('\u{fffd}');
        let before = at.checked_sub(1);
        let word = match character {
            letter if letter.is_ascii_alphanumeric() => {
                words.push(if starts { letter.to_ascii_uppercase() } else { letter });
                starts = false;
                continue;
            }
            ' ' if punctuation == Punctuation::BetweenWords && parts(at) => "",
            '.' if digit_at(Some(at + 1)) && !matches!(before.map(|at| units[at]), Some(0x2e)) => "Point",
            '-' if !byte_at(before).is_some_and(|byte| byte.is_ascii_alphanumeric()) && digit_at(Some(at + 1)) => "Minus",
            _ if punctuation == Punctuation::Silent => "",
            other => match character_word(other) {
                Some(word) => word,
                None => {
                    words.push_str(&code(*unit)?);
                    starts = true;
                    continue;
                }
            },
        };
        words.push_str(word);
        starts = true;
    }
    Some(words)
}

fn character_word(character: char) -> Option<&'static str> {
    Some(match character {
        ' ' => "Space",
        '.' => "Dot",
        ',' => "Comma",
        '-' => "Dash",
        '+' => "Plus",
        '/' => "Slash",
        '\\' => "Backslash",
        '*' => "Star",
        ':' => "Colon",
        ';' => "Semicolon",
        '_' => "Underscore",
        '=' => "Equals",
        '#' => "Hash",
        '%' => "Percent",
        '&' => "Ampersand",
        '@' => "At",
        '$' => "Dollar",
        '!' => "ExclamationMark",
        '?' => "QuestionMark",
        '"' => "Quote",
        '\'' => "Apostrophe",
        '`' => "Backtick",
        '^' => "Caret",
        '|' => "Pipe",
        '~' => "Tilde",
        '(' => "OpenParenthesis",
        ')' => "CloseParenthesis",
        '[' => "OpenBracket",
        ']' => "CloseBracket",
        '{' => "OpenBrace",
        '}' => "CloseBrace",
        '<' => "LessThan",
        '>' => "GreaterThan",
        '\n' => "LineFeed",
        '\r' => "CarriageReturn",
        '\t' => "Tab",
        '\0' => "Nul",
        '\u{20ac}' => "Euro",
        '\u{a3}' => "Pound",
        _ => return None,
    })
}

/// The first words of a text with a capital each, without repeated ones: `400BadRequest`. `None` where it
/// has none.
pub(super) fn first_words(units: &[u16]) -> Option<String> {
    let text = String::from_utf16_lossy(units);
    let mut taken: Vec<&str> = Vec::new();
    let mut known: BTreeSet<String> = BTreeSet::new();
    for word in text.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty()).take(5) {
        if !known.insert(word.to_ascii_lowercase()) {
            continue;
        }
        if taken.iter().map(|taken| taken.len()).sum::<usize>() + word.len() > LONGEST_WORD {
            break;
        }
        taken.push(word);
    }
    while taken.len() > 1 && taken.last().is_some_and(|last| is_linking(last)) {
        taken.pop();
    }
    (!taken.is_empty()).then(|| taken.into_iter().map(constant_word).collect())
}

/// The word for a static field. The only object of a class, as Kotlin makes it, is named after the class.
pub(super) fn static_word(field: &FieldRef) -> String {
    if &*field.name == "INSTANCE" { class_word(&field.owner) } else { constant_word(&field.name) }
}

/// `ONE_THIRD` → `OneThird`.
pub(super) fn constant_word(name: &str) -> String {
    let words = name.split('_').map(|word| {
        let lowered = if word.chars().any(|c| c.is_ascii_lowercase()) { word.to_string() } else { word.to_ascii_lowercase() };
        capitalised(&lowered)
    });
    words.collect::<String>().chars().filter(char::is_ascii_alphanumeric).collect()
}

/// The simple name of the type as a word; `IntArray` for an array.
pub(super) fn type_word(ty: &JavaType) -> String {
    match ty {
        JavaType::Array(element) => format!("{}Array", type_word(element)),
        JavaType::Class(name) => {
            let simple: String =
                name.local_name().rsplit('$').next().unwrap_or_default().chars().filter(char::is_ascii_alphanumeric).collect();
            capitalised(&simple)
        }
        primitive => capitalised(primitive.keyword().unwrap_or_default()),
    }
}

/// Also of a class of arrays, which `instanceof` names by its descriptor.
pub(super) fn class_word(class: &ClassName) -> String {
    let array = Some(class.internal()).filter(|name| name.starts_with('[')).and_then(JavaType::parse);
    type_word(&array.unwrap_or_else(|| JavaType::Class(class.clone())))
}

/// The word for an asserted value.
pub(super) fn value_word(value: &Snapshot) -> String {
    match value {
        Snapshot::Null => "Null".into(),
        Snapshot::Boolean(value) => truth_word(*value),
        Snapshot::Byte(value) => number_word(i64::from(*value)).unwrap_or_default(),
        Snapshot::Short(value) => number_word(i64::from(*value)).unwrap_or_default(),
        Snapshot::Int(i32::MIN) | Snapshot::Long(i64::MIN) => "Minimum".into(),
        Snapshot::Int(i32::MAX) | Snapshot::Long(i64::MAX) => "Maximum".into(),
        Snapshot::Int(value) => number_word(i64::from(*value)).unwrap_or_default(),
        Snapshot::Long(value) => {
            let shape = if *value < 0 { "LargeNegativeNumber" } else { "LargeNumber" };
            number_word(*value).unwrap_or_else(|| shape.into())
        }
        Snapshot::Char(unit) => text_word(&[*unit]).unwrap_or_else(|| format!("U{unit:04X}")),
        Snapshot::Float(bits) => {
            let value = f32::from_bits(*bits);
            float_word(f64::from(value), f64::from(f32::MAX), &value.to_string())
        }
        Snapshot::Double(bits) => float_word(f64::from_bits(*bits), f64::MAX, &f64::from_bits(*bits).to_string()),
        Snapshot::Str(Some(units)) if units.is_empty() => "EmptyString".into(),
        Snapshot::Str(Some(units)) if units.iter().all(|unit| is_blank(*unit)) => "BlankString".into(),
        Snapshot::Str(Some(units)) => {
            spoken_word(units).or_else(|| text_word(units)).or_else(|| first_words(units)).unwrap_or_else(|| {
                let characters = if units.len() == 1 { "Character" } else { "Characters" };
                format!("{}{characters}", count_word(units.len()))
            })
        }
        Snapshot::Boxed(inner) => value_word(inner),
        Snapshot::Enum { constant, .. } => constant_word(constant),
        Snapshot::ClassLiteral(ty) => format!("{}Class", type_word(ty)),
        Snapshot::Array { length: 0, .. } => "EmptyArray".into(),
        Snapshot::Array { element, length, elements } => {
            let words: Option<Vec<String>> = elements.as_ref().filter(|cells| cells.len() <= MOST_CELLS).map(|cells| {
                let is_simple = cells.iter().all(|cell| !matches!(cell, Snapshot::Array { .. } | Snapshot::Object { .. }));
                if is_simple { cells.iter().map(value_word).collect() } else { Vec::new() }
            });
            match words.map(|words| words.join("And")) {
                Some(words) if !words.is_empty() && words.len() <= LONGEST_WORD => format!("ArrayOf{words}"),
                _ => format!("{}ArrayOfLength{length}", type_word(element)),
            }
        }
        Snapshot::Object { class, .. } => class_word(class),
        Snapshot::Container(contents) => contents_word(contents),
        Snapshot::Str(None) => "VeryLongString".into(),
        Snapshot::Absent => String::new(),
    }
}

/// `ListOf1And2`, `ListOfTwoNulls`, `MapOfATo1`, `EmptySet`.
fn contents_word(HeldValues { kind, elements }: &HeldValues) -> String {
    let (kind, size) = match kind {
        ContainerKind::Record(class) => return class_word(class),
        ContainerKind::Value(class) => return jdk_value_word(class, elements),
        ContainerKind::List => ("List", elements.len()),
        ContainerKind::Set => ("Set", elements.len()),
        ContainerKind::Map => ("Map", elements.len() / 2),
        ContainerKind::Optional => ("Optional", elements.len()),
    };
    if elements.is_empty() {
        return format!("Empty{kind}");
    }
    let words: Vec<String> = match kind {
        "Map" => elements.chunks(2).map(|entry| entry.iter().map(value_word).collect::<Vec<String>>().join("To")).collect(),
        _ => elements.iter().map(value_word).collect(),
    };
    if let [first, rest @ ..] = words.as_slice()
        && !rest.is_empty()
        && rest.iter().all(|word| word == first)
    {
        return format!("{kind}Of{}{first}s", count_word(size));
    }
    match words.join("And") {
        words if size <= MOST_CELLS && words.len() <= LONGEST_WORD => format!("{kind}Of{words}"),
        _ => format!("{kind}OfSize{size}"),
    }
}

/// `29Point00`; the class for a value with a long text.
fn jdk_value_word(class: &ClassName, elements: &[Snapshot]) -> String {
    let text = match elements {
        [Snapshot::Str(Some(units))] => text_word(units),
        _ => None,
    };
    text.unwrap_or_else(|| class_word(class))
}

fn float_word(value: f64, largest: f64, written: &str) -> String {
    match value {
        value if value.is_nan() => "NaN".into(),
        value if value == f64::INFINITY => "Infinity".into(),
        value if value == f64::NEG_INFINITY => "MinusInfinity".into(),
        value if value == largest => "Maximum".into(),
        _ => decimal_word(value, written).unwrap_or_else(|| rounded_word(value)),
    }
}

/// Whether the value says little: 0, 1, false, null, or nothing in it.
pub(super) fn is_trivial(value: &Snapshot) -> bool {
    match value {
        Snapshot::Null | Snapshot::Boolean(false) | Snapshot::Byte(0 | 1) | Snapshot::Short(0 | 1) | Snapshot::Int(0 | 1) => true,
        Snapshot::Long(0 | 1) | Snapshot::Float(0) | Snapshot::Double(0) | Snapshot::Array { length: 0, .. } => true,
        Snapshot::Str(Some(units)) => units.is_empty(),
        Snapshot::Boxed(inner) => is_trivial(inner),
        Snapshot::Container(HeldValues { kind: ContainerKind::Record(_), .. }) => false,
        Snapshot::Container(HeldValues { kind: ContainerKind::Value(_), elements }) => {
            let number = |units: &[u16]| String::from_utf16_lossy(units).parse::<f64>().ok();
            matches!(&elements[..], [Snapshot::Str(Some(units))] if number(units).is_some_and(|number| number == 0.0 || number == 1.0))
        }
        Snapshot::Container(contents) => contents.elements.is_empty(),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn units(text: &str) -> Vec<u16> {
        text.encode_utf16().collect()
    }

    #[test]
    fn no_linking_word_ends_words_that_are_cut() {
        let words = |text: &str| first_words(&text.encode_utf16().collect::<Vec<u16>>());
        assert_eq!(words("cannot mix EUR and the dollar").as_deref(), Some("CannotMixEur"));
        assert_eq!(words("the").as_deref(), Some("The"));
        assert_eq!(words("400 Bad Request").as_deref(), Some("400BadRequest"));
    }

    #[test]
    fn short_texts_are_spelled_out() {
        for (text, expected) in [
            ("a ", Some("ASpace")),
            ("x-1", Some("XDash1")),
            ("x -1", Some("XMinus1")),
            ("2026-01", Some("2026Dash01")),
            ("2.5", Some("2Point5")),
            ("..L", Some("DotDotL")),
            ("no item", Some("NoItem")),
            ("0 % off", Some("0SpacePercentOff")),
            ("1 2", Some("1Space2")),
            ("[]", Some("EmptyBrackets")),
            ("[", Some("OpenBracket")),
            ("", None),
            ("\u{e9}", None),
            ("more than eighteen units", None),
        ] {
            assert_eq!(text_word(&units(text)).as_deref(), expected, "{text}");
        }
        assert_eq!(coded_word(&Literal::Str(units("\u{e9}1"))).as_deref(), Some("U00E91"));
    }

    #[test]
    fn punctuation_is_not_said_where_there_are_words() {
        let said = |text: &str| value_word(&Snapshot::Str(Some(units(text))));
        assert_eq!(["catalog/list", "<unnamed>", "10.00 EUR off"].map(said), ["CatalogList", "Unnamed", "10Point00EUROff"]);
        assert_eq!(["$10.00", "a-b"].map(said), ["Dollar10Point00", "ADashB"]);
    }

    #[test]
    fn texts_have_shapes() {
        for (text, expected) in [
            ("-9", ["LeadingMinus", "TwoCharacters"].as_slice()),
            ("12", &["Numeric", "TwoCharacters"]),
            (" A", &["LeadingSpace", "UpperCase", "TwoCharacters"]),
        ] {
            assert_eq!(text_shapes(&units(text)), expected, "{text}");
        }
        let cased = |text: &str| cased_word(&Literal::Str(units(text)));
        assert_eq!(
            ["true", "True", "TRUE"].map(|text| cased(text).unwrap_or_default()),
            ["LowerCaseTrue", "CapitalisedTrue", "UpperCaseTRUE"]
        );
    }

    #[test]
    fn numbers_have_words_up_to_ten_digits() {
        assert_eq!([0, 7, -7].map(|value| number_word(value).unwrap_or_default()), ["Zero", "7", "Minus7"]);
        assert_eq!((number_word(1_234_567_890).as_deref(), number_word(-12_345_678_901)), (Some("1234567890"), None));
    }

    #[test]
    fn decimal_numbers_say_that_they_are_decimal() {
        let word = |value: f64| value_word(&Snapshot::Double(value.to_bits()));
        assert_eq!([-1.0, 2.0, -1.5, 0.0, -0.0].map(word), ["Minus1Point0", "2Point0", "Minus1Point5", "Zero", "MinusZero"]);
        assert_eq!([1.0 / 3.0, 1e300, f64::NAN].map(word), ["About0Point333", "LargeNumber", "NaN"]);
    }

    #[test]
    fn the_only_object_of_a_class_is_named_after_it() {
        let word = |name: &str| static_word(&FieldRef::new(ClassName::new("p/Discount$None"), name, "Lp/Discount$None;"));
        assert_eq!([word("INSTANCE"), word("ONE_THIRD")], ["None", "OneThird"]);
    }

    #[test]
    fn arrays_and_constants_become_words() {
        let array = |length: u32| Snapshot::Array {
            element: JavaType::INT,
            length,
            elements: Some((0..length).map(|cell| Snapshot::Int(cell as i32)).collect()),
        };
        assert_eq!([0, 2, 9].map(|length| value_word(&array(length))), ["EmptyArray", "ArrayOfZeroAnd1", "IntArrayOfLength9"]);
        assert_eq!(constant_word("ONE_THIRD"), "OneThird");
        assert_eq!(class_word(&ClassName::new("[B")), "ByteArray");
        assert_eq!(first_words(&units("<400 BAD_REQUEST Bad Request,[]>")).as_deref(), Some("400BadRequest"));
    }
}
