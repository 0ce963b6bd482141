//! A phrase for what a test gives, with the values that it is about. In: a test with the
//! relevance of its values; out: whether the phrase says why the test ends as it does. Must not know
//! words.

use crate::oracle::ValueRelevance;
use crate::testcase::{Literal, VarId};

use super::named_test::{NamedTest, literal_variable};
use super::phrase::{NamePart, Phrase};
use super::value_words::boundary_word;

/// Whether a phrase says the cause of the outcome; the best first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Causality {
    /// With another value, the test would end in another way.
    Certain,
    /// Nothing is known.
    Possible,
    /// With other values, the test would be the same.
    Excluded,
}

/// The words for an argument that is the object under test.
pub(super) const ITSELF: &str = "Itself";

/// A phrase about some values of a test.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Condition {
    pub(super) phrase: Phrase,
    pub(super) values: Vec<VarId>,
    /// It says what a mock answers.
    pub(super) is_answer: bool,
}

impl Condition {
    pub(super) fn new(part: NamePart, words: impl Into<String>, values: &[VarId]) -> Condition {
        Condition { phrase: Phrase::new(part, words), values: values.to_vec(), is_answer: false }
    }

    /// What a mock answers.
    pub(super) fn of_answer(words: impl Into<String>, values: &[VarId]) -> Condition {
        Condition { is_answer: true, ..Condition::new(NamePart::State, words, values) }
    }

    /// Whether it says the cause of the outcome.
    pub(super) fn cause(&self, named: &NamedTest<'_>) -> Causality {
        let known = &named.test.relevance;
        // Trials exchange the literal in a box.
        let relevance_of = |value: &VarId| known.get(value).or_else(|| known.get(&literal_variable(named, *value)?));
        let is = |relevance: ValueRelevance| move |value: &VarId| relevance_of(value) == Some(&relevance);
        match self.values.as_slice() {
            // A call that gets its own receiver is written to test just that.
            [] if self.is_itself() => Causality::Certain,
            [] => Causality::Possible,
            values if values.iter().any(|value| is(ValueRelevance::Decisive)(value) && !occurs_twice(named, *value)) => {
                Causality::Certain
            }
            values if values.iter().any(is(ValueRelevance::Incidental)) => Causality::Excluded,
            _ => Causality::Possible,
        }
    }
}

impl Condition {
    /// Whether it says which call came before; a property that was set, of whichever object, has a phrase with its
    /// value.
    pub(super) fn is_earlier_call(&self) -> bool {
        self.phrase.part == NamePart::History && !self.phrase.words.contains("Set")
    }

    /// Whether it says that the object under test is an argument.
    pub(super) fn is_itself(&self) -> bool {
        self.phrase.part == NamePart::Argument && self.phrase.words == ITSELF
    }

    /// Whether it says how something else than the arguments was made.
    pub(super) fn is_of_state(&self) -> bool {
        self.phrase.part == NamePart::State && !self.is_answer
    }

    /// The order of conditions, the most telling first. Of causes, notable literals come first, then
    /// arguments.
    pub(super) fn rank(&self, named: &NamedTest<'_>) -> (Causality, bool, bool) {
        let cause = self.cause(named);
        let is_certain = cause == Causality::Certain;
        (cause, is_certain && !self.is_plain_cause(named), is_certain && self.phrase.part != NamePart::Argument)
    }

    /// Whether a literal that a reader notices is certainly the cause: null, an empty text, 0, true.
    pub(super) fn is_plain_cause(&self, named: &NamedTest<'_>) -> bool {
        let is_notable = |value: &VarId| {
            named
                .test
                .test
                .literal(*value)
                .is_some_and(|literal| matches!(literal, Literal::Boolean(_)) || boundary_word(literal).is_some())
        };
        self.cause(named) == Causality::Certain && self.values.iter().all(is_notable)
    }
}

/// Whether the value is a text that the test also writes elsewhere. What decides is then that both are
/// equal, not which text they are.
fn occurs_twice(named: &NamedTest<'_>, value: VarId) -> bool {
    let Some(literal @ Literal::Str(units)) = named.test.test.literal(value) else { return false };
    let is_equal = |other: VarId| other != value && named.test.test.literal(other) == Some(literal);
    !units.is_empty() && (0..named.test.acted).map(VarId).any(is_equal)
}
