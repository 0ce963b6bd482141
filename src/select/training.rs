//! What attempts taught, for the selection of later ones: of another class, or of another run of the program. Flows in: fingerprints with labels; flows
//! out: the same, as text as well. Must not know where the text is kept.

use super::fingerprint::Bloom;
use std::collections::VecDeque;
use std::fmt;

/// The first line. Whoever changes what fingerprints are made of, the numbers of operators included, changes the number.
const HEAD: &str = "tracewright training 1";
/// Labels that are kept, the latest.
const MOST: usize = 5_000;

/// How an attempt ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Label {
    pub(crate) bloom: Bloom,
    pub(crate) is_feasible: bool,
}

/// Labels, the oldest first. Text form: a line that says the version; then a line for each label, with the rows of the fingerprint in hexadecimal.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Training {
    labels: VecDeque<Label>,
}

/// What was not read of a text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Unread {
    /// It is no training, or of another version: nothing was read.
    pub(crate) is_unknown: bool,
    /// Lines that say nothing.
    pub(crate) lines: usize,
}

impl Training {
    pub(crate) fn new(labels: impl IntoIterator<Item = Label>) -> Training {
        let mut training = Training::default();
        labels.into_iter().for_each(|label| training.add(label));
        training
    }

    pub(crate) fn add(&mut self, label: Label) {
        if self.labels.len() == MOST {
            self.labels.pop_front();
        }
        self.labels.push_back(label);
    }

    pub(crate) fn labels(&self) -> impl ExactSizeIterator<Item = Label> {
        self.labels.iter().copied()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.labels.is_empty()
    }

    /// Reads what can be read.
    pub(crate) fn parse(text: &str) -> (Training, Unread) {
        let mut lines = text.lines();
        let mut training = Training::default();
        if lines.next() != Some(HEAD) {
            return (training, Unread { is_unknown: true, lines: 0 });
        }
        let mut unread = Unread::default();
        for line in lines {
            match label(line) {
                Some(label) => training.add(label),
                None => unread.lines += 1,
            }
        }
        (training, unread)
    }
}

impl fmt::Display for Training {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{HEAD}")?;
        for Label { bloom, is_feasible } in &self.labels {
            writeln!(f, "{} {bloom}", if *is_feasible { "feasible" } else { "in-vain" })?;
        }
        Ok(())
    }
}

fn label(line: &str) -> Option<Label> {
    let (word, bloom) = line.split_once(' ')?;
    let is_feasible = match word {
        "feasible" => true,
        "in-vain" => false,
        _ => return None,
    };
    Some(Label { bloom: Bloom::parse(bloom)?, is_feasible })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::select::ClauseHash;
    use proptest::prelude::*;

    fn labels() -> impl Strategy<Value = Vec<Label>> {
        let bloom = prop::collection::vec(any::<(u64, u64)>(), 0..8).prop_map(|clauses| {
            let mut bloom = Bloom::default();
            clauses.into_iter().for_each(|(shape, whole)| bloom.add(ClauseHash { shape, whole }));
            bloom
        });
        prop::collection::vec((bloom, any::<bool>()).prop_map(|(bloom, is_feasible)| Label { bloom, is_feasible }), 0..40)
    }

    proptest! {
        #[test]
        fn what_is_printed_is_read_again(labels in labels()) {
            let training = Training::new(labels);
            prop_assert_eq!(Training::parse(&training.to_string()), (training, Unread::default()));
        }

        #[test]
        fn no_text_is_an_error(text in "[a-z0-9. \n-]{0,80}") {
            let (training, unread) = Training::parse(&text);
            prop_assert!(training.is_empty() && unread.is_unknown);
            let (training, unread) = Training::parse(&format!("{HEAD}\n{text}"));
            prop_assert_eq!(training.labels().len() + unread.lines, text.lines().count());
        }
    }

    #[test]
    fn other_versions_and_broken_lines_are_passed_over() {
        let of_another = Training::parse("tracewright training 0\nfeasible 1...............\n");
        assert_eq!(of_another, (Training::default(), Unread { is_unknown: true, lines: 0 }));
        let (training, unread) = Training::parse(&format!(
            "{HEAD}\nfeasible 1...............\nfeasible 1..\nin-vain x...............\nperhaps 1...............\nin-vain ...............\n"
        ));
        assert_eq!((training.labels().len(), unread.lines), (2, 3));
        let said: Vec<bool> = training.labels().map(|label| label.is_feasible).collect();
        assert_eq!(said, [true, false]);
    }

    #[test]
    fn the_oldest_are_dropped_first() {
        let label = |number: u64| {
            let mut bloom = Bloom::default();
            bloom.add(ClauseHash { shape: number, whole: number });
            Label { bloom, is_feasible: true }
        };
        let training = Training::new((0..MOST as u64 + 3).map(label));
        assert_eq!(training.labels().len(), MOST);
        assert_eq!(training.labels().next(), Some(label(3)));
    }
}
