//! Names of tests of one method that state the same conditions and different outcomes. In: the words for
//! each test, the chosen names; out: names with what these tests give differently. Must not know the
//! tests.
//!
//! Of `find_whenGetReturnsItem_returnsTrue` and `find_whenGetReturnsItem_returnsFalse`, at least one leaves
//! out what decides.

use std::collections::{BTreeMap, BTreeSet};

use super::phrase::{NamePart, Phrase};
use super::{ChosenName, NameCandidate, chosen_name, is_free};

/// Longest phrase that is added.
const LONGEST: usize = 32;
/// Outcomes that say little without their condition.
const BARE_OUTCOMES: [&str; 4] = ["returnsTrue", "returnsFalse", "returnsNull", "doesNotThrow"];

/// Changes the names of those of the `chosen` tests whose names state the same conditions and different
/// outcomes.
pub(super) fn tell_apart(candidates: &[NameCandidate], chosen: &[usize], names: &mut [ChosenName], taken: &mut BTreeSet<String>) {
    let mut alike: BTreeMap<(&str, Vec<Phrase>), Vec<usize>> = BTreeMap::new();
    for index in chosen {
        alike.entry((&candidates[*index].method, stated(&names[*index].phrases))).or_default().push(*index);
    }
    for ((method, conditions), members) in &alike {
        for index in members {
            let own = &candidates[*index];
            let is_other = |other: &&usize| candidates[**other].outcome != own.outcome;
            let rivals: Vec<usize> = members.iter().filter(is_other).copied().collect();
            let is_bare = !conditions.is_empty() || BARE_OUTCOMES.contains(&own.outcome.as_str());
            let has_message = names[*index].phrases.iter().any(|phrase| phrase.part == NamePart::Message);
            if rivals.is_empty() || !is_bare || has_message {
                continue;
            }
            let of_method: Vec<usize> =
                chosen.iter().filter(|other| candidates[**other].method == *method).filter(is_other).copied().collect();
            let fellows: Vec<usize> = chosen
                .iter()
                .filter(|other| *other != index && candidates[**other].method == *method && !is_other(other))
                .copied()
                .collect();
            let found = [of_method, rivals]
                .iter()
                .find_map(|others| telling_name(candidates, *index, &names[*index], others, &fellows, taken));
            if let Some(found) = found {
                taken.remove(&names[*index].name);
                taken.insert(found.name.clone());
                names[*index] = found;
            }
        }
    }
}

/// The phrases for conditions, in order.
fn stated(phrases: &[Phrase]) -> Vec<Phrase> {
    let mut found: Vec<Phrase> = phrases.iter().filter(|phrase| phrase.part <= NamePart::Argument).cloned().collect();
    found.sort();
    found
}

/// The name with a phrase for something that the test gives and none of the `others`, which end in another
/// way: instead of the phrases that the name has, where no fellow of the same outcome gives that too, else
/// beside them.
fn telling_name(
    candidates: &[NameCandidate],
    index: usize,
    now: &ChosenName,
    others: &[usize],
    fellows: &[usize],
    taken: &BTreeSet<String>,
) -> Option<ChosenName> {
    let own = &candidates[index];
    let gives = |other: &usize, phrase: &Phrase| candidates[*other].phrases.contains(phrase);
    let tells = |phrase: &&Phrase| phrase.words.len() <= LONGEST && !others.iter().any(|other| gives(other, phrase));
    own.given.iter().filter(tells).find_map(|phrase| {
        let facts = now.phrases.iter().filter(|known| known.part > NamePart::Argument);
        let alone: Vec<&Phrase> = std::iter::once(phrase).chain(facts).collect();
        let beside: Vec<&Phrase> = now.phrases.iter().chain([phrase]).collect();
        let is_alone = !fellows.iter().any(|fellow| gives(fellow, phrase));
        let tried = is_alone.then_some(&alone).into_iter().chain([&beside]);
        tried.map(|phrases| chosen_name(own, phrases)).find(|chosen| is_free(&chosen.name, taken))
    })
}
