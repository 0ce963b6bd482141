//! The weighted random order of tardis (§4.3 to §4.5): alternatives are labelled by the most
//! similar attempts, and drawn by label, unanimity and similarity. Flows in: alternatives, results
//! of attempts; flows out: one alternative at a time. Must not know how one is solved.
//!
//! An alternative is labelled when it arrives, and again after a number of attempts. It is compared
//! only with the new attempts, except those whose number of bits already bounds the similarity
//! below that of its neighbours.

use super::examples::{CLASSES, Examples, K, Neighbours};
use super::fingerprint::{Bloom, Hashes};
use super::indices::{Hits, Indices};
use super::pool::{AlternativeHandle, AlternativePool, push_tight};
use super::{AttemptOutcome, OpenGoals, Selector, Training};
use crate::expr::TermStore;
use crate::path::PathCondition;
use crate::tree::Alternative;
use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rustc_hash::FxHashMap;

/// Class of an empty place.
const EMPTY: u8 = CLASSES as u8;
/// Places of one block, whose tickets are summed.
const BLOCK: usize = 256;
/// Tickets of an alternative that equals its neighbours; others get the share of their mean
/// similarity.
const TICKETS: f32 = (1 << 20) as f32;

/// Parameters that the paper leaves open, with its values.
#[derive(Clone, Copy, Debug)]
pub struct KnnConfig {
    /// Odds of each class, in hundredths.
    pub(crate) odds: [u32; CLASSES],
    /// Attempts after which all alternatives are labelled again.
    pub(crate) threshold: usize,
    /// Number of latest attempts that are remembered.
    pub(crate) most: usize,
    /// Whether classes follow the published tardis system: by how many of three criteria favour an
    /// alternative (majority of its neighbours, open goals beside its path, novelty of its path).
    pub(crate) indices: bool,
}

impl Default for KnnConfig {
    fn default() -> KnnConfig {
        KnnConfig { odds: [50, 30, 15, 5], threshold: 5, most: 5_000, indices: false }
    }
}

#[derive(Clone, Debug, Default)]
struct Block {
    tickets: [u64; CLASSES],
    waiting: [u32; CLASSES],
}

/// Pending alternatives by place, one table for each property, so that a scan touches little
/// memory. Sums of tickets by block locate a ticket without a scan of all places.
#[derive(Debug)]
struct Lottery<T> {
    config: KnnConfig,
    rng: ChaCha8Rng,
    examples: Examples,
    /// Number of recorded examples at the last labelling.
    labelled: u64,
    blooms: Vec<Bloom>,
    lens: Vec<u16>,
    neighbours: Vec<Neighbours>,
    /// By place: number of recorded examples that the alternative was compared with.
    compared: Vec<u64>,
    classes: Vec<u8>,
    tickets: Vec<u32>,
    /// By place: how many of the two indices favour the alternative.
    merits: Vec<u8>,
    items: Vec<T>,
    blocks: Vec<Block>,
    /// Places at the front that were drawn in the order of arrival.
    taken: usize,
    /// Places before this have their merits.
    weighed: usize,
}

impl<T: Copy> Lottery<T> {
    fn new(seed: u64, config: KnnConfig) -> Lottery<T> {
        Lottery {
            config,
            rng: ChaCha8Rng::seed_from_u64(seed),
            examples: Examples::new(config.most),
            labelled: 0,
            blooms: Vec::new(),
            lens: Vec::new(),
            neighbours: Vec::new(),
            compared: Vec::new(),
            classes: Vec::new(),
            tickets: Vec::new(),
            merits: Vec::new(),
            items: Vec::new(),
            blocks: Vec::new(),
            taken: 0,
            weighed: 0,
        }
    }

    fn len(&self) -> usize {
        self.items.len() - self.taken
    }

    /// Removes all alternatives; examples stay.
    fn clear(&mut self) {
        self.blooms = Vec::new();
        self.lens = Vec::new();
        self.neighbours = Vec::new();
        self.compared = Vec::new();
        self.classes = Vec::new();
        self.tickets = Vec::new();
        self.merits = Vec::new();
        self.items = Vec::new();
        self.blocks = Vec::new();
        self.taken = 0;
        self.weighed = 0;
    }

    fn push(&mut self, bloom: Bloom, item: T) {
        let len = bloom.len();
        let mut neighbours = Neighbours::default();
        self.examples.compare(&bloom, len, 0, &mut neighbours);
        push_tight(&mut self.blooms, bloom);
        push_tight(&mut self.lens, len as u16);
        push_tight(&mut self.neighbours, neighbours);
        push_tight(&mut self.compared, self.examples.recorded());
        push_tight(&mut self.items, item);
        push_tight(&mut self.classes, EMPTY);
        push_tight(&mut self.tickets, 0);
        push_tight(&mut self.merits, 0);
        if self.blocks.len() * BLOCK < self.items.len() {
            self.blocks.push(Block::default());
        }
        self.enter(self.items.len() - 1);
    }

    /// Gives a place its class and tickets.
    fn enter(&mut self, place: usize) {
        let neighbours = &self.neighbours[place];
        let class = match neighbours.class() {
            class if self.config.indices => {
                let is_feasible = class.is_some_and(|class| class < CLASSES / 2);
                CLASSES - 1 - usize::from(self.merits[place]) - usize::from(is_feasible)
            }
            Some(class) => class,
            // Alternatives before the first three examples have no label and get the best class.
            None => 0,
        };
        // Every alternative keeps a chance.
        let tickets = ((neighbours.mean() * TICKETS) as u32).max(1);
        let block = &mut self.blocks[place / BLOCK];
        (self.classes[place], self.tickets[place]) = (class as u8, tickets);
        block.tickets[class] += u64::from(tickets);
        block.waiting[class] += 1;
    }

    fn leave(&mut self, place: usize) {
        let class = std::mem::replace(&mut self.classes[place], EMPTY) as usize;
        let block = &mut self.blocks[place / BLOCK];
        if class < CLASSES {
            block.tickets[class] -= u64::from(self.tickets[place]);
            block.waiting[class] -= 1;
        }
    }

    /// First in, first out. Must not be mixed with [`Lottery::take`], which changes the order of
    /// arrival.
    fn take_first(&mut self) -> Option<T> {
        let item = *self.items.get(self.taken)?;
        self.leave(self.taken);
        self.taken += 1;
        if self.taken > self.items.len() / 2 {
            self.close_up();
        }
        Some(item)
    }

    /// Removes the places drawn in the order of arrival.
    fn close_up(&mut self) {
        let taken = std::mem::take(&mut self.taken);
        if taken == 0 {
            return;
        }
        self.blooms.drain(..taken);
        self.lens.drain(..taken);
        self.neighbours.drain(..taken);
        self.compared.drain(..taken);
        self.classes.drain(..taken);
        self.tickets.drain(..taken);
        self.merits.drain(..taken);
        self.weighed = self.weighed.saturating_sub(taken);
        self.items.drain(..taken);
        self.sum_up();
    }

    /// Computes all classes and sums again.
    fn sum_up(&mut self) {
        self.blocks.clear();
        self.blocks.resize(self.items.len().div_ceil(BLOCK), Block::default());
        for place in self.taken..self.items.len() {
            self.enter(place);
        }
    }

    fn label_anew(&mut self) {
        let examples = &self.examples;
        for place in self.taken..self.items.len() {
            let (bloom, len) = (&self.blooms[place], u32::from(self.lens[place]));
            examples.compare(bloom, len, self.compared[place], &mut self.neighbours[place]);
            self.compared[place] = examples.recorded();
        }
        self.labelled = examples.recorded();
        self.sum_up();
    }

    fn waiting(&self) -> [u64; CLASSES] {
        std::array::from_fn(|class| self.blocks.iter().map(|block| u64::from(block.waiting[class])).sum())
    }

    fn next(&mut self) -> Option<T> {
        // An empty lottery must not draw from the random source.
        if self.len() == 0 {
            return None;
        }
        if self.examples.recorded() < K as u64 {
            return self.take_first();
        }
        if self.is_due() {
            self.close_up();
            self.label_anew();
        }
        let waiting = self.waiting();
        let class = draw_class(&mut self.rng, self.config.odds, waiting)?;
        let place = self.draw(class)?;
        Some(self.take(place))
    }

    /// Whether the next draw starts with new labels: at the third example, then at every threshold.
    fn is_due(&self) -> bool {
        let recorded = self.examples.recorded();
        recorded >= K as u64 && (self.labelled < K as u64 || recorded - self.labelled >= self.config.threshold as u64)
    }

    /// Computes merits of places without merits, or of all places before new labels.
    fn weigh(&mut self, mut merits: impl FnMut(T) -> u8) {
        let first = if self.is_due() { self.taken } else { self.weighed.max(self.taken) };
        for place in first..self.items.len() {
            self.leave(place);
            self.merits[place] = merits(self.items[place]);
            self.enter(place);
        }
        self.weighed = self.items.len();
    }

    /// The place that a random ticket of a class falls on.
    fn draw(&mut self, class: usize) -> Option<usize> {
        let all: u64 = self.blocks.iter().map(|block| block.tickets[class]).sum();
        let mut ticket = self.rng.random_range(0..all.max(1));
        let mut is_here = |tickets: u64| {
            let is_here = ticket < tickets;
            ticket = ticket.saturating_sub(if is_here { 0 } else { tickets });
            is_here
        };
        let first = BLOCK * self.blocks.iter().position(|block| is_here(block.tickets[class]))?;
        (first..self.items.len())
            .find(|&place| usize::from(self.classes[place]) == class && is_here(u64::from(self.tickets[place])))
    }

    /// Removes a place; the last alternative moves there.
    fn take(&mut self, place: usize) -> T {
        let last = self.items.len() - 1;
        self.leave(place);
        if place != last {
            self.leave(last);
        }
        self.blooms.swap_remove(place);
        self.lens.swap_remove(place);
        self.neighbours.swap_remove(place);
        self.compared.swap_remove(place);
        self.classes.swap_remove(place);
        self.tickets.swap_remove(place);
        self.merits.swap_remove(place);
        self.weighed = self.weighed.min(last);
        let item = self.items.swap_remove(place);
        if place != last {
            self.enter(place);
        }
        item
    }
}

/// The weighted random order of tardis §4.
#[derive(Debug)]
pub struct Knn {
    hashes: Hashes,
    pool: AlternativePool,
    lottery: Lottery<AlternativeHandle>,
    hits: Hits,
}

impl Knn {
    /// An empty order; `seed` determines all draws.
    pub fn new(seed: u64, config: KnnConfig) -> Knn {
        Knn {
            hashes: Hashes::default(),
            pool: AlternativePool::default(),
            lottery: Lottery::new(seed, config),
            hits: Hits::default(),
        }
    }
}

/// The class that a draw falls on. An empty class passes its odds to the next one, the last class
/// to the first.
fn draw_class(rng: &mut impl Rng, odds: [u32; CLASSES], waiting: [u64; CLASSES]) -> Option<usize> {
    let mut ticket = rng.random_range(0..odds.iter().sum::<u32>().max(1));
    let drawn = odds.iter().position(|&odds| {
        let is_here = ticket < odds;
        ticket = ticket.saturating_sub(odds);
        is_here
    });
    let first = drawn.unwrap_or(0);
    (first..first + CLASSES).map(|class| class % CLASSES).find(|&class| waiting[class] > 0)
}

impl Selector for Knn {
    fn push(&mut self, terms: &TermStore, alternative: Alternative) {
        let bloom = self.hashes.of_alternative(terms, &alternative);
        let kept = self.pool.insert(alternative);
        self.lottery.push(bloom, kept);
    }

    fn next(&mut self, _terms: &TermStore, goals: &dyn OpenGoals) -> Option<Alternative> {
        if self.lottery.config.indices {
            let (pool, hits) = (&self.pool, &self.hits);
            let mut of_run: FxHashMap<u32, Indices> = FxHashMap::default();
            self.lottery.weigh(|kept| {
                let (Some((run, path)), Some(site)) = (pool.path(kept), pool.site(kept)) else { return 0 };
                let indices = of_run.entry(run).or_insert_with(|| Indices::new(path, hits, goals));
                indices.merits(kept.index as usize, &site, hits)
            });
        }
        let kept = self.lottery.next()?;
        self.pool.take(kept)
    }

    fn record_attempt(&mut self, terms: &TermStore, alternative: &Alternative, ending: &AttemptOutcome) {
        let bloom = self.hashes.of_alternative(terms, alternative);
        self.lottery.examples.record(bloom, *ending == AttemptOutcome::Feasible);
    }

    fn record_run(&mut self, path: &PathCondition) {
        if self.lottery.config.indices {
            self.hits.record_run(path);
        }
    }

    fn load_training(&mut self, training: &Training) {
        self.lottery.examples.load_training(training);
    }

    fn training(&self) -> Training {
        self.lottery.examples.training()
    }

    fn clear(&mut self) {
        self.hashes.clear();
        self.pool.clear();
        self.lottery.clear();
    }

    fn len(&self) -> usize {
        self.lottery.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::path::BranchOutcome;
    use crate::select::tests::{PATH, alternatives, bloom};
    use proptest::prelude::*;

    #[test]
    fn classes_are_drawn_by_their_odds_and_empty_ones_pass_theirs_on() {
        let mut rng = ChaCha8Rng::seed_from_u64(7);
        let odds = KnnConfig::default().odds;
        let mut drawn = [0_u32; CLASSES];
        for _ in 0..10_000 {
            drawn[draw_class(&mut rng, odds, [1; CLASSES]).expect("none is empty")] += 1;
        }
        for (class, odds) in odds.into_iter().enumerate() {
            assert!(drawn[class].abs_diff(odds * 100) < 200, "{drawn:?}");
        }
        for _ in 0..100 {
            assert_eq!(draw_class(&mut rng, odds, [0, 3, 0, 0]), Some(1));
            assert_eq!(draw_class(&mut rng, odds, [1, 0, 0, 0]), Some(0));
        }
        assert_eq!(draw_class(&mut rng, odds, [0; CLASSES]), None);
    }

    #[test]
    fn alternatives_are_drawn_in_proportion_to_their_similarity() {
        let mut lottery = Lottery::new(3, KnnConfig::default());
        for _ in 0..K {
            lottery.examples.record(bloom(&[1, 2, 3]), true);
        }
        for (item, clauses) in [&[1_u64, 2, 3][..], &[1], &[77, 78]].into_iter().enumerate() {
            lottery.push(bloom(clauses), item);
        }
        let means: Vec<f32> = lottery.neighbours.iter().map(Neighbours::mean).collect();
        let mut drawn = [0_u32; 3];
        for _ in 0..10_000 {
            drawn[lottery.draw(0).expect("they wait")] += 1;
        }
        for (drawn, mean) in drawn.into_iter().zip(&means) {
            let expected = mean / means.iter().sum::<f32>() * 10_000.0;
            assert!((drawn as f32 - expected).abs() < 200.0, "{drawn} of {expected}");
        }
    }

    #[test]
    fn with_indices_each_criterion_counts_like_the_neighbours() {
        let mut terms = TermStore::new();
        let all = alternatives(&mut terms, PATH);
        let mut knn = Knn::new(1, KnnConfig { indices: true, ..KnnConfig::default() });
        for alternative in &all {
            knn.push(&terms, alternative.clone());
        }
        (0..2).for_each(|_| knn.record_run(&all[0].path));
        (0..K).for_each(|_| knn.record_attempt(&terms, &all[3], &AttemptOutcome::Unresolved));
        let open = |site: &BranchOutcome| site.bci == 4;
        let drawn = knn.next(&terms, &open).expect("four wait").index;
        let mut left: Vec<(u32, u8)> =
            knn.lottery.items.iter().map(|kept| kept.index).zip(knn.lottery.classes.iter().copied()).collect();
        left.sort_unstable();
        // No run is behind any of them; from the second one on, the goal lies beside the path.
        let expected = [(0, 2), (1, 1), (2, 1), (3, 1)].into_iter().filter(|(index, _)| *index as usize != drawn);
        assert_eq!(left, expected.collect::<Vec<_>>());
    }

    /// An event of a lottery.
    #[derive(Clone, Debug)]
    enum Event {
        Comes(Vec<u64>),
        Ends(Vec<u64>, bool),
        Draw,
    }

    fn events() -> impl Strategy<Value = Vec<Event>> {
        let clauses = || prop::collection::vec(0..12_u64, 0..6);
        let event = prop_oneof![
            3 => clauses().prop_map(Event::Comes),
            2 => (clauses(), any::<bool>()).prop_map(|(clauses, is_feasible)| Event::Ends(clauses, is_feasible)),
            2 => Just(Event::Draw),
        ];
        prop::collection::vec(event, 0..200)
    }

    /// A reference implementation: each alternative keeps all examples that it was compared with
    /// and sorts them each time.
    struct Plain {
        config: KnnConfig,
        rng: ChaCha8Rng,
        examples: Vec<(Bloom, bool)>,
        labelled: usize,
        open: Vec<(usize, Bloom, Vec<usize>)>,
    }

    impl Plain {
        /// Class (0 without a class) and mean similarity.
        fn label(&self, bloom: &Bloom, compared: &[usize]) -> (usize, f32) {
            let mut all: Vec<(f32, usize)> =
                compared.iter().map(|&example| (bloom.similarity(&self.examples[example].0), example)).collect();
            all.sort_by(|one, other| other.partial_cmp(one).expect("similarities are numbers"));
            all.truncate(K);
            let votes = all.iter().filter(|(_, example)| self.examples[*example].1).count();
            let mean = all.iter().map(|(similarity, _)| similarity).sum::<f32>() / K as f32;
            (if all.len() < K { 0 } else { K - votes }, mean)
        }

        fn draw(&mut self) -> Option<usize> {
            let recorded = self.examples.len();
            if self.open.is_empty() || recorded < K {
                return (!self.open.is_empty()).then(|| self.open.remove(0).0);
            }
            if self.labelled < K || recorded - self.labelled >= self.config.threshold {
                for (_, _, compared) in &mut self.open {
                    let first = compared.last().map_or(0, |last| last + 1).max(recorded.saturating_sub(self.config.most));
                    compared.extend(first..recorded);
                }
                self.labelled = recorded;
            }
            let labels: Vec<(usize, f32)> = self.open.iter().map(|(_, bloom, compared)| self.label(bloom, compared)).collect();
            let waiting = std::array::from_fn(|class| labels.iter().filter(|label| label.0 == class).count() as u64);
            let class = draw_class(&mut self.rng, self.config.odds, waiting)?;
            let tickets =
                |label: &(usize, f32)| if label.0 == class { u64::from(((label.1 * TICKETS) as u32).max(1)) } else { 0 };
            let mut ticket = self.rng.random_range(0..labels.iter().map(tickets).sum::<u64>());
            for (place, label) in labels.iter().enumerate() {
                if ticket < tickets(label) {
                    return Some(self.open.swap_remove(place).0);
                }
                ticket -= tickets(label);
            }
            None
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]
        #[test]
        fn labels_and_draws_are_those_of_the_description(events in events(), most in 3..40_usize) {
            let config = KnnConfig { most, ..KnnConfig::default() };
            let mut lottery = Lottery::new(5, config);
            let rng = ChaCha8Rng::seed_from_u64(5);
            let mut plain = Plain { config, rng, examples: Vec::new(), labelled: 0, open: Vec::new() };
            let mut arrivals = 0;
            for event in events {
                match event {
                    Event::Comes(clauses) => {
                        let bloom = bloom(&clauses);
                        lottery.push(bloom, arrivals);
                        let recorded = plain.examples.len();
                        plain.open.push((arrivals, bloom, (recorded.saturating_sub(most)..recorded).collect()));
                        arrivals += 1;
                    }
                    Event::Ends(clauses, is_feasible) => {
                        lottery.examples.record(bloom(&clauses), is_feasible);
                        plain.examples.push((bloom(&clauses), is_feasible));
                    }
                    Event::Draw => {
                        prop_assert_eq!(lottery.next(), plain.draw());
                        prop_assert_eq!(lottery.len(), plain.open.len());
                        for (place, (item, bloom, compared)) in plain.open.iter().enumerate() {
                            let place = lottery.taken + place;
                            let neighbours = &lottery.neighbours[place];
                            prop_assert_eq!(lottery.items[place], *item);
                            prop_assert_eq!((neighbours.class().unwrap_or(0), neighbours.mean()), plain.label(bloom, compared));
                            prop_assert_eq!(usize::from(lottery.classes[place]), neighbours.class().unwrap_or(0));
                        }
                        let sums: u64 = lottery.blocks.iter().flat_map(|block| block.tickets).sum();
                        prop_assert_eq!(sums, lottery.tickets[lottery.taken..].iter().map(|&tickets| u64::from(tickets)).sum::<u64>());
                    }
                }
            }
        }
    }
}
