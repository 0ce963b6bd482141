//! Values that a person would write in place of those that a search found.
//!
//! In: a test case. Out: for its literals, the words and numbers that the parameters suggest to which
//! they are given. Must not know whether a test shows the same with them.
//!
//! A search prefers the shortest values: the empty string, null, 0. In a test, they say that emptiness
//! matters. Where it does not, the name of the parameter is the better word.

use std::collections::BTreeMap;

use crate::program::{JavaType, MethodRef, Program};
use crate::testcase::{Literal, StatementKind, TestCase, VarId};

/// Letters of a word that is made from the name of a parameter.
const LENGTHS: std::ops::RangeInclusive<usize> = 2..=12;
/// The number in place of 0. It is no boundary, and differs from what a counter begins with.
const NUMBER: i32 = 2;
const DECIMAL: f64 = 1.5;

/// The typical values of the literals among the first `acted` statements that are given to calls.
pub(super) fn typical_values(program: &Program, test: &TestCase, acted: u32) -> BTreeMap<VarId, Literal> {
    let mut found = BTreeMap::new();
    for statement in test.statements.iter().take(acted as usize) {
        let (StatementKind::Construct { constructor: method, args } | StatementKind::Call { method, args, .. }) = &statement.kind
        else {
            continue;
        };
        let words = parameter_words(program, method);
        for (position, argument) in args.iter().enumerate() {
            let Some(literal) = test.literal(*argument).filter(|_| !test.is_fixed_in_request(*argument)) else { continue };
            let is_text = matches!(test.type_of(*argument), JavaType::Class(class) if class.internal() == "java/lang/String");
            let word = words.get(position).and_then(Option::as_deref);
            if let Some(typical) = typical_value(literal, is_text, word) {
                found.entry(*argument).or_insert(typical);
            }
        }
    }
    found
}

/// The typical value in place of a literal; `None` where the literal is as good as any.
fn typical_value(literal: &Literal, is_text: bool, word: Option<&str>) -> Option<Literal> {
    let text = |word: &str| Literal::Str(word.encode_utf16().collect());
    Some(match literal {
        Literal::Str(_) if word.is_some() => text(word?),
        Literal::Str(units) if units.is_empty() => text("text"),
        Literal::Null if is_text => text(word.unwrap_or("text")),
        Literal::Byte(0) => Literal::Byte(NUMBER as i8),
        Literal::Short(0) => Literal::Short(NUMBER as i16),
        Literal::Int(0) => Literal::Int(NUMBER),
        Literal::Long(0) => Literal::Long(i64::from(NUMBER)),
        Literal::Float(bits) if f32::from_bits(*bits) == 0.0 => Literal::Float((DECIMAL as f32).to_bits()),
        Literal::Double(bits) if f64::from_bits(*bits) == 0.0 => Literal::Double(DECIMAL.to_bits()),
        _ => return None,
    })
}

/// For each parameter, the word that its name suggests.
fn parameter_words(program: &Program, method: &MethodRef) -> Vec<Option<String>> {
    let resolved = program.resolve(method);
    let names = resolved.as_ref().map_or(&[][..], |found| found.class.parameter_names(found.method()));
    names.iter().map(|name| name.as_deref().and_then(word_of)).collect()
}

/// The last word of a name in lower case: `customerEmail` suggests `email`. `None` for names that
/// compilers and lazy people give.
fn word_of(name: &str) -> Option<String> {
    let letters = name.trim_end_matches(|c: char| c.is_ascii_digit());
    let begin = letters.rfind(|c: char| c.is_ascii_uppercase()).unwrap_or(0);
    let last = if begin + 1 < letters.len() { &letters[begin..] } else { letters };
    let word = last.to_ascii_lowercase();
    let is_word = LENGTHS.contains(&word.len()) && word.chars().all(|c| c.is_ascii_lowercase());
    (is_word && !matches!(word.as_str(), "arg" | "param" | "var" | "str" | "obj")).then_some(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_parameters_suggest_words() {
        for (name, word) in [
            ("sku", Some("sku")),
            ("customerEmail", Some("email")),
            ("name1", Some("name")),
            ("trackingID", Some("trackingid")),
            ("s", None),
            ("arg0", None),
            ("str", None),
        ] {
            assert_eq!(word_of(name).as_deref(), word, "{name}");
        }
    }

    #[test]
    fn only_empty_values_and_texts_have_typical_ones() {
        let text = |text: &str| Literal::Str(text.encode_utf16().collect());
        let typical = |literal: &Literal, word| typical_value(literal, true, word);
        assert_eq!(typical(&text(""), Some("sku")), Some(text("sku")));
        assert_eq!(typical(&text("q"), Some("sku")), Some(text("sku")));
        assert_eq!([typical(&text(""), None), typical(&text("q"), None)], [Some(text("text")), None]);
        assert_eq!(typical(&Literal::Null, Some("sku")), Some(text("sku")));
        assert_eq!(typical_value(&Literal::Null, false, Some("order")), None);
        assert_eq!([Literal::Int(0), Literal::Int(7)].map(|number| typical(&number, None)), [Some(Literal::Int(2)), None]);
        assert_eq!(typical(&Literal::Boolean(false), None), None);
    }
}
