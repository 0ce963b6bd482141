//! Words for the message of an exception. In: the message and the texts that the test gives; out: words in camel case.
//! Must not know which part of a name they become.
//!
//! The words that a message has for all values say why the call fails. Its quotes, and the rest behind a colon, are
//! values of one test.

use crate::emit::names::{camel, capitalised};

/// Longest words of a message, in characters.
const LONGEST_MESSAGE: usize = 32;
/// So many words in front of a number say enough.
const LEAST_WORDS: usize = 2;
/// Signs of a formula.
const FORMULA: [char; 6] = ['*', '+', '=', '<', '>', '^'];
/// Words in front of nouns.
const PREPOSITIONS: [&str; 9] = ["as", "at", "by", "for", "from", "in", "of", "on", "with"];
/// Other words that do not end a sentence.
const CONJUNCTIONS: [&str; 6] = ["and", "but", "or", "than", "that", "to"];
const VERBS: [&str; 14] =
    ["are", "be", "can", "could", "has", "have", "is", "may", "must", "not", "should", "was", "will", "would"];
/// Words that say nothing in front of a noun.
const ARTICLES: [&str; 3] = ["a", "an", "the"];

/// The first words of a text without articles, at most six, up to a number: `noCustomer`. A text that is cut ends with
/// a telling word; one that begins with a number has no words.
/// Of the name of a class with its package, the last part is a word. A text that the test gives, one of
/// `values`, is no word at the end: `no product sku` says `noProduct`.
pub(super) fn message_words(units: &[u16], values: &[String]) -> String {
    let message = String::from_utf16_lossy(units);
    let in_front_of =
        |value: &String| message.strip_suffix(value.as_str()).filter(|rest| !value.is_empty() && rest.ends_with(' '));
    let shorter = values.iter().find_map(in_front_of);
    let (is_shorter, message) = (shorter.is_some(), shorter.unwrap_or(&message));
    let message = of_cause(message).split(' ').map(without_package).collect::<Vec<&str>>().join(" ");
    let message = without_quotes(&message);
    // A first sentence says enough, where it has several words.
    let count = |part: &str| part.split_whitespace().count();
    let first = message.split(". ").next().filter(|first| count(first) >= LEAST_WORDS).unwrap_or(&message);
    // Behind a colon stand values.
    let before = first.split(": ").next().filter(|before| count(before) > LEAST_WORDS).unwrap_or(first);
    // In a formula, and behind it, words mean something else: `(nBytes-1)*8+dstPos is greater`.
    let plain = before.split(FORMULA).next().unwrap_or_default();
    let is_cut = plain.len() < before.len();
    let words = plain.split(|c: char| !c.is_ascii_alphanumeric() && c != '\'');
    let words = words.filter(|word| !word.is_empty() && !ARTICLES.contains(&word.to_ascii_lowercase().as_str()));
    let mut words: Vec<String> = words.map(|word| word.chars().filter(|c| *c != '\'').collect()).collect();
    let mut length = 0;
    let fitting = words.iter().take(6).take_while(|word| {
        length += word.len();
        length <= LONGEST_MESSAGE
    });
    // A number belongs to the values of this test. The words in front of it say enough.
    let is_number = |word: &String| word.starts_with(|c: char| c.is_ascii_digit());
    let fitting = match words.iter().position(is_number) {
        Some(0) => 0,
        Some(before) if before >= LEAST_WORDS => before.min(fitting.count()),
        _ => fitting.count(),
    };
    if fitting < words.len() || is_shorter || is_cut {
        words.truncate(fitting);
        // `sum of two` was cut from `sum of two numbers`.
        if let [.., before, _] = words.as_slice()
            && words.len() > LEAST_WORDS + 1
            && PREPOSITIONS.contains(&before.to_ascii_lowercase().as_str())
        {
            words.pop();
        }
        while words.last().is_some_and(|last| is_linking(last)) {
            words.pop();
        }
    }
    if is_cut && words.iter().filter(|word| !is_number(word)).count() < LEAST_WORDS {
        return String::new();
    }
    words.iter().enumerate().map(|(place, word)| if place == 0 { camel(word) } else { capitalised(word) }).collect()
}

/// The text without its quotes: `The option '[' is unknown` gives `The option  is unknown`. An apostrophe within a word
/// stays, and so does a quotation mark without a second one.
fn without_quotes(text: &str) -> String {
    let mut rest = text;
    let mut kept = String::new();
    while let Some(at) = rest.find(['\'', '"']) {
        let (before, quoted) = rest.split_at(at);
        let (quote, inner) = quoted.split_at(1);
        let is_begin = before.chars().next_back().is_none_or(|c| !c.is_alphanumeric());
        kept += before;
        rest = match inner.find(quote).filter(|_| is_begin) {
            Some(end) => &inner[end + 1..],
            None => {
                kept += quote;
                inner
            }
        };
    }
    kept + rest
}

/// Whether a sentence does not end with the word.
pub(super) fn is_linking(word: &str) -> bool {
    let word = word.to_ascii_lowercase();
    [&ARTICLES[..], &PREPOSITIONS, &CONJUNCTIONS, &VERBS].iter().any(|words| words.contains(&word.as_str()))
}

/// What a message says behind the class of the exception that caused it: `java.io.IOException: no file`
/// gives `no file`.
fn of_cause(message: &str) -> &str {
    let is_cause = |at: usize| {
        let begin = message[..at].rfind(' ').map_or(0, |space| space + 1);
        without_package(&message[begin..at]) != &message[begin..at]
    };
    let cause = message.rmatch_indices(": ").find(|(at, _)| is_cause(*at));
    cause.map(|(at, colon)| &message[at + colon.len()..]).filter(|rest| !rest.is_empty()).unwrap_or(message)
}

/// The word without a package in front of it: `java.lang.Error:` gives `Error:`.
fn without_package(word: &str) -> &str {
    let parts: Vec<&str> = word.split('.').collect();
    let is_part = |part: &&str| part.starts_with(|c: char| c.is_ascii_lowercase());
    match parts.split_last() {
        Some((last, packages))
            if packages.len() > 1 && packages.iter().all(is_part) && last.starts_with(|c: char| c.is_ascii_uppercase()) =>
        {
            last
        }
        _ => word,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn units(text: &str) -> Vec<u16> {
        text.encode_utf16().collect()
    }

    fn words(text: &str) -> String {
        message_words(&units(text), &[])
    }

    #[test]
    fn a_message_says_why_without_its_values() {
        for (message, expected) in [
            ("more than two decimals: 0.500", "moreThanTwoDecimals"),
            ("no customer 8", "noCustomer"),
            ("2024-01-01 is after today", ""),
            ("Index: 5, Size: 3 (of the whole list)", "index5Size3"),
            ("The character is not mapped: x (index=195)", "characterIsNotMapped"),
            ("failed: java.lang.Error: no item", "noItem"),
            ("(nBytes-1)*8+dstPos is greater or equal to than 16", ""),
            ("the length is not > 0", ""),
            ("the maximum length must be > 0", "maximumLength"),
        ] {
            assert_eq!(words(message), expected, "{message}");
        }
    }

    #[test]
    fn what_a_message_quotes_is_no_word() {
        for (message, expected) in [
            ("The XML construct \"a\" could not be converted to a number", "xmlConstructCouldNotBeConverted"),
            ("The XML construct \"name\" could not be converted to a number", "xmlConstructCouldNotBeConverted"),
            ("The option '[ x ]' contains an illegal character : '['", "optionContainsIllegalCharacter"),
            ("The option '[ Options: x ]' contains an illegal character : 'p'", "optionContainsIllegalCharacter"),
            ("Couldn't get the node: index (1)", "couldntGetNode"),
            ("Invalid quote ' in a text", "invalidQuoteInText"),
        ] {
            assert_eq!(words(message), expected, "{message}");
        }
    }

    #[test]
    fn a_text_of_the_test_is_no_word_at_the_end() {
        let words = |message: &str, value: &str| message_words(&units(message), &[value.to_owned()]);
        assert_eq!(words("cannot mix EUR and RPO", "RPO"), "cannotMixEUR");
        assert_eq!(words("no product sku", "sku"), "noProduct");
        assert_eq!(words("sku is not sold", "sku"), "skuIsNotSold");
    }
}
