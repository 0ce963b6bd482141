//! The constraint tree (jtestcraft §3.3): every path of one test skeleton through one method under
//! test, once. Flows in: path conditions of runs, verdicts of the solver; flows out: alternatives,
//! and a text form from which a later session continues. Must not know how alternatives are solved,
//! nor where the text is stored.

mod text;

pub(crate) use text::head;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::Arc;

use crate::expr::TermId;
use crate::path::{BranchOutcome, Clause, ClauseKind, PathCondition};
use crate::program::MethodRef;
use crate::testcase::{Literal, StatementKind, TestCase, TestHash};

/// A test case without the values of its literals, and the method under test. Runs of one key have
/// the same inputs.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TreeKey {
    skeleton: Arc<str>,
    pub(crate) method: MethodRef,
}

impl TreeKey {
    /// The skeleton as the text form of a test case.
    pub(crate) fn skeleton(&self) -> &str {
        &self.skeleton
    }

    /// Takes numbers, characters, booleans and strings out of the test case; the rest is the
    /// skeleton.
    pub fn of(test: &TestCase, method: &MethodRef) -> TreeKey {
        let mut skeleton = TestCase { statements: test.statements.clone() };
        for statement in &mut skeleton.statements {
            if let StatementKind::Literal(literal) = &mut statement.kind {
                match literal {
                    Literal::Null | Literal::Class(_) => {}
                    Literal::Boolean(value) => *value = false,
                    Literal::Byte(value) => *value = 0,
                    Literal::Char(value) => *value = 0,
                    Literal::Short(value) => *value = 0,
                    Literal::Int(value) => *value = 0,
                    Literal::Long(value) => *value = 0,
                    Literal::Float(value) => *value = 0,
                    Literal::Double(value) => *value = 0,
                    Literal::Str(value) => value.clear(),
                }
            }
        }
        TreeKey { skeleton: skeleton.to_string().into(), method: method.clone() }
    }
}

impl fmt::Debug for TreeKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}\n{}", self.method, self.skeleton)
    }
}

/// Number of a node within one tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(pub u32);

/// Number of a run within one tree. Only runs with alternatives have one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct RunId(pub(crate) u32);

/// What is known behind an edge.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum TreeNode {
    /// A run passed here; the edges are the decisions that follow.
    Computation(Vec<TreeEdge>),
    /// No run came here. The run that this is an alternative to; `None` for the root before any
    /// run.
    Unexplored(Option<RunId>),
    /// A run ended here.
    Terminal,
    /// The solver proved that no input leads here. The core: clauses that contradict each other.
    Infeasible { core: Vec<TermId> },
    /// An attempt ended without a proof or a model; the reason in one line.
    TimedOut { reason: Arc<str> },
}

/// A decision that leads from one node to the next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TreeEdge {
    pub(crate) site: BranchOutcome,
    pub(crate) kind: ClauseKind,
    pub(crate) term: TermId,
    pub(crate) child: NodeId,
}

/// Limits of one tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TreeLimits {
    /// Nodes of one tree at most; alternatives beyond are only counted.
    pub(crate) nodes: usize,
    /// New alternatives that one run may add for one outcome of one instruction, since loops repeat
    /// their decisions.
    pub(crate) per_site: usize,
}

impl Default for TreeLimits {
    fn default() -> TreeLimits {
        TreeLimits { nodes: 200_000, per_site: 8 }
    }
}

/// Numbers of alternatives that a limit excluded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Dropped {
    /// One run had too many alternatives for one branch outcome.
    pub(crate) often: u64,
    /// The tree had no room for the node.
    pub(crate) full: u64,
    /// Runs of which the tree had no room for the rest of the path.
    pub(crate) cut: u64,
}

/// Numbers over all sessions of a tree.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct TreeStats {
    pub(crate) paths: u64,
    /// Runs whose path was in the tree already.
    pub(crate) repeated: u64,
    pub(crate) infeasible: u64,
    pub(crate) timed_out: u64,
    /// Unexplored nodes.
    pub(crate) frontier: u64,
    pub(crate) dropped: Dropped,
    /// Runs through a node that was proved infeasible. Either the proof is wrong, or the run does
    /// not depend on its inputs alone.
    pub(crate) contradicted: u64,
}

/// A branch outcome that a run did not take: the clauses before one decision hold, and the decision
/// falls otherwise.
#[derive(Clone, Debug)]
pub struct Alternative {
    /// The tree.
    pub key: TreeKey,
    /// The unexplored node of the tree.
    pub node: NodeId,
    /// Path of the run that the alternative leaves.
    pub path: Arc<PathCondition>,
    /// Index of the clause at which the alternative leaves it.
    pub index: usize,
    /// The wanted branch outcome.
    pub site: BranchOutcome,
    /// The term that must hold at that clause.
    pub negated: TermId,
    /// Test case of the run.
    pub origin: Arc<TestCase>,
    /// The identity of that test case.
    pub run: TestHash,
}

impl Alternative {
    /// The clause at which the alternative leaves its run.
    pub(crate) fn clause(&self) -> &Clause {
        &self.path.clauses[self.index]
    }

    /// The clauses before the decision, then the wanted decision.
    pub(crate) fn terms(&self) -> Vec<TermId> {
        let mut terms: Vec<TermId> = self.path.clauses[..self.index].iter().map(|clause| clause.term).collect();
        terms.push(self.negated);
        terms
    }

    /// Whether a run of a test case made from a model took the predicted path: the branch outcomes
    /// of all clauses up to the decision are those of this alternative's run, and the decision has
    /// the wanted outcome. Terms are not compared: another value may build other terms for the same
    /// outcomes, and the wanted decision is reached all the same.
    pub(crate) fn predicted(&self, run: &PathCondition) -> bool {
        let Some(decision) = run.clauses.get(self.index) else { return false };
        let same_prefix =
            self.path.clauses[..self.index].iter().zip(&run.clauses).all(|(expected, found)| expected.site == found.site);
        same_prefix && decision.site == self.site
    }

    /// The same alternative in another replay of its run. The decision has the same site and as many earlier clauses
    /// of that site. Other clauses about lengths of strings may stand between them.
    pub(crate) fn again_in(&self, path: PathCondition) -> Option<Alternative> {
        let decision = self.clause();
        let before = &self.path.clauses[..self.index];
        let earlier = before.iter().filter(|clause| clause.site == decision.site).count();
        let mut same_site = path.clauses.iter().enumerate().filter(|(_, clause)| clause.site == decision.site);
        let (index, clause) = same_site.nth(earlier)?;
        let (_, negated) = clause.others.iter().find(|(outcome, _)| *outcome == self.site.outcome)?;
        let negated = *negated;
        Some(Alternative { index, negated, path: Arc::new(path), ..self.clone() })
    }
}

/// Result of an attempt that closes a node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// The solver proved that no input leads there; the core contradicts itself.
    Infeasible { core: Vec<TermId> },
    /// The attempt ended without a proof or a model.
    TimedOut { reason: Arc<str> },
}

/// The tree of one key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ConstraintTree {
    key: TreeKey,
    limits: TreeLimits,
    nodes: Vec<TreeNode>,
    /// Test cases of runs that left alternatives.
    runs: BTreeMap<RunId, Arc<TestCase>>,
    /// Unexplored nodes of an earlier session; each becomes an alternative again once a run passes
    /// it.
    resting: BTreeSet<NodeId>,
    stats: TreeStats,
}

impl ConstraintTree {
    /// A tree before any run.
    pub(crate) fn new(key: TreeKey, limits: TreeLimits) -> ConstraintTree {
        ConstraintTree {
            key,
            limits,
            nodes: vec![TreeNode::Unexplored(None)],
            runs: BTreeMap::new(),
            resting: BTreeSet::new(),
            stats: TreeStats::default(),
        }
    }

    /// The skeleton and method that the tree belongs to.
    pub(crate) fn key(&self) -> &TreeKey {
        &self.key
    }

    /// Whether no run decided anything by its inputs.
    pub(crate) fn is_trivial(&self) -> bool {
        self.nodes.len() <= 1
    }

    /// The methods of all decisions in the tree.
    pub(crate) fn methods(&self) -> BTreeSet<&MethodRef> {
        let edges = self.nodes.iter().flat_map(|node| match node {
            TreeNode::Computation(edges) => edges.as_slice(),
            _ => &[],
        });
        edges.map(|edge| &edge.site.method).collect()
    }

    /// Numbers over all sessions, with the present number of unexplored nodes.
    pub(crate) fn stats(&self) -> TreeStats {
        let frontier = self.nodes.iter().filter(|node| matches!(node, TreeNode::Unexplored(_))).count() as u64;
        TreeStats { frontier: if self.stats.paths == 0 { 0 } else { frontier }, ..self.stats }
    }

    /// The number of paths where each is known: nothing waits, timed out, or was left out by a limit. `None` otherwise.
    pub(crate) fn explored_paths(&self) -> Option<u64> {
        let is_open = |node: &TreeNode| matches!(node, TreeNode::Unexplored(_) | TreeNode::TimedOut { .. });
        let has_limits = self.stats.dropped != Dropped::default() || self.stats.contradicted > 0;
        let is_explored = self.stats.paths > 0 && !has_limits && !self.nodes.iter().any(is_open);
        let ends = self.nodes.iter().filter(|node| matches!(node, TreeNode::Terminal)).count() as u64;
        is_explored.then_some(ends)
    }

    /// The state of a node. Panics when the id comes from another tree.
    pub(crate) fn node(&self, id: NodeId) -> &TreeNode {
        &self.nodes[id.0 as usize]
    }

    /// Whether the node is unexplored.
    pub(crate) fn is_open(&self, id: NodeId) -> bool {
        matches!(self.nodes.get(id.0 as usize), Some(TreeNode::Unexplored(_)))
    }

    /// Test case of a run; `None` when it left no unexplored alternatives.
    pub(crate) fn origin_of_run(&self, run: RunId) -> Option<&Arc<TestCase>> {
        self.runs.get(&run)
    }

    /// Enters the path of a run and returns the new alternatives in run order. Alternatives of an
    /// earlier session are new once.
    pub(crate) fn insert(&mut self, path: &Arc<PathCondition>, origin: &Arc<TestCase>) -> Vec<Alternative> {
        let mut alternatives = Vec::new();
        let run = origin.canonical_hash();
        let number = RunId(self.runs.last_key_value().map_or(0, |(last, _)| last.0 + 1));
        let mut added: BTreeMap<&BranchOutcome, usize> = BTreeMap::new();
        let mut at = NodeId(0);
        let mut new = self.stats.paths == 0;
        let mut has_room = true;
        self.stats.paths += 1;
        for (index, clause) in path.clauses.iter().enumerate() {
            let Some((next, fresh)) = self.follow(at, clause) else {
                self.stats.dropped.cut += 1;
                has_room = false;
                break;
            };
            new |= fresh;
            for (outcome, negated) in &clause.others {
                let known = self.find(at, &clause.site, *outcome, *negated);
                if known.is_some_and(|node| !self.resting.contains(&node) || !self.is_open(node)) {
                    continue;
                }
                let count = added.entry(&clause.site).or_default();
                if *count >= self.limits.per_site {
                    self.stats.dropped.often += 1;
                    continue;
                }
                if known.is_none() && self.nodes.len() >= self.limits.nodes {
                    self.stats.dropped.full += 1;
                    continue;
                }
                *count += 1;
                let site = clause.site.with_outcome(*outcome);
                let node = known.unwrap_or_else(|| self.add_edge(at, site.clone(), clause.kind, *negated));
                self.resting.remove(&node);
                self.nodes[node.0 as usize] = TreeNode::Unexplored(Some(number));
                alternatives.push(Alternative {
                    key: self.key.clone(),
                    node,
                    path: path.clone(),
                    index,
                    site,
                    negated: *negated,
                    origin: origin.clone(),
                    run,
                });
            }
            at = next;
        }
        if !alternatives.is_empty() {
            self.runs.insert(number, origin.clone());
        }
        if !has_room {
            return alternatives;
        }
        // A truncated path may end within another run's path: the node stays a computation.
        if !matches!(self.nodes[at.0 as usize], TreeNode::Computation(_)) {
            self.nodes[at.0 as usize] = TreeNode::Terminal;
        }
        if !new {
            self.stats.repeated += 1;
        }
        alternatives
    }

    /// Stores a verdict at an unexplored or timed-out node; other nodes keep their state.
    pub(crate) fn store_verdict(&mut self, node: NodeId, verdict: Verdict) {
        if !self.is_open(node) && !matches!(self.nodes.get(node.0 as usize), Some(TreeNode::TimedOut { .. })) {
            return;
        }
        let place = &mut self.nodes[node.0 as usize];
        match verdict {
            Verdict::Infeasible { core } => {
                *place = TreeNode::Infeasible { core };
                self.stats.infeasible += 1;
            }
            Verdict::TimedOut { reason } => {
                // The text form has one line for each node.
                let reason = reason.replace(|c: char| c.is_control(), " ");
                *place = TreeNode::TimedOut { reason: reason.trim().into() };
                self.stats.timed_out += 1;
            }
        }
    }

    /// The node behind a decision of a run, and whether no run was there before; added where it is
    /// missing. `None`: the tree is full.
    fn follow(&mut self, at: NodeId, clause: &Clause) -> Option<(NodeId, bool)> {
        let child = match self.find(at, &clause.site, clause.site.outcome, clause.term) {
            Some(child) => child,
            None if self.nodes.len() >= self.limits.nodes => return None,
            None => self.add_edge(at, clause.site.clone(), clause.kind, clause.term),
        };
        let fresh = match &self.nodes[child.0 as usize] {
            TreeNode::Computation(_) | TreeNode::Terminal => false,
            TreeNode::Infeasible { .. } => {
                self.stats.contradicted += 1;
                true
            }
            TreeNode::Unexplored(_) | TreeNode::TimedOut { .. } => true,
        };
        Some((child, fresh))
    }

    fn find(&self, at: NodeId, site: &BranchOutcome, outcome: u32, term: TermId) -> Option<NodeId> {
        let TreeNode::Computation(edges) = &self.nodes[at.0 as usize] else { return None };
        edges
            .iter()
            .find(|edge| edge.term == term && edge.site.outcome == outcome && edge.site.same_instruction(site))
            .map(|edge| edge.child)
    }

    fn add_edge(&mut self, at: NodeId, site: BranchOutcome, kind: ClauseKind, term: TermId) -> NodeId {
        let child = NodeId(self.nodes.len() as u32);
        self.nodes.push(TreeNode::Unexplored(None));
        let edge = TreeEdge { site, kind, term, child };
        match &mut self.nodes[at.0 as usize] {
            TreeNode::Computation(edges) => edges.push(edge),
            place => *place = TreeNode::Computation(vec![edge]),
        }
        child
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expr::TermStore;
    use crate::program::ClassName;

    #[test]
    fn a_decision_is_found_again_behind_other_clauses() {
        let mut terms = TermStore::new();
        let mut path = |text: &str| PathCondition::parse(text, &mut terms).expect("well-formed");
        let narrow = "path 0 0 0
jump 0 T.m(I)V @1 =0: (bvslt v0 5) | =1: (bvsle 5 v0)
jump 0 T.m(I)V @1 =0: (bvslt v0 4) | =1: (bvsle 4 v0)
";
        let wide = "path 0 0 0
jump 0 T.m(I)V @1 =0: (bvslt v0 5) | =1: (bvsle 5 v0)
model 0 T.m(I)V @7 =0: (bvsle v1.length 32) | =1: (bvslt 32 v1.length)
jump 0 T.m(I)V @1 =0: (bvslt v0 3) | =1: (bvsle 3 v0)
";
        let (narrow, wide) = (Arc::new(path(narrow)), path(wide));
        let negated = narrow.clauses[1].others[0].1;
        let origin = Arc::new(TestCase::default());
        let method = MethodRef::new(ClassName::new("T"), "m", "(I)V");
        let site = narrow.clauses[1].site.with_outcome(1);
        let node = NodeId(3);
        let key = TreeKey::of(&origin, &method);
        let asked = Alternative { key, node, path: narrow, index: 1, site, negated, run: origin.canonical_hash(), origin };
        let again = asked.again_in(wide).expect("it is there");
        assert_eq!((again.index, terms.print(again.negated)), (2, "(bvsle 3 v0)".into()));
        let shorter = Arc::new(PathCondition { clauses: again.path.clauses[..2].to_vec(), ..PathCondition::default() });
        assert!(asked.again_in((*shorter).clone()).is_none());
    }
}
