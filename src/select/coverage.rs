//! An order that alternates over branch outcomes (coverage first). Flows in: alternatives, results
//! of attempts; flows out: alternatives of the outcome with the fewest attempts. Must not know how
//! an alternative is solved.

use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap};

use rustc_hash::FxHashMap;

use super::pool::{AlternativeHandle, AlternativePool};
use super::{OpenGoals, Selector};
use crate::expr::TermStore;
use crate::path::BranchOutcome;
use crate::tree::{Alternative, NodeId, TreeKey};

/// Stale queue entries that are tolerated beyond the number of pending ones, before all are
/// removed.
const LEFT_OVER: usize = 1_000;
/// Longer than any prefix.
const BEHIND: u32 = 1 << 31;

/// Length of the prefix, then arrival. For an outcome that the run passed later, the length is
/// [`BEHIND`] plus the number of clauses in between.
type QueuePosition = (u32, u64);
/// Attempts, the first entry of the queue, number of the queue.
type Rank = (u64, QueuePosition, u32);

/// Outcomes that are open goals come first, then the outcomes with the fewest attempts, since open
/// goals lie behind them. Among equals, the shortest prefix comes first, then the first arrival.
///
/// On request, an alternative also stands for open goals that its run passed later at jumps without
/// inputs. Such a jump often tests the result of a call, which the decisions inside the callee
/// determine. Alternatives with the fewest decisions in between come first.
#[derive(Debug, Default)]
pub struct CoverageFirst {
    pub(super) pool: AlternativePool,
    /// By arrival.
    waiting: FxHashMap<u64, AlternativeHandle>,
    queues: Vec<Queue>,
    numbers: FxHashMap<BranchOutcome, u32>,
    /// Number of later outcomes for which an alternative stands as well.
    aims: usize,
    /// The queue of the last drawn alternative.
    drawn: Option<u32>,
    /// Ranks of queues with pending alternatives: of outcomes that were open when last examined,
    /// and of the others.
    open: BTreeSet<Rank>,
    shut: BTreeSet<Rank>,
    arrivals: u64,
    /// Entries of all queues, and the number at which stale entries are removed.
    entries: usize,
    most_entries: usize,
}

/// Alternatives of one branch outcome.
#[derive(Debug)]
struct Queue {
    /// Alternatives drawn through another queue stay here until they come first.
    waiting: BinaryHeap<Reverse<QueuePosition>>,
    site: BranchOutcome,
    tried: u64,
    is_shut: bool,
    /// Its entry in `open` or `shut`.
    rank: Option<Rank>,
}

impl CoverageFirst {
    /// A selector in which an alternative stands for up to `aims` open goals that its run passed
    /// later.
    pub(super) fn with_aims(aims: usize) -> CoverageFirst {
        CoverageFirst { aims, ..CoverageFirst::default() }
    }

    /// Inserts an alternative and returns its arrival number, by which it can be removed.
    pub(super) fn insert(&mut self, alternative: Alternative) -> u64 {
        let arrival = self.arrivals;
        self.arrivals += 1;
        let mut places = vec![(self.number(&alternative.site), alternative.index as u32)];
        for (aim, between) in alternative.path.untaken_outcomes_after(alternative.index, self.aims) {
            places.push((self.number(&aim), BEHIND + between));
        }
        let kept = self.pool.insert(alternative);
        self.waiting.insert(arrival, kept);
        for (number, place) in places {
            self.queues[number as usize].waiting.push(Reverse((place, arrival)));
            self.entries += 1;
            self.rank(number);
        }
        arrival
    }

    /// Adds attempts to an outcome, and to the outcome for which the alternative was drawn.
    pub(super) fn count(&mut self, site: &BranchOutcome, attempts: u64) {
        let number = self.number(site);
        for number in [Some(number), self.drawn.filter(|drawn| *drawn != number)].into_iter().flatten() {
            self.queues[number as usize].tried += attempts;
            self.rank(number);
        }
    }

    /// Whether the alternative of this arrival is pending.
    pub(super) fn is_waiting(&self, arrival: u64) -> bool {
        self.waiting.contains_key(&arrival)
    }

    /// Whether the next alternative leads to an open goal that was never attempted.
    pub(super) fn has_new(&mut self, goals: &dyn OpenGoals) -> bool {
        self.close_ranked_queues(goals);
        self.open.first().is_some_and(|(tried, ..)| *tried == 0)
    }

    /// Removes and returns the next alternative, if it leads to an open goal that was never
    /// attempted.
    pub(super) fn next_new(&mut self, goals: &dyn OpenGoals) -> Option<Alternative> {
        let &(_, (_, arrival), number) = self.has_new(goals).then(|| self.open.first())??;
        self.draw(arrival, number)
    }

    /// Moves queues of closed goals to `shut` and drops stale first entries, until the first queue
    /// is up to date.
    fn close_ranked_queues(&mut self, goals: &dyn OpenGoals) {
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

    /// Removes the alternative of an arrival; `None` when it was removed before.
    pub(super) fn remove(&mut self, arrival: u64) -> Option<Alternative> {
        self.drawn = None;
        self.take(arrival)
    }

    fn take(&mut self, arrival: u64) -> Option<Alternative> {
        let kept = self.waiting.remove(&arrival)?;
        let alternative = self.pool.take(kept)?;
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

    /// Updates the rank of a queue.
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
        self.close_ranked_queues(goals);
        let &(_, (_, arrival), number) = self.open.first().or(self.shut.first())?;
        self.draw(arrival, number)
    }

    fn explain_pending(&self) -> Vec<(&TreeKey, NodeId, String)> {
        let mut all = Vec::new();
        for Queue { waiting, tried, .. } in &self.queues {
            let mut places: Vec<QueuePosition> = waiting.iter().map(|Reverse(place)| *place).collect();
            places.retain(|(prefix, arrival)| *prefix < BEHIND && self.waiting.contains_key(arrival));
            places.sort_unstable();
            for (place, (_, arrival)) in places.iter().enumerate() {
                let Some((key, node)) = self.waiting.get(arrival).and_then(|kept| self.pool.node_of(*kept)) else { continue };
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
        self.pool.clear();
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
