//! What lies behind each way out of a branch. Flows in: alternatives, and attempts that count; flows out: alternatives of the way out that was tried least.

use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap};

use rustc_hash::FxHashMap;

use super::shelf::{Kept, Shelf};
use super::{OpenGoals, Selector};
use crate::expr::TermStore;
use crate::path::BranchSite;
use crate::tree::{Alternative, NodeId, TreeKey};

/// Entries of queues that wait for nobody are passed over until there are so many more of them than of the others.
const LEFT_OVER: usize = 1_000;

/// Length of the prefix, then arrival.
type Place = (u32, u64);
/// Attempts, the first of the queue, number of the queue.
type Rank = (u64, Place, u32);

/// Those first whose way out is itself an open goal; then the way out that was tried least, since what is open lies behind it.
/// Among equals the shortest prefix, then the first found.
#[derive(Debug, Default)]
pub struct CoverageFirst {
    pub(super) shelf: Shelf,
    /// By arrival.
    waiting: FxHashMap<u64, Kept>,
    queues: Vec<Queue>,
    numbers: FxHashMap<BranchSite, u32>,
    /// Queues in which someone waits, of ways out that were open when they were looked at last, and of the others.
    open: BTreeSet<Rank>,
    shut: BTreeSet<Rank>,
    arrivals: u64,
    /// Entries of all queues.
    entries: usize,
}

/// Who waits for one way out.
#[derive(Debug, Default)]
struct Queue {
    /// Those that were taken out elsewhere stay until they are met.
    waiting: BinaryHeap<Reverse<Place>>,
    tried: u64,
    is_shut: bool,
    /// Where it stands in `open` or `shut`.
    rank: Option<Rank>,
}

impl CoverageFirst {
    /// The answer: when it arrived, by which it can be taken out.
    pub(super) fn insert(&mut self, alternative: Alternative) -> u64 {
        let arrival = self.arrivals;
        self.arrivals += 1;
        let number = self.number(&alternative.site);
        let kept = self.shelf.keep(alternative);
        self.waiting.insert(arrival, kept);
        self.queues[number as usize].waiting.push(Reverse((kept.index, arrival)));
        self.entries += 1;
        self.rank(number);
        arrival
    }

    /// Counts further attempts at a way out.
    pub(super) fn count(&mut self, site: &BranchSite, attempts: u64) {
        let number = self.number(site);
        self.queues[number as usize].tried += attempts;
        self.rank(number);
    }

    pub(super) fn is_waiting(&self, arrival: u64) -> bool {
        self.waiting.contains_key(&arrival)
    }

    /// `None`: it was taken before.
    pub(super) fn remove(&mut self, arrival: u64) -> Option<Alternative> {
        let kept = self.waiting.remove(&arrival)?;
        let alternative = self.shelf.take(kept)?;
        self.count(&alternative.site, 1);
        if self.entries > 2 * self.waiting.len() + LEFT_OVER {
            self.entries = 0;
            for queue in &mut self.queues {
                queue.waiting.retain(|Reverse((_, arrival))| self.waiting.contains_key(arrival));
                queue.waiting.shrink_to(2 * queue.waiting.len());
                self.entries += queue.waiting.len();
            }
        }
        Some(alternative)
    }

    fn number(&mut self, site: &BranchSite) -> u32 {
        if let Some(number) = self.numbers.get(site) {
            return *number;
        }
        let number = self.queues.len() as u32;
        self.queues.push(Queue::default());
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

    /// Whether the way out of a queue is no goal any more; once is for ever.
    fn is_shut(&self, number: u32, goals: &dyn OpenGoals) -> bool {
        let queue = &self.queues[number as usize];
        let alternative = queue.waiting.peek().and_then(|Reverse((_, arrival))| self.waiting.get(arrival));
        alternative.and_then(|kept| self.shelf.site(*kept)).is_none_or(|site| !goals.is_open(&site))
    }
}

impl Selector for CoverageFirst {
    fn push(&mut self, _terms: &TermStore, alternative: Alternative) {
        self.insert(alternative);
    }

    fn next(&mut self, _terms: &TermStore, goals: &dyn OpenGoals) -> Option<Alternative> {
        while let Some(&(_, (_, arrival), number)) = self.open.first() {
            if !self.is_shut(number, goals) {
                return self.remove(arrival);
            }
            self.shut.extend(self.open.pop_first());
            self.queues[number as usize].is_shut = true;
        }
        let &(_, (_, arrival), _) = self.shut.first()?;
        self.remove(arrival)
    }

    fn standings(&self) -> Vec<(&TreeKey, NodeId, String)> {
        let mut all = Vec::new();
        for Queue { waiting, tried, .. } in &self.queues {
            let mut places: Vec<Place> = waiting.iter().map(|Reverse(place)| *place).collect();
            places.retain(|(_, arrival)| self.waiting.contains_key(arrival));
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
    }

    fn len(&self) -> usize {
        self.waiting.len()
    }
}
