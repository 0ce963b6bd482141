//! Control dependence within one method body (Ferrante, Ottenstein, Warren 1987), for approach levels and for goals that wait for others.
//! In: decoded code; out: which outcome of which jump or switch decides whether an instruction runs. Must not know slots of probes.

use std::collections::BTreeSet;

use petgraph::algo::tarjan_scc;
use petgraph::graph::DiGraph;
use tracewright_classfile::{Code, Op};

/// One way out of a conditional jump or switch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Decision {
    /// Of the jump or switch.
    pub bci: u32,
    /// Conditional jump: 0 not taken, 1 taken. Switch: the position of the key in class file order, the default last.
    pub outcome: u32,
}

/// The basic blocks of a body and what each of them depends on.
#[derive(Debug)]
pub struct ControlDependence {
    blocks: Vec<Block>,
}

#[derive(Debug)]
struct Block {
    /// bci of the first instruction.
    start: u32,
    /// bci of the last instruction.
    last: u32,
    /// Distinct successors, each with the outcomes that lead there (none: it always goes on there, or an exception does).
    successors: Vec<(usize, Option<u32>)>,
    /// Ascending. Empty: the block runs whenever the method does (exceptions aside).
    depends_on: Vec<Decision>,
    /// Decisions on the shortest chain from the entry; the entry's own is 0.
    level: u32,
}

impl ControlDependence {
    pub(crate) fn of(code: &Code) -> ControlDependence {
        let mut blocks = split(code);
        let post_dominators = post_dominators(&blocks);
        // Per block: the (deciding block, outcome) pairs; an exceptional edge has no outcome.
        let mut direct: Vec<BTreeSet<(usize, Option<u32>)>> = vec![BTreeSet::new(); blocks.len()];
        for (from, block) in blocks.iter().enumerate() {
            if block.successors.len() < 2 {
                continue;
            }
            for &(to, outcome) in &block.successors {
                // Everything from the target up the post-dominator tree, below the block's own post-dominator, hangs on this edge.
                let mut runner = Some(to);
                while let Some(at) = runner.filter(|at| Some(*at) != post_dominators[from]) {
                    direct[at].insert((from, outcome));
                    runner = post_dominators[at];
                }
            }
        }
        // What post-dominates the entry runs whatever is decided; a loop around it decides about further rounds only.
        let mut always = vec![false; blocks.len()];
        let mut runner = (!blocks.is_empty()).then_some(0);
        while let Some(at) = runner {
            always[at] = true;
            runner = post_dominators[at];
        }
        for block in 0..blocks.len() {
            // What hangs on an exceptional edge hangs on what decides about the block that throws.
            let mut found = BTreeSet::new();
            let mut visited = BTreeSet::from([block]);
            let mut pending: Vec<(usize, Option<u32>)> = direct[block].iter().copied().collect();
            while let Some((from, outcome)) = pending.pop() {
                match outcome {
                    Some(outcome) => {
                        found.insert(Decision { bci: blocks[from].last, outcome });
                    }
                    None if always[from] => always[block] = true,
                    None if visited.insert(from) => pending.extend(direct[from].iter().copied()),
                    None => {}
                }
            }
            if !always[block] {
                blocks[block].depends_on = found.into_iter().collect();
            }
        }
        level(&mut blocks);
        ControlDependence { blocks }
    }

    /// What the instruction at `bci` directly depends on, ascending; empty when it runs whenever the method does.
    pub fn depends_on(&self, bci: u32) -> &[Decision] {
        self.block_of(bci).map_or(&[], |block| &block.depends_on)
    }

    /// How many decisions stand between the entry and the instruction at least: 0 at the entry.
    pub fn level(&self, bci: u32) -> u32 {
        self.block_of(bci).map_or(0, |block| block.level)
    }

    /// The first bci of each basic block, ascending.
    pub(crate) fn block_starts(&self) -> impl Iterator<Item = u32> {
        self.blocks.iter().map(|block| block.start)
    }

    fn block_of(&self, bci: u32) -> Option<&Block> {
        let after = self.blocks.partition_point(|block| block.start <= bci);
        self.blocks.get(after.checked_sub(1)?)
    }
}

fn split(code: &Code) -> Vec<Block> {
    let mut starts = BTreeSet::from([0]);
    for instruction in &code.instructions {
        let targets = instruction.targets();
        if !targets.is_empty() || !instruction.op.falls_through() {
            starts.insert(instruction.next_bci());
        }
        starts.extend(targets);
    }
    for handler in &code.handlers {
        starts.extend([handler.start, handler.handler]);
    }
    let starts: Vec<u32> = starts.into_iter().filter(|start| *start < code.code_len()).collect();
    let block_at = |bci: u32| starts.partition_point(|start| *start <= bci).saturating_sub(1);
    let mut blocks = Vec::with_capacity(starts.len());
    // `ret` of old class files goes back behind some `jsr`: any of them.
    let after_jsr: Vec<usize> = code
        .instructions
        .iter()
        .filter(|instruction| matches!(instruction.op, Op::Jsr(_)) && instruction.next_bci() < code.code_len())
        .map(|instruction| block_at(instruction.next_bci()))
        .collect();
    for (index, &start) in starts.iter().enumerate() {
        let end = starts.get(index + 1).copied().unwrap_or(code.code_len());
        let position = code.instructions.partition_point(|instruction| instruction.bci < end).saturating_sub(1);
        let last = &code.instructions[position];
        let mut successors = Vec::new();
        if last.op.is_conditional_jump() {
            if last.next_bci() < code.code_len() {
                successors.push((block_at(last.next_bci()), Some(0)));
            }
            successors.extend(last.targets().into_iter().map(|target| (block_at(target), Some(1))));
        } else if last.op.is_switch() {
            let targets = last.targets();
            successors.extend((0u32..).zip(targets).map(|(outcome, target)| (block_at(target), Some(outcome))));
        } else if matches!(last.op, Op::Ret(_)) {
            successors.extend(after_jsr.iter().map(|&block| (block, None)));
        } else {
            successors.extend(last.targets().into_iter().map(|target| (block_at(target), None)));
            if last.op.falls_through() && last.next_bci() < code.code_len() {
                successors.push((block_at(last.next_bci()), None));
            }
        }
        // An exception leaves at the start of what is watched: enough to say what a handler depends on.
        for handler in code.handlers.iter().filter(|handler| handler.start == start) {
            let edge = (block_at(handler.handler), None);
            if !successors.contains(&edge) {
                successors.push(edge);
            }
        }
        blocks.push(Block { start, last: last.bci, successors, depends_on: Vec::new(), level: 0 });
    }
    blocks
}

/// The immediate post-dominator of each block; `None` stands for the exit.
fn post_dominators(blocks: &[Block]) -> Vec<Option<usize>> {
    let exit = blocks.len();
    let mut predecessors: Vec<Vec<usize>> = vec![Vec::new(); exit + 1];
    for (from, block) in blocks.iter().enumerate() {
        for &(to, _) in &block.successors {
            predecessors[to].push(from);
        }
        if block.successors.is_empty() {
            predecessors[exit].push(from);
        }
    }
    let mut exits: Vec<bool> = blocks.iter().map(|block| block.successors.is_empty()).collect();
    let mut order = reverse_postorder(&predecessors, exit);
    if order.len() <= exit {
        // Endless loops. Components come with what they lead to first, so the first one that cannot leave leads nowhere else; it counts
        // as leaving at its head.
        for component in tarjan_scc(&graph(blocks)) {
            let head = component.iter().map(|node| node.index()).min().expect("components are not empty");
            if !order.contains(&head) {
                exits[head] = true;
                predecessors[exit].push(head);
                order = reverse_postorder(&predecessors, exit);
            }
        }
    }
    let mut rank = vec![0; exit + 1];
    for (position, &block) in order.iter().enumerate() {
        rank[block] = position;
    }
    // Cooper, Harvey, Kennedy 2001, on the reversed graph.
    let mut dominator: Vec<Option<usize>> = vec![None; exit + 1];
    dominator[exit] = Some(exit);
    let mut changed = true;
    while changed {
        changed = false;
        for &block in &order {
            if block == exit {
                continue;
            }
            let leaving = exits[block].then_some(exit);
            let mut new = None;
            for successor in blocks[block].successors.iter().map(|&(to, _)| to).chain(leaving) {
                if dominator[successor].is_none() {
                    continue;
                }
                new = Some(match new {
                    None => successor,
                    Some(current) => intersect(&dominator, &rank, current, successor),
                });
            }
            if new.is_some() && dominator[block] != new {
                dominator[block] = new;
                changed = true;
            }
        }
    }
    dominator.into_iter().take(exit).map(|dominator| dominator.filter(|&block| block != exit)).collect()
}

fn graph(blocks: &[Block]) -> DiGraph<(), ()> {
    let edges = blocks.iter().enumerate().flat_map(|(from, block)| {
        block
            .successors
            .iter()
            .map(move |&(to, _)| (u32::try_from(from).expect("code is short"), u32::try_from(to).expect("code is short")))
    });
    let mut graph = DiGraph::from_edges(edges);
    // A block alone has no edge that would add it.
    while graph.node_count() < blocks.len() {
        graph.add_node(());
    }
    graph
}

fn intersect(dominator: &[Option<usize>], rank: &[usize], mut left: usize, mut right: usize) -> usize {
    while left != right {
        while rank[left] > rank[right] {
            left = dominator[left].expect("ranked blocks below the exit have a dominator");
        }
        while rank[right] > rank[left] {
            right = dominator[right].expect("ranked blocks below the exit have a dominator");
        }
    }
    left
}

fn reverse_postorder(edges: &[Vec<usize>], root: usize) -> Vec<usize> {
    let mut visited = vec![false; edges.len()];
    let mut finished = Vec::new();
    let mut stack = vec![(root, 0)];
    visited[root] = true;
    while let Some((block, next)) = stack.pop() {
        match edges[block].get(next) {
            Some(&to) => {
                stack.push((block, next + 1));
                if !visited[to] {
                    visited[to] = true;
                    stack.push((to, 0));
                }
            }
            None => finished.push(block),
        }
    }
    finished.reverse();
    finished
}

/// Levels grow by one with each decision; computed as a shortest path over the dependences.
fn level(blocks: &mut [Block]) {
    let mut levels: Vec<Option<u32>> = blocks.iter().map(|block| block.depends_on.is_empty().then_some(0)).collect();
    let mut changed = true;
    while changed {
        changed = false;
        for block in 0..blocks.len() {
            let found = blocks[block]
                .depends_on
                .iter()
                .filter_map(|decision| {
                    let after = blocks.partition_point(|candidate| candidate.start <= decision.bci);
                    levels[after - 1].map(|level| level + 1)
                })
                .min();
            if let Some(found) = found
                && levels[block].is_none_or(|level| found < level)
            {
                levels[block] = Some(found);
                changed = true;
            }
        }
    }
    for (block, level) in blocks.iter_mut().zip(levels) {
        block.level = level.unwrap_or(0);
    }
}
