//! Branch distances of clauses: how far each clause is from holding.
//!
//! In: clauses with the values of all their subterms. Out: a distance for each, 0 if it holds, and
//! their weighted sum, kept up to date while inputs change. This module does not know who moves the
//! inputs.
//!
//! Distances of integers are differences. Distances of floats count representable values between
//! them (ULP ordinals, XSat). Conjunctions add, disjunctions take the smaller distance.

use crate::expr::{
    BinaryOp, EvalNode, IncrementalEvaluator, Interval, NodeIx, Sort, SymbolKind, TermId, TermStore, UnaryOp, Value, floating,
};

/// The ordinal of a value among the values of its sort: integers are themselves, floats are counted
/// from zero, and both zeros are 0. `None` for NaN and for booleans.
pub(super) fn ordinal(value: Value) -> Option<i128> {
    let (sort, place) = (value.sort(), Interval::of_value(value).low);
    match sort {
        Sort::Bool => None,
        Sort::Bv32 | Sort::Bv64 => Some(place.into()),
        Sort::Float | Sort::Double => floating::numbers(sort).contains(place).then(|| merge_zeros(place.into())),
    }
}

/// The ordinal among numbers with one zero.
fn merge_zeros(place: i128) -> i128 {
    place + i128::from(place < 0)
}

/// The value with an ordinal; `None` outside the range of the kind.
pub(super) fn value_at(kind: SymbolKind, place: i128) -> Option<Value> {
    let (low, high) = range(kind);
    if !(low..=high).contains(&place) {
        return None;
    }
    let second_zero = kind.sort().is_fp() && place < 0;
    Interval::point(place as i64 - i64::from(second_zero)).value(kind.sort())
}

/// Least and greatest ordinal of a kind; for floats and doubles those of the infinities.
pub(super) fn range(kind: SymbolKind) -> (i128, i128) {
    match kind.range() {
        Some((low, high)) => (low.into(), high.into()),
        None => {
            let numbers = floating::numbers(kind.sort());
            (merge_zeros(numbers.low.into()), numbers.high.into())
        }
    }
}

/// Clauses with their distances under the values of an [`IncrementalEvaluator`].
pub(super) struct Distances {
    pub(crate) evaluator: IncrementalEvaluator,
    /// By clause: the normalised distance, in [0, 1).
    by_clause: Vec<f64>,
    /// By clause: its weight in the sum.
    weights: Vec<f64>,
    violated: usize,
    total: f64,
    /// By input: the clauses that mention it.
    clauses_of: Vec<Vec<u32>>,
    /// By clause: the inputs that it mentions.
    inputs_of: Vec<Vec<u32>>,
    before: Vec<(u32, f64)>,
}

impl Distances {
    /// Subterms visited for one distance. Shared subterms are visited once for each use.
    const FUEL: u32 = 300;
    /// The distance of a constant condition, and of NaN from a number.
    const FAR: f64 = 1e24;

    /// `clauses` are the roots of `evaluator`, in the same order.
    pub(crate) fn new(terms: &TermStore, evaluator: IncrementalEvaluator, clauses: &[TermId]) -> Distances {
        let number = |input| evaluator.inputs().binary_search(input).expect("an input of the clauses") as u32;
        let inputs_of: Vec<Vec<u32>> =
            clauses.iter().map(|clause| terms.symbols_of(*clause).iter().map(number).collect()).collect();
        let mut clauses_of = vec![Vec::new(); evaluator.inputs().len()];
        for (clause, inputs) in inputs_of.iter().enumerate() {
            for input in inputs {
                clauses_of[*input as usize].push(clause as u32);
            }
        }
        let mut distances = Distances {
            evaluator,
            by_clause: Vec::new(),
            weights: vec![1.0; clauses.len()],
            violated: 0,
            total: 0.0,
            clauses_of,
            inputs_of,
            before: Vec::new(),
        };
        distances.by_clause = (0..clauses.len()).map(|clause| distances.of_clause(clause)).collect();
        distances.sum_up();
        distances
    }

    /// Number of clauses that do not hold.
    pub(crate) fn violated(&self) -> usize {
        self.violated
    }

    /// The weighted sum of all distances; 0 when every clause holds.
    pub(crate) fn total(&self) -> f64 {
        self.total
    }

    /// The inputs of violated clauses, possibly several times.
    pub(crate) fn inputs_of_violated(&self) -> impl Iterator<Item = usize> + '_ {
        let violated = self.by_clause.iter().enumerate().filter(|(_, distance)| **distance > 0.0);
        violated.flat_map(|(clause, _)| self.inputs_of[clause].iter().map(|input| *input as usize))
    }

    /// Upper bound of the subterms and clauses that a change of the input recomputes.
    pub(crate) fn cost(&self, number: usize) -> u64 {
        (self.evaluator.reach(number) + self.clauses_of[number].len()) as u64 + 4
    }

    /// Sets an input if that lowers the sum of distances. `false` if it kept its value.
    pub(crate) fn attempt(&mut self, number: usize, value: Value) -> bool {
        let (violated, total) = (self.violated, self.total);
        self.force(number, value);
        if self.violated == 0 || self.total < total - 1e-12 {
            return true;
        }
        self.evaluator.undo();
        for (clause, distance) in self.before.drain(..) {
            self.by_clause[clause as usize] = distance;
        }
        (self.violated, self.total) = (violated, total);
        false
    }

    /// Sets an input, whatever the distances become.
    pub(crate) fn force(&mut self, number: usize, value: Value) {
        self.evaluator.set(number, value);
        self.before.clear();
        for index in 0..self.clauses_of[number].len() {
            let clause = self.clauses_of[number][index];
            let after = self.of_clause(clause as usize);
            let before = std::mem::replace(&mut self.by_clause[clause as usize], after);
            if after != before {
                self.before.push((clause, before));
                self.violated += usize::from(before == 0.0 && after > 0.0);
                self.violated -= usize::from(before > 0.0 && after == 0.0);
                self.total += (after - before) * self.weights[clause as usize];
            }
        }
    }

    /// Raises the weights of violated clauses, so that others may be violated instead (breakout
    /// method).
    pub(crate) fn raise_weights(&mut self) {
        for (weight, distance) in self.weights.iter_mut().zip(&self.by_clause) {
            *weight += f64::from(u8::from(*distance > 0.0));
        }
        self.sum_up();
    }

    /// Resets all weights to 1.
    pub(crate) fn reset_weights(&mut self) {
        self.weights.fill(1.0);
        self.sum_up();
    }

    fn sum_up(&mut self) {
        self.violated = self.by_clause.iter().filter(|distance| **distance > 0.0).count();
        self.total = self.by_clause.iter().zip(&self.weights).map(|(distance, weight)| distance * weight).sum();
    }

    /// The normalised distance of a clause, finer for small distances, so that no clause outweighs
    /// the others.
    fn of_clause(&self, clause: usize) -> f64 {
        let distance = self.distance(self.evaluator.roots()[clause], true, &mut Self::FUEL.clone());
        if distance == 0.0 {
            return 0.0;
        }
        let bits = (1.0 + distance).log2();
        bits / (bits + 1.0)
    }

    /// The distance of a condition from the wanted truth value.
    fn distance(&self, place: NodeIx, wanted: bool, fuel: &mut u32) -> f64 {
        if self.evaluator.value(place) == Value::Bool(wanted) {
            return 0.0;
        }
        if *fuel == 0 {
            return 1.0;
        }
        *fuel -= 1;
        match self.evaluator.node(place) {
            EvalNode::Constant | EvalNode::Input => Self::FAR,
            EvalNode::Unary(UnaryOp::Not, a) => self.distance(a, !wanted, fuel),
            // A sign changes at zero.
            EvalNode::Unary(_, a) => {
                ordinal(self.evaluator.value(a)).map_or(Self::FAR, |place| place.unsigned_abs() as f64 + 1.0)
            }
            EvalNode::Binary(op @ (BinaryOp::And | BinaryOp::Or), a, b) => {
                let (a, b) = (self.distance(a, wanted, fuel), self.distance(b, wanted, fuel));
                if (op == BinaryOp::And) == wanted { a + b } else { a.min(b) }
            }
            EvalNode::Binary(op, a, b) if matches!(self.evaluator.value(a), Value::Bool(_)) => {
                debug_assert_eq!(op, BinaryOp::Eq);
                let mut both = |x, y| self.distance(a, x, fuel) + self.distance(b, y, fuel);
                both(true, wanted).min(both(false, !wanted))
            }
            EvalNode::Binary(op, a, b) => self.relation(op, a, b, wanted, fuel),
            EvalNode::Ite(condition, a, b) => {
                let then = self.distance(condition, true, fuel) + self.distance(a, wanted, fuel);
                then.min(self.distance(condition, false, fuel) + self.distance(b, wanted, fuel))
            }
        }
    }

    /// The distance of two values from a relation. For an if-then-else, through the nearer branch.
    fn relation(&self, op: BinaryOp, a: NodeIx, b: NodeIx, wanted: bool, fuel: &mut u32) -> f64 {
        if *fuel > 0 {
            *fuel -= 1;
            for (choice, other, first) in [(a, b, true), (b, a, false)] {
                let EvalNode::Ite(condition, then, otherwise) = self.evaluator.node(choice) else { continue };
                let over = |branch, truth, fuel: &mut u32| {
                    let (a, b) = if first { (branch, other) } else { (other, branch) };
                    self.distance(condition, truth, fuel) + self.relation(op, a, b, wanted, fuel)
                };
                return over(then, true, fuel).min(over(otherwise, false, fuel));
            }
        }
        relation_distance(op, self.evaluator.value(a), self.evaluator.value(b), wanted)
    }
}

/// The distance of two values from a relation; 0 if it has the wanted truth.
fn relation_distance(op: BinaryOp, a: Value, b: Value, wanted: bool) -> f64 {
    use BinaryOp::*;
    let unsigned = |value: Value| match value {
        Value::Int(value) => Some(i128::from(value as u32)),
        Value::Long(value) => Some(i128::from(value as u64)),
        _ => None,
    };
    let ordinals = match op {
        BvUlt | BvUle => unsigned(a).zip(unsigned(b)),
        _ => ordinal(a).zip(ordinal(b)),
    };
    // Every comparison with NaN is false.
    let Some((a, b)) = ordinals else { return if wanted { Distances::FAR } else { 0.0 } };
    let missing = match (op, wanted) {
        (Eq | FpEq, true) => (a - b).abs(),
        (Eq | FpEq, false) => i128::from(a == b),
        (BvSlt | BvUlt | FpLt, true) => a - b + 1,
        (BvSlt | BvUlt | FpLt, false) => b - a,
        (BvSle | BvUle | FpLeq, true) => a - b,
        (BvSle | BvUle | FpLeq, false) => b - a + 1,
        _ => 1,
    };
    missing.max(0) as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expr::{Model, Symbol};

    #[test]
    fn neighbouring_values_have_neighbouring_ordinals() {
        let place = |value: f64| ordinal(Value::double(value)).expect("a number");
        assert_eq!(place(0.0), place(-0.0));
        assert_eq!(place(f64::from_bits(1)), 1);
        assert_eq!(place(-f64::from_bits(1)), -1);
        assert_eq!(place(1.0) + 1, place(1.0f64.next_up()));
        assert_eq!(place(f64::MAX) + 1, place(f64::INFINITY));
        assert_eq!(ordinal(Value::double(f64::NAN)), None);
        for kind in SymbolKind::ALL {
            let (low, high) = range(kind);
            for near in [low, low + 1, -1, 0, 1, 12_345, high - 1, high] {
                if let Some(value) = value_at(kind, near) {
                    assert_eq!(ordinal(value), Some(near), "{kind:?}");
                    assert!(kind.contains(value), "{kind:?}");
                }
            }
            assert_eq!((value_at(kind, low - 1), value_at(kind, high + 1)), (None, None));
        }
    }

    /// The distance of a clause before it is normalised.
    fn distance_of(clause: &str, model: &str) -> f64 {
        let mut terms = TermStore::new();
        let clause = terms.parse(clause).expect(clause);
        let model: Model = model.parse().expect(model);
        let evaluator = IncrementalEvaluator::new(&terms, &[clause], &model, usize::MAX).expect("no limit");
        let distances = Distances::new(&terms, evaluator, &[clause]);
        distances.distance(distances.evaluator.roots()[0], true, &mut 1_000)
    }

    #[test]
    fn distances_measure_how_far_values_are_from_a_relation() {
        for (clause, model, expected) in [
            ("(bvslt v0 5)", "v0=4", 0.0),
            ("(bvslt v0 5)", "v0=5", 1.0),
            ("(not (bvslt v0 5))", "v0=2", 3.0),
            ("(= v0 v1)", "v0=-3 v1=4", 7.0),
            ("(not (= v0 v1))", "v0=4 v1=4", 1.0),
            ("(bvult v0 v1)", "v0=-1 v1=0", 4_294_967_296.0),
            ("(fp.lt v0:double d#0000000000000000)", "v0=d#0000000000000001", 2.0),
            ("(fp.eq v0:float f#3f800000)", "v0=f#3f800003", 3.0),
            ("(fp.eq v0:float f#3f800000)", "v0=f#7fc00000", Distances::FAR),
            ("(not (fp.lt v0:float f#3f800000))", "v0=f#7fc00000", 0.0),
            ("(and (bvslt v0 0) (= v1 9))", "v0=2 v1=4", 8.0),
            ("(or (bvslt v0 0) (= v1 9))", "v0=2 v1=4", 3.0),
            ("(not (and (bvslt v0 3) (= v1 4)))", "v0=2 v1=4", 1.0),
            ("(= (bvslt v0 0) (= v1 9))", "v0=-5 v1=4", 5.0),
            ("(= (ite (bvslt v0 0) 1 v1) 1)", "v0=3 v1=9", 4.0),
            ("(fp.isNegative v0:double)", "v0=d#0000000000000004", 5.0),
        ] {
            assert_eq!(distance_of(clause, model), expected, "{clause} with {model}");
        }
    }

    #[test]
    fn sums_are_kept_up_to_date() {
        let mut terms = TermStore::new();
        let texts = ["(bvslt v0 v1)", "(= (bvadd v1 v2) 12)", "(fp.lt (i2d v2) v3:double)", "(bvslt (bvmul v0 v2) 99)"];
        let clauses: Vec<TermId> = texts.iter().map(|text| terms.parse(text).expect(text)).collect();
        let evaluator = IncrementalEvaluator::new(&terms, &clauses, &Model::new(), usize::MAX).expect("no limit");
        let mut distances = Distances::new(&terms, evaluator, &clauses);
        for round in 0..200i32 {
            let number = (round * 7 % 4) as usize;
            let value = if number == 3 { Value::double(f64::from(round % 19) - 7.0) } else { Value::Int(round * 13 % 41 - 20) };
            if round % 2 == 0 {
                distances.force(number, value);
            } else {
                let before = (distances.evaluator.model(), distances.violated());
                if !distances.attempt(number, value) {
                    assert_eq!((distances.evaluator.model(), distances.violated()), before);
                }
            }
            let model = distances.evaluator.model();
            let holding = clauses.iter().filter(|clause| terms.holds(**clause, &model)).count();
            assert_eq!(distances.violated(), clauses.len() - holding);
            let fresh = Distances::new(
                &terms,
                IncrementalEvaluator::new(&terms, &clauses, &model, usize::MAX).expect("no limit"),
                &clauses,
            );
            assert!((distances.total() - fresh.total()).abs() < 1e-9);
        }
        assert_eq!(distances.evaluator.inputs()[3].symbol, Symbol::value(3));
    }
}
