//! Bounds propagation over the subterms of clauses that all hold (HC4).
//!
//! In: the subterms of clauses, and splits, one at a time. Out: the bounds of each subterm, or a
//! contradiction with the clauses and splits that it follows from. This module does not know who
//! splits, or why.
//!
//! Bounds of operands imply bounds of results, and the other way round, until nothing changes.
//! Every change keeps the rule that made it. So changes can be retracted, and a contradiction can
//! be explained. A rule may imply less than is true, never more. As soon as every input has one
//! value, every subterm has one value.

use crate::expr::{BinaryOp, EvalNode, IncrementalEvaluator, Interval, NodeIx, Sort, UnaryOp, floating};
use rustc_hash::FxHashMap;
use std::collections::{BTreeSet, VecDeque};

/// The subterms of clauses with their bounds.
#[derive(Debug)]
pub(super) struct Propagation {
    nodes: Vec<EvalNode>,
    sorts: Vec<Sort>,
    /// By node: the nodes that use it as an operand.
    users: Vec<Vec<u32>>,
    /// By node: a node with the same operands in the other order, and its relation.
    commuted: Vec<Option<(u32, Commuted)>>,
    bounds: Vec<Interval>,
    changes: Vec<BoundsChange>,
    /// By node: the numbers of its changes.
    changes_of: Vec<Vec<u32>>,
    queue: VecDeque<u32>,
    is_queued: Vec<bool>,
    /// By node: the last split since which it changed, and how often.
    repeated: Vec<(u32, u32)>,
    round: u32,
    /// Number of changes before the first split.
    base: usize,
    steps: u64,
}

#[derive(Debug)]
struct BoundsChange {
    node_ix: u32,
    before: Interval,
    cause: Cause,
}

#[derive(Clone, Copy, Debug)]
enum Cause {
    Clause(u32),
    Choice(u32),
    /// The rule of a node, and which bounds it used.
    Rule(u32, u8),
}

/// The bounds that a rule used: those of the result, of the operands, and the former ones of the
/// changed node.
const RESULT: u8 = 1;
const FIRST: u8 = 2;
const SECOND: u8 = 4;
const THIRD: u8 = 8;
const OWN: u8 = 16;
const BOTH: u8 = FIRST | SECOND;

const TRUE: Interval = Interval { low: 1, high: 1 };
const FALSE: Interval = Interval { low: 0, high: 0 };

/// A node without any value left.
#[derive(Clone, Copy, Debug)]
pub(super) struct Contradiction {
    node_ix: NodeIx,
    cause: Cause,
}

/// What a contradiction follows from: splits, and changes before the first split.
#[derive(Clone, Debug, Default)]
pub(super) struct Explanation {
    choices: BTreeSet<u32>,
    base: BTreeSet<u32>,
}

impl Explanation {
    /// Whether the split with this number is part of the explanation.
    pub(crate) fn contains(&self, choice: usize) -> bool {
        self.choices.contains(&(choice as u32))
    }

    /// Removes a split.
    pub(crate) fn remove(&mut self, choice: usize) {
        self.choices.remove(&(choice as u32));
    }

    /// Adds another explanation.
    pub(crate) fn extend(&mut self, other: Explanation) {
        self.choices.extend(other.choices);
        self.base.extend(other.base);
    }
}

impl Propagation {
    /// Changes of one node by one split that are propagated. `x < y` and `y < x` would narrow each
    /// other by one for a long time.
    const MOST_REPEATED: u32 = 16;

    /// The bounds of all subterms for all input values.
    pub(crate) fn new(evaluator: &IncrementalEvaluator) -> Propagation {
        let count = evaluator.len();
        let nodes: Vec<EvalNode> = (0..count).map(|node_ix| evaluator.node(node_ix)).collect();
        let sorts: Vec<Sort> = (0..count).map(|node_ix| evaluator.value(node_ix).sort()).collect();
        let mut users = vec![Vec::new(); count];
        for (node_ix, node) in nodes.iter().enumerate() {
            for operand in operands(*node).into_iter().flatten() {
                users[operand].push(node_ix as u32);
            }
        }
        let mut bounds: Vec<Interval> = sorts.iter().map(|sort| Interval::all(*sort)).collect();
        for (number, input) in evaluator.inputs().iter().enumerate() {
            if let Some((low, high)) = input.kind.range() {
                bounds[evaluator.leaf(number)] = Interval { low, high };
            }
        }
        for node_ix in 0..count {
            bounds[node_ix] = match nodes[node_ix] {
                EvalNode::Input => continue,
                EvalNode::Constant => Interval::of_value(evaluator.value(node_ix)),
                EvalNode::Unary(op, a) => Interval::unary(op, sorts[a], bounds[a]),
                EvalNode::Binary(op, a, b) => Interval::binary(op, sorts[a], bounds[a], bounds[b]),
                EvalNode::Ite(condition, a, b) => ite_bounds(bounds[condition], bounds[a], bounds[b]).0,
            };
        }
        let commuted = commuted(&nodes, &sorts, &bounds);
        for (node_ix, duplicate) in commuted.iter().enumerate() {
            if let Some((duplicate, _)) = duplicate {
                users[*duplicate as usize].push(node_ix as u32);
            }
        }
        Propagation {
            nodes,
            sorts,
            users,
            commuted,
            bounds,
            changes: Vec::new(),
            changes_of: vec![Vec::new(); count],
            queue: VecDeque::new(),
            is_queued: vec![false; count],
            repeated: vec![(0, 0); count],
            round: 0,
            base: usize::MAX,
            steps: count as u64,
        }
    }

    /// The present bounds of a subterm.
    pub(crate) fn bounds(&self, node_ix: NodeIx) -> Interval {
        self.bounds[node_ix]
    }

    /// Rules applied and changes explained so far.
    pub(crate) fn steps(&self) -> u64 {
        self.steps
    }

    /// Number of changes so far, for [`Propagation::retract`].
    pub(crate) fn changes(&self) -> usize {
        self.changes.len()
    }

    /// Requires a clause to hold.
    pub(crate) fn require(&mut self, clause: usize, root: NodeIx) -> Result<(), Contradiction> {
        self.narrow(root, TRUE, Cause::Clause(clause as u32))
    }

    /// Marks the changes so far as consequences of the clauses alone.
    pub(crate) fn mark_base(&mut self) {
        self.base = self.changes.len();
    }

    /// Restricts a subterm to some of its bounds, as the split with this number.
    pub(crate) fn choose(&mut self, choice: usize, node_ix: NodeIx, bounds: Interval) -> Result<(), Contradiction> {
        self.round += 1;
        self.narrow(node_ix, bounds, Cause::Choice(choice as u32))
    }

    /// Undoes all changes but the first `changes`.
    pub(crate) fn retract(&mut self, changes: usize) {
        for change in self.changes.drain(changes..).rev() {
            self.bounds[change.node_ix as usize] = change.before;
            self.changes_of[change.node_ix as usize].pop();
        }
        for node_ix in self.queue.drain(..) {
            self.is_queued[node_ix as usize] = false;
        }
    }

    fn narrow(&mut self, node_ix: NodeIx, to: Interval, cause: Cause) -> Result<(), Contradiction> {
        let now = self.bounds[node_ix];
        let Some(met) = now.intersection(to) else { return Err(Contradiction { node_ix, cause }) };
        if met == now {
            return Ok(());
        }
        let cause = match cause {
            Cause::Rule(by, used) if met != to => Cause::Rule(by, used | OWN),
            cause => cause,
        };
        self.changes_of[node_ix].push(self.changes.len() as u32);
        self.changes.push(BoundsChange { node_ix: node_ix as u32, before: now, cause });
        self.bounds[node_ix] = met;
        let (round, count) = &mut self.repeated[node_ix];
        if *round != self.round {
            (*round, *count) = (self.round, 0);
        }
        *count += 1;
        // A node with one value is always propagated, so that all values are known in the end.
        if *count > Self::MOST_REPEATED && met.low != met.high {
            return Ok(());
        }
        if !matches!(self.nodes[node_ix], EvalNode::Constant | EvalNode::Input) {
            self.enqueue(node_ix as u32);
        }
        for index in 0..self.users[node_ix].len() {
            self.enqueue(self.users[node_ix][index]);
        }
        Ok(())
    }

    fn enqueue(&mut self, node_ix: u32) {
        if !std::mem::replace(&mut self.is_queued[node_ix as usize], true) {
            self.queue.push_back(node_ix);
        }
    }

    /// Applies rules until no bounds change.
    pub(crate) fn propagate(&mut self) -> Result<(), Contradiction> {
        while let Some(node_ix) = self.queue.pop_front() {
            self.is_queued[node_ix as usize] = false;
            self.steps += 1;
            self.apply(node_ix as usize)?;
        }
        Ok(())
    }

    /// Applies the rules of one node: upwards, then downwards.
    fn apply(&mut self, node_ix: NodeIx) -> Result<(), Contradiction> {
        let rule = |used: u8| Cause::Rule(node_ix as u32, used);
        match self.nodes[node_ix] {
            EvalNode::Constant | EvalNode::Input => Ok(()),
            EvalNode::Unary(op, a) => {
                self.narrow(node_ix, Interval::unary(op, self.sorts[a], self.bounds[a]), rule(FIRST))?;
                let (result, operand) = (self.bounds[node_ix], self.bounds[a]);
                let to = match op {
                    UnaryOp::Not => Interval { low: 1 - result.high, high: 1 - result.low },
                    UnaryOp::I2L => result,
                    UnaryOp::ZeroExtend if operand.low >= 0 => result,
                    UnaryOp::I2B if i64::from(i8::MIN) <= operand.low && operand.high <= i8::MAX.into() => result,
                    UnaryOp::I2S if i64::from(i16::MIN) <= operand.low && operand.high <= i16::MAX.into() => result,
                    UnaryOp::L2I if i64::from(i32::MIN) <= operand.low && operand.high <= i32::MAX.into() => result,
                    UnaryOp::BvNeg if operand.low > Interval::full(self.sorts[a]).low => {
                        Interval { low: result.high.saturating_neg(), high: result.low.saturating_neg() }
                    }
                    _ => match floating::operand(op, self.sorts[a], operand, result) {
                        Some(to) => to,
                        None => return Err(Contradiction { node_ix: a, cause: rule(RESULT | FIRST) }),
                    },
                };
                self.narrow(a, to, rule(if op == UnaryOp::Not { RESULT } else { RESULT | FIRST }))
            }
            EvalNode::Binary(op, a, b) => {
                let used = match op {
                    BinaryOp::And if self.bounds[a] == FALSE => FIRST,
                    BinaryOp::And if self.bounds[b] == FALSE => SECOND,
                    BinaryOp::Or if self.bounds[a] == TRUE => FIRST,
                    BinaryOp::Or if self.bounds[b] == TRUE => SECOND,
                    _ => BOTH,
                };
                self.narrow(node_ix, Interval::binary(op, self.sorts[a], self.bounds[a], self.bounds[b]), rule(used))?;
                if let Some(rest) = self.remainder(op, a, b) {
                    self.narrow(node_ix, rest, rule(FIRST))?;
                }
                if let Some((duplicate, relation)) = self.commuted[node_ix] {
                    self.narrow(node_ix, relation.of(self.bounds[duplicate as usize]), Cause::Rule(duplicate, RESULT))?;
                }
                self.apply_down(node_ix, op, a, b)
            }
            EvalNode::Ite(condition, a, b) => {
                let (condition_bounds, x, y) = (self.bounds[condition], self.bounds[a], self.bounds[b]);
                let (to, used) = ite_bounds(condition_bounds, x, y);
                self.narrow(node_ix, to, rule(used))?;
                let result = self.bounds[node_ix];
                if condition_bounds == TRUE {
                    self.narrow(a, result, rule(RESULT | FIRST))
                } else if condition_bounds == FALSE {
                    self.narrow(b, result, rule(RESULT | FIRST))
                } else if result.is_disjoint(x) {
                    self.narrow(condition, FALSE, rule(RESULT | SECOND))
                } else if result.is_disjoint(y) {
                    self.narrow(condition, TRUE, rule(RESULT | THIRD))
                } else {
                    Ok(())
                }
            }
        }
    }

    /// Bounds of `x - (integral part of x)`.
    fn remainder(&self, op: BinaryOp, a: NodeIx, b: NodeIx) -> Option<Interval> {
        let (BinaryOp::FpSub, EvalNode::Unary(back, integer)) = (op, self.nodes[b]) else { return None };
        let (to, of) = match (back, self.nodes[integer]) {
            (UnaryOp::FpFloor, _) => (back, integer),
            (UnaryOp::I2F | UnaryOp::I2D | UnaryOp::L2F | UnaryOp::L2D, EvalNode::Unary(to, of)) => (to, of),
            _ => return None,
        };
        if of == a { floating::remainder(to, self.sorts[a], self.bounds[a]) } else { None }
    }

    fn apply_down(&mut self, node_ix: NodeIx, op: BinaryOp, a: NodeIx, b: NodeIx) -> Result<(), Contradiction> {
        let rule = |used: u8| Cause::Rule(node_ix as u32, used);
        let (result, x, y) = (self.bounds[node_ix], self.bounds[a], self.bounds[b]);
        let is_known = result.low == result.high;
        match op {
            BinaryOp::And | BinaryOp::Or if is_known => {
                // The result that only one pair of operands gives.
                let (all, other) = if op == BinaryOp::And { (TRUE, FALSE) } else { (FALSE, TRUE) };
                if result == all {
                    self.narrow(a, all, rule(RESULT))?;
                    self.narrow(b, all, rule(RESULT))
                } else if x == all {
                    self.narrow(b, other, rule(RESULT | FIRST))
                } else if y == all {
                    self.narrow(a, other, rule(RESULT | SECOND))
                } else {
                    Ok(())
                }
            }
            BinaryOp::Eq if result == TRUE => {
                self.narrow(a, y, rule(RESULT | SECOND))?;
                self.narrow(b, self.bounds[a], rule(RESULT | FIRST))
            }
            BinaryOp::Eq if result == FALSE => {
                if x.low == x.high {
                    self.exclude(b, x.low, rule(RESULT | FIRST))
                } else if y.low == y.high {
                    self.exclude(a, y.low, rule(RESULT | SECOND))
                } else {
                    Ok(())
                }
            }
            BinaryOp::BvSlt | BinaryOp::BvSle if is_known => {
                let strict = op == BinaryOp::BvSlt;
                if result == TRUE {
                    self.apply_order(a, b, strict, node_ix, BOTH)
                } else {
                    self.apply_order(b, a, !strict, node_ix, BOTH)
                }
            }
            BinaryOp::BvUlt | BinaryOp::BvUle if is_known => {
                let strict = op == BinaryOp::BvUlt;
                // Unsigned below a value that is not negative, no value is negative.
                let (less, more, strict) = if result == TRUE { (a, b, strict) } else { (b, a, !strict) };
                let (low, high) = (self.bounds[less], self.bounds[more]);
                if high.low >= 0 && low.low < 0 {
                    self.narrow(less, Interval { low: 0, high: i64::MAX }, rule(RESULT | BOTH))?;
                }
                if self.bounds[less].low >= 0 && high.low >= 0 {
                    self.apply_order(less, more, strict, node_ix, BOTH)
                } else {
                    Ok(())
                }
            }
            BinaryOp::BvAdd => {
                let full = Interval::full(self.sorts[node_ix]);
                if !fits(full, i128::from(x.low) + i128::from(y.low), i128::from(x.high) + i128::from(y.high)) {
                    return Ok(());
                }
                self.narrow(a, difference(result, y), rule(RESULT | BOTH))?;
                self.narrow(b, difference(result, self.bounds[a]), rule(RESULT | BOTH))
            }
            BinaryOp::BvSub => {
                let full = Interval::full(self.sorts[node_ix]);
                if !fits(full, i128::from(x.low) - i128::from(y.high), i128::from(x.high) - i128::from(y.low)) {
                    return Ok(());
                }
                let sum = Interval { low: result.low.saturating_add(y.low), high: result.high.saturating_add(y.high) };
                self.narrow(a, sum, rule(RESULT | BOTH))?;
                self.narrow(b, difference(self.bounds[a], result), rule(RESULT | BOTH))
            }
            BinaryOp::BvMul if y.low == y.high && y.low > 0 => {
                let full = Interval::full(self.sorts[node_ix]);
                let factor = y.low;
                if !fits(full, i128::from(x.low) * i128::from(factor), i128::from(x.high) * i128::from(factor)) {
                    return Ok(());
                }
                let low = result.low.div_euclid(factor) + i64::from(result.low.rem_euclid(factor) != 0);
                let high = result.high.div_euclid(factor);
                if low > high {
                    return Err(Contradiction { node_ix: a, cause: rule(RESULT | BOTH) });
                }
                self.narrow(a, Interval { low, high }, rule(RESULT | BOTH))
            }
            BinaryOp::Lcmp => {
                if result == Interval::point(0) {
                    self.narrow(a, y, rule(RESULT | SECOND))?;
                    self.narrow(b, self.bounds[a], rule(RESULT | FIRST))
                } else if result.high < 0 {
                    self.apply_order(a, b, true, node_ix, BOTH)
                } else if result.low > 0 {
                    self.apply_order(b, a, true, node_ix, BOTH)
                } else {
                    Ok(())
                }
            }
            _ if self.sorts[a].is_fp() => match floating::operands(op, self.sorts[a], x, y, result) {
                Some((x, y)) => {
                    self.narrow(a, x, rule(RESULT | BOTH))?;
                    self.narrow(b, y, rule(RESULT | BOTH))
                }
                None => Err(Contradiction { node_ix: a, cause: rule(RESULT | BOTH) }),
            },
            _ => Ok(()),
        }
    }

    /// Applies `less <= more`, or `less < more` if strict.
    fn apply_order(&mut self, less: NodeIx, more: NodeIx, strict: bool, by: NodeIx, used: u8) -> Result<(), Contradiction> {
        let cause = Cause::Rule(by as u32, RESULT | used);
        let step = i64::from(strict);
        let high = self.bounds[more].high.saturating_sub(step);
        self.narrow(less, Interval { low: i64::MIN, high }, cause)?;
        let low = self.bounds[less].low.saturating_add(step);
        self.narrow(more, Interval { low, high: i64::MAX }, cause)
    }

    /// Removes a value at either end of the bounds.
    fn exclude(&mut self, node_ix: NodeIx, value: i64, cause: Cause) -> Result<(), Contradiction> {
        let now = self.bounds[node_ix];
        if now == Interval::point(value) {
            return Err(Contradiction { node_ix, cause });
        }
        if now.low == value {
            return self.narrow(node_ix, Interval { low: value + 1, ..now }, with_own(cause));
        }
        if now.high == value {
            return self.narrow(node_ix, Interval { high: value - 1, ..now }, with_own(cause));
        }
        Ok(())
    }

    /// The splits, and the changes before the first split, that a contradiction follows from.
    pub(crate) fn explain(&mut self, contradiction: Contradiction) -> Explanation {
        let mut explanation = Explanation::default();
        let mut pending = BTreeSet::new();
        self.explain_change(
            contradiction.node_ix,
            with_own(contradiction.cause),
            self.changes.len() as u32,
            &mut pending,
            &mut explanation,
        );
        while let Some(change) = pending.pop_last() {
            self.steps += 1;
            if (change as usize) < self.base {
                explanation.base.insert(change);
                continue;
            }
            let BoundsChange { node_ix, cause, .. } = self.changes[change as usize];
            self.explain_change(node_ix as usize, cause, change, &mut pending, &mut explanation);
        }
        explanation
    }

    /// Adds the changes before `at` that a change with this cause follows from.
    fn explain_change(&self, node_ix: NodeIx, cause: Cause, at: u32, pending: &mut BTreeSet<u32>, explanation: &mut Explanation) {
        let mut add = |node_ix: NodeIx| {
            let changes = &self.changes_of[node_ix];
            let before = changes.partition_point(|change| *change < at);
            pending.extend(before.checked_sub(1).map(|last| changes[last]));
        };
        match cause {
            Cause::Clause(_) => add(node_ix),
            // The other half is explained by its own contradiction.
            Cause::Choice(choice) => {
                explanation.choices.insert(choice);
                add(node_ix);
            }
            Cause::Rule(by, used) => {
                let by = by as usize;
                if used & RESULT != 0 {
                    add(by);
                }
                for (operand, bit) in operands(self.nodes[by]).into_iter().zip([FIRST, SECOND, THIRD]) {
                    if let Some(operand) = operand.filter(|_| used & bit != 0) {
                        add(operand);
                    }
                }
                if used & OWN != 0 {
                    add(node_ix);
                }
            }
        }
    }

    /// The clauses that a contradiction without splits follows from, ascending.
    pub(crate) fn core(&self, explanation: Explanation) -> Vec<usize> {
        let mut core = BTreeSet::new();
        let mut pending = explanation.base;
        while let Some(change) = pending.pop_last() {
            let BoundsChange { node_ix, cause, .. } = self.changes[change as usize];
            if let Cause::Clause(clause) = cause {
                core.insert(clause as usize);
            }
            self.explain_change(node_ix as usize, cause, change, &mut pending, &mut Explanation::default());
        }
        core.into_iter().collect()
    }

    /// The clauses that a contradiction before the first split follows from, ascending.
    pub(crate) fn core_of(&mut self, contradiction: Contradiction) -> Vec<usize> {
        self.mark_base();
        let explanation = self.explain(contradiction);
        let mut core = self.core(explanation);
        if let Cause::Clause(clause) = contradiction.cause {
            core.push(clause as usize);
            core.sort_unstable();
            core.dedup();
        }
        core
    }
}

/// The relation of a node to another one with the same operands in the other order.
#[derive(Clone, Copy, Debug)]
enum Commuted {
    Same,
    Negated,
    /// One is true if the other is false.
    Opposite,
}

impl Commuted {
    /// The bounds of a node from those of its commuted duplicate.
    fn of(self, duplicate: Interval) -> Interval {
        match self {
            Commuted::Same => duplicate,
            Commuted::Negated => difference(Interval::point(0), duplicate),
            Commuted::Opposite => difference(Interval::point(1), duplicate),
        }
    }
}

/// By node: its commuted duplicate.
fn commuted(nodes: &[EvalNode], sorts: &[Sort], bounds: &[Interval]) -> Vec<Option<(u32, Commuted)>> {
    use BinaryOp::*;
    let binary = nodes.iter().enumerate().filter(|(_, node)| matches!(node, EvalNode::Binary(..)));
    let by_node: FxHashMap<EvalNode, u32> = binary.map(|(node_ix, node)| (*node, node_ix as u32)).collect();
    let duplicate = |(node_ix, node): (NodeIx, &EvalNode)| {
        let EvalNode::Binary(op, a, b) = *node else { return None };
        let (other, duplicate) = match op {
            And | Or | Eq | BvAdd | BvMul | BvAnd | BvOr | BvXor | FpEq | FpAdd | FpMul => (op, Commuted::Same),
            BvSlt => (BvSle, Commuted::Opposite),
            BvSle => (BvSlt, Commuted::Opposite),
            BvUlt => (BvUle, Commuted::Opposite),
            BvUle => (BvUlt, Commuted::Opposite),
            BvSub => {
                let (x, y) = (bounds[a], bounds[b]);
                let least = i128::from(x.low.min(y.low)) - i128::from(x.high.max(y.high));
                // Only if neither difference overflows.
                (op, fits(Interval::full(sorts[a]), least, -least).then_some(Commuted::Negated)?)
            }
            _ => return None,
        };
        let found = *by_node.get(&EvalNode::Binary(other, b, a))?;
        (found as usize != node_ix).then_some((found, duplicate))
    };
    nodes.iter().enumerate().map(duplicate).collect()
}

fn operands(node: EvalNode) -> [Option<NodeIx>; 3] {
    match node {
        EvalNode::Constant | EvalNode::Input => [None; 3],
        EvalNode::Unary(_, a) => [Some(a), None, None],
        EvalNode::Binary(_, a, b) => [Some(a), Some(b), None],
        EvalNode::Ite(condition, a, b) => [Some(condition), Some(a), Some(b)],
    }
}

/// The bounds of an if-then-else, and the operands that they follow from.
fn ite_bounds(condition: Interval, a: Interval, b: Interval) -> (Interval, u8) {
    if condition == TRUE {
        (a, FIRST | SECOND)
    } else if condition == FALSE {
        (b, FIRST | THIRD)
    } else {
        (a.hull(b), SECOND | THIRD)
    }
}

fn with_own(cause: Cause) -> Cause {
    match cause {
        Cause::Rule(by, used) => Cause::Rule(by, used | OWN),
        cause => cause,
    }
}

fn fits(full: Interval, low: i128, high: i128) -> bool {
    i128::from(full.low) <= low && high <= i128::from(full.high)
}

/// `x - y`, saturated.
fn difference(x: Interval, y: Interval) -> Interval {
    Interval { low: x.low.saturating_sub(y.high), high: x.high.saturating_sub(y.low) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expr::tests::{genes, grow, model};
    use crate::expr::{TermId, TermStore, Value};
    use proptest::prelude::*;

    fn propagation(terms: &TermStore, clauses: &[TermId]) -> (IncrementalEvaluator, Propagation) {
        let evaluator = IncrementalEvaluator::new(terms, clauses, &Default::default(), usize::MAX).expect("small");
        let propagation = Propagation::new(&evaluator);
        (evaluator, propagation)
    }

    /// The bounds of the inputs, or the core, after the clauses were required one after the other.
    fn bounds_after(clauses: &[&str]) -> String {
        let mut terms = TermStore::new();
        let clauses: Vec<TermId> = clauses.iter().map(|text| terms.parse(text).expect(text)).collect();
        let (evaluator, mut propagation) = propagation(&terms, &clauses);
        let mut required = evaluator.roots().iter().enumerate();
        let result =
            required.try_for_each(|(clause, root)| propagation.require(clause, *root)).and_then(|()| propagation.propagate());
        if let Err(contradiction) = result {
            return format!("contradiction {:?}", propagation.core_of(contradiction));
        }
        let left = evaluator.inputs().iter().enumerate().map(|(number, input)| {
            let Interval { low, high } = propagation.bounds(evaluator.leaf(number));
            format!("{input} {low}..{high}")
        });
        left.collect::<Vec<_>>().join(", ")
    }

    #[test]
    fn bounds_of_results_narrow_bounds_of_operands() {
        assert_eq!(bounds_after(&["(and (bvsle 3 v0) (not (or (bvslt 9 v0) (= v0 3))))"]), "v0 4..9");
        assert_eq!(bounds_after(&["(= v0[0] v0[1])", "(bvsle 48 v0[0])", "(bvsle v0[1] 57)"]), "v0[0] 48..57, v0[1] 48..57");
        assert_eq!(bounds_after(&["(bvult v0 v1.length)", "(bvsle v1.length 4)"]), "v0 0..3, v1.length 1..4");
        assert_eq!(bounds_after(&["(bvsle (bvadd v0:char v1:char) 9)", "(bvsle 4 v1:char)"]), "v0:char 0..5, v1:char 4..9");
        assert_eq!(bounds_after(&["(= (bvsub v0:char v1:char) 3)", "(bvsle v0:char 5)"]), "v0:char 3..5, v1:char 0..2");
        assert_eq!(bounds_after(&["(bvsle 7 (bvmul v0:byte 3))", "(bvsle (bvmul v0:byte 3) 13)"]), "v0:byte 3..4");
        assert_eq!(bounds_after(&["(bvsle (bvneg v0:byte) -3)"]), "v0:byte 3..127");
        assert_eq!(
            bounds_after(&["(= (lcmp v0:long v1:long) -1)", "(bvslt v1:long 1L)", "(bvslt -3L v0:long)"]),
            "v0:long -2..-1, v1:long -1..0"
        );
        assert_eq!(bounds_after(&["(bvslt (i2l v0:char) v1:long)", "(bvslt v1:long 3L)"]), "v0:char 0..1, v1:long 1..2");
        assert_eq!(
            bounds_after(&["(= (ite (bvslt v0 3) v1:byte 7) v2:byte)", "(bvslt v2:byte 7)"]),
            "v0 -2147483648..2, v1:byte -128..6, v2:byte -128..6"
        );
    }

    #[test]
    fn a_comparison_narrows_its_commuted_duplicate() {
        assert_eq!(
            bounds_after(&["(bvslt (bvsub v0:char v1:char) 0)", "(bvslt (bvsub v1:char v0:char) 0)"]),
            "contradiction [0, 1]"
        );
        assert_eq!(bounds_after(&["(or (= v0 v1) (bvslt v2 v3))", "(not (or (bvslt v2 v3) (= v1 v0)))"]), "contradiction [0, 1]");
        // These may overflow.
        assert!(bounds_after(&["(bvslt (bvsub v0 v1) 0)", "(bvslt (bvsub v1 v0) 0)"]).starts_with("v0 "));
    }

    #[test]
    fn bounds_of_floats_are_narrowed_upwards_and_downwards() {
        let d = |value: f64| format!("d#{:016x}", value.to_bits());
        let between = |low: f64, high: f64| {
            let [low, high] = [low, high].map(|end| Interval::of_value(Value::double(end)).low);
            format!("v0:double {low}..{high}")
        };
        let (one, four) = (d(1.0), d(4.0));
        assert_eq!(
            bounds_after(&[&format!("(fp.leq {one} v0:double)"), &format!("(fp.leq v0:double {four})")]),
            between(1.0, 4.0)
        );
        assert_eq!(
            bounds_after(&[
                &format!("(not (fp.lt v0:double {one}))"),
                &format!("(not (fp.lt {four} v0:double))"),
                "(fp.eq v0:double v0:double)"
            ]),
            between(1.0, 4.0)
        );
        assert_eq!(bounds_after(&["(= (d2i v0:double) 7)"]), between(7.0, 8.0_f64.next_down()));
        assert_eq!(
            bounds_after(&[&format!("(fp.eq (fp.abs v0:double) {four})"), &format!("(fp.lt v0:double {one})")]),
            between(-4.0, -4.0)
        );
        assert_eq!(
            bounds_after(&[&format!("(fp.lt (fp.sub v0:double v0:double) {one})")]),
            between(f64::NEG_INFINITY, f64::INFINITY)
        );
        assert_eq!(bounds_after(&["(bvslt 128 v1)", "(bvsle (f2i (fp.mul (i2f v1) f#3f400000)) 0)"]), "contradiction [0, 1]");
        // A sum that was rounded to four lies between the neighbours of four.
        let sum = format!("(fp.add v0:double {one})");
        assert_eq!(bounds_after(&[&format!("(fp.leq {four} {sum})"), &format!("(fp.leq {sum} {four})")]), {
            between((4.0_f64.next_down() - 1.0).next_down(), (4.0_f64.next_up() - 1.0).next_up())
        });
        let rest = "(fp.sub v0:double (i2d (d2i v0:double)))";
        assert_eq!(
            bounds_after(&[
                &format!("(fp.leq v0:double {four})"),
                &format!("(fp.leq {one} {rest})"),
                &format!("(fp.leq {one} v0:double)")
            ]),
            "contradiction [0, 1, 2]"
        );
    }

    #[test]
    fn contradictions_name_the_clauses_that_they_follow_from() {
        assert_eq!(bounds_after(&["(bvslt v0 5)", "(bvslt v9 3)", "(or (bvslt 5 v0) (= v9 3))"]), "contradiction [0, 1, 2]");
        assert_eq!(
            bounds_after(&["(= v2 7)", "(bvslt v0 5)", "(bvslt v9 v0)", "(not (= v2 8))", "(bvslt 5 v9)"]),
            "contradiction [1, 2, 4]"
        );
        assert_eq!(bounds_after(&["(bvslt v1 5)", "(bvslt v0:boolean 0)"]), "contradiction [1]");
    }

    #[test]
    fn mutual_narrowing_by_one_ends() {
        let bounds = bounds_after(&["(bvslt v0 v1)", "(bvslt v1 v0)"]);
        assert!(bounds.starts_with("v0 "), "{bounds}");
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 1500, ..ProptestConfig::default() })]

        /// Clauses that hold under a model, and splits that contain it, exclude none of its values.
        #[test]
        fn the_values_of_a_model_stay_within_the_bounds(genes in genes(60), model in model(), choices in proptest::collection::vec(any::<(u16, bool)>(), 0..12), folding: bool) {
            let mut terms = if folding { TermStore::new() } else { TermStore::without_folding() };
            let mut clauses: Vec<TermId> = grow(&mut terms, &genes).into_iter().filter(|term| terms.sort(*term) == Sort::Bool).collect();
            for clause in &mut clauses {
                if !terms.holds(*clause, &model) {
                    *clause = terms.not(*clause);
                }
            }
            let evaluator = IncrementalEvaluator::new(&terms, &clauses, &model, usize::MAX).expect("small");
            let mut propagation = Propagation::new(&evaluator);
            let check = |propagation: &Propagation| {
                for node_ix in 0..evaluator.len() {
                    let (bounds, value) = (propagation.bounds(node_ix), Interval::of_value(evaluator.value(node_ix)));
                    prop_assert!(bounds.contains(value.low), "{:?} of {:?} with {:?}", bounds, evaluator.node(node_ix), evaluator.value(node_ix));
                }
                Ok(())
            };
            check(&propagation)?;
            for (clause, root) in evaluator.roots().iter().enumerate() {
                prop_assert!(propagation.require(clause, *root).is_ok());
            }
            prop_assert!(propagation.propagate().is_ok());
            check(&propagation)?;
            propagation.mark_base();
            let (changes, before) = (propagation.changes(), propagation.bounds.clone());
            for (choice, (node_ix, narrow)) in choices.into_iter().enumerate() {
                let node_ix = node_ix as usize % evaluator.len();
                let (bounds, value) = (propagation.bounds(node_ix), Interval::of_value(evaluator.value(node_ix)));
                let to = if narrow { value } else { Interval { low: value.low, ..bounds } };
                prop_assert!(propagation.choose(choice + 1, node_ix, to).is_ok());
                prop_assert!(propagation.propagate().is_ok());
                check(&propagation)?;
            }
            // Once all inputs have one value, every subterm has one.
            for number in 0..evaluator.inputs().len() {
                let value = Interval::of_value(evaluator.input(number));
                prop_assert!(propagation.choose(100 + number, evaluator.leaf(number), value).is_ok());
                prop_assert!(propagation.propagate().is_ok());
            }
            check(&propagation)?;
            prop_assert!((0..evaluator.len()).all(|node_ix| propagation.bounds(node_ix).value(evaluator.value(node_ix).sort()) == Some(evaluator.value(node_ix))));
            propagation.retract(changes);
            prop_assert!(propagation.bounds == before);
        }
    }

    #[test]
    fn an_explanation_names_only_the_splits_that_matter() {
        let mut terms = TermStore::new();
        let clauses: Vec<TermId> =
            ["(bvslt v0 v1)", "(= v2 v2)", "(bvslt v1 v3)"].map(|text| terms.parse(text).expect(text)).to_vec();
        let (evaluator, mut propagation) = propagation(&terms, &clauses);
        for (clause, root) in evaluator.roots().iter().enumerate() {
            propagation.require(clause, *root).expect("no contradiction");
        }
        propagation.propagate().expect("satisfiable");
        propagation.mark_base();
        let at = |number, low, high| (evaluator.leaf(number), Interval { low, high });
        for (choice, (node_ix, bounds)) in [at(3, i64::from(i32::MIN), 9), at(1, 5, 100)].into_iter().enumerate() {
            propagation.choose(choice + 1, node_ix, bounds).expect("no contradiction");
            propagation.propagate().expect("no contradiction");
        }
        assert_eq!(evaluator.value(evaluator.leaf(0)), Value::Int(0));
        let (node_ix, bounds) = at(0, 8, 100);
        let contradiction =
            propagation.choose(3, node_ix, bounds).and_then(|()| propagation.propagate()).expect_err("8 < v1 < v3 < 10");
        let explanation = propagation.explain(contradiction);
        assert!(explanation.contains(1) && explanation.contains(3) && !explanation.contains(4));
        assert_eq!(propagation.core(explanation), [0, 2]);
    }
}
