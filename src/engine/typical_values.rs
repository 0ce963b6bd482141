//! Values that a person would write in place of those that a search found.
//!
//! In: a test case. Out: for its literals, the words and numbers that the parameters suggest to which
//! they are given. Must not know whether a test shows the same with them.
//!
//! A search prefers the shortest values: the empty string, null, 0. In a test, they say that emptiness
//! matters. Where it does not, the name of the parameter is the better word. A solver gives -2147483647
//! where any number above another one would do.

use std::collections::BTreeMap;

use crate::program::{JavaType, MethodRef, Program};
use crate::testcase::{Literal, StatementKind, TestCase, VarId};

/// Letters of a word that is made from the name of a parameter.
const LENGTHS: std::ops::RangeInclusive<usize> = 2..=12;
/// The number in place of 0. It is no boundary, and differs from what a counter begins with.
const NUMBER: i32 = 2;
/// Numbers in place of negative and large ones, the best first.
const NUMBERS: [i8; 3] = [NUMBER as i8, 10, 100];
/// A number above it is large.
const LARGE: i64 = 100;
const DECIMAL: f64 = 1.5;

/// The typical values of the literals among the first `acted` statements that are given to calls, the
/// best first.
pub(super) fn typical_values(program: &Program, test: &TestCase, acted: u32) -> BTreeMap<VarId, Vec<Literal>> {
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
            let typical = typical_literals(literal, is_text, word);
            if !typical.is_empty() {
                found.entry(*argument).or_insert(typical);
            }
        }
    }
    found
}

/// The typical values in place of a literal, the best first; none where the literal is as good as any.
fn typical_literals(literal: &Literal, is_text: bool, word: Option<&str>) -> Vec<Literal> {
    let text = |word: &str| vec![Literal::Str(word.encode_utf16().collect())];
    match literal {
        Literal::Str(units) => word.or(units.is_empty().then_some("text")).map_or_else(Vec::new, text),
        Literal::Null if is_text => text(word.unwrap_or("text")),
        Literal::Byte(value) => numbers(i64::from(*value)).map(Literal::Byte).collect(),
        Literal::Short(value) => numbers(i64::from(*value)).map(|number| Literal::Short(number.into())).collect(),
        Literal::Int(value) => numbers(i64::from(*value)).map(|number| Literal::Int(number.into())).collect(),
        // Others are often times, and a few nanoseconds pass on some machines only.
        Literal::Long(0) => vec![Literal::Long(i64::from(NUMBER))],
        Literal::Float(bits) if f32::from_bits(*bits) == 0.0 => vec![Literal::Float((DECIMAL as f32).to_bits())],
        Literal::Double(bits) if f64::from_bits(*bits) == 0.0 => vec![Literal::Double(DECIMAL.to_bits())],
        _ => Vec::new(),
    }
}

/// The numbers to write in place of one.
fn numbers(value: i64) -> impl Iterator<Item = i8> {
    let tried = match value {
        0 => 1,
        1..=LARGE => 0,
        _ => NUMBERS.len(),
    };
    NUMBERS.into_iter().take(tried)
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
    fn empty_values_and_texts_have_typical_ones() {
        let text = |text: &str| Literal::Str(text.encode_utf16().collect());
        let typical = |literal: &Literal, word| typical_literals(literal, true, word);
        assert_eq!(typical(&text(""), Some("sku")), [text("sku")]);
        assert_eq!(typical(&text("q"), Some("sku")), [text("sku")]);
        assert_eq!([typical(&text(""), None), typical(&text("q"), None)], [vec![text("text")], Vec::new()]);
        assert_eq!(typical(&Literal::Null, Some("sku")), [text("sku")]);
        assert_eq!(typical_literals(&Literal::Null, false, Some("order")), []);
        assert_eq!(typical(&Literal::Boolean(false), None), []);
    }

    #[test]
    fn numbers_that_a_person_would_write_have_no_other() {
        let typical = |number: i32| typical_literals(&Literal::Int(number), false, None);
        let numbers = |numbers: &[i32]| numbers.iter().copied().map(Literal::Int).collect::<Vec<_>>();
        assert_eq!([0, 7, 100].map(typical), [numbers(&[2]), Vec::new(), Vec::new()]);
        assert_eq!([-1, 101, i32::MIN].map(typical), [const { [2, 10, 100] }; 3].map(|all| numbers(&all)));
    }
}
