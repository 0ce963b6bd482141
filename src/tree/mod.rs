//! The constraint tree (jtestcraft §3.3): every path of one test skeleton through one method under test, once. Flows in: path
//! conditions of runs and verdicts of the solver; flows out: the alternatives nobody has tried, and a text form from which the tree goes on another
//! day. Must not know how they are solved, nor where the text is kept.

mod text;

pub(crate) use text::head;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::Arc;

use crate::expr::TermId;
use crate::path::{BranchOutcome, Clause, ClauseKind, PathCondition};
use crate::program::MethodRef;
use crate::testcase::{Literal, StatementKind, TestCase};

/// A test case without the values of its literals, and the method it is meant to test: runs that share it have the same inputs.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TreeKey {
    skeleton: Arc<str>,
    pub(crate) method: MethodRef,
}

impl TreeKey {
    /// Text of a test case.
    pub(crate) fn skeleton(&self) -> &str {
        &self.skeleton
    }

    /// Numbers, characters, booleans and strings are taken out; everything else is the skeleton.
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

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(pub u32);

/// A run that left alternatives, by its number in one tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct RunId(pub(crate) u32);

/// What is known behind an edge.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Node {
    /// A run passed here; edges to what it decided next.
    Computation(Vec<Edge>),
    /// Nobody tried; the run that it is an alternative to. `None`: the root, before any run.
    Unexplored(Option<RunId>),
    /// A run ended here.
    Terminal,
    /// The solver says that no input leads here; the clauses that contradict each other.
    Infeasible { core: Vec<TermId> },
    /// It was tried, and nobody knows more; why, in one line.
    TimedOut { reason: Arc<str> },
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Edge {
    pub(crate) site: BranchOutcome,
    pub(crate) kind: ClauseKind,
    pub(crate) term: TermId,
    pub(crate) child: NodeId,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TreeLimits {
    /// Nodes of one tree; further alternatives are counted, not kept.
    pub(crate) nodes: usize,
    /// New alternatives that one run may add for one way out of one instruction (loops ask the same again and again).
    pub(crate) per_site: usize,
}

impl Default for TreeLimits {
    fn default() -> TreeLimits {
        TreeLimits { nodes: 200_000, per_site: 8 }
    }
}

/// Alternatives that were given up for a limit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Dropped {
    /// One run left the instruction that way too often.
    pub(crate) often: u64,
    /// The tree had no room for it.
    pub(crate) full: u64,
    /// Runs of whose path the tree had no room for the rest.
    pub(crate) cut: u64,
}

/// What happened so far, over all sessions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct TreeStats {
    pub(crate) paths: u64,
    /// Runs whose path stood in the tree already.
    pub(crate) repeated: u64,
    pub(crate) infeasible: u64,
    pub(crate) timed_out: u64,
    /// Unexplored nodes.
    pub(crate) frontier: u64,
    pub(crate) dropped: Dropped,
    /// Runs that went where the solver had said no run can go: a fault of ours, or a run that does not depend on its inputs alone.
    pub(crate) contradicted: u64,
}

/// A way a run did not go: the clauses before one of its decisions hold, the decision falls otherwise.
#[derive(Clone, Debug)]
pub struct Alternative {
    pub key: TreeKey,
    pub node: NodeId,
    /// The run that it leaves, and the clause where.
    pub path: Arc<PathCondition>,
    pub index: usize,
    /// The way out that is asked for.
    pub site: BranchOutcome,
    /// What must hold at that clause.
    pub negated: TermId,
    /// The test case of that run, and its canonical hash.
    pub origin: Arc<TestCase>,
    pub run: u64,
}

impl Alternative {
    pub(crate) fn clause(&self) -> &Clause {
        &self.path.clauses[self.index]
    }

    /// The clauses before the decision, and the decision as it is wanted, last.
    pub(crate) fn terms(&self) -> Vec<TermId> {
        let mut terms: Vec<TermId> = self.path.clauses[..self.index].iter().map(|clause| clause.term).collect();
        terms.push(self.negated);
        terms
    }

    /// Whether a model must lead there: nothing was concretised before. Else a run that goes elsewhere is no fault.
    pub(crate) fn is_exact(&self) -> bool {
        self.path.is_exact(self.index)
    }

    /// Whether a run (of the test case made from a model) did what the model promised: the same clauses up to the decision, and
    /// there the wanted outcome. The terms are compared, so both runs must have used one term store.
    pub(crate) fn predicted(&self, run: &PathCondition) -> bool {
        let Some(decision) = run.clauses.get(self.index) else { return false };
        let same_prefix =
            self.path.clauses[..self.index].iter().zip(&run.clauses).all(|(expected, found)| expected.site == found.site);
        same_prefix && decision.site == self.site
    }
}

/// The verdict of the solver about an alternative.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// A model was found; the node stays open until a run passes it.
    Feasible,
    Infeasible {
        core: Vec<TermId>,
    },
    TimedOut {
        reason: Arc<str>,
    },
}

/// One tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ConstraintTree {
    key: TreeKey,
    limits: TreeLimits,
    nodes: Vec<Node>,
    /// Test cases of runs that left alternatives.
    runs: BTreeMap<RunId, Arc<TestCase>>,
    /// Unexplored nodes of an earlier session: they are alternatives again once a run passes by.
    resting: BTreeSet<NodeId>,
    stats: TreeStats,
}

impl ConstraintTree {
    pub(crate) fn new(key: TreeKey, limits: TreeLimits) -> ConstraintTree {
        ConstraintTree {
            key,
            limits,
            nodes: vec![Node::Unexplored(None)],
            runs: BTreeMap::new(),
            resting: BTreeSet::new(),
            stats: TreeStats::default(),
        }
    }

    pub(crate) fn key(&self) -> &TreeKey {
        &self.key
    }

    /// Whether no run decided anything by its inputs.
    pub(crate) fn is_trivial(&self) -> bool {
        self.nodes.len() <= 1
    }

    /// The methods that its decisions stand in.
    pub(crate) fn methods(&self) -> BTreeSet<&MethodRef> {
        let edges = self.nodes.iter().flat_map(|node| match node {
            Node::Computation(edges) => edges.as_slice(),
            _ => &[],
        });
        edges.map(|edge| &edge.site.method).collect()
    }

    pub(crate) fn stats(&self) -> TreeStats {
        let frontier = self.nodes.iter().filter(|node| matches!(node, Node::Unexplored(_))).count() as u64;
        TreeStats { frontier: if self.stats.paths == 0 { 0 } else { frontier }, ..self.stats }
    }

    pub(crate) fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id.0 as usize]
    }

    /// Whether nobody has been behind the node and the solver has not spoken against it.
    pub(crate) fn is_open(&self, id: NodeId) -> bool {
        matches!(self.nodes.get(id.0 as usize), Some(Node::Unexplored(_)))
    }

    /// The test case of a run, if it left alternatives that are unexplored.
    pub(crate) fn run(&self, run: RunId) -> Option<&Arc<TestCase>> {
        self.runs.get(&run)
    }

    /// Enters the path of a run; what is new about it comes back as alternatives, in run order. What an earlier session left unexplored is new once.
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
                self.nodes[node.0 as usize] = Node::Unexplored(Some(number));
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
        // A run whose clauses end where another's go on (its end was cut) leaves the node as it is.
        if !matches!(self.nodes[at.0 as usize], Node::Computation(_)) {
            self.nodes[at.0 as usize] = Node::Terminal;
        }
        if !new {
            self.stats.repeated += 1;
        }
        alternatives
    }

    /// Notes what the solver said of an alternative.
    pub(crate) fn settle(&mut self, node: NodeId, verdict: Verdict) {
        if !self.is_open(node) && !matches!(self.nodes.get(node.0 as usize), Some(Node::TimedOut { .. })) {
            return;
        }
        let place = &mut self.nodes[node.0 as usize];
        match verdict {
            Verdict::Feasible => {}
            Verdict::Infeasible { core } => {
                *place = Node::Infeasible { core };
                self.stats.infeasible += 1;
            }
            Verdict::TimedOut { reason } => {
                // One line, as the text form has it.
                let reason = reason.replace(|c: char| c.is_control(), " ");
                *place = Node::TimedOut { reason: reason.trim().into() };
                self.stats.timed_out += 1;
            }
        }
    }

    /// The edge for what the run decided; made when it is new. `None`: no room.
    fn follow(&mut self, at: NodeId, clause: &Clause) -> Option<(NodeId, bool)> {
        let child = match self.find(at, &clause.site, clause.site.outcome, clause.term) {
            Some(child) => child,
            None if self.nodes.len() >= self.limits.nodes => return None,
            None => self.add_edge(at, clause.site.clone(), clause.kind, clause.term),
        };
        let fresh = match &self.nodes[child.0 as usize] {
            Node::Computation(_) | Node::Terminal => false,
            Node::Infeasible { .. } => {
                self.stats.contradicted += 1;
                true
            }
            Node::Unexplored(_) | Node::TimedOut { .. } => true,
        };
        Some((child, fresh))
    }

    fn find(&self, at: NodeId, site: &BranchOutcome, outcome: u32, term: TermId) -> Option<NodeId> {
        let Node::Computation(edges) = &self.nodes[at.0 as usize] else { return None };
        edges
            .iter()
            .find(|edge| edge.term == term && edge.site.outcome == outcome && edge.site.same_instruction(site))
            .map(|edge| edge.child)
    }

    fn add_edge(&mut self, at: NodeId, site: BranchOutcome, kind: ClauseKind, term: TermId) -> NodeId {
        let child = NodeId(self.nodes.len() as u32);
        self.nodes.push(Node::Unexplored(None));
        let edge = Edge { site, kind, term, child };
        match &mut self.nodes[at.0 as usize] {
            Node::Computation(edges) => edges.push(edge),
            place => *place = Node::Computation(vec![edge]),
        }
        child
    }
}
