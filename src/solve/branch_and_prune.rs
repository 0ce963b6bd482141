//! Branch and prune over bounds of subterms, in the style of HC4 and of clause learning.
//!
//! In: queries whose clauses leave some subterm few values, such as string lengths, digits and
//! letters. Out: a model that evaluation has checked, or a proof with the clauses that it needs.
//! This module does not know what the clauses compute.
//!
//! The bounds of a subterm are split in two. The bounds of all other subterms follow
//! ([`super::propagation`]). If one half has no value left, the contradiction is explained by the
//! splits and clauses that caused it, and the search returns to the last of these splits
//! (backjumping). The other half of a split that took no part in the contradiction is not tried.
//!
//! A bit-blasting solver looks at all clauses at once. Here a proof needs only the clauses that it
//! uses: three digits are a thousand cases, whatever the rest of the string is. A split subterm
//! need not be an input: a digit of a trimmed string can stand at many positions, but it has ten
//! values.
//!
//! One assignment inside the bounds is kept, near the values of the run. The clauses that it
//! violates say which subterm to split next. If it violates none, it is the model. Floats are split
//! as inputs only, since bounds of rounded results say little. The search counts rules applied and
//! subterms computed, so it is deterministic.

use super::propagation::{Contradiction, Explanation, Propagation};
use super::{Outcome, Query, Solver, Statistics, completed};
use crate::expr::{
    EvalNode, IncrementalEvaluator, Interval, NodeIx, Sort, SymbolKind, TermId, TermStore, UnaryOp, Value, floating,
};
use std::collections::VecDeque;

/// The layer.
#[derive(Debug)]
pub struct BranchAndPrune<S> {
    inner: S,
    answered: u64,
    steps: u64,
}

impl<S> BranchAndPrune<S> {
    /// Divisor of the step limit. Z3 is faster on queries that need more (docs/experiments.md,
    /// "Solver").
    const SHARE: u64 = 8;

    /// The layer over `inner`.
    pub(crate) fn new(inner: S) -> BranchAndPrune<S> {
        BranchAndPrune { inner, answered: 0, steps: 0 }
    }
}

impl<S: Solver> Solver for BranchAndPrune<S> {
    fn check(&mut self, terms: &TermStore, query: &Query) -> Outcome {
        let (answer, steps) = branch_and_prune(terms, query, query.limits.descent / Self::SHARE);
        self.steps += steps;
        match answer {
            Some(outcome) => {
                self.answered += 1;
                outcome
            }
            None => self.inner.check(terms, query),
        }
    }

    fn check_isolated(&mut self, terms: &TermStore, query: &Query) -> Outcome {
        self.inner.check_isolated(terms, query)
    }

    fn statistics(&self) -> Statistics {
        let inner = self.inner.statistics();
        Statistics { pruned: inner.pruned + self.answered, pruning_steps: inner.pruning_steps + self.steps, ..inner }
    }
}

/// A model or a contradiction found within `budget` steps, if any, and the steps taken.
pub fn branch_and_prune(terms: &TermStore, query: &Query, budget: u64) -> (Option<Outcome>, u64) {
    /// Limits of the distinct subterms, and of the sum over subterms of the inputs they depend on.
    /// Larger queries would use up the budget before the first split.
    const MOST_TERMS: usize = 10_000;
    const MOST: usize = 250_000;
    if terms.reachable(&query.clauses).len() > MOST_TERMS {
        return (None, 0);
    }
    let Some(evaluator) = IncrementalEvaluator::new(terms, &query.clauses, &query.seed, MOST) else { return (None, 0) };
    let mut search = PruningSearch::new(terms, evaluator, &query.clauses);
    let outcome = match search.run(budget) {
        PruningResult::Model => completed(terms, query, &search.evaluator.model()).map(Outcome::Sat),
        PruningResult::Contradiction(core) => Some(Outcome::Unsat { core }),
        PruningResult::OutOfSteps => None,
    };
    (outcome, search.steps())
}

enum PruningResult {
    Model,
    Contradiction(Vec<usize>),
    OutOfSteps,
}

struct PruningSearch {
    propagation: Propagation,
    /// The assignment inside the bounds.
    evaluator: IncrementalEvaluator,
    /// By clause: the numbers of the inputs that it mentions.
    inputs_of: Vec<Vec<u32>>,
    /// The values of the run, by input.
    seed: Vec<Value>,
    splits: Vec<Split>,
    computed: u64,
}

/// One half of the bounds of a subterm.
struct Split {
    place: NodeIx,
    /// Number of bounds changes before the split.
    changes: usize,
    /// The other half, until it is tried.
    other: Option<Interval>,
    /// The further splits and changes that the contradiction in the first half follows from.
    explanation: Explanation,
}

impl PruningSearch {
    /// Splitting bounds wider than a character seldom leads to an answer, so it costs extra steps.
    const MOST_BITS: u64 = 16;
    const WIDE: u64 = 2_000;

    fn new(terms: &TermStore, evaluator: IncrementalEvaluator, clauses: &[TermId]) -> PruningSearch {
        let number = |input| evaluator.inputs().binary_search(input).expect("an input of the clauses") as u32;
        let inputs_of = clauses.iter().map(|clause| terms.symbols_of(*clause).iter().map(number).collect()).collect();
        let seed = (0..evaluator.inputs().len()).map(|number| evaluator.input(number)).collect();
        let computed = evaluator.len() as u64;
        PruningSearch { propagation: Propagation::new(&evaluator), evaluator, inputs_of, seed, splits: Vec::new(), computed }
    }

    fn steps(&self) -> u64 {
        self.propagation.steps() + self.computed
    }

    fn run(&mut self, budget: u64) -> PruningResult {
        if let Err(contradiction) = self.require_all() {
            return PruningResult::Contradiction(self.propagation.core_of(contradiction));
        }
        self.propagation.mark_base();
        while self.steps() < budget {
            self.move_assignment_into_bounds();
            let Some(clause) = self.violated_clause() else { return PruningResult::Model };
            let Some((place, first, other)) = clause.and_then(|clause| self.next_split(clause)) else {
                return PruningResult::OutOfSteps;
            };
            self.splits.push(Split {
                place,
                changes: self.propagation.changes(),
                other: Some(other),
                explanation: Explanation::default(),
            });
            let mut result = self.restrict(first);
            while let Err(contradiction) = result {
                if self.steps() >= budget {
                    return PruningResult::OutOfSteps;
                }
                let explanation = self.propagation.explain(contradiction);
                let (split, other) = match self.backjump(explanation) {
                    Ok(backjump) => backjump,
                    Err(explanation) => return PruningResult::Contradiction(self.propagation.core(explanation)),
                };
                self.splits.push(split);
                result = self.restrict(other);
            }
        }
        PruningResult::OutOfSteps
    }

    fn require_all(&mut self) -> Result<(), Contradiction> {
        for (clause, root) in self.evaluator.roots().iter().enumerate() {
            self.propagation.require(clause, *root)?;
        }
        self.propagation.propagate()
    }

    /// Restricts the subterm of the last split to these bounds.
    fn restrict(&mut self, bounds: Interval) -> Result<(), Contradiction> {
        let place = self.splits.last().expect("just pushed").place;
        self.propagation.choose(self.splits.len(), place, bounds)?;
        self.propagation.propagate()
    }

    /// The last split that the contradiction follows from and whose other half is untried, with
    /// that half. `Err` with the explanation if there is none: then the clauses contradict each
    /// other.
    fn backjump(&mut self, mut explanation: Explanation) -> Result<(Split, Interval), Explanation> {
        loop {
            let number = self.splits.len();
            let Some(split) = self.splits.pop() else { return Err(explanation) };
            self.propagation.retract(split.changes);
            if !explanation.contains(number) {
                continue;
            }
            explanation.remove(number);
            match split.other {
                Some(other) => return Ok((Split { other: None, explanation, ..split }, other)),
                None => explanation.extend(split.explanation),
            }
        }
    }

    /// Moves the assignment into the bounds, near the run.
    fn move_assignment_into_bounds(&mut self) {
        for number in 0..self.seed.len() {
            let kind = self.evaluator.inputs()[number].kind;
            let bounds = self.propagation.bounds(self.evaluator.leaf(number));
            let [now, seed] = [self.evaluator.input(number), self.seed[number]].map(|value| Interval::of_value(value).low);
            if bounds.contains(now) {
                continue;
            }
            // Printable characters make readable tests.
            let printable = Interval { low: 0x20, high: 0x7e };
            let preferred = if kind == SymbolKind::Char { bounds.intersection(printable).unwrap_or(bounds) } else { bounds };
            let nearest = Interval::point(seed.clamp(preferred.low, preferred.high));
            // So do whole numbers.
            let whole = kind.sort().is_fp().then(|| {
                let rounded = |op| Interval::unary(op, kind.sort(), nearest);
                [UnaryOp::FpFloor, UnaryOp::FpCeil].map(rounded).into_iter().find(|whole| bounds.contains(whole.low))
            });
            self.evaluator.set(number, whole.flatten().unwrap_or(nearest).value(kind.sort()).expect("a point"));
            self.computed += self.evaluator.reach(number) as u64 + 1;
        }
    }

    fn bounds_of(&self, number: u32) -> Interval {
        self.propagation.bounds(self.evaluator.leaf(number as usize))
    }

    /// Whether an input has several values left.
    fn is_open(&self, number: u32) -> bool {
        let bounds = self.bounds_of(number);
        bounds.low < bounds.high
    }

    /// Of the violated clauses, the one whose open inputs have the fewest values. The inner `None`:
    /// no violated clause has an open input. The outer `None`: no clause is violated.
    fn violated_clause(&mut self) -> Option<Option<usize>> {
        let mut least: Option<(u64, usize)> = None;
        let mut is_violated = false;
        self.computed += self.inputs_of.len() as u64 / 4;
        for (clause, root) in self.evaluator.roots().iter().enumerate() {
            if self.evaluator.value(*root) == Value::Bool(true) {
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

    /// The split for a violated clause: of the subterms that the violation depends on, the one with
    /// the fewest values; its half that contains the assignment, and the other half.
    fn next_split(&mut self, clause: usize) -> Option<(NodeIx, Interval, Interval)> {
        let mut least: Option<(u64, NodeIx)> = None;
        for place in self.reasons(self.evaluator.roots()[clause]) {
            let bounds = self.propagation.bounds(place);
            // Whether a float is a number matters more than which number it is.
            let bits = if border(self.evaluator.value(place).sort(), bounds).is_some() { 1 } else { bits(bounds) };
            if least.is_none_or(|(fewest, _)| bits < fewest) {
                least = Some((bits, place));
            }
        }
        let (bits, place) = least?;
        if bits > Self::MOST_BITS {
            self.computed += Self::WIDE;
        }
        let bounds = self.propagation.bounds(place);
        let middle = middle(self.evaluator.value(place).sort(), bounds);
        let (low, high) = (Interval { high: middle, ..bounds }, Interval { low: middle + 1, ..bounds });
        let is_low = Interval::of_value(self.evaluator.value(place)).low <= middle;
        Some(if is_low { (place, low, high) } else { (place, high, low) })
    }

    /// The subterms with several values left that the value of a violated clause depends on, root
    /// first.
    fn reasons(&mut self, root: NodeIx) -> Vec<NodeIx> {
        let mut seen = vec![false; self.evaluator.len()];
        self.computed += self.evaluator.len() as u64 / 16;
        let mut pending = VecDeque::from([root]);
        let mut reasons = Vec::new();
        while let Some(place) = pending.pop_front() {
            if std::mem::replace(&mut seen[place], true) {
                continue;
            }
            self.computed += 1;
            let bounds = self.propagation.bounds(place);
            // A subterm that must have its value is no reason.
            if bounds == Interval::of_value(self.evaluator.value(place)) {
                continue;
            }
            let is_input = self.evaluator.node(place) == EvalNode::Input;
            if bounds.low < bounds.high && (is_input || !self.evaluator.value(place).sort().is_fp()) {
                reasons.push(place);
            }
            match self.evaluator.node(place) {
                EvalNode::Constant | EvalNode::Input => {}
                EvalNode::Unary(_, a) => pending.push_back(a),
                EvalNode::Binary(_, a, b) => pending.extend([a, b]),
                EvalNode::Ite(condition, a, b) => match self.propagation.bounds(condition) {
                    known if known == Interval::of_value(self.evaluator.value(condition)) => {
                        pending.push_back(if known.low == 1 { a } else { b });
                    }
                    _ => pending.extend([condition, a, b]),
                },
            }
        }
        reasons
    }
}

/// The end of the lower half. Bounds of floats with both numbers and NaN are split between them.
fn middle(sort: Sort, bounds: Interval) -> i64 {
    let border = border(sort, bounds);
    border.unwrap_or(bounds.low + ((i128::from(bounds.high) - i128::from(bounds.low)) / 2) as i64)
}

/// The last ordinal before the numbers, or of the numbers, if the bounds also hold NaN there.
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
        let answer = branch_and_prune(&terms, &query, budget);
        assert_eq!(branch_and_prune(&terms, &query, budget), answer, "the same again");
        answer
    }

    fn core(clauses: &[&str]) -> (Vec<usize>, u64) {
        let (Some(Outcome::Unsat { core }), steps) = asked(clauses, "", 100_000) else { panic!("a contradiction: {clauses:?}") };
        (core, steps)
    }

    /// No square ends in these bits, so that all hundred numbers have to be tried.
    const NO_SQUARE: &str = "(= (bvand (bvmul (bvadd (bvmul (bvadd v0[1] -48) 10) (bvadd v0[3] -48)) \
                                       (bvadd (bvmul (bvadd v0[1] -48) 10) (bvadd v0[3] -48))) 127) 3)";
    const DIGITS: [&str; 4] = ["(bvsle 48 v0[1])", "(bvsle v0[1] 57)", "(bvsle 48 v0[3])", "(bvsle v0[3] 57)"];

    #[test]
    fn all_values_within_the_bounds_are_tried() {
        let clauses = [&DIGITS[..], &["(= v7 v8)", NO_SQUARE]].concat();
        assert_eq!(core(&clauses).0, [0, 1, 2, 3, 5]);
        let a_square = NO_SQUARE.replace("127) 3)", "127) 121)");
        let (outcome, _) = asked(&[&DIGITS[..], &[&a_square]].concat(), "v0[1]=50", 100_000);
        assert!(matches!(outcome, Some(Outcome::Sat(_))), "{outcome:?}");
    }

    #[test]
    fn a_core_contains_the_clauses_that_bound_a_length() {
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

    /// The other half of a split that a contradiction does not follow from is not tried: each of
    /// these inputs would double the work.
    #[test]
    fn splits_without_part_in_a_contradiction_are_tried_once() {
        let open: Vec<String> = (10..30).map(|input| format!("(= (bvxor v{input}:boolean v{}:boolean) 1)", input + 1)).collect();
        let mut clauses: Vec<&str> = open.iter().map(String::as_str).collect();
        clauses.extend(DIGITS.iter().copied().chain([NO_SQUARE]));
        let (core, steps) = core(&clauses);
        assert_eq!(core, (20..25).collect::<Vec<usize>>());
        assert!(steps < 50_000, "{steps} steps");
    }

    /// A digit has ten values, whatever its position is.
    #[test]
    fn computed_subterms_are_split_as_well() {
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
    fn floats_are_split_by_value() {
        // A square is not negative, on either side of zero.
        assert_eq!(core(&["(fp.lt v1:double v2:double)", "(fp.lt (fp.mul v0:double v0:double) d#c010000000000000)"]).0, [1]);
        let (outcome, _) = asked(&["(fp.lt d#4000000000000000 (fp.mul v0:double v0:double))"], "", 100_000);
        assert!(matches!(outcome, Some(Outcome::Sat(_))), "{outcome:?}");
        // Whole numbers are preferred: 3, not the successor of 2.5.
        let (outcome, _) = asked(&["(fp.lt d#4004000000000000 v0:double)"], "", 100_000);
        assert_eq!(outcome, Some(Outcome::Sat("v0=d#4008000000000000".parse().expect("a model"))));
        // A continued fraction with a positive first denominator.
        let rest = "(fp.sub (fp.abs v0:double) (i2d (d2i (fp.abs v0:double))))";
        let clauses = [
            "(not (fp.lt d#41dfffffffc00000 (fp.abs v0:double)))",
            "(fp.eq v0:double v0:double)",
            &format!("(bvsle (d2i (fp.div d#3ff0000000000000 (fp.sub {rest} (i2d (d2i {rest}))))) 0)"),
        ];
        assert_eq!(core(&clauses).0, [0, 1, 2]);
    }

    #[test]
    fn printable_characters_are_preferred() {
        let (outcome, _) =
            asked(&["(not (= v0[0] 97))", "(bvslt v0[0] 100)", "(not (= v0[1] 97))"], "v0[0]=97 v0[1]=97", 100_000);
        let Some(Outcome::Sat(model)) = outcome else { panic!("{outcome:?}") };
        assert!(model.iter().all(|(_, value)| value.integral().is_some_and(|value| (0x20..=0x7e).contains(&value))), "{model}");
    }

    #[test]
    fn queries_with_too_many_values_are_left_to_the_layers_below() {
        assert_eq!(asked(&["(fp.lt d#4000000000000000 (sin v0:double))"], "", 100_000).0, None);
        let factors = ["(= (bvmul v0:long v1:long) 4611685975477714963L)", "(bvslt 1L v0:long)", "(bvslt v0:long v1:long)"];
        let (outcome, steps) = asked(&factors, "", 20_000);
        assert_eq!(outcome, None);
        assert!((20_000..23_000).contains(&steps), "{steps} steps");
        // Each split of a long counts as many steps.
        let (outcome, more) = asked(&factors, "", 40_000);
        assert!(outcome.is_none() && more < steps + 20_000 + 3_000, "{steps} and {more} steps");
    }
}
