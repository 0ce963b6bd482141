//! Texts worth a try before any search. A solver does not find the text behind a hash, and where the program compares one it mostly has the
//! text as well. Flows in: a query, literals of the program; flows out: a model that evaluation has checked, or nothing, which proves
//! nothing. Must not know which methods asked.

use super::{Query, completed};
use crate::expr::{Evaluation, Model, Symbol, SymbolKind, TermStore, Value};
use std::collections::BTreeSet;
use std::rc::Rc;

/// Terms of the last clause from which on a guess is cheaper than the solvers, and what all guesses may compute.
const LEAST_TERMS: usize = 10;
const MOST_COMPUTED: usize = 300_000;
/// Characters of the run that may stay before a literal.
const MOST_BEFORE: usize = 8;

/// The query's seed with one text changed, if the clauses hold then.
pub fn guessed(terms: &TermStore, query: &Query, literals: &BTreeSet<Rc<[u16]>>) -> Option<Model> {
    let last = *query.clauses.last()?;
    let inputs = terms.symbols_of(last);
    let mut texts: Vec<u32> = inputs
        .iter()
        .filter(|input| matches!(input.kind, SymbolKind::Char) && input.symbol != Symbol::value(input.symbol.statement))
        .map(|input| input.symbol.statement)
        .collect();
    texts.dedup();
    let size = terms.reachable(&[last]).len();
    if texts.is_empty() || size < LEAST_TERMS {
        return None;
    }
    let mut left = MOST_COMPUTED / size;
    for statement in texts {
        let Some(seed) = text_of(&query.seed, statement) else { continue };
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

fn text_of(seed: &Model, statement: u32) -> Option<Vec<u16>> {
    let Some(Value::Int(length)) = seed.get(Symbol::length(statement)) else { return None };
    (0..length as u32)
        .map(|position| match seed.get(Symbol::char(statement, position)) {
            Some(Value::Int(unit)) => Some(unit as u16),
            _ => None,
        })
        .collect()
}

/// Each literal alone, behind what the run has, and over it; and texts with the hash of the run's.
fn candidates(seed: &[u16], literals: &BTreeSet<Rc<[u16]>>) -> BTreeSet<Vec<u16>> {
    let mut all = BTreeSet::new();
    for literal in literals {
        for before in 0..=seed.len().min(MOST_BEFORE) {
            let mut text = seed[..before].to_vec();
            text.extend_from_slice(literal);
            all.insert(text.clone());
            if let Some(rest) = seed.get(text.len()..) {
                text.extend_from_slice(rest);
                all.insert(text);
            }
        }
    }
    // Two characters in a row weigh 31 and 1.
    for place in 1..seed.len() {
        for (first, second) in [(1, -31), (-1, 31)] {
            let moved = |unit: u16, by: i32| u16::try_from(i32::from(unit) + by).ok();
            if let (Some(first), Some(second)) = (moved(seed[place - 1], first), moved(seed[place], second)) {
                let mut text = seed.to_vec();
                (text[place - 1], text[place]) = (first, second);
                all.insert(text);
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
        let literals = literals.iter().map(|text| text.encode_utf16().collect()).collect();
        let model = guessed(terms, &query, &literals)?;
        text_of(&model, 0).map(|units| String::from_utf16_lossy(&units))
    }

    #[test]
    fn the_text_behind_a_hash_is_a_literal() {
        let mut terms = TermStore::new();
        let of_triple = [hash(6, -865_465_250)];
        let seed = "v0.length=6 v0[0]=97 v0[1]=97 v0[2]=97 v0[3]=97 v0[4]=97 v0[5]=97";
        let mut found = |literals: &[&str]| guess(&mut terms, &of_triple, seed, literals);
        assert_eq!(found(&["double", "triple"]), Some("triple".into()));
        assert_eq!(found(&["double", "negate"]), None);
    }

    #[test]
    fn another_text_has_the_hash_of_this_one() {
        let mut terms = TermStore::new();
        let seed = "v0.length=8 v0[0]=72 v0[1]=103 v0[2]=72 v0[3]=103 v0[4]=72 v0[5]=103 v0[6]=72 v0[7]=103";
        let model: Model = seed.parse().expect("well-formed");
        let of_seed = terms.parse(&hash(8, 0)).expect("well-formed");
        let crate::expr::Term::Binary(_, sum, _) = terms.get(of_seed) else { panic!("an equation") };
        let Value::Int(value) = terms.evaluate(sum, &model) else { panic!("an int") };
        let clauses = ["(not (= v0[0] 72))".to_owned(), hash(8, value)];
        assert_eq!(guess(&mut terms, &clauses, seed, &[]).map(|text| text.chars().count()), Some(8));
    }

    #[test]
    fn a_literal_stands_behind_or_over_what_was_there() {
        let seed: Vec<u16> = "+abcdef".encode_utf16().collect();
        let literals = BTreeSet::from(["tea".encode_utf16().collect::<Rc<[u16]>>()]);
        let all: BTreeSet<String> = candidates(&seed, &literals).iter().map(|units| String::from_utf16_lossy(units)).collect();
        for text in ["tea", "teacdef", "+tea", "+teadef", "+abcdeftea"] {
            assert!(all.contains(text), "{text}: {all:?}");
        }
        assert!(!all.contains("+abcdef"));
    }
}
