//! The default order. First come open goals that were never attempted: the branch outcome of an
//! alternative itself, then outcomes that its run passed just behind it. Then two orders alternate:
//! coverage first ([`CoverageFirst`]), and the last decisions of the runs that come nearest to an
//! open goal (fitness-guided path exploration: Xie, Tillmann, de Halleux, Schulte, DSN 2009).
//!
//! Failed attempts count several times at their branch outcome. An alternative whose nearest
//! examples all failed (tardis §4.3) is postponed; one that contains a known contradiction is not
//! attempted. Flows in: alternatives and results; flows out: one alternative at a time. Must not
//! know how one is solved.

use super::examples::Examples;
use super::fingerprint::Hashes;
use super::pool::AlternativeHandle;
use super::{AttemptOutcome, CoverageFirst, OpenGoals, Selector, Training};
use crate::expr::{TermId, TermStore};
use crate::tree::{Alternative, NodeId, TreeKey};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap, VecDeque};

/// Attempts that a failed attempt counts for at its branch outcome.
const IN_VAIN: u64 = 3;
/// One of so many draws is of the postponed alternatives.
const LATE: u64 = 8;
/// Least mean similarity (0 to 1) to failed neighbours at which an alternative is postponed.
const DOUBTFUL: f32 = 0.5;
/// Open goals behind its own outcome for which an alternative stands.
const AIMS: usize = 6;
/// Attempts that are remembered.
const EXAMPLES: usize = 1_000;
/// Cores that are remembered for one clause.
const CORES: usize = 64;
/// Stale entries that are tolerated beyond twice the number of pending ones.
const LEFT_OVER: usize = 1_000;

#[derive(Debug)]
pub struct Guided {
    broad: CoverageFirst,
    /// By the hash of a run's test case: its alternatives, deepest first. Alternatives drawn by
    /// `broad` stay here until they come first.
    runs: BTreeMap<u64, BinaryHeap<(u32, Reverse<u64>)>>,
    /// Entries of all `runs`.
    entries: usize,
    /// The runs that come nearest to an open goal, nearest first.
    near: Vec<u64>,
    /// Draws by run; runs with fewer draws come first.
    drawn: BTreeMap<u64, u32>,
    draws: u64,
    hashes: Hashes,
    examples: Examples,
    late: VecDeque<AlternativeHandle>,
    /// By the last clause of a core: its other clauses.
    cores: BTreeMap<TermId, Vec<Vec<TermId>>>,
}

impl Default for Guided {
    fn default() -> Guided {
        Guided {
            broad: CoverageFirst::with_aims(AIMS),
            runs: BTreeMap::new(),
            entries: 0,
            near: Vec::new(),
            drawn: BTreeMap::new(),
            draws: 0,
            hashes: Hashes::default(),
            examples: Examples::new(EXAMPLES),
            late: VecDeque::new(),
            cores: BTreeMap::new(),
        }
    }
}

impl Guided {
    fn take_near(&mut self) -> Option<Alternative> {
        let mut candidates: Vec<u64> = self.near.iter().copied().filter(|run| self.runs.contains_key(run)).collect();
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

    fn take_late(&mut self) -> Option<Alternative> {
        let kept = self.late.pop_front()?;
        self.broad.pool.take(kept)
    }

    /// Removes stale entries, where they are many.
    fn tidy(&mut self) {
        if self.entries <= 2 * self.broad.len() + LEFT_OVER {
            return;
        }
        self.entries = 0;
        self.runs.retain(|_, waiting| {
            waiting.retain(|(_, Reverse(arrival))| self.broad.is_waiting(*arrival));
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
        self.tidy();
        if self.draws.is_multiple_of(LATE)
            && let Some(late) = self.take_late()
        {
            return Some(late);
        }
        loop {
            let new = self.broad.next_new(goals);
            let near = new.or_else(|| if self.draws % 2 == 1 { self.take_near() } else { None });
            let Some(drawn) = near.or_else(|| self.broad.next(terms, goals)) else { return self.take_late() };
            let bloom = self.hashes.of_alternative(terms, &drawn);
            if self.examples.doubt(&bloom).is_none_or(|similarity| similarity < DOUBTFUL) {
                return Some(drawn);
            }
            let late = self.broad.pool.insert(drawn);
            self.late.push_back(late);
        }
    }

    fn is_promising(&mut self, goals: &dyn OpenGoals) -> bool {
        self.broad.has_new(goals)
    }

    fn record_attempt(&mut self, terms: &TermStore, alternative: &Alternative, ending: &AttemptOutcome) {
        let bloom = self.hashes.of_alternative(terms, alternative);
        self.examples.record(bloom, *ending == AttemptOutcome::Feasible);
        if *ending != AttemptOutcome::Feasible {
            self.broad.count(&alternative.site, IN_VAIN - 1);
        }
        if let AttemptOutcome::Infeasible { core } = ending
            && core.contains(&alternative.negated)
        {
            let cores = self.cores.entry(alternative.negated).or_default();
            if cores.len() < CORES {
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

    fn set_nearest_runs(&mut self, runs: &[u64]) {
        self.near = runs.to_vec();
    }

    fn explain_pending(&self) -> Vec<(&TreeKey, NodeId, String)> {
        let late = self.late.iter().filter_map(|late| {
            let (key, node) = self.broad.pool.node_of(*late)?;
            Some((key, node, "put off, since the attempts most like it were in vain".to_owned()))
        });
        self.broad.explain_pending().into_iter().chain(late).collect()
    }

    fn clear(&mut self) {
        // Fingerprints are the same in any term store, so examples stay; cores consist of term ids
        // and go.
        let examples = std::mem::replace(&mut self.examples, Examples::new(0));
        *self = Guided { examples, ..Guided::default() };
    }

    fn len(&self) -> usize {
        self.broad.len() + self.late.len()
    }
}
