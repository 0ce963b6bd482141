//! Control flow of a method. In: code; out: basic blocks and their edges, dominators, post-dominators and control dependence
//! (Ferrante, Ottenstein, Warren 1987), by which the search measures how far a run stayed away from a branch.

use crate::code::Code;
use crate::instruction::Op;
use std::collections::BTreeSet;

/// The position of a block, ascending by bci; 0 is the entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BlockId(pub usize);

/// Instructions of which the first is the only one that is jumped to, and the last the only one that jumps. (Any of them may throw: a block
/// lies wholly inside or outside of every exception range.)
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Block {
    /// Positions in `Code::instructions`.
    pub instructions: std::ops::Range<usize>,
    /// The bci of the first instruction.
    pub start: u32,
    /// The bci of the last instruction.
    pub last: u32,
    /// In the order of the instruction (a jump's taken edge first; cases, then the default), then the handlers in the order
    /// in which they are tried.
    pub successors: Vec<FlowEdge>,
    /// Ascending, each once.
    pub predecessors: Vec<BlockId>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FlowEdge {
    pub kind: FlowKind,
    pub to: BlockId,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FlowKind {
    /// On to the next block, without a choice.
    Next,
    /// `goto`.
    Jump,
    /// A conditional jump, taken.
    Taken,
    /// A conditional jump, not taken.
    NotTaken,
    /// The switch case with this number, in the order of the instruction.
    Case(usize),
    Default,
    /// To the handler with this number in `Code::handlers`.
    Exception(usize),
    /// `jsr`, and `ret` to behind every `jsr`: old class files only.
    Subroutine,
}

impl FlowKind {
    /// Whether the edge is one of several that the last instruction of the block chooses from.
    pub fn is_branch(self) -> bool {
        matches!(self, FlowKind::Taken | FlowKind::NotTaken | FlowKind::Case(_) | FlowKind::Default)
    }
}

/// Whether a handler counts as a way on from every block that it watches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exceptions {
    /// It does.
    Edges,
    /// It does not: a handler is entered from nowhere, like the method itself. Then only jumps and switches decide anything.
    Entries,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FlowGraph {
    pub blocks: Vec<Block>,
    /// The block of every instruction.
    block_of: Vec<BlockId>,
}

impl FlowGraph {
    pub fn of(code: &Code) -> FlowGraph {
        let instructions = &code.instructions;
        let mut leaders = BTreeSet::from([0]);
        let mut behind_jsr = Vec::new();
        for (index, instruction) in instructions.iter().enumerate() {
            let op = &instruction.op;
            op.for_each_target(|target| leaders.extend(code.index_of(target)));
            if !op.falls_through() || op.is_conditional_jump() {
                leaders.insert(index + 1);
            }
            if matches!(op, Op::Jsr(_)) && index + 1 < instructions.len() {
                behind_jsr.push(index + 1);
            }
        }
        for handler in &code.handlers {
            for bci in [handler.start, handler.end, handler.handler] {
                leaders.extend(code.index_of(bci));
            }
        }
        leaders.remove(&instructions.len());
        let starts: Vec<usize> = leaders.into_iter().collect();
        let mut block_of = Vec::with_capacity(instructions.len());
        let mut blocks = Vec::with_capacity(starts.len());
        for (number, &start) in starts.iter().enumerate() {
            let end = starts.get(number + 1).copied().unwrap_or(instructions.len());
            block_of.resize(end, BlockId(number));
            blocks.push(Block {
                instructions: start..end,
                start: instructions[start].bci,
                last: instructions[end - 1].bci,
                successors: Vec::new(),
                predecessors: Vec::new(),
            });
        }
        let mut graph = FlowGraph { blocks, block_of };
        for number in 0..graph.blocks.len() {
            let edges = graph.edges_of(code, &graph.blocks[number], &behind_jsr);
            for edge in &edges {
                let predecessors = &mut graph.blocks[edge.to.0].predecessors;
                if predecessors.last() != Some(&BlockId(number)) {
                    predecessors.push(BlockId(number));
                }
            }
            graph.blocks[number].successors = edges;
        }
        graph
    }

    fn edges_of(&self, code: &Code, block: &Block, behind_jsr: &[usize]) -> Vec<FlowEdge> {
        let at = |bci| self.block_of[code.index_of(bci).expect("decoding checks targets and handlers")];
        let last = &code.instructions[block.instructions.end - 1];
        let next = self.block_of.get(block.instructions.end).copied();
        let mut edges = Vec::new();
        let mut edge = |kind, to| edges.push(FlowEdge { kind, to });
        match &last.op {
            Op::Goto(target) => edge(FlowKind::Jump, at(*target)),
            Op::Jsr(target) => edge(FlowKind::Subroutine, at(*target)),
            Op::Ret(_) => behind_jsr.iter().for_each(|&index| edge(FlowKind::Subroutine, self.block_of[index])),
            Op::TableSwitch(switch) => {
                for (case, &target) in switch.targets.iter().enumerate() {
                    edge(FlowKind::Case(case), at(target));
                }
                edge(FlowKind::Default, at(switch.default));
            }
            Op::LookupSwitch(switch) => {
                for (case, &(_, target)) in switch.pairs.iter().enumerate() {
                    edge(FlowKind::Case(case), at(target));
                }
                edge(FlowKind::Default, at(switch.default));
            }
            op => {
                if let Some(target) = op.jump_target() {
                    edge(FlowKind::Taken, at(target));
                }
                if let (true, Some(next)) = (op.falls_through(), next) {
                    edge(if op.is_conditional_jump() { FlowKind::NotTaken } else { FlowKind::Next }, next);
                }
            }
        }
        for (number, handler) in code.handlers.iter().enumerate() {
            if (handler.start..handler.end).contains(&block.start) {
                edge(FlowKind::Exception(number), at(handler.handler));
            }
        }
        edges
    }

    pub fn block(&self, id: BlockId) -> &Block {
        &self.blocks[id.0]
    }

    /// The block of the instruction with this position in `Code::instructions`.
    pub fn block_of(&self, instruction: usize) -> BlockId {
        self.block_of[instruction]
    }

    /// The block that has the instruction which starts at, or stands over, this bci.
    pub fn block_at(&self, bci: u32) -> BlockId {
        BlockId(self.blocks.partition_point(|block| block.start <= bci).saturating_sub(1))
    }

    pub fn dominators(&self, exceptions: Exceptions) -> Dominators {
        let graph = self.plain(exceptions);
        Dominators { parents: dominators(&graph, ENTRY) }
    }

    pub fn post_dominators(&self, exceptions: Exceptions) -> Dominators {
        let graph = self.plain(exceptions);
        Dominators { parents: dominators(&graph.reversed(), EXIT) }
    }

    pub fn control_dependence(&self, exceptions: Exceptions) -> ControlDependence {
        let graph = self.plain(exceptions);
        let parents = dominators(&graph.reversed(), EXIT);
        let mut on: Vec<BTreeSet<Dependence>> = vec![BTreeSet::new(); self.blocks.len()];
        for (number, block) in self.blocks.iter().enumerate() {
            let here = node(number);
            for (edge, flow) in block.successors.iter().enumerate() {
                if exceptions == Exceptions::Entries && matches!(flow.kind, FlowKind::Exception(_)) {
                    continue;
                }
                // Up the tree from the edge's end: all that must run when this edge is taken, and need not otherwise.
                let mut at = Some(node(flow.to.0));
                while let Some(current) = at.filter(|&current| Some(current) != parents[here] && current >= FIRST) {
                    on[current - FIRST].insert(Dependence { branch: BlockId(number), edge });
                    at = parents[current];
                }
            }
        }
        ControlDependence { on: on.into_iter().map(|set| set.into_iter().collect()).collect() }
    }

    /// With one entry and one exit, which every node reaches.
    fn plain(&self, exceptions: Exceptions) -> Plain {
        let mut graph = Plain { successors: vec![Vec::new(); self.blocks.len() + FIRST] };
        let mut entries = BTreeSet::from([0]);
        for (number, block) in self.blocks.iter().enumerate() {
            for edge in &block.successors {
                match edge.kind {
                    FlowKind::Exception(_) if exceptions == Exceptions::Entries => {
                        entries.insert(edge.to.0);
                    }
                    _ => graph.successors[node(number)].push(node(edge.to.0)),
                }
            }
            let leaves = block.successors.iter().all(|edge| matches!(edge.kind, FlowKind::Exception(_)));
            if leaves {
                graph.successors[node(number)].push(EXIT);
            }
        }
        graph.successors[ENTRY] = entries.into_iter().map(node).collect();
        graph.connect_endless_loops();
        graph
    }
}

/// The tree of immediate dominators (or post-dominators).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dominators {
    parents: Vec<Option<usize>>,
}

impl Dominators {
    /// `None` at the root, and for a block that nothing reaches.
    pub fn immediate(&self, block: BlockId) -> Option<BlockId> {
        self.parents[node(block.0)].filter(|&parent| parent >= FIRST).map(|parent| BlockId(parent - FIRST))
    }

    /// Whether every way to `of` (for post-dominators: on from `of`) leads over `block`. A block dominates itself.
    pub fn dominates(&self, block: BlockId, of: BlockId) -> bool {
        let mut at = Some(of);
        while let Some(current) = at {
            if current == block {
                return true;
            }
            at = self.immediate(current);
        }
        false
    }
}

/// Who decides whether a block runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ControlDependence {
    on: Vec<Vec<Dependence>>,
}

/// The edge with this position among the successors of `branch`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Dependence {
    pub branch: BlockId,
    pub edge: usize,
}

impl ControlDependence {
    /// The edges that `block` depends on directly: taken, they make sure that it runs; a way past it leads over another edge of the same
    /// branch. Empty for what runs whenever the method does (or never runs at all).
    pub fn of(&self, block: BlockId) -> &[Dependence] {
        &self.on[block.0]
    }

    /// For every block the number of decisions between it and `target`: 0 for the branches on which `target` depends directly,
    /// 1 for those on which these depend, and so on; `None` where the block decides nothing about `target`.
    pub fn approach_levels(&self, target: BlockId) -> Vec<Option<u32>> {
        let mut levels = vec![None; self.on.len()];
        let mut frontier = vec![target];
        for level in 0.. {
            let mut next = BTreeSet::new();
            for block in frontier {
                for dependence in self.of(block) {
                    if levels[dependence.branch.0].is_none() {
                        levels[dependence.branch.0] = Some(level);
                        next.insert(dependence.branch);
                    }
                }
            }
            if next.is_empty() {
                break;
            }
            frontier = next.into_iter().collect();
        }
        levels
    }
}

const ENTRY: usize = 0;
const EXIT: usize = 1;
const FIRST: usize = 2;

fn node(block: usize) -> usize {
    block + FIRST
}

/// A graph of numbered nodes.
#[derive(Debug, Clone)]
struct Plain {
    successors: Vec<Vec<usize>>,
}

impl Plain {
    fn reversed(&self) -> Plain {
        let mut reversed = Plain { successors: vec![Vec::new(); self.successors.len()] };
        for (from, successors) in self.successors.iter().enumerate() {
            for &to in successors {
                reversed.successors[to].push(from);
            }
        }
        reversed
    }

    /// A node that cannot reach the exit is in, or leads to, an endless loop: of each of these the last block is taken to leave.
    fn connect_endless_loops(&mut self) {
        loop {
            let mut reaches = vec![false; self.successors.len()];
            for at in self.reversed().post_order(EXIT) {
                reaches[at] = true;
            }
            let Some(stuck) = (FIRST..reaches.len()).rev().find(|&at| !reaches[at]) else {
                return;
            };
            self.successors[stuck].push(EXIT);
        }
    }

    fn post_order(&self, root: usize) -> Vec<usize> {
        let mut order = Vec::with_capacity(self.successors.len());
        let mut seen = vec![false; self.successors.len()];
        seen[root] = true;
        let mut stack = vec![(root, 0)];
        while let Some((at, next)) = stack.last_mut() {
            match self.successors[*at].get(*next) {
                Some(&to) => {
                    *next += 1;
                    if !seen[to] {
                        seen[to] = true;
                        stack.push((to, 0));
                    }
                }
                None => {
                    order.push(*at);
                    stack.pop();
                }
            }
        }
        order
    }
}

/// Immediate dominators (Cooper, Harvey, Kennedy 2001); `None` for the root and for what it does not reach.
fn dominators(graph: &Plain, root: usize) -> Vec<Option<usize>> {
    let order = graph.post_order(root);
    let mut number = vec![usize::MAX; graph.successors.len()];
    for (position, &at) in order.iter().enumerate() {
        number[at] = position;
    }
    let predecessors = graph.reversed().successors;
    let mut parents = vec![None; graph.successors.len()];
    parents[root] = Some(root);
    let mut changed = true;
    while changed {
        changed = false;
        for &at in order.iter().rev().filter(|&&at| at != root) {
            let mut parent: Option<usize> = None;
            for &from in predecessors[at].iter().filter(|&&from| parents[from].is_some()) {
                parent = Some(match parent {
                    None => from,
                    Some(other) => {
                        let (mut a, mut b) = (from, other);
                        while a != b {
                            let lower = if number[a] < number[b] { &mut a } else { &mut b };
                            *lower = parents[*lower].expect("processed nodes have a parent");
                        }
                        a
                    }
                });
            }
            if parents[at] != parent {
                parents[at] = parent;
                changed = true;
            }
        }
    }
    parents[root] = None;
    parents
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn reachable(graph: &Plain, from: usize, without: usize) -> Vec<bool> {
        let mut cut = graph.clone();
        cut.successors[without].clear();
        let mut seen = vec![false; graph.successors.len()];
        if from != without {
            for at in cut.post_order(from) {
                seen[at] = true;
            }
        }
        seen[without] = false;
        seen
    }

    fn graphs() -> impl Strategy<Value = Plain> {
        (1_usize..9).prop_flat_map(|blocks| {
            proptest::collection::vec(proptest::collection::vec(0..blocks, 0..3), blocks).prop_map(|edges| {
                let mut graph = Plain { successors: vec![vec![node(0)], vec![]] };
                for targets in edges {
                    let leaves = targets.is_empty();
                    graph.successors.push(targets.into_iter().map(node).chain(leaves.then_some(EXIT)).collect());
                }
                graph
            })
        })
    }

    proptest! {
        #[test]
        fn a_dominator_lies_on_every_way(graph in graphs()) {
            let parents = dominators(&graph, ENTRY);
            let all: BTreeSet<usize> = graph.post_order(ENTRY).into_iter().collect();
            for of in 0..graph.successors.len() {
                let mut chain = BTreeSet::from([of]);
                let mut at = of;
                while let Some(parent) = parents[at] {
                    chain.insert(parent);
                    at = parent;
                }
                if !all.contains(&of) {
                    prop_assert_eq!(parents[of], None);
                    continue;
                }
                for by in 0..graph.successors.len() {
                    let on_every_way = by == of || (all.contains(&by) && !reachable(&graph, ENTRY, by)[of]);
                    prop_assert_eq!(chain.contains(&by), on_every_way, "{} over {}", by, of);
                }
            }
        }

        /// By the definition: `b` depends on the edge `a -> s` if it post-dominates `s`, and does not strictly post-dominate `a`.
        #[test]
        fn control_dependence_is_what_its_definition_says(graph in graphs()) {
            let mut connected = graph.clone();
            connected.connect_endless_loops();
            let back = connected.reversed();
            let post_dominates = |by: usize, of: usize| by == of || !reachable(&back, EXIT, by)[of];
            let blocks: Vec<Block> = (FIRST..graph.successors.len())
                .map(|at| Block {
                    instructions: 0..0,
                    start: at as u32,
                    last: at as u32,
                    predecessors: Vec::new(),
                    successors: graph.successors[at]
                        .iter()
                        .filter(|&&to| to >= FIRST)
                        .map(|&to| FlowEdge { kind: FlowKind::Next, to: BlockId(to - FIRST) })
                        .collect(),
                })
                .collect();
            let flow = FlowGraph { blocks, block_of: Vec::new() };
            let dependence = flow.control_dependence(Exceptions::Edges);
            for b in 0..flow.blocks.len() {
                for a in 0..flow.blocks.len() {
                    for (edge, to) in flow.blocks[a].successors.iter().enumerate() {
                        let wanted = post_dominates(node(b), node(to.to.0)) && (a == b || !post_dominates(node(b), node(a)));
                        let found = dependence.of(BlockId(b)).contains(&Dependence { branch: BlockId(a), edge });
                        prop_assert_eq!(found, wanted, "{} on {} -> {}", b, a, to.to.0);
                    }
                }
            }
        }
    }
}
