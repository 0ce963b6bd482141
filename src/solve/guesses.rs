//! Guessed strings, which the engine evaluates before it asks any solver.
//!
//! In: a query, and string literals of the program. Out: a model that evaluation has checked, or
//! nothing, which proves nothing. This module does not know which methods asked.
//!
//! A solver does not find a string from its hash. Code that compares a hash usually contains the
//! string.

use super::{Query, completed};
use crate::expr::{Evaluation, Model, Symbol, SymbolKind, TermStore, Value};
use std::collections::BTreeSet;
use std::rc::Rc;

/// Least size of the last clause, in terms: guesses at smaller ones cost more than solving. And the
/// terms that all guesses together may compute.
const LEAST_TERMS: usize = 10;
const MOST_COMPUTED: usize = 300_000;
/// Characters of the run that may stay in front of a literal.
const MOST_BEFORE: usize = 8;

/// The seed of the query with one string changed, if all clauses then hold.
pub fn guess_string(terms: &TermStore, query: &Query, literals: &BTreeSet<Rc<[u16]>>) -> Option<Model> {
    let last = *query.clauses.last()?;
    let inputs = terms.symbols_of(last);
    let mut strings: Vec<u32> = inputs
        .iter()
        .filter(|input| matches!(input.kind, SymbolKind::Char) && input.symbol != Symbol::value(input.symbol.statement))
        .map(|input| input.symbol.statement)
        .collect();
    strings.dedup();
    let size = terms.reachable(&[last]).len();
    if strings.is_empty() || size < LEAST_TERMS {
        return None;
    }
    let mut left = MOST_COMPUTED / size;
    for statement in strings {
        let Some(seed) = string_of(&query.seed, statement) else { continue };
        for units in candidates(&seed, literals) {
            left = left.checked_sub(1)?;
            let mut model = query.seed.clone();
            model.set(Symbol::length(statement), Value::Int(units.len() as i32));
            for (position, &unit) in units.iter().enumerate() {
                model.set(Symbol::char(statement, position as u32), Value::Int(i32::from(unit)));
            }
            if Evaluation::new(terms, &model).holds(last)
                && let Some(model) = completed(terms, query, &model)
            {
                return Some(model);
            }
        }
    }
    None
}

fn string_of(seed: &Model, statement: u32) -> Option<Vec<u16>> {
    let Some(Value::Int(length)) = seed.get(Symbol::length(statement)) else { return None };
    (0..length as u32)
        .map(|position| match seed.get(Symbol::char(statement, position)) {
            Some(Value::Int(unit)) => Some(unit as u16),
            _ => None,
        })
        .collect()
}

/// Each literal alone, behind a prefix of the run's string, and over it; and strings with the hash
/// of the run's.
fn candidates(seed: &[u16], literals: &BTreeSet<Rc<[u16]>>) -> BTreeSet<Vec<u16>> {
    let mut all = BTreeSet::new();
    for literal in literals {
        for before in 0..=seed.len().min(MOST_BEFORE) {
            let mut string = seed[..before].to_vec();
            string.extend_from_slice(literal);
            all.insert(string.clone());
            if let Some(rest) = seed.get(string.len()..) {
                string.extend_from_slice(rest);
                all.insert(string);
            }
        }
    }
    // In `String.hashCode`, two neighbouring characters weigh 31 and 1.
    for place in 1..seed.len() {
        for (first, second) in [(1, -31), (-1, 31)] {
            let moved = |unit: u16, by: i32| u16::try_from(i32::from(unit) + by).ok();
            if let (Some(first), Some(second)) = (moved(seed[place - 1], first), moved(seed[place], second)) {
                let mut string = seed.to_vec();
                (string[place - 1], string[place]) = (first, second);
                all.insert(string);
            }
        }
    }
    all.remove(seed);
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::solve::Limits;

    /// A hash of the first characters, as the replay writes it where the length is decided.
    fn hash(count: u32, wanted: i32) -> String {
        let sum = (0..count).fold("0".to_owned(), |sum, place| format!("(bvadd (bvmul {sum} 31) v0[{place}])"));
        format!("(= {sum} {wanted})")
    }

    fn guess(terms: &mut TermStore, clauses: &[String], seed: &str, literals: &[&str]) -> Option<String> {
        let clauses = clauses.iter().map(|clause| terms.parse(clause).expect(clause)).collect();
        let query = Query { clauses, seed: seed.parse().expect(seed), limits: Limits::default() };
        let literals = literals.iter().map(|string| string.encode_utf16().collect()).collect();
        let model = guess_string(terms, &query, &literals)?;
        string_of(&model, 0).map(|units| String::from_utf16_lossy(&units))
    }

    #[test]
    fn the_string_behind_a_hash_is_a_literal() {
        let mut terms = TermStore::new();
        let of_triple = [hash(6, -865_465_250)];
        let seed = "v0.length=6 v0[0]=97 v0[1]=97 v0[2]=97 v0[3]=97 v0[4]=97 v0[5]=97";
        let mut found = |literals: &[&str]| guess(&mut terms, &of_triple, seed, literals);
        assert_eq!(found(&["double", "triple"]), Some("triple".into()));
        assert_eq!(found(&["double", "negate"]), None);
    }

    #[test]
    fn another_string_has_the_same_hash() {
        let mut terms = TermStore::new();
        let seed = "v0.length=8 v0[0]=72 v0[1]=103 v0[2]=72 v0[3]=103 v0[4]=72 v0[5]=103 v0[6]=72 v0[7]=103";
        let model: Model = seed.parse().expect("well-formed");
        let of_seed = terms.parse(&hash(8, 0)).expect("well-formed");
        let crate::expr::Term::Binary(_, sum, _) = terms.get(of_seed) else { panic!("an equation") };
        let Value::Int(value) = terms.evaluate(sum, &model) else { panic!("an int") };
        let clauses = ["(not (= v0[0] 72))".to_owned(), hash(8, value)];
        assert_eq!(guess(&mut terms, &clauses, seed, &[]).map(|string| string.chars().count()), Some(8));
    }

    #[test]
    fn a_literal_stands_behind_a_prefix_or_replaces_characters() {
        let seed: Vec<u16> = "+abcdef".encode_utf16().collect();
        let literals = BTreeSet::from(["tea".encode_utf16().collect::<Rc<[u16]>>()]);
        let all: BTreeSet<String> = candidates(&seed, &literals).iter().map(|units| String::from_utf16_lossy(units)).collect();
        for string in ["tea", "teacdef", "+tea", "+teadef", "+abcdeftea"] {
            assert!(all.contains(string), "{string}: {all:?}");
        }
        assert!(!all.contains("+abcdef"));
    }
}
