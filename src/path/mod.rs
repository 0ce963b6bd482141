//! Path conditions: what must hold of a test's inputs for its run to go the way it went. Flows in: clauses, in run order, from the
//! replay; flows out: the value that tree, slice and selection share, and its text form. Must not know the interpreter or the solver.

pub(crate) mod text;

use std::collections::BTreeSet;
use std::fmt;

use crate::expr::{Input, TermId, TermStore};
use crate::program::MethodRef;

/// One way out of one branching instruction.
///
/// `outcome` counts as the search slots do: 0 not taken and 1 taken for a jump; the distinct keys in class-file order and then the
/// default for a switch; for an implicit check 0 when it passed and 1 when it threw.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BranchOutcome {
    pub method: MethodRef,
    pub bci: u32,
    pub outcome: u32,
}

impl BranchOutcome {
    /// The same instruction, left another way.
    pub fn with_outcome(&self, outcome: u32) -> BranchOutcome {
        BranchOutcome { method: self.method.clone(), bci: self.bci, outcome }
    }

    /// Whether both are ways out of one instruction.
    pub(crate) fn same_instruction(&self, other: &BranchOutcome) -> bool {
        self.bci == other.bci && self.method == other.method
    }
}

impl fmt::Display for BranchOutcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} @{} ={}", self.method, self.bci, self.outcome)
    }
}

/// What kind of instruction asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum ClauseKind {
    Jump,
    Switch,
    Null,
    Bounds,
    DivZero,
    Cast,
    NegSize,
    Store,
    /// Inside a modelled library method (`String.equals`, ...): the outcome is that of the model.
    Model,
}

impl ClauseKind {
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

/// One decision of the run that the inputs had a say in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Clause {
    /// Boolean, true of this run's inputs.
    pub term: TermId,
    pub site: BranchOutcome,
    pub(crate) kind: ClauseKind,
    /// The statement of the test case that was running.
    pub statement: u32,
    /// The other ways out of the instruction: outcome and what would have to hold instead of `term`.
    pub others: Vec<(u32, TermId)>,
}

/// A jump that no input decides itself; one of the decisions before it may have, as what a called method was asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConcreteBranch {
    /// Number of the clauses before it.
    pub clauses_before: u32,
    /// The way that the run took.
    pub site: BranchOutcome,
}

/// The decisions of one run, in run order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PathCondition {
    pub clauses: Vec<Clause>,
    /// In run order, those after the first clause; the first ones behind each clause.
    pub concrete_branches: Vec<ConcreteBranch>,
    /// Hash over every branch outcome of the run in order, the concrete ones included: two runs with one signature took one path.
    pub signature: u64,
    /// Branches behind `signature`.
    pub(crate) branches: u64,
    /// Clauses that were not kept because the run's bound was reached.
    pub(crate) dropped: u64,
    /// Number of clauses before the first value that was concretised: those and the next decision are exact, later ones hold of this run
    /// but may foretell other runs wrongly. `None`: nothing was concretised.
    pub inexact_from: Option<usize>,
}

impl PathCondition {
    /// Notes one branch outcome, symbolic or not. FNV-1a over site and outcome: stable between runs and platforms.
    #[inline]
    pub(crate) fn record_outcome(&mut self, site: u32, outcome: u32) {
        let mut hash = if self.branches == 0 { 0xcbf2_9ce4_8422_2325 } else { self.signature };
        hash = (hash ^ u64::from(site)).wrapping_mul(0x0000_0100_0000_01b3);
        hash = (hash ^ u64::from(outcome)).wrapping_mul(0x0000_0100_0000_01b3);
        self.signature = hash;
        self.branches += 1;
    }

    /// Whether one more jump behind the last clause is kept.
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

    /// Notes a jump that no input decides.
    pub(crate) fn push_concrete_branch(&mut self, site: BranchOutcome) {
        self.concrete_branches.push(ConcreteBranch { clauses_before: self.clauses.len() as u32, site });
    }

    /// The other ways out of jumps behind the clause at a position, distinct, the nearest first, each with the number of clauses between.
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

    /// Notes that a value lost its term here.
    pub(crate) fn mark_inexact(&mut self) {
        self.inexact_from.get_or_insert(self.clauses.len());
    }

    /// Whether the clause at a position, and those before it, say all that decided the run up to there.
    pub fn is_exact(&self, index: usize) -> bool {
        self.dropped == 0 && self.inexact_from.is_none_or(|from| index < from)
    }

    /// The inputs that the clauses speak of, in order.
    pub(crate) fn inputs(&self, terms: &TermStore) -> BTreeSet<Input> {
        self.clauses.iter().flat_map(|clause| terms.symbols_of(clause.term).iter().copied()).collect()
    }

    /// Whether the path takes `site` after its first `from` clauses.
    pub(crate) fn takes(&self, site: &BranchOutcome, from: usize) -> bool {
        self.clauses.iter().skip(from).any(|clause| clause.site == *site)
    }
}
