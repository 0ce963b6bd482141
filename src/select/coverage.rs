//! An order that alternates over branch outcomes (coverage first). Flows in: alternatives, results
//! of attempts; flows out: alternatives of the outcome with the fewest attempts. Must not know how
//! an alternative is solved.
//!
//! Each branch outcome has a queue of its alternatives. Queues are ranked by the attempts at their
//! outcome and by their first entry, those of open goals before all others. A draw takes the first
//! entry of the first queue, so that no draw looks at all alternatives.

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
const MOST_STALE: usize = 1_000;
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
    pending: FxHashMap<u64, AlternativeHandle>,
    queues: Vec<Queue>,
    numbers: FxHashMap<BranchOutcome, u32>,
    /// Most later outcomes that one alternative stands for.
    most_later_goals: usize,
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
    pending: BinaryHeap<Reverse<QueuePosition>>,
    site: BranchOutcome,
    attempts: u64,
    is_shut: bool,
    /// Its entry in `open` or `shut`.
    rank: Option<Rank>,
}

impl CoverageFirst {
    /// A selector in which an alternative stands for up to `most_later_goals` open goals that its
    /// run passed later.
    pub(super) fn with_later_goals(most_later_goals: usize) -> CoverageFirst {
        CoverageFirst { most_later_goals, ..CoverageFirst::default() }
    }

    /// Inserts an alternative and returns its arrival number, by which it can be removed.
    pub(super) fn insert(&mut self, alternative: Alternative) -> u64 {
        let arrival = self.arrivals;
        self.arrivals += 1;
        let mut positions = vec![(self.queue_of(&alternative.site), alternative.index as u32)];
        for (later_goal, between) in alternative.path.untaken_outcomes_after(alternative.index, self.most_later_goals) {
            positions.push((self.queue_of(&later_goal), BEHIND + between));
        }
        let handle = self.pool.insert(alternative);
        self.pending.insert(arrival, handle);
        for (number, position) in positions {
            self.queues[number as usize].pending.push(Reverse((position, arrival)));
            self.entries += 1;
            self.update_rank(number);
        }
        arrival
    }

    /// Adds attempts to an outcome, and to the outcome for which the alternative was drawn.
    pub(super) fn add_attempts(&mut self, site: &BranchOutcome, attempts: u64) {
        let number = self.queue_of(site);
        for number in [Some(number), self.drawn.filter(|drawn| *drawn != number)].into_iter().flatten() {
            self.queues[number as usize].attempts += attempts;
            self.update_rank(number);
        }
    }

    /// Whether the alternative of this arrival is pending.
    pub(super) fn is_pending(&self, arrival: u64) -> bool {
        self.pending.contains_key(&arrival)
    }

    /// Whether the next alternative leads to an open goal that was never attempted.
    pub(super) fn has_new(&mut self, goals: &dyn OpenGoals) -> bool {
        self.close_ranked_queues(goals);
        self.open.first().is_some_and(|(attempts, ..)| *attempts == 0)
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
            } else if self.pending.contains_key(&arrival) {
                break;
            } else {
                self.update_rank(number);
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
        let handle = self.pending.remove(&arrival)?;
        let alternative = self.pool.take(handle)?;
        self.add_attempts(&alternative.site, 1);
        if self.entries > self.most_entries {
            self.entries = 0;
            for queue in &mut self.queues {
                queue.pending.retain(|Reverse((_, arrival))| self.pending.contains_key(arrival));
                queue.pending.shrink_to(queue.pending.len() + queue.pending.len() / 4);
                self.entries += queue.pending.len();
            }
            self.most_entries = self.entries + self.entries / 4 + MOST_STALE;
        }
        Some(alternative)
    }

    fn queue_of(&mut self, site: &BranchOutcome) -> u32 {
        if let Some(number) = self.numbers.get(site) {
            return *number;
        }
        let number = self.queues.len() as u32;
        self.queues.push(Queue { pending: BinaryHeap::new(), site: site.clone(), attempts: 0, is_shut: false, rank: None });
        self.numbers.insert(site.clone(), number);
        number
    }

    /// Updates the rank of a queue, after its attempts or its pending alternatives have changed.
    fn update_rank(&mut self, number: u32) {
        let queue = &mut self.queues[number as usize];
        let ranks = if queue.is_shut { &mut self.shut } else { &mut self.open };
        while queue.pending.peek().is_some_and(|Reverse((_, arrival))| !self.pending.contains_key(arrival)) {
            queue.pending.pop();
            self.entries -= 1;
        }
        let rank = queue.pending.peek().map(|Reverse(position)| (queue.attempts, *position, number));
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
        for Queue { pending, attempts, .. } in &self.queues {
            let mut positions: Vec<QueuePosition> = pending.iter().map(|Reverse(position)| *position).collect();
            positions.retain(|(prefix, arrival)| *prefix < BEHIND && self.pending.contains_key(arrival));
            positions.sort_unstable();
            for (position, (_, arrival)) in positions.iter().enumerate() {
                let Some((key, node)) = self.pending.get(arrival).and_then(|handle| self.pool.node_of(*handle)) else { continue };
                let reason = match (positions.len(), *attempts) {
                    (1, 0) => "no alternative of this branch outcome was attempted yet".to_owned(),
                    (1, attempts) => {
                        format!("this branch outcome counts as attempted {attempts} times; others with fewer attempts come first")
                    }
                    (all, attempts) => {
                        format!(
                            "number {} of {all} of this branch outcome, which counts as attempted {attempts} times",
                            position + 1
                        )
                    }
                };
                all.push((key, node, reason));
            }
        }
        all
    }

    fn clear(&mut self) {
        self.pool.clear();
        self.pending.clear();
        self.open.clear();
        self.shut.clear();
        for queue in &mut self.queues {
            queue.pending.clear();
            queue.rank = None;
        }
        self.entries = 0;
        self.drawn = None;
    }

    fn len(&self) -> usize {
        self.pending.len()
    }
}
