//! Remembered outcomes. In: queries. Out: the outcome of a query with the same clauses up to the
//! names of inputs, the core of a known contradiction that the query contains, or a recent model
//! that fits.

use super::{Outcome, Query, Reason, Solver, Statistics, completed, completed_over};
use crate::expr::{Fingerprint, Input, Model, Symbol, TermStore, Value};
use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};

/// The layer.
#[derive(Debug)]
pub struct Cache<S> {
    inner: S,
    /// By the clauses in fingerprint order, with symbols renumbered in the order of their first
    /// mention.
    answers: HashMap<Vec<Fingerprint>, CachedOutcome>,
    /// Contradicting clauses (not renumbered), by their smallest fingerprint.
    cores: BTreeMap<Fingerprint, Vec<Vec<Fingerprint>>>,
    models: VecDeque<Model>,
    answered: u64,
}

#[derive(Debug)]
enum CachedOutcome {
    /// Values by new number.
    Sat(Vec<Value>),
    /// The renumbered clauses of the core.
    Unsat(Vec<Fingerprint>),
    /// The reason, and the resources that were not enough.
    Unknown(Reason, u32),
}

impl<S> Cache<S> {
    /// A cache with this many entries is cleared, so memory is bounded without looking at a clock.
    const MOST_ANSWERS: usize = 50_000;
    const MOST_MODELS: usize = 32;

    /// The layer over `inner`.
    pub(crate) fn new(inner: S) -> Cache<S> {
        Cache { inner, answers: HashMap::new(), cores: BTreeMap::new(), models: VecDeque::new(), answered: 0 }
    }

    /// A recent model that satisfies the query.
    pub(super) fn recent(&self, terms: &TermStore, query: &Query) -> Option<Model> {
        let inputs = terms.symbols_of_all(&query.clauses);
        let fits = |model: &Model| completed_over(terms, query, &inputs, &of_query(&inputs, model));
        self.models.iter().find_map(fits)
    }

    fn known_core(&self, clauses: &[Fingerprint]) -> Option<Vec<usize>> {
        let all: HashSet<Fingerprint> = clauses.iter().copied().collect();
        let core = clauses
            .iter()
            .filter_map(|clause| self.cores.get(clause))
            .flatten()
            .find(|core| core.iter().all(|clause| all.contains(clause)))?;
        Some(positions(clauses, core))
    }

    fn remember_core(&mut self, core: Vec<Fingerprint>) {
        if let Some(least) = core.iter().min().copied() {
            let cores = self.cores.entry(least).or_default();
            if !cores.contains(&core) {
                cores.push(core);
            }
        }
    }
}

/// First positions of the clauses of a core, ascending.
fn positions(clauses: &[Fingerprint], core: &[Fingerprint]) -> Vec<usize> {
    let mut positions: Vec<usize> = core.iter().filter_map(|member| clauses.iter().position(|clause| clause == member)).collect();
    positions.sort_unstable();
    positions.dedup();
    positions
}

/// The values of a model for the inputs of the query, if they fit the kinds of the inputs.
fn of_query(inputs: &[Input], model: &Model) -> Model {
    let fitting = |input: &Input| Some((input.symbol, model.get(input.symbol).filter(|value| input.kind.contains(*value))?));
    inputs.iter().filter_map(fitting).collect()
}

impl<S: Solver> Solver for Cache<S> {
    fn check(&mut self, terms: &TermStore, query: &Query) -> Outcome {
        if let Some(model) = self.recent(terms, query) {
            self.answered += 1;
            return Outcome::Sat(model);
        }
        let fingerprints = terms.fingerprints(&query.clauses);
        let clauses: Vec<Fingerprint> = query.clauses.iter().map(|clause| fingerprints[clause]).collect();
        if let Some(core) = self.known_core(&clauses) {
            self.answered += 1;
            return Outcome::Unsat { core };
        }
        let order: Vec<Symbol> = terms.symbols_as_mentioned(&query.clauses);
        let numbers: HashMap<Symbol, u32> = order.iter().enumerate().map(|(number, symbol)| (*symbol, number as u32)).collect();
        let renamed = terms.renamed_fingerprints(&query.clauses, &|symbol| Symbol::value(numbers[&symbol]));
        let renamed: Vec<Fingerprint> = query.clauses.iter().map(|clause| renamed[clause]).collect();
        let mut key = renamed.clone();
        key.sort_unstable();
        key.dedup();
        let known = match self.answers.get(&key) {
            Some(CachedOutcome::Sat(values)) => {
                let model: Model = order.iter().copied().zip(values.iter().copied()).collect();
                completed(terms, query, &model).map(Outcome::Sat)
            }
            Some(CachedOutcome::Unsat(core)) => Some(Outcome::Unsat { core: positions(&renamed, core) }),
            Some(CachedOutcome::Unknown(reason, spent)) if query.limits.resources <= *spent => {
                Some(Outcome::Unknown(reason.clone()))
            }
            _ => None,
        };
        if let Some(outcome) = known {
            self.answered += 1;
            return outcome;
        }
        let outcome = self.inner.check(terms, query);
        if self.answers.len() >= Self::MOST_ANSWERS {
            self.answers.clear();
            self.cores.clear();
        }
        match &outcome {
            Outcome::Sat(model) => {
                let values = order.iter().filter_map(|symbol| model.get(*symbol)).collect();
                self.answers.insert(key, CachedOutcome::Sat(values));
                self.models.push_front(model.clone());
                self.models.truncate(Self::MOST_MODELS);
            }
            Outcome::Unsat { core } => {
                self.answers.insert(key, CachedOutcome::Unsat(core.iter().map(|position| renamed[*position]).collect()));
                self.remember_core(core.iter().map(|position| clauses[*position]).collect());
            }
            Outcome::Unknown(
                reason @ (Reason::Resources | Reason::Size | Reason::Unsupported(_) | Reason::Descent(_) | Reason::GaveUp(_)),
            ) => {
                self.answers.insert(key, CachedOutcome::Unknown(reason.clone(), query.limits.resources));
            }
            // Time and processes depend on the machine: the next attempt may succeed.
            Outcome::Unknown(_) => {}
        }
        outcome
    }

    fn statistics(&self) -> Statistics {
        let inner = self.inner.statistics();
        Statistics { cached: inner.cached + self.answered, ..inner }
    }
}
