//! The default order: open goals first, then coverage in turn with the nearest runs.
//!
//! Flows in: alternatives and results of attempts; flows out: one alternative at a time. Must not
//! know how one is solved.
//!
//! The algorithm has four rules:
//!
//! 1. *New goals first.* An alternative leads to its own branch outcome. It also stands for open
//!    goals that its run passed just behind it, at jumps without inputs
//!    ([`PathCondition::passed`](crate::path::PathCondition)). Such a jump often tests the result of
//!    a call, and the decisions inside the callee determine that result. Open goals that were never
//!    attempted come first, own outcomes before passed ones.
//! 2. *Two orders alternate.* The first is coverage first ([`CoverageFirst`]): the outcome with the
//!    fewest attempts. The second takes the deepest decisions of the runs that come nearest to an
//!    open goal (Fitnex). The search sets these runs.
//! 3. *Failures cost.* A failed attempt counts several times at its branch outcome. An alternative
//!    whose three nearest examples all failed (tardis §4.3) is postponed. One draw of eight is of the
//!    postponed alternatives, so that none waits for ever.
//! 4. *Known contradictions are not attempted.* If all clauses of an unsat core are clauses of the
//!    alternative, the alternative is infeasible ([`Selector::known_contradiction`]).
//!
//! Goals are only closed, never reopened. The orders rely on it.

use super::examples::Examples;
use super::fingerprint::Hashes;
use super::pool::AlternativeHandle;
use super::{AttemptOutcome, CoverageFirst, OpenGoals, Selector, Training};
use crate::expr::{TermId, TermStore};
use crate::testcase::TestHash;
use crate::tree::{Alternative, NodeId, TreeKey};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap, VecDeque};

/// Attempts that a failed attempt counts for at its branch outcome.
const FAILED_ATTEMPT_WEIGHT: u64 = 3;
/// One of so many draws is of the postponed alternatives.
const POSTPONED_RATIO: u64 = 8;
/// Least mean similarity (0 to 1) to failed neighbours at which an alternative is postponed.
const POSTPONING_SIMILARITY: f32 = 0.5;
/// Open goals behind its own outcome for which an alternative stands.
const MOST_LATER_GOALS: usize = 6;
/// Attempts that are remembered.
const MOST_EXAMPLES: usize = 1_000;
/// Cores that are remembered for one clause.
const MOST_CORES: usize = 64;
/// Stale entries that are tolerated beyond twice the number of pending ones.
const MOST_STALE: usize = 1_000;

/// The selector that the engine uses.
#[derive(Debug)]
pub struct Guided {
    /// Holds the pending alternatives that are not postponed.
    broad: CoverageFirst,
    /// By the hash of a run's test case: its alternatives, deepest first. Alternatives drawn by
    /// `broad` stay here until they come first.
    runs: BTreeMap<TestHash, BinaryHeap<(u32, Reverse<u64>)>>,
    /// Entries of all `runs`.
    entries: usize,
    /// The runs that come nearest to an open goal, nearest first.
    near: Vec<TestHash>,
    /// Draws by run; runs with fewer draws come first.
    drawn: BTreeMap<TestHash, u32>,
    /// Number of calls of [`Selector::next`].
    draws: u64,
    hashes: Hashes,
    /// The latest attempts, by fingerprint.
    examples: Examples,
    /// Postponed alternatives, the first postponed first; the pool of `broad` holds them.
    postponed: VecDeque<AlternativeHandle>,
    /// By the last clause of a core: its other clauses.
    cores: BTreeMap<TermId, Vec<Vec<TermId>>>,
}

impl Default for Guided {
    fn default() -> Guided {
        Guided {
            broad: CoverageFirst::with_later_goals(MOST_LATER_GOALS),
            runs: BTreeMap::new(),
            entries: 0,
            near: Vec::new(),
            drawn: BTreeMap::new(),
            draws: 0,
            hashes: Hashes::default(),
            examples: Examples::new(MOST_EXAMPLES),
            postponed: VecDeque::new(),
            cores: BTreeMap::new(),
        }
    }
}

impl Guided {
    /// Removes and returns the deepest alternative of the nearest run with the fewest draws.
    fn next_of_nearest_runs(&mut self) -> Option<Alternative> {
        let mut candidates: Vec<TestHash> = self.near.iter().copied().filter(|run| self.runs.contains_key(run)).collect();
        candidates.sort_by_key(|run| self.drawn.get(run).copied().unwrap_or(0));
        for run in candidates {
            let Some(waiting) = self.runs.get_mut(&run) else { continue };
            while let Some((_, Reverse(arrival))) = waiting.pop() {
                self.entries -= 1;
                if let Some(alternative) = self.broad.remove(arrival) {
                    *self.drawn.entry(run).or_default() += 1;
                    return Some(alternative);
                }
            }
            self.runs.remove(&run);
        }
        None
    }

    /// Removes and returns the alternative that was postponed first.
    fn next_postponed(&mut self) -> Option<Alternative> {
        let handle = self.postponed.pop_front()?;
        self.broad.pool.take(handle)
    }

    /// Removes stale entries of `runs`, if there are many.
    fn remove_stale_entries(&mut self) {
        if self.entries <= 2 * self.broad.len() + MOST_STALE {
            return;
        }
        self.entries = 0;
        self.runs.retain(|_, waiting| {
            waiting.retain(|(_, Reverse(arrival))| self.broad.is_pending(*arrival));
            waiting.shrink_to(2 * waiting.len());
            self.entries += waiting.len();
            !waiting.is_empty()
        });
    }
}

impl Selector for Guided {
    fn push(&mut self, _terms: &TermStore, alternative: Alternative) {
        let (run, index) = (alternative.run, alternative.index as u32);
        let arrival = self.broad.insert(alternative);
        self.runs.entry(run).or_default().push((index, Reverse(arrival)));
        self.entries += 1;
    }

    fn next(&mut self, terms: &TermStore, goals: &dyn OpenGoals) -> Option<Alternative> {
        self.draws += 1;
        self.remove_stale_entries();
        if self.draws.is_multiple_of(POSTPONED_RATIO)
            && let Some(postponed) = self.next_postponed()
        {
            return Some(postponed);
        }
        loop {
            let new = self.broad.next_new(goals);
            let near = new.or_else(|| if self.draws % 2 == 1 { self.next_of_nearest_runs() } else { None });
            let Some(drawn) = near.or_else(|| self.broad.next(terms, goals)) else { return self.next_postponed() };
            let bloom = self.hashes.of_alternative(terms, &drawn);
            if self.examples.similarity_to_failed(&bloom).is_none_or(|similarity| similarity < POSTPONING_SIMILARITY) {
                return Some(drawn);
            }
            let handle = self.broad.pool.insert(drawn);
            self.postponed.push_back(handle);
        }
    }

    fn is_promising(&mut self, goals: &dyn OpenGoals) -> bool {
        self.broad.has_new(goals)
    }

    fn record_attempt(&mut self, terms: &TermStore, alternative: &Alternative, ending: &AttemptOutcome) {
        let bloom = self.hashes.of_alternative(terms, alternative);
        self.examples.record(bloom, *ending == AttemptOutcome::Feasible);
        if *ending != AttemptOutcome::Feasible {
            self.broad.add_attempts(&alternative.site, FAILED_ATTEMPT_WEIGHT - 1);
        }
        if let AttemptOutcome::Infeasible { core } = ending
            && core.contains(&alternative.negated)
        {
            let cores = self.cores.entry(alternative.negated).or_default();
            if cores.len() < MOST_CORES {
                cores.push(core.iter().copied().filter(|clause| *clause != alternative.negated).collect());
            }
        }
    }

    fn known_contradiction(&self, alternative: &Alternative) -> Option<Vec<TermId>> {
        let cores = self.cores.get(&alternative.negated)?;
        let before: BTreeSet<TermId> = alternative.path.clauses[..alternative.index].iter().map(|clause| clause.term).collect();
        let core = cores.iter().find(|core| core.iter().all(|clause| before.contains(clause)))?;
        Some(core.iter().copied().chain([alternative.negated]).collect())
    }

    fn load_training(&mut self, training: &Training) {
        self.examples.load_training(training);
    }

    fn training(&self) -> Training {
        self.examples.training()
    }

    fn set_nearest_runs(&mut self, runs: &[TestHash]) {
        self.near = runs.to_vec();
    }

    fn explain_pending(&self) -> Vec<(&TreeKey, NodeId, String)> {
        let postponed = self.postponed.iter().filter_map(|handle| {
            let (key, node) = self.broad.pool.node_of(*handle)?;
            Some((key, node, "postponed, since the most similar attempts failed".to_owned()))
        });
        self.broad.explain_pending().into_iter().chain(postponed).collect()
    }

    fn clear(&mut self) {
        // Fingerprints are the same in any term store, so examples stay; cores consist of term ids
        // and go.
        let examples = std::mem::replace(&mut self.examples, Examples::new(0));
        *self = Guided { examples, ..Guided::default() };
    }

    fn len(&self) -> usize {
        self.broad.len() + self.postponed.len()
    }
}
