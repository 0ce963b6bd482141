//! Names of tables. In: the tests of the rows and the names of the columns; out: a name in words of
//! what all rows have in common. Must not know the source text.
//!
//! The phrases that are true of every row are tried as those of single tests are, and the names of
//! the varying parameters. A number is the last resort.

use std::collections::BTreeSet;

use crate::emit::names::capitalised;
use crate::oracle::AssertedTest;
use crate::program::Program;

use super::named_test::{NamedTest, method_word};
use super::outcome_words::{NO_FACT, facts, own_outcome};
use super::phrase::{NamePart, Phrase, assemble};
use super::{LONGEST, TellingWays, condition_words, is_free};

/// Most columns that a name lists.
const MOST_WORDS: usize = 3;

/// Chooses a name for a table that is not among `taken`, and adds it there. `tests`: those of the rows,
/// with their ways. `inputs`: the names of the columns that are given to the code under test.
/// `has_expected`: other columns have results.
pub(crate) fn choose_table_name(
    program: &Program,
    tests: &[(&AssertedTest, &TellingWays)],
    inputs: &[&str],
    has_expected: bool,
    taken: &mut BTreeSet<String>,
) -> String {
    let rows: Vec<NamedTest<'_>> = tests.iter().map(|(test, _)| NamedTest::new(program, test)).collect();
    let Some(first) = rows.first() else { return String::new() };
    let method = method_word(first.test);
    let outcome = shared_outcome(&rows);
    let phrases = |row: &NamedTest<'_>| condition_words::conditions(row).into_iter().map(|condition| condition.phrase).collect();
    let shared = shared_phrases(&rows, phrases);
    let usual = shared_phrases(&rows, condition_words::usual_conditions);
    let has_results = has_expected && !["throws", "creates"].iter().any(|verb| outcome.starts_with(verb));
    // Rows whose most telling ways differ end in the same way for several reasons. Where results differ, a way that
    // all rows go and that is the most telling one of a row is a condition of all of them.
    let is_of_row = |ways: &TellingWays, way: &Phrase| match has_results {
        true => ways.phrases.contains(way),
        false => ways.phrases.first() == Some(way),
    };
    let of_first = tests.first().map(|(_, ways)| ways.phrases.as_slice()).unwrap_or_default();
    let of_first = if has_results { of_first } else { &of_first[..of_first.len().min(1)] };
    let is_reason = |way: &Phrase| tests.iter().any(|(_, ways)| ways.reason() == Some(&*way.words));
    let shared_way = of_first
        .iter()
        .filter(|way| !has_results || is_reason(way))
        .find(|way| tests.iter().all(|(_, ways)| is_of_row(ways, way)));
    let ways: Vec<Phrase> = shared_way.filter(|_| usual.is_empty()).cloned().into_iter().collect();
    let names: Vec<String> = inputs.iter().map(|input| capitalised(input)).collect();
    let varying = Phrase::new(NamePart::Argument, names.join("And"));
    let varying = Some(varying).filter(|_| (1..=MOST_WORDS).contains(&inputs.len()));
    let with = |more: &[&Phrase]| {
        let phrases: Vec<&Phrase> = usual.iter().chain(more.iter().copied()).collect();
        assemble(&method, &outcome, &phrases)
    };
    let message = shared_message(&rows).filter(|_| usual.is_empty());
    let mut tried: Vec<String> = ways.iter().chain(&message).map(|reason| with(&[reason])).collect();
    // What differs says more than the kind of the results.
    let is_kind = has_results && !outcome.ends_with("Expected");
    tried.extend(varying.iter().filter(|_| is_kind).map(|varying| with(&[varying])));
    tried.push(with(&[]));
    tried.extend(varying.iter().map(|varying| with(&[varying])));
    tried.extend(shared.iter().map(|phrase| with(&[phrase])));
    tried.extend(
        varying.iter().flat_map(|varying| shared.iter().map(move |phrase| (varying, phrase))).map(|(a, b)| with(&[a, b])),
    );
    let free = tried.iter().find(|name| is_free(name, taken)).cloned();
    let name = free.unwrap_or_else(|| {
        let mut base = with(&[]);
        base.truncate(LONGEST - 4);
        let mut numbered = (2..).map(|number: u32| format!("{base}_{number}"));
        numbered.find(|name| is_free(name, taken)).unwrap_or_default()
    });
    taken.insert(name.clone());
    name
}

/// The phrases that are true of every row.
fn shared_phrases(rows: &[NamedTest<'_>], phrases: impl Fn(&NamedTest<'_>) -> Vec<Phrase>) -> Vec<Phrase> {
    let mut all = rows.iter().map(phrases);
    let mut shared = all.next().unwrap_or_default();
    all.for_each(|of_row| shared.retain(|phrase| of_row.contains(phrase)));
    shared
}

/// The message of the exception that every row expects.
fn shared_message(rows: &[NamedTest<'_>]) -> Option<Phrase> {
    let message = |row: &NamedTest<'_>| row.test.expected.as_ref()?.message.clone();
    let first = message(rows.first()?)?;
    let words = rows.first()?.message_words(&first);
    let is_shared = rows.iter().all(|row| message(row).as_ref() == Some(&first));
    (is_shared && !words.is_empty()).then(|| Phrase::new(NamePart::Message, words))
}

/// The outcome in words that fit every row.
fn shared_outcome(rows: &[NamedTest<'_>]) -> String {
    let outcome = |row: &NamedTest<'_>| {
        let fact = || facts(row).into_iter().map(|fact| fact.words).next();
        own_outcome(row).or_else(fact).unwrap_or_else(|| NO_FACT.into())
    };
    let outcomes: BTreeSet<String> = rows.iter().map(outcome).collect();
    let all_begin_with = |word: &str| outcomes.iter().all(|outcome| outcome.starts_with(word));
    let property = |outcome: &String| outcome.find("Is").map_or_else(String::new, |end| outcome[..end + 2].to_owned());
    let properties: BTreeSet<String> = outcomes.iter().map(property).collect();
    match (outcomes.first(), properties.first()) {
        (Some(only), _) if outcomes.len() == 1 => only.clone(),
        _ if all_begin_with("returns") => "returnsExpected".into(),
        _ if all_begin_with("creates") => "createsExpected".into(),
        (_, Some(property)) if properties.len() == 1 && !property.is_empty() => format!("{property}Expected"),
        _ => "givesExpected".into(),
    }
}
