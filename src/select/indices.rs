//! Two indices of the tardis system that its paper does not describe (`JBSEResultInputOutputBuffer`
//! in its repository): *improvability*, the number of open goals beside the path of an alternative,
//! and *novelty*, the number of runs on its least known part. Flows in: paths of runs, open goals;
//! flows out: how many of the two favour an alternative. Must not know which one is drawn.

use super::OpenGoals;
use crate::path::{BranchOutcome, PathCondition};
use rustc_hash::{FxHashMap, FxHashSet};

/// Largest value of either index.
const MOST: u32 = 10;
/// An alternative is novel when fewer runs than this took its least known outcome.
const NEW: u32 = 2;

/// Runs by the branch outcomes they took.
#[derive(Debug, Default)]
pub(crate) struct Hits {
    runs: FxHashMap<BranchOutcome, u32>,
}

impl Hits {
    /// Counts the run at each outcome of its path, once.
    pub(crate) fn record_run(&mut self, path: &PathCondition) {
        let sites: FxHashSet<&BranchOutcome> = path.clauses.iter().map(|clause| &clause.site).collect();
        for site in sites {
            match self.runs.get_mut(site) {
                Some(runs) => *runs += 1,
                None => {
                    self.runs.insert(site.clone(), 1);
                }
            }
        }
    }

    fn of(&self, site: &BranchOutcome) -> u32 {
        self.runs.get(site).copied().unwrap_or(0)
    }
}

/// The indices of all alternatives of one path.
#[derive(Debug)]
pub(crate) struct Indices {
    /// By clause: open outcomes of it and of the clauses before, and runs on the least known
    /// outcome before.
    of_clause: Vec<(u32, u32)>,
}

impl Indices {
    /// Computes the indices in one pass over the path.
    pub(crate) fn new(path: &PathCondition, hits: &Hits, goals: &dyn OpenGoals) -> Indices {
        let mut seen = FxHashSet::default();
        let (mut open, mut least) = (0, MOST);
        let mut of_clause = Vec::with_capacity(path.clauses.len());
        for clause in &path.clauses {
            for (outcome, _) in &clause.others {
                let site = clause.site.with_outcome(*outcome);
                if open < MOST && !seen.contains(&site) {
                    open += u32::from(goals.is_open(&site));
                    seen.insert(site);
                }
            }
            of_clause.push((open, least));
            least = least.min(hits.of(&clause.site));
        }
        Indices { of_clause }
    }

    /// Improvability (larger is better) and novelty (smaller is better) of the alternative at a
    /// clause.
    pub(crate) fn of(&self, clause: usize, site: &BranchOutcome, hits: &Hits) -> (u32, u32) {
        let (open, least) = self.of_clause.get(clause).copied().unwrap_or((0, MOST));
        (open, least.min(hits.of(site)))
    }

    /// How many of the two indices favour the alternative, from 0 to 2.
    pub(crate) fn merits(&self, clause: usize, site: &BranchOutcome, hits: &Hits) -> u8 {
        let (improvability, novelty) = self.of(clause, site, hits);
        u8::from(improvability > 0) + u8::from(novelty < NEW)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expr::TermStore;
    use crate::select::tests::PATH;

    #[test]
    fn open_goals_beside_the_path_and_rare_outcomes_favour_an_alternative() {
        let mut terms = TermStore::new();
        let path = PathCondition::parse(PATH, &mut terms).expect("well-formed");
        let mut hits = Hits::default();
        let site = |index: usize| path.clauses[index].site.with_outcome(path.clauses[index].others[0].0);
        // The second and the third clause have the same branch outcome.
        let open = |site: &BranchOutcome| site.bci == 4;
        let indices = Indices::new(&path, &hits, &open);
        let improvability: Vec<u32> = (0..4).map(|index| indices.of(index, &site(index), &hits).0).collect();
        assert_eq!(improvability, [0, 1, 1, 1]);
        assert_eq!(indices.of(0, &site(0), &hits).1, 0, "nobody went there");
        // Three runs took the outcome of the first alternative; two runs took those before the
        // others.
        let mut short = path.clone();
        short.clauses.truncate(1);
        short.clauses[0].site = site(0);
        (0..3).for_each(|_| hits.record_run(&short));
        (0..2).for_each(|_| hits.record_run(&path));
        let indices = Indices::new(&path, &hits, &open);
        assert_eq!(indices.of(0, &site(0), &hits), (0, 3));
        assert_eq!(indices.of(1, &path.clauses[1].site, &hits), (1, 2));
        assert_eq!(indices.merits(0, &site(0), &hits), 0);
        assert_eq!(indices.merits(1, &path.clauses[1].site, &hits), 1);
        assert_eq!(indices.merits(1, &site(1), &hits), 2);
    }
}
