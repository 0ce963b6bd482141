//! Models and proofs by halves: what is left of an input, or of anything that is computed from inputs, is halved, the bounds of everything else follow
//! (`propagation`), and where nothing is left the other half is all there is. Flows in: queries whose clauses leave something few values: lengths of
//! texts, digits, letters, the ways that a condition may go; flows out: a model that evaluation has checked, or a proof with the clauses that it needs.
//! Must not know what the clauses compute.
//!
//! A bit-blasting solver looks at all clauses at once, and what is hard in one of them is hard for all. Here a proof uses the clauses that it needs: three
//! digits are a thousand cases, whatever the text around them is and however many clauses are about it. What is halved need not be an input: a digit
//! of a text that was trimmed may stand at any place, but it has ten values, and which place it is may never matter. A contradiction names the halves that it
//! follows from: what was halved besides does not matter either and is not tried the other way.
//!
//! Beside the bounds one assignment inside of them is kept, near the run: which clauses it violates, and why, says what to halve next, and when it violates none
//! it is the model. Floats are gone through as inputs only: what is computed from them is rounded, and says little of them.
//! Deterministic: it counts rules applied and subterms computed.

use super::propagation::{Grounds, Nothing, Propagation};
use super::{Outcome, Query, Solver, Statistics, completed};
use crate::expr::{Dense, Interval, Node, Place, Sort, SymbolKind, TermId, TermStore, UnaryOp, Value, floating};
use std::collections::VecDeque;

#[derive(Debug)]
pub struct Narrowing<S> {
    inner: S,
    answered: u64,
    steps: u64,
}

impl<S> Narrowing<S> {
    /// Share of the steps of a search: what is not found in these a solver finds sooner (measured: of 48 recorded queries 44 need at most two fifths
    /// of them).
    const SHARE: u64 = 8;

    pub(crate) fn new(inner: S) -> Narrowing<S> {
        Narrowing { inner, answered: 0, steps: 0 }
    }
}

impl<S: Solver> Solver for Narrowing<S> {
    fn check(&mut self, terms: &TermStore, query: &Query) -> Outcome {
        let (answer, steps) = narrow(terms, query, query.limits.descent / Self::SHARE);
        self.steps += steps;
        match answer {
            Some(outcome) => {
                self.answered += 1;
                outcome
            }
            None => self.inner.check(terms, query),
        }
    }

    fn check_apart(&mut self, terms: &TermStore, query: &Query) -> Outcome {
        self.inner.check_apart(terms, query)
    }

    fn statistics(&self) -> Statistics {
        let inner = self.inner.statistics();
        Statistics { narrowed: inner.narrowed + self.answered, narrowing_steps: inner.narrowing_steps + self.steps, ..inner }
    }
}

/// A model, a contradiction, or nothing within so many steps; and the steps it took.
pub fn narrow(terms: &TermStore, query: &Query, budget: u64) -> (Option<Outcome>, u64) {
    /// Subterms, and the same each as often as inputs it depends on: of more, the budget is spent before there is anything to choose.
    const MOST_TERMS: usize = 10_000;
    const MOST: usize = 250_000;
    if terms.reachable(&query.clauses).len() > MOST_TERMS {
        return (None, 0);
    }
    let Some(dense) = Dense::new(terms, &query.clauses, &query.seed, MOST) else { return (None, 0) };
    let mut search = Search::new(terms, dense, &query.clauses);
    let outcome = match search.run(budget) {
        Found::Model => completed(terms, query, &search.dense.model()).map(Outcome::Sat),
        Found::Contradiction(core) => Some(Outcome::Unsat { core }),
        Found::Nothing => None,
    };
    (outcome, search.steps())
}

enum Found {
    Model,
    Contradiction(Vec<usize>),
    Nothing,
}

struct Search {
    propagation: Propagation,
    /// The assignment, inside the bounds.
    dense: Dense,
    /// By clause: the inputs that it mentions, as numbers.
    inputs_of: Vec<Vec<u32>>,
    /// The values of the run, by input.
    seed: Vec<Value>,
    halves: Vec<Half>,
    computed: u64,
}

/// One half of what was left of a subterm.
struct Half {
    place: Place,
    /// How many changes there were before.
    changes: usize,
    /// The other half, while nobody has looked at it.
    other: Option<Interval>,
    /// What, besides, the contradiction of the half before it follows from.
    grounds: Grounds,
}

impl Search {
    /// To halve what is wider than a character is seldom the way to an answer: it counts as so many steps (measured: nothing is lost by it).
    const MOST_BITS: u64 = 16;
    const WIDE: u64 = 2_000;

    fn new(terms: &TermStore, dense: Dense, clauses: &[TermId]) -> Search {
        let number = |input| dense.inputs().binary_search(input).expect("an input of the clauses") as u32;
        let inputs_of = clauses.iter().map(|clause| terms.symbols_of(*clause).iter().map(number).collect()).collect();
        let seed = (0..dense.inputs().len()).map(|number| dense.input(number)).collect();
        let computed = dense.len() as u64;
        Search { propagation: Propagation::new(&dense), dense, inputs_of, seed, halves: Vec::new(), computed }
    }

    fn steps(&self) -> u64 {
        self.propagation.steps() + self.computed
    }

    fn run(&mut self, budget: u64) -> Found {
        if let Err(nothing) = self.begin() {
            return Found::Contradiction(self.propagation.core_of(nothing));
        }
        self.propagation.settle();
        while self.steps() < budget {
            self.follow();
            let Some(clause) = self.violated() else { return Found::Model };
            let Some((place, first, other)) = clause.and_then(|clause| self.halved(clause)) else { return Found::Nothing };
            self.halves.push(Half {
                place,
                changes: self.propagation.changes(),
                other: Some(other),
                grounds: Grounds::default(),
            });
            let mut result = self.enter(first);
            while let Err(nothing) = result {
                if self.steps() >= budget {
                    return Found::Nothing;
                }
                let grounds = self.propagation.explain(nothing);
                let (half, other) = match self.left(grounds) {
                    Ok(left) => left,
                    Err(grounds) => return Found::Contradiction(self.propagation.core(grounds)),
                };
                self.halves.push(half);
                result = self.enter(other);
            }
        }
        Found::Nothing
    }

    fn begin(&mut self) -> Result<(), Nothing> {
        for (clause, root) in self.dense.roots().iter().enumerate() {
            self.propagation.require(clause, *root)?;
        }
        self.propagation.propagate()
    }

    /// Chooses part of the bounds of the last half's subterm.
    fn enter(&mut self, bounds: Interval) -> Result<(), Nothing> {
        let place = self.halves.last().expect("just pushed").place;
        self.propagation.choose(self.halves.len(), place, bounds)?;
        self.propagation.propagate()
    }

    /// The last half that the contradiction follows from and whose other half nobody has looked at. An error: there is none, and this is what
    /// the contradiction follows from.
    fn left(&mut self, mut grounds: Grounds) -> Result<(Half, Interval), Grounds> {
        loop {
            let number = self.halves.len();
            let Some(half) = self.halves.pop() else { return Err(grounds) };
            self.propagation.retract(half.changes);
            if !grounds.contain(number) {
                continue;
            }
            grounds.remove(number);
            match half.other {
                Some(other) => return Ok((Half { other: None, grounds, ..half }, other)),
                None => grounds.extend(half.grounds),
            }
        }
    }

    /// Brings the assignment inside the bounds.
    fn follow(&mut self) {
        for number in 0..self.seed.len() {
            let kind = self.dense.inputs()[number].kind;
            let bounds = self.propagation.bounds(self.dense.leaf(number));
            let [now, seed] = [self.dense.input(number), self.seed[number]].map(|value| Interval::of_value(value).low);
            if bounds.contains(now) {
                continue;
            }
            // Readers prefer printable characters.
            let printable = Interval { low: 0x20, high: 0x7e };
            let preferred = if kind == SymbolKind::Char { bounds.intersection(printable).unwrap_or(bounds) } else { bounds };
            let nearest = Interval::point(seed.clamp(preferred.low, preferred.high));
            // Of floats they prefer whole numbers.
            let whole = kind.sort().is_fp().then(|| {
                let rounded = |op| Interval::unary(op, kind.sort(), nearest);
                [UnaryOp::FpFloor, UnaryOp::FpCeil].map(rounded).into_iter().find(|whole| bounds.contains(whole.low))
            });
            self.dense.set(number, whole.flatten().unwrap_or(nearest).value(kind.sort()).expect("a point"));
            self.computed += self.dense.reach(number) as u64 + 1;
        }
    }

    fn bounds_of(&self, number: u32) -> Interval {
        self.propagation.bounds(self.dense.leaf(number as usize))
    }

    /// Whether an input has several values left, which can be gone through.
    fn is_open(&self, number: u32) -> bool {
        let bounds = self.bounds_of(number);
        bounds.low < bounds.high
    }

    /// Of the clauses that the assignment violates the one with the fewest values left; the inner `None`: none has several.
    fn violated(&mut self) -> Option<Option<usize>> {
        let mut least: Option<(u64, usize)> = None;
        let mut is_violated = false;
        self.computed += self.inputs_of.len() as u64 / 4;
        for (clause, root) in self.dense.roots().iter().enumerate() {
            if self.dense.value(*root) == Value::Bool(true) {
                continue;
            }
            is_violated = true;
            self.computed += self.inputs_of[clause].len() as u64;
            let open = self.inputs_of[clause].iter().filter(|number| self.is_open(**number));
            let bits: u64 = open.map(|number| bits(self.bounds_of(*number))).sum();
            if bits > 0 && least.is_none_or(|(fewest, _)| bits < fewest) {
                least = Some((bits, clause));
            }
        }
        is_violated.then_some(least.map(|(_, clause)| clause))
    }

    /// What to halve: of what the violation depends on that with the fewest values left; its half around the assignment, and the other.
    fn halved(&mut self, clause: usize) -> Option<(Place, Interval, Interval)> {
        let mut least: Option<(u64, Place)> = None;
        for place in self.reasons(self.dense.roots()[clause]) {
            let bounds = self.propagation.bounds(place);
            // Whether it is a number matters more than which one.
            let bits = if border(self.dense.value(place).sort(), bounds).is_some() { 1 } else { bits(bounds) };
            if least.is_none_or(|(fewest, _)| bits < fewest) {
                least = Some((bits, place));
            }
        }
        let (bits, place) = least?;
        if bits > Self::MOST_BITS {
            self.computed += Self::WIDE;
        }
        let bounds = self.propagation.bounds(place);
        let middle = middle(self.dense.value(place).sort(), bounds);
        let (low, high) = (Interval { high: middle, ..bounds }, Interval { low: middle + 1, ..bounds });
        let is_low = Interval::of_value(self.dense.value(place)).low <= middle;
        Some(if is_low { (place, low, high) } else { (place, high, low) })
    }

    /// What the value of a violated clause depends on, from above, where several values are left that can be gone through.
    fn reasons(&mut self, root: Place) -> Vec<Place> {
        let mut seen = vec![false; self.dense.len()];
        self.computed += self.dense.len() as u64 / 16;
        let mut pending = VecDeque::from([root]);
        let mut reasons = Vec::new();
        while let Some(place) = pending.pop_front() {
            if std::mem::replace(&mut seen[place], true) {
                continue;
            }
            self.computed += 1;
            let bounds = self.propagation.bounds(place);
            // What is as it must be is no reason.
            if bounds == Interval::of_value(self.dense.value(place)) {
                continue;
            }
            let is_input = self.dense.node(place) == Node::Input;
            if bounds.low < bounds.high && (is_input || !self.dense.value(place).sort().is_fp()) {
                reasons.push(place);
            }
            match self.dense.node(place) {
                Node::Constant | Node::Input => {}
                Node::Unary(_, a) => pending.push_back(a),
                Node::Binary(_, a, b) => pending.extend([a, b]),
                Node::Ite(condition, a, b) => match self.propagation.bounds(condition) {
                    known if known == Interval::of_value(self.dense.value(condition)) => {
                        pending.push_back(if known.low == 1 { a } else { b });
                    }
                    _ => pending.extend([condition, a, b]),
                },
            }
        }
        reasons
    }
}

/// The end of the lower half: of floats, numbers and NaN are halves.
fn middle(sort: Sort, bounds: Interval) -> i64 {
    let border = border(sort, bounds);
    border.unwrap_or(bounds.low + ((i128::from(bounds.high) - i128::from(bounds.low)) / 2) as i64)
}

/// The last place before numbers, or of them, where there is NaN beside them.
fn border(sort: Sort, bounds: Interval) -> Option<i64> {
    let numbers = sort.is_fp().then(|| floating::numbers(sort))?;
    [numbers.low - 1, numbers.high].into_iter().find(|border| bounds.low <= *border && *border < bounds.high)
}

/// Halvings until one value is left.
fn bits(bounds: Interval) -> u64 {
    let values = i128::from(bounds.high) - i128::from(bounds.low);
    (128 - values.leading_zeros()).into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expr::Symbol;
    use crate::solve::Limits;

    fn asked(clauses: &[&str], seed: &str, budget: u64) -> (Option<Outcome>, u64) {
        let mut terms = TermStore::new();
        let clauses = clauses.iter().map(|text| terms.parse(text).expect(text)).collect();
        let query = Query { clauses, seed: seed.parse().expect(seed), limits: Limits::default() };
        let answer = narrow(&terms, &query, budget);
        assert_eq!(narrow(&terms, &query, budget), answer, "the same again");
        answer
    }

    fn core(clauses: &[&str]) -> (Vec<usize>, u64) {
        let (Some(Outcome::Unsat { core }), steps) = asked(clauses, "", 100_000) else { panic!("a contradiction: {clauses:?}") };
        (core, steps)
    }

    /// Of no number the square ends in these bits: all hundred have to be tried.
    const NO_SQUARE: &str = "(= (bvand (bvmul (bvadd (bvmul (bvadd v0[1] -48) 10) (bvadd v0[3] -48)) \
                                       (bvadd (bvmul (bvadd v0[1] -48) 10) (bvadd v0[3] -48))) 127) 3)";
    const DIGITS: [&str; 4] = ["(bvsle 48 v0[1])", "(bvsle v0[1] 57)", "(bvsle 48 v0[3])", "(bvsle v0[3] 57)"];

    #[test]
    fn what_is_left_is_gone_through() {
        let clauses = [&DIGITS[..], &["(= v7 v8)", NO_SQUARE]].concat();
        assert_eq!(core(&clauses).0, [0, 1, 2, 3, 5]);
        let a_square = NO_SQUARE.replace("127) 3)", "127) 121)");
        let (outcome, _) = asked(&[&DIGITS[..], &[&a_square]].concat(), "v0[1]=50", 100_000);
        assert!(matches!(outcome, Some(Outcome::Sat(_))), "{outcome:?}");
    }

    #[test]
    fn lengths_need_what_bounds_them() {
        let last = "(ite (= v0.length 1) v0[0] (ite (= v0.length 2) v0[1] (ite (= v0.length 3) v0[2] 97)))";
        let clauses = [
            "(bvslt 0 v0.length)",
            "(bvsle v0.length 3)",
            "(= v0[0] 98)",
            "(= v0[1] 98)",
            "(= v0[2] 98)",
            "(= v0[3] 98)",
            &format!("(= {last} 97)"),
        ];
        assert_eq!(core(&clauses).0, [0, 1, 2, 3, 4, 6]);
        let (outcome, _) = asked(&[&clauses[..1], &clauses[2..]].concat(), "v0.length=2", 100_000);
        let Some(Outcome::Sat(model)) = outcome else { panic!("{outcome:?}") };
        assert!(model.get(Symbol::length(0)) > Some(Value::Int(3)), "{model}");
    }

    /// Halves that a contradiction does not follow from are not tried the other way: with each of these inputs that would be twice the work.
    #[test]
    fn what_does_not_matter_is_not_tried_the_other_way() {
        let open: Vec<String> = (10..30).map(|input| format!("(= (bvxor v{input}:boolean v{}:boolean) 1)", input + 1)).collect();
        let mut clauses: Vec<&str> = open.iter().map(String::as_str).collect();
        clauses.extend(DIGITS.iter().copied().chain([NO_SQUARE]));
        let (core, steps) = core(&clauses);
        assert_eq!(core, (20..25).collect::<Vec<usize>>());
        assert!(steps < 50_000, "{steps} steps");
    }

    /// A digit that may stand anywhere has ten values: where it stands does not matter.
    #[test]
    fn what_is_computed_is_halved_as_well() {
        let chosen = |shift: usize| {
            (0..12).fold("v9:char".to_owned(), |rest, place| format!("(ite (bvslt 32 v0[{place}]) v0[{}] {rest})", place + shift))
        };
        let (digit, next) = (chosen(0), chosen(1));
        let clauses = [
            format!("(bvsle 48 {digit})"),
            format!("(bvsle {digit} 57)"),
            format!("(bvsle 48 {next})"),
            format!("(bvsle {next} 57)"),
            format!("(= (bvmul {digit} {next}) 2503)"),
        ];
        let clauses: Vec<&str> = clauses.iter().map(String::as_str).collect();
        let (core, steps) = core(&clauses);
        assert_eq!(core, [0, 1, 2, 3, 4]);
        assert!(steps < 10_000, "{steps} steps");
    }

    #[test]
    fn floats_are_gone_through() {
        // A square is not negative, on either side of zero.
        assert_eq!(core(&["(fp.lt v1:double v2:double)", "(fp.lt (fp.mul v0:double v0:double) d#c010000000000000)"]).0, [1]);
        let (outcome, _) = asked(&["(fp.lt d#4000000000000000 (fp.mul v0:double v0:double))"], "", 100_000);
        assert!(matches!(outcome, Some(Outcome::Sat(_))), "{outcome:?}");
        // Whole numbers where there are some: 3, not the next one to 2.5.
        let (outcome, _) = asked(&["(fp.lt d#4004000000000000 v0:double)"], "", 100_000);
        assert_eq!(outcome, Some(Outcome::Sat("v0=d#4008000000000000".parse().expect("a model"))));
        // A continued fraction, as programs compute them: its first denominator is positive.
        let rest = "(fp.sub (fp.abs v0:double) (i2d (d2i (fp.abs v0:double))))";
        let clauses = [
            "(not (fp.lt d#41dfffffffc00000 (fp.abs v0:double)))",
            "(fp.eq v0:double v0:double)",
            &format!("(bvsle (d2i (fp.div d#3ff0000000000000 (fp.sub {rest} (i2d (d2i {rest}))))) 0)"),
        ];
        assert_eq!(core(&clauses).0, [0, 1, 2]);
    }

    #[test]
    fn characters_are_those_that_readers_know() {
        let (outcome, _) =
            asked(&["(not (= v0[0] 97))", "(bvslt v0[0] 100)", "(not (= v0[1] 97))"], "v0[0]=97 v0[1]=97", 100_000);
        let Some(Outcome::Sat(model)) = outcome else { panic!("{outcome:?}") };
        assert!(model.iter().all(|(_, value)| value.integral().is_some_and(|value| (0x20..=0x7e).contains(&value))), "{model}");
    }

    #[test]
    fn what_cannot_be_gone_through_is_left_to_others() {
        assert_eq!(asked(&["(fp.lt d#4000000000000000 (sin v0:double))"], "", 100_000).0, None);
        let factors = ["(= (bvmul v0:long v1:long) 4611685975477714963L)", "(bvslt 1L v0:long)", "(bvslt v0:long v1:long)"];
        let (outcome, steps) = asked(&factors, "", 20_000);
        assert_eq!(outcome, None);
        assert!((20_000..23_000).contains(&steps), "{steps} steps");
        // Each halving of a long counts for many.
        let (outcome, more) = asked(&factors, "", 40_000);
        assert!(outcome.is_none() && more < steps + 20_000 + 3_000, "{steps} and {more} steps");
    }
}
