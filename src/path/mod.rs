//! Path conditions: the constraints on a test's inputs under which its run takes its path. Flows
//! in: clauses in run order, from the replay; flows out: the value that tree, slice and selection
//! share, and its text form. Must not know the interpreter or the solver. `wanted` says how far a run
//! follows a path that somebody asks for.

pub(crate) mod text;
mod wanted;

use crate::expr::TermId;
pub use crate::program::BranchOutcome;
pub(crate) use wanted::{FixedDecision, FollowedPath, PathGuide, StepKind, WantedPath, WatchedStep};

/// The kind of decision that a clause describes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum ClauseKind {
    /// Conditional jump.
    Jump,
    /// `tableswitch`, `lookupswitch`.
    Switch,
    /// Null check.
    Null,
    /// Bounds check of an array, string or builder; overflow check of exact arithmetic.
    Bounds,
    /// Check for division by zero.
    DivZero,
    /// `checkcast`, `instanceof`.
    Cast,
    /// Check for a negative array size.
    NegSize,
    /// Class check of `aastore`.
    Store,
    /// A decision inside a modelled library method, such as `String.equals`; its outcomes are those
    /// of the model.
    Model,
}

impl ClauseKind {
    /// Every kind, in the order of the variants.
    pub(crate) const ALL: [ClauseKind; 9] = [
        ClauseKind::Jump,
        ClauseKind::Switch,
        ClauseKind::Null,
        ClauseKind::Bounds,
        ClauseKind::DivZero,
        ClauseKind::Cast,
        ClauseKind::NegSize,
        ClauseKind::Store,
        ClauseKind::Model,
    ];

    /// The word in the text form.
    pub(crate) fn name(self) -> &'static str {
        match self {
            ClauseKind::Jump => "jump",
            ClauseKind::Switch => "switch",
            ClauseKind::Null => "null",
            ClauseKind::Bounds => "bounds",
            ClauseKind::DivZero => "div-zero",
            ClauseKind::Cast => "cast",
            ClauseKind::NegSize => "neg-size",
            ClauseKind::Store => "store",
            ClauseKind::Model => "model",
        }
    }
}

/// One decision of the run that depends on inputs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Clause {
    /// A boolean term that holds for the inputs of this run.
    pub term: TermId,
    /// The outcome that the run took.
    pub site: BranchOutcome,
    /// What kind of decision it is.
    pub(crate) kind: ClauseKind,
    /// Index of the statement of the test case that was executed.
    pub statement: u32,
    /// The other outcomes of the instruction, each with the term that would have to hold instead of
    /// `term`.
    pub others: Vec<(u32, TermId)>,
}

/// A jump whose condition has no term. An earlier decision may still determine it, for instance one
/// inside a called method.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConcreteBranch {
    /// Number of clauses before the jump.
    pub clauses_before: u32,
    /// The outcome that the run took.
    pub site: BranchOutcome,
}

/// The decisions of one run, in run order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PathCondition {
    /// Decisions that depend on inputs, in run order.
    pub clauses: Vec<Clause>,
    /// Jumps without a term, in run order. The path keeps those after the first clause, and at most
    /// sixteen after each clause.
    pub concrete_branches: Vec<ConcreteBranch>,
    /// Hash over all branch outcomes of the run in order, including concrete ones. Runs with equal
    /// signatures took the same path.
    pub signature: u64,
    /// Number of branch outcomes in `signature`.
    pub(crate) branches: u64,
    /// Number of clauses that exceeded the limit of the replay and were dropped.
    pub(crate) dropped: u64,
    /// Number of clauses before the first concretised value. These clauses and the next decision
    /// are exact; later ones hold for this run, but may predict other runs wrongly. `None`: no
    /// value was concretised.
    pub inexact_from: Option<usize>,
    /// What calls of the watched method did, in run order; empty where none is watched.
    pub(crate) watched: Vec<WatchedStep>,
}

impl PathCondition {
    /// Adds one branch outcome to the signature, whether symbolic or not. The hash is FNV-1a over
    /// site and outcome, which is stable between runs and platforms.
    #[inline]
    pub(crate) fn record_outcome(&mut self, site: u32, outcome: u32) {
        let mut hash = if self.branches == 0 { 0xcbf2_9ce4_8422_2325 } else { self.signature };
        hash = (hash ^ u64::from(site)).wrapping_mul(0x0000_0100_0000_01b3);
        hash = (hash ^ u64::from(outcome)).wrapping_mul(0x0000_0100_0000_01b3);
        self.signature = hash;
        self.branches += 1;
    }

    /// Whether the path keeps one more concrete branch after its last clause.
    #[inline]
    pub(crate) fn has_room_for_concrete_branch(&self) -> bool {
        const MOST: usize = 16;
        let behind = self.clauses.len() as u32;
        behind > 0
            && self
                .concrete_branches
                .len()
                .checked_sub(MOST)
                .is_none_or(|first| self.concrete_branches[first].clauses_before < behind)
    }

    /// Appends a jump whose condition has no term.
    pub(crate) fn push_concrete_branch(&mut self, site: BranchOutcome) {
        self.concrete_branches.push(ConcreteBranch { clauses_before: self.clauses.len() as u32, site });
    }

    /// The untaken outcomes of concrete branches after the clause at `index`, distinct, nearest
    /// first, at most `most`. Each comes with the number of clauses between.
    pub(crate) fn untaken_outcomes_after(&self, index: usize, most: usize) -> Vec<(BranchOutcome, u32)> {
        let first = self.concrete_branches.partition_point(|passed| passed.clauses_before as usize <= index);
        let mut all: Vec<(BranchOutcome, u32)> = Vec::new();
        for ConcreteBranch { site, clauses_before } in &self.concrete_branches[first..] {
            if all.len() == most {
                break;
            }
            let other = site.with_outcome(1 - site.outcome);
            if all.iter().all(|(one, _)| *one != other) {
                all.push((other, clauses_before - index as u32 - 1));
            }
        }
        all
    }

    /// Marks the path as inexact from here on, because a value lost its term.
    pub(crate) fn mark_inexact(&mut self) {
        self.inexact_from.get_or_insert(self.clauses.len());
    }

    /// Whether the clause at `index` and those before it state everything that decided the run up
    /// to there.
    pub fn is_exact(&self, index: usize) -> bool {
        self.dropped == 0 && self.inexact_from.is_none_or(|from| index < from)
    }
}
