//! How far clauses are from holding. Flows in: clauses with the values of all their subterms; flows out: a distance each, 0 where the clause holds,
//! and their sum, kept up to date while inputs change. Knows nothing of who moves the inputs.

use crate::expr::{BinaryOp, Dense, Interval, Node, Place, Sort, SymbolKind, TermId, TermStore, UnaryOp, Value, floating};

/// The place of a value in the order of its sort: integers are themselves, floats are counted from zero, next to each other, of which both zeros are one.
/// `None` for NaN and for truth.
pub(super) fn order(value: Value) -> Option<i128> {
    let (sort, place) = (value.sort(), Interval::of_value(value).low);
    match sort {
        Sort::Bool => None,
        Sort::Bv32 | Sort::Bv64 => Some(place.into()),
        Sort::Float | Sort::Double => floating::numbers(sort).contains(place).then(|| with_one_zero(place.into())),
    }
}

/// The place among numbers with one zero.
fn with_one_zero(place: i128) -> i128 {
    place + i128::from(place < 0)
}

/// The value at a place of the order; `None` outside the range of the kind.
pub(super) fn from_order(kind: SymbolKind, place: i128) -> Option<Value> {
    let (low, high) = range(kind);
    if !(low..=high).contains(&place) {
        return None;
    }
    let second_zero = kind.sort().is_fp() && place < 0;
    Interval::point(place as i64 - i64::from(second_zero)).value(kind.sort())
}

/// Least and greatest place of a kind: of floats and doubles the infinities.
pub(super) fn range(kind: SymbolKind) -> (i128, i128) {
    match kind.range() {
        Some((low, high)) => (low.into(), high.into()),
        None => {
            let numbers = floating::numbers(kind.sort());
            (with_one_zero(numbers.low.into()), numbers.high.into())
        }
    }
}

/// Clauses with their distances under the values of [`Dense`].
pub(super) struct Distances {
    pub(crate) dense: Dense,
    /// By clause: between 0 and 1.
    by_clause: Vec<f64>,
    /// By clause: how much it counts.
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
    /// Subterms looked at for one distance: shared parts of a condition are looked at again each time.
    const FUEL: u32 = 300;
    /// Of what no value can change, and of NaN where a number must be.
    const FAR: f64 = 1e24;

    /// `clauses`: the roots of `dense`.
    pub(crate) fn new(terms: &TermStore, dense: Dense, clauses: &[TermId]) -> Distances {
        let number = |input| dense.inputs().binary_search(input).expect("an input of the clauses") as u32;
        let inputs_of: Vec<Vec<u32>> =
            clauses.iter().map(|clause| terms.symbols_of(*clause).iter().map(number).collect()).collect();
        let mut clauses_of = vec![Vec::new(); dense.inputs().len()];
        for (clause, inputs) in inputs_of.iter().enumerate() {
            for input in inputs {
                clauses_of[*input as usize].push(clause as u32);
            }
        }
        let mut distances = Distances {
            dense,
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

    /// Clauses that do not hold.
    pub(crate) fn violated(&self) -> usize {
        self.violated
    }

    pub(crate) fn total(&self) -> f64 {
        self.total
    }

    /// The inputs that the violated clauses mention, some of them more than once.
    pub(crate) fn inputs_of_violated(&self) -> impl Iterator<Item = usize> + '_ {
        let violated = self.by_clause.iter().enumerate().filter(|(_, distance)| **distance > 0.0);
        violated.flat_map(|(clause, _)| self.inputs_of[clause].iter().map(|input| *input as usize))
    }

    /// Subterms and clauses that a change of an input makes to be computed again, at most.
    pub(crate) fn cost(&self, number: usize) -> u64 {
        (self.dense.reach(number) + self.clauses_of[number].len()) as u64 + 4
    }

    /// Gives an input another value; if that brings the clauses no closer, it keeps the one it had, and the answer is `false`.
    pub(crate) fn attempt(&mut self, number: usize, value: Value) -> bool {
        let (violated, total) = (self.violated, self.total);
        self.force(number, value);
        if self.violated == 0 || self.total < total - 1e-12 {
            return true;
        }
        self.dense.undo();
        for (clause, distance) in self.before.drain(..) {
            self.by_clause[clause as usize] = distance;
        }
        (self.violated, self.total) = (violated, total);
        false
    }

    pub(crate) fn force(&mut self, number: usize, value: Value) {
        self.dense.set(number, value);
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

    /// Lets the clauses that do not hold count for more, so that others may be violated for their sake (Morris's breakout method).
    pub(crate) fn raise(&mut self) {
        for (weight, distance) in self.weights.iter_mut().zip(&self.by_clause) {
            *weight += f64::from(u8::from(*distance > 0.0));
        }
        self.sum_up();
    }

    /// All clauses count alike again.
    pub(crate) fn level(&mut self) {
        self.weights.fill(1.0);
        self.sum_up();
    }

    fn sum_up(&mut self) {
        self.violated = self.by_clause.iter().filter(|distance| **distance > 0.0).count();
        self.total = self.by_clause.iter().zip(&self.weights).map(|(distance, weight)| distance * weight).sum();
    }

    /// Between 0 and 1, and finer for what is small: no clause outweighs all others.
    fn of_clause(&self, clause: usize) -> f64 {
        let distance = self.distance(self.dense.roots()[clause], true, &mut Self::FUEL.clone());
        if distance == 0.0 {
            return 0.0;
        }
        let bits = (1.0 + distance).log2();
        bits / (bits + 1.0)
    }

    /// Of a condition from having this truth.
    fn distance(&self, place: Place, wanted: bool, fuel: &mut u32) -> f64 {
        if self.dense.value(place) == Value::Bool(wanted) {
            return 0.0;
        }
        if *fuel == 0 {
            return 1.0;
        }
        *fuel -= 1;
        match self.dense.node(place) {
            Node::Constant | Node::Input => Self::FAR,
            Node::Unary(UnaryOp::Not, a) => self.distance(a, !wanted, fuel),
            // To have either sign, zero must be passed.
            Node::Unary(_, a) => order(self.dense.value(a)).map_or(Self::FAR, |place| place.unsigned_abs() as f64 + 1.0),
            Node::Binary(op @ (BinaryOp::And | BinaryOp::Or), a, b) => {
                let (a, b) = (self.distance(a, wanted, fuel), self.distance(b, wanted, fuel));
                if (op == BinaryOp::And) == wanted { a + b } else { a.min(b) }
            }
            Node::Binary(op, a, b) if matches!(self.dense.value(a), Value::Bool(_)) => {
                debug_assert_eq!(op, BinaryOp::Eq);
                let mut both = |x, y| self.distance(a, x, fuel) + self.distance(b, y, fuel);
                both(true, wanted).min(both(false, !wanted))
            }
            Node::Binary(op, a, b) => self.relation(op, a, b, wanted, fuel),
            Node::Ite(condition, a, b) => {
                let then = self.distance(condition, true, fuel) + self.distance(a, wanted, fuel);
                then.min(self.distance(condition, false, fuel) + self.distance(b, wanted, fuel))
            }
        }
    }

    /// Of two values from being related: where one of them is a choice, the way over the nearer branch.
    fn relation(&self, op: BinaryOp, a: Place, b: Place, wanted: bool, fuel: &mut u32) -> f64 {
        if *fuel > 0 {
            *fuel -= 1;
            for (choice, other, first) in [(a, b, true), (b, a, false)] {
                let Node::Ite(condition, then, otherwise) = self.dense.node(choice) else { continue };
                let over = |branch, truth, fuel: &mut u32| {
                    let (a, b) = if first { (branch, other) } else { (other, branch) };
                    self.distance(condition, truth, fuel) + self.relation(op, a, b, wanted, fuel)
                };
                return over(then, true, fuel).min(over(otherwise, false, fuel));
            }
        }
        gap(op, self.dense.value(a), self.dense.value(b), wanted)
    }
}

/// 0 when the relation has the wanted truth.
fn gap(op: BinaryOp, a: Value, b: Value, wanted: bool) -> f64 {
    use BinaryOp::*;
    let unsigned = |value: Value| match value {
        Value::Int(value) => Some(i128::from(value as u32)),
        Value::Long(value) => Some(i128::from(value as u64)),
        _ => None,
    };
    let places = match op {
        BvUlt | BvUle => unsigned(a).zip(unsigned(b)),
        _ => order(a).zip(order(b)),
    };
    // Nothing is true of NaN.
    let Some((a, b)) = places else { return if wanted { Distances::FAR } else { 0.0 } };
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
    fn places_are_next_to_each_other() {
        let place = |value: f64| order(Value::double(value)).expect("a number");
        assert_eq!(place(0.0), place(-0.0));
        assert_eq!(place(f64::from_bits(1)), 1);
        assert_eq!(place(-f64::from_bits(1)), -1);
        assert_eq!(place(1.0) + 1, place(1.0f64.next_up()));
        assert_eq!(place(f64::MAX) + 1, place(f64::INFINITY));
        assert_eq!(order(Value::double(f64::NAN)), None);
        for kind in SymbolKind::ALL {
            let (low, high) = range(kind);
            for near in [low, low + 1, -1, 0, 1, 12_345, high - 1, high] {
                if let Some(value) = from_order(kind, near) {
                    assert_eq!(order(value), Some(near), "{kind:?}");
                    assert!(kind.contains(value), "{kind:?}");
                }
            }
            assert_eq!((from_order(kind, low - 1), from_order(kind, high + 1)), (None, None));
        }
    }

    /// The distance of a clause before it is normalised.
    fn far(clause: &str, model: &str) -> f64 {
        let mut terms = TermStore::new();
        let clause = terms.parse(clause).expect(clause);
        let model: Model = model.parse().expect(model);
        let dense = Dense::new(&terms, &[clause], &model, usize::MAX).expect("no limit");
        let distances = Distances::new(&terms, dense, &[clause]);
        distances.distance(distances.dense.roots()[0], true, &mut 1_000)
    }

    #[test]
    fn distances_are_what_is_missing() {
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
            assert_eq!(far(clause, model), expected, "{clause} with {model}");
        }
    }

    #[test]
    fn sums_are_kept_up_to_date() {
        let mut terms = TermStore::new();
        let texts = ["(bvslt v0 v1)", "(= (bvadd v1 v2) 12)", "(fp.lt (i2d v2) v3:double)", "(bvslt (bvmul v0 v2) 99)"];
        let clauses: Vec<TermId> = texts.iter().map(|text| terms.parse(text).expect(text)).collect();
        let dense = Dense::new(&terms, &clauses, &Model::new(), usize::MAX).expect("no limit");
        let mut distances = Distances::new(&terms, dense, &clauses);
        for round in 0..200i32 {
            let number = (round * 7 % 4) as usize;
            let value = if number == 3 { Value::double(f64::from(round % 19) - 7.0) } else { Value::Int(round * 13 % 41 - 20) };
            if round % 2 == 0 {
                distances.force(number, value);
            } else {
                let before = (distances.dense.model(), distances.violated());
                if !distances.attempt(number, value) {
                    assert_eq!((distances.dense.model(), distances.violated()), before);
                }
            }
            let model = distances.dense.model();
            let holding = clauses.iter().filter(|clause| terms.holds(**clause, &model)).count();
            assert_eq!(distances.violated(), clauses.len() - holding);
            let fresh = Distances::new(&terms, Dense::new(&terms, &clauses, &model, usize::MAX).expect("no limit"), &clauses);
            assert!((distances.total() - fresh.total()).abs() < 1e-9);
        }
        assert_eq!(distances.dense.inputs()[3].symbol, Symbol::value(3));
    }
}
