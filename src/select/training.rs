//! Labelled fingerprints of attempts, for the selection in another class or another run of the
//! program. Flows in: fingerprints with labels; flows out: the same, and their text form. Must not
//! know where the text is stored.

use super::fingerprint::Bloom;
use std::collections::VecDeque;
use std::fmt;

/// First line of the text form. A change of what fingerprints are made of, such as operator
/// numbers, requires a new number.
const HEAD: &str = "tracewright training 1";
/// Number of labels that are kept; the oldest are dropped.
const MOST: usize = 5_000;

/// Fingerprint of an attempt with its result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TrainingLabel {
    pub(crate) bloom: Bloom,
    pub(crate) is_feasible: bool,
}

/// Labels, oldest first. Text form: a line with the version, then one line for each label, with the
/// rows of the fingerprint in hexadecimal.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Training {
    labels: VecDeque<TrainingLabel>,
}

/// The parts of a text that were not read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct UnreadTraining {
    /// The text is not a training or has another version; nothing was read.
    pub(crate) is_unknown: bool,
    /// Number of malformed lines.
    pub(crate) lines: usize,
}

impl Training {
    /// Keeps the latest labels of the sequence.
    pub(crate) fn new(labels: impl IntoIterator<Item = TrainingLabel>) -> Training {
        let mut training = Training::default();
        labels.into_iter().for_each(|label| training.add(label));
        training
    }

    /// Adds a label; the oldest one is dropped when there are too many.
    pub(crate) fn add(&mut self, label: TrainingLabel) {
        if self.labels.len() == MOST {
            self.labels.pop_front();
        }
        self.labels.push_back(label);
    }

    /// Adds the labels that a class learned. `other` has them behind a copy of this training, which may lack the
    /// oldest labels.
    pub(crate) fn absorb(&mut self, other: &Training) {
        let same_from = |from: usize| {
            let pairs = self.labels.iter().skip(from).zip(&other.labels);
            pairs.take_while(|(one, other)| one == other).count()
        };
        let same = (0..self.labels.len()).map(same_from).max().unwrap_or(0);
        other.labels.iter().skip(same).for_each(|label| self.add(*label));
    }

    /// All labels, oldest first.
    pub(crate) fn labels(&self) -> impl ExactSizeIterator<Item = TrainingLabel> {
        self.labels.iter().copied()
    }

    /// Whether there is no label.
    pub(crate) fn is_empty(&self) -> bool {
        self.labels.is_empty()
    }

    /// Reads all well-formed lines and counts the others.
    pub(crate) fn parse(text: &str) -> (Training, UnreadTraining) {
        let mut lines = text.lines();
        let mut training = Training::default();
        if lines.next() != Some(HEAD) {
            return (training, UnreadTraining { is_unknown: true, lines: 0 });
        }
        let mut unread = UnreadTraining::default();
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
        for TrainingLabel { bloom, is_feasible } in &self.labels {
            writeln!(f, "{} {bloom}", if *is_feasible { "feasible" } else { "in-vain" })?;
        }
        Ok(())
    }
}

fn label(line: &str) -> Option<TrainingLabel> {
    let (word, bloom) = line.split_once(' ')?;
    let is_feasible = match word {
        "feasible" => true,
        "in-vain" => false,
        _ => return None,
    };
    Some(TrainingLabel { bloom: Bloom::parse(bloom)?, is_feasible })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::select::ClauseHash;
    use proptest::prelude::*;

    fn labels() -> impl Strategy<Value = Vec<TrainingLabel>> {
        let bloom = prop::collection::vec(any::<(u64, u64)>(), 0..8).prop_map(|clauses| {
            let mut bloom = Bloom::default();
            clauses.into_iter().for_each(|(shape, whole)| bloom.add(ClauseHash { shape, whole }));
            bloom
        });
        prop::collection::vec((bloom, any::<bool>()).prop_map(|(bloom, is_feasible)| TrainingLabel { bloom, is_feasible }), 0..40)
    }

    #[test]
    fn what_two_classes_add_is_kept_also_where_the_oldest_labels_are_dropped() {
        let label = |number: usize| {
            let mut bloom = Bloom::default();
            bloom.add(ClauseHash { shape: number as u64, whole: !(number as u64) });
            TrainingLabel { bloom, is_feasible: number.is_multiple_of(2) }
        };
        let of = |numbers: &[usize]| Training::new(numbers.iter().copied().map(label));
        let mut both = of(&[0, 1, 2]);
        both.absorb(&of(&[0, 1, 2, 10, 11]));
        both.absorb(&of(&[0, 1, 2, 20]));
        assert_eq!(both, of(&[0, 1, 2, 10, 11, 20]));
        let before = Training::new((0..MOST - 1).map(label));
        let after = Training::new((0..MOST + 3).map(label));
        let mut full = before.clone();
        full.absorb(&after);
        assert_eq!(full, after);
    }

    proptest! {
        #[test]
        fn what_is_printed_is_read_again(labels in labels()) {
            let training = Training::new(labels);
            prop_assert_eq!(Training::parse(&training.to_string()), (training, UnreadTraining::default()));
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
    fn other_versions_and_malformed_lines_are_skipped() {
        let of_another = Training::parse("tracewright training 0\nfeasible 1...............\n");
        assert_eq!(of_another, (Training::default(), UnreadTraining { is_unknown: true, lines: 0 }));
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
            TrainingLabel { bloom, is_feasible: true }
        };
        let training = Training::new((0..MOST as u64 + 3).map(label));
        assert_eq!(training.labels().len(), MOST);
        assert_eq!(training.labels().next(), Some(label(3)));
    }
}
