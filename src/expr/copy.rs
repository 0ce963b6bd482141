//! Copies of terms in another store, with values for some inputs. In: a store, terms, values; out:
//! simplified terms of this store.

use super::{Model, Term, TermId, TermStore};
use rustc_hash::FxHashMap;

impl TermStore {
    /// Rebuilds a term of another store here through the simplifying constructors. `fixed`: inputs
    /// that become constants.
    #[cfg(test)]
    pub(crate) fn import(&mut self, from: &TermStore, root: TermId, fixed: &Model) -> TermId {
        self.import_all(from, &[root], fixed)[0]
    }

    /// Rebuilds several terms; shared subterms are rebuilt once.
    pub(crate) fn import_all(&mut self, from: &TermStore, roots: &[TermId], fixed: &Model) -> Vec<TermId> {
        let mut copies: FxHashMap<TermId, TermId> = FxHashMap::default();
        for id in from.reachable(roots) {
            let copy = match from.get(id) {
                Term::Constant(value) => self.constant(value),
                Term::Input(input) => match fixed.get(input.symbol).filter(|value| input.kind.contains(*value)) {
                    Some(value) => self.constant(value),
                    None => self.symbol(input.symbol, input.kind),
                },
                Term::Unary(op, a) => self.unary(op, copies[&a]),
                Term::Binary(op, a, b) => self.binary(op, copies[&a], copies[&b]),
                Term::Ite(condition, then, otherwise) => self.ite(copies[&condition], copies[&then], copies[&otherwise]),
            };
            copies.insert(id, copy);
        }
        roots.iter().map(|root| copies[root]).collect()
    }
}
