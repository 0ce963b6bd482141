//! What decided how a run of a method ended. In: a body, the outcomes of its branches in the run, what the
//! run ended with. Out: the outcomes on which that end depends. Must not know words, nor tests.
//!
//! The outcomes lead from block to block. Where a branch has none, the run did not come there. An end
//! depends on the outcomes that the control dependence of its block names. A block that is reached on every
//! way, such as the only `return`, stands for the code in front of it.
//!
//! ```text
//! if (count > 9 && isOpen) {   the run:     count > 9, isOpen
//!     send();                  it called `send`: decided by [count > 9, isOpen]
//! }
//! return;                      it returned: the same
//! ```

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use tracewright_classfile::{Code, Instruction, MemberRef, Op};

use super::control::{BasicBlock, ControlDependence, ControlEdge, split_into_blocks};
use super::{BranchOutcome, ClassModel, ClassName, MethodRef, Program};

/// The outcome of a conditional jump that is taken.
const TAKEN: u32 = 1;
/// Most operands of one decision.
const MOST_OPERANDS: usize = 3;
/// Most blocks between a branch and the `throw` of a check.
const MOST_STEPS: usize = 3;

/// What a run of a method ended with, as far as it matters.
#[derive(Clone, Copy, Debug)]
pub enum RouteEnd<'a> {
    /// It returned.
    Returned,
    /// It threw an object of the class that it made itself.
    Threw(&'a ClassName),
    /// It called a method with this name and descriptor.
    Called(&'a MethodRef),
    /// It came to no call of such a method.
    Avoided(&'a MethodRef),
}

/// Outcomes that together decided about an end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decision {
    /// In the order of the code: the operands of an `&&` that hold, with the one that does not behind them if there
    /// is one, or those of an `||` that do not.
    pub operands: Vec<BranchOutcome>,
    /// With another outcome, the run would have ended by a `throw`.
    pub passes_check: bool,
}

/// The blocks of a body that a run went through.
pub struct Route {
    class: Arc<ClassModel>,
    method: MethodRef,
    code: Arc<Code>,
    control: Arc<ControlDependence>,
    blocks: Vec<BasicBlock>,
    /// The outcomes of the branch at each bci.
    went: BTreeMap<u32, BTreeSet<u32>>,
    visited: Vec<bool>,
    /// The run may have come to a handler.
    is_interrupted: bool,
}

impl std::fmt::Debug for Route {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Route").field("method", &self.method).field("went", &self.went).finish_non_exhaustive()
    }
}

impl Program {
    /// The route of a run with these outcomes through a method; `None` where the method has no code.
    pub fn route(&self, method: &MethodRef, ways: &BTreeSet<BranchOutcome>) -> Option<Route> {
        let found = self.resolve(method)?;
        let (code, control) = (found.class.code(found.method())?, found.class.control_dependence(found.method())?);
        let mut went: BTreeMap<u32, BTreeSet<u32>> = BTreeMap::new();
        for way in ways.iter().filter(|way| way.method == *found.reference()) {
            went.entry(way.bci).or_default().insert(way.outcome);
        }
        let blocks = split_into_blocks(&code);
        let method = found.reference().clone();
        let class = Arc::clone(&found.class);
        let mut route = Route { class, method, code, control, blocks, went, visited: Vec::new(), is_interrupted: false };
        route.visited = route.visit(false);
        if !route.ends().any(|block| matches!(route.last_op(block), Op::Return(_))) {
            // The run left the way by an exception, and perhaps came to a handler.
            route.visited = route.visit(true);
            route.is_interrupted = true;
        }
        Some(route)
    }
}

impl Program {
    /// Those of the outcomes that held together with others, in any method.
    pub fn conjunctions(&self, ways: &BTreeSet<BranchOutcome>) -> Vec<Decision> {
        let methods: BTreeSet<&MethodRef> = ways.iter().map(|way| &way.method).collect();
        let of_method = |method: &MethodRef| -> Vec<Decision> {
            let Some(route) = self.route(method, ways) else { return Vec::new() };
            let of_method = ways.iter().filter(|way| way.method == *method);
            of_method.map(|way| route.decision(ControlEdge { bci: way.bci, outcome: way.outcome })).collect()
        };
        let decisions = methods.into_iter().flat_map(of_method);
        decisions.filter(|decision| decision.operands.len() > 1).collect()
    }
}

impl Route {
    /// Whether the run came to the branch; true of branches in other methods.
    pub fn passes(&self, branch: &BranchOutcome) -> bool {
        branch.method != self.method || self.block_at(branch.bci).is_some_and(|block| self.visited[block])
    }

    /// Whether the run came to code that makes an object of the class.
    pub(crate) fn came_to_making(&self, class: &ClassName) -> bool {
        (0..self.blocks.len()).any(|block| self.visited[block] && self.makes(block, class))
    }

    /// The decisions on which the end depends; none where nothing in the method decided about it, or where
    /// the run had no such end.
    pub fn decisions(&self, end: RouteEnd<'_>) -> Vec<Decision> {
        let visited = |block: &usize| self.visited[*block];
        let all = 0..self.blocks.len();
        let edges: BTreeSet<ControlEdge> = match end {
            // What interrupted the run decided about it.
            RouteEnd::Returned if self.is_interrupted => BTreeSet::new(),
            RouteEnd::Returned => {
                let returns = self.ends().filter(|block| matches!(self.last_op(*block), Op::Return(_)));
                returns.flat_map(|block| self.edges_before(block)).collect()
            }
            RouteEnd::Threw(class) => {
                all.filter(visited).filter(|block| self.makes(*block, class)).flat_map(|block| self.edges_of(block)).collect()
            }
            RouteEnd::Called(method) => {
                all.filter(visited).filter(|block| self.calls(*block, method)).flat_map(|block| self.edges_of(block)).collect()
            }
            RouteEnd::Avoided(method) if all.clone().filter(visited).any(|block| self.calls(block, method)) => BTreeSet::new(),
            RouteEnd::Avoided(method) => {
                all.filter(|block| self.calls(*block, method)).flat_map(|block| self.edges_away_from(block)).collect()
            }
        };
        let mut decisions: Vec<Decision> = Vec::new();
        for edge in edges {
            let decision = self.decision(edge);
            if !decisions.contains(&decision) {
                decisions.push(decision);
            }
        }
        decisions
    }

    fn decision(&self, edge: ControlEdge) -> Decision {
        let operands = self.operands(edge).into_iter().map(|edge| self.outcome(edge)).collect();
        Decision { operands, passes_check: self.passes_check(edge) }
    }

    fn outcome(&self, edge: ControlEdge) -> BranchOutcome {
        BranchOutcome { method: self.method.clone(), bci: edge.bci, outcome: edge.outcome }
    }

    /// The blocks that the outcomes lead to. `with_handlers`: those of handlers too whose range the run
    /// entered.
    fn visit(&self, with_handlers: bool) -> Vec<bool> {
        let mut visited = vec![false; self.blocks.len()];
        let mut open = if self.blocks.is_empty() { Vec::new() } else { vec![0] };
        while let Some(block) = open.pop() {
            if !std::mem::replace(&mut visited[block], true) {
                open.extend(
                    self.followed(block).filter(|(next, _)| with_handlers || !self.is_handler(*next)).map(|(next, _)| next),
                );
            }
        }
        visited
    }

    /// The successors to which the run may have gone from the block.
    fn followed(&self, block: usize) -> impl Iterator<Item = (usize, Option<u32>)> + '_ {
        let went = self.went.get(&self.blocks[block].last);
        let is_taken = move |outcome: Option<u32>| outcome.is_none_or(|outcome| went.is_some_and(|went| went.contains(&outcome)));
        self.blocks[block].successors.iter().copied().filter(move |(_, outcome)| is_taken(*outcome))
    }

    fn is_handler(&self, block: usize) -> bool {
        self.code.handlers.iter().any(|handler| handler.handler == self.blocks[block].start)
    }

    /// The visited blocks that no other block follows.
    fn ends(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.blocks.len())
            .filter(|block| self.visited[*block] && self.blocks[*block].successors.iter().all(|(next, _)| self.is_handler(*next)))
    }

    /// The outcomes of the run on which the block depends. A branch that went several ways decided nothing.
    fn edges_of(&self, block: usize) -> Vec<ControlEdge> {
        let is_only =
            |edge: &&ControlEdge| self.went.get(&edge.bci).is_some_and(|went| went.len() == 1 && went.contains(&edge.outcome));
        self.control.depends_on(self.blocks[block].start).iter().filter(is_only).copied().collect()
    }

    /// The outcomes on which the block depends, else those on which the code in front of it does.
    fn edges_before(&self, block: usize) -> Vec<ControlEdge> {
        let mut found = self.edges_of(block);
        let mut known = vec![false; self.blocks.len()];
        let mut open = if found.is_empty() { vec![block] } else { Vec::new() };
        while let Some(at) = open.pop() {
            if std::mem::replace(&mut known[at], true) {
                continue;
            }
            for from in (0..self.blocks.len()).filter(|from| self.visited[*from]) {
                for (_, outcome) in self.followed(from).filter(|(next, _)| *next == at) {
                    let bci = self.blocks[from].last;
                    match outcome {
                        Some(outcome) if self.went.get(&bci).is_some_and(|went| went.len() == 1) => {
                            found.push(ControlEdge { bci, outcome });
                        }
                        Some(_) => {}
                        None if self.control.depends_on(self.blocks[from].start).is_empty() => open.push(from),
                        None => found.extend(self.edges_of(from)),
                    }
                }
            }
        }
        found
    }

    /// The outcomes of the run that led away from a block.
    fn edges_away_from(&self, block: usize) -> Vec<ControlEdge> {
        let other = |edge: &ControlEdge| {
            let mut went = self.went.get(&edge.bci)?.iter();
            let only = went.next().filter(|outcome| **outcome != edge.outcome)?;
            let is_jump = self.op_at(edge.bci).is_some_and(Op::is_conditional_jump);
            (is_jump && went.next().is_none()).then_some(ControlEdge { bci: edge.bci, outcome: *only })
        };
        self.control.depends_on(self.blocks[block].start).iter().filter_map(other).collect()
    }

    /// The outcome with those of the operands in front of it: jumps that only ask, and whose other outcome leads
    /// where the other one of the last operand leads. Where the last operand of an `&&` does not hold, its jump
    /// leads where the others would.
    fn operands(&self, edge: ControlEdge) -> Vec<ControlEdge> {
        let mut operands = vec![edge];
        let Some(mut first) = self.block_at(edge.bci) else { return operands };
        let Some(otherwise) = self.other_way(first, edge.outcome) else { return operands };
        let ends = [Some(otherwise), self.way(first, TAKEN).filter(|_| edge.outcome == TAKEN)];
        while operands.len() < MOST_OPERANDS && self.only_asks(first) {
            let leading = |from: &usize| self.blocks[*from].successors.iter().any(|(next, _)| *next == first);
            let mut before = (0..self.blocks.len()).filter(leading);
            let (Some(from), None) = (before.next(), before.next()) else { break };
            let outcome = self.blocks[from].successors.iter().find(|(next, _)| *next == first).and_then(|(_, outcome)| *outcome);
            let leads_to_end = |outcome: &u32| self.other_way(from, *outcome).is_some_and(|end| ends.contains(&Some(end)));
            let Some(outcome) = outcome.filter(leads_to_end) else { break };
            let bci = self.blocks[from].last;
            if self.went.get(&bci).is_none_or(|went| went.len() != 1 || !went.contains(&outcome)) {
                break;
            }
            operands.insert(0, ControlEdge { bci, outcome });
            first = from;
        }
        operands
    }

    /// Where the jump at the end of the block leads with this outcome.
    fn way(&self, block: usize, outcome: u32) -> Option<usize> {
        self.blocks[block].successors.iter().find(|(_, other)| *other == Some(outcome)).map(|(next, _)| *next)
    }

    /// Where the jump at the end of the block leads with its other outcome.
    fn other_way(&self, block: usize, outcome: u32) -> Option<usize> {
        let is_jump = self.last_op(block).is_conditional_jump();
        let other = self.blocks[block].successors.iter().find(|(_, other)| other.is_some_and(|other| other != outcome));
        other.filter(|_| is_jump).map(|(next, _)| *next)
    }

    /// Whether the block holds nothing but a question: no statement of the source in front of its jump.
    fn only_asks(&self, block: usize) -> bool {
        let mut before: Option<&Op> = None;
        self.instructions(block).all(|instruction| {
            let is_binding = matches!(before, Some(Op::CheckCast(_)));
            before = Some(&instruction.op);
            match &instruction.op {
                // javac stores the variable of `x instanceof Item item` behind a cast.
                Op::Store(..) => is_binding,
                Op::Iinc { .. } | Op::PutField(_) | Op::PutStatic(_) | Op::ArrayStore(_) => false,
                op => self.class.called_by(op).is_none_or(|called| !called.descriptor.ends_with(")V")),
            }
        })
    }

    /// Whether the other outcome leads to a `throw`.
    fn passes_check(&self, edge: ControlEdge) -> bool {
        let mut at = self.block_at(edge.bci).and_then(|block| self.other_way(block, edge.outcome));
        for _ in 0..MOST_STEPS {
            let Some(block) = at else { return false };
            if matches!(self.last_op(block), Op::Athrow) {
                return true;
            }
            let mut next = self.blocks[block].successors.iter().filter(|(next, _)| !self.is_handler(*next));
            at = match (next.next(), next.next()) {
                (Some((next, _)), None) => Some(*next),
                _ => None,
            };
        }
        false
    }

    fn makes(&self, block: usize, class: &ClassName) -> bool {
        let pool = self.class.file.constant_pool();
        self.instructions(block).any(|instruction| {
            matches!(&instruction.op, Op::New(made) if pool.class_name(*made).is_ok_and(|made| made == class.internal()))
        })
    }

    fn calls(&self, block: usize, method: &MethodRef) -> bool {
        let is_method = |called: MemberRef<'_>| called.name == &*method.name && called.descriptor == &*method.descriptor;
        self.instructions(block).any(|instruction| self.class.called_by(&instruction.op).is_some_and(is_method))
    }

    fn instructions(&self, block: usize) -> impl Iterator<Item = &Instruction> {
        let BasicBlock { start, last, .. } = &self.blocks[block];
        let range = *start..=*last;
        self.code.instructions.iter().filter(move |instruction| range.contains(&instruction.bci))
    }

    fn last_op(&self, block: usize) -> &Op {
        self.op_at(self.blocks[block].last).unwrap_or(&Op::Nop)
    }

    fn op_at(&self, bci: u32) -> Option<&Op> {
        let place = self.code.instructions.binary_search_by_key(&bci, |instruction| instruction.bci).ok()?;
        Some(&self.code.instructions[place].op)
    }

    fn block_at(&self, bci: u32) -> Option<usize> {
        self.blocks.partition_point(|block| block.start <= bci).checked_sub(1)
    }
}
