//! Bounds of all subterms of some clauses, when all of the clauses hold: what is known of operands goes up to results, what is known of results goes down
//! to operands, until nothing changes. Flows in: the subterms of clauses, and choices, one at a time; flows out: what is left of each subterm, or that nothing
//! is left, with the clauses and choices that this follows from. Must not know who chooses, or why.
//!
//! Every change is kept with the rule that made it: so it can be taken back, and a contradiction can be followed to what it came from. Rules may say less
//! than could be known, never more: each is an implication over the subterms that it names, and once all inputs have one value, so has everything else.

use crate::expr::{BinaryOp, Dense, Interval, Node, Place, Sort, UnaryOp, floating};
use rustc_hash::FxHashMap;
use std::collections::{BTreeSet, VecDeque};

/// The subterms of clauses with what is left of each.
#[derive(Debug)]
pub(super) struct Propagation {
    nodes: Vec<Node>,
    sorts: Vec<Sort>,
    /// By place: the subterms that it is an operand of.
    users: Vec<Vec<u32>>,
    /// By place: what has the same operands the other way round, and what that says.
    twins: Vec<Option<(u32, Twin)>>,
    bounds: Vec<Interval>,
    changes: Vec<Change>,
    /// By place: numbers of its changes.
    changes_of: Vec<Vec<u32>>,
    queue: VecDeque<u32>,
    is_queued: Vec<bool>,
    /// By place: how often it has changed since the last choice, and which choice that was.
    repeated: Vec<(u32, u32)>,
    round: u32,
    /// How many changes there were before the first choice.
    settled: usize,
    steps: u64,
}

#[derive(Debug)]
struct Change {
    place: u32,
    before: Interval,
    cause: Cause,
}

#[derive(Clone, Copy, Debug)]
enum Cause {
    Clause(u32),
    Choice(u32),
    /// The rule of a subterm, and which of its places it looked at.
    Rule(u32, u8),
}

/// What a rule looked at: the subterm, its operands, and the bounds that the changed place had.
const RESULT: u8 = 1;
const FIRST: u8 = 2;
const SECOND: u8 = 4;
const THIRD: u8 = 8;
const OWN: u8 = 16;
const BOTH: u8 = FIRST | SECOND;

const TRUE: Interval = Interval { low: 1, high: 1 };
const FALSE: Interval = Interval { low: 0, high: 0 };

/// Nothing is left of a place.
#[derive(Clone, Copy, Debug)]
pub(super) struct Nothing {
    place: Place,
    cause: Cause,
}

/// What a contradiction follows from: choices, and changes before the first choice.
#[derive(Clone, Debug, Default)]
pub(super) struct Grounds {
    choices: BTreeSet<u32>,
    settled: BTreeSet<u32>,
}

impl Grounds {
    pub(crate) fn contain(&self, choice: usize) -> bool {
        self.choices.contains(&(choice as u32))
    }

    pub(crate) fn remove(&mut self, choice: usize) {
        self.choices.remove(&(choice as u32));
    }

    pub(crate) fn extend(&mut self, other: Grounds) {
        self.choices.extend(other.choices);
        self.settled.extend(other.settled);
    }
}

impl Propagation {
    /// Changes of one place by one choice before others are told no more: `x < y` and `y < x` narrow each other by one.
    const MOST_REPEATED: u32 = 16;

    /// The bounds of all subterms whatever the inputs are.
    pub(crate) fn new(dense: &Dense) -> Propagation {
        let count = dense.len();
        let nodes: Vec<Node> = (0..count).map(|place| dense.node(place)).collect();
        let sorts: Vec<Sort> = (0..count).map(|place| dense.value(place).sort()).collect();
        let mut users = vec![Vec::new(); count];
        for (place, node) in nodes.iter().enumerate() {
            for operand in operands(*node).into_iter().flatten() {
                users[operand].push(place as u32);
            }
        }
        let mut bounds: Vec<Interval> = sorts.iter().map(|sort| Interval::all(*sort)).collect();
        for (number, input) in dense.inputs().iter().enumerate() {
            if let Some((low, high)) = input.kind.range() {
                bounds[dense.leaf(number)] = Interval { low, high };
            }
        }
        for place in 0..count {
            bounds[place] = match nodes[place] {
                Node::Input => continue,
                Node::Constant => Interval::of_value(dense.value(place)),
                Node::Unary(op, a) => Interval::unary(op, sorts[a], bounds[a]),
                Node::Binary(op, a, b) => Interval::binary(op, sorts[a], bounds[a], bounds[b]),
                Node::Ite(condition, a, b) => chosen(bounds[condition], bounds[a], bounds[b]).0,
            };
        }
        let twins = twins(&nodes, &sorts, &bounds);
        for (place, twin) in twins.iter().enumerate() {
            if let Some((twin, _)) = twin {
                users[*twin as usize].push(place as u32);
            }
        }
        Propagation {
            nodes,
            sorts,
            users,
            twins,
            bounds,
            changes: Vec::new(),
            changes_of: vec![Vec::new(); count],
            queue: VecDeque::new(),
            is_queued: vec![false; count],
            repeated: vec![(0, 0); count],
            round: 0,
            settled: usize::MAX,
            steps: count as u64,
        }
    }

    pub(crate) fn bounds(&self, place: Place) -> Interval {
        self.bounds[place]
    }

    /// Rules applied so far, and changes followed.
    pub(crate) fn steps(&self) -> u64 {
        self.steps
    }

    /// Changes so far: what [`Propagation::retract`] takes.
    pub(crate) fn changes(&self) -> usize {
        self.changes.len()
    }

    /// That a clause holds.
    pub(crate) fn require(&mut self, clause: usize, root: Place) -> Result<(), Nothing> {
        self.narrow(root, TRUE, Cause::Clause(clause as u32))
    }

    /// From here on everything is chosen, until it is retracted.
    pub(crate) fn settle(&mut self) {
        self.settled = self.changes.len();
    }

    /// That a subterm is inside some of its bounds, as a choice with this number.
    pub(crate) fn choose(&mut self, choice: usize, place: Place, bounds: Interval) -> Result<(), Nothing> {
        self.round += 1;
        self.narrow(place, bounds, Cause::Choice(choice as u32))
    }

    /// Takes back all changes but the first ones.
    pub(crate) fn retract(&mut self, changes: usize) {
        for change in self.changes.drain(changes..).rev() {
            self.bounds[change.place as usize] = change.before;
            self.changes_of[change.place as usize].pop();
        }
        for place in self.queue.drain(..) {
            self.is_queued[place as usize] = false;
        }
    }

    fn narrow(&mut self, place: Place, to: Interval, cause: Cause) -> Result<(), Nothing> {
        let now = self.bounds[place];
        let Some(met) = now.intersection(to) else { return Err(Nothing { place, cause }) };
        if met == now {
            return Ok(());
        }
        let cause = match cause {
            Cause::Rule(by, looked) if met != to => Cause::Rule(by, looked | OWN),
            cause => cause,
        };
        self.changes_of[place].push(self.changes.len() as u32);
        self.changes.push(Change { place: place as u32, before: now, cause });
        self.bounds[place] = met;
        let (round, count) = &mut self.repeated[place];
        if *round != self.round {
            (*round, *count) = (self.round, 0);
        }
        *count += 1;
        // What has one value tells in any case: that is what makes everything known in the end.
        if *count > Self::MOST_REPEATED && met.low != met.high {
            return Ok(());
        }
        if !matches!(self.nodes[place], Node::Constant | Node::Input) {
            self.enqueue(place as u32);
        }
        for index in 0..self.users[place].len() {
            self.enqueue(self.users[place][index]);
        }
        Ok(())
    }

    fn enqueue(&mut self, place: u32) {
        if !std::mem::replace(&mut self.is_queued[place as usize], true) {
            self.queue.push_back(place);
        }
    }

    /// Applies rules until none says more.
    pub(crate) fn propagate(&mut self) -> Result<(), Nothing> {
        while let Some(place) = self.queue.pop_front() {
            self.is_queued[place as usize] = false;
            self.steps += 1;
            self.apply(place as usize)?;
        }
        Ok(())
    }

    /// The rules of one subterm: upwards, then downwards.
    fn apply(&mut self, place: Place) -> Result<(), Nothing> {
        let rule = |looked: u8| Cause::Rule(place as u32, looked);
        match self.nodes[place] {
            Node::Constant | Node::Input => Ok(()),
            Node::Unary(op, a) => {
                self.narrow(place, Interval::unary(op, self.sorts[a], self.bounds[a]), rule(FIRST))?;
                let (result, operand) = (self.bounds[place], self.bounds[a]);
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
                        None => return Err(Nothing { place: a, cause: rule(RESULT | FIRST) }),
                    },
                };
                self.narrow(a, to, rule(if op == UnaryOp::Not { RESULT } else { RESULT | FIRST }))
            }
            Node::Binary(op, a, b) => {
                let looked = match op {
                    BinaryOp::And if self.bounds[a] == FALSE => FIRST,
                    BinaryOp::And if self.bounds[b] == FALSE => SECOND,
                    BinaryOp::Or if self.bounds[a] == TRUE => FIRST,
                    BinaryOp::Or if self.bounds[b] == TRUE => SECOND,
                    _ => BOTH,
                };
                self.narrow(place, Interval::binary(op, self.sorts[a], self.bounds[a], self.bounds[b]), rule(looked))?;
                if let Some(rest) = self.remainder(op, a, b) {
                    self.narrow(place, rest, rule(FIRST))?;
                }
                if let Some((twin, relation)) = self.twins[place] {
                    self.narrow(place, relation.of(self.bounds[twin as usize]), Cause::Rule(twin, RESULT))?;
                }
                self.apply_down(place, op, a, b)
            }
            Node::Ite(condition, a, b) => {
                let (condition_bounds, x, y) = (self.bounds[condition], self.bounds[a], self.bounds[b]);
                let (to, looked) = chosen(condition_bounds, x, y);
                self.narrow(place, to, rule(looked))?;
                let result = self.bounds[place];
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

    /// What is left of what an operand is more than itself as an integer.
    fn remainder(&self, op: BinaryOp, a: Place, b: Place) -> Option<Interval> {
        let (BinaryOp::FpSub, Node::Unary(back, integer)) = (op, self.nodes[b]) else { return None };
        let (to, of) = match (back, self.nodes[integer]) {
            (UnaryOp::FpFloor, _) => (back, integer),
            (UnaryOp::I2F | UnaryOp::I2D | UnaryOp::L2F | UnaryOp::L2D, Node::Unary(to, of)) => (to, of),
            _ => return None,
        };
        if of == a { floating::remainder(to, self.sorts[a], self.bounds[a]) } else { None }
    }

    fn apply_down(&mut self, place: Place, op: BinaryOp, a: Place, b: Place) -> Result<(), Nothing> {
        let rule = |looked: u8| Cause::Rule(place as u32, looked);
        let (result, x, y) = (self.bounds[place], self.bounds[a], self.bounds[b]);
        let is_known = result.low == result.high;
        match op {
            BinaryOp::And | BinaryOp::Or if is_known => {
                // The value of the result that only one pair of operands has.
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
                if result == TRUE { self.order(a, b, strict, place, BOTH) } else { self.order(b, a, !strict, place, BOTH) }
            }
            BinaryOp::BvUlt | BinaryOp::BvUle if is_known => {
                let strict = op == BinaryOp::BvUlt;
                // Below what is not negative stands nothing negative.
                let (less, more, strict) = if result == TRUE { (a, b, strict) } else { (b, a, !strict) };
                let (low, high) = (self.bounds[less], self.bounds[more]);
                if high.low >= 0 && low.low < 0 {
                    self.narrow(less, Interval { low: 0, high: i64::MAX }, rule(RESULT | BOTH))?;
                }
                if self.bounds[less].low >= 0 && high.low >= 0 { self.order(less, more, strict, place, BOTH) } else { Ok(()) }
            }
            BinaryOp::BvAdd => {
                let full = Interval::full(self.sorts[place]);
                if !fits(full, i128::from(x.low) + i128::from(y.low), i128::from(x.high) + i128::from(y.high)) {
                    return Ok(());
                }
                self.narrow(a, difference(result, y), rule(RESULT | BOTH))?;
                self.narrow(b, difference(result, self.bounds[a]), rule(RESULT | BOTH))
            }
            BinaryOp::BvSub => {
                let full = Interval::full(self.sorts[place]);
                if !fits(full, i128::from(x.low) - i128::from(y.high), i128::from(x.high) - i128::from(y.low)) {
                    return Ok(());
                }
                let sum = Interval { low: result.low.saturating_add(y.low), high: result.high.saturating_add(y.high) };
                self.narrow(a, sum, rule(RESULT | BOTH))?;
                self.narrow(b, difference(self.bounds[a], result), rule(RESULT | BOTH))
            }
            BinaryOp::BvMul if y.low == y.high && y.low > 0 => {
                let full = Interval::full(self.sorts[place]);
                let factor = y.low;
                if !fits(full, i128::from(x.low) * i128::from(factor), i128::from(x.high) * i128::from(factor)) {
                    return Ok(());
                }
                let low = result.low.div_euclid(factor) + i64::from(result.low.rem_euclid(factor) != 0);
                let high = result.high.div_euclid(factor);
                if low > high {
                    return Err(Nothing { place: a, cause: rule(RESULT | BOTH) });
                }
                self.narrow(a, Interval { low, high }, rule(RESULT | BOTH))
            }
            BinaryOp::Lcmp => {
                if result == Interval::point(0) {
                    self.narrow(a, y, rule(RESULT | SECOND))?;
                    self.narrow(b, self.bounds[a], rule(RESULT | FIRST))
                } else if result.high < 0 {
                    self.order(a, b, true, place, BOTH)
                } else if result.low > 0 {
                    self.order(b, a, true, place, BOTH)
                } else {
                    Ok(())
                }
            }
            _ if self.sorts[a].is_fp() => match floating::operands(op, self.sorts[a], x, y, result) {
                Some((x, y)) => {
                    self.narrow(a, x, rule(RESULT | BOTH))?;
                    self.narrow(b, y, rule(RESULT | BOTH))
                }
                None => Err(Nothing { place: a, cause: rule(RESULT | BOTH) }),
            },
            _ => Ok(()),
        }
    }

    /// Of two operands one is not more, or less, than the other.
    fn order(&mut self, less: Place, more: Place, strict: bool, by: Place, looked: u8) -> Result<(), Nothing> {
        let cause = Cause::Rule(by as u32, RESULT | looked);
        let step = i64::from(strict);
        let high = self.bounds[more].high.saturating_sub(step);
        self.narrow(less, Interval { low: i64::MIN, high }, cause)?;
        let low = self.bounds[less].low.saturating_add(step);
        self.narrow(more, Interval { low, high: i64::MAX }, cause)
    }

    /// One value less, where it is the least or the greatest.
    fn exclude(&mut self, place: Place, value: i64, cause: Cause) -> Result<(), Nothing> {
        let now = self.bounds[place];
        if now == Interval::point(value) {
            return Err(Nothing { place, cause });
        }
        if now.low == value {
            return self.narrow(place, Interval { low: value + 1, ..now }, with_own(cause));
        }
        if now.high == value {
            return self.narrow(place, Interval { high: value - 1, ..now }, with_own(cause));
        }
        Ok(())
    }

    /// What a contradiction follows from.
    pub(crate) fn explain(&mut self, nothing: Nothing) -> Grounds {
        let mut grounds = Grounds::default();
        let mut pending = BTreeSet::new();
        self.look(nothing.place, with_own(nothing.cause), self.changes.len() as u32, &mut pending, &mut grounds);
        while let Some(change) = pending.pop_last() {
            self.steps += 1;
            if (change as usize) < self.settled {
                grounds.settled.insert(change);
                continue;
            }
            let Change { place, cause, .. } = self.changes[change as usize];
            self.look(place as usize, cause, change, &mut pending, &mut grounds);
        }
        grounds
    }

    /// What a change, or a contradiction, with this cause follows from: changes before this one.
    fn look(&self, place: Place, cause: Cause, at: u32, pending: &mut BTreeSet<u32>, grounds: &mut Grounds) {
        let mut add = |place: Place| {
            let changes = &self.changes_of[place];
            let before = changes.partition_point(|change| *change < at);
            pending.extend(before.checked_sub(1).map(|last| changes[last]));
        };
        match cause {
            Cause::Clause(_) => add(place),
            // The other part of what was chosen from is somebody else's: together they are all that was left.
            Cause::Choice(choice) => {
                grounds.choices.insert(choice);
                add(place);
            }
            Cause::Rule(by, looked) => {
                let by = by as usize;
                if looked & RESULT != 0 {
                    add(by);
                }
                for (operand, bit) in operands(self.nodes[by]).into_iter().zip([FIRST, SECOND, THIRD]) {
                    if let Some(operand) = operand.filter(|_| looked & bit != 0) {
                        add(operand);
                    }
                }
                if looked & OWN != 0 {
                    add(place);
                }
            }
        }
    }

    /// The clauses that a contradiction follows from that no choice is left of.
    pub(crate) fn core(&self, grounds: Grounds) -> Vec<usize> {
        let mut core = BTreeSet::new();
        let mut pending = grounds.settled;
        while let Some(change) = pending.pop_last() {
            let Change { place, cause, .. } = self.changes[change as usize];
            if let Cause::Clause(clause) = cause {
                core.insert(clause as usize);
            }
            self.look(place as usize, cause, change, &mut pending, &mut Grounds::default());
        }
        core.into_iter().collect()
    }

    /// The same for a contradiction before any choice.
    pub(crate) fn core_of(&mut self, nothing: Nothing) -> Vec<usize> {
        self.settle();
        let grounds = self.explain(nothing);
        let mut core = self.core(grounds);
        if let Cause::Clause(clause) = nothing.cause {
            core.push(clause as usize);
            core.sort_unstable();
            core.dedup();
        }
        core
    }
}

/// What a subterm is to another one with the same operands the other way round.
#[derive(Clone, Copy, Debug)]
enum Twin {
    Same,
    Negated,
    /// One is true where the other is false.
    Opposite,
}

impl Twin {
    /// What is left of a subterm for what is left of its twin.
    fn of(self, twin: Interval) -> Interval {
        match self {
            Twin::Same => twin,
            Twin::Negated => difference(Interval::point(0), twin),
            Twin::Opposite => difference(Interval::point(1), twin),
        }
    }
}

/// By place the twin of each subterm.
fn twins(nodes: &[Node], sorts: &[Sort], bounds: &[Interval]) -> Vec<Option<(u32, Twin)>> {
    use BinaryOp::*;
    let binary = nodes.iter().enumerate().filter(|(_, node)| matches!(node, Node::Binary(..)));
    let places: FxHashMap<Node, u32> = binary.map(|(place, node)| (*node, place as u32)).collect();
    let twin = |(place, node): (Place, &Node)| {
        let Node::Binary(op, a, b) = *node else { return None };
        let (other, twin) = match op {
            And | Or | Eq | BvAdd | BvMul | BvAnd | BvOr | BvXor | FpEq | FpAdd | FpMul => (op, Twin::Same),
            BvSlt => (BvSle, Twin::Opposite),
            BvSle => (BvSlt, Twin::Opposite),
            BvUlt => (BvUle, Twin::Opposite),
            BvUle => (BvUlt, Twin::Opposite),
            BvSub => {
                let (x, y) = (bounds[a], bounds[b]);
                let least = i128::from(x.low.min(y.low)) - i128::from(x.high.max(y.high));
                // Where neither overflows.
                (op, fits(Interval::full(sorts[a]), least, -least).then_some(Twin::Negated)?)
            }
            _ => return None,
        };
        let found = *places.get(&Node::Binary(other, b, a))?;
        (found as usize != place).then_some((found, twin))
    };
    nodes.iter().enumerate().map(twin).collect()
}

fn operands(node: Node) -> [Option<Place>; 3] {
    match node {
        Node::Constant | Node::Input => [None; 3],
        Node::Unary(_, a) => [Some(a), None, None],
        Node::Binary(_, a, b) => [Some(a), Some(b), None],
        Node::Ite(condition, a, b) => [Some(condition), Some(a), Some(b)],
    }
}

/// What a choice between two gives, and what of it that follows from.
fn chosen(condition: Interval, a: Interval, b: Interval) -> (Interval, u8) {
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
        Cause::Rule(by, looked) => Cause::Rule(by, looked | OWN),
        cause => cause,
    }
}

fn fits(full: Interval, low: i128, high: i128) -> bool {
    i128::from(full.low) <= low && high <= i128::from(full.high)
}

/// `x - y` of values that do not overflow together.
fn difference(x: Interval, y: Interval) -> Interval {
    Interval { low: x.low.saturating_sub(y.high), high: x.high.saturating_sub(y.low) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expr::tests::{genes, grow, model};
    use crate::expr::{TermId, TermStore, Value};
    use proptest::prelude::*;

    fn propagation(terms: &TermStore, clauses: &[TermId]) -> (Dense, Propagation) {
        let dense = Dense::new(terms, clauses, &Default::default(), usize::MAX).expect("small");
        let propagation = Propagation::new(&dense);
        (dense, propagation)
    }

    /// What is left of the inputs, and the core, when the clauses are required one after the other.
    fn told(clauses: &[&str]) -> String {
        let mut terms = TermStore::new();
        let clauses: Vec<TermId> = clauses.iter().map(|text| terms.parse(text).expect(text)).collect();
        let (dense, mut propagation) = propagation(&terms, &clauses);
        let mut required = dense.roots().iter().enumerate();
        let result =
            required.try_for_each(|(clause, root)| propagation.require(clause, *root)).and_then(|()| propagation.propagate());
        if let Err(nothing) = result {
            return format!("nothing {:?}", propagation.core_of(nothing));
        }
        let left = dense.inputs().iter().enumerate().map(|(number, input)| {
            let Interval { low, high } = propagation.bounds(dense.leaf(number));
            format!("{input} {low}..{high}")
        });
        left.collect::<Vec<_>>().join(", ")
    }

    #[test]
    fn what_results_must_be_operands_must_be() {
        assert_eq!(told(&["(and (bvsle 3 v0) (not (or (bvslt 9 v0) (= v0 3))))"]), "v0 4..9");
        assert_eq!(told(&["(= v0[0] v0[1])", "(bvsle 48 v0[0])", "(bvsle v0[1] 57)"]), "v0[0] 48..57, v0[1] 48..57");
        assert_eq!(told(&["(bvult v0 v1.length)", "(bvsle v1.length 4)"]), "v0 0..3, v1.length 1..4");
        assert_eq!(told(&["(bvsle (bvadd v0:char v1:char) 9)", "(bvsle 4 v1:char)"]), "v0:char 0..5, v1:char 4..9");
        assert_eq!(told(&["(= (bvsub v0:char v1:char) 3)", "(bvsle v0:char 5)"]), "v0:char 3..5, v1:char 0..2");
        assert_eq!(told(&["(bvsle 7 (bvmul v0:byte 3))", "(bvsle (bvmul v0:byte 3) 13)"]), "v0:byte 3..4");
        assert_eq!(told(&["(bvsle (bvneg v0:byte) -3)"]), "v0:byte 3..127");
        assert_eq!(
            told(&["(= (lcmp v0:long v1:long) -1)", "(bvslt v1:long 1L)", "(bvslt -3L v0:long)"]),
            "v0:long -2..-1, v1:long -1..0"
        );
        assert_eq!(told(&["(bvslt (i2l v0:char) v1:long)", "(bvslt v1:long 3L)"]), "v0:char 0..1, v1:long 1..2");
        assert_eq!(
            told(&["(= (ite (bvslt v0 3) v1:byte 7) v2:byte)", "(bvslt v2:byte 7)"]),
            "v0 -2147483648..2, v1:byte -128..6, v2:byte -128..6"
        );
    }

    #[test]
    fn differences_are_known_both_ways() {
        assert_eq!(told(&["(bvslt (bvsub v0:char v1:char) 0)", "(bvslt (bvsub v1:char v0:char) 0)"]), "nothing [0, 1]");
        assert_eq!(told(&["(or (= v0 v1) (bvslt v2 v3))", "(not (or (bvslt v2 v3) (= v1 v0)))"]), "nothing [0, 1]");
        // These may overflow.
        assert!(told(&["(bvslt (bvsub v0 v1) 0)", "(bvslt (bvsub v1 v0) 0)"]).starts_with("v0 "));
    }

    #[test]
    fn floats_are_narrowed_both_ways() {
        let d = |value: f64| format!("d#{:016x}", value.to_bits());
        let between = |low: f64, high: f64| {
            let [low, high] = [low, high].map(|end| Interval::of_value(Value::double(end)).low);
            format!("v0:double {low}..{high}")
        };
        let (one, four) = (d(1.0), d(4.0));
        assert_eq!(told(&[&format!("(fp.leq {one} v0:double)"), &format!("(fp.leq v0:double {four})")]), between(1.0, 4.0));
        assert_eq!(
            told(&[
                &format!("(not (fp.lt v0:double {one}))"),
                &format!("(not (fp.lt {four} v0:double))"),
                "(fp.eq v0:double v0:double)"
            ]),
            between(1.0, 4.0)
        );
        assert_eq!(told(&["(= (d2i v0:double) 7)"]), between(7.0, 8.0_f64.next_down()));
        assert_eq!(
            told(&[&format!("(fp.eq (fp.abs v0:double) {four})"), &format!("(fp.lt v0:double {one})")]),
            between(-4.0, -4.0)
        );
        assert_eq!(told(&[&format!("(fp.lt (fp.sub v0:double v0:double) {one})")]), between(f64::NEG_INFINITY, f64::INFINITY));
        assert_eq!(told(&["(bvslt 128 v1)", "(bvsle (f2i (fp.mul (i2f v1) f#3f400000)) 0)"]), "nothing [0, 1]");
        // What was rounded to four lay between its neighbours.
        let sum = format!("(fp.add v0:double {one})");
        assert_eq!(told(&[&format!("(fp.leq {four} {sum})"), &format!("(fp.leq {sum} {four})")]), {
            between((4.0_f64.next_down() - 1.0).next_down(), (4.0_f64.next_up() - 1.0).next_up())
        });
        let rest = "(fp.sub v0:double (i2d (d2i v0:double)))";
        assert_eq!(
            told(&[
                &format!("(fp.leq v0:double {four})"),
                &format!("(fp.leq {one} {rest})"),
                &format!("(fp.leq {one} v0:double)")
            ]),
            "nothing [0, 1, 2]"
        );
    }

    #[test]
    fn contradictions_name_the_clauses_that_they_follow_from() {
        assert_eq!(told(&["(bvslt v0 5)", "(bvslt v9 3)", "(or (bvslt 5 v0) (= v9 3))"]), "nothing [0, 1, 2]");
        assert_eq!(told(&["(= v2 7)", "(bvslt v0 5)", "(bvslt v9 v0)", "(not (= v2 8))", "(bvslt 5 v9)"]), "nothing [1, 2, 4]");
        assert_eq!(told(&["(bvslt v1 5)", "(bvslt v0:boolean 0)"]), "nothing [1]");
    }

    #[test]
    fn what_goes_on_for_ever_ends() {
        let told = told(&["(bvslt v0 v1)", "(bvslt v1 v0)"]);
        assert!(told.starts_with("v0 "), "{told}");
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 1500, ..ProptestConfig::default() })]

        /// Clauses that hold under a model, and choices that it is in, leave the model what it is, whatever the terms are.
        #[test]
        fn what_a_model_has_is_left(genes in genes(60), model in model(), choices in proptest::collection::vec(any::<(u16, bool)>(), 0..12), folding: bool) {
            let mut terms = if folding { TermStore::new() } else { TermStore::without_folding() };
            let mut clauses: Vec<TermId> = grow(&mut terms, &genes).into_iter().filter(|term| terms.sort(*term) == Sort::Bool).collect();
            for clause in &mut clauses {
                if !terms.holds(*clause, &model) {
                    *clause = terms.not(*clause);
                }
            }
            let dense = Dense::new(&terms, &clauses, &model, usize::MAX).expect("small");
            let mut propagation = Propagation::new(&dense);
            let check = |propagation: &Propagation| {
                for place in 0..dense.len() {
                    let (bounds, value) = (propagation.bounds(place), Interval::of_value(dense.value(place)));
                    prop_assert!(bounds.contains(value.low), "{:?} of {:?} with {:?}", bounds, dense.node(place), dense.value(place));
                }
                Ok(())
            };
            check(&propagation)?;
            for (clause, root) in dense.roots().iter().enumerate() {
                prop_assert!(propagation.require(clause, *root).is_ok());
            }
            prop_assert!(propagation.propagate().is_ok());
            check(&propagation)?;
            propagation.settle();
            let (changes, before) = (propagation.changes(), propagation.bounds.clone());
            for (choice, (place, narrow)) in choices.into_iter().enumerate() {
                let place = place as usize % dense.len();
                let (bounds, value) = (propagation.bounds(place), Interval::of_value(dense.value(place)));
                let to = if narrow { value } else { Interval { low: value.low, ..bounds } };
                prop_assert!(propagation.choose(choice + 1, place, to).is_ok());
                prop_assert!(propagation.propagate().is_ok());
                check(&propagation)?;
            }
            // All inputs known, everything is.
            for number in 0..dense.inputs().len() {
                let value = Interval::of_value(dense.input(number));
                prop_assert!(propagation.choose(100 + number, dense.leaf(number), value).is_ok());
                prop_assert!(propagation.propagate().is_ok());
            }
            check(&propagation)?;
            prop_assert!((0..dense.len()).all(|place| propagation.bounds(place).value(dense.value(place).sort()) == Some(dense.value(place))));
            propagation.retract(changes);
            prop_assert!(propagation.bounds == before);
        }
    }

    #[test]
    fn choices_are_named_where_they_matter() {
        let mut terms = TermStore::new();
        let clauses: Vec<TermId> =
            ["(bvslt v0 v1)", "(= v2 v2)", "(bvslt v1 v3)"].map(|text| terms.parse(text).expect(text)).to_vec();
        let (dense, mut propagation) = propagation(&terms, &clauses);
        for (clause, root) in dense.roots().iter().enumerate() {
            propagation.require(clause, *root).expect("nothing known yet");
        }
        propagation.propagate().expect("satisfiable");
        propagation.settle();
        let at = |number, low, high| (dense.leaf(number), Interval { low, high });
        for (choice, (place, bounds)) in [at(3, i64::from(i32::MIN), 9), at(1, 5, 100)].into_iter().enumerate() {
            propagation.choose(choice + 1, place, bounds).expect("something is left");
            propagation.propagate().expect("something is left");
        }
        assert_eq!(dense.value(dense.leaf(0)), Value::Int(0));
        let (place, bounds) = at(0, 8, 100);
        let nothing = propagation.choose(3, place, bounds).and_then(|()| propagation.propagate()).expect_err("8 < v1 < v3 < 10");
        let grounds = propagation.explain(nothing);
        assert!(grounds.contain(1) && grounds.contain(3) && !grounds.contain(4));
        assert_eq!(propagation.core(grounds), [0, 2]);
    }
}
