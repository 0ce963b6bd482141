//! How attempts ended, and which of them are most like an alternative (tardis §4.3). Flows in: fingerprints, with and without a label; flows out: the
//! three nearest of those that have one.

use super::fingerprint::{Bloom, jaccard};
use super::training::{Label, Training};
use std::collections::VecDeque;

/// Neighbours that vote.
pub(crate) const K: usize = 3;
/// Labels: feasible unanimously, feasible, infeasible, infeasible unanimously.
pub(crate) const CLASSES: usize = 4;

/// An attempt that has ended.
#[derive(Clone, Copy, Debug)]
struct Example {
    bloom: Bloom,
    len: u32,
    is_feasible: bool,
}

/// How attempts ended, the latest of them.
#[derive(Debug)]
pub(crate) struct Examples {
    latest: VecDeque<Example>,
    most: usize,
    /// Examples there have ever been.
    learned: u64,
}

impl Examples {
    pub(crate) fn new(most: usize) -> Examples {
        Examples { latest: VecDeque::new(), most, learned: 0 }
    }

    pub(crate) fn learn(&mut self, bloom: Bloom, is_feasible: bool) {
        if self.latest.len() == self.most {
            self.latest.pop_front();
        }
        self.latest.push_back(Example { bloom, len: bloom.len(), is_feasible });
        self.learned += 1;
    }

    pub(crate) fn recall(&mut self, training: &Training) {
        training.labels().for_each(|label| self.learn(label.bloom, label.is_feasible));
    }

    pub(crate) fn training(&self) -> Training {
        Training::new(self.latest.iter().map(|example| Label { bloom: example.bloom, is_feasible: example.is_feasible }))
    }

    /// Examples there have ever been.
    pub(crate) fn learned(&self) -> u64 {
        self.learned
    }

    /// Compares a fingerprint with the examples since the `compared` first.
    #[inline]
    pub(crate) fn compare(&self, bloom: &Bloom, len: u32, compared: u64, neighbours: &mut Neighbours) {
        let new = (self.learned - compared).min(self.latest.len() as u64) as usize;
        #[cfg(target_arch = "x86_64")]
        if std::arch::is_x86_feature_detected!("avx2") && std::arch::is_x86_feature_detected!("popcnt") {
            // SAFETY: the processor has these instructions, by the line above.
            return unsafe { self.compare_counting(bloom, len, new, neighbours) };
        }
        self.compare_latest(bloom, len, new, neighbours);
    }

    /// The same where few instructions count the bits of four words.
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2,popcnt")]
    fn compare_counting(&self, bloom: &Bloom, len: u32, new: usize, neighbours: &mut Neighbours) {
        self.compare_latest(bloom, len, new, neighbours);
    }

    #[inline(always)]
    fn compare_latest(&self, bloom: &Bloom, len: u32, new: usize, neighbours: &mut Neighbours) {
        for example in self.latest.range(self.latest.len() - new..) {
            // Less alike than the neighbours there are, by their sizes alone.
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

    /// Mean similarity to the nearest examples where all of these were in vain.
    pub(crate) fn doubt(&self, bloom: &Bloom) -> Option<f32> {
        let mut neighbours = Neighbours::default();
        self.compare(bloom, bloom.len(), 0, &mut neighbours);
        (neighbours.class() == Some(CLASSES - 1)).then(|| neighbours.mean())
    }
}

/// The most alike examples of one alternative, the most alike first.
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
        // Of equals, the later example knows more.
        let Some(place) = (0..K).find(|&place| place >= count || similarity >= self.similarity[place]) else { return };
        self.similarity.copy_within(place..K - 1, place + 1);
        self.is_feasible.copy_within(place..K - 1, place + 1);
        self.similarity[place] = similarity;
        self.is_feasible[place] = is_feasible;
        self.count = (count + 1).min(K) as u8;
    }

    /// Below this similarity nobody is met any more; a little less than the third, for the sake of rounding.
    #[inline(always)]
    fn least(&self) -> f32 {
        self.similarity[K - 1] * (1.0 - 4.0 * f32::EPSILON)
    }

    /// `None` below three votes.
    pub(crate) fn class(&self) -> Option<usize> {
        let votes = self.is_feasible.iter().filter(|&&vote| vote).count();
        (self.count as usize == K).then_some(K - votes)
    }

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
    fn the_three_most_alike_vote() {
        let mut examples = Examples::new(10);
        examples.learn(bloom(&[1, 2]), true);
        examples.learn(bloom(&[1, 2, 3]), true);
        assert_eq!(neighbours(&examples, &bloom(&[1, 2])).class(), None, "two are too few");
        examples.learn(bloom(&[9]), false);
        assert_eq!(neighbours(&examples, &bloom(&[1, 2])).class(), Some(1));
        examples.learn(bloom(&[1, 2]), true);
        assert_eq!(neighbours(&examples, &bloom(&[1, 2])).class(), Some(0));
        assert!(neighbours(&examples, &bloom(&[1, 2])).mean() > neighbours(&examples, &bloom(&[1, 5])).mean());
        // Of equals, the latest counts.
        examples.learn(bloom(&[1, 2]), false);
        examples.learn(bloom(&[1, 2]), false);
        examples.learn(bloom(&[1, 2]), false);
        assert_eq!(neighbours(&examples, &bloom(&[1, 2])).class(), Some(3));
        assert_eq!(examples.doubt(&bloom(&[1, 2])), Some(1.0));
    }

    #[test]
    fn what_is_recalled_counts_as_if_learned_here() {
        let mut earlier = Examples::new(10);
        for is_feasible in [true, false, false, false] {
            earlier.learn(bloom(&[1, 2]), is_feasible);
        }
        let mut later = Examples::new(3);
        later.recall(&earlier.training());
        assert_eq!((later.latest.len(), later.doubt(&bloom(&[1, 2]))), (3, Some(1.0)));
    }

    #[test]
    fn what_was_compared_before_need_not_be_again() {
        let mut examples = Examples::new(6);
        let asked = bloom(&[3, 4, 5]);
        let mut so_far = Neighbours::default();
        let mut compared = 0;
        for round in 0..6_u64 {
            examples.learn(bloom(&[round, round + 1, 5]), round % 2 == 0);
            if round % 2 == 1 {
                examples.compare(&asked, asked.len(), compared, &mut so_far);
                compared = examples.learned();
            }
        }
        let whole = neighbours(&examples, &asked);
        assert_eq!((so_far.similarity, so_far.is_feasible), (whole.similarity, whole.is_feasible));
        // The oldest is forgotten.
        examples.learn(bloom(&[77]), false);
        assert_eq!(examples.latest.len(), 6);
    }
}
