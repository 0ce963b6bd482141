//! Phrases of a name and how they are put together. In: the words of the method, the outcome and
//! the chosen phrases; out: the name. Must not know where the phrases come from.

/// The place of a phrase in the name, in the order of the name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum NamePart {
    /// `onOneHalf`: the object that the method is called on.
    Receiver,
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
}

/// `method_onReceiver_afterCall_whenState_withArguments_outcomeAndMore_message`.
pub(super) fn assemble(method: &str, outcome: &str, phrases: &[&Phrase]) -> String {
    let of = |part: NamePart| {
        let words: Vec<&str> = phrases.iter().filter(|phrase| phrase.part == part).map(|phrase| phrase.words.as_str()).collect();
        words.join("And")
    };
    let mut parts = vec![method.to_string()];
    for (part, prefix) in
        [(NamePart::Receiver, "on"), (NamePart::History, "after"), (NamePart::State, "when"), (NamePart::Argument, "with")]
    {
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
