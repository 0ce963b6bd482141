//! Names of test methods: `method_condition_outcome`. Flows in: the asserted tests of one file;
//! flows out: a name for each. Must not know the source text of a test.
//!
//! The names are chosen for all tests together, so that a name says how its test differs from its
//! neighbours. Tests with the same method and the same outcome form a group. Each test has phrases
//! that are true of it (`condition_words`, `outcome_words`), the most telling first. It gets the
//! fewest phrases that hold together for no other test of the group. A number is the last resort.
//! What the source asks at a jump that went this way in few of the method's tests (`branch_words`) is
//! told before values: it is why the test ends as it does.
//! Where two names then have the same conditions and different outcomes, they get what the tests give
//! differently (`rivals`).

mod answer_words;
mod branch_words;
mod condition;
mod condition_words;
mod expression_words;
mod message_words;
mod named_test;
mod outcome_words;
mod overload_words;
mod phrase;
mod request_words;
mod rivals;
mod table;
mod value_words;
mod ways;

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use super::names::capitalised;
use crate::oracle::{AssertedTest, is_reserved};
use crate::program::{MethodRef, Program};
use crate::testcase::{Statement, StatementKind};

use condition::{Causality, Condition};
use named_test::{NamedTest, method_word};
use outcome_words::{About, NO_FACT, OutcomeFact};
use phrase::{NamePart, Phrase, assemble};
use request_words::sent_words;

pub(crate) use table::choose_table_name;
pub(crate) use ways::TellingWays;

/// Longest name of a test method, in characters.
const LONGEST: usize = 80;
/// Longest phrase that a test gets although no other test has its method and outcome.
const LONGEST_EXTRA: usize = 24;
/// Conditions that such a test may get instead.
const MOST_OTHERS: usize = 3;
/// What a phrase costs for each one that tells more, and what a message costs.
const COST_OF_LATER: usize = 3;
const COST_OF_MESSAGE: usize = 6;
/// What a phrase costs for a value that could be any other.
const COST_OF_INCIDENTAL: usize = 60;
/// Phrases that are combined in twos and threes.
const IN_PAIRS: usize = 24;
const IN_TRIPLES: usize = 10;

/// The part of a method's tests that a test belongs to, in the order of the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum CaseKind {
    /// Neither of the others.
    Normal,
    /// An argument is null, zero, negative, empty or the like.
    Boundary,
    /// The test expects an exception.
    Exception,
}

impl CaseKind {
    /// The kind of a test.
    pub(crate) fn of(program: &Program, test: &AssertedTest) -> CaseKind {
        match &test.expected {
            Some(_) => CaseKind::Exception,
            None if condition_words::has_boundary(&NamedTest::new(program, test)) => CaseKind::Boundary,
            None => CaseKind::Normal,
        }
    }
}

/// A test with the words among which its name is chosen.
#[derive(Debug)]
struct NameCandidate {
    method: String,
    outcome: String,
    /// Phrases that the name has even where no other test has the same method and outcome.
    usual: Vec<Phrase>,
    /// All phrases, the most telling first.
    phrases: Vec<Phrase>,
    /// The one for what leads to the expected exception, or decides how the call ends.
    lead: Option<Phrase>,
    /// Those for values that the test gives and that may be why it ends as it does.
    given: Vec<Phrase>,
    /// Those for values that could be any other.
    incidental: Vec<Phrase>,
    /// A name without these parts.
    whole: Option<&'static str>,
}

/// The name of a test and the phrases in it.
#[derive(Clone, Debug, Default)]
struct ChosenName {
    name: String,
    phrases: Vec<Phrase>,
}

/// Chooses a name for each test that is not among `taken`, and adds them there. `ways`: one of each test.
pub(crate) fn choose_names(
    program: &Program,
    tests: &[&AssertedTest],
    ways: &[&TellingWays],
    taken: &mut BTreeSet<String>,
) -> Vec<String> {
    let candidates = candidates(program, tests, ways);
    let mut groups: BTreeMap<(&str, &str), Vec<usize>> = BTreeMap::new();
    for (index, candidate) in candidates.iter().enumerate() {
        groups.entry((&candidate.method, &candidate.outcome)).or_default().push(index);
    }
    let mut names = vec![ChosenName::default(); tests.len()];
    for (index, candidate) in candidates.iter().enumerate() {
        if let Some(whole) = candidate.whole
            && taken.insert(whole.to_string())
        {
            names[index].name = whole.to_string();
        }
    }
    let mut chosen: Vec<usize> = Vec::new();
    for group in groups.values() {
        let open: Vec<usize> = group.iter().copied().filter(|index| names[*index].name.is_empty()).collect();
        let members: Vec<&NameCandidate> = open.iter().map(|index| &candidates[*index]).collect();
        for (index, name) in open.iter().zip(group_names(&members, taken)) {
            names[*index] = name;
        }
        chosen.extend(open);
    }
    rivals::tell_apart(&candidates, &chosen, &mut names, taken);
    names.into_iter().map(|chosen| chosen.name).collect()
}

/// The words for each test.
fn candidates(program: &Program, tests: &[&AssertedTest], ways: &[&TellingWays]) -> Vec<NameCandidate> {
    let named: Vec<NamedTest<'_>> = tests.iter().map(|test| NamedTest::new(program, test)).collect();
    let facts: Vec<Vec<OutcomeFact>> = named.iter().map(outcome_words::facts).collect();
    let methods: Vec<String> = tests.iter().map(|test| subject_word(test)).collect();
    // What an inspector returns in the tests of one method.
    let mut results: BTreeMap<(&str, &str), BTreeSet<&str>> = BTreeMap::new();
    for (method, facts) in methods.iter().zip(&facts) {
        for fact in facts {
            results.entry((method, &fact.inspector)).or_default().insert(&fact.words);
        }
    }
    let variety = |method: &str, fact: &OutcomeFact| results.get(&(method, fact.inspector.as_str())).map_or(0, BTreeSet::len);
    // A call that all tests of the method show is not what one of them is about.
    let callers = |method: &str, fact: &OutcomeFact| {
        let of_method = methods.iter().zip(&facts).filter(|(other, _)| *other == method);
        let is_shown = |others: &[OutcomeFact]| others.iter().any(|other| other.words == fact.words);
        if fact.about == About::Call { of_method.filter(|(_, others)| is_shown(others)).count() } else { 0 }
    };
    let mut found = Vec::new();
    for (((named, facts), method), ways) in named.iter().zip(&facts).zip(&methods).zip(ways) {
        let mut order: Vec<&OutcomeFact> = facts.iter().collect();
        // What the condition is about comes first: `whenGramsIsNegative_rejectsGrams`.
        let topic = ways.reason().map_or("", topic_of);
        let is_of_topic = |fact: &OutcomeFact| {
            let property = fact.words.split("Is").next().unwrap_or_default();
            topic.len() > 2 && capitalised(property).contains(topic)
        };
        order.sort_by_key(|fact| {
            let (variety, decided_at) = (Reverse(variety(method, fact)), Reverse(fact.decided_at));
            (fact.about, !is_of_topic(fact), fact.is_trivial, callers(method, fact), decided_at, variety)
        });
        let own = outcome_words::own_outcome(named);
        let first = if own.is_none() { order.first().map(|fact| fact.words.clone()) } else { None };
        let outcome = own.or(first).unwrap_or_else(|| NO_FACT.into());
        found.push(candidate(program, named, (method, outcome), &order, ways));
    }
    found
}

/// What a condition is about: `Grams` of `GramsIsNegative`, `Sku` of `ExistsBySkuReturnsTrue`.
fn topic_of(condition: &str) -> &str {
    match (condition.split_once("By"), condition.split_once("Returns")) {
        (Some((_, property)), Some(_)) => property.split("Returns").next().unwrap_or_default(),
        _ => condition.split("Is").next().unwrap_or_default(),
    }
}

fn candidate(
    program: &Program,
    named: &NamedTest<'_>,
    (method, outcome): (&str, String),
    facts: &[&OutcomeFact],
    TellingWays { phrases: ways, decide: ways_decide, mislead, .. }: &TellingWays,
) -> NameCandidate {
    let sent: Vec<Phrase> = sent_words(named.test).into_iter().map(|words| Phrase::new(NamePart::Argument, words)).collect();
    let is_request = named.test.test.has_request();
    let mut phrases: Vec<Phrase> = sent.clone();
    let mut usual: Vec<Phrase> = if is_request { Vec::new() } else { condition_words::usual_conditions(named) };
    let conditions = condition_words::conditions(named);
    // The message and the facts stand behind what decides and what the test gives, in front of how it
    // was made. What a mock answers is given; a message says more.
    let is_making = |condition: &Condition| {
        let is_cause = condition.cause(named) == Causality::Certain && named.test.expected.is_none();
        condition.phrase.part < NamePart::Argument && !is_cause && !condition.is_plain_cause(named)
    };
    let is_making_without_mocks = |condition: &Condition| is_making(condition) && !condition.is_answer;
    let place = |found: Option<usize>| phrases.len() + found.unwrap_or(conditions.len());
    let (message_at, facts_at) =
        (place(conditions.iter().position(is_making)), place(conditions.iter().position(is_making_without_mocks)));
    phrases.extend(conditions.iter().map(|condition| condition.phrase.clone()));
    let others = facts.iter().filter(|fact| fact.words != outcome);
    let others = others.map(|fact| Phrase::new(NamePart::Outcome, capitalised(&fact.words)));
    let message = named.test.expected.as_ref().and_then(|expected| expected.message.as_ref());
    let message = message.map(|units| Phrase::new(NamePart::Message, named.message_words(units)));
    let message = message.filter(|message| !message.words.is_empty());
    phrases.splice(facts_at..facts_at, others);
    phrases.splice(message_at..message_at, message.clone());
    // A condition of the source says more than a value that something else than the call was made of.
    let is_given = |condition: &&Condition| condition.phrase.part == NamePart::Argument || condition.is_answer;
    let is_plain = |condition: &&Condition| condition.is_plain_cause(named) && is_given(condition);
    let plain_causes = conditions.iter().take_while(is_plain).count();
    let leads = is_request || *ways_decide;
    if !ways.is_empty() && !mislead && (plain_causes == 0 || leads) {
        usual = ways[..1].to_vec();
    } else if is_request && named.test.expected.is_none() {
        usual = sent;
    }
    let ways_at = if *mislead { phrases.len() } else { plain_causes * usize::from(!leads) };
    phrases.splice(ways_at..ways_at, ways.iter().cloned());
    if let Some(reason) = answer_words::exception_of_mock(named).or_else(|| answer_words::unanswered_query(named)) {
        phrases.insert(0, reason.clone());
        usual = vec![reason];
    }
    if let Some(equal) = condition_words::equal_argument(named) {
        phrases.insert(0, equal.clone());
        usual = vec![equal];
    }
    let is_argument = |condition: &&Condition| condition.phrase.part == NamePart::Argument;
    let says_less = |condition: &Condition| message.is_some() && condition.is_itself();
    let says_why = |condition: &&Condition| condition.is_plain_cause(named) && !says_less(condition);
    let lead = conditions.iter().filter(is_argument).find(says_why);
    let lead = lead.or_else(|| conditions.iter().find(|condition| condition.is_earlier_call()));
    let lead = lead.map(|condition| condition.phrase.clone());
    let lead = lead.or_else(|| condition_words::boundary_argument(named).map(|condition| condition.phrase));
    let lead = lead.filter(|_| named.test.expected.is_some());
    if usual.is_empty() && named.test.expected.is_some() {
        usual.extend(lead.clone().or_else(|| reason(named, &conditions)).or_else(|| message.clone()));
    }
    if usual.is_empty() && !is_request {
        let constant = || condition_words::constant_receiver(named).filter(|_| named.arguments().is_empty());
        let given = || condition_words::all_given(named).filter(|_| outcome == "returnsTrue" || is_nothing(&outcome));
        let before = condition_words::last_change(named).or_else(|| default_state(named, &outcome));
        usual.extend(before.or_else(constant).or_else(given));
    }
    // Else what the source asks there leads to the end.
    let lead = lead.filter(|lead| phrases.contains(lead));
    let lead = lead.or_else(|| ways.first().filter(|_| *ways_decide && !mislead).cloned()).or(message);
    let of_receiver = condition_words::receiver_boundary(named).filter(|_| named.test.expected.is_some());
    let of_receiver = of_receiver.map(|condition| condition.phrase).filter(|phrase| phrases.contains(phrase));
    let lead = lead.or(of_receiver);
    let may_matter = |condition: &&Condition| !condition.values.is_empty() && condition.cause(named) != Causality::Excluded;
    let mut stated: Vec<&Condition> = conditions.iter().filter(may_matter).collect();
    // What was called before says more than what these calls got.
    let before = conditions.iter().filter(|condition| condition.is_earlier_call());
    let state_at = stated.iter().position(|condition| condition.is_of_state()).unwrap_or(stated.len());
    stated.splice(state_at..state_at, before);
    let mut given: Vec<Phrase> = stated.into_iter().map(|condition| condition.phrase.clone()).collect();
    let given_at = if *mislead { given.len() } else { 0 };
    given.splice(given_at..given_at, ways.iter().cloned());
    let is_incidental = |condition: &&Condition| condition.cause(named) == Causality::Excluded;
    let incidental = conditions.iter().filter(is_incidental).map(|condition| condition.phrase.clone());
    let mut incidental: Vec<Phrase> = incidental.collect();
    incidental.extend(ways.iter().filter(|_| *mislead).cloned());
    let whole = accessor_words(program, named.test);
    NameCandidate { method: method.to_string(), outcome, usual, phrases, lead, given, incidental, whole }
}

/// Whether the outcome is what most values could give: a reader asks which ones did.
fn is_nothing(outcome: &str) -> bool {
    let nothing = ["returnsNull", "returnsFalse", "returnsZero", "returnsMinus1", "returnsEmpty"];
    nothing.iter().any(|nothing| outcome.starts_with(nothing))
}

/// That nothing was done to the receiver, where this may be why the call finds nothing.
fn default_state(named: &NamedTest<'_>, outcome: &str) -> Option<Phrase> {
    let finds_nothing = is_nothing(outcome) || named.test.expected.is_some();
    let only_reads = named.arguments().is_empty() && outcome.starts_with("returns");
    condition_words::untouched_receiver(named).filter(|_| finds_nothing || only_reads)
}

/// The only argument, where it may be the reason of an exception.
fn reason(named: &NamedTest<'_>, conditions: &[Condition]) -> Option<Phrase> {
    let [argument] = named.arguments() else { return None };
    let is_reason = |condition: &&Condition| {
        condition.phrase.part == NamePart::Argument
            && condition.phrase.words.len() <= LONGEST_EXTRA
            && condition.cause(named) != Causality::Excluded
    };
    // A value that is named as its parameter could be any other.
    let role = named.operands().map(|(method, _)| named.role(method, 0, *argument))?;
    if expression_words::value_of(named, *argument).is_none_or(|word| word == role) {
        return None;
    }
    conditions.iter().find(is_reason).map(|condition| condition.phrase.clone())
}

/// The names of tests with one method and one outcome.
fn group_names(group: &[&NameCandidate], taken: &mut BTreeSet<String>) -> Vec<ChosenName> {
    let mut known: BTreeMap<&Phrase, u32> = BTreeMap::new();
    for candidate in group {
        for phrase in &candidate.phrases {
            let next = known.len() as u32;
            known.entry(phrase).or_insert(next);
        }
    }
    let numbers: Vec<Vec<u32>> =
        group.iter().map(|candidate| candidate.phrases.iter().map(|phrase| known[phrase]).collect()).collect();
    let sets: Vec<BTreeSet<u32>> = numbers.iter().map(|numbers| numbers.iter().copied().collect()).collect();
    let mut names = vec![ChosenName::default(); group.len()];
    let mut left = Vec::new();
    for (index, candidate) in group.iter().enumerate() {
        let others: Vec<&BTreeSet<u32>> =
            sets.iter().enumerate().filter(|(other, _)| *other != index).map(|(_, set)| set).collect();
        let tells = |chosen: &[usize]| {
            !others.iter().any(|other| chosen.iter().all(|position| other.contains(&numbers[index][*position])))
        };
        let mut tried = combinations(candidate.phrases.len());
        // What leads to the end is said where other tests have it too.
        let lead = candidate.phrases.iter().position(|phrase| candidate.lead.as_ref() == Some(phrase));
        let has_lead = |chosen: &Vec<usize>| lead.is_some_and(|lead| chosen.contains(&lead));
        // A message says why, wherever it stands.
        let cost = |position: &usize| match &candidate.phrases[*position] {
            Phrase { part: NamePart::Message, .. } => COST_OF_MESSAGE,
            phrase if candidate.incidental.contains(phrase) => COST_OF_INCIDENTAL + phrase.reading_cost(),
            phrase => COST_OF_LATER * position + phrase.reading_cost(),
        };
        tried.sort_by_key(|chosen| (lead.is_some() && !has_lead(chosen), chosen.iter().map(cost).sum::<usize>()));
        let mut wanted = tried.into_iter().filter(|chosen| tells(chosen)).map(|chosen| {
            let phrases: Vec<&Phrase> = chosen.iter().map(|position| &candidate.phrases[*position]).collect();
            chosen_name(candidate, &phrases)
        });
        let alone = if group.len() == 1 { usual_names(candidate) } else { Vec::new() };
        let found = alone.into_iter().chain(wanted.by_ref()).find(|chosen| is_free(&chosen.name, taken));
        match found {
            Some(chosen) => {
                taken.insert(chosen.name.clone());
                names[index] = chosen;
            }
            None => left.push(index),
        }
    }
    for index in left {
        names[index].name = shared_name(group, index, &sets, &numbers[index], taken);
    }
    names
}

fn chosen_name(candidate: &NameCandidate, phrases: &[&Phrase]) -> ChosenName {
    ChosenName { name: named(candidate, phrases), phrases: phrases.iter().map(|phrase| (*phrase).clone()).collect() }
}

/// The name with these phrases. A long one names an exception without the word `Exception`.
fn named(candidate: &NameCandidate, phrases: &[&Phrase]) -> String {
    let name = assemble(&candidate.method, &candidate.outcome, phrases);
    match candidate.outcome.strip_suffix("Exception").filter(|rest| name.len() > LONGEST && *rest != "throws") {
        Some(short) => assemble(&candidate.method, short, phrases),
        None => name,
    }
}

fn is_free(name: &str, taken: &BTreeSet<String>) -> bool {
    name.len() <= LONGEST && !is_reserved(name) && !taken.contains(name)
}

/// The names of a test whose method and outcome no other test has. Where the first ones are too long, other
/// conditions are tried.
fn usual_names(candidate: &NameCandidate) -> Vec<ChosenName> {
    let usual: Vec<&Phrase> = candidate.usual.iter().collect();
    let short = &usual[..usual.len().min(1)];
    let others = candidate.given.iter().take(if usual.is_empty() { 0 } else { MOST_OTHERS });
    let others = others.map(|other| chosen_name(candidate, &[other]));
    let bare = chosen_name(candidate, &[]);
    [&usual, short].map(|phrases| chosen_name(candidate, phrases)).into_iter().chain(others).chain([bare]).collect()
}

/// Positions of phrases, in the order in which names with them are tried: one, two, three phrases.
fn combinations(phrases: usize) -> Vec<Vec<usize>> {
    let mut found: Vec<Vec<usize>> = (0..phrases).map(|one| vec![one]).collect();
    let pairs = phrases.min(IN_PAIRS);
    for second in 1..pairs {
        found.extend((0..second).map(|first| vec![first, second]));
    }
    let triples = phrases.min(IN_TRIPLES);
    for third in 2..triples {
        for second in 1..third {
            found.extend((0..second).map(|first| vec![first, second, third]));
        }
    }
    found
}

/// A name for a test all of whose phrases another test has, too: the phrase that the fewest others
/// have, else what says why, else no phrase, else a number.
fn shared_name(
    group: &[&NameCandidate],
    index: usize,
    sets: &[BTreeSet<u32>],
    numbers: &[u32],
    taken: &mut BTreeSet<String>,
) -> String {
    let candidate = group[index];
    let shared = |position: usize| sets.iter().filter(|set| set.contains(&numbers[position])).count();
    let mut rare: Vec<usize> = (0..candidate.phrases.len()).filter(|position| shared(*position) < group.len()).collect();
    rare.sort_by_key(|position| (shared(*position), *position));
    let single = |position: usize| named(candidate, &[&candidate.phrases[position]]);
    let mut tried: Vec<String> = rare.into_iter().map(single).collect();
    tried.extend(candidate.usual.iter().chain(&candidate.lead).map(|phrase| named(candidate, &[phrase])));
    tried.push(named(candidate, &[]));
    tried.extend((0..candidate.phrases.len()).map(single));
    let pairs = combinations(candidate.phrases.len()).into_iter().filter(|chosen| chosen.len() > 1);
    tried.extend(pairs.map(|chosen| {
        let phrases: Vec<&Phrase> = chosen.iter().map(|position| &candidate.phrases[*position]).collect();
        named(candidate, &phrases)
    }));
    let free = tried.iter().find(|name| is_free(name, taken)).cloned();
    let name = free.unwrap_or_else(|| {
        let mut base = named(candidate, &[]);
        base.truncate(LONGEST - 4);
        let numbered = (2..).map(|number: u32| format!("{base}_{number}"));
        numbered.into_iter().find(|name| is_free(name, taken)).unwrap_or(base.clone())
    });
    taken.insert(name.clone());
    name
}

/// The word for what the test is about: a method, or the request that reaches it.
fn subject_word(test: &AssertedTest) -> String {
    if test.test.round_trip().is_some_and(|trip| trip.read.index() + 1 == test.acted as usize) {
        return "serialization".into();
    }
    let method = method_word(test);
    if test.test.performed_request().is_some() { format!("{method}Request") } else { method }
}

/// The name of a test of several plain accessors of one object.
fn accessor_words(program: &Program, test: &AssertedTest) -> Option<&'static str> {
    if !test.target.as_ref().is_some_and(|target| program.is_plain_accessor(target)) {
        return None;
    }
    let called = |statement: &Statement| match &statement.kind {
        StatementKind::Call { method, receiver: Some(_), .. } if program.is_plain_accessor(method) => Some(method.clone()),
        _ => None,
    };
    let (acted, inspected) = test.test.statements.split_at(test.acted as usize);
    let is_setter = |method: &MethodRef| !method.parameters().is_empty();
    let setters: BTreeSet<MethodRef> = acted.iter().filter_map(called).filter(is_setter).collect();
    let getters: BTreeSet<MethodRef> = inspected.iter().filter_map(called).collect();
    match (setters.len(), getters.len()) {
        (2.., 2..) => Some("getters_returnWhatSettersSet"),
        (0, 3..) => Some("getters_returnInitialValues"),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
