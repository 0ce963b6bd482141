//! Search for a model by descent from the values of the run (AVM, and XSat for floats).
//!
//! In: queries with their seed. Out: models that evaluation has checked, or nothing, which proves
//! nothing. This module does not know the solvers below.
//!
//! One input moves at a time, in steps that grow while they help, until every clause holds. The
//! distance of a clause is measured on the values of its terms, for floats in units in the last
//! place (XSat). If no move helps, violated clauses gain weight (breakout). If that does not help
//! either, a few inputs get random values. The search counts the subterms it computes, and its
//! random state comes from the query alone, so it is deterministic.

use super::distance::{Distances, ordinal, range, value_at};
use super::{Limits, Outcome, Query, Reason, Solver, Statistics, completed};
use crate::expr::{EvalNode, IncrementalEvaluator, Input, Model, Sort, SymbolKind, TermId, TermStore, Value};
use std::collections::BTreeSet;

/// The layer: a search with all of [`Limits::descent`] if floats occur, else with a small part of
/// it.
#[derive(Debug)]
pub struct Descent<S> {
    inner: S,
    answered: u64,
    steps: u64,
}

impl<S> Descent<S> {
    /// Divisor of the steps for a query without floats, which Z3 answers quickly.
    const INTEGER_SHARE: u64 = 100;
    /// Divisor of the resources for a query with floats that the search did not answer.
    const FLOAT_SHARE: u32 = 4;

    /// The layer over `inner`.
    pub(crate) fn new(inner: S) -> Descent<S> {
        Descent { inner, answered: 0, steps: 0 }
    }
}

impl<S: Solver> Solver for Descent<S> {
    fn check(&mut self, terms: &TermStore, query: &Query) -> Outcome {
        let floats = query.clauses.iter().any(|clause| terms.mentions_floats(*clause));
        let budget = if floats { query.limits.descent } else { query.limits.descent / Self::INTEGER_SHARE };
        let (model, steps) = descend(terms, query, budget);
        self.steps += steps;
        if let Some(model) = model {
            self.answered += 1;
            return Outcome::Sat(model);
        }
        if !floats {
            return self.inner.check(terms, query);
        }
        let limits = Limits { resources: query.limits.resources / Self::FLOAT_SHARE, ..query.limits };
        match self.inner.check(terms, &Query { limits, ..query.clone() }) {
            Outcome::Unknown(Reason::Unsupported(what)) if steps > 0 => Outcome::Unknown(Reason::Descent(what)),
            outcome => outcome,
        }
    }

    fn check_isolated(&mut self, terms: &TermStore, query: &Query) -> Outcome {
        self.inner.check_isolated(terms, query)
    }

    fn statistics(&self) -> Statistics {
        let inner = self.inner.statistics();
        Statistics { descended: inner.descended + self.answered, descent_steps: inner.descent_steps + self.steps, ..inner }
    }
}

/// A model of all clauses if the search finds one within `budget` steps, and the steps taken. A
/// step is one subterm computed again.
pub fn descend(terms: &TermStore, query: &Query, budget: u64) -> (Option<Model>, u64) {
    /// Limit of the sum, over subterms, of the inputs that they depend on.
    const MOST: usize = 2_000_000;
    let most = usize::try_from(budget).unwrap_or(usize::MAX).min(MOST);
    let Some(evaluator) = IncrementalEvaluator::new(terms, &query.clauses, &query.seed, most) else { return (None, 0) };
    let mut search = DescentSearch::new(terms, evaluator, &query.clauses, budget);
    let found = search.run();
    let model = found.then(|| completed(terms, query, &search.distances.evaluator.model())).flatten();
    (model, search.spent.max(1))
}

struct DescentSearch {
    distances: Distances,
    /// Values to try first, by sort.
    constants: QueryConstants,
    /// The values of the run, by input.
    seed: Vec<Value>,
    spent: u64,
    budget: u64,
    chance: u64,
}

impl DescentSearch {
    /// How often violated clauses gain weight before the search restarts elsewhere.
    const RAISES: usize = 8;

    fn new(terms: &TermStore, evaluator: IncrementalEvaluator, clauses: &[TermId], budget: u64) -> DescentSearch {
        let seed = (0..evaluator.inputs().len()).map(|number| evaluator.input(number)).collect();
        let constants = QueryConstants::of(&evaluator);
        // The random state comes from the query, so equal queries get equal answers.
        let mut chance = 0xcbf2_9ce4_8422_2325_u64;
        for place in 0..evaluator.len() {
            let mark = match evaluator.node(place) {
                EvalNode::Constant => 1,
                EvalNode::Input => 2,
                EvalNode::Unary(op, _) => 16 + op as u64,
                EvalNode::Binary(op, ..) => 128 + op as u64,
                EvalNode::Ite(..) => 3,
            };
            chance = (chance ^ mark).wrapping_mul(0x0000_0100_0000_01b3);
        }
        let spent = evaluator.len() as u64 * 4;
        let distances = Distances::new(terms, evaluator, clauses);
        DescentSearch { distances, constants, seed, spent, budget, chance }
    }

    /// SplitMix64.
    fn draw(&mut self, below: usize) -> usize {
        self.chance = self.chance.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.chance;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ (mixed >> 31)) % below.max(1) as u64) as usize
    }

    fn is_over(&self) -> bool {
        self.distances.violated() == 0 || self.spent >= self.budget
    }

    fn run(&mut self) -> bool {
        let (mut best, mut least) = (self.values(), self.distances.total());
        for round in 1.. {
            for _ in 0..Self::RAISES {
                self.descend();
                if self.distances.violated() == 0 {
                    self.simplify_values();
                    return true;
                }
                if self.spent >= self.budget {
                    return false;
                }
                self.distances.raise_weights();
            }
            self.distances.reset_weights();
            if self.distances.total() < least {
                (best, least) = (self.values(), self.distances.total());
            }
            // A local minimum: restart near the best assignment, every third time near the run.
            let start = if round % 3 == 0 { self.seed.clone() } else { best.clone() };
            self.assign_all(&start);
            let movable_inputs = self.movable_inputs();
            if movable_inputs.is_empty() {
                return false;
            }
            for _ in 0..1 + self.draw(3) {
                let number = movable_inputs[self.draw(movable_inputs.len())];
                let value = self.drawn_value(number);
                self.force(number, value);
            }
        }
        false
    }

    /// Moves inputs until no move helps.
    fn descend(&mut self) {
        let mut helped = true;
        while helped && !self.is_over() {
            helped = false;
            for number in self.movable_inputs() {
                helped |= self.try_moves(number);
                if self.is_over() {
                    return;
                }
            }
        }
    }

    /// The inputs of violated clauses, ascending.
    fn movable_inputs(&self) -> Vec<usize> {
        let inputs: BTreeSet<usize> = self.distances.inputs_of_violated().collect();
        inputs.into_iter().collect()
    }

    /// Tries all kinds of moves of one input. True if one helped.
    fn try_moves(&mut self, number: usize) -> bool {
        let input = self.distances.evaluator.inputs()[number];
        let mut helped = false;
        for value in self.likely_values(input, number) {
            helped |= self.attempt(number, value);
        }
        helped |= self.steps(number);
        helped |= self.try_strides(number);
        if helped || self.is_over() {
            return helped;
        }
        self.extremes(input).into_iter().any(|value| self.attempt(number, value)) || self.try_bit_flips(input, number)
    }

    /// Moves by 1, 4, 16, ... in the order of the values, then on in the same direction, twice as
    /// far each time, as long as that helps (AVM).
    fn steps(&mut self, number: usize) -> bool {
        let kind = self.distances.evaluator.inputs()[number].kind;
        let (low, high) = range(kind);
        let mut helped = false;
        let mut exponent = 0;
        while exponent < 64 && !self.is_over() {
            let mut improved = false;
            for sign in [1i128, -1] {
                let mut step = sign << exponent;
                while let Some(now) = ordinal(self.distances.evaluator.input(number)) {
                    let Some(value) = value_at(kind, (now + step).clamp(low, high)) else { break };
                    if !self.attempt(number, value) {
                        break;
                    }
                    improved = true;
                    step *= 2;
                }
            }
            helped |= improved;
            exponent = if improved { 0 } else { exponent + 2 };
        }
        helped
    }

    /// Moves a float by 1, 2, 4, ... and by factors. Steps in the last place change computed
    /// numbers too little.
    fn try_strides(&mut self, number: usize) -> bool {
        let kind = self.distances.evaluator.inputs()[number].kind;
        if !matches!(kind, SymbolKind::Float | SymbolKind::Double) {
            return false;
        }
        let mut helped = false;
        for by in [1.0, -1.0, 0.25, -0.25, 0.01, -0.01] {
            let mut stride = by;
            while !self.is_over()
                && self.attempt(number, floating(kind, as_double(self.distances.evaluator.input(number)) + stride))
            {
                helped = true;
                stride *= 2.0;
            }
        }
        for factor in [-1.0, 2.0, 0.5, 10.0, 0.1] {
            while !self.is_over()
                && self.attempt(number, floating(kind, as_double(self.distances.evaluator.input(number)) * factor))
            {
                helped = true;
            }
        }
        helped
    }

    /// Flips single bits, for masks and shifts.
    fn try_bit_flips(&mut self, input: Input, number: usize) -> bool {
        let mut helped = false;
        for bit in 0..64 {
            let value = match (input.kind, self.distances.evaluator.input(number)) {
                (_, Value::Int(value)) if bit < 32 => Value::Int(value ^ (1 << bit)),
                (_, Value::Long(value)) => Value::Long(value ^ (1 << bit)),
                _ => continue,
            };
            helped |= self.attempt(number, value);
        }
        helped
    }

    /// Constants of the clauses with their neighbours, and the values of other inputs.
    fn likely_values(&self, input: Input, number: usize) -> Vec<Value> {
        let others = (0..self.distances.evaluator.inputs().len())
            .filter(|other| *other != number)
            .map(|other| self.distances.evaluator.input(other))
            .filter(|value| value.sort() == input.kind.sort())
            .take(16);
        self.constants.of_sort(input.kind.sort()).iter().copied().chain(others).collect()
    }

    fn extremes(&self, input: Input) -> Vec<Value> {
        match input.kind {
            SymbolKind::Float => {
                let values = [f32::MAX, f32::MIN, f32::MIN_POSITIVE, f32::INFINITY, f32::NEG_INFINITY, f32::NAN];
                values.into_iter().chain([0.0, -0.0, f32::from_bits(1)]).map(Value::float).collect()
            }
            SymbolKind::Double => {
                let values = [f64::MAX, f64::MIN, f64::MIN_POSITIVE, f64::INFINITY, f64::NEG_INFINITY, f64::NAN];
                values.into_iter().chain([0.0, -0.0, f64::from_bits(1)]).map(Value::double).collect()
            }
            kind => {
                let (low, high) = range(kind);
                [low, high, 0].into_iter().filter_map(|ordinal| value_at(kind, ordinal)).collect()
            }
        }
    }

    /// A likely value, or one at a random distance.
    fn drawn_value(&mut self, number: usize) -> Value {
        let input = self.distances.evaluator.inputs()[number];
        let likely_values = self.likely_values(input, number);
        if !likely_values.is_empty() && self.draw(2) == 0 {
            return likely_values[self.draw(likely_values.len())];
        }
        let (low, high) = range(input.kind);
        let reach = self.draw(64) as u32;
        let step = (self.draw(usize::MAX) as i128) & ((1i128 << reach) - 1);
        let now = ordinal(self.distances.evaluator.input(number)).unwrap_or(0);
        let place = if self.draw(2) == 0 { now + step } else { now - step };
        value_at(input.kind, place.clamp(low, high)).unwrap_or(self.seed[number])
    }

    /// Tries a value, and keeps it if the distance falls. True if it was kept.
    fn attempt(&mut self, number: usize, value: Value) -> bool {
        let input = self.distances.evaluator.inputs()[number];
        if self.is_over() || value == self.distances.evaluator.input(number) || !input.kind.contains(value) {
            return false;
        }
        self.spent += self.distances.cost(number);
        self.distances.attempt(number, value)
    }

    fn force(&mut self, number: usize, value: Value) {
        if self.distances.evaluator.inputs()[number].kind.contains(value) {
            self.spent += self.distances.cost(number);
            self.distances.force(number, value);
        }
    }

    fn values(&self) -> Vec<Value> {
        (0..self.distances.evaluator.inputs().len()).map(|number| self.distances.evaluator.input(number)).collect()
    }

    fn assign_all(&mut self, values: &[Value]) {
        for (number, value) in values.iter().enumerate() {
            if self.distances.evaluator.input(number) != *value {
                self.force(number, *value);
            }
        }
    }

    /// Replaces values by simpler ones that satisfy the clauses as well: those of the run, whole
    /// numbers, few digits.
    fn simplify_values(&mut self) {
        for number in 0..self.seed.len() {
            let kind = self.distances.evaluator.inputs()[number].kind;
            let found = self.distances.evaluator.input(number);
            if found == self.seed[number] {
                continue;
            }
            let mut simpler = vec![self.seed[number]];
            if matches!(kind, SymbolKind::Float | SymbolKind::Double) {
                let value = as_double(found);
                for scale in [1.0, 10.0, 100.0, 1000.0] {
                    let scaled = value * scale;
                    simpler.extend([scaled.trunc(), scaled.floor(), scaled.ceil()].map(|whole| floating(kind, whole / scale)));
                }
            }
            for value in simpler {
                // The value found is as simple as the candidate.
                if value == found {
                    break;
                }
                self.force(number, value);
                if self.distances.violated() == 0 {
                    break;
                }
                self.force(number, found);
            }
        }
    }
}

/// The constants of the clauses, by sort.
#[derive(Debug, Default)]
struct QueryConstants {
    ints: Vec<Value>,
    longs: Vec<Value>,
    floats: Vec<Value>,
    doubles: Vec<Value>,
}

impl QueryConstants {
    /// Each constant is tried for each input, so there is a limit.
    const MOST: usize = 48;

    fn of(evaluator: &IncrementalEvaluator) -> QueryConstants {
        let mut integers: BTreeSet<i64> = BTreeSet::new();
        let mut numbers: BTreeSet<u64> = BTreeSet::new();
        // Only operands of binary operators and if-then-else are likely values of an input.
        for place in (0..evaluator.len()).rev() {
            let (EvalNode::Binary(_, a, b) | EvalNode::Ite(_, a, b)) = evaluator.node(place) else { continue };
            for operand in [a, b] {
                if evaluator.node(operand) != EvalNode::Constant {
                    continue;
                }
                match evaluator.value(operand) {
                    Value::Int(value) if integers.len() < Self::MOST => drop(integers.insert(value.into())),
                    Value::Long(value) if integers.len() < Self::MOST => drop(integers.insert(value)),
                    Value::Float(bits) if numbers.len() < Self::MOST => {
                        numbers.insert(f64::from(f32::from_bits(bits)).to_bits());
                    }
                    Value::Double(bits) if numbers.len() < Self::MOST => drop(numbers.insert(bits)),
                    _ => {}
                }
            }
        }
        let mut constants = QueryConstants::default();
        let wanted: Vec<Sort> = evaluator.inputs().iter().map(|input| input.kind.sort()).collect();
        let near = |value: i64| [value, value.wrapping_add(1), value.wrapping_sub(1)];
        if wanted.contains(&Sort::Bv32) {
            let ints = integers.iter().filter_map(|value| i32::try_from(*value).ok());
            constants.ints = distinct(ints.flat_map(|value| near(value.into())).map(|value| Value::Int(value as i32)));
        }
        if wanted.contains(&Sort::Bv64) {
            constants.longs = distinct(integers.iter().flat_map(|value| near(*value)).map(Value::Long));
        }
        let whole = integers.iter().map(|value| *value as f64);
        let values: Vec<f64> =
            numbers.iter().map(|bits| f64::from_bits(*bits)).chain(whole).filter(|value| !value.is_nan()).collect();
        for (kind, into) in [(SymbolKind::Float, &mut constants.floats), (SymbolKind::Double, &mut constants.doubles)] {
            if wanted.contains(&kind.sort()) {
                let around = values.iter().flat_map(|value| {
                    let value = floating(kind, *value);
                    let place = ordinal(value).unwrap_or(0);
                    [Some(value), value_at(kind, place + 1), value_at(kind, place - 1)].into_iter().flatten()
                });
                *into = distinct(around);
            }
        }
        constants
    }

    fn of_sort(&self, sort: Sort) -> &[Value] {
        match sort {
            Sort::Bool => &[],
            Sort::Bv32 => &self.ints,
            Sort::Bv64 => &self.longs,
            Sort::Float => &self.floats,
            Sort::Double => &self.doubles,
        }
    }
}

fn distinct(values: impl Iterator<Item = Value>) -> Vec<Value> {
    let mut seen = BTreeSet::new();
    values.filter(|value| seen.insert(*value)).collect()
}

/// As a float or a double.
fn floating(kind: SymbolKind, value: f64) -> Value {
    if kind == SymbolKind::Float { Value::float(value as f32) } else { Value::double(value) }
}

fn as_double(value: Value) -> f64 {
    match value {
        Value::Float(bits) => f32::from_bits(bits).into(),
        Value::Double(bits) => f64::from_bits(bits),
        _ => 0.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expr::Symbol;

    const BUDGET: u64 = 2_000_000;

    fn asked(clauses: &[&str], seed: &str) -> Option<Model> {
        let mut terms = TermStore::new();
        let clauses: Vec<TermId> = clauses.iter().map(|text| terms.parse(text).expect(text)).collect();
        let query = Query { clauses, seed: seed.parse().expect(seed), limits: Limits::default() };
        let (model, steps) = descend(&terms, &query, BUDGET);
        assert!(steps <= BUDGET + 1_000, "{steps} steps");
        assert_eq!(descend(&terms, &query, BUDGET), (model.clone(), steps), "the same again");
        if let Some(model) = &model {
            assert_eq!(completed(&terms, &query, model).as_ref(), Some(model));
        }
        model
    }

    fn double(value: f64) -> Value {
        Value::double(value)
    }

    #[test]
    fn float_arithmetic_that_bit_blasting_seldom_solves_is_solved() {
        let d = |value: f64| double(value).to_string();
        // x * y == 1e10 + 0.5, x > 3
        let product = format!("(fp.eq (fp.mul v0:double v1:double) {})", d(1e10 + 0.5));
        asked(&[&format!("(fp.lt {} v0:double)", d(3.0)), &product], "v0=d#4010000000000000 v1=d#0000000000000000")
            .expect("a product");
        // (int) x == 42
        let model = asked(&["(= (d2i v0:double) 42)"], "v0=d#3fd3333333333333").expect("a cast");
        assert_eq!(model.get(Symbol::value(0)), Some(double(42.0)));
        // sqrt(x) > 100, sin(x) > 0.5
        let root = format!("(fp.lt {} (fp.sqrt v0:double))", d(100.0));
        let sine = format!("(fp.lt {} (sin v0:double))", d(0.5));
        asked(&[&root, &sine], "v0=d#0000000000000000").expect("a wave");
        // x % 7 == 3.5
        asked(&[&format!("(fp.eq (frem v0:double {}) {})", d(7.0), d(3.5))], "v0=d#4059000000000000").expect("a remainder");
        // x != x
        let model = asked(&["(not (fp.eq v0:float v0:float))"], "v0=f#00000000").expect("NaN");
        assert!(matches!(model.get(Symbol::value(0)), Some(Value::Float(bits)) if f32::from_bits(bits).is_nan()));
        // 1 / x < 0 with x not below 0
        let clauses =
            ["(not (fp.lt v0:double d#0000000000000000))", "(fp.lt (fp.div d#3ff0000000000000 v0:double) d#0000000000000000)"];
        let model = asked(&clauses, "v0=d#3ff0000000000000").expect("a negative zero");
        assert_eq!(model.get(Symbol::value(0)), Some(double(-0.0)));
        // x + y == z, z > 1e6: a step towards one clause leads away from the other.
        let clauses = ["(fp.eq (fp.add v0:double v1:double) v2:double)", &format!("(fp.lt {} v2:double)", d(1e6))];
        asked(&clauses, "v0=d#0000000000000000 v1=d#0000000000000000 v2=d#0000000000000000").expect("a system");
    }

    #[test]
    fn integers_characters_and_lengths_are_solved() {
        asked(&["(bvslt 0 v0)", "(= (bvmul v0 v0) 1522756)"], "v0=1").expect("a root");
        asked(&["(= (bvand v0 4096) 4096)", "(= (bvand v0 1) 0)"], "v0=3").expect("bits");
        let model =
            asked(&["(= v0[0] 120)", "(= v0[1] 121)", "(= v0.length 2)"], "v0.length=0 v0[0]=97 v0[1]=97").expect("a text");
        assert_eq!(model.to_string(), "v0.length=2 v0[0]=120 v0[1]=121");
        assert_eq!(asked(&["(bvslt v0:byte 127)", "(bvslt 126 v0:byte)"], "v0=0"), None);
        // An input that need not move keeps the value of the run.
        let model = asked(&["(bvslt v0 5)", "(bvslt v1 v0)"], "v0=4 v1=50").expect("a pair");
        assert_eq!(model.get(Symbol::value(0)), Some(Value::Int(4)));
    }

    #[test]
    fn simple_values_are_preferred() {
        let model =
            asked(&["(fp.lt d#4045333333333333 v0:double)", "(fp.lt v0:double d#4045800000000000)"], "v0=d#0000000000000000");
        // Between 42.4 and 43.
        let Some(Value::Double(bits)) = model.expect("a number").get(Symbol::value(0)) else { panic!("a double") };
        assert_eq!((f64::from_bits(bits) * 10.0).fract(), 0.0, "{}", f64::from_bits(bits));
    }

    #[test]
    fn a_failed_search_is_unknown_only_if_the_layers_below_do_not_know_either() {
        let ask = |clause: &str| {
            let mut terms = TermStore::new();
            let clauses = vec![terms.parse(clause).expect(clause)];
            let query = Query { clauses, seed: Model::new(), limits: Limits { descent: 20_000, ..Limits::default() } };
            super::super::wire::write_outcome(&Descent::new(super::super::z3::Z3Solver::new()).check(&terms, &query))
        };
        assert_eq!(ask("(fp.lt d#4000000000000000 (sin v0:double))"), "unknown descent sin");
        assert_eq!(ask("(fp.lt (fp.abs v0:double) d#0000000000000000)"), "unsat 0");
    }
}
