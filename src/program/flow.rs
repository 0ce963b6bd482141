//! The control flow graph of a method, as a person sees it.
//!
//! In: decoded code. Out: blocks with their instructions, and the ways between them, each with the outcome of the
//! jump that takes it. Must not know what covers them, nor how they are drawn.
//!
//! Blocks that always follow each other are one: the compiler splits them where a line or a `try` begins. A block is
//! named by its place, `B0` is the entry.

use std::collections::BTreeSet;

use tracewright_classfile::Code;

use super::control::split_into_blocks;

/// The control flow of one method body.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct FlowGraph {
    /// In the order of the class file; the first one is the entry.
    pub(crate) blocks: Vec<FlowBlock>,
    /// By their first block, in the order of the outcomes.
    pub(crate) edges: Vec<FlowEdge>,
}

/// Instructions that run one after the other.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct FlowBlock {
    /// bci of each instruction.
    pub(crate) instructions: Vec<u32>,
}

/// A way from one block to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FlowEdge {
    /// Place of the block.
    pub(crate) from: usize,
    /// Place of the block.
    pub(crate) to: usize,
    /// What takes this way.
    pub(crate) kind: FlowKind,
}

/// What takes a way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum FlowKind {
    /// Nothing is decided.
    Next,
    /// The outcome of the jump or switch at `bci`, as in `ControlEdge`.
    Outcome {
        /// Of the jump or switch.
        bci: u32,
        /// Its outcome.
        outcome: u32,
    },
    /// An exception that the method catches.
    Exception,
}

impl FlowGraph {
    /// Place of the block with the instruction.
    pub(crate) fn block_of(&self, bci: u32) -> Option<usize> {
        self.blocks.iter().position(|block| block.instructions.contains(&bci))
    }

    /// The graph of a whole body.
    pub(crate) fn of(code: &Code) -> FlowGraph {
        let basic = split_into_blocks(code);
        let handlers: BTreeSet<u32> = code.handlers.iter().map(|handler| handler.handler).collect();
        let kind = |from: usize, to: usize, outcome: Option<u32>| match outcome {
            Some(outcome) => FlowKind::Outcome { bci: basic[from].last, outcome },
            None if handlers.contains(&basic[to].start) => FlowKind::Exception,
            None => FlowKind::Next,
        };
        let edges: Vec<FlowEdge> = basic
            .iter()
            .enumerate()
            .flat_map(|(from, block)| block.successors.iter().map(move |(to, outcome)| (from, *to, *outcome)))
            .map(|(from, to, outcome)| FlowEdge { from, to, kind: kind(from, to, outcome) })
            .collect();
        let instructions = |block: usize| {
            let end = basic.get(block + 1).map_or(code.code_len(), |next| next.start);
            let own = code.instructions.iter().map(|instruction| instruction.bci);
            own.filter(|bci| (basic[block].start..end).contains(bci)).collect::<Vec<u32>>()
        };
        joined((0..basic.len()).map(instructions).collect(), &edges)
    }
}

/// Joins each block with the one that always follows it and that nothing else leads to.
fn joined(instructions: Vec<Vec<u32>>, edges: &[FlowEdge]) -> FlowGraph {
    let entries = |block: usize| edges.iter().filter(|edge| edge.to == block).count() + usize::from(block == 0);
    let exits = |block: usize| edges.iter().filter(|edge| edge.from == block).count();
    let is_alone = |edge: &FlowEdge| exits(edge.from) == 1 && entries(edge.to) == 1;
    let follows = |edge: &&FlowEdge| edge.kind == FlowKind::Next && edge.from != edge.to && is_alone(edge);
    // The block that each block belongs to: the first one of its row.
    let mut row: Vec<usize> = (0..instructions.len()).collect();
    for edge in edges.iter().filter(follows) {
        let (kept, gone) = (row[edge.from], row[edge.to]);
        // A row that ends where it began is a loop without a way in.
        if kept != gone {
            row.iter_mut().filter(|block| **block == gone).for_each(|block| *block = kept);
        }
    }
    let kept: Vec<usize> = (0..instructions.len()).filter(|block| row[*block] == *block).collect();
    let place = |block: usize| kept.partition_point(|one| *one < row[block]);
    let mut blocks = vec![FlowBlock::default(); kept.len()];
    for (block, own) in instructions.into_iter().enumerate() {
        blocks[place(block)].instructions.extend(own);
    }
    let is_within = |edge: &FlowEdge| edge.kind == FlowKind::Next && row[edge.from] == row[edge.to] && follows(&edge);
    let mut found: Vec<FlowEdge> = edges
        .iter()
        .filter(|edge| !is_within(edge))
        .map(|edge| FlowEdge { from: place(edge.from), to: place(edge.to), kind: edge.kind })
        .collect();
    found.sort_by_key(|edge| (edge.from, edge.kind, edge.to));
    found.dedup();
    FlowGraph { blocks, edges: found }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edge(from: usize, to: usize, outcome: Option<u32>) -> FlowEdge {
        let kind = outcome.map_or(FlowKind::Next, |outcome| FlowKind::Outcome { bci: from as u32, outcome });
        FlowEdge { from, to, kind }
    }

    #[test]
    fn blocks_that_always_follow_each_other_are_one() {
        let edges = [edge(0, 1, None), edge(1, 2, Some(0)), edge(1, 3, Some(1)), edge(2, 4, None), edge(3, 4, None)];
        let graph = joined((0..5).map(|block| vec![block]).collect(), &edges);
        assert_eq!(graph.blocks[0].instructions, [0, 1]);
        let ways: Vec<(usize, usize)> = graph.edges.iter().map(|edge| (edge.from, edge.to)).collect();
        assert_eq!(ways, [(0, 1), (0, 2), (1, 3), (2, 3)]);
    }

    #[test]
    fn the_head_of_a_loop_stays_a_block() {
        // B0 leads to B1, B1 decides, B2 leads back.
        let edges = [edge(0, 1, None), edge(1, 2, Some(0)), edge(1, 3, Some(1)), edge(2, 1, None)];
        let graph = joined((0..4).map(|block| vec![block]).collect(), &edges);
        assert_eq!((graph.blocks.len(), graph.edges.len()), (4, 4));
        let endless = joined(vec![vec![0], vec![1]], &[edge(0, 1, None), edge(1, 1, None)]);
        assert_eq!((endless.blocks.len(), endless.edges.len()), (2, 2));
    }
}
