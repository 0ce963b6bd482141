//! The lottery of tardis (§4.3 to §4.5): alternatives are labelled by the attempts most like them, and drawn by label, unanimity and similarity.
//! Flows in: alternatives, and how attempts ended; flows out: one alternative at a time. Must not know how one is solved.
//!
//! Labels are looked up when an alternative comes, and again when enough attempts have ended since: each alternative is compared with the new ones alone,
//! and with those not whose number of bits already says that they are less alike than the neighbours there are.

use super::fingerprint::{Bloom, Hashes, jaccard};
use super::{Ending, OpenGoals, Selector};
use crate::expr::TermStore;
use crate::tree::Alternative;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::collections::VecDeque;

/// Neighbours that vote.
const K: usize = 3;
/// Labels: feasible unanimously, feasible, infeasible, infeasible unanimously.
const CLASSES: usize = 4;

/// What the paper leaves to configuration, with its values.
#[derive(Clone, Copy, Debug)]
pub struct KnnConfig {
    /// Of a draw, for each class, in hundredths.
    pub odds: [u32; CLASSES],
    /// Attempts that end before all alternatives are labelled anew.
    pub threshold: usize,
    /// Attempts that are remembered, the latest.
    pub most: usize,
}

impl Default for KnnConfig {
    fn default() -> KnnConfig {
        KnnConfig { odds: [50, 30, 15, 5], threshold: 5, most: 5_000 }
    }
}

/// An attempt that has ended.
#[derive(Clone, Copy, Debug)]
struct Example {
    bloom: Bloom,
    len: u32,
    is_feasible: bool,
}

/// How attempts ended, the latest of them.
#[derive(Debug)]
pub struct Examples {
    latest: VecDeque<Example>,
    most: usize,
    /// Examples there have ever been.
    learned: u64,
}

impl Examples {
    pub fn new(most: usize) -> Examples {
        Examples { latest: VecDeque::new(), most, learned: 0 }
    }

    pub fn learn(&mut self, bloom: Bloom, is_feasible: bool) {
        if self.latest.len() == self.most {
            self.latest.pop_front();
        }
        self.latest.push_back(Example { bloom, len: bloom.len(), is_feasible });
        self.learned += 1;
    }

    /// Compares a fingerprint with the examples since the `compared` first.
    fn compare(&self, bloom: &Bloom, len: u32, compared: u64, neighbours: &mut Neighbours) {
        let new = (self.learned - compared).min(self.latest.len() as u64) as usize;
        for example in self.latest.range(self.latest.len() - new..) {
            let (less, more) = (len.min(example.len), len.max(example.len));
            // As alike as they can be by their sizes.
            if neighbours.count as usize == K && jaccard(less, less, more) < neighbours.similarity[K - 1] {
                continue;
            }
            let common = bloom.common(&example.bloom);
            neighbours.meet(jaccard(common, len, example.len), example.is_feasible);
        }
    }

    /// Mean similarity to the nearest examples where all of these were in vain.
    pub fn doubt(&self, bloom: &Bloom) -> Option<f32> {
        let mut neighbours = Neighbours::default();
        self.compare(bloom, bloom.len(), 0, &mut neighbours);
        (neighbours.class() == Some(CLASSES - 1)).then(|| neighbours.mean())
    }
}

/// The most alike examples of one alternative, the most alike first.
#[derive(Clone, Copy, Debug, Default)]
struct Neighbours {
    similarity: [f32; K],
    is_feasible: [bool; K],
    count: u8,
}

impl Neighbours {
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

    /// `None` below three votes.
    fn class(&self) -> Option<usize> {
        let votes = self.is_feasible.iter().filter(|&&vote| vote).count();
        (self.count as usize == K).then_some(K - votes)
    }

    fn mean(&self) -> f32 {
        self.similarity.iter().sum::<f32>() / K as f32
    }
}

/// An alternative that waits.
#[derive(Debug)]
struct Open {
    bloom: Bloom,
    len: u32,
    neighbours: Neighbours,
    /// Examples that it was compared with, of all there have ever been.
    compared: u64,
    alternative: Alternative,
}

#[derive(Debug)]
pub struct Knn {
    config: KnnConfig,
    rng: ChaCha8Rng,
    hashes: Hashes,
    examples: Examples,
    /// Examples there had been when everything was labelled last.
    labelled: u64,
    open: Vec<Open>,
}

impl Knn {
    pub fn new(seed: u64, config: KnnConfig) -> Knn {
        Knn {
            config,
            rng: ChaCha8Rng::seed_from_u64(seed),
            hashes: Hashes::default(),
            examples: Examples::new(config.most),
            labelled: 0,
            open: Vec::new(),
        }
    }

    fn label_anew(&mut self) {
        if self.examples.learned - self.labelled < self.config.threshold as u64 {
            return;
        }
        for open in &mut self.open {
            self.examples.compare(&open.bloom, open.len, open.compared, &mut open.neighbours);
            open.compared = self.examples.learned;
        }
        self.labelled = self.examples.learned;
    }

    /// The class that a draw falls on; an empty one hands its odds to the next, the last to the first.
    fn draw_class(&mut self, sizes: [usize; CLASSES]) -> Option<usize> {
        let mut ticket = self.rng.random_range(0..self.config.odds.iter().sum::<u32>().max(1));
        let drawn = self.config.odds.iter().position(|&odds| {
            let is_here = ticket < odds;
            ticket = ticket.saturating_sub(odds);
            is_here
        });
        let first = drawn.unwrap_or(0);
        (first..first + CLASSES).map(|class| class % CLASSES).find(|&class| sizes[class] > 0)
    }

    fn draw(&mut self) -> Option<usize> {
        let mut sizes = [0; CLASSES];
        let mut weights = [0.0; CLASSES];
        for open in &self.open {
            // Not labelled: it came before there were three examples, and is as good as any.
            let class = open.neighbours.class().unwrap_or(0);
            sizes[class] += 1;
            weights[class] += f64::from(open.neighbours.mean());
        }
        let class = self.draw_class(sizes)?;
        let members = || self.open.iter().enumerate().filter(move |(_, open)| open.neighbours.class().unwrap_or(0) == class);
        if weights[class] <= 0.0 {
            let place = self.rng.random_range(0..sizes[class]);
            return members().nth(place).map(|(place, _)| place);
        }
        let mut ticket = self.rng.random_range(0.0..weights[class]);
        let drawn = members().find(|(_, open)| {
            ticket -= f64::from(open.neighbours.mean());
            ticket < 0.0
        });
        drawn.or_else(|| members().next_back()).map(|(place, _)| place)
    }
}

impl Selector for Knn {
    fn push(&mut self, terms: &TermStore, alternative: Alternative) {
        let bloom = self.hashes.of_alternative(terms, &alternative);
        let (len, compared) = (bloom.len(), self.examples.learned);
        let mut neighbours = Neighbours::default();
        self.examples.compare(&bloom, len, 0, &mut neighbours);
        self.open.push(Open { bloom, len, neighbours, compared, alternative });
    }

    fn next(&mut self, _terms: &TermStore, _goals: &dyn OpenGoals) -> Option<Alternative> {
        if self.open.is_empty() {
            return None;
        }
        // First found, first tried, until there are enough labels.
        if self.examples.learned < K as u64 {
            return Some(self.open.remove(0).alternative);
        }
        self.label_anew();
        let place = self.draw()?;
        Some(self.open.swap_remove(place).alternative)
    }

    fn learn(&mut self, terms: &TermStore, alternative: &Alternative, ending: &Ending) {
        let bloom = self.hashes.of_alternative(terms, alternative);
        self.examples.learn(bloom, *ending == Ending::Feasible);
    }

    fn clear(&mut self) {
        self.hashes.clear();
        self.open.clear();
    }

    fn len(&self) -> usize {
        self.open.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::select::ClauseHash;

    fn bloom(clauses: &[u64]) -> Bloom {
        let mut bloom = Bloom::default();
        for &clause in clauses {
            let shape = clause.wrapping_mul(0x9e37_79b9_7f4a_7c15);
            bloom.add(ClauseHash { shape, whole: shape.rotate_left(31) });
        }
        bloom
    }

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
    fn what_was_compared_before_need_not_be_again() {
        let mut examples = Examples::new(6);
        let asked = bloom(&[3, 4, 5]);
        let mut so_far = Neighbours::default();
        let mut compared = 0;
        for round in 0..6_u64 {
            examples.learn(bloom(&[round, round + 1, 5]), round % 2 == 0);
            if round % 2 == 1 {
                examples.compare(&asked, asked.len(), compared, &mut so_far);
                compared = examples.learned;
            }
        }
        let whole = neighbours(&examples, &asked);
        assert_eq!((so_far.similarity, so_far.is_feasible), (whole.similarity, whole.is_feasible));
        // The oldest is forgotten.
        examples.learn(bloom(&[77]), false);
        assert_eq!(examples.latest.len(), 6);
    }

    #[test]
    fn classes_are_drawn_by_their_odds_and_empty_ones_hand_on() {
        let mut knn = Knn::new(7, KnnConfig::default());
        let mut drawn = [0_u32; CLASSES];
        for _ in 0..10_000 {
            drawn[knn.draw_class([1; CLASSES]).expect("none is empty")] += 1;
        }
        for (class, odds) in KnnConfig::default().odds.into_iter().enumerate() {
            assert!(drawn[class].abs_diff(odds * 100) < 200, "{drawn:?}");
        }
        for _ in 0..100 {
            assert_eq!(knn.draw_class([0, 3, 0, 0]), Some(1));
        }
        assert_eq!(knn.draw_class([0; CLASSES]), None);
    }
}
