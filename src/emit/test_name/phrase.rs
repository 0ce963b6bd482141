//! Phrases of a name and how they are put together. In: the words of the method, the outcome and
//! the chosen phrases; out: the name. Must not know where the phrases come from.

/// The place of a phrase in the name, in the order of the name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum NamePart {
    /// `onOneHalf`: the object that the method is called on.
    Receiver,
    /// `byDefault`: nothing was done to that object.
    Default,
    /// `afterAdd`: what was called before.
    History,
    /// `whenSizeIsZero`: the state of an object, or the answer of a mock.
    State,
    /// `withNullText`: the arguments.
    Argument,
    /// `AndSizeIs2`: more of the outcome.
    Outcome,
    /// `_indexTooLarge`: the message of the exception.
    Message,
}

/// What readers pay for any phrase, and for each further value in it.
const COST: usize = 4;
const COST_OF_LISTED: usize = 3;
/// So many letters cost one, and so many that stand alone, such as digits.
const LETTERS_OF_COST: usize = 10;
const ODD_LETTERS_OF_COST: usize = 2;

/// Words that are true of a test, and their place in its name.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Phrase {
    pub(super) part: NamePart,
    pub(super) words: String,
}

impl Phrase {
    pub(super) fn new(part: NamePart, words: impl Into<String>) -> Phrase {
        Phrase { part, words: words.into() }
    }

    /// What readers pay for it: most for spelled texts and lists of values.
    pub(super) fn reading_cost(&self) -> usize {
        let letters: Vec<char> = self.words.chars().collect();
        let is_small = |at: usize| letters.get(at).is_some_and(char::is_ascii_lowercase);
        let odd = (0..letters.len()).filter(|at| !is_small(*at) && !is_small(at + 1));
        let lists = self.words.matches("And").count();
        COST + letters.len() / LETTERS_OF_COST + odd.count() / ODD_LETTERS_OF_COST + COST_OF_LISTED * lists
    }
}

/// `method_onReceiver_afterCall_whenState_withArguments_outcomeAndMore_message`.
pub(super) fn assemble(method: &str, outcome: &str, phrases: &[&Phrase]) -> String {
    let of = |part: NamePart| {
        let words: Vec<&str> = phrases.iter().filter(|phrase| phrase.part == part).map(|phrase| phrase.words.as_str()).collect();
        words.join("And")
    };
    let mut parts = vec![method.to_string()];
    for (part, prefix) in [
        (NamePart::Receiver, "on"),
        (NamePart::Default, "by"),
        (NamePart::History, "after"),
        (NamePart::State, "when"),
        (NamePart::Argument, "with"),
    ] {
        let words = of(part);
        if !words.is_empty() {
            parts.push(format!("{prefix}{words}"));
        }
    }
    let more = of(NamePart::Outcome);
    parts.push(if more.is_empty() { outcome.to_string() } else { format!("{outcome}And{more}") });
    parts.push(of(NamePart::Message));
    parts.retain(|part| !part.is_empty());
    parts.join("_")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_words_cost_less_than_spelled_values() {
        let cost = |words: &str| Phrase::new(NamePart::Argument, words).reading_cost();
        assert_eq!(cost("NullText"), 4);
        assert!(cost("NullText") < cost("7DT7H12M55Point806S"));
        assert!(2 * cost("ZeroLength") < cost("ByteArrayAnd2AndZeroAndTrue"));
    }

    #[test]
    fn phrases_stand_in_the_order_of_their_parts() {
        let phrases = [
            Phrase::new(NamePart::Argument, "ZeroX"),
            Phrase::new(NamePart::Argument, "NullY"),
            Phrase::new(NamePart::Receiver, "Origin"),
            Phrase::new(NamePart::Outcome, "SizeIs2"),
        ];
        let phrases: Vec<&Phrase> = phrases.iter().collect();
        assert_eq!(assemble("add", "returnsTrue", &phrases), "add_onOrigin_withZeroXAndNullY_returnsTrueAndSizeIs2");
        assert_eq!(assemble("add", "returnsTrue", &[]), "add_returnsTrue");
    }
}
