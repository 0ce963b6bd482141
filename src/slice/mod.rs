//! Slicing (tardis §4.1): the clauses that share inputs with the last one, directly or through
//! others. Flows in: clauses; flows out: positions of the relevant ones. The other clauses hold in
//! the run of the alternative and stay true. Must not know solvers.

use std::collections::BTreeMap;

use crate::expr::{TermId, TermStore};

/// Positions of the clauses in the transitive closure of the last one over shared objects;
/// ascending, with the last one.
///
/// The object of an input is the part before its dot or bracket: `v1.length` and `v1[3]` belong to
/// `v1` (tardis §4.1, object-based dependency). Time is linear in clauses and inputs.
pub(crate) fn slice(terms: &TermStore, clauses: &[TermId]) -> Vec<usize> {
    let Some(last) = clauses.len().checked_sub(1) else { return Vec::new() };
    // The object of an input is the statement that defines it. Each clause and each object is
    // visited once.
    let mut of_clause: Vec<Vec<u32>> = Vec::with_capacity(clauses.len());
    let mut clauses_of: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
    for (index, &clause) in clauses.iter().enumerate() {
        // Symbols are sorted, so that inputs of one object are neighbours.
        let mut objects: Vec<u32> = terms.symbols_of(clause).iter().map(|input| input.symbol.statement).collect();
        objects.dedup();
        for object in &objects {
            clauses_of.entry(*object).or_default().push(index);
        }
        of_clause.push(objects);
    }
    let mut kept = vec![false; clauses.len()];
    kept[last] = true;
    let mut pending = vec![last];
    while let Some(index) = pending.pop() {
        for object in &of_clause[index] {
            for sharing in clauses_of.remove(object).unwrap_or_default() {
                if !std::mem::replace(&mut kept[sharing], true) {
                    pending.push(sharing);
                }
            }
        }
    }
    kept.iter().enumerate().filter_map(|(index, kept)| kept.then_some(index)).collect()
}

/// The terms at the positions of [`slice`], in run order.
pub(crate) fn sliced(terms: &TermStore, clauses: &[TermId]) -> Vec<TermId> {
    slice(terms, clauses).into_iter().map(|index| clauses[index]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(clauses: &[&str], expected: &[usize]) {
        let mut terms = TermStore::new();
        let clauses: Vec<TermId> = clauses.iter().map(|text| terms.parse(text).expect("well-formed")).collect();
        assert_eq!(slice(&terms, &clauses), expected);
    }

    #[test]
    fn the_slice_is_transitive() {
        // tardis, figure 3: `a > 0` is independent, `c > 0` depends through `c + b > 0`.
        check(&["(bvslt 0 v0)", "(bvslt 0 v2)", "(bvslt 0 (bvadd v2 v1))", "(bvslt v1 0)"], &[1, 2, 3]);
        check(&["(bvslt 0 v0)", "(bvslt 0 v1)"], &[1]);
        check(&["(bvslt v0 v1)", "(bvslt v2 v3)", "(bvslt v1 v2)", "(bvslt v3 0)"], &[0, 1, 2, 3]);
        check(&[], &[]);
    }

    #[test]
    fn length_and_characters_are_one_object() {
        check(&["(bvslt 2 v0.length)", "(= v1[0] 97)", "(= v0[1] 98)"], &[0, 2]);
    }
}
