//! Texts that a person would write in place of those that a search found.
//!
//! In: a text, and the word that the name of its parameter, setter or field suggests. Out: the texts
//! to try, the best first. Must not know test cases.
//!
//! The word itself is the text, except for what has a form of its own: an e-mail address, an address
//! on the web, the code of a currency or a country, a decimal number.

use crate::program::{MethodRef, Program};

/// Letters of a word that is made from the name of a parameter.
const LENGTHS: std::ops::RangeInclusive<usize> = 2..=12;
/// Letters of the longest name of several words that is a text as it is.
const LONGEST_NAME: usize = 16;
/// In place of an empty text whose parameter says nothing.
const ANY_TEXT: &str = "text";
/// Behind a text that only begins something: `Bearer `, `/api/`.
const REST: &str = "abc";
const SHORTEST_BEGIN: usize = 4;
const CURRENCIES: [&str; 2] = ["EUR", "USD"];
const COUNTRIES: [&str; 2] = ["DE", "US"];
/// Numbers that are the status of a response.
pub(super) const HTTP_NUMBERS: std::ops::Range<i32> = 100..600;
/// Digits of the largest plain number, and decimals of the most exact one.
const PLAIN_DIGITS: usize = 4;
const PLAIN_DECIMALS: usize = 2;

/// What the name of a parameter, setter or field suggests.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct NameWords {
    /// The last word of the name in lower case: `customerEmail` suggests `email`.
    last: String,
    /// A name of several words, which tells one text from another: `firstName`.
    whole: Option<String>,
}

impl NameWords {
    /// The name, or its last word where it is too long for a text.
    pub(super) fn name(&self) -> &str {
        self.whole.as_deref().unwrap_or(&self.last)
    }

    /// Whether the name is that of the status of a response; that of some other status may be the same for a
    /// number that is none.
    pub(super) fn is_http_status(&self, number: i32) -> bool {
        match self.name() {
            "statusCode" | "httpStatus" | "responseCode" => true,
            "status" => HTTP_NUMBERS.contains(&number),
            _ => false,
        }
    }

    /// Whether the name is that of the width of a text in columns.
    pub(super) fn is_width(&self) -> bool {
        self.last == "width" || ["wrapLength", "lineLength"].iter().any(|name| self.name().eq_ignore_ascii_case(name))
    }
}

/// The texts in place of this one (`None`: null), the best first; none where it is as good as any.
pub(super) fn typical_texts(text: Option<&str>, words: Option<&NameWords>) -> Vec<String> {
    let word = words.map(|words| words.last.as_str());
    let whole = words.and_then(|words| words.whole.as_deref());
    let is_address = text.is_some_and(|text| text.starts_with("http:") || text.starts_with("https:"));
    let examples = if is_address { examples_of("url") } else { word.map_or(&[][..], examples_of) };
    let is_empty = text.is_none_or(str::is_empty);
    let codes = match text.map(code_length) {
        Some(Some(length)) => codes_of(length, word),
        _ => &[],
    };
    let word = word.or(is_empty.then_some(ANY_TEXT));
    if let Some(text) = text.filter(|text| examples.contains(text) || (word.is_none() && codes.contains(text))) {
        return vec![text.to_owned()];
    }
    let mut texts: Vec<String> = examples.iter().copied().chain(whole).chain(word).map(String::from).collect();
    for code in codes {
        if !texts.iter().any(|text| text == code) {
            texts.push((*code).to_owned());
        }
    }
    texts.extend(text.and_then(continued));
    // Where another text of the test is the word.
    texts.extend(word.map(|word| format!("{word}2")));
    texts
}

/// A text that only begins something with a rest; `None` for other texts.
fn continued(text: &str) -> Option<String> {
    let begin = text.strip_suffix(REST).unwrap_or(text);
    (begin.len() >= SHORTEST_BEGIN && begin.ends_with([' ', '/', ':', '='])).then(|| format!("{begin}{REST}"))
}

/// The characters in place of a letter or digit that separates or encloses texts, the best first.
pub(super) fn typical_letters(unit: u16, words: Option<&NameWords>) -> &'static [char] {
    let is_sign = char::from_u32(u32::from(unit)).is_some_and(|letter| letter.is_ascii_punctuation());
    match words.map(|words| words.last.as_str()).filter(|_| !is_sign) {
        Some("separator" | "delimiter" | "delim" | "sep") => &[',', ';'],
        Some("quote") => &['"', '\''],
        _ => &[],
    }
}

/// Texts of the form that the word names.
fn examples_of(word: &str) -> &'static [&'static str] {
    match word {
        "email" | "mail" => &["name@example.org"],
        "url" | "uri" => &["https://example.org/"],
        "currency" => &CURRENCIES,
        "country" => &COUNTRIES,
        _ => &[],
    }
}

/// The length of a text that has the form of a code: two or three capital letters.
pub(super) fn code_length(text: &str) -> Option<usize> {
    let is_code = matches!(text.len(), 2 | 3) && text.chars().all(|c| c.is_ascii_uppercase());
    is_code.then_some(text.len())
}

/// Codes of this length. Where a word says that the text is another code than that of a currency or
/// country, they are plain letters.
fn codes_of(length: usize, word: Option<&str>) -> &'static [&'static str] {
    let may_be_known =
        matches!(word, None | Some("code" | "currency" | "country" | "from" | "to" | "base" | "source" | "target"));
    match (length, may_be_known) {
        (3, true) => &CURRENCIES,
        (3, false) => &["ABC", "XYZ"],
        (_, true) => &COUNTRIES,
        (_, false) => &["AB", "XY"],
    }
}

/// The texts in place of that of a `BigDecimal` or, if `is_whole`, of a `BigInteger`.
pub(super) fn typical_decimals(text: &str, is_whole: bool) -> Vec<String> {
    let value: Option<f64> = text.parse().ok();
    let texts: &[&str] = match value {
        Some(_) if is_plain_number(text) => &[],
        Some(0.0) => &["2"],
        Some(_) if is_whole || text.trim_start_matches('-').bytes().all(|byte| byte.is_ascii_digit()) => &["2", "10", "100", "0"],
        Some(value) if value.abs() < 1.0 => &["0.5", "1.5", "2", "10", "0"],
        Some(_) => &["1.5", "2", "10", "0"],
        None => &[],
    };
    texts.iter().copied().map(String::from).collect()
}

/// Whether it is a positive number with few digits.
fn is_plain_number(text: &str) -> bool {
    let (whole, decimals) = text.split_once('.').map_or((text, None), |(whole, decimals)| (whole, Some(decimals)));
    let is_number =
        |digits: &str, most: usize| (1..=most).contains(&digits.len()) && digits.bytes().all(|byte| byte.is_ascii_digit());
    let has_leading_zero = whole.starts_with('0') && (whole.len() > 1 || decimals.is_none());
    is_number(whole, PLAIN_DIGITS) && !has_leading_zero && decimals.is_none_or(|decimals| is_number(decimals, PLAIN_DECIMALS))
}

/// For each parameter, what its name suggests. A setter and a method of a builder name their
/// only parameter themselves.
pub(super) fn parameter_words(program: &Program, method: &MethodRef) -> Vec<Option<NameWords>> {
    let Some(resolved) = program.resolve(method) else { return Vec::new() };
    let names = resolved.class.parameter_names(resolved.method());
    let words = names.iter().map(|name| name.as_deref().and_then(words_of));
    match names {
        [None] => vec![set_property(&method.name).and_then(words_of)],
        _ => words.collect(),
    }
}

/// What the name of a method suggests that returns a text: `getHeader`, `readLine`, `name`.
pub(super) fn answer_words(method: &MethodRef) -> Option<NameWords> {
    let is_word_end = |rest: &&str| rest.starts_with(|c: char| c.is_ascii_uppercase());
    let told = ["get", "read", "find", "load", "next"].iter().find_map(|verb| method.name.strip_prefix(verb).filter(is_word_end));
    let told = told.or(Some(&*method.name).filter(|name| name.bytes().all(|byte| byte.is_ascii_lowercase())));
    // `requesturi` is no word.
    let has_acronym = |name: &&str| name.as_bytes().windows(2).any(|pair| pair.iter().all(u8::is_ascii_uppercase));
    told.filter(|name| !has_acronym(name)).and_then(words_of)
}

/// The property that a setter of this name sets: `Email` for `setEmail`.
fn set_property(name: &str) -> Option<&str> {
    name.strip_prefix("set").or(name.strip_prefix("with")).filter(|rest| rest.starts_with(|c: char| c.is_ascii_uppercase()))
}

/// What a name suggests; `None` for names that compilers and lazy people give.
pub(super) fn words_of(name: &str) -> Option<NameWords> {
    let letters = name.trim_end_matches(|c: char| c.is_ascii_digit());
    let begin = letters.rfind(|c: char| c.is_ascii_uppercase()).unwrap_or(0);
    let last = if begin + 1 < letters.len() { &letters[begin..] } else { letters };
    let word = last.to_ascii_lowercase();
    let is_word = LENGTHS.contains(&word.len()) && word.chars().all(|c| c.is_ascii_lowercase());
    let whole = Some(camel(letters)).filter(|whole| {
        word.len() < whole.len() && whole.len() <= LONGEST_NAME && whole.chars().all(|c| c.is_ascii_alphabetic())
    });
    (is_word && !matches!(word.as_str(), "arg" | "param" | "var" | "str" | "obj")).then_some(NameWords { last: word, whole })
}

/// The name with a small first letter.
fn camel(name: &str) -> String {
    let mut letters = name.chars();
    letters.next().map_or_else(String::new, |first| first.to_ascii_lowercase().to_string() + letters.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::program::ClassName;

    fn word(word: &str) -> NameWords {
        NameWords { last: word.to_owned(), whole: None }
    }

    #[test]
    fn names_of_several_words_are_texts_of_their_own() {
        let typical = |name: &str| typical_texts(Some("q"), words_of(name).as_ref());
        assert_eq!(typical("firstName"), ["firstName", "name", "name2"]);
        assert_eq!(typical("LastName2"), ["lastName", "name", "name2"]);
        assert_eq!(typical("customerEmail"), ["name@example.org", "customerEmail", "email", "email2"]);
        assert_eq!(typical("shippingTrackingName"), ["name", "name2"]);
    }

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
            assert_eq!(words_of(name).map(|words| words.last).as_deref(), word, "{name}");
        }
    }

    #[test]
    fn setters_name_what_they_set() {
        let word = |name| set_property(name).and_then(words_of).map(|words| words.last);
        assert_eq!([word("setEmail"), word("withUnitPrice")], ["email", "price"].map(|word| Some(word.to_owned())));
        assert_eq!([word("settle"), word("email")], [None, None]);
    }

    #[test]
    fn empty_texts_and_those_with_a_word_have_typical_ones() {
        assert_eq!(typical_texts(Some(""), Some(&word("sku"))), ["sku", "sku2"]);
        assert_eq!(typical_texts(Some("q"), Some(&word("sku"))), ["sku", "sku2"]);
        assert_eq!(typical_texts(None, Some(&word("sku"))), ["sku", "sku2"]);
        assert_eq!(typical_texts(Some(""), None), ["text", "text2"]);
        assert_eq!(typical_texts(Some("q"), None), [""; 0]);
    }

    #[test]
    fn what_only_begins_something_goes_on() {
        assert_eq!(typical_texts(Some("Bearer "), Some(&word("header"))), ["header", "Bearer abc", "header2"]);
        assert_eq!(typical_texts(Some("/api/"), None), ["/api/abc"]);
        assert_eq!(typical_texts(Some("/api/abc"), None), ["/api/abc"]);
        assert_eq!(typical_texts(Some("a/"), None), [""; 0]);
    }

    #[test]
    fn methods_name_what_they_return() {
        let word = |name: &str| {
            let method = MethodRef::new(ClassName::new("p/Request"), name, "()Ljava/lang/String;");
            answer_words(&method).map(|words| words.name().to_owned())
        };
        assert_eq!(
            ["getHeader", "readLine", "name", "getFirstName"].map(word),
            ["header", "line", "name", "firstName"].map(|word| Some(word.to_owned()))
        );
        assert_eq!(["getaway", "asText", "getRequestURI"].map(word), [Some("getaway".to_owned()), None, None]);
    }

    #[test]
    fn what_has_a_form_of_its_own_gets_a_text_of_that_form_first() {
        assert_eq!(typical_texts(Some("a@"), Some(&word("email"))), ["name@example.org", "email", "email2"]);
        assert_eq!(typical_texts(Some(""), Some(&word("url"))), ["https://example.org/", "url", "url2"]);
        assert_eq!(typical_texts(Some("http://a"), Some(&word("address"))), ["https://example.org/", "address", "address2"]);
        assert_eq!(typical_texts(None, Some(&word("currency"))), ["EUR", "USD", "currency", "currency2"]);
        assert_eq!(typical_texts(Some("name@example.org"), Some(&word("email"))), ["name@example.org"]);
    }

    #[test]
    fn codes_become_well_known_ones() {
        assert_eq!(typical_texts(Some("JJJ"), None), ["EUR", "USD"]);
        assert_eq!(typical_texts(Some("QX"), None), ["DE", "US"]);
        assert_eq!(typical_texts(Some("JJJ"), Some(&word("currency"))), ["EUR", "USD", "currency", "currency2"]);
        assert_eq!(typical_texts(Some("JJJ"), Some(&word("target"))), ["target", "EUR", "USD", "target2"]);
        assert_eq!(typical_texts(Some("JJJ"), Some(&word("sku"))), ["sku", "ABC", "XYZ", "sku2"]);
        assert_eq!(typical_texts(Some("USD"), None), ["USD"]);
        assert_eq!(typical_texts(Some("Jjj"), None), [""; 0]);
    }

    #[test]
    fn separators_are_no_letters() {
        let typical = |unit: char, name: &str| typical_letters(unit as u16, words_of(name).as_ref());
        assert_eq!(typical('a', "separator"), [',', ';']);
        assert_eq!(typical('\0', "fieldDelimiter"), [',', ';']);
        for (unit, name) in [(';', "separator"), ('a', "letter")] {
            assert!(typical(unit, name).is_empty(), "{name}");
        }
    }

    #[test]
    fn numbers_in_texts_become_plain() {
        assert_eq!(typical_decimals("0", false), ["2"]);
        assert_eq!(typical_decimals(".609", false), ["0.5", "1.5", "2", "10", "0"]);
        assert_eq!(typical_decimals("9.1E5", false), ["1.5", "2", "10", "0"]);
        assert_eq!(typical_decimals("-99999", true), ["2", "10", "100", "0"]);
        for plain in ["7", "29.00", "0.5", "1000"] {
            assert_eq!(typical_decimals(plain, false), [""; 0], "{plain}");
        }
        assert_eq!(typical_decimals("x", false), [""; 0]);
    }
}
