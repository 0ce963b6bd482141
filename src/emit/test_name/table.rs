//! Names of tables. In: the tests of the rows and the names of the columns; out: a name in words of
//! what all rows have in common. Must not know the source text.
//!
//! The phrases that are true of every row are tried as those of single tests are, and the names of
//! the varying parameters. A number is the last resort.

use std::collections::BTreeSet;

use crate::emit::names::capitalised;
use crate::execution::{ContainerKind, HeldValues, Snapshot};
use crate::oracle::{AssertedTest, Assertion, Fact};
use crate::program::{ClassName, JavaType, Program};

use super::named_test::{NamedTest, method_word};
use super::outcome_words::{NO_FACT, facts, own_outcome};
use super::phrase::{NamePart, Phrase, assemble};
use super::value_words::class_word;
use super::ways::is_denial;
use super::{LONGEST, TellingWays, condition_words, is_free};

/// Most columns that a name lists.
const MOST_WORDS: usize = 3;
/// The outcome of rows with results that have nothing in common.
const ANY_RESULT: &str = "returnsExpected";

/// Chooses a name for a table that is not among `taken`, and adds it there. `tests`: those of the rows,
/// with their ways. `inputs`: the names of the columns that are given to the code under test.
/// `results`: the column with the results, one of the inputs or `expected`.
pub(crate) fn choose_table_name(
    program: &Program,
    tests: &[(&AssertedTest, &TellingWays)],
    inputs: &[&str],
    results: Option<&str>,
    taken: &mut BTreeSet<String>,
) -> String {
    let rows: Vec<NamedTest<'_>> = tests.iter().map(|(test, _)| NamedTest::new(program, test)).collect();
    let Some(first) = rows.first() else { return String::new() };
    let method = method_word(first.test);
    let returned = results.filter(|results| inputs.contains(results));
    let outcome = match (shared_outcome(&rows), returned) {
        (outcome, Some(returned)) if outcome == ANY_RESULT => format!("returns{}", capitalised(returned)),
        (outcome, _) => outcome,
    };
    let phrases = |row: &NamedTest<'_>| condition_words::conditions(row).into_iter().map(|condition| condition.phrase).collect();
    let names: Vec<String> = inputs.iter().map(|input| capitalised(input)).collect();
    // A phrase about something else with the name of a column would be read as one about the column.
    let ends_with = |words: &str, name: &str| words.len() > name.len() && words.ends_with(name);
    let is_clear = |phrase: &Phrase| !names.iter().any(|name| ends_with(&phrase.words, name));
    let mut shared = shared_phrases(&rows, phrases);
    let mut usual = shared_phrases(&rows, condition_words::usual_conditions);
    shared.retain(is_clear);
    usual.retain(is_clear);
    let has_results = results.is_some() && !["throws", "creates"].iter().any(|verb| outcome.starts_with(verb));
    // Rows whose most telling ways differ end in the same way for several reasons. Where results differ, a way that
    // all rows go and that is the most telling one of a row is a condition of all of them.
    let is_of_row = |ways: &TellingWays, way: &Phrase| match has_results {
        true => ways.phrases.contains(way),
        false => ways.phrases.first() == Some(way),
    };
    let of_first = tests.first().map(|(_, ways)| ways.phrases.as_slice()).unwrap_or_default();
    let of_first = if has_results { of_first } else { &of_first[..of_first.len().min(1)] };
    // What is not the case holds for most values, and says nothing of rows that end in several ways.
    let message = shared_message(&rows);
    let may_say = |way: &Phrase| message.is_some() || !is_denial(&way.words);
    let is_reason = |way: &Phrase| tests.iter().any(|(_, ways)| ways.reason() == Some(&*way.words));
    let shared_way = of_first
        .iter()
        .filter(|way| may_say(way) && (!has_results || is_reason(way)))
        .find(|way| tests.iter().all(|(_, ways)| is_of_row(ways, way)));
    let ways: Vec<Phrase> = shared_way.filter(|_| usual.is_empty()).cloned().into_iter().collect();
    let varying = Phrase::new(NamePart::Argument, names.join("And"));
    let varying = Some(varying).filter(|_| (1..=MOST_WORDS).contains(&inputs.len()));
    let with = |more: &[&Phrase]| {
        let phrases: Vec<&Phrase> = usual.iter().chain(more.iter().copied()).collect();
        assemble(&method, &outcome, &phrases)
    };
    let message = message.filter(|_| usual.is_empty());
    let mut tried: Vec<String> = ways.iter().chain(&message).map(|reason| with(&[reason])).collect();
    // What differs says more than the kind of the results.
    let is_kind = has_results && returned.is_none() && !outcome.ends_with("Expected");
    tried.extend(varying.iter().filter(|_| is_kind).map(|varying| with(&[varying])));
    tried.push(with(&[]));
    tried.extend(varying.iter().map(|varying| with(&[varying])));
    tried.extend(shared.iter().map(|phrase| with(&[phrase])));
    tried.extend(
        varying.iter().flat_map(|varying| shared.iter().map(move |phrase| (varying, phrase))).map(|(a, b)| with(&[a, b])),
    );
    // A long name says less of the rows and of the exception.
    let short = outcome.strip_suffix("Exception").filter(|short| *short != "throws");
    let usual: Vec<&Phrase> = usual.iter().collect();
    tried.extend(short.map(|short| assemble(&method, short, &usual)));
    tried.extend([Some(outcome.as_str()), short].into_iter().flatten().map(|outcome| assemble(&method, outcome, &[])));
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

/// The class of the result, where the method only declares a more general one, such as `Number`.
fn result_kind(row: &NamedTest<'_>) -> Option<String> {
    let of_call = |assertion: &&Assertion| Some(assertion.subject.index()) == row.call;
    let assertion = row.test.assertions.iter().find(of_call)?;
    let Fact::Equals(value) = &assertion.fact else { return None };
    let class = match value {
        Snapshot::Boxed(inner) => boxed_class(inner)?,
        Snapshot::Container(HeldValues { kind: ContainerKind::Value(class), .. }) => class.clone(),
        _ => return None,
    };
    (row.statement(assertion.subject).ty != JavaType::Class(class.clone())).then(|| class_word(&class))
}

fn boxed_class(value: &Snapshot) -> Option<ClassName> {
    let name = match value {
        Snapshot::Byte(_) => "Byte",
        Snapshot::Short(_) => "Short",
        Snapshot::Int(_) => "Integer",
        Snapshot::Long(_) => "Long",
        Snapshot::Float(_) => "Float",
        Snapshot::Double(_) => "Double",
        Snapshot::Char(_) => "Character",
        Snapshot::Boolean(_) => "Boolean",
        _ => return None,
    };
    Some(ClassName::new(&format!("java/lang/{name}")))
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
        _ if all_begin_with("returns") => {
            let kinds: BTreeSet<Option<String>> = rows.iter().map(result_kind).collect();
            match kinds.first() {
                Some(Some(kind)) if kinds.len() == 1 => format!("returns{kind}"),
                _ => ANY_RESULT.into(),
            }
        }
        _ if all_begin_with("creates") => "createsExpected".into(),
        (_, Some(property)) if properties.len() == 1 && !property.is_empty() => format!("{property}Expected"),
        _ => "givesExpected".into(),
    }
}
