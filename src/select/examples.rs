//! Results of attempts, and which of them are most similar to an alternative (tardis §4.3). Flows
//! in: fingerprints, with and without labels; flows out: the three nearest labelled ones. Must not
//! know alternatives.

use super::fingerprint::{Bloom, jaccard};
use super::training::{Training, TrainingLabel};
use std::collections::VecDeque;

/// Neighbours that vote.
pub(crate) const K: usize = 3;
/// Classes: unanimously feasible, feasible, infeasible, unanimously infeasible.
pub(crate) const CLASSES: usize = 4;

/// An attempt that has ended.
#[derive(Clone, Copy, Debug)]
struct Example {
    bloom: Bloom,
    len: u32,
    is_feasible: bool,
}

/// The latest results of attempts.
#[derive(Debug)]
pub(crate) struct Examples {
    latest: VecDeque<Example>,
    most: usize,
    /// Number of results ever recorded.
    recorded: u64,
}

impl Examples {
    /// No results; `most` of them are kept.
    pub(crate) fn new(most: usize) -> Examples {
        Examples { latest: VecDeque::new(), most, recorded: 0 }
    }

    /// Records the result of an attempt; the oldest one is dropped when there are too many.
    pub(crate) fn record(&mut self, bloom: Bloom, is_feasible: bool) {
        if self.latest.len() == self.most {
            self.latest.pop_front();
        }
        self.latest.push_back(Example { bloom, len: bloom.len(), is_feasible });
        self.recorded += 1;
    }

    /// Records the labels of a training, oldest first.
    pub(crate) fn load_training(&mut self, training: &Training) {
        training.labels().for_each(|label| self.record(label.bloom, label.is_feasible));
    }

    /// The kept results as a training.
    pub(crate) fn training(&self) -> Training {
        Training::new(self.latest.iter().map(|example| TrainingLabel { bloom: example.bloom, is_feasible: example.is_feasible }))
    }

    /// Number of results ever recorded.
    pub(crate) fn recorded(&self) -> u64 {
        self.recorded
    }

    /// Compares a fingerprint of `len` bits with all examples but the `compared` first ones ever
    /// recorded, and updates its neighbours.
    #[inline]
    pub(crate) fn compare(&self, bloom: &Bloom, len: u32, compared: u64, neighbours: &mut Neighbours) {
        let new = (self.recorded - compared).min(self.latest.len() as u64) as usize;
        #[cfg(target_arch = "x86_64")]
        if std::arch::is_x86_feature_detected!("avx2") && std::arch::is_x86_feature_detected!("popcnt") {
            // SAFETY: the line above checked that the processor has these instructions.
            return unsafe { self.compare_counting(bloom, len, new, neighbours) };
        }
        self.compare_latest(bloom, len, new, neighbours);
    }

    /// The same function, compiled for processors that count bits of four words at once.
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2,popcnt")]
    fn compare_counting(&self, bloom: &Bloom, len: u32, new: usize, neighbours: &mut Neighbours) {
        self.compare_latest(bloom, len, new, neighbours);
    }

    #[inline(always)]
    fn compare_latest(&self, bloom: &Bloom, len: u32, new: usize, neighbours: &mut Neighbours) {
        for example in self.latest.range(self.latest.len() - new..) {
            // The sizes alone bound the similarity: an example below the third neighbour is
            // skipped.
            let (less, more) = (len.min(example.len), len.max(example.len));
            if (less as f32) < neighbours.least() * more as f32 {
                continue;
            }
            let common = bloom.common(&example.bloom);
            if common as f32 >= neighbours.least() * (len + example.len - common) as f32 {
                neighbours.meet(jaccard(common, len, example.len), example.is_feasible);
            }
        }
    }

    /// Mean similarity to the nearest examples if all of these failed; `None` otherwise.
    pub(crate) fn similarity_to_failed(&self, bloom: &Bloom) -> Option<f32> {
        let mut neighbours = Neighbours::default();
        self.compare(bloom, bloom.len(), 0, &mut neighbours);
        (neighbours.class() == Some(CLASSES - 1)).then(|| neighbours.mean())
    }
}

/// The most similar examples of one alternative, most similar first.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Neighbours {
    similarity: [f32; K],
    is_feasible: [bool; K],
    count: u8,
}

impl Neighbours {
    #[inline(always)]
    fn meet(&mut self, similarity: f32, is_feasible: bool) {
        let count = self.count as usize;
        // Among equals, the later example comes first.
        let Some(place) = (0..K).find(|&place| place >= count || similarity >= self.similarity[place]) else { return };
        self.similarity.copy_within(place..K - 1, place + 1);
        self.is_feasible.copy_within(place..K - 1, place + 1);
        self.similarity[place] = similarity;
        self.is_feasible[place] = is_feasible;
        self.count = (count + 1).min(K) as u8;
    }

    /// Similarity below which no example becomes a neighbour; slightly below the third one, for
    /// rounding errors.
    #[inline(always)]
    fn least(&self) -> f32 {
        self.similarity[K - 1] * (1.0 - 4.0 * f32::EPSILON)
    }

    /// Class by votes; `None` below three neighbours.
    pub(crate) fn class(&self) -> Option<usize> {
        let votes = self.is_feasible.iter().filter(|&&vote| vote).count();
        (self.count as usize == K).then_some(K - votes)
    }

    /// Mean similarity of the neighbours, in [0, 1]; missing neighbours count as 0.
    pub(crate) fn mean(&self) -> f32 {
        self.similarity.iter().sum::<f32>() / K as f32
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::select::tests::bloom;

    fn neighbours(examples: &Examples, bloom: &Bloom) -> Neighbours {
        let mut neighbours = Neighbours::default();
        examples.compare(bloom, bloom.len(), 0, &mut neighbours);
        neighbours
    }

    #[test]
    fn the_three_most_similar_examples_vote() {
        let mut examples = Examples::new(10);
        examples.record(bloom(&[1, 2]), true);
        examples.record(bloom(&[1, 2, 3]), true);
        assert_eq!(neighbours(&examples, &bloom(&[1, 2])).class(), None, "two are too few");
        examples.record(bloom(&[9]), false);
        assert_eq!(neighbours(&examples, &bloom(&[1, 2])).class(), Some(1));
        examples.record(bloom(&[1, 2]), true);
        assert_eq!(neighbours(&examples, &bloom(&[1, 2])).class(), Some(0));
        assert!(neighbours(&examples, &bloom(&[1, 2])).mean() > neighbours(&examples, &bloom(&[1, 5])).mean());
        // Among equals, the latest example counts.
        examples.record(bloom(&[1, 2]), false);
        examples.record(bloom(&[1, 2]), false);
        examples.record(bloom(&[1, 2]), false);
        assert_eq!(neighbours(&examples, &bloom(&[1, 2])).class(), Some(3));
        assert_eq!(examples.similarity_to_failed(&bloom(&[1, 2])), Some(1.0));
    }

    #[test]
    fn loaded_examples_count_like_own_ones() {
        let mut earlier = Examples::new(10);
        for is_feasible in [true, false, false, false] {
            earlier.record(bloom(&[1, 2]), is_feasible);
        }
        let mut later = Examples::new(3);
        later.load_training(&earlier.training());
        assert_eq!((later.latest.len(), later.similarity_to_failed(&bloom(&[1, 2]))), (3, Some(1.0)));
    }

    #[test]
    fn comparing_only_new_examples_gives_the_same_neighbours() {
        let mut examples = Examples::new(6);
        let asked = bloom(&[3, 4, 5]);
        let mut so_far = Neighbours::default();
        let mut compared = 0;
        for round in 0..6_u64 {
            examples.record(bloom(&[round, round + 1, 5]), round % 2 == 0);
            if round % 2 == 1 {
                examples.compare(&asked, asked.len(), compared, &mut so_far);
                compared = examples.recorded();
            }
        }
        let whole = neighbours(&examples, &asked);
        assert_eq!((so_far.similarity, so_far.is_feasible), (whole.similarity, whole.is_feasible));
        // The oldest example is dropped.
        examples.record(bloom(&[77]), false);
        assert_eq!(examples.latest.len(), 6);
    }
}
