//! The order that Tracewright uses. First the open goals that were never tried: those that are the way out of an alternative, and those that its run passed
//! by just behind it. Then two orders in turn: what lies behind each way out ([`CoverageFirst`]), and what the runs that come nearest to an open
//! goal decide last (fitness-guided path exploration: Xie, Tillmann, de Halleux, Schulte, DSN 2009). A way out that attempts did not get to waits longer;
//! an alternative whose nearest examples were all in vain (tardis §4.3) waits until little else is left; one that has a known contradiction in it is not
//! tried at all.

use super::examples::Examples;
use super::fingerprint::Hashes;
use super::shelf::Kept;
use super::{CoverageFirst, Ending, OpenGoals, Selector, Training};
use crate::expr::{TermId, TermStore};
use crate::tree::{Alternative, NodeId, TreeKey};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap, VecDeque};

/// Attempts that one in vain counts for at its way out.
const IN_VAIN: u64 = 3;
/// One of so many draws is of those that wait.
const LATE: u64 = 8;
/// Similarity from which on neighbours in vain are reason enough to wait.
const DOUBTFUL: f32 = 0.5;
/// Open goals behind its own way out for which an alternative is taken.
const AIMS: usize = 6;
/// Attempts that are remembered.
const EXAMPLES: usize = 1_000;
/// Contradictions that are remembered for one clause.
const CORES: usize = 64;
/// Entries of alternatives that were given out are passed over until there are so many more of them than of the others.
const LEFT_OVER: usize = 1_000;

#[derive(Debug)]
pub struct Guided {
    broad: CoverageFirst,
    /// Alternatives of each run (by the hash of its test case), the deepest first. Those that `broad` gave out already stay here until they are met.
    runs: BTreeMap<u64, BinaryHeap<(u32, Reverse<u64>)>>,
    /// Entries of all `runs`.
    entries: usize,
    /// The runs that come nearest to an open goal, the nearest first.
    near: Vec<u64>,
    /// How often a run was drawn: whoever was drawn less comes first, however near.
    drawn: BTreeMap<u64, u32>,
    draws: u64,
    hashes: Hashes,
    examples: Examples,
    late: VecDeque<Kept>,
    /// The other clauses of contradictions, by the last.
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
        self.broad.shelf.take(kept)
    }

    /// Drops the entries of what was given out, where they are many.
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
            let late = self.broad.shelf.keep(drawn);
            self.late.push_back(late);
        }
    }

    fn is_promising(&mut self, goals: &dyn OpenGoals) -> bool {
        self.broad.has_new(goals)
    }

    fn learn(&mut self, terms: &TermStore, alternative: &Alternative, ending: &Ending) {
        let bloom = self.hashes.of_alternative(terms, alternative);
        self.examples.learn(bloom, *ending == Ending::Feasible);
        if *ending != Ending::Feasible {
            self.broad.count(&alternative.site, IN_VAIN - 1);
        }
        if let Ending::Infeasible { core } = ending
            && core.contains(&alternative.negated)
        {
            let cores = self.cores.entry(alternative.negated).or_default();
            if cores.len() < CORES {
                cores.push(core.iter().copied().filter(|clause| *clause != alternative.negated).collect());
            }
        }
    }

    fn refuted(&self, alternative: &Alternative) -> Option<Vec<TermId>> {
        let cores = self.cores.get(&alternative.negated)?;
        let before: BTreeSet<TermId> = alternative.path.clauses[..alternative.index].iter().map(|clause| clause.term).collect();
        let core = cores.iter().find(|core| core.iter().all(|clause| before.contains(clause)))?;
        Some(core.iter().copied().chain([alternative.negated]).collect())
    }

    fn recall(&mut self, training: &Training) {
        self.examples.recall(training);
    }

    fn training(&self) -> Training {
        self.examples.training()
    }

    fn approach(&mut self, runs: &[u64]) {
        self.near = runs.to_vec();
    }

    fn standings(&self) -> Vec<(&TreeKey, NodeId, String)> {
        let late = self.late.iter().filter_map(|late| {
            let (key, node) = self.broad.shelf.place(*late)?;
            Some((key, node, "put off, since the attempts most like it were in vain".to_owned()))
        });
        self.broad.standings().into_iter().chain(late).collect()
    }

    fn clear(&mut self) {
        // What was learned stays: fingerprints mean the same in any store. Clauses do not.
        let examples = std::mem::replace(&mut self.examples, Examples::new(0));
        *self = Guided { examples, ..Guided::default() };
    }

    fn len(&self) -> usize {
        self.broad.len() + self.late.len()
    }
}
