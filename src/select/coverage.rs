//! What lies behind each way out of a branch. Flows in: alternatives, and attempts that count; flows out: alternatives of the way out that was tried least.

use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap};

use rustc_hash::FxHashMap;

use super::shelf::{Kept, Shelf};
use super::{OpenGoals, Selector};
use crate::expr::TermStore;
use crate::path::BranchOutcome;
use crate::tree::{Alternative, NodeId, TreeKey};

/// Entries of queues that wait for nobody are passed over until there are so many more of them than of the others.
const LEFT_OVER: usize = 1_000;
/// Longer than any prefix.
const BEHIND: u32 = 1 << 31;

/// Length of the prefix, or [`BEHIND`] and the clauses up to the way out where that is behind the alternative's own; then arrival.
type Place = (u32, u64);
/// Attempts, the first of the queue, number of the queue.
type Rank = (u64, Place, u32);

/// Those first whose way out is itself an open goal; then the way out that was tried least, since what is open lies behind it.
/// Among equals the shortest prefix, then the first found. On request, an alternative also counts for open goals that its run passed by behind it, with jumps
/// that no input decides: what a called method is asked for is decided there, and the caller's jump on its answer is the goal. Of those, the ones with
/// the fewest decisions in between.
#[derive(Debug, Default)]
pub struct CoverageFirst {
    pub(super) shelf: Shelf,
    /// By arrival.
    waiting: FxHashMap<u64, Kept>,
    queues: Vec<Queue>,
    numbers: FxHashMap<BranchOutcome, u32>,
    /// Ways out behind its own for which an alternative waits as well.
    aims: usize,
    /// The queue that the last one was taken from.
    drawn: Option<u32>,
    /// Queues in which someone waits, of ways out that were open when they were looked at last, and of the others.
    open: BTreeSet<Rank>,
    shut: BTreeSet<Rank>,
    arrivals: u64,
    /// Entries of all queues, and how many there are before those of nobody are dropped.
    entries: usize,
    most_entries: usize,
}

/// Who waits for one way out.
#[derive(Debug)]
struct Queue {
    /// Those that were taken out elsewhere stay until they are met.
    waiting: BinaryHeap<Reverse<Place>>,
    site: BranchOutcome,
    tried: u64,
    is_shut: bool,
    /// Where it stands in `open` or `shut`.
    rank: Option<Rank>,
}

impl CoverageFirst {
    /// Alternatives are also taken for so many open goals that their runs passed by behind them.
    pub(super) fn with_aims(aims: usize) -> CoverageFirst {
        CoverageFirst { aims, ..CoverageFirst::default() }
    }

    /// The answer: when it arrived, by which it can be taken out.
    pub(super) fn insert(&mut self, alternative: Alternative) -> u64 {
        let arrival = self.arrivals;
        self.arrivals += 1;
        let mut places = vec![(self.number(&alternative.site), alternative.index as u32)];
        for (aim, between) in alternative.path.untaken_outcomes_after(alternative.index, self.aims) {
            places.push((self.number(&aim), BEHIND + between));
        }
        let kept = self.shelf.keep(alternative);
        self.waiting.insert(arrival, kept);
        for (number, place) in places {
            self.queues[number as usize].waiting.push(Reverse((place, arrival)));
            self.entries += 1;
            self.rank(number);
        }
        arrival
    }

    /// Counts further attempts at a way out, and at the one for which it was drawn.
    pub(super) fn count(&mut self, site: &BranchOutcome, attempts: u64) {
        let number = self.number(site);
        for number in [Some(number), self.drawn.filter(|drawn| *drawn != number)].into_iter().flatten() {
            self.queues[number as usize].tried += attempts;
            self.rank(number);
        }
    }

    pub(super) fn is_waiting(&self, arrival: u64) -> bool {
        self.waiting.contains_key(&arrival)
    }

    /// Whether there is a next one whose way out is an open goal that was never tried.
    pub(super) fn has_new(&mut self, goals: &dyn OpenGoals) -> bool {
        self.settle(goals);
        self.open.first().is_some_and(|(tried, ..)| *tried == 0)
    }

    /// The next one, if its way out is an open goal that was never tried.
    pub(super) fn next_new(&mut self, goals: &dyn OpenGoals) -> Option<Alternative> {
        let &(_, (_, arrival), number) = self.has_new(goals).then(|| self.open.first())??;
        self.draw(arrival, number)
    }

    /// The queue in front is of those that are, and its first one waits: queues whose ways out are no goals any more go to the others.
    fn settle(&mut self, goals: &dyn OpenGoals) {
        while let Some(&(_, (_, arrival), number)) = self.open.first().or(self.shut.first()) {
            let queue = &mut self.queues[number as usize];
            if !queue.is_shut && !goals.is_open(&queue.site) {
                self.shut.extend(self.open.pop_first());
                queue.is_shut = true;
            } else if self.waiting.contains_key(&arrival) {
                break;
            } else {
                self.rank(number);
            }
        }
    }

    fn draw(&mut self, arrival: u64, number: u32) -> Option<Alternative> {
        self.drawn = Some(number);
        self.take(arrival)
    }

    /// Out of turn. `None`: it was taken before.
    pub(super) fn remove(&mut self, arrival: u64) -> Option<Alternative> {
        self.drawn = None;
        self.take(arrival)
    }

    fn take(&mut self, arrival: u64) -> Option<Alternative> {
        let kept = self.waiting.remove(&arrival)?;
        let alternative = self.shelf.take(kept)?;
        self.count(&alternative.site, 1);
        if self.entries > self.most_entries {
            self.entries = 0;
            for queue in &mut self.queues {
                queue.waiting.retain(|Reverse((_, arrival))| self.waiting.contains_key(arrival));
                queue.waiting.shrink_to(queue.waiting.len() + queue.waiting.len() / 4);
                self.entries += queue.waiting.len();
            }
            self.most_entries = self.entries + self.entries / 4 + LEFT_OVER;
        }
        Some(alternative)
    }

    fn number(&mut self, site: &BranchOutcome) -> u32 {
        if let Some(number) = self.numbers.get(site) {
            return *number;
        }
        let number = self.queues.len() as u32;
        self.queues.push(Queue { waiting: BinaryHeap::new(), site: site.clone(), tried: 0, is_shut: false, rank: None });
        self.numbers.insert(site.clone(), number);
        number
    }

    /// Puts a queue where it belongs by now.
    fn rank(&mut self, number: u32) {
        let queue = &mut self.queues[number as usize];
        let ranks = if queue.is_shut { &mut self.shut } else { &mut self.open };
        while queue.waiting.peek().is_some_and(|Reverse((_, arrival))| !self.waiting.contains_key(arrival)) {
            queue.waiting.pop();
            self.entries -= 1;
        }
        let rank = queue.waiting.peek().map(|Reverse(place)| (queue.tried, *place, number));
        if rank == queue.rank {
            return;
        }
        if let Some(before) = std::mem::replace(&mut queue.rank, rank) {
            ranks.remove(&before);
        }
        ranks.extend(rank);
    }
}

impl Selector for CoverageFirst {
    fn push(&mut self, _terms: &TermStore, alternative: Alternative) {
        self.insert(alternative);
    }

    fn next(&mut self, _terms: &TermStore, goals: &dyn OpenGoals) -> Option<Alternative> {
        self.settle(goals);
        let &(_, (_, arrival), number) = self.open.first().or(self.shut.first())?;
        self.draw(arrival, number)
    }

    fn standings(&self) -> Vec<(&TreeKey, NodeId, String)> {
        let mut all = Vec::new();
        for Queue { waiting, tried, .. } in &self.queues {
            let mut places: Vec<Place> = waiting.iter().map(|Reverse(place)| *place).collect();
            places.retain(|(prefix, arrival)| *prefix < BEHIND && self.waiting.contains_key(arrival));
            places.sort_unstable();
            for (place, (_, arrival)) in places.iter().enumerate() {
                let Some((key, node)) = self.waiting.get(arrival).and_then(|kept| self.shelf.place(*kept)) else { continue };
                let said = match (places.len(), *tried) {
                    (1, 0) => "nothing that goes this way was tried".to_owned(),
                    (1, tried) => format!("going this way counts as tried {tried} times, and what was tried less comes first"),
                    (most, tried) => {
                        format!("number {} of {most} that go this way, which counts as tried {tried} times", place + 1)
                    }
                };
                all.push((key, node, said));
            }
        }
        all
    }

    fn clear(&mut self) {
        self.shelf.clear();
        self.waiting.clear();
        self.open.clear();
        self.shut.clear();
        for queue in &mut self.queues {
            queue.waiting.clear();
            queue.rank = None;
        }
        self.entries = 0;
        self.drawn = None;
    }

    fn len(&self) -> usize {
        self.waiting.len()
    }
}
