//! Control dependence within one method body: which outcome of which jump or switch decides whether
//! an instruction runs. The search takes approach levels from it, and the order in which goals
//! become reachable.
//!
//! In: decoded code. Out: for each instruction the outcomes it depends on. Must not know slots of
//! probes, or the search.
//!
//! # Example
//!
//! ```text
//! static int digits(int x) {          B0  if x >= 0 ----1----> B2
//!     if (x < 0) {                        | 0
//!         throw failure;              B1  throw           (leaves)
//!     }
//!     int n = 1;                      B2  n = 1
//!                                         |
//!     while (x > 9) {                 B3  if x <= 9 ----1----> B5
//!                                     ^   | 0
//!         n++;                        |   v
//!     }                               +-- B4  n++
//!     return n;                       B5  return          (leaves)
//! }
//!
//! block  post-dominator  depends on   level
//! B0     exit            -            0
//! B1     exit            B0=0         1
//! B2     B3              B0=1         1
//! B3     B5              B0=1, B3=0   1
//! B4     B3              B3=0         2
//! B5     exit            B0=1         1
//! ```
//!
//! # Algorithm
//!
//! A block depends on outcome *o* of block *b* when the edge of *o* leads to it on every path and
//! *b* itself does not (control dependence §3.1.1). The blocks that hang on an edge are those from
//! its target up the tree of post-dominators, below the post-dominator of *b*. The tree is the
//! dominator tree of the reversed graph (dominators §2).
//!
//! Three points differ from the paper:
//! - A handler is a successor of the block at which its range begins. Such an edge has no outcome:
//!   what depends on it depends on whatever decides about the throwing block.
//! - An endless loop does not reach the exit. Its first block gets an edge to the exit, so that it
//!   has post-dominators.
//! - A block that post-dominates the entry runs whenever the method does. A loop around it decides
//!   about further rounds only, so the block depends on nothing.
//!
//! With *n* blocks the cost is O(*n*²) at worst, and nearly linear for compiled code.

use std::collections::BTreeSet;

use petgraph::algo::{dominators, tarjan_scc};
use petgraph::graph::{DiGraph, NodeIndex};
use petgraph::visit::Dfs;
use tracewright_classfile::{Code, Op};

/// One outcome of a conditional jump or switch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ControlEdge {
    /// Of the jump or switch.
    pub bci: u32,
    /// Conditional jump: 0 not taken, 1 taken. Switch: the position of the key in class file order,
    /// the default last.
    pub outcome: u32,
}

/// The control dependences of one method body.
#[derive(Debug)]
pub struct ControlDependence {
    /// Ascending by `start`; together they are the whole body.
    blocks: Vec<DependentBlock>,
}

/// The instructions of one basic block depend on the same outcomes.
#[derive(Debug)]
struct DependentBlock {
    /// bci of the first instruction.
    start: u32,
    depends_on: Vec<ControlEdge>,
    level: u32,
}

/// A basic block of the control flow graph; the block at index 0 is the entry.
#[derive(Debug)]
pub(super) struct BasicBlock {
    /// bci of the first instruction.
    pub(super) start: u32,
    /// bci of the last instruction, which decides between the successors.
    pub(super) last: u32,
    /// Index of each successor, with the outcome that leads there. `None`: an unconditional or
    /// exceptional edge.
    pub(super) successors: Vec<(usize, Option<u32>)>,
}

impl ControlDependence {
    /// The dependences of a whole body.
    pub(crate) fn of(code: &Code) -> ControlDependence {
        ControlDependence::of_blocks(&split_into_blocks(code))
    }

    fn of_blocks(blocks: &[BasicBlock]) -> ControlDependence {
        let dependences = dependences(blocks);
        let levels = levels(blocks, &dependences);
        let dependent = blocks.iter().zip(dependences).zip(levels);
        ControlDependence {
            blocks: dependent
                .map(|((block, depends_on), level)| DependentBlock { start: block.start, depends_on, level })
                .collect(),
        }
    }

    /// The outcomes on which the instruction at `bci` depends directly, ascending. Empty when the
    /// instruction runs whenever the method does, exceptions aside.
    pub fn depends_on(&self, bci: u32) -> &[ControlEdge] {
        self.block_of(bci).map_or(&[], |block| &block.depends_on)
    }

    /// The least number of outcomes on a chain of dependences from the entry to the instruction; 0
    /// at the entry.
    pub fn level(&self, bci: u32) -> u32 {
        self.block_of(bci).map_or(0, |block| block.level)
    }

    fn block_of(&self, bci: u32) -> Option<&DependentBlock> {
        let after = self.blocks.partition_point(|block| block.start <= bci);
        self.blocks.get(after.checked_sub(1)?)
    }
}

/// The control flow graph of a body, blocks ascending by bci.
pub(super) fn split_into_blocks(code: &Code) -> Vec<BasicBlock> {
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
    // `ret` of old class files may return behind any `jsr` (JVMS §4.10.2.5).
    let after_jsr: Vec<usize> = code
        .instructions
        .iter()
        .filter(|instruction| matches!(instruction.op, Op::Jsr(_)) && instruction.next_bci() < code.code_len())
        .map(|instruction| block_at(instruction.next_bci()))
        .collect();
    let mut blocks = Vec::with_capacity(starts.len());
    for (index, &start) in starts.iter().enumerate() {
        let end = starts.get(index + 1).copied().unwrap_or(code.code_len());
        let position = code.instructions.partition_point(|instruction| instruction.bci < end).saturating_sub(1);
        let last = &code.instructions[position];
        let next = (last.next_bci() < code.code_len()).then(|| block_at(last.next_bci()));
        let targets = last.targets().into_iter().map(&block_at);
        let mut successors: Vec<(usize, Option<u32>)> = Vec::new();
        if last.op.is_conditional_jump() {
            successors.extend(next.map(|next| (next, Some(0))));
            successors.extend(targets.map(|target| (target, Some(1))));
        } else if last.op.is_switch() {
            successors.extend((0u32..).zip(targets).map(|(outcome, target)| (target, Some(outcome))));
        } else if matches!(last.op, Op::Ret(_)) {
            successors.extend(after_jsr.iter().map(|&block| (block, None)));
        } else {
            successors.extend(targets.map(|target| (target, None)));
            successors.extend(next.filter(|_| last.op.falls_through()).map(|next| (next, None)));
        }
        for handler in code.handlers.iter().filter(|handler| handler.start == start) {
            let edge = (block_at(handler.handler), None);
            if !successors.contains(&edge) {
                successors.push(edge);
            }
        }
        blocks.push(BasicBlock { start, last: last.bci, successors });
    }
    blocks
}

/// For each block the outcomes on which it depends directly, ascending.
fn dependences(blocks: &[BasicBlock]) -> Vec<Vec<ControlEdge>> {
    let post_dominators = post_dominators(blocks);
    // For each block the edges that it hangs on, as deciding block and outcome.
    let mut direct: Vec<BTreeSet<(usize, Option<u32>)>> = vec![BTreeSet::new(); blocks.len()];
    for (from, block) in blocks.iter().enumerate().filter(|(_, block)| block.successors.len() > 1) {
        for &(to, outcome) in &block.successors {
            let mut runner = Some(to);
            while let Some(at) = runner.filter(|at| Some(*at) != post_dominators[from]) {
                direct[at].insert((from, outcome));
                runner = post_dominators[at];
            }
        }
    }
    let mut always = vec![false; blocks.len()];
    let mut runner = (!blocks.is_empty()).then_some(0);
    while let Some(at) = runner {
        always[at] = true;
        runner = post_dominators[at];
    }
    let mut dependences = vec![Vec::new(); blocks.len()];
    for block in 0..blocks.len() {
        let mut found = BTreeSet::new();
        let mut visited = BTreeSet::from([block]);
        let mut pending: Vec<(usize, Option<u32>)> = direct[block].iter().copied().collect();
        while let Some((from, outcome)) = pending.pop() {
            match outcome {
                Some(outcome) => {
                    found.insert(ControlEdge { bci: blocks[from].last, outcome });
                }
                None if always[from] => always[block] = true,
                None if visited.insert(from) => pending.extend(direct[from].iter().copied()),
                None => {}
            }
        }
        if !always[block] {
            dependences[block] = found.into_iter().collect();
        }
    }
    dependences
}

/// The immediate post-dominator of each block; `None` stands for the exit.
fn post_dominators(blocks: &[BasicBlock]) -> Vec<Option<usize>> {
    let node = |block: usize| NodeIndex::<u32>::new(block);
    let edges = || {
        blocks.iter().enumerate().flat_map(|(from, block)| block.successors.iter().map(move |&(to, _)| (node(from), node(to))))
    };
    let exit = node(blocks.len());
    let mut reversed: DiGraph<(), ()> = DiGraph::new();
    (0..=blocks.len()).for_each(|_| {
        reversed.add_node(());
    });
    for (from, to) in edges() {
        reversed.update_edge(to, from, ());
    }
    for (from, _) in blocks.iter().enumerate().filter(|(_, block)| block.successors.is_empty()) {
        reversed.update_edge(exit, node(from), ());
    }
    let mut reaching = Dfs::new(&reversed, exit);
    while reaching.next(&reversed).is_some() {}
    if !(0..blocks.len()).all(|block| reaching.discovered.contains(block)) {
        // Components come after those that they lead to: the first one that cannot leave is an
        // endless loop.
        let mut forward = reversed.clone();
        forward.reverse();
        forward.remove_node(exit);
        for component in tarjan_scc(&forward) {
            let head = component.into_iter().min().expect("components are not empty");
            if !reaching.discovered.contains(head.index()) {
                reversed.update_edge(exit, head, ());
                reaching.move_to(head);
                while reaching.next(&reversed).is_some() {}
            }
        }
    }
    let tree = dominators::simple_fast(&reversed, exit);
    let immediate = |block| tree.immediate_dominator(node(block)).filter(|dominator| *dominator != exit);
    (0..blocks.len()).map(|block| immediate(block).map(NodeIndex::index)).collect()
}

/// The level of each block: a shortest path over the dependences, by relaxation until nothing
/// changes.
fn levels(blocks: &[BasicBlock], dependences: &[Vec<ControlEdge>]) -> Vec<u32> {
    let block_of = |edge: &ControlEdge| blocks.partition_point(|block| block.start <= edge.bci) - 1;
    let mut levels: Vec<Option<u32>> = dependences.iter().map(|edges| edges.is_empty().then_some(0)).collect();
    let mut changed = true;
    while changed {
        changed = false;
        for (block, edges) in dependences.iter().enumerate() {
            let found = edges.iter().filter_map(|edge| levels[block_of(edge)].map(|level| level + 1)).min();
            if let Some(found) = found
                && levels[block].is_none_or(|level| found < level)
            {
                levels[block] = Some(found);
                changed = true;
            }
        }
    }
    levels.into_iter().map(|level| level.unwrap_or(0)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A graph of blocks of ten bytes each: for each block its successors and outcomes.
    fn control_dependence(graph: &[&[(usize, Option<u32>)]]) -> ControlDependence {
        let block = |(index, successors): (usize, &&[(usize, Option<u32>)])| BasicBlock {
            start: 10 * index as u32,
            last: 10 * index as u32 + 5,
            successors: successors.to_vec(),
        };
        ControlDependence::of_blocks(&graph.iter().enumerate().map(block).collect::<Vec<_>>())
    }

    /// `B<block>=<outcome> ... level` for each block.
    fn printed(control: &ControlDependence, blocks: usize) -> Vec<String> {
        let line = |block: usize| {
            let bci = 10 * block as u32 + 3;
            let edges = control.depends_on(bci).iter().map(|edge| format!("B{}={} ", edge.bci / 10, edge.outcome));
            format!("{}{}", edges.collect::<String>(), control.level(bci))
        };
        (0..blocks).map(line).collect()
    }

    #[test]
    fn the_example_of_the_module() {
        let control = control_dependence(&[
            &[(1, Some(0)), (2, Some(1))],
            &[],
            &[(3, None)],
            &[(4, Some(0)), (5, Some(1))],
            &[(3, None)],
            &[],
        ]);
        assert_eq!(printed(&control, 6), ["0", "B0=0 1", "B0=1 1", "B0=1 B3=0 1", "B3=0 2", "B0=1 1"]);
    }

    #[test]
    fn a_block_behind_both_arms_depends_on_nothing() {
        let control = control_dependence(&[&[(1, Some(0)), (2, Some(1))], &[(3, None)], &[(3, None)], &[]]);
        assert_eq!(printed(&control, 4), ["0", "B0=0 1", "B0=1 1", "0"]);
    }

    #[test]
    fn a_loop_around_the_entry_decides_about_further_rounds_only() {
        // do { .. } while (c);
        let control = control_dependence(&[&[(1, None)], &[(2, Some(0)), (0, Some(1))], &[]]);
        assert_eq!(printed(&control, 3), ["0", "0", "0"]);
    }

    #[test]
    fn cases_that_fall_through_depend_on_several_outcomes() {
        let control = control_dependence(&[&[(1, Some(0)), (2, Some(1)), (3, Some(2))], &[(2, None)], &[(3, None)], &[]]);
        assert_eq!(printed(&control, 4), ["0", "B0=0 1", "B0=0 B0=1 1", "0"]);
    }

    #[test]
    fn a_handler_depends_on_what_decides_about_the_throwing_block() {
        // B1 may throw to B2, which leaves; B0 decides whether B1 runs.
        let control = control_dependence(&[&[(1, Some(0)), (3, Some(1))], &[(3, None), (2, None)], &[], &[]]);
        assert_eq!(printed(&control, 4)[2], "B0=0 1");
        // The throwing block runs always: so does the handler, exceptions aside.
        let control = control_dependence(&[&[(1, None), (2, None)], &[], &[]]);
        assert_eq!(printed(&control, 3), ["0", "0", "0"]);
    }

    #[test]
    fn an_endless_loop_has_dependences_too() {
        // B1 and B2 go round for ever; B3 leaves. The edge from B1 to the exit has no outcome and
        // is no successor of B1, so B2 is taken to depend on nothing. Precise would be B0=0.
        let control = control_dependence(&[&[(1, Some(0)), (3, Some(1))], &[(2, None)], &[(1, None)], &[]]);
        assert_eq!(printed(&control, 4), ["0", "B0=0 1", "0", "B0=1 1"]);
    }

    #[test]
    fn a_body_without_blocks_has_no_dependences() {
        let control = control_dependence(&[]);
        assert_eq!((control.depends_on(0), control.level(0)), (&[][..], 0));
    }
}
