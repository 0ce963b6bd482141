//! String lengths as constants.
//!
//! In: queries over strings. Out: models of the query with some lengths put in. This layer proves
//! nothing; other lengths are left to the layers below. It does not know what the clauses compute.
//!
//! Most clauses about a string are if-then-else chains over its length, and fold once the length is
//! known. The layer puts in the lengths of the run, and each length of the last clause changed
//! alone. It asks the smallest of these queries.

use super::{Limits, Outcome, Query, Solver, Statistics, completed, folding, substituted};
use crate::expr::{Model, Sort, Symbol, SymbolKind, TermId, TermStore, Value};

/// The layer.
#[derive(Debug)]
pub struct Lengths<S> {
    inner: S,
    answered: u64,
}

/// A query with string lengths put in.
struct FixedLengths {
    lengths: Model,
    terms: TermStore,
    clauses: Vec<TermId>,
    /// Distinct terms.
    size: usize,
}

impl<S> Lengths<S> {
    /// Divisor of resources and wall time for one query.
    const SHARE: u32 = 8;
    /// Longest length that is tried; the length of the run is tried in any case.
    const LONGEST: i32 = 24;
    /// Number of queries that are asked, the smallest first.
    const MOST_ASKED: usize = 6;
    /// Smaller queries are solved faster as they are.
    const LEAST_TERMS: usize = 100;
    /// Copies of larger queries cost too much.
    const MOST_TERMS: usize = 20_000;

    /// The layer over `inner`.
    pub(crate) fn new(inner: S) -> Lengths<S> {
        Lengths { inner, answered: 0 }
    }
}

impl<S: Solver> Lengths<S> {
    fn answer(&mut self, terms: &TermStore, query: &Query) -> Option<Model> {
        let count = terms.reachable(&query.clauses).len();
        if !(Self::LEAST_TERMS..=Self::MOST_TERMS).contains(&count) {
            return None;
        }
        let mut fixed = Vec::new();
        for lengths in Self::candidates(terms, query) {
            let Some(candidate) = FixedLengths::new(terms, query, lengths) else { continue };
            if candidate.clauses.is_empty() {
                return completed(terms, query, &candidate.lengths);
            }
            fixed.push(candidate);
        }
        fixed.sort_by_key(|candidate| candidate.size);
        for candidate in fixed.into_iter().take(Self::MOST_ASKED) {
            let limits = Limits {
                resources: query.limits.resources / Self::SHARE,
                wall: query.limits.wall.map(|wall| wall / Self::SHARE),
                ..query.limits
            };
            let asked = Query { clauses: candidate.clauses, seed: query.seed.clone(), limits };
            if let Outcome::Sat(mut model) = self.inner.check_isolated(&candidate.terms, &asked) {
                model.0.extend(candidate.lengths.iter());
                if let Some(model) = completed(terms, query, &model) {
                    return Some(model);
                }
            }
        }
        None
    }

    /// The lengths of the run, and each length of the last clause changed alone.
    fn candidates(terms: &TermStore, query: &Query) -> Vec<Model> {
        let length_of = |symbol: Symbol| match query.seed.get(symbol) {
            Some(Value::Int(length)) => length,
            _ => 0,
        };
        let lengths = |clauses: &[TermId]| -> Vec<Symbol> {
            let inputs = terms.symbols_of_all(clauses);
            inputs.iter().filter(|input| input.kind == SymbolKind::Length).map(|input| input.symbol).collect()
        };
        let all = lengths(&query.clauses);
        if all.is_empty() {
            return Vec::new();
        }
        let seed: Model = all.iter().map(|&symbol| (symbol, Value::Int(length_of(symbol)))).collect();
        let mut candidates = vec![seed.clone()];
        for symbol in lengths(query.clauses.last().map_or(&[], std::slice::from_ref)) {
            for length in (0..=Self::LONGEST).filter(|&length| length != length_of(symbol)) {
                let mut changed = seed.clone();
                changed.set(symbol, Value::Int(length));
                candidates.push(changed);
            }
        }
        candidates
    }
}

impl FixedLengths {
    /// `None` if folding shows that there is no model with these lengths.
    fn new(from: &TermStore, query: &Query, lengths: Model) -> Option<FixedLengths> {
        let mut terms = TermStore::new();
        // The last clause rules out most lengths, so it comes first.
        for clauses in [&query.clauses[query.clauses.len().saturating_sub(1)..], &query.clauses] {
            let copies = substituted(&mut terms, from, clauses, &lengths)?;
            if clauses.len() < query.clauses.len() {
                continue;
            }
            if folding::contradiction(&terms, &copies).is_some() {
                return None;
            }
            debug_assert!(copies.iter().all(|clause| terms.sort(*clause) == Sort::Bool));
            let size = terms.reachable(&copies).len();
            return Some(FixedLengths { lengths, terms, clauses: copies, size });
        }
        None
    }
}

impl<S: Solver> Solver for Lengths<S> {
    fn check(&mut self, terms: &TermStore, query: &Query) -> Outcome {
        if let Some(model) = self.answer(terms, query) {
            self.answered += 1;
            return Outcome::Sat(model);
        }
        self.inner.check(terms, query)
    }

    fn check_isolated(&mut self, terms: &TermStore, query: &Query) -> Outcome {
        self.inner.check_isolated(terms, query)
    }

    fn statistics(&self) -> Statistics {
        let inner = self.inner.statistics();
        Statistics { shortened: inner.shortened + self.answered, ..inner }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::solve::Reason;

    /// A solver that answers isolated queries only.
    #[derive(Debug, Default)]
    struct Fixed(Vec<String>);

    impl Solver for Fixed {
        fn check(&mut self, _: &TermStore, _: &Query) -> Outcome {
            Outcome::Unknown(Reason::Resources)
        }

        fn check_isolated(&mut self, terms: &TermStore, query: &Query) -> Outcome {
            self.0.extend(query.clauses.iter().map(|clause| terms.print(*clause)));
            Outcome::Sat("v0[0]=7".parse().expect("well-formed"))
        }

        fn statistics(&self) -> Statistics {
            Statistics::default()
        }
    }

    /// Asks for a string whose characters add up to `value`, with enough terms for the layer.
    fn ask(value: i32, seed: &str) -> (Outcome, Vec<String>) {
        let mut terms = TermStore::new();
        let length = terms.symbol(Symbol::length(0), SymbolKind::Length);
        let mut sum = terms.int(0);
        for position in 0..60 {
            let place = terms.int(position);
            let inside = terms.lt(place, length);
            let cell = terms.symbol(Symbol::char(0, position as u32), SymbolKind::Char);
            let longer = terms.add(sum, cell);
            sum = terms.ite(inside, longer, sum);
        }
        let value = terms.int(value);
        let bound = terms.int(60);
        let clauses = vec![terms.le(length, bound), terms.eq(sum, value)];
        let query = Query { clauses, seed: seed.parse().expect(seed), limits: Limits::default() };
        let mut solver = Lengths::new(Fixed::default());
        let outcome = solver.check(&terms, &query);
        (outcome, solver.inner.0)
    }

    #[test]
    fn a_length_is_put_in() {
        let (outcome, asked) = ask(7, "v0.length=3");
        // The sum of no characters is 0, so the smallest query is that of length 1.
        assert_eq!(asked, ["(= v0[0] 7)"]);
        let Outcome::Sat(model) = outcome else { panic!("{outcome:?}") };
        assert!(model.get(Symbol::length(0)) == Some(Value::Int(1)), "{model}");
    }

    #[test]
    fn an_unanswered_query_is_not_proved_unsat() {
        let (outcome, asked) = ask(8, "v0.length=3");
        // None of the smallest queries has this model.
        assert_eq!((outcome, asked.len()), (Outcome::Unknown(Reason::Resources), Lengths::<Fixed>::MOST_ASKED));
    }
}
